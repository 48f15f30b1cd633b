/* Writing of a container, and the shares of a file's bytes by what they hold.
 *
 * Sections that pack smaller than they are become deflate, by the smallest of the transforms that
 * their kind lists; the others stay raw. Each block of a section is a task of its own, and where a
 * block lies follows from sizes alone, so the number of threads does not show. Where neighbouring
 * sections have the tops of trees in their first blocks, these blocks come first, so that a file
 * that is still arriving answers from all of them.
 *
 * The pass: choose transforms on samples, pack all blocks, drop what did not get smaller, cut
 * sections into pieces, place the pieces, copy them, and write the header, whose checksum covers
 * the table. */
#include "container.h"

#include "../../formats/assert.h"
#include "../../formats/codec.h"
#include "../../formats/node_kinds.h"
#include "../../formats/reader.h"
#include "../../formats/sections.h"
#include "../common/sha256.h"
#include "transform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One block of a section on its way into the file, or on trial. */
typedef struct {
    const uint8_t *raw;
    uint32_t raw_size;
    uint32_t element_size;
    uint16_t transform;
    bool trial;      /* `stored_size` alone is wanted */
    bool measured;   /* or, false, whether the transform can carry it */
    bool carried;    /* true: it can */
    bool failed;     /* no memory */
    uint8_t *stored; /* NULL: failed, or on trial */
    uint32_t stored_size;
    uint32_t crc;
} packed_block;

/* One section, packed. */
typedef struct {
    uint16_t transform;
    uint32_t first_block, block_count; /* 0: raw */
} packed_section;

/* What an entry of the section table stands for: a section, its first block, or the others. */
typedef struct {
    kiln_format_section entry;
    uint32_t section;
    uint32_t first_block, block_count; /* 0: raw */
} piece;

typedef struct {
    const kiln_section_input *sections;
    uint32_t count;
    packed_section *packed;
    packed_block *blocks;
    uint32_t block_count;
    piece *pieces;
    uint32_t piece_count;
} container;

/* The element size of a kind, or of a section where the kind leaves it open. */
static uint32_t element_size_of(const kiln_section_input *section)
{
    const kiln_section_kind *kind = kiln_section_kind_find(section->kind);
    return kind->element_size != 0 ? kind->element_size : section->element_size;
}

/* One task: transforms and deflates a block, or measures it for the choice of a transform. */
static void pack_block(void *context, uint32_t index)
{
    packed_block *block = (packed_block *)context + index;
    kiln_segments segments;
    size_t size;
    uint8_t *scratch = malloc(KILN_BLOCK_SIZE + KILN_TRANSFORM_WORK); /* too much for stacks */
    if (scratch == NULL) {
        block->failed = true;
        return;
    }
    /* A transform that cannot carry a block is no error: the kind of section lists others. */
    block->carried =
        kiln_transform_apply(block->transform, block->element_size, block->raw, block->raw_size,
                             scratch, &size, &segments, scratch + KILN_BLOCK_SIZE);
    if (block->carried && block->measured) {
        block->stored = kiln_deflate(scratch, size, &segments, &block->stored_size);
        block->crc = block->stored != NULL ? kiln_crc32(block->stored, block->stored_size) : 0;
        block->failed = block->stored == NULL;
    }
    free(scratch);
    /* Only the size of a trial matters. The streams of all trials would take several times the
     * file. */
    if (block->trial) {
        free(block->stored);
        block->stored = NULL;
    }
}

/* Block `index` of a section as a task of pack_block, to be measured and kept. */
static packed_block block_of(const kiln_section_input *section, uint32_t index, uint16_t transform)
{
    const uint32_t full = kiln_block_raw_size(element_size_of(section));
    const uint64_t at = (uint64_t)index * full;
    packed_block block;
    memset(&block, 0, sizeof block);
    block.raw = (const uint8_t *)section->data + at;
    block.raw_size = section->size - at < full ? (uint32_t)(section->size - at) : full;
    block.element_size = element_size_of(section);
    block.transform = transform;
    block.measured = true;
    return block;
}

/* How many transforms a kind lists: up to "none". */
static uint32_t transform_count(const kiln_section_kind *kind)
{
    uint32_t count = 1;
    while (count < KILN_SECTION_TRANSFORMS && kind->transforms[count - 1] != KILN_TRANSFORM_NONE) {
        count++;
    }
    return count;
}

