/* kiln-bench bins-plot: Figures 8 and 15 of Klein and Zachmann 2003, from a table.
 *
 * The values come from the table by the runtime's own call, so that the figure shows what a query
 * would get. The left panel has the two factors of the bound and their product, the right one the
 * bytes that each x takes. */
#include "outputs.h"
#include "verbs.h"

#include "../../../tools/cmd/kit/files.h"
#include "../../../tools/cmd/kit/options.h"
#include "../../../tools/cmd/verbs/table.h"

#include "../../../formats/assert.h"

#include <stdio.h>

typedef struct {
    const char *output, *csv, *at;
    double lb;
    bool json;
} plot_settings;

static const option plot_options[] = {
    OPTION_PLOT(plot_settings),
    {"at", 0, OPTION_TEXT, "U,V,W", NULL, 0, 0, offsetof(plot_settings, at),
     "bins, blue and red balls of the curve (default: u to the table's limit, v = w = u / 8)"},
    {"lb", 0, OPTION_REAL, "L", NULL, 0, 1, offsetof(plot_settings, lb),
     "lower bound for a collision in a collision cell (default 0.3)"},
    OPTION_JSON(plot_settings),
};

/* What the figure shows. */
typedef struct {
    const table_file *table;
    uint32_t place[3];
    double lb;
    double p[KILN_BINS_TABLE_X_MAX]; /* P at `place` */
    uint32_t best;                   /* x of the highest value of the curve */
    double best_value;
} bins_plot;

/* 1 - (1 - LB)^x */
static double hit_at(const bins_plot *of, uint32_t x)
{
    KILN_ASSERT(x >= 1 && x <= KILN_BINS_TABLE_X_MAX);
    double missed = 1.0;
    for (uint32_t i = 0; i < x; i++) {
        missed *= 1.0 - of->lb;
    }
    return 1.0 - missed;
}

static double bound_at(const bins_plot *of, uint32_t x)
{
    return hit_at(of, x) * of->p[x - 1];
}

/* The first x of the highest bound, as the paper has it. */
static void find_best(bins_plot *of, uint32_t max_x)
{
    KILN_ASSERT(max_x >= 1 && max_x <= KILN_BINS_TABLE_X_MAX);
    for (uint32_t x = 1; x <= max_x; x++) {
        if (bound_at(of, x) > of->best_value) {
            of->best_value = bound_at(of, x);
            of->best = x;
        }
    }
}

/* ------------------------------------------------------------------------------------ figure -- */

/* Figure 8: both probabilities, their product, and a dashed line at its highest point. */
static void draw_curve(const bins_plot *of, figure *drawn)
{
    KILN_ASSERT(of->best >= 1 && of->best_value >= 0);
    figure_point found[KILN_BINS_TABLE_X_MAX], hit[KILN_BINS_TABLE_X_MAX];
    figure_point bound[KILN_BINS_TABLE_X_MAX];
    const uint32_t count = of->table->view.header->max_x;
    char title[160];
    for (uint32_t x = 1; x <= count; x++) {
        found[x - 1] = figure_at(x, of->p[x - 1]);
        hit[x - 1] = figure_at(x, hit_at(of, x));
        bound[x - 1] = figure_at(x, bound_at(of, x));
    }
    (void)snprintf(title, sizeof title,
                   "u = %u, v = %u, w = %u, LB = %.4g: highest, %.4g, at x = %u", of->place[0],
                   of->place[1], of->place[2], of->lb, of->best_value, of->best);
    figure_add_panel(drawn, &(figure_axes){.title = title,
                                           .x_name = "x, possible collision cells",
                                           .y_name = "probability",
                                           .x_from = 0.5,
                                           .x_to = count + 0.5,
                                           .x_step = 1,
                                           .y_to = 1.02,
                                           .y_step = 0.2});
    figure_add_guide(drawn, of->best, 0, of->best, of->best_value);
    figure_add_curve(drawn, FIGURE_LINE, "Pr[at least x filled bins]", NULL, found, count);
    figure_add_curve(drawn, FIGURE_LINE, "1 - (1 - LB)^x", NULL, hit, count);
    figure_add_curve(drawn, FIGURE_LINE, "(1 - (1 - LB)^x) Pr[at least x filled bins]", NULL, bound,
                     count);
}

/* Figure 15: how much each x adds to the table. */
static void draw_bars(const bins_plot *of, figure *drawn)
{
    const kiln_format_bins *header = of->table->view.header;
    const double size = kiln_bins_value_size(header->profile) / 1e6;
    figure_point bars[KILN_BINS_TABLE_X_MAX];
    double most = 0;
    char title[160];
    for (uint32_t x = 1; x <= header->max_x; x++) {
        const double bytes = size * (double)header->kept[x - 1];
        bars[x - 1] = (figure_point){x, bytes, 0, bytes};
        most = bytes > most ? bytes : most;
    }
    (void)snprintf(title, sizeof title, "memory of each x, profile %s, u to %u: %.1f MB in all",
                   table_profile_name(header), header->max_u, size * (double)table_kept(header));
    most = most > 0 ? 1.1 * most : 1;
    figure_add_panel(drawn, &(figure_axes){.title = title,
                                           .x_name = "x, possible collision cells",
                                           .y_name = "memory of its values, MB (10^6 bytes)",
                                           .x_from = 0.5,
                                           .x_to = header->max_x + 0.5,
                                           .x_step = 1,
                                           .y_to = most,
                                           .y_step = figure_step(most)});
    figure_add_curve(drawn, FIGURE_BARS, "values kept", NULL, bars, header->max_x);
    figure_set_width(drawn, 0.7);
}

/* --------------------------------------------------------------------------------------- run -- */

static int draw(const bins_plot *of, const plot_settings *settings)
{
    figure drawn = {.name = "bins_plot", .columns = 2};
    draw_curve(of, &drawn);
    draw_bars(of, &drawn);
    const int status = output_figure(&drawn, settings->output, settings->csv);
    figure_free(&drawn);
    return status;
}

/* The document says where the figure is and what its dashed line marks. */
static void plot_json(const char *path, const bins_plot *of, const char *output)
{
    json_t *root = report_root();
    json_object_set_new(root, "file", json_cstring(path));
    json_object_set_new(root, "output", json_cstring(output));
    json_object_set_new(root, "x_best", json_count(of->best));
    json_object_set_new(root, "bound", json_number(of->best_value));
}

/* The curve's values come from the runtime, as a query's would. */
static int look_up(const char *path, const table_file *table, bins_plot *of)
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
    bins_plot of = {.table = &table, .place = {u, u / 8, u / 8}, .lb = settings->lb, .best = 1};
    if (settings->at != NULL) {
        status = table_parse_place(settings->at, of.place);
    }
    if (status == EXIT_DONE) {
        status = look_up(path, &table, &of);
    }
    if (status == EXIT_DONE) {
        find_best(&of, table.view.header->max_x);
        status = draw(&of, settings);
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
        return report_usage("-o FIGURE is missing");
    }
    status = output_check_plot(settings.csv, settings.output, argv, count);
    return status == EXIT_DONE ? plot(argv[0], &settings) : status;
}

const verb verb_bins_plot = {
    "bins-plot",
    "FILE -o FIGURE",
    "draw what a filled-bins table holds",
    "Two figures of Klein and Zachmann 2003 as one, by gnuplot: Equation 8's bound for a "
    "collision over x, with its two factors (Figure 8), and the memory that the values of each x "
    "take (Figure 15).",
    plot_options,
    COUNT_OF(plot_options),
    1,
    1,
    run_bins_plot,
};
