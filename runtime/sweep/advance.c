/* Separating planes that hold for a while.
 *
 * Let c and d be the moving points of A and B, w = d - c, w' = v, and p and q the vectors from them
 * to a point of A and a point of B: p' = a x p, q' = b x q with constant angular velocities a, b.
 * Let n be a direction that turns with angular velocity o. The gap along n between the two points,
 * g = n (w + q - p), has
 *
 *     g'  = n (v + b x q - a x p - o x (w + q - p))
 *     g'' = n (...), of which
 *           o = 0    |g''| <= |a|^2 |p| + |b|^2 |q|
 *           o = a    |g''| <= |b - a| (|a| + |b|) |q| + |a|^2 |w| + 2 |a| |v|
 *           o = b    |g''| <= |b - a| (|a| + |b|) |p| + |b|^2 |w| + 2 |b| |v|
 *
 * for in the frame that turns with A p is at rest, and the second derivative of w + q is
 * -2 a x v + a x (a x w) + (b - a) x (b x q) - a x ((b - a) x q); and likewise for B. Each bound
 * holds for all times, since |p|, |q| and |v| do not change and |w| is at most `reach`. By Taylor,
 * with K the bound, g(h) >= g + g' h - K h^2 / 2. The right side is concave in h: where it is above
 * a margin at 0 and at h, it is so in between. The least h at which it falls to the margin is the
 * advance. The smallest K of the three decides which way the plane turns: without rotation K is 0,
 * and the advance is that of a linear cast; what turns as one is at rest in the second frame.
 *
 * These bounds are of no use where something turns by several turns: K is its square. Two kinds of
 * plane that do not turn last longer. At all times A is in the ball about c, and B in that about d,
 * whose radii are the most of |p| and |q|: with n along w the gap is at least n w(h) less both, and
 * that is linear. And since n (a x (a x p)) = (n x a) (a x p), the first bound is |n x a| |a| |p| +
 * |n x b| |b| |q|, which is 0 along a common axis of rotation.
 *
 * Gaps and rates are least at corners, of a box along n at centre +- its half-axes.
 *
 * Rounding. A coordinate computed here is within 2^-46 (1 + angle) M of that of the real motion,
 * with M the sum of all lengths that take part; g, and g' times a time of at most 1, are sums of at
 * most a dozen products of these by numbers up to 1. So all of it is within 2^-44 (1 + angle) M,
 * which the margin has room for (sweep.c). What is relative to K, and to the roots, is in FIRM. */
#include "advance.h"

#include "../../formats/assert.h"
#include "../../formats/transform.h"
#include "../base/compiler.h"
#include "../kernel/kernel.h"
#include "../pose/affine.h"

#include <math.h>
#include <string.h>

#define FIRM 0x1p-30
#define AXES_ROOM 0x1p-15 /* of boxes whose axes are orthonormal within 2^-17 of the extents' sum */
#define UNIT_ROOM 0x1p-14 /* of the length of such an axis, and of what is divided by a root */
#define CROSS_ROOM 0x1p-50 /* of products n x a with n of length 1, in lengths of a */
#define TURNING_MUCH 2.0   /* radians of both: less is no reason to try planes that last */

static double length_of(const double v[3])
{
    return sqrt(kiln_dot(v, v));
}

kiln_status kiln_pair_motion_form(kiln_pair_motion *pair, const kiln_motion *a,
                                  const kiln_motion *b)
{
    kiln_status status = kiln_mover_form(&pair->a, a);
    if (status == KILN_OK) {
        status = kiln_mover_form(&pair->b, b);
    }
    if (status != KILN_OK) {
        return status;
    }
    double between[3], turning[3], first[3], last[3];
    kiln_subtract(pair->b.motion.linear, pair->a.motion.linear, between);
    kiln_subtract(pair->b.motion.angular, pair->a.motion.angular, turning);
    kiln_subtract(pair->b.motion.point, pair->a.motion.point, first);
    for (int k = 0; k < 3; k++) {
        last[k] = first[k] + between[k];
    }
    pair->turn_a = pair->a.angle;
    pair->turn_b = pair->b.angle;
    pair->turn_apart = length_of(turning) * (1 + FIRM);
    pair->speed = length_of(between) * (1 + FIRM);
    /* The distance of two points that move along lines is convex in time. */
    pair->reach = kiln_larger(length_of(first), length_of(last)) * (1 + FIRM);
    pair->margin = 0;
    kiln_pair_motion_set(pair, 0);
    return KILN_OK;
}

