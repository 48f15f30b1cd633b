/* The reader of AMF: volumes, constellations, units and names, and what is refused and how. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "../../tools/import/import.h"
#include "../support/small_models.h"

#define POINT(x, y, z)                                                                             \
    "<vertex><coordinates><x>" x "</x><y>" y "</y><z>" z "</z></coordinates></vertex>"
#define FACE(a, b, c) "<triangle><v1>" a "</v1><v2>" b "</v2><v3>" c "</v3></triangle>"
#define POINTS                                                                                     \
    "<vertices>" POINT("0", "0", "0") POINT("2", "0", "0") POINT("0", "2", "0")                    \
        POINT("0", "0", "2") "</vertices>"
#define FACES FACE("0", "2", "1") FACE("0", "1", "3") FACE("0", "3", "2") FACE("1", "2", "3")
/* A corner of a cube, of area 9.4641 and volume 4/3. */
#define MESH "<mesh>" POINTS "<volume>" FACES "</volume></mesh>"
#define OBJECT(id) "<object id='" id "'>" MESH "</object>"
#define INSTANCE(id, how) "<instance objectid='" id "'>" how "</instance>"
#define GROUP(id, instances) "<constellation id='" id "'>" instances "</constellation>"

static const double area = 9.46410161513775, volume = 4.0 / 3;

typedef struct {
    small_model model; /* its area in corners of cubes */
    double bounds[6];
} row;

