#!/usr/bin/python3
"""A robot of URDF beside a table: which of many configurations are free, and how near the arm comes.

Every line of output is written behind it as "#> ..."; the tests hold it to that.
"""
import kiln
import numpy as np

LINK = """<link name="{name}"><collision><origin xyz="0 0 {middle}"/>
  <geometry><box size="{width} {width} {length}"/></geometry></collision></link>"""
JOINT = """<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>
  <origin xyz="0 0 {up}"/><axis xyz="{axis}"/><limit lower="-2.9" upper="2.9" effort="1" velocity="1"/></joint>"""

# A small arm, as files would have it: four links of 0.5 m, joints about z and y in turn.
parts = [LINK.format(name=f"link{i}", middle=0.25, width=0.1, length=0.4) for i in range(4)]
parts += [JOINT.format(name=f"joint{i}", parent=f"link{i}", child=f"link{i + 1}", up=0.5,
                       axis="0 0 1" if i == 0 else "0 1 0") for i in range(3)]
with open("arm.urdf", "w") as file:
    print('<robot name="arm">', *parts, "</robot>", sep="\n", file=file)

scene = kiln.Scene.from_urdf("arm.urdf")
print(scene.joints, len(scene.pairs))
#> ['joint0', 'joint1', 'joint2'] 3

# A table beside it, which is a mesh of arrays.
plate = np.array([[x, y, z] for x in (0.4, 1.4) for y in (-1, 1) for z in (0.55, 0.6)])
triangles = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
             [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
scene.add("table", kiln.bake((plate, triangles))[0])
print(scene.pairs[2:])
#> [('link0', 'table'), ('link1', 'link3'), ('link1', 'table'), ('link2', 'table'), ('link3', 'table')]

# 10,000 configurations in one call: on all processors, without the interpreter's lock.
random = np.random.default_rng(1)
configurations = random.uniform(*scene.robot.limits.T, (10000, 3))
free = ~scene.collides(configurations)
print(free.shape, 0.3 < free.mean() < 0.95)
#> (10000,) True

# How near does the arm come to anything on a way, and where is it nearest?
way = np.linspace([0, 0, 0], [0, 1.9, 0.6], 50)
nearest = scene.min_distance(way)
at = int(np.argmin(nearest["distance"]))
print(scene.pairs[nearest["pair"][at]], bool(nearest["distance"][at] == 0) == bool(scene.collides(way).any()))
#> ('link3', 'table') True

# The first configuration of the way that is not free.
number, hit = scene.path_collision(way)
print(number is not None and not scene.collides(way[:number]).any())
#> True
