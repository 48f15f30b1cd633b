/* A wide node starts with one lane, and opens lanes (replaces an inner one by its two sides) until
 * there are eight or all are leaves. Which to open: the one of largest surface, since it is the most
 * likely to be hit and would be opened by a query anyway (as I. Wald, C. Benthin and S. Boulos, 2008).
 *
 * Depth. Let h be the height of a binary node, the number of inner nodes on its longest path down.
 * Kept true for every wide node with w levels left: h <= 3 w.
 *   - The root: h <= KILN_BINARY_DEPTH_MAX = 3 KILN_WIDE_DEPTH_MAX.
 *   - The lanes of largest surface are taken if all have h <= 3 (w - 1). Otherwise the node is filled
 *     anew by opening the tallest lane first. A descendant d levels below has height at most h - d,
 *     so at most 1 + 2 + 4 descendants, all within 2 levels, are taller than h - 3; these are opened
 *     first, and seven openings are what eight lanes allow. Every lane left has h' <= h - 3.
 *   - With no level left h <= 0, so all lanes are leaves.
 * Thus no path has more than KILN_WIDE_DEPTH_MAX nodes. */
#include "collapse8.h"

#include <assert.h>

enum { LEVELS_A_NODE = 3 };

static_assert((int)KILN_BINARY_DEPTH_MAX <= LEVELS_A_NODE * (int)KILN_WIDE_DEPTH_MAX, "depth proof");

typedef bool (*precedes)(const kiln_binary_node *a, const kiln_binary_node *b);

static bool taller(const kiln_binary_node *a, const kiln_binary_node *b)
{
    return a->height > b->height;
}

/* Copies of one face all have one surface; then the tree is to stay even. */
static bool larger(const kiln_binary_node *a, const kiln_binary_node *b)
{
    return a->half_area != b->half_area ? a->half_area > b->half_area : taller(a, b);
}

/* Index of the inner lane that no other precedes, the leftmost of equals; lane_count if all are
 * leaves. */
static unsigned pick(const kiln_binary *tree, const kiln_wide *wide, precedes before)
{
    unsigned best = wide->lane_count;
    for (unsigned i = 0; i < wide->lane_count; i++) {
        if (!kiln_is_leaf(tree, &wide->lane[i]) &&
            (best == wide->lane_count || before(&tree->nodes[wide->lane[i].split],
                                                &tree->nodes[wide->lane[best].split]))) {
            best = i;
        }
    }
    return best;
}

static void open_lane(const kiln_binary *tree, kiln_wide *wide, unsigned lane)
{
    kiln_range side[2];
    kiln_sides(tree, &wide->lane[lane], side);
    for (unsigned i = wide->lane_count++; i > lane + 1; i--) {
        wide->lane[i] = wide->lane[i - 1];
    }
    wide->lane[lane] = side[0];
    wide->lane[lane + 1] = side[1];
}

static void fill(const kiln_binary *tree, const kiln_range *range, precedes before, kiln_wide *wide)
{
    wide->lane[0] = *range;
    wide->lane_count = 1;
    while (wide->lane_count < 8) {
        const unsigned lane = pick(tree, wide, before);
        if (lane == wide->lane_count) {
            return;
        }
        open_lane(tree, wide, lane);
    }
}

static bool within(const kiln_binary *tree, const kiln_wide *wide, unsigned height)
{
    for (unsigned i = 0; i < wide->lane_count; i++) {
        const kiln_range *lane = &wide->lane[i];
        if (!kiln_is_leaf(tree, lane) && tree->nodes[lane->split].height > height) {
            return false;
        }
    }
    return true;
}

void kiln_collapse8(const kiln_binary *tree, const kiln_range *range, unsigned levels,
                    kiln_wide *wide)
{
    fill(tree, range, larger, wide);
    if (!within(tree, wide, LEVELS_A_NODE * (levels - 1))) {
        fill(tree, range, taller, wide);
    }
}
