/* Replays small models of formats that Assimp reads through the fuzz target of imports, as they
 * are and changed. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../tools/common/memory.h"
#include "../support/meshes.h"
#include "fuzz_import.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODELS "tests/fuzz/seeds-import"

/* Sanitizers make a child process take ten times as long. */
enum { MODEL_MAX = 1 << 15, MUTATIONS = KILN_HAVE_SHADOW_MEMORY ? 1 : 6, PATH_SIZE = 512 };

/* The number of the format that a name ends in. */
static uint8_t format_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    assert_non_null(dot);
    for (uint8_t i = 0; fuzz_import_formats[i] != NULL; i++) {
        if (strcmp(fuzz_import_formats[i], dot + 1) == 0) {
            return i;
        }
    }
    fail_msg("%s is of no format", name);
    return 0;
}

static size_t read_model(const char *name, uint8_t *bytes)
{
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/%s", MODELS, name);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    bytes[0] = format_of(name);
    const size_t size = 1 + fread(bytes + 1, 1, MODEL_MAX - 1, in);
    assert_int_equal(fclose(in), 0);
    assert_true(size > 1 && size < MODEL_MAX);
    return size;
}

/* From a buffer of exactly that size. */
static void run(const uint8_t *bytes, size_t size)
{
    uint8_t *exact = malloc(size);
    assert_non_null(exact);
    memcpy(exact, bytes, size);
    (void)LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

/* The format stays. */
static size_t mutate(uint8_t *bytes, size_t size, uint64_t *random)
{
    const uint32_t times = 1 + random_below(random, 4);
    for (uint32_t i = 0; i < times; i++) {
        const uint32_t at = 1 + random_below(random, (uint32_t)size - 1);
        switch (random_below(random, 5)) {
        case 0:
            size = at + 1;
            break;
        case 1:
            memmove(bytes + at, bytes + 1 + random_below(random, at), size - at);
            break;
        case 2:
            bytes[at] = (uint8_t) "0-9.<{\"\0\xFF"[random_below(random, 9)];
            break;
        default:
            bytes[at] ^= (uint8_t)(1u << random_below(random, 8));
            break;
        }
    }
    return size;
}

static int is_model(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void models_and_mutations_of_them(void **state)
{
    static uint8_t model[MODEL_MAX], changed[MODEL_MAX];
    const char *scale = getenv("KILN_PROPERTY_SCALE");
    const int mutations = MUTATIONS * (scale != NULL ? atoi(scale) : 1);
    struct dirent **entries;
    uint64_t random = 17;
    (void)state;
    const int count = scandir(MODELS, &entries, is_model, alphasort);
    assert_true(count >= 10);
    for (int i = 0; i < count; i++) {
        const size_t size = read_model(entries[i]->d_name, model);
        run(model, size);
        for (int k = 0; k < mutations; k++) {
            memcpy(changed, model, size);
            run(changed, mutate(changed, size, &random));
        }
        free(entries[i]);
    }
    free(entries);
    print_message("%d models, %d mutations of each\n", count, mutations);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_and_mutations_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
