/* Tables of filled bins, as the verbs about them use them: loading, describing, judging.
 *
 * The generator and the audit (lut/) run on any threads that their caller has; table_parallel()
 * gives them kiln's own, with a part of a progress bar for each pass. An audit counts what is
 * wrong and keeps one place; table_judge() makes an error of that, the same for kiln lut check
 * and for kiln verify.
 *
 * A table_file keeps the bytes, their reader and the view together, because the view points into
 * the reader and the reader into the bytes; table_free() releases them in that order. */
#include "table.h"

#include "../kit/files.h"

#include "../../../formats/assert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool open_view(table_file *table, bool any, kiln_format_error *error)
{
    table->is_axes = any && kiln_axes_is_set(&table->reader);
    return table->is_axes ? kiln_axes_view_open(&table->axes, &table->reader, false, error)
                          : kiln_bins_view_open(&table->view, &table->reader, false, error);
}

/* The file is opened as a table, or, with `any`, as what it is of both; any other kind is an error
 * of the verifier. */
static int load_as(const char *path, table_file *table, bool any)
{
    kiln_format_error error;
    memset(table, 0, sizeof *table);
    int status = load_file(path, &table->data, &table->size);
    KILN_ASSERT(status != EXIT_DONE || table->data != NULL);
    if (status == EXIT_DONE &&
        (!kiln_reader_open(&table->reader, table->data, table->size, NULL, &error) ||
         !open_view(table, any, &error))) {
        status = report_format_error(path, error.code, error.text);
    }
    if (status != EXIT_DONE) {
        table_free(table);
    }
    return status;
}

int table_load(const char *path, table_file *table)
{
    return load_as(path, table, false);
}

int table_load_any(const char *path, table_file *table)
{
    return load_as(path, table, true);
}

void table_free(table_file *table)
{
    kiln_reader_close(&table->reader);
    free(table->data);
    memset(table, 0, sizeof *table);
}

const char *table_profile_name(const kiln_format_bins *header)
{
    return header->profile == KILN_BINS_EXACT ? "exact" : "compact";
}

const char *table_rounding_name(const kiln_format_bins *header)
{
    return header->rounding == KILN_BINS_DOWN ? "down" : "nearest";
}

uint64_t table_kept(const kiln_format_bins *header)
{
    uint64_t kept = 0;
    KILN_ASSERT(header->max_x <= KILN_BINS_TABLE_X_MAX);
    for (uint32_t x = 1; x <= header->max_x; x++) {
        kept += header->kept[x - 1];
    }
    return kept;
}

/* Values of one x in a full table: as many bins as the limit, times the pairs of v >= w. */
double table_full(const kiln_format_bins *header)
{
    const double u = header->max_u;
    return u * (u * (u + 1.0) / 2.0);
}

/* Members about the header, in documents of info, diff and lut bins alike. */
void table_describe(const kiln_format_bins *header, json_t *object)
{
    json_t *kept = json_array();
    for (uint32_t x = 1; x <= header->max_x; x++) {
        json_array_append_new(kept, json_count(header->kept[x - 1]));
    }
    json_object_set_new(object, "profile", json_cstring(table_profile_name(header)));
    json_object_set_new(object, "rounding", json_cstring(table_rounding_name(header)));
    json_object_set_new(object, "max_u", json_count(header->max_u));
    json_object_set_new(object, "max_x", json_count(header->max_x));
    json_object_set_new(object, "kept", kept);
    json_object_set_new(
        object, "reduction",
        json_number(table_full(header) * header->max_x / (double)table_kept(header)));
    json_object_set_new(object, "certificate_kept", json_number(header->certificate_kept));
    json_object_set_new(object, "certificate_beyond", json_number(header->certificate_beyond));
}

/* v and w are at most u: a bin takes one ball of a colour. */
int table_parse_place(const char *text, uint32_t place[3])
{
    const char *at = text;
    KILN_ASSERT(text != NULL);
    for (int i = 0; i < 3; i++) {
        char *end;
        errno = 0;
        const unsigned long value = strtoul(at, &end, 10);
        if (end == at || at[0] < '0' || at[0] > '9' || *end != (i < 2 ? ',' : '\0')) {
            return report_usage("--at takes u,v,w: three whole numbers, not '%s'", text);
        }
        if (errno != 0 || value > KILN_BINS_TABLE_U_MAX || (i > 0 && value > place[0])) {
            return report_usage("--at takes v and w up to u, and u up to %u, not '%s'",
                                KILN_BINS_TABLE_U_MAX, text);
        }
        place[i] = (uint32_t)value;
        at = end + 1;
    }
    return EXIT_DONE;
}

/* With `parts` the passes that the work is going to take. */
table_work table_work_of(int threads, progress *bar, const char *stage, unsigned parts)
{
    const table_work work = {.watch = {.threads = kiln_thread_count(threads),
                                       .progress = progress_step,
                                       .user = bar,
                                       .stage = stage},
                             .parts = parts};
    return work;
}

/* One place of several is named: it is enough to look at, and the counts say how bad it is. */
int table_judge(const char *path, const kiln_lut_bins_audit *audit)
{
    if (audit->off == 0 && audit->misrounded == 0 && audit->misplaced == 0) {
        return EXIT_DONE;
    }
    return report_error(EXIT_INVALID, path,
                        "values are wrong; %llu off by more than the certificate, %llu not rounded "
                        "as the table says, %llu rows ending at the wrong place, such as at "
                        "%u,%u,%u, x = %u; generate it again",
                        (unsigned long long)audit->off, (unsigned long long)audit->misrounded,
                        (unsigned long long)audit->misplaced, audit->at[0], audit->at[1],
                        audit->at[2], audit->at[3]);
}

/* Runs one pass on threads; its progress fills the next part of the bar. */
static bool run_part(void *user, uint32_t count, void (*task)(void *context, uint32_t index),
                     void *context)
{
    table_work *work = user;
    KILN_ASSERT(work->parts == TABLE_PARTS_ANY || work->done < work->parts);
    if (work->parts == TABLE_PARTS_ANY) {
        work->watch.from = work->watch.to;
        work->watch.to = 0.5 * (1.0 + work->watch.from);
    } else {
        work->watch.from = (double)work->done / work->parts;
        work->watch.to = (double)(work->done + 1) / work->parts;
    }
    work->done++;
    return kiln_parallel_for(&work->watch, count, task, context);
}

kiln_lut_parallel table_parallel(table_work *work)
{
    const kiln_lut_parallel parallel = {run_part, work};
    return parallel;
}

/* The bytes are opened once more as trusted, because the caller has verified them. */
int table_sample(const char *path, const void *data, size_t size, uint64_t count)
{
    kiln_reader reader;
    kiln_bins_view view;
    kiln_format_error error;
    kiln_lut_bins_audit audit;
    progress none;
    progress_begin(&none, PROGRESS_NONE, path);
    table_work work = table_work_of(0, &none, "check", 1);
    const kiln_lut_parallel parallel = table_parallel(&work);
    if (!kiln_reader_open(&reader, data, size, NULL, &error)) {
        return report_format_error(path, error.code, error.text);
    }
    const bool done = kiln_bins_view_open(&view, &reader, true, &error) &&
                      kiln_lut_bins_audit_sample(&view, count, &parallel, &audit);
    kiln_reader_close(&reader);
    return done ? table_judge(path, &audit)
                : report_error(EXIT_RUN, path, "out of memory; free some and run again");
}
