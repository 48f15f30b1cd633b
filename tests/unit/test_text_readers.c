/* The readers of OBJ, PLY, OFF and STL account for every byte: what is left over, given twice, out
 * of its place or in no known words is an error or a warning that shows it, and what the formats
 * allow is read. Each row below is a model of a few triangles with what has to come of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "../support/small_models.h"

/* Two triangles of a square, area 1. */
#define OBJ_SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
#define PLY_HEAD(vertices, faces)                                                                  \
    "ply\nformat ascii 1.0\nelement vertex " #vertices                                             \
    "\nproperty float x\nproperty float y\nproperty float z\nelement face " #faces                 \
    "\nproperty list uchar int vertex_indices\nend_header\n"
#define ROWS "0 0 0\n1 0 0\n1 1 0\n0 1 0\n"
#define FACET(a, b, c)                                                                             \
    "facet normal 0 0 1\nouter loop\nvertex " a "\nvertex " b "\nvertex " c "\nendloop\nendfacet"  \
    "\n"
#define FACETS FACET("0 0 0", "1 0 0", "1 1 0") FACET("0 0 0", "1 1 0", "0 1 0")
/* A triangle in binary, low byte first. */
#define FLOATS_0_0_0 "\0\0\0\0\0\0\0\0\0\0\0\0"
#define FLOATS_1_0_0 "\0\0\x80\x3f\0\0\0\0\0\0\0\0"
#define FLOATS_0_1_0 "\0\0\0\0\0\0\x80\x3f\0\0\0\0"
#define PLY_BINARY(end)                                                                            \
    "ply" end "format binary_little_endian 1.0" end "element vertex 3" end "property float x" end  \
    "property float y" end "property float z" end "element face 1" end                             \
    "property list uchar uchar vertex_indices" end "end_header" end

