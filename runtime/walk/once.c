/* The rule by which a triangle that is in several leaves of an octree is reported once.
 *
 * Two triangles that meet have a point in common, and any box that holds it is met by any box of
 * the other tree that does: a walk opens them all. So of the slots of a triangle below boxes that
 * all hold the point, the first of each tree make up a pair of slots that is reached, and these
 * name the pair of triangles. Nothing else needs to be known of the walk. The point is computed in
 * doubles with a bound of its error, by which it must lie inside the boxes; or, where these are
 * flat, all boxes that it may lie in, by that bound, are those of one slot.
 *
 * The point must be certain: a corner that both have, or where an edge of the one crosses the
 * other triangle by more than rounding. Of pairs that only touch or lie in one plane there may be
 * none. For these the descent itself is looked at. Which pairs of leaves a walk reaches is a
 * function of the two trees and their places alone: whether a box is opened, and which lanes of its
 * node are entered, follows from the box, the box that it is tested against, and nothing that the
 * walk found before. So the pairs of slots that hold the two triangles and are reached are a fixed,
 * not empty set, and the one that names the pair is its first in the order of lanes. To find it the
 * descent is repeated, with the same functions on the same numbers, by the lanes alone that may
 * lead to the two triangles, up to the first pair of leaves that hold both.
 *
 * A rule that looks only at the boxes of leaves would not do there: tests are conservative, but
 * that of a small box against a large one may be sharper than that of two small ones, so that a
 * pair of leaves that passes its own test may lie below a pair that does not, and is never reached.
 *
 * Lanes that may lead to a triangle are those whose boxes its bounds and its plane meet: a
 * reference is only below boxes that hold a part of its triangle, so none is left out, and lanes
 * that hold no reference cost time and change nothing. Two nodes are decoded at a time; of the
 * others on the path a few bytes are kept, from which they are decoded again, so that the
 * repetition takes a tenth of the stack that the walk itself needs.
 *
 * Most triangles have one slot, which the file says; of the others it says which slot is the first.
 * Before the descent is repeated, two slots that are each the first of its triangle in its own tree
 * name the pair: every lane on the way there is the first that leads to its triangle, so nothing is
 * before them. A repetition is not bounded by more
 * than the pairs of nodes: in a file whose boxes are all as large as the mesh it opens nearly all
 * of them. Whoever opens files of others can stop such a query (kiln_pair_options.stop) or give it
 * a deadline: a repetition looks at both.
 *
 * The walk meets most pairs several times in short succession, so that a few answers are kept. An
 * answer does not depend on whether it is kept, but in files whose boxes don't hold what is below
 * them: there nothing may be found, and the pair is named rather than lost.
 *
 * The rule is our own. Others give each triangle the number of the last query that met it
 * (mailboxes: J. Arnaldi, T. Priol and K. Bouatouch, 1987), which needs memory that is written to.
 */
#include "once.h"

#include "../../formats/vector.h"
#include "../exact/exact.h"

#include <math.h>
#include <string.h>

/* Of coordinates in binary64: far more than corners and boxes are off by. */
#define ROOM 0x1p-40

/* Of a repeated descent, between two questions whether the query is to be stopped. */
enum { STEPS_A_LOOK = 32 };

/* A triangle in the node space of its tree: its bounds, and the slab of its plane, n . p from `low`
 * to `high`, all with room for rounding. */
typedef struct {
    uint32_t stored;
    double lower[3], upper[3];
    double normal[3], low, high;
} whole;

