/* Two readers of every file of Debian's assimp-testmodels that kiln reads by itself: the same
 * number of triangles, the same bounds and area, up to rounding, or a reason in two_readers.txt.
 * The order, names and last bits are compared by tests/cli/second_reader.sh. */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../tools/import/formats.h"
#include "../../tools/import/import.h"
#include "../support/amount.h"
#include "../support/soup_measure.h"
#include "survey.h"

#define FOLDER "/usr/share/assimp/models"
#define REASONS "tests/models/two_readers.txt"

enum { LINE_SIZE = 1024, LARGE = 4000000 };

/* Decimals, matrices and units are rounded in another order; coordinates are floats. */
#define SAME 1e-5

typedef struct {
    kiln_bake_status status;
    uint32_t triangles;
    soup_measure measure;
} shape;

static shape read_by(kiln_reader_choice reader, const char *path)
{
    const kiln_bake_input input = {.path = path};
    const kiln_bake_options options = kiln_bake_options_default();
    kiln_bake_report report;
    kiln_soup soup;
    shape s = {0};

    memset(&report, 0, sizeof report);
    memset(&soup, 0, sizeof soup);
    s.status = kiln_import_by(reader, &input, &options, &soup, &report);
    if (s.status == KILN_BAKE_OK && (soup.points || soup.samples != NULL)) {
        s.status = KILN_BAKE_UNSUPPORTED; /* no mesh, which Assimp has no reader for */
        kiln_soup_free(&soup);
    }
    if (s.status == KILN_BAKE_OK) {
        s.triangles = soup.triangle_count;
        s.measure = soup_measure_of(&soup);
        kiln_soup_free(&soup);
    }
    kiln_bake_report_free(&report);
    return s;
}

/* What differs first, or NULL. */
static const char *difference(const shape *own, const shape *other)
{
    double size = 0;

    if (other->status != KILN_BAKE_OK) {
        return "refused by Assimp";
    }
    if (own->triangles != other->triangles) {
        return "triangles";
    }
    for (int k = 0; k < 3; k++) {
        size = fmax(size, own->measure.bounds[3 + k] - own->measure.bounds[k]);
    }
    for (int k = 0; k < 6; k++) {
        if (fabs(own->measure.bounds[k] - other->measure.bounds[k]) > SAME * size) {
            return "bounds";
        }
    }
    return fabs(own->measure.area - other->measure.area) <= 10 * SAME * own->measure.area ? NULL
                                                                                          : "area";
}

/* The reason in the list for the difference of a model; an empty text where none stands. */
static void reason_of(const char *path, const char *what, char reason[LINE_SIZE])
{
    char line[LINE_SIZE], start[LINE_SIZE];
    FILE *list = fopen(REASONS, "r");

    assert_non_null(list);
    reason[0] = '\0';
    snprintf(start, sizeof start, "%s\t%s\t", path, what);
    while (fgets(line, sizeof line, list) != NULL) {
        if (strncmp(line, start, strlen(start)) == 0) {
            strcpy(reason, line + strlen(start));
        }
    }
    fclose(list);
}

/* Is it, in upper or lower case, the extension of a format that kiln reads by itself? */
static bool is_own(const char *extension)
{
    size_t i = 0;

    while (i < kiln_format_count && strcasecmp(kiln_formats[i].extension, extension) != 0) {
        i++;
    }
    return i < kiln_format_count && kiln_formats[i].trust == KILN_TRUST_OWN;
}

static void two_readers_read_the_same(void **state)
{
    size_t compared = 0, explained = 0, bad = 0, model_count;
    char *const *models;

    (void)state;
    if (access(FOLDER, R_OK) != 0) {
        print_message("skipped: no " FOLDER " (package assimp-testmodels)\n");
        skip();
    }
    models = survey_files(FOLDER, is_shortened() ? 8 : 1, &model_count);
    for (size_t i = 0; i < model_count; i++) {
        const char *extension = strrchr(models[i], '.');
        const char *name = models[i] + strlen(FOLDER) + 1, *what;
        char reason[LINE_SIZE];
        struct stat facts;
        shape own, other;

        if (extension == NULL || !is_own(extension + 1) || stat(models[i], &facts) != 0 ||
            facts.st_size >= LARGE) {
            continue;
        }
        own = read_by(KILN_READER_USUAL, models[i]);
        if (own.status != KILN_BAKE_OK) {
            continue; /* expected.txt has it */
        }
        other = read_by(KILN_READER_ASSIMP, models[i]);
        what = difference(&own, &other);
        compared++;
        if (what == NULL) {
            continue;
        }
        reason_of(name, what, reason);
        explained += reason[0] != '\0';
        if (reason[0] == '\0') {
            bad++;
            print_message("%s\t%s\t%u and %u triangles, area %.9g and %.9g, x %.9g to %.9g and "
                          "%.9g to %.9g\n",
                          name, what, own.triangles, other.triangles, own.measure.area,
                          other.measure.area, own.measure.bounds[0], own.measure.bounds[3],
                          other.measure.bounds[0], other.measure.bounds[3]);
        }
    }
    print_message("%zu models by two readers, %zu differences explained\n", compared, explained);
    survey_files_free();
    assert_true(compared > 5);
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_readers_read_the_same)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
