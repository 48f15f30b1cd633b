"""Robots of URDF files: links with meshes, the tree of joints, and where links are in a configuration."""

import math
import os
import re
import urllib.parse
import xml.etree.ElementTree as _tree
from xml.parsers import expat as _expat

from . import _arrays, _kiln
from ._bake import bake as _bake
from ._errors import FormatError, UnsupportedError


def _parse(path):
    """The root element of a file. A document type is refused: its entities could grow without bound or read files."""
    with open(path, "rb") as file:
        data = file.read()
    builder = _tree.TreeBuilder()
    parser = _expat.ParserCreate()

    def doctype(*_):
        raise FormatError(f"{os.fspath(path)}: has a document type declaration, which is not read")

    parser.StartDoctypeDeclHandler = doctype
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    try:
        parser.Parse(data, True)
    except (_expat.ExpatError, LookupError, ValueError) as error:  # the latter two of encodings
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{os.fspath(path)}: {error}") from None
    return builder.close()


def _numbers(text, count, what):
    try:
        values = [float(word) for word in text.split()]
    except ValueError:
        values = []
    if len(values) != count or not all(map(math.isfinite, values)):
        raise FormatError(f"{what} is to be {count} numbers, not {text!r}")
    return values


def _need(element, name, what):
    value = element.get(name)
    if value is None:
        raise FormatError(f"{what} has no {name}")
    return value


