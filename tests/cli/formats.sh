#!/bin/sh
# The table of formats: one in code, repeated by README.md and the manual; who reads each; and the warning of those that
# nobody checks.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

importers=$(dirname "$KILN")/libexec/kiln
top=$(pwd)
cp models/tiny/cube.obj "$TMPDIR"
cd "$TMPDIR" || exit 1
printf 'p 3\n0 0 0\n1 0 0\n0 1 0\n' >one.nff

case_begin 'kiln bake --formats'
expect 0 "$KILN" bake --formats
silent err
grep -c '^  ' out | grep -qx "$(awk '/^  / { print $1 }' out | sort -u | wc -l)" || case_fail 'a format stands there twice'
awk '/^[^ ]/ { n++ } /^  / { print n, $1 }' out >table
grep -qx '1 obj' table && grep -qx '1 fbx' table && grep -qx '2 3ds' table || case_fail 'known formats are not there'
expect 0 "$KILN" bake --formats --json
awk -F'"' '/"extension"/ { e = $4 } /"read"/ { print ($4 == "own" ? 1 : 2), e }' out >by_json
same table by_json
expect 1 "$KILN" bake --formats cube.obj -o x.kiln
says err '--formats takes no input'
case_end

case_begin 'README.md has the same table'
awk -F'|' '/^## Formats of models/ { on = 1 } /^## When/ { on = 0 }
    on && /^\| by / { n++; split($3, list, " "); for (i = 1; i in list; i++) print n, list[i] }' "$top/README.md" >readme
same table readme
case_end

case_begin 'each format of our own has a reader, and only these'
: >empty
: >no
while read -r kind extension; do
    own=$importers/kiln-import
    case $extension in gltf | glb | vrm) own=$own-gltf ;; esac
    expect 3 "$own" "--format=$extension" empty
    printf 'x\n' >some
    "$own" "--format=$extension" some >out 2>err
    if grep -q 'has no reader' err; then has=no; else has=yes; fi
    [ "$kind" = 1 ] || { "$importers/kiln-import-assimp" "--format=$extension" some 2>&1 | grep 'no reader for'; } >no
    [ ! -s no ] || case_fail "Assimp does not read $extension"
    case $kind$has in
    1yes | [23]no) ;;
    *) case_fail "$extension: $kind, reader: $has" ;;
    esac
done <table
case_end

case_begin 'formats that nobody checks: a warning at each bake, which --strict refuses'
exact 0 "$KILN" bake one.nff -o one.kiln <<'END'
stderr:
kiln: one.nff: warning: "nff" files are read by Assimp, unchecked; compare the result with the model, or convert it to glTF, OBJ, PLY or STL
END
rm one.kiln
expect 3 "$KILN" bake -q one.nff -o one.kiln --strict
says err '"nff" files are read by Assimp, unchecked'
[ ! -e one.kiln ] || case_fail 'something was written'
expect 0 "$KILN" bake -q cube.obj -o cube.kiln --strict
silent err
case_end

cases_end
