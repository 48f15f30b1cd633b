/* Convex hulls against what makes a hull one: all points on one side of each face, each edge of two
 * faces, every corner a point; of sets of every dimension, points that coincide, many in a plane,
 * none in one, more than fit, and more triangles than a block. */
#include "../../tools/tree/hull.h"
#include "../../formats/vector.h"
#include "../support/meshes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 60000 };

static kiln_record records[MOST];
static uint64_t state_of_random;

static float number(double lower, double upper)
{
    return (float)random_between(&state_of_random, lower, upper);
}

/* A point as a triangle without a surface. */
static void set_point(uint32_t index, float x, float y, float z)
{
    for (unsigned i = 0; i < 3; i++) {
        records[index].corner[i][0] = x;
        records[index].corner[i][1] = y;
        records[index].corner[i][2] = z;
    }
}

static kiln_hull hull_of(uint32_t count, uint32_t most, kiln_extents *bounds)
{
    const kiln_cloud cloud = {.records = records, .frame = {{0, 0, 0}, 1, 0}};
    kiln_hull hull;
    kiln_cloud_bounds(&cloud, 0, count, bounds);
    assert_true(kiln_hull_of_cloud(&cloud, 0, count, bounds, most, &hull));
    return hull;
}

static double step_of(const kiln_extents *bounds)
{
    double width = 0;
    for (unsigned k = 0; k < 3; k++) {
        width = fmax(width, bounds->upper[k] - bounds->lower[k]);
    }
    return width * 0x1p-20;
}

/* Each directed edge once, and once the other way: closed, unless the set is flat. */
static void check_edges(const kiln_hull *hull, bool closed)
{
    for (uint32_t f = 0; f < hull->face_count; f++) {
        for (unsigned k = 0; k < 3; k++) {
            const uint32_t a = hull->faces[f][k], b = hull->faces[f][(k + 1) % 3];
            unsigned same = 0, opposite = 0;
            for (uint32_t i = 0; i < 3 * hull->face_count; i++) {
                const uint32_t c = hull->faces[i / 3][i % 3];
                const uint32_t d = hull->faces[i / 3][(i % 3 + 1) % 3];
                same += a == c && b == d;
                opposite += a == d && b == c;
            }
            assert_int_equal(same, 1);
            assert_true(opposite == 1 || (opposite == 0 && !closed));
        }
    }
}

/* No point of the first `count` is above a face by more than its and the corners' rounding. */
static void check_sides(const kiln_hull *hull, uint32_t count, double tolerance)
{
    for (uint32_t f = 0; f < hull->face_count; f++) {
        const double *a = hull->corners[hull->faces[f][0]];
        double u[3], v[3], normal[3];
        kiln_subtract(hull->corners[hull->faces[f][1]], a, u);
        kiln_subtract(hull->corners[hull->faces[f][2]], a, v);
        kiln_cross(u, v, normal);
        const double length = sqrt(kiln_dot(normal, normal));
        assert_true(length > 0);
        for (uint32_t i = 0; i < count; i++) {
            double p[3], d[3];
            for (unsigned k = 0; k < 3; k++) {
                p[k] = (double)records[i].corner[0][k];
            }
            kiln_subtract(p, a, d);
            assert_true(kiln_dot(d, normal) <= length * tolerance);
        }
    }
}

static void check(uint32_t count, uint32_t corners, uint32_t faces)
{
    kiln_extents bounds;
    kiln_hull hull = hull_of(count, 1024, &bounds);
    check_edges(&hull, true);
    check_sides(&hull, count, 2 * step_of(&bounds));
    if (corners != 0) {
        assert_int_equal(hull.corner_count, corners);
        assert_int_equal(hull.face_count, faces);
    }
    if (hull.face_count > 0) {
        assert_int_equal(hull.face_count, 2 * hull.corner_count - 4);
    }
    kiln_hull_free(&hull);
}

static void sets_of_few_dimensions(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 50; i++) {
        set_point(i, 1, 2, 3);
    }
    check(1, 1, 0);
    check(50, 1, 0);
    for (uint32_t i = 0; i < 50; i++) {
        const float t = (float)(i * 37 % 50);
        set_point(i, t, 2 * t, -t);
    }
    check(50, 2, 0);
    check(2, 2, 0);

    /* A square with much in it, tilted; then a triangle. */
    kiln_extents bounds;
    for (uint32_t i = 0; i < 121; i++) {
        const float x = (float)(i % 11), y = (float)(i / 11);
        set_point(i, x, y, x + y);
    }
    kiln_hull hull = hull_of(121, 1024, &bounds);
    assert_int_equal(hull.corner_count, 4);
    assert_int_equal(hull.face_count, 2);
    check_edges(&hull, false);
    kiln_hull_free(&hull);
    set_point(0, 0, 0, 0);
    set_point(1, 0, 5, 0);
    set_point(2, 0, 0, 7);
    hull = hull_of(3, 1024, &bounds);
    assert_int_equal(hull.corner_count, 3);
    assert_int_equal(hull.face_count, 1);
    kiln_hull_free(&hull);
}

