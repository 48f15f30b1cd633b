/* Boxes in the frame that an affine map M leads to, by the slabs between their faces.
 *
 * A point v of a box with axes u, centre c and half-extents h has |u_k . (v - c)| <= h_k, in exact
 * arithmetic (formats/nodes.h). With n_k = M^-T u_k that is |n_k . (M v - M c)| <= h_k: a slab of
 * the frame, from which a point p at w from M c is (|n_k . w| - h_k) / |n_k| apart, or not. These
 * gaps g_k are no longer than the way from p to what is in the box has along each unit normal. So
 * the longest of them is a lower bound of its length, and so is the root of their sum of squares
 * over the largest eigenvalue of the matrix of the normals' cosines, for which the largest sum of
 * a row of magnitudes is taken (Gershgorin): where the normals are orthogonal, that is the
 * distance.
 *
 * What this is off by. M^-1 is off by 2^-50 of its largest entry (pose/affine.h), products with it
 * by roundings: n_k by less than 2^-47 of that entry, so that n_k . M differs from u_k by 2^-44 of
 * the product of the largest entries, `skew` / 2, and the slab of the box, whose points are within
 * 1.01 times the sum of half-extents of c, is so much thicker. Places in the frame are off by a few
 * roundings of the numbers that take part, 2^-50 of them, and corners by a half of 2^-149 more, of
 * which `room` is 60 times as much; those of centres far outside the tree by their own size. */
#include "affine_point_walk.h"

#include "../../formats/assert.h"
#include "../../formats/vector.h"
#include "../exact/point_triangle.h"
#include "../kernel/kernel.h"
#include "once.h"

#include <math.h>
#include <string.h>

enum { LANES_WAITING = (KILN_NODE_WIDTH - 1) * KILN_TREE_DEPTH_MAX + KILN_NODE_WIDTH };

/* Coordinates of points below this count as 0, as they do in trees' own frames. */
#define POINT_LEAST 0x1p-250

/* Squares in units of the tree's size; larger ones count as this. */
#define SQUARE_MOST 0x1p+100

/* Multiples of 2^-149 are all that doubles from here to twice this can be. Smaller numbers get to
 * be such by a sum with it, in which both have one sign, so that a number and its mirror image are
 * rounded alike. */
#define STEPS_FROM 0x1p-97

static double rounded_to_steps(double value)
{
    const double by = copysign(STEPS_FROM, value);
    return fabs(value) < STEPS_FROM ? (value + by) - by : value;
}

void kiln_affine_carry_corners(const kiln_placement *placement, double corners[9])
{
    for (int c = 0; c < 9; c += 3) {
        double placed[3];
        kiln_matrix_apply(placement->carry.rotation, corners + c, placed);
        for (int k = 0; k < 3; k++) {
            corners[c + k] = rounded_to_steps(placed[k]);
        }
    }
}

/* ------------------------------------------------------------------------------------- boxes -- */

static void form_slabs(const kiln_affine_point *at, double axis[3][3], kiln_point_slabs *out)
{
    double cosine[3], most = 0;
    for (int k = 0; k < 3; k++) {
        kiln_matrix_apply(at->across, axis[k], out->normal[k]);
        out->shorter[k] = 1 / sqrt(kiln_dot(out->normal[k], out->normal[k]));
    }
    for (int k = 0; k < 3; k++) { /* of the other two */
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        cosine[k] =
            fabs(kiln_dot(out->normal[i], out->normal[j])) * (out->shorter[i] * out->shorter[j]);
    }
    for (int k = 0; k < 3; k++) {
        most = kiln_larger(most, cosine[(k + 1) % 3] + cosine[(k + 2) % 3]);
    }
    out->share = 1 / (1 + most + 0x1p-40);
}

/* Rows of M^T M: no vector gets longer by more than the root of the largest sum of magnitudes. Of a
 * matrix that is nearly a rotation this is 1, and kiln_matrix_norm, which costs less, 1.7. */
static double longest_by(const double m[9])
{
    double most = 0;
    for (int i = 0; i < 3; i++) {
        double sum = 0;
        for (int j = 0; j < 3; j++) {
            sum += fabs((m[i] * m[j] + m[3 + i] * m[3 + j]) + m[6 + i] * m[6 + j]);
        }
        most = kiln_larger(most, sum);
    }
    return sqrt(most) * (1 + 0x1p-40);
}

