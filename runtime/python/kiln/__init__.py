"""Exact collision queries on hierarchies that are baked in advance.

    import kiln, numpy

    ship = kiln.open("ship.kiln")[0]                   # baked by `kiln bake`, or:
    rock = kiln.bake((vertices, triangles))[0]         # float32 [n, 3], whole numbers [m, 3]

    kiln.collide(ship, None, rock, pose)               # true where the surfaces meet
    kiln.distance(ship, None, rock, pose).distance
    kiln.collide(ship, None, rock, poses)["found"]     # [n, 4, 4]: bool [n], on all processors

Poses are float64 matrices [4, 4] or [3, 4], of a rotation, or any matrix that has an inverse, and a translation:
what a mesh's point p becomes is M[:3, :3] @ p + M[:3, 3]. None is the identity, and kiln.pose makes one
of a quaternion. Answers are exact for the stored float32 vertices; touching is meeting; surfaces are compared
and not solids (kiln.locate_mesh is for those). Lengths have the unit of the poses ("world").

    open, bake, bake_file, bake_bytes     files: File, Tree
    collide, within, distance             two meshes, at one pose or many
    contacts, contacts_summary            where and how deep
    contact_regions, Adjacency            what a solver wants of them: few regions, and
    regions_match                         their ids from step to step
    near_pairs                            all pairs of triangles or points within a distance
    self_contacts                         where a mesh meets itself
    batch, Scene, Scene.from_urdf         many placed meshes, many configurations
    rays, overlap, locate, locate_mesh    one mesh: rays; boxes, spheres, capsules, hulls; inside
    nearest, signed_distance              points and a mesh
    Winding                               is a point inside a mesh that has holes?
    shape_distance, shape_within          how far a box, sphere, capsule or hull is from a mesh
    spheres                               robots as spheres, many configurations
    collide_likely, collide_counted       when there is no time
    Bins, Axes                            tables

Most queries take `filter`: arrays of bools by id, or a function, that say which triangles or pairs count.

Queries release the interpreter's lock, and any number of threads may make them. They need 96 KiB of stack.
Whatever is wrong is an exception. What kiln refuses is a kiln.Error, which is also ValueError,
FileNotFoundError, MemoryError or the like where one fits.
"""

import enum as _enum
from collections import namedtuple as _namedtuple

from . import _arrays, _errors, _kiln
from ._bake import BakeReport, Mesh, bake, bake_bytes, bake_file
from ._errors import (Error, FileError, FormatError, InvalidError, LimitError, MissingFileError, OutOfMemoryError,
                      UnsupportedError)
from ._kiln import (Adjacency, Axes, Bins, Contact, ContactsSummary, CountedAnswer, File, FirstHit, Hit, LikelyAnswer,
                    Minimum, Nearest, Pair, RayHit, Region, RegionPoint, SelfPair, ShapeNearest, SurfacePoint, Tree,
                    TriangleHit, Volume, Winding, WindingNumber, Work, batch, collide, collide_boxes, collide_counted,
                    collide_likely, collide_work, contact_regions, contacts, contacts_summary, distance, locate, locate_mesh,
                    near_pairs, nearest, open, overlap, rays, self_contacts, shape_distance, shape_within, signed_distance,
                    spheres, within)


class Place(_enum.IntEnum):
    """Where a point or a mesh is."""

    OUTSIDE = 0
    INSIDE = 1
    SURFACE = 2  #: on the surface; surfaces that touch or cross
    PARTED = 3   #: a mesh without contact, partly inside and partly outside


class Side(_enum.IntEnum):
    """The side from which a ray meets a triangle."""

    FRONT = 1
    BACK = 2
    EDGE = 3  #: the ray lies in its plane


class Feature(_enum.IntEnum):
    """The least part of a triangle that has the nearest point."""

    FACE = 0
    EDGE = 1
    CORNER = 2


class SelfKind(_enum.IntEnum):
    """How two triangles of one mesh meet."""

    TOUCHING = 0
    CROSSING = 1     #: one passes through the other
    OVERLAPPING = 2  #: in one plane, with an area in common
    DUPLICATE = 3    #: they have the same corners


class WindingSide(_enum.IntEnum):
    """On which side of a threshold a winding number is."""

    UNDECIDED = 0
    ABOVE = 1
    NOT_ABOVE = 2


class Verdict(_enum.IntEnum):
    """Of time-critical queries."""

    NO = 0
    YES = 1
    UNDECIDED = 2


