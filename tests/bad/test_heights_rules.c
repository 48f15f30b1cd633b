/* Height fields that break a rule of formats/hierarchy.md, section 15, raw and packed; and what
 * calls say of one that is good: while it arrives, without its kind of tree, to be refitted,
 * within limits of memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/kiln_adb.h"
#include "../../tools/encode/heights_file.h"
#include "../support/counting.h"
#include "refuse.h"

enum { COLUMNS = 21, ROWS = 14, HOLE = 7 };

static void *heights_bytes(kiln_layout layout, size_t *size)
{
    const kiln_watch watch = {.threads = 1};
    const uint8_t key[16] = {0};
    const kiln_format_heights grid = {
        COLUMNS, ROWS, {0, 13, 0}, {1, -1, 0.25}, HOLE, {0, 1, 2}, KILN_DIAGONAL_ALTERNATE};
    uint16_t samples[COLUMNS * ROWS];
    kiln_format_tree entry;
    void *bytes;
    for (unsigned i = 0; i < COLUMNS * ROWS; i++) {
        samples[i] = (uint16_t)(i == 40 ? HOLE : 10 + i * 7 % 12);
    }
    assert_int_equal(kiln_heights_tree(&grid, samples, &watch, &entry), KILN_BAKE_OK);
    const kiln_heights_model model = {&grid, samples, "{}", 2};
    assert_int_equal(kiln_heights_encode(&model, &entry, layout, key, &watch, &bytes, size),
                     KILN_BAKE_OK);
    return bytes;
}

static edit_file *good_heights(void)
{
    size_t size;
    void *bytes = heights_bytes(KILN_LAYOUT_RAW, &size);
    edit_file *file = edit_open(bytes, size);
    free(bytes);
    return file;
}

/* Seals and lets go of the file. */
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

static void a_good_one_opens(void **state)
{
    (void)state;
    for (int packed = 0; packed < 2; packed++) {
        edit_file *file = good_heights();
        size_t size;
        uint8_t *bytes = edit_seal(file, packed != 0, &size);
        assert_true(accept(bytes, size) > 0);
        free(bytes);
        edit_free(file);
    }
}

static void rule_7_sections(void **state)
{
    (void)state;
    static const uint32_t strangers[] = {
        KILN_SECTION_VERTICES,   KILN_SECTION_TRIANGLES,   KILN_SECTION_TRIANGLE_IDS,
        KILN_SECTION_FACES,      KILN_SECTION_USER,        KILN_SECTION_ORDER,
        KILN_SECTION_REFERENCES, KILN_SECTION_NODES_AABB8, KILN_SECTION_NODES_OBB8,
        KILN_SECTION_ADB,        KILN_SECTION_ADB_BOXES,   KILN_SECTION_HEIGHTS,
        KILN_SECTION_SAMPLES};
    static const uint32_t sizes[] = {12, 12, 4, 4, 4, 4, 4, 80, 128, 32, 12, 64, 2};
    const uint8_t zeros[128] = {0};
    for (size_t i = 0; i < sizeof strangers / sizeof strangers[0]; i++) {
        edit_file *file = good_heights();
        (void)edit_append(file, strangers[i], 0, sizes[i], zeros, sizes[i]);
        refuse_file(file, KILN_RULE_SECTION_ONCE);
    }
    edit_file *file = good_heights();
    edit_remove(file, KILN_SECTION_SAMPLES);
    refuse_file(file, KILN_RULE_SECTION_ONCE);
    file = good_heights();
    edit_remove(file, KILN_SECTION_HEIGHTS);
    refuse_file(file, KILN_RULE_SECTION_ONCE);
    file = good_file();
    (void)edit_append(file, KILN_SECTION_HEIGHTS, KILN_SECTION_REQUIRED, 64, zeros, 64);
    refuse_file(file, KILN_RULE_SECTION_ONCE);
}

