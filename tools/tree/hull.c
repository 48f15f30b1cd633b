/* Quickhull (C. B. Barber, D. P. Dobkin and H. Huhdanpaa, "The quickhull algorithm for convex
 * hulls", 1996) in exact arithmetic.
 *
 * Points are rounded to a cubic grid of 2^20 steps along the longest side of the set's box. There
 * the side of a plane that a point is on is an integer below 2^63: differences have at most 20 bits
 * and a sign, components of a normal 41, their product with a difference 61, and three of those
 * less than 63. So nothing is ever nearly coplanar: a point is above a face or it is not, the faces
 * that it sees are one patch with one loop around it, and the end is reached whatever the input.
 * (An apex is APEX steps off, for which the bound has room.) Nothing is bounded by such a hull;
 * orientations are chosen from it, which are stored to 2^-8, or 2^-16 in floats.
 *
 * Each face keeps the points that are more than SLACK steps above it; the farthest of them becomes
 * a corner, and the faces that it sees, by any height, give way to a fan of new ones. What lies in
 * a plane of the model lies within a step of one on the grid, and does not become a corner by that.
 * Faces wait in a queue, so that a hull that stops at the greatest number of corners is equally
 * fine all round. Flat sets get an apex of their own off their plane, and faces with it are left
 * out at the end; of points in line the two ends are kept.
 *
 * Many triangles are taken in blocks: the corners of the hull so far and those of the next block,
 * so that memory is bounded. Expected time is O(n log m) for n points and at most m corners. */
#include "hull.h"

#include "../../formats/assert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    GRID_BITS = 20,
    SLACK = 4,
    APEX = 64, /* steps that an apex is off its plane */
    BLOCK_TRIANGLES = 4096,
    NONE = 0x7fffffff /* no face, no point */
};

typedef struct {
    int32_t x[3];
} grid_point;

typedef struct {
    int64_t normal[3];  /* outward */
    int64_t slack;      /* the least height over it that counts, in the unit of height_over */
    uint32_t corner[3]; /* counterclockwise from outside */
    uint32_t beside[3]; /* the face beyond the edge from corner k to the next */
    uint32_t above;     /* first point above it, the farthest; NONE */
    bool live, seen, queued;
} face;

typedef struct {
    grid_point *points; /* count of them, and one for an apex */
    uint32_t *next;     /* of each point: the next above the same face */
    uint32_t *fan;      /* of each point: the new face whose edge of the loop starts there */
    face *faces;
    uint32_t *queue; /* of faces, a ring: each at most once */
    uint32_t *spare; /* faces that are free */
    uint32_t *patch; /* faces that a point sees */
    uint32_t (*loop)[3];
    uint32_t count, most; /* points; corners at most */
    uint32_t face_room, face_count, spare_count, queue_first, queue_count;
    uint32_t corner_count;
    unsigned dimension; /* of the set */
    double origin[3], step;
    void *memory;
} work;

/* ------------------------------------------------------------------------------- the grid -- */

static grid_point to_grid(const work *w, const double p[3])
{
    grid_point g;
    for (unsigned k = 0; k < 3; k++) {
        const double place = w->step > 0 ? (p[k] - w->origin[k]) / w->step + 0.5 : 0;
        const double most = 1 << GRID_BITS;
        g.x[k] = (int32_t)(place < most ? place > 0 ? place : 0 : most);
    }
    return g;
}

static void choose_grid(work *w, const kiln_extents *bounds)
{
    double width = 0;
    for (unsigned k = 0; k < 3; k++) {
        KILN_ASSERT(bounds->lower[k] <= bounds->upper[k]);
        w->origin[k] = bounds->lower[k];
        width = fmax(width, bounds->upper[k] - bounds->lower[k]);
    }
    w->step = width * 0x1p-20;
}

static void between(const grid_point *from, const grid_point *to, int64_t out[3])
{
    for (unsigned k = 0; k < 3; k++) {
        out[k] = (int64_t)to->x[k] - from->x[k];
    }
}

