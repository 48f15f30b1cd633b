/* See edit.h. */
#include "edit.h"

#include "../../tools/common/sha256.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void *take(size_t size)
{
    void *memory = calloc(1, size > 0 ? size : 1);
    if (memory == NULL) {
        abort();
    }
    return memory;
}

static void give_up(const char *what)
{
    (void)fprintf(stderr, "edit: %s\n", what);
    abort();
}

static uint32_t crc_of(const uint8_t *bytes, size_t size)
{
    return (uint32_t)crc32_z(0, bytes, size);
}

/* ---------------------------------------------------------------------------- table entries -- */

static size_t entry_at(uint32_t index)
{
    return sizeof(kiln_format_header) + (size_t)index * sizeof(kiln_format_section);
}

kiln_format_section edit_get_entry(const uint8_t *bytes, uint32_t index)
{
    kiln_format_section entry;
    memcpy(&entry, bytes + entry_at(index), sizeof entry);
    return entry;
}

void edit_set_entry(uint8_t *bytes, uint32_t index, const kiln_format_section *entry)
{
    memcpy(bytes + entry_at(index), entry, sizeof *entry);
}

static uint32_t section_count(const uint8_t *bytes)
{
    kiln_format_header header;
    memcpy(&header, bytes, sizeof header);
    return header.section_count;
}

uint32_t edit_index(const uint8_t *bytes, uint32_t kind)
{
    for (uint32_t i = 0; i < section_count(bytes); i++) {
        if (edit_get_entry(bytes, i).kind == kind) {
            return i;
        }
    }
    give_up("no such section");
    return 0;
}

/* --------------------------------------------------------------------------- taken apart -- */

edit_file *edit_open(const void *bytes, size_t size)
{
    edit_file *file = take(sizeof *file);
    memcpy(&file->header, bytes, sizeof file->header);
    file->count = file->header.section_count;
    for (uint32_t i = 0; i < file->count; i++) {
        edit_section *section = &file->sections[i];
        section->entry = edit_get_entry(bytes, i);
        if (section->entry.codec != KILN_CODEC_RAW ||
            section->entry.offset + section->entry.stored_size > size) {
            give_up("not a raw file");
        }
        section->size = (size_t)section->entry.raw_size;
        section->data = take(section->size);
        memcpy(section->data, (const uint8_t *)bytes + section->entry.offset, section->size);
    }
    return file;
}

edit_file *edit_copy(const edit_file *file)
{
    edit_file *copy = take(sizeof *copy);
    *copy = *file;
    for (uint32_t i = 0; i < file->count; i++) {
        copy->sections[i].data = take(file->sections[i].size);
        memcpy(copy->sections[i].data, file->sections[i].data, file->sections[i].size);
    }
    return copy;
}

void edit_free(edit_file *file)
{
    for (uint32_t i = 0; i < file->count; i++) {
        free(file->sections[i].data);
    }
    free(file);
}

edit_section *edit_find(edit_file *file, uint32_t kind)
{
    for (uint32_t i = 0; i < file->count; i++) {
        if (file->sections[i].entry.kind == kind) {
            return &file->sections[i];
        }
    }
    give_up("no such section");
    return NULL;
}

edit_section *edit_append(edit_file *file, uint32_t kind, uint32_t flags, uint32_t element_size,
                          const void *data, size_t size)
{
    if (file->count == EDIT_SECTIONS_MAX) {
        give_up("too many sections");
    }
    edit_section *section = &file->sections[file->count++];
    memset(section, 0, sizeof *section);
    section->entry.kind = kind;
    section->entry.flags = flags;
    section->entry.element_size = element_size;
    section->entry.alignment = KILN_SECTION_ALIGNMENT;
    section->size = size;
    section->data = take(size);
    memcpy(section->data, data, size);
    return section;
}

void edit_remove(edit_file *file, uint32_t kind)
{
    edit_section *section = edit_find(file, kind);
    const size_t behind = file->count - (size_t)(section - file->sections) - 1;
    free(section->data);
    memmove(section, section + 1, behind * sizeof *section);
    file->count--;
}

void edit_resize(edit_section *section, size_t size)
{
    uint8_t *data = take(size);
    memcpy(data, section->data, size < section->size ? size : section->size);
    free(section->data);
    section->data = data;
    section->size = size;
}

/* -------------------------------------------------------------------------------- sealing -- */

void edit_hash(edit_file *file)
{
    kiln_sha256 hash;
    uint8_t digest[KILN_SHA256_SIZE];
    kiln_sha256_init(&hash);
    for (uint32_t i = 0; i < file->count; i++) {
        const uint64_t size = file->sections[i].size;
        kiln_sha256_update(&hash, &file->sections[i].entry.kind, 4);
        kiln_sha256_update(&hash, &size, sizeof size);
        kiln_sha256_update(&hash, file->sections[i].data, file->sections[i].size);
    }
    kiln_sha256_final(&hash, digest);
    memcpy(file->header.content_hash, digest, sizeof file->header.content_hash);
}

static size_t block_size(uint32_t element_size)
{
    return 131072u - 131072u % element_size;
}

size_t edit_deflate(const uint8_t *data, size_t size, uint8_t *out, size_t room)
{
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        give_up("no memory");
    }
    stream.next_in = (Bytef *)(uintptr_t)data;
    stream.avail_in = (uInt)size;
    stream.next_out = out;
    stream.avail_out = (uInt)room;
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END) {
        give_up("no room");
    }
    const size_t packed = stream.total_out;
    (void)deflateEnd(&stream);
    return packed;
}

