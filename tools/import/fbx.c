/* A look at FBX before Assimp reads it, which takes a part of what the format allows. There is no
 * specification in public; the binary form is as Blender's developers have described it
 * ("FBX binary file format specification", 2013), and as programs write it.
 *
 * A binary file is a tree of records. Each has its end, the number and the bytes of its values, a
 * name, the values, and perhaps a list of records that an empty one ends. All sizes are checked
 * against what they are in, and errors name the record and its byte. Where a file differs from what
 * Assimp takes in form only, it is written anew, in memory, with the same records and values:
 *
 * - numbers with the high byte first, where byte 22 of the file is not 0;
 *
 * - records whose end is 0: they have no list, and end with their values;
 *
 * - lists that end where their record does, without an empty one;
 *
 * - values of one or two bytes where Assimp wants four: types B and Z anywhere, C and Y in a
 * property; arrays of type b, which are those of type c.
 *
 * Files as text have negative numbers of objects, in some cases. They become what the same 64 bits
 * are without a sign, as in binary files. */
#define _POSIX_C_SOURCE 200809L
#include "fbx.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "../../formats/assert.h"
#include "../common/memory.h"

enum {
    HEAD_SIZE = 27, /* of the file: its name, 1A, the order of bytes, the version */
    ORDER_AT = 22,
    VERSION_AT = 23,
    VERSION_WIDE = 7500,  /* and later: sizes of 64 bits */
    VERSION_LEAST = 7000, /* Assimp says of older ones that they are */
    NAME_MOST = 255,
    DEPTH_MOST = 64,  /* of records in records; programs write 8 or so */
    TAIL_MOST = 1024, /* behind the last record: about 180 bytes */
    PIECE_SIZE = 1 << 16,
    ARRAY_HEAD = 12,   /* count, packing, bytes */
    RATIO_MOST = 1032, /* of what is packed by zlib */
};

static const char magic[] = "Kaydara FBX Binary";

typedef struct {
    kiln_reading *reading;
    uint8_t *window; /* PIECE_SIZE bytes of the file */
    uint64_t window_at, window_size;
    bool big, wide; /* order and size of numbers */
    bool plain;     /* Assimp takes it as it is */
    bool zero_ends; /* a record has the end 0 */
    bool writes;    /* the second time through: */
    uint8_t *out;
    size_t out_size, out_capacity;
} fbx;

typedef struct {
    uint64_t at, end, count, length; /* at: its own first byte */
    unsigned name_length;
    char name[NAME_MOST + 1];
} record;

/* r NULL: at no record. */
static _Noreturn void fail(const fbx *f, const record *r, uint64_t at, const char *what)
{
    char where[NAME_MOST + 20] = "";

    if (r != NULL)
        snprintf(where, sizeof where, ", in record \"%.60s\"", r->name);
    kiln_send_failure(f->reading->sender, KILN_BAKE_INVALID,
                      "byte %" PRIu64 "%s: %s; export it again", at, where, what);
}

/* -- reading and writing -- */

/* The next `size` bytes, at most PIECE_SIZE; NULL: they are not there. */
static const uint8_t *peek(fbx *f, uint64_t at, size_t size)
{
    KILN_ASSERT(size <= PIECE_SIZE);
    if (at < f->window_at || size > f->window_size || at - f->window_at > f->window_size - size) {
        f->window_at = at;
        f->window_size = kiln_model_read(&f->reading->model, at, f->window, PIECE_SIZE);
    }
    return size <= f->window_size ? f->window + (at - f->window_at) : NULL;
}

static uint64_t number_of(const fbx *f, const uint8_t *from, unsigned bytes)
{
    return kiln_bytes_number(from, bytes, f->big);
}

/* Room for as many bytes at the end of what is written, which count as written. */
static uint8_t *extend(fbx *f, size_t size)
{
    void *out = f->out;
    const bool room = kiln_grow(&out, &f->out_capacity, f->out_size + size, 1);

    f->out = out;
    if (!room || (f->reading->memory != 0 && f->out_size > f->reading->memory))
        kiln_read_no_memory(f->reading);
    f->out_size += size;
    return f->out + f->out_size - size;
}

