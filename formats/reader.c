/* Reads a container: header, section table, then the sections that are wanted.
 *
 * kiln_reader_check_head checks the header and each entry of the table; after it all offsets
 * and sizes are known to lie in the file. kiln_reader_open then checks the bytes of the
 * sections, makes one allocation for what can't be used in place, and decodes into it, block by
 * block, since each block is a deflate stream of its own. Every number that is read is compared
 * with what is there before it is used: sizes are taken as 64 bits and subtracted, never added,
 * so that nothing can wrap. arrival.c takes the same steps one section at a time. */
#include "reader.h"

#include "assert.h"
#include "codec.h"
#include "os.h"
#include "sections.h"

#include <string.h>

/* A deflate stream can't expand by more than 1032 (RFC 1951: 258 bytes from 2 bits). */
enum { EXPANSION_MAX = 1032 };

static void *default_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    return kiln_os_allocate(size, alignment);
}

static void default_release(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    kiln_os_release(memory);
}

const kiln_reader_allocator kiln_reader_default_allocator = {default_allocate, default_release,
                                                             NULL};

/* ------------------------------------------------------------------------- header and table -- */

/* Too few bytes have arrived: so many are needed, from the start of the file. */
bool kiln_reader_waits(kiln_format_error *error, uint64_t wanted)
{
    return kiln_format_error_set(error, KILN_FORMAT_ERROR_PARTIAL, wanted,
                                 "not enough of the file is there: the first %llu bytes are needed",
                                 (unsigned long long)wanted);
}

/* The loop reads all bytes without a branch on each, since it runs over padding, which is nearly
 * always 0. */
bool kiln_bytes_are_zero(const uint8_t *bytes, uint64_t size)
{
    uint8_t any = 0;
    for (uint64_t i = 0; i < size; i++) {
        any |= bytes[i];
    }
    return any == 0;
}

kiln_format_section kiln_reader_entry(const kiln_reader *reader, uint32_t index)
{
    KILN_ASSERT(index < reader->header.section_count);
    KILN_ASSERT(reader->table != NULL);
    return reader->table[index];
}

/* Does an entry add to a section that an earlier entry began? */
static bool continues(const kiln_format_section *entry)
{
    return (entry->flags & KILN_SECTION_CONTINUES) != 0;
}

/* An entry continues the last one before it of its kind. That one consists of whole blocks, so that
 * the blocks of both can be numbered through, and is stored in the same way. */
static bool continuation_is_sound(const kiln_reader *reader, uint32_t index)
{
    const kiln_format_section entry = kiln_reader_entry(reader, index);
    for (uint32_t i = index; i-- > 0;) {
        const kiln_format_section before = kiln_reader_entry(reader, i);
        if (before.kind == entry.kind) {
            return before.codec == KILN_CODEC_DEFLATE && entry.codec == KILN_CODEC_DEFLATE &&
                   before.transform == entry.transform &&
                   before.element_size == entry.element_size && before.raw_size != 0 &&
                   before.raw_size % kiln_block_raw_size(before.element_size) == 0;
        }
    }
    return false;
}

/* Checks one entry of the section table by itself and against those before it. `earliest` is where
 * the section before it ends. */
