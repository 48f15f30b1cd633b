/* What is sampled: hulls of one to eight vertices, with and without a radius, and triangles, of
 * classes: generic, on small grids (in which flat, repeated, inner and touching ones abound; also
 * turned), in one plane, on one line, boxes, hulls with vertices inside, a hair apart at corner,
 * edge or face, nearly parallel, slivers, sizes very different, far apart, and all magnitudes that
 * coordinates may have. Radii: none, at random, whole ones on grids, where they are often the
 * distance itself, and a rounding above or below it.
 *
 * Oracle: near_oracle.c, the squared distance in rational numbers, over all simplices of vertices.
 * Decisions: equal. Distances: what kiln_shapes.h states, 2^-43 of the extent, and 0 exactly where
 * the two meet. Points: on hull and triangle within as much of the numbers' magnitude.
 *
 * And which of up to 1,300 vertices comes first along a way: rings, random ones, grids and repeated
 * ones, of any size and place, for each instruction set. Oracle: all of them in turn.
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

#include "../../runtime/exact/convex_triangle.h"
#include "../../runtime/kernel/kernel.h"
#include "../support/amount.h"
#include "../support/meshes.h"
#include "near_oracle.h"

enum { CASES = 2600, VERTICES = 8, MANY = 400 };

typedef struct {
    double v[3 * VERTICES], t[9], radius;
    uint32_t count;
} convex_case;

static uint64_t state = 77;

static double between(double low, double high)
{
    return random_between(&state, low, high);
}

static double small(double from, double to)
{
    return pow(2, -between(from, to));
}

static bool now_and_then(uint32_t one_of)
{
    return random_below(&state, one_of) == 0;
}

static void fill(double *p, uint32_t count, double low, double high)
{
    for (uint32_t i = 0; i < 3 * count; i++) {
        p[i] = between(low, high);
    }
}

static void turn(convex_case *c)
{
    const kiln_pose pose = pose_random(&state, 1);
    for (uint32_t i = 0; i < c->count + 3; i++) {
        double *p = i < c->count ? c->v + 3 * i : c->t + 3 * (i - c->count);
        const double q[3] = {p[0], p[1], p[2]};
        for (int k = 0; k < 3; k++) {
            const double *row = pose.rotation + 3 * k;
            p[k] = row[0] * q[0] + row[1] * q[1] + row[2] * q[2] + pose.translation[k];
        }
    }
}

static void generic(convex_case *c)
{
    const double off = between(0, 2);
    fill(c->v, c->count, -1, 1);
    fill(c->t, 3, -1, 1);
    for (int i = 0; i < 9; i += 3) {
        c->t[i] += off;
    }
    c->radius = now_and_then(2) ? 0 : between(0, 1);
}

static void grid(convex_case *c)
{
    const uint32_t extent = 2 + random_below(&state, 4);
    for (uint32_t i = 0; i < 3 * c->count; i++) {
        c->v[i] = random_below(&state, extent);
    }
    const uint32_t away = random_below(&state, 4);
    for (int i = 0; i < 9; i++) {
        c->t[i] = random_below(&state, extent) + (i % 3 == 0 ? away : 0);
    }
    c->radius = now_and_then(2) ? 0 : random_below(&state, 4);
}

static void turned_grid(convex_case *c)
{
    grid(c);
    turn(c);
}

static void one_plane(convex_case *c)
{
    grid(c);
    for (uint32_t i = 2; i < 3 * c->count; i += 3) {
        c->v[i] = 1;
    }
    const double lift = now_and_then(2) ? 0 : 1;
    for (uint32_t i = 2; i < 9; i += 3) {
        c->t[i] = 1 + lift;
    }
    if (now_and_then(3)) {
        turn(c);
    }
}

static void one_line(convex_case *c)
{
    double way[3], from[3];
    grid(c);
    for (int k = 0; k < 3; k++) {
        way[k] = random_below(&state, 3);
        from[k] = random_below(&state, 3);
    }
    for (uint32_t i = 0; i < c->count; i++) {
        const double part = random_below(&state, 4);
        for (uint32_t k = 0; k < 3; k++) {
            c->v[3 * i + k] = from[k] + part * way[k];
        }
    }
    if (now_and_then(3)) {
        turn(c);
    }
}

static void box(convex_case *c)
{
    double low[3], high[3];
    c->count = 8;
    for (int k = 0; k < 3; k++) {
        low[k] = random_below(&state, 3);
        high[k] = low[k] + random_below(&state, 3);
    }
    for (uint32_t i = 0; i < 8; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            c->v[3 * i + k] = i >> k & 1 ? high[k] : low[k];
        }
    }
    for (int i = 0; i < 9; i++) {
        c->t[i] = (double)random_below(&state, 8) - 1;
    }
    c->radius = now_and_then(2) ? 0 : random_below(&state, 3);
    if (now_and_then(2)) {
        turn(c);
    }
}

/* All but four are inside. */
static void inner(convex_case *c)
{
    generic(c);
    c->count = VERTICES;
    for (uint32_t i = 4; i < c->count; i++) {
        double weight[4], sum = 0;
        for (int j = 0; j < 4; j++) {
            weight[j] = between(0, 1);
            sum += weight[j];
        }
        for (uint32_t k = 0; k < 3; k++) {
            c->v[3 * i + k] = 0;
            for (uint32_t j = 0; j < 4; j++) {
                c->v[3 * i + k] += weight[j] / sum * c->v[3 * j + k];
            }
        }
    }
}

