"""Files, baking, errors; what is closed while it is used; the package without numpy."""
import inspect
import os
import subprocess
import sys
import tempfile
import threading
import unittest

import kiln
import numpy as np
from meshes import baked, cube, torus, tree

CUBE = b"v 0 0 0\nv 0 0 1\nv 0 1 0\nv 0 1 1\nv 1 0 0\nv 1 0 1\nv 1 1 0\nv 1 1 1\n" + b"".join(
    b"f %d %d %d\n" % tuple(corners + 1) for corners in cube()[1])


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def test_every_way_to_open(self):
        data, report = kiln.bake_bytes(torus(2, 0.7), bv="obb,aabb")
        self.assertEqual((report.outcome, report.faces, len(report.trees)), ("baked", 576, 2))
        self.assertEqual(report.bytes_file, len(data))
        with open(self.path("a.kiln"), "wb") as file:
            file.write(data)
        wanted = kiln.distance(kiln.open(data), None, tree("cube"), kiln.pose(translation=[5, 0, 0])).distance
        from pathlib import Path
        for source in (self.path("a.kiln"), Path(self.path("a.kiln")), data, bytearray(data), memoryview(data),
                       np.frombuffer(data, np.uint8)):
            for options in (dict(), dict(copy=True), dict(trusted=True), dict(threads=2), dict(threads=0)):
                with kiln.open(source, **options) as file:
                    self.assertEqual(len(file), 2)
                    self.assertEqual([t.kind for t in file], ["obb", "aabb"])
                    self.assertEqual(file.trees[1], file[1])
                    self.assertNotEqual(file[0], file[1])
                    self.assertEqual(len({*file.trees, *file.trees}), 2)
                    self.assertEqual(file.find(kind="aabb"), file[1])
                    self.assertEqual(kiln.distance(file, None, tree("cube"), kiln.pose(translation=[5, 0, 0])).distance,
                                     wanted)
                    self.assertEqual(file.meta["options"]["bv"], "obb,aabb")
        self.assertEqual(kiln.open(self.path("a.kiln")).name, self.path("a.kiln"))
        self.assertIsNone(kiln.open(data).name)
        with self.assertRaises(KeyError):
            kiln.open(data).find("nothing")
        with self.assertRaises(IndexError):
            kiln.open(data)[2]

    def test_errors_are_exceptions_that_fit(self):
        with self.assertRaises(FileNotFoundError) as caught:
            kiln.open(self.path("nothing"))
        self.assertIsInstance(caught.exception, kiln.Error)
        self.assertEqual((caught.exception.status, caught.exception.filename), (10, self.path("nothing")))
        with self.assertRaises(OSError) as caught:
            kiln.open(self.folder.name)
        self.assertEqual(caught.exception.status, 12)
        data = kiln.bake_bytes(cube())[0]
        for bad, status in ((b"", 22), (b"no kiln file at all" * 9, 20), (data[:-5], 22),
                            (data[:99] + bytes([data[99] ^ 1]) + data[100:], None)):
            with self.assertRaises(kiln.FormatError) as caught:
                kiln.open(bad)
            self.assertIsInstance(caught.exception, ValueError)
            if status:
                self.assertEqual(caught.exception.status, status)
        with self.assertRaises(kiln.LimitError):
            kiln.open(data, memory_limit=10)
        for bad in (3, None, [], "a\0b"):
            with self.assertRaises((TypeError, ValueError)):
                kiln.open(bad)
        with self.assertRaises(ValueError):
            kiln.open(data, threads=100000)
        with self.assertRaises(TypeError):
            kiln.open(data, nonsense=1)
        with self.assertRaises(TypeError):
            kiln.collide(tree("cube"), None, 5, None)
        with self.assertRaises(TypeError):
            kiln.collide(tree("cube"), None, tree("cube"))
        with self.assertRaises(TypeError):
            kiln.Tree()

    def test_trees_keep_their_file(self):
        a = kiln.bake(cube())[0]
        self.assertTrue(kiln.collide(a, None, a, None))
        self.assertEqual(a.bounds.tolist(), [[0, 0, 0], [1, 1, 1]])
        self.assertEqual((a.triangle_count, a.triangle_limit, a.closed, a.polygons), (12, 12, "closed", True))
        self.assertEqual(len(a.geometry_hash), 16)
        self.assertIs(type(a.file), kiln.File)

    def test_closed_files(self):
        file = kiln.bake(cube())
        a = file[0]
        file.close()
        file.close()
        self.assertTrue(file.closed)
        for call in (lambda: kiln.collide(a, None, a, None), lambda: a.bounds, lambda: file[0], lambda: len(file),
                     lambda: file.trees, lambda: a.triangles(), lambda: a.source(0), lambda: file.meta,
                     lambda: kiln.rays(a, [0, 0, 0], [1, 0, 0]), lambda: kiln.batch("collide", [(a, None), (a, None)]),
                     lambda: file.__enter__(), lambda: kiln.collide(tree("cube"), None, file, None)):
            with self.assertRaisesRegex(ValueError, "closed"):
                call()
        self.assertIn("closed", repr(file) + repr(a))

    def test_closed_while_it_is_used(self):
        # A query in another thread ends as if the file were open; the next one raises.
        data = kiln.bake_bytes(torus(2, 0.7))[0]
        poses = np.repeat(np.eye(4)[None], 3000, 0)
        for _ in range(6):
            file = kiln.open(data)
            answers, began = [], threading.Event()

            def ask():
                try:
                    while True:
                        began.set()
                        answers.append(kiln.distance(file, None, file, poses, threads=2)["distance"].max())
                except ValueError as error:
                    answers.append(str(error))

            threads = [threading.Thread(target=ask) for _ in range(3)]
            for thread in threads:
                thread.start()
            began.wait()
            file.close()
            for thread in threads:
                thread.join()
            self.assertEqual(set(answers) - {0.0}, {"the file is closed"})

    def test_arguments_that_close_the_file(self):
        a = kiln.bake(cube())

        class Closes:
            def __array__(self, *_):
                a.close()
                return np.eye(4)

        with self.assertRaisesRegex(ValueError, "closed"):
            kiln.collide(a, None, a, Closes())

    def test_triangles_and_sources(self):
        vertices, triangles = torus(2, 0.7)
        values = np.arange(len(triangles)) % 3
        a = kiln.bake((vertices, triangles, values, ["red", "green", "blue"], "tyre"))[0]
        self.assertEqual(a.triangles().tolist(), vertices[triangles].tolist())
        self.assertEqual(a.corners(7).tolist(), vertices[triangles[7]].tolist())
        self.assertEqual([a.user(i) for i in range(9)], values[:9].tolist())
        source = a.source(4)
        self.assertEqual((source.triangle, source.face, source.user, source.material, source.mesh_name),
                         (4, 4, 1, "green", "tyre"))
        with self.assertRaises(ValueError):
            a.source(len(triangles))
        volumes = a.volumes()
        self.assertEqual(volumes["triangles"][0], len(triangles))
        self.assertEqual(a.volumes(0).shape, (1,))
        for level in (1, 2, 99):
            self.assertEqual(a.volumes(level)["triangles"].sum(), len(triangles))
        corners = a.triangles().reshape(-1, 3)
        box = a.volumes(0)[0]
        self.assertTrue((np.abs((corners - box["centre"]) @ box["axes"].T) <= box["half"] * (1 + 1e-6)).all())


