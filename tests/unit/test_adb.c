/* Time-critical queries as a caller sees them: options at their ends, budgets, room, hints, and
 * what an answer promises. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../formats/adb.h"
#include "../../runtime/adb/adb_query.h"
#include "../support/ask_adb.h"
#include "../support/counted.h"
#include "../support/rounding.h"

enum { ROOM = 512, POSES = 40 };

static uint64_t memory[4096];

static kiln_adb *query_of(uint32_t capacity)
{
    kiln_adb *query = NULL;
    assert_true(kiln_adb_size(capacity) <= sizeof memory);
    assert_int_equal(kiln_adb_place(memory, kiln_adb_size(capacity), &query), KILN_OK);
    return query;
}

static bool same_answer(const kiln_adb_answer *p, const kiln_adb_answer *q)
{
    return p->verdict == q->verdict && p->probability == q->probability && p->pairs == q->pairs &&
           p->flags == q->flags && p->waiting == q->waiting;
}

static kiln_pose moved(double x, double y, double z)
{
    kiln_pose pose = kiln_pose_identity();
    pose.translation[0] = x;
    pose.translation[1] = y;
    pose.translation[2] = z;
    return pose;
}

static mesh one_triangle(void)
{
    static const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    mesh m = {malloc(sizeof corners), malloc(3 * sizeof(uint32_t)), 3, 1};
    assert_non_null(m.positions);
    assert_non_null(m.indices);
    memcpy(m.positions, corners, sizeof corners);
    for (uint32_t i = 0; i < 3; i++) {
        m.indices[i] = i;
    }
    return m;
}

/* A square of 2 n^2 triangles in the plane z = 0. */
static mesh sheet(uint32_t n)
{
    mesh m = {malloc(3 * sizeof(float) * (n + 1) * (n + 1)),
              malloc(3 * sizeof(uint32_t) * 2 * n * n), (n + 1) * (n + 1), 2 * n * n};
    assert_non_null(m.positions);
    assert_non_null(m.indices);
    for (uint32_t i = 0; i < m.vertex_count; i++) {
        m.positions[3 * i] = (float)(i % (n + 1)) / (float)n - 0.5f;
        m.positions[3 * i + 1] = (float)(i / (n + 1)) / (float)n - 0.5f;
        m.positions[3 * i + 2] = 0;
    }
    for (uint32_t i = 0; i < n * n; i++) {
        const uint32_t at = i / n * (n + 1) + i % n;
        const uint32_t corners[6] = {at, at + 1, at + n + 2, at, at + n + 2, at + n + 1};
        memcpy(m.indices + 6 * i, corners, sizeof corners);
    }
    return m;
}

/* ------------------------------------------------------------------------------ the contract -- */

static void memory_is_measured(void **state)
{
    (void)state;
    kiln_adb *query;
    assert_int_equal(kiln_adb_size(0), 0);
    assert_int_equal(kiln_adb_size((1u << 24) + 1), 0);
    assert_true(kiln_adb_size(1) > 0 && kiln_adb_size(1) <= 2048);
    assert_int_equal(kiln_adb_size(1001) - kiln_adb_size(1), 16000);
    assert_int_equal(kiln_adb_place(NULL, 100000, &query), KILN_ERROR_ARGUMENT);
    assert_null(query);
    assert_int_equal(kiln_adb_place(memory, 100, &query), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_adb_place(memory, sizeof memory, NULL), KILN_ERROR_ARGUMENT);
    for (size_t shift = 0; shift < 16; shift++) {
        assert_int_equal(kiln_adb_place((uint8_t *)memory + shift, kiln_adb_size(7), &query),
                         KILN_OK);
        assert_true(query->frontier.capacity >= 7 && query->frontier.capacity <= 8);
    }
}

static void nothing_is_asked_before_begin(void **state)
{
    (void)state;
    kiln_adb *query = query_of(4);
    kiln_adb_answer answer = {.pairs = 77};
    kiln_adb_hint hint;
    uint32_t count = 77;
    assert_int_equal(kiln_adb_run(query, 1, UINT64_MAX), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_adb_run(NULL, 1, UINT64_MAX), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_adb_get_answer(query, &answer), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_adb_get_hints(query, &hint, 1, &count), KILN_ERROR_ARGUMENT);
    assert_true(answer.pairs == 77 && count == 77);
}

/* The struct is floats, all of them weights. */
static void every_weight_must_be_a_number(void **state)
{
    (void)state;
    counted box = counted_of(mesh_box(-1, -1, -1, 1, 1, 1), "obb", 4);
    kiln_adb *query = query_of(16);
    float numbers[sizeof(kiln_adb_weights) / sizeof(float)];
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        static const float bad[] = {NAN, INFINITY, -INFINITY, 2e6f};
        for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
            kiln_adb_weights weights = kiln_adb_get_weights(box.tree, box.tree);
            kiln_adb_options options = kiln_adb_options_of(KILN_ADB_DEFAULT);
            options.weights = &weights;
            assert_int_equal(kiln_adb_begin(query, box.tree, NULL, box.tree, NULL, &options),
                             KILN_OK);
            memcpy(numbers, &weights, sizeof numbers);
            numbers[i] = bad[k];
            memcpy(&weights, numbers, sizeof numbers);
            assert_int_equal(kiln_adb_begin(query, box.tree, NULL, box.tree, NULL, &options),
                             KILN_ERROR_ARGUMENT);
        }
    }
    counted_free(&box);
}

/* The pair that met last makes the answer certain before any pair of boxes is looked at; of a mesh
 * without polygons it says nothing. */
