/* The one report of the process: lines on standard error as they come, and with --json one document
 * at the end of the run.
 *
 * A verb never prints an error itself. report_error() prints "kiln: FILE: what; why; what to do"
 * and keeps the text for the document, where the error of the highest status wins; report_end()
 * adds the exit status and prints the document, also after a failure. Of several files each object
 * has its own error, which is collected between two calls of report_file(). Only one thread reports
 * at a time: code that runs threads holds a lock around these functions.
 *
 * All lines are printed by print_message(), in one of three forms: for a terminal, with colours and
 * with names fitted into its width; for a file or a pipe, as they are; or as commands of GitHub's
 * workflows ("Workflow commands for GitHub Actions"), which shows them beside the file. */
#define _XOPEN_SOURCE 700

#include "report.h"

#include "columns.h"
#include "folding.h"
#include "terminal.h"
#include "timing.h"

#include "../../../formats/assert.h"
#include "../../../runtime/kiln.h"
#include "../../common/paths.h"
#include "../../common/text.h"
#include "../../common/write_file.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_LEAST = 24 }; /* columns; with fewer for the name, the line wraps */

/* What a line is about: its colour, and its annotation. */
typedef enum { LINE_PLAIN, LINE_FAILED, LINE_NOTE, LINE_WARNING, LINE_ERROR } line_kind;

/* The one report of the process. */
static struct {
    const char *verb_name;
    json_t *root;
    FILE *document;
    bool quiet, verbose, annotated;
    json_t *of_file; /* an object with the error since the last file, if there was one */
    char last_error[512];
} report;

/* The name of the schema comes first in the document, so that a reader needs one line to know
 * it. */
void report_begin(const char *verb_name, bool json)
{
    KILN_ASSERT(report.root == NULL);
    report.verb_name = verb_name;
    report.document = stdout;
    if (json) {
        report.root = json_object();
        report.of_file = json_object();
        json_object_set_new(report.root, "schema", json_sprintf("%s-report-1", this_program.name));
        json_object_set_new(report.root, "verb", json_cstring(verb_name));
        json_object_set_new(report.root, "kiln", json_cstring(KILN_VERSION_STRING));
    }
}

void report_to_stderr(void)
{
    report.document = stderr;
}

void report_quiet(void)
{
    report.quiet = true;
}

void report_verbose(void)
{
    report.verbose = true;
}

void report_annotate(void)
{
    report.annotated = true;
}

bool report_is_json(void)
{
    return report.root != NULL;
}

bool report_is_quiet(void)
{
    return report.quiet;
}

json_t *report_root(void)
{
    return report.root;
}

/* The error of the last file is kept apart until its object arrives, because a verb reports the
 * error before it knows what else there is to say of the file. */
void report_file(json_t *object, int file_count)
{
    if (report.root == NULL) {
        return;
    }
    KILN_ASSERT(object != NULL);
    KILN_ASSERT(file_count >= 0);
    if (file_count > 1) {
        json_object_update(object, report.of_file);
    }
    json_object_clear(report.of_file);
    if (file_count == 1) {
        json_object_update(report.root, object);
        json_decref(object);
        return;
    }
    json_t *files = json_object_get(report.root, "files");
    if (files == NULL) {
        files = json_array();
        json_object_set_new(report.root, "files", files);
    }
    json_array_append_new(files, object);
}

size_t report_spell_out(FILE *to, const char *at)
{
    const bool control = ((unsigned char)*at < 0x20) || *at == 0x7F;
    const size_t size = control ? 1 : kiln_utf8_unseen(at);
    for (size_t i = 0; i < size; i++) {
        fprintf(to, "\\x%02X", (unsigned)(unsigned char)at[i]);
    }
    return size;
}

/* Writes text with what would break the line or steer a terminal spelled out; all other bytes pass,
 * UTF-8 or not, so that the name of a file can be copied from a message. */
static void write_spelled(FILE *to, const char *text, size_t length)
{
    for (const char *at = text; at < text + length;) {
        const size_t spelled = report_spell_out(to, at);
        if (spelled == 0) {
            putc(*at, to);
        }
        at += spelled > 0 ? spelled : 1;
    }
}

