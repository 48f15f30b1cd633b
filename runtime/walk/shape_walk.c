/* The descent of one tree with a shape.
 *
 * Sphere, box and capsule are surrounded by one oriented box, which is tested against the lanes of
 * nodes by the kernels of pairs of boxes, so that shapes need no kernels of their own. Its corners
 * let some boxes through that a sphere does not touch; the exact test of triangles decides those.
 * The walk keeps nodes on a stack of fixed size: a node adds at most seven more than it takes. */
#include "shape_walk.h"

#include "../../formats/assert.h"
#include "once.h"

#include <math.h>
#include <string.h>

enum { STACK = (KILN_NODE_WIDTH - 1) * KILN_TREE_DEPTH_MAX + KILN_NODE_WIDTH };

/* Beyond it a box covers all boxes of a tree, whose coordinates are below 2^19 (check.c), whatever
 * its middle. */
#define REACH_MAX 0x1p+20

/* A map more skewed than this has an inverse that boxes are not to be carried by. */
#define SKEW_MOST 0x1p+45

/* ---------------------------------------------------------------------------------- the box -- */

/* An orthonormal frame whose first axis is along `way`; the frame's own axes for no way. */
static void axes_along(const double way[3], double axes[3][3])
{
    const double length = sqrt((way[0] * way[0] + way[1] * way[1]) + way[2] * way[2]);
    memset(axes, 0, 9 * sizeof(double));
    if (!(length > 0)) {
        axes[0][0] = axes[1][1] = axes[2][2] = 1;
        return;
    }
    int least = 0;
    for (int k = 0; k < 3; k++) {
        axes[0][k] = way[k] / length;
        least = fabs(way[k]) < fabs(way[least]) ? k : least;
    }
    const int i = (least + 1) % 3, j = (least + 2) % 3;
    const double across = sqrt(axes[0][i] * axes[0][i] + axes[0][j] * axes[0][j]);
    axes[1][i] = -axes[0][j] / across;
    axes[1][j] = axes[0][i] / across;
    for (int k = 0; k < 3; k++) {
        const int p = (k + 1) % 3, q = (k + 2) % 3;
        axes[2][k] = axes[0][p] * axes[1][q] - axes[0][q] * axes[1][p];
    }
}

/* The shape in its own frame as an oriented box, and the largest of its numbers. */
typedef struct {
    kiln_box box;
    double size;
} shape_bounds;

static void bound_shape(const kiln_shape *shape, shape_bounds *b)
{
    double way[3] = {0, 0, 0}, scale = 0;
    b->size = shape->kind == KILN_SHAPE_BOX ? 0 : shape->radius;
    for (int k = 0; k < 3; k++) {
        const double end = shape->kind == KILN_SHAPE_SPHERE ? shape->a[k] : shape->b[k];
        b->box.centre[k] = shape->a[k] / 2 + end / 2;
        b->box.half[k] = shape->kind == KILN_SHAPE_BOX ? end / 2 - shape->a[k] / 2 : shape->radius;
        b->size = fmax(b->size, fmax(fabs(shape->a[k]), fabs(end)));
        way[k] = shape->kind == KILN_SHAPE_CAPSULE ? end / 2 - shape->a[k] / 2 : 0;
        scale = fmax(scale, fabs(way[k]));
    }
    for (int k = 0; k < 3 && scale > 0; k++) {
        way[k] /= scale;
    }
    axes_along(way, b->box.axis);
    b->box.half[0] += scale * sqrt((way[0] * way[0] + way[1] * way[1]) + way[2] * way[2]);
}

/* Beyond it boxes are not compared at all. */
static void pass_all(kiln_shape_box *box)
{
    memset(box, 0, sizeof *box);
    for (int k = 0; k < 3; k++) {
        box->probe.axis[k][k] = 1;
        box->probe.half[k] = (float)REACH_MAX;
    }
    box->probe.epsilon = 0x1p-17f;
    box->slack = (float)REACH_MAX;
}

