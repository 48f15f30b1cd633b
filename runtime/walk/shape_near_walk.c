/* Depth-first descent of a tree, the nearest of a node's lanes first, without those whose distance
 * from the bounds of a hull is proved to exceed the limit.
 *
 * The bounds are carried into node space once and become a probe there, as for shape_walk.c, from
 * which the kernels measure eight lanes at once (kernel_gaps.h); of a hull that a ball surrounds
 * better the probe is the middle, and the ball's radius is taken off. A lane that is far off for
 * its size is measured in doubles along the line between the centres instead, as in near_walk.c. */
#include "shape_near_walk.h"

#include "../../formats/assert.h"
#include "../../formats/vector.h"
#include "lane_order.h"

#include <math.h>
#include <string.h>

#define FAR_SIZES 64.0      /* of a box: it is far */
#define OUT_OF_SIGHT 0x1p20 /* sizes of both */
#define OUT_OF_SIGHT_KEPT (1 - 0x1p-38)
#define ROUNDING 0x1p-42 /* of kiln_convex_triangle_nearest and of its operands, and a margin */
#define NEARNESS 0x1p-6  /* of centres: orders lanes that overlap */

typedef struct {
    const kiln_format_node8 *node;
    double bound[8]; /* squared, in square units of node space */
    uint32_t mask;   /* lanes not taken yet */
    uint32_t order;  /* lanes as octal digits, next one lowest */
} shape_level;

/* ---------------------------------------------------------------------------------- bounds -- */

/* How far a box, or what an affine map makes of one, is from the hull's bounds, in the shape's
 * frame: along the line between the centres, or as boxes along its axes; 0: nothing is known. `arm`
 * are the half-extents as vectors there, which are off by epsilon of their lengths. */
static double gap_between_centres(const kiln_shape_near_walk *w, const double centre[3],
                                  const double arm[3][3], double extents)
{
    double n[3], squared = 0, reach = 0, own = 0, of_boxes = 0;
    for (int k = 0; k < 3; k++) {
        n[k] = centre[k] - w->middle[k];
        squared += n[k] * n[k];
        const double apart =
            fabs(n[k]) - w->half[k] - ((fabs(arm[0][k]) + fabs(arm[1][k])) + fabs(arm[2][k]));
        of_boxes += apart > 0 ? apart * apart : 0;
    }
    for (int k = 0; k < 3; k++) {
        own += w->half[k];
        reach += fabs((arm[k][0] * n[0] + arm[k][1] * n[1]) + arm[k][2] * n[2]) +
                 w->half[k] * fabs(n[k]);
    }
    const double length = sqrt(squared);
    const double error = 2 * ((double)w->probe.epsilon * (extents + own) + 4 * w->slack * w->unit);
    const double along = length - reach / length;
    const double gap = kiln_larger(along, sqrt(of_boxes)) - 0x1p-40 * length - error - w->around;
    return gap > 0 && gap < HUGE_VAL ? gap : 0;
}

/* Squared, in square units of node space, of one lane. */
static double far_bound_of_lane(const kiln_shape_near_walk *w, const kiln_format_node8 *node,
                                unsigned lane)
{
    kiln_lane_box box;
    const kiln_format_tree *entry = w->tree->view.entry;
    const kiln_transform *carry = &w->placement->carry;
    const double unit = kiln_power_of_two(entry->scale_exponent);
    double own[3], centre[3], arm[3][3], extents = 0;
    w->tree->view.kind->decode_lane(node, lane, &box);
    kiln_lane_box_centre(&box, node->org, own);
    for (int k = 0; k < 3; k++) {
        own[k] = own[k] * unit + entry->origin[k];
    }
    kiln_transform_point(carry, own, centre);
    for (int k = 0; k < 3; k++) {
        const double half = (double)box.half[k] * unit;
        const double axis[3] = {(double)box.axis[k][0], (double)box.axis[k][1],
                                (double)box.axis[k][2]};
        extents += (double)box.half[k] * w->unit;
        for (int i = 0; i < 3; i++) {
            arm[k][i] = half * kiln_dot(carry->rotation + 3 * i, axis);
        }
    }
    const double gap = gap_between_centres(w, centre, (const double(*)[3])arm, extents) / w->unit;
    return gap * gap;
}

