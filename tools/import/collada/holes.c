/* Polygons with holes: each hole is joined to the outline by a bridge, two edges along one line
 * (David Eberly, "Triangulation by Ear Clipping", 2002), and what comes out is cut like any other.
 *
 * Holes are taken by their greatest coordinate, the greatest first: from there a corner of the
 * outline can be seen, as it is with the holes that were joined before. The nearest that can be
 * seen is taken. A corner that occurs twice, since a bridge ends there, counts where the bridge
 * lies between its two edges. All is decided in the plane of the two axes in which the outline is
 * largest.
 *
 * A bridge takes the time of sorting the outline, and of comparing as many ways as it takes to find
 * a free one with all edges: mostly one or two. */
#include "holes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/assert.h"

typedef struct {
    double x, y;
} point;

/* A list of corners: the outline, or a hole. */
typedef struct {
    uint32_t *corners;
    point *points;
    size_t count, start; /* start: of a hole, its corner of the greatest x */
} ring;

/* A corner of the outline, by its distance from the hole. */
typedef struct {
    double distance;
    size_t corner;
} candidate;

/* More than 0: c lies left of the way from a to b. */
static double side_of(point a, point b, point c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* Bridges end at corners that are there twice: these are one place. */
static bool is_same(point a, point b)
{
    return a.x == b.x && a.y == b.y;
}

/* Does the way from a to b meet the edge from c to d, but for its own ends? */
static bool is_cut(point a, point b, point c, point d)
{
    const double ends[2] = {side_of(a, b, c), side_of(a, b, d)};

    /* An end of the edge in the midst of the way is in it as well. */
    for (int i = 0; i < 2; i++) {
        const point end = i == 0 ? c : d;

        if (ends[i] == 0 && !is_same(end, a) && !is_same(end, b) &&
            (end.x - a.x) * (end.x - b.x) + (end.y - a.y) * (end.y - b.y) < 0)
            return true;
    }
    return ((ends[0] < 0 && ends[1] > 0) || (ends[0] > 0 && ends[1] < 0)) &&
           side_of(c, d, a) * side_of(c, d, b) < 0;
}

/* Does the way to b begin between the edges of a corner, on their left? */
static bool is_between(const ring *r, size_t corner, point b)
{
    const point a = r->points[corner], next = r->points[(corner + 1) % r->count];
    const point last = r->points[(corner + r->count - 1) % r->count];

    if (side_of(last, a, next) >= 0)
        return side_of(a, b, last) > 0 && side_of(b, a, next) > 0;
    return !(side_of(a, b, next) >= 0 && side_of(b, a, last) >= 0);
}

/* Whether no edge of any ring is in the way. */
static bool is_free(const ring *rings, size_t count, point a, point b)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < rings[i].count; j++)
            if (is_cut(a, b, rings[i].points[j], rings[i].points[(j + 1) % rings[i].count]))
                return false;
    return true;
}

/* Twice the area; less than 0: it runs around to the right. */
static double area_of(const ring *r)
{
    double area = 0;

    for (size_t i = 0; i < r->count; i++)
        area += side_of(r->points[0], r->points[i], r->points[(i + 1) % r->count]);
    return area;
}

/* Corners and points stay side by side. */
static void reverse(ring *r)
{
    for (size_t i = 0, j = r->count - 1; i < j; i++, j--) {
        const uint32_t corner = r->corners[i];
        const point at = r->points[i];

        r->corners[i] = r->corners[j];
        r->points[i] = r->points[j];
        r->corners[j] = corner;
        r->points[j] = at;
    }
}

/* The greatest x first; equal ones in their order in the file, so that the result is always the
 * same. */
static int compare_holes(const void *a, const void *b)
{
    const ring *p = a, *q = b;
    const double x = p->points[p->start].x, y = q->points[q->start].x;

    return x > y ? -1 : x < y ? 1 : p->corners < q->corners ? -1 : p->corners > q->corners;
}

/* The nearest first; equal ones in their order. */
static int compare_candidates(const void *a, const void *b)
{
    const candidate *p = a, *q = b;

    return p->distance < q->distance   ? -1
           : p->distance > q->distance ? 1
           : p->corner < q->corner     ? -1
                                       : p->corner > q->corner;
}

/* The corner of the outline, the first of the rings, to which the hole is joined; SIZE_MAX: none.
 */
static size_t find_bridge(const dae *d, const ring *rings, size_t count, const ring *hole)
{
    const ring *outline = &rings[0];
    const point from = hole->points[hole->start];
    const point beside = hole->points[(hole->start + 1) % hole->count];
    /* The nearest first: few ways are looked at, and bridges are short. */
    candidate *candidates = kiln_dae_alloc(d, outline->count, sizeof *candidates);
    size_t found = SIZE_MAX;

    for (size_t i = 0; i < outline->count; i++) {
        const point to = outline->points[i];

        candidates[i] = (candidate){hypot(to.x - from.x, to.y - from.y), i};
    }
    qsort(candidates, outline->count, sizeof *candidates, compare_candidates);
    for (size_t i = 0; i < outline->count && found == SIZE_MAX; i++) {
        const size_t corner = candidates[i].corner;
        const point to = outline->points[corner];

        /* Of corners at the hole's own place, that which has the hole between its edges. */
        if (is_same(from, to)
                ? is_between(outline, corner, beside)
                : (is_between(outline, corner, from) && is_between(hole, hole->start, to) &&
                   is_free(rings, count, from, to)))
            found = corner;
    }
    free(candidates);
    return found;
}

