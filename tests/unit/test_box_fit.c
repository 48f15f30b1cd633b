/* Fits of oriented boxes, by the pictures of the lecture on bounding volume hierarchies (Trinity
 * College Dublin, 2016, after M. Lin): corners inside make the box of a covariance worse and
 * terrible, unless it is that of the hull; corners that crowd on the hull make it bad, unless
 * facets count by their surface. Then the box of least volume against a search through all
 * orientations, and sets that have no box to speak of. */
#include "../../tools/tree/box_fit.h"
#include "../../formats/vector.h"
#include "../support/meshes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const kiln_box_fit rules[] = {KILN_BOX_FIT_VERTICES, KILN_BOX_FIT_HULL_VERTICES,
                                     KILN_BOX_FIT_HULL_FACETS, KILN_BOX_FIT_VOLUME};
enum { RULES = sizeof rules / sizeof rules[0] };

/* Orthonormal to rounding. */
static void make_rotation(uint64_t *random, double axis[3][3])
{
    const kiln_pose pose = pose_random(random, 1);
    for (unsigned i = 0; i < 9; i++) {
        axis[i / 3][i % 3] = pose.rotation[i];
    }
}

static void add(kiln_points *points, double axis[3][3], double x, double y, double z)
{
    assert_true(points->count < KILN_POINTS_MAX);
    for (unsigned k = 0; k < 3; k++) {
        points->at[k][points->count] = x * axis[0][k] + y * axis[1][k] + z * axis[2][k];
    }
    points->count++;
}

/* Edges of the box along the axes. */
static void measure(const kiln_points *points, double axis[3][3], double edge[3])
{
    for (unsigned k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (unsigned i = 0; i < points->count; i++) {
            const double p[3] = {points->at[0][i], points->at[1][i], points->at[2][i]};
            low = fmin(low, kiln_dot(axis[k], p));
            high = fmax(high, kiln_dot(axis[k], p));
        }
        edge[k] = high - low;
    }
}

static double volume(const kiln_points *points, double axis[3][3])
{
    double edge[3];
    measure(points, axis, edge);
    return edge[0] * edge[1] * edge[2];
}

static double volume_by(kiln_box_fit rule, const kiln_points *points)
{
    double axis[3][3];
    assert_true(kiln_box_fit_axes_of_points(rule, points, axis));
    for (unsigned k = 0; k < 3; k++) {
        assert_true(fabs(kiln_dot(axis[k], axis[k]) - 1) < 1e-9);
        assert_true(fabs(kiln_dot(axis[k], axis[(k + 1) % 3])) < 1e-9);
    }
    return volume(points, axis);
}

/* The outline of a slab of 8 by 3 by 1, tilted: evenly spread corners. */
static void good_box(kiln_points *points, double axis[3][3])
{
    points->count = 0;
    for (int i = -2; i <= 2; i++) {
        for (int j = -1; j <= 1; j++) {
            add(points, axis, 2 * i, 1.5 * j, 0.5);
            add(points, axis, 2 * i, 1.5 * j, -0.5);
        }
    }
}

static void points_inside_must_not_spoil_the_fit(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (unsigned round = 0; round < 20; round++) {
        double axis[3][3];
        kiln_points points;
        make_rotation(&random, axis);
        good_box(&points, axis);
        for (unsigned r = 0; r < RULES; r++) {
            assert_true(volume_by(rules[r], &points) < 24 * 1.0001);
        }
        /* More and more of them, along a diagonal. */
        double before = 24;
        for (unsigned step = 0; step < 3; step++) {
            for (unsigned i = 0; i < 50; i++) {
                const double t = random_between(&random, -1, 1);
                add(&points, axis, 3.6 * t, -1.4 * t, 0.45 * t);
            }
            const double now = volume_by(KILN_BOX_FIT_VERTICES, &points);
            assert_true(now > before); /* worse, and worse */
            before = now;
            for (unsigned r = 1; r < RULES; r++) {
                assert_true(volume_by(rules[r], &points) < 24 * 1.0001);
            }
        }
        assert_true(before > 24 * 1.5); /* terrible */
    }
}

static void crowds_on_the_hull_must_not_spoil_the_fit(void **state)
{
    (void)state;
    uint64_t random = 2;
    for (unsigned round = 0; round < 20; round++) {
        double axis[3][3];
        kiln_points points;
        make_rotation(&random, axis);
        good_box(&points, axis);
        /* Two opposite corners that are rounded off a little, by many points. */
        for (unsigned i = 0; i < 150; i++) {
            double d[3];
            do {
                for (unsigned k = 0; k < 3; k++) {
                    d[k] = random_between(&random, 0, 1);
                }
            } while (kiln_dot(d, d) > 1 || kiln_dot(d, d) < 0.01);
            const double scale = 0.2 / sqrt(kiln_dot(d, d)), sign = i % 2 == 0 ? 1 : -1;
            add(&points, axis, sign * (3.95 + scale * d[0]), sign * (1.45 + scale * d[1]),
                sign * (0.45 + scale * d[2]));
        }
        double best = volume(&points, axis);
        assert_true(volume_by(KILN_BOX_FIT_HULL_VERTICES, &points) > 1.3 * best);
        assert_true(volume_by(KILN_BOX_FIT_HULL_FACETS, &points) < 1.1 * best);
        assert_true(volume_by(KILN_BOX_FIT_VOLUME, &points) < 1.0001 * best);
    }
}

