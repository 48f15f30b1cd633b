/* The descent of pair_walk.c with its pairs in an array instead of on a stack of opened nodes.
 *
 * After P. Hubbard, "Collision Detection for Interactive Graphics Applications", IEEE TVCG 1(3),
 * 1995: pairs of volumes are refined level by level, and whenever the program has no time left,
 * what overlaps at that moment is the answer. He keeps a queue; here the order is the caller's, and
 * the room is fixed.
 *
 * Room. Opening one pair adds at most eight to what waits. In a walk that takes the newest first,
 * at most seven for each opened node are left behind, so that a stack of seven entries for each
 * level of both trees holds everything below one pair, whatever the order was before. A walk in
 * another order adds to the heap as long as that has room for eight; then it empties the stack,
 * pair by pair of the heap. So every walk ends, with any room at all. Where a level limits the
 * walk, pairs on that level must be kept: they are set aside, in the room of the heap; where there
 * is none, the pair above them is left as it is, and says the same less exactly.
 *
 * A pair is named by two lanes, whose nodes are decoded when it is taken. Masks of lanes are those
 * that all instruction sets give alike, so that a walk is the same everywhere. */
#include "frontier_walk.h"

#include <math.h>
#include <string.h>

#define ANY_LEVEL UINT32_MAX

/* ------------------------------------------------------------------------------------ places -- */

