/* Poses: their check, the canonical relative placement, and the maps between node spaces.
 *
 * Two trees at two poses become one frame: X, whose vertices are used as they are stored, and
 * Y, whose vertices are carried into X's frame in double, each operation rounded once. Which
 * tree is X is decided by the geometry and the poses alone, so that swapping the arguments
 * changes no bit of an answer. Boxes see the same placement through kiln_node_map, in floats,
 * with a slack that covers all rounding. */
#include "pose.h"

#include "../exact/exact.h"
#include "../../formats/assert.h"
#include "../base/fpu.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* The limits of what counts as a pose: by how much R^T R may depart from the identity, up to which
 * departure the transpose stands for the inverse (kiln_pair_frame_form_maps), the largest
 * coordinate of a translation, and by how much a quaternion's length may differ from 1. */
#define DEPARTURE_MAX 1e-6
#define TRANSPOSE_MAX 0x1p-50
#define TRANSLATION_MAX 1e60
#define QUATERNION_TOLERANCE 1e-3

#define UNSCALED offsetof(kiln_pose, scale) /* bytes of rotation and translation */
#define NUMBERS (UNSCALED / sizeof(double))

static const kiln_pose identity = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}, 1};

kiln_pose kiln_pose_identity(void)
{
    return identity;
}

/* A quaternion that is nearly of length 1 is normalised; another is an error, not a guess. */
static kiln_status from_quaternion(const double q[4], const double translation[3], kiln_pose *out)
{
    const double length = sqrt(((q[0] * q[0] + q[1] * q[1]) + q[2] * q[2]) + q[3] * q[3]);
    if (!(fabs(length - 1.0) <= QUATERNION_TOLERANCE)) {
        return KILN_ERROR_POSE;
    }
    for (int k = 0; k < 3; k++) {
        if (translation != NULL && !(fabs(translation[k]) <= TRANSLATION_MAX)) {
            return KILN_ERROR_POSE;
        }
    }
    const double x = q[0] / length, y = q[1] / length, z = q[2] / length, w = q[3] / length;
    const double rotation[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
        2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
        2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
    kiln_pose pose = identity;
    for (int i = 0; i < 9; i++) {
        pose.rotation[i] = rotation[i] + 0.0; /* no -0, so that q and -q give the same bytes */
    }
    if (translation != NULL) {
        memcpy(pose.translation, translation, sizeof pose.translation);
    }
    *out = pose;
    return KILN_OK;
}

kiln_status kiln_pose_from_quaternion(const double quaternion[4], const double translation[3],
                                      kiln_pose *out)
{
    if (quaternion == NULL || out == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(convert, from_quaternion);
    const kiln_status status = convert(quaternion, translation, out);
    kiln_fpu_leave(caller);
    return status;
}

/* Largest entry of |R^T R - I|, or infinity for a mirror, NaN or an infinity. */
static double departure(const double r[9])
{
    double worst = 0, sum = 0; /* a NaN is lost in the one, but not in the other */
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            const double product = r[i] * r[j] + r[3 + i] * r[3 + j] + r[6 + i] * r[6 + j];
            const double off = fabs(product - (i == j ? 1.0 : 0.0));
            worst = off > worst ? off : worst;
            sum += off;
        }
    }
    const double det = r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) +
                       r[2] * (r[3] * r[7] - r[4] * r[6]);
    return worst <= DEPARTURE_MAX && sum < 1 && det > 0 ? worst : HUGE_VAL;
}

/* All comparisons are made, without branches: a NaN fails each of them. */
static inline bool pose_is_sound(const kiln_pose *pose, double *worst)
{
    if (pose == &identity) {
        return true;
    }
    const double *t = pose->translation;
    const double off = departure(pose->rotation);
    *worst = off > *worst ? off : *worst;
    return (off <= DEPARTURE_MAX) & (fabs(t[0]) <= TRANSLATION_MAX) &
           (fabs(t[1]) <= TRANSLATION_MAX) & (fabs(t[2]) <= TRANSLATION_MAX) &
           (pose->scale >= KILN_SCALE_MIN) & (pose->scale <= KILN_SCALE_MAX);
}

bool kiln_pose_is_sound(const kiln_pose *pose)
{
    double worst = 0;
    return pose_is_sound(pose, &worst);
}

