/* What becomes of a pair that an engine has found: answers that are kept, filters, the narrow
 * phase, and the event that waits. */
#include "continuous.h"

#include <math.h>

/* Products of distances and of velocities are off by less than this part of what they are made of.
 */
#define FILTER_ROOM 0x1p-40
/* Velocities whose sine is less than its root are taken for parallel. */
#define PARALLEL 0x1p-20

/* How two objects move relative to each other from a time on. */
typedef struct {
    const kiln_dynamic_body *a, *b;
    const kiln_dynamic_limb *limb_a, *limb_b; /* NULL: spheres */
    double d[3], w[3], reach, room;
} relative_motion;

static relative_motion motion_from(const kiln_dynamic *world, uint32_t i, uint32_t j, double time)
{
    relative_motion motion;
    double at_a[3], at_b[3];
    motion.a = &world->bodies[i];
    motion.b = &world->bodies[j];
    motion.limb_a = world->limbs != NULL ? &world->limbs[i] : NULL;
    motion.limb_b = world->limbs != NULL ? &world->limbs[j] : NULL;
    kiln_dynamic_at(motion.a, time, at_a);
    kiln_dynamic_at(motion.b, time, at_b);
    motion.reach = motion.a->radius + motion.b->radius;
    motion.room = motion.reach;
    for (int k = 0; k < 3; k++) {
        motion.d[k] = at_b[k] - at_a[k];
        motion.w[k] = motion.b->velocity[k] - motion.a->velocity[k];
        motion.room += fabs(at_a[k]) + fabs(at_b[k]);
    }
    motion.room *= FILTER_ROOM;
    return motion;
}

/* Extent of both objects along a direction of any length. */
static double extent_along(const relative_motion *motion, const double along[3])
{
    const double length = sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]);
    double extent = (motion->reach + motion->room) * length;
    if (motion->limb_a != NULL) {
        const double *p = motion->limb_a->arm, *q = motion->limb_b->arm;
        extent += fabs(p[0] * along[0] + p[1] * along[1] + p[2] * along[2]) +
                  fabs(q[0] * along[0] + q[1] * along[1] + q[2] * along[2]);
    }
    return extent;
}

/* Are they apart for `time` on one of the axes of the world? The box that one sweeps relative to
 * the other is smaller than the two that both sweep. */
static bool boxes_are_apart(const relative_motion *motion, double time)
{
    for (int k = 0; k < 3; k++) {
        double along[3] = {0, 0, 0};
        along[k] = 1;
        const double way = motion->w[k] != 0 ? motion->w[k] * time : 0;
        const double low = motion->d[k] + (way < 0 ? way : 0);
        const double high = motion->d[k] + (way > 0 ? way : 0);
        const double extent = extent_along(motion, along) + FILTER_ROOM * fabs(way);
        if (low > extent || high < -extent) {
            return true;
        }
    }
    return false;
}

static bool are_apart_along(const relative_motion *motion, const double along[3])
{
    const double off = motion->d[0] * along[0] + motion->d[1] * along[1] + motion->d[2] * along[2];
    return fabs(off) > extent_along(motion, along);
}

static void cross_product(const double x[3], const double y[3], double out[3])
{
    out[0] = x[1] * y[2] - x[2] * y[1];
    out[1] = x[2] * y[0] - x[0] * y[2];
    out[2] = x[0] * y[1] - x[1] * y[0];
}

/* Along an axis perpendicular to both velocities nothing moves, so that what is apart there stays
 * so as long as they last (IV-C): the exact axis of the pair, in place of one of a pool. Of
 * velocities that are nearly parallel two axes perpendicular to the relative one are taken. */
static bool axes_are_apart(const relative_motion *motion)
{
    const double *v = motion->a->velocity, *u = motion->b->velocity, *w = motion->w;
    const double vv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    const double uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    double along[3], second[3];
    cross_product(v, u, along);
    const double size = along[0] * along[0] + along[1] * along[1] + along[2] * along[2];
    if (size > PARALLEL * vv * uu) {
        /* The rounding of the product leaves a part of the velocities along it. */
        return are_apart_along(motion, along);
    }
    const double x = fabs(w[0]), y = fabs(w[1]), z = fabs(w[2]);
    const int least = x <= y && x <= z ? 0 : y <= z ? 1 : 2;
    double unit[3] = {0, 0, 0};
    unit[least] = 1;
    cross_product(w, unit, along);
    cross_product(w, along, second);
    return are_apart_along(motion, along) || are_apart_along(motion, second);
}

/* ------------------------------------------------------------------------- kept answers -- */

static kiln_dynamic_kept *kept_of(kiln_dynamic *world, uint32_t i, uint32_t j)
{
    uint32_t mixed = i * 0x9E3779B1u ^ j * 0x85EBCA77u;
    mixed ^= mixed >> 15;
    return &world->kept[mixed & world->kept_mask];
}

