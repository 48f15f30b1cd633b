#!/bin/sh
# kiln export: what it writes, that a bake of an exported mesh has the same triangles, and what is refused.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell.sh

cp models/tiny/cube.obj models/tiny/painted.obj models/tiny/painted.mtl "$TMPDIR"
cp models/hard/C003_small.obj "$TMPDIR/small.obj"
cd "$TMPDIR" || exit 1
# Two parts, three materials, and corners that decimals don't end.
awk 'BEGIN {
    for (i = 0; i < 20; i++) for (j = 0; j < 20; j++)
        printf "v %.17g %.17g %.17g\n", i / 7, j / 3 + 1e-3 * i * i, sin(i * j) * 0.1
    print "o floor"
    for (i = 0; i < 19; i++) {
        if (i == 10) print "o roof\nusemtl tile"
        if (i == 15) print "usemtl slate"
        for (j = 0; j < 19; j++) {
            a = 20 * i + j + 1
            printf "f %d %d %d\nf %d %d %d\n", a, a + 20, a + 1, a + 20, a + 21, a + 1
        }
    }
}' >house.obj
"$KILN" bake -q cube.obj -o cube.kiln --bv obb,sphere,dop26,octree
"$KILN" bake -q house.obj -o house.kiln
"$KILN" bake -q painted.obj -o painted.kiln
"$KILN" bake -q cube.obj -o bare.kiln --adb --no-geometry
"$KILN" bake -q house.obj -o split.kiln --split mesh

# hash FILE: of the geometry of its first tree, and then of all sections that have ids and coordinates.
hash() {
    "$KILN" info --json "$1" | sed -n 's/.*"geometry_hash": "\(.*\)".*/\1/p'
}

for model in cube house small painted; do
    bv=obb
    [ $model != cube ] || bv=obb,sphere,dop26,octree
    [ -e $model.kiln ] || "$KILN" bake -q $model.obj -o $model.kiln
    for format in glb obj ply; do
        case_begin "a bake of an exported mesh has the same triangles: $model, $format"
        expect 0 "$KILN" export $model.kiln --mesh -o $model.$format.mesh --format $format
        expect 0 "$KILN" bake -q $model.$format.mesh --format $format -o again.kiln --bv $bv
        [ "$(hash $model.kiln)" = "$(hash again.kiln)" ] || case_fail 'other triangles'
        expect 7 "$KILN" diff $model.kiln again.kiln
        says out 'the triangles are the same'
        grep -q '^  triangles \|^  vertices ' "$TMPDIR/out" && case_fail 'other bytes of triangles or vertices'
        case_end
    done
done

case_begin 'the text of an OBJ: parts, materials, the order of ids'
exact 0 sh -c '"$KILN" export painted.kiln --mesh -o - --format obj | sed "1s/[0-9.]*$/VERSION/"' <<'EOF'
# kiln export VERSION
v 0 0 0
v 1 0 0
v 0 1 0
o default
usemtl red
f 1 2 3
EOF
expect 0 "$KILN" export house.kiln --mesh -o house.obj2 --format obj
[ "$(grep -v '^[vf#]' house.obj2 | paste -sd, -)" = 'o floor,o roof,usemtl tile,usemtl slate' ] || case_fail 'other parts'
sed 's/roof$/roof\\/; s/tile$/C:\\\\/' house.obj >back.obj
expect 0 "$KILN" bake -q back.obj -o back.kiln
expect 0 "$KILN" export back.kiln --mesh -o back.obj2 --format obj
printf '%s\n' 'o floor' 'o roof\_' 'usemtl C:\\_' 'usemtl slate' >wanted
grep -v '^[vf#]' back.obj2 | diff wanted - || case_fail 'a line that goes on'
case_end

case_begin 'levels, leaves, trees, colours'
for bv in obb sphere dop26 octree; do
    for what in '' '--level 0' '--level 1 --mesh' '--leaves --colour cost' '--colour cost'; do
        for format in glb obj ply; do
            # shellcheck disable=SC2086
            expect 0 "$KILN" export cube.kiln --bv $bv $what -o x.$format
            expect 0 "$KILN" bake -q x.$format -o x.kiln
        done
    done
done
expect 0 "$KILN" export cube.kiln --level 0 -o x.obj
[ "$(grep -c '^v ' x.obj) $(grep -c '^f ' x.obj)" = '8 12' ] || case_fail 'the whole tree is no box'
expect 0 "$KILN" export cube.kiln --bv sphere --level 1 -o x.obj --json
says out '"volumes": '
balls=$(sed -n 's/.*"volumes": \([0-9]*\).*/\1/p' "$TMPDIR/out")
[ "$(grep -c '^f ' x.obj)" = $((80 * balls)) ] || case_fail 'other balls'
expect 1 "$KILN" export cube.kiln --level 60 -o x.glb
says err 'the tree has levels 0 to '
expect 1 "$KILN" export split.kiln -o x.glb
says err 'choose one by --tree'
expect 0 "$KILN" export split.kiln --tree roof --mesh -o x.obj
grep -q '^o floor' x.obj && case_fail 'a part of another tree'
expect 1 "$KILN" export split.kiln --tree door -o x.glb
says err 'has no tree named door'
case_end

