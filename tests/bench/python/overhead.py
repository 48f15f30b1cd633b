#!/usr/bin/python3
"""overhead.py LOOPS: what a query costs beyond the library when it is made from Python, one by one and many at once.

LOOPS is the shared library of loops.cpp. The best of several rounds, in which the ways take turns; nanoseconds of the
processor.
"""
import ctypes
import sys
import time

import kiln
import numpy as np

ROUNDS, QUERIES = 15, 10000


def torus(n, m):
    u, v = np.meshgrid(np.arange(n) * 2 * np.pi / n, np.arange(m) * 2 * np.pi / m, indexing="ij")
    r = 0.7 * (1 + 0.2 * np.sin(5 * u) * np.cos(3 * v))
    points = np.stack([(2 + r * np.cos(v)) * np.cos(u), (2 + r * np.cos(v)) * np.sin(u), r * np.sin(v)], -1)
    i, k = np.meshgrid(np.arange(n), np.arange(m), indexing="ij")
    at = lambda a, b: (a % n) * m + b % m  # noqa: E731
    quads = np.stack([at(i, k), at(i + 1, k), at(i + 1, k + 1), at(i, k + 1)], -1).reshape(-1, 4)
    return points.reshape(-1, 3).astype(np.float32), np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def main():
    loops = ctypes.CDLL(sys.argv[1])
    loops.loop_kiln.restype = ctypes.c_double
    data = kiln.bake_bytes(torus(64, 32), layout="raw")[0]
    tree = kiln.open(data)[0]
    random = np.random.default_rng(1)
    q = random.normal(size=(QUERIES, 4))
    q /= np.linalg.norm(q, axis=1)[:, None]
    print(f"{'':17} {'one by one':^30} {'many at once':^30}")
    print(f"{'question':9} {'poses':7} " + f"{'C':>10} {'Python':>9} {'beyond C':>9} " * 2)
    for question, function in (("collide", kiln.collide), ("distance", kiln.distance)):
        for name, spread in (("apart", 40.0), ("near", 4.5)):
            away = random.normal(size=(QUERIES, 3))
            away *= spread / np.linalg.norm(away, axis=1)[:, None]
            poses = kiln.pose(q, away)
            if question == "distance":
                poses = poses[: QUERIES // 10]
            count = len(poses)
            single = list(poses)
            best = [np.inf] * 5
            total = ctypes.c_double()
            for _ in range(ROUNDS):
                for batch in 0, 4:
                    best[batch] = min(best[batch], loops.loop_kiln(
                        data, ctypes.c_size_t(len(data)), data, ctypes.c_size_t(len(data)),
                        poses.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(count), question == "distance", batch,
                        ctypes.byref(total)))
                begin = time.thread_time()
                for pose in single:
                    function(tree, None, tree, pose)
                best[1] = min(best[1], time.thread_time() - begin)
                begin = time.thread_time()
                for pose in single:
                    pass
                best[2] = min(best[2], time.thread_time() - begin)
                begin = time.thread_time()
                answers = function(tree, None, tree, poses, threads=1)
                best[3] = min(best[3], time.thread_time() - begin)
            mine = answers["distance" if question == "distance" else "found"].sum()
            assert abs(mine - total.value) <= 1e-9 * abs(mine), (mine, total.value)
            c, one, empty, many, c_many = (seconds / count * 1e9 for seconds in best)
            print(f"{question:9} {name:7} {c:10.1f} {one - empty:9.1f} {one - empty - c:9.1f} "
                  f"{c_many:10.1f} {many:9.1f} {many - c_many:9.1f}")


main()
