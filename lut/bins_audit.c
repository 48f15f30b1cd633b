/* A second opinion on a table: nothing of the floating-point path, every value from exact
 * numerators. */
#include "bins.h"

#include "bins_exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_TURNS = 256 };

typedef struct {
    const kiln_bins_view *view;
    uint64_t sample;
    kiln_lut_bins_audit *audits; /* one a turn */
} auditing;

static void note(kiln_lut_bins_audit *audit, uint64_t *count, const kiln_lut_exact *exact,
                 uint32_t x)
{
    if (audit->at[0] == 0) {
        audit->at[0] = exact->u;
        audit->at[1] = exact->v;
        audit->at[2] = exact->w;
        audit->at[3] = x;
    }
    *count += 1;
}

static void judge_kept(const kiln_bins_view *view, kiln_lut_exact *exact, uint32_t x, double value,
                       kiln_lut_bins_audit *audit)
{
    double error;
    const kiln_lut_verdict verdict = kiln_lut_exact_judge(exact, x, view->header, value, &error);
    audit->values++;
    audit->worst_kept = fmax(audit->worst_kept, error);
    if (verdict == KILN_LUT_OFF) {
        note(audit, &audit->off, exact, x);
    } else if (verdict == KILN_LUT_WITHIN) {
        note(audit, &audit->misrounded, exact, x);
    }
}

/* What stands for the values of x beyond the row's end: 1, or, rounded down, the last one kept. */
static double value_beyond(const kiln_bins_view *view, const kiln_bins_row *row, uint32_t x)
{
    uint32_t segment, record;
    if (view->header->rounding != KILN_BINS_DOWN) {
        return 1.0;
    }
    kiln_bins_find(row, view->header->max_x, row->length[x - 1] - 1u, &segment, &record);
    return kiln_bins_view_value(view, segment, record, x - 1 - segment);
}

static void judge_beyond(const kiln_bins_view *view, const kiln_bins_row *row,
                         kiln_lut_exact *exact, uint32_t x, kiln_lut_bins_audit *audit)
{
    const double value = value_beyond(view, row, x);
    audit->beyond++;
    audit->worst_beyond = fmax(audit->worst_beyond, kiln_lut_exact_distance(exact, x, value));
    if (!kiln_lut_exact_is_near(exact, x, value, view->header->certificate_beyond)) {
        note(audit, &audit->off, exact, x);
    }
}

/* -------------------------------------------------------------------------------- everything -- */

/* Does the row of x end here as the cut says? It must not have ended one before. */
static void judge_end(const kiln_bins_row *row, kiln_lut_exact *exact, uint32_t x, uint32_t i,
                      kiln_lut_bins_audit *audit)
{
    const uint32_t length = row->length[x - 1];
    const bool ends = i + 1 == length, before = i + 2 == length;
    if (!ends && !before) {
        return;
    }
    const bool cut = kiln_lut_exact_is_cut(exact, x, KILN_LUT_CUT_MILLIONTHS);
    if (before ? cut : !cut && exact->w != exact->u) {
        note(audit, &audit->misplaced, exact, x);
    }
}

static void audit_row(const kiln_bins_view *view, kiln_lut_exact *exact, uint32_t u, uint32_t v,
                      kiln_lut_bins_audit *audit)
{
    const kiln_bins_row row = kiln_bins_view_row(view, kiln_bins_row_index(u, v));
    const uint32_t max_x = view->header->max_x;
    kiln_lut_exact_set(exact, u, v, v);
    for (uint32_t i = 0;; i++) {
        uint32_t segment, record;
        kiln_bins_find(&row, max_x, i, &segment, &record);
        for (uint32_t x = 1; x <= segment; x++) {
            if (i == row.length[x - 1]) { /* the first beyond, where 1 is furthest off */
                judge_beyond(view, &row, exact, x, audit);
            }
        }
        for (uint32_t x = segment + 1; x <= max_x; x++) {
            judge_kept(view, exact, x, kiln_bins_view_value(view, segment, record, x - 1 - segment),
                       audit);
            judge_end(&row, exact, x, i, audit);
        }
        if (segment == max_x || exact->w == u) {
            return;
        }
        kiln_lut_exact_step(exact);
    }
}

static void audit_turn(void *context, uint32_t turn)
{
    const auditing *work = context;
    const uint32_t u = work->view->header->max_u - turn; /* the longest first */
    kiln_lut_exact exact;
    kiln_lut_exact_init(&exact, work->view->header->max_x);
    for (uint32_t v = 1; v <= u; v++) {
        audit_row(work->view, &exact, u, v, &work->audits[turn]);
    }
    kiln_lut_exact_clear(&exact);
}

