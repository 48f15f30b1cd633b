/* Treelet restructuring (T. Karras and T. Aila, "Fast parallel construction of high-quality
 * bounding volume hierarchies", 2013) for oriented boxes. A treelet is an inner node and those
 * below it that are had by opening the largest, until it has LEAVES leaves. Of all binary trees
 * over these leaves the one is taken whose inner nodes have the least sum of surfaces; with C(S)
 * the least sum for a set S of leaves,
 *   C(one leaf) = 0,  C(S) = surface(S) + least over P of C(P) + C(S - P).
 * Nodes are gone through from the leaves up.
 *
 * The surface is that of an oriented box, and nobody fits 57 boxes a node to triangles. Instead a
 * set of triangles is known by the corners that are extreme along fixed directions: those of a
 * union are among those of its parts. A union's box is sought along its covariance, the object's
 * axes and the boxes of its parts. It bounds the known corners only, which is good enough to choose
 * by; nothing is encoded from it.
 *
 * Subtrees of moderate size are done at once, then what is above them. A subtree that would become
 * deeper than binary.h allows stays as it was. */
#include "treelet.h"

#include "../../formats/assert.h"
#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAVES = 6,
    SETS = 1 << LEAVES,
    DIRECTIONS = 26,
    QUARTETS = 7, /* of directions; the last two are the first two again */
    CROWN_LEAVES = 8,
    CROWN_NODES = 2 * CROWN_LEAVES - 1
};

typedef float lanes4 __attribute__((vector_size(16)));
typedef int32_t mask4 __attribute__((vector_size(16)));

/* What is known of a set of triangles. */
typedef struct {
    lanes4 at[3][QUARTETS], reach[QUARTETS]; /* the farthest corner along each direction */
    kiln_moments moments;
    float axis[3][3]; /* of its box */
    double area;      /* half the surface, as everywhere */
} cluster;

typedef struct {
    cluster known;
    uint32_t child[2]; /* 0: a leaf, since no node has the root for a child */
    kiln_range range;
    uint32_t count; /* triangles */
    uint8_t height; /* of what is below a leaf in the binary tree */
} node;

/* The upper part of a subtree, so that what is above can be rearranged together with it. */
typedef struct {
    node nodes[CROWN_NODES]; /* the root is the first */
    uint32_t count;          /* 0: there was no memory */
} crown;

typedef struct {
    node *nodes; /* the root is the first */
    uint32_t count;
    uint32_t most; /* triangles: no treelet has a root with more */
    uint32_t leaf[LEAVES], spare[LEAVES];
    unsigned leaf_count, spare_count;
    lanes4 direction[3][QUARTETS];
    const cluster *known[SETS];
    cluster joined[SETS];
    double cost[SETS];
    uint8_t part[SETS]; /* P of the least sum */
} workspace;

typedef struct {
    const kiln_cloud *cloud;
    kiln_record *records;
    kiln_binary *tree;
    unsigned passes;
    uint32_t most;
    crown *crowns; /* of each item of the tree's top that is a subtree */
} job;

/* ---------------------------------------------------------------------------- clusters -- */

/* a where mask is set, else b. */
static inline lanes4 pick(mask4 mask, lanes4 a, lanes4 b)
{
    return (lanes4)((mask & (mask4)a) | (~mask & (mask4)b));
}

/* The width of the known corners along an axis. */
static double width_along(const cluster *c, const float axis[3])
{
    lanes4 low = {INFINITY, INFINITY, INFINITY, INFINITY}, high = -low;
    for (unsigned i = 0; i < QUARTETS; i++) {
        const lanes4 d = (c->at[0][i] * axis[0] + c->at[1][i] * axis[1]) + c->at[2][i] * axis[2];
        low = pick(d < low, d, low);
        high = pick(d > high, d, high);
    }
    for (unsigned i = 1; i < 4; i++) {
        low[0] = low[i] < low[0] ? low[i] : low[0];
        high[0] = high[i] > high[0] ? high[i] : high[0];
    }
    return (double)high[0] - (double)low[0];
}

