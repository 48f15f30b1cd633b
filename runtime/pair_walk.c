/* Depth-first descent over pairs of boxes, one opened node a level.
 *
 * A level holds one opened node, decoded, the box of the other tree that it was tested against, and
 * the lanes that may still meet it. The next lane is taken; of lane and box the one with the larger
 * half-area is opened (a leaf never is) and tested against the other: a new level. Two leaves go to
 * the exact test of their triangles. A level is pushed for each opened node, so there are never more
 * levels than the depths of both trees together, and one for the roots: the array of levels has a
 * size fixed at compile time, and the common size keeps a query within 48 KiB of stack.
 *
 * After Gottschalk, Lin and Manocha, "OBBTree", SIGGRAPH 1996 (simultaneous descent), with nodes of
 * eight children. */
#include "pair_walk.h"

#include "exact.h"
#include "fpu.h"

#include <math.h>
#include <string.h>

enum {
    LEVELS_COMMON = 42,                          /* depths that add up to 40, the roots, one spare */
    LEVELS_MOST = 2 * KILN_TREE_DEPTH_MAX + 2
};

/* A box of one tree with what is behind it. */
typedef struct {
    double centre[3];   /* node space of its tree */
    float axis[3][3];
    float half[3];
    float area;         /* half the surface, in square units of X's node space */
    uint32_t first;     /* inner: node; leaf: first slot */
    uint32_t count;     /* inner: 0; leaf: triangles */
} tree_box;

typedef struct {
    kiln_lanes lanes;
    const kiln_format_node8 *node;
    tree_box lane_box;      /* the lane in hand; the opened box of the level below points here */
    const tree_box *other;  /* the other tree's box that the lanes were tested against */
    uint32_t mask;          /* lanes not taken yet */
    uint32_t order;         /* nearest first: lanes as octal digits, next one lowest; else 0 */
    uint8_t opened_x;       /* the opened node is X's */
    uint8_t aligned;        /* its lanes are axis-aligned: lanes.axis is not set */
} level;

typedef struct {
    const kiln_pair_frame *frame;
    const kiln_pair_visitor *visitor;
    const kiln_kernel *kernel;
    float area_scale_y;     /* square units of Y's node space in those of X's */
} walk;

static inline unsigned lowest_bit(uint32_t mask)
{
    return (unsigned)__builtin_ctz(mask);
}

/* --------------------------------------------------------------------------- triangles -- */

/* Two numbers at once, element by element, in vector registers where the machine has them. */
typedef double two __attribute__((vector_size(16)));
typedef int64_t two_bits __attribute__((vector_size(16)));

/* Box of a triangle. Of X: lower x y z, -upper x y z. Of Y: upper x y z, -lower x y z. Two are apart
 * exactly where a number of X's exceeds that of Y's in the same place. */
typedef struct {
    two part[3];
} triangle_box;

/* A leaf's triangles in X's frame. A leaf meets several others in turn, so the last of each tree is
 * kept. */
typedef struct {
    uint32_t first, count; /* slots; count 0: none yet */
    double corners[KILN_LEAF_TRIANGLES_MAX][9];
    triangle_box boxes[KILN_LEAF_TRIANGLES_MAX];
} leaf_triangles;

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

static void measure_triangle(const double corner[9], bool is_x, triangle_box *box)
{
    const double x0 = least(corner[0], corner[3], corner[6]);
    const double y0 = least(corner[1], corner[4], corner[7]);
    const double z0 = least(corner[2], corner[5], corner[8]);
    const double x1 = most(corner[0], corner[3], corner[6]);
    const double y1 = most(corner[1], corner[4], corner[7]);
    const double z1 = most(corner[2], corner[5], corner[8]);
    if (is_x) {
        *box = (triangle_box){{{x0, y0}, {z0, -x1}, {-y1, -z1}}};
    } else {
        *box = (triangle_box){{{x1, y1}, {z1, -x0}, {-y0, -z0}}};
    }
}

