/* Triangulation of a polygon by cutting ears (G. H. Meisters, "Polygons have ears", 1975).
 *
 * The polygon is projected to the coordinate plane in which its normal (M. E. Newell's, as in
 * Sutherland, Sproull and Schumacker, "A characterization of ten hidden-surface algorithms", 1974)
 * is longest. There the sign of the area of three corners is decided exactly, on the floats as they
 * are (../common/soup.h). So the triangles of a simple polygon cover it, however thin it is.
 *
 * A polygon may touch itself: corners at one place, corners on edges, bridges to holes, two edges
 * along one line. It is cut twice at most. First corners at the place of a corner of the ear never
 * lie in it, and those on its sides always do, which is right for nearly all polygons. If a
 * triangle comes out that turns right, the polygon is cut anew, and corners on the border of an ear
 * lie in it exactly if an edge leads from them into it. There spikes are cut off before any ear:
 * where edges cover each other, what is enclosed between them is on no side that could be seen.
 *
 * The triangles' signed areas add up to the polygon's, whatever is cut off, and their signed sum at
 * a point is how often the polygon runs around it. So if no triangle turns right, which is known
 * exactly, absolute areas add up, too, and each point is covered as often as the polygon runs
 * around it: once or never where it is simple or touches itself. A polygon for which neither way
 * leads there crosses itself. It is cut the first way, and the caller is informed.
 *
 * Only corners at which the polygon turns right or goes straight can lie in an ear. They are looked
 * up in a grid, by the box of the ear. A corner that is no ear because another lies in it is not
 * looked at again before that one is cut off or turns left, or a neighbour of its own is cut off (a
 * blocked corner waits on a list of its blocker); those that remain are bits, in the order of the
 * polygon. So a polygon of n corners takes between n and n sqrt(n) comparisons in practice (stars,
 * spirals, combs), and the order of ears is that of a plain search. At worst it is cubic, which a
 * deadline bounds. */
#include "polygon.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/assert.h"
#include "../common/clock.h"
#include "../common/soup.h"

#define NONE UINT32_MAX

void kiln_polygon_work_free(kiln_polygon_work *work)
{
    free(work->points);
    free(work->next);
    free(work->reflex);
    free(work->candidates[0]);
    memset(work, 0, sizeof *work);
}

/* Words of the bits of `count` corners, and of the bits of those words. */
static size_t words_of(size_t count)
{
    return (count + 63) / 64;
}

/* Room for `count` corners. What the arrays hold is of no use to another polygon. */
static bool make_room(kiln_polygon_work *work, size_t count)
{
    const size_t capacity = count + count / 2, words = words_of(capacity);
    const double deadline = work->deadline;
    const uint64_t comparisons = work->comparisons;
    uint32_t *arrays;

    if (count <= work->capacity)
        return true;
    kiln_polygon_work_free(work);
    work->deadline = deadline;
    work->comparisons = comparisons;
    work->points = malloc(capacity * sizeof *work->points);
    arrays = malloc((9 * capacity + 1) * sizeof *arrays);
    work->next = arrays;
    work->reflex = malloc(capacity);
    work->candidates[0] = malloc((words + words_of(words)) * sizeof **work->candidates);
    if (work->points == NULL || arrays == NULL || work->reflex == NULL ||
        work->candidates[0] == NULL)
        return false;
    work->previous = arrays + capacity;
    work->blocker = arrays + 2 * capacity;
    work->first_blocked = arrays + 3 * capacity;
    work->next_blocked = arrays + 5 * capacity; /* two lists a corner stand before */
    work->previous_blocked = arrays + 6 * capacity;
    work->cell_corners = arrays + 7 * capacity;
    work->cell_first = arrays + 8 * capacity; /* one more than there are cells */
    work->candidates[1] = work->candidates[0] + words;
    work->capacity = capacity;
    return true;
}

