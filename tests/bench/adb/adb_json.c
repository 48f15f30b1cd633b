/* What a run found as members of a JSON document, whose schema is
 * ../program/kiln-bench.schema.json.
 *
 * Everything that adb_print.c prints is here with all its digits, and more of it. A ratio or a mean
 * of nothing is no number: it becomes null, so that a reader has no NaN to parse. */
#include "adb.h"

#include "numbers.h"

#include <math.h>
#include <string.h>

/* null where there is no number. */
static void set_number(json_t *object, const char *name, double value)
{
    json_object_set_new(object, name, isfinite(value) ? json_real(value) : json_null());
}

static void set_count(json_t *object, const char *name, size_t value)
{
    json_object_set_new(object, name, json_integer((json_int_t)value));
}

static void set_text(json_t *object, const char *name, const char *text)
{
    json_object_set_new(object, name, json_string(text));
}

static json_t *times_json(const bench_adb *run, const double times[])
{
    json_t *object = json_object();
    for (unsigned base = 0; base < bench_base_count(&run->compared); base++) {
        set_number(object, bench_base_name(run, base), times[base]);
    }
    return object;
}

static json_t *table_json(const bench_adb *run, const bench_table *table)
{
    json_t *object = json_object(), *rows = json_array();
    set_text(object, "name", table->name);
    set_count(object, "triangles", table->triangles);
    set_count(object, "poses", table->poses);
    set_count(object, "hits", table->hits);
    for (unsigned i = 0; i < table->row_count; i++) {
        const bench_row *row = &table->rows[i];
        json_t *method = json_object();
        double times[BENCH_BASES_MAX];
        for (unsigned base = 0; base < bench_base_count(&run->compared); base++) {
            times[base] = bench_times_base(&run->compared, table, base, i);
        }
        set_text(method, "method", row->name);
        json_object_set_new(method, "exact", json_boolean(row->exact));
        set_number(method, "error", bench_row_error(table, row));
        set_count(method, "false_positives", row->positives);
        set_count(method, "false_negatives", row->negatives);
        set_number(method, "us_mean", row->mean / 1e3);
        set_number(method, "us_median", row->median / 1e3);
        set_number(method, "us_p99", row->p99 / 1e3);
        set_number(method, "us_worst", row->worst / 1e3);
        set_number(method, "visited", row->visited);
        json_object_set_new(method, "times", times_json(run, times));
        json_array_append_new(rows, method);
    }
    json_object_set_new(object, "methods", rows);
    return object;
}

static json_t *mean_json(const bench_adb *run, unsigned row)
{
    json_t *object = json_object();
    const bench_mean_row mean = bench_mean_of(&run->compared, row);
    const bench_row *first = &run->compared.tables[0].rows[row];
    set_text(object, "method", first->name);
    json_object_set_new(object, "exact", json_boolean(first->exact));
    set_number(object, "error", mean.error);
    set_number(object, "false_positives", mean.positives);
    set_number(object, "false_negatives", mean.negatives);
    set_number(object, "worst_error", mean.worst_error);
    set_text(object, "worst", mean.worst);
    set_number(object, "us_mean", mean.us);
    set_number(object, "visited", mean.visited);
    json_object_set_new(object, "times", times_json(run, mean.times));
    json_object_set_new(object, "least_times", times_json(run, mean.least_times));
    if (row >= bench_row_of(&run->compared, BENCH_TIMED)) {
        set_number(object, "times_truncated", bench_times_truncated(&run->compared, &mean));
    }
    return object;
}

static json_t *where_json(const bench_adb *run, unsigned point, bench_where where)
{
    const unsigned row = bench_row_of(&run->compared, BENCH_TIMED + point);
    json_t *object = json_object();
    double times[BENCH_BASES_MAX];
    for (unsigned base = 0; base < bench_base_count(&run->compared); base++) {
        times[base] = bench_times_where(&run->compared, base, row, where);
    }
    set_text(object, "method", run->compared.tables[0].rows[row].name);
    json_object_set_new(object, "distance",
                        where.distance >= 0 ? json_real(zachmann_distance(where.distance))
                                            : json_null());
    json_object_set_new(object, "meet",
                        where.truth >= 0 ? json_boolean(where.truth != 0) : json_null());
    json_object_set_new(object, "times", times_json(run, times));
    return object;
}

