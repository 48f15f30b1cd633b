#!/bin/sh
# Wrong command lines: status 1, what is wrong, a hint, and nothing done.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

out=$TMPDIR/never.kiln

# wrong TEXT ARGUMENT...: kiln ARGUMENT... is refused with TEXT.
wrong() {
    text=$1
    shift
    case_begin "kiln $*"
    expect 1 "$KILN" "$@"
    says err "$text"
    says err 'Try: kiln '
    silent out
    [ ! -e "$out" ] || case_fail 'a file was written'
    case_end
}

cube=models/tiny/cube.obj
wrong "no verb 'bakes'; did you mean bake?" bakes
wrong "no verb 'frob'" frob
wrong "no option '--leef'; did you mean --leaf?" bake $cube -o "$out" --leef 4
wrong "no option '--layuot'; did you mean --layout?" bake $cube -o "$out" --layuot=raw
wrong "no option '--surce'; did you mean --source?" verify a.kiln --surce $cube
wrong 'a file is missing' diff a.kiln
wrong "no option '--frob'" bake $cube -o "$out" --frob
wrong "no option '-z'" bake $cube -o "$out" -z
wrong '-o OUT is missing' bake $cube
wrong 'no file is given' bake -o "$out"
wrong '--leaf needs a value' bake $cube -o "$out" --leaf
wrong '--leaf needs a value' bake $cube --leaf -- -o
wrong '--leaf takes a number from 1 to 15' bake $cube -o "$out" --leaf 16
wrong '--leaf takes a number from 1 to 15' bake $cube -o "$out" --leaf=0
wrong '--leaf takes a whole number' bake $cube -o "$out" --leaf 4x
wrong '--leaf takes a whole number' bake $cube -o "$out" --leaf=
wrong '--quality takes one of fast|default|best' bake $cube -o "$out" --quality poor
wrong '--fit takes one of geometry|children' bake $cube -o "$out" --fit parents
wrong '--box-fit takes one of search|vertices|areas|hull-vertices|hull-facets|volume' bake $cube -o "$out" --box-fit hull
wrong '--layout takes one of packed|raw' bake $cube -o "$out" --layout flat
wrong '--scale takes a number' bake $cube -o "$out" --scale 0
wrong '--scale takes a number' bake $cube -o "$out" --scale nan
wrong '--scale takes a number' bake $cube -o "$out" --scale -1
wrong '--jobs takes a number from 1 to 256' bake $cube -o "$out" -j 257
wrong '--strict takes no value' bake $cube -o "$out" --strict=yes
wrong '--drop takes' bake $cube -o "$out" --drop everything
wrong "unknown kind of bounding volume 'dop7'" bake $cube -o "$out" --bv obb,dop7
wrong 'obb is listed twice' bake $cube -o "$out" --bv obb,aabb,obb
wrong "takes one of least|cover|octree|medial, not 'lego'" bake $cube -o "$out" --spheres lego
wrong "unknown builder 'lego'; use sah, median, middle, mean, volume, ploc, insert or reinsert" bake $cube -o "$out" --builder lego
wrong '--adb takes one of 4|8|16' bake $cube -o "$out" --adb=5
wrong 'an --adb- option needs --adb' bake $cube -o "$out" --adb-regions sectors
wrong '--no-geometry needs --adb' bake $cube -o "$out" --no-geometry
wrong '--adb-area-factor takes a number' bake $cube -o "$out" --adb --adb-area-factor 0
wrong 'needs --format' bake - -o "$out"
wrong 'standard output takes one input' bake $cube models/tiny/tetrahedron.obj -o -
wrong '--depfile needs an OUT' bake $cube -o - --depfile "$TMPDIR/d"
wrong 'a file is missing' collide a.kiln
wrong '3 files are given' collide a.kiln b.kiln c.kiln
wrong 'mode sweep needs --poses' collide a.kiln b.kiln --mode sweep
wrong 'steps needs --mode likely or sweep' collide a.kiln b.kiln --steps 3
wrong 'tolerance and --turns need --mode sweep' collide a.kiln b.kiln --tolerance 1
wrong 'tolerance and --turns need --mode sweep' collide a.kiln b.kiln --turns -1
wrong 'mode within needs --distance' collide a.kiln b.kiln --mode within
wrong 'mode near needs --distance' collide a.kiln b.kiln --mode near
wrong 'distance needs --mode within or near' collide a.kiln b.kiln --distance 1
wrong 'distance takes a number' collide a.kiln b.kiln --mode within --distance -1
wrong 'distance takes a number' collide a.kiln b.kiln --mode within --distance nan
wrong 'no file is given' info
wrong '-o OUT is missing' unpack a.kiln
wrong '-o PAGE is missing' view a.kiln
wrong '-o OUT is missing' export a.kiln
wrong 'level and --leaves exclude each other' export a.kiln -o a.glb --level 2 --leaves
wrong '-o - needs --format' export a.kiln -o -
wrong 'format takes glb, obj or ply' export a.kiln -o a.glb --format stl

