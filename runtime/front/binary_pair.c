/* Boxes of two binary trees against each other, with the axis that parts them and by how much.
 *
 * Full tests seek a direction in floats, after Gottschalk, Lin and Manocha, "OBBTree", SIGGRAPH 1996,
 * section 5 (fifteen axes), and van den Bergen, "Efficient collision detection of complex deformable
 * models using AABB trees", 1997 (the six of faces alone). Nothing rests on these: the direction is a
 * proposal, and whatever it is, the margin along it is computed and bounded in one place, which is
 * also the axis-coherence test of a later query. What is not parted counts as meeting, at which the
 * descent looks further.
 *
 * Why a margin is one. Node spaces hold their meshes in [-1, 1]^3. L is a direction of B's, with |L|
 * <= 1, l = R L the direction of A's node space that is computed from it, and P = s R the map of
 * points with its offset o. All of B's box has L q >= support: with axes M of which no entry of
 * M M^T - I is above 2^-19 (formats/node_kinds.c), a box reaches as far as sum h_k |(M^-T L)_k|, and
 * |M^-T L - M L| <= 2^-19 sqrt 3 |L| by entries to first order, so that 2^-18 of the extents' sum is
 * enough for what its axes depart by; doubles that are left round by less than 2^-49 of all lengths.
 * Then
 *
 *     l (P q + o) - l p >= s support + l (o - c_A) - r_A - errors
 *
 * for q in the box of B and p in that of A, where the errors are
 *     A's axes        2^-18 of its extents' sum, and 2^-20 for floats, in which r_A is computed:
 *                     AXES_ROOM has both
 *     R^T R - I       by the departure d of both poses from orthonormal at most 6.1 d as a norm, which
 *                     turns L by 6.2 d and moves what is in [-1, 1]^3 by 11 d; and roundings of l
 *     positions       the slack of pose.c, of which |l|_1 < 1.75 comes through
 *     doubles         2^-50 of |o|, in the slack, and of |c_A|, which for a box that holds a part of
 *                     [-1, 1]^3 is at most 2 more than the sum of its extents
 * and the left side is at most the distance of p and P q + o times |l| <= 1 + 3.1 d. A length of A's
 * node space is at least (1 - 3.1 d) of that in X's frame where A is Y. unit_a has room for these.
 *
 * Along a face axis of an aligned box nothing is turned: only positions err, and doubles. */
#include "binary_pair.h"

#include <math.h>
#include <string.h>

#define AXES_ROOM 0x1p-17f       /* of the sum of half-extents in A */
#define SUPPORT_ROOM 0x1p-18     /* of that in B */
#define DOUBLE_ROOM 0x1p-49      /* of lengths that were computed in double */
#define TURN_ROOM 16             /* times the poses' departure, of what is in [-1, 1]^3 */
#define UNIT_ROOM 16             /* times the departure, of a length */
#define LEVER_ROOM (1 + 0x1p-40) /* times half-extents of aligned boxes */
#define SEEK_ROOM 0x1p-16f       /* of extents: a direction is not proposed for less */

bool kiln_binary_takes(const kiln_tree *a, const kiln_tree *b)
{
    const uint16_t kind = a->view.kind->bv;
    return kind == b->view.kind->bv && (kind == KILN_BV_OBB2 || kind == KILN_BV_AABB2) &&
           a->view.entry->node_count <= KILN_BINARY_NODES_MOST &&
           b->view.entry->node_count <= KILN_BINARY_NODES_MOST;
}

/* The half-extents have room for the centre that is kept as two floats, as kiln_tree_box_root's. */
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
        const float half = (float)((upper - lower) / 2) * 1.000001f + 0x1p-40f;
        const float org = (float)centre, rest = (float)(centre - (double)org);
        out->root.head.org[k] = org;
        if (out->aligned) {
            out->root.aligned.centre[k][0] = rest;
            out->root.aligned.half[k][0] = half;
        } else {
            out->root.oriented.centre[k][0] = rest;
            out->root.oriented.half[k][0] = half;
            out->root.oriented.axis[4 * k][0] = 1.0f;
        }
    }
}

