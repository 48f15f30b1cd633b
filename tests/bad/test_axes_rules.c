/* Axis sets that break a rule of formats/axes.md, that are cut or have flipped bits: refused by the
 * right rule; and what a resealed set that opens may do is told by the theorem of
 * formats/axes_check.h. Models, tables and sets are told from each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/kiln_adb.h"
#include "../../runtime/kiln_axes.h"
#include "../support/counting.h"
#include "../support/quick_axes.h"
#include "../support/quick_bins.h"
#include "refuse.h"

/* Ten axes, and a look-up table of 3 x 3 x 3 cells, which all have axes 0 and 9. */
enum { POINTS = 14, AXES = 10, CELLS = 3 };

static edit_file *good_set(bool zones)
{
    size_t size;
    void *bytes = quick_axes(POINTS, false, false, KILN_LAYOUT_RAW, &size);
    edit_file *file = edit_open(bytes, size);
    free(bytes);
    if (zones) {
        const uint32_t cells = CELLS;
        uint64_t masks[3 * CELLS * CELLS];
        for (unsigned i = 0; i < sizeof masks / sizeof masks[0]; i++) {
            masks[i] = UINT64_C(0x201);
        }
        memcpy(edit_find(file, KILN_SECTION_AXES)->data + offsetof(kiln_format_axes, zone_cells),
               &cells, sizeof cells);
        (void)edit_append(file, KILN_SECTION_AXES_ZONES, KILN_SECTION_REQUIRED, 8, masks,
                          sizeof masks);
    }
    return file;
}

/* Opens bytes at an address of a multiple of 64 plus `shift`; all memory must come back. */
static kiln_error open_at(const uint8_t *bytes, size_t size, size_t shift, kiln_status *status,
                          void (*use)(const kiln_axes *axes))
{
    uint8_t *block = aligned_alloc(64, (size + shift + 64) / 64 * 64);
    counting count = {0};
    kiln_error error = {0};
    kiln_axes *axes;
    kiln_open_options options = kiln_open_options_default();
    options.allocator = counting_allocator(&count);
    options.error = &error;
    assert_non_null(block);
    memcpy(block + shift, bytes, size);
    *status = kiln_axes_open_memory(block + shift, size, &options, &axes);
    assert_int_equal(axes != NULL, *status == KILN_OK);
    if (axes != NULL && use != NULL) {
        use(axes);
    }
    kiln_axes_close(axes);
    assert_int_equal(count.live, 0);
    assert_int_equal(count.bytes, 0);
    free(block);
    return error;
}

/* Raw and packed. */
static void refuse_set(edit_file *file, uint32_t rule)
{
    for (int packed = 0; packed < 2; packed++) {
        size_t size;
        uint8_t *bytes = edit_seal(file, packed != 0, &size);
        for (size_t shift = 0; shift < 8; shift += 4) {
            kiln_status status;
            const kiln_error error = open_at(bytes, size, shift, &status, NULL);
            assert_int_equal(status, KILN_ERROR_RULE);
            assert_int_equal(error.rule, rule);
            assert_true(strlen(error.message) > 10);
        }
        free(bytes);
    }
    edit_free(file);
}

static void refuse_change(uint32_t rule, uint32_t kind, size_t at, const void *bytes, size_t size)
{
    edit_file *file = good_set(true);
    edit_section *section = edit_find(file, kind);
    assert_true(at + size <= section->size);
    assert_memory_not_equal(section->data + at, bytes, size);
    memcpy(section->data + at, bytes, size);
    refuse_set(file, rule);
}

static void refuse_word(uint32_t rule, size_t at, uint32_t value)
{
    refuse_change(rule, KILN_SECTION_AXES, at, &value, sizeof value);
}

static void refuse_double(uint32_t rule, uint32_t kind, size_t at, double value)
{
    refuse_change(rule, kind, at, &value, sizeof value);
}

/* What the theorem leaves: every mask has an axis, and none beyond the axes. */
static void ask_all_cells(const kiln_axes *axes)
{
    const kiln_axes_info info = kiln_axes_get_info(axes);
    assert_true(info.count <= 64);
    for (int x = -3; x <= 3; x++) {
        for (int y = -3; y <= 3; y++) {
            for (int z = -3; z <= 3; z++) {
                const double v[3] = {x, y, z};
                uint64_t mask;
                uint32_t count;
                assert_int_equal(kiln_axes_zone(axes, v, 0, &mask, &count), KILN_OK);
                assert_true(info.zone_cells == 0 || count > 0);
                assert_true(info.count == 64 || mask >> info.count == 0);
            }
        }
    }
}

/* ------------------------------------------------------------------------------------- rules -- */