static void rule_35_the_grid(void **state)
{
    (void)state;
    enum { CASES = 22 };
    for (int i = 0; i < CASES; i++) {
        edit_file *file = good_heights();
        kiln_format_heights *g = (void *)edit_find(file, KILN_SECTION_HEIGHTS)->data;
        switch (i) {
        case 0:
            g->columns = 1;
            break;
        case 1:
            g->rows = 0;
            break;
        case 2: /* as many samples, other rows */
            g->columns = ROWS;
            g->rows = COLUMNS;
            break;
        case 3:
            g->columns--;
            break;
        case 4:
            g->rows++;
            break;
        case 5: /* a product that wraps */
            g->columns = 0x80000001u;
            g->rows = 0x80000001u;
            break;
        case 6:
            g->hole = 65537;
            break;
        case 7: /* the hole is a height */
            g->hole = KILN_HEIGHTS_NO_HOLE;
            break;
        case 8:
            g->diagonal = 3;
            break;
        case 9:
            g->axis[0] = 1;
            break;
        case 10:
            g->axis[2] = 3;
            break;
        case 11:
            g->axis[0] = 1;
            g->axis[1] = 0;
            break;
        case 12:
        case 13:
        case 14:
            g->step[i - 12] = 0;
            break;
        case 15:
            g->step[1] = (double)NAN;
            break;
        case 16:
            g->origin[2] = (double)INFINITY;
            break;
        case 17: /* finite, but not in float */
            g->step[2] = 1e38;
            break;
        case 18:
            g->origin[0] = 1e300;
            break;
        case 19:
            g->step[0] = 2;
            break;
        case 20:
            g->origin[1] = -13;
            break;
        default:
            g->step[2] = -0.25;
            break;
        }
        refuse_file(file, KILN_RULE_HEIGHTS);
    }
    edit_file *file = good_heights();
    edit_section *samples = edit_find(file, KILN_SECTION_SAMPLES);
    edit_resize(samples, samples->size - 2);
    refuse_file(file, KILN_RULE_HEIGHTS);
    file = good_heights(); /* all are holes */
    samples = edit_find(file, KILN_SECTION_SAMPLES);
    for (size_t i = 0; i < samples->size; i += 2) {
        samples->data[i] = HOLE;
        samples->data[i + 1] = 0;
    }
    refuse_file(file, KILN_RULE_HEIGHTS);
    file = good_heights();
    edit_resize(edit_find(file, KILN_SECTION_HEIGHTS), 128);
    refuse_file(file, KILN_RULE_HEIGHTS);
}

/* Every byte of the entry but the name and the hash follows from the samples. */
static void rule_35_the_entry(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(kiln_format_tree); i++) {
        const size_t hash = offsetof(kiln_format_tree, geometry_hash);
        if (i < 4 || (i >= hash && i < hash + 16)) {
            continue;
        }
        edit_file *file = good_heights();
        edit_find(file, KILN_SECTION_TREES)->data[i] ^= 1;
        size_t size;
        uint8_t *bytes = edit_seal(file, false, &size);
        kiln_file *open;
        kiln_error error = {0};
        kiln_open_options options = kiln_open_options_default();
        options.error = &error;
        assert_int_equal(kiln_open_memory(bytes, size, &options, &open), KILN_ERROR_RULE);
        assert_true(error.rule == KILN_RULE_HEIGHTS || error.rule == KILN_RULE_TREE);
        free(bytes);
        edit_free(file);
    }
    edit_file *file = good_heights(); /* two trees */
    edit_section *trees = edit_find(file, KILN_SECTION_TREES);
    edit_resize(trees, 2 * sizeof(kiln_format_tree));
    memcpy(trees->data + sizeof(kiln_format_tree), trees->data, sizeof(kiln_format_tree));
    refuse_file(file, KILN_RULE_HEIGHTS);
    file = good_heights();
    ((kiln_format_part *)(void *)edit_find(file, KILN_SECTION_PARTS)->data)->triangle_count--;
    refuse_file(file, KILN_RULE_PART);
}

/* ------------------------------------------------------------------------- what calls say -- */

