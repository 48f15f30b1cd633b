import enum
import os
from typing import Any, Callable, Iterator, Literal, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from .scene import Scene as Scene

_Array = npt.ArrayLike
_Pose = npt.ArrayLike | None  # [4, 4] or [3, 4]
_Poses = npt.ArrayLike | None  # also [n, 4, 4] or [n, 3, 4]
_Records = npt.NDArray[np.void]
_Path = str | os.PathLike[str]
_Bytes = bytes | bytearray | memoryview
_Progress = Callable[[str, float], bool | None] | None
_Mask = npt.NDArray[np.bool_] | Sequence[bool]  # [triangle_limit]
_Filter = _Mask | Callable[[int, int], bool] | None
_PairFilter = tuple[_Mask | None, _Mask | None] | Callable[[int, int, int, int], bool] | None
_Hint = Hit | Nearest | _Array | None

__version__: str

class Error(Exception):
    status: int

class InvalidError(Error, ValueError): ...
class FormatError(Error, ValueError): ...
class MissingFileError(Error, FileNotFoundError): ...
class FileError(Error, OSError): ...
class OutOfMemoryError(Error, MemoryError): ...
class LimitError(Error): ...
class UnsupportedError(Error, NotImplementedError): ...

class Place(enum.IntEnum):
    OUTSIDE = 0
    INSIDE = 1
    SURFACE = 2
    PARTED = 3

class Side(enum.IntEnum):
    FRONT = 1
    BACK = 2
    EDGE = 3

class Feature(enum.IntEnum):
    FACE = 0
    EDGE = 1
    CORNER = 2

class SelfKind(enum.IntEnum):
    TOUCHING = 0
    CROSSING = 1
    OVERLAPPING = 2
    DUPLICATE = 3

class WindingSide(enum.IntEnum):
    UNDECIDED = 0
    ABOVE = 1
    NOT_ABOVE = 2

class Verdict(enum.IntEnum):
    NO = 0
    YES = 1
    UNDECIDED = 2

class Source(NamedTuple):
    triangle: int
    face: int
    user: int
    mesh: int
    primitive: int
    node_path: str
    mesh_name: str
    material: str

class Shape(NamedTuple):
    kind: str
    a: _Array
    b: _Array | None
    radius: _Array | None

class File:
    @property
    def trees(self) -> tuple[Tree, ...]: ...
    @property
    def meta(self) -> Any: ...
    @property
    def name(self) -> str | None: ...
    @property
    def closed(self) -> bool: ...
    def close(self) -> None: ...
    def find(self, name: str | None = None, kind: str | None = None) -> Tree: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> Tree: ...
    def __iter__(self) -> Iterator[Tree]: ...
    def __enter__(self) -> File: ...
    def __exit__(self, *exception: object) -> None: ...

class Tree:
    @property
    def file(self) -> File: ...
    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def triangle_count(self) -> int: ...
    @property
    def triangle_limit(self) -> int: ...
    @property
    def node_count(self) -> int: ...
    @property
    def node_size(self) -> int: ...
    @property
    def depth(self) -> int: ...
    @property
    def leaf_max(self) -> int: ...
    @property
    def bounds(self) -> npt.NDArray[np.float32]: ...
    @property
    def geometry_hash(self) -> bytes: ...
    @property
    def adb_grid(self) -> int: ...
    @property
    def closed(self) -> Literal["closed", "even", "open"]: ...
    @property
    def polygons(self) -> bool: ...
    def triangles(self) -> npt.NDArray[np.float32]: ...
    def volumes(self, level: int | None = None) -> _Records: ...
    def faster_rays(self) -> Tree: ...
    def source(self, triangle: int) -> Source: ...
    def corners(self, triangle: int) -> npt.NDArray[np.float32]: ...
    def user(self, triangle: int) -> int: ...

class Pair:
    a: int
    b: int
    value_a: int
    value_b: int

