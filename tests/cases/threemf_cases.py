#!/usr/bin/env python3
"""Writes the 3MF models of tests/cases/import: archives that are right in various ways, or have one fault. Run as
threemf_cases.py FOLDER."""
import struct
import sys
import zlib

CORE = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
PRODUCTION = "http://schemas.microsoft.com/3dmanufacturing/production/2015/06"
MATERIALS = "http://schemas.microsoft.com/3dmanufacturing/material/2015/02"
BEAMS = "http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02"
SLICES = "http://schemas.microsoft.com/3dmanufacturing/slice/2015/07"
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


def relations(*targets):
    return ('<?xml version="1.0"?>\n<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">\n'
            + "".join('<Relationship Target="%s" Id="r%d" Type="%s"/>\n' % (t, i, RELATION) for i, t in enumerate(targets))
            + "</Relationships>\n")


def archive(files, wide=False, packed=True):
    out, listed = b"", b""
    for name, data in files.items():
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
    for name, data in models.items():
        with open("%s/3mf_%s.3mf" % (folder, name), "wb") as out:
            out.write(data)


main(sys.argv[1])
