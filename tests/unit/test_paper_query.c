/* Figure 3 of Klein and Zachmann (2003): options at their ends, what each choice changes, trees and
 * arguments that are refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../bench/adb/paper_query.h"
#include "../support/quick_bake.h"
#include "../support/quick_bins.h"

enum { POSES = 60 };

typedef struct {
    void *bytes;
    size_t size;
    kiln_paper_tree *tree;
} baked;

static void bake_bytes(baked *b, mesh m, const char *bv, int grid, kiln_adb_regions regions,
                       bool polygons)
{
    kiln_bake_options options = kiln_bake_options_default();
    options.bv = bv;
    options.leaf = 1;
    options.adb = grid;
    options.adb_regions = regions;
    options.adb_area = KILN_ADB_AREA_BY_MAX;
    options.adb_factor = 0.5;
    options.no_geometry = !polygons;
    b->bytes = quick_bake_with(&m, &options, &b->size);
    b->tree = NULL;
    mesh_free(&m);
}

static baked bake(mesh m, const char *bv, kiln_adb_regions regions)
{
    baked b;
    bake_bytes(&b, m, bv, 8, regions, true);
    const kiln_bv kind = strcmp(bv, "obb2") == 0 ? KILN_BV_OBB2 : KILN_BV_AABB2;
    assert_int_equal(kiln_paper_tree_open(b.bytes, b.size, kind, NULL, &b.tree), KILN_OK);
    return b;
}

static void discard(baked *b)
{
    kiln_paper_tree_close(b->tree);
    free(b->bytes);
}

static baked torus(void)
{
    return bake(mesh_torus(40, 20, 0.1), "aabb2", KILN_ADB_ONE);
}

static kiln_paper_query *query;

static int make_query(void **state)
{
    (void)state;
    query = kiln_paper_query_make();
    return query == NULL;
}

static int free_query(void **state)
{
    (void)state;
    kiln_paper_query_free(query);
    return 0;
}

static kiln_paper_answer ask(const baked *b, const kiln_pose *pose,
                             const kiln_paper_options *options)
{
    kiln_paper_answer answer;
    assert_int_equal(kiln_paper_collide(query, b->tree, NULL, b->tree, pose, options, &answer),
                     KILN_OK);
    return answer;
}

static bool truth(const baked *b, const kiln_pose *pose)
{
    kiln_hit hit;
    assert_int_equal(kiln_collide(b->tree->tree, NULL, b->tree->tree, pose, NULL, &hit), KILN_OK);
    return hit.found;
}

static kiln_pose moved(double x)
{
    kiln_pose pose = kiln_pose_identity();
    pose.translation[0] = x;
    return pose;
}

/* ------------------------------------------------------------------------------ p_min, k_min -- */

/* What is opened does not depend on p_min, so what counts at one counts at any lower one. */
static void lower_thresholds_find_more_and_sooner(void **state)
{
    (void)state;
    static const double p_min[] = {1, 0.99, 0.9, 0.7, 0.5, 0.1, 1e-6, 0};
    baked b = torus();
    uint64_t random = 21;
    kiln_paper_options options = kiln_paper_options_default();
    options.pairs_max = 400;
    int first = 0, last = 0;
    for (int i = 0; i < POSES; i++) {
        const kiln_pose pose = pose_random(&random, 1.2);
        kiln_paper_answer before = {0};
        options.k_min = 3;
        for (size_t k = 0; k < sizeof p_min / sizeof *p_min; k++) {
            options.p_min = p_min[k];
            const kiln_paper_answer now = ask(&b, &pose, &options);
            first += k == 0 && now.collision;
            last += k + 1 == sizeof p_min / sizeof *p_min && now.collision;
            if (k > 0) {
                assert_true(now.collision >= before.collision && now.opened <= before.opened);
            }
            before = now;
        }
        options.p_min = 0.5;
        for (uint32_t k = 1; k <= 64; k *= 2) {
            options.k_min = k;
            const kiln_paper_answer now = ask(&b, &pose, &options);
            assert_true(k == 1 ||
                        (now.collision <= before.collision && now.opened >= before.opened));
            assert_int_equal(now.counted >= k, now.collision);
            before = now;
        }
    }
    assert_true(last > POSES / 3 && first < last);
    discard(&b);
}

/* p_min 0: the first k_min pairs of boxes that meet. */
static void the_lowest_threshold_takes_any_overlap(void **state)
{
    (void)state;
    baked b = torus();
    kiln_paper_options options = kiln_paper_options_default();
    options.p_min = 0;
    options.k_min = 1;
    kiln_pose pose = moved(0.1);
    kiln_paper_answer answer = ask(&b, &pose, &options);
    assert_true(answer.collision && answer.opened == 1 && answer.weighed == 1);
    pose = moved(10);
    answer = ask(&b, &pose, &options);
    assert_true(!answer.collision && answer.opened == 0 && !answer.cut);
    options.gate = KILN_PAPER_NO_GATE; /* the letter of Figure 3 */
    answer = ask(&b, &pose, &options);
    assert_true(answer.collision && answer.most == 0);
    options.p_min = 1e-9;
    answer = ask(&b, &pose, &options);
    assert_true(!answer.collision && answer.opened == 1 && answer.weighed == 4);
    discard(&b);
}

