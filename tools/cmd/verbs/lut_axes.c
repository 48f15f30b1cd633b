/* kiln lut axes: makes an axis set.
 *
 * The sets are those of Coming and Staadt ("Velocity-Aligned Discrete Oriented Polytopes", 2004,
 * section IV-D); lut/ makes them and tools/encode/axes_file.c writes the file. The bytes of a set
 * do not depend on threads, clock or machine. */
#include "../kit/options.h"
#include "../kit/output.h"
#include "axis_set.h"
#include "table.h"
#include "verbs.h"

#include "../../../lut/axes_geodesic.h"
#include "../../../lut/axes_math.h"
#include "../../common/clock.h"
#include "../../common/write_file.h"
#include "../../encode/axes_file.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *output;
    double phi; /* degrees */
    int points, starts, seed, layout, threads, progress;
    bool antipodal, no_zones, quiet, json;
} axes_settings;

#define FIELD(name) offsetof(axes_settings, name)

/* A table of more bytes is left out: it would be slower than the products that it saves. */
enum { ZONE_MEGABYTES = 64 };

static const option axes_options[] = {
    {"output", 'o', OPTION_TEXT, "FILE", NULL, 0, 0, FIELD(output),
     "the file to write, '-' for standard output"},
    {"points", 0, OPTION_INTEGER, "N", NULL, 6, KILN_LUT_GEODESIC_POINTS, FIELD(points),
     "points of the covering, 6 to 100000; above 2000 their number is 10 (b^2 + b c + c^2) + 2, "
     "such "
     "as 78032 (default 140 with --antipodal, else 130)"},
    {"antipodal", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(antipodal),
     "with each point its opposite is one: half as many axes as points, which is fewer at the same "
     "covering radius"},
    {"phi", 0, OPTION_REAL, "DEGREES", NULL, 0, 90, FIELD(phi),
     "angle of the zones in the look-up table, at least the covering radius (default: that)"},
    {"no-zones", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(no_zones),
     "without a look-up table; sets whose table would take more than 64 MB have none"},
    {"starts", 0, OPTION_INTEGER, "N", NULL, 1, 1000000, FIELD(starts),
     "search anew, from N random starts (default: the best known set of this number of points, "
     "else "
     "a short search)"},
    {"seed", 0, OPTION_INTEGER, "N", NULL, 0, 8388607, FIELD(seed),
     "number of the sequence of random starts (default 1)"},
    {"layout", 0, OPTION_CHOICE, NULL, "packed|raw", 0, 0, FIELD(layout),
     "raw is used in place from the map (default packed)"},
    {"jobs", 'j', OPTION_INTEGER, "N", NULL, 1, 256, FIELD(threads),
     "threads; the bytes do not depend on it (default: one for each processor)"},
    {"progress", 0, OPTION_CHOICE, NULL, "auto|bar|json|none", 0, 0, FIELD(progress),
     "how to show progress (default auto: a bar on a terminal)"},
    {"quiet", 'q', OPTION_FLAG, NULL, NULL, 0, 0, FIELD(quiet), "print only errors"},
    OPTION_JSON(axes_settings),
};

static const char *source_name(kiln_lut_axes_source source)
{
    return source == KILN_LUT_AXES_KEPT    ? "kept"
           : source == KILN_LUT_AXES_FOUND ? "searched"
                                           : "geodesic";
}

static void print_axes(const kiln_lut_axes *set, size_t bytes, double seconds)
{
    const kiln_format_axes *header = &set->header;
    const double degrees = axis_set_degrees(header->radius);
    printf("%u axes of %u points, %s, %s\n", header->count, header->points,
           axis_set_kind_name(header), source_name(set->source));
    printf(
        "  covering radius %.7f degrees, rounded up; %u facets, %llu decisions in whole numbers\n",
        degrees, set->covering.facets, (unsigned long long)set->covering.exact_decisions);
    if (header->zone_cells > 0) {
        printf("  zones at %.7f degrees, %.1f axes in the mean; 3 x %u x %u cells\n",
               axis_set_zone_degrees(header), header->count * header->zone_sine, header->zone_cells,
               header->zone_cells);
    } else {
        printf("  no look-up table of zones\n");
    }
    printf("  %zu bytes, %.2f s\n", bytes, seconds);
}

