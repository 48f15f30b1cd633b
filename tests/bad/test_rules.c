/* One bad file and more for each rule of formats/hierarchy.md, section 10: a good file with one
 * place changed and every checksum right again, so that nothing but the rule stands in the way.
 * Each must be refused by the number of its rule, at an offset in the right place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../formats/nodes.h"
#include "../support/quick_bake.h"
#include "../support/quick_weights.h"
#include "refuse.h"

enum { UNKNOWN_KIND = KILN_FOURCC('Z', 'Z', 'Z', 'Z') };

/* ------------------------------------------------------------------- changes of contents -- */

/* Seals `file`, raw and packed, and expects the rule at byte `byte` of the section of a kind. */
static void refuse_contents(const edit_file *file, uint32_t rule, uint32_t kind, size_t byte)
{
    size_t size;
    uint8_t *raw = edit_seal(file, false, &size);
    kiln_error error = refuse(raw, size, KILN_ERROR_RULE, rule);
    assert_int_equal(error.offset, edit_get_entry(raw, edit_index(raw, kind)).offset + byte);
    free(raw);
    uint8_t *packed = edit_seal(file, true, &size);
    error = refuse(packed, size, KILN_ERROR_RULE, rule);
    assert_int_equal(error.offset, byte);
    free(packed);
}

/* Writes `bytes` into the section of a kind; expects the rule at byte `seen`. */
static void refuse_bytes(uint32_t rule, uint32_t kind, size_t at, const void *bytes, size_t size,
                         size_t seen)
{
    edit_file *file = good_file();
    edit_section *section = edit_find(file, kind);
    assert_true(at + size <= section->size);
    assert_memory_not_equal(section->data + at, bytes, size);
    memcpy(section->data + at, bytes, size);
    refuse_contents(file, rule, kind, seen);
    edit_free(file);
}

static void refuse_word(uint32_t rule, uint32_t kind, size_t at, uint32_t value, size_t seen)
{
    refuse_bytes(rule, kind, at, &value, sizeof value, seen);
}

static void refuse_float(uint32_t rule, uint32_t kind, size_t at, float value, size_t seen)
{
    refuse_bytes(rule, kind, at, &value, sizeof value, seen);
}

/* -------------------------------------------------------------- changes of table and header -- */

typedef struct {
    uint8_t *bytes;
    size_t size;
} sealed;

static sealed good_bytes(bool packed)
{
    edit_file *file = good_file();
    sealed s;
    s.bytes = edit_seal(file, packed, &s.size);
    edit_free(file);
    return s;
}

/* Reseals, expects the rule, and lets go. */
static uint64_t refuse_sealed(sealed *s, uint32_t rule)
{
    edit_reseal(s->bytes, s->size);
    const kiln_error error = refuse(s->bytes, s->size, KILN_ERROR_RULE, rule);
    assert_true(error.offset <= s->size);
    free(s->bytes);
    return error.offset;
}

static void refuse_header(uint32_t rule, const kiln_format_header *header)
{
    sealed s = good_bytes(false);
    memcpy(s.bytes, header, sizeof *header);
    assert_true(refuse_sealed(&s, rule) <= sizeof *header);
}

static kiln_format_header good_header(void)
{
    sealed s = good_bytes(false);
    kiln_format_header header;
    memcpy(&header, s.bytes, sizeof header);
    free(s.bytes);
    return header;
}

/* Entry `entry` in place of the one of a kind; expects the rule at that entry. */
static void refuse_entry(uint32_t rule, uint32_t kind, bool packed, kiln_format_section entry)
{
    sealed s = good_bytes(packed);
    const uint32_t index = edit_index(s.bytes, kind);
    edit_set_entry(s.bytes, index, &entry);
    assert_int_equal(refuse_sealed(&s, rule),
                     sizeof(kiln_format_header) + index * sizeof(kiln_format_section));
}

static kiln_format_section good_entry(uint32_t kind, bool packed)
{
    sealed s = good_bytes(packed);
    const kiln_format_section entry = edit_get_entry(s.bytes, edit_index(s.bytes, kind));
    free(s.bytes);
    return entry;
}

/* ------------------------------------------------------------------------- R1 to R8 -- */

static void rule_1_bytes_behind_the_end(void **state)
{
    (void)state;
    for (size_t extra = 1; extra <= 4096; extra *= 8) {
        sealed s = good_bytes(extra % 2 == 0);
        s.bytes = realloc(s.bytes, s.size + extra);
        assert_non_null(s.bytes);
        memset(s.bytes + s.size, 0, extra);
        (void)refuse(s.bytes, s.size + extra, KILN_ERROR_RULE, KILN_RULE_FILE_SIZE);
        const uint64_t file_size = s.size + extra; /* counted in, but in no section */
        memcpy(s.bytes + offsetof(kiln_format_header, file_size), &file_size, sizeof file_size);
        s.size += extra;
        assert_int_equal(refuse_sealed(&s, KILN_RULE_FILE_SIZE), s.size - extra);
    }
}

static void rule_2_reserved_bytes_of_the_header(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good_header().reserved; i++) {
        kiln_format_header header = good_header();
        header.reserved[i] = 1;
        refuse_header(KILN_RULE_RESERVED, &header);
    }
}

static void rule_2_reserved_bytes_of_the_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good_entry(KILN_SECTION_TREES, false).reserved; i++) {
        kiln_format_section entry = good_entry(KILN_SECTION_VERTICES, i % 2 == 0);
        entry.reserved[i] = 0x80;
        refuse_entry(KILN_RULE_RESERVED, KILN_SECTION_VERTICES, i % 2 == 0, entry);
    }
}

static void rule_2_padding(void **state)
{
    (void)state;
    sealed s = good_bytes(false);
    const kiln_format_section nodes =
        edit_get_entry(s.bytes, edit_index(s.bytes, KILN_SECTION_NODES_OBB8));
    s.bytes[nodes.offset - 1] = 1;
    assert_in_range(refuse_sealed(&s, KILN_RULE_RESERVED), nodes.offset - KILN_NODE_ALIGNMENT,
                    nodes.offset - 1);
}

static void rule_2_reserved_words_of_parts_trees_and_nodes(void **state)
{
    (void)state;
    refuse_word(KILN_RULE_RESERVED, KILN_SECTION_PARTS, offsetof(kiln_format_part, face), 1, 0);
    refuse_word(KILN_RULE_RESERVED, KILN_SECTION_PARTS, offsetof(kiln_format_part, user), 1, 0);
    refuse_word(KILN_RULE_RESERVED, KILN_SECTION_TREES,
                sizeof(kiln_format_tree) + offsetof(kiln_format_tree, reserved), 1,
                sizeof(kiln_format_tree));
    refuse_word(KILN_RULE_RESERVED, KILN_SECTION_NODES_OBB8, offsetof(kiln_format_node8, half_exp),
                100u | 1u << 8, 0);
    refuse_word(KILN_RULE_RESERVED, KILN_SECTION_NODES_AABB8,
                sizeof(kiln_format_node_aabb8) + offsetof(kiln_format_node8, half_exp), 1u << 31,
                sizeof(kiln_format_node_aabb8));
    refuse_word(KILN_RULE_RESERVED, KILN_SECTION_NODES_AABB8, offsetof(kiln_format_node8, half_exp),
                100, 0);
}

static void rule_3_section_counts_and_entry_sizes(void **state)
{
    (void)state;
    static const uint32_t counts[] = {0, 257, 65536, 0xFFFFFFFF};
    static const uint32_t sizes[] = {0, 63, 65, 128, 0xFFFFFFFF};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        kiln_format_header header = good_header();
        header.section_count = counts[i];
        refuse_header(KILN_RULE_SECTION_COUNT, &header);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        kiln_format_header header = good_header();
        header.section_entry_size = sizes[i];
        refuse_header(KILN_RULE_SECTION_COUNT, &header);
    }
}

static void rule_4_a_table_longer_than_the_file(void **state)
{
    (void)state;
    sealed s = good_bytes(true);
    assert_true(s.size < 256 * sizeof(kiln_format_section));
    const uint32_t count = 256;
    memcpy(s.bytes + offsetof(kiln_format_header, section_count), &count, sizeof count);
    (void)refuse_sealed(&s, KILN_RULE_SECTION_PLACE);
}

static void rule_4_alignments(void **state)
{
    (void)state;
    static const uint32_t alignments[] = {0, 1, 32, 63, 96, 131072, 0x80000000, 0xFFFFFFFF};
    for (size_t i = 0; i < sizeof alignments / sizeof alignments[0]; i++) {
        kiln_format_section entry = good_entry(KILN_SECTION_STRINGS, false);
        entry.alignment = alignments[i];
        refuse_entry(KILN_RULE_SECTION_PLACE, KILN_SECTION_STRINGS, false, entry);
    }
}