void report_write_name(FILE *to, const char *name)
{
    write_spelled(to, name, strlen(name));
}

/* The same in new memory; NULL: there is none. */
static char *spell(const char *text)
{
    char *spelled = NULL;
    size_t size;
    FILE *to = open_memstream(&spelled, &size);
    if (to != NULL) {
        report_write_name(to, text);
    }
    if (to == NULL || fclose(to) != 0) {
        free(spelled);
        return NULL;
    }
    return spelled;
}

/* Writes text with each of the `special` characters as "%" and its code, as GitHub demands, and
 * other control characters spelled out. */
static void write_escaped(FILE *to, const char *text, const char *special)
{
    while (*text != '\0') {
        const size_t plain = strcspn(text, special);
        write_spelled(to, text, plain);
        text += plain;
        if (*text != '\0') {
            fprintf(to, "%%%02X", (unsigned)(unsigned char)*text++);
        }
    }
}

/* What ends a line of a workflow command, and what ends a value in front of its text. */
static const char special_in_text[] = "%\r\n", special_in_value[] = "%\r\n:,";

/* Does a path without ".." lead to what `path` leads to? Not where a folder before ".." is a link.
 * Where neither leads to anything, no link tells them apart. */
static bool is_same_place(const char *path, const char *collapsed)
{
    struct stat a, b;
    const bool there = stat(path, &a) == 0, also = stat(collapsed, &b) == 0;
    return there == also && (!there || (a.st_dev == b.st_dev && a.st_ino == b.st_ino));
}

/* The part of `path` below the folder, both from the root; NULL: it is not below it. */
static const char *part_below(const char *path, const char *folder)
{
    const size_t length = folder != NULL ? strlen(folder) : 0;
    const bool below = length > 1 && kiln_path_is_within(path, folder) && path[length] == '/';
    return below ? path + length + 1 : NULL;
}

/* `file` from the root, its folder without links: a checkout has a link itself under its name, and
 * nothing under the name of a link to a folder. In new memory; NULL: there is none. */
static char *in_real_folder(const char *file)
{
    const char *slash = strrchr(file, '/'), *name = slash != NULL ? slash + 1 : file;
    char *folder = strndup(file, (size_t)(name - file));
    char *real = folder != NULL ? kiln_path_resolved(folder) : NULL;
    const size_t size = (real != NULL ? strlen(real) : 0) + strlen(name) + 2;
    char *path = real != NULL ? malloc(size) : NULL;
    if (path != NULL) {
        (void)snprintf(path, size, "%s/%s", strcmp(real, "/") == 0 ? "" : real, name);
    }
    free(folder);
    free(real);
    return path;
}

/* A file by its path from the top of the checkout, by which GitHub finds it: without "." and "..",
 * whatever the working folder is, and whether GITHUB_WORKSPACE names the checkout by a link or with
 * a slash at its end. One that is not in the checkout keeps its path. */
static void write_checkout_path(FILE *to, const char *file)
{
    const char *top = getenv("GITHUB_WORKSPACE");
    const bool known = top != NULL && top[0] == '/';
    char *folder = known ? kiln_path_from_root(top) : NULL;
    char *real_folder = known ? kiln_path_resolved(top) : NULL;
    char *real = known ? in_real_folder(file) : NULL;
    char *plain = strdup(file), *whole = kiln_path_from_root(file);
    const bool safe = plain != NULL && whole != NULL && is_same_place(file, whole);
    const char *written = real != NULL ? part_below(real, real_folder) : NULL;
    if (written == NULL && safe) {
        written = part_below(whole, folder);
    }
    if (written == NULL && safe) {
        kiln_path_collapse(plain);
        written = plain;
    }
    write_escaped(to, written != NULL && written[0] != '\0' ? written : file, special_in_value);
    free(folder);
    free(real_folder);
    free(real);
    free(plain);
    free(whole);
}

/* Where ":LINE:COLUMN" begins, which names of places in manifests end with; the end, if nowhere. */
static const char *find_place(const char *file, unsigned *line, unsigned *column)
{
    const char *end = file + strlen(file), *at = end;
    int rest = 0;
    for (int colons = 0; at > file && colons < 2; colons += *at == ':') {
        at--;
    }
    return sscanf(at, ":%9u:%9u%n", line, column, &rest) == 2 && at + rest == end ? at : end;
}

