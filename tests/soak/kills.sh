#!/bin/sh
# Bakes a batch and kills it by signal 9, again and again, at moments spread over its run, while options
# change from run to run. After every kill each file under its final name is whole and is what some run
# so far was to make; then one run with --if-changed must end well and leave exactly what a bake of its
# options makes, whatever the killed ones left.
#
#   tests/soak/kills.sh [KILLS] [FOLDER] [SIZE]      default 200 kills; the largest of 12 models has 12 SIZE
#                                                    triangles, default 1200
kills=${1:-200}
folder=${2:-$(mktemp -d)}
size=${3:-100}
: "${KILN:=$(cd "$(dirname "$0")/../.." && pwd)/build/kiln}"
models=$(dirname "$KILN")/release/models
assets=12
failed=0

wrong() {
    echo "kills: $*"
    failed=1
}

mkdir -p "$folder" && cd "$folder" || exit 1
for i in $(seq $assets); do
    "$models/hard_big" "big$i" --n $((size * i)) >/dev/null || exit 1
    cp "big$i/C029_same_centroid.obj" "in$i.obj"
done
for leaf in 4 2; do
    "$KILN" bake in*.obj -o "want$leaf" --leaf $leaf -q || exit 1
done

# How long an undisturbed run takes, in milliseconds.
start=$(date +%s%N)
"$KILN" bake in*.obj -o out --leaf 4 -q || exit 1
span=$((($(date +%s%N) - start) / 1000000 + 1))

kill_one() {
    leaf=$1 moment=$2
    "$KILN" bake in*.obj -o out --leaf "$leaf" --cache cache --if-changed -q &
    bake=$!
    sleep "$(awk -v ms="$moment" 'BEGIN { printf "%.4f", ms / 1000 }')"
    kill -9 $bake 2>/dev/null
    wait $bake 2>/dev/null
    status=$?
    case $status in 0 | 137) ;; *) wrong "status $status" ;; esac
    for file in out/in*.kiln; do
        name=${file#out/}
        cmp -s "$file" "want4/$name" || cmp -s "$file" "want2/$name" || wrong "$file is neither"
        # Who was quicker than the signal and says that it is done has done all.
        [ $status -ne 0 ] || cmp -s "$file" "want$leaf/$name" || wrong "$file is stale after status 0"
    done
}

for k in $(seq "$kills"); do
    leaf=$((k % 2 * 2 + 2))
    # Half of the times a cold cache, so that work is cut rather than copies.
    [ $((k % 4)) -lt 2 ] && rm -rf cache
    kill_one $leaf $((k * 7919 % span))
    if [ $((k % 10)) -eq 0 ]; then
        "$KILN" bake in*.obj -o out --leaf $leaf --cache cache --if-changed -q || wrong "status $?"
        for file in "want$leaf"/*; do
            cmp -s "$file" "out/${file#want*/}" || wrong "${file#want*/} is stale after kill $k"
        done
        for entry in cache/??/*.kiln; do
            [ ! -e "$entry" ] || "$KILN" verify "$entry" >/dev/null || wrong "$entry is not sound"
        done
    fi
done
# What was left unfinished is removed by who writes the same again, in the cache by gc.
left=$(find . -name '.kiln-*' | wc -l)
for leaf in 4 2; do
    "$KILN" bake in*.obj -o out --leaf $leaf -q || wrong "status $?"
done
"$KILN" cache gc cache --max-size 0 >/dev/null || wrong "gc: status $?"
[ -z "$(find . -name '.kiln-*')" ] || wrong "unfinished files stay: $(find . -name '.kiln-*')"
echo "kills: $kills kills over $span ms of $assets assets; $left unfinished files left aside, all removed by the next run"
exit $failed
