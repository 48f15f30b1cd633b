/* Opening a pair of boxes: which pairs are below it, and how probable each is.
 *
 * Figure 3 opens both nodes: all pairs of children. With eight children that is done in two steps,
 * so that most of the 64 are never looked at: the lanes of Y's node against X's box, then each that
 * is left, as a probe, against the lanes of X's node. Where one box is a leaf, the paper says
 * nothing; here the leaf stays and the other is opened. */
#include "adb_query.h"
#include "fpu.h"

#include <string.h>

/* One node that is opened. */
typedef struct {
    const kiln_format_node8 *node;
    uint32_t index;
    const kiln_tree *tree;
    kiln_lanes lanes;
} opened_node;

__attribute__((noinline)) static void open_node(const kiln_tree *tree, uint32_t index,
                                                opened_node *opened)
{
    opened->tree = tree;
    opened->index = index;
    opened->node = kiln_tree_node(tree, index);
    tree->kind->decode(opened->node, &opened->lanes);
}

/* The lanes that may meet `other`. */
__attribute__((noinline)) static uint32_t lanes_that_may_meet(const kiln_adb *query,
                                                              const opened_node *opened, bool is_x,
                                                              const kiln_tree_box *other,
                                                              kiln_probe *probe)
{
    kiln_make_probe(is_x ? &query->frame.to_x : &query->frame.to_y, other, opened->node->org,
                    query->frame.epsilon, probe);
    return (opened->tree->kind->aligned ? query->kernel->overlap_aligned : query->kernel->overlap)(
        &opened->lanes, probe, kiln_node8_used(opened->node));
}

static bool is_leaf(const opened_node *opened, unsigned lane)
{
    return (opened->node->inner >> lane & 1) == 0;
}

__attribute__((cold)) static void observe(kiln_adb *query, const kiln_adb_entry *entry,
                                          const float features[])
{
    const bool swapped = query->frame.swapped;
    kiln_adb_observation seen;
    memcpy(seen.features, features, sizeof seen.features);
    seen.probability = (double)kiln_probability_of_loss(entry->loss);
    seen.leaves = (entry->leaves & 1u) + (entry->leaves >> 1 & 1u);
    seen.node[swapped] = entry->node_x;
    seen.lane[swapped] = entry->lane_x;
    seen.node[!swapped] = entry->node_y;
    seen.lane[!swapped] = entry->lane_y;
    const kiln_fpu_state ours = kiln_fpu_enter();
    kiln_fpu_leave(query->caller);
    query->options.observer(query->options.observer_user, query, &seen);
    kiln_fpu_leave(ours);
}

/* Is it likely enough to count, or to be opened some time? */
static void file_entry(kiln_adb *query, kiln_adb_entry entry)
{
    if (entry.loss >= query->count_from) {
        query->counted++;
    }
    if (entry.loss < query->open_from) {
        kiln_adb_frontier_set_aside(&query->frontier, entry.loss);
    } else {
        kiln_adb_frontier_push(&query->frontier, entry);
    }
    if (query->counted >= query->options.k_min) {
        query->decided = true;
        query->verdict = KILN_ADB_YES;
    }
}

/* The other tree's box of `entry`, which is the probe. */
static void take_other(const kiln_adb *query, bool is_x, const kiln_probe *probe,
                       const kiln_adb_entry *entry, kiln_adb_box *other)
{
    const kiln_adb_grid *grid = is_x ? &query->grid_y : &query->grid_x;
    const kiln_format_adb_box *counts =
        is_x ? kiln_tree_lane_counts(query->frame.y, entry->node_y, entry->lane_y)
             : kiln_tree_lane_counts(query->frame.x, entry->node_x, entry->lane_x);
    memcpy(other->axis, probe->axis, sizeof other->axis);
    memcpy(other->half, probe->half, sizeof other->half);
    kiln_adb_octants(grid, counts, other->region);
    other->level = kiln_adb_level(counts);
    other->cells = grid->cells;
}

/* Lane `lane` of the opened node as box number `place` of four. */
static inline void take_lane(const opened_node *opened, const kiln_adb_grid *grid, unsigned lane,
                             const kiln_probe *probe, unsigned place, kiln_adb_boxes *boxes)
{
    const kiln_lanes *lanes = &opened->lanes;
    const kiln_format_adb_box *counts = kiln_tree_lane_counts(opened->tree, opened->index, lane);
    for (unsigned k = 0; k < 9; k++) {
        boxes->axis[k][place] = !opened->tree->kind->aligned ? lanes->axis[k][lane]
                                : k % 4 == 0                 ? 1.0f
                                                             : 0.0f;
    }
    for (unsigned k = 0; k < 3; k++) {
        boxes->away[k][place] = probe->centre[k] - lanes->centre[k][lane];
        boxes->half[k][place] = lanes->half[k][lane];
    }
    float octants[8];
    kiln_adb_octants(grid, counts, octants);
    for (unsigned i = 0; i < 8; i++) {
        boxes->region[i][place] = octants[i];
    }
    boxes->level[place] = kiln_adb_level(counts);
}

