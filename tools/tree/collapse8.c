/* A wide node starts with one lane, and opens lanes (replaces an inner one by its two sides) until
 * there are eight or all are leaves. Which to open is decided for the whole tree at once, from the
 * leaves up, so that the sum of a cost over all wide nodes is least (after H. Ylitie, T. Karras and
 * S. Laine, "Efficient incoherent ray traversal on GPUs through compressed wide BVHs", 2017). With
 * C(n, i) the least cost below a binary node n that may fill up to i lanes,
 *   C(leaf, i) = 0
 *   D(n, i) = least over 0 < k < i of C(left, k) + C(right, i - k)    n is opened
 *   C(n, 1) = cost(n) + D(n, 8)                                       n is a lane: a wide node
 *   C(n, i) = min(C(n, 1), D(n, i)).
 *
 * Depth. Let h be the height of a binary node, the number of inner nodes on its longest path down.
 * Kept true for every wide node with w levels left: h <= 3 w.
 *   - The root: h <= KILN_BINARY_DEPTH_MAX = 3 KILN_WIDE_DEPTH_MAX.
 *   - The planned lanes are taken if all have h <= 3 (w - 1). Otherwise the node is filled by
 *     opening the tallest lane first. A descendant d levels below has height at most h - d, so at
 *     most 1 + 2 + 4 descendants, all within 2 levels, are taller than h - 3; these are opened
 *     first, and seven openings are what eight lanes allow. Every lane left has h' <= h - 3.
 *   - With no level left h <= 0, so all lanes are leaves.
 * Thus no path has more than KILN_WIDE_DEPTH_MAX nodes. */
#include "collapse8.h"

#include "../../formats/assert.h"

#include <assert.h>
#include <math.h>

enum { LANES = 8, LEVELS_A_NODE = 3, SHARE_BITS = 3 };

static_assert((int)KILN_BINARY_DEPTH_MAX <= LEVELS_A_NODE * (int)KILN_WIDE_DEPTH_MAX,
              "depth proof");

/* C(n, 1 .. 8) at [0 .. 7]. */
typedef struct {
    double cost[LANES];
} forest;

typedef struct {
    kiln_binary *tree;
    double area_unit;  /* one over the root's surface */
    double node_cost;  /* of every wide node */
    double count_unit; /* of every triangle below a wide node */
    forest *items;
} plan;

static const forest leaf_forest = {{0, 0, 0, 0, 0, 0, 0, 0}};

/* Lanes that the left side gets of `lanes` >= 2; 0: the node is to be one lane. */
static unsigned share_of(const kiln_binary_node *node, unsigned lanes)
{
    KILN_ASSERT(lanes >= 2 && lanes <= LANES);
    return (unsigned)(node->shares >> (SHARE_BITS * (lanes - 2))) & 7u;
}

static uint32_t share_bits(unsigned share, unsigned lanes)
{
    KILN_ASSERT(share < LANES && lanes >= 2 && lanes <= LANES);
    return (uint32_t)share << (SHARE_BITS * (lanes - 2));
}

/* The costs of a node from those of its sides, and its shares of lanes. */
static void plan_node(const plan *p, const kiln_range *range, const forest side[2], forest *out)
{
    KILN_ASSERT(range->split > range->first && range->split < range->last);
    unsigned share = 1;
    double open[LANES];
    uint32_t shares = 0;
    for (unsigned lanes = 2; lanes <= LANES; lanes++) {
        /* D(n, lanes) and its k; of equals the least k. */
        double least = INFINITY;
        for (unsigned k = 1; k < lanes; k++) {
            const double cost = side[0].cost[k - 1] + side[1].cost[lanes - k - 1];
            share = cost < least ? k : share;
            least = cost < least ? cost : least;
        }
        open[lanes - 1] = least;
        shares |= share_bits(share, lanes);
    }

    /* What a wide node costs: the chance that a query which meets the root meets it, and a little
     * for its bytes and for the length of its triangles' paths, which decide where all surfaces
     * are the same. */
    const double node_cost = (double)p->tree->nodes[range->split].half_area * p->area_unit +
                             p->node_cost + (double)(range->last - range->first) * p->count_unit;
    const double one = node_cost + open[LANES - 1];
    out->cost[0] = one;
    for (unsigned lanes = 2; lanes <= LANES; lanes++) {
        const bool opened = open[lanes - 1] <= one;
        out->cost[lanes - 1] = opened ? open[lanes - 1] : one;
        if (!opened) {
            /* For eight lanes D is below C(n, 1), so the root of a wide node keeps its share. */
            shares &= ~share_bits(7, lanes);
        }
    }
    p->tree->nodes[range->split].shares = shares;
}

