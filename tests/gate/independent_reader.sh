#!/bin/sh
# The specification is enough: a reader written from it alone (tests/golden/independent_reader.py, which
# shares no line with the library) opens the kept files and fresh ones of every kind and layout, finds
# every rule kept and every box right, and the same hashes, nodes and facts as kiln.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

read_file() { # read_file FILE: leaves what was found in $TMPDIR/found
    /usr/bin/python3 tests/golden/independent_reader.py "$1" >"$TMPDIR/found" ||
        case_fail "$1: $(tail -n 1 "$TMPDIR/found")"
}

# What both tell: content hash, then for each tree its nodes, depth, triangles, closed and geometry.
facts='import json, sys
info = json.load(sys.stdin)
print("content", info["content_hash"])
for t in info.get("trees", []):
    closed = {"no": 0, "even": 1, "oriented": 2}[t["closed"]]
    print("tree", t["nodes"], t["depth"], t["triangles"], closed, t["geometry_hash"])'

agrees() { # agrees FILE
    read_file "$1"
    "$KILN" info --json "$1" | /usr/bin/python3 -c "$facts" >"$TMPDIR/theirs" || case_fail "$1: info"
    sed -nE "s/^  content hash ([0-9a-f]+) ok$/content \1/p
        s/^  tree .* nodes ([0-9]+) depth ([0-9]+) triangles ([0-9]+) closed (.) geometry /tree \1 \2 \3 \4 /p" \
        "$TMPDIR/found" >"$TMPDIR/ours"
    cmp -s "$TMPDIR/ours" "$TMPDIR/theirs" || case_fail "$1: $(diff "$TMPDIR/ours" "$TMPDIR/theirs")"
}

for folder in tests/golden/[1-9]* tests/golden/today; do
    case_begin "$folder"
    for file in "$folder"/*.kiln; do
        agrees "$file"
        name=${file##*/}
        if [ -e "$folder/kept.txt" ]; then
            digest=$(sed -n 's/^  digest //p' "$TMPDIR/found")
            grep -q "^file $name [0-9a-f]* $digest\$" "$folder/kept.txt" || case_fail "$file: digest"
        fi
    done
    case_end
done

fresh() { # fresh CASE OPTION...: what bake makes with them is read, and found as kiln finds it
    case_begin "$1"
    shift
    "$KILN" bake --quiet "$@" -o "$TMPDIR/fresh.kiln" || case_fail 'bake'
    agrees "$TMPDIR/fresh.kiln"
    case_end
}

"$KILN_BUILD/release/models/shapes" torus 2000 "$TMPDIR/torus.ply"
"$KILN_BUILD/release/models/shapes" lock 500 "$TMPDIR/lock.obj"
all=obb,aabb,obb2,aabb2,dop14,dop6,dop18,dop24,dop26,sphere,octree
fresh 'packed, of several blocks' --bv $all --leaf 1 "$TMPDIR/torus.ply"
fresh 'raw' --bv $all --layout raw "$TMPDIR/lock.obj"
fresh 'counts' --bv $all --adb=8 --adb-regions sectors "$TMPDIR/lock.obj"
fresh 'a tree a mesh' --bv $all --split mesh models/tiny/painted.obj
fresh 'on a grid' --bv $all --lossy-grid 10 "$TMPDIR/lock.obj"
fresh 'without polygons' --bv $all --adb --no-geometry models/tiny/cube.obj
for shape in point sliver needle; do
    for file in models/hard/C00[13]_$shape.obj; do
        [ ! -e "$file" ] || fresh "$shape" --bv $all "$file"
    done
done

case_begin 'a changed byte is refused'
"$KILN" bake --quiet --layout raw --bv $all models/tiny/cube.obj -o "$TMPDIR/cube.kiln" || case_fail 'bake'
size=$(wc -c <"$TMPDIR/cube.kiln")
for at in 3 9 70 130 $((size - 1)); do
    cp "$TMPDIR/cube.kiln" "$TMPDIR/changed.kiln"
    printf '\377' | dd of="$TMPDIR/changed.kiln" bs=1 seek="$at" conv=notrunc 2>/dev/null
    /usr/bin/python3 tests/golden/independent_reader.py "$TMPDIR/changed.kiln" >/dev/null &&
        case_fail "byte $at"
done
case_end

cases_end