class Bakes(unittest.TestCase):
    def test_models_of_every_kind(self):
        vertices, triangles = cube()
        wanted = kiln.bake((vertices, triangles))[0].triangles().tolist()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "cube.obj")
            with open(path, "wb") as file:
                file.write(CUBE)
            for model in (path, kiln.Mesh(vertices, triangles), (vertices.astype(np.float64), triangles.astype(np.uint8)),
                          (vertices.tolist(), triangles.tolist()), [kiln.Mesh(vertices, triangles, name="a")],
                          (np.asfortranarray(vertices), triangles[:, ::-1].copy()[:, ::-1])):
                self.assertEqual(kiln.bake(model)[0].triangles().tolist(), wanted)
            self.assertEqual(kiln.bake(CUBE, format="obj")[0].triangles().tolist(), wanted)
            out = os.path.join(folder, "out.kiln")
            self.assertEqual(kiln.bake_file(path, out).outcome, "baked")
            self.assertEqual(kiln.bake_file(path, out, if_changed=True).outcome, "up to date")
            with open(out, "rb") as file:
                self.assertEqual(file.read(), kiln.bake_bytes(path)[0])
            with self.assertRaises(FileNotFoundError):
                kiln.open(os.path.join(folder, "no"))
            with self.assertRaises(OSError):
                kiln.bake(os.path.join(folder, "no.obj"))

    def test_several_parts(self):
        vertices, triangles = cube()
        parts = [kiln.Mesh(vertices + 3 * i, triangles, name=f"part {i}") for i in range(40)]
        a = kiln.bake(parts)[0]
        self.assertEqual(a.triangle_count, 480)
        self.assertEqual(a.source(479).mesh_name, "part 39")

    def test_what_is_no_mesh(self):
        vertices, triangles = cube()
        for bad in ((vertices, triangles + 1), (vertices, triangles - 1), (vertices, triangles * 1.0),
                    (vertices[:, :2], triangles), (vertices, triangles[:, :2]), (vertices, triangles, [1, 2]),
                    (vertices * np.nan, triangles), ("ab", triangles), (vertices, None), 5, [], [vertices],
                    (vertices, triangles, None, [3]), (vertices, triangles, None, ["a\0b"]), b"", (vertices,)):
            with self.assertRaises((ValueError, TypeError)):
                kiln.bake(bad)
        for bad in (dict(bv="nothing"), dict(leaf=99), dict(layout="odd"), dict(nonsense=1), dict(leaf="3"),
                    dict(scale=float("nan")), dict(bv=3), dict(progress=3), dict(leaf=-1)):
            with self.assertRaises((ValueError, TypeError)):
                kiln.bake((vertices, triangles), **bad)

    def test_progress(self):
        stages = []
        kiln.bake(torus(2, 0.7, 200, 100), progress=lambda stage, part: stages.append((stage, part)))
        self.assertIn("build obb", {stage for stage, _ in stages})
        self.assertTrue(all(0 <= part <= 1 for _, part in stages))
        with self.assertRaises(kiln.LimitError):
            kiln.bake(torus(2, 0.7), progress=lambda stage, part: False)
        with self.assertRaises(ZeroDivisionError):
            kiln.bake(torus(2, 0.7), progress=lambda stage, part: 1 / 0)


