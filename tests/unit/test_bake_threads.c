/* Many bakes at once in one process, sharing threads, a cache and an output: each makes the
 * bytes that it makes alone. One that is cancelled says so. Also run under ThreadSanitizer. */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>

#include "../../tools/common/parallel.h"
#include "../../tools/kiln_bake.h"
#include "../support/scratch.h"

enum { MODELS = 6, THREADS = 3 };

static char folder[SCRATCH_SIZE];
static char cache[SCRATCH_PATH_SIZE];
static void *alone[MODELS];
static size_t alone_size[MODELS];

static atomic_uint places = 2, most_given; /* lent to loops */

static unsigned take(void *user, unsigned most)
{
    unsigned have = atomic_load(&places), taken;
    (void)user;
    do {
        taken = have < most ? have : most;
    } while (!atomic_compare_exchange_weak(&places, &have, have - taken));
    if (taken > atomic_load(&most_given)) {
        atomic_store(&most_given, taken);
    }
    return taken;
}

static void give(void *user, unsigned count)
{
    (void)user;
    atomic_fetch_add(&places, count);
}

static const kiln_helpers helpers = {take, give, NULL};

/* A wavy sheet, larger for later models. */
static void write_model(int index)
{
    char path[SCRATCH_PATH_SIZE];
    const int side = 20 + 12 * index;
    snprintf(path, sizeof path, "%s/m%d.obj", folder, index);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "mtllib none.mtl\n");
    for (int y = 0; y < side; y++) {
        for (int x = 0; x < side; x++) {
            fprintf(file, "v %d %d %d\n", x, y, (x * x + 3 * y * index) % 7);
        }
    }
    for (int y = 0; y + 1 < side; y++) {
        for (int x = 0; x + 1 < side; x++) {
            const int at = y * side + x + 1;
            fprintf(file, "f %d %d %d\nf %d %d %d\n", at, at + 1, at + side, at + 1, at + side + 1,
                    at + side);
        }
    }
    assert_int_equal(fclose(file), 0);
}

static kiln_bake_status bake(int index, bool share, void **data, size_t *size)
{
    char path[SCRATCH_PATH_SIZE];
    snprintf(path, sizeof path, "%s/m%d.obj", folder, index);
    const kiln_bake_input input = {path, NULL, 0, NULL};
    kiln_bake_options options = kiln_bake_options_default();
    options.bv = "obb,aabb";
    options.threads = share ? 3 : 1;
    options.cache = share ? cache : NULL;
    return kiln_bake_to_memory(&input, &options, data, size, NULL);
}

static atomic_int wrong;

static void *work(void *argument)
{
    const int first = *(const int *)argument;
    kiln_parallel_share(&helpers);
    for (int i = 0; i < 2 * MODELS; i++) {
        const int model = (first + i) % MODELS;
        void *data = NULL;
        size_t size = 0;
        if (bake(model, true, &data, &size) != KILN_BAKE_OK || size != alone_size[model] ||
            memcmp(data, alone[model], size) != 0) {
            atomic_fetch_add(&wrong, 1);
        }
        free(data);
    }
    kiln_parallel_share(NULL);
    return NULL;
}

typedef struct {
    void *data;
    size_t size;
} file;

static pthread_barrier_t begin;

static void *bake_first(void *argument)
{
    file *made = argument;
    (void)pthread_barrier_wait(&begin);
    (void)bake(0, false, &made->data, &made->size);
    return NULL;
}

/* Runs before any other bake: what a process finds out once, such as the versions in the build
 * key, is found out by several threads. */
static void the_first_bakes_of_a_process(void **state)
{
    pthread_t threads[THREADS];
    file made[THREADS] = {{NULL, 0}};
    (void)state;
    write_model(0);
    assert_int_equal(pthread_barrier_init(&begin, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, bake_first, &made[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    pthread_barrier_destroy(&begin);
    for (int i = 0; i < THREADS; i++) {
        assert_non_null(made[i].data);
        assert_int_equal(made[i].size, made[0].size);
        assert_memory_equal(made[i].data, made[0].data, made[0].size);
    }
    for (int i = 0; i < THREADS; i++) {
        free(made[i].data);
    }
}

static void the_same_bytes_as_alone(void **state)
{
    pthread_t threads[THREADS];
    int first[THREADS];
    (void)state;
    for (int i = 0; i < MODELS; i++) {
        write_model(i);
        assert_int_equal(bake(i, false, &alone[i], &alone_size[i]), KILN_BAKE_OK);
    }
    for (int i = 0; i < THREADS; i++) {
        first[i] = 2 * i;
        assert_int_equal(pthread_create(&threads[i], NULL, work, &first[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(atomic_load(&wrong), 0);
    assert_int_equal(atomic_load(&places), 2);
    assert_in_range(atomic_load(&most_given), 1, 2);
    for (int i = 0; i < MODELS; i++) {
        free(alone[i]);
    }
}

static bool cancel_at(void *user, const char *stage, double part)
{
    const char *from = user;
    (void)part;
    return strncmp(stage, from, strlen(from)) != 0;
}

/* Whatever stage it is in, within a limit of memory or without, of one tree or of one for each
 * mesh. */
static void a_cancelled_bake_says_so(void **state)
{
    static const char *const stages[] = {"import", "build", "count", "write"};
    char path[SCRATCH_PATH_SIZE], wanted[SCRATCH_PATH_SIZE + 64];
    (void)state;
    snprintf(path, sizeof path, "%s/m0.obj", folder);
    snprintf(wanted, sizeof wanted, "%s: cancelled; nothing was written", path);
    for (size_t i = 0; i < 4 * sizeof stages / sizeof stages[0]; i++) {
        const kiln_bake_input input = {path, NULL, 0, NULL};
        kiln_bake_options options = kiln_bake_options_default();
        kiln_bake_report report;
        void *data = NULL;
        size_t size = 0;
        options.adb = 4;
        options.max_memory = i % 2 == 0 ? 0 : (uint64_t)1 << 30;
        options.split = i % 4 < 2 ? KILN_SPLIT_NONE : KILN_SPLIT_MESH;
        options.progress = cancel_at;
        options.progress_user = (void *)(uintptr_t)stages[i / 4];
        assert_int_equal(kiln_bake_to_memory(&input, &options, &data, &size, &report),
                         KILN_BAKE_FAILED);
        assert_null(data);
        assert_string_equal(report.error, wanted);
        kiln_bake_report_free(&report);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_bakes_of_a_process),
        cmocka_unit_test(the_same_bytes_as_alone),
        cmocka_unit_test(a_cancelled_bake_says_so),
    };
    if (!scratch_make(folder, "threads")) {
        return 1;
    }
    snprintf(cache, sizeof cache, "%s/cache", folder);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return !scratch_remove(folder) || failed != 0;
}