/* Projects so that the polygon turns left. */
static void project(kiln_polygon_work *work, const float *positions, const uint32_t *corners,
                    size_t count)
{
    const float *origin = positions + 3 * (size_t)corners[0];
    double normal[3] = {0, 0, 0}, spread[3] = {0, 0, 0};
    int drop = 0, x, y;

    /* Newell's normal, relative to the first corner: twice the areas of the three projections. */
    for (size_t i = 0; i < count; i++) {
        const float *a = positions + 3 * (size_t)corners[i];
        const float *b = positions + 3 * (size_t)corners[i + 1 < count ? i + 1 : 0];

        for (int j = 0; j < 3; j++) {
            int k = (j + 1) % 3, l = (j + 2) % 3;

            const double area =
                ((double)a[k] - (double)origin[k]) * ((double)b[l] - (double)origin[l]) -
                ((double)a[l] - (double)origin[l]) * ((double)b[k] - (double)origin[k]);

            normal[j] += area;
            spread[j] += fabs(area);
        }
    }
    /* Where nothing is left of the normal, any plane in which the corners are not on one line. */
    const bool no_normal = normal[0] == 0 && normal[1] == 0 && normal[2] == 0;
    const double *lengths = no_normal ? spread : normal;
    for (int j = 1; j < 3; j++)
        if (fabs(lengths[j]) > fabs(lengths[drop]))
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

/* -- the grid -- */

/* Grows with the coordinate: a point between two others lies between their cells. */
static uint32_t cell_of(const kiln_polygon_work *work, float at, int axis)
{
    const double cell = ((double)at - work->origin[axis]) * work->scale[axis];

    KILN_ASSERT(cell >= 0);
    return cell < work->cells ? (uint32_t)cell : work->cells - 1;
}

static uint32_t cell_of_corner(const kiln_polygon_work *work, uint32_t i)
{
    return cell_of(work, work->points[i][1], 1) * work->cells +
           cell_of(work, work->points[i][0], 0);
}

/* About a corner a cell. Few corners are one cell: then the list of all is as fast. */
static void make_grid(kiln_polygon_work *work, size_t count)
{
    uint32_t cells;

    work->cells = count > 32 ? (uint32_t)sqrt((double)count) : 1;
    for (int axis = 0; axis < 2; axis++) {
        double least = INFINITY, most = -INFINITY;

        for (size_t i = 0; i < count; i++) {
            least = fmin(least, (double)work->points[i][axis]);
            most = fmax(most, (double)work->points[i][axis]);
        }
        work->origin[axis] = least;
        work->scale[axis] = most > least ? work->cells / (most - least) : 0;
    }
    /* Sorted by counting: how many in each cell, where each begins, then each to its place. */
    cells = work->cells * work->cells;
    KILN_ASSERT(cells <= count);
    memset(work->cell_first, 0, (cells + 1) * sizeof *work->cell_first);
    for (uint32_t i = 0; i < count; i++)
        work->cell_first[cell_of_corner(work, i) + 1]++;
    for (uint32_t cell = 0; cell < cells; cell++)
        work->cell_first[cell + 1] += work->cell_first[cell];
    for (uint32_t i = (uint32_t)count; i-- > 0;)
        work->cell_corners[--work->cell_first[cell_of_corner(work, i) + 1]] = i;
    memmove(work->cell_first, work->cell_first + 1, cells * sizeof *work->cell_first);
    work->cell_first[cells] = (uint32_t)count;
}

/* -- candidates -- */

static void set_candidate(kiln_polygon_work *work, uint32_t i)
{
    work->candidates[0][i / 64] |= UINT64_C(1) << i % 64;
    work->candidates[1][i / 4096] |= UINT64_C(1) << i / 64 % 64;
}

static void clear_candidate(kiln_polygon_work *work, uint32_t i)
{
    work->candidates[0][i / 64] &= ~(UINT64_C(1) << i % 64);
    if (work->candidates[0][i / 64] == 0)
        work->candidates[1][i / 4096] &= ~(UINT64_C(1) << i / 64 % 64);
}

/* The first candidate at `from` or above, of `count`; NONE: there is none. */
static uint32_t candidate_from(const kiln_polygon_work *work, size_t count, uint32_t from)
{
    size_t word = from / 64, above = word / 64;
    uint64_t rest = work->candidates[0][word] >> from % 64;

    if (rest != 0)
        return from + (uint32_t)__builtin_ctzll(rest);
    /* The words above it: in its own word of words first, without those up to it. */
    rest = word % 64 < 63 ? work->candidates[1][above] >> (word % 64 + 1) << (word % 64 + 1) : 0;
    while (rest == 0 && ++above < words_of(words_of(count)))
        rest = work->candidates[1][above];
    if (rest == 0)
        return NONE;
    word = 64 * above + (size_t)__builtin_ctzll(rest);
    KILN_ASSERT(work->candidates[0][word] != 0);
    return (uint32_t)(64 * word) + (uint32_t)__builtin_ctzll(work->candidates[0][word]);
}

/* The next candidate of the polygon, whose corners are in the order of their numbers. */
static uint32_t next_candidate(const kiln_polygon_work *work, size_t count, uint32_t from)
{
    const uint32_t found = candidate_from(work, count, from);

    return found != NONE ? found : candidate_from(work, count, 0);
}

/* What was found out of a corner no longer holds. */
static void unblock(kiln_polygon_work *work, uint32_t i)
{
    const uint32_t by = work->blocker[i];

    if (by == NONE)
        return;
    if (work->previous_blocked[i] == NONE)
        work->first_blocked[by] = work->next_blocked[i];
    else
        work->next_blocked[work->previous_blocked[i]] = work->next_blocked[i];
    if (work->next_blocked[i] != NONE)
        work->previous_blocked[work->next_blocked[i]] = work->previous_blocked[i];
    work->blocker[i] = NONE;
    set_candidate(work, i);
}

/* A list of corners that wait for corner `by`: until it is cut off or turns left, or, if it lies on
 * the border of their ears, until it changes at all. */
static void block(kiln_polygon_work *work, uint32_t i, uint32_t by)
{
    const uint32_t first = work->first_blocked[by];

    KILN_ASSERT(work->blocker[i] == NONE && by < 2 * work->capacity);
    work->blocker[i] = by;
    work->previous_blocked[i] = NONE;
    work->next_blocked[i] = first;
    if (first != NONE)
        work->previous_blocked[first] = i;
    work->first_blocked[by] = i;
    clear_candidate(work, i);
}

/* A corner with other neighbours than before, or none. */
static void changed(kiln_polygon_work *work, uint32_t i)
{
    const bool cut = work->next[i] == i;

    work->reflex[i] = !cut && turn_at(work, i) <= 0;
    while (!work->reflex[i] && work->first_blocked[i] != NONE)
        unblock(work, work->first_blocked[i]);
    while (work->first_blocked[work->capacity + i] != NONE)
        unblock(work, work->first_blocked[work->capacity + i]);
    unblock(work, i);
    if (cut)
        clear_candidate(work, i);
    else
        set_candidate(work, i);
}

/* -- ears -- */

/* Whether corner p lies in the triangle of corner i, on its sides or within, but not at its
 * corners.
 */
static bool lies_in(const kiln_polygon_work *work, uint32_t p, uint32_t a, uint32_t i, uint32_t c)
{
    return p != a && p != i && p != c && !same_point(work, p, a) && !same_point(work, p, i) &&
           !same_point(work, p, c) && turn(work, a, i, p) >= 0 && turn(work, i, c, p) >= 0 &&
           turn(work, c, a, p) >= 0;
}

/* On which of its lists corner p blocks the triangle of corner i: p if it lies within, until it
 * turns left; p behind the capacity if it lies on the border and an edge of p leads inside, until p
 * has other neighbours; else NONE.
 *
 * That no corner blocks means that no edge runs through the triangle. For of those that did, one
 * would have its end in the triangle, as edges do not cross. Of all such ends, take the one
 * furthest from the side c a. Both its edges lead away from corner i, with what the polygon
 * encloses between it and i, so it turns right, or the spike there turns by half a circle. */
static uint32_t find_list(const kiln_polygon_work *work, uint32_t p, uint32_t a, uint32_t i,
                          uint32_t c)
{
    const uint32_t sides[3][2] = {{a, i}, {i, c}, {c, a}};
    bool enters[2] = {true, true}, within = true;

    if (p == a || p == i || p == c)
        return NONE;
    for (int k = 0; k < 3; k++) {
        const uint32_t from = sides[k][0], to = sides[k][1];
        const int side = turn(work, from, to, p);

        if (side < 0)
            return NONE;
        if (side > 0)
            continue;
        /* From a point on one side or on two, all that is left of these leads inside. */
        within = false;
        enters[0] &= turn(work, from, to, work->previous[p]) > 0;
        enters[1] &= turn(work, from, to, work->next[p]) > 0;
    }
    return within ? p : enters[0] || enters[1] ? (uint32_t)work->capacity + p : NONE;
}

/* The list of a corner that blocks the triangle of corner i, which turns left; NONE: no corner
 * does. */
static uint32_t find_blocker(kiln_polygon_work *work, uint32_t i)
{
    const uint32_t a = work->previous[i], c = work->next[i];
    uint32_t low[2], high[2];

    for (int axis = 0; axis < 2; axis++) {
        const float x = work->points[a][axis], y = work->points[i][axis], z = work->points[c][axis];

        low[axis] = cell_of(work, fminf(fminf(x, y), z), axis);
        high[axis] = cell_of(work, fmaxf(fmaxf(x, y), z), axis);
    }
    for (uint32_t row = low[1]; row <= high[1]; row++) {
        const uint32_t *first = work->cell_first + (size_t)row * work->cells;

        /* The cells of a row stand together. */
        for (uint32_t at = first[low[0]]; at < first[high[0] + 1]; at++) {
            const uint32_t p = work->cell_corners[at];
            uint32_t by = NONE;

            if (!work->reflex[p])
                continue;
            work->comparisons++;
            if (work->touching)
                by = find_list(work, p, a, i, c);
            else if (lies_in(work, p, a, i, c))
                by = p;
            if (by != NONE)
                return by;
        }
    }
    return NONE;
}

/* Whether corner i is on one line with its neighbours and not strictly between them: then its edges
 * cover each other, or one has no length. */
static bool is_spike(const kiln_polygon_work *work, uint32_t i)
{
    if (turn_at(work, i) != 0)
        return false;
    for (int axis = 0; axis < 2; axis++) {
        const float at = work->points[i][axis];
        const float before = work->points[work->previous[i]][axis];
        const float after = work->points[work->next[i]][axis];

        if ((before < at && at < after) || (before > at && at > after))
            return false;
    }
    return true;
}

/* Whether corner i can be cut off: it turns left and no other corner lies in its triangle. What is
 * found out holds until one of the corners changes. */
static bool is_ear(kiln_polygon_work *work, uint32_t i)
{
    const int turn_here = turn_at(work, i);
    uint32_t blocker;

    if (turn_here <= 0) {
        clear_candidate(work, i);
        return false;
    }
    blocker = find_blocker(work, i);
    if (blocker != NONE)
        block(work, i, blocker);
    return blocker == NONE;
}

/* A spike: beside the corner that was cut off last, behind `last`, or else among all corners, of
 * which those below *looked_at are none. NONE: there is none. */
static uint32_t find_spike(const kiln_polygon_work *work, size_t count, uint32_t last,
                           uint32_t *looked_at)
{
    if (last != NONE && is_spike(work, last))
        return last;
    if (last != NONE && is_spike(work, work->next[last]))
        return work->next[last];
    while (*looked_at < count) {
        const uint32_t i = (*looked_at)++;

        if (work->next[i] != i && is_spike(work, i))
            return i;
    }
    return NONE;
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

/* Cuts the projected polygon. Where a triangle would turn right it ends, unless `to_the_end`. */
static kiln_polygon_end cut(kiln_polygon_work *work, size_t count, bool to_the_end,
                            uint32_t *triangles)
{
    kiln_polygon_end end = KILN_POLYGON_OK;
    size_t left = count;
    uint32_t i = 1, last = NONE, looked_at = 0;

    for (size_t j = 0; j < count; j++) {
        work->next[j] = (uint32_t)(j + 1 < count ? j + 1 : 0);
        work->previous[j] = (uint32_t)(j > 0 ? j - 1 : count - 1);
        work->blocker[j] = work->first_blocked[j] = work->first_blocked[work->capacity + j] = NONE;
    }
    memset(work->candidates[0], 0, words_of(count) * sizeof **work->candidates);
    memset(work->candidates[1], 0, words_of(words_of(count)) * sizeof **work->candidates);
    for (uint32_t j = 0; j < count; j++)
        changed(work, j);
    while (left > 3) {
        const uint32_t spike = work->touching ? find_spike(work, count, last, &looked_at) : NONE;
        const uint32_t candidate = spike != NONE ? spike : next_candidate(work, count, i);
        uint32_t a, following;

        KILN_ASSERT(work->next[i] != i);
        if (left > 1000 && work->deadline != 0 && kiln_seconds() > work->deadline)
            return KILN_POLYGON_OVER_TIME;
        if (candidate == NONE) {
            /* There is no ear: what is left crosses itself or has no area. A corner on a line
             * between its neighbours changes no area; without one, any is as good. */
            for (size_t tried = 0; tried < left && turn_at(work, i) != 0; tried++)
                i = work->next[i];
            if (turn_at(work, i) < 0 || (work->touching && turn_at(work, i) > 0))
                end = KILN_POLYGON_CROSSES;
            if (end == KILN_POLYGON_CROSSES && !to_the_end)
                return end;
        } else if (spike != NONE || is_ear(work, candidate)) {
            i = candidate;
        } else {
            continue;
        }
        /* Going on after the next corner makes fewer slivers than a fan. */
        a = work->previous[i];
        following = work->next[work->next[i]];
        cut_off(work, i, &triangles);
        changed(work, i);
        changed(work, a);
        changed(work, work->next[a]);
        i = following;
        last = a;
        left--;
    }
    if (turn_at(work, i) < 0)
        end = KILN_POLYGON_CROSSES;
    cut_off(work, i, &triangles);
    return end;
}

kiln_polygon_end kiln_polygon_cut(kiln_polygon_work *work, const float *positions,
                                  const uint32_t *corners, size_t count, uint32_t *triangles)
{
    kiln_polygon_end end = KILN_POLYGON_OK;

    KILN_ASSERT(count >= 3 && count < NONE / 2);
    if (!make_room(work, count))
        return KILN_POLYGON_NO_MEMORY;
    project(work, positions, corners, count);
    make_grid(work, count);
    for (int way = 0; way < 3; way++) {
        work->touching = way == 1;
        end = cut(work, count, way == 2, triangles);
        if (end != KILN_POLYGON_CROSSES)
            break;
    }
    return end;
}