class Package(unittest.TestCase):
    def test_help_reads_well(self):
        import io
        import pydoc
        text = io.StringIO()
        pydoc.Helper(output=text).help(kiln)
        for name in kiln.__all__:
            if not name.startswith("_") and inspect.isbuiltin(getattr(kiln, name)):
                self.assertIn(f" {name}(", text.getvalue(), name)
                self.assertIsNotNone(inspect.signature(getattr(kiln, name)), name)
                self.assertTrue(getattr(kiln, name).__doc__, name)

    def test_stubs_name_what_there_is(self):
        import ast
        with open(os.path.join(os.path.dirname(kiln.__file__), "__init__.pyi")) as file:
            stubs = ast.parse(file.read())
        names = {}
        for node in stubs.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
                names[node.name] = node
        public = {name for name in kiln.__all__ if not inspect.ismodule(getattr(kiln, name))} - {"Scene"}
        self.assertEqual(set(names), public)
        for name, node in names.items():
            if isinstance(node, ast.FunctionDef):
                wanted = list(inspect.signature(getattr(kiln, name)).parameters)
                mine = [a.arg for a in node.args.args + node.args.kwonlyargs]
                mine += [node.args.kwarg.arg] if node.args.kwarg else []
                self.assertEqual(mine, wanted, name)
            else:
                for part in node.body:
                    if isinstance(part, ast.FunctionDef) and not part.name.startswith("__"):
                        self.assertTrue(hasattr(getattr(kiln, name), part.name), f"{name}.{part.name}")

    def test_reloaded(self):
        program = """
import importlib, kiln
old = kiln.bake(([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
importlib.reload(kiln)
assert kiln.collide(old, None, old, None)
try:
    kiln.locate(old, [0, 0, 0])
except kiln.InvalidError as error:
    assert error.status == 32
"""
        subprocess.run([sys.executable, "-c", program], check=True,
                       env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)})

    def test_without_numpy(self):
        program = """
import sys
sys.modules["numpy"] = None
import kiln
with kiln.open(sys.argv[1]) as file:
    hit = kiln.collide(file, None, file, None)
    assert hit and hit.found and repr(hit).startswith("kiln.Hit(found=True")
    assert kiln.distance(file, None, file, None).distance == 0
    import array
    pose = memoryview(array.array("d", [1, 0, 0, 9, 0, 1, 0, 0, 0, 0, 1, 0])).cast("B").cast("d", [3, 4])
    assert kiln.distance(file, None, file, pose).distance == 8
    try:
        file[0].bounds
    except ImportError as error:
        assert "numpy" in str(error)
    else:
        raise SystemExit("no ImportError")
"""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.kiln")
            kiln.bake_file(cube(), path)
            subprocess.run([sys.executable, "-c", program, path], check=True,
                           env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)})


if __name__ == "__main__":
    unittest.main()
