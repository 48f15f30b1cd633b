/* kiln-bench bins-plot: Figures 8 and 15 of Klein and Zachmann 2003, from a table.
 *
 * The values come from the table by the runtime's own call, so that the picture shows what a query
 * would get. They are written into a script, which gnuplot draws in a process of its own; its
 * picture is read back through a pipe and written by the kit, whole or not at all. The left panel
 * has the two factors of the bound and their product, the right one the bytes that each x takes. */
#define _POSIX_C_SOURCE 200809L

#include "outputs.h"
#include "verbs.h"

#include "../adb/adb.h"

#include "../../../tools/cmd/kit/files.h"
#include "../../../tools/cmd/kit/options.h"
#include "../../../tools/cmd/verbs/table.h"

#include "../../../formats/assert.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    const char *output, *at;
    double lb;
    bool json;
} plot_settings;

static const option plot_options[] = {
    {"output", 'o', OPTION_TEXT, "OUT.svg", NULL, 0, 0, offsetof(plot_settings, output),
     "the picture to write, '-' for standard output"},
    {"at", 0, OPTION_TEXT, "U,V,W", NULL, 0, 0, offsetof(plot_settings, at),
     "bins, blue and red balls of the curve (default: u to the table's limit, v = w = u / 8)"},
    {"lb", 0, OPTION_REAL, "L", NULL, 0, 1, offsetof(plot_settings, lb),
     "lower bound for a collision in a collision cell (default 0.3)"},
    OPTION_JSON(plot_settings),
};

/* What the picture shows. */
typedef struct {
    const table_file *table;
    uint32_t place[3];
    double lb;
    double p[KILN_BINS_TABLE_X_MAX]; /* P at `place` */
    uint32_t best;                   /* x of the highest value of the curve */
    double best_value;
} figure;

/* 1 - (1 - LB)^x */
static double hit_at(const figure *of, uint32_t x)
{
    KILN_ASSERT(x >= 1 && x <= KILN_BINS_TABLE_X_MAX);
    double missed = 1.0;
    for (uint32_t i = 0; i < x; i++) {
        missed *= 1.0 - of->lb;
    }
    return 1.0 - missed;
}

static double bound_at(const figure *of, uint32_t x)
{
    return hit_at(of, x) * of->p[x - 1];
}

/* The first x of the highest bound, as the paper has it. */
static void find_best(figure *of, uint32_t max_x)
{
    KILN_ASSERT(max_x >= 1 && max_x <= KILN_BINS_TABLE_X_MAX);
    for (uint32_t x = 1; x <= max_x; x++) {
        if (bound_at(of, x) > of->best_value) {
            of->best_value = bound_at(of, x);
            of->best = x;
        }
    }
}

/* -------------------------------------------------------------------------------- the script -- */

/* All curves are columns of one block of data within the script, so that no second file is needed.
 */
static void write_data(FILE *script, const figure *of)
{
    const kiln_format_bins *header = of->table->view.header;
    const double size = kiln_bins_value_size(header->profile);
    fputs("$values << END\n", script);
    for (uint32_t x = 1; x <= header->max_x; x++) {
        fprintf(script, "%u %.9g %.9g %.9g %.9g\n", x, bound_at(of, x), of->p[x - 1], hit_at(of, x),
                size * (double)header->kept[x - 1] / 1e6);
    }
    fputs("END\n", script);
}

/* Figure 8: both probabilities, their product, and a dashed line at its highest point. */
static void write_curve(FILE *script, const figure *of)
{
    KILN_ASSERT(of->best >= 1 && of->best_value >= 0);
    fprintf(script,
            "set title 'u = %u, v = %u, w = %u, LB = %.4g: highest, %.4g, at x = %u'\n"
            "set xlabel 'x'\n"
            "set ylabel 'probability'\n"
            "set yrange [0:1.02]\n"
            "set key below vertical maxrows 3 noenhanced Left reverse\n"
            "set arrow 1 from %u, graph 0 to %u, first %.9g nohead lc rgb '#999999' dt 2\n"
            "plot $values using 1:3 with linespoints lc rgb '#4a78b5' pt 6 dt 2 title "
            "'Pr[at least x filled bins]', '' using 1:4 with linespoints lc rgb '#7a9a3a' pt 4 "
            "dt 3 title '1 - (1 - LB)^x', '' using 1:2 with linespoints lc rgb '#b5392f' lw 2 pt 7 "
            "title '(1 - (1 - LB)^x) Pr[at least x filled bins]'\n"
            "unset arrow 1\n",
            of->place[0], of->place[1], of->place[2], of->lb, of->best_value, of->best, of->best,
            of->best, of->best_value);
}