/* Equation 1: p is at most LB, which depth alone lets reach 1 at the deepest leaves only. */
static void equation_1_does_not_reach_high_thresholds(void **state)
{
    (void)state;
    baked b = torus();
    uint64_t random = 5;
    kiln_paper_options options = kiln_paper_options_default();
    options.k_min = 1;
    options.pairs_max = 400;
    int by_1 = 0, by_8 = 0;
    for (int i = 0; i < POSES; i++) {
        const kiln_pose pose = pose_random(&random, 1);
        options.x_max = 1;
        const kiln_paper_answer one = ask(&b, &pose, &options);
        options.x_max = 10;
        const kiln_paper_answer eight = ask(&b, &pose, &options);
        by_1 += one.collision;
        by_8 += eight.collision;
        assert_true(one.most <= 1 && eight.most <= 1);
    }
    assert_true(by_8 > POSES / 4 && by_1 * 4 < by_8);
    discard(&b);
}

/* ---------------------------------------------------------------------------------- choices -- */

static void exact_leaves_find_only_what_meets(void **state)
{
    (void)state;
    baked b = torus();
    uint64_t random = 9;
    kiln_paper_options options = kiln_paper_options_default();
    options.p_min = 1;
    options.k_min = UINT32_MAX;
    options.rounding = KILN_PAPER_INTERPOLATED;
    int found = 0, meet = 0, dropped = 0;
    for (int i = 0; i < POSES; i++) {
        const kiln_pose pose = pose_random(&random, 1.4);
        options.leaves = KILN_PAPER_TEST;
        const bool exact = ask(&b, &pose, &options).collision, is = truth(&b, &pose);
        assert_true(is || !exact);
        found += exact;
        meet += is;
        options.leaves = KILN_PAPER_DROP;
        options.pairs_max = 2000;
        dropped += ask(&b, &pose, &options).collision;
        options.pairs_max = 0;
    }
    assert_true(meet > POSES / 4 && found >= meet * 9 / 10);
    assert_int_equal(dropped, 0);
    discard(&b);
}

static void leaves_may_be_accepted(void **state)
{
    (void)state;
    baked b = torus();
    uint64_t random = 10;
    kiln_paper_options options = kiln_paper_options_default();
    options.k_min = UINT32_MAX;
    options.p_min = 1;
    int accepted = 0;
    for (int i = 0; i < POSES; i++) {
        const kiln_pose pose = pose_random(&random, 1);
        options.leaves = KILN_PAPER_ACCEPT;
        options.pairs_max = 20000;
        const kiln_paper_answer answer = ask(&b, &pose, &options);
        accepted += answer.collision;
        assert_true(!answer.collision || answer.most >= 0.5);
    }
    assert_true(accepted > POSES / 4);
    discard(&b);
}

/* A counted pair that goes back into the queue lets its descendants count too. */
static void counted_pairs_are_opened_unless_told(void **state)
{
    (void)state;
    baked b = torus();
    uint64_t random = 12;
    kiln_paper_options options = kiln_paper_options_default();
    options.p_min = 0.5;
    options.k_min = UINT32_MAX;
    options.pairs_max = 100000;
    uint64_t with = 0, without = 0;
    for (int i = 0; i < 10; i++) {
        const kiln_pose pose = pose_random(&random, 0.6);
        options.reinsert = true;
        options.pairs_max = 2000;
        with += ask(&b, &pose, &options).counted;
        options.reinsert = false;
        without += ask(&b, &pose, &options).counted;
    }
    assert_true(with > 2 * without && without > 0);
    discard(&b);
}

static void a_cut_run_says_so(void **state)
{
    (void)state;
    baked b = torus();
    kiln_paper_options options = kiln_paper_options_default();
    options.k_min = UINT32_MAX;
    const kiln_pose pose = moved(0.3);
    options.pairs_max = 7;
    kiln_paper_answer answer = ask(&b, &pose, &options);
    assert_true(!answer.collision && answer.cut && answer.opened == 7);
    options.pairs_max = 0;
    answer = ask(&b, &pose, &options);
    assert_true(!answer.collision && !answer.cut && answer.opened > 1000);
    discard(&b);
}