/* Takes the frame if the box of the known corners has less surface in it. */
static void try_frame(cluster *c, float axis[3][3])
{
    KILN_ASSERT(c->area >= 0);
    kiln_extents extents;
    for (unsigned k = 0; k < 3; k++) {
        extents.lower[k] = 0;
        extents.upper[k] = width_along(c, axis[k]);
    }
    const double area = kiln_extents_half_area(&extents);
    if (kiln_area_beats(area, c->area)) {
        c->area = area;
        memcpy(c->axis, axis, sizeof c->axis);
    }
}

/* The best box of a cluster, by its covariance, the object's axes and the boxes of its parts, if
 * any. */
static void fit(cluster *c, float a[3][3], float b[3][3])
{
    static float object[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double exact[3][3];
    float covariance[3][3];
    kiln_moments_axes(&c->moments, exact);
    for (unsigned k = 0; k < 3; k++) {
        for (unsigned i = 0; i < 3; i++) {
            covariance[k][i] = (float)exact[k][i];
        }
    }
    c->area = INFINITY;
    try_frame(c, object);
    try_frame(c, covariance);
    if (a != NULL) {
        try_frame(c, a);
        try_frame(c, b);
    }
}

/* What is known of two clusters together: of each direction the corner that reaches farther. */
static void join(const cluster *a, const cluster *b, cluster *out)
{
    for (unsigned i = 0; i < QUARTETS; i++) {
        const mask4 mask = a->reach[i] >= b->reach[i];
        out->reach[i] = pick(mask, a->reach[i], b->reach[i]);
        for (unsigned k = 0; k < 3; k++) {
            out->at[k][i] = pick(mask, a->at[k][i], b->at[k][i]);
        }
    }
    out->moments = a->moments;
    kiln_moments_join(&out->moments, &b->moments);
    float axis[2][3][3];
    memcpy(axis[0], a->axis, sizeof axis[0]);
    memcpy(axis[1], b->axis, sizeof axis[1]);
    fit(out, axis[0], axis[1]);
}

/* Notes a corner along all directions in which it is the farthest so far. */
static void add_corner(cluster *c, lanes4 direction[3][QUARTETS], const double corner[3])
{
    const float p[3] = {(float)corner[0], (float)corner[1], (float)corner[2]};
    for (unsigned i = 0; i < QUARTETS; i++) {
        const lanes4 d = (direction[0][i] * p[0] + direction[1][i] * p[1]) + direction[2][i] * p[2];
        const mask4 mask = d > c->reach[i];
        c->reach[i] = pick(mask, d, c->reach[i]);
        for (unsigned k = 0; k < 3; k++) {
            const lanes4 same = {p[k], p[k], p[k], p[k]};
            c->at[k][i] = pick(mask, same, c->at[k][i]);
        }
    }
}

/* ---------------------------------------------------------------------------- treelets -- */

/* Opens the largest, the first of equals. False when all are leaves of the tree. */
static bool open_largest(workspace *w, double *cost)
{
    KILN_ASSERT(w->leaf_count < LEAVES);
    unsigned largest = w->leaf_count;
    for (unsigned i = 0; i < w->leaf_count; i++) {
        const node *n = &w->nodes[w->leaf[i]];
        if (n->child[0] != 0 &&
            (largest == w->leaf_count || n->known.area > w->nodes[w->leaf[largest]].known.area)) {
            largest = i;
        }
    }
    if (largest == w->leaf_count) {
        return false;
    }
    const uint32_t opened = w->leaf[largest];
    w->spare[w->spare_count++] = opened;
    *cost += w->nodes[opened].known.area;
    w->leaf[largest] = w->nodes[opened].child[0];
    w->leaf[w->leaf_count++] = w->nodes[opened].child[1];
    return true;
}

/* Least cost of a set, all of whose subsets have theirs. P holds the set's first leaf, so that
 * each division is looked at once. (part - 1) & set steps through all subsets of a set in
 * descending order; whole and empty set are left out by the ends of the loop. Of divisions of one
 * cost the first stays. */
static void divide_set(workspace *w, unsigned set)
{
    KILN_ASSERT(set != 0 && set < SETS && (set & (set - 1)) != 0);
    const unsigned one = set & -set;
    double least = INFINITY;
    for (unsigned part = (set - 1) & set; part != 0; part = (part - 1) & set) {
        const double cost = w->cost[part] + w->cost[set ^ part];
        if ((part & one) != 0 && cost < least) {
            least = cost;
            w->part[set] = (uint8_t)part;
        }
    }
    w->cost[set] = least;
}

/* Least sum of surfaces below the treelet's root. Sets are gone through in ascending order as
 * numbers, so every subset comes before its supersets. The surface of the whole is the same for
 * all trees and is left out. */
static double solve(workspace *w)
{
    KILN_ASSERT(w->leaf_count >= 3 && w->leaf_count <= LEAVES);
    const unsigned whole = (1u << w->leaf_count) - 1;
    for (unsigned set = 1; set < whole; set++) {
        const unsigned one = set & -set;
        if (set == one) {
            continue;
        }
        join(w->known[set ^ one], w->known[one], &w->joined[set]);
        w->known[set] = &w->joined[set];
        divide_set(w, set);
        w->cost[set] += w->joined[set].area;
    }
    divide_set(w, whole);
    return w->cost[whole];
}

/* Writes the best tree over a set of leaves into nodes that the treelet had. A treelet of n leaves
 * has n - 2 inner nodes below its root, before as after, so the spare nodes are exactly enough. */
static void rebuild(workspace *w, unsigned set, uint32_t index)
{
    KILN_ASSERT(set < SETS && index < w->count);
    const unsigned sides[2] = {w->part[set], set ^ w->part[set]};
    uint32_t count = 0;
    for (unsigned s = 0; s < 2; s++) {
        uint32_t child;
        if ((sides[s] & (sides[s] - 1)) == 0) {
            unsigned i = 0;
            while (sides[s] >> i != 1) {
                i++;
            }
            child = w->leaf[i];
        } else {
            child = w->spare[--w->spare_count];
            w->nodes[child].known = w->joined[sides[s]];
            rebuild(w, sides[s], child);
        }
        w->nodes[index].child[s] = child;
        count += w->nodes[child].count;
    }
    w->nodes[index].count = count;
}

/* Rearranges the treelet below one node, if that gains anything. */
static bool improve_at(workspace *w, uint32_t root)
{
    KILN_ASSERT(w->nodes[root].child[0] != 0);
    double cost = 0;
    w->leaf_count = 2;
    w->spare_count = 0;
    w->leaf[0] = w->nodes[root].child[0];
    w->leaf[1] = w->nodes[root].child[1];
    while (w->leaf_count < LEAVES && open_largest(w, &cost)) {
    }
    if (w->leaf_count < 3) {
        return false;
    }
    for (unsigned i = 0; i < w->leaf_count; i++) {
        w->known[1u << i] = &w->nodes[w->leaf[i]].known;
        w->cost[1u << i] = 0;
    }
    /* The cost before is the sum of the surfaces of the nodes that were opened, without the
     * root's. */
    if (!kiln_area_beats(solve(w), cost)) {
        return false;
    }
    rebuild(w, (1u << w->leaf_count) - 1, root);
    return true;
}

/* Goes through a subtree from the leaves up. True: something has changed. */
static bool improve_below(workspace *w, uint32_t index)
{
    KILN_ASSERT(index < w->count);
    const node *n = &w->nodes[index];
    if (n->child[0] == 0) {
        return false;
    }
    bool changed = improve_below(w, n->child[0]);
    changed |= improve_below(w, n->child[1]);
    return (n->count <= w->most && improve_at(w, index)) || changed;
}

static unsigned height_of(const node *nodes, uint32_t index)
{
    KILN_ASSERT(nodes != NULL);
    const node *n = &nodes[index];
    if (n->child[0] == 0) {
        return n->height;
    }
    const unsigned left = height_of(nodes, n->child[0]);
    const unsigned right = height_of(nodes, n->child[1]);
    return 1 + (left > right ? left : right);
}

/* All passes. Recursion is at most LEAVES times as deep as the tree may be: a pass moves no node by
 * more than that a level, and no other begins on a tree that became too deep. False: nothing is
 * better, or it is too deep. */
static bool improve_all(workspace *w, unsigned passes, unsigned levels)
{
    KILN_ASSERT(passes > 0 && levels > 0);
    bool changed = false;
    for (unsigned i = 0; i < passes && improve_below(w, 0); i++) {
        changed = true;
        if (height_of(w->nodes, 0) > levels) {
            return false;
        }
    }
    return changed;
}

/* ---------------------------------------------------------------------------- subtrees -- */

/* Leaves and inner nodes of a subtree, for its workspace. */
static uint32_t count_nodes(const kiln_binary *tree, const kiln_range *range)
{
    KILN_ASSERT(range->first < range->last);
    if (kiln_is_leaf(tree, range)) {
        return 1;
    }
    kiln_range side[2];
    kiln_sides(tree, range, side);
    return 1 + count_nodes(tree, &side[0]) + count_nodes(tree, &side[1]);
}

/* Loads a subtree with its clusters, parents before children. Returns its root's place. */
static uint32_t load_subtree(const job *j, workspace *w, const kiln_range *range)
{
    KILN_ASSERT(range->first < range->last);
    const uint32_t index = w->count++;
    node *n = &w->nodes[index];
    *n = (node){.range = *range, .count = range->last - range->first};
    if (kiln_is_leaf(j->tree, range)) {
        memset(&n->known, 0, sizeof n->known);
        for (unsigned i = 0; i < QUARTETS; i++) {
            n->known.reach[i] = (lanes4){-INFINITY, -INFINITY, -INFINITY, -INFINITY};
        }
        for (uint32_t t = range->first; t < range->last; t++) {
            double p[3][3];
            kiln_moments one;
            for (unsigned i = 0; i < 3; i++) {
                for (unsigned k = 0; k < 3; k++) {
                    p[i][k] =
                        kiln_frame_apply(&j->cloud->frame, k, j->cloud->records[t].corner[i][k]);
                }
                add_corner(&n->known, w->direction, p[i]);
            }
            kiln_moments_of_triangle(p, &one);
            kiln_moments_join(&n->known.moments, &one);
        }
        fit(&n->known, NULL, NULL);
        return index;
    }
    kiln_range side[2];
    kiln_sides(j->tree, range, side);
    n->child[0] = load_subtree(j, w, &side[0]);
    n->child[1] = load_subtree(j, w, &side[1]);
    join(&w->nodes[n->child[0]].known, &w->nodes[n->child[1]].known, &n->known);
    return index;
}

typedef struct {
    node *nodes;
    kiln_binary *tree;
    const kiln_record *from; /* records in the order before, of which the first was at `first` */
    kiln_record *to;
    uint32_t first, at;
} writer;

/* Writes what is below a node, and where that now is. */
static void write_subtree(writer *w, uint32_t index)
{
    node *n = &w->nodes[index];
    const uint32_t first = w->at;
    uint32_t split = 0;
    if (n->child[0] == 0) {
        const uint32_t count = n->range.last - n->range.first;
        memcpy(w->to + w->at, w->from + (n->range.first - w->first), count * sizeof *w->to);
        w->at += count;
    } else {
        write_subtree(w, n->child[0]);
        split = w->at;
        write_subtree(w, n->child[1]);
        w->tree->nodes[split].left = w->nodes[n->child[0]].range.split;
        w->tree->nodes[split].right = w->nodes[n->child[1]].range.split;
    }
    n->range = (kiln_range){first, w->at, split};
}

/* Writes a rearranged subtree back: records in its order, and cuts at their new places. */
static bool store_subtree(const job *j, workspace *w, kiln_item *item)
{
    KILN_ASSERT(w->count > 0);
    const uint32_t first = item->range.first, count = item->range.last - first;
    kiln_record *copy = malloc(count * sizeof *copy);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, j->records + first, count * sizeof *copy);
    writer out = {w->nodes, j->tree, copy, j->records, first, first};
    write_subtree(&out, 0);
    item->range.split = w->nodes[0].range.split;
    free(copy);
    return true;
}

