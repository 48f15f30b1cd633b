/* The model's own bytes, from an open file or from memory, and its lines of text. */
#ifndef KILN_IMPORT_MODEL_H
#define KILN_IMPORT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    int file;            /* used by position only; -1: in memory */
    const uint8_t *data; /* in memory */
    uint64_t size;
} kiln_model;

/* Bytes read at `offset`; fewer than `size` only at the end or on an error. */
size_t kiln_model_read(const kiln_model *model, uint64_t offset, void *to, size_t size);

/* The number of at most 8 bytes, of which the lowest or the highest comes first. */
static inline uint64_t kiln_bytes_number(const uint8_t *from, unsigned bytes, bool high_first)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < bytes; i++)
        value = value << 8 | from[high_first ? i : bytes - 1 - i];
    return value;
}

/* Are these bytes a pointer of Git LFS, which stands for a file that was not fetched? */
bool kiln_model_is_lfs_pointer(const kiln_model *model);

/* CRC-32 of all bytes: whether a file is still what it was when reading began. 0 when it can't be
 * read. */
uint32_t kiln_model_crc(const kiln_model *model);

/* Whether a line, not zero-ended, is continued on the next: then how much of it counts, without the
 * mark that says so; else KILN_LINE_ENDS. */
typedef size_t kiln_line_continued(const char *line, size_t length);
#define KILN_LINE_ENDS SIZE_MAX

typedef struct {
    const kiln_model *model;
    uint64_t offset;  /* of the next byte to fetch */
    uint8_t *fetched; /* raw bytes; those from `at` on are not used yet */
    size_t at, have;
    uint8_t *line;
    size_t line_capacity;
    uint64_t number; /* of the line, from 1 */
    int wide;        /* 0: bytes; 1: UTF-16, low byte first; 2: high byte first */
    char end;      /* that of the last line: '\n' (also CR LF), '\r', '\0' at the end of the text */
    bool cr_alone; /* a LF after a CR belongs to what follows; the reader's to set */
    bool unfinished;                /* the text ends where the last line is continued */
    kiln_line_continued *continued; /* NULL: no line is */
} kiln_lines;

/* Looks at the byte order mark, if there is one. False: no memory. */
bool kiln_lines_start(kiln_lines *lines, const kiln_model *model, uint64_t offset,
                      kiln_line_continued *continued);
/* The next line without its end (LF, CR or both), zero-ended; zero bytes of the text are in it.
 * NULL at the end of the text; then
 * *no_memory says whether memory was lacking. */
char *kiln_lines_next(kiln_lines *lines, size_t *length, bool *no_memory);
/* The offset in the model of the byte after the last line. */
uint64_t kiln_lines_tell(const kiln_lines *lines);
void kiln_lines_end(kiln_lines *lines);

/* Reading of one line: each moves *at past what it took. */

/* Skips blanks; the next token, not zero-ended, or NULL at the end of the line. */
const char *kiln_token(const char **at, size_t *length);
bool kiln_token_is(const char *token, size_t length, const char *word); /* whatever the case */
/* A number in decimal, or a spelling of NaN or infinity, rounded right whatever the locale. The
 * whole token has to be one. */
bool kiln_token_number(const char *token, size_t length, double *value);
bool kiln_token_integer(const char *token, size_t length, int64_t *value);

#endif
