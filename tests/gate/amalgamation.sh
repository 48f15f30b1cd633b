#!/bin/sh
# The runtime in one file: compiled alone as an engine would, by C and C++ compilers, it passes the
# library's own tests and gives the library's answers to the bit, the example of a start too; with -ffast-math it does
# not compile, which is seen when it is preprocessed.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
. tests/example_models.sh
objects=$KILN_BUILD/release
one=$TMPDIR/one
flags='-Wall -Wextra -Werror'
files='tests/golden/today/torus-raw.kiln tests/golden/today/binary-raw.kiln tests/golden/today/soup-raw.kiln'

# The digest of answers that another object gives in place of the library.
zlib=-lz
answers() { # answers OBJECT
    # shellcheck disable=SC2086
    gcc -pthread "$TMPDIR/ask_sets.o" "$1" $zlib -lm -o "$TMPDIR/ask" && "$TMPDIR/ask" $files
}

case_begin 'make amalgamation'
make_here amalgamation && mkdir "$one" &&
    cp "$KILN_BUILD/amalgamation/kiln.c" "$KILN_BUILD/amalgamation/"*.h "$one" ||
    case_fail 'make amalgamation'
gcc -std=c11 -O2 -ffp-contract=off -c tests/gate/arm64/ask_sets.c -o "$TMPDIR/ask_sets.o" ||
    case_fail 'the asking program does not compile'
answers "$KILN_BUILD/libkiln.a" >"$TMPDIR/library" && [ -s "$TMPDIR/library" ] ||
    case_fail 'the library gives no answers'
case_end

# The test's own objects and helpers with the one file in place of libkiln.a.
passes() { # passes OBJECT TEST
    helpers=$(find "$objects/tests/${2%/*}" -name '*.o' ! -name 'test_*')
    # shellcheck disable=SC2086
    gcc -pthread "$objects/tests/$2.o" $helpers "$1" "$objects/tests/libsupport.a" \
        "$objects/tests/libbench.a" "$KILN_BUILD/libkilnbake.a" -lcmocka -ljansson -lgmp -lz -lm -o "$TMPDIR/test" ||
        { case_fail "$2 does not link"; return; }
    KILN_TEST_QUICK=1 "$TMPDIR/test" >"$TMPDIR/out" 2>&1 || {
        case_fail "$2"
        grep -v '^\[ RUN\|^\[       OK' "$TMPDIR/out" | tail -20
    }
}

# compiled COMPILER...: this compiler makes one.o of it, whose answers are the library's. It is named from its folder,
# so that a cache of compilers knows it again, whose key holds the name.
compiled() {
    # shellcheck disable=SC2086
    (cd "$one" && "$@" $flags -c kiln.c -o kiln.o) || case_fail 'compile'
    answers "$one/kiln.o" >"$TMPDIR/answers" || case_fail 'ask'
    same "$TMPDIR/library" "$TMPDIR/answers"
}

# The example of a start, linked with the object that was compiled last, says what it says with the library.
baked="$TMPDIR/ship.kiln $TMPDIR/rock.kiln $TMPDIR/bins.kiln"
starts() { # starts COMPILER...
    # shellcheck disable=SC2086
    "$@" $flags -I"$one" -c tests/examples/startup/main.c -o "$TMPDIR/startup.o" &&
        gcc -pthread "$TMPDIR/startup.o" "$one/kiln.o" $zlib -lm -o "$TMPDIR/startup" || case_fail 'the example'
    # shellcheck disable=SC2086
    expect 0 "$TMPDIR/startup" $baked
    same "$TMPDIR/startup.wanted" "$TMPDIR/out"
}

case_begin 'the example of a start with the library'
make_models "$TMPDIR"
"$KILN" bake -q --layout raw -o "$TMPDIR/ship.kiln" "$TMPDIR/ship.obj" &&
    "$KILN" bake -q --layout raw -o "$TMPDIR/rock.kiln" "$TMPDIR/rock.gltf" &&
    "$KILN" lut bins -q --max-u 64 --layout raw -o "$TMPDIR/bins.kiln" || case_fail 'bake'
