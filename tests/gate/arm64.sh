#!/bin/sh
# The runtime compiled for aarch64, its NEON kernels too, gives under an emulator what every instruction
# set gives here, to the bit.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
files='tests/golden/today/torus-raw.kiln tests/golden/today/binary-raw.kiln tests/golden/today/soup-raw.kiln'
sources="tests/gate/arm64/ask_sets.c $(echo formats/*.c lut/embedded_*.c runtime/*/*.c)"
flags='-std=c11 -O1 -ffp-contract=off -D_FILE_OFFSET_BITS=64 -Wall -Wextra -Wpedantic -Wshadow
    -Wconversion -Wundef -Werror'

case_begin 'all sets of this machine'
# shellcheck disable=SC2086
gcc $flags tests/gate/arm64/ask_sets.c "$KILN_BUILD/libkiln.a" -lz -lm -o "$TMPDIR/here" || case_fail 'compile'
# shellcheck disable=SC2086
"$TMPDIR/here" $files >"$TMPDIR/here.txt" || case_fail "status $?"
cat "$TMPDIR/here.txt"
[ "$(cut -d ' ' -f 2- "$TMPDIR/here.txt" | sort -u | wc -l)" = 1 ] || case_fail 'sets differ'
[ "$(cut -d ' ' -f 3 "$TMPDIR/here.txt" | head -1)" -gt 50 ] || case_fail 'too few hits'
case_end

case_begin 'aarch64, scalar and NEON'
# One by one, so that a cache of compilers, where there is one, knows them again.
mkdir "$TMPDIR/objects"
cache=$(command -v ccache)
for source in $sources tests/gate/arm64/no_zlib.c; do
    # shellcheck disable=SC2086
    $cache aarch64-linux-gnu-gcc $flags -c "$source" -o "$TMPDIR/objects/$(echo "$source" | tr / -).o" ||
        case_fail "$source"
done
aarch64-linux-gnu-gcc -static "$TMPDIR"/objects/*.o -lm -o "$TMPDIR/there" || case_fail 'link'
# shellcheck disable=SC2086
qemu-aarch64 "$TMPDIR/there" $files >"$TMPDIR/there.txt" || case_fail "status $?"
cat "$TMPDIR/there.txt"
grep -q '^neon ' "$TMPDIR/there.txt" || case_fail 'no NEON'
[ "$(cut -d ' ' -f 2- "$TMPDIR/here.txt" "$TMPDIR/there.txt" | sort -u | wc -l)" = 1 ] ||
    case_fail 'differs from this machine'
case_end

cases_end
