/* What is sampled: pairs of triangles from 19 classes, from generic ones to those in which every
 * orientation is zero: small integer grids, shared corners and edges, corners put exactly on a
 * plane or an edge, coplanar pairs (in a coordinate plane, tilted, and off by an ulp), slivers,
 * segments, points, copies, all magnitudes of float and of the range of exact.h, and the doubles
 * that a turned float mesh gives. Every pair is asked as it is, swapped, and with permuted corners.
 *
 * Oracle: oracle.c, a search for a separating plane in integers of any length. It is itself
 * compared with pairs whose answer is known by construction: those given a common point must meet.
 *
 * Tolerance: none. One difference fails the class.
 *
 * support/amount.h tells how many. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/exact/exact.h"
#include "../support/amount.h"
#include "oracle.h"

#define PAIRS 50000

/* ------------------------------------------------------------------------------------ random -- */

static uint64_t state;

/* SplitMix64 (Steele, Lea and Flood 2014). */
static uint64_t next(void)
{
    state += 0x9e3779b97f4a7c15u;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* 0 .. n - 1 */
static int below(int n)
{
    return (int)(next() % (uint64_t)n);
}

static double between(double low, double high)
{
    return low + (high - low) * ((double)(next() >> 11) * 0x1p-53);
}

static double grid(int extent)
{
    return (double)(below(2 * extent + 1) - extent);
}

/* ---------------------------------------------------------------------------------- geometry -- */

typedef struct {
    double a[9], b[9];
    bool must_meet; /* by construction */
} sample;

static void fill_random(double *out, int count)
{
    for (int i = 0; i < count; ++i)
        out[i] = between(-1.0, 1.0);
}

static void fill_grid(double *out, int count, int extent)
{
    for (int i = 0; i < count; ++i)
        out[i] = grid(extent);
}

static void copy_corner(double *to, const double *from)
{
    memcpy(to, from, 3 * sizeof *to);
}

/* Corners in one of the six orders. */
static void permute(const double t[9], int order, double out[9])
{
    const int step = order < 3 ? 1 : 2;
    for (int k = 0; k < 3; ++k)
        copy_corner(out + 3 * k, t + 3 * ((order + k * step) % 3));
}

static double to_float(double value)
{
    return (double)(float)value;
}

/* To a neighbour; from 0 to the least magnitude that exact.h takes. */
static double nudge(double value)
{
    if (value == 0.0)
        return below(2) ? KILN_EXACT_MIN : -KILN_EXACT_MIN;
    return nextafter(value, below(2) ? INFINITY : -INFINITY);
}

/* A point of t in whole numbers: t is on a grid of multiples of 12, the weights add up to 12. */
static void point_in(const double t[9], double out[3])
{
    const int u = below(13), v = below(13 - u);
    for (int k = 0; k < 3; ++k)
        out[k] = (t[k] * u + t[3 + k] * v + t[6 + k] * (12 - u - v)) / 12.0;
}

static void point_on_edge(const double t[9], double out[3])
{
    const int u = below(13), from = 3 * below(3), to = (from + 3) % 9;
    for (int k = 0; k < 3; ++k)
        out[k] = (t[from + k] * u + t[to + k] * (12 - u)) / 12.0;
}

static void to_segment(double t[9])
{
    static const int weights[6][2] = {{0, 12}, {12, 0}, {6, 6}, {3, 9}, {-12, 24}, {4, 8}};
    const int *w = weights[below(6)];
    const int moved = 3 * below(3), from = (moved + 3) % 9, to = (moved + 6) % 9;
    for (int k = 0; k < 3; ++k)
        t[moved + k] = (t[from + k] * w[0] + t[to + k] * w[1]) / 12.0;
}

static void to_point(double t[9])
{
    copy_corner(t + 3, t);
    copy_corner(t + 6, t);
}

static void times(double *t, int count, double factor)
{
    for (int i = 0; i < count; ++i)
        t[i] *= factor;
}

/* 12 times a small grid: see point_in. */
static void fill_divisible(sample *s)
{
    const int extent = 1 + below(4);
    fill_grid(s->a, 9, extent);
    fill_grid(s->b, 9, extent);
    times(s->a, 9, 12.0);
    times(s->b, 9, 12.0);
}

/* ----------------------------------------------------------------------------------- classes -- */

static void make_generic(sample *s)
{
    fill_random(s->a, 9);
    fill_random(s->b, 9);
}

static void make_grid(sample *s)
{
    const int extent = 1 + below(5);
    fill_grid(s->a, 9, extent);
    fill_grid(s->b, 9, extent);
}

static void make_shared_corner(sample *s)
{
    make_generic(s);
    copy_corner(s->b + 3 * below(3), s->a + 3 * below(3));
    s->must_meet = true;
}

static void make_shared_edge(sample *s)
{
    make_generic(s);
    copy_corner(s->b, s->a);
    copy_corner(s->b + 3, s->a + 3);
    s->must_meet = true;
}

static void make_corner_in_face(sample *s)
{
    fill_divisible(s);
    point_in(s->a, s->b + 3 * below(3));
    s->must_meet = true;
}

static void make_corner_on_edge(sample *s)
{
    fill_divisible(s);
    point_on_edge(s->a, s->b + 3 * below(3));
    s->must_meet = true;
}

/* A corner of b in the plane of a, inside a or not. */
static void make_corner_on_plane(sample *s)
{
    fill_grid(s->a, 9, 100);
    fill_grid(s->b, 9, 100);
    const int u = below(4) - 1, v = below(4) - 1;
    double *corner = s->b + 3 * below(3);
    for (int k = 0; k < 3; ++k)
        corner[k] = s->a[k] + u * (s->a[3 + k] - s->a[k]) + v * (s->a[6 + k] - s->a[k]);
}

static void make_coplanar_constant(sample *s)
{
    const int axis = below(3), snap = below(2);
    const double level = between(-1.0, 1.0);
    for (int i = 0; i < 9; ++i) {
        s->a[i] = i % 3 == axis ? level : snap ? grid(3) : between(-1.0, 1.0);
        s->b[i] = i % 3 == axis ? level : snap ? grid(3) : between(-1.0, 1.0);
    }
}

/* All corners are whole combinations of two whole vectors. */
static void make_coplanar_tilted(sample *s)
{
    double origin[3], u[3], v[3];
    const int extent = 2 + below(6);
    fill_grid(origin, 3, 1000);
    fill_grid(u, 3, 50);
    fill_grid(v, 3, 50);
    for (int corner = 0; corner < 6; ++corner) {
        double *out = corner < 3 ? s->a + 3 * corner : s->b + 3 * (corner - 3);
        const double m = grid(extent), n = grid(extent);
        for (int k = 0; k < 3; ++k)
            out[k] = origin[k] + m * u[k] + n * v[k];
    }
}

static void make_coplanar_nudged(sample *s)
{
    make_coplanar_tilted(s);
    for (int n = 1 + below(4); n > 0; --n) {
        double *value = (below(2) ? s->a : s->b) + below(9);
        *value = nudge(*value);
    }
}

/* In one plane, the corners of the second on lines through edges of the first but for rounding. */
static void make_coplanar_in_line(sample *s)
{
    fill_random(s->a, 9);
    for (int corner = 0; corner < 3; ++corner) {
        const double *from = s->a + 3 * below(3), *to = s->a + 3 * below(3);
        const double part = between(-0.5, 1.5);
        for (int k = 0; k < 3; ++k)
            s->b[3 * corner + k] = from[k] + part * (to[k] - from[k]);
    }
    const int flat = below(3);
    for (int corner = 0; corner < 3; ++corner)
        s->a[3 * corner + flat] = s->b[3 * corner + flat] = 0.25;
}

/* The third corner is within a few ulps of the line of the others. */
static void make_slivers(sample *s)
{
    make_generic(s);
    for (int t = 0; t < 2; ++t) {
        double *p = t ? s->b : s->a;
        const double w = between(-0.2, 1.2);
        for (int k = 0; k < 3; ++k)
            p[6 + k] = nudge(p[k] + w * (p[3 + k] - p[k]));
    }
    if (below(2)) {
        copy_corner(s->b + 3, s->a + 6);
        s->must_meet = true;
    }
}

static void make_segment(sample *s)
{
    fill_divisible(s);
    if (below(3) == 0)
        point_in(s->a, s->b);
    if (below(3) == 0)
        point_on_edge(s->a, s->b + 3);
    times(s->b, 9, 12.0);
    times(s->a, 9, 12.0);
    to_segment(s->b);
}

static void make_point(sample *s)
{
    fill_divisible(s);
    if (below(3))
        point_in(s->a, s->b);
    if (below(3) == 0)
        s->b[below(3)] += grid(1);
    to_point(s->b);
}

/* Segment and segment, segment and point, point and point. */
static void make_both_degenerate(sample *s)
{
    fill_divisible(s);
    if (below(4) == 0) {
        point_on_edge(s->a, s->b);
        point_on_edge(s->a, s->b + 3);
    }
    if (below(4) == 0)
        point_on_edge(s->a, s->b);
    times(s->a, 9, 12.0);
    times(s->b, 9, 12.0);
    if (below(4))
        to_segment(s->a);
    else
        to_point(s->a);
    if (below(4))
        to_segment(s->b);
    else
        to_point(s->b);
    if (below(8) == 0)
        s->b[below(9)] += grid(1);
}

static void make_copy(sample *s)
{
    if (below(2))
        make_generic(s);
    else
        make_grid(s);
    permute(s->a, below(6), s->b);
    s->must_meet = true;
}

static double wide(int low, int high)
{
    const double mantissa = below(3) ? 1.0 : to_float(between(1.0, 2.0));
    const double value = ldexp(mantissa, low + below(high - low + 1));
    return below(8) == 0 ? 0.0 : below(2) ? value : -value;
}

/* From the least denormal of float to its largest power of two; often one magnitude per axis, and
 * often corners in common, or the boxes would nearly always decide. */
static void make_wide_range(sample *s, int low, int high)
{
    const int style = below(3);
    int middle[3];
    for (int k = 0; k < 3; ++k)
        middle[k] = low + 2 + below(high - low - 3);
    for (int i = 0; i < 18; ++i) {
        double *out = i < 9 ? s->a + i : s->b + (i - 9);
        if (style == 0)
            *out = wide(low, high);
        else if (style == 1)
            *out = wide(middle[i % 3] - 2, middle[i % 3] + 2);
        else
            *out = ldexp(grid(2), middle[i % 3]);
    }
    for (int n = below(3); n > 0; --n)
        copy_corner(s->b + 3 * below(3), s->a + 3 * below(3));
}

static void make_wide_float(sample *s)
{
    make_wide_range(s, -149, 127);
    for (int i = 0; i < 9; ++i) {
        s->a[i] = to_float(s->a[i]);
        s->b[i] = to_float(s->b[i]);
    }
}

static void make_wide_double(sample *s)
{
    make_wide_range(s, -250, 249);
}

/* A unit quaternion to within rounding: the matrix is what a caller's would be. */
static void random_rotation(double m[9])
{
    double q[4], square = 0.0;
    for (int i = 0; i < 4; ++i) {
        q[i] = between(-1.0, 1.0);
        square += q[i] * q[i];
    }
    for (int i = 0; i < 4; ++i)
        q[i] /= sqrt(square);
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double rows[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
        2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
        2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y),
    };
    memcpy(m, rows, sizeof rows);
}

