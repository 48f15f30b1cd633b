/* Searches for spherical coverings (axes_search.h): random points, improved (axes_optimise.c), for
 * every finite group of rotations and every choice of points on its axes that gives the number of
 * points. Symmetric sets have a few free points, so that many starts are cheap, and the best ones
 * known are symmetric (Hardin, Sloane and Smith 1994). Which symmetry is best is not known before:
 * all are tried with a few starts each, then the better half with twice as many, and so on. */
#include "axes_search.h"

#include "axes_math.h"
#include "axes_optimise.h"

#include "../formats/assert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One symmetry: a group and which of its orbits of points on axes are points. */
typedef struct {
    uint32_t group, orbits; /* a bit for each orbit */
    uint32_t moving, fixed;
    double best;     /* cosine */
    uint64_t number; /* of the start that has it */
} symmetry;

enum { SYMMETRIES_MOST = KILN_LUT_GROUP_COUNT << KILN_LUT_GROUP_ORBITS, POLISHED = 6 };

typedef struct {
    const kiln_lut_search *search;
    kiln_lut_group *groups; /* [KILN_LUT_GROUP_COUNT] */
    symmetry *symmetries;
    uint32_t symmetry_count;
    uint32_t starts_each;  /* of this round */
    uint64_t first_number; /* of this round */
    double *cosines;       /* of each task */
    double (*polished)[3]; /* [POLISHED][points] */
} searching;

static uint32_t list_symmetries(searching *work)
{
    uint32_t count = 0;
    for (uint32_t g = 0; g < KILN_LUT_GROUP_COUNT; g++) {
        const kiln_lut_group *group = &work->groups[g];
        if (work->search->group != KILN_LUT_GROUP_COUNT && work->search->group != g) {
            continue;
        }
        for (uint32_t orbits = 0; orbits < 1u << group->orbit_count; orbits++) {
            uint32_t fixed = 0;
            for (uint32_t k = 0; k < group->orbit_count; k++) {
                fixed += (orbits >> k & 1) != 0 ? group->orbit_size[k] : 0;
            }
            const uint32_t rest = work->search->points - fixed;
            if (fixed <= work->search->points && rest % group->order == 0) {
                work->symmetries[count++] =
                    (symmetry){g, orbits, rest / group->order, fixed, -1.0, 0};
            }
        }
    }
    return count;
}

/* The points on axes of a symmetry. */
static void write_staying(const kiln_lut_group *group, uint32_t orbits, double (*points)[3])
{
    for (uint32_t k = 0; k < group->orbit_count; k++) {
        if ((orbits >> k & 1) != 0) {
            memcpy(points, group->orbit[k], group->orbit_size[k] * sizeof *points);
            points += group->orbit_size[k];
        }
    }
}

/* The start of a number, improved once or, to polish, twice. The moving points are written. */
static bool run_start(const searching *work, const symmetry *of, uint64_t number, bool polish,
                      double (*first)[3], double *cosine)
{
    const kiln_lut_group *group = &work->groups[of->group];
    double(*staying)[3] = malloc((of->fixed + 1) * sizeof *staying);
    if (staying == NULL) {
        return false;
    }
    write_staying(group, of->orbits, staying);
    const kiln_lut_orbits orbits = {group, of->moving, of->fixed, (const double(*)[3])first,
                                    (const double(*)[3])staying};
    uint64_t state = (work->search->seed << 40) + number * UINT64_C(0xD1342543DE82EF95);
    for (uint32_t i = 0; i < of->moving; i++) {
        kiln_lut_random_point(&state, first[i]);
    }
    bool done = kiln_lut_orbits_improve(&orbits, first, &kiln_lut_ascent_search, cosine);
    if (done && polish) {
        done = kiln_lut_orbits_improve(&orbits, first, &kiln_lut_ascent_polish, cosine);
    }
    free(staying);
    return done;
}

static void start_task(void *context, uint32_t task)
{
    const searching *work = context;
    const symmetry *of = &work->symmetries[task / work->starts_each];
    double(*first)[3] = malloc((of->moving + 1) * sizeof *first);
    double cosine;
    const bool done =
        first != NULL && run_start(work, of, work->first_number + task, false, first, &cosine);
    work->cosines[task] = done ? cosine : -1.0; /* points that met: a bad start */
    free(first);
}

static void polish_task(void *context, uint32_t task)
{
    const searching *work = context;
    const symmetry *of = &work->symmetries[task];
    double cosine;
    const bool done = run_start(work, of, of->number, true,
                                work->polished + (size_t)task * work->search->points, &cosine);
    work->cosines[task] = done ? cosine : -1.0;
}

