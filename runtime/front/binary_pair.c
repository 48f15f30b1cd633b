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
 * holds a part of the mesh has its centre within 2 + H of 0.
 *
 * With axes M of which no entry of M M^T - I is above 2^-19 (formats/node_kinds.c), a box reaches
 * as far as sum h_k |(M^-T L)_k|, and |M^-T L - M L| is at most 2^-19 sqrt 3 to first order, so
 * that 2^-18 H are enough for what its axes depart by; with roundings of the sum, 12 u H, and those
 * of what is proportional to H below, AXES_ROOM. So all of B's box has L q >= support, where
 * c_B . L is off by 7 u |c_B|_1 at most, and the float that keeps the difference by u of it: see
 * PLACE_ROOM. Then
 *
 *     l (P q + o) - l p >= s support + l o - l c_A - r_A - errors
 *
 * for q in the box of B and p in that of A, where the errors are
 *     R^T l - L     6.1 d, with d what the poses depart by from orthonormal, and 8 u, which move
 *                   what is in [-1, 1]^3 by sqrt 3 of it: 11 d s + 14 u s
 *     positions     the slack of pose.c, of which |l|_1 < 1.75 comes through
 *     roundings     6 u (|o|_1 + |c_A|_1 + |s support|): of |c_A|_1 4 and 2 H, and of the last 8
 *                   PLACE_ROOM's units are left
 * and the left side is at most the distance of p and P q + o times |l| <= 1 + 3.1 d. A length of
 * A's node space is at least (1 - 3.1 d) of that in X's frame where A is Y. unit_a has room for
 * these.
 *
 * Along a face axis of an aligned box nothing is turned: positions err, and floats as above. Where
 * the scale is so large that floats might overflow, the error is infinite, and nothing is apart. */
#include "binary_pair.h"

#include <math.h>
#include <string.h>

#define AXES_ROOM 0x1p-17f         /* of the sum of half-extents */
#define PLACE_ROOM 0x1p-20f        /* of what a support is computed from, and of itself */
#define MAP_ROOM 0x1p-20           /* of lengths of the map: |o|, 4 and 4 s */
#define TURN_ROOM 16               /* times the poses' departure, of what is in [-1, 1]^3 */
#define UNIT_ROOM 16               /* times the departure, of a length */
#define LEVER_ROOM (1 + 0x1p-20f)  /* times half-extents of aligned boxes */
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

/* |v|, number by number. */
static inline kiln_quad absolute_of(kiln_quad v)
{
    typedef int32_t bits __attribute__((vector_size(16)));
    return (kiln_quad)((bits)v & 0x7FFFFFFF);
}

static inline float sum_of_three(kiln_quad v)
{
    return (v[0] + v[1]) + v[2];
}

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
            out->lever[j] = absolute_of(out->point[j]) * LEVER_ROOM;
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

/* m v, with the columns of m. */
static inline kiln_quad times_vector(const kiln_quad m[3], float x, float y, float z)
{
    return (m[0] * x + m[1] * y) + m[2] * z;
}

/* How far a box reaches from its centre along l. */
static inline float reach_on_axis(const kiln_binary_box *box, kiln_quad l)
{
    const kiln_quad dots = times_vector(box->column, l[0], l[1], l[2]);
    return sum_of_three(box->half * (absolute_of(dots) + AXES_ROOM));
}

static inline kiln_quad direction_in_a(const kiln_binary_frame *frame,
                                       const kiln_binary_plane *plane)
{
    return times_vector(frame->to_a.turn, plane->axis[0], plane->axis[1], plane->axis[2]);
}

/* s support - l c_A - r_A */
static inline float rest_along(const kiln_binary_frame *frame, const kiln_binary_box *a,
                               float support, kiln_quad l)
{
    return (frame->to_a.scale * support - sum_of_three(l * a->centre)) - reach_on_axis(a, l);
}

static inline double margin_from(const kiln_binary_frame *frame, float rest, kiln_quad l)
{
    const float gap = (rest + sum_of_three(l * frame->to_a.offset)) - frame->to_a.error;
    return frame->unit_a * (double)gap;
}

static inline double margin_oriented(const kiln_binary_frame *frame, const kiln_binary_box *a,
                                     const kiln_binary_plane *plane)
{
    const kiln_quad l = direction_in_a(frame, plane);
    return margin_from(frame, rest_along(frame, a, plane->support, l), l);
}

float kiln_binary_rest(const kiln_binary_frame *frame, const kiln_binary_box *a,
                       const kiln_binary_plane *plane)
{
    return rest_along(frame, a, plane->support, direction_in_a(frame, plane));
}

