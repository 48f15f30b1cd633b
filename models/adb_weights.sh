#!/bin/sh
# Fits the weights that libkiln embeds for time-critical queries, on the coarse models that nothing is
# measured on: models/adb_weights.sh BUILD NAME.c. Needs assimp-testmodels ($KILN_MODELS).
set -e
build=$1 out=$2
models=${KILN_MODELS:-/usr/share/assimp/models}
work=$build/adb
mkdir -p "$work"

for model in torus:20000 car:20000 lock:20000 pipes:10000; do
    "$build/release/models/shapes" "${model%:*}" "${model#*:}" "$work/${model%:*}.ply"
done
for model in PLY/Wuson.ply OBJ/spider.obj; do
    [ -r "$models/$model" ] || { echo "$models/$model: not there; install assimp-testmodels" >&2; exit 2; }
done

# bake KINDS LEAF
bake() {
    for source in "$work"/torus.ply "$work"/car.ply "$work"/lock.ply "$work"/pipes.ply \
        "$models/PLY/Wuson.ply" "$models/OBJ/spider.obj"; do
        "$build/kiln" bake "$source" --adb --bv "$1" --leaf "$2" --layout raw --quiet \
            -o "$work/$(basename "${source%.*}")-$2.kiln"
    done
}
bake obb,aabb,obb2,aabb2 4
bake obb,obb2 1
bake obb 8
bake obb 15

set --
for leaf in 4 1 8 15; do
    for model in torus car lock pipes Wuson spider; do
        set -- "$@" "$work/$model-$leaf.kiln"
    done
done
"$build/kiln" calibrate "$@" -o "$out" --draws 100
