/* Time-critical queries of two meshes: options, memory, one budget over many, and what an answer
 * says. The walk itself is likely_walk.c. */
#include "likely_weights.h"

#include "../../formats/assert.h"
#include "../base/deadline.h"
#include "../base/caller_memory.h"
#include "../base/options.h"
#include "../base/probability.h"
#include "../walk/leaf_pair.h"
#include "../walk/likely_walk.h"

#include <string.h>

enum {
    QUERY_ALIGNMENT = 64,
    DEPTHS_COMMON = 40, /* of two trees together, for which there is room on the stack */
    CHUNK = 4,          /* steps that one of many takes at a time */
    SHELVES = 16        /* by how sure an answer is */
};

#define WEIGHT_MAX 1e6f
#define ODDS_MOST 60.0f
#define REST_LEAST 0x1p-6f

struct kiln_likely {
    kiln_likely_walk walk;
    kiln_likely_weights weights;
    uint64_t (*clock)(void *user);
    void *clock_user;
    kiln_likely_observer observer;
    void *observer_user;
    const kiln_tree *a, *b;
    kiln_fpu_state caller;
    uint32_t room; /* levels */
    bool begun;
    bool listed;       /* among the queries of kiln_likely_run_all */
    kiln_likely *next; /* on a shelf there */
};

/* ------------------------------------------------------------------------------------ memory -- */

static size_t header_bytes(void)
{
    return (sizeof(kiln_likely) + QUERY_ALIGNMENT - 1) / QUERY_ALIGNMENT * QUERY_ALIGNMENT;
}

static uint32_t levels_for(const kiln_tree *a, const kiln_tree *b)
{
    return KILN_LEVELS_BELOW + a->view.entry->depth + b->view.entry->depth;
}

size_t kiln_likely_size(const kiln_tree *a, const kiln_tree *b)
{
    if (a == NULL || b == NULL) {
        return 0;
    }
    return header_bytes() + levels_for(a, b) * sizeof(kiln_likely_level) + QUERY_ALIGNMENT - 1;
}