void kiln_pair_motion_set(kiln_pair_motion *pair, double time)
{
    KILN_ASSERT(time >= 0 && time <= 1);
    pair->time = time;
    kiln_mover_pose(&pair->a, time, &pair->pose_a);
    kiln_mover_pose(&pair->b, time, &pair->pose_b);
    kiln_mover_point(&pair->a, time, pair->point_a);
    kiln_mover_point(&pair->b, time, pair->point_b);
}

static void velocity_at(const kiln_pair_motion *pair, bool is_a, const double place[3],
                        double velocity[3])
{
    const kiln_motion *motion = is_a ? &pair->a.motion : &pair->b.motion;
    double lever[3];
    kiln_subtract(place, is_a ? pair->point_a : pair->point_b, lever);
    kiln_cross(motion->angular, lever, velocity);
    for (int k = 0; k < 3; k++) {
        velocity[k] += motion->linear[k];
    }
}

/* A box around what the matrix makes of the box's half-axes, which moves with the object as they
 * do, in place of one whose axes are not orthonormal. What decoded axes are off by gets longer,
 * too. */
KILN_RARE static void enclose_stretched(const kiln_pair_motion *pair, bool is_a,
                                        const kiln_body_box *box, kiln_solid *solid)
{
    const double stretch = is_a ? pair->a.stretch : pair->b.stretch;
    double arm[3][3], sum = 0;
    const double growth = KILN_ARMS_OFF * stretch * ((box->half[0] + box->half[1]) + box->half[2]);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            arm[k][i] = solid->axis[k][i] * solid->half[k];
        }
    }
    solid->lever -= solid->radius;
    kiln_arms_enclose(arm, solid->axis, solid->half);
    for (int k = 0; k < 3; k++) {
        solid->half[k] = solid->half[k] * (1 + FIRM) + growth;
        sum += solid->half[k];
    }
    solid->spread = AXES_ROOM * sum;
    solid->radius = length_of(solid->half) * (1 + FIRM) + solid->spread;
    solid->lever += solid->radius;
}

void kiln_solid_form(kiln_solid *solid, const kiln_pair_motion *pair, bool is_a,
                     const kiln_body_box *box)
{
    const kiln_pose *pose = is_a ? &pair->pose_a : &pair->pose_b;
    double lever[3], sum = 0;
    kiln_matrix_apply(pose->rotation, box->centre, solid->centre);
    for (int k = 0; k < 3; k++) {
        solid->centre[k] = solid->centre[k] * pose->scale + pose->translation[k];
        solid->half[k] = box->half[k] * pose->scale;
        sum += solid->half[k];
        kiln_matrix_apply(pose->rotation, box->axis[k], solid->axis[k]);
    }
    solid->spread = AXES_ROOM * sum;
    solid->radius = length_of(solid->half) * (1 + FIRM) + solid->spread;
    kiln_subtract(solid->centre, is_a ? pair->point_a : pair->point_b, lever);
    solid->lever = length_of(lever) + solid->radius;
    velocity_at(pair, is_a, solid->centre, solid->velocity);
    if (is_a ? pair->a.affine : pair->b.affine) {
        enclose_stretched(pair, is_a, box, solid);
    }
}