static void rule_4_places_outside_the_file(void **state)
{
    (void)state;
    static const uint64_t offsets[] = {
        0, 64, 1, UINT64_C(1) << 32, UINT64_C(1) << 63, UINT64_MAX - 63};
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        kiln_format_section entry = good_entry(KILN_SECTION_TRIANGLES, false);
        entry.offset = offsets[i];
        refuse_entry(KILN_RULE_SECTION_PLACE, KILN_SECTION_TRIANGLES, false, entry);
    }
    static const uint64_t sizes[] = {UINT64_C(12) << 20, UINT64_C(12) << 32, UINT64_MAX - 3};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        kiln_format_section entry = good_entry(KILN_SECTION_TRIANGLES, false);
        entry.stored_size = entry.raw_size = sizes[i];
        refuse_entry(KILN_RULE_SECTION_PLACE, KILN_SECTION_TRIANGLES, false, entry);
        entry = good_entry(KILN_SECTION_TRIANGLES, true);
        entry.stored_size = sizes[i];
        refuse_entry(KILN_RULE_SECTION_PLACE, KILN_SECTION_TRIANGLES, true, entry);
    }
}

static void rule_4_overlapping_sections(void **state)
{
    (void)state;
    sealed s = good_bytes(false);
    const uint32_t index = edit_index(s.bytes, KILN_SECTION_TRIANGLES);
    const kiln_format_section before = edit_get_entry(s.bytes, index - 1);
    kiln_format_section entry = edit_get_entry(s.bytes, index);
    free(s.bytes);
    entry.offset = before.offset; /* the same bytes twice */
    refuse_entry(KILN_RULE_SECTION_PLACE, KILN_SECTION_TRIANGLES, false, entry);
    entry.offset = before.offset + (before.stored_size - 1) / 64 * 64; /* the last of them */
    refuse_entry(KILN_RULE_SECTION_PLACE, KILN_SECTION_TRIANGLES, false, entry);
}

static void rule_4_sections_out_of_order(void **state)
{
    (void)state;
    sealed s = good_bytes(false);
    const uint32_t index = edit_index(s.bytes, KILN_SECTION_USER);
    const kiln_format_section one = edit_get_entry(s.bytes, index);
    const kiln_format_section two = edit_get_entry(s.bytes, index + 1);
    edit_set_entry(s.bytes, index, &two);
    edit_set_entry(s.bytes, index + 1, &one);
    assert_int_equal(refuse_sealed(&s, KILN_RULE_SECTION_PLACE),
                     sizeof(kiln_format_header) + (index + 1) * sizeof(kiln_format_section));
}

static void rule_5_element_sizes(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {0, 1, 4, 127, 129, 256, 131072, 131073, 0xFFFFFFFF};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        kiln_format_section entry = good_entry(KILN_SECTION_NODES_OBB8, i % 2 == 0);
        entry.element_size = sizes[i];
        refuse_entry(KILN_RULE_SECTION_SIZE, KILN_SECTION_NODES_OBB8, i % 2 == 0, entry);
    }
}

static void rule_5_element_sizes_of_unknown_kinds(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {0, 131073, 0xFFFFFFFF};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        edit_file *file = good_file();
        edit_append(file, UNKNOWN_KIND, 0, 1, "", 0);
        sealed s;
        s.bytes = edit_seal(file, false, &s.size);
        edit_free(file);
        const uint32_t index = edit_index(s.bytes, UNKNOWN_KIND);
        kiln_format_section entry = edit_get_entry(s.bytes, index);
        entry.element_size = sizes[i];
        edit_set_entry(s.bytes, index, &entry);
        (void)refuse_sealed(&s, KILN_RULE_SECTION_SIZE);
    }
}

static void rule_5_half_elements(void **state)
{
    (void)state;
    kiln_format_section entry = good_entry(KILN_SECTION_VERTICES, false);
    entry.raw_size--;
    entry.stored_size--;
    refuse_entry(KILN_RULE_SECTION_SIZE, KILN_SECTION_VERTICES, false, entry);
    entry = good_entry(KILN_SECTION_VERTICES, true);
    entry.raw_size -= 4;
    refuse_entry(KILN_RULE_SECTION_SIZE, KILN_SECTION_VERTICES, true, entry);
}

static void rule_6_codecs_transforms_and_flags(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        const bool packed = i >= 6;
        kiln_format_section entry = good_entry(KILN_SECTION_STRINGS, packed);
        switch (i) {
        case 0:
            entry.codec = 2;
            break;
        case 1:
            entry.codec = 0xFFFF;
            break;
        case 2:
            entry.transform = KILN_TRANSFORM_PLANES;
            break;
        case 3:
            entry.flags |= 2u;
            break;
        case 4:
            entry.flags |= 0x80000000u;
            break;
        case 5:
            entry.raw_size++;
            break;
        case 6:
            entry.transform = KILN_TRANSFORM_COUNT;
            break;
        case 7:
            entry.transform = 0xFFFF;
            break;
        case 8:
            entry.transform = KILN_TRANSFORM_DELTA_PLANES;
            break; /* of bytes */
        default:
            entry.codec = KILN_CODEC_RAW;
            break; /* of two sizes */
        }
        refuse_entry(KILN_RULE_SECTION_CODEC, KILN_SECTION_STRINGS, packed, entry);
    }
}

/* A file whose OBB2 nodes are in two places: their first block, and behind other nodes the rest. */
static sealed continued_bytes(uint32_t entry[2])
{
    mesh m = mesh_torus(30, 20, 0.1);
    sealed s;
    s.bytes = quick_bake(&m, "obb2,aabb", 1, KILN_LAYOUT_PACKED, &s.size);
    mesh_free(&m);
    entry[0] = edit_index(s.bytes, KILN_SECTION_NODES_OBB2);
    entry[1] = edit_index(s.bytes, KILN_SECTION_NODES_AABB8) + 1;
    assert_int_equal(edit_get_entry(s.bytes, entry[1]).kind, KILN_SECTION_NODES_OBB2);
    assert_int_equal(edit_get_entry(s.bytes, entry[1]).flags,
                     KILN_SECTION_REQUIRED | KILN_SECTION_CONTINUES);
    return s;
}

static void rule_6_sections_that_are_continued(void **state)
{
    (void)state;
    for (int i = 0; i < 7; i++) {
        uint32_t index[2];
        sealed s = continued_bytes(index);
        kiln_format_section first = edit_get_entry(s.bytes, index[0]);
        kiln_format_section next = edit_get_entry(s.bytes, index[1]);
        switch (i) {
        case 0:
            first.raw_size -= first.element_size;
            break;
        case 1:
            first.raw_size = 0;
            break;
        case 2:
            next.transform = KILN_TRANSFORM_NONE;
            break;
        case 3:
            next.element_size = 80;
            next.kind = KILN_SECTION_NODES_AABB2;
            break;
        case 4:
            first.codec = KILN_CODEC_RAW;
            first.transform = KILN_TRANSFORM_NONE;
            first.stored_size = first.raw_size;
            break;
        case 5:
            next.codec = KILN_CODEC_RAW;
            next.transform = KILN_TRANSFORM_NONE;
            next.stored_size = next.raw_size;
            break;
        default:
            first.flags |= KILN_SECTION_CONTINUES;
            break;
        }
        edit_set_entry(s.bytes, index[0], &first);
        edit_set_entry(s.bytes, index[1], &next);
        if (i == 4 ||
            i == 5) { /* sizes no longer fit the place: which rule is seen first is open */
            edit_reseal(s.bytes, s.size);
            kiln_file *file;
            assert_int_equal(kiln_open_memory(s.bytes, s.size, NULL, &file), KILN_ERROR_RULE);
            free(s.bytes);
            continue;
        }
        const uint32_t seen = index[i == 6 ? 0 : 1];
        assert_int_equal(refuse_sealed(&s, KILN_RULE_SECTION_CODEC),
                         sizeof(kiln_format_header) + seen * sizeof(kiln_format_section));
    }
}

static void rule_7_what_continues_must_say_so(void **state)
{
    (void)state;
    uint32_t index[2];
    sealed s = continued_bytes(index);
    assert_true(accept(s.bytes, s.size) > 0);
    kiln_format_section next = edit_get_entry(s.bytes, index[1]);
    next.flags &= ~(uint32_t)KILN_SECTION_CONTINUES;
    edit_set_entry(s.bytes, index[1], &next);
    (void)refuse_sealed(&s, KILN_RULE_SECTION_ONCE);
}

static const uint32_t always_there[] = {KILN_SECTION_TREES,     KILN_SECTION_STRINGS,
                                        KILN_SECTION_META,      KILN_SECTION_PARTS,
                                        KILN_SECTION_MATERIALS, KILN_SECTION_TRIANGLE_IDS,
                                        KILN_SECTION_TRIANGLES, KILN_SECTION_VERTICES};

static void refuse_file(edit_file *file, uint32_t rule)
{
    for (int packed = 0; packed < 2; packed++) {
        size_t size;
        uint8_t *bytes = edit_seal(file, packed != 0, &size);
        (void)refuse(bytes, size, KILN_ERROR_RULE, rule);
        free(bytes);
    }
    edit_free(file);
}

static void rule_7_missing_sections(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof always_there / sizeof always_there[0]; i++) {
        edit_file *file = good_file();
        edit_remove(file, always_there[i]);
        refuse_file(file, KILN_RULE_SECTION_ONCE);
    }
}

static void rule_7_sections_that_are_there_twice(void **state)
{
    (void)state;
    edit_file *good = good_file();
    for (uint32_t i = 0; i < good->count; i++) {
        const edit_section *section = &good->sections[i];
        edit_file *file = edit_copy(good);
        edit_append(file, section->entry.kind, section->entry.flags, section->entry.element_size,
                    section->data, section->size);
        refuse_file(file, KILN_RULE_SECTION_ONCE);
    }
    edit_free(good);
}