kiln_status kiln_likely_place(void *memory, size_t size, kiln_likely **out)
{
    if (out == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    *out = NULL;
    const size_t skip = kiln_memory_skip(memory, QUERY_ALIGNMENT);
    const size_t least = header_bytes() + (KILN_LEVELS_BELOW + 2) * sizeof(kiln_likely_level);
    if (memory == NULL || size < skip + least) {
        return KILN_ERROR_ARGUMENT;
    }
    uint8_t *start = (uint8_t *)memory + skip;
    const size_t room = (size - skip - header_bytes()) / sizeof(kiln_likely_level);
    kiln_likely *query = (kiln_likely *)(void *)start;
    query->begun = false;
    query->walk.levels = (kiln_likely_level *)(void *)(start + header_bytes());
    query->room = room < KILN_LEVELS_MOST ? (uint32_t)room : KILN_LEVELS_MOST;
    *out = query;
    return KILN_OK;
}

/* ----------------------------------------------------------------------------------- options -- */

kiln_likely_options kiln_likely_options_of(kiln_likely_mode mode)
{
    static const double thresholds[] = {4.0, 3.0, 5.0};
    KILN_STATIC_ASSERT(KILN_LIKELY_DEFAULT == 0 && KILN_LIKELY_FAST == 1 &&
                           KILN_LIKELY_CAREFUL == 2,
                       "the order of their thresholds");
    kiln_likely_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.threshold = thresholds[(unsigned)mode < 3 ? mode : KILN_LIKELY_DEFAULT];
    options.steps = UINT64_MAX;
    options.nanoseconds = UINT64_MAX;
    return options;
}

/* The row of the tree's kind whose leaves are nearest in size, or that of oriented boxes. */
static const kiln_likely_weights *row_of_tree(const kiln_tree *tree)
{
    const kiln_likely_fitted *best = NULL;
    const uint32_t leaf = tree->view.entry->leaf_max;
    uint32_t best_off = UINT32_MAX;
    for (unsigned i = 0; i < kiln_likely_fitted_count; i++) {
        const kiln_likely_fitted *row = &kiln_likely_fitted_rows[i];
        const uint32_t off = row->leaf_max > leaf ? row->leaf_max - leaf : leaf - row->leaf_max;
        if (row->bv == (kiln_bv)tree->view.entry->bv && off < best_off) {
            best = row;
            best_off = off;
            if (off == 0) {
                break;
            }
        }
    }
    return best != NULL ? &best->weights : &kiln_likely_fitted_rows[0].weights;
}

enum { WEIGHTS = sizeof(kiln_likely_weights) / sizeof(float) };
KILN_STATIC_ASSERT(WEIGHTS * sizeof(float) == sizeof(kiln_likely_weights), "weights are floats");

/* A sum of two floats does not depend on their order. */
static kiln_likely_weights mean_of_rows(const kiln_tree *a, const kiln_tree *b)
{
    float first[WEIGHTS], second[WEIGHTS];
    kiln_likely_weights mean;
    memcpy(first, row_of_tree(a), sizeof first);
    memcpy(second, row_of_tree(b), sizeof second);
    for (unsigned i = 0; i < WEIGHTS; i++) {
        first[i] = 0.5f * (first[i] + second[i]);
    }
    memcpy(&mean, first, sizeof mean);
    return mean;
}

kiln_likely_weights kiln_likely_get_weights(const kiln_tree *a, const kiln_tree *b)
{
    kiln_likely_weights mean;
    memset(&mean, 0, sizeof mean);
    if (a != NULL && b != NULL) {
        const kiln_fpu_state caller = kiln_fpu_enter();
        KILN_FPU_CALL(run, mean_of_rows);
        mean = run(a, b);
        kiln_fpu_leave(caller);
    }
    return mean;
}

static bool are_sound(const kiln_likely_options *options)
{
    bool sound = options->threshold > 0;
    if (options->weights != NULL) {
        float all[WEIGHTS];
        memcpy(all, options->weights, sizeof all);
        for (unsigned i = 0; i < WEIGHTS; i++) {
            sound = sound && all[i] >= -WEIGHT_MAX && all[i] <= WEIGHT_MAX;
        }
    }
    return sound;
}

/* ----------------------------------------------------------------------------------- a query -- */

/* The observer runs in the caller's environment. */
static void call_observer(void *user, const kiln_likely_seen *seen)
{
    const kiln_likely *query = (const kiln_likely *)user;
    const kiln_fpu_state ours = kiln_fpu_enter();
    kiln_fpu_leave(query->caller);
    query->observer(query->observer_user, seen);
    kiln_fpu_leave(ours);
}

/* In the environment of fpu.h, which the caller has entered. */
static kiln_status begin_likely(kiln_likely *query, const kiln_tree *a, const kiln_pose *pose_a,
                                const kiln_tree *b, const kiln_pose *pose_b,
                                const kiln_likely_options *options, bool all)
{
    kiln_likely_walk *walk = &query->walk;
    query->begun = false;
    if (a == NULL || b == NULL || !are_sound(options)) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_status status =
        kiln_pair_frame_relate_any_polygons(&walk->frame, a, pose_a, b, pose_b);
    if (status != KILN_OK) {
        return status;
    }
    if (levels_for(a, b) > query->room) {
        return KILN_ERROR_ARGUMENT;
    }
    kiln_pair_frame_order_same(&walk->frame);
    query->begun = true;
    query->a = a;
    query->b = b;
    query->clock = options->clock;
    query->clock_user = options->clock_user;
    query->observer = options->observer;
    query->observer_user = options->observer_user;
    walk->observe = options->observer != NULL ? call_observer : NULL;
    walk->observe_user = query;
    walk->all = all;
    walk->threshold = (float)options->threshold;
    if (!kiln_roots_may_meet(&walk->frame)) {
        walk->state = KILN_WALK_APART;
        walk->steps = 0;
        walk->score = 0;
        return KILN_OK;
    }
    if (options->weights != NULL) {
        query->weights = *options->weights;
        walk->weights = &query->weights;
    } else {
        const kiln_format_tree *of_a = a->view.entry, *of_b = b->view.entry;
        walk->weights = row_of_tree(a);
        if (of_a->bv != of_b->bv || of_a->leaf_max != of_b->leaf_max) {
            query->weights = mean_of_rows(a, b);
            walk->weights = &query->weights;
        }
    }
    kiln_pair_frame_form_maps(&walk->frame);
    kiln_likely_walk_begin(walk);
    if (kiln_hint_meets(&walk->frame, options->hint, &walk->stored_x, &walk->stored_y)) {
        walk->state = KILN_WALK_MEETS;
    }
    return KILN_OK;
}

/* Begins, and takes the first step, for which no budget is too small. */
static kiln_status begin_budget(kiln_likely *query, const kiln_tree *a, const kiln_pose *pose_a,
                                const kiln_tree *b, const kiln_pose *pose_b,
                                const kiln_likely_options *options)
{
    const kiln_status status = begin_likely(query, a, pose_a, b, pose_b, options, true);
    if (status == KILN_OK) {
        kiln_likely_walk_run(&query->walk, 1, NULL, NULL);
    }
    return status;
}

static kiln_deadline deadline_of(const kiln_likely *query, uint64_t nanoseconds)
{
    return kiln_deadline_after(nanoseconds, query->clock, query->clock_user, query->caller);
}

static void run_until(kiln_likely *query, uint64_t steps, const kiln_deadline *due)
{
    kiln_likely_walk_run(&query->walk, steps, kiln_deadline_check(due), due);
}

static void run(kiln_likely *query, uint64_t steps, uint64_t nanoseconds)
{
    const kiln_deadline due = deadline_of(query, nanoseconds);
    run_until(query, steps, &due);
}

/* ------------------------------------------------------------------------------------ answer -- */

/* 1 / (1 + e^-z), the same bits on every machine. */
static double probability_of_odds(float z)
{
    const float kept = z > ODDS_MOST ? ODDS_MOST : z < -ODDS_MOST ? -ODDS_MOST : z;
    return 1.0 / (1.0 + (double)kiln_exp2(-kept * KILN_LOG2_E));
}

static double said_probability(const kiln_likely *query)
{
    const kiln_likely_walk *walk = &query->walk;
    const kiln_likely_weights *w = query->walk.weights;
    if (walk->state == KILN_WALK_APART || walk->state == KILN_WALK_MEETS) {
        return walk->state == KILN_WALK_MEETS ? 1.0 : 0.0;
    }
    if (walk->state == KILN_WALK_EARLY) {
        return probability_of_odds(walk->all ? w->all + w->all_score * walk->score
                                             : w->early + w->early_score * walk->score);
    }
    const kiln_likely_waiting waiting = kiln_likely_walk_waiting(walk);
    KILN_ASSERT(waiting.count > 0);
    const float most = waiting.most > REST_LEAST ? waiting.most : REST_LEAST;
    const float rest = waiting.rest > 0 ? waiting.rest : 0;
    return probability_of_odds(w->open + w->most * kiln_log2(most) +
                               w->rest * kiln_log2(rest + REST_LEAST) +
                               w->waiting * kiln_log2((float)waiting.count));
}

static void answer_of(const kiln_likely *query, kiln_likely_answer *answer)
{
    const kiln_likely_walk *walk = &query->walk;
    memset(answer, 0, sizeof *answer);
    answer->probability = said_probability(query);
    answer->score = (double)walk->score;
    answer->steps = walk->steps;
    switch (walk->state) {
    case KILN_WALK_GOES_ON: {
        const kiln_likely_waiting waiting = kiln_likely_walk_waiting(walk);
        answer->verdict = KILN_LIKELY_UNDECIDED;
        answer->most = (double)waiting.most;
        answer->rest = (double)waiting.rest;
        answer->waiting = waiting.count;
        break;
    }
    case KILN_WALK_APART:
        answer->verdict = KILN_LIKELY_NO;
        answer->proved = true;
        break;
    case KILN_WALK_EARLY:
        answer->verdict = KILN_LIKELY_YES;
        break;
    case KILN_WALK_MEETS:
        answer->verdict = KILN_LIKELY_YES;
        answer->proved = true;
        answer->pair = kiln_pair_named(&walk->frame, walk->stored_x, walk->stored_y);
        break;
    }
}

kiln_status kiln_likely_get_answer(const kiln_likely *query, kiln_likely_answer *answer)
{
    if (query == NULL || answer == NULL || !query->begun) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(compute, answer_of);
    compute(query, answer);
    kiln_fpu_leave(caller);
    return KILN_OK;
}

/* ------------------------------------------------------------------------------------- calls -- */

kiln_status kiln_likely_begin(kiln_likely *query, const kiln_tree *a, const kiln_pose *pose_a,
                              const kiln_tree *b, const kiln_pose *pose_b,
                              const kiln_likely_options *options)
{
    if (query == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    kiln_likely_options full = kiln_likely_options_of(KILN_LIKELY_DEFAULT);
    kiln_options_take(&full, sizeof full, options);
    query->caller = kiln_fpu_enter();
    KILN_FPU_CALL(go, begin_budget);
    const kiln_status status = go(query, a, pose_a, b, pose_b, &full);
    kiln_fpu_leave(query->caller);
    return status;
}

kiln_status kiln_likely_run(kiln_likely *query, uint64_t steps, uint64_t nanoseconds)
{
    if (query == NULL || !query->begun) {
        return KILN_ERROR_ARGUMENT;
    }
    query->caller = kiln_fpu_enter();
    KILN_FPU_CALL(go, run);
    go(query, steps, nanoseconds);
    kiln_fpu_leave(query->caller);
    return KILN_OK;
}

/* Without a budget few nodes are weighed: see likely_walk.c. */
static kiln_status whole_query(kiln_likely *query, const kiln_tree *a, const kiln_pose *pose_a,
                               const kiln_tree *b, const kiln_pose *pose_b,
                               const kiln_likely_options *options, kiln_likely_answer *answer)
{
    const bool budget = options->steps != UINT64_MAX || options->nanoseconds != UINT64_MAX;
    query->clock = options->clock;
    query->clock_user = options->clock_user;
    const kiln_deadline due = deadline_of(query, options->nanoseconds);
    const kiln_status status = budget ? begin_budget(query, a, pose_a, b, pose_b, options)
                                      : begin_likely(query, a, pose_a, b, pose_b, options, false);
    if (status == KILN_OK) {
        run_until(query, options->steps - (budget && options->steps > 0), &due);
        answer_of(query, answer);
    }
    return status;
}

/* Two frames of the stack for two depths, apart from each other: were both in one function, every
 * query would touch the larger. */
__attribute__((noinline)) static kiln_status
query_common(kiln_fpu_state caller, const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
             const kiln_pose *pose_b, const kiln_likely_options *options,
             kiln_likely_answer *answer)
{
    kiln_likely query;
    kiln_likely_level levels[KILN_LEVELS_BELOW + DEPTHS_COMMON];
    query.walk.levels = levels;
    query.room = KILN_LEVELS_BELOW + DEPTHS_COMMON;
    query.caller = caller;
    return whole_query(&query, a, pose_a, b, pose_b, options, answer);
}

__attribute__((noinline)) static kiln_status
query_deep(kiln_fpu_state caller, const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
           const kiln_pose *pose_b, const kiln_likely_options *options, kiln_likely_answer *answer)
{
    kiln_likely query;
    kiln_likely_level levels[KILN_LEVELS_MOST];
    query.walk.levels = levels;
    query.room = KILN_LEVELS_MOST;
    query.caller = caller;
    return whole_query(&query, a, pose_a, b, pose_b, options, answer);
}

kiln_status kiln_collide_likely(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                                const kiln_pose *pose_b, const kiln_likely_options *options,
                                kiln_likely_answer *answer)
{
    if (a == NULL || b == NULL || answer == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    kiln_likely_options full = kiln_likely_options_of(KILN_LIKELY_DEFAULT);
    kiln_options_take(&full, sizeof full, options);
    const bool deep = a->view.entry->depth + b->view.entry->depth > DEPTHS_COMMON;
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(go, deep ? query_deep : query_common);
    const kiln_status status = go(caller, a, pose_a, b, pose_b, &full, answer);
    kiln_fpu_leave(caller);
    return status;
}

/* ---------------------------------------------------------------------------- many at a time -- */

/* Queries that are not decided, by how uncertain their answers are, first come first served. */
typedef struct {
    kiln_likely *first[SHELVES], *last[SHELVES];
} shelves;

/* The more uncertain, the higher the shelf. Probabilities 1/2 are on the highest. */
static void put_on_shelf(shelves *s, kiln_likely *query)
{
    const double p = said_probability(query);
    const double doubt = p < 0.5 ? p : 1.0 - p; /* [0, 1/2] */
    int i = (int)(doubt * (2 * SHELVES));
    i = i < SHELVES ? i : SHELVES - 1;
    query->next = NULL;
    if (s->first[i] == NULL) {
        s->first[i] = query;
    } else {
        s->last[i]->next = query;
    }
    s->last[i] = query;
}

static kiln_likely *take_from_shelf(shelves *s)
{
    for (int i = SHELVES - 1; i >= 0; i--) {
        kiln_likely *query = s->first[i];
        if (query != NULL) {
            s->first[i] = query->next;
            return query;
        }
    }
    return NULL;
}

static void run_many(kiln_likely *const queries[], size_t count, uint64_t steps,
                     uint64_t nanoseconds)
{
    const kiln_deadline due = deadline_of(queries[0], nanoseconds);
    shelves s;
    memset(&s, 0, sizeof s);
    for (size_t i = 0; i < count; i++) {
        if (queries[i]->walk.state == KILN_WALK_GOES_ON) {
            put_on_shelf(&s, queries[i]);
        }
    }
    kiln_likely *query;
    while (steps > 0 && (query = take_from_shelf(&s)) != NULL) {
        kiln_likely_walk *walk = &query->walk;
        const uint64_t before = walk->steps;
        if (kiln_deadline_is_past(&due)) {
            return;
        }
        kiln_likely_walk_run(walk, steps < CHUNK ? steps : CHUNK, kiln_deadline_check(&due), &due);
        steps -= walk->steps - before;
        if (walk->state == KILN_WALK_GOES_ON) {
            put_on_shelf(&s, query);
        }
    }
}

kiln_status kiln_likely_run_all(kiln_likely *const queries[], size_t count, uint64_t steps,
                                uint64_t nanoseconds)
{
    if (queries == NULL && count > 0) {
        return KILN_ERROR_ARGUMENT;
    }
    for (size_t i = 0; i < count; i++) {
        if (queries[i] == NULL || !queries[i]->begun) {
            return KILN_ERROR_ARGUMENT;
        }
        queries[i]->listed = false;
    }
    for (size_t i = 0; i < count; i++) {
        if (queries[i]->listed) {
            return KILN_ERROR_ARGUMENT;
        }
        queries[i]->listed = true;
    }
    if (count > 0) {
        const kiln_fpu_state caller = kiln_fpu_enter();
        KILN_FPU_CALL(go, run_many);
        for (size_t i = 0; i < count; i++) {
            queries[i]->caller = caller;
        }
        go(queries, count, steps, nanoseconds);
        kiln_fpu_leave(caller);
    }
    return KILN_OK;
}
