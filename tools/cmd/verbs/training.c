/* Training data for the weights of counted queries: a tree is posed against a copy of itself
 * at many distances, queries are run, and what they look at is paired with the exact truth.
 *
 * Poses follow Zachmann ("Minimal Hierarchical Collision Detection", VRST 2002): distances of the
 * middles in steps, uniform random rotations and directions (zachmann.c), from a fixed seed, so
 * that the same files give the same weights on every machine. A query with an observer reports each
 * pair of boxes that it weighs; neighbouring observations are alike, so that one of eight is kept.
 * All observations of a tree together weigh as much as those of any other, large or small. */
#include "training.h"

#include "../../../formats/assert.h"
#include "../../../formats/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAIRS_A_QUERY = 64, /* what a query with a tight budget gets to see */
    ONE_OF = 8,         /* so many observations one is kept: neighbours are alike */
    CAPACITY = 1024
};

KILN_STATIC_ASSERT((int)KILN_ADB_FEATURES < (int)KILN_FIT_TERMS, "each feature has a term");

#define WEIGHT_OF_A_TREE 1000.0

/* Pairs are observed in two sorts of query, which weigh the same: one much like the default, whose
 * pairs matter most, and one that goes on where the default ends, so that pairs on the way to sure
 * answers are in the data as well; it leaves out only pairs that no caller would open. */
#define P_MIN_SOON 0.87
#define P_MIN 0.97
#define EPSILON 0.02

/* p_min of the queries whose decided answers are observed; epsilon is the default. */
static const double answered_from[] = {0.7, 0.75, 0.8, 0.85, 0.9, 0.95};
enum { ANSWERED_FROM = sizeof answered_from / sizeof answered_from[0] };

/* The weight `yes` of training queries. Roots are opened unless they are far surer than any p_min
 * here: an answer from the roots alone would leave nothing to learn from at most poses. */
#define ROOTS_OPENED 5.0f

#define PROBABILITY_MOST 0.9999999 /* so that log-odds are finite */
#define PROBABILITY_LEAST 1e-9

/* ------------------------------------------------------------------------------------- poses -- */

/* Draws and distances are interleaved, so that the first poses have all distances. */
bool training_poses_draw(const kiln_tree *tree, unsigned draws, training_poses *out)
{
    uint64_t state = TRAINING_SEED;
    KILN_ASSERT(draws > 0);
    out->count = 0;
    out->poses = malloc((size_t)draws * KILN_ZACHMANN_DISTANCES * sizeof *out->poses);
    out->hits = malloc((size_t)draws * KILN_ZACHMANN_DISTANCES * sizeof *out->hits);
    if (out->poses == NULL || out->hits == NULL) {
        training_poses_free(out);
        return false;
    }
    for (unsigned i = 0; i < draws * KILN_ZACHMANN_DISTANCES; i++) {
        kiln_pose pose;
        kiln_zachmann_draw(&state, tree, tree, 1.0, i, &pose);

        /* A query of no steps says "no" where the boxes of the roots are apart: nothing to
         * learn. */
        kiln_adb_answer roots = {.verdict = KILN_ADB_NO};
        (void)kiln_adb_collide(tree, NULL, tree, &pose, NULL, 0, UINT64_MAX, &roots);
        if (roots.verdict != KILN_ADB_NO) {
            kiln_hit hit = {.found = false};
            (void)kiln_collide(tree, NULL, tree, &pose, NULL, &hit);
            out->hits[out->count] = hit.found;
            out->poses[out->count++] = pose;
        }
    }
    KILN_ASSERT(out->count <= (size_t)draws * KILN_ZACHMANN_DISTANCES);
    return true;
}

void training_poses_free(training_poses *poses)
{
    free(poses->poses);
    free(poses->hits);
    memset(poses, 0, sizeof *poses);
}

/* ------------------------------------------------------------------------------ observations -- */

void training_free(training_set *set)
{
    free(set->pairs.cases);
    free(set->roots.cases);
    free(set->decided.cases);
    memset(set, 0, sizeof *set);
}

/* The list grows by doubling. False: no memory. */
bool training_cases_add(training_cases *list, const kiln_fit_case *of)
{
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity > 0 ? 2 * list->capacity : 1024;
        kiln_fit_case *more = realloc(list->cases, capacity * sizeof *more);
        if (more == NULL) {
            return false;
        }
        list->cases = more;
        list->capacity = capacity;
    }
    KILN_ASSERT(list->count < list->capacity);
    list->cases[list->count++] = *of;
    return true;
}

typedef struct {
    training_set *set;
    uint64_t random;
} observer;

/* Called by a query for each pair of boxes: keeps one of several, with whether the contents
 * meet. */
static void keep_observation(void *user, const kiln_adb *query, const kiln_adb_observation *seen)
{
    observer *w = user;
    KILN_ASSERT(w->set != NULL);
    const bool roots = seen->lane[0] == 255 && seen->lane[1] == 255;
    bool meet = false;
    if ((!roots && kiln_random_next(&w->random) % ONE_OF != 0) ||
        kiln_adb_observed_meet(query, seen, &meet) != KILN_OK) {
        return;
    }
    kiln_fit_case of = {.weight = 1.0f, .yes = meet};
    memcpy(of.feature, seen->features, sizeof seen->features);
    if (!training_cases_add(roots ? &w->set->roots : &w->set->pairs, &of)) {
        w->set->failed = true;
    }
}

