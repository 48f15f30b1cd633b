#!/bin/sh
# kiln query: rays, points, shapes and spheres against a mesh.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

cube=$TMPDIR/cube.kiln
"$KILN" bake -q models/tiny/cube.obj -o "$cube" --bv obb,aabb,obb2,aabb2,dop14,dop6,dop18,dop24,dop26,sphere,octree || exit 1

# answers WANTED ARGUMENT...: of the questions on standard input.
answers() {
    wanted=$1
    shift
    got=$("$KILN" query "$cube" "$@" - | tr '\n' '/')
    [ "$got" = "$wanted" ] || case_fail "answers '$got', not '$wanted'"
}

printf '# down, by the side, up from within, short\n0.25 0.5 3 0 0 -2\n3 3 3 0 0 1\n0.25,0.5,0.5,0,0,1\n' >"$TMPDIR/rays"
printf '0.25 0.5 3 0 0 -2 0 0.5 # ends before\n' >>"$TMPDIR/rays"

for kind in obb aabb obb2 aabb2 dop6 dop14 dop18 dop24 dop26 sphere octree; do
    case_begin "rays --bv $kind"
    answers '1/0/1/0/' --bv $kind --mode any --rays <"$TMPDIR/rays"
    got=$("$KILN" query "$cube" --bv $kind --rays "$TMPDIR/rays" | sed 's/^1 [0-9]* /1 /' | tr '\n' '/')
    [ "$got" = '1 1 front/0/1 0.5 back/0/' ] || case_fail "answers '$got'"
    got=$("$KILN" query "$cube" --bv $kind --mode all --rays "$TMPDIR/rays" |
        sed 's/ [0-9]*:/ T:/g' | tr '\n' '/')
    [ "$got" = '1 2 T:1:front T:1.5:back/0 0/1 1 T:0.5:back/0 0/' ] || case_fail "answers '$got'"
    case_end
done

case_begin 'rays --cull'
got=$("$KILN" query "$cube" --mode any --cull back --rays "$TMPDIR/rays" | tr '\n' ' ')
[ "$got" = '1 0 0 0 ' ] || case_fail "answers '$got'"
got=$("$KILN" query "$cube" --mode any --cull front --rays "$TMPDIR/rays" | tr '\n' ' ')
[ "$got" = '1 0 1 0 ' ] || case_fail "answers '$got'"
case_end

case_begin 'points'
printf '0.5 0.5 0.5\n1 0.5 0.5\n0 0 0\n1.5 0.5 0.5\n' >"$TMPDIR/points"
answers 'inside/surface/surface/outside/' --points <"$TMPDIR/points"
case_end

for kind in obb aabb obb2 aabb2 dop6 dop14 dop18 dop24 dop26 sphere octree; do
    case_begin "points --mode nearest and signed --bv $kind"
    printf '0.5 0.25 3\n0.5 0.25 0.75\n4 5 0.5\n1 1 1\n' >"$TMPDIR/near"
    got=$("$KILN" query "$cube" --bv $kind --mode nearest --points "$TMPDIR/near" |
        sed 's/^1 [0-9]* /1 /' | tr '\n' '/')
    [ "$got" = '1 2 face 0.5 0.25 1/1 0.25 face 0.5 0.25 1/1 5 edge 1 1 0.5/1 0 corner 1 1 1/' ] ||
        case_fail "answers '$got'"
    got=$("$KILN" query "$cube" --bv $kind --mode signed --points "$TMPDIR/near" | cut -d' ' -f1 | tr '\n' '/')
    [ "$got" = '2/-0.25/5/0/' ] || case_fail "signed: '$got'"
    got=$("$KILN" query "$cube" --bv $kind --mode nearest --within 5 --points "$TMPDIR/near" | cut -d' ' -f1,2 | tr '\n' '/')
    [ "$got" = '1 12/1 12/1 2/1 12/' ] || case_fail "within: '$got'"
    got=$("$KILN" query "$cube" --bv $kind --mode nearest --within 2 --count 2 --points "$TMPDIR/near" |
        cut -d' ' -f1,2 | tr '\n' '/')
    [ "$got" = '1 1/1 2/0 0/1 2/' ] || case_fail "two: '$got'"
    case_end
done

