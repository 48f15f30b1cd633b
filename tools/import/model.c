/* The bytes of a model, read by position from a file or from memory, and its lines of text.
 *
 * Files are read in blocks of FETCH_SIZE and never mapped: a file that another process cuts short
 * would end this one by SIGBUS. A line may be longer than a block; it is gathered in a buffer that
 * grows. Text in UTF-16, which some programs write, becomes UTF-8; any other is taken as bytes. */
#define _POSIX_C_SOURCE 200809L
#include "model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "../../formats/assert.h"
#include "../common/memory.h"

enum { FETCH_SIZE = 1 << 16 };

/* By position, since the descriptor's own is shared with the parent of the reading process. */
size_t kiln_model_read(const kiln_model *model, uint64_t offset, void *to, size_t size)
{
    size_t have = 0;

    if (offset >= model->size)
        return 0;
    if (size > model->size - offset)
        size = (size_t)(model->size - offset);
    if (model->file < 0) { /* in memory */
        memcpy(to, model->data + offset, size);
        return size;
    }
    while (have < size) {
        ssize_t got = pread(model->file, (char *)to + have, size - have, (off_t)(offset + have));

        if (got < 0 && errno == EINTR)
            continue;
        /* The end comes early when another process cuts the file short. */
        if (got <= 0)
            break;
        have += (size_t)got;
    }
    KILN_ASSERT(have <= size);
    return have;
}

/* The first line of every pointer, by the specification of Git LFS, which also says
 * that a pointer has fewer than 1024 bytes. */
bool kiln_model_is_lfs_pointer(const kiln_model *model)
{
    static const char start[] = "version https://git-lfs.github.com/spec/v";
    char text[sizeof start - 1];

    return model->size < 1024 && kiln_model_read(model, 0, text, sizeof text) == sizeof text &&
           memcmp(text, start, sizeof text) == 0;
}

/* By blocks, as with reading: a model may be larger than memory. */
uint32_t kiln_model_crc(const kiln_model *model)
{
    uint8_t *block = malloc(FETCH_SIZE);
    uLong crc = crc32(0, NULL, 0);
    uint64_t at = 0;
    size_t got = block != NULL ? kiln_model_read(model, 0, block, FETCH_SIZE) : 0;

    for (; got > 0; got = kiln_model_read(model, at, block, FETCH_SIZE)) {
        crc = crc32(crc, block, (uInt)got);
        at += got;
    }
    free(block);
    return at == model->size ? (uint32_t)crc : 0;
}

/* `offset` is not 0 for text that follows a binary part; there is no mark then. */
bool kiln_lines_start(kiln_lines *lines, const kiln_model *model, uint64_t offset,
                      kiln_line_continued *continued)
{
    uint8_t mark[3] = {0};
    size_t got = offset == 0 ? kiln_model_read(model, 0, mark, sizeof mark) : 0;

    memset(lines, 0, sizeof *lines);
    lines->model = model;
    lines->offset = offset;
    lines->continued = continued;
    /* The byte order mark: of UTF-16 in either order, or of UTF-8, where it is only skipped. */
    if (got >= 2 && mark[0] == 0xFF && mark[1] == 0xFE)
        lines->wide = 1;
    else if (got >= 2 && mark[0] == 0xFE && mark[1] == 0xFF)
        lines->wide = 2;
    if (lines->wide != 0)
        lines->offset += 2;
    else if (got == 3 && memcmp(mark, "\xEF\xBB\xBF", 3) == 0)
        lines->offset += 3;
    lines->fetched = malloc(FETCH_SIZE);
    return lines->fetched != NULL;
}

void kiln_lines_end(kiln_lines *lines)
{
    free(lines->fetched);
    free(lines->line);
    memset(lines, 0, sizeof *lines);
}

uint64_t kiln_lines_tell(const kiln_lines *lines)
{
    KILN_ASSERT(lines->at <= lines->have && lines->have - lines->at <= lines->offset);
    return lines->offset - (lines->have - lines->at);
}

/* The code unit that comes next, without taking it; -1 at the end. */
static int peek(kiln_lines *lines)
{
    size_t unit = lines->wide != 0 ? 2 : 1;

    /* A code unit may be cut by the end of the block: what is left of it is fetched again. */
    if (lines->have - lines->at < unit) {
        uint64_t from = kiln_lines_tell(lines);

        lines->have = kiln_model_read(lines->model, from, lines->fetched, FETCH_SIZE);
        lines->at = 0;
        lines->offset = from + lines->have;
        if (lines->have < unit)
            return -1;
    }
    /* Bytes stay as they are, whatever the encoding. */
    if (lines->wide == 0)
        return lines->fetched[lines->at];
    return lines->fetched[lines->at + (lines->wide == 2 ? 1 : 0)] |
           lines->fetched[lines->at + (lines->wide == 1 ? 1 : 0)] << 8;
}

