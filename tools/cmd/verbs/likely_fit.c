/* Fits the weights of time-critical queries.
 *
 * Two meshes are placed at poses as in training.h, a mesh against its copy, and against each other
 * at the ratios 1, 1/2 and 1/4 of their sizes. Three things are fitted, each by logistic
 * regression:
 *
 *   1. The log-odds of a lane, whose features a query shows to an observer together with the truth,
 *      which is the exact walk below the lane. What a query weighs depends on the weights, as it
 *      ends early by them, so this is done twice. All pairs of meshes weigh the same.
 *
 *   2. What a score means, at which a query ended early: over all poses and several thresholds, one
 *      line for queries without a budget and one for those with, which weigh more nodes.
 *
 *   3. What the waiting lanes of a query mean whose budget has ended, over several budgets.
 *
 * The first look is by weights found on other meshes. */
#include "likely_fit.h"

#include "../../../formats/assert.h"
#include "../../../formats/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 2, RATIOS = 3, THRESHOLDS = 6, BUDGETS = 6, STEPS_OBSERVED = 16 };

#define LOSS_LEAST 0x1p-6 /* as likely.c has it */

static const double ratios[RATIOS] = {1.0, 0.5, 0.25};
static const double thresholds[THRESHOLDS] = {2.5, 3.0, 3.5, 4.0, 4.5, 5.0};
static const uint64_t budgets[BUDGETS] = {1, 2, 4, 8, 16, 32};

static const kiln_likely_weights start_weights = {
    .bias = 3.372f,
    .feature = {0.389f, 2.414f, 0.579f, -0.675f, 0.144f, -0.231f, -0.774f, 0.176f},
    .early = 0.474f,
    .early_score = 0.643f};

/* Two trees and the poses of the second one. */
typedef struct {
    const kiln_tree *a, *b;
    kiln_pose *poses;
    bool *hits;
    size_t count;
} lesson;

/* Keeps the poses at which the boxes of both may meet. */
static bool draw_poses(lesson *of, double ratio, unsigned draws)
{
    kiln_likely_options first = kiln_likely_options_of(KILN_LIKELY_DEFAULT);
    uint64_t state = TRAINING_SEED;
    first.steps = 1;
    of->count = 0;
    of->poses = malloc((size_t)draws * KILN_ZACHMANN_DISTANCES * sizeof *of->poses);
    of->hits = malloc((size_t)draws * KILN_ZACHMANN_DISTANCES * sizeof *of->hits);
    if (of->poses == NULL || of->hits == NULL) {
        return false;
    }
    for (unsigned i = 0; i < draws * KILN_ZACHMANN_DISTANCES; i++) {
        kiln_pose *pose = &of->poses[of->count];
        kiln_likely_answer answer = {.steps = 0};
        kiln_hit hit = {.found = false};
        kiln_zachmann_draw(&state, of->a, of->b, ratio, i, pose);
        (void)kiln_collide_likely(of->a, NULL, of->b, pose, &first, &answer);
        if (answer.steps > 0) {
            (void)kiln_collide(of->a, NULL, of->b, pose, NULL, &hit);
            of->hits[of->count++] = hit.found;
        }
    }
    return true;
}

/* --------------------------------------------------------------------------------- observing -- */

typedef struct {
    training_cases cases;
    bool failed;
} collector;

KILN_STATIC_ASSERT(KILN_FIT_TERMS - 1 >= KILN_LIKELY_FEATURES, "a term for every feature");

static void keep_lane(void *user, const kiln_likely_seen *seen)
{
    collector *to = user;
    kiln_fit_case of = {.weight = 1.0f, .yes = seen->meet};
    memcpy(of.feature, seen->feature, sizeof seen->feature);
    to->failed = !training_cases_add(&to->cases, &of) || to->failed;
}

