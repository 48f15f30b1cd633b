/* What a run found, as tables for people and as lines of numbers for programs.
 *
 * A line is at most 80 characters long where nothing was added to what is compared. */
#include "adb.h"

#include "numbers.h"
#include "../../../formats/assert.h"

#include <math.h>
#include <string.h>

static unsigned timed_row(const bench_adb *run, unsigned point)
{
    return bench_row_of(&run->compared, BENCH_TIMED + point);
}

/* ----------------------------------------------------------------------------------- compare -- */

/* A line's numbers: an object's, or means. */
typedef struct {
    const char *name;
    double error, positives, negatives, visited, us, p99; /* p99 NAN: none */
    double times[BENCH_BASES_MAX];
} line;

/* Exact methods that times are related to and that have a column: the caller's, the one of the same
 * tree, and the fastest on each object. The others are rows. */
static bool has_column(const bench_adb *run, unsigned base)
{
    const unsigned added = run->compared.tables[0].added;
    return base < added || base == added + BENCH_SAME || base == added + BENCH_BASES;
}

static void print_head(const bench_adb *run, FILE *out)
{
    KILN_ASSERT(run->compared.count > 0);
    fprintf(out, "%63s times as fast as\n%-18s %7s %6s %6s %8s %7s %6s", "", "method", "error %",
            "fp %", "fn %", "visited", "us", "p99");
    for (unsigned base = 0; base < bench_base_count(&run->compared); base++) {
        if (has_column(run, base)) {
            fprintf(out, " %7s", bench_base_name(run, base));
        }
    }
    putc('\n', out);
}

/* Percentiles have no mean over objects, so that a line may lack them. */
static void print_line(const bench_adb *run, FILE *out, const line *l)
{
    fprintf(out, "%-18s %7.2f %6.2f %6.2f", l->name, 100 * l->error, 100 * l->positives,
            100 * l->negatives);
    if (l->visited > 0) {
        fprintf(out, " %8.2f", l->visited);
    } else {
        fprintf(out, " %8s", "");
    }
    fprintf(out, " %7.2f", l->us);
    if (isnan(l->p99)) {
        fprintf(out, " %6s", "");
    } else {
        fprintf(out, " %6.2f", l->p99);
    }
    for (unsigned base = 0; base < bench_base_count(&run->compared); base++) {
        if (has_column(run, base)) {
            fprintf(out, " %7.2f", l->times[base]);
        }
    }
    putc('\n', out);
}

/* An exact method that differs is named under its line: its times are of no worth then. */
static void print_table(const bench_adb *run, FILE *out, const bench_table *table)
{
    fprintf(out, "\n%s: %u triangles, %zu poses, %.1f %% meet\n", table->name, table->triangles,
            table->poses, 100 * (double)table->hits / (double)table->poses);
    print_head(run, out);
    for (unsigned i = 0; i < table->row_count; i++) {
        const bench_row *row = &table->rows[i];
        line l = {row->name,
                  bench_row_error(table, row),
                  (double)row->positives / (double)table->poses,
                  (double)row->negatives / (double)table->poses,
                  row->visited,
                  row->mean / 1e3,
                  row->p99 / 1e3,
                  {0}};
        for (unsigned base = 0; base < bench_base_count(&run->compared); base++) {
            l.times[base] = bench_times_base(&run->compared, table, base, i);
        }
        print_line(run, out, &l);
        if (row->exact && row->positives + row->negatives > 0) {
            fprintf(out, "    exact, and yet it differs at %zu poses\n",
                    row->positives + row->negatives);
        }
    }
}

static void print_means(const bench_adb *run, FILE *out)
{
    KILN_ASSERT(run->compared.count > 0);
    fprintf(out, "\nmeans over %zu objects; ratios geometric\n", run->compared.count);
    print_head(run, out);
    for (unsigned i = 0; i < run->compared.tables[0].row_count; i++) {
        const bench_mean_row mean = bench_mean_of(&run->compared, i);
        line l = {run->compared.tables[0].rows[i].name,
                  mean.error,
                  mean.positives,
                  mean.negatives,
                  mean.visited,
                  mean.us,
                  NAN,
                  {0}};
        memcpy(l.times, mean.times, sizeof l.times);
        print_line(run, out, &l);
    }
}