/* Puts lane `lane` of the opened node, weighed, into the frontier; the rest of the entry is the
 * other tree's box. */
static void file_lane(kiln_adb *query, const opened_node *opened, bool is_x, unsigned lane,
                      kiln_adb_entry entry, const float features[])
{
    if (is_x) {
        entry.node_x = opened->index;
        entry.lane_x = (uint8_t)lane;
        entry.leaves = (uint8_t)((entry.leaves & KILN_ADB_LEAF_Y) |
                                 (is_leaf(opened, lane) ? KILN_ADB_LEAF_X : 0));
    } else {
        entry.node_y = opened->index;
        entry.lane_y = (uint8_t)lane;
        entry.leaves = (uint8_t)((entry.leaves & KILN_ADB_LEAF_X) |
                                 (is_leaf(opened, lane) ? KILN_ADB_LEAF_Y : 0));
    }
    if (query->options.observer != NULL) {
        observe(query, &entry, features);
    }
    file_entry(query, entry);
}

/* Places that no lane takes hold ordinary numbers, with which arithmetic is not slow. */
static inline void fill_places(kiln_adb_boxes *boxes)
{
    const kiln_four one = kiln_four_of(1.0f);
    for (unsigned k = 0; k < 9; k++) {
        boxes->axis[k] = one;
    }
    for (unsigned k = 0; k < 3; k++) {
        boxes->away[k] = one;
        boxes->half[k] = one;
    }
    for (unsigned i = 0; i < 8; i++) {
        boxes->region[i] = one;
    }
    boxes->level = one;
}

/* Weighs the lanes of `mask` against the probe, which is the other tree's box of `entry`: four at a
 * time. */
__attribute__((noinline)) static void weigh_lanes(kiln_adb *query, const opened_node *opened,
                                                  bool is_x, uint32_t mask, const kiln_probe *probe,
                                                  kiln_adb_entry entry)
{
    kiln_adb_box other;
    kiln_adb_boxes boxes;
    fill_places(&boxes);
    const kiln_adb_grid *grid = is_x ? &query->grid_x : &query->grid_y;
    boxes.cells = grid->cells;
    take_other(query, is_x, probe, &entry, &other);
    while (mask != 0 && !query->decided) {
        unsigned lanes[4], count = 0;
        for (; mask != 0 && count < 4; mask &= mask - 1) {
            lanes[count] = (unsigned)__builtin_ctz(mask);
            take_lane(opened, grid, lanes[count], probe, count, &boxes);
            count++;
        }
        kiln_adb_common common;
        kiln_four features[KILN_ADB_FEATURES];
        kiln_adb_boxes_in_common(&boxes, &other, &common);
        const kiln_four loss = kiln_adb_loss(&query->options, &query->weights, &common, features);
        for (unsigned i = 0; i < count && !query->decided; i++) {
            float of_lane[KILN_ADB_FEATURES];
            for (unsigned k = 0; k < KILN_ADB_FEATURES; k++) {
                of_lane[k] = features[k][i];
            }
            entry.loss = loss[i];
            file_lane(query, opened, is_x, lanes[i], entry, of_lane);
        }
    }
}

/* The lanes of one box's node against the other box, which stays. */
static void open_one(kiln_adb *query, const kiln_adb_entry *entry, bool is_x,
                     const kiln_tree_box *box, const kiln_tree_box *other)
{
    opened_node opened;
    kiln_probe probe;
    open_node(is_x ? query->frame.x : query->frame.y, box->first, &opened);
    const uint32_t mask = lanes_that_may_meet(query, &opened, is_x, other, &probe);
    weigh_lanes(query, &opened, is_x, mask, &probe, *entry);
}

/* The lane of `left` whose centre is nearest to the probe: where much overlaps, the first pairs
 * that are weighed are then the likely ones. */
static unsigned nearest_lane(const opened_node *opened, const kiln_probe *probe, uint32_t left)
{
    unsigned nearest = (unsigned)__builtin_ctz(left);
    float least = HUGE_VALF;
    for (; left != 0; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const float x = probe->centre[0] - opened->lanes.centre[0][lane];
        const float y = probe->centre[1] - opened->lanes.centre[1][lane];
        const float z = probe->centre[2] - opened->lanes.centre[2][lane];
        const float distance = x * x + y * y + z * z;
        if (distance < least) {
            least = distance;
            nearest = lane;
        }
    }
    return nearest;
}

