/* The tree of bounds over the objects of a scene.
 *
 * It is binary and kept by insertion: a leaf goes down to where it makes the boxes above it grow
 * least (Goldsmith and Salmon, "Automatic creation of object hierarchies for ray tracing", 1987).
 * On the way back up each node may exchange a child with a grandchild on its other side where that
 * makes a box smaller (Kopta et al., "Fast, effective BVH updates for animated scenes", 2012), or
 * leaves it as it is and the node lower, which keeps trees of equal boxes from becoming lists. A
 * leaf that moves stays where it is as long as it meets the box that was around it and its sibling;
 * else it is inserted anew. A whole tree is built from the top, each range cut where the areas of
 * both sides times their counts are least (16 bins; Wald, "On fast construction of SAH-based
 * bounding volume hierarchies", 2007).
 *
 * All boxes are those of the leaves below, without a margin: what a leaf passes, its object does.
 * Walks find their way by the numbers of parents, so that they need no stack and no bound of the
 * height holds for anything. */
#include "scene.h"

#include <math.h>

enum {
    BINS = 16,
    CUTS_DEEPEST = 24 /* below so many cuts by area ranges are halved, which takes 24 more */
};

/* A tree whose cost is so many times that of the one that was built is built anew. */
#define COST_WORSE 1.4

/* ----------------------------------------------------------------------------------- boxes -- */

/* Half the surface. Only ratios of it matter, and it is 0 for what is flat in two directions. */
static inline double box_area(const kiln_scene_box *box)
{
    const double x = box->upper[0] - box->lower[0], y = box->upper[1] - box->lower[1],
                 z = box->upper[2] - box->lower[2];
    return x * y + y * z + z * x;
}

static inline kiln_scene_box box_union(const kiln_scene_box *a, const kiln_scene_box *b)
{
    kiln_scene_box both;
    for (int k = 0; k < 3; k++) {
        both.lower[k] = a->lower[k] < b->lower[k] ? a->lower[k] : b->lower[k];
        both.upper[k] = a->upper[k] > b->upper[k] ? a->upper[k] : b->upper[k];
    }
    return both;
}

static inline double union_area(const kiln_scene_box *a, const kiln_scene_box *b)
{
    const kiln_scene_box both = box_union(a, b);
    return box_area(&both);
}

/* ----------------------------------------------------------------------------------- nodes -- */

static inline bool is_scene_leaf(const kiln_scene *scene, uint32_t node)
{
    return node < scene->capacity;
}

/* There is always one: a tree of n leaves has n - 1 inner nodes, and room for capacity. */
static uint32_t take_inner(kiln_scene *scene)
{
    const uint32_t node = scene->inner_free;
    if (node != KILN_SCENE_NOWHERE) {
        scene->inner_free = scene->nodes[node].parent;
        return node;
    }
    KILN_ASSERT(scene->inner_used + 1 < scene->capacity);
    return scene->capacity + scene->inner_used++;
}

static void give_inner(kiln_scene *scene, uint32_t node)
{
    KILN_ASSERT(!is_scene_leaf(scene, node));
    scene->nodes[node].parent = scene->inner_free;
    scene->inner_free = node;
}

static inline uint32_t height_above(const kiln_scene *scene, uint32_t a, uint32_t b)
{
    const uint32_t of_a = scene->nodes[a].height, of_b = scene->nodes[b].height;
    return 1 + (of_a > of_b ? of_a : of_b);
}

/* Box and height by the two children. */
static void fit_node(kiln_scene *scene, uint32_t node)
{
    kiln_scene_node *n = &scene->nodes[node];
    n->box = box_union(&scene->nodes[n->child[0]].box, &scene->nodes[n->child[1]].box);
    n->height = height_above(scene, n->child[0], n->child[1]);
}

/* The place of `node` below its parent, or the root, becomes `other`'s. */
static void put_in_place_of(kiln_scene *scene, uint32_t node, uint32_t other)
{
    const uint32_t parent = scene->nodes[node].parent;
    scene->nodes[other].parent = parent;
    if (parent == KILN_SCENE_NOWHERE) {
        scene->root = other;
    } else {
        kiln_scene_node *p = &scene->nodes[parent];
        p->child[p->child[1] == node] = other;
    }
}