bool kiln_pose_is_served(const kiln_pose *pose)
{
    kiln_affine affine;
    return kiln_pose_is_sound(pose) ||
           (kiln_affine_form(pose, &affine) && kiln_affine_is_sound(pose, &affine));
}

/* Inverse by cofactors: exact for matrices of 0, 1 and -1. */
void kiln_matrix_invert(const double r[9], double out[9])
{
    const double c[9] = {
        r[4] * r[8] - r[5] * r[7], r[2] * r[7] - r[1] * r[8], r[1] * r[5] - r[2] * r[4],
        r[5] * r[6] - r[3] * r[8], r[0] * r[8] - r[2] * r[6], r[2] * r[3] - r[0] * r[5],
        r[3] * r[7] - r[4] * r[6], r[1] * r[6] - r[0] * r[7], r[0] * r[4] - r[1] * r[3]};
    const double det = r[0] * c[0] + r[1] * c[3] + r[2] * c[6];
    for (int i = 0; i < 9; i++) {
        out[i] = c[i] / det;
    }
}

/* Rotations and translations, in some order: 0 where the numbers are equal, -0 and 0 too. */
static int compare_poses(const kiln_pose *p, const kiln_pose *q)
{
    double of_p[NUMBERS], of_q[NUMBERS];
    /* Equal bytes mean equal poses. If the bytes differ, the numbers are compared, because 0 and -0
     * are equal. Different poses have the order of their bytes; any fixed order would do. */
    const int by_bytes = memcmp(p, q, UNSCALED);
    if (by_bytes == 0) {
        return 0;
    }
    memcpy(of_p, p, UNSCALED);
    memcpy(of_q, q, UNSCALED);
    for (size_t i = 0; i < NUMBERS; i++) {
        if (of_p[i] != of_q[i]) {
            return by_bytes;
        }
    }
    return 0;
}

/* Is (b, pose_b) before (a, pose_a): less than 0; are they one mesh at one place: 0? By the
 * geometry, then by the bytes of the pose, by_pose, and the scale, so that which tree is carried
 * exactly does not depend on the caller's order, nor on the kind of tree. */
static int compare_places(const kiln_tree *a, double scale_a, const kiln_tree *b, double scale_b,
                          int by_pose)
{
    const uint8_t *hash_a = a->view.entry->geometry_hash, *hash_b = b->view.entry->geometry_hash;
    const int by_hash = memcmp(hash_b, hash_a, sizeof a->view.entry->geometry_hash);
    if (by_hash != 0 || by_pose != 0) {
        return by_hash != 0 ? by_hash : by_pose;
    }
    return scale_a == scale_b ? 0 : scale_b < scale_a ? -1 : 1;
}

/* The largest magnitude of the three, of which none is a NaN: poses and trees were checked. */
static double largest_magnitude(const double v[3])
{
    const double x = fabs(v[0]), y = fabs(v[1]), z = fabs(v[2]);
    return x > y ? (x > z ? x : z) : (y > z ? y : z);
}

/* `scale` is the node unit of the source in node units of the target. */
static void fill_map(kiln_node_map *map, const double rotation[9], const double offset[3],
                     double scale, double slack)
{
    for (int i = 0; i < 9; i++) {
        map->points.rotation[i] = rotation[i] * scale;
        map->rotation[i] = (float)rotation[i];
    }
    KILN_ASSERT(scale > 0);
    KILN_ASSERT(slack >= 0);
    memcpy(map->points.translation, offset, sizeof map->points.translation);
    map->scale = (float)scale;
    map->slack = slack;
    map->affine = false;
}

/* By how both were baked, which is all that tells them apart. */
void kiln_pair_frame_order_same(kiln_pair_frame *frame)
{
    const kiln_format_tree *x = frame->x->view.entry, *y = frame->y->view.entry;
    const uint32_t of_x[3] = {x->bv, x->leaf_max, x->node_count};
    const uint32_t of_y[3] = {y->bv, y->leaf_max, y->node_count};
    if (frame->same && frame->x != frame->y && memcmp(of_x, of_y, sizeof of_x) > 0) {
        const kiln_tree *tree = frame->x;
        frame->x = frame->y;
        frame->y = tree;
        frame->swapped = !frame->swapped;
    }
}

