/* The report of a batch as a page for a browser: a table of its assets, and what has changed since
 * the page that was there before. */
#ifndef KILN_CMD_REPORT_PAGE_H
#define KILN_CMD_REPORT_PAGE_H

#include "../kit/output.h"

#include <stdbool.h>
#include <stddef.h>

/* What report_page_write writes, by which an earlier one is recognised. */
extern const output_kind output_kind_report_page;

/* An asset as a row. */
typedef struct {
    const char *input, *output; /* "-": a standard stream */
    const char *outcome;        /* "baked", "cached", "up_to_date", "failed", "not_baked" */
    int status;                 /* not 0: it failed */
    const char *error;          /* NULL: none */
    const char *notes;          /* "kind: message", a line each; NULL: none */
    bool baked;                 /* this run made it, so that notes and seconds are its own */
    double seconds;
} report_page_row;

/* Writes the page whole, or leaves what is there; reports what is wrong. Figures and pictures are
 * those of the outputs as they lie there; those of an output with the contents that the earlier
 * page names are taken from that. Files are read one after the other; once a signal asks to end no
 * other picture is made. `with_seconds` false: no times are in the page. */
int report_page_write(const char *path, const report_page_row *rows, size_t count, double seconds,
                      bool with_seconds);

#endif