static json_t *calibration_json(const bench_adb *run, int set)
{
    const bench_calibration *c = &run->calibration[set];
    bench_reliability points[BENCH_RELIABILITY_BINS];
    const unsigned count = bench_reliability_of(&run->samples[set], points);
    json_t *object = json_object(), *list = json_array();
    set_text(object, "what", run->samples[set].name);
    set_count(object, "samples", run->samples[set].count);
    set_number(object, "error", c->error);
    set_number(object, "brier", c->brier);
    set_number(object, "auc", c->auc);
    set_number(object, "ece", c->ece);
    set_number(object, "ece_bound", c->ece_bound);
    for (unsigned i = 0; i < count; i++) {
        json_t *point = json_object();
        set_number(point, "said", points[i].said);
        set_number(point, "came", points[i].truth);
        set_number(point, "spread", points[i].spread);
        json_array_append_new(list, point);
    }
    json_object_set_new(object, "reliability", list);
    return object;
}

static json_t *gaps_json(const bench_adb *run, unsigned point)
{
    json_t *object = json_object(), *list = json_array();
    set_text(object, "method",
             run->compared.tables[0].rows[bench_row_of(&run->compared, BENCH_TIMED + point)].name);
    for (int g = 0; g < BENCH_GAPS && run->gaps.queried > 0; g++) {
        json_t *gap = json_object();
        set_number(gap, "gap", bench_gaps[g]);
        set_count(gap, "poses", run->gaps.queried);
        set_number(gap, "error", (double)run->gaps.wrong[point][g] / (double)run->gaps.queried);
        json_array_append_new(list, gap);
    }
    json_object_set_new(object, "errors", list);
    return object;
}

void bench_adb_describe(const bench_adb *run, json_t *object)
{
    json_t *objects = json_array(), *means = json_array(), *calibration = json_array();
    json_t *where = json_array(), *gaps = json_array(), *budgets = json_array();
    for (size_t t = 0; t < run->compared.count; t++) {
        json_array_append_new(objects, table_json(run, &run->compared.tables[t]));
    }
    for (unsigned i = 0; i < run->compared.tables[0].row_count; i++) {
        json_array_append_new(means, mean_json(run, i));
    }
    for (int i = 0; i < BENCH_SAMPLE_SETS; i++) {
        json_array_append_new(calibration, calibration_json(run, i));
    }
    for (unsigned p = 0; p < BENCH_POINTS; p++) {
        for (int d = 0; d < ZACHMANN_DISTANCES; d++) {
            json_array_append_new(where, where_json(run, p, (bench_where){d, -1}));
        }
        json_array_append_new(where, where_json(run, p, (bench_where){-1, 1}));
        json_array_append_new(where, where_json(run, p, (bench_where){-1, 0}));
        json_array_append_new(gaps, gaps_json(run, p));
    }
    for (unsigned b = 0; b < run->options.budget_count; b++) {
        const bench_budget *budget = &run->budgets[b];
        const double measured = (double)budget->objects;
        const double *over = budget->overshoot;
        json_t *member = json_object();
        set_number(member, "us", (double)budget->nanoseconds / 1e3);
        set_number(member, "error", budget->error / measured);
        set_number(member, "undecided", budget->undecided / measured);
        set_number(member, "exact_late", budget->late / measured);
        set_number(member, "over_us_p50", bench_percentile(over, budget->count, 0.5) / 1e3);
        set_number(member, "over_us_p99", bench_percentile(over, budget->count, 0.99) / 1e3);
        set_number(member, "over_us_p999", bench_percentile(over, budget->count, 0.999) / 1e3);
        json_array_append_new(budgets, member);
    }
    set_count(object, "draws", run->options.draws);
    json_object_set_new(object, "objects", objects);
    json_object_set_new(object, "means", means);
    json_object_set_new(object, "where", where);
    json_object_set_new(object, "calibration", calibration);
    json_object_set_new(object, "gaps", gaps);
    json_object_set_new(object, "budgets", budgets);
}
