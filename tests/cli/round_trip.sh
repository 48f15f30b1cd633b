#!/bin/sh
# From a model to answers: bake, info, verify, unpack, collide.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

cube=$TMPDIR/cube.kiln
raw=$TMPDIR/raw.kiln

case_begin 'bake says nothing into a pipe'
expect 0 "$KILN" bake models/tiny/cube.obj -o "$cube" --bv obb,aabb
silent out
silent err
case_end

case_begin 'info'
expect 0 "$KILN" info "$cube"
says out 'faces          12'
says out 'bounds         0 0 0 .. 1 1 1'
says out 'area           6'
says out 'signed volume  1'
says out 'packed'
case_end

case_begin 'info --json'
expect 0 "$KILN" info --json "$cube"
for text in '"faces": 12' '"area": 6.0' '"signed_volume": 1.0' '"points_left_out": 0' \
    '"lines_left_out": 0' '"bv": "obb"' '"bv": "aabb"' '"bytes_packed"' '"depth": 1'; do
    says out "$text"
done
case_end

case_begin 'what bytes go to, and how they are packed'
says out '"bytes_per_triangle_of"'
says out '"transform": "edges"'
expect 0 "$KILN" info "$cube"
says out 'a triangle     nodes'
says out 'packed by'
case_end

case_begin 'a lossy grid is told in report, file and document'
expect 0 "$KILN" bake --lossy-grid 4 models/hard/C003_small.obj -o "$TMPDIR/lossy.kiln"
says err 'lossy: vertices moved to a grid of step'
expect 0 "$KILN" info "$TMPDIR/lossy.kiln"
says out 'lossy          vertices moved to a grid of step'
expect 0 "$KILN" verify "$TMPDIR/lossy.kiln"
expect 0 "$KILN" info --json "$TMPDIR/lossy.kiln"
says out '"lossy_grid": 4'
says out '"lossy_moved"'
expect 0 "$KILN" bake --json --lossy-grid 4 models/hard/C003_small.obj -o "$TMPDIR/lossy.kiln"
says out '"lossy_step"'
expect 1 "$KILN" bake --lossy-grid 3 models/tiny/cube.obj -o "$TMPDIR/lossy.kiln"
case_end

case_begin 'points and lines are counted'
expect 0 "$KILN" bake models/tiny/mixed.obj -o "$TMPDIR/mixed.kiln"
says err 'left out: 1 point (see --points), 2 lines'
expect 0 "$KILN" bake -q models/tiny/mixed.obj -o "$TMPDIR/mixed.kiln"
silent err
expect 0 "$KILN" info --json "$TMPDIR/mixed.kiln"
says out '"faces": 2'
says out '"points_left_out": 1'
says out '"lines_left_out": 2'
case_end

case_begin 'what was left out and what is open stays known'
printf 'v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 2 99\nf 1 3 4\nf 1 2 77\nf 1 2 78\nf 1 1 2\nf 3 2 1\np 1\n' \
    >"$TMPDIR/open.obj"
expect 0 "$KILN" bake --on-bad drop "$TMPDIR/open.obj" -o "$TMPDIR/open.kiln"
expect 0 "$KILN" info "$TMPDIR/open.kiln"
says out 'left out       3 faces, 1 point, 0 lines'
says out 'node "/default", face 1, 3 to 4: an index is past the end of'
says out 'kept           1 face without area, 1 that another covers'
says out 'closed         no: some edges have no second face'
says out 'signed volume  none (a sum of 0)'
expect 0 "$KILN" info --json "$TMPDIR/open.kiln"
says out '"closed": "no"'
says out '"dropped_listed": 3'
expect 0 "$KILN" info "$cube"
says out 'left out       0 faces, 0 points, 0 lines'
says out 'closed         yes'
says out 'signed volume  1'
case_end

case_begin 'verify'
expect 0 "$KILN" verify "$cube"
says out 'sound; 2 trees, 24 triangles'
expect 0 "$KILN" verify -q "$cube"
silent out
case_end

