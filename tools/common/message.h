/* Errors as the reports carry them: "FILE: what; why; what to do". */
#ifndef KILN_MESSAGE_H
#define KILN_MESSAGE_H

#include "../kiln_bake.h"

enum { KILN_MESSAGE_BYTES_SIZE = 32 };

/* Sets report->error (report may be NULL). The name stands whole unless it is longer than half of
 * the room: then its middle is left out, never what is said of it. `path` NULL: "(memory)". */
void kiln_bake_report_error(kiln_bake_report *report, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "17 MiB", "640 KiB", "1 byte": in the largest unit of which there is one, rounded down. Returns `text`. */
const char *kiln_message_bytes(uint64_t bytes, char text[KILN_MESSAGE_BYTES_SIZE]);

#endif
