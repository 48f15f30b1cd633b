/* Depth-first descent over pairs of boxes, the nearest of an opened node's lanes first, without
 * those whose distance is proved to exceed the limit. As in pair_walk.c a level holds one opened
 * node, and of two boxes the larger is opened, so that the stack is as deep as both trees
 * together.
 *
 * After Larsen, Gottschalk, Lin and Manocha, "Fast distance queries with rectangular swept
 * sphere volumes", ICRA 2000, with oriented boxes of eight children: the bound is the longer of
 * the two vectors of gaps of each box to the other along its own axes (kernel_gaps.h). Two boxes
 * that are far apart for their size are separated by the gap along the line between their
 * centres instead, in doubles, as the floats of the kernels are coarser than the boxes there; and
 * so are boxes of trees whose units differ so much that squares in floats could overflow.
 *
 * In an affine frame lengths are those of the frame of comparison, and node spaces say nothing of
 * them. Boxes are brought there, lane by lane, and bounded in doubles by all of the above. */
#include "near_walk.h"

#include "../../formats/assert.h"
#include "../../formats/vector.h"
#include "lane_order.h"

#include <string.h>

enum {
    NEAR_LEVELS_COMMON = 42, /* depths that add up to 40, the roots, one spare */
    NEAR_LEVELS_MOST = 2 * KILN_TREE_DEPTH_MAX + 2
};

#define FAR_SQUARED 4096.0  /* boxes 64 sizes apart are far */
#define OUT_OF_SIGHT 0x1p20 /* sizes */
#define OUT_OF_SIGHT_KEPT (1 - 0x1p-38)
#define ROUNDING 0x1p-42 /* of kiln_triangles_nearest and of its operands, and a margin */
#define NEARNESS 0x1p-6  /* of centres: orders lanes that overlap */
/* Of directions of boxes in an affine frame, which kiln_arms_enclose makes orthonormal within
 * 2^-30: the rest is a margin that no test can tell from none. */
#define AFFINE_OFF 0x1p-24

/* Lanes are decoded for their bounds all at once and, one by one, again when they are taken: few
 * are. */
typedef struct {
    const kiln_format_node8 *node;
    kiln_tree_box lane_box; /* the lane in hand; the opened box of the level below points here */
    const kiln_tree_box *other;
    double bound[8]; /* squared, in square units of X's node space */
    uint32_t mask;   /* lanes not taken yet */
    uint32_t order;  /* lanes as octal digits, next one lowest */
    uint8_t opened_x;
} near_level;

static inline unsigned lowest_lane(uint32_t mask)
{
    return (unsigned)__builtin_ctz(mask);
}

/* ------------------------------------------------------------------------------- bounds -- */

/* A box in X's node space. Distances are those of X's frame, where the map from Y's is as affine
 * as the poses are. The axes are rotated in double. adb_hints.c rotates its own in floats; one
 * function for both would change the last bits of bounds here, or those of hints there. */
static void make_far_box(const kiln_near_walk *w, const kiln_tree_box *box, bool is_x,
                         kiln_box *out)
{
    const kiln_node_map *map = &w->frame->to_x;
    if (w->frame->affine) {
        kiln_tree_box_enclose(w->frame, is_x, box, out);
        return;
    }
    for (int k = 0; k < 3; k++) {
        out->half[k] = (double)box->half[k] * (is_x ? 1 : w->unit_y);
        out->centre[k] = box->centre[k];
        for (int j = 0; j < 3; j++) {
            out->axis[k][j] = (double)box->axis[k][j];
        }
    }
    if (is_x) {
        return;
    }
    kiln_transform_point(&map->points, box->centre, out->centre);
    for (int i = 0; i < 3; i++) {
        const float *row = map->rotation + 3 * i;
        for (int k = 0; k < 3; k++) {
            out->axis[k][i] = ((double)row[0] * (double)box->axis[k][0] +
                               (double)row[1] * (double)box->axis[k][1]) +
                              (double)row[2] * (double)box->axis[k][2];
        }
    }
}