static void bound_whole(const kiln_tree *tree, uint32_t slot, whole *out)
{
    KILN_ASSERT(kiln_tree_has_polygons(tree));
    const kiln_format_tree *entry = tree->view.entry;
    const double scale = kiln_power_of_two(-entry->scale_exponent);
    double p[3][3], most = 1, size = 0, along = 0;
    out->stored = kiln_tree_triangle(tree, slot);
    for (int i = 0; i < 9; i++) {
        float room[3];
        const float *vertex = kiln_tree_vertex(tree, out->stored, (unsigned)i / 3, room);
        p[i / 3][i % 3] = ((double)vertex[i % 3] - entry->origin[i % 3]) * scale;
        most = fmax(most, fabs(p[i / 3][i % 3]));
    }
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        out->lower[k] = fmin(p[0][k], fmin(p[1][k], p[2][k])) - ROOM * most;
        out->upper[k] = fmax(p[0][k], fmax(p[1][k], p[2][k])) + ROOM * most;
        size += out->upper[k] - out->lower[k];
        out->normal[k] =
            (p[1][i] - p[0][i]) * (p[2][j] - p[0][j]) - (p[1][j] - p[0][j]) * (p[2][i] - p[0][i]);
        along += out->normal[k] * p[0][k];
    }
    out->low = along - ROOM * most * size * size;
    out->high = along + ROOM * most * size * size;
}

/* The lanes of `mask` whose boxes the triangle's bounds and its plane meet. Axes are off by at most
 * 2^-19 of rotations. Boxes along the axes have room for what centres that are far away are rounded
 * by, and for the slack of octrees (formats/cells.h). */
static uint32_t lanes_with(const whole *triangle, const kiln_lanes *lanes, const float org[3],
                           bool aligned, uint32_t mask)
{
    uint32_t left = mask;
    for (; mask != 0; mask &= mask - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(mask);
        bool meets = true;
        double along = 0, wide = 0;
        for (int k = 0; k < 3; k++) {
            const double centre = (double)org[k] + (double)lanes->centre[k][lane];
            const double half = (double)lanes->half[k][lane];
            double reach = aligned ? half + ROOM * (1 + fabs(centre) + half) : 0;
            for (int j = 0; j < 3 && !aligned; j++) {
                reach += (double)lanes->half[j][lane] *
                         (fabs((double)lanes->axis[3 * j + k][lane]) + 0x1p-16);
            }
            meets = meets && triangle->lower[k] <= centre + reach &&
                    triangle->upper[k] >= centre - reach;
            along += triangle->normal[k] * centre;
            wide += fabs(triangle->normal[k]) * reach;
        }
        meets = meets && along - wide <= triangle->high && along + wide >= triangle->low;
        left &= meets ? ~0u : ~(1u << lane);
    }
    return left;
}

/* A point of node space that a triangle has, and how far off it may be. */
typedef struct {
    double at[3], error;
    bool inside; /* wanted are boxes that hold it for certain, not all that may hold it */
} spot;

/* The lanes of `mask` whose boxes, along the axes, hold the point. Sums have room for rounding.
 * Eight lanes at once, without branches, for vectors. */
static uint32_t lanes_at(const spot *point, const kiln_lanes *lanes, const float org[3],
                         uint32_t mask)
{
    const double sign = point->inside ? 1 : -1;
    double beyond[KILN_NODE_WIDTH];
    uint32_t hold = 0;
    for (unsigned lane = 0; lane < KILN_NODE_WIDTH; lane++) {
        beyond[lane] = -1;
    }
    for (int k = 0; k < 3; k++) {
        const double at = point->at[k], from = (double)org[k];
        for (unsigned lane = 0; lane < KILN_NODE_WIDTH; lane++) {
            const double half = (double)lanes->half[k][lane];
            const double off = fabs(at - (from + (double)lanes->centre[k][lane]));
            const double room = point->error + ROOM * (half + off);
            const double over = (off - half) + sign * room;
            beyond[lane] = over > beyond[lane] ? over : beyond[lane];
        }
    }
    for (unsigned lane = 0; lane < KILN_NODE_WIDTH; lane++) {
        hold |= (uint32_t)(beyond[lane] <= 0) << lane;
    }
    return hold & mask;
}

