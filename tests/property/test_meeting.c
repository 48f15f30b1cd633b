/* What is sampled: pairs of triangles from small grids, as they are, sheared into a tilted plane,
 * turned and off by an ulp, with shared corners and edges, corners on edges and faces of the other,
 * duplicates, segments and points; of sizes from 2^-30 to 2^30. Every pair is asked as it is,
 * swapped, and with permuted corners.
 *
 * Oracle: oracle_meeting.c, which computes in rational numbers what they have in common; oracle.c
 * says whether there is anything. Tolerance: none.
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

#include "../support/amount.h"
#include "../support/meshes.h"
#include "oracle.h"
#include "oracle_meeting.h"
#include "triangle_samples.h"

enum { PAIRS = 1200 };

static uint64_t state;

static uint32_t below(uint32_t limit)
{
    return random_below(&state, limit);
}

static void generic(sample *s)
{
    for (int i = 0; i < 9; i++) {
        s->a[i] = random_between(&state, -1, 1);
        s->b[i] = random_between(&state, -1, 1);
    }
}

static void grid(sample *s)
{
    sample_grid(&state, s);
}

static void turned_grid(sample *s)
{
    sample_turned_grid(&state, s);
}

static void flat_grid(sample *s)
{
    const int axis = (int)below(3);
    grid(s);
    for (int c = 0; c < 3; c++) {
        s->a[3 * c + axis] = s->b[3 * c + axis] = 1;
    }
}

/* In one plane that is no plane of coordinates: z = 3 x - 5 y. */
static void tilted_grid(sample *s)
{
    grid(s);
    for (int c = 0; c < 6; c++) {
        double *p = c < 3 ? s->a + 3 * c : s->b + 3 * (c - 3);
        p[2] = 3 * p[0] - 5 * p[1];
    }
}

static void (*const plain[])(sample *) = {generic, grid, flat_grid, tilted_grid};

static void any_plain(sample *s)
{
    plain[below(4)](s);
}

static void share(sample *s, uint32_t corners)
{
    const uint32_t from = below(3), to = below(3), step = 1 + below(2);
    for (uint32_t i = 0; i < corners; i++) {
        memcpy(s->b + 3 * ((to + i) % 3), s->a + 3 * ((from + step * i) % 3), 3 * sizeof(double));
    }
}

static void shared_corner(sample *s)
{
    any_plain(s);
    share(s, 1);
}

static void shared_edge(sample *s)
{
    any_plain(s);
    share(s, 2);
}

static void duplicate(sample *s)
{
    any_plain(s);
    share(s, 3);
}

/* Corners of b on edges or faces of a, some of which it shares. */
static void junction(sample *s)
{
    sample t;
    grid(s);
    any_plain(&t);
    if (below(2) == 0) {
        tilted_grid(s);
    }
    for (int i = 0; i < 9; i++) {
        s->a[i] *= 12;
        s->b[i] = 12 * rint(t.b[i]);
    }
    share(s, below(3));
    for (uint32_t n = 1 + below(2); n > 0; n--) {
        double *p = s->b + 3 * below(3);
        const int u = (int)below(13), v = below(2) == 0 ? 0 : (int)below((uint32_t)(13 - u));
        for (int k = 0; k < 3; k++) {
            p[k] = (s->a[k] * u + s->a[3 + k] * v + s->a[6 + k] * (12 - u - v)) / 12;
        }
    }
}

/* One or both without area. */
static void degenerate(sample *s)
{
    if (below(2) == 0) {
        junction(s);
    } else {
        any_plain(s);
        share(s, below(3));
    }
    for (uint32_t n = 1 + below(2); n > 0; n--) {
        double *t = below(2) == 0 ? s->a : s->b;
        const uint32_t i = below(3), j = (i + 1) % 3;
        const double at = (double)below(4) - 1; /* beyond, at one, at the other, beyond */
        for (int k = 0; k < 3; k++) {
            const double from = t[3 * i + (uint32_t)k], to = t[3 * j + (uint32_t)k];
            t[3 * ((i + 2) % 3) + (uint32_t)k] = below(9) == 0 ? from : from + at * (to - from);
        }
    }
    if (below(8) == 0) {
        memcpy(s->a + 3, s->a, 3 * sizeof(double));
        memcpy(s->a + 6, s->a, 3 * sizeof(double));
    }
    if (below(3) == 0) {
        share(s, 1 + below(2));
    }
}

static void nudged(sample *s)
{
    static void (*const from[])(sample *) = {grid,        flat_grid,   tilted_grid, shared_corner,
                                             shared_edge, turned_grid, junction};
    from[below(7)](s);
    for (uint32_t n = 1 + below(4); n > 0; n--) {
        double *value = (below(2) == 0 ? s->a : s->b) + below(9);
        const double way = below(2) == 0 ? 1 : -1;
        *value = *value == 0 ? way * 0x1p-200 : nextafter(*value, 8 * way);
    }
}