static void hints_are_tested_first(void **state)
{
    (void)state;
    counted box = counted_of(mesh_torus(20, 12, 0), "obb", 4);
    const kiln_pose near = moved(1, 0, 0.2);
    kiln_hit hit;
    kiln_adb_answer answer;
    assert_int_equal(kiln_collide(box.tree, NULL, box.tree, &near, NULL, &hit), KILN_OK);
    assert_true(hit.found);
    kiln_adb_options options = kiln_adb_options_of(KILN_ADB_DEFAULT);
    options.hint = hit.hint;
    assert_int_equal(kiln_adb_collide(box.tree, NULL, box.tree, &near, &options, UINT64_MAX,
                                      UINT64_MAX, &answer),
                     KILN_OK);
    assert_true(answer.verdict == KILN_ADB_YES && (answer.flags & KILN_ADB_EXACT) != 0);
    assert_true(answer.pairs == 0 && answer.probability == 1);
    assert_true(answer.pair.a == hit.pair.a && answer.pair.b == hit.pair.b);
    const kiln_pose away = moved(7, 0, 0);
    assert_int_equal(kiln_adb_collide(box.tree, NULL, box.tree, &away, &options, UINT64_MAX,
                                      UINT64_MAX, &answer),
                     KILN_OK);
    assert_int_equal(answer.verdict, KILN_ADB_NO);
    counted_free(&box);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    counted box = counted_of(mesh_box(-1, -1, -1, 1, 1, 1), "obb", 4);
    counted bare = counted_bake(mesh_box(-1, -1, -1, 1, 1, 1), "obb", 4, 0, KILN_ADB_OCTANTS, true);
    kiln_adb *query = query_of(16);
    static const double bad[] = {-0.1, 1.1, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        kiln_adb_options options = kiln_adb_options_of(KILN_ADB_DEFAULT);
        options.p_min = bad[i];
        assert_int_equal(kiln_adb_begin(query, box.tree, NULL, box.tree, NULL, &options),
                         KILN_ERROR_ARGUMENT);
        options = kiln_adb_options_of(KILN_ADB_DEFAULT);
        options.epsilon = bad[i];
        assert_int_equal(kiln_adb_begin(query, box.tree, NULL, box.tree, NULL, &options),
                         KILN_ERROR_ARGUMENT);
        kiln_adb_weights weights = kiln_adb_get_weights(box.tree, box.tree);
        weights.others = (float)bad[i];
        options = kiln_adb_options_of(KILN_ADB_DEFAULT);
        options.weights = &weights;
        assert_int_equal(kiln_adb_begin(query, box.tree, NULL, box.tree, NULL, &options),
                         KILN_ERROR_ARGUMENT);
        weights = kiln_adb_get_weights(box.tree, box.tree);
        weights.sure = bad[i] > 0 ? (float)NAN : -1.0f;
        assert_int_equal(kiln_adb_begin(query, box.tree, NULL, box.tree, NULL, &options),
                         KILN_ERROR_ARGUMENT);
    }
    kiln_adb_options options = kiln_adb_options_of(KILN_ADB_DEFAULT);
    options.k_min = 0;
    assert_int_equal(kiln_adb_begin(query, box.tree, NULL, box.tree, NULL, &options),
                     KILN_ERROR_ARGUMENT);
    options = kiln_adb_options_of(KILN_ADB_DEFAULT);
    options.evaluator = (kiln_adb_evaluator)3;
    assert_int_equal(kiln_adb_begin(query, box.tree, NULL, box.tree, NULL, &options),
                     KILN_ERROR_ARGUMENT);
    kiln_pose pose = kiln_pose_identity();
    pose.rotation[0] = 2;
    assert_int_equal(kiln_adb_begin(query, box.tree, &pose, box.tree, NULL, NULL), KILN_ERROR_POSE);
    assert_int_equal(kiln_adb_begin(query, NULL, NULL, box.tree, NULL, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_adb_begin(NULL, box.tree, NULL, box.tree, NULL, NULL),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_adb_begin(query, box.tree, NULL, bare.tree, NULL, NULL),
                     KILN_ERROR_NOT_LOADED);
    assert_int_equal(kiln_adb_begin(query, bare.tree, NULL, box.tree, NULL, NULL),
                     KILN_ERROR_NOT_LOADED);
    kiln_adb_answer answer = {.pairs = 77};
    assert_int_equal(kiln_adb_get_answer(query, &answer), KILN_ERROR_ARGUMENT);
    assert_int_equal(
        kiln_adb_collide(box.tree, NULL, bare.tree, NULL, NULL, 1, UINT64_MAX, &answer),
        KILN_ERROR_NOT_LOADED);
    assert_int_equal(kiln_adb_collide(box.tree, NULL, box.tree, NULL, NULL, 1, UINT64_MAX, NULL),
                     KILN_ERROR_ARGUMENT);
    assert_true(answer.pairs == 77);
    counted_free(&bare);
    counted_free(&box);
}

/* Trees without polygons answer as those with them, and hybrid is refused. */
static void polygons_are_not_needed(void **state)
{
    (void)state;
    counted full = counted_of(mesh_torus(24, 12, 0.1), "obb", 4);
    counted bare = counted_bake(mesh_torus(24, 12, 0.1), "obb", 4, 4, KILN_ADB_OCTANTS, false);
    kiln_adb *query = query_of(ROOM);
    uint64_t random = 3;
    for (int i = 0; i < POSES; i++) {
        const kiln_pose pose = pose_random(&random, 1);
        const kiln_adb_answer p = ask_adb(query, full.tree, NULL, full.tree, &pose, NULL, 100);
        const kiln_adb_answer q = ask_adb(query, bare.tree, NULL, bare.tree, &pose, NULL, 100);
        assert_true(same_answer(&p, &q));
    }
    const kiln_adb_options careful = kiln_adb_options_of(KILN_ADB_CAREFUL);
    assert_int_equal(kiln_adb_begin(query, bare.tree, NULL, full.tree, NULL, &careful),
                     KILN_ERROR_NOT_LOADED);
    counted_free(&bare);
    counted_free(&full);
}

/* A ring in a room whose walls share leaves: the leaves' boxes hold the ring, wherever the walls
 * are. Polygons decide; trees that have none say that they guess. */
static void what_counts_do_not_know_is_tested_or_said(void **state)
{
    (void)state;
    static const char *const kinds[] = {QUICK_KIND_NAMES};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        counted room = counted_of(mesh_box(-2, -1, -0.5f, 2, 1, 0.5f), kinds[k], 4);
        counted ring = counted_of(mesh_torus(40, 20, 0), kinds[k], 4);
        counted bare = counted_bake(mesh_box(-2, -1, -0.5f, 2, 1, 0.5f), kinds[k], 4, 4,
                                    KILN_ADB_OCTANTS, false);
        kiln_adb *query = query_of(ROOM);
        uint64_t random = 31;
        uint32_t guessed = 0, waiting = 0, wrong = 0;
        for (int i = 0; i < POSES; i++) {
            kiln_pose pose = pose_random(&random, 1);
            pose.scale = 0.05;
            kiln_hit hit;
            assert_int_equal(kiln_collide(room.tree, NULL, ring.tree, &pose, NULL, &hit), KILN_OK);
            kiln_adb_answer answer =
                ask_adb(query, room.tree, NULL, ring.tree, &pose, NULL, UINT64_MAX);
            wrong += (answer.probability > 0.5) != hit.found;
            assert_true((answer.flags & KILN_ADB_UNFOUNDED) == 0);
            assert_true(hit.found || answer.pairs == 0 || (answer.flags & KILN_ADB_EXACT) != 0);
            answer = ask_adb(query, bare.tree, NULL, ring.tree, &pose, NULL, UINT64_MAX);
            guessed += (answer.flags & KILN_ADB_UNFOUNDED) != 0;
            assert_true((answer.flags & (KILN_ADB_UNFOUNDED | KILN_ADB_EXACT)) != 0);
            answer = ask_adb(query, bare.tree, NULL, bare.tree, &pose, NULL, 0);
            assert_true((answer.flags & KILN_ADB_UNFOUNDED) == 0); /* nothing was weighed yet */
            waiting += answer.waiting;
        }
        assert_int_equal(wrong, 0);
        assert_true(guessed > POSES / 4 && waiting > 0);
        counted_free(&bare);
        counted_free(&ring);
        counted_free(&room);
    }
}