def _origin(element, what):
    """The matrix [4, 4] of an <origin>: rpy are rotations about the fixed axes x, y, z, in this order."""
    numpy = _arrays._numpy()
    matrix = numpy.eye(4)
    origin = element.find("origin")
    if origin is not None:
        roll, pitch, yaw = _numbers(origin.get("rpy", "0 0 0"), 3, f"rpy of {what}")
        cr, sr, cp, sp = math.cos(roll), math.sin(roll), math.cos(pitch), math.sin(pitch)
        cy, sy = math.cos(yaw), math.sin(yaw)
        matrix[:3, :3] = [[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                          [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
                          [-sp, cp * sr, cp * cr]]
        matrix[:3, 3] = _numbers(origin.get("xyz", "0 0 0"), 3, f"xyz of {what}")
    return matrix


class Joint:
    """A joint: name, kind, parent, child, origin [4, 4], axis [3], mimic (joint, multiplier, offset) or None, and
    lower and upper, its limits, or None."""

    def __init__(self, element):
        numpy = _arrays._numpy()
        self.name = _need(element, "name", "a joint")
        what = f"joint {self.name!r}"
        self.kind = _need(element, "type", what)
        if self.kind not in ("fixed", "revolute", "continuous", "prismatic"):
            raise UnsupportedError(f"{what} is {self.kind!r}; fixed, revolute, continuous and prismatic are known")
        ends = [element.find(end) for end in ("parent", "child")]
        if None in ends:
            raise FormatError(f"{what} has no parent or no child")
        self.parent, self.child = (_need(end, "link", what) for end in ends)
        self.origin = _origin(element, what)
        axis = element.find("axis")
        vector = numpy.array(_numbers(axis.get("xyz", "1 0 0"), 3, f"axis of {what}") if axis is not None
                             else [1.0, 0.0, 0.0])
        length = math.sqrt(float(vector @ vector))
        if self.kind != "fixed" and length == 0:
            raise FormatError(f"the axis of {what} is 0")
        self.axis = vector / length if length else vector
        limit = element.find("limit")
        self.lower = self.upper = None
        if limit is not None and self.kind in ("revolute", "prismatic"):
            self.lower = _numbers(limit.get("lower", "0"), 1, f"lower limit of {what}")[0]
            self.upper = _numbers(limit.get("upper", "0"), 1, f"upper limit of {what}")[0]
        mimic = element.find("mimic")
        self.mimic = None
        if mimic is not None and self.kind != "fixed":
            self.mimic = (_need(mimic, "joint", f"mimic of {what}"),
                          _numbers(mimic.get("multiplier", "1"), 1, f"multiplier of {what}")[0],
                          _numbers(mimic.get("offset", "0"), 1, f"offset of {what}")[0])


class Robot:
    """The links and joints of a URDF file.

    links: names; joints: names of those that a configuration has a number for, in the order of the file;
    limits: float64 [dof, 2], with infinities for continuous joints; root: the link that stands at the origin.
    """

    def __init__(self, root):
        numpy = _arrays._numpy()
        if root.tag != "robot":
            raise FormatError(f"the root element is <{root.tag}>, not <robot>")
        self.name = root.get("name", "")
        self.links = [_need(link, "name", "a link") for link in root.findall("link")]
        joints = [Joint(element) for element in root.findall("joint")]
        self.all_joints = {joint.name: joint for joint in joints}
        if len(set(self.links)) != len(self.links) or len(self.all_joints) != len(joints):
            raise FormatError("two links, or two joints, have the same name")
        above = {}
        for joint in joints:
            for link in (joint.parent, joint.child):
                if link not in self.links:
                    raise FormatError(f"joint {joint.name!r} has a link {link!r} that is not there")
            if joint.child in above:
                raise FormatError(f"link {joint.child!r} is the child of two joints")
            above[joint.child] = joint
        roots = [link for link in self.links if link not in above]
        if len(roots) != 1:
            raise FormatError(f"there are {len(roots)} links without a parent, not 1")
        self.root = roots[0]
        below = {}
        for joint in joints:
            below.setdefault(joint.parent, []).append(joint)
        self._order, links = [], [self.root]
        for link in links:
            for joint in below.get(link, []):
                self._order.append(joint)
                links.append(joint.child)
        if len(links) != len(self.links):
            raise FormatError(f"links go round in a circle: {sorted(set(self.links) - set(links))}")
        self.joints = [joint.name for joint in joints if joint.kind != "fixed" and joint.mimic is None]
        self._values = {name: (i, 1.0, 0.0) for i, name in enumerate(self.joints)}
        for joint in joints:
            if joint.mimic is not None:
                self._values[joint.name] = self._mimicked(joint)
        infinite = float("inf")
        self.limits = numpy.array([[-infinite if j.lower is None else j.lower,
                                    infinite if j.upper is None else j.upper]
                                   for j in map(self.all_joints.get, self.joints)]).reshape(-1, 2)

    def _mimicked(self, joint):
        """(place in a configuration, factor, offset) of a joint that mimics another, which may mimic a third."""
        factor, offset, seen = 1.0, 0.0, set()
        while joint.mimic is not None:
            if joint.name in seen:
                raise FormatError(f"joint {joint.name!r} mimics itself")
            seen.add(joint.name)
            name, multiplier, shift = joint.mimic
            offset += factor * shift
            factor *= multiplier
            joint = self.all_joints.get(name)
            if joint is None or joint.kind == "fixed":
                raise FormatError(f"a joint mimics {name!r}, which is not there or is fixed")
        return self._values[joint.name][0], factor, offset

    def forward(self, configurations):
        """Where the links are: ({link: [4, 4] or [n, 4, 4]}, whether `configurations` was one).

        configurations: float64 [dof] or [n, dof], in the order of `joints`; radians and metres. A link that no
        joint moves has one pose.
        """
        numpy = _arrays._numpy()
        q = _arrays.convert(configurations, "float64", "configurations")
        if q.ndim not in (1, 2) or q.shape[-1] != len(self.joints):
            raise ValueError(f"configurations are to be of shape [{len(self.joints)}] or [n, {len(self.joints)}], "
                             f"for the joints {self.joints}")
        poses = {self.root: numpy.eye(4)}
        for joint in self._order:
            local = joint.origin
            if joint.kind != "fixed":
                place, factor, offset = self._values[joint.name]
                local = local @ _motion(numpy, joint, factor * q[..., place] + offset)
            above = poses[joint.parent]
            poses[joint.child] = above @ local
        return poses, q.ndim == 1


def _motion(numpy, joint, value):
    """What a joint does: [4, 4], or [n, 4, 4] for values [n]."""
    matrix = numpy.zeros(value.shape + (4, 4))
    matrix[..., range(4), range(4)] = 1
    if joint.kind == "prismatic":
        matrix[..., :3, 3] = value[..., None] * joint.axis
        return matrix
    x, y, z = joint.axis
    cross = numpy.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    # Rodrigues: I + sin K + (1 - cos) K^2; of half the angle, 1 - cos = 2 sin^2 loses nothing near 0.
    half = numpy.sin(value / 2)
    matrix[..., :3, :3] += numpy.sin(value)[..., None, None] * cross
    matrix[..., :3, :3] += (2 * half * half)[..., None, None] * (cross @ cross)
    return matrix


# ----------------------------------------------------------------------------------------- geometry


def _resolve(name, urdf, packages):
    """The path of a mesh's file name."""
    folder = os.path.dirname(os.path.abspath(urdf))
    # Such names have neither queries nor fragments: '?' and '#' are letters of a path.
    parts = re.fullmatch(r"(?s)([A-Za-z][A-Za-z0-9+.-]*):(?://([^/]*))?(.*)", name)
    if parts is None:
        return os.path.join(folder, name)
    scheme, package, inside = parts[1].lower(), parts[2] or "", urllib.parse.unquote(parts[3])
    if scheme == "file":
        return inside
    if scheme not in ("package", "model"):
        raise UnsupportedError(f"mesh {name!r}: package://, file:// and relative paths are read")
    inside = inside.lstrip("/")
    if isinstance(packages, dict):
        if package not in packages:
            raise FileNotFoundError(f"mesh {name!r}: package_paths has no package {package!r}")
        return os.path.join(packages[package], inside)
    if packages is None:
        candidates = []
        while True:
            candidates.append(folder)
            if os.path.dirname(folder) == folder:
                break
            folder = os.path.dirname(folder)
    else:
        candidates = [packages] if isinstance(packages, (str, os.PathLike)) else list(packages)
    for candidate in candidates:
        candidate = os.path.abspath(candidate)
        beside = os.path.join(candidate, package)
        if os.path.isdir(beside):
            return os.path.join(beside, inside)
        if os.path.basename(candidate) == package:
            return os.path.join(candidate, inside)
    raise FileNotFoundError(f"mesh {name!r}: there is no folder of package {package!r}; see package_paths")


def box_mesh(size):
    """(vertices, triangles) of a box about the origin, [3] metres: 12 triangles."""
    numpy = _arrays._numpy()
    corners = numpy.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * (numpy.asarray(size) / 2)
    triangles = numpy.array([[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
                             [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]])
    return corners, triangles


# Vertices are rounded to float32: 2^-24 of a coordinate, each of three. A mesh that is to lie outside is larger by
# more than that.
_WIDER = 1 + 2.0 ** -20


def cylinder_mesh(radius, length, segments):
    """(vertices, triangles, how far it reaches beyond): a prism around a cylinder about the z axis."""
    numpy = _arrays._numpy()
    angle = numpy.arange(segments) * (2 * math.pi / segments)
    outer = radius / math.cos(math.pi / segments) * _WIDER
    height = length / 2 * _WIDER
    ring = numpy.stack([outer * numpy.cos(angle), outer * numpy.sin(angle), numpy.full(segments, height)], 1)
    vertices = numpy.concatenate([ring, ring * [1, 1, -1], [[0, 0, height], [0, 0, -height]]])
    i = numpy.arange(segments)
    k = (i + 1) % segments
    top, bottom = numpy.full(segments, 2 * segments), numpy.full(segments, 2 * segments + 1)
    triangles = numpy.concatenate([numpy.stack(t, 1) for t in (
        (i, i + segments, k), (k, i + segments, k + segments), (top, i, k), (bottom, k + segments, i + segments))])
    return vertices, triangles, max(outer - radius, height - length / 2)


def sphere_mesh(radius, segments):
    """(vertices, triangles, how far it reaches beyond): a polyhedron around a ball about the origin."""
    numpy = _arrays._numpy()
    rings = max(segments // 2, 3)
    polar = numpy.arange(1, rings) * (math.pi / rings)
    angle = numpy.arange(segments) * (2 * math.pi / segments)
    grid = numpy.stack([numpy.outer(numpy.sin(polar), numpy.cos(angle)),
                        numpy.outer(numpy.sin(polar), numpy.sin(angle)),
                        numpy.outer(numpy.cos(polar), numpy.ones(segments))], -1).reshape(-1, 3)
    vertices = numpy.concatenate([grid, [[0, 0, 1], [0, 0, -1]]])
    top, bottom = len(grid), len(grid) + 1
    triangles = []
    for i in range(segments):
        k = (i + 1) % segments
        triangles += [(top, i, k), (bottom, (rings - 2) * segments + k, (rings - 2) * segments + i)]
        for row in range(rings - 2):
            a, b = row * segments, (row + 1) * segments
            triangles += [(a + i, b + i, a + k), (a + k, b + i, b + k)]
    triangles = numpy.array(triangles)
    # The nearest point of the planes of the faces decides how much larger it has to be.
    a, b, c = (vertices[triangles[:, corner]] for corner in range(3))
    normal = numpy.cross(b - a, c - a)
    nearest = float(numpy.abs((normal * a).sum(1) / numpy.sqrt((normal * normal).sum(1))).min())
    outer = radius / nearest * _WIDER
    return vertices * outer, triangles, outer - radius


def _size(shape, name, count, what):
    """The sizes of a shape, which are more than 0."""
    values = _numbers(_need(shape, name, what), count, f"{name} of {what}")
    if min(values) <= 0:
        raise FormatError(f"{name} of {what} is to be more than 0, not {shape.get(name)!r}")
    return values


class _Meshes:
    """Baked meshes, each file once.

    Options that change coordinates, scale and up, are of files: boxes and what a URDF scales have metres already, in
    the frame of their link.
    """

    def __init__(self, urdf, packages, curved, segments, options, progress):
        self.urdf, self.packages, self.curved, self.segments = urdf, packages, curved, segments
        self.options, self.progress = options, progress
        self.own_options = {name: value for name, value in options.items() if name not in ("scale", "up")}
        self.baked = {}

    def _bake(self, model):
        return _bake(model, **self.own_options)[0]

    def _keep(self, key, make):
        if key not in self.baked:
            self.baked[key] = make()
        return self.baked[key]

    def _file(self, path):
        if self.progress is not None:
            self.progress(path)
        file = _kiln.open(path) if path.endswith(".kiln") else _bake(path, **self.options)
        # Trees of one name are of one mesh, by different kinds of volumes; others would be missed.
        names = sorted({tree.name for tree in file})
        if len(names) != 1:
            raise UnsupportedError(f"{path}: has {len(names)} meshes, {', '.join(map(repr, names[:3]))}; bake it without "
                                   "split, as one")
        return file[0]

    def of(self, geometry, what):
        """(tree, matrix or None, how far it reaches beyond the shape) of a <geometry>."""
        numpy = _arrays._numpy()
        shapes = [] if geometry is None else list(geometry)
        if len(shapes) != 1:
            raise FormatError(f"{what} has {len(shapes)} shapes, not 1")
        shape = shapes[0]
        if shape.tag == "mesh":
            path = _resolve(_need(shape, "filename", what), self.urdf, self.packages)
            tree = self._keep(path, lambda: self._file(path))
            scale = _numbers(shape.get("scale", "1 1 1"), 3, f"scale of {what}")
            if 0 in scale:
                raise FormatError(f"scale of {what} is 0")
            if scale[0] == scale[1] == scale[2] and scale[0] > 0:
                return tree, None if scale[0] == 1 else numpy.diag([scale[0]] * 3 + [1.0]), 0.0
            # Poses could scale axes differently; baked so, the triangles are quicker to ask about.
            return self._keep((path, *scale), lambda: self._scaled(tree, scale)), None, 0.0
        if shape.tag == "box":
            size = _size(shape, "size", 3, what)
            return self._keep(("box", *size), lambda: self._bake(box_mesh(size))), None, 0.0
        if shape.tag in ("sphere", "cylinder", "capsule") and self.curved != "outside":
            raise UnsupportedError(f"{what} is a {shape.tag}, to which no triangles are equal; with curved='outside' "
                                   "a mesh around it stands for it")
        if shape.tag == "sphere":
            radius, = _size(shape, "radius", 1, what)
            vertices, triangles, beyond = sphere_mesh(radius, self.segments)
            return self._keep(("sphere", radius), lambda: self._bake((vertices, triangles))), None, beyond
        if shape.tag == "cylinder":
            radius, = _size(shape, "radius", 1, what)
            length, = _size(shape, "length", 1, what)
            vertices, triangles, beyond = cylinder_mesh(radius, length, self.segments)
            return self._keep(("cylinder", radius, length), lambda: self._bake((vertices, triangles))), None, beyond
        raise UnsupportedError(f"{what} is a {shape.tag!r}; mesh, box, sphere and cylinder are known")

    def _scaled(self, tree, scale):
        numpy = _arrays._numpy()
        corners = tree.triangles().astype(numpy.float64) * scale
        corners = corners[~numpy.isnan(corners).any((1, 2))].astype(numpy.float32)
        return self._bake((corners.reshape(-1, 3), numpy.arange(3 * len(corners)).reshape(-1, 3)))


def scene_of(kind, path, srdf, packages, geometry, curved, segments, allow_adjacent, options, progress):
    """The work of Scene.from_urdf."""
    if geometry not in ("collision", "visual"):
        raise ValueError("geometry is 'collision' or 'visual'")
    if curved not in ("refuse", "outside"):
        raise ValueError("curved is 'refuse' or 'outside'")
    if not 8 <= segments <= 1024:
        raise ValueError("segments is to be from 8 to 1024")
    root = _parse(path)
    scene = kind()
    scene.robot = robot = Robot(root)
    meshes = _Meshes(os.fspath(path), packages, curved, segments, options, progress)
    taken = set()
    for link in root.findall("link"):
        name = link.get("name")
        parts = link.findall(geometry)
        for i, part in enumerate(parts):
            what = f"{geometry} of link {name!r}"
            tree, scale, beyond = meshes.of(part.find("geometry"), what)
            local = _origin(part, what)
            if scale is not None:
                local = local @ scale
            mesh = part.get("name") or (name if len(parts) == 1 else f"{name}/{i}")
            # A mesh with the name of another link would be meant by what allows that link to meet others.
            if mesh in taken or mesh != name and mesh in robot.links:
                mesh = f"{name}/{i}"
                while mesh in taken or mesh in robot.links:
                    mesh += "'"
            taken.add(mesh)
            scene.add(mesh, tree, local, name)
            if beyond:
                scene.approximations[mesh] = beyond
    if allow_adjacent:
        for joint in robot.all_joints.values():
            scene.allow(joint.parent, joint.child)
    if srdf is not None:
        for entry in _parse(srdf).findall("disable_collisions"):
            a, b = (_need(entry, end, "disable_collisions") for end in ("link1", "link2"))
            for link in (a, b):
                if link not in robot.links:
                    raise FormatError(f"{os.fspath(srdf)}: there is no link {link!r}")
            scene.allow(a, b)
    return scene