case_begin 'unpacked, baked raw, and packed again'
expect 0 "$KILN" unpack "$cube" -o "$raw"
expect 0 "$KILN" verify "$raw"
expect 0 "$KILN" bake models/tiny/cube.obj -o "$TMPDIR/raw2.kiln" --bv obb,aabb --layout raw
same "$raw" "$TMPDIR/raw2.kiln"
expect 0 "$KILN" unpack "$raw" -o "$TMPDIR/packed.kiln" --layout packed
same "$cube" "$TMPDIR/packed.kiln"
case_end

case_begin 'standard input and output'
"$KILN" bake - --format obj -o - --bv obb,aabb --json <models/tiny/cube.obj \
    >"$TMPDIR/piped.kiln" 2>"$TMPDIR/err" || case_fail 'status is not 0'
says err '"faces": 12'
expect 0 "$KILN" verify "$TMPDIR/piped.kiln"
case_end

# collide ANSWER ARGUMENT...: with the poses on standard input.
collide() {
    wanted=$1
    shift
    got=$("$KILN" collide "$@" --poses "$TMPDIR/poses" | tr '\n' ' ')
    [ "$got" = "$wanted" ] || case_fail "says '$got', not '$wanted': $*"
}

cat >"$TMPDIR/poses" <<'END'
# apart, touching, overlapping, at the same place
1 0 0 1.5  0 1 0 0  0 0 1 0

1 0 0 1    0 1 0 0  0 0 1 0
1 0 0 0.5  0 1 0 0.25  0 0 1 0.25   # a comment
1,0,0,0,0,1,0,0,0,0,1,0
1 0 0 7  0 1 0 0  0 0 1 0   1 0 0 8.5  0 1 0 0  0 0 1 0
END

case_begin 'counts of possible collision cells'
expect 0 "$KILN" bake models/tiny/cube.obj -o "$TMPDIR/adb.kiln" --bv obb,aabb2 --adb --json
for text in '"boxes": 9' '"bytes_counts": 108' '"adb"' '"grid": 4'; do
    "$KILN" info --json "$TMPDIR/adb.kiln" | grep -qF "$text" || case_fail "info does not say $text"
done
COLUMNS=200 expect 0 "$KILN" info "$TMPDIR/adb.kiln"
says out 'cells 4^3, octants, mean section x 0.75, polygons of the subtree'
expect 0 "$KILN" verify --full "$TMPDIR/adb.kiln"
says out 'boxes counted again'
expect 0 "$KILN" bake models/tiny/cube.obj -o "$TMPDIR/adb.kiln" --adb=8 --adb-area max \
    --adb-area-factor 0.7 --adb-polygons box --adb-regions sectors
COLUMNS=200 expect 0 "$KILN" info "$TMPDIR/adb.kiln"
says out 'cells 8^3, sectors, max section x 0.7, polygons of the box'
expect 0 "$KILN" unpack "$TMPDIR/adb.kiln" -o "$TMPDIR/adb_raw.kiln"
expect 0 "$KILN" verify --full "$TMPDIR/adb_raw.kiln"
case_end

case_begin 'a file without polygons'
expect 0 "$KILN" bake models/tiny/cube.obj -o "$TMPDIR/none.kiln" --adb --no-geometry
expect 0 "$KILN" verify --full "$TMPDIR/none.kiln"
expect 0 "$KILN" info "$TMPDIR/none.kiln"
says out 'baked without polygons'
expect 0 "$KILN" info --json "$TMPDIR/none.kiln"
expect 3 "$KILN" collide "$TMPDIR/none.kiln" "$cube"
says err 'baked without polygons'
case_end

for kinds in obb aabb obb,aabb aabb,obb; do
    case_begin "collide --bv $kinds, packed and raw"
    collide '0 1 1 1 0 ' --bv $kinds "$cube" "$cube"
    collide '0 1 1 1 0 ' --bv $kinds "$raw" "$cube"
    collide '0 1 1 1 0 ' --bv $kinds "$cube" "$raw"
    case_end
done

