#!/usr/bin/env python3
"""Writes the 3MF models of tests/cases/import, and its AMF models in archives: archives that are right in various ways, or
have one fault. Run as threemf_cases.py FOLDER."""
import struct
import sys
import zlib

CORE = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
PRODUCTION = "http://schemas.microsoft.com/3dmanufacturing/production/2015/06"
MATERIALS = "http://schemas.microsoft.com/3dmanufacturing/material/2015/02"
BEAMS = "http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02"
SLICES = "http://schemas.microsoft.com/3dmanufacturing/slice/2015/07"
ALTERNATIVES = PRODUCTION.replace("2015/06", "alternatives/2021/04")
BOOLEANS = "http://schemas.3mf.io/3dmanufacturing/booleanoperations/2023/07"
RELATION = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"
VERTICES = [(0, 0, 0), (2, 0, 0), (0, 3, 0), (2, 3, 0), (0, 0, 5), (2, 0, 5), (0, 3, 5), (2, 3, 5)]
FACES = [(0, 2, 3), (0, 3, 1), (4, 5, 7), (4, 7, 6), (0, 1, 5), (0, 5, 4),
         (2, 6, 7), (2, 7, 3), (0, 4, 6), (0, 6, 2), (1, 3, 7), (1, 7, 5)]


def mesh(extra=""):
    return ("<mesh><vertices>" + "".join('<vertex x="%g" y="%g" z="%g"/>' % v for v in VERTICES) + "</vertices>\n<triangles>"
            + "".join('<triangle v1="%d" v2="%d" v3="%d"/>' % f for f in FACES) + "</triangles>" + extra + "</mesh>")


def box(number=1, attributes="", extra=""):
    return '<object id="%d"%s>%s</object>\n' % (number, attributes, mesh(extra))


def model(resources, build, attributes=""):
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<model unit="millimeter" xmlns="%s"%s>\n<resources>\n%s</resources>\n'
            "<build>%s</build>\n</model>\n" % (CORE, attributes, resources, build))


def relations(*targets, mode=""):
    return ('<?xml version="1.0"?>\n<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">\n'
            + "".join('<Relationship Target="%s" Id="r%d" Type="%s"%s/>\n' % (t, i, RELATION, mode) for i, t in enumerate(targets))
            + "</Relationships>\n")


def archive(files, wide=False, packed=True):
    out, listed = b"", b""
    for name, data in files.items() if isinstance(files, dict) else files:
        name, data = name.encode(), data.encode() if isinstance(data, str) else data
        crc, size, at = zlib.crc32(data), len(data), len(out)
        if packed:
            pack = zlib.compressobj(9, zlib.DEFLATED, -15)
            data = pack.compress(data) + pack.flush()
        method = 8 if packed else 0
        out += struct.pack("<4sHHHIIIIHH", b"PK\3\4", 20, 0, method, 0, crc, len(data), size, len(name), 0) + name + data
        extra = struct.pack("<HHQQQ", 1, 24, size, len(data), at) if wide else b""
        most = 0xFFFFFFFF
        listed += struct.pack("<4sHHHHIIIIHHHHHII", b"PK\1\2", 45, 45, 0, method, 0, crc, most if wide else len(data),
                              most if wide else size, len(name), len(extra), 0, 0, 0, 0, most if wide else at) + name + extra
    end, count = len(out), len(files)
    out += listed
    if wide:
        out += struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, count, count, len(listed), end)
        out += struct.pack("<4sIQI", b"PK\6\7", 0, end + len(listed), 1)
        return out + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return out + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, count, count, len(listed), end, 0)


def plain(resources, build='<item objectid="1"/>', attributes="", **form):
    return archive({"[Content_Types].xml": "<Types/>", "_rels/.rels": relations("/3D/3dmodel.model"),
                    "3D/3dmodel.model": model(resources, build, attributes)}, **form)


def component(number, of, extra=""):
    return '<object id="%d"><components><component objectid="%d"%s/></components></object>\n' % (number, of, extra)


def parts(resources, build, others, attributes=' xmlns:p="%s" requiredextensions="p"' % PRODUCTION):
    files = {"_rels/.rels": relations("/3D/root.model"), "3D/root.model": model(resources, build, attributes)}
    files.update(others)
    return archive(files)


def at(target, name, mode=""):
    return archive([("_rels/.rels", relations(target, mode=mode)), (name, model(box(), '<item objectid="1"/>'))])


def amf():
    return ('<?xml version="1.0"?>\n<amf unit="millimeter"><object id="1"><mesh><vertices>'
            + "".join("<vertex><coordinates><x>%g</x><y>%g</y><z>%g</z></coordinates></vertex>" % v for v in VERTICES)
            + "</vertices><volume>" + "".join("<triangle><v1>%d</v1><v2>%d</v2><v3>%d</v3></triangle>" % f for f in FACES)
            + "</volume></mesh></object></amf>")