static double reach_along(const kiln_box *box, const double n[3], double error)
{
    double reach = 0;
    for (int k = 0; k < 3; k++) {
        const double *axis = box->axis[k];
        reach += box->half[k] * (fabs((axis[0] * n[0] + axis[1] * n[1]) + axis[2] * n[2]) + error);
    }
    return reach;
}

/* Gap along the line between the centres, squared; 0 where there is none. A box reaches along a
 * unit vector as far as its axes say, within epsilon of its extents. */
static double far_bound(const kiln_near_walk *w, const kiln_box *p, const kiln_box *q)
{
    double n[3], squared = 0;
    for (int k = 0; k < 3; k++) {
        n[k] = p->centre[k] - q->centre[k];
        squared += n[k] * n[k];
    }
    const double length = sqrt(squared), error = w->direction_off * length;
    const double reach = reach_along(p, n, error) + reach_along(q, n, error);
    const double gap = length * (1 - 0x1p-46) - reach / length - w->position_off;
    return gap > 0 && gap < HUGE_VAL ? gap * gap : 0;
}

/* Gaps between p and q along the axes of p, as a vector, squared; 0 where there are none. Axes are
 * off by AFFINE_OFF from orthonormal ones at most, and so are projections on them. */
static double faces_bound(const kiln_near_walk *w, const kiln_box *p, const kiln_box *q,
                          const double way[3], double size)
{
    double squared = 0;
    for (int k = 0; k < 3; k++) {
        const double gap = fabs(kiln_dot(way, p->axis[k])) - p->half[k] -
                           reach_along(q, p->axis[k], 0) - w->direction_off * size -
                           w->position_off;
        squared += gap > 0 ? gap * gap : 0;
    }
    return squared * (1 - 4 * w->direction_off);
}

/* In an affine frame: the best of these, and of the gap along the line. */
static double affine_bound(const kiln_near_walk *w, const kiln_box *p, const kiln_box *q,
                           double *centres_squared)
{
    double way[3], size = 0;
    kiln_subtract(p->centre, q->centre, way);
    for (int k = 0; k < 3; k++) {
        size += fabs(way[k]) + p->half[k] + q->half[k];
    }
    const double line = fabs(kiln_dot(way, w->line)) - reach_along(p, w->line, 0) -
                        reach_along(q, w->line, 0) - w->direction_off * size - w->position_off;
    const double of_p = faces_bound(w, p, q, way, size), of_q = faces_bound(w, q, p, way, size);
    const double faces = of_p > of_q ? of_p : of_q, between = far_bound(w, p, q);
    const double along = line > 0 ? line * line : 0;
    const double boxes = faces > between ? faces : between;
    const double bound = boxes > along ? boxes : along;
    *centres_squared = kiln_dot(way, way);
    return bound < HUGE_VAL ? bound : 0;
}

/* For all lanes of an opened node, with what orders those that overlap. */
__attribute__((noinline)) static void affine_bounds(const kiln_near_walk *w, near_level *at,
                                                    double key[8])
{
    kiln_box other, lane;
    make_far_box(w, at->other, !at->opened_x, &other);
    for (uint32_t mask = at->mask; mask != 0; mask &= mask - 1) {
        const unsigned i = lowest_lane(mask);
        kiln_tree_box box;
        double centres;
        kiln_tree_box_lane(w->frame, at->opened_x, at->node, i, &box);
        make_far_box(w, &box, at->opened_x, &lane);
        at->bound[i] = affine_bound(w, &lane, &other, &centres);
        key[i] = at->bound[i] + NEARNESS * centres;
    }
}

/* The same bound for all lanes of an opened node, one by one: boxes that far apart are rare. */
static void far_bounds(const kiln_near_walk *w, near_level *at)
{
    kiln_box other, lane;
    make_far_box(w, at->other, !at->opened_x, &other);
    for (uint32_t mask = at->mask; mask != 0; mask &= mask - 1) {
        const unsigned i = lowest_lane(mask);
        kiln_tree_box box;
        kiln_tree_box_lane(w->frame, at->opened_x, at->node, i, &box);
        make_far_box(w, &box, at->opened_x, &lane);
        at->bound[i] = far_bound(w, &lane, &other);
    }
}