static void cross(const int64_t a[3], const int64_t b[3], int64_t out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double length_of(const int64_t v[3])
{
    const double x = (double)v[0], y = (double)v[1], z = (double)v[2];
    return sqrt((x * x + y * y) + z * z);
}

/* Above 0: the point is outside the face's plane. */
static int64_t height_over(const work *w, const face *f, uint32_t point)
{
    int64_t d[3];
    between(&w->points[f->corner[0]], &w->points[point], d);
    return (f->normal[0] * d[0] + f->normal[1] * d[1]) + f->normal[2] * d[2];
}

/* ------------------------------------------------------------------------------ the faces -- */

static uint32_t new_face(work *w, uint32_t a, uint32_t b, uint32_t c)
{
    KILN_ASSERT(w->spare_count > 0 || w->face_count < w->face_room);
    const uint32_t index = w->spare_count > 0 ? w->spare[--w->spare_count] : w->face_count++;
    face *f = &w->faces[index];
    int64_t u[3], v[3];
    between(&w->points[a], &w->points[b], u);
    between(&w->points[a], &w->points[c], v);
    cross(u, v, f->normal);
    KILN_ASSERT(f->normal[0] != 0 || f->normal[1] != 0 || f->normal[2] != 0);
    f->slack = (int64_t)(SLACK * length_of(f->normal));
    f->corner[0] = a;
    f->corner[1] = b;
    f->corner[2] = c;
    f->above = NONE;
    f->live = true;
    f->seen = false;
    return index;
}

/* Gives a point to the first of the faces that it is above; the farthest stands first. */
static void give(work *w, const uint32_t *faces, uint32_t count, uint32_t point)
{
    for (uint32_t i = 0; i < count; i++) {
        face *f = &w->faces[faces[i]];
        const int64_t height = height_over(w, f, point);
        if (height <= f->slack) {
            continue;
        }
        if (f->above == NONE || height > height_over(w, f, f->above)) {
            w->next[point] = f->above;
            f->above = point;
        } else {
            w->next[point] = w->next[f->above];
            w->next[f->above] = point;
        }
        return;
    }
}

static void enqueue(work *w, const uint32_t *faces, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (w->faces[faces[i]].above != NONE && !w->faces[faces[i]].queued) {
            KILN_ASSERT(w->queue_count < w->face_room);
            w->queue[(w->queue_first + w->queue_count++) % w->face_room] = faces[i];
            w->faces[faces[i]].queued = true;
        }
    }
}

/* The faces that a point sees, from one of them on, into the patch; the edges around them into the
 * loop, each with the face beyond it. Returns how many faces. */
static uint32_t see(work *w, uint32_t start, uint32_t point, uint32_t *loop_count)
{
    uint32_t count = 1;
    w->patch[0] = start;
    w->faces[start].seen = true;
    *loop_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const face *f = &w->faces[w->patch[i]];
        for (unsigned k = 0; k < 3; k++) {
            face *other = &w->faces[f->beside[k]];
            if (other->seen) {
                continue;
            }
            if (height_over(w, other, point) > 0) {
                other->seen = true;
                w->patch[count++] = f->beside[k];
            }
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        const face *f = &w->faces[w->patch[i]];
        for (unsigned k = 0; k < 3; k++) {
            if (!w->faces[f->beside[k]].seen) {
                uint32_t *edge = w->loop[(*loop_count)++];
                edge[0] = f->corner[k];
                edge[1] = f->corner[(k + 1) % 3];
                edge[2] = f->beside[k];
            }
        }
    }
    return count;
}

/* Makes the farthest point above a face a corner. */
static void add_corner(work *w, uint32_t start)
{
    const uint32_t point = w->faces[start].above;
    uint32_t loop_count, orphans = NONE;
    const uint32_t patch_count = see(w, start, point, &loop_count);
    for (uint32_t i = 0; i < patch_count; i++) {
        face *f = &w->faces[w->patch[i]];
        for (uint32_t p = f->above; p != NONE;) {
            const uint32_t after = w->next[p];
            w->next[p] = orphans;
            orphans = p != point ? p : orphans;
            p = after;
        }
        f->live = f->seen = false;
        f->above = NONE;
        w->spare[w->spare_count++] = w->patch[i];
    }

    /* The fan over the loop; the patch is free for its faces. */
    for (uint32_t i = 0; i < loop_count; i++) {
        const uint32_t *edge = w->loop[i];
        const uint32_t made = new_face(w, edge[0], edge[1], point);
        face *beyond = &w->faces[edge[2]];
        w->faces[made].beside[0] = edge[2];
        for (unsigned k = 0; k < 3; k++) {
            if (beyond->corner[k] == edge[1] && beyond->corner[(k + 1) % 3] == edge[0]) {
                beyond->beside[k] = made;
            }
        }
        w->fan[edge[0]] = made;
        w->patch[i] = made;
    }
    for (uint32_t i = 0; i < loop_count; i++) {
        const uint32_t after = w->fan[w->loop[i][1]];
        w->faces[w->patch[i]].beside[1] = after;
        w->faces[after].beside[2] = w->patch[i];
    }
    while (orphans != NONE) {
        const uint32_t p = orphans;
        orphans = w->next[p];
        give(w, w->patch, loop_count, p);
    }
    enqueue(w, w->patch, loop_count);
}

