/* The tree of bounds over the objects of a scene.
 *
 * It is binary and kept by insertion: an object goes down to where it makes the boxes above it grow
 * least (Goldsmith and Salmon, "Automatic creation of object hierarchies for ray tracing", 1987).
 * On the way back up each node may exchange a child with a grandchild on its other side where that
 * makes a box smaller (Kopta et al., "Fast, effective BVH updates for animated scenes", 2012), or
 * leaves it as it is and the node lower, which keeps trees of equal boxes from becoming lists. An
 * object that moves stays where it is as long as it meets its node's box; else it is inserted anew.
 * A whole tree is built from the top, each range cut where the areas of both sides times their
 * counts are least (16 bins; Wald, "On fast construction of SAH-based bounding volume hierarchies",
 * 2007).
 *
 * A node holds the boxes of its two children in floats, rounded outward: one line of the cache, and
 * both are tested at once. What is too far for floats is infinitely far: such boxes are tested and
 * let through. The boxes of objects themselves are doubles, and they decide. None has a margin.
 *
 * A tree that is built is at most 24 + 24 high, and one that has grown beyond
 * KILN_SCENE_HEIGHT_MOST is built anew, so that walks have stacks of a fixed size. */
#include "scene.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    BINS = 16,
    CUTS_DEEPEST = 24 /* below so many cuts by area ranges are halved, which takes 24 more */
};

/* A tree whose cost is so many times that of the one that was built is built anew. */
#define COST_WORSE 1.4

/* ----------------------------------------------------------------------------- boxes -- */

/* A box in floats, around one in doubles. */
typedef struct {
    float lower[3], upper[3];
} float_box;

/* Subtracting 2^-23 of a float from it gives one that is less by an ulp or more, which is more than
 * what a conversion rounds. */
static inline float rounded_below(double x)
{
    const float f = (float)x;
    const float finite = f <= FLT_MAX ? f : FLT_MAX; /* below x, where that overflows */
    return finite - (fabsf(finite) * 0x1p-23f + 0x1p-149f);
}

static inline float_box float_box_of(const kiln_scene_box *box)
{
    float_box out;
    for (int k = 0; k < 3; k++) {
        out.lower[k] = rounded_below(box->lower[k]);
        out.upper[k] = -rounded_below(-box->upper[k]);
    }
    return out;
}

/* Half the surface. Only ratios of it matter. */
static inline double box_area(const float_box *box)
{
    const double x = (double)box->upper[0] - (double)box->lower[0];
    const double y = (double)box->upper[1] - (double)box->lower[1];
    const double z = (double)box->upper[2] - (double)box->lower[2];
    return x * y + y * z + z * x;
}

static inline float_box box_union(const float_box *a, const float_box *b)
{
    float_box both;
    for (int k = 0; k < 3; k++) {
        both.lower[k] = a->lower[k] < b->lower[k] ? a->lower[k] : b->lower[k];
        both.upper[k] = a->upper[k] > b->upper[k] ? a->upper[k] : b->upper[k];
    }
    return both;
}

static inline double union_area(const float_box *a, const float_box *b)
{
    const float_box both = box_union(a, b);
    return box_area(&both);
}

static inline bool float_boxes_meet(const float_box *a, const float_box *b)
{
    return (a->lower[0] <= b->upper[0]) & (b->lower[0] <= a->upper[0]) &
           (a->lower[1] <= b->upper[1]) & (b->lower[1] <= a->upper[1]) &
           (a->lower[2] <= b->upper[2]) & (b->lower[2] <= a->upper[2]);
}

/* ----------------------------------------------------------------------------- nodes -- */

static inline bool is_object(uint32_t child)
{
    return (child & KILN_SCENE_LEAF) != 0;
}

static inline uint32_t place_in(uint32_t child)
{
    KILN_ASSERT(is_object(child) && child != KILN_SCENE_NOWHERE);
    return child & ~KILN_SCENE_LEAF;
}

static inline float_box child_box(const kiln_scene_node *node, uint32_t side)
{
    float_box box;
    for (int k = 0; k < 3; k++) {
        box.lower[k] = node->lower[k][side];
        box.upper[k] = node->upper[k][side];
    }
    return box;
}

