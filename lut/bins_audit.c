/* Audits a table independently of how it was generated: nothing of the floating-point path is
 * used, and every value is compared with exact numerators (bins_exact.c). Either all values are
 * audited, a task for each u, or a sample of places, half of them from all places evenly and
 * half from what rows keep. Tasks note what they find each for itself, and notes are added up
 * in order. */
#include "bins.h"

#include "../formats/assert.h"
#include "bins_exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_TASKS = 256 };

typedef struct {
    const kiln_bins_view *view;
    uint64_t sample;
    kiln_lut_bins_audit *audits; /* one for each task */
} auditing;

/* Counts what is wrong with a value, and keeps the first place where something is. */
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

/* A kept value has to be the rounded P, and has to lie within the certificate. */
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

/* What stands for the values beyond a row's end has to lie within the certificate for these. */
static void judge_beyond(const kiln_bins_view *view, const kiln_bins_row *row,
                         kiln_lut_exact *exact, uint32_t x, kiln_lut_bins_audit *audit)
{
    /* What stands for the values of x beyond the row's end: 1, or, rounded down, the last one kept.
     */
    double value = 1.0;
    if (view->header->rounding == KILN_BINS_DOWN) {
        uint32_t segment, record;
        KILN_ASSERT(row->length[x - 1] >= 1);
        kiln_bins_find(row, view->header->max_x, row->length[x - 1] - 1u, &segment, &record);
        value = kiln_bins_view_value(view, segment, record, x - 1 - segment);
    }
    audit->beyond++;
    audit->worst_beyond = fmax(audit->worst_beyond, kiln_lut_exact_distance(exact, x, value));
    if (!kiln_lut_exact_is_near(exact, x, value, view->header->certificate_beyond)) {
        note(audit, &audit->off, exact, x);
    }
}

/* -------------------------------------------------------------------------------- everything -- */

/* All values of a row: those that it keeps, and for each x the first beyond its end. */
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
            /* Does the row of x end here as the cut says? It must not have ended one before. */
            const bool ends = i + 1u == row.length[x - 1], before = i + 2u == row.length[x - 1];
            const bool cut =
                (ends || before) && kiln_lut_exact_is_cut(exact, x, KILN_LUT_CUT_MILLIONTHS);
            if (before ? cut : ends && !cut && exact->w != exact->u) {
                note(audit, &audit->misplaced, exact, x);
            }
        }
        if (segment == max_x || exact->w == u) {
            return;
        }
        kiln_lut_exact_step(exact);
    }
}

static void audit_task(void *context, uint32_t task)
{
    const auditing *work = context;
    const uint32_t u = work->view->header->max_u - task; /* the longest first */
    kiln_lut_exact exact;
    kiln_lut_exact_init(&exact, work->view->header->max_x);
    for (uint32_t v = 1; v <= u; v++) {
        audit_row(work->view, &exact, u, v, &work->audits[task]);
    }
    kiln_lut_exact_clear(&exact);
}

/* ----------------------------------------------------------------------------------- samples -- */

/* A number from 1 to count. */
static uint32_t drawn(uint64_t *counter, uint32_t count)
{
    uint64_t z = (*counter)++; /* SplitMix64: a number for each counter */
    z = (z + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    z = z ^ z >> 31;
    return 1 + (uint32_t)((z >> 32) * count >> 32);
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

/* Audits one place of the sample: even numbers are drawn from all places, odd ones from kept
 * values. */
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

/* A range of the sample. Each place is drawn from its own number, so that the sample does not
 * depend on the number of threads. */
static void sample_task(void *context, uint32_t task)
{
    const auditing *work = context;
    const uint64_t from = work->sample * task / SAMPLE_TASKS;
    const uint64_t to = work->sample * (task + 1) / SAMPLE_TASKS;
    kiln_lut_exact exact;
    kiln_lut_exact_init(&exact, work->view->header->max_x);
    for (uint64_t i = from; i < to; i++) {
        audit_place(work->view, &exact, i, &work->audits[task]);
    }
    kiln_lut_exact_clear(&exact);
}

/* ------------------------------------------------------------------------------------- whole -- */

static bool run_audit(auditing *work, uint32_t tasks, void (*task)(void *context, uint32_t index),
                      const kiln_lut_parallel *parallel, kiln_lut_bins_audit *audit)
{
    memset(audit, 0, sizeof *audit);
    work->audits = calloc(tasks, sizeof *work->audits);
    const bool done = work->audits != NULL && parallel->run(parallel->user, tasks, task, work);
    for (uint32_t i = 0; i < tasks && done; i++) {
        const kiln_lut_bins_audit *part = &work->audits[i];
        audit->values += part->values;
        audit->beyond += part->beyond;
        audit->off += part->off;
        audit->misrounded += part->misrounded;
        audit->misplaced += part->misplaced;
        audit->worst_kept = fmax(audit->worst_kept, part->worst_kept);
        audit->worst_beyond = fmax(audit->worst_beyond, part->worst_beyond);
        if (part->at[0] != 0) { /* of the last task, which has the least u */
            memcpy(audit->at, part->at, sizeof audit->at);
        }
    }
    free(work->audits);
    return done;
}

bool kiln_lut_bins_audit_all(const kiln_bins_view *view, const kiln_lut_parallel *parallel,
                             kiln_lut_bins_audit *audit)
{
    auditing work = {view, 0, NULL};
    return run_audit(&work, view->header->max_u, audit_task, parallel, audit);
}

bool kiln_lut_bins_audit_sample(const kiln_bins_view *view, uint64_t count,
                                const kiln_lut_parallel *parallel, kiln_lut_bins_audit *audit)
{
    auditing work = {view, count, NULL};
    return run_audit(&work, SAMPLE_TASKS, sample_task, parallel, audit);
}