void kiln_pair_frame_node(const kiln_pair_frame *frame, bool is_x, kiln_transform *out)
{
    const kiln_format_tree *entry = (is_x ? frame->x : frame->y)->view.entry;
    const kiln_transform *carry = is_x ? &frame->by.carry_x : &frame->carry;
    const double unit = kiln_power_of_two(entry->scale_exponent);
    KILN_ASSERT(frame->affine);
    kiln_transform_point(carry, entry->origin, out->translation);
    for (int i = 0; i < 9; i++) {
        out->rotation[i] = carry->rotation[i] * unit;
    }
}

/* The map from the node space of X or Y to the other's, T. A common point of two triangles as they
 * are carried is off a point of each by `room` / 60 at most, by coordinates: in T's own frame that
 * is 3 N times as much, N being the largest entry of the inverse of T's matrix. The map is off by a
 * few roundings of products with that inverse, each 2^-52 of 3 N times what `room` is a part of.
 * All of that is less than N room, and 4 N room is taken. */
static void form_affine_map(const kiln_pair_frame *frame, bool from_x, kiln_node_map *map)
{
    const kiln_affine_pair *by = &frame->by;
    const double *inverse = by->inverse[!from_x];
    const kiln_format_tree *to = (from_x ? frame->y : frame->x)->view.entry;
    const double unit = kiln_power_of_two(-to->scale_exponent);
    double way[3], place[3];
    kiln_transform source, target;
    kiln_pair_frame_node(frame, from_x, &source);
    kiln_pair_frame_node(frame, !from_x, &target);
    kiln_subtract(source.translation, target.translation, way);
    kiln_matrix_multiply(inverse, source.rotation, map->points.rotation);
    kiln_matrix_apply(inverse, way, place);
    for (int i = 0; i < 9; i++) {
        map->points.rotation[i] *= unit;
        map->rotation[i] = 0;
    }
    for (int k = 0; k < 3; k++) {
        map->points.translation[k] = place[k] * unit;
    }
    map->scale = (float)(kiln_matrix_norm(map->points.rotation) * (1 + 0x1p-20));
    map->slack = 4 * by->most_inverse[!from_x] * by->room * unit;
    map->affine = true;
}

/* Positions go wrong by the rounding of the relative translation, of the node-space offsets, of
 * the carried vertices and of box centres kept as two floats: each a few ulps of the largest
 * magnitude that takes part, under 2^-48 of their sum; and in Y's space by what a transpose
 * departs from the inverse: under 18 times what both poses and their product depart by, in all
 * under 2^-44. */
void kiln_pair_frame_form_maps(kiln_pair_frame *frame)
{
    KILN_ASSERT(frame->scale > 0);
    KILN_ASSERT(frame->off >= 0);
    if (frame->affine) {
        form_affine_map(frame, false, &frame->to_x);
        form_affine_map(frame, true, &frame->to_y);
        return;
    }
    const double *rotation = frame->rotation;
    const kiln_format_tree *x = frame->x->view.entry, *y = frame->y->view.entry;
    const double unit_x = kiln_power_of_two(x->scale_exponent);
    const double unit_y = kiln_power_of_two(y->scale_exponent) * frame->scale;
    double inverse[9], offset[3], back[3];
    kiln_matrix_apply(frame->carry.rotation, y->origin, offset);
    for (int k = 0; k < 3; k++) {
        offset[k] = (offset[k] + frame->carry.translation[k]) - x->origin[k];
    }
    const double magnitude = unit_x + unit_y + largest_magnitude(x->origin) +
                             largest_magnitude(y->origin) * frame->scale +
                             largest_magnitude(frame->carry.translation);
    const double slack = 0x1p-43 * magnitude; /* of |v|_1 <= 3 |v|_inf, and a margin */
    if (frame->off > TRANSPOSE_MAX) {
        kiln_matrix_invert(rotation, inverse);
    } else { /* the slack has room for what the transpose departs by */
        for (int i = 0; i < 9; i++) {
            inverse[i] = rotation[3 * (i % 3) + i / 3];
        }
    }
    kiln_matrix_apply(inverse, offset, back);
    double offset_x[3], offset_y[3];
    const double of_x = kiln_power_of_two(-x->scale_exponent), of_y = 1 / unit_y;
    for (int k = 0; k < 3; k++) {
        offset_x[k] = offset[k] * of_x;
        offset_y[k] = -back[k] * of_y;
    }
    fill_map(&frame->to_x, rotation, offset_x, unit_y * of_x, slack * of_x);
    fill_map(&frame->to_y, inverse, offset_y, unit_x * of_y, slack * of_y);
}

