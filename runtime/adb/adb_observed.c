/* What is true of a pair of boxes that was weighed: the exact walk below it. */
#include "adb_query.h"
#include "../base/fpu.h"

typedef struct {
    const kiln_pair_frame *frame;
    const kiln_tree_box *x, *y;
    bool found;
} walk_below;

static bool take_observed(void *user, const kiln_pair_frame *frame, uint32_t x, uint32_t y)
{
    walk_below *below = (walk_below *)user;
    (void)frame;
    (void)x;
    (void)y;
    below->found = true;
    return false;
}

static void walk_pairs_below(walk_below *below)
{
    const kiln_pair_visitor visitor = {take_observed, below, true, false, NULL};
    kiln_pair_walk_from(below->frame, below->x, below->y, &visitor);
}

static bool is_lane(const kiln_tree *tree, uint32_t node, uint32_t lane)
{
    return lane == KILN_ADB_ROOT ||
           (node < tree->entry->node_count && lane < KILN_NODE_WIDTH &&
            (kiln_node8_used(kiln_tree_node(tree, node)) >> lane & 1) != 0);
}

kiln_status kiln_adb_observed_meet(const kiln_adb *query, const kiln_adb_observation *seen,
                                   bool *meet)
{
    if (query == NULL || seen == NULL || meet == NULL || !query->asked) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_pair_frame *frame = &query->frame;
    if (!kiln_tree_has_polygons(frame->x) || !kiln_tree_has_polygons(frame->y)) {
        return kiln_trees_lack(frame->x, frame->y);
    }
    const int at_x = frame->swapped, at_y = !frame->swapped;
    if (!is_lane(frame->x, seen->node[at_x], seen->lane[at_x]) ||
        !is_lane(frame->y, seen->node[at_y], seen->lane[at_y])) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_adb_entry entry = {.node_x = seen->node[at_x],
                                  .node_y = seen->node[at_y],
                                  .lane_x = (uint8_t)seen->lane[at_x],
                                  .lane_y = (uint8_t)seen->lane[at_y]};
    const kiln_fpu_state caller = kiln_fpu_enter();
    kiln_tree_box x, y;
    kiln_adb_entry_box(query, &entry, true, &x);
    kiln_adb_entry_box(query, &entry, false, &y);
    walk_below below = {frame, &x, &y, false};
    KILN_FPU_CALL(go, walk_pairs_below);
    go(&below);
    kiln_fpu_leave(caller);
    *meet = below.found;
    return KILN_OK;
}
