#!/usr/bin/env python3
"""A reader of kiln files written from formats/hierarchy.md, formats/bins.md and formats/axes.md alone ("section"
below is one of hierarchy.md, "bins" one of bins.md, "axes" one of axes.md). It shares nothing with the library, and so shows that
the documents are enough, and that the library does what they say. Slow, standard library only.

    independent_reader.py FILE...

Checks every rule, hash and box; prints what it found, last a SHA-256 over the triangles in order of
ids. Boxes: binary64, and where a point is within TOLERANCE of a side, exact rational numbers.
"""
import hashlib
import json
import math
import struct
import sys
import zlib
from collections import Counter, namedtuple
from fractions import Fraction

NONE, M32, M64, BLOCK = 0xFFFFFFFF, 0xFFFFFFFF, 2**64 - 1, 131072
MAGIC = bytes.fromhex("8B4B4C4E0D0A1A0A")
TOLERANCE = 1e-9  # far above what binary64 can err by on numbers below 4096

# Section 6: size of an element, whether marked required, least and most in a model
KINDS = {"TREE": (112, 1, 1, 1), "STRS": (1, 1, 1, 1), "META": (1, 0, 1, 1), "PART": (32, 0, 1, 1),
         "MATL": (4, 0, 1, 1), "FACE": (4, 0, 0, 1), "USER": (4, 0, 0, 1), "TRID": (4, 1, 1, 1),
         "TRIS": (12, 1, 1, 1), "VERT": (12, 1, 1, 1), "ORDR": (4, 1, 0, 1), "REFS": (4, 1, 0, 1),
         "OCTP": (4, 0, 0, 1),
         "OCT8": (80, 1, 0, 1), "OBB8": (128, 1, 0, 1),
         "AAB8": (80, 1, 0, 1), "OBB2": (160, 1, 0, 1), "AAB2": (80, 1, 0, 1), "DOP8": (144, 1, 0, 1),
         "SPH8": (72, 1, 0, 1),
         "DP06": (80, 1, 0, 1), "DP18": (176, 1, 0, 1), "DP24": (224, 1, 0, 1), "DP26": (240, 1, 0, 1),
         "ADBT": (32, 0, 0, 1), "ADBB": (12, 0, 0, 1), "ADBW": (64, 0, 0, 1)}
TABLE_KINDS = {"BINS": 1, "BROW": 1, "BF32": 1, "BU16": 1}  # bins: required
AXES_KINDS = {"AXES": 1, "AXVE": 1, "AXZO": 1}  # axes: required
NODE_KIND = {1: ("OBB8", 8), 2: ("AAB8", 8), 3: ("OBB2", 2), 4: ("AAB2", 2), 5: ("DOP8", 8),
             6: ("DP06", 8), 7: ("DP18", 8), 8: ("DP24", 8), 9: ("DP26", 8), 10: ("SPH8", 8),
             11: ("OCT8", 8)}
OCTREE = 11
# Section 9.5: directions of slabs
CORNERS = ((1, 1, 1), (1, -1, 1), (1, 1, -1), (1, -1, -1))
EDGES = ((1, 1, 0), (1, -1, 0), (1, 0, 1), (1, 0, -1), (0, 1, 1), (0, 1, -1))
SLABS = {5: CORNERS, 6: (), 7: EDGES, 8: CORNERS[1:] + EDGES, 9: CORNERS + EDGES}

Entry = namedtuple("Entry", "kind flags codec transform element offset stored raw crc align zero")
Tree = namedtuple("Tree", "name bv leaf_max node_first order_first tri_first tri_count node_count "
                          "depth origin scale lower upper geometry closed references")
Node = namedtuple("Node", "org exp inner child tri count half_exp body")


class Refused(Exception):
    """The file breaks a rule, or is none."""


def need(condition, rule, what=""):
    if not condition:
        raise Refused(f"{rule}: {what}")