def archives_of_amf():
    note = b"\0\5\x16\7\0\2\0\0Mac OS X"
    return {
        "plain": archive({"m.amf": amf()}),
        "other_name": archive({"folder/": "", "folder/model.xml": amf()}),
        "notes": archive({"m.amf": amf(), "__MACOSX/": "", "__MACOSX/._m.amf": note, "._m.amf": note}),
        "notes_other_name": archive({"m.xml": amf(), "__MACOSX/._m.xml": note, ".DS_Store": "x", "Thumbs.db": "x"}),
        "names_in_two_cases": archive({"README": "1", "Readme": "2", "m.AMF": amf()}),
        "two": archive({"m.amf": amf(), "n.amf": amf()}),
        "same_name": archive([("m.amf", amf()), ("m.amf", amf())]),
        "other_twice": archive([("m.amf", amf()), ("x", "1"), ("x", "2")]),
        "none": archive({"a.txt": "a", "b.txt": "b"}),
    }


def more_models():
    move = ' transform="1 0 0 0 1 0 0 0 1 10 20 30"'
    mirror = ' transform="-1 0 0 0 1 0 0 0 1 0 0 0"'
    one, two = '<item objectid="1"/>', '<item objectid="1"/><item objectid="2"%s/>' % move
    boolean = '<object id="2"><o:booleanshape xmlns:o="%s" objectid="1"/></object>' % BOOLEANS
    path = ' xmlns:p="%s" xmlns:q="%s"' % (PRODUCTION, PRODUCTION)
    return {
        "mirrored": plain(box(), '<item objectid="1"%s/>' % mirror),
        "mirrored_twice": plain(box() + component(2, 1, mirror), '<item objectid="2"%s/>' % mirror),
        "mirrored_component": plain(box() + component(2, 1, mirror) + component(3, 2, move), '<item objectid="3"/>'),
        "no_mesh": plain(box() + '<object id="2"/>', two),
        "no_mesh_unused": plain(box() + '<object id="2"/>'),
        "no_mesh_in_component": plain(box() + '<object id="2"/>' + component(3, 2), '<item objectid="1"/><item objectid="3"/>'),
        "no_components": plain(box() + '<object id="2"><components/></object>', two),
        "boolean": plain(box() + boolean, two),
        "boolean_beside_mesh": plain(box(extra='<o:x xmlns:o="%s"/>' % BOOLEANS)),
        "boolean_unused": plain(box() + boolean),
        "alternatives": plain(box().replace("</mesh>", '</mesh><a:alternatives xmlns:a="%s"><a:alternative objectid="7" '
                                            'path="/3D/full.model"/></a:alternatives>' % ALTERNATIVES)),
        "resolution": plain(box(attributes=' xmlns:a="%s" a:modelresolution="obfuscated"' % ALTERNATIVES)),
        "no_triangle": plain(box() + '<object id="2"><mesh><vertices/><triangles/></mesh></object>', two),
        "unused_components": plain(box() + box(2) + component(3, 2)),
        "type_other_components": plain(box() + component(2, 1).replace('id="2"', 'id="2" type="other"'),
                                       '<item objectid="2"/>'),
        "id_long": plain(box(12345678901234567890), '<item objectid="12345678901234567891"/>'),
        "id_of_32_bits": plain(box(2147483648), '<item objectid="2147483648"/>'),
        "id_of_31_bits": plain(box(2147483647), '<item objectid="2147483647"/>'),
        "target_dot": at("./3D/3dmodel.model", "3D/3dmodel.model"),
        "target_dots": at("/3D/x/../../../3D/./3dmodel.model", "3D/3dmodel.model"),
        "target_escaped": at("/3D/my%20model.model", "3D/my model.model"),
        "name_escaped": at("/3D/my model.model", "3D/my%20model.model"),
        "target_external": at("/3D/3dmodel.model", "3D/3dmodel.model", ' TargetMode="External"'),
        "target_internal": at("/3D/3dmodel.model", "3D/3dmodel.model", ' TargetMode="Internal"'),
        "target_elsewhere": at("/3D/3dmodel.model", "3D/3dmodel.model", ' TargetMode="internal"'),
        "pieces": at("/3D/3dmodel.model", "3D/3dmodel.model/[0].last.piece"),
        "part_twice": archive([("_rels/.rels", relations("/3D/m.model")), ("3D/m.model", model(box(), one)),
                               ("3D/M.model", model(box() + box(2), two))]),
        "other_part_twice": archive([("_rels/.rels", relations("/3D/m.model")), ("3D/m.model", model(box(), one)),
                                     ("a.png", "a"), ("A.png", "b")]),
        "relation_twice": archive({"_rels/.rels": relations("/3D/m.model", "3D/M.model"), "3D/m.model": model(box(), one)}),
        "relation_other": archive({"_rels/.rels": relations("/n").replace("<Relationship ", "<Relation ").replace(
            "</Relationships>", relations("/m").split("\n")[2] + "</Relationships>"), "m": model(box(), one),
            "n": model(box() + box(2), two)}),
        "path_in_part": parts("", '<item objectid="7" p:path="/3D/a.model"/>',
                              {"3D/a.model": model(component(7, 8, ' p:path="/3D/b.model"'), "", path),
                               "3D/b.model": model(box(8), "")}),
        "path_without_prefix": parts(box(7), '<item objectid="7" path="/3D/a.model"/>', {"3D/a.model": model(box(7), "")}),
        "path_two_prefixes": parts("", '<item objectid="7" p:path="/3D/a.model" q:path="/3D/b.model"/>',
                                   {"3D/a.model": model(box(7), ""), "3D/b.model": model(box(7), "")}, path),
        "prefixes_of_one_namespace": parts("", '<item objectid="7" p:path="/3D/a.model"/>'
                                           '<item objectid="7" q:path="/3D/a.model"%s/>' % move,
                                           {"3D/a.model": model(box(7), "")}, path),
        "prefix_undeclared": plain(box(), '<item objectid="1"/><q:item objectid="1"%s/>' % move),
        "no_namespace": plain(box(), '<item objectid="1"/><item xmlns="" objectid="1"%s/>' % move),
        "transform_infinite": plain(box(), '<item objectid="1" transform="1 0 0 0 1 0 0 0 1 1e999 0 0"/>'),
        "attribute_case": plain(box(), '<item objectid="1" Transform="1 0 0 0 1 0 0 0 1 10 20 30"/>'),
        "attribute_case_of_name": plain(box(attributes=' Name="a" partNumber="1"')),
        "attribute_unknown": plain(box(), '<item objectid="1" matrix="1 0 0 0 1 0 0 0 1 10 20 30"/>'),
        "attributes_of_slicers": plain(box().replace('v3="5"', 'v3="5" paint_color="8"'),
                                       '<item objectid="1" printable="1"/>'),
        "not_printable": plain(box(), '<item objectid="1" printable="0"/>'),
        "text": plain(box().replace("<triangles>", "<triangles>0 1 2")),
        "materials_same_id": plain('<basematerials id="5"><base name="A"/></basematerials><basematerials id="5"/>' + box()),
        "older": archive({"_rels/.rels": relations("/m"), "m": model(box(), one).replace("core/2015/02", "2013/01")}),
    }


