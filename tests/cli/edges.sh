#!/bin/sh
# The command at its edges: one file by several names, disks that take two names for one, texts that are
# nearly manifests, caches that are none, folders that are files, closed descriptors, links to nowhere.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
unset MAKEFLAGS

mkdir -p "$TMPDIR/w/e"
cp models/tiny/cube.obj models/tiny/tetrahedron.obj models/tiny/painted.obj models/tiny/painted.mtl \
    models/tiny/nan.obj "$TMPDIR/w/e"
cd "$TMPDIR/w/e" || exit 1
cp -r . ../before

# untouched: every file is what it was, and no other is there.
untouched() {
    diff -r ../before . >"$TMPDIR/differs" || case_fail "it touched files: $(cat "$TMPDIR/differs")"
}

# usage TEXT...: standard error has just that, and the hint.
usage() {
    printf 'kiln: bake: %s\nTry: kiln bake --help\n' "$1" | exactly err
}

# ------------------------------------------------------------------------------- one file, two names

case_begin 'an output that is an input by another name: hard link, symbolic link, detour'
ln cube.obj hard.kiln
ln -s cube.obj soft.kiln
mkdir sub
expect 1 "$KILN" bake cube.obj -o hard.kiln
usage "the output 'hard.kiln' is the input 'cube.obj' by another name"
expect 1 "$KILN" bake cube.obj -o soft.kiln
usage "the output 'soft.kiln' is the input"
expect 1 "$KILN" bake cube.obj -o ./sub/../cube.obj
usage "the output './sub/../cube.obj' is the input"
printf 'kiln: 1\nassets:\n  - {path: tetrahedron.obj, output: hard.kiln}\n  - cube.obj\n' >m.yaml
expect 1 "$KILN" bake -m m.yaml
usage "the output 'hard.kiln' is the input 'cube.obj' by another name"
expect 1 "$KILN" bake cube.obj -o x.kiln --depfile hard.kiln
usage "the depfile 'hard.kiln' is an input or an output"
rm -r hard.kiln soft.kiln sub m.yaml
untouched
case_end

case_begin 'an output that is a side file, by any name; a depfile that is one'
ln painted.mtl hard.kiln
ln -s painted.mtl soft.kiln
for output in hard.kiln soft.kiln; do
    expect 1 "$KILN" bake painted.obj -o $output
    exactly err <<END_OF_TEXT
kiln: $output: would be replaced; it is no kiln file; name another output, or remove it first
END_OF_TEXT
done
rm hard.kiln soft.kiln
expect 1 "$KILN" bake painted.obj -o ../x.kiln --depfile painted.mtl
exactly err <<'END_OF_TEXT'
kiln: painted.mtl: would be replaced; it is no depfile of kiln; name another output, or remove it first
END_OF_TEXT
untouched
case_end

case_begin 'a depfile that can not be written is told before the bake'
expect 2 "$KILN" bake nan.obj -o ../x.kiln --depfile cube.obj/d
exactly err <<'END_OF_TEXT'
kiln: cube.obj/d: can't be written; Not a directory; check the path and its permissions
END_OF_TEXT
expect 0 "$KILN" bake cube.obj tetrahedron.obj -o ../made --depfile ../made/d
[ -s ../made/d ] || case_fail 'no depfile in a folder that is made'
rm -r ../made
untouched
case_end

case_begin 'what is there and is no kiln file is not replaced'
expect 1 "$KILN" bake -o cube.obj tetrahedron.obj
exactly err <<'END_OF_TEXT'
kiln: cube.obj: would be replaced; it is no kiln file; name another output, or remove it first
END_OF_TEXT
printf 'kiln: 1\nassets:\n  - cube.obj\n  - {path: tetrahedron.obj, output: painted.mtl}\n' >m.yaml
expect 1 "$KILN" bake -m m.yaml
says err 'kiln: painted.mtl: would be replaced; it is no kiln file'
rm m.yaml
untouched
: >new
expect 0 "$KILN" bake cube.obj -o new
expect 0 "$KILN" bake cube.obj -o new --leaf 2
expect 0 "$KILN" bake cube.obj -o new
expect 1 "$KILN" unpack new -o cube.obj
says err 'kiln: cube.obj: would be replaced; it is no kiln file'
head -c 100 new >new.kiln
expect 0 "$KILN" bake cube.obj -o new.kiln
same new.kiln new
rm new new.kiln
untouched
case_end

