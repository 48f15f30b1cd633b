#!/bin/sh
# Applies each mutant of list.txt, one at a time, to a copy of the tree, and runs the test that must notice it.
#
#   tests/mutants/run.sh [--build DIR] [NAME...]   all mutants, or those whose names contain a NAME
#   tests/mutants/run.sh --check                   only: does each text still stand in the sources, once?
#
# A mutant is killed when its test fails, and survives when the test passes. It is stale when its text is not
# found exactly once below its folder: then the list has to follow the source. The copy and what is built there
# stay in DIR/mutants (default build/mutants), so that a second run builds little. The last line is "N passed,
# N failed"; the status is 0 only if every mutant is killed.
cd "$(dirname "$0")/../.." || exit 1
list=tests/mutants/list.txt
build=build check=

while :; do
    case $1 in
    --build) build=$2 && shift 2 ;;
    --check) check=1 && shift ;;
    *) break ;;
    esac
done

# The list as lines of fields that $sep parts: name, folder, before, after, configuration, test. A blank line
# ends a mutant.
sep=$(printf '\037')
flat() {
    awk -v sep="$sep" '
        function flush() {
            if (name != "") print name sep path sep before sep after sep config sep test
            name = ""; config = "debug"
        }
        /^#/ { next }
        /^$/ { flush(); next }
        /^mutant / { name = substr($0, 8) }
        /^in / { path = substr($0, 4) }
        /^- / { before = substr($0, 3) }
        /^\+ ?/ { after = substr($0, 3) }
        /^config / { config = substr($0, 8) }
        /^test / { test = substr($0, 6) }
        END { flush() }' "$list"
}

# holders TEXT PATH: the sources at or below PATH that hold the text, a line for each time.
holders() {
    find "$2" -type f \( -name '*.c' -o -name '*.h' \) -exec grep -oHF -e "$1" {} + | sed 's/:.*//'
}

if [ -n "$check" ]; then
    flat | while IFS=$sep read -r name path before after config test; do
        [ "$(holders "$before" "$path" | wc -l)" -eq 1 ] ||
            echo "tests/mutants/list.txt: $name: not exactly once below $path: $before"
        [ "$before" != "$after" ] || echo "tests/mutants/list.txt: $name: changes nothing"
        [ -e "tests/$test.c" ] || [ -e "tests/$test.sh" ] || echo "tests/mutants/list.txt: $name: no test $test"
    done | { ! grep .; }
    exit
fi

mkdir -p "$build/mutants/tree" || exit 1
tree=$(cd "$build/mutants/tree" && pwd) || exit 1
find "$tree" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
tar --exclude='./build*' --exclude=./.git -cf - . | tar -xf - -C "$tree"
flat >"$tree/../flat"
cd "$tree" || exit 1
export KILN_TEST_QUICK=1 KILN_TEST_SECONDS=1200

# replace FILE BEFORE AFTER
replace() {
    before=$2 after=$3 awk '{
        at = index($0, ENVIRON["before"])
        if (at) $0 = substr($0, 1, at - 1) ENVIRON["after"] substr($0, at + length(ENVIRON["before"]))
        print
    }' "$1" >"$1.mutant" && cat "$1.mutant" >"$1" && rm "$1.mutant"
}

# judge FOLDER BEFORE AFTER CONFIG TEST: puts into $verdict what became of the mutant.
judge() {
    [ "$(holders "$2" "$1" | wc -l)" -eq 1 ] || { verdict=stale; return; }
    file=$(holders "$2" "$1")
    case $5 in
    cli/*) targets=build/$4/kiln pattern="$5.sh\$" ;;
    *) targets=build/$4/tests/$5 pattern="$5\$" ;;
    esac
    cp "$file" ../original
    replace "$file" "$2" "$3"
    if ! make -j2 "CONFIG=$4" "$targets" >../log 2>&1; then
        verdict='does not build'
    elif tests/run.sh --config "$4" "$pattern" >../log 2>&1; then
        verdict=SURVIVED
    else
        verdict=killed
    fi
    # Not `cp -p`: the object of the mutant is to be older than the source again.
    cat ../original >"$file"
}

wanted=$(echo "$*" | tr ' ' '|')
passed=0 failed=0
while IFS=$sep read -r name path before after config test; do
    echo "$name" | grep -qE "$wanted" || continue
    judge "$path" "$before" "$after" "$config" "$test" </dev/null
    printf '%-52s %-28s %s\n' "$name" "$test" "$verdict"
    if [ "$verdict" = killed ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        [ "$verdict" != 'does not build' ] || tail -n 5 ../log | sed 's/^/    | /'
    fi
done <../flat
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