/* Figure 15: how much each x adds to the table. */
static void write_bars(FILE *script, const figure *of)
{
    const kiln_format_bins *header = of->table->view.header;
    fprintf(script,
            "set title 'values kept for each x, profile %s, u to %u: %.1f million bytes'\n"
            "set xlabel 'x'\n"
            "set ylabel 'million bytes'\n"
            "set yrange [0:*]\n"
            "unset key\n"
            "set boxwidth 0.7\n"
            "set style fill solid 0.9 noborder\n"
            "plot $values using 1:5 with boxes lc rgb '#4a78b5', '' using 1:5:(sprintf('%%.1f', "
            "$5)) with labels offset 0, 0.6\n",
            table_profile_name(header), header->max_u,
            kiln_bins_value_size(header->profile) * (double)table_kept(header) / 1e6);
}

/* The order matters to gnuplot: terminal, data, then the two panels of one page. */
static bool write_script(const figure *of, char **text, size_t *size)
{
    FILE *script = open_memstream(text, size);
    if (script == NULL) {
        return false;
    }
    fprintf(script,
            "set terminal svg size 1100, 520 dynamic name '" BENCH_PICTURE_TITLE "bins_plot' "
            "font 'sans-serif,13' background '#ffffff'\n"
            "set grid ytics lc rgb '#dddddd'\n"
            "set xtics 1\n"
            "set tics nomirror\n"
            "set xrange [0.4:%u.6]\n",
            of->table->view.header->max_x);
    write_data(script, of);
    fputs("set multiplot layout 1, 2\n", script);
    write_curve(script, of);
    write_bars(script, of);
    fputs("unset multiplot\n", script);
    return fclose(script) == 0;
}

/* ----------------------------------------------------------------------------------- gnuplot -- */

extern char **environ;

enum { READ_STEP = 1 << 16 };