case_begin 'collide --mode pairs and contacts'
"$KILN" collide --mode pairs "$cube" "$cube" --poses "$TMPDIR/poses" >"$TMPDIR/pairs"
"$KILN" collide --mode contacts "$cube" "$cube" --poses "$TMPDIR/poses" >"$TMPDIR/contacts"
cut -d' ' -f1,2 "$TMPDIR/contacts" >"$TMPDIR/cut"
same "$TMPDIR/pairs" "$TMPDIR/cut"
awk '$2 != NF - 2 { exit 1 }' "$TMPDIR/contacts" || case_fail 'the count is not that of the pairs'
[ "$(head -1 "$TMPDIR/pairs")" = '0 0' ] || case_fail 'pairs of a miss'
sed -n 4p "$TMPDIR/contacts" | tr ' ' '\n' | grep -q '^11:11$' || case_fail 'no 11:11 at one place'
case_end

case_begin 'collide --witness names faces of the source'
expect 0 "$KILN" bake models/tiny/tetrahedron.obj -o "$TMPDIR/tip.kiln"
echo '1 0 0 0.7  0 1 0 0.2  0 0 1 0.9' >"$TMPDIR/one"
expect 0 "$KILN" collide -w "$cube" "$TMPDIR/tip.kiln" --poses "$TMPDIR/one"
awk '$1 != 1 || $2 > 5 || $3 > 3 { exit 1 }' "$TMPDIR/out" || case_fail "says $(cat "$TMPDIR/out")"
case_end

case_begin 'collide --mode distance, within and geometry'
# Three apart along x, touching, and in one place.
printf '%s\n' '1 0 0 4 0 1 0 0 0 0 1 0' '1 0 0 1 0 1 0 0 0 0 1 0' '1 0 0 0 0 1 0 0 0 0 1 0' >"$TMPDIR/near"
near() { "$KILN" collide "$cube" "$cube" --poses "$TMPDIR/near" "$@" | tr '\n' ' '; }
width=$(near --mode distance | cut -d' ' -f2)
[ "$(near --mode distance | cut -d' ' -f1,3-6)" = '0 1 0 1 0' ] || case_fail "$(near --mode distance)"
[ "$(near --mode within --distance "$width")" = '1 1 1 ' ] || case_fail 'not within its distance'
[ "$(near --mode within --distance 0)" = '0 1 1 ' ] || case_fail 'within 0'
near --mode within --distance 1e9 -w | grep -q '^1 [0-9]* [0-9]* 1' || case_fail 'no pair'
near --mode geometry | grep -q '^0 0 0 1 [1-9][0-9]* 0   [0-9]*:[0-9]*  ' || case_fail "$(near --mode geometry)"
# A corner that is stuck into a face: where, which way out, and how deep.
printf 'v 0 0 0\nv 4 0 0\nv 0 4 0\nf 1 2 3\n' >"$TMPDIR/floor.obj"
printf 'v 1 1 -0.25\nv 1 0.5 1\nv 1 1.5 1\nf 1 2 3\n' >"$TMPDIR/thorn.obj"
"$KILN" bake -q "$TMPDIR/floor.obj" -o "$TMPDIR/floor.kiln"
"$KILN" bake -q "$TMPDIR/thorn.obj" -o "$TMPDIR/thorn.kiln"
exact 0 "$KILN" collide "$TMPDIR/floor.kiln" "$TMPDIR/thorn.kiln" --mode geometry <<'END'
1 1 0.25
  0:0  1 1 0  0.0000 0.0000 -1.0000  0.25
END
expect 0 "$KILN" collide "$cube" "$cube" --poses "$TMPDIR/near" --mode distance --json
for text in '"distance": ' '"point_a"' '"normal"' '"hits": 2'; do says out "$text"; done
expect 0 "$KILN" collide "$cube" "$cube" --poses "$TMPDIR/near" --mode geometry --json
for text in '"depth": 0' '"from"' '"to"'; do says out "$text"; done
case_end