double kiln_binary_margin_of(const kiln_binary_frame *frame, float rest,
                             const kiln_binary_plane *plane)
{
    return margin_from(frame, rest, direction_in_a(frame, plane));
}

/* Of a direction in B's node space that is not longer than 1. */
static inline void plane_along(const kiln_binary_box *b, kiln_quad l, kiln_binary_plane *plane)
{
    const float place = sum_of_three(absolute_of(b->centre));
    const float support = (sum_of_three(l * b->centre) - reach_on_axis(b, l)) - PLACE_ROOM * place;
    for (int k = 0; k < 3; k++) {
        plane->axis[k] = l[k];
    }
    plane->support = support - PLACE_ROOM * fabsf(support);
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
    out->centre = times_vector(map->point, c[0], c[1], c[2]) + map->offset;
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
    s->t = times_vector(column, t[0], t[1], t[2]);
    for (int j = 0; j < 3; j++) {
        s->c[j] = times_vector(column, b->row[0][j], b->row[1][j], b->row[2][j]);
        s->size[j] = absolute_of(s->c[j]);
    }
    s->growth = SEEK_ROOM * sum_of_three(a->half + b->half);
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
    return times_vector(frame->back, x, y, z);
}

/* The faces: the direction is one of B's node space, towards B. */
static inline bool seek_faces(const kiln_binary_frame *frame, const kiln_binary_box *a,
                              const kiln_binary_carried *b, const seeking *s, kiln_quad *direction)
{
    const kiln_quad *c = s->c, *size = s->size;
    const kiln_quad gaps_a =
        absolute_of(s->t) - a->half - times_vector(size, b->half[0], b->half[1], b->half[2]);
    const kiln_quad ways = {sum_of_three(s->t * c[0]), sum_of_three(s->t * c[1]),
                            sum_of_three(s->t * c[2]), 0.0f};
    const kiln_quad reaches = {sum_of_three(size[0] * a->half), sum_of_three(size[1] * a->half),
                               sum_of_three(size[2] * a->half), 0.0f};
    const kiln_quad gaps_b = absolute_of(ways) - reaches - b->half;
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
        const kiln_quad own = half1 * absolute_of(c2) + half2 * absolute_of(c1);
        const kiln_quad other = s->size[j2] * b->half[j1] + s->size[j1] * b->half[j2];
        float most = s->growth;
        const int k = largest_above(absolute_of(ways) - (own + other), &most);
        if (k != NO_AXIS) {
            const float u[3] = {a->column[0][k], a->column[1][k], a->column[2][k]};
            const float v[3] = {b->row[0][j], b->row[1][j], b->row[2][j]};
            const kiln_quad way = turn_to_b(frame, u[1] * v[2] - u[2] * v[1],
                                            u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]);
            const float length = sqrtf(sum_of_three(way * way));
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
    const kiln_quad way = (times_vector(map->point, c[0], c[1], c[2]) + map->offset) - at->centre;
    const kiln_quad reach = at->half * LEVER_ROOM + times_vector(map->lever, h[0], h[1], h[2]);
    return absolute_of(way) - reach - map->error;
}

/* Along one of them: only T_i is computed (section 4.3). */
static inline float gap_aligned(const kiln_binary_map *map, int i, const kiln_binary_box *at,
                                const kiln_binary_box *other)
{
    const kiln_quad c = other->centre, h = other->half;
    const kiln_quad *point = map->point, *lever = map->lever;
    const float way =
        (((point[0][i] * c[0] + point[1][i] * c[1]) + point[2][i] * c[2]) + map->offset[i]) -
        at->centre[i];
    const float reach =
        at->half[i] * LEVER_ROOM + ((lever[0][i] * h[0] + lever[1][i] * h[1]) + lever[2][i] * h[2]);
    return fabsf(way) - reach - map->error;
}

static inline double margin_aligned(const kiln_binary_frame *frame, const kiln_binary_box *a,
                                    const kiln_binary_box *b, int face)
{
    return face < 3 ? frame->unit_a * (double)gap_aligned(&frame->to_a, face, a, b)
                    : frame->unit_b * (double)gap_aligned(&frame->to_b, face - 3, b, a);
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
    *margin = margin_oriented(frame, a, plane);
    return *margin > 0;
}

double kiln_binary_margin(const kiln_binary_frame *frame, const kiln_binary_box *a,
                          kiln_binary_place b, const kiln_binary_plane *plane)
{
    if (!frame->aligned) {
        return margin_oriented(frame, a, plane);
    }
    kiln_binary_box box;
    kiln_binary_box_get(frame->b, b, &box);
    return margin_aligned(frame, a, &box, (int)plane->axis[0]);
}
