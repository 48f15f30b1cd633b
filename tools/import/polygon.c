/* Ears are cut in the coordinate plane that the polygon fills best; what is an ear is decided
 * exactly on the floats as they are. */
#include "polygon.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../common/soup.h"
#include "child.h"

static bool make_room(kiln_polygon_work *work, size_t count)
{
    size_t capacity = count + count / 2;
    void *points, *next, *previous, *tests;

    if (count <= work->capacity)
        return true;
    points = realloc(work->points, capacity * sizeof *work->points);
    if (points != NULL)
        work->points = points;
    next = realloc(work->next, capacity * sizeof *work->next);
    if (next != NULL)
        work->next = next;
    previous = realloc(work->previous, capacity * sizeof *work->previous);
    if (previous != NULL)
        work->previous = previous;
    tests = realloc(work->tests, capacity * sizeof *work->tests);
    if (tests != NULL)
        work->tests = tests;
    if (points == NULL || next == NULL || previous == NULL || tests == NULL)
        return false;
    work->capacity = capacity;
    return true;
}

void kiln_polygon_work_free(kiln_polygon_work *work)
{
    free(work->points);
    free(work->next);
    free(work->previous);
    free(work->tests);
    memset(work, 0, sizeof *work);
}

/* Newell's normal, relative to the first corner. */
static void normal_of(const float *positions, const uint32_t *corners, size_t count,
                      double normal[3])
{
    const float *origin = positions + 3 * (size_t)corners[0];

    normal[0] = normal[1] = normal[2] = 0;
    for (size_t i = 0; i < count; i++) {
        const float *a = positions + 3 * (size_t)corners[i];
        const float *b = positions + 3 * (size_t)corners[i + 1 < count ? i + 1 : 0];

        for (int j = 0; j < 3; j++) {
            int k = (j + 1) % 3, l = (j + 2) % 3;

            normal[j] += ((double)a[k] - (double)origin[k]) * ((double)b[l] - (double)origin[l]) -
                         ((double)a[l] - (double)origin[l]) * ((double)b[k] - (double)origin[k]);
        }
    }
}

/* Projects so that the polygon turns left. */
static void project(kiln_polygon_work *work, const float *positions, const uint32_t *corners,
                    size_t count)
{
    double normal[3];
    int drop = 0, x, y;

    normal_of(positions, corners, count, normal);
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

static bool in_triangle(const kiln_polygon_work *work, uint32_t p, uint32_t a, uint32_t b,
                        uint32_t c)
{
    return turn(work, a, b, p) >= 0 && turn(work, b, c, p) >= 0 && turn(work, c, a, p) >= 0;
}

/* Corners that turn left can't be the only ones in an ear, and stay out of the list of those that
 * are tested. A corner that is cut off points to itself. */
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
            !same_point(work, p, c) && in_triangle(work, p, a, i, c))
            return false;
        t++;
    }
    return true;
}

static void cut_off(kiln_polygon_work *work, uint32_t i, uint32_t **triangles)
{
    uint32_t a = work->previous[i], c = work->next[i];

    (*triangles)[0] = a;
    (*triangles)[1] = i;
    (*triangles)[2] = c;
    *triangles += 3;
    work->next[a] = c;
    work->previous[c] = a;
    work->next[i] = work->previous[i] = i;
}

/* No ear is left: the rest crosses itself or has no area. A corner on a line between its neighbours
 * costs nothing; else any is as good. */
static uint32_t least_harm(const kiln_polygon_work *work, uint32_t start)
{
    uint32_t i = start;

    do {
        if (turn_at(work, i) == 0)
            return i;
        i = work->next[i];
    } while (i != start);
    return start;
}

static bool late(const kiln_polygon_work *work, size_t left)
{
    return left > 1000 && work->deadline != 0 && kiln_clock() > work->deadline;
}

static kiln_polygon_end cut_ears(kiln_polygon_work *work, size_t count, uint32_t *triangles)
{
    size_t test_count = list_tests(work, count), left = count, failures = 0;
    uint32_t i = 1;

    while (left > 3) {
        bool stuck = failures == left;
        uint32_t following;

        if (late(work, left))
            return KILN_POLYGON_OVER_TIME;
        if (stuck) {
            i = least_harm(work, i);
        } else if (!is_ear(work, i, &test_count)) {
            i = work->next[i];
            failures++;
            continue;
        }
        /* Going on behind the next corner makes fewer slivers than a fan. */
        following = work->next[work->next[i]];
        cut_off(work, i, &triangles);
        i = following;
        left--;
        failures = 0;
        if (stuck) /* corners may have turned the other way */
            test_count = list_tests(work, count);
    }
    cut_off(work, i, &triangles);
    return KILN_POLYGON_OK;
}

kiln_polygon_end kiln_polygon_cut(kiln_polygon_work *work, const float *positions,
                                  const uint32_t *corners, size_t count, uint32_t *triangles)
{
    if (!make_room(work, count))
        return KILN_POLYGON_NO_MEMORY;
    project(work, positions, corners, count);
    for (size_t i = 0; i < count; i++) {
        work->next[i] = (uint32_t)(i + 1 < count ? i + 1 : 0);
        work->previous[i] = (uint32_t)(i > 0 ? i - 1 : count - 1);
    }
    return cut_ears(work, count, triangles);
}
