/* Takes a container as its bytes arrive, by the steps of reader.c.
 *
 * A kiln_arrival is a place in the file: the entry of the table in hand, its next block, and
 * where that lies. kiln_arrival_take goes on from there as far as bytes reach, and notes how
 * many it needs to go further. The table is copied, and a block's sizes are checked whenever they
 * are read, so that a caller whose bytes change, between calls or during one, gets an error, or
 * other answers, and nothing worse. */
#include "arrival.h"

#include "assert.h"
#include "codec.h"

#include <string.h>

/* The result of taking an entry: its bytes have not all arrived, it is complete, or it is damaged.
 */
enum { WAITS = 0, TAKEN = 1, BAD = 2 };

/* Have the first `wanted` bytes arrived? If not, the number is noted for the caller. */
static bool has(kiln_arrival *arrival, const kiln_reader *reader, uint64_t wanted)
{
    arrival->next = wanted;
    return wanted <= reader->file_size;
}

/* The place in memory of the next element of a section. */
static uint8_t *place_of(const kiln_reader_section *section)
{
    KILN_ASSERT(section->data != NULL);
    KILN_ASSERT(section->there <= section->count);
    uint8_t *data = (uint8_t *)(uintptr_t)section->data;
    return data + section->there * section->entry.element_size;
}

/* A section that is stored raw is taken whole. */
static int take_raw(kiln_arrival *arrival, const kiln_reader *reader,
                    const kiln_format_section *entry, kiln_reader_section *section,
                    kiln_format_error *error)
{
    if (!has(arrival, reader, entry->offset + entry->stored_size)) {
        return WAITS;
    }
    const uint8_t *stored = reader->file + entry->offset;
    if (!arrival->trusted && kiln_crc32(stored, (size_t)entry->stored_size) != entry->crc) {
        (void)kiln_reader_damaged(entry, entry->offset, error);
        return BAD;
    }
    if (section->data != NULL) {
        memcpy(place_of(section), stored, (size_t)entry->raw_size);
    }
    section->there += section->count;
    KILN_ASSERT(section->there <= section->count);
    return TAKEN;
}

/* A section of blocks is taken block by block, once its table is there. */
static int take_blocks(kiln_arrival *arrival, const kiln_reader *reader,
                       const kiln_format_section *entry, kiln_reader_section *section,
                       kiln_format_error *error)
{
    const uint64_t blocks = kiln_reader_block_count(entry);
    if (blocks > entry->stored_size / sizeof(kiln_format_block)) {
        (void)kiln_format_error_rule(error, KILN_RULE_BLOCK_TABLE, entry->offset, "block table");
        return BAD;
    }
    const uint64_t table = blocks * sizeof(kiln_format_block);
    if (!has(arrival, reader, entry->offset + table)) {
        return WAITS;
    }
    if (!arrival->trusted &&
        kiln_crc32(reader->file + entry->offset, (size_t)table) != entry->crc) {
        (void)kiln_reader_damaged(entry, entry->offset, error);
        return BAD;
    }
    if (!kiln_reader_check_blocks(reader, entry, error)) {
        return BAD;
    }
    if (arrival->block == 0) {
        arrival->stream = entry->offset + table;
    }
    for (; arrival->block < blocks; arrival->block++) {
        kiln_format_block block;
        uint64_t left = entry->offset + entry->stored_size - arrival->stream;
        if (!kiln_reader_take_block(reader, entry, arrival->block, &left, &block, error)) {
            return BAD;
        }
        if (!has(arrival, reader, arrival->stream + block.stored_size)) {
            return WAITS;
        }
        const uint8_t *stored = reader->file + arrival->stream;
        if (!arrival->trusted && kiln_crc32(stored, block.stored_size) != block.crc) {
            (void)kiln_reader_damaged(entry, arrival->stream, error);
            return BAD;
        }
        if (section->data != NULL &&
            !kiln_block_decode(entry->transform, entry->element_size, stored, block.stored_size,
                               place_of(section), block.raw_size)) {
            (void)kiln_format_error_set(error, KILN_FORMAT_ERROR_INFLATE, arrival->stream,
                                        "a compressed block at offset %llu can't be decoded",
                                        (unsigned long long)arrival->stream);
            return BAD;
        }
        section->there += block.raw_size / entry->element_size;
        KILN_ASSERT(section->there <= section->count);
        arrival->stream += block.stored_size;
    }
    return TAKEN;
}

/* Takes the entry in hand, after a check of the padding before it. */
static int take_entry(kiln_arrival *arrival, const kiln_reader *reader, kiln_format_error *error)
{
    const kiln_format_section entry = kiln_reader_entry(reader, arrival->entry);
    kiln_reader_section *section =
        &reader->sections[kiln_reader_section_of(reader, arrival->entry)];
    KILN_ASSERT(arrival->end <= entry.offset);
    if (!has(arrival, reader, entry.offset)) {
        return WAITS;
    }
    if (!arrival->trusted &&
        !kiln_bytes_are_zero(reader->file + arrival->end, entry.offset - arrival->end)) {
        (void)kiln_format_error_rule(error, KILN_RULE_RESERVED, arrival->end,
                                     "padding before a section");
        return BAD;
    }
    const int taken = entry.codec == KILN_CODEC_RAW
                          ? take_raw(arrival, reader, &entry, section, error)
                          : take_blocks(arrival, reader, &entry, section, error);
    if (taken == TAKEN) {
        arrival->end = entry.offset + entry.stored_size;
        arrival->entry++;
        arrival->block = 0;
    }
    return taken;
}

/* The bytes belong to the caller, and may lie elsewhere at the next call: the reader holds no
 * pointer into them between calls. Bytes beyond the size in the header are ignored. */
bool kiln_arrival_take(kiln_arrival *arrival, kiln_reader *reader, const void *data,
                       size_t available, kiln_format_error *error)
{
    int taken = TAKEN;
    KILN_ASSERT(reader->copies);
    KILN_ASSERT(arrival->entry <= reader->header.section_count);
    reader->file = (const uint8_t *)data;
    reader->file_size = available < reader->header.file_size ? available : reader->header.file_size;
    while (taken == TAKEN && !kiln_arrival_is_whole(arrival, reader)) {
        taken = take_entry(arrival, reader, error);
    }
    reader->file = NULL;
    return taken != BAD;
}

/* Room for the whole file is made at once, since every size is in the table, and arrays
 * that never move let queries run between two calls. */
bool kiln_arrival_begin(kiln_arrival *arrival, kiln_reader *reader, const void *data,
                        size_t available, const kiln_reader_options *options,
                        kiln_format_error *error)
{
    memset(arrival, 0, sizeof *arrival);
    memset(reader, 0, sizeof *reader);
    memset(error, 0, sizeof *error);
    arrival->trusted = options->trusted;
    reader->file = (const uint8_t *)data;
    reader->file_size = available;
    reader->memory_limit = options->memory_limit;
    reader->allocator =
        options->allocator.allocate != NULL ? options->allocator : kiln_reader_default_allocator;
    kiln_format_section table[KILN_SECTION_COUNT_MAX];
    if (!kiln_reader_check_head(reader, true, table, error) ||
        !kiln_reader_make_room(reader, options, error)) {
        kiln_reader_close(reader);
        return false;
    }
    arrival->end = sizeof reader->header +
                   (uint64_t)reader->header.section_count * sizeof(kiln_format_section);
    return true;
}
