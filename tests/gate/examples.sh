#!/bin/sh
# The examples, built from an installed tree that was moved: pkg-config, make, ninja, CMake. Each bakes again what
# changed, a file that a model refers to among it, and nothing else. The example with the one file is built where that
# is compiled, by amalgamation.sh.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
. tests/example_models.sh

make_here "PREFIX=$TMPDIR/first/usr" install || exit 1
mv "$TMPDIR/first" "$TMPDIR/moved place"
root="$TMPDIR/moved place/usr"
PATH=$root/bin:$PATH
export PATH

case_begin 'startup, by pkg-config'
make_models "$TMPDIR"
(cd "$TMPDIR" && kiln bake -q --layout raw -o ship.kiln ship.obj &&
    kiln bake -q --layout raw -o rock.kiln rock.gltf &&
    kiln lut bins --max-u 64 --layout raw -o bins.kiln) >/dev/null || case_fail 'bake'
# The .pc file knows the prefix that was installed to.
mkdir -p "$TMPDIR/first" && ln -s "$root" "$TMPDIR/first/usr"
PKG_CONFIG_PATH=$TMPDIR/first/usr/lib/pkgconfig
export PKG_CONFIG_PATH
# shellcheck disable=SC2046
gcc -std=c11 -Wall -Wextra -Wpedantic -Werror tests/examples/startup/main.c \
    $(pkg-config --cflags --libs kiln) -lm -o "$TMPDIR/startup" || case_fail 'compile'
expect 0 env "LD_LIBRARY_PATH=$root/lib" "$TMPDIR/startup" "$TMPDIR/ship.kiln" "$TMPDIR/rock.kiln" \
    "$TMPDIR/bins.kiln"
says out 'ship: 12 triangles, rock: 4 triangles'
says out 'frames hit, the first is'
grep -q '^frame [0-9]*: triangle [0-9]* of the ship meets' "$TMPDIR/out" || case_fail 'never hit'
cp "$TMPDIR/out" "$TMPDIR/wanted"
expect 1 env "LD_LIBRARY_PATH=$root/lib" "$TMPDIR/startup" "$TMPDIR/ship.kiln" "$TMPDIR/ship.obj"
says err 'ship.obj'
case_end

case_begin 'scene, by pkg-config'
# shellcheck disable=SC2046
gcc -std=c11 -Wall -Wextra -Wpedantic -Werror tests/examples/scene/main.c \
    $(pkg-config --cflags --libs kiln) -lm -o "$TMPDIR/scene" || case_fail 'compile'
expect 0 env "LD_LIBRARY_PATH=$root/lib" "$TMPDIR/scene" "$TMPDIR/ship.kiln" "$TMPDIR/rock.kiln"
says out 'frame 6, time 0.8587'
says out 'at the beginnings of frames it meets 0'
case_end

# A box of edge 2 x half, flattened and lowered, each face n x n squares: 12 n n triangles.
make_box() {
    awk -v "n=$1" -v "half=$2" -v "high=$3" -v "down=$4" 'BEGIN {
        for (face = 0; face < 6; face++)
            for (i = 0; i <= n; i++)
                for (j = 0; j <= n; j++) {
                    side = face % 2 ? half : -half
                    u = half * (2 * i / n - 1); v = half * (2 * j / n - 1)
                    at[int(face / 2)] = side
                    at[(int(face / 2) + 1) % 3] = face % 2 ? u : v
                    at[(int(face / 2) + 2) % 3] = face % 2 ? v : u
                    print "v", at[0], at[1], at[2] * high - down
                }
        for (face = 0; face < 6; face++)
            for (i = 0; i < n; i++)
                for (j = 0; j < n; j++) {
                    a = 1 + face * (n + 1) * (n + 1) + i * (n + 1) + j
                    print "f", a, a + n + 1, a + n + 2, a + 1
                }
    }'
}
case_begin 'stack, by pkg-config: ten boxes of 4,800 triangles stand'
# shellcheck disable=SC2046
gcc -std=c11 -Wall -Wextra -Wpedantic -Werror tests/examples/stack/main.c \
    $(pkg-config --cflags --libs kiln) -lm -o "$TMPDIR/stack" || case_fail 'compile'
