/* A time-critical query: it is begun, run as far as a budget goes, and answers at any time.
 *
 * It is the algorithm of J. Klein and G. Zachmann, "Time-Critical Collision Detection Using an
 * Average-Case Approach", VRST 2003, Figure 3, with these rules where that leaves a choice:
 *
 * - Pairs of boxes are tested for overlap before they are weighed; Figure 3 has no such test.
 * - A pair as probable as p_min counts and goes back into the queue, as in Figure 3, so one chain
 *   of descendants may count several times.
 * - Two leaves have no pairs below them, and Figure 3 drops them. Here they count from probability
 *   1/2 on, or (hybrid) all triangles below two boxes with few are tested. So they are, whatever
 *   the options, where one box is a leaf and the other is much smaller or larger.
 * - Pairs that are not opened - below epsilon, leaves below 1/2, lost for want of room - do not
 *   vanish: they are part of the probability of the answer.
 *
 * adb_frontier.c keeps the pairs that wait, adb_open.c opens one, adb_estimate.c says how
 * probable a pair is; this file has the options, the loop and the answer. */
#include "adb_query.h"

#include "../../formats/assert.h"
#include "../base/deadline.h"
#include "../base/caller_memory.h"
#include "../base/options.h"
#include "../walk/leaf_pair.h"

#include <math.h>
#include <string.h>

enum { CAPACITY_MAX = 1 << 24, ALIGNMENT = 16, CAPACITY_ON_STACK = 256 };

#define WEIGHT_MAX 1e6f

/* Answers less probable than this are left as they are. */
#define LEAST_SAID 0x1p-50f

/* Below two boxes of at most about so many triangles each the exact walk is quicker than
 * weighing pairs, and what one pair can cost stays bounded. */
#define FEW_TRIANGLES 256.0f

/* ------------------------------------------------------------------------------------ memory -- */

