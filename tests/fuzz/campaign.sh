#!/bin/sh
# campaign.sh HARNESS SECONDS [BUILD]: libFuzzer over a harness for so long, with words of all formats, from what the
# tests replay, what a campaign before has kept in BUILD/corpus/HARNESS and, for imports, the small models of
# assimp-testmodels. A crash is left in BUILD/corpus/crash-HARNESS-*, and the status is not 0.
cd "$(dirname "$0")/../.." || exit 1
harness=$1 seconds=$2 build=${3:-build}
words=tests/fuzz/words
corpus=$build/corpus/$harness
mkdir -p "$corpus" || exit 1

# octal NUMBER: as printf takes a byte
octal() {
    printf '\\%03o' "$1"
}

# The first byte of an input of imports is the number of its format.
put_models() {
    number=0
    sed -n '/fuzz_import_formats\[\] = {/,/NULL}/p' tests/fuzz/fuzz_import.c | grep -o '"[a-z0-9]*"' | tr -d '"' |
        while read -r format; do
            find tests/fuzz/seeds-import /usr/share/assimp/models -iname "*.$format" -size -8k -type f 2>/dev/null | while read -r model; do
                { printf "$(octal $number)" && cat "$model"; } >"$corpus/${model##*/}"
            done
            number=$((number + 1))
        done
}

case $harness in
bake)
    "$build/release/tests/fuzz/test_bake" --write "$corpus" &&
        for model in tests/fuzz/seeds-xml/* tests/cases/collada/*.dae tests/cases/fbx/*.fbx; do
            { printf '\0\0' && cat "$model"; } >"$corpus/${model##*/}" || exit
        done
    ;;
open) cp tests/fuzz/seeds/* "$corpus" ;;
scene) "$build/release/tests/fuzz/test_scene" --write "$corpus" ;;
import) put_models ;;
*) echo "no such harness: $harness"; exit 1 ;;
esac || exit 1
[ ! -d "tests/fuzz/seeds-$harness" ] || [ "$harness" = import ] || cp "tests/fuzz/seeds-$harness"/* "$corpus" || exit 1
cat $words/* >"$build/corpus/words" || exit 1
# Errors within the child of an import are what is looked for, and its signals are its own.
exec nice "$build/fuzz/fuzz_$harness" -dict="$build/corpus/words" -max_total_time="$seconds" -timeout=60 \
    -rss_limit_mb=2000 -print_final_stats=1 -artifact_prefix="$build/corpus/crash-$harness-" "$corpus"
