"""Answers: many at once are those of single calls, of every kind of tree and number of threads, and of the command."""
import ctypes
import os
import subprocess
import tempfile
import unittest

import kiln
import numpy as np
from meshes import baked, cube, random_poses, torus, tree

I = np.eye(4)


def fields(records):
    """All fields of an array of records, or of one, to compare."""
    return {name: fields(records[name]) if records[name].dtype.names else records[name].tolist()
            for name in records.dtype.names}


class Poses(unittest.TestCase):
    def test_quaternions_are_matrices(self):
        half = np.sqrt(0.5)
        self.assertTrue(np.allclose(kiln.pose([0, 0, half, half], [1, 2, 3]),
                                    [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]]))
        self.assertEqual(kiln.pose().tolist(), I.tolist())
        self.assertEqual(kiln.pose(np.zeros((5, 4)) + [0, 0, 0, 1], [1, 2, 3], 2.0).shape, (5, 4, 4))
        for bad in ([0, 0, 0, 0.5], [np.nan, 0, 0, 1], [0, 0, 1]):
            with self.assertRaises(ValueError):
                kiln.pose(bad)
        for bad in ({"scale": 0}, {"scale": -1}, {"scale": [1, np.inf]}, {"scale": np.nan}, {"translation": [0, np.nan, 0]}):
            with self.subTest(bad=bad), self.assertRaisesRegex(ValueError, "finite"):
                kiln.pose(**bad)

    def test_matrices_of_every_layout(self):
        a, b = tree("torus"), tree("ring")
        pose = random_poses(np.random.default_rng(1), 1, 2)[0]
        wanted = kiln.distance(a, None, b, pose).distance
        backwards = pose[::-1, ::-1].copy()[::-1, ::-1]
        wide = np.zeros((8, 8))
        wide[::2, ::2] = pose
        for same in (pose[:3], np.asfortranarray(pose), pose.tolist(), backwards, wide[::2, ::2],
                     pose.astype(">f8"), memoryview(pose), pose.astype(np.longdouble),
                     (ctypes.c_double * 4 * 4)(*map(tuple, pose.tolist()))):  # which says nothing of strides
            self.assertEqual(kiln.distance(a, None, b, same).distance, wanted)
        self.assertEqual(kiln.distance(a, None, b, I.astype(np.float32)).distance,
                         kiln.distance(a, None, b, I.astype(int)).distance)

    def test_scale_is_that_of_the_matrix(self):
        a = tree("cube")
        for scale in (2.0 ** -30, 1e-3, 0.3, 1.0, 2.0, 7.7, 2.0 ** 30):
            q = random_poses(np.random.default_rng(2), 1, 0)[0]
            q[:3, 3] = 3 * scale, 0, 0
            with self.subTest(scale=scale):
                d = kiln.distance(a, np.diag([scale, scale, scale, 1]), a, np.diag([scale, scale, scale, 1]) @ [
                    [1, 0, 0, 3], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]).distance
                self.assertAlmostEqual(d / scale, 2, delta=1e-13)
                q[:3, :3] *= scale
                self.assertTrue(kiln.collide(a, q, a, q))
        # Powers of two add no rounding: the answer is that of the mesh at twice the size.
        pose = random_poses(np.random.default_rng(3), 1, 3)[0]
        twice = pose * [[2], [2], [2], [1]]
        self.assertEqual(kiln.distance(a, np.diag([2.0, 2, 2, 1]), a, twice).distance,
                         2 * kiln.distance(a, None, a, pose).distance)

    def test_matrices_that_are_no_rotations(self):
        a = tree("cube")
        far = lambda *scales: np.diag([*scales, 1.0]) + [[0, 0, 0, 9], [0] * 4, [0] * 4, [0] * 4]  # noqa: E731
        at = kiln.distance(a, None, a, far(1, 1, 1)).distance
        for scales in ((1, 3, 0.25), (1, -1, 1), (1, 1, -7)):
            self.assertEqual(kiln.distance(a, None, a, far(*scales)).distance, at, scales)
        front = kiln.rays(a, [9, 0.1, 0.2], [-1, 0, 0], None)
        mirrored = kiln.rays(a, [9, 0.1, -0.2], [-1, 0, 0], np.diag([1, 1, -1, 1.0]))
        self.assertEqual((front.side, mirrored.side), (kiln.Side.FRONT, kiln.Side.BACK))
        np.testing.assert_array_equal(mirrored.normal, -np.asarray(front.normal))

    def test_what_is_no_pose(self):
        a = tree("cube")
        for bad in (np.diag([1, 1, 0, 1.0]), np.diag([1, 1, 1e-10, 1]), np.zeros((4, 4)), np.full((4, 4), np.nan), np.full((4, 4), np.inf),
                    np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]]), np.diag([1e-12] * 3 + [1]),
                    np.array([[1, 0, 0, 1e61], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]]),
                    np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 2.0]])):
            many = np.stack([I, I, bad, I])
            for call in (lambda: kiln.collide(a, None, a, bad), lambda: kiln.distance(a, bad, a, None),
                         lambda: kiln.rays(a, [0, 0, 5], [0, 0, 1], bad), lambda: kiln.locate(a, [[0, 0, 0]], bad),
                         lambda: kiln.contacts(a, bad, a, None), lambda: kiln.overlap(a, kiln.sphere([0, 0, 0], 1), bad)):
                with self.assertRaises(ValueError):
                    call()
            with self.assertRaisesRegex(ValueError, r"pose_b\[2\]"):
                kiln.collide(a, None, a, many)
            with self.assertRaises(ValueError):
                kiln.batch("minimum", [(a, None), (a, many)])
        for shape in ((4,), (2, 2), (4, 3), (2, 4, 3), (1, 1, 4, 4), (0,)):
            with self.assertRaises(ValueError):
                kiln.collide(a, None, a, np.zeros(shape))
        with self.assertRaisesRegex(ValueError, "2 poses .* 3"):
            kiln.collide(a, np.stack([I] * 2), a, np.stack([I] * 3))


