/* The walk of pair_walk.c, which may say "yes, probably" before it has found a pair of triangles.
 *
 * Where several lanes of an opened node may meet the box that it was opened against, each of them
 * gets a loss l = -ln(1 - p), p being how likely what is below it meets what is in that box
 * (kernel_likely.h). Were lanes independent, all that wait, on all levels, would together hold a
 * hit with probability 1 - exp(-sum of l). They are not: neighbours meet or miss together, so that
 * all lanes but the likeliest of the node at hand count by the factor OTHERS. And that nothing was
 * found below lanes that were likelier speaks against those that are left, so that each doubling
 * of the steps takes LATER off: at equal steps where they meet, errors on the meshes of the
 * benchmark are half of what they are without. A walk ends when that score passes the threshold.
 * Lanes are taken likeliest first; whatever is taken is walked exactly, so that a "no" is a proof.
 *
 * Weighing a node with one or two lanes left costs more than it saves: these are decided soon. The
 * first few nodes decide most walks, so no more are weighed. A walk with a budget weighs every node
 * none the less, since it may be asked for a probability at any time.
 *
 * Masks of lanes are those that all instruction sets give alike, sums have a fixed order, and what
 * is subtracted is what was added, so that answers are the same everywhere. After no publication;
 * the estimate takes the place of the counts of J. Klein and G. Zachmann, "Time-Critical Collision
 * Detection Using an Average-Case Approach", VRST 2003. */
#include "likely_walk.h"

#include "pair_walk.h"

#include <string.h>

#define OTHERS 0.7f
#define LATER 0.5f
#define AREA_LEAST 0x1p-120f

enum {
    LANES_WORTH_WIDE = 3, /* of eight */
    LANES_WORTH_BINARY = 2,
    NODES_WEIGHED_WIDE = 6,
    NODES_WEIGHED_BINARY = 18 /* as deep in a tree as six of eight lanes */
};

/* The visitor of leaves: the first pair ends the walk. */
static bool take_pair(void *user, const kiln_pair_frame *frame, uint32_t x, uint32_t y)
{
    kiln_likely_walk *walk = (kiln_likely_walk *)user;
    (void)frame;
    walk->state = KILN_WALK_MEETS;
    walk->stored_x = x;
    walk->stored_y = y;
    return false;
}

/* log2 x, nearly, of x > 0, as the kernels have it. */
static inline float log_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (float)bits * 0x1p-23f - 127.0f;
}

/* ------------------------------------------------------------------------------- observers -- */

static bool set_found(void *user, const kiln_pair_frame *frame, uint32_t x, uint32_t y)
{
    (void)frame;
    (void)x;
    (void)y;
    *(bool *)user = true;
    return false;
}

/* The exact walk below the lane in hand of `at` and the box that it was opened against: two copies
 * of both levels stand in for the roots. */
static bool lane_meets(const kiln_likely_walk *walk, const kiln_level *at, unsigned lane)
{
    bool found = false;
    const kiln_level *ends[2] = {at, at->other};
    kiln_tree_box boxes[2];
    for (int i = 0; i < 2; i++) {
        const kiln_level *level = ends[i];
        kiln_lane_box box;
        kiln_lanes_get(&level->opened.lanes, kiln_level_is_aligned(&walk->descent, level),
                       i == 0 ? lane : level->opened.lane, &box);
        kiln_tree_box_place(&box, level->opened.org, &boxes[i]);
        boxes[i].area =
            i == 0 ? level->opened.area[lane] * walk->descent.area_scale[level->is_x] : level->area;
        boxes[i].contents =
            i == 0 ? kiln_node8_contents(level->opened.node, lane) : level->contents;
    }
    const kiln_pair_visitor visitor = {set_found, &found, true, false, NULL, NULL};
    kiln_pair_walk_from(&walk->frame, &boxes[at->is_x ? 0 : 1], &boxes[at->is_x ? 1 : 0], &visitor);
    return found;
}

static void observe_lanes(const kiln_likely_walk *walk, const kiln_level *at,
                          float features[KILN_LIKELY_FEATURES][8])
{
    for (uint32_t mask = at->mask; mask != 0; mask &= mask - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(mask);
        kiln_likely_seen seen = {.meet = lane_meets(walk, at, lane)};
        for (int i = 0; i < KILN_LIKELY_FEATURES; i++) {
            seen.feature[i] = features[i][lane];
        }
        walk->observe(walk->observe_user, &seen);
    }
}

/* -------------------------------------------------------------------------------- weighing -- */

static inline bool is_worth_weighing(const kiln_likely_walk *walk, uint32_t mask)
{
    if (walk->all) {
        return mask != 0;
    }
    for (uint32_t i = 1; i < walk->lanes_worth; i++) {
        mask &= mask - 1; /* without the lowest */
    }
    return mask != 0 && walk->to_weigh > 0;
}

static void weigh(kiln_likely_walk *walk, kiln_likely_level *at, const kiln_probe *probe)
{
    const kiln_level *level = &at->level;
    float features[KILN_LIKELY_FEATURES][8];
    at->weighed.features = walk->observe != NULL ? features : NULL;
    walk->descent.kernel->weigh(&level->opened, kiln_level_is_aligned(&walk->descent, level), probe,
                                level->mask, walk->weights, walk->log_root[level->is_x],
                                &at->weighed);
    walk->to_weigh--;
    walk->pending += at->weighed.sum;
    walk->score = at->weighed.most + OTHERS * (walk->pending - at->weighed.most) -
                  LATER * log_bits((float)walk->steps);
    if (walk->observe != NULL) {
        observe_lanes(walk, level, features);
    }
    if (walk->score > walk->threshold) {
        walk->state = KILN_WALK_EARLY;
    }
}

