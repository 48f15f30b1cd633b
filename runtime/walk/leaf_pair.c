/* The triangles of two leaves against each other.
 *
 * A filter in vectors of floats and doubles (kernel_triangles.h) first removes the pairs that lie
 * apart for certain; the exact predicate of exact.c decides the rest. The corners of a leaf are
 * carried into X's frame once and kept, since a walk meets the same leaf with several others in
 * succession. */
#include "leaf_pair.h"

#include "../../formats/assert.h"
#include "../exact/exact.h"

#include <string.h>

/* The corners of a stored triangle in X's frame: X's own as they are, Y's carried as for all
 * queries, so that the same triangle has the same corners to the bit wherever it is met. */
void kiln_stored_corners(const kiln_pair_frame *frame, bool is_x, uint32_t stored, double out[9])
{
    const kiln_tree *tree = is_x ? frame->x : frame->y;
    const kiln_transform *carry = kiln_pair_frame_carry(frame, is_x);
    KILN_ASSERT(kiln_tree_has_polygons(tree));
    KILN_ASSERT(kiln_tree_stores(tree, stored));
    for (int c = 0; c < 3; c++) {
        float room[3];
        const float *vertex = kiln_tree_vertex(tree, stored, (unsigned)c, room);
        if (carry == NULL) {
            for (int k = 0; k < 3; k++) {
                out[3 * c + k] = (double)vertex[k];
            }
        } else {
            kiln_transform_vertex(carry, vertex, out + 3 * c);
        }
    }
}

/* Hints are stored triangles, counted from 1: whatever they are, they only decide where to start.
 */
static bool is_hint_of(const kiln_tree *tree, uint32_t hint)
{
    return kiln_tree_has_polygons(tree) && hint != 0 && kiln_tree_stores(tree, hint - 1);
}

bool kiln_hint_corners(const kiln_pair_frame *frame, kiln_hint hint, uint32_t *stored_x,
                       uint32_t *stored_y, double x[9], double y[9])
{
    const uint32_t of_x = frame->swapped ? hint.b : hint.a;
    const uint32_t of_y = frame->swapped ? hint.a : hint.b;
    if (!is_hint_of(frame->x, of_x) || !is_hint_of(frame->y, of_y)) {
        return false;
    }
    *stored_x = of_x - 1;
    *stored_y = of_y - 1;
    kiln_stored_corners(frame, true, *stored_x, x);
    kiln_stored_corners(frame, false, *stored_y, y);
    return true;
}

bool kiln_hint_meets(const kiln_pair_frame *frame, kiln_hint hint, uint32_t *stored_x,
                     uint32_t *stored_y)
{
    double x[9], y[9];
    return kiln_hint_corners(frame, hint, stored_x, stored_y, x, y) &&
           kiln_exact_triangles_meet(x, y);
}

void kiln_leaf_triangles_carry(kiln_leaf_triangles *leaf, const kiln_tree *tree,
                               const kiln_kernel *kernel, const kiln_transform *carry,
                               kiln_contents from)
{
    const uint32_t *triangles[KILN_LEAF_LANES];
    /* Of a height field, whose vertices are nowhere until they are asked for. Kernels read four
     * floats from each. */
    float room[9 * KILN_HEIGHTS_LEAF + 1];
    uint32_t rows[3 * KILN_HEIGHTS_LEAF];
    const float *vertices = tree->vertices;
    KILN_ASSERT(from.count >= 1 && from.count <= KILN_LEAF_TRIANGLES_MAX);
    KILN_ASSERT(kiln_tree_has_polygons(tree));
    if (tree->view.heights == NULL) {
        for (uint32_t i = 0; i < from.count; i++) {
            triangles[i] = tree->triangles + 3 * (size_t)kiln_tree_triangle(tree, from.first + i);
        }
    } else {
        KILN_ASSERT(from.count <= KILN_HEIGHTS_LEAF);
        room[9 * KILN_HEIGHTS_LEAF] = 0;
        for (uint32_t i = 0; i < 3 * from.count; i++) {
            kiln_heights_vertex(tree->view.heights, kiln_tree_triangle(tree, from.first + i / 3),
                                i % 3, room + 3 * (size_t)i);
            rows[i] = i;
        }
        for (uint32_t i = 0; i < from.count; i++) {
            triangles[i] = rows + 3 * (size_t)i;
        }
        vertices = room;
    }
    /* Vectors take four triangles at once, so the last is repeated where the leaf has fewer. */
    for (uint32_t i = from.count; i % 4 != 0; i++) {
        triangles[i] = triangles[from.count - 1];
    }
    leaf->first = from.first;
    leaf->count = from.count;
    kernel->load_triangles(vertices, triangles, carry, leaf);
}

