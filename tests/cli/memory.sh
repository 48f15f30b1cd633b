#!/bin/sh
# --max-memory: what it takes for a size, what it tells, and that nothing is left half-written.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

model=$TMPDIR/torus.ply
"$KILN_BUILD/release/models/shapes" torus 60000 "$model" || exit 1
out=$TMPDIR/torus.kiln
"$KILN" bake "$model" -o "$out" || exit 1
cp "$out" "$TMPDIR/before.kiln"

case_begin 'a limit that is enough changes no byte'
for limit in 1G 200M 204800K 209715200 0; do
    expect 0 "$KILN" bake "$model" -o "$out" --max-memory $limit -j 5
    same "$out" "$TMPDIR/before.kiln"
done
case_end

# too_little LIMIT TEXT OPTION...: exit status 4, a message, the old file, no file beside it.
too_little() {
    case_begin "--max-memory $1 ${3:-}: $2"
    limit=$1 text=$2
    shift 2
    expect 4 "$KILN" bake "$model" -o "$out" --max-memory "$limit" "$@"
    says err 'torus.ply: '
    says err "$text"
    says err 'raise'
    says err '--max-memory'
    same "$out" "$TMPDIR/before.kiln"
    [ "$(ls -A "$TMPDIR" | grep -c tmp)" = 0 ] || case_fail 'a temporary file is left'
    case_end
}

too_little 1M '1 MiB'
too_little 4096K '4 MiB'
too_little 20M 'needs about' --bv obb2 --leaf 1

case_begin 'of several, each has the limit for itself'
expect 4 "$KILN" bake models/tiny/cube.obj "$model" models/tiny/mixed.obj -o "$TMPDIR/several" \
    --max-memory 4M
says err 'torus.ply: '
[ "$(ls "$TMPDIR/several" | tr '\n' ' ')" = 'cube.kiln mixed.kiln ' ] || case_fail 'not the other two'
case_end

case_begin 'the error is in the report'
expect 4 "$KILN" bake "$model" -o "$out" --max-memory 1M --json
says out '"status": 4'
says out '--max-memory'
case_end

for size in '' -1 M 1T 1MB 1.5G 99999999999999999999 99999999999G; do
    case_begin "a size of '$size' is refused"
    expect 1 "$KILN" bake "$model" -o "$out" --max-memory="$size"
    says err '--max-memory'
    case_end
done

cases_end
