#!/bin/sh
# --json on every verb, where it does what it is asked to and where it fails: all of standard output, all
# of standard error and the status. What is expected stands in documents/, a file for each, as `exact` of
# tests/shell.sh takes it. `documents.sh --write` writes these files anew, to be read before they are kept.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
unset COLUMNS MAKEFLAGS
texts=$(pwd)/tests/cli/documents
write=$1

# document NAME STATUS ARGUMENT...: kiln ARGUMENT... --json
document() {
    text=$texts/$1.txt
    case_begin "--json: $1"
    shift
    if [ "$write" = --write ]; then
        expect "$@" --json
        { steady <out; [ ! -s err ] || echo stderr: && steady <err; } >"$text"
    else
        exact "$@" --json <"$text"
    fi
    case_end
}

# expect and exact, with the verb in place of the command.
kiln() {
    "$KILN" "$@"
}

cp models/tiny/cube.obj models/tiny/mixed.obj models/tiny/nan.obj models/tiny/tetrahedron.obj "$TMPDIR"
cd "$TMPDIR" || exit 1
printf '1 0 0 0.5 0 1 0 0.5 0 0 1 0.5\n1 0 0 9 0 1 0 9 0 0 1 9\n' >poses
printf '0.25 0.5 3 0 0 -2\n3 3 3 0 0 1\n' >rays
printf 'kiln: 1\nassets: [none.obj]\n' >none.yaml
head -c 1000 cube.obj >text.kiln

document version 0 kiln --version
document no_verb 1 kiln frob
document bake 0 kiln bake cube.obj -o cube.kiln --layout raw
document bake_failed 3 kiln bake nan.obj -o nan.kiln
document bake_usage 1 kiln bake cube.obj -o x.kiln --leaf 99
document bake_many 0 kiln bake cube.obj mixed.obj -o many.d
document bake_many_failed 3 kiln bake cube.obj nan.obj -o many.d -j1
document bake_manifest_failed 2 kiln bake -m none.yaml -o many.d
document info 0 kiln info cube.kiln
document info_failed 2 kiln info none.kiln
document info_many_failed 3 kiln info text.kiln none.kiln
document verify 0 kiln verify --full cube.kiln --source cube.obj
document verify_failed 3 kiln verify text.kiln
document verify_many_failed 3 kiln verify none.kiln cube.kiln text.kiln
document diff 0 kiln diff cube.kiln many.d/cube.kiln
document diff_differs 7 kiln diff many.d/cube.kiln many.d/mixed.kiln
document diff_failed 2 kiln diff cube.kiln none.kiln
document collide 0 kiln collide cube.kiln cube.kiln --poses poses --mode pairs
document collide_regions 0 kiln collide cube.kiln cube.kiln --poses poses --mode regions
document collide_failed 2 kiln collide cube.kiln cube.kiln --poses none
document query 0 kiln query cube.kiln --rays rays --mode all
document query_failed 1 kiln query cube.kiln
document unpack 0 kiln unpack many.d/cube.kiln -o raw.kiln
document unpack_failed 3 kiln unpack text.kiln -o raw.kiln
document check_mesh 8 kiln check-mesh mixed.obj --list 1
document check_mesh_failed 3 kiln check-mesh text.kiln
document view 0 kiln view many.d/cube.kiln cube.kiln -o page.html
document view_failed 3 kiln view cube.kiln text.kiln -o page.html
document export 0 kiln export cube.kiln -o cube.glb
document export_failed 3 kiln export text.kiln -o text.glb
document upgrade 0 kiln upgrade cube.kiln
document upgrade_failed 3 kiln upgrade text.kiln
document upgrade_many_failed 3 kiln upgrade none.kiln text.kiln cube.kiln
document plan 0 kiln plan cube.obj mixed.obj -o many.d
document plan_failed 1 kiln plan cube.obj
"$KILN" bake -q cube.obj -o x.kiln --cache cache
document cache_gc 0 kiln cache gc cache --max-size 0
document cache_gc_failed 1 kiln cache gc cache
document lut_axes 0 kiln lut axes -o axes.kiln --points 14
document lut_axes_failed 1 kiln lut axes -o none.kiln --points 14 --phi 1
document lut_check_axes 0 kiln lut check axes.kiln
document lut_bins 0 kiln lut bins -o bins.kiln --max-u 12 --max-x 2
document lut_bins_failed 2 kiln lut bins -o none/bins.kiln --max-u 12
document lut_check 0 kiln lut check bins.kiln
document lut_check_failed 3 kiln lut check cube.kiln
document lut_show 0 kiln lut show bins.kiln --at 12,3,5
document lut_show_failed 1 kiln lut show bins.kiln --at 13,3,5
"$KILN" bake -q cube.obj -o counted.kiln --adb
document calibrate 0 kiln calibrate counted.kiln --draws 2
document calibrate_failed 3 kiln calibrate cube.kiln

# missing: the verbs, as --man joins them, without both documents.
missing() {
    "$KILN" --man | sed -n 's/^\.BR kiln\\-\(.*\) (1)$/\1/p' | sed 's/\\-/_/g' | while read -r verb; do
        [ -e "$texts/$verb.txt" ] && [ -e "$texts/${verb}_failed.txt" ] || echo "$verb"
    done
}

case_begin '--json: each verb has a document, and one of its failure'
exact 0 missing </dev/null
case_end

cases_end
