/* kiln lut show: the values that the runtime reads from a table.
 *
 * Values come from kiln_bins_probabilities() and not from the bytes of the file, so that a test
 * sees what a program gets, and with 17 digits, which are enough for any two doubles to differ.
 *
 * With --x one number is printed and nothing else, for shell scripts; without it a line for each
 * x, which is the form that a plot wants. */
#include "../kit/files.h"
#include "../kit/options.h"
#include "table.h"
#include "verbs.h"

#include "../../../formats/assert.h"

typedef struct {
    const char *at;
    int x;
    bool json;
} show_settings;

static const option show_options[] = {
    {"at", 0, OPTION_TEXT, "U,V,W", NULL, 0, 0, offsetof(show_settings, at),
     "bins, blue and red balls; v and w are at most u"},
    {"x", 0, OPTION_INTEGER, "N", NULL, 1, KILN_BINS_MAX_X, offsetof(show_settings, x),
     "print only the probability of at least N filled bins (default: one line for each x)"},
    OPTION_JSON(show_settings),
};

/* Prints the values for u, v, w at `place`: that of `x`, or with 0 those of every x. */
static int show(const char *path, const kiln_bins *table, const uint32_t place[3], uint32_t x)
{
    static const char *const names[] = {"u", "v", "w"};
    const kiln_bins_info info = kiln_bins_get_info(table);
    const uint32_t from = x > 0 ? x : 1, to = x > 0 ? x : info.max_x;
    double p[KILN_BINS_MAX_X];
    KILN_ASSERT(to <= KILN_BINS_MAX_X);
    KILN_ASSERT(place[1] <= place[0] && place[2] <= place[0]);
    /* The table may be smaller than the limits that --at was checked against. */
    if (kiln_bins_probabilities(table, place[0], place[1], place[2], to, p) != KILN_OK) {
        return report_error(EXIT_USAGE, path,
                            "holds u to %u and x to %u only; ask for less, or generate a larger "
                            "table",
                            info.max_u, info.max_x);
    }
    if (report_is_json()) {
        json_t *root = report_root(), *values = json_array();
        json_object_set_new(root, "file", json_cstring(path));
        for (int i = 0; i < 3; i++) {
            json_object_set_new(root, names[i], json_count(place[i]));
        }
        for (uint32_t i = from; i <= to; i++) {
            json_t *value = json_object();
            json_object_set_new(value, "x", json_count(i));
            json_object_set_new(value, "p", json_number(p[i - 1]));
            json_array_append_new(values, value);
        }
        json_object_set_new(root, "probabilities", values);
    } else if (x > 0) {
        printf("%.17g\n", p[x - 1]);
    } else {
        for (uint32_t i = from; i <= to; i++) {
            printf("%u %.17g\n", i, p[i - 1]);
        }
    }
    return EXIT_DONE;
}

static int run_lut_show(int argc, char **argv)
{
    show_settings settings = {0};
    kiln_bins *table = NULL;
    uint32_t place[3];
    int count;
    int status = options_parse(&verb_lut_show, argc, argv, &settings, &count);
    if (status != EXIT_DONE) {
        return status;
    }
    if (settings.at == NULL) {
        return report_usage("--at U,V,W is missing");
    }
    status = table_parse_place(settings.at, place);
    if (status != EXIT_DONE) {
        return status;
    }
    kiln_error error = {0};
    kiln_open_options options = kiln_open_options_default();
    options.error = &error;
    const kiln_status opened = kiln_bins_open(argv[0], &options, &table);
    status = opened == KILN_OK ? show(argv[0], table, place, (uint32_t)settings.x)
                               : report_format_error(argv[0], (int)opened, error.message);
    kiln_bins_close(table);
    return status;
}

const verb verb_lut_show = {
    "lut show",
    "FILE --at U,V,W",
    "print values of a filled-bins table",
    "Prints the values that libkiln looks up in the file, with 17 digits: lines of x and P, or "
    "only P with --x.",
    show_options,
    COUNT_OF(show_options),
    1,
    1,
    run_lut_show,
};
