/* Files that somebody else writes to while they are opened, or afterwards. The writer is the
 * caller's allocator, which is called between the moment at which sizes are checked and that at
 * which they are used: what it writes is what another process could have, and the test needs no
 * luck. Memory has a fence behind it, so that an overflow shows without a sanitizer. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../formats/format.h"
#include "../support/ask.h"
#include "../support/edit.h"
#include "../support/quick_bake.h"
#include "../support/quick_bins.h"
#include "../support/quick_weights.h"
#include "../support/scratch.h"

enum { FENCE = 4096, FENCE_BYTE = 0xA5 };

/* What is written, and when: over `size` bytes at `at`, at the allocation of this number. */
typedef struct {
    uint8_t *bytes;
    size_t at, size;
    uint8_t with[16]; /* again and again */
    int when, calls;
    bool broken; /* a fence */
} writer;

static void *write_and_allocate(void *user, size_t size, size_t alignment)
{
    writer *w = user;
    if (w->calls++ == w->when) {
        for (size_t i = 0; i < w->size; i++) {
            w->bytes[w->at + i] = w->with[i % sizeof w->with];
        }
    }
    void *memory;
    assert_int_equal(posix_memalign(&memory, alignment < 64 ? 64 : alignment, size + FENCE), 0);
    memset((uint8_t *)memory + size, FENCE_BYTE, FENCE);
    return memory;
}

static void check_and_release(void *user, void *memory, size_t size)
{
    writer *w = user;
    for (size_t i = 0; i < FENCE; i++) {
        w->broken = w->broken || ((const uint8_t *)memory)[size + i] != FENCE_BYTE;
    }
    free(memory);
}

/* Opens it as whatever it may be, all at once and as if it arrived, while the writer writes. */
static void open_while_written(const uint8_t *bytes, size_t size, const writer *how)
{
    uint8_t *data = malloc(size);
    assert_non_null(data);
    for (int as = 0; as < 4; as++) {
        writer w = *how;
        kiln_open_options options = kiln_open_options_default();
        options.allocator = (kiln_allocator){write_and_allocate, check_and_release, &w};
        memcpy(data, bytes, size);
        w.bytes = data;
        if (as < 2) {
            kiln_file *file = NULL;
            if ((as == 0 ? kiln_open_memory(data, size, &options, &file)
                         : kiln_open_partial(data, size, &options, &file)) == KILN_OK) {
                (void)ask_files(file, file, 1000, 10000);
                (void)kiln_file_advance(file, data, size, NULL);
            }
            kiln_close(file);
        } else if (as == 2) {
            kiln_bins *table = NULL;
            (void)kiln_bins_open_memory(data, size, &options, &table);
            kiln_bins_close(table);
        } else {
            kiln_adb_fitted rows[4];
            uint32_t count;
            (void)kiln_adb_read_weights_memory(data, size, &options, rows, 4, &count);
        }
        assert_false(w.broken);
    }
    free(data);
}

/* Each part of the file in turn: header, section table, each section's first bytes, which are its
 * block table, and all of it. */
static void write_everywhere(const uint8_t *bytes, size_t size)
{
    static const uint8_t patterns[][16] = {
        {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
         0xFF},
        {0},
        {0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, 0}, /* sizes of 128 KiB */
        {1, 0, 0, 0, 0x40, 0, 0, 0, 1, 0, 0, 0, 0x40, 0, 0, 0}};
    kiln_format_header header;
    memcpy(&header, bytes, sizeof header);
    const size_t table = header.section_count * sizeof(kiln_format_section);
    for (size_t p = 0; p < sizeof patterns / sizeof patterns[0]; p++) {
        for (int when = 0; when < 2; when++) {
            writer w = {.when = when};
            memcpy(w.with, patterns[p], sizeof w.with);
            w.size = size;
            open_while_written(bytes, size, &w);
            w.size = sizeof header;
            open_while_written(bytes, size, &w);
            w.at = sizeof header;
            w.size = table;
            open_while_written(bytes, size, &w);
            for (uint32_t i = 0; i < header.section_count; i++) {
                const kiln_format_section entry = edit_get_entry(bytes, i);
                w.at = (size_t)entry.offset;
                w.size = entry.stored_size < 48 ? (size_t)entry.stored_size : 48;
                open_while_written(bytes, size, &w);
            }
        }
    }
}