def main(folder):
    move = ' transform="1 0 0 0 1 0 0 0 1 10 20 30"'
    turn = ' transform="0 1 0 -1 0 0 0 0 1 0 0 0"'
    other = {"3D/Objects/a.model": model(box(7), "")}
    models = {
        "plain": plain(box()),
        "stored": plain(box(), packed=False),
        "wide": plain(box(), wide=True),
        "moved": plain(box(), '<item objectid="1"%s/>' % move),
        "turned": plain(box(), '<item objectid="1"%s/>' % turn),
        "twice": plain(box(), '<item objectid="1"/><item objectid="1"%s/>' % move),
        "components": plain(box() + component(2, 1, turn) + component(3, 2, move), '<item objectid="3"%s/>' % move),
        "elsewhere": archive({"_rels/.rels": relations("a/B.model"), "A/b.model": model(box(), '<item objectid="1"/>'),
                              "3D/3dmodel.model": "no model"}),
        "prefixed": archive({"_rels/.rels": relations("/m"), "m": model(box(), '<item objectid="1"/>')
                             .replace("xmlns=", "xmlns:m=").replace("<", "<m:").replace("<m:?", "<?").replace("<m:/", "</m:")}),
        "path_item": parts("", '<item objectid="7" p:path="/3D/Objects/a.model"%s/>' % move, other),
        "path_component": parts('<object id="1"><components><component p:path="/3D/Objects/a.model" objectid="7"%s/>'
                                "</components></object>" % move, '<item objectid="1"/>', other),
        "path_same_id": parts(component(7, 7, ' p:path="/3D/Objects/a.model"'), '<item objectid="7"/>', other),
        "path_missing": parts("", '<item objectid="7" p:path="/3D/Objects/b.model"/>', other),
        "path_no_object": parts("", '<item objectid="8" p:path="/3D/Objects/a.model"/>', other),
        "path_other_unit": parts("", '<item objectid="7" p:path="/3D/Objects/a.model"/>',
                                 {"3D/Objects/a.model": model(box(7), "").replace("millimeter", "inch")}),
        "cycle": plain(component(1, 2) + component(2, 1)),
        "self": plain(component(1, 1)),
        "required": plain(box(), attributes=' xmlns:b="http://example.org/b" requiredextensions="b"'),
        "required_unknown": plain(box(), attributes=' requiredextensions="q"'),
        "required_beams": plain(box(), attributes=' xmlns:b="%s" requiredextensions="b"' % BEAMS),
        "required_materials": plain(box(), attributes=' xmlns:m="%s" xmlns:p="%s" requiredextensions="m p"'
                                    % (MATERIALS, PRODUCTION)),
        "beams": plain(box(extra="<b:beamlattice><b:beams/></b:beamlattice>"), attributes=' xmlns:b="%s"' % BEAMS),
        "slices": plain('<s:slicestack id="9"/>' + box(), attributes=' xmlns:s="%s"' % SLICES),
        "other_extension": plain('<x:thing><x:object id="1"/></x:thing>' + box(), attributes=' xmlns:x="http://example.org/x"'),
        "default_in_item": plain(box(), '<item objectid="1"/><x xmlns="http://example.org/x"/><item objectid="1"%s/>' % move),
        "prefix_in_object": plain(box() + '<x:x xmlns:x="http://example.org/x" xmlns:c="http://example.org/x"/>',
                                  '<c:item objectid="1"/>', attributes=' xmlns:c="%s"' % CORE),
        "required_alternatives": plain(box(), attributes=' xmlns:a="%s" requiredextensions="a"'
                                       % PRODUCTION.replace("2015/06", "alternatives/2021/04")),
        "materials": plain('<basematerials id="5"><base name="PLA"/><base name="ABS"/></basematerials>'
                           + box(attributes=' pid="5" pindex="1"')),
        "type_support": plain(box(attributes=' type="support"')),
        "type_other": plain(box() + box(2, ' type="other"'), '<item objectid="1"/><item objectid="2"/>'),
        "type_unknown": plain(box(attributes=' type="moon"')),
        "no_item": plain(box(), ""),
        "unused": plain(box() + box(2)),
        "unit_inch": plain(box()).replace(b"", b""),
        "unit_unknown": archive({"_rels/.rels": relations("/m"),
                                 "m": model(box(), '<item objectid="1"/>').replace("millimeter", "mile")}),
        "index": plain(box().replace('v3="5"/></triangles>', 'v3="8"/></triangles>')),
        "index_negative": plain(box().replace('v3="5"/></triangles>', 'v3="-1"/></triangles>')),
        "no_number": plain(box().replace('x="2"', 'x="2,5"', 1)),
        "no_y": plain(box().replace(' y="0"', "", 1)),
        "transform": plain(box(), '<item objectid="1" transform="1 0 0 0 1 0 0 0 1 0 0"/>'),
        "no_object": plain(box(), '<item objectid="2"/>'),
        "same_id": plain(box() + box()),
        "two_meshes": plain(box().replace("</mesh>", "</mesh>" + mesh())),
        "mesh_and_components": plain(box() + box(2).replace("</mesh>", '</mesh><components><component objectid="1"/></components>')),
        "vertices_twice": plain(box().replace("<triangles>", "<vertices/><triangles>")),
        "unknown_element": plain(box().replace("<vertices>", "<vertexes/><vertices>")),
        "not_xml": plain(box() + "<object"),
        "no_model": archive({"_rels/.rels": relations("/m"), "m": "<amf/>"}),
        "no_relations": archive({"3D/3dmodel.model": model(box(), '<item objectid="1"/>')}),
        "no_relation": archive({"_rels/.rels": relations(), "3D/3dmodel.model": model(box(), '<item objectid="1"/>')}),
        "two_relations": archive({"_rels/.rels": relations("/m", "/n"), "m": "", "n": ""}),
        "cut": plain(box())[:-100],
    }
    models["unit_inch"] = archive({"_rels/.rels": relations("/m"),
                                   "m": model(box(), '<item objectid="1"/>').replace("millimeter", "inch")})
    models.update(more_models())
    models["two_builds"] = archive({"_rels/.rels": relations("/m"),
                                    "m": model(box(), '<item objectid="1"/>').replace("</build>", "</build><build/>")})
    for name, data in archives_of_amf().items():
        with open("%s/amf_zip_%s.amf" % (folder, name), "wb") as out:
            out.write(data)
    for name, data in models.items():
        with open("%s/3mf_%s.3mf" % (folder, name), "wb") as out:
            out.write(data)


main(sys.argv[1])