/* All blocks of all sections are tasks of one loop, so that a file of one large section uses all
 * threads too. */
static bool pack_sections(container *box, const kiln_watch *watch)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < box->count; i++) {
        box->packed[i].first_block = (uint32_t)total;
        const uint32_t block = kiln_block_raw_size(element_size_of(&box->sections[i]));
        box->packed[i].block_count = (uint32_t)((box->sections[i].size + block - 1) / block);
        total += box->packed[i].block_count;
    }
    box->blocks = calloc(total > 0 ? total : 1, sizeof *box->blocks);
    if (box->blocks == NULL || total > UINT32_MAX || total * KILN_SECTION_TRANSFORMS > UINT32_MAX) {
        return false;
    }

    /* Each transform is tried on two blocks of each section, the first and the one in the middle,
     * which is enough to order them by size; the other blocks only show whether it carries them. */
    packed_block *trials = calloc(total > 0 ? total * KILN_SECTION_TRANSFORMS : 1, sizeof *trials);
    if (trials == NULL) {
        return false;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < box->count; i++) {
        const kiln_section_kind *kind = kiln_section_kind_find(box->sections[i].kind);
        const uint32_t blocks = box->packed[i].block_count;
        for (uint32_t k = 0; k < transform_count(kind) * blocks; k++) {
            const uint32_t b = k % blocks;
            packed_block *trial = &trials[count++];
            *trial = block_of(&box->sections[i], b, kind->transforms[k / blocks]);
            trial->trial = true;
            trial->measured = b == 0 || b == blocks / 2;
        }
    }
    KILN_ASSERT(count <= total * KILN_SECTION_TRANSFORMS);
    bool done = kiln_parallel_for(watch, count, pack_block, trials);
    for (uint32_t i = 0; i < count; i++) {
        done = done && !trials[i].failed;
    }

    /* Of each section the smallest of the transforms that carry all its blocks. The trials are by
     * transform, then by block. */
    count = 0;
    for (uint32_t i = 0; i < box->count; i++) {
        const kiln_section_kind *kind = kiln_section_kind_find(box->sections[i].kind);
        const uint32_t blocks = box->packed[i].block_count;
        uint64_t least = UINT64_MAX;
        box->packed[i].transform = KILN_TRANSFORM_NONE;
        for (uint32_t t = 0; t < transform_count(kind); t++) {
            uint64_t size = 0;
            bool carried = true;
            for (uint32_t b = 0; b < blocks; b++) {
                const packed_block *trial = &trials[count++];
                carried = carried && trial->carried;
                size += trial->stored_size;
            }
            if (carried && size < least) {
                least = size;
                box->packed[i].transform = kind->transforms[t];
            }
        }
    }
    free(trials);
    if (!done) {
        return false;
    }

    /* Then every block by the transform of its section. */
    box->block_count = (uint32_t)total;
    for (uint32_t i = 0; i < box->count; i++) {
        for (uint32_t b = 0; b < box->packed[i].block_count; b++) {
            box->blocks[box->packed[i].first_block + b] =
                block_of(&box->sections[i], b, box->packed[i].transform);
        }
    }
    if (!kiln_parallel_for(watch, box->block_count, pack_block, box->blocks)) {
        return false;
    }
    for (uint32_t i = 0; i < box->block_count; i++) {
        if (box->blocks[i].stored == NULL) {
            return false;
        }
    }
    return true;
}

/* Bytes of packed blocks with their table. */
static uint64_t packed_size(const container *box, uint32_t first, uint32_t count)
{
    KILN_ASSERT(first + count <= box->block_count);
    uint64_t size = count * sizeof(kiln_format_block);
    for (uint32_t i = 0; i < count; i++) {
        size += box->blocks[first + i].stored_size;
    }
    return size;
}

/* A piece is a run of blocks of one section, with an entry of its own in the table of sections. */
static void add_piece(container *box, uint32_t section, uint32_t from, uint32_t to)
{
    box->pieces[box->piece_count++] =
        (piece){.section = section,
                .first_block = box->packed[section].first_block + from,
                .block_count = to - from};
}

/* Bytes of a piece after decoding. A raw section is one piece without blocks. */
static uint64_t raw_size(const container *box, const piece *p)
{
    KILN_ASSERT(p->section < box->count);
    uint64_t size = 0;
    for (uint32_t i = 0; i < p->block_count; i++) {
        size += box->blocks[p->first_block + i].raw_size;
    }
    return p->block_count > 0 ? size : box->sections[p->section].size;
}