/* Where Y is in X's frame, for poses that compare as by_pose. Equal ones place it exactly
 * there, so that a mesh meets all of itself at any one pose. What X at the identity does
 * without changes signs of zeros at most, on which nothing depends. */
static void form_relative(kiln_transform *carry, const kiln_pose *pose_x, const kiln_pose *pose_y,
                          int by_pose)
{
    KILN_ASSERT(pose_x != NULL);
    KILN_ASSERT(pose_y != NULL);
    double inverse[9], between[3];
    if (by_pose == 0 || pose_x == &identity) {
        const kiln_pose *pose = by_pose == 0 ? &identity : pose_y;
        memcpy(carry->rotation, pose->rotation, sizeof carry->rotation);
        memcpy(carry->translation, pose->translation, sizeof carry->translation);
        return;
    }
    kiln_matrix_invert(pose_x->rotation, inverse);
    kiln_matrix_multiply(inverse, pose_y->rotation, carry->rotation);
    for (int k = 0; k < 3; k++) {
        between[k] = pose_y->translation[k] - pose_x->translation[k];
    }
    kiln_matrix_apply(inverse, between, carry->translation);
}

/* Both scales into the map that carries Y, exact for powers of two. */
static void scale_transform(kiln_transform *carry, double scale_x, double scale)
{
    for (int i = 0; i < 9; i++) {
        carry->rotation[i] *= scale;
    }
    for (int k = 0; k < 3; k++) {
        carry->translation[k] /= scale_x;
    }
}

/* Both trees are carried into the world, from which X's translation is taken. A carried coordinate
 * is off by less than 2^-50 of the magnitudes in its sum, or 2^-250: `room` is 60 times the sum of
 * both, and more. */
static kiln_status relate_affine(kiln_pair_frame *frame, const kiln_tree *a,
                                 const kiln_pose *pose_a, const kiln_tree *b,
                                 const kiln_pose *pose_b)
{
    kiln_affine_pair *by = &frame->by;
    const int by_pose = compare_poses(pose_b, pose_a);
    const int by_place = compare_places(a, pose_a->scale, b, pose_b->scale, by_pose);
    const bool swapped = by_place < 0;
    const kiln_pose *poses[2] = {swapped ? pose_a : pose_b, swapped ? pose_b : pose_a};
    double sizes = 0;
    frame->swapped = swapped;
    frame->same = by_place == 0;
    frame->affine = true;
    frame->x = swapped ? b : a;
    frame->y = swapped ? a : b;
    frame->scale = 1;
    frame->off = 0;
    frame->epsilon = 0x1p-17f;
    frame->world = identity;
    memcpy(frame->world.translation, poses[1]->translation, sizeof frame->world.translation);
    for (int is_x = 0; is_x < 2; is_x++) {
        const kiln_pose *pose = poses[is_x];
        const kiln_format_tree *entry = (is_x ? frame->x : frame->y)->view.entry;
        const double unit = kiln_power_of_two(entry->scale_exponent);
        kiln_affine of;
        kiln_transform *carry = is_x ? &by->carry_x : &frame->carry;
        if (!kiln_affine_form(pose, &of) ||
            !(kiln_affine_is_sound(pose, &of) || kiln_pose_is_sound(pose))) {
            return KILN_ERROR_POSE;
        }
        memcpy(carry->rotation, of.matrix, sizeof carry->rotation);
        memcpy(by->inverse[is_x], of.inverse, sizeof of.inverse);
        by->most_inverse[is_x] = of.most_inverse;
        kiln_subtract(pose->translation, poses[1]->translation, carry->translation);
        sizes += 3 * of.most * (largest_magnitude(entry->origin) + unit) +
                 largest_magnitude(carry->translation);
    }
    by->room = 0x1p-44 * sizes + 0x1p-240;
    return KILN_OK;
}

