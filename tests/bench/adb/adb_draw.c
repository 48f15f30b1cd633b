/* What a run found as a picture of two panels. On the left the reliability diagram: what was said
 * against what came, one curve a set of samples, with bars of what chance does. On the right the
 * times as fast as the exact 8-wide tree over the distance of the middles, in logarithms, since
 * twice as fast and half as fast should look alike. */
#include "adb.h"

#include "svg.h"

#include <math.h>

enum { WIDTH = 1080, HEIGHT = 660 };

static void draw_reliability(const bench_adb *run, FILE *out)
{
    const svg_panel panel = {.title = "Is what is said true?",
                             .x_name = "probability said",
                             .y_name = "part that meet",
                             .x_to = 1,
                             .x_step = 0.2,
                             .y_to = 1,
                             .y_step = 0.2,
                             .left = 70,
                             .top = 50,
                             .width = 420,
                             .height = 420};
    svg_axes(out, &panel);
    svg_guide(out, &panel, 0, 0, 1, 1);
    for (unsigned set = 0; set < BENCH_SAMPLE_SETS; set++) {
        bench_reliability bins[BENCH_RELIABILITY_BINS];
        svg_point points[BENCH_RELIABILITY_BINS];
        char name[96];
        const unsigned count = bench_reliability_of(&run->samples[set], bins);
        for (unsigned i = 0; i < count; i++) {
            points[i] = (svg_point){bins[i].said, bins[i].truth, bins[i].spread};
        }
        (void)snprintf(name, sizeof name, "%s: ECE %.4f, 95 %% bound %.4f", run->samples[set].name,
                       run->calibration[set].ece, run->calibration[set].ece_bound);
        svg_curve(out, &panel, set, name, points, count);
    }
}

static void draw_times(const bench_adb *run, FILE *out)
{
    const svg_panel panel = {.title = "Times as fast as exact queries of the same tree",
                             .x_name = "distance of the middles",
                             .y_name = "times as fast",
                             .x_from = 0.4,
                             .x_to = 2.2,
                             .x_step = 0.2,
                             .y_from = 0.1,
                             .y_to = 20,
                             .logarithmic = true,
                             .left = 600,
                             .top = 50,
                             .width = 420,
                             .height = 420};
    static const unsigned rows[] = {BENCH_TIMED,
                                    BENCH_TIMED + 1,
                                    BENCH_TIMED + 2,
                                    BENCH_TIMED + 3,
                                    BENCH_TRUNCATED + BENCH_TRUNCATED_SIZES + 2,
                                    BENCH_DOP24};
    const unsigned same = bench_row_of(&run->compared, BENCH_SAME);
    svg_axes(out, &panel);
    svg_guide(out, &panel, panel.x_from, 1, panel.x_to, 1);
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const unsigned row = bench_row_of(&run->compared, rows[i]);
        const bench_mean_row mean = bench_mean_of(&run->compared, row);
        svg_point points[ZACHMANN_DISTANCES];
        char name[96];
        (void)snprintf(name, sizeof name, "%s: wrong at %.2f %%, %.2f times as fast",
                       run->compared.tables[0].rows[row].name, 100 * mean.error, mean.times[same]);
        for (int d = 0; d < ZACHMANN_DISTANCES; d++) { /* 0 where no object has such poses */
            const double times = bench_times_where(&run->compared, same, row, (bench_where){d, -1});
            points[d] = (svg_point){zachmann_distance(d), times, 0};
        }
        svg_curve(out, &panel, i, name, points, ZACHMANN_DISTANCES);
    }
}

void bench_adb_draw(const bench_adb *run, FILE *out)
{
    svg_begin(out, WIDTH, HEIGHT);
    fputs("<title>" BENCH_PICTURE_TITLE "adb</title>\n", out);
    draw_reliability(run, out);
    draw_times(run, out);
    svg_end(out);
}
