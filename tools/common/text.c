/* Text: names as UTF-8 and in JSON, the errors of reports, and words for numbers in messages.
 *
 * Names come from files and folders, where any byte may stand. Whatever leaves the program in a
 * document or a file is made well-formed first, after RFC 3629, section 4; messages on the terminal
 * keep the bytes. */
#define _XOPEN_SOURCE 700
#include "text.h"

#include "../../formats/assert.h"

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------ UTF-8 -- */

/* Well-formedness after RFC 3629, section 4. */

/* Is the byte in the range? */
static bool follows(unsigned char byte, unsigned char lower, unsigned char upper)
{
    KILN_ASSERT(lower <= upper);
    return byte >= lower && byte <= upper;
}

/* Length of the well-formed sequence at `s`, or 0. */
static size_t sequence_length(const unsigned char *s)
{
    if (s[0] < 0x80) {
        return 1;
    }
    if (follows(s[0], 0xC2, 0xDF)) {
        return follows(s[1], 0x80, 0xBF) ? 2 : 0;
    }
    if (follows(s[0], 0xE0, 0xEF)) {
        /* The second byte is bounded further: below it a shorter form would exist, above it lie
         * surrogates, or numbers beyond U+10FFFF for four bytes. */
        const unsigned char lower = s[0] == 0xE0 ? 0xA0 : 0x80;
        const unsigned char upper = s[0] == 0xED ? 0x9F : 0xBF;
        return follows(s[1], lower, upper) && follows(s[2], 0x80, 0xBF) ? 3 : 0;
    }
    if (follows(s[0], 0xF0, 0xF4)) {
        const unsigned char lower = s[0] == 0xF0 ? 0x90 : 0x80;
        const unsigned char upper = s[0] == 0xF4 ? 0x8F : 0xBF;
        return follows(s[1], lower, upper) && follows(s[2], 0x80, 0xBF) && follows(s[3], 0x80, 0xBF)
                   ? 4
                   : 0;
    }
    return 0;
}

/* A byte grows to three at most, so one allocation is enough. */
char *kiln_utf8_clean(const char *bytes)
{
    KILN_ASSERT(bytes != NULL);
    const unsigned char *in = (const unsigned char *)bytes;
    char *clean = malloc(3 * strlen(bytes) + 1);
    if (clean == NULL) {
        return NULL;
    }
    char *out = clean;
    while (*in != 0) {
        const size_t length = sequence_length(in);
        if (length > 0) {
            memcpy(out, in, length);
            out += length;
            in += length;
        } else {
            memcpy(out, "\xEF\xBF\xBD", 3);
            out += 3;
            in++;
        }
    }
    *out = '\0';
    return clean;
}

/* Sequences near the end are looked at in a copy with zeros after it, which end every sequence. */
size_t kiln_utf8_span(const char *bytes, size_t size)
{
    KILN_ASSERT(bytes != NULL || size == 0);
    size_t at = 0;
    while (at < size) {
        unsigned char end[4] = {0};
        const bool near_end = size - at < sizeof end;
        if (near_end) {
            memcpy(end, bytes + at, size - at);
        }
        const size_t length = sequence_length(near_end ? end : (const unsigned char *)bytes + at);
        if (length == 0) {
            break;
        }
        at += length;
    }
    return at;
}

/* U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069: Unicode Standard Annex 9. */
size_t kiln_utf8_unseen(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    if ((s[0] == 0xC2 && follows(s[1], 0x80, 0x9F)) || (s[0] == 0xD8 && s[1] == 0x9C)) {
        return 2;
    }
    const bool is_mark =
        s[0] == 0xE2 && s[1] == 0x80 && (follows(s[2], 0x8E, 0x8F) || follows(s[2], 0xAA, 0xAE));
    const bool is_isolate = s[0] == 0xE2 && s[1] == 0x81 && follows(s[2], 0xA6, 0xA9);
    return is_mark || is_isolate ? 3 : 0;
}

json_t *kiln_json_text(const char *text)
{
    char *clean = kiln_utf8_clean(text);
    json_t *value = clean != NULL ? json_string(clean) : NULL;
    free(clean);
    return value;
}

/* --------------------------------------------------------------------------------- messages -- */

/* Writes `path` and ": " and returns how many bytes that took. */
static size_t put_name(char *text, size_t size, const char *path)
{
    KILN_ASSERT(size > 16);
    /* Of a long path the first and the last quarter of the room are shown, since both ends tell
     * which file it is, and half of the room is left for what is said of it. */
    size_t length = strlen(path);
    int part = (int)(size / 4);
    int put = length <= 2 * (size_t)part
                  ? snprintf(text, size, "%s: ", path)
                  : snprintf(text, size, "%.*s...%s: ", part, path, path + length - (size_t)part);

    return put > 0 ? (size_t)put : 0;
}

/* The name is put first, since it may take half of the room and what is said of it the rest. */
void kiln_bake_report_error(kiln_bake_report *report, const char *path, const char *format, ...)
{
    KILN_ASSERT(format != NULL);
    va_list arguments;
    size_t used;

    if (report == NULL)
        return;
    used = put_name(report->error, sizeof report->error, path != NULL ? path : "(memory)");
    va_start(arguments, format);
    vsnprintf(report->error + used, sizeof report->error - used, format, arguments);
    va_end(arguments);
}

const char *kiln_message_bytes(uint64_t bytes, char text[KILN_MESSAGE_BYTES_SIZE])
{
    /* Rounded down, as a limit that is stated must not be above the real one. */
    const unsigned shift = bytes >> 20 != 0 ? 20 : bytes >> 10 != 0 ? 10 : 0;
    const char *unit = shift == 20 ? "MiB" : shift == 10 ? "KiB" : bytes == 1 ? "byte" : "bytes";

    snprintf(text, KILN_MESSAGE_BYTES_SIZE, "%llu %s", (unsigned long long)(bytes >> shift), unit);
    return text;
}

const char *kiln_signal_text(int number)
{
    static const struct {
        int number;
        const char *text;
    } texts[] = {{SIGABRT, "Aborted"},
                 {SIGBUS, "Bus error"},
                 {SIGFPE, "Floating point exception"},
                 {SIGHUP, "Hangup"},
                 {SIGILL, "Illegal instruction"},
                 {SIGINT, "Interrupt"},
                 {SIGKILL, "Killed"},
                 {SIGPIPE, "Broken pipe"},
                 {SIGQUIT, "Quit"},
                 {SIGSEGV, "Segmentation fault"},
                 {SIGSYS, "Bad system call"},
                 {SIGTERM, "Terminated"},
                 {SIGTRAP, "Trace/breakpoint trap"},
                 {SIGXCPU, "CPU time limit exceeded"},
                 {SIGXFSZ, "File size limit exceeded"}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (texts[i].number == number) {
            return texts[i].text;
        }
    }
    return "signal of another kind";
}
