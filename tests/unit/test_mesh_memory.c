/* The import of meshes in memory where each allocation fails once: it ends with an error that says
 * so, keeps nothing, and does not touch the caller's arrays. The sources that allocate are compiled
 * here with an allocator that can fail; under asan nothing may be lost. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static size_t allocations, fail_at;

static bool fails(void)
{
    return ++allocations == fail_at;
}

static void *failing_malloc(size_t size)
{
    return fails() ? NULL : malloc(size);
}

static void *failing_calloc(size_t count, size_t size)
{
    return fails() ? NULL : calloc(count, size);
}

static void *failing_realloc(void *memory, size_t size)
{
    return fails() ? NULL : realloc(memory, size);
}

static char *failing_strdup(const char *text)
{
    return fails() ? NULL : strdup(text);
}

#define malloc failing_malloc
#define calloc failing_calloc
#define realloc failing_realloc
#define strdup failing_strdup
#include "../../tools/common/memory.c"
#include "../../tools/import/flatten.c"
#undef FAIL
#include "../../tools/import/import.c"
#include "../../tools/import/mesh.c"
#include "../../tools/import/names.c"
#include "../../tools/import/source.c"
#include "../../tools/import/weld.c"
#undef malloc
#undef calloc
#undef realloc
#undef strdup

#include "../support/meshes.h"

static void every_allocation_fails_once(void **unused)
{
    (void)unused;
    mesh m = mesh_torus(30, 20, 0.1);
    double *vertices = malloc(3 * sizeof *vertices * m.vertex_count);
    uint32_t *values = calloc(m.triangle_count, sizeof *values);
    assert_true(vertices != NULL && values != NULL);
    for (uint32_t i = 0; i < 3 * m.vertex_count; i++) {
        vertices[i] = (double)m.positions[i] * (1 + 1e-12) + 1e5; /* with a warning */
    }
    static const char *const names[] = {"a", "b"};
    kiln_mesh parts[2];
    memset(parts, 0, sizeof parts);
    for (int i = 0; i < 2; i++) {
        parts[i].struct_size = sizeof(kiln_mesh);
        parts[i].vertex_count = m.vertex_count;
        parts[i].triangles = m.indices;
        parts[i].triangle_count = m.triangle_count;
        parts[i].materials = names;
        parts[i].material_count = 2;
        parts[i].values = values;
    }
    parts[0].vertices = m.positions;
    parts[1].vertices_double = vertices;
    m.indices[5] = m.vertex_count; /* a face that is dropped */
    const kiln_mesh_list list = {parts, 2};
    const kiln_bake_input input = {NULL, &list, sizeof list, kiln_mesh_format};
    kiln_bake_options options;
    memset(&options, 0, sizeof options);
    options.scale = 1;
    options.up = -1;
    options.on_bad = KILN_ON_BAD_DROP;
    kiln_bake_status status = KILN_BAKE_FAILED;
    size_t failures = 0;
    for (fail_at = 1; status != KILN_BAKE_OK; fail_at++) {
        kiln_bake_report report;
        kiln_soup soup;
        memset(&report, 0, sizeof report);
        allocations = 0;
        status = kiln_import(&input, &options, &soup, &report);
        if (status == KILN_BAKE_OK) {
            assert_true(allocations < fail_at);
            assert_int_equal(soup.triangle_count, 2 * m.triangle_count - 2);
            assert_int_equal(soup.warning_count, 1);
            kiln_soup_free(&soup);
        } else {
            assert_int_equal(status, KILN_BAKE_FAILED);
            assert_true(report.error[0] != '\0');
            assert_null(soup.positions);
            failures++;
        }
    }
    assert_true(failures > 30);
    free(values);
    free(vertices);
    mesh_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_fails_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