class Hit(Pair):
    found: bool
    hint: npt.NDArray[np.uint32]
    def __bool__(self) -> bool: ...

class Nearest(Hit):
    distance: float
    point_a: npt.NDArray[np.float64]
    point_b: npt.NDArray[np.float64]
    normal: npt.NDArray[np.float64]
    def __float__(self) -> float: ...

class FirstHit(Hit):
    pair: int
    placed_a: int
    placed_b: int

class Minimum(Nearest):
    pair: int
    placed_a: int
    placed_b: int

class SelfPair(Pair):
    kind: int
    shared: int

class Contact(Pair):
    start: npt.NDArray[np.float64]
    end: npt.NDArray[np.float64]
    normal: npt.NDArray[np.float64]
    depth: float
    hint: npt.NDArray[np.uint32]

class ContactsSummary(Contact):
    count: int
    lower: npt.NDArray[np.float64]
    upper: npt.NDArray[np.float64]

class RegionPoint(Pair):
    position: npt.NDArray[np.float64]
    depth: float

class Region(Pair):
    id: int
    touching: bool
    open: bool
    normal: npt.NDArray[np.float64]
    depth: float
    centroid: npt.NDArray[np.float64]
    radius: float
    area: float
    area_vector: npt.NDArray[np.float64]
    length: float
    curves: int
    pairs: int
    inside_a: int
    inside_b: int
    place_a: npt.NDArray[np.float64]
    place_b: npt.NDArray[np.float64]
    point_count: int
    points: _Records

class Adjacency:
    def __init__(self, tree: Tree | File) -> None: ...

class Work:
    nodes: int
    volume_pairs: int
    leaf_pairs: int
    triangle_pairs: int

class RayHit:
    found: bool
    triangle: int
    value: int
    side: int
    t: float
    weights: npt.NDArray[np.float64]
    normal: npt.NDArray[np.float64]
    def __bool__(self) -> bool: ...

class SurfacePoint:
    found: bool
    triangle: int
    value: int
    feature: int
    part: int
    distance: float
    point: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    normal: npt.NDArray[np.float64]
    def __float__(self) -> float: ...
    def __bool__(self) -> bool: ...

class WindingNumber:
    number: float
    error: float
    exact: bool
    surface: bool
    side: int
    def __float__(self) -> float: ...

class Winding:
    def __init__(self, tree: Tree | File) -> None: ...
    def number(self, points: _Array, pose: _Pose = None, *, accuracy: float = 0.01, threshold: float | None = None,
               count_closed: bool = True, threads: int = 0) -> Any: ...

class ShapeNearest:
    found: bool
    distance: float
    triangle: int
    value: int
    point_mesh: npt.NDArray[np.float64]
    point_shape: npt.NDArray[np.float64]
    normal: npt.NDArray[np.float64]
    def __bool__(self) -> bool: ...
    def __float__(self) -> float: ...

class TriangleHit:
    found: bool
    triangle: int
    value: int
    def __bool__(self) -> bool: ...

class LikelyAnswer(Pair):
    verdict: int
    proved: bool
    probability: float
    score: float
    steps: int

class CountedAnswer(Pair):
    verdict: int
    probability: float
    pairs: int
    flags: int
    waiting: int

class Volume:
    depth: int
    triangles: int
    leaf: bool
    centre: npt.NDArray[np.float64]
    axes: npt.NDArray[np.float64]
    half: npt.NDArray[np.float64]
    radius: float

class Mesh:
    vertices: _Array
    triangles: _Array
    values: _Array | None
    materials: Sequence[str] | None
    name: str | None
    def __init__(self, vertices: _Array, triangles: _Array, values: _Array | None = None,
                 materials: Sequence[str] | None = None, name: str | None = None) -> None: ...

