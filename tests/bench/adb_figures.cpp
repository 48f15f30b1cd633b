/* Figures 14, 16 and 17 of Klein and Zachmann (2003) for our models: times and errors over the
 * distance at three complexities, and what p_min and k_min do to both. "paper" is their query
 * (adb/paper.md), "default" ours. The measurement itself is adb/paper_figures.c; this file chooses
 * models and complexities and writes the results as a table and as pictures. */
#include "adb_setup.hpp"

#include "adb/paper_report.h"

#include <cstdlib>

namespace
{

enum { ROUNDS = 3 };
const uint32_t complexities[BENCH_PAPER_SIZES] = {5000, 20000, 60000};
const char *const subjects[BENCH_PAPER_MODELS] = {"car", "lock", "pipes"};

using Measure = kiln_status(const char *, const bench_mesh *, const bench_paper_effort *,
                            bench_paper_figure *);

void measure(Measure *by, const std::string &shape, uint32_t triangles, const AdbOptions &options,
             bench_paper_figure *measured)
{
    AdbMesh m = adb_shape(shape, triangles);
    const bench_mesh same = {m.geometry.positions, m.geometry.indices, m.geometry.vertex_count,
                             m.geometry.triangle_count, nullptr};
    const bench_paper_effort effort = {options.draws, ROUNDS};
    const kiln_status status = by(shape.c_str(), &same, &effort, measured);
    mesh_free(&m.geometry);
    if (status != KILN_OK) {
        std::fprintf(stderr, "%s: %s\n", shape.c_str(), kiln_status_text(status));
        std::exit(2);
    }
}

template <class Draw> void draw(const AdbOptions &options, const char *name, Draw draw_to)
{
    const std::string path = options.figures + "/" + name;
    figure drawn = {};
    draw_to(&drawn);
    adb_write_figure(&drawn, path);
    figure_free(&drawn);
}

void show(const char *title, const bench_paper_figure &measured, std::FILE *csv)
{
    bench_paper_print(&measured, stdout);
    bench_paper_print_distances(&measured, stdout);
    std::fflush(stdout);
    if (csv != nullptr) {
        bench_paper_print_csv(title, &measured, csv);
    }
}

} // namespace

void redraw_figures(const AdbOptions &options, std::FILE *csv)
{
    static bench_paper_models all;
    static bench_paper_figure settings, choices;
    if (csv != nullptr) {
        bench_paper_print_csv_head(csv);
    }
    for (int i = 0; i < BENCH_PAPER_MODELS; i++) {
        for (int j = 0; j < BENCH_PAPER_SIZES; j++) {
            measure(bench_paper_complexity, subjects[i], complexities[j], options, &all.at[i][j]);
            show("14 and 16", all.at[i][j], csv);
        }
    }
    measure(bench_paper_settings, "car", 20000, options, &settings);
    show("17", settings, csv);
    draw(options, "figure14.svg", [](figure *of) { bench_paper_draw_14(&all, of); });
    draw(options, "figure16.svg", [](figure *of) { bench_paper_draw_16(&all, of); });
    draw(options, "figure17.svg", [](figure *of) { bench_paper_draw_17(&settings, of); });
    AdbOptions fewer = options;
    fewer.draws = (options.draws + 7) / 8; /* some choices take milliseconds */
    for (const char *shape : subjects) {
        measure(bench_paper_choices, shape, 20000, fewer, &choices);
        bench_paper_print(&choices, stdout);
        if (csv != nullptr) {
            bench_paper_print_csv("choices", &choices, csv);
        }
    }
}
