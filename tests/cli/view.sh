#!/bin/sh
# kiln view: its outputs, errors and exit statuses. What its pages do is tested by gate/view.sh, in a browser.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
top=$(pwd)
cp models/tiny/cube.obj models/tiny/painted.obj models/tiny/painted.mtl "$TMPDIR"
cd "$TMPDIR" || exit 1
"$KILN" bake -q cube.obj -o cube.kiln && "$KILN" bake -q painted.obj -o painted.kiln --bv obb,sphere,dop14 --adb &&
    "$KILN" bake -q cube.obj -o bare.kiln --adb --no-geometry && "$KILN" lut axes -q --points 14 -o axes.kiln ||
    exit 1

case_begin 'a page, to a file and to standard output'
expect 0 "$KILN" view cube.kiln -o page.html
silent out
silent err
expect 0 "$KILN" view cube.kiln -o -
same page.html out
head -c 40 page.html | grep -q '^<!-- kiln view' || case_fail 'the head'
case_end

# A tube along a spiral that gets thinner, of 480 triangles.
awk 'BEGIN {
    for (i = 0; i <= 40; i++) for (k = 0; k < 6; k++) {
        r = (3 + cos(k)) / (1 + i / 20)
        print "v", r * cos(i / 4) + 5, r * sin(i / 4) - 2, i / 5 + sin(k)
    }
    for (i = 0; i < 40; i++) for (k = 0; k < 6; k++) {
        a = 6 * i + k + 1; b = 6 * i + (k + 1) % 6 + 1
        print "f", a, b, b + 6; print "f", a, b + 6, a + 6
    }
}' >tube.obj
case_begin 'volumes hold their triangles, and costs of levels add up, in every kind of tree'
"$KILN" bake -q tube.obj -o tube.kiln --bv obb,aabb,obb2,aabb2,dop6,dop14,dop18,dop24,dop26,sphere,octree || case_fail 'bake'
expect 0 "$KILN" view tube.kiln painted.kiln --no-live -o page.html
expect 0 /usr/bin/python3 "$top/tests/cli/view_data.py" page.html
silent out
case_end

case_begin 'a name ends no element'
printf 'mtllib odd.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\no </script><!--<script>&\nusemtl </script>\nf 1 2 3\n' >odd.obj
printf 'newmtl </script>\n' >odd.mtl
"$KILN" bake -q odd.obj -o '<b>.kiln' || case_fail 'bake'
expect 0 "$KILN" view '<b>.kiln' -o odd.html
# Elements begin as often as they end, and comments as often as in any other page.
tags() {
    grep -o '<script\|</script\|<!--\|<b>' odd.html | grep -c "$1"
}
[ "$(tags '<script')" -eq "$(tags '</script')" ] && [ "$(tags '<b>')" -eq 0 ] &&
    [ "$(tags '<!--')" -eq "$(grep -o '<!--' page.html | wc -l)" ] || case_fail 'other elements than in another page'
case_end

case_begin 'it replaces a page of its own, and no other file'
expect 0 "$KILN" view painted.kiln -o page.html
echo '<!doctype html><title>mine</title>' >mine.html
exact 1 "$KILN" view cube.kiln -o mine.html <<'END'
stderr:
kiln: mine.html: would be replaced; it is no page of kiln view; name another output, or remove it first
END
exact 1 "$KILN" view cube.kiln -o ./cube.kiln <<'END'
stderr:
kiln: ./cube.kiln: would be replaced; it is an input 'cube.kiln' of this run; name another output
END
case_end

case_begin 'files without polygons, packed, raw, in any number up to 16'
expect 0 "$KILN" view bare.kiln cube.kiln -o page.html
"$KILN" unpack cube.kiln -o raw.kiln
expect 0 "$KILN" view raw.kiln cube.kiln painted.kiln -o page.html
expect 1 "$KILN" view $(yes cube.kiln | head -17) -o page.html
says err 'a page has at most 16 files'
case_end

case_begin 'no model: what it is; broken: why'
exact 5 "$KILN" view axes.kiln -o no.html <<'END'
stderr:
kiln: axes.kiln: holds an axis set and no model; kiln info prints it
END
head -c 200 cube.kiln >cut.kiln
expect 3 "$KILN" view cut.kiln -o no.html
expect 2 "$KILN" view none.kiln -o no.html
expect 2 "$KILN" view cube.kiln -o none/no.html
[ ! -e no.html ] || case_fail 'a page was written'
case_end
cases_end