/* `any`: poses need be no rotations. */
static inline kiln_status relate(kiln_pair_frame *frame, const kiln_tree *a,
                                 const kiln_pose *pose_a, const kiln_tree *b,
                                 const kiln_pose *pose_b, bool any)
{
    if (a == NULL || b == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    pose_a = pose_a != NULL ? pose_a : &identity;
    pose_b = pose_b != NULL ? pose_b : &identity;
    double off = 0;
    if (!pose_is_sound(pose_a, &off) || !pose_is_sound(pose_b, &off)) {
        return any ? relate_affine(frame, a, pose_a, b, pose_b) : KILN_ERROR_POSE;
    }
    const int by_pose = compare_poses(pose_b, pose_a);
    const int by_place = compare_places(a, pose_a->scale, b, pose_b->scale, by_pose);
    frame->swapped = by_place < 0;
    frame->same = by_place == 0;
    frame->affine = false;
    frame->x = frame->swapped ? b : a;
    frame->y = frame->swapped ? a : b;
    const kiln_pose *pose_x = frame->swapped ? pose_b : pose_a;
    const kiln_pose *pose_y = frame->swapped ? pose_a : pose_b;
    form_relative(&frame->carry, pose_x, pose_y, by_pose);
    frame->off = off;
    frame->epsilon = (float)(0x1p-17 + 8 * off); /* both poses depart by at most `off` */
    memcpy(frame->rotation, frame->carry.rotation, sizeof frame->rotation);
    const double scale_x = pose_x->scale;
    frame->scale = pose_y->scale / scale_x;
    KILN_ASSERT(frame->scale > 0);
    KILN_ASSERT(frame->off >= 0 && frame->off <= DEPARTURE_MAX);
    if (scale_x != 1 || frame->scale != 1) {
        scale_transform(&frame->carry, scale_x, frame->scale);
    }
    return KILN_OK;
}

kiln_status kiln_pair_frame_relate(kiln_pair_frame *frame, const kiln_tree *a,
                                   const kiln_pose *pose_a, const kiln_tree *b,
                                   const kiln_pose *pose_b)
{
    return relate(frame, a, pose_a, b, pose_b, false);
}

kiln_status kiln_pair_frame_relate_any(kiln_pair_frame *frame, const kiln_tree *a,
                                       const kiln_pose *pose_a, const kiln_tree *b,
                                       const kiln_pose *pose_b)
{
    return relate(frame, a, pose_a, b, pose_b, true);
}

static kiln_status with_polygons(kiln_status status, const kiln_tree *a, const kiln_tree *b)
{
    const bool there =
        status != KILN_OK || (kiln_tree_has_polygons(a) && kiln_tree_has_polygons(b));
    return there ? status : kiln_trees_lack(a, b);
}

kiln_status kiln_pair_frame_relate_polygons(kiln_pair_frame *frame, const kiln_tree *a,
                                            const kiln_pose *pose_a, const kiln_tree *b,
                                            const kiln_pose *pose_b)
{
    return with_polygons(kiln_pair_frame_relate(frame, a, pose_a, b, pose_b), a, b);
}

kiln_status kiln_pair_frame_relate_any_polygons(kiln_pair_frame *frame, const kiln_tree *a,
                                                const kiln_pose *pose_a, const kiln_tree *b,
                                                const kiln_pose *pose_b)
{
    return with_polygons(kiln_pair_frame_relate_any(frame, a, pose_a, b, pose_b), a, b);
}

kiln_status kiln_pair_frame_form(kiln_pair_frame *frame, const kiln_tree *a,
                                 const kiln_pose *pose_a, const kiln_tree *b,
                                 const kiln_pose *pose_b)
{
    const kiln_status status = kiln_pair_frame_relate(frame, a, pose_a, b, pose_b);
    if (status == KILN_OK) {
        kiln_pair_frame_form_maps(frame);
    }
    return status;
}

/* Coordinates below this would leave the range of exact.c; they count as 0 everywhere. */
static double settle(double value)
{
    return fabs(value) < KILN_EXACT_MIN ? 0.0 : value;
}

/* Carries a stored vertex into X's frame. Each operation is rounded once and in this order, which
 * must not change: answers are defined for the vertices that it gives. */
void kiln_transform_vertex(const kiln_transform *carry, const float vertex[3], double out[3])
{
    const double x = (double)vertex[0], y = (double)vertex[1], z = (double)vertex[2];
    for (int i = 0; i < 3; i++) {
        const double *row = carry->rotation + 3 * i;
        out[i] = settle(((row[0] * x + row[1] * y) + row[2] * z) + carry->translation[i]);
    }
}

void kiln_pair_frame_transform(const kiln_pair_frame *frame, const float vertex[3], double out[3])
{
    kiln_transform_vertex(&frame->carry, vertex, out);
}

/* The inverse is that of `carry` times a power of two, the scale, by which its largest entry is
 * from 1/4 to 1/2: so rays stay in the range of line.h. */
static void normalise_inverse(kiln_placement *placement, const double inverse[9], double most)
{
    int exponent = 0;
    (void)frexp(most, &exponent);
    const double scale = ldexp(1.0, -exponent - 1);
    for (int i = 0; i < 9; i++) {
        placement->inverse[i] = inverse[i] * scale;
    }
    placement->scale = scale;
    placement->affine = true;
    placement->plain = false;
    placement->departure = 0;
}

kiln_status kiln_placement_form_any(kiln_placement *placement, const kiln_pose *pose)
{
    kiln_affine affine;
    if (kiln_placement_form(placement, pose) == KILN_OK) {
        return KILN_OK;
    }
    if (!kiln_affine_form(pose, &affine) || !kiln_affine_is_sound(pose, &affine)) {
        return KILN_ERROR_POSE;
    }
    memcpy(placement->carry.rotation, affine.matrix, sizeof affine.matrix);
    memcpy(placement->carry.translation, pose->translation, sizeof pose->translation);
    placement->mirrors = affine.mirrors;
    normalise_inverse(placement, affine.inverse, affine.most_inverse);
    return KILN_OK;
}

void kiln_placement_centre(const kiln_placement *placement, kiln_transform *carry,
                           double inverse[9])
{
    *carry = placement->carry;
    memset(carry->translation, 0, sizeof carry->translation);
    for (int i = 0; i < 9; i++) {
        inverse[i] = placement->inverse[i] / placement->scale;
    }
}

const kiln_placement kiln_placement_identity = {.carry = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}},
                                                .inverse = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                                .scale = 1,
                                                .departure = 0,
                                                .plain = true,
                                                .affine = false,
                                                .mirrors = false};