/* Corner of a float mesh: a torus of 24 x 12 quads. */
static void torus_corner(int i, int j, double out[3])
{
    const double turn = 2.0 * 3.14159265358979323846;
    const double around = turn * (i % 24) / 24.0, about = turn * (j % 12) / 12.0;
    out[0] = to_float((2.0 + 0.7 * cos(about)) * cos(around));
    out[1] = to_float((2.0 + 0.7 * cos(about)) * sin(around));
    out[2] = to_float(0.7 * sin(about));
}

static void torus_triangle(int i, int j, int half, double t[9])
{
    torus_corner(i, j, t);
    torus_corner(i + 1, j + 1, t + 3);
    torus_corner(i + (half == 0), j + (half == 1), t + 6);
}

static void carry(const double m[9], const double shift[3], double t[9])
{
    for (int corner = 0; corner < 9; corner += 3) {
        double out[3];
        for (int r = 0; r < 3; ++r)
            out[r] = m[3 * r] * t[corner] + m[3 * r + 1] * t[corner + 1] +
                     m[3 * r + 2] * t[corner + 2] + shift[r];
        copy_corner(t + corner, out);
    }
}

/* One in two: a triangle of the mesh against one of a turned copy, which is shifted to bring a
 * corner of it onto a corner or onto the middle of the other. Else neighbours in one turned mesh,
 * which have a corner, an edge or a rounded plane in common. */