static bool check_entry(const kiln_reader *reader, uint32_t index, uint64_t earliest,
                        kiln_format_error *error)
{
    const uint64_t at = sizeof(kiln_format_header) + (uint64_t)index * sizeof(kiln_format_section);
    const uint64_t file_size = reader->header.file_size;
    const kiln_format_section entry = kiln_reader_entry(reader, index);

    /* The kind: sections that this version does not know may be passed over unless they say no. */
    const kiln_section_kind *kind = kiln_section_kind_find(entry.kind);
    if (kind == NULL && (entry.flags & KILN_SECTION_REQUIRED) != 0) {
        char name[5] = "????";
        for (unsigned i = 0; i < 4; i++) {
            const uint32_t byte = entry.kind >> 8 * i & 0xFFu;
            name[i] = byte >= 0x20 && byte < 0x7F ? (char)byte : '?';
        }
        return kiln_format_error_set(
            error, KILN_FORMAT_ERROR_FEATURE, at,
            "needs section '%s' that this version does not know: update kiln", name);
    }
    if (entry.element_size == 0 || entry.element_size > KILN_BLOCK_SIZE ||
        entry.raw_size % entry.element_size != 0 ||
        (kind != NULL && kind->element_size != 0 && entry.element_size != kind->element_size)) {
        return kiln_format_error_rule(error, KILN_RULE_SECTION_SIZE, at, "section table");
    }

    /* The codec: raw sections have no transform, and are stored as they are. */
    const uint32_t flags = KILN_SECTION_REQUIRED | KILN_SECTION_CONTINUES;
    const bool known = entry.codec < KILN_CODEC_COUNT &&
                       kiln_transform_fits(entry.transform, entry.element_size) &&
                       (entry.flags & ~flags) == 0;
    const bool fits = entry.codec != KILN_CODEC_RAW || (entry.transform == KILN_TRANSFORM_NONE &&
                                                        entry.stored_size == entry.raw_size);
    if (!known || !fits) {
        return kiln_format_error_rule(error, KILN_RULE_SECTION_CODEC, at, "section table");
    }

#ifdef KILN_NO_ZLIB
    if (entry.codec == KILN_CODEC_DEFLATE) {
        return kiln_format_error_set(
            error, KILN_FORMAT_ERROR_FEATURE, at,
            "a packed file, and this build has no zlib: make it a raw one by 'kiln unpack'");
    }
#endif

    /* The place: aligned, after the section before it, and inside the file. */
    const uint32_t alignment = entry.alignment;
    if (alignment < KILN_SECTION_ALIGNMENT || alignment > 65536u ||
        (alignment & (alignment - 1)) != 0 || entry.offset % alignment != 0 ||
        entry.offset < earliest || entry.offset > file_size ||
        entry.stored_size > file_size - entry.offset) {
        return kiln_format_error_rule(error, KILN_RULE_SECTION_PLACE, at, "section table");
    }
    if (!kiln_bytes_are_zero(entry.reserved, sizeof entry.reserved)) {
        return kiln_format_error_rule(error, KILN_RULE_RESERVED, at, "section table");
    }
    return !continues(&entry) || continuation_is_sound(reader, index) ||
           kiln_format_error_rule(error, KILN_RULE_SECTION_CODEC, at, "section table");
}

/* Checks the header: is it that of a kiln file, of this version, complete, intact and without
 * unknown features? The order of the checks decides which error a file gets, and the first ones
 * must do without what is checked later: the checksum covers the table, whose size has to be known
 * before. */
