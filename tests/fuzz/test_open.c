/* Replays the seeds of the open fuzzer, and 400 fixed mutations of each, without a fuzzer: flipped
 * bits, bytes and words of the values that break things, cuts, and pieces moved about. With --write
 * the seeds that are made here are written anew; those that a fuzzer found stand beside them.
 *
 * KILN_PROPERTY_SCALE (default 1) multiplies the number of mutations. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/edit.h"
#include "../support/quick_axes.h"
#include "../support/quick_bake.h"
#include "../support/quick_bins.h"
#include "../support/quick_weights.h"
#include "fuzz_open.h"

#define SEEDS "tests/fuzz/seeds"

enum { MUTATIONS = 400, SEED_MAX = 65536, NAME_SIZE = 256, PATH_SIZE = 512 };

/* ------------------------------------------------------------------------------- making -- */

static int write_seed(const char *name, unsigned mode, const uint8_t *bytes, size_t size)
{
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/%s", SEEDS, name);
    FILE *out = fopen(path, "wb");
    if (out == NULL) {
        perror(path);
        return 1;
    }
    const bool whole = fputc((int)mode, out) != EOF && fwrite(bytes, 1, size, out) == size;
    return fclose(out) == 0 && whole ? 0 : 1;
}

/* Raw, with node sections aligned to 64 bytes: a reader allows it, and it keeps seeds small. */
static edit_file *small_raw(const mesh *m, const char *bv, int leaf)
{
    size_t size;
    void *bytes = quick_bake(m, bv, leaf, KILN_LAYOUT_RAW, &size);
    edit_file *file = edit_open(bytes, size);
    for (uint32_t i = 0; i < file->count; i++) {
        file->sections[i].entry.alignment = KILN_SECTION_ALIGNMENT;
    }
    free(bytes);
    return file;
}

static int write_form(const char *name, const char *form, unsigned mode, uint8_t *bytes,
                      size_t size)
{
    char full[NAME_SIZE];
    (void)snprintf(full, sizeof full, "%s-%s", name, form);
    const int failed = write_seed(full, mode, bytes, size);
    free(bytes);
    return failed;
}

/* One mesh as two seeds, for the fuzzer to change and reseal. */
static int write_mesh(const char *name, mesh *m, const char *bv, int leaf)
{
    size_t size;
    edit_file *file = small_raw(m, bv, leaf);
    uint8_t *raw = edit_seal(file, false, &size);
    int failed = write_form(name, "raw", FUZZ_RESEAL, raw, size);
    uint8_t *packed = quick_bake(m, bv, leaf, KILN_LAYOUT_PACKED, &size);
    failed += write_form(name, "packed", FUZZ_RESEAL, packed, size);
    edit_free(file);
    return failed;
}

/* The same torus as it is, and in the other ways in which a file may come. */
static int write_forms(const mesh *m)
{
    size_t size;
    uint8_t *bytes = quick_bake(m, "obb", 4, KILN_LAYOUT_PACKED, &size);
    int failed = write_form("torus", "sealed", 0, bytes, size);
    bytes = quick_bake(m, "obb", 4, KILN_LAYOUT_PACKED, &size);
    failed += write_form("torus", "cut", FUZZ_RESEAL, bytes, size / 2);
    edit_file *file = small_raw(m, "obb,aabb", 4);
    bytes = edit_seal(file, false, &size);
    failed += write_form("torus", "shifted", FUZZ_SHIFT | FUZZ_NO_SOURCE, bytes, size);
    bytes = edit_seal(file, true, &size);
    failed += write_form("torus", "one-kind", FUZZ_RESEAL | FUZZ_ONE_KIND, bytes, size);
    edit_free(file);
    return failed;
}

/* Binary trees with counts, with and without their polygons. */
static int write_counted(mesh *m)
{
    size_t size;
    kiln_bake_options options = kiln_bake_options_default();
    options.bv = "obb2,aabb";
    options.adb = 4;
    options.adb_factor = 0.75;
    int failed = 0;
    for (int i = 0; i < 2; i++) {
        options.no_geometry = i == 1;
        uint8_t *bytes = quick_bake_with(m, &options, &size);
        failed += write_form("counted", i == 1 ? "alone" : "packed", FUZZ_RESEAL, bytes, size);
    }
    return failed;
}