static void good_sets_open(void **state)
{
    (void)state;
    for (int form = 0; form < 4; form++) {
        size_t size;
        kiln_status status;
        edit_file *file = good_set(form / 2 != 0);
        uint8_t *bytes = edit_seal(file, form % 2 != 0, &size);
        (void)open_at(bytes, size, 0, &status, ask_all_cells);
        assert_int_equal(status, KILN_OK);
        free(bytes);
        edit_free(file);
    }
}

static void rule_2_reserved(void **state)
{
    (void)state;
    refuse_word(KILN_RULE_RESERVED, offsetof(kiln_format_axes, reserved[0]), 1);
    refuse_word(KILN_RULE_RESERVED, offsetof(kiln_format_axes, reserved[5]), 1);
}

static void rule_7_sections(void **state)
{
    (void)state;
    static const uint32_t needed[] = {KILN_SECTION_AXES_VECTORS, KILN_SECTION_META};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        edit_file *file = good_set(true);
        edit_remove(file, needed[i]);
        refuse_set(file, KILN_RULE_SECTION_ONCE);
    }
    static const uint32_t extra[][2] = {
        {KILN_SECTION_AXES, 64},       {KILN_SECTION_META, 1},      {KILN_SECTION_AXES_VECTORS, 24},
        {KILN_SECTION_AXES_ZONES, 8},  {KILN_SECTION_VERTICES, 12}, {KILN_SECTION_TREES, 112},
        {KILN_SECTION_ADB_WEIGHTS, 64}};
    for (size_t i = 0; i < sizeof extra / sizeof extra[0]; i++) {
        const uint8_t zeros[112] = {0};
        edit_file *file = good_set(true);
        (void)edit_append(file, extra[i][0], KILN_SECTION_REQUIRED, extra[i][1], zeros,
                          extra[i][1]);
        refuse_set(file, KILN_RULE_SECTION_ONCE);
    }
}

static void rule_9_counts(void **state)
{
    (void)state;
    refuse_word(KILN_RULE_COUNTS, offsetof(kiln_format_axes, count), AXES - 1);
    refuse_word(KILN_RULE_COUNTS, offsetof(kiln_format_axes, zone_cells), CELLS - 1);
    refuse_word(KILN_RULE_COUNTS, offsetof(kiln_format_axes, zone_cells), 1024);
    refuse_word(KILN_RULE_COUNTS, offsetof(kiln_format_axes, zone_cells), 0);
    edit_file *file = good_set(true);
    edit_section *zones = edit_find(file, KILN_SECTION_AXES_ZONES);
    edit_resize(zones, zones->size + 8);
    refuse_set(file, KILN_RULE_COUNTS);
    file = good_set(true);
    edit_remove(file, KILN_SECTION_AXES_ZONES);
    refuse_set(file, KILN_RULE_COUNTS);
    file = good_set(false);
    edit_section *axes = edit_find(file, KILN_SECTION_AXES_VECTORS);
    edit_resize(axes, axes->size - 24);
    refuse_set(file, KILN_RULE_COUNTS);
}

static void rule_31_headers(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        uint32_t value;
    } words[] = {{offsetof(kiln_format_axes, count), 2},
                 {offsetof(kiln_format_axes, count), POINTS + 1},
                 {offsetof(kiln_format_axes, count), 65537},
                 {offsetof(kiln_format_axes, points), AXES - 1},
                 {offsetof(kiln_format_axes, kind), 0},
                 {offsetof(kiln_format_axes, kind), 3},
                 {offsetof(kiln_format_axes, zone_cells), 1025}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        refuse_word(KILN_RULE_AXES_HEADER, words[i].at, words[i].value);
    }
    static const size_t numbers[] = {offsetof(kiln_format_axes, radius),
                                     offsetof(kiln_format_axes, sine),
                                     offsetof(kiln_format_axes, zone_sine)};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        refuse_double(KILN_RULE_AXES_HEADER, KILN_SECTION_AXES, numbers[i], 0);
        refuse_double(KILN_RULE_AXES_HEADER, KILN_SECTION_AXES, numbers[i], -0.5);
        refuse_double(KILN_RULE_AXES_HEADER, KILN_SECTION_AXES, numbers[i], 1.7);
        refuse_double(KILN_RULE_AXES_HEADER, KILN_SECTION_AXES, numbers[i], strtod("nan", NULL));
    }
    /* A table for an angle below the covering radius would lose pairs. */
    refuse_double(KILN_RULE_AXES_HEADER, KILN_SECTION_AXES, offsetof(kiln_format_axes, zone_sine),
                  0.57);
}

