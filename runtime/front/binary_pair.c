/* Boxes of two binary trees against each other, with the axis that parts them and by how much.
 *
 * A full test seeks a direction, after Gottschalk, Lin and Manocha, "OBBTree", SIGGRAPH 1996,
 * section 5 (fifteen axes), and van den Bergen, "Efficient collision detection of complex
 * deformable models using AABB trees", 1997 (the six of faces alone). Of the six of faces, which
 * are computed together, it takes the one that parts the most, since a margin lasts as long as it
 * is large; of the others the first. Nothing rests on this: the direction is a proposal, and
 * whatever it is, the margin along it is computed and bounded in one place, which is also the
 * axis-coherence test of a later query. What is not parted counts as meeting, and the descent looks
 * further.
 *
 * Why a margin is one. All is computed in floats; let u = 2^-24. Node spaces hold their meshes in
 * [-1, 1]^3. L is a direction of B's, |L| <= 1, l = R L the direction of A's that is computed from
 * it, P = s R the map of points and o its offset, H the sum of a box's half-extents. A box that
 * holds a part of the mesh has its centre within 1.75 + H of 0.
 *
 * With axes M of which no entry of M M^T - I is above 2^-19 (formats/node_kinds.c), a box reaches
 * as far as sum h_k |(M^-T L)_k|, and |M^-T L - M L| is at most 2^-19 sqrt 3 to first order, so
 * that 2^-18 H = 64 u H are enough for what its axes depart by. All of B's box has L q >= support,
 * but for roundings. Then
 *
 *     l (P q + o) - l p >= s support + l o - l c_A - r_A - errors
 *
 * for q in the box of B and p in that of A, where the errors are
 *     R^T l - L     6.1 d, with d what the poses depart by from orthonormal, and 7 u, which move
 *                   what is in [-1, 1]^3 by sqrt 3 of it: 11 d s + 12 u s
 *     positions     the slack of pose.c, of which |l|_1 < 1.75 comes through
 *     support       6 u |c_B| and 14 u H of B: 11 u s + 20 u s H
 *     the sum       7 u |o|, 7 u |c_A|, 5 u |s support|, r_A 12 u H of A
 * which is 7 u |o| + 13 u + 32 u s, where MAP_ROOM has 16 u of |o|_1, 64 u and 64 u s, and 30 u s H
 * of B and 22 u H of A, where AXES_ROOM has 64 u beside those of the axes. The left side is at most
 * the distance of p and P q + o times |l| <= 1 + 3.1 d. A length of A's node space is at least
 * (1 - 3.1 d) of that in X's frame where A is Y. unit_a has room for these.
 *
 * Along a face axis of an aligned box nothing is turned: positions err, and floats as above, where
 * LEVER_ROOM has what is of H. Where the scale is so large that floats might overflow, the error is
 * infinite, and nothing is apart. */
#include "binary_pair.h"

#include <math.h>
#include <string.h>

#define MAP_ROOM 0x1p-20           /* of lengths of the map: |o|, 4 and 4 s */
#define TURN_ROOM 16               /* times the poses' departure, of what is in [-1, 1]^3 */
#define UNIT_ROOM 16               /* times the departure, of a length */
#define FACE_LENGTH (1 - 0x1p-16f) /* of axes that depart by 2^-20, in poses that do by 3.1e-6 */
#define SEEK_ROOM 0x1p-16f         /* of extents: a direction is not proposed for less */

enum { NO_AXIS = -1 };

bool kiln_binary_takes(const kiln_tree *a, const kiln_tree *b)
{
    const uint16_t kind = a->view.kind->bv;
    return kind == b->view.kind->bv && (kind == KILN_BV_OBB2 || kind == KILN_BV_AABB2) &&
           a->view.entry->node_count <= KILN_BINARY_NODES_MOST &&
           b->view.entry->node_count <= KILN_BINARY_NODES_MOST;
}