/* The first slot of a leaf that holds the triangle. */
static bool slot_in_leaf(const kiln_tree *tree, kiln_contents leaf, uint32_t stored, uint32_t *slot)
{
    for (uint32_t i = 0; i < leaf.count; i++) {
        if (kiln_tree_triangle(tree, leaf.first + i) == stored) {
            *slot = leaf.first + i;
            return true;
        }
    }
    return false;
}

/* -------------------------------------------------------------------------------- one tree -- */

/* A descent to the leaves that hold a triangle, one after the other. */
typedef struct {
    const kiln_tree *tree;
    uint32_t stored;
    const whole *triangle; /* NULL: lanes are entered that hold the point */
    const spot *point;
    kiln_once_lanes lanes; /* NULL: all lanes are entered */
    const void *walk;
    unsigned height;
    struct {
        const kiln_format_node8 *node;
        uint32_t mask;
    } path[KILN_TREE_DEPTH_MAX];
} slot_search;

static void enter_node(slot_search *s, uint32_t index)
{
    const kiln_node_kind *kind = s->tree->view.kind;
    const kiln_format_node8 *node = kiln_tree_node(s->tree, index);
    kiln_lanes decoded;
    kind->decode(node, &decoded);
    KILN_ASSERT(s->height < KILN_TREE_DEPTH_MAX);
    const uint32_t entered = s->lanes != NULL ? s->lanes(s->walk, node) : kiln_node8_used(node);
    s->path[s->height].node = node;
    s->path[s->height++].mask =
        s->triangle != NULL ? lanes_with(s->triangle, &decoded, node->org, kind->aligned, entered)
                            : lanes_at(s->point, &decoded, node->org, entered);
}

/* The slot in the next leaf that holds the triangle. False: there is none. */
static bool find_slot_below(slot_search *s, uint32_t *slot)
{
    while (s->height > 0) {
        const unsigned top = s->height - 1;
        if (s->path[top].mask == 0) {
            s->height--;
            continue;
        }
        const unsigned lane = (unsigned)__builtin_ctz(s->path[top].mask);
        s->path[top].mask &= s->path[top].mask - 1;
        const kiln_contents contents = kiln_node8_contents(s->path[top].node, lane);
        if (contents.count == 0) {
            enter_node(s, contents.first);
        } else if (slot_in_leaf(s->tree, contents, s->stored, slot)) {
            return true;
        }
    }
    return false;
}

static void begin_search(slot_search *s, const kiln_tree *tree, const whole *triangle,
                         kiln_once_lanes lanes, const void *walk)
{
    s->tree = tree;
    s->stored = triangle->stored;
    s->triangle = triangle;
    s->point = NULL;
    s->lanes = lanes;
    s->walk = walk;
    s->height = 0;
    enter_node(s, 0);
}

/* Is the slot the first of its triangle, of all lanes? */
static bool is_first_slot(const kiln_tree *tree, uint32_t slot)
{
    return !tree->view.kind->shared ||
           (kiln_view_tree_others(&tree->view, slot) & KILN_REFERENCE_LATER) == 0;
}

/* Is it its only one? */
static bool is_only_slot(const kiln_tree *tree, uint32_t slot)
{
    return !tree->view.kind->shared || kiln_view_tree_others(&tree->view, slot) == 0;
}

bool kiln_once_in_tree(const kiln_tree *tree, kiln_once_lanes lanes, const void *walk,
                       uint32_t slot)
{
    whole triangle;
    slot_search s;
    uint32_t found;
    KILN_ASSERT(tree->view.kind->shared && lanes != NULL);
    if (is_first_slot(tree, slot)) {
        return true;
    }
    bound_whole(tree, slot, &triangle);
    begin_search(&s, tree, &triangle, lanes, walk);
    return !find_slot_below(&s, &found) || found == slot;
}

/* Replaces a slot by the first one of its triangle below boxes that all hold the point by `error`,
 * or, where there is none, by the only one below boxes that may hold it. */
