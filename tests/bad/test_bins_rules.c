/* Filled-bins tables that break a rule of formats/bins.md, that are cut or have flipped bits:
 * refused by the right rule; and what a resealed table that opens may do is told by the theorem
 * of formats/bins_check.h. Models and tables are told from each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/counting.h"
#include "../support/quick_bins.h"
#include "refuse.h"

enum { U = 12, X = 3 };

static edit_file *good_table(uint32_t profile)
{
    size_t size;
    void *bytes = quick_bins(profile, KILN_BINS_NEAREST, U, X, 1, KILN_LAYOUT_RAW, &size);
    edit_file *file = edit_open(bytes, size);
    free(bytes);
    return file;
}

/* Opens bytes at an address of a multiple of 64 plus `shift`; all memory must come back. */
static kiln_error open_at(const uint8_t *bytes, size_t size, size_t shift, kiln_status *status,
                          void (*use)(const kiln_bins *table))
{
    uint8_t *block = aligned_alloc(64, (size + shift + 64) / 64 * 64);
    counting count = {0};
    kiln_error error = {0};
    kiln_bins *table;
    kiln_open_options options = kiln_open_options_default();
    options.allocator = counting_allocator(&count);
    options.error = &error;
    assert_non_null(block);
    memcpy(block + shift, bytes, size);
    *status = kiln_bins_open_memory(block + shift, size, &options, &table);
    assert_int_equal(table != NULL, *status == KILN_OK);
    if (table != NULL && use != NULL) {
        use(table);
    }
    kiln_bins_close(table);
    assert_int_equal(count.live, 0);
    assert_int_equal(count.bytes, 0);
    free(block);
    return error;
}

static void refuse_table(const uint8_t *bytes, size_t size, uint32_t rule)
{
    for (size_t shift = 0; shift < 8; shift += 4) {
        kiln_status status;
        const kiln_error error = open_at(bytes, size, shift, &status, NULL);
        assert_int_equal(status, KILN_ERROR_RULE);
        assert_int_equal(error.rule, rule);
        assert_true(strlen(error.message) > 10);
    }
}

/* Raw and packed. */
static void refuse_file(edit_file *file, uint32_t rule)
{
    for (int packed = 0; packed < 2; packed++) {
        size_t size;
        uint8_t *bytes = edit_seal(file, packed != 0, &size);
        refuse_table(bytes, size, rule);
        free(bytes);
    }
    edit_free(file);
}

static void refuse_bytes(uint32_t profile, uint32_t rule, uint32_t kind, size_t at,
                         const void *bytes, size_t size)
{
    edit_file *file = good_table(profile);
    edit_section *section = edit_find(file, kind);
    assert_true(at + size <= section->size);
    assert_memory_not_equal(section->data + at, bytes, size);
    memcpy(section->data + at, bytes, size);
    refuse_file(file, rule);
}

static void refuse_word(uint32_t rule, uint32_t kind, size_t at, uint32_t value)
{
    refuse_bytes(KILN_BINS_EXACT, rule, kind, at, &value, sizeof value);
}

static void refuse_double(uint32_t rule, size_t at, double value)
{
    refuse_bytes(KILN_BINS_EXACT, rule, KILN_SECTION_BINS, at, &value, sizeof value);
}

/* ------------------------------------------------------------------------------------- rules -- */

static void good_tables_open(void **state)
{
    (void)state;
    for (uint32_t profile = KILN_BINS_EXACT; profile <= KILN_BINS_COMPACT; profile++) {
        edit_file *file = good_table(profile);
        for (int packed = 0; packed < 2; packed++) {
            size_t size;
            kiln_status status;
            uint8_t *bytes = edit_seal(file, packed != 0, &size);
            (void)open_at(bytes, size, 0, &status, NULL);
            assert_int_equal(status, KILN_OK);
            free(bytes);
        }
        edit_free(file);
    }
}

