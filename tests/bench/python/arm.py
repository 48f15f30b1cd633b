#!/usr/bin/python3
"""arm.py LOOPS [CONFIGURATIONS [STEPS]]: an arm of 7 links with all of its 21 pairs, from Python beside FCL's C++ library.

LOOPS is the shared library of loops.cpp, which loops in C++ and so costs less than a Python package around FCL. Both
answer for all pairs of all configurations; the time of kiln includes forward kinematics from joint angles.
Configurations are ways of STEPS steps (100) between random ones, as planners ask about; 1: all are random. One thread
and the time of its processor; where there are more, the time of a clock.
"""
import ctypes
import os
import sys
import tempfile
import time

import kiln
import numpy as np

LINKS, LENGTH = 7, 0.36


def link_mesh(seed, k=22):
    """A link as cast housings are: long, with ribs and bumps: 12 k^2 triangles, (vertices, triangles).

    Of a cube's faces, so that no vertex has more than six triangles: where many meet at one, all of them are equally
    near to something, which takes any library long.
    """
    random = np.random.default_rng(seed)
    i, j = np.meshgrid(np.arange(k + 1), np.arange(k + 1), indexing="ij")
    s, t = np.tan((2 * i / k - 1) * np.pi / 4), np.tan((2 * j / k - 1) * np.pi / 4)
    faces = []
    for axis in range(3):
        for sign in (1, -1):
            p = np.stack([np.full(s.shape, float(sign)), s, sign * t], -1)
            faces.append(np.roll(p, axis, -1).reshape(-1, 3))
    p = np.concatenate(faces)
    p /= np.linalg.norm(p, axis=1)[:, None]
    quads = ((i * (k + 1) + j)[:-1, :-1, None] + [0, k + 1, k + 2, 1]).reshape(-1, 4)
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    triangles = np.concatenate([triangles + face * (k + 1) ** 2 for face in range(6)])
    # Vertices at the seams are one.
    _, first, which = np.unique(np.round(p, 9), axis=0, return_index=True, return_inverse=True)
    p, triangles = p[first], which.reshape(-1)[triangles]
    u, v = np.arctan2(p[:, 1], p[:, 0]), np.arccos(np.clip(p[:, 2], -1, 1))
    a, b = random.integers(3, 8, 2)
    bumps = (0.12 * np.sin(a * u) * np.sin(b * v) + 0.06 * np.cos(9 * v)) * np.sin(v)
    r = 0.075 * (1 + bumps) * np.sin(v) ** 0.6
    z = 0.5 * LENGTH * (1 - 0.94 * np.cos(v))
    return np.stack([r * np.cos(u), r * np.sin(u), z], -1), triangles


def write_arm(folder):
    parts = []
    for i in range(LINKS):
        vertices, triangles = link_mesh(i)
        with open(os.path.join(folder, f"link{i}.obj"), "w") as file:
            file.writelines("v %r %r %r\n" % tuple(p) for p in vertices.tolist())
            file.writelines("f %d %d %d\n" % tuple(t) for t in (triangles + 1).tolist())
        parts.append(f'<link name="link{i}"><collision><geometry><mesh filename="link{i}.obj"/></geometry>'
                     "</collision></link>")
    for i in range(LINKS - 1):
        axis = ("0 1 0", "0 0 1", "1 0 0")[i % 3]
        parts.append(f'<joint name="joint{i}" type="revolute"><parent link="link{i}"/><child link="link{i + 1}"/>'
                     f'<origin xyz="0 0 {LENGTH}"/><axis xyz="{axis}"/>'
                     '<limit lower="-2.6" upper="2.6" effort="1" velocity="1"/></joint>')
    path = os.path.join(folder, "arm.urdf")
    with open(path, "w") as file:
        print('<robot name="arm">', *parts, "</robot>", sep="\n", file=file)
    return path


def timed(function, clock=time.thread_time):
    begin = clock()
    answer = function()
    return clock() - begin, answer


