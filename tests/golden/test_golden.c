/* Small files as the last change of bytes left them: they must open, pass the audit, and give
 * the answers in the table beside them, which came from exact arithmetic over all pairs of
 * triangles. What is baked today must be the same bytes, so that a change of bytes is never an
 * accident: where it is meant, `test_golden --write` writes files and table anew (released
 * formats: test_kept.c). Packed bytes depend on zlib's version; under another than the table
 * names, packed files are compared by what is in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "../../formats/format.h"
#include "../../tools/encode/audit.h"
#include "../../tools/encode/container.h"
#include "../support/brute.h"
#include "../support/pair_digest.h"
#include "../support/quick_bake.h"

#define FOLDER "tests/golden/today"
#define ANSWERS FOLDER "/answers.txt"

enum { MODELS = 8, LAYOUTS = 2, POSES = 6, SIZE_MAX_HERE = 1 << 17, PAIRS_MAX = 8192 };

static const struct {
    const char *name, *bv;
    int leaf, adb;
} models[MODELS] = {{"torus", "obb,aabb", 4, 0},
                    {"box", "aabb,obb", 2, 0},
                    {"soup", "obb,aabb", 1, 0},
                    {"binary", "obb2,aabb2", 2, 4},
                    {"dop14", "dop14,obb", 3, 0},
                    {"sphere", "sphere,obb", 2, 4},
                    {"dops", "dop6,dop18,dop24,dop26", 3, 4},
                    {"octree", "octree,aabb", 3, 4}};

static const char *const layouts[LAYOUTS] = {"packed", "raw"};

static mesh mesh_of(int model)
{
    uint64_t random = 21;
    switch (model) {
    case 0:
        return mesh_torus(7, 5, 0.1);
    case 3:
        return mesh_torus(6, 4, 0.2);
    case 4:
        return mesh_torus(8, 5, 0.15);
    case 5:
        return mesh_torus(5, 6, 0.25);
    case 6:
        return mesh_torus(5, 4, 0.25);
    case 7:
        return mesh_torus(9, 6, 0.2);
    case 1:
        return mesh_box(-0.75f, -0.5f, -1, 0.75f, 0.5f, 1);
    default:
        return mesh_soup(&random, 60, 0.3);
    }
}

static void *bake(int model, int layout, size_t *size)
{
    mesh m = mesh_of(model);
    kiln_bake_options options = kiln_bake_options_default();
    options.bv = models[model].bv;
    options.leaf = models[model].leaf;
    options.layout = layout == 0 ? KILN_LAYOUT_PACKED : KILN_LAYOUT_RAW;
    options.threads = 1;
    options.adb = models[model].adb;
    options.adb_factor = 0.75;
    void *bytes = quick_bake_with(&m, &options, size);
    mesh_free(&m);
    return bytes;
}

static const char *path_of(int model, int layout)
{
    static char path[256];
    (void)snprintf(path, sizeof path, "%s/%s-%s.kiln", FOLDER, models[model].name, layouts[layout]);
    return path;
}

/* ------------------------------------------------------------------------------- writing -- */

/* Rotations of rational quaternions, so that the table holds them exactly. */
static const double poses[POSES][7] = {
    {0, 0, 0, 1, 0, 0, 0},           {0, 0, 0.6, 0.8, 1.25, 0, 0},
    {0.5, 0.5, 0.5, 0.5, 0, 1.5, 0}, {0, 0.8, 0, -0.6, 0.5, 0.5, 0.5},
    {0.5, -0.5, 0.5, 0.5, 0, 0, 2},  {0.6, 0, 0.8, 0, 2.5, -0.25, 0.125}};

static int write_files(void)
{
    for (int i = 0; i < MODELS * LAYOUTS; i++) {
        size_t size;
        void *bytes = bake(i / LAYOUTS, i % LAYOUTS, &size);
        FILE *out = fopen(path_of(i / LAYOUTS, i % LAYOUTS), "wb");
        const bool whole = out != NULL && fwrite(bytes, 1, size, out) == size && fclose(out) == 0;
        free(bytes);
        if (!whole) {
            perror(path_of(i / LAYOUTS, i % LAYOUTS));
            return 1;
        }
    }
    return 0;
}

