#!/usr/bin/env python3
"""Writes tests/cases/fbx: models of FBX, each for one feature or one fault, and expected.txt with what comes out of each.
The values are computed here, by matrices of four rows that are multiplied as the documentation of the SDK has them.
Most models are written twice, as text and as NAME_binary.fbx. Run as fbx_models.py FOLDER."""
import math
import sys

from fbx_cases import Value, integer, record, text, write_list

# -- matrices of four rows --


def identity():
    return [[float(i == j) for j in range(4)] for i in range(4)]


def times(*matrices):
    out = identity()
    for m in matrices:
        out = [[sum(out[i][k] * m[k][j] for k in range(4)) for j in range(4)] for i in range(4)]
    return out


def move(v):
    out = identity()
    for i in range(3):
        out[i][3] = v[i]
    return out


def scale(v):
    out = identity()
    for i in range(3):
        out[i][i] = v[i]
    return out


def inverse(m):
    n = [row[:] + one for row, one in zip(m, identity())]
    for i in range(4):
        p = max(range(i, 4), key=lambda r: abs(n[r][i]))
        n[i], n[p] = n[p], n[i]
        n[i] = [x / n[i][i] for x in n[i]]
        for r in range(4):
            if r != i:
                n[r] = [x - n[r][i] * y for x, y in zip(n[r], n[i])]
    return [row[4:] for row in n]


