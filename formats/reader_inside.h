/* What reading a whole file and taking one as it arrives have in common. */
#ifndef KILN_READER_INSIDE_H
#define KILN_READER_INSIDE_H

#include "reader.h"

/* Header and section table of reader->file, of which reader->file_size bytes are there: fewer than the file has
 * where it is `arriving`, and KILN_FORMAT_ERROR_PARTIAL where they do not hold all of these. */
bool kiln_reader_check_head(kiln_reader *reader, bool arriving, kiln_format_error *error);

/* Memory for the sections that are wanted, none of which will be used in place, and for the table, so that
 * nothing refers to reader->file. */
bool kiln_reader_make_room(kiln_reader *reader, const kiln_reader_options *options,
                           kiln_format_error *error);

/* KILN_FORMAT_ERROR_PARTIAL: so many bytes are wanted, from the start of the file. False. */
bool kiln_reader_waits(kiln_format_error *error, uint64_t wanted);

/* KILN_FORMAT_ERROR_CHECKSUM at an offset in a section. False. */
bool kiln_reader_damaged(const kiln_format_section *entry, uint64_t offset,
                         kiln_format_error *error);

/* Entry `index` of the table, and the number of the section that it begins or continues. */
kiln_format_section kiln_reader_entry(const kiln_reader *reader, uint32_t index);
uint32_t kiln_reader_section_of(const kiln_reader *reader, uint32_t index);

/* The blocks of a deflate section, by its block table: do sizes add up, could each block's stream expand to what
 * it claims? */
uint64_t kiln_reader_block_count(const kiln_format_section *entry);
bool kiln_reader_check_blocks(const kiln_reader *reader, const kiln_format_section *entry,
                              kiln_format_error *error);
kiln_format_block kiln_reader_block(const kiln_reader *reader, const kiln_format_section *entry,
                                    uint64_t index);

bool kiln_bytes_are_zero(const uint8_t *bytes, uint64_t size);

#endif