void kiln_affine_point_form(kiln_affine_point *at, kiln_near_point *near, const kiln_tree *tree,
                            const kiln_placement *placement, const double point[3])
{
    static const double own_axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const kiln_format_tree *entry = tree->view.entry;
    const double unit = kiln_power_of_two(entry->scale_exponent);
    const double *matrix = placement->carry.rotation;
    const double most = kiln_matrix_most(matrix);
    double axes[3][3], size = 0, places = 0;
    int exponent;
    KILN_ASSERT(placement->affine);
    at->placement = placement;
    kiln_matrix_apply(matrix, entry->origin, at->node.translation);
    for (int i = 0; i < 9; i++) {
        at->node.rotation[i] = matrix[i] * unit;
        at->across[i] = placement->inverse[3 * (i % 3) + i / 3] / (placement->scale * unit);
    }
    for (int k = 0; k < 3; k++) {
        const double placed = point[k] - placement->carry.translation[k];
        near->own[k] = fabs(placed) < POINT_LEAST ? 0 : placed;
        near->at[k] = 0;
        size = kiln_larger(size, fabs(entry->origin[k]));
        places = kiln_larger(places, fabs(placed));
    }
    at->longest = longest_by(at->node.rotation);
    /* What normals are off by, over a box. Entries of the inverse are rounded once, and off by
     * 2^-98 of its largest times the product of the largest entries of both, which is 2^40 at most
     * (affine.h): along a box less than 2^-57 of that product. What rounds w and the product with
     * it is as a shift of the place by 2^-51 of `most` times the size, of which `room` has 2^-44.
     * So this is more than is needed, and no test can tell. */
    at->skew = 0x1p-43 * most * (kiln_matrix_most(placement->inverse) / placement->scale);
    at->room = 0x1p-44 * (3 * most * (size + unit) + places) + 0x1p-140;
    memcpy(axes, own_axes, sizeof axes);
    form_slabs(at, axes, &at->slabs);
    (void)frexp(most, &exponent);
    near->unit = ldexp(1, -exponent - entry->scale_exponent);
    near->tiny = 0x1p-280;
    near->slack = 0;
    near->blind = true; /* for the kernels, which don't see this point */
    near->limit = HUGE_VAL;
    near->cut = HUGE_VALF;
}

/* A lower bound of the square of the distance, in the units of limits. */
static float lane_square(const kiln_affine_point *at, const kiln_near_point *near,
                         const kiln_lane_box *lane, const float org[3],
                         const kiln_point_slabs *slabs, bool is_ball)
{
    double centre[3], place[3], w[3], half[3], size = 0, extents = 0, sum = 0, most = 0;
    kiln_lane_box_centre(lane, org, centre);
    kiln_transform_point(&at->node, centre, place);
    kiln_subtract(near->own, place, w);
    for (int k = 0; k < 3; k++) {
        half[k] = (double)lane->half[k];
        size += fabs(centre[k]);
        extents += half[k];
    }
    /* `room` is for centres within the tree's bounds. Crafted files may have others: a sum of three
     * products rounds by 3 u of their magnitudes, less than 2^-50 of the matrix's norm and the sum
     * of the coordinates, and the norm is below sqrt 3 times the longest. */
    const double off = at->room + 0x1p-48 * at->longest * size;
    for (int k = 0; k < 3; k++) {
        const double beyond = fabs(kiln_dot(slabs->normal[k], w)) - half[k] - at->skew * extents;
        const double gap = beyond * slabs->shorter[k] - off;
        if (gap > 0) {
            sum += gap * gap;
            most = kiln_larger(most, gap * gap);
        }
    }
    most = kiln_larger(most, sum * slabs->share);
    /* Along the way to the centre. */
    const double way = sqrt(kiln_dot(w, w));
    double reach = at->longest * half[0], gap;
    if (!is_ball) {
        double back[3], along = 0;
        for (int i = 0; i < 3; i++) {
            const double *m = at->node.rotation + i;
            back[i] = (m[0] * w[0] + m[3] * w[1]) + m[6] * w[2];
        }
        for (int k = 0; k < 3; k++) {
            const float *u = lane->axis[k];
            along += half[k] * fabs(((double)u[0] * back[0] + (double)u[1] * back[1]) +
                                    (double)u[2] * back[2]);
        }
        reach = way > 0 ? along / way + KILN_ARMS_OFF * at->longest * extents : 0;
    }
    gap = way - reach - off;
    most = gap > 0 ? kiln_larger(most, gap * gap) : most;
    most *= near->unit * near->unit;
    return (float)(kiln_smaller(most, SQUARE_MOST) * (1 - 0x1p-20));
}

/* The lanes of a node that are to be entered, and lower bounds of their squares. */
static uint32_t open_affine(const kiln_tree *tree, const kiln_affine_point *at,
                            const kiln_near_point *near, const kiln_format_node8 *node,
                            float squared[8])
{
    const kiln_node_kind *kind = tree->view.kind;
    kiln_lanes lanes;
    uint32_t entered = 0;
    kind->decode(node, &lanes);
    for (uint32_t mask = kiln_node8_used(node); mask != 0; mask &= mask - 1) {
        const unsigned i = (unsigned)__builtin_ctz(mask);
        kiln_lane_box lane;
        kiln_point_slabs own;
        kiln_lanes_get(&lanes, kind->aligned, i, &lane);
        if (!kind->aligned) {
            double axis[3][3];
            for (int k = 0; k < 9; k++) {
                axis[k / 3][k % 3] = (double)lane.axis[k / 3][k % 3];
            }
            form_slabs(at, axis, &own);
        }
        squared[i] =
            lane_square(at, near, &lane, node->org, kind->aligned ? &at->slabs : &own, kind->balls);
        entered |= (uint32_t) !((double)squared[i] > near->limit) << i;
    }
    return entered;
}