static bool check_header(kiln_reader *reader, bool arriving, kiln_format_section *table,
                         kiln_format_error *error)
{
    const size_t size = (size_t)reader->file_size;
    const size_t seen = size < KILN_FORMAT_MAGIC_SIZE ? size : KILN_FORMAT_MAGIC_SIZE;
    /* A file that is too short for the magic is compared as far as it goes: a beginning of a kiln
     * file is cut off, anything else is no kiln file. */
    if (memcmp(reader->file, KILN_FORMAT_MAGIC, seen) != 0) {
        return kiln_format_error_set(error, KILN_FORMAT_ERROR_NOT_KILN, 0,
                                     "not a kiln file: it does not begin like one");
    }
    if (size < sizeof(kiln_format_header) && arriving) {
        return kiln_reader_waits(error, sizeof(kiln_format_header));
    }
    if (size < sizeof(kiln_format_header)) {
        return kiln_format_error_set(error, KILN_FORMAT_ERROR_TRUNCATED, size,
                                     "not a complete file: %llu bytes, the header alone has %u",
                                     (unsigned long long)size,
                                     (unsigned)sizeof(kiln_format_header));
    }
    memcpy(&reader->header, reader->file, sizeof reader->header);
    kiln_format_header header = reader->header;

    /* A later minor version of the same major one adds what a reader may pass over. */
    if (header.version_major != KILN_FORMAT_MAJOR) {
        return kiln_format_error_set(error, KILN_FORMAT_ERROR_VERSION,
                                     offsetof(kiln_format_header, version_major),
                                     "baked by format version %u.%u, this reads %u.x",
                                     header.version_major, header.version_minor, KILN_FORMAT_MAJOR);
    }

    /* Sizes. */
    if (size < header.file_size && !arriving) {
        return kiln_format_error_set(
            error, KILN_FORMAT_ERROR_TRUNCATED, size, "not a complete file: %llu bytes of %llu",
            (unsigned long long)size, (unsigned long long)header.file_size);
    }
    if (size > header.file_size) {
        return kiln_format_error_rule(error, KILN_RULE_FILE_SIZE, header.file_size, "end of file");
    }
    if (header.section_count == 0 || header.section_count > KILN_SECTION_COUNT_MAX ||
        header.section_entry_size != sizeof(kiln_format_section)) {
        return kiln_format_error_rule(error, KILN_RULE_SECTION_COUNT,
                                      offsetof(kiln_format_header, section_count), "header");
    }
    const size_t table_size = (size_t)header.section_count * sizeof(kiln_format_section);
    const uint64_t table_end = sizeof header + (uint64_t)table_size;
    if (table_end > header.file_size) {
        return kiln_format_error_rule(error, KILN_RULE_SECTION_PLACE, sizeof header,
                                      "section table");
    }
    if (table_end > size) {
        return kiln_reader_waits(error, table_end);
    }

    /* The checksum, of header and table, with its own field taken as 0. What is checked is what
     * is used: the bytes of the file may be another's to change. */
    memcpy(table, reader->file + sizeof header, table_size);
    reader->table = table;
    header.header_crc = 0;
    const uint32_t crc = kiln_crc32_continue(kiln_crc32(&header, sizeof header), table, table_size);
    if (crc != reader->header.header_crc) {
        return kiln_format_error_set(error, KILN_FORMAT_ERROR_CHECKSUM,
                                     offsetof(kiln_format_header, header_crc),
                                     "damaged: the checksum of the header does not match");
    }
    if (header.features_required != 0) {
        return kiln_format_error_set(
            error, KILN_FORMAT_ERROR_FEATURE, offsetof(kiln_format_header, features_required),
            "needs features %#llx that this version does not know: update kiln",
            (unsigned long long)header.features_required);
    }
    return kiln_bytes_are_zero(header.reserved, sizeof header.reserved) ||
           kiln_format_error_rule(error, KILN_RULE_RESERVED, offsetof(kiln_format_header, reserved),
                                  "header");
}

/* Sections follow each other in the order of the table, and the last one ends the file. So no two
 * of them overlap, and no byte of the file is left out but padding, which is checked to be 0. */
bool kiln_reader_check_head(kiln_reader *reader, bool arriving,
                            kiln_format_section table[KILN_SECTION_COUNT_MAX],
                            kiln_format_error *error)
{
    KILN_ASSERT(reader->file != NULL);
    if (!check_header(reader, arriving, table, error)) {
        return false;
    }
    uint64_t earliest = sizeof(kiln_format_header) +
                        (uint64_t)reader->header.section_count * sizeof(kiln_format_section);
    for (uint32_t i = 0; i < reader->header.section_count; i++) {
        if (!check_entry(reader, i, earliest, error)) {
            return false;
        }
        const kiln_format_section entry = kiln_reader_entry(reader, i);
        earliest = entry.offset + entry.stored_size;
    }
    return earliest == reader->header.file_size ||
           kiln_format_error_rule(error, KILN_RULE_FILE_SIZE, earliest, "behind the last section");
}

/* -------------------------------------------------------------------------- whole contents -- */

/* The bytes between sections are zero, so that the file has no room for anything that no rule
 * covers. */
static bool check_padding(const kiln_reader *reader, kiln_format_error *error)
{
    uint64_t end = sizeof(kiln_format_header) +
                   (uint64_t)reader->header.section_count * sizeof(kiln_format_section);
    for (uint32_t i = 0; i < reader->header.section_count; i++) {
        const kiln_format_section entry = kiln_reader_entry(reader, i);
        if (!kiln_bytes_are_zero(reader->file + end, entry.offset - end)) {
            return kiln_format_error_rule(error, KILN_RULE_RESERVED, end,
                                          "padding before a section");
        }
        end = entry.offset + entry.stored_size;
    }
    return true;
}

