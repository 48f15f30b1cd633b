/* Models of FBX, each made for one feature or one fault (fbx_models.py), most of them as text and
 * as NAME_binary.fbx. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Bakes one model; false: it is refused. */
static bool bake(const char *path, case_model *model)
{
    const kiln_bake_input input = {.path = path};
    const kiln_bake_options options = case_options();
    kiln_bake_report report;
    void *bytes = NULL;
    size_t size = 0;
    const bool good = kiln_bake_to_memory(&input, &options, &bytes, &size, &report) == KILN_BAKE_OK;
    kiln_bake_report_free(&report);
    free(bytes);
    if (good) {
        *model = case_bake_path(path, &options);
    }
    return good;
}

/* The same model in both forms has the same corners, to the last bit, or is refused in both. */
static void test_text_and_binary_are_equal(void **state)
{
    DIR *folder = opendir(FOLDER);
    unsigned compared = 0;
    (void)state;
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        const char *at = strstr(entry->d_name, BINARY);
        char paths[2][PATH_SIZE];
        case_model models[2];
        if (at == NULL) {
            continue;
        }
        (void)snprintf(paths[0], PATH_SIZE, "%s%s", FOLDER, entry->d_name);
        (void)snprintf(paths[1], PATH_SIZE, "%s%.*s.fbx", FOLDER, (int)(at - entry->d_name),
                       entry->d_name);
        const bool good = bake(paths[0], &models[0]);
        assert_int_equal(bake(paths[1], &models[1]), good);
        if (!good) {
            continue;
        }
        const uint32_t count = kiln_tree_get_info(models[0].trees[0]).triangle_count;
        assert_int_equal(kiln_tree_get_info(models[1].trees[0]).triangle_count, count);
        for (uint32_t i = 0; i < count; i++) {
            float a[3][3], b[3][3];
            assert_int_equal(kiln_tree_corners(models[0].trees[0], i, a), KILN_OK);
            assert_int_equal(kiln_tree_corners(models[1].trees[0], i, b), KILN_OK);
            assert_memory_equal(a, b, sizeof a);
        }
        compared++;
        case_free(&models[0]);
        case_free(&models[1]);
    }
    (void)closedir(folder);
    assert_true(compared >= 80);
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