/* A point of the hull's first vertices, a hair from one of the triangle's. */
static void near_points(convex_case *c)
{
    const double gap = small(1, 60);
    const uint32_t of_hull = 1 + random_below(&state, c->count < 3 ? c->count : 3),
                   of_triangle = 1 + random_below(&state, 3);
    generic(c);
    for (uint32_t k = 0; k < 3; k++) {
        double p = 0, q = 0;
        for (uint32_t i = 0; i < of_hull; i++) {
            p += c->v[3 * i + k] / of_hull;
        }
        for (uint32_t i = 0; i < of_triangle; i++) {
            q += c->t[3 * i + k] / of_triangle;
        }
        const double shift = p - q + between(-gap, gap);
        for (uint32_t i = 0; i < 3; i++) {
            c->t[3 * i + k] += shift;
        }
    }
    c->radius = now_and_then(2) ? 0 : gap * between(0, 2);
}

/* Faces or edges in parallel planes, a hair apart and a hair tilted. */
static void near_planes(convex_case *c)
{
    const double gap = small(1, 60), tilt = now_and_then(2) ? 0 : small(10, 60);
    generic(c);
    for (uint32_t i = 0; i < c->count; i++) {
        c->v[3 * i + 2] = i < 4 ? 0.25 : -between(0, 1);
    }
    for (int i = 0; i < 3; i++) {
        c->t[3 * i] = between(-1, 1);
        c->t[3 * i + 2] = 0.25 + gap + tilt * between(0, 1);
    }
    c->radius = now_and_then(2) ? 0 : gap * between(0, 2);
    if (now_and_then(2)) {
        turn(c);
    }
}

static void slivers(convex_case *c)
{
    const double off = small(3, 60);
    near_points(c);
    for (uint32_t k = 0; k < 3; k++) {
        const double part = now_and_then(2) ? 0 : between(-0.5, 1.5);
        c->t[6 + k] = c->t[k] + part * (c->t[3 + k] - c->t[k]) + off * between(-1, 1);
        for (uint32_t i = 2; i < c->count; i++) {
            c->v[3 * i + k] = c->v[k] + 0.5 * (c->v[3 + k] - c->v[k]) + off * between(-1, 1);
        }
    }
}

static void uneven(convex_case *c)
{
    const double ratio = small(1, 30);
    near_points(c);
    if (now_and_then(2)) {
        for (uint32_t i = 3; i < 9; i++) {
            c->t[i] = c->t[i % 3] + ratio * (c->t[i] - c->t[i % 3]);
        }
    } else {
        for (uint32_t i = 3; i < 3 * c->count; i++) {
            c->v[i] = c->v[i % 3] + ratio * (c->v[i] - c->v[i % 3]);
        }
    }
}