def f32(x):
    """The nearest binary32. One +, -, * or / of two in binary64, then this, is that of binary32."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


def column(data, kind):
    return struct.unpack(f"<{len(data) // struct.calcsize(kind)}{kind}", data)


# ------------------------------------------------------------------ sections 3 and 4, the container

def read_header(data):
    need(data[:8] == MAGIC[:len(data)], "foreign", "not a kiln file")
    need(len(data) >= 128, "incomplete", "shorter than a header")
    major, minor, crc, size, required, optional, count, entry_size = struct.unpack("<HHIQQQII", data[8:48])
    need(major == 1, "version", f"{major}.{minor}")  # any minor
    need(1 <= count <= 256 and entry_size == 64, "R3")
    need(len(data) >= size, "incomplete", "shorter than it says")
    need(len(data) == size, "R1")
    need(size >= 128 + 64 * count, "R4", "table outside the file")
    table = data[128:128 + 64 * count]
    need(zlib.crc32(table, zlib.crc32(data[:12] + bytes(4) + data[16:128])) == crc, "checksum", "header")
    need(required == 0, "feature", f"{required:x}")
    need(not any(data[80:128]), "R2", "header")
    return (major, minor), optional, data[48:64], [
        Entry(e[0].decode("latin-1"), *e[1:])
        for e in struct.iter_unpack("<4sIHHIQQQII16s", table)]


def check_entries(data, entries):
    end = 128 + 64 * len(entries)
    for e in entries:
        known = e.kind in KINDS or e.kind in TABLE_KINDS or e.kind in AXES_KINDS
        need(known or not e.flags & 1, "kind", f"{e.kind} is required and not known")
        need(not any(e.zero), "R2", e.kind)
        need(e.flags < 4 and e.codec < 2 and e.transform <= 6, "R6", e.kind)
        need(e.align in [1 << i for i in range(6, 17)] and e.offset % e.align == 0, "R4", e.kind)
        need(end <= e.offset and e.offset + e.stored <= len(data), "R4", e.kind)
        need(not any(data[end:e.offset]), "R2", f"padding before {e.kind}")
        need(1 <= e.element <= BLOCK and e.raw % e.element == 0, "R5", e.kind)
        need(e.kind not in KINDS or e.element == KINDS[e.kind][0], "R5", e.kind)
        need(e.codec == 1 or (e.transform == 0 and e.raw == e.stored), "R6", e.kind)
        fits = [True, True, e.element % 4 == 0, e.element % 2 == 0, e.element % 4 == 0,
                e.element % 8 == 0 and 40 <= e.element <= 256, e.element == 12]
        need(fits[e.transform], "R6", f"{e.kind}, transform {e.transform}")
        end = e.offset + e.stored
    need(end == len(data), "R1", "the last section does not end the file")


def sections_of(data, entries):
    """[kind, element size, decoded bytes], continued ones as one."""
    sections, last = [], {}
    for e in entries:
        stored = data[e.offset:e.offset + e.stored]
        decoded = stored if e.codec == 0 else inflate(e, stored)
        need(e.codec == 1 or zlib.crc32(stored) == e.crc, "checksum", e.kind)
        if e.flags & 2:
            need(e.kind in last, "R6", f"{e.kind} continues nothing")
            before, section = last[e.kind]
            need(before.codec == e.codec == 1 and before.transform == e.transform
                 and before.element == e.element and before.raw > 0
                 and before.raw % (BLOCK - BLOCK % e.element) == 0, "R6", f"{e.kind} continues")
            section[2] += decoded
        else:
            section = [e.kind, e.element, decoded]
            sections.append(section)
        last[e.kind] = (e, section)
    return sections


def hash_content(sections):
    sha = hashlib.sha256()
    for kind, _, decoded in sections:
        sha.update(kind.encode("latin-1") + struct.pack("<Q", len(decoded)) + decoded)
    return sha.digest()[:16]


# --------------------------------------------------------------------- section 5, codecs, transforms

def inflate(e, stored):
    whole = BLOCK - BLOCK % e.element
    count = -(-e.raw // whole)
    need(len(stored) >= 12 * count, "R8", e.kind)
    need(zlib.crc32(stored[:12 * count]) == e.crc, "checksum", f"{e.kind}, block table")
    at, left, out = 12 * count, e.raw, []
    for size, raw, crc in struct.iter_unpack("<III", stored[:12 * count]):
        need(raw == min(whole, left) and raw <= size * (16512 if e.transform > 4 else 1032), "R8")
        need(at + size <= len(stored), "R8", e.kind)
        stream = stored[at:at + size]
        need(zlib.crc32(stream) == crc, "checksum", f"{e.kind}, a block")
        inflater = zlib.decompressobj(-15)
        try:
            block = inflater.decompress(stream, BLOCK + 1)
        except zlib.error as error:
            raise Refused(f"stream: {e.kind}: {error}") from error
        need(inflater.eof and not inflater.unused_data and len(block) <= BLOCK, "stream", e.kind)
        need(e.transform > 4 or len(block) == raw, "stream", e.kind)
        out.append(bytes(INVERSES[e.transform](block, raw // e.element, e.element)))
        at, left = at + size, left - raw
    need(at == len(stored), "R8", e.kind)
    return b"".join(out)


def planes(block, n, size):
    out = bytearray(n * size)
    for j in range(size):
        out[j::size] = block[j * n:(j + 1) * n]
    return out


def unsigned(w):
    return (w >> 1) ^ -(w & 1)


def delta(block, n, size):
    words, row = list(column(planes(block, n, size), "I")), size // 4
    for i, w in enumerate(words):
        words[i] = (unsigned(w) + (words[i - row] if i >= row else 0)) & M32
    return struct.pack(f"<{len(words)}I", *words)


def curves(block, n, size, kind, mask):
    words = list(column(planes(block, n, size), kind))
    row = size // struct.calcsize(kind)
    steps = [0] * row
    for i, w in enumerate(words):
        steps[i % row] += unsigned(w)
        words[i] = (steps[i % row] + (words[i - row] if i >= row else 0)) & mask
    return struct.pack(f"<{len(words)}{kind}", *words)


def nibbles(four):
    return [four[k // 2] >> 4 * (k % 2) & 15 for k in range(8)]


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        need(self.at + size <= len(self.data), "stream", "too short")
        self.at += size
        return self.data[self.at - size:self.at]

    def words(self, n):
        return column(planes(self.take(4 * n), n, 4), "I")

    def end(self):
        need(self.at == len(self.data), "stream", "bytes left")


def lanes(block, n, size):
    """Transform 5."""
    out, cursor = bytearray(n * size), Cursor(block)
    for offset in (15, 24, 25, 26, 27, 12, 13, 14, 28, *range(12)):
        out[offset::size] = cursor.take(n)
    tri, used, parents = 0, [], []
    for node, w in zip(range(0, n * size, size), cursor.words(n)):
        inner, counts = out[node + 15], nibbles(out[node + 24:node + 28])
        tri = (tri + unsigned(w)) & M32
        struct.pack_into("<I", out, node + 20, tri)
        tri += sum(counts)
        used += [node + 32 + k for k in range(8) if inner >> k & 1 or counts[k]]
        parents += [node] if inner else []
    child = 0
    for node, w in zip(parents, cursor.words(len(parents))):
        child = (child + unsigned(w)) & M32
        struct.pack_into("<I", out, node + 16, child)
        child += bin(out[node + 15]).count("1")
    halves = [80 + 16 * k + high for high in (0, 1) for k in range(3)]
    for j in range((size - 32) // 8):
        plane = cursor.take(len(used))
        for at, byte in zip(used, plane):
            lane = at % size - 32
            node = at - 32 - lane
            out[node + (halves[j - 6] + 2 * lane if size == 128 and j > 5 else 32 + 8 * j + lane)] = byte
    cursor.end()
    return out


def edges(block, n, _):
    """Transform 6."""
    cursor = Cursor(block)
    following, corner_count, far_count = column(cursor.take(12), "I")
    edge_codes = cursor.take(n)
    codes = iter(cursor.take(corner_count))
    far = iter(cursor.words(far_count))
    cursor.end()
    triangles, remembered = [], []

    def read():
        nonlocal following
        code = next(codes, None)
        need(code is not None and (code <= 16 or code == 255), "stream", "corner code")
        if 1 <= code <= 16:
            return remembered[-code] if code <= len(remembered) else 0
        if code == 0:
            corner, following = following, (following + 1) & M32
        else:
            word = next(far, None)
            need(word is not None, "stream", "far corner")
            corner = (following - word) & M32
        remembered.append(corner)
        return corner

    for code in edge_codes:
        if code == 255:
            triangles.append([read(), read(), read()])
            continue
        b, k, r = code // 9, code // 3 % 3, code % 3
        need(code < 252 and b < len(triangles), "stream", "edge code")
        e, triangle = triangles[-1 - b], [0, 0, 0]
        triangle[r], triangle[(r + 1) % 3] = e[(k + 1) % 3], e[k]
        triangle[(r + 2) % 3] = read()
        triangles.append(triangle)
    need(next(codes, None) is None and next(far, None) is None, "stream", "codes left")
    return b"".join(struct.pack("<3I", *t) for t in triangles)


INVERSES = [lambda block, n, size: block, planes, delta,
            lambda block, n, size: curves(block, n, size, "H", 0xFFFF),
            lambda block, n, size: curves(block, n, size, "I", M32), lanes, edges]


# ------------------------------------------------------------------------ sections 6 to 8, the model

class Model:
    """Decoded sections of a file without a table, by kind, and what they mean."""

    def __init__(self, sections):
        self.raw = {kind: decoded for kind, _, decoded in sections}
        self.strings = self.raw["STRS"]
        self.trees = []
        for t in struct.iter_unpack("<IHHIIIIIIdddi3f3f16sII4s", self.raw["TREE"]):
            need(not any(t[-1]), "R2", "TREE")
            self.trees.append(Tree(*t[:9], t[9:12], t[12], t[13:16], t[16:19], t[19], t[20], t[21]))
        self.parts = list(struct.iter_unpack("<8I", self.raw["PART"]))
        self.materials = column(self.raw["MATL"], "I")
        self.ids = column(self.raw["TRID"], "I")
        self.triangles = list(struct.iter_unpack("<3I", self.raw["TRIS"]))
        self.vertices = list(struct.iter_unpack("<3f", self.raw["VERT"]))
        self.order = column(self.raw.get("ORDR", b""), "I")
        self.references = column(self.raw.get("REFS", b""), "I")
        self.polygons = bool(self.triangles)
        self.count = len(self.triangles) or max(t.tri_first + t.tri_count for t in self.trees)

    def string(self, offset):
        """R14, and as written: an offset points at a first byte."""
        need(offset < len(self.strings), "R14")
        need(offset == 0 or self.strings[offset - 1] == 0, "section 6", "not a first byte")
        return self.strings[offset:self.strings.index(b"\0", offset)]

    def corners(self, stored):
        return [self.vertices[i] for i in self.triangles[stored]]

    def stored(self, tree, slot):
        if tree.bv == OCTREE:
            return self.references[tree.order_first + slot] >> 2
        return self.order[tree.order_first + slot] if tree.order_first != NONE else tree.tri_first + slot

    def check(self):
        self.strings.decode("utf-8")
        need(self.strings[:1] == b"\0" and self.strings[-1:] == b"\0", "R14")
        meta = json.loads(self.raw["META"].decode("utf-8"))
        need(meta == {} or meta["schema"] == "kiln-meta-1", "section 7")
        n = len(self.triangles)
        for kind, size in (("TRID", 4), ("FACE", 4), ("USER", 4)):
            need(len(self.raw.get(kind, bytes(size * n))) == size * n, "R9", kind)
        if not n:
            need(not self.vertices and "ADBT" in self.raw and "ORDR" not in self.raw and "REFS" not in self.raw
                 and len(self.raw["ADBT"]) == 32 * len(self.trees), "R9", "no polygons")
        need(all(math.isfinite(x) for v in self.vertices for x in v), "R10")
        need(all(i < len(self.vertices) for t in self.triangles for i in t), "R11")
        need(sorted(self.ids) == list(range(n)), "R12", "TRID is no permutation")
        need(self.parts, "R9", "PART")
        for offset in self.materials:
            self.string(offset)
        following = 0
        for first, count, path, mesh, _, _, face, user in self.parts:
            need(first == following, "R13")
            need(face == 0 or "FACE" not in self.raw, "R2", "PART")
            need(user == 0 or "USER" not in self.raw, "R2", "PART")
            self.string(path), self.string(mesh)
            following += count
        need(following == self.count, "R13")
        need(1 <= len(self.trees) <= 1048576, "R15", "number of trees")
        nodes, ordered, referred = Counter(), 0, 0
        for t in self.trees:
            self.string(t.name)
            need(t.bv in NODE_KIND and 1 <= t.leaf_max <= 15 and t.closed <= 2, "R15")
            need(t.node_first == nodes[t.bv] and t.node_count >= 1, "R15", "nodes")
            if t.bv == OCTREE:
                need(t.references >= t.tri_count, "R15", "references")
                need(t.order_first == (referred if n else NONE), "R15", "references")
                referred += t.references if n else 0
            else:
                need(t.references == 0 and t.order_first in (NONE, ordered), "R15", "order")
                ordered += t.tri_count if t.order_first != NONE else 0
            need(t.tri_count >= 1 and t.tri_first + t.tri_count <= self.count, "R15", "triangles")
            need(1 <= t.depth <= 64 and -400 <= t.scale <= 200, "R15")
            need(all(map(math.isfinite, t.origin + t.lower + t.upper)), "R15")
            need(all(a <= b for a, b in zip(t.lower, t.upper)), "R15", "bounds")
            nodes[t.bv] += t.node_count
        need(referred == len(self.references), "R15", "REFS")
        need(ordered == len(self.order), "R15", "ORDR")
        if "OCTP" in self.raw:
            need(n and len(self.raw["OCTP"]) == 4 * nodes[OCTREE], "R9", "OCTP")
            need(all(pairs < 2**28 for pairs in column(self.raw["OCTP"], "I")), "R2", "OCTP")
        for bv, (kind, _) in NODE_KIND.items():
            need(nodes[bv] * KINDS[kind][0] == len(self.raw.get(kind, b"")), "R15", kind)

    def check_geometry(self, t):
        """Section 8: order, bounding box, node space, geometry hash, closed. Points of node space."""
        mine = [self.stored(t, slot) for slot in range(slots_of(t))]
        if t.bv == OCTREE:
            mine = set(mine)
        need(sorted(mine) == list(range(t.tri_first, t.tri_first + t.tri_count)), "R16, R30")
        used = {i for s in mine for i in self.triangles[s]}
        for k in range(3):
            values = [self.vertices[i][k] for i in used]
            need(t.lower[k] == min(values) and t.upper[k] == max(values), "bounds")
        space = {i: [(v - o) * 2.0**-t.scale for v, o in zip(self.vertices[i], t.origin)] for i in used}
        need(all(-1 <= x <= 1 for p in space.values() for x in p), "node space")
        low = high = 0
        ways = Counter()
        for s in mine:
            corners = self.corners(s)
            digest = hashlib.sha256(struct.pack("<9f", *corners[0], *corners[1], *corners[2])).digest()
            a, b = struct.unpack("<QQ", digest[:16])
            low, high = low + a & M64, high + b & M64
            for i in range(3):
                a, b = corners[i], corners[(i + 1) % 3]  # Python's -0.0 and 0.0 are equal, and hash so
                if a != b:
                    ways[a, b] += 1
        need(t.geometry == struct.pack("<QQ", low, high), "geometry hash")
        oriented = all(ways[b, a] == n for (a, b), n in list(ways.items()))
        even = all((ways[b, a] + n) % 2 == 0 for (a, b), n in list(ways.items()))
        need(t.closed == (2 if oriented else 1 if even else 0), "closed", f"says {t.closed}")
        return space

    def digest(self):
        """Over corners, numbers and names of each triangle, by id, as of tests/golden/test_kept.c."""
        sha, n = hashlib.sha256(), len(self.triangles)
        stored = sorted(range(n), key=self.ids.__getitem__)
        faces = column(self.raw["FACE"], "I") if "FACE" in self.raw else None
        users = column(self.raw["USER"], "I") if "USER" in self.raw else None
        for first, count, path, mesh_name, mesh, primitive, face, user in self.parts if n else ():
            names = self.string(path) + b"\0" + self.string(mesh_name) + b"\0"
            for i in range(first, first + count):
                u = users[i] if users else user
                material = self.string(self.materials[u]) if u < len(self.materials) else b""
                f = faces[i] if faces else (face + i - first) & M32
                for corner in self.corners(stored[i]):
                    sha.update(struct.pack("<3f", *corner))
                sha.update(struct.pack("<5I", i, f, u, mesh, primitive) + names + material + b"\0")
        return sha.hexdigest()


# ----------------------------------------------------------------------------------- section 9, nodes

def slots_of(t):
    return t.references if t.bv == OCTREE else t.tri_count


def nodes_of(model, t):
    kind, _ = NODE_KIND[t.bv]
    size = KINDS[kind][0]
    for i in range(t.node_first, t.node_first + t.node_count):
        raw = model.raw[kind][i * size:(i + 1) * size]
        org, exp = struct.unpack("<3f", raw[:12]), raw[12:15]
        inner, child, tri = struct.unpack("<BII", raw[15:24])
        need(all(-1024 <= x <= 1024 for x in org) and all(1 <= e <= 254 for e in exp), "R22", "head")
        if t.bv in (1, 10):
            need(27 <= raw[28] <= 127 or not (inner or any(raw[24:28])), "R22", "half_exp")
        else:
            need(raw[28] == 0, "R2", "half_exp")
        need(not any(raw[29:32]) and (t.bv != 3 or not any(raw[152:])), "R2", "node")
        yield Node(org, exp, inner, child, tri, nibbles(raw[24:28]), raw[28], raw[32:])


def check_nodes(model, t):
    """R17 to R23. Slots below each node's lanes."""
    nodes = list(nodes_of(model, t))
    used, size = NODE_KIND[t.bv][1], 8
    depth, seen, slots, below = {0: 1}, set(), 0, [None] * len(nodes)
    starts = []
    for i, node in enumerate(nodes):
        need(i in depth, "R18", f"node {i} is not reached")
        child, slot, own = node.child, node.tri, []
        for lane in range(size):
            inner, count = node.inner >> lane & 1, node.count[lane]
            need(not (inner and count) and count <= t.leaf_max, "R20")
            need(lane < used or not (inner or count), "R20", "lane of a binary node")
            if inner:
                need(i < child < len(nodes), "R17")
                need(child not in depth, "R18")
                depth[child] = depth[i] + 1
                own.append(child)
                child += 1
            else:
                need(slot + count <= slots_of(t), "R21")
                own.append(range(slot, slot + count) if count else None)
                seen.update(range(slot, slot + count))
                slots += count
                slot += count
        starts.append(own)
    need(max(depth.values()) == t.depth, "R19")
    need(slots == slots_of(t) == len(seen), "R23")
    for i in reversed(range(len(nodes))):
        below[i] = [None if lane is None else list(lane) if isinstance(lane, range)
                    else [s for other in below[lane] if other for s in other] for lane in starts[i]]
    return nodes, below, depth


