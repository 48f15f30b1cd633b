/* What is sampled: boxes, spheres and capsules, as points and flat ones too, at soups, lattices
 * of small integers (in which shapes that just touch abound) and sizes from 1e-18 to 1e18, at
 * random and at exact poses of mesh and shape, in trees of every kind, leaf sizes 1 to 15, each
 * instruction set in turn, under other rounding modes and flush-to-zero.
 *
 * Oracle: every triangle, carried as kiln.h says. Boxes: a corner inside, or exact integer
 * arithmetic (oracle.c) against the twelve triangles of the surface. Spheres and capsules:
 * distances by clamping, after Ericson, "Real-Time Collision Detection", 2005, 5.1, in long
 * double; what is nearer to the radius than that arithmetic can tell is not compared, but must
 * be equal for all kinds. And balls beyond the tip of needles whose width is a rounding, and
 * capsules in line with them, which that arithmetic knows nothing of: distances in fractions
 * (near_oracle.c), at radii as far from them as kiln.h allows.
 *
 * support/amount.h tells how many. */
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

#include "../../runtime/kernel/kernel.h"
#include "../../runtime/exact/exact.h"
#include "../support/amount.h"
#include "../support/body.h"
#include "../support/carried.h"
#include "../support/rounding.h"
#include "near_oracle.h"
#include "oracle.h"

enum { MESHES = 1500, SHAPES = 12, NEEDLES = 20000, KINDS = BODY_KINDS, TRIANGLES_MAX = 64 };

/* ------------------------------------------------------------------------------------ boxes -- */

static bool box_meets(const kiln_shape *box, const double t[9])
{
    for (int i = 0; i < 3; i++) {
        bool in = true;
        for (int k = 0; k < 3; k++) {
            in = in && t[3 * i + k] >= box->a[k] && t[3 * i + k] <= box->b[k];
        }
        if (in) {
            return true;
        }
    }
    static const int quads[6][4] = {{0, 2, 6, 4}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 5, 7, 6}};
    for (int q = 0; q < 12; q++) {
        double face[9];
        for (int i = 0; i < 3; i++) {
            const int corner = quads[q / 2][i == 0 ? 0 : i + q % 2];
            for (int k = 0; k < 3; k++) {
                face[3 * i + k] = corner >> k & 1 ? box->b[k] : box->a[k];
            }
        }
        if (oracle_triangles_meet(face, t)) {
            return true;
        }
    }
    return false;
}

/* ------------------------------------------------------------------------------------ balls -- */

typedef long double real;

static real dot(const real *a, const real *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void between(const real *from, const real *to, real *out)
{
    for (int k = 0; k < 3; k++) {
        out[k] = to[k] - from[k];
    }
}

static real clamp(real x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static real segments_square(const real *p, const real *q, const real *r, const real *s)
{
    real d1[3], d2[3], w[3], at[3];
    between(p, q, d1);
    between(r, s, d2);
    between(r, p, w);
    const real a = dot(d1, d1), e = dot(d2, d2), b = dot(d1, d2), c = dot(d1, w), f = dot(d2, w);
    const real denominator = a * e - b * b;
    real x = denominator > 0 ? clamp((b * f - c * e) / denominator) : 0;
    real y = e > 0 ? (b * x + f) / e : 0;
    if (y < 0 || y > 1) {
        y = clamp(y);
    }
    x = a > 0 ? clamp((b * y - c) / a) : 0;
    for (int k = 0; k < 3; k++) {
        at[k] = w[k] + x * d1[k] - y * d2[k];
    }
    return dot(at, at);
}

/* Point and inside of a triangle; infinity where the foot is outside. */
static real inside_square(const real *p, real t[3][3])
{
    real ab[3], ac[3], ap[3], n[3];
    between(t[0], t[1], ab);
    between(t[0], t[2], ac);
    between(t[0], p, ap);
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        n[k] = ab[i] * ac[j] - ab[j] * ac[i];
    }
    const real nn = dot(n, n);
    for (int i = 0; i < 3 && nn > 0; i++) {
        real edge[3], off[3], side[3];
        between(t[i], t[(i + 1) % 3], edge);
        between(t[i], p, off);
        for (int k = 0; k < 3; k++) {
            const int l = (k + 1) % 3, j = (k + 2) % 3;
            side[k] = edge[l] * off[j] - edge[j] * off[l];
        }
        if (dot(side, n) < 0) {
            return HUGE_VALL;
        }
    }
    return nn > 0 ? dot(ap, n) * dot(ap, n) / nn : HUGE_VALL;
}

/* The segment passes the triangle. */
static bool passes(const real *p, const real *q, real t[3][3])
{
    real way[3], volume[3];
    between(p, q, way);
    for (int i = 0; i < 3; i++) {
        real a[3], b[3], n[3];
        between(p, t[i], a);
        between(p, t[(i + 1) % 3], b);
        for (int k = 0; k < 3; k++) {
            const int l = (k + 1) % 3, j = (k + 2) % 3;
            n[k] = a[l] * b[j] - a[j] * b[l];
        }
        volume[i] = dot(way, n);
    }
    if (!((volume[0] > 0 && volume[1] > 0 && volume[2] > 0) ||
          (volume[0] < 0 && volume[1] < 0 && volume[2] < 0))) {
        return false;
    }
    real ab[3], ac[3], ap[3], aq[3], n[3];
    between(t[0], t[1], ab);
    between(t[0], t[2], ac);
    between(t[0], p, ap);
    between(t[0], q, aq);
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        n[k] = ab[i] * ac[j] - ab[j] * ac[i];
    }
    return dot(ap, n) * dot(aq, n) <= 0;
}

