/* Axis sets as the last change of bytes left them: one that is kept, one that is searched for and
 * one from an icosahedron. They must open, pass the audit, and what is made today must be the same
 * sections, byte for byte, on every machine; `test_golden_axes --write` writes the files anew where
 * a change is meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../tools/encode/audit.h"
#include "../support/quick_axes.h"

enum { SETS = 3, SIZE_LIMIT = 1 << 17 };

static const struct {
    const char *path;
    uint32_t points;
    bool antipodal, zones;
} sets[SETS] = {{"tests/golden/today/axes-kept.kiln", 14, false, true},
                {"tests/golden/today/axes-found.kiln", 28, true, false},
                {"tests/golden/today/axes-geodesic.kiln", 192, false, false}};

static void *generate(int i, size_t *size)
{
    return quick_axes(sets[i].points, sets[i].antipodal, sets[i].zones, KILN_LAYOUT_PACKED, size);
}

static int write_files(void)
{
    int failed = 0;
    for (int i = 0; i < SETS; i++) {
        size_t size;
        void *bytes = generate(i, &size);
        FILE *out = fopen(sets[i].path, "wb");
        const bool whole = out != NULL && fwrite(bytes, 1, size, out) == size && fclose(out) == 0;
        failed += !whole;
        free(bytes);
    }
    return failed;
}

static uint8_t *golden(int i, size_t *size)
{
    uint8_t *bytes = malloc(SIZE_LIMIT);
    FILE *in = fopen(sets[i].path, "rb");
    assert_non_null(bytes);
    assert_non_null(in);
    *size = fread(bytes, 1, SIZE_LIMIT, in);
    assert_in_range(*size, 1, SIZE_LIMIT - 1);
    assert_int_equal(fclose(in), 0);
    return bytes;
}

static void what_is_kept_is_sound(void **state)
{
    (void)state;
    for (int i = 0; i < SETS; i++) {
        size_t size;
        kiln_format_error error = {0};
        kiln_reader reader;
        kiln_axes_view view;
        kiln_audit_counts counts;
        kiln_lut_axes_audit audit;
        uint8_t *bytes = golden(i, &size);
        assert_true(kiln_audit(bytes, size, &counts, &error));
        assert_true(kiln_reader_open(&reader, bytes, size, NULL, &error));
        assert_true(kiln_axes_view_open(&view, &reader, false, &error));
        assert_int_equal(counts.axes, view.header->count);
        assert_true(kiln_lut_axes_audit_all(&view, &audit));
        assert_true(audit.radius_holds);
        assert_int_equal(audit.wrong_masks, 0);
        kiln_reader_close(&reader);
        free(bytes);
    }
}

static void what_is_made_today_has_the_same_sections(void **state)
{
    (void)state;
    for (int i = 0; i < SETS; i++) {
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
        cmocka_unit_test(what_is_kept_is_sound),
        cmocka_unit_test(what_is_made_today_has_the_same_sections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