def box_of(t, node, lane):
    """Sections 9.1 to 9.7: axes, centre (with org, as two terms), half-extents; all exact."""
    unit = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    step = [2.0**(e - 127) for e in node.exp]
    if t.bv == 1:
        rotation = struct.unpack("<24b", node.body[:24])[lane::8]
        half = struct.unpack("<24e", node.body[48:])[lane::8]
        need(-128 not in rotation, "R22", "rotation")
        need(all(math.isfinite(h) and math.copysign(1, h) > 0 for h in half), "R22", "half")
        centre = [c * s for c, s in zip(node.body[24:48][lane::8], step)]
        return rodrigues(rotation), centre, [h * 2.0**(node.half_exp - 127) for h in half]
    if t.bv in (2, OCTREE) or t.bv in SLABS:
        lower, upper = node.body[:24][lane::8], node.body[24:48][lane::8]
        need(all(a <= b for a, b in zip(lower, upper)), "R22", "upper below lower")
        return unit, [(a + b) * s / 2 for a, b, s in zip(lower, upper, step)], [
            (b - a) * s / 2 for a, b, s in zip(lower, upper, step)]
    if t.bv == 10:
        radius = struct.unpack("<e", bytes((node.body[24 + lane], node.body[32 + lane])))[0]
        need(math.isfinite(radius) and math.copysign(1, radius) > 0, "R22", "radius")
        centre = [c * s for c, s in zip(node.body[:24][lane::8], step)]
        return unit, centre, [radius * 2.0**(node.half_exp - 127)] * 3
    numbers = column(node.body[:120 if t.bv == 3 else 48], "f")[lane::2]
    centre, half = numbers[-6:-3], numbers[-3:]
    need(all(-1024 <= c <= 1024 for c in centre) and all(0 <= h <= 1024 for h in half), "R22")
    axes = unit if t.bv == 4 else (numbers[0:3], numbers[3:6], numbers[6:9])
    for i, a in enumerate(axes):
        for j, b in enumerate(axes):
            x = [f32(p * q) for p, q in zip(a, b)]
            need(abs(f32(f32(f32(x[0] + x[1]) + x[2]) - (i == j))) <= 2.0**-19, "R22", "axes")
    return axes, centre, half