/* The built-in evaluator and a table answer alike; a table that is too small is refused. */
static void tables_serve_if_they_are_large_enough(void **state)
{
    (void)state;
    baked b, large = torus();
    size_t size;
    kiln_bins *table = NULL;
    void *bytes = quick_bins(KILN_BINS_EXACT, KILN_BINS_NEAREST, 64, 10, 1, KILN_LAYOUT_RAW, &size);
    assert_int_equal(kiln_bins_open_memory(bytes, size, NULL, &table), KILN_OK);
    bake_bytes(&b, mesh_torus(40, 20, 0.1), "aabb2", 4, KILN_ADB_ONE, true);
    assert_int_equal(kiln_paper_tree_open(b.bytes, b.size, KILN_BV_AABB2, NULL, &b.tree), KILN_OK);
    kiln_paper_options options = kiln_paper_options_default();
    uint64_t random = 31;
    options.p_min = 0.8765;
    options.pairs_max = 300;
    for (int i = 0; i < POSES; i++) {
        const kiln_pose pose = pose_random(&random, 1.2);
        options.bins = NULL;
        const kiln_paper_answer closed = ask(&b, &pose, &options);
        options.bins = table;
        const kiln_paper_answer looked_up = ask(&b, &pose, &options);
        assert_int_equal(looked_up.collision, closed.collision);
        assert_true(fabs(looked_up.most - closed.most) < 1e-4);
    }
    kiln_paper_answer answer;
    assert_int_equal(
        kiln_paper_collide(query, large.tree, NULL, large.tree, NULL, &options, &answer),
        KILN_ERROR_NOT_LOADED); /* 8^3 cells */
    options.bins = NULL;
    assert_int_equal(kiln_paper_options_check(&options, 512), KILN_OK);
    assert_int_equal(kiln_paper_options_check(&options, 4097), KILN_ERROR_NOT_LOADED);
    kiln_bins_close(table);
    free(bytes);
    discard(&b);
    discard(&large);
}

/* ---------------------------------------------------------------------------------- refusals -- */

static void bad_options_are_refused(void **state)
{
    (void)state;
    baked b = bake(mesh_box(0, 0, 0, 1, 1, 1), "aabb2", KILN_ADB_ONE);
    const kiln_paper_options good = kiln_paper_options_default();
    kiln_paper_options bad[14];
    for (size_t i = 0; i < 14; i++) {
        bad[i] = good;
    }
    bad[0].p_min = NAN;
    bad[1].p_min = -1e-9;
    bad[2].p_min = 1 + 1e-9;
    bad[3].k_min = 0;
    bad[4].size_ratio = NAN;
    bad[5].size_ratio = 0.5;
    bad[6].size_ratio = INFINITY;
    bad[7].x_max = 0;
    bad[8].x_max = 11;
    bad[9].volume = (kiln_paper_volume)6;
    bad[10].gate = (kiln_paper_gate)3;
    bad[11].leaves = (kiln_paper_leaves)3;
    bad[12].rounding = (kiln_paper_rounding)3;
    bad[13].level = (kiln_paper_level)2;
    kiln_paper_answer answer;
    memset(&answer, 0x5a, sizeof answer);
    const kiln_paper_answer untouched = answer;
    for (size_t i = 0; i < 14; i++) {
        assert_int_equal(kiln_paper_collide(query, b.tree, NULL, b.tree, NULL, &bad[i], &answer),
                         KILN_ERROR_ARGUMENT);
    }
    kiln_pose pose = kiln_pose_identity();
    pose.rotation[0] = NAN;
    assert_int_equal(kiln_paper_collide(query, b.tree, NULL, b.tree, &pose, &good, &answer),
                     KILN_ERROR_POSE);
    assert_int_equal(kiln_paper_collide(NULL, b.tree, NULL, b.tree, NULL, &good, &answer),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_paper_collide(query, NULL, NULL, b.tree, NULL, &good, &answer),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_paper_collide(query, b.tree, NULL, NULL, NULL, &good, &answer),
                     KILN_ERROR_ARGUMENT);
    assert_memory_equal(&answer, &untouched, sizeof answer);
    assert_int_equal(kiln_paper_collide(query, b.tree, NULL, b.tree, NULL, NULL, &answer), KILN_OK);
    assert_int_equal(kiln_paper_collide(query, b.tree, NULL, b.tree, NULL, &good, NULL),
                     KILN_ERROR_ARGUMENT);
    discard(&b);
}