/* "::error file=models/a.obj,title=kiln bake::models/a.obj: what; why; what to do". */
static void write_annotation(FILE *to, line_kind kind, const char *file, const char *text)
{
    KILN_ASSERT(kind == LINE_WARNING || kind == LINE_ERROR);
    fputs(kind == LINE_ERROR ? "::error " : "::warning ", to);
    if (file != NULL && strcmp(file, "-") != 0 && file != report.verb_name) {
        unsigned line = 0, column = 0;
        char *name = strdup(file);
        const char *place = find_place(file, &line, &column);
        if (name != NULL) {
            name[place - file] = '\0';
        }
        fputs("file=", to);
        write_checkout_path(to, name != NULL ? name : file);
        if (*place != '\0') {
            fprintf(to, ",line=%u,col=%u", line, column);
        }
        putc(',', to);
        free(name);
    }
    fprintf(to, "title=%s %s::", this_program.name,
            report.verb_name != NULL ? report.verb_name : "");
    if (file != NULL) {
        write_escaped(to, file, special_in_text);
        fputs(": ", to);
    }
    write_escaped(to, text, special_in_text);
}

/* "kiln: FILE: text" in colours, or "kiln: failed: FILE", with the middle of FILE left out where
 * the line would else be longer than the terminal is wide. `file` NULL: none. */
static void write_line(FILE *to, line_kind kind, const char *file, const char *text)
{
    static const text_style styles[] = {[LINE_PLAIN] = STYLE_NAME,
                                        [LINE_FAILED] = STYLE_ERROR,
                                        [LINE_NOTE] = STYLE_NAME,
                                        [LINE_WARNING] = STYLE_WARNING,
                                        [LINE_ERROR] = STYLE_ERROR};
    KILN_ASSERT((size_t)kind < COUNT_OF(styles));
    char *name = file != NULL ? spell(file) : NULL;
    char *rest = spell(text);
    if (name != NULL && rest != NULL && terminal_is(stderr) && !report.verbose) {
        const int others = (int)strlen(this_program.name) + 5 + columns_width(rest);
        const int columns = terminal_columns(stderr), room = columns - others;
        /* A line that wraps in any case need not lose the half of it. */
        char *fitted = columns_fit_path(name, room >= NAME_LEAST ? room : columns / 2);
        free(name);
        name = fitted;
    }
    fprintf(to, "%s%s:%s ", terminal_begin(stderr, styles[kind]), this_program.name,
            terminal_end(stderr, styles[kind]));
    if (kind == LINE_FAILED) {
        fprintf(to, "%s: %s", rest != NULL ? rest : "?", name != NULL ? name : "?");
    } else if (file != NULL) {
        fprintf(to, "%s%s:%s ", terminal_begin(stderr, STYLE_NAME), name != NULL ? name : "?",
                terminal_end(stderr, STYLE_NAME));
    }
    if (kind != LINE_FAILED) {
        fputs(rest != NULL ? rest : "out of memory", to);
    }
    free(name);
    free(rest);
}

/* Prints one line on standard error. It goes out in one piece, so that the lines of several
 * processes, as under make, do not mix. */
static void print_message(line_kind kind, const char *file, const char *text)
{
    char *line = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&line, &size);
    if (to != NULL && report.annotated && (kind == LINE_WARNING || kind == LINE_ERROR)) {
        write_annotation(to, kind, file, text);
    } else if (to != NULL) {
        write_line(to, kind, file, text);
    }
    if (to != NULL) {
        putc('\n', to);
    }
    if (to != NULL && fclose(to) == 0) {
        fwrite(line, 1, size, stderr);
    } else {
        fprintf(stderr, "%s: out of memory\n", this_program.name);
    }
    free(line);
}

/* Composes "FILE: text" or "text" in new memory; NULL: there is no memory, or the format is
 * wrong. */
