"""Scenes and URDF: forward kinematics by another way, pairs, geometry, what is refused."""
import math
import os
import re
import tempfile
import unittest

import kiln
import numpy as np
from kiln import urdf
from meshes import cube, random_poses, torus, tree

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <link name="base"><collision><geometry><box size="1 1 0.2"/></geometry></collision></link>
  <link name="upper"><collision><origin xyz="0 0 0.5"/><geometry><mesh filename="package://arm/meshes/bar.obj"
    scale="0.2 0.2 1"/></geometry></collision></link>
  <link name="fore"><collision><origin xyz="0 0 0.5" rpy="0 0 0.3"/>
    <geometry><mesh filename="meshes/bar.obj" scale="0.2 0.2 0.2"/></geometry></collision></link>
  <link name="slide"><collision name="plate"><geometry><mesh filename="file://@FOLDER@/meshes/bar.obj"/></geometry>
    </collision></link>
  <link name="finger"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>
    <collision><origin xyz="0 0.3 0"/><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="tool"/>
  <joint name="turn" type="continuous"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.1"/>
    <axis xyz="0 0 1"/></joint>
  <joint name="bend" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="0 0 1" rpy="0.1 0.2 0.3"/>
    <axis xyz="0 2 1"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <joint name="push" type="prismatic"><parent link="fore"/><child link="slide"/><origin xyz="0 0 1"/>
    <axis xyz="1 0 0"/><limit lower="0" upper="3" effort="1" velocity="1"/></joint>
  <joint name="grip" type="prismatic"><parent link="slide"/><child link="finger"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="1" effort="1" velocity="1"/><mimic joint="push" multiplier="-0.5" offset="0.25"/></joint>
  <joint name="weld" type="fixed"><parent link="slide"/><child link="tool"/><origin xyz="0 0 2"/></joint>
</robot>
"""
SRDF = """<robot name="arm"><disable_collisions link1="base" link2="fore" reason="Never"/></robot>"""


def rotation(axis, angle):
    """By quaternions, where the package has Rodrigues' formula."""
    axis = np.array(axis, float) / np.linalg.norm(axis)
    return kiln.pose([*(axis * math.sin(angle / 2)), math.cos(angle / 2)])


def shift(*xyz):
    return kiln.pose(translation=xyz)


