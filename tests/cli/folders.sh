#!/bin/sh
# A folder as an input: every model in it and below, in order, with its folders; what is no model is counted, and no
# link leads anywhere. Folders for outputs are made with those above them, for one output as for many.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
unset MAKEFLAGS

tiny=$PWD/models/tiny
mkdir -p "$TMPDIR/f/w/as/h/deep" "$TMPDIR/f/w/as/z" "$TMPDIR/f/w/as/.hidden" "$TMPDIR/f/w/bare"
cd "$TMPDIR/f/w" || exit 1
cp "$tiny/cube.obj" as/h/deep/c.obj
cp "$tiny/cube.obj" as/z/B.OBJ
cp "$tiny/tetrahedron.obj" as/z/B.x.obj
cp "$tiny/painted.obj" "$tiny/painted.mtl" as
cp "$tiny/cube.obj" as/.hidden/no.obj
cp "$tiny/cube.obj" as/.no.obj
echo text >as/notes.txt
echo text >as/none
echo text >bare/notes.txt

case_begin 'a folder stands for its models, in order, with their folders'
exact 0 "$KILN" bake as -o out -j1 -v --progress none --dry-run <<'END'
out/h/deep/c.kiln: would be baked from as/h/deep/c.obj
out/painted.kiln: would be baked from as/painted.obj
out/z/B.kiln: would be baked from as/z/B.OBJ
out/z/B.x.kiln: would be baked from as/z/B.x.obj
stderr:
kiln: as: not baked: 3 files of formats that are not read, 2 hidden names
kiln: a dry run: 4 to be baked; nothing was written
END
for spelling in as as/ ./as "$PWD/as" as/../as//; do
    expect 0 "$KILN" bake "$spelling" -o out
    (cd out && find . -type f | LC_ALL=C sort) >"$TMPDIR/found"
    printf '%s\n' ./h/deep/c.kiln ./painted.kiln ./z/B.kiln ./z/B.x.kiln | cmp -s - "$TMPDIR/found" ||
        case_fail "$spelling: $(cat "$TMPDIR/found")"
    "$KILN" bake -q as/painted.obj -o one.kiln && same one.kiln out/painted.kiln
    rm -r out one.kiln
done
(cd as && "$KILN" bake . -o ../out -q) || case_fail 'the working folder'
[ -f out/h/deep/c.kiln ] || case_fail 'the working folder: no output'
rm -r out
case_end

case_begin 'folders and files together, in lists and plans, flat or as a tree'
expect 0 "$KILN" bake as/h "$tiny/tetrahedron.obj" -o out -q
[ -f out/deep/c.kiln ] && [ -f out/tetrahedron.kiln ] || case_fail "$(find out)"
rm -r out
printf 'as/h\nas/z/B.OBJ\n' >list
expect 0 "$KILN" bake @list -o out -q
[ -f out/deep/c.kiln ] && [ -f out/B.kiln ] || case_fail "$(find out)"
rm -r out
expect 0 "$KILN" bake as -o out -q --folders flat
[ -f out/c.kiln ] && [ -f out/B.x.kiln ] || case_fail "$(find out)"
rm -r out
expect 0 "$KILN" bake as -o out -q --folders tree
[ -f out/as/h/deep/c.kiln ] && [ -f out/as/painted.kiln ] || case_fail "$(find out)"
rm -r out
expect 0 "$KILN" plan as -o out
says out 'build out/h/deep/c.kiln: bake as/h/deep/c.obj'
expect 0 "$KILN" bake as -o out --dump-config
says out '"out/z/B.x.kiln"'
expect 0 "$KILN" bake as/h -o out --json
says out '"count": 1'
rm -r out
cp as/z/B.x.obj as/z/B.off
expect 1 "$KILN" bake as as/z -o out -q
cp as/z/B.OBJ as/z/B.stl
expect 1 "$KILN" bake as -o out
says err "would both be written to 'out/z/B.kiln'"
[ ! -e out ] || case_fail 'something was written'
rm as/z/B.off as/z/B.stl
case_end

