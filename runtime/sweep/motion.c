/* Screw motions: the pose at a time, and the motion between two poses.
 *
 * Sines and cosines are computed here, since those of the system's library differ from one machine
 * to another in their last bits. */
#include "motion.h"

#include "../../formats/assert.h"
#include "../../formats/transform.h"
#include "../base/fpu.h"
#include "../pose/pose.h"

#include <math.h>
#include <string.h>

#define PLACE_MAX 1e57
/* A start may depart from a rotation by a little less than a pose, which it stays on its way: each
 * pose is a product with a rotation that is one within 2^-46. */
#define START_DEPARTURE_MAX 0.99e-6
#define START_ROOM (1 + 0x1p-20) /* of affine starts: for the roundings of products */

/* pi/2 in three parts: the first two have 33 bits each, so that their products with a number of 20
 * bits are exact. */
#define QUARTER_1 0x1.921fb544p+0
#define QUARTER_2 0x1.0b4611a6p-34
#define QUARTER_3 0x1.3198a2e037073p-69
#define QUARTERS 0x1.45f306dc9c883p-1 /* 2 / pi */
#define PI 0x1.921fb54442d18p+1

/* Of an angle from 0 to 2^18, within 2^-50. The remainder is exact but for two roundings below
 * 2^-53; the series of Taylor end with errors below 2^-57 at pi/4. */
static void sine_and_cosine(double angle, double *sine, double *cosine)
{
    KILN_ASSERT(angle >= 0 && angle <= 0x1p18);
    const double quarters = floor(angle * QUARTERS + 0.5);
    const double r = ((angle - quarters * QUARTER_1) - quarters * QUARTER_2) - quarters * QUARTER_3;
    const double z = r * r;
    double s = 0, c = 0;
    for (int n = 17; n >= 3; n -= 2) {
        s = (1 - s) * z / (double)(n * (n - 1));
    }
    for (int n = 16; n >= 2; n -= 2) {
        c = (1 - c) * z / (double)(n * (n - 1));
    }
    const double sin_r = r - r * s, cos_r = 1 - c;
    const int quadrant = (int)(quarters - 4 * floor(quarters / 4));
    const double of_sine[4] = {sin_r, cos_r, -sin_r, -cos_r};
    *sine = of_sine[quadrant];
    *cosine = of_sine[(quadrant + 1) & 3];
}

/* The angle in [0, pi] whose sine and cosine are s and c, s >= 0, s^2 + c^2 = 1 nearly. The sine of
 * what is missing is added; what is missing then is less than a third of its cube, so that 0.3
 * becomes 2^-8, 2^-26, less than an ulp. */
static double angle_of(double s, double c)
{
    double angle = c >= 0 ? PI / 2 * s / (s + c) : PI - PI / 2 * s / (s - c);
    for (int i = 0; i < 4; i++) {
        double sine, cosine;
        sine_and_cosine(angle, &sine, &cosine);
        angle += s * cosine - c * sine;
        angle = angle > 0 ? angle : 0;
    }
    return angle;
}

static bool is_in_place(const double v[3], double most)
{
    return (fabs(v[0]) <= most) & (fabs(v[1]) <= most) & (fabs(v[2]) <= most);
}

/* Largest entry of |R^T R - I| is within the limit. */
static bool is_rotation(const double r[9])
{
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            const double product = (r[i] * r[j] + r[3 + i] * r[3 + j]) + r[6 + i] * r[6 + j];
            if (!(fabs(product - (i == j ? 1.0 : 0.0)) <= START_DEPARTURE_MAX)) {
                return false;
            }
        }
    }
    return true;
}

/* A rotation makes other entries of a matrix, but the roots of their sums of squares stay what they
 * are, and no entry exceeds them: so all poses of the motion are served. */
static bool is_affine_start(const kiln_pose *start, double *stretch)
{
    kiln_affine of;
    if (!kiln_affine_form(start, &of)) {
        return false;
    }
    of.most = kiln_matrix_norm(of.matrix) * START_ROOM;
    of.most_inverse = kiln_matrix_norm(of.inverse) * START_ROOM;
    *stretch = of.most;
    return kiln_affine_is_sound(start, &of);
}