def about(axis, degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return {"X": [[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]],
            "Y": [[c, 0, s, 0], [0, 1, 0, 0], [-s, 0, c, 0], [0, 0, 0, 1]],
            "Z": [[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]}[axis]


ORDERS = ["XYZ", "XZY", "YZX", "YXZ", "ZXY", "ZYX"]


def turn(v, order="XYZ"):
    """The first axis of the order is turned about first."""
    out = identity()
    for axis in order:
        out = times(about(axis, v["XYZ".index(axis)]), out)
    return out


def linear(m):
    return [row[:3] + [0.0] for row in m[:3]] + [[0.0, 0.0, 0.0, 1.0]]


def apply(m, p):
    return [sum(m[i][j] * p[j] for j in range(3)) + m[i][3] for i in range(3)]


# -- nodes --

ZERO, ONE = (0, 0, 0), (1, 1, 1)
NAMES = {"t": "Lcl Translation", "r": "Lcl Rotation", "s": "Lcl Scaling", "roff": "RotationOffset",
         "rp": "RotationPivot", "soff": "ScalingOffset", "sp": "ScalingPivot", "pre": "PreRotation",
         "post": "PostRotation", "gt": "GeometricTranslation", "gr": "GeometricRotation",
         "gs": "GeometricScaling", "order": "RotationOrder", "active": "RotationActive", "inherit": "InheritType"}


class Node:
    """A node with some of the properties above."""

    def __init__(self, name, parent=None, inherit=1, said=True, **p):
        self.name, self.parent, self.p = name, parent, p
        self.inherit = inherit
        if said:
            p["inherit"] = inherit

    def get(self, key, otherwise=ZERO):
        return self.p.get(key, otherwise)

    def rotation(self):
        if not self.get("active", 1):
            return turn(self.get("r"))
        order = self.get("order", 0)
        return times(turn(self.get("pre")), turn(self.get("r"), ORDERS[order if order < 6 else 0]),
                     inverse(turn(self.get("post"))))

    def local(self):
        rp, sp = self.get("rp"), self.get("sp")
        back = lambda v: move([-x for x in v])
        return times(move(self.get("t")), move(self.get("roff")), move(rp), self.rotation(), back(rp),
                     move(self.get("soff")), move(sp), scale(self.get("s", ONE)), back(sp))

    def turned(self):
        return times(self.parent.turned() if self.parent else identity(), self.rotation())

    def globally(self):
        if self.parent is None:
            return self.local()
        above, own = self.parent.globally(), self.local()
        out = times(above, own)
        if self.inherit == 1:
            return out
        within = times(inverse(self.parent.turned()), linear(above))
        if self.inherit == 2:
            within = times(within, inverse(scale(self.parent.get("s", ONE))))
        lin = times(self.parent.turned(), self.rotation(), within, scale(self.get("s", ONE)))
        for i in range(3):
            lin[i][3] = out[i][3]
        return lin

    def geometric(self):
        return times(move(self.get("gt")), turn(self.get("gr")), scale(self.get("gs", ONE)))

    def properties(self):
        return [property_of(NAMES[key], value) for key, value in self.p.items()]


def number(value):
    return integer(value) if isinstance(value, int) else Value("D", value)


def property_of(name, value):
    values = [Value("D", float(v)) for v in value] if isinstance(value, tuple) else [number(value)]
    return record("P", text(name), text("Vector3D" if len(values) == 3 else "int" if isinstance(value, int) else "double"), text(""), text("A"), *values)


# -- documents --

BOX = [0, 0, 0, 2, 0, 0, 0, 3, 0, 2, 3, 0, 0, 0, 5, 2, 0, 5, 0, 3, 5, 2, 3, 5]
FACES = [0, 2, 3, ~1, 4, 5, 7, ~6, 0, 1, 5, ~4, 2, 6, 7, ~3, 0, 4, 6, ~2, 1, 3, 7, ~5]


def points_of(box=BOX):
    return [box[i:i + 3] for i in range(0, len(box), 3)]


def triangles_of(faces=FACES):
    """The fan of each polygon: the box has convex ones."""
    out, face = [], []
    for corner in faces:
        face.append(corner if corner >= 0 else ~corner)
        if corner < 0:
            out += [(face[0], face[i], face[i + 1]) for i in range(1, len(face) - 1)]
            face = []
    return out


def geometry(number, vertices=BOX, faces=FACES, *more, kind="Mesh", name="g"):
    return ["Geometry", number, name, kind,
            [record("Vertices", Value("d", [float(v) for v in vertices])),
             record("PolygonVertexIndex", Value("i", faces)), *more]]


def model(number, node, kind="Mesh"):
    return ["Model", number, node.name, kind, [record("Version", integer(232)),
                                               record("Properties70", of=node.properties())]]


def settings(**values):
    names = {"unit": "UnitScaleFactor", "up": "UpAxis", "up_sign": "UpAxisSign", "front": "FrontAxis",
             "front_sign": "FrontAxisSign", "coord": "CoordAxis", "coord_sign": "CoordAxisSign"}
    values = {"unit": 100.0, **values}
    return record("GlobalSettings", of=[record("Properties70", of=[
        property_of(names[k], v) for k, v in values.items() if v is not None])])


def document(objects, links, head=None, before=(), after=(), version=7400):
    """Objects are [record, number, name, type, records]; links [child, parent] or whole records."""
    made = [(o[0], o[1], o[2], {"Geometry": "Geometry", "Model": "Model", "Deformer": "SubDeformer"}.get(o[0], o[0]),
             o[3], o[4]) for o in objects]
    return version, [
        record("FBXHeaderExtension", of=[record("FBXVersion", integer(version)), *before]),
        *([settings()] if head is None else [head] if head else []),
        *after,
        ("Objects", made),
        record("Connections", of=[link if isinstance(link[0], str) and link[0] == "C" else
                                  record("C", text("OO"), Value("L", link[0]), Value("L", link[1])) for link in links]),
    ]


def binary(version, tree, **form):
    records = []
    for one in tree:
        if isinstance(one, tuple):
            one = record(one[0], of=[record(kind, Value("L", n), text(name + "\0\1" + cls), text(sub), of=of)
                                     for kind, n, name, cls, sub, of in one[1]])
        records.append(one)
    form = {"version": version, "order": "<", **form}
    head = b"Kaydara FBX Binary  \0\x1a\0" + version.to_bytes(4, "little")
    return head + write_list(records, len(head), form) + form.get("tail", bytes(160))


def decimal(value):
    return repr(value) if isinstance(value, float) else str(value)


def in_text(tree, indent=0):
    out = ""
    for one in tree:
        if isinstance(one, tuple):
            one = record(one[0], of=[record(kind, Value("L", n), text(cls + "::" + name), text(sub), of=of)
                                     for kind, n, name, cls, sub, of in one[1]])
        name, values, of = one
        out += " " * indent + name + ": "
        parts = []
        for value in values:
            if value.kind == "S":
                parts.append('"%s"' % value.value.decode())
            elif value.kind.islower():
                parts.append("*%d {\n%sa: %s\n%s}" % (len(value.value), " " * (indent + 1),
                                                    ",".join(map(decimal, value.value)), " " * indent))
            else:
                parts.append(decimal(value.value))
        out += ", ".join(parts)
        if of is not None:
            out += " {\n" + in_text(of, indent + 1) + " " * indent + "}"
        out += "\n"
    return out


def as_text(version, tree):
    return "; FBX %d.%d.0 project file\n" % (version // 1000, version // 100 % 10) + in_text(tree)


# -- what is expected --


def measure(triangles):
    """Of triangles as points: their number, volume, area and bounds."""
    volume = area = 0.0
    for a, b, c in triangles:
        u, v = [b[k] - a[k] for k in range(3)], [c[k] - a[k] for k in range(3)]
        n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
        volume += sum(n[k] * a[k] for k in range(3)) / 6
        area += math.sqrt(sum(x * x for x in n)) / 2
    points = [p for t in triangles for p in t]
    low, high = [min(p[k] for p in points) for k in range(3)], [max(p[k] for p in points) for k in range(3)]
    return [len(triangles), volume, area] + low + high


def placed(m, points=None, triangles=None):
    """The box by a matrix; a mirror turns its faces."""
    points = [apply(m, p) for p in (points or points_of())]
    det = sum(m[0][i] * (m[1][(i + 1) % 3] * m[2][(i + 2) % 3] - m[1][(i + 2) % 3] * m[2][(i + 1) % 3]) for i in range(3))
    return [[points[i] for i in (t if det >= 0 else t[::-1])] for t in (triangles or triangles_of())]


BOX_VALUES = measure(placed(identity()))


class Folder:
    def __init__(self, path):
        self.path, self.lines = path, []

    def put(self, name, data, line):
        with open("%s/%s.fbx" % (self.path, name), "wb") as out:
            out.write(data.encode() if isinstance(data, str) else data)
        self.lines.append("%s.fbx %s" % (name, line))

    def line(self, values, warns):
        return " ".join("%.9g" % (v + 0.0) for v in values) + (" warns " + warns if warns else "")

    def both(self, name, doc, values=None, warns=None, refused=None):
        """A model in both forms."""
        line = "refused " + refused if refused else self.line(values or BOX_VALUES, warns)
        self.put(name, as_text(*doc), line)
        self.put(name + "_binary", binary(*doc), line)

    def text(self, name, data, values=None, warns=None, refused=None):
        self.put(name, data, "refused " + refused if refused else self.line(values or BOX_VALUES, warns))


def one(node=None, geometry_=None, kind="Mesh", **more):
    """A document with a box that one node shows."""
    node = node or Node("m")
    objects, links, at, number = [], [], node, 1
    while at is not None:
        objects.append(model(number, at, kind if number == 1 else "Null"))
        links.append([number, number + 1 if at.parent is not None else 0])
        at, number = at.parent, number + 1
    return document([geometry_ or geometry(100)] + objects, links[::-1] + [[100, 1]], **more)


def transforms(f):
    r = (20.0, 30.0, 40.0)
    nodes = {
        "translation": Node("m", t=(1, 2, 3)), "rotation": Node("m", r=r), "scaling": Node("m", s=(2, 3, 4)),
        "mirror": Node("m", s=(-1, 2, 1)), "quarter": Node("m", r=(90, 0, 0)), "whole_turns": Node("m", r=(360, -720, 450)),
        "trs": Node("m", t=(1, 2, 3), r=r, s=(2, 1, 0.5)),
        "pre_rotation": Node("m", active=1, pre=(10, 20, 30), r=r),
        "post_rotation": Node("m", active=1, post=(10, 20, 30), r=r),
        "rotations_inactive": Node("m", active=0, pre=(10, 20, 30), post=(40, 50, 60), order=4, r=r),
        "rotations_not_said": Node("m", pre=(10, 20, 30), post=(40, 50, 60), order=4, r=r),
        "pre_with_order": Node("m", active=1, pre=(10, 20, 30), post=(40, 50, 60), order=4, r=r),
        "spheric_one_axis": Node("m", active=1, order=6, r=(0, 30, 0)),
        "rotation_pivot": Node("m", rp=(1, 2, 3), r=r), "rotation_offset": Node("m", roff=(1, 2, 3), r=r),
        "scaling_pivot": Node("m", sp=(1, 2, 3), s=(2, 3, 4)), "scaling_offset": Node("m", soff=(1, 2, 3), s=(2, 3, 4)),
        "every_step": Node("m", t=(1, 2, 3), roff=(4, 5, 6), rp=(7, 8, 9), active=1, pre=(10, 20, 30), r=r, order=2,
                           post=(5, 15, 25), soff=(1, 1, 2), sp=(3, 2, 1), s=(1.5, 2.0, 0.5)),
        "geometric_translation": Node("m", gt=(1, 2, 3), r=r), "geometric_rotation": Node("m", gr=r, active=1, order=4),
        "geometric_scaling": Node("m", gs=(1, 1.5, 0.5), r=r),
        "geometric": Node("m", gt=(1, 2, 3), gr=(10, 20, 30), gs=(1, 1.5, 0.5), t=(3, 2, 1), r=r, s=(1, 1.5, 1)),
        "parents": Node("m", Node("p", Node("q", t=(1, 0, 0), r=(0, 0, 30)), s=(0.5, 0.5, 0.5), t=(0, 1, 0)), r=r),
        "geometric_of_parent": Node("m", Node("p", gt=(9, 9, 9), gs=(7, 7, 7), t=(1, 2, 3)), r=r),
    }
    for i, order in enumerate(ORDERS):
        nodes["order_" + order.lower()] = Node("m", active=1, order=i, r=r)
    uneven = lambda: Node("p", t=(1, 2, 3), s=(1.0, 1.5, 0.5))
    turned = lambda: Node("p", Node("q", s=(1.5, 1.0, 0.5)), t=(1, 2, 3), s=(1.0, 2.0, 0.5))
    for i in range(3):
        nodes["inherit_%d" % i] = Node("m", uneven(), inherit=i, t=(1, 1, 1), r=r, s=(2, 1, 1))
        nodes["inherit_%d_of_two" % i] = Node("m", turned(), inherit=i, t=(1, 1, 1), r=r, s=(2, 1, 1))
        nodes["inherit_%d_even" % i] = Node("m", Node("p", s=(0.5, 0.5, 0.5), r=(0, 0, 30)), inherit=i, t=(1, 1, 1), r=r)
        nodes["inherit_%d_below" % i] = Node("m", Node("n", uneven(), inherit=i, r=r), t=(1, 1, 1))
    nodes["inherit_not_said"] = Node("m", uneven(), said=False, r=r)
    for name, node in nodes.items():
        f.both(name, one(node), measure(placed(times(node.globally(), node.geometric()))))
    skewed = Node("m", Node("p", Node("q", s=(1.0, 1.5, 0.5)), r=r), inherit=0, r=r)
    f.both("inherit_skewed", one(skewed), measure(placed(skewed.globally())), warns="that is skewed: programs differ")
    f.both("spheric", one(Node("m", active=1, order=6, r=r)), refused="SphericXYZ")
    f.both("order_7", one(Node("m", active=1, order=7, r=r)), refused="the rotation order 7")
    f.both("inherit_3", one(Node("m", inherit=3)), refused="the InheritType 3")
    f.both("inherit_2_of_zero", one(Node("m", Node("p", s=(0, 1, 1)), inherit=2)), refused="the scale of its parent")
    f.text("scaling_word", as_text(*one(Node("m", s=(2, 2, 2)))).replace("2.0, 2.0, 2.0", "2.0, x, 2.0"),
           refused="no finite number as value 5")
    f.text("scaling_nan", as_text(*one(Node("m", s=(2, 2, 2)))).replace("2.0, 2.0, 2.0", "2.0, nan, 2.0"),
           refused="no finite number as value 5")
    f.text("property_twice", as_text(*one(Node("m", t=(1, 2, 3)))).replace(
        'P: "InheritType"', 'P: "Lcl Translation", "", "", "A", 1, 2, 3\n   P: "InheritType"'),
        refused='the property "Lcl Translation" is given twice')
    template = record("Definitions", of=[record("ObjectType", text("Model"), of=[
        record("PropertyTemplate", text("FbxNode"), of=[record("Properties70", of=[
            property_of("Lcl Scaling", (2, 3, 4)), property_of("InheritType", 1)])])])])
    f.both("template_twice", one(after=[template, template]), refused="it is given twice")
    f.both("template_of_two", one(after=[record("Definitions", of=template[2] * 2)]), refused='objects of type "Model" have two templates')
    f.both("template", one(Node("m", said=False), after=[template]), measure(placed(scale((2, 3, 4)))))
    f.both("template_overridden", one(Node("m", said=False, s=(1, 1, 2)), after=[template]), measure(placed(scale((1, 1, 2)))))
    passive = record("Definitions", of=[record("ObjectType", text("Model"), of=[
        record("PropertyTemplate", text("FbxNode"), of=[record("Properties70", of=[property_of("RotationActive", 0)])])])])
    f.both("rotations_of_template", one(Node("m", pre=(10, 20, 30), order=4, r=r), after=[passive]), measure(placed(turn(r))))
    node = Node("m", Node("p", said=False, t=(1, 0, 0), s=(1, 1.5, 0.5)), said=False, r=(0, 0, 30), s=(1, 1, 1))
    f.both("template_inherit", one(node, after=[template]), measure(placed(node.globally())))


def scene(f):
    for name, unit, factor in (("unit_cm", 1.0, 0.01), ("unit_inch", 2.54, 0.0254), ("unit_whole", 1000, 10), ("unit_none", None, 0.01)):
        f.both(name, one(head=settings(unit=unit)), measure(placed(scale((factor,) * 3))))
    f.both("no_settings", one(head=False), measure(placed(scale((0.01,) * 3))))
    f.both("unit_zero", one(head=settings(unit=0.0)), refused="the unit is 0 centimetres")
    f.both("unit_negative", one(head=settings(unit=-1.0)), refused="the unit is -1 centimetres")
    f.both("z_up", one(head=settings(up=2, front=1, front_sign=-1, coord=0)))
    f.both("x_up", one(head=settings(up=0, front=2, coord=1, coord_sign=-1)))
    f.both("up_down", one(head=settings(up=1, up_sign=-1, front=2, front_sign=-1, coord=0)), warns="points down")
    f.both("left_handed", one(head=settings(up=1, front=2, front_sign=-1, coord=0)), warns="no right-handed ones")
    f.both("settings_twice", one(after=[settings(unit=1.0)]), refused="it is given twice")
    f.both("axis_3", one(head=settings(up=3)), refused="an axis of the scene is 3")


def objects(f):
    box, m, n = geometry(100), Node("m", t=(1, 2, 3)), Node("n", r=(0, 90, 0))
    twice = measure(placed(m.globally()) + placed(n.globally()))
    both = [box, model(1, m), model(2, n)]
    f.both("instances", document(both, [[1, 0], [2, 0], [100, 1], [100, 2]]), twice)
    f.both("connected_twice", document(both, [[1, 0], [2, 0], [100, 1], [100, 2], [100, 1], [1, 0]]), twice)
    slots = record("LayerElementMaterial", integer(0), of=[
        record("MappingInformationType", text("ByPolygon")), record("ReferenceInformationType", text("IndexToDirect")),
        record("Materials", Value("i", [0, 0, 1, 1, 0, 5]))])
    paints = [["Material", 300 + i, "paint%d" % i, "", []] for i in range(3)]
    painted = [geometry(100, BOX, FACES, slots), model(1, m), model(2, n)] + paints
    f.both("materials", document(painted, [[1, 0], [2, 0], [100, 1], [100, 2], [300, 1], [301, 1], [302, 2]]), twice)
    few = record("LayerElementMaterial", integer(0), of=[
        record("MappingInformationType", text("ByPolygon")), record("Materials", Value("i", [0, 0]))])
    f.both("materials_few", document([geometry(100, BOX, FACES, few), model(1, Node("m"))] + paints,
                                     [[1, 0], [100, 1], [300, 1]]), warns="2 materials for 6 polygons")
    other = geometry(101, [v + 9 for v in BOX], name="other")
    f.both("unshown", document([box, model(1, Node("m")), other], [[1, 0], [100, 1]]), warns='mesh "other" is shown by no node: its 6 faces')
    f.both("node_unconnected", document([box, model(1, Node("m")), other, model(2, Node("n"))], [[1, 0], [100, 1], [101, 2]]),
           warns='mesh "other" is shown by no node')
    f.both("dangling", document([box, model(1, Node("m"))], [[1, 0], [100, 1], [7, 1], [100, 8], [7, 8]]),
           warns="connections (2) lead to objects that are not in the file, such as 7")
    f.both("dangling_only", document([box, model(1, Node("m"))], [[1, 0], [100, 1], [7, 8]]))
    f.both("other_kinds", document([box, model(1, Node("m")), ["AnimationCurveNode", 7, "t", "", []]], [[1, 0], [100, 1], [7, 1]]))
    f.both("geometry_missing", document([box, model(1, m), model(2, n)], [[1, 0], [2, 0], [100, 1], [101, 2]]), measure(placed(m.globally())),
           warns="connections (1) lead to objects that are not in the file, such as 101")
    f.both("instance_unconnected", document(both, [[1, 0], [100, 1], [100, 2]]), measure(placed(m.globally())),
           warns="nodes (1) that show meshes are not connected to the root")
    f.both("parent_missing", document(both, [[1, 0], [2, 77], [100, 1]]), measure(placed(m.globally())),
           warns="connections (1) lead to objects that are not in the file, such as 77")
    scenes = record("Documents", of=[record("Document", Value("L", 5 + v), of=[record("RootNode", Value("L", v))]) for v in (0, 9)])
    f.both("two_documents", document(both, [[1, 0], [2, 9], [100, 1], [100, 2]], after=[scenes]), measure(placed(m.globally())),
           warns="nodes (1) that show meshes are not connected to the root")
    f.both("two_meshes", document([box, model(1, Node("m")), other], [[1, 0], [100, 1], [101, 1]]),
           measure(placed(identity()) + placed(move((9, 9, 9)))))
    f.both("property_connection", document([box, model(1, Node("m")), model(2, n)], [
        [1, 0], [2, 0], [100, 1], record("C", text("OP"), Value("L", 2), Value("L", 1), text("LookAtProperty"))]))
    f.both("two_parents", document([box, model(1, Node("m")), model(2, n), model(3, n)], [[2, 0], [3, 0], [1, 2], [1, 3], [100, 1]]),
           refused="the node has two parents")
    f.both("cycle", document([box, model(1, Node("m")), model(2, n), model(3, n)], [[1, 0], [2, 3], [3, 2], [100, 1]]),
           refused="the node is below itself")
    f.both("cycle_of_one", document([box, model(1, Node("m")), model(2, n)], [[1, 0], [2, 2], [100, 1]]),
           refused="the node is below itself")
    f.both("id_twice", document([box, model(1, Node("m")), model(1, n)], [[1, 0], [100, 1]]), refused="an object has the number 1, which an earlier one has")
    f.both("id_of_root", document([box, model(0, Node("m"))], [[100, 0]]), refused="an object has the number 0, which the root has")
    root = record("Documents", of=[record("Document", Value("L", 5), text(""), text("Scene"), of=[record("RootNode", Value("L", 9))])])
    f.both("root_node", document([box, model(1, Node("m"))], [[1, 9], [100, 1]], after=[root]))
    f.both("documents_twice", document([box, model(1, Node("m"))], [[1, 9], [100, 1]], after=[root, root]), refused="it is given twice")
    roots = record("Documents", of=[record("Document", Value("L", 5), of=[record("RootNode", Value("L", v)) for v in (9, 0)])])
    f.both("root_node_twice", document([box, model(1, Node("m"))], [[1, 9], [100, 1]], after=[roots]), refused="it is given twice")
    f.both("names_none", document([geometry(100, name=""), model(1, Node(""))], [[1, 0], [100, 1]]))
    f.text("name_quoted", as_text(*one(Node("a &quot;b&quot;::c"))))
    f.both("levels", document([box, model(1, Node("m"), "LodGroup"), ["NodeAttribute", 5, "l", "LodGroup", []]], [[1, 0], [100, 1], [5, 1]]),
           warns="several levels of detail")
    f.both("levels_of_model", document([box, model(1, Node("m"), "LodGroup")], [[1, 0], [100, 1]]), warns="several levels of detail")
    for name, active, warns in (("constraint", 1, "constraints (1) are not applied"), ("constraint_inactive", 0, None)):
        f.both(name, document([box, model(1, Node("m")), ["Constraint", 5, "c", "Aim", [
            record("Properties70", of=[property_of("Active", active)])]]], [[1, 0], [100, 1]]), warns=warns)


def meshes(f):
    polygon = [0, 0, 0, 4, 0, 0, 4, 4, 0, 2, 1, 0, 0, 4, 0]
    flat = [3, 0, 10, 0, 0, 0, 4, 4, 0]
    f.both("concave", one(geometry_=geometry(100, polygon, [0, 1, 2, 3, ~4])), flat)
    holes = record("LayerElementHole", integer(0), of=[
        record("MappingInformationType", text("ByPolygon")), record("Hole", Value("i", [1, 0, 0, 1, 0, 0]))])
    f.both("holes", one(geometry_=geometry(100, BOX, FACES, holes)), warns="2 polygons are marked as holes")
    none = record("LayerElementHole", integer(0), of=[record("Hole", Value("i", [0] * 6))])
    f.both("holes_none", one(geometry_=geometry(100, BOX, FACES, none)))
    f.both("points_and_lines", one(geometry_=geometry(100, BOX, FACES + [~0, 0, ~1, ~7])))
    f.both("only_lines", one(geometry_=geometry(100, BOX, [0, ~1, 2, ~3])), refused="no face (0 points and 2 lines left out")
    f.both("index_beyond", one(geometry_=geometry(100, BOX, FACES + [0, 1, ~8])), refused="face 6: corner 2 refers to vertex 8, where there are 8")
    f.both("no_last_corner", one(geometry_=geometry(100, BOX, FACES + [0, 1])), refused="the last polygon has no last corner")
    f.both("vertices_25", one(geometry_=geometry(100, BOX + [1], FACES)), refused="25 numbers are no whole vertices")
    f.both("vertices_none", one(geometry_=geometry(100, [], FACES)), refused="it has polygons and no vertex")
    f.both("vertex_nan", one(geometry_=geometry(100, [float("nan")] + BOX[1:])), refused="is not finite")
    f.both("floats", one(geometry_=["Geometry", 100, "g", "Mesh", [record("Vertices", Value("f", [float(v) for v in BOX])),
                                                                 record("PolygonVertexIndex", Value("l", FACES))]]))
    f.both("one_by_one", one(geometry_=["Geometry", 100, "g", "Mesh", [
        record("Vertices", *[Value("D", float(v)) for v in BOX]), record("PolygonVertexIndex", *[integer(v) for v in FACES])]]))
    f.both("index_fraction", one(geometry_=["Geometry", 100, "g", "Mesh", [
        record("Vertices", Value("d", [float(v) for v in BOX])), record("PolygonVertexIndex", Value("d", [0.5] + [float(v) for v in FACES[1:]]))]]),
        refused="number 0 is 0.5, and no whole one")
    f.both("vertices_twice", one(geometry_=geometry(100, BOX, FACES, record("Vertices", Value("d", [0.0])))), refused="it is given twice")
    empty = geometry(101, [], [], name="empty")
    f.both("mesh_empty", document([geometry(100), model(1, Node("m")), empty], [[1, 0], [100, 1], [101, 1]]), warns='mesh "empty" has no face')
    nurbs = ["Geometry", 101, "n", "NurbsSurface", [record("Points", Value("d", [0.0]))]]
    f.both("nurbs", document([geometry(100), model(1, Node("m")), nurbs], [[1, 0], [100, 1], [101, 1]]), warns="a geometry that is no mesh")
    f.both("nurbs_unshown", document([geometry(100), model(1, Node("m")), nurbs], [[1, 0], [100, 1]]))
    lines = ["Geometry", 101, "l", "Line", [record("Points", Value("d", [0.0] * 9)), record("PointsIndex", Value("i", [0, 1, ~2]))]]
    f.both("lines_beside", document([geometry(100), model(1, Node("m")), lines], [[1, 0], [100, 1], [101, 1]]))


def forms(f):
    doc = one()
    plain = as_text(*doc)
    f.text("cr", plain.replace("\n", "\r"))
    f.text("crlf", plain.replace("\n", "\r\n"))
    f.text("bom", b"\xef\xbb\xbf" + plain.encode())
    f.text("one_line", plain.split("\n", 1)[1].replace("\n", " "))
    f.text("comments", plain.replace("{\n", "{ ; a \"comment\" { of: 1\n"))
    f.text("comma_first", plain.replace("*24 {\n", "*24\n{\n").replace(", ", "\n,"))
    f.text("embedded", plain.replace("Objects:", 'Content: ,\n"UklGR",\n"UklGR"\nObjects:'))
    f.text("words", plain.replace("Version: 232", "Version: 232\n  Shading: T\n  Culling: \"CullingOff\"\n  Empty:"))
    f.text("utf16", b"\xff\xfe" + plain.encode("utf-16-le"), refused="line 1: a zero byte, which no text has")
    f.text("zero_byte", plain.replace("Version: 232", "Version: 23\0"), refused="a zero byte, which no text has")
    f.text("no_version", plain.replace("FBXVersion", "Version"), refused="there is no FBXVersion")
    f.text("no_fbx", "no FBX at all\n", refused="there is no FBXVersion")
    f.text("version_6", plain.replace("FBXVersion: 7400", "FBXVersion: 6100"), refused="version 6100, older than what is read")
    f.text("id_65_bits", plain.replace("100", "18446744073709551617"), refused="is not the number of an object")
    f.text("id_64_bits", plain.replace("Geometry: 100", "Geometry: -1").replace('"OO", 100', '"OO", 18446744073709551615'))
    f.text("id_word", plain.replace("Geometry: 100", "Geometry: x"), refused="value 0 is not the number of an object")
    f.text("id_none", plain.replace('"OO", 100, 1', '"OO", 100'), refused="value 2 is not the number of an object")
    f.text("array_less", plain.replace("*24", "*25"), refused="it declares an array of 25 numbers and has 24")
    f.text("array_more", plain.replace("*24", "*23"), refused="it declares an array of 23 numbers and has 24")
    f.text("array_word", plain.replace("a: 0.0,", "a: x,"), refused='number 0 of its array is "x"')
    f.text("array_blank", plain.replace("a: 0.0,0.0", "a: 0.0 0.0"), refused='number 0 of its array is "0.0 0.0"')
    f.text("array_huge", plain.replace("*24", "*4000000000"), refused="an array of 4000000000 numbers has")
    f.text("array_beyond", plain.replace("*24", "*5000000000"), refused="an array has a length that none can have")
    f.text("array_twice", plain.replace("  a: 0.0", "  a: 1 } a: 0.0", 1), refused="line ")
    f.text("brace_missing", plain.rstrip()[:-1], refused="its closing brace is expected, and the file ends")
    f.text("brace_more", plain + "}\n", refused='the name of a record and a colon are expected, and "}" is there')
    f.text("comma_missing", plain.replace('"OO", 100, 1', '"OO", 100 1'), refused='a comma or another record is expected, and "1" is there')
    gap = "a value is missing between two commas"
    f.text("value_missing", as_text(*one(Node("m", t=(1, 2, 3)))).replace("1.0, 2.0, 3.0", "1.0, , 2.0, 3.0, 4.0"), refused=gap)
    f.text("value_missing_of_text", plain.replace('"int", "", "A", 1', '"int", , "A", 1, 9'), refused=gap)
    f.text("value_missing_first", plain.replace('"OO", 100', '"OO", , 100'), refused=gap)
    f.text("value_missing_twice", plain.replace("Version: 232", "Version: , , 232"), refused=gap)
    f.text("whole_64_bits", plain.replace('"UnitScaleFactor", "double", "", "A", 100.0', '"UnitScaleFactor", "double", "", "A", 18446744073709551615'),
           refused="the unit is 1.84467e+19 centimetres")
    lies = binary(*doc).replace(b"d" + (24).to_bytes(4, "little") + bytes(4) + (192).to_bytes(4, "little"),
                                b"d" + (0x1fffffff).to_bytes(4, "little") + (1).to_bytes(4, "little") + (192).to_bytes(4, "little"))
    f.text("array_packed_huge", lies, refused="an array unpacks to more than its bytes can be")
    f.text("quote_missing", plain.replace('"OO", 100', '"OO, 100'), refused="a text has no second quotation mark")
    f.text("word_alone", plain.replace("Connections:", "x\nConnections:"), refused='the name of a record and a colon are expected, and "x" is there')
    f.text("cut", plain[:len(plain) // 2], refused="and the file ends")
    deep = plain.replace("Objects:", "A: {" * 70 + "}" * 70 + "\nObjects:")
    f.text("deep", deep, refused="records in records are deeper")
    f.both("encrypted", one(before=[record("EncryptionType", integer(1))]), refused="the file is encrypted")
    f.both("encrypted_twice", one(before=[record("EncryptionType", integer(v)) for v in (0, 1)]), refused="it is given twice")
    f.both("not_encrypted", one(before=[record("EncryptionType", integer(0))]))
    f.text("tail_long", binary(*doc, tail=bytes(4000)), warns="4000 bytes follow behind the records")
    f.text("tail_none", binary(*doc, tail=b""))
    f.text("two_files", binary(*doc, tail=b"") + binary(*doc)[27:], refused="the records end here, and more follow")
    f.text("version_7100", binary(7100, doc[1]))
    f.text("version_7700", binary(7700, doc[1]))


def matrix(m):
    return Value("d", [m[i][j] for j in range(4) for i in range(4)])


def cluster(number, to_joint, indices, weights, *more, mode=None):
    return ["Deformer", number, "c", "Cluster", ([record("Mode", text(mode))] if mode else []) + [
        record("Indexes", Value("i", indices)), record("Weights", Value("d", [float(w) for w in weights])),
        record("Transform", matrix(to_joint)), record("TransformLink", matrix(identity())), *more]]


def skin(number, *more):
    return ["Deformer", number, "s", "Skin", list(more)]


def skinned(points, joints, sets, rest, mode):
    """Where the vertices are: joints are matrices from the mesh to the scene, sets what each moves."""
    out = []
    for i, p in enumerate(points):
        own = [(m, dict(zip(*s))[i]) for m, s in zip(joints, sets) if i in s[0]]
        still, total = apply(rest, p), sum(w for _, w in own)
        if mode == "Additive":
            for m, w in own:
                still = [w * a + (1 - w) * b for a, b in zip(apply(times(m, inverse(rest)), still), still)]
            out.append(still)
            continue
        to = [sum(w * apply(m, p)[k] for m, w in own) for k in range(3)]
        out.append(still if not own or total == 0 else [to[k] + (1 - total) * still[k] for k in range(3)]
                   if mode == "Total1" else [x / total for x in to])
    return out


def skins(f):
    everything, half = list(range(8)), [4, 5, 6, 7]
    m, joint = Node("m", t=(1, 2, 3)), Node("j", t=(1, 2, 3), r=(0, 0, 30))
    top = Node("k", joint, t=(0, 0, 2), r=(40, 0, 0), s=(1, 1, 2))
    bound, bound_top = move((-1, 0, -1)), times(turn((10, 0, 0)), move((0, 0, -3)))

    def model_of(clusters, node=m, skin_=None, geometry_=None, extra=(), links=(), bones=True):
        joints = [model(2, joint, "LimbNode"), model(3, top, "LimbNode")]
        made = document([geometry_ or geometry(100), model(1, node), skin_ or skin(200)] + joints + clusters + list(extra),
                        [[1, 0], [2, 0], [3, 2], [100, 1], [200, 100]] + [[c[1], 200] for c in clusters] +
                        ([[2 + i, c[1]] for i, c in enumerate(clusters)] if bones else []) + list(links))
        return made

    def values(sets, mode=None, node=m, points=None):
        moved = [times(joint.globally(), bound, node.geometric()), times(top.globally(), bound_top, node.geometric())]
        points = skinned(points or points_of(), moved[:len(sets)], sets, times(node.globally(), node.geometric()), mode)
        return measure([[points[i] for i in t] for t in triangles_of()])

    ones = (everything, [1.0] * 8)
    f.both("skin", model_of([cluster(201, bound, *ones)]), values([ones]))
    f.both("skin_of_some", model_of([cluster(201, bound, half, [1.0] * 4)]), values([(half, [1.0] * 4)]))
    blend = [(everything, [0.25] * 8), (everything, [0.75] * 8)]
    f.both("skin_blend", model_of([cluster(201, bound, *blend[0]), cluster(202, bound_top, *blend[1])]), values(blend))
    uneven = [(everything, [0.5] * 8), (half, [1.0] * 4)]
    for name, mode in (("skin_normalize", "Normalize"), ("skin_not_said", None), ("skin_total_one", "Total1"), ("skin_additive", "Additive")):
        f.both(name, model_of([cluster(201, bound, *uneven[0], mode=mode), cluster(202, bound_top, *uneven[1], mode=mode)]),
               values(uneven, mode))
    node = Node("m", t=(5, 5, 5), r=(0, 40, 0), gt=(1, 0, 0), gr=(0, 0, 90), gs=(1, 2, 1))
    f.both("skin_geometric", model_of([cluster(201, bound, half, [0.5] * 4, mode="Total1")], node), values([(half, [0.5] * 4)], "Total1", node))
    f.both("skin_additive_geometric", model_of([cluster(201, bound, half, [0.5] * 4, mode="Additive")], node),
           measure([[p[i] for i in t] for p in [additive(node, joint, bound, half, 0.5)] for t in triangles_of()]))
    f.both("skin_empty_cluster", model_of([cluster(201, bound, *ones), ["Deformer", 202, "c", "Cluster", []]]), values([ones]))
    twice = model_of([cluster(201, bound, *ones)], extra=[model(4, Node("n", t=(50, 0, 0)))], links=[[4, 0], [100, 4]])
    moved = [apply(times(joint.globally(), bound), p) for p in points_of()]
    f.both("skin_twice", twice, measure([[moved[i] for i in t] for t in triangles_of() * 2]))
    dual = skin(200, record("SkinningType", text("DualQuaternion")))
    f.both("skin_dual", model_of([cluster(201, bound, *blend[0]), cluster(202, bound_top, *blend[1])], skin_=dual), values(blend),
           warns="a skin of dual quaternions")
    f.both("skin_dual_stiff", model_of([cluster(201, bound, *ones)], skin_=dual), values([ones]))
    f.both("skin_index", model_of([cluster(201, bound, [8], [1.0])]), refused="a joint moves vertex 8, where there are 8")
    f.both("skin_counts", model_of([cluster(201, bound, [1, 2], [1.0])]), refused="2 indices and 1 weights")
    f.both("skin_no_joint", model_of([cluster(201, bound, *ones)], bones=False), measure(placed(m.globally())),
           warns="a joint that is no node of the scene")
    lost = model_of([cluster(201, bound, *ones), cluster(202, bound_top, *ones)], bones=False, links=[[2, 201]])
    f.both("skin_no_second_joint", lost, values([ones]), warns="a joint that is no node of the scene")
    f.both("skin_modes", model_of([cluster(201, bound, *ones), cluster(202, bound, *ones, mode="Total1")]), refused="several modes")
    f.both("skin_mode", model_of([cluster(201, bound, *ones, mode="Other")]), refused="the mode of a skin is not known")
    f.both("skin_relative", model_of([cluster(201, bound, *ones, record("TransformAssociateModel", matrix(identity())), mode="Additive")]),
           refused="a skin is relative to another node")
    f.both("skin_matrix", model_of([cluster(201, [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 2]], *ones)]), refused="it is no matrix")
    f.both("skin_two_nodes", model_of([cluster(201, bound, *ones)], links=[[3, 201]]), refused="a joint of a skin is connected to two nodes")
    f.both("skin_mode_twice", model_of([cluster(201, bound, *ones, record("Mode", text("Total1")), mode="Normalize")]), refused="it is given twice")
    f.both("skin_type_twice", model_of([cluster(201, bound, *ones)], skin_=skin(200, *[record("SkinningType", text("Rigid"))] * 2)), refused="it is given twice")
    other = ["Deformer", 202, "c", "Other", cluster(202, bound, *ones)[4]]
    f.both("skin_missing", document([geometry(100), model(1, m), model(2, joint, "LimbNode"), cluster(201, bound, *ones)],
                                    [[1, 0], [2, 0], [100, 1], [200, 100], [201, 200], [2, 201]]), measure(placed(m.globally())),
           warns="connections (2) lead to objects that are not in the file, such as 200")
    f.both("skin_part", model_of([cluster(201, bound, *ones), other]), values([ones]), warns="a part of a deformer is no Cluster")
    f.both("skin_part_alone", model_of([other]), measure(placed(m.globally())), warns="a part of a deformer is no Cluster")
    few = cluster(201, bound, *ones)
    few[4] = [r for r in few[4] if r[0] != "Transform"]
    f.both("skin_no_matrix", model_of([few]), refused="a joint of a skin has no Transform")
    cache = ["Deformer", 300, "v", "VertexCacheDeformer", []]
    f.both("vertex_cache", document([geometry(100), model(1, Node("m")), cache], [[1, 0], [100, 1], [300, 100]]),
           warns="a deformer other than a blend shape or a skin")
    return model_of, values, ones, cluster(201, bound, *ones)


def additive(node, joint, bound, half, weight):
    rest = times(node.globally(), node.geometric())
    by = times(joint.globally(), bound, inverse(node.globally()))
    out = []
    for i, p in enumerate(points_of()):
        at = apply(rest, p)
        out.append([weight * a + (1 - weight) * b for a, b in zip(apply(by, at), at)] if i in half else at)
    return out


def blend_shapes(f, skin_parts):
    half = [4, 5, 6, 7]

    def shape(number, offset, indices=half):
        return ["Geometry", number, "s", "Shape", [record("Indexes", Value("i", indices)),
                                                   record("Vertices", Value("d", [float(x) for x in offset] * len(indices)))]]

    def channel(number, percent, weights, said="record"):
        records = [record("DeformPercent", Value("D", float(percent)))] if said == "record" else []
        records += [record("FullWeights", Value("d", [float(w) for w in weights]))] if weights else []
        if said == "property":
            records = [record("DeformPercent", Value("D", 0.0))] + records
            records.append(record("Properties70", of=[property_of("DeformPercent", float(percent))]))
        return ["Deformer", number, "c", "BlendShapeChannel", records]

    def of(channels, shapes, links, geometry_=None):
        return document([geometry_ or geometry(100), model(1, Node("m")), ["Deformer", 400, "b", "BlendShape", []]] + channels + shapes,
                        [[1, 0], [100, 1], [400, 100]] + [[c[1], 400] for c in channels] + links)

    def moved(offset, points=None):
        return measure(placed(identity(), [[p[k] + offset[k] * (i in half) for k in range(3)] for i, p in enumerate(points or points_of())]))

    a, b = (1, 0, 4), (0, 2, 6)
    single = lambda percent, weights=(100,), said="record": of([channel(401, percent, weights, said)], [shape(402, a)], [[402, 401]])
    part = lambda x: [x * v for v in a]
    f.both("blend_full", single(100), moved(a))
    f.both("blend_half", single(50), moved(part(0.5)))
    f.both("blend_zero", single(0))
    f.both("blend_beyond", single(150), moved(part(1.5)))
    f.both("blend_negative", single(-50), moved(part(-0.5)))
    f.both("blend_property", single(25, said="property"), moved(part(0.25)))
    f.both("blend_full_weight_50", single(25, (50,)), moved(part(0.5)))
    f.both("blend_no_weights", single(50, ()), moved(part(0.5)))
    between = lambda percent, weights=(40, 100): of([channel(401, percent, weights)], [shape(402, a), shape(403, b)], [[402, 401], [403, 401]])
    mix = lambda x: [(1 - x) * u + x * v for u, v in zip(a, b)]
    f.both("blend_between_first", between(20), moved(part(0.5)))
    f.both("blend_between_at", between(40), moved(a))
    f.both("blend_between", between(70), moved(mix(0.5)))
    f.both("blend_between_last", between(100), moved(b))
    f.both("blend_between_unsorted", between(70, (100, 40)), moved([(u + v) / 2 for u, v in zip(a, b)]))
    by_vertex = lambda percent, weights: of([channel(401, percent, weights)], [shape(402, a)], [[402, 401]])
    f.both("blend_by_vertex_all", by_vertex(50, (100,) * 4), moved(part(0.5)))
    f.both("blend_by_vertex_half", by_vertex(100, (50,) * 4), moved(part(0.5)))
    factors = (0, 25, 50, 100)
    points = [[p[k] + a[k] * (factors[i - 4] / 200 if i in half else 0) for k in range(3)] for i, p in enumerate(points_of())]
    f.both("blend_by_vertex", by_vertex(50, factors), measure(placed(identity(), points)))
    f.both("blend_by_vertex_count", by_vertex(100, (100,) * 3), refused="3 FullWeights for one shape of 4 vertices")
    f.both("blend_weights_many", between(70, (40, 70, 100)), refused="2 shapes and 3 FullWeights")
    f.both("blend_weights_nan", between(70, (40, float("nan"))), refused="FullWeights that are not finite")
    f.both("blend_weights_alone", of([channel(401, 100, (100,))], [], []), refused="0 shapes and 1 FullWeights")
    f.both("blend_part", of([channel(401, 100, (100,))[:3] + ["Other", []]], [shape(402, a)], [[402, 401]]),
           warns="a part of a deformer is no BlendShapeChannel")
    percents = [record("DeformPercent", Value("D", v)) for v in (0.0, 100.0)]
    f.both("blend_percent_twice", of([channel(401, 100, ())[:4] + [percents]], [shape(402, a)], [[402, 401]]), refused="it is given twice")
    two = of([channel(401, 100, (100,)), channel(405, 50, (100,))], [shape(402, a), shape(403, b)], [[402, 401], [403, 405]])
    f.both("blend_two", two, moved([u + v / 2 for u, v in zip(a, b)]))
    f.both("blend_index", of([channel(401, 100, (100,))], [shape(402, a, [8])], [[402, 401]]), refused="a blend shape moves vertex 8, where there are 8")
    counts = ["Geometry", 402, "s", "Shape", [record("Indexes", Value("i", [1, 2])), record("Vertices", Value("d", [0.0] * 3))]]
    f.both("blend_counts", of([channel(401, 100, (100,))], [counts], [[402, 401]]), refused="2 indices and 1 vertices")
    f.both("blend_no_indices", of([channel(401, 100, (100,))], [["Geometry", 402, "s", "Shape", counts[4][1:]]], [[402, 401]]), refused="a blend shape has no Indexes")
    f.both("blend_weights_few", between(70, (100,)), refused="2 shapes and 1 FullWeights")
    f.both("blend_weights_equal", between(70, (100, 100)), refused="FullWeights that are 0, or equal")
    f.both("blend_too_large", single(1e300, (1e-300,)), refused="a blend shape has the percentage 1e+300 of 1e-300")
    f.both("blend_unused_broken", of([channel(401, 0, (100,))], [counts], [[402, 401]]))
    model_of, values, ones, bone = skin_parts
    made = model_of([bone], extra=[["Deformer", 400, "b", "BlendShape", []], channel(401, 50, (100,)), shape(402, a)],
                    links=[[400, 100], [401, 400], [402, 401]])
    points = [[p[k] + 0.5 * a[k] * (i in half) for k in range(3)] for i, p in enumerate(points_of())]
    f.both("blend_then_skin", made, values([ones], points=points))


def main(path):
    f = Folder(path)
    f.both("plain", one())
    forms(f)
    scene(f)
    objects(f)
    meshes(f)
    transforms(f)
    blend_shapes(f, skins(f))
    with open(path + "/expected.txt", "w") as out:
        out.write("\n".join(f.lines) + "\n")


main(sys.argv[1])
