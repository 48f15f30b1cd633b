#!/bin/sh
# Models that are not trusted: files that they refer to are read in the folders of the model, of the manifest and of
# the run, and below; others are refused by name, links followed, unless --side-files allows them.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
unset MAKEFLAGS
mkdir -p "$TMPDIR/s/run/models/sub" "$TMPDIR/s/secret" && cp models/tiny/cube.obj "$TMPDIR/s/cube.obj"
cd "$TMPDIR/s/run" || exit 1
/usr/bin/python3 - <<'END' >../secret/secret.bin || exit 1
import struct, sys
sys.stdout.buffer.write(struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0))
END
cp ../secret/secret.bin models/own.bin
echo '# secret' >../secret/secret.mtl
ln -s "$TMPDIR/s/secret/secret.mtl" models/link.mtl
ln -s ../../secret/secret.bin models/link.bin
ln -s ../../secret models/away

# gltf URI, obj NAME: a model in models/ that refers to it.
gltf() {
    printf '{"asset":{"version":"2.0"},"buffers":[{"uri":"%s","byteLength":36}],"bufferViews":[{"buffer":0,"byteLength":36}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":[{"mesh":0}],"scenes":[{"nodes":[0]}],"scene":0}' "$1" >models/m.gltf
}
obj() {
    printf 'mtllib %s\n' "$1" | cat - ../cube.obj >models/m.obj
}
outside='which lies outside of the folders of the model, of the manifest and of the run; move it there'

case_begin 'glTF: by "..", from the root, through links, with escapes'
for uri in ../../secret/secret.bin "$TMPDIR/s/secret/secret.bin" sub/../../../secret/secret.bin link.bin \
    away/secret.bin; do
    gltf "$uri"
    for options in '' '--if-changed' '--cache c' '--max-memory 500M'; do
        # shellcheck disable=SC2086
        expect 3 "$KILN" bake models/m.gltf -o out.kiln $options
        says err "$outside"
        says err 'kiln: models/m.gltf: refers to "'
        [ ! -e out.kiln ] || case_fail "$uri: written"
    done
    expect 0 "$KILN" bake -q models/m.gltf -o out.kiln --side-files any
    expect 3 "$KILN" verify out.kiln --source models/m.gltf
    says err "$outside"
    expect 0 "$KILN" verify out.kiln --source models/m.gltf --side-files any
    rm out.kiln
    expect 0 "$KILN" bake -q models/m.gltf -o out.kiln --side-files nowhere:../secret
    rm out.kiln
    expect 3 "$KILN" bake -q models/m.gltf -o out.kiln --side-files nowhere:../secret/deeper
done
gltf own.bin
expect 0 "$KILN" bake -q models/m.gltf -o out.kiln
case_end

case_begin 'OBJ: libraries of materials, of the system and elsewhere'
for name in /etc/passwd ../../secret/secret.mtl "$TMPDIR/s/secret/secret.mtl" link.mtl away/secret.mtl \
    'none.mtl /etc/passwd'; do
    obj "$name"
    expect 3 "$KILN" bake models/m.obj -o out2.kiln
    says err "$outside"
    [ ! -e out2.kiln ] || case_fail "$name: written"
    expect 0 "$KILN" bake -q models/m.obj -o out2.kiln --side-files any
    "$KILN" info --json out2.kiln >info
    grep -q '"side_files": \[\]' info && case_fail "$name: what was read is not in the file"
    rm out2.kiln
done
obj /home/nobody/at/all.mtl
expect 0 "$KILN" bake models/m.obj -o out2.kiln
says err "not there: '/home/nobody/at/all.mtl'"
case_end

case_begin 'folders of the run, of the manifest and of a linked model'
mkdir -p pool ../assets/pool
echo '# shared' >pool/shared.mtl
echo '# shared' >../assets/pool/shared.mtl
obj ../pool/shared.mtl
expect 0 "$KILN" bake -q models/m.obj -o out2.kiln
cd models || exit 1
expect 3 "$KILN" bake -q m.obj -o out2.kiln
cd ..
mkdir -p ../assets/models
cp models/m.obj ../assets/models
printf 'kiln: 1\noutput: out\nassets: [models/m.obj]\n' >../assets/kiln.yaml
expect 0 "$KILN" bake -q -m ../assets/kiln.yaml
expect 3 "$KILN" bake -q ../assets/models/m.obj -o out2.kiln
expect 0 "$KILN" plan -m ../assets/kiln.yaml --format parallel
says out '--side-files=../assets/'
sh -c "KILN='$KILN' sh '$TMPDIR/out'" || case_fail 'the plan refuses'
expect 0 "$KILN" plan models/m.obj -o out --side-files any --format make
says out '--side-files=any'
printf 'kiln: 1\noutput: out\ndefaults: {side-files: any}\nassets: [models/m.obj]\n' >m.yaml
expect 3 "$KILN" bake -m m.yaml
says err "has no option 'side-files'"
ln -s ../../assets/models/m.obj models/linked.obj
cp ../assets/pool/shared.mtl ../assets/models/near.mtl
printf 'mtllib near.mtl\n' | cat - ../cube.obj >../assets/models/m.obj
ln -s ../../assets/models/near.mtl models/near.mtl
expect 0 "$KILN" bake -q models/linked.obj -o out2.kiln
case_end

cases_end