/* ---------------------------------------------------------------------------- the first four -- */

/* The point that is farthest from the point, line or plane that was chosen; NONE where none is more
 * than SLACK steps away. Doubles will do: any that is far would. */
static uint32_t farthest(const work *w, const uint32_t *chosen, unsigned count)
{
    uint32_t best = NONE;
    int64_t u[3], v[3], normal[3], d[3];
    double most = SLACK;
    if (count == 3) {
        between(&w->points[chosen[0]], &w->points[chosen[1]], u);
        between(&w->points[chosen[0]], &w->points[chosen[2]], v);
        cross(u, v, normal);
    } else if (count == 2) {
        between(&w->points[chosen[0]], &w->points[chosen[1]], u);
    }
    most *= count == 3 ? length_of(normal) : count == 2 ? length_of(u) : 1;
    for (uint32_t i = 0; i < w->count; i++) {
        double value = 0;
        between(&w->points[chosen[0]], &w->points[i], d);
        if (count == 3) {
            value = fabs((double)((normal[0] * d[0] + normal[1] * d[1]) + normal[2] * d[2]));
        } else {
            int64_t c[3] = {d[0], d[1], d[2]};
            if (count == 2) {
                cross(u, d, c);
            }
            value = length_of(c);
        }
        if (value > most) {
            most = value;
            best = i;
        }
    }
    return best;
}

/* Four corners that are in no plane, of which the last may be an apex of our own. Returns the
 * dimension of the set. */
static unsigned choose_four(work *w, uint32_t chosen[4])
{
    chosen[0] = 0;
    for (uint32_t i = 1; i < w->count; i++) {
        if (w->points[i].x[0] < w->points[chosen[0]].x[0]) {
            chosen[0] = i;
        }
    }
    for (unsigned count = 1; count < 4; count++) {
        chosen[count] = farthest(w, chosen, count);
        if (chosen[count] != NONE) {
            continue;
        }
        if (count == 3) {
            /* A little off the plane, along the axis that crosses it most. */
            int64_t u[3], v[3], normal[3];
            unsigned axis = 0;
            between(&w->points[chosen[0]], &w->points[chosen[1]], u);
            between(&w->points[chosen[0]], &w->points[chosen[2]], v);
            cross(u, v, normal);
            for (unsigned k = 1; k < 3; k++) {
                axis = llabs(normal[k]) > llabs(normal[axis]) ? k : axis;
            }
            chosen[3] = w->count;
            w->points[w->count] = w->points[chosen[0]];
            w->points[w->count].x[axis] += APEX;
        }
        return count - 1;
    }
    return 3;
}

