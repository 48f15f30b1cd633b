/* The query of J. Klein and G. Zachmann, "Time-Critical Collision Detection Using an Average-Case
 * Approach", VRST 2003: pairs of boxes wait in a priority queue, ordered by the probability that a
 * collision is below them; the most probable one is opened, and a collision is reported once k_min
 * pairs reach p_min.
 *
 * Where the paper's Figure 3 leaves a choice, these rules hold:
 *
 * - "For all children A[i] and B[j]" of a leaf: the leaf stays, the other box is opened.
 * - The roots go into the queue unweighed, with probability 1, as written; with a gate they must
 *   pass it like all others.
 * - Of equal probabilities those that came first go first where the heap allows; it depends on
 *   nothing but the order of insertion.
 * - p_min 0 counts every pair that passes the gate, also of probability 0, as "p >= p_min" says. */
#include "paper_query.h"

#include "../../../formats/assert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------- the options -- */

enum { EQUATION_8_X = 10 };

kiln_paper_options kiln_paper_options_default(void)
{
    const kiln_paper_options options = {.p_min = 0.99,
                                        .k_min = 10,
                                        .volume = KILN_PAPER_FIGURE_10,
                                        .size_ratio = 1.5,
                                        .gate = KILN_PAPER_SAT15,
                                        .share = KILN_PAPER_DESCEND,
                                        .level = KILN_PAPER_BY_DEPTH,
                                        .rounding = KILN_PAPER_NEAREST,
                                        .x_max = EQUATION_8_X,
                                        .reinsert = true,
                                        .leaves = KILN_PAPER_DROP,
                                        .pairs_max = 0,
                                        .bins = NULL};
    return options;
}

kiln_status kiln_paper_options_check(const kiln_paper_options *options, uint32_t cells)
{
    const bool known = (unsigned)options->volume < KILN_PAPER_VOLUMES &&
                       (unsigned)options->gate <= KILN_PAPER_SAT15 &&
                       (unsigned)options->share <= KILN_PAPER_EQUATION_5 &&
                       (unsigned)options->level <= KILN_PAPER_BY_TRIANGLES &&
                       (unsigned)options->rounding <= KILN_PAPER_INTERPOLATED &&
                       (unsigned)options->leaves <= KILN_PAPER_TEST;
    if (!known || !(options->p_min >= 0 && options->p_min <= 1) || options->k_min < 1 ||
        !(options->size_ratio >= 1 && options->size_ratio < HUGE_VAL) || options->x_max < 1 ||
        options->x_max > EQUATION_8_X) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_bins_info info = kiln_bins_get_info(options->bins);
    return info.max_u >= cells && info.max_x >= options->x_max ? KILN_OK : KILN_ERROR_NOT_LOADED;
}

/* --------------------------------------------------------------------------------- the query -- */

/* A pair of boxes that waits, by their numbers. */
typedef struct {
    double p;
    uint32_t a, b;
} entry;

struct kiln_paper_query {
    entry *heap;
    size_t count, capacity;
    kiln_adb *exact; /* for tests of triangles below two boxes */
    void *memory;    /* of `exact` */
};

kiln_paper_query *kiln_paper_query_make(void)
{
    kiln_paper_query *query = calloc(1, sizeof *query);
    if (query == NULL) {
        return NULL;
    }
    const size_t size = kiln_adb_size(1);
    query->memory = malloc(size);
    if (query->memory == NULL || kiln_adb_place(query->memory, size, &query->exact) != KILN_OK) {
        kiln_paper_query_free(query);
        return NULL;
    }
    return query;
}

void kiln_paper_query_free(kiln_paper_query *query)
{
    if (query != NULL) {
        free(query->heap);
        free(query->memory);
        free(query);
    }
}

/* ------------------------------------------------------------------------ the priority queue -- */

