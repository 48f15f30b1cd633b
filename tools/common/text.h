/* Text: names as UTF-8 and in JSON, the errors of reports, and words for numbers in messages. */
#ifndef KILN_COMMON_TEXT_H
#define KILN_COMMON_TEXT_H

#include "../kiln_bake.h"

#include <jansson.h>
#include <stddef.h>

/* Names from files and folders as UTF-8 that every reader accepts. */

/* A copy of `bytes` in which every byte that is not part of well-formed UTF-8 (RFC 3629) became
 * U+FFFD. Released by free(); NULL: no memory. */
char *kiln_utf8_clean(const char *bytes);

/* How many of the `size` bytes stand before the first that is not part of well-formed UTF-8. */
size_t kiln_utf8_span(const char *bytes, size_t size);

/* Bytes of the character at `text`, which is well-formed UTF-8, if it steers a terminal or the
 * direction of text instead of being seen: a control character of the second set (U+0080 to U+009F)
 * or a mark of bidirectional text. 0: it does not. */
size_t kiln_utf8_unseen(const char *text);

/* A JSON value from text that need not be UTF-8. */

/* What is no UTF-8 is replaced. NULL without memory. */
json_t *kiln_json_text(const char *text);

/* Errors as the reports carry them: "FILE: what; why; what to do". */

enum { KILN_MESSAGE_BYTES_SIZE = 32 };

/* Sets report->error (report may be NULL). The name stands whole unless it is longer than half of
 * the room: then its middle is left out, never what is said of it. `path` NULL: "(memory)". */
void kiln_bake_report_error(kiln_bake_report *report, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "17 MiB", "640 KiB", "1 byte": in the largest unit of which there is one, rounded down. Returns
 * `text`. */
const char *kiln_message_bytes(uint64_t bytes, char text[KILN_MESSAGE_BYTES_SIZE]);

/* What a signal is called, for messages. */

/* "Segmentation fault"; "signal of another kind" for what ends no process by itself. As strsignal,
 * which may write to a buffer that threads share. Any thread. */
const char *kiln_signal_text(int number);

#endif