static bool slot_at(const kiln_tree *tree, const double point[3], double error, uint32_t *slot)
{
    const uint32_t stored = kiln_tree_triangle(tree, *slot);
    spot where = {{point[0], point[1], point[2]}, error, true};
    slot_search s;
    uint32_t other;
    if (is_only_slot(tree, *slot)) {
        return true;
    }
    KILN_ASSERT(tree->view.kind->shared && tree->view.kind->aligned);
    s.tree = tree;
    s.stored = stored;
    s.triangle = NULL;
    s.point = &where;
    s.lanes = NULL;
    s.height = 0;
    enter_node(&s, 0);
    if (find_slot_below(&s, slot)) {
        return true;
    }
    where.inside = false;
    enter_node(&s, 0);
    return find_slot_below(&s, slot) && !find_slot_below(&s, &other);
}

/* ------------------------------------------------------------------------------- two trees -- */

/* A point of an affine frame's frame of comparison, off by `error`, in a tree's node space. What
 * vertices were off by when they were carried is a small part of `room`. */
static bool slot_at_placed(const kiln_pair_frame *frame, bool is_x, const double point[3],
                           double error, uint32_t *slot)
{
    const kiln_tree *tree = is_x ? frame->x : frame->y;
    const kiln_affine_pair *by = &frame->by;
    const double scale = kiln_power_of_two(-tree->view.entry->scale_exponent);
    kiln_transform node;
    double from[3], own[3];
    kiln_pair_frame_node(frame, is_x, &node);
    kiln_subtract(point, node.translation, from);
    kiln_matrix_apply(by->inverse[is_x], from, own);
    for (int k = 0; k < 3; k++) {
        own[k] *= scale;
    }
    return slot_at(tree, own, 4 * by->most_inverse[is_x] * (error + by->room) * scale, slot);
}

/* The slots below the boxes that hold a common point of two stored triangles. */
static bool slots_at_point(const kiln_pair_frame *frame, uint32_t stored_x, uint32_t stored_y,
                           uint32_t *slot_x, uint32_t *slot_y)
{
    const kiln_format_tree *entry = frame->x->view.entry;
    const double scale = kiln_power_of_two(-entry->scale_exponent);
    double x[9], y[9], point[3], in_x[3], in_y[3], error;
    kiln_stored_corners(frame, true, stored_x, x);
    kiln_stored_corners(frame, false, stored_y, y);
    if (!kiln_triangles_certain_point(x, y, point, &error)) {
        return false;
    }
    if (frame->affine) {
        return slot_at_placed(frame, true, point, fmax(error, 0), slot_x) &&
               slot_at_placed(frame, false, point, fmax(error, 0), slot_y);
    }
    for (int k = 0; k < 3; k++) {
        in_x[k] = (point[k] - entry->origin[k]) * scale;
        error = fmax(error, 0) + ROOM * (fabs(point[k]) + fabs(entry->origin[k]));
    }
    error *= scale;
    if (!slot_at(frame->x, in_x, error, slot_x)) {
        return false;
    }
    kiln_transform_point(&frame->to_y.points, in_x, in_y);
    error = 2 * (error * (double)frame->to_y.scale + frame->to_y.slack);
    return slot_at(frame->y, in_y, error, slot_y);
}

/* An opened node on the path, without its boxes. */
typedef struct {
    uint32_t node;
    uint8_t other; /* step whose lane in hand it was opened against */
    uint8_t mask;  /* lanes not taken yet */
    uint8_t lane;  /* in hand */
    bool is_x;
} step;
KILN_STATIC_ASSERT(KILN_LEVELS_MOST <= UINT8_MAX, "numbers of steps");

typedef struct {
    const kiln_once *once;
    kiln_level root[2]; /* of Y, of X */
    float org[2][3];
    step path[KILN_LEVELS_MOST]; /* the first two stand for the roots, X before Y */
    kiln_level hand[2];          /* a decoded node of Y, of X */
    uint32_t held[2];            /* the steps that these are of; 0: none */
    kiln_leaf_pair leaves;
    whole triangle[2];
} replay;