void kiln_binary_box_get(const kiln_binary_tree *of, kiln_binary_place place, kiln_binary_box *box)
{
    const kiln_format_node8 *head = kiln_binary_node(of, place);
    const unsigned lane = kiln_binary_lane(place);
    if (of->aligned) {
        const kiln_format_node_aabb2 *node = (const kiln_format_node_aabb2 *)(const void *)head;
        for (int k = 0; k < 3; k++) {
            box->centre[k] = (double)head->org[k] + (double)node->centre[k][lane];
            box->half[k] = node->half[k][lane];
        }
        return;
    }
    const kiln_format_node_obb2 *node = (const kiln_format_node_obb2 *)(const void *)head;
    for (int k = 0; k < 3; k++) {
        box->centre[k] = (double)head->org[k] + (double)node->centre[k][lane];
        box->half[k] = node->half[k][lane];
        for (int j = 0; j < 3; j++) {
            box->axis[k][j] = node->axis[3 * k + j][lane];
        }
    }
}

/* ------------------------------------------------------------------------------- the frame -- */

static void form_binary_map(kiln_binary_map *out, const kiln_node_map *map, double scale,
                            double turned)
{
    KILN_ASSERT(scale > 0);
    out->scale = scale;
    for (int i = 0; i < 9; i++) {
        out->points[i] = map->points.rotation[i];
        out->rotation[i] = map->points.rotation[i] / scale;
        out->turn[i] = map->rotation[i];
        out->lever[i] = fabs(map->points.rotation[i]) * LEVER_ROOM;
    }
    memcpy(out->offset, map->points.translation, sizeof out->offset);
    out->error = 2 * map->slack + scale * turned;
}

/* Oriented boxes are turned from one space to the other; faces of aligned ones are not. */
void kiln_binary_frame_form(kiln_binary_frame *out, const kiln_pair_frame *frame, double world,
                            const kiln_binary_tree *a, const kiln_binary_tree *b)
{
    KILN_ASSERT(a->tree == (frame->swapped ? frame->y : frame->x));
    KILN_ASSERT(b->tree == (frame->swapped ? frame->x : frame->y));
    KILN_ASSERT(world > 0);
    const double unit_x = kiln_power_of_two(frame->x->view.entry->scale_exponent);
    const double unit_y = kiln_power_of_two(frame->y->view.entry->scale_exponent) * frame->scale;
    const double unit_a = frame->swapped ? unit_y : unit_x;
    const double unit_b = frame->swapped ? unit_x : unit_y;
    const double kept = world * (1 - (UNIT_ROOM * frame->off + 0x1p-40));
    const double turned = a->aligned ? 0 : TURN_ROOM * frame->off + 0x1p-45;
    out->a = a;
    out->b = b;
    out->aligned = a->aligned;
    form_binary_map(&out->to_a, frame->swapped ? &frame->to_y : &frame->to_x, unit_b / unit_a,
                    turned);
    form_binary_map(&out->to_b, frame->swapped ? &frame->to_x : &frame->to_y, unit_a / unit_b,
                    turned);
    out->unit_a = unit_a * kept;
    out->unit_b = unit_b * kept;
    out->area_b = (float)out->to_a.scale * (float)out->to_a.scale;
}

/* -------------------------------------------------------------------------- oriented boxes -- */

void kiln_binary_along(const kiln_binary_frame *frame, const kiln_binary_plane *plane,
                       double along[3])
{
    const double axis[3] = {(double)plane->axis[0], (double)plane->axis[1], (double)plane->axis[2]};
    kiln_matrix_apply(frame->to_a.rotation, axis, along);
}

/* What is left of s support when all of the box of A is taken off but o. */
static double rest_along(const kiln_binary_frame *frame, const kiln_binary_box *a,
                         const kiln_binary_plane *plane, const double along[3])
{
    const float l[3] = {(float)along[0], (float)along[1], (float)along[2]};
    float reach = 0;
    for (int k = 0; k < 3; k++) {
        const float *axis = a->axis[k];
        reach += a->half[k] * (fabsf(axis[0] * l[0] + axis[1] * l[1] + axis[2] * l[2]) + AXES_ROOM);
    }
    return frame->to_a.scale * plane->support - kiln_dot(along, a->centre) - (double)reach -
           frame->to_a.error;
}

double kiln_binary_rest(const kiln_binary_frame *frame, kiln_binary_place a,
                        const kiln_binary_plane *plane, double along[3])
{
    kiln_binary_box box;
    kiln_binary_box_get(frame->a, a, &box);
    kiln_binary_along(frame, plane, along);
    return rest_along(frame, &box, plane, along);
}