void kiln_leaf_triangles_load(kiln_leaf_triangles *leaf, const kiln_pair_frame *frame,
                              const kiln_kernel *kernel, bool is_x, kiln_contents from)
{
    kiln_leaf_triangles_carry(leaf, is_x ? frame->x : frame->y, kernel,
                              kiln_pair_frame_carry(frame, is_x), from);
}

/* In the frame of comparison: the map's arms, and what these and positions are off by, of which
 * half is left for roundings here. */
static void form_affine_leaf_box(kiln_leaf_box *box, const kiln_pair_frame *frame, bool is_x,
                                 const kiln_tree_box *own)
{
    kiln_transform node;
    kiln_pair_frame_node(frame, is_x, &node);
    kiln_transform_point(&node, own->centre, box->centre);
    box->error = 2 * (kiln_tree_box_arms(node.rotation, own, box->arm) + 4 * frame->by.room);
}

/* Both maps are taken as they are, so that a pose's departure from orthonormal is no error; what
 * is, are the axes (kernel_boxes.h: 15 u of the half-extents' sum, where epsilon is 128 u and
 * more), positions (the slack, of which half is left for roundings here) and nothing else. */
void kiln_leaf_box_form(kiln_leaf_box *box, const kiln_pair_frame *frame, bool is_x,
                        const kiln_tree_box *own)
{
    static const kiln_transform same = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
    KILN_ASSERT(frame->epsilon > 0);
    if (frame->affine) {
        form_affine_leaf_box(box, frame, is_x, own);
        return;
    }
    KILN_ASSERT(frame->to_x.slack >= 0);
    const kiln_format_tree *x = frame->x->view.entry;
    const kiln_transform *points = is_x ? &same : &frame->to_x.points;
    const double scale = is_x ? 1.0 : (double)frame->to_x.scale;
    const double unit = kiln_power_of_two(x->scale_exponent);
    double centre[3];
    kiln_transform_point(points, own->centre, centre);
    const double extents = (double)own->half[0] + (double)own->half[1] + (double)own->half[2];
    for (int k = 0; k < 3; k++) {
        const double *row = points->rotation + 3 * k;
        box->centre[k] = centre[k] * unit + x->origin[k];
        for (int j = 0; j < 3; j++) {
            const float *axis = own->axis[j];
            const double along =
                row[0] * (double)axis[0] + row[1] * (double)axis[1] + row[2] * (double)axis[2];
            box->arm[j][k] = along * (double)own->half[j] * unit;
        }
    }
    box->error = 2 * unit * ((double)frame->epsilon * extents * scale + frame->to_x.slack);
}

/* The filter is the last to be called, for pairs that surely meet: it is the caller's code, and may
 * be slow. */
static bool visit_pair(const kiln_pair_frame *frame, const kiln_pair_visitor *visitor,
                       uint32_t triangle_x, uint32_t triangle_y)
{
    KILN_ASSERT(visitor->visit != NULL);
    if (visitor->filter != NULL &&
        !kiln_pair_filter_keeps(visitor->filter, frame, triangle_x, triangle_y)) {
        return true;
    }
    return visitor->visit(visitor->user, frame, triangle_x, triangle_y);
}

/* The corners are stored by coordinate, for vectors; the predicate takes them by corner. */
static bool pair_meets(const kiln_leaf_triangles *x, uint32_t i, const kiln_leaf_triangles *y,
                       uint32_t j)
{
    double a[9], b[9];
    for (int k = 0; k < 9; k++) {
        a[k] = x->corner[k][i];
        b[k] = y->corner[k][j];
    }
    return kiln_exact_triangles_meet(a, b);
}

kiln_leaf_triangles *kiln_leaf_pair_fetch(kiln_leaf_pair *leaves, const kiln_pair_frame *frame,
                                          bool is_x, kiln_contents leaf)
{
    kiln_leaf_triangles *kept = is_x ? &leaves->x : &leaves->y;
    if (kept->count == 0 || kept->first != leaf.first) {
        kiln_leaf_triangles_load(kept, frame, leaves->kernel, is_x, leaf);
    }
    return kept;
}

bool kiln_leaf_pair_reach(kiln_leaf_pair *leaves, const kiln_pair_frame *frame, bool is_x,
                          kiln_contents leaf, const kiln_leaf_box *box)
{
    return leaves->kernel->triangles_reach(kiln_leaf_pair_fetch(leaves, frame, is_x, leaf), box);
}

/* Leaves of the bits of `pairs` those of pairs that meet and are named by their slots. False: there
 * was no time to find out. */
