/* Batches: the list of pairs, chunks, wrong arguments and what is told about them. */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../support/body.h"
#include "../support/counted.h"

static kiln_pose at(double x)
{
    kiln_pose pose = kiln_pose_identity();
    pose.translation[0] = x;
    return pose;
}

/* ------------------------------------------------------------------------- lists of pairs -- */

static void pairs_without_allowed_ones_are_listed(void **state)
{
    (void)state;
    enum { TREES = 7, ALL = TREES * (TREES - 1) / 2 };
    const kiln_placed_pair allowed[] = {{1, 0}, {5, 6}, {3, 2}, {2, 3}, {0, 6}};
    kiln_placed_pair pairs[ALL];
    size_t count = 77;
    assert_int_equal(kiln_batch_pairs(TREES, allowed, 5, pairs, &count), KILN_OK);
    assert_int_equal(count, ALL - 4);
    size_t k = 0;
    for (uint32_t a = 0; a < TREES; a++) {
        for (uint32_t b = a + 1; b < TREES; b++) {
            const bool is_allowed = (a == 0 && b == 1) || (a == 5 && b == 6) ||
                                    (a == 2 && b == 3) || (a == 0 && b == 6);
            if (!is_allowed) {
                assert_true(pairs[k].a == a && pairs[k].b == b);
                k++;
            }
        }
    }
    assert_int_equal(k, count);
    for (uint32_t trees = 0; trees < 2; trees++) {
        assert_int_equal(kiln_batch_pairs(trees, NULL, 0, pairs, &count), KILN_OK);
        assert_int_equal(count, 0);
    }
}

static void wrong_pairs_change_nothing(void **state)
{
    (void)state;
    const kiln_placed_pair outside = {0, 3}, itself = {1, 1};
    kiln_placed_pair pairs[3] = {{9, 9}, {9, 9}, {9, 9}};
    size_t count = 77;
    assert_int_equal(kiln_batch_pairs(3, &outside, 1, pairs, &count), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_batch_pairs(3, &itself, 1, pairs, &count), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_batch_pairs(3, NULL, 1, pairs, &count), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_batch_pairs(3, NULL, 0, NULL, &count), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_batch_pairs(3, NULL, 0, pairs, NULL), KILN_ERROR_ARGUMENT);
    assert_true(count == 77 && pairs[0].a == 9 && pairs[2].b == 9);
}

static void pairs_of_a_batch_are_counted(void **state)
{
    (void)state;
    kiln_batch batch = {NULL, 7, NULL, KILN_BATCH_ALL_PAIRS, 0};
    const kiln_placed_pair pair = {0, 1};
    assert_int_equal(kiln_batch_pair_count(NULL), 0);
    assert_int_equal(kiln_batch_pair_count(&batch), 21);
    batch.placed_count = UINT32_MAX;
    assert_true(kiln_batch_pair_count(&batch) == (size_t)0x7FFFFFFE80000001u);
    batch.pairs = &pair;
    batch.pair_count = 3;
    assert_int_equal(kiln_batch_pair_count(&batch), 3);
}

/* -------------------------------------------------------------------------- wrong arguments -- */

enum { COUNT = 40 };

typedef struct {
    body cube;
    kiln_pose poses[COUNT];
    kiln_placed placed[3];
    kiln_batch batch;
} robot;

static void make_robot(robot *r)
{
    r->cube = body_of(mesh_box(0, 0, 0, 1, 1, 1), 4, KILN_LAYOUT_RAW);
    for (int i = 0; i < COUNT; i++) {
        r->poses[i] = at(COUNT - 1 - i); /* it meets the one at 0 from number 38 on */
    }
    for (int k = 0; k < 3; k++) {
        const kiln_placed placed = {r->cube.trees[0], NULL, 0};
        r->placed[k] = placed;
    }
    r->placed[1].poses = r->poses;
    r->placed[1].stride = 1;
    r->placed[2].poses = r->poses; /* where it stands at first: 39 */
    const kiln_batch batch = {r->placed, 3, NULL, KILN_BATCH_ALL_PAIRS, COUNT};
    r->batch = batch;
}