case_begin 'points --mode winding'
printf '0.5 0.5 0.5\n1 0.5 0.5\n0 0 0\n1.5 0.5 0.5\n' >"$TMPDIR/points"
got=$("$KILN" query "$cube" --mode winding --points "$TMPDIR/points" | cut -c1-3 | tr '\n' '/')
[ "$got" = '1 0/0.5/0.1/0 0/' ] || case_fail "answers '$got'"
got=$("$KILN" query "$cube" --mode winding --points "$TMPDIR/points" | sed 's/.* //' | tr '\n' '/')
[ "$got" = 'exact/surface/surface/exact/' ] || case_fail "kinds '$got'"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 4 3\nf 1 2 4\n' >"$TMPDIR/corner.obj"
expect 0 "$KILN" bake -q "$TMPDIR/corner.obj" -o "$TMPDIR/corner.kiln"
echo '0.1 0.1 0.1' >"$TMPDIR/one"
expect 0 "$KILN" query "$TMPDIR/corner.kiln" --mode winding --accuracy 0 --points "$TMPDIR/one" --json
for text in '"hits": 1' '"number": 0.8' '"exact": false' '"surface": false'; do says out "$text"; done
expect 1 "$KILN" query "$cube" --mode winding --rays "$TMPDIR/rays"
says err '--mode winding needs --points'
expect 1 "$KILN" query "$cube" --accuracy 0.1 --points "$TMPDIR/points"
says err '--accuracy needs --mode winding'
expect 1 "$KILN" query "$cube" --mode winding --accuracy -1 --points "$TMPDIR/points"
case_end

case_begin 'points --mode nearest: documents, and what it does not go with'
expect 0 "$KILN" query "$cube" --mode nearest --count 3 --points "$TMPDIR/near" --json -w
for text in '"hits": 4' '"feature": "corner"' '"weights"' '"normal"' '"face"' '"distance": 2.0'; do says out "$text"; done
expect 0 "$KILN" query "$cube" --mode signed --within 1 --points "$TMPDIR/near" --json
for text in '"distance": -0.25' '"distance": null' '"hit": false'; do says out "$text"; done
expect 1 "$KILN" query "$cube" --mode nearest --rays "$TMPDIR/rays"
says err '--mode nearest needs --points'
expect 1 "$KILN" query "$cube" --mode signed --count 2 --points "$TMPDIR/near"
says err '--count needs --mode nearest'
expect 1 "$KILN" query "$cube" --within 2 --points "$TMPDIR/near"
says err '--within needs --mode nearest or signed'
expect 1 "$KILN" query "$cube" --mode nearest --count 0 --points "$TMPDIR/near"
case_end

case_begin 'shapes'
printf '# sphere, box, capsule: touching, apart\n3 0.5 0.5 2\n3 0.5 0.5 1.99\n1 1 1 2 2 2\n0.1 0.1 0.1 0.9 0.9 0.9\n0.5 0.5 -3 0.5 0.5 3 0\n' >"$TMPDIR/shapes"
answers '1/0/1/0/1/' --mode any --shapes <"$TMPDIR/shapes"
got=$("$KILN" query "$cube" --mode all --shapes "$TMPDIR/shapes" | cut -d' ' -f1,2 | tr '\n' '/')
case $got in '1 2/0 0/1 '[1-9]*'/0 0/1 '[24]'/') ;; *) case_fail "answers '$got'" ;; esac
case_end

case_begin 'hulls: triangles and tetrahedra, with and without a radius'
printf '2 0.5 0.5 3 0 0 3 1 1 1\n2 0.5 0.5 3 0 0 3 1 1 0.99\n0.5 0.5 0.5 2 0.4 0.4 2 0.6 0.4 2 0.5 0.7 0\n' >"$TMPDIR/hulls"
answers '1/0/1/' --mode any --shapes <"$TMPDIR/hulls"
got=$("$KILN" query "$cube" --mode all --shapes "$TMPDIR/hulls" | cut -d' ' -f1,2 | tr '\n' '/')
case $got in '1 '[12]'/0 0/1 '[12]'/') ;; *) case_fail "answers '$got'" ;; esac
case_end

case_begin 'shapes --mode distance'
printf '3 0.5 0.25 1\n3 0.5 0.25 2\n2 0.5 0.25 3 0.5 0.75 0.5\n1.5 0.2 0.4 2 1 1\n2 0.5 0.25 3 0 0 3 1 1 0.25\n' >"$TMPDIR/apart"
for kind in obb aabb dop14 sphere octree; do
    got=$("$KILN" query "$cube" --bv $kind --mode distance --shapes "$TMPDIR/apart" | sed '3,4!s/^\([^ ]* [^ ]*\) [0-9]*/\1 T/' |
        sed '3,4s/^\([^ ]* [^ ]*\) .*/\1/' | tr '\n' '/')
    [ "$got" = '0 1 T 1 0.5 0.25 2 0.5 0.25/1 0 T 1 0.5 0.25 1 0.5 0.25/0 0.5/0 0.5/0 0.75 T 1 0.5 0.25 1.75 0.5 0.25/' ] ||
        case_fail "$kind: answers '$got'"