def main():
    loops = ctypes.CDLL(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    with tempfile.TemporaryDirectory() as folder:
        scene = kiln.Scene.from_urdf(write_arm(folder), allow_adjacent=False)
    trees = [scene.tree(name) for name in scene.names]
    triangles = [tree.triangles() for tree in trees]
    steps = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    ends = np.random.default_rng(3).uniform(*scene.robot.limits.T, (count // steps + 1, LINKS - 1))
    part = (np.arange(count) % steps / steps)[:, None]
    way = np.arange(count) // steps
    configurations = (1 - part) * ends[way] + part * ends[np.minimum(way + 1, len(ends) - 1)]
    print(f"{LINKS} links, {sum(map(len, triangles))} triangles, {len(scene.pairs)} pairs, {count} configurations, "
          f"ways of {steps}")

    kiln_hits, hits = timed(lambda: scene.collide_all(configurations, threads=1)["found"])
    kiln_first, first = timed(lambda: scene.collides(configurations, threads=1))
    kiln_distances, distances = timed(lambda: scene.distances(configurations, threads=1)["distance"])
    kiln_minimum, minimum = timed(lambda: scene.min_distance(configurations, threads=1)["distance"])
    threads_hits, again = timed(lambda: scene.collide_all(configurations)["found"], time.perf_counter)
    threads_distances, other = timed(lambda: scene.distances(configurations)["distance"], time.perf_counter)
    assert (again == hits).all() and (other == distances).all() and (first == hits.any(1)).all()
    assert (minimum == distances.min(1)).all() and ((distances == 0) == hits).all()

    poses, _ = scene.robot.forward(configurations)
    placed = np.ascontiguousarray(np.stack([np.broadcast_to(poses[scene.link(name)], (count, 4, 4))
                                            for name in scene.names], 1))
    corners = np.ascontiguousarray(np.concatenate(triangles))
    sizes = (ctypes.c_size_t * LINKS)(*map(len, triangles))
    pairs = np.array([[scene.names.index(name) for name in pair] for pair in scene.pairs], np.int32)
    pointer = lambda array: array.ctypes.data_as(ctypes.c_void_p)  # noqa: E731
    fcl = {}
    for best, name in ((1, "FCL, OBB and RSS"), (0, "FCL, OBBRSS (python-fcl's)")):
        fcl_hits, fcl_distances = np.zeros(hits.shape, np.uint8), np.zeros(hits.shape)
        seconds = ctypes.c_double(), ctypes.c_double()
        loops.loop_fcl(pointer(corners), sizes, ctypes.c_size_t(LINKS), pointer(placed), ctypes.c_size_t(count),
                       pointer(pairs), ctypes.c_size_t(len(pairs)), best, pointer(fcl_hits), pointer(fcl_distances),
                       ctypes.byref(seconds[0]), ctypes.byref(seconds[1]))
        fcl[name] = [s.value for s in seconds]
        differ = fcl_hits.astype(bool) != hits
        apart = ~hits & (fcl_distances > 0)
        relative = np.abs(fcl_distances - distances)[apart] / distances[apart]
        print(f"{name}: {int(differ.sum())} of {hits.size} boolean answers differ (kiln's distance there: "
              f"{distances[differ].max() if differ.any() else 0:.1e} at most), {int(hits.sum())} meet; distances "
              f"differ by up to {relative.max():.1e} of themselves, {int((relative > 1e-6).sum())} by more than 1e-6")

    queries = hits.size
    print(f"{'':32} {'boolean, us':>12} {'distance, us':>13} {'ratio':>8} {'ratio':>8}")
    row = lambda name, a, b: print(f"{name:32} {a / queries * 1e6:12.3f} {b / queries * 1e6:13.3f} "  # noqa: E731
                                   f"{best_hits / a:8.2f} {best_distances / b:8.2f}")
    best_hits, best_distances = fcl["FCL, OBB and RSS"]
    for name, (a, b) in fcl.items():
        row(name, a, b)
    row("kiln from Python", kiln_hits, kiln_distances)
    row(f"kiln from Python, {os.cpu_count()} threads", threads_hits, threads_distances)
    print(f"a configuration: any pair meets {kiln_first / count * 1e6:.2f} us, least distance "
          f"{kiln_minimum / count * 1e6:.2f} us; ratios are to the faster of FCL's volumes")


main()
