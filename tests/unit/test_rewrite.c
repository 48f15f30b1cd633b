/* Models that Assimp reads once they are written in another way: DirectX X without blanks, and DXF
 * with hidden edges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "../support/small_models.h"

#define UNCHECKED "files are read by Assimp, unchecked"
/* A square of 2 by 2, moved by 10, 0, 0, and mirrored in z as the frame of the format asks. */
#define X_FILE(matrix, points, faces)                                                              \
    "xof 0303txt 0032\nFrame A {\n FrameTransformMatrix {" matrix ";;}\n Mesh m {\n 4;\n" points   \
    "2;\n" faces "MeshMaterialList { 1; 1; 0;; Material { 1.0; 1.0; 1.0; 1.0;; 1.0; 0.0; 0.0; "    \
    "0.0;; 0.0; 0.0; 0.0;; TextureFilename { \"a1,2.png\"; } } }\n }\n}\n"
#define X_POINTS "0;0;0;,2;0;0;,2;2;0;,0;2;0;;"
#define X_FACES "3;0,1,2;,3;0,2,3;;"
#define VERTEX(x, y, more) "0\nVERTEX\n8\n0\n10\n" x "\n20\n" y "\n30\n0\n" more
#define CORNER(x, y) VERTEX(x, y, "70\n192\n")
#define FACE(a, b, c, d) VERTEX("0", "0", "70\n128\n71\n" a "\n72\n" b "\n73\n" c "\n74\n" d "\n")
#define DXF(faces)                                                                                 \
    "0\nSECTION\n2\nENTITIES\n0\nPOLYLINE\n8\n0\n66\n1\n70\n64\n71\n4\n72\n1\n" CORNER("0", "0")   \
        CORNER("2", "0") CORNER("2", "2") CORNER("0", "2") faces "0\nSEQEND\n0\nENDSEC\n0\nEOF\n"

static const struct {
    small_model model;
    small_shape shape;
} rows[] = {
    {{"with blanks", "x",
      X_FILE("1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 10, 0, 0, 1", X_POINTS, X_FACES), 0, 2, 4,
      UNCHECKED},
     {0, {10, 0, 0, 12, 2, 0}}},
    {{"without blanks", "x", X_FILE("1,0,0,0,0,1,0,0,0,0,1,0,10,0,0,1", X_POINTS, X_FACES), 0, 2, 4,
      UNCHECKED},
     {0, {10, 0, 0, 12, 2, 0}}},
    {{"points, signs and whole numbers", "x",
      X_FILE("1.0,0,0.0,0,-0,1,0,0,0,0,1.,0,10.5,-3,0,1", X_POINTS, X_FACES), 0, 2, 4, UNCHECKED},
     {0, {10.5, -3, 0, 12.5, -1, 0}}},
    {{"edges that are drawn", "dxf", DXF(FACE("1", "2", "3", "4")), 0, 2, 4, UNCHECKED},
     {0, {0, 0, -2, 2, 0, 0}}},
    {{"edges that are not drawn", "dxf", DXF(FACE("-1", "2", "  -3", "-4")), 0, 2, 4, UNCHECKED},
     {0, {0, 0, -2, 2, 0, 0}}},
    {{"a negative coordinate", "dxf",
      DXF(VERTEX("-3", "0", "70\n192\n") FACE("-1", "2", "3", "-5")), 0, 2, 5, UNCHECKED},
     {0, {-3, 0, -2, 2, 0, 0}}},
};

static void each_is_what_it_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        small_model_check(&rows[i].model, &rows[i].shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_is_what_it_says)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