/* Of the four exchanges of a child with a grandchild on the other side, the one is done that takes
 * most from the area of the node in between, or, where that stays as it is, from its height. */
static void rotate(kiln_scene *scene, uint32_t node)
{
    kiln_scene_node *nodes = scene->nodes;
    kiln_scene_node *n = &nodes[node];
    double best = 0;
    uint32_t lowest = 0, best_side = 2, best_grandchild = 0;
    for (uint32_t side = 0; side < 2; side++) {
        const uint32_t stays = n->child[!side], opened = n->child[side];
        if (is_scene_leaf(scene, opened)) {
            continue;
        }
        const kiln_scene_node *o = &nodes[opened];
        const double area = box_area(&o->box);
        for (uint32_t g = 0; g < 2; g++) { /* grandchild g goes up, `stays` comes down */
            const uint32_t other = o->child[!g];
            const double more = union_area(&nodes[other].box, &nodes[stays].box) - area;
            const uint32_t height = 1 + height_above(scene, other, stays);
            const uint32_t above = 1 + nodes[o->child[g]].height;
            const uint32_t total = height > above ? height : above;
            const bool lower = total < n->height && (best_side == 2 || total < lowest);
            if (more < best || (more == best && lower)) {
                best = more;
                lowest = total;
                best_side = side;
                best_grandchild = g;
            }
        }
    }
    if (best_side == 2) {
        return;
    }
    const uint32_t opened = n->child[best_side], down = n->child[!best_side];
    const uint32_t up = nodes[opened].child[best_grandchild];
    n->child[!best_side] = up;
    nodes[up].parent = node;
    nodes[opened].child[best_grandchild] = down;
    nodes[down].parent = opened;
    fit_node(scene, opened);
    fit_node(scene, node);
}

/* From `node` up, as far as something changes. */
static void refit_up(kiln_scene *scene, uint32_t node)
{
    while (node != KILN_SCENE_NOWHERE) {
        kiln_scene_node *n = &scene->nodes[node];
        const kiln_scene_box box = n->box;
        const uint32_t height = n->height;
        fit_node(scene, node);
        rotate(scene, node);
        if (height == n->height && memcmp(&box, &n->box, sizeof box) == 0) {
            return;
        }
        node = n->parent;
    }
}

/* ------------------------------------------------------------------------------ one leaf -- */

/* The node that the leaf is to be beside: down as long as a child is the cheaper place. What is
 * compared is by how much the areas of all inner nodes grow. */
static uint32_t find_sibling(const kiln_scene *scene, const kiln_scene_box *box)
{
    const kiln_scene_node *nodes = scene->nodes;
    uint32_t at = scene->root;
    while (!is_scene_leaf(scene, at)) {
        const double together = union_area(&nodes[at].box, box);
        const double inherited = together - box_area(&nodes[at].box);
        double cost[2];
        for (int side = 0; side < 2; side++) {
            const uint32_t child = nodes[at].child[side];
            cost[side] = union_area(&nodes[child].box, box) + inherited;
            cost[side] -= is_scene_leaf(scene, child) ? 0 : box_area(&nodes[child].box);
        }
        if (together < cost[0] && together < cost[1]) {
            break;
        }
        const uint32_t *child = nodes[at].child;
        const bool second = cost[0] != cost[1] ? cost[1] < cost[0]
                                               : nodes[child[1]].height < nodes[child[0]].height;
        at = child[second];
    }
    return at;
}

