/* Filled-bins tables as the last change of bytes left them: they must open, pass the
 * audit, and hold every value right. What is generated today must be the same sections, byte for
 * byte; `test_golden_bins --write` writes the files anew where a change is meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../tools/encode/audit.h"
#include "../support/quick_bins.h"

enum { TABLES = 4, U = 24, X = 10, SIZE_LIMIT = 1 << 17 };

static const struct {
    const char *path;
    uint32_t profile, rounding;
} tables[TABLES] = {
    {"tests/golden/today/bins-exact.kiln", KILN_BINS_EXACT, KILN_BINS_NEAREST},
    {"tests/golden/today/bins-exact-down.kiln", KILN_BINS_EXACT, KILN_BINS_DOWN},
    {"tests/golden/today/bins-compact.kiln", KILN_BINS_COMPACT, KILN_BINS_NEAREST},
    {"tests/golden/today/bins-compact-down.kiln", KILN_BINS_COMPACT, KILN_BINS_DOWN}};

static void *generate(int i, size_t *size)
{
    return quick_bins(tables[i].profile, tables[i].rounding, U, X, 1, KILN_LAYOUT_PACKED, size);
}

static int write_files(void)
{
    int failed = 0;
    for (int i = 0; i < TABLES; i++) {
        size_t size;
        void *bytes = generate(i, &size);
        FILE *out = fopen(tables[i].path, "wb");
        const bool whole = out != NULL && fwrite(bytes, 1, size, out) == size && fclose(out) == 0;
        failed += !whole;
        free(bytes);
    }
    return failed;
}

static uint8_t *golden(int i, size_t *size)
{
    uint8_t *bytes = malloc(SIZE_LIMIT);
    FILE *in = fopen(tables[i].path, "rb");
    assert_non_null(bytes);
    assert_non_null(in);
    *size = fread(bytes, 1, SIZE_LIMIT, in);
    assert_in_range(*size, 1, SIZE_LIMIT - 1);
    assert_int_equal(fclose(in), 0);
    return bytes;
}

static void every_value_is_right(void **state)
{
    (void)state;
    for (int i = 0; i < TABLES; i++) {
        size_t size;
        kiln_format_error error = {0};
        kiln_reader reader;
        kiln_bins_view view;
        kiln_lut_bins_audit audit;
        uint8_t *bytes = golden(i, &size);
        assert_true(kiln_audit(bytes, size, NULL, &error));
        assert_true(kiln_reader_open(&reader, bytes, size, NULL, &error));
        assert_true(kiln_bins_view_open(&view, &reader, false, &error));
        assert_true(kiln_lut_bins_audit_all(&view, &quick_bins_serial, &audit));
        assert_int_equal(audit.off + audit.misrounded + audit.misplaced, 0);
        assert_true(audit.values > 10000);
        kiln_reader_close(&reader);
        free(bytes);
    }
}

static void what_is_generated_today_has_the_same_sections(void **state)
{
    (void)state;
    for (int i = 0; i < TABLES; i++) {
        size_t size[2];
        void *bytes[2] = {golden(i, &size[0]), generate(i, &size[1])};
        kiln_reader readers[2];
        for (int which = 0; which < 2; which++) {
            kiln_format_error error;
            assert_true(kiln_reader_open(&readers[which], bytes[which], size[which], NULL, &error));
        }
        assert_int_equal(readers[0].section_count, readers[1].section_count);
        for (uint32_t s = 0; s < readers[0].section_count; s++) {
            const kiln_reader_section *a = &readers[0].sections[s], *b = &readers[1].sections[s];
            assert_int_equal(a->entry.kind, b->entry.kind);
            if (a->entry.kind == KILN_SECTION_META) {
                continue; /* names the version that wrote it */
            }
            assert_int_equal(a->entry.raw_size, b->entry.raw_size);
            assert_memory_equal(a->data, b->data, (size_t)a->entry.raw_size);
        }
        for (int which = 0; which < 2; which++) {
            kiln_reader_close(&readers[which]);
            free(bytes[which]);
        }
    }
}

int main(int count, char **arguments)
{
    if (count == 2 && strcmp(arguments[1], "--write") == 0) {
        return write_files();
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_is_right),
        cmocka_unit_test(what_is_generated_today_has_the_same_sections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
