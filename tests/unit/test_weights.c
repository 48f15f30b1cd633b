/* Weights of counted queries in files: what is written is read, trees use those of their own
 * file, a caller can put others in their place, and no order of A and B changes what comes out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../tools/encode/audit.h"
#include "../../tools/encode/weights_file.h"
#include "../support/ask_adb.h"
#include "../support/counted.h"
#include "../support/counting.h"
#include "../support/edit.h"
#include "../support/quick_bins.h"
#include "../support/quick_weights.h"

static void assert_weights(const kiln_adb_weights *p, const kiln_adb_weights *q)
{
    assert_memory_equal(p, q, sizeof *p);
}

static void assert_rows(const kiln_adb_fitted *rows, uint32_t count)
{
    for (unsigned i = 0; i < count; i++) {
        const kiln_adb_fitted want = quick_weights_row(i);
        assert_int_equal(rows[i].bv, want.bv);
        assert_int_equal(rows[i].leaf_max, want.leaf_max);
        assert_weights(&rows[i].weights, &want.weights);
    }
}

/* A model with counts, and a copy of its bytes that has weights. */
typedef struct {
    counted plain;
    uint8_t *bytes;
    kiln_file *file;
    const kiln_tree *tree;
} weighted;

static weighted weighted_of(const char *bv, int leaf)
{
    weighted w = {.plain = counted_of(mesh_torus(24, 12, 0.1), bv, leaf)};
    kiln_bake_options how = kiln_bake_options_default();
    size_t size;
    how.bv = bv;
    how.leaf = leaf;
    how.layout = KILN_LAYOUT_RAW;
    how.adb = 4;
    how.adb_factor = 0.75;
    void *raw = quick_bake_with(&w.plain.mesh, &how, &size);
    edit_file *file = edit_open(raw, size);
    kiln_format_adb_weights rows[QUICK_WEIGHTS];
    for (unsigned i = 0; i < QUICK_WEIGHTS; i++) {
        const kiln_adb_fitted fitted = quick_weights_row(i);
        rows[i] = kiln_weights_row(&fitted);
    }
    (void)edit_append(file, KILN_SECTION_ADB_WEIGHTS, 0, sizeof rows[0], rows, sizeof rows);
    w.bytes = edit_seal(file, true, &size);
    edit_free(file);
    free(raw);
    assert_int_equal(kiln_open_memory(w.bytes, size, NULL, &w.file), KILN_OK);
    w.tree = kiln_file_tree(w.file, 0);
    return w;
}

static void weighted_free(weighted *w)
{
    kiln_close(w->file);
    free(w->bytes);
    counted_free(&w->plain);
}

/* ----------------------------------------------------------------------------------- reading -- */

static void what_is_written_is_read(void **state)
{
    (void)state;
    for (int packed = 0; packed < 2; packed++) {
        size_t size;
        void *bytes = quick_weights(packed == 1, &size);
        kiln_adb_fitted rows[QUICK_WEIGHTS];
        uint32_t count = 0;
        counting memory = {0};
        kiln_format_error error;
        kiln_audit_counts counts;
        kiln_open_options options = kiln_open_options_default();
        options.allocator = counting_allocator(&memory);
        assert_int_equal(
            kiln_adb_read_weights_memory(bytes, size, &options, rows, QUICK_WEIGHTS, &count),
            KILN_OK);
        assert_int_equal(count, QUICK_WEIGHTS);
        assert_rows(rows, count);
        assert_int_equal(memory.live, 0);
        assert_true(kiln_audit(bytes, size, &counts, &error));
        assert_int_equal(counts.weights, QUICK_WEIGHTS);
        assert_int_equal(counts.trees, 0);
        free(bytes);
    }
}

static void a_short_array_gets_the_first_rows(void **state)
{
    (void)state;
    size_t size;
    void *bytes = quick_weights(false, &size);
    kiln_adb_fitted rows[QUICK_WEIGHTS];
    uint32_t count = 0;
    memset(rows, 0x55, sizeof rows);
    assert_int_equal(kiln_adb_read_weights_memory(bytes, size, NULL, rows, 1, &count), KILN_OK);
    assert_int_equal(count, QUICK_WEIGHTS);
    assert_rows(rows, 1);
    assert_int_equal(rows[1].leaf_max, 0x55555555);
    count = 0;
    assert_int_equal(kiln_adb_read_weights_memory(bytes, size, NULL, NULL, 0, &count), KILN_OK);
    assert_int_equal(count, QUICK_WEIGHTS);
    free(bytes);
}