/* Directions are those to the 26 neighbours of a cell in a grid: faces, edges and corners. NULL
 * without memory; `nodes` within may be NULL too. */
static workspace *workspace_make(uint32_t nodes)
{
    workspace *w = malloc(sizeof *w);
    if (w != NULL) {
        w->count = 0;

        for (unsigned i = 0; i < 4 * QUARTETS; i++) {
            const unsigned d = i % DIRECTIONS,
                           cell = d < 13 ? d : d + 1; /* of 27, without the middle */
            w->direction[0][i / 4][i % 4] = (float)(cell / 9) - 1;
            w->direction[1][i / 4][i % 4] = (float)(cell / 3 % 3) - 1;
            w->direction[2][i / 4][i % 4] = (float)(cell % 3) - 1;
        }
        w->nodes = malloc(nodes * sizeof *w->nodes);
    }
    return w;
}

static void workspace_free(workspace *w)
{
    if (w != NULL) {
        free(w->nodes);
    }
    free(w);
}

/* Rearranges one subtree, and keeps its upper part for what is above it. */
static bool improve_item(const job *j, kiln_item *item, crown *c)
{
    KILN_ASSERT(item->range.first < item->range.last);
    workspace *w = workspace_make(count_nodes(j->tree, &item->range));
    bool good = w != NULL && w->nodes != NULL;
    if (good) {
        w->most = j->most;
        load_subtree(j, w, &item->range);
        if (improve_all(w, j->passes, KILN_BINARY_DEPTH_MAX - item->depth)) {
            good = store_subtree(j, w, item);
        }
    }
    if (good) {
        /* Opens the largest until there are enough leaves. Their places in the subtree are kept in
         * child[0] of the crown's leaves until they are opened. */
        uint32_t of[CROWN_NODES] = {0};
        c->nodes[0] = w->nodes[0];
        c->count = 1;
        bool open[CROWN_NODES] = {false};
        while (c->count < CROWN_NODES) {
            unsigned largest = CROWN_NODES;
            for (unsigned i = 0; i < c->count; i++) {
                if (!open[i] && w->nodes[of[i]].child[0] != 0 &&
                    (largest == CROWN_NODES ||
                     c->nodes[i].known.area > c->nodes[largest].known.area)) {
                    largest = i;
                }
            }
            if (largest == CROWN_NODES) {
                break;
            }
            open[largest] = true;
            for (unsigned s = 0; s < 2; s++) {
                const uint32_t child = w->nodes[of[largest]].child[s];
                of[c->count] = child;
                c->nodes[c->count] = w->nodes[child];
                c->nodes[largest].child[s] = c->count++;
            }
        }
        for (unsigned i = 0; i < c->count; i++) {
            if (!open[i]) {
                c->nodes[i].height = (uint8_t)height_of(w->nodes, of[i]);
                c->nodes[i].child[0] = c->nodes[i].child[1] = 0;
            }
        }
    }
    workspace_free(w);
    return good;
}