/* Bounds of all lanes at once, by the kernels. Axis-aligned lanes have no axes to be decoded. */
static void near_bounds(const kiln_near_walk *w, const kiln_lanes *lanes, kiln_probe *probe,
                        double unit_squared, near_level *at)
{
    const kiln_node_map *map = at->opened_x ? &w->frame->to_x : &w->frame->to_y;
    float squared[8];
    probe->slack += 3 * (float)map->slack;
    const bool aligned = (at->opened_x ? w->frame->x : w->frame->y)->view.kind->aligned;
    (aligned ? w->kernel->gaps_aligned
             : w->kernel->gaps)(lanes, probe, at->opened_x ? w->line_x : w->line_y, squared);
    for (int i = 0; i < 8; i++) {
        at->bound[i] = (double)squared[i] * unit_squared;
    }
}

/* Is the other box so far from the opened one, for its size, that floats are too coarse? */
static bool is_far(const kiln_near_walk *w, const kiln_tree_box *opened, bool is_x, double bound)
{
    const double unit = is_x ? 1 : w->unit_y;
    const double half =
        ((double)opened->half[0] + (double)opened->half[1]) + (double)opened->half[2];
    return bound > FAR_SQUARED * (half * half) * (unit * unit);
}

/* ------------------------------------------------------------------------------- opening -- */

/* By bound and, among those that overlap, by the distance of the centres. Bounds of lanes that
 * overlap the box are all 0; the small share of the centres' distance orders these without changing
 * the order of bounds that differ clearly. */
static void key_lanes(const near_level *at, const kiln_lanes *lanes, const kiln_probe *probe,
                      double unit_squared, double key_of[8])
{
    for (uint32_t mask = at->mask; mask != 0; mask &= mask - 1) {
        const uint32_t i = lowest_lane(mask);
        const float x = probe->centre[0] - lanes->centre[0][i];
        const float y = probe->centre[1] - lanes->centre[1][i];
        const float z = probe->centre[2] - lanes->centre[2][i];
        key_of[i] = at->bound[i] + NEARNESS * unit_squared * (double)(x * x + y * y + z * z);
    }
}

/* A bound that is no number keeps its lane: only a comparison that holds may leave a lane out. */
static inline void keep_near_lanes(const kiln_near_walk *w, near_level *at)
{
    uint32_t left = 0;
    for (uint32_t mask = at->mask; mask != 0; mask &= mask - 1) {
        const unsigned i = lowest_lane(mask);
        left |= (uint32_t) !(at->bound[i] > w->limit_squared) << i;
    }
    at->mask = left;
}

/* Opens inner box `opened`, which is `bound` (squared) from `other`, into *at. */
static void open_near_box(const kiln_near_walk *w, const kiln_tree_box *opened, bool is_x,
                          const kiln_tree_box *other, double bound, near_level *at)
{
    const kiln_tree *tree = is_x ? w->frame->x : w->frame->y;
    const kiln_node_map *map = is_x ? &w->frame->to_x : &w->frame->to_y;
    const double unit_squared = is_x ? 1 : w->unit_y * w->unit_y;
    at->node = kiln_tree_node(tree, opened->contents.first);
    at->other = other;
    KILN_ASSERT(opened->contents.count == 0);
    at->opened_x = is_x;
    at->mask = kiln_node8_used(at->node);
    double key[8];
    if (w->frame->affine) {
        affine_bounds(w, at, key);
        keep_near_lanes(w, at);
        at->order = kiln_lane_order(at->mask, key);
        return;
    }
    kiln_lanes lanes;
    kiln_probe probe;
    tree->view.kind->decode(at->node, &lanes);
    kiln_make_probe(map, other, at->node->org, w->frame->epsilon, &probe);
    const bool in_range = map->scale < KILN_GAP_RANGE && map->slack < (double)KILN_GAP_RANGE;
    if (!in_range || is_far(w, opened, is_x, bound)) {
        far_bounds(w, at);
    } else {
        near_bounds(w, &lanes, &probe, unit_squared, at);
    }
    keep_near_lanes(w, at);
    key_lanes(at, &lanes, &probe, unit_squared, key);
    at->order = kiln_lane_order(at->mask, key);
}

