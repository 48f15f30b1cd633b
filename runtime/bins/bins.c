/* Filled-bins probabilities as a caller wants them: arguments are checked, real ones are
 * rounded or interpolated, and Equation 8 of Klein and Zachmann 2003 bounds the probability of
 * a collision. Values come from a table (bins_lookup.c) or are computed (bins_closed.c).
 *
 * Why floor and ceiling bound (KILN_BINS_LOWER). Pr[C = t] is C(w, t) C(u - w, v - t) / C(u, v).
 * One more blue ball multiplies it by a constant times (u - w - v + t) / (v + 1 - t), which
 * rises with t; one more bin by a constant times (u + 1 - w) / (u + 1 - w - v + t), which falls
 * with t; red balls are as blue ones. A distribution whose ratio to another rises with t lies
 * higher in every Pr[C >= x], so P rises in v and w and falls in u. With s rounded up, sA and sB
 * down, P is at most its value at each of the whole neighbours, and v, w <= u holds since sA, sB
 * <= s. A neighbour with more balls than bins is taken with v = u, which has more balls and no
 * more bins than the corner of the bound too. */
#include "bins.h"

#include "../../formats/assert.h"
#include "../base/fpu.h"

enum { EQUATION_8_X = 10 };

static const kiln_bins *table_or_closed(const kiln_bins *table)
{
    return table != NULL ? table : &kiln_bins_closed;
}

kiln_bins_info kiln_bins_get_info(const kiln_bins *table)
{
    table = table_or_closed(table);
    const kiln_bins_info info = {table->profile->name, table->rounded_down, table->max_u,
                                 table->max_x,         table->certificate,  table->bytes};
    return info;
}

/* -------------------------------------------------------------------------- whole arguments -- */

static kiln_status check_whole(const kiln_bins *table, uint32_t u, uint32_t v, uint32_t w,
                               uint32_t x)
{
    if (u > KILN_BINS_MAX_U || v > u || w > u || x > KILN_BINS_MAX_X) {
        return KILN_ERROR_ARGUMENT;
    }
    return u <= table->max_u && x <= table->max_x ? KILN_OK : KILN_ERROR_NOT_LOADED;
}

/* The lookup in the environment that its bounds are derived for. */
static void look_up_in_environment(const kiln_bins *table, uint32_t u, uint32_t v, uint32_t w,
                                   uint32_t count, double p[])
{
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, table->profile->lookup);
    run(table, u, v, w, count, p);
    kiln_fpu_leave(caller);
}

kiln_status kiln_bins_probabilities(const kiln_bins *table, uint32_t u, uint32_t v, uint32_t w,
                                    uint32_t count, double p[])
{
    table = table_or_closed(table);
    if (p == NULL || count == 0) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_status status = check_whole(table, u, v, w, count);
    if (status == KILN_OK) {
        look_up_in_environment(table, u, v, w, count, p);
    }
    return status;
}

kiln_status kiln_bins_probability(const kiln_bins *table, uint32_t u, uint32_t v, uint32_t w,
                                  uint32_t x, double *p)
{
    table = table_or_closed(table);
    if (p == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_status status = check_whole(table, u, v, w, x);
    if (status == KILN_OK && x == 0) {
        *p = 1;
    } else if (status == KILN_OK) {
        double all[KILN_BINS_MAX_X];
        look_up_in_environment(table, u, v, w, x, all);
        *p = all[x - 1];
    }
    return status;
}

/* --------------------------------------------------------------------------- real arguments -- */

/* The arguments of the calls with real s, sA, sB: one list for all three. */
typedef struct {
    const kiln_bins *table;
    double s, sa, sb, lb;
    kiln_bins_rounding mode;
    uint32_t count;
} real_question;

static uint32_t round_up(double value)
{
    const uint32_t below = (uint32_t)value;
    return below + ((double)below < value);
}

static kiln_status check_real(const real_question *q)
{
    if (!(q->s <= KILN_BINS_MAX_U) || !(q->sa >= 0 && q->sa <= q->s) ||
        !(q->sb >= 0 && q->sb <= q->s) || !(q->lb >= 0 && q->lb <= 1) ||
        (q->mode != KILN_BINS_LOWER && q->mode != KILN_BINS_INTERPOLATED) || q->count == 0 ||
        q->count > KILN_BINS_MAX_X) {
        return KILN_ERROR_ARGUMENT;
    }
    const bool held = round_up(q->s) <= q->table->max_u && q->count <= q->table->max_x;
    return held ? KILN_OK : KILN_ERROR_NOT_LOADED;
}

/* A whole neighbour of the question and its weight. */
typedef struct {
    uint32_t u, v, w;
    double weight;
} corner;

static corner lower_corner(const real_question *q)
{
    const corner c = {round_up(q->s), (uint32_t)q->sa, (uint32_t)q->sb, 1};
    return c;
}

/* The two whole neighbours of a value and their weights: 1 and 0 where it is whole itself. */
typedef struct {
    uint32_t at[2];
    double weight[2];
} neighbours;

/* The whole numbers around a value, weighted for linear interpolation. A value that is whole gives
 * the upper one no weight. */
static neighbours neighbours_of(double value)
{
    const uint32_t below = (uint32_t)value;
    const double fraction = value - below;
    const neighbours both = {{below, below + 1}, {1 - fraction, fraction}};
    return both;
}

/* The neighbours of the question that have a weight, and how many: the others may be beyond the
 * table. */
static unsigned mean_corners(const real_question *q, corner corners[8])
{
    const neighbours u = neighbours_of(q->s), v = neighbours_of(q->sa), w = neighbours_of(q->sb);
    unsigned count = 0;
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned j = 0; j < 2; j++) {
            for (unsigned k = 0; k < 2; k++) {
                corner *c = &corners[count];
                c->u = u.at[i];
                c->v = v.at[j] < c->u ? v.at[j] : c->u;
                c->w = w.at[k] < c->u ? w.at[k] : c->u;
                c->weight = u.weight[i] * v.weight[j] * w.weight[k];
                count += c->weight > 0;
            }
        }
    }
    return count;
}