/* A packed file with block 0 of the OBB8 nodes as *block is after `spoil`. */
static void refuse_block(void (*spoil)(kiln_format_block *block, kiln_format_section *entry))
{
    sealed s = good_bytes(true);
    const uint32_t index = edit_index(s.bytes, KILN_SECTION_NODES_OBB8);
    kiln_format_section entry = edit_get_entry(s.bytes, index);
    kiln_format_block block;
    memcpy(&block, s.bytes + entry.offset, sizeof block);
    spoil(&block, &entry);
    memcpy(s.bytes + entry.offset, &block, sizeof block);
    edit_set_entry(s.bytes, index, &entry);
    assert_in_range(refuse_sealed(&s, KILN_RULE_BLOCK_TABLE), entry.offset,
                    entry.offset + entry.stored_size);
}

static void claim_one_byte_less(kiln_format_block *block, kiln_format_section *entry)
{
    (void)entry;
    block->raw_size--;
}

static void claim_a_full_block(kiln_format_block *block, kiln_format_section *entry)
{
    (void)entry;
    block->raw_size = KILN_BLOCK_SIZE;
}

static void end_early(kiln_format_block *block, kiln_format_section *entry)
{
    (void)entry;
    block->stored_size--;
}

static void end_late(kiln_format_block *block, kiln_format_section *entry)
{
    (void)entry;
    block->stored_size++;
}

static void end_far_out(kiln_format_block *block, kiln_format_section *entry)
{
    (void)entry;
    block->stored_size = 0xFFFFFFFF;
}

static void have_no_bytes(kiln_format_block *block, kiln_format_section *entry)
{
    (void)entry;
    block->stored_size = 0;
}

/* A section that says it is larger than its blocks, up to what 64 bits hold. */
static void need_a_second_block(kiln_format_block *block, kiln_format_section *entry)
{
    entry->raw_size = KILN_BLOCK_SIZE + 128u;
    block->raw_size = KILN_BLOCK_SIZE;
}

static void claim_4_gib(kiln_format_block *block, kiln_format_section *entry)
{
    entry->raw_size = UINT64_C(1) << 32;
    block->raw_size = KILN_BLOCK_SIZE;
}

static void claim_everything(kiln_format_block *block, kiln_format_section *entry)
{
    entry->raw_size = UINT64_MAX - 127;
    block->raw_size = KILN_BLOCK_SIZE;
}

static void rule_8_block_tables_that_do_not_add_up(void **state)
{
    (void)state;
    refuse_block(claim_one_byte_less);
    refuse_block(claim_a_full_block);
    refuse_block(end_early);
    refuse_block(end_late);
    refuse_block(end_far_out);
    refuse_block(have_no_bytes);
    refuse_block(need_a_second_block);
    refuse_block(claim_4_gib);
    refuse_block(claim_everything);
}

/* A stream can't expand by more than 1032: a file of a few hundred bytes can't ask for gigabytes.
 * The unknown kind is never decoded, and refused all the same. */
static void rule_8_sizes_that_no_stream_can_have(void **state)
{
    (void)state;
    enum { BLOCKS = 64 };
    uint8_t stored[BLOCKS * (sizeof(kiln_format_block) + 100)];
    memset(stored, 0, sizeof stored);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        const kiln_format_block block = {100, KILN_BLOCK_SIZE, 0};
        memcpy(stored + i * sizeof block, &block, sizeof block);
    }
    edit_file *file = good_file();
    edit_append(file, UNKNOWN_KIND, 0, 1, stored, sizeof stored);
    sealed s;
    s.bytes = edit_seal(file, false, &s.size);
    edit_free(file);
    const uint32_t index = edit_index(s.bytes, UNKNOWN_KIND);
    kiln_format_section entry = edit_get_entry(s.bytes, index);
    entry.codec = KILN_CODEC_DEFLATE;
    entry.raw_size = (uint64_t)BLOCKS * KILN_BLOCK_SIZE;
    edit_set_entry(s.bytes, index, &entry);
    assert_int_equal(refuse_sealed(&s, KILN_RULE_BLOCK_TABLE), entry.offset);
}

/* ------------------------------------------------------------------------- R9 to R16 -- */

static void rule_9_counts_that_disagree(void **state)
{
    (void)state;
    static const uint32_t kinds[] = {KILN_SECTION_FACES, KILN_SECTION_USER,
                                     KILN_SECTION_TRIANGLE_IDS, KILN_SECTION_TRIANGLES};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        for (int more = 0; more < 2; more++) {
            edit_file *file = good_file();
            edit_section *section = edit_find(file, kinds[i]);
            const size_t one = section->entry.element_size;
            edit_resize(section, more != 0 ? section->size + one : section->size - one);
            refuse_file(file, KILN_RULE_COUNTS);
        }
    }
}

static void rule_9_nothing_there(void **state)
{
    (void)state;
    static const uint32_t kinds[] = {KILN_SECTION_TREES, KILN_SECTION_PARTS};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        edit_file *file = good_file();
        edit_resize(edit_find(file, kinds[i]), 0);
        refuse_file(file, KILN_RULE_COUNTS);
    }
    edit_file *file = good_file();
    edit_resize(edit_find(file, KILN_SECTION_TRIANGLES), 0);
    edit_resize(edit_find(file, KILN_SECTION_TRIANGLE_IDS), 0);
    edit_resize(edit_find(file, KILN_SECTION_FACES), 0);
    edit_resize(edit_find(file, KILN_SECTION_USER), 0);
    refuse_file(file, KILN_RULE_COUNTS);
}

static void rule_10_coordinates(void **state)
{
    (void)state;
    static const uint32_t bits[] = {0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFFFFFFF};
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        refuse_word(KILN_RULE_VERTEX, KILN_SECTION_VERTICES, 4 * i, bits[i], 0);
    }
}

static void rule_11_vertex_indices(void **state)
{
    (void)state;
    refuse_word(KILN_RULE_TRIANGLE, KILN_SECTION_TRIANGLES, 0, 48, 0);
    refuse_word(KILN_RULE_TRIANGLE, KILN_SECTION_TRIANGLES, 12 * 96 - 4, 0xFFFFFFFF, 0);
    edit_file *file = good_file();
    edit_resize(edit_find(file, KILN_SECTION_VERTICES), 0);
    refuse_contents(file, KILN_RULE_TRIANGLE, KILN_SECTION_TRIANGLES, 0);
    edit_free(file);
}

static void rule_34_points(void **state)
{
    (void)state;
    const uint64_t points = KILN_FORMAT_OPTIONAL_POINTS;
    for (int corner = 0; corner < 4; corner++) { /* 3: all are points */
        for (int packed = 0; packed < 2; packed++) {
            edit_file *file = good_file();
            uint8_t *corners = edit_find(file, KILN_SECTION_TRIANGLES)->data;
            for (uint32_t i = 0; i < 3 * 96; i++) {
                const uint32_t vertex = i == 3 * 95 + (uint32_t)corner ? 46 : i / 6;
                memcpy(corners + 4 * (size_t)i, &vertex, sizeof vertex);
            }
            size_t size;
            uint8_t *bytes = edit_seal(file, packed != 0, &size);
            memcpy(bytes + offsetof(kiln_format_header, features_optional), &points, sizeof points);
            edit_reseal(bytes, size);
            if (corner < 3) {
                (void)refuse(bytes, size, KILN_ERROR_RULE, KILN_RULE_POINTS);
            } else {
                (void)accept(bytes, size);
            }
            free(bytes);
            edit_free(file);
        }
    }
}

static void rule_12_triangle_ids(void **state)
{
    (void)state;
    refuse_word(KILN_RULE_TRIANGLE_ID, KILN_SECTION_TRIANGLE_IDS, 0, 96, 0);
    refuse_word(KILN_RULE_TRIANGLE_ID, KILN_SECTION_TRIANGLE_IDS, 4 * 95, 0xFFFFFFFF, 0);
}

static void rule_13_parts_that_do_not_tile(void **state)
{
    (void)state;
    refuse_word(KILN_RULE_PART, KILN_SECTION_PARTS, 0, 1, 0);
    refuse_word(KILN_RULE_PART, KILN_SECTION_PARTS, 4, 95, 0);
    refuse_word(KILN_RULE_PART, KILN_SECTION_PARTS, 4, 97, 0);
    refuse_word(KILN_RULE_PART, KILN_SECTION_PARTS, 4, 0xFFFFFFFF, 0);
    for (uint32_t first = 95; first <= 97;
         first += 2) { /* a second part that overlaps or leaves a gap */
        edit_file *file = good_file();
        edit_section *parts = edit_find(file, KILN_SECTION_PARTS);
        edit_resize(parts, 2 * sizeof(kiln_format_part));
        memcpy(parts->data + sizeof(kiln_format_part), &first, sizeof first);
        refuse_contents(file, KILN_RULE_PART, KILN_SECTION_PARTS, sizeof(kiln_format_part));
        edit_free(file);
    }
}

static void rule_14_strings_without_an_end(void **state)
{
    (void)state;
    edit_file *file = good_file();
    edit_section *strings = edit_find(file, KILN_SECTION_STRINGS);
    strings->data[strings->size - 1] = 'x';
    refuse_contents(file, KILN_RULE_STRING, KILN_SECTION_STRINGS, 0);
    edit_resize(strings, 0);
    refuse_contents(file, KILN_RULE_STRING, KILN_SECTION_STRINGS, 0);
    edit_free(file);
}