class PairQueries(unittest.TestCase):
    def test_many_are_single_ones(self):
        random = np.random.default_rng(4)
        for scale in (False, True):
            poses_a, poses_b = random_poses(random, 60, 1.5, scale), random_poses(random, 60, 1.5, scale)
            a, b = tree("torus"), tree("ring")
            for threads in (1, 3):
                hits = kiln.collide(a, poses_a, b, poses_b, threads=threads)
                near = kiln.within(a, poses_a, b, poses_b, 0.3, threads=threads)
                nearest = kiln.distance(a, poses_a, b, poses_b, threads=threads)
                self.assertEqual(hits.shape, (60,))
                for i in range(60):
                    one = kiln.collide(a, poses_a[i], b, poses_b[i])
                    self.assertEqual((one.found, one.a, one.b), (hits["found"][i], hits["a"][i], hits["b"][i]))
                    self.assertEqual(bool(kiln.within(a, poses_a[i], b, poses_b[i], 0.3)), near["found"][i])
                    one = kiln.distance(a, poses_a[i], b, poses_b[i])
                    self.assertEqual(one.distance, nearest["distance"][i])
                    self.assertEqual(float(one), one.distance)
                    if not hits["found"][i]:
                        self.assertEqual((one.a, one.b), (nearest["a"][i], nearest["b"][i]))
                        self.assertEqual(one.point_a.tolist(), nearest["point_a"][i].tolist())
                        self.assertAlmostEqual(np.linalg.norm(one.point_a - one.point_b), one.distance, delta=1e-12)
                self.assertEqual((nearest["distance"] == 0).tolist(), hits["found"].tolist())
            self.assertTrue(0 < hits["found"].sum() < 60)

    def test_one_side_may_stand(self):
        a, b = tree("torus"), tree("ring")
        poses = random_poses(np.random.default_rng(5), 30, 2)
        wanted = kiln.distance(a, np.stack([I] * 30), b, poses)["distance"].tolist()
        self.assertEqual(kiln.distance(a, None, b, poses)["distance"].tolist(), wanted)
        self.assertEqual(kiln.distance(a, I[:3], b, poses[:, :3])["distance"].tolist(), wanted)
        self.assertEqual(kiln.distance(b, poses, a, None)["distance"].tolist(), wanted)
        self.assertEqual(kiln.distance(a, None, b, poses[::-1])["distance"].tolist(), wanted[::-1])
        self.assertEqual(kiln.collide(a, None, b, poses[:0]).shape, (0,))
        self.assertEqual(kiln.collide(a, None, b, poses[:1]).shape, (1,))

    def test_kinds_of_tree_agree(self):
        poses = random_poses(np.random.default_rng(6), 50, 2)
        wanted = kiln.distance(tree("torus"), None, tree("ring"), poses)["distance"].tolist()
        for kind in ("aabb", "dop14"):
            other = kiln.distance(tree("torus", kind), None, tree("ring", kind), poses)["distance"].tolist()
            self.assertEqual(other, wanted)

    def test_parts_of_a_long_batch(self):
        # Longer than what is asked at once, with the one bad or touching pose behind it.
        a = tree("cube")
        poses = np.repeat(kiln.pose(translation=[9, 0, 0])[None], 20000, 0)
        poses[17001, 0, 3] = 0.5
        hits = kiln.collide(a, None, a, poses)
        self.assertEqual(np.flatnonzero(hits["found"]).tolist(), [17001])
        where, hit = kiln.batch("collide_any", [(a, None), (a, poses)])
        self.assertEqual((where, hit.found, hit.placed_a, hit.placed_b), (17001, True, 0, 1))
        poses[18003, 0, 0] = 0
        with self.assertRaisesRegex(ValueError, r"pose_b\[18003\]"):
            kiln.distance(a, None, a, poses)

    def test_options(self):
        a = tree("cube")
        far = kiln.pose(translation=[5, 0, 0])
        self.assertFalse(kiln.distance(a, None, a, far, beyond=1).found)
        self.assertEqual(kiln.distance(a, None, a, far, beyond=1).distance, 1)
        self.assertEqual(kiln.distance(a, None, a, far, beyond=5).distance, 4)
        self.assertLessEqual(kiln.distance(a, None, a, far, relative=0.1).distance, 4.4)
        first = kiln.distance(a, None, a, far)
        for hint in (first, first.hint, [0, 0], kiln.collide(a, None, a, None), None):
            self.assertEqual(kiln.distance(a, None, a, far, hint=hint).distance, 4)
        for bad in (dict(beyond=-1), dict(beyond=np.nan), dict(relative=-1), dict(absolute=np.inf)):
            with self.assertRaisesRegex(ValueError, list(bad)[0] + " is to be "):
                kiln.distance(a, None, a, far, **bad)
        for bad in (-1, np.nan):
            with self.assertRaisesRegex(ValueError, "distance is to be a number of at least 0"):
                kiln.within(a, None, a, far, bad)
            with self.assertRaisesRegex(ValueError, "distance is to be a number of at least 0"):
                kiln.batch("within", [(a, None), (a, far)], distance=bad)
        self.assertTrue(kiln.within(a, None, a, far, 4))
        self.assertFalse(kiln.within(a, None, a, far, 3.999))

    def test_contacts(self):
        a = b = tree("torus")
        pose = kiln.pose(translation=[2, 0, 0])
        contacts = kiln.contacts(a, None, b, pose)
        pairs = kiln.contacts(a, None, b, pose, geometry=False)
        summary = kiln.contacts_summary(a, None, b, pose)
        self.assertGreater(len(contacts), 256)  # more than there is room for at first
        self.assertEqual(summary.count, len(contacts))
        self.assertEqual(summary.depth, contacts["depth"].max())
        for name in ("a", "b", "value_a", "value_b"):
            self.assertEqual(contacts[name].tolist(), pairs[name].tolist())
        order = list(zip(contacts["a"].tolist(), contacts["b"].tolist()))
        self.assertEqual(order, sorted(set(order)))
        self.assertTrue(np.allclose(np.linalg.norm(contacts["normal"], axis=1), 1))
        ends = np.concatenate([contacts["start"], contacts["end"]])
        self.assertEqual(summary.lower.tolist(), ends.min(0).tolist())
        self.assertEqual(kiln.contacts(a, None, b, pose, limit=7)["a"].tolist(), contacts["a"][:7].tolist())
        self.assertEqual(len(kiln.contacts(a, None, b, pose, limit=0)), 0)
        self.assertEqual(len(kiln.contacts(a, None, b, kiln.pose(translation=[50, 0, 0]))), 0)

    def test_contact_regions(self):
        c = kiln.Adjacency(tree("cube"))
        # A cube that is a tenth deep in the top of another one that is four times as large.
        ground = np.diag([4, 4, 4, 1.0])
        regions = kiln.contact_regions(c, kiln.pose(translation=[1, 1, 3.9]), c, ground)
        self.assertEqual((regions.shape, regions.dtype), ((1,), kiln.dtype(kiln.Region)))
        region = regions[0]
        self.assertTrue(np.allclose(region["normal"], [0, 0, 1]) and not region["touching"] and not region["open"])
        self.assertAlmostEqual(region["depth"], 0.1, delta=1e-6)
        self.assertAlmostEqual(region["area"], 1, delta=1e-6)
        self.assertAlmostEqual(region["length"], 4, delta=1e-6)
        self.assertTrue(np.allclose(region["centroid"], [1.5, 1.5, 3.95]))
        self.assertEqual((region["point_count"], region["curves"], region["id"]), (4, 1, 1))
        self.assertEqual(region["points"].dtype, kiln.dtype(kiln.RegionPoint))
        self.assertEqual(sorted(np.round(region["points"]["position"], 6).tolist()),
                         [[x, y, 3.95] for x in (1, 2) for y in (1, 2)])
        self.assertTrue(np.allclose(region["points"]["depth"], 0.1))
        resting = kiln.contact_regions(c, kiln.pose(translation=[1, 1, 4]), c, ground)
        self.assertEqual((resting["touching"].tolist(), resting["depth"].tolist()), ([True], [0]))
        self.assertEqual(len(kiln.contact_regions(c, None, c, kiln.pose(translation=[5, 0, 0]))), 0)
        self.assertEqual(len(kiln.contact_regions(c, kiln.pose(translation=[1, 1, 1]), c, ground)), 0)

    def test_contact_regions_of_many_pairs(self):
        a, b = tree("torus"), tree("ring")
        kept = kiln.Adjacency(a), kiln.Adjacency(b)
        most = 0
        for pose in random_poses(np.random.default_rng(18), 30, 2):
            regions = kiln.contact_regions(kept[0], None, kept[1], pose)
            self.assertEqual(fields(regions), fields(kiln.contact_regions(a, None, b, pose)))
            self.assertEqual(fields(regions), fields(kiln.contact_regions(tree("torus", "aabb"), None, kept[1], pose)))
            self.assertEqual(fields(kiln.contact_regions(kept[0], None, kept[1], pose, limit=1)), fields(regions[:1]))
            self.assertEqual(int(regions["pairs"].sum()), len(kiln.contacts(a, None, b, pose)))
            self.assertTrue((np.diff(regions["depth"]) <= 0).all())
            other = kiln.contact_regions(kept[1], pose, kept[0], None)
            self.assertEqual((other["depth"].tolist(), other["normal"].tolist()),
                             (regions["depth"].tolist(), (-regions["normal"]).tolist()))
            most = max(most, len(regions))
        self.assertGreater(most, 1)
        # More than there is room for at first: of pairs, and of regions.
        fine = kiln.bake(torus(2, 0.7, 200, 60))[0]
        crossing = kiln.contact_regions(fine, None, fine, kiln.pose(translation=[0.03, 0.01, 0.02]))
        self.assertGreater(crossing["pairs"].sum(), 1024)
        corners, faces = cube(0.1)
        teeth = kiln.bake((np.concatenate([corners + [0.3 * i, 0.05, 0] for i in range(40)]),
                           np.concatenate([faces + 8 * i for i in range(40)])))[0]
        bar = kiln.pose(translation=[-1, -1, 0.05], scale=30)
        self.assertEqual(len(kiln.contact_regions(teeth, None, tree("cube"), bar)), 40)
        self.assertEqual(len(kiln.contact_regions(teeth, None, tree("cube"), bar, limit=20)), 20)

    def test_regions_match(self):
        corners, faces = cube(1)
        feet = kiln.bake((np.concatenate([corners, corners + [9, 0, -0.1]]), np.concatenate([faces, faces + 8])))[0]
        feet, ground = kiln.Adjacency(feet), kiln.Adjacency(tree("cube"))
        low = np.diag([80, 80, 1, 1.0])
        before, next = None, 1
        for step in range(5):  # two feet slide
            found = kiln.contact_regions(feet, kiln.pose(translation=[9 + 0.2 * step, 9, 0.95]), ground, low)
            regions, next = kiln.regions_match(before, np.concatenate([found, found[:0]]), next)
            self.assertEqual((len(set(regions["id"])), next, found["depth"].tolist()), (2, 3, regions["depth"].tolist()))
            if before is not None:
                self.assertEqual(regions["id"].tolist(), before["id"].tolist())
            before = regions
        ids = before["id"].tolist()
        self.assertEqual(kiln.regions_match(before[::-1], found, 3)[0]["id"].tolist(), ids)
        self.assertEqual((kiln.regions_match(before[:1], found, 50)[0]["id"].tolist()), [ids[0], 50])
        empty = np.zeros(0, kiln.dtype(kiln.Region))
        none, kept = kiln.regions_match(before, empty, 9)
        self.assertEqual((none.shape, none.dtype, kept), ((0,), empty.dtype, 9))
        for bad in (5, [1], np.zeros(3), np.zeros((1, 1), kiln.dtype(kiln.Region)), b"x" * 1000):
            with self.assertRaises(TypeError):
                kiln.regions_match(before, bad)
            with self.assertRaises(TypeError):
                kiln.regions_match(bad, before)
        for bad in (-1, 2 ** 64, 0.5, "x", None):
            with self.assertRaises((TypeError, ValueError, OverflowError)):
                kiln.regions_match(None, before, bad)

    def test_adjacency_keeps_its_file(self):
        file = kiln.open(kiln.bake_bytes(cube())[0])
        adjacency = kiln.Adjacency(file[0])
        file.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            kiln.contact_regions(file, None, adjacency, None)
        del file
        self.assertEqual(len(kiln.contact_regions(adjacency, None, adjacency, kiln.pose(translation=[0.9, 0.1, 0.2]))), 1)
        wide = kiln.contact_regions(adjacency, np.diag([2, -1, 1, 1.0]), adjacency, kiln.pose(translation=[1.9, -0.4, 0.2]))
        self.assertAlmostEqual(wide[0]["depth"], 0.1, delta=1e-6)
        for bad in (np.diag([1, 0, 1, 1.0]), np.zeros((4, 4))):
            with self.assertRaisesRegex(ValueError, "pose_a"):
                kiln.contact_regions(adjacency, bad, adjacency, None)
            with self.assertRaisesRegex(ValueError, "pose_b"):
                kiln.contact_regions(adjacency, None, adjacency, bad)
        for bad in (None, "x", kiln.Winding(tree("cube"))):
            with self.assertRaises(TypeError):
                kiln.Adjacency(bad)
            with self.assertRaises(TypeError):
                kiln.contact_regions(bad, None, adjacency, None)

    def test_near_pairs(self):
        a, b = tree("ring"), tree("cube")
        pose_a, pose_b = random_poses(np.random.default_rng(17), 2, 1, True)
        near = kiln.near_pairs(a, pose_a, b, pose_b, 0.6)
        self.assertEqual(near.dtype, kiln.dtype(kiln.Pair))
        order = list(zip(near["a"].tolist(), near["b"].tolist()))
        self.assertEqual(order, sorted(set(order)))
        ones = [kiln.bake((corners, [[0, 1, 2]]))[0] for corners in b.triangles()]
        singles = [(i, k) for i, corners in enumerate(a.triangles()[:60])
                   for alone in [kiln.bake((corners, [[0, 1, 2]]))[0]]
                   for k, other in enumerate(ones) if kiln.distance(alone, pose_a, other, pose_b).distance <= 0.6]
        self.assertEqual([pair for pair in order if pair[0] < 60], singles)
        self.assertTrue(0 < len(singles) < 60 * 12)
        # More than there is room for at first; those within 0 are the contacts.
        everything = kiln.near_pairs(a, pose_a, b, pose_b, np.inf)
        self.assertEqual(len(everything), a.triangle_count * b.triangle_count)
        self.assertEqual(fields(kiln.near_pairs(a, None, a, pose_b, 0)), fields(kiln.contacts(a, None, a, pose_b, geometry=False)))
        self.assertEqual(fields(kiln.near_pairs(a, pose_a, b, pose_b, 0.6, limit=3)), fields(near[:3]))
        self.assertEqual(fields(kiln.near_pairs(tree("ring", "aabb"), pose_a, tree("cube", "dop14"), pose_b, 0.6)), fields(near))
        for bad in (-1, np.nan):
            with self.assertRaisesRegex(ValueError, "distance is to be a number of at least 0"):
                kiln.near_pairs(a, None, b, None, bad)
        with self.assertRaisesRegex(ValueError, "pose_b"):
            kiln.near_pairs(a, None, b, np.zeros((4, 4)), 1)
        with self.assertRaises(TypeError):
            kiln.near_pairs(a, None, b, None)

    def test_self_contacts(self):
        sound = tree("torus")
        self.assertEqual(len(kiln.self_contacts(sound)), 0)
        near = kiln.self_contacts(sound, neighbours="all")
        self.assertGreater(len(near), 256)
        self.assertEqual(set(near["kind"].tolist()), {kiln.SelfKind.TOUCHING})
        self.assertEqual(set(near["shared"].tolist()), {1, 2})
        self.assertTrue((near["a"] < near["b"]).all())
        order = list(zip(near["a"].tolist(), near["b"].tolist()))
        self.assertEqual(order, sorted(set(order)))
        self.assertEqual(kiln.self_contacts(sound, neighbours="all", limit=5)["a"].tolist(), near["a"][:5].tolist())
        vertices = np.float32([[0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 1, -1], [1, 1, 1], [2, 1, 1],
                               [1, 1, 0], [5, 1, 0], [1, 5, 0]])
        folded = kiln.bake((vertices, np.uint32([[0, 1, 2], [3, 4, 5], [6, 7, 8], [2, 0, 1]])))[0]
        found = kiln.self_contacts(folded)
        kinds = {(int(a), int(b)): kiln.SelfKind(int(k)) for a, b, k in zip(found["a"], found["b"], found["kind"])}
        self.assertEqual(kinds[0, 1], kiln.SelfKind.CROSSING)
        self.assertEqual(kinds[0, 2], kiln.SelfKind.OVERLAPPING)
        self.assertEqual(kinds[0, 3], kiln.SelfKind.DUPLICATE)
        self.assertEqual(kinds[1, 2], kiln.SelfKind.TOUCHING)
        self.assertNotIn((0, 3), [(int(p["a"]), int(p["b"])) for p in kiln.self_contacts(folded, neighbours="never")])
        with self.assertRaises(ValueError):
            kiln.self_contacts(folded, neighbours="some")

    def test_time_critical_ones(self):
        a, b = tree("torus"), tree("ring")
        for pose in random_poses(np.random.default_rng(7), 40, 2):
            exact = bool(kiln.collide(a, None, b, pose))
            proved = kiln.collide_likely(a, None, b, pose, threshold=np.inf)
            self.assertEqual((proved.verdict, proved.proved), (kiln.Verdict(exact), True))
            early = kiln.collide_likely(a, None, b, pose)
            if early.verdict == kiln.Verdict.NO:
                self.assertFalse(exact)
            self.assertTrue(kiln.collide_boxes(a, None, b, pose) or not exact)
            hit, work = kiln.collide_work(a, None, b, pose)
            self.assertEqual(hit.found, exact)
            self.assertGreater(work.volume_pairs, 0)
        self.assertEqual(kiln.collide_likely(a, None, b, None, steps=1, threshold=np.inf).steps, 1)
        with self.assertRaises(ValueError):
            kiln.collide_counted(a, None, b, None)  # baked without counts
        counted = kiln.bake(torus(2, 0.7), adb=8)
        answer = kiln.collide_counted(counted, None, counted, None, mode="careful")
        self.assertEqual(answer.verdict, kiln.Verdict.YES)

    def test_answers_of_the_command(self):
        command = os.environ.get("KILN")
        if not command:
            self.skipTest("KILN is not set")
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("a.kiln", "b.kiln")]
            kiln.bake_file(torus(2, 0.7, bumps=0.2), paths[0])
            kiln.bake_file(torus(1, 0.3), paths[1])
            poses = random_poses(np.random.default_rng(8), 40, 2)
            with open(os.path.join(folder, "poses"), "w") as file:
                for pose in poses:
                    print(*map(repr, pose[:3].ravel().tolist()), file=file)
            said = subprocess.run([command, "collide", *paths, "--poses", os.path.join(folder, "poses"), "--mode",
                                   "distance"], check=True, capture_output=True, text=True).stdout
            with kiln.open(paths[0]) as a, kiln.open(paths[1], copy=True) as b:
                distances = kiln.distance(a, None, b, poses)["distance"]
            words = [line.split() for line in said.splitlines()]
            self.assertEqual(len(words), 40)
            for line, distance in zip(words, distances):
                self.assertEqual(int(line[0]), distance == 0)
                self.assertAlmostEqual(float(line[1]), distance, delta=1e-6)


