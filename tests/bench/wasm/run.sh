#!/bin/sh
# run.sh [BUILD [COUNT]]: times the module under node and the library in each instruction set by turns, three times, on
# the same queries, and prints the least of each, and how many times as long the module takes. Answers are counted
# and must be the same.
cd "$(dirname "$0")/../../.." || exit 1
build=${1:-build}
count=${2:-200}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
${CC:-gcc} -std=c11 -O2 tests/bench/wasm/time.c "$build/libkiln.a" -pthread -lz -lm -o "$folder/time" || exit 1
"$folder/time" pose "$count" >"$folder/cases" || exit 1

# pair NAME TREE SHAPE SHAPE
pair() {
    for side in a b; do
        shape=$3
        [ $side = b ] && shape=$4
        "$build/release/models/shapes" "${shape%%-*}" "${shape#*-}" "$folder/$side.ply" &&
            "$build/kiln" bake -q --layout raw --bv "$2" -o "$folder/$side.kiln" "$folder/$side.ply" || exit 1
    done
    : >"$folder/times"
    for turn in 1 2 3; do
        "$folder/time" ask "$folder/cases" "$folder/a.kiln" "$folder/b.kiln" >>"$folder/times" &&
            node --no-liftoff tests/bench/wasm/time.mjs "$build/wasm" "$folder/cases" "$folder/a.kiln" "$folder/b.kiln" >>"$folder/times" || exit 1
    done
    awk -v title="$1, $2" '
        !($2 in seen) { seen[$2] = 1; order[++queries] = $2; found[$2] = $4 }
        $4 != found[$2] { print $1, $2, "answers otherwise"; bad = 1 }
        !(($1, $2) in least) || $3 < least[$1, $2] { least[$1, $2] = $3 }
        { sets[$1] = 1 }
        END {
            printf "%-34s %9s %9s %9s %9s   %s\n", title, "wasm ns", "scalar", "sse42", "avx2", "wasm / scalar, sse42, avx2"
            for (i = 1; i <= queries; i++) {
                q = order[i]
                printf "%-34s %9.0f %9.0f %9.0f %9.0f   %.2f %.2f %.2f\n", q, least["wasm", q], least["scalar", q],
                    least["sse42", q], least["avx2", q], least["wasm", q] / least["scalar", q],
                    least["wasm", q] / (least["sse42", q] ? least["sse42", q] : 1e99), least["wasm", q] / (least["avx2", q] ? least["avx2", q] : 1e99)
                if (q != "apart") { n++; s += log(least["wasm", q] / least["scalar", q])
                    if (least["avx2", q]) v += log(least["wasm", q] / least["avx2", q]) }
            }
            printf "%-34s %49s %.2f, of avx2 %.2f\n", "", "geometric mean of all but apart: of scalar", exp(s / n), exp(v / n)
            exit bad
        }' "$folder/times" || exit 1
}

pair 'two tori of 20,000' obb torus-20000 torus-20000
pair 'two tori of 20,000' aabb torus-20000 torus-20000
pair 'a knot and a lock of 20,000' obb knot-20000 lock-20000
