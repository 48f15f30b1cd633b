/* The procedural models of models/shape: as many triangles as asked for, well formed, and the same
 * numbers on every machine and with every compiler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "../../models/shape/shape.h"

static uint32_t digest(const shape_mesh *mesh)
{
    uLong crc =
        crc32(0, (const Bytef *)mesh->positions, (uInt)(3 * sizeof(int32_t) * mesh->vertex_count));
    crc = crc32(crc, (const Bytef *)mesh->indices,
                (uInt)(3 * sizeof(uint32_t) * mesh->triangle_count));
    return (uint32_t)crc;
}

static void models_are_the_same_everywhere(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t crc;
    } known[] = {{"torus", 0x2c89556d},
                 {"knot", 0x509b1245},
                 {"car", 0x245edea0},
                 {"lock", 0x6d0087e0},
                 {"pipes", 0x23088391}};
    assert_int_equal(shape_kind_count, sizeof known / sizeof known[0]);
    for (unsigned i = 0; i < shape_kind_count; i++) {
        shape_mesh mesh = shape_make(shape_find(known[i].name), 5000);
        if (digest(&mesh) != known[i].crc) {
            fail_msg("%s is 0x%08x, not 0x%08x", known[i].name, digest(&mesh), known[i].crc);
        }
        shape_free(&mesh);
    }
}

static void check_triangles(const shape_mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        const uint32_t *corner = mesh->indices + 3 * (size_t)i;
        for (int k = 0; k < 3; k++) {
            assert_true(corner[k] < mesh->vertex_count);
            assert_memory_not_equal(mesh->positions + 3 * (size_t)corner[k],
                                    mesh->positions + 3 * (size_t)corner[(k + 1) % 3],
                                    3 * sizeof(int32_t));
        }
    }
}

static void models_have_as_many_triangles_as_asked(void **state)
{
    (void)state;
    static const uint32_t counts[] = {5000, 20000, 60000};
    for (unsigned i = 0; i < shape_kind_count; i++) {
        for (unsigned c = 0; c < 3; c++) {
            shape_mesh mesh = shape_make(&shape_kinds[i], counts[c]);
            assert_in_range(mesh.triangle_count, counts[c] * 95 / 100, counts[c] * 105 / 100);
            for (uint32_t k = 0; k < 3 * mesh.vertex_count; k++) {
                assert_true(mesh.positions[k] >= -2000000 && mesh.positions[k] <= 2000000);
            }
            check_triangles(&mesh);
            shape_free(&mesh);
        }
    }
    assert_null(shape_find("boat"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_are_the_same_everywhere),
        cmocka_unit_test(models_have_as_many_triangles_as_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
