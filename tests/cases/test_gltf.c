/* Models of glTF, each made for one feature or one fault: expected.txt says what comes out of each,
 * or what the refusal says. The page that lists the features names all of them, and validator.txt
 * has what Khronos' validator says of them, whose differences differences.txt explains. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case_model.h"
#include "case_table.h"

#define FOLDER "tests/cases/gltf/"

enum { NAME_SIZE = 64, PAGE_SIZE = 1 << 16 };

static void test_each_as_expected(void **state)
{
    (void)state;
    case_table(FOLDER, 190);
}

static void test_page_names_each(void **state)
{
    static const char *const extensions[] = {".gltf", ".glb", NULL};
    (void)state;
    case_table_page(FOLDER, "tools/import/gltf/README.md", extensions);
}

/* The text of a file of the folder, with a line end before it. */
static void load_text(const char *name, char text[PAGE_SIZE])
{
    char path[sizeof FOLDER + NAME_SIZE];
    (void)snprintf(path, sizeof path, "%s%s", FOLDER, name);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    text[0] = '\n';
    text[1 + fread(text + 1, 1, PAGE_SIZE - 2, in)] = '\0';
    assert_int_equal(fclose(in), 0);
}

/* The line that begins with that word; NULL: there is none. */
static const char *line_of(const char *text, const char *word)
{
    char start[NAME_SIZE + 3];
    (void)snprintf(start, sizeof start, "\n%s ", word);
    return strstr(text, start);
}

/* Each model that kiln refuses and the validator passes, and each code of an error of which kiln
 * reads a model, is explained; nothing else is. */
static void test_validator_agrees_or_is_explained(void **state)
{
    static char verdicts[PAGE_SIZE], expected[PAGE_SIZE], reasons[PAGE_SIZE];
    static char used[PAGE_SIZE] = "\n";
    unsigned models = 0;
    (void)state;
    load_text("validator.txt", verdicts);
    load_text("expected.txt", expected);
    load_text("differences.txt", reasons);
    char *place = NULL;
    for (char *line = strtok_r(verdicts, "\n", &place); line != NULL;
         line = strtok_r(NULL, "\n", &place), models++) {
        char *words = NULL, *name = strtok_r(line, " ", &words), row[NAME_SIZE + 20];
        const char *code = strtok_r(NULL, " ", &words);
        assert_true(strlen(name) < NAME_SIZE);
        (void)snprintf(row, sizeof row, "\n%s refused ", name);
        const bool refused = strstr(expected, row) != NULL;
        if (line_of(expected, name) == NULL) {
            fail_msg("validator.txt has %s, expected.txt has not", name);
        }
        /* The words that need a reason: the model's name, or the codes of its errors. */
        for (const char *word = refused ? (code == NULL ? name : NULL) : code; word != NULL;
             word = refused ? NULL : strtok_r(NULL, " ", &words)) {
            if (line_of(reasons, word) == NULL) {
                fail_msg("%s: kiln %s it; differences.txt has no reason for \"%s\"", name,
                         refused ? "refuses" : "reads", word);
            }
            if (line_of(used, word) == NULL) {
                assert_true(strlen(used) + strlen(word) + 3 < PAGE_SIZE);
                strcat(strcat(used, word), " \n");
            }
        }
    }
    for (char *line = strtok_r(reasons, "\n", &place); line != NULL;
         line = strtok_r(NULL, "\n", &place)) {
        if (strncmp(line, "A model ", 8) == 0 || strncmp(line, "An error ", 9) == 0) {
            continue;
        }
        line[strcspn(line, " ")] = '\0';
        if (line_of(used, line) == NULL) {
            fail_msg("differences.txt has a reason for %s, which is no difference", line);
        }
    }
    load_text("expected.txt", expected);
    unsigned rows = 0;
    for (const char *at = expected + 1; *at != '\0'; at++) {
        rows += *at == '\n';
    }
    assert_int_equal(models, rows);
}

/* A chain of nodes, each the joint of a skin, the deepest asked for first: transforms are computed
 * once for each node. The limit ends what looks for all above it once more for each, which takes
 * minutes. */
static void test_deep_chain(void **state)
{
    enum { DEPTH = 250000, MOST_OF_NODE = 80, REST = 1200 };
    char path[CASE_PATH_SIZE], *text = malloc((size_t)DEPTH * MOST_OF_NODE + REST), *to = text;
    kiln_bake_options options = case_options();
    double got[CASE_VALUES];
    (void)state;
    assert_non_null(text);
    to += sprintf(to, "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0,1]}],\"nodes\":["
                      "{\"mesh\":0,\"skin\":0}");
    for (int i = 1; i < DEPTH; i++) {
        to += sprintf(to, ",{\"translation\":[1,0,0],\"children\":[%d]}", i + 1);
    }
    to += sprintf(to, ",{}],\"skins\":[{\"joints\":[");
    for (int i = DEPTH; i > 0; i--) {
        to += sprintf(to, "%d%s", i, i > 1 ? "," : "]}],");
    }
    /* Zeros for JOINTS_0: the whole weight is the first joint's, which is the deepest node. */
    (void)sprintf(
        to, "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,"
            "\"WEIGHTS_0\":2}}]}],"
            "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\","
            "\"min\":[0,0,0],\"max\":[1,1,0]},"
            "{\"componentType\":5121,\"count\":3,\"type\":\"VEC4\"},"
            "{\"bufferView\":1,\"componentType\":5121,\"normalized\":true,\"count\":3,"
            "\"type\":\"VEC4\"}],"
            "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36},"
            "{\"buffer\":0,\"byteOffset\":36,\"byteLength\":12}],"
            "\"buffers\":[{\"byteLength\":48,\"uri\":\"data:;base64,"
            "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA/wAAAP8AAAD/AAAA\"}]}");
    FILE *out = fopen(case_temporary("chain.gltf", path), "wb");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
    options.import_seconds = 45;
    case_model model = case_bake_path(path, &options);
    case_measure(model.trees[0], got);
    assert_true(got[0] == 1 && got[3] == DEPTH - 1 && got[6] == DEPTH);
    case_free(&model);
    (void)remove(path);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_as_expected),
        cmocka_unit_test(test_page_names_each),
        cmocka_unit_test(test_validator_agrees_or_is_explained),
        cmocka_unit_test(test_deep_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
