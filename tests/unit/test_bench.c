/* The parts of `kiln-bench adb`: the procedure is the same every time, the rivals answer what they
 * promise, and what is computed of answers is right where the result is known. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../bench/adb/adb.h"
#include "../bench/adb/dop24.h"
#include "../bench/adb/numbers.h"
#include "../bench/adb/truncated.h"
#include "../support/counted.h"

enum { DRAWS = 12 };

static bench_mesh view_of(const mesh *m)
{
    return (bench_mesh){m->positions, m->indices, m->vertex_count, m->triangle_count, NULL};
}

/* With counts where `grid` is not 0. */
static void bake_into(bench_file *file, const mesh *m, const char *bv, int leaf, int grid)
{
    kiln_bake_options options = kiln_bake_options_default();
    const bench_mesh same = view_of(m);
    void *data;
    size_t size;
    options.bv = bv;
    options.leaf = leaf;
    options.layout = KILN_LAYOUT_RAW;
    options.adb = grid;
    options.adb_factor = 0.75;
    assert_int_equal(bench_bake(&same, &options, &data, &size), KILN_BAKE_OK);
    assert_int_equal(bench_file_open(data, size, NULL, file), KILN_OK);
}

static const kiln_tree *tree_of(const bench_file *file)
{
    return kiln_file_tree(file->file, 0);
}

/* ------------------------------------------------------------------------------------- poses -- */

static const float lower[3] = {-1.0f, 3.0f, 0.5f}, upper[3] = {3.0f, 5.0f, 1.5f};

static void test_poses_repeat(void **state)
{
    (void)state;
    static zachmann_pose first[ZACHMANN_DISTANCES * DRAWS], second[ZACHMANN_DISTANCES * DRAWS];
    const zachmann_box box = zachmann_box_of(lower, upper);
    const size_t count = zachmann_poses(&box, ZACHMANN_SEED_TEST, DRAWS, first);
    assert_true(count > ZACHMANN_DISTANCES && count < ZACHMANN_DISTANCES * DRAWS);
    assert_int_equal(zachmann_poses(&box, ZACHMANN_SEED_TEST, DRAWS, second), count);
    for (size_t i = 0; i < count; i++) {
        assert_memory_equal(&first[i].pose, &second[i].pose, sizeof first[i].pose);
        assert_int_equal(first[i].distance, second[i].distance);
    }
    (void)zachmann_poses(&box, ZACHMANN_SEED_TRAINING, DRAWS, second);
    assert_memory_not_equal(&first[0].pose, &second[0].pose, sizeof first[0].pose);
}

/* The middle of the copy's box is as far from the other's as the distance says. */
static void test_poses_keep_their_distance(void **state)
{
    (void)state;
    static zachmann_pose poses[ZACHMANN_DISTANCES * DRAWS];
    const zachmann_box box = zachmann_box_of(lower, upper);
    const size_t count = zachmann_poses(&box, ZACHMANN_SEED_TEST, DRAWS, poses);
    assert_true(box.side == 2.0);
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        for (int k = 0; k < 3; k++) {
            const double *row = poses[i].pose.rotation + 3 * k;
            const double at = row[0] * box.middle[0] + row[1] * box.middle[1] +
                              row[2] * box.middle[2] + poses[i].pose.translation[k];
            sum += (at - box.middle[k]) * (at - box.middle[k]);
        }
        assert_true(fabs(sqrt(sum) - 2.0 * zachmann_distance(poses[i].distance)) < 1e-9);
    }
    assert_true(zachmann_distance(0) == 0.4 && zachmann_distance(17) == 2.1);
}

/* ------------------------------------------------------------------------------------ rivals -- */