static const row rows[] = {
    {{"an object", "amf", "<amf>" OBJECT("1") "</amf>", 0, 4, 1, NULL}, {0, 0, 0, 2, 2, 2}},
    {{"all that is no geometry", "amf",
      "<?xml version='1.0'?><amf unit='inch' version='1.2'><metadata type='cad'>x</metadata>"
      "<texture id='1' width='1' height='1' depth='1'>AAAA</texture><material id='2'><color>"
      "<r>1</r><g>1</g><b>1</b></color><composite materialid='3'>0.5</composite></material>"
      "<object id='1'><metadata type='name'>a</metadata><color><r>1</r></color><mesh>" POINTS
      "<volume materialid='2' type='object'><metadata type='name'>b</metadata><color/>" FACES
      "</volume></mesh></object></amf>",
      0, 4, 1, NULL},
     {0, 0, 0, 2, 2, 2}},
    {{"blanks around numbers", "amf",
      "<amf><object id='1'><mesh><vertices>" POINT("\n 0 ", "0", "0") POINT("2", "0", "0")
          POINT("0", "2e0", "0") POINT("0", "0", "+2") "</vertices><volume>" FACE(" 0\t", "2", "1")
              FACE("0", "1", "3") FACE("0", "3", "2")
                  FACE("1", "2", "3") "</volume></mesh></object></amf>",
      0, 4, 1, NULL},
     {0, 0, 0, 2, 2, 2}},
    {{"two objects", "amf", "<amf>" OBJECT("1") OBJECT("2") "</amf>", 0, 8, 2, NULL},
     {0, 0, 0, 2, 2, 2}},
    {{"three volumes", "amf",
      "<amf><object id='1'><mesh>" POINTS
      "<volume>" FACE("0", "2", "1") "</volume><volume>" FACE("0", "1", "3") FACE(
          "0", "3", "2") "</volume><volume>" FACE("1", "2", "3") "</volume></mesh></object></amf>",
      0, 4, 1, NULL},
     {0, 0, 0, 2, 2, 2}},
    {{"a displacement", "amf",
      "<amf>" OBJECT("1")
          GROUP("2", INSTANCE("1", "<deltax>10</deltax><deltaz>-1</deltaz>")) "</amf>",
      0, 4, 1, NULL},
     {10, 0, -1, 12, 2, 1}},
    {{"about x, then y, then z, then moved", "amf",
      "<amf>" OBJECT("1") GROUP(
          "2", INSTANCE("1", "<deltax>10</deltax><rz>90</rz><ry>90</ry><rx>90</rx>")) "</amf>",
      0, 4, 1, NULL},
     /* (x,y,z) to (x,-z,y) to (y,-z,-x) to (z,y,-x). */
     {10, 0, -2, 12, 2, 0}},
    {{"about y", "amf", "<amf>" OBJECT("1") GROUP("2", INSTANCE("1", "<ry>-90</ry>")) "</amf>", 0,
      4, 1, NULL},
     {-2, 0, 0, 0, 2, 2}},
    {{"constellations in constellations", "amf",
      "<amf>" GROUP("a", INSTANCE("b", "<rz>180</rz>") INSTANCE("b", "<deltay>5</deltay>"))
          GROUP("b", INSTANCE("1", "<deltax>1</deltax>")) OBJECT("1") "</amf>",
      0, 8, 2, NULL},
     {-3, -2, 0, 3, 7, 2}},
    {{"an object in no constellation", "amf",
      "<amf>" OBJECT("1") OBJECT("2") GROUP("3", INSTANCE("1", "<deltax>9</deltax>")) "</amf>", 0,
      8, 2, "1 object is in no constellation, and is read where it stands"},
     {0, 0, 0, 11, 2, 2}},
    {{"normals", "amf",
      "<amf><object id='1'><mesh><vertices><vertex><coordinates><x>0</x><y>0</y><z>0</z>"
      "</coordinates><normal><nx>0</nx><ny>0</ny><nz>1</nz></normal></vertex>" POINT("2", "0", "0")
          POINT("0", "2", "0") POINT("0", "0", "2") "</vertices><volume>" FACES
                                                    "</volume></mesh></object></amf>",
      0, 4, 1, "line 1: its triangles are curved"},
     {0, 0, 0, 2, 2, 2}},
    {{"edges", "amf",
      "<amf><object id='1'><mesh><vertices>" POINT("0", "0", "0") POINT("2", "0", "0")
          POINT("0", "2", "0")
              POINT("0", "0", "2") "<edge><v1>0</v1><dx1>1</dx1></edge></vertices><volume>" FACES
                                   "</volume></mesh></object></amf>",
      0, 4, 1, "are read as flat"},
     {0, 0, 0, 2, 2, 2}},
    {{"a support", "amf",
      "<amf><object id='1'><mesh>" POINTS "<volume>" FACE("0", "2", "1") FACE("0", "1", "3")
          FACE("0", "3", "2") "</volume><volume type='support'>" FACE("1", "2",
                                                                      "3") "</volume>"
                                                                           "</mesh></object></amf>",
      0, 4, 1, "1 volume is a support"},
     {0, 0, 0, 2, 2, 2}},
    {{"an unknown type of volume", "amf",
      "<amf><object id='1'><mesh>" POINTS "<volume type='moon'>" FACES "</volume></mesh></object>"
      "</amf>",
      0, 4, 1, "line 1: the type \"moon\" of a volume is not known here"},
     {0, 0, 0, 2, 2, 2}},
    {{"notes on everything", "amf",
      "<amf><object id='1'><mesh><metadata type='a'/><vertices><metadata type='a'/>" POINT(
          "0", "0", "0") POINT("2", "0", "0") POINT("0", "2", "0")
          POINT("0", "0", "2") "</vertices><volume>" FACES
                               "</volume></mesh></object><constellation id='2'><instance "
                               "objectid='1'><metadata type='name'>x</metadata></instance>"
                               "</constellation></amf>",
      0, 4, 1, NULL},
     {0, 0, 0, 2, 2, 2}},
    {{"text between triangles", "amf",
      "<amf><object id='1'><mesh>" POINTS "<volume>" FACES "\n0 1 2</volume></mesh></object></amf>",
      0, 4, 1, "line 2: text, which AMF does not have there, is left out"},
     {0, 0, 0, 2, 2, 2}},
    {{"an object without a mesh", "amf", "<amf>" OBJECT("1") "<object id='2'/></amf>", 0, 4, 1,
      "line 1: the object \"2\" has no volume"},
     {0, 0, 0, 2, 2, 2}},
    {{"an object of vertices", "amf",
      "<amf>" OBJECT("1") "\n<object id='b'><mesh>" POINTS "</mesh></object></amf>", 0, 4, 1,
      "line 2: the object \"b\" has no volume"},
     {0, 0, 0, 2, 2, 2}},
    {{"a constellation of nothing", "amf",
      "<amf>" OBJECT("1") GROUP("2", INSTANCE("1", "")) GROUP("3", "") "</amf>", 0, 4, 1,
      "line 1: the constellation \"3\" has no instance"},
     {0, 0, 0, 2, 2, 2}},
    {{"a volume without triangles", "amf",
      "<amf><object id='1'><mesh>" POINTS "<volume>" FACES "</volume><volume/></mesh></object>"
      "</amf>",
      0, 4, 1, "mesh \"object 1\" has no face"},
     {0, 0, 0, 2, 2, 2}},
};

