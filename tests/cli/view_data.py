"""Holds the data of a page of kiln view against what has to be so: view_data.py PAGE. Every leaf contains its triangles, costs of
levels add up to that of the tree, each triangle is in a leaf. Prints what is wrong, and ends with 1."""
import base64
import json
import re
import struct
import sys
import zlib

text = open(sys.argv[1], encoding='utf-8').read()
blocks = dict(re.findall('<script type="application/octet-stream" id="block([0-9]+)">([A-Za-z0-9+/=]*)</script>', text))
page = json.loads(re.search('<script type="application/json" id="document">([^<]*)</script>', text).group(1))
bad = 0


def check(right, what):
    global bad
    if not right:
        print(what)
        bad += 1


def values(about):
    """The values of a block: planes of bytes, differences where there is a step."""
    data = zlib.decompress(base64.b64decode(blocks[str(about['block'])], validate=True))
    count, size = about['count'], {'u8': 1, 'i16': 2, 'u32': 4, 'f32': 4}[about['type']]
    assert len(data) == count * size
    whole = bytes(data[p * count + i] for i in range(count) for p in range(size))
    out = list(struct.unpack('<%d%s' % (count, {'u8': 'B', 'i16': 'h', 'u32': 'I', 'f32': 'f'}[about['type']]), whole))
    for i in range(about['step'], count if about['step'] else 0):
        out[i] = out[i] + out[i - about['step']] & 0xffffffff
    return out


def turned_back(q, v):
    """The vector in the frame of a box that the quaternion turns."""
    length = sum(x * x for x in q) ** 0.5
    x, y, z, w = (-q[0] / length, -q[1] / length, -q[2] / length, q[3] / length)
    c = (y * v[2] - z * v[1] + w * v[0], z * v[0] - x * v[2] + w * v[1], x * v[1] - y * v[0] + w * v[2])
    return [v[0] + 2 * (y * c[2] - z * c[1]), v[1] + 2 * (z * c[0] - x * c[2]), v[2] + 2 * (x * c[1] - y * c[0])]


for model in page['files']:
    arrays = {name: values(about) for name, about in model['arrays'].items()}
    vertices, triangles = arrays['vertices'], arrays['triangles']
    check(len(triangles) == 3 * model['triangles'] and len(vertices) == 3 * model['vertices'], 'sizes of the mesh')
    slack = 1e-4 * max(abs(x) for x in vertices)
    for tree in model['trees']:
        name, at = '%s %s' % (model['name'], tree['bv']), tree['start']
        cost, found = 0, set()
        for number, level in enumerate(tree['levels']):
            leaves = in_leaves = 0
            for i in range(at, at + level['volumes']):
                size = arrays['leaf'][i]
                leaves, in_leaves = leaves + (size > 0), in_leaves + size
                for slot in range(arrays['first'][i], arrays['first'][i] + size):
                    t = tree['triangle_first'] + slot if tree['order'] is None else arrays['order'][tree['order'] + slot]
                    found.add(t)
                    for corner in triangles[3 * t:3 * t + 3]:
                        off = [vertices[3 * corner + k] - arrays['centre'][3 * i + k] for k in range(3)]
                        off = turned_back(arrays['turn'][4 * i:4 * i + 4], off)
                        inside = all(abs(off[k]) <= arrays['half'][3 * i + k] + slack for k in range(3))
                        # A cell of an octree holds a part of a triangle.
                        check(inside or tree['bv'] == 'octree', '%s: volume %d of level %d does not hold triangle %d' % (name, i, number, t))
            check((leaves, in_leaves) == (level['leaves'], level['triangles']), '%s: counts of level %d' % (name, number))
            at += level['volumes']
            cost += level['cost']
        check(abs(cost - tree['sah_cost']) <= 1e-9 * cost, '%s: cost %g, not %g' % (name, cost, tree['sah_cost']))
        check(found == set(range(tree['triangle_first'], tree['triangle_first'] + tree['triangles'])), '%s: triangles in leaves' % name)
        check(sum(tree['leaf_sizes']) == sum(level['leaves'] for level in tree['levels']), '%s: sizes of leaves' % name)
sys.exit(bad > 0)