static void put_number(uint8_t *to, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static void write_bytes(fbx *f, const void *from, size_t size)
{
    if (f->writes && size > 0)
        memcpy(extend(f, size), from, size);
}

static void write_number(fbx *f, uint64_t value, unsigned bytes)
{
    if (f->writes)
        put_number(extend(f, bytes), value, bytes);
}

/* Bytes of the file, which are there, in elements of so many, with the low byte first. */
static void copy(fbx *f, uint64_t at, uint64_t size, unsigned width)
{
    for (uint64_t left = size; f->writes && left > 0;) {
        const size_t take = (size_t)(left < PIECE_SIZE ? left : PIECE_SIZE);
        const uint8_t *from = peek(f, at, take);
        uint8_t *to = extend(f, take);

        KILN_ASSERT(from != NULL && PIECE_SIZE % width == 0 && take % width == 0);
        memcpy(to, from, take);
        for (size_t i = 0; f->big && i < take; i += width)
            put_number(to + i, number_of(f, from + i, width), width);
        at += take;
        left -= take;
    }
}

/* -- values -- */

/* Bytes of a value, or of an element of an array; 0: there is no such type. */
static unsigned width_of(char type)
{
    switch (type) {
    case 'B':
    case 'C':
    case 'Z':
    case 'b':
    case 'c':
        return 1;
    case 'Y':
        return 2;
    case 'I':
    case 'F':
    case 'i':
    case 'f':
        return 4;
    case 'D':
    case 'L':
    case 'd':
    case 'l':
        return 8;
    default:
        return 0;
    }
}

/* Unpacks an array of numbers with the high byte first, and writes it with the low byte first and
 * not packed. */
static void unpack(fbx *f, const record *r, uint64_t at, uint64_t packed, uint64_t count,
                   unsigned width)
{
    const size_t size = (size_t)(count * width);
    const size_t start = f->out_size;
    z_stream stream = {.avail_out = (uInt)size};
    uint8_t *to;
    int code = Z_OK;

    if (count > UINT32_MAX / width || size / RATIO_MOST > packed)
        fail(f, r, at, "an array unpacks to more than its bytes can be");
    if (inflateInit(&stream) != Z_OK)
        kiln_read_no_memory(f->reading);
    to = extend(f, size);
    stream.next_out = to;
    for (uint64_t left = packed; code == Z_OK && left > 0;) {
        const size_t take = (size_t)(left < PIECE_SIZE ? left : PIECE_SIZE);

        stream.next_in = (uint8_t *)(uintptr_t)peek(f, at, take);
        stream.avail_in = (uInt)take;
        code = inflate(&stream, Z_NO_FLUSH);
        at += take;
        left -= take;
    }
    (void)inflateEnd(&stream);
    if (code != Z_STREAM_END || stream.avail_out != 0)
        fail(f, r, r->at, "an array can't be unpacked to as many numbers as it has");
    for (size_t i = start; i < start + size; i += width)
        put_number(f->out + i, number_of(f, f->out + i, width), width);
}

/* An array, whose type is written; returns its end. */
static uint64_t walk_array(fbx *f, const record *r, char type, uint64_t at, uint64_t end)
{
    const unsigned width = width_of(type);
    const uint8_t *head = end - at >= ARRAY_HEAD ? peek(f, at, ARRAY_HEAD) : NULL;
    uint64_t count, packing, size;

    if (head == NULL)
        fail(f, r, at, "its values end within an array");
    count = number_of(f, head, 4);
    packing = number_of(f, head + 4, 4);
    size = number_of(f, head + 8, 4);
    at += ARRAY_HEAD;
    if (packing > 1)
        fail(f, r, at, "an array is packed in a way that is not known");
    if (size > end - at)
        fail(f, r, at, "an array is longer than the values that it is one of");
    if (packing == 0 && size != count * width)
        fail(f, r, at, "an array has another number of bytes than its numbers need");
    if (f->writes && f->big && packing == 1) {
        write_number(f, count, 4);
        write_number(f, 0, 4);
        write_number(f, count * width, 4);
        unpack(f, r, at, size, count, width);
    } else {
        write_number(f, count, 4);
        write_number(f, packing, 4);
        write_number(f, size, 4);
        copy(f, at, size, packing == 0 ? width : 1);
    }
    return at + size;
}

/* A value; returns its end. */
static uint64_t walk_value(fbx *f, const record *r, uint64_t at, uint64_t end)
{
    const bool property = strcmp(r->name, "P") == 0;
    const uint8_t *first = at < end ? peek(f, at, 1) : NULL;
    const char type = first != NULL ? (char)first[0] : '\0';
    const unsigned width = width_of(type);
    const bool small = type == 'B' || type == 'Z' || (property && (type == 'C' || type == 'Y'));
    uint64_t size = width;
    uint8_t bytes[8];

    if (first == NULL)
        fail(f, r, at, "it has fewer values than it says");
    if (width == 0 && type != 'S' && type != 'R') {
        char what[60];

        snprintf(what, sizeof what,
                 type > ' ' && type <= '~' ? "a value is of type '%c', which is not known"
                                           : "a value is of type %d, which is not known",
                 first[0]);
        fail(f, r, at, what);
    }
    at++;
    if (small || type == 'b')
        f->plain = false;
    write_bytes(f, small ? "I" : type == 'b' ? "c" : &type, 1);
    if (width != 0 && type >= 'a')
        return walk_array(f, r, type, at, end);
    if (width == 0) {
        const uint8_t *length = end - at >= 4 ? peek(f, at, 4) : NULL;

        if (length == NULL)
            fail(f, r, at, "its values end within one");
        size = number_of(f, length, 4);
        at += 4;
        write_number(f, size, 4);
    }
    if (size > end - at)
        fail(f, r, at, "its values end within one");
    if (f->writes && small) {
        memcpy(bytes, peek(f, at, width), width);
        /* All have a sign but B, which is true or false. */
        write_number(f,
                     width == 2    ? (uint64_t)(int64_t)(int16_t)number_of(f, bytes, 2)
                     : type == 'B' ? bytes[0]
                                   : (uint64_t)(int64_t)(int8_t)bytes[0],
                     4);
    } else {
        copy(f, at, size, width != 0 ? width : 1);
    }
    return at + size;
}

/* -- records -- */

/* Reads what stands before the values of a record. False: it is the empty one that ends a list. */
static bool read_record(fbx *f, uint64_t *at, uint64_t limit, const record *in, record *r)
{
    const unsigned width = f->wide ? 8 : 4;
    const size_t head_size = 3 * width + 1;
    const uint8_t *head = limit - *at >= head_size ? peek(f, *at, head_size) : NULL;
    const uint8_t *name;

    if (head == NULL)
        fail(f, in, *at, "it ends within a record");
    *r = (record){.at = *at,
                  .end = number_of(f, head, width),
                  .count = number_of(f, head + width, width),
                  .length = number_of(f, head + 2 * width, width)};
    r->name_length = head[3 * width];
    *at += head_size;
    if (r->end == 0 && r->name_length == 0) {
        f->plain = f->plain && r->count == 0 && r->length == 0;
        return false;
    }
    name = r->name_length <= limit - *at ? peek(f, *at, r->name_length) : NULL;
    if (name == NULL)
        fail(f, in, *at, "it ends within a record");
    memcpy(r->name, name, r->name_length);
    *at += r->name_length;
    if (r->end != 0 && (r->end > limit || r->end < *at))
        fail(f, r, r->at, "its end is not behind it, or is beyond what it is in");
    if (r->length > (r->end != 0 ? r->end : limit) - *at)
        fail(f, r, r->at, "its values are longer than it");
    return true;
}

/* Walks through a list of records up to `limit`, and writes them. Returns where it ends. */
static uint64_t walk_list(fbx *f, uint64_t at, uint64_t limit, const record *in, unsigned depth)
{
    const unsigned width = f->wide ? 8 : 4;
    bool ended = false;

    if (depth > DEPTH_MOST)
        fail(f, in, at, "records in records are deeper than any program writes them");
    while (at < limit && !ended) {
        size_t head = f->out_size;
        uint64_t values;
        record r;

        if (!read_record(f, &at, limit, in, &r)) {
            ended = true;
            break;
        }
        if (f->writes) {
            memset(extend(f, 3 * width), 0, 3 * width);
            write_number(f, r.name_length, 1);
            write_bytes(f, r.name, r.name_length);
        }
        values = f->out_size;
        const uint64_t values_end = at + r.length;

        for (uint64_t i = 0; i < r.count; i++)
            at = walk_value(f, &r, at, values_end);
        if (at != values_end)
            fail(f, &r, at, "its values are shorter than it says");
        values = f->out_size - values;
        if (r.end == 0)
            f->plain = false, f->zero_ends = true;
        else if (at < r.end)
            at = walk_list(f, at, r.end, &r, depth + 1);
        if (r.end != 0 && at != r.end)
            fail(f, &r, at, "bytes are left behind its records");
        if (f->writes) {
            put_number(f->out + head, f->out_size, width);
            put_number(f->out + head + width, r.count, width);
            put_number(f->out + head + 2 * width, values, width);
        }
    }
    /* At the end of the file, Assimp needs none. */
    if (!ended && depth > 0)
        f->plain = false;
    if (f->writes)
        memset(extend(f, 3 * width + 1), 0, 3 * width + 1);
    return at;
}

/* Whether a record may begin here: a name of letters where one would be. */
static bool is_record(fbx *f, uint64_t at)
{
    const size_t head_size = f->wide ? 25 : 13;
    const uint8_t *head = peek(f, at, head_size);
    const unsigned length = head != NULL ? head[head_size - 1] : 0;
    const uint8_t *name = length > 0 ? peek(f, at + head_size, length) : NULL;
    bool letters = name != NULL;

    for (unsigned i = 0; letters && i < length; i++)
        letters = (name[i] >= '0' && name[i] <= '9') || (name[i] >= 'A' && name[i] <= 'Z') ||
                  (name[i] >= 'a' && name[i] <= 'z') || name[i] == '_';
    return letters;
}

static void look_at_binary(kiln_reading *reading)
{
    fbx f = {.reading = reading, .window = malloc(PIECE_SIZE), .plain = true};
    const uint64_t size = reading->model.size;
    const uint8_t *head;
    uint64_t version, end;

    if (f.window == NULL)
        kiln_read_no_memory(reading);
    head = peek(&f, 0, HEAD_SIZE);
    if (head == NULL)
        fail(&f, NULL, size, "the file ends within its first bytes");
    f.big = head[ORDER_AT] != 0;
    version = number_of(&f, head + VERSION_AT, 4);
    f.wide = version >= VERSION_WIDE;
    f.plain = !f.big;
    if (version < VERSION_LEAST) {
        free(f.window);
        return;
    }
    end = walk_list(&f, HEAD_SIZE, size, NULL, 0);
    /* Where a record has the end 0 and has a list all the same, the list would end the file. */
    if (f.zero_ends && (size - end > TAIL_MOST || is_record(&f, end)))
        fail(&f, NULL, end, "the records end here, and more follow: some have a list and no end");
    if (!f.plain) {
        f.writes = true;
        write_bytes(&f, peek(&f, 0, ORDER_AT), ORDER_AT);
        write_number(&f, 0, 1);
        write_number(&f, version, 4);
        (void)walk_list(&f, HEAD_SIZE, size, NULL, 0);
        if (!f.wide && f.out_size > UINT32_MAX)
            kiln_read_no_memory(reading);
        /* The file stays open for whoever compares it. */
        reading->model = (kiln_model){.file = -1, .data = f.out, .size = f.out_size};
    }
    free(f.window);
}

/* -- text -- */

/* Whether a number with a minus stands here, behind blanks; *digits is where the minus is. */
static bool is_negative(const char *at, const char *end, const char **digits)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    *digits = at;
    return end - at > 1 && at[0] == '-' && at[1] >= '0' && at[1] <= '9';
}