/* The half-extents have room for the centre that is kept as a float. */
void kiln_binary_tree_form(kiln_binary_tree *out, const kiln_tree *tree)
{
    const kiln_format_tree *entry = tree->view.entry;
    const double unit = kiln_power_of_two(-entry->scale_exponent);
    memset(out, 0, sizeof *out);
    out->tree = tree;
    out->aligned = tree->view.kind->aligned;
    out->root.head.inner = 1;
    for (int k = 0; k < 3; k++) {
        const double lower = ((double)entry->bounds_lower[k] - entry->origin[k]) * unit;
        const double upper = ((double)entry->bounds_upper[k] - entry->origin[k]) * unit;
        const double centre = (lower + upper) / 2;
        const float half =
            (float)((upper - lower) / 2 + 0x1p-23 * fabs(centre)) * 1.000001f + 0x1p-40f;
        out->root.head.org[k] = (float)centre;
        if (out->aligned) {
            out->root.aligned.half[k][0] = half;
        } else {
            out->root.oriented.half[k][0] = half;
            out->root.oriented.axis[4 * k][0] = 1.0f;
        }
    }
}

/* ------------------------------------------------------------------------------- the frame -- */

static void form_binary_map(kiln_binary_map *out, const kiln_node_map *map, double off,
                            bool aligned)
{
    const double *m = map->points.rotation, *o = map->points.translation;
    const float *r = map->rotation;
    const double scale = (double)map->scale;
    const double places = (fabs(o[0]) + fabs(o[1])) + fabs(o[2]);
    for (int j = 0; j < 3; j++) {
        out->point[j] = (kiln_quad){(float)m[j], (float)m[3 + j], (float)m[6 + j], 0.0f};
        out->turn[j] = (kiln_quad){r[j], r[3 + j], r[6 + j], 0.0f};
        if (aligned) {
            out->lever[j] = kiln_quad_absolute(out->point[j]) * KILN_BINARY_LEVER_ROOM;
        }
    }
    out->offset = (kiln_quad){(float)o[0], (float)o[1], (float)o[2], 0.0f};
    out->scale = map->scale;
    const double error =
        2 * map->slack + scale * TURN_ROOM * off + MAP_ROOM * (places + 4 + 4 * scale);
    out->error = scale < (double)KILN_SCALE_MOST && error < (double)KILN_SCALE_MOST
                     ? (float)error * (1 + 0x1p-22f)
                     : HUGE_VALF;
}

/* Oriented boxes are all tested in A's node space. */
void kiln_binary_frame_form(kiln_binary_frame *out, const kiln_pair_frame *frame, double world,
                            const kiln_binary_tree *a, const kiln_binary_tree *b)
{
    KILN_ASSERT(a->tree == (frame->swapped ? frame->y : frame->x));
    KILN_ASSERT(b->tree == (frame->swapped ? frame->x : frame->y));
    KILN_ASSERT(world > 0);
    const double unit_x = kiln_power_of_two(frame->x->view.entry->scale_exponent) * world;
    const double unit_y =
        kiln_power_of_two(frame->y->view.entry->scale_exponent) * frame->scale * world;
    const double kept = 1 - (UNIT_ROOM * frame->off + 0x1p-40);
    const kiln_node_map *to_b = frame->swapped ? &frame->to_x : &frame->to_y;
    out->a = a;
    out->b = b;
    out->aligned = a->aligned;
    form_binary_map(&out->to_a, frame->swapped ? &frame->to_y : &frame->to_x, frame->off,
                    out->aligned);
    if (out->aligned) {
        form_binary_map(&out->to_b, to_b, frame->off, true);
    }
    for (int j = 0; j < 3; j++) {
        const float *r = to_b->rotation + j;
        out->back[j] = (kiln_quad){r[0], r[3], r[6], 0.0f};
    }
    out->unit_a = (frame->swapped ? unit_y : unit_x) * kept;
    out->unit_b = (frame->swapped ? unit_x : unit_y) * kept;
    out->area_b = out->to_a.scale * out->to_a.scale;
}

/* -------------------------------------------------------------------------- oriented boxes -- */

/* Of a direction in B's node space that is not longer than 1. */
static inline void plane_along(const kiln_binary_box *b, kiln_quad l, kiln_binary_plane *plane)
{
    for (int k = 0; k < 3; k++) {
        plane->axis[k] = l[k];
    }
    plane->support = kiln_quad_sum(l * b->centre) - kiln_binary_reach(b, l);
}