static void rule_2_reserved(void **state)
{
    (void)state;
    refuse_word(KILN_RULE_RESERVED, KILN_SECTION_BINS, offsetof(kiln_format_bins, reserved0), 1);
    refuse_word(KILN_RULE_RESERVED, KILN_SECTION_BINS, offsetof(kiln_format_bins, reserved[5]), 1);
    refuse_word(KILN_RULE_RESERVED, KILN_SECTION_BINS, offsetof(kiln_format_bins, kept[X]), 1);
    const size_t row = kiln_bins_row_size(X);
    refuse_bytes(KILN_BINS_EXACT, KILN_RULE_RESERVED, KILN_SECTION_BINS_ROWS, 5 * row + 6 * X, "\1",
                 1);
    refuse_bytes(KILN_BINS_EXACT, KILN_RULE_RESERVED, KILN_SECTION_BINS_ROWS, row - 1, "\1", 1);
}

static void rule_5_records_of_other_lanes(void **state)
{
    (void)state;
    edit_file *file = good_table(KILN_BINS_EXACT);
    edit_find(file, KILN_SECTION_BINS_FLOATS)->entry.element_size = 4;
    refuse_file(file, KILN_RULE_SECTION_SIZE);
    file = good_table(KILN_BINS_EXACT);
    edit_find(file, KILN_SECTION_BINS_ROWS)->entry.element_size *= 2;
    refuse_file(file, KILN_RULE_SECTION_SIZE);
}

static void rule_7_sections(void **state)
{
    (void)state;
    static const uint32_t needed[] = {KILN_SECTION_BINS_ROWS, KILN_SECTION_BINS_FLOATS,
                                      KILN_SECTION_META};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        edit_file *file = good_table(KILN_BINS_EXACT);
        edit_remove(file, needed[i]);
        refuse_file(file, KILN_RULE_SECTION_ONCE);
    }
    static const uint32_t extra[][2] = {
        {KILN_SECTION_BINS, 160},       {KILN_SECTION_META, 1},        {KILN_SECTION_BINS_ROWS, 32},
        {KILN_SECTION_BINS_FLOATS, 4},  {KILN_SECTION_BINS_COUNTS, 2}, {KILN_SECTION_VERTICES, 12},
        {KILN_SECTION_NODES_OBB8, 128}, {KILN_SECTION_TREES, 112}};
    for (size_t i = 0; i < sizeof extra / sizeof extra[0]; i++) {
        const uint8_t zeros[160] = {0};
        edit_file *file = good_table(KILN_BINS_EXACT);
        (void)edit_append(file, extra[i][0], KILN_SECTION_REQUIRED, extra[i][1], zeros,
                          extra[i][1]);
        refuse_file(file, KILN_RULE_SECTION_ONCE);
    }
}

static void rule_9_too_few_rows(void **state)
{
    (void)state;
    edit_file *file = good_table(KILN_BINS_EXACT);
    edit_section *rows = edit_find(file, KILN_SECTION_BINS_ROWS);
    edit_resize(rows, rows->size - kiln_bins_row_size(X));
    refuse_file(file, KILN_RULE_COUNTS);
    refuse_word(KILN_RULE_COUNTS, KILN_SECTION_BINS, offsetof(kiln_format_bins, max_u), U + 1);
    refuse_word(KILN_RULE_COUNTS, KILN_SECTION_BINS, offsetof(kiln_format_bins, max_u), 4096);
}