/* ------------------------------------------------------------------------------------- where -- */

/* Distances at which `row` is faster than exact queries of the same tree, as ranges. */
static void print_wins(const bench_adb *run, FILE *out, unsigned row)
{
    const unsigned same = bench_row_of(&run->compared, BENCH_SAME);
    int from = -1;
    bool any = false;
    fprintf(out, "  faster than exact queries at distances");
    for (int d = 0; d <= ZACHMANN_DISTANCES; d++) {
        const bool here = d < ZACHMANN_DISTANCES &&
                          bench_times_where(&run->compared, same, row, (bench_where){d, -1}) > 1;
        if (here && from < 0) {
            fprintf(out, "%s %.1f", any ? "," : "", zachmann_distance(d));
            any = true;
            from = d;
        } else if (!here && from >= 0) {
            if (from < d - 1) {
                fprintf(out, " to %.1f", zachmann_distance(d - 1));
            }
            from = -1;
        }
    }
    fprintf(out, "%s\n  x exact queries of the same tree where they meet: %.2f, apart: %.2f\n",
            any ? "" : ": none", bench_times_where(&run->compared, same, row, (bench_where){-1, 1}),
            bench_times_where(&run->compared, same, row, (bench_where){-1, 0}));
}

/* In words, which of the two wins at the error of the time-critical query: it, or the truncated
 * tree. */
static void print_verdicts(const bench_adb *run, FILE *out)
{
    const unsigned same = bench_row_of(&run->compared, BENCH_SAME);
    putc('\n', out);
    for (unsigned p = 0; p < BENCH_POINTS; p++) {
        const bench_mean_row mean = bench_mean_of(&run->compared, timed_row(run, p));
        const double truncated = bench_times_truncated(&run->compared, &mean);
        fprintf(out, "%s: wrong at %.2f %% (at most %.2f %%, %s)\n",
                run->compared.tables[0].rows[timed_row(run, p)].name, 100 * mean.error,
                100 * mean.worst_error, mean.worst);
        if (isnan(truncated)) {
            fprintf(out, "  no truncated walk is as seldom wrong");
        } else {
            fprintf(out, "  %.2f x the truncated walk at equal error", truncated);
        }
        fprintf(out,
                "\n  %.2f x exact queries of the same tree, at least %.2f x; %.2f x the fastest\n",
                mean.times[same], mean.least_times[same],
                mean.times[bench_base_count(&run->compared) - 1]);
        print_wins(run, out, timed_row(run, p));
    }
}

static void print_where_line(const bench_adb *run, FILE *out, const char *label, bench_where where)
{
    fprintf(out, "%-10s", label);
    for (unsigned p = 0; p < BENCH_POINTS; p++) {
        const unsigned row = timed_row(run, p);
        fprintf(out, " %7.2f /%7.2f",
                bench_times_where(&run->compared, bench_row_of(&run->compared, BENCH_DOP24), row,
                                  where),
                bench_times_where(&run->compared, bench_row_of(&run->compared, BENCH_SAME), row,
                                  where));
    }
    putc('\n', out);
}

static void print_where(const bench_adb *run, FILE *out)
{
    fprintf(out, "\ntimes as fast as 24-dop / as exact queries of the same tree\n%-10s",
            "distance");
    for (unsigned p = 0; p < BENCH_POINTS; p++) {
        fprintf(out, " %16s", run->compared.tables[0].rows[timed_row(run, p)].name);
    }
    putc('\n', out);
    for (int d = 0; d < ZACHMANN_DISTANCES; d++) {
        char label[16];
        (void)snprintf(label, sizeof label, "%.1f", zachmann_distance(d));
        print_where_line(run, out, label, (bench_where){d, -1});
    }
    print_where_line(run, out, "meet", (bench_where){-1, 1});
    print_where_line(run, out, "apart", (bench_where){-1, 0});
}

