/* Refusals that have no rule of their own: other files, other versions, wrong checksums, what this
 * reader does not know, and streams that do not inflate. Each has its own error, so that a cut or a
 * newer file is never told as damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "refuse.h"

static uint8_t *good_bytes(bool packed, size_t *size)
{
    edit_file *file = good_file();
    uint8_t *bytes = edit_seal(file, packed, size);
    edit_free(file);
    return bytes;
}

static void other_files_are_not_kiln_files(void **state)
{
    (void)state;
    static const char png[] = "\x89PNG\r\n\x1A\n and so on, for a while";
    static const char text[] = "# a comment\nv 0 0 0\n";
    static const char dos[] = "\x8BKLN\n\x1A\n as a text transfer leaves it behind";
    static const uint8_t zeros[4096];
    (void)refuse((const uint8_t *)png, sizeof png, KILN_ERROR_NOT_KILN, 0);
    (void)refuse((const uint8_t *)text, sizeof text, KILN_ERROR_NOT_KILN, 0);
    (void)refuse((const uint8_t *)dos, sizeof dos, KILN_ERROR_NOT_KILN, 0);
    (void)refuse(zeros, sizeof zeros, KILN_ERROR_NOT_KILN, 0);
    (void)refuse(zeros, 1, KILN_ERROR_NOT_KILN, 0);
    size_t size;
    uint8_t *bytes = good_bytes(false, &size);
    for (size_t i = 0; i < KILN_FORMAT_MAGIC_SIZE; i++) {
        bytes[i] ^= 0x20;
        assert_int_equal(refuse(bytes, size, KILN_ERROR_NOT_KILN, 0).offset, 0);
        bytes[i] ^= 0x20;
    }
    free(bytes);
}

static void null_arguments(void **state)
{
    (void)state;
    size_t size;
    uint8_t *bytes = good_bytes(false, &size);
    kiln_file *file = (kiln_file *)(uintptr_t)1;
    assert_int_equal(kiln_open_memory(NULL, size, NULL, &file), KILN_ERROR_ARGUMENT);
    assert_null(file);
    assert_int_equal(kiln_open_memory(bytes, size, NULL, NULL), KILN_ERROR_ARGUMENT);
    file = (kiln_file *)(uintptr_t)1;
    assert_int_equal(kiln_open(NULL, NULL, &file), KILN_ERROR_ARGUMENT);
    assert_null(file);
    kiln_close(NULL);
    free(bytes);
}

/* A version is told before anything else that may have changed with it: sizes and checksums of the
 * spoilt header are left as they were. */
static void other_versions_are_told_as_such(void **state)
{
    (void)state;
    static const uint16_t versions[][2] = {{0, 1},      {0, 2},           {2, 0},      {2, 1},
                                           {0, 0},      {0, 0xFFFF},      {0xFFFF, 1}, {0x0100, 1},
                                           {0xFFFF, 0}, {0xFFFF, 0xFFFF}, {0, 0x0100}};
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        for (int resealed = 0; resealed < 2; resealed++) {
            size_t size;
            char told[32];
            uint8_t *bytes = good_bytes(i % 2 == 0, &size);
            memcpy(bytes + offsetof(kiln_format_header, version_major), versions[i], 4);
            if (resealed != 0) {
                edit_reseal(bytes, size);
            }
            const kiln_error error = refuse(bytes, size, KILN_ERROR_VERSION, 0);
            (void)snprintf(told, sizeof told, "%u.%u, this reads 1.x", versions[i][0],
                           versions[i][1]);
            assert_non_null(strstr(error.message, told));
            assert_int_equal(error.offset, offsetof(kiln_format_header, version_major));
            free(bytes);
        }
    }
}

static void a_cut_file_is_not_complete(void **state)
{
    (void)state;
    size_t size;
    uint8_t *bytes = good_bytes(false, &size);
    assert_int_equal(refuse(bytes, size / 2, KILN_ERROR_TRUNCATED, 0).offset, size / 2);
    const uint64_t more = (uint64_t)size + 1;
    memcpy(bytes + offsetof(kiln_format_header, file_size), &more, sizeof more);
    edit_reseal(bytes, size);
    (void)refuse(bytes, size, KILN_ERROR_TRUNCATED, 0);
    free(bytes);
}

/* Flips one bit at `at` and leaves the checksums as they were. */
static void refuse_damage(uint8_t *bytes, size_t size, size_t at, uint64_t offset)
{
    bytes[at] ^= 0x10;
    assert_int_equal(refuse(bytes, size, KILN_ERROR_CHECKSUM, 0).offset, offset);
    bytes[at] ^= 0x10;
}

static void checksums_of_header_and_table(void **state)
{
    (void)state;
    size_t size;
    uint8_t *bytes = good_bytes(true, &size);
    const size_t crc = offsetof(kiln_format_header, header_crc);
    refuse_damage(bytes, size, crc, crc);
    refuse_damage(bytes, size, offsetof(kiln_format_header, features_required), crc);
    refuse_damage(bytes, size, offsetof(kiln_format_header, content_hash), crc);
    refuse_damage(bytes, size, offsetof(kiln_format_header, build_key) + 15, crc);
    refuse_damage(bytes, size, sizeof(kiln_format_header), crc);
    refuse_damage(bytes, size, sizeof(kiln_format_header) + 12 * sizeof(kiln_format_section), crc);
    free(bytes);
}