static char *compose(const char *file, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    /* Two passes: the first one measures, because names of files have any length. */
    const size_t prefix = file == NULL ? 0 : strlen(file) + 2;
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? NULL : malloc(prefix + (size_t)length + 1);
    if (text != NULL) {
        if (file != NULL) {
            sprintf(text, "%s: ", file);
        }
        vsnprintf(text + prefix, (size_t)length + 1, format, arguments);
    }
    return text;
}

/* Keeps the first error of the highest status in an object of the document, if there is one. */
static void keep_error(json_t *object, int status, const char *text)
{
    /* The status of the run is that of the worst file, and this is the error that explains it. */
    const json_t *kept = json_object_get(object, "error");
    if (object == NULL || status <= (int)json_integer_value(json_object_get(kept, "status"))) {
        return;
    }
    json_t *error = json_object();
    json_object_set_new(error, "status", json_integer(status));
    json_object_set_new(error, "message", json_cstring(text));
    json_object_set_new(object, "error", error);
}

/* The line comes at once, the document at the end: a run that is killed has said what it found. A
 * name that is empty, as a variable of a script may be, is to be seen in the message. */
static int error_arguments(int status, const char *file, const char *format, va_list arguments)
{
    file = file != NULL && file[0] == '\0' ? "''" : file;
    char *text = compose(file, format, arguments);
    const char *printed = text != NULL ? text : "out of memory";
    const size_t prefix = text != NULL && file != NULL ? strlen(file) + 2 : 0;
    KILN_ASSERT(status != EXIT_DONE);
    print_message(LINE_ERROR, prefix > 0 ? file : NULL, printed + prefix);
    keep_error(report.root, status, printed);
    keep_error(report.of_file, status, printed);
    (void)snprintf(report.last_error, sizeof report.last_error, "%s", printed);
    free(text);
    return status;
}

const char *report_last_error(void)
{
    return report.last_error;
}

int report_error(int status, const char *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error_arguments(status, file, format, arguments);
    va_end(arguments);
    return status;
}

/* What the library says begins with the name of the model, or with that of another file. */
int report_error_text(int status, const char *file, const char *text)
{
    const size_t length = strlen(file);
    const bool named = strncmp(text, file, length) == 0 && strncmp(text + length, ": ", 2) == 0;
    return named ? report_error(status, file, "%s", text + length + 2)
                 : report_error(status, NULL, "%s", text);
}

/* The report knows the name of the verb, so that code that serves several verbs needs no verb. */
int report_usage(const char *format, ...)
{
    va_list arguments;
    KILN_ASSERT(report.verb_name != NULL);
    va_start(arguments, format);
    error_arguments(EXIT_USAGE, report.verb_name, format, arguments);
    va_end(arguments);
    fprintf(stderr, "Try: %s %s --help\n", this_program.name, report.verb_name);
    return EXIT_USAGE;
}

int report_command_usage(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error_arguments(EXIT_USAGE, NULL, format, arguments);
    va_end(arguments);
    fprintf(stderr, "Try: %s --help\n", this_program.name);
    return EXIT_USAGE;
}

/* "kind: message" in new memory; NULL: there is none, and then a note is dropped: it is no error.
 */
static char *compose_note(const char *kind, const char *message)
{
    const size_t size = strlen(kind) + strlen(message) + 3;
    char *text = malloc(size);
    if (text != NULL) {
        (void)snprintf(text, size, "%s: %s", kind, message);
    }
    return text;
}

void report_note(const char *kind, const char *file, const char *message)
{
    char *text = report.quiet ? NULL : compose_note(kind, message);
    if (text != NULL) {
        print_message(LINE_NOTE, file, text);
        free(text);
    }
}

/* With --verbose every one is printed. */
void report_warning(const char *kind, const char *file, const char *message)
{
    char *text = report.quiet ? NULL : compose_note(kind, message);
    if (text != NULL && (report.verbose || folding_add(text, report.annotated ? file : NULL))) {
        print_message(LINE_WARNING, file, text);
    }
    free(text);
}

/* Where warnings are annotations, the other files of one, which have none of their own: a service
 * shows ten of a step, and those of one kind would leave no room for another. */
