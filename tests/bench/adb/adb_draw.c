/* What a run found as a figure of two panels. On the left the reliability diagram: the predicted
 * probability against the observed frequency, one curve a set of samples. On the right the times as
 * fast as the exact 8-wide tree over the distance between centres, in logarithms, since twice as
 * fast and half as fast should look alike. */
#include "adb.h"

#include <math.h>

static void draw_reliability(const bench_adb *run, figure *of)
{
    figure_add_panel(of, &(figure_axes){.title = "Reliability: are probabilities what they say?",
                                        .x_name = "predicted probability",
                                        .y_name = "observed frequency of collisions",
                                        .x_to = 1,
                                        .x_step = 0.2,
                                        .y_to = 1,
                                        .y_step = 0.2});
    figure_add_guide(of, 0, 0, 1, 1);
    for (unsigned set = 0; set < BENCH_SAMPLE_SETS; set++) {
        bench_reliability bins[BENCH_RELIABILITY_BINS];
        figure_point points[BENCH_RELIABILITY_BINS];
        char name[96];
        const unsigned count = bench_reliability_of(&run->samples[set], bins);
        for (unsigned i = 0; i < count; i++) {
            points[i] =
                (figure_point){bins[i].said, bins[i].truth, fmax(bins[i].truth - bins[i].spread, 0),
                               fmin(bins[i].truth + bins[i].spread, 1)};
        }
        (void)snprintf(name, sizeof name, "%s: ECE %.4f, 95 %% bound %.4f", run->samples[set].name,
                       run->calibration[set].ece, run->calibration[set].ece_bound);
        figure_add_curve(of, FIGURE_LINE, name, NULL, points, count);
    }
    figure_set_note(of, "bars: 1.96 standard errors of the frequency");
}

static void draw_times(const bench_adb *run, figure *of)
{
    static const unsigned rows[] = {BENCH_TIMED,
                                    BENCH_TIMED + 1,
                                    BENCH_TIMED + 2,
                                    BENCH_TIMED + 3,
                                    BENCH_TRUNCATED + BENCH_TRUNCATED_SIZES + 2,
                                    BENCH_DOP24};
    const unsigned same = bench_row_of(&run->compared, BENCH_SAME);
    const figure_axes axes = {.title = "Speed, by exact queries of the same tree",
                              .x_name = "distance between centres, in halves of the longest side",
                              .y_name = "times as fast",
                              .x_from = 0.3,
                              .x_to = 2.2,
                              .x_step = 0.3,
                              .y_from = 0.1,
                              .y_to = 20,
                              .y_logarithmic = true};
    figure_add_panel(of, &axes);
    figure_add_guide(of, axes.x_from, 1, axes.x_to, 1);
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const unsigned row = bench_row_of(&run->compared, rows[i]);
        const bench_mean_row mean = bench_mean_of(&run->compared, row);
        figure_point points[ZACHMANN_DISTANCES];
        char name[96];
        (void)snprintf(name, sizeof name, "%s: wrong at %.2f %%, %.2f times as fast",
                       run->compared.tables[0].rows[row].name, 100 * mean.error, mean.times[same]);
        for (int d = 0; d < ZACHMANN_DISTANCES; d++) { /* 0 where no object has such poses */
            const bench_where where = {d, -1};
            points[d] = figure_at(zachmann_distance(d),
                                  bench_times_where(&run->compared, same, row, where));
            bench_quartiles_where(&run->compared, same, row, where, &points[d].low,
                                  &points[d].high);
        }
        figure_add_curve(of, FIGURE_LINE, name, NULL, points, ZACHMANN_DISTANCES);
    }
    figure_set_note(of, run->compared.count > 1 ? "geometric means; bars: quartiles of the objects"
                                                : "one object, and so no bars");
}

void bench_adb_draw(const bench_adb *run, figure *of)
{
    of->name = "adb";
    of->columns = 2;
    draw_reliability(run, of);
    draw_times(run, of);
}
