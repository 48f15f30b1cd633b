#!/bin/sh
# Fits the weights that libkiln embeds for kiln_collide_likely, on models that nothing is measured on:
# models/likely_weights.sh BUILD NAME.c [DRAWS]. Needs assimp-testmodels ($KILN_MODELS).
set -e
build=$1 out=$2 draws=${3:-40}
models=${KILN_MODELS:-/usr/share/assimp/models}
work=$build/likely
mkdir -p "$work"

for model in torus:20000 car:20000 lock:20000 pipes:20000; do
    "$build/release/models/shapes" "${model%:*}" "${model#*:}" "$work/${model%:*}.ply"
done
installed='PLY/Wuson.ply OBJ/spider.obj OBJ/regr01.obj BLEND/HUMAN.blend COB/dwarf.cob AC/SphereWithLight.ac
    Collada/earthCylindrical.DAE LWO/LWO2/UglyVertexColors.lwo BLEND/TorusLightsCams_250_compressed.blend
    FBX/animation_with_skeleton.fbx'
for model in $installed; do
    [ -r "$models/$model" ] || { echo "$models/$model: not there; install assimp-testmodels" >&2; exit 2; }
done

# bake KINDS LEAF
bake() {
    for source in torus car lock pipes; do
        "$build/kiln" bake "$work/$source.ply" --bv "$1" --leaf "$2" --layout raw --quiet \
            -o "$work/$source-$2.kiln"
    done
    for source in $installed; do
        "$build/kiln" bake "$models/$source" --bv "$1" --leaf "$2" --layout raw --quiet \
            -o "$work/$(basename "${source%.*}")-$2.kiln" 2>/dev/null
    done
}
others=dop6,dop14,dop18,dop24,dop26,sphere,octree
bake obb,aabb,obb2,aabb2,$others 4
bake obb,aabb,obb2,aabb2,$others 1
bake obb,aabb,$others 8
bake obb,aabb,$others 15

set --
for leaf in 4 1 8 15; do
    for model in torus car lock pipes $installed; do
        model=$(basename "$model")
        set -- "$@" "$work/${model%.*}-$leaf.kiln"
    done
done
"$build/kiln" calibrate --likely "$@" -o "$out" --draws "$draws"