/* For texts of errors: sections of unknown kinds may be damaged as well. */
static const char *kind_name(uint32_t kind)
{
    const kiln_section_kind *row = kiln_section_kind_find(kind);
    return row != NULL ? row->name : "unknown section";
}

/* Checksums find damage by accident. They are no protection against intent: whatever passes them
 * is still verified. */
bool kiln_reader_damaged(const kiln_format_section *entry, uint64_t offset,
                         kiln_format_error *error)
{
    return kiln_format_error_set(
        error, KILN_FORMAT_ERROR_CHECKSUM, offset,
        "damaged at offset %llu: a checksum of section '%s' does not match",
        (unsigned long long)offset, kind_name(entry->kind));
}

/* The last block of a section may be shorter than the others. */
uint64_t kiln_reader_block_count(const kiln_format_section *entry)
{
    KILN_ASSERT(entry->element_size >= 1 && entry->element_size <= KILN_BLOCK_SIZE);
    const uint32_t block = kiln_block_raw_size(entry->element_size);
    return entry->raw_size / block + (entry->raw_size % block != 0);
}

/* The table of blocks is at the start of a section that is not stored raw. */
uint64_t kiln_reader_streams_size(const kiln_format_section *entry)
{
    KILN_ASSERT(kiln_reader_block_count(entry) <= entry->stored_size / sizeof(kiln_format_block));
    return entry->stored_size - kiln_reader_block_count(entry) * sizeof(kiln_format_block);
}

/* What a block inflates to follows from its number, so that nothing that decodes it depends on
 * what its table says a second time. */
bool kiln_reader_take_block(const kiln_reader *reader, const kiln_format_section *entry,
                            uint64_t index, uint64_t *left, kiln_format_block *block,
                            kiln_format_error *error)
{
    const uint64_t at = entry->offset + index * sizeof *block;
    const uint64_t full = kiln_block_raw_size(entry->element_size);
    KILN_ASSERT(index < kiln_reader_block_count(entry));
    const uint64_t raw_left = entry->raw_size - index * full;
    const uint64_t raw = raw_left < full ? raw_left : full;
    const uint64_t most = (uint64_t)EXPANSION_MAX * kiln_transform_expansion(entry->transform);
    memcpy(block, reader->file + at, sizeof *block);
    if (block->raw_size != raw || block->stored_size > *left || raw > most * block->stored_size) {
        return kiln_format_error_rule(error, KILN_RULE_BLOCK_TABLE, at, kind_name(entry->kind));
    }
    *left -= block->stored_size;
    return true;
}

/* A table that adds up to the section, and blocks that could expand to what it claims. Always
 * checked: decoding relies on it. */
bool kiln_reader_check_blocks(const kiln_reader *reader, const kiln_format_section *entry,
                              kiln_format_error *error)
{
    const uint64_t blocks = kiln_reader_block_count(entry);
    if (blocks > entry->stored_size / sizeof(kiln_format_block)) {
        return kiln_format_error_rule(error, KILN_RULE_BLOCK_TABLE, entry->offset,
                                      kind_name(entry->kind));
    }
    uint64_t left = kiln_reader_streams_size(entry);
    for (uint64_t i = 0; i < blocks; i++) {
        kiln_format_block block;
        if (!kiln_reader_take_block(reader, entry, i, &left, &block, error)) {
            return false;
        }
    }
    return left == 0 || kiln_format_error_rule(error, KILN_RULE_BLOCK_TABLE, entry->offset,
                                               kind_name(entry->kind));
}