/* ----------------------------------------------------------------------------- options' ends -- */

static void options_at_their_ends(void **state)
{
    (void)state;
    counted torus = counted_of(mesh_torus(24, 12, 0.1), "obb", 4);
    kiln_adb *query = query_of(ROOM);
    const kiln_pose near = moved(0.5, 0.2, 0.1), away = moved(9, 0, 0);
    kiln_adb_options options = kiln_adb_options_of(KILN_ADB_DEFAULT);
    options.p_min = 0; /* any two boxes that overlap */
    kiln_adb_answer answer = ask_adb(query, torus.tree, NULL, torus.tree, &near, &options, 100);
    assert_int_equal(answer.verdict, KILN_ADB_YES);
    assert_int_equal(answer.pairs, 0); /* the roots do */
    options.k_min = 2;
    answer = ask_adb(query, torus.tree, NULL, torus.tree, &near, &options, 100);
    assert_int_equal(answer.verdict, KILN_ADB_YES);
    assert_int_equal(answer.pairs, 1);
    options.k_min = 1;
    answer = ask_adb(query, torus.tree, NULL, torus.tree, &away, &options, 100);
    assert_int_equal(answer.verdict, KILN_ADB_NO);
    assert_true(answer.probability == 0 && answer.pairs == 0 && answer.flags == KILN_ADB_EXACT);
    options.p_min = 1; /* nothing counts, but leaves are decided */
    options.epsilon = 0;
    answer = ask_adb(query, torus.tree, NULL, torus.tree, &near, &options, UINT64_MAX);
    assert_int_equal(answer.verdict, KILN_ADB_YES);
    assert_true(answer.pairs > 2);
    options.epsilon = 1; /* nothing is opened but the roots */
    answer = ask_adb(query, torus.tree, NULL, torus.tree, &near, &options, UINT64_MAX);
    assert_int_equal(answer.verdict, KILN_ADB_NO);
    assert_true(answer.pairs == 1 && answer.probability > 0.5);
    options = kiln_adb_options_of(KILN_ADB_DEFAULT);
    options.k_min = UINT32_MAX;
    answer = ask_adb(query, torus.tree, NULL, torus.tree, &near, &options, 50);
    assert_true(answer.verdict != KILN_ADB_NO || answer.pairs < 50);
    counted_free(&torus);
}

static void budgets_are_kept(void **state)
{
    (void)state;
    counted torus = counted_of(mesh_torus(24, 12, 0.1), "obb", 4);
    kiln_adb *query = query_of(ROOM);
    kiln_adb_options options = kiln_adb_options_of(KILN_ADB_CAREFUL);
    options.p_min = 1;
    uint64_t random = 4;
    uint32_t undecided = 0;
    for (int i = 0; i < POSES; i++) {
        const kiln_pose pose = pose_random(&random, 0.8);
        for (uint64_t budget = 0; budget < 6; budget++) {
            const kiln_adb_answer answer =
                ask_adb(query, torus.tree, NULL, torus.tree, &pose, &options, budget);
            assert_true(answer.pairs <= budget);
            if (answer.verdict == KILN_ADB_UNDECIDED) {
                assert_int_equal(answer.pairs, budget);
                assert_true(answer.probability > 0 && answer.probability < 1);
                undecided++;
            }
        }
    }
    assert_true(undecided > POSES);
    counted_free(&torus);
}

/* A clock that a test moves by 10 at each reading. */
static uint64_t tick(void *user)
{
    uint64_t *now = user;
    return *now += 10;
}

static void clocks_end_a_run(void **state)
{
    (void)state;
    counted torus = counted_of(mesh_torus(24, 12, 0.1), "obb", 4);
    kiln_adb *query = query_of(ROOM);
    uint64_t now = 5;
    kiln_adb_options options = kiln_adb_options_of(KILN_ADB_DEFAULT);
    options.p_min = 1;
    options.epsilon = 0;
    options.clock = tick;
    options.clock_user = &now;
    const kiln_pose pose = moved(0.2, 1.7, 0.1);
    kiln_adb_answer answer;
    assert_int_equal(kiln_adb_begin(query, torus.tree, NULL, torus.tree, &pose, &options), KILN_OK);
    assert_int_equal(now, 5);
    assert_int_equal(kiln_adb_run(query, 100, 0), KILN_OK);
    assert_int_equal(kiln_adb_get_answer(query, &answer), KILN_OK);
    assert_int_equal(answer.pairs, 0);
    now = 5;
    assert_int_equal(kiln_adb_run(query, 100, 25), KILN_OK); /* read at 15, 25, 35, 45 */
    assert_int_equal(kiln_adb_get_answer(query, &answer), KILN_OK);
    assert_int_equal(answer.pairs, 2);
    assert_int_equal(now, 45);
    assert_int_equal(kiln_adb_run(query, 1, UINT64_MAX), KILN_OK);
    assert_int_equal(now, 45);
    options.clock = NULL;
    assert_int_equal(kiln_adb_begin(query, torus.tree, NULL, torus.tree, &pose, &options), KILN_OK);
    assert_int_equal(kiln_adb_run(query, 1000000, 1000000000), KILN_OK);
    assert_int_equal(kiln_adb_get_answer(query, &answer), KILN_OK);
    assert_true(answer.verdict != KILN_ADB_UNDECIDED);
    counted_free(&torus);
}