static const small_model refused[] = {
    {"a circle", "amf",
     "<amf>" OBJECT("1") GROUP("2", INSTANCE("3", "")) "\n" GROUP("3", INSTANCE("2", "")) "</amf>",
     0, -1, 0, "an instance of a constellation that contains it"},
    {"itself", "amf", "<amf>" GROUP("2", INSTANCE("2", "")) OBJECT("1") "</amf>", 0, -1, 0,
     "line 1: an instance of a constellation that contains it; remove it"},
    {"an instance of nothing", "amf", "<amf>" OBJECT("1") GROUP("2", INSTANCE("7", "")) "</amf>", 0,
     -1, 0, "an instance of \"7\", which is no object"},
    {"an instance without an id", "amf",
     "<amf><object>" MESH "</object><constellation id='1'>"
     "<instance/></constellation></amf>",
     0, -1, 0, "an instance of \"\""},
    {"an id twice", "amf", "<amf>" OBJECT("1") "\n" OBJECT("1") "</amf>", 0, -1, 0,
     "line 2: the id \"1\" is that of line 1 too"},
    {"a vertex that is not there", "amf",
     "<amf><object id='1'><mesh>" POINTS "<volume>" FACE("0", "1", "4") "</volume></mesh></object>"
                                                                        "</amf>",
     0, -1, 0, "face 0: corner 2 refers to vertex 4, where there are 4"},
    {"a vertex that can't be", "amf",
     "<amf><object id='1'><mesh>" POINTS "<volume>" FACE("0", "-1", "2") "</volume></mesh></object>"
                                                                         "</amf>",
     0, -1, 0, "corner 1 refers to a vertex that can't exist"},
    {"half a vertex", "amf",
     "<amf><object id='1'><mesh>" POINTS
     "<volume>" FACE("0", "1", "1.5") "</volume></mesh></object></amf>",
     0, -1, 0, "must be whole"},
    {"a word for a number", "amf", "<amf><object id='1'><mesh><vertices>\n" POINT("0", "zero", "0"),
     0, -1, 0, "line 2: a number is wanted, not \"zero\""},
    {"a comma", "amf", "<amf><object id='1'><mesh><vertices>" POINT("0", "1,5", "0"), 0, -1, 0,
     "not \"1,5\""},
    {"two numbers", "amf", "<amf><object id='1'><mesh><vertices>" POINT("0", "1 5", "0"), 0, -1, 0,
     "not \"1 5\""},
    {"no z", "amf",
     "<amf><object id='1'><mesh><vertices><vertex><coordinates><x>0</x><y>0</y></coordinates>", 0,
     -1, 0, "<coordinates> need <x>, <y> and <z>"},
    {"z twice", "amf", "<amf><object id='1'><mesh><vertices><vertex><coordinates><z>0</z><z>0</z>",
     0, -1, 0, "a second <z>"},
    {"a vertex of nothing", "amf", "<amf><object id='1'><mesh><vertices><vertex/>", 0, -1, 0,
     "a <vertex> needs <coordinates>"},
    {"a second vertex of nothing", "amf",
     "<amf><object id='1'><mesh><vertices>" POINT("0", "0", "0") "\n<vertex/>", 0, -1, 0,
     "a <vertex> needs <coordinates>"},
    {"coordinates twice", "amf",
     "<amf><object id='1'><mesh><vertices><vertex><coordinates><x>0</x><y>0</y><z>0</z>"
     "</coordinates>\n<coordinates><x>1</x>",
     0, -1, 0, "line 2: a second <coordinates>"},
    {"a volume first", "amf",
     "<amf><object id='1'><mesh><volume>" FACES "</volume>" POINTS "</mesh></object></amf>", 0, -1,
     0, "line 1: a <volume> before the <vertices> of its mesh"},
    {"vertices after a volume", "amf",
     "<amf><object id='1'><mesh>" POINTS
     "<volume>" FACE("0", "1", "2") "</volume>\n" POINTS "<volume>" FACE(
         "4", "5", "6") "</volume></mesh></object></amf>",
     0, -1, 0, "line 2: <vertices> after a <volume> of their mesh"},
    {"two corners", "amf",
     "<amf><object id='1'><mesh>" POINTS "<volume><triangle><v1>0</v1><v2>1</v2></triangle>", 0, -1,
     0, "a <triangle> needs <v1>, <v2> and <v3>"},
    {"an unknown unit", "amf", "<amf unit='mile'>" OBJECT("1") "</amf>", 0, -1, 0,
     "the unit \"mile\" is none of AMF"},
    {"a scale", "amf",
     "<amf>" OBJECT("1") "\n" GROUP("2", INSTANCE("1", "<scale>2</scale>")) "</amf>", 0, -2, 0,
     "line 2: <scale>, which AMF does not have there"},
    {"a lattice", "amf", "<amf><object id='1'><lattice/></object></amf>", 0, -2, 0, "<lattice>"},
    {"another root", "amf", "<svg/>", 0, -2, 0, "<svg>, which AMF does not have there"},
    {"an archive of nothing", "amf", WITH_SIZE("PK\3\4abc"), -1, 0, "ZIP"},
    {"nothing", "amf", "<amf/>", 0, -1, 0, "no face"},
};