done
expect 0 "$KILN" query "$cube" --mode distance --shapes "$TMPDIR/apart" --json -w
for text in '"distance": 0.5' '"point_shape"' '"point"' '"face"' '"hits": 1'; do
    says out "$text"
done
expect 1 "$KILN" query "$cube" --mode distance --points "$TMPDIR/apart"
says err '--mode distance needs --shapes'
for line in '1 2 3 4 5' '1 2 3 -1' '1 1 1 0 0 0' '1 2 3 1e61' '0 0 0 1 1 1 2 2 2 nan'; do
    echo "$line" >"$TMPDIR/bad"
    expect 3 "$KILN" query "$cube" --mode distance --shapes "$TMPDIR/bad"
    says err 'line 1: '
done
case_end

case_begin 'spheres: configurations of two links, first, any and all'
printf '# centre, radius, link\n0 0 0 0.25\n0 0 0.5 0.25 0\n0 0 0 0.1 1\n' >"$TMPDIR/robot"
{
    echo '1 0 0 0.5  0 1 0 0.5  0 0 1 2'
    echo '1 0 0 0.5  0 1 0 0.5  0 0 1 3'
    echo '1 0 0 0.5  0 1 0 0.5  0 0 1 1.25'
    echo '1 0 0 0.5  0 1 0 0.5  0 0 1 1.05'
    echo '1 0 0 0.5  0 1 0 0.5  0 0 1 2  2'
    echo '1 0 0 0.5  0 1 0 0.5  0 0 1 1'
} >"$TMPDIR/links"
for kind in obb aabb dop14 sphere octree aabb2; do
    got=$("$KILN" query "$cube" --bv $kind --spheres "$TMPDIR/robot" --poses "$TMPDIR/links" | sed 's/^\(1 [0-9]*\) .*/\1/' | tr '\n' '/')
    [ "$got" = '0/1 0/1 2/' ] || case_fail "$kind: answers '$got'"
    got=$("$KILN" query "$cube" --bv $kind --mode all --spheres "$TMPDIR/robot" --poses "$TMPDIR/links" | tr '\n' '/')
    [ "$got" = '0 0/1 2 0 2/1 1 2/' ] || case_fail "$kind: answers '$got'"
done
answers '1/' --mode any --spheres <"$TMPDIR/robot"
expect 0 "$KILN" query "$cube" --spheres "$TMPDIR/robot" --poses "$TMPDIR/links" --json -w
for text in '"hits": 2' '"sphere": 0' '"face"' '"questions": 3'; do says out "$text"; done
expect 0 "$KILN" query "$cube" --mode all --spheres "$TMPDIR/robot" --json
says out '"sphere": 2'
expect 1 "$KILN" query "$cube" --poses "$TMPDIR/links" --rays "$TMPDIR/rays"
says err '--poses needs --spheres'
expect 1 "$KILN" query "$cube" --points /dev/null --cull none
says err '--cull needs --rays'
expect 1 "$KILN" query "$cube" --rays /dev/null --neighbours beyond
says err '--neighbours needs --self'
head -n 3 "$TMPDIR/links" >"$TMPDIR/odd"
expect 3 "$KILN" query "$cube" --spheres "$TMPDIR/robot" --poses "$TMPDIR/odd"
says err '3 poses are no whole number of configurations of 2 links'
for line in '1 2 3' '1 2 3 -1' '1 2 3 nan' '1 2 3 1e61' '1 2 3 4 0.5' '1 2 3 4 -1' '1 2 3 4 5 6'; do
    echo "$line" >"$TMPDIR/bad"
    expect 3 "$KILN" query "$cube" --spheres "$TMPDIR/bad"
    says err 'line 1: '
done
expect 1 "$KILN" query "$cube" --mode distance --spheres "$TMPDIR/robot"
case_end

case_begin 'query --scale: the unit cube, twice as large'
answers 'inside/surface/outside/' --scale 2 --points <<'END'
1.5 1.5 1.5
2 1 1
2.5 1 1
END
got=$("$KILN" query "$cube" --scale 2 --rays "$TMPDIR/rays" | sed 's/^1 [0-9]* /1 /' | tr '\n' '/')
[ "$got" = '1 0.5 front/0/1 1.5 back/1 0.5 front/' ] || case_fail "answers '$got'"
answers '1/1/1/0/1/' --scale 2 --mode any --shapes <"$TMPDIR/shapes"
for scale in 0 -1 nan 1e300; do
    expect 1 "$KILN" query "$cube" --scale $scale --points "$TMPDIR/points"
    says err '--scale'
done
case_end

case_begin 'query --json'
expect 0 "$KILN" query "$cube" --rays "$TMPDIR/rays" --json -w
for text in '"verb": "query"' '"questions": 4' '"hits": 2' '"side": "front"' '"weights"' '"normal"' \
    '"face"' '"us_median"'; do
    says out "$text"