static void rule_14_string_offsets(void **state)
{
    (void)state;
    edit_file *file = good_file();
    const uint32_t end = (uint32_t)edit_find(file, KILN_SECTION_STRINGS)->size;
    edit_free(file);
    for (int i = 0; i < 2; i++) {
        const uint32_t offset = i == 0 ? end : 0xFFFFFFFF;
        refuse_word(KILN_RULE_STRING, KILN_SECTION_PARTS, offsetof(kiln_format_part, node_path),
                    offset, 0);
        refuse_word(KILN_RULE_STRING, KILN_SECTION_PARTS, offsetof(kiln_format_part, mesh_name),
                    offset, 0);
        refuse_word(KILN_RULE_STRING, KILN_SECTION_MATERIALS, 0, offset, 0);
    }
}

typedef struct {
    size_t at;
    uint32_t size;
    uint64_t value;
} tree_spoil;

#define SPOIL(field, value)                                                                        \
    {                                                                                              \
        offsetof(kiln_format_tree, field), (uint32_t)sizeof((kiln_format_tree *)0)->field, value   \
    }

static void rule_15_tree_entries(void **state)
{
    (void)state;
    static const tree_spoil spoils[] = {
        SPOIL(name, 0xFFFFFFFF),
        SPOIL(bv, 0),
        SPOIL(bv, 3),
        SPOIL(bv, 0xFFFF),
        SPOIL(leaf_max, 0),
        SPOIL(leaf_max, 16),
        SPOIL(leaf_max, 0xFFFF),
        SPOIL(node_first, 1),
        SPOIL(node_first, 0xFFFFFFFF),
        SPOIL(order_first, 1),
        SPOIL(order_first, 0xFFFFFFFE),
        SPOIL(triangle_first, 1),
        SPOIL(triangle_first, 97),
        SPOIL(triangle_first, 0xFFFFFFFF),
        SPOIL(triangle_count, 0),
        SPOIL(triangle_count, 97),
        SPOIL(triangle_count, 0xFFFFFFFF),
        SPOIL(node_count, 0),
        SPOIL(node_count, 1),
        SPOIL(node_count, 0xFFFFFFFF),
        SPOIL(depth, 0),
        SPOIL(depth, 65),
        SPOIL(depth, 0xFFFFFFFF),
        SPOIL(closed, 3),
        SPOIL(closed, 0xFFFFFFFF),
        SPOIL(scale_exponent, 201),
        SPOIL(scale_exponent, (uint32_t)-401),
        SPOIL(scale_exponent, 0x80000000),
        {offsetof(kiln_format_tree, origin), 8, UINT64_C(0x7FF0000000000000)},
        {offsetof(kiln_format_tree, origin) + 16, 8, UINT64_C(0xFFF8000000000000)},
        {offsetof(kiln_format_tree, bounds_lower), 4, 0xFF800000},
        {offsetof(kiln_format_tree, bounds_upper) + 8, 4, 0x7FC00000},
    };
    for (size_t i = 0; i < sizeof spoils / sizeof spoils[0]; i++) {
        const size_t second = sizeof(kiln_format_tree); /* the tree with an order of its own */
        edit_file *file = good_file();
        edit_section *trees = edit_find(file, KILN_SECTION_TREES);
        memcpy(trees->data + second + spoils[i].at, &spoils[i].value, spoils[i].size);
        /* What leaves part of a section to no tree is seen at the end: told of the directory. */
        const bool at_end =
            spoils[i].at == offsetof(kiln_format_tree, node_count) && spoils[i].value == 1;
        refuse_contents(file, KILN_RULE_TREE, KILN_SECTION_TREES, at_end ? 0 : second);
        edit_free(file);
    }
}

static void rule_15_nodes_and_orders_of_no_tree(void **state)
{
    (void)state;
    static const uint32_t kinds[] = {KILN_SECTION_NODES_OBB8, KILN_SECTION_NODES_AABB8,
                                     KILN_SECTION_ORDER};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        edit_file *file = good_file();
        edit_section *section = edit_find(file, kinds[i]);
        edit_resize(section, section->size + section->entry.element_size);
        refuse_contents(file, KILN_RULE_TREE, KILN_SECTION_TREES, 0);
        edit_free(file);
        file = good_file();
        edit_remove(file, kinds[i]);
        const size_t seen = i == 0 ? 0 : sizeof(kiln_format_tree);
        refuse_contents(file, KILN_RULE_TREE, KILN_SECTION_TREES, seen);
        edit_free(file);
    }
}

static void rule_16_order_entries(void **state)
{
    (void)state;
    refuse_word(KILN_RULE_ORDER, KILN_SECTION_ORDER, 0, 96, 0);
    refuse_word(KILN_RULE_ORDER, KILN_SECTION_ORDER, 4 * 95, 0xFFFFFFFF, 4 * 95);
}

/* ------------------------------------------------------------------------------- R30 -- */

/* A word of an octree's file. */
static void refuse_octree(uint32_t rule, uint32_t kind, size_t at, uint32_t value, size_t seen)
{
    edit_file *file = good_file_of("octree,aabb");
    edit_section *section = edit_find(file, kind);
    assert_true(at + sizeof value <= section->size);
    assert_memory_not_equal(section->data + at, &value, sizeof value);
    memcpy(section->data + at, &value, sizeof value);
    refuse_contents(file, rule, kind, seen);
    edit_free(file);
}

static void rule_30_references(void **state)
{
    (void)state;
    edit_file *file = good_file_of("octree,aabb");
    edit_section *references = edit_find(file, KILN_SECTION_REFERENCES);
    uint32_t *triangle = (uint32_t *)(void *)references->data;
    const size_t count = references->size / 4;
    assert_true(count > 96);
    size_t size;
    uint8_t *bytes = edit_seal(file, false, &size);
    assert_true(accept(bytes, size) > 0);
    free(bytes);
    /* A triangle of which no reference is left. */
    const uint32_t lost = triangle[count - 1];
    for (size_t i = 0; i < count; i++) {
        triangle[i] = triangle[i] / 4 == lost / 4 ? (lost + 4) % 384 : triangle[i];
    }
    refuse_contents(file, KILN_RULE_REFERENCE, KILN_SECTION_REFERENCES, 0);
    edit_free(file);
    refuse_octree(KILN_RULE_REFERENCE, KILN_SECTION_REFERENCES, 0, 384, 0);
    refuse_octree(KILN_RULE_REFERENCE, KILN_SECTION_REFERENCES, 4 * (count - 1), 0xFFFFFFFF,
                  4 * (count - 1));
}

/* Pairs of lanes of fewer nodes, or more, than octrees have, of lanes that are none, and of a file
 * without octrees. */
static void rule_9_lane_pairs(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        edit_file *file = good_file_of("octree,aabb");
        edit_section *pairs = edit_find(file, KILN_SECTION_LANE_PAIRS);
        edit_resize(pairs, pairs->size + (i == 0 ? 4 : -(size_t)4));
        refuse_file(file, KILN_RULE_COUNTS);
    }
    refuse_octree(KILN_RULE_RESERVED, KILN_SECTION_LANE_PAIRS, 0, 1u << 28, 0);
    const uint32_t none = 0;
    edit_file *file = good_file_of("aabb");
    (void)edit_append(file, KILN_SECTION_LANE_PAIRS, 0, 4, &none, sizeof none);
    refuse_file(file, KILN_RULE_COUNTS);
}

/* Sections that have more or fewer references than the entry says, or none; entries that say what
 * can't be. */
static void rule_15_references(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        edit_file *file = good_file_of("octree,aabb");
        edit_section *references = edit_find(file, KILN_SECTION_REFERENCES);
        if (i == 2) {
            edit_remove(file, KILN_SECTION_REFERENCES);
        } else {
            edit_resize(references, references->size + (i == 0 ? 4 : -(size_t)4));
        }
        refuse_contents(file, KILN_RULE_TREE, KILN_SECTION_TREES, 0);
        edit_free(file);
    }
    static const uint32_t counts[] = {0, 95, 97, 0xFFFFFFFF};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        refuse_octree(KILN_RULE_TREE, KILN_SECTION_TREES,
                      offsetof(kiln_format_tree, reference_count), counts[i], 0);
    }
    static const uint32_t firsts[] = {1, 0xFFFFFFFE, KILN_NO_INDEX};
    for (size_t i = 0; i < sizeof firsts / sizeof firsts[0]; i++) {
        refuse_octree(KILN_RULE_TREE, KILN_SECTION_TREES, offsetof(kiln_format_tree, order_first),
                      firsts[i], 0);
    }
    /* Of a tree that is no octree. */
    refuse_octree(KILN_RULE_TREE, KILN_SECTION_TREES,
                  sizeof(kiln_format_tree) + offsetof(kiln_format_tree, reference_count), 96,
                  sizeof(kiln_format_tree));
}

/* ------------------------------------------------------------------------ R17 to R23 -- */

static kiln_format_node8 *node_of(edit_file *file, uint32_t kind, uint32_t index)
{
    edit_section *nodes = edit_find(file, kind);
    assert_true((index + 1) * nodes->entry.element_size <= nodes->size);
    return (kiln_format_node8 *)(void *)(nodes->data + index * nodes->entry.element_size);
}