static void check_rivals(mesh m)
{
    static const uint32_t sizes[] = {1, 4, 16, 48, 100000};
    const bench_mesh same = view_of(&m);
    bench_file wide, binary;
    bake_into(&wide, &m, "obb", 4, 4);
    bake_into(&binary, &m, "obb2", 1, 0);
    bench_subject subject;
    dop24 *dop = dop24_build(&binary);
    assert_non_null(dop);
    assert_true(bench_subject_make("m", tree_of(&wide), DRAWS, &subject));
    assert_true(subject.hits > 0);
    for (size_t i = 0; i < subject.count; i++) {
        unsigned volumes = 0;
        assert_int_equal(dop24_collide(dop, &subject.poses[i].pose, &volumes), subject.truth[i]);
        assert_true(volumes > 0);
    }
    for (size_t s = 0; s < 2 * sizeof sizes / sizeof sizes[0]; s++) {
        bench_file cut;
        assert_int_equal(truncated_bake(&same, s % 2 == 0 ? "obb" : "obb2", sizes[s / 2], &cut),
                         KILN_OK);
        const uint32_t nodes = kiln_tree_get_info(tree_of(&cut)).node_count;
        assert_true(sizes[s / 2] < m.triangle_count || nodes == 1);
        for (size_t i = 0; i < subject.count; i++) {
            bool found = false;
            assert_int_equal(kiln_collide_boxes(tree_of(&cut), NULL, tree_of(&cut),
                                                &subject.poses[i].pose, &found),
                             KILN_OK);
            assert_true(found || !subject.truth[i]);
        }
        bench_file_close(&cut);
    }
    dop24_free(dop);
    bench_subject_free(&subject);
    bench_file_close(&wide);
    bench_file_close(&binary);
    mesh_free(&m);
}

static void test_rivals(void **state)
{
    (void)state;
    uint64_t random = 1;
    check_rivals(mesh_torus(40, 20, 0.2));
    check_rivals(mesh_soup(&random, 300, 0.2));
    check_rivals(mesh_lattice(&random, 60, 4));
    check_rivals(mesh_box(0, 0, 0, 1, 2, 3));
}

/* What boxes alone say, also of a file without polygons, and what is refused. */
static void test_boxes(void **state)
{
    (void)state;
    counted with = counted_bake(mesh_box(0, 0, 0, 1, 1, 1), "obb", 4, 4, KILN_ADB_OCTANTS, true);
    counted bare = counted_bake(mesh_box(0, 0, 0, 1, 1, 1), "obb", 4, 4, KILN_ADB_OCTANTS, false);
    kiln_pose pose = kiln_pose_identity();
    bool found = false;
    kiln_hit hit;
    assert_int_equal(kiln_collide(with.tree, NULL, bare.tree, NULL, NULL, &hit),
                     KILN_ERROR_NOT_LOADED);
    assert_int_equal(kiln_collide_boxes(with.tree, NULL, bare.tree, NULL, &found), KILN_OK);
    assert_true(found);
    pose.translation[1] = 1.5;
    assert_int_equal(kiln_collide_boxes(bare.tree, NULL, with.tree, &pose, &found), KILN_OK);
    assert_false(found);
    pose.rotation[0] = 0;
    found = true;
    assert_int_equal(kiln_collide_boxes(bare.tree, NULL, with.tree, &pose, &found),
                     KILN_ERROR_POSE);
    assert_int_equal(kiln_collide_boxes(NULL, NULL, with.tree, NULL, &found), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_collide_boxes(bare.tree, NULL, NULL, NULL, &found), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_collide_boxes(bare.tree, NULL, with.tree, NULL, NULL),
                     KILN_ERROR_ARGUMENT);
    assert_true(found);
    counted_free(&with);
    counted_free(&bare);
}

static void test_dop24_needs_single_triangles(void **state)
{
    (void)state;
    mesh m = mesh_box(0, 0, 0, 1, 1, 1);
    bench_file wide, coarse;
    bake_into(&wide, &m, "obb", 1, 0);
    bake_into(&coarse, &m, "obb2", 4, 0);
    assert_null(dop24_build(&wide));
    assert_null(dop24_build(&coarse));
    bench_file_close(&wide);
    bench_file_close(&coarse);
    mesh_free(&m);
}

