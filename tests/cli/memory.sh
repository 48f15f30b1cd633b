#!/bin/sh
# --max-memory: what it takes for a size, what it tells, and that nothing is left half-written.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

model=$TMPDIR/torus.ply
"$KILN_BUILD/release/models/shapes" torus 60000 "$model" || exit 1
out=$TMPDIR/torus.kiln
few='--bv aabb --quality fast --layout raw -q' # little time
# shellcheck disable=SC2086
"$KILN" bake "$model" -o "$out" $few || exit 1
cp "$out" "$TMPDIR/before.kiln"

case_begin 'a limit that is enough changes no byte'
for limit in 1G 200M 204800K 209715200 0; do
    # shellcheck disable=SC2086
    expect 0 "$KILN" bake "$model" -o "$out" --max-memory $limit -j 5 $few
    same "$out" "$TMPDIR/before.kiln"
done
"$KILN_BUILD/release/models/shapes" torus 10000 "$TMPDIR/small.ply"
expect 0 "$KILN" bake "$TMPDIR/small.ply" -o "$TMPDIR/small.kiln"
expect 0 "$KILN" bake "$TMPDIR/small.ply" -o "$TMPDIR/limited.kiln" --max-memory 200M -j 5
same "$TMPDIR/small.kiln" "$TMPDIR/limited.kiln"
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

# tiny LIMIT TEXT: a limit in the unit that fits it, and what to do.
tiny() {
    case_begin "--max-memory $1 is told as $2"
    expect 4 "$KILN" bake "$model" -o "$out" --max-memory "$1"
    says err "the limit is $2;"
    says err 'K, M or G'
    case_end
}

tiny 1 '1 byte'
tiny 1000 '1000 bytes'
tiny 100K '100 KiB'
tiny 2M '2 MiB'

case_begin 'any of several may need all of it; their messages are those of one alone'
cp "$model" "$TMPDIR/second.ply"
expect 4 "$KILN" bake "$model" "$TMPDIR/second.ply" models/tiny/cube.obj -o "$TMPDIR/refused" -j3 \
    --max-memory 4M
says err 'torus.ply: import takes more than 4 MiB'
says err 'second.ply: import takes more than 4 MiB'
says err '1 baked, 2 failed'
expect 4 "$KILN" bake "$model" -o "$out" --max-memory 4M
says err 'torus.ply: import takes more than 4 MiB'
case_end

# many.gltf: small, but its 3,000 vertices are used 120 times: 120,000 triangles, of which nobody knows before it
# is read, and most of what they take is the importing child's.
"$KILN_BUILD/release/models/shapes" torus 7000 "$TMPDIR/vertices.ply" || exit 1
header=$(LC_ALL=C grep -a -m1 -b end_header "$TMPDIR/vertices.ply" | cut -d: -f1)
tail -c +$((header + 12)) "$TMPDIR/vertices.ply" | head -c 36000 | base64 | tr -d '\n' >"$TMPDIR/vertices"
awk -v file="$TMPDIR/vertices" 'BEGIN {
    getline data <file
    for (i = 0; i < 120; i++) {
        comma = i ? "," : ""
        meshes = meshes comma "{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}\n"
        nodes = nodes comma "{\"mesh\":" i ",\"translation\":[" i / 64 ",0,0]}\n"
        all = all comma i
    }
    printf "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[%s]}],\n", all
    printf "\"buffers\":[{\"byteLength\":36000,\"uri\":\"data:application/octet-stream;base64,%s\"}],\n", data
    print "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36000}],\"accessors\":[{\"bufferView\":0,"
    print "\"componentType\":5126,\"count\":3000,\"type\":\"VEC3\"}],"
    print "\"meshes\":[" meshes "],\"nodes\":[" nodes "]}"
}' >"$TMPDIR/many1.gltf"
for i in 2 3 4; do
    cp "$TMPDIR/many1.gltf" "$TMPDIR/many$i.gltf"
    cp models/tiny/cube.obj "$TMPDIR/cube$i.obj"
done
cp models/tiny/cube.obj "$TMPDIR/cube1.obj"

# followed MOST COMMAND...: runs the command under peak, again while fewer than MOST processes were seen at once
# or no sum was taken, which is so where the machine gives peak no processor in time.
followed() {
    least=$1 tries=0 processes=0 sums=0
    shift
    while [ "$processes" -lt "$least" ] || [ "$sums" -eq 0 ]; do
        [ $((tries += 1)) -le 100 ] || { case_fail 'nothing was seen in 100 runs'; return; }
        rm -rf "$TMPDIR/many"
        "$peak" "$TMPDIR/peak" 1000 "$@" >"$TMPDIR/out" 2>"$TMPDIR/err" || { case_fail "status $?: $*"; return; }
        read -r most sums rate processes <"$TMPDIR/peak"
    done
}

