/* Copies that follow a deforming mesh: what is refused, what stays as it was after an error, and
 * what a copy says of itself. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/base/tree.h"
#include "../../runtime/kernel/kernel.h"
#include "../../runtime/kiln_adb.h"
#include "../support/counted.h"

enum { FRAMES = 300 };

typedef struct {
    counted mesh;
    void *memory;
    size_t size;
    kiln_refit *refit;
} copied;

static copied copy_of(mesh m, const char *kind)
{
    copied c = {.mesh = counted_of(m, kind, 4)};
    c.size = kiln_refit_size(c.mesh.tree);
    c.memory = malloc(c.size);
    assert_non_null(c.memory);
    assert_int_equal(kiln_refit_place(c.memory, c.size, c.mesh.tree, &c.refit), KILN_OK);
    return c;
}

static void copy_free(copied *c)
{
    free(c->memory);
    counted_free(&c->mesh);
}

static void what_cannot_be_refitted_is_refused(void **unused)
{
    (void)unused;
    static uint64_t memory[8192];
    static const char *const oriented[] = {"obb", "obb2"};
    kiln_refit *refit = (kiln_refit *)(void *)memory;
    for (size_t i = 0; i < 2; i++) {
        counted c = counted_of(mesh_torus(8, 6, 0), oriented[i], 4);
        assert_true(kiln_refit_size(c.tree) == 0);
        assert_int_equal(kiln_refit_place(memory, sizeof memory, c.tree, &refit), KILN_ERROR_KIND);
        assert_null(refit);
        counted_free(&c);
    }
    counted bare = counted_bake(mesh_torus(8, 6, 0), "aabb", 4, 4, KILN_ADB_OCTANTS, false);
    assert_true(kiln_refit_size(bare.tree) == 0);
    assert_int_equal(kiln_refit_place(memory, sizeof memory, bare.tree, &refit),
                     KILN_ERROR_NOT_LOADED);
    counted_free(&bare);
    counted box = counted_of(mesh_box(0, 0, 0, 1, 1, 1), "aabb", 4);
    const size_t size = kiln_refit_size(box.tree);
    assert_true(size > 0 && size <= sizeof memory);
    assert_int_equal(kiln_refit_place(memory, size - 1, box.tree, &refit), KILN_ERROR_ARGUMENT);
    assert_null(refit);
    assert_int_equal(kiln_refit_place(NULL, size, box.tree, &refit), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_refit_place(memory, size, NULL, &refit), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_refit_place(memory, size, box.tree, NULL), KILN_ERROR_ARGUMENT);
    assert_true(kiln_refit_size(NULL) == 0 && kiln_refit_vertex_count(NULL) == 0);
    assert_null(kiln_refit_tree(NULL));
    assert_null(kiln_refit_vertices(NULL));
    assert_int_equal(kiln_refit_corners(NULL, (uint32_t *)(void *)memory, 1), KILN_ERROR_ARGUMENT);
    /* a file that arrives */
    kiln_file *file = NULL;
    size_t whole = 0;
    void *bytes = quick_bake(&box.mesh, "aabb", 4, KILN_LAYOUT_PACKED, &whole);
    size_t there = 128;
    while (kiln_open_partial(bytes, there, NULL, &file) == KILN_ERROR_PARTIAL && there < whole) {
        there++;
    }
    assert_int_equal(kiln_refit_place(memory, sizeof memory, kiln_file_tree(file, 0), &refit),
                     KILN_ERROR_PARTIAL);
    kiln_close(file);
    free(bytes);
    counted_free(&box);
}

/* Bytes of nodes and vertices. */
static void *snapshot(const kiln_refit *refit, size_t *size)
{
    const kiln_tree *tree = kiln_refit_tree(refit);
    const size_t nodes = (size_t)tree->view.entry->node_count * tree->view.kind->node_size;
    const size_t vertices = 12 * (size_t)kiln_refit_vertex_count(refit);
    uint8_t *bytes = malloc(nodes + vertices + sizeof *tree->view.entry);
    assert_non_null(bytes);
    memcpy(bytes, tree->view.nodes, nodes);
    memcpy(bytes + nodes, kiln_refit_vertices(refit), vertices);
    memcpy(bytes + nodes + vertices, tree->view.entry, sizeof *tree->view.entry);
    *size = nodes + vertices + sizeof *tree->view.entry;
    return bytes;
}

static void bad_vertices_change_nothing(void **unused)
{
    (void)unused;
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    copied c = copy_of(mesh_torus(16, 8, 0.1), "dop14");
    const uint32_t count = kiln_refit_vertex_count(c.refit);
    size_t size = 0;
    void *before = snapshot(c.refit, &size);
    float *vertices = malloc(12 * (size_t)count);
    assert_non_null(vertices);
    for (uint32_t i = 0; i < 3 * count; i += 37) {
        memcpy(vertices, kiln_refit_vertices(c.refit), 12 * (size_t)count);
        vertices[0] += 1;
        vertices[i] = bad[i % 3];
        assert_int_equal(kiln_refit_update(c.refit, vertices, count), KILN_ERROR_ARGUMENT);
    }
    assert_int_equal(kiln_refit_update(c.refit, NULL, count), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_refit_update(NULL, vertices, count), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_refit_update(c.refit, vertices, count - 1), KILN_ERROR_ARGUMENT);
    void *after = snapshot(c.refit, &size);
    assert_memory_equal(before, after, size);
    free(before);
    free(after);
    free(vertices);
    copy_free(&c);
}