static void trees_need_counts_and_two_children(void **state)
{
    (void)state;
    baked b;
    kiln_paper_tree *tree = (kiln_paper_tree *)&b;
    bake_bytes(&b, mesh_box(0, 0, 0, 1, 1, 1), "aabb2", 0, KILN_ADB_ONE, true);
    assert_int_equal(kiln_paper_tree_open(b.bytes, b.size, KILN_BV_AABB2, NULL, &tree),
                     KILN_ERROR_NOT_LOADED);
    assert_null(tree);
    assert_int_equal(kiln_paper_tree_open(b.bytes, b.size, KILN_BV_OBB2, NULL, &tree),
                     KILN_ERROR_NOT_LOADED);
    assert_int_equal(kiln_paper_tree_open(b.bytes, b.size, KILN_BV_OBB, NULL, &tree),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_paper_tree_open(NULL, b.size, KILN_BV_AABB2, NULL, &tree),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_paper_tree_open(b.bytes, b.size, KILN_BV_AABB2, NULL, NULL),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_paper_tree_open(b.bytes, 100, KILN_BV_AABB2, NULL, &tree),
                     KILN_ERROR_TRUNCATED);
    free(b.bytes);
    bake_bytes(&b, mesh_box(0, 0, 0, 1, 1, 1), "aabb2,obb2", 8, KILN_ADB_ONE, true);
    assert_int_equal(kiln_paper_tree_open(b.bytes, b.size, KILN_BV_OBB2, "no such", &tree),
                     KILN_ERROR_NOT_LOADED);
    assert_int_equal(kiln_paper_tree_open(b.bytes, b.size, KILN_BV_OBB2, NULL, &tree), KILN_OK);
    assert_non_null(tree->axes);
    kiln_paper_tree_close(tree);
    kiln_paper_tree_close(NULL);
    free(b.bytes);
}

/* Without polygons: everything but the exact test. */
static void trees_without_polygons_are_asked_too(void **state)
{
    (void)state;
    baked b;
    bake_bytes(&b, mesh_torus(20, 10, 0), "aabb2", 8, KILN_ADB_OCTANTS, false);
    assert_int_equal(kiln_paper_tree_open(b.bytes, b.size, KILN_BV_AABB2, NULL, &b.tree), KILN_OK);
    kiln_paper_options options = kiln_paper_options_default();
    options.p_min = 0.5;
    options.k_min = 1;
    const kiln_pose pose = moved(0.2);
    assert_true(ask(&b, &pose, &options).collision);
    options.leaves = KILN_PAPER_TEST;
    kiln_paper_answer answer;
    assert_int_equal(kiln_paper_collide(query, b.tree, NULL, b.tree, NULL, &options, &answer),
                     KILN_ERROR_NOT_LOADED);
    discard(&b);
}

/* Counts, boxes and depths of a tree are the file's. */
static void boxes_are_those_of_the_file(void **state)
{
    (void)state;
    baked b = bake(mesh_box(-1, -2, -3, 1, 2, 3), "aabb2", KILN_ADB_ONE);
    const kiln_paper_tree *tree = b.tree;
    const kiln_tree_info info = kiln_tree_get_info(tree->tree);
    assert_int_equal(tree->box_count, 1 + 2 * info.node_count);
    assert_int_equal(tree->depth_max, info.depth);
    assert_int_equal(tree->cells, 512);
    assert_int_equal(tree->region_count, 1);
    const kiln_paper_box *root = &tree->boxes[0];
    for (int k = 0; k < 3; k++) {
        assert_true(fabs((double)root->half[k] * tree->scale - (k + 1)) < 1e-6);
        assert_true(fabs(tree->origin[k] + (double)root->centre[k] * tree->scale) < 1e-6);
    }
    /* Cells of 1/4 x 1/2 x 3/4, possible from half of 3/4 sqrt(1/16 + 1/4) = 0.42 on: those on the
     * faces across x (3/8), and on the edges between the other faces (3/16 and 1/8). */
    assert_int_equal(root->region[0], 2 * 64 + 4 * 6);
    int leaves = 0;
    for (uint32_t i = 1; i < tree->box_count; i++) {
        const kiln_paper_box *box = &tree->boxes[i];
        leaves += box->children == 0;
        assert_true(box->children == 0 || tree->boxes[box->children].depth == box->depth + 1);
        assert_true(box->volume > 0 && box->depth >= 1 && box->depth <= tree->depth_max);
    }
    assert_int_equal(leaves, info.triangle_count);
    discard(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lower_thresholds_find_more_and_sooner),
        cmocka_unit_test(the_lowest_threshold_takes_any_overlap),
        cmocka_unit_test(equation_1_does_not_reach_high_thresholds),
        cmocka_unit_test(exact_leaves_find_only_what_meets),
        cmocka_unit_test(leaves_may_be_accepted),
        cmocka_unit_test(counted_pairs_are_opened_unless_told),
        cmocka_unit_test(a_cut_run_says_so),
        cmocka_unit_test(tables_serve_if_they_are_large_enough),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(trees_need_counts_and_two_children),
        cmocka_unit_test(trees_without_polygons_are_asked_too),
        cmocka_unit_test(boxes_are_those_of_the_file),
    };
    return cmocka_run_group_tests_name("paper query", tests, make_query, free_query);
}