/* Neighbours in a surface that is nearly smooth: of floats. */
static void surface(sample *s)
{
    double p[4][4][3];
    const double bend = below(3) == 0 ? 0 : pow(2, -(double)below(26));
    for (int i = 0; i < 16; i++) {
        p[i / 4][i % 4][0] = (double)(float)(i / 4 + 0.1 * random_between(&state, -1, 1));
        p[i / 4][i % 4][1] = (double)(float)(i % 4 + 0.1 * random_between(&state, -1, 1));
        p[i / 4][i % 4][2] = (double)(float)(bend * random_between(&state, -1, 1));
    }
    for (int t = 0; t < 2; t++) {
        const uint32_t x = below(3), y = below(3), half = below(2);
        double *out = t == 0 ? s->a : s->b;
        memcpy(out, p[x + half][y], 3 * sizeof(double));
        memcpy(out + 3, p[x + 1][y + half], 3 * sizeof(double));
        memcpy(out + 6, p[x][y + 1], 3 * sizeof(double));
    }
}

/* One corner is shared, and the edge opposite to it of one goes through, by or along the other. */
static void pierced(sample *s)
{
    generic(s);
    share(s, 1);
    if (below(2) == 0) {
        grid(s);
        share(s, 1);
    }
    const double part = (double)(1 + below(3)) / 4;
    double *to = s->b + 3 * below(3);
    for (int k = 0; k < 3; k++) {
        to[k] =
            s->a[k] + part * (s->a[3 + k] - s->a[k]) + (double)below(3) * (s->a[6 + k] - s->a[k]);
    }
}

static const struct {
    const char *name;
    void (*make)(sample *);
} classes[] = {{"generic", generic},
               {"integer grid", grid},
               {"grid, turned", turned_grid},
               {"grid in a plane", flat_grid},
               {"grid in a tilted plane", tilted_grid},
               {"shared corner", shared_corner},
               {"shared edge", shared_edge},
               {"duplicates", duplicate},
               {"corners on edges and faces", junction},
               {"without area", degenerate},
               {"off by an ulp", nudged},
               {"neighbours in a surface", surface},
               {"pierced at a corner", pierced}};

#define CLASS_COUNT (sizeof classes / sizeof classes[0])

/* Corners in one of the six orders. */
static void permute(const double t[9], uint32_t order, double out[9])
{
    const uint32_t step = order < 3 ? 1 : 2;
    for (uint32_t k = 0; k < 3; k++) {
        memcpy(out + 3 * k, t + 3 * ((order + k * step) % 3), 3 * sizeof *out);
    }
}

static bool is_as(const double a[9], const double b[9], const kiln_relation *expected)
{
    const kiln_relation found = kiln_triangles_relate(a, b);
    return found.how == expected->how && found.shared == expected->shared &&
           found.beyond == expected->beyond && kiln_triangles_shared(a, b) == expected->shared;
}

static bool agrees(const sample *s, const kiln_relation *expected)
{
    double a[9], b[9];
    permute(s->a, below(6), a);
    permute(s->b, below(6), b);
    return is_as(s->a, s->b, expected) && is_as(s->b, s->a, expected) && is_as(a, b, expected) &&
           is_as(b, a, expected) &&
           oracle_triangles_meet(s->a, s->b) == (expected->how != KILN_MEETING_NONE);
}

static void print_triangle(const char *name, const double t[9])
{
    print_error("  %s =", name);
    for (int i = 0; i < 9; i++) {
        print_error(" %a", t[i]);
    }
    print_error("\n");
}

static void check_class(void **context)
{
    const size_t index = (size_t)*context;
    const uint32_t count = amount(PAIRS);
    uint32_t of[KILN_MEETING_SAME + 1] = {0}, beyond = 0, differences = 0;
    state = 0x73656c66u + index;
    for (uint32_t i = 0; i < count; i++) {
        sample s;
        classes[index].make(&s);
        const double size = pow(2, (double)below(61) - 30);
        for (int k = 0; k < 9; k++) {
            s.a[k] *= size;
            s.b[k] *= size;
        }
        const kiln_relation expected = oracle_relate(s.a, s.b);
        of[expected.how]++;
        beyond += expected.shared > 0 && expected.beyond;
        if (!agrees(&s, &expected) && ++differences <= 3) {
            const kiln_relation found = kiln_triangles_relate(s.a, s.b);
            print_error("pair %u, the oracle says %d, %u shared, beyond %d, the library %d %u %d\n",
                        i, (int)expected.how, expected.shared, expected.beyond, (int)found.how,
                        found.shared, found.beyond);
            print_triangle("a", s.a);
            print_triangle("b", s.b);
        }
    }
    print_message("  %-28s %6u apart %6u touch %6u cross %6u overlap %6u same, %6u beyond what is "
                  "shared; %u differ\n",
                  classes[index].name, of[0], of[1], of[2], of[3], of[4], beyond, differences);
    assert_int_equal(differences, 0);
}

int main(void)
{
    struct CMUnitTest tests[CLASS_COUNT];
    for (size_t i = 0; i < CLASS_COUNT; i++) {
        tests[i] = (struct CMUnitTest){classes[i].name, check_class, NULL, NULL, (void *)i};
    }
    return cmocka_run_group_tests_name("how triangles meet", tests, NULL, NULL);
}