class BakeReport:
    faces: int
    faces_dropped: int
    points_left_out: int
    lines_left_out: int
    degenerate: int
    duplicate: int
    polygons_cut: int
    empty_meshes: int
    unit: float
    precision_step: float
    lossy_step: float
    lossy_moved: float
    lossy_degenerate: int
    bytes_source: int
    bytes_file: int
    seconds_import: float
    seconds_build: float
    seconds_write: float
    seconds_count: float
    warnings: list[str]
    dropped: list[str]
    side_files: list[str]
    absent_files: list[str]
    outcome: Literal["baked", "up to date", "cached"]
    cache_error: str
    trees: list[dict[str, Any]]

_Model = _Path | _Bytes | Mesh | Sequence[Mesh] | tuple[Any, ...]

def open(source: _Path | _Bytes, *, trusted: bool = False, copy: bool = False, memory_limit: int = 0,
         threads: int = 1) -> File: ...
def bake(model: _Model, *, progress: _Progress = None, format: str | None = None, **options: Any) -> File: ...
def bake_bytes(model: _Model, *, progress: _Progress = None, format: str | None = None,
               **options: Any) -> tuple[bytes, BakeReport]: ...
def bake_file(model: _Model, output: _Path, *, progress: _Progress = None, format: str | None = None,
              **options: Any) -> BakeReport: ...
def collide(a: Tree | File, pose_a: _Poses, b: Tree | File, pose_b: _Poses, *, hint: _Hint = None,
            filter: _PairFilter = None, threads: int = 0) -> Any: ...
def within(a: Tree | File, pose_a: _Poses, b: Tree | File, pose_b: _Poses, distance: float, *,
           hint: _Hint = None, filter: _PairFilter = None, threads: int = 0) -> Any: ...
def distance(a: Tree | File, pose_a: _Poses, b: Tree | File, pose_b: _Poses, *, beyond: float = ...,
             relative: float = 0, absolute: float = 0, hint: _Hint = None, filter: _PairFilter = None,
             threads: int = 0) -> Any: ...
def contacts(a: Tree | File, pose_a: _Pose, b: Tree | File, pose_b: _Pose, *, geometry: bool = True,
             limit: int | None = None, filter: _PairFilter = None) -> _Records: ...
def contacts_summary(a: Tree | File, pose_a: _Pose, b: Tree | File, pose_b: _Pose, *,
                     filter: _PairFilter = None) -> ContactsSummary: ...
def contact_regions(a: Adjacency | Tree | File, pose_a: _Pose, b: Adjacency | Tree | File, pose_b: _Pose, *,
                    limit: int | None = None, filter: _PairFilter = None) -> _Records: ...
def regions_match(before: _Records | None, regions: _Records, next: int = 1) -> tuple[_Records, int]: ...
def near_pairs(a: Tree | File, pose_a: _Pose, b: Tree | File, pose_b: _Pose, distance: float, *,
               limit: int | None = None, filter: _PairFilter = None) -> _Records: ...
def self_contacts(tree: Tree | File, *, neighbours: Literal["beyond", "never", "all"] = "beyond",
                  limit: int | None = None, filter: _PairFilter = None) -> _Records: ...
def collide_work(a: Tree | File, pose_a: _Pose, b: Tree | File, pose_b: _Pose) -> tuple[Hit, Work]: ...
def collide_boxes(a: Tree | File, pose_a: _Pose, b: Tree | File, pose_b: _Pose) -> bool: ...
def locate_mesh(a: Tree | File, pose_a: _Pose, b: Tree | File, pose_b: _Pose) -> Place: ...
def collide_likely(a: Tree | File, pose_a: _Pose, b: Tree | File, pose_b: _Pose, *,
                   mode: Literal["default", "fast", "careful"] = "default", threshold: float | None = None,
                   steps: int | None = None, nanoseconds: int | None = None,
                   hint: _Hint = None) -> LikelyAnswer: ...
