/* Smallest balls (tools/tree/ball.c): they hold their corners whatever these are, and are as small
 * as a search over all balls through two, three and four of them. Fits that never end and balls
 * that don't hold their points are what is looked for: corners that are equal, on a line, in a
 * plane, on a sphere; a speck beside a far one; the largest and the smallest floats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "../../tools/tree/ball.h"
#include "../support/meshes.h"

enum { TRIANGLES = 4, POINTS = 3 * TRIANGLES };

static double distance(const double p[3], const double q[3])
{
    double squared = 0;
    for (unsigned k = 0; k < 3; k++) {
        squared += (p[k] - q[k]) * (p[k] - q[k]);
    }
    return sqrt(squared);
}

/* The point as far from all of `count` points, by Cramer's rule on the normal equations. False:
 * they span too little. */
static bool middle_of(double p[4][3], unsigned count, double centre[3])
{
    double a[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, b[3] = {0, 0, 0}, t[3];
    for (unsigned i = 1; i < count; i++) {
        for (unsigned j = 1; j < count; j++) {
            a[i - 1][j - 1] = 0;
            for (unsigned k = 0; k < 3; k++) {
                a[i - 1][j - 1] += 2 * (p[i][k] - p[0][k]) * (p[j][k] - p[0][k]);
            }
        }
        b[i - 1] = a[i - 1][i - 1] / 2;
    }
    double det[4];
    for (unsigned c = 0; c < 4; c++) {
        double m[3][3];
        for (unsigned i = 0; i < 3; i++) {
            for (unsigned j = 0; j < 3; j++) {
                m[i][j] = j + 1 == c ? b[i] : a[i][j];
            }
        }
        det[c] = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                 m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                 m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    }
    if (!(fabs(det[0]) > 1e-12)) {
        return false;
    }
    for (unsigned k = 0; k < 3; k++) {
        centre[k] = p[0][k];
        for (unsigned i = 1; i < count; i++) {
            t[i - 1] = det[i] / det[0];
            centre[k] += t[i - 1] * (p[i][k] - p[0][k]);
        }
    }
    return true;
}

/* The least radius of a ball through some of the points that holds all of them. */
static double least_radius(double p[POINTS][3])
{
    double least = HUGE_VAL;
    for (unsigned set = 1; set < 1u << POINTS; set++) {
        double on[4][3], c[3], radius = 0;
        unsigned count = 0;
        for (unsigned i = 0; i < POINTS && count < 5; i++) {
            if ((set >> i & 1) != 0 && count++ < 4) {
                memcpy(on[count - 1], p[i], sizeof on[0]);
            }
        }
        if (count > 4 || !middle_of(on, count, c)) {
            continue;
        }
        for (unsigned i = 0; i < POINTS; i++) {
            radius = fmax(radius, distance(p[i], c));
        }
        least = radius < least ? radius : least;
    }
    return least;
}

typedef struct {
    kiln_record *records;
    uint32_t count;
    kiln_cloud cloud;
} cloud_of_records;

/* Node space as the builder chooses it. */
static void place(cloud_of_records *c)
{
    float lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < 3 * c->count; i++) {
        for (unsigned k = 0; k < 3; k++) {
            lower[k] = fminf(lower[k], c->records[i / 3].corner[i % 3][k]);
            upper[k] = fmaxf(upper[k], c->records[i / 3].corner[i % 3][k]);
        }
    }
    memset(&c->cloud, 0, sizeof c->cloud);
    kiln_frame_choose(lower, upper, NULL, &c->cloud.frame);
    c->cloud.records = c->records;
}

static void corner_in_node_space(const cloud_of_records *c, uint32_t i, double p[3])
{
    for (unsigned k = 0; k < 3; k++) {
        p[k] = kiln_frame_apply(&c->cloud.frame, k, c->records[i / 3].corner[i % 3][k]);
    }
}