class Robots(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "arm")
        os.makedirs(os.path.join(self.folder, "meshes"))
        with open(os.path.join(self.folder, "meshes", "bar.obj"), "w") as file:
            for x in (-0.5, 0.5):
                for y in (-0.5, 0.5):
                    for z in (-0.5, 0.5):
                        print("v", x, y, z, file=file)
            for corners in cube()[1] + 1:
                print("f", *corners, file=file)
        self.urdf = self.write("arm.urdf", ARM)
        self.srdf = self.write("arm.srdf", SRDF)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text.replace("@FOLDER@", self.folder))
        return path

    def test_forward_kinematics(self):
        scene = kiln.Scene.from_urdf(self.urdf)
        self.assertEqual(scene.joints, ["turn", "bend", "push"])
        self.assertEqual(scene.robot.limits.tolist(), [[-np.inf, np.inf], [-2, 2], [0, 3]])
        q = np.random.default_rng(1).uniform(-2, 2, (20, 3))
        poses, single = scene.robot.forward(q)
        self.assertFalse(single)
        for i, (turn, bend, push) in enumerate(q):
            upper = shift(0, 0, 0.1) @ rotation([0, 0, 1], turn)
            rpy = rotation([0, 0, 1], 0.3) @ rotation([0, 1, 0], 0.2) @ rotation([1, 0, 0], 0.1)
            fore = upper @ shift(0, 0, 1) @ rpy @ rotation([0, 2, 1], bend)
            slide = fore @ shift(0, 0, 1) @ shift(push, 0, 0)
            finger = slide @ shift(0, 0.25 - 0.5 * push, 0)
            for link, wanted in (("upper", upper), ("fore", fore), ("slide", slide), ("finger", finger),
                                 ("tool", slide @ shift(0, 0, 2))):
                self.assertTrue(np.allclose(poses[link][i], wanted, atol=1e-14), link)
        self.assertEqual(poses["base"].tolist(), np.eye(4).tolist())

    def test_geometry_and_pairs(self):
        scene = kiln.Scene.from_urdf(self.urdf, self.srdf)
        self.assertEqual(scene.names, ["base", "upper", "fore", "plate", "finger/0", "finger/1"])
        self.assertEqual(scene.links, ["base", "upper", "fore", "slide", "finger"])
        self.assertEqual(scene.pairs, [("base", "plate"), ("base", "finger/0"), ("base", "finger/1"),
                                       ("upper", "plate"), ("upper", "finger/0"), ("upper", "finger/1"),
                                       ("fore", "finger/0"), ("fore", "finger/1")])
        everything = kiln.Scene.from_urdf(self.urdf, allow_adjacent=False)
        self.assertEqual(len(everything.pairs), 14)
        self.assertEqual(everything.approximations, {})
        # Scales: of all axes alike in the pose, of others in a mesh of its own.
        self.assertTrue(np.allclose(scene.tree("upper").bounds, [[-0.1, -0.1, -0.5], [0.1, 0.1, 0.5]]))
        self.assertEqual(scene.tree("fore"), scene.tree("plate"))
        nearest = everything.distances([0, 0, 0], beyond=9)
        self.assertEqual(nearest.shape, (14,))
        for package_paths in ({"arm": self.folder}, [os.path.dirname(self.folder)], self.folder):
            kiln.Scene.from_urdf(self.urdf, package_paths=package_paths)

    def test_answers_are_those_of_single_queries(self):
        scene = kiln.Scene.from_urdf(self.urdf, self.srdf)
        q = np.random.default_rng(2).uniform(-2, 3, (50, 3))
        hits, nearest, minimum = scene.collide_all(q), scene.distances(q), scene.min_distance(q)
        poses = scene.robot.forward(q)[0]
        locals_ = {name: scene._meshes[name][1] for name in scene.names}
        for i in range(50):
            for k, (a, b) in enumerate(scene.pairs):
                placed = []
                for name in (a, b):
                    pose = poses[scene.link(name)]
                    placed.append((pose if pose.ndim == 2 else pose[i]) @ locals_[name])
                one = kiln.distance(scene.tree(a), placed[0], scene.tree(b), placed[1]).distance
                self.assertAlmostEqual(one, nearest["distance"][i, k], delta=1e-14)
                self.assertEqual(hits["found"][i, k], nearest["distance"][i, k] == 0)
        self.assertEqual(minimum["distance"].tolist(), nearest["distance"].min(1).tolist())
        self.assertEqual(minimum["pair"].tolist(), nearest["distance"].argmin(1).tolist())
        self.assertEqual(scene.collides(q).tolist(), hits["found"].any(1).tolist())
        self.assertEqual(scene.first_collision(q)["found"].tolist(), hits["found"].any(1).tolist())
        self.assertEqual(scene.any_within(q, 0.2).tolist(), (nearest["distance"] <= 0.2).any(1).tolist())
        self.assertEqual(scene.within(q, 0.2)["found"].tolist(), (nearest["distance"] <= 0.2).tolist())
        where, hit = scene.path_collision(q)
        self.assertEqual(where, int(np.argmax(hits["found"].any(1))))
        self.assertEqual(hit.pair, int(np.argmax(hits["found"][where])))
        self.assertTrue(0 < hits["found"].sum() < hits["found"].size)
        self.assertEqual(bool(scene.collides(q[7])), bool(scene.collides(q)[7]))
        self.assertEqual(scene.min_distance(q[7])["distance"], minimum["distance"][7])

    def test_what_is_around_the_robot(self):
        scene = kiln.Scene.from_urdf(self.urdf)
        scene.add("wall", kiln.bake((cube()[0] * [9, 9, 0.01], cube()[1])), link="room")
        q = np.zeros((3, 3))
        far = {"room": shift(20, 20, 20)}
        near = {"room": np.stack([shift(20, 20, 20), shift(-4, -4, 0.5), shift(-4, -4, 0.9)])}
        own = scene.collide_all((q, far))["found"]
        self.assertEqual((scene.collide_all((q, near))["found"] != own).any(1).tolist(), [False, True, True])
        with self.assertRaises(KeyError):
            scene.collides((q, {"nothing": np.eye(4)}))
        with self.assertRaises(ValueError):
            scene.collides((np.zeros((2, 3)), near))

    def test_poses_of_a_robot_are_whole(self):
        scene = kiln.Scene.from_urdf(self.urdf)
        scene.add("table", tree("cube"))
        q = np.random.default_rng(6).uniform(-1, 1, (5, 3))
        poses, _ = scene.link_poses(q)
        base = random_poses(np.random.default_rng(7), 5, 2)
        moved, _ = scene.link_poses((q, {"base": base, "table": base[0]}))
        for link in scene.robot.links:
            np.testing.assert_allclose(moved[link], base @ poses[link], atol=1e-12)
        np.testing.assert_array_equal(scene.distances((q, {"base": np.eye(4)})), scene.distances(q))
        own = {link: poses[link] for link in scene.links if link not in ("base", "table")}
        np.testing.assert_array_equal(scene.distances(own), scene.distances(q))
        for bad in (None, {}, {"table": base}, {**own, "table": base[:2]}, (q, {"fore": base}), (q, {"base": base[:2]}),
                    (q, {"table": base[:2]})):
            with self.subTest(bad=bad), self.assertRaisesRegex(ValueError, "link '[a-z]*'"):
                scene.collides(bad)
        fixed = self.write("fixed.urdf", ARM[:ARM.index("  <link name=\"upper")] + '<link name="top"><collision><geometry>'
                           '<box size="1 1 1"/></geometry></collision></link><joint name="weld" type="fixed">'
                           '<parent link="base"/><child link="top"/><origin xyz="0 0 9"/></joint></robot>')
        scene = kiln.Scene.from_urdf(fixed, allow_adjacent=False)
        for where in (None, {}, (), ((), {})):
            self.assertAlmostEqual(scene.min_distance(where)["distance"], 8.4, 6)

    def test_curved_shapes_are_refused_or_said(self):
        text = ARM.replace('<box size="1 1 0.2"/>', '<cylinder radius="0.5" length="0.2"/>', 1)
        path = self.write("curved.urdf", text)
        with self.assertRaisesRegex(kiln.UnsupportedError, "'base' is a cylinder"):
            kiln.Scene.from_urdf(path)
        for size in ("0", "-1"):
            with self.assertRaisesRegex(kiln.FormatError, "more than 0"):
                kiln.Scene.from_urdf(self.write("curved-bad.urdf", re.sub('radius="[^"]*"', f'radius="{size}"', text)),
                                     curved="outside")
        scene = kiln.Scene.from_urdf(path, curved="outside", segments=32)
        self.assertEqual(set(scene.approximations), {"base"})
        self.assertLess(scene.approximations["base"], 0.5 * 0.005)
        for shape in ("sphere", "cylinder"):
            for segments in (8, 31, 64):
                if shape == "sphere":
                    vertices, triangles, beyond = urdf.sphere_mesh(0.5, segments)
                    gap = lambda p: np.linalg.norm(p, axis=-1) - 0.5  # noqa: E731
                else:
                    vertices, triangles, beyond = urdf.cylinder_mesh(0.5, 0.2, segments)
                    gap = lambda p: np.maximum(  # noqa: E731
                        np.linalg.norm(p[..., :2], axis=-1) - 0.5, np.abs(p[..., 2]) - 0.1)
                mesh = kiln.bake((vertices, triangles))[0]
                self.assertEqual(mesh.closed, "closed")
                corners = mesh.triangles().astype(float)
                weights = np.random.default_rng(3).dirichlet([0.5] * 3, 40)
                points = np.concatenate([np.einsum("wk,tkc->wtc", weights, corners).reshape(-1, 3),
                                         corners.reshape(-1, 3)])
                self.assertGreaterEqual(gap(points).min(), 0)
                self.assertLessEqual(gap(points).max(), beyond * (1 + 1e-3) + 1e-7)

    def test_options_of_files_are_not_for_shapes(self):
        box = '<box size="1 1 0.2"/>'
        uneven = '<mesh filename="meshes/bar.obj" scale="1 2 -1"/>'
        for options, expected in (({"scale": 0.5}, [0.5, 1, 0.5]), ({"up": "x"}, [1, 2, 1])):
            for shape, size in ((box, [1, 1, 0.2]), (uneven, expected)):
                with self.subTest(options=options, shape=shape):
                    path = self.write("one.urdf", ARM[:ARM.index("<link name=\"upper\"")].replace(box, shape)
                                      + "</robot>")
                    corners = kiln.Scene.from_urdf(path, bake=options).tree("base").triangles().reshape(-1, 3)
                    np.testing.assert_array_equal(np.ptp(corners, 0), np.float32(size))

    def test_a_file_of_several_meshes_is_refused(self):
        parts = [kiln.Mesh(*cube(), name="one"), kiln.Mesh(cube()[0] + 5, cube()[1], name="two")]
        kiln.bake_file(parts, os.path.join(self.folder, "whole.kiln"), bv="obb,aabb")
        kiln.bake_file(parts, os.path.join(self.folder, "split.kiln"), split="mesh")
        urdf_of = '<robot><link name="a"><collision><geometry><mesh filename="{}.kiln"/></geometry></collision></link></robot>'
        whole = kiln.Scene.from_urdf(self.write("whole.urdf", urdf_of.format("whole")))
        self.assertEqual(whole.tree("a").triangle_count, 24)
        with self.assertRaisesRegex(kiln.UnsupportedError, "'one', 'two'"):
            kiln.Scene.from_urdf(self.write("split.urdf", urdf_of.format("split")))

    def test_names_of_meshes_are_not_those_of_other_links(self):
        link = '<link name="{}"><collision name="{}"><geometry><box size="1 1 1"/></geometry></collision></link>'
        joint = '<joint name="{}{}" type="fixed"><parent link="{}"/><child link="{}"/></joint>'
        text = ("<robot>" + "".join(link.format(*names) for names in
                                    (("c", "a"), ("a", "a"), ("b", "c/0"), ("d", "c/0"), ("e", "d/0")))
                + "".join(joint.format(*ends, *ends) for ends in ("ab", "bc", "cd", "ae")) + "</robot>")
        scene = kiln.Scene.from_urdf(self.write("names.urdf", text))
        self.assertEqual([scene.link(name) for name in scene.names], ["c", "a", "b", "d", "e"])
        self.assertEqual(sorted(tuple(sorted(map(scene.link, pair))) for pair in scene.pairs),
                         [("a", "c"), ("a", "d"), ("b", "d"), ("b", "e"), ("c", "e"), ("d", "e")])

    def test_paths_of_meshes(self):
        bar = os.path.join(self.folder, "meshes", "bar.obj")
        odd = os.path.join(self.folder, "meshes", "a#1?b [2.obj")
        os.link(bar, odd)
        for name in ("meshes/a#1?b [2.obj", "package://arm/meshes/a#1?b [2.obj", "file://" + odd, "file:" + odd,
                     "package://arm/meshes/a%231%3Fb%20[2.obj", odd):
            with self.subTest(name=name):
                self.assertEqual(urdf._resolve(name, self.urdf, None), odd)
        with self.assertRaises(FileNotFoundError):
            urdf._resolve("package://[arm/meshes/bar.obj", self.urdf, None)

    def test_what_is_refused(self):
        bomb = '<!DOCTYPE robot [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
        for change, why in (
                (('<?xml version="1.0"?>', '<?xml version="1.0"?>' + bomb), "document type"),
                (('<joint name="weld" type="fixed">', '<joint name="weld" type="floating">'), "floating"),
                (('<child link="tool"/>', '<child link="base"/>'), "without a parent|circle|child of two"),
                (('<child link="tool"/>', '<child link="fore"/>'), "child of two"),
                (('<child link="tool"/>', '<child link="gone"/>'), "gone"),
                (('joint="push"', 'joint="grip"'), "mimics itself"),
                (('joint="push"', 'joint="weld"'), "weld"),
                (('axis xyz="0 2 1"', 'axis xyz="0 0 0"'), "axis"),
                (('rpy="0.1 0.2 0.3"', 'rpy="0.1 nan 0.3"'), "rpy"),
                (('xyz="0 0 0.1"', 'xyz="0 0"'), "3 numbers"),
                (('scale="0.2 0.2 1"', 'scale="0 0.2 1"'), "scale"),
                (('<link name="tool"/>', '<link name="fore"/>'), "same name"),
                (('size="1 1 0.2"', 'size="1 1 0"'), "size"),
                (('size="1 1 0.2"', 'size="1 -1 1"'), "size"),
                (('<?xml version="1.0"?>', '<?xml version="1.0" encoding="none"?>'), "encoding"),
                (("package://arm", "http://arm"), "package://"),
                (("package://arm", "package://gone"), "gone"),
                (("meshes/bar.obj", "meshes/gone.obj"), "gone"),
                (("</robot>", ""), "no element|unclosed|mismatch"),
                (("robot", "model"), "robot")):
            with self.subTest(change=change):
                path = self.write("bad.urdf", ARM.replace(*change))
                with self.assertRaisesRegex((kiln.Error, OSError), why):
                    kiln.Scene.from_urdf(path)
        utf16 = os.path.join(self.folder, "utf16.urdf")
        with open(utf16, "wb") as file:
            file.write(("<?xml version='1.0' encoding='utf-16'?>" + bomb + "<robot/>").encode("utf-16"))
        with self.assertRaisesRegex(kiln.FormatError, "document type"):
            kiln.Scene.from_urdf(utf16)
        with self.assertRaises(FileNotFoundError):
            kiln.Scene.from_urdf(os.path.join(self.folder, "none.urdf"))
        with self.assertRaises(kiln.MissingFileError):
            kiln.Scene.from_urdf(self.write("bad.urdf", ARM.replace("meshes/bar.obj", "meshes/gone.obj")))
        with self.assertRaises(kiln.FormatError):
            kiln.Scene.from_urdf(self.urdf, self.write("bad.srdf", SRDF.replace("base", "gone")))