static void write_answer(FILE *out, int a, int b, const double pose[7])
{
    mesh mesh_a = mesh_of(a), mesh_b = mesh_of(b);
    void *bytes_a, *bytes_b;
    kiln_file *file_a = quick_open(&mesh_a, "obb", 4, KILN_LAYOUT_RAW, &bytes_a);
    kiln_file *file_b = quick_open(&mesh_b, "obb", 4, KILN_LAYOUT_RAW, &bytes_b);
    kiln_pose pose_a = kiln_pose_identity(), pose_b;
    size_t count;
    if (kiln_pose_from_quaternion(pose, pose + 4, &pose_b) != KILN_OK) {
        abort();
    }
    kiln_pair *pairs = brute_pairs(&mesh_a, kiln_file_tree(file_a, 0), &pose_a, &mesh_b,
                                   kiln_file_tree(file_b, 0), &pose_b, false, &count);
    (void)fprintf(out, "%-6s %-6s", models[a].name, models[b].name);
    for (int i = 0; i < 7; i++) {
        (void)fprintf(out, " %6g", pose[i]);
    }
    (void)fprintf(out, " %5zu %08x\n", count, pair_digest(pairs, count));
    free(pairs);
    kiln_close(file_a);
    kiln_close(file_b);
    free(bytes_a);
    free(bytes_b);
    mesh_free(&mesh_a);
    mesh_free(&mesh_b);
}

static int write_answers(void)
{
    FILE *out = fopen(ANSWERS, "w");
    if (out == NULL) {
        perror(ANSWERS);
        return 1;
    }
    (void)fprintf(out, "zlib %s\n", zlibVersion());
    (void)fprintf(out,
                  "a      b       quaternion of b (x y z w)   translation of b     pairs crc-32\n");
    for (int a = 0; a < MODELS; a++) {
        for (int b = 0; b < MODELS; b++) {
            for (int i = 0; i < POSES; i++) {
                write_answer(out, a, b, poses[i]);
            }
        }
    }
    return fclose(out);
}

/* ------------------------------------------------------------------------------- reading -- */

static size_t read_file(const char *path, uint8_t *bytes)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    const size_t size = fread(bytes, 1, SIZE_MAX_HERE, in);
    assert_in_range(size, 1, SIZE_MAX_HERE - 1);
    assert_int_equal(fclose(in), 0);
    return size;
}

static uint8_t *golden(int model, int layout, size_t *size)
{
    uint8_t *bytes = malloc(SIZE_MAX_HERE);
    assert_non_null(bytes);
    *size = read_file(path_of(model, layout), bytes);
    return bytes;
}

static bool zlib_is_that_of_the_table(void)
{
    char version[32] = "";
    FILE *in = fopen(ANSWERS, "r");
    assert_non_null(in);
    assert_int_equal(fscanf(in, "zlib %31s", version), 1);
    assert_int_equal(fclose(in), 0);
    return strcmp(version, zlibVersion()) == 0;
}

static void golden_files_pass_the_audit(void **state)
{
    (void)state;
    for (int i = 0; i < MODELS * LAYOUTS; i++) {
        size_t size;
        kiln_format_error error = {0};
        uint8_t *bytes = golden(i / LAYOUTS, i % LAYOUTS, &size);
        const bool sound = kiln_audit(bytes, size, NULL, &error);
        assert_string_equal(error.text, "");
        assert_true(sound);
        free(bytes);
    }
}

static void what_is_baked_today_is_the_same_bytes(void **state)
{
    (void)state;
    for (int i = 0; i < MODELS * LAYOUTS; i++) {
        size_t size, baked_size;
        if (i % LAYOUTS == 0 && !zlib_is_that_of_the_table()) {
            print_message("zlib %s is not that of the table: packed bytes are not compared\n",
                          zlibVersion());
            continue;
        }
        uint8_t *bytes = golden(i / LAYOUTS, i % LAYOUTS, &size);
        void *baked = bake(i / LAYOUTS, i % LAYOUTS, &baked_size);
        assert_int_equal(size, baked_size);
        assert_memory_equal(bytes, baked, size);
        free(baked);
        free(bytes);
    }
}