def slabs_of(t, node, lane):
    """Section 9.5: direction, centre relative to org, half-width, along each diagonal; exact."""
    directions = SLABS.get(t.bv, ())
    rows, slabs = node.body[48:][lane::8], []
    for d, low, high in zip(directions, rows, rows[len(directions):]):
        need(low <= high, "R22", "upper below lower")
        x, y, z = (2.0**(e - 127) if c else 0.0 for e, c in zip(node.exp, d))
        below = [2.0**(e - 127) if c < 0 else 0.0 for e, c in zip(node.exp, d)]
        step = f32(f32(f32(x + y) + z) * 1.0078125)
        start = f32(f32(-255 * f32(f32(below[0] + below[1]) + below[2])) - step)
        slabs.append((d, f32(f32((low + high) * (step / 2)) + start), f32((high - low) * (step / 2))))
    return slabs


def rodrigues(rotation):
    x, y, z = (f32(r * f32(0.00326152428)) for r in rotation)
    xx, yy, zz, xy, xz, yz = (f32(a * b) for a, b in ((x, x), (y, y), (z, z), (x, y), (x, z), (y, z)))
    s = f32(2 / f32(1 + f32(f32(xx + yy) + zz)))
    t = f32(s - 1)

    def off(a, b):
        return f32(s * f32(a + b))
    rows = ((f32(f32(s * xx) + t), off(xy, -z), off(xz, y)),
            (off(xy, z), f32(f32(s * yy) + t), off(yz, -x)),
            (off(xz, -y), off(yz, x), f32(f32(s * zz) + t)))
    return tuple(zip(*rows))  # axis k is column k


