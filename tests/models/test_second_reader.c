/* Two readers of every file of Debian's assimp-testmodels that kiln reads by itself: the same
 * number of triangles, the same bounds and area, up to rounding, or a reason in two_readers.txt.
 * The order, names and last bits are compared by tests/cli/second_reader.sh. */
#define _XOPEN_SOURCE 700
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../tools/import/formats.h"
#include "../../tools/import/import.h"

#define FOLDER "/usr/share/assimp/models"
#define REASONS "tests/models/two_readers.txt"

enum { MODELS_MOST = 4096, LINE_SIZE = 1024, LARGE = 4000000 };

/* Decimals, matrices and units are rounded in another order; coordinates are floats. */
#define SAME 1e-5

typedef struct {
    kiln_bake_status status;
    uint32_t triangles;
    double lower[3], upper[3], area;
} shape;

static char *models[MODELS_MOST];
static size_t model_count;

static int add_model(const char *path, const struct stat *is, int type, struct FTW *at)
{
    (void)at;
    if (type == FTW_F && is->st_size < LARGE) {
        assert_true(model_count < MODELS_MOST);
        models[model_count] = strdup(path);
        assert_non_null(models[model_count++]);
    }
    return 0;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void measure(const kiln_soup *soup, shape *s)
{
    s->triangles = soup->triangle_count;
    for (int k = 0; k < 3; k++) {
        s->lower[k] = HUGE_VAL;
        s->upper[k] = -HUGE_VAL;
    }
    for (uint32_t t = 0; t < soup->triangle_count; t++) {
        const float *p[3];
        double u[3], v[3], squared = 0;

        for (int c = 0; c < 3; c++) {
            p[c] = soup->positions + 3 * (size_t)soup->indices[3 * (size_t)t + (size_t)c];
            for (int k = 0; k < 3; k++) {
                s->lower[k] = fmin(s->lower[k], (double)p[c][k]);
                s->upper[k] = fmax(s->upper[k], (double)p[c][k]);
            }
        }
        for (int k = 0; k < 3; k++) {
            u[k] = (double)p[1][k] - (double)p[0][k];
            v[k] = (double)p[2][k] - (double)p[0][k];
        }
        for (int k = 0; k < 3; k++) {
            const double n = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
            squared += n * n;
        }
        s->area += sqrt(squared) / 2;
    }
}

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
    if (s.status == KILN_BAKE_OK) {
        measure(&soup, &s);
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
        size = fmax(size, own->upper[k] - own->lower[k]);
    }
    for (int k = 0; k < 3; k++) {
        if (fabs(own->lower[k] - other->lower[k]) > SAME * size ||
            fabs(own->upper[k] - other->upper[k]) > SAME * size) {
            return "bounds";
        }
    }
    return fabs(own->area - other->area) <= 10 * SAME * own->area ? NULL : "area";
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

/* Extensions are written in either case. */
static bool is_own(const char *extension)
{
    char lower[16];
    size_t length = 0;

    for (; extension[length] != '\0' && length < sizeof lower - 1; length++) {
        lower[length] = (char)tolower((unsigned char)extension[length]);
    }
    lower[length] = '\0';
    return kiln_format_trust(lower) == KILN_TRUST_OWN;
}

static void two_readers_read_the_same(void **state)
{
    const size_t step = getenv("KILN_TEST_QUICK") != NULL ? 8 : 1;
    size_t compared = 0, explained = 0, bad = 0;

    (void)state;
    if (access(FOLDER, R_OK) != 0) {
        print_message("skipped: no " FOLDER " (package assimp-testmodels)\n");
        skip();
    }
    assert_int_equal(nftw(FOLDER, add_model, 16, FTW_PHYS), 0);
    qsort(models, model_count, sizeof models[0], compare_paths);
    for (size_t i = 0; i < model_count; i += step) {
        const char *extension = strrchr(models[i], '.');
        const char *name = models[i] + strlen(FOLDER) + 1, *what;
        char reason[LINE_SIZE];
        shape own, other;

        if (extension == NULL || !is_own(extension + 1)) {
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
                          name, what, own.triangles, other.triangles, own.area, other.area,
                          own.lower[0], own.upper[0], other.lower[0], other.upper[0]);
        }
    }
    print_message("%zu models by two readers, %zu differences explained\n", compared, explained);
    for (size_t i = 0; i < model_count; i++) {
        free(models[i]);
    }
    assert_true(compared > 5);
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_readers_read_the_same)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