static size_t header_size(void)
{
    return (sizeof(kiln_adb) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Room for the header and the entries, and for aligning both within the caller's memory. */
size_t kiln_adb_size(uint32_t capacity)
{
    if (capacity == 0 || capacity > CAPACITY_MAX) {
        return 0;
    }
    return header_size() + capacity * sizeof(kiln_adb_entry) + ALIGNMENT - 1;
}

kiln_status kiln_adb_place(void *memory, size_t size, kiln_adb **out)
{
    if (out == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    *out = NULL;
    const size_t skip = kiln_memory_skip(memory, ALIGNMENT);
    if (memory == NULL || size < skip + header_size() + sizeof(kiln_adb_entry)) {
        return KILN_ERROR_ARGUMENT;
    }
    uint8_t *start = (uint8_t *)memory + skip;
    const size_t room = (size - skip - header_size()) / sizeof(kiln_adb_entry);
    kiln_adb *query = (kiln_adb *)(void *)start;
    query->begun = false;
    query->frontier.heap = (kiln_adb_entry *)(void *)(start + header_size());
    query->frontier.capacity = room < CAPACITY_MAX ? (uint32_t)room : CAPACITY_MAX;
    *out = query;
    return KILN_OK;
}

/* ----------------------------------------------------------------------------------- options -- */

/* By kiln_adb_mode. */
static const kiln_adb_options modes[] = {
    {.struct_size = sizeof(kiln_adb_options), .p_min = 0.9, .k_min = 1, .epsilon = 0.1},
    {.struct_size = sizeof(kiln_adb_options), .p_min = 0.82, .k_min = 1, .epsilon = 0.15},
    {.struct_size = sizeof(kiln_adb_options), .p_min = 0.97, .k_min = 1, .hybrid = true},
};
KILN_STATIC_ASSERT(KILN_ADB_DEFAULT == 0 && KILN_ADB_FAST == 1 && KILN_ADB_CAREFUL == 2,
                   "the order of their options");

kiln_adb_options kiln_adb_options_of(kiln_adb_mode mode)
{
    return modes[(unsigned)mode < sizeof modes / sizeof modes[0] ? mode : KILN_ADB_DEFAULT];
}

static bool is_fraction(double value)
{
    return value >= 0.0 && value <= 1.0;
}

/* The table must hold all that a grid needs of it. */
static bool table_is_large_enough(const kiln_adb_options *options, const kiln_tree *tree)
{
    const uint32_t grid = tree->view.adb->grid;
    return options->evaluator != KILN_ADB_BINS ||
           kiln_bins_get_info(options->bins).max_u >= grid * grid * grid;
}

/* ------------------------------------------------------------------------------------- begin -- */

/* -ln(1 - p), the same on every machine. */
static float loss_of_probability(double p)
{
    if (p < 0.015625) {
        return (float)(p * (1.0 + p * (0.5 + p * (1.0 / 3.0 + p * 0.25))));
    }
    return p < 1.0 - LEAST_SAID ? -KILN_LN2 * kiln_log2((float)(1.0 - p)) : HUGE_VALF;
}

/* The least LB byte of a box of `tree` that holds few triangles. */
static uint8_t level_of_few(const kiln_tree *tree)
{
    const float few = kiln_log2(FEW_TRIANGLES);
    const float all = kiln_log2((float)tree->view.entry->triangle_count);
    return all > few ? (uint8_t)(256.0f * (1.0f - few / all)) : 0;
}

/* l of an answer that a query ended with by itself, of the log-odds that its pairs have. */
static float loss_of_decided(const kiln_adb_weights *w, bool yes, float odds)
{
    return kiln_loss_of_odds((yes ? w->yes : w->no) + (1.0f + w->sure) * odds);
}

/* What the caller may get wrong, and what trees may lack, in the order in which it is reported. */
static kiln_status check_query(const kiln_tree *a, const kiln_tree *b,
                               const kiln_adb_options *options)
{
    bool sound = a != NULL && b != NULL && is_fraction(options->p_min) &&
                 is_fraction(options->epsilon) && options->k_min >= 1 &&
                 (unsigned)options->evaluator <= KILN_ADB_BINS;
    if (sound && options->weights != NULL) {
        const kiln_adb_weights *w = options->weights;
        const float all[] = {w->bias, w->lambda, w->margin,       w->level, w->ratio, w->root,
                             w->flat, w->yes,    w->lambda_level, w->no,    w->sure,  w->thin};
        for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
            sound = sound && all[i] >= -WEIGHT_MAX && all[i] <= WEIGHT_MAX;
        }
        sound = sound && w->sure > -1.0f && w->others >= 0.0f && w->others <= 1.0f;
    }
    if (!sound) {
        return KILN_ERROR_ARGUMENT;
    }
    if (a->view.adb == NULL || b->view.adb == NULL) {
        return KILN_ERROR_NOT_LOADED;
    }
    if (options->hybrid && !(kiln_tree_has_polygons(a) && kiln_tree_has_polygons(b))) {
        return kiln_trees_lack(a, b);
    }
    if (kiln_tree_is_box(a) || kiln_tree_is_box(b)) {
        return KILN_ERROR_PARTIAL;
    }
    if (!table_is_large_enough(options, a) || !table_is_large_enough(options, b)) {
        return KILN_ERROR_ARGUMENT;
    }
    return KILN_OK;
}

/* Trees of one mesh at one place, of which only a probability depends on the order: is B before A,
 * by how both were baked? */
static bool b_comes_first(const kiln_tree *a, const kiln_tree *b)
{
    const kiln_format_tree *p = a->view.entry, *q = b->view.entry;
    const kiln_format_adb *r = a->view.adb, *s = b->view.adb;
    const uint32_t of_a[] = {p->bv, p->leaf_max, p->node_count, p->depth};
    const uint32_t of_b[] = {q->bv, q->leaf_max, q->node_count, q->depth};
    const uint8_t counts_a[] = {r->grid, r->regions, r->area, r->polygons};
    const uint8_t counts_b[] = {s->grid, s->regions, s->area, s->polygons};
    const int by_tree = memcmp(of_b, of_a, sizeof of_a);
    const int by_counts = memcmp(counts_b, counts_a, sizeof counts_a);
    const int by_factor = memcmp(&s->factor, &r->factor, sizeof r->factor);
    return by_tree != 0 ? by_tree < 0 : by_counts != 0 ? by_counts < 0 : by_factor < 0;
}

/* The exact walk found a pair of triangles that meets, which is a proof. */
static bool take_exact(void *user, const kiln_pair_frame *frame, uint32_t x, uint32_t y)
{
    kiln_adb *query = (kiln_adb *)user;
    query->found = kiln_pair_named(frame, x, y);
    query->exact = true;
    return false;
}

static void decide_yes(kiln_adb *query, kiln_adb_entry entry, float loss)
{
    KILN_ASSERT(!query->decided);
    entry.loss = loss;
    kiln_adb_frontier_push(&query->frontier, entry);
    query->decided = true;
    query->verdict = KILN_ADB_YES;
}

/* All that a query needs is computed once, here; then the roots are weighed, which may decide
 * it. */
static kiln_status begin(kiln_adb *query, const kiln_tree *a, const kiln_pose *pose_a,
                         const kiln_tree *b, const kiln_pose *pose_b,
                         const kiln_adb_options *options)
{
    kiln_status status = check_query(a, b, options);
    if (status == KILN_OK) {
        status = kiln_pair_frame_form(&query->frame, a, pose_a, b, pose_b);
    }
    if (status == KILN_OK && query->frame.same && b_comes_first(a, b)) {
        status = kiln_pair_frame_form(&query->frame, b, pose_b, a, pose_a);
        query->frame.swapped = true;
    }
    if (status != KILN_OK) {
        return status;
    }
    query->options = *options;
    query->weights = options->weights != NULL ? *options->weights : kiln_adb_weights_of(a, b);
    query->options.weights = NULL;
    query->grid_x = kiln_adb_grid_of(query->frame.x->view.adb);
    query->grid_y = kiln_adb_grid_of(query->frame.y->view.adb);
    query->has_polygons = kiln_tree_has_polygons(a) && kiln_tree_has_polygons(b);
    query->few_x = level_of_few(query->frame.x);
    query->few_y = level_of_few(query->frame.y);
    const kiln_kernel *kernel = kiln_kernel_active();
    query->kernels = kernel->adb;
    query->refine[1] = kiln_kernel_of(kernel, query->frame.x->view.kind)->refine;
    query->refine[0] = kiln_kernel_of(kernel, query->frame.y->view.kind)->refine;
    query->count_from = loss_of_probability(options->p_min);
    query->open_from = loss_of_probability(options->epsilon);
    /* A pair of p_min says what it does by what else is likely, and beside the roots there is
     * nothing else: they count from the loss on that an answer by p_min has. */
    const double p = query->options.p_min;
    query->root_from = query->count_from;
    if (p >= LEAST_SAID && p <= 1.0 - LEAST_SAID && options->evaluator == KILN_ADB_CALIBRATED) {
        const float odds = KILN_LN2 * kiln_log2((float)p) + query->count_from;
        query->root_from = loss_of_decided(&query->weights, true, odds);
    }
    query->counted = 0;
    query->pairs = 0;
    query->unfounded = 0;
    query->exact = false;
    query->found = (kiln_pair){0, 0, 0, 0};
    kiln_adb_frontier_clear(&query->frontier);
    kiln_tree_box_root(&query->frame, true, &query->root_x);
    kiln_tree_box_root(&query->frame, false, &query->root_y);
    query->decided = false;
    query->begun = true;
    uint32_t stored_x, stored_y;
    if (kiln_hint_meets(&query->frame, options->hint, &stored_x, &stored_y)) {
        const kiln_adb_entry roots = {.lane_x = KILN_ADB_ROOT, .lane_y = KILN_ADB_ROOT};
        (void)take_exact(query, &query->frame, stored_x, stored_y);
        decide_yes(query, roots, KILN_ADB_CERTAIN);
    } else {
        kiln_adb_meet_roots(query);
    }
    return KILN_OK;
}

kiln_status kiln_adb_begin(kiln_adb *query, const kiln_tree *a, const kiln_pose *pose_a,
                           const kiln_tree *b, const kiln_pose *pose_b,
                           const kiln_adb_options *options)
{
    if (query == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    query->begun = false;
    kiln_adb_options full = modes[KILN_ADB_DEFAULT];
    kiln_options_take(&full, sizeof full, options);
    query->caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, begin);
    const kiln_status status = run(query, a, pose_a, b, pose_b, &full);
    kiln_fpu_leave(query->caller);
    return status;
}

/* --------------------------------------------------------------------------------------- run -- */

void kiln_adb_entry_box(const kiln_adb *query, const kiln_adb_entry *entry, bool is_x,
                        kiln_tree_box *box)
{
    const uint8_t lane = is_x ? entry->lane_x : entry->lane_y;
    if (lane == KILN_ADB_ROOT) {
        *box = is_x ? query->root_x : query->root_y;
        return;
    }
    const kiln_tree *tree = is_x ? query->frame.x : query->frame.y;
    KILN_ASSERT(lane < tree->view.kind->lanes);
    KILN_ASSERT((is_x ? entry->node_x : entry->node_y) < tree->view.entry->node_count);
    const kiln_format_node8 *node = kiln_tree_node(tree, is_x ? entry->node_x : entry->node_y);
    kiln_tree_box_lane(&query->frame, is_x, node, lane, box);
}

/* The level of a box falls with the logarithm of the number of its triangles. */
static bool holds_few(const kiln_tree *tree, uint32_t node, uint8_t lane, uint8_t level)
{
    const kiln_format_adb_box *counts = lane == KILN_ADB_ROOT
                                            ? kiln_tree_root_counts(tree)
                                            : kiln_tree_lane_counts(tree, node, lane);
    return counts->lb >= level;
}

/* One pair of the frontier: tested exactly below it, decided, or opened. */
static void visit_entry(kiln_adb *query, const kiln_adb_entry *entry)
{
    const bool leaves = entry->leaves == (KILN_ADB_LEAF_X | KILN_ADB_LEAF_Y);
    kiln_tree_box x, y;
    kiln_adb_entry_box(query, entry, true, &x);
    kiln_adb_entry_box(query, entry, false, &y);
    KILN_ASSERT(!query->decided);
    query->pairs++;
    /* Counts say nothing of a leaf that is much larger than the other box: that box is somewhere
     * in it, and its few triangles are anywhere. */
    const bool no_ground = query->has_polygons && entry->unlike && entry->leaves != 0;
    if ((query->options.hybrid || no_ground) &&
        (leaves || (holds_few(query->frame.x, entry->node_x, entry->lane_x, query->few_x) &&
                    holds_few(query->frame.y, entry->node_y, entry->lane_y, query->few_y)))) {
        const kiln_pair_visitor visitor = {take_exact, query, true, false, NULL, NULL};
        kiln_pair_walk_from(&query->frame, &x, &y, &visitor);
        query->unfounded -= leaves && entry->unlike;
        if (query->exact) {
            decide_yes(query, *entry, KILN_ADB_CERTAIN);
        }
    } else if (!leaves) {
        kiln_adb_open_pair(query, entry, &x, &y);
    } else if (entry->loss >= KILN_LN2) { /* probability 1/2: nothing is below two leaves */
        decide_yes(query, *entry, entry->loss);
    } else {
        kiln_adb_frontier_set_aside(&query->frontier, entry->loss);
    }
}

/* The loop. The clock is read before each pair, so that a budget is exceeded by one pair at
 * most. */
static void run_query(kiln_adb *query, uint64_t pairs, uint64_t nanoseconds)
{
    const kiln_deadline due = kiln_deadline_after(nanoseconds, query->options.clock,
                                                  query->options.clock_user, query->caller);
    KILN_ASSERT(query->begun);
    for (uint64_t i = 0; i < pairs && !query->decided; i++) {
        if (kiln_deadline_is_past(&due)) {
            return;
        }
        KILN_ASSERT(query->frontier.count > 0);
        const kiln_adb_entry entry = kiln_adb_frontier_pop(&query->frontier);
        visit_entry(query, &entry);
        if (!query->decided && query->frontier.count == 0) {
            query->decided = true;
            query->verdict = query->frontier.full ? KILN_ADB_UNDECIDED : KILN_ADB_NO;
        }
    }
}

kiln_status kiln_adb_run(kiln_adb *query, uint64_t pairs, uint64_t nanoseconds)
{
    if (query == NULL || !query->begun) {
        return KILN_ERROR_ARGUMENT;
    }
    query->caller = kiln_fpu_enter();
    KILN_FPU_CALL(go, run_query);
    go(query, pairs, nanoseconds);
    kiln_fpu_leave(query->caller);
    return KILN_OK;
}

/* ------------------------------------------------------------------------------------ answer -- */

/* The probability that the answer has now, from what is proved and from the pairs that wait. */
static double probability_of(const kiln_adb *query)
{
    const kiln_adb_frontier *frontier = &query->frontier;
    if (query->exact) {
        return 1.0;
    }
    if (query->pairs == 0 && frontier->count == 1) {
        return (double)kiln_probability_of_loss(kiln_adb_entry_loss(query, &frontier->heap[0]));
    }
    float loss = (float)kiln_adb_frontier_loss(frontier, (double)query->weights.others);
    const float p = kiln_probability_of_loss(loss);
    /* An answer that the query ended with by itself has weights of its own. 0 stays 0: a proof. */
    if (query->decided && query->verdict != KILN_ADB_UNDECIDED && !(p < LEAST_SAID) &&
        query->options.evaluator == KILN_ADB_CALIBRATED) {
        loss = loss_of_decided(&query->weights, query->verdict == KILN_ADB_YES,
                               KILN_LN2 * kiln_log2(p) + loss);
    }
    return (double)kiln_probability_of_loss(loss);
}

kiln_status kiln_adb_get_answer(const kiln_adb *query, kiln_adb_answer *answer)
{
    if (query == NULL || answer == NULL || !query->begun) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_adb_frontier *frontier = &query->frontier;
    const bool nothing_left = frontier->count == 0 && frontier->rest_count == 0;
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(compute, probability_of);
    *answer = (kiln_adb_answer){
        .verdict = query->decided ? query->verdict : KILN_ADB_UNDECIDED,
        .probability = compute(query),
        .pairs = query->pairs,
        .flags = (frontier->full ? KILN_ADB_FULL : 0u) |
                 (query->exact || nothing_left ? KILN_ADB_EXACT : 0u) |
                 (query->unfounded > 0 && !query->exact ? KILN_ADB_UNFOUNDED : 0u),
        .waiting = frontier->count,
        .pair = query->found,
    };
    kiln_fpu_leave(caller);
    return KILN_OK;
}

kiln_status kiln_adb_collide(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                             const kiln_pose *pose_b, const kiln_adb_options *options,
                             uint64_t pairs, uint64_t nanoseconds, kiln_adb_answer *answer)
{
    kiln_adb query;
    kiln_adb_entry entries[CAPACITY_ON_STACK];
    query.frontier.heap = entries;
    query.frontier.capacity = CAPACITY_ON_STACK;
    if (answer == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    kiln_status status = kiln_adb_begin(&query, a, pose_a, b, pose_b, options);
    if (status == KILN_OK) {
        (void)kiln_adb_run(&query, pairs, nanoseconds);
        status = kiln_adb_get_answer(&query, answer);
    }
    return status;
}