def check_boxes(model, t, space, nodes, below):
    for i, node in enumerate(nodes):
        for lane, slots in enumerate(below[i]):
            if slots is None:
                continue
            axes, centre, half = box_of(t, node, lane)
            if not model.polygons or t.bv == OCTREE:
                continue
            start = [o + c for o, c in zip(node.org, centre)]
            slabs = slabs_of(t, node, lane)
            where = f"node {i}, lane {lane}, vertex"
            for vertex in {v for s in slots for v in model.triangles[model.stored(t, s)]}:
                p = space[vertex]
                d = (p[0] - start[0], p[1] - start[1], p[2] - start[2])
                for axis, h in zip(axes, half):
                    reach = abs(axis[0] * d[0] + axis[1] * d[1] + axis[2] * d[2])
                    if reach > h - TOLERANCE:
                        exact = sum(Fraction(a) * (Fraction(q) - Fraction(o) - Fraction(c))
                                    for a, q, o, c in zip(axis, p, node.org, centre))
                        need(abs(exact) <= Fraction(h), "box", f"{where} {vertex}")
                if t.bv == 10 and math.hypot(*d) > half[0] - TOLERANCE:
                    exact = sum((Fraction(q) - Fraction(o) - Fraction(c))**2
                                for q, o, c in zip(p, node.org, centre))
                    need(exact <= Fraction(half[0])**2, "ball", f"{where} {vertex}")
                for signs, centre_along, h in slabs:
                    along = signs[0] * (p[0] - node.org[0]) + signs[1] * (p[1] - node.org[1]) + \
                        signs[2] * (p[2] - node.org[2])
                    if abs(along - centre_along) > h - TOLERANCE:
                        exact = sum(s * (Fraction(q) - Fraction(o)) for s, q, o in zip(signs, p, node.org))
                        need(abs(exact - Fraction(centre_along)) <= Fraction(h), "slab", f"{where} {vertex}")


