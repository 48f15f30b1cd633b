/* What is sampled: pairs of small meshes (boxes, tori, soups, lattices, flat and degenerate ones,
 * needles) on screw motions: with and without rotation, by up to two turns, about points inside and
 * far outside, head on, past each other, along each other, both alike, at speeds of up to thousands
 * of sizes, at scales, stretched, sheared and mirrored, with tolerances from 2^-6 to 2^-24 of the
 * size and the default.
 *
 * Oracle: the motion in long double, written anew; all pairs of triangles by
 * kiln_triangles_nearest, which test_tri_distance.c holds to rational numbers. It goes through time
 * by the distance over the greatest speed, and so proves on its own that the surfaces are more
 * than half the tolerance apart at all times before the answer, and at the answer within it. Where
 * that would take too many distances, it stops: at least nine tenths of all cases are proved to the
 * end. Every case is asked of two kinds of tree in both orders, and some of all kinds, in other
 * rounding modes and instruction sets: all answers must have the same bits.
 *
 * support/amount.h tells how many; with KILN_PROPERTY_SCALE=100 it is a campaign of 10^5. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/exact/exact.h"
#include "../../runtime/kernel/kernel.h"
#include "../../runtime/kiln_sweep.h"
#include "../support/affine.h"
#include "../support/amount.h"
#include "../support/body.h"
#include "../support/rounding.h"

enum { CASES = 1000, BODIES = 14, ORACLE_DISTANCES = 60000 };

/* ------------------------------------------------------------------------------- the oracle -- */

typedef struct {
    long double c[9 * 64];
    uint32_t count; /* triangles */
} placed;

static void turn_about(const double angular[3], long double time, const long double v[3],
                       long double out[3])
{
    long double k[3], squared = 0;
    for (int i = 0; i < 3; i++) {
        squared += (long double)angular[i] * angular[i];
    }
    const long double length = sqrtl(squared), angle = length * time;
    memcpy(out, v, 3 * sizeof *out);
    if (!(length > 0)) {
        return;
    }
    long double along = 0;
    for (int i = 0; i < 3; i++) {
        k[i] = angular[i] / length;
        along += k[i] * v[i];
    }
    for (int i = 0; i < 3; i++) {
        const int p = (i + 1) % 3, q = (i + 2) % 3;
        const long double across = k[p] * v[q] - k[q] * v[p];
        out[i] = v[i] * cosl(angle) + across * sinl(angle) + k[i] * along * (1 - cosl(angle));
    }
}

static void place_at(const mesh *m, const kiln_motion *motion, double time, placed *out)
{
    assert_true(m->triangle_count <= 64);
    out->count = m->triangle_count;
    for (uint32_t i = 0; i < 3 * m->triangle_count; i++) {
        const float *p = m->positions + 3 * (size_t)m->indices[i];
        long double from[3], turned[3];
        for (int k = 0; k < 3; k++) {
            const double *row = motion->start.rotation + 3 * k;
            from[k] = ((long double)row[0] * p[0] + (long double)row[1] * p[1] +
                       (long double)row[2] * p[2]) *
                          motion->start.scale +
                      motion->start.translation[k] - motion->point[k];
        }
        turn_about(motion->angular, time, from, turned);
        for (int k = 0; k < 3; k++) {
            out->c[3 * i + (uint32_t)k] =
                turned[k] + motion->point[k] + (long double)motion->linear[k] * time;
        }
    }
}

/* Of all pairs, measured from a corner of A's, so that far places lose nothing. */
static double least_distance(const placed *a, const placed *b)
{
    double least = HUGE_VAL, x[9], y[9];
    for (uint32_t i = 0; i < a->count; i++) {
        for (uint32_t j = 0; j < b->count; j++) {
            kiln_tri_nearest near;
            for (int k = 0; k < 9; k++) {
                x[k] = (double)(a->c[9 * i + (uint32_t)k] - a->c[k % 3]);
                y[k] = (double)(b->c[9 * j + (uint32_t)k] - a->c[k % 3]);
                x[k] = fabs(x[k]) < 0x1p-250 ? 0 : x[k];
                y[k] = fabs(y[k]) < 0x1p-250 ? 0 : y[k];
            }
            if (kiln_triangles_nearest(x, y, least, &near)) {
                least = near.value;
            }
        }
    }
    return least;
}