/* Writes bytes of a text up to a negative number, and that without a sign; returns where it ends.
 */
static const char *write_id(fbx *f, const char *from, const char *minus)
{
    char *end, text[24];
    const long long value = strtoll(minus, &end, 10);

    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    write_bytes(f, from, (size_t)(minus - from));
    write_bytes(f, text, strlen(text));
    f->plain = false;
    return end;
}

/* A line of text: the number of an object stands first in its record, before a name; those of a
 * connection, C, behind commas. */
static void walk_line(fbx *f, const char *line, const char *end)
{
    const char *at = line, *word, *written = line, *minus;
    bool quoted = false;

    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    word = at;
    while (at < end && *at != ':' && *at != '"' && *at != ',' && *at != ';')
        at++;
    if (at < end && *at == ':' && at - word == 1 && *word == 'C') {
        for (; at < end; at++) {
            quoted ^= *at == '"';
            if (*at == ',' && !quoted && is_negative(at + 1, end, &minus))
                written = write_id(f, written, minus);
        }
    } else if (at < end && *at == ':' && is_negative(at + 1, end, &minus)) {
        const char *rest = minus + 1;

        while (rest < end && *rest >= '0' && *rest <= '9')
            rest++;
        while (rest < end && (*rest == ' ' || *rest == '\t'))
            rest++;
        if (rest < end && *rest == ',' && memchr(rest, '"', (size_t)(end - rest)) != NULL)
            written = write_id(f, written, minus);
    }
    write_bytes(f, written, (size_t)(end - written));
}

