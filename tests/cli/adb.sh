#!/bin/sh
# Time-critical queries and their calibration from the command line.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

cube=models/tiny/cube.obj
"$KILN" bake "$cube" -o "$TMPDIR/plain.kiln" --quiet
"$KILN" bake "$cube" -o "$TMPDIR/counted.kiln" --adb --bv obb,aabb --quiet
"$KILN" bake "$cube" -o "$TMPDIR/bare.kiln" --adb --no-geometry --quiet

case_begin 'a line a pose: answer, probability, pairs'
echo '1 0 0 0  0 1 0 0  0 0 1 1000' >"$TMPDIR/poses"
expect 0 "$KILN" collide "$TMPDIR/counted.kiln" "$TMPDIR/counted.kiln" --mode adb --poses "$TMPDIR/poses"
says out '0 0.0000 0'
expect 0 "$KILN" collide "$TMPDIR/counted.kiln" "$TMPDIR/counted.kiln" --mode adb --hybrid --p-min 1 --eps 0
says out '1 1.0000 '
silent err
expect 0 "$KILN" collide "$TMPDIR/counted.kiln" "$TMPDIR/counted.kiln" --mode adb --hybrid --p-min 1 --eps 0 -w
grep -Eqx '1 1\.0000 [0-9]+ [0-9]+ [0-9]+' "$TMPDIR/out" || case_fail 'no faces'
expect 0 "$KILN" collide "$TMPDIR/counted.kiln" "$TMPDIR/counted.kiln" --mode adb --hybrid --p-min 1 --eps 0 -w --json
says out '"face"'
expect 0 "$KILN" collide "$TMPDIR/counted.kiln" "$TMPDIR/counted.kiln" --mode adb --p-min 1 --budget-pairs 0 -w
grep -Eqx '[?] 0\.[0-9]+ 0' "$TMPDIR/out" || case_fail 'faces of no pair'
expect 0 "$KILN" collide "$TMPDIR/counted.kiln" "$TMPDIR/counted.kiln" --mode adb --p-min 1 --budget-pairs 0
says out '? 0.'
expect 0 "$KILN" collide "$TMPDIR/bare.kiln" "$TMPDIR/bare.kiln" --mode adb --p-min 1 --budget-us 0 --json
says out '"verdict": "undecided"'
says out '"probability": 0.'
case_end

case_begin 'the defaults are those that --help tells'
awk 'BEGIN { for (i = 0; i < 400; i++) { a = 0.7 * i; t = 0.3 + 0.0025 * i
    printf "%.9f %.9f 0 %.9f %.9f %.9f 0 %.9f 0 0 1 %.9f\n", cos(a), -sin(a), t, sin(a), cos(a), 0.4 * t, 0.2 * t } }' >"$TMPDIR/many"
expect 0 "$KILN" collide --help
tr -s ' \n' '  ' <"$TMPDIR/out" >"$TMPDIR/help"
expect 0 "$KILN" collide "$TMPDIR/counted.kiln" "$TMPDIR/counted.kiln" --mode adb --poses "$TMPDIR/many"
mv "$TMPDIR/out" "$TMPDIR/by_default"
for option in p-min k-min eps; do
    told=$(sed "s/.*--$option [A-Z] adb: [^(]*(default \([0-9.]*\)).*/\1/" "$TMPDIR/help")
    expect 0 "$KILN" collide "$TMPDIR/counted.kiln" "$TMPDIR/counted.kiln" --mode adb --poses "$TMPDIR/many" \
        "--$option" "$told"
    same "$TMPDIR/by_default" "$TMPDIR/out"
done
case_end

case_begin 'files without what is needed'
expect 3 "$KILN" collide "$TMPDIR/plain.kiln" "$TMPDIR/counted.kiln" --mode adb
says err 'bake it again with --adb'
expect 3 "$KILN" collide "$TMPDIR/counted.kiln" "$TMPDIR/bare.kiln" --mode adb --hybrid
says err 'has no polygons'
expect 3 "$KILN" calibrate "$TMPDIR/plain.kiln"
says err 'bake it again with --adb'
case_end

