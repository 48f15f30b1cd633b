/* Bounding volumes of one level as an OBJ file, for any viewer of models. Boxes and k-DOPs are the
 * polygons of their polytopes; a ball is an icosahedron whose faces were divided twice, with its
 * corners on the ball. Corners are written for each face anew, which is simple, and viewers don't
 * mind. */
#include "families.h"

#include "../../../tools/common/polytope.h"

#include "../../../formats/assert.h"
#include "../../../formats/vector.h"

#include <math.h>
#include <string.h>

enum { DIVISIONS = 2 };

typedef struct {
    const kiln_format_tree *entry;
    uint32_t level;
    double scale; /* of the model by node space */
    FILE *out;
    unsigned count; /* volumes so far */
} drawing;

/* A face of corners in node space. */
static void print_face(const drawing *of, const double (*corner)[3], unsigned count)
{
    for (unsigned c = 0; c < count; c++) {
        const double *p = corner[c], *origin = of->entry->origin;
        fprintf(of->out, "v %.9g %.9g %.9g\n", p[0] * of->scale + origin[0],
                p[1] * of->scale + origin[1], p[2] * of->scale + origin[2]);
    }
    fputs("f", of->out);
    for (unsigned c = count; c > 0; c--) {
        fprintf(of->out, " -%u", c);
    }
    putc('\n', of->out);
}

/* Divides a triangle on the unit sphere; prints it, placed on the ball, at the end. */
static void print_on_ball(const drawing *of, const kiln_box *ball, const double (*corner)[3],
                          int divisions)
{
    double middle[3][3], placed[3][3];
    if (divisions == 0) {
        for (unsigned c = 0; c < 3; c++) {
            for (unsigned k = 0; k < 3; k++) {
                placed[c][k] = ball->centre[k] + ball->half[0] * corner[c][k];
            }
        }
        print_face(of, (const double(*)[3])placed, 3);
        return;
    }
    for (unsigned c = 0; c < 3; c++) {
        for (unsigned k = 0; k < 3; k++) {
            middle[c][k] = corner[c][k] + corner[(c + 1) % 3][k];
        }
        const double length = sqrt(kiln_dot(middle[c], middle[c]));
        for (unsigned k = 0; k < 3; k++) {
            middle[c][k] /= length;
        }
    }
    print_on_ball(of, ball, (const double(*)[3])middle, divisions - 1);
    for (unsigned c = 0; c < 3; c++) {
        double part[3][3];
        memcpy(part[0], corner[c], sizeof part[0]);
        memcpy(part[1], middle[c], sizeof part[1]);
        memcpy(part[2], middle[(c + 2) % 3], sizeof part[2]);
        print_on_ball(of, ball, (const double(*)[3])part, divisions - 1);
    }
}

/* The corners of an icosahedron are those of three golden rectangles across each other. */
static void print_ball(const drawing *of, const kiln_box *ball)
{
    static const uint8_t faces[20][3] = {
        {0, 8, 1},  {0, 1, 10}, {0, 5, 4},  {0, 4, 8},   {0, 10, 5}, {1, 6, 7},  {1, 8, 6},
        {1, 7, 10}, {2, 3, 9},  {2, 11, 3}, {2, 4, 5},   {2, 9, 4},  {2, 5, 11}, {3, 7, 6},
        {3, 6, 9},  {3, 11, 7}, {4, 9, 8},  {5, 10, 11}, {6, 8, 9},  {7, 11, 10}};
    const double golden = (1 + sqrt(5.0)) / 2, length = sqrt(1 + golden * golden);
    double corner[12][3];
    for (unsigned i = 0; i < 12; i++) {
        /* Rectangle i / 4 has its long side along axis `along`, the short one along the next. */
        const unsigned along = i / 4, across = (along + 1) % 3;
        memset(corner[i], 0, sizeof corner[i]);
        corner[i][along] = ((i & 2u) == 0 ? golden : -golden) / length;
        corner[i][across] = ((i & 1u) == 0 ? 1 : -1) / length;
    }
    for (unsigned f = 0; f < 20; f++) {
        double face[3][3];
        for (unsigned c = 0; c < 3; c++) {
            memcpy(face[c], corner[faces[f][c]], sizeof face[c]);
        }
        print_on_ball(of, ball, (const double(*)[3])face, DIVISIONS);
    }
}

/* Prints what is on the level: lanes so deep, and leaves above. */
static bool print_volume(void *user, const kiln_volume *volume)
{
    drawing *of = user;
    kiln_polytope polytope;
    if (volume->level < of->level && volume->contents.count == 0) {
        return true;
    }
    fprintf(of->out, "o volume_%u\n", ++of->count);
    if (volume->kind->balls) {
        print_ball(of, &volume->box);
        return false;
    }
    kiln_polytope_of(volume, &polytope);
    for (unsigned f = 0; f < polytope.face_count; f++) {
        print_face(of, (const double(*)[3])polytope.face[f].corner, polytope.face[f].corner_count);
    }
    return false;
}

void bench_families_print_obj(const kiln_view *view, uint32_t tree, uint32_t level, FILE *out)
{
    const kiln_view_tree of = kiln_view_get_tree(view, tree);
    drawing drawn = {of.entry, level, ldexp(1, of.entry->scale_exponent), out, 0};
    KILN_ASSERT(level >= 1);
    fprintf(out, BENCH_FAMILIES_OBJ_HEAD "%u, %s\n", level, of.kind->name);
    kiln_tree_visit_volumes(&of, print_volume, &drawn);
}
