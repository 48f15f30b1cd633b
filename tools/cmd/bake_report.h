/* A bake's report for people and for programs. */
#ifndef KILN_CMD_BAKE_REPORT_H
#define KILN_CMD_BAKE_REPORT_H

#include "plan.h"

#include "../kiln_bake.h"

#include <jansson.h>

/* Warnings and dropped faces, on standard error. */
void bake_report_notes(const job *of, const kiln_bake_report *report);

/* One line on standard output. */
void bake_report_summary(const job *of, const kiln_bake_report *report, double seconds);

/* The object of one file in the document. */
json_t *bake_report_json(const job *of, int status, const kiln_bake_report *report);

#endif