static bool is_kept(const kiln_dynamic *world, const kiln_dynamic_kept *kept, uint32_t i,
                    uint32_t j)
{
    return kept->key_a != 0 && kept->a == i && kept->b == j && kept->key_a == world->keys[i] &&
           kept->key_b == world->keys[j];
}

/* --------------------------------------------------------------------------- the narrow phase
 * -- */

static kiln_dynamic_answer ask(kiln_dynamic *world, const kiln_dynamic_kept *pair, double from,
                               double to)
{
    kiln_dynamic_question question;
    question.a = (uint64_t)pair->a << 32 | world->facts[pair->a].generation;
    question.b = (uint64_t)pair->b << 32 | world->facts[pair->b].generation;
    question.user_a = world->facts[pair->a].user;
    question.user_b = world->facts[pair->b].user;
    question.from = from;
    question.to = to;
    kiln_dynamic_at(&world->bodies[pair->a], from, question.position_a);
    kiln_dynamic_at(&world->bodies[pair->b], from, question.position_b);
    for (int k = 0; k < 3; k++) {
        question.velocity_a[k] = world->bodies[pair->a].velocity[k];
        question.velocity_b[k] = world->bodies[pair->b].velocity[k];
    }
    world->counts.narrow_calls++;
    kiln_fpu_leave(world->caller);
    kiln_dynamic_answer answer = world->options.narrow(world->options.narrow_user, &question);
    world->caller = kiln_fpu_enter();
    if (answer.contact && !(answer.time >= from)) { /* NaN included */
        answer.time = from;
    }
    return answer;
}

/* What the filters and the narrow phase find: until when the pair is free, or its contact. `bound`:
 * nothing later is of interest. */
static void find_out(kiln_dynamic *world, kiln_dynamic_kept *pair, double bound)
{
    const kiln_dynamic_body *a = &world->bodies[pair->a], *b = &world->bodies[pair->b];
    const uint32_t filters = world->options.filters;
    const double start = a->since > b->since ? a->since : b->since;
    const relative_motion motion = motion_from(world, pair->a, pair->b, start);
    if ((filters & KILN_DYNAMIC_FILTER_BOX) != 0 && boxes_are_apart(&motion, bound - start)) {
        world->counts.by_box++;
        pair->free_until = bound;
        return;
    }
    if ((filters & KILN_DYNAMIC_FILTER_AXIS) != 0 && axes_are_apart(&motion)) {
        world->counts.by_axis++;
        pair->free_until = HUGE_VAL;
        return;
    }
    double from = start, to = HUGE_VAL;
    if ((filters & KILN_DYNAMIC_FILTER_SWEPT) != 0) {
        world->counts.tests++;
        kiln_dynamic_overlap(a, motion.limb_a, b, motion.limb_b, motion.room, &from, &to);
        if (from >= bound) {
            world->counts.by_swept++;
            pair->free_until = from;
            return;
        }
    }
    const double end = to < bound ? to : bound;
    const kiln_dynamic_answer answer = ask(world, pair, from, end);
    pair->is_contact = answer.contact;
    pair->free_until = !answer.contact && to <= bound ? HUGE_VAL : answer.time;
}

static void put_off(kiln_dynamic *world, uint32_t i, uint32_t j, double time, double bound)
{
    if (time >= world->floor && time < bound) {
        const kiln_dynamic_waiting event = {time, i, j, world->keys[i], world->keys[j]};
        kiln_dynamic_wait(world, &event);
    }
}

void kiln_dynamic_candidate(kiln_dynamic *world, uint32_t i, uint32_t j)
{
    if (i > j) {
        const uint32_t lower = j;
        j = i;
        i = lower;
    }
    KILN_ASSERT(i != j && kiln_dynamic_is_there(world, i) && kiln_dynamic_is_there(world, j));
    const double bound = world->method->lasting && !world->is_whole ? HUGE_VAL : world->end;
    world->counts.candidates++;
    if (world->options.narrow == NULL) {
        const kiln_dynamic_limb *limbs = world->limbs;
        world->counts.tests++;
        put_off(world, i, j,
                kiln_dynamic_first_contact(&world->bodies[i], limbs != NULL ? &limbs[i] : NULL,
                                           &world->bodies[j], limbs != NULL ? &limbs[j] : NULL),
                bound);
        return;
    }
    kiln_dynamic_kept pair = {i, j, world->keys[i], world->keys[j], 0, false}, *kept = NULL;
    if (world->kept != NULL) {
        kept = kept_of(world, i, j);
        if (is_kept(world, kept, i, j) && (kept->is_contact || kept->free_until >= bound)) {
            world->counts.by_kept++;
            if (kept->is_contact) {
                put_off(world, i, j, kept->free_until, bound);
            }
            return;
        }
    }
    find_out(world, &pair, bound);
    if (kept != NULL) {
        *kept = pair;
    }
    if (pair.is_contact) {
        put_off(world, i, j, pair.free_until, bound);
    }
}