class MeshQueries(unittest.TestCase):
    def test_faster_rays(self):
        random = np.random.default_rng(10)
        origins, directions = random.uniform(-4, 4, (300, 3)), random.normal(size=(300, 3))
        for pose in (None, random_poses(random, 1, 0.5)[0]):
            a = tree("torus")
            fast = a.faster_rays()
            self.assertNotEqual(a, fast)
            self.assertEqual((fast.file, fast.kind, fast.triangle_count), (a.file, a.kind, a.triangle_count))
            for find in ("closest", "any"):
                self.assertEqual(kiln.rays(a, origins, directions, pose, find=find).tobytes(),
                                 kiln.rays(fast, origins, directions, pose, find=find).tobytes())
            again = fast.faster_rays()
            del fast, a
            self.assertTrue(kiln.rays(again, origins, directions, pose)["found"].any())
        file = kiln.open(kiln.bake_bytes(cube(), bv="aabb")[0])
        fast = file[0].faster_rays()
        file.close()
        self.assertRaises(ValueError, kiln.rays, fast, (0, 0, 0), (1, 0, 0))
        self.assertRaises(ValueError, fast.faster_rays)

    def test_rays(self):
        a = tree("torus")
        random = np.random.default_rng(9)
        origins, directions = random.uniform(-4, 4, (200, 3)), random.normal(size=(200, 3))
        pose = random_poses(random, 1, 0.5)[0]
        hits = kiln.rays(a, origins, directions, pose)
        some = kiln.rays(a, origins, directions, pose, find="any", threads=2)
        every, offsets = kiln.rays(a, origins, directions, pose, find="all")
        self.assertEqual(hits["found"].tolist(), some["found"].tolist())
        self.assertEqual(offsets.shape, (201,))
        corners = a.triangles().astype(np.float64) @ pose[:3, :3].T + pose[:3, 3]
        for i in range(200):
            one = kiln.rays(a, origins[i], directions[i], pose)
            self.assertEqual((one.found, one.triangle, one.t), (hits["found"][i], hits["triangle"][i], hits["t"][i]))
            mine = every[int(offsets[i]):int(offsets[i + 1])]
            self.assertEqual(len(mine) > 0, bool(one))
            if one:
                self.assertEqual(mine["t"][0], one.t)
                point = origins[i] + one.t * directions[i]
                self.assertTrue(np.allclose(one.weights @ corners[one.triangle], point, atol=1e-9))
                self.assertEqual(one.side, kiln.Side.FRONT if one.normal @ directions[i] < 0 else kiln.Side.BACK)
        self.assertTrue(20 < hits["found"].sum() < 180)
        # One origin for many directions, ends of each, culling.
        self.assertEqual(kiln.rays(a, [9, 0, 0], [[-1, 0, 0], [1, 0, 0]], t_max=[100, 1])["found"].tolist(),
                         [True, False])
        self.assertFalse(kiln.rays(a, [9, 0, 0], [-1, 0, 0], t_max=1))
        self.assertEqual(kiln.rays(a, [9, 0, 0], [-1, 0, 0], cull="front").side, kiln.Side.BACK)
        with self.assertRaisesRegex(ValueError, "query 1"):
            kiln.rays(a, [9, 0, 0], [[1, 0, 0], [0, 0, 0]])
        with self.assertRaises(ValueError):
            kiln.rays(a, np.zeros((3, 3)), np.ones((2, 3)))

    def test_points(self):
        a = tree("cube")
        points = np.random.default_rng(10).uniform(-0.5, 1.5, (300, 3))
        inside = ((points > 0) & (points < 1)).all(1)
        self.assertEqual(kiln.locate(a, points).tolist(), inside.astype(int).tolist())
        self.assertIs(kiln.locate(a, [0.5, 0.5, 0.5]), kiln.Place.INSIDE)
        self.assertIs(kiln.locate(a, [0.5, 0.5, 1]), kiln.Place.SURFACE)
        self.assertIs(kiln.locate(a, [0.5, 0.5, 1.5], kiln.pose(translation=[0, 0, 1])), kiln.Place.INSIDE)
        self.assertIs(kiln.locate_mesh(tree("torus"), np.diag([9, 9, 9, 1.0]), a, kiln.pose(translation=[18, 0, 0])),
                      kiln.Place.INSIDE)
        flat = kiln.bake(([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
        with self.assertRaisesRegex(ValueError, "not closed"):
            kiln.locate(flat, [0, 0, 0])

    def test_shapes(self):
        a = tree("cube")
        self.assertTrue(kiln.overlap(a, kiln.sphere([2, 0.5, 0.5], 1)))
        self.assertFalse(kiln.overlap(a, kiln.sphere([2.1, 0.5, 0.5], 1)))
        self.assertFalse(kiln.overlap(a, kiln.box([0.2, 0.2, 0.2], [0.8, 0.8, 0.8])))  # within the surface
        self.assertTrue(kiln.overlap(a, kiln.capsule([3, 0, 0], [1.5, 0, 0], 0.5)))
        self.assertEqual(len(kiln.overlap(a, kiln.box([-1, -1, -1], [2, 2, 2]), find="all")), 12)
        radii = np.linspace(0.5, 1.5, 11)
        hits = kiln.overlap(a, kiln.sphere([2, 0.5, 0.5], radii))
        self.assertEqual(hits["found"].tolist(), (radii >= 1).tolist())
        moved = kiln.pose(translation=[[0, 0, 0], [5, 0, 0], [0, 0.5, 0]])
        self.assertEqual(kiln.overlap(a, kiln.box([0.5, 0.5, -1], [0.6, 0.6, 2]), None, moved)["found"].tolist(),
                         [True, False, True])
        with self.assertRaises(ValueError):
            kiln.overlap(a, kiln.box([1, 1, 1], [0, 0, 0]))
        with self.assertRaises(TypeError):
            kiln.overlap(a, ([0, 0, 0], 1))


    def test_shape_distance(self):
        a = tree("torus")
        rng = np.random.default_rng(16)
        points, pose = rng.uniform(-4, 4, (60, 3)), random_poses(rng, 1, 1, True)[0]
        moves = random_poses(rng, 60, 4)
        # A point is a hull of one vertex, and a ball of radius 0.
        nearest = kiln.nearest(a, points, pose)["distance"]
        balls = kiln.shape_distance(a, kiln.sphere(points, 0.1), pose, threads=2)
        self.assertTrue(np.allclose(balls["distance"], np.maximum(nearest - 0.1, 0), atol=1e-10))
        for shape, overlapping in ((kiln.box([-0.2, -0.1, -0.3], [0.5, 0.4, 0.3]), True),
                                   (kiln.capsule([0, 0, 0], [1, 0, 0], 0.2), True),
                                   (kiln.hull(rng.normal(size=(30, 3)) / 4), True),
                                   (kiln.hull([[0, 0, 0], [1, 0, 0], [0, 1, 0]], 0.1), True)):
            answers = kiln.shape_distance(a, shape, pose, moves)
            meets = kiln.overlap(a, shape, pose, moves)["found"]
            self.assertEqual((answers["distance"] == 0).tolist(), meets.tolist())
            self.assertTrue(0 < meets.sum() < 60 and answers["found"].all())
            self.assertEqual(fields(kiln.shape_distance(tree("torus", "aabb"), shape, pose, moves[~meets])),
                             fields(answers[~meets]))
            for i in range(0, 60, 7):
                one = kiln.shape_distance(a, shape, pose, moves[i])
                self.assertEqual((bool(one), float(one)), (True, answers["distance"][i]))
                self.assertAlmostEqual(np.linalg.norm(one.point_mesh - one.point_shape), one.distance, delta=1e-9)
                self.assertEqual(one.triangle in kiln.overlap(a, shape, pose, moves[i], find="all")["triangle"], meets[i])
        # The hull of a cube is that of kiln.box.
        corners = np.array([[x, y, z] for x in (-1, 1) for y in (-2, 2) for z in (-1, 3)])
        self.assertEqual(kiln.shape_distance(a, kiln.hull(corners), pose, moves)["distance"].tolist(),
                         kiln.shape_distance(a, kiln.box([-1, -2, -1], [1, 2, 3]), pose, moves)["distance"].tolist())
        self.assertEqual(kiln.shape_distance(a, kiln.hull(corners, np.zeros(4)), pose).shape, (4,))
        c = tree("cube")
        self.assertEqual(kiln.shape_distance(c, kiln.hull([3, 0.5, 0.5])).distance, 2)
        self.assertFalse(kiln.shape_distance(c, kiln.sphere([3, 0.5, 0.5], 0.5), beyond=1))
        self.assertEqual(kiln.shape_distance(c, kiln.sphere([3, 0.5, 0.5], 0.5), beyond=1).distance, 1)
        self.assertEqual(kiln.shape_distance(c, kiln.sphere(np.zeros((0, 3)), 1)).shape, (0,))
        self.assertLessEqual(kiln.shape_distance(c, kiln.sphere([3, 0.5, 0.5], 0.5), relative=0.1).distance, 1.65)

    def test_shape_within(self):
        a, rng = tree("torus"), np.random.default_rng(21)
        pose, moves = random_poses(rng, 1, 1, True)[0], random_poses(rng, 60, 4)
        for shape in (kiln.box([-0.2, -0.1, -0.3], [0.5, 0.4, 0.3]), kiln.capsule([0, 0, 0], [1, 0, 0], 0.2),
                      kiln.hull(rng.normal(size=(30, 3)) / 4), kiln.sphere([0, 0, 0], 0.1)):
            distances = kiln.shape_distance(a, shape, pose, moves)["distance"]
            for distance in (0, 0.5, distances[7], np.inf):
                near = kiln.shape_within(a, shape, distance, pose, moves, threads=2)
                self.assertEqual(near["found"].tolist(), (distances <= distance).tolist())
            one = kiln.shape_within(a, shape, 1, pose, moves[3])
            self.assertEqual((type(one), bool(one)), (kiln.TriangleHit, distances[3] <= 1))
        c = tree("cube")
        self.assertTrue(kiln.shape_within(c, kiln.sphere([3, 0.5, 0.5], 0.5), 1.5))
        self.assertFalse(kiln.shape_within(c, kiln.sphere([3, 0.5, 0.5], 0.5), 1.49))
        self.assertEqual(kiln.shape_within(c, kiln.sphere(np.zeros((0, 3)), 1), 1).shape, (0,))
        for bad in (-1, np.nan):
            with self.assertRaisesRegex(ValueError, "distance is to be "):
                kiln.shape_within(c, kiln.sphere([3, 0, 0], 1), bad)
        with self.assertRaises(TypeError):
            kiln.shape_within(c, kiln.sphere([3, 0, 0], 1))

    def test_shape_distance_refuses(self):
        c = tree("cube")
        for shape in (kiln.box([1, 1, 1], [0, 0, 0]), kiln.hull(np.zeros((0, 3))), kiln.hull([[0, 0, np.nan]]), kiln.hull([[0, 0]]),
                      kiln.sphere([0, 0, 0], -1), kiln.Shape("cone", [0, 0, 0], None, 1), kiln.Shape("capsule", [0, 0, 0], None, 1),
                      kiln.sphere(np.zeros((2, 3)), np.zeros(3)), kiln.hull([[0, 0, 0]], -1)):
            for call in (kiln.shape_distance, kiln.overlap):
                with self.subTest(shape=shape), self.assertRaises(ValueError):
                    call(c, shape)
        with self.assertRaisesRegex(ValueError, "query 1"):
            kiln.shape_distance(c, kiln.sphere([0, 0, 0], [1, -1]))
        ball = kiln.sphere([3, 0, 0], [1, 1])
        with self.assertRaises(ValueError):
            kiln.shape_distance(c, ball, None, np.diag([1, 2, 1, 1.0]))
        kiln.shape_distance(c, ball, np.diag([1, 2, 1, 1.0]))
        bar = kiln.hull([[3, 0, 0], [3, 1, 1]])
        self.assertEqual(kiln.shape_distance(c, bar, None, np.diag([1, 2, -1, 1.0])).distance,
                         kiln.shape_distance(c, kiln.hull([[3, 0, 0], [3, 2, -1]])).distance)
        for named in ({"beyond": -1}, {"relative": np.inf}, {"absolute": np.nan}):
            with self.subTest(named=named), self.assertRaisesRegex(ValueError, list(named)[0] + " is to be "):
                kiln.shape_distance(c, ball, **named)
        with self.assertRaises(TypeError):
            kiln.shape_distance(c, [0, 0, 0])

    def test_spheres(self):
        a = tree("cube")
        rng = np.random.default_rng(12)
        centres, radii = rng.uniform(-0.3, 0.3, (20, 3)), rng.uniform(0, 0.3, 20)
        links = np.repeat(np.arange(4, dtype=np.uint32), 5)
        turns = rng.normal(size=(12, 4))
        poses = kiln.pose(turns / np.linalg.norm(turns, axis=1)[:, None], rng.uniform(-0.5, 1.5, (12, 3)))
        each = kiln.spheres(a, centres, radii, poses, links, find="each")
        self.assertEqual(each.shape, (3, 20))
        for c in range(3):
            for i in range(20):
                single = kiln.overlap(a, kiln.sphere(centres[i], radii[i]), None, poses[4 * c + links[i]])
                self.assertEqual(bool(each[c, i]), bool(single))
        first = kiln.spheres(a, centres, radii, poses, links, threads=2)
        self.assertEqual(first.tolist(), [int(row.argmax()) if row.any() else 20 for row in each])
        self.assertTrue(0 < each.sum() < each.size)
        self.assertEqual(kiln.spheres(a, [[2, 0.5, 0.5]], 1).tolist(), [0])
        self.assertEqual(kiln.spheres(a, [[2.1, 0.5, 0.5]], 1).tolist(), [1])
        self.assertEqual(kiln.spheres(a, [[2, 0.5, 0.5]], 1, np.eye(4), pose=kiln.pose(translation=[5, 0, 0])).tolist(),
                         [1])
        for bad in (lambda: kiln.spheres(a, centres, radii[:3]), lambda: kiln.spheres(a, centres, radii, poses[:3], links),
                    lambda: kiln.spheres(a, centres, -radii), lambda: kiln.spheres(a, centres, radii, None, links[:2]),
                    lambda: kiln.spheres(a, centres, radii, poses[0], links)):
            with self.assertRaises(ValueError):
                bad()


    def test_nearest(self):
        a = tree("torus")
        rng = np.random.default_rng(13)
        points, pose = rng.uniform(-4, 4, (200, 3)), random_poses(rng, 1, 1, True)[0]
        answers = kiln.nearest(a, points, pose, threads=2)
        self.assertEqual(fields(answers), fields(kiln.nearest(a, points, pose, threads=1)))
        corners = a.triangles().astype(np.float64) @ pose[:3, :3].T + pose[:3, 3]
        for i in range(0, 200, 10):
            one = kiln.nearest(a, points[i], pose)
            for name in ("found", "triangle", "value", "feature", "part", "distance"):
                self.assertEqual(getattr(one, name), answers[name][i])
            for name in ("point", "weights", "normal"):
                self.assertEqual(getattr(one, name).tolist(), answers[name][i].tolist())
            self.assertTrue(one and np.allclose(one.weights @ corners[one.triangle], one.point, atol=1e-9))
            self.assertAlmostEqual(np.linalg.norm(points[i] - one.point), float(one), delta=1e-9)
            self.assertAlmostEqual(kiln.distance(a, pose, tree("cube"), kiln.pose(translation=points[i], scale=1e-9)).distance,
                                   one.distance, delta=1e-8)
        others = kiln.nearest(tree("torus", "aabb"), points, pose)
        self.assertEqual(fields(others), fields(answers))
        self.assertFalse(kiln.nearest(a, points, pose, normals=False)["normal"].any())
        # Signed distances have the side of the pseudonormal and of kiln.locate.
        signed = kiln.signed_distance(a, points, pose)
        self.assertEqual(np.abs(signed).tolist(), answers["distance"].tolist())
        self.assertEqual((signed < 0).tolist(), (kiln.locate(a, points, pose) == kiln.Place.INSIDE).tolist())
        side = ((points - answers["point"]) * answers["normal"]).sum(1)
        self.assertEqual((signed < 0).tolist(), (side < 0).tolist())
        self.assertEqual(kiln.signed_distance(a, points[3], pose), signed[3])
        self.assertTrue(0 < (signed < 0).sum() < 200)

    def test_nearest_of_a_cube(self):
        a = tree("cube")
        self.assertEqual(kiln.nearest(a, [2, 3, 5]).feature, kiln.Feature.CORNER)
        self.assertEqual(kiln.nearest(a, [2, 0.5, 2]).feature, kiln.Feature.EDGE)
        self.assertEqual(kiln.nearest(a, [0.5, 0.25, 1.5]).feature, kiln.Feature.FACE)
        self.assertTrue(np.allclose(kiln.nearest(a, [2, 2, 2]).normal, np.sqrt(1 / 3)))
        self.assertFalse(kiln.nearest(a, [0.5, 0.5, 3], beyond=1.5))
        self.assertEqual(kiln.nearest(a, [0.5, 0.5, 3], beyond=1.5).distance, 1.5)
        self.assertTrue(kiln.nearest(a, [0.5, 0.5, 3], beyond=2))
        self.assertEqual(kiln.signed_distance(a, [[0.5, 0.5, 0.75], [0.5, 0.5, 1], [0.5, 0.5, 3]]).tolist(), [-0.25, 0, 2])
        self.assertEqual(kiln.signed_distance(a, [[0.5, 0.5, 0.5], [0.5, 0.5, 3]], beyond=0.25).tolist(), [-np.inf, np.inf])
        self.assertEqual(kiln.signed_distance(a, [0.5, 0.5, 3]), 2)
        self.assertEqual(kiln.nearest(a, np.zeros((0, 3))).shape, (0,))
        self.assertEqual(kiln.signed_distance(a, np.zeros((0, 3))).shape, (0,))

    def test_winding(self):
        a = tree("torus")
        rng = np.random.default_rng(15)
        points, pose = rng.uniform(-3, 3, (300, 3)), random_poses(rng, 1, 1, True)[0]
        inside = kiln.locate(a, points, pose) == kiln.Place.INSIDE
        winding = kiln.Winding(a)
        exact = winding.number(points, pose)
        self.assertEqual(exact["number"].tolist(), inside.astype(float).tolist())
        self.assertTrue(exact["exact"].all() and not exact["error"].any() and not exact["surface"].any())
        corners = a.triangles().astype(np.float64) @ pose[:3, :3].T + pose[:3, 3] - points[:, None, None]
        x, y, z = corners[..., 0, :], corners[..., 1, :], corners[..., 2, :]
        p, q, r = (np.linalg.norm(v, axis=-1) for v in (x, y, z))
        dot = lambda u, v: (u * v).sum(-1)  # noqa: E731
        angles = 2 * np.arctan2(dot(x, np.cross(y, z)), p * q * r + dot(x, y) * r + dot(y, z) * p + dot(z, x) * q)
        part = kiln.Winding(kiln.bake((a.triangles()[::3].reshape(-1, 3), np.arange(3 * len(range(0, a.triangle_count, 3))).reshape(-1, 3)))[0])
        for accuracy in (0.1, 1e-3, 0):
            for one, wanted in ((winding, angles.sum(1)), (part, angles[:, ::3].sum(1))):
                answers = one.number(points, pose, accuracy=accuracy, count_closed=False, threads=2)
                self.assertTrue((np.abs(answers["number"] - wanted / (4 * np.pi)) <= answers["error"] + 1e-9).all())
                self.assertTrue((answers["error"] <= max(accuracy, 1e-6)).all())
                single = one.number(points[7], pose, accuracy=accuracy, count_closed=False)
                self.assertEqual((single.number, single.error, single.exact), (answers["number"][7], answers["error"][7], False))
                self.assertEqual(float(single), single.number)
        sides = part.number(points, pose, threshold=0.1)
        self.assertEqual((sides["side"] == kiln.WindingSide.ABOVE).tolist(), (angles[:, ::3].sum(1) > 0.4 * np.pi).tolist())
        self.assertEqual(set(part.number(points, pose)["side"].tolist()), {kiln.WindingSide.UNDECIDED})
        cubic = kiln.Winding(tree("cube")).number([0.5, 0.5, 1])
        self.assertEqual((cubic.number, cubic.surface), (0.5, True))
        self.assertEqual(winding.number(np.zeros((0, 3))).shape, (0,))

    def test_winding_keeps_its_file(self):
        for copy in (False, True):
            file = kiln.open(kiln.bake_bytes(cube())[0], copy=copy)
            winding = kiln.Winding(file)
            file.close()
            with self.assertRaisesRegex(ValueError, "closed"):
                kiln.Winding(file)
            del file
            self.assertEqual(winding.number([[0.5, 0.5, 0.5], [2, 2, 2]])["number"].tolist(), [1, 0])

    def test_winding_refuses(self):
        winding = kiln.Winding(tree("cube"))
        with self.assertRaisesRegex(ValueError, "query 1"):
            winding.number([[0, 0, 0], [0, np.nan, 0]])
        with self.assertRaisesRegex(ValueError, "pose"):
            winding.number([[0, 0, 0]], np.diag([1, 0, 1, 1.0]))
        stretched = winding.number([[0.5, -1.5, 0.5], [0.5, 0.5, 0.5]], np.diag([1, -2, 1, 1.0]))
        self.assertEqual(stretched["number"].tolist(), [1, 0])
        for named in ({"accuracy": -1}, {"accuracy": np.nan}, {"threshold": np.inf}):
            with self.subTest(named=named), self.assertRaisesRegex(ValueError, list(named)[0]):
                winding.number([0, 0, 0], **named)
        for bad in (None, winding, "x"):
            with self.assertRaises(TypeError):
                kiln.Winding(bad)

    def test_several_nearest(self):
        a = tree("torus")
        points = np.random.default_rng(14).uniform(-3, 3, (30, 3))
        nearest = kiln.nearest(a, points)
        all_of_it, offsets = kiln.nearest(a, points, within=np.inf)
        self.assertEqual(offsets.tolist(), list(range(0, 31 * a.triangle_count, a.triangle_count)))
        several, ends = kiln.nearest(a, points, count=5)
        near, starts = kiln.nearest(a, points, within=1.0)
        some, begins = kiln.nearest(a, points, within=1.0, count=3)
        self.assertEqual(ends.tolist(), list(range(0, 151, 5)))
        self.assertEqual((starts[0], len(near)), (0, starts[-1]))
        for i in range(30):
            every = all_of_it[int(offsets[i]):int(offsets[i + 1])]
            order = list(zip(every["distance"].tolist(), every["triangle"].tolist()))
            self.assertEqual(fields(every[0]), fields(nearest[i]))
            self.assertTrue((np.diff(every["distance"]) >= -1e-9).all())
            self.assertEqual(len({triangle for _, triangle in order}), a.triangle_count)
            self.assertEqual(fields(several[5 * i:5 * i + 5]), fields(every[:5]))
            mine = near[int(starts[i]):int(starts[i + 1])]
            self.assertEqual(fields(mine), fields(every[every["distance"] <= 1]))
            self.assertEqual(fields(some[int(begins[i]):int(begins[i + 1])]), fields(mine[:3]))
        one, ends = kiln.nearest(a, points[0], count=2 ** 40)
        self.assertEqual((len(one), ends.tolist()), (a.triangle_count, [0, a.triangle_count]))
        self.assertEqual(len(kiln.nearest(a, points, count=0)[0]), 0)

    def test_nearest_refuses(self):
        a = tree("cube")
        bad = [[0, 0, 0], [0, np.nan, 0]]
        for call in (kiln.nearest, kiln.signed_distance, lambda a, p: kiln.nearest(a, p, count=2)):
            with self.assertRaisesRegex(ValueError, "query 1"):
                call(a, bad)
            for points in ([0, 0, np.inf], [0, 0], [[0, 0, 2e60]]):
                with self.assertRaises(ValueError):
                    call(a, points)
        stretched = np.diag([1, 2, -1, 1.0])
        self.assertEqual(kiln.nearest(a, [0, 5, 0], stretched).distance, 3)
        self.assertEqual(kiln.signed_distance(a, [0.5, 0.25, -0.25], stretched), -0.25)
        for pose in (np.diag([1, 1, 0, 1.0]), np.zeros((4, 4))):
            with self.assertRaisesRegex(ValueError, "pose"):
                kiln.nearest(a, [[0, 0, 0]], pose)
            for call in (kiln.nearest, kiln.signed_distance, lambda *of: kiln.nearest(*of, count=1)):
                with self.assertRaisesRegex(ValueError, "pose"):
                    call(a, np.zeros((0, 3)), pose)
            with self.assertRaisesRegex(ValueError, "pose"):
                kiln.signed_distance(a, [0, 0, 0], pose)
        for named in ({"beyond": -1}, {"within": np.nan}, {"within": 1, "beyond": 1}, {"count": -1}):
            with self.subTest(named=named), self.assertRaises(ValueError):
                kiln.nearest(a, [0, 0, 0], **named)
        flat = kiln.bake(([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
        self.assertEqual(kiln.nearest(flat, [0.2, 0.2, 1]).distance, 1)
        with self.assertRaisesRegex(ValueError, "not closed"):
            kiln.signed_distance(flat, [0, 0, 0])


class Filters(unittest.TestCase):
    """A mask, a function that says the same, and, where ids do not matter, the mesh without the rest."""

    def setUp(self):
        random = np.random.default_rng(31)
        self.pose = random_poses(random, 1, 1)[0]
        self.poses = random_poses(random, 20, 1.5)
        self.points = random.uniform(-3, 3, (200, 3))
        self.ways = random.normal(size=(200, 3))
        self.tree, self.other = tree("torus"), tree("ring")
        self.kept = random.random(self.tree.triangle_limit) < 0.4
        self.kept_of_other = random.random(self.other.triangle_limit) < 0.6
        self.rest = self.without(self.tree, self.kept)

    @staticmethod
    def without(tree, kept):
        corners = tree.triangles()[kept]
        return kiln.bake((corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3)), bv="aabb")[0]

    def both(self, ask):
        """The answer by a mask, which that by a function equals."""
        asked = []
        wanted = ask(self.kept)

        def says(triangle, value):
            asked.append((triangle, value))
            return self.kept[triangle]
        answer = ask(says)
        for one, other in zip(wanted, answer) if type(wanted) is tuple else [(wanted, answer)]:
            np.testing.assert_array_equal(one, other)
        self.assertTrue(asked)
        self.assertTrue(all(self.tree.user(triangle) == value for triangle, value in asked[:20]))
        return wanted

    def ids(self, triangles):
        """Numbers in the mesh without the rest, as those of the whole."""
        return np.flatnonzero(self.kept)[triangles]

    def test_rays(self):
        for find in ("closest", "any"):
            hits = self.both(lambda f: kiln.rays(self.tree, self.points, self.ways, find=find, filter=f))
            alone = kiln.rays(self.rest, self.points, self.ways, find=find)
            self.assertEqual(hits["found"].tolist(), alone["found"].tolist())
            self.assertTrue(self.kept[hits["triangle"][hits["found"]]].all() and hits["found"].any())
            if find == "closest":
                self.assertEqual((hits["t"].tolist(), hits["triangle"][hits["found"]].tolist()),
                                 (alone["t"].tolist(), self.ids(alone["triangle"][alone["found"]]).tolist()))
            self.assertEqual(fields(kiln.rays(self.tree, self.points, self.ways, find=find, filter=self.kept, threads=1)),
                             fields(hits))
        hits, offsets = self.both(lambda f: kiln.rays(self.tree, self.points, self.ways, find="all", filter=f))
        alone, ends = kiln.rays(self.rest, self.points, self.ways, find="all")
        self.assertEqual((offsets.tolist(), hits["triangle"].tolist()), (ends.tolist(), self.ids(alone["triangle"]).tolist()))

    def test_points(self):
        near = self.both(lambda f: kiln.nearest(self.tree, self.points, self.pose, normals=False, filter=f))
        alone = kiln.nearest(self.rest, self.points, self.pose, normals=False)
        self.assertEqual((near["distance"].tolist(), near["triangle"].tolist()),
                         (alone["distance"].tolist(), self.ids(alone["triangle"]).tolist()))
        for named in ({"count": 5}, {"within": 0.9}):
            found, ends = self.both(lambda f: kiln.nearest(self.tree, self.points, filter=f, **named))
            alone, same = kiln.nearest(self.rest, self.points, **named)
            self.assertEqual((found["triangle"].tolist(), ends.tolist()), (self.ids(alone["triangle"]).tolist(), same.tolist()))
        signed = self.both(lambda f: kiln.signed_distance(self.tree, self.points, filter=f))
        near = kiln.nearest(self.rest, self.points)["distance"]
        self.assertEqual(np.abs(signed).tolist(), near.tolist())
        self.assertEqual((signed < 0).tolist(), (kiln.signed_distance(self.tree, self.points) < 0).tolist())

    def test_shapes(self):
        for shape in (kiln.sphere(self.points, 0.4), kiln.hull(self.points[:9] * 0.2, 0.1)):
            where = None if shape.kind == "sphere" else random_poses(np.random.default_rng(32), 30, 2)
            met = self.both(lambda f: kiln.overlap(self.tree, shape, None, where, filter=f)["found"])
            self.assertEqual(met.tolist(), kiln.overlap(self.rest, shape, None, where)["found"].tolist())
            self.assertTrue(met.any())
            far = self.both(lambda f: kiln.shape_distance(self.tree, shape, None, where, filter=f)["distance"])
            self.assertEqual(far.tolist(), kiln.shape_distance(self.rest, shape, None, where)["distance"].tolist())
            near = self.both(lambda f: kiln.shape_within(self.tree, shape, 0.3, None, where, filter=f)["found"])
            self.assertEqual(near.tolist(), (far <= 0.3).tolist())
        for shape in (kiln.sphere([2, 0, 0], 1), kiln.hull(np.eye(3) * 2.5)):
            met = self.both(lambda f: kiln.overlap(self.tree, shape, find="all", filter=f)["triangle"])
            self.assertEqual(met.tolist(), self.ids(kiln.overlap(self.rest, shape, find="all")["triangle"]).tolist())
        for find in ("any", "each"):
            met = self.both(lambda f: kiln.spheres(self.tree, self.points[:9], 0.3, self.poses, find=find, filter=f))
            self.assertEqual(met.tolist(), kiln.spheres(self.rest, self.points[:9], 0.3, self.poses, find=find).tolist())

    def both_pairs(self, ask):
        masks = self.kept, self.kept_of_other
        wanted = ask(masks)

        def says(a, b, value_a, value_b):
            self.assertEqual((self.tree.user(a), self.other.user(b)), (value_a, value_b))
            return masks[0][a] and masks[1][b]
        np.testing.assert_array_equal(ask(says), wanted)
        return wanted

    def test_two_meshes(self):
        a, b, masks = self.tree, self.other, (self.kept, self.kept_of_other)
        alone = self.rest, self.without(b, masks[1])
        for poses in (self.poses, self.poses[3]):
            of = lambda name, answer: answer[name] if poses.ndim == 3 else getattr(answer, name)  # noqa: E731
            hits = self.both_pairs(lambda f: of("found", kiln.collide(a, None, b, poses, filter=f)))
            far = self.both_pairs(lambda f: of("distance", kiln.distance(a, None, b, poses, filter=f)))
            near = self.both_pairs(lambda f: of("found", kiln.within(a, None, b, poses, 0.2, filter=f)))
            self.assertEqual((np.equal(far, 0).tolist(), np.less_equal(far, 0.2).tolist()),
                             (np.asarray(hits).tolist(), np.asarray(near).tolist()))
        distances = kiln.distance(alone[0], None, alone[1], self.poses)["distance"]
        np.testing.assert_allclose(kiln.distance(a, None, b, self.poses, filter=masks)["distance"], distances, rtol=1e-12)
        pose = kiln.pose(translation=[2, 0.1, 0.2])
        pairs = kiln.contacts(a, None, b, pose, geometry=False)
        chosen = [(i, k) for i, k in zip(pairs["a"].tolist(), pairs["b"].tolist()) if masks[0][i] and masks[1][k]]
        self.assertTrue(0 < len(chosen) < len(pairs))
        for geometry in (False, True):
            self.both_pairs(lambda f: kiln.contacts(a, None, b, pose, geometry=geometry, filter=f))
            some = kiln.contacts(a, None, b, pose, geometry=geometry, filter=masks)
            self.assertEqual(list(zip(some["a"].tolist(), some["b"].tolist())), chosen)
        self.assertEqual(kiln.contacts_summary(a, None, b, pose, filter=masks).count, len(chosen))
        self.assertEqual(len(kiln.near_pairs(a, None, b, pose, 0, filter=masks)), len(chosen))
        regions = self.both_pairs(lambda f: kiln.contact_regions(a, None, b, pose, filter=f)["pairs"])
        self.assertEqual(regions.sum(), len(chosen))
        # None is all of a mesh, and nothing is left of one without a triangle.
        self.assertEqual(set(kiln.contacts(a, None, b, pose, filter=(None, masks[1]))["b"].tolist()),
                         set(k for k in pairs["b"].tolist() if masks[1][k]))
        nothing = np.zeros(a.triangle_limit, bool)
        self.assertFalse(kiln.collide(a, None, b, pose, filter=(nothing, None)))
        self.assertEqual(kiln.distance(a, None, b, pose, filter=(nothing, None)).distance, np.inf)

    def test_self_contacts(self):
        pairs = kiln.self_contacts(self.tree, neighbours="all")
        wanted = [(a, b) for a, b in zip(pairs["a"].tolist(), pairs["b"].tolist()) if self.kept[a] and self.kept[b]]
        for one in (self.kept, lambda a, b, value_a, value_b: self.kept[a] and self.kept[b]):
            some = kiln.self_contacts(self.tree, neighbours="all", filter=one)
            self.assertEqual(list(zip(some["a"].tolist(), some["b"].tolist())), wanted)

    def test_masks_of_every_layout(self):
        wanted = fields(kiln.nearest(self.tree, self.points, filter=self.kept))
        wide = np.zeros((len(self.kept), 2), bool)
        wide[:, 1] = self.kept
        for same in (self.kept.tolist(), tuple(self.kept), wide[:, 1], self.kept[::-1].copy()[::-1],
                     memoryview(self.kept), np.array(self.kept.tolist(), "?")):
            self.assertEqual(fields(kiln.nearest(self.tree, self.points, filter=same)), wanted)
        self.assertEqual(fields(kiln.nearest(self.tree, self.points, filter=None)), fields(kiln.nearest(self.tree, self.points)))

    def test_refused(self):
        t, at = self.tree, [0, 0, 0]
        for bad in (self.kept[1:], self.kept[:0], np.append(self.kept, True), []):
            with self.assertRaisesRegex(ValueError, "filter has [0-9]+ entries, and triangle_limit is 576"):
                kiln.nearest(t, at, filter=bad)
            for masks in ((bad, None), (None, bad)):
                for ask in (kiln.collide, kiln.distance, kiln.contacts, kiln.contacts_summary, kiln.contact_regions):
                    with self.assertRaisesRegex(ValueError, "filter has"):
                        ask(t, None, t, None, filter=masks)
                with self.assertRaisesRegex(ValueError, "filter has"):
                    kiln.collide(t, None, t, self.poses, filter=masks)
        for bad in ([3, 5], np.arange(576), "x", 5, b"x" * 576, self.kept.astype(float)):
            with self.assertRaisesRegex(TypeError, "filter is to be"):
                kiln.rays(t, at, [1, 0, 0], filter=bad)
        with self.assertRaisesRegex(ValueError, "filter has 2 dimensions"):
            kiln.overlap(t, kiln.sphere(at, 1), filter=np.ones((576, 1), bool))
        for bad in (self.kept, [self.kept, None], (self.kept,), (None, None, None), 3, "ab"):
            with self.assertRaisesRegex(TypeError, "filter is to be two"):
                kiln.collide(t, None, t, None, filter=bad)

    def test_functions_that_raise(self):
        t, calls = self.tree, []

        class Stop(Exception):
            pass

        def fails(*ids):
            calls.append(ids)
            raise Stop(ids)

        class NoTruth:
            def __bool__(self):
                raise Stop

        at, shape = self.points, kiln.sphere(self.points, 0.5)
        over = kiln.pose(translation=[0.1, 0, 0])
        for ask in (lambda f: kiln.rays(t, at, self.ways, filter=f), lambda f: kiln.rays(t, at, self.ways, find="all", filter=f),
                    lambda f: kiln.rays(t, [0, 0, 0], [1, 0, 0], filter=f), lambda f: kiln.nearest(t, at, filter=f),
                    lambda f: kiln.nearest(t, at, count=3, filter=f), lambda f: kiln.signed_distance(t, at, filter=f),
                    lambda f: kiln.overlap(t, shape, filter=f), lambda f: kiln.shape_distance(t, shape, filter=f),
                    lambda f: kiln.overlap(t, kiln.sphere([2, 0, 0], 1), find="all", filter=f),
                    lambda f: kiln.shape_within(t, shape, 1, filter=f), lambda f: kiln.spheres(t, at, 0.5, filter=f),
                    lambda f: kiln.collide(t, None, t, over, filter=f), lambda f: kiln.distance(t, None, t, self.poses, filter=f),
                    lambda f: kiln.within(t, None, t, over, 1, filter=f), lambda f: kiln.contacts(t, None, t, over, filter=f),
                    lambda f: kiln.contacts_summary(t, None, t, over, filter=f),
                    lambda f: kiln.near_pairs(t, None, t, over, 1, filter=f),
                    lambda f: kiln.contact_regions(t, None, t, over, filter=f),
                    lambda f: kiln.self_contacts(t, neighbours="all", filter=f)):
            del calls[:]
            with self.assertRaises(Stop) as raised:
                ask(fails)
            self.assertEqual([raised.exception.args[0]], calls)  # and was not called again
            with self.assertRaises(Stop):
                ask(lambda *_: NoTruth())
        with self.assertRaises(TypeError):
            kiln.nearest(t, at, filter=lambda triangle: True)

    def test_functions_may_ask_and_close(self):
        file = kiln.open(kiln.bake_bytes(torus(2, 0.7))[0])
        limit = file[0].triangle_limit
        tree, seen = file[0], []

        def says(triangle, value):
            seen.append(kiln.nearest(self.tree, [0, 0, triangle], filter=lambda t, v: t == 3).triangle)
            file.close()
            return triangle % 2
        near = kiln.nearest(tree, self.points, filter=says)
        self.assertEqual(set(seen), {3})
        self.assertTrue((near["triangle"] % 2 == 1).all() and limit == 576)
        with self.assertRaisesRegex(ValueError, "closed"):
            kiln.nearest(tree, self.points)


class Tables(unittest.TestCase):
    def test_bins(self):
        bins = kiln.Bins()
        # One ball of each colour in u bins: 1/u.
        self.assertAlmostEqual(bins.probability(8, 1, 1, 1), 1 / 8)
        self.assertEqual(bins.probability(8, 8, 8, 8), 1)
        p = bins.probabilities(64, 12.5, 20)
        self.assertTrue((np.diff(p) <= 0).all() and p.shape == (10,))
        bound, x = bins.collision_bound(64, 12.5, 20, 0.5)
        self.assertAlmostEqual(bound, max((1 - 0.5 ** k) * p[k - 1] for k in range(1, 11)))
        self.assertEqual(bins.info["profile"], "closed")
        for bad in ((8, 9, 1, 1), (5000, 1, 1, 1), (8, 1, 1, 33)):
            with self.assertRaises(ValueError):
                bins.probability(*bad)

    def test_axes(self):
        axes = kiln.Axes()
        self.assertEqual(axes.axes.shape, (70, 3))
        velocities = np.random.default_rng(11).normal(size=(50, 3))
        masks = axes.zone(velocities)
        used = (masks[:, np.arange(70) // 64] >> (np.arange(70) % 64).astype(np.uint64)) & np.uint64(1)
        cosines = np.abs(velocities @ axes.axes.T) / np.linalg.norm(velocities, axis=1)[:, None]
        self.assertTrue((np.abs(cosines - axes.sine) > 1e-9).all())
        self.assertEqual(used.tolist(), (cosines < axes.sine).astype(int).tolist())
        self.assertTrue((masks[:, None] & masks[None]).any(-1).all())  # any two share one
        with self.assertRaisesRegex(ValueError, "velocity 1"):
            axes.zone([[1, 0, 0], [np.nan, 0, 0]])


if __name__ == "__main__":
    unittest.main()
