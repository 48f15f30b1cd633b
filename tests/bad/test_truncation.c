/* Every prefix of a valid file, in a buffer of exactly that size, is told as incomplete: of a small
 * one at all lengths, of a larger one at all lengths to 4 KiB and every 97th from there on. Then
 * what a path may lead to that is no file at all. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/counting.h"
#include "../support/quick_bake.h"
#include "refuse.h"

static void refuse_prefixes(const mesh *m, const char *bv, kiln_layout layout, size_t every_to,
                            size_t step)
{
    size_t size;
    uint32_t count = 0;
    uint8_t *bytes = quick_bake(m, bv, 4, layout, &size);
    for (size_t length = 0; length < size; length += length < every_to ? 1 : step) {
        uint8_t *cut = malloc(length > 0 ? length : 1);
        counting counts = {0};
        kiln_error error;
        kiln_file *file = (kiln_file *)(uintptr_t)1;
        kiln_open_options options = kiln_open_options_default();
        options.allocator = counting_allocator(&counts);
        options.error = &error;
        options.flags = length % 2 == 0 ? 0 : KILN_OPEN_TRUSTED;
        assert_non_null(cut);
        memcpy(cut, bytes, length);
        assert_int_equal(kiln_open_memory(cut, length, &options, &file), KILN_ERROR_TRUNCATED);
        assert_null(file);
        assert_int_equal(counts.live, 0);
        assert_int_equal(error.offset, length);
        assert_int_equal(error.rule, 0);
        free(cut);
        count++;
    }
    print_message("%u prefixes of %zu bytes refused\n", count, size);
    (void)accept(bytes, size);
    free(bytes);
}

static void all_prefixes_of_a_small_file(void **state)
{
    (void)state;
    mesh m = mesh_box(0, 0, 0, 1, 1, 1);
    refuse_prefixes(&m, "obb", KILN_LAYOUT_PACKED, SIZE_MAX, 1);
    refuse_prefixes(&m, "obb", KILN_LAYOUT_RAW, SIZE_MAX, 1);
    refuse_prefixes(&m, "obb,aabb", KILN_LAYOUT_PACKED, SIZE_MAX, 1);
    mesh_free(&m);
}

static void prefixes_of_a_larger_file(void **state)
{
    (void)state;
    mesh m = mesh_torus(60, 40, 0.2);
    refuse_prefixes(&m, "obb,aabb", KILN_LAYOUT_PACKED, 4096, 97);
    refuse_prefixes(&m, "obb,aabb", KILN_LAYOUT_RAW, 4096, 97);
    mesh_free(&m);
}

/* Without the checksums: sizes alone tell a trusted open that bytes are missing or too many. */
static void bytes_behind_the_end_are_refused_when_trusted_too(void **state)
{
    (void)state;
    mesh m = mesh_box(0, 0, 0, 1, 1, 1);
    size_t size;
    uint8_t *bytes = quick_bake(&m, "obb", 4, KILN_LAYOUT_PACKED, &size);
    uint8_t *longer = calloc(1, size + 1);
    kiln_file *file;
    kiln_open_options options = kiln_open_options_default();
    options.flags = KILN_OPEN_TRUSTED;
    assert_non_null(longer);
    memcpy(longer, bytes, size);
    assert_int_equal(kiln_open_memory(longer, size + 1, &options, &file), KILN_ERROR_RULE);
    assert_null(file);
    free(longer);
    free(bytes);
    mesh_free(&m);
}

/* ------------------------------------------------------------------------------- on disk -- */

static char folder[4096];

static int make_folder(void **state)
{
    (void)state;
    const char *place = getenv("TMPDIR");
    (void)snprintf(folder, sizeof folder, "%s/kiln.XXXXXX", place != NULL ? place : "/tmp");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static const char *path_of(const char *name)
{
    static char path[sizeof folder + 32];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

static void refuse_path(const char *path, kiln_status status)
{
    kiln_error error;
    kiln_file *file = (kiln_file *)(uintptr_t)1;
    kiln_open_options options = kiln_open_options_default();
    memset(&error, 0xEE, sizeof error);
    options.error = &error;
    assert_int_equal(kiln_open(path, &options, &file), status);
    assert_null(file);
    assert_int_equal(error.status, status);
    assert_int_equal(error.rule, 0);
    assert_true(strlen(error.message) > 5);
}

static void paths_that_lead_to_no_file(void **state)
{
    (void)state;
    refuse_path(folder, KILN_ERROR_NOT_A_FILE);
    refuse_path("/dev/null", KILN_ERROR_NOT_A_FILE);
    refuse_path(path_of("missing"), KILN_ERROR_NOT_FOUND);
    refuse_path("", KILN_ERROR_NOT_FOUND);
    assert_int_equal(mkfifo(path_of("fifo"), 0600), 0);
    refuse_path(path_of("fifo"), KILN_ERROR_NOT_A_FILE); /* and does not wait for a writer */
    assert_int_equal(unlink(path_of("fifo")), 0);
}

static void files_that_are_too_short(void **state)
{
    (void)state;
    const char *path = path_of("short");
    write_file(path, "", 0);
    refuse_path(path, KILN_ERROR_TRUNCATED);
    write_file(path, KILN_FORMAT_MAGIC, 1);
    refuse_path(path, KILN_ERROR_TRUNCATED);
    write_file(path, "x", 1);
    refuse_path(path, KILN_ERROR_NOT_KILN);
    write_file(path, KILN_FORMAT_MAGIC, KILN_FORMAT_MAGIC_SIZE);
    refuse_path(path, KILN_ERROR_TRUNCATED);
    assert_int_equal(unlink(path), 0);
}

static void a_file_without_read_permission(void **state)
{
    (void)state;
    const char *path = path_of("closed");
    write_file(path, KILN_FORMAT_MAGIC, KILN_FORMAT_MAGIC_SIZE);
    assert_int_equal(chmod(path, 0), 0);
    const bool as_root = access(path, R_OK) == 0;
    refuse_path(path, as_root ? KILN_ERROR_TRUNCATED : KILN_ERROR_IO);
    assert_int_equal(unlink(path), 0);
}

static void a_path_through_a_file(void **state)
{
    (void)state;
    write_file(path_of("file"), "x", 1);
    refuse_path(path_of("file/more"), KILN_ERROR_NOT_FOUND);
    assert_int_equal(unlink(path_of("file")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_prefixes_of_a_small_file),
        cmocka_unit_test(prefixes_of_a_larger_file),
        cmocka_unit_test(bytes_behind_the_end_are_refused_when_trusted_too),
        cmocka_unit_test(paths_that_lead_to_no_file),
        cmocka_unit_test(files_that_are_too_short),
        cmocka_unit_test(a_file_without_read_permission),
        cmocka_unit_test(a_path_through_a_file),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
