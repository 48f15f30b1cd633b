/* What a tree's triangles look like from afar, from the inside. */
#ifndef KILN_WINDING_INSIDE_H
#define KILN_WINDING_INSIDE_H

#include "../base/tree.h"
#include "../kernel/winding_lanes.h"
#include "../kiln_winding.h"

/* All lengths are those of the tree's own frame times 2^exponent, which is exact: no coordinate of
 * a vertex is above 1. */
struct kiln_winding {
    const kiln_tree *tree;
    double *rows;   /* a block of KILN_WINDING_ROWS rows for each node */
    unsigned width; /* of a row: 8, or 4 of binary trees */
    int exponent;
    double gross;              /* no less than the area of all triangles */
    uint8_t geometry_hash[16]; /* of the vertices that are summed up */
};

static inline double *kiln_winding_rows(const kiln_winding *winding, uint32_t node)
{
    return winding->rows + (size_t)node * KILN_WINDING_ROWS * winding->width;
}

/* Of the slots of a triangle one counts: the first. */
static inline bool kiln_winding_counts(const kiln_tree *tree, uint32_t slot)
{
    return !tree->view.kind->shared ||
           (kiln_view_tree_others(&tree->view, slot) & KILN_REFERENCE_LATER) == 0;
}

/* The corners of the triangle in a slot. */
static inline void kiln_winding_corners(const kiln_winding *winding, uint32_t slot, double scale,
                                        double corners[9])
{
    const kiln_tree *tree = winding->tree;
    const uint32_t stored = kiln_tree_triangle(tree, slot);
    for (unsigned c = 0; c < 3; c++) {
        float room[3];
        const float *vertex = kiln_tree_vertex(tree, stored, c, room);
        for (unsigned k = 0; k < 3; k++) {
            corners[3 * c + k] = (double)vertex[k] * scale;
        }
    }
}

/* ------------------------------------------------------------------- one triangle: half_angle.c */

typedef struct {
    double angle, error; /* half the solid angle, from -pi to pi */
    bool on;             /* the point is on it, and the angle 0 */
} kiln_half_angle;

/* By exact decisions and pairs of doubles; corners and point in the tree's own frame, in range as
 * exact.h says. Needs the environment of fpu.h. */
void kiln_half_angle_of(const double corners[9], const double point[3], kiln_half_angle *out);

#endif