/* Every call refuses alike, and leaves alone what it was given. */
static void refused(const kiln_batch *batch, const kiln_batch_options *options, kiln_status status)
{
    static kiln_hit hits[3 * COUNT];
    static kiln_nearest nearest[3 * COUNT];
    static kiln_batch_hit first[COUNT];
    static kiln_batch_nearest least[COUNT];
    size_t configuration = 77;
    memset(hits, 0x5a, sizeof hits);
    memset(nearest, 0x5a, sizeof nearest);
    memset(first, 0x5a, sizeof first);
    memset(least, 0x5a, sizeof least);
    assert_int_equal(kiln_batch_collide(batch, options, hits), status);
    assert_int_equal(kiln_batch_within(batch, 1, options, hits), status);
    assert_int_equal(kiln_batch_distance(batch, options, nearest), status);
    assert_int_equal(kiln_batch_collide_first(batch, options, first), status);
    assert_int_equal(kiln_batch_within_first(batch, 1, options, first), status);
    assert_int_equal(kiln_batch_collide_any(batch, options, &configuration, first), status);
    assert_int_equal(kiln_batch_minimum(batch, options, least), status);
    const unsigned char *const outputs[4] = {(unsigned char *)hits, (unsigned char *)nearest,
                                             (unsigned char *)first, (unsigned char *)least};
    const size_t sizes[4] = {sizeof hits, sizeof nearest, sizeof first, sizeof least};
    for (int k = 0; k < 4; k++) {
        for (size_t i = 0; i < sizes[k]; i++) {
            assert_int_equal(outputs[k][i], 0x5a);
        }
    }
    assert_int_equal(configuration, 77);
}

/* Options of distances are refused by those calls that look at them, as by single ones. */
static void measuring_is_refused(const robot *r, const kiln_batch_options *options)
{
    kiln_hit hits[3 * COUNT];
    kiln_nearest nearest[3 * COUNT];
    kiln_batch_hit first[COUNT];
    kiln_batch_nearest least[COUNT];
    size_t configuration;
    const kiln_batch *batch = &r->batch;
    assert_int_equal(
        kiln_distance(r->cube.trees[0], NULL, r->cube.trees[0], NULL, options->pair, nearest),
        KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_batch_distance(batch, options, nearest), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_batch_minimum(batch, options, least), KILN_ERROR_ARGUMENT);
    assert_int_equal(
        kiln_collide(r->cube.trees[0], NULL, r->cube.trees[0], NULL, options->pair, hits), KILN_OK);
    assert_int_equal(kiln_batch_collide(batch, options, hits), KILN_OK);
    assert_int_equal(kiln_batch_within(batch, 1, options, hits), KILN_OK);
    assert_int_equal(kiln_batch_collide_first(batch, options, first), KILN_OK);
    assert_int_equal(kiln_batch_within_first(batch, 1, options, first), KILN_OK);
    assert_int_equal(kiln_batch_collide_any(batch, options, &configuration, first), KILN_OK);
}

static void wrong_batches_are_refused(void **state)
{
    (void)state;
    robot r;
    make_robot(&r);
    const kiln_placed_pair outside = {0, 3}, itself = {2, 2};
    kiln_pair_options pair = kiln_pair_options_default();
    kiln_batch_options options = kiln_batch_options_default();
    options.pair = &pair;
    refused(NULL, NULL, KILN_ERROR_ARGUMENT);
    kiln_batch batch = r.batch;
    batch.placed = NULL;
    refused(&batch, NULL, KILN_ERROR_ARGUMENT);
    batch = r.batch;
    batch.pairs = &outside; /* a list that no number goes with */
    refused(&batch, NULL, KILN_ERROR_ARGUMENT);
    batch.pairs = NULL; /* and a number without a list */
    batch.pair_count = 1;
    refused(&batch, NULL, KILN_ERROR_ARGUMENT);
    batch.pairs = &outside;
    refused(&batch, NULL, KILN_ERROR_ARGUMENT);
    batch.pairs = &itself;
    refused(&batch, NULL, KILN_ERROR_ARGUMENT);
    pair.relative = -1;
    measuring_is_refused(&r, &options);
    pair = kiln_pair_options_default();
    pair.beyond = (double)NAN;
    measuring_is_refused(&r, &options);
    r.placed[2].tree = NULL;
    refused(&r.batch, NULL, KILN_ERROR_ARGUMENT);
    body_free(&r.cube);
}