/* The box around what the inverse of an affine map, carry, makes of the shape's box.
 *
 * Carried corners go wrong by 2^-50 of what they are sums of, 3 m |p| and the translation, m being
 * the largest entry of the map; balls reach 2^-40 further. In the tree that is 3 n times as much, n
 * being the largest entry of the inverse; the inverse itself is off by 2^-50 n and 2^-98 m n n
 * (kiln_matrix_invert_wide), of all that it is applied to. Of all 2^-38 is taken, where m n does
 * not make the second the larger. */
static void form_affine_shape_box(kiln_shape_box *box, const kiln_tree *tree,
                                  const kiln_placement *placement, const shape_bounds *bounds)
{
    const kiln_format_tree *entry = tree->view.entry;
    const double unit = ldexp(1.0, -entry->scale_exponent);
    const double most = kiln_matrix_most(placement->carry.rotation);
    const double most_inverse = kiln_matrix_most(placement->inverse) / placement->scale;
    double arm[3][3], from[3], own[3], size = bounds->size, middle = 0;
    for (int k = 0; k < 3; k++) {
        const double way[3] = {bounds->box.axis[k][0] * bounds->box.half[k],
                               bounds->box.axis[k][1] * bounds->box.half[k],
                               bounds->box.axis[k][2] * bounds->box.half[k]};
        kiln_matrix_apply(placement->inverse, way, arm[k]);
        for (int i = 0; i < 3; i++) {
            arm[k][i] *= unit / placement->scale;
        }
        from[k] = bounds->box.centre[k] - placement->carry.translation[k];
        size = fmax(size, fabs(placement->carry.translation[k]) +
                              3 * most * (fabs(entry->origin[k]) + 1 / unit));
    }
    kiln_matrix_apply(placement->inverse, from, own);
    for (int k = 0; k < 3; k++) {
        box->centre[k] = (own[k] / placement->scale - entry->origin[k]) * unit;
        middle = fmax(middle, fabs(box->centre[k]));
    }
    const double slack = 0x1p-38 * 16 * most_inverse * size * unit;
    kiln_probe_enclose(arm, 0, &box->probe);
    const double extents =
        (double)box->probe.half[0] + (double)box->probe.half[1] + (double)box->probe.half[2];
    if (!(most * most_inverse < SKEW_MOST) || !(slack < REACH_MAX) || !(extents < REACH_MAX) ||
        !(middle < HUGE_VAL)) {
        pass_all(box);
        return;
    }
    box->probe.epsilon = 0x1p-17f;
    box->slack = (float)slack;
    for (int k = 0; k < 3; k++) { /* far off: nothing is met, as far as floats go */
        const double far = 4 * REACH_MAX;
        box->centre[k] = fmax(-far, fmin(far, box->centre[k]));
    }
}

/* Positions go wrong by a few roundings of the numbers that take part; balls reach 2^-40 further.
 */
