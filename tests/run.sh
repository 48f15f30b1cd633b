#!/bin/sh
# Runs the built tests and prints a line for each: name, ok or FAIL, cases, seconds by the clock and of the
# processors; the log of those that failed; last, "N passed, N failed, N skipped". What is counted are
# cases: those that a cmocka program prints, those that a script prints in the same form, one for a program
# that prints none, and one more failure for a program that ended badly without a failed case (a crash, a
# time-out). The reason of each skipped case is printed below its test.
#
#   tests/run.sh [--build DIR] [--config CONFIG] check | gate | NAME...
#
#   check  unit, case, golden, bad and command tests of CONFIG, shortened (KILN_TEST_QUICK=1)
#   gate   everything in release, of the longest random tests a third of their cases (`make properties` runs
#          them in full); most but the command under asan + ubsan, bad and fuzz in full, the rest shortened;
#          threads under tsan; tests/gate
#   NAME   tests of CONFIG whose names contain NAME
#
# Logs and the closing line stay in build/test. KILN_TEST_SECONDS limits each test (default 2400: it ends what
# hangs while the rest still has time, and is far above what the slowest test takes on a busy machine); JOBS is
# how many run at once (default: one more than there are processors, since some wait for a while).
cd "$(dirname "$0")/.." || exit 1
build=build
config=release