static bool insert(kiln_paper_query *query, entry added)
{
    if (query->count == query->capacity) {
        const size_t capacity = query->capacity == 0 ? 256 : 2 * query->capacity;
        entry *heap = realloc(query->heap, capacity * sizeof *heap);
        if (heap == NULL) {
            return false;
        }
        query->heap = heap;
        query->capacity = capacity;
    }
    size_t place = query->count++;
    while (place > 0 && query->heap[(place - 1) / 2].p < added.p) {
        query->heap[place] = query->heap[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    query->heap[place] = added;
    return true;
}

static entry pop(kiln_paper_query *query)
{
    KILN_ASSERT(query->count > 0);
    entry *heap = query->heap;
    const entry first = heap[0], moved = heap[--query->count];
    size_t place = 0;
    for (;;) {
        size_t child = 2 * place + 1;
        if (child >= query->count) {
            break;
        }
        child += child + 1 < query->count && heap[child].p < heap[child + 1].p;
        if (!(moved.p < heap[child].p)) {
            break;
        }
        heap[place] = heap[child];
        place = child;
    }
    heap[place] = moved;
    return first;
}

/* ----------------------------------------------------------------------------- the traversal -- */

typedef struct {
    kiln_paper_query *query;
    kiln_paper_frame frame;
    const kiln_paper_options *options;
    kiln_paper_answer answer;
} traversal;

/* "k := k + 1; if k >= k_min return collision; if p > 0 q.insert". */
static kiln_status weigh(traversal *t, uint32_t a, uint32_t b)
{
    kiln_paper_estimate estimate;
    kiln_paper_estimate_pair(&t->frame, a, b, t->options, &estimate);
    if (estimate.gated) {
        return KILN_OK;
    }
    KILN_ASSERT(estimate.p >= 0 && estimate.p <= 1);
    const bool counts = estimate.p >= t->options->p_min;
    t->answer.weighed++;
    t->answer.visited += estimate.visited;
    t->answer.most = estimate.p > t->answer.most ? estimate.p : t->answer.most;
    t->answer.counted += counts;
    t->answer.collision = t->answer.counted >= t->options->k_min;
    if (t->answer.collision || !(estimate.p > 0) || (counts && !t->options->reinsert)) {
        return KILN_OK;
    }
    return insert(t->query, (entry){estimate.p, a, b}) ? KILN_OK : KILN_ERROR_MEMORY;
}

/* The boxes that a box is opened into: itself where it is a leaf. */
static uint32_t opened_boxes(const kiln_paper_tree *tree, uint32_t index, uint32_t boxes[2])
{
    KILN_ASSERT(index < tree->box_count);
    const kiln_paper_box *box = &tree->boxes[index];
    uint32_t count = 0;
    if (box->children == 0) {
        boxes[count++] = index;
        return count;
    }
    for (uint32_t i = 0; i < 2; i++) {
        if ((box->used >> i & 1) != 0) {
            boxes[count++] = box->children + i;
        }
    }
    return count;
}

static kiln_status open_pair(traversal *t, uint32_t a, uint32_t b)
{
    uint32_t of_a[2], of_b[2];
    const uint32_t count_a = opened_boxes(t->frame.a, a, of_a);
    const uint32_t count_b = opened_boxes(t->frame.b, b, of_b);
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < count_a; i++) {
        for (uint32_t j = 0; j < count_b; j++) {
            if (status == KILN_OK && !t->answer.collision) {
                status = weigh(t, of_a[i], of_b[j]);
            }
        }
    }
    return status;
}

/* Box number `index` as the library names it. */
static void name_box(uint32_t index, uint32_t *node, uint32_t *lane)
{
    *node = index == 0 ? 0 : (index - 1) / 2;
    *lane = index == 0 ? 255 : (index - 1) % 2;
}

static kiln_status decide_leaves(traversal *t, const entry *leaves)
{
    kiln_adb_observation seen;
    switch (t->options->leaves) {
    case KILN_PAPER_DROP:
        return KILN_OK;
    case KILN_PAPER_ACCEPT:
        t->answer.collision = leaves->p >= 0.5;
        return KILN_OK;
    default:
        memset(&seen, 0, sizeof seen);
        name_box(leaves->a, &seen.node[0], &seen.lane[0]);
        name_box(leaves->b, &seen.node[1], &seen.lane[1]);
        return kiln_adb_observed_meet(t->query->exact, &seen, &t->answer.collision);
    }
}

kiln_status kiln_paper_collide(kiln_paper_query *query, const kiln_paper_tree *a,
                               const kiln_pose *pose_a, const kiln_paper_tree *b,
                               const kiln_pose *pose_b, const kiln_paper_options *options,
                               kiln_paper_answer *answer)
{
    if (query == NULL || a == NULL || b == NULL || answer == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_paper_options standard = kiln_paper_options_default();
    traversal t = {query, {.a = a, .b = b}, options != NULL ? options : &standard, {0}};
    options = t.options;
    kiln_status status =
        kiln_paper_options_check(options, a->cells > b->cells ? a->cells : b->cells);
    if (status == KILN_OK) {
        status = kiln_paper_frame_form(&t.frame, a, pose_a, b, pose_b);
    }
    if (status == KILN_OK && options->leaves == KILN_PAPER_TEST) {
        status = kiln_tree_get_info(a->tree).polygons && kiln_tree_get_info(b->tree).polygons
                     ? kiln_adb_begin(query->exact, a->tree, pose_a, b->tree, pose_b, NULL)
                     : KILN_ERROR_NOT_LOADED;
    }
    if (status != KILN_OK) {
        return status;
    }
    kiln_paper_pair roots;
    kiln_paper_frame_pair(&t.frame, 0, 0, &roots);
    query->count = 0;
    if (kiln_paper_may_meet(&roots, options->gate) && !insert(query, (entry){1, 0, 0})) {
        return KILN_ERROR_MEMORY;
    }
    while (status == KILN_OK && query->count > 0 && !t.answer.collision) {
        if (options->pairs_max != 0 && t.answer.opened == options->pairs_max) {
            t.answer.cut = true;
            break;
        }
        const entry next = pop(query);
        t.answer.opened++;
        const bool leaves = a->boxes[next.a].children == 0 && b->boxes[next.b].children == 0;
        status = leaves ? decide_leaves(&t, &next) : open_pair(&t, next.a, next.b);
    }
    if (status == KILN_OK) {
        *answer = t.answer;
    }
    return status;
}