/* Checks the bytes of a section: its checksums, unless the file is trusted, and its block table. */
static bool check_section_bytes(const kiln_reader *reader, const kiln_format_section *entry,
                                bool trusted, kiln_format_error *error)
{
    const uint8_t *stored = reader->file + entry->offset;
    if (entry->codec == KILN_CODEC_RAW) {
        return trusted || kiln_crc32(stored, (size_t)entry->stored_size) == entry->crc ||
               kiln_reader_damaged(entry, entry->offset, error);
    }
    if (!kiln_reader_check_blocks(reader, entry, error)) {
        return false;
    }
    if (trusted) {
        return true;
    }
    const uint64_t blocks = kiln_reader_block_count(entry);
    const uint64_t table_size = blocks * sizeof(kiln_format_block);
    KILN_ASSERT(table_size <= entry->stored_size);
    if (kiln_crc32(stored, (size_t)table_size) != entry->crc) {
        return kiln_reader_damaged(entry, entry->offset, error);
    }
    uint64_t offset = entry->offset + table_size, left = kiln_reader_streams_size(entry);
    for (uint64_t i = 0; i < blocks; i++) {
        kiln_format_block block;
        if (!kiln_reader_take_block(reader, entry, i, &left, &block, error)) {
            return false;
        }
        if (kiln_crc32(reader->file + offset, block.stored_size) != block.crc) {
            return kiln_reader_damaged(entry, offset, error);
        }
        offset += block.stored_size;
    }
    KILN_ASSERT(offset <= entry->offset + entry->stored_size);
    return true;
}

/* ------------------------------------------------------------------------------- decoding -- */

/* A task decodes one block, or moves one raw section to an aligned place. */
typedef struct {
    const uint8_t *stored;
    uint8_t *out;
    uint32_t stored_size;
    uint32_t raw_size;
    uint32_t element_size;
    uint16_t transform;
    uint8_t done;
} block_task;

static void run_block_task(void *context, uint32_t index)
{
    block_task *task = (block_task *)context + index;
    KILN_ASSERT(!task->done);
    task->done = kiln_block_decode(task->transform, task->element_size, task->stored,
                                   task->stored_size, task->out, task->raw_size);
}

/* Raw data is used in place only where the map has it aligned as the sections demand. */
static bool must_move(const kiln_reader *reader, const kiln_format_section *entry)
{
    return reader->copies || entry->codec != KILN_CODEC_RAW ||
           (uintptr_t)(reader->file + entry->offset) % KILN_SECTION_ALIGNMENT != 0;
}

/* The reader makes one allocation: it holds the array of sections, the decoded sections, then the
 * tasks, which are scratch, or, while a file arrives, its table. */
typedef struct {
    uint64_t decoded; /* offset where decoded sections start */
    uint64_t tasks;   /* offset where tasks start, or the table */
    uint64_t total;
    uint64_t task_count;
} layout;

/* The entry that begins the section which entry `index` begins or continues. */
static uint32_t first_entry(const kiln_reader *reader, uint32_t index)
{
    kiln_format_section entry = kiln_reader_entry(reader, index);
    const uint32_t kind = entry.kind;
    while (continues(&entry) || entry.kind != kind) {
        KILN_ASSERT(index > 0);
        entry = kiln_reader_entry(reader, --index);
    }
    return index;
}

/* The number of that section. */
uint32_t kiln_reader_section_of(const kiln_reader *reader, uint32_t index)
{
    const uint32_t first = first_entry(reader, index);
    uint32_t number = 0;
    for (uint32_t i = 0; i < first; i++) {
        const kiln_format_section entry = kiln_reader_entry(reader, i);
        number += !continues(&entry);
    }
    return number;
}

/* Copies what is stored raw and must move, and lists the blocks to decode for the rest; *count is
 * their number. */
