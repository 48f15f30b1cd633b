#!/bin/sh
# The command in little stack: 256 KiB, which threads get too where a limit is set.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

cube=models/tiny/cube.obj
cd "$TMPDIR" || exit 1
cp "$OLDPWD/$cube" "$OLDPWD/models/tiny/painted.obj" "$OLDPWD/models/tiny/painted.mtl" .
echo '0.25 0.5 3 0 0 -2' >rays
echo '1 0 0 0.5  0 1 0 0  0 0 1 0' >poses

# small STATUS ARGUMENT...: kiln with that stack.
small() {
    wanted=$1
    shift
    expect "$wanted" sh -c 'ulimit -s 256 && exec "$@"' sh "$KILN" "$@"
}

case_begin 'kiln bake in 256 KiB of stack'
for layout in raw packed; do
    small 0 bake -q cube.obj -o $layout.kiln --layout $layout --bv obb,aabb,obb2,aabb2,dop14,dop6,dop18,dop24,dop26,sphere,octree
    small 0 bake -q painted.obj -o counted-$layout.kiln --layout $layout --adb=4
    small 0 bake -q -j 2 cube.obj painted.obj -o $layout --layout $layout
done
case_end

case_begin 'what reads baked files in 256 KiB of stack'
for layout in raw packed; do
    small 0 info $layout.kiln
    small 0 verify --full $layout.kiln counted-$layout.kiln
    small 0 query $layout.kiln --rays rays
    for mode in pairs geometry distance regions; do
        small 0 collide raw.kiln $layout.kiln --poses poses --mode $mode
    done
    small 0 collide counted-raw.kiln counted-$layout.kiln --poses poses --mode adb
    small 0 unpack $layout.kiln -o again.kiln
    small 0 view $layout.kiln counted-$layout.kiln -o page.html
done
small 0 diff raw.kiln raw.kiln
small 0 calibrate counted-raw.kiln --draws 1000
case_end

case_begin 'kiln lut in 256 KiB of stack'
small 0 lut bins -q --max-u 10 --max-x 2 -o bins.kiln
small 0 lut check bins.kiln
small 0 lut axes -q --points 14 -o axes.kiln
small 0 lut axes -q --points 16 --starts 3 -o found.kiln
small 0 lut check axes.kiln
small 0 lut show bins.kiln --at 5,4,3
case_end

cases_end
