/* Models of glTF, each made for one feature or one fault: expected.txt says what comes out of each,
 * or what the refusal says. The page that lists the features names all of them, and validator.txt
 * has what Khronos' validator says of them, whose differences differences.txt explains. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case_model.h"

#define FOLDER "tests/cases/gltf/"
#define PAGE "tools/import/gltf/README.md"

enum { LINE_SIZE = 400, NAME_SIZE = 64, PAGE_SIZE = 1 << 16, VALUES = 9 };

/* "NAME triangles volume area bounds", with " warns TEXT" behind, or "NAME refused TEXT". */
typedef struct {
    char name[NAME_SIZE];
    double values[VALUES];
    const char *refused, *warns; /* NULL: it is not, it does not */
} expectation;

static expectation parse(char *line)
{
    expectation e = {.refused = NULL};
    char *rest = strchr(line, ' ');
    assert_non_null(rest);
    *rest++ = '\0';
    rest[strcspn(rest, "\n")] = '\0';
    assert_true(strlen(line) < NAME_SIZE);
    strcpy(e.name, line);
    if (strncmp(rest, "refused ", 8) == 0) {
        e.refused = rest + 8;
        return e;
    }
    for (int i = 0; i < VALUES; i++) {
        e.values[i] = strtod(rest, &rest);
    }
    if (strncmp(rest, " warns ", 7) == 0) {
        e.warns = rest + 7;
    } else {
        assert_string_equal(rest, "");
    }
    return e;
}

/* Triangles, volume, area and bounds, from the corners that a user of the runtime gets. */
static void measure(const kiln_tree *tree, double got[VALUES])
{
    const uint32_t count = kiln_tree_get_info(tree).triangle_count;
    got[0] = count;
    got[1] = got[2] = 0;
    for (int k = 0; k < 3; k++) {
        got[3 + k] = INFINITY;
        got[6 + k] = -INFINITY;
    }
    for (uint32_t i = 0; i < count; i++) {
        float p[3][3];
        double n[3];
        assert_int_equal(kiln_tree_corners(tree, i, p), KILN_OK);
        for (int k = 0; k < 3; k++) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            n[k] = (double)(p[1][a] - p[0][a]) * (double)(p[2][b] - p[0][b]) -
                   (double)(p[1][b] - p[0][b]) * (double)(p[2][a] - p[0][a]);
            got[1] += n[k] * (double)p[0][k] / 6;
            for (int c = 0; c < 3; c++) {
                got[3 + k] = fmin(got[3 + k], (double)p[c][k]);
                got[6 + k] = fmax(got[6 + k], (double)p[c][k]);
            }
        }
        got[2] += sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
    }
}

static void expect(const expectation *e)
{
    char path[sizeof FOLDER + NAME_SIZE];
    const kiln_bake_input input = {.path = path};
    const kiln_bake_options options = case_options();
    kiln_bake_report report;
    (void)snprintf(path, sizeof path, "%s%s", FOLDER, e->name);
    if (e->refused != NULL) {
        void *bytes = NULL;
        size_t size = 0;
        const kiln_bake_status status =
            kiln_bake_to_memory(&input, &options, &bytes, &size, &report);
        if ((status != KILN_BAKE_INVALID && status != KILN_BAKE_UNSUPPORTED) ||
            strstr(report.error, e->refused) == NULL || strchr(report.error, ';') == NULL) {
            fail_msg("%s: status %d, \"%s\", not \"%s\"", e->name, (int)status, report.error,
                     e->refused);
        }
        kiln_bake_report_free(&report);
        return;
    }
    case_model model = case_bake_path(path, &options);
    double got[VALUES];
    measure(model.trees[0], got);
    for (int i = 0; i < VALUES; i++) {
        if (!(fabs(got[i] - e->values[i]) <= 2e-5)) {
            fail_msg("%s: value %d is %.9g, not %.9g", e->name, i, got[i], e->values[i]);
        }
    }
    if (model.report.warning_count != (e->warns != NULL) ||
        (e->warns != NULL && !case_warns(&model.report, e->warns))) {
        fail_msg("%s: %u warnings, the first: %s", e->name, (unsigned)model.report.warning_count,
                 model.report.warning_count > 0 ? model.report.warnings[0] : "");
    }
    case_free(&model);
}

static void test_each_as_expected(void **state)
{
    char line[LINE_SIZE];
    FILE *in = fopen(FOLDER "expected.txt", "r");
    unsigned count = 0;
    (void)state;
    assert_non_null(in);
    for (; fgets(line, sizeof line, in) != NULL; count++) {
        const expectation e = parse(line);
        expect(&e);
    }
    assert_int_equal(fclose(in), 0);
    assert_true(count >= 190);
    print_message("%u models\n", count);
}

/* Each model has a line of expectations and stands in the table of the page, and the table names no
 * other. */
static void test_page_names_each(void **state)
{
    static char page[PAGE_SIZE], list[PAGE_SIZE];
    unsigned models = 0, named = 0;
    (void)state;
    FILE *in = fopen(PAGE, "r");
    assert_non_null(in);
    assert_true(fread(page, 1, sizeof page - 1, in) > 0);
    assert_int_equal(fclose(in), 0);
    in = fopen(FOLDER "expected.txt", "r");
    assert_non_null(in);
    list[0] = '\n';
    assert_true(fread(list + 1, 1, sizeof list - 2, in) > 0);
    assert_int_equal(fclose(in), 0);

    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        const char *dot = strrchr(entry->d_name, '.');
        char row[300], code[300];
        if (dot == NULL || (strcmp(dot, ".gltf") != 0 && strcmp(dot, ".glb") != 0)) {
            continue;
        }
        models++;
        (void)snprintf(row, sizeof row, "\n%s ", entry->d_name);
        (void)snprintf(code, sizeof code, "`%s`", entry->d_name);
        if (strstr(list, row) == NULL || strstr(page, code) == NULL) {
            fail_msg("%s is not in expected.txt or not in %s", entry->d_name, PAGE);
        }
    }
    (void)closedir(folder);
    for (const char *at = page; (at = strchr(at, '`')) != NULL; at++) {
        const size_t length = strcspn(at + 1, "`");
        const char *end = at + 1 + length;
        named += (length > 5 && strncmp(end - 5, ".gltf", 5) == 0) ||
                 (length > 4 && strncmp(end - 4, ".glb", 4) == 0);
        at = end;
        if (*at == '\0') {
            break;
        }
    }
    assert_int_equal(named, models);
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
    double got[VALUES];
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
    measure(model.trees[0], got);
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