/* The next lane that is within the limit, or 8. */
static unsigned next_lane(const kiln_near_walk *w, near_level *at)
{
    while (at->mask != 0) {
        const unsigned lane = at->order & 7u;
        KILN_ASSERT((at->mask >> lane & 1) != 0);
        at->order >>= 3;
        at->mask &= ~(1u << lane);
        if (!(at->bound[lane] > w->limit_squared)) {
            return lane;
        }
    }
    return 8;
}

/* ------------------------------------------------------------------------------- descent -- */

/* An inner box is opened rather than a leaf, and of two inner boxes the one with the larger
 * surface, so that both shrink alike. */
static bool opens_first(const kiln_tree_box *p, const kiln_tree_box *q)
{
    return p->contents.count == 0 && (q->contents.count != 0 || p->area >= q->area);
}

/* Goes through all pairs below two roots until the visitor returns false. `levels` has one entry
 * for each node that is open; the limit may fall meanwhile, so lanes are compared with it again
 * when they are taken. */
static void descend_near(kiln_near_walk *w, const kiln_tree_box *root_x,
                         const kiln_tree_box *root_y, double bound, near_level *levels)
{
    const bool x_first = opens_first(root_x, root_y);
    open_near_box(w, x_first ? root_x : root_y, x_first, x_first ? root_y : root_x, bound, levels);
    near_level *at = levels;
    for (;;) {
        const unsigned next = next_lane(w, at);
        if (next == 8) {
            if (at == levels) {
                return;
            }
            at--;
            continue;
        }
        kiln_tree_box_lane(w->frame, at->opened_x, at->node, next, &at->lane_box);
        const kiln_tree_box *lane = &at->lane_box, *other = at->other;
        if (lane->contents.count != 0 && other->contents.count != 0) {
            if (!w->visit(w, at->opened_x ? lane : other, at->opened_x ? other : lane)) {
                return;
            }
        } else {
            const bool lane_first = opens_first(lane, other);
            open_near_box(w, lane_first ? lane : other, lane_first == (at->opened_x != 0),
                          lane_first ? other : lane, at->bound[next], at + 1);
            at++;
            KILN_ASSERT(at - levels < NEAR_LEVELS_MOST);
        }
    }
}

/* The array is in the function that needs it, and not inlined, so that a walk of shallow trees, as
 * nearly all are, does without the stack that the deepest ones take. */
__attribute__((noinline)) static void descend_near_common(kiln_near_walk *w,
                                                          const kiln_tree_box *root_x,
                                                          const kiln_tree_box *root_y, double bound)
{
    near_level levels[NEAR_LEVELS_COMMON];
    descend_near(w, root_x, root_y, bound, levels);
}

__attribute__((noinline)) static void descend_near_deep(kiln_near_walk *w,
                                                        const kiln_tree_box *root_x,
                                                        const kiln_tree_box *root_y, double bound)
{
    near_level levels[NEAR_LEVELS_MOST];
    descend_near(w, root_x, root_y, bound, levels);
}

/* ---------------------------------------------------------------------------------- roots -- */

/* The roots need a bound in doubles: they may be much further apart than floats can resolve. */
static double bound_of_roots(const kiln_near_walk *w, const kiln_tree_box *root_x,
                             const kiln_tree_box *root_y)
{
    kiln_box x, y;
    double centres;
    make_far_box(w, root_x, true, &x);
    make_far_box(w, root_y, false, &y);
    return w->frame->affine ? affine_bound(w, &x, &y, &centres) : far_bound(w, &x, &y);
}

/* A measure of a box's size that needs no square root. */
static double half_of(const kiln_tree_box *box)
{
    return ((double)box->half[0] + (double)box->half[1]) + (double)box->half[2];
}

/* The same of a root in an affine frame. */
static double half_of_placed(const kiln_near_walk *w, bool is_x, const kiln_tree_box *root)
{
    kiln_box box;
    make_far_box(w, root, is_x, &box);
    return (box.half[0] + box.half[1]) + box.half[2];
}