static void runs_add_up(void **state)
{
    (void)state;
    counted torus = counted_of(mesh_torus(24, 12, 0.1), "obb,obb2", 4);
    kiln_adb *query = query_of(ROOM);
    uint64_t random = 5;
    for (int i = 0; i < POSES; i++) {
        const kiln_tree *tree = kiln_file_tree(torus.file, (uint32_t)i % 2);
        const kiln_pose pose = pose_random(&random, 0.9);
        kiln_adb_options options = kiln_adb_options_of((kiln_adb_mode)(i % 3));
        options.p_min = 0.99;
        const kiln_adb_answer whole = ask_adb(query, tree, NULL, tree, &pose, &options, 12);
        kiln_adb_answer parts;
        assert_int_equal(kiln_adb_begin(query, tree, NULL, tree, &pose, &options), KILN_OK);
        for (uint64_t n = 0; n < 12; n += 3) {
            assert_int_equal(kiln_adb_run(query, 3, UINT64_MAX), KILN_OK);
            assert_int_equal(kiln_adb_get_answer(query, &parts), KILN_OK);
        }
        assert_true(same_answer(&whole, &parts));
        assert_int_equal(
            kiln_adb_collide(tree, NULL, tree, &pose, &options, 12, UINT64_MAX, &parts), KILN_OK);
        assert_true(same_answer(&whole, &parts));
        rounding_enter(1 + i % ROUNDING_MODES);
        const kiln_status status =
            kiln_adb_collide(tree, NULL, tree, &pose, &options, 12, UINT64_MAX, &parts);
        rounding_leave();
        assert_int_equal(status, KILN_OK);
        assert_true(same_answer(&whole, &parts));
    }
    counted_free(&torus);
}

/* ------------------------------------------------------------------------------------- room -- */

static void a_full_frontier_is_never_left(void **state)
{
    (void)state;
    enum { GUARD = 64 };
    static const uint32_t rooms[] = {1, 2, 16};
    counted torus = counted_of(mesh_torus(80, 40, 0.1), "obb", 2);
    uint64_t random = 6;
    uint32_t full = 0, undecided = 0;
    for (int i = 0; i < POSES; i++) {
        const kiln_pose pose = pose_random(&random, 0.9);
        kiln_adb_options options = kiln_adb_options_of(KILN_ADB_CAREFUL);
        options.p_min = 1;
        kiln_hit hit;
        assert_int_equal(kiln_collide(torus.tree, NULL, torus.tree, &pose, NULL, &hit), KILN_OK);
        for (size_t k = 0; k < sizeof rooms / sizeof rooms[0]; k++) {
            const size_t size = kiln_adb_size(rooms[k]) - 15; /* where memory is aligned */
            uint8_t *bytes = aligned_alloc(16, (size + GUARD + 15) / 16 * 16);
            kiln_adb *query;
            assert_non_null(bytes);
            memset(bytes, 0xA5, size + GUARD);
            assert_int_equal(kiln_adb_place(bytes, size, &query), KILN_OK);
            assert_int_equal(query->frontier.capacity, rooms[k]);
            const kiln_adb_answer answer =
                ask_adb(query, torus.tree, NULL, torus.tree, &pose, &options, UINT64_MAX);
            full += (answer.flags & KILN_ADB_FULL) != 0;
            undecided += answer.verdict == KILN_ADB_UNDECIDED;
            assert_true(answer.verdict != KILN_ADB_YES || hit.found);
            assert_true(answer.verdict != KILN_ADB_NO || !hit.found);
            if ((answer.flags & KILN_ADB_FULL) != 0) {
                assert_int_not_equal(answer.verdict, KILN_ADB_NO);
                assert_true(answer.verdict == KILN_ADB_YES || answer.probability > 0);
            }
            for (size_t at = size; at < size + GUARD; at++) {
                assert_int_equal(bytes[at], 0xA5);
            }
            free(bytes);
        }
    }
    assert_true(full > POSES && undecided > 0);
    counted_free(&torus);
}

/* The heap alone: what is not kept is added up, and the likeliest are kept. */
static void frontiers_keep_the_likeliest(void **state)
{
    (void)state;
    kiln_adb_entry entries[8];
    kiln_adb_frontier frontier = {.heap = entries, .capacity = 8};
    uint64_t random = 7;
    for (int turn = 0; turn < 200; turn++) {
        float losses[40], least_kept = 1e9f;
        double sum = 0;
        kiln_adb_frontier_clear(&frontier);
        for (int i = 0; i < 40; i++) {
            losses[i] = (float)random_below(&random, 100) / 100.0f;
            sum += (double)losses[i];
            kiln_adb_frontier_push(&frontier, (kiln_adb_entry){.loss = losses[i]});
        }
        const double all = kiln_adb_frontier_loss(&frontier, 1.0);
        assert_true(fabs(all - sum) < 1e-4);
        assert_true(frontier.full && frontier.rest_count == 32);
        float last = 1e9f;
        while (frontier.count > 0) {
            const kiln_adb_entry top = kiln_adb_frontier_pop(&frontier);
            assert_true(top.loss <= last);
            last = top.loss;
            least_kept = top.loss;
        }
        int above = 0;
        for (int i = 0; i < 40; i++) {
            above += losses[i] > least_kept;
        }
        assert_true(above < 8);
    }
}

/* ------------------------------------------------------------------------------- odd meshes -- */

static void odd_meshes_have_answers(void **state)
{
    (void)state;
    static const char *const kinds[] = {QUICK_KIND_NAMES};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        counted bodies[] = {counted_of(one_triangle(), kinds[k], 4),
                            counted_of(sheet(1), kinds[k], 1), counted_of(sheet(12), kinds[k], 2),
                            counted_of(mesh_torus(16, 8, 0), kinds[k], 3)};
        enum { BODIES = sizeof bodies / sizeof bodies[0] };
        kiln_adb *query = query_of(ROOM);
        uint64_t random = 8;
        for (size_t i = 0; i < BODIES; i++) {
            for (size_t j = 0; j < BODIES; j++) {
                kiln_adb_options options = kiln_adb_options_of(KILN_ADB_CAREFUL);
                options.p_min = 1;
                kiln_adb_answer answer = ask_adb(query, bodies[i].tree, NULL, bodies[j].tree, NULL,
                                                 &options, UINT64_MAX);
                kiln_hit hit;
                assert_int_equal(
                    kiln_collide(bodies[i].tree, NULL, bodies[j].tree, NULL, NULL, &hit), KILN_OK);
                assert_int_equal(answer.verdict, hit.found ? KILN_ADB_YES : KILN_ADB_NO);
                assert_true((answer.flags & KILN_ADB_EXACT) != 0);
                for (int mode = 0; mode < 3; mode++) {
                    const kiln_pose pose = pose_random(&random, 0.3);
                    options = kiln_adb_options_of((kiln_adb_mode)mode);
                    options.evaluator = (kiln_adb_evaluator)mode;
                    (void)ask_adb(query, bodies[i].tree, NULL, bodies[j].tree, &pose, &options,
                                  200);
                }
            }
        }
        for (size_t i = 0; i < BODIES; i++) {
            counted_free(&bodies[i]);
        }
    }
}