kiln_status kiln_mover_form(kiln_mover *mover, const kiln_motion *motion)
{
    if (motion == NULL) {
        memset(&mover->motion, 0, sizeof mover->motion);
        mover->motion.start = kiln_pose_identity();
    } else {
        mover->motion = *motion;
    }
    const kiln_motion *m = &mover->motion;
    const bool sound = kiln_pose_is_sound(&m->start);
    mover->stretch = m->start.scale;
    mover->affine = !sound && is_affine_start(&m->start, &mover->stretch);
    if (!(mover->affine || (sound && is_rotation(m->start.rotation))) ||
        !is_in_place(m->start.translation, PLACE_MAX) || !is_in_place(m->point, PLACE_MAX) ||
        !is_in_place(m->linear, PLACE_MAX) || !is_in_place(m->angular, KILN_ANGULAR_MAX)) {
        return KILN_ERROR_POSE;
    }
    /* What is too small for its square is scaled before, so that every angle has its axis. */
    const double most =
        kiln_larger(fabs(m->angular[0]), kiln_larger(fabs(m->angular[1]), fabs(m->angular[2])));
    double squared = 0;
    for (int k = 0; k < 3; k++) {
        mover->axis[k] = most > 0 ? m->angular[k] / most : 0;
        squared += mover->axis[k] * mover->axis[k];
        mover->arm[k] = m->start.translation[k] - m->point[k];
    }
    mover->angle = 0;
    if (most > 0) {
        const double length = sqrt(squared);
        mover->angle = most * length;
        for (int k = 0; k < 3; k++) {
            mover->axis[k] /= length;
        }
    }
    return KILN_OK;
}

/* The rotation less the identity, after Rodrigues: sin K + (1 - cos) K^2, with 1 - cos = 2 sin^2 of
 * half the angle, so that small angles lose nothing. */
static void rotation_beyond(const double axis[3], double angle, double out[9])
{
    double s, c;
    sine_and_cosine(angle / 2, &s, &c);
    const double sine = 2 * s * c, versine = 2 * s * s;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = versine * (axis[i] * axis[j]);
        }
        /* K^2 = a a^T - I; the diagonal by the two others, whose squares make what is missing. */
        const double p = axis[(i + 1) % 3], q = axis[(i + 2) % 3];
        out[3 * i + i] = -versine * (p * p + q * q);
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out[3 * k + j] += sine * axis[i];
        out[3 * j + k] -= sine * axis[i];
    }
}

