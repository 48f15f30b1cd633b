/* Motions and sweeps at their edges: contact at the start and at the end, grazes before a wall,
 * motion along a surface, no motion, equal motions, turns in place, huge ways, points, segments and
 * planes, budgets, filters, errors. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/kiln_sweep.h"
#include "../support/amount.h"
#include "../support/body.h"
#include "../support/counted.h"

#define PI 3.14159265358979323846

static body cube, plate, needle, point, ball;

static mesh mesh_from(const float *positions, uint32_t vertices, const uint32_t *indices,
                      uint32_t triangles)
{
    mesh m = {malloc(3 * sizeof(float) * vertices), malloc(3 * sizeof(uint32_t) * triangles),
              vertices, triangles};
    assert_true(m.positions != NULL && m.indices != NULL);
    memcpy(m.positions, positions, 3 * sizeof(float) * vertices);
    memcpy(m.indices, indices, 3 * sizeof(uint32_t) * triangles);
    return m;
}

static int set_up(void **state)
{
    (void)state;
    static const float square[] = {0, -1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1};
    static const uint32_t of_square[] = {0, 1, 2, 0, 2, 3};
    static const float thin[] = {-2, 0, 0, 2, 0, 0};
    static const uint32_t of_thin[] = {0, 1, 1};
    static const float speck[] = {0, 0, 0};
    static const uint32_t of_speck[] = {0, 0, 0};
    cube = body_of(mesh_box(-1, -1, -1, 1, 1, 1), 2, KILN_LAYOUT_RAW);
    plate = body_of(mesh_from(square, 4, of_square, 2), 1, KILN_LAYOUT_RAW);
    needle = body_of(mesh_from(thin, 2, of_thin, 1), 1, KILN_LAYOUT_RAW);
    point = body_of(mesh_from(speck, 1, of_speck, 1), 1, KILN_LAYOUT_RAW);
    ball = body_of(mesh_torus(16, 12, 0), 4, KILN_LAYOUT_RAW);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    body *all[] = {&cube, &plate, &needle, &point, &ball};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        body_free(all[i]);
    }
    return 0;
}

static kiln_motion moving(double x, double y, double z, double dx, double dy, double dz)
{
    kiln_motion motion;
    kiln_pose pose = kiln_pose_identity();
    pose.translation[0] = x;
    pose.translation[1] = y;
    pose.translation[2] = z;
    assert_int_equal(kiln_motion_at_rest(&pose, &motion), KILN_OK);
    motion.linear[0] = dx;
    motion.linear[1] = dy;
    motion.linear[2] = dz;
    return motion;
}

static kiln_sweep_hit sweep(const body *a, const kiln_motion *ma, const body *b,
                            const kiln_motion *mb, double tolerance)
{
    kiln_sweep_options options = kiln_sweep_options_default();
    kiln_sweep_hit hit, other;
    options.tolerance = tolerance;
    assert_int_equal(kiln_sweep(a->trees[0], ma, b->trees[0], mb, &options, &hit), KILN_OK);
    assert_true(hit.complete);
    for (int i = 0; i < BODY_KINDS; i += is_shortened() ? 5 : 1) {
        const kiln_tree *ta = a->trees[i], *tb = b->trees[(i * 3 + 1) % BODY_KINDS];
        assert_int_equal(kiln_sweep(tb, mb, ta, ma, &options, &other), KILN_OK);
        assert_true(other.found == hit.found && other.time == hit.time);
        assert_true(other.clear == hit.clear && other.distance == hit.distance);
        assert_true(other.touching == hit.touching);
        assert_true(other.tolerance == hit.tolerance && other.stride == hit.stride);
    }
    return hit;
}

static void expect_at(const kiln_sweep_hit *hit, double time, double early)
{
    assert_true(hit->found && hit->complete);
    if (!(hit->time <= time && hit->time >= time - early)) {
        fail_msg("%.17g, not %.17g", hit->time, time);
    }
    assert_true(hit->clear == hit->time && hit->distance <= hit->tolerance);
}

static void expect_none(const kiln_sweep_hit *hit)
{
    assert_false(hit->found);
    assert_true(hit->time == 1 && hit->clear == 1 && hit->distance == 0);
    assert_true(hit->normal[0] == 0 && hit->pair.a == 0 && hit->point_a[0] == 0);
}

/* ---------------------------------------------------------------------------------- motions -- */

