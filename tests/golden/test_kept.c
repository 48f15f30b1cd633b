/* Files of format 1.0, kept as the command of their day wrote them: whatever is changed since,
 * they must open, pass the audit, hold the triangles with their sources and give the answers
 * that kept.txt tells. Files and table are never written again; a later minor or major version
 * gets a folder of its own beside them (README.md). `test_kept --keep FOLDER` makes the table of
 * such a new folder, the answers by exact arithmetic over all pairs of triangles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../tools/encode/audit.h"
#include "../../tools/common/sha256.h"
#include "../support/brute.h"
#include "../support/pair_digest.h"

enum { NAME_SIZE = 64, HEX_SIZE = 2 * KILN_SHA256_SIZE + 1, FILES_MAX = 32, PAIRS_MAX = 1 << 19 };

static const char *const folders[] = {"tests/golden/1.0"};

typedef struct {
    char name[NAME_SIZE];
    uint8_t *bytes;
    size_t size;
    kiln_file *file; /* NULL: not a model */
} kept;

static void hex_of(kiln_sha256 *hash, char hex[HEX_SIZE])
{
    uint8_t digest[KILN_SHA256_SIZE];
    kiln_sha256_final(hash, digest);
    for (int i = 0; i < KILN_SHA256_SIZE; i++) {
        (void)snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    }
}

/* ------------------------------------------------------------------------------------- files -- */

static kept kept_open(const char *folder, const char *name)
{
    kept k = {.bytes = NULL};
    char path[2 * NAME_SIZE];
    (void)snprintf(k.name, sizeof k.name, "%s", name);
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    k.size = (size_t)ftell(in);
    rewind(in);
    k.bytes = malloc(k.size);
    assert_non_null(k.bytes);
    assert_int_equal(fread(k.bytes, 1, k.size, in), k.size);
    assert_int_equal(fclose(in), 0);
    const kiln_status status = kiln_open_memory(k.bytes, k.size, NULL, &k.file);
    assert_true(status == KILN_OK || status == KILN_ERROR_NOT_LOADED);
    return k;
}

static void kept_close(kept *k)
{
    kiln_close(k->file);
    free(k->bytes);
}

static void bytes_hash(const kept *k, char hex[HEX_SIZE])
{
    kiln_sha256 hash;
    kiln_sha256_init(&hash);
    kiln_sha256_update(&hash, k->bytes, k->size);
    hex_of(&hash, hex);
}

static void feed_text(kiln_sha256 *hash, const char *text)
{
    kiln_sha256_update(hash, text, strlen(text) + 1);
}

/* Corners and source of every triangle, by id; "-" for what holds none. */
static void content_hash(const kept *k, char hex[HEX_SIZE])
{
    const kiln_tree *tree = kiln_file_tree(k->file, 0);
    kiln_sha256 hash;
    kiln_source source;
    float corners[3][3];
    kiln_sha256_init(&hash);
    (void)snprintf(hex, HEX_SIZE, "-");
    for (uint32_t id = 0; kiln_tree_source(tree, id, &source) == KILN_OK; id++) {
        const uint32_t numbers[5] = {source.triangle, source.face, source.user, source.mesh,
                                     source.primitive};
        assert_int_equal(kiln_tree_corners(tree, id, corners), KILN_OK);
        assert_int_equal(kiln_tree_user(tree, id), source.user);
        kiln_sha256_update(&hash, corners, sizeof corners);
        kiln_sha256_update(&hash, numbers, sizeof numbers);
        feed_text(&hash, source.node_path);
        feed_text(&hash, source.mesh_name);
        feed_text(&hash, source.material);
    }
    if (tree != NULL) {
        hex_of(&hash, hex);
    }
}

/* ----------------------------------------------------------------------------------- answers -- */

enum { POSES = 4 };

/* Rotations of rational quaternions, so that the table holds them exactly. */
static const double poses[POSES][7] = {{0, 0, 0, 1, 0, 0, 0},
                                       {0, 0, 0.6, 0.8, 1.25, 0, 0},
                                       {0.5, 0.5, 0.5, 0.5, 0, 0.5, 0.25},
                                       {0.6, 0, 0.8, 0, 0.5, -0.25, 3}};

/* A tree over all of a file's triangles, the `index`-th; NULL: there are no more. */
static const kiln_tree *whole_tree(const kept *k, uint32_t index)
{
    for (uint32_t i = 0; i < kiln_file_tree_count(k->file); i++) {
        const kiln_tree *tree = kiln_file_tree(k->file, i);
        const kiln_tree_info info = kiln_tree_get_info(tree);
        kiln_source source;
        if (info.polygons &&
            kiln_tree_source(tree, info.triangle_count, &source) == KILN_ERROR_ARGUMENT &&
            index-- == 0) {
            return tree;
        }
    }
    return NULL;
}

static mesh mesh_of(const kept *k)
{
    const kiln_tree *tree = whole_tree(k, 0);
    const uint32_t count = kiln_tree_get_info(tree).triangle_count;
    mesh m = {malloc(9 * sizeof(float) * count), malloc(3 * sizeof(uint32_t) * count), 3 * count,
              count};
    assert_non_null(m.positions);
    assert_non_null(m.indices);
    for (uint32_t i = 0; i < count; i++) {
        float corners[3][3];
        assert_int_equal(kiln_tree_corners(tree, i, corners), KILN_OK);
        memcpy(m.positions + 9 * (size_t)i, corners, sizeof corners);
        for (uint32_t c = 0; c < 3; c++) {
            m.indices[3 * (size_t)i + c] = 3 * i + c;
        }
    }
    return m;
}