/* Block table and blocks; the table's CRC too. */
static uint8_t *deflate_section(const edit_section *section, size_t *stored_size)
{
    const size_t full = block_size(section->entry.element_size);
    const size_t blocks = (section->size + full - 1) / full;
    size_t end = blocks * sizeof(kiln_format_block);
    uint8_t *stored = take(end + blocks * compressBound((uLong)full));
    for (size_t i = 0; i < blocks; i++) {
        const size_t left = section->size - i * full;
        kiln_format_block block;
        block.raw_size = (uint32_t)(left < full ? left : full);
        const size_t packed = edit_deflate(section->data + i * full, block.raw_size, stored + end,
                                           compressBound((uLong)full));
        block.stored_size = (uint32_t)packed;
        block.crc = crc_of(stored + end, packed);
        memcpy(stored + i * sizeof block, &block, sizeof block);
        end += packed;
    }
    *stored_size = end;
    return stored;
}

static uint8_t *store_section(const edit_section *section, bool packed, size_t *stored_size)
{
    if (packed) {
        return deflate_section(section, stored_size);
    }
    uint8_t *stored = take(section->size);
    memcpy(stored, section->data, section->size);
    *stored_size = section->size;
    return stored;
}

uint8_t *edit_seal(const edit_file *file, bool packed, size_t *size)
{
    size_t end = entry_at(file->count);
    uint8_t *bytes = take(end);
    for (uint32_t i = 0; i < file->count; i++) {
        kiln_format_section entry = file->sections[i].entry;
        size_t stored_size;
        uint8_t *stored = store_section(&file->sections[i], packed, &stored_size);
        entry.alignment = packed ? KILN_SECTION_ALIGNMENT : entry.alignment;
        const size_t offset = (end + entry.alignment - 1) / entry.alignment * entry.alignment;
        entry.codec = packed ? KILN_CODEC_DEFLATE : KILN_CODEC_RAW;
        entry.transform = KILN_TRANSFORM_NONE;
        entry.offset = offset;
        entry.stored_size = stored_size;
        entry.raw_size = file->sections[i].size;
        bytes = realloc(bytes, offset + stored_size);
        if (bytes == NULL) {
            abort();
        }
        memset(bytes + end, 0, offset - end);
        memcpy(bytes + offset, stored, stored_size);
        free(stored);
        edit_set_entry(bytes, i, &entry);
        end = offset + stored_size;
    }
    kiln_format_header header = file->header;
    header.file_size = end;
    header.section_count = file->count;
    memcpy(bytes, &header, sizeof header);
    edit_reseal(bytes, end);
    *size = end;
    return bytes;
}

/* Of one deflate section whose stored bytes lie inside the file. */
static void reseal_blocks(uint8_t *stored, const kiln_format_section *entry)
{
    if (entry->element_size == 0 || entry->element_size > 131072u) {
        return;
    }
    const uint64_t full = block_size(entry->element_size);
    const uint64_t blocks = entry->raw_size / full + (entry->raw_size % full != 0);
    if (blocks > entry->stored_size / sizeof(kiln_format_block)) {
        return;
    }
    uint64_t at = blocks * sizeof(kiln_format_block);
    for (uint64_t i = 0; i < blocks; i++) {
        kiln_format_block block;
        memcpy(&block, stored + i * sizeof block, sizeof block);
        if (block.stored_size > entry->stored_size - at) {
            return;
        }
        block.crc = crc_of(stored + at, block.stored_size);
        memcpy(stored + i * sizeof block, &block, sizeof block);
        at += block.stored_size;
    }
}

static void reseal_section(uint8_t *bytes, size_t size, uint32_t index)
{
    kiln_format_section entry = edit_get_entry(bytes, index);
    if (entry.offset > size || entry.stored_size > size - entry.offset) {
        return;
    }
    uint8_t *stored = bytes + entry.offset;
    uint64_t covered = entry.stored_size;
    if (entry.codec == KILN_CODEC_DEFLATE && entry.element_size > 0 &&
        entry.element_size <= 131072u) {
        reseal_blocks(stored, &entry);
        const uint64_t full = block_size(entry.element_size);
        const uint64_t blocks = entry.raw_size / full + (entry.raw_size % full != 0);
        const uint64_t most = entry.stored_size / sizeof(kiln_format_block);
        covered = (blocks < most ? blocks : most) * sizeof(kiln_format_block);
    }
    entry.crc = crc_of(stored, (size_t)covered);
    edit_set_entry(bytes, index, &entry);
}

void edit_reseal(uint8_t *bytes, size_t size)
{
    kiln_format_header header;
    if (size < sizeof header) {
        return;
    }
    memcpy(&header, bytes, sizeof header);
    const uint64_t room = (size - sizeof header) / sizeof(kiln_format_section);
    const uint32_t count = header.section_count < room ? header.section_count : (uint32_t)room;
    for (uint32_t i = 0; i < count; i++) {
        reseal_section(bytes, size, i);
    }
    memset(bytes + offsetof(kiln_format_header, header_crc), 0, sizeof header.header_crc);
    header.header_crc = crc_of(bytes, entry_at(count));
    memcpy(bytes, &header, sizeof header);
}
