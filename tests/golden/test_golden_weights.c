/* A file of weights as the last change of bytes left it: it must open, pass the audit, and
 * hold its numbers. What is written today must be the same section, byte for byte;
 * `test_golden_weights --write` writes the file anew where a change is meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../formats/weights.h"
#include "../../tools/encode/audit.h"
#include "../support/quick_weights.h"

#define PATH "tests/golden/today/weights.kiln"

enum { SIZE_LIMIT = 4096 };

static int write_file(void)
{
    size_t size;
    void *bytes = quick_weights(false, &size);
    FILE *out = fopen(PATH, "wb");
    const bool whole = out != NULL && fwrite(bytes, 1, size, out) == size && fclose(out) == 0;
    free(bytes);
    return whole ? 0 : 1;
}

static void it_holds_what_it_held(void **state)
{
    (void)state;
    kiln_adb_fitted rows[QUICK_WEIGHTS];
    uint32_t count;
    assert_int_equal(kiln_adb_read_weights(PATH, NULL, rows, QUICK_WEIGHTS, &count), KILN_OK);
    assert_int_equal(count, QUICK_WEIGHTS);
    for (unsigned i = 0; i < QUICK_WEIGHTS; i++) {
        const kiln_adb_fitted want = quick_weights_row(i);
        assert_int_equal(rows[i].bv, want.bv);
        assert_int_equal(rows[i].leaf_max, want.leaf_max);
        assert_memory_equal(&rows[i].weights, &want.weights, sizeof want.weights);
    }
}

static void what_is_written_today_is_the_same(void **state)
{
    (void)state;
    static uint8_t golden[SIZE_LIMIT];
    size_t size;
    kiln_format_error error;
    uint8_t *bytes = quick_weights(false, &size);
    FILE *in = fopen(PATH, "rb");
    assert_non_null(in);
    const size_t golden_size = fread(golden, 1, sizeof golden, in);
    assert_int_equal(fclose(in), 0);
    assert_true(kiln_audit(golden, golden_size, NULL, &error));
    const size_t rows = sizeof(kiln_format_header) + 2 * sizeof(kiln_format_section);
    assert_true(golden_size >= rows + QUICK_WEIGHTS * sizeof(kiln_format_adb_weights));
    assert_memory_equal(golden + rows, bytes + rows,
                        QUICK_WEIGHTS * sizeof(kiln_format_adb_weights));
    free(bytes);
}

int main(int count, char **arguments)
{
    if (count == 2 && strcmp(arguments[1], "--write") == 0) {
        return write_file();
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_holds_what_it_held),
        cmocka_unit_test(what_is_written_today_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
