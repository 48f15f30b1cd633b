#!/bin/sh
# Applies each mutant of list.txt, one at a time, to a copy of the tree, and runs the test that must notice it.
#
#   tests/mutants/run.sh [--build DIR] [NAME...]   all mutants, or those whose names contain a NAME
#   tests/mutants/run.sh --check                   only: does each text still stand in the sources, once?
#
# A mutant is killed when its test fails, and survives when the test passes. It is stale when its text is not
# found exactly once below its folder: then the list has to follow the source. A test judges mutants only after
# it has passed on the unchanged copy; else all of its mutants are reported as "unsound". No verdict depends on
# how busy the machine is: a test that reaches the limit of tests/run.sh, two hours, has not killed its mutant.
# The copy and what is built there stay in DIR/mutants (default build/mutants), so that a second run builds
# little, and so do the scratch folders of tests that a mutant ends. Each line has the seconds that the mutant
# took; the last line is "N passed, N failed", and the status is 0 only if every mutant is killed.
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

# The copy keeps what was built in it: sources that are as they were keep their times, others count as new, also
# the one that an interrupted run has left changed.
rm -rf "$build/mutants/new"
mkdir -p "$build/mutants/tree" "$build/mutants/new" || exit 1
mutants=$(cd "$build/mutants" && pwd) || exit 1
tree=$mutants/tree new=$mutants/new
tar --exclude='./build*' --exclude=./.git -cf - . | tar -xf - -C "$new"
for file in $(cd "$tree" && find . -name build -prune -o -type f -print); do
    if cmp -s "$tree/$file" "$new/$file"; then
        touch -r "$tree/$file" "$new/$file"
    elif [ -e "$new/$file" ]; then
        touch "$new/$file"
    fi
done
mv "$tree/build" "$new" 2>/dev/null
rm -rf "$tree"
mv "$new" "$tree"
flat >"$mutants/flat"
: >"$mutants/sound"
cd "$tree" || exit 1
export KILN_TEST_QUICK=1
# A mutant that was compiled in an earlier run need not be compiled again.
command -v ccache >/dev/null && export CCACHE_NOHASHDIR=1 CC="ccache ${CC:-gcc}"

# replace FILE BEFORE AFTER
replace() {
    before=$2 after=$3 awk '{
        at = index($0, ENVIRON["before"])
        if (at) $0 = substr($0, 1, at - 1) ENVIRON["after"] substr($0, at + length(ENVIRON["before"]))
        print
    }' "$1" >"$1.mutant" && cat "$1.mutant" >"$1" && rm "$1.mutant"
}

# try CONFIG TEST: builds what the test needs and runs it; puts into $outcome what became of it.
try() {
    folder=build/$1
    [ "$1" = release ] && folder=build
    case $2 in
    cli/*) targets=$folder/kiln pattern="$2.sh\$" ;;
    gate/wasm) targets='all models wasm' pattern="$2.sh\$" ;;
    *) targets=build/$1/tests/$2 pattern="$2\$" ;;
    esac
    outcome='does not build'
    # shellcheck disable=SC2086
    make -j2 "CONFIG=$1" $targets >../log 2>&1 || return
    outcome=passes
    tests/run.sh --config "$1" "$pattern" >../log 2>&1 || outcome=fails
    grep -qF 'FAIL (time-out)' ../log && outcome='is not done in time'
}

# is_sound CONFIG TEST: the test passes on the unchanged copy. It is run once for all of its mutants.
is_sound() {
    grep -q "^$1 $2 " ../sound || {
        try "$1" "$2"
        echo "$1 $2 $outcome" >>../sound
        [ "$outcome" = passes ] || tail -n 20 ../log | sed 's/^/    | /'
    }
    grep -qx "$1 $2 passes" ../sound
}

# judge FOLDER BEFORE AFTER CONFIG TEST: puts into $verdict what became of the mutant.
judge() {
    [ "$(holders "$2" "$1" | wc -l)" -eq 1 ] || { verdict=stale; return; }
    is_sound "$4" "$5" || { verdict=unsound; return; }
    file=$(holders "$2" "$1")
    cp "$file" ../original
    replace "$file" "$2" "$3"
    try "$4" "$5"
    case $outcome in
    passes) verdict=SURVIVED ;;
    fails) verdict=killed ;;
    *) verdict=$outcome ;;
    esac
    # Not `cp -p`: the object of the mutant is to be older than the source again.
    cat ../original >"$file"
}

wanted=$(echo "$*" | tr ' ' '|')
passed=0 failed=0
while IFS=$sep read -r name path before after config test; do
    echo "$name" | grep -qE "$wanted" || continue
    started=$(date +%s)
    judge "$path" "$before" "$after" "$config" "$test" </dev/null
    printf '%-26s %-28s %-8s %4d s\n' "$name" "$test" "$verdict" $(($(date +%s) - started))
    if [ "$verdict" = killed ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        [ "$verdict" != 'does not build' ] || tail -n 5 ../log | sed 's/^/    | /'
    fi
done <../flat
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
