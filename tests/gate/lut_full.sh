#!/bin/sh
# The tables of the paper in full, u to 512 and x to 10: as many values as it keeps, every one computed
# anew in exact arithmetic, and no larger than they may be.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

# value NAME: a member of the last JSON output that stands on a line of its own.
value() {
    sed -n "s/^  \"$1\": \([0-9.e-]*\),*$/\1/p" "$TMPDIR/out"
}

# at_most NAME LIMIT
at_most() {
    awk "BEGIN { exit !($(value "$1") <= $2) }" || case_fail "$1 is $(value "$1"), over $2"
}

case_begin 'exact: kept as in section 4.2.3'
expect 0 "$KILN" lut bins --json -o "$TMPDIR/exact.kiln" --layout raw
for kept in 2520498 5227262; do says out "$kept"; done
at_most bytes 170000000
at_most certificate_kept 2.981e-8
at_most certificate_beyond 0.9e-5
printf 'generated in %s s\n' "$(value seconds_generate)"
case_end

case_begin 'exact: 40,265,353 values are right'
expect 0 "$KILN" lut check --json "$TMPDIR/exact.kiln"
[ "$(value values)" = 40265353 ] || case_fail "$(value values) values"
case_end

case_begin 'compact: 20 MB, 2^-16'
expect 0 "$KILN" lut bins --json -o "$TMPDIR/compact.kiln" --profile compact
at_most bytes 20000000
at_most certificate_kept 0.0000152587890625
at_most certificate_beyond 0.0000152587890625
case_end

case_begin 'compact: every value is right'
expect 0 "$KILN" lut check "$TMPDIR/compact.kiln"
case_end

# Which way a value is rounded is asked of each by itself, whatever the u: an eighth of the table has all sizes of
# numbers that the whole has (test_bins_table has places of the rest).
case_begin 'rounded down: every value is right'
expect 0 "$KILN" lut bins -q -o "$TMPDIR/down.kiln" --rounding down --max-u 256 --layout raw
expect 0 "$KILN" lut check "$TMPDIR/down.kiln"
case_end

cases_end