static void from_a_file_on_disk_and_from_a_model(void **state)
{
    (void)state;
    const char *folder = getenv("TMPDIR");
    char path[512];
    size_t size;
    void *bytes = quick_weights(true, &size);
    kiln_adb_fitted rows[QUICK_WEIGHTS];
    uint32_t count = 0;
    (void)snprintf(path, sizeof path, "%s/test_weights.kiln", folder != NULL ? folder : "/tmp");
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(kiln_adb_read_weights(path, NULL, rows, QUICK_WEIGHTS, &count), KILN_OK);
    assert_int_equal(count, QUICK_WEIGHTS);
    assert_rows(rows, count);
    kiln_weights_rows loaded;
    char message[KILN_WEIGHTS_MESSAGE_SIZE];
    assert_int_equal(kiln_weights_load(path, &loaded, message), KILN_BAKE_OK);
    assert_int_equal(loaded.count, QUICK_WEIGHTS);
    assert_int_equal(remove(path), 0);
    assert_int_equal(kiln_weights_load(path, &loaded, message), KILN_BAKE_IO);
    assert_int_equal(kiln_adb_read_weights(path, NULL, rows, 1, &count), KILN_ERROR_NOT_FOUND);
    free(bytes);
}

static void what_can_not_be_read_changes_nothing(void **state)
{
    (void)state;
    size_t size, model_size;
    void *bytes = quick_weights(false, &size);
    mesh m = mesh_box(0, 0, 0, 1, 1, 1);
    void *model = quick_bake(&m, "obb", 4, KILN_LAYOUT_PACKED, &model_size);
    kiln_adb_fitted row;
    uint32_t count = 77;
    kiln_error error = {0};
    kiln_open_options options = kiln_open_options_default();
    options.error = &error;
    memset(&row, 0x55, sizeof row);
    assert_int_equal(kiln_adb_read_weights_memory(NULL, size, &options, &row, 1, &count),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_adb_read_weights_memory(bytes, size, &options, NULL, 1, &count),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_adb_read_weights_memory(bytes, size, &options, &row, 1, NULL),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_adb_read_weights(NULL, &options, &row, 1, &count), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_adb_read_weights_memory(bytes, size - 1, &options, &row, 1, &count),
                     KILN_ERROR_TRUNCATED);
    assert_int_equal(kiln_adb_read_weights_memory(model, model_size, &options, &row, 1, &count),
                     KILN_ERROR_NOT_LOADED);
    assert_non_null(strstr(error.message, "no weights"));
    assert_int_equal(count, 77);
    assert_int_equal(row.leaf_max, 0x55555555);
    free(bytes);
    free(model);
    mesh_free(&m);
}

static void weights_are_no_model_and_no_table(void **state)
{
    (void)state;
    size_t size;
    void *bytes = quick_weights(false, &size);
    kiln_file *file;
    kiln_bins *table;
    assert_int_equal(kiln_open_memory(bytes, size, NULL, &file), KILN_ERROR_NOT_LOADED);
    assert_null(file);
    assert_int_equal(kiln_bins_open_memory(bytes, size, NULL, &table), KILN_ERROR_NOT_LOADED);
    assert_null(table);
    free(bytes);
}

/* A filled-bins table with `copies` sections of weights, the first number of which is `first`. */
static uint8_t *table_with_weights(unsigned copies, float first, size_t *size)
{
    void *bytes = quick_bins(KILN_BINS_EXACT, KILN_BINS_NEAREST, 6, 2, 1, KILN_LAYOUT_RAW, size);
    edit_file *file = edit_open(bytes, *size);
    const kiln_adb_fitted fitted = quick_weights_row(0);
    kiln_format_adb_weights row = kiln_weights_row(&fitted);
    row.weight[0] = first;
    for (unsigned i = 0; i < copies; i++) {
        (void)edit_append(file, KILN_SECTION_ADB_WEIGHTS, 0, sizeof row, &row, sizeof row);
    }
    free(bytes);
    uint8_t *sealed = edit_seal(file, true, size);
    edit_free(file);
    return sealed;
}

static void a_table_may_hold_weights(void **state)
{
    (void)state;
    static const struct {
        unsigned copies;
        float first;
        kiln_status status;
        uint32_t rule;
    } cases[] = {{1, 0.5f, KILN_OK, 0},
                 {2, 0.5f, KILN_ERROR_RULE, KILN_RULE_SECTION_ONCE},
                 {1, 2e6f, KILN_ERROR_RULE, KILN_RULE_ADB_WEIGHTS}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t size;
        uint8_t *bytes = table_with_weights(cases[i].copies, cases[i].first, &size);
        kiln_bins *table;
        kiln_error error = {0};
        kiln_open_options options = kiln_open_options_default();
        options.error = &error;
        assert_int_equal(kiln_bins_open_memory(bytes, size, &options, &table), cases[i].status);
        assert_int_equal(error.rule, cases[i].rule);
        kiln_bins_close(table);
        kiln_adb_fitted row;
        uint32_t count = 0;
        if (cases[i].status == KILN_OK) {
            assert_int_equal(kiln_adb_read_weights_memory(bytes, size, NULL, &row, 1, &count),
                             KILN_OK);
            assert_int_equal(count, 1);
            assert_true(row.weights.bias == cases[i].first);
        }
        free(bytes);
    }
}