case_begin 'collide --mode sweep: two poses a line'
# From afar through it; past it; within it from the start; turning in place, by its corner. The cube is 0 to 1.
cat >"$TMPDIR/ways" <<'END'
1 0 0 -1001  0 1 0 0.25  0 0 1 0.25   1 0 0 999  0 1 0 0.25  0 0 1 0.25
1 0 0 -1001  0 1 0 1.25  0 0 1 0.25   1 0 0 999  0 1 0 1.25  0 0 1 0.25
1 0 0 0.5  0 1 0 0.25  0 0 1 0.25   1 0 0 9  0 1 0 0.25  0 0 1 0.25
1 0 0 -0.25  0 1 0 -1.25  0 0 1 0   0 1 0 -0.25  -1 0 0 -1.25  0 0 1 0
END
sweep() { "$KILN" collide "$cube" "$cube" --poses "$TMPDIR/ways" --mode sweep "$@"; }
sweep >"$TMPDIR/out" || case_fail "$?"
# Up to 0.499999 and 0.5; a quarter turn down does not meet it, three quarters up do.
awk 'NR == 1 && !($1 > 0.499999 && $1 <= 0.5) { exit 1 } NR == 2 && $0 != "-" { exit 1 } NR == 3 && $1 != 0 { exit 1 }
    NR == 4 && $0 != "-" { exit 1 } END { exit NR != 4 }' "$TMPDIR/out" || case_fail "$(cat "$TMPDIR/out")"
sed -n 4p "$TMPDIR/ways" >"$TMPDIR/turn"
"$KILN" collide "$cube" "$cube" --poses "$TMPDIR/turn" --mode sweep --turns -1 >"$TMPDIR/out"
awk '!($1 > 0.06 && $1 < 0.07) { exit 1 }' "$TMPDIR/out" || case_fail "$(cat "$TMPDIR/out")"
sweep -w | head -n 1 | grep -q '^0.49999[0-9]* [0-9] [0-9]$' || case_fail "$(sweep -w)"
sweep --tolerance 0.25 | sed -n 2p | grep -q '^0[.]' || case_fail 'a graze within the tolerance'
sweep --steps 1 | head -n 1 | grep -q '^? 0' || case_fail "$(sweep --steps 1)"
expect 0 "$KILN" collide "$cube" "$cube" --poses "$TMPDIR/ways" --mode sweep --json
for text in '"time": 0.49999' '"time": null' '"touching": true' '"tolerance": ' '"hits": 2' '"complete": true'; do says out "$text"; done
expect 3 "$KILN" collide "$cube" "$cube" --poses "$TMPDIR/near" --mode sweep
says err 'line 1: --mode sweep takes two poses a line'
case_end

case_begin 'collide --mode coherent: the answers of hit along a path, and how they were found'
# To and fro, in and out; B stays, moves a little, a lot.
awk 'BEGIN { for (i = 0; i < 400; i++) { x = i < 200 ? 1.5 - i / 200 : (i - 200) / 100; print 1, 0, 0, x, 0, 1, 0, 0.25, 0, 0, 1, 0.25 }
    for (i = 0; i < 20; i++) print 1, 0, 0, 3 * (i % 2), 0, 1, 0, 0.25, 0, 0, 1, 0.25 }' >"$TMPDIR/path"
for mode in hit coherent; do
    "$KILN" collide "$cube" "$cube" --poses "$TMPDIR/path" --mode $mode >"$TMPDIR/$mode" || case_fail "$?"
done
cmp "$TMPDIR/hit" "$TMPDIR/coherent" || case_fail 'answers differ'
"$KILN" collide "$cube" "$cube" --mode coherent -w | grep -q '^1 [0-9]* [0-9]*$' || case_fail 'no pair'
expect 0 "$KILN" collide "$cube" "$cube" --poses "$TMPDIR/path" --mode coherent --json
for text in '"free_motion": 0' '"front"' '"last_pair": ' '"entries": '; do says out "$text"; done
if says_nothing=$(grep -E '"(skipped|last_pair)": 0' "$TMPDIR/out"); then case_fail "nothing gained: $says_nothing"; fi
printf '1 0 0 9 0 1 0 0 0 0 1 0\n2 0 0 0 0 1 0 0 0 0 0 0\n' >"$TMPDIR/path"
expect 3 "$KILN" collide "$cube" "$cube" --poses "$TMPDIR/path" --mode coherent
says err 'line 2: the pose has no inverse, a number out of range, or no rotation where one is needed'
case_end

