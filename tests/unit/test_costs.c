/* What the cost function is made of: the fit without negative numbers, the sizes of volumes, the
 * measures of levels, and counts of queries, which are those of the walk and the same in every
 * instruction set. Nothing here looks at a clock. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../formats/check.h"
#include "../../formats/volume.h"
#include "../../runtime/kernel/kernel.h"
#include "../../tools/bake/query_cost.h"
#include "../../tools/bake/zachmann.h"
#include "../../tools/common/least_squares.h"
#include "../../tools/common/levels.h"
#include "../../tools/common/polytope.h"
#include "../support/quick_bake.h"
#include "../support/tally.h"

enum { KINDS = KILN_NODE_KIND_COUNT, DRAWS = 4 };

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)) + 1e-12;
}

/* --------------------------------------------------------------------------------------- fit -- */

static void the_fit_finds_what_made_the_values(void **state)
{
    (void)state;
    const double truth[] = {3, 0.5, 0, 40};
    kiln_equation equations[60];
    uint64_t random = 3;
    for (int e = 0; e < 60; e++) {
        equations[e] = (kiln_equation){.weight = 1.0 + e % 3};
        for (int i = 0; i < 4; i++) {
            equations[e].factor[i] = i == 3 ? 1 : (double)random_below(&random, 1000);
            equations[e].value += truth[i] * equations[e].factor[i];
        }
    }
    double found[KILN_UNKNOWNS_MAX];
    assert_true(kiln_least_squares(equations, 60, 4, found));
    for (int i = 0; i < 4; i++) {
        assert_true(fabs(found[i] - truth[i]) < 1e-6);
    }
}

/* Without the bound the best line through these has a negative slope. */
static void no_unknown_is_negative(void **state)
{
    (void)state;
    const kiln_equation equations[] = {
        {{1, 1}, 10, 1}, {{2, 1}, 8, 1}, {{3, 1}, 6, 1}, {{4, 1}, 4, 1}};
    double found[KILN_UNKNOWNS_MAX];
    assert_true(kiln_least_squares(equations, 4, 2, found));
    assert_true(found[0] == 0 && near(found[1], 7));
}

/* Each column twice the one before: the first has it all, and nothing is divided by 0. */
static void what_is_not_determined_is_nothing(void **state)
{
    (void)state;
    kiln_equation equations[5];
    double found[KILN_UNKNOWNS_MAX];
    for (int e = 0; e < 5; e++) {
        const double x = e + 1;
        equations[e] = (kiln_equation){{x, 2 * x, 4 * x}, 12 * x, 1};
    }
    assert_true(kiln_least_squares(equations, 5, 3, found));
    assert_true(near(found[0], 12) && found[1] == 0 && found[2] == 0);
    assert_true(kiln_least_squares(equations, 1, 2, found));
    assert_false(kiln_least_squares(equations, 0, 3, found));
    equations[2].value = NAN;
    assert_false(kiln_least_squares(equations, 5, 3, found));
    memset(equations, 0, sizeof equations);
    assert_true(kiln_least_squares(equations, 5, 3, found));
    assert_true(found[0] == 0 && found[1] == 0 && found[2] == 0);
}

static void unit_costs_explain_times_that_are_sums(void **state)
{
    (void)state;
    const kiln_unit_costs truth = {20, 4, 9, 300};
    kiln_timed_query queries[100];
    kiln_unit_costs found;
    kiln_work sum = {0, 0, 0, 0};
    uint64_t random = 8;
    double total = 0;
    for (int i = 0; i < 100; i++) {
        kiln_work *work = &queries[i].work;
        work->nodes = 1 + random_below(&random, 50);
        work->volume_pairs = work->nodes * 7 + random_below(&random, 8);
        work->leaf_pairs = random_below(&random, 9);
        work->triangle_pairs = work->leaf_pairs * random_below(&random, 16);
        queries[i].time = kiln_query_cost(&truth, work, 1);
        sum.nodes += work->nodes;
        sum.volume_pairs += work->volume_pairs;
        sum.triangle_pairs += work->triangle_pairs;
        total += queries[i].time;
    }
    assert_true(kiln_unit_costs_fit(queries, 100, truth.update, &found));
    assert_true(fabs(found.test - 4) < 1e-6 && fabs(found.triangle - 9) < 1e-6);
    assert_true(fabs(found.query - 300) < 1e-4 && found.update == 20);
    assert_true(near(kiln_query_cost(&truth, &sum, 100), total));
    assert_false(kiln_unit_costs_fit(queries, 0, 20, &found));
}

/* ----------------------------------------------------------------------------------- volumes -- */

