/* A bake's report for people and for programs. */
#ifndef KILN_CMD_BAKE_REPORT_H
#define KILN_CMD_BAKE_REPORT_H

#include "plan.h"

#include "../../kiln_bake.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Calls `take` with each thing that a bake warns of: warnings, files that are not there, what was
 * dropped, left out or moved. */
void bake_report_notes(const kiln_bake_report *report, void *user,
                       void (*take)(void *user, const char *kind, const char *message));

/* How soon a file answers: what a program that loads it waits for, where it would else build the
 * trees. */
typedef struct {
    /* Seconds to open the file and run one query, with the file in the system's cache: with its
     * contents verified, or trusted. */
    double verified, trusted;
} first_query;

/* Measures it, on the first tree. False: the file does not open, or has no polygons. */
bool first_query_measure(const char *path, first_query *out);

/* What people want to know: sizes, what was left out, and how soon the file answers against
 * building its trees, as far as that is known (`first` not NULL). */
void bake_report_summary(FILE *stream, const job *of, const kiln_bake_report *report,
                         const first_query *first, double seconds);

/* Columns of the names and of what was left out, beside those of the numbers. */
typedef struct {
    int name, left_out;
} bake_row_columns;

/* Prints the line that stands over the rows, on the terminal that is standard output, and fits the
 * columns into it. */
bake_row_columns bake_report_heads(const plan *of);

/* One line about an asset of several. `cached`: it was not baked, so it has no seconds. */
void bake_report_row(const bake_row_columns *columns, const job *of, const kiln_bake_report *report,
                     bool cached, double seconds);

/* The object of one file in the document; `first` NULL: not known. */
json_t *bake_report_json(const job *of, int status, const kiln_bake_report *report,
                         const first_query *first);

#endif
