#!/bin/sh
# Built with LIBDEFLATE=1, the library reads the same files to the same bytes and refuses the same.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

case_begin 'builds with libdeflate'
if ! echo '#include <libdeflate.h>' | ${CC:-gcc} -fsyntax-only -x c - 2>/dev/null; then
    case_skip 'libdeflate is not installed'
    cases_end
    exit
fi
programs='unit/test_pack unit/test_open unit/test_threads golden/test_golden golden/test_golden_bins
bad/test_refusals bad/test_rules bad/test_bit_flips bad/test_truncation fuzz/test_open'
build=$KILN_BUILD/libdeflate
make -j2 "BUILD=$build" LIBDEFLATE=1 WERROR=-Werror "$build/libkiln.a" "$build/libkiln.so" >"$TMPDIR/log" 2>&1 ||
    { cat "$TMPDIR/log"; case_fail 'does not build'; }
nm "$build/libkiln.a" 2>/dev/null | grep -q 'U libdeflate_deflate_decompress_ex' ||
    case_fail 'does not call libdeflate'
case_end

# The test's own objects with this libkiln.a, which comes before what libkilnbake.a has of it.
linked() { # linked TEST
    objects=$KILN_BUILD/release
    case $1 in
    fuzz/*) helpers=$objects/tests/fuzz/fuzz_${1#fuzz/test_}.o ;;
    *) helpers=$(find "$objects/tests/${1%/*}" -name '*.o' ! -name 'test_*') ;;
    esac
    # shellcheck disable=SC2086
    gcc -pthread "$objects/tests/$1.o" $helpers -Wl,--whole-archive "$build/libkiln.a" \
        -Wl,--no-whole-archive "$objects/tests/libsupport.a" "$objects/tests/libbench.a" \
        "$KILN_BUILD/libkilnbake.a" -lcmocka -ljansson -lgmp -ldeflate -lz -lm -o "$TMPDIR/test"
}

for program in $programs; do
    case_begin "with libdeflate: $program"
    linked "$program" && "$TMPDIR/test" >"$TMPDIR/log" 2>&1 || { cat "$TMPDIR/log"; case_fail 'fails'; }
    case_end
done

cases_end