static double margin_oriented(const kiln_binary_frame *frame, const kiln_binary_box *a,
                              const kiln_binary_plane *plane)
{
    double along[3];
    kiln_binary_along(frame, plane, along);
    const double rest = rest_along(frame, a, plane, along);
    return frame->unit_a * (rest + kiln_dot(along, frame->to_a.offset));
}

/* Of a direction in B's node space, whose length does not matter. The factor is 8 units in the last
 * place below 1, more than what the roundings here can add to the length. */
static void plane_along(const kiln_binary_box *b, const float direction[3],
                        kiln_binary_plane *plane)
{
    const float *d = direction;
    const float factor = (1 - 0x1p-21f) / sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    double l[3], reach = 0, sizes = 0;
    for (int k = 0; k < 3; k++) {
        plane->axis[k] = d[k] * factor;
        l[k] = (double)plane->axis[k];
    }
    for (int k = 0; k < 3; k++) {
        const double axis[3] = {(double)b->axis[k][0], (double)b->axis[k][1],
                                (double)b->axis[k][2]};
        const double half = (double)b->half[k];
        reach += half * (fabs(kiln_dot(axis, l)) + SUPPORT_ROOM);
        sizes += fabs(b->centre[k]) + half;
    }
    plane->support = kiln_dot(l, b->centre) - reach - DOUBLE_ROOM * sizes;
}

/* The two boxes in floats, in A's node space and along the axes of A's box. */
typedef struct {
    float turned[3][3]; /* axes of B's box in A's node space */
    float c[9];         /* c[3 k + j]: axis k of A . axis j of B */
    float t[3], half_b[3], growth;
} seeking;

static void begin_seeking(const kiln_binary_frame *frame, const kiln_binary_box *a,
                          const kiln_binary_box *b, seeking *s)
{
    const kiln_binary_map *map = &frame->to_a;
    const float *turn = map->turn, scale = (float)map->scale;
    float t[3], extents = 0;
    for (int i = 0; i < 3; i++) {
        t[i] = (float)(kiln_dot(map->points + 3 * i, b->centre) + map->offset[i] - a->centre[i]);
        s->half_b[i] = b->half[i] * scale;
        extents += a->half[i] + s->half_b[i];
        for (int j = 0; j < 3; j++) {
            const float *of = b->axis[j], *row = turn + 3 * i;
            s->turned[j][i] = row[0] * of[0] + row[1] * of[1] + row[2] * of[2];
        }
    }
    for (int k = 0; k < 3; k++) {
        const float *axis = a->axis[k];
        s->t[k] = axis[0] * t[0] + axis[1] * t[1] + axis[2] * t[2];
        for (int j = 0; j < 3; j++) {
            const float *of = s->turned[j];
            s->c[3 * k + j] = axis[0] * of[0] + axis[1] * of[1] + axis[2] * of[2];
        }
    }
    s->growth = SEEK_ROOM * extents;
}

/* A direction back in B's node space, towards B. */
static void turn_back(const kiln_binary_frame *frame, const float in_a[3], float sign,
                      float in_b[3])
{
    const float *turn = frame->to_a.turn;
    for (int j = 0; j < 3; j++) {
        in_b[j] = sign * (turn[j] * in_a[0] + turn[3 + j] * in_a[1] + turn[6 + j] * in_a[2]);
    }
}

/* Faces of A, then of B: of three that are looked at together, the one that parts the most. */
static bool seek_faces(const kiln_binary_frame *frame, const kiln_binary_box *a,
                       const kiln_binary_box *b, const seeking *s, float direction[3])
{
    float most = s->growth, sign = 1;
    int best = -1;
    for (int k = 0; k < 3; k++) {
        const float *c = s->c + 3 * k;
        const float gap =
            fabsf(s->t[k]) - (a->half[k] + fabsf(c[0]) * s->half_b[0] + fabsf(c[1]) * s->half_b[1] +
                              fabsf(c[2]) * s->half_b[2]);
        if (gap > most) {
            most = gap;
            best = k;
        }
    }
    if (best >= 0) {
        sign = s->t[best] < 0 ? -1.0f : 1.0f;
        turn_back(frame, a->axis[best], sign, direction);
        return true;
    }
    for (int j = 0; j < 3; j++) {
        const float *c = s->c + j;
        const float distance = s->t[0] * c[0] + s->t[1] * c[3] + s->t[2] * c[6];
        const float gap = fabsf(distance) - (s->half_b[j] + fabsf(c[0]) * a->half[0] +
                                             fabsf(c[3]) * a->half[1] + fabsf(c[6]) * a->half[2]);
        if (gap > most) {
            most = gap;
            best = j;
            sign = distance < 0 ? -1.0f : 1.0f;
        }
    }
    for (int k = 0; best >= 0 && k < 3; k++) {
        direction[k] = sign * b->axis[best][k];
    }
    return best >= 0;
}

