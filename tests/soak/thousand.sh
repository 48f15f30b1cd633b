#!/bin/sh
# A thousand assets, made and real, baked in one batch: against the sum of its parts over the cores, again
# with nothing changed, by another -j, order and folder, and within limits of memory. Prints ratios and peaks of
# memory; exits 1 where bytes differ, a run fails, the second run takes more than 5 % of the first, or all
# processes of a run together take more than its --max-memory, what a batch of next to nothing takes, and
# 1 MiB a thread.
#
#   tests/soak/thousand.sh [FOLDER]
folder=${1:-$(mktemp -d)}
: "${KILN:=$(cd "$(dirname "$0")/../.." && pwd)/build/kiln}"
shapes=$(dirname "$KILN")/release/models/shapes
real=/usr/share/assimp/models
follow=$(dirname "$KILN")/release/tests/soak/peak
cores=$(nproc)
failed=0
mkdir -p "$folder" && cd "$folder" || exit 1

wrong() {
    echo "thousand: $*"
    failed=1
}

now() {
    date +%s.%N
}

# spent: puts into $cpu what all children have had of processors so far, in seconds.
spent() {
    times >cpu.txt # not in a subshell, which has no children
    cpu=$(awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, "m"); s += 60 * t[1] + t[2] } print s }' cpu.txt)
}

# ratio A B [C]: A over B, over C.
ratio() {
    awk -v a="$1" -v b="$2" -v c="${3:-1}" 'BEGIN { printf "%.3f", a / b / c }'
}

mkdir -p in real
i=0
while [ $i -lt 900 ]; do
    for shape in torus knot car lock pipes; do
        # From 200 triangles to 60,000, most of them small.
        triangles=$(awk -v i=$i 'BEGIN { x = (i * 7919 % 900) / 900; printf "%d", 200 * exp(5.7 * x ^ 4) }')
        [ $((i % 2)) -eq 0 ] && end=obj || end=ply
        [ -e "in/a$i.$end" ] || "$shapes" $shape "$triangles" "in/a$i.$end" >/dev/null || exit 1
        i=$((i + 1))
    done
done
# Real ones, as far as each bakes by itself; copies make up the number.
k=0
if [ -d $real ] && [ ! -e real/list ]; then
    cp -r $real/. real/
    chmod -R u+w real
    find real -type f \( -name '*.obj' -o -name '*.ply' -o -name '*.stl' -o -name '*.dae' -o -name '*.gltf' \
        -o -name '*.glb' -o -name '*.3ds' -o -name '*.off' -o -name '*.lwo' -o -name '*.ac' \) | sort |
        while IFS= read -r file; do
            "$KILN" bake "$file" -o probe.kiln -q -j1 2>/dev/null && printf '%s\n' "$file"
        done >real/list
fi
{
    find in -type f | sort
    [ -e real/list ] && cat real/list
} | head -n 1000 >list
while [ "$(wc -l <list)" -lt 1000 ]; do
    cp "in/a$k.obj" "in/b$k.obj"
    echo "in/b$k.obj" >>list
    k=$((k + 2))
done
# Two names that differ in their extension alone would make one file.
awk '{ stem = $0; sub(/\.[^.]*$/, "", stem); if (!seen[stem]++) print }' list >unique
mv unique list
count=$(wc -l <list)

rm -rf one out two
one_by_one() {
    while IFS= read -r file; do
        "$KILN" bake "$file" -o "one/${file%.*}.kiln" -j1 -q 2>/dev/null || wrong "$file does not bake"
    done <list
}
sed 's|/[^/]*$||' list | sort -u | sed 's|^|one/|' | tr '\n' '\0' | xargs -0 mkdir -p
start=$(now)
spent && before=$cpu
one_by_one
parts=$(awk -v a="$start" -v b="$(now)" 'BEGIN { print b - a }')