# What a batch takes, all its processes together, against a batch of next to nothing.
case_begin 'four at once, of which only one has room, take no more than the limit'
peak=$KILN_BUILD/release/tests/soak/peak
if [ "${KILN%/*}" != "$KILN_BUILD" ] || ! [ -x "$peak" ]; then
    case_skip 'a sanitizer takes memory too'
elif "$peak" "$TMPDIR/peak" 2000 true; then
    followed 1 "$KILN" bake "$TMPDIR"/cube?.obj -o "$TMPDIR/cubes" -j4 --max-memory 38M
    base=$most
    # shellcheck disable=SC2086
    followed 3 "$KILN" bake "$TMPDIR"/many?.gltf -o "$TMPDIR/many" -j4 $few --max-memory 38M
    echo "limit $((38 << 10)) KiB, peak $most KiB and $base KiB for cubes; $sums looks, $rate a second"
    [ "$most" -le $(((38 << 10) + base + 2048)) ] || case_fail "it took $most KiB, $base KiB without models"
    expect 0 "$KILN" bake "$TMPDIR/many1.gltf" -o "$TMPDIR/alone.kiln" $few
    same "$TMPDIR/many/many1.kiln" "$TMPDIR/alone.kiln"
    case_end
else
    case_skip 'the system does not report what processes take'
fi

# On two processors; on one, one is read at a time anyway.
case_begin 'a plan for a farm reads one at a time under a limit'
if [ "${KILN%/*}" != "$KILN_BUILD" ] || ! [ -x "$peak" ]; then
    case_skip 'a sanitizer takes memory too'
elif "$peak" "$TMPDIR/peak" 2000 true; then
    above=$(pwd)
    cd "$TMPDIR" || exit 1
    followed 1 "$KILN" plan --format farm cube?.obj -o far --max-memory 30M
    base=$most
    followed 2 "$KILN" plan --format farm many?.gltf -o far --max-memory 30M
    cd "$above" || exit 1
    cp "$TMPDIR/out" "$TMPDIR/plan"
    echo "limit $((30 << 10)) KiB, peak $most KiB and $base KiB for cubes; $sums looks, $rate a second"
    [ "$most" -le $(((30 << 10) + base + 2048)) ] || case_fail "it took $most KiB, $base KiB without models"
    [ "$processes" -eq 2 ] || case_fail "$processes processes"
    grep -q '/many4.gltf' "$TMPDIR/plan" || case_fail 'not all are planned'
    printf 'kiln: 1\noutput: far\nassets: [many1.gltf]\n' >"$TMPDIR/one.yaml"
    (
        cd "$TMPDIR" || exit
        for of in 'many1.gltf -o far' '-m one.yaml'; do
            # shellcheck disable=SC2086
            expect 4 "$KILN" plan --format farm $of --max-memory 4M
            silent out
            says err 'kiln: many1.gltf: '
            says err 'raise that limit (--max-memory)'
            [ "$(wc -l <"$TMPDIR/err")" -eq 1 ] || case_fail 'told twice'
        done
    )
    case_end
else
    case_skip 'the system does not report what processes take'
fi

# Only one of 64 has room at a time, so that 63 wait when the first is done; a batch that went on would bake
# them all.
case_begin 'a signal ends a batch that waits for memory, at once'
mkdir "$TMPDIR/queue"
for i in $(seq 64); do
    ln -s ../many1.gltf "$TMPDIR/queue/many$i.gltf"
done
"$KILN" bake "$TMPDIR"/queue/many*.gltf -o "$TMPDIR/stopped" -j4 --max-memory 38M >"$TMPDIR/out" 2>"$TMPDIR/err" &
batch=$!
while [ -z "$(ls "$TMPDIR/stopped" 2>/dev/null)" ] && kill -0 $batch 2>/dev/null; do
    sleep 0.01
done
kill -TERM $batch
wait $batch
status=$?
[ $status -eq 143 ] || case_fail "status $status"
says err 'interrupted'
[ "$(ls "$TMPDIR/stopped" | wc -l)" -lt 64 ] || case_fail 'it went on'
case_end

for size in '' -1 M 1T 1MB 1.5G 99999999999999999999 99999999999G; do
    case_begin "a size of '$size' is refused"
    expect 1 "$KILN" bake "$model" -o "$out" --max-memory="$size"
    says err '--max-memory'
    case_end
done

cases_end