case_begin 'collide --mode near: pairs within a distance'
# Of cubes a quarter apart: with 0 the pairs that meet, in the gap those of the two faces, in between none.
printf '%s\n' '1 0 0 1.25 0 1 0 0 0 0 1 0' '1 0 0 0.5 0 1 0 0.5 0 0 1 0.5' '2 0 0 9 0 1 0 0 0 0 3 0' >"$TMPDIR/apart"
for of in 'contacts ' 'near --distance 0' 'near --distance 0.2499'; do
    # shellcheck disable=SC2086
    "$KILN" collide "$cube" "$cube" --poses "$TMPDIR/apart" --mode $of >"$TMPDIR/${of%% *}${of##* }" || case_fail "$of"
done
cmp "$TMPDIR/contacts" "$TMPDIR/near0" || case_fail 'within 0 is not what meets'
[ "$(sed -n 1p "$TMPDIR/near0.2499")" = '0 0' ] || case_fail 'near what is not'
"$KILN" collide "$cube" "$cube" --poses "$TMPDIR/apart" --mode near --distance 0.25 >"$TMPDIR/out" || case_fail "status $?"
# Each pair of triangles of the two faces: those of A at 1, of B at 0.
sed -n 1p "$TMPDIR/out" | tr ' ' '\n' | grep : >"$TMPDIR/pairs"
[ "$(sed -n 1p "$TMPDIR/out" | cut -d ' ' -f 1,2)" = "1 $(wc -l <"$TMPDIR/pairs" | tr -d ' ')" ] || case_fail 'another number'
sort -t : -k 1n,1 -k 2n,2 -u "$TMPDIR/pairs" | cmp - "$TMPDIR/pairs" || case_fail 'not in order, or twice'
[ "$(cut -d : -f 1 "$TMPDIR/pairs" | sort -u | wc -l)" -ge 2 ] || case_fail 'too few pairs'
[ "$(sed -n 3p "$TMPDIR/out")" = '0 0' ] || case_fail 'far away'
expect 0 "$KILN" collide "$cube" "$cube" --poses "$TMPDIR/apart" --mode near --distance 0.25 --json -w
for text in '"near": [' '"hits": 2' '"near": []' '"face"'; do says out "$text"; done
case_end

case_begin 'collide --mode regions: a line for each contact region'
# A cube that lies in the lid of another, beside it, and far away.
printf '%s\n' '1 0 0 0.25 0 1 0 0.25 0 0 1 0.875' '1 0 0 1 0 1 0 0.5 0 0 1 0' '1 0 0 9 0 1 0 0 0 0 1 0' >"$TMPDIR/laid"
exact 0 "$KILN" collide "$cube" "$cube" --poses "$TMPDIR/laid" --mode regions <<'END'
1 1 0.125
  0.125  0.0000 0.0000 -1.0000  0.625 0.625 0.9375  0.5625 4
1 1 0
  0  -1.0000 0.0000 0.0000  1 0.75 0.5  0.5 4 touching
0 0 0
END
expect 0 "$KILN" collide "$cube" "$cube" --poses "$TMPDIR/laid" --mode regions --json
for text in '"hits": 2' '"depth": 0.125' '"touching": true' '"id": 1' '"regions": []'; do says out "$text"; done
if grep -q '"face"' "$TMPDIR/out"; then case_fail 'faces without --witness'; fi
expect 0 "$KILN" collide "$cube" "$cube" --poses "$TMPDIR/laid" --mode regions --json -w
says out '"face"'
# More regions, and more pairs, than there is room for at first: 400 thorns in the floor.
printf 'v -9 -9 0\nv 99 -9 0\nv -9 99 0\nf 1 2 3\n' >"$TMPDIR/wide.obj"
awk 'BEGIN { for (i = 0; i < 400; i++) { x = i % 20; y = (i - x) / 20
    printf "v %s %s -0.25\nv %s %s 1\nv %s %s 1\nv %s %s 1\n", x, y, x, y, x + 0.5, y, x, y + 0.5
    print "f -4 -3 -1\nf -4 -1 -2\nf -4 -2 -3\nf -3 -2 -1" } }' >"$TMPDIR/thorns.obj"