void kiln_choose_plane(const kiln_pair_motion *pair, double lever_a, double lever_b,
                       kiln_turning_plane *plane)
{
    const double a = pair->turn_a, b = pair->turn_b, both = pair->turn_apart * (a + b);
    const double fixed = a * a * lever_a + b * b * lever_b;
    const double with_a = both * lever_b + a * a * pair->reach + 2 * a * pair->speed;
    const double with_b = both * lever_a + b * b * pair->reach + 2 * b * pair->speed;
    plane->with = NULL;
    plane->bend = fixed;
    if (with_a < plane->bend) {
        plane->with = pair->a.motion.angular;
        plane->bend = with_a;
    }
    if (with_b < plane->bend) {
        plane->with = pair->b.motion.angular;
        plane->bend = with_b;
    }
    plane->bend *= 1 + FIRM + UNIT_ROOM;
    plane->turns_a = plane->turns_b = false;
    for (int k = 0; k < 3; k++) {
        const double with = plane->with != NULL ? plane->with[k] : 0;
        plane->turn_a[k] = pair->a.motion.angular[k] - with;
        plane->turn_b[k] = pair->b.motion.angular[k] - with;
        plane->turns_a |= plane->turn_a[k] != 0;
        plane->turns_b |= plane->turn_b[k] != 0;
    }
}

/* The least h >= 0 at which excess + rate h - bend h^2 / 2 is 0, for excess > 0; less than that by
 * more than the rounding of this. */
static inline double time_to_fall(double excess, double rate, double bend)
{
    double time;
    if (rate >= 0 && !(bend > 0)) {
        return HUGE_VAL;
    }
    const double root = sqrt(rate * rate + 2 * bend * excess);
    if (rate < 0) {
        time = 2 * excess / (root - rate);
    } else {
        time = (rate + root) / bend;
    }
    return time * (1 - FIRM);
}

/* ----------------------------------------------------------------------------------- boxes -- */

/* How far a box reaches from its centre along n, but for what its axes may be wrong by. */
static inline double reach_of(const kiln_solid *solid, const double n[3])
{
    return (fabs(kiln_dot(solid->axis[0], n)) * solid->half[0] +
            fabs(kiln_dot(solid->axis[1], n)) * solid->half[1]) +
           fabs(kiln_dot(solid->axis[2], n)) * solid->half[2];
}

typedef struct {
    const kiln_solid *a, *b;
    double way[3];      /* from the centre of A to that of B */
    double velocity[3]; /* of that, seen from the plane */
    double margin;      /* with what the axes may be wrong by */
    double spread_rate; /* by which that can grow */
    kiln_turning_plane plane;
} solids;

/* By how much more than the margin the two are apart along a direction of length 1, which n is
 * turned to point from A to B. */
static double excess_along(const solids *s, const double direction[3], double n[3])
{
    const double along = kiln_dot(direction, s->way);
    for (int k = 0; k < 3; k++) {
        n[k] = along < 0 ? -direction[k] : direction[k];
    }
    return fabs(along) - reach_of(s->a, n) - reach_of(s->b, n) - s->margin;
}

/* The advance by the planes across n, of length 1 within UNIT_ROOM. */
static double try_plane(const solids *s, const double direction[3])
{
    double n[3], on_a[3], on_b[3];
    const double excess = excess_along(s, direction, n);
    if (!(excess > 0)) {
        return 0;
    }
    double rate = kiln_dot(n, s->velocity) - s->spread_rate;
    if (s->plane.turns_a) { /* n (o x axis) = (n x o) axis */
        kiln_cross(n, s->plane.turn_a, on_a);
        rate -= reach_of(s->a, on_a);
    }
    if (s->plane.turns_b) {
        kiln_cross(n, s->plane.turn_b, on_b);
        rate -= reach_of(s->b, on_b);
    }
    return time_to_fall(excess, rate, s->plane.bend);
}