/* ----------------------------------------------------------------------------------- samples -- */

static bench_calibration calibrated(bench_samples *samples)
{
    bench_calibration found;
    assert_true(bench_calibration_of(samples, 200, &found));
    return found;
}

static void test_calibration_of_constants(void **state)
{
    (void)state;
    bench_samples samples;
    bench_samples_begin(&samples, "x");
    assert_true(calibrated(&samples).ece == 0);
    for (int i = 0; i < 1000; i++) {
        bench_samples_add(&samples, 0.75, true);
    }
    const bench_calibration c = calibrated(&samples);
    assert_true(c.error == 0 && isnan(c.auc));
    assert_true(fabs(c.ece - 0.25) < 1e-12 && fabs(c.ece_bound - 0.25) < 1e-12);
    assert_true(fabs(c.brier - 0.0625) < 1e-12);
    bench_samples_free(&samples);
}

/* 15 groups of one bin each; of group i, that says (i + 1) / 16, the first i of 30 are true. */
static void test_calibration_of_groups(void **state)
{
    (void)state;
    bench_samples samples;
    double ece = 0, brier = 0;
    bench_samples_begin(&samples, "x");
    for (int i = 0; i < 15; i++) {
        const double said = (i + 1) / 16.0, came = i / 30.0;
        ece += fabs(said - came) / 15;
        brier += (came * (1 - said) * (1 - said) + (1 - came) * said * said) / 15;
        for (int k = 0; k < 30; k++) {
            bench_samples_add(&samples, said, k < i);
        }
    }
    const bench_calibration c = calibrated(&samples);
    assert_true(fabs(c.ece - ece) < 1e-9);
    assert_true(fabs(c.brier - brier) < 1e-9);
    assert_true(c.ece_bound > c.ece && c.ece_bound < c.ece + 0.1);
    const bench_calibration again = calibrated(&samples);
    assert_true(again.ece_bound == c.ece_bound);

    bench_reliability points[BENCH_RELIABILITY_BINS];
    const unsigned count = bench_reliability_of(&samples, points);
    assert_int_equal(count, 15);
    for (unsigned i = 0; i < count; i++) {
        assert_true(fabs(points[i].said - (i + 1) / 16.0) < 1e-9);
        assert_true(fabs(points[i].truth - i / 30.0) < 1e-9);
        assert_true(points[i].spread > 0 && points[i].spread < 0.3);
    }
    bench_samples_free(&samples);
}

/* Probabilities that hold by chance: noise alone is left, and the bound is above it. */
static void test_calibration_of_true_odds(void **state)
{
    (void)state;
    bench_samples samples;
    uint64_t random = 7;
    bench_samples_begin(&samples, "x");
    for (int i = 0; i < 40000; i++) {
        const double p = random_between(&random, 0, 1);
        bench_samples_add(&samples, p, random_between(&random, 0, 1) < p);
    }
    const bench_calibration c = calibrated(&samples);
    assert_true(c.ece < 0.015 && c.ece_bound > c.ece && c.ece_bound < 0.02);
    assert_true(fabs(c.error - 0.25) < 0.01);
    assert_true(fabs(c.brier - 1.0 / 6) < 0.01);
    assert_true(fabs(c.auc - 5.0 / 6) < 0.01);
    bench_samples_free(&samples);
}

static void test_auc(void **state)
{
    (void)state;
    bench_samples samples;
    bench_samples_begin(&samples, "x");
    for (int i = 0; i < 10; i++) {
        bench_samples_add(&samples, i < 5 ? 0.2 : 0.8, i >= 5);
    }
    assert_true(calibrated(&samples).auc == 1.0);
    bench_samples_add(&samples, 0.2, true); /* one of 6 true ones is tied with 5 false */
    assert_true(fabs(calibrated(&samples).auc - (5.0 + 0.5) / 6) < 1e-12);
    bench_samples_free(&samples);
}

/* ----------------------------------------------------------------------------------- compare -- */