static kiln_format_tree *tree_of(edit_file *file, uint32_t kind)
{
    kiln_format_tree *trees = (kiln_format_tree *)(void *)edit_find(file, KILN_SECTION_TREES)->data;
    return &trees[kind == KILN_SECTION_NODES_OBB8 ? 0 : 1];
}

static const uint32_t node_kinds[] = {KILN_SECTION_NODES_OBB8, KILN_SECTION_NODES_AABB8};

static size_t node_size(uint32_t kind)
{
    return kind == KILN_SECTION_NODES_OBB8 ? sizeof(kiln_format_node_obb8)
                                           : sizeof(kiln_format_node_aabb8);
}

/* Both kinds, one after the other: `spoil` changes the file; `node` is where it must be seen. */
static void refuse_nodes(uint32_t rule, void (*spoil)(edit_file *file, uint32_t kind),
                         uint32_t node)
{
    for (int i = 0; i < 2; i++) {
        edit_file *file = good_file();
        spoil(file, node_kinds[i]);
        refuse_contents(file, rule, node_kinds[i], node * node_size(node_kinds[i]));
        edit_free(file);
    }
}

static void child_is_the_root_itself(edit_file *file, uint32_t kind)
{
    node_of(file, kind, 0)->child = 0;
}

static void child_is_far_out(edit_file *file, uint32_t kind)
{
    node_of(file, kind, 0)->child = 0xFFFFFFFF;
}

static void child_is_behind_the_last(edit_file *file, uint32_t kind)
{
    node_of(file, kind, 0)->child = tree_of(file, kind)->node_count;
}

static void last_child_is_behind_the_last(edit_file *file, uint32_t kind)
{
    kiln_format_node8 *root = node_of(file, kind, 0);
    root->child = tree_of(file, kind)->node_count - kiln_popcount8(root->inner) + 1;
}

/* Every node of the good file below the root has leaves only: one is made to point back. */
static void child_is_its_own_parent(edit_file *file, uint32_t kind)
{
    kiln_format_node8 *node = node_of(file, kind, 1);
    assert_int_equal(node->inner, 0);
    node->inner = 1;
    node->count[0] &= 0xF0;
    node->child = 1;
    tree_of(file, kind)->depth = 64;
}

static void child_is_its_grandparent(edit_file *file, uint32_t kind)
{
    child_is_its_own_parent(file, kind);
    node_of(file, kind, 1)->child = 0;
}

static void rule_17_loops_and_children_outside(void **state)
{
    (void)state;
    refuse_nodes(KILN_RULE_NODE_CHILD, child_is_the_root_itself, 0);
    refuse_nodes(KILN_RULE_NODE_CHILD, child_is_far_out, 0);
    refuse_nodes(KILN_RULE_NODE_CHILD, child_is_behind_the_last, 0);
    refuse_nodes(KILN_RULE_NODE_CHILD, last_child_is_behind_the_last, 0);
    refuse_nodes(KILN_RULE_NODE_CHILD, child_is_its_own_parent, 1);
    refuse_nodes(KILN_RULE_NODE_CHILD, child_is_its_grandparent, 1);
}

/* A tree made by hand in place of the AABB8 nodes: node i holds what nodes[i] says, in boxes that
 * hold the whole model. */
typedef struct {
    uint32_t inner; /* inner lanes, from lane 0 on */
    uint32_t child;
    uint32_t leaves; /* leaf lanes behind them */
    uint32_t each;   /* triangles in each */
    uint32_t tri;
} hand_node;

static void plant(edit_file *file, const hand_node *hand, uint32_t count, uint32_t depth)
{
    edit_section *section = edit_find(file, KILN_SECTION_NODES_AABB8);
    edit_resize(section, 0);
    edit_resize(section, count * sizeof(kiln_format_node_aabb8));
    kiln_format_tree *tree = tree_of(file, KILN_SECTION_NODES_AABB8);
    tree->node_count = count;
    tree->depth = depth;
    tree->leaf_max = 15;
    for (uint32_t i = 0; i < count; i++) {
        kiln_format_node_aabb8 *node = (kiln_format_node_aabb8 *)(void *)section->data + i;
        for (int k = 0; k < 3; k++) {
            node->head.org[k] = -1.5f;
            node->head.exp[k] = 127 - 6; /* 255 / 64 reaches beyond 1 */
            memset(node->upper[k], 255, sizeof node->upper[k]);
        }
        node->head.inner = (uint8_t)((1u << hand[i].inner) - 1u);
        node->head.child = hand[i].child;
        node->head.tri = hand[i].tri;
        for (uint32_t lane = hand[i].inner; lane < hand[i].inner + hand[i].leaves; lane++) {
            node->head.count[lane / 2] |= (uint8_t)(hand[i].each << 4 * (lane % 2));
        }
    }
}

static void refuse_hand(uint32_t rule, const hand_node *hand, uint32_t count, uint32_t depth,
                        uint32_t node)
{
    edit_file *file = good_file();
    plant(file, hand, count, depth);
    refuse_contents(file, rule, KILN_SECTION_NODES_AABB8, node * sizeof(kiln_format_node_aabb8));
    edit_free(file);
}

static void accept_hand(const hand_node *hand, uint32_t count, uint32_t depth)
{
    edit_file *file = good_file();
    size_t size;
    uint8_t *bytes = edit_seal(file, false, &size);
    const size_t contacts = accept(bytes, size);
    free(bytes);
    plant(file, hand, count, depth);
    for (int packed = 0; packed < 2; packed++) {
        bytes = edit_seal(file, packed != 0, &size);
        assert_int_equal(accept(bytes, size), contacts);
        free(bytes);
    }
    edit_free(file);
}

static void hand_made_trees_open_and_answer(void **state)
{
    (void)state;
    static const hand_node flat[] = {{0, 0, 8, 12, 0}};
    static const hand_node two[] = {{2, 1, 0, 0, 0}, {0, 0, 4, 12, 48}, {0, 0, 4, 12, 0}};
    accept_hand(flat, 1, 1);
    accept_hand(two, 3, 2);
}

static void rule_18_nodes_of_two_parents(void **state)
{
    (void)state;
    /* Both children of the root have the same two children: 7 visits of 5 nodes. */
    static const hand_node shared[] = {
        {2, 1, 0, 0, 0}, {2, 3, 0, 0, 0}, {2, 3, 0, 0, 0}, {0, 0, 4, 6, 0}, {0, 0, 4, 6, 0}};
    /* One node is seen twice and another never: as many visits as nodes, as many triangles. */
    static const hand_node balanced[] = {
        {2, 1, 0, 0, 0}, {1, 3, 0, 0, 0}, {1, 3, 0, 0, 0}, {0, 0, 4, 12, 0}, {0, 0, 4, 12, 48}};
    /* Two paths at every level: 2^31 ways down. */
    hand_node ladder[63];
    for (uint32_t i = 0; i < 62; i++) {
        ladder[i] = (hand_node){2, i + 1 < 61 ? i + 1 : 61, 0, 0, 0};
    }
    ladder[61] = ladder[62] = (hand_node){0, 0, 8, 6, 0};
    refuse_hand(KILN_RULE_NODE_ONCE, shared, 5, 3, 3);
    refuse_hand(KILN_RULE_NODE_ONCE, balanced, 5, 3, 3);
    edit_file *file = good_file();
    plant(file, ladder, 63, 64);
    refuse_file(file, KILN_RULE_NODE_ONCE);
}

static void rule_18_nodes_that_nothing_reaches(void **state)
{
    (void)state;
    static const hand_node lost[] = {{1, 1, 4, 12, 0}, {0, 0, 4, 12, 48}, {0, 0, 0, 0, 0}};
    refuse_hand(KILN_RULE_NODE_ONCE, lost, 3, 2, 0);
}

static void depth_is_one_more(edit_file *file, uint32_t kind)
{
    tree_of(file, kind)->depth++;
}

static void rule_19_depths(void **state)
{
    (void)state;
    refuse_nodes(KILN_RULE_NODE_DEPTH, depth_is_one_more, 0);
    static const hand_node two[] = {{2, 1, 0, 0, 0}, {0, 0, 4, 12, 48}, {0, 0, 4, 12, 0}};
    refuse_hand(KILN_RULE_NODE_DEPTH, two, 3, 1, 1);
}

/* A chain of 64 nodes is the longest that a query's stack is made for. */
static void rule_19_chains(void **state)
{
    (void)state;
    hand_node chain[65];
    for (uint32_t i = 0; i < 65; i++) {
        chain[i] = (hand_node){1, i + 1, 0, 0, 0};
    }
    chain[63] = (hand_node){0, 0, 8, 12, 0};
    accept_hand(chain, 64, 64);
    chain[63] = (hand_node){1, 64, 0, 0, 0};
    chain[64] = (hand_node){0, 0, 8, 12, 0};
    refuse_hand(KILN_RULE_NODE_DEPTH, chain, 65, 64, 64);
}

static void leaf_is_too_large(edit_file *file, uint32_t kind)
{
    node_of(file, kind, 1)->count[0] |= 15;
}

static void inner_lane_has_triangles(edit_file *file, uint32_t kind)
{
    node_of(file, kind, 0)->count[0] |= 1;
    assert_int_equal(node_of(file, kind, 0)->inner & 1, 1);
}