static void look_at_text(kiln_reading *reading)
{
    fbx f = {.reading = reading, .plain = true};
    const size_t size = (size_t)reading->model.size;
    char *text = reading->memory == 0 || size < reading->memory ? malloc(size + 1) : NULL;

    if (text == NULL)
        kiln_read_no_memory(reading);
    if (kiln_model_read(&reading->model, 0, text, size) != size)
        fail(&f, NULL, 0, "the file can't be read");
    text[size] = '\0';
    /* The second time, where the first has found a number, the text is written anew. */
    for (int times = 0; times < 2 && (times == 0 || !f.plain); times++) {
        f.writes = times > 0;
        for (const char *at = text, *end = text + size; at < end;) {
            const char *line_end = memchr(at, '\n', (size_t)(end - at));
            const char *next = line_end != NULL ? line_end + 1 : end;

            walk_line(&f, at, next);
            at = next;
        }
    }
    free(text);
    if (!f.plain)
        reading->model = (kiln_model){.file = -1, .data = f.out, .size = f.out_size};
}

void kiln_look_at_fbx(kiln_reading *reading)
{
    char start[sizeof magic - 1] = "";

    (void)kiln_model_read(&reading->model, 0, start, sizeof start);
    if (memcmp(start, magic, sizeof start) == 0)
        look_at_binary(reading);
    else
        look_at_text(reading);
}
