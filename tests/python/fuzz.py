#!/usr/bin/python3
"""fuzz.py CALLS [SEED]: calls of every function with arguments at random, right ones, nearly right ones and others.

Nothing may crash the interpreter, and nothing but the exceptions that a caller expects may come out. Other threads
query and close the same files meanwhile. The seed is printed; the same seed makes the same calls in the main thread.
"""
import array
import ctypes
import faulthandler
import gc
import math
import os
import random
import sys
import threading

import kiln
import numpy as np
from meshes import cube, torus

EXPECTED = (ValueError, TypeError, KeyError, IndexError, MemoryError, OSError, OverflowError, BufferError, kiln.Error,
            AttributeError, ZeroDivisionError, NotImplementedError)


class Hostile:
    """Whatever is asked of it, it raises, or does harm first."""

    def __init__(self, harm):
        self.harm = harm

    def _act(self, *_, **__):
        answer = self.harm()
        if answer is None:
            raise ZeroDivisionError
        return answer

    def __call__(self, *_):
        """Of a filter, thousands of times: harm takes long."""
        harm, self.harm = self.harm, lambda: True
        return harm()

    __index__ = __float__ = __array__ = __iter__ = __len__ = __bool__ = __getitem__ = __fspath__ = _act


class Fuzz:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.data = [kiln.bake_bytes(torus(2, 0.7, 12, 8), bv="obb,aabb", layout=layout, adb=8)[0]
                     for layout in ("packed", "raw")]
        self.data.append(kiln.bake_bytes(cube(), bv="sphere,octree,obb2,dop26")[0])
        self.data.append(kiln.bake_bytes(([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))[0])
        self.files = [kiln.open(data) for data in self.data]
        self.closed = kiln.open(self.data[0])
        self.closed_tree = self.closed[0]
        self.closed.close()
        self.kept = []
        # Of an array that takes no memory, while its answers would take too much. Whole numbers are looked at first.
        self.counts = [1, 3, 2 ** 45]
        self.unexpected = []
        self.adjacencies = [kiln.Adjacency(file) for file in self.files]
        self.windings = [kiln.Winding(tree) for file in self.files for tree in (file[0], file[len(file) - 1])]
        self.functions = self.specify()

    # ------------------------------------------------------------------------------ arguments

    def one_of(self, values):
        return values[self.random.randrange(len(values))]

    def number(self):
        r = self.random
        return self.one_of([0, 1, -1, 2, 0.5, r.random() * 10, -r.random(), 1e-300, 1e300, 1e61, math.inf, -math.inf,
                            math.nan, 2 ** 31, 2 ** 32, 2 ** 63, 2 ** 64, -2 ** 63, 10 ** 30, True, np.float32(1.5),
                            np.int64(3), np.uint8(255), 5, 12, 100])

    def reshaped(self, values):
        """The same numbers, of another type or layout."""
        r = self.random
        kind = r.randrange(14)
        if kind == 0:
            values = values.astype(self.one_of(["f4", ">f8", "f2", "i4", "u1", "i8", ">i2", "c16", "O", "?", "S8", "g",
                                                "M8[s]", "V8"])) if values.size < 10000 else values
        elif kind == 1:
            values = values[..., ::-1]
        elif kind == 2:
            values = values[::-1]
        elif kind == 3:
            values = np.asfortranarray(values)
        elif kind == 4:
            wide = np.zeros(tuple(2 * n for n in values.shape), values.dtype)
            wide[tuple(slice(None, None, 2) for _ in values.shape)] = values
            values = wide[tuple(slice(None, None, 2) for _ in values.shape)]
        elif kind == 5:
            values = values.copy()
            values.flags.writeable = False
        elif kind == 6:
            values = values.tolist()
        elif kind == 7:
            values = memoryview(np.ascontiguousarray(values))
        elif kind == 8:
            raw = np.zeros(values.nbytes + 1, np.uint8)
            raw[1:] = np.frombuffer(np.ascontiguousarray(values).tobytes(), np.uint8)
            values = raw[1:].view(values.dtype).reshape(values.shape)  # not aligned
        elif kind == 9:
            values = np.broadcast_to(values, (self.one_of(self.counts if values.dtype.kind == "f" else [1, 3]),) + values.shape)
        elif kind == 10 and values.size:
            values = values.copy()
            values.flat[r.randrange(values.size)] = self.one_of([math.nan, math.inf, -1, 0, 1e300, 1e-300]) \
                if values.dtype.kind == "f" else r.randrange(256)
        elif kind == 11:
            values = values.ravel()
        elif kind == 12:
            values = values.T
        return values

    def pose(self):
        r = self.random
        kind = r.randrange(9)
        if kind == 0:
            return None
        if kind < 4:
            q = np.array([r.gauss(0, 1) for _ in range(4)])
            pose = kiln.pose(q / np.linalg.norm(q), [r.uniform(-3, 3) for _ in range(3)],
                             self.one_of([1, 1, 0.5, 2, 1.3, 1e-8, 1e9]))
        elif kind == 4:
            pose = np.eye(4)
        elif kind == 5:
            pose = np.array([[r.gauss(0, 1) for _ in range(4)] for _ in range(self.one_of([3, 4]))])
        elif kind == 6:
            return self.reshaped(np.eye(4))
        else:
            pose = np.eye(4)[:3]
        return pose

    def poses(self):
        r = self.random
        if r.random() < 0.4:
            return self.pose()
        n = self.one_of([0, 1, 2, 3, 7, 7, 7, 7, 40])
        poses = np.repeat(np.eye(4)[None], n, 0)
        poses[:, :3, 3] = np.array([[r.uniform(-4, 4) for _ in range(3)] for _ in range(n)]).reshape(n, 3)
        return self.reshaped(poses) if r.random() < 0.3 else poses

    def vectors(self):
        r = self.random
        n = self.one_of([None, None, 0, 1, 7, 7, 300])
        values = np.array([[r.uniform(-3, 3) for _ in range(3)] for _ in range(n or 1)])[:n].reshape(-1, 3)
        values = values[0] if n is None else values
        return self.reshaped(values) if r.random() < 0.3 else values

    def tree(self):
        file = self.one_of(self.files)
        if self.random.random() < 0.2:
            return file
        try:
            return file[self.random.randrange(len(file))]
        except ValueError:  # it was closed
            return self.closed_tree

    def word(self):
        return self.one_of(["closest", "any", "all", "none", "back", "front", "default", "fast", "careful", "collide",
                            "within", "distance", "collide_first", "within_first", "minimum", "collide_any", "lower",
                            "interpolated", "box", "", "nonsense", "\0", "\ud800"])

    def shape(self):
        if self.random.random() < 0.25:
            return kiln.hull(self.vectors(), self.number())
        return self.one_of([kiln.box, kiln.sphere])(self.vectors(), self.one_of([self.vectors, self.number])()) \
            if self.random.random() < 0.6 else kiln.capsule(self.vectors(), self.vectors(), self.number())

    def bytes(self):
        data = bytearray(self.one_of(self.data))
        for _ in range(self.random.randrange(4)):
            data[self.random.randrange(len(data))] = self.random.randrange(256)
        if self.random.random() < 0.3:
            del data[self.random.randrange(len(data)):]
        return self.one_of([bytes, bytearray, memoryview])(bytes(data))

    def placed(self):
        counts, self.counts = self.counts, [1, 3]  # where one answer is for all, it would take long
        placed = [(self.tree(), self.poses()) for _ in range(self.random.randrange(5))]
        self.counts = counts
        if self.random.random() < 0.1:
            placed.append(self.anything())
        return self.one_of([list, tuple, iter])(placed)

    def pairs(self):
        values = np.array([[self.random.randrange(5), self.random.randrange(5)]
                           for _ in range(self.random.randrange(4))], np.uint32).reshape(-1, 2)
        return self.one_of([None, values, self.reshaped(values)])

    def hint(self):
        return self.one_of([None, self.kept[-1] if self.kept else None, [1, 2], [2 ** 32 - 1, 7]])

    def mask(self):
        limit = self.one_of([192, 192, 192, 192, 12, 1])
        values = np.array([self.random.random() < 0.7 for _ in range(limit)])
        return self.reshaped(values) if self.random.random() < 0.3 else values

    def filter(self):
        return self.one_of([None, self.mask(), lambda triangle, value: triangle % 3, Hostile(self.harm())])

    def pair_filter(self):
        return self.one_of([(self.mask(), None), (self.mask(), self.mask()), (None, self.filter()), self.filter(),
                            lambda a, b, of_a, of_b: (a + b) % 2])

    def mesh(self):
        vertices, triangles = self.one_of([cube, lambda: torus(2, 0.7, 6, 5)])()
        if self.random.random() < 0.6:
            vertices = self.reshaped(vertices) if self.random.random() < 0.5 else vertices
            triangles = self.reshaped(triangles) if self.random.random() < 0.5 else triangles
        return self.one_of([kiln.Mesh(vertices, triangles), (vertices, triangles),
                            (vertices, triangles, self.anything()), [kiln.Mesh(vertices, triangles, name="a")] * 2,
                            kiln.Mesh(vertices, triangles, None, ("a", "b"), self.one_of(["x", "\0", None, 5]))])

    def harm(self):
        return self.one_of([lambda: None, lambda: 3, lambda: np.eye(4), lambda: "x", self.close_one, gc.collect])

    def close_one(self):
        self.one_of(self.files).close()

    def anything(self):
        r = self.random
        kind = r.randrange(16)
        if kind < 3:
            return self.number()
        return [lambda: None, self.word, self.bytes, self.vectors, self.poses, self.tree, self.hint,
                lambda: self.one_of([self.closed, self.closed_tree]), lambda: Hostile(self.harm()),
                lambda: self.one_of([[], {}, (), [[]], {1: 2}, object(), len, (None,) * 4, [None], "pose", b"x"]),
                lambda: self.one_of([array.array("d", [1, 2, 3]), array.array("I", [1, 2]), ctypes.c_double(2),
                                     (ctypes.c_double * 4 * 3)(), (ctypes.c_float * 3)(), ctypes.create_string_buffer(9),
                                     memoryview(bytes(96)).cast("d", [3, 4]), memoryview(b"").cast("d")]),
                lambda: np.zeros([self.one_of([0, 1, 3, 4]) for _ in range(r.randrange(6))],
                                 self.one_of(["f8", "f4", "u4", "i8", "?", "O"])),
                lambda: self.one_of([kiln.Hit, kiln.Tree, kiln])][kind - 3]()

    # -------------------------------------------------------------------------------- calls

    def specify(self):
        """(function, [(name, maker), ...]); names of None are positional."""
        number, tree, pose, poses, vectors = self.number, self.tree, self.pose, self.poses, self.vectors
        two = [(None, tree), (None, pose), (None, tree), (None, pose)]
        many = [(None, tree), (None, poses), (None, tree), (None, poses)]
        threads = ("threads", lambda: self.one_of([0, 1, 1, 1, 1, 1, 1, 1, 2, 3]))
        some, pairs = ("filter", self.filter), ("filter", self.pair_filter)
        word = self.word
        bins, axes = kiln.Bins(), kiln.Axes()
        small = lambda: self.one_of([0, 1, 2, 5, 10, 33, 64])  # noqa: E731
        real = lambda: self.random.random() * 20  # noqa: E731
        rounding = ("rounding", lambda: self.one_of(["lower", "interpolated"]))
        mode = ("mode", lambda: self.one_of(["default", "fast", "careful"]))
        functions = [
            (kiln.collide, many + [("hint", self.hint), pairs, threads]),
            (kiln.within, many + [(None, number), ("hint", self.hint), pairs, threads]),
            (kiln.distance, many + [("beyond", number), ("relative", number), ("absolute", number),
                                    ("hint", self.hint), pairs, threads]),
            (kiln.contacts, two + [("geometry", lambda: self.random.random() < 0.5), ("limit", number), pairs]),
            (kiln.contact_regions, [(None, self.adjacency), (None, pose), (None, self.adjacency), (None, pose),
                                    ("limit", number), pairs]),
            (kiln.near_pairs, two + [(None, lambda: self.one_of([0, 0.1, 1, self.number()])), ("limit", number),
                                     pairs]),
            (kiln.self_contacts, [(None, tree), ("neighbours", lambda: self.one_of(["beyond", "never", "all"])),
                                  ("limit", number), ("filter", self.one_of([self.filter, self.pair_filter]))]),
            (kiln.contacts_summary, two + [pairs]), (kiln.collide_work, two), (kiln.collide_boxes, two),
            (kiln.locate_mesh, two),
            (kiln.collide_likely, two + [mode, ("threshold", number), ("steps", number), ("nanoseconds", number),
                                         ("hint", self.hint)]),
            (kiln.collide_counted, two + [mode, ("p_min", number), ("k_min", number), ("pairs", number)]),
            (kiln.batch, [(None, word), (None, self.placed), (None, self.pairs), ("distance", number),
                          ("beyond", number), threads]),
            (kiln.batch, [(None, lambda: "minimum"), (None, self.placed), threads]),
            (kiln.rays, [(None, tree), (None, vectors), (None, vectors), (None, pose),
                         ("find", lambda: self.one_of(["closest", "any", "all"])), ("t_min", number),
                         ("t_max", number), ("cull", lambda: self.one_of(["none", "back", "front"])), some,
                         threads]),
            (kiln.locate, [(None, tree), (None, vectors), (None, pose), threads]),
            (kiln.overlap, [(None, tree), (None, self.shape), (None, pose), (None, poses),
                            ("find", lambda: self.one_of(["any", "all"])), some, threads]),
            (kiln.spheres, [(None, tree), (None, vectors), (None, number), (None, poses), ("pose", pose),
                            ("find", lambda: self.one_of(["any", "each"])), some, threads]),
            (kiln.nearest, [(None, tree), (None, vectors), (None, pose), ("count", number), ("within", number),
                            ("beyond", number), ("normals", lambda: self.one_of([True, False])), some,
                            threads]),
            (kiln.signed_distance, [(None, tree), (None, vectors), (None, pose), ("beyond", number), some, threads]),
            (self.winding, [(None, vectors), (None, pose), ("accuracy", number), ("threshold", number),
                            ("count_closed", lambda: self.one_of([True, False])), threads]),
            (kiln.shape_distance, [(None, tree), (None, self.shape), (None, pose), (None, poses), ("beyond", number),
                                   ("relative", number), ("absolute", number), some, threads]),
            (kiln.shape_within, [(None, tree), (None, self.shape), (None, number), (None, pose), (None, poses), some,
                                 threads]),
            (kiln.pose, [(None, vectors), (None, vectors), (None, number)]),
            (kiln.dtype, [(None, lambda: self.one_of([kiln.Hit, "Nearest", kiln.Volume]))]),
            (bins.probability, [(None, small)] * 4),
            (bins.probabilities, [(None, real)] * 3 + [("count", small), rounding]),
            (bins.collision_bound, [(None, real)] * 3 + [(None, self.random.random), rounding]),
            (axes.zone, [(None, vectors), (None, lambda: self.one_of([0, 0.5, 1]))]),
            (self.attributes, [(None, tree)]),
            (self.tree_method, [(None, tree), (None, lambda: self.one_of([0, 1, 5, 11, 95, 191, 192, 2 ** 32 - 1]))]),
            (self.reopen, [(None, self.bytes), ("copy", lambda: True), ("memory_limit", number), threads]),
        ]
        rare = [(self.renew, [(None, tree)]),
                (kiln.Bins, [(None, self.bytes)]), (kiln.Axes, [(None, self.bytes)]),
                (kiln.bake, [(None, self.mesh), ("leaf", lambda: self.one_of([1, 4, 15, 16])),
                             ("bv", lambda: self.one_of(["obb", "aabb", "octree", "nonsense", "obb,,", "\0"]))]),
                (self.scene, [(None, tree), (None, tree), (None, poses), (None, poses)])]
        return functions * 12 + rare

    def attributes(self, tree):
        if type(tree) is kiln.File:
            repr(tree), tree.trees, tree.meta, tree.name, tree.closed
            return [t.kind for t in tree]
        repr(tree), hash(tree)
        for name in dir(kiln.Tree):
            value = getattr(tree, name)
        if self.kept:
            repr(self.kept[-1])
            for name in dir(self.kept[-1]):
                value = getattr(self.kept[-1], name)
        return value

    def tree_method(self, tree, number):
        if type(tree) is kiln.File:
            return tree.find(self.one_of([None, "model", "x", number]), self.one_of([None, "obb", "x", number]))
        return self.one_of([tree.source, tree.corners, tree.user, lambda _: tree.triangles(), tree.volumes,
                            lambda n: kiln.rays(tree.faster_rays(), (n, 0, 0), (1, 2, 3)), lambda n: tree == n])(number)

    def adjacency(self):
        return self.tree() if self.random.random() < 0.2 else self.one_of(self.adjacencies)

    def winding(self, *args, **named):
        return self.one_of(self.windings).number(*args, **named)

    def renew(self, *args, **named):
        winding = kiln.Winding(*args, **named)
        self.adjacencies[self.random.randrange(len(self.adjacencies))] = kiln.Adjacency(*args, **named)
        self.windings[self.random.randrange(len(self.windings))] = winding
        return winding

    def reopen(self, *args, **named):
        file = kiln.open(*args, **named)
        at = self.random.randrange(len(self.files))
        self.files[at] = file
        return file

    def scene(self, a, b, poses_a, poses_b):
        scene = kiln.Scene()
        scene.add("a", a, self.pose())
        scene.add("b", b, link="c")
        where = {"a": poses_a, "c": poses_b}
        return self.one_of([scene.collide_all, scene.collides, scene.min_distance, scene.path_collision,
                            scene.distances])(where)

    def call(self):
        r = self.random
        function, parts = self.functions[r.randrange(len(self.functions))]
        wrong = r.random() < 0.35
        positional, named = [], {}
        for name, make in parts:
            if name is not None and r.random() < 0.7:
                continue
            value = self.anything() if wrong and r.random() < 0.3 else make()
            if name is None:
                positional.append(value)
            else:
                named[name] = value
        if wrong and r.random() < 0.05:
            positional = positional[:r.randrange(len(positional) + 1)]
        if wrong and r.random() < 0.03:
            named[self.word() or "x"] = None
        try:
            answer = function(*positional, **named)
        except EXPECTED:
            return False
        if not isinstance(answer, (bool, int, float)) and r.random() < 0.05:
            self.kept.append(answer)
            del self.kept[:-30]
        return True


def disturb(fuzz, stop):
    """Queries what the main thread closes, and closes."""
    r = random.Random(5)
    poses = np.repeat(np.eye(4)[None], 40, 0)
    while not stop.is_set():
        at = r.randrange(len(fuzz.files))
        file = fuzz.files[at]
        try:
            kiln.distance(file, None, file, poses, threads=1)
            kiln.rays(file, np.zeros((50, 3)), np.ones((50, 3)), threads=1)
            if r.random() < 0.2:
                file.close()
                fuzz.files[at] = kiln.open(fuzz.data[r.randrange(len(fuzz.data))])
        except EXPECTED:
            fuzz.files[at] = kiln.open(fuzz.data[r.randrange(len(fuzz.data))])
        stop.wait(0.002)


def run(calls, seed):
    faulthandler.enable()
    np.seterr(all="ignore")
    import warnings
    warnings.simplefilter("ignore")
    sys.setswitchinterval(1e-4)
    fuzz = Fuzz(seed)
    stop = threading.Event()
    thread = threading.Thread(target=disturb, args=(fuzz, stop))
    thread.start()
    answered = 0
    try:
        for _ in range(calls):
            answered += fuzz.call()
    finally:
        stop.set()
        thread.join()
    return answered


if __name__ == "__main__":
    calls, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else int.from_bytes(os.urandom(3), "big")
    print(f"seed {seed}", flush=True)
    answered = run(calls, seed)
    print(f"{calls} calls, {answered} answered, {calls - answered} refused")
