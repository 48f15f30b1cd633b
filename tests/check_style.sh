#!/bin/sh
# Every source is as clang-format leaves it, and no line of C, comments included, is longer than 100 columns.
# Generated sources, which say so in their first line, are left out. Another version of clang-format than 14
# breaks lines elsewhere, so that with one the first check is skipped. Scripts that tests/run.sh starts can be
# executed: git keeps that bit, and a script without it fails in a clean clone only.
cd "$(dirname "$0")/.." || exit 1
bad=0
sources=$(find formats lut runtime tools tests models \( -name '*.c' -o -name '*.h' \) | sort | while read -r file; do
    head -n 1 "$file" | grep -qE 'generated|Written by|Fitted by' || echo "$file"
done)

if clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
    # shellcheck disable=SC2086
    unformatted=$(echo $sources | xargs -P "${JOBS:-2}" -n 40 clang-format --dry-run 2>&1 | sed -n 's/:.*-Wclang-format-violations.*//p' | sort -u)
    if [ -n "$unformatted" ]; then
        printf 'not as clang-format leaves it; run make format:\n%s\n' "$unformatted"
        bad=1
    fi
else
    echo 'skipped: clang-format 14 is not installed, so that the format of sources is not checked'
fi

# shellcheck disable=SC2086
awk 'length > 100 { print FILENAME ":" FNR ": " length " columns"; long = 1 } END { exit long }' $sources || bad=1

# The gate runs on busy machines: a test that compares a time fails there by itself. Those of make soak do.
timed=$(grep -rnE 'assert_[a-z_]+\([^;]*(clock\(\)|CLOCKS_PER_SEC)' tests --include='*.c' | grep -v '^tests/bench/')
if [ -n "$timed" ]; then
    printf 'a test that asserts on a clock; count what is done instead:\n%s\n' "$timed"
    bad=1
fi

# A height field stores no triangles, no vertices and no ids: whoever reads these arrays of a tree reads what is not
# there. The doors are kiln_tree_vertex, kiln_tree_corner_places, kiln_tree_vertex_number and kiln_tree_id; of the files
# that may go past them, opening.c sets the arrays, and the others have asked kiln_tree_stores, or whether there is a
# field.
past_doors=$(grep -nE '(^|[^a-z_])(tree(_[ab])?|->(tree|a|b))->(triangles|ids|vertices)([^a-z_]|$)|->(triangles|ids) *[[+]' \
    $(find runtime -mindepth 2 -name '*.[ch]' ! -path 'runtime/python/*' ! -path runtime/base/tree.h \
        ! -path runtime/open/opening.c ! -path runtime/open/facts.c ! -path runtime/open/refit.c \
        ! -path runtime/walk/leaf_pair.c ! -path runtime/regions/adjacency.c) /dev/null)
if [ -n "$past_doors" ]; then
    printf 'triangles that a height field has not; use kiln_tree_vertex or kiln_tree_id (runtime/base/tree.h):\n%s\n' "$past_doors"
    bad=1
fi

unstartable=$(find tests/cli tests/gate tests/models tests/soak -maxdepth 1 -name '*.sh' ! -perm -u+x)
if [ -n "$unstartable" ]; then
    printf 'a test that can not be executed; run chmod +x:\n%s\n' "$unstartable"
    bad=1
fi
exit $bad