for name in wide thorns; do "$KILN" bake -q "$TMPDIR/$name.obj" -o "$TMPDIR/$name.kiln"; done
printf '1 0 0 0 0 1 0 0 0 0 1 9\n1 0 0 0 0 1 0 0 0 0 1 0\n' >"$TMPDIR/thorns"
expect 0 "$KILN" collide "$TMPDIR/wide.kiln" "$TMPDIR/thorns.kiln" --poses "$TMPDIR/thorns" --mode regions
[ "$(sed 2q "$TMPDIR/out")" = "$(printf '0 0 0\n1 400 0.25')" ] || case_fail "$(sed 2q "$TMPDIR/out")"
[ "$(grep -c '^  0.25  0.0000 0.0000 -1.0000 .* 0.005 3$' "$TMPDIR/out")" = 400 ] || case_fail "$(sed 5q "$TMPDIR/out")"
printf '1 0 0 9 0 1 0 0 0 0 1 0\n2 0 0 0 0 0 0 0 0 0 1 0\n' >"$TMPDIR/path"
exact 3 "$KILN" collide "$cube" "$cube" --poses "$TMPDIR/path" --mode regions <<END
0 0 0
stderr:
kiln: $TMPDIR/path: line 2: the pose has no inverse, a number out of range, or no rotation where one is needed; its numbers are the rows of a 3 x 4 matrix that has an inverse, the translation last in each
END
case_end

case_begin 'collide with scales: 13 and 26 numbers'
cat >"$TMPDIR/scaled" <<'END'
1 0 0 1.5  0 1 0 0  0 0 1 0  1
1 0 0 -1.5  0 1 0 0  0 0 1 0  1
1 0 0 -1.5  0 1 0 0  0 0 1 0  1.5
1 0 0 0  0 1 0 0  0 0 1 0  2   1 0 0 1.5  0 1 0 0  0 0 1 0  0.5
1 0 0 0  0 1 0 0  0 0 1 0  1   1 0 0 1.5  0 1 0 0  0 0 1 0  0.5
END
expect 0 "$KILN" collide "$cube" "$cube" --poses "$TMPDIR/scaled"
[ "$(tr '\n' ' ' <"$TMPDIR/out")" = '0 0 1 1 0 ' ] || case_fail "says $(cat "$TMPDIR/out")"
expect 0 "$KILN" collide "$cube" "$cube" --poses "$TMPDIR/scaled" --mode distance
[ "$(cut -d' ' -f2 "$TMPDIR/out" | tr '\n' ' ')" = '0.5 0.5 0 0 0.5 ' ] || case_fail "says $(cat "$TMPDIR/out")"
case_end

case_begin 'collide at matrices that are no rotations: mirrors, uneven scales, shears'
cat >"$TMPDIR/affine" <<'END'
-1 0 0 1.5  0 1 0 0  0 0 1 0
4 0 0 2.25  0 1 0 0  0 0 1 0
1 2 0 1.75  0 1 0 0  0 0 1 0
4 0 0 0  0 0.5 0 0  0 0 1 0   1 0 0 3  0 1 0 0  0 0 -1 0
END
expect 0 "$KILN" collide "$cube" "$cube" --poses "$TMPDIR/affine"
[ "$(tr '\n' ' ' <"$TMPDIR/out")" = '1 0 0 1 ' ] || case_fail "says $(cat "$TMPDIR/out")"
expect 0 "$KILN" collide "$cube" "$cube" --poses "$TMPDIR/affine" --mode distance
[ "$(cut -d' ' -f2 "$TMPDIR/out" | tr '\n' ' ')" = '0 1.25 0.75 0 ' ] || case_fail "says $(cat "$TMPDIR/out")"
case_end

