/* Pictures by gnuplot, which runs in a process of its own: its script is a file and its picture
 * comes through a pipe. The picture is then made the same at every time, and signed, so that a
 * later run knows that it may be replaced: an SVG by its title, a PNG by a chunk of text, a PDF by
 * the four bytes of the comment that the second line of every PDF is. */
#define _POSIX_C_SOURCE 200809L

#include "figure.h"

#include "../../../formats/assert.h"

#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

/* ---------------------------------------------------------------------------------- formats -- */

static const struct {
    const char *suffix;
    figure_format format;
} suffixes[] = {{".svg", FIGURE_SVG}, {".pdf", FIGURE_PDF}, {".png", FIGURE_PNG}};

bool figure_format_of(const char *path, figure_format *format)
{
    const size_t length = strlen(path);
    *format = FIGURE_SVG;
    if (strcmp(path, "-") == 0) {
        return true;
    }
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        if (length > 4 && strcmp(path + length - 4, suffixes[i].suffix) == 0) {
            *format = suffixes[i].format;
            return true;
        }
    }
    return false;
}

/* "kiln" with the highest bits set: the specification of PDF asks for four bytes of at least 128.
 * They stand after "%PDF-1.N\n%". */
static const char pdf_mark[] = "\xEB\xE9\xEC\xEE";
enum { PDF_MARK_AT = 10 };

/* After the signature and the chunk IHDR: length, "tEXt", keyword and text, sum. */
static const char png_text[] = "tEXtSoftware\0kiln-bench";
enum { PNG_CHUNK_AT = 33, PNG_CHUNK_SIZE = 4 + (int)sizeof png_text - 1 + 4 };

bool figure_is_own(const char *bytes, size_t size)
{
    if (size > PDF_MARK_AT + 4 && memcmp(bytes, "%PDF-", 5) == 0) {
        return memcmp(bytes + PDF_MARK_AT, pdf_mark, 4) == 0;
    }
    if (size > PNG_CHUNK_AT + PNG_CHUNK_SIZE && memcmp(bytes, "\x89PNG", 4) == 0) {
        return memcmp(bytes + PNG_CHUNK_AT + 4, png_text, sizeof png_text - 1) == 0;
    }
    return size > 0 && bytes[0] == '<' && strstr(bytes, "<title>kiln_bench_") != NULL;
}

/* ------------------------------------------------------------------------------------- stamps - */

/* cairo writes when it drew, and knows no option against it. */
static void clear_date(char *bytes, size_t size)
{
    static const char head[] = "/CreationDate (D:", date[] = "20000101000000";
    const size_t length = sizeof head - 1 + sizeof date - 1;
    for (size_t i = 0; i + length <= size; i++) {
        if (memcmp(bytes + i, head, sizeof head - 1) == 0) {
            memcpy(bytes + i + sizeof head - 1, date, sizeof date - 1);
        }
    }
}

static void put_big(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        at[i] = (unsigned char)(value >> (24 - 8 * i));
    }
}

/* False: no memory, or the picture is none. */
static bool sign(figure_format format, void **picture, size_t *size)
{
    char *bytes = *picture;
    if (format == FIGURE_PDF) {
        if (*size < PDF_MARK_AT + 4 || memcmp(bytes, "%PDF-", 5) != 0) {
            return false;
        }
        memcpy(bytes + PDF_MARK_AT, pdf_mark, 4);
        clear_date(bytes, *size);
    } else if (format == FIGURE_PNG) {
        if (*size < PNG_CHUNK_AT || memcmp(bytes, "\x89PNG", 4) != 0 ||
            (bytes = realloc(bytes, *size + PNG_CHUNK_SIZE)) == NULL) {
            return false;
        }
        *picture = bytes;
        memmove(bytes + PNG_CHUNK_AT + PNG_CHUNK_SIZE, bytes + PNG_CHUNK_AT, *size - PNG_CHUNK_AT);
        *size += PNG_CHUNK_SIZE;
        unsigned char *chunk = (unsigned char *)bytes + PNG_CHUNK_AT;
        const uint32_t text = sizeof png_text - 1;
        put_big(chunk, text - 4);
        memcpy(chunk + 4, png_text, text);
        put_big(chunk + 4 + text, (uint32_t)crc32(crc32(0, NULL, 0), chunk + 4, text));
    }
    return true;
}

