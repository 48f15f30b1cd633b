/* Which meshes are closed: boundaries that vanish, by coordinates, whatever the indices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../tools/encode/geometry.h"
#include "../support/meshes.h"

static uint32_t closed(const mesh *m)
{
    return kiln_closed(m->positions, m->indices, NULL, m->triangle_count);
}

static void test_closed_surfaces(void **state)
{
    (void)state;
    mesh shapes[2] = {mesh_box(-1, 0, 1, 2, 3, 4), mesh_torus(20, 10, 0.2)};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(closed(&shapes[i]), KILN_CLOSED_ORIENTED);
        uint32_t *corner = shapes[i].indices + 3; /* turn the second triangle over */
        const uint32_t first = corner[0];
        corner[0] = corner[1];
        corner[1] = first;
        assert_int_equal(closed(&shapes[i]), KILN_CLOSED_EVEN);
        shapes[i].triangle_count--;
        assert_int_equal(closed(&shapes[i]), KILN_CLOSED_NOT);
        mesh_free(&shapes[i]);
    }
}

/* Every triangle removed, or one corner moved: never closed. */
static void test_one_hole_is_seen(void **state)
{
    (void)state;
    mesh m = mesh_torus(12, 8, 0);
    for (uint32_t i = 0; i < m.triangle_count; i++) {
        uint32_t list[192], count = 0;
        for (uint32_t k = 0; k < m.triangle_count; k++) {
            list[count] = k;
            count += k != i;
        }
        assert_int_equal(kiln_closed(m.positions, m.indices, list, count), KILN_CLOSED_NOT);
    }
    mesh_free(&m);
}

/* Corners that no index shares, one of them with -0: still closed. */
static void test_by_coordinates(void **state)
{
    (void)state;
    mesh m = mesh_box(0, 0, 0, 1, 1, 1);
    float positions[108];
    uint32_t indices[36];
    for (uint32_t i = 0; i < 36; i++) {
        memcpy(positions + 3 * i, m.positions + 3 * m.indices[i], 3 * sizeof(float));
        indices[i] = i;
    }
    for (int i = 0; i < 50; i++) {
        positions[i] = positions[i] == 0.0f ? -0.0f : positions[i];
    }
    assert_int_equal(kiln_closed(positions, indices, NULL, 12), KILN_CLOSED_ORIENTED);
    positions[0] = 0x1p-149f;
    assert_int_equal(kiln_closed(positions, indices, NULL, 12), KILN_CLOSED_NOT);
    mesh_free(&m);
}

/* Back to back; one alone; corners that are equal; the same triangle twice. */
static void test_few_triangles(void **state)
{
    (void)state;
    const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint32_t back_to_back[] = {0, 1, 2, 0, 2, 1}, needle[] = {0, 1, 1}, point[] = {2, 2, 2};
    const uint32_t twice[] = {0, 1, 2, 1, 2, 0};
    assert_int_equal(kiln_closed(positions, back_to_back, NULL, 2), KILN_CLOSED_ORIENTED);
    assert_int_equal(kiln_closed(positions, back_to_back, NULL, 1), KILN_CLOSED_NOT);
    assert_int_equal(kiln_closed(positions, needle, NULL, 1), KILN_CLOSED_ORIENTED);
    assert_int_equal(kiln_closed(positions, point, NULL, 1), KILN_CLOSED_ORIENTED);
    assert_int_equal(kiln_closed(positions, twice, NULL, 2), KILN_CLOSED_EVEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_surfaces),
        cmocka_unit_test(test_one_hole_is_seen),
        cmocka_unit_test(test_by_coordinates),
        cmocka_unit_test(test_few_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