static void print_folded(const folded *of)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (to != NULL) {
        fprintf(to, "%zu times: %s; also in ", of->count, of->text);
        for (size_t i = 0; i < of->file_count; i++) {
            fprintf(to, "%s%s", i > 0 ? ", " : "", of->files[i]);
        }
        if (of->count - 1 > of->file_count) {
            fprintf(to, " and %zu more", of->count - 1 - of->file_count);
        }
    }
    if (to != NULL && fclose(to) == 0) {
        print_message(LINE_WARNING, NULL, text);
    }
    free(text);
}

void report_folded(void)
{
    size_t count;
    const folded *list = folding_list(&count);
    for (size_t i = 0; i < count; i++) {
        if (list[i].count > 1 && list[i].file_count > 0 && !report.quiet) {
            print_folded(&list[i]);
        } else if (list[i].count > 1) {
            report_line("%zu times: %s", list[i].count, list[i].text);
        }
    }
    folding_clear();
}

void report_failed(const char *file)
{
    if (!report.quiet) {
        print_message(LINE_FAILED, file, "failed");
    }
}

void report_line(const char *format, ...)
{
    va_list arguments;
    if (report.quiet) {
        return;
    }
    va_start(arguments, format);
    char *text = compose(NULL, format, arguments);
    va_end(arguments);
    if (text != NULL) {
        print_message(LINE_PLAIN, NULL, text);
        free(text);
    }
}

int report_end(int status)
{
    char message[KILN_WRITE_MESSAGE_SIZE];
    report_folded();
    if (report.root != NULL) {
        json_object_set_new(report.root, "status", json_integer(status));
        json_print(report.root, JSON_INDENT(2), report.document);
        putc('\n', report.document);
        json_decref(report.root);
        json_decref(report.of_file);
        report.root = report.of_file = NULL;
    }
    /* Output that did not arrive fails the run: a full disk is noticed here at the latest. */
    const bool before = ferror(stdout) == 0;
    errno = 0;
    if (fflush(stdout) == 0 && before) {
        return status;
    }
    (void)kiln_write_explain("can't be written", errno != 0 ? errno : EIO, message);
    (void)report_error(EXIT_IO, "standard output", "%s", message);
    return status != EXIT_DONE ? status : EXIT_IO;
}

/* ------------------------------------------------------------------------------- JSON values -- */

/* JSON has neither bytes that are not UTF-8 nor numbers that are not finite, and models have
 * both. */

/* jansson refuses texts that are not UTF-8, so that a member of the document would be missing. */
json_t *json_cstring(const char *text)
{
    return kiln_json_text(text);
}

/* JSON has no infinity and no NaN; null says that there is no number. */
json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* What is escaped stands within strings, as everything that is not ASCII does. Without memory
 * nothing is printed, and a reader finds no document. */
void json_print(const json_t *value, size_t flags, FILE *stream)
{
    char *text = json_dumps(value, flags);
    for (const char *at = text; at != NULL && *at != '\0';) {
        const size_t unseen = kiln_utf8_unseen(at);
        const unsigned char *s = (const unsigned char *)at;
        if (unseen == 0) {
            putc(*at++, stream);
            continue;
        }
        const unsigned code = unseen == 2
                                  ? (s[0] & 0x1Fu) << 6 | (s[1] & 0x3Fu)
                                  : (s[0] & 0x0Fu) << 12 | (s[1] & 0x3Fu) << 6 | (s[2] & 0x3Fu);
        fprintf(stream, "\\u%04X", code);
        at += unseen;
    }
    free(text);
}

json_t *json_numbers(const double *values, size_t count)
{
    json_t *array = json_array();
    KILN_ASSERT(values != NULL);
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(array, json_number(values[i]));
    }
    return array;
}

void json_add_times(json_t *object, double *times, size_t count)
{
    const timing sum = timing_of(times, count);
    KILN_ASSERT(object != NULL);
    json_object_set_new(object, "us_median", count > 0 ? json_number(sum.median) : json_null());
    json_object_set_new(object, "us_mean", count > 0 ? json_number(sum.mean) : json_null());
    json_object_set_new(object, "us_p99", count > 0 ? json_number(sum.p99) : json_null());
}

json_t *json_count(unsigned long long value)
{
    return json_integer((json_int_t)value);
}