static void packed_files_hold_what_raw_files_hold(void **state)
{
    (void)state;
    const kiln_watch watch = {1, NULL, NULL, "write", 0, 1};
    for (int model = 0; model < MODELS; model++) {
        size_t size, raw_size, unpacked_size;
        char message[192];
        void *unpacked;
        uint8_t *packed = golden(model, 0, &size), *raw = golden(model, 1, &raw_size);
        assert_int_equal(kiln_container_relayout(packed, size, KILN_LAYOUT_RAW, &watch, &unpacked,
                                                 &unpacked_size, message),
                         KILN_BAKE_OK);
        assert_int_equal(unpacked_size, raw_size);
        assert_memory_equal(unpacked, raw, raw_size);
        free(unpacked);
        free(packed);
        free(raw);
    }
}

/* ------------------------------------------------------------------------------- answers -- */

static kiln_file *files[MODELS][LAYOUTS];

static int open_files(void **state)
{
    (void)state;
    for (int i = 0; i < MODELS * LAYOUTS; i++) {
        if (kiln_open(path_of(i / LAYOUTS, i % LAYOUTS), NULL, &files[i / LAYOUTS][i % LAYOUTS]) !=
            KILN_OK) {
            perror(path_of(i / LAYOUTS, i % LAYOUTS));
            return -1;
        }
    }
    return 0;
}

static int close_files(void **state)
{
    (void)state;
    for (int i = 0; i < MODELS * LAYOUTS; i++) {
        kiln_close(files[i / LAYOUTS][i % LAYOUTS]);
    }
    return 0;
}

static int model_named(const char *name)
{
    int model = 0;
    while (model < MODELS && strcmp(models[model].name, name) != 0) {
        model++;
    }
    assert_true(model < MODELS);
    return model;
}

static void ask(const kiln_tree *a, const kiln_tree *b, const kiln_pose *pose, size_t want,
                uint32_t digest)
{
    static kiln_pair pairs[PAIRS_MAX];
    size_t count;
    kiln_hit hit;
    assert_int_equal(kiln_contacts(a, NULL, b, pose, NULL, pairs, PAIRS_MAX, &count), KILN_OK);
    assert_int_equal(count, want);
    assert_int_equal(pair_digest(pairs, count), digest);
    assert_int_equal(kiln_collide(a, NULL, b, pose, NULL, &hit), KILN_OK);
    assert_int_equal(hit.found, want > 0);
}

/* A line of the table for each layout and kind of tree on either side. */
static void ask_line(int a, int b, const double numbers[7], size_t want, uint32_t digest)
{
    kiln_pose pose;
    assert_int_equal(kiln_pose_from_quaternion(numbers, numbers + 4, &pose), KILN_OK);
    for (uint32_t i = 0; i < 4; i++) {
        const kiln_file *file_a = files[a][i & 1], *file_b = files[b][i >> 1];
        assert_true(kiln_file_tree_count(file_a) >= 2);
        for (uint32_t j = 0; j < kiln_file_tree_count(file_a) * kiln_file_tree_count(file_b); j++) {
            ask(kiln_file_tree(file_a, j / kiln_file_tree_count(file_b)),
                kiln_file_tree(file_b, j % kiln_file_tree_count(file_b)), &pose, want, digest);
        }
    }
}

static void answers_are_those_of_the_table(void **state)
{
    (void)state;
    char line[256], a[16], b[16];
    uint32_t lines = 0, hits = 0;
    FILE *in = fopen(ANSWERS, "r");
    assert_non_null(in);
    assert_non_null(fgets(line, sizeof line, in)); /* zlib */
    assert_non_null(fgets(line, sizeof line, in)); /* columns */
    while (fgets(line, sizeof line, in) != NULL) {
        double n[7];
        size_t want;
        unsigned digest;
        assert_int_equal(sscanf(line, "%15s %15s %lf %lf %lf %lf %lf %lf %lf %zu %x", a, b, &n[0],
                                &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &want, &digest),
                         11);
        ask_line(model_named(a), model_named(b), n, want, digest);
        lines++;
        hits += want > 0;
    }
    assert_int_equal(fclose(in), 0);
    print_message("%u lines, %u hits\n", lines, hits);
    assert_int_equal(lines, MODELS * MODELS * POSES);
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--write") == 0) {
        return write_files() != 0 || write_answers() != 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_files_pass_the_audit),
        cmocka_unit_test(what_is_baked_today_is_the_same_bytes),
        cmocka_unit_test(packed_files_hold_what_raw_files_hold),
        cmocka_unit_test(answers_are_those_of_the_table),
    };
    return cmocka_run_group_tests(tests, open_files, close_files);
}