/* -1 apart, 1 met, 0 too near to tell. */
static int ball_meets(const kiln_shape *ball, const double corners[9])
{
    real t[3][3], p[3], q[3], size = ball->radius, least = HUGE_VALL;
    for (int k = 0; k < 3; k++) {
        p[k] = ball->a[k];
        q[k] = ball->kind == KILN_SHAPE_SPHERE ? ball->a[k] : ball->b[k];
        size = fmaxl(size, fmaxl(fabsl(p[k]), fabsl(q[k])));
        for (int i = 0; i < 3; i++) {
            t[i][k] = corners[3 * i + k];
            size = fmaxl(size, fabsl(t[i][k]));
        }
    }
    if (passes(p, q, t)) {
        return 1;
    }
    for (int i = 0; i < 3; i++) {
        least = fminl(least, segments_square(p, q, t[i], t[(i + 1) % 3]));
    }
    least = fminl(least, fminl(inside_square(p, t), inside_square(q, t)));
    const real distance = sqrtl(least);
    return fabsl(distance - ball->radius) < 1e-8L * size ? 0 : distance < ball->radius ? 1 : -1;
}

/* ------------------------------------------------------------------------------------ shapes -- */

static kiln_shape any_shape(uint64_t *state, bool whole, double size)
{
    kiln_shape shape;
    memset(&shape, 0, sizeof shape);
    shape.kind = (kiln_shape_kind)(1 + random_below(state, 3));
    shape.radius = whole ? size * random_below(state, 4) : random_between(state, 0, size);
    for (int k = 0; k < 3; k++) {
        shape.a[k] = whole ? size * ((double)random_below(state, 9) - 4)
                           : random_between(state, -1.5 * size, 1.5 * size);
        const double more = whole ? size * random_below(state, 4) : random_between(state, 0, size);
        shape.b[k] = shape.a[k] + (random_below(state, 5) == 0 ? 0 : more);
    }
    return shape;
}

static void next_set(void)
{
    static unsigned turn;
    const kiln_kernel *kernel = kiln_kernel_runnable(turn++);
    if (kernel == NULL) {
        turn = 1;
        kernel = kiln_kernel_runnable(0);
    }
    kiln_kernel_force(kernel);
}

typedef struct {
    size_t met, unsure;
} tally;

static bool count_call(void *user, const kiln_triangle_hit *hit)
{
    assert_true(hit->found && hit->value == body_value(hit->triangle));
    ++*(size_t *)user;
    return true;
}

static bool among(const kiln_triangle_hit *hits, size_t count, uint32_t id)
{
    for (size_t i = 0; i < count; i++) {
        if (hits[i].triangle == id) {
            return true;
        }
    }
    return false;
}