case_begin 'a hard link of an earlier output keeps the earlier bytes'
expect 0 "$KILN" bake cube.obj -o out.kiln
cp out.kiln old
ln out.kiln backup.kiln
expect 0 "$KILN" bake cube.obj -o out.kiln --leaf 1
same old backup.kiln
cmp -s old out.kiln && case_fail 'nothing was baked'
rm old out.kiln backup.kiln
case_end

case_begin 'two names that the disk takes for one: told, and the first stays'
mkdir -p out/A out/a
if mount --bind out/A out/a 2>"$TMPDIR/why"; then
    printf 'kiln: 1\noutput: out\nassets:\n%s\n%s\n' '  - {path: cube.obj, output: A/x.kiln}' \
        '  - {path: tetrahedron.obj, output: a/x.kiln}' >m.yaml
    expect 2 "$KILN" bake -m m.yaml -j1
    exactly err <<'END_OF_TEXT'
kiln: out/a/x.kiln: is 'out/A/x.kiln' by another name, which this run has made; the disk takes both names for one file; give one of them another
kiln: failed: tetrahedron.obj
kiln: 1 baked, 1 failed in T s; N read, N written
END_OF_TEXT
    expect 0 "$KILN" bake cube.obj -o alone.kiln
    same alone.kiln out/A/x.kiln
    rm out/A/x.kiln
    expect 2 "$KILN" bake -m m.yaml -j1 --max-memory 1G
    says err "kiln: out/a/x.kiln: is 'out/A/x.kiln' by another name"
    same alone.kiln out/A/x.kiln
    expect 1 "$KILN" bake -m m.yaml -j1
    usage "the outputs 'out/A/x.kiln' and 'out/a/x.kiln' are one file by two names"
    umount out/a
    rm -r out m.yaml alone.kiln
    untouched
    case_end
else
    rm -r out
    case_skip "mounting a folder on another is not permitted: $(cat "$TMPDIR/why")"
fi

# ------------------------------------------------------------------------------- nearly a manifest

case_begin 'manifests that would be read otherwise than they look'
# refused STATUS LINE:COLUMN TEXT MANIFEST
refused() {
    # shellcheck disable=SC2059
    printf "$4" >../m.yaml
    expect "$1" "$KILN" bake -m ../m.yaml -o ../out
    printf 'kiln: ../m.yaml:%s: %s\n' "$2" "$3" | exactly err
}
second='a second document begins here; a manifest is one; give each a file of its own'
cp cube.obj ..
list='kiln: 1\nassets: [cube.obj]\n'
refused 3 3:1 "$second" "$list---\nkiln: 1\n"
refused 3 3:1 "$second" "$list---\n"
refused 3 4:1 "$second" "$list...\nassets: []\n"
refused 3 3:1 "$second" "$list---\n[\n"
refused 3 2:1 'duplicate key' 'kiln: 1\nkiln: 1\n'
refused 3 2:21 'duplicate key' 'kiln: 1\ndefaults: {leaf: 1, leaf: 2}\nassets: [cube.obj]\n'
refused 3 2:12 '<< takes a mapping, or a list of mappings' 'kiln: 1\ndefaults: {<<: leaf}\nassets: [cube.obj]\n'
refused 3 2:15 'mappings merge each other more than 16 deep; is one merged into itself?' \
    'kiln: 1\ndefaults: &a {<<: *a}\nassets: [cube.obj]\n'
refused 3 2:13 "an asset has no option '<<'; see kiln bake --help" \
    'kiln: 1\ndefaults: {"<<": {leaf: 2}}\nassets: [cube.obj]\n'
refused 3 2:12 "an asset has no option 'leef'; did you mean leaf?" \
    'kiln: 1\ndefaults: {leef: 2}\nassets: [cube.obj]\n'