/* Bodies of sizes that differ by more than floats hold. */
static void far_apart_in_size(void **state)
{
    (void)state;
    counted large = counted_of(mesh_box(-1e18f, -1e18f, -1e18f, 1e18f, 1e18f, 1e18f), "obb", 2);
    counted small =
        counted_of(mesh_box(-1e-18f, -1e-18f, -1e-18f, 1e-18f, 1e-18f, 1e-18f), "obb", 2);
    kiln_adb *query = query_of(ROOM);
    kiln_adb_options options = kiln_adb_options_of(KILN_ADB_CAREFUL);
    options.p_min = 1;
    kiln_adb_answer answer =
        ask_adb(query, large.tree, NULL, small.tree, NULL, &options, UINT64_MAX);
    assert_int_equal(answer.verdict, KILN_ADB_NO);
    const kiln_pose pose = moved(1e18, 0, 0);
    kiln_hit hit;
    assert_int_equal(kiln_collide(large.tree, NULL, small.tree, &pose, NULL, &hit), KILN_OK);
    answer = ask_adb(query, large.tree, NULL, small.tree, &pose, &options, UINT64_MAX);
    assert_int_equal(answer.verdict == KILN_ADB_YES, hit.found);
    for (int mode = 0; mode < 3; mode++) {
        options = kiln_adb_options_of(KILN_ADB_DEFAULT);
        options.evaluator = (kiln_adb_evaluator)mode;
        (void)ask_adb(query, large.tree, NULL, small.tree, &pose, &options, 100);
    }
    counted_free(&small);
    counted_free(&large);
}

static mesh small_torus(float size)
{
    mesh m = mesh_torus(40, 20, 0);
    for (uint32_t i = 0; i < 3 * m.vertex_count; i++) {
        m.positions[i] *= size;
    }
    return m;
}

/* Of poses at which a small body's box meets that of a large one: how many meet, and how many of
 * these and of the others were told by the probability. */
static void ask_about_small(const counted *large, const counted *small, uint64_t random,
                            uint32_t of[2], uint32_t told[2])
{
    kiln_adb *query = query_of(ROOM);
    for (int i = 0; i < 1500; i++) {
        const kiln_pose pose = pose_random(&random, 1.5);
        const kiln_adb_answer there =
            ask_adb(query, large->tree, NULL, small->tree, &pose, NULL, UINT64_MAX);
        const kiln_adb_answer back =
            ask_adb(query, small->tree, &pose, large->tree, NULL, NULL, UINT64_MAX);
        kiln_hit hit;
        assert_int_equal(kiln_collide(large->tree, NULL, small->tree, &pose, NULL, &hit), KILN_OK);
        assert_true(same_answer(&there, &back));
        if (there.pairs != 0) {
            of[hit.found]++;
            told[hit.found] += (there.probability > 0.5) == hit.found;
        }
    }
}

/* Weights are fitted to copies of one size. Smaller bodies are not passed over in larger ones'
 * boxes, nor taken for hits. */
static void small_bodies_are_found(void **state)
{
    (void)state;
    static const float sizes[] = {0.25f, 0.0625f, 0.02f};
    static const char *const kinds[] = {"obb", "aabb2"};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        counted large = counted_of(small_torus(1), kinds[k], 4);
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            counted small = counted_of(small_torus(sizes[i]), kinds[k], 4);
            uint32_t of[2] = {0, 0}, told[2] = {0, 0};
            ask_about_small(&large, &small, 5 + i, of, told);
            print_message("%s, size %g: %u of %u hits told, %u of %u misses\n", kinds[k],
                          (double)sizes[i], told[1], of[1], told[0], of[0]);
            assert_true(of[1] >= 10 && of[0] >= 10);
            assert_true(10 * told[1] >= 9 * of[1] && 10 * told[0] >= 7 * of[0]);
            counted_free(&small);
        }
        counted_free(&large);
    }
}

/* ------------------------------------------------------------------------ order of arguments -- */

static void order_does_not_matter(void **state)
{
    (void)state;
    counted a = counted_of(mesh_torus(24, 12, 0.1), "obb", 4);
    counted b = counted_of(mesh_torus(20, 10, 0.3), "aabb", 2);
    kiln_adb *query = query_of(ROOM);
    uint64_t random = 9;
    for (int i = 0; i < POSES; i++) {
        const kiln_pose p = pose_random(&random, 0.6), q = pose_random(&random, 0.6);
        const kiln_adb_options options = kiln_adb_options_of((kiln_adb_mode)(i % 3));
        const kiln_adb_answer there = ask_adb(query, a.tree, &p, b.tree, &q, &options, 20);
        const kiln_adb_answer back = ask_adb(query, b.tree, &q, a.tree, &p, &options, 20);
        assert_true(same_answer(&there, &back));
    }
    counted_free(&b);
    counted_free(&a);
}

/* Trees of one mesh at one pose differ in nothing but how they were baked. */
static void order_does_not_matter_at_one_pose(void **state)
{
    (void)state;
    counted a = counted_of(mesh_torus(24, 12, 0.1), "obb", 4);
    counted b = counted_of(mesh_torus(24, 12, 0.1), "aabb", 4);
    counted c = counted_bake(mesh_torus(24, 12, 0.1), "obb", 4, 16, KILN_ADB_OCTANTS, true);
    kiln_adb *query = query_of(ROOM);
    for (uint64_t pairs = 0; pairs < 4; pairs++) {
        const kiln_tree *others[] = {b.tree, c.tree};
        for (int i = 0; i < 2; i++) {
            const kiln_adb_answer there =
                ask_adb(query, a.tree, NULL, others[i], NULL, NULL, pairs);
            const kiln_adb_answer back = ask_adb(query, others[i], NULL, a.tree, NULL, NULL, pairs);
            assert_true(same_answer(&there, &back));
        }
    }
    counted_free(&c);
    counted_free(&b);
    counted_free(&a);
}