/* Lanes that queries with and without a budget weigh. */
static void observe(const lesson *of, const kiln_likely_weights *weights, collector *to)
{
    kiln_likely_options options = kiln_likely_options_of(KILN_LIKELY_DEFAULT);
    kiln_likely_answer answer;
    const size_t first = to->cases.count;
    options.weights = weights;
    options.observer = keep_lane;
    options.observer_user = to;
    for (int budget = 0; budget < 2; budget++) {
        options.steps = budget == 1 ? STEPS_OBSERVED : UINT64_MAX;
        for (size_t i = 0; i < of->count; i++) {
            (void)kiln_collide_likely(of->a, NULL, of->b, &of->poses[i], &options, &answer);
        }
    }
    training_cases_share(&to->cases, first);
}

/* Scores at which queries ended early. With a budget that never ends every node is weighed. */
static void observe_early(const lesson *of, const kiln_likely_weights *weights, bool budget,
                          collector *to)
{
    kiln_likely_options options = kiln_likely_options_of(KILN_LIKELY_DEFAULT);
    options.weights = weights;
    options.steps = budget ? UINT64_MAX - 1 : UINT64_MAX;
    for (int t = 0; t < THRESHOLDS; t++) {
        options.threshold = thresholds[t];
        for (size_t i = 0; i < of->count; i++) {
            kiln_likely_answer answer = {.proved = true};
            (void)kiln_collide_likely(of->a, NULL, of->b, &of->poses[i], &options, &answer);
            if (!answer.proved) {
                const kiln_fit_case early = {
                    .feature = {(float)answer.score}, .weight = 1.0f, .yes = of->hits[i]};
                to->failed = !training_cases_add(&to->cases, &early) || to->failed;
            }
        }
    }
}

static void observe_undecided(const lesson *of, const kiln_likely_weights *weights, collector *to)
{
    kiln_likely_options options = kiln_likely_options_of(KILN_LIKELY_DEFAULT);
    options.weights = weights;
    for (int b = 0; b < BUDGETS; b++) {
        options.steps = budgets[b];
        for (size_t i = 0; i < of->count; i++) {
            kiln_likely_answer answer = {.verdict = KILN_LIKELY_NO};
            (void)kiln_collide_likely(of->a, NULL, of->b, &of->poses[i], &options, &answer);
            if (answer.verdict == KILN_LIKELY_UNDECIDED) {
                const kiln_fit_case open = {.feature = {(float)log2(fmax(answer.most, LOSS_LEAST)),
                                                        (float)log2(answer.rest + LOSS_LEAST),
                                                        (float)log2((double)answer.waiting)},
                                            .weight = 1.0f,
                                            .yes = of->hits[i]};
                to->failed = !training_cases_add(&to->cases, &open) || to->failed;
            }
        }
    }
}

/* ----------------------------------------------------------------------------------- fitting -- */

typedef struct {
    lesson *lessons;
    unsigned count;
} course;

static likely_fit_end fit_lanes(const course *c, likely_fit *out)
{
    collector lanes = {.failed = false};
    for (unsigned i = 0; i < c->count; i++) {
        observe(&c->lessons[i], &out->weights, &lanes);
    }
    kiln_prediction *said = malloc((lanes.cases.count + 1) * sizeof *said);
    likely_fit_end end = lanes.failed || said == NULL ? LIKELY_FIT_NO_MEMORY
                         : lanes.cases.count == 0     ? LIKELY_FIT_TOO_LITTLE
                                                      : LIKELY_FIT_DONE;
    if (end == LIKELY_FIT_DONE) {
        double w[KILN_FIT_TERMS];
        kiln_fit_logistic(lanes.cases.cases, lanes.cases.count, w);
        out->weights.bias = (float)w[0];
        for (int i = 0; i < KILN_LIKELY_FEATURES; i++) {
            out->weights.feature[i] = (float)w[1 + i];
        }
        for (size_t i = 0; i < lanes.cases.count; i++) {
            const kiln_fit_case *of = &lanes.cases.cases[i];
            said[i] = (kiln_prediction){(float)kiln_fit_probability(w, of->feature), of->yes};
        }
        out->lanes = lanes.cases.count;
        out->of_lanes = kiln_reliability_of(said, lanes.cases.count);
    }
    free(said);
    free(lanes.cases.cases);
    return end;
}