static void rule_20_lanes(void **state)
{
    (void)state;
    refuse_nodes(KILN_RULE_NODE_LANE, inner_lane_has_triangles, 0);
    refuse_nodes(KILN_RULE_NODE_LANE, leaf_is_too_large, 1);
}

static void slot_is_behind_the_last(edit_file *file, uint32_t kind)
{
    node_of(file, kind, 1)->tri = 96;
}

static void slot_is_far_out(edit_file *file, uint32_t kind)
{
    node_of(file, kind, 1)->tri = 0xFFFFFFFF;
}

static void last_slot_is_behind_the_last(edit_file *file, uint32_t kind)
{
    node_of(file, kind, 1)->tri = 95;
    node_of(file, kind, 1)->count[0] = 0x22;
}

static void rule_21_slots(void **state)
{
    (void)state;
    refuse_nodes(KILN_RULE_NODE_SLOT, slot_is_behind_the_last, 1);
    refuse_nodes(KILN_RULE_NODE_SLOT, slot_is_far_out, 1);
    refuse_nodes(KILN_RULE_NODE_SLOT, last_slot_is_behind_the_last, 1);
}

static void rule_22_grids(void **state)
{
    (void)state;
    const float nan_value = (float)strtod("nan", NULL), infinity = (float)strtod("inf", NULL);
    const float origins[] = {nan_value, infinity, -infinity, 1025.0f, -1024.5f};
    for (int i = 0; i < 2; i++) {
        const size_t node = node_size(node_kinds[i]);
        for (size_t j = 0; j < 5; j++) {
            refuse_float(KILN_RULE_NODE_FIELD, node_kinds[i], node + 4 * (j % 3), origins[j], node);
        }
    }
}

static void rule_22_boxes(void **state)
{
    (void)state;
    static const uint16_t halves[] = {0x7C00, 0x7E00, 0xFFFF, 0x8000, 0xBC00};
    static const int8_t rotation = -128;
    for (size_t k = 0; k < 3; k++) {
        refuse_bytes(KILN_RULE_NODE_FIELD, KILN_SECTION_NODES_OBB8,
                     offsetof(kiln_format_node_obb8, rotation) + 8 * k, &rotation, 1, 0);
        for (size_t i = 0; i < sizeof halves / sizeof halves[0]; i++) {
            refuse_bytes(KILN_RULE_NODE_FIELD, KILN_SECTION_NODES_OBB8,
                         offsetof(kiln_format_node_obb8, half) + 16 * k, &halves[i], 2, 0);
        }
        edit_file *file = good_file();
        kiln_format_node_aabb8 *root =
            (kiln_format_node_aabb8 *)(void *)node_of(file, KILN_SECTION_NODES_AABB8, 0);
        root->lower[k][0] = (uint8_t)(root->upper[k][0] + 1);
        assert_true(root->upper[k][0] < 255);
        refuse_contents(file, KILN_RULE_NODE_FIELD, KILN_SECTION_NODES_AABB8, 0);
        edit_free(file);
    }
}

/* A torus with binary trees of a kind; then one place of its node 0 is written over. */
static void refuse_binary(const char *bv, uint32_t kind, uint32_t rule, size_t at,
                          const void *bytes, size_t size)
{
    edit_file *file = good_file_of(bv);
    edit_section *section = edit_find(file, kind);
    assert_memory_not_equal(section->data + at, bytes, size);
    memcpy(section->data + at, bytes, size);
    refuse_contents(file, rule, kind, 0);
    edit_free(file);
}

/* Of every kind: what a kind does not use is checked all the same. */
static void rule_22_steps(void **state)
{
    (void)state;
    static const uint8_t steps[] = {0, KILN_NODE_EXP_MAX + 1, 241, 255};
    for (unsigned i = 0; i < KILN_NODE_KIND_COUNT; i++) {
        for (size_t j = 0; j < 3 * sizeof steps; j++) {
            refuse_binary(kiln_node_kinds[i].name, kiln_node_kinds[i].section, KILN_RULE_NODE_FIELD,
                          (uint32_t)(offsetof(kiln_format_node8, exp) + j / sizeof steps),
                          &steps[j % sizeof steps], 1);
        }
    }
}

/* Along the diagonals and, as they are those of AABB8, along the axes. */
static void rule_22_dops(void **state)
{
    (void)state;
    const uint8_t one = 1;
    for (unsigned i = 0; i < KILN_NODE_KIND_COUNT; i++) {
        const kiln_node_kind *kind = &kiln_node_kinds[i];
        for (size_t row = 0; kind->dop != NULL && row < 3u + kind->dop->slabs; row++) {
            edit_file *file = good_file_of(kind->name);
            const size_t rows = row < 3 ? 3 : kind->dop->slabs;
            uint8_t *lower = edit_find(file, kind->section)->data +
                             (row < 3 ? sizeof(kiln_format_node8) + 8 * row
                                      : sizeof(kiln_format_node_aabb8) + 8 * (row - 3));
            lower[0] = 1;
            lower[8 * rows] = 0;
            refuse_contents(file, KILN_RULE_NODE_FIELD, kind->section, 0);
            edit_free(file);
        }
        if (kind->dop != NULL) {
            refuse_binary(kind->name, kind->section, KILN_RULE_RESERVED,
                          offsetof(kiln_format_node8, half_exp), &one, 1);
        }
    }
}

static void rule_22_spheres(void **state)
{
    (void)state;
    static const uint16_t radii[] = {0x7C00, 0x7E00, 0xFFFF, 0x8000, 0xBC00};
    static const uint8_t exps[] = {0, KILN_HALF_EXP_MIN - 1, KILN_HALF_EXP_MAX + 1, 255};
    for (size_t i = 0; i < sizeof radii / sizeof radii[0]; i++) {
        edit_file *file = good_file_of("sphere");
        kiln_format_node_sphere *root = (void *)edit_find(file, KILN_SECTION_NODES_SPHERE)->data;
        root->radius[0][0] = (uint8_t)radii[i];
        root->radius[1][0] = (uint8_t)(radii[i] >> 8);
        refuse_contents(file, KILN_RULE_NODE_FIELD, KILN_SECTION_NODES_SPHERE, 0);
        edit_free(file);
    }
    for (size_t i = 0; i < sizeof exps; i++) {
        refuse_binary("sphere", KILN_SECTION_NODES_SPHERE, KILN_RULE_NODE_FIELD,
                      offsetof(kiln_format_node8, half_exp), &exps[i], 1);
    }
}

static void rule_22_binary_boxes(void **state)
{
    (void)state;
    const float nan_value = (float)strtod("nan", NULL), infinity = (float)strtod("inf", NULL);
    const float wrong[] = {nan_value, infinity, -infinity, 1025.0f, -1024.5f, -0x1p-100f};
    for (size_t i = 0; i < 6; i++) {
        for (size_t place = 0; place < 6; place++) {
            const size_t at = 4 * place;
            refuse_binary("obb2", KILN_SECTION_NODES_OBB2, KILN_RULE_NODE_FIELD,
                          offsetof(kiln_format_node_obb2, half) + at, &wrong[i], 4);
            refuse_binary("aabb2", KILN_SECTION_NODES_AABB2, KILN_RULE_NODE_FIELD,
                          offsetof(kiln_format_node_aabb2, half) + at, &wrong[i], 4);
            if (i < 5) {
                refuse_binary("obb2", KILN_SECTION_NODES_OBB2, KILN_RULE_NODE_FIELD,
                              offsetof(kiln_format_node_obb2, centre) + at, &wrong[i], 4);
                refuse_binary("aabb2", KILN_SECTION_NODES_AABB2, KILN_RULE_NODE_FIELD,
                              offsetof(kiln_format_node_aabb2, centre) + at, &wrong[i], 4);
            }
        }
    }
}

/* Axes that are no rotation's: too long, too short, skew, not finite. */
static void rule_22_binary_axes(void **state)
{
    (void)state;
    const float nan_value = (float)strtod("nan", NULL);
    const float zero = 0, two = 2;
    for (size_t k = 0; k < 9; k++) {
        const size_t at = offsetof(kiln_format_node_obb2, axis) + 8 * k;
        refuse_binary("obb2", KILN_SECTION_NODES_OBB2, KILN_RULE_NODE_FIELD, at, &nan_value, 4);
        refuse_binary("obb2", KILN_SECTION_NODES_OBB2, KILN_RULE_NODE_FIELD, at, &two, 4);
    }
    float axes[9][2];
    memset(axes, 0, sizeof axes);
    axes[0][0] = axes[4][0] = axes[8][0] = 1.0f;
    axes[0][1] = axes[4][1] = axes[8][1] = 1.0f;
    axes[0][1] += 0x1p-19f; /* departs by twice as much */
    refuse_binary("obb2", KILN_SECTION_NODES_OBB2, KILN_RULE_NODE_FIELD,
                  offsetof(kiln_format_node_obb2, axis), axes, sizeof axes);
    axes[0][1] = zero;
    refuse_binary("obb2", KILN_SECTION_NODES_OBB2, KILN_RULE_NODE_FIELD,
                  offsetof(kiln_format_node_obb2, axis), axes, sizeof axes);
}

