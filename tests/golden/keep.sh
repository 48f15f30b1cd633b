#!/bin/sh
# Makes the folder of a newly released format: files by today's command, of all kinds, and the table
# of what they hold and answer. Never over a folder that is there.
#
#   tests/golden/keep.sh BUILD VERSION
set -e
cd "$(dirname "$0")/../.."
kiln=$1/kiln folder=tests/golden/$2
models=$(mktemp -d)
trap 'rm -rf "$models"' EXIT
mkdir "$folder"

shape() { "$1/release/models/shapes" "$2" "$3" "$models/$4"; }
shape "$1" torus 16000 many.ply
shape "$1" lock 1500 lock.obj
cp models/tiny/painted.mtl "$models"
cat >"$models/parts.obj" <<'OBJ'
mtllib painted.mtl
o block
usemtl red
v -0.5 -0.5 -0.5
v 0.5 -0.5 -0.5
v 0.5 0.5 -0.5
v -0.5 0.5 -0.5
v -0.5 -0.5 0.5
v 0.5 -0.5 0.5
v 0.5 0.5 0.5
v -0.5 0.5 0.5
f 1 4 3 2
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
usemtl blue
f 3 4 8 7
f 4 1 5 8
o odd
v 0.25 0.25 0.75
v 1.25 0.25 0.75
v 1.25 1.25 0.75
v 0.25 1.25 0.75
v 0.75 0.75 0.75
usemtl red
f 9 10 13
f 10 11 13
usemtl green
f 11 12 13
f 9 9 10
f 12 12 12
l 9 10
OBJ
bake() { out=$folder/$1; shift; "$kiln" bake --quiet -j 1 "$@" -o "$out"; }
bake many-packed.kiln --bv obb,aabb --adb "$models/many.ply"
bake lock-packed.kiln --bv obb,aabb,obb2,aabb2 --leaf 8 --adb=8 --adb-regions sectors "$models/lock.obj"
bake lossy-packed.kiln --bv aabb --leaf 2 --lossy-grid 12 "$models/lock.obj"
bake parts-packed.kiln --bv obb,aabb,obb2,aabb2 --leaf 1 "$models/parts.obj"
bake parts-raw.kiln --bv obb,aabb,obb2,aabb2 --leaf 3 --layout raw "$models/parts.obj"
bake named-packed.kiln --bv obb,aabb --split mesh "$models/parts.obj"
bake counts-packed.kiln --bv obb --adb=16 --no-geometry "$models/parts.obj"
"$kiln" lut bins -o "$folder/bins-exact.kiln" --max-u 24 --max-x 10
"$kiln" lut bins -o "$folder/bins-compact.kiln" --profile compact --max-u 24 --max-x 10
cp tests/golden/today/weights.kiln "$folder/weights.kiln"
(cd "$folder" && ls ./*.kiln | sed 's|^\./||') | LC_ALL=C sort | "$1/release/tests/golden/test_kept" --keep "$folder"