/* ------------------------------------------------------------------------------------- timed -- */

static void print_calibration(const bench_adb *run, FILE *out)
{
    fprintf(out, "\n%-20s %8s %8s %8s %8s %8s %8s\n", "calibration", "samples", "error %", "Brier",
            "AUC", "ECE", "ECE 95 %");
    for (int i = 0; i < BENCH_SAMPLE_SETS; i++) {
        const bench_calibration *c = &run->calibration[i];
        fprintf(out, "%-20s %8zu %8.2f %8.4f %8.3f %8.4f %8.4f\n", run->samples[i].name,
                run->samples[i].count, 100 * c->error, c->brier, c->auc, c->ece, c->ece_bound);
    }
}

static void print_gaps(const bench_adb *run, FILE *out)
{
    fprintf(out, "\nerror %% by gap to the outermost contact, %% of the size (- inside)\n%-14s",
            "");
    for (int g = 0; g < BENCH_GAPS; g++) {
        fprintf(out, " %5.1f", 100 * bench_gaps[g]);
    }
    putc('\n', out);
    for (unsigned p = 0; p < BENCH_POINTS && run->gaps.queried > 0; p++) {
        fprintf(out, "%-14s", run->compared.tables[0].rows[timed_row(run, p)].name);
        for (int g = 0; g < BENCH_GAPS; g++) {
            fprintf(out, " %5.1f", 100 * (double)run->gaps.wrong[p][g] / (double)run->gaps.queried);
        }
        putc('\n', out);
    }
}

static void print_budgets(const bench_adb *run, FILE *out)
{
    fprintf(out, "\n%-10s %8s %12s %12s %9s %8s %8s\n", "budget us", "error %", "undecided %",
            "exact late %", "over p50", "p99", "p99.9");
    for (unsigned b = 0; b < run->options.budget_count; b++) {
        const bench_budget *f = &run->budgets[b];
        const double objects = (double)f->objects;
        fprintf(out, "%-10.2f %8.2f %12.2f %12.2f %9.2f %8.2f %8.2f\n",
                (double)f->nanoseconds / 1e3, 100 * f->error / objects,
                100 * f->undecided / objects, 100 * f->late / objects,
                bench_percentile(f->overshoot, f->count, 0.5) / 1e3,
                bench_percentile(f->overshoot, f->count, 0.99) / 1e3,
                bench_percentile(f->overshoot, f->count, 0.999) / 1e3);
    }
}

void bench_adb_print(const bench_adb *run, FILE *out, bool each)
{
    for (size_t t = 0; t < run->compared.count; t++) {
        if (each || run->compared.count == 1 || bench_table_differ(&run->compared.tables[t]) > 0) {
            print_table(run, out, &run->compared.tables[t]);
        }
    }
    if (run->compared.count > 1) {
        print_means(run, out);
    }
    print_verdicts(run, out);
    print_where(run, out);
    print_calibration(run, out);
    print_gaps(run, out);
    if (run->options.budget_count > 0) {
        print_budgets(run, out);
    }
}

/* --------------------------------------------------------------------------------------- CSV -- */

static void print_quoted(FILE *out, const char *text)
{
    putc('"', out);
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '"') {
            putc('"', out);
        }
        putc(*at, out);
    }
    putc('"', out);
}

void bench_adb_print_csv(const bench_adb *run, FILE *out)
{
    fputs(BENCH_ADB_CSV_HEAD, out);
    for (size_t t = 0; t < run->compared.count; t++) {
        const bench_table *table = &run->compared.tables[t];
        for (unsigned i = 0; i < table->row_count; i++) {
            const bench_row *row = &table->rows[i];
            print_quoted(out, table->name);
            fprintf(out, ",%u,%zu,%zu,", table->triangles, table->poses, table->hits);
            print_quoted(out, row->name);
            fprintf(out, ",%zu,%zu,%.4f,%.4f,%.4f,%.4f,%.2f\n", row->positives, row->negatives,
                    row->mean / 1e3, row->median / 1e3, row->p99 / 1e3, row->worst / 1e3,
                    row->visited);
        }
    }
}