/* Opens a box against another: a new level, whose lanes are weighed and put in order where that is
 * worth it. */
static inline void open_level(kiln_likely_walk *walk, const kiln_level *of,
                              const kiln_level *against, kiln_likely_level *at)
{
    kiln_probe probe;
    kiln_level *level = &at->level;
    KILN_ASSERT(at - walk->levels < KILN_LEVELS_MOST);
    kiln_level_open(&walk->descent, false, of, against, level, &probe);
    at->is_weighed = is_worth_weighing(walk, level->mask);
    if (at->is_weighed) {
        weigh(walk, at, &probe);
    }
    if ((level->mask & (level->mask - 1)) != 0 && walk->state == KILN_WALK_GOES_ON) {
        const kiln_kernel *kernel = walk->descent.kernel;
        level->opened.order = at->is_weighed ? kernel->order_weighed(at->weighed.loss, level->mask)
                                             : kernel->order(&level->opened, &probe, level->mask);
    }
}

/* ---------------------------------------------------------------------------------- steps -- */

/* log2 of a half-area in square units. Scales near 2^100 have squares that no float holds: such
 * trees count as of size 1. */
static float log_of_area(float area)
{
    return log_bits(area > AREA_LEAST && area < 1 / AREA_LEAST ? area : 1.0f);
}

void kiln_likely_walk_begin(kiln_likely_walk *walk)
{
    kiln_tree_box root_x, root_y;
    kiln_level *x = &walk->levels[1].level, *y = &walk->levels[0].level;
    walk->visitor = (kiln_pair_visitor){take_pair, walk, true, false, NULL, NULL};
    kiln_descent_make(&walk->frame, &walk->visitor, true, &walk->descent);
    kiln_tree_box_root(&walk->frame, true, &root_x);
    kiln_tree_box_root(&walk->frame, false, &root_y);
    KILN_ASSERT(root_x.contents.count == 0);
    KILN_ASSERT(root_y.contents.count == 0);
    kiln_level_begin(&root_x, true, walk->org_x, x);
    kiln_level_begin(&root_y, false, walk->org_y, y);
    x->other = y;
    /* Areas are in X's units. */
    const float least = root_x.area < root_y.area ? root_x.area : root_y.area;
    const float scale = walk->descent.area_scale[0];
    walk->log_root[1] = log_of_area(least);
    walk->log_root[0] = walk->log_root[1] - log_of_area(scale);
    const bool wide = walk->frame.x->view.kind->lanes > 2 && walk->frame.y->view.kind->lanes > 2;
    walk->lanes_worth = wide ? LANES_WORTH_WIDE : LANES_WORTH_BINARY;
    walk->to_weigh = walk->all ? UINT32_MAX : wide ? NODES_WEIGHED_WIDE : NODES_WEIGHED_BINARY;
    walk->pending = 0;
    walk->score = 0;
    walk->steps = 0;
    walk->state = KILN_WALK_GOES_ON;
    walk->at = walk->levels + 1;
}

/* A step looks into two boxes: the triangles of two leaves, or what is in the larger box. */
void kiln_likely_walk_run(kiln_likely_walk *walk, uint64_t steps, bool (*is_late)(const void *user),
                          const void *user)
{
    const kiln_descent *d = &walk->descent;
    const kiln_likely_level *const bottom = walk->levels + KILN_LEVELS_BELOW;
    kiln_likely_level *at = walk->at;
    kiln_leaf_pair leaves;
    if (walk->state != KILN_WALK_GOES_ON) { /* perhaps nothing but the state is set */
        return;
    }
    kiln_leaf_pair_begin(&leaves, d->kernel);
    for (; steps > 0 && walk->state == KILN_WALK_GOES_ON; steps--) {
        if (is_late != NULL && is_late(user)) {
            break;
        }
        if (at >= bottom) { /* else the roots are in hand */
            kiln_level_take(d, &at->level);
            walk->pending -= at->is_weighed ? at->weighed.loss[at->level.opened.lane] : 0.0f;
        }
        const kiln_level *lane = &at->level, *other = lane->other;
        const bool is_leaf = lane->contents.count != 0, other_is_leaf = other->contents.count != 0;
        walk->steps++;
        if (is_leaf && other_is_leaf) {
            (void)kiln_leaf_pair_meet(&leaves, &walk->frame, &walk->visitor,
                                      lane->is_x ? lane->contents : other->contents,
                                      lane->is_x ? other->contents : lane->contents);
        } else {
            const bool first = other_is_leaf || (!is_leaf && lane->area >= other->area);
            const kiln_level *of = first ? lane : other, *against = first ? other : lane;
            if (is_leaf == other_is_leaf || kiln_level_may_open(d, &leaves, of, against)) {
                open_level(walk, of, against, ++at);
            }
        }
        while (at >= bottom && at->level.mask == 0) {
            at--;
        }
        if (at < bottom && walk->state == KILN_WALK_GOES_ON) {
            walk->state = KILN_WALK_APART;
        }
    }
    walk->at = at;
}

/* ------------------------------------------------------------------------------- answering -- */

kiln_likely_waiting kiln_likely_walk_waiting(const kiln_likely_walk *walk)
{
    kiln_likely_waiting waiting = {0, 0, 0};
    float sum = 0;
    for (const kiln_likely_level *at = walk->levels + KILN_LEVELS_BELOW; at <= walk->at; at++) {
        for (uint32_t mask = at->level.mask; mask != 0; mask &= mask - 1) {
            const float loss = at->is_weighed ? at->weighed.loss[__builtin_ctz(mask)] : 0.0f;
            sum += loss;
            waiting.most = loss > waiting.most ? loss : waiting.most;
            waiting.count++;
        }
    }
    waiting.rest = sum - waiting.most;
    return waiting;
}
