/* When two moving objects first touch. Doubles, the same operations for every caller, so that the
 * time of an event is a function of the two states (V-B). */
#include "continuous.h"

#include <math.h>

/* The square of the cosine below which velocities slide along a surface. */
#define SLIDING 0x1p-20

static double dot_of(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* -------------------------------------------------------------------------------- spheres -- */

/* A point at d that moves by w: how long until it is within `reach` of the origin, from outside;
 * HUGE_VAL: never. By the point of closest approach rather than by b^2 - a c, whose rounding grows
 * with the distance squared. */
static double enter_ball(const double d[3], const double w[3], double reach)
{
    const double b = dot_of(d, w), a = dot_of(w, w);
    if (!(b < 0)) {
        return HUGE_VAL;
    }
    const double nearest = -b / a;
    const double e[3] = {d[0] + w[0] * nearest, d[1] + w[1] * nearest, d[2] + w[2] * nearest};
    const double within = reach * reach - dot_of(e, e);
    if (!(within >= 0)) {
        return HUGE_VAL;
    }
    const double time = nearest - sqrt(within / a);
    return time > 0 ? time : 0;
}

/* ------------------------------------------------------------------------------- capsules -- */

/* Two capsules touch where the way d between their centres is within `reach` of the parallelogram
 * of all s p + u q, with s and u from -1 to 1 and p and q their arms. The boundary of what is
 * within `reach` is of two parallelograms, of cylinders about the four sides and of balls about the
 * corners. */
typedef struct {
    double p[3], q[3], reach;
} swept_arms;

static double clamp_one(double x)
{
    return x < -1 ? -1 : x > 1 ? 1 : x;
}

/* The point of the parallelogram next to d: by turns along each side from the four corners of
 * (s, u) that a minimum may be in. */
static void closest_of_arms(const swept_arms *arms, const double d[3], double closest[3])
{
    const double pp = dot_of(arms->p, arms->p), qq = dot_of(arms->q, arms->q);
    const double pq = dot_of(arms->p, arms->q), pd = dot_of(arms->p, d), qd = dot_of(arms->q, d);
    const double area = pp * qq - pq * pq;
    double best = HUGE_VAL;
    closest[0] = closest[1] = closest[2] = 0;
    for (int i = 0; i < 5; i++) {
        double s, u;
        if (i == 0) {
            if (!(area > 0)) {
                continue;
            }
            s = (pd * qq - qd * pq) / area;
            u = (qd * pp - pd * pq) / area;
            if (fabs(s) > 1 || fabs(u) > 1) {
                continue;
            }
        } else if (i < 3) {
            s = i == 1 ? -1 : 1;
            u = qq > 0 ? clamp_one((qd - s * pq) / qq) : 0;
        } else {
            u = i == 3 ? -1 : 1;
            s = pp > 0 ? clamp_one((pd - u * pq) / pp) : 0;
        }
        double at[3], off[3];
        for (int k = 0; k < 3; k++) {
            at[k] = s * arms->p[k] + u * arms->q[k];
            off[k] = d[k] - at[k];
        }
        const double far = dot_of(off, off);
        if (far < best) {
            best = far;
            closest[0] = at[0];
            closest[1] = at[1];
            closest[2] = at[2];
        }
    }
}

/* Until it is within `reach` of a side: of the segment from middle - arm to middle + arm, by its
 * cylinder; the balls are the corners'. */
static double enter_side(const double d[3], const double w[3], const double middle[3],
                         const double arm[3], double reach)
{
    const double length = dot_of(arm, arm);
    if (!(length > 0)) {
        return HUGE_VAL;
    }
    double from[3], across[3], turn[3];
    for (int k = 0; k < 3; k++) {
        from[k] = d[k] - middle[k];
    }
    const double along = dot_of(from, arm) / length, speed = dot_of(w, arm) / length;
    for (int k = 0; k < 3; k++) {
        across[k] = from[k] - along * arm[k];
        turn[k] = w[k] - speed * arm[k];
    }
    const double time = enter_ball(across, turn, reach);
    return time < HUGE_VAL && fabs(along + speed * time) <= 1 ? time : HUGE_VAL;
}

/* Until it is within `reach` of the inside of the parallelogram. */
static double enter_face(const swept_arms *arms, const double d[3], const double w[3])
{
    const double *p = arms->p, *q = arms->q;
    const double normal[3] = {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2],
                              p[0] * q[1] - p[1] * q[0]};
    const double length = sqrt(dot_of(normal, normal));
    const double height = dot_of(d, normal), speed = dot_of(w, normal);
    if (!(length > 0) || !(height * speed < 0)) {
        return HUGE_VAL;
    }
    const double time = (fabs(height) - arms->reach * length) / fabs(speed);
    if (!(time >= 0)) {
        return HUGE_VAL;
    }
    const double at[3] = {d[0] + w[0] * time, d[1] + w[1] * time, d[2] + w[2] * time};
    const double pp = dot_of(p, p), qq = dot_of(q, q), pq = dot_of(p, q), pd = dot_of(p, at),
                 qd = dot_of(q, at);
    const double area = pp * qq - pq * pq;
    const bool is_inside =
        area > 0 && fabs(pd * qq - qd * pq) <= area && fabs(qd * pp - pd * pq) <= area;
    return is_inside ? time : HUGE_VAL;
}

