/* Replays programs of calls through the fuzz target of scenes: some by hand, many by chance. With
 * --write FOLDER it writes those by hand, and some of the others, as seeds for libFuzzer.
 *
 * KILN_PROPERTY_SCALE (default 1) multiplies the number of programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../support/amount.h"
#include "../support/meshes.h"
#include "fuzz_scene.h"

enum { PROGRAMS = 400, BYTES_MAX = 600, WRITTEN = 20 };

static const struct {
    const char *name, *bytes;
    size_t size;
} seeds[] = {
#define SEED(name, bytes)                                                                          \
    {                                                                                              \
        name, bytes, sizeof bytes - 1                                                              \
    }
    SEED("empty", ""),
    /* three objects at one place, one moved, one removed, all queried */
    SEED("few", "\0\0\0\200\200\200\1\1\1\1\0\200\200\200\1\1\0\2\0\200\200\200\1\1"
                "\3\0\0\220\200\200\7\0\0\200\200\200\200\377\0\200\220\200\220\200\220\240\1\2\1"),
    /* a pose that is none, ids of no object, numbers beyond all range */
    SEED("bad", "\0\0\4\14\14\14\14\1\1\2\377\3\3\377\7\0\10\10\10\4\4\0\0\14\15\0\5\377\1\1\1"
                "\0\0\2\4\4\4\4\1\1\6"),
};

static size_t make_program(uint64_t *state, uint8_t *bytes)
{
    const size_t size = random_below(state, BYTES_MAX);
    for (size_t i = 0; i < size; i++) {
        /* mostly middling numbers, so that objects meet */
        const uint32_t any = random_below(state, 256);
        bytes[i] = (uint8_t)(random_below(state, 3) == 0 ? any : 96 + any / 4);
    }
    return size;
}

static void programs_by_hand(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        (void)LLVMFuzzerTestOneInput((const uint8_t *)seeds[i].bytes, seeds[i].size);
    }
}

static void programs_by_chance(void **unused)
{
    (void)unused;
    static uint8_t bytes[BYTES_MAX];
    uint64_t state = 71;
    for (uint32_t i = amount(PROGRAMS); i > 0; i--) {
        const size_t size = make_program(&state, bytes);
        (void)LLVMFuzzerTestOneInput(bytes, size);
    }
}

static int write_seed(const char *folder, const char *name, const void *bytes, size_t size)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "wb");
    if (out == NULL) {
        perror(path);
        return 1;
    }
    const bool whole = fwrite(bytes, 1, size, out) == size;
    return fclose(out) == 0 && whole ? 0 : 1;
}

static int write_seeds(const char *folder)
{
    static uint8_t bytes[BYTES_MAX];
    uint64_t state = 72;
    int status = 0;
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        status |= write_seed(folder, seeds[i].name, seeds[i].bytes, seeds[i].size);
    }
    for (int i = 0; i < WRITTEN; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "chance-%d", i);
        const size_t size = make_program(&state, bytes);
        status |= write_seed(folder, name, bytes, size);
    }
    return status;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_by_hand),
        cmocka_unit_test(programs_by_chance),
    };
    if (argc == 3 && strcmp(argv[1], "--write") == 0) {
        return write_seeds(argv[2]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