/* What a status of the generator means to a user. */
static int report_status(const axes_settings *settings, kiln_lut_axes_status status,
                         const kiln_lut_axes *set)
{
    if (status == KILN_LUT_AXES_NO_SET && settings->antipodal) {
        return report_usage("--antipodal takes an even number of points, up to %d",
                            KILN_LUT_AXES_SEARCHED);
    }
    if (status == KILN_LUT_AXES_NO_SET) {
        return report_usage("there is no set of %d points; the next that there is has %u; ask for "
                            "that, without --starts",
                            settings->points, kiln_lut_geodesic_next((uint32_t)settings->points));
    }
    if (status == KILN_LUT_AXES_NARROW) {
        return report_usage("--phi is below the covering radius, %.7f degrees: objects would share "
                            "no axis",
                            axis_set_degrees(set->header.radius));
    }
    return status == KILN_LUT_AXES_DONE
               ? EXIT_DONE
               : report_error(EXIT_RUN, settings->output, "out of memory; free some and run again");
}

/* Makes the set, writes it, and reports it. */
static int make_axes(const axes_settings *settings)
{
    const kiln_lut_axes_options options = {
        .points = (uint32_t)settings->points,
        .antipodal = settings->antipodal,
        .starts = (uint32_t)settings->starts,
        .seed = (uint64_t)settings->seed,
        .phi = settings->phi * (KILN_LUT_PI / 180.0),
        .zone_most = settings->no_zones ? 0 : (uint64_t)ZONE_MEGABYTES << 20,
    };
    const double start = kiln_seconds();
    kiln_lut_axes set;
    void *file = NULL;
    size_t bytes = 0;
    progress bar;
    progress_begin(&bar, settings->quiet ? PROGRESS_NONE : (progress_mode)settings->progress,
                   settings->output);
    table_work making = table_work_of(settings->threads, &bar, "generate", TABLE_PARTS_ANY);
    const kiln_lut_parallel parallel = table_parallel(&making);
    int status = report_status(settings, kiln_lut_axes_generate(&options, &parallel, &set), &set);
    if (status == EXIT_DONE) {
        table_work writing = table_work_of(settings->threads, &bar, "write", 1);
        writing.watch.to = 1.0;
        status = (int)kiln_axes_encode(&set, (kiln_layout)settings->layout, &writing.watch, &file,
                                       &bytes);
        status =
            status == EXIT_DONE
                ? output_write(settings->output, &output_kind_kiln, file, bytes)
                : report_error(status, settings->output, "out of memory; free some and run again");
        free(file);
    }
    progress_end(&bar);
    const double seconds = kiln_seconds() - start;
    if (status == EXIT_DONE && report_is_json()) {
        json_t *root = report_root();
        json_object_set_new(root, "output", json_cstring(settings->output));
        axis_set_describe(&set.header, root);
        json_object_set_new(root, "source", json_cstring(source_name(set.source)));
        json_object_set_new(root, "facets", json_count(set.covering.facets));
        json_object_set_new(root, "bytes", json_count(bytes));
        json_object_set_new(root, "seconds", json_number(seconds));
    } else if (status == EXIT_DONE && !settings->quiet && strcmp(settings->output, "-") != 0) {
        print_axes(&set, bytes, seconds);
    }
    kiln_lut_axes_free(&set);
    return status;
}

/* The output is tried before the set is made, which takes up to seconds. */
static int run_lut_axes(int argc, char **argv)
{
    axes_settings settings = {.seed = 1};
    char message[KILN_WRITE_MESSAGE_SIZE];
    int count;
    const int status = options_parse(&verb_lut_axes, argc, argv, &settings, &count);
    if (status != EXIT_DONE) {
        return status;
    }
    if (settings.points == 0) {
        settings.points = settings.antipodal ? 140 : 130;
    }
    if (settings.output == NULL) {
        return report_usage("-o FILE is missing");
    }
    if (strcmp(settings.output, "-") == 0) {
        report_to_stderr();
    } else if (!kiln_write_file_possible(settings.output, message)) {
        return report_error(EXIT_IO, settings.output, "%s", message);
    }
    const int checked = output_check(settings.output, &output_kind_kiln, NULL);
    return checked == EXIT_DONE ? make_axes(&settings) : checked;
}

const verb verb_lut_axes = {
    "lut axes",
    "-o FILE",
    "make a set of axes for moving objects",
    "Unit vectors such that every line through the origin is within a small angle, the covering "
    "radius, of one of them, for bounding volumes whose axes are those that are nearly "
    "perpendicular "
    "to an object's velocity (Coming and Staadt 2004, section IV-D). The covering radius is "
    "certified "
    "by a convex hull in exact arithmetic. The file has a look-up table by which kiln_axes_zone "
    "finds "
    "the axes of a velocity; any two velocities have one in common. An existing FILE that is no "
    "kiln "
    "file has to be removed first.",
    axes_options,
    COUNT_OF(axes_options),
    0,
    0,
    run_lut_axes,
};