def cut(polygon, axis, sign, limit):
    """What of a polygon has sign * x <= sign * limit on the axis."""
    kept = []
    for p, q in zip(polygon, polygon[1:] + polygon[:1]):
        a, b = sign * (p[axis] - limit), sign * (q[axis] - limit)
        if a <= 0:
            kept.append(p)
        if min(a, b) < 0 < max(a, b):
            kept.append(tuple(limit if k == axis else x + a / (a - b) * (y - x)
                              for k, (x, y) in enumerate(zip(p, q))))
    return kept


def check_cells(model, t, space, nodes):
    """Section 9.7: every point of a triangle is in a leaf that holds it, and in the boxes on the way."""
    boxes = {}
    stack = [(0, (-math.inf,) * 3, (math.inf,) * 3)]
    while stack:
        index, lower, upper = stack.pop()
        node, child, slot = nodes[index], nodes[index].child, nodes[index].tri
        for lane in range(8):
            inner, count = node.inner >> lane & 1, node.count[lane]
            if not inner and not count:
                continue
            _, centre, half = box_of(t, node, lane)
            start = [o + c for o, c in zip(node.org, centre)]
            low = tuple(max(a, s - h) for a, s, h in zip(lower, start, half))
            high = tuple(min(a, s + h) for a, s, h in zip(upper, start, half))
            if inner:
                stack.append((child, low, high))
                child += 1
            for s in range(slot, slot + count):
                boxes.setdefault(model.stored(t, s), []).append((low, high))
            slot += count
    for stored in boxes:
        pieces = [[tuple(space[v]) for v in model.triangles[stored]]]
        for low, high in boxes[stored]:
            outside = []
            for piece in pieces:
                for axis, sign, limit in [(k, s, low[k] - TOLERANCE if s < 0 else high[k] + TOLERANCE)
                                          for k in range(3) for s in (-1, 1)]:
                    if any(sign * (p[axis] - limit) > 0 for p in piece):
                        outside.append(cut(piece, axis, -sign, limit))
                        piece = cut(piece, axis, sign, limit)
            pieces = [piece for piece in outside if piece]
        need(not pieces, "cells", f"a part of triangle {stored} is in no leaf")
    order = []
    list_slots(t, nodes, 0, order)
    for step, bit in (1, 1), (-1, 2):  # another slot before, another behind
        seen = set()
        for s in order[::step]:
            reference = model.references[t.order_first + s]
            need(bool(reference & bit) == (reference >> 2 in seen), "section 8", "other slots of a triangle")
            seen.add(reference >> 2)


def list_slots(t, nodes, index, order):
    """All slots in the order of lanes."""
    node, child, slot = nodes[index], nodes[index].child, nodes[index].tri
    for lane in range(8):
        if node.inner >> lane & 1:
            list_slots(t, nodes, child, order)
            child += 1
        order.extend(range(slot, slot + node.count[lane]))
        slot += node.count[lane]


# ----------------------------------------------------------------------------- sections 12, 13, counts

def log2_digits(n):
    """L(n), section 12."""
    digits = n.bit_length() - 1
    x = n << 31 - digits
    for _ in range(24):
        x = x * x >> 31
        digits = 2 * digits + (x >= 2**32)
        x >>= x >= 2**32
    return digits