class Scenes(unittest.TestCase):
    def test_meshes_of_names(self):
        scene = kiln.Scene()
        scene.add("a", tree("torus"), link="one")
        scene.add("b", tree("ring"), link="one")
        scene.add("c", tree("cube"))
        self.assertEqual(scene.pairs, [("a", "c"), ("b", "c")])
        scene.allow("one", "c")
        self.assertEqual(scene.pairs, [])
        self.assertEqual(scene.collide_all({}).shape, (0,))
        self.assertFalse(scene.collides({}))
        scene.forbid("c", "one")
        scene.allow("a", "c")
        self.assertEqual(scene.pairs, [("b", "c")])
        poses = random_poses(np.random.default_rng(4), 30, 2)
        self.assertEqual(scene.collide_all({"c": poses})["found"][:, 0].tolist(),
                         kiln.collide(tree("ring"), None, tree("cube"), poses)["found"].tolist())
        scene.remove("a")
        self.assertEqual(scene.names, ["b", "c"])
        for bad in (lambda: scene.add("b", tree("cube")), lambda: scene.allow("a", "b"),
                    lambda: scene.add("d", 5), lambda: scene.add("d", tree("cube"), np.eye(3)),
                    lambda: scene.collides(np.zeros(3)), lambda: scene.collides({"x": np.eye(4)}),
                    lambda: scene.collides({"c": np.zeros((3, 3))})):
            with self.assertRaises((ValueError, KeyError, TypeError)):
                bad()

    def test_an_empty_scene(self):
        self.assertEqual(kiln.Scene().collide_all({}).shape, (0,))
        self.assertEqual(kiln.Scene().pairs, [])
        self.assertEqual(kiln.batch("minimum", []).shape, (1,))
        self.assertEqual(kiln.batch("collide", [], np.zeros((0, 2), int)).shape, (1, 0))
        for bad in ([[0, 0]], [[0, 5]], [[0, -1]], [[0.5, 1]], [0, 1]):
            with self.assertRaises((ValueError, TypeError)):
                kiln.batch("collide", [(tree("cube"), None)] * 2, bad)


if __name__ == "__main__":
    unittest.main()
