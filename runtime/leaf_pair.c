/* Triangles of two leaves: their boxes in double first, then the exact predicate. */
#include "leaf_pair.h"

#include "exact.h"

typedef int64_t two_bits __attribute__((vector_size(16)));

static inline double least(double p, double q, double r)
{
    const double low = p < q ? p : q;
    return low < r ? low : r;
}

static inline double most(double p, double q, double r)
{
    const double high = p > q ? p : q;
    return high > r ? high : r;
}

static void measure_triangle(const double corner[9], bool is_x, kiln_triangle_box *box)
{
    const double x0 = least(corner[0], corner[3], corner[6]);
    const double y0 = least(corner[1], corner[4], corner[7]);
    const double z0 = least(corner[2], corner[5], corner[8]);
    const double x1 = most(corner[0], corner[3], corner[6]);
    const double y1 = most(corner[1], corner[4], corner[7]);
    const double z1 = most(corner[2], corner[5], corner[8]);
    if (is_x) {
        *box = (kiln_triangle_box){{{x0, y0}, {z0, -x1}, {-y1, -z1}}};
    } else {
        *box = (kiln_triangle_box){{{x1, y1}, {z1, -x0}, {-y0, -z0}}};
    }
}

/* X's triangles as they are stored, Y's carried. */
static void load_leaf(const kiln_pair_frame *frame, bool is_x, const kiln_tree_box *box,
                      kiln_leaf_triangles *leaf)
{
    const kiln_tree *tree = is_x ? frame->x : frame->y;
    leaf->first = box->first;
    leaf->count = box->count;
    for (uint32_t i = 0; i < box->count; i++) {
        const uint32_t *corner =
            tree->triangles + 3 * (size_t)kiln_tree_triangle(tree, box->first + i);
        for (int c = 0; c < 3; c++) {
            const float *vertex = tree->vertices + 3 * (size_t)corner[c];
            double *out = leaf->corners[i] + 3 * c;
            if (is_x) {
                for (int k = 0; k < 3; k++) {
                    out[k] = (double)vertex[k];
                }
            } else {
                kiln_pair_frame_carry(frame, vertex, out);
            }
        }
        measure_triangle(leaf->corners[i], is_x, &leaf->boxes[i]);
    }
}

static inline bool boxes_apart(const kiln_triangle_box *x, const kiln_triangle_box *y)
{
    const two_bits apart =
        (x->part[0] > y->part[0]) | (x->part[1] > y->part[1]) | (x->part[2] > y->part[2]);
    return (apart[0] | apart[1]) != 0;
}

static bool visit_pair(const kiln_pair_frame *frame, const kiln_pair_visitor *visitor,
                       uint32_t triangle_x, uint32_t triangle_y)
{
    const uint32_t id_x = frame->x->ids[triangle_x], id_y = frame->y->ids[triangle_y];
    const kiln_pair pair = frame->swapped ? (kiln_pair){id_y, id_x} : (kiln_pair){id_x, id_y};
    return visitor->visit(visitor->user, pair);
}

bool kiln_leaf_pair_meet(kiln_leaf_pair *leaves, const kiln_pair_frame *frame,
                         const kiln_pair_visitor *visitor, const kiln_tree_box *leaf_x,
                         const kiln_tree_box *leaf_y)
{
    kiln_leaf_triangles *x = &leaves->x, *y = &leaves->y;
    if (visitor->boxes) {
        return visitor->visit(visitor->user, (kiln_pair){0, 0});
    }
    if (x->count == 0 || x->first != leaf_x->first) {
        load_leaf(frame, true, leaf_x, x);
    }
    if (y->count == 0 || y->first != leaf_y->first) {
        load_leaf(frame, false, leaf_y, y);
    }
    for (uint32_t j = 0; j < y->count; j++) {
        for (uint32_t i = 0; i < x->count; i++) {
            if (!boxes_apart(&x->boxes[i], &y->boxes[j]) &&
                kiln_exact_triangles_meet(x->corners[i], y->corners[j]) &&
                !visit_pair(frame, visitor, kiln_tree_triangle(frame->x, x->first + i),
                            kiln_tree_triangle(frame->y, y->first + j))) {
                return false;
            }
        }
    }
    return true;
}