static void sizes_that_are_used_are_those_that_were_checked(void **unused)
{
    (void)unused;
    size_t size;
    mesh m = mesh_torus(30, 20, 0.1);
    uint8_t *bytes = quick_bake(&m, QUICK_ALL_KINDS, 4, KILN_LAYOUT_PACKED, &size);
    write_everywhere(bytes, size);
    free(bytes);
    mesh_free(&m);
    bytes = quick_bins(KILN_BINS_EXACT, KILN_BINS_DOWN, 20, 3, 1, KILN_LAYOUT_PACKED, &size);
    write_everywhere(bytes, size);
    free(bytes);
    bytes = quick_weights(true, &size);
    write_everywhere(bytes, size);
    free(bytes);
}

/* --------------------------------------------------------------------------- what is copied -- */

/* The bytes of a file, packed or raw, and options by which opening copies it. */
static uint8_t *bake_to_copy(const mesh *m, bool packed, size_t *size, kiln_open_options *options)
{
    *options = kiln_open_options_default();
    options->flags = packed ? 0 : KILN_OPEN_COPY;
    return quick_bake(m, QUICK_ALL_KINDS, 4, packed ? KILN_LAYOUT_PACKED : KILN_LAYOUT_RAW, size);
}

/* A packed file, and any that is opened with KILN_OPEN_COPY, does not need its bytes any more. */
static void what_is_copied_may_be_written_to(void **unused)
{
    (void)unused;
    mesh m = mesh_torus(10, 7, 0.1);
    for (int packed = 0; packed < 2; packed++) {
        size_t size;
        kiln_file *file;
        kiln_open_options options;
        uint8_t *bytes = bake_to_copy(&m, packed != 0, &size, &options);
        assert_int_equal(kiln_open_memory(bytes, size, &options, &file), KILN_OK);
        const uint64_t digest = ask_files(file, file, UINT64_MAX, UINT64_MAX).digest;
        memset(bytes, 0xFF, size);
        assert_true(ask_files(file, file, UINT64_MAX, UINT64_MAX).digest == digest);
        free(bytes);
        assert_true(ask_files(file, file, UINT64_MAX, UINT64_MAX).digest == digest);
        kiln_close(file);
    }
    mesh_free(&m);
}

/* And on disk it is not mapped any longer: a file that is cut would raise SIGBUS. */
static void what_is_copied_may_be_cut(void **unused)
{
    (void)unused;
    char folder[SCRATCH_SIZE], path[SCRATCH_PATH_SIZE];
    assert_true(scratch_make(folder, "writer"));
    (void)snprintf(path, sizeof path, "%s/file.kiln", folder);
    mesh m = mesh_torus(10, 7, 0.1);
    for (int packed = 0; packed < 2; packed++) {
        size_t size;
        kiln_file *file;
        kiln_open_options options;
        uint8_t *bytes = bake_to_copy(&m, packed != 0, &size, &options);
        FILE *out = fopen(path, "wb");
        assert_non_null(out);
        assert_int_equal(fwrite(bytes, 1, size, out), size);
        assert_int_equal(fclose(out), 0);
        assert_int_equal(kiln_open(path, &options, &file), KILN_OK);
        const uint64_t digest = ask_files(file, file, UINT64_MAX, UINT64_MAX).digest;
        assert_int_equal(truncate(path, 0), 0);
        assert_true(ask_files(file, file, UINT64_MAX, UINT64_MAX).digest == digest);
        kiln_close(file);
        free(bytes);
    }
    mesh_free(&m);
    assert_true(scratch_remove(folder));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_are_used_are_those_that_were_checked),
        cmocka_unit_test(what_is_copied_may_be_written_to),
        cmocka_unit_test(what_is_copied_may_be_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