make_box 20 0.5 1 0 >"$TMPDIR/box.obj"
make_box 1 6 0.25 1.5 >"$TMPDIR/ground.obj"
(cd "$TMPDIR" && kiln bake -q --layout raw -o box.kiln box.obj && kiln bake -q --layout raw -o ground.kiln ground.obj) ||
    case_fail 'bake'
expect 0 env "LD_LIBRARY_PATH=$root/lib" "$TMPDIR/stack" 0.75 10 "$TMPDIR/ground.kiln" "$TMPDIR/box.kiln"
says out '10 bodies after 90 steps'
says out 'they stand'
expect 0 env "LD_LIBRARY_PATH=$root/lib" "$TMPDIR/stack" 1.5 drop "$TMPDIR/ground.kiln" "$TMPDIR/box.kiln"
says out 'body 1: 0.05'
case_end

case_begin 'startup, by pkg-config --static'
# shellcheck disable=SC2046
gcc -std=c11 -static tests/examples/startup/main.c $(pkg-config --static --cflags --libs kiln) \
    -o "$TMPDIR/startup_static" || case_fail 'compile'
expect 0 "$TMPDIR/startup_static" "$TMPDIR/ship.kiln" "$TMPDIR/rock.kiln" "$TMPDIR/bins.kiln"
same "$TMPDIR/out" "$TMPDIR/wanted"
case_end

case_begin 'make'
cp -r tests/examples/make "$TMPDIR/make" && make_models "$TMPDIR/make"
in_make() { make -s -C "$TMPDIR/make" "$@"; }
in_make || case_fail 'make'
[ -s "$TMPDIR/make/baked/ship.kiln" ] && [ -s "$TMPDIR/make/baked/rock.kiln" ] || case_fail 'no files'
in_make -q || case_fail 'a second run would do something'
change "$TMPDIR/make/rock.bin"
in_make -n >"$TMPDIR/out"
says out 'baked/rock.kiln'
grep -q 'baked/ship.kiln' "$TMPDIR/out" && case_fail 'the ship has not changed'
in_make && in_make -q || case_fail 'make again'
case_end

case_begin 'ninja'
if command -v ninja >/dev/null 2>&1; then
    cp -r tests/examples/ninja "$TMPDIR/ninja" && make_models "$TMPDIR/ninja"
    expect 0 ninja -C "$TMPDIR/ninja"
    expect 0 ninja -C "$TMPDIR/ninja"
    says out 'no work to do'
    change "$TMPDIR/ninja/ship.mtl"
    expect 0 ninja -C "$TMPDIR/ninja"
    says out '[1/1] BAKE baked/ship.kiln'
    case_end
else
    case_skip 'ninja is not installed'
fi

case_begin 'what Bazel runs'
cp -r tests/examples/bazel "$TMPDIR/bazel" && mkdir "$TMPDIR/bazel/in" "$TMPDIR/bazel/a # b" &&
    make_models "$TMPDIR/bazel/in"
(cd "$TMPDIR/bazel" && sed -i 's|"rock.bin"|"../a # b/$5.bin"|' in/rock.gltf && mv in/rock.bin "a # b/\$5.bin")
# run DECLARED...: the exit status wanted in $status
run() {
    printf '%s\n' "$@" >"$TMPDIR/bazel/declared"
    expect $status sh -c "cd '$TMPDIR/bazel' && rm -f out.kiln && kiln/kiln_bake.sh '$root/bin/kiln' declared out.d out.kiln $model --layout=raw"
    [ $status -eq 0 ] || [ ! -e "$TMPDIR/bazel/out.kiln" ] || case_fail 'it is baked'
}
model=in/ship.obj status=0
run 'read in/ship.obj' 'read in/ship.mtl'
same "$TMPDIR/bazel/out.kiln" "$TMPDIR/ship.kiln"
status=3
run 'read in/ship.obj'
says err 'kiln_bake: in/ship.obj: refers to in/ship.mtl, which is not declared'
rm "$TMPDIR/bazel/in/ship.mtl"
run 'read in/ship.obj' 'absent other.mtl'
says err 'kiln_bake: in/ship.obj: refers to ship.mtl, which is not there'
status=0
run 'read in/ship.obj' 'absent ship.mtl'
sed 's/^mtllib .*/mtllib a\\"b"\\ship.mtl/' "$TMPDIR/bazel/in/ship.obj" >"$TMPDIR/bazel/in/odd.obj"
model=in/odd.obj
run 'read in/odd.obj' 'absent a\"b"\ship.mtl'
status=3
run 'read in/odd.obj' 'absent a\\"b"\\ship.mtl'
status=0
model=in/rock.gltf
run 'read in/rock.gltf' 'read a # b/$5.bin'
status=3
run 'read in/rock.gltf' 'read a # b/5.bin'
says err 'rock.gltf: refers to in/../a # b/$5.bin, which is not declared'
case_end