case_begin 'collide without poses: as they are'
expect 0 "$KILN" collide "$cube" "$raw"
[ "$(cat "$TMPDIR/out")" = 1 ] || case_fail "says $(cat "$TMPDIR/out")"
case_end

case_begin 'collide --json'
expect 0 "$KILN" collide --json "$cube" "$cube" --poses "$TMPDIR/poses"
for text in '"poses": 5' '"hits": 3' '"us_median"' '"us_mean"' '"us_p99"'; do says out "$text"; done
case_end

# bad_pose TEXT LINES
bad_pose() {
    printf '%b' "$2" >"$TMPDIR/bad"
    expect 3 "$KILN" collide "$cube" "$cube" --poses "$TMPDIR/bad"
    says err "$1"
}

case_begin 'lines that are no pose'
bad_pose 'line 2: 3 numbers' '1 0 0 0 0 1 0 0 0 0 1 0\n1 2 3\n'
bad_pose "line 1: 'x' is not a number" '1 0 0 x 0 1 0 0 0 0 1 0\n'
bad_pose 'line 1: the pose has no inverse' '2 0 0 0 2 0 0 0 0 0 2 0\n'
bad_pose 'line 1: the pose has no inverse' '-1 0 0 0 0 1 0 0 0 0 0 0\n'
bad_pose 'line 1: the pose has no inverse' '1 0 0 nan 0 1 0 0 0 0 1 0\n'
bad_pose 'line 1: the pose has no inverse' '1 0 0 0 0 1 0 0 0 0 1 0 0\n'
bad_pose 'line 1: 25 numbers' '1 0 0 0 0 1 0 0 0 0 1 0 1 0 0 0 0 1 0 0 0 0 1 0 2\n'
case_end

case_begin 'lines of numbers that begin with a byte order mark'
printf '\357\273\2771 0 0 5 0 1 0 0 0 0 1 0\r\n1 0 0 .5 0 1 0 0 0 0 1 0\r\n' >"$TMPDIR/marked"
expect 0 "$KILN" collide "$cube" "$cube" --poses "$TMPDIR/marked"
printf '0\n1\n' | cmp - "$TMPDIR/out" || case_fail 'other answers'
# The mark begins a text; elsewhere it is no blank.
bad_pose 'line 2: ' '1 0 0 0 0 1 0 0 0 0 1 0\n\357\273\2771 0 0 0 0 1 0 0 0 0 1 0\n'
case_end

case_begin 'a decimal point in any locale'
echo '1 0 0 1.5 0 1 0 0 0 0 1 0' >"$TMPDIR/one"
[ "$(LC_ALL=de_DE.UTF-8 "$KILN" collide "$cube" "$cube" --poses "$TMPDIR/one")" = 0 ] ||
    case_fail 'no'
case_end

case_begin 'a tree that is not there'
expect 1 "$KILN" collide "$cube" "$cube" --tree nobody
says err "no tree named nobody"
expect 1 "$KILN" collide "$TMPDIR/tip.kiln" "$cube" --bv aabb
says err 'of kind aabb'
case_end

case_begin 'depfile, with side files'
mkdir "$TMPDIR/my models"
cp models/tiny/painted.obj models/tiny/painted.mtl "$TMPDIR/my models"
expect 0 "$KILN" bake "$TMPDIR/my models/painted.obj" -o "$TMPDIR/out.kiln" --depfile "$TMPDIR/d"
printf 'all: %s\n' "$TMPDIR/out.kiln" >"$TMPDIR/makefile"
printf 'include %s\n%s:\n\t@echo again\n' "$TMPDIR/d" "$TMPDIR/out.kiln" >>"$TMPDIR/makefile"
[ -z "$(make -s -f "$TMPDIR/makefile")" ] || case_fail 'not up to date after the bake'
touch -d '+1 minute' "$TMPDIR/my models/painted.mtl"
[ "$(make -s -f "$TMPDIR/makefile")" = again ] || { cat "$TMPDIR/d"; case_fail 'side file not seen'; }
case_end

cases_end
