/* Many threads start their first queries at once, on one mapping, with trees of both kinds; open
 * a file at once; decode a packed file together. The answers are those of one thread. Meant for
 * ThreadSanitizer, too.
 *
 * 16 threads ask 10,000 queries each at 1,000 poses on circles of radius 2.2 and 2.75 around a
 * torus: well within it, and hardly touching. Under KILN_TEST_QUICK and under ThreadSanitizer:
 * 1,000 each. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/amount.h"
#include "../support/edit.h"
#include "../support/quick_bake.h"

enum { THREADS = 16, POSES = 1000, KINDS = 2, OPENERS = 4 };

static kiln_pose poses[POSES];

static void make_poses(void)
{
    for (int i = 0; i < POSES; i++) {
        const double turn = 6.283185307179586 * i / POSES;
        const double radius = i % 2 == 0 ? 2.2 : 2.75;
        const double translation[3] = {radius * cos(turn), radius * sin(turn), 0};
        const double quaternion[4] = {0, 0, sin(turn), cos(turn)};
        assert_int_equal(kiln_pose_from_quaternion(quaternion, translation, &poses[i]), KILN_OK);
    }
}

static uint32_t query_count(void)
{
#if defined(__SANITIZE_THREAD__)
    return 1000;
#else
    return is_shortened() ? 1000 : 10000;
#endif
}

/* The file on disk, so that it is mapped. */
static char path[4096];

static size_t write_baked(kiln_layout layout)
{
    mesh m = mesh_torus(8, 6, 0);
    const char *place = getenv("TMPDIR");
    size_t size;
    void *bytes = quick_bake(&m, "obb,aabb", 4, layout, &size);
    (void)snprintf(path, sizeof path, "%s/kiln-threads.XXXXXX", place != NULL ? place : "/tmp");
    const int handle = mkstemp(path);
    assert_true(handle >= 0);
    assert_int_equal(write(handle, bytes, size), size);
    assert_int_equal(close(handle), 0);
    free(bytes);
    mesh_free(&m);
    return size;
}

typedef struct {
    const kiln_tree *trees[KINDS];
    uint32_t queries;
    uint32_t first; /* pose */
    atomic_uint *ready;
    uint8_t found[KINDS][POSES]; /* 1 no, 2 yes, 0 not asked */
    size_t pairs[KINDS];
    uint32_t differences;
} asker;

static void ask_one(asker *self, int kind, uint32_t pose)
{
    kiln_hit hit;
    const kiln_tree *tree = self->trees[kind];
    if (kiln_collide(tree, NULL, tree, &poses[pose], NULL, &hit) != KILN_OK) {
        self->differences++;
        return;
    }
    const uint8_t answer = hit.found ? 2 : 1;
    self->differences += self->found[kind][pose] != 0 && self->found[kind][pose] != answer;
    self->found[kind][pose] = answer;
}

static void *ask_all(void *context)
{
    asker *self = context;
    if (self->ready != NULL) { /* all at once */
        (void)atomic_fetch_sub(self->ready, 1);
        while (atomic_load(self->ready) != 0) {
        }
    }
    for (uint32_t i = 0; i < self->queries; i++) {
        ask_one(self, (int)(i % KINDS), (self->first + i / KINDS) % POSES);
    }
    for (int kind = 0; kind < KINDS; kind++) {
        const kiln_tree *tree = self->trees[kind];
        if (kiln_contacts(tree, NULL, tree, &poses[POSES / 3], NULL, NULL, 0, &self->pairs[kind]) !=
            KILN_OK) {
            self->differences++;
        }
    }
    return NULL;
}

static uint32_t compare(const asker *one, const asker *other)
{
    uint32_t compared = 0;
    assert_int_equal(other->differences, 0);
    for (int kind = 0; kind < KINDS; kind++) {
        assert_int_equal(one->pairs[kind], other->pairs[kind]);
        for (uint32_t pose = 0; pose < POSES; pose++) {
            if (other->found[kind][pose] != 0) {
                assert_int_equal(one->found[kind][pose], other->found[kind][pose]);
                compared++;
            }
        }
    }
    return compared;
}