static void shapes_are_those_of_the_format(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        small_model model = rows[i].model;
        small_shape shape = {.volume = volume * model.area};

        model.area *= area;
        memcpy(shape.bounds, rows[i].bounds, sizeof shape.bounds);
        small_model_check(&model, &shape);
    }
}

static void others_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        small_model_check(&refused[i], NULL);
}

/* Parts, faces, materials and the unit, as the file has them. */
static void names_and_numbers_are_kept(void **state)
{
    static const char text[] =
        "<amf unit='inch'><object id='7'><metadata type='name'> Pyramid </metadata><mesh>" POINTS
        "<volume materialid='5'><metadata type='name'>hard</metadata>" FACE("0", "2", "1")
            FACE("0", "1", "3") "</volume><volume>" FACE("0", "3", "2")
                FACE("1", "2", "3") "</volume></mesh></object><material id='5'><metadata "
                                    "type='name'>Steel</metadata>"
                                    "</material><constellation id='9'><instance "
                                    "objectid='7'/></constellation></amf>";
    const kiln_bake_options options = {
        .struct_size = sizeof options, .leaf = 4, .scale = 1, .up = -1, .import_seconds = 1000};
    const kiln_bake_input input = {.data = text, .size = sizeof text - 1, .format = "amf"};
    kiln_bake_report report = {0};
    kiln_soup soup;

    (void)state;
    assert_int_equal(kiln_import(&input, &options, &soup, &report), KILN_BAKE_OK);
    assert_int_equal(soup.part_count, 2);
    assert_string_equal(soup.strings + soup.parts[0].node_path, "/constellation 9/Pyramid");
    assert_string_equal(soup.strings + soup.parts[0].mesh_name, "hard");
    assert_string_equal(soup.strings + soup.parts[1].mesh_name, "Pyramid");
    assert_int_equal(soup.parts[0].primitive, 0);
    assert_int_equal(soup.parts[1].primitive, 1);
    assert_int_equal(soup.face[1], 1);
    assert_int_equal(soup.face[2], 0);
    assert_int_equal(soup.user[0], 1);
    assert_int_equal(soup.user[2], 0);
    assert_string_equal(soup.strings + soup.materials[0], "DefaultMaterial");
    assert_string_equal(soup.strings + soup.materials[1], "Steel");
    assert_true(soup.unit == 0.0254);
    /* The coordinates stay as they are. */
    assert_true(soup.positions[0] == 0 && soup.vertex_count == 4);
    kiln_soup_free(&soup);
    kiln_bake_report_free(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes_are_those_of_the_format),
                                       cmocka_unit_test(others_are_refused),
                                       cmocka_unit_test(names_and_numbers_are_kept)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
