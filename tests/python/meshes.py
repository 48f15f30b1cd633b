"""Meshes for the tests, of numpy, and brute force."""
import functools

import kiln
import numpy as np


def torus(major, minor, n=24, m=12, bumps=0.0):
    """(vertices float32 [n m, 3], triangles [2 n m, 3]) of a closed torus about the z axis."""
    u, v = np.meshgrid(np.arange(n) * 2 * np.pi / n, np.arange(m) * 2 * np.pi / m, indexing="ij")
    r = minor * (1 + bumps * np.sin(5 * u) * np.cos(3 * v))
    points = np.stack([(major + r * np.cos(v)) * np.cos(u), (major + r * np.cos(v)) * np.sin(u), r * np.sin(v)], -1)
    i, k = np.meshgrid(np.arange(n), np.arange(m), indexing="ij")
    at = lambda a, b: (a % n) * m + b % m  # noqa: E731
    quads = np.stack([at(i, k), at(i + 1, k), at(i + 1, k + 1), at(i, k + 1)], -1).reshape(-1, 4)
    return points.reshape(-1, 3).astype(np.float32), np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def cube(size=1.0):
    """A closed cube from 0 to size."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], np.float32) * np.float32(size)
    return corners, np.array([[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
                              [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]])


@functools.lru_cache(None)
def baked(name):
    """The file of a mesh by name, baked once."""
    return kiln.bake({"torus": lambda: torus(2, 0.7, bumps=0.2), "ring": lambda: torus(1, 0.3),
                      "cube": cube}[name](), bv="obb,aabb,dop14")


def tree(name, kind="obb"):
    return baked(name).find(kind=kind)


def random_poses(random, n, spread, scale=False):
    q = random.normal(size=(n, 4))
    q /= np.linalg.norm(q, axis=1)[:, None]
    return kiln.pose(q, random.uniform(-spread, spread, (n, 3)), random.uniform(0.5, 2, n) if scale else 1.0)