/* Without a pose nothing is computed, so that points go through unchanged to the bit. */
kiln_status kiln_placement_form(kiln_placement *placement, const kiln_pose *pose)
{
    *placement = kiln_placement_identity;
    if (pose == NULL) {
        return KILN_OK;
    }
    placement->plain = false;
    if (!pose_is_sound(pose, &placement->departure)) {
        return KILN_ERROR_POSE;
    }
    memcpy(placement->carry.rotation, pose->rotation, sizeof pose->rotation);
    memcpy(placement->carry.translation, pose->translation, sizeof pose->translation);
    placement->scale = pose->scale;
    KILN_ASSERT(placement->scale > 0);
    kiln_matrix_invert(pose->rotation, placement->inverse);
    return KILN_OK;
}

/* Both poses become one relative placement, as for pairs of trees, so that moving the tree and the
 * frame alike changes as little as rounding allows. */
kiln_status kiln_placement_between(kiln_placement *placement, const kiln_pose *frame,
                                   const kiln_pose *pose)
{
    pose = pose != NULL ? pose : &identity;
    frame = frame != NULL ? frame : &identity;
    *placement = kiln_placement_identity;
    placement->plain = false;
    if (!pose_is_sound(pose, &placement->departure) ||
        !pose_is_sound(frame, &placement->departure)) {
        return KILN_ERROR_POSE;
    }
    form_relative(&placement->carry, frame, pose, compare_poses(frame, pose));
    kiln_matrix_invert(placement->carry.rotation, placement->inverse);
    placement->scale = pose->scale / frame->scale;
    KILN_ASSERT(placement->scale > 0);
    KILN_ASSERT(placement->departure >= 0);
    if (frame->scale != 1 || placement->scale != 1) {
        scale_transform(&placement->carry, frame->scale, placement->scale);
    }
    return KILN_OK;
}