void kiln_mover_pose(const kiln_mover *mover, double time, kiln_pose *pose)
{
    const kiln_motion *m = &mover->motion;
    *pose = m->start;
    if (!(time > 0)) {
        return;
    }
    double way[3];
    for (int k = 0; k < 3; k++) {
        way[k] = m->linear[k] * time;
    }
    if (mover->angle > 0) {
        double beyond[9], turned[9], moved[3];
        rotation_beyond(mover->axis, mover->angle * time, beyond);
        kiln_matrix_multiply(beyond, m->start.rotation, turned);
        kiln_matrix_apply(beyond, mover->arm, moved);
        for (int i = 0; i < 9; i++) {
            pose->rotation[i] = m->start.rotation[i] + turned[i];
        }
        for (int k = 0; k < 3; k++) {
            way[k] += moved[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        pose->translation[k] = m->start.translation[k] + way[k];
    }
}

void kiln_mover_point(const kiln_mover *mover, double time, double point[3])
{
    for (int k = 0; k < 3; k++) {
        point[k] = mover->motion.point[k] + mover->motion.linear[k] * time;
    }
}

/* ------------------------------------------------------------------------------ public calls -- */

static kiln_status pose_at(const kiln_motion *motion, double time, kiln_pose *out)
{
    kiln_mover mover;
    kiln_pose pose;
    const kiln_status status = kiln_mover_form(&mover, motion);
    if (status == KILN_OK) {
        kiln_mover_pose(&mover, time, &pose);
        *out = pose;
    }
    return status;
}

kiln_status kiln_motion_pose(const kiln_motion *motion, double time, kiln_pose *out)
{
    if (motion == NULL || out == NULL || !(time >= 0 && time <= 1)) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, pose_at);
    const kiln_status status = run(motion, time, out);
    kiln_fpu_leave(caller);
    return status;
}

/* The quaternion {x, y, z, w} of a matrix that is nearly a rotation, from the largest of its four
 * components (Shepperd, Journal of Guidance and Control 1, 1978), of length 1, w >= 0. */
static void quaternion_of(const double r[9], double q[4])
{
    const double trace = (r[0] + r[4]) + r[8];
    int largest = 3;
    double most = trace;
    for (int i = 0; i < 3; i++) {
        if (r[4 * i] > most) {
            most = r[4 * i];
            largest = i;
        }
    }
    if (largest == 3) {
        q[0] = r[7] - r[5];
        q[1] = r[2] - r[6];
        q[2] = r[3] - r[1];
        q[3] = 1 + trace;
    } else {
        const int i = largest, j = (i + 1) % 3, k = (i + 2) % 3;
        q[i] = ((1 + r[4 * i]) - r[4 * j]) - r[4 * k];
        q[j] = r[3 * j + i] + r[3 * i + j];
        q[k] = r[3 * k + i] + r[3 * i + k];
        q[3] = r[3 * k + j] - r[3 * j + k];
    }
    double sign = q[3] < 0 ? -1 : 1;
    for (int i = 2; i >= 0 && q[3] == 0; i--) {
        sign = q[i] < 0 ? -1 : q[i] > 0 ? 1 : sign;
    }
    const double length = sqrt((q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]));
    for (int i = 0; i < 4; i++) {
        q[i] = q[i] * sign / length;
    }
}

/* Takes from v its part along the unit vector, twice: what is left of a v that is nearly along it
 * is orthogonal to it, too. */
static void take_part(double v[3], const double unit[3])
{
    for (int pass = 0; pass < 2; pass++) {
        const double part = kiln_dot(v, unit);
        for (int k = 0; k < 3; k++) {
            v[k] -= part * unit[k];
        }
    }
}

static void set_length(double v[3])
{
    const double length = sqrt(kiln_dot(v, v));
    for (int k = 0; k < 3; k++) {
        v[k] /= length;
    }
}

/* Gram and Schmidt's axes of the columns `order` of a matrix; the third is across. */
static void form_frame(const double m[9], const int order[2], double axis[3][3])
{
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) {
            axis[i][k] = m[3 * k + order[i]];
        }
    }
    set_length(axis[0]);
    take_part(axis[1], axis[0]);
    set_length(axis[1]);
    kiln_cross(axis[0], axis[1], axis[2]);
}

/* The longest column, and that which reaches farthest from it. */
static void choose_columns(const double m[9], int order[2])
{
    double column[3][3], longest = -1;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            column[i][k] = m[3 * k + i];
        }
        const double square = kiln_dot(column[i], column[i]);
        order[0] = square > longest ? i : order[0];
        longest = square > longest ? square : longest;
    }
    set_length(column[order[0]]);
    longest = -1;
    for (int i = 0; i < 3; i++) {
        if (i != order[0]) {
            take_part(column[i], column[order[0]]);
            const double square = kiln_dot(column[i], column[i]);
            order[1] = square > longest ? i : order[1];
            longest = square > longest ? square : longest;
        }
    }
}

/* The rotation that turns the affine map `start` into `end`. False: none does, within 1e-6 of the
 * largest entry. It comes from the axes that Gram and Schmidt find in columns of both, largest
 * first: end times the inverse of start is off by 2^-52 of their condition, where a rotation is
 * lost long before the map is; these axes are off only in what is as much smaller. */
