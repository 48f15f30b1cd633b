/* Reading of a container: header and section table, then the sections that are wanted, in place or
 * decoded into one allocation. Says nothing about what sections mean: check.h does. */
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

/* One section, decoded: with what continues it, whose sizes are in those of its entry. `data` is NULL when it was
 * not loaded. */
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
    /* Is the section wanted that entry `index` of the table begins? NULL: all. Called once each, after the
     * table was read. */
    bool (*wanted)(void *user, const kiln_reader *reader, uint32_t index);
    void *user;
    kiln_reader_allocator allocator; /* all zero: the default */
    kiln_reader_parallel parallel;   /* NULL: decode here */
    void *parallel_user;
} kiln_reader_options;

/* On success *reader refers to `data`, which must stay; close it. On failure *error tells why and
 * nothing is kept. */
bool kiln_reader_open(kiln_reader *reader, const void *data, size_t size,
                      const kiln_reader_options *options, kiln_format_error *error);
void kiln_reader_close(kiln_reader *reader);

/* First section of this kind from index `from` on, or KILN_NO_INDEX. */
uint32_t kiln_reader_find(const kiln_reader *reader, uint32_t kind, uint32_t from);

#endif