static void make_first_faces(work *w, const uint32_t c[4])
{
    static const unsigned corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    /* The face beyond each edge. */
    static const unsigned beside[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    uint32_t order[4] = {c[0], c[1], c[2], c[3]}, all[4];
    int64_t u[3], v[3], d[3], normal[3];
    between(&w->points[c[0]], &w->points[c[1]], u);
    between(&w->points[c[0]], &w->points[c[2]], v);
    between(&w->points[c[0]], &w->points[c[3]], d);
    cross(u, v, normal);
    if ((normal[0] * d[0] + normal[1] * d[1]) + normal[2] * d[2] > 0) {
        order[1] = c[2];
        order[2] = c[1];
    }
    for (unsigned i = 0; i < 4; i++) {
        all[i] = new_face(w, order[corner[i][0]], order[corner[i][1]], order[corner[i][2]]);
        for (unsigned k = 0; k < 3; k++) {
            w->faces[i].beside[k] = beside[i][k];
        }
    }
    for (uint32_t i = 0; i < w->count; i++) {
        give(w, all, 4, i);
    }
    enqueue(w, all, 4);
}

/* --------------------------------------------------------------------------- the whole hull -- */

/* Room for hulls of at most `room` points. */
static bool prepare(work *w, uint32_t room, uint32_t most)
{
    KILN_ASSERT(room > 0 && room < NONE && most >= 4);
    w->most = most < room ? most : room;
    w->most = w->most > 4 ? w->most : 4;
    /* With m corners a hull has 2 m - 4 faces; an apex is one more. */
    w->face_room = 2 * (w->most + 1) + 4;
    const size_t faces = w->face_room, points = (size_t)room + 1;
    const size_t bytes = faces * (sizeof *w->faces + sizeof *w->loop + 3 * sizeof(uint32_t)) +
                         points * (sizeof *w->points + 2 * sizeof(uint32_t));
    uint8_t *at = malloc(bytes);
    w->memory = at;
    if (at == NULL) {
        return false;
    }
    /* What has the strictest alignment first. */
    w->faces = (face *)(void *)at;
    w->points = (grid_point *)(void *)(w->faces + faces);
    w->loop = (uint32_t(*)[3])(void *)(w->points + points);
    w->queue = (uint32_t *)(w->loop + faces);
    w->spare = w->queue + faces;
    w->patch = w->spare + faces;
    w->next = w->patch + faces;
    w->fan = w->next + points;
    w->count = 0;
    return true;
}

/* The hull of the points that are there. */
static void run(work *w)
{
    uint32_t chosen[4];
    w->face_count = w->spare_count = w->queue_first = w->queue_count = 0;
    for (uint32_t i = 0; i < w->face_room; i++) {
        w->faces[i].queued = w->faces[i].live = false;
    }
    w->dimension = choose_four(w, chosen);
    if (w->dimension < 2) {
        const grid_point ends[2] = {w->points[chosen[0]],
                                    w->points[chosen[w->dimension == 1 ? 1 : 0]]};
        memcpy(w->points, ends, sizeof ends);
        return;
    }
    make_first_faces(w, chosen);
    w->corner_count = 4;
    const uint32_t most = w->most + (w->dimension == 2);
    while (w->queue_count > 0 && w->corner_count < most) {
        const uint32_t first = w->queue[w->queue_first];
        w->queue_first = (w->queue_first + 1) % w->face_room;
        w->queue_count--;
        w->faces[first].queued = false;
        if (w->faces[first].live && w->faces[first].above != NONE) {
            add_corner(w, first);
            w->corner_count++; /* or as many as before, if others are no corners any more */
        }
    }
}

/* Keeps only the corners, in the order of their numbers; `fan` gets their new ones. An apex is
 * dropped with its faces. */
static void keep_corners(work *w)
{
    const uint32_t apex = w->dimension == 2 ? w->count : NONE;
    uint32_t kept = 0;
    if (w->dimension < 2) {
        w->count = w->dimension + 1;
        return;
    }
    for (uint32_t i = 0; i < w->count; i++) {
        w->fan[i] = NONE;
    }
    for (uint32_t i = 0; i < w->face_count; i++) {
        for (unsigned k = 0; w->faces[i].live && k < 3; k++) {
            if (w->faces[i].corner[k] != apex) {
                w->fan[w->faces[i].corner[k]] = 0;
            }
        }
    }
    for (uint32_t i = 0; i < w->count; i++) {
        if (w->fan[i] != NONE) {
            w->points[kept] = w->points[i];
            w->fan[i] = kept++;
        }
    }
    w->count = kept;
}

/* The place in `points` of a face's corner, after keep_corners: the apex has stayed where it was.
 */
static uint32_t place_of(const work *w, uint32_t apex, uint32_t corner)
{
    return corner == apex ? apex : w->fan[corner];
}

/* Which corners are none: a farthest point may be one of many on an edge or a side that lies across
 * the way it was looked for. A corner is beyond its neighbours along the mean of its faces'
 * normals; in the midst of an edge or a side, it is not. */
static void find_extreme(const work *w, uint32_t apex, double (*normals)[3], bool *is_extreme)
{
    for (uint32_t i = 0; i < w->face_count; i++) {
        const face *f = &w->faces[i];
        const double length = length_of(f->normal);
        for (unsigned n = 0; f->live && n < 3; n++) {
            for (unsigned k = 0; f->corner[n] != apex && k < 3; k++) {
                normals[w->fan[f->corner[n]]][k] += (double)f->normal[k] / length;
            }
        }
    }
    for (uint32_t i = 0; i < w->face_count; i++) {
        const face *f = &w->faces[i];
        for (unsigned n = 0; f->live && n < 3; n++) {
            if (f->corner[n] == apex) {
                continue;
            }
            const uint32_t corner = w->fan[f->corner[n]];
            const double *d = normals[corner];
            const double length = sqrt((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]);
            for (unsigned m = 1; m < 3; m++) {
                const uint32_t other = place_of(w, apex, f->corner[(n + m) % 3]);
                double along = 0;
                for (unsigned k = 0; k < 3; k++) {
                    along += d[k] * (w->points[corner].x[k] - w->points[other].x[k]);
                }
                is_extreme[corner] = is_extreme[corner] && along > SLACK * length;
            }
        }
    }
}

/* Corners and faces in node space. */
static bool write_hull(const work *w, uint32_t apex, kiln_hull *hull)
{
    double(*normals)[3] = calloc(w->count, sizeof *normals);
    hull->corners = malloc(w->count * sizeof *hull->corners);
    hull->faces = malloc((w->face_count + 1) * sizeof *hull->faces);
    hull->is_extreme = malloc(w->count * sizeof *hull->is_extreme);
    hull->corner_count = w->count;
    hull->face_count = 0;
    const bool good =
        normals != NULL && hull->corners != NULL && hull->faces != NULL && hull->is_extreme != NULL;
    if (!good) {
        kiln_hull_free(hull);
        free(normals);
        return false;
    }
    for (uint32_t i = 0; i < w->count; i++) {
        hull->is_extreme[i] = true;
        for (unsigned k = 0; k < 3; k++) {
            hull->corners[i][k] = w->origin[k] + w->points[i].x[k] * w->step;
        }
    }
    if (w->dimension >= 2) {
        find_extreme(w, apex, normals, hull->is_extreme);
    }
    for (uint32_t i = 0; w->dimension >= 2 && i < w->face_count; i++) {
        const face *f = &w->faces[i];
        const bool has_apex = f->corner[0] == apex || f->corner[1] == apex || f->corner[2] == apex;
        if (!f->live || has_apex) {
            continue;
        }
        uint32_t *out = hull->faces[hull->face_count++];
        for (unsigned k = 0; k < 3; k++) {
            out[k] = w->fan[f->corner[k]];
        }
    }
    free(normals);
    return true;
}

static bool finish(work *w, kiln_hull *hull)
{
    run(w);
    const uint32_t apex = w->dimension == 2 ? w->count : NONE;
    keep_corners(w);
    const bool good = write_hull(w, apex, hull);
    free(w->memory);
    return good;
}

bool kiln_hull_of_cloud(const kiln_cloud *cloud, uint32_t first, uint32_t last,
                        const kiln_extents *bounds, uint32_t most, kiln_hull *hull)
{
    KILN_ASSERT(first < last);
    const uint32_t block = last - first < BLOCK_TRIANGLES ? last - first : BLOCK_TRIANGLES;
    work w = {.count = 0};
    if (!prepare(&w, 3 * block + (last - first > block ? most + 1 : 0), most)) {
        return false;
    }
    choose_grid(&w, bounds);
    for (uint32_t at = first; at < last;) {
        const uint32_t end = last - at < block ? last : at + block;
        for (uint32_t t = at; t < end; t++) {
            for (unsigned i = 0; i < 3; i++) {
                double p[3];
                for (unsigned k = 0; k < 3; k++) {
                    p[k] = kiln_frame_apply(&cloud->frame, k, cloud->records[t].corner[i][k]);
                }
                w.points[w.count++] = to_grid(&w, p);
            }
        }
        at = end;
        if (at < last) {
            run(&w);
            keep_corners(&w);
        }
    }
    return finish(&w, hull);
}

bool kiln_hull_of_points(const kiln_points *points, uint32_t most, kiln_hull *hull)
{
    KILN_ASSERT(points->count > 0);
    work w = {.count = 0};
    kiln_extents bounds;
    kiln_extents_clear(&bounds);
    if (!prepare(&w, points->count, most)) {
        return false;
    }
    for (unsigned i = 0; i < points->count; i++) {
        for (unsigned k = 0; k < 3; k++) {
            bounds.lower[k] = fmin(bounds.lower[k], points->at[k][i]);
            bounds.upper[k] = fmax(bounds.upper[k], points->at[k][i]);
        }
    }
    choose_grid(&w, &bounds);
    for (unsigned i = 0; i < points->count; i++) {
        const double p[3] = {points->at[0][i], points->at[1][i], points->at[2][i]};
        w.points[w.count++] = to_grid(&w, p);
    }
    return finish(&w, hull);
}

void kiln_hull_free(kiln_hull *hull)
{
    free(hull->corners);
    free(hull->faces);
    free(hull->is_extreme);
    hull->is_extreme = NULL;
    hull->corners = NULL;
    hull->faces = NULL;
}