/* ----------------------------------------------------------------------------------- writing -- */

static void what_a_file_can_not_hold_is_not_written(void **state)
{
    (void)state;
    kiln_format_adb_weights rows[KILN_ADB_WEIGHTS_ROWS_MAX + 1];
    const kiln_adb_fitted good = quick_weights_row(0);
    void *file = NULL;
    size_t size;
    for (unsigned i = 0; i < KILN_ADB_WEIGHTS_ROWS_MAX + 1; i++) {
        rows[i] = kiln_weights_row(&good);
        rows[i].bv = (uint16_t)(1 + i % 4);
        rows[i].leaf_max = (uint16_t)(1 + i / 4);
    }
    assert_int_equal(kiln_weights_encode(rows, 60, &file, &size), KILN_BAKE_OK);
    free(file);
    assert_int_equal(kiln_weights_encode(rows, 0, &file, &size), KILN_BAKE_USAGE);
    assert_int_equal(kiln_weights_encode(rows, KILN_ADB_WEIGHTS_ROWS_MAX + 1, &file, &size),
                     KILN_BAKE_USAGE); /* and leaves of 16 and 17 */
    rows[1] = rows[0];
    assert_int_equal(kiln_weights_encode(rows, 2, &file, &size), KILN_BAKE_USAGE);
    rows[0].weight[0] = NAN;
    assert_int_equal(kiln_weights_encode(rows, 1, &file, &size), KILN_BAKE_USAGE);
}

/* ------------------------------------------------------------------------------------- trees -- */

static void a_tree_uses_the_weights_of_its_file(void **state)
{
    (void)state;
    weighted four = weighted_of("obb", 4), seven = weighted_of("obb", 7);
    weighted other = weighted_of("aabb", 4);
    const kiln_adb_fitted row0 = quick_weights_row(0), row1 = quick_weights_row(1);
    kiln_adb_weights got = kiln_adb_get_weights(four.tree, four.tree);
    assert_weights(&got, &row0.weights);
    got = kiln_adb_get_weights(seven.tree, seven.tree); /* 8 is nearer than 4 */
    assert_weights(&got, &row1.weights);
    got = kiln_adb_get_weights(four.tree, seven.tree);
    assert_true(got.bias == 0.5f * (row0.weights.bias + row1.weights.bias));
    assert_true(got.sure == 0.5f * (row0.weights.sure + row1.weights.sure));
    const kiln_adb_weights back = kiln_adb_get_weights(seven.tree, four.tree);
    assert_weights(&got, &back);

    /* None for its kind: the library's. */
    got = kiln_adb_get_weights(other.tree, other.tree);
    const kiln_adb_weights shipped = kiln_adb_get_weights(other.plain.tree, other.plain.tree);
    assert_weights(&got, &shipped);
    weighted_free(&four);
    weighted_free(&seven);
    weighted_free(&other);
}

static void rows_stand_in_the_place_of_a_files(void **state)
{
    (void)state;
    weighted own = weighted_of("obb", 4);
    counted wide = counted_of(mesh_torus(24, 12, 0.1), "aabb", 4);
    kiln_adb_fitted rows[2] = {quick_weights_row(1), quick_weights_row(2)};
    rows[1].bv = KILN_BV_OBB2;
    kiln_adb_weights got = kiln_adb_pick_weights(rows, 2, own.tree, own.tree);
    assert_weights(&got, &rows[0].weights); /* of its kind, however far its leaves */
    got = kiln_adb_pick_weights(rows + 1, 1, own.tree, own.tree);
    const kiln_adb_weights of_file = kiln_adb_get_weights(own.tree, own.tree);
    assert_weights(&got, &of_file); /* none of its kind */
    got = kiln_adb_pick_weights(NULL, 0, own.tree, wide.tree);
    const kiln_adb_weights mixed = kiln_adb_get_weights(own.tree, wide.tree);
    assert_weights(&got, &mixed);
    got = kiln_adb_pick_weights(rows, 2, own.tree, wide.tree);
    const kiln_adb_weights back = kiln_adb_pick_weights(rows, 2, wide.tree, own.tree);
    assert_weights(&got, &back);
    static const kiln_adb_weights none;
    got = kiln_adb_pick_weights(rows, 2, NULL, own.tree);
    assert_weights(&got, &none);
    weighted_free(&own);
    counted_free(&wide);
}