static void plan_below(const plan *p, const kiln_range *range, forest *out)
{
    KILN_ASSERT(range->first < range->last);
    if (kiln_is_leaf(p->tree, range)) {
        *out = leaf_forest;
        return;
    }
    kiln_range side[2];
    forest below[2];
    kiln_sides(p->tree, range, side);
    plan_below(p, &side[0], &below[0]);
    plan_below(p, &side[1], &below[1]);
    plan_node(p, range, below, out);
}

/* One task: a whole subtree of the top's items. */
static void plan_subtree(void *context, uint32_t index)
{
    const plan *p = context;
    KILN_ASSERT(index < p->tree->item_count);
    const kiln_item *item = &p->tree->items[index];
    if (item->child[0] == 0) {
        plan_below(p, &item->range, &p->items[index]);
    }
}

/* Costs are relative to the root's surface, so that the constants for bytes and path length mean
 * the same in all meshes. */
bool kiln_collapse8_plan(kiln_binary *tree, const kiln_watch *watch, kiln_arena *arena,
                         bool *cancelled)
{
    KILN_ASSERT(tree->item_count > 0);
    plan p = {.tree = tree};
    *cancelled = false;
    if (tree->count <= tree->leaf) {
        return true;
    }
    p.items = kiln_arena_take(arena, tree->item_count, sizeof *p.items);
    if (p.items == NULL) {
        return false;
    }
    const double whole = (double)tree->nodes[tree->root].half_area;
    const double nodes = (double)tree->count;
    p.area_unit = whole > 0 ? 1 / whole : 0;
    p.node_cost = 2 / nodes;
    p.count_unit = 0.1 / nodes;
    *cancelled = !kiln_parallel_for(watch, tree->item_count, plan_subtree, &p);
    if (!*cancelled) {
        /* Children come after their parents in the list, so backwards. */
        for (uint32_t i = p.tree->item_count; i-- > 0;) {
            const kiln_item *item = &p.tree->items[i];
            if (item->child[0] != 0) {
                const forest below[2] = {p.items[item->child[0]], p.items[item->child[1]]};
                plan_node(&p, &item->range, below, &p.items[i]);
            }
        }
    }
    return !*cancelled;
}

/* Lanes as planned for a range that may fill `lanes` of them. Recursion at most LANES deep: each
 * step gives each side at least one lane. */
static void place(const kiln_binary *tree, const kiln_range *range, unsigned lanes, kiln_wide *wide)
{
    KILN_ASSERT(lanes >= 1 && lanes <= LANES);
    if (!kiln_is_leaf(tree, range) && lanes > 1) {
        const unsigned left = share_of(&tree->nodes[range->split], lanes);
        if (left != 0) {
            kiln_range side[2];
            kiln_sides(tree, range, side);
            place(tree, &side[0], left, wide);
            place(tree, &side[1], lanes - left, wide);
            return;
        }
    }
    wide->lane[wide->lane_count++] = *range;
}

/* The fallback of the depth proof above: opens the tallest lane until there are eight. */
static void open_tallest(const kiln_binary *tree, const kiln_range *range, kiln_wide *wide)
{
    KILN_ASSERT(range->first < range->last);
    wide->lane[0] = *range;
    wide->lane_count = 1;
    while (wide->lane_count < LANES) {
        /* The leftmost of equals, so that the choice is the same on every machine. */
        unsigned lane = wide->lane_count, height = 0;
        for (unsigned i = 0; i < wide->lane_count; i++) {
            const kiln_range *at = &wide->lane[i];
            if (!kiln_is_leaf(tree, at) && tree->nodes[at->split].height > height) {
                height = tree->nodes[at->split].height;
                lane = i;
            }
        }
        if (lane == wide->lane_count) {
            return; /* all are leaves */
        }

        kiln_range side[2];
        kiln_sides(tree, &wide->lane[lane], side);
        for (unsigned i = wide->lane_count++; i > lane + 1; i--) {
            wide->lane[i] = wide->lane[i - 1];
        }
        wide->lane[lane] = side[0];
        wide->lane[lane + 1] = side[1];
    }
}

void kiln_collapse8(const kiln_binary *tree, const kiln_range *range, unsigned levels,
                    kiln_wide *wide)
{
    KILN_ASSERT(levels >= 1 && levels <= KILN_WIDE_DEPTH_MAX);
    wide->lane_count = 0;
    place(tree, range, LANES, wide);
    KILN_ASSERT(wide->lane_count >= 1 && wide->lane_count <= LANES);

    /* Are all inner lanes low enough for the levels that remain? */
    bool within = true;
    for (unsigned i = 0; i < wide->lane_count; i++) {
        const kiln_range *lane = &wide->lane[i];
        within = within && (kiln_is_leaf(tree, lane) ||
                            tree->nodes[lane->split].height <= LEVELS_A_NODE * (levels - 1));
    }
    if (!within) {
        open_tallest(tree, range, wide);
    }
}