static void answers_of_16_threads_are_those_of_one(void **state)
{
    (void)state;
    make_poses();
    (void)write_baked(KILN_LAYOUT_RAW);
    kiln_file *file;
    assert_int_equal(kiln_open(path, NULL, &file), KILN_OK);
    asker *askers = calloc(THREADS + 1, sizeof *askers);
    assert_non_null(askers);
    pthread_t threads[THREADS];
    atomic_uint ready = THREADS;
    for (uint32_t i = 0; i <= THREADS; i++) {
        askers[i].trees[0] = kiln_file_find(file, NULL, KILN_BV_OBB);
        askers[i].trees[1] = kiln_file_find(file, NULL, KILN_BV_AABB);
        askers[i].queries = query_count();
        askers[i].first = i * POSES / THREADS;
        askers[i].ready = &ready;
    }
    for (int i = 0; i < THREADS; i++) { /* their first queries are the program's first */
        assert_int_equal(pthread_create(&threads[i], NULL, ask_all, &askers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    asker *alone = &askers[THREADS];
    alone->queries = KINDS * POSES;
    alone->ready = NULL;
    (void)ask_all(alone);
    uint32_t compared = 0, hits = 0;
    for (int i = 0; i < THREADS; i++) {
        compared += compare(alone, &askers[i]);
    }
    for (int pose = 0; pose < POSES; pose++) {
        assert_int_equal(alone->found[0][pose], alone->found[1][pose]);
        hits += alone->found[0][pose] == 2;
    }
    print_message("%u queries by %d threads, %u answers compared, %u of %d poses hit\n",
                  THREADS * query_count(), THREADS, compared, hits, POSES);
    assert_in_range(hits, 1, POSES - 1);
    free(askers);
    kiln_close(file);
    assert_int_equal(unlink(path), 0);
}

static void *open_and_ask(void *context)
{
    uint32_t *pairs = context;
    for (int i = 0; i < 50; i++) {
        kiln_file *file;
        size_t count;
        if (kiln_open(path, NULL, &file) != KILN_OK) {
            *pairs = 0;
            return NULL;
        }
        const kiln_tree *tree = kiln_file_tree(file, (uint32_t)i % KINDS);
        (void)kiln_contacts(tree, NULL, tree, NULL, NULL, NULL, 0, &count);
        *pairs = (uint32_t)count;
        kiln_close(file);
    }
    return NULL;
}

static void files_open_in_4_threads_at_once(void **state)
{
    (void)state;
    for (int packed = 0; packed < 2; packed++) {
        (void)write_baked(packed != 0 ? KILN_LAYOUT_PACKED : KILN_LAYOUT_RAW);
        pthread_t threads[OPENERS];
        uint32_t pairs[OPENERS];
        for (int i = 0; i < OPENERS; i++) {
            assert_int_equal(pthread_create(&threads[i], NULL, open_and_ask, &pairs[i]), 0);
        }
        for (int i = 0; i < OPENERS; i++) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
            assert_int_equal(pairs[i], pairs[0]);
            assert_true(pairs[i] > 0);
        }
        assert_int_equal(unlink(path), 0);
    }
}

/* ------------------------------------------------------------------- decoding in parallel -- */

typedef struct {
    void (*task)(void *context, uint32_t index);
    void *context;
    uint32_t count;
    atomic_uint next;
} thread_pool;

static void *work(void *context)
{
    thread_pool *c = context;
    for (uint32_t i = atomic_fetch_add(&c->next, 1); i < c->count;
         i = atomic_fetch_add(&c->next, 1)) {
        c->task(c->context, i);
    }
    return NULL;
}

static void run_in_threads(void *user, void (*task)(void *context, uint32_t index), void *context,
                           uint32_t count)
{
    uint32_t *tasks = user;
    pthread_t threads[OPENERS];
    thread_pool c = {task, context, count, 0};
    *tasks += count;
    for (int i = 0; i < OPENERS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, work, &c), 0);
    }
    for (int i = 0; i < OPENERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
}

static void packed_files_decode_in_threads(void **state)
{
    (void)state;
    mesh m = mesh_torus(150, 100, 0.2);
    size_t size;
    uint32_t tasks = 0;
    void *bytes = quick_bake(&m, "obb,aabb", 4, KILN_LAYOUT_PACKED, &size);
    kiln_open_options options = kiln_open_options_default();
    kiln_file *alone, *together;
    assert_int_equal(kiln_open_memory(bytes, size, &options, &alone), KILN_OK);
    options.parallel = run_in_threads;
    options.parallel_user = &tasks;
    assert_int_equal(kiln_open_memory(bytes, size, &options, &together), KILN_OK);
    assert_true(tasks > 10);
    make_poses();
    for (uint32_t i = 0; i < KINDS; i++) {
        for (int pose = 0; pose < POSES; pose += 100) {
            const kiln_tree *a = kiln_file_tree(alone, i), *b = kiln_file_tree(together, i);
            size_t count_a, count_b;
            assert_int_equal(kiln_contacts(a, NULL, a, &poses[pose], NULL, NULL, 0, &count_a),
                             KILN_OK);
            assert_int_equal(kiln_contacts(b, NULL, b, &poses[pose], NULL, NULL, 0, &count_b),
                             KILN_OK);
            assert_int_equal(count_a, count_b);
        }
    }
    kiln_close(alone);
    kiln_close(together);
    /* A block that does not decode is told also when another thread met it. */
    const uint32_t index = edit_index(bytes, KILN_SECTION_NODES_AABB8);
    const kiln_format_section entry = edit_get_entry(bytes, index);
    const uint64_t blocks = (entry.raw_size + 131039) / 131040;
    ((uint8_t *)bytes)[entry.offset + blocks * sizeof(kiln_format_block)] |= 6; /* no such sort */
    options.flags = KILN_OPEN_TRUSTED;
    assert_int_equal(kiln_open_memory(bytes, size, &options, &together), KILN_ERROR_INFLATE);
    assert_null(together);
    free(bytes);
    mesh_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_of_16_threads_are_those_of_one),
        cmocka_unit_test(files_open_in_4_threads_at_once),
        cmocka_unit_test(packed_files_decode_in_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
