/* The report of a run: messages on standard error, and with --json one document. One thread at a
 * time. */
#ifndef KILN_CMD_REPORT_H
#define KILN_CMD_REPORT_H

#include "verb.h"

#include <jansson.h>
#include <stdio.h>

#if defined(__GNUC__)
#define PRINTF_LIKE(position, first) __attribute__((format(printf, position, first)))
#else
#define PRINTF_LIKE(position, first)
#endif

/* Starts the report of a run. `json`: there will be a document. */
void report_begin(const char *verb_name, bool json);

/* The document goes to standard error, because standard output is taken by data. */
void report_to_stderr(void);

/* No warnings and notes on standard error; errors are still printed. */
void report_quiet(void);

/* Names are printed whole on a terminal too, and equal warnings every time. */
void report_verbose(void);

/* Errors and warnings are printed as commands of GitHub's workflows from here on. */
void report_annotate(void);

bool report_is_json(void);
bool report_is_quiet(void);

/* The object of the document, to which a verb adds its members; NULL without --json. */
json_t *report_root(void);

/* Adds the members of one file's object, which is taken over: to the document itself when the run
 * is about one file (`file_count` 1), else as an element of "files". Where there are more, the
 * element gets a member "error", the first error of the highest status since the last file; with a
 * count of 0 it gets none, because the caller has put its errors there. Without --json `object` is
 * NULL and nothing is done. */
void report_file(json_t *object, int file_count);

/* "kiln: FILE: message" as an error; `file` NULL: none. The document keeps the error of the highest
 * status. Returns `status`, for `return report_error(...)`. */
int report_error(int status, const char *file, const char *format, ...) PRINTF_LIKE(3, 4);

/* The text of the last error, "FILE: what; why; what to do", cut if it is long; "" before any. */
const char *report_last_error(void);

/* An error about `file` whose text may begin with the name of it, or of another file. */
int report_error_text(int status, const char *file, const char *text);

/* An error of the command line, with the name of the running verb and a hint at its help. Returns
 * EXIT_USAGE. */
int report_usage(const char *format, ...) PRINTF_LIKE(1, 2);

/* The same without a verb: the arguments of the command itself are wrong. */
int report_command_usage(const char *format, ...) PRINTF_LIKE(1, 2);

/* "kiln: FILE: kind: message", unless quiet. */
void report_note(const char *kind, const char *file, const char *message);

/* The same of what a model is blamed for, or has lost. Of those that are equal but for their file
 * only the first is printed; report_folded prints "kiln: 13 times: kind: message" of each that came
 * more than once, as report_end does at last. */
void report_warning(const char *kind, const char *file, const char *message);
void report_folded(void);

/* "kiln: failed: FILE", unless quiet: names again what an error has explained. */
void report_failed(const char *file);

/* "kiln: text", unless quiet. */
void report_line(const char *format, ...) PRINTF_LIKE(1, 2);

/* Spells out the character at `at` as "\x1B" if it would break a line or steer a terminal. Returns
 * the number of its bytes; 0: it would not, and nothing was written. */
size_t report_spell_out(FILE *to, const char *at);

/* Writes a name to a stream as messages have it: what would break the line or steer a terminal is
 * spelled out as "\x1B". */
void report_write_name(FILE *to, const char *name);

/* Prints the document, if there is one, and flushes standard output. Returns `status`, or EXIT_IO
 * when the output could not be written. */
int report_end(int status);

/* Prints a value as JSON; `flags` are those of jansson. Characters that steer a terminal or the
 * direction of text are written as escapes. */
void json_print(const json_t *value, size_t flags, FILE *stream);

/* A JSON string of any text: what is not UTF-8 becomes U+FFFD. */
json_t *json_cstring(const char *text);

/* A JSON number, null when it is not finite. */
json_t *json_number(double value);

/* An array of `count` numbers. */
json_t *json_numbers(const double *values, size_t count);

/* Adds the members us_median, us_mean and us_p99 of `count` times in microseconds, which it sorts;
 * null where there are none. */
void json_add_times(json_t *object, double *times, size_t count);

/* An unsigned count. */
json_t *json_count(unsigned long long value);

#endif