static inline void set_child_box(kiln_scene_node *node, uint32_t side, const float_box *box)
{
    for (int k = 0; k < 3; k++) {
        node->lower[k][side] = box->lower[k];
        node->upper[k][side] = box->upper[k];
    }
}

/* Of both children. */
static inline float_box node_box(const kiln_scene_node *node)
{
    const float_box first = child_box(node, 0), second = child_box(node, 1);
    return box_union(&first, &second);
}

static inline void set_parent(kiln_scene *scene, uint32_t child, uint32_t node)
{
    if (is_object(child)) {
        scene->parents[place_in(child)] = node;
    } else {
        scene->links[child].parent = node;
    }
}

/* The highest place of what is below a child. */
static inline uint32_t highest_in(const kiln_scene *scene, uint32_t child)
{
    if (is_object(child)) {
        return place_in(child);
    }
    const uint32_t *highest = scene->nodes[child].highest;
    return highest[0] > highest[1] ? highest[0] : highest[1];
}

/* What a node says of a child of its own, after that has changed. */
static inline void fit_child(kiln_scene *scene, uint32_t node, uint32_t side, const float_box *box)
{
    kiln_scene_node *n = &scene->nodes[node];
    n->highest[side] = highest_in(scene, n->child[side]);
    set_child_box(n, side, box);
}

/* The child of `node` on a side, with its box. */
static void set_child(kiln_scene *scene, uint32_t node, uint32_t side, uint32_t child,
                      const float_box *box)
{
    KILN_ASSERT(child != node);
    scene->nodes[node].child[side] = child;
    fit_child(scene, node, side, box);
    set_parent(scene, child, node);
}

/* There is always one: a tree of n objects has n - 1 nodes. */
static uint32_t take_node(kiln_scene *scene)
{
    const uint32_t node = scene->node_free;
    if (node != KILN_SCENE_NOWHERE) {
        scene->node_free = scene->links[node].parent;
        return node;
    }
    KILN_ASSERT(scene->nodes_used + 1 < scene->capacity);
    return scene->nodes_used++;
}

static void give_node(kiln_scene *scene, uint32_t node)
{
    KILN_ASSERT(node < scene->nodes_used);
    scene->links[node].parent = scene->node_free;
    scene->node_free = node;
}

static inline uint32_t height_of(const kiln_scene *scene, uint32_t child)
{
    return is_object(child) ? 0 : scene->links[child].height;
}

static inline uint32_t height_above(const kiln_scene *scene, uint32_t a, uint32_t b)
{
    const uint32_t of_a = height_of(scene, a), of_b = height_of(scene, b);
    return 1 + (of_a > of_b ? of_a : of_b);
}

static inline void fit_height(kiln_scene *scene, uint32_t node)
{
    const uint32_t *child = scene->nodes[node].child;
    scene->links[node].height = height_above(scene, child[0], child[1]);
}

/* What `old` was below `parent`, or as the root, becomes another; the box stays. */
static void replace_child(kiln_scene *scene, uint32_t parent, uint32_t old, uint32_t child)
{
    if (parent == KILN_SCENE_NOWHERE) {
        scene->root = child;
    } else {
        kiln_scene_node *p = &scene->nodes[parent];
        p->child[p->child[1] == old] = child;
    }
    set_parent(scene, child, parent);
}

/* An exchange: the node's child that is not on `side` for the child `grand` of the one that is. */
typedef struct {
    double more; /* area of the child in between */
    uint32_t side, grand, height;
} exchange;

static void try_exchanges(const kiln_scene *scene, uint32_t node, uint32_t side, exchange *best)
{
    const kiln_scene_node *n = &scene->nodes[node];
    const uint32_t opened = n->child[side], stays = n->child[!side];
    if (is_object(opened)) {
        return;
    }
    const kiln_scene_node *o = &scene->nodes[opened];
    const float_box whole = child_box(n, side), down = child_box(n, !side);
    const double area = box_area(&whole);
    for (uint32_t grand = 0; grand < 2; grand++) { /* it goes up, `stays` comes down */
        const float_box other = child_box(o, !grand);
        const double more = union_area(&other, &down) - area;
        const uint32_t below = 1 + height_above(scene, o->child[!grand], stays);
        const uint32_t above = 1 + height_of(scene, o->child[grand]);
        const uint32_t height = below > above ? below : above;
        if (more < best->more || (more == best->more && height < best->height)) {
            *best = (exchange){more, side, grand, height};
        }
    }
}