/* The hash covers decoded contents, so that a packed and a raw file of one model share it
 * (formats/hierarchy.md, section 3). */
void kiln_container_content_hash(const kiln_section_input *sections, uint32_t count,
                                 uint8_t hash[16])
{
    kiln_sha256 sha;
    uint8_t digest[KILN_SHA256_SIZE];
    kiln_sha256_init(&sha);
    for (uint32_t i = 0; i < count; i++) {
        kiln_sha256_update(&sha, &sections[i].kind, sizeof sections[i].kind);
        kiln_sha256_update(&sha, &sections[i].size, sizeof sections[i].size);
        if (sections[i].size > 0) {
            kiln_sha256_update(&sha, sections[i].data, (size_t)sections[i].size);
        }
    }
    kiln_sha256_final(&sha, digest);
    memcpy(hash, digest, 16);
}

/* Chooses the pieces and their places in the file. Returns where the last ends: the size of the
 * file. */
static uint64_t place_pieces(container *box)
{
    KILN_ASSERT(box->pieces != NULL && box->piece_count == 0);
    /* A section that packs to no less than it is stays raw. */
    for (uint32_t i = 0; i < box->count; i++) {
        packed_section *packed = &box->packed[i];
        if (packed_size(box, packed->first_block, packed->block_count) >= box->sections[i].size) {
            packed->block_count = 0;
        }
    }

    /* Cut sections into pieces, so that runs of sections whose first blocks matter most begin
     * with these. */
    for (uint32_t i = 0, last; i < box->count; i = last) {
        last = i;
        while (last < box->count && kiln_section_kind_find(box->sections[last].kind)->first != 0) {
            last++;
        }
        last = last > i ? last : i + 1;

        /* The first blocks of this run come before the rest of any section in it; its last section
         * is left whole where those before it are. */
        bool split = false;
        for (uint32_t k = i; k < last; k++) {
            const uint32_t blocks = box->packed[k].block_count;
            split = split || (blocks > 1 && k + 1 < last);
            add_piece(box, k, 0, split && blocks > 1 ? 1 : blocks);
        }
        for (uint32_t k = i; k < last; k++) {
            const uint32_t blocks = box->packed[k].block_count;
            if (split && blocks > 1) {
                add_piece(box, k, 1, blocks);
            }
        }
    }

    /* Place the pieces one after the other and fill their entries but for the checksums.
     */
    uint64_t end = sizeof(kiln_format_header) + box->piece_count * sizeof(kiln_format_section);
    for (uint32_t i = 0; i < box->piece_count; i++) {
        piece *p = &box->pieces[i];
        const kiln_section_kind *kind = kiln_section_kind_find(box->sections[p->section].kind);
        const packed_section *section = &box->packed[p->section];
        const bool packed = p->block_count > 0;
        kiln_format_section *entry = &p->entry;
        entry->kind = kind->kind;
        entry->flags = kind->flags;
        if (packed && p->first_block != section->first_block) {
            entry->flags |= KILN_SECTION_CONTINUES;
        }
        entry->codec = packed ? KILN_CODEC_DEFLATE : KILN_CODEC_RAW;
        entry->transform = packed ? section->transform : KILN_TRANSFORM_NONE;
        entry->element_size = element_size_of(&box->sections[p->section]);
        entry->alignment = packed ? KILN_SECTION_ALIGNMENT : kind->alignment;
        entry->raw_size = raw_size(box, p);
        entry->stored_size =
            packed ? packed_size(box, p->first_block, p->block_count) : entry->raw_size;
        KILN_ASSERT(entry->alignment > 0);
        entry->offset = (end + entry->alignment - 1) & ~(uint64_t)(entry->alignment - 1);
        end = entry->offset + entry->stored_size;
    }
    KILN_ASSERT(box->piece_count <= 2 * box->count);
    return end;
}

