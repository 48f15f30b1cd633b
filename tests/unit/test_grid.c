/* Vertices on a grid: how far they move, what stays together, what is counted. */
#include "../../tools/import/grid.h"
#include "../support/meshes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static kiln_soup soup_of(mesh *m)
{
    kiln_soup soup;
    memset(&soup, 0, sizeof soup);
    soup.vertex_count = m->vertex_count;
    soup.triangle_count = m->triangle_count;
    soup.positions = m->positions;
    soup.indices = m->indices;
    return soup;
}

static bool is_multiple(float value, double step)
{
    return fmod((double)value, step) == 0;
}

/* Each corner is the nearest multiple of the step to what it was; equal corners are one vertex. */
static void check_moved(const mesh *before, const kiln_soup *after, int bits)
{
    double most = 0, longest = 0;
    float lower[3], upper[3];
    for (unsigned k = 0; k < 3; k++) {
        lower[k] = upper[k] = before->positions[k];
    }
    for (size_t i = 0; i < 3 * (size_t)before->triangle_count; i++) {
        const float *from = before->positions + 3 * (size_t)before->indices[i];
        const float *to = after->positions + 3 * (size_t)after->indices[i];
        double square = 0;
        for (unsigned k = 0; k < 3; k++) {
            const double moved = fabs((double)to[k] - (double)from[k]);
            assert_true(moved <= after->lossy_step / 2);
            assert_true(is_multiple(to[k], after->lossy_step));
            assert_false(to[k] == 0 && signbit(to[k]));
            square += moved * moved;
            lower[k] = from[k] < lower[k] ? from[k] : lower[k];
            upper[k] = from[k] > upper[k] ? from[k] : upper[k];
        }
        most = sqrt(square) > most ? sqrt(square) : most;
    }
    for (unsigned k = 0; k < 3; k++) {
        const double side = (double)upper[k] - (double)lower[k];
        longest = side > longest ? side : longest;
    }
    assert_true(after->lossy_moved == most);
    assert_true(after->lossy_step * ldexp(1, bits) >= longest);
    assert_true(after->lossy_step * ldexp(1, bits - 1) < longest);
    for (uint32_t i = 0; i < after->vertex_count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            assert_memory_not_equal(after->positions + 3 * (size_t)i,
                                    after->positions + 3 * (size_t)j, 12);
        }
    }
}

static mesh copy_of(const mesh *m)
{
    mesh copy = *m;
    copy.positions = malloc(m->vertex_count * 3 * sizeof *copy.positions);
    copy.indices = malloc(m->triangle_count * 3 * sizeof *copy.indices);
    assert_non_null(copy.positions);
    assert_non_null(copy.indices);
    memcpy(copy.positions, m->positions, m->vertex_count * 3 * sizeof *copy.positions);
    memcpy(copy.indices, m->indices, m->triangle_count * 3 * sizeof *copy.indices);
    return copy;
}

static void vertices_move_to_the_nearest_step(void **state)
{
    (void)state;
    static const int bits[] = {4, 7, 12, 20, 24};
    static const double scales[] = {1, 3e-30, 1e30};
    for (size_t i = 0; i < 15; i++) {
        mesh before = mesh_torus(14, 9, 0.1);
        for (size_t k = 0; k < 3 * (size_t)before.vertex_count; k++) {
            before.positions[k] = (float)((double)before.positions[k] * scales[i / 5]);
        }
        mesh moved = copy_of(&before);
        kiln_soup soup = soup_of(&moved);
        assert_true(kiln_snap_to_grid(&soup, bits[i % 5]));
        check_moved(&before, &soup, bits[i % 5]);
        mesh_free(&moved);
        mesh_free(&before);
    }
}

/* A closed surface stays closed: every edge is passed as often one way as the other. */
static void closed_stays_closed(void **state)
{
    (void)state;
    mesh m = mesh_torus(40, 30, 0.1);
    kiln_soup soup = soup_of(&m);
    const uint32_t before = soup.vertex_count;
    assert_true(kiln_snap_to_grid(&soup, 4));
    assert_true(soup.vertex_count < before);
    int *balance = calloc((size_t)soup.vertex_count * soup.vertex_count, sizeof *balance);
    assert_non_null(balance);
    for (uint32_t i = 0; i < soup.triangle_count; i++) {
        for (unsigned k = 0; k < 3; k++) {
            const uint32_t a = soup.indices[3 * i + k], b = soup.indices[3 * i + (k + 1) % 3];
            balance[a * soup.vertex_count + b]++;
            balance[b * soup.vertex_count + a]--;
        }
    }
    for (size_t i = 0; i < (size_t)soup.vertex_count * soup.vertex_count; i++) {
        assert_int_equal(balance[i], 0);
    }
    assert_true(soup.lossy_degenerate > 0);
    free(balance);
    mesh_free(&m);
}

/* Those without area before are not counted as lost. */
static void lost_areas_are_counted(void **state)
{
    (void)state;
    float positions[] = {0, 0, 0, 16, 0, 0, 0, 16, 0, 0.3f, 0.2f, 0, 5, 5, 5};
    uint32_t indices[] = {0, 1, 2, 0, 1, 3, 4, 4, 4};
    mesh m = {.positions = positions, .indices = indices, .vertex_count = 5, .triangle_count = 3};
    kiln_soup soup = soup_of(&m);
    soup.degenerate_count = 1;
    assert_true(kiln_snap_to_grid(&soup, 4));
    assert_true(soup.lossy_step == 1);
    assert_int_equal(soup.degenerate_count, 2);
    assert_int_equal(soup.lossy_degenerate, 1);
    assert_int_equal(soup.vertex_count, 4);
    assert_int_equal(soup.triangle_count, 3);
    assert_int_equal(soup.indices[5], soup.indices[0]);
}

/* What floats can't tell finer stays; so does a model that is one point. */
static void far_out_and_pointlike_models_stay(void **state)
{
    (void)state;
    float positions[] = {1e7f, 1e7f, 1e7f, 1e7f + 1, 1e7f, 1e7f, 1e7f, 1e7f + 1, 1e7f};
    float before[9];
    uint32_t indices[] = {0, 1, 2};
    mesh m = {.positions = positions, .indices = indices, .vertex_count = 3, .triangle_count = 1};
    memcpy(before, positions, sizeof before);
    kiln_soup soup = soup_of(&m);
    assert_true(kiln_snap_to_grid(&soup, 10));
    assert_memory_equal(before, positions, sizeof before);
    assert_true(soup.lossy_moved == 0);
    float point[] = {1, 2, 3};
    uint32_t one[] = {0, 0, 0};
    mesh p = {.positions = point, .indices = one, .vertex_count = 1, .triangle_count = 1};
    soup = soup_of(&p);
    assert_true(kiln_snap_to_grid(&soup, 10));
    assert_true(soup.lossy_step == 0);
    assert_true(point[0] == 1 && point[1] == 2 && point[2] == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_move_to_the_nearest_step),
        cmocka_unit_test(closed_stays_closed),
        cmocka_unit_test(lost_areas_are_counted),
        cmocka_unit_test(far_out_and_pointlike_models_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