/* Starts gnuplot reading from `input` and writing to `output`; 0 or an errno. */
static int start_gnuplot(int input, const int output[2], pid_t *child)
{
    char name[] = "gnuplot", from[] = "-";
    char *const arguments[] = {name, from, NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        return error;
    }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, output[0]);
    error = posix_spawnp(child, name, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Everything that comes until the other end closes. */
static int read_all(int descriptor, void **data, size_t *size)
{
    char *bytes = NULL;
    size_t used = 0, capacity = 0;
    for (;;) {
        if (capacity - used < READ_STEP) {
            capacity = 2 * capacity + READ_STEP;
            char *more = realloc(bytes, capacity);
            if (more == NULL) {
                free(bytes);
                return report_error(EXIT_RUN, "gnuplot", "out of memory; free some");
            }
            bytes = more;
        }
        KILN_ASSERT(capacity - used >= READ_STEP);
        const ssize_t got = read(descriptor, bytes + used, capacity - used);
        if (got == 0) {
            *data = bytes;
            *size = used;
            return EXIT_DONE;
        }
        if (got < 0 && errno != EINTR) {
            free(bytes);
            return report_error(EXIT_RUN, "gnuplot", "can't be read from; %s", strerror(errno));
        }
        used += got > 0 ? (size_t)got : 0;
    }
}

/* The script is a file and not a pipe, since a pipe to a process that writes at the same time may
 * block both. */
static int run_on(FILE *script, void **picture, size_t *size)
{
    int output[2], status;
    pid_t child;
    if (pipe(output) != 0) {
        return report_error(EXIT_RUN, "gnuplot", "can't be started; %s", strerror(errno));
    }
    const int error = start_gnuplot(fileno(script), output, &child);
    /* Only the child writes from here on, so that reading ends when it does. */
    close(output[1]);
    if (error != 0) {
        close(output[0]);
        return report_error(EXIT_RUN, "gnuplot",
                            "can't be started; %s; install the package "
                            "gnuplot-nox, or what has gnuplot here",
                            strerror(error));
    }
    int result = read_all(output[0], picture, size);
    close(output[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (result == EXIT_DONE && (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || *size == 0)) {
        free(*picture);
        *picture = NULL;
        result = report_error(EXIT_RUN, "gnuplot",
                              "drew nothing; its message is above; is it version 5 or later?");
    }
    return result;
}

/* Runs gnuplot over a script and collects what it draws; *picture is released by free(). Returns an
 * exit status, after the report of an error. */
static int gnuplot_run(const char *script, size_t script_size, void **picture, size_t *size)
{
    FILE *file = tmpfile();
    if (file == NULL || fwrite(script, 1, script_size, file) != script_size ||
        fseek(file, 0, SEEK_SET) != 0) {
        const int error = errno;
        if (file != NULL) {
            fclose(file);
        }
        return report_error(EXIT_IO, "gnuplot", "a scratch file can't be written; %s; check TMPDIR",
                            strerror(error));
    }
    const int status = run_on(file, picture, size);
    fclose(file);
    return status;
}

/* --------------------------------------------------------------------------------------- run -- */

/* Script, picture and file, each complete before the next. */
static int draw(const figure *of, const char *output)
{
    char *script = NULL;
    size_t script_size = 0, size = 0;
    void *picture = NULL;
    int status = EXIT_DONE;
    if (!write_script(of, &script, &script_size)) {
        status = report_error(EXIT_RUN, output, "out of memory; free some and run again");
    }
    if (status == EXIT_DONE) {
        status = gnuplot_run(script, script_size, &picture, &size);
    }
    if (status == EXIT_DONE) {
        status = output_write(output, &output_kind_picture, picture, size);
    }
    free(script);
    free(picture);
    return status;
}

/* The document says where the picture is and what its dashed line marks. */
static void plot_json(const char *path, const figure *of, const char *output)
{
    json_t *root = report_root();
    json_object_set_new(root, "file", json_cstring(path));
    json_object_set_new(root, "output", json_cstring(output));
    json_object_set_new(root, "x_best", json_count(of->best));
    json_object_set_new(root, "bound", json_number(of->best_value));
}

/* The curve's values come from the runtime, as a query's would. */
static int look_up(const char *path, const table_file *table, figure *of)
{
    const kiln_format_bins *header = table->view.header;
    kiln_bins *bins = NULL;
    if (of->place[0] > header->max_u) {
        return report_error(EXIT_USAGE, path, "holds u to %u only; ask for less", header->max_u);
    }
    kiln_status status = kiln_bins_open_memory(table->data, table->size, NULL, &bins);
    if (status == KILN_OK) {
        status = kiln_bins_probabilities(bins, of->place[0], of->place[1], of->place[2],
                                         header->max_x, of->p);
    }
    kiln_bins_close(bins);
    return status == KILN_OK ? EXIT_DONE : report_format_error(path, (int)status, "");
}

static int plot(const char *path, const plot_settings *settings)
{
    table_file table;
    int status = table_load(path, &table);
    if (status != EXIT_DONE) {
        return status;
    }
    const uint32_t u = table.view.header->max_u;
    figure of = {.table = &table, .place = {u, u / 8, u / 8}, .lb = settings->lb, .best = 1};
    if (settings->at != NULL) {
        status = table_parse_place(settings->at, of.place);
    }
    if (status == EXIT_DONE) {
        status = look_up(path, &table, &of);
    }
    if (status == EXIT_DONE) {
        find_best(&of, table.view.header->max_x);
        status = draw(&of, settings->output);
    }
    if (status == EXIT_DONE && report_is_json()) {
        plot_json(path, &of, settings->output);
    }
    table_free(&table);
    return status;
}

static int run_bins_plot(int argc, char **argv)
{
    plot_settings settings = {.lb = 0.3};
    int count;
    int status = options_parse(&verb_bins_plot, argc, argv, &settings, &count);
    if (status != EXIT_DONE) {
        return status;
    }
    if (settings.output == NULL) {
        return report_usage("-o OUT.svg is missing");
    }
    if (strcmp(settings.output, "-") == 0) {
        report_to_stderr();
    }
    status = output_check_inputs(settings.output, &output_kind_picture, argv, count);
    return status == EXIT_DONE ? plot(argv[0], &settings) : status;
}

const verb verb_bins_plot = {
    "bins-plot",
    "FILE -o OUT.svg",
    "draw what a filled-bins table holds",
    "Two figures of Klein and Zachmann 2003 as one SVG, by gnuplot: Equation 8's bound for a "
    "collision over x, with its two factors (Figure 8), and the memory that the values of each x "
    "take (Figure 15).",
    plot_options,
    COUNT_OF(plot_options),
    1,
    1,
    run_bins_plot,
};
