#!/bin/sh
# What every verb prints with --json, also when it fails, every line of --progress json, what a bake leaves in
# a file and what --dump-config prints are documents of the shipped schemas, which describe all of it.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
schema=tools/cmd/kit/kiln.schema.json
progress=tools/cmd/kit/kiln.progress.schema.json
meta=tools/cmd/kit/kiln.meta.schema.json
manifest=tools/cmd/kit/kiln.manifest.schema.json

case_begin 'the schema knows every verb'
"$KILN" --man | sed -n 's/^\.BR kiln\\-\(.*\) (1)$/\1/p' | sed 's/\\-/ /g' >"$TMPDIR/verbs"
[ -s "$TMPDIR/verbs" ] || case_fail 'there are none'
while read -r verb; do
    # A page is named alike for two words and for one with a hyphen.
    grep -q "\"verb\": { \"const\": \"$(printf '%s' "$verb" | tr ' ' .)\" }" $schema || case_fail "not $verb"
done <"$TMPDIR/verbs"
case_end

python=/usr/bin/python3 # that of the system, which has the system's packages
if ! $python -c 'import jsonschema' 2>/dev/null; then
    case_begin 'documents are valid'
    case_skip 'python3-jsonschema is not installed'
    cases_end
    exit
fi

# document STATUS ARGUMENT...: kiln ARGUMENT... --json prints one; held against the schema at the end.
count=0
mkdir "$TMPDIR/documents"
document() {
    wanted=$1
    shift
    count=$((count + 1))
    name=$(printf '%02d %s' $count "$*" | sed "s|$TMPDIR||g" | tr -c 'A-Za-z0-9=.\n-' _ | cut -c1-100)
    expect "$wanted" "$KILN" "$@" --json
    mv "$TMPDIR/out" "$TMPDIR/documents/$name.json"
}

# lines STATUS ARGUMENT...: kiln ARGUMENT... --progress json prints some, between messages.
lines() {
    wanted=$1
    shift
    count=$((count + 1))
    expect "$wanted" "$KILN" "$@" --progress json
    grep -v '^kiln: ' "$TMPDIR/err" >"$TMPDIR/documents/$count.lines" || case_fail "no progress: $*"
}

# valid SCHEMA FILE...: they are, and whatever is broken in them is refused.
valid() {
    $python "$OLDPWD/tests/cli/validate.py" --damage "$OLDPWD/$@" >"$TMPDIR/wrong" || {
        sed "s|$TMPDIR/documents/||" "$TMPDIR/wrong" | head -30
        case_fail "$(wc -l <"$TMPDIR/wrong") errors"
    }
    grep -q '^[1-9][0-9]* damages$' "$TMPDIR/wrong" || case_fail 'nothing was broken'
}

cube=models/tiny/cube.obj
cd "$TMPDIR" && ln -s "$OLDPWD/models" models || exit 1
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 2\nf 1 2 3\n' >flat.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >open.obj
printf 'v 1e8 0 0\nv 100000001 0 0\nv 1e8 1 0\nf 1 2 3\n' >far.obj
printf 'v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 2 3 2\n' >bad.obj