/* One object of 100 poses, the first 50 of which meet, all at distance `which`. */
static bench_table table_of(char *name, int which)
{
    bench_table table;
    memset(&table, 0, sizeof table);
    table.name = name;
    table.poses = 100;
    table.hits = 50;
    table.row_count = BENCH_METHODS;
    table.distances = calloc(100, 1);
    table.truth = calloc(100, sizeof *table.truth);
    assert_true(table.distances != NULL && table.truth != NULL);
    for (int i = 0; i < 100; i++) {
        table.distances[i] = (uint8_t)which;
        table.truth[i] = i < 50;
    }
    for (unsigned m = 0; m < BENCH_METHODS; m++) {
        table.rows[m].mean = 16;
        table.rows[m].times = calloc(100, sizeof *table.rows[m].times);
        assert_non_null(table.rows[m].times);
        for (int i = 0; i < 100; i++) {
            table.rows[m].times[i] = i < 50 ? 8 : 24;
        }
    }
    return table;
}

static void table_clear(bench_table *table)
{
    table->name = NULL;
    bench_table_free(table);
}

static void test_truncation_at_equal_error(void **state)
{
    (void)state;
    char name[] = "m";
    bench_table table = table_of(name, 0);
    const bench_tables all = {&table, 1};
    static const size_t wrong[] = {0, 1, 2, 4};
    for (unsigned i = 0; i < BENCH_TRUNCATED_SIZES; i++) {
        table.rows[BENCH_TRUNCATED + i].positives = wrong[i];
        table.rows[BENCH_TRUNCATED + i].mean = 8 >> i;
        table.rows[BENCH_TRUNCATED + BENCH_TRUNCATED_SIZES + i].positives = 50;
    }
    bench_row *row = &table.rows[BENCH_TIMED];
    row->mean = 0.5;
    row->negatives = 3; /* half way from 2 to 4: a time of sqrt 2 */
    bench_mean_row mean = bench_mean_of(&all, BENCH_TIMED);
    assert_true(fabs(mean.times[BENCH_DOP24] - 32) < 1e-9 && mean.error == 0.03);
    assert_true(mean.negatives == 0.03 && mean.positives == 0);
    assert_true(fabs(bench_times_truncated(&all, &mean) - sqrt(2) / 0.5) < 1e-9);
    row->negatives = 9; /* beyond the most erroneous of a kind: that one */
    mean = bench_mean_of(&all, BENCH_TIMED);
    assert_true(fabs(bench_times_truncated(&all, &mean) - 1 / 0.5) < 1e-9);
    row->negatives = 0;
    mean = bench_mean_of(&all, BENCH_TIMED);
    assert_true(fabs(bench_times_truncated(&all, &mean) - 8 / 0.5) < 1e-9);
    table.rows[BENCH_TRUNCATED].positives = 1;
    assert_true(isnan(bench_times_truncated(&all, &mean)));
    table_clear(&table);
}

static void test_where(void **state)
{
    (void)state;
    char near[] = "near", far[] = "far";
    bench_table tables[2] = {table_of(near, 0), table_of(far, 5)};
    const bench_tables all = {tables, 2};
    for (int i = 0; i < 100; i++) {
        tables[0].rows[BENCH_TIMED].times[i] = i < 50 ? 1 : 24;
        tables[1].rows[BENCH_TIMED].times[i] = i < 50 ? 4 : 12;
    }
    const double meet = bench_times_where(&all, BENCH_OBB, BENCH_TIMED, (bench_where){-1, 1});
    const double apart = bench_times_where(&all, BENCH_OBB, BENCH_TIMED, (bench_where){-1, 0});
    assert_true(fabs(meet - 4) < 1e-9); /* 8 and 2 */
    assert_true(fabs(apart - sqrt(2)) < 1e-9);
    const double there = bench_times_where(&all, BENCH_OBB, BENCH_TIMED, (bench_where){5, -1});
    assert_true(fabs(there - 2) < 1e-9);
    assert_true(bench_times_where(&all, BENCH_OBB, BENCH_TIMED, (bench_where){7, -1}) == 0);
    tables[1].rows[BENCH_OBB].exact = true;
    tables[1].rows[BENCH_OBB].negatives = 1;
    assert_int_equal(bench_table_differ(&tables[0]), 0);
    assert_int_equal(bench_table_differ(&tables[1]), 1);
    table_clear(&tables[0]);
    table_clear(&tables[1]);
}