static uint32_t open_step(replay *r, uint32_t number, const kiln_level *against)
{
    const kiln_descent *d = r->once->descent;
    const step *s = &r->path[number];
    kiln_level *at = &r->hand[s->is_x];
    kiln_probe probe;
    KILN_ASSERT(number >= KILN_LEVELS_BELOW && against->is_x != s->is_x);
    const kiln_format_node8 *node = kiln_tree_node(s->is_x ? d->frame->x : d->frame->y, s->node);
    at->is_x = s->is_x;
    r->held[s->is_x] = number;
    return d->open[s->is_x](node, &d->to[s->is_x], &against->opened, false, &at->opened, &probe);
}

/* The level of a step, with its lane in hand. What a node decodes to does not depend on the box
 * that it is opened against. */
static const kiln_level *level_of(replay *r, uint32_t number)
{
    if (number < KILN_LEVELS_BELOW) {
        return &r->root[number == 0];
    }
    const step *s = &r->path[number];
    kiln_level *at = &r->hand[s->is_x];
    if (r->held[s->is_x] != number) {
        (void)open_step(r, number, &r->root[!s->is_x]);
    }
    at->opened.lane = s->lane;
    at->area = at->opened.area[s->lane] * r->once->descent->area_scale[s->is_x];
    at->contents = kiln_node8_contents(at->opened.node, s->lane);
    return at;
}

/* Opens the lane in hand of `of` as step `number`, and keeps the lanes that may lead to the
 * triangle. */
static void push(replay *r, uint32_t number, const kiln_level *of, uint32_t against_number,
                 const kiln_level *against)
{
    KILN_ASSERT(number < KILN_LEVELS_MOST);
    step *s = &r->path[number];
    s->node = of->contents.first;
    s->is_x = of->is_x;
    s->other = (uint8_t)against_number;
    const uint32_t mask = open_step(r, number, against);
    const kiln_level *at = &r->hand[s->is_x];
    s->mask = (uint8_t)lanes_with(&r->triangle[s->is_x], &at->opened.lanes, at->opened.org,
                                  kiln_level_is_aligned(r->once->descent, at), mask);
}

typedef enum {
    NAMING_FOUND, /* by the two slots that are set */
    NAMING_SELF,  /* none is found */
    NAMING_STOPPED,
    NAMING_LATE
} naming;

/* The first pair of slots that the walk reaches. The same choices as in pair_walk.c and in
 * frontier_walk.c. */
static naming repeat_descent(const kiln_once *once, uint32_t slot_x, uint32_t slot_y,
                             uint32_t *first_x, uint32_t *first_y)
{
    const kiln_descent *d = once->descent;
    const kiln_pair_frame *frame = d->frame;
    replay r;
    r.once = once;
    kiln_level_begin(once->roots[1], true, r.org[1], &r.root[1]);
    kiln_level_begin(once->roots[0], false, r.org[0], &r.root[0]);
    r.held[0] = r.held[1] = 0;
    kiln_leaf_pair_begin(&r.leaves, d->kernel);
    bound_whole(frame->x, slot_x, &r.triangle[1]);
    bound_whole(frame->y, slot_y, &r.triangle[0]);
    uint32_t top = KILN_LEVELS_BELOW - 1, number = 0, other_number = 1;
    for (uint64_t steps = 1;; steps++) {
        /* A query that is stopped returns no pairs. */
        if (steps % STEPS_A_LOOK == 0 && kiln_pair_filter_stops(d->visitor->filter)) {
            return NAMING_STOPPED;
        }
        if (steps % STEPS_A_LOOK == 0 && once->is_late != NULL && once->is_late(once->late_user)) {
            return NAMING_LATE;
        }
        const kiln_level *lane = level_of(&r, number), *other = level_of(&r, other_number);
        const bool is_leaf = lane->contents.count != 0, other_is_leaf = other->contents.count != 0;
        if (is_leaf && other_is_leaf) {
            if (slot_in_leaf(frame->x, lane->is_x ? lane->contents : other->contents,
                             r.triangle[1].stored, first_x) &&
                slot_in_leaf(frame->y, lane->is_x ? other->contents : lane->contents,
                             r.triangle[0].stored, first_y)) {
                return NAMING_FOUND;
            }
        } else {
            const bool larger =
                once->x_first && lane->area == other->area ? lane->is_x : lane->area >= other->area;
            const bool first = other_is_leaf || (!is_leaf && larger);
            const kiln_level *of = first ? lane : other, *against = first ? other : lane;
            if (is_leaf == other_is_leaf || kiln_level_may_open(d, &r.leaves, of, against)) {
                push(&r, ++top, of, first ? other_number : number, against);
            }
        }
        while (top >= KILN_LEVELS_BELOW && r.path[top].mask == 0) {
            top--;
        }
        if (top < KILN_LEVELS_BELOW) {
            return NAMING_SELF;
        }
        step *s = &r.path[top];
        s->lane = (uint8_t)__builtin_ctz(s->mask);
        s->mask &= (uint8_t)(s->mask - 1);
        number = top;
        other_number = s->other;
    }
}