if command -v cmake >/dev/null 2>&1; then
    for generator in 'Unix Makefiles' Ninja; do
        case_begin "CMake, $generator"
        work="$TMPDIR/cmake $generator"
        mkdir "$work" && cp -r tests/examples/startup tests/examples/cmake "$work" &&
            make_models "$work/cmake"
        expect 0 cmake -S "$work/cmake" -B "$work/build" -G "$generator" "-DCMAKE_PREFIX_PATH=$root"
        expect 0 cmake --build "$work/build"
        for program in startup startup_static; do
            expect 0 "$work/build/$program" "$work/build/assets/ship.kiln" \
                "$work/build/assets/rock.kiln" "$TMPDIR/bins.kiln"
            same "$TMPDIR/out" "$TMPDIR/wanted"
        done
        expect 0 cmake --build "$work/build"
        grep -q 'Baking' "$TMPDIR/out" && case_fail 'nothing has changed'
        change "$work/cmake/ship.mtl"
        expect 0 cmake --build "$work/build"
        says out 'Baking ship.kiln'
        grep -q 'Baking rock' "$TMPDIR/out" && case_fail 'the rock has not changed'
        case_end
    done

    # With the policies of an old CMake, too, and with all arguments.
    for generator in 'Unix Makefiles' Ninja 'Ninja Multi-Config'; do
        case_begin "kiln_bake, every argument, $generator"
        work="$TMPDIR/all $generator"
        mkdir -p "$work/a" "$work/b/c" && make_models "$work"
        cp "$work/ship.obj" "$work/a/x.obj"
        cp models/tiny/cube.obj "$work/b/c/x.obj"
        printf 'kiln: 1\nassets: ["a/*.obj", "b/**/*.obj"]\n' >"$work/kiln.yaml"
        cat >"$work/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.16)
project(everything NONE)
find_package(kiln 0.1 REQUIRED)
kiln_bake(flat ALL MODELS ship.obj OUTPUT_DIRECTORY flat)
kiln_bake(tree ALL MODELS a/x.obj b/c/x.obj BASE_DIRECTORY . OUTPUT_DIRECTORY tree
          OPTIONS --layout raw)