/* Least volume over a lattice of all orientations, each improved by small turns. */
static double search(const kiln_points *points, uint64_t *random)
{
    double best = INFINITY;
    for (unsigned start = 0; start < 60; start++) {
        double axis[3][3], step = 0.3;
        make_rotation(random, axis);
        double here = volume(points, axis);
        for (unsigned round = 0; round < 150; round++) {
            const unsigned k = round % 3, i = (k + 1) % 3, j = (k + 2) % 3;
            bool moved = false;
            for (int sign = -1; sign <= 1 && !moved; sign += 2) {
                double turned[3][3];
                memcpy(turned, axis, sizeof turned);
                for (unsigned n = 0; n < 3; n++) {
                    turned[i][n] = cos(step) * axis[i][n] + sign * sin(step) * axis[j][n];
                    turned[j][n] = cos(step) * axis[j][n] - sign * sin(step) * axis[i][n];
                }
                const double there = volume(points, turned);
                moved = there < here;
                if (moved) {
                    here = there;
                    memcpy(axis, turned, sizeof axis);
                }
            }
            step *= moved ? 1 : 0.85;
        }
        best = fmin(best, here);
    }
    return best;
}

/* Sets of few points, for which a side on a facet is a restriction, and clouds. */
static void volume_is_near_the_least(void **state)
{
    (void)state;
    static const unsigned counts[] = {4, 5, 8, 12, 30, 100};
    uint64_t random = 3;
    double worst = 0, sum = 0;
    unsigned sets = 0;
    for (unsigned round = 0; round < 60; round++) {
        kiln_points points = {.count = 0};
        double axis[3][3];
        make_rotation(&random, axis);
        for (unsigned i = 0; i < counts[round % 6]; i++) {
            const double x = random_between(&random, -3, 3), y = random_between(&random, -2, 2);
            add(&points, axis, x, y, random_between(&random, -1, 1));
        }
        const double ratio = volume_by(KILN_BOX_FIT_VOLUME, &points) / search(&points, &random);
        worst = fmax(worst, ratio);
        sum += ratio;
        sets++;
    }
    print_message("volume to the least that a search found: %.4f in the mean, %.4f at most\n",
                  sum / sets, worst);
    assert_true(sum / sets < 1.03);
    assert_true(worst < 1.20);
}

/* A box in any orientation is found exactly. */
static void boxes_are_found(void **state)
{
    (void)state;
    uint64_t random = 4;
    for (unsigned round = 0; round < 100; round++) {
        kiln_points points = {.count = 0};
        double axis[3][3];
        make_rotation(&random, axis);
        const double x = random_between(&random, 0.1, 3), y = random_between(&random, 0.1, 3);
        const double z = random_between(&random, 0.1, 3);
        for (unsigned i = 0; i < 8; i++) {
            add(&points, axis, i & 1 ? x : 0, i & 2 ? y : 0, i & 4 ? z : 0);
        }
        assert_true(volume_by(KILN_BOX_FIT_VOLUME, &points) < x * y * z * 1.0001);
    }
}

/* One point, equal points, a line, a plane, widths of any power of two: axes, no NaN, and nothing
 * that is flat gets thick. */
static void sets_without_volume_have_axes(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (unsigned round = 0; round < 600; round++) {
        const double scale = ldexp(1, (int)(round % 60) * 4 - 200);
        const unsigned dimension = round / 60 % 3, count = 1 + round % 7 * 9;
        kiln_points points = {.count = 0};
        double axis[3][3], edge[3];
        make_rotation(&random, axis);
        for (unsigned i = 0; i < count; i++) {
            const double x = dimension > 0 ? random_between(&random, -1, 1) * scale : scale;
            const double y = dimension > 1 ? random_between(&random, -1, 1) * scale : 0;
            add(&points, axis, x, y, 0);
        }
        for (unsigned r = 0; r < RULES; r++) {
            double found[3][3];
            assert_true(kiln_box_fit_axes_of_points(rules[r], &points, found));
            measure(&points, found, edge);
            double thin = INFINITY;
            for (unsigned k = 0; k < 3; k++) {
                assert_true(isfinite(edge[k]));
                assert_true(fabs(kiln_dot(found[k], found[k]) - 1) < 1e-9);
                thin = fmin(thin, edge[k]);
            }
            assert_true(thin <= 1e-4 * scale);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_inside_must_not_spoil_the_fit),
        cmocka_unit_test(crowds_on_the_hull_must_not_spoil_the_fit),
        cmocka_unit_test(volume_is_near_the_least),
        cmocka_unit_test(boxes_are_found),
        cmocka_unit_test(sets_without_volume_have_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
