/* The rule by which a triangle that is in several leaves of an octree is reported once.
 *
 * A walk may meet one pair of triangles in many pairs of leaves. Which pairs of leaves it reaches
 * is a function of the two trees and their places alone: whether a box is opened, and which lanes
 * of its node are entered, follows from the box, the box that it is tested against, and nothing
 * that the walk found before. So the pairs of slots that hold the two triangles and are reached are
 * a fixed, not empty set, and the one that names the pair is its first in the order of lanes. To
 * find it the descent is repeated, with the same functions on the same numbers, by the lanes alone
 * that may lead to the two triangles, up to the first pair of leaves that hold both.
 *
 * A rule that looks only at the boxes of leaves would not do: tests are conservative, but that of a
 * small box against a large one may be sharper than that of two small ones, so that a pair of
 * leaves that passes its own test may lie below a pair that does not, and is never reached.
 *
 * Lanes that may lead to a triangle are those whose boxes its bounds and its plane meet: a
 * reference is only below boxes that hold a part of its triangle, so none is left out, and lanes
 * that hold no reference cost time and change nothing. Two nodes are decoded at a time; of the
 * others on the path a few bytes are kept, from which they are decoded again, so that the
 * repetition takes a tenth of the stack that the walk itself needs.
 *
 * Most triangles have one slot. Two slots that are each the first of its triangle in its own tree
 * name the pair if they are reached, which a descent of one tree after the other finds out. A
 * repetition is not bounded by more than the pairs of nodes: in a file whose boxes are all as large
 * as the mesh it opens nearly all of them. Whoever opens files of others can stop such a query
 * (kiln_pair_options.stop): a repetition looks at that, too.
 *
 * The rule is our own. Others give each triangle the number of the last query that met it
 * (mailboxes: J. Arnaldi, T. Priol and K. Bouatouch, 1987), which needs memory that is written to.
 */
#include "once.h"

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
    const uint32_t *corner = tree->triangles + 3 * (size_t)out->stored;
    for (int i = 0; i < 9; i++) {
        const float *vertex = tree->vertices + 3 * (size_t)corner[i / 3];
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
 * 2^-19 of rotations. */
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
            double reach = aligned ? (double)lanes->half[k][lane] : 0;
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
    const whole *triangle;
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
        lanes_with(s->triangle, &decoded, node->org, kind->aligned, entered);
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
        } else if (slot_in_leaf(s->tree, contents, s->triangle->stored, slot)) {
            return true;
        }
    }
    return false;
}

static void begin_search(slot_search *s, const kiln_tree *tree, const whole *triangle,
                         kiln_once_lanes lanes, const void *walk)
{
    s->tree = tree;
    s->triangle = triangle;
    s->lanes = lanes;
    s->walk = walk;
    s->height = 0;
    enter_node(s, 0);
}

bool kiln_once_in_tree(const kiln_tree *tree, kiln_once_lanes lanes, const void *walk,
                       uint32_t slot)
{
    whole triangle;
    slot_search s;
    uint32_t found;
    KILN_ASSERT(tree->view.kind->shared && lanes != NULL);
    bound_whole(tree, slot, &triangle);
    begin_search(&s, tree, &triangle, lanes, walk);
    return !find_slot_below(&s, &found) || found == slot;
}

/* Is the slot the first of its triangle, of all lanes? */
static bool is_first_slot(const kiln_tree *tree, uint32_t slot)
{
    whole triangle;
    slot_search s;
    uint32_t found;
    if (!tree->view.kind->shared) {
        return true;
    }
    bound_whole(tree, slot, &triangle);
    begin_search(&s, tree, &triangle, NULL, NULL);
    return find_slot_below(&s, &found) && found == slot;
}

/* ------------------------------------------------------------------------------- two trees -- */

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

/* The same choices as in pair_walk.c and in frontier_walk.c. Were a file's boxes not to hold what
 * is below them, nothing might be found: the pair is then named rather than lost. */
static bool replay_is_first(const kiln_once *once, uint32_t slot_x, uint32_t slot_y)
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
            return false;
        }
        const kiln_level *lane = level_of(&r, number), *other = level_of(&r, other_number);
        const bool is_leaf = lane->contents.count != 0, other_is_leaf = other->contents.count != 0;
        if (is_leaf && other_is_leaf) {
            uint32_t x, y;
            if (slot_in_leaf(frame->x, lane->is_x ? lane->contents : other->contents,
                             r.triangle[1].stored, &x) &&
                slot_in_leaf(frame->y, lane->is_x ? other->contents : lane->contents,
                             r.triangle[0].stored, &y)) {
                return x == slot_x && y == slot_y;
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
            return true;
        }
        step *s = &r.path[top];
        s->lane = (uint8_t)__builtin_ctz(s->mask);
        s->mask &= (uint8_t)(s->mask - 1);
        number = top;
        other_number = s->other;
    }
}

/* Of two slots that are each the first in its tree there is nothing before them: every lane on the
 * way there is the first that leads to its triangle. To find that out costs a descent of one tree;
 * that of two would pass n^2 pairs of leaves where n leaves lie about one point, as below the tip
 * of a cone. */
bool kiln_once_is_first(const void *walk, uint32_t slot_x, uint32_t slot_y)
{
    const kiln_once *once = (const kiln_once *)walk;
    const kiln_pair_frame *frame = once->descent->frame;
    return (is_first_slot(frame->x, slot_x) && is_first_slot(frame->y, slot_y)) ||
           replay_is_first(once, slot_x, slot_y);
}
