/* Reads a container: header and section table, then the sections that are wanted, in place or
 * decoded into one allocation. What sections mean is the subject of check.h. */
#ifndef KILN_READER_H
#define KILN_READER_H

#include "format_error.h"
#include "format.h"

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
    const uint8_t *file;
    uint64_t file_size;
    kiln_format_header header;
    const uint8_t *table; /* the section table */
    bool copies;          /* nothing is used in place */
    uint32_t section_count;
    kiln_reader_section *sections;
    void *memory; /* the one allocation, or NULL */
    size_t memory_size;
    kiln_reader_allocator allocator;
} kiln_reader;

typedef struct {
    bool trusted; /* no checksums, no padding: header, table and sizes only */
    /* Is the section wanted that entry `index` of the table begins? NULL: all. Called once
     * each, after the table was read. */
    bool (*wanted)(void *user, const kiln_reader *reader, uint32_t index);
    void *user;
    kiln_reader_allocator allocator; /* all zero: the default */
    kiln_reader_parallel parallel;   /* NULL: decode here */
    void *parallel_user;
} kiln_reader_options;

/* On success *reader refers to `data`, which must stay; close it. On failure *error holds the
 * reason and nothing is kept. */
bool kiln_reader_open(kiln_reader *reader, const void *data, size_t size,
                      const kiln_reader_options *options, kiln_format_error *error);
void kiln_reader_close(kiln_reader *reader);

/* The first section of this kind from index `from` on, or KILN_NO_INDEX. */
uint32_t kiln_reader_find(const kiln_reader *reader, uint32_t kind, uint32_t from);

/* ------------------------------------------------------------------ shared with arrival.c -- */

/* The steps of opening that a file which arrives piece by piece takes, too (arrival.h). */

/* Header and section table of reader->file, of which reader->file_size bytes are there: fewer
 * than the file has where it is `arriving`, and KILN_FORMAT_ERROR_PARTIAL where they do not
 * hold all of these. */
bool kiln_reader_check_head(kiln_reader *reader, bool arriving, kiln_format_error *error);

/* Memory for the sections that are wanted, none of which will be used in place, and for the
 * table, so that nothing refers to reader->file. */
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

/* The blocks of a deflate section, by its block table: do sizes add up, could each block's
 * stream expand to what it claims? */
uint64_t kiln_reader_block_count(const kiln_format_section *entry);
bool kiln_reader_check_blocks(const kiln_reader *reader, const kiln_format_section *entry,
                              kiln_format_error *error);
kiln_format_block kiln_reader_block(const kiln_reader *reader, const kiln_format_section *entry,
                                    uint64_t index);

bool kiln_bytes_are_zero(const uint8_t *bytes, uint64_t size);

#endif