/* ------------------------------------------------------------------------------- the answer -- */

void kiln_once_begin(kiln_once *once, const kiln_descent *descent, const kiln_tree_box *root_y,
                     const kiln_tree_box *root_x, bool x_first)
{
    once->descent = descent;
    once->roots[0] = root_y;
    once->roots[1] = root_x;
    once->x_first = x_first;
    once->is_late = NULL;
    once->late_user = NULL;
    for (int i = 0; i < KILN_ONCE_KNOWN; i++) {
        once->known[i].stored_x = UINT32_MAX; /* no triangle */
    }
}

static kiln_once_pair *place_of_pair(kiln_once *once, uint32_t stored_x, uint32_t stored_y)
{
    /* Multiplicative hashing (Knuth, TAOCP 3, section 6.4), each by an odd number of its own. */
    const uint32_t mixed = stored_x * 0x9e3779b1u ^ stored_y * 0x85ebca6bu;
    return &once->known[mixed >> (32 - KILN_ONCE_KNOWN_BITS)];
}

/* Of two slots that are each the first in its tree there is nothing before them: every lane on the
 * way there is the first that leads to its triangle. To find that out costs a descent of one tree;
 * that of two would pass n^2 pairs of leaves where n leaves lie about one point, as below the tip
 * of a cone. */
kiln_once_answer kiln_once_is_first(kiln_once *once, uint32_t slot_x, uint32_t slot_y)
{
    const kiln_pair_frame *frame = once->descent->frame;
    if (is_only_slot(frame->x, slot_x) && is_only_slot(frame->y, slot_y)) {
        return KILN_ONCE_FIRST;
    }
    const uint32_t stored_x = kiln_tree_triangle(frame->x, slot_x);
    const uint32_t stored_y = kiln_tree_triangle(frame->y, slot_y);
    kiln_once_pair *known = place_of_pair(once, stored_x, stored_y);
    if (known->stored_x != stored_x || known->stored_y != stored_y) {
        uint32_t x = slot_x, y = slot_y;
        if (!slots_at_point(frame, stored_x, stored_y, &x, &y)) {
            x = slot_x;
            y = slot_y;
            if (!is_first_slot(frame->x, slot_x) || !is_first_slot(frame->y, slot_y)) {
                const naming found = repeat_descent(once, slot_x, slot_y, &x, &y);
                if (found != NAMING_FOUND) {
                    return found == NAMING_SELF      ? KILN_ONCE_FIRST
                           : found == NAMING_STOPPED ? KILN_ONCE_NOT_FIRST
                                                     : KILN_ONCE_LATE;
                }
            }
        }
        *known = (kiln_once_pair){stored_x, stored_y, x, y};
    }
    return known->slot_x == slot_x && known->slot_y == slot_y ? KILN_ONCE_FIRST
                                                              : KILN_ONCE_NOT_FIRST;
}
