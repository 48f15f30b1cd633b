/* A second writer of kiln files, for tests that need files that are wrong in one place only. It
 * follows formats/hierarchy.md and shares no code with tools/encode: a raw file is taken apart, its
 * decoded sections and table entries are changed, and it is laid out and sealed again. */
#ifndef KILN_TEST_EDIT_H
#define KILN_TEST_EDIT_H

#include "../../formats/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EDIT_SECTIONS_MAX = 300 };

typedef struct {
    kiln_format_section entry; /* sizes, offset, codec, CRC are filled in by edit_seal */
    uint8_t *data;             /* decoded */
    size_t size;
} edit_section;

typedef struct {
    kiln_format_header header;
    uint32_t count;
    edit_section sections[EDIT_SECTIONS_MAX];
} edit_file;

/* Takes a valid raw file apart. Released by edit_free, as copies are. */
edit_file *edit_open(const void *bytes, size_t size);
edit_file *edit_copy(const edit_file *file);
void edit_free(edit_file *file);

/* The section of a kind; stops the test when there is none. */
edit_section *edit_find(edit_file *file, uint32_t kind);

/* A section of `size` bytes behind the others: of a kind that need not be known. */
edit_section *edit_append(edit_file *file, uint32_t kind, uint32_t flags, uint32_t element_size,
                          const void *data, size_t size);

void edit_remove(edit_file *file, uint32_t kind);
void edit_resize(edit_section *section, size_t size); /* new bytes are 0 */

/* Lays the sections out, raw or each deflated without a transform, and seals the file. The bytes
 * are released by free(). */
uint8_t *edit_seal(const edit_file *file, bool packed, size_t *size);

/* Makes the content hash of the header that of the sections as they are now, so that a file that
 * was changed and is sealed again passes an audit, too. */
void edit_hash(edit_file *file);

/* A stream without header and trailer (RFC 1951); its size. Stops the test where it has no room. */
size_t edit_deflate(const uint8_t *data, size_t size, uint8_t *out, size_t room);

/* Makes the checksums of bytes fit again, as far as the table can be followed; changes nothing
 * else. For any bytes. */
void edit_reseal(uint8_t *bytes, size_t size);

/* Table entry `index` of a file's bytes, read and written. */
kiln_format_section edit_get_entry(const uint8_t *bytes, uint32_t index);
void edit_set_entry(uint8_t *bytes, uint32_t index, const kiln_format_section *entry);

/* Index in the table of the section of a kind; stops the test when there is none. */
uint32_t edit_index(const uint8_t *bytes, uint32_t kind);

#endif