/* Of the four exchanges of a child with a grandchild on the other side, the one is done that takes
 * most from the area of the child in between, or, where that stays as it is, from the height. */
static void rotate_node(kiln_scene *scene, uint32_t node)
{
    kiln_scene_node *n = &scene->nodes[node];
    exchange best = {0, 2, 0, scene->links[node].height};
    try_exchanges(scene, node, 0, &best);
    try_exchanges(scene, node, 1, &best);
    if (best.side == 2) {
        return;
    }
    const uint32_t opened = n->child[best.side], down = n->child[!best.side];
    kiln_scene_node *o = &scene->nodes[opened];
    const float_box box_down = child_box(n, !best.side), box_up = child_box(o, best.grand);
    set_child(scene, node, !best.side, o->child[best.grand], &box_up);
    set_child(scene, opened, best.grand, down, &box_down);
    const float_box between = node_box(o);
    fit_child(scene, node, best.side, &between);
    fit_height(scene, opened);
    fit_height(scene, node);
}

/* Boxes and heights from `node` up, whose `child` has another box, as far as something changes. */
static void refit_above(kiln_scene *scene, uint32_t child, uint32_t node, float_box box)
{
    while (node != KILN_SCENE_NOWHERE) {
        kiln_scene_node *n = &scene->nodes[node];
        const float_box before = node_box(n);
        const uint32_t height = scene->links[node].height, highest = highest_in(scene, node);
        fit_child(scene, node, n->child[1] == child, &box);
        fit_height(scene, node);
        rotate_node(scene, node);
        box = node_box(n);
        if (height == scene->links[node].height && highest == highest_in(scene, node) &&
            memcmp(&before, &box, sizeof box) == 0) {
            return;
        }
        child = node;
        node = scene->links[node].parent;
    }
}

/* ------------------------------------------------------------------------- one object -- */

/* A child of a node; `node` NOWHERE: the root. */
typedef struct {
    uint32_t node, side;
} scene_slot;

/* The child that an object is to be beside: down as long as a child is the cheaper place. What is
 * compared is by how much the areas of all nodes grow. */
static scene_slot find_slot(const kiln_scene *scene, const float_box *box)
{
    scene_slot slot = {KILN_SCENE_NOWHERE, 0};
    uint32_t at = scene->root;
    while (!is_object(at)) {
        const kiln_scene_node *n = &scene->nodes[at];
        const float_box own = node_box(n);
        const double together = union_area(&own, box), inherited = together - box_area(&own);
        double cost[2];
        for (uint32_t side = 0; side < 2; side++) {
            const float_box child = child_box(n, side);
            cost[side] = union_area(&child, box) + inherited;
            cost[side] -= is_object(n->child[side]) ? 0 : box_area(&child);
        }
        if (together < cost[0] && together < cost[1]) {
            break;
        }
        const bool lower = height_of(scene, n->child[1]) < height_of(scene, n->child[0]);
        slot.node = at;
        slot.side = cost[0] != cost[1] ? cost[1] < cost[0] : lower;
        at = n->child[slot.side];
    }
    return slot;
}

static void insert_object(kiln_scene *scene, uint32_t place)
{
    const float_box box = float_box_of(&scene->boxes[place]);
    const uint32_t root = scene->root, leaf = KILN_SCENE_LEAF | place;
    if (root == KILN_SCENE_NOWHERE) {
        replace_child(scene, KILN_SCENE_NOWHERE, root, leaf);
        return;
    }
    const scene_slot slot = find_slot(scene, &box);
    const uint32_t node = take_node(scene);
    uint32_t sibling = root;
    float_box beside;
    if (slot.node != KILN_SCENE_NOWHERE) {
        sibling = scene->nodes[slot.node].child[slot.side];
        beside = child_box(&scene->nodes[slot.node], slot.side);
    } else { /* the root's own box is nowhere stored */
        beside = is_object(root) ? float_box_of(&scene->boxes[place_in(root)])
                                 : node_box(&scene->nodes[root]);
    }
    replace_child(scene, slot.node, sibling, node);
    set_child(scene, node, 0, sibling, &beside);
    set_child(scene, node, 1, leaf, &box);
    fit_height(scene, node);
    refit_above(scene, node, slot.node, box_union(&beside, &box));
}

