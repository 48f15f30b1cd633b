#!/bin/sh
# What stands on a terminal at the end of a run: texts in terminal/, one for each session and width, held
# whole but for times and for bytes that depend on versions. Colours are marks such as {1;31} and {}; a
# line that the terminal wrapped ends in "\". `terminal.sh --write` writes the texts anew, to be looked at
# before they are kept.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
unset COLUMNS MAKEFLAGS NO_COLOR
export TERM=xterm
texts=$(pwd)/tests/cli/terminal
pty=$KILN_BUILD/release/tests/cli/pty
write=$1

cp models/tiny/cube.obj models/tiny/tetrahedron.obj models/tiny/mixed.obj models/tiny/nan.obj "$TMPDIR"
cd "$TMPDIR" || exit 1
deep=assets/characters/heroes/the_hero_of_the_first_chapter
mkdir -p $deep assets/props
cp cube.obj assets/cube.obj
cp tetrahedron.obj "assets/props/$(printf '\343\203\206\343\202\271\343\203\210')_tetrahedron.obj"
cp cube.obj $deep/sword_and_shield.obj
cp nan.obj $deep/a_villain_who_can_not_be_baked.obj
for i in 1 2 3; do
    { cat cube.obj; echo 'l 1 2'; echo 'p 3'; echo 'mtllib paint.mtl'; } >assets/props/barrel$i.obj
done
# The largest is baked first: sizes settle the order.
cp mixed.obj assets/bad_name"$(printf '\033')"'[31m.obj'
printf '%s\n' $deep/*.obj assets/*.obj assets/props/*.obj | LC_ALL=C sort >list

# Digits of times and of sizes become #, so that columns stay where they are.
masked() {
    sed -E -e 's/( in )[0-9][-0-9.e]*( m?s)/\1T\2/g;s/(trusted )[0-9][-0-9.e]*/\1T/;s/(took )[0-9][-0-9.e]*/\1T/' \
        -e 's/[0-9]+ (bytes|KiB|MiB) (read|written)/N \2/g' \
        -e 's/^(.* +[0-9,]+ +)[0-9,]+\.[0-9]{2}( +)(cached|[0-9]+\.[0-9]{2})( |$)/\1###.##\2\3\4/' \
        -e 's/(###\.## +)[0-9]+\.[0-9]{2}( |$)/\1#.##\2/' \
        -e 's/[0-9,]+ bytes, [0-9.]+ a triangle/N bytes, N a triangle/' \
        -e 's/-?[0-9.]+\/s/N\/s/'
}

# session NAME COLUMNS STATUS ARGUMENT...: kiln ARGUMENT... on a terminal of so many columns
session() {
    text=$texts/$1.$2.txt
    name=$1 columns=$2 wanted_status=$3
    shift 3
    case_begin "$name at $columns columns"
    "$pty" "$columns" "$KILN" "$@" >screen 2>&1
    status=$?
    [ $status -eq "$wanted_status" ] || case_fail "status $status: $(cat screen)"
    masked <screen >shown
    if [ "$write" = --write ]; then
        cp shown "$text"
    else
        diff "$text" shown >differ || case_fail "$(cat differ)"
    fi
    case_end
}

# 125 is pty's status for a system without pseudoterminals; any other failure is one of the test.
"$pty" 80 true 2>err
status=$?
if [ $status -ne 0 ]; then
    case_begin 'what stands on a terminal'
    if [ $status -eq 125 ]; then
        case_skip 'there is no pseudoterminal'
    else
        case_fail "pty ends in status $status: $(cat err)"
        case_end
    fi
    cases_end
fi

"$KILN" bake assets/cube.obj assets/props/barrel1.obj -o out.d --cache kept -q
for columns in 80 120; do
    session batch $columns 3 bake @list -o out.d -j1
    session verbose $columns 0 bake assets/props/barrel1.obj assets/props/barrel2.obj -o v.d -j1 -v
    session single $columns 0 bake mixed.obj -o x.kiln
    session failure $columns 3 bake $deep/a_villain_who_can_not_be_baked.obj -o x.kiln
    session up_to_date $columns 0 bake assets/cube.obj assets/props/barrel1.obj -o out.d -j1 --if-changed
    session cached $columns 0 bake assets/cube.obj assets/props/barrel1.obj -o out.d -j1 --cache kept
    session usage $columns 1 bake --colour
done
session no_color 80 3 bake @list -o out.d -j1 --color never
TERM=dumb session dumb 80 0 bake assets/cube.obj assets/props/barrel1.obj -o out.d -j1 --progress auto