/* ------------------------------------------------------------------------------------ hints -- */

typedef struct {
    float centre[3], half[3];
} bounds;

static bounds bounds_of(const kiln_tree *tree)
{
    const kiln_tree_info info = kiln_tree_get_info(tree);
    bounds b;
    for (int k = 0; k < 3; k++) {
        b.centre[k] = (info.bounds_lower[k] + info.bounds_upper[k]) / 2;
        b.half[k] = (info.bounds_upper[k] - info.bounds_lower[k]) / 2;
    }
    return b;
}

static void check_hint(const kiln_adb_hint *hint, const bounds *of_a, double last)
{
    double length = 0;
    assert_true(hint->probability >= 0 && hint->probability <= last);
    assert_true(hint->extent >= 0);
    for (int k = 0; k < 3; k++) {
        length += hint->normal[k] * hint->normal[k];
        assert_true(fabs(hint->position[k] - (double)of_a->centre[k]) <=
                    1.05 * (double)of_a->half[k] + 0.1);
    }
    assert_true(fabs(length - 1) < 1e-5);
}

static void hints_are_in_the_boxes(void **state)
{
    (void)state;
    counted a = counted_of(mesh_torus(24, 12, 0.1), "obb", 4);
    counted b = counted_of(mesh_box(-0.6f, -0.5f, -0.4f, 0.6f, 0.5f, 0.4f), "obb", 2);
    const bounds of_a = bounds_of(a.tree), of_b = bounds_of(b.tree);
    kiln_adb *query = query_of(ROOM);
    uint64_t random = 10;
    uint32_t seen = 0;
    for (int i = 0; i < POSES; i++) {
        const kiln_pose pose = pose_random(&random, 0.8);
        kiln_adb_hint hints[4];
        uint32_t count, swapped_count;
        (void)ask_adb(query, a.tree, NULL, b.tree, &pose, NULL, (uint64_t)i % 5);
        assert_int_equal(kiln_adb_get_hints(query, hints, 4, &count), KILN_OK);
        for (uint32_t k = 0; k < count; k++) {
            check_hint(&hints[k], &of_a, k == 0 ? 1 : hints[k - 1].probability);
        }
        seen += count;
        (void)ask_adb(query, b.tree, &pose, a.tree, NULL, NULL, (uint64_t)i % 5);
        assert_int_equal(kiln_adb_get_hints(query, hints, 4, &swapped_count), KILN_OK);
        assert_int_equal(count, swapped_count);
        for (uint32_t k = 0; k < count; k++) {
            check_hint(&hints[k], &of_b, k == 0 ? 1 : hints[k - 1].probability);
        }
        assert_int_equal(kiln_adb_get_hints(query, NULL, 0, &count), KILN_OK);
        assert_int_equal(count, 0);
        assert_int_equal(kiln_adb_get_hints(query, NULL, 1, &count), KILN_ERROR_ARGUMENT);
    }
    assert_true(seen > POSES);
    counted_free(&b);
    counted_free(&a);
}

/* Roots that hold few triangles are tested as they are. */
static void hints_know_what_is_certain(void **state)
{
    (void)state;
    counted a = counted_of(one_triangle(), "obb", 4);
    const kiln_adb_options options = kiln_adb_options_of(KILN_ADB_CAREFUL);
    kiln_adb *query = query_of(ROOM);
    kiln_adb_hint hint;
    uint32_t count;
    const kiln_adb_answer answer = ask_adb(query, a.tree, NULL, a.tree, NULL, &options, UINT64_MAX);
    assert_true((answer.flags & KILN_ADB_EXACT) != 0 && answer.probability == 1);
    assert_int_equal(kiln_adb_get_hints(query, &hint, 1, &count), KILN_OK);
    assert_int_equal(count, 1);
    assert_true(hint.probability == 1);
    counted_free(&a);
}

/* The ratio of the sizes is beyond what floats hold. */
static void hints_between_extremes_have_a_normal(void **state)
{
    (void)state;
    counted a = counted_of(mesh_box(-0x1p100f, -0x1p100f, -0x1p100f, 0x1p100f, 0x1p100f, 0x1p100f),
                           "obb", 4);
    counted b = counted_of(mesh_box(-0x1p-90f, -0x1p-90f, -0x1p-90f, 0x1p-90f, 0x1p-90f, 0x1p-90f),
                           "obb", 4);
    kiln_adb *query = query_of(ROOM);
    for (int i = 0; i < 2; i++) {
        kiln_adb_hint hint;
        uint32_t count;
        (void)ask_adb(query, i == 0 ? a.tree : b.tree, NULL, i == 0 ? b.tree : a.tree, NULL, NULL,
                      0);
        assert_int_equal(kiln_adb_get_hints(query, &hint, 1, &count), KILN_OK);
        assert_int_equal(count, 1);
        const double *n = hint.normal;
        assert_true(fabs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-6);
    }
    counted_free(&b);
    counted_free(&a);
}

/* Two boxes of which one stands a little in the other's upper face: the normal is known. */
static void hints_know_the_direction(void **state)
{
    (void)state;
    counted a = counted_of(mesh_box(-1, -1, -1, 1, 1, 1), "obb", 1);
    counted b = counted_of(mesh_box(-0.3f, -0.3f, -0.3f, 0.3f, 0.3f, 0.3f), "obb", 1);
    kiln_adb *query = query_of(ROOM);
    const kiln_pose pose = moved(0.1, 0.2, 1.29);
    kiln_adb_hint hint;
    uint32_t count;
    (void)ask_adb(query, a.tree, NULL, b.tree, &pose, NULL, 0);
    assert_int_equal(kiln_adb_get_hints(query, &hint, 1, &count), KILN_OK);
    assert_int_equal(count, 1);
    assert_true(hint.normal[2] < -0.999);
    assert_true(hint.position[2] > 0.98 && hint.position[2] < 1.01);
    assert_true(fabs(hint.extent - 0.3 * sqrt(3)) < 1e-3);
    const kiln_adb_options careful = kiln_adb_options_of(KILN_ADB_CAREFUL);
    const kiln_adb_answer answer =
        ask_adb(query, a.tree, NULL, b.tree, &pose, &careful, UINT64_MAX);
    assert_int_equal(answer.verdict, KILN_ADB_YES);
    assert_int_equal(kiln_adb_get_hints(query, &hint, 1, &count), KILN_OK);
    assert_true(fabs(hint.position[2] - 1) < 0.05);
    counted_free(&b);
    counted_free(&a);
}

