#!/usr/bin/env python3
"""Writes the FBX models of tests/cases/import that differ in form only: one box in all of them, a binary file or a
text, each with one thing that a program may write and another may not read. Run as fbx_cases.py FOLDER."""
import struct
import sys
import zlib

VERTICES = [0, 0, 0, 2, 0, 0, 0, 3, 0, 2, 3, 0, 0, 0, 5, 2, 0, 5, 0, 3, 5, 2, 3, 5]
FACES = [0, 2, -4, 0, 3, -2, 4, 5, -8, 4, 7, -7, 0, 1, -6, 0, 5, -5,
         2, 6, -8, 2, 7, -4, 0, 4, -7, 0, 6, -3, 1, 3, -8, 1, 7, -6]


class Value:
    """A number, a text or an array, of one of the types of the format."""

    def __init__(self, kind, value, packed=False):
        self.kind, self.value, self.packed = kind, value, packed

    def write(self, order):
        codes = {"C": "b", "B": "B", "Z": "b", "Y": "h", "I": "i", "F": "f", "D": "d", "L": "q",
                 "b": "b", "c": "b", "i": "i", "f": "f", "d": "d", "l": "q"}
        kind = self.kind.encode()
        if self.kind in "SR":
            return kind + struct.pack(order + "I", len(self.value)) + self.value
        if self.kind.isupper():
            return kind + struct.pack(order + codes[self.kind], self.value)
        data = struct.pack(order + str(len(self.value)) + codes[self.kind], *self.value)
        data = zlib.compress(data) if self.packed else data
        return kind + struct.pack(order + "III", len(self.value), int(self.packed), len(data)) + data


def text(value):
    return Value("S", value.encode())


def integer(value):
    return Value("I", value)


def record(name, *values, of=None):
    """`of`: the records in it, None for no list."""
    return [name, list(values), of]


def property_of(name, kind, value):
    return record("P", text(name), text(kind), text(""), text(""), value)


def write_record(one, at, form):
    name, values, of = one
    order, wide = form["order"], form["version"] >= 7500
    size = (8 if wide else 4) * 3 + 1
    values = [value.write(order) for value in values]
    data = b"".join(values)
    body = name.encode() + data
    if of is not None:
        body += write_list(of, at + size + len(body), form)
    end = 0 if of is None and form.get("zero_ends") else at + size + len(body)
    return struct.pack(order + ("QQQB" if wide else "IIIB"), end, len(values), len(data), len(name)) + body


def write_list(records, at, form):
    out = b""
    for one in records:
        out += write_record(one, at + len(out), form)
    if form.get("open_lists") and at > 27:
        return out
    return out + bytes(25 if form["version"] >= 7500 else 13)


def model(form):
    """The tree of the box."""
    small = form.get("small", "I")
    show = Value(small, 1) if small != "I" else integer(1)
    packed = form.get("packed", False)
    geometry = record("Geometry", Value("L", 100), text("g\0\1Geometry"), text("Mesh"), of=[
        record("Vertices", Value("d", VERTICES, packed)),
        record("PolygonVertexIndex", Value("i", FACES, packed)),
        record("GeometryVersion", integer(124)),
        record("Flags", Value(form.get("flags", "c"), [1, 0, 1])),
    ])
    node = record("Model", Value("L", 1), text("m\0\1Model"), text("Mesh"), of=[
        record("Version", integer(232)),
        record("Properties70", of=[property_of("Show", "bool", show)]),
        record("Shading", Value("C", 84)),
        record("Culling", text("CullingOff")),
        record("MultiLayer", Value(form.get("layer", "I"), -1 if form.get("layer") == "Z" else 0)),
    ])
    return [
        record("FBXHeaderExtension", of=[record("FBXVersion", integer(form["version"]))]),
        record("GlobalSettings", of=[record("Version", integer(1000)), record("Properties70", of=[
            property_of("UpAxis", "int", integer(1)),
            property_of("UnitScaleFactor", "double", Value("D", 100.0))])]),
        record("References", of=[]),
        record("Definitions", of=[record("Version", integer(100))]),
        record("Objects", of=[geometry, node]),
        record("Connections", of=[record("C", text("OO"), Value("L", 1), Value("L", 0)),
                                  record("C", text("OO"), Value("L", 100), Value("L", 1))]),
    ]


def binary(**form):
    form = {"version": 7400, "order": "<", **form}
    head = b"Kaydara FBX Binary  \0\x1a" + bytes([form["order"] == ">"]) + struct.pack(form["order"] + "I", form["version"])
    return head + write_list(model(form), len(head), form) + bytes(160)


def ascii_text(first, second):
    def array(values):
        return "*%d {\n   a: %s\n  }" % (len(values), ",".join(map(str, values)))
    return ("; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n  FBXVersion: 7400\n}\n"
            "GlobalSettings:  {\n  Properties70:  {\n    P: \"UnitScaleFactor\", \"double\", \"Number\", \"\",100\n  }\n}\n"
            "Objects:  {\n Geometry: %s, \"Geometry::g\", \"Mesh\" {\n  Vertices: %s\n  PolygonVertexIndex: %s\n }\n"
            " Model: %s, \"Model::m\", \"Mesh\" {\n  Version: 232\n }\n}\n"
            "Connections:  {\n C: \"OO\",%s,0\n C: \"OO\",%s,%s\n}\n"
            % (first, array(VERTICES), array(FACES), second, second, first, second)).encode()


def patched(data, find, offset, value):
    at = data.index(find) + offset
    return data[:at] + value + data[at + len(value):]


def main(folder):
    plain = binary()
    end_of_objects = patched(plain, b"Objects", -13, struct.pack("<I", len(plain) + 1))
    models = {
        "plain": plain,
        "wide": binary(version=7700, packed=True),
        "big_endian": binary(order=">"),
        "big_endian_packed": binary(order=">", packed=True, version=7500),
        "zero_ends": binary(zero_ends=True),
        "open_lists": binary(open_lists=True),
        "type_Z": binary(small="Z", layer="Z"),
        "type_B": binary(small="B", layer="B"),
        "type_C": binary(small="C"),
        "type_Y": binary(small="Y"),
        "type_b": binary(flags="b"),
        "type_unknown": patched(plain, b"CullingOff", -5, b"q"),
        "end_beyond": end_of_objects,
        "values_longer": patched(plain, b"Vertices", -5, struct.pack("<I", 1 << 30)),
        "values_shorter": patched(plain, b"Vertices", -9, struct.pack("<I", 0)),
        "array_longer": patched(plain, b"Vertices", 8 + 1, struct.pack("<I", 25)),
        "array_packing": patched(plain, b"Vertices", 8 + 5, struct.pack("<I", 2)),
        "packed_broken": patched(binary(order=">", packed=True), b"\x78\x9c", 2, b"\xff\xff\xff"),
        "cut": plain[:len(plain) // 2],
        "zero_end_with_list": patched(binary(zero_ends=True), b"Objects", -13, bytes(4)),
        "version_6100": binary(version=6100),
        "ids": ascii_text("100", "7"),
        "ids_negative": ascii_text("-100", "-9223372036854775807"),
        "ids_blanks": ascii_text(" -100 ", "\t-7 "),
    }
    for name, data in models.items():
        with open("%s/fbx_%s.fbx" % (folder, name), "wb") as out:
            out.write(data)


if __name__ == "__main__":
    main(sys.argv[1])