static void far_apart(convex_case *c)
{
    const double away = 1 / small(0, 60);
    generic(c);
    for (int i = 0; i < 9; i++) {
        c->t[i] += away * (double)(i % 3);
    }
    c->radius *= now_and_then(2) ? away : 1;
}

static void magnitudes(convex_case *c)
{
    const double size = pow(2, between(-190, 190)), other = pow(2, between(-190, 190));
    (now_and_then(2) ? generic : grid)(c);
    for (uint32_t i = 0; i < 3 * c->count; i++) {
        c->v[i] *= size;
    }
    for (int i = 0; i < 9; i++) {
        c->t[i] *= now_and_then(2) ? size : other;
    }
    c->radius *= now_and_then(2) ? size : other;
}

/* ----------------------------------------------------------------------------------- checks -- */

static double extent_of(const convex_case *c)
{
    double extent = 0;
    for (int k = 0; k < 3; k++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (uint32_t i = 0; i < c->count + 3; i++) {
            const double p =
                i < c->count ? c->v[3 * i + (uint32_t)k] : c->t[3 * (i - c->count) + (uint32_t)k];
            low = fmin(low, p);
            high = fmax(high, p);
        }
        extent = fmax(extent, high - low);
    }
    return extent;
}

static double magnitude_of(const convex_case *c)
{
    double most = 0;
    for (uint32_t i = 0; i < c->count + 3; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            most = fmax(most, fabs(i < c->count ? c->v[3 * i + k] : c->t[3 * (i - c->count) + k]));
        }
    }
    return most;
}

static void show(const convex_case *c, double value, const mpq_t squared)
{
    for (uint32_t i = 0; i < 3 * c->count; i++) {
        print_message("%a%s", c->v[i], i % 3 == 2 ? "\n" : " ");
    }
    for (int i = 0; i < 9; i++) {
        print_message("%a%s", c->t[i], i % 3 == 2 ? "\n" : " ");
    }
    print_message("radius %a, value %.17g, hull at %.17g\n", c->radius, value,
                  sqrt(mpq_get_d(squared)));
}

static bool is_near(const double *hull, uint32_t count, const double point[3], double room)
{
    double point_thrice[9];
    mpq_t squared;
    mpq_init(squared);
    for (int i = 0; i < 3; i++) {
        memcpy(point_thrice + 3 * i, point, 3 * sizeof *point);
    }
    near_oracle_hull_squared(hull, count, point_thrice, squared);
    const bool near = near_oracle_agrees(squared, 0, room);
    mpq_clear(squared);
    return near;
}

/* Along the line that is given with an answer, or with the lack of one, the two are as far apart as
 * they are at most. */
static bool check_line(const convex_case *c, const kiln_convex_core *core, double limit,
                       double distance, double room)
{
    kiln_convex_nearest near;
    double first = HUGE_VAL;
    memset(&near, 0xF0, sizeof near); /* a hull that reaches far back, where it is not set */
    (void)kiln_convex_triangle_nearest(core, c->t, limit, &near);
    for (int i = 0; i < 9; i += 3) {
        double along = 0;
        for (int k = 0; k < 3; k++) {
            along += (c->t[i + k] - core->middle[k]) * near.line[k];
        }
        first = fmin(first, along);
    }
    return first - near.reach <= distance + room;
}

/* One radius; the square of the hull's distance is known. The vertices are given once, or so often
 * that they are searched by blocks. */
