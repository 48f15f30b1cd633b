#!/bin/sh
# Inputs that are broken, a batch with one of them, files that are not what they should be.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

good=$TMPDIR/good.kiln
"$KILN" bake models/tiny/cube.obj -o "$good" || exit 1
cp "$good" "$TMPDIR/before.kiln"

# refused STATUS TEXT ARGUMENT...: bake leaves the old output as it was.
refused() {
    status=$1 text=$2
    shift 2
    case_begin "bake $*"
    expect "$status" "$KILN" bake "$@" -o "$good"
    says err 'kiln: '
    says err "$text"
    same "$good" "$TMPDIR/before.kiln"
    case_end
}

refused 3 'bad_index.obj' models/tiny/bad_index.obj
refused 3 'nan.obj' models/tiny/nan.obj
refused 2 'nowhere.obj' models/tiny/nowhere.obj
refused 2 'models/tiny' models/tiny
mkfifo "$TMPDIR/fifo.obj"
refused 2 'fifo.obj' "$TMPDIR/fifo.obj"
echo 'no model' >"$TMPDIR/text.xyzzy"
refused 5 'text.xyzzy' "$TMPDIR/text.xyzzy"
: >"$TMPDIR/empty.obj"
refused 3 'empty.obj' "$TMPDIR/empty.obj"

case_begin '--on-bad drop lists what it drops'
expect 0 "$KILN" bake models/tiny/bad_index.obj -o "$TMPDIR/dropped.kiln" --on-bad drop
says err 'dropped'
says err 'face 1'
expect 0 "$KILN" info --json "$TMPDIR/dropped.kiln"
says out '"faces": 1'
case_end

case_begin 'an error is a document with --json'
expect 3 "$KILN" bake models/tiny/nan.obj -o "$good" --json
says out '"schema": "kiln-report-1"'
says out '"status": 3'
says out '"message"'
case_end

case_begin 'of three, one is bad: two are baked, the bad one is named, the status is its own'
expect 3 "$KILN" bake models/tiny/cube.obj models/tiny/nan.obj models/tiny/tetrahedron.obj \
    -o "$TMPDIR/batch"
says err 'nan.obj'
expect 0 "$KILN" verify "$TMPDIR/batch/cube.kiln" "$TMPDIR/batch/tetrahedron.kiln"
[ ! -e "$TMPDIR/batch/nan.kiln" ] || case_fail 'the bad one left a file'
case_end

case_begin 'a folder that can not be made'
: >"$TMPDIR/no"
expect 2 "$KILN" bake models/tiny/cube.obj -o "$TMPDIR/no/such/file.kiln"
says err "$TMPDIR/no: is a file, where a folder is to be"
rm "$TMPDIR/no"
case_end

# broken STATUS TEXT FILE: every verb that reads refuses it.
broken() {
    case_begin "$3: $2"
    for verb in info verify; do
        expect "$1" "$KILN" $verb "$3"
        says err "$2"
    done
    expect "$1" "$KILN" collide "$3" "$good"
    expect "$1" "$KILN" unpack "$3" -o "$TMPDIR/never.kiln"
    says err "$2"
    [ ! -e "$TMPDIR/never.kiln" ] || case_fail 'unpack wrote a file'
    case_end
}

# patched NAME OFFSET OCTAL...: a copy of the good file with bytes replaced.
patched() {
    cp "$good" "$TMPDIR/$1"
    printf "$3" | dd of="$TMPDIR/$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

cd "$TMPDIR" || exit 1
size=$(wc -c <"$good")
for length in 1 7 8 64 127 200 $((size / 2)) $((size - 1)); do
    head -c "$length" "$good" >"short_$length"
    broken 3 'not a complete file' "short_$length"
done
: >short_0
broken 3 'not a complete file' short_0
{ cat "$good"; printf 'x'; } >long
broken 3 'broken rule 1' long
patched magic 0 'K'
broken 3 'not a kiln file' magic
patched newer 8 '\011'
broken 5 'version' newer
patched flipped 904 '\377\377\377' # within the first section
broken 3 'checksum' flipped
broken 2 'nowhere' nowhere
mkdir folder
broken 2 'folder' folder

cases_end
