#!/bin/sh
# kiln verify --reader: a second opinion by Assimp on what kiln's own readers of glTF, Collada, FBX, AMF and X3D have read, for every model that there is; second_reader.txt
# explains each difference. And what the option refuses.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
top=$(pwd)
models=/usr/share/assimp/models

case_begin 'every difference of two readers is explained'
if [ -d $models ]; then
    find $models/glTF2 $models/Collada $models/FBX $models/AMF $models/X3D \( -name '*.gltf' -o -name '*.glb' -o -iname '*.dae' -o \
        -iname '*.fbx' -o -name '*.amf' -o -name '*.x3d' \) -size -4000k | LC_ALL=C sort | while read -r model; do
        "$KILN" bake -q "$model" -o "$TMPDIR/model.kiln" 2>/dev/null || continue
        "$KILN" verify -q "$TMPDIR/model.kiln" --source "$model" --reader assimp 2>/dev/null
        echo "$? ${model#$models/}"
    done | LC_ALL=C sort -k 2 >"$TMPDIR/found"
    sed '/^#/d; s/	.*//' tests/cli/second_reader.txt | LC_ALL=C sort -k 2 >"$TMPDIR/listed"
    diff "$TMPDIR/listed" "$TMPDIR/found" || case_fail 'differences that second_reader.txt has otherwise'
    awk -F '\t' '/^#/ { next } /^0/ ? NF != 1 : NF != 2 || $2 == "" { print; bad = 1 } END { exit bad }' tests/cli/second_reader.txt ||
        case_fail 'a difference without a reason'
else
    case_skip "no $models (package assimp-testmodels)"
fi
case_end

case_begin 'readers by name'
cp tests/cases/gltf/matrix.gltf models/tiny/cube.obj "$TMPDIR"
cd "$TMPDIR" || exit 1
"$KILN" bake -q matrix.gltf -o matrix.kiln || exit 1
expect 0 "$KILN" verify -q matrix.kiln --source matrix.gltf --reader own
expect 0 "$KILN" verify -q matrix.kiln --source matrix.gltf --reader assimp
expect 0 "$KILN" verify -q matrix.kiln --source matrix.gltf --reader usual
expect 1 "$KILN" verify -q matrix.kiln --source matrix.gltf --reader other
cp "$top/tests/cases/import/I46_blendshape.fbx" shape.fbx
"$KILN" bake -q shape.fbx -o shape.kiln || exit 1
expect 0 "$KILN" verify -q shape.kiln --source shape.fbx --reader own
expect 7 "$KILN" verify -q shape.kiln --source shape.fbx --reader assimp
printf 'p 3\n0 0 0\n1 0 0\n0 1 0\n' >one.nff
"$KILN" bake -q one.nff -o one.kiln 2>/dev/null || exit 1
expect 5 "$KILN" verify -q one.kiln --source one.nff --reader own
says err 'kiln-import has no reader for "nff" files'
case_end