case_begin 'documents are printed'
document 0 --version
document 1 nothing
document 1 --man nothing
document 1 lut
document 0 bake $cube -o cube.kiln --bv obb,aabb,obb2,aabb2,dop14,dop6,dop18,dop24,dop26,sphere,octree --adb
document 0 bake $cube -o cube.kiln --bv obb,aabb,obb2,aabb2,dop14,dop6,dop18,dop24,dop26,sphere,octree --adb --if-changed
document 0 bake $cube -o ball.kiln --bv sphere --spheres medial
document 0 bake --formats
document 0 bake $cube -o auto.kiln --bv auto --max-bytes 1M
document 4 bake $cube -o auto.kiln --bv auto --max-bytes 1
document 0 bake $cube models/tiny/mixed.obj -o folder --bv auto -j 2
document 0 bake flat.obj -o flat.kiln --layout raw
document 0 bake flat.obj -o dropped.kiln --drop degenerate,duplicate
document 0 bake models/hard/C003_small.obj -o lossy.kiln --lossy-grid 4
document 0 bake $cube -o split.kiln --split mesh -j 1
document 0 bake $cube models/tiny/mixed.obj -o folder
document 2 bake $cube none.obj -o folder
document 3 bake bad.obj -o bad.kiln
document 0 bake bad.obj -o bad.kiln --on-bad drop
document 0 bake far.obj -o far.kiln
document 3 bake far.obj -o strict.kiln --strict
document 5 bake models/README.md -o bad.kiln
document 1 bake $cube
document 1 bake $cube -o bad.kiln --leaf 99
document 0 bake open.obj -o open.kiln
echo flat.obj >list
document 0 bake @list $cube -o folder --cache cache
document 0 bake @list $cube -o folder --cache cache
document 3 bake bad.obj $cube flat.obj -o folder --fail-fast -j 1
document 0 plan $cube flat.obj -o folder
document 1 plan -o folder
document 0 plan @list $cube -o folder
document 1 plan $cube
document 2 plan @none -o folder
document 0 cache gc cache --max-size 0 --dry-run
document 0 cache gc cache --max-size 0
document 1 cache gc cache
document 0 bake $cube -o foreseen.kiln --dry-run
document 1 bake $cube -o bad.obj --dry-run
document 0 bake $cube flat.obj -o folder --dry-run --if-changed --cache cache
document 2 bake $cube none.obj -o folder --dry-run
mkdir pruned
cp "$cube" pruned/gone.obj
cp "$cube" pruned/kept.obj
document 0 bake pruned -o folder --prune
rm pruned/gone.obj
document 0 bake pruned -o folder --prune
document 0 bake $cube -o bare.kiln --adb --no-geometry
document 0 info cube.kiln
document 0 info flat.kiln
document 0 info auto.kiln
document 0 info cube.kiln --costs
document 0 info cube.kiln dropped.kiln bare.kiln
document 2 info cube.kiln none.kiln
document 3 info $cube
document 0 verify cube.kiln --full
document 0 verify cube.kiln flat.kiln
head -c 1000 cube.kiln >cut.kiln
document 3 verify cut.kiln
document 3 verify cube.kiln cut.kiln none.kiln
document 0 check-mesh $cube
document 8 check-mesh $cube models/faults/*.obj
document 0 bake models/faults/crossing.obj -o crossing.kiln
document 0 query crossing.kiln --self --witness
document 0 query crossing.kiln --self --mode any
document 8 check-mesh flat.obj --require all --list 100
document 0 check-mesh cube.kiln --require none
document 3 check-mesh $cube none.obj cut.kiln
sed 's/KILN//' models/README.md >text.kiln
document 3 verify text.kiln
document 0 verify cube.kiln --source $cube
document 7 verify cube.kiln --source flat.obj
document 7 diff cube.kiln flat.kiln
document 0 diff cube.kiln cube.kiln
document 2 diff cube.kiln none.kiln
document 0 export cube.kiln -o cube.glb
document 0 export split.kiln --leaves --colour cost --tree cube -o cube.ply
document 1 export cube.kiln -o cube.stl
document 0 upgrade cube.kiln flat.kiln
document 0 upgrade cube.kiln
document 3 upgrade text.kiln
document 3 upgrade text.kiln cube.kiln none.kiln
printf '1 0 0 0.5 0 1 0 0.5 0 0 1 0.5\n1 0 0 9 0 1 0 9 0 0 1 9\n' >poses
for mode in hit pairs contacts distance geometry adb likely coherent regions; do
    document 0 collide cube.kiln cube.kiln --poses poses --mode $mode
    document 0 collide cube.kiln cube.kiln --poses poses --mode $mode -w
done
document 0 collide cube.kiln cube.kiln --poses poses --mode within --distance 1 -w
document 0 collide cube.kiln cube.kiln --poses poses --mode near --distance 1 -w
document 3 collide cube.kiln bare.kiln --mode near --distance 1
document 0 collide cube.kiln cube.kiln --poses poses --mode adb --budget-pairs 0 --p-min 1
document 0 collide cube.kiln cube.kiln --poses poses --mode likely --steps 1 --threshold 50
printf '1 0 0 9 0 1 0 0.5 0 0 1 0.5 1 0 0 -9 0 1 0 0.5 0 0 1 0.5\n1 0 0 9 0 1 0 9 0 0 1 9 1 0 0 9 0 1 0 9 0 0 1 9\n' >ways
document 0 collide cube.kiln cube.kiln --poses ways --mode sweep
document 0 collide cube.kiln cube.kiln --poses ways --mode sweep -w --steps 1
document 3 collide cube.kiln cube.kiln --poses poses --mode sweep
document 3 collide cube.kiln bare.kiln --mode coherent
document 3 collide cube.kiln bare.kiln --mode regions
document 2 collide cube.kiln none.kiln
document 3 collide cube.kiln bare.kiln
document 2 collide cube.kiln cube.kiln --poses none
document 1 collide cube.kiln
printf '0.25 0.5 3 0 0 -2\n3 3 3 0 0 1\n' >rays
printf '0.5 0.5 0.5\n1 0.5 0.5\n1.5 0.5 0.5\n' >points
printf '3 0.5 0.5 2\n1 1 1 2 2 2\n0.5 0.5 -3 0.5 0.5 3 0\n9 9 9 1\n' >shapes
for mode in first any all; do
    document 0 query cube.kiln --rays rays --mode $mode
    document 0 query cube.kiln --rays rays --mode $mode -w
    document 0 query cube.kiln --shapes shapes --mode $mode
    document 0 query cube.kiln --shapes shapes --mode $mode -w
done
document 0 query cube.kiln --points points
document 0 query cube.kiln --points points --mode nearest --count 3 -w
document 0 query cube.kiln --points points --mode nearest --within 0.1
document 0 query cube.kiln --points points --mode signed --within 0.1
document 0 query cube.kiln --points points --mode winding
document 0 query open.kiln --points points --mode winding --accuracy 0
document 3 query open.kiln --points points
document 1 query cube.kiln
document 0 unpack cube.kiln -o raw.kiln
document 0 view cube.kiln -o page.html
document 2 view none.kiln -o page.html
document 2 unpack none.kiln -o raw.kiln
document 3 unpack $cube -o raw.kiln
document 0 lut axes -o axes.kiln --points 14
document 1 lut axes -o axes.kiln --points 14 --phi 1
document 0 lut check axes.kiln
document 0 verify axes.kiln
document 0 info axes.kiln
document 0 lut bins -o bins.kiln --max-u 20 --max-x 3
document 0 lut bins -o compact.kiln --max-u 20 --max-x 3 --profile compact --rounding down
document 1 lut bins
document 2 lut bins -o none/bins.kiln --max-u 20
document 0 lut check bins.kiln
document 3 lut check cube.kiln
document 0 lut show bins.kiln --at 20,3,5
document 1 lut show bins.kiln --at 21,3,5
document 0 info bins.kiln compact.kiln
document 0 info bins.kiln
document 0 verify bins.kiln
document 0 calibrate cube.kiln --draws 2
document 0 calibrate cube.kiln --draws 2 -o weights.kiln
document 3 calibrate cube.kiln --likely --draws 2
document 0 bake models/hard/C037_torus.obj -o torus.kiln
document 0 calibrate torus.kiln --likely --draws 2
document 3 calibrate flat.kiln
document 0 info weights.kiln
document 0 verify weights.kiln
case_end

case_begin 'the bake to standard output tells its report on standard error'
expect 0 "$KILN" bake $cube -o - --json
mv "$TMPDIR/err" "$TMPDIR/documents/piped.json"
expect 3 "$KILN" bake bad.obj -o - --json
tail -n +2 "$TMPDIR/err" >"$TMPDIR/documents/piped_badly.json"
case_end

case_begin 'lines of progress are printed'
lines 0 bake $cube -o cube.kiln --adb=8
lines 3 bake bad.obj -o bad.kiln
lines 0 bake $cube flat.obj -o folder -j 1
lines 3 bake bad.obj $cube flat.obj none.obj -o folder --fail-fast -j 1
lines 0 bake $cube flat.obj -o folder --cache cache
lines 0 bake $cube flat.obj -o folder --if-changed
lines 0 bake $cube flat.obj -o another --cache cache
lines 0 lut bins -o bins.kiln --max-u 20
lines 0 lut check bins.kiln
case_end

case_begin "reports, $(find documents -name '*.json' | wc -l), are valid, and no other"
valid $schema documents/*.json
case_end

case_begin 'lines of progress are valid, and no other'
cat documents/*.lines >"$TMPDIR/all.lines"
for outcome in baked up_to_date cached failed; do
    grep -q "\"outcome\":\"$outcome\"" "$TMPDIR/all.lines" || case_fail "none is $outcome"
done
valid $progress documents/*.lines
case_end

# By libkilnbake for a model, and by the writers of tables and weights; also those of the released format.
case_begin 'what is left in files is valid, and no other'
for file in ./*.kiln "$OLDPWD"/tests/golden/1.0/*.kiln; do
    "$KILN" info "$file" --json 2>/dev/null >"$TMPDIR/info" || continue
    name=$(basename "$file").$count.lines
    count=$((count + 1))
    $python -c 'import json, sys; print(json.dumps(json.load(open(sys.argv[1]))["meta"]))' "$TMPDIR/info" \
        >"$TMPDIR/$name" 2>/dev/null || continue
    grep -q '^{' "$TMPDIR/$name" && set -- "$@" "$TMPDIR/$name"
done
for kind in axes bins weights; do
    grep -ao "{\"schema\": \"kiln-$kind-meta-1\"[^}]*}" $kind.kiln >"$TMPDIR/$kind.lines" ||
        case_fail "no meta of $kind"
    set -- "$@" "$TMPDIR/$kind.lines"
done
[ $# -ge 15 ] || case_fail "only $#"
valid $meta "$@"
case_end

case_begin 'manifests are valid, and no other'
if $python -c 'import yaml' 2>/dev/null; then
    cat >full.yaml <<END
kiln: 1
output: out
folders: flat
defaults: {bv: [obb, aabb], leaf: 2, quality: best, drop: [degenerate], adb: true}
assets:
  - $cube
  - path: [flat.obj, open.obj]
    exclude: open.*
    output: there/
    options: {scale: 1e-05, up: y, strict: true, adb: false, lossy-grid: 12, adb-weights: weights.kiln}
END
    expect 0 "$KILN" bake -m full.yaml --dump-config
    cp "$TMPDIR/out" dumped.yaml
    expect 0 "$KILN" bake $cube flat.obj -o out --dump-config --scale 1e-5 --adb=8 --drop duplicate
    cp "$TMPDIR/out" arguments.yaml
    sed 's/^ *//' <<END >dumped.lines
    {"kiln": 1, "assets": ["a.obj", {"path": "b/**/*.ply", "options": {"leaf": 4}}], "output": "x"}
END
    cp dumped.lines json.yaml
    expect 0 "$KILN" bake -m dumped.yaml --dump-config
    valid $manifest full.yaml dumped.yaml arguments.yaml json.yaml
    case_end
else
    case_skip 'python3-yaml is not installed'
fi

cases_end