static void rule_24_headers(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        uint32_t value;
    } words[] = {
        {offsetof(kiln_format_bins, profile), 0},  {offsetof(kiln_format_bins, profile), 3},
        {offsetof(kiln_format_bins, rounding), 2}, {offsetof(kiln_format_bins, max_u), 0},
        {offsetof(kiln_format_bins, max_u), 4097}, {offsetof(kiln_format_bins, max_x), 0},
        {offsetof(kiln_format_bins, max_x), 11},   {offsetof(kiln_format_bins, row_size), 0},
        {offsetof(kiln_format_bins, row_size), 64}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        refuse_word(KILN_RULE_BINS_HEADER, KILN_SECTION_BINS, words[i].at, words[i].value);
    }
    static const size_t parts[] = {offsetof(kiln_format_bins, cut),
                                   offsetof(kiln_format_bins, certificate_kept),
                                   offsetof(kiln_format_bins, certificate_beyond)};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        refuse_double(KILN_RULE_BINS_HEADER, parts[i], -1e-9);
        refuse_double(KILN_RULE_BINS_HEADER, parts[i], 1.5);
        refuse_double(KILN_RULE_BINS_HEADER, parts[i], strtod("nan", NULL));
    }
    refuse_double(KILN_RULE_BINS_HEADER, offsetof(kiln_format_bins, unit), 1.0 / 65535);
    refuse_word(KILN_RULE_BINS_HEADER, KILN_SECTION_BINS, offsetof(kiln_format_bins, kept[1]), 1);
}

static void rule_25_rows(void **state)
{
    (void)state;
    const size_t row = kiln_bins_row_size(X), at = kiln_bins_row_index(7, 3) * row;
    static const uint16_t lengths[][X] = {{0, 5, 5}, {2, 1, 5}, {5, 5, 6}, {5, 5, 0xFFFF}};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        refuse_bytes(KILN_BINS_EXACT, KILN_RULE_BINS_ROW, KILN_SECTION_BINS_ROWS, at + 4 * X,
                     lengths[i], sizeof lengths[i]);
    }
    for (size_t k = 0; k < X; k++) {
        refuse_word(KILN_RULE_BINS_ROW, KILN_SECTION_BINS_ROWS, at + 4 * k, 0x7FFFFFFF);
    }
    edit_file *file = good_table(KILN_BINS_COMPACT);
    edit_section *counts = edit_find(file, KILN_SECTION_BINS_COUNTS);
    edit_resize(counts, counts->size + 2 * X);
    refuse_file(file, KILN_RULE_BINS_ROW);
    file = good_table(KILN_BINS_COMPACT);
    counts = edit_find(file, KILN_SECTION_BINS_COUNTS);
    edit_resize(counts, counts->size - 2 * X);
    refuse_file(file, KILN_RULE_BINS_ROW);
}

static void rule_26_values(void **state)
{
    (void)state;
    static const uint32_t bits[] = {0x3F800001, 0x7F800000, 0x7FC00000, 0x80000000,
                                    0xBF000000, 0xFF800000, 0xFFFFFFFF};
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        refuse_word(KILN_RULE_BINS_VALUE, KILN_SECTION_BINS_FLOATS, 4 * X * 20, bits[i]);
    }
    const float rising[X] = {0.25f, 0.5f, 0.125f};
    refuse_bytes(KILN_BINS_EXACT, KILN_RULE_BINS_VALUE, KILN_SECTION_BINS_FLOATS, 4 * X * 30,
                 rising, sizeof rising);
    const uint16_t counts[X] = {5, 4, 6};
    refuse_bytes(KILN_BINS_COMPACT, KILN_RULE_BINS_VALUE, KILN_SECTION_BINS_COUNTS, 2 * X * 30,
                 counts, sizeof counts);
}

/* ------------------------------------------------------------------------- models and tables -- */

static void a_table_is_no_model(void **state)
{
    (void)state;
    size_t size;
    void *bytes =
        quick_bins(KILN_BINS_EXACT, KILN_BINS_NEAREST, U, X, 1, KILN_LAYOUT_PACKED, &size);
    const kiln_error error = refuse(bytes, size, KILN_ERROR_NOT_LOADED, 0);
    assert_non_null(strstr(error.message, "kiln_bins_open"));
    free(bytes);
}

static void a_model_is_no_table(void **state)
{
    (void)state;
    size_t size;
    kiln_status status;
    edit_file *file = good_file();
    uint8_t *bytes = edit_seal(file, false, &size);
    const kiln_error error = open_at(bytes, size, 0, &status, NULL);
    assert_int_equal(status, KILN_ERROR_NOT_LOADED);
    assert_non_null(strstr(error.message, "kiln_open"));
    free(bytes);
    edit_free(file);
}