/* P of each x for real arguments, by the mode. */
static void probabilities(const real_question *q, double p[])
{
    KILN_ASSERT(q->count >= 1 && q->count <= q->table->max_x);
    if (q->mode == KILN_BINS_LOWER) {
        const corner c = lower_corner(q);
        q->table->profile->lookup(q->table, c.u, c.v, c.w, q->count, p);
        const double less = q->table->rounded_down ? 0 : q->table->certificate;
        for (uint32_t i = 0; i < q->count; i++) {
            const bool certain = i + 1 + c.u <= c.v + c.w;
            p[i] = certain ? 1 : p[i] > less ? p[i] - less : 0;
        }
        return;
    }
    /* The mean over the neighbours. Roundings: a weight is within 5 e of itself (e = 2^-53), a
     * product e, a sum of eight 7 e: below 2^-49. The weights so rounded may sum to a little more
     * than 1. */
    double mean[KILN_BINS_MAX_X] = {0}, at[KILN_BINS_MAX_X];
    corner corners[8];
    const unsigned count = mean_corners(q, corners);
    for (const corner *c = corners; c < corners + count; c++) {
        q->table->profile->lookup(q->table, c->u, c->v, c->w, q->count, at);
        for (uint32_t i = 0; i < q->count; i++) {
            mean[i] += c->weight * at[i];
        }
    }
    for (uint32_t i = 0; i < q->count; i++) {
        p[i] = mean[i] < 1 ? mean[i] : 1;
    }
}

/* Equation 8. 1 - (1 - lb)^x grows with x without cancellation, 3 e a step: for x <= 10 a
 * product is within 28 e of itself, and a bound that stays one gives away 64 e = 2^-47. */
static void collision_bound(const real_question *q, double *best, uint32_t *x_best)
{
    double p[KILN_BINS_MAX_X];
    probabilities(q, p);
    double any = q->lb; /* 1 - (1 - lb)^x */
    *best = any * p[0];
    *x_best = 1;
    for (uint32_t x = 2; x <= q->count; x++) {
        any += (1 - any) * q->lb;
        if (any * p[x - 1] > *best) {
            *best = any * p[x - 1];
            *x_best = x;
        }
    }
    if (q->mode == KILN_BINS_LOWER) {
        *best *= 1 - 0x1p-47;
    }
}

/* ------------------------------------------------------------------------ in the environment -- */

/* How a question is answered: checks it, then writes p and what else the question has. */
typedef kiln_status answer(const real_question *q, double p[], uint32_t *x_best);

static kiln_status answer_probabilities(const real_question *q, double p[], uint32_t *x_best)
{
    (void)x_best;
    const kiln_status status = check_real(q);
    if (status == KILN_OK) {
        probabilities(q, p);
    }
    return status;
}

static kiln_status answer_bound(const real_question *q, double p[], uint32_t *x_best)
{
    const kiln_status status = check_real(q);
    if (status == KILN_OK) {
        uint32_t x;
        collision_bound(q, p, &x);
        if (x_best != NULL) {
            *x_best = x;
        }
    }
    return status;
}

/* The expected bound needs no table: only the evaluator has distributions as a whole. */
static kiln_status answer_expected(const real_question *q, double p[], uint32_t *x_best)
{
    (void)x_best;
    const kiln_status status = check_real(q);
    if (status == KILN_OK) {
        double mean = 0;
        corner corners[8];
        unsigned count = 1;
        corners[0] = lower_corner(q);
        if (q->mode != KILN_BINS_LOWER) {
            count = mean_corners(q, corners);
        }
        for (const corner *c = corners; c < corners + count; c++) {
            mean += c->weight * kiln_bins_closed_expected(c->u, c->v, c->w, q->lb);
        }
        if (q->mode == KILN_BINS_LOWER) {
            *p = mean > KILN_BINS_EXPECTED_ERROR ? mean - KILN_BINS_EXPECTED_ERROR : 0;
        } else {
            *p = mean < 1 ? mean : 1;
        }
    }
    return status;
}

static kiln_status answer_in_bins_environment(answer *by, const real_question *q, double p[],
                                              uint32_t *x_best)
{
    if (p == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, by);
    const kiln_status status = run(q, p, x_best);
    kiln_fpu_leave(caller);
    return status;
}

kiln_status kiln_bins_probabilities_real(const kiln_bins *table, double s, double sa, double sb,
                                         kiln_bins_rounding mode, uint32_t count, double p[])
{
    const real_question question = {table_or_closed(table), s, sa, sb, 0, mode, count};
    return answer_in_bins_environment(answer_probabilities, &question, p, NULL);
}

kiln_status kiln_bins_collision_bound(const kiln_bins *table, double s, double sa, double sb,
                                      double lb, kiln_bins_rounding mode, uint32_t *x_best,
                                      double *p)
{
    table = table_or_closed(table);
    const uint32_t count = table->max_x < EQUATION_8_X ? table->max_x : EQUATION_8_X;
    const real_question question = {table, s, sa, sb, lb, mode, count};
    return answer_in_bins_environment(answer_bound, &question, p, x_best);
}

kiln_status kiln_bins_collision_expected(double s, double sa, double sb, double lb,
                                         kiln_bins_rounding mode, double *p)
{
    const real_question question = {&kiln_bins_closed, s, sa, sb, lb, mode, 1};
    return answer_in_bins_environment(answer_expected, &question, p, NULL);
}