static void rule_2_and_20_of_binary_nodes(void **state)
{
    (void)state;
    const uint32_t one = 1;
    const uint8_t count = 0x01;
    static const struct {
        const char *bv;
        uint32_t kind;
    } kinds[] = {{"obb2", KILN_SECTION_NODES_OBB2}, {"aabb2", KILN_SECTION_NODES_AABB2}};
    for (size_t i = 0; i < 2; i++) {
        for (size_t byte = 1; byte < 4; byte++) { /* a third lane and more */
            refuse_binary(kinds[i].bv, kinds[i].kind, KILN_RULE_NODE_LANE,
                          offsetof(kiln_format_node8, count) + byte, &count, 1);
        }
        refuse_binary(kinds[i].bv, kinds[i].kind, KILN_RULE_RESERVED,
                      offsetof(kiln_format_node8, half_exp), &one, 4);
    }
    for (size_t word = 0; word < 2; word++) {
        refuse_binary("obb2", KILN_SECTION_NODES_OBB2, KILN_RULE_RESERVED,
                      offsetof(kiln_format_node_obb2, reserved) + 4 * word, &one, 4);
    }
}

/* A torus whose two trees have counts, by octants of 4^3 cells; then `bytes` are written over. */
static void refuse_counts(uint32_t rule, uint32_t kind, size_t at, const void *bytes, size_t size,
                          size_t seen)
{
    edit_file *file = good_file_counted(false);
    edit_section *section = edit_find(file, kind);
    assert_true(at + size <= section->size);
    assert_memory_not_equal(section->data + at, bytes, size);
    memcpy(section->data + at, bytes, size);
    refuse_contents(file, rule, kind, seen);
    edit_free(file);
}

static void rule_27_entries_of_counts(void **state)
{
    (void)state;
    static const uint8_t wrong[] = {0, 3, 5, 12, 17, 32, 64, 255};
    const double factors[] = {0, -1, 1001, strtod("nan", NULL), strtod("inf", NULL)};
    const size_t entry = sizeof(kiln_format_adb);
    for (size_t i = 0; i < sizeof wrong; i++) {
        refuse_counts(KILN_RULE_ADB, KILN_SECTION_ADB, entry + offsetof(kiln_format_adb, grid),
                      &wrong[i], 1, entry);
        if (i != 1) { /* 3 is a kind of regions */
            refuse_counts(KILN_RULE_ADB, KILN_SECTION_ADB, offsetof(kiln_format_adb, regions),
                          &wrong[i], 1, 0);
        }
        refuse_counts(KILN_RULE_ADB, KILN_SECTION_ADB, offsetof(kiln_format_adb, area), &wrong[i],
                      1, 0);
        refuse_counts(KILN_RULE_ADB, KILN_SECTION_ADB, offsetof(kiln_format_adb, polygons),
                      &wrong[i], 1, 0);
    }
    for (size_t i = 0; i < 5; i++) {
        refuse_counts(KILN_RULE_ADB, KILN_SECTION_ADB, offsetof(kiln_format_adb, factor),
                      &factors[i], sizeof factors[i], 0);
    }
    static const uint32_t numbers[] = {2, 7, 0xFFFFFFFF};
    for (size_t i = 0; i < 3; i++) {
        refuse_counts(KILN_RULE_ADB, KILN_SECTION_ADB, offsetof(kiln_format_adb, tree), &numbers[i],
                      4, 0);
        refuse_counts(KILN_RULE_ADB, KILN_SECTION_ADB, offsetof(kiln_format_adb, box_first),
                      &numbers[i], 4, 0);
        refuse_counts(KILN_RULE_ADB, KILN_SECTION_ADB, offsetof(kiln_format_adb, box_count),
                      &numbers[i], 4, 0);
    }
    const uint32_t zero = 0; /* the same tree twice */
    refuse_counts(KILN_RULE_ADB, KILN_SECTION_ADB, entry + offsetof(kiln_format_adb, tree), &zero,
                  4, entry);
    for (size_t word = 0; word < 2; word++) {
        const uint32_t one = 1;
        refuse_counts(KILN_RULE_RESERVED, KILN_SECTION_ADB,
                      offsetof(kiln_format_adb, reserved) + 4 * word, &one, 4, 0);
    }
}

/* A model with two rows of weights; then `bytes` are written over the second. */
static void refuse_weights(uint32_t rule, size_t at, const void *bytes, size_t size)
{
    kiln_format_adb_weights rows[2];
    edit_file *file = good_file_counted(false);
    memset(rows, 0, sizeof rows);
    for (unsigned i = 0; i < 2; i++) {
        rows[i].bv = KILN_FORMAT_BV_AABB8;
        rows[i].leaf_max = (uint16_t)(3 + i);
        rows[i].meaning = KILN_ADB_WEIGHTS_MEANING;
        rows[i].weight[0] = 1e6f;
    }
    (void)edit_append(file, KILN_SECTION_ADB_WEIGHTS, 0, sizeof rows[0], rows, sizeof rows);
    size_t sealed_size;
    uint8_t *good = edit_seal(file, false, &sealed_size);
    (void)accept(good, sealed_size);
    free(good);
    memcpy(edit_find(file, KILN_SECTION_ADB_WEIGHTS)->data + sizeof rows[0] + at, bytes, size);
    refuse_contents(file, rule, KILN_SECTION_ADB_WEIGHTS, sizeof rows[0]);
    edit_free(file);
}

static void rule_29_weights(void **state)
{
    (void)state;
    const size_t weight = offsetof(kiln_format_adb_weights, weight);
    const uint16_t kinds[] = {0, 1, KILN_NODE_KIND_COUNT + 1, 0xFFFF};
    const uint16_t leaves[] = {0, 2, 3, 16, 0xFFFF}, zero = 0, one = 1;
    const float numbers[] = {1.1e6f, -1.1e6f, strtof("nan", NULL), strtof("inf", NULL)};
    const float parts[] = {-0.01f, 1.01f}, minus = -1.0f, small = 1e-30f;
    for (size_t i = 0; i < 4; i++) {
        refuse_weights(KILN_RULE_ADB_WEIGHTS, offsetof(kiln_format_adb_weights, bv), &kinds[i], 2);
    }
    for (size_t i = 0; i < 5; i++) {
        refuse_weights(KILN_RULE_ADB_WEIGHTS, offsetof(kiln_format_adb_weights, leaf_max),
                       &leaves[i], 2);
    }
    refuse_weights(KILN_RULE_ADB_WEIGHTS, offsetof(kiln_format_adb_weights, meaning), &zero, 2);
    for (size_t i = 0; i < 4 * KILN_ADB_WEIGHTS_COUNT; i++) {
        refuse_weights(KILN_RULE_ADB_WEIGHTS, weight + 4 * (i / 4), &numbers[i % 4], 4);
    }
    for (size_t i = 0; i < 2; i++) {
        refuse_weights(KILN_RULE_ADB_WEIGHTS, weight + 4 * KILN_ADB_WEIGHT_OTHERS, &parts[i], 4);
    }
    refuse_weights(KILN_RULE_ADB_WEIGHTS, weight + 4 * KILN_ADB_WEIGHT_SURE, &minus, 4);
    refuse_weights(KILN_RULE_RESERVED, offsetof(kiln_format_adb_weights, reserved), &one, 2);
    refuse_weights(KILN_RULE_RESERVED, weight + 4 * KILN_ADB_WEIGHTS_COUNT, &small, 4);
}

/* Weights alone: their document is missing, or a model's section stands beside them. */
static void rule_7_files_of_weights(void **state)
{
    (void)state;
    static const uint32_t others[] = {KILN_SECTION_VERTICES, KILN_SECTION_ADB, KILN_SECTION_META};
    size_t size;
    uint32_t count;
    for (size_t i = 0; i < 4; i++) {
        uint8_t *bytes = quick_weights(false, &size);
        edit_file *file = edit_open(bytes, size);
        kiln_error error = {0};
        kiln_open_options options = kiln_open_options_default();
        options.error = &error;
        free(bytes);
        if (i == 3) {
            edit_remove(file, KILN_SECTION_META);
        } else {
            const uint32_t element = i == 0 ? 12 : i == 1 ? 32 : 1;
            (void)edit_append(file, others[i], i == 0 ? KILN_SECTION_REQUIRED : 0, element, "", 0);
        }
        bytes = edit_seal(file, false, &size);
        assert_int_equal(kiln_adb_read_weights_memory(bytes, size, &options, NULL, 0, &count),
                         KILN_ERROR_RULE);
        assert_int_equal(error.rule, KILN_RULE_SECTION_ONCE);
        free(bytes);
        edit_free(file);
    }
}

/* Boxes without an owner, owners without boxes. */
static void rule_27_and_9_sizes_of_counts(void **state)
{
    (void)state;
    edit_file *file = good_file_counted(false);
    edit_section *boxes = edit_find(file, KILN_SECTION_ADB_BOXES);
    edit_resize(boxes, boxes->size + sizeof(kiln_format_adb_box));
    refuse_contents(file, KILN_RULE_ADB, KILN_SECTION_ADB, 0);
    edit_resize(boxes, boxes->size - 2 * sizeof(kiln_format_adb_box));
    refuse_contents(file, KILN_RULE_ADB, KILN_SECTION_ADB, 0);
    edit_free(file);
    static const uint32_t kinds[] = {KILN_SECTION_ADB, KILN_SECTION_ADB_BOXES};
    for (size_t i = 0; i < 2; i++) {
        size_t size;
        file = good_file_counted(false);
        edit_remove(file, kinds[i]);
        uint8_t *raw = edit_seal(file, false, &size);
        (void)refuse(raw, size, KILN_ERROR_RULE, KILN_RULE_COUNTS);
        free(raw);
        edit_free(file);
    }
}