/* A small table of filled bins, raw and packed, for the fuzzer to change and reseal. */
static int write_table(const char *name, uint32_t profile, uint32_t rounding)
{
    size_t size;
    uint8_t *bytes = quick_bins(profile, rounding, 6, 2, 1, KILN_LAYOUT_RAW, &size);
    edit_file *file = edit_open(bytes, size);
    free(bytes);
    for (uint32_t i = 0; i < file->count; i++) {
        file->sections[i].entry.alignment = KILN_SECTION_ALIGNMENT;
    }
    bytes = edit_seal(file, false, &size);
    edit_free(file);
    const int failed = write_form(name, "raw", FUZZ_RESEAL, bytes, size);
    bytes = quick_bins(profile, rounding, 20, 3, 1, KILN_LAYOUT_PACKED, &size);
    return failed + write_form(name, "packed", FUZZ_RESEAL, bytes, size);
}

/* A small axis set, raw and packed, without a table and with a coarse one: 3 x 2 x 2 cells that all
 * have the first axis. */
static int write_axes(void)
{
    size_t size;
    int failed = 0;
    uint8_t *bytes = quick_axes(8, false, false, KILN_LAYOUT_PACKED, &size);
    failed += write_form("axes", "packed", FUZZ_RESEAL, bytes, size);
    bytes = quick_axes(6, false, false, KILN_LAYOUT_RAW, &size);
    edit_file *file = edit_open(bytes, size);
    const uint32_t cells = 2;
    const uint64_t masks[12] = {1, 1, 3, 1, 7, 1, 1, 5, 1, 1, 1, 1};
    free(bytes);
    memcpy(edit_find(file, KILN_SECTION_AXES)->data + offsetof(kiln_format_axes, zone_cells),
           &cells, sizeof cells);
    (void)edit_append(file, KILN_SECTION_AXES_ZONES, KILN_SECTION_REQUIRED, 8, masks, sizeof masks);
    bytes = edit_seal(file, false, &size);
    failed += write_form("axes", "raw", FUZZ_RESEAL, bytes, size);
    edit_free(file);
    return failed;
}

/* Weights alone, and in a model, which keeps those that fit it. */
static int write_weights(mesh *m)
{
    size_t size;
    int failed = 0;
    for (int packed = 0; packed < 2; packed++) {
        uint8_t *bytes = quick_weights(packed == 1, &size);
        edit_file *alone = packed == 0 ? edit_open(bytes, size) : NULL;
        failed += write_form("weights", packed == 1 ? "packed" : "raw", FUZZ_RESEAL, bytes, size);
        if (alone != NULL) {
            const edit_section *rows = edit_find(alone, KILN_SECTION_ADB_WEIGHTS);
            edit_file *model = small_raw(m, "obb", 4);
            (void)edit_append(model, KILN_SECTION_ADB_WEIGHTS, 0, sizeof(kiln_format_adb_weights),
                              rows->data, rows->size);
            bytes = edit_seal(model, false, &size);
            failed += write_form("weights", "in-model", FUZZ_RESEAL, bytes, size);
            edit_free(model);
            edit_free(alone);
        }
    }
    return failed;
}