refused 3 2:11 'the alias has no anchor before it; check its name' 'kiln: 1\nassets: [*it]\n'
refused 3 2:16 "a manifest has no tags such as '!mine'; leave it out" 'kiln: 1\nassets: [!mine a]\n'
refused 3 3:1 'tab character may not be used as indentation' 'kiln: 1\nassets:\n\t- cube.obj\n'
refused 3 3:1 'there is a zero byte; save it as UTF-8 text' "$list"'\0'
refused 3 2:11 'is not UTF-8 from here on; save it as UTF-8' 'kiln: 1\nassets: [\303\251\377]\n'
refused 3 1:1 'is not UTF-8 from here on; save it as UTF-8' '\377\376k\0'
for number in 010 0o10 0x4 1_0; do
    refused 3 2:18 "leaf takes a decimal number, not '$number'" \
        "kiln: 1\ndefaults: {leaf: $number}\nassets: [cube.obj]\n"
done
refused 3 2:18 "leaf takes a whole number, not '4.0'" 'kiln: 1\ndefaults: {leaf: 4.0}\nassets: [cube.obj]\n'
refused 3 2:19 "scale takes a decimal number, not '0x1p3'" \
    'kiln: 1\ndefaults: {scale: 0x1p3}\nassets: [cube.obj]\n'
for word in yes no on off y; do
    refused 3 2:20 "strict takes true or false, not '$word'" \
        "kiln: 1\ndefaults: {strict: $word}\nassets: [cube.obj]\n"
done
for nothing in null '~' '""'; do
    column=9
    [ "$nothing" = '""' ] && column=10 # of what is between the quotes
    refused 3 2:$column 'output takes a text that is not empty' "kiln: 1\noutput: $nothing\nassets: [cube.obj]\n"
done
[ ! -e ../out ] || case_fail 'something was written'
case_end

case_begin 'manifests that are read as they look: a mark, CR and LF, an end, quotes'
# taken MANIFEST: it bakes cube.obj with leaves of 2.
taken() {
    # shellcheck disable=SC2059
    printf "$1" >../m.yaml
    expect 0 "$KILN" bake -m ../m.yaml -o ../out
    silent err
    same ../out/cube.kiln ../two.kiln
    rm -rf ../out
}
expect 0 "$KILN" bake ../cube.obj -o ../two.kiln --leaf 2
taken '\357\273\277kiln: 1\ndefaults: {leaf: 2}\nassets: [cube.obj]\n'
taken 'kiln: 1\r\ndefaults: {leaf: 2}\r\nassets: [cube.obj]\r\n'
taken '%%YAML 1.2\n---\nkiln: 1\ndefaults: {leaf: 2}\nassets: [cube.obj]\n...\n'
taken 'kiln: 1\ndefaults: {leaf: "2"}\nassets: ["cube.obj"]\n'
taken 'kiln: 1\ndefaults: &d {leaf: 2}\nassets:\n- {path: cube.obj, options: *d}\n'
case_end

case_begin 'aliases of aliases stay one line of text each'
awk 'BEGIN {
    print "kiln: 1\nassets:\n- path: &a0 [x, x, x, x, x, x, x, x, x, x]"
    for (i = 1; i < 40; i++) {
        printf "- path: &a%d [", i
        for (k = 0; k < 10; k++) printf "*a%d,", i - 1
        print "]"
    }
}' >../m.yaml
expect 3 "$KILN" bake -m ../m.yaml -o ../out
says err '../m.yaml:4:'
case_end

case_begin 'what comes to no asset is an error, unless it may'
# empty PLACE TEXT MANIFEST
empty() {
    # shellcheck disable=SC2059
    printf "$3" >../m.yaml
    expect 1 "$KILN" bake -m ../m.yaml -o ../out
    printf 'kiln: ../m.yaml:%s: %s; check it, or give --allow-empty\n' "$1" "$2" | exactly err
    expect 0 "$KILN" bake -m ../m.yaml -o ../out --allow-empty
    silent err
}
empty 2:9 'assets lists none' 'kiln: 1\nassets: []\n'
empty 2:17 'path names no file' 'kiln: 1\nassets: [{path: []}]\n'
empty 2:37 'exclude leaves no file' "kiln: 1\nassets: [{path: cube.obj, exclude: 'c*'}]\n"
printf "kiln: 1\nassets: ['*.stl']\n" >../m.yaml
expect 2 "$KILN" bake -m ../m.yaml -o ../out
echo "kiln: ../m.yaml:2:11: '*.stl' matches no file; check the pattern" | exactly err
expect 0 "$KILN" bake -m ../m.yaml -o ../out --allow-empty
: >../list
expect 1 "$KILN" bake @../list -o ../out
echo 'kiln: ../list: lists no input; check it, or give --allow-empty' | exactly err
expect 1 "$KILN" plan @../list -o ../out
expect 0 "$KILN" plan @../list -o ../out --allow-empty
expect 0 "$KILN" bake @../list -o ../out --allow-empty --json
says out '"files": []'
says out '"count": 0'
[ ! -e ../out ] || case_fail 'something was made'
case_end

