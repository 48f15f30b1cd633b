/* Cases of the field about baked files: cut short, of another version, at odd addresses, shared by
 * threads, equal whatever the number of threads that baked them. */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>
#include <zlib.h>

#include "../../formats/format.h"
#include "case_model.h"
#include "../support/amount.h"

static case_model bake_layout(const char *name, kiln_layout layout)
{
    kiln_bake_options options = case_options();
    options.layout = layout;
    return case_bake(name, &options);
}

/* Every length up to 4 KiB, then every 97th, in a buffer of that size, so that sanitizers see a
 * read behind it. */
static void cut(const case_model *model)
{
    for (size_t size = 0; size < model->size; size += size < 4096 ? 1 : 97) {
        kiln_file *file = (kiln_file *)1;
        void *copy = malloc(size + (size == 0));
        assert_non_null(copy);
        memcpy(copy, model->bytes, size);
        const kiln_status status = kiln_open_memory(copy, size, NULL, &file);
        assert_int_equal(status, KILN_ERROR_TRUNCATED);
        assert_null(file);
        free(copy);
    }
}

/* A file cut anywhere is not complete, and what is no file has errors of its own. */
static void test_c047_cut_short(void **state)
{
    (void)state;
    for (int layout = 0; layout < 2; layout++) {
        case_model model = bake_layout("C065_grid.obj", (kiln_layout)layout);
        cut(&model);
        case_free(&model);
    }
    char path[CASE_PATH_SIZE];
    kiln_file *file = (kiln_file *)1;
    assert_int_equal(kiln_open("models", NULL, &file), KILN_ERROR_NOT_A_FILE);
    assert_null(file);
    assert_int_equal(kiln_open("models/absent", NULL, &file), KILN_ERROR_NOT_FOUND);
    assert_int_equal(mkfifo(case_temporary("fifo", path), 0600), 0);
    assert_int_equal(kiln_open(path, NULL, &file), KILN_ERROR_NOT_A_FILE);
    assert_int_equal(remove(path), 0);
}

static kiln_status open_as_version(const case_model *model, unsigned major, unsigned minor,
                                   char *text)
{
    uint8_t *copy = malloc(model->size);
    kiln_file *file = NULL;
    kiln_error error;
    kiln_open_options options = kiln_open_options_default();
    kiln_format_header header;
    assert_non_null(copy);
    memcpy(copy, model->bytes, model->size);
    memcpy(&header, copy, sizeof header);
    header.version_major = (uint16_t)major;
    header.version_minor = (uint16_t)minor;
    header.header_crc = 0;
    memcpy(copy, &header, sizeof header);
    const size_t checked = sizeof header + (size_t)header.section_count * header.section_entry_size;
    header.header_crc = (uint32_t)crc32(0, copy, (uInt)checked);
    memcpy(copy, &header, sizeof header);
    options.error = &error;
    const kiln_status status = kiln_open_memory(copy, model->size, &options, &file);
    (void)snprintf(text, sizeof error.message, "%s", status != KILN_OK ? error.message : "");
    kiln_close(file);
    free(copy);
    return status;
}

/* Another major version is an error of its own that names both; another minor one is none. */
static void test_c049_versions(void **state)
{
    (void)state;
    case_model model = case_bake("C065_grid.obj", NULL);
    char text[192];
    const unsigned own[2] = {KILN_FORMAT_MAJOR, KILN_FORMAT_MINOR};
    const unsigned others[][2] = {
        {0, 2}, {own[0] + 1, own[1]}, {own[0] + 1, 0xFFFF}, {0xFFFF, 0xFFFF}};
    assert_int_equal(open_as_version(&model, own[0], own[1], text), KILN_OK);
    assert_int_equal(open_as_version(&model, own[0], own[1] + 1, text), KILN_OK);
    assert_int_equal(open_as_version(&model, own[0], 0xFFFF, text), KILN_OK);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        char version[32];
        assert_int_equal(open_as_version(&model, others[i][0], others[i][1], text),
                         KILN_ERROR_VERSION);
        (void)snprintf(version, sizeof version, "%u.%u", others[i][0], others[i][1]);
        assert_non_null(strstr(text, version));
        (void)snprintf(version, sizeof version, "this reads %u.x", own[0]);
        assert_non_null(strstr(text, version));
    }
    case_free(&model);
}

