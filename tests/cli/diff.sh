#!/bin/sh
# kiln diff: what it compares, what it says, how it ends.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh
top=$(pwd)
unset COLUMNS

cp models/tiny/cube.obj "$TMPDIR/cube.obj"
cd "$TMPDIR" || exit 1
"$KILN" bake -q cube.obj -o a.kiln --bv obb,aabb || exit 1
"$KILN" bake -q cube.obj -o leaf.kiln --bv obb --leaf 2 || exit 1
"$KILN" unpack a.kiln -o raw.kiln || exit 1
sed 's/^v 1 1 1/v 1 1 2/' cube.obj >moved.obj
cp moved.obj cube.obj
"$KILN" bake -q cube.obj -o moved.kiln --bv obb,aabb || exit 1
cp "$top/models/tiny/cube.obj" cube.obj

case_begin 'a file and itself'
cp a.kiln copy.kiln
expect 0 "$KILN" diff a.kiln copy.kiln
exactly out <<'END'
a.kiln and copy.kiln: the same bytes
END
silent err
case_end

case_begin 'packed and raw are the same content'
expect 0 "$KILN" diff a.kiln raw.kiln
says out '  layout                 packed                raw'
says out 'the content is the same'
silent err
case_end

case_begin 'options, trees and sections'
expect 7 "$KILN" diff a.kiln leaf.kiln
silent err
sed -e '/^file/,/^options/d' -e '/^bytes of sections/,/^$/d' out | grep -v 'bytes packed' >rest
mv rest out
exactly out <<'END'
A: a.kiln
B: leaf.kiln

                         A                     B
  bv                     obb,aabb              obb
  leaf                   4                     2                       -50.0 %
tree obb model
  leaf                   4                     2                       -50.0 %
  expected tests         11.6667               10                      -14.3 %
tree aabb model
  triangles              12                    -
  nodes                  1                     -
  depth                  1                     -
  leaf                   4                     -
  expected tests         11.6667               -
  bytes raw              80                    -
  closed                 oriented              -
the content differs, the triangles are the same
END
expect 7 "$KILN" diff a.kiln leaf.kiln
[ "$(awk 'length($0) > 80' out)" = '' ] || case_fail 'a line is longer than 80'
case_end

case_begin 'triangles, as sets'
expect 7 "$KILN" diff a.kiln moved.kiln
sed -n '/^geometry/,/^tree/p' out >rest
mv rest out
exactly out <<'END'
geometry
  triangles only here    5                     5                        +0.0 %
  upper corner           [1.0, 1.0, 1.0]       [1.0, 1.0, 2.0]
  area                   6                     7.41421                 +23.6 %
  signed volume          1                     1.33333                 +33.3 %
tree obb model
END
case_end

case_begin '--geometry and --quiet'
expect 0 "$KILN" diff --geometry a.kiln leaf.kiln
says out 'leaf'
expect 7 "$KILN" diff --geometry a.kiln moved.kiln
expect 7 "$KILN" diff -q a.kiln leaf.kiln
silent out
silent err
expect 0 "$KILN" diff -q a.kiln raw.kiln
silent out
case_end

case_begin 'the order of triangles is not geometry'
{ grep -v '^f' cube.obj; grep '^f' cube.obj | sort -r; } >turned.obj
"$KILN" bake -q turned.obj -o turned.kiln || case_fail 'bake'
expect 7 "$KILN" diff a.kiln turned.kiln
says out '  with other numbers     -                     10'
expect 0 "$KILN" diff --geometry -q a.kiln turned.kiln
case_end

case_begin 'a document'
expect 7 "$KILN" diff --json a.kiln leaf.kiln
for text in '"verb": "diff"' '"same_bytes": false' '"same_content": false' '"same_geometry": true' \
    '"triangles_only_a": 0' '"group": "options"' '"a": "obb,aabb"' '"status": 7'; do
    says out "$text"
done
expect 0 "$KILN" diff --json a.kiln raw.kiln
says out '"same_content": true'
case_end

case_begin 'many trees: 20 for people, all in a document'
awk 'BEGIN { for (i = 0; i < 30; i++) { print "o part" i; for (k = 0; k < 9; k++) print "v", i, k, k * k
    print "f -1 -2 -3\nf -4 -5 -6\nf -7 -8 -9" } }' >many.obj
"$KILN" bake -q many.obj -o many.kiln --split mesh || case_fail 'bake'
"$KILN" bake -q many.obj -o many1.kiln --split mesh --leaf 1 || case_fail 'bake'
expect 7 "$KILN" diff many.kiln many1.kiln
[ "$(grep -c '^tree obb part' out)" -eq 20 ] || case_fail 'not 20 trees'
says out 'and 10 more like these; --json tells of all'
expect 7 "$KILN" diff --json many.kiln many1.kiln
[ "$(grep '"group": "tree obb part' out | sort -u | wc -l)" -eq 30 ] || case_fail 'not 30 trees'
case_end

case_begin 'models, tables and weights'
"$KILN" lut bins -q -o bins.kiln --max-u 12 --max-x 2 || case_fail 'lut bins'
"$KILN" lut bins -q -o more.kiln --max-u 13 --max-x 2 || case_fail 'lut bins'
expect 7 "$KILN" diff bins.kiln more.kiln
says out '  max_u                  12                    13'
expect 7 "$KILN" diff bins.kiln a.kiln
says out '  holds                  table                 model'
expect 0 "$KILN" diff bins.kiln bins.kiln
case_end

case_begin 'without polygons'
"$KILN" bake -q cube.obj -o bare.kiln --adb --no-geometry || case_fail 'bake'
expect 7 "$KILN" diff a.kiln bare.kiln
says out '  polygons               true                  false'
expect 3 "$KILN" diff --geometry -q a.kiln bare.kiln
says err "bare.kiln: baked without polygons; triangles can't be compared"
expect 0 "$KILN" diff --geometry -q bare.kiln bare.kiln
case_end

case_begin 'names that steer terminals are shown, not obeyed'
printf 'o bad\033[2Jname\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >steer.obj
"$KILN" bake -q steer.obj -o steer.kiln --split mesh || case_fail 'bake'
for verb in 'info' 'diff a.kiln'; do
    # shellcheck disable=SC2086
    "$KILN" $verb steer.kiln >out 2>err
    grep -q "$(printf '\033')" out && case_fail "$verb prints an escape"
    says out 'bad?[2Jname'
done
case_end

case_begin 'files that are none'
expect 2 "$KILN" diff a.kiln nowhere.kiln
says err "nowhere.kiln: can't be opened"
expect 3 "$KILN" diff cube.obj a.kiln
says err 'cube.obj: not a kiln file'
expect 1 "$KILN" diff a.kiln
says err 'a file is missing'
case_end

cases_end