static void rule_32_axes(void **state)
{
    (void)state;
    static const double wrong[][3] = {{0, 0, 0},       {1, 0x1p-20, 0}, {0.5, 0.5, 0.5},
                                      {1, 0x1p-54, 0}, {1, 1e-300, 0},  {1.0000000000000002, 0, 0},
                                      {-2, 0, 0}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        refuse_change(KILN_RULE_AXIS, KILN_SECTION_AXES_VECTORS, 24 * i, wrong[i], sizeof wrong[i]);
    }
    refuse_double(KILN_RULE_AXIS, KILN_SECTION_AXES_VECTORS, 40, strtod("nan", NULL));
    refuse_double(KILN_RULE_AXIS, KILN_SECTION_AXES_VECTORS, 40, strtod("inf", NULL));
}

static void rule_33_zones(void **state)
{
    (void)state;
    static const uint64_t wrong[] = {0, UINT64_C(1) << AXES, UINT64_C(1) << 63 | 1};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        refuse_change(KILN_RULE_ZONE, KILN_SECTION_AXES_ZONES, 0, &wrong[i], sizeof wrong[i]);
        refuse_change(KILN_RULE_ZONE, KILN_SECTION_AXES_ZONES, 8 * (3 * CELLS * CELLS - 1),
                      &wrong[i], sizeof wrong[i]);
    }
}

/* --------------------------------------------------------------- models, tables and axis sets  */

static void a_set_is_no_model_and_no_table(void **state)
{
    (void)state;
    size_t size;
    void *bytes = quick_axes(POINTS, false, false, KILN_LAYOUT_PACKED, &size);
    const kiln_error error = refuse(bytes, size, KILN_ERROR_NOT_LOADED, 0);
    assert_non_null(strstr(error.message, "kiln_axes_open"));
    kiln_bins *table;
    assert_int_equal(kiln_bins_open_memory(bytes, size, NULL, &table), KILN_ERROR_NOT_LOADED);
    free(bytes);
}

static void models_and_tables_are_no_sets(void **state)
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
    bytes = quick_bins(KILN_BINS_EXACT, KILN_BINS_NEAREST, 6, 2, 1, KILN_LAYOUT_RAW, &size);
    (void)open_at(bytes, size, 0, &status, NULL);
    assert_int_equal(status, KILN_ERROR_NOT_LOADED);
    free(bytes);
}

/* ---------------------------------------------------------------------------- cuts and flips -- */

static void every_prefix_is_told_as_incomplete(void **state)
{
    (void)state;
    for (int packed = 0; packed < 2; packed++) {
        size_t size;
        edit_file *file = good_set(true);
        uint8_t *bytes = edit_seal(file, packed != 0, &size);
        for (size_t length = 0; length < size; length += length < 1024 ? 1 : 97) {
            kiln_status status;
            const kiln_error error = open_at(bytes, length, 0, &status, NULL);
            assert_int_equal(status, KILN_ERROR_TRUNCATED);
            assert_int_equal(error.offset, length);
        }
        free(bytes);
        edit_free(file);
    }
}

static size_t flip_bits(bool packed, bool reseal)
{
    size_t size, opened = 0;
    edit_file *file = good_set(true);
    edit_find(file, KILN_SECTION_AXES_ZONES)->entry.alignment = KILN_SECTION_ALIGNMENT;
    uint8_t *bytes = edit_seal(file, packed, &size);
    uint8_t *changed = malloc(size);
    assert_non_null(changed);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        kiln_status status;
        memcpy(changed, bytes, size);
        changed[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (reseal) {
            edit_reseal(changed, size);
        }
        (void)open_at(changed, size, bit % 3 == 0 ? 4 : 0, &status, ask_all_cells);
        opened += status == KILN_OK;
    }
    free(changed);
    free(bytes);
    edit_free(file);
    return opened;
}

static void flipped_bits_are_refused(void **state)
{
    (void)state;
    assert_int_equal(flip_bits(true, false), 0);
    assert_int_equal(flip_bits(false, false), 0);
}

static void resealed_flips_do_no_harm(void **state)
{
    (void)state;
    const size_t opened = flip_bits(true, true) + flip_bits(false, true);
    assert_true(opened > 0);
    print_message("%zu resealed flips opened\n", opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_sets_open),
        cmocka_unit_test(rule_2_reserved),
        cmocka_unit_test(rule_7_sections),
        cmocka_unit_test(rule_9_counts),
        cmocka_unit_test(rule_31_headers),
        cmocka_unit_test(rule_32_axes),
        cmocka_unit_test(rule_33_zones),
        cmocka_unit_test(a_set_is_no_model_and_no_table),
        cmocka_unit_test(models_and_tables_are_no_sets),
        cmocka_unit_test(every_prefix_is_told_as_incomplete),
        cmocka_unit_test(flipped_bits_are_refused),
        cmocka_unit_test(resealed_flips_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