void training_cases_share(training_cases *list, size_t first)
{
    KILN_ASSERT(first <= list->count);
    for (size_t i = first; i < list->count; i++) {
        list->cases[i].weight = (float)(WEIGHT_OF_A_TREE / (double)(list->count - first));
    }
}

/* A query lives in the caller's memory; this much is enough for every budget used here. */
static kiln_adb *place_query(uint64_t memory[4 * CAPACITY])
{
    kiln_adb *query;
    (void)kiln_adb_place(memory, 4 * CAPACITY * sizeof memory[0], &query);
    return query;
}

/* Observes queries with these options at all poses. */
static void observe(training_set *set, const kiln_tree *tree, const training_poses *poses,
                    kiln_adb_options options)
{
    uint64_t memory[4 * CAPACITY];
    kiln_adb *query = place_query(memory);
    observer w = {set, TRAINING_SEED};
    options.observer = keep_observation;
    options.observer_user = &w;
    const size_t pairs = set->pairs.count, roots = set->roots.count;
    for (size_t i = 0; i < poses->count; i++) {
        if (kiln_adb_begin(query, tree, NULL, tree, &poses->poses[i], &options) == KILN_OK) {
            (void)kiln_adb_run(query, PAIRS_A_QUERY, UINT64_MAX);
        }
    }
    training_cases_share(&set->pairs, pairs);
    training_cases_share(&set->roots, roots);
}

/* Weights let the roots decide only where they are surer than any p_min here. */
void training_observe(training_set *set, const kiln_tree *tree, const training_poses *poses,
                      const kiln_adb_weights *weights)
{
    kiln_adb_options options = kiln_adb_options_of(KILN_ADB_DEFAULT);
    kiln_adb_weights opening = *weights;
    opening.yes = ROOTS_OPENED;
    options.p_min = P_MIN_SOON;
    options.weights = &opening;
    observe(set, tree, poses, options);
    options.p_min = P_MIN;
    options.epsilon = EPSILON;
    observe(set, tree, poses, options);
}

/* Queries end by p_min or epsilon; each p_min gives answers of another confidence. */
void training_decide(training_set *set, const kiln_tree *tree, const training_poses *poses,
                     const kiln_adb_weights *weights)
{
    kiln_adb_options options = kiln_adb_options_of(KILN_ADB_DEFAULT);
    kiln_adb_weights opening = *weights;
    opening.yes = ROOTS_OPENED;
    options.weights = &opening;
    const size_t first = set->decided.count;
    for (int k = 0; k < ANSWERED_FROM; k++) {
        options.p_min = answered_from[k];
        for (size_t i = 0; i < poses->count; i++) {
            kiln_adb_answer answer = {.verdict = KILN_ADB_UNDECIDED};
            (void)kiln_adb_collide(tree, NULL, tree, &poses->poses[i], &options, PAIRS_A_QUERY,
                                   UINT64_MAX, &answer);
            /* Only answers that come from pairs that were opened; those of roots need no fit. */
            if (answer.verdict == KILN_ADB_UNDECIDED || answer.pairs == 0 ||
                answer.probability < PROBABILITY_LEAST) {
                continue;
            }
            const double p = fmin(answer.probability, PROBABILITY_MOST);
            const double added = answer.verdict == KILN_ADB_YES ? (double)ROOTS_OPENED : 0.0;
            const kiln_fit_case of = {.feature = {(float)(log(p / (1.0 - p)) - added),
                                                  answer.verdict == KILN_ADB_NO ? 1.0f : 0.0f},
                                      .yes = poses->hits[i]};
            set->failed = !training_cases_add(&set->decided, &of) || set->failed;
        }
    }
    training_cases_share(&set->decided, first);
}

/* p_min 1 and epsilon 0: no query decides by itself, and all end by the budget. */
void training_answer(const kiln_tree *tree, const training_poses *poses,
                     const kiln_adb_weights *weights, uint64_t budget, kiln_prediction *out)
{
    uint64_t memory[4 * CAPACITY];
    kiln_adb *query = place_query(memory);
    kiln_adb_options options = kiln_adb_options_of(KILN_ADB_DEFAULT);
    options.p_min = 1.0;
    options.epsilon = 0.0;
    options.weights = weights;
    for (size_t i = 0; i < poses->count; i++) {
        kiln_adb_answer answer = {.probability = 0.0};
        if (kiln_adb_begin(query, tree, NULL, tree, &poses->poses[i], &options) == KILN_OK) {
            (void)kiln_adb_run(query, budget, UINT64_MAX);
            (void)kiln_adb_get_answer(query, &answer);
        }
        out[i] = (kiln_prediction){(float)answer.probability, poses->hits[i]};
    }
}
