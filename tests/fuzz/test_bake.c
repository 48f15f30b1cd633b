/* Replays small models of each format of our own through the fuzz target of baking, as they are
 * and changed, and what a fuzzer has found beside them to reach more. With --write FOLDER it
 * writes the models as seeds for libFuzzer. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../tools/common/memory.h"
#include "../support/meshes.h"
#include "fuzz_bake.h"
#include "mutate_fbx.h"
#include "mutate_gltf.h"
#include "mutate_xml.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOUND "tests/fuzz/seeds-bake"
#define GLTF "tests/cases/gltf"

/* Sanitizers make a bake take ten times as long. */
enum { SEED_MAX = 4096, MUTATIONS = KILN_HAVE_SHADOW_MEMORY ? 60 : 300, PATH_SIZE = 512 };

enum { OBJ = 0, PLY = 1, STL = 2, OFF = 3, AABB = 4, BINARY = 8, BOTH = 12 };

#define STL_TRIANGLE                                                                               \
    "\0\0\0\0\0\0\0\0\0\0\0\0"                                                                     \
    "\0\0\0\0\0\0\0\0\0\0\0\0"                                                                     \
    "\0\0\x80\x3F\0\0\0\0\0\0\0\0"                                                                 \
    "\0\0\0\0\0\0\x80\x3F\0\0\0\0"                                                                 \
    "\0\0"
#define ZEROS_16 "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"

typedef struct {
    const char *name;
    uint8_t asked[2];
    const char *model;
    size_t size;
} seed;

#define SEED(name, first, second, model)                                                           \
    {                                                                                              \
        name, {first, second}, model, sizeof model - 1                                             \
    }

static const seed seeds[] = {
    SEED("obj-quad", OBJ, 0, "o a\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n"),
    SEED("obj-parts", OBJ | BOTH | FUZZ_SPLIT, FUZZ_COUNTS,
         "mtllib x.mtl\no a\nv 0 0 0\nv 1 0 0\nv 1 1 1\nusemtl m\nf -1 -2 -3\no b\ng c d\nv 5 5 5 "
         "1\n"
         "vt 0 0\nvn 0 0 1\nusemtl n\nf 1/1/1 2/1/1 4/1/1\nf 1//1 3//1 4//1\np 1\nl 1 2\n"),
    SEED("obj-concave", OBJ | AABB | FUZZ_MEDIAN, FUZZ_LEAF_ONE,
         "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 2 1 0\nv 0 4 0\nf 1 2 3 4 5\nf 1 1 1\nf 1 2 2\nf 1 2 3\nf 1 "
         "2 3\n"),
    SEED("obj-bad", OBJ | FUZZ_DROP_BAD, FUZZ_DROP,
         "v nan 0 0\nv 1e39 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 3 4 5\nf 3 4 99\nf 3 4 5\nf "
         "3 3 4\n"),
    SEED("obj-extremes", OBJ | BINARY | FUZZ_RAW, FUZZ_COUNTS | FUZZ_LEAF_ONE,
         "v 3e38 0 0\nv -3e38 1e-45 0\nv 0 3e38 -3e38\nv 1e-40 1e-40 1e-40\nf 1 2 3\nf 2 3 4\nf 4 "
         "4 4\n"),
    SEED("obj-lossy", OBJ | BOTH, FUZZ_LOSSY | FUZZ_UP_X,
         "v 0 0 0\nv 1 0.001 0\nv 1 1 0.5\nv 0.001 0 0\nf 1 2 3\nf 4 2 3\nf 1 4 2\n"),
    SEED("obj-continued", OBJ, FUZZ_SCALE, "v 0 0 0\nv 1 0 \\\n 0\nv 0 1 0\r\nf 1 \\\r\n2 3\n"),
    SEED("ply-text", PLY, 0,
         "ply\nformat ascii 1.0\ncomment x\nelement vertex 3\nproperty float x\nproperty float y\n"
         "property double z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
         "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"),
    SEED("ply-binary", PLY | AABB, FUZZ_COUNTS,
         "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float "
         "y\n"
         "property float z\nelement face 1\nproperty list uchar ushort vertex_indices\nend_header\n"
         "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80\x3F\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80\x3F\0\0\0\0"
         "\3\0\0\1\0\2\0"),
    SEED("ply-big", PLY | BOTH, 0,
         "ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty short x\nproperty short y\n"
         "property short z\nproperty uchar red\nelement face 1\nproperty list uchar uchar "
         "vertex_index\n"
         "end_header\n\0\0\0\0\0\0\1\0\2\0\0\0\0\1\0\0\0\2\0\0\1\3\0\1\2"),
    SEED("stl-text", STL, 0,
         "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
         "0\nendloop\n"
         "endfacet\nendsolid a\n"),
    SEED("stl-binary", STL | BOTH, FUZZ_COUNTS,
         ZEROS_16 ZEROS_16 ZEROS_16 ZEROS_16 ZEROS_16 "\2\0\0\0" STL_TRIANGLE STL_TRIANGLE),
    SEED("off", OFF, 0,
         "OFF\n# x\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n3 0 1 2 255 0 0\n"),
    SEED("ply-points", PLY | BOTH, FUZZ_COUNTS,
         "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
         "property double z\nend_header\n0 0 0\n1 0 nan\n0 1 0\n"),
    SEED("xyz", AABB | FUZZ_DROP_BAD, FUZZ_LEAF_ONE,
         "//\nx, y, z, red\n0 0 0\n1;0;0;7\n1 0 0\n1 nan 0\n0 1e39 1\n"),
    SEED("pts", BOTH | FUZZ_SPLIT, FUZZ_LOSSY | FUZZ_UP_X,
         "//\n2\n0 0 0 1 2 3\n1 0 0\n\n3\n1 1 1\n2 2 2\n2 2 3\n"),
    SEED("vertices", OFF | BINARY, FUZZ_POINTS | FUZZ_SCALE,
         "OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n"),
    SEED("pgm-text", OBJ, FUZZ_LEAF_ONE, "P2\n# x\n4 3\n9\n1 2 3 4 5 6 7 8 9 0 1 2\n"),
    SEED("pgm-bytes", AABB, FUZZ_COUNTS | FUZZ_UP_X, "P5 3 2 255\n\1\2\5\377\0\7"),
    SEED("pgm-words", FUZZ_RAW, FUZZ_SCALE, "P5 2 2 65535 \1\0\2\0\3\377\0\1P5 1 1 1 \1"),
    SEED("coff", OFF | BINARY | FUZZ_SPLIT, 0,
         "COFF\n3 1 3\n0 0 0 1 1 1 1\n1 0 0 1 1 1 1\n0 1 0 1 1 1 1\n3 0 1 2\n"),
};