/* ---------------------------------------------------------------------------- cuts and flips -- */

static void every_prefix_is_told_as_incomplete(void **state)
{
    (void)state;
    for (int layout = 0; layout < 2; layout++) {
        size_t size;
        uint8_t *bytes =
            quick_bins(KILN_BINS_COMPACT, KILN_BINS_DOWN, U, X, 1, (kiln_layout)layout, &size);
        for (size_t length = 0; length < size; length += length < 4096 ? 1 : 97) {
            kiln_status status;
            const kiln_error error = open_at(bytes, length, 0, &status, NULL);
            assert_int_equal(status, KILN_ERROR_TRUNCATED);
            assert_int_equal(error.offset, length);
        }
        free(bytes);
    }
}

/* What the theorem leaves: every answer from 0 to 1, none rising with x. */
static void ask_everything(const kiln_bins *table)
{
    const kiln_bins_info info = kiln_bins_get_info(table);
    double p[KILN_BINS_MAX_X];
    for (uint32_t u = 0; u <= info.max_u; u++) {
        for (uint32_t v = 0; v <= u; v++) {
            for (uint32_t w = 0; w <= u; w++) {
                assert_int_equal(kiln_bins_probabilities(table, u, v, w, info.max_x, p), KILN_OK);
                for (uint32_t x = 0; x < info.max_x; x++) {
                    assert_true(p[x] >= 0 && p[x] <= (x > 0 ? p[x - 1] : 1));
                }
            }
        }
    }
}

static size_t flip_bits(uint32_t rounding, kiln_layout layout, bool reseal)
{
    size_t size, opened = 0;
    uint8_t *bytes = quick_bins(KILN_BINS_EXACT, rounding, 6, X, 1, layout, &size);
    uint8_t *changed = malloc(size);
    assert_non_null(changed);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        kiln_status status;
        if (bit / 8 >= 1200 && bytes[bit / 8] == 0 && bit % 61 != 0) {
            continue; /* the padding, for the most part */
        }
        memcpy(changed, bytes, size);
        changed[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (reseal) {
            edit_reseal(changed, size);
        }
        (void)open_at(changed, size, bit % 3 == 0 ? 4 : 0, &status, ask_everything);
        opened += status == KILN_OK;
    }
    free(changed);
    free(bytes);
    return opened;
}

static void flipped_bits_are_refused(void **state)
{
    (void)state;
    assert_int_equal(flip_bits(KILN_BINS_NEAREST, KILN_LAYOUT_PACKED, false), 0);
    assert_int_equal(flip_bits(KILN_BINS_DOWN, KILN_LAYOUT_RAW, false), 0);
}

static void resealed_flips_do_no_harm(void **state)
{
    (void)state;
    size_t opened = 0;
    for (uint32_t rounding = KILN_BINS_NEAREST; rounding <= KILN_BINS_DOWN; rounding++) {
        opened += flip_bits(rounding, KILN_LAYOUT_PACKED, true);
        opened += flip_bits(rounding, KILN_LAYOUT_RAW, true);
    }
    assert_true(opened > 0);
    print_message("%zu resealed flips opened\n", opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_tables_open),
        cmocka_unit_test(rule_2_reserved),
        cmocka_unit_test(rule_5_records_of_other_lanes),
        cmocka_unit_test(rule_7_sections),
        cmocka_unit_test(rule_9_too_few_rows),
        cmocka_unit_test(rule_24_headers),
        cmocka_unit_test(rule_25_rows),
        cmocka_unit_test(rule_26_values),
        cmocka_unit_test(a_table_is_no_model),
        cmocka_unit_test(a_model_is_no_table),
        cmocka_unit_test(every_prefix_is_told_as_incomplete),
        cmocka_unit_test(flipped_bits_are_refused),
        cmocka_unit_test(resealed_flips_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