static likely_fit_end fit_answers(const course *c, likely_fit *out)
{
    collector early = {.failed = false}, all = early, open = early;
    for (unsigned i = 0; i < c->count; i++) {
        observe_early(&c->lessons[i], &out->weights, false, &early);
        observe_early(&c->lessons[i], &out->weights, true, &all);
        observe_undecided(&c->lessons[i], &out->weights, &open);
    }
    likely_fit_end end = LIKELY_FIT_DONE;
    if (early.failed || all.failed || open.failed) {
        end = LIKELY_FIT_NO_MEMORY;
    } else if (early.cases.count == 0 || all.cases.count == 0 || open.cases.count == 0) {
        end = LIKELY_FIT_TOO_LITTLE; /* weights of 0 would say 1/2 to everything */
    } else {
        double w[KILN_FIT_TERMS];
        kiln_fit_logistic(early.cases.cases, early.cases.count, w);
        out->weights.early = (float)w[0];
        out->weights.early_score = (float)w[1];
        kiln_fit_logistic(all.cases.cases, all.cases.count, w);
        out->weights.all = (float)w[0];
        out->weights.all_score = (float)w[1];
        kiln_fit_logistic(open.cases.cases, open.cases.count, w);
        out->weights.open = (float)w[0];
        out->weights.most = (float)w[1];
        out->weights.rest = (float)w[2];
        out->weights.waiting = (float)w[3];
    }
    free(early.cases.cases);
    free(all.cases.cases);
    free(open.cases.cases);
    return end;
}

/* The default mode at the poses that it was fitted to, which flatters it. */
static bool judge(const course *c, likely_fit *out)
{
    kiln_likely_options options = kiln_likely_options_of(KILN_LIKELY_DEFAULT);
    size_t count = 0;
    for (unsigned i = 0; i < c->count; i++) {
        count += c->lessons[i].count;
    }
    kiln_prediction *said = malloc((count + 1) * sizeof *said);
    options.weights = &out->weights;
    count = 0;
    for (unsigned i = 0; i < c->count && said != NULL; i++) {
        const lesson *of = &c->lessons[i];
        for (size_t p = 0; p < of->count; p++) {
            kiln_likely_answer answer = {.probability = 0};
            (void)kiln_collide_likely(of->a, NULL, of->b, &of->poses[p], &options, &answer);
            said[count++] = (kiln_prediction){(float)answer.probability, of->hits[p]};
        }
    }
    if (said != NULL) {
        out->of_answers = kiln_reliability_of(said, count);
    }
    free(said);
    return said != NULL;
}

likely_fit_end likely_fit_weights(const kiln_tree *const trees[], unsigned count, unsigned draws,
                                  likely_fit *out)
{
    KILN_ASSERT(count > 0 && draws > 0);
    /* A copy of each, and each two at every ratio. */
    const size_t most = count + (size_t)count * (count - 1) / 2 * RATIOS;
    course c = {.lessons = calloc(most, sizeof *c.lessons)};
    bool good = c.lessons != NULL;
    memset(out, 0, sizeof *out);
    out->weights = start_weights;
    for (unsigned i = 0; i < count && good; i++) {
        for (unsigned j = i; j < count && good; j++) {
            for (int r = 0; r < (i == j ? 1 : RATIOS) && good; r++) {
                lesson *of = &c.lessons[c.count];
                c.count++;
                of->a = trees[i];
                of->b = trees[j];
                good = draw_poses(of, ratios[r], draws);
            }
        }
    }
    likely_fit_end end = good ? LIKELY_FIT_DONE : LIKELY_FIT_NO_MEMORY;
    for (int round = 0; round < ROUNDS && end == LIKELY_FIT_DONE; round++) {
        end = fit_lanes(&c, out);
    }
    if (end == LIKELY_FIT_DONE) {
        end = fit_answers(&c, out);
    }
    if (end == LIKELY_FIT_DONE && !judge(&c, out)) {
        end = LIKELY_FIT_NO_MEMORY;
    }
    for (unsigned i = 0; i < c.count; i++) {
        free(c.lessons[i].poses);
        free(c.lessons[i].hits);
    }
    free(c.lessons);
    return end;
}