kiln_bake(configured ALL MODELS ship.obj OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/$<CONFIG>")
kiln_bake(listed ALL MANIFEST kiln.yaml OUTPUT_DIRECTORY listed)
get_target_property(files tree KILN_FILES)
install(FILES ${files} DESTINATION share)
END
        # The first configuration of several is Debug, as the one of others is here.
        expect 0 cmake -S "$work" -B "$work/out" -G "$generator" -DCMAKE_BUILD_TYPE=Debug \
            "-DCMAKE_PREFIX_PATH=$root" "-DCMAKE_INSTALL_PREFIX=$work/installed"
        expect 0 cmake --build "$work/out"
        for file in flat/ship tree/a/x tree/b/c/x Debug/ship listed/a/x listed/b/c/x; do
            [ -s "$work/out/$file.kiln" ] || case_fail "$file.kiln was not baked"
        done
        before=$(cksum "$work"/out/*/*.kiln "$work"/out/*/*/*.kiln)
        stamp=$(ls -l --time-style=full-iso "$work/out/listed/a/x.kiln")
        expect 0 cmake --build "$work/out"
        grep -q 'Baking.*\.kiln' "$TMPDIR/out" && case_fail "nothing has changed: $(cat "$TMPDIR/out")"
        [ "$stamp" = "$(ls -l --time-style=full-iso "$work/out/listed/a/x.kiln")" ] ||
            case_fail 'the manifest is baked again'
        change "$work/ship.mtl"
        expect 0 cmake --build "$work/out"
        says out 'Baking ship.kiln'
        grep -q 'Baking .*x.kiln' "$TMPDIR/out" && case_fail 'the others have not changed'
        [ "$before" != '' ] && expect 0 cmake --install "$work/out"
        ls "$work"/installed/share/*.kiln >/dev/null || case_fail 'not installed'

        # A side file that goes and comes again is one bake each time, as other options are.
        for file in away back options importer; do
            sleep 0.02
            case $file in
            away) mv "$work/ship.mtl" "$work/kept.mtl" ;;
            back) mv "$work/kept.mtl" "$work/ship.mtl" ;;
            options) sed -i 's/--layout raw/--layout raw --leaf 2/' "$work/CMakeLists.txt" ;;
            importer) touch "$root/libexec/kiln/kiln-import" ;;
            esac
            [ $file = options ] && wanted='Baking a/x.kiln' || wanted='Baking ship.kiln'
            expect 0 cmake --build "$work/out"
            says out "$wanted"
            for build in second third; do
                expect 0 cmake --build "$work/out"
                grep -q 'Baking.*\.kiln' "$TMPDIR/out" && case_fail "$file: the $build build bakes again"
            done
        done
        expect 0 "$root/bin/kiln" info --json "$work/out/tree/a/x.kiln"
        says out '"leaf": 2'

        # Another prefix: command and library of that one.
        [ -e "$TMPDIR/other" ] || cp -r "$root" "$TMPDIR/other"
        expect 0 cmake -S "$work" -B "$work/out" "-Dkiln_DIR=$(dirname "$(find "$TMPDIR/other" -name kilnConfig.cmake)")"
        grep -rqF "$root/bin/kiln" "$work/out" --include=build.make --include='*.ninja' &&
            case_fail 'the command is that of the old prefix'
        case_end
    done

    case_begin 'kiln_bake: what it refuses, by name'
    mkdir -p "$TMPDIR/refused"
    # refused TEXT ARGUMENT...
    refused() {
        wanted_text=$1
        shift
        printf 'cmake_minimum_required(VERSION 3.20)\nproject(p NONE)\nfind_package(kiln REQUIRED)\nkiln_bake(%s)\n' \
            "$*" >"$TMPDIR/refused/CMakeLists.txt"
        rm -rf "$TMPDIR/refused/out"
        expect 1 cmake -S "$TMPDIR/refused" -B "$TMPDIR/refused/out" "-DCMAKE_PREFIX_PATH=$root"
        tr -s '\n ' ' ' <"$TMPDIR/err" >"$TMPDIR/flat" && mv "$TMPDIR/flat" "$TMPDIR/err"
        says err "$wanted_text"
    }
    refused "kiln_bake: 'a#b.obj' has one of #" 't MODELS "a#b.obj"'
    refused "kiln_bake: 'a:b.obj' has one of #" 't MODELS "a:b.obj"'
    refused 'two models would be baked into' 't MODELS a/x.obj b/x.obj'
    refused 'is not below BASE_DIRECTORY' 't MODELS ../x.obj BASE_DIRECTORY .'
    refused 'kiln_bake(NAME MODELS FILE...' 't MODELS x.obj MANIFEST kiln.yaml'
    refused 'kiln_bake(NAME MODELS FILE...' 't'
    case_end

    case_begin 'CMake: versions'
    mkdir "$TMPDIR/versions"
    # asked FOR 0|1: is a request for this version refused?
    asked() {
        printf 'cmake_minimum_required(VERSION 3.20)\nproject(p C)\nfind_package(kiln %s REQUIRED)\n' \
            "$1" >"$TMPDIR/versions/CMakeLists.txt"
        rm -rf "$TMPDIR/versions/build"
        expect "$2" cmake -S "$TMPDIR/versions" -B "$TMPDIR/versions/build" \
            "-DCMAKE_PREFIX_PATH=$root"
    }
    asked '' 0
    asked 0.1 0
    asked "$("$root/bin/kiln" --version | sed 's/kiln //;s/ .*//;q') EXACT" 0
    asked 0.0 1
    asked 99 1
    case_end
else
    case_begin 'CMake'
    case_skip 'cmake is not installed'
fi

cases_end
