#!/bin/sh
# large.sh [BUILD [FACES]]: bakes a model of FACES triangles (default ten million, a binary STL of 500 MB) on two
# threads, with 4 GiB of address space and with --max-memory 1500M, and verifies the file. Prints seconds and
# the peak of resident memory. Takes two to four minutes and 1 GB in TMPDIR.
cd "$(dirname "$0")/../.." || exit 1
build=${1:-build}
faces=${2:-10000000}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
model=$folder/knot.stl

# measured NAME COMMAND...: its seconds and its peak.
measured() {
    name=$1
    shift
    start=$(date +%s.%N)
    "$@" &
    process=$!
    peak=0
    while now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' /proc/$process/status 2>/dev/null) &&
        [ -n "$now" ]; do
        peak=$now
        sleep 0.1
    done
    wait $process
    status=$?
    echo "$name $start $(date +%s.%N) $peak $faces $status" | awk '{
        printf "%-28s %7.1f s  %6.2f s/Mtri  peak %7.1f MiB  %6.1f bytes a triangle  status %d\n",
            $1, $3 - $2, ($3 - $2) / $5 * 1e6, $4 / 1024, $4 * 1024 / $5, $6 }'
    return $status
}

"$build/release/models/shapes" knot "$faces" "$model" || exit 1
ulimit -v 4194304
for quality in fast default; do
    measured "bake_$quality" "$build/kiln" bake "$model" -o "$folder/$quality.kiln" -j 2 \
        --quality $quality --max-memory 1500M || exit 1
done
measured verify "$build/kiln" verify "$folder/default.kiln" >"$folder/verified" || exit 1
grep '^verify ' "$folder/verified"
measured info "$build/kiln" info "$folder/default.kiln" >"$folder/told" || exit 1
grep '^info ' "$folder/told"