/* Puts the hole, from its start around, behind a corner of the outline, and both once more. */
static void insert(ring *outline, size_t corner, const ring *hole, uint32_t *corners, point *points)
{
    const size_t more = hole->count + 2;

    KILN_ASSERT(corner < outline->count && hole->start < hole->count);
    for (size_t i = 0; i <= hole->count; i++) {
        corners[i] = hole->corners[(hole->start + i) % hole->count];
        points[i] = hole->points[(hole->start + i) % hole->count];
    }
    corners[hole->count + 1] = outline->corners[corner];
    points[hole->count + 1] = outline->points[corner];
    memmove(outline->corners + corner + 1 + more, outline->corners + corner + 1,
            (outline->count - corner - 1) * sizeof *corners);
    memmove(outline->points + corner + 1 + more, outline->points + corner + 1,
            (outline->count - corner - 1) * sizeof *points);
    memcpy(outline->corners + corner + 1, corners, more * sizeof *corners);
    memcpy(outline->points + corner + 1, points, more * sizeof *points);
    outline->count += more;
}

/* The axis to leave out: that in which the outline's normal is longest. It is summed up from the
 * first corner on, so that it is the same wherever the polygon stands. */
static int axis_of(const double (*positions)[3], const uint32_t *corners, size_t count)
{
    const double *origin = positions[corners[0]];
    double normal[3] = {0, 0, 0};
    int axis = 0;

    for (size_t i = 0; i < count; i++) {
        const double *p = positions[corners[i]];
        const double *q = positions[corners[(i + 1) % count]];

        for (int k = 0; k < 3; k++) {
            const int l = (k + 1) % 3, m = (k + 2) % 3;

            normal[k] +=
                (p[l] - origin[l]) * (q[m] - origin[m]) - (p[m] - origin[m]) * (q[l] - origin[l]);
        }
    }
    for (int k = 1; k < 3; k++)
        axis = fabs(normal[k]) > fabs(normal[axis]) ? k : axis;
    return axis;
}

/* Rings are in memory of their own, the outline with room for all others behind it, since corners
 * change places when a ring is reversed or joined. */
size_t kiln_dae_join_holes(const dae *d, const double (*positions)[3], size_t count,
                           uint32_t *corners, const size_t *sizes, size_t lists)
{
    size_t all = 0, room, at = 0, done = 1;
    uint32_t *own, *piece;
    point *points, *point_piece;
    ring *rings;
    int axis;

    for (size_t i = 0; i < lists; i++)
        all += sizes[i];
    for (size_t i = 0; i < all; i++)
        if (corners[i] >= count)
            return all;
    KILN_ASSERT(lists > 0 && all >= 3 * lists);
    axis = axis_of(positions, corners, sizes[0]);
    room = all + 2 * lists;
    rings = kiln_dae_alloc(d, lists, sizeof *rings);
    own = kiln_dae_alloc(d, 2 * room, sizeof *own);
    points = kiln_dae_alloc(d, 2 * room, sizeof *points);
    piece = kiln_dae_alloc(d, room, sizeof *piece);
    point_piece = kiln_dae_alloc(d, room, sizeof *point_piece);
    for (size_t i = 0; i < lists; i++) {
        ring *r = &rings[i];
        /* The outline grows by all that follows, so the holes lie behind its room. */
        const size_t offset = i == 0 ? 0 : room + at;

        *r = (ring){own + offset, points + offset, sizes[i], 0};
        for (size_t j = 0; j < r->count; j++) {
            const double *p = positions[corners[at + j]];

            r->corners[j] = corners[at + j];
            r->points[j] = (point){p[(axis + 1) % 3], p[(axis + 2) % 3]};
        }
        at += sizes[i];
    }
    /* The outline runs around to the left here, holes to the right; it keeps its sense outside. */
    const bool turned = area_of(&rings[0]) < 0;
    for (size_t i = 0; i < lists; i++) {
        if (i == 0 ? turned : area_of(&rings[i]) > 0)
            reverse(&rings[i]);
        for (size_t j = 0; j < rings[i].count; j++)
            if (rings[i].points[j].x > rings[i].points[rings[i].start].x)
                rings[i].start = j;
    }
    qsort(rings + 1, lists - 1, sizeof *rings, compare_holes);
    for (; done < lists; done++) {
        const ring hole = rings[done];
        const size_t corner = find_bridge(d, rings, lists, &hole);

        if (corner == SIZE_MAX)
            break;
        /* From here on its edges are the outline's. */
        insert(&rings[0], corner, &hole, piece, point_piece);
        rings[done].count = 0;
    }
    if (turned)
        reverse(&rings[0]);
    all = done == lists ? rings[0].count : 0;
    KILN_ASSERT(all <= room);
    memcpy(corners, rings[0].corners, all * sizeof *corners);
    free(rings);
    free(own);
    free(points);
    free(piece);
    free(point_piece);
    return all;
}