# Runs the test at path $2, called $1, shortened if $3 is quick, a third of it if $3 is third, and leaves LABEL.log
# and LABEL.count in $results.
run_one() {
    label=$1 test=$2
    [ "$3" = quick ] && export KILN_TEST_QUICK=1
    [ "$3" = third ] && export KILN_TEST_THIRD=1
    # The look for uses of a stack after return costs a third of the time of long computations: the unit tests,
    # which enter the same functions, and the bad files have it; of these not the one that builds for longest, since
    # all that bake enter what it does.
    case $label in asan/property/* | asan/models/* | asan/cases/* | asan/unit/test_build)
        ASAN_OPTIONS=$ASAN_OPTIONS:detect_stack_use_after_return=0 ;;
    esac
    name=$(printf '%s' "$label" | tr '/ ' '__')
    log=$results/$name.log
    scratch=$results/$name.tmp
    mkdir -p "$scratch"
    start=$(date +%s.%N)
    TMPDIR=$scratch timeout -k 5 "${KILN_TEST_SECONDS:-2400}" $(launcher "$label") "$test" \
        >"$log" 2>&1 </dev/null
    status=$?
    times >"$results/$name.times"
    seconds=$(echo "$start $(date +%s.%N)" | awk '{ printf "%.1f", $2 - $1 }')
    # What its processes took of the processors, a line "user system" each in minutes and seconds.
    worked=$(awk -F'[ms ]+' 'NR == 2 { printf "%.1f", 60 * ($1 + $3) + $2 + $4 }' "$results/$name.times")
    rm "$results/$name.times"
    rm -rf "$scratch"
    # Every case that begins ends as OK, as skipped, or badly. cmocka lists the skipped ones once more at
    # the end, where no case is open.
    counts=$(awk '/^\[ RUN      \] / { begun++; open = substr($0, 14) }
        /^\[       OK \] / { ok++; open = "" }
        /^\[  SKIPPED \] / && open != "" && substr($0, 14) == open { skipped++; open = "" }
        END { print ok + 0, begun - ok - skipped, skipped + 0 }' "$log")
    passed=${counts%% *} skipped=${counts##* }
    failed=${counts#* } failed=${failed% *}
    [ "$failed" -lt 0 ] && failed=0
    if [ $status -eq 0 ]; then
        [ $((passed + failed + skipped)) -eq 0 ] && passed=1
    elif [ "$failed" -eq 0 ]; then
        failed=1
    fi
    verdict=ok
    if [ "$failed" -ne 0 ]; then
        verdict=FAIL
        [ $status -eq 124 ] && verdict='FAIL (time-out)'
    fi
    printf '%s %s %s\n' "$passed" "$failed" "$skipped" >"$results/$name.count"
    printf '%-44s %-5s %4d %8s s %8s s\n' "$label" "$verdict" $((passed + failed)) "$seconds" "$worked"
    grep '^skipped: ' "$log" | sort -u | sed 's/^/    /'
    [ "$failed" -eq 0 ] || sed 's/^/    | /' "$log" | tail -n 60
}

# ThreadSanitizer needs addresses that randomisation of some kernels takes away.
launcher() {
    case $1 in tsan*) command -v setarch >/dev/null && echo setarch -R ;; esac
}

# Lines "LABEL PATH" of the built programs of configuration $1 in the folders that follow.
programs() {
    of=$1
    shift
    for folder in "$@"; do
        for source in tests/"$folder"/test_*.c; do
            [ -e "$source" ] || continue
            path=${source#tests/}
            echo "$of/${path%.c} $build/$of/tests/${path%.c}"
        done
    done
}

scripts() {
    for script in tests/"$1"/*.sh; do
        [ -e "$script" ] && echo "$1/$(basename "$script" .sh) $script"
    done
}

shortened() {
    sed 's/$/ quick/'
}

# Of programs that try many random cases in release, a third of them: a mutant is held by a twentieth.
thirds() {
    long='answers|files|bins_closed|bins_table|builders|distance|extremes|inside|likely|overlaps|paper'
    long="$long|queries|rays|refit|scene_trees|tri_distance|triangles"
    sed -E "/^release\/[a-z]+\/test_($long) /s/\$/ third/"
}

everything() {
    programs "$1" unit cases bad golden fuzz cli property models
    scripts cli
}

select_tests() {
    case $1 in
    check)
        programs "$config" cases unit bad golden cli
        scripts cli
        ;;
    gate)
        # What takes long comes first, and short tests last, so that no processor is idle at the end.
        scripts gate
        programs asan models cases | shortened
        programs asan bad fuzz
        programs release property models cases | thirds
        programs tsan unit property | grep thread
        programs asan unit golden property |
            grep -Ev '(property/test_(adb|bins_table|paper)|unit/test_paper_(figures|volume)|golden/test_counts) ' |
            shortened
        scripts cli
        programs release fuzz bad golden unit cli
        ;;
    *)
        {
            everything "$config"
            scripts gate
        } | grep -E "$(echo "$*" | tr ' ' '|')"
        ;;
    esac
}

if [ "$1" = --one ]; then
    results=$KILN_RESULTS
    run_one "$2" "$3" "$4"
    exit 0
fi
while :; do
    case $1 in
    --build) build=$2 ;;
    --config) config=$2 ;;
    *) break ;;
    esac
    shift 2
done
[ $# -gt 0 ] || { sed -n '2,/^cd/s/^# \{0,1\}//p' "$0"; exit 1; }
[ "$1" = check ] && export KILN_TEST_QUICK=1

case $build in /*) root=$build ;; *) root=$(pwd)/$build ;; esac
mkdir -p "$root" && results=$(mktemp -d "$root/test-XXXXXX") || exit 1
[ "$config" = release ] && KILN=$root/kiln || KILN=$root/$config/kiln
KILN_BUILD=$root
KILN_RESULTS=$results
LSAN_OPTIONS=suppressions=$(pwd)/tests/lsan.supp:print_suppressions=0
ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1}
UBSAN_OPTIONS=print_stacktrace=1
export KILN_RESULTS KILN KILN_BUILD LSAN_OPTIONS ASAN_OPTIONS UBSAN_OPTIONS

select_tests "$@" | xargs -P "${JOBS:-$(($(nproc 2>/dev/null || echo 1) + 1))}" -L 1 "$0" --one
passed=0 failed=0 skipped=0
for count in "$results"/*.count; do
    [ -e "$count" ] || continue
    read -r p f s <"$count"
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done
rm -rf "$root/test"
mv "$results" "$root/test"
echo "$passed passed, $failed failed, $skipped skipped" | tee "$root/test/closing-line"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