/* The node above the object goes, too; its other child comes up. */
static void remove_object(kiln_scene *scene, uint32_t place)
{
    const uint32_t node = scene->parents[place], leaf = KILN_SCENE_LEAF | place;
    if (node == KILN_SCENE_NOWHERE) {
        KILN_ASSERT(scene->root == leaf);
        scene->root = KILN_SCENE_NOWHERE;
        return;
    }
    const kiln_scene_node *n = &scene->nodes[node];
    const uint32_t other = n->child[0] == leaf, sibling = n->child[other],
                   above = scene->links[node].parent;
    const float_box box = child_box(n, other);
    replace_child(scene, above, node, sibling);
    give_node(scene, node);
    refit_above(scene, sibling, above, box);
}

static void keep_low(kiln_scene *scene)
{
    if (scene->root != KILN_SCENE_NOWHERE &&
        height_of(scene, scene->root) > KILN_SCENE_HEIGHT_MOST) {
        kiln_scene_tree_build(scene);
    }
}

void kiln_scene_tree_insert(kiln_scene *scene, uint32_t place)
{
    KILN_ASSERT(place < scene->used);
    insert_object(scene, place);
    keep_low(scene);
}

void kiln_scene_tree_remove(kiln_scene *scene, uint32_t place)
{
    KILN_ASSERT(place < scene->used);
    remove_object(scene, place);
    for (int k = 0; k < 3; k++) {
        scene->boxes[place].lower[k] = HUGE_VAL;
        scene->boxes[place].upper[k] = -HUGE_VAL;
    }
    keep_low(scene);
}

void kiln_scene_tree_move(kiln_scene *scene, uint32_t place, const kiln_scene_box *box)
{
    const uint32_t node = scene->parents[place];
    const float_box rounded = float_box_of(box);
    scene->boxes[place] = *box;
    if (node == KILN_SCENE_NOWHERE) {
        return;
    }
    const float_box around = node_box(&scene->nodes[node]);
    if (float_boxes_meet(&around, &rounded)) {
        refit_above(scene, KILN_SCENE_LEAF | place, node, rounded);
    } else {
        remove_object(scene, place);
        insert_object(scene, place);
    }
    keep_low(scene);
}

/* ------------------------------------------------------------------------- all objects -- */

typedef struct {
    float_box box[BINS];
    uint32_t count[BINS];
} scene_bins;

/* Twice the middle of an object's box along an axis. */
static inline double middle_of(const kiln_scene *scene, uint32_t place, int axis)
{
    const kiln_scene_box *box = &scene->boxes[place];
    return box->lower[axis] + box->upper[axis];
}

/* The bin of an object: its middle between `least` and the other end of the range. */
static inline unsigned bin_of(double middle, double least, double bins_per_length)
{
    const double bin = (middle - least) * bins_per_length;
    return bin < BINS - 1 ? (unsigned)bin : BINS - 1;
}

/* The number of bins that go to the first side, where that is cheapest. */
static unsigned best_cut(const scene_bins *bins, uint32_t total)
{
    double right_cost[BINS];
    float_box box = bins->box[0];
    uint32_t count = 0;
    for (unsigned i = BINS - 1; i > 0; i--) {
        box = bins->count[i] == 0 ? box
              : count == 0        ? bins->box[i]
                                  : box_union(&box, &bins->box[i]);
        count += bins->count[i];
        right_cost[i] = count == 0 ? 0 : box_area(&box) * count;
    }
    double best = HUGE_VAL;
    unsigned cut = 0;
    count = 0;
    for (unsigned i = 0; i + 1 < BINS; i++) {
        box = bins->count[i] == 0 ? box
              : count == 0        ? bins->box[i]
                                  : box_union(&box, &bins->box[i]);
        count += bins->count[i];
        if (count == 0 || count == total) {
            continue;
        }
        const double cost = box_area(&box) * count + right_cost[i + 1];
        if (cost < best) {
            best = cost;
            cut = i + 1;
        }
    }
    return cut;
}

