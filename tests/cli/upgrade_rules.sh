#!/bin/sh
# Rules of plans and of the examples bake again after kiln or a program of it was replaced, by a newer file or by an
# installation that keeps old times; an output that this does not change is not written, and the next build does nothing.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
unset MAKEFLAGS

top=$PWD
mkdir -p "$TMPDIR/u/prefix/bin" "$TMPDIR/u/prefix/libexec/kiln" "$TMPDIR/u/w"
cp "$KILN" "$TMPDIR/u/prefix/bin/kiln"
cp "$(dirname "$KILN")"/libexec/kiln/kiln-import* "$TMPDIR/u/prefix/libexec/kiln"
cd "$TMPDIR/u/w" || exit 1
prefix=../prefix
program=$(realpath $prefix/bin/kiln)
cp "$top/models/tiny/cube.obj" "$top/models/tiny/painted.obj" "$top/models/tiny/painted.mtl" .

# replaced HOW: another file of the same bytes comes in the place of a program.
replaced() {
    sleep 0.02
    case $1 in
    kiln) cp $prefix/bin/kiln ../new && mv ../new $prefix/bin/kiln ;;
    importer) cp $prefix/libexec/kiln/kiln-import ../new && mv ../new $prefix/libexec/kiln/kiln-import ;;
    old) # as a package brings it: with the time at which it was made
        cp $prefix/libexec/kiln/kiln-import ../new && touch -d 2001-01-01 ../new &&
            mv ../new $prefix/libexec/kiln/kiln-import ;;
    esac
}
# idle BUILDER: a build that does nothing.
idle() {
    expect 0 "$@"
    grep -q 'bake .*cube' "$TMPDIR/out" && case_fail "$2: baked again: $(cat "$TMPDIR/out")"
}
# rebuilds COMMAND...: after each kind of replacement the rules run once, and no output is another file.
rebuilds() {
    expect 0 "$@"
    idle "$@"
    for how in kiln importer old; do
        inode=$(find . -name 'cube.kiln' -printf %i)
        replaced $how
        expect 0 "$@"
        says out "cube.obj"
        [ "$inode" = "$(find . -name 'cube.kiln' -printf %i)" ] || case_fail "$how: an output was replaced"
        idle "$@"
    done
}

case_begin 'make'
"$program" plan --format make cube.obj painted.obj -o out >Makefile
rebuilds make "KILN=$program"
rm -r out
"$program" plan --format make cube.obj painted.obj -o out | KILN=$program make -s -f - || case_fail 'from standard input'
rm -rf out
case_end

case_begin 'ninja'
if command -v ninja >/dev/null; then
    "$program" plan --format ninja cube.obj painted.obj -o out | sed "s|^kiln = .*|kiln = $program|" >build.ninja
    rebuilds ninja -v
    case_end
else
    case_skip 'no ninja'
fi

case_begin 'a program that is gone stops no build; a folder that no rule can name is left out'
mv $prefix/libexec/kiln/kiln-import-assimp ../kept
rm -rf out
"$program" plan --format make cube.obj painted.obj -o out >Makefile
expect 0 make "KILN=$program"
mkdir '../other|prefix'
cp -r $prefix/* '../other|prefix'
mv ../prefix/bin/kiln ../away
expect 0 make "KILN='$PWD/../other|prefix/bin/kiln'"
grep -q '|' out/cube.kiln.d && case_fail 'a name that make reads otherwise'
idle make "KILN='$PWD/../other|prefix/bin/kiln'"
case_end

case_begin 'only where it is wanted, and with a depfile'
expect 0 "$KILN" bake -q cube.obj -o x.kiln --depfile d
grep -q libexec d && case_fail 'programs without being wanted'
expect 0 "$KILN" bake -q cube.obj -o x.kiln --depfile d --depfile-programs
[ "$(grep -c 'kiln-import:$' d)" = 1 ] || case_fail "$(cat d)"
expect 0 "$KILN" bake -q cube.obj -o x.kiln --depfile d --depfile-programs --if-changed
expect 1 "$KILN" bake -q cube.obj -o x.kiln --depfile-programs
says err '--depfile-programs needs --depfile'
printf 'kiln: 1\nassets: [cube.obj]\n' >kiln.yaml
expect 0 "$KILN" bake -q -o m --depfile m.d --depfile-programs
grep -q 'kiln-import:$' m.d || case_fail 'not of a manifest'
case_end

cases_end