/* X's triangles as they are stored, Y's carried. */
static void load_leaf(const kiln_pair_frame *frame, bool is_x, const tree_box *box,
                      leaf_triangles *leaf)
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

static inline bool boxes_apart(const triangle_box *x, const triangle_box *y)
{
    const two_bits apart = (x->part[0] > y->part[0]) | (x->part[1] > y->part[1]) |
                           (x->part[2] > y->part[2]);
    return (apart[0] | apart[1]) != 0;
}

static bool visit_pair(const walk *w, uint32_t triangle_x, uint32_t triangle_y)
{
    const uint32_t id_x = w->frame->x->ids[triangle_x], id_y = w->frame->y->ids[triangle_y];
    const kiln_pair pair = w->frame->swapped ? (kiln_pair){id_y, id_x} : (kiln_pair){id_x, id_y};
    return w->visitor->visit(w->visitor->user, pair);
}

/* All pairs of two leaves. False: the visitor has had enough. */
static bool meet_leaves(const walk *w, leaf_triangles last[2], const tree_box *leaf_x,
                        const tree_box *leaf_y)
{
    leaf_triangles *x = &last[0], *y = &last[1];
    if (x->count == 0 || x->first != leaf_x->first) {
        load_leaf(w->frame, true, leaf_x, x);
    }
    if (y->count == 0 || y->first != leaf_y->first) {
        load_leaf(w->frame, false, leaf_y, y);
    }
    for (uint32_t j = 0; j < y->count; j++) {
        for (uint32_t i = 0; i < x->count; i++) {
            if (!boxes_apart(&x->boxes[i], &y->boxes[j]) &&
                kiln_exact_triangles_meet(x->corners[i], y->corners[j]) &&
                !visit_pair(w, kiln_tree_triangle(w->frame->x, x->first + i),
                            kiln_tree_triangle(w->frame->y, y->first + j))) {
                return false;
            }
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------- boxes -- */

static float half_area(const float half[3])
{
    return half[0] * half[1] + half[1] * half[2] + half[2] * half[0];
}

/* Lane `lane` of an opened node as a box that stands on its own. */
static void take_lane(const walk *w, const level *at, unsigned lane, tree_box *box)
{
    for (int k = 0; k < 3; k++) {
        box->centre[k] = (double)at->node->org[k] + (double)at->lanes.centre[k][lane];
        box->half[k] = at->lanes.half[k][lane];
        for (int j = 0; j < 3; j++) {
            box->axis[k][j] =
                at->aligned ? (j == k ? 1.0f : 0.0f) : at->lanes.axis[3 * k + j][lane];
        }
    }
    box->area = half_area(box->half) * (at->opened_x ? 1.0f : w->area_scale_y);
    if ((at->node->inner >> lane & 1) != 0) {
        box->first = kiln_node8_child(at->node, lane);
        box->count = 0;
    } else {
        box->first = kiln_node8_slot(at->node, lane);
        box->count = kiln_node8_count(at->node, lane);
    }
}

/* `box` of one tree in the node space of the other, relative to `org` there. The centre is carried
 * in double and rounded once, which moves it by at most 2^-24 of its own size. That is no part of
 * its distance from a lane, which may be far smaller: it goes into the slack, doubled for the
 * roundings of the slack itself. */
static void make_probe(const kiln_node_map *map, const tree_box *box, const float org[3],
                       float epsilon, kiln_probe *probe)
{
    for (int i = 0; i < 3; i++) {
        const double *row = map->matrix + 3 * i;
        const double place = row[0] * box->centre[0] + row[1] * box->centre[1] +
                             row[2] * box->centre[2] + map->offset[i];
        probe->centre[i] = (float)(place - (double)org[i]);
        probe->half[i] = box->half[i] * map->scale;
    }
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            const float *row = map->rotation + 3 * i;
            probe->axis[k][i] = row[0] * box->axis[k][0] + row[1] * box->axis[k][1] +
                                row[2] * box->axis[k][2];
        }
    }
    probe->epsilon = epsilon;
    probe->slack = map->slack + 0x1p-23f * (fabsf(probe->centre[0]) + fabsf(probe->centre[1]) +
                                            fabsf(probe->centre[2]));
}

/* The hit lanes as octal digits, the one whose centre is nearest to the probe's lowest. */
static uint32_t order_by_distance(const kiln_lanes *lanes, const kiln_probe *probe, uint32_t mask)
{
    float distance[8];
    uint32_t lane[8];
    uint32_t count = 0;
    for (; mask != 0; mask &= mask - 1) {
        const uint32_t i = lowest_bit(mask);
        const float x = probe->centre[0] - lanes->centre[0][i];
        const float y = probe->centre[1] - lanes->centre[1][i];
        const float z = probe->centre[2] - lanes->centre[2][i];
        const float d = x * x + y * y + z * z;
        uint32_t place = count++;
        while (place > 0 && d < distance[place - 1]) {
            distance[place] = distance[place - 1];
            lane[place] = lane[place - 1];
            place--;
        }
        distance[place] = d;
        lane[place] = i;
    }
    uint32_t order = 0;
    while (count > 0) {
        order = order << 3 | lane[--count];
    }
    return order;
}

/* Opens inner box `opened` of the tree that `is_x` says, against `other`, into *at. */
static void open_box(const walk *w, const tree_box *opened, bool is_x, const tree_box *other,
                     level *at)
{
    const kiln_tree *tree = is_x ? w->frame->x : w->frame->y;
    at->node = kiln_tree_node(tree, opened->first);
    at->other = other;
    at->opened_x = is_x;
    at->aligned = tree->kind->aligned;
    kiln_probe probe;
    make_probe(is_x ? &w->frame->to_x : &w->frame->to_y, other, at->node->org, w->frame->epsilon,
               &probe);
    tree->kind->decode(at->node, &at->lanes);
    at->mask = (tree->kind->aligned ? w->kernel->overlap_aligned : w->kernel->overlap)(
        &at->lanes, &probe, kiln_node8_used(at->node));
    at->order = 0;
    if (w->visitor->nearest_first && (at->mask & (at->mask - 1)) != 0) {
        at->order = order_by_distance(&at->lanes, &probe, at->mask);
    }
}

static unsigned next_lane(const walk *w, level *at)
{
    unsigned lane;
    if (w->visitor->nearest_first && (at->mask & (at->mask - 1)) != 0) {
        lane = at->order & 7u;
        at->order >>= 3;
    } else {
        lane = lowest_bit(at->mask);
    }
    at->mask &= ~(1u << lane);
    return lane;
}

/* ------------------------------------------------------------------------------ descent -- */

/* The whole tree as a box: the exact bounds of its vertices. */
static void root_box(const walk *w, bool is_x, tree_box *box)
{
    const kiln_format_tree *entry = (is_x ? w->frame->x : w->frame->y)->entry;
    const double unit = ldexp(1.0, -entry->scale_exponent);
    for (int k = 0; k < 3; k++) {
        const double lower = ((double)entry->bounds_lower[k] - entry->origin[k]) * unit;
        const double upper = ((double)entry->bounds_upper[k] - entry->origin[k]) * unit;
        box->centre[k] = (lower + upper) / 2;
        box->half[k] = (float)((upper - lower) / 2) * 1.000001f + 0x1p-40f;
        for (int j = 0; j < 3; j++) {
            box->axis[k][j] = j == k ? 1.0f : 0.0f;
        }
    }
    box->area = half_area(box->half) * (is_x ? 1.0f : w->area_scale_y);
    box->first = 0;
    box->count = 0;
}

/* May the roots meet? The larger root, as a one-lane node, against the smaller one, so that numbers
 * stay in range where sizes differ by more than floats can hold. */
static bool roots_may_meet(const walk *w, const tree_box *root_x, const tree_box *root_y)
{
    const bool in_x = root_x->area >= root_y->area;
    const tree_box *lane = in_x ? root_x : root_y;
    const float org[3] = {(float)lane->centre[0], (float)lane->centre[1], (float)lane->centre[2]};
    kiln_lanes lanes;
    kiln_probe probe;
    memset(&lanes, 0, sizeof lanes);
    for (int k = 0; k < 3; k++) {
        lanes.centre[k][0] = (float)(lane->centre[k] - (double)org[k]);
        lanes.half[k][0] = lane->half[k];
    }
    make_probe(in_x ? &w->frame->to_x : &w->frame->to_y, in_x ? root_y : root_x, org,
               w->frame->epsilon, &probe);
    return w->kernel->overlap_aligned(&lanes, &probe, 1u) != 0;
}

/* Does box `p` go before `q`: is it the one to open? At least one of them is inner. */
static bool opens_first(const tree_box *p, const tree_box *q)
{
    return p->count == 0 && (q->count != 0 || p->area >= q->area);
}

static void descend(const walk *w, level *levels)
{
    tree_box root_x, root_y;
    root_box(w, true, &root_x);
    root_box(w, false, &root_y);
    if (!roots_may_meet(w, &root_x, &root_y)) {
        return;
    }
    const bool x_first = opens_first(&root_x, &root_y);
    open_box(w, x_first ? &root_x : &root_y, x_first, x_first ? &root_y : &root_x, levels);
    level *at = levels;
    leaf_triangles last[2];
    last[0].count = 0;
    last[1].count = 0;
    for (;;) {
        while (at->mask == 0) {
            if (at == levels) {
                return;
            }
            at--;
        }
        take_lane(w, at, next_lane(w, at), &at->lane_box);
        const tree_box *lane = &at->lane_box;
        const tree_box *other = at->other;
        if (lane->count != 0 && other->count != 0) {
            if (!meet_leaves(w, last, at->opened_x ? lane : other, at->opened_x ? other : lane)) {
                return;
            }
        } else if (opens_first(lane, other)) {
            open_box(w, lane, at->opened_x, other, at + 1);
            at++;
        } else {
            open_box(w, other, !at->opened_x, lane, at + 1);
            at++;
        }
    }
}

__attribute__((noinline)) static void descend_common(const walk *w)
{
    level levels[LEVELS_COMMON];
    descend(w, levels);
}

__attribute__((noinline)) static void descend_deep(const walk *w)
{
    level levels[LEVELS_MOST];
    descend(w, levels);
}

static kiln_status walk_trees(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                              const kiln_pose *pose_b, const kiln_pair_visitor *visitor)
{
    kiln_pair_frame frame;
    const kiln_status status = kiln_pair_frame_form(&frame, a, pose_a, b, pose_b);
    if (status != KILN_OK) {
        return status;
    }
    walk w = {&frame, visitor, kiln_kernel_active(), frame.to_x.scale * frame.to_x.scale};
    if (frame.x->entry->depth + frame.y->entry->depth + 1 <= LEVELS_COMMON) {
        descend_common(&w);
    } else {
        descend_deep(&w);
    }
    return KILN_OK;
}

kiln_status kiln_pair_walk(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                           const kiln_pose *pose_b, const kiln_pair_visitor *visitor)
{
    const kiln_fpu_state caller = kiln_fpu_enter();
    kiln_status (*volatile run)(const kiln_tree *, const kiln_pose *, const kiln_tree *,
                                const kiln_pose *, const kiln_pair_visitor *) = walk_trees;
    const kiln_status status = run(a, pose_a, b, pose_b, visitor);
    kiln_fpu_leave(caller);
    return status;
}