static void ask(const kept *a, const kept *b, const double numbers[7], size_t want, uint32_t digest)
{
    static kiln_pair pairs[PAIRS_MAX];
    kiln_pose pose;
    const kiln_tree *tree_a, *tree_b;
    assert_int_equal(kiln_pose_from_quaternion(numbers, numbers + 4, &pose), KILN_OK);
    for (uint32_t i = 0; (tree_a = whole_tree(a, i)) != NULL; i++) {
        for (uint32_t j = 0; (tree_b = whole_tree(b, j)) != NULL; j++) {
            size_t count;
            kiln_hit hit;
            assert_int_equal(
                kiln_contacts(tree_a, NULL, tree_b, &pose, NULL, pairs, PAIRS_MAX, &count),
                KILN_OK);
            assert_int_equal(count, want);
            assert_int_equal(pair_digest(pairs, count), digest);
            assert_int_equal(kiln_collide(tree_a, NULL, tree_b, &pose, NULL, &hit), KILN_OK);
            assert_int_equal(hit.found, want > 0);
        }
    }
}

/* --------------------------------------------------------------------------------- the table -- */

static FILE *open_table(const char *folder, const char *mode)
{
    char path[2 * NAME_SIZE];
    (void)snprintf(path, sizeof path, "%s/kept.txt", folder);
    return fopen(path, mode);
}

static const kept *kept_named(const kept *files, int count, const char *name)
{
    int i = 0;
    while (i < count && strcmp(files[i].name, name) != 0) {
        i++;
    }
    assert_true(i < count);
    return &files[i];
}

static kept check_file_line(const char *folder, const char *line)
{
    char name[NAME_SIZE], bytes[HEX_SIZE], content[HEX_SIZE], hex[HEX_SIZE];
    kiln_format_error error = {0};
    assert_int_equal(sscanf(line, "file %63s %64s %64s", name, bytes, content), 3);
    kept k = kept_open(folder, name);
    bytes_hash(&k, hex);
    assert_string_equal(hex, bytes);
    content_hash(&k, hex);
    assert_string_equal(hex, content);
    const bool sound = kiln_audit(k.bytes, k.size, NULL, &error);
    assert_string_equal(error.text, "");
    assert_true(sound);
    return k;
}

static void check_pairs_line(const kept *files, int count, const char *line)
{
    char a[NAME_SIZE], b[NAME_SIZE];
    double n[7];
    size_t want;
    unsigned digest;
    assert_int_equal(sscanf(line, "pairs %63s %63s %lf %lf %lf %lf %lf %lf %lf %zu %x", a, b, &n[0],
                            &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &want, &digest),
                     11);
    ask(kept_named(files, count, a), kept_named(files, count, b), n, want, digest);
}

static void check_folder(const char *folder)
{
    static kept files[FILES_MAX];
    int count = 0, lines = 0;
    char line[512];
    FILE *in = open_table(folder, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in) != NULL) {
        if (strncmp(line, "file", 4) == 0) {
            assert_in_range(count, 0, FILES_MAX - 1);
            files[count++] = check_file_line(folder, line);
        } else {
            check_pairs_line(files, count, line);
            lines++;
        }
    }
    assert_int_equal(fclose(in), 0);
    print_message("%s: %d files, %d answers\n", folder, count, lines);
    assert_true(count > 0 && lines > 0);
    for (int i = 0; i < count; i++) {
        kept_close(&files[i]);
    }
}

static void kept_files_are_what_they_were(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        check_folder(folders[i]);
    }
}

/* ---------------------------------------------------------------------------- a new folder's -- */

static void write_pairs(FILE *out, const kept *a, const kept *b)
{
    mesh mesh_a = mesh_of(a), mesh_b = mesh_of(b);
    const kiln_pose stays = kiln_pose_identity();
    for (int i = 0; i < POSES; i++) {
        kiln_pose pose;
        size_t count;
        assert_int_equal(kiln_pose_from_quaternion(poses[i], poses[i] + 4, &pose), KILN_OK);
        kiln_pair *pairs = brute_pairs(&mesh_a, whole_tree(a, 0), &stays, &mesh_b, whole_tree(b, 0),
                                       &pose, false, &count);
        (void)fprintf(out, "pairs %s %s", a->name, b->name);
        for (int n = 0; n < 7; n++) {
            (void)fprintf(out, " %g", poses[i][n]);
        }
        (void)fprintf(out, " %zu %08x\n", count, pair_digest(pairs, count));
        free(pairs);
    }
    mesh_free(&mesh_a);
    mesh_free(&mesh_b);
}

/* Files are named on standard input, one a line. */
static void write_table(const char *folder)
{
    static kept files[FILES_MAX];
    int count = 0;
    char name[NAME_SIZE], bytes[HEX_SIZE], content[HEX_SIZE];
    FILE *out = open_table(folder, "wx"); /* never over one that is there */
    assert_non_null(out);
    while (count < FILES_MAX && scanf("%63s", name) == 1) {
        files[count] = kept_open(folder, name);
        bytes_hash(&files[count], bytes);
        content_hash(&files[count], content);
        (void)fprintf(out, "file %s %s %s\n", name, bytes, content);
        count++;
    }
    for (int a = 0; a < count; a++) {
        for (int b = 0; b < count; b++) {
            if (whole_tree(&files[a], 0) != NULL && whole_tree(&files[b], 0) != NULL) {
                write_pairs(out, &files[a], &files[b]);
            }
        }
    }
    for (int i = 0; i < count; i++) {
        kept_close(&files[i]);
    }
    assert_int_equal(fclose(out), 0);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--keep") == 0) {
        write_table(argv[2]);
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(kept_files_are_what_they_were)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