static double enter_arms(const swept_arms *arms, const double d[3], const double w[3])
{
    double best = enter_face(arms, d, w);
    for (int i = 0; i < 4; i++) { /* sides along p at both ends of q, then along q */
        const double *other = i < 2 ? arms->q : arms->p, *arm = i < 2 ? arms->p : arms->q;
        const double sign = i % 2 == 0 ? 1 : -1;
        const double middle[3] = {sign * other[0], sign * other[1], sign * other[2]};
        const double time = enter_side(d, w, middle, arm, arms->reach);
        best = time < best ? time : best;
    }
    for (int i = 0; i < 4; i++) {
        const double s = i < 2 ? 1 : -1, u = i % 2 == 0 ? 1 : -1;
        double from[3];
        for (int k = 0; k < 3; k++) {
            from[k] = d[k] - s * arms->p[k] - u * arms->q[k];
        }
        const double time = enter_ball(from, w, arms->reach);
        best = time < best ? time : best;
    }
    return best;
}

/* ------------------------------------------------------------------------------------ pairs -- */

/* The way from a to b at a time, and their relative velocity. */
static void relative(const kiln_dynamic_body *a, const kiln_dynamic_body *b, double time,
                     double d[3], double w[3])
{
    for (int k = 0; k < 3; k++) {
        d[k] = (b->position[k] + b->velocity[k] * (time - b->since)) -
               (a->position[k] + a->velocity[k] * (time - a->since));
        w[k] = b->velocity[k] - a->velocity[k];
    }
}

static swept_arms arms_of(const kiln_dynamic_limb *limb_a, const kiln_dynamic_limb *limb_b,
                          double reach)
{
    swept_arms arms = {{0, 0, 0}, {0, 0, 0}, reach};
    for (int k = 0; k < 3; k++) {
        arms.p[k] = limb_a->arm[k];
        arms.q[k] = limb_b->arm[k];
    }
    return arms;
}

static bool are_spheres(const kiln_dynamic_limb *limb_a, const kiln_dynamic_limb *limb_b)
{
    return limb_a == NULL || limb_b == NULL ||
           (limb_a->half_length == 0 && limb_b->half_length == 0);
}

/* Does what overlaps count? `off` is the shortest way from one segment to the other, and as the
 * distance to a convex set is convex in time, it grows from now on if it grows now. Then overlap
 * counts where it is deeper than `room`: after a response to a contact of the bounds themselves
 * they are as deep in each other as the rounding of the time, and what is inside of them touches
 * as little and as short. Where they slide along each other they count as well. */
static bool overlap_counts(const double off[3], const double w[3], double reach, double room)
{
    const double growth = dot_of(off, w);
    if (growth < 0 || !(room < HUGE_VAL)) {
        return growth < 0;
    }
    const double square = dot_of(off, off);
    const bool is_parting = growth * growth > SLIDING * square * dot_of(w, w);
    return !is_parting || reach - sqrt(square) > room;
}

/* The first time at which the two touch. Two that overlap count as touching while their distance
 * shrinks, or if they overlap by more than `room`; with a room of HUGE_VAL only while it shrinks.
 */
