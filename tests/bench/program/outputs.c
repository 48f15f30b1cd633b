/* The guard of kiln-bench's outputs, which is that of the command (kit/output.c): what a run reads
 * is never replaced, nor a file that kiln-bench could not have written. Rows, values and
 * volumes are recognised by their heads, pictures by their signatures. */
#define _POSIX_C_SOURCE 200809L

#include "outputs.h"

#include "coherence.h"
#include "continuous.h"
#include "families.h"

#include "../adb/adb.h"
#include "../figure/figure.h"

#include "../../../formats/assert.h"
#include "../../../tools/cmd/kit/report.h"

#include <stdlib.h>
#include <string.h>

static bool begins_with(const char *bytes, size_t size, const char *head)
{
    return size >= strlen(head) && memcmp(bytes, head, strlen(head)) == 0;
}

static bool is_rows(const char *bytes, size_t size, bool whole)
{
    (void)whole;
    return begins_with(bytes, size, BENCH_ADB_CSV_HEAD) ||
           begins_with(bytes, size, BENCH_COHERENCE_CSV_HEAD) ||
           begins_with(bytes, size, BENCH_CONTINUOUS_CSV_HEAD) ||
           begins_with(bytes, size, BENCH_FAMILIES_CSV_HEAD);
}

static bool is_volumes(const char *bytes, size_t size, bool whole)
{
    (void)whole;
    return begins_with(bytes, size, BENCH_FAMILIES_OBJ_HEAD);
}

static bool is_values(const char *bytes, size_t size, bool whole)
{
    (void)whole;
    return begins_with(bytes, size, FIGURE_CSV_HEAD);
}

static bool is_picture(const char *bytes, size_t size, bool whole)
{
    (void)whole;
    KILN_ASSERT(bytes[size] == '\0');
    return figure_is_own(bytes, size);
}

const output_kind output_kind_rows = {"file of kiln-bench --csv", is_rows};
const output_kind output_kind_values = {"table of a figure of kiln-bench", is_values};
const output_kind output_kind_picture = {"picture of kiln-bench", is_picture};
const output_kind output_kind_volumes = {"file of kiln-bench families --obj", is_volumes};

/* ----------------------------------------------------------------------------------- figures -- */

bool output_is_stdout(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

/* What is not there yet and spelt in two ways is noticed at the second write, which is refused. */
static bool is_one_file(const char *path, const char *other)
{
    return path != NULL && other != NULL &&
           (strcmp(path, other) == 0 || kiln_same_file(path, other));
}

/* "P.pdf" -> "P.pdf.csv", which no other output is likely to be called. NULL without an error: the
 * figure goes to standard output, and its values nowhere. */
static int name_values(const char *figure_path, char **name)
{
    *name = NULL;
    if (figure_path == NULL || output_is_stdout(figure_path)) {
        return EXIT_DONE;
    }
    const size_t size = strlen(figure_path) + sizeof ".csv";
    *name = malloc(size);
    if (*name == NULL) {
        return report_error(EXIT_RUN, figure_path, "out of memory; free some and run again");
    }
    (void)snprintf(*name, size, "%s.csv", figure_path);
    return EXIT_DONE;
}

/* Can the figure be drawn at all? */
static int check_figure(const char *path)
{
    figure_format format;
    if (!figure_format_of(path, &format)) {
        return report_error(EXIT_USAGE, path,
                            "its suffix names no format of figures; call it NAME.pdf, NAME.svg or "
                            "NAME.png");
    }
    if (!figure_can_draw()) {
        return report_error(EXIT_RUN, "gnuplot",
                            "it draws the figure and is not in PATH; install the package "
                            "gnuplot-nox, or what has gnuplot here");
    }
    return EXIT_DONE;
}

/* `csv` is of `kind`; `values`, if not NULL, is the table beside the figure. */
static int check_files(const char *csv, const output_kind *kind, const char *figure_path,
                       const char *values, char *const *inputs, int count)
{
    if (output_is_stdout(csv) && output_is_stdout(figure_path)) {
        return report_usage("standard output takes one of --csv and the figure");
    }
    if (is_one_file(csv, figure_path)) {
        return report_usage("--csv and the figure are one file, '%s'", csv);
    }
    if (is_one_file(csv, values)) {
        return report_usage("--csv is '%s', the table of the figure's values; call it otherwise",
                            csv);
    }
    if (output_is_stdout(csv) || output_is_stdout(figure_path)) {
        report_to_stderr();
    }
    int status = figure_path != NULL ? check_figure(figure_path) : EXIT_DONE;
    status = status == EXIT_DONE ? output_check_inputs(csv, kind, inputs, count) : status;
    status = status == EXIT_DONE
                 ? output_check_inputs(figure_path, &output_kind_picture, inputs, count)
                 : status;
    return status == EXIT_DONE ? output_check_inputs(values, &output_kind_values, inputs, count)
                               : status;
}

int output_check_measured(const char *csv, const char *figure_path, char *const *inputs, int count)
{
    char *values;
    int status = name_values(figure_path, &values);
    if (status == EXIT_DONE) {
        status = check_files(csv, &output_kind_rows, figure_path, values, inputs, count);
    }
    free(values);
    return status;
}

int output_check_plot(const char *csv, const char *figure_path, char *const *inputs, int count)
{
    char *values = NULL;
    int status = csv == NULL ? name_values(figure_path, &values) : EXIT_DONE;
    if (status == EXIT_DONE) {
        status = check_files(csv, &output_kind_values, figure_path, values, inputs, count);
    }
    free(values);
    return status;
}

static int write_values(const figure *drawn, const char *path)
{
    output_text text;
    FILE *out = output_text_begin(&text);
    if (out != NULL) {
        figure_write_csv(drawn, out);
    }
    return output_text_end(&text, path, &output_kind_values, "free some and run again");
}

int output_figure(const figure *drawn, const char *path, const char *csv)
{
    char message[FIGURE_MESSAGE_SIZE];
    void *picture = NULL;
    size_t size = 0;
    figure_format format;
    char *values = NULL;
    (void)figure_format_of(path, &format);
    int status = csv == NULL ? name_values(path, &values) : EXIT_DONE;
    if (status == EXIT_DONE && !figure_draw(drawn, format, &picture, &size, message)) {
        status = report_error(EXIT_RUN, "gnuplot", "%s", message);
    }
    if (status == EXIT_DONE) {
        status = output_write(path, &output_kind_picture, picture, size);
    }
    const char *table = csv != NULL ? csv : values;
    if (status == EXIT_DONE && table != NULL) {
        status = write_values(drawn, table);
    }
    free(picture);
    free(values);
    return status;
}

/* ------------------------------------------------------------------------------------- texts -- */

FILE *output_text_begin(output_text *of)
{
    *of = (output_text){NULL, 0, NULL};
    of->out = open_memstream(&of->text, &of->size);
    return of->out;
}

int output_text_end(output_text *of, const char *path, const output_kind *kind, const char *remedy)
{
    const int status = of->out != NULL && fclose(of->out) == 0
                           ? output_write(path, kind, of->text, of->size)
                           : report_error(EXIT_RUN, path, "out of memory; %s", remedy);
    free(of->text);
    return status;
}