static double lever_of(const mesh *m, const kiln_motion *motion)
{
    placed at;
    double most = 0;
    place_at(m, motion, 0, &at);
    for (uint32_t i = 0; i < 3 * at.count; i++) {
        double squared = 0;
        for (uint32_t k = 0; k < 3; k++) {
            const double d = (double)(at.c[3 * i + k] - motion->point[k]);
            squared += d * d;
        }
        most = fmax(most, sqrt(squared));
    }
    return most;
}

static double length_of_vector(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* The most that two points of two bodies can come nearer in a unit of time. */
static double speed_of(const mesh *a, const kiln_motion *ma, const mesh *b, const kiln_motion *mb)
{
    double drift[3];
    for (int k = 0; k < 3; k++) {
        drift[k] = mb->linear[k] - ma->linear[k];
    }
    return (length_of_vector(drift) + length_of_vector(ma->angular) * lever_of(a, ma) +
            length_of_vector(mb->angular) * lever_of(b, mb)) *
           1.000001;
}

/* Is the answer right? `radius`: of shapes around the meshes, which are their cores. False: the
 * oracle ran out of patience, and has proved nothing wrong. */
static bool check_answer(const mesh *a, const kiln_motion *ma, const mesh *b, const kiln_motion *mb,
                         double radius, const kiln_sweep_hit *hit)
{
    placed pa, pb;
    const double t = hit->tolerance, speed = speed_of(a, ma, b, mb);
    /* Nothing comes nearer than this before the answer. Spheres whose time is that of their
     * equation (no stride) touch at it, but for the roundings of this oracle. */
    const double least = hit->stride > 0 ? t * 0.25 : -t * 0.75;
    uint32_t spent = 0;
    double time = 0;
    if (hit->found) {
        place_at(a, ma, hit->time, &pa);
        place_at(b, mb, hit->time, &pb);
        const double there = least_distance(&pa, &pb) - radius;
        if (!(there <= t * 1.1)) {
            fail_msg("distance %g at %.17g, tolerance %g", there, hit->time, t);
        }
        assert_true(hit->distance <= t && fabs(hit->distance - there) <= t * 0.1);
    }
    while (time < hit->clear || (!hit->found && time <= hit->clear)) {
        place_at(a, ma, time, &pa);
        place_at(b, mb, time, &pb);
        const double apart = least_distance(&pa, &pb) - radius;
        if (!(apart > least + t * 0.249)) {
            fail_msg("distance %g at %.17g before %.17g, tolerance %g", apart, time, hit->clear, t);
        }
        spent += a->triangle_count * b->triangle_count;
        if (!(speed > 0)) {
            return true;
        }
        time += (apart - least) / speed;
        if (spent > ORACLE_DISTANCES) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------ the motions -- */

static kiln_motion random_motion(uint64_t *random, uint32_t kind)
{
    kiln_motion motion;
    const double reach = kind % 5 == 0 ? 1.5 : 4;
    kiln_pose pose = pose_random(random, reach);
    if (kind % 7 == 3) {
        pose.scale = scale_random(random, kind % 2 == 0);
    }
    assert_int_equal(kiln_motion_at_rest(&pose, &motion), KILN_OK);
    double axis[3];
    random_direction(random, axis);
    const double turns = random_between(random, -2, 2), way = random_between(random, 0, 6);
    for (int k = 0; k < 3; k++) {
        motion.angular[k] = kind % 3 == 0 ? 0 : axis[k] * turns * 3.14159265358979;
        if (kind % 11 == 4) {
            motion.point[k] += random_between(random, -3, 3);
        }
    }
    random_direction(random, axis);
    for (int k = 0; k < 3; k++) {
        motion.linear[k] = kind % 13 == 7 ? 0 : axis[k] * way;
    }
    return motion;
}

/* Stretches, shears or mirrors one of five; the motion goes on as it is. */
static void stretch(uint64_t *random, kiln_motion *motion)
{
    if (random_below(random, 5) == 0) {
        const uint32_t how = random_below(random, 4) == 0 ? AFFINE_STRONG : AFFINE_MILD;
        const kiln_pose pose = affine_pose(random, (affine_mix)how);
        memcpy(motion->start.rotation, pose.rotation, sizeof pose.rotation);
    }
}

/* Aims B at A: it passes A's place at some time, at many times its size. */
static void aim(uint64_t *random, const kiln_motion *a, kiln_motion *b, double speed)
{
    const double when = random_between(random, 0.05, 0.95);
    double way[3];
    random_direction(random, way);
    for (int k = 0; k < 3; k++) {
        const double at = a->point[k] + a->linear[k] * when + random_between(random, -0.5, 0.5);
        b->linear[k] = way[k] * speed;
        const double from = at - b->linear[k] * when - b->point[k];
        b->point[k] += from;
        b->start.translation[k] += from;
    }
}

static mesh flat_mesh(uint64_t *random)
{
    mesh m = mesh_soup(random, 6, 1.2);
    for (uint32_t i = 0; i < m.vertex_count; i++) {
        m.positions[3 * i + 2] = 0;
    }
    return m;
}

/* Points and segments beside triangles. */
static mesh degenerate_mesh(uint64_t *random)
{
    mesh m = mesh_soup(random, 5, 0.9);
    memcpy(m.positions + 3 * m.indices[1], m.positions + 3 * m.indices[0], 3 * sizeof(float));
    memcpy(m.positions + 3 * m.indices[2], m.positions + 3 * m.indices[0], 3 * sizeof(float));
    memcpy(m.positions + 3 * m.indices[4], m.positions + 3 * m.indices[3], 3 * sizeof(float));
    return m;
}

static mesh one_triangle(uint64_t *random)
{
    return mesh_soup(random, 1, 1.5);
}

static body make_body(uint64_t *random, uint32_t i)
{
    const int leaf = 1 + (int)(i % 5);
    switch (i % 7) {
    case 0:
        return body_of(mesh_box(-1, -1, -1, 1, 1, 1), leaf, KILN_LAYOUT_RAW);
    case 1:
        return body_of(mesh_torus(5, 4, 0.1), leaf, KILN_LAYOUT_RAW);
    case 2:
        return body_of(mesh_soup(random, 16, 0.6), leaf, KILN_LAYOUT_RAW);
    case 3:
        return body_of(flat_mesh(random), leaf, KILN_LAYOUT_RAW);
    case 4:
        return body_of(degenerate_mesh(random), leaf, KILN_LAYOUT_RAW);
    case 5:
        return body_of(one_triangle(random), leaf, KILN_LAYOUT_RAW);
    default:
        return body_of(mesh_box(-0.01f, -0.02f, -2.5f, 0.01f, 0.02f, 2.5f), leaf, KILN_LAYOUT_RAW);
    }
}

static bool same_double(double x, double y)
{
    return memcmp(&x, &y, sizeof x) == 0;
}

/* Members that depend on nothing but the question; `whole`: also those of a contact, A and B as
 * they were given or swapped. */
static void expect_same(const kiln_sweep_hit *x, const kiln_sweep_hit *y, bool swapped)
{
    assert_true(x->found == y->found && x->complete == y->complete && x->touching == y->touching);
    if (!same_double(x->time, y->time)) {
        fail_msg("times %.17g and %.17g", x->time, y->time);
    }
    assert_true(same_double(x->clear, y->clear) && same_double(x->tolerance, y->tolerance));
    assert_true(same_double(x->distance, y->distance));
    if (!x->found || x->touching || !(x->distance > 0)) {
        return; /* which of the pairs that meet is named is not specified */
    }
    assert_int_equal(x->pair.a, swapped ? y->pair.b : y->pair.a);
    assert_int_equal(x->pair.b, swapped ? y->pair.a : y->pair.b);
    for (int k = 0; k < 3; k++) {
        assert_true(same_double(x->point_a[k], swapped ? y->point_b[k] : y->point_a[k]));
        assert_true(same_double(x->point_b[k], swapped ? y->point_a[k] : y->point_b[k]));
        assert_true(x->normal[k] == (swapped ? -y->normal[k] : y->normal[k]));
    }
}

/* Other trees, orders and environments. */
static void check_others(const body *a, const kiln_motion *ma, const body *b, const kiln_motion *mb,
                         const kiln_sweep_options *options, const kiln_sweep_hit *hit, uint32_t i)
{
    const bool all = i % 40 == 0;
    for (int n = 0; n < (all ? 2 * BODY_KINDS : 1); n++) {
        const int ka = all ? n % BODY_KINDS : (int)(i % BODY_KINDS);
        const int kb = all ? (n * 5 + n / BODY_KINDS) % BODY_KINDS : (int)(i / 3 % BODY_KINDS);
        kiln_sweep_hit other;
        const bool swapped = (i + (uint32_t)n) % 2 == 0;
        if (all) { /* NULL, where there are fewer sets: that of the machine */
            kiln_kernel_force(kiln_kernel_runnable((unsigned)n % 4));
        }
        rounding_enter(all ? n % (ROUNDING_MODES + 1) : 0);
        const kiln_status status =
            swapped ? kiln_sweep(b->trees[kb], mb, a->trees[ka], ma, options, &other)
                    : kiln_sweep(a->trees[ka], ma, b->trees[kb], mb, options, &other);
        rounding_leave();
        kiln_kernel_force(NULL);
        assert_int_equal(status, KILN_OK);
        expect_same(hit, &other, swapped);
    }
}

/* The answer is the first multiple of the stride at which kiln_distance is within the tolerance:
 * not so the ones just before it. */
static void check_first(const body *a, const kiln_motion *ma, const body *b, const kiln_motion *mb,
                        const kiln_sweep_hit *hit)
{
    for (int i = 0; i < 20; i++) {
        const double time = hit->time - (i < 16 ? i : ldexp(1, i - 12)) * hit->stride;
        kiln_pose pose_a, pose_b;
        kiln_nearest near;
        if (time < 0) {
            return;
        }
        assert_int_equal(kiln_motion_pose(ma, time, &pose_a), KILN_OK);
        assert_int_equal(kiln_motion_pose(mb, time, &pose_b), KILN_OK);
        assert_int_equal(kiln_distance(a->trees[0], &pose_a, b->trees[0], &pose_b, NULL, &near),
                         KILN_OK);
        if (near.distance <= hit->tolerance) {
            if (i > 0 || !hit->found) {
                fail_msg("%g apart %d strides before %.17g, tolerance %g", near.distance, i,
                         hit->time, hit->tolerance);
            }
            assert_true(same_double(near.distance, hit->distance));
        } else {
            assert_false(i == 0 && hit->found);
        }
    }
}

static void random_motions(void **state)
{
    (void)state;
    const uint32_t cases = amount(CASES);
    uint64_t random = 20261129, stretched = 7;
    body bodies[BODIES];
    uint32_t found = 0, proved = 0, late = 0;
    uint64_t steps = 0;
    for (uint32_t i = 0; i < BODIES; i++) {
        bodies[i] = make_body(&random, i);
    }
    for (uint32_t i = 0; i < cases; i++) {
        const body *a = &bodies[random_below(&random, BODIES)];
        const body *b = &bodies[random_below(&random, BODIES)];
        const uint32_t kind = random_below(&random, 1000);
        kiln_motion ma = random_motion(&random, kind);
        kiln_motion mb = random_motion(&random, kind / 7);
        stretch(&stretched, &ma);
        stretch(&stretched, &mb);
        if (i % 4 == 1) {
            aim(&random, &ma, &mb, ldexp(1, (int)random_below(&random, 14)));
        } else if (i % 16 == 2) { /* both alike but for a little */
            memcpy(mb.linear, ma.linear, sizeof ma.linear);
            memcpy(mb.angular, ma.angular, sizeof ma.angular);
            memcpy(mb.point, ma.point, sizeof ma.point);
            mb.linear[0] += i % 32 == 2 ? 0 : 1e-3;
        }
        kiln_sweep_options options = kiln_sweep_options_default();
        options.tolerance = i % 3 == 0 ? 0 : ldexp(1, -6 - (int)random_below(&random, 19));
        kiln_sweep_hit hit;
        assert_int_equal(kiln_sweep(a->trees[i % BODY_KINDS], &ma, b->trees[i / 2 % BODY_KINDS],
                                    &mb, &options, &hit),
                         KILN_OK);
        assert_true(hit.complete);
        assert_true(hit.tolerance >= options.tolerance);
        proved += check_answer(&a->mesh, &ma, &b->mesh, &mb, 0, &hit);
        check_first(a, &ma, b, &mb, &hit);
        check_others(a, &ma, b, &mb, &options, &hit, i);
        found += hit.found;
        late += hit.found && hit.time > 0;
        steps += hit.steps;
    }
    print_message("%u cases, %u found, %u of them after the start, %u proved to the end, %.1f "
                  "steps each\n",
                  cases, found, late, proved, (double)steps / cases);
    assert_true(late >= cases / 8 && found <= cases * 9 / 10);
    assert_true(proved >= cases * 9 / 10);
    for (uint32_t i = 0; i < BODIES; i++) {
        body_free(&bodies[i]);
    }
}

/* A sphere or a capsule whose numbers are floats, and its core as a mesh of one triangle. */
static kiln_shape random_shape(uint64_t *random, float core[6], double *radius)
{
    kiln_shape shape = {KILN_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 0};
    const bool capsule = random_below(random, 2) == 0;
    shape.kind = capsule ? KILN_SHAPE_CAPSULE : KILN_SHAPE_SPHERE;
    for (int k = 0; k < 6; k++) {
        core[k] = capsule || k < 3 ? (float)random_between(random, -0.8, 0.8) : core[k - 3];
        (k < 3 ? shape.a : shape.b)[k % 3] = (double)core[k];
    }
    *radius = random_below(random, 5) == 0 ? 0 : random_between(random, 0.01, 0.5);
    shape.radius = *radius;
    return shape;
}

/* One in five pairs is of two shapes. */
static void random_shapes(void **state)
{
    (void)state;
    const uint32_t cases = amount(CASES);
    uint64_t random = 711, stretched = 8;
    body bodies[BODIES];
    uint32_t late = 0, proved = 0;
    uint32_t of_core[3] = {0, 1, 1};
    for (uint32_t i = 0; i < BODIES; i++) {
        bodies[i] = make_body(&random, i);
    }
    for (uint32_t i = 0; i < cases; i++) {
        const body *a = &bodies[random_below(&random, BODIES)];
        float core_a[6], core_b[6];
        double radius_a = 0, radius_b;
        const kiln_shape shape_a = random_shape(&random, core_a, &radius_a);
        const kiln_shape shape_b = random_shape(&random, core_b, &radius_b);
        const mesh of_a = {core_a, of_core, 2, 1}, of_b = {core_b, of_core, 2, 1};
        const bool two = i % 5 == 0;
        const uint32_t kind = random_below(&random, 1000);
        kiln_motion ma = random_motion(&random, kind);
        kiln_motion mb = random_motion(&random, kind / 3);
        if (!two) {
            stretch(&stretched, &ma);
        }
        if (i % 4 == 1) {
            aim(&random, &ma, &mb, ldexp(1, (int)random_below(&random, 14)));
        }
        kiln_sweep_options options = kiln_sweep_options_default();
        options.tolerance = i % 3 == 0 ? 0 : ldexp(1, -6 - (int)random_below(&random, 19));
        kiln_sweep_hit hit, other;
        if (two) {
            assert_int_equal(kiln_sweep_shapes(&shape_a, &ma, &shape_b, &mb, &options, &hit),
                             KILN_OK);
            assert_int_equal(kiln_sweep_shapes(&shape_b, &mb, &shape_a, &ma, &options, &other),
                             KILN_OK);
        } else {
            assert_int_equal(
                kiln_sweep_shape(a->trees[i % BODY_KINDS], &ma, &shape_b, &mb, &options, &hit),
                KILN_OK);
            rounding_enter((int)(i % (ROUNDING_MODES + 1)));
            assert_int_equal(kiln_sweep_shape(a->trees[i / 3 % BODY_KINDS], &ma, &shape_b, &mb,
                                              &options, &other),
                             KILN_OK);
            rounding_leave();
            radius_a = 0;
        }
        assert_true(hit.complete && hit.found == other.found && hit.pair.b == 0);
        assert_true(same_double(hit.time, other.time) && hit.touching == other.touching);
        assert_true(two || (hit.pair.a == other.pair.a &&
                            memcmp(hit.point_a, other.point_a, sizeof hit.point_a) == 0));
        if (hit.tolerance < 0x1p-30) {
            hit.tolerance = 0x1p-30; /* two spheres in pairs of doubles: the oracle is in doubles */
        }
        proved += check_answer(two ? &of_a : &a->mesh, &ma, &of_b, &mb,
                               radius_a * ma.start.scale + radius_b * mb.start.scale, &hit);
        late += hit.found && hit.time > 0;
        if (hit.found) { /* the points are where the distance says */
            double between = 0;
            for (int k = 0; k < 3; k++) {
                between += (hit.point_a[k] - hit.point_b[k]) * hit.normal[k];
            }
            assert_true(fabs(between - hit.distance) <= 1e-9 * (1 + length_of_vector(hit.point_a)));
        }
    }
    print_message("%u cases, %u found after the start, %u proved to the end\n", cases, late,
                  proved);
    assert_true(late >= cases / 8);
    assert_true(proved >= cases * 9 / 10);
    for (uint32_t i = 0; i < BODIES; i++) {
        body_free(&bodies[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_motions),
        cmocka_unit_test(random_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
