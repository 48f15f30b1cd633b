/* Folders of models each of which is made for one feature or one fault: expected.txt says what
 * comes out of each, or what the refusal says. And the page that lists the features names all of
 * them. */
#include "case_table.h"

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

enum { LINE_SIZE = 400, NAME_SIZE = 64, PATH_SIZE = 256, PAGE_SIZE = 1 << 16 };

/* "NAME triangles volume area bounds", with " warns TEXT" behind, or "NAME refused TEXT". */
typedef struct {
    char name[NAME_SIZE];
    double values[CASE_VALUES];
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
    for (int i = 0; i < CASE_VALUES; i++) {
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
void case_measure(const kiln_tree *tree, double got[CASE_VALUES])
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

static void expect(const char *folder, const expectation *e)
{
    char path[PATH_SIZE];
    const kiln_bake_input input = {.path = path};
    const kiln_bake_options options = case_options();
    kiln_bake_report report;
    (void)snprintf(path, sizeof path, "%s%s", folder, e->name);
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
    double got[CASE_VALUES];
    case_measure(model.trees[0], got);
    for (int i = 0; i < CASE_VALUES; i++) {
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

void case_table(const char *folder, unsigned least)
{
    char line[LINE_SIZE];
    char path[PATH_SIZE];
    unsigned count = 0;
    (void)snprintf(path, sizeof path, "%sexpected.txt", folder);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    for (; fgets(line, sizeof line, in) != NULL; count++) {
        const expectation e = parse(line);
        expect(folder, &e);
    }
    assert_int_equal(fclose(in), 0);
    assert_true(count >= least);
    print_message("%u models\n", count);
}

/* Whether a name, longer than that, ends in one of them; NULL ends the list. */
static bool ends_in(const char *name, size_t length, const char *const extensions[])
{
    for (size_t i = 0; extensions[i] != NULL; i++) {
        const size_t own = strlen(extensions[i]);
        if (length > own && strncmp(name + length - own, extensions[i], own) == 0) {
            return true;
        }
    }
    return false;
}

/* Each model has a line of expectations and stands in the table of the page, and the table names no
 * other. */
void case_table_page(const char *folder_name, const char *page_name, const char *const extensions[])
{
    static char page[PAGE_SIZE], list[PAGE_SIZE];
    unsigned models = 0, named = 0;
    char path[PATH_SIZE];
    FILE *in = fopen(page_name, "r");
    assert_non_null(in);
    assert_true(fread(page, 1, sizeof page - 1, in) > 0);
    assert_int_equal(fclose(in), 0);
    (void)snprintf(path, sizeof path, "%sexpected.txt", folder_name);
    in = fopen(path, "r");
    assert_non_null(in);
    list[0] = '\n';
    assert_true(fread(list + 1, 1, sizeof list - 2, in) > 0);
    assert_int_equal(fclose(in), 0);

    DIR *folder = opendir(folder_name);
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char row[300], code[300];
        if (!ends_in(entry->d_name, strlen(entry->d_name), extensions)) {
            continue;
        }
        models++;
        (void)snprintf(row, sizeof row, "\n%s ", entry->d_name);
        (void)snprintf(code, sizeof code, "`%s`", entry->d_name);
        if (strstr(list, row) == NULL || strstr(page, code) == NULL) {
            fail_msg("%s is not in expected.txt or not in %s", entry->d_name, page_name);
        }
    }
    (void)closedir(folder);
    for (const char *at = page; (at = strchr(at, '`')) != NULL; at++) {
        const size_t length = strcspn(at + 1, "`");
        named += ends_in(at + 1, length, extensions);
        at += 1 + length;
        if (*at == '\0') {
            break;
        }
    }
    assert_int_equal(named, models);
}