/* A binary heap, the least key on top (J. W. J. Williams, CACM 7(6), 1964). */
static void heap_add(kiln_frontier_walk *walk, const kiln_frontier_pair *pair)
{
    kiln_frontier_pair *heap = walk->pairs;
    uint32_t place = walk->heap++;
    KILN_ASSERT(walk->heap + walk->aside <= walk->shared);
    while (place > 0 && pair->key < heap[(place - 1) / 2].key) {
        heap[place] = heap[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    heap[place] = *pair;
}

static kiln_frontier_pair heap_take(kiln_frontier_walk *walk)
{
    kiln_frontier_pair *heap = walk->pairs;
    KILN_ASSERT(walk->heap > 0);
    const kiln_frontier_pair top = heap[0], last = heap[--walk->heap];
    uint32_t place = 0, child;
    while ((child = 2 * place + 1) < walk->heap) {
        child += child + 1 < walk->heap && heap[child + 1].key < heap[child].key;
        if (last.key <= heap[child].key) {
            break;
        }
        heap[place] = heap[child];
        place = child;
    }
    heap[place] = last;
    return top;
}

static void set_aside(kiln_frontier_walk *walk, const kiln_frontier_pair *pair)
{
    walk->aside++;
    KILN_ASSERT(walk->heap + walk->aside <= walk->shared);
    walk->pairs[walk->shared - walk->aside] = *pair;
    walk->aside_level = pair->level < walk->aside_level ? pair->level : walk->aside_level;
}

/* Puts pairs that were set aside above `level` back into the heap. They are first moved to the
 * front of their room, where it may overlap with what the heap grows into, pair by pair. */
static void take_back(kiln_frontier_walk *walk, uint32_t level)
{
    kiln_frontier_pair *const from = walk->pairs + walk->shared - walk->aside;
    uint32_t back = 0;
    walk->aside_level = ANY_LEVEL;
    for (uint32_t i = 0; i < walk->aside; i++) {
        const kiln_frontier_pair pair = from[i];
        if (pair.level < level) {
            from[i] = from[back];
            from[back++] = pair;
        } else if (pair.level < walk->aside_level) {
            walk->aside_level = pair.level;
        }
    }
    walk->aside -= back;
    for (uint32_t i = 0; i < back; i++) {
        const kiln_frontier_pair pair = from[i];
        heap_add(walk, &pair);
    }
}

const kiln_frontier_pair *kiln_frontier_at(const kiln_frontier_walk *walk, uint32_t number)
{
    KILN_ASSERT(number < kiln_frontier_count(walk));
    if (number < walk->heap) {
        return &walk->pairs[number];
    }
    number -= walk->heap;
    return number < walk->aside ? &walk->pairs[walk->shared - 1 - number]
                                : &walk->pairs[walk->shared + number - walk->aside];
}

void kiln_frontier_box(const kiln_frontier_walk *walk, const kiln_frontier_pair *pair, bool is_x,
                       kiln_tree_box *box)
{
    if (pair->lane[is_x] == KILN_FRONTIER_ROOT) {
        *box = walk->root[is_x];
        return;
    }
    const kiln_tree *tree = is_x ? walk->frame.x : walk->frame.y;
    kiln_tree_box_lane(&walk->frame, is_x, kiln_tree_node(tree, pair->node[is_x]), pair->lane[is_x],
                       box);
}

/* ------------------------------------------------------------------------------------- steps -- */

/* How badly the centres of a lane and of the box that its node was opened against fit, in units of
 * their sizes: pairs that fit well are the likelier to meet. Finite or infinite, and >= 0. */
static float misfit(const kiln_decoded_node *opened, const kiln_probe *probe, unsigned lane)
{
    float squared = 0;
    for (int k = 0; k < 3; k++) {
        const float off = opened->lanes.centre[k][lane] - probe->centre[k];
        squared += off * off;
    }
    const float cost = squared / (opened->area[lane] + kiln_half_area(probe->half));
    return cost >= 0 ? cost : 0; /* two points at one place */
}

/* Places of one order, the least first: for the heap, what was added first among equals. */
static uint64_t key_of(const kiln_frontier_walk *walk, uint32_t level, float cost)
{
    const uint64_t serial = walk->serial & 0xffffffffu;
    uint32_t bits;
    KILN_ASSERT(cost >= 0);
    memcpy(&bits, &cost, sizeof bits); /* they rise with a number that is not negative */
    switch (walk->order) {
    case KILN_ORDER_DEPTH_FIRST: /* only what was set aside ever stands in the heap */
        return (uint64_t)(UINT32_MAX - level) << 32 | serial;
    case KILN_ORDER_BEST_FIRST:
        return (uint64_t)bits << 32 | serial;
    default:
        return (uint64_t)level << 32 | serial;
    }
}

/* The volume of X or Y as the lane in hand of a level. */
static void begin_level(kiln_frontier_walk *walk, const kiln_frontier_pair *pair, bool is_x,
                        kiln_level *level)
{
    const uint8_t lane = pair->lane[is_x];
    if (lane == KILN_FRONTIER_ROOT) {
        kiln_level_begin(&walk->root[is_x], is_x, walk->org[is_x], level);
        return;
    }
    const kiln_tree *tree = is_x ? walk->frame.x : walk->frame.y;
    const kiln_node_kind *kind = tree->view.kind;
    const kiln_format_node8 *node = kiln_tree_node(tree, pair->node[is_x]);
    kiln_lane_box box; /* one of the eight, as it would be decoded with the others */
    kind->decode_lane(node, lane, &box);
    for (int k = 0; k < 3; k++) {
        level->opened.lanes.centre[k][lane] = box.centre[k];
        level->opened.lanes.half[k][lane] = box.half[k];
        for (int j = 0; j < 3; j++) {
            level->opened.lanes.axis[3 * k + j][lane] = box.axis[k][j];
        }
    }
    level->opened.node = node;
    level->opened.org = node->org;
    level->opened.lane = lane;
    level->opened.balls = kind->balls;
    level->area = kiln_half_area(box.half) * walk->descent.area_scale[is_x];
    level->contents = kiln_node8_contents(node, lane);
    level->is_x = is_x;
}

/* The newest pairs of the stack in order, the one that fits best last, to be taken first. */
static void order_stack(kiln_frontier_pair *added, float *cost, unsigned count)
{
    for (unsigned i = 1; i < count; i++) {
        const kiln_frontier_pair pair = added[i];
        const float own = cost[i];
        unsigned place = i;
        for (; place > 0 && cost[place - 1] < own; place--) {
            added[place] = added[place - 1];
            cost[place] = cost[place - 1];
        }
        added[place] = pair;
        cost[place] = own;
    }
}

/* Adds a pair for each lane of node `index` that is left, where it was opened below `above`. */
static void add_lanes(kiln_frontier_walk *walk, const kiln_frontier_pair *above,
                      const kiln_level *opened, uint32_t index, bool other_is_leaf,
                      const kiln_probe *probe, bool to_heap)
{
    kiln_frontier_pair *const top = walk->pairs + walk->shared + walk->stack;
    float cost[KILN_NODE_WIDTH];
    unsigned count = 0;
    kiln_frontier_pair pair = *above;
    pair.node[opened->is_x] = index;
    pair.level++;
    for (uint32_t mask = opened->mask; mask != 0; mask &= mask - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(mask);
        cost[count] = misfit(&opened->opened, probe, lane);
        pair.lane[opened->is_x] = (uint8_t)lane;
        pair.leaves = other_is_leaf && kiln_node8_contents(opened->opened.node, lane).count != 0;
        pair.key = key_of(walk, pair.level, cost[count]);
        walk->serial++;
        if (to_heap) {
            heap_add(walk, &pair);
        } else {
            top[count++] = pair;
        }
    }
    order_stack(top, cost, count);
    walk->stack += count;
}

/* Tests the triangles of two leaves, or opens the larger box. */
static void look_into(kiln_frontier_walk *walk, const kiln_frontier_pair *pair, bool to_heap,
                      kiln_leaf_pair *leaves)
{
    const kiln_descent *d = &walk->descent;
    kiln_level x, y, opened;
    kiln_probe probe;
    begin_level(walk, pair, true, &x);
    begin_level(walk, pair, false, &y);
    const bool leaf_x = x.contents.count != 0, leaf_y = y.contents.count != 0;
    walk->deepest = pair->level > walk->deepest ? pair->level : walk->deepest;
    if (leaf_x && leaf_y) {
        if (!kiln_leaf_pair_meet(leaves, &walk->frame, &walk->visitor, x.contents, y.contents) &&
            !leaves->late) {
            walk->state = KILN_FRONTIER_ENDED;
        }
        return;
    }
    const bool open_x = leaf_y || (!leaf_x && x.area >= y.area);
    const kiln_level *of = open_x ? &x : &y, *against = open_x ? &y : &x;
    if (leaf_x == leaf_y || kiln_level_may_open(d, leaves, of, against)) {
        kiln_level_open(d, false, of, against, &opened, &probe);
        add_lanes(walk, pair, &opened, of->contents.first, against->contents.count != 0, &probe,
                  to_heap);
    }
}

void kiln_frontier_begin(kiln_frontier_walk *walk)
{
    kiln_descent_make(&walk->frame, &walk->visitor, true, &walk->descent);
    kiln_tree_box_root(&walk->frame, true, &walk->root[1]);
    kiln_tree_box_root(&walk->frame, false, &walk->root[0]);
    if (kiln_once_is_needed(&walk->frame, &walk->visitor)) {
        kiln_once_begin(&walk->once, &walk->descent, &walk->root[0], &walk->root[1], true);
    }
    walk->heap = walk->aside = walk->stack = 0;
    walk->aside_level = ANY_LEVEL;
    walk->serial = walk->steps = 0;
    walk->deepest = 0;
    walk->full = false;
    walk->state = KILN_FRONTIER_GOES_ON;
    const kiln_frontier_pair roots = {.lane = {KILN_FRONTIER_ROOT, KILN_FRONTIER_ROOT}};
    if (walk->order != KILN_ORDER_DEPTH_FIRST && walk->shared > 0) {
        heap_add(walk, &roots);
    } else {
        walk->pairs[walk->shared] = roots;
        walk->stack = 1;
    }
}

/* Does a pair above `level` wait? */
static bool any_above(const kiln_frontier_walk *walk, uint32_t level)
{
    for (uint32_t i = 0; i < kiln_frontier_count(walk); i++) {
        if (kiln_frontier_at(walk, i)->level < level) {
            return true;
        }
    }
    return false;
}

/* Takes the next pair. What is to be kept from the level on is set aside, unless there is no room
 * for what comes from the stack: then it stays there, and the run ends. False: nothing is left to
 * be taken. */
static bool take_next(kiln_frontier_walk *walk, uint32_t level, kiln_frontier_pair *pair,
                      bool *from_stack)
{
    for (;;) {
        *from_stack = walk->stack > 0;
        if (*from_stack) {
            *pair = walk->pairs[walk->shared + walk->stack - 1];
            if (pair->level >= level && walk->heap + walk->aside == walk->shared) {
                walk->full = walk->full || any_above(walk, level);
                return false;
            }
            walk->stack--;
        } else if (walk->heap > 0) {
            *pair = heap_take(walk);
        } else {
            return false;
        }
        if (pair->level < level) {
            return true;
        }
        set_aside(walk, pair);
    }
}

/* What take_next has taken, where it was. */
static void put_back(kiln_frontier_walk *walk, const kiln_frontier_pair *pair, bool to_stack)
{
    if (to_stack) {
        walk->pairs[walk->shared + walk->stack++] = *pair;
    } else {
        heap_add(walk, pair);
    }
}

void kiln_frontier_run(kiln_frontier_walk *walk, uint32_t level, uint64_t steps,
                       bool (*is_late)(const void *user), const void *user)
{
    kiln_leaf_pair leaves;
    kiln_frontier_pair pair;
    bool from_stack;
    if (walk->state != KILN_FRONTIER_GOES_ON) { /* perhaps nothing but the state is set */
        return;
    }
    kiln_leaf_pair_begin(&leaves, walk->descent.kernel);
    if (kiln_once_is_needed(&walk->frame, &walk->visitor)) {
        walk->once.is_late = is_late;
        walk->once.late_user = user;
        leaves.once = &walk->once;
    }
    walk->full = false;
    if (walk->aside_level < level) {
        take_back(walk, level);
    }
    while (steps > 0 && walk->state == KILN_FRONTIER_GOES_ON) {
        if ((is_late != NULL && is_late(user)) || !take_next(walk, level, &pair, &from_stack)) {
            break;
        }
        const bool has_room = walk->heap + walk->aside + KILN_NODE_WIDTH <= walk->shared;
        const bool wide = walk->order != KILN_ORDER_DEPTH_FIRST && !from_stack;
        if (wide && !has_room && level != ANY_LEVEL) {
            walk->full = true;
            set_aside(walk, &pair);
            continue;
        }
        look_into(walk, &pair, wide && has_room, &leaves);
        if (leaves.late) { /* it waits as before */
            put_back(walk, &pair, from_stack);
            break;
        }
        walk->steps++;
        steps--;
        if (walk->state == KILN_FRONTIER_GOES_ON && kiln_frontier_count(walk) == 0) {
            walk->state = KILN_FRONTIER_DONE;
        }
    }
}
