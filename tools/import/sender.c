/* The sending side of a scene, in the child process (the receiving side is scene.c). What goes
 * through the pipe are pieces: a header of 16 bytes (array, zero, bytes) and whole elements of one
 * array. Each array is gathered in a buffer of its own, which is sent when it is full; so readers
 * may send single elements, in any order among arrays. A piece without bytes ends the scene.
 *
 * A pipe that breaks means that the parent has given up, and ends the work. Without a pipe, when
 * the program runs by hand, pieces go nowhere: what a person wants to see is printed instead. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../formats/assert.h"
#include "scene.h"

enum { BUFFER_SIZE = 1 << 16 };

struct kiln_sender {
    int pipe;
    uint32_t strings_size;
    uint64_t sent[KILN_ARRAY_COUNT]; /* elements */
    size_t have[KILN_ARRAY_COUNT];
    uint8_t buffers[KILN_ARRAY_COUNT][BUFFER_SIZE];
    const char *other; /* the format by the first bytes */
};

/* Writes all of it. The pipe blocks while the parent is busy. */
static void put(const kiln_sender *sender, const void *data, size_t size)
{
    const uint8_t *bytes = data;

    while (sender->pipe >= 0 && size > 0) {
        ssize_t done = write(sender->pipe, bytes, size);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            _exit(1);
        bytes += done;
        size -= (size_t)done;
    }
}

static void put_header(const kiln_sender *sender, uint32_t array, uint64_t bytes)
{
    /* Integers as they lie in memory: both ends are one program on one machine. */
    uint8_t header[16] = {0};

    memcpy(header, &array, sizeof array);
    memcpy(header + 8, &bytes, sizeof bytes);
    put(sender, header, sizeof header);
}

static void flush(kiln_sender *sender, kiln_array array)
{
    if (sender->have[array] == 0)
        return;
    put_header(sender, (uint32_t)array, sender->have[array]);
    put(sender, sender->buffers[array], sender->have[array]);
    sender->have[array] = 0;
}

kiln_sender *kiln_sender_start(int pipe)
{
    kiln_sender *sender = calloc(1, sizeof *sender);

    if (sender == NULL)
        _exit(1);
    sender->pipe = pipe;
    kiln_send_string(sender, "", 0);
    return sender;
}

void kiln_send(kiln_sender *sender, kiln_array array, const void *elements, size_t count)
{
    size_t element = kiln_array_element(array);
    const uint8_t *bytes = elements;

    KILN_ASSERT(array < KILN_ARRAY_COUNT && element <= BUFFER_SIZE);
    sender->sent[array] += count;
    while (count > 0) {
        /* Never 0: a full buffer was sent at once. */
        size_t room = (BUFFER_SIZE - sender->have[array]) / element;
        size_t take = count < room ? count : room;

        KILN_ASSERT(room > 0 && sender->have[array] % element == 0);
        memcpy(sender->buffers[array] + sender->have[array], bytes, take * element);
        sender->have[array] += take * element;
        bytes += take * element;
        count -= take;
        if (take == room)
            flush(sender, array);
    }
}

void kiln_send_u32(kiln_sender *sender, kiln_array array, uint32_t value)
{
    kiln_send(sender, array, &value, 1);
}

uint32_t kiln_send_string(kiln_sender *sender, const char *text, size_t length)
{
    uint32_t offset = sender->strings_size;
    const char *zero = memchr(text, '\0', length);

    /* A name may come with zero bytes in it; it ends at the first. Offset 0 is the empty string,
     * which stands for what no longer has room. */
    if (zero != NULL)
        length = (size_t)(zero - text);
    if (length >= 0x7FFFFFFFu - offset)
        return 0;
    kiln_send(sender, KILN_ARRAY_STRINGS, text, length);
    kiln_send(sender, KILN_ARRAY_STRINGS, "", 1);
    sender->strings_size += (uint32_t)length + 1;
    return offset;
}

/* Sends a message that is an error or a warning. */
static uint32_t send_text(kiln_sender *sender, const char *what, const char *format,
                          va_list arguments)
{
    char text[2048];

    vsnprintf(text, sizeof text, format, arguments);
    if (sender->pipe < 0)
        fprintf(stderr, "%s: %s\n", what, text);
    return kiln_send_string(sender, text, strlen(text));
}

void kiln_send_warning(kiln_sender *sender, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    kiln_send_u32(sender, KILN_ARRAY_WARNINGS, send_text(sender, "warning", format, arguments));
    va_end(arguments);
}

/* The last pieces of all arrays, and the piece without bytes. */
void kiln_send_end(kiln_sender *sender)
{
    if (sender->pipe < 0)
        printf("%llu vertices, %llu faces, %llu meshes, %llu nodes, %llu places, %llu materials, "
               "%llu side files\n",
               (unsigned long long)sender->sent[KILN_ARRAY_POSITIONS],
               (unsigned long long)sender->sent[KILN_ARRAY_SIZES],
               (unsigned long long)sender->sent[KILN_ARRAY_MESHES],
               (unsigned long long)sender->sent[KILN_ARRAY_NODES],
               (unsigned long long)sender->sent[KILN_ARRAY_PLACES],
               (unsigned long long)sender->sent[KILN_ARRAY_MATERIALS],
               (unsigned long long)sender->sent[KILN_ARRAY_SIDE_FILES]);
    for (int i = 0; i < KILN_ARRAY_COUNT; i++)
        flush(sender, (kiln_array)i);
    put_header(sender, 0, 0);
}

void kiln_sender_set_other(kiln_sender *sender, const char *extension)
{
    sender->other = extension;
}

/* The parent takes a failure for the whole scene, whatever was sent before. */
void kiln_send_failure(kiln_sender *sender, kiln_bake_status status, const char *format, ...)
{
    static const char misnamed[] =
        "its first bytes are those of a .%s file; rename it, or give its format (--format %s)";
    const char *other = sender->other;
    char text[sizeof misnamed + 64];
    kiln_scene_failure failure = {.status = (int32_t)status, .message = 0};
    va_list arguments;

    if (other != NULL && (status == KILN_BAKE_INVALID || status == KILN_BAKE_UNSUPPORTED)) {
        failure.status = KILN_BAKE_INVALID;
        (void)snprintf(text, sizeof text, misnamed, other, other);
        format = text;
    }
    va_start(arguments, format);
    failure.message = send_text(sender, "error", format, arguments);
    va_end(arguments);
    kiln_send(sender, KILN_ARRAY_FAILURE, &failure, 1);
    if (sender->pipe < 0)
        _exit((int)status);
    kiln_send_end(sender);
    _exit(0);
}