void kiln_binary_carry(const kiln_binary_frame *frame, kiln_binary_place b,
                       kiln_binary_carried *out)
{
    const kiln_binary_map *map = &frame->to_a;
    kiln_binary_box_get(frame->b, b, &out->own);
    if (frame->aligned) {
        return;
    }
    const kiln_quad *column = out->own.column, c = out->own.centre;
    out->half = out->own.half * map->scale;
    out->centre = kiln_quad_times(map->point, c[0], c[1], c[2]) + map->offset;
    for (int i = 0; i < 3; i++) {
        out->row[i] = (column[0] * map->turn[0][i] + column[1] * map->turn[1][i]) +
                      column[2] * map->turn[2][i];
    }
}

/* The two boxes along the axes of A's. */
typedef struct {
    kiln_quad c[3];    /* c[j][k]: axis k of A . axis j of B */
    kiln_quad size[3]; /* |c| */
    kiln_quad t;       /* from centre to centre */
    float growth;
} seeking;

static inline void begin_seeking(const kiln_binary_box *a, const kiln_binary_carried *b, seeking *s)
{
    const kiln_quad *column = a->column, t = b->centre - a->centre;
    s->t = kiln_quad_times(column, t[0], t[1], t[2]);
    for (int j = 0; j < 3; j++) {
        s->c[j] = kiln_quad_times(column, b->row[0][j], b->row[1][j], b->row[2][j]);
        s->size[j] = kiln_quad_absolute(s->c[j]);
    }
    s->growth = SEEK_ROOM * kiln_quad_sum(a->half + b->half);
}

/* The number of the largest of three that is above *bound, which it then is, or NO_AXIS. */
static inline int largest_above(kiln_quad v, float *bound)
{
    int best = NO_AXIS;
    for (int k = 0; k < 3; k++) {
        best = v[k] > *bound ? k : best;
        *bound = v[k] > *bound ? v[k] : *bound;
    }
    return best;
}

/* A direction of A's node space in B's. */
static inline kiln_quad turn_to_b(const kiln_binary_frame *frame, float x, float y, float z)
{
    return kiln_quad_times(frame->back, x, y, z);
}

/* The faces: the direction is one of B's node space, towards B. */
static inline bool seek_faces(const kiln_binary_frame *frame, const kiln_binary_box *a,
                              const kiln_binary_carried *b, const seeking *s, kiln_quad *direction)
{
    const kiln_quad *c = s->c, *size = s->size;
    const kiln_quad gaps_a = kiln_quad_absolute(s->t) - a->half -
                             kiln_quad_times(size, b->half[0], b->half[1], b->half[2]);
    const kiln_quad ways = {kiln_quad_sum(s->t * c[0]), kiln_quad_sum(s->t * c[1]),
                            kiln_quad_sum(s->t * c[2]), 0.0f};
    const kiln_quad reaches = {kiln_quad_sum(size[0] * a->half), kiln_quad_sum(size[1] * a->half),
                               kiln_quad_sum(size[2] * a->half), 0.0f};
    const kiln_quad gaps_b = kiln_quad_absolute(ways) - reaches - b->half;
    float most = s->growth;
    const int best_a = largest_above(gaps_a, &most), best_b = largest_above(gaps_b, &most);
    if (best_b != NO_AXIS) {
        const kiln_quad *column = b->own.column;
        const float sign = ways[best_b] < 0 ? -FACE_LENGTH : FACE_LENGTH;
        *direction = (kiln_quad){column[0][best_b] * sign, column[1][best_b] * sign,
                                 column[2][best_b] * sign, 0.0f};
        return true;
    }
    if (best_a != NO_AXIS) {
        const kiln_quad *column = a->column;
        const float sign = s->t[best_a] < 0 ? -FACE_LENGTH : FACE_LENGTH;
        *direction = turn_to_b(frame, column[0][best_a] * sign, column[1][best_a] * sign,
                               column[2][best_a] * sign);
    }
    return best_a != NO_AXIS;
}