case_begin 'the output is the input'
cp $cube "$TMPDIR/model.obj"
expect 1 "$KILN" bake "$TMPDIR/model.obj" -o "$TMPDIR/model.obj"
says err 'is the input'
same $cube "$TMPDIR/model.obj"
case_end

case_begin 'an option that a set of points has no use for'
printf '%s\n' '0 0 0' '1 0 0' '0 1 0' '1 0 0' >"$TMPDIR/cloud.xyz"
for drop in degenerate degenerate,duplicate; do
    for model in "$TMPDIR/cloud.xyz" "$cube --points"; do
        # shellcheck disable=SC2086
        expect 1 "$KILN" bake -q $model --drop $drop -o "$TMPDIR/points.kiln"
        says err 'so that --drop degenerate is of no use; leave it out'
        [ ! -e "$TMPDIR/points.kiln" ] || case_fail "something was written: $model $drop"
    done
done
expect 0 "$KILN" bake -q "$TMPDIR/cloud.xyz" --drop duplicate --on-bad drop -o "$TMPDIR/points.kiln"
expect 0 "$KILN" info --json "$TMPDIR/points.kiln"
says out '"triangles": 3,'
case_end

case_begin 'two inputs of one name, before any work'
mkdir "$TMPDIR/a" "$TMPDIR/b"
cp $cube "$TMPDIR/a/x.obj"
cp $cube "$TMPDIR/b/x.obj"
expect 1 "$KILN" bake "$TMPDIR/a/x.obj" "$TMPDIR/b/x.obj" -o "$TMPDIR/folder"
says err 'would both be written to'
says err '; --folders tree keeps their folders'
[ ! -e "$TMPDIR/folder/x.kiln" ] || case_fail 'something was baked'
case_end

case_begin 'an option given twice: the last value counts, and -v says so'
expect 0 "$KILN" bake $cube -o "$out" --leaf 4 --adb --leaf=2 --adb=8
silent err
expect 0 "$KILN" info "$out" --json
says out '"leaf": 2'
expect 0 "$KILN" bake $cube -o "$out" --leaf 4 -v --leaf=2
says err 'kiln: bake: --leaf is given more than once; the last one counts'
rm "$out"
case_end

case_begin 'an empty name, as of a variable that is not set, is to be seen in the message'
cp models/tiny/cube.obj "$TMPDIR/one.obj" && "$KILN" bake -q "$TMPDIR/one.obj" -o "$TMPDIR/one.kiln"
for arguments in 'info' 'verify' "diff $TMPDIR/one.kiln" "collide $TMPDIR/one.kiln" 'query --rays /dev/null' "unpack -o $TMPDIR/x" "export -o $TMPDIR/x.glb" \
    "bake -o $TMPDIR/x" 'cache gc --max-size 0' 'upgrade' "bake -o $TMPDIR/x --dry-run"; do
    # shellcheck disable=SC2086
    expect 2 "$KILN" $arguments ''
    says err "kiln: '': "
done
case_end

case_begin 'a letter with "=" makes no file of that name'
cd "$TMPDIR" || exit 1
for arguments in 'bake one.obj -o=y.kiln' 'bake -m=one.obj' 'bake one.obj -o y.kiln -j=2' 'unpack one.kiln -o=y.kiln' 'lut bins -o=y.kiln'; do
    # shellcheck disable=SC2086
    expect 1 "$KILN" $arguments
    says err "takes its value without '='; write -"
    [ -z "$(ls ./*y.kiln 2>/dev/null)" ] || case_fail "$arguments: a file was made"
done
expect 0 "$KILN" bake one.obj -o ./=y.kiln
rm ./=y.kiln
cd "$OLDPWD" || exit 1
case_end

case_begin 'kiln help VERB is kiln VERB --help'
for verb in bake 'lut bins' 'cache gc' calibrate; do
    # shellcheck disable=SC2086
    "$KILN" $verb --help >"$TMPDIR/want"
    for word in help --help -h; do
        # shellcheck disable=SC2086
        expect 0 "$KILN" $word $verb
        same "$TMPDIR/want" "$TMPDIR/out"
    done
done
expect 0 "$KILN" help lut
says out 'usage: kiln lut show'
expect 1 "$KILN" help bak
says err "there is no verb 'bak'; did you mean bake?"
case_end

case_begin '-h is --help, for the command and for every verb'
"$KILN" --help >"$TMPDIR/long"
expect 0 "$KILN" -h
same "$TMPDIR/long" "$TMPDIR/out"
for verb in bake check-mesh info verify collide query export unpack plan 'lut bins' 'cache gc'; do
    "$KILN" $verb --help >"$TMPDIR/long"
    expect 0 "$KILN" $verb -h
    same "$TMPDIR/long" "$TMPDIR/out"
done
case_end

case_begin 'with --json a wrong command line is a document too'
expect 1 "$KILN" bake $cube -o "$out" --leaf 99 --json
says out '"schema": "kiln-report-1"'
says out '"status": 1'
says out '--leaf takes a number from 1 to 15'
case_end

cases_end