/* One task: a subtree of moderate size. */
static void improve_subtree(void *context, uint32_t index)
{
    const job *j = context;
    KILN_ASSERT(index < j->tree->item_count);
    kiln_item *item = &j->tree->items[index];
    if (item->child[0] == 0 && !improve_item(j, item, &j->crowns[index])) {
        j->crowns[index].count = 0;
    }
}

/* ------------------------------------------------------------------------- what is above -- */

/* With the crowns of subtrees. */
static uint32_t load_top(const job *j, workspace *w, uint32_t index)
{
    const kiln_item *item = &j->tree->items[index];
    const uint32_t at = w->count;
    if (item->child[0] == 0) {
        const crown *c = &j->crowns[index];
        for (uint32_t i = 0; i < c->count; i++) {
            node *n = &w->nodes[w->count++];
            *n = c->nodes[i];
            for (unsigned s = 0; s < 2; s++) {
                n->child[s] += n->child[s] != 0 ? at : 0;
            }
        }
        return at;
    }
    node *n = &w->nodes[w->count++];
    *n = (node){.range = item->range, .count = item->range.last - item->range.first};
    n->child[0] = load_top(j, w, item->child[0]);
    n->child[1] = load_top(j, w, item->child[1]);
    join(&w->nodes[n->child[0]].known, &w->nodes[n->child[1]].known, &n->known);
    return at;
}