static bool check_radius(convex_case *c, const mpq_t squared)
{
    static double many[3 * MANY];
    const bool often = now_and_then(4);
    const uint32_t count =
        often ? KILN_CONVEX_KEPT + 1 + random_below(&state, MANY - KILN_CONVEX_KEPT) : c->count;
    for (uint32_t i = 0; often && i < count; i++) {
        memcpy(many + 3 * (size_t)i, c->v + 3 * (size_t)(i * c->count / count), 3 * sizeof *many);
    }
    const kiln_convex shape = {often ? many : c->v, count, c->radius};
    const double room = 0x1p-43 * extent_of(c);
    kiln_convex_core core;
    kiln_convex_nearest near, other;
    mpq_t reach;
    mpq_init(reach);
    mpq_set_d(reach, c->radius);
    mpq_mul(reach, reach, reach);
    const bool meet = mpq_cmp(squared, reach) <= 0;
    mpq_clear(reach);
    assert_true(kiln_convex_take(&shape, NULL, &kiln_kernel_active()->convex, &core));
    bool right = kiln_convex_meets_triangle(&core, c->t) == meet;
    right = right && kiln_convex_triangle_nearest(&core, c->t, HUGE_VAL, &near);
    right = right && (near.value == 0) == meet && near.value >= 0;
    right = right && (meet || near_oracle_agrees(squared, near.value + c->radius,
                                                 room + 0x1p-52 * c->radius));
    right = right && kiln_convex_triangle_nearest(&core, c->t, near.value, &other) &&
            other.value == near.value;
    right = right &&
            (meet || !kiln_convex_triangle_nearest(&core, c->t, nextafter(near.value, 0), &other));
    const double below = meet ? HUGE_VAL : nextafter(near.value, 0);
    right = right && check_line(c, &core, now_and_then(2) ? below : below / 2,
                                sqrt(mpq_get_d(squared)), room);
    if (!right) {
        show(c, near.value, squared);
    }
    return right;
}

static bool check_points(const convex_case *c, const mpq_t squared)
{
    const kiln_convex shape = {c->v, c->count, c->radius};
    const double room = 0x1p-43 * magnitude_of(c);
    kiln_convex_core core;
    kiln_convex_nearest near;
    double off = 0;
    assert_true(kiln_convex_take(&shape, NULL, &kiln_kernel_active()->convex, &core) &&
                kiln_convex_triangle_nearest(&core, c->t, HUGE_VAL, &near));
    for (int k = 0; k < 3; k++) {
        off = fmax(off, fabs(near.on_mesh[k] - near.on_core[k]));
    }
    double length = 0;
    for (int k = 0; k < 3 && off > 0; k++) {
        const double part = (near.on_mesh[k] - near.on_core[k]) / off;
        length += part * part;
    }
    const bool right = is_near(c->v, c->count, near.on_core, room) &&
                       is_near(c->t, 3, near.on_mesh, room) &&
                       near_oracle_agrees(squared, off * sqrt(length), 2 * room);
    if (!right) {
        show(c, near.value, squared);
    }
    return right;
}

/* Vertices on a sphere in rings, at random, of a small grid, all alike, or in dozens that are close
 * together, also nearly in a plane across `way`; of any size and place, and so small that
 * coordinates along some axes count as 0, and along others do not. */
static uint32_t many_vertices(double *v, uint32_t most, const double way[3])
{
    const uint32_t count = 1 + random_below(&state, 1 + random_below(&state, most));
    const uint32_t kind = random_below(&state, 6), sides = 3 + random_below(&state, 40);
    const int exponent = now_and_then(4)   ? (int)random_below(&state, 30) - 290
                         : now_and_then(4) ? (int)random_below(&state, 390) - 240
                                           : (int)random_below(&state, 60) - 30;
    const double size = ldexp(1, exponent);
    double place[3], flat[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        place[k] = now_and_then(2) ? 0 : size * ldexp(1, (int)random_below(&state, 40));
    }
    for (uint32_t i = 0; i < count; i++) {
        const double down = 3.14 * (i / sides) / (count / sides + 1), around = 6.28 * i / sides;
        const double ring[3] = {sin(down) * cos(around), sin(down) * sin(around), cos(down)};
        if (i % 12 == 0) {
            fill(flat, 1, -1, 1);
        }
        const double along = (flat[0] * way[0] + flat[1] * way[1]) + flat[2] * way[2];
        const double off = small(18, 26) - (kind == 4 ? along : 0);
        for (uint32_t k = 0; k < 3; k++) {
            const double at = kind == 0   ? ring[k]
                              : kind == 1 ? between(-1, 1)
                              : kind == 2 ? (double)random_below(&state, 4)
                              : kind == 3 ? 1
                                          : flat[k] + off * way[k];
            v[3 * i + k] = place[k] + size * at;
        }
    }
    return count;
}