def most_counts(grid, regions):
    """Cells of each region, in the units of stored counts."""
    cells = Counter()
    for at in ((x, y, z) for x in range(grid) for y in range(grid) for z in range(grid)):
        octant = sum((2 * x >= grid) << k for k, x in enumerate(at))
        away = [abs(2 * x + 1 - grid) for x in at]
        axis = next(k for k in (octant % 3, (octant + 1) % 3, (octant + 2) % 3) if away[k] == max(away))
        cells[(0, octant, 2 * axis + (octant >> axis & 1))[regions - 1]] += 1
    unit = -(-max(cells.values()) // 256)
    return [min(255, -(-cells[r] // unit)) for r in range(8)]


def check_count(record, model_depth, most, n, total, depth):
    if not n:
        need(not any(record), "R28", "empty lane")
        return
    need(all(c <= m for c, m in zip(record, most)) and not any(record[10:]), "R28")
    a, b = log2_digits(max(n, 1)), log2_digits(total)
    need(n < 0 or record[8] == (255 if total == 1 else (510 * (b - a) + b) // (2 * b)), "lb", f"{record[8]}")
    need(record[9] == depth <= model_depth, "R28", "depth")


def triangles_in(model, t, slots):
    """-1: some, of an octree whose references were left out."""
    if t.bv != OCTREE:
        return len(slots)
    return len({model.stored(t, s) for s in slots}) if model.polygons else -bool(slots)


def check_counts(model, trees):
    """R27, R28, and what of counts follows without cutting triangles."""
    need(("ADBT" in model.raw) == ("ADBB" in model.raw), "R9", "ADBT, ADBB")
    boxes, following, last = model.raw.get("ADBB", b""), 0, -1
    for tree, first, count, grid, regions, area, polygons, factor, zero in struct.iter_unpack(
            "<IIIBBBBd8s", model.raw.get("ADBT", b"")):
        need(last < tree < len(model.trees) and first == following and grid in (4, 8, 16), "R27")
        t, (nodes, below, depths) = model.trees[tree], trees[tree]
        width = NODE_KIND[t.bv][1]
        need(count == 1 + width * len(nodes) and 1 <= regions <= 3 and 1 <= area <= 2
             and 1 <= polygons <= (1 if t.bv == OCTREE else 2) and 0 < factor <= 1000, "R27")
        need(not any(zero), "R2", "ADBT")
        need(12 * (first + count) <= len(boxes), "R27")
        records = [boxes[12 * i:12 * i + 12] for i in range(first, first + count)]
        most = most_counts(grid, regions)
        check_count(records[0], t.depth, most, t.tri_count, t.tri_count, 0)
        for i in range(len(nodes)):
            mine = sorted(s for slots in below[i] if slots for s in slots)
            need(not mine or mine[-1] - mine[0] == len(mine) - 1, "section 12", "slots")
            for lane in range(width):
                check_count(records[1 + width * i + lane], t.depth, most,
                            triangles_in(model, t, below[i][lane] or ()), t.tri_count, depths[i])
        following, last = first + count, tree
    need(12 * following == len(boxes), "R27", "ADBB")


def check_weights(raw):
    need(len(raw) <= 64 * 64, "R29")
    last = (0, 0)
    for bv, leaf_max, meaning, zero, *w in struct.iter_unpack("<HHHH14f", raw):
        need(last < (bv, leaf_max) and bv in NODE_KIND and 1 <= leaf_max <= 15 and meaning, "R29")
        need(all(-1e6 <= x <= 1e6 for x in w), "R29")
        need(zero == 0 and (meaning > 2 or not any(w[11 + meaning:])), "R2", "ADBW")
        need(meaning > 2 or (0 <= w[5] <= 1 and w[11] > -1), "R29")
        last = (bv, leaf_max)


# -------------------------------------------------------------------------------------- bins, a table

def probability(u, v, w, x):
    below = sum(math.comb(w, t) * math.comb(u - w, v - t) for t in range(x) if t <= v)
    return 1 - Fraction(below, math.comb(u, v))


def check_table(sections):
    raw = {kind: decoded for kind, _, decoded in sections}
    need(len(raw["BINS"]) == 160, "R9", "BINS")
    profile, rounding, max_u, max_x, row_size, zero, cut, unit, kept, beyond, *rest = struct.unpack(
        "<6I4d10Q24s", raw["BINS"])
    counts, zeros = rest[:10], rest[10]
    need(profile in (1, 2) and rounding < 2 and 1 <= max_u <= 4096 and 1 <= max_x <= 10, "R24")
    need(row_size == max(8, 1 << (6 * max_x - 1).bit_length()), "R24", "row_size")
    need(unit == (1 if profile == 1 else 1 / 65536 if rounding else 1 / 65535), "R24", "unit")
    need(all(0 <= x <= 1 for x in (cut, kept, beyond)), "R24")
    need(not zero and not any(zeros) and not any(counts[max_x:]), "R2", "BINS")
    kind, size, code = ("BF32", 4, "f") if profile == 1 else ("BU16", 2, "H")
    segments = [(element, column(d, code)) for k, element, d in sections if k == kind]
    need([e for e, _ in segments] == [size * (max_x - k) for k in range(max_x)], "R5", kind)
    need(("BU16" if profile == 1 else "BF32") not in raw, "R7")
    rows = max_u * (max_u + 1) // 2
    need(len(raw["BROW"]) == rows * row_size, "R9", "BROW")
    starts, total, row = [0] * max_x, [0] * max_x, 0
    for u in range(1, max_u + 1):
        for v in range(1, u + 1):
            data = raw["BROW"][row * row_size:(row + 1) * row_size]
            first = column(data[:4 * max_x], "I")
            length = (0,) + column(data[4 * max_x:6 * max_x], "H")
            need(not any(data[6 * max_x:]), "R2", "BROW")
            need(1 <= length[1] and length[-1] <= u - v + 1, "R25")
            for k in range(max_x):
                need(length[k] <= length[k + 1], "R25")
                need((first[k] + length[k]) & M32 == starts[k], "R25", "first")
                starts[k] += length[k + 1] - length[k]
            row += 1
            for k, (element, values) in enumerate(segments):
                n = max_x - k
                for i in range(length[k], length[k + 1]):
                    record = values[n * ((first[k] + i) & M32):][:n]
                    check_record(record, u, v, v + i, k, (profile, rounding, cut, unit, kept))
            for x in range(1, max_x + 1):
                total[x - 1] += length[x]
                ends = [w for w in range(v, u + 1) if 1 - probability(u, v, w, x) <= cut]
                need(length[x] == (ends[0] if ends else u) - v + 1, "length", f"{u} {v} {x}")
    need(total == list(counts[:max_x]), "R24", "kept")
    need(all(len(s[1]) == (max_x - k) * starts[k] for k, s in enumerate(segments)), "R25", kind)
    return f"profile {profile}, rounding {rounding}, max_u {max_u}, max_x {max_x}, {sum(total)} values"


def check_record(record, u, v, w, k, header):
    profile, rounding, _, unit, kept = header
    need(len(record) == record.count(0) + sum(x > 0 for x in record), "R26")
    need(all(a >= b for a, b in zip(record, record[1:])) and record[0] * unit <= 1, "R26")
    need(all(math.copysign(1, x) > 0 for x in record), "R26", "-0")
    for x, number in enumerate(record, k + 1):
        p = probability(u, v, w, x)
        if profile == 2:
            want = min(p * 65536 // 1, 65535) if rounding else round(p * 65535)
        else:
            want = f32(float(p))
            if rounding and Fraction(want) > p:
                want = below32(want)
        need(number == want, "value", f"{u} {v} {w} {x}: {number}, not {want}")
        need(abs(Fraction(number * unit) - p) <= Fraction(kept), "certificate")


def below32(x):
    return struct.unpack("<f", struct.pack("<I", struct.unpack("<I", struct.pack("<f", x))[0] - 1))[0]


# -------------------------------------------------------------------------------------- axes, a set

def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def check_radius(axes, sine):
    """The sine is not below that of any corner of the axes' and their opposites' Voronoi cells."""
    points = axes + [[-x for x in a] for a in axes]
    for i, a in enumerate(points):
        for j in range(i):
            for k in range(j):
                n = cross([x - y for x, y in zip(points[j], a)], [x - y for x, y in zip(points[k], a)])
                h = dot(n, a)
                if h < 0:
                    n, h = [-x for x in n], -h
                size = dot(n, n)
                if size > 0 and all(dot(n, p) <= h for p in points):
                    need(h * h >= (1 - Fraction(sine) ** 2) * size, "radius")


def check_axes(raw):
    need(len(raw["AXES"]) == 64, "R9", "AXES")
    count, points, kind, cells, radius, sine, zone, *zeros = struct.unpack("<4I3d6I", raw["AXES"])
    need(3 <= count <= min(points, 65536) and kind in (1, 2) and cells <= 1024, "R31")
    need(0 < radius <= 1.6 and 0 < sine <= zone <= 1 and not any(zeros), "R31")
    need(abs(math.sin(radius) - sine) < 1e-9, "sine")
    need(len(raw["AXVE"]) == 24 * count, "R9", "AXVE")
    values = column(raw["AXVE"], "d")
    axes = [[Fraction(x) for x in values[3 * i:3 * i + 3]] for i in range(count)]
    need(all(abs(x) <= 1 and (x * 2**53).denominator == 1 for a in axes for x in a), "R32")
    need(all(abs(dot(a, a) - 1) <= Fraction(1, 2**48) for a in axes), "R32")
    words = (count + 63) // 64
    masks = column(raw.get("AXZO", b""), "Q")
    need(len(masks) == 3 * cells * cells * words and (cells > 0 or "AXZO" not in raw), "R9", "AXZO")
    for cell in range(3 * cells * cells):
        mask = sum(m << 64 * i for i, m in enumerate(masks[cell * words:(cell + 1) * words]))
        need(0 < mask < 1 << count, "R33")
        if cell % 41 == 0:  # the zone of the direction in its middle, exactly
            longest, row, col = cell // cells // cells, cell // cells % cells, cell % cells
            v = [Fraction(1)] * 3
            v[(longest + 1) % 3] = Fraction(2 * col + 1, cells) - 1
            v[(longest + 2) % 3] = Fraction(2 * row + 1, cells) - 1
            for i, a in enumerate(axes):
                if dot(a, v) ** 2 <= Fraction(zone) ** 2 * dot(a, a) * dot(v, v):
                    need(mask >> i & 1, "zone", f"{cell} {i}")
    if count <= 14:
        check_radius(axes, sine)
    return f"{count} axes of {points} points, {math.degrees(radius):.7f} degrees"


# ------------------------------------------------------------------------------------------- the file

def check_kinds(sections):
    """R7: what a file is."""
    kinds = Counter(kind for kind, _, _ in sections)
    known = {k: n for k, n in kinds.items() if k in KINDS or k in TABLE_KINDS or k in AXES_KINDS}
    if "AXES" in known:
        need(set(known) <= {"AXES", "AXVE", "AXZO", "META"} and all(n == 1 for n in known.values()), "R7")
        need("AXVE" in known and "META" in known, "R7")
        return "axes"
    if any(k in TABLE_KINDS for k in known):
        need(set(known) <= {"BINS", "BROW", "BF32", "BU16", "META", "ADBW"}, "R7")
        need(all(known.get(k) == 1 for k in ("BINS", "BROW", "META")) and known.get("ADBW", 0) <= 1, "R7")
        return "table"
    if set(known) == {"ADBW", "META"}:
        need(all(n == 1 for n in known.values()), "R7")
        return "weights"
    need(all(least <= known.get(k, 0) <= most for k, (_, _, least, most) in KINDS.items()), "R7")
    return "model"


def report_model(sections):
    model = Model(sections)
    model.check()
    trees = []
    for t in model.trees:
        nodes, below, depth = check_nodes(model, t)
        space = model.check_geometry(t) if model.polygons else None
        check_boxes(model, t, space, nodes, below)
        if t.bv == OCTREE and model.polygons:  # else there are no references
            check_cells(model, t, space, nodes)
        trees.append((nodes, below, depth))
    check_counts(model, trees)
    check_weights(model.raw.get("ADBW", b""))
    print(f"  triangles {model.count}{'' if model.polygons else ' (without polygons)'}")
    for t in model.trees:
        print(f"  tree {model.string(t.name).decode()!r} {NODE_KIND[t.bv][0]} nodes {t.node_count} "
              f"depth {t.depth} triangles {t.tri_count} closed {t.closed} geometry {t.geometry.hex()}")
    return model.digest()


def report(path):
    with open(path, "rb") as file:
        data = file.read()
    version, optional, content_hash, entries = read_header(data)
    check_entries(data, entries)
    sections = sections_of(data, entries)
    what = check_kinds(sections)
    need(hash_content(sections) == content_hash, "content hash")
    print(f"{path}: {what}, format {version[0]}.{version[1]}")
    print("  sections " + " ".join(f"{kind}:{len(decoded)}" for kind, _, decoded in sections))
    print(f"  content hash {content_hash.hex()} ok")
    digest = "-"
    if what == "model":
        digest = report_model(sections)
        corners = struct.iter_unpack("<3I", dict((k, d) for k, _, d in sections).get("TRIS", b""))
        need(not optional & 1 or all(len(set(c)) == 1 for c in corners), "R34")
    else:
        raw = {kind: decoded for kind, _, decoded in sections}
        json.loads(raw["META"].decode("utf-8"))
        check_weights(raw.get("ADBW", b""))
        if what == "table":
            print("  " + check_table(sections))
        if what == "axes":
            print("  " + check_axes(raw))
    print(f"  digest {digest}")


def main(paths):
    failed = False
    for path in paths:
        try:
            report(path)
        except (Refused, ValueError, KeyError) as error:
            print(f"{path}: refused: {error}")
            failed = True
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