# ------------------------------------------------------------------------------------------ kinds

case_begin 'colours: NO_COLOR, TERM and --color, for each stream by itself'
# coloured yes|no WHAT COMMAND...
coloured() {
    "$pty" 80 sh -c '"$@"' sh "$KILN" bake $deep/a_villain_who_can_not_be_baked.obj -o x.kiln $3 >screen
    grep -q -F '{1;31}' screen && found=yes || found=no
    [ $found = "$1" ] || case_fail "$2: $found"
}
coloured yes 'a terminal'
NO_COLOR=1 coloured no 'NO_COLOR=1'
NO_COLOR='' coloured yes 'NO_COLOR that is empty'
TERM=dumb coloured no 'TERM=dumb'
TERM='' coloured no 'TERM that is empty'
(unset TERM; coloured no 'no TERM')
coloured no '--color never' --color=never
NO_COLOR=1 coloured yes '--color always' --color=always
NO_COLOR=1 coloured no '--color auto' --color=auto
"$pty" 80 sh -c '"$1" bake @list -o out.d -j1 2>err.txt' sh "$KILN" >screen
grep -q -F '{2}model' screen || case_fail 'the table has no colours beside a log'
! grep -q "$(printf '\033')" err.txt || case_fail 'the log has colours beside a terminal'
grep -q '^kiln: failed: ' err.txt || case_fail 'the log is empty'
"$pty" 80 sh -c '"$1" bake @list -o out.d -j1 >out.txt' sh "$KILN" >screen
[ ! -s out.txt ] || case_fail 'there is a table in a file'
grep -q -F '{1;31}kiln:{} failed: ' screen || case_fail 'messages have no colours'
case_end

case_begin 'names fit into any width, without a broken character, and nothing steers the terminal'
wide=$(printf '\343\203\206%.0s' $(seq 40))
accents=$(printf 'e\314\201%.0s' $(seq 60))
cp nan.obj "$wide.obj"
cp nan.obj "$accents.obj"
cp nan.obj "$(printf 'x\377\302\205\033[2J%.0s' $(seq 12)).obj"
cp nan.obj "$(printf 'y%.0s' $(seq 100)).obj"
for columns in 20 33 56 67 68 79 80 81 132 200; do
    "$pty" "$columns" "$KILN" bake *.obj -o out.d -j1 --color never >screen
    grep '^kiln: failed: ' screen >failed
    [ "$(wc -l <failed)" -eq 5 ] || case_fail "$columns: $(cat failed)"
    [ "$columns" -lt 40 ] || ! grep -q '\\$' failed || case_fail "$columns: wraps: $(cat failed)"
    [ "$columns" -gt 130 ] || [ "$columns" -lt 33 ] || grep -q 'y…y*\.obj' failed || case_fail "$columns: is not fitted"
    ! grep -q '<[01][0-9A-F]>' screen || case_fail "$columns: a control character"
    [ "$columns" -lt 56 ] || ! grep '^[^ ]* *[0-9]* *[0-9.]* *[0-9.]*\\$' screen || case_fail "$columns: a row wraps"
    # What is not UTF-8 is replaced where a name was shortened, and passes where it was not.
    [ "$columns" -gt 130 ] || iconv -f UTF-8 -t UTF-8 failed >/dev/null || case_fail "$columns: no UTF-8"
done
COLUMNS=60 "$pty" 132 "$KILN" bake *.obj -o out.d -j1 --color never | grep '^kiln: failed: y' >failed
[ "$(awk '{ print length($0) }' failed)" -le 62 ] || case_fail 'COLUMNS is not heeded'
"$pty" 60 "$KILN" bake *.obj -o out.d -j1 -v --color never | tr -d '\\\n' >screen
grep -q "$(printf 'y%.0s' $(seq 100))\.obj" screen || case_fail 'not whole under -v'
case_end

case_begin 'a bar never wraps, whatever the terminal and the name'
mkdir bars
for i in $(seq 12); do cp cube.obj "bars/$(printf 'n%.0s' $(seq 60))$i.obj"; done
for columns in 20 40 60 80 120; do
    "$pty" "$columns" "$KILN" bake bars/*.obj -o out.d -j1 --progress bar -v --color never >screen
    ! grep -E '^(\[|[0-9]+/12 ).*\\$' screen || case_fail "$columns: the bar wraps"
done
! TERM=dumb "$pty" 80 "$KILN" bake bars/*.obj -o out.d | grep -q '<1B>\|^\[' || case_fail 'a bar on a dumb terminal'
case_end

cases_end