/* Each set finds the vertex that comes first of all, also along ways so short that products
 * underflow. */
static void test_first(void **unused)
{
    enum { MOST = 1300 };
    static double v[3 * MOST];
    (void)unused;
    for (uint32_t i = 0; i < amount_of_few(300); i++) {
        double way[3];
        random_direction(&state, way);
        const kiln_convex shape = {v, many_vertices(v, MOST, way), 0};
        for (unsigned set = 0; kiln_kernel_runnable(set) != NULL; set++) {
            kiln_convex_core core;
            double w[3];
            const bool given = now_and_then(2);
            assert_true(kiln_convex_take(&shape, NULL, &kiln_kernel_runnable(set)->convex, &core));
            const int least_exponent =
                core.size > 0 && core.size < 1 ? -1074 - ilogb(core.size) : -1074;
            const int exponent = now_and_then(4)   ? least_exponent + (int)random_below(&state, 10)
                                 : now_and_then(4) ? (int)random_below(&state, 1700) - 1000
                                                   : 0;
            for (int k = 0; k < 3; k++) {
                const double any =
                    now_and_then(3) ? (double)random_below(&state, 3) - 1 : between(-2, 2);
                w[k] = ldexp(given ? way[k] : any, exponent);
            }
            double least = HUGE_VAL;
            uint32_t first = 0;
            for (uint32_t j = 0; j < shape.count; j++) {
                const double *p = v + 3 * (size_t)j;
                const double at =
                    (w[0] * (p[0] - core.middle[0]) + w[1] * (p[1] - core.middle[1])) +
                    w[2] * (p[2] - core.middle[2]);
                first = at < least ? j : first;
                least = fmin(at, least);
            }
            assert_int_equal(kiln_convex_first(&core, w), first);
        }
    }
}

static bool in_range(const convex_case *c)
{
    for (uint32_t i = 0; i < 3 * c->count; i++) {
        if ((c->v[i] != 0 && fabs(c->v[i]) < 0x1p-250) || fabs(c->v[i]) > 1e60) {
            return false;
        }
    }
    for (int i = 0; i < 9; i++) {
        if (c->t[i] != 0 && fabs(c->t[i]) < 0x1p-250) {
            return false;
        }
    }
    return (c->radius == 0 || c->radius > 0x1p-250) && c->radius <= 1e60;
}

static bool check(convex_case *c)
{
    mpq_t squared;
    mpq_init(squared);
    near_oracle_hull_squared(c->v, c->count, c->t, squared);
    bool right = check_radius(c, squared) && (!now_and_then(4) || check_points(c, squared));
    const double distance = sqrt(mpq_get_d(squared));
    if (distance > 0x1p-240 && distance < 1e59) { /* the radius is the distance, or nearly */
        c->radius = distance;
        right = right && check_radius(c, squared);
        c->radius = nextafter(distance, now_and_then(2) ? 0 : HUGE_VAL);
        right = right && check_radius(c, squared);
    }
    mpq_clear(squared);
    return right;
}

static void test_oracle(void **unused)
{
    static void (*const classes[])(convex_case *) = {
        generic,     grid,        turned_grid, one_plane, one_line,  box,       inner,
        near_points, near_planes, slivers,     uneven,    far_apart, magnitudes};
    enum { CLASSES = sizeof classes / sizeof *classes };
    size_t wrong = 0, all = 0;
    (void)unused;
    for (uint32_t i = 0; i < amount(CASES); i++) {
        convex_case c;
        c.count = 1 + random_below(&state, now_and_then(3) ? VERTICES : 4);
        classes[i % CLASSES](&c);
        if (in_range(&c)) {
            all++;
            if (!check(&c)) {
                print_message("class %u, case %u\n", i % CLASSES, i);
                wrong++;
            }
        }
    }
    print_message("%zu hulls and triangles, %zu wrong\n", all, wrong);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_first), cmocka_unit_test(test_oracle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
