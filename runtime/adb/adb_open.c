/* Opening a pair of boxes: which pairs are below it, and how probable each is.
 *
 * Figure 3 opens both nodes: all pairs of children. With eight children that is done in two steps,
 * so that most of the 64 are never looked at: the lanes of Y's node against X's box, then each that
 * is left, as a probe, against the lanes of X's node. The paper leaves open what
 * happens where one box is a leaf; here the leaf stays and the other is opened.
 *
 * Where one box is much larger it alone is opened, and till boxes are of much the same size
 * nothing is decided by probabilities, which are fitted to copies of one mesh: a small thing in
 * the box of a large one seldom meets it, and what is that improbable would never be looked at.
 * Where the larger box is a leaf, they never come to be of one size, and the few triangles are
 * tested instead (visit_entry of adb_query.c). */
#include "adb_query.h"

#include "../../formats/assert.h"
#include "../base/fpu.h"

#include <math.h>

/* Of half the surfaces of two roots that are alike, and how far apart they may be in units of
 * X's node space. */
#define AREA_RATIO_MOST 2.0f
#define FAR_AWAY 1e6

/* Boxes are unlike from this ratio of their surfaces on; and so is a pair, by log2 of the ratio
 * of edges of cubes with their volumes. */
#define UNLIKE_AREA 8.0f
#define UNLIKE_EDGE 1.5f

/* One node that is opened. */
typedef struct {
    const kiln_format_node8 *node;
    uint32_t index;
    const kiln_tree *tree;
    kiln_refine_lanes refine; /* NULL: volumes are boxes */
    kiln_adb_lanes boxes;     /* counts where its lanes are weighed */
} opened_node;

/* Kernels decode the most common kind themselves, to the same bits and faster. */
static void open_node(const kiln_adb *query, bool is_x, uint32_t index, opened_node *opened)
{
    const kiln_adb_kernels *kernels = query->kernels;
    const kiln_tree *tree = is_x ? query->frame.x : query->frame.y;
    opened->refine = query->refine[is_x];
    opened->tree = tree;
    opened->index = index;
    opened->node = kiln_tree_node(tree, index);
    opened->boxes.aligned = tree->view.kind->aligned;
    if (tree->view.entry->bv == KILN_FORMAT_BV_OBB8) {
        kernels->decode_lanes(opened->node, &opened->boxes.lanes);
    } else {
        tree->view.kind->decode(opened->node, &opened->boxes.lanes);
    }
}

static void open_node_to_weigh(const kiln_adb *query, bool is_x, uint32_t index,
                               opened_node *opened)
{
    const kiln_tree *tree = is_x ? query->frame.x : query->frame.y;
    open_node(query, is_x, index, opened);
    kiln_adb_take_counts(is_x ? &query->grid_x : &query->grid_y, query->kernels,
                         kiln_tree_lane_counts(tree, index, 0), tree->view.kind->lanes,
                         &opened->boxes);
}

/* `other` as the lanes of the opened node see it. */
static void make_probe(const kiln_adb *query, const opened_node *opened, bool is_x,
                       const kiln_tree_box *other, kiln_probe *probe)
{
    kiln_make_probe(is_x ? &query->frame.to_x : &query->frame.to_y, other, opened->node->org,
                    query->frame.epsilon, probe);
}

/* Of lanes whose boxes may meet the probe, those whose k-DOPs or balls may, too. */
static uint32_t refine_lanes(const opened_node *opened, const kiln_probe *probe, uint32_t mask)
{
    return opened->refine == NULL || mask == 0 ? mask : opened->refine(opened->node, probe, mask);
}

static bool is_leaf(const opened_node *opened, unsigned lane)
{
    return (opened->node->inner >> lane & 1) == 0;
}

