/* Tables of filled bins, as the verbs about them use them. */
#ifndef KILN_CMD_TABLE_H
#define KILN_CMD_TABLE_H

#include "../kit/progress.h"
#include "../kit/report.h"

#include "../../../formats/axes_check.h"
#include "../../../formats/bins_check.h"
#include "../../../lut/bins.h"
#include "../../../runtime/kiln_adb.h"
#include "../../common/parallel.h"

/* A table with all its bytes, verified. */
typedef struct {
    void *data;
    size_t size;
    kiln_reader reader;
    kiln_bins_view view;
    bool is_axes; /* it is an axis set: `axes` in place of `view` */
    kiln_axes_view axes;
} table_file;

/* Loads and verifies; reports what is wrong and returns its exit status. */
int table_load(const char *path, table_file *table);

/* The same, for an axis set too. */
int table_load_any(const char *path, table_file *table);
void table_free(table_file *table);

/* "exact", "compact"; "nearest", "down". */
const char *table_profile_name(const kiln_format_bins *header);
const char *table_rounding_name(const kiln_format_bins *header);

/* Kept values over all x, and how many a full table of one x would have: the paper's 512 times
 * the sum of 1 to 512, for any limit. */
uint64_t table_kept(const kiln_format_bins *header);
double table_full(const kiln_format_bins *header);

/* Members of a report about a table's header. */
void table_describe(const kiln_format_bins *header, json_t *object);

/* Recomputes `count` values of the table in the bytes of a sound file; reports the first that is
 * wrong and returns an exit status. */
int table_sample(const char *path, const void *data, size_t size, uint64_t count);

/* Reports what an audit found wrong: EXIT_INVALID, or EXIT_DONE where that is nothing. */
int table_judge(const char *path, const kiln_lut_bins_audit *audit);

/* "512,60,40" as u, v, w within KILN_BINS_MAX_U; reports what is wrong as wrong usage. */
int table_parse_place(const char *text, uint32_t place[3]);

/* Threads for the generator and the audit, and a progress bar of equal parts, one for each pass; of
 * TABLE_PARTS_ANY, a number that is not known, each is half of what is left. */
enum { TABLE_PARTS_ANY = 0 };

typedef struct {
    kiln_watch watch;
    unsigned parts, done;
} table_work;

table_work table_work_of(int threads, progress *bar, const char *stage, unsigned parts);
kiln_lut_parallel table_parallel(table_work *work);

#endif