static void the_calls_own_arguments_are_looked_at(void **state)
{
    (void)state;
    robot r;
    make_robot(&r);
    kiln_hit hits[3 * COUNT];
    kiln_batch_hit first[COUNT];
    kiln_batch_nearest least;
    size_t configuration;
    kiln_batch batch = r.batch;
    assert_int_equal(kiln_batch_collide(&batch, NULL, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_batch_minimum(&batch, NULL, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_batch_collide_any(&batch, NULL, &configuration, NULL),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_batch_collide_any(&batch, NULL, NULL, first), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_batch_within(&batch, -1, NULL, hits), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_batch_within_first(&batch, (double)NAN, NULL, first),
                     KILN_ERROR_ARGUMENT);
    batch.count = SIZE_MAX / sizeof(kiln_hit) / 3 + 1;
    assert_int_equal(kiln_batch_collide(&batch, NULL, hits), KILN_ERROR_ARGUMENT);
    batch.count = SIZE_MAX / sizeof(kiln_batch_hit) + 1;
    assert_int_equal(kiln_batch_collide_first(&batch, NULL, first), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_batch_within_first(&batch, 1, NULL, first), KILN_ERROR_ARGUMENT);
    batch.count = SIZE_MAX / sizeof(kiln_batch_nearest) + 1;
    assert_int_equal(kiln_batch_minimum(&batch, NULL, &least), KILN_ERROR_ARGUMENT);
    body_free(&r.cube);
}

static void a_wrong_pose_is_named(void **state)
{
    (void)state;
    robot r;
    make_robot(&r);
    size_t configuration = 77;
    uint32_t placed = 77;
    kiln_batch_options options = kiln_batch_options_default();
    options.bad_configuration = &configuration;
    options.bad_placed = &placed;
    kiln_batch_hit hit;
    kiln_hit hits[3 * COUNT];
    kiln_batch batch = r.batch;
    r.poses[33].scale = 0;
    assert_int_equal(kiln_batch_collide(&batch, &options, hits), KILN_ERROR_POSE);
    assert_true(configuration == 33 && placed == 1);
    assert_int_equal(kiln_batch_collide(&batch, NULL, hits), KILN_ERROR_POSE);
    r.placed[1].poses = NULL;
    r.placed[2].poses = r.poses + 33;
    assert_int_equal(kiln_batch_within(&batch, 1, &options, hits), KILN_ERROR_POSE);
    assert_true(configuration == 0 && placed == 2);
    configuration = 77; /* what comes after the first hit is not looked at */
    r.placed[1].poses = r.poses;
    r.poses[33].scale = 1;
    r.poses[39].scale = 0;
    batch.placed_count = 2;
    assert_int_equal(kiln_batch_collide_any(&batch, &options, &configuration, &hit), KILN_OK);
    assert_true(configuration == 38 && hit.found);
    r.poses[37].scale = 0;
    assert_int_equal(kiln_batch_collide_any(&batch, &options, &configuration, &hit),
                     KILN_ERROR_POSE);
    assert_true(configuration == 37 && placed == 1);
    body_free(&r.cube);
}

static void trees_without_polygons_are_refused(void **state)
{
    (void)state;
    robot r;
    make_robot(&r);
    counted boxes = counted_bake(mesh_box(0, 0, 0, 1, 1, 1), "obb", 4, 4, KILN_ADB_OCTANTS, false);
    r.placed[2].tree = boxes.tree;
    refused(&r.batch, NULL, KILN_ERROR_NOT_LOADED);
    counted_free(&boxes);
    body_free(&r.cube);
}

/* ------------------------------------------------------------------------------------ edges -- */

static void nothing_is_asked_about_nothing(void **state)
{
    (void)state;
    robot r;
    make_robot(&r);
    kiln_hit hit;
    kiln_batch_hit first[COUNT];
    kiln_batch_nearest least[COUNT];
    size_t configuration = 77;
    kiln_batch batch = r.batch;
    batch.count = 0;
    assert_int_equal(kiln_batch_collide(&batch, NULL, &hit), KILN_OK);
    assert_int_equal(kiln_batch_collide_any(&batch, NULL, &configuration, first), KILN_OK);
    assert_true(configuration == 0 && !first[0].found);
    batch = r.batch; /* an empty list is not the list of all */
    batch.pair_count = 0;
    memset(first, 0x5a, sizeof first);
    assert_int_equal(kiln_batch_collide(&batch, NULL, &hit), KILN_OK);
    assert_int_equal(kiln_batch_collide_first(&batch, NULL, first), KILN_OK);
    assert_true(!first[0].found && !first[COUNT - 1].found);
    batch = r.batch;
    batch.placed_count = 1;
    assert_int_equal(kiln_batch_collide_first(&batch, NULL, first), KILN_OK);
    assert_int_equal(kiln_batch_minimum(&batch, NULL, least), KILN_OK);
    for (int i = 0; i < COUNT; i++) {
        assert_true(!first[i].found && !least[i].found && least[i].nearest.distance == HUGE_VAL);
    }
    batch.placed = NULL;
    batch.placed_count = 0;
    assert_int_equal(kiln_batch_collide(&batch, NULL, &hit), KILN_OK);
    body_free(&r.cube);
}

/* The second cube comes from 39 to 0, where the first one stands. */
static void a_path_ends_at_its_first_hit(void **state)
{
    (void)state;
    robot r;
    make_robot(&r);
    size_t configuration;
    kiln_batch_hit hit;
    kiln_batch batch = r.batch;
    batch.placed_count = 2;
    assert_int_equal(kiln_batch_collide_any(&batch, NULL, &configuration, &hit), KILN_OK);
    assert_true(configuration == 38 && hit.found && hit.pair == 0 && hit.placed.b == 1);
    batch.count = 38;
    assert_int_equal(kiln_batch_collide_any(&batch, NULL, &configuration, &hit), KILN_OK);
    assert_true(configuration == 38 && !hit.found && !hit.hit.found);
    body_free(&r.cube);
}

/* The first of two chunks of configurations is run while the last query of the second is under way:
 * both meet, and the earlier one counts, though it is found first. */
typedef struct {
    void (*task)(void *context, uint32_t index);
    void *context;
    bool nested;
} overtaken;

static void last_chunk_first(void *user, void (*task)(void *context, uint32_t index), void *context,
                             uint32_t count)
{
    overtaken *work = user;
    assert_int_equal(count, 2);
    work->task = task;
    work->context = context;
    task(context, 1);
    assert_true(work->nested);
}

static bool run_first_chunk(void *user, kiln_pair pair)
{
    overtaken *work = user;
    (void)pair;
    if (!work->nested) {
        work->nested = true;
        work->task(work->context, 0);
    }
    return true;
}

static void an_earlier_configuration_counts_though_it_is_found_first(void **state)
{
    (void)state;
    enum { LONG = 300 };
    static kiln_pose poses[LONG];
    body cube = body_of(mesh_box(0, 0, 0, 1, 1, 1), 4, KILN_LAYOUT_RAW);
    for (int i = 0; i < LONG; i++) {
        poses[i] = at(i == 7 || i == LONG - 1 ? 0.5 : 5);
    }
    const kiln_placed placed[2] = {{cube.trees[0], NULL, 0}, {cube.trees[1], poses, 1}};
    const kiln_batch batch = {placed, 2, NULL, KILN_BATCH_ALL_PAIRS, LONG};
    overtaken work = {NULL, NULL, false};
    kiln_pair_options pair = kiln_pair_options_default();
    kiln_batch_options options = kiln_batch_options_default();
    pair.filter = run_first_chunk;
    pair.filter_user = &work;
    options.pair = &pair;
    options.parallel = last_chunk_first;
    options.parallel_user = &work;
    size_t configuration;
    kiln_batch_hit hit;
    assert_int_equal(kiln_batch_collide_any(&batch, &options, &configuration, &hit), KILN_OK);
    assert_true(configuration == 7 && hit.found);
    body_free(&cube);
}

static bool stop_at_once(void *user)
{
    ++*(int *)user;
    return true;
}

static void a_stop_ends_the_batch(void **state)
{
    (void)state;
    robot r;
    make_robot(&r);
    int calls = 0;
    kiln_nearest nearest[3 * COUNT];
    kiln_pair_options pair = kiln_pair_options_default();
    kiln_batch_options options = kiln_batch_options_default();
    pair.stop = stop_at_once;
    pair.stop_user = &calls;
    options.pair = &pair;
    assert_int_equal(kiln_batch_distance(&r.batch, &options, nearest), KILN_ERROR_STOPPED);
    assert_int_equal(calls, 1);
    body_free(&r.cube);
}

/* Where boxes of whole meshes are apart, no single query asks. */
static void a_batch_of_far_meshes_can_be_stopped(void **state)
{
    (void)state;
    robot r;
    make_robot(&r);
    int calls = 0;
    kiln_hit hits[COUNT];
    kiln_pair_options pair = kiln_pair_options_default();
    kiln_batch_options options = kiln_batch_options_default();
    kiln_batch batch = r.batch;
    batch.placed_count = 2;
    batch.count = 30;
    pair.stop = stop_at_once;
    pair.stop_user = &calls;
    options.pair = &pair;
    assert_int_equal(kiln_batch_collide(&batch, &options, hits), KILN_ERROR_STOPPED);
    assert_int_equal(calls, 1);
    body_free(&r.cube);
}

/* What is computed between queries raises no flag of the caller's. */
static void flags_are_as_they_were(void **state)
{
    (void)state;
    body bar = body_of(mesh_box(0, 0, 0, 1.1f, 1.3f, 1.7f), 4, KILN_LAYOUT_RAW);
    kiln_pose poses[COUNT];
    kiln_nearest nearest[COUNT];
    for (int i = 0; i < COUNT; i++) {
        poses[i] = at(3 + 0.01 * i);
        poses[i].scale = 1 + 0.001 * i;
    }
    const kiln_placed placed[2] = {{bar.trees[0], NULL, 0}, {bar.trees[0], poses, 1}};
    const kiln_batch batch = {placed, 2, NULL, KILN_BATCH_ALL_PAIRS, COUNT};
    assert_int_equal(feclearexcept(FE_ALL_EXCEPT), 0);
    assert_int_equal(kiln_batch_distance(&batch, NULL, nearest), KILN_OK);
    assert_int_equal(fetestexcept(FE_ALL_EXCEPT), 0);
    body_free(&bar);
}

/* Options of a caller that knows fewer members: the others have their defaults. */
static void short_options_are_taken(void **state)
{
    (void)state;
    robot r;
    make_robot(&r);
    kiln_hit hits[3 * COUNT];
    kiln_batch_options options;
    memset(&options, 0x5a, sizeof options);
    options.struct_size = offsetof(kiln_batch_options, pair);
    assert_int_equal(kiln_batch_collide(&r.batch, &options, hits), KILN_OK);
    assert_true(hits[3 * 38].found && hits[1].found == false);
    body_free(&r.cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_without_allowed_ones_are_listed),
        cmocka_unit_test(wrong_pairs_change_nothing),
        cmocka_unit_test(pairs_of_a_batch_are_counted),
        cmocka_unit_test(wrong_batches_are_refused),
        cmocka_unit_test(the_calls_own_arguments_are_looked_at),
        cmocka_unit_test(a_wrong_pose_is_named),
        cmocka_unit_test(trees_without_polygons_are_refused),
        cmocka_unit_test(nothing_is_asked_about_nothing),
        cmocka_unit_test(a_path_ends_at_its_first_hit),
        cmocka_unit_test(an_earlier_configuration_counts_though_it_is_found_first),
        cmocka_unit_test(a_stop_ends_the_batch),
        cmocka_unit_test(a_batch_of_far_meshes_can_be_stopped),
        cmocka_unit_test(flags_are_as_they_were),
        cmocka_unit_test(short_options_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