/* ----------------------------------------------------------------------------------- samples -- */

/* SplitMix64: a number for each counter. */
static uint64_t mixed(uint64_t counter)
{
    uint64_t z = (counter + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* 1 .. count */
static uint32_t drawn(uint64_t *counter, uint32_t count)
{
    return 1 + (uint32_t)((mixed((*counter)++) >> 32) * count >> 32);
}

/* From all places evenly: thrown away where v <= w <= u does not hold. */
static void draw_any(const kiln_bins_view *view, uint64_t *counter, uint32_t place[3])
{
    do {
        for (int i = 0; i < 3; i++) {
            place[i] = drawn(counter, view->header->max_u);
        }
    } while (place[1] > place[2] || place[2] > place[0]);
}

/* Among what rows keep, for smaller v more often: these have the long rows. */
static void draw_kept(const kiln_bins_view *view, uint64_t *counter, uint32_t place[3])
{
    place[0] = drawn(counter, view->header->max_u);
    place[1] = drawn(counter, drawn(counter, drawn(counter, place[0])));
    const kiln_bins_row row = kiln_bins_view_row(view, kiln_bins_row_index(place[0], place[1]));
    place[2] = place[1] + drawn(counter, row.length[view->header->max_x - 1]) - 1;
}

static void audit_place(const kiln_bins_view *view, kiln_lut_exact *exact, uint64_t number,
                        kiln_lut_bins_audit *audit)
{
    uint64_t counter = number << 8;
    uint32_t place[3], segment, record;
    (number % 2 == 0 ? draw_any : draw_kept)(view, &counter, place);
    const uint32_t x = drawn(&counter, view->header->max_x);
    const kiln_bins_row row = kiln_bins_view_row(view, kiln_bins_row_index(place[0], place[1]));
    kiln_bins_find(&row, view->header->max_x, place[2] - place[1], &segment, &record);
    kiln_lut_exact_set(exact, place[0], place[1], place[2]);
    if (x <= segment) {
        judge_beyond(view, &row, exact, x, audit);
    } else {
        judge_kept(view, exact, x, kiln_bins_view_value(view, segment, record, x - 1 - segment),
                   audit);
    }
}

static void sample_turn(void *context, uint32_t turn)
{
    const auditing *work = context;
    const uint64_t from = work->sample * turn / SAMPLE_TURNS;
    const uint64_t to = work->sample * (turn + 1) / SAMPLE_TURNS;
    kiln_lut_exact exact;
    kiln_lut_exact_init(&exact, work->view->header->max_x);
    for (uint64_t i = from; i < to; i++) {
        audit_place(work->view, &exact, i, &work->audits[turn]);
    }
    kiln_lut_exact_clear(&exact);
}

/* ------------------------------------------------------------------------------------- whole -- */

static void add(kiln_lut_bins_audit *sum, const kiln_lut_bins_audit *part)
{
    sum->values += part->values;
    sum->beyond += part->beyond;
    sum->off += part->off;
    sum->misrounded += part->misrounded;
    sum->misplaced += part->misplaced;
    sum->worst_kept = fmax(sum->worst_kept, part->worst_kept);
    sum->worst_beyond = fmax(sum->worst_beyond, part->worst_beyond);
    if (part->at[0] != 0) { /* of the last turn, which has the least u */
        memcpy(sum->at, part->at, sizeof sum->at);
    }
}

static bool run_audit(auditing *work, uint32_t turns, void (*turn)(void *context, uint32_t index),
                      const kiln_lut_parallel *parallel, kiln_lut_bins_audit *audit)
{
    memset(audit, 0, sizeof *audit);
    work->audits = calloc(turns, sizeof *work->audits);
    const bool done = work->audits != NULL && parallel->run(parallel->user, turns, turn, work);
    for (uint32_t i = 0; i < turns && done; i++) {
        add(audit, &work->audits[i]);
    }
    free(work->audits);
    return done;
}

bool kiln_lut_bins_audit_all(const kiln_bins_view *view, const kiln_lut_parallel *parallel,
                             kiln_lut_bins_audit *audit)
{
    auditing work = {view, 0, NULL};
    return run_audit(&work, view->header->max_u, audit_turn, parallel, audit);
}

bool kiln_lut_bins_audit_sample(const kiln_bins_view *view, uint64_t count,
                                const kiln_lut_parallel *parallel, kiln_lut_bins_audit *audit)
{
    auditing work = {view, count, NULL};
    return run_audit(&work, SAMPLE_TURNS, sample_turn, parallel, audit);
}
