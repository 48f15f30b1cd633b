/* Time-critical queries by themselves, in three measurements over the poses of one object.
 *
 * Calibration watches queries weigh pairs of boxes, tests for every 8th pair whether the triangles
 * below it meet, and compares this with the probability that the query estimated; answers after 16,
 * 32 and 64 pairs likewise. Errors by gap move a copy in and out from contacts that are found by
 * bisection, since poses at random hardly ever lie near a contact, where queries are hard. Budgets
 * time each query once: the least of several times would hide the deadlines that are missed. */
#include "timed.h"

#include "numbers.h"

#include "../../../formats/assert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 4096, CAPACITY_TIMED = 1024, ROUNDS_EXACT = 3 };

/* ------------------------------------------------------------------------------- calibration -- */

static const uint64_t answer_pairs[] = {16, 32, 64};

void bench_calibration_begin(bench_samples sets[BENCH_SAMPLE_SETS])
{
    static const char *const names[BENCH_SAMPLE_SETS] = {
        "pairs",
        "pairs, as fitted",
        "pairs, first 64",
        "answers, 16 pairs",
        "answers, 32 pairs",
        "answers, 64 pairs",
        "answers",
    };
    for (int i = 0; i < BENCH_SAMPLE_SETS; i++) {
        bench_samples_begin(&sets[i], names[i]);
    }
}

/* A query in memory of its own, and where the pairs go that it is watched weighing. */
typedef struct {
    void *memory;
    kiln_adb *query;
    uint64_t random;
    bench_samples *samples;
} watched;

static bool watched_make(watched *w, uint32_t capacity)
{
    const size_t size = kiln_adb_size(capacity);
    memset(w, 0, sizeof *w);
    w->random = 2;
    w->memory = malloc(size);
    return w->memory != NULL && kiln_adb_place(w->memory, size, &w->query) == KILN_OK;
}

/* Every 8th pair: neighbours are alike. */
static void judge_pair(void *user, const kiln_adb *query, const kiln_adb_observation *seen)
{
    watched *w = user;
    KILN_ASSERT(w->samples != NULL);
    KILN_ASSERT(seen->probability >= 0 && seen->probability <= 1);
    bool meet = false;
    if (bench_random_below(&w->random, 8) == 0 &&
        kiln_adb_observed_meet(query, seen, &meet) == KILN_OK) {
        bench_samples_add(w->samples, seen->probability, meet);
    }
}

static double answer_after(watched *w, uint64_t pairs)
{
    kiln_adb_answer answer = {.probability = 0};
    (void)kiln_adb_run(w->query, pairs, UINT64_MAX);
    (void)kiln_adb_get_answer(w->query, &answer);
    return answer.probability;
}

/* Goes on until nothing is left or the budget ends: what a caller with a deadline sees. */
static kiln_adb_options to_the_end(void)
{
    kiln_adb_options options = kiln_adb_options_of(KILN_ADB_DEFAULT);
    options.p_min = 1;
    options.epsilon = 0;
    return options;
}

static void add_pairs(watched *w, const kiln_tree *tree, const kiln_pose *pose,
                      kiln_adb_options options, uint64_t budget, bench_samples *samples)
{
    options.observer = judge_pair;
    options.observer_user = w;
    w->samples = samples;
    (void)kiln_adb_begin(w->query, tree, NULL, tree, pose, &options);
    (void)kiln_adb_run(w->query, budget, UINT64_MAX);
}

/* A query is begun several times for each pose: once for each of the sets that want other options.
 * Pairs come by the hundred where a query opens everything, so that these sets take every 4th pose
 * only. */
bool bench_calibration_add(const bench_subject *subject, kiln_adb_mode mode,
                           const bench_watch *watch, bench_samples sets[BENCH_SAMPLE_SETS])
{
    const kiln_tree *tree = subject->tree;
    const kiln_adb_options options = kiln_adb_options_of(mode);
    const kiln_adb_options to_end = to_the_end();
    kiln_adb_options fitted =
        kiln_adb_options_of(KILN_ADB_DEFAULT); /* by whose pairs weights are */
    watched w;
    bool good = watched_make(&w, CAPACITY);
    fitted.p_min = 0.97;
    fitted.epsilon = 0.02;
    for (size_t i = 0; i < subject->count && good; i++) {
        const kiln_pose *pose = &subject->poses[i].pose;
        uint64_t spent = 0;
        (void)kiln_adb_begin(w.query, tree, NULL, tree, pose, &to_end);
        for (int k = 0; k < 3; k++) {
            bench_samples_add(&sets[BENCH_ANSWERS_16 + k],
                              answer_after(&w, answer_pairs[k] - spent), subject->truth[i]);
            spent = answer_pairs[k];
        }
        (void)kiln_adb_begin(w.query, tree, NULL, tree, pose, &options);
        bench_samples_add(&sets[BENCH_ANSWERS], answer_after(&w, UINT64_MAX), subject->truth[i]);
        add_pairs(&w, tree, pose, options, UINT64_MAX, &sets[BENCH_PAIRS]);
        if (i % 4 == 0) { /* these have many */
            add_pairs(&w, tree, pose, fitted, 64, &sets[BENCH_PAIRS_FITTED]);
            add_pairs(&w, tree, pose, to_end, 64, &sets[BENCH_PAIRS_TO_THE_END]);
            watch->step(watch->user, "calibrate", (double)i / (double)subject->count);
        }
    }
    free(w.memory);
    for (int i = 0; i < BENCH_SAMPLE_SETS; i++) {
        good = good && !sets[i].failed;
    }
    return good;
}