gcc -std=c11 -Iruntime tests/examples/startup/main.c "$KILN_BUILD/libkiln.a" -pthread -lz -lm \
    -o "$TMPDIR/startup" || case_fail 'compile'
# shellcheck disable=SC2086
expect 0 "$TMPDIR/startup" $baked
says out 'ship: 12 triangles, rock: 4 triangles'
cp "$TMPDIR/out" "$TMPDIR/startup.wanted"
case_end

case_begin 'clang++ -x c++ -std=c++17: the same answers'
compiled clang++ -x c++ -std=c++17
case_end
# Without zlib: raw files as before, packed ones refused with what to do about it. What optimisers make of the sources
# shows below, in C.
case_begin 'g++ -x c++ -std=c++20 -fno-exceptions -DKILN_NO_ZLIB: the same answers'
zlib=
compiled g++ -x c++ -std=c++20 -fno-exceptions -DKILN_NO_ZLIB
starts g++ -x c++ -std=c++20
zlib=-lz
case_end
case_begin 'KILN_NO_ZLIB: packed files are refused'
gcc -std=c11 $flags -Wpedantic -DKILN_NO_ZLIB -fsyntax-only "$one/kiln.c" || case_fail 'C'
gcc -std=c11 $flags tests/gate/no_zlib/refuses.c "$one/kiln.o" -lz -lm -pthread -o "$TMPDIR/refuses" || case_fail 'compile'
cp tests/golden/today/torus-raw.kiln "$TMPDIR/damaged.kiln"
printf U | dd of="$TMPDIR/damaged.kiln" bs=1 seek=34000 conv=notrunc 2>/dev/null
expect 0 "$TMPDIR/refuses" tests/golden/today/torus-packed.kiln tests/golden/today/torus-raw.kiln "$TMPDIR/damaged.kiln"
exactly out <<'END'
25, arriving 25: a packed file, and this build has no zlib: make it a raw one by 'kiln unpack'
0, arriving 0: 
23, arriving 23: damaged at offset N: a checksum of section 'triangles' does not match
checksums are those of zlib
END
case_end
# The tests of exact predicates and of what opens files for one compiler, of the queries for the other: which is
# which shows nothing, since every answer above is the same. Fused multiplications, which -march=native would bring, gcc
# makes from -O2 on; make all compiles by -O3.
half() { # half COMPILER TEST...
    compiler=$1
    shift
    case_begin "$compiler: the same answers, $*"
    # shellcheck disable=SC2086
    compiled $compiler
    for test; do
        passes "$one/kiln.o" "$test"
    done
    case_end
}

half 'clang -std=gnu11 -Wextra -O3 -march=native' property/test_triangles unit/test_exact unit/test_open
half 'gcc -std=gnu11 -Wextra -O2 -march=native' property/test_queries unit/test_exact unit/test_adb
case_begin 'the example of a start, by gcc'
starts gcc -std=gnu11
case_end

# What lets arithmetic be inexact, as far as the compiler tells of it.
refused() {
    case_begin "$* is refused"
    "$@" -E "$one/kiln.c" 2>"$TMPDIR/err" >/dev/null && case_fail 'it compiles'
    says err 'leave out -ffast-math'
    case_end
}

for compiler in 'gcc -std=gnu11' 'clang -std=gnu11' 'g++ -x c++ -std=c++17' 'clang++ -x c++ -std=c++17'; do
    for flag in -ffast-math -Ofast -ffinite-math-only; do
        # shellcheck disable=SC2086
        refused $compiler $flag
    done
done
refused gcc -funsafe-math-optimizations
refused gcc -fno-signed-zeros
case_begin 'the sources are refused, too'
gcc -std=c11 -O2 -ffast-math -E runtime/walk/pair_walk.c 2>"$TMPDIR/err" >/dev/null && case_fail 'compiles'
says err 'leave out -ffast-math'
case_end

cases_end
