#!/usr/bin/python3
"""Bakes two meshes from arrays, and asks what a level and a prop have to do with each other.

Every line of output is written behind it as "#> ..."; the tests hold it to that.
"""
import kiln
import numpy as np


def box(lower, upper):
    """The 12 triangles of a box: (vertices [8, 3], triangles [12, 3])."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], np.float32)
    triangles = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
                 [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
    return np.asarray(lower, np.float32) + corners * (np.subtract(upper, lower)).astype(np.float32), triangles


# A floor and a wall, of two materials; a crate.
floor, wall = box([-8, -8, -1], [8, 8, 0]), box([4, -8, 0], [5, 8, 3])
level = kiln.bake([kiln.Mesh(*floor, [0] * 12, ["concrete", "brick"], "floor"),
                   kiln.Mesh(*wall, [1] * 12, ["concrete", "brick"], "wall")])[0]
crate = kiln.bake(box([-0.5, -0.5, 0], [0.5, 0.5, 1]))[0]
print(level.triangle_count, level.closed, crate.bounds.tolist())
#> 24 closed [[-0.5, -0.5, 0.0], [0.5, 0.5, 1.0]]

# Does it meet, and how far away is it?
raised = kiln.pose(translation=[0, 0, 0.25])
print(bool(kiln.collide(level, None, crate, raised)), kiln.distance(level, None, crate, raised).distance)
#> False 0.25

# A push towards the wall, in steps: which is the first that meets it, and what does it meet?
steps = kiln.pose(translation=np.linspace([0, 0, 0.25], [5, 0, 0.25], 101))
hits = kiln.collide(level, None, crate, steps)
first = int(np.argmax(hits["found"]))
print(first, steps[first, 0, 3], level.source(int(hits["a"][first])).mesh_name)
#> 70 3.5 wall

# Where, and how deep?
summary = kiln.contacts_summary(level, None, crate, steps[80])
print(summary.count > 0, np.round(summary.upper - summary.lower, 3).tolist())
#> True [0.0, 1.0, 1.0]

# What stands below a point, seen from above?
hit = kiln.rays(level, [6, 0, 10], [0, 0, -1])
print(hit.t, level.source(hit.triangle).material, kiln.Side(hit.side).name)
#> 10.0 concrete FRONT

# Are points inside the crate?
print(kiln.locate(crate, [[0, 0, 0.5], [0, 0, 2], [0.5, 0, 0.5]]).tolist(), kiln.locate(crate, [0, 0, 0.5]).name)
#> [1, 0, 2] INSIDE

# What is in the blast?
print(bool(kiln.overlap(crate, kiln.sphere([2, 0, 0.5], 1.5))), bool(kiln.overlap(crate, kiln.sphere([2, 0, 0.5], 1.4))))
#> True False