static void it_opens_when_all_has_arrived(void **state)
{
    (void)state;
    for (kiln_layout layout = KILN_LAYOUT_PACKED; layout <= KILN_LAYOUT_RAW; layout++) {
        size_t size;
        uint8_t *bytes = heights_bytes(layout, &size);
        kiln_file *file;
        kiln_hit hit;
        for (size_t have = 0; have < size; have += 1 + size / 50) {
            assert_int_equal(kiln_open_partial(bytes, have, NULL, &file), KILN_ERROR_PARTIAL);
        }
        assert_int_equal(kiln_open_partial(bytes, size, NULL, &file), KILN_OK);
        assert_true(kiln_file_get_loaded(file).complete);
        assert_int_equal(kiln_file_advance(file, bytes, size, NULL), KILN_OK);
        memset(bytes, 0, size); /* nothing is used in place */
        const kiln_tree *tree = kiln_file_tree(file, 0);
        assert_int_equal(kiln_collide(tree, NULL, tree, NULL, NULL, &hit), KILN_OK);
        assert_true(hit.found && kiln_tree_get_loaded(tree).complete);
        kiln_close(file);
        free(bytes);
    }
}

static void calls_that_it_has_nothing_for(void **state)
{
    (void)state;
    size_t size;
    uint8_t *bytes = heights_bytes(KILN_LAYOUT_PACKED, &size);
    kiln_open_options options = kiln_open_options_default();
    kiln_file *file;
    uint8_t room[64];
    kiln_refit *refit;
    kiln_source source;
    float corners[3][3];
    kiln_place place;
    const double point[3] = {1, 1, 1};

    options.bv_mask = 1u << KILN_BV_OBB;
    assert_int_equal(kiln_open_memory(bytes, size, &options, &file), KILN_OK);
    assert_int_equal(kiln_file_tree_count(file), 0);
    kiln_close(file);

    options.bv_mask = 1u << KILN_BV_AABB;
    options.flags = KILN_OPEN_NO_COUNTS;
    assert_int_equal(kiln_open_memory(bytes, size, &options, &file), KILN_OK);
    const kiln_tree *tree = kiln_file_tree(file, 0);
    assert_non_null(tree);
    assert_int_equal(kiln_refit_size(tree), 0);
    assert_int_equal(kiln_refit_place(room, sizeof room, tree, &refit), KILN_ERROR_KIND);
    assert_int_equal(kiln_locate_point(tree, NULL, point, &place), KILN_ERROR_OPEN_MESH);
    const uint32_t ids = 2 * (COLUMNS - 1) * (ROWS - 1);
    assert_int_equal(kiln_tree_source(tree, ids - 1, &source), KILN_OK);
    assert_true(source.triangle == ids - 1 && source.face == ids - 1);
    assert_int_equal(kiln_tree_source(tree, ids, &source), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_tree_corners(tree, 0, corners), KILN_OK);
    assert_int_equal(kiln_tree_corners(tree, ids, corners), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_tree_corners(tree, 2 * 19, corners), KILN_ERROR_ARGUMENT); /* a hole */
    assert_int_equal(kiln_tree_get_info(tree).triangle_count, ids - 2 * 4);
    kiln_close(file);
    free(bytes);
}

/* What is formed counts, and what there was is given back. */
static void memory_is_within_its_limit(void **state)
{
    (void)state;
    for (kiln_layout layout = KILN_LAYOUT_PACKED; layout <= KILN_LAYOUT_RAW; layout++) {
        size_t size;
        uint8_t *bytes = heights_bytes(layout, &size);
        uint8_t *aligned = aligned_alloc(64, (size / 64 + 1) * 64);
        kiln_file *file;
        bool opened = false;
        assert_non_null(aligned);
        memcpy(aligned, bytes, size);
        for (uint64_t limit = 512; !opened; limit *= 2) {
            counting count = {0};
            kiln_open_options options = kiln_open_options_default();
            options.allocator = counting_allocator(&count);
            options.memory_limit = limit;
            const kiln_status status = kiln_open_memory(aligned, size, &options, &file);
            opened = status == KILN_OK;
            assert_true(opened || status == KILN_ERROR_LIMIT);
            assert_true(limit < (1 << 20));
            kiln_close(file);
            assert_int_equal(count.live, 0);
            assert_int_equal(count.bytes, 0);
        }
        free(aligned);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_one_opens),
        cmocka_unit_test(rule_7_sections),
        cmocka_unit_test(rule_35_the_grid),
        cmocka_unit_test(rule_35_the_entry),
        cmocka_unit_test(it_opens_when_all_has_arrived),
        cmocka_unit_test(calls_that_it_has_nothing_for),
        cmocka_unit_test(memory_is_within_its_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