static double try_any_plane(const solids *s, const double direction[3])
{
    const double length = length_of(direction);
    double unit[3];
    if (!(length > 0x1p-500 && length < 0x1p500)) {
        return 0;
    }
    for (int k = 0; k < 3; k++) {
        unit[k] = direction[k] / length;
    }
    return try_plane(s, unit);
}

/* The advance by a plane across a direction of length 1 that does not turn. */
static double try_fixed_plane(const kiln_pair_motion *pair, const solids *s,
                              const double direction[3])
{
    double n[3], on_a[3], on_b[3], velocity[3];
    const double excess = excess_along(s, direction, n);
    if (!(excess > 0)) {
        return 0;
    }
    kiln_subtract(s->b->velocity, s->a->velocity, velocity);
    kiln_cross(n, pair->a.motion.angular, on_a);
    kiln_cross(n, pair->b.motion.angular, on_b);
    const double rate = kiln_dot(n, velocity) - (reach_of(s->a, on_a) + reach_of(s->b, on_b)) -
                        (s->a->spread * pair->turn_a + s->b->spread * pair->turn_b);
    const double of_a = (length_of(on_a) + CROSS_ROOM * pair->turn_a) * pair->turn_a;
    const double of_b = (length_of(on_b) + CROSS_ROOM * pair->turn_b) * pair->turn_b;
    const double bend = (of_a * s->a->lever + of_b * s->b->lever) * (1 + FIRM + UNIT_ROOM);
    return time_to_fall(excess, rate, bend);
}

/* The advance by planes that last although A or B turns by much. */
static double try_lasting_planes(const kiln_pair_motion *pair, const solids *s)
{
    double between[3], drift[3], best = 0;
    kiln_subtract(pair->point_b, pair->point_a, between);
    const double length = length_of(between);
    const double excess = length - (s->a->lever + s->b->lever) - s->margin;
    if (excess > 0) {
        kiln_subtract(pair->b.motion.linear, pair->a.motion.linear, drift);
        best = time_to_fall(excess, kiln_dot(between, drift) / length, 0);
    }
    if (pair->turn_a > 0) {
        best = kiln_larger(best, try_fixed_plane(pair, s, pair->a.axis));
    }
    if (pair->turn_b > 0) {
        best = kiln_larger(best, try_fixed_plane(pair, s, pair->b.axis));
    }
    return best;
}

double kiln_advance_solids(const kiln_pair_motion *pair, const kiln_solid *a, const kiln_solid *b,
                           double enough)
{
    solids s;
    double turned[3], across[3], best = 0;
    s.a = a;
    s.b = b;
    kiln_choose_plane(pair, a->lever, b->lever, &s.plane);
    kiln_subtract(b->centre, a->centre, s.way);
    kiln_subtract(b->velocity, a->velocity, s.velocity);
    if (s.plane.with != NULL) {
        kiln_cross(s.plane.with, s.way, turned);
        kiln_subtract(s.velocity, turned, s.velocity);
    }
    s.margin = (pair->margin + a->spread + b->spread) * (1 + UNIT_ROOM);
    s.spread_rate = (s.plane.turns_a ? a->spread * length_of(s.plane.turn_a) : 0) +
                    (s.plane.turns_b ? b->spread * length_of(s.plane.turn_b) : 0);
    /* Balls that overlap are mostly boxes that do, and then no direction is worth its cost. */
    best = try_any_plane(&s, s.way);
    if (best < enough && pair->turn_a + pair->turn_b > TURNING_MUCH) {
        best = kiln_larger(best, try_lasting_planes(pair, &s));
    }
    if (best >= enough) {
        return best;
    }
    /* Across the motion: what passes by, passes for good. */
    const double squared = kiln_dot(s.velocity, s.velocity);
    if (squared > 0x1p-500 && squared < 0x1p500) {
        const double part = kiln_dot(s.way, s.velocity) / squared;
        for (int k = 0; k < 3; k++) {
            across[k] = s.way[k] - part * s.velocity[k];
        }
        best = kiln_larger(best, try_any_plane(&s, across));
    }
    for (int k = 0; k < 6 && best < enough; k++) {
        best = kiln_larger(best, try_plane(&s, k < 3 ? a->axis[k] : b->axis[k - 3]));
    }
    return best;
}