/* Divides order[0 .. count - 1] in two, at least one on each side: how many are on the first. The
 * axis is that along which middles differ most; where they do not, or deep down, it is halved. */
static __attribute__((noinline)) uint32_t divide_range(const kiln_scene *scene, uint32_t *order,
                                                       uint32_t count, uint32_t depth)
{
    double least[3], most[3];
    KILN_ASSERT(count >= 2);
    for (int k = 0; k < 3; k++) {
        least[k] = HUGE_VAL;
        most[k] = -HUGE_VAL;
        for (uint32_t i = 0; i < count; i++) {
            const double middle = middle_of(scene, order[i], k);
            least[k] = middle < least[k] ? middle : least[k];
            most[k] = middle > most[k] ? middle : most[k];
        }
    }
    int axis = most[1] - least[1] > most[0] - least[0];
    axis = most[2] - least[2] > most[axis] - least[axis] ? 2 : axis;
    const double start = least[axis], length = most[axis] - start;
    const double per_length = BINS / length;
    if (depth >= CUTS_DEEPEST || !(length > 0) || !(per_length <= 0x1p+1000)) {
        return count / 2;
    }
    scene_bins bins;
    memset(&bins, 0, sizeof bins);
    for (uint32_t i = 0; i < count; i++) {
        const unsigned b = bin_of(middle_of(scene, order[i], axis), start, per_length);
        const float_box box = float_box_of(&scene->boxes[order[i]]);
        bins.box[b] = bins.count[b]++ == 0 ? box : box_union(&bins.box[b], &box);
    }
    const unsigned cut = best_cut(&bins, count);
    uint32_t first = 0, end = count;
    while (first < end) {
        const uint32_t place = order[first];
        if (bin_of(middle_of(scene, place, axis), start, per_length) < cut) {
            first++;
        } else {
            order[first] = order[--end];
            order[end] = place;
        }
    }
    return first > 0 && first < count ? first : count / 2;
}

/* Of order[0 .. count - 1], which it changes: returns the root as a child is, with its box. */
static uint32_t build_range(kiln_scene *scene, uint32_t *order, uint32_t count, uint32_t depth,
                            float_box *box)
{
    if (count == 1) {
        *box = float_box_of(&scene->boxes[order[0]]);
        return KILN_SCENE_LEAF | order[0];
    }
    float_box halves[2];
    const uint32_t node = take_node(scene);
    const uint32_t first = divide_range(scene, order, count, depth);
    const uint32_t a = build_range(scene, order, first, depth + 1, &halves[0]);
    const uint32_t b = build_range(scene, order + first, count - first, depth + 1, &halves[1]);
    set_child(scene, node, 0, a, &halves[0]);
    set_child(scene, node, 1, b, &halves[1]);
    fit_height(scene, node);
    *box = box_union(&halves[0], &halves[1]);
    return node;
}

/* Boxes of all that is below; adds the areas of nodes. */
static float_box refit_below(kiln_scene *scene, uint32_t child, double *areas)
{
    if (is_object(child)) {
        return float_box_of(&scene->boxes[place_in(child)]);
    }
    kiln_scene_node *n = &scene->nodes[child];
    for (uint32_t side = 0; side < 2; side++) {
        const float_box box = refit_below(scene, n->child[side], areas);
        set_child_box(n, side, &box);
    }
    const float_box whole = node_box(n);
    *areas += box_area(&whole);
    return whole;
}

/* The areas of all nodes in those of the root, which does not depend on units; infinite where
 * floats end, so that no tree is much worse than another. */
static double refit_tree(kiln_scene *scene)
{
    double areas = 0;
    const float_box whole = refit_below(scene, scene->root, &areas);
    const double cost = areas / box_area(&whole);
    return cost < HUGE_VAL ? cost : HUGE_VAL;
}