/* ----------------------------------------------------------------------------------- gnuplot - */

extern char **environ;

enum { READ_STEP = 1 << 16 };

static bool fail(char *message, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    (void)vsnprintf(message, FIGURE_MESSAGE_SIZE, format, values);
    va_end(values);
    return false;
}

bool figure_can_draw(void)
{
    const char *path = getenv("PATH");
    char name[4096];
    for (const char *at = path != NULL ? path : "/usr/bin:/bin"; *at != '\0';) {
        const size_t length = strcspn(at, ":");
        if (length > 0 && length < sizeof name - 10) {
            (void)snprintf(name, sizeof name, "%.*s/gnuplot", (int)length, at);
            if (access(name, X_OK) == 0) {
                return true;
            }
        }
        at += length;
        at += *at == ':';
    }
    return false;
}

/* Starts gnuplot reading from `input` and writing to `output`; 0 or an errno. */
static int start_gnuplot(int input, const int output[2], pid_t *child)
{
    char name[] = "gnuplot", from[] = "-";
    char *const arguments[] = {name, from, NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        return error;
    }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, output[0]);
    error = posix_spawnp(child, name, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Everything that comes until the other end closes. */
static bool read_all(int descriptor, void **data, size_t *size, char *message)
{
    char *bytes = NULL;
    size_t used = 0, capacity = 0;
    for (;;) {
        if (capacity - used < READ_STEP) {
            capacity = 2 * capacity + READ_STEP;
            char *more = realloc(bytes, capacity);
            if (more == NULL) {
                free(bytes);
                return fail(message, "out of memory; free some");
            }
            bytes = more;
        }
        KILN_ASSERT(capacity - used >= READ_STEP);
        const ssize_t got = read(descriptor, bytes + used, capacity - used);
        if (got == 0) {
            *data = bytes;
            *size = used;
            return true;
        }
        if (got < 0 && errno != EINTR) {
            free(bytes);
            return fail(message, "can't be read from; %s", strerror(errno));
        }
        used += got > 0 ? (size_t)got : 0;
    }
}

/* The script is a file and not a pipe, since a pipe to a process that writes at the same time may
 * block both. */
static bool run_on(FILE *script, void **picture, size_t *size, char *message)
{
    int output[2], status;
    pid_t child;
    if (pipe(output) != 0) {
        return fail(message, "can't be started; %s", strerror(errno));
    }
    const int error = start_gnuplot(fileno(script), output, &child);
    /* Only the child writes from here on, so that reading ends when it does. */
    close(output[1]);
    if (error != 0) {
        close(output[0]);
        return fail(message,
                    "can't be started; %s; install the package gnuplot-nox, or what has gnuplot "
                    "here",
                    strerror(error));
    }
    bool done = read_all(output[0], picture, size, message);
    close(output[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (done && (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || *size == 0)) {
        free(*picture);
        *picture = NULL;
        done = fail(message, "drew nothing; its message is above; is it version 5 or later, with "
                             "its terminals svg, pdfcairo and pngcairo?");
    }
    return done;
}

bool figure_draw(const figure *of, figure_format format, void **picture, size_t *size,
                 char *message)
{
    if (of->failed) {
        return fail(message, "out of memory; free some");
    }
    FILE *script = tmpfile();
    if (script != NULL) {
        figure_write_script(of, format, script);
    }
    if (script == NULL || fflush(script) != 0 || fseek(script, 0, SEEK_SET) != 0) {
        const int error = errno;
        if (script != NULL) {
            fclose(script);
        }
        return fail(message, "a scratch file can't be written; %s; check TMPDIR", strerror(error));
    }
    bool done = run_on(script, picture, size, message);
    fclose(script);
    if (done && !sign(format, picture, size)) {
        free(*picture);
        *picture = NULL;
        done = fail(message, "gives no picture that can be signed; is it the gnuplot that draws?");
    }
    return done;
}