static bool keep_named(kiln_leaf_pair *leaves, uint32_t pairs[KILN_LEAF_LANES])
{
    const kiln_leaf_triangles *x = &leaves->x, *y = &leaves->y;
    for (uint32_t j = 0; j < y->count; j++) {
        for (uint32_t left = pairs[j]; left != 0; left &= left - 1) {
            const uint32_t i = (uint32_t)__builtin_ctz(left);
            const kiln_once_answer answer =
                pair_meets(x, i, y, j)
                    ? kiln_once_is_first(leaves->once, x->first + i, y->first + j)
                    : KILN_ONCE_NOT_FIRST;
            if (answer == KILN_ONCE_LATE) {
                return false;
            }
            pairs[j] &= answer == KILN_ONCE_FIRST ? ~0u : ~(1u << i);
        }
    }
    return true;
}

/* How far the corners of a triangle are over, or under, the plane of another one, n. Along any
 * direction the gap between projections is no more than the distance, so that n need not be
 * perpendicular to its own triangle: that is allowed for as the roundings are. With u = 2^-53 a
 * part of n is off by 2 u of its weight, a product with a difference by 3 u more, and the sums by
 * 2 u; the differences within the plane's own triangle are its extents. 16 u is taken for both. */
static double margin_of_plane(const kiln_leaf_triangles *plane, uint32_t i,
                              const kiln_leaf_triangles *other, uint32_t j)
{
    double least = HUGE_VAL, most = -HUGE_VAL, off = 0, squared = 0;
    for (int k = 0; k < 3; k++) {
        const double n = plane->normal[k][i];
        squared += n * n;
        off += plane->weight[k][i] * plane->extent[k][i];
    }
    for (int c = 0; c < 3; c++) {
        double height = 0;
        for (int k = 0; k < 3; k++) {
            const double way = other->corner[3 * c + k][j] - plane->corner[k][i];
            height += plane->normal[k][i] * way;
            off += plane->weight[k][i] * fabs(way);
        }
        least = height < least ? height : least;
        most = height > most ? height : most;
    }
    const double gap = (least > 0 ? least : -most) - 0x1p-49 * off;
    const double length = sqrt(squared);
    /* Of numbers that underflow or overflow nothing is said. */
    return gap > 0x1p-900 && length > 0x1p-400 && length < 0x1p400 ? gap / length * (1 - 0x1p-48)
                                                                   : 0;
}

double kiln_leaf_pair_margin(const kiln_leaf_triangles *x, uint32_t i, const kiln_leaf_triangles *y,
                             uint32_t j, double enough)
{
    const double squared = kiln_leaf_boxes_gap_squared(x, i, y, j);
    const double boxes = sqrt(squared) * (1 - 0x1p-48);
    if (boxes > enough) {
        return boxes;
    }
    const double of_x = margin_of_plane(x, i, y, j), of_y = margin_of_plane(y, j, x, i);
    const double planes = of_x > of_y ? of_x : of_y;
    return planes > boxes ? planes : boxes;
}

bool kiln_leaf_pair_meet(kiln_leaf_pair *leaves, const kiln_pair_frame *frame,
                         const kiln_pair_visitor *visitor, kiln_contents leaf_x,
                         kiln_contents leaf_y)
{
    uint32_t pairs[KILN_LEAF_LANES];
    if (visitor->boxes) {
        return visitor->visit(visitor->user, frame, 0, 0);
    }
    if (kiln_pair_filter_stops(visitor->filter)) {
        return false;
    }
    const kiln_leaf_triangles *x = kiln_leaf_pair_fetch(leaves, frame, true, leaf_x);
    const kiln_leaf_triangles *y = kiln_leaf_pair_fetch(leaves, frame, false, leaf_y);
    leaves->kernel->triangle_pairs(x, y, pairs);
    if (leaves->once != NULL && !keep_named(leaves, pairs)) {
        leaves->late = true;
        return false;
    }
    for (uint32_t j = 0; j < y->count; j++) {
        /* Bit i of pairs[j] says that the filter could not part X's triangle i from Y's triangle
         * j. Pairs come in ascending order of j, then of i. */
        for (uint32_t left = pairs[j]; left != 0; left &= left - 1) {
            const uint32_t i = (uint32_t)__builtin_ctz(left);
            if ((leaves->once != NULL || pair_meets(x, i, y, j)) &&
                !visit_pair(frame, visitor, kiln_tree_triangle(frame->x, x->first + i),
                            kiln_tree_triangle(frame->y, y->first + j))) {
                return false;
            }
        }
    }
    return true;
}