/* Axis k of A x axis j of B. */
static bool seek_edges(const kiln_binary_frame *frame, const kiln_binary_box *a, const seeking *s,
                       float direction[3])
{
    const float *c = s->c, *t = s->t, *half_a = a->half, *half_b = s->half_b;
    for (int k = 0; k < 3; k++) {
        const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        for (int j = 0; j < 3; j++) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const float distance = t[k2] * c[3 * k1 + j] - t[k1] * c[3 * k2 + j];
            const float reach =
                (half_a[k1] * fabsf(c[3 * k2 + j]) + half_a[k2] * fabsf(c[3 * k1 + j])) +
                (half_b[j1] * fabsf(c[3 * k + j2]) + half_b[j2] * fabsf(c[3 * k + j1])) + s->growth;
            if (fabsf(distance) > reach) {
                const float *u = a->axis[k], *v = s->turned[j];
                const float in_a[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                                       u[0] * v[1] - u[1] * v[0]};
                turn_back(frame, in_a, distance < 0 ? -1.0f : 1.0f, direction);
                return true;
            }
        }
    }
    return false;
}

/* --------------------------------------------------------------------------- aligned boxes -- */

/* Along axis i of the boxes of the space that `map` leads to: only T_i is computed. */
static double gap_aligned(const kiln_binary_map *map, int i, const kiln_binary_box *at,
                          const kiln_binary_box *other)
{
    const double *row = map->points + 3 * i, *lever = map->lever + 3 * i;
    const double way = kiln_dot(row, other->centre) + map->offset[i] - at->centre[i];
    const double half[3] = {(double)other->half[0], (double)other->half[1], (double)other->half[2]};
    return fabs(way) - (double)at->half[i] * LEVER_ROOM - kiln_dot(lever, half) - map->error;
}

static double margin_aligned(const kiln_binary_frame *frame, const kiln_binary_box *a,
                             const kiln_binary_box *b, int face)
{
    return face < 3 ? frame->unit_a * gap_aligned(&frame->to_a, face, a, b)
                    : frame->unit_b * gap_aligned(&frame->to_b, face - 3, b, a);
}

static bool part_aligned(const kiln_binary_frame *frame, const kiln_binary_box *a,
                         const kiln_binary_box *b, kiln_binary_plane *plane, double *margin)
{
    double most = 0;
    int best = -1;
    for (int of = 0; of < 2 && best < 0; of++) {
        for (int i = 3 * of; i < 3 * of + 3; i++) {
            const double gap = margin_aligned(frame, a, b, i);
            best = gap > most ? i : best;
            most = gap > most ? gap : most;
        }
    }
    plane->support = 0;
    plane->axis[0] = (float)best;
    plane->axis[1] = plane->axis[2] = 0;
    *margin = most;
    return best >= 0;
}

/* ------------------------------------------------------------------------------------ both -- */

bool kiln_binary_part(const kiln_binary_frame *frame, const kiln_binary_box *a,
                      const kiln_binary_box *b, kiln_binary_plane *plane, double *margin)
{
    if (frame->aligned) {
        return part_aligned(frame, a, b, plane, margin);
    }
    seeking s;
    float direction[3];
    begin_seeking(frame, a, b, &s);
    if (!seek_faces(frame, a, b, &s, direction) && !seek_edges(frame, a, &s, direction)) {
        return false;
    }
    plane_along(b, direction, plane);
    *margin = margin_oriented(frame, a, plane);
    return *margin > 0;
}

double kiln_binary_margin(const kiln_binary_frame *frame, kiln_binary_place a, kiln_binary_place b,
                          const kiln_binary_plane *plane)
{
    kiln_binary_box box_a, box_b;
    kiln_binary_box_get(frame->a, a, &box_a);
    if (!frame->aligned) {
        return margin_oriented(frame, &box_a, plane);
    }
    kiln_binary_box_get(frame->b, b, &box_b);
    return margin_aligned(frame, &box_a, &box_b, (int)plane->axis[0]);
}