/* The relative map is the product of the frame's inverse and the pose, in doubles. As it may be
 * far smaller than what it is made of, it is inverted itself; where that has no digit that is right
 * its inverse is not finite, which shape_walk.c looks at. */
kiln_status kiln_placement_between_any(kiln_placement *placement, const kiln_pose *frame,
                                       const kiln_pose *pose)
{
    kiln_affine of_pose, of_frame;
    double inverse[9], between[3];
    const kiln_status status = kiln_placement_between(placement, frame, pose);
    if (status != KILN_ERROR_POSE) {
        return status;
    }
    pose = pose != NULL ? pose : &identity;
    frame = frame != NULL ? frame : &identity;
    const bool formed = kiln_affine_form(pose, &of_pose) && kiln_affine_form(frame, &of_frame);
    if (!formed || !(kiln_affine_is_sound(pose, &of_pose) || kiln_pose_is_sound(pose)) ||
        !(kiln_affine_is_sound(frame, &of_frame) || kiln_pose_is_sound(frame))) {
        return KILN_ERROR_POSE;
    }
    kiln_transform *carry = &placement->carry;
    if (compare_poses(frame, pose) == 0 && frame->scale == pose->scale) {
        memcpy(carry->rotation, identity.rotation, sizeof carry->rotation);
        memset(carry->translation, 0, sizeof carry->translation);
    } else {
        kiln_matrix_multiply(of_frame.inverse, of_pose.matrix, carry->rotation);
        kiln_subtract(pose->translation, frame->translation, between);
        kiln_matrix_apply(of_frame.inverse, between, carry->translation);
    }
    placement->mirrors = kiln_matrix_invert_wide(carry->rotation, inverse) < 0;
    const double most = kiln_matrix_most(inverse);
    normalise_inverse(placement, inverse, most < HUGE_VAL ? most : 1);
    return KILN_OK;
}

/* Of an affine map M normals go with the cofactors of M: the determinant's sign times the transpose
 * of the inverse, up to a length that is taken off. */
void kiln_placement_normal(const kiln_placement *placement, const double normal[3], double out[3])
{
    if (!placement->affine) {
        kiln_matrix_apply(placement->carry.rotation, normal, out);
        return;
    }
    double turned[3], most = 0, squared = 0;
    for (int i = 0; i < 3; i++) {
        const double *m = placement->inverse + i;
        turned[i] = (m[0] * normal[0] + m[3] * normal[1]) + m[6] * normal[2];
        most = fabs(turned[i]) > most ? fabs(turned[i]) : most;
    }
    for (int i = 0; i < 3 && most > 0; i++) {
        turned[i] /= placement->mirrors ? -most : most;
        squared += turned[i] * turned[i];
    }
    for (int i = 0; i < 3; i++) {
        out[i] = most > 0 ? turned[i] / sqrt(squared) : 0;
    }
}

/* A direction of the frame in the tree's own space. It is not divided by the scale, so a parameter
 * along it has to be multiplied by the scale to become the caller's. */
void kiln_placement_direction(const kiln_placement *placement, const double direction[3],
                              double out[3])
{
    if (placement->plain) {
        memcpy(out, direction, 3 * sizeof(double));
    } else {
        kiln_matrix_apply(placement->inverse, direction, out);
    }
    for (int k = 0; k < 3; k++) {
        out[k] = settle(out[k]);
    }
}

/* A point of the frame in the tree's own space: the translation is taken off, then the inverse
 * applied, then the scale divided out. Without a pose only numbers too small for the predicates
 * change. */
void kiln_placement_point(const kiln_placement *placement, const double point[3], double out[3])
{
    double from[3];
    if (placement->plain) {
        for (int k = 0; k < 3; k++) {
            out[k] = settle(point[k]);
        }
        return;
    }
    for (int k = 0; k < 3; k++) {
        from[k] = point[k] - placement->carry.translation[k];
    }
    kiln_matrix_apply(placement->inverse, from, out);
    for (int k = 0; k < 3; k++) {
        out[k] = settle(out[k] / placement->scale);
    }
}