static void check_others(const body *b, const kiln_pose *pose, const kiln_shape *shape,
                         const kiln_pose *at, const kiln_query_options *options,
                         const kiln_triangle_hit *hits, size_t count, int mode)
{
    for (int i = 0; i < KINDS; i++) {
        kiln_triangle_hit again[TRIANGLES_MAX], two[2];
        size_t found = 0, few = 0, calls = 0, seen = 0;
        kiln_triangle_hit hit;
        next_set();
        rounding_enter(mode);
        const kiln_status all =
            kiln_overlap_all(b->trees[i], pose, shape, at, options, again, TRIANGLES_MAX, &found);
        const kiln_status any = kiln_overlap_any(b->trees[i], pose, shape, at, options, &hit);
        const kiln_status some =
            kiln_overlap_all(b->trees[i], pose, shape, at, options, two, 2, &few);
        const kiln_status each =
            kiln_overlap_each(b->trees[i], pose, shape, at, options, count_call, &seen, &calls);
        rounding_leave();
        assert_true(all == KILN_OK && any == KILN_OK && some == KILN_OK && each == KILN_OK);
        assert_true(found == count && few == count && seen == count && calls == count);
        assert_int_equal(hit.found, count > 0);
        assert_true(!hit.found ||
                    (among(hits, count, hit.triangle) && hit.value == body_value(hit.triangle)));
        for (size_t k = 0; k < count; k++) {
            assert_true(again[k].found && again[k].triangle == hits[k].triangle);
            assert_int_equal(again[k].value, body_value(again[k].triangle));
            assert_true(k >= 2 || two[k].triangle == hits[k].triangle);
        }
    }
    kiln_kernel_force(NULL);
}

/* By every third shape a filter that keeps some is asked. */
static void check_shape(const body *b, const kiln_pose *pose, const kiln_shape *shape,
                        const kiln_pose *at, int mode, tally *sum)
{
    const carried carry = carried_into(at, pose);
    static uint32_t turn;
    body_rule rule = {turn++ % 3 == 0 ? 2 : 1, 0, 0};
    kiln_query_options options = kiln_query_options_default();
    kiln_triangle_hit hits[TRIANGLES_MAX];
    size_t count = 0, want = 0;
    options.filter = rule.modulus > 1 ? body_filter : NULL;
    options.filter_user = &rule;
    assert_int_equal(
        kiln_overlap_all(b->trees[0], pose, shape, at, &options, hits, TRIANGLES_MAX, &count),
        KILN_OK);
    for (uint32_t i = 0; i < b->mesh.triangle_count; i++) {
        double corners[9];
        carried_corners(&b->mesh, i, &carry, corners);
        const int truth = shape->kind == KILN_SHAPE_BOX ? (box_meets(shape, corners) ? 1 : -1)
                                                        : ball_meets(shape, corners);
        const bool told = among(hits, count, i), kept = body_keeps(&rule, i);
        want += told;
        sum->unsure += truth == 0;
        assert_true(kept ? truth == 0 || told == (truth > 0) : !told);
    }
    assert_int_equal(count, want);
    check_others(b, pose, shape, at, &options, hits, count, mode);
    sum->met += count > 0;
}