/* It holds all corners, is finite, and is no larger than the ball around the bounds. */
static kiln_ball check(cloud_of_records *c)
{
    kiln_ball ball;
    kiln_extents bounds;
    double p[3], diagonal = 0;
    place(c);
    kiln_ball_of(&c->cloud, 0, c->count, &ball);
    assert_true(isfinite(ball.radius) && ball.radius >= 0);
    for (uint32_t i = 0; i < 3 * c->count; i++) {
        corner_in_node_space(c, i, p);
        assert_true(distance(p, ball.centre) <= ball.radius);
    }
    kiln_cloud_bounds(&c->cloud, 0, c->count, &bounds);
    for (unsigned k = 0; k < 3; k++) {
        diagonal += pow(bounds.upper[k] - bounds.lower[k], 2);
    }
    assert_true(ball.radius <= sqrt(diagonal) / 2 * (1 + 1e-9) + 1e-14);
    return ball;
}

enum { EQUAL, LINE, AXIS, PLANE, GRID, SPHERE, SPECK, SOUP, SHAPES };

static void draw(uint64_t *state, int shape, double size, float corner[3])
{
    double p[3];
    for (unsigned k = 0; k < 3; k++) {
        p[k] = random_between(state, -1, 1);
    }
    switch (shape) {
    case EQUAL:
        p[0] = p[1] = p[2] = 0.75;
        break;
    case LINE:
        p[1] = 0.3 * p[0];
        p[2] = -0.7 * p[0];
        break;
    case AXIS:
        p[1] = p[2] = 0.25;
        break;
    case PLANE:
        p[2] = 0.5 * p[0] - 0.25 * p[1];
        break;
    case GRID:
        for (unsigned k = 0; k < 3; k++) {
            p[k] = floor(2 * p[k]);
        }
        break;
    case SPHERE: {
        const double length = distance(p, (const double[3]){0, 0, 0}) + 1e-9;
        for (unsigned k = 0; k < 3; k++) {
            p[k] /= length;
        }
        break;
    }
    case SPECK:
        if (random_below(state, 6) != 0) {
            for (unsigned k = 0; k < 3; k++) {
                p[k] *= 1e-6;
            }
        }
        break;
    default:
        break;
    }
    for (unsigned k = 0; k < 3; k++) {
        corner[k] = (float)(p[k] * size);
    }
}

static void balls_hold_and_are_least(void **unused)
{
    (void)unused;
    static const double sizes[] = {1, 1e-6, 1e6, 1e-38, 1e38, 1e-44};
    uint64_t state = 5;
    kiln_record records[TRIANGLES];
    for (int round = 0; round < 40 * SHAPES; round++) {
        const double size = sizes[(unsigned)round / SHAPES % (sizeof sizes / sizeof sizes[0])];
        cloud_of_records c = {.records = records, .count = TRIANGLES};
        for (uint32_t i = 0; i < POINTS; i++) {
            draw(&state, round % SHAPES, size, records[i / 3].corner[i % 3]);
        }
        const kiln_ball ball = check(&c);
        double p[POINTS][3];
        for (uint32_t i = 0; i < POINTS; i++) {
            corner_in_node_space(&c, i, p[i]);
        }
        assert_true(ball.radius <= least_radius(p) * (1 + 1e-6) + 1e-12);
    }
}

/* Many corners: of a dented torus, of equal triangles, of triangles along a curve. */
static void many_corners(void **unused)
{
    (void)unused;
    enum { MANY = 5000 };
    uint64_t state = 6;
    cloud_of_records c = {.records = calloc(MANY, sizeof(kiln_record)), .count = MANY};
    assert_non_null(c.records);
    for (int shape = 0; shape < SHAPES; shape++) {
        for (uint32_t i = 0; i < 3 * MANY; i++) {
            draw(&state, shape, 10, c.records[i / 3].corner[i % 3]);
        }
        const kiln_ball ball = check(&c);
        if (shape == SPHERE) {
            assert_true(ball.radius * ldexp(1, c.cloud.frame.exponent) < 10.001);
        }
    }
    free(c.records);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_hold_and_are_least),
        cmocka_unit_test(many_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