/* ----------------------------------------------------------------------------- errors by gap -- */

const double bench_gaps[BENCH_GAPS] = {-0.1,  -0.05, -0.025, -0.01, -0.005,
                                       0.005, 0.01,  0.025,  0.05,  0.1};

/* A pose at the outermost contact along a random direction. Distances in halves of the longest
 * side. */
typedef struct {
    double rotation[9], way[3], distance;
} contact;

static kiln_pose at_distance(const bench_subject *subject, const contact *c, double distance)
{
    return zachmann_place(&subject->box, c->rotation, c->way, distance * subject->box.side);
}

static bool meet_at(const bench_subject *subject, const contact *c, double distance)
{
    const kiln_pose pose = at_distance(subject, c, distance);
    return bench_exact(subject->tree, &pose);
}

static bool find_contact(const bench_subject *subject, uint64_t *random, contact *c)
{
    double aim[9];
    zachmann_rotation(random, aim);
    zachmann_rotation(random, c->rotation);
    for (int k = 0; k < 3; k++) {
        c->way[k] = aim[3 * k];
    }
    double outer = 3.5, inner = outer; /* boxes of half side 1 are apart at 2 sqrt 3 */
    while (inner > 0 && !meet_at(subject, c, inner)) {
        outer = inner;
        inner -= 0.04;
    }
    for (int i = 0; inner > 0 && i < 30; i++) {
        const double middle = (outer + inner) / 2;
        if (meet_at(subject, c, middle)) {
            inner = middle;
        } else {
            outer = middle;
        }
    }
    c->distance = outer;
    return inner > 0;
}

void bench_gaps_add(const bench_subject *subject, unsigned contacts, const bench_watch *watch,
                    bench_gap_errors *errors)
{
    uint64_t random = ZACHMANN_SEED_TEST;
    bench_point points[BENCH_POINTS];
    bench_points(points);
    for (unsigned found = 0, tries = 0; found < contacts && tries < 10 * contacts; tries++) {
        contact c;
        if (!find_contact(subject, &random, &c)) {
            continue;
        }
        found++;
        errors->queried++;
        for (int g = 0; g < BENCH_GAPS; g++) {
            const kiln_pose pose = at_distance(subject, &c, c.distance + 2 * bench_gaps[g]);
            const bool truth = bench_exact(subject->tree, &pose);
            for (int p = 0; p < BENCH_POINTS; p++) {
                kiln_adb_answer answer = {.probability = 0};
                errors->wrong[p][g] +=
                    bench_point_ask(&points[p], subject->tree, &pose, &answer) != truth;
            }
        }
        watch->step(watch->user, "gaps", (double)found / contacts);
    }
}

/* ----------------------------------------------------------------------------------- budgets -- */

void bench_budget_free(bench_budget *budget)
{
    free(budget->overshoot);
    memset(budget, 0, sizeof *budget);
}

static void query_within(kiln_adb *query, const bench_subject *subject, kiln_adb_mode mode,
                         const double exact[], bench_budget *budget)
{
    const kiln_adb_options options = kiln_adb_options_of(mode);
    const double share = 1 / fmax((double)subject->count, 1);
    for (size_t i = 0; i < subject->count; i++) {
        kiln_adb_answer answer = {.probability = 0};
        (void)kiln_adb_begin(query, subject->tree, NULL, subject->tree, &subject->poses[i].pose,
                             &options);
        const double start = bench_now();
        (void)kiln_adb_run(query, UINT64_MAX, budget->nanoseconds);
        budget->overshoot[budget->count++] = bench_now() - start - (double)budget->nanoseconds;
        (void)kiln_adb_get_answer(query, &answer);
        budget->error += (answer.probability > 0.5) != subject->truth[i] ? share : 0;
        budget->undecided += answer.verdict == KILN_ADB_UNDECIDED ? share : 0;
        budget->late += exact[i] > (double)budget->nanoseconds ? share : 0;
    }
    budget->objects++;
}

bool bench_budgets_add(const bench_subject *subject, kiln_adb_mode mode, const bench_watch *watch,
                       bench_budget budgets[], unsigned count)
{
    watched w;
    double *exact = malloc((subject->count + 1) * sizeof *exact);
    bool good = watched_make(&w, CAPACITY_TIMED) && exact != NULL;
    if (!good) {
        goto done;
    }
    /* What the exact query takes at each pose: the least of three times. */
    const double clock_cost = bench_clock_cost();
    for (int round = 0; round < ROUNDS_EXACT; round++) {
        for (size_t i = 0; i < subject->count; i++) {
            const double start = bench_now();
            (void)bench_exact(subject->tree, &subject->poses[i].pose);
            const double time = bench_net(bench_now() - start, clock_cost);
            exact[i] = round == 0 ? time : fmin(exact[i], time);
        }
    }
    for (unsigned b = 0; b < count; b++) {
        double *room =
            realloc(budgets[b].overshoot, (budgets[b].count + subject->count + 1) * sizeof *room);
        if (room == NULL) {
            good = false;
            goto done;
        }
        budgets[b].overshoot = room;
        query_within(w.query, subject, mode, exact, &budgets[b]);
        watch->step(watch->user, "budgets", (double)(b + 1) / count);
    }
done:
    free(w.memory);
    free(exact);
    return good;
}