/* ------------------------------------------------------------------------------ observations -- */

typedef struct {
    uint32_t seen, met, leaves;
    bool any_met;
} tally;

static void look(void *user, const kiln_adb *query, const kiln_adb_observation *seen)
{
    tally *t = user;
    bool meet = false;
    assert_int_equal(kiln_adb_observed_meet(query, seen, &meet), KILN_OK);
    assert_true(seen->probability > 0 && seen->probability < 1);
    for (int i = 0; i < KILN_ADB_FEATURES; i++) {
        assert_true(isfinite(seen->features[i]));
    }
    t->seen++;
    t->met += meet;
    t->leaves += seen->leaves == 2;
    t->any_met = t->any_met || meet;
}

static void observers_are_told_the_truth(void **state)
{
    (void)state;
    counted a = counted_of(mesh_torus(24, 12, 0.1), "obb", 4);
    kiln_adb *query = query_of(ROOM);
    uint64_t random = 11;
    tally all = {0, 0, 0, false};
    for (int i = 0; i < POSES; i++) {
        const kiln_pose pose = pose_random(&random, 0.9);
        kiln_adb_options options = kiln_adb_options_of(KILN_ADB_DEFAULT);
        tally t = {0, 0, 0, false};
        options.p_min = 1;
        options.epsilon = 0;
        options.observer = look;
        options.observer_user = &t;
        (void)ask_adb(query, a.tree, NULL, a.tree, &pose, &options, UINT64_MAX);
        kiln_hit hit;
        assert_int_equal(kiln_collide(a.tree, NULL, a.tree, &pose, NULL, &hit), KILN_OK);
        assert_true(t.any_met == hit.found);
        all.seen += t.seen;
        all.met += t.met;
        all.leaves += t.leaves;
    }
    assert_true(all.met > POSES && all.leaves > POSES && all.seen > all.met);
    const kiln_adb_observation none = {.node = {1000000, 0}};
    bool meet = false;
    assert_int_equal(kiln_adb_observed_meet(query, &none, &meet), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_adb_observed_meet(query, NULL, &meet), KILN_ERROR_ARGUMENT);
    counted_free(&a);
}

/* ------------------------------------------------------------------------------------ inside -- */

/* The unit without a walk over the cells is the format's. */
static void units_are_those_of_the_format(void **state)
{
    (void)state;
    static const uint8_t grids[] = {4, 8, 16};
    for (size_t g = 0; g < 3; g++) {
        for (uint8_t regions = KILN_ADB_REGIONS_ONE; regions <= KILN_ADB_REGIONS_SECTORS;
             regions++) {
            const kiln_format_adb adb = {.grid = grids[g], .regions = regions};
            assert_true(kiln_adb_grid_of(&adb).unit == (float)kiln_adb_unit(&adb));
        }
    }
}

/* Arithmetic of our own against libm. */
static void losses_are_near_libm(void **state)
{
    (void)state;
    for (int i = -5900; i <= 5900; i++) {
        const double z = i / 100.0, want = z > 30 ? z : log1p(exp(z));
        const double l = (double)kiln_loss_of_odds((float)z);
        assert_true(fabs(l - want) <= 2e-5 * want);
        const double p = (double)kiln_probability_of_loss((float)l);
        assert_true(fabs(p - 1 / (1 + exp(-z))) <= 2e-5 * p);
    }
}

static void every_grid_and_region_answers(void **state)
{
    (void)state;
    static const int grids[] = {4, 8, 16};
    kiln_adb *query = query_of(ROOM);
    for (int g = 0; g < 3; g++) {
        for (int regions = KILN_ADB_ONE; regions <= KILN_ADB_SECTORS; regions++) {
            counted a = counted_bake(mesh_torus(24, 12, 0.1), "obb", 4, grids[g],
                                     (kiln_adb_regions)regions, true);
            uint64_t random = 12;
            uint32_t wrong = 0;
            for (int i = 0; i < POSES; i++) {
                const kiln_pose pose = pose_random(&random, 1);
                const kiln_adb_answer answer =
                    ask_adb(query, a.tree, NULL, a.tree, &pose, NULL, 1000);
                kiln_hit hit;
                assert_int_equal(kiln_collide(a.tree, NULL, a.tree, &pose, NULL, &hit), KILN_OK);
                wrong += (answer.probability > 0.5) != hit.found;
            }
            assert_true(wrong <= POSES / 8);
            counted_free(&a);
        }
    }
}

/* A hash of every bit that queries say, by FNV-1a. */
typedef struct {
    uint64_t hash, seen;
} said;

static void add_bits(said *s, const void *bits, size_t size)
{
    const uint8_t *byte = bits;
    for (size_t i = 0; i < size; i++) {
        s->hash = (s->hash ^ byte[i]) * UINT64_C(0x100000001B3);
    }
}

static void hear(void *user, const kiln_adb *query, const kiln_adb_observation *seen)
{
    said *s = user;
    (void)query;
    add_bits(s, seen->features, sizeof seen->features);
    add_bits(s, &seen->probability, sizeof seen->probability);
    s->seen++;
}

static said all_that_is_said(const counted *bodies, size_t count)
{
    said s = {UINT64_C(0xCBF29CE484222325), 0};
    kiln_adb *query = query_of(ROOM);
    for (size_t i = 0; i < count * count; i++) {
        const kiln_tree *a = bodies[i / count].tree, *b = bodies[i % count].tree;
        uint64_t random = 31;
        for (int k = 0; k < POSES; k++) {
            const kiln_pose pose = pose_random(&random, 0.8);
            kiln_adb_options options = kiln_adb_options_of((kiln_adb_mode)(k % 3));
            options.evaluator = k % 5 == 4 ? KILN_ADB_EXPECTED : KILN_ADB_CALIBRATED;
            options.p_min = 0.98;
            options.observer = hear;
            options.observer_user = &s;
            const kiln_adb_answer answer = ask_adb(query, a, NULL, b, &pose, &options, 8);
            add_bits(&s, &answer.probability, sizeof answer.probability);
            add_bits(&s, &answer.pairs, sizeof answer.pairs);
        }
    }
    return s;
}