case_begin 'a folder in a manifest: its models, as by a pattern, and what is left out is counted'
# made FOLDER NAME...: what a bake has put there.
made() {
    (cd "$1" && find . -type f | LC_ALL=C sort) >"$TMPDIR/found"
    rm -r "$1"
    shift
    printf '%s\n' "$@" | cmp -s - "$TMPDIR/found" || case_fail "$* expected: $(cat "$TMPDIR/found")"
}
for spelling in as as/ ./as "$PWD/as"; do
    printf 'kiln: 1\noutput: out\nassets: ["%s"]\n' "$spelling" >m.yaml
    expect 0 "$KILN" bake -m m.yaml -o out
    says err 'not baked: 3 files of formats that are not read, 2 hidden names'
    case $spelling in
    /*) rm -r out ;;
    *) made out ./as/h/deep/c.kiln ./as/painted.kiln ./as/z/B.kiln ./as/z/B.x.kiln ;;
    esac
    printf 'kiln: 1\noutput: out\nassets: [{path: "%s", exclude: "%s/**/B*", output: sub/}]\n' "$spelling" \
        "${spelling%/}" >m.yaml
    expect 0 "$KILN" bake -m m.yaml -q --folders flat
    made out ./sub/c.kiln ./sub/painted.kiln
done
# "exclude" with and without the "./" of the path.
for names in 'as ./as/z/*' './as as/z/*' '. as/z/*'; do
    printf 'kiln: 1\noutput: out\nassets: [{path: "%s", exclude: "%s"}]\n' ${names% *} "${names#* }" >as/../m.yaml
    [ "${names% *}" = . ] && mkdir here && cp -r as here && mv m.yaml here/m.yaml && names=here
    (
        [ "$names" != here ] || cd here || exit 1
        expect 0 "$KILN" bake -m m.yaml -q
        made out ./as/h/deep/c.kiln ./as/painted.kiln
    )
done
rm -rf here
mkdir 'b[1]' && cp as/z/B.OBJ 'b[1]/x.obj'
printf 'kiln: 1\noutput: out\nassets: ["b[1]"]\n' >m.yaml
expect 0 "$KILN" bake -m m.yaml -q
made out './b[1]/x.kiln'
printf 'kiln: 1\noutput: out\nassets: [as, bare]\n' >m.yaml
expect 2 "$KILN" bake -m m.yaml
says err "m.yaml:3:14: 'bare' has no model of a format that is read"
[ ! -e out ] || case_fail 'something was written'
expect 0 "$KILN" bake -m m.yaml -q --allow-empty
made out ./as/h/deep/c.kiln ./as/painted.kiln ./as/z/B.kiln ./as/z/B.x.kiln
expect 0 "$KILN" plan -m m.yaml --allow-empty
says out 'build out/as/h/deep/c.kiln: bake as/h/deep/c.obj'
rm -r 'b[1]' m.yaml
case_end

case_begin 'exclude compares files, not spellings; a name that leaves nothing out is reported'
mkdir -p away "b[1]" && cp as/z/B.OBJ 'b[1]/q[1].obj'
# leaves PATH EXCLUDE NAME...: what a dry run of the manifest in away/ would bake.
leaves() {
    printf 'kiln: 1\noutput: out\nassets: [{path: "%s", exclude: "%s"}]\n' "$1" "$2" >away/m.yaml
    "$KILN" bake -m away/m.yaml -n --allow-empty 2>err | sed -n 's/.* baked from //p' | sed 's|.*/||' | LC_ALL=C sort |
        tr '\n' ' ' >"$TMPDIR/left"
    [ "$(cat "$TMPDIR/left")" = "$3" ] || case_fail "$1 without $2: $(cat "$TMPDIR/left" err)"
}
for path in ../as "$PWD/as" ../away/../as/ ./..//as; do
    for from in ../as ".././as" "$PWD/as" "$PWD/away/../as" "../away//../as"; do
        leaves "$path" "$from/z/*" 'c.obj painted.obj '
        leaves "$path" "$from/z" 'c.obj painted.obj '
        leaves "$path" "$from/?/" 'painted.obj '
        leaves "$path" "$from/**/B*" 'c.obj painted.obj '
        leaves "$path" "$from/z/B.OBJ" 'B.x.obj c.obj painted.obj '
        leaves "$path" "$from" ''
        leaves "$path" "$from/x*" 'B.OBJ B.x.obj c.obj painted.obj '
        [ ! -s err ] || ! grep exclude err || case_fail 'a pattern may match nothing'
        leaves "$path" "$from/z/misspelt.obj" 'B.OBJ B.x.obj c.obj painted.obj '
        grep -q 'misspelt.obj: exclude: leaves out nothing' err || case_fail "no word of a name: $(cat err)"
    done
done
leaves '../b[1]' '../b[1]/q[1].obj' ''
leaves '../b[1]' '../b[1]' ''
leaves "/$PWD/as" '../../../../../../../../../../../../../../../../**' ''
printf 'kiln: 1\noutput: out\nassets: [{path: ../as, exclude: "../**/../z"}]\n' >away/m.yaml
expect 3 "$KILN" bake -m away/m.yaml -n
says err "m.yaml:3:34: '../**/../z' can't be compared"
rm -r away 'b[1]'
case_end