static bool list_tasks(kiln_reader *reader, const layout *plan, uint32_t *count,
                       kiln_format_error *error)
{
    block_task *tasks = (block_task *)(void *)((uint8_t *)reader->memory + plan->tasks);
    uint64_t done[KILN_SECTION_COUNT_MAX] = {0}; /* bytes of each section */
    uint32_t task_count = 0;
    for (uint32_t i = 0; i < reader->header.section_count; i++) {
        const kiln_format_section entry = kiln_reader_entry(reader, i);
        const uint32_t number = kiln_reader_section_of(reader, i);
        const kiln_reader_section *section = &reader->sections[number];
        if (section->data == NULL || !must_move(reader, &entry)) {
            continue;
        }
        uint8_t *out = (uint8_t *)(uintptr_t)section->data + done[number];
        done[number] += entry.raw_size;
        KILN_ASSERT(done[number] <= section->entry.raw_size);
        if (entry.codec == KILN_CODEC_RAW) {
            memcpy(out, reader->file + entry.offset, (size_t)entry.raw_size);
            continue;
        }
        const uint64_t blocks = kiln_reader_block_count(&entry);
        const uint8_t *stored = reader->file + entry.offset + blocks * sizeof(kiln_format_block);
        uint64_t left = kiln_reader_streams_size(&entry);
        for (uint64_t b = 0; b < blocks; b++) {
            kiln_format_block block;
            if (!kiln_reader_take_block(reader, &entry, b, &left, &block, error)) {
                return false;
            }
            tasks[task_count++] = (block_task){.stored = stored,
                                               .out = out,
                                               .stored_size = block.stored_size,
                                               .raw_size = block.raw_size,
                                               .element_size = entry.element_size,
                                               .transform = entry.transform};
            stored += block.stored_size;
            out += block.raw_size;
        }
    }
    KILN_ASSERT(task_count == plan->task_count);
    *count = task_count;
    return true;
}

static uint64_t padded_to_64(uint64_t size)
{
    return (size + 63u) & ~(uint64_t)63u;
}

void *kiln_reader_allocate(const kiln_reader *reader, uint64_t besides, uint64_t size,
                           kiln_format_error *error)
{
    const uint64_t all = reader->memory_size + reader->heights_size + besides + size;
    KILN_ASSERT(reader->allocator.allocate != NULL);
    if (size > SIZE_MAX / 2 || all < size) {
        (void)kiln_format_error_set(error, KILN_FORMAT_ERROR_MEMORY, 0,
                                    "out of memory: the file is too large");
        return NULL;
    }
    if (reader->memory_limit != 0 && all > reader->memory_limit) {
        (void)kiln_format_error_set(error, KILN_FORMAT_ERROR_LIMIT, 0,
                                    "needs %llu bytes of memory, more than the limit of %llu",
                                    (unsigned long long)all,
                                    (unsigned long long)reader->memory_limit);
        return NULL;
    }
    void *memory = reader->allocator.allocate(reader->allocator.user, (size_t)size, 64);
    if (memory == NULL) {
        (void)kiln_format_error_set(error, KILN_FORMAT_ERROR_MEMORY, 0,
                                    "out of memory: %llu bytes wanted", (unsigned long long)size);
    }
    return memory;
}

/* Plans the one allocation, makes it, and fills the array of sections: what each is, and where its
 * data will be, or are. A section and the entries that continue it count as one from here on. */
static bool make_room(kiln_reader *reader, const kiln_reader_options *options, bool arriving,
                      layout *plan, kiln_format_error *error)
{
    /* Which entries of the table are wanted; an entry that continues a section is wanted where that
     * is. */
    uint8_t wanted[KILN_SECTION_COUNT_MAX];
    const uint32_t count = reader->header.section_count;
    KILN_ASSERT(count <= KILN_SECTION_COUNT_MAX);
    KILN_ASSERT(reader->memory == NULL);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t first = first_entry(reader, i);
        wanted[i] = first != i
                        ? wanted[first]
                        : options->wanted == NULL || options->wanted(options->user, reader, i);
    }

    plan->decoded = padded_to_64(count * sizeof(kiln_reader_section));
    plan->tasks = plan->decoded;
    plan->task_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const kiln_format_section entry = kiln_reader_entry(reader, i);
        if (wanted[i] && must_move(reader, &entry)) {
            plan->tasks += padded_to_64(entry.raw_size);
            plan->task_count +=
                entry.codec == KILN_CODEC_DEFLATE ? kiln_reader_block_count(&entry) : 0;
        }
    }
    plan->total = plan->tasks + (arriving ? count * sizeof(kiln_format_section)
                                          : plan->task_count * sizeof(block_task));
    if (plan->task_count > UINT32_MAX) {
        return kiln_format_error_set(error, KILN_FORMAT_ERROR_MEMORY, 0,
                                     "out of memory: the file is too large");
    }
    reader->memory = kiln_reader_allocate(reader, 0, plan->total, error);
    if (reader->memory == NULL) {
        return false;
    }
    reader->memory_size = (size_t)plan->total;

    /* Sizes come first, since those of entries that continue a section move the section after it.
     */
    reader->sections = (kiln_reader_section *)reader->memory;
    for (uint32_t i = 0; i < count; i++) {
        const kiln_format_section entry = kiln_reader_entry(reader, i);
        if (continues(&entry)) {
            kiln_reader_section *whole = &reader->sections[kiln_reader_section_of(reader, i)];
            whole->entry.stored_size += entry.stored_size;
            whole->entry.raw_size += entry.raw_size;
            whole->count = whole->entry.raw_size / entry.element_size;
        } else {
            reader->sections[reader->section_count++] =
                (kiln_reader_section){entry, NULL, entry.raw_size / entry.element_size, 0};
        }
    }
    uint8_t *out = (uint8_t *)reader->memory + plan->decoded;
    uint32_t index = 0;
    for (uint32_t i = 0; i < count; i++) {
        const kiln_format_section entry = kiln_reader_entry(reader, i);
        if (continues(&entry)) {
            continue;
        }
        kiln_reader_section *section = &reader->sections[index++];
        if (wanted[i] && must_move(reader, &entry)) {
            section->data = out;
            out += padded_to_64(section->entry.raw_size);
        } else if (wanted[i]) {
            section->data = reader->file + entry.offset;
        }
    }
    KILN_ASSERT(index == reader->section_count);
    KILN_ASSERT(out <= (uint8_t *)reader->memory + plan->tasks);
    return true;
}

