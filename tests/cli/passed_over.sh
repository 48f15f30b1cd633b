#!/bin/sh
# What is named or matched and not baked is told: comments that are files, links to nothing, what is no regular
# file; pointers of Git LFS in the place of models and side files. Patterns with many "**" end.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
top=$(pwd)
mkdir -p "$TMPDIR/o" && cp models/tiny/cube.obj models/tiny/tetrahedron.obj models/tiny/painted.obj "$TMPDIR/o"
cd "$TMPDIR/o" || exit 1

case_begin 'a list: a line that begins with # is a comment, and told where it is a file'
cp cube.obj '#one.obj'
printf '# what to bake\n#gone.obj\n#one.obj\ncube.obj\n' >list
exact 0 "$KILN" bake @list -o out <<'END'
stderr:
kiln: #one.obj: not baked: a line of 'list' that begins with '#' is a comment; write './#one.obj' for the file
END
printf './#one.obj\ncube.obj\n' >list
exact 0 "$KILN" bake @list -o out <<'END'
stderr:
kiln: 2 baked in T s; N read, N written
END
[ -s 'out/#one.kiln' ] || case_fail 'not baked'
printf '#one.obj\0cube.obj\0' | "$KILN" bake @- -o nul -q || case_fail 'a list of find -print0'
[ -s 'nul/#one.kiln' ] || case_fail 'not baked from a list of find -print0'
printf 'cube.obj\n#one.obj\n' >list
expect 0 "$KILN" plan --format parallel @list -o out
says err '#one.obj: not baked'
rm -r out nul list '#one.obj'
case_end

case_begin 'a pattern: links to nothing and what is no file'
mkdir -p m/deep && cp cube.obj m && cp tetrahedron.obj m/deep
ln -s nowhere.obj m/deep/link.obj
mkfifo m/pipe.obj
mkdir m/folder.obj
for pattern in 'm/**/*.obj' 'm/**/**/*.obj'; do
    printf 'kiln: 1\noutput: out\nassets: ["%s"]\n' "$pattern" >m.yaml
    expect 0 "$KILN" bake -m m.yaml -j1
    steady <"$TMPDIR/err" | LC_ALL=C sort >sorted
    diff - sorted <<'END' || case_fail 'it says something else'
kiln: 2 baked in T s; N read, N written
kiln: m/deep/link.obj: not baked: matches, and is a link to nothing
kiln: m/pipe.obj: not baked: matches, and is no regular file
END
done
[ "$(find out -name '*.kiln' | wc -l)" -eq 2 ] || case_fail 'not two files'
rm -r m out m.yaml
case_end

# matches PATTERN WANTED: what the pattern of a manifest comes to.
matches() {
    printf 'kiln: 1\nassets: ["%s"]\n' "$1" >m.yaml
    timeout 120 "$KILN" plan --json -m m.yaml 2>/dev/null | sed -n 's/^ *"input": "\(.*\)",$/\1/p' >got
    [ "$(tr '\n' ' ' <got)" = "$2" ] || case_fail "$1: $(tr '\n' ' ' <got)"
}

case_begin 'many "**" on a deep tree: each folder is read once'
path=t
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    path=$path/d
    mkdir -p $path $path/side $path/e/f
    cp cube.obj $path/x$i.obj
done
many='**/**/**/**/**/**/**/**/**/**/**/**'
all=$(find t -name '*.obj' | LC_ALL=C sort | tr '\n' ' ')
matches "$many/*.obj" "$(find . -name '*.obj' | sed 's|^\./||' | LC_ALL=C sort | tr '\n' ' ')"
matches "t/$many/x20.obj" "$path/x20.obj "
matches 't/**/d/**/d/**/d/**/d/**/d/**/d/**/d/**/d/**/d/**/d/**/d/**/d/**/x20.obj' "$path/x20.obj "
matches 't/**/d*/**/*d/**/d/**/d/**/d/**/d/**/d/**/d/**/d/**/d/**/d/**/d/**/x*.none' ''
printf 'kiln: 1\nassets: [{path: "t/**/*.obj", exclude: "t/%s/d/**/d/**/d/**/d/**/d/**/d/**/d/**/none"}]\n' "$many" >m.yaml
expect 0 timeout 120 "$KILN" plan --json -m m.yaml
[ "$(grep -c '"input"' "$TMPDIR/out")" -eq "$(printf '%s' "$all" | wc -w)" ] || case_fail 'exclude drops'
printf 'kiln: 1\nassets: ["t/**/../x.obj"]\n' >m.yaml
expect 1 "$KILN" plan -m m.yaml
says err "'..' behind '**'"
matches 't/d/**' "$all"
matches 't/*/d/x2.obj' 't/d/d/x2.obj '
matches 't//d/./x[1].obj' 't/d/./x1.obj '
matches '../o/t/d/x?.obj' '../o/t/d/x1.obj '
rm -r t m.yaml
case_end

# pointer NAME
pointer() {
    printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%064d\nsize 12345\n' 7 >"$1"
}

case_begin 'pointers of Git LFS as models of every format and as side files'
for format in obj ply stl off gltf glb fbx dae 3ds x3d; do
    pointer p.$format
    exact 3 "$KILN" bake p.$format -o p.kiln --if-changed --cache c <<END
stderr:
kiln: p.$format: a Git LFS pointer and not the model itself; run git lfs pull
END
    expect 3 "$KILN" bake - --format $format -o p.kiln
done
"$KILN" bake - --format obj -o p.kiln <p.obj 2>said && case_fail 'taken from standard input'
grep -q 'a Git LFS pointer' said || case_fail "$(cat said)"
pointer painted.mtl
expect 3 "$KILN" bake painted.obj -o p.kiln
says err 'kiln: painted.obj: refers to "painted.mtl", a Git LFS pointer and not the file itself; run git lfs pull'
cp "$top/models/tiny/painted.mtl" .
expect 0 "$KILN" bake painted.obj -o p.kiln
pointer painted.mtl
expect 3 "$KILN" bake painted.obj -o p.kiln --if-changed
pointer box.bin
printf '{"asset":{"version":"2.0"},"buffers":[{"uri":"box.bin","byteLength":36}],"bufferViews":[{"buffer":0,"byteLength":36}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":[{"mesh":0}],"scenes":[{"nodes":[0]}],"scene":0}' >box.gltf
expect 3 "$KILN" bake box.gltf -o box.kiln
says err 'refers to "box.bin", a Git LFS pointer'
[ ! -e box.kiln ] || case_fail 'baked'
case_end

cases_end
