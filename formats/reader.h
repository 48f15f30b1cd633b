/* Reads a container: header and section table, then the sections that are wanted, in place or
 * decoded into one allocation. What sections mean is the subject of check.h. */
#ifndef KILN_READER_H
#define KILN_READER_H

#include "format_error.h"
#include "format.h"
#include "heights.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    void *(*allocate)(void *user, size_t size, size_t alignment);
    void (*release)(void *user, void *memory, size_t size);
    void *user;
} kiln_reader_allocator;

/* malloc and free. */
extern const kiln_reader_allocator kiln_reader_default_allocator;

typedef void (*kiln_reader_parallel)(void *user, void (*task)(void *context, uint32_t index),
                                     void *context, uint32_t count);

/* One decoded section, joined with the entries that continue it; the sizes in its entry are the
 * sums. `data` is NULL when it was not loaded. */
typedef struct {
    kiln_format_section entry;
    const void *data; /* 64-byte aligned */
    uint64_t count;   /* elements */
    uint64_t there;   /* of these, from the first on: less than all only while a file arrives */
} kiln_reader_section;

typedef struct {
    const uint8_t *file; /* NULL once it is open and copied */
    uint64_t file_size;
    kiln_format_header header;
    const kiln_format_section *table; /* the section table, in memory of the reader; opening only */
    bool copies;                      /* nothing is used in place */
    uint32_t section_count;
    kiln_reader_section *sections;
    void *memory; /* the one allocation, or NULL */
    size_t memory_size;
    kiln_heights *heights; /* of a height field, or NULL: kiln_reader_form_heights */
    size_t heights_size;
    kiln_reader_allocator allocator;
    uint64_t memory_limit; /* of all that is allocated for the file; 0: none */
} kiln_reader;

typedef struct {
    bool trusted; /* no checksums, no padding: header, table and sizes only */
    bool copies;  /* use nothing in place: `data` need not stay, and is safe to change */
    /* Is the section wanted that entry `index` of the table begins? NULL: all. Called once
     * each, after the table was read. */
    bool (*wanted)(void *user, const kiln_reader *reader, uint32_t index);
    void *user;
    kiln_reader_allocator allocator; /* all zero: the default */
    uint64_t memory_limit;           /* in bytes; 0: none */
    kiln_reader_parallel parallel;   /* NULL: decode here */
    void *parallel_user;
} kiln_reader_options;

/* On success *reader refers to `data`, which must stay, if it uses anything in place; close it. On
 * failure *error holds the reason and nothing is kept.
 *
 * Other processes may write to `data` meanwhile, where it is a map. Header and section table are
 * read once, and a block's sizes are compared with what there is room for whenever they are read,
 * so that no size that is used was not checked. Whatever is used in place is for the caller to
 * keep as it is. */
bool kiln_reader_open(kiln_reader *reader, const void *data, size_t size,
                      const kiln_reader_options *options, kiln_format_error *error);
void kiln_reader_close(kiln_reader *reader);

/* Where the reader has the sections of a height field, makes what follows from its samples, which
 * kiln_reader_close releases. kiln_reader_open ends with it. */
bool kiln_reader_form_heights(kiln_reader *reader, kiln_format_error *error);

/* Memory of the reader's allocator for what belongs to an open file, to be released by it. NULL,
 * with *error: there is none, or it would be over the limit with what the reader has and `besides`
 * more bytes that were allocated so. */
void *kiln_reader_allocate(const kiln_reader *reader, uint64_t besides, uint64_t size,
                           kiln_format_error *error);

/* The first section of this kind from index `from` on, or KILN_NO_INDEX. */
uint32_t kiln_reader_find(const kiln_reader *reader, uint32_t kind, uint32_t from);

/* ------------------------------------------------------------------ shared with arrival.c -- */

/* The steps of opening that a file which arrives piece by piece takes, too (arrival.h). */

/* Header and section table of reader->file, of which reader->file_size bytes are there: fewer
 * than the file has where it is `arriving`, and KILN_FORMAT_ERROR_PARTIAL where they do not
 * hold all of these. The table is read into `table`, and reader->table points there. */
bool kiln_reader_check_head(kiln_reader *reader, bool arriving,
                            kiln_format_section table[KILN_SECTION_COUNT_MAX],
                            kiln_format_error *error);

/* Memory for the sections that are wanted, none of which will be used in place, and for the
 * table, so that nothing refers to reader->file or to the table of the caller. */
bool kiln_reader_make_room(kiln_reader *reader, const kiln_reader_options *options,
                           kiln_format_error *error);

/* Sets KILN_FORMAT_ERROR_PARTIAL: so many bytes are needed, from the start of the file. Returns
 * false. */
bool kiln_reader_waits(kiln_format_error *error, uint64_t wanted);

/* Sets KILN_FORMAT_ERROR_CHECKSUM at an offset in a section. Returns false. */
bool kiln_reader_damaged(const kiln_format_section *entry, uint64_t offset,
                         kiln_format_error *error);

/* The first returns entry `index` of the table, the second the number of the section that it begins
 * or continues. */
kiln_format_section kiln_reader_entry(const kiln_reader *reader, uint32_t index);
uint32_t kiln_reader_section_of(const kiln_reader *reader, uint32_t index);

/* The blocks of a deflate section, by its block table, which must lie in it: do sizes add up,
 * could each block's stream expand to what it claims? */
uint64_t kiln_reader_block_count(const kiln_format_section *entry);
bool kiln_reader_check_blocks(const kiln_reader *reader, const kiln_format_section *entry,
                              kiln_format_error *error);

/* One of them, read anew: it has the size that a block of this number has, and a stream of at most
 * *left bytes, which become fewer by it. */
bool kiln_reader_take_block(const kiln_reader *reader, const kiln_format_section *entry,
                            uint64_t index, uint64_t *left, kiln_format_block *block,
                            kiln_format_error *error);

/* Bytes of streams in the section: *left before the first block. */
uint64_t kiln_reader_streams_size(const kiln_format_section *entry);

bool kiln_bytes_are_zero(const uint8_t *bytes, uint64_t size);

#endif