/* Renames the cuts below one for a move by `shift`, modulo 2^32. */
static void shift_cuts(const kiln_binary *tree, const kiln_range *range, uint32_t shift)
{
    if (kiln_is_leaf(tree, range)) {
        return;
    }
    kiln_binary_node *cut = &tree->nodes[range->split];
    kiln_range side[2];
    kiln_sides(tree, range, side);
    shift_cuts(tree, &side[0], shift);
    shift_cuts(tree, &side[1], shift);
    cut->left += kiln_is_leaf(tree, &side[0]) ? 0 : shift;
    cut->right += kiln_is_leaf(tree, &side[1]) ? 0 : shift;
}

/* Where each record, and each cut, goes: to[i] for position i. */
static void place_blocks(const job *j, node *nodes, uint32_t index, uint32_t *to, uint32_t *at)
{
    node *n = &nodes[index];
    if (n->child[0] != 0) {
        place_blocks(j, nodes, n->child[0], to, at);
        place_blocks(j, nodes, n->child[1], to, at);
        return;
    }
    const uint32_t shift = *at - n->range.first;
    shift_cuts(j->tree, &n->range, shift);
    for (uint32_t i = n->range.first; i < n->range.last; i++) {
        to[i] = (*at)++;
    }
    n->range.split += kiln_is_leaf(j->tree, &n->range) ? 0 : shift;
}