enum { SEEDS = sizeof seeds / sizeof seeds[0] };

static size_t put_seed(const seed *from, uint8_t *bytes)
{
    memcpy(bytes, from->asked, 2);
    memcpy(bytes + 2, from->model, from->size);
    return 2 + from->size;
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

/* Words that readers have to think about, over or between what is there. */
static size_t put_word(uint8_t *bytes, size_t size, uint64_t *random)
{
    static const char *const words[] = {"-1", "0",    "1e38", "1e400", "nan", "-inf", "4294967295",
                                        "99", "\n",   " ",    "\0",    "f ",  "-0",   "1e-46",
                                        "/",  "\\\n", "3 ",   "\xFF",  "v ",  "#",    "2147483648"};
    const char *word = words[random_below(random, sizeof words / sizeof words[0])];
    const size_t length = word[0] == '\0' ? 1 : strlen(word);
    const size_t at = random_below(random, (uint32_t)size);
    const bool between = random_below(random, 2) == 0;
    if (at + length > SEED_MAX || size + length > SEED_MAX) {
        return size;
    }
    if (between) {
        memmove(bytes + at + length, bytes + at, size - at);
        size += length;
    }
    memcpy(bytes + at, word, length);
    return size > at + length ? size : at + length;
}

static size_t mutate(uint8_t *bytes, size_t size, uint64_t *random)
{
    const uint32_t times = 1 + random_below(random, 4);
    for (uint32_t i = 0; i < times; i++) {
        switch (random_below(random, 6)) {
        case 0:
            size = 3 + random_below(random, (uint32_t)size - 2);
            break;
        case 1:
            bytes[random_below(random, (uint32_t)size)] ^= (uint8_t)(1u << random_below(random, 8));
            break;
        case 2:
            bytes[random_below(random, 2)] ^= (uint8_t)(4u << random_below(random, 6));
            break;
        default:
            size = put_word(bytes, size, random);
            break;
        }
    }
    return size;
}

static void seeds_and_mutations_of_them(void **state)
{
    const char *scale = getenv("KILN_PROPERTY_SCALE");
    const uint32_t mutations = MUTATIONS * (uint32_t)(scale != NULL ? atoi(scale) : 1);
    static uint8_t bytes[SEED_MAX + 16];
    uint64_t random = 11;
    (void)state;
    for (size_t i = 0; i < SEEDS; i++) {
        run(bytes, put_seed(&seeds[i], bytes));
        for (uint32_t k = 0; k < mutations; k++) {
            const size_t size = put_seed(&seeds[i], bytes);
            run(bytes, mutate(bytes, size, &random));
        }
    }
    print_message("%d seeds, %u mutations of each\n", SEEDS, mutations);
}

static int is_file(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void what_a_fuzzer_found(void **state)
{
    static uint8_t bytes[SEED_MAX];
    struct dirent **entries;
    const int count = scandir(FOUND, &entries, is_file, alphasort);
    (void)state;
    assert_true(count >= 10);
    for (int i = 0; i < count; i++) {
        char path[PATH_SIZE];
        (void)snprintf(path, sizeof path, "%s/%s", FOUND, entries[i]->d_name);
        FILE *in = fopen(path, "rb");
        assert_non_null(in);
        run(bytes, fread(bytes, 1, sizeof bytes, in));
        assert_int_equal(fclose(in), 0);
        free(entries[i]);
    }
    free(entries);
}

static int is_gltf(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot != NULL && (strcmp(dot, ".gltf") == 0 || strcmp(dot, ".glb") == 0);
}

/* The models of glTF that show its features and faults, and changes of them by their structure. */
static void gltf_and_mutations_of_it(void **state)
{
    enum { MOST = 1 << 15, MUTATIONS_OF_GLTF = KILN_HAVE_SHADOW_MEMORY ? 5 : 20 };
    static uint8_t model[MOST], bytes[MOST];
    const char *scale = getenv("KILN_PROPERTY_SCALE");
    const uint32_t mutations = MUTATIONS_OF_GLTF * (uint32_t)(scale != NULL ? atoi(scale) : 1);
    struct dirent **entries;
    uint64_t random = 23, inputs = 0;
    (void)state;
    const int count = scandir(GLTF, &entries, is_gltf, alphasort);
    assert_true(count >= 190);
    for (int i = 0; i < count; i++) {
        char path[PATH_SIZE];
        (void)snprintf(path, sizeof path, "%s/%s", GLTF, entries[i]->d_name);
        FILE *in = fopen(path, "rb");
        assert_non_null(in);
        const size_t size = 2 + fread(model + 2, 1, sizeof model - 2, in);
        assert_int_equal(fclose(in), 0);
        assert_true(size < sizeof model / 2);
        run(model, size);
        for (uint32_t k = 0; k < mutations; k++) {
            memcpy(bytes, model, size);
            size_t made = 2 + mutate_gltf(bytes + 2, size - 2, MOST - 2, &random);
            bytes[0] = (uint8_t)(random_below(&random, 2) * FUZZ_DROP_BAD);
            bytes[1] = random_below(&random, 8) == 0 ? FUZZ_SCALE : 0;
            run(bytes, made);
            inputs++;
        }
        free(entries[i]);
    }
    free(entries);
    print_message("%d models, %llu mutations\n", count, (unsigned long long)inputs);
}

/* Models of a folder, and changes of them by their structure: so many of each. */
static uint64_t run_folder(const char *folder, int least, uint32_t mutations,
                           size_t (*change)(uint8_t *, size_t, size_t, uint64_t *),
                           uint64_t *random)
{
    enum { MOST = 1 << 14 };
    static uint8_t model[MOST], bytes[MOST];
    const char *scale = getenv("KILN_PROPERTY_SCALE");
    struct dirent **entries;
    uint64_t inputs = 0;
    mutations *= (uint32_t)(scale != NULL ? atoi(scale) : 1);
    const int count = scandir(folder, &entries, is_file, alphasort);
    assert_true(count >= least);
    for (int i = 0; i < count; i++) {
        char path[PATH_SIZE];
        (void)snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        free(entries[i]);
        FILE *in = fopen(path, "rb");
        assert_non_null(in);
        const size_t size = 2 + fread(model + 2, 1, sizeof model / 2 - 2, in);
        assert_int_equal(fclose(in), 0);
        run(model, size);
        for (uint32_t k = 0; k < mutations; k++) {
            memcpy(bytes, model, size);
            const size_t made = 2 + change(bytes + 2, size - 2, MOST - 2, random);
            bytes[0] = (uint8_t)(random_below(random, 2) * FUZZ_DROP_BAD);
            bytes[1] = random_below(random, 8) == 0 ? FUZZ_SCALE : 0;
            run(bytes, made);
            inputs++;
        }
    }
    free(entries);
    return inputs;
}

static void xml_and_mutations_of_it(void **state)
{
    uint64_t random = 29;
    (void)state;
    const uint64_t inputs = run_folder("tests/fuzz/seeds-xml", 8,
                                       KILN_HAVE_SHADOW_MEMORY ? 40 : 200, mutate_xml, &random) +
                            run_folder("tests/cases/collada", 200, KILN_HAVE_SHADOW_MEMORY ? 2 : 10,
                                       mutate_xml, &random);
    print_message("%llu mutations\n", (unsigned long long)inputs);
}

static void fbx_and_mutations_of_it(void **state)
{
    uint64_t random = 31;
    (void)state;
    const uint64_t inputs =
        run_folder("tests/cases/fbx", 300, KILN_HAVE_SHADOW_MEMORY ? 2 : 10, mutate_fbx, &random);
    print_message("%llu mutations\n", (unsigned long long)inputs);
}

static int write_seeds(const char *folder)
{
    static uint8_t bytes[SEED_MAX];
    for (size_t i = 0; i < SEEDS; i++) {
        char path[PATH_SIZE];
        (void)snprintf(path, sizeof path, "%s/%s", folder, seeds[i].name);
        const size_t size = put_seed(&seeds[i], bytes);
        FILE *out = fopen(path, "wb");
        if (out == NULL || fwrite(bytes, 1, size, out) != size || fclose(out) != 0) {
            fprintf(stderr, "%s: can't be written\n", path);
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--write") == 0) {
        return write_seeds(argv[2]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seeds_and_mutations_of_them), cmocka_unit_test(what_a_fuzzer_found),
        cmocka_unit_test(gltf_and_mutations_of_it),    cmocka_unit_test(xml_and_mutations_of_it),
        cmocka_unit_test(fbx_and_mutations_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