/* What a probe is made of: lane `lane` as a box that stands on its own. */
static void lane_box(const opened_node *opened, unsigned lane, kiln_tree_box *box)
{
    const bool aligned = opened->tree->kind->aligned;
    for (unsigned k = 0; k < 3; k++) {
        box->centre[k] = (double)opened->node->org[k] + (double)opened->lanes.centre[k][lane];
        box->half[k] = opened->lanes.half[k][lane];
        for (unsigned j = 0; j < 3; j++) {
            box->axis[k][j] = !aligned ? opened->lanes.axis[3 * k + j][lane] : j == k ? 1.0f : 0.0f;
        }
    }
}

static void open_both(kiln_adb *query, const kiln_tree_box *x, const kiln_tree_box *y)
{
    opened_node of_x, of_y;
    kiln_probe of_box, of_lane;
    open_node(query->frame.x, x->first, &of_x);
    open_node(query->frame.y, y->first, &of_y);
    uint32_t left = lanes_that_may_meet(query, &of_y, false, x, &of_box);
    while (left != 0 && !query->decided) {
        const unsigned lane = nearest_lane(&of_y, &of_box, left);
        const kiln_adb_entry entry = {.node_y = y->first,
                                      .lane_y = (uint8_t)lane,
                                      .leaves =
                                          (uint8_t)(is_leaf(&of_y, lane) ? KILN_ADB_LEAF_Y : 0)};
        kiln_tree_box below;
        lane_box(&of_y, lane, &below);
        const uint32_t mask = lanes_that_may_meet(query, &of_x, true, &below, &of_lane);
        weigh_lanes(query, &of_x, true, mask, &of_lane, entry);
        left &= ~(1u << lane);
    }
}

/* The pair that is there before anything was opened. */
__attribute__((cold)) static float weigh_roots(const kiln_adb *query,
                                               float of_roots[KILN_ADB_FEATURES])
{
    const kiln_format_adb_box *counts_x = kiln_tree_root_counts(query->frame.x);
    const kiln_format_adb_box *counts_y = kiln_tree_root_counts(query->frame.y);
    const float org[3] = {(float)query->root_x.centre[0], (float)query->root_x.centre[1],
                          (float)query->root_x.centre[2]};
    kiln_adb_boxes boxes;
    kiln_adb_box other;
    kiln_probe probe;
    kiln_make_probe(&query->frame.to_x, &query->root_y, org, query->frame.epsilon, &probe);
    memcpy(other.axis, probe.axis, sizeof other.axis);
    memcpy(other.half, probe.half, sizeof other.half);
    other.level = kiln_adb_level(counts_y);
    other.cells = query->grid_y.cells;
    boxes.level = kiln_four_of(kiln_adb_level(counts_x));
    boxes.cells = query->grid_x.cells;
    for (unsigned k = 0; k < 9; k++) {
        boxes.axis[k] = kiln_four_of(k % 4 == 0 ? 1.0f : 0.0f);
    }
    for (unsigned k = 0; k < 3; k++) {
        boxes.away[k] = kiln_four_of(probe.centre[k]);
        boxes.half[k] = kiln_four_of(query->root_x.half[k]);
    }
    float octants[8];
    kiln_adb_octants(&query->grid_x, counts_x, octants);
    kiln_adb_octants(&query->grid_y, counts_y, other.region);
    for (unsigned i = 0; i < 8; i++) {
        boxes.region[i] = kiln_four_of(octants[i]);
    }
    kiln_adb_common common;
    kiln_four features[KILN_ADB_FEATURES];
    kiln_adb_weights weights = query->weights;
    weights.bias += weights.root;
    kiln_adb_boxes_in_common(&boxes, &other, &common);
    const kiln_four loss = kiln_adb_loss(&query->options, &weights, &common, features);
    for (unsigned i = 0; i < KILN_ADB_FEATURES; i++) {
        of_roots[i] = features[i][0];
    }
    return loss[0];
}

float kiln_adb_entry_loss(const kiln_adb *query, const kiln_adb_entry *entry)
{
    float features[KILN_ADB_FEATURES];
    /* Roots have a loss once they were found to meet. */
    const bool weighed = entry->lane_x != KILN_ADB_ROOT || entry->loss > 0.0f;
    return weighed ? entry->loss : weigh_roots(query, features);
}

void kiln_adb_open_roots(kiln_adb *query)
{
    kiln_adb_entry roots = {.lane_x = KILN_ADB_ROOT, .lane_y = KILN_ADB_ROOT};
    if (query->options.observer != NULL) {
        float features[KILN_ADB_FEATURES];
        roots.loss = weigh_roots(query, features);
        observe(query, &roots, features);
    }
    kiln_adb_frontier_push(&query->frontier, roots);
}

void kiln_adb_open_pair(kiln_adb *query, const kiln_adb_entry *entry, const kiln_tree_box *x,
                        const kiln_tree_box *y)
{
    if ((entry->leaves & KILN_ADB_LEAF_Y) != 0) {
        open_one(query, entry, true, x, y);
    } else if ((entry->leaves & KILN_ADB_LEAF_X) != 0) {
        open_one(query, entry, false, y, x);
    } else {
        open_both(query, x, y);
    }
}