static void checksums_of_raw_sections(void **state)
{
    (void)state;
    size_t size;
    uint8_t *bytes = good_bytes(false, &size);
    edit_file *file = edit_open(bytes, size);
    for (uint32_t i = 0; i < file->count; i++) {
        const kiln_format_section entry = edit_get_entry(bytes, i);
        assert_true(entry.stored_size > 0);
        refuse_damage(bytes, size, (size_t)entry.offset, entry.offset);
        refuse_damage(bytes, size, (size_t)(entry.offset + entry.stored_size - 1), entry.offset);
    }
    edit_free(file);
    free(bytes);
}

static void checksums_of_block_tables_and_blocks(void **state)
{
    (void)state;
    size_t size;
    uint8_t *bytes = good_bytes(true, &size);
    kiln_format_header header;
    memcpy(&header, bytes, sizeof header);
    for (uint32_t i = 0; i < header.section_count; i++) {
        const kiln_format_section entry = edit_get_entry(bytes, i);
        const size_t table = (size_t)entry.offset, stream = table + sizeof(kiln_format_block);
        const size_t crc = table + offsetof(kiln_format_block, crc);
        refuse_damage(bytes, size, crc, table);
        refuse_damage(bytes, size, stream, stream);
        refuse_damage(bytes, size, (size_t)(entry.offset + entry.stored_size - 1), stream);
    }
    free(bytes);
}

/* Of two blocks the second: offsets are told within the file. */
static void checksum_of_a_second_block(void **state)
{
    (void)state;
    static uint8_t noise[KILN_BLOCK_SIZE + 1000];
    edit_file *file = good_file();
    edit_append(file, KILN_FOURCC('z', 'z', 'z', 'z'), 0, 1, noise, sizeof noise);
    size_t size;
    uint8_t *bytes = edit_seal(file, true, &size);
    edit_free(file);
    const kiln_format_section entry =
        edit_get_entry(bytes, edit_index(bytes, KILN_FOURCC('z', 'z', 'z', 'z')));
    kiln_format_block first;
    memcpy(&first, bytes + entry.offset, sizeof first);
    (void)accept(bytes, size);
    refuse_damage(bytes, size, size - 1,
                  entry.offset + 2 * sizeof(kiln_format_block) + first.stored_size);
    free(bytes);
}

static void required_features_are_refused_and_optional_ones_ignored(void **state)
{
    (void)state;
    size_t size;
    uint8_t *bytes = good_bytes(false, &size);
    const size_t contacts = accept(bytes, size);
    for (unsigned bit = 1; bit < 64; bit += 9) { /* bit 0 says that triangles are points */
        const uint64_t feature = UINT64_C(1) << bit, none = 0;
        char told[32];
        memcpy(bytes + offsetof(kiln_format_header, features_optional), &feature, sizeof feature);
        edit_reseal(bytes, size);
        assert_int_equal(accept(bytes, size), contacts);
        memcpy(bytes + offsetof(kiln_format_header, features_required), &feature, sizeof feature);
        edit_reseal(bytes, size);
        const kiln_error error = refuse(bytes, size, KILN_ERROR_FEATURE, 0);
        assert_int_equal(error.offset, offsetof(kiln_format_header, features_required));
        (void)snprintf(told, sizeof told, "%#llx", (unsigned long long)feature);
        assert_non_null(strstr(error.message, told));
        memcpy(bytes + offsetof(kiln_format_header, features_required), &none, sizeof none);
    }
    free(bytes);
}

static void unknown_sections_are_skipped_unless_they_are_required(void **state)
{
    (void)state;
    static const uint32_t kind = KILN_FOURCC('L', 'U', 'T', '9');
    for (int packed = 0; packed < 2; packed++) {
        size_t size;
        uint8_t *bytes = good_bytes(packed != 0, &size);
        const size_t contacts = accept(bytes, size);
        free(bytes);
        edit_file *file = good_file();
        edit_append(file, kind, 0, 7, "sevens sevens", 7);
        edit_append(file, kind, 0, 1, "",
                    0); /* twice is no matter: who knows how often it may be */
        bytes = edit_seal(file, packed != 0, &size);
        assert_int_equal(accept(bytes, size), contacts);
        free(bytes);
        edit_append(file, kind, KILN_SECTION_REQUIRED, 1, "x", 1);
        bytes = edit_seal(file, packed != 0, &size);
        const kiln_error error = refuse(bytes, size, KILN_ERROR_FEATURE, 0);
        assert_non_null(strstr(error.message, "'LUT9'"));
        assert_int_equal(error.offset, sizeof(kiln_format_header) +
                                           (file->count - 1) * sizeof(kiln_format_section));
        edit_free(file);
        free(bytes);
    }
}