/* After hundreds of frames the first shape gives the first bytes again, in any memory. */
static void history_leaves_no_trace(void **unused)
{
    (void)unused;
    static const char *const kinds[] = {"aabb", "aabb2", "dop26", "sphere"};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        copied c = copy_of(mesh_torus(16, 8, 0.1), kinds[k]);
        const uint32_t count = kiln_refit_vertex_count(c.refit);
        size_t size = 0;
        void *first = snapshot(c.refit, &size);
        float *rest = malloc(12 * (size_t)count), *now = malloc(12 * (size_t)count);
        assert_true(rest != NULL && now != NULL);
        memcpy(rest, kiln_refit_vertices(c.refit), 12 * (size_t)count);
        for (int frame = 1; frame <= FRAMES; frame++) {
            for (uint32_t i = 0; i < 3 * count; i++) {
                now[i] = rest[i] + 0.2f * sinf((float)frame * 0.1f + (float)i) +
                         (frame % 50 == 0 ? 1e20f : 0);
            }
            assert_int_equal(kiln_refit_update(c.refit, now, count), KILN_OK);
        }
        assert_int_equal(kiln_refit_update(c.refit, rest, count), KILN_OK);
        void *last = snapshot(c.refit, &size);
        assert_memory_equal(first, last, size);
        free(last);
        /* a copy of a copy, at an odd address */
        char *odd = malloc(c.size + 1);
        kiln_refit *other = NULL;
        assert_non_null(odd);
        assert_int_equal(kiln_refit_place(odd + 1, c.size, kiln_refit_tree(c.refit), &other),
                         KILN_OK);
        last = snapshot(other, &size);
        assert_memory_equal(first, last, size);
        free(last);
        free(odd);
        free(first);
        free(rest);
        free(now);
        copy_free(&c);
    }
}

static void a_copy_says_what_it_is(void **unused)
{
    (void)unused;
    copied c = copy_of(mesh_torus(16, 8, 0.1), "aabb");
    const kiln_tree *tree = kiln_refit_tree(c.refit);
    const kiln_tree_info info = kiln_tree_get_info(tree);
    assert_int_equal(info.closed, KILN_MESH_CLOSED);
    assert_int_equal(info.adb_grid, 0);
    kiln_adb_answer answer;
    assert_int_equal(kiln_adb_collide(tree, NULL, c.mesh.tree, NULL, NULL, 1, UINT64_MAX, &answer),
                     KILN_ERROR_NOT_LOADED);
    const uint32_t count = kiln_refit_vertex_count(c.refit);
    float *moved = malloc(12 * (size_t)count), corners[3][3];
    uint32_t numbers[3];
    assert_non_null(moved);
    for (uint32_t i = 0; i < 3 * count; i++) {
        moved[i] = 2 * kiln_refit_vertices(c.refit)[i];
    }
    assert_int_equal(kiln_refit_update(c.refit, moved, count), KILN_OK);
    assert_int_equal(kiln_tree_corners(tree, 0, corners), KILN_OK);
    assert_int_equal(kiln_refit_corners(c.refit, numbers, 1), KILN_OK);
    assert_memory_equal(corners[1], moved + 3 * numbers[1], sizeof corners[1]);
    kiln_place location;
    const double inside[3] = {2, 0, 0}, outside[3] = {1, 0, 0};
    assert_int_equal(kiln_locate_point(tree, NULL, inside, &location), KILN_OK);
    assert_int_equal(location, KILN_PLACE_INSIDE);
    assert_int_equal(kiln_locate_point(tree, NULL, outside, &location), KILN_OK);
    assert_int_equal(location, KILN_PLACE_OUTSIDE);
    free(moved);
    copy_free(&c);
    /* Without shared vertices nothing holds the seams together. */
    mesh split = mesh_box(0, 0, 0, 1, 1, 1);
    float *apart = malloc(36 * 3 * sizeof(float));
    assert_non_null(apart);
    for (uint32_t i = 0; i < 36; i++) {
        memcpy(apart + 3 * i, split.positions + 3 * (size_t)split.indices[i], 12);
        split.indices[i] = i;
    }
    free(split.positions);
    split.positions = apart;
    split.vertex_count = 36;
    c = copy_of(split, "aabb");
    assert_int_equal(kiln_tree_get_info(c.mesh.tree).closed, KILN_MESH_CLOSED);
    assert_int_equal(kiln_tree_get_info(kiln_refit_tree(c.refit)).closed, KILN_MESH_OPEN);
    copy_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_refitted_is_refused),
        cmocka_unit_test(bad_vertices_change_nothing),
        cmocka_unit_test(history_leaves_no_trace),
        cmocka_unit_test(a_copy_says_what_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