static void run_class(bool lattice, uint64_t seed)
{
    uint64_t state = seed;
    tally sum = {0, 0};
    const uint32_t meshes = amount(MESHES);
    for (uint32_t i = 0; i < meshes; i++) {
        const int leaf = 1 + (int)random_below(&state, 15);
        const uint32_t n = 1 + random_below(&state, 40);
        const double factor = i % 4 != 0 ? 1 : ldexp(1, (int)random_below(&state, 120) - 60);
        mesh m = lattice ? mesh_lattice(&state, n, 1 + (int)random_below(&state, 5))
                         : mesh_soup(&state, n, random_between(&state, 0.02, 0.8));
        for (uint32_t k = 0; k < 3 * m.vertex_count; k++) {
            m.positions[k] = (float)((double)m.positions[k] * factor);
        }
        body b = body_of(m, leaf, body_layout(i));
        for (int k = 0; k < SHAPES; k++) {
            kiln_pose pose = lattice ? pose_exact(&state, 3) : pose_random(&state, 0.5);
            kiln_pose at = lattice ? pose_exact(&state, 3) : pose_random(&state, 0.5);
            for (int j = 0; j < 3; j++) {
                pose.translation[j] *= factor;
                at.translation[j] *= factor;
            }
            pose.scale = scale_random(&state, lattice);
            at.scale = scale_random(&state, lattice);
            const kiln_shape shape = any_shape(&state, lattice, factor);
            check_shape(&b, &pose, &shape, k % 5 == 0 ? &pose : &at, 1 + (int)(i % ROUNDING_MODES),
                        &sum);
        }
        body_free(&b);
    }
    print_message("%u shapes, %zu that meet, %zu triangles too near to the radius to tell\n",
                  meshes * SHAPES, sum.met, sum.unsure);
    assert_true(sum.met > meshes * SHAPES / 8 && sum.met < meshes * SHAPES);
}

static void test_soups(void **state)
{
    (void)state;
    run_class(false, 31);
}

static void test_lattices(void **state)
{
    (void)state;
    run_class(true, 32);
}

/* -------------------------------------------------------------------------------- needles -- */

/* A point at `part` of a way from `from`, off it by up to `off`. */
static void point_on(uint64_t *state, const double from[3], const double way[3], double part,
                     double off, double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = from[k] + part * way[k] + random_between(state, -off, off);
    }
}

static void any_needle(uint64_t *state, double needle[9], kiln_shape *ball)
{
    double from[3], way[3];
    const double beyond = 1 + ldexp(1, -(int)random_below(state, 20));
    for (int k = 0; k < 3; k++) {
        from[k] = random_between(state, -1, 1);
        way[k] = random_between(state, -1, 1);
    }
    const double parts[3] = {0, 1, random_between(state, 0, 1)};
    for (int i = 0; i < 3; i++) {
        point_on(state, from, way, parts[i], 0x1p-54, needle + 3 * i);
    }
    memset(ball, 0, sizeof *ball);
    ball->kind = random_below(state, 2) == 0 ? KILN_SHAPE_SPHERE : KILN_SHAPE_CAPSULE;
    point_on(state, from, way, beyond, ldexp(1, -(int)random_below(state, 60)), ball->a);
    point_on(state, from, way, beyond + 0.01, ldexp(1, -(int)random_below(state, 60)), ball->b);
    if (ball->kind == KILN_SHAPE_SPHERE) {
        memcpy(ball->b, ball->a, sizeof ball->b);
    }
}

/* The largest number that takes part, but for the radius. */
static double size_of(const kiln_shape *ball, const double corners[9])
{
    double size = 0;
    for (int k = 0; k < 3; k++) {
        const double middle = ball->a[k] / 2 + ball->b[k] / 2;
        size = fmax(size, fabs(ball->a[k] - middle));
        for (int i = 0; i < 3; i++) {
            size = fmax(size, fabs(corners[3 * i + k] - middle));
        }
    }
    return size;
}

static void test_needles(void **unused)
{
    (void)unused;
    uint64_t state = 33;
    mpq_t squared;
    mpq_init(squared);
    for (uint32_t i = 0; i < amount(NEEDLES); i++) {
        double needle[9], segment[9];
        kiln_shape ball;
        any_needle(&state, needle, &ball);
        memcpy(segment, ball.a, sizeof ball.a);
        memcpy(segment + 3, ball.b, sizeof ball.b);
        memcpy(segment + 6, ball.b, sizeof ball.b);
        near_oracle_squared(needle, segment, squared);
        const double distance = sqrt(mpq_get_d(squared));
        const double size = fmax(size_of(&ball, needle), distance);
        ball.radius = distance + 0x1p-50 * size;
        assert_true(kiln_shape_meets_triangle(&ball, needle));
        ball.radius = distance - 0x1.8p-39 * size; /* off by more than 2 e, which is 2^-39 */
        assert_false(ball.radius >= 0 && kiln_shape_meets_triangle(&ball, needle));
    }
    mpq_clear(squared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soups),
        cmocka_unit_test(test_lattices),
        cmocka_unit_test(test_needles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