/* --------------------------------------------------------------------------- broken streams -- */

/* The packed file with the vertices' stream replaced, all sizes and checksums right. */
static uint8_t *with_stream(const uint8_t *stream, size_t stream_size, size_t *size)
{
    edit_file *file = good_file();
    edit_section *vertices = edit_find(file, KILN_SECTION_VERTICES);
    const uint64_t raw_size = vertices->size;
    const kiln_format_block block = {(uint32_t)stream_size, (uint32_t)raw_size, 0};
    uint8_t stored[4096];
    assert_true(sizeof block + stream_size <= sizeof stored);
    memcpy(stored, &block, sizeof block);
    memcpy(stored + sizeof block, stream, stream_size);
    edit_resize(vertices, sizeof block + stream_size);
    memcpy(vertices->data, stored, vertices->size);
    uint8_t *bytes = edit_seal(file, false, size);
    edit_free(file);
    const uint32_t index = edit_index(bytes, KILN_SECTION_VERTICES);
    kiln_format_section entry = edit_get_entry(bytes, index);
    entry.codec = KILN_CODEC_DEFLATE;
    entry.raw_size = raw_size;
    edit_set_entry(bytes, index, &entry);
    edit_reseal(bytes, *size);
    return bytes;
}

static void refuse_stream(const uint8_t *stream, size_t stream_size)
{
    size_t size;
    uint8_t *bytes = with_stream(stream, stream_size, &size);
    const kiln_format_section entry =
        edit_get_entry(bytes, edit_index(bytes, KILN_SECTION_VERTICES));
    assert_int_equal(refuse(bytes, size, KILN_ERROR_INFLATE, 0).offset,
                     entry.offset + sizeof(kiln_format_block));
    free(bytes);
}

static size_t deflate_bytes(const uint8_t *raw, size_t raw_size, uint8_t *out, size_t room)
{
    return edit_deflate(raw, raw_size, out, room);
}

static void streams_that_do_not_inflate(void **state)
{
    (void)state;
    edit_file *file = good_file();
    const edit_section *vertices = edit_find(file, KILN_SECTION_VERTICES);
    uint8_t stream[2048], raw[2048] = {0};
    assert_true(vertices->size + 12 <= sizeof raw);
    memcpy(raw, vertices->data, vertices->size);
    const size_t right = deflate_bytes(raw, vertices->size, stream, sizeof stream);
    size_t size;
    uint8_t *bytes = with_stream(stream, right, &size);
    (void)accept(bytes, size); /* the editor itself breaks nothing */
    free(bytes);

    stream[0] |= 6; /* a kind of block that there isn't */
    refuse_stream(stream, right);
    (void)deflate_bytes(raw, vertices->size, stream, sizeof stream);
    refuse_stream(stream, right - 1); /* ends too early */
    refuse_stream(stream, right / 2);
    stream[right] = 0;
    refuse_stream(stream, right + 1);   /* bytes behind the end */
    refuse_stream(raw, vertices->size); /* no stream at all */
    size_t other = deflate_bytes(raw, vertices->size - 12, stream, sizeof stream);
    refuse_stream(stream, other); /* inflates to less */
    other = deflate_bytes(raw, vertices->size + 12, stream, sizeof stream);
    refuse_stream(stream, other); /* and to more */
    edit_free(file);
}

/* As much as a stream can expand: refused by what it inflates to, after no more work than that. */
static void a_bomb_within_the_ratio_that_is_allowed(void **state)
{
    (void)state;
    static uint8_t zeros[1 << 20];
    uint8_t stream[2048];
    const size_t stream_size = deflate_bytes(zeros, sizeof zeros, stream, sizeof stream);
    refuse_stream(stream, stream_size);
}

/* A vertex that no triangle has is no error. */
static void vertices_that_no_triangle_has(void **state)
{
    (void)state;
    edit_file *file = good_file();
    edit_section *vertices = edit_find(file, KILN_SECTION_VERTICES);
    edit_resize(vertices, vertices->size + 12);
    size_t size;
    uint8_t *bytes = edit_seal(file, true, &size);
    (void)accept(bytes, size);
    free(bytes);
    edit_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_files_are_not_kiln_files),
        cmocka_unit_test(null_arguments),
        cmocka_unit_test(other_versions_are_told_as_such),
        cmocka_unit_test(a_cut_file_is_not_complete),
        cmocka_unit_test(checksums_of_header_and_table),
        cmocka_unit_test(checksums_of_raw_sections),
        cmocka_unit_test(checksums_of_block_tables_and_blocks),
        cmocka_unit_test(checksum_of_a_second_block),
        cmocka_unit_test(required_features_are_refused_and_optional_ones_ignored),
        cmocka_unit_test(unknown_sections_are_skipped_unless_they_are_required),
        cmocka_unit_test(streams_that_do_not_inflate),
        cmocka_unit_test(a_bomb_within_the_ratio_that_is_allowed),
        cmocka_unit_test(vertices_that_no_triangle_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