Source = _namedtuple("Source", "triangle face user mesh primitive node_path mesh_name material")
Source.__doc__ = """Where a triangle comes from: face in its mesh, node_path, mesh_name, material."""

_kiln.register(_errors.make, _arrays.wrap, _arrays.convert, tuple(Place), Source)

Shape = _namedtuple("Shape", "kind a b radius")
Shape.__doc__ = """A box, a sphere, a capsule or a hull, or many; of kiln.box, kiln.sphere, kiln.capsule and kiln.hull."""


def box(lower, upper):
    """A box of its corners, [3] or [n, 3] each, for kiln.overlap and kiln.shape_distance. With a pose it is an oriented box."""
    return Shape("box", lower, upper, None)


def sphere(centre, radius):
    """A ball of a centre, [3] or [n, 3], and a radius, a number or [n]."""
    return Shape("sphere", centre, None, radius)


def capsule(a, b, radius):
    """A capsule of the ends of its segment, [3] or [n, 3], and a radius, a number or [n]."""
    return Shape("capsule", a, b, radius)


def hull(vertices, radius=0.0):
    """The convex hull of vertices, [m, 3] with m >= 1, and all within a radius of it, a number or [n]."""
    return Shape("hull", vertices, None, radius)


def pose(quaternion=None, translation=None, scale=1.0):
    """A pose, float64 [4, 4]; or many, [n, 4, 4].

    quaternion: (x, y, z, w), [4] or [n, 4], of a length within 1e-3 of 1; None: no rotation.
    translation: [3] or [n, 3], units of the world; None: none.
    scale: along all axes, more than 0, a number or [n].
    """
    numpy = _arrays._numpy()
    q = numpy.asarray([0.0, 0.0, 0.0, 1.0] if quaternion is None else quaternion, numpy.float64)
    t = numpy.asarray([0.0, 0.0, 0.0] if translation is None else translation, numpy.float64)
    s = numpy.asarray(scale, numpy.float64)
    if q.shape[-1:] != (4,) or q.ndim > 2 or t.shape[-1:] != (3,) or t.ndim > 2 or s.ndim > 1:
        raise ValueError("quaternion is to be [4] or [n, 4], translation [3] or [n, 3], scale a number or [n]")
    length = numpy.sqrt((q * q).sum(-1))
    if not numpy.all(numpy.abs(length - 1) <= 1e-3):
        raise ValueError("the length of a quaternion is not within 1e-3 of 1")
    if not (numpy.all(s > 0) and numpy.isfinite(s).all() and numpy.isfinite(t).all()):
        raise ValueError("scale is to be more than 0, and both it and translation finite")
    many = numpy.broadcast_shapes(q.shape[:-1], t.shape[:-1], s.shape)
    x, y, z, w = numpy.moveaxis(q / length[..., None], -1, 0)
    out = numpy.zeros(many + (4, 4))
    rotation = numpy.stack([
        1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
        2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
        2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], -1)
    out[..., :3, :3] = rotation.reshape(q.shape[:-1] + (3, 3)) * s[..., None, None]
    out[..., :3, 3] = t
    out[..., 3, 3] = 1
    return out


def regions_match(before, regions, next=1):
    """Gives contact regions the ids that they had in the step before.

    before: regions as this function returned them, of the same two meshes at poses that differ little; at first
        an empty array, or None.
    regions: what kiln.contact_regions found now.
    next: the next id that no region had; 1 at first.

    Returns a copy of `regions` with ids that last, and the next `next`.
    """
    numpy = _arrays._numpy()
    kind = _arrays.dtype("Region")
    before = numpy.zeros(0, kind) if before is None else before
    for name, array in (("before", before), ("regions", regions)):
        if not isinstance(array, numpy.ndarray) or array.dtype.names != kind.names or array.ndim != 1:
            raise TypeError(f"{name} is to be an array [n] of kiln.dtype(kiln.Region)")
    # numpy.concatenate and others leave out the bytes between fields.
    matched = regions.astype(kind, order="C", copy=True)
    return matched, _kiln.regions_match(numpy.ascontiguousarray(before.astype(kind, copy=False)), matched, next)


def dtype(record):
    """The numpy dtype of arrays of a record: kiln.dtype(kiln.Hit)."""
    return _arrays.dtype(record if isinstance(record, str) else record.__name__)


from .scene import Scene  # noqa: E402  (needs what is above)

__version__ = _kiln.version
__all__ = [name for name in dir() if not name.startswith("_") and name not in ("scene", "urdf")]