static void solids(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        set_point(i, (float)(i & 1), (float)(i >> 1 & 1), (float)(i >> 2));
    }
    check(8, 8, 12);
    /* A lattice, of which most is in some plane of a side. */
    for (uint32_t i = 0; i < 729; i++) {
        set_point(i, (float)(i % 9), (float)(i / 9 % 9), (float)(i / 81));
    }
    check(729, 8, 12);
    for (uint32_t i = 0; i < 20; i++) {
        set_point(i, i % 4 == 0 ? 3 : 0, i % 4 == 1 ? 2 : 0, i % 4 == 2 ? 1 : 0);
    }
    check(20, 4, 4);
}

static void random_sets(void **state)
{
    (void)state;
    state_of_random = 5;
    for (unsigned round = 0; round < 300; round++) {
        const uint32_t count = 1 + round * 3 % 250;
        const int extent = round % 3 == 0 ? 2 : round % 3 == 1 ? 7 : 100000;
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t span = 2 * (uint32_t)extent + 1;
            float c[3];
            for (unsigned k = 0; k < 3; k++) {
                c[k] = (float)((int)random_below(&state_of_random, span) - extent);
            }
            set_point(i, c[0], c[1], round % 5 == 0 ? 0.125f * c[0] : c[2]);
        }
        kiln_extents bounds;
        kiln_hull hull = hull_of(count, 1024, &bounds);
        check_edges(&hull, hull.face_count >= hull.corner_count);
        if (hull.face_count >= hull.corner_count) {
            check_sides(&hull, count, 2 * step_of(&bounds));
        }
        kiln_hull_free(&hull);
    }
}

/* Points on a sphere: all are corners, up to the greatest number of them; what is left out then is
 * not far outside. In blocks, as many triangles come. */
static void many_points(void **state)
{
    (void)state;
    state_of_random = 9;
    for (uint32_t i = 0; i < MOST; i++) {
        double p[3];
        double length;
        do {
            for (unsigned k = 0; k < 3; k++) {
                p[k] = random_between(&state_of_random, -1, 1);
            }
            length = sqrt(kiln_dot(p, p));
        } while (length > 1 || length < 0.1);
        set_point(i, (float)(p[0] / length), (float)(p[1] / length), (float)(p[2] / length));
    }
    check(700, 700, 1396);
    static const uint32_t most[] = {4, 5, 48, 1024};
    static const double far[] = {3, 3, 0.5, 0.05};
    for (unsigned i = 0; i < 4; i++) {
        kiln_extents bounds;
        kiln_hull hull = hull_of(MOST, most[i], &bounds);
        assert_in_range(hull.corner_count, 4, most[i]);
        check_sides(&hull, MOST, far[i]);
        if (most[i] <= 48) {
            check_edges(&hull, true);
        }
        kiln_hull_free(&hull);
    }
    /* What the blocks hold does not matter for a set that has few corners. */
    for (uint32_t i = 0; i < MOST; i++) {
        set_point(i, number(-1, 1), number(-1, 1), number(-1, 1));
    }
    for (uint32_t i = 0; i < 8; i++) {
        set_point(i * (MOST / 8) + 17, i & 1 ? 1.5f : -1.5f, i & 2 ? 1.5f : -1.5f,
                  i & 4 ? 1.5f : -1.5f);
    }
    check(MOST, 8, 12);
}

/* Widths from the least to the greatest that floats have. */
static void any_size(void **state)
{
    (void)state;
    static const int exponents[] = {-149, -140, -100, 0, 60, 127};
    for (unsigned e = 0; e < 6; e++) {
        const float s = ldexpf(1, exponents[e]);
        for (uint32_t i = 0; i < 8; i++) {
            set_point(i, i & 1 ? s : 0, i & 2 ? s : 0, i & 4 ? s : 0);
        }
        check(8, 8, 12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_of_few_dimensions),
        cmocka_unit_test(solids),
        cmocka_unit_test(random_sets),
        cmocka_unit_test(many_points),
        cmocka_unit_test(any_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
