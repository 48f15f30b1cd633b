/* The published query on meshes of every sort, with every choice: it ends, its numbers are in
 * range, it answers alike each time and, where that is claimed, whichever tree comes first. */
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
#include "../support/amount.h"
#include "../support/quick_bake.h"

typedef struct {
    void *bytes;
    kiln_paper_tree *tree;
} subject;

static mesh draw_mesh(uint64_t *state)
{
    const uint32_t triangles = 1 + random_below(state, 120);
    switch (random_below(state, 4)) {
    case 0:
        return mesh_soup(state, triangles, random_between(state, 0.01, 1));
    case 1:
        return mesh_lattice(state, triangles, 1 + (int)random_below(state, 4));
    case 2:
        return mesh_box(0, 0, 0, 1, 1, random_below(state, 2) == 0 ? 0.0f : 3.0f);
    default:
        return mesh_torus(3 + random_below(state, 12), 3 + random_below(state, 8), 0.1);
    }
}

static subject draw_subject(uint64_t *state)
{
    static const int grids[3] = {4, 8, 16};
    kiln_bake_options how = kiln_bake_options_default();
    const bool oriented = random_below(state, 2) == 0;
    mesh m = draw_mesh(state);
    size_t size;
    subject s;
    how.bv = oriented ? "obb2" : "aabb2";
    how.leaf = 1 + (int)random_below(state, 4);
    how.adb = grids[random_below(state, 3)];
    how.adb_regions = (kiln_adb_regions)(1 + random_below(state, 3));
    how.adb_area = (kiln_adb_area)(1 + random_below(state, 2));
    how.adb_factor = random_between(state, 0.2, 1);
    how.adb_polygons = (kiln_adb_polygons)(1 + random_below(state, 2));
    s.bytes = quick_bake_with(&m, &how, &size);
    assert_int_equal(
        kiln_paper_tree_open(s.bytes, size, oriented ? KILN_BV_OBB2 : KILN_BV_AABB2, NULL, &s.tree),
        KILN_OK);
    mesh_free(&m);
    return s;
}

static void discard(subject *s)
{
    kiln_paper_tree_close(s->tree);
    free(s->bytes);
}

static kiln_paper_options draw_options(uint64_t *state)
{
    static const double p_min[] = {0, 0.2, 0.5, 0.9, 0.99, 1};
    const kiln_paper_options options = {
        .p_min = p_min[random_below(state, 6)],
        .k_min = 1 + random_below(state, 12),
        .volume = (kiln_paper_volume)random_below(state, KILN_PAPER_VOLUMES),
        .size_ratio = random_between(state, 1, 3),
        .gate = (kiln_paper_gate)random_below(state, 3),
        .share = (kiln_paper_share)random_below(state, 2),
        .level = (kiln_paper_level)random_below(state, 2),
        .rounding = (kiln_paper_rounding)random_below(state, 3),
        .x_max = 1 + random_below(state, 10),
        .reinsert = random_below(state, 2) == 0,
        .leaves = (kiln_paper_leaves)random_below(state, 3),
        .pairs_max = 1 + random_below(state, 300),
    };
    return options;
}

static int rounds(int many)
{
    return is_shortened() ? many / 10 : is_third() ? many / 3 : many;
}

static void queries_end_and_repeat_themselves(void **state)
{
    (void)state;
    uint64_t random = 2003;
    kiln_paper_query *used = kiln_paper_query_make();
    assert_non_null(used);
    int collisions = 0, asked = 0;
    for (int i = 0; i < rounds(150); i++) {
        subject a = draw_subject(&random), b = draw_subject(&random);
        for (int j = 0; j < 12; j++) {
            const kiln_paper_options options = draw_options(&random);
            const kiln_pose pose = j % 3 == 0 ? pose_exact(&random, 2) : pose_random(&random, 2);
            kiln_paper_query *fresh = kiln_paper_query_make();
            kiln_paper_answer first, again;
            memset(&first, 0, sizeof first);
            memset(&again, 0, sizeof again);
            assert_int_equal(
                kiln_paper_collide(used, a.tree, NULL, b.tree, &pose, &options, &first), KILN_OK);
            assert_int_equal(
                kiln_paper_collide(fresh, a.tree, NULL, b.tree, &pose, &options, &again), KILN_OK);
            assert_true(first.collision == again.collision && first.counted == again.counted &&
                        first.opened == again.opened && first.weighed == again.weighed &&
                        first.visited == again.visited && first.cut == again.cut);
            assert_true(first.most == again.most && first.most >= 0 && first.most <= 1);
            assert_true(first.opened <= options.pairs_max && !(first.cut && first.collision));
            collisions += first.collision;
            asked++;
            kiln_paper_query_free(fresh);
        }
        discard(&a);
        discard(&b);
    }
    assert_true(collisions > asked / 10 && collisions < asked * 9 / 10);
    kiln_paper_query_free(used);
}

/* Any boxes of both trees: numbers in range, and the same from the other side but for rounding, and
 * for the axes of oriented boxes, which are orthonormal within 2^-19. */
static void estimates_are_in_range_and_symmetric(void **state)
{
    (void)state;
    uint64_t random = 14;
    int met = 0, jumps = 0;
    for (int i = 0; i < rounds(200); i++) {
        subject a = draw_subject(&random), b = draw_subject(&random);
        kiln_paper_options options = draw_options(&random);
        options.rounding = KILN_PAPER_INTERPOLATED; /* others jump, and here roundings differ */
        const kiln_pose pose = pose_random(&random, 1);
        kiln_paper_frame frame, other;
        assert_int_equal(kiln_paper_frame_form(&frame, a.tree, NULL, b.tree, &pose), KILN_OK);
        assert_int_equal(kiln_paper_frame_form(&other, b.tree, &pose, a.tree, NULL), KILN_OK);
        for (int j = 0; j < 30; j++) {
            const uint32_t in_a = random_below(&random, a.tree->box_count);
            const uint32_t in_b = random_below(&random, b.tree->box_count);
            kiln_paper_estimate e, f;
            if (a.tree->boxes[in_a].volume == 0 || b.tree->boxes[in_b].volume == 0) {
                continue; /* an empty lane's */
            }
            kiln_paper_estimate_pair(&frame, in_a, in_b, &options, &e);
            kiln_paper_estimate_pair(&other, in_b, in_a, &options, &f);
            const double cells = a.tree->cells > b.tree->cells ? a.tree->cells : b.tree->cells;
            assert_true(e.s >= 0 && e.s <= cells && e.sa >= 0 && e.sa <= e.s);
            assert_true(e.sb >= 0 && e.sb <= e.s && e.lb >= 0 && e.lb <= 1 && e.p >= 0);
            assert_true(e.p <= 1 && e.p <= 1 - pow(1 - e.lb, options.x_max) + 1e-12);
            const double off = fmax(fabs(e.sa - f.sb), fabs(e.sb - f.sa)) / cells;
            const bool alike = e.gated == f.gated && fabs(e.p - f.p) < 1e-4 && off < 1e-4;
            jumps += !alike; /* boxes, or points and spheres, that just touch */
            met += e.p > 0;
        }
        discard(&a);
        discard(&b);
    }
    assert_true(met > rounds(200) && jumps < 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_end_and_repeat_themselves),
        cmocka_unit_test(estimates_are_in_range_and_symmetric),
    };
    return cmocka_run_group_tests_name("paper", tests, NULL, NULL);
}