case_begin 'a JUnit report in the folder is no model, though Ogre has models in XML'
printf 'kiln: 1\noutput: out\nassets: [as]\n' >m.yaml
for run in 1 2; do
    expect 0 "$KILN" bake as -o out --junit as/report.xml
    expect 0 "$KILN" bake as -o out --junit as/z/REPORT.XML
    expect 0 "$KILN" bake -m m.yaml --junit as/report.xml
done
says err 'as: not baked: 5 files of formats that are not read, 2 hidden names'
printf '<mesh/>\n' >as/ogre.xml
: >as/empty.xml
expect 1 "$KILN" bake as -o out --junit as/ogre.xml
expect 3 "$KILN" bake as -o out
says err 'kiln: failed: as/ogre.xml'
says err 'kiln: failed: as/empty.xml'
rm -r as/*.xml as/z/REPORT.XML m.yaml out
case_end

case_begin 'links: those to files count, those to folders are not followed, and every walk ends'
ln -s .. as/z/up
ln -s . as/h/here
ln -s ../.. as/h/deep/root
ln -s nothing as/gone.obj
ln -s self.obj as/self.obj
ln -s z/B.OBJ as/linked.obj
mkfifo as/pipe.obj
exact 0 "$KILN" bake as -o out --dry-run <<'END'
out/h/deep/c.kiln: would be baked from as/h/deep/c.obj
out/linked.kiln: would be baked from as/linked.obj
out/painted.kiln: would be baked from as/painted.obj
out/z/B.kiln: would be baked from as/z/B.OBJ
out/z/B.x.kiln: would be baked from as/z/B.x.obj
stderr:
kiln: as: not baked: 3 files of formats that are not read, 2 hidden names, 3 links to folders, 2 links to nothing, 1 device, pipe or socket
kiln: a dry run: 5 to be baked; nothing was written
END
ln -s as link
expect 0 "$KILN" bake link -o out -q
[ -f out/h/deep/c.kiln ] || case_fail 'a link that is named as the folder'
rm -r out as/z/up as/h/here as/h/deep/root as/*.obj link
case_end

case_begin 'a folder without models, and one that can not be looked into'
exact 2 "$KILN" bake bare -o out <<'END'
stderr:
kiln: bare: not baked: 1 file of a format that is not read
kiln: bare: has no model of a format that is read (kiln bake --formats); check it, or give --allow-empty
END
expect 0 "$KILN" bake bare -o out --allow-empty --json
says out '"count": 0'
expect 1 "$KILN" bake as -o -
says err 'standard output takes one input, and no folder'
if [ "$(id -u)" -ne 0 ]; then
    chmod 0 as/h/deep
    expect 2 "$KILN" bake as -o out
    says err "as/h/deep: can't be searched; Permission denied"
    chmod 755 as/h/deep
fi
[ ! -e out ] || case_fail 'something was written'
case_end

case_begin 'a folder too deep for a stack'
(
    mkdir far && cd far || exit 1
    i=0
    while [ $i -lt 60 ]; do
        mkdir -p d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d && cd d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d || exit 1
        i=$((i + 1))
    done
    cp "$tiny/cube.obj" c.obj
)
(ulimit -s 256 && "$KILN" bake far -o out -n -q) || case_fail 'does not end well'
rm -rf far
case_end

case_begin 'folders of one output, of a depfile and of a cache are made, as those of many'
model=as/z/B.OBJ
cp "$tiny/cube.obj" cube.obj
expect 0 "$KILN" bake -q cube.obj -o a/b/c.kiln --depfile d/e/f --cache g/h
[ -f a/b/c.kiln ] && [ -f d/e/f ] && [ -f g/h/CACHEDIR.TAG ] || case_fail "$(find . -name '[a-h]')"
expect 0 "$KILN" bake -q cube.obj -o i/j/ --if-changed
[ -f i/j/cube.kiln ] || case_fail 'a folder with a slash'
expect 0 "$KILN" bake -q "$model" cube.obj -o k/l --depfile k/m/n
[ -f k/l/B.kiln ] && [ -f k/m/n ] || case_fail 'a folder of two'
"$KILN" bake -q cube.obj -o - | cmp -s - a/b/c.kiln || case_fail 'standard output'
: >file
for output in file/x.kiln file/y/x.kiln; do
    exact 2 "$KILN" bake cube.obj -o $output <<'END'
stderr:
kiln: file: is a file, where a folder is to be; move it, or name another folder
END
done
expect 2 "$KILN" bake cube.obj -o x.kiln --depfile file/d
[ ! -e x.kiln ] && [ ! -s file ] || case_fail 'something was written'
case_end

cases_end