/* ------------------------------------------------------------------------------- triangles -- */

double kiln_farthest_corner(const double corners[9], const double from[3])
{
    double most = 0;
    for (int i = 0; i < 3; i++) {
        double lever[3];
        kiln_subtract(corners + 3 * i, from, lever);
        most = kiln_larger(most, kiln_dot(lever, lever));
    }
    return sqrt(most) * (1 + FIRM);
}

/* How fast three corners move along n, seen from a plane. */
static void rates_along(const kiln_pair_motion *pair, bool is_a, const kiln_turning_plane *plane,
                        const double corners[9], const double reference[3], const double n[3],
                        double rate[3])
{
    const double *own = is_a ? pair->point_a : pair->point_b;
    const kiln_motion *motion = is_a ? &pair->a.motion : &pair->b.motion;
    const double linear = kiln_dot(n, motion->linear);
    rate[0] = rate[1] = rate[2] = linear;
    if (plane->with != NULL || (is_a ? plane->turns_a : plane->turns_b)) {
        double by_turn[3], by_plane[3] = {0, 0, 0};
        kiln_cross(n, motion->angular, by_turn);
        if (plane->with != NULL) {
            kiln_cross(n, plane->with, by_plane);
        }
        for (int i = 0; i < 3; i++) {
            double lever[3], from[3];
            kiln_subtract(corners + 3 * i, own, lever);
            kiln_subtract(corners + 3 * i, reference, from);
            rate[i] = linear + (kiln_dot(by_turn, lever) - kiln_dot(by_plane, from));
        }
    }
}

static inline double lowest_of(const double v[3])
{
    return kiln_smaller(kiln_smaller(v[0], v[1]), v[2]);
}

static inline double highest_of(const double v[3])
{
    return kiln_larger(kiln_larger(v[0], v[1]), v[2]);
}

double kiln_advance_triangles(const kiln_pair_motion *pair, const kiln_turning_plane *plane,
                              const double a[9], const double b[9], const double toward[3],
                              bool closely)
{
    double n[3], place_a[3], place_b[3], rate_a[3], rate_b[3];
    const double largest =
        kiln_larger(fabs(toward[0]), kiln_larger(fabs(toward[1]), fabs(toward[2])));
    if (!(largest > 0x1p-500 && largest < 0x1p500)) {
        return 0;
    }
    const double scale = 1 / largest;
    for (int k = 0; k < 3; k++) {
        n[k] = toward[k] * scale;
    }
    /* Places are measured from a corner of A, in lengths of n. */
    const double length = length_of(n), margin = pair->margin * length * (1 + FIRM);
    for (int i = 0; i < 3; i++) {
        double from_a[3], from_b[3];
        kiln_subtract(a + 3 * i, a, from_a);
        kiln_subtract(b + 3 * i, a, from_b);
        place_a[i] = kiln_dot(n, from_a);
        place_b[i] = kiln_dot(n, from_b);
    }
    const double excess = lowest_of(place_b) - highest_of(place_a) - margin;
    if (!(excess > 0)) {
        return 0;
    }
    const double bend = plane->bend * length;
    rates_along(pair, true, plane, a, a, n, rate_a);
    rates_along(pair, false, plane, b, a, n, rate_b);
    double best = time_to_fall(excess, lowest_of(rate_b) - highest_of(rate_a), bend);
    if (closely && best < 1) {
        best = HUGE_VAL;
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                best = kiln_smaller(best, time_to_fall(place_b[j] - place_a[i] - margin,
                                                       rate_b[j] - rate_a[i], bend));
            }
        }
    }
    return best;
}