case_begin 'mode likely: early, proved, undecided'
printf '1 0 0 0 0 1 0 0 0 0 1 0\n1 0 0 99 0 1 0 0 0 0 1 0\n' >"$TMPDIR/two"
expect 0 "$KILN" collide "$TMPDIR/plain.kiln" "$TMPDIR/plain.kiln" --mode likely --poses "$TMPDIR/two" --threshold 1e9
grep -q '^1 1.0000 ' "$TMPDIR/out" || case_fail 'no proved yes'
grep -q '^0 0.0000 0$' "$TMPDIR/out" || case_fail 'no proved no'
expect 0 "$KILN" collide "$TMPDIR/plain.kiln" "$TMPDIR/plain.kiln" --mode likely --threshold 1e9 --steps 1
grep -q '^? ' "$TMPDIR/out" || case_fail 'not undecided'
expect 0 "$KILN" collide "$TMPDIR/plain.kiln" "$TMPDIR/plain.kiln" --mode likely --threshold 1e9 --budget-us 0
grep -q '^? 0\..* 1$' "$TMPDIR/out" || case_fail 'a budget of no time takes more than the roots'
expect 1 "$KILN" collide "$TMPDIR/plain.kiln" "$TMPDIR/plain.kiln" --mode likely --threshold 0
expect 1 "$KILN" collide "$TMPDIR/plain.kiln" "$TMPDIR/plain.kiln" --mode likely --steps 0
expect 1 "$KILN" collide "$TMPDIR/plain.kiln" "$TMPDIR/plain.kiln" --steps 3
says err 'needs --mode likely'
expect 1 "$KILN" collide "$TMPDIR/plain.kiln" "$TMPDIR/plain.kiln" --budget-us 3
says err 'needs --mode adb or likely'
case_end

case_begin 'options out of range, or without the mode'
expect 1 "$KILN" collide "$TMPDIR/counted.kiln" "$TMPDIR/counted.kiln" --mode adb --p-min 1.5
expect 1 "$KILN" collide "$TMPDIR/counted.kiln" "$TMPDIR/counted.kiln" --mode adb --p-min nan
expect 1 "$KILN" collide "$TMPDIR/counted.kiln" "$TMPDIR/counted.kiln" --mode adb --eps -0.1
expect 1 "$KILN" collide "$TMPDIR/counted.kiln" "$TMPDIR/counted.kiln" --mode adb --k-min 0
expect 1 "$KILN" collide "$TMPDIR/counted.kiln" "$TMPDIR/counted.kiln" --eps 0.1
says err 'need --mode adb'
case_end

case_begin 'calibrate prints a fit for each kind and writes the same table again'
expect 0 "$KILN" calibrate "$TMPDIR/counted.kiln" --draws 4 -o "$TMPDIR/first.c"
says out 'obb, leaves of at most'
says out 'aabb, leaves of at most'
expect 0 "$KILN" calibrate "$TMPDIR/counted.kiln" --draws 4 -o "$TMPDIR/second.c"
cmp "$TMPDIR/first.c" "$TMPDIR/second.c" || case_fail 'tables differ'
grep -q KILN_BV_AABB "$TMPDIR/first.c" || case_fail 'no row'
expect 0 "$KILN" calibrate "$TMPDIR/counted.kiln" --draws 2 --json
says out '"groups"'
case_end

case_begin 'calibrate --likely needs no counts, and writes a table only'
expect 0 "$KILN" bake models/hard/C037_torus.obj -o "$TMPDIR/torus.kiln" --bv obb,aabb
expect 0 "$KILN" calibrate --likely "$TMPDIR/torus.kiln" --draws 4 -o "$TMPDIR/first.c"
says out 'obb, leaves of at most'
says out 'answers: wrong'
expect 0 "$KILN" calibrate --likely "$TMPDIR/torus.kiln" --draws 4 -o "$TMPDIR/second.c"
cmp "$TMPDIR/first.c" "$TMPDIR/second.c" || case_fail 'tables differ'
grep -q 'kiln_likely_fitted kiln_likely_fitted_rows' "$TMPDIR/first.c" || case_fail 'not the table of the library'
expect 0 "$KILN" calibrate --likely "$TMPDIR/torus.kiln" --draws 4 --json
says out '"early_score"'
expect 1 "$KILN" calibrate --likely "$TMPDIR/plain.kiln" -o "$TMPDIR/likely.kiln"
says err 'as a C table only'
expect 3 "$KILN" calibrate --likely "$TMPDIR/plain.kiln" --draws 1
says err 'too little to learn from'
expect 3 "$KILN" calibrate --likely "$TMPDIR/bare.kiln"
says err 'without --no-geometry'
case_end