static double touch(const kiln_dynamic_body *a, const kiln_dynamic_limb *limb_a,
                    const kiln_dynamic_body *b, const kiln_dynamic_limb *limb_b, double room)
{
    const double start = a->since > b->since ? a->since : b->since;
    const double reach = a->radius + b->radius;
    double d[3], w[3];
    relative(a, b, start, d, w);
    if (are_spheres(limb_a, limb_b)) {
        if (dot_of(d, d) <= reach * reach) {
            return overlap_counts(d, w, reach, room) ? start : HUGE_VAL;
        }
        return start + enter_ball(d, w, reach);
    }
    const swept_arms arms = arms_of(limb_a, limb_b, reach);
    double closest[3], off[3];
    closest_of_arms(&arms, d, closest);
    for (int k = 0; k < 3; k++) {
        off[k] = d[k] - closest[k];
    }
    if (dot_of(off, off) <= reach * reach) {
        return overlap_counts(off, w, reach, room) ? start : HUGE_VAL;
    }
    return start + enter_arms(&arms, d, w);
}

double kiln_dynamic_first_contact(const kiln_dynamic_body *a, const kiln_dynamic_limb *limb_a,
                                  const kiln_dynamic_body *b, const kiln_dynamic_limb *limb_b)
{
    return touch(a, limb_a, b, limb_b, HUGE_VAL);
}

/* Widened in time by 2^-40 of its length. The end is that of spheres around the capsules. */
void kiln_dynamic_overlap(const kiln_dynamic_body *a, const kiln_dynamic_limb *limb_a,
                          const kiln_dynamic_body *b, const kiln_dynamic_limb *limb_b, double room,
                          double *from, double *to)
{
    const double start = a->since > b->since ? a->since : b->since;
    double d[3], w[3], reach = a->radius + b->radius;
    if (!are_spheres(limb_a, limb_b)) {
        reach += limb_a->half_length + limb_b->half_length;
    }
    *from = touch(a, limb_a, b, limb_b, room);
    *to = HUGE_VAL;
    relative(a, b, start, d, w);
    for (int k = 0; k < 3; k++) { /* backwards, from where they have long parted */
        w[k] = -w[k];
    }
    const double speed = dot_of(w, w);
    if (*from < HUGE_VAL && speed > 0) {
        *from = start + (*from - start) * (1 - 0x1p-40);
        const double after = (sqrt(dot_of(d, d)) + reach) / sqrt(speed);
        for (int k = 0; k < 3; k++) {
            d[k] -= w[k] * (2 * after);
        }
        const double back = enter_ball(d, w, reach);
        *to = start + (back < HUGE_VAL ? 2 * after - back : 2 * after) + 0x1p-40 * after;
    }
}

void kiln_dynamic_normal(const kiln_dynamic_body *a, const kiln_dynamic_limb *limb_a,
                         const kiln_dynamic_body *b, const kiln_dynamic_limb *limb_b, double time,
                         double normal[3])
{
    double d[3], w[3], closest[3] = {0, 0, 0};
    relative(a, b, time, d, w);
    if (!are_spheres(limb_a, limb_b)) {
        const swept_arms arms = arms_of(limb_a, limb_b, a->radius + b->radius);
        closest_of_arms(&arms, d, closest);
    }
    for (int k = 0; k < 3; k++) {
        normal[k] = d[k] - closest[k];
    }
    const double length = sqrt(dot_of(normal, normal));
    for (int k = 0; k < 3; k++) {
        normal[k] = length > 0 ? normal[k] / length : 0;
    }
}

/* ------------------------------------------------------------------------------------ walls -- */

uint32_t kiln_dynamic_next_wall(const kiln_dynamic *world, uint32_t place, double time,
                                uint32_t wall, double *when)
{
    const kiln_dynamic_body *body = &world->bodies[place];
    uint32_t best = 0;
    *when = HUGE_VAL;
    for (uint32_t side = 0; side < 6; side++) {
        const uint32_t k = side / 2;
        const bool is_upper = side % 2 == 1;
        const double speed = is_upper ? body->velocity[k] : -body->velocity[k];
        const double plane = is_upper ? world->options.upper[k] : -world->options.lower[k];
        if (!(speed > 0) || !(fabs(plane) < HUGE_VAL)) {
            continue;
        }
        const double extent =
            body->radius + (world->limbs != NULL ? fabs(world->limbs[place].arm[k]) : 0);
        const double at = is_upper ? body->position[k] : -body->position[k];
        const double left = (plane - extent) - at;
        const double reached = body->since + (left > 0 ? left / speed : 0);
        if ((reached > time || (reached == time && side > wall)) && reached < *when) {
            best = side;
            *when = reached;
        }
    }
    return best;
}