start=$(now)
spent && parts_cpu=$(awk -v a="$before" -v b="$cpu" 'BEGIN { print b - a }')
before=$cpu
"$KILN" bake @list -o out --folders tree -q 2>/dev/null || wrong "status $?"
batch=$(awk -v a="$start" -v b="$(now)" 'BEGIN { print b - a }')
spent && batch_cpu=$(awk -v a="$before" -v b="$cpu" 'BEGIN { print b - a }')

start=$(now)
"$KILN" bake @list -o out --folders tree --if-changed -q || wrong "status $?"
again=$(awk -v a="$start" -v b="$(now)" 'BEGIN { print b - a }')

diff -r one out >/dev/null || wrong 'the batch made other bytes than its parts'
mkdir -p elsewhere/deeper && cp -r in elsewhere/deeper/
[ ! -d real ] || cp -r real elsewhere/deeper/
sort -r list >elsewhere/deeper/list
(cd elsewhere/deeper && "$KILN" bake @list -o ../../two --folders tree -q -j $((cores + 3)) 2>/dev/null) ||
    wrong "status $?"
diff -r one two >/dev/null || wrong 'another -j, order and folder made other bytes'

printf 'thousand: %d assets on %d cores: parts one by one %.2f s, batch %.2f s: %s of the sum over the cores\n' \
    "$count" "$cores" "$parts" "$batch" "$(ratio "$batch" "$parts" "$(ratio 1 "$cores")")"
printf 'thousand: of processors: parts %.2f s, batch %.2f s: %s; the batch used %s of the cores\n' "$parts_cpu" \
    "$batch_cpu" "$(ratio "$batch_cpu" "$parts_cpu")" "$(ratio "$batch_cpu" "$batch" "$cores")"
printf 'thousand: again with nothing changed %.3f s: %s of the first\n' "$again" "$(ratio "$again" "$batch")"
awk -v a="$again" -v b="$batch" 'BEGIN { exit !(a <= 0.05 * b) }' || wrong 'more than 5 %'

# followed WHAT LIMIT INPUT...: bakes into the folder limited, and puts its seconds and its peak in KiB into
# $seconds and $peak. LIMIT 0: none.
followed() {
    what=$1 most=$2
    shift 2
    rm -rf limited
    start=$(now)
    "$follow" peak.txt 4000 "$KILN" bake "$@" -o limited --max-memory "$most" -q 2>/dev/null ||
        wrong "$what: status $?"
    seconds=$(awk -v a="$start" -v b="$(now)" 'BEGIN { print b - a }')
    read -r peak looks rate processes <peak.txt
    printf 'thousand: %s, --max-memory %s: peak %d MiB of %d processes, %.2f s (%d looks a second)\n' "$what" \
        "$most" $((peak >> 10)) "$processes" "$seconds" "$rate"
}

# bounded MIB THREADS: was the last one?
bounded() {
    [ "$peak" -le $((($1 + $2) * 1024 + base)) ] || wrong "$((peak >> 10)) MiB, more than $1 and $((base >> 10))"
}

mkdir -p cubes
for i in 1 2 3 4; do
    "$shapes" car 200 cubes/c$i.obj >/dev/null
    "$shapes" knot 400000 heavy$i.obj >/dev/null
done
followed 'next to nothing' 1G cubes/*.obj -j4
base=$peak
followed 'a thousand' 0 @list --folders tree
free=$seconds
for limit in 2048 96; do
    followed 'a thousand' ${limit}M @list --folders tree
    bounded $limit "$cores"
    diff -r one limited >/dev/null || wrong 'a limit of memory made other bytes'
    printf 'thousand: with %d MiB a batch takes %s of the time\n' $limit "$(ratio "$seconds" "$free")"
done
followed '4 of 400,000 triangles' 0 heavy*.obj -j4 --quality fast
free=$seconds
for limit in 2048 96; do
    followed '4 of 400,000 triangles' ${limit}M heavy*.obj -j4 --quality fast
    bounded $limit 4
    printf 'thousand: with %d MiB they take %s of the time\n' $limit "$(ratio "$seconds" "$free")"
done
exit $failed