static const small_model rows[] = {
    /* -- OBJ -- */
    {"a record in two lines", "obj", OBJ_SQUARE "f 1 2 \\\n 3\nf 1 3 4\n", 0, 2, 1, NULL},
    {"blanks behind the mark", "obj", OBJ_SQUARE "f 1 2 \\ \t\n 3\nf 1 3 4\n", 0, 2, 1, NULL},
    {"the mark before CR LF", "obj", OBJ_SQUARE "f 1 2 \\\r\n3\r\nf 1 3 4\r\n", 0, 2, 1, NULL},
    {"three lines", "obj", "v 0 \\\n0\\\n0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\n", 0, 1, 0.5, NULL},
    {"a comment in a backslash", "obj", "# C:\\\n" OBJ_SQUARE "f 1 2 3 # D:\\\nf 1 3 4\n", 0, 2, 1,
     NULL},
    {"a name in a backslash", "obj", OBJ_SQUARE "o C:\\\nf 1 2 3\ng x\\\nf 1 3 4\n", 0, 2, 1, NULL},
    {"a material in a backslash", "obj", OBJ_SQUARE "usemtl a\\\nf 1 2 3\n", 0, 1, 0.5, NULL},
    {"the end in a backslash", "obj", OBJ_SQUARE "f 1 2 3 \\", 0, -1, 0, "line 5: the file ends"},
    {"the end behind a backslash", "obj", OBJ_SQUARE "f 1 2 3 \\\n", 0, -1, 0, "the file ends"},
    {"capital words", "obj", "V 0 0 0\nV 1 0 0\nV 1 1 0\nF 1 2 3\n", 0, 1, 0.5, NULL},
    {"an unknown word", "obj", OBJ_SQUARE "f 1 2\n3 4\n", 0, -1, 0,
     "line 6: a line must begin with a word of the format, like \"v\" or \"f\", not \"3\""},
    {"words without geometry", "obj",
     OBJ_SQUARE "vt 0 0\nvn 0 0 1\nvp 1\ns off\nlod 1\nusemap a\nf 1/1/1 2 3//1\n", 0, 1, 0.5,
     NULL},
    {"a comma in a number", "obj", "v 0 1,5 0\n", 0, -1, 0, "not \"1,5\""},
    {"commas between corners", "obj", OBJ_SQUARE "f 1,2,3\n", 0, -1, 0, "line 5: a corner"},
    {"letters behind a stroke", "obj", OBJ_SQUARE "f 1/x 2 3\n", 0, -1, 0, "not \"1/x\""},
    {"a zero byte", "obj", WITH_SIZE(OBJ_SQUARE "f 1 2 3\0f 1 3 4\n"), -1, 0,
     "line 5: a zero byte"},
    {"UTF-16 without a mark", "obj",
     WITH_SIZE("v\0 \0"
               "0\0\n\0"),
     -1, 0, "UTF-16"},
    {"UTF-16 with a mark", "obj",
     WITH_SIZE("\xFF\xFEv\0 \0"
               "0\0 \0"
               "0\0 \0"
               "0\0\n\0v\0 \0"
               "1\0 \0"
               "0\0 \0"
               "0\0\n\0"
               "v\0 \0"
               "0\0 \0"
               "1\0 \0"
               "0\0\n\0f\0 \0"
               "1\0 \0"
               "2\0 \0"
               "3\0\n\0"),
     1, 0.5, NULL},
    {"UTF-16 with half a character", "obj",
     WITH_SIZE("\xFF\xFEv\0 \0"
               "0\0 \0"
               "0\0 \0"
               "0\0\n\0"
               "v"),
     -1, 0, "half a character"},
    {"the end mark of DOS", "obj", OBJ_SQUARE "f 1 2 3\n\x1A", 0, 1, 0.5, NULL},
    {"a fourth number", "obj", "v 0 0 0 1\nv 2 0 0 2\nv 1 1 0 1\nf 1 2 3\n", 0, 1, 0.5,
     "1 vertex has a fourth number other than 1"},
    /* -- misnamed -- */
    {"a PLY file", "obj", PLY_HEAD(4, 2) ROWS "3 0 1 2\n3 0 2 3\n", 0, -1, 0,
     "first bytes are those of a .ply file; rename it, or give its format (--format ply)"},
    {"an STL file", "obj", "solid a\n" FACETS "endsolid a\n", 0, -1, 0, "(--format stl)"},
    {"an OFF file", "ply", "OFF\n4 2 0\n" ROWS "3 0 1 2\n3 0 2 3\n", 0, -1, 0, "(--format off)"},
    {"a Collada file", "stl", "<?xml version=\"1.0\"?>\n<!-- by hand -->\n<COLLADA>\n", 0, -1, 0,
     "(--format dae)"},
    {"a ZIP archive", "off", "PK\3\4", 0, -1, 0, "(--format 3mf)"},
    /* -- PLY -- */
    {"as the header says", "ply", PLY_HEAD(4, 2) ROWS "3 0 1 2\n3 0 2 3\n", 0, 2, 1, NULL},
    {"two faces more", "ply", PLY_HEAD(4, 1) ROWS "3 0 1 2\n3 0 2 3\n3 1 2 3\n", 0, 1, 0.5,
     "2 more lines, from line 15 on"},
    {"blank lines at the end", "ply", PLY_HEAD(4, 2) ROWS "3 0 1 2\n3 0 2 3\n\n \n", 0, 2, 1, NULL},
    {"a number more in a row", "ply",
     PLY_HEAD(4, 2) "0 0 0\n1 0 0\n1 1 0\n0 1 0 3\n0 1 2\n3 0 2 3\n", 0, 2, 1,
     "1 row ends within a line, the first in line 13"},
    {"fewer faces", "ply", PLY_HEAD(4, 3) ROWS "3 0 1 2\n3 0 2 3\n", 0, -1, 0, "element \"face\""},
    {"a word among numbers", "ply", PLY_HEAD(4, 2) "0 0 0\n1 zero 0\n", 0, -1, 0,
     "line 11: a value must be a number, not \"zero\""},
    {"a comment", "ply",
     "ply\ncomment x\nobj_info y\nformat ascii 1.0\nelement vertex 3\nproperty float x\n"
     "property float y\nproperty float z\nelement face 1\nproperty list uchar int "
     "vertex_index\nend_header\n"
     "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
     0, 1, 0.5, NULL},
    {"a comment without its word", "ply",
     "ply\nformat ascii 1.0\nCreated by hand\nelement vertex 3\n"
     "property float x\nproperty float y\nproperty float z\nelement face 1\n"
     "property list uchar int vertex_index\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
     0, 1, 0.5, "line 3 of the header begins with \"Created\""},
    {"x twice", "ply",
     "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float x\n", 0, -1, 0,
     "line 5: an element must have each property once, not \"x\""},
    {"two lists of corners", "ply",
     "ply\nformat ascii 1.0\nelement face 3\n"
     "property list uchar int vertex_index\nproperty list uchar int vertex_indices\n",
     0, -1, 0, "not \"vertex_indices\""},
    {"an element twice", "ply", "ply\nformat ascii 1.0\nelement face 3\nelement face 3\n", 0, -1, 0,
     "there before"},
    {"two formats", "ply", "ply\nformat ascii 1.0\nformat ascii 1.0\n", 0, -1, 0,
     "a second format"},
    {"a type of its own", "ply", "ply\nformat ascii 1.0\nelement face 3\nproperty int64 x\n", 0, -1,
     0, "not \"int64\""},
    {"a count that is no whole number", "ply",
     "ply\nformat ascii 1.0\nelement face 3\n"
     "property list float int vertex_index\n",
     0, -1, 0, "not \"float\""},
    {"half a corner", "ply", PLY_HEAD(4, 1) ROWS "3.5 0 1 2\n", 0, -1, 0, "of length 3.5"},
    {"a list of another name", "ply",
     "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n"
     "property float y\nproperty float z\nelement face 1\nproperty list uchar int "
     "indices\nend_header\n"
     "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
     0, -1, 0, "but \"indices\""},
    {"faces of another name", "ply",
     "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n"
     "property float y\nproperty float z\nelement faces 1\nproperty list uchar int vertex_index\n"
     "end_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
     0, -1, 0, "but \"faces\""},
    {"another list beside the faces", "ply",
     "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n"
     "property float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_index\n"
     "element grid 2\nproperty list uchar int at\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n1 0\n1 "
     "0\n",
     0, 1, 0.5,
     "element \"grid\" with its list \"at\" is none that is read: its rows (2) are left out"},
    {"binary", "ply", WITH_SIZE(PLY_BINARY("\n") FLOATS_0_0_0 FLOATS_1_0_0 FLOATS_0_1_0 "\3\0\1\2"),
     1, 0.5, NULL},
    {"binary behind CR LF", "ply",
     WITH_SIZE(PLY_BINARY("\r\n") FLOATS_0_0_0 FLOATS_1_0_0 FLOATS_0_1_0 "\3\0\1\2"), 1, 0.5, NULL},
    /* The first float begins with the byte of a line feed: 10 * 2^-149. */
    {"binary behind CR, whose first byte is LF", "ply",
     WITH_SIZE(PLY_BINARY("\r") "\n\0\0\0\0\0\0\0\0\0\0\0" FLOATS_1_0_0 FLOATS_0_1_0 "\3\0\1\2"), 1,
     0.5, NULL},
    {"binary with bytes left over", "ply",
     WITH_SIZE(PLY_BINARY("\n") FLOATS_0_0_0 FLOATS_1_0_0 FLOATS_0_1_0 "\3\0\1\2\3\0\1\2"), 1, 0.5,
     "4 bytes follow the last element"},
    {"binary with one byte left over", "ply",
     WITH_SIZE(PLY_BINARY("\n") FLOATS_0_0_0 FLOATS_1_0_0 FLOATS_0_1_0 "\3\0\1\2\3"), 1, 0.5,
     "1 byte follows the last element"},
    {"binary that ends as a text does", "ply",
     WITH_SIZE(PLY_BINARY("\n") FLOATS_0_0_0 FLOATS_1_0_0 FLOATS_0_1_0 "\3\0\1\2\n"), 1, 0.5, NULL},
    /* -- OFF -- */
    {"a row a line", "off", "OFF\n4 2 0\n" ROWS "3 0 1 2\n3 0 2 3\n", 0, 2, 1, NULL},
    {"no count of edges", "off", "OFF\n4 2\n" ROWS "3 0 1 2\n3 0 2 3\n", 0, 2, 1, NULL},
    {"counts behind the keyword", "off", "OFF 4 2 0\n" ROWS "3 0 1 2\n3 0 2 3\n", 0, 2, 1, NULL},
    {"colours the keyword does not tell", "off",
     "OFF\n4 2 0\n0 0 0 255 0 0\n1 0 0 9 9 9\n1 1 0 1 1 1\n0 1 0 2 2 2\n3 0 1 2 255 0 0\n3 0 2 3\n",
     0, 2, 1, NULL},
    {"all vertices in a line", "off", "OFF\n4 2 0\n0 0 0 1 0 0 1 1 0 0 1 0\n3 0 1 2\n3 0 2 3\n", 0,
     2, 1, NULL},
    {"a number a line", "off", "OFF\n3\n1\n0\n0\n0\n0\n1\n0\n0\n0\n1\n0\n3\n0\n1\n2\n", 0, 1, 0.5,
     NULL},
    {"colours of the keyword, free of lines", "off",
     "COFF\n3 1 0\n0 0 0 1 0 0 1  1 0 0\n1 0 0 1 0 1 0\n1 0 0 1 3 0 1 2\n", 0, 1, 0.5, NULL},
    {"normals of the keyword, free of lines", "off",
     "NOFF 3 1 0 0 0 0 0 0 1 1 0 0 0 0 1 0 1 0 0 0 1 3 0 1 2\n", 0, 1, 0.5, NULL},
    {"two faces more", "off", "OFF\n4 1 0\n" ROWS "3 0 1 2\n3 0 2 3\n# end\n3 1 2 3\n", 0, 1, 0.5,
     "are 4 and 1: 2 more lines, from line 8 on, are left out"},
    {"a face with a corner too few", "off", "OFF\n4 2 0\n" ROWS "4 0 1 2\n3 0 2 3\n", 0, -1, 0,
     "line 7: the face has fewer corners"},
    {"a face in two lines", "off", "OFF\n4 2 0\n" ROWS "4 0 1\n2 3\n3 0 2 3\n", 0, 3, 1.5, NULL},
    {"a face in three, then a colour", "off",
     "OFF\n4 2 0\n" ROWS "4\n# x\n0 1\n2 3 255 0 0\n3 0 2 3 7\n", 0, 3, 1.5, NULL},
    {"a face in two lines, and one more", "off", "OFF\n4 1 0\n" ROWS "4 0 1\n2 3\n3 0 2 3\n", 0, -1,
     0, "line 7: the face has fewer corners"},
    {"a face in two lines, and two numbers", "off", "OFF\n4 1 0\n" ROWS "4 0 1\n2 3 9 9\n", 0, -1,
     0, "line 7: the face has fewer corners"},
    {"a count that is too large", "off", "OFF\n4 2 0\n" ROWS "5 0 1 2\n3 0 2 3\n", 0, -1, 0,
     "line 7: the face has fewer corners"},
    {"a word among the colours", "off", "OFF\n4 2 0\n" ROWS "3 0 1 2 red\n3 0 2 3\n", 0, -1, 0,
     "not \"red\""},
    {"another keyword", "off", "XOFF\n4 2 0\n", 0, -1, 0, "must begin with OFF, not \"XOFF\""},
    /* -- STL -- */
    /* Its 80 bytes of anything are those of another format, its size is that of a facet. */
    {"binary that begins as a PLY", "stl",
     WITH_SIZE("ply\n                                                                            "
               "\1\0\0\0" FLOATS_0_0_0 FLOATS_0_0_0 FLOATS_1_0_0 FLOATS_0_1_0 "\0\0"),
     1, 0.5, NULL},
    {"text", "stl", "solid a\n" FACETS "endsolid a\n", 0, 2, 1, NULL},
    {"in one line", "stl",
     "solid a\nfacet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 "
     "vertex 1 1 0 endloop endfacet endsolid a\n",
     0, 1, 0.5, NULL},
    {"a mark of UTF-8", "stl", "\xEF\xBB\xBFsolid a\n" FACETS "endsolid a\n", 0, 2, 1, NULL},
    {"comments", "stl", "# by hand\n; more\n// more\nsolid a\n" FACETS "# end\nendsolid a\n", 0, 2,
     1, NULL},
    {"empty lines", "stl",
     "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\nsolid a\n" FACETS "endsolid a\n", 0, 2, 1, NULL},
    {"ends apart", "stl",
     "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
     "vertex 1 1 0\nend loop\nend facet\nend solid a\n",
     0, 1, 0.5, NULL},
    {"odd normals", "stl",
     "solid a\nfacet normal -nan(ind) nan 1.#QNAN\nouter loop\nvertex 0 0 0\n"
     "vertex 1 0 0\nvertex 1 1 0\nendloop\nendfacet\nfacet\nvertex 0 0 0\nvertex 1 1 0\nvertex 0 1 "
     "0\n"
     "endfacet\nendsolid a\n",
     0, 2, 1, NULL},
    {"two loops in a facet", "stl",
     "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
     "vertex 1 1 0\nendloop\nouter loop\nvertex 0 0 0\n",
     0, -1, 0, "line 8: a second loop in one facet"},
    {"a vertex behind the loop", "stl",
     "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n"
     "vertex 1 0 0\nvertex 1 1 0\nendloop\nvertex 0 0 0\n",
     0, -1, 0, "line 8: a vertex outside"},
    {"loops alone", "stl", "solid a\nouter loop\nvertex 0 0 0\n", 0, -1, 0,
     "line 2: a loop outside of a facet"},
    {"an end of nothing", "stl", "solid a\n" FACETS "endfacet\nendsolid\n", 0, -1, 0, "not begun"},
    {"an unknown word", "stl", "solid a\n" FACETS "facett normal\nendsolid\n", 0, -1, 0,
     "a keyword must stand here, not \"facett\""},
    {"a solid in a facet", "stl", "solid a\nfacet normal 0 0 1\nsolid b\n", 0, -1, 0,
     "not \"solid\""},
    {"a vertex of two numbers", "stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n", 0,
     -1, 0, "but the line ends"},
    {"a solid behind the name of another", "stl",
     "solid a\n" FACETS "endsolid a solid b facet normal 0 0 1 "
     "outer loop vertex 0 0 0 vertex 1 0 0 vertex 1 1 0 endloop endfacet endsolid b\n",
     0, -1, 0, "a vertex in the name of a solid"},
    {"facets behind the name of their solid", "stl",
     "solid a facet normal 0 0 1 outer loop vertex 0 0 0 "
     "vertex 1 0 0 vertex 1 1 0 endloop endfacet endsolid\n",
     0, -1, 0, "a vertex in the name of a solid"},
    {"a cut VRM file, which begins as GLB does", "vrm", WITH_SIZE("glTF\2\0\0\0\x20\0\0\0JSON"), -1,
     0, "cut short"},
};

/* A case for each format, whose extension is the case's state. */
static void check_format(void **state)
{
    const char *format = *state;
    size_t checked = 0;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].format, format) == 0) {
            small_model_check(&rows[i], NULL);
            checked++;
        }
    assert_true(checked > 0);
}

int main(void)
{
    static char obj[] = "obj", ply[] = "ply", off[] = "off", stl[] = "stl", vrm[] = "vrm";
    const struct CMUnitTest tests[] = {{"obj", check_format, NULL, NULL, obj},
                                       {"ply", check_format, NULL, NULL, ply},
                                       {"off", check_format, NULL, NULL, off},
                                       {"stl", check_format, NULL, NULL, stl},
                                       {"vrm", check_format, NULL, NULL, vrm}};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