/* The cube of side 2 cut by the slabs |n . p| <= half of the diagonals of corners or edges. */
static kiln_volume cut_cube(const kiln_node_kind *kind, double half)
{
    kiln_volume of = {.kind = kind, .level = 1};
    for (unsigned k = 0; k < 3; k++) {
        of.box.axis[k][k] = of.box.half[k] = 1;
    }
    of.slab_count = kind->dop != NULL ? kind->dop->slabs : 0;
    for (unsigned j = 0; j < of.slab_count; j++) {
        for (unsigned k = 0; k < 3; k++) {
            of.slab[j].normal[k] = (double)kind->dop->direction[k][3 + j];
        }
        of.slab[j].half = half;
    }
    return of;
}

static const kiln_node_kind *kind_of(const char *name)
{
    for (unsigned i = 0; i < KINDS; i++) {
        if (strcmp(kiln_node_kinds[i].name, name) == 0) {
            return &kiln_node_kinds[i];
        }
    }
    fail_msg("there is no kind %s", name);
    return NULL;
}

static void sizes_are_those_of_solids_that_are_known(void **state)
{
    (void)state;
    /* |x| + |y| + |z| <= 1 is an octahedron of size 4/3; at 2 the cube loses 8 corners of 1/6. */
    kiln_volume of = cut_cube(kind_of("dop14"), 1);
    assert_true(near(kiln_volume_size(&of), 4.0 / 3));
    of = cut_cube(kind_of("dop14"), 2);
    assert_true(near(kiln_volume_size(&of), 8 - 8.0 / 6));
    of = cut_cube(kind_of("dop14"), 3); /* touches the corners: the cube, with no more faces */
    assert_true(near(kiln_volume_size(&of), 8));
    kiln_polytope polytope;
    kiln_polytope_of(&of, &polytope);
    assert_int_equal(polytope.face_count, 6);
    /* |x| + |y| <= 1 and so on is a rhombic dodecahedron of size 2. */
    of = cut_cube(kind_of("dop18"), 1);
    assert_true(near(kiln_volume_size(&of), 2));
    kiln_polytope_of(&of, &polytope);
    assert_int_equal(polytope.face_count, 12);
    of = cut_cube(kind_of("obb"), 0);
    assert_true(near(kiln_volume_size(&of), 8));
    of = cut_cube(kind_of("sphere"), 0);
    assert_true(near(kiln_volume_size(&of), 4.0 / 3 * 3.14159265358979323846));
}

/* Corners of a polytope are in the volume and on its surface; opposite sides don't meet a copy that
 * is moved beyond them. */
static void polytopes_and_overlap_agree_with_the_volume(void **state)
{
    (void)state;
    for (unsigned i = 0; i < KINDS; i++) {
        kiln_volume of = cut_cube(&kiln_node_kinds[i], 1.7), moved = of;
        kiln_polytope polytope = {.face_count = 0};
        if (!of.kind->balls) {
            kiln_polytope_of(&of, &polytope);
            assert_true(polytope.face_count >= 6);
        }
        for (unsigned f = 0; f < polytope.face_count; f++) {
            for (unsigned c = 0; c < polytope.face[f].corner_count; c++) {
                assert_true(fabs(kiln_volume_beyond(&of, polytope.face[f].corner[c])) < 1e-8);
            }
        }
        for (unsigned away = 0; away < 2; away++) {
            const double way[3] = {away == 0 ? 1.0 : 1.4, away == 0 ? 1.0 : 1.4, 0};
            for (unsigned k = 0; k < 3; k++) {
                moved.box.centre[k] = way[k];
            }
            for (unsigned j = 0; j < moved.slab_count; j++) {
                const double *n = moved.slab[j].normal;
                moved.slab[j].centre = (n[0] * way[0] + n[1] * way[1]) + n[2] * way[2];
            }
            /* Moved by 1.4 twice: balls of radius 1 share a point at 1.98 apart, and so do boxes.
             */
            assert_true(kiln_volumes_overlap(&of, &moved));
        }
        moved.box.centre[0] = 2.01;
        assert_false(kiln_volumes_overlap(&of, &moved));
    }
}

/* ------------------------------------------------------------------------------------ levels -- */

typedef struct {
    const kiln_view_tree *tree;
    uint64_t leaves, triangles, inner;
    uint32_t deepest, at;
    double size; /* of the leaves together */
} counted_walk;

static bool count_volume(void *user, const kiln_volume *volume)
{
    counted_walk *w = user;
    assert_true(volume->level >= 1 && volume->level <= w->at + 1);
    w->at = volume->level;
    w->deepest = volume->level > w->deepest ? volume->level : w->deepest;
    w->leaves += volume->contents.count > 0;
    w->triangles += volume->contents.count;
    w->inner += volume->contents.count == 0;
    w->size += volume->contents.count > 0 ? kiln_volume_size(volume) : 0;
    return true;
}