def collide_counted(a: Tree | File, pose_a: _Pose, b: Tree | File, pose_b: _Pose, *,
                    mode: Literal["default", "fast", "careful"] = "default", p_min: float | None = None,
                    k_min: int | None = None, pairs: int | None = None,
                    nanoseconds: int | None = None) -> CountedAnswer: ...
def batch(question: Literal["collide", "within", "distance", "collide_first", "within_first", "minimum",
                            "collide_any"],
          placed: Sequence[tuple[Tree | File, _Poses]], pairs: _Array | None = None, *, distance: float = 0,
          beyond: float = ..., relative: float = 0, absolute: float = 0, threads: int = 0) -> Any: ...
def rays(tree: Tree | File, origins: _Array, directions: _Array, pose: _Pose = None, *,
         find: Literal["closest", "any", "all"] = "closest", t_min: _Array = 0, t_max: _Array = ...,
         cull: Literal["none", "back", "front"] = "none", filter: _Filter = None,
         threads: int = 0) -> Any: ...
def locate(tree: Tree | File, points: _Array, pose: _Pose = None, *, threads: int = 0) -> Any: ...
def overlap(tree: Tree | File, shape: Shape, pose: _Pose = None, pose_shape: _Poses = None, *,
            find: Literal["any", "all"] = "any", filter: _Filter = None, threads: int = 0) -> Any: ...
def nearest(tree: Tree | File, points: _Array, pose: _Pose = None, *, count: int | None = None,
            within: float | None = None, beyond: float = ..., normals: bool = True, filter: _Filter = None,
            threads: int = 0) -> Any: ...
def signed_distance(tree: Tree | File, points: _Array, pose: _Pose = None, *, beyond: float = ...,
                    filter: _Filter = None, threads: int = 0) -> Any: ...
def shape_distance(tree: Tree | File, shape: Shape, pose: _Pose = None, pose_shape: _Poses = None, *,
                   beyond: float = ..., relative: float = 0, absolute: float = 0, filter: _Filter = None,
                   threads: int = 0) -> Any: ...
def shape_within(tree: Tree | File, shape: Shape, distance: float, pose: _Pose = None, pose_shape: _Poses = None, *,
                 filter: _Filter = None, threads: int = 0) -> Any: ...
def spheres(tree: Tree | File, centres: _Array, radii: _Array, poses: _Poses = None, links: _Array | None = None,
            pose: _Pose = None, *, find: Literal["any", "each"] = "any", filter: _Filter = None,
            threads: int = 0) -> Any: ...
def box(lower: _Array, upper: _Array) -> Shape: ...
def sphere(centre: _Array, radius: _Array) -> Shape: ...
def capsule(a: _Array, b: _Array, radius: _Array) -> Shape: ...
def hull(vertices: _Array, radius: _Array = 0.0) -> Shape: ...
def pose(quaternion: _Array | None = None, translation: _Array | None = None,
         scale: _Array = 1.0) -> npt.NDArray[np.float64]: ...
def dtype(record: type | str) -> np.dtype[Any]: ...

class Bins:
    def __init__(self, source: _Path | _Bytes | None = None) -> None: ...
    @property
    def info(self) -> dict[str, Any]: ...
    def probability(self, u: int, v: int, w: int, x: int) -> float: ...
    def probabilities(self, s: float, sa: float, sb: float, count: int = 10, *,
                      rounding: Literal["lower", "interpolated"] = "interpolated") -> npt.NDArray[np.float64]: ...
    def collision_bound(self, s: float, sa: float, sb: float, lb: float, *,
                        rounding: Literal["lower", "interpolated"] = "interpolated") -> tuple[float, int]: ...

class Axes:
    def __init__(self, source: _Path | _Bytes | None = None) -> None: ...
    @property
    def axes(self) -> npt.NDArray[np.float64]: ...
    @property
    def radius(self) -> float: ...
    @property
    def sine(self) -> float: ...
    def zone(self, velocities: _Array, sine: float = 0) -> npt.NDArray[np.uint64]: ...