static void rule_28_counts_of_boxes(void **state)
{
    (void)state;
    const uint8_t nine = 9, deep = 65, one = 1;
    const size_t box = sizeof(kiln_format_adb_box);
    for (size_t i = 0; i < 8; i++) { /* an octant of 4^3 cells has 8 */
        refuse_counts(KILN_RULE_ADB_BOX, KILN_SECTION_ADB_BOXES, 3 * box + i, &nine, 1, 3 * box);
    }
    refuse_counts(KILN_RULE_ADB_BOX, KILN_SECTION_ADB_BOXES,
                  box + offsetof(kiln_format_adb_box, depth), &deep, 1, box);
    refuse_counts(KILN_RULE_ADB_BOX, KILN_SECTION_ADB_BOXES, offsetof(kiln_format_adb_box, depth),
                  &one, 1, 0);
    for (size_t i = 0; i < 2; i++) {
        refuse_counts(KILN_RULE_ADB_BOX, KILN_SECTION_ADB_BOXES,
                      offsetof(kiln_format_adb_box, reserved) + i, &one, 1, 0);
    }
    edit_file *file = good_file_counted(false);
    const kiln_format_node8 *node = (const void *)edit_find(file, KILN_SECTION_NODES_OBB8)->data;
    uint32_t empty = 0; /* the first empty lane of the first tree */
    while ((kiln_node8_used((const void *)((const uint8_t *)node + empty / 8 * 128)) >> empty % 8 &
            1) != 0) {
        empty++;
    }
    edit_section *boxes = edit_find(file, KILN_SECTION_ADB_BOXES);
    boxes->data[(1 + empty) * box + offsetof(kiln_format_adb_box, lb)] = 1;
    refuse_contents(file, KILN_RULE_ADB_BOX, KILN_SECTION_ADB_BOXES, (1 + empty) * box);
    edit_free(file);
}

static void refuse_without_polygons(edit_file *file)
{
    size_t size;
    for (int packed = 0; packed < 2; packed++) {
        uint8_t *bytes = edit_seal(file, packed == 1, &size);
        (void)refuse(bytes, size, KILN_ERROR_RULE, KILN_RULE_COUNTS);
        free(bytes);
    }
    edit_free(file);
}

/* Some of the polygons, an order of none, counts of none, more of them than numbers reach. */
static void rule_9_files_without_polygons(void **state)
{
    (void)state;
    static const struct {
        uint32_t kind;
        size_t size;
    } parts[] = {
        {KILN_SECTION_VERTICES, 12}, {KILN_SECTION_TRIANGLES, 12}, {KILN_SECTION_TRIANGLE_IDS, 4}};
    for (size_t i = 0; i < 3; i++) {
        edit_file *file = good_file_counted(true);
        edit_resize(edit_find(file, parts[i].kind), parts[i].size);
        refuse_without_polygons(file);
    }
    static const uint32_t zero[1] = {0};
    static const uint32_t source[] = {KILN_SECTION_FACES, KILN_SECTION_USER};
    for (size_t i = 0; i < 2; i++) {
        edit_file *file = good_file_counted(true);
        (void)edit_append(file, source[i], 0, 4, zero, sizeof zero);
        refuse_without_polygons(file);
    }
    edit_file *file = good_file_counted(true);
    edit_remove(file, KILN_SECTION_ADB);
    edit_remove(file, KILN_SECTION_ADB_BOXES);
    refuse_without_polygons(file);
    file = good_file_counted(true);
    const uint32_t zeros[96] = {0};
    (void)edit_append(file, KILN_SECTION_ORDER, KILN_SECTION_REQUIRED, 4, zeros, sizeof zeros);
    refuse_without_polygons(file);
    file = good_file_counted(true);
    kiln_format_tree *tree = (void *)edit_find(file, KILN_SECTION_TREES)->data;
    tree->triangle_first = 0xFFFFFFFF;
    refuse_without_polygons(file);
    /* An octree whose triangles it lacks has no pairs of lanes. */
    file = good_file_with_counts("octree", true);
    tree = (void *)edit_find(file, KILN_SECTION_TREES)->data;
    assert_in_range(tree->node_count, 1, 96);
    (void)edit_append(file, KILN_SECTION_LANE_PAIRS, 0, 4, zeros, 4 * tree->node_count);
    refuse_without_polygons(file);
}

static void a_leaf_is_one_short(edit_file *file, uint32_t kind)
{
    kiln_format_node8 *node = node_of(file, kind, 1);
    assert_true((node->count[0] & 15) > 0);
    node->count[0]--;
}

static void rule_23_triangles_in_no_leaf(void **state)
{
    (void)state;
    refuse_nodes(KILN_RULE_LEAF_ONCE, a_leaf_is_one_short, 0);
    static const hand_node empty[] = {{0, 0, 0, 0, 0}};
    refuse_hand(KILN_RULE_LEAF_ONCE, empty, 1, 1, 0);
}

static void rule_23_triangles_in_two_leaves(void **state)
{
    (void)state;
    static const hand_node twice[] = {{2, 1, 0, 0, 0}, {0, 0, 8, 12, 0}, {0, 0, 1, 1, 0}};
    refuse_hand(KILN_RULE_LEAF_ONCE, twice, 3, 2, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rule_1_bytes_behind_the_end),
        cmocka_unit_test(rule_2_reserved_bytes_of_the_header),
        cmocka_unit_test(rule_2_reserved_bytes_of_the_table),
        cmocka_unit_test(rule_2_padding),
        cmocka_unit_test(rule_2_reserved_words_of_parts_trees_and_nodes),
        cmocka_unit_test(rule_3_section_counts_and_entry_sizes),
        cmocka_unit_test(rule_4_a_table_longer_than_the_file),
        cmocka_unit_test(rule_4_alignments),
        cmocka_unit_test(rule_4_places_outside_the_file),
        cmocka_unit_test(rule_4_overlapping_sections),
        cmocka_unit_test(rule_4_sections_out_of_order),
        cmocka_unit_test(rule_5_element_sizes),
        cmocka_unit_test(rule_5_element_sizes_of_unknown_kinds),
        cmocka_unit_test(rule_5_half_elements),
        cmocka_unit_test(rule_6_codecs_transforms_and_flags),
        cmocka_unit_test(rule_6_sections_that_are_continued),
        cmocka_unit_test(rule_7_what_continues_must_say_so),
        cmocka_unit_test(rule_7_missing_sections),
        cmocka_unit_test(rule_7_sections_that_are_there_twice),
        cmocka_unit_test(rule_8_block_tables_that_do_not_add_up),
        cmocka_unit_test(rule_8_sizes_that_no_stream_can_have),
        cmocka_unit_test(rule_9_counts_that_disagree),
        cmocka_unit_test(rule_9_nothing_there),
        cmocka_unit_test(rule_10_coordinates),
        cmocka_unit_test(rule_11_vertex_indices),
        cmocka_unit_test(rule_34_points),
        cmocka_unit_test(rule_12_triangle_ids),
        cmocka_unit_test(rule_13_parts_that_do_not_tile),
        cmocka_unit_test(rule_14_strings_without_an_end),
        cmocka_unit_test(rule_14_string_offsets),
        cmocka_unit_test(rule_15_tree_entries),
        cmocka_unit_test(rule_15_nodes_and_orders_of_no_tree),
        cmocka_unit_test(rule_16_order_entries),
        cmocka_unit_test(rule_30_references),
        cmocka_unit_test(rule_9_lane_pairs),
        cmocka_unit_test(rule_15_references),
        cmocka_unit_test(rule_17_loops_and_children_outside),
        cmocka_unit_test(hand_made_trees_open_and_answer),
        cmocka_unit_test(rule_18_nodes_of_two_parents),
        cmocka_unit_test(rule_18_nodes_that_nothing_reaches),
        cmocka_unit_test(rule_19_depths),
        cmocka_unit_test(rule_19_chains),
        cmocka_unit_test(rule_20_lanes),
        cmocka_unit_test(rule_21_slots),
        cmocka_unit_test(rule_22_grids),
        cmocka_unit_test(rule_22_boxes),
        cmocka_unit_test(rule_22_binary_boxes),
        cmocka_unit_test(rule_22_steps),
        cmocka_unit_test(rule_22_dops),
        cmocka_unit_test(rule_22_spheres),
        cmocka_unit_test(rule_22_binary_axes),
        cmocka_unit_test(rule_2_and_20_of_binary_nodes),
        cmocka_unit_test(rule_27_entries_of_counts),
        cmocka_unit_test(rule_27_and_9_sizes_of_counts),
        cmocka_unit_test(rule_28_counts_of_boxes),
        cmocka_unit_test(rule_29_weights),
        cmocka_unit_test(rule_7_files_of_weights),
        cmocka_unit_test(rule_9_files_without_polygons),
        cmocka_unit_test(rule_23_triangles_in_no_leaf),
        cmocka_unit_test(rule_23_triangles_in_two_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
