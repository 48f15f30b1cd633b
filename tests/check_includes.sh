#!/bin/sh
# Includes point one way. Each folder below may include itself and the folders named behind it; nothing
# includes tests. Folders of one line are listed from the ground up, so that no two can include each other.
# Sources may not include each other in a circle either: the headers of x.c are those that x.c or x.h
# includes, and following them must never lead back to x.h. Every shell script must parse as sh.
cd "$(dirname "$0")/.." || exit 1
bad=0

# FOLDER: what it may include besides itself; `kiln.h` and `kiln_bake.h` are public headers.
folders='
formats:
lut: formats
runtime/base: formats kiln.h
runtime/exact: formats runtime/base kiln.h
runtime/pose: formats runtime/base runtime/exact kiln.h
runtime/kernel: formats runtime/base runtime/exact runtime/pose kiln.h
runtime/open: formats runtime/base kiln.h
runtime/walk: formats runtime/base runtime/exact runtime/pose runtime/kernel kiln.h
runtime/query: formats runtime/base runtime/exact runtime/pose runtime/kernel runtime/walk kiln.h
runtime/front: formats runtime/base runtime/exact runtime/pose runtime/kernel runtime/walk runtime/query kiln.h
runtime/regions: formats runtime/base runtime/exact runtime/pose runtime/kernel runtime/walk runtime/query kiln.h
runtime/scene: formats runtime/base runtime/pose runtime/query kiln.h
runtime/self: formats runtime/base runtime/exact runtime/pose runtime/kernel runtime/walk runtime/query kiln.h
runtime/spheres: formats runtime/base runtime/exact runtime/pose runtime/kernel runtime/walk runtime/query kiln.h
runtime/winding: formats runtime/base runtime/exact runtime/pose runtime/kernel runtime/query kiln.h
runtime/sweep: formats runtime/base runtime/exact runtime/pose runtime/kernel runtime/walk runtime/query kiln.h
runtime/front: formats runtime/base runtime/exact runtime/pose runtime/kernel runtime/walk runtime/query kiln.h
runtime/axes: formats lut runtime/base runtime/open kiln.h
runtime/continuous: formats runtime/base runtime/exact runtime/pose runtime/kernel kiln.h
runtime/adb: formats runtime/base runtime/pose runtime/kernel runtime/open runtime/walk kiln.h
runtime/bins: formats lut runtime/base runtime/open kiln.h
runtime/wasm: kiln.h
runtime/python/extension: kiln.h kiln_bake.h
tools/common: formats kiln.h kiln_bake.h
tools/import: formats tools/common kiln.h kiln_bake.h
tools/import/collada: formats tools/common tools/import kiln_bake.h
tools/import/fbx: formats tools/common tools/import kiln_bake.h
tools/import/gltf: formats tools/common tools/import kiln_bake.h
tools/import/threemf: formats tools/common tools/import kiln_bake.h
tools/import/x3d: formats tools/common tools/import kiln_bake.h
tools/tree: formats tools/common kiln_bake.h
tools/count: formats tools/common tools/tree kiln_bake.h
tools/encode: formats lut tools/common tools/tree tools/count kiln.h kiln_bake.h
tools/bake: formats tools/common tools/import tools/tree tools/count tools/encode kiln.h kiln_bake.h
tools/export: formats tools/common kiln.h
tools/view: formats tools/common
tools/cmd/kit: formats tools/common tools/import kiln.h kiln_bake.h
tools/cmd/batch: formats tools/common tools/import tools/count tools/bake tools/view tools/cmd/kit kiln.h kiln_bake.h
tools/cmd/verbs: formats lut tools/common tools/import tools/tree tools/count tools/encode tools/bake tools/export tools/view tools/cmd/kit tools/cmd/batch kiln.h kiln_bake.h
tools/cmd: tools/cmd/kit tools/cmd/verbs
'

# "FILE TARGET" for every include in quotes below the folders of the product, as paths from the top.
edges=$(find formats lut runtime tools \( -name '*.[ch]' -o -name '*.inc' -o -name '*.cpp' \) -exec awk '
    function folder_of(path) { sub(/\/[^\/]*$/, "", path); return path }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
        target = $0
        sub(/^[^"]*"/, "", target)
        sub(/".*/, "", target)
        target = folder_of(FILENAME) "/" target
        while (match(target, /[^\/.][^\/]*\/\.\.\//))
            target = substr(target, 1, RSTART - 1) substr(target, RSTART + RLENGTH)
        print FILENAME, target
    }' {} +)

printf '%s\n' "$folders" "= $edges" | awk '
    function folder_of(path) { sub(/\/[^\/]*$/, "", path); return path }
    /^= / { edges = 1; sub(/^= /, "") }
    !edges && NF {
        folder = $1
        sub(/:$/, "", folder)
        known[folder] = 1
        for (i = 2; i <= NF; i++)
            allowed[folder, $i] = 1
        next
    }
    NF == 2 {
        from = folder_of($1); to = folder_of($2)
        if ($2 ~ /^runtime\/kiln(_[a-z]+)?\.h$/) to = "kiln.h"
        if ($2 == "tools/kiln_bake.h") to = "kiln_bake.h"
        if (from == "runtime" || from == "tools") next # public headers; they are checked to stand alone
        if (!(from in known)) { print $1 ": its folder is not listed in tests/check_includes.sh"; bad = 1 }
        else if (from != to && !((from, to) in allowed)) {
            print $1 " includes " $2 ", which its folder must not"; bad = 1
        }
    }
    END { exit bad }' || bad=1

# A circle between sources: tsort names it. x.c and x.h count as one, and including oneself is none.
circles=$(printf '%s\n' "$edges" | sed 's/\.[a-z]* / /; s/\.[a-z]*$//' | awk '$1 != $2' | tsort 2>&1 >/dev/null)
if [ -n "$circles" ]; then
    printf 'includes go round in circles:\n%s\n' "$circles"
    bad=1
fi

for script in .ci/deps .ci/run $(find tests models -name '*.sh'); do
    sh -n "$script" || bad=1
done
exit $bad