void kiln_scene_tree_insert(kiln_scene *scene, uint32_t leaf)
{
    kiln_scene_node *nodes = scene->nodes;
    KILN_ASSERT(is_scene_leaf(scene, leaf));
    nodes[leaf].height = 0;
    nodes[leaf].parent = KILN_SCENE_NOWHERE;
    if (scene->root == KILN_SCENE_NOWHERE) {
        scene->root = leaf;
        return;
    }
    const uint32_t sibling = find_sibling(scene, &nodes[leaf].box);
    const uint32_t above = take_inner(scene);
    put_in_place_of(scene, sibling, above);
    nodes[above].child[0] = sibling;
    nodes[above].child[1] = leaf;
    nodes[sibling].parent = nodes[leaf].parent = above;
    fit_node(scene, above);
    refit_up(scene, nodes[above].parent);
}

void kiln_scene_tree_remove(kiln_scene *scene, uint32_t leaf)
{
    kiln_scene_node *nodes = scene->nodes;
    const uint32_t above = nodes[leaf].parent;
    KILN_ASSERT(is_scene_leaf(scene, leaf));
    if (above == KILN_SCENE_NOWHERE) {
        KILN_ASSERT(scene->root == leaf);
        scene->root = KILN_SCENE_NOWHERE;
        return;
    }
    const uint32_t sibling = nodes[above].child[nodes[above].child[0] == leaf];
    put_in_place_of(scene, above, sibling);
    give_inner(scene, above);
    refit_up(scene, nodes[sibling].parent);
}

void kiln_scene_tree_move(kiln_scene *scene, uint32_t leaf, const kiln_scene_box *box)
{
    const uint32_t above = scene->nodes[leaf].parent;
    if (above == KILN_SCENE_NOWHERE || kiln_scene_boxes_meet(&scene->nodes[above].box, box)) {
        scene->nodes[leaf].box = *box;
        refit_up(scene, above);
        return;
    }
    kiln_scene_tree_remove(scene, leaf);
    scene->nodes[leaf].box = *box;
    kiln_scene_tree_insert(scene, leaf);
}

/* -------------------------------------------------------------------------------- all leaves -- */

typedef struct {
    kiln_scene_box box[BINS];
    uint32_t count[BINS];
} scene_bins;

/* Twice the middle of a box along an axis. */
static inline double middle_of(const kiln_scene *scene, uint32_t leaf, int axis)
{
    const kiln_scene_box *box = &scene->nodes[leaf].box;
    return box->lower[axis] + box->upper[axis];
}

/* The bin of a leaf: its middle between `least` and the other end of the range. */
static inline unsigned bin_of(double middle, double least, double bins_per_length)
{
    const double bin = (middle - least) * bins_per_length;
    return bin < BINS - 1 ? (unsigned)bin : BINS - 1;
}

