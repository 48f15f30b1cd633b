/* Models in XML, in every encoding that is read, and what is refused: what the XML parser does not
 * see, no reader sees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "../support/small_models.h"

/* A triangle in Collada of area 2, named `name`. */
#define COLLADA(head, name)                                                                        \
    head "<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">"      \
         "<asset><unit meter=\"1\"/></asset><library_geometries><geometry id=\"g\" name=\"" name   \
         "\"><mesh><source id=\"s\"><float_array id=\"a\" count=\"9\">0 0 0 2 0 0 0 2 0"           \
         "</float_array><technique_common><accessor source=\"#a\" count=\"3\" stride=\"3\">"       \
         "<param name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/>"                    \
         "<param name=\"Z\" type=\"float\"/></accessor></technique_common></source>"               \
         "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#s\"/></vertices>"              \
         "<triangles count=\"1\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>"          \
         "<p>0 1 2</p></triangles></mesh></geometry></library_geometries>"                         \
         "<library_visual_scenes><visual_scene id=\"sc\"><node id=\"n\">"                          \
         "<instance_geometry url=\"#g\"/></node></visual_scene></library_visual_scenes>"           \
         "<scene><instance_visual_scene url=\"#sc\"/></scene></COLLADA>"
#define DECLARED(encoding) "<?xml version='1.0' encoding=\"" encoding "\"?>"

static const small_model rows[] = {
    {"nothing declared", "dae", COLLADA("", "a"), 0, 1, 2, NULL},
    {"UTF-8 with a mark", "dae", COLLADA("\xEF\xBB\xBF", "\xC3\xA9"), 0, 1, 2, NULL},
    {"UTF-8 by another name", "dae", COLLADA(DECLARED("utf8"), "\xC3\xA9"), 0, 1, 2, NULL},
    {"Latin 1", "dae", COLLADA(DECLARED("iso-8859-1"), "\xE9"), 0, 1, 2, NULL},
    {"windows-1252", "dae", COLLADA(DECLARED("windows-1252"), "\x80\xE9"), 0, 1, 2, NULL},
    {"windows-1251 in ASCII", "dae", COLLADA(DECLARED("windows-1251"), "a"), 0, 1, 2, NULL},
    {"windows-1251", "dae", COLLADA(DECLARED("windows-1251"), "\xC0"), 0, 1, 2,
     "in the encoding \"windows-1251\", are read as others"},
    {"koi8-r", "dae", COLLADA(DECLARED("KOI8-R"), "\xC0"), 0, 1, 2, "\"KOI8-R\""},
    {"Shift JIS", "dae", COLLADA(DECLARED("Shift_JIS"), "\x83\x5C"), 0, 1, 2, "\"Shift_JIS\""},
    {"GB 2312", "dae", COLLADA(DECLARED("gb2312"), "\xC4\xE3"), 0, 1, 2, "\"gb2312\""},
    {"Latin 1 that is declared UTF-8", "dae", COLLADA(DECLARED("utf-8"), "\xE9"), 0, 1, 2,
     "bytes that are no UTF-8"},
    {"Latin 1 without a declaration", "dae", COLLADA("", "\xE9"), 0, 1, 2,
     "bytes that are no UTF-8"},
    {"UTF-8 that is declared UTF-16", "dae", COLLADA(DECLARED("utf-16"), "\xC3\xA9"), 0, 1, 2,
     NULL},
    {"EBCDIC", "dae", COLLADA(DECLARED("ebcdic-cp-us"), "a"), 0, -2, 0,
     "its encoding \"ebcdic-cp-us\" is not known; save it as UTF-8"},
    {"an encoding of no kind", "x3d", DECLARED("x") "<X3D><Scene/></X3D>", 0, -2, 0,
     "encoding \"x\""},
    {"garbage at the end", "dae", COLLADA("", "a") "garbage", 0, -1, 0,
     "the XML is not well-formed (junk after document element)"},
    {"a second root", "dae", COLLADA("", "a") COLLADA("\n", "a"), 0, -1, 0, "line 2: the XML"},
    {"an end that is missing", "x3d", "<X3D><Scene>\n\n", 0, -1, 0, "line 3: the XML"},
    {"a tag that is not closed", "amf", "<amf><object id='0'></amf>", 0, -1, 0,
     "(mismatched tag); repair the file"},
    {"a zero byte", "x3d", WITH_SIZE("<X3D>\0</X3D>"), -1, 0, "the XML is not well-formed"},
    {"an entity that is elsewhere", "dae",
     COLLADA("<!DOCTYPE COLLADA [<!ENTITY more SYSTEM 'more.xml'>]>", "a' id2='&lt;"), 0, 1, 2,
     NULL},
    {"an entity that is elsewhere and used", "x3d",
     "<!DOCTYPE X3D [<!ENTITY more SYSTEM 'more.xml'>]><X3D><Scene>&more;</Scene></X3D>", 0, -2, 0,
     "the text of the entity \"more.xml\" is not in this file"},
    {"an entity of a definition that is elsewhere", "x3d",
     "<!DOCTYPE X3D SYSTEM 'x3d.dtd'><X3D><Scene>&more;</Scene></X3D>", 0, -2, 0, "\"more\""},
    {"lines in an encoding that expat does not know", "x3d",
     DECLARED("windows-1252") "<X3D><Scene><Shape><IndexedLineSet coordIndex='0 1 2 3 -1'>"
                              "<Coordinate point='0 0 0 5 0 0 5 5 0 0 5 0'/></IndexedLineSet>"
                              "</Shape></Scene></X3D>",
     0, -1, 0, "no face (0 points and 3 lines left out"},
    {"a count that lies in such an encoding", "dae",
     DECLARED("windows-1252") "<COLLADA><library_geometries><geometry id='g'><mesh><source id='s'>"
                              "<float_array id='a' count='9'>0 0 0 1 0 0 0 1 0</float_array>"
                              "<technique_common><accessor source='#a' count='4' "
                              "stride='3'><param name='X'/><param name='Y'/>"
                              "<param name='Z'/></accessor>"
                              "</technique_common></source><vertices id='v'><input "
                              "semantic='POSITION' source='#s'/></vertices><triangles count='1'>"
                              "<input semantic='VERTEX' source='#v' offset='0'/><p>0 1 2</p>"
                              "</triangles></mesh></geometry></library_geometries>"
                              "<library_visual_scenes><visual_scene id='w'><node>"
                              "<instance_geometry url='#g'/></node></visual_scene>"
                              "</library_visual_scenes></COLLADA>",
     0, -1, 0, "line 1: <accessor>"},
};

static void each_is_read_or_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        small_model_check(&rows[i], NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_is_read_or_refused)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