/* Units of node spaces in those of bounds, and what is uncertain. */
static void set_units(kiln_near_walk *walk)
{
    const kiln_pair_frame *frame = walk->frame;
    memset(walk->line, 0, sizeof walk->line);
    if (frame->affine) {
        kiln_transform of_x, of_y;
        kiln_pair_frame_node(frame, true, &of_x);
        kiln_pair_frame_node(frame, false, &of_y);
        walk->unit_x = walk->unit_y = 1;
        walk->direction_off = AFFINE_OFF;
        walk->position_off = 8 * frame->by.room;
        walk->rounding =
            ROUNDING * 4 * (kiln_matrix_norm(of_x.rotation) + kiln_matrix_norm(of_y.rotation));
        return;
    }
    walk->unit_x = ldexp(1.0, frame->x->view.entry->scale_exponent);
    walk->unit_y = ldexp(1.0, frame->y->view.entry->scale_exponent) * frame->scale / walk->unit_x;
    walk->direction_off = (double)frame->epsilon;
    walk->position_off = 4 * frame->to_x.slack;
    walk->rounding = ROUNDING * 4 * (1 + walk->unit_y);
}

void kiln_near_walk_begin(kiln_near_walk *walk, const kiln_pair_frame *frame, kiln_near_visit visit,
                          void *user)
{
    kiln_tree_box root_x, root_y;
    KILN_ASSERT(frame != NULL);
    KILN_ASSERT(visit != NULL);
    walk->frame = frame;
    walk->kernel = kiln_kernel_active();
    walk->visit = visit;
    walk->user = user;
    walk->limit_squared = HUGE_VAL;
    memset(walk->line_x, 0, sizeof walk->line_x);
    memset(walk->line_y, 0, sizeof walk->line_y);
    set_units(walk);
    KILN_ASSERT(walk->unit_x > 0);
    kiln_tree_box_root(frame, true, &root_x);
    kiln_tree_box_root(frame, false, &root_y);
    const double sizes =
        frame->affine ? half_of_placed(walk, true, &root_x) + half_of_placed(walk, false, &root_y)
                      : half_of(&root_x) + half_of(&root_y) * walk->unit_y;
    walk->out_of_sight =
        bound_of_roots(walk, &root_x, &root_y) > OUT_OF_SIGHT * OUT_OF_SIGHT * (sizes * sizes);
}

void kiln_near_walk_limit(kiln_near_walk *walk, double limit)
{
    KILN_ASSERT(walk->unit_x > 0);
    const double units = limit / walk->unit_x;
    const double most =
        walk->out_of_sight ? units * OUT_OF_SIGHT_KEPT : units * (1 + ROUNDING) + walk->rounding;
    walk->limit_squared = limit >= 0 ? most * most : -1;
}

void kiln_near_walk_line(kiln_near_walk *walk, const double line[3])
{
    memcpy(walk->line, line, sizeof walk->line);
    for (int k = 0; k < 3 && !walk->frame->affine; k++) {
        double turned = 0;
        for (int i = 0; i < 3; i++) {
            turned += walk->frame->carry.rotation[3 * i + k] * line[i];
        }
        walk->line_x[k] = (float)line[k];
        walk->line_y[k] = (float)(turned / walk->frame->scale);
    }
}

/* Runs the walk within the limit that was set last. The levels of both trees and one for the roots
 * decide which of the two stacks is large enough. */
void kiln_near_walk_run(kiln_near_walk *walk)
{
    kiln_tree_box root_x, root_y;
    const kiln_pair_frame *frame = walk->frame;
    kiln_tree_box_root(frame, true, &root_x);
    kiln_tree_box_root(frame, false, &root_y);
    const double bound = bound_of_roots(walk, &root_x, &root_y);
    if (bound > walk->limit_squared) {
        return;
    }
    if (frame->x->view.entry->depth + frame->y->view.entry->depth + 1 <= NEAR_LEVELS_COMMON) {
        descend_near_common(walk, &root_x, &root_y, bound);
    } else {
        descend_near_deep(walk, &root_x, &root_y, bound);
    }
}