static void make_turned_mesh(sample *s)
{
    double m[9], shift[3] = {0.0, 0.0, 0.0};
    const int i = below(24), j = below(12);
    random_rotation(m);
    torus_triangle(i, j, below(2), s->a);
    if (below(2)) {
        torus_triangle(below(24), below(12), below(2), s->b);
        carry(m, shift, s->b);
        const double w = below(2) ? 1.0 : 1.0 / 3.0;
        for (int k = 0; k < 3; ++k)
            shift[k] = w * s->a[k] + (1.0 - w) / 2.0 * (s->a[3 + k] + s->a[6 + k]) - s->b[k];
        const double none[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
        carry(none, shift, s->b);
    } else {
        fill_random(shift, 3);
        torus_triangle(i + below(2), j + below(2), below(2), s->b);
        carry(m, shift, s->a);
        carry(m, shift, s->b);
    }
}

/* ------------------------------------------------------------------------------------- check -- */

static const struct {
    const char *name;
    void (*make)(sample *);
} classes[] = {
    {"generic", make_generic},
    {"integer grid", make_grid},
    {"shared corner", make_shared_corner},
    {"shared edge", make_shared_edge},
    {"corner in face", make_corner_in_face},
    {"corner on edge", make_corner_on_edge},
    {"corner on plane", make_corner_on_plane},
    {"coplanar, constant coordinate", make_coplanar_constant},
    {"coplanar, tilted", make_coplanar_tilted},
    {"coplanar but for an ulp", make_coplanar_nudged},
    {"coplanar, in line but for an ulp", make_coplanar_in_line},
    {"slivers", make_slivers},
    {"segment and triangle", make_segment},
    {"point and triangle", make_point},
    {"segments and points", make_both_degenerate},
    {"copies", make_copy},
    {"all magnitudes of float", make_wide_float},
    {"all magnitudes of the range", make_wide_double},
    {"turned float mesh", make_turned_mesh},
};

#define CLASS_COUNT (sizeof classes / sizeof classes[0])

static void print_triangle(const char *name, const double t[9])
{
    print_error("  %s =", name);
    for (int i = 0; i < 9; ++i)
        print_error(" %a", t[i]);
    print_error("\n");
}

/* Is a point this near to a triangle? The distance is certified to 2^-43 of the size of both. */
static bool is_near(const double point[3], const double t[9], double error)
{
    double at[9], size = 0;
    kiln_tri_nearest nearest;
    for (int i = 0; i < 9; ++i) {
        at[i] = fabs(point[i % 3]) < KILN_EXACT_MIN ? 0.0 : point[i % 3];
        size = fmax(size, fabs(t[i] - at[i]));
    }
    return kiln_triangles_nearest(at, t, HUGE_VAL, &nearest) &&
           nearest.value <= 1.75 * error + 0x1p-42 * size + KILN_EXACT_MIN;
}

/* A point that both surely have is on both, so that they meet. */
static bool certain_point_is_common(const sample *s, bool expected, long *certain)
{
    double point[3], error;
    if (!kiln_triangles_certain_point(s->a, s->b, point, &error))
        return true;
    ++*certain;
    return expected && error >= 0 && is_near(point, s->a, error) && is_near(point, s->b, error);
}

static bool agrees(const sample *s, bool expected)
{
    double a[9], b[9];
    permute(s->a, below(6), a);
    permute(s->b, below(6), b);
    return kiln_exact_triangles_meet(s->a, s->b) == expected &&
           kiln_exact_triangles_meet(s->b, s->a) == expected &&
           kiln_exact_triangles_meet(a, b) == expected &&
           kiln_exact_triangles_meet(b, a) == expected && (expected || !s->must_meet);
}

static void check_class(void **context)
{
    const size_t index = (size_t)*context;
    const long count = amount(PAIRS);
    long hits = 0, differences = 0, certain = 0;
    state = 0x6b696c6eu + index;
    for (long i = 0; i < count; ++i) {
        sample s = {.must_meet = false};
        classes[index].make(&s);
        const bool expected = oracle_triangles_meet(s.a, s.b);
        hits += expected;
        if ((!agrees(&s, expected) || !certain_point_is_common(&s, expected, &certain)) &&
            ++differences <= 3) {
            print_error("pair %ld, the oracle says %s\n", i, expected ? "meet" : "apart");
            print_triangle("a", s.a);
            print_triangle("b", s.b);
        }
    }
    print_message("  %-30s %8ld pairs %8ld meet %8ld certainly %ld differ\n", classes[index].name,
                  count, hits, certain, differences);
    assert_int_equal(differences, 0);
}

int main(void)
{
    struct CMUnitTest tests[CLASS_COUNT];
    for (size_t i = 0; i < CLASS_COUNT; ++i)
        tests[i] = (struct CMUnitTest){classes[i].name, check_class, NULL, NULL, (void *)i};
    return cmocka_run_group_tests_name("triangles", tests, NULL, NULL);
}