/* Makes the room for a file that is still arriving. Claims of sizes are held against what the
 * stored bytes could expand to, since the blocks that would prove them have not come yet. */
bool kiln_reader_make_room(kiln_reader *reader, const kiln_reader_options *options,
                           kiln_format_error *error)
{
    layout plan;
    for (uint32_t i = 0; i < reader->header.section_count; i++) {
        const kiln_format_section entry = kiln_reader_entry(reader, i);
        const uint64_t most = (uint64_t)EXPANSION_MAX * kiln_transform_expansion(entry.transform);
        if (entry.codec != KILN_CODEC_RAW && entry.raw_size / most > entry.stored_size) {
            return kiln_format_error_rule(error, KILN_RULE_BLOCK_TABLE, entry.offset,
                                          kind_name(entry.kind));
        }
        if (entry.raw_size > SIZE_MAX / 4 / KILN_SECTION_COUNT_MAX) {
            return kiln_format_error_set(error, KILN_FORMAT_ERROR_MEMORY, 0,
                                         "out of memory: the file is too large");
        }
    }
    reader->copies = true;
    if (!make_room(reader, options, true, &plan, error)) {
        return false;
    }
    kiln_format_section *table =
        (kiln_format_section *)(void *)((uint8_t *)reader->memory + plan.tasks);
    memcpy(table, reader->table, reader->header.section_count * sizeof *table);
    reader->table = table;
    return true;
}

/* Checks and decodes what is wanted of a file whose header and table are sound. A file with any
 * packed section is copied wholly, so that of what it was read from nothing is used again. */
static bool load_sections(kiln_reader *reader, const kiln_reader_options *options,
                          kiln_format_error *error)
{
    reader->copies = options->copies;
    for (uint32_t i = 0; i < reader->header.section_count; i++) {
        const kiln_format_section entry = kiln_reader_entry(reader, i);
        reader->copies = reader->copies || entry.codec != KILN_CODEC_RAW;
        if (!check_section_bytes(reader, &entry, options->trusted, error)) {
            return false;
        }
    }
    layout plan;
    if (!make_room(reader, options, false, &plan, error)) {
        return false;
    }
    uint32_t count;
    if (!list_tasks(reader, &plan, &count, error)) {
        return false;
    }
    if (!options->trusted && !check_padding(reader, error)) {
        return false;
    }
    block_task *tasks = (block_task *)(void *)((uint8_t *)reader->memory + plan.tasks);
    if (options->parallel != NULL && count > 1) {
        options->parallel(options->parallel_user, run_block_task, tasks, count);
    } else {
        for (uint32_t i = 0; i < count; i++) {
            run_block_task(tasks, i);
        }
    }
    /* The results are read in order, so that the error does not depend on which thread was first.
     */
    for (uint32_t i = 0; i < count; i++) {
        if (!tasks[i].done) {
            const uint64_t offset = (uint64_t)(tasks[i].stored - reader->file);
            return kiln_format_error_set(error, KILN_FORMAT_ERROR_INFLATE, offset,
                                         "a compressed block at offset %llu can't be decoded",
                                         (unsigned long long)offset);
        }
    }
    for (uint32_t i = 0; i < reader->section_count; i++) {
        reader->sections[i].there = reader->sections[i].count;
    }
    return true;
}