/* The number of bins that go to the first side, where that is cheapest. */
static unsigned best_cut(const scene_bins *bins, uint32_t total)
{
    double right_cost[BINS];
    kiln_scene_box box;
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
static __attribute__((noinline)) uint32_t divide_leaves(const kiln_scene *scene, uint32_t *order,
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
    memset(bins.count, 0, sizeof bins.count);
    for (uint32_t i = 0; i < count; i++) {
        const unsigned b = bin_of(middle_of(scene, order[i], axis), start, per_length);
        const kiln_scene_box *box = &scene->nodes[order[i]].box;
        bins.box[b] = bins.count[b]++ == 0 ? *box : box_union(&bins.box[b], box);
    }
    const unsigned cut = best_cut(&bins, count);
    uint32_t first = 0, end = count;
    while (first < end) {
        const uint32_t leaf = order[first];
        if (bin_of(middle_of(scene, leaf, axis), start, per_length) < cut) {
            first++;
        } else {
            order[first] = order[--end];
            order[end] = leaf;
        }
    }
    return first > 0 && first < count ? first : count / 2;
}

/* Of order[0 .. count - 1], which it changes: returns the root. */
static uint32_t build_range(kiln_scene *scene, uint32_t *order, uint32_t count, uint32_t depth)
{
    if (count == 1) {
        return order[0];
    }
    const uint32_t node = take_inner(scene);
    const uint32_t first = divide_leaves(scene, order, count, depth);
    const uint32_t a = build_range(scene, order, first, depth + 1);
    const uint32_t b = build_range(scene, order + first, count - first, depth + 1);
    kiln_scene_node *n = &scene->nodes[node];
    n->child[0] = a;
    n->child[1] = b;
    scene->nodes[a].parent = scene->nodes[b].parent = node;
    fit_node(scene, node);
    return node;
}

/* The areas of all inner nodes in those of the root, which does not depend on units. */
static double cost_of_tree(const kiln_scene *scene)
{
    double sum = 0;
    if (scene->root == KILN_SCENE_NOWHERE || is_scene_leaf(scene, scene->root)) {
        return 0;
    }
    for (uint32_t i = 0; i < scene->inner_used; i++) { /* free ones were emptied */
        sum += box_area(&scene->nodes[scene->capacity + i].box);
    }
    const double whole = box_area(&scene->nodes[scene->root].box);
    return whole > 0 ? sum / whole : 0;
}

void kiln_scene_tree_build(kiln_scene *scene)
{
    uint32_t leaves = 0;
    for (uint32_t place = 0; place < scene->used; place++) {
        if (scene->entries[place].tree != NULL) {
            scene->order[leaves++] = place;
        }
    }
    KILN_ASSERT(leaves == scene->count);
    scene->inner_used = 0;
    scene->inner_free = KILN_SCENE_NOWHERE;
    scene->root = leaves > 0 ? build_range(scene, scene->order, leaves, 0) : KILN_SCENE_NOWHERE;
    if (leaves > 0) {
        scene->nodes[scene->root].parent = KILN_SCENE_NOWHERE;
    }
    scene->built = cost_of_tree(scene);
}

/* The node that a walk from the leaves up comes to after `node` is done: its parent after a second
 * child, else the first leaf of the second child. */
static uint32_t first_leaf_below(const kiln_scene *scene, uint32_t node)
{
    while (!is_scene_leaf(scene, node)) {
        node = scene->nodes[node].child[0];
    }
    return node;
}

void kiln_scene_tree_refit(kiln_scene *scene)
{
    if (scene->root == KILN_SCENE_NOWHERE) {
        return;
    }
    double sum = 0;
    for (uint32_t node = first_leaf_below(scene, scene->root); node != scene->root;) {
        const uint32_t above = scene->nodes[node].parent;
        if (scene->nodes[above].child[0] == node) {
            node = first_leaf_below(scene, scene->nodes[above].child[1]);
        } else {
            fit_node(scene, above);
            sum += box_area(&scene->nodes[above].box);
            node = above;
        }
    }
    const double whole = box_area(&scene->nodes[scene->root].box);
    if (!(sum <= COST_WORSE * scene->built * whole)) {
        kiln_scene_tree_build(scene);
    }
}

/* ----------------------------------------------------------------------------------- a walk -- */

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

uint32_t kiln_scene_tree_collect(const kiln_scene *scene, const kiln_scene_seek *seek,
                                 uint32_t places[KILN_SCENE_CHUNK])
{
    const kiln_scene_node *nodes = scene->nodes;
    const uint32_t root = scene->root;
    uint32_t count = 0, at = root;
    while (at != KILN_SCENE_NOWHERE) {
        const kiln_scene_node *n = &nodes[at];
        const bool leaf = is_scene_leaf(scene, at);
        if ((!leaf || at >= seek->first) && kiln_scene_boxes_meet(&n->box, &seek->box)) {
            if (!leaf) {
                at = n->child[0];
                continue;
            }
            if (kiln_scene_groups_fit(scene, at, seek->category, seek->mask)) {
                count = take_place(places, count, at);
            }
        }
        while (at != root && nodes[nodes[at].parent].child[1] == at) {
            at = nodes[at].parent;
        }
        at = at == root ? KILN_SCENE_NOWHERE : nodes[nodes[at].parent].child[1];
    }
    for (uint32_t left = count; left > 1;) { /* the second half of heapsort */
        const uint32_t largest = places[0];
        left--;
        sift_place_down(places, left, places[left]);
        places[left] = largest;
    }
    return count;
}