typedef struct {
    const kiln_tree *tree;
    const kiln_affine_point *at;
    const kiln_near_point *near;
} affine_walk;

static uint32_t entered_by_affine(const void *walk, const kiln_format_node8 *node)
{
    const affine_walk *w = (const affine_walk *)walk;
    float squared[8];
    return open_affine(w->tree, w->at, w->near, node, squared);
}

bool kiln_affine_point_is_first(const kiln_tree *tree, const kiln_affine_point *at,
                                const kiln_near_point *near, uint32_t slot)
{
    const affine_walk walk = {tree, at, near};
    return !tree->view.kind->shared || kiln_once_in_tree(tree, entered_by_affine, &walk, slot);
}

/* --------------------------------------------------------------------------------- triangles -- */

/* Is the box of the triangle beyond the limit? */
static bool is_beyond(const kiln_near_point *near, const double t[9])
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        const double below = kiln_smaller(t[k], kiln_smaller(t[3 + k], t[6 + k])) - near->own[k];
        const double above = near->own[k] - kiln_larger(t[k], kiln_larger(t[3 + k], t[6 + k]));
        const double gap = kiln_larger(0, kiln_larger(below, above)) * near->unit;
        square += gap * gap;
    }
    return square * (1 - 0x1p-40) > near->limit;
}

/* Distances are within 2^-40 of themselves. */
bool kiln_affine_point_visit_slot(const kiln_tree *tree, const kiln_affine_point *at,
                                  kiln_near_point *near, uint32_t slot, kiln_point_visit visit,
                                  void *user)
{
    const uint32_t stored = kiln_tree_triangle(tree, slot);
    double t[9];
    kiln_point_measure measure;
    kiln_tree_stored_corners(tree, stored, t);
    kiln_affine_carry_corners(at->placement, t);
    if (is_beyond(near, t)) {
        return true;
    }
    kiln_measure_point(near->own, t, kiln_point_feature(near->own, t), &measure);
    const double upper = kiln_near_point_square(near, measure.distance) * (1 + 0x1p-38);
    const double placed = measure.distance * near->unit;
    const double lower = placed * placed * (1 - 0x1p-38) - near->tiny;
    return lower > near->limit || visit(user, near, slot, stored, lower, upper);
}

/* -------------------------------------------------------------------------------------- walk -- */

/* A lane of a node: its number is the three lowest bits of `key`, which is else a lower bound of
 * its square, in the order of numbers, as in kernel_points.h. */
typedef struct {
    uint32_t node, key;
} waiting_lane;

/* The nearest on top. */
static unsigned push_lanes(uint32_t node, uint32_t mask, const float squared[8],
                           waiting_lane *stack, unsigned height)
{
    const unsigned first = height;
    for (; mask != 0; mask &= mask - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(mask);
        unsigned place = height++;
        uint32_t key;
        KILN_ASSERT(place < LANES_WAITING);
        memcpy(&key, &squared[lane], sizeof key);
        key = (key & ~7u) | lane;
        for (; place > first && stack[place - 1].key < key; place--) {
            stack[place] = stack[place - 1];
        }
        stack[place] = (waiting_lane){node, key};
    }
    return height;
}

/* Never more than seven other lanes wait on a level. */
void kiln_affine_point_walk(const kiln_tree *tree, const kiln_affine_point *at,
                            kiln_near_point *near, kiln_point_leaf enters, kiln_point_visit visit,
                            void *user)
{
    waiting_lane stack[LANES_WAITING];
    float squared[8];
    uint32_t mask = open_affine(tree, at, near, kiln_tree_node(tree, 0), squared);
    unsigned height = push_lanes(0, mask, squared, stack, 0);
    while (height > 0) {
        const waiting_lane top = stack[--height];
        const kiln_format_node8 *node = kiln_tree_node(tree, top.node);
        const uint32_t lane = top.key & 7u, bits = top.key & ~7u;
        float square;
        memcpy(&square, &bits, sizeof square);
        if ((double)square > near->limit) {
            continue;
        }
        if ((node->inner >> lane & 1) != 0) {
            const uint32_t child = kiln_node8_child(node, lane);
            mask = open_affine(tree, at, near, kiln_tree_node(tree, child), squared);
            height = push_lanes(child, mask, squared, stack, height);
            continue;
        }
        if (enters != NULL && !enters(user)) {
            return;
        }
        const uint32_t first = kiln_node8_slot(node, lane);
        for (uint32_t i = 0; i < kiln_node8_count(node, lane); i++) {
            if (!kiln_affine_point_visit_slot(tree, at, near, first + i, visit, user)) {
                return;
            }
        }
    }
}