static int write_seeds(void)
{
    static const uint8_t magic[] = KILN_FORMAT_MAGIC "\0\0\1\0";
    uint64_t random = 9;
    mesh meshes[4] = {mesh_soup(&random, 1, 0.5), mesh_box(0, 0, 0, 1, 2, 3), mesh_torus(6, 4, 0.1),
                      mesh_lattice(&random, 20, 0)};
    const int failed =
        write_mesh("triangle", &meshes[0], "obb", 4) + write_mesh("box", &meshes[1], "aabb", 1) +
        write_mesh("torus", &meshes[2], "aabb,obb", 2) +
        write_mesh("octree", &meshes[2], "octree", 3) +
        write_mesh("points", &meshes[3], "obb", 15) + write_forms(&meshes[2]) +
        write_counted(&meshes[2]) + write_weights(&meshes[1]) +
        write_table("bins-exact", KILN_BINS_EXACT, KILN_BINS_DOWN) +
        write_table("bins-compact", KILN_BINS_COMPACT, KILN_BINS_NEAREST) + write_axes() +
        write_seed("empty", 0, magic, 0) + write_seed("magic", 0, magic, 12);
    for (int i = 0; i < 4; i++) {
        mesh_free(&meshes[i]);
    }
    return failed;
}

/* ----------------------------------------------------------------------------- replaying -- */

static size_t read_seed(const char *name, uint8_t *bytes)
{
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/%s", SEEDS, name);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    const size_t size = fread(bytes, 1, SEED_MAX, in);
    assert_true(size < SEED_MAX);
    assert_int_equal(fclose(in), 0);
    return size;
}

/* From a buffer of exactly that size. */
static void run(const uint8_t *bytes, size_t size)
{
    uint8_t *exact = malloc(size > 0 ? size : 1);
    assert_non_null(exact);
    memcpy(exact, bytes, size);
    (void)LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static void put_word(uint8_t *bytes, size_t size, uint64_t *random)
{
    static const uint32_t words[] = {0,          1,          0x7F,       0x80,       0xFF,
                                     0x7F800000, 0x7FC00000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE,
                                     0xFFFFFFFF, 0x10000,    0x3F800000, 64,         2};
    const uint32_t word = words[random_below(random, sizeof words / sizeof words[0])];
    const size_t width = (size_t)1 << random_below(random, 3);
    if (size >= width) {
        memcpy(bytes + random_below(random, (uint32_t)(size - width + 1)), &word, width);
    }
}

static void move_piece(uint8_t *bytes, size_t size, uint64_t *random)
{
    const size_t from = random_below(random, (uint32_t)size);
    const size_t to = random_below(random, (uint32_t)size);
    const size_t room = size - (from > to ? from : to);
    memmove(bytes + to, bytes + from, room < 64 ? room : 64);
}

static size_t mutate(uint8_t *bytes, size_t size, uint64_t *random)
{
    const uint32_t times = 1 + random_below(random, 3);
    for (uint32_t i = 0; i < times && size > 0; i++) {
        switch (random_below(random, 8)) {
        case 0:
            size = random_below(random, (uint32_t)size) + 1;
            break;
        case 1:
            move_piece(bytes, size, random);
            break;
        case 2:
        case 3:
        case 4:
            put_word(bytes, size, random);
            break;
        default:
            bytes[random_below(random, (uint32_t)size)] ^= (uint8_t)(1u << random_below(random, 8));
            break;
        }
    }
    return size;
}

static uint32_t mutation_count(void)
{
    const char *scale = getenv("KILN_PROPERTY_SCALE");
    return MUTATIONS * (uint32_t)(scale != NULL ? atoi(scale) : 1);
}

static void replay(const char *name, uint64_t *random)
{
    static uint8_t seed[SEED_MAX], changed[SEED_MAX];
    const size_t size = read_seed(name, seed);
    run(seed, size);
    const uint32_t mutations = mutation_count();
    for (uint32_t i = 0; i < mutations; i++) {
        memcpy(changed, seed, size);
        run(changed, mutate(changed, size, random));
    }
}

static int is_seed(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void seeds_and_mutations_of_them(void **state)
{
    (void)state;
    uint64_t random = 4;
    struct dirent **entries;
    const int count = scandir(SEEDS, &entries, is_seed, alphasort);
    assert_true(count >= 16);
    for (int i = 0; i < count; i++) {
        replay(entries[i]->d_name, &random);
        free(entries[i]);
    }
    free(entries);
    print_message("%d seeds, %u mutations of each\n", count, mutation_count());
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--write") == 0) {
        return write_seeds();
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seeds_and_mutations_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