/* What is seen and said has the same bits whatever instructions the machine has. */
static void instruction_sets_say_the_same(void **state)
{
    (void)state;
    counted bodies[] = {counted_of(mesh_torus(24, 12, 0.1), "obb", 4),
                        counted_of(mesh_torus(16, 10, 0.3), "aabb", 2),
                        counted_of(sheet(8), "obb2", 4),
                        counted_of(mesh_torus(20, 12, 0.2), "aabb2", 4),
                        counted_bake(mesh_torus(24, 12, 0.2), "obb", 4, 8, KILN_ADB_SECTORS, true)};
    enum { BODIES = sizeof bodies / sizeof bodies[0] };
    kiln_kernel_force(kiln_kernel_runnable(0));
    const said reference = all_that_is_said(bodies, BODIES);
    assert_true(reference.seen > 1000);
    for (unsigned set = 1; kiln_kernel_runnable(set) != NULL; set++) {
        kiln_kernel_force(kiln_kernel_runnable(set));
        const said other = all_that_is_said(bodies, BODIES);
        assert_int_equal(other.seen, reference.seen);
        assert_int_equal(other.hash, reference.hash);
    }
    kiln_kernel_force(NULL);
    for (size_t i = 0; i < BODIES; i++) {
        counted_free(&bodies[i]);
    }
}

static mesh scaled_mesh(mesh m, int power)
{
    for (uint32_t i = 0; i < 3 * m.vertex_count; i++) {
        m.positions[i] = ldexpf(m.positions[i], power);
    }
    return m;
}

typedef struct {
    int compared, by_chance; /* by_chance: of those compared, not certain */
} scaled_tally;

/* One question of the meshes at scales of `powers` of 2, by their poses and by meshes that were
 * scaled before they were baked. Which body's frame is reckoned in goes by the vertices, scaled
 * or not: where that is another, so is the rounding, and nothing is compared. */
static void expect_scaled(const counted as_they_are[2], const counted scaled[2],
                          const int powers[2], kiln_pose at, const kiln_adb_options *options,
                          uint64_t pairs, scaled_tally *sum)
{
    kiln_pose one = kiln_pose_identity(), other = at;
    one.scale = ldexp(1, powers[0]);
    other.scale = ldexp(1, powers[1]);
    kiln_adb *query = query_of(ROOM);
    const kiln_adb_answer by_pose =
        ask_adb(query, as_they_are[0].tree, &one, as_they_are[1].tree, &other, options, pairs);
    const bool swapped = query->frame.swapped;
    const kiln_adb_answer by_mesh =
        ask_adb(query, scaled[0].tree, NULL, scaled[1].tree, &at, options, pairs);
    if (query->frame.swapped == swapped) {
        assert_true(same_answer(&by_pose, &by_mesh));
        sum->compared++;
        sum->by_chance += by_pose.probability > 0 && by_pose.probability < 1;
    }
}

/* A pose that scales by a power of two is a mesh that was scaled by it: every bit of an answer. */
static void scales_are_those_of_meshes(void **state)
{
    (void)state;
    static const int powers[][2] = {{1, 0}, {0, -3}, {-2, 1}, {5, 5}, {-20, -20}};
    static const char *const kinds[] = {QUICK_KIND_NAMES};
    uint64_t random = 97;
    scaled_tally sum = {0, 0};
    int asked = 0;
    for (int k = 0; k < 4 * 5; k++) {
        const char *kind = kinds[k % 4];
        const int *power = powers[k / 4];
        const counted plain[2] = {counted_of(mesh_torus(16, 10, 0.2), kind, 2),
                                  counted_of(mesh_torus(12, 8, 0.1), kind, 4)};
        const counted scaled[2] = {
            counted_of(scaled_mesh(mesh_torus(16, 10, 0.2), power[0]), kind, 2),
            counted_of(scaled_mesh(mesh_torus(12, 8, 0.1), power[1]), kind, 4)};
        for (int i = 0; i < POSES; i++) {
            kiln_adb_options options =
                kiln_adb_options_of(i % 2 == 0 ? KILN_ADB_DEFAULT : KILN_ADB_CAREFUL);
            options.hybrid = i % 3 == 0;
            const double reach = ldexp(1.5, power[0] > power[1] ? power[0] : power[1]);
            expect_scaled(plain, scaled, power, pose_random(&random, reach), &options,
                          i % 5 == 0 ? 3 : UINT64_MAX, &sum);
            asked++;
        }
        for (int side = 0; side < 2; side++) {
            counted plain_side = plain[side], scaled_side = scaled[side];
            counted_free(&plain_side);
            counted_free(&scaled_side);
        }
    }
    assert_true(sum.compared >= asked / 2 && sum.by_chance > asked / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instruction_sets_say_the_same),
        cmocka_unit_test(memory_is_measured),
        cmocka_unit_test(nothing_is_asked_before_begin),
        cmocka_unit_test(every_weight_must_be_a_number),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(polygons_are_not_needed),
        cmocka_unit_test(what_counts_do_not_know_is_tested_or_said),
        cmocka_unit_test(options_at_their_ends),
        cmocka_unit_test(budgets_are_kept),
        cmocka_unit_test(clocks_end_a_run),
        cmocka_unit_test(runs_add_up),
        cmocka_unit_test(a_full_frontier_is_never_left),
        cmocka_unit_test(frontiers_keep_the_likeliest),
        cmocka_unit_test(odd_meshes_have_answers),
        cmocka_unit_test(far_apart_in_size),
        cmocka_unit_test(small_bodies_are_found),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(order_does_not_matter_at_one_pose),
        cmocka_unit_test(hints_are_in_the_boxes),
        cmocka_unit_test(hints_know_what_is_certain),
        cmocka_unit_test(hints_between_extremes_have_a_normal),
        cmocka_unit_test(hints_know_the_direction),
        cmocka_unit_test(observers_are_told_the_truth),
        cmocka_unit_test(units_are_those_of_the_format),
        cmocka_unit_test(losses_are_near_libm),
        cmocka_unit_test(every_grid_and_region_answers),
        cmocka_unit_test(scales_are_those_of_meshes),
        cmocka_unit_test(hints_are_tested_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