static void poses_of_motions(void **state)
{
    (void)state;
    kiln_motion motion = moving(1, 2, 3, 10, 20, 30);
    kiln_pose pose;
    motion.angular[2] = PI / 2;
    motion.point[0] = 0; /* turns about an axis through (0, 2, 3) */
    assert_int_equal(kiln_motion_pose(&motion, 0, &pose), KILN_OK);
    assert_memory_equal(&pose, &motion.start, sizeof pose);
    assert_int_equal(kiln_motion_pose(&motion, 1, &pose), KILN_OK);
    const double want[3] = {10, 23, 33}, turned[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    for (int k = 0; k < 3; k++) {
        assert_true(fabs(pose.translation[k] - want[k]) <= 1e-14);
    }
    for (int i = 0; i < 9; i++) {
        assert_true(fabs(pose.rotation[i] - turned[i]) <= 1e-15);
    }
    /* Against the system's functions, for all angles that are allowed. */
    for (int i = -60; i < 1000; i++) {
        const double angle = i < 0 ? ldexp(1, i) : 65536 * pow((i + 1) / 1000.0, 8);
        motion.angular[2] = -angle;
        assert_int_equal(kiln_motion_pose(&motion, 0.75, &pose), KILN_OK);
        assert_true(fabs(pose.rotation[0] - (double)cosl(0.75L * (long double)angle)) <=
                    1e-15 * (1 + angle));
        assert_true(fabs(pose.rotation[1] - (double)sinl(0.75L * (long double)angle)) <=
                    fmin(angle, 1) * 1e-15 * (1 + angle));
    }
}

static void motions_between_poses(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (int i = 0; i < 2000; i++) {
        kiln_pose from = pose_random(&random, 5), to = pose_random(&random, 5), end;
        const double centre[3] = {1, -2, 0.5};
        const int turns = i % 7 - 3;
        kiln_motion motion;
        from.scale = to.scale = 1.75;
        if (i % 4 == 1) { /* half turns, and next to nothing */
            memcpy(to.rotation, from.rotation, sizeof to.rotation);
            for (int k = 0; k < 6; k++) {
                to.rotation[k] = -to.rotation[k];
            }
        } else if (i % 4 == 2) {
            const double q[4] = {1e-9, 0, 0, 1};
            assert_int_equal(kiln_pose_from_quaternion(q, to.translation, &to), KILN_OK);
            from.scale = 1;
            const double none[4] = {0, 0, 0, 1};
            assert_int_equal(kiln_pose_from_quaternion(none, from.translation, &from), KILN_OK);
        }
        assert_int_equal(
            kiln_motion_between(&from, &to, i % 2 == 0 ? centre : NULL, turns, &motion), KILN_OK);
        assert_int_equal(kiln_motion_pose(&motion, 1, &end), KILN_OK);
        for (int k = 0; k < 9; k++) {
            assert_true(fabs(end.rotation[k] - to.rotation[k]) <= 1e-13);
        }
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(end.translation[k] - to.translation[k]) <= 1e-12);
        }
        const double *w = motion.angular;
        const double angle = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        assert_true(angle >= (abs(turns) - 0.5) * 2 * PI - 1e-9);
        assert_true(angle <= (abs(turns) + 0.5) * 2 * PI + 1e-9);
    }
}

static void half_turns_have_one_direction(void **state)
{
    (void)state;
    static const double ways[3][3] = {{0, 0, 1}, {0, 0.6, -0.8}, {0.6, -0.8, 0}};
    for (int i = 0; i < 3; i++) {
        const double q[4] = {ways[i][0], ways[i][1], ways[i][2], 0};
        const double minus[4] = {-q[0], -q[1], -q[2], 0};
        kiln_pose one, other;
        kiln_motion motion, again;
        assert_int_equal(kiln_pose_from_quaternion(q, NULL, &one), KILN_OK);
        assert_int_equal(kiln_pose_from_quaternion(minus, NULL, &other), KILN_OK);
        assert_int_equal(kiln_motion_between(NULL, &one, NULL, 0, &motion), KILN_OK);
        assert_int_equal(kiln_motion_between(NULL, &other, NULL, 0, &again), KILN_OK);
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(motion.angular[k] - ways[i][k] * PI) <= 1e-14);
            assert_true(again.angular[k] == motion.angular[k]);
        }
    }
}