case_begin 'a batch of one is reported as a batch'
echo cube.obj >../list
printf 'kiln: 1\nassets: [cube.obj]\n' >../m.yaml
for input in '@../list' '-m ../m.yaml'; do
    # shellcheck disable=SC2086
    expect 0 "$KILN" bake $input -o ../out --json
    says out '"files": ['
    says out '"count": 1'
done
expect 0 "$KILN" bake cube.obj -o ../out --json
grep -q '"files"' "$TMPDIR/out" && case_fail 'one file is a batch'
rm -r ../out
case_end

# ------------------------------------------------------------------------------- folders and caches

case_begin 'an output folder that is a file, or below one: said once, before anything is baked'
printf 'kiln: 1\nassets: [cube.obj, tetrahedron.obj, nan.obj]\n' >m.yaml
: >../file
for folder in ../file ../file/deeper; do
    expect 2 "$KILN" bake -m m.yaml -o $folder
    echo 'kiln: ../file: is a file, where a folder is to be; move it, or name another folder' |
        exactly err
    expect 2 "$KILN" bake -m m.yaml -o $folder --json
    says out '"status": 2'
done
rm m.yaml
[ ! -s ../file ] || case_fail 'the file is another'
untouched
case_end

case_begin 'a cache that can not be used is said once, and the bake goes on'
expect 0 "$KILN" bake cube.obj -o ../plain.kiln
for cache in ../file /proc/nowhere; do
    expect 0 "$KILN" bake cube.obj tetrahedron.obj -o ../out --cache $cache
    case $cache in
    ../file) echo "kiln: $cache: not kept: is a file, where a folder is to be; move it, or name another folder" ;;
    *) echo "kiln: $cache: not kept: the folder can't be made; No such file or directory; check the path and its permissions" ;;
    esac >"$TMPDIR/said"
    echo 'kiln: 2 baked in T s; N read, N written' >>"$TMPDIR/said"
    exactly err "$TMPDIR/said"
    same ../out/cube.kiln ../plain.kiln
    rm -r ../out
done
case_end