/* The same query with the file's weights and with them handed over. */
static void queries_use_them(void **state)
{
    (void)state;
    static uint64_t memory[4096];
    weighted own = weighted_of("obb", 4);
    kiln_adb *query;
    uint64_t random = 5;
    unsigned differ = 0;
    const kiln_adb_fitted row = quick_weights_row(0);
    kiln_adb_options options = kiln_adb_options_of(KILN_ADB_DEFAULT);
    assert_int_equal(kiln_adb_place(memory, sizeof memory, &query), KILN_OK);
    for (int i = 0; i < 50; i++) {
        const kiln_pose pose = pose_random(&random, 1.5);
        const kiln_adb_answer p = ask_adb(query, own.tree, NULL, own.tree, &pose, NULL, 2);
        const kiln_adb_answer swapped = ask_adb(query, own.tree, &pose, own.tree, NULL, NULL, 2);
        options.weights = &row.weights;
        const kiln_adb_answer q =
            ask_adb(query, own.plain.tree, NULL, own.plain.tree, &pose, &options, 2);
        const kiln_adb_answer r =
            ask_adb(query, own.plain.tree, NULL, own.plain.tree, &pose, NULL, 2);
        assert_true(p.probability == q.probability && p.verdict == q.verdict);
        assert_true(p.probability == swapped.probability);
        differ += p.probability != r.probability;
    }
    assert_true(differ > 10);
    weighted_free(&own);
}

/* Of a later version: they open, and are left alone. */
static void rows_of_another_meaning_are_left_alone(void **state)
{
    (void)state;
    size_t size;
    uint8_t *bytes = quick_weights(false, &size);
    edit_file *file = edit_open(bytes, size);
    kiln_format_adb_weights *rows = (void *)edit_find(file, KILN_SECTION_ADB_WEIGHTS)->data;
    rows[0].meaning = KILN_ADB_WEIGHTS_MEANING + 1;
    rows[0].weight[5] = -3; /* would be out of range, and not zero */
    rows[0].weight[13] = 1;
    free(bytes);
    bytes = edit_seal(file, false, &size);
    kiln_adb_fitted read[QUICK_WEIGHTS];
    const kiln_adb_fitted want = quick_weights_row(1);
    uint32_t count = 0;
    assert_int_equal(kiln_adb_read_weights_memory(bytes, size, NULL, read, 3, &count), KILN_OK);
    assert_int_equal(count, QUICK_WEIGHTS - 1);
    assert_weights(&read[0].weights, &want.weights);
    free(bytes);
    edit_free(file);
}

/* Of version 1.0: without `thin`, which is then 0 and must be. */
static void rows_without_thin_are_used(void **state)
{
    (void)state;
    size_t size;
    uint8_t *bytes = quick_weights(false, &size);
    edit_file *file = edit_open(bytes, size);
    kiln_format_adb_weights *rows = (void *)edit_find(file, KILN_SECTION_ADB_WEIGHTS)->data;
    free(bytes);
    for (unsigned sound = 0; sound < 2; sound++) {
        kiln_adb_fitted read[QUICK_WEIGHTS], want = quick_weights_row(0);
        uint32_t count = 0;
        want.weights.thin = 0;
        rows[0].meaning = 1;
        rows[0].weight[12] = sound ? 0.0f : 1.0f;
        bytes = edit_seal(file, false, &size);
        const kiln_status status =
            kiln_adb_read_weights_memory(bytes, size, NULL, read, QUICK_WEIGHTS, &count);
        assert_int_equal(status, sound ? KILN_OK : KILN_ERROR_RULE);
        assert_int_equal(count, sound ? QUICK_WEIGHTS : 0);
        if (sound) {
            assert_weights(&read[0].weights, &want.weights);
        }
        free(bytes);
    }
    edit_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_without_thin_are_used),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(a_short_array_gets_the_first_rows),
        cmocka_unit_test(from_a_file_on_disk_and_from_a_model),
        cmocka_unit_test(what_can_not_be_read_changes_nothing),
        cmocka_unit_test(a_table_may_hold_weights),
        cmocka_unit_test(weights_are_no_model_and_no_table),
        cmocka_unit_test(what_a_file_can_not_hold_is_not_written),
        cmocka_unit_test(a_tree_uses_the_weights_of_its_file),
        cmocka_unit_test(rows_stand_in_the_place_of_a_files),
        cmocka_unit_test(queries_use_them),
        cmocka_unit_test(rows_of_another_meaning_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
