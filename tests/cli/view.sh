#!/bin/sh
# kiln view: its outputs, errors and exit statuses. What its pages do is tested by gate/view.sh, in a browser.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
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