case_begin 'glTF: nodes and materials by name, ids of triangles'
expect 0 "$KILN" export house.kiln -o house.glb
cat >read.py <<'EOF'
import json, struct, sys
data = open(sys.argv[1], 'rb').read()
magic, version, size, length, kind = struct.unpack('<4sIII4s', data[:20])
assert (magic, version, size, kind) == (b'glTF', 2, len(data), b'JSON') and length % 4 == 0
document = json.loads(data[20:20 + length])
chunk, kind = struct.unpack('<I4s', data[20 + length:28 + length])
assert kind == b'BIN\0' and chunk == document['buffers'][0]['byteLength'] and 28 + length + chunk == size
buffer = data[28 + length:]

def read(number):
    accessor = document['accessors'][number]
    view = document['bufferViews'][accessor['bufferView']]
    width = {'SCALAR': 1, 'VEC3': 3, 'VEC4': 4}[accessor['type']]
    letter, element = {5126: ('f', 4), 5125: ('I', 4), 5121: ('B', 1)}[accessor['componentType']]
    start = view['byteOffset'] + accessor['byteOffset']
    count = accessor['count'] * width
    assert accessor['byteOffset'] + count * element <= view['byteLength'] and start % 4 == 0
    values = struct.unpack('<%d%s' % (count, letter), buffer[start:start + count * element])
    if 'min' in accessor:
        for k in range(3):
            assert accessor['min'][k] == min(values[k::3]) and accessor['max'][k] == max(values[k::3])
    return values

names, ids = [], []
for node in document['nodes']:
    names.append(node['name'])
    for primitive in document['meshes'][node['mesh']]['primitives']:
        indices = read(primitive['indices'])
        assert max(indices) < document['accessors'][primitive['attributes']['POSITION']]['count']
        for attribute in primitive['attributes'].values():
            read(attribute)
        if 'extras' in primitive:
            own = read(primitive['extras']['ids'])
            assert 3 * len(own) == len(indices)
            ids += own
            names.append(document['materials'][primitive['material']]['name'])
assert ids == list(range(722))
print(' '.join(names))
EOF
exact 0 /usr/bin/python3 read.py house.glb <<'EOF'
level 0 level 1 level 2 level 3 floor DefaultMaterial roof tile slate
EOF
expect 0 "$KILN" export cube.kiln --colour cost -o cost.glb
case_end

case_begin 'PLY: properties of faces'
expect 0 "$KILN" export house.kiln -o house.ply
exact 0 sh -c 'head -c 500 house.ply | sed "/end_header/q;s/\(export\) .*/\1 VERSION/" | grep -a "^property\|^comment"' <<'EOF'
comment kiln export VERSION
property float x
property float y
property float z
property uchar red
property uchar green
property uchar blue
property list uchar int vertex_indices
property uint id
property uint user
property int level
EOF
case_end

case_begin 'what is refused'
expect 3 "$KILN" export bare.kiln --mesh -o x.glb
says err 'was baked without polygons'
expect 0 "$KILN" export bare.kiln -o x.glb
"$KILN" lut axes -q -o axes.kiln --points 14
expect 3 "$KILN" export axes.kiln -o x.glb
says err 'has no tree'
expect 2 "$KILN" export none.kiln -o x.glb
expect 3 "$KILN" export cube.obj -o x.glb
expect 2 "$KILN" export cube.kiln -o none/x.glb
expect 1 "$KILN" export cube.kiln -o x.stl
says err 'its name ends in no format of exports'
echo 'dear diary' >notes.obj
expect 1 "$KILN" export cube.kiln -o notes.obj
says err 'notes.obj'
[ "$(cat notes.obj)" = 'dear diary' ] || case_fail 'it was replaced'
expect 1 "$KILN" export cube.kiln -o cube.kiln --format glb
expect 1 "$KILN" export cube.kiln -o cube.obj
expect 0 "$KILN" export cube.kiln -o x.PLY
expect 0 "$KILN" export cube.kiln -o x.PLY
case_end

case_begin 'the same bytes each time, on standard output too'
expect 0 "$KILN" export house.kiln -o one.glb
"$KILN" export house.kiln -o - --format glb >two.glb || case_fail 'standard output'
cmp one.glb two.glb || case_fail 'differ'
expect 0 "$KILN" export house.kiln -o - --format obj --json
says err '"verb": "export"'
case_end

cases_end
