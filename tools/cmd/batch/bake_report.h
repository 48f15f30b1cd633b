/* A bake's report for people and for programs. */
#ifndef KILN_CMD_BAKE_REPORT_H
#define KILN_CMD_BAKE_REPORT_H

#include "plan.h"

#include "../../kiln_bake.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Warnings and dropped faces, on standard error. */
void bake_report_notes(const job *of, const kiln_bake_report *report);

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

/* The object of one file in the document; `first` NULL: not known. */
json_t *bake_report_json(const job *of, int status, const kiln_bake_report *report,
                         const first_query *first);

#endif