void kiln_scene_tree_build(kiln_scene *scene)
{
    uint32_t count = 0;
    float_box box;
    for (uint32_t place = 0; place < scene->used; place++) {
        if (scene->boxes[place].lower[0] <= scene->boxes[place].upper[0]) {
            scene->order[count++] = place;
        }
    }
    KILN_ASSERT(count == scene->count);
    scene->nodes_used = 0;
    scene->node_free = KILN_SCENE_NOWHERE;
    if (count > 0) {
        const uint32_t root = build_range(scene, scene->order, count, 0, &box);
        replace_child(scene, KILN_SCENE_NOWHERE, KILN_SCENE_NOWHERE, root);
        scene->built = refit_tree(scene);
        KILN_ASSERT(height_of(scene, root) <= 2 * CUTS_DEEPEST);
    }
}

void kiln_scene_tree_refit(kiln_scene *scene)
{
    if (scene->root != KILN_SCENE_NOWHERE && !(refit_tree(scene) <= COST_WORSE * scene->built)) {
        kiln_scene_tree_build(scene);
    }
}

/* ----------------------------------------------------------------------------- a walk -- */

/* The largest of `count` places, more than one, goes down from the top of the heap to where `place`
 * belongs. */
static void sift_place_down(uint32_t *heap, uint32_t count, uint32_t place)
{
    uint32_t at = 0;
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && heap[child] < heap[child + 1];
        if (place >= heap[child]) {
            break;
        }
        heap[at] = heap[child];
    }
    heap[at] = place;
}

/* The lowest places so far are in a heap whose largest is on top, so that a chunk that is full
 * takes a lower one in its place. */
static uint32_t take_place(uint32_t *heap, uint32_t count, uint32_t place)
{
    if (count == KILN_SCENE_CHUNK) {
        if (place < heap[0]) {
            sift_place_down(heap, count, place);
        }
        return count;
    }
    uint32_t at = count;
    for (uint32_t parent; at > 0 && heap[parent = (at - 1) / 2] < place; at = parent) {
        heap[at] = heap[parent];
    }
    heap[at] = place;
    return count + 1;
}

/* What a child will be looked at by, so that it is there when it is. */
static inline void prefetch_child(const kiln_scene *scene, uint32_t child)
{
    if (is_object(child)) {
        __builtin_prefetch(&scene->boxes[place_in(child)]);
    } else {
        __builtin_prefetch(&scene->nodes[child]);
    }
}

uint32_t kiln_scene_tree_collect(const kiln_scene *scene, const kiln_scene_seek *seek,
                                 uint32_t places[KILN_SCENE_CHUNK])
{
    const float_box box = float_box_of(&seek->box);
    uint32_t stack[KILN_SCENE_STACK], waiting = 0, count = 0;
    if (scene->root != KILN_SCENE_NOWHERE) {
        stack[waiting++] = scene->root;
    }
    while (waiting > 0) {
        const uint32_t at = stack[--waiting];
        if (is_object(at)) {
            const uint32_t place = place_in(at);
            if (place >= seek->first && kiln_scene_boxes_meet(&scene->boxes[place], &seek->box) &&
                kiln_scene_groups_fit(scene, place, seek->category, seek->mask)) {
                count = take_place(places, count, place);
            }
            continue;
        }
        const kiln_scene_node *n = &scene->nodes[at];
        KILN_ASSERT(waiting + 2 <= KILN_SCENE_STACK);
        for (uint32_t side = 0; side < 2; side++) { /* without branches, which can't be predicted */
            bool meet = n->highest[side] >= seek->first;
            for (int k = 0; k < 3; k++) {
                meet &= (n->lower[k][side] <= box.upper[k]) & (box.lower[k] <= n->upper[k][side]);
            }
            const uint32_t child = n->child[side];
            prefetch_child(scene, child);
            stack[waiting] = child;
            waiting += meet;
        }
    }
    for (uint32_t left = count; left > 1;) { /* the second half of heapsort */
        const uint32_t largest = places[0];
        left--;
        sift_place_down(places, left, places[left]);
        places[left] = largest;
    }
    return count;
}
