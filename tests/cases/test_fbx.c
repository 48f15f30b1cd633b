/* Models of FBX, each made for one feature or one fault (fbx_models.py), most of them as text and
 * as NAME_binary.fbx. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "../../tools/import/import.h"
#include "case_model.h"
#include "case_table.h"

#define FOLDER "tests/cases/fbx/"
#define BINARY "_binary.fbx"

enum { PATH_SIZE = 400 };

static void test_each_as_expected(void **state)
{
    (void)state;
    case_table(FOLDER, 250);
}

static void test_page_names_each(void **state)
{
    static const char *const extensions[] = {".fbx", NULL};
    (void)state;
    case_table_page(FOLDER, "tools/import/fbx/README.md", extensions);
}

static kiln_bake_status import(const char *path, kiln_soup *soup)
{
    const kiln_bake_input input = {.path = path};
    const kiln_bake_options options = kiln_bake_options_default();
    kiln_bake_report report;
    memset(&report, 0, sizeof report);
    memset(soup, 0, sizeof *soup);
    const kiln_bake_status status =
        kiln_import_by(KILN_READER_USUAL, &input, &options, soup, &report);
    kiln_bake_report_free(&report);
    return status;
}

/* The same model in both forms has the same triangles, to the last bit, or is refused in both. */
static void test_text_and_binary_are_equal(void **state)
{
    DIR *folder = opendir(FOLDER);
    unsigned compared = 0;
    (void)state;
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        const char *at = strstr(entry->d_name, BINARY);
        char paths[2][PATH_SIZE];
        kiln_soup a, b;
        if (at == NULL) {
            continue;
        }
        (void)snprintf(paths[0], PATH_SIZE, "%s%s", FOLDER, entry->d_name);
        (void)snprintf(paths[1], PATH_SIZE, "%s%.*s.fbx", FOLDER, (int)(at - entry->d_name),
                       entry->d_name);
        const kiln_bake_status status = import(paths[0], &a);
        assert_int_equal(import(paths[1], &b), status);
        if (status == KILN_BAKE_OK) {
            const size_t count = a.triangle_count;
            assert_int_equal(b.triangle_count, count);
            assert_int_equal(b.vertex_count, a.vertex_count);
            assert_memory_equal(a.positions, b.positions, a.vertex_count * sizeof a.positions[0]);
            assert_memory_equal(a.indices, b.indices, 3 * count * sizeof a.indices[0]);
            assert_memory_equal(a.face, b.face, count * sizeof a.face[0]);
            assert_memory_equal(a.user, b.user, count * sizeof a.user[0]);
            compared++;
        }
        kiln_soup_free(&a);
        kiln_soup_free(&b);
    }
    (void)closedir(folder);
    assert_true(compared >= 100);
    print_message("%u models in both forms\n", compared);
}

/* Polygons have the materials of the node that shows them; one that the node has not is the
 * default. */
static void test_materials(void **state)
{
    static const char *const first[] = {"paint0", "paint0", "paint1",
                                        "paint1", "paint0", "DefaultMaterial"};
    const kiln_bake_options options = case_options();
    case_model model = case_bake_path(FOLDER "materials.fbx", &options);
    unsigned seen[2][6] = {{0}};
    (void)state;
    for (uint32_t i = 0; i < kiln_tree_get_info(model.trees[0]).triangle_count; i++) {
        kiln_source source;
        assert_int_equal(kiln_tree_source(model.trees[0], i, &source), KILN_OK);
        const bool second = strcmp(source.node_path, "/RootNode/n") == 0;
        assert_true(source.face < 6);
        seen[second][source.face]++;
        /* The second node has one material, which is the third of the file. */
        assert_string_equal(source.material, !second ? first[source.face]
                                             : strcmp(first[source.face], "paint0") == 0
                                                 ? "paint2"
                                                 : "DefaultMaterial");
    }
    for (int i = 0; i < 6; i++) {
        assert_int_equal(seen[0][i], 2);
        assert_int_equal(seen[1][i], 2);
    }
    case_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_as_expected),
        cmocka_unit_test(test_page_names_each),
        cmocka_unit_test(test_text_and_binary_are_equal),
        cmocka_unit_test(test_materials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