kiln_bake_status kiln_container_write(const kiln_section_input *sections, uint32_t count,
                                      kiln_layout layout, uint64_t features,
                                      const uint8_t build_key[16], const kiln_watch *watch,
                                      void **file, size_t *size, uint64_t *stored_sizes)
{
    KILN_ASSERT(count > 0);
    container box = {.sections = sections, .count = count};
    kiln_bake_status status = KILN_BAKE_FAILED;
    box.packed = calloc(count, sizeof *box.packed);
    box.pieces = calloc(2 * (size_t)count, sizeof *box.pieces);
    if (box.packed == NULL || box.pieces == NULL ||
        (layout == KILN_LAYOUT_PACKED && !pack_sections(&box, watch))) {
        goto done;
    }

    const uint64_t total = place_pieces(&box);
    uint8_t *bytes = total <= SIZE_MAX ? calloc(1, (size_t)total) : NULL;
    if (bytes == NULL) {
        goto done;
    }

    /* Copy the pieces to their places. The checksum of a packed one covers the table of its
     * blocks, each of which has its own. */
    for (uint32_t i = 0; i < box.piece_count; i++) {
        piece *p = &box.pieces[i];
        uint8_t *out = bytes + p->entry.offset;
        if (p->block_count > 0) {
            /* Blocks are freed as they are copied. */
            uint8_t *block_out = out + p->block_count * sizeof(kiln_format_block);
            for (uint32_t b = 0; b < p->block_count; b++) {
                packed_block *block = &box.blocks[p->first_block + b];
                const kiln_format_block entry = {block->stored_size, block->raw_size, block->crc};
                memcpy(out + b * sizeof entry, &entry, sizeof entry);
                memcpy(block_out, block->stored, block->stored_size);
                block_out += block->stored_size;
                free(block->stored);
                block->stored = NULL;
            }
            p->entry.crc = kiln_crc32(out, p->block_count * sizeof(kiln_format_block));
        } else if (p->entry.raw_size > 0) {
            memcpy(out, box.sections[p->section].data, (size_t)p->entry.raw_size);
            p->entry.crc = kiln_crc32(out, (size_t)p->entry.raw_size);
        }
        memcpy(bytes + sizeof(kiln_format_header) + i * sizeof(kiln_format_section), &p->entry,
               sizeof p->entry);
    }

    /* Files state no newer version than their contents need, so that the files of older kinds keep
     * their bytes. */
    uint16_t minor = KILN_FORMAT_MINOR;
    for (uint32_t i = 0; i < count; i++) {
        for (unsigned k = 0; k < KILN_NODE_KIND_COUNT; k++) {
            const kiln_node_kind *kind = &kiln_node_kinds[k];
            minor = kind->section == sections[i].kind && kind->minor > minor ? kind->minor : minor;
        }
        const uint16_t needs =
            sections[i].kind == KILN_SECTION_AXES         ? KILN_FORMAT_MINOR_AXES
            : sections[i].kind == KILN_SECTION_HEIGHTS    ? KILN_FORMAT_MINOR_HEIGHTS
            : sections[i].kind == KILN_SECTION_LANE_PAIRS ? KILN_FORMAT_MINOR_PAIRS
                                                          : KILN_FORMAT_MINOR;
        minor = needs > minor ? needs : minor;
    }

    /* The header is written last, since its checksum covers the table of sections that follows it.
     */
    kiln_format_header header;
    memset(&header, 0, sizeof header);
    memcpy(header.magic, KILN_FORMAT_MAGIC, sizeof header.magic);
    header.version_major = KILN_FORMAT_MAJOR;
    if ((features & KILN_FORMAT_OPTIONAL_POINTS) != 0 && minor < KILN_FORMAT_MINOR_POINTS) {
        minor = KILN_FORMAT_MINOR_POINTS;
    }
    header.version_minor = minor;
    header.features_optional = features;
    header.file_size = total;
    header.section_count = box.piece_count;
    header.section_entry_size = sizeof(kiln_format_section);
    kiln_container_content_hash(sections, count, header.content_hash);
    memcpy(header.build_key, build_key, sizeof header.build_key);
    header.header_crc =
        kiln_crc32_continue(kiln_crc32(&header, sizeof header), bytes + sizeof header,
                            box.piece_count * sizeof(kiln_format_section));
    memcpy(bytes, &header, sizeof header);
    *file = bytes;
    *size = (size_t)total;
    status = KILN_BAKE_OK;
    if (stored_sizes != NULL) {
        memset(stored_sizes, 0, count * sizeof *stored_sizes);
        for (uint32_t i = 0; i < box.piece_count; i++) {
            stored_sizes[box.pieces[i].section] += box.pieces[i].entry.stored_size;
        }
    }
done:
    for (uint32_t i = 0; i < box.block_count; i++) {
        free(box.blocks[i].stored);
    }
    free(box.blocks);
    free(box.packed);
    free(box.pieces);
    return status;
}

