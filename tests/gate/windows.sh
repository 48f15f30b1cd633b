#!/bin/sh
# The runtime compiles for Windows without a warning, as sources and in one file; where wine is, it opens
# and answers there as here, to the bit.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
compiler=x86_64-w64-mingw32-gcc-posix
cache=$(command -v ccache) # which has no link of this compiler's name
sources="$(echo formats/*.c lut/embedded_*.c runtime/*/*.c)"
flags='-std=c11 -O1 -ffp-contract=off -D_FILE_OFFSET_BITS=64 -Wall -Wextra -Wpedantic -Wshadow
    -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla -Werror'
files='tests/golden/today/torus-raw.kiln tests/golden/today/binary-raw.kiln tests/golden/today/soup-raw.kiln'

case_begin 'mingw-w64 compiles the runtime'
mkdir "$TMPDIR/objects"
for source in $sources; do
    # shellcheck disable=SC2086
    $cache $compiler $flags -c "$source" -o "$TMPDIR/objects/$(echo "$source" | tr / -).o" || case_fail "$source"
done
for program in arm64/ask_sets windows/opens; do
    # shellcheck disable=SC2086
    $compiler $flags "tests/gate/$program.c" "$TMPDIR"/objects/*.o -lz -static \
        -o "$TMPDIR/${program#*/}.exe" || case_fail "$program"
    # shellcheck disable=SC2086
    gcc $flags "tests/gate/$program.c" "$KILN_BUILD/libkiln.a" -lz -lm -o "$TMPDIR/${program#*/}" ||
        case_fail "$program, here"
done
case_end

case_begin 'mingw-w64 compiles the one file, as C++ too'
make_here amalgamation || case_fail 'make amalgamation'
for how in '-std=gnu11 -x c' '-std=c++17 -x c++'; do
    # shellcheck disable=SC2086
    $compiler $how -O1 -Wall -Werror -fsyntax-only "$KILN_BUILD/amalgamation/kiln.c" || case_fail "$how"
done
case_end

wine=$(command -v wine64 || command -v wine || echo /usr/lib/wine/wine64)
if [ ! -x "$wine" ]; then
    case_begin 'under wine'
    case_skip 'wine is not installed'
    cases_end
    exit
fi
export WINEPREFIX="$TMPDIR/wine" WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml='

case_begin 'the same answers under wine'
# shellcheck disable=SC2086
"$TMPDIR/ask_sets" $files >"$TMPDIR/here" || case_fail 'here'
# shellcheck disable=SC2086
"$wine" "$TMPDIR/ask_sets.exe" $files 2>"$TMPDIR/err" | tr -d '\r' >"$TMPDIR/there"
[ -s "$TMPDIR/here" ] || case_fail 'no answers'
same "$TMPDIR/here" "$TMPDIR/there"
case_end

case_begin 'the same opening under wine'
mkdir "$TMPDIR/folder" && : >"$TMPDIR/empty.kiln" && cp tests/golden/today/torus-raw.kiln "$TMPDIR/sché ma.kiln" &&
    head -c 5000 tests/golden/today/torus-raw.kiln >"$TMPDIR/short.kiln"
set -- tests/golden/today/torus-raw.kiln "$TMPDIR/sch%C3%A9 ma.kiln" "$TMPDIR/empty.kiln" "$TMPDIR/short.kiln" \
    "$TMPDIR/folder" "$TMPDIR/none/there.kiln" "$TMPDIR/none.kiln" tests/golden/today/torus-packed.kiln
"$TMPDIR/opens" "$@" >"$TMPDIR/here"
LC_ALL=C.UTF-8 "$wine" "$TMPDIR/opens.exe" "$@" 2>"$TMPDIR/err" | tr -d '\r' >"$TMPDIR/there"
cat "$TMPDIR/here"
grep -q '^2: done, [1-9]' "$TMPDIR/here" || case_fail 'does not open a name in UTF-8'
grep -q '^clock 1, memory 1$' "$TMPDIR/here" || case_fail 'clock or memory'
diff "$TMPDIR/here" "$TMPDIR/there" || case_fail 'differ'
case_end

wineserver=$(command -v wineserver || echo /usr/lib/wine/wineserver)
"$wineserver" -k -w 2>/dev/null
cases_end