/* Returns the cut of the node. */
static uint32_t write_top(const job *j, const node *nodes, uint32_t index, uint32_t *at)
{
    const node *n = &nodes[index];
    if (n->child[0] == 0) {
        *at += n->range.last - n->range.first;
        return n->range.split;
    }
    const uint32_t left = write_top(j, nodes, n->child[0], at), split = *at;
    const uint32_t right = write_top(j, nodes, n->child[1], at);
    j->tree->nodes[split].left = left;
    j->tree->nodes[split].right = right;
    return split;
}

/* Moves whole subtrees to their new places: records, and cuts shifted with them. */
static bool store_top(const job *j, node *nodes)
{
    uint32_t *to = malloc(j->tree->count * sizeof *to), placed = 0, written = 0;
    if (to == NULL) {
        return false;
    }
    place_blocks(j, nodes, 0, to, &placed);

    kiln_binary_node *cuts = j->tree->nodes;
    for (uint32_t i = 0; i < j->tree->count; i++) {
        /* The permutation is done in place, cycle by cycle: each exchange brings one record to its
         * place, so there are fewer exchanges than records. */
        while (to[i] != i) {
            const uint32_t other = to[i];
            const kiln_record record = j->records[other];
            const kiln_binary_node cut = cuts[other];
            j->records[other] = j->records[i];
            cuts[other] = cuts[i];
            j->records[i] = record;
            cuts[i] = cut;
            to[i] = to[other];
            to[other] = other;
        }
    }
    j->tree->root = write_top(j, nodes, 0, &written);
    free(to);
    return true;
}

/* The crowns of the subtrees are leaves here, and the nodes above them are rearranged over
 * these. */
static bool improve_top(const job *j)
{
    uint32_t nodes = 0;
    for (uint32_t i = 0; i < j->tree->item_count; i++) {
        nodes += j->tree->items[i].child[0] != 0 ? 1 : j->crowns[i].count;
    }
    workspace *w = workspace_make(nodes);
    bool good = w != NULL && w->nodes != NULL;
    if (good) {
        w->most = j->most;
        load_top(j, w, 0);
        if (improve_all(w, j->passes, KILN_BINARY_DEPTH_MAX)) {
            good = store_top(j, w->nodes);
            kiln_binary_list_items(j->tree);
        }
    }
    workspace_free(w);
    return good;
}

bool kiln_treelets_improve(const kiln_cloud *cloud, kiln_record *records, kiln_binary *tree,
                           unsigned passes, uint32_t most, const kiln_watch *watch, bool *cancelled)
{
    KILN_ASSERT(passes > 0);
    job j = {.cloud = cloud, .records = records, .tree = tree, .passes = passes, .most = most};
    *cancelled = false;
    j.crowns = malloc(tree->item_count * sizeof *j.crowns);
    if (j.crowns == NULL) {
        return false;
    }

    /* The subtrees, at once; one without a crown had no memory. */
    *cancelled = !kiln_parallel_for(watch, tree->item_count, improve_subtree, &j);
    bool good = !*cancelled;
    for (uint32_t i = 0; i < tree->item_count && good; i++) {
        good = tree->items[i].child[0] != 0 || j.crowns[i].count != 0;
    }

    /* Then the nodes above them. */
    if (good) {
        kiln_binary_link_items(tree);
        good = tree->item_count == 1 || improve_top(&j);
    }
    free(j.crowns);
    return good;
}