/* The better first; of equal ones that of the smaller group. */
static int compare_symmetries(const void *a, const void *b)
{
    const symmetry *of = a, *than = b;
    if (of->best != than->best) {
        return of->best > than->best ? -1 : 1;
    }
    const uint64_t one = (uint64_t)of->group << 32 | of->orbits;
    const uint64_t other = (uint64_t)than->group << 32 | than->orbits;
    return (one > other) - (one < other);
}

/* A round: starts for each symmetry that is left. */
static bool run_round(searching *work, const kiln_lut_parallel *parallel)
{
    const uint32_t tasks = work->symmetry_count * work->starts_each;
    work->cosines = malloc(tasks * sizeof *work->cosines);
    const bool done =
        work->cosines != NULL && parallel->run(parallel->user, tasks, start_task, work);
    for (uint32_t task = 0; task < tasks && done; task++) {
        symmetry *of = &work->symmetries[task / work->starts_each];
        if (work->cosines[task] > of->best) {
            of->best = work->cosines[task];
            of->number = work->first_number + task;
        }
    }
    work->first_number += tasks;
    free(work->cosines);
    work->cosines = NULL;
    qsort(work->symmetries, work->symmetry_count, sizeof *work->symmetries, compare_symmetries);
    return done;
}

/* Rounds until few symmetries are left, each with its share of all starts. */
static bool run_rounds(searching *work, const kiln_lut_parallel *parallel)
{
    uint32_t rounds = 1;
    for (uint32_t left = work->symmetry_count; left > 2; left = (left + 1) / 2) {
        rounds++;
    }
    for (uint32_t round = 0; round < rounds; round++) {
        const uint32_t each = work->search->starts / rounds / work->symmetry_count;
        work->starts_each = each > 0 ? each : 1;
        if (!run_round(work, parallel)) {
            return false;
        }
        if (round + 1 < rounds) {
            work->symmetry_count = (work->symmetry_count + 1) / 2;
        }
    }
    return true;
}

/* Polishes the best starts of the best symmetries, and keeps the best of these. */
static bool polish_best(searching *work, uint32_t count, const kiln_lut_parallel *parallel,
                        kiln_lut_found *found)
{
    const size_t points = work->search->points;
    work->polished = malloc(count * points * sizeof *work->polished);
    work->cosines = malloc(count * sizeof *work->cosines);
    double(*best)[3] = malloc(points * sizeof *best);
    bool done = work->polished != NULL && work->cosines != NULL && best != NULL &&
                parallel->run(parallel->user, count, polish_task, work);
    found->cosine = -1.0;
    for (uint32_t i = 0; i < count && done; i++) {
        if (work->cosines[i] > found->cosine) {
            found->cosine = work->cosines[i];
            const symmetry *of = &work->symmetries[i];
            memcpy(best, work->polished + i * points, of->moving * sizeof *best);
            found->recipe =
                (kiln_lut_recipe){(uint32_t)points, work->search->antipodal, of->group, of->orbits,
                                  of->moving,       (const double(*)[3])best};
        }
    }
    free(work->polished);
    free(work->cosines);
    if (!done || found->cosine < 0.0) {
        free(best);
        found->recipe.first = NULL;
        return false;
    }
    return true;
}

bool kiln_lut_axes_search(const kiln_lut_search *search, const kiln_lut_parallel *parallel,
                          kiln_lut_found *found)
{
    searching work = {.search = search};
    memset(found, 0, sizeof *found);
    if (search->points < 4 || (search->antipodal && search->points % 2 != 0)) {
        return false;
    }
    work.groups = malloc(KILN_LUT_GROUP_COUNT * sizeof *work.groups);
    work.symmetries = malloc(SYMMETRIES_MOST * sizeof *work.symmetries);
    bool done = work.groups != NULL && work.symmetries != NULL;
    if (done) {
        for (uint32_t g = 0; g < KILN_LUT_GROUP_COUNT; g++) {
            kiln_lut_group_make(&work.groups[g], g, search->antipodal);
        }
        work.symmetry_count = list_symmetries(&work);
        const uint32_t all = work.symmetry_count;
        done = all > 0 && run_rounds(&work, parallel);
        qsort(work.symmetries, all, sizeof *work.symmetries, compare_symmetries);
        done = done && polish_best(&work, all < POLISHED ? all : POLISHED, parallel, found);
        found->tried = (uint32_t)work.first_number;
    }
    free(work.groups);
    free(work.symmetries);
    return done;
}