case_begin 'entries of a cache that are cut short, of another, a pipe or a link: no hit, and no harm'
expect 0 "$KILN" bake cube.obj -o ../out.kiln --cache ../cache
entry=$(echo ../cache/??/*-p.kiln)
# spoilt: what is baked now is right, and the entry is whole again.
spoilt() {
    expect 0 "$KILN" bake cube.obj -o ../out.kiln --cache ../cache --json
    says out '"outcome": "baked"'
    same ../out.kiln ../plain.kiln
}
head -c 900 ../plain.kiln >"$entry"
spoilt
same "$entry" ../plain.kiln
"$KILN" bake tetrahedron.obj -o "$entry"
spoilt
same "$entry" ../plain.kiln
: >"$entry"
spoilt
rm "$entry"
mkfifo "$entry"
spoilt
says err 'is no regular file; remove it'
rm "$entry"
cp cube.obj ../victim
ln -s "$(pwd)/../victim" "$entry"
spoilt
same cube.obj ../victim
rm "$entry"
mkdir "$entry"
spoilt
rm -r ../cache
case_end

# ------------------------------------------------------------------------------- names, links, descriptors

case_begin 'links to nowhere are followed, circles are told, before the bake'
ln -s ../elsewhere.kiln dangling
expect 0 "$KILN" bake cube.obj -o dangling
silent err
[ -L dangling ] || case_fail 'the link was replaced'
same ../elsewhere.kiln ../plain.kiln
ln -s round.a round.b
ln -s round.b round.a
expect 2 "$KILN" bake cube.obj -o round.a
exactly err <<'END_OF_TEXT'
kiln: round.a: can't be written; Too many levels of symbolic links; mend the link
END_OF_TEXT
ln -s nowhere/x.kiln lost
expect 2 "$KILN" bake cube.obj -o lost
exactly err <<'END_OF_TEXT'
kiln: lost: can't be written; No such file or directory; check the path and its permissions
END_OF_TEXT
rm dangling round.a round.b lost
untouched
case_end

case_begin 'a name too long is told before the bake; the longest is none'
long=$(printf '%0250d' 0)
expect 0 "$KILN" bake cube.obj -o "../$long.kiln"
expect 2 "$KILN" bake nan.obj -o "../${long}0.kiln"
echo "kiln: ../${long}0.kiln: can't be written; File name too long; give a shorter one" |
    exactly err
cp cube.obj -- -x.obj
expect 0 "$KILN" bake -o ../x.kiln -- -x.obj
rm -- -x.obj
untouched
case_end

case_begin 'closed descriptors: no file takes their place, and what could not be said is an error'
rm -f ../x.kiln
"$KILN" bake cube.obj -o ../x.kiln <&- >&- 2>&- || case_fail "status $?"
same ../x.kiln ../plain.kiln
rm ../x.kiln
"$KILN" bake nan.obj -o ../x.kiln <&- >&- 2>&-
[ $? -eq 3 ] && [ ! -e ../x.kiln ] || case_fail 'a bad model'
for words in 'info ../plain.kiln' 'bake cube.obj -o -' 'bake cube.obj -o ../x.kiln --json' --version; do
    # shellcheck disable=SC2086
    "$KILN" $words >&- 2>"$TMPDIR/err"
    [ $? -eq 2 ] || case_fail "$words: not status 2"
    says err 'standard output'
done
"$KILN" bake - --format obj -o ../x.kiln <&- 2>"$TMPDIR/err"
[ $? -eq 2 ] || case_fail 'input: not status 2'
says err "standard input can't be read"
untouched
case_end

case_begin 'few descriptors: told as that'
expect 4 sh -c 'ulimit -n 9; exec "$@"' sh "$KILN" bake cube.obj -o ../x.kiln
exactly err <<'END_OF_TEXT'
kiln: cube.obj: no process for the import; Too many open files; raise the limit on open files (ulimit -n) to 64 or more
END_OF_TEXT
expect 0 sh -c 'ulimit -n 40; exec "$@"' sh "$KILN" bake cube.obj -o ../x.kiln
same ../x.kiln ../plain.kiln
case_end

case_begin 'a stack of 1 MiB is enough'
printf 'cube.obj\npainted.obj\ntetrahedron.obj\n' >../three.list
for words in 'cube.obj -o ../x.kiln --bv obb,aabb,obb2,aabb2,dop14,dop6,dop18,dop24,dop26,sphere,octree' 'cube.obj -o ../x.kiln --quality best --adb=4' '-j2 @../three.list -o ../three'; do
    # shellcheck disable=SC2086
    expect 0 sh -c 'ulimit -s 1024; exec "$@"' sh "$KILN" bake $words
done
cp ../plain.kiln ../x.kiln
untouched
case_end

case_begin 'nothing of the environment is needed, and none shows in the bytes'
for words in -i 'TMPDIR=/nowhere HOME=' 'LC_ALL=de_DE.UTF-8' 'LC_ALL=tr_TR.UTF-8' 'TZ=Pacific/Kiritimati'; do
    rm ../x.kiln
    # shellcheck disable=SC2086
    expect 0 env $words "$KILN" bake cube.obj -o ../x.kiln
    same ../x.kiln ../plain.kiln
done
(umask 777 && "$KILN" bake cube.obj -o ../shut.kiln) || case_fail 'umask 777'
case $(ls -l ../shut.kiln) in ----------*) ;; *) case_fail 'the umask does not hold' ;; esac
case_end

cases_end