done
expect 0 "$KILN" query "$cube" --points "$TMPDIR/points" --json
says out '"place": "surface"'
case_end

case_begin 'what is no question'
for line in '1 2 3 4 5' '1 2 3 0 0 0' '1 2 x' '0 0 0 0 0 nan' '0 0 0 0 0 1 2 1'; do
    echo "$line" >"$TMPDIR/bad"
    expect 3 "$KILN" query "$cube" --rays "$TMPDIR/bad"
    says err 'line 1: '
done
echo '1 2 3 -1' >"$TMPDIR/bad"
expect 3 "$KILN" query "$cube" --shapes "$TMPDIR/bad"
says err 'line 1: the radius is negative'
# reason KIND NUMBERS TEXT: the third line is wrong, and why; what came before it is answered.
reason() {
    case $1 in
    rays) printf '3 3 3 0 0 1\n# none\n%s\n' "$2" >"$TMPDIR/bad" ;;
    shapes) printf '9 9 9 1\n# none\n%s\n' "$2" >"$TMPDIR/bad" ;;
    *) printf '9 9 9\n# none\n%s\n' "$2" >"$TMPDIR/bad" ;;
    esac
    expect 3 "$KILN" query "$cube" "--$1" "$TMPDIR/bad"
    says err "line 3: $3"
    [ "$(wc -l <"$TMPDIR/out")" -eq 1 ] || case_fail "$1: the line before is not answered"
}
reason rays '1 2 3 0 0 0' 'the direction has no length'
reason rays '0 0 0 0 0 1 2 1' 'the least t is above the largest'
reason rays '0 0 0 0 0 1e-40' 'the direction is too short or too long'
reason rays '1e70 0 0 0 0 1' 'a number is not finite or above 1e60'
reason rays '1 2 3 4 5' '5 numbers; a ray has 6'
reason shapes '1 1 1 2 0 2' 'the lower corner of the box is above the upper one'
reason shapes '0 0 0 1 1 1 -2' 'the radius is negative'
reason shapes '0 0 0 1e99' 'a number is not finite or above 1e60'
reason points '1e99 0 0' 'a number is not finite or above 1e60'
expect 2 "$KILN" query "$cube" --points "$TMPDIR/none"
expect 1 "$KILN" query "$cube"
says err 'exactly one of --rays, --points, --shapes, --spheres and --self'
expect 1 "$KILN" query "$cube" --rays a --points b
case_end

case_begin 'an open mesh has no inside'
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >"$TMPDIR/open.obj"
expect 0 "$KILN" bake -q "$TMPDIR/open.obj" -o "$TMPDIR/open.kiln"
expect 3 "$KILN" query "$TMPDIR/open.kiln" --points "$TMPDIR/points"
says err 'not closed'
expect 3 "$KILN" query "$TMPDIR/open.kiln" --mode signed --points "$TMPDIR/points"
says err 'open.kiln: is not closed'
says err 'ask --mode winding'
expect 0 "$KILN" info --json "$TMPDIR/open.kiln"
says out '"closed": "no"'
expect 0 "$KILN" info --json "$cube"
says out '"closed": "oriented"'
case_end

case_begin 'query --self: pairs, how they meet, and corners that they share'
"$KILN" bake -q models/faults/bad_faces.obj -o "$TMPDIR/bad.kiln" --on-bad drop 2>"$TMPDIR/err" --bv obb,octree
for kind in obb octree; do
    exact 0 "$KILN" query "$TMPDIR/bad.kiln" --self --bv $kind <<'END'
0 4 duplicate 3
END
    exact 0 "$KILN" query "$TMPDIR/bad.kiln" --self --bv $kind --mode any --neighbours never <<'END'
0
END
done
"$KILN" bake -q models/faults/in_plane.obj -o "$TMPDIR/plane.kiln"
exact 0 "$KILN" query "$TMPDIR/plane.kiln" --self --witness <<'END'
0 1 overlapping 0
0 2 touching 0
END
exact 0 "$KILN" query "$TMPDIR/plane.kiln" --self --mode any <<'END'
1
END
[ "$("$KILN" query "$cube" --self --neighbours all | grep -c ' touching [12]$')" -gt 18 ] || case_fail 'neighbours'
expect 1 "$KILN" query "$cube" --self --points "$TMPDIR/points"
says err 'exactly one of --rays, --points, --shapes, --spheres and --self is needed'
"$KILN" bake -q models/tiny/cube.obj -o "$TMPDIR/bare.kiln" --adb --no-geometry
expect 3 "$KILN" query "$TMPDIR/bare.kiln" --self
says err 'baked without polygons'
case_end

cases_end
