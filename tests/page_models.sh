# shellcheck shell=sh
# For test scripts in sh that run the code of pages: a folder with the files that examples and recipes name. The command
# is in it as bin/kiln, which comes first in PATH.

make_page_models() { # make_page_models FOLDER
    mkdir -p "$1/bin" "$1/assets" || return 1
    ln -s "$KILN" "$1/bin/kiln"
    ln -s "$KILN_BUILD/libexec" "$1/libexec" # where the library looks for readers of models
    cp models/tiny/cube.obj "$1/ship.obj"
    cp models/tiny/tetrahedron.obj "$1/rock.obj"
    cp "$1/ship.obj" "$1/rock.obj" "$1/assets"
    # Hills of 1152 triangles.
    awk 'BEGIN {
        n = 24
        print "o ground"
        for (y = 0; y <= n; y++) for (x = 0; x <= n; x++) print "v", x, y, 0.5 * sin(x) * cos(y)
        for (y = 0; y < n; y++) for (x = 0; x < n; x++) {
            a = y * (n + 1) + x + 1
            print "f", a, a + 1, a + n + 2, a + n + 1
        }
    }' >"$1/level.obj"
    printf '1 0 0 0  0 1 0 0  0 0 1 0\n1 0 0 0.5  0 1 0 0  0 0 1 0\n' >"$1/poses.txt"
    PATH=$1/bin:$PATH
    export PATH
    (cd "$1" && for model in ship rock level; do
        kiln bake --quiet "$model.obj" -o "$model.kiln" || exit 1
    done && kiln bake --quiet ship.obj -o counted.kiln --adb && kiln bake --quiet ship.obj -o soft.kiln --bv aabb &&
        kiln bake --quiet rock.obj -o cached.kiln --cache cache)
}

# cc, pkg-config and python3 as they are where kiln is installed, of this build, with warnings as errors.
make_page_compiler() { # make_page_compiler FOLDER
    cat >"$1/bin/pkg-config" <<END
#!/bin/sh
echo "-I$PWD/runtime -I$PWD/tools $KILN_BUILD/libkilnbake.a $KILN_BUILD/libkiln.a -ljansson -lgmp -lz -lm -pthread"
END
    cat >"$1/bin/cc" <<'END'
#!/bin/sh
exec gcc -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Werror "$@"
END
    cat >"$1/bin/python3" <<END
#!/bin/sh
PYTHONPATH=$KILN_BUILD/python exec /usr/bin/python3 -B "\$@"
END
    chmod +x "$1/bin/pkg-config" "$1/bin/cc" "$1/bin/python3"
}
