/* import/expected.json: models made after faults of importers, each with what its format says is
 * right: how many triangles, which area, volume and bounds, and, where there is one, a part of the
 * warning. "error": a part of the message with which it is refused instead. Each file is imported
 * twice, and is the same both times; each file of the folder has a row. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include <dirent.h>

#include "../../tools/import/import.h"
#include "../support/soup_measure.h"

#define FOLDER "tests/cases/import/"

enum { PATH_SIZE = 512 };

static int complaints; /* all files are tried before the test fails */

#define complain(...) (print_error(__VA_ARGS__), print_error("\n"), complaints++)

static void expect_number(const char *name, const char *what, const json_t *wanted, double got)
{
    const double value = json_number_value(wanted);

    if (wanted != NULL && !(fabs(got - value) <= 1e-5 * (1 + fabs(value))))
        complain("%s: %s is %.9g, not %.9g", name, what, got, value);
}

static void expect_warning(const char *name, const char *part, const kiln_soup *soup)
{
    bool found = false;

    for (size_t i = 0; i < soup->warning_count; i++)
        found = found || strstr(soup->strings + soup->warnings[i], part) != NULL;
    if (!found)
        complain("%s: no warning says \"%s\"", name, part);
}

static void import_one(const char *name, const json_t *row, kiln_soup *soup)
{
    kiln_bake_options options = kiln_bake_options_default();
    char path[PATH_SIZE];
    kiln_bake_input input = {.path = path};
    kiln_bake_report report;
    const char *error = json_string_value(json_object_get(row, "error")),
               *warning = json_string_value(json_object_get(row, "warning"));
    kiln_bake_status status;

    (void)snprintf(path, sizeof path, "%s%s", FOLDER, name);
    memset(&report, 0, sizeof report);
    status = kiln_import(&input, &options, soup, &report);
    if (error != NULL) {
        if (status == KILN_BAKE_OK || strstr(report.error, error) == NULL)
            complain("%s: not \"%s\" but: %s", name, error,
                     status == KILN_BAKE_OK ? "baked" : report.error);
    } else {
        const json_t *bounds = json_object_get(row, "b");
        soup_measure m;

        if (status != KILN_BAKE_OK) {
            complain("%s", report.error);
            kiln_bake_report_free(&report);
            return;
        }
        m = soup_measure_of(soup);
        expect_number(name, "count", json_object_get(row, "tri"), (double)soup->triangle_count);
        expect_number(name, "number of warnings", json_object_get(row, "warnings"),
                      (double)soup->warning_count);
        expect_number(name, "area", json_object_get(row, "area"), m.area);
        expect_number(name, "volume", json_object_get(row, "vol"), m.volume);
        for (size_t i = 0; i < 6; i++)
            expect_number(name, "bound", json_array_get(bounds, i), m.bounds[i]);
        if (warning != NULL)
            expect_warning(name, warning, soup);
    }
    kiln_bake_report_free(&report);
}

static void each_file_is_right_or_refused(void **state)
{
    json_t *rows = json_load_file(FOLDER "expected.json", 0, NULL), *row;
    const char *name;

    (void)state;
    assert_non_null(rows);
    json_object_foreach(rows, name, row)
    {
        kiln_soup once, again;

        import_one(name, row, &once);
        import_one(name, row, &again);
        assert_int_equal(once.vertex_count, again.vertex_count);
        if (once.vertex_count > 0)
            assert_memory_equal(once.positions, again.positions,
                                3 * (size_t)once.vertex_count * sizeof *once.positions);
        kiln_soup_free(&once);
        kiln_soup_free(&again);
    }
    json_decref(rows);
    assert_int_equal(complaints, 0);
}

static void each_file_has_a_row(void **state)
{
    json_t *rows = json_load_file(FOLDER "expected.json", 0, NULL);
    DIR *folder = opendir(FOLDER);
    struct dirent *entry;

    (void)state;
    assert_non_null(rows);
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, "expected.json") != 0 &&
            json_object_get(rows, entry->d_name) == NULL)
            fail_msg("%s has no row", entry->d_name);
    (void)closedir(folder);
    json_decref(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_file_is_right_or_refused),
        cmocka_unit_test(each_file_has_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