static void the_walk_visits_every_volume_once(void **state)
{
    (void)state;
    mesh m = mesh_torus(30, 20, 0.4);
    for (unsigned i = 0; i < KINDS; i++) {
        void *bytes;
        size_t size;
        kiln_reader reader;
        kiln_view view;
        kiln_format_error error;
        bytes = quick_bake(&m, kiln_node_kinds[i].name, 4, KILN_LAYOUT_RAW, &size);
        assert_true(kiln_reader_open(&reader, bytes, size, NULL, &error));
        assert_true(kiln_view_open(&view, &reader, true, &error));
        const kiln_view_tree tree = kiln_view_get_tree(&view, 0);
        counted_walk walk = {.tree = &tree};
        kiln_tree_visit_volumes(&tree, count_volume, &walk);
        assert_int_equal(walk.inner + 1, tree.entry->node_count);
        assert_int_equal(walk.deepest, tree.entry->depth);
        assert_true(walk.triangles >= tree.entry->triangle_count);
        const kiln_tree_memory memory = kiln_tree_memory_of(&tree);
        assert_int_equal(memory.leaves, walk.leaves);
        assert_int_equal(memory.inner, tree.entry->node_count);
        assert_true(memory.bytes >= memory.inner * tree.kind->node_size);

        kiln_level_measure levels[KILN_TREE_DEPTH_MAX];
        uint32_t count = 0;
        kiln_levels_measure(&view, &tree, levels, &count);
        assert_int_equal(count, tree.entry->depth);
        assert_int_equal(levels[count - 1].volumes, walk.leaves);
        double box = ldexp(1, -3 * tree.entry->scale_exponent);
        for (unsigned k = 0; k < 3; k++) {
            box *= (double)tree.entry->bounds_upper[k] - (double)tree.entry->bounds_lower[k];
        }
        assert_true(fabs(levels[count - 1].size - walk.size / box) < 1e-9 * walk.size / box);
        for (uint32_t l = 0; l < count; l++) {
            assert_true(levels[l].cover >= 1); /* the volumes of a level hold the surface */
            assert_true(levels[l].size > 0 && levels[l].siblings_apart <= levels[l].siblings);
            assert_true(l == 0 || levels[l].volumes >= levels[l - 1].volumes);
        }
        kiln_reader_close(&reader);
        free(bytes);
    }
    mesh_free(&m);
}

/* ------------------------------------------------------------------------------------ counts -- */

static void counts_are_those_of_the_walk_in_every_set(void **state)
{
    (void)state;
    mesh m = mesh_torus(30, 20, 0.4);
    for (unsigned i = 0; i < KINDS; i++) {
        void *bytes;
        kiln_file *file = quick_open(&m, kiln_node_kinds[i].name, 4, KILN_LAYOUT_RAW, &bytes);
        const kiln_tree *tree = kiln_file_tree(file, 0);
        kiln_pose_pair *pairs;
        size_t count, hits;
        kiln_work first = {0, 0, 0, 0};
        const kiln_kernel *kernel;
        assert_true(kiln_zachmann_pairs(tree, tree, DRAWS, &pairs, &count));
        assert_true(count > 0 && count <= (size_t)DRAWS * KILN_ZACHMANN_DISTANCES);
        for (unsigned k = 0; (kernel = kiln_kernel_runnable(k)) != NULL; k++) {
            kiln_work work;
            kiln_kernel_force(kernel);
            assert_int_equal(kiln_work_over(tree, tree, pairs, count, &work, &hits), KILN_OK);
            if (k == 0) { /* the scalar set, which fuses nothing */
                tally sum = {0, 0, 0};
                size_t met = 0;
                for (size_t p = 0; p < count; p++) {
                    met += tally_collide(tree, tree, &pairs[p].b, &sum);
                }
                assert_int_equal(met, hits);
                assert_int_equal(work.nodes, sum.nodes);
                assert_int_equal(work.leaf_pairs, sum.leaves);
                assert_int_equal(work.triangle_pairs, sum.pairs);
                assert_true(work.volume_pairs >= count + 2 * work.nodes - 1);
                assert_true(work.volume_pairs <= count + kiln_node_kinds[i].lanes * work.nodes);
                first = work;
            }
            assert_memory_equal(&work, &first, sizeof work);
        }
        kiln_kernel_force(NULL);
        free(pairs);
        kiln_close(file);
        free(bytes);
    }
    mesh_free(&m);
}