case_begin 'weights: a file of them, in a model, for one query'
expect 0 "$KILN" calibrate "$TMPDIR/counted.kiln" --draws 4 -o "$TMPDIR/weights.kiln"
expect 0 "$KILN" verify "$TMPDIR/weights.kiln"
says out 'sound; weights for 2 kinds of trees'
expect 0 "$KILN" info "$TMPDIR/weights.kiln"
says out 'for aabb, leaves of at most 4:'
expect 0 "$KILN" unpack "$TMPDIR/weights.kiln" -o "$TMPDIR/packed.kiln" --layout packed
expect 0 "$KILN" info "$TMPDIR/packed.kiln" --json
says out '"bv": "aabb"'
expect 0 "$KILN" bake "$cube" -o "$TMPDIR/own.kiln" --adb --bv obb --adb-weights "$TMPDIR/packed.kiln" \
    --depfile "$TMPDIR/d"
grep -q packed.kiln "$TMPDIR/d" || case_fail 'weights are not in the depfile'
expect 0 "$KILN" verify "$TMPDIR/own.kiln"
expect 0 "$KILN" info "$TMPDIR/own.kiln"
says out 'for obb, leaves of at most 4:'
grep -q 'for aabb' "$TMPDIR/out" && case_fail 'weights of a kind that was not baked'
echo '1 0 0 0.9  0 1 0 0.9  0 0 1 0.9' >"$TMPDIR/poses"
for file in own counted; do
    expect 0 "$KILN" collide "$TMPDIR/$file.kiln" "$TMPDIR/$file.kiln" --mode adb --poses "$TMPDIR/poses" \
        --budget-pairs 0
    mv "$TMPDIR/out" "$TMPDIR/$file.said"
done
cmp -s "$TMPDIR/own.said" "$TMPDIR/counted.said" && case_fail 'weights of the file are not used'
expect 0 "$KILN" collide "$TMPDIR/counted.kiln" "$TMPDIR/counted.kiln" --mode adb --poses "$TMPDIR/poses" \
    --budget-pairs 0 --adb-weights "$TMPDIR/weights.kiln"
same "$TMPDIR/own.said" "$TMPDIR/out"
case_end

case_begin 'weights that are none'
expect 3 "$KILN" bake "$cube" -o "$TMPDIR/bad.kiln" --adb --adb-weights "$TMPDIR/plain.kiln"
says err 'plain.kiln: has no weights'
expect 3 "$KILN" bake "$cube" -o "$TMPDIR/bad.kiln" --adb --bv obb2 --adb-weights "$TMPDIR/weights.kiln"
says err 'has no weights for trees of obb2'
expect 3 "$KILN" bake "$cube" -o "$TMPDIR/bad.kiln" --adb --adb-weights "$cube"
says err 'not a kiln file'
expect 2 "$KILN" bake "$cube" -o "$TMPDIR/bad.kiln" --adb --adb-weights "$TMPDIR/missing.kiln"
says err 'missing.kiln: can'
[ ! -e "$TMPDIR/bad.kiln" ] || case_fail 'a file was written'
expect 1 "$KILN" bake "$cube" -o "$TMPDIR/bad.kiln" --adb-weights "$TMPDIR/weights.kiln"
says err 'needs --adb'
expect 3 "$KILN" collide "$TMPDIR/weights.kiln" "$TMPDIR/counted.kiln"
says err 'these are weights'
expect 3 "$KILN" collide "$TMPDIR/counted.kiln" "$TMPDIR/counted.kiln" --mode adb --adb-weights "$TMPDIR/plain.kiln"
says err 'there are no weights'
expect 0 "$KILN" bake "$cube" -o "$TMPDIR/oriented.kiln" --adb --bv obb2 --quiet
expect 3 "$KILN" collide "$TMPDIR/oriented.kiln" "$TMPDIR/oriented.kiln" --mode adb --adb-weights "$TMPDIR/weights.kiln"
says err 'weights.kiln: has no weights for trees of obb2'
expect 1 "$KILN" collide "$TMPDIR/counted.kiln" "$TMPDIR/counted.kiln" --adb-weights "$TMPDIR/weights.kiln"
says err 'need --mode adb'
case_end

cases_end