static void wrong_motions(void **state)
{
    (void)state;
    kiln_motion motion = moving(0, 0, 0, 0, 0, 0), out = motion, bad;
    kiln_pose pose = kiln_pose_identity(), other = pose;
    assert_int_equal(kiln_motion_pose(NULL, 0, &pose), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_motion_pose(&motion, 0, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_motion_pose(&motion, -0.1, &pose), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_motion_pose(&motion, 1.1, &pose), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_motion_pose(&motion, NAN, &pose), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_motion_at_rest(NULL, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_motion_at_rest(NULL, &out), KILN_OK);
    assert_memory_equal(&out, &motion, sizeof out);
    const double far[3] = {0, INFINITY, 0};
    assert_int_equal(kiln_motion_between(NULL, NULL, far, 0, &out), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_motion_between(NULL, NULL, NULL, 1, &out), KILN_ERROR_ARGUMENT);
    other.scale = 2;
    assert_int_equal(kiln_motion_between(&pose, &other, NULL, 0, &out), KILN_ERROR_POSE);
    other.scale = 1;
    other.rotation[0] = -1;
    assert_int_equal(kiln_motion_between(&pose, &other, NULL, 0, &out), KILN_ERROR_POSE);
    other.rotation[4] = -1;
    assert_int_equal(kiln_motion_between(&pose, &other, NULL, 10429, &out), KILN_OK);
    out = motion;
    assert_int_equal(kiln_motion_between(&pose, &other, NULL, 10430, &out), KILN_ERROR_ARGUMENT);
    assert_memory_equal(&out, &motion, sizeof out);
    const double numbers[] = {NAN, INFINITY, -INFINITY, 1.1e57};
    kiln_sweep_hit hit;
    memset(&hit, 5, sizeof hit);
    const kiln_sweep_hit untouched = hit;
    for (size_t i = 0; i < 4; i++) {
        for (int member = 0; member < 4; member++) {
            bad = motion;
            double *numbers_of[] = {bad.point, bad.linear, bad.angular, bad.start.translation};
            numbers_of[member][1] = numbers[i];
            assert_int_equal(kiln_motion_pose(&bad, 0.5, &pose), KILN_ERROR_POSE);
            assert_int_equal(kiln_sweep(cube.trees[0], NULL, cube.trees[0], &bad, NULL, &hit),
                             KILN_ERROR_POSE);
            assert_int_equal(kiln_sweep(cube.trees[0], &bad, cube.trees[0], NULL, NULL, &hit),
                             KILN_ERROR_POSE);
        }
    }
    bad = motion;
    bad.angular[0] = 65536.1;
    assert_int_equal(kiln_motion_pose(&bad, 0.5, &pose), KILN_ERROR_POSE);
    bad = motion;
    bad.start.rotation[1] = 0.995e-6; /* a pose, but not the start of a motion */
    assert_int_equal(kiln_motion_pose(&bad, 0.5, &pose), KILN_ERROR_POSE);
    bad.start.rotation[1] = 0.98e-6;
    assert_int_equal(kiln_motion_pose(&bad, 0.5, &pose), KILN_OK);
    assert_memory_equal(&hit, &untouched, sizeof hit);
}

/* ------------------------------------------------------------------------------------ meshes -- */

static void a_cube_meets_a_plate(void **state)
{
    (void)state;
    for (int i = -3; i <= 20; i += is_shortened() ? 5 : 1) {
        const double way = ldexp(1, i);
        const kiln_motion from_afar = moving(-1 - way, 0, 0, 2 * way, 0, 0);
        const kiln_sweep_hit hit = sweep(&cube, &from_afar, &plate, NULL, 0);
        expect_at(&hit, 0.5, 2 * hit.tolerance / (2 * way));
        assert_false(hit.touching);
        assert_true(fabs(hit.normal[0] + 1) <= 1e-12);
        assert_true(hit.point_b[0] == 0 && fabs(hit.point_a[0]) <= hit.tolerance);
        assert_true(hit.tolerance < 3e-5);
    }
}

static void touching_at_the_start(void **state)
{
    (void)state;
    const kiln_motion leaving = moving(-1, 0, 0, -5, 0, 0), within = moving(0, 0, 0, 1, 0, 0);
    kiln_sweep_hit hit = sweep(&cube, &leaving, &plate, NULL, 0);
    expect_at(&hit, 0, 0);
    assert_true(hit.touching && hit.distance == 0);
    hit = sweep(&cube, &within, &plate, NULL, 0);
    assert_true(hit.touching && hit.time == 0);
    /* Within the tolerance, but not touching; then beyond it, and leaving. */
    const kiln_motion near = moving(-1 - 0x1p-12, 0, 0, -1, 0, 0);
    hit = sweep(&cube, &near, &plate, NULL, 0x1p-12);
    expect_at(&hit, 0, 0);
    assert_true(!hit.touching && hit.distance == 0x1p-12);
    hit = sweep(&cube, &near, &plate, NULL, 0x1p-13);
    expect_none(&hit);
}

static void contact_at_the_end(void **state)
{
    (void)state;
    const kiln_motion just = moving(-3, 0, 0, 2, 0, 0),
                      short_of = moving(-3, 0, 0, 2 - 0x1p-8, 0, 0);
    kiln_sweep_hit hit = sweep(&cube, &just, &plate, NULL, 0x1p-10);
    expect_at(&hit, 1, 0x1p-10);
    hit = sweep(&cube, &short_of, &plate, NULL, 0x1p-8);
    assert_true(hit.found && hit.time == 1);
    hit = sweep(&cube, &short_of, &plate, NULL, 0x1p-9);
    expect_none(&hit);
}

/* A cube passes by the edge of one plate and then runs into another. */
static void grazes_before_a_wall(void **state)
{
    (void)state;
    mesh wall = mesh_box(4, -3, -3, 4, 3, 3);
    mesh both = mesh_box(0, 1, -1, 1, 2, 1);
    const uint32_t first = both.vertex_count, triangles = both.triangle_count;
    both.positions =
        realloc(both.positions, 3 * sizeof(float) * (first + (size_t)wall.vertex_count));
    both.indices =
        realloc(both.indices, 3 * sizeof(uint32_t) * (triangles + (size_t)wall.triangle_count));
    assert_true(both.positions != NULL && both.indices != NULL);
    memcpy(both.positions + 3 * first, wall.positions, 3 * sizeof(float) * wall.vertex_count);
    for (uint32_t i = 0; i < 3 * wall.triangle_count; i++) {
        both.indices[3 * triangles + i] = wall.indices[i] + first;
    }
    both.vertex_count += wall.vertex_count;
    both.triangle_count += wall.triangle_count;
    mesh_free(&wall);
    body b = body_of(both, 2, KILN_LAYOUT_RAW);
    for (int i = 4; i < 30; i += 5) {
        const double gap = ldexp(1, -i);
        const kiln_motion by = moving(-7, -gap, 0, 20, 0, 0);
        /* The graze is farther than the tolerance: the wall. Within it: the graze. */
        kiln_sweep_hit hit = sweep(&cube, &by, &b, NULL, gap * 0.875);
        expect_at(&hit, 0.5, 2 * gap / 20);
        hit = sweep(&cube, &by, &b, NULL, gap * 1.125);
        expect_at(&hit, 0.3, 2 * gap / 20);
    }
    body_free(&b);
}

static void along_a_surface(void **state)
{
    (void)state;
    /* A cube slides on a gap of twice the tolerance, far and fast. */
    for (int i = 0; i < 20; i += is_shortened() ? 6 : 1) {
        const double speed = ldexp(1, i);
        const kiln_motion slides = moving(-2, -1 - 0x1p-9, 0, speed, 0, 0);
        const kiln_motion turned = moving(0, 1, 0, 0, 0, 0);
        kiln_sweep_hit hit = sweep(&cube, &slides, &cube, &turned, 0x1p-10);
        expect_none(&hit);
        assert_true(hit.steps < 500);
    }
    /* A wheel spins above a plate. */
    kiln_motion spins = moving(-1.5, 0, 0, 0, 0, 0);
    spins.angular[2] = (is_shortened() ? 4 : 40) * PI;
    const kiln_sweep_hit hit = sweep(&ball, &spins, &plate, NULL, 0x1p-6);
    expect_none(&hit);
}

static void no_motion_and_equal_motions(void **state)
{
    (void)state;
    const kiln_motion here = moving(0, 0, 0, 0, 0, 0), there = moving(2.5, 0, 0, 0, 0, 0);
    kiln_sweep_hit hit = sweep(&cube, &here, &cube, &there, 0);
    expect_none(&hit);
    assert_true(hit.steps < 40);
    hit = sweep(&cube, &here, &cube, &here, 0);
    assert_true(hit.found && hit.time == 0 && hit.touching);
    kiln_motion a = here, b = there;
    const double point_of_both[3] = {3, 4, 5}, turn[3] = {1, -2, 9}, way[3] = {1000, 2000, -500};
    memcpy(a.point, point_of_both, sizeof a.point);
    memcpy(b.point, point_of_both, sizeof b.point);
    memcpy(a.angular, turn, sizeof turn);
    memcpy(b.angular, turn, sizeof turn);
    memcpy(a.linear, way, sizeof way);
    memcpy(b.linear, way, sizeof way);
    hit = sweep(&cube, &a, &cube, &b, 0);
    expect_none(&hit);
    assert_true(hit.steps < 100);
    b.start.translation[0] = 2;
    hit = sweep(&cube, &a, &cube, &b, 0);
    assert_true(hit.found && hit.time == 0 && hit.touching);
}

static void turns_in_place(void **state)
{
    (void)state;
    /* A needle of length 4 turns about its middle; a plate is 1 away at 350 degrees. */
    kiln_motion spins = moving(0, 0, 0, 0, 0, 0), put;
    const double angle = -350 * PI / 180;
    kiln_pose place = kiln_pose_identity();
    place.scale = 0.0625;
    place.translation[0] = cos(350 * PI / 180);
    place.translation[1] = sin(350 * PI / 180);
    assert_int_equal(kiln_motion_at_rest(&place, &put), KILN_OK);
    spins.angular[2] = 355 * PI / 180;
    kiln_sweep_hit hit = sweep(&needle, &spins, &plate, &put, 0);
    /* Its other end comes by first, half a turn before. */
    assert_true(hit.found && hit.time < 0.5 && hit.time > 0.4);
    spins.start.translation[0] = 2; /* now about an end */
    hit = sweep(&needle, &spins, &plate, &put, 0);
    assert_true(hit.found && hit.time > 0.95 && hit.time < 350.0 / 355);
    spins.angular[2] = 340 * PI / 180;
    hit = sweep(&needle, &spins, &plate, &put, 0);
    expect_none(&hit);
    /* The same by two poses: the shortest way does not come by, a turn more does. */
    kiln_pose start = spins.start, end;
    spins.angular[2] = -angle + 5 * PI / 180;
    assert_int_equal(kiln_motion_pose(&spins, 1, &end), KILN_OK);
    const double pivot[3] = {-2, 0, 0};
    kiln_motion shortest, whole;
    assert_int_equal(kiln_motion_between(&start, &end, pivot, 0, &shortest), KILN_OK);
    assert_int_equal(kiln_motion_between(&start, &end, pivot, -1, &whole), KILN_OK);
    kiln_pose aside = place;
    aside.translation[0] = -1;
    aside.translation[1] = 0;
    assert_int_equal(kiln_motion_at_rest(&aside, &put), KILN_OK);
    hit = sweep(&needle, &shortest, &plate, &put, 0);
    expect_none(&hit);
    hit = sweep(&needle, &whole, &plate, &put, 0);
    assert_true(hit.found && hit.time > 0.45 && hit.time < 0.51);
}

/* Points and segments against planes, and each other. */
static void degenerate_meshes(void **state)
{
    (void)state;
    const kiln_motion crosses = moving(-4, 0.25, 0.5, 8, 0, 0),
                      beside = moving(-4, 1.25, 0, 8, 0, 0);
    kiln_sweep_hit hit = sweep(&point, &crosses, &plate, NULL, 0);
    expect_at(&hit, 0.5, 1e-6);
    hit = sweep(&point, &beside, &plate, NULL, 0);
    expect_none(&hit);
    hit = sweep(&needle, &crosses, &plate, NULL, 0);
    expect_at(&hit, 0.25, 1e-6);
    const kiln_motion down = moving(1, 5, 0, 0, -10, 0);
    hit = sweep(&point, &down, &needle, NULL, 0);
    expect_at(&hit, 0.5, 1e-6);
    hit = sweep(&point, &down, &point, NULL, 0);
    expect_none(&hit);
    const kiln_motion at_it = moving(-3, 0, 0, 4, 0, 0);
    hit = sweep(&point, &at_it, &point, NULL, 0);
    expect_at(&hit, 0.75, 1e-6);
    hit = sweep(&plate, NULL, &plate, &at_it, 0);
    expect_at(&hit, 0.75, 1e-6);
    hit = sweep(&point, NULL, &point, NULL, 0);
    assert_true(hit.found && hit.touching);
}

static void huge_ways(void **state)
{
    (void)state;
    /* Speeds that doubles resolve, and one that they do not: the tolerance says so. */
    for (int i = 4; i <= 56; i += is_shortened() ? 4 : 1) {
        const double way = pow(10, i);
        const kiln_motion fast = moving(-way, 0, 0, 2 * way, 0, 0);
        const kiln_sweep_hit hit = sweep(&cube, &fast, &plate, NULL, 0);
        expect_at(&hit, 0.5, 1e-3);
        assert_true(hit.tolerance >= 0x1p-40 * 4 * way); /* places and the way itself */
        assert_true(hit.tolerance >= 2e-6 && hit.tolerance <= 1e-10 * way + 4e-6);
        if (i < 8) {
            assert_true(hit.tolerance < 1e-3);
        }
    }
    const kiln_motion beside = moving(-1e6, 3, 0, 2e6, 0, 0);
    const kiln_sweep_hit hit = sweep(&cube, &beside, &plate, NULL, 0);
    expect_none(&hit);
}

/* Many turns: apart by more than both reach, one above the other, and one that comes down. */
static void many_turns_apart(void **state)
{
    (void)state;
    kiln_sweep_hit hit;
    for (int i = 0; i < 4; i++) {
        kiln_motion spins = moving(0, 0, 4, 0, 0, 0), above = moving(0.1, 0.2, 2.1, -0.3, 0.1, 0);
        spins.angular[i % 3] = KILN_ANGULAR_MAX;
        spins.angular[(i + 1) % 3] = i * -10;
        above.angular[2] = i % 2 == 0 ? 2 * PI : -200 * PI;
        assert_int_equal(kiln_sweep(cube.trees[i], NULL, cube.trees[i], &spins, NULL, &hit),
                         KILN_OK);
        assert_true(hit.complete && hit.steps < 100);
        expect_none(&hit);
        hit = sweep(&cube, NULL, &cube, &above, 0);
        assert_true(hit.steps < 100);
        expect_none(&hit);
    }
    kiln_motion down = moving(0, 0, 6, 0, 0, -6);
    down.angular[2] = 20 * PI;
    hit = sweep(&cube, NULL, &cube, &down, 0);
    expect_at(&hit, 4.0 / 6, 1e-4);
    /* What goes up across the axis of the other comes down behind it: to (0, 4, -1) at 3/4. */
    kiln_motion spins = moving(0, 0, 0, 0, 0, 0), circles = moving(0, 0, 3, 0, 0, 0);
    spins.angular[2] = 1;
    circles.point[1] = 4;
    circles.angular[0] = -2 * PI;
    hit = sweep(&cube, &spins, &cube, &circles, 0);
    assert_true(hit.found && hit.time > 0.75 && hit.time < 0.875);
}

/* Two that turn: sums over both have the same bits whichever is A, to the last place of what raises
 * a tolerance that is too small. */
static void no_order_in_tolerances(void **state)
{
    (void)state;
    kiln_motion a = moving(3, 0.1, 0.2, -1.1, 0.3, 0.7), b = moving(-4, 0.3, 0.7, 0.9, 0.2, -0.1);
    for (int i = 0; i < 20; i++) {
        a.angular[2] = 0.1 + i / 70.0;
        b.angular[0] = 0.9 / (i + 1.0);
        (void)sweep(&cube, &a, &ball, &b, 1e-300);
    }
}

static void scales(void **state)
{
    (void)state;
    kiln_motion large = moving(-200, 0, 0, 400, 0, 0);
    large.start.scale = 100;
    kiln_motion small = moving(0, 0, 0, 0, 0, 0);
    small.start.scale = 0.01;
    const kiln_sweep_hit hit = sweep(&cube, &large, &cube, &small, 0);
    expect_at(&hit, (200 - 100 - 0.01) / 400, 1e-9);
    assert_true(hit.tolerance < 1e-7);
}

static bool refuse_all(void *user, kiln_pair pair)
{
    (void)pair;
    ++*(int *)user;
    return false;
}

static bool stop_now(void *user)
{
    ++*(int *)user;
    return true;
}

static bool refuse_triangles(void *user, uint32_t triangle, uint32_t value)
{
    (void)triangle;
    (void)value;
    ++*(int *)user;
    return false;
}

static void filters_stops_and_budgets(void **state)
{
    (void)state;
    const kiln_motion through = moving(-5, 0, 0, 10, 0, 0);
    kiln_pair_options pair = kiln_pair_options_default();
    kiln_sweep_options options = kiln_sweep_options_default();
    kiln_sweep_hit hit;
    int calls = 0;
    pair.filter = refuse_all;
    pair.filter_user = &calls;
    options.pair = &pair;
    assert_int_equal(kiln_sweep(cube.trees[0], &through, plate.trees[0], NULL, &options, &hit),
                     KILN_OK);
    expect_none(&hit);
    assert_true(calls > 0);
    pair.filter = NULL;
    pair.stop = stop_now;
    pair.stop_user = &calls;
    calls = 0;
    memset(&hit, 5, sizeof hit);
    const kiln_sweep_hit untouched = hit;
    assert_int_equal(kiln_sweep(cube.trees[0], &through, plate.trees[0], NULL, &options, &hit),
                     KILN_ERROR_STOPPED);
    assert_int_equal(calls, 1);
    assert_memory_equal(&hit, &untouched, sizeof hit);
    options.pair = NULL;
    /* Whatever the budget, what is said is true. */
    kiln_motion tumbles = moving(-4, 0.3, 0.2, 7, 0, 0);
    tumbles.angular[1] = 9;
    tumbles.angular[2] = 4;
    const kiln_sweep_hit whole = sweep(&ball, &tumbles, &cube, NULL, 0);
    assert_true(whole.found && whole.time > 0.1);
    bool early = false;
    for (uint64_t steps = 0; steps <= whole.steps + 20; steps++) {
        options.steps = steps;
        assert_int_equal(kiln_sweep(ball.trees[0], &tumbles, cube.trees[0], NULL, &options, &hit),
                         KILN_OK);
        assert_true(hit.steps <= steps && hit.clear <= whole.time && hit.clear <= hit.time);
        assert_true(hit.time >= whole.time);
        assert_int_equal(hit.complete, steps >= whole.steps);
        assert_true(!hit.complete || hit.time == whole.time);
        early |= !hit.complete && hit.clear > 0;
    }
    assert_true(early);
    /* A filter of triangles. */
    kiln_query_options query = kiln_query_options_default();
    const kiln_shape sphere = {KILN_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 1};
    query.filter = refuse_triangles;
    query.filter_user = &calls;
    options = kiln_sweep_options_default();
    options.query = &query;
    calls = 0;
    assert_int_equal(kiln_sweep_shape(cube.trees[0], NULL, &sphere, &through, &options, &hit),
                     KILN_OK);
    expect_none(&hit);
    assert_true(calls > 0);
}

static void wrong_sweeps(void **state)
{
    (void)state;
    const kiln_tree *t = cube.trees[0];
    kiln_sweep_options options = kiln_sweep_options_default();
    kiln_sweep_hit hit;
    kiln_shape sphere = {KILN_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 1};
    kiln_shape box = {KILN_SHAPE_BOX, {0, 0, 0}, {1, 1, 1}, 1};
    assert_int_equal(kiln_sweep(NULL, NULL, t, NULL, NULL, &hit), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_sweep(t, NULL, NULL, NULL, NULL, &hit), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_sweep(t, NULL, t, NULL, NULL, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_sweep_shape(NULL, NULL, &sphere, NULL, NULL, &hit), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_sweep_shape(t, NULL, NULL, NULL, NULL, &hit), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_sweep_shape(t, NULL, &box, NULL, NULL, &hit), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_sweep_shape(t, NULL, &sphere, NULL, NULL, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_sweep_shapes(NULL, NULL, &sphere, NULL, NULL, &hit), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_sweep_shapes(&sphere, NULL, NULL, NULL, NULL, &hit), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_sweep_shapes(&box, NULL, &sphere, NULL, NULL, &hit), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_sweep_shapes(&sphere, NULL, &box, NULL, NULL, &hit), KILN_ERROR_ARGUMENT);
    const double wrong[] = {-1, NAN, INFINITY};
    for (size_t i = 0; i < 3; i++) {
        options.tolerance = wrong[i];
        assert_int_equal(kiln_sweep(t, NULL, t, NULL, &options, &hit), KILN_ERROR_ARGUMENT);
        assert_int_equal(kiln_sweep_shapes(&sphere, NULL, &sphere, NULL, &options, &hit),
                         KILN_ERROR_ARGUMENT);
    }
    const double radii[] = {-1, NAN, INFINITY, 2e57};
    for (size_t i = 0; i < 4; i++) {
        sphere.radius = radii[i];
        assert_int_equal(kiln_sweep_shape(t, NULL, &sphere, NULL, NULL, &hit), KILN_ERROR_ARGUMENT);
    }
    sphere.radius = 1;
    sphere.a[1] = 2e57;
    assert_int_equal(kiln_sweep_shape(t, NULL, &sphere, NULL, NULL, &hit), KILN_ERROR_ARGUMENT);
    counted bare = counted_bake(mesh_box(0, 0, 0, 1, 1, 1), "obb", 4, 4, KILN_ADB_OCTANTS, false);
    assert_int_equal(kiln_sweep(t, NULL, bare.tree, NULL, NULL, &hit), KILN_ERROR_NOT_LOADED);
    sphere.a[1] = 0;
    assert_int_equal(kiln_sweep_shape(bare.tree, NULL, &sphere, NULL, NULL, &hit),
                     KILN_ERROR_NOT_LOADED);
    counted_free(&bare);
}

/* ------------------------------------------------------------------------------------ shapes -- */

static kiln_sweep_hit sweep_shape(const body *a, const kiln_motion *ma, const kiln_shape *shape,
                                  const kiln_motion *mb)
{
    kiln_sweep_hit hit, other;
    assert_int_equal(kiln_sweep_shape(a->trees[0], ma, shape, mb, NULL, &hit), KILN_OK);
    assert_true(hit.complete);
    for (int i = 1; i < BODY_KINDS; i++) {
        assert_int_equal(kiln_sweep_shape(a->trees[i], ma, shape, mb, NULL, &other), KILN_OK);
        assert_true(other.found == hit.found && other.time == hit.time);
        assert_true(other.pair.a == hit.pair.a && other.distance == hit.distance);
        assert_memory_equal(other.point_a, hit.point_a, sizeof hit.point_a);
        assert_memory_equal(other.normal, hit.normal, sizeof hit.normal);
    }
    return hit;
}

static void shapes_meet_meshes(void **state)
{
    (void)state;
    const kiln_shape sphere = {KILN_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 0.5};
    const kiln_shape capsule = {KILN_SHAPE_CAPSULE, {0, -1, 0}, {0, 1, 0}, 0.25};
    const kiln_motion at_it = moving(-1000.5, 0.25, 0, 2000, 0, 0);
    kiln_sweep_hit hit = sweep_shape(&plate, NULL, &sphere, &at_it);
    expect_at(&hit, 0.5, 2 * hit.tolerance / 2000);
    assert_true(fabs(hit.normal[0] - 1) < 1e-12 && fabs(hit.point_b[0]) < 1e-5);
    assert_true(hit.point_a[0] == 0 && fabs(hit.point_a[1] - 0.25) < 1e-12);
    /* Past the edge: the rim of the sphere, at height 0.4 of its radius 0.5. */
    const kiln_motion past = moving(-10, 1.4, 0, 20, 0, 0), over = moving(-10, 1.5001, 0, 20, 0, 0);
    hit = sweep_shape(&plate, NULL, &sphere, &past);
    expect_at(&hit, (10 - 0.3) / 20, 1e-6);
    hit = sweep_shape(&plate, NULL, &sphere, &over);
    expect_none(&hit);
    /* A capsule that turns: its end comes down on the plate. */
    kiln_motion turns = moving(-0.75, 0, 0, 0, 0, 0);
    turns.angular[2] = PI / 2;
    hit = sweep_shape(&plate, NULL, &capsule, &turns);
    expect_at(&hit, asin(0.5) / (PI / 2), 1e-5);
    hit = sweep_shape(&plate, &at_it, &capsule, &at_it);
    assert_true(hit.found && hit.time == 0 && hit.touching && hit.distance == -0.25);
    /* A point. */
    const kiln_shape speck = {KILN_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 0};
    const kiln_motion ray = moving(-1, 0.5, 0.5, 1e4, 0, 0);
    hit = sweep_shape(&plate, NULL, &speck, &ray);
    expect_at(&hit, 1e-4, 1e-8);
    /* Inside a cube that is large: its surface is met from within. */
    kiln_motion large = moving(0, 0, 0, 0, 0, 0);
    large.start.scale = 10;
    const kiln_motion out = moving(0, 0, 0, 0, 19, 0);
    hit = sweep_shape(&cube, &large, &sphere, &out);
    expect_at(&hit, 0.5, 1e-6);
    hit = sweep_shape(&cube, &large, &sphere, NULL);
    expect_none(&hit);
}

static void shapes_meet_shapes(void **state)
{
    (void)state;
    const kiln_shape small = {KILN_SHAPE_SPHERE, {1, 0, 0}, {0, 0, 0}, 0.5};
    const kiln_shape large = {KILN_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 2};
    const kiln_shape rod = {KILN_SHAPE_CAPSULE, {0, 0, -3}, {0, 0, 3}, 0.5};
    kiln_sweep_hit hit, swapped;
    const kiln_motion past = moving(-11, 1.5, 0, 20, 0, 0), from = moving(0, 0, 0, 0, 0, 0);
    /* Centres meet at distance 2.5: x = -2. */
    assert_int_equal(kiln_sweep_shapes(&small, &past, &large, NULL, NULL, &hit), KILN_OK);
    assert_int_equal(kiln_sweep_shapes(&large, &from, &small, &past, NULL, &swapped), KILN_OK);
    assert_true(hit.found && hit.time == 0.4 && swapped.time == 0.4 && !hit.touching);
    assert_true(fabs(hit.distance) <= hit.tolerance && hit.tolerance < 1e-11);
    for (int k = 0; k < 3; k++) {
        assert_true(fabs(hit.point_a[k] - swapped.point_b[k]) < 1e-14);
        assert_true(fabs(hit.point_a[k] - hit.point_b[k]) < 1e-13);
        assert_true(hit.normal[k] == -swapped.normal[k]);
    }
    assert_true(fabs(hit.normal[0] + 0.8) < 1e-14 && fabs(hit.normal[1] - 0.6) < 1e-14);
    /* Exactly grazing, and by an ulp not: the decision is that of pairs of doubles. */
    const kiln_motion grazes = moving(-11, 2.5, 0, 20, 0, 0);
    const kiln_motion misses = moving(-11, nextafter(2.5, 3), 0, 20, 0, 0);
    assert_int_equal(kiln_sweep_shapes(&small, &grazes, &large, NULL, NULL, &hit), KILN_OK);
    assert_true(hit.found && hit.time == 0.5);
    assert_int_equal(kiln_sweep_shapes(&small, &misses, &large, NULL, NULL, &hit), KILN_OK);
    expect_none(&hit);
    /* Equal and opposite speeds; away from each other; at rest; one in the other. */
    const kiln_motion right = moving(-7, 0, 0, 8, 0, 0), left = moving(6, 0, 0, -8, 0, 0);
    assert_int_equal(kiln_sweep_shapes(&small, &right, &large, &left, NULL, &hit), KILN_OK);
    assert_true(hit.found && hit.time == 9.5 / 16);
    const kiln_motion away = moving(6, 0, 0, 8, 0, 0);
    assert_int_equal(kiln_sweep_shapes(&small, NULL, &large, &away, NULL, &hit), KILN_OK);
    expect_none(&hit);
    assert_int_equal(kiln_sweep_shapes(&small, &left, &large, NULL, NULL, &hit), KILN_OK);
    assert_true(hit.found);
    assert_int_equal(kiln_sweep_shapes(&small, NULL, &large, NULL, NULL, &hit), KILN_OK);
    assert_true(hit.found && hit.touching && hit.time == 0 && hit.distance == -1.5);
    assert_int_equal(kiln_sweep_shapes(&large, NULL, &large, NULL, NULL, &hit), KILN_OK);
    assert_true(hit.touching && hit.distance == -4);
    /* Capsules, crossing; one turns about its middle until its end is there. */
    kiln_motion over = moving(0, 5, 0, 0, -10, 0);
    const double quarter[4] = {0, 0.70710678118654752, 0, 0.70710678118654752};
    assert_int_equal(kiln_pose_from_quaternion(quarter, over.start.translation, &over.start),
                     KILN_OK);
    assert_int_equal(kiln_sweep_shapes(&rod, &over, &rod, NULL, NULL, &hit), KILN_OK);
    expect_at(&hit, 0.4, 1e-5);
    assert_int_equal(kiln_sweep_shapes(&rod, NULL, &rod, &over, NULL, &swapped), KILN_OK);
    assert_true(hit.time == swapped.time && hit.distance == swapped.distance);
    kiln_motion spin = moving(0, 0, 0, 0, 0, 0);
    spin.angular[0] = PI;
    const kiln_motion above = moving(0, 3, 0, 0, 0, 0);
    const kiln_shape bead = {KILN_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 0.5};
    assert_int_equal(kiln_sweep_shapes(&rod, &spin, &bead, &above, NULL, &hit), KILN_OK);
    /* Within 1 of the axis: the angle from the bead whose sine is 1/3. */
    expect_at(&hit, (PI / 2 - asin(1.0 / 3)) / PI, 1e-5);
}

/* A mirrored cube of 6 x 2 x 2 turns and moves as it is; what would change its shape is no motion,
 * and a ball is none that is stretched. */
static void what_is_stretched_moves_rigidly(void **state)
{
    (void)state;
    kiln_motion motion = moving(-10, 0, 0, 20, 0, 0), out;
    kiln_pose end = kiln_pose_identity(), pose;
    kiln_sweep_hit hit, swapped;
    motion.start.rotation[0] = -3;
    assert_int_equal(kiln_sweep(cube.trees[0], &motion, cube.trees[1], NULL, NULL, &hit), KILN_OK);
    expect_at(&hit, 0.3, 1e-5);
    assert_int_equal(kiln_sweep(cube.trees[1], NULL, cube.trees[0], &motion, NULL, &swapped),
                     KILN_OK);
    assert_true(hit.time == swapped.time);
    /* By a quarter about z. */
    end.rotation[0] = end.rotation[4] = 0;
    end.rotation[1] = -1;
    end.rotation[3] = -3;
    end.translation[1] = 7;
    assert_int_equal(kiln_motion_between(&motion.start, &end, NULL, 0, &out), KILN_OK);
    assert_int_equal(kiln_motion_pose(&out, 1, &pose), KILN_OK);
    for (int i = 0; i < 9; i++) {
        assert_true(fabs(pose.rotation[i] - end.rotation[i]) < 1e-12);
    }
    assert_int_equal(kiln_motion_at_rest(&end, &out), KILN_OK);
    end.rotation[3] = -2; /* another shape; another hand */
    assert_int_equal(kiln_motion_between(&motion.start, &end, NULL, 0, &out), KILN_ERROR_POSE);
    end.rotation[3] = 3;
    assert_int_equal(kiln_motion_between(&motion.start, &end, NULL, 0, &out), KILN_ERROR_POSE);
    end = motion.start; /* the same where the hand shows least */
    end.rotation[8] = 0x1p-25;
    kiln_pose thin = end;
    thin.rotation[8] = -0x1p-25;
    assert_int_equal(kiln_motion_between(&end, &thin, NULL, 0, &out), KILN_ERROR_POSE);
    const kiln_shape bead = {KILN_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 0.5};
    assert_int_equal(kiln_sweep_shape(cube.trees[0], &motion, &bead, NULL, NULL, &hit), KILN_OK);
    expect_at(&hit, 0.325, 1e-5);
    assert_int_equal(kiln_sweep_shape(cube.trees[0], NULL, &bead, &motion, NULL, &hit),
                     KILN_ERROR_POSE);
    assert_int_equal(kiln_sweep_shapes(&bead, &motion, &bead, NULL, NULL, &hit), KILN_ERROR_POSE);
    for (int k = 0; k < 9; k += 4) { /* turned, an entry may be above 2^30 */
        motion.start.rotation[k] = k == 0 ? -0x1.8p+29 : 0x1.8p+29;
    }
    assert_int_equal(kiln_motion_pose(&motion, 0.5, &pose), KILN_ERROR_POSE);
}

/* As far stretched as poses may be: the turn is found, and ends where it is to end. */
static void turns_of_thin_plates_are_found(void **state)
{
    (void)state;
    uint64_t random = 9;
    for (int e = 0; e < 38; e++) {
        for (int i = 0; i < 20; i++) {
            const kiln_pose turn = pose_random(&random, 1), other = pose_random(&random, 1);
            const double thin = ldexp(1, -e), size[] = {i % 3 == 0 ? 2 : thin, 1, thin};
            kiln_pose start = pose_random(&random, 1), end = start, reached;
            kiln_motion motion;
            start.scale = end.scale = e > 28 ? ldexp(1, e - 28) : 1; /* in range, with the thin */
            for (int k = 0; k < 9; k++) { /* a rotation, a diagonal, a rotation */
                const double *row = start.rotation + k / 3 * 3;
                end.rotation[k] = (row[0] * size[0] * other.rotation[k % 3] +
                                   row[1] * size[1] * other.rotation[3 + k % 3]) +
                                  row[2] * size[2] * other.rotation[6 + k % 3];
            }
            memcpy(start.rotation, end.rotation, sizeof start.rotation);
            for (int k = 0; k < 9; k++) {
                const double *row = turn.rotation + k / 3 * 3, *m = start.rotation + k % 3;
                end.rotation[k] = (row[0] * m[0] + row[1] * m[3]) + row[2] * m[6];
            }
            assert_int_equal(kiln_motion_between(&start, &end, NULL, 0, &motion), KILN_OK);
            assert_int_equal(kiln_motion_pose(&motion, 1, &reached), KILN_OK);
            for (int k = 0; k < 9; k++) {
                assert_true(fabs(reached.rotation[k] - end.rotation[k]) < 1e-13);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_of_motions),
        cmocka_unit_test(motions_between_poses),
        cmocka_unit_test(half_turns_have_one_direction),
        cmocka_unit_test(wrong_motions),
        cmocka_unit_test(a_cube_meets_a_plate),
        cmocka_unit_test(touching_at_the_start),
        cmocka_unit_test(contact_at_the_end),
        cmocka_unit_test(grazes_before_a_wall),
        cmocka_unit_test(along_a_surface),
        cmocka_unit_test(no_motion_and_equal_motions),
        cmocka_unit_test(turns_in_place),
        cmocka_unit_test(degenerate_meshes),
        cmocka_unit_test(huge_ways),
        cmocka_unit_test(many_turns_apart),
        cmocka_unit_test(no_order_in_tolerances),
        cmocka_unit_test(scales),
        cmocka_unit_test(filters_stops_and_budgets),
        cmocka_unit_test(wrong_sweeps),
        cmocka_unit_test(shapes_meet_meshes),
        cmocka_unit_test(shapes_meet_shapes),
        cmocka_unit_test(what_is_stretched_moves_rigidly),
        cmocka_unit_test(turns_of_thin_plates_are_found),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