/* A copy moved by t along the first axis, under one set of instructions. */
static kiln_work work_at(const kiln_tree *tree, kiln_pose *pose, double t, unsigned set)
{
    kiln_work work;
    kiln_hit hit;
    pose->translation[0] = t;
    kiln_kernel_force(kiln_kernel_runnable(set));
    assert_int_equal(kiln_collide_work(tree, NULL, tree, pose, NULL, &hit, &work), KILN_OK);
    return work;
}

/* Where two volumes touch within roundings, sets of instructions decide differently, but not where
 * they count. Such places are found by bisection: there the counts of one set change. */
static void counts_are_alike_where_volumes_touch(void **state)
{
    (void)state;
    uint64_t random = 5;
    mesh m = mesh_torus(20, 12, 0.3);
    for (unsigned i = 0; i < KINDS; i++) {
        void *bytes;
        kiln_file *file = quick_open(&m, kiln_node_kinds[i].name, 2, KILN_LAYOUT_RAW, &bytes);
        const kiln_tree *tree = kiln_file_tree(file, 0);
        for (unsigned draw = 0; draw < 12; draw++) {
            kiln_pose pose = pose_random(&random, 0);
            double inside = 0.2 * (draw % 4), outside = 6; /* apart */
            const kiln_work near_work = work_at(tree, &pose, inside, 0);
            for (int step = 0; step < 34; step++) {
                const double middle = (inside + outside) / 2;
                const kiln_work work = work_at(tree, &pose, middle, 0);
                *(memcmp(&work, &near_work, sizeof work) == 0 ? &inside : &outside) = middle;
            }
            for (int step = -24; step <= 24; step++) {
                const double t = inside + step * 0x1p-27;
                const kiln_work first = work_at(tree, &pose, t, 0);
                for (unsigned set = 1; kiln_kernel_runnable(set) != NULL; set++) {
                    const kiln_work work = work_at(tree, &pose, t, set);
                    assert_memory_equal(&work, &first, sizeof work);
                }
            }
        }
        kiln_kernel_force(NULL);
        kiln_close(file);
        free(bytes);
    }
    mesh_free(&m);
}

/* Errors leave both outputs alone; the answer is kiln_collide's. */
static void work_is_written_with_the_answer_or_not_at_all(void **state)
{
    (void)state;
    mesh m = mesh_torus(12, 8, 0.4);
    void *bytes;
    kiln_file *file = quick_open(&m, "obb", 4, KILN_LAYOUT_RAW, &bytes);
    const kiln_tree *tree = kiln_file_tree(file, 0);
    kiln_pose pose = kiln_pose_identity(), broken = pose;
    kiln_work work = {7, 7, 7, 7};
    const kiln_work kept = work;
    kiln_hit hit = {.found = true}, plain;
    broken.rotation[0] = NAN;
    assert_int_equal(kiln_collide_work(tree, NULL, tree, &broken, NULL, &hit, &work),
                     KILN_ERROR_POSE);
    assert_int_equal(kiln_collide_work(tree, NULL, NULL, &pose, NULL, &hit, &work),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_collide_work(tree, NULL, tree, &pose, NULL, NULL, &work),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_collide_work(tree, NULL, tree, &pose, NULL, &hit, NULL),
                     KILN_ERROR_ARGUMENT);
    assert_memory_equal(&work, &kept, sizeof work);
    pose.translation[0] = 100; /* apart at the roots: one pair of volumes */
    assert_int_equal(kiln_collide_work(tree, NULL, tree, &pose, NULL, &hit, &work), KILN_OK);
    assert_true(!hit.found && work.nodes == 0 && work.volume_pairs == 1 && work.leaf_pairs == 0);
    pose.translation[0] = 0.1;
    assert_int_equal(kiln_collide(tree, NULL, tree, &pose, NULL, &plain), KILN_OK);
    assert_int_equal(kiln_collide_work(tree, NULL, tree, &pose, NULL, &hit, &work), KILN_OK);
    assert_true(hit.found == plain.found && hit.found && work.triangle_pairs > 0);
    kiln_close(file);
    free(bytes);
    mesh_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fit_finds_what_made_the_values),
        cmocka_unit_test(no_unknown_is_negative),
        cmocka_unit_test(what_is_not_determined_is_nothing),
        cmocka_unit_test(unit_costs_explain_times_that_are_sums),
        cmocka_unit_test(sizes_are_those_of_solids_that_are_known),
        cmocka_unit_test(polytopes_and_overlap_agree_with_the_volume),
        cmocka_unit_test(the_walk_visits_every_volume_once),
        cmocka_unit_test(counts_are_those_of_the_walk_in_every_set),
        cmocka_unit_test(counts_are_alike_where_volumes_touch),
        cmocka_unit_test(work_is_written_with_the_answer_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