kiln_bake_status kiln_container_relayout(const void *data, size_t data_size, kiln_layout layout,
                                         const kiln_watch *watch, void **file, size_t *size,
                                         char message[192])
{
    KILN_ASSERT(data != NULL);
    kiln_reader reader;
    kiln_format_error error;
    message[0] = '\0';
    if (!kiln_reader_open(&reader, data, data_size, NULL, &error)) {
        (void)snprintf(message, 192, "%s", error.text);
        return error.code == KILN_FORMAT_ERROR_MEMORY ? KILN_BAKE_FAILED : KILN_BAKE_INVALID;
    }

    /* The sections as they were decoded, with the alignment and transforms of their kinds. */
    kiln_bake_status status = KILN_BAKE_FAILED;
    kiln_section_input *sections = calloc(reader.section_count, sizeof *sections);
    for (uint32_t i = 0; i < reader.section_count && sections != NULL; i++) {
        const kiln_reader_section *section = &reader.sections[i];
        if (kiln_section_kind_find(section->entry.kind) == NULL) {
            (void)snprintf(message, 192,
                           "holds section kind %#x that this version can't carry over",
                           section->entry.kind);
            status = KILN_BAKE_UNSUPPORTED;
            goto done;
        }
        sections[i].kind = section->entry.kind;
        sections[i].data = section->data;
        sections[i].size = section->entry.raw_size;
        sections[i].element_size = section->entry.element_size;
    }
    if (sections != NULL) {
        status = kiln_container_write(sections, reader.section_count, layout,
                                      reader.header.features_optional, reader.header.build_key,
                                      watch, file, size, NULL);
    }
    if (status != KILN_BAKE_OK) {
        (void)snprintf(message, 192, "out of memory");
    }
done:
    free(sections);
    kiln_reader_close(&reader);
    return status;
}

/* ----------------------------------------------------------------------------------- shares -- */

const char *kiln_share_name(kiln_share share)
{
    KILN_ASSERT(share < KILN_SHARE_COUNT);
    static const char *const names[KILN_SHARE_COUNT] = {
        "nodes", "vertices", "indices", "source", "user values", "counts", "rest"};
    return names[share];
}

void kiln_shares(const kiln_reader *reader, uint64_t shares[KILN_SHARE_COUNT])
{
    /* What the bytes of each kind of section are spent on, besides the nodes of all kinds. */
    static const struct {
        uint32_t kind;
        kiln_share share;
    } share_of[] = {
        {KILN_SECTION_ORDER, KILN_SHARE_NODES},
        {KILN_SECTION_REFERENCES, KILN_SHARE_NODES},
        {KILN_SECTION_LANE_PAIRS, KILN_SHARE_NODES},
        {KILN_SECTION_VERTICES, KILN_SHARE_VERTICES},
        {KILN_SECTION_TRIANGLES, KILN_SHARE_INDICES},
        {KILN_SECTION_TRIANGLE_IDS, KILN_SHARE_SOURCE},
        {KILN_SECTION_FACES, KILN_SHARE_SOURCE},
        {KILN_SECTION_PARTS, KILN_SHARE_SOURCE},
        {KILN_SECTION_USER, KILN_SHARE_USER},
        {KILN_SECTION_MATERIALS, KILN_SHARE_USER},
        {KILN_SECTION_ADB, KILN_SHARE_COUNTS},
        {KILN_SECTION_ADB_BOXES, KILN_SHARE_COUNTS},
    };
    memset(shares, 0, KILN_SHARE_COUNT * sizeof shares[0]);
    uint64_t rest = reader->file_size;
    for (uint32_t i = 0; i < reader->section_count; i++) {
        const kiln_format_section *entry = &reader->sections[i].entry;
        kiln_share share = KILN_SHARE_REST;
        for (unsigned k = 0; k < KILN_NODE_KIND_COUNT; k++) {
            share = kiln_node_kinds[k].section == entry->kind ? KILN_SHARE_NODES : share;
        }
        for (unsigned k = 0; k < sizeof share_of / sizeof share_of[0]; k++) {
            share = share_of[k].kind == entry->kind ? share_of[k].share : share;
        }
        if (share != KILN_SHARE_REST) {
            KILN_ASSERT(entry->stored_size <= rest);
            shares[share] += entry->stored_size;
            rest -= entry->stored_size;
        }
    }
    shares[KILN_SHARE_REST] = rest;
}
