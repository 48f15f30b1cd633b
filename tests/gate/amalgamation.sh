#!/bin/sh
# The runtime in one file: compiled alone as an engine would, it passes the library's own tests; with
# -ffast-math it does not compile.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
objects=$KILN_BUILD/release
one=$TMPDIR/one

case_begin 'make amalgamation'
make -s "BUILD=$KILN_BUILD" amalgamation && mkdir "$one" &&
    cp "$KILN_BUILD/amalgamation/kiln.c" "$KILN_BUILD/amalgamation/kiln.h" "$one" ||
    case_fail 'make amalgamation'
case_end

# The test's own objects and helpers with the one file in place of libkiln.a.
passes() { # passes OBJECT TEST
    helpers=$(find "$objects/tests/${2%/*}" -name '*.o' ! -name 'test_*')
    # shellcheck disable=SC2086
    gcc -pthread "$objects/tests/$2.o" $helpers "$1" "$objects/tests/libsupport.a" \
        "$objects/tools/libbench.a" "$KILN_BUILD/libkilnbake.a" -lcmocka -lassimp -ljansson -lgmp -lz -lm -o "$TMPDIR/test" ||
        { case_fail "$2 does not link"; return; }
    KILN_TEST_QUICK=1 "$TMPDIR/test" >"$TMPDIR/out" 2>&1 || {
        case_fail "$2"
        grep -v '^\[ RUN\|^\[       OK' "$TMPDIR/out" | tail -20
    }
}

for compiler in gcc clang; do
    case_begin "$compiler -O3 -march=native -std=gnu11: the same answers"
    $compiler -std=gnu11 -O3 -march=native -Wall -Wextra -Werror -c "$one/kiln.c" -o "$one/kiln.o" ||
        case_fail 'compile'
    for test in property/test_queries property/test_triangles unit/test_exact unit/test_open \
        unit/test_adb; do
        passes "$one/kiln.o" $test
    done
    case_end

    case_begin "$compiler -ffast-math is refused"
    $compiler -std=gnu11 -O2 -ffast-math -c "$one/kiln.c" -o "$one/fast.o" 2>"$TMPDIR/err" &&
        case_fail 'it compiles'
    says err 'leave out -ffast-math'
    case_end
done

cases_end