/* Takes the code unit that peek has given. */
static void skip(kiln_lines *lines)
{
    KILN_ASSERT(lines->at < lines->have);
    lines->at += lines->wide != 0 ? 2 : 1;
}

/* Appends a code unit as UTF-8 to the line, which has *length bytes. Of the two surrogates of a
 * character the first becomes three bytes, which the second replaces by the four of UTF-8; one
 * alone stays three bytes, which is no UTF-8: names are cleaned of them later. */
static bool append(kiln_lines *lines, size_t *length, int unit)
{
    void *line = lines->line;
    bool room = kiln_grow(&line, &lines->line_capacity, *length + 4, 1);
    uint8_t *to;

    lines->line = line;
    if (!room)
        return false;
    to = lines->line + *length;
    if (unit >= 0xDC00 && unit <= 0xDFFF && *length >= 3 && to[-3] == 0xED && to[-2] >= 0xA0 &&
        to[-2] <= 0xAF) {
        const int high = (to[-2] & 0xF) << 6 | (to[-1] & 0x3F);
        const int point = 0x10000 + (high << 10 | (unit & 0x3FF));

        to[-3] = (uint8_t)(0xF0 | point >> 18);
        to[-2] = (uint8_t)(0x80 | (point >> 12 & 0x3F));
        to[-1] = (uint8_t)(0x80 | (point >> 6 & 0x3F));
        to[0] = (uint8_t)(0x80 | (point & 0x3F));
        *length += 1;
    } else if (unit < 0x80 || lines->wide == 0) {
        to[0] = (uint8_t)unit;
        *length += 1;
    } else if (unit < 0x800) {
        to[0] = (uint8_t)(0xC0 | unit >> 6);
        to[1] = (uint8_t)(0x80 | (unit & 0x3F));
        *length += 2;
    } else {
        to[0] = (uint8_t)(0xE0 | unit >> 12);
        to[1] = (uint8_t)(0x80 | (unit >> 6 & 0x3F));
        to[2] = (uint8_t)(0x80 | (unit & 0x3F));
        *length += 3;
    }
    return true;
}

/* Appends what is fetched of the line, as bytes: up to its end or that of the block. */
static bool append_run(kiln_lines *lines, size_t *length)
{
    const uint8_t *from = lines->fetched + lines->at;
    size_t run = 0, most = lines->have - lines->at;
    void *line = lines->line;
    bool room;

    while (run < most && from[run] != '\n' && from[run] != '\r')
        run++;
    room = kiln_grow(&line, &lines->line_capacity, *length + run + 1, 1);
    lines->line = line;
    if (!room)
        return false;
    memcpy(lines->line + *length, from, run);
    *length += run;
    lines->at += run;
    return true;
}

/* Whether the line goes on in the next; its mark becomes a blank, which separates words. */
static bool goes_on(kiln_lines *lines, size_t *length)
{
    size_t keep = lines->continued != NULL && *length > 0
                      ? lines->continued((const char *)lines->line, *length)
                      : KILN_LINE_ENDS;

    if (keep == KILN_LINE_ENDS)
        return false;
    KILN_ASSERT(keep < *length);
    lines->line[keep] = ' ';
    *length = keep + 1;
    return true;
}

char *kiln_lines_next(kiln_lines *lines, size_t *length, bool *no_memory)
{
    int unit = peek(lines);
    bool joined = false; /* to a line of which nothing has come yet */

    *length = 0;
    *no_memory = false;
    if (unit < 0)
        return NULL;
    for (; unit >= 0; unit = peek(lines)) {
        if (unit == '\n' || unit == '\r') {
            /* LF, CR, or CR LF. */
            skip(lines);
            lines->end = (char)unit;
            if (unit == '\r' && !lines->cr_alone && peek(lines) == '\n') {
                lines->end = '\n';
                skip(lines);
            }
            lines->number++;
            joined = goes_on(lines, length);
            if (!joined)
                break;
            continue;
        }
        joined = false;
        /* Bytes go by runs, which is several times as fast; code units one by one. */
        if (lines->wide == 0 ? !append_run(lines, length) : !append(lines, length, unit)) {
            *no_memory = true;
            return NULL;
        }
        if (lines->wide != 0)
            skip(lines);
    }
    if (unit < 0) { /* the last line has no end of its own */
        lines->number++;
        lines->end = '\0';
        lines->unfinished = joined || goes_on(lines, length);
    }
    *no_memory = !append(lines, length, 0);
    *length -= 1;
    return *no_memory ? NULL : (char *)lines->line;
}