/* (v1, v2, v0) and (v2, v0, v1) */
static inline kiln_quad next_of(kiln_quad v)
{
    return (kiln_quad){v[1], v[2], v[0], 0.0f};
}

static inline kiln_quad last_of(kiln_quad v)
{
    return (kiln_quad){v[2], v[0], v[1], 0.0f};
}

/* Axis k of A x axis j of B, for all k at once. Made as long as 1 less 8 units in the last place,
 * more than what the roundings here can add. */
static inline bool seek_edges(const kiln_binary_frame *frame, const kiln_binary_box *a,
                              const kiln_binary_carried *b, const seeking *s, kiln_quad *direction)
{
    const kiln_quad t1 = next_of(s->t), t2 = last_of(s->t);
    const kiln_quad half1 = next_of(a->half), half2 = last_of(a->half);
    for (int j = 0; j < 3; j++) {
        const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        const kiln_quad c1 = next_of(s->c[j]), c2 = last_of(s->c[j]);
        const kiln_quad ways = t2 * c1 - t1 * c2;
        const kiln_quad own = half1 * kiln_quad_absolute(c2) + half2 * kiln_quad_absolute(c1);
        const kiln_quad other = s->size[j2] * b->half[j1] + s->size[j1] * b->half[j2];
        float most = s->growth;
        const int k = largest_above(kiln_quad_absolute(ways) - (own + other), &most);
        if (k != NO_AXIS) {
            const float u[3] = {a->column[0][k], a->column[1][k], a->column[2][k]};
            const float v[3] = {b->row[0][j], b->row[1][j], b->row[2][j]};
            const kiln_quad way = turn_to_b(frame, u[1] * v[2] - u[2] * v[1],
                                            u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]);
            const float length = sqrtf(kiln_quad_sum(way * way));
            *direction = way * ((ways[k] < 0 ? 0x1p-21f - 1 : 1 - 0x1p-21f) / length);
            return true;
        }
    }
    return false;
}

/* --------------------------------------------------------------------------- aligned boxes -- */

/* Along the three axes of the boxes of the space that `map` leads to. */
static inline kiln_quad gaps_aligned(const kiln_binary_map *map, const kiln_binary_box *at,
                                     const kiln_binary_box *other)
{
    const kiln_quad c = other->centre, h = other->half;
    const kiln_quad way =
        (kiln_quad_times(map->point, c[0], c[1], c[2]) + map->offset) - at->centre;
    const kiln_quad reach =
        at->half * KILN_BINARY_LEVER_ROOM + kiln_quad_times(map->lever, h[0], h[1], h[2]);
    return kiln_quad_absolute(way) - reach - map->error;
}

static inline bool part_aligned(const kiln_binary_frame *frame, const kiln_binary_box *a,
                                const kiln_binary_box *b, kiln_binary_plane *plane, double *margin)
{
    float most = 0, most_of_b = 0;
    int face = largest_above(gaps_aligned(&frame->to_a, a, b), &most);
    const int other = largest_above(gaps_aligned(&frame->to_b, b, a), &most_of_b);
    *margin = frame->unit_a * (double)most;
    if (frame->unit_b * (double)most_of_b > *margin) {
        *margin = frame->unit_b * (double)most_of_b;
        face = 3 + other;
    }
    plane->axis[0] = (float)face;
    plane->axis[1] = plane->axis[2] = plane->support = 0;
    return *margin > 0;
}

/* ------------------------------------------------------------------------------------ both -- */

bool kiln_binary_part(const kiln_binary_frame *frame, const kiln_binary_box *a,
                      const kiln_binary_carried *b, kiln_binary_plane *plane, double *margin)
{
    if (frame->aligned) {
        return part_aligned(frame, a, &b->own, plane, margin);
    }
    seeking s;
    kiln_quad direction;
    begin_seeking(a, b, &s);
    if (!seek_faces(frame, a, b, &s, &direction) && !seek_edges(frame, a, b, &s, &direction)) {
        return false;
    }
    plane_along(&b->own, direction, plane);
    *margin = kiln_binary_margin_oriented(frame, a, plane);
    return *margin > 0;
}