__attribute__((cold)) static void observe(kiln_adb *query, const kiln_adb_entry *entry,
                                          const kiln_adb_weighed *weighed, unsigned lane)
{
    const bool swapped = query->frame.swapped;
    KILN_ASSERT(query->options.observer != NULL);
    kiln_adb_observation seen;
    for (unsigned i = 0; i < KILN_ADB_FEATURES; i++) {
        seen.features[i] = weighed->features[i][lane];
    }
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

/* What is counted in a box of the tree that is not the opened node's. */
static void take_other(const kiln_adb *query, bool is_x, const kiln_format_adb_box *counts,
                       kiln_adb_box *other)
{
    const kiln_adb_grid *grid = is_x ? &query->grid_y : &query->grid_x;
    kiln_adb_octants(grid, counts, other->region);
    other->level = kiln_adb_level(counts);
    other->cells = grid->cells;
}

/* The counts of a box of a tree, which is the root or a lane of a node. */
static const kiln_format_adb_box *counts_of(const kiln_tree *tree, uint32_t node, uint8_t lane)
{
    return lane == KILN_ADB_ROOT ? kiln_tree_root_counts(tree)
                                 : kiln_tree_lane_counts(tree, node, lane);
}

/* Do the counts of an entry's boxes miss some of what is inside? */
static bool is_sparse(const kiln_adb *query, const kiln_adb_entry *entry)
{
    return kiln_adb_is_sparse(&query->grid_x,
                              counts_of(query->frame.x, entry->node_x, entry->lane_x)) ||
           kiln_adb_is_sparse(&query->grid_y,
                              counts_of(query->frame.y, entry->node_y, entry->lane_y));
}

/* Puts lane `lane` of the opened node, weighed, where it belongs: it counts, waits in the
 * frontier, or is set aside. The rest of the entry is the other tree's box. */
static void file_lane(kiln_adb *query, const opened_node *opened, bool is_x, unsigned lane,
                      kiln_adb_entry entry, const kiln_adb_weighed *weighed)
{
    const uint8_t own = is_x ? KILN_ADB_LEAF_X : KILN_ADB_LEAF_Y;
    KILN_ASSERT(lane < opened->tree->view.kind->lanes);
    KILN_ASSERT(opened->index < opened->tree->view.entry->node_count);
    entry.leaves = (uint8_t)((entry.leaves & (own ^ 3u)) | (is_leaf(opened, lane) ? own : 0u));
    if (is_x) {
        entry.node_x = opened->index;
        entry.lane_x = (uint8_t)lane;
    } else {
        entry.node_y = opened->index;
        entry.lane_y = (uint8_t)lane;
    }
    if (query->options.observer != NULL) {
        observe(query, &entry, weighed, lane);
    }

    /* May the pair's probability decide what becomes of it? That of a root may not: a pair of
     * p_min says more than p_min by what else would be opened, and beside a root there is
     * nothing else. */
    const bool leaves = entry.leaves == (KILN_ADB_LEAF_X | KILN_ADB_LEAF_Y);
    const bool root = entry.lane_x == KILN_ADB_ROOT || entry.lane_y == KILN_ADB_ROOT;
    entry.unlike = weighed->features[3][lane] >= UNLIKE_EDGE;
    /* Nor may that of two leaves that are unlike, whose triangles are to be tested. Where there are
     * none, the probability stands for want of better, and the answer says so. */
    const bool judged = leaves ? !entry.unlike || !query->has_polygons : !entry.unlike && !root;
    query->unfounded += leaves && entry.unlike;
    if (judged && entry.loss >= query->count_from) {
        query->counted++;
    }
    /* A low probability proves nothing where the counts miss what is inside: such a pair is opened,
     * except of leaves, below which there is nothing. */
    if (judged && entry.loss < query->open_from && (leaves || !is_sparse(query, &entry))) {
        kiln_adb_frontier_set_aside(&query->frontier, entry.loss);
    } else {
        kiln_adb_frontier_push(&query->frontier, entry);
    }
    if (query->counted >= query->options.k_min) {
        query->decided = true;
        query->verdict = KILN_ADB_YES;
    }
}

/* Weighs the lanes of the opened node against the other tree's box of `entry`, as whose probe
 * `other` is given, and files those that may meet it. */
static void weigh_lanes(kiln_adb *query, const opened_node *opened, bool is_x, kiln_adb_box *other,
                        kiln_adb_entry entry)
{
    kiln_adb_weighed weighed;
    take_other(query, is_x,
               is_x ? counts_of(query->frame.y, entry.node_y, entry.lane_y)
                    : counts_of(query->frame.x, entry.node_x, entry.lane_x),
               other);
    uint32_t mask = kiln_adb_weigh(query->kernels, &query->options, &query->weights, &opened->boxes,
                                   other, kiln_node8_used(opened->node), &weighed);
    KILN_ASSERT((mask & ~(uint32_t)kiln_node8_used(opened->node)) == 0);
    mask = refine_lanes(opened, &other->probe, mask);
    for (; mask != 0 && !query->decided; mask &= mask - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(mask);
        entry.loss = weighed.loss[lane];
        file_lane(query, opened, is_x, lane, entry, &weighed);
    }
}

/* All pairs of lanes of two nodes, in two steps. */
static void open_both(kiln_adb *query, const kiln_tree_box *x, const kiln_tree_box *y)
{
    opened_node of_x, of_y;
    kiln_probe of_box;
    kiln_adb_box of_lane;
    open_node_to_weigh(query, true, x->contents.first, &of_x);
    open_node(query, false, y->contents.first, &of_y);
    make_probe(query, &of_y, false, x, &of_box);
    uint32_t left = query->kernels->overlap(&of_y.boxes.lanes, of_y.boxes.aligned, &of_box,
                                            kiln_node8_used(of_y.node));
    left = refine_lanes(&of_y, &of_box, left);
    KILN_ASSERT((left & ~(uint32_t)kiln_node8_used(of_y.node)) == 0);
    while (left != 0 && !query->decided) {
        /* The lane whose centre is nearest to the probe: where much overlaps, the first pairs
         * that are weighed are then the likely ones. */
        const kiln_lanes *lanes = &of_y.boxes.lanes;
        unsigned lane = (unsigned)__builtin_ctz(left);
        float least = HUGE_VALF;
        for (uint32_t rest = left; rest != 0; rest &= rest - 1) {
            const unsigned i = (unsigned)__builtin_ctz(rest);
            const float dx = of_box.centre[0] - lanes->centre[0][i];
            const float dy = of_box.centre[1] - lanes->centre[1][i];
            const float dz = of_box.centre[2] - lanes->centre[2][i];
            const float distance = dx * dx + dy * dy + dz * dz;
            if (distance < least) {
                least = distance;
                lane = i;
            }
        }
        const kiln_adb_entry entry = {.node_y = y->contents.first,
                                      .lane_y = (uint8_t)lane,
                                      .leaves =
                                          (uint8_t)(is_leaf(&of_y, lane) ? KILN_ADB_LEAF_Y : 0)};
        kiln_lane_box decoded;
        kiln_tree_box below; /* the lane as a box that stands on its own, to make a probe of */
        kiln_lanes_get(lanes, of_y.boxes.aligned, lane, &decoded);
        kiln_tree_box_place(&decoded, of_y.node->org, &below);
        make_probe(query, &of_x, true, &below, &of_lane.probe);
        weigh_lanes(query, &of_x, true, &of_lane, entry);
        left &= ~(1u << lane);
    }
}

/* The pair that is there before anything was opened: X's root as the only lane, along its axes.
 * False: the boxes are apart. */
static bool weigh_roots(const kiln_adb *query, kiln_adb_weighed *weighed)
{
    const kiln_tree_box *root = &query->root_x;
    const float org[3] = {(float)root->centre[0], (float)root->centre[1], (float)root->centre[2]};
    kiln_adb_lanes boxes;
    kiln_adb_box other;
    kiln_make_probe(&query->frame.to_x, &query->root_y, org, query->frame.epsilon, &other.probe);
    boxes.aligned = true;
    for (unsigned k = 0; k < 3; k++) {
        for (unsigned lane = 0; lane < KILN_NODE_WIDTH; lane++) {
            boxes.lanes.centre[k][lane] = (float)(root->centre[k] - (double)org[k]);
            boxes.lanes.half[k][lane] = root->half[k];
        }
    }
    kiln_adb_take_counts(&query->grid_x, query->kernels, kiln_tree_root_counts(query->frame.x), 1,
                         &boxes);
    take_other(query, true, kiln_tree_root_counts(query->frame.y), &other);
    kiln_adb_weights weights = query->weights;
    weights.bias += weights.root;
    return kiln_adb_weigh(query->kernels, &query->options, &weights, &boxes, &other, 1u, weighed) !=
           0;
}

/* An entry of two roots that are unlike was not weighed when it was made: an answer before anything
 * was opened weighs it now. */
float kiln_adb_entry_loss(const kiln_adb *query, const kiln_adb_entry *entry)
{
    kiln_adb_weighed weighed;
    const bool is_weighed =
        entry->lane_x != KILN_ADB_ROOT || entry->lane_y != KILN_ADB_ROOT || entry->loss > 0.0f;
    return is_weighed || !weigh_roots(query, &weighed) ? entry->loss : weighed.loss[0];
}

/* Decides at once where the roots are apart, else puts them into the frontier as the first pair. */
void kiln_adb_meet_roots(kiln_adb *query)
{
    kiln_adb_entry roots = {.lane_x = KILN_ADB_ROOT, .lane_y = KILN_ADB_ROOT};
    kiln_adb_weighed weighed;
    /* Are the roots what fitted weights know: of much the same size, and not so far apart that
     * floats don't hold it? */
    const float area_x = query->root_x.area, area_y = query->root_y.area;
    const double *offset = query->frame.to_x.points.translation;
    const bool alike = area_x < AREA_RATIO_MOST * area_y && area_y < AREA_RATIO_MOST * area_x &&
                       fabs(offset[0]) < FAR_AWAY && fabs(offset[1]) < FAR_AWAY &&
                       fabs(offset[2]) < FAR_AWAY;
    if (alike ? !weigh_roots(query, &weighed) : !kiln_roots_may_meet(&query->frame)) {
        query->decided = true;
        query->verdict = KILN_ADB_NO;
        return;
    }
    if (!alike && query->options.observer != NULL) {
        (void)weigh_roots(query, &weighed);
    }
    if (alike || query->options.observer != NULL) {
        roots.loss = weighed.loss[0];
    }
    if (query->options.observer != NULL) {
        observe(query, &roots, &weighed, 0);
    }
    kiln_adb_frontier_push(&query->frontier, roots);
    query->counted = alike && roots.loss >= query->root_from;
    if (query->counted >= query->options.k_min) {
        query->decided = true;
        query->verdict = KILN_ADB_YES;
    }
}

void kiln_adb_open_pair(kiln_adb *query, const kiln_adb_entry *entry, const kiln_tree_box *x,
                        const kiln_tree_box *y)
{
    const bool x_stays = (entry->leaves & KILN_ADB_LEAF_X) != 0;
    const bool y_stays = (entry->leaves & KILN_ADB_LEAF_Y) != 0;
    const bool open_x = y_stays || (!x_stays && x->area > UNLIKE_AREA * y->area);
    const bool open_y = !open_x && (x_stays || y->area > UNLIKE_AREA * x->area);
    KILN_ASSERT(!(x_stays && y_stays));
    if (!open_x && !open_y) {
        open_both(query, x, y);
        return;
    }
    /* One node's lanes against the other box, which stays. */
    opened_node opened;
    kiln_adb_box stays;
    open_node_to_weigh(query, open_x, open_x ? x->contents.first : y->contents.first, &opened);
    make_probe(query, &opened, open_x, open_x ? y : x, &stays.probe);
    weigh_lanes(query, &opened, open_x, &stays, *entry);
}