/* Of the whole tree, in the shape's frame, by the bounds of its vertices. */
static double gap_of_root(const kiln_shape_near_walk *w, double *size)
{
    const kiln_format_tree *entry = w->tree->view.entry;
    const kiln_transform *carry = &w->placement->carry;
    double own[3], centre[3], arm[3][3], extents = 0;
    for (int k = 0; k < 3; k++) {
        const double lower = (double)entry->bounds_lower[k], upper = (double)entry->bounds_upper[k];
        own[k] = (lower + upper) / 2;
        extents += (upper - lower) / 2 * w->stretch;
        for (int i = 0; i < 3; i++) {
            arm[k][i] = carry->rotation[3 * i + k] * ((upper - lower) / 2);
        }
    }
    kiln_transform_point(carry, own, centre);
    *size = extents;
    return gap_between_centres(w, centre, (const double(*)[3])arm, extents);
}

/* Lower bounds of all lanes of the node, and which of them are within the limit. */
static void measure_lanes(const kiln_shape_near_walk *w, const kiln_lanes *lanes,
                          const kiln_probe *probe, shape_level *at)
{
    float squared[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    uint32_t kept = 0;
    const double around = w->around / w->unit * (1 + 0x1p-40);
    if (w->in_range) {
        (w->tree->view.kind->aligned ? w->kernel->gaps_aligned : w->kernel->gaps)(lanes, probe,
                                                                                  w->line, squared);
    }
    for (uint32_t mask = kiln_node8_used(at->node); mask != 0; mask &= mask - 1) {
        const unsigned i = (unsigned)__builtin_ctz(mask);
        const double half =
            ((double)lanes->half[0][i] + (double)lanes->half[1][i]) + (double)lanes->half[2][i];
        double bound = (double)squared[i];
        if (around > 0) {
            const double gap = sqrt(bound) - around;
            bound = gap > 0 ? gap * gap : 0;
        }
        if (!(bound > w->limit_squared) &&
            (!w->in_range || bound > FAR_SIZES * FAR_SIZES * (half * half))) {
            bound = kiln_larger(bound, far_bound_of_lane(w, at->node, i));
        }
        at->bound[i] = bound;
        kept |= (uint32_t) !(bound > w->limit_squared) << i;
    }
    at->mask = kept;
}

/* Lanes of the mask by bound and, among those that overlap, by the distance of the centres. */
static void sort_lanes(const kiln_lanes *lanes, const kiln_probe *probe, shape_level *at)
{
    double key_of[8];
    for (uint32_t mask = at->mask; mask != 0; mask &= mask - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(mask);
        const float x = probe->centre[0] - lanes->centre[0][i];
        const float y = probe->centre[1] - lanes->centre[1][i];
        const float z = probe->centre[2] - lanes->centre[2][i];
        key_of[i] = at->bound[i] + NEARNESS * (double)(x * x + y * y + z * z);
    }
    at->order = kiln_lane_order(at->mask, key_of);
}

static void open_node_near_shape(const kiln_shape_near_walk *w, uint32_t index, shape_level *at)
{
    kiln_lanes lanes;
    kiln_probe probe = w->probe;
    float size = 0;
    at->node = kiln_tree_node(w->tree, index);
    w->tree->view.kind->decode(at->node, &lanes);
    for (int k = 0; k < 3; k++) {
        probe.centre[k] = (float)(w->centre[k] - (double)at->node->org[k]);
        size += fabsf(probe.centre[k]);
    }
    probe.slack += 0x1p-23f * size;
    measure_lanes(w, &lanes, &probe, at);
    sort_lanes(&lanes, &probe, at);
}

/* ----------------------------------------------------------------------------------- walk -- */

void kiln_shape_near_walk_begin(kiln_shape_near_walk *walk, const kiln_tree *tree,
                                const kiln_placement *placement, const kiln_convex_core *core,
                                kiln_shape_near_visit visit, void *user)
{
    const kiln_format_tree *entry = tree->view.entry;
    const double scale = placement->scale, *inverse = placement->inverse;
    const double unit = kiln_power_of_two(entry->scale_exponent);
    const double stretch = placement->affine ? kiln_matrix_norm(placement->carry.rotation) : scale;
    double from[3], places = 0, largest = 0, extents = 0, tree_size;
    KILN_ASSERT(scale > 0);
    memset(walk, 0, sizeof *walk);
    walk->tree = tree;
    walk->placement = placement;
    walk->kernel = kiln_kernel_active();
    walk->visit = visit;
    walk->user = user;
    walk->limit_squared = HUGE_VAL;
    walk->around = core->round ? core->around : 0;
    walk->stretch = stretch;
    walk->unit = unit * stretch;
    for (int k = 0; k < 3; k++) {
        walk->middle[k] = core->middle[k];
        const double half =
            kiln_larger(core->upper[k] - core->middle[k], core->middle[k] - core->lower[k]);
        walk->half[k] = core->round ? 0 : half;
        extents += half;
        from[k] = core->middle[k] - placement->carry.translation[k];
        places += fabs(core->middle[k]) + half;
        places += fabs(placement->carry.translation[k]) + 3 * fabs(entry->origin[k]) * stretch;
    }
    for (int k = 0; k < 3; k++) {
        const double half = walk->half[k] / walk->unit * (1 + 0x1p-18);
        const double own = kiln_dot(inverse + 3 * k, from);
        walk->centre[k] = (own / scale - entry->origin[k]) / unit;
        largest = kiln_larger(half, largest);
        walk->probe.half[k] = (float)half;
        for (int i = 0; i < 3; i++) {
            walk->probe.axis[k][i] = (float)inverse[3 * i + k];
        }
    }
    /* As of shape_walk.c, of each coordinate. */
    walk->slack = 0x1p-38 * (places + walk->unit) / walk->unit;
    walk->probe.slack = (float)(4 * walk->slack);
    walk->probe.epsilon = (float)(0x1p-17 + 8 * placement->departure);
    walk->in_range = !placement->affine && largest < (double)KILN_GAP_RANGE &&
                     4 * walk->slack < (double)KILN_GAP_RANGE;
    const double gap = gap_of_root(walk, &tree_size);
    walk->rounding = 4 * ROUNDING * (extents + tree_size);
    /* The radius is added to limits, and is a size as well. */
    walk->out_of_sight = gap > OUT_OF_SIGHT * (extents + tree_size + core->radius);
}

double kiln_shape_near_walk_limit(kiln_shape_near_walk *walk, double limit)
{
    const double most =
        walk->out_of_sight ? limit * OUT_OF_SIGHT_KEPT : limit * (1 + ROUNDING) + walk->rounding;
    const double units = most / walk->unit;
    walk->limit_squared = limit >= 0 ? units * units : -1;
    return limit >= 0 ? most : -1;
}

void kiln_shape_near_walk_line(kiln_shape_near_walk *walk, const double line[3])
{
    for (int k = 0; k < 3; k++) {
        walk->line[k] = (float)kiln_dot(walk->placement->inverse + 3 * k, line);
    }
}

void kiln_shape_near_walk_run(kiln_shape_near_walk *walk)
{
    shape_level levels[KILN_TREE_DEPTH_MAX + 1], *at = levels;
    open_node_near_shape(walk, 0, at);
    for (;;) {
        if (at->mask == 0) {
            if (at == levels) {
                return;
            }
            at--;
            continue;
        }
        const unsigned lane = at->order & 7u;
        KILN_ASSERT((at->mask >> lane & 1) != 0);
        at->order >>= 3;
        at->mask &= ~(1u << lane);
        if (at->bound[lane] > walk->limit_squared) {
            continue;
        }
        if ((at->node->inner >> lane & 1) == 0) {
            if (!walk->visit(walk, kiln_node8_slot(at->node, lane),
                             kiln_node8_count(at->node, lane))) {
                return;
            }
        } else {
            const uint32_t child = kiln_node8_child(at->node, lane);
            at++;
            KILN_ASSERT(at - levels <= (long)KILN_TREE_DEPTH_MAX);
            open_node_near_shape(walk, child, at);
        }
    }
}