static void expect_at_offset(const case_model *model, const case_model *probe, size_t offset)
{
    uint8_t *page = aligned_alloc(4096, (model->size + offset + 4095) / 4096 * 4096);
    case_model moved;
    memset(&moved, 0, sizeof moved);
    assert_non_null(page);
    memcpy(page + offset, model->bytes, model->size);
    assert_int_equal(kiln_open_memory(page + offset, model->size, NULL, &moved.file), KILN_OK);
    case_find_trees(&moved);
    for (int i = 0; i < 8; i++) {
        const kiln_pose at = case_at(i, 7 - i, 0), beside = case_at(i, 7 - i, 1.125);
        case_expect(&moved, NULL, probe, &at, true, 1);
        case_expect(&moved, NULL, probe, &beside, false, 0);
    }
    kiln_close(moved.file);
    free(page);
}

/* Data may start anywhere. */
static void test_c051_odd_addresses(void **state)
{
    (void)state;
    const size_t offsets[] = {0, 1, 2, 3, 4, 8, 12, 32, 63, 64};
    case_model probe = case_bake("C065_probe.obj", NULL);
    for (int layout = 0; layout < 2; layout++) {
        case_model model = bake_layout("C065_grid.obj", (kiln_layout)layout);
        for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
            expect_at_offset(&model, &probe, offsets[i]);
        }
        case_free(&model);
    }
    case_free(&probe);
}

enum { POSES = 1000, THREADS = 16 };

typedef struct {
    const case_model *torus;
    kiln_pose poses[POSES];
    bool answers[POSES];
    pthread_barrier_t together;
    int queries;
} shared;

typedef struct {
    shared *all;
    int number;
    long differences;
} worker;

static void *ask_many(void *context)
{
    worker *own = context;
    shared *all = own->all;
    (void)pthread_barrier_wait(&all->together);
    for (int i = 0; i < all->queries; i++) {
        const int pose = (i + 61 * own->number) % POSES;
        const kiln_tree *a = all->torus->trees[i % CASE_KINDS],
                        *b = all->torus->trees[i / CASE_KINDS % CASE_KINDS];
        kiln_hit hit = {false, {0, 0, 0, 0}, {0, 0}};
        own->differences += kiln_collide(a, NULL, b, &all->poses[pose], NULL, &hit) != KILN_OK;
        own->differences += hit.found != all->answers[pose];
    }
    return NULL;
}

static int circle(shared *all)
{
    int hits = 0;
    for (int i = 0; i < POSES; i++) {
        const double turn = 6.283185307179586 * i / POSES;
        kiln_hit hit;
        all->poses[i] = case_at(2.2 * cos(turn), 2.2 * sin(turn), 0);
        assert_int_equal(kiln_collide(all->torus->trees[0], NULL, all->torus->trees[0],
                                      &all->poses[i], NULL, &hit),
                         KILN_OK);
        all->answers[i] = hit.found;
        hits += hit.found;
    }
    return hits;
}

/* Threads that all start their first query at once on one mapping get the answers of one thread. */
static void test_c053_threads(void **state)
{
    (void)state;
    static shared all;
    pthread_t threads[THREADS];
    worker workers[THREADS];
    case_model torus = case_bake("C037_torus.obj", NULL);
    all.torus = &torus;
    all.queries = is_shortened() ? 1000 : 10000;
    const int hits = circle(&all);
    print_message("%d hits in %d poses\n", hits, POSES);
    assert_int_equal(pthread_barrier_init(&all.together, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){&all, i, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, ask_many, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(workers[i].differences, 0);
    }
    assert_int_equal(pthread_barrier_destroy(&all.together), 0);
    case_free(&torus);
}

static void expect_same_bytes(const char *path)
{
    const int threads[] = {1, 2, 3, 8};
    kiln_bake_options options = case_options();
    options.threads = 1;
    case_model first = case_bake_path(path, &options);
    for (int repeat = 0; repeat < (is_shortened() || is_third() ? 1 : 2); repeat++) {
        for (int i = 0; i < 4; i++) {
            options.threads = threads[i];
            case_model again = case_bake_path(path, &options);
            assert_int_equal(again.size, first.size);
            assert_memory_equal(again.bytes, first.bytes, first.size);
            case_free(&again);
        }
    }
    case_free(&first);
}

/* Bytes do not depend on the number of threads, nor on which of them comes first. */
static void test_c059_thread_counts(void **state)
{
    (void)state;
    char grid[CASE_PATH_SIZE], centroid[CASE_PATH_SIZE];
    case_make_big(is_shortened() ? 2000 : 20000);
    expect_same_bytes(case_path("C065_grid.obj", grid));
    expect_same_bytes(case_temporary("big/C029_same_centroid.obj", centroid));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_c047_cut_short),     cmocka_unit_test(test_c049_versions),
        cmocka_unit_test(test_c051_odd_addresses), cmocka_unit_test(test_c053_threads),
        cmocka_unit_test(test_c059_thread_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
