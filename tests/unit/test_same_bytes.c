/* One input, one file: whatever the number of threads, however often, and by way of the packed
 * file or at once. The meshes are those that have tempted others to depend on threads: a grid of
 * many equal centroid coordinates, and triangles that all have one centroid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../formats/format.h"
#include "../../tools/encode/container.h"
#include "../support/amount.h"
#include "../support/quick_bake.h"

static const kiln_watch watch = {2, NULL, NULL, "write", 0, 1};

/* `side` * `side` squares in a plane, each of two triangles with corners of its own. */
static mesh mesh_grid(uint32_t side)
{
    uint64_t random = 1;
    mesh m = mesh_lattice(&random, 2 * side * side, 1);
    for (uint32_t i = 0; i < side * side; i++) {
        const float x = (float)(i % side), y = (float)(i / side);
        const float corners[18] = {x, y, 0, x + 1, y,     0, x + 1, y + 1, 0,
                                   x, y, 0, x + 1, y + 1, 0, x,     y + 1, 0};
        memcpy(m.positions + 18 * (size_t)i, corners, sizeof corners);
    }
    return m;
}

/* Triangles turned about one centroid. */
static mesh mesh_same_centroid(uint32_t triangles)
{
    uint64_t random = 2;
    mesh m = mesh_lattice(&random, triangles, 1000);
    for (uint32_t i = 0; i < triangles; i++) {
        float *corner = m.positions + 9 * (size_t)i;
        for (int k = 0; k < 3; k++) {
            corner[6 + k] = -(corner[k] + corner[3 + k]);
        }
    }
    return m;
}

static void expect_same(const void *a, size_t size_a, const void *b, size_t size_b)
{
    assert_int_equal(size_a, size_b);
    assert_memory_equal(a, b, size_a);
}

static void bake_by_threads(const mesh *m, kiln_layout layout)
{
    static const int threads[] = {2, 3, 8, 1, 2, 8};
    size_t size;
    void *bytes = quick_bake(m, "obb,aabb", 4, layout, &size);
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        size_t again_size;
        void *again = quick_bake_threads(m, "obb,aabb", 4, layout, threads[i], &again_size);
        expect_same(bytes, size, again, again_size);
        free(again);
    }
    free(bytes);
}

static void threads_do_not_show_in_a_grid(void **state)
{
    (void)state;
    mesh m = mesh_grid(is_shortened() ? 50 : 120);
    bake_by_threads(&m, KILN_LAYOUT_RAW);
    bake_by_threads(&m, KILN_LAYOUT_PACKED);
    mesh_free(&m);
}

static void threads_do_not_show_where_centroids_coincide(void **state)
{
    (void)state;
    mesh m = mesh_same_centroid(is_shortened() ? 6000 : 20000);
    bake_by_threads(&m, KILN_LAYOUT_RAW);
    mesh_free(&m);
}

static void unpacking_gives_what_a_raw_bake_gives(void **state)
{
    (void)state;
    mesh m = mesh_torus(40, 30, 0.3);
    size_t raw_size, packed_size, unpacked_size, again_size;
    char message[192];
    void *unpacked, *again;
    void *raw = quick_bake(&m, "aabb,obb", 3, KILN_LAYOUT_RAW, &raw_size);
    void *packed = quick_bake(&m, "aabb,obb", 3, KILN_LAYOUT_PACKED, &packed_size);
    assert_true(packed_size < raw_size);
    assert_int_equal(kiln_container_relayout(packed, packed_size, KILN_LAYOUT_RAW, &watch,
                                             &unpacked, &unpacked_size, message),
                     KILN_BAKE_OK);
    expect_same(raw, raw_size, unpacked, unpacked_size);
    assert_int_equal(kiln_container_relayout(unpacked, unpacked_size, KILN_LAYOUT_PACKED, &watch,
                                             &again, &again_size, message),
                     KILN_BAKE_OK);
    expect_same(packed, packed_size, again, again_size);
    assert_memory_equal((uint8_t *)raw + offsetof(kiln_format_header, content_hash),
                        (uint8_t *)packed + offsetof(kiln_format_header, content_hash), 16);
    free(again);
    free(unpacked);
    free(packed);
    free(raw);
    mesh_free(&m);
}

/* Another order of the triangles is another file, but the same set: the geometry hash stays. */
static void the_geometry_hash_does_not_know_the_order(void **state)
{
    (void)state;
    mesh m = mesh_torus(12, 9, 0.2);
    void *bytes[2];
    kiln_file *files[2];
    kiln_tree_info info[2];
    for (int i = 0; i < 2; i++) {
        files[i] = quick_open(&m, "obb", 4, KILN_LAYOUT_RAW, &bytes[i]);
        info[i] = kiln_tree_get_info(kiln_file_tree(files[i], 0));
        for (uint32_t k = 0; k < m.triangle_count / 2; k++) { /* the other way round */
            uint32_t *a = m.indices + 3 * k, *b = m.indices + 3 * (m.triangle_count - 1 - k);
            uint32_t keep[3];
            memcpy(keep, a, sizeof keep);
            memcpy(a, b, sizeof keep);
            memcpy(b, keep, sizeof keep);
        }
    }
    assert_memory_equal(info[0].geometry_hash, info[1].geometry_hash, 16);
    for (int i = 0; i < 2; i++) {
        kiln_close(files[i]);
        free(bytes[i]);
    }
    mesh_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_show_in_a_grid),
        cmocka_unit_test(threads_do_not_show_where_centroids_coincide),
        cmocka_unit_test(unpacking_gives_what_a_raw_bake_gives),
        cmocka_unit_test(the_geometry_hash_does_not_know_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