static bool turn_between(const double start[9], const double end[9], double between[9])
{
    double from[3][3], to[3][3], turned[9], unused[9];
    int order[2] = {0, 1};
    bool near = true;
    choose_columns(start, order);
    form_frame(start, order, from);
    form_frame(end, order, to);
    for (int i = 0; i < 9; i++) {
        const int row = i / 3, column = i % 3;
        between[i] = (to[0][row] * from[0][column] + to[1][row] * from[1][column]) +
                     to[2][row] * from[2][column];
    }
    kiln_matrix_multiply(between, start, turned);
    const double most = kiln_matrix_most(end);
    for (int i = 0; i < 9; i++) {
        near &= fabs(end[i] - turned[i]) <= START_DEPARTURE_MAX * most;
    }
    return near && kiln_matrix_invert_wide(start, unused) == kiln_matrix_invert_wide(end, unused);
}

/* `start` and `end` are not NULL. */
static kiln_status motion_between(const kiln_pose *start, const kiln_pose *end,
                                  const double centre[3], int turns, kiln_motion *out)
{
    kiln_motion m;
    kiln_mover mover;
    double inverse[9], between[9], q[4];
    bool affine;
    memset(&m, 0, sizeof m);
    m.start = *end;
    kiln_status status = kiln_mover_form(&mover, &m);
    affine = mover.affine;
    m.start = *start;
    status = status == KILN_OK ? kiln_mover_form(&mover, &m) : status;
    if (status != KILN_OK || start->scale != end->scale) {
        return KILN_ERROR_POSE;
    }
    affine = affine || mover.affine;
    double from[3], to[3], offset[3] = {0, 0, 0};
    for (int k = 0; k < 3 && centre != NULL; k++) {
        offset[k] = centre[k] * start->scale;
    }
    kiln_matrix_apply(start->rotation, offset, from);
    kiln_matrix_apply(end->rotation, offset, to);
    for (int k = 0; k < 3; k++) {
        m.point[k] = from[k] + start->translation[k];
        m.linear[k] = (to[k] - from[k]) + (end->translation[k] - start->translation[k]);
    }
    if (memcmp(start->rotation, end->rotation, sizeof start->rotation) != 0) {
        if (!affine) {
            kiln_matrix_invert(start->rotation, inverse);
            kiln_matrix_multiply(end->rotation, inverse, between);
        } else if (!turn_between(start->rotation, end->rotation, between)) {
            return KILN_ERROR_POSE;
        }
        quaternion_of(between, q);
    } else {
        q[0] = q[1] = q[2] = 0;
        q[3] = 1;
    }
    const double sine = sqrt((q[0] * q[0] + q[1] * q[1]) + q[2] * q[2]);
    if (turns != 0 && !(sine > 0)) {
        return KILN_ERROR_ARGUMENT;
    }
    const double angle = 2 * angle_of(sine, q[3]) + 2 * PI * turns;
    if (!(fabs(angle) <= KILN_ANGULAR_MAX)) {
        return KILN_ERROR_ARGUMENT;
    }
    for (int k = 0; k < 3; k++) {
        m.angular[k] = sine > 0 ? q[k] / sine * angle : 0;
    }
    status = kiln_mover_form(&mover, &m);
    if (status == KILN_OK) {
        *out = m;
    }
    return status;
}

kiln_status kiln_motion_between(const kiln_pose *start, const kiln_pose *end,
                                const double centre[3], int turns, kiln_motion *out)
{
    const kiln_pose identity_pose = kiln_pose_identity();
    start = start != NULL ? start : &identity_pose;
    end = end != NULL ? end : &identity_pose;
    if (out == NULL || (centre != NULL && !is_in_place(centre, PLACE_MAX))) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, motion_between);
    const kiln_status status = run(start, end, centre, turns, out);
    kiln_fpu_leave(caller);
    return status;
}

kiln_status kiln_motion_at_rest(const kiln_pose *pose, kiln_motion *out)
{
    return kiln_motion_between(pose, pose, NULL, 0, out);
}