void kiln_shape_box_form(kiln_shape_box *box, const kiln_tree *tree,
                         const kiln_placement *placement, const kiln_shape *shape)
{
    const kiln_format_tree *entry = tree->view.entry;
    const double scale = placement->scale, *inverse = placement->inverse;
    const double unit = ldexp(1.0, -entry->scale_exponent), unit_placed = unit / scale;
    shape_bounds bounds;
    double from[3], size = 0, reach = 0;
    bound_shape(shape, &bounds);
    if (placement->affine) {
        form_affine_shape_box(box, tree, placement, &bounds);
        return;
    }
    KILN_ASSERT(scale > 0);
    KILN_ASSERT(bounds.box.half[0] >= 0);
    KILN_ASSERT(bounds.box.half[1] >= 0);
    KILN_ASSERT(bounds.box.half[2] >= 0);
    for (int k = 0; k < 3; k++) {
        from[k] = bounds.box.centre[k] - placement->carry.translation[k];
        size = fmax(size, fabs(placement->carry.translation[k]) + fabs(entry->origin[k]) * scale);
    }
    for (int k = 0; k < 3; k++) {
        const double own =
            inverse[3 * k] * from[0] + inverse[3 * k + 1] * from[1] + inverse[3 * k + 2] * from[2];
        box->centre[k] = (own / scale - entry->origin[k]) * unit;
        const double half = bounds.box.half[k] * unit_placed * (1 + 0x1p-18);
        reach = fmax(reach, half);
        box->probe.half[k] = (float)fmin(half, REACH_MAX);
        for (int i = 0; i < 3; i++) {
            const double *row = inverse + 3 * i, *axis = bounds.box.axis[k];
            box->probe.axis[k][i] = (float)(row[0] * axis[0] + row[1] * axis[1] + row[2] * axis[2]);
        }
    }
    const double slack =
        0x1p-38 * (bounds.size + size + ldexp(scale, entry->scale_exponent)) * unit_placed;
    reach = fmax(reach, slack);
    box->slack = (float)fmin(slack, REACH_MAX);
    box->probe.epsilon = (float)(0x1p-17 + 8 * placement->departure);
    for (int k = 0; k < 3; k++) { /* far off: nothing is met, as far as floats go */
        const double most = 4 * REACH_MAX;
        box->centre[k] = reach >= REACH_MAX ? 0 : fmax(-most, fmin(most, box->centre[k]));
    }
    if (reach >= REACH_MAX) {
        box->slack = (float)REACH_MAX;
    }
}

/* --------------------------------------------------------------------------------- the walk -- */

/* The lanes of a node that the box may meet. Kinds whose volumes are tighter than their boxes have
 * a second test, for the lanes that pass the first. */
static uint32_t meet_node(const kiln_tree *tree, const kiln_kernel *kernel,
                          const kiln_shape_box *box, const kiln_format_node8 *node)
{
    kiln_lanes lanes;
    kiln_probe probe = box->probe;
    float size = 0;
    for (int k = 0; k < 3; k++) {
        probe.centre[k] = (float)(box->centre[k] - (double)node->org[k]);
        size += fabsf(probe.centre[k]);
    }
    probe.slack = box->slack + 0x1p-23f * size;
    tree->view.kind->decode(node, &lanes);
    const uint32_t mask = (tree->view.kind->aligned ? kernel->overlap_aligned : kernel->overlap)(
        &lanes, &probe, kiln_node8_used(node));
    KILN_ASSERT((mask & ~(uint32_t)kiln_node8_used(node)) == 0);
    const kiln_refine_lanes refine = kiln_kernel_of(kernel, tree->view.kind)->refine;
    return refine == NULL || mask == 0 ? mask : refine(node, &probe, mask);
}

void kiln_shape_walk(const kiln_tree *tree, const kiln_shape_box *box, kiln_shape_leaf leaf,
                     void *user)
{
    const kiln_kernel *kernel = kiln_kernel_active();
    KILN_ASSERT(leaf != NULL);
    uint32_t stack[STACK];
    unsigned height = 1;
    stack[0] = 0;
    while (height > 0) {
        const kiln_format_node8 *node = kiln_tree_node(tree, stack[--height]);
        for (uint32_t mask = meet_node(tree, kernel, box, node); mask != 0; mask &= mask - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(mask);
            KILN_ASSERT(lane < tree->view.kind->lanes);
            if ((node->inner >> lane & 1) != 0) {
                KILN_ASSERT(height < STACK);
                stack[height++] = kiln_node8_child(node, lane);
            } else if (!leaf(user, kiln_node8_slot(node, lane), kiln_node8_count(node, lane))) {
                return;
            }
        }
    }
}

typedef struct {
    const kiln_tree *tree;
    const kiln_shape_box *box;
} shape_walk;

static uint32_t entered_by_shape(const void *walk, const kiln_format_node8 *node)
{
    const shape_walk *w = (const shape_walk *)walk;
    return meet_node(w->tree, kiln_kernel_active(), w->box, node);
}

bool kiln_shape_walk_is_first(const kiln_tree *tree, const kiln_shape_box *box, uint32_t slot)
{
    const shape_walk walk = {tree, box};
    return !tree->view.kind->shared || kiln_once_in_tree(tree, entered_by_shape, &walk, slot);
}
