/* Triangulation of a polygon by cutting ears (G. H. Meisters, "Polygons have ears", 1975).
 *
 * The polygon is projected to the coordinate plane in which its normal (M. E. Newell's, as in
 * Sutherland, Sproull and Schumacker, "A characterization of ten hidden-surface algorithms", 1974)
 * is longest. There the sign of the area of three corners is decided exactly, on the floats as they
 * are (../common/soup.h). So the triangles of a simple polygon cover it, however thin it is.
 * Polygons that cross themselves are cut somehow, into the same number of triangles.
 *
 * Only corners at which the polygon turns right or goes straight can lie in an ear; they are kept
 * in a list. For the usual face, which is convex, the list is empty and cutting is linear; at worst
 * it is quadratic, which a deadline bounds. */
#include "polygon.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/assert.h"
#include "../common/clock.h"
#include "../common/soup.h"

void kiln_polygon_work_free(kiln_polygon_work *work)
{
    free(work->points);
    free(work->next);
    free(work->previous);
    free(work->tests);
    memset(work, 0, sizeof *work);
}

/* Projects so that the polygon turns left. */
static void project(kiln_polygon_work *work, const float *positions, const uint32_t *corners,
                    size_t count)
{
    const float *origin = positions + 3 * (size_t)corners[0];
    double normal[3] = {0, 0, 0};
    int drop = 0, x, y;

    /* Newell's normal, relative to the first corner: twice the areas of the three projections. */
    for (size_t i = 0; i < count; i++) {
        const float *a = positions + 3 * (size_t)corners[i];
        const float *b = positions + 3 * (size_t)corners[i + 1 < count ? i + 1 : 0];

        for (int j = 0; j < 3; j++) {
            int k = (j + 1) % 3, l = (j + 2) % 3;

            normal[j] += ((double)a[k] - (double)origin[k]) * ((double)b[l] - (double)origin[l]) -
                         ((double)a[l] - (double)origin[l]) * ((double)b[k] - (double)origin[k]);
        }
    }
    for (int j = 1; j < 3; j++)
        if (fabs(normal[j]) > fabs(normal[drop]))
            drop = j;
    x = (drop + 1) % 3;
    y = (drop + 2) % 3;
    if (normal[drop] < 0) {
        int other = x;

        x = y;
        y = other;
    }
    for (size_t i = 0; i < count; i++) {
        work->points[i][0] = positions[3 * (size_t)corners[i] + (size_t)x];
        work->points[i][1] = positions[3 * (size_t)corners[i] + (size_t)y];
    }
}

static int turn(const kiln_polygon_work *work, uint32_t a, uint32_t b, uint32_t c)
{
    return kiln_orient(work->points[a], work->points[b], work->points[c]);
}

static int turn_at(const kiln_polygon_work *work, uint32_t i)
{
    return turn(work, work->previous[i], i, work->next[i]);
}

static bool same_point(const kiln_polygon_work *work, uint32_t a, uint32_t b)
{
    return work->points[a][0] == work->points[b][0] && work->points[a][1] == work->points[b][1];
}

/* If any corners lie in an ear, some of them do not turn left: only those are listed for the test.
 * A corner that is cut off points to itself. */
static size_t list_tests(kiln_polygon_work *work, size_t count)
{
    size_t tests = 0;

    for (uint32_t i = 0; i < count; i++)
        if (work->next[i] != i && turn_at(work, i) <= 0)
            work->tests[tests++] = i;
    return tests;
}

/* Whether corner i can be cut off: it turns left and no other corner lies in its triangle, but at
 * its corners, where a polygon may touch itself. Takes what no longer can lie in an ear off the
 * list. */
static bool is_ear(kiln_polygon_work *work, uint32_t i, size_t *test_count)
{
    uint32_t a = work->previous[i], c = work->next[i];

    if (turn(work, a, i, c) <= 0)
        return false;
    for (size_t t = 0; t < *test_count;) {
        uint32_t p = work->tests[t];

        if (work->next[p] == p || turn_at(work, p) > 0) {
            work->tests[t] = work->tests[--*test_count];
            continue;
        }
        if (p != a && p != c && !same_point(work, p, a) && !same_point(work, p, i) &&
            !same_point(work, p, c) && turn(work, a, i, p) >= 0 && turn(work, i, c, p) >= 0 &&
            turn(work, c, a, p) >= 0)
            return false;
        t++;
    }
    return true;
}

static void cut_off(kiln_polygon_work *work, uint32_t i, uint32_t **triangles)
{
    uint32_t a = work->previous[i], c = work->next[i];

    KILN_ASSERT(c != i && work->next[a] == i && work->previous[c] == i);
    (*triangles)[0] = a;
    (*triangles)[1] = i;
    (*triangles)[2] = c;
    *triangles += 3;
    work->next[a] = c;
    work->previous[c] = a;
    work->next[i] = work->previous[i] = i;
}

kiln_polygon_end kiln_polygon_cut(kiln_polygon_work *work, const float *positions,
                                  const uint32_t *corners, size_t count, uint32_t *triangles)
{
    size_t left = count, failures = 0, test_count;
    uint32_t i = 1;

    KILN_ASSERT(count >= 3 && count <= UINT32_MAX);
    if (count > work->capacity) {
        const size_t capacity = count + count / 2;
        const double deadline = work->deadline;

        /* What the arrays hold is of no use to this polygon. */
        kiln_polygon_work_free(work);
        work->deadline = deadline;
        work->points = malloc(capacity * sizeof *work->points);
        work->next = malloc(capacity * sizeof *work->next);
        work->previous = malloc(capacity * sizeof *work->previous);
        work->tests = malloc(capacity * sizeof *work->tests);
        if (work->points == NULL || work->next == NULL || work->previous == NULL ||
            work->tests == NULL)
            return KILN_POLYGON_NO_MEMORY;
        work->capacity = capacity;
    }
    project(work, positions, corners, count);
    for (size_t j = 0; j < count; j++) {
        work->next[j] = (uint32_t)(j + 1 < count ? j + 1 : 0);
        work->previous[j] = (uint32_t)(j > 0 ? j - 1 : count - 1);
    }
    test_count = list_tests(work, count);
    while (left > 3) {
        bool stuck = failures == left;
        uint32_t following;

        KILN_ASSERT(failures <= left && test_count <= count);
        if (left > 1000 && work->deadline != 0 && kiln_seconds() > work->deadline)
            return KILN_POLYGON_OVER_TIME;
        if (stuck) {
            /* There is no ear: what is left crosses itself or has no area. A corner on a line
             * between its neighbours changes no area; without one, any is as good. */
            for (size_t tried = 0; tried < left && turn_at(work, i) != 0; tried++)
                i = work->next[i];
        } else if (!is_ear(work, i, &test_count)) {
            i = work->next[i];
            failures++;
            continue;
        }
        /* Going on after the next corner makes fewer slivers than a fan. */
        following = work->next[work->next[i]];
        cut_off(work, i, &triangles);
        i = following;
        left--;
        failures = 0;
        if (stuck) /* corners may turn the other way now */
            test_count = list_tests(work, count);
    }
    cut_off(work, i, &triangles);
    return KILN_POLYGON_OK;
}