/* --------------------------------------------------------------------------------------- run -- */

static void test_run(void **state)
{
    (void)state;
    mesh m = mesh_torus(30, 15, 0.2);
    const bench_mesh same = view_of(&m);
    bench_file wide;
    bake_into(&wide, &m, "obb", 4, 4);
    bench_adb_options options = bench_adb_options_default(true);
    bench_adb run;
    options.draws = 4;
    options.contacts = 3;
    bench_adb_begin(&run, &options);
    assert_int_equal(bench_adb_add(&run, "one", tree_of(&wide), &same, NULL, 0), KILN_OK);
    assert_int_equal(bench_adb_add(&run, "two", tree_of(&wide), &same, NULL, 0), KILN_OK);
    assert_true(bench_adb_finish(&run));
    assert_int_equal(run.compared.count, 2);
    for (size_t t = 0; t < 2; t++) {
        const bench_table *table = &run.compared.tables[t];
        assert_int_equal(bench_table_differ(table), 0);
        for (unsigned i = BENCH_TRUNCATED; i < BENCH_TIMED; i++) {
            assert_int_equal(table->rows[i].negatives, 0);
        }
        for (unsigned i = 0; i < table->row_count; i++) { /* same answers both times */
            assert_int_equal(table->rows[i].positives, run.compared.tables[0].rows[i].positives);
            assert_true(table->rows[i].mean > 0 && table->rows[i].worst >= table->rows[i].p99);
        }
    }
    assert_int_equal(run.gaps.queried, 6);
    assert_int_equal(run.samples[BENCH_ANSWERS].count,
                     run.compared.tables[0].poses + run.compared.tables[1].poses);
    assert_int_equal(run.budgets[0].objects, 2);
    assert_true(run.budgets[6].undecided <= run.budgets[0].undecided);
    bench_adb_free(&run);
    bench_file_close(&wide);
    mesh_free(&m);
}

static void test_run_refuses(void **state)
{
    (void)state;
    mesh m = mesh_box(0, 0, 0, 1, 1, 1);
    bench_mesh same = view_of(&m);
    bench_file plain, wide;
    bake_into(&plain, &m, "obb", 4, 0);
    bake_into(&wide, &m, "obb", 4, 4);
    const bench_adb_options options = bench_adb_options_default(true);
    bench_adb run;
    bench_adb_begin(&run, &options);
    assert_int_equal(bench_adb_add(&run, "m", tree_of(&plain), &same, NULL, 0),
                     KILN_ERROR_NOT_LOADED);
    same.triangle_count = 1;
    assert_int_equal(bench_adb_add(&run, "m", tree_of(&wide), &same, NULL, 0), KILN_ERROR_ARGUMENT);
    assert_int_equal(run.compared.count, 0);
    bench_adb_free(&run);
    bench_file_close(&plain);
    bench_file_close(&wide);
    mesh_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_poses_repeat),
        cmocka_unit_test(test_poses_keep_their_distance),
        cmocka_unit_test(test_rivals),
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_dop24_needs_single_triangles),
        cmocka_unit_test(test_calibration_of_constants),
        cmocka_unit_test(test_calibration_of_groups),
        cmocka_unit_test(test_calibration_of_true_odds),
        cmocka_unit_test(test_auc),
        cmocka_unit_test(test_truncation_at_equal_error),
        cmocka_unit_test(test_where),
        cmocka_unit_test(test_run),
        cmocka_unit_test(test_run_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
