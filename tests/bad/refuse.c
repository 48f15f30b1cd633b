/* See refuse.h. */
#define _POSIX_C_SOURCE 200809L
#include "refuse.h"

#include "../support/counting.h"
#include "../support/quick_bake.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

edit_file *good_file(void)
{
    return good_file_of("obb,aabb");
}

/* Faces and user values, which parts of this file tell by themselves, as sections too. */
static void add_source(edit_file *file)
{
    const uint32_t count = (uint32_t)(edit_find(file, KILN_SECTION_TRIANGLE_IDS)->size / 4);
    uint32_t numbers[1024] = {0};
    assert_true(count <= 1024);
    (void)edit_append(file, KILN_SECTION_USER, 0, 4, numbers, 4 * (size_t)count);
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = i;
    }
    (void)edit_append(file, KILN_SECTION_FACES, 0, 4, numbers, 4 * (size_t)count);
}

edit_file *good_file_of(const char *bv)
{
    mesh m = mesh_torus(8, 6, 0.1);
    size_t size;
    void *bytes = quick_bake(&m, bv, 4, KILN_LAYOUT_RAW, &size);
    edit_file *file = edit_open(bytes, size);
    free(bytes);
    mesh_free(&m);
    add_source(file);
    return file;
}

edit_file *good_file_with_counts(const char *bv, bool no_geometry)
{
    mesh m = mesh_torus(8, 6, 0.1);
    size_t size;
    kiln_bake_options options = kiln_bake_options_default();
    options.bv = bv;
    options.layout = KILN_LAYOUT_RAW;
    options.adb = 4;
    options.adb_factor = 0.75;
    options.no_geometry = no_geometry;
    void *bytes = quick_bake_with(&m, &options, &size);
    edit_file *file = edit_open(bytes, size);
    free(bytes);
    mesh_free(&m);
    return file;
}

edit_file *good_file_counted(bool no_geometry)
{
    return good_file_with_counts("obb,aabb2", no_geometry);
}

/* A copy of exactly `size` bytes, `shift` behind a multiple of 64; *block is what to free. */
static uint8_t *copy_at(const uint8_t *bytes, size_t size, size_t shift, void **block)
{
    if (posix_memalign(block, 64, size + shift) != 0) {
        abort();
    }
    memcpy((uint8_t *)*block + shift, bytes, size);
    return (uint8_t *)*block + shift;
}

static kiln_error refuse_at(const uint8_t *bytes, size_t size, size_t shift, kiln_status status,
                            uint32_t rule)
{
    void *block;
    const uint8_t *data = copy_at(bytes, size, shift, &block);
    counting count = {0};
    kiln_error error;
    kiln_file *file = (kiln_file *)(uintptr_t)1;
    kiln_open_options options = kiln_open_options_default();
    memset(&error, 0xEE, sizeof error);
    options.allocator = counting_allocator(&count);
    options.error = &error;
    assert_int_equal(kiln_open_memory(data, size, &options, &file), status);
    assert_null(file);
    assert_int_equal(count.live, 0);
    assert_int_equal(count.bytes, 0);
    assert_int_equal(error.status, status);
    assert_int_equal(error.rule, rule);
    assert_non_null(memchr(error.message, '\0', sizeof error.message));
    assert_true(strlen(error.message) > 10);
    free(block);
    return error;
}

kiln_error refuse(const uint8_t *bytes, size_t size, kiln_status status, uint32_t rule)
{
    const kiln_error in_place = refuse_at(bytes, size, 0, status, rule);
    const kiln_error copied = refuse_at(bytes, size, 16, status, rule);
    assert_int_equal(in_place.offset, copied.offset);
    assert_string_equal(in_place.message, copied.message);
    return in_place;
}

size_t accept(const uint8_t *bytes, size_t size)
{
    void *block;
    const uint8_t *data = copy_at(bytes, size, 0, &block);
    counting count = {0};
    kiln_error error;
    kiln_file *file;
    kiln_open_options options = kiln_open_options_default();
    memset(&error, 0, sizeof error);
    options.allocator = counting_allocator(&count);
    options.error = &error;
    const kiln_status status = kiln_open_memory(data, size, &options, &file);
    assert_string_equal(error.message, "");
    assert_int_equal(status, KILN_OK);
    size_t contacts = 0;
    for (uint32_t i = 0; i < kiln_file_tree_count(file); i++) {
        const kiln_tree *tree = kiln_file_tree(file, i);
        size_t pairs;
        assert_int_equal(kiln_contacts(tree, NULL, tree, NULL, NULL, NULL, 0, &pairs), KILN_OK);
        contacts += pairs;
    }
    kiln_close(file);
    assert_int_equal(count.live, 0);
    assert_int_equal(count.bytes, 0);
    free(block);
    return contacts;
}