bool kiln_reader_open(kiln_reader *reader, const void *data, size_t size,
                      const kiln_reader_options *options, kiln_format_error *error)
{
    static const kiln_reader_options defaults = {0};
    if (options == NULL) {
        options = &defaults;
    }
    memset(reader, 0, sizeof *reader);
    memset(error, 0, sizeof *error);
    reader->file = (const uint8_t *)data;
    reader->file_size = size;
    reader->memory_limit = options->memory_limit;
    reader->allocator =
        options->allocator.allocate != NULL ? options->allocator : kiln_reader_default_allocator;
    kiln_format_section table[KILN_SECTION_COUNT_MAX];
    if (!kiln_reader_check_head(reader, false, table, error) ||
        !load_sections(reader, options, error)) {
        kiln_reader_close(reader);
        return false;
    }
    reader->table = NULL;
    reader->file = reader->copies ? NULL : reader->file;
    if (!kiln_reader_form_heights(reader, error)) {
        kiln_reader_close(reader);
        return false;
    }
    return true;
}

bool kiln_reader_form_heights(kiln_reader *reader, kiln_format_error *error)
{
    const uint32_t header = kiln_reader_find(reader, KILN_SECTION_HEIGHTS, 0);
    const uint32_t samples = kiln_reader_find(reader, KILN_SECTION_SAMPLES, 0);
    size_t size, scratch_size;
    if (header == KILN_NO_INDEX || samples == KILN_NO_INDEX ||
        reader->sections[header].data == NULL || reader->sections[samples].data == NULL) {
        return true;
    }
    const kiln_format_heights *grid = (const kiln_format_heights *)reader->sections[header].data;
    const uint64_t at = reader->sections[header].entry.offset;
    if (reader->sections[header].count != 1 ||
        !kiln_heights_size(grid, reader->sections[samples].count, &size, &scratch_size)) {
        return kiln_format_error_rule(error, KILN_RULE_HEIGHTS, at, "height field");
    }
    void *memory = kiln_reader_allocate(reader, 0, size, error);
    void *scratch = memory != NULL ? kiln_reader_allocate(reader, size, scratch_size, error) : NULL;
    if (scratch != NULL) {
        reader->heights = kiln_heights_form(grid, (const uint16_t *)reader->sections[samples].data,
                                            memory, scratch);
        reader->allocator.release(reader->allocator.user, scratch, scratch_size);
        if (reader->heights == NULL) {
            (void)kiln_format_error_rule(error, KILN_RULE_HEIGHTS, at, "height field");
        }
    }
    if (memory != NULL && reader->heights == NULL) {
        reader->allocator.release(reader->allocator.user, memory, size);
    }
    reader->heights_size = reader->heights != NULL ? size : 0;
    return reader->heights != NULL;
}

/* A reader that is closed is all zero, so closing one that failed to open does nothing. */
void kiln_reader_close(kiln_reader *reader)
{
    if (reader->memory != NULL) {
        reader->allocator.release(reader->allocator.user, reader->memory, reader->memory_size);
    }
    if (reader->heights != NULL) {
        reader->allocator.release(reader->allocator.user, reader->heights, reader->heights_size);
    }
    memset(reader, 0, sizeof *reader);
}

uint32_t kiln_reader_find(const kiln_reader *reader, uint32_t kind, uint32_t from)
{
    for (uint32_t i = from; i < reader->section_count; i++) {
        if (reader->sections[i].entry.kind == kind) {
            return i;
        }
    }
    return KILN_NO_INDEX;
}
