/* Separation lists along paths of all sorts: each answer is that of the fresh query, whatever was
 * asked before, whatever the capacity, and whichever of the trees is named first. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/base/tree.h"
#include "../../runtime/kiln_front.h"
#include "../support/amount.h"
#include "../support/quick_bake.h"

enum { MESHES = 5, FRAMES = 24, RUNS = 90, PAIRS_MOST = 1 << 16 };

/* obb2 and aabb2 of one mesh. */
static quick_model models[MESHES];

static const kiln_tree *tree_of(unsigned mesh_number, unsigned kind)
{
    return kiln_file_tree(models[mesh_number].file, kind);
}

static int make_models(void **unused)
{
    (void)unused;
    uint64_t state = 1;
    const mesh meshes[MESHES] = {mesh_torus(14, 8, 0.2), mesh_soup(&state, 60, 0.5),
                                 mesh_lattice(&state, 50, 3), mesh_soup(&state, 1, 1),
                                 mesh_box(-1, -0.5f, -1, 1, 0.5f, 1)};
    for (unsigned i = 0; i < MESHES; i++) {
        models[i] = quick_model_of(meshes[i], "obb2,aabb2", i % 2 == 0 ? 1 : 3);
    }
    return 0;
}

static int free_models(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < MESHES; i++) {
        quick_model_free(&models[i]);
    }
    return 0;
}

/* ------------------------------------------------------------------------------------ paths -- */

typedef enum { STILL, SMOOTH, JUMPING, RANDOM, OSCILLATING, PATHS } path_kind;

typedef struct {
    path_kind kind;
    bool exact; /* rotations of a cube, whole translations: many triangles touch */
    double step;
    kiln_pose pose, ends[2];
    double velocity[3], axis[3];
} path;

static kiln_pose any_pose(uint64_t *state, bool exact)
{
    kiln_pose pose = exact ? pose_exact(state, 2) : pose_random(state, 1.2);
    if (random_below(state, 4) == 0) {
        pose.scale = scale_random(state, exact);
    }
    return pose;
}

static path path_of(uint64_t *state)
{
    path p;
    p.kind = (path_kind)random_below(state, PATHS);
    p.exact = random_below(state, 3) == 0;
    p.step = random_below(state, 2) == 0 ? 0.01 : 0.1;
    p.pose = any_pose(state, p.exact);
    p.ends[0] = p.pose;
    p.ends[1] = p.pose;
    p.ends[1].translation[random_below(state, 3)] += p.exact ? 1 : p.step;
    random_direction(state, p.velocity);
    random_direction(state, p.axis);
    return p;
}

static void advance_path(path *p, uint32_t frame, uint64_t *state)
{
    if (p->kind == RANDOM || (p->kind == JUMPING && random_below(state, 6) == 0)) {
        p->pose = any_pose(state, p->exact);
    } else if (p->kind == OSCILLATING) {
        p->pose = p->ends[frame % 2];
    } else if (p->kind != STILL && p->exact) {
        p->pose.translation[random_below(state, 3)] += random_below(state, 2) == 0 ? 1 : -1;
    } else if (p->kind != STILL) {
        for (int k = 0; k < 3; k++) {
            p->pose.translation[k] += p->step * p->velocity[k];
        }
        pose_turn(&p->pose, p->axis, p->step / 4);
    }
}

/* ---------------------------------------------------------------------------------- answers -- */

/* Keeps pairs by the caller's number. */
static bool keep_some(void *user, kiln_pair pair)
{
    return (pair.a + 3 * pair.b) % 4 != *(const uint32_t *)user;
}

static kiln_pair fresh[PAIRS_MOST], coherent[PAIRS_MOST];

static void assert_contacts(kiln_front *front, const kiln_tree *a, const kiln_pose *pose_a,
                            const kiln_tree *b, const kiln_pose *pose_b,
                            const kiln_pair_options *options)
{
    size_t expected = 0, count = 0;
    assert_int_equal(kiln_contacts(a, pose_a, b, pose_b, options, fresh, PAIRS_MOST, &expected),
                     KILN_OK);
    assert_int_equal(
        kiln_front_contacts(front, pose_a, pose_b, options, coherent, PAIRS_MOST, &count, NULL),
        KILN_OK);
    assert_int_equal(count, expected);
    assert_true(count <= PAIRS_MOST);
    assert_memory_equal(coherent, fresh, count * sizeof *fresh);
}

static void assert_hit(kiln_front *front, const kiln_tree *a, const kiln_pose *pose_a,
                       const kiln_tree *b, const kiln_pose *pose_b,
                       const kiln_pair_options *options)
{
    kiln_hit expected, hit;
    double free_motion = -1;
    size_t count = 0;
    bool listed = false;
    assert_int_equal(kiln_collide(a, pose_a, b, pose_b, options, &expected), KILN_OK);
    assert_int_equal(kiln_front_collide(front, pose_a, pose_b, options, &hit, &free_motion),
                     KILN_OK);
    assert_true(hit.found == expected.found);
    assert_true(free_motion >= 0 && (!hit.found || free_motion == 0));
    if (hit.found) {
        assert_int_equal(kiln_contacts(a, pose_a, b, pose_b, options, fresh, PAIRS_MOST, &count),
                         KILN_OK);
        for (size_t i = 0; i < count; i++) {
            listed |= memcmp(&fresh[i], &hit.pair, sizeof hit.pair) == 0;
        }
        assert_true(listed);
    }
}

/* First hits, all pairs, or both by turns; with a filter or without. */
static void follow(kiln_front *front, const kiln_tree *a, const kiln_tree *b, uint64_t *state)
{
    path of_a = path_of(state), of_b = path_of(state);
    const uint32_t asks = random_below(state, 3);
    if (random_below(state, 2) == 0) {
        of_a.kind = STILL;
    }
    of_a.exact = of_b.exact;
    if (of_a.exact) {
        of_a.pose = of_a.ends[0] = kiln_pose_identity();
        of_a.kind = STILL;
    }
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        uint32_t refused = random_below(state, 4);
        kiln_pair_options options = kiln_pair_options_default();
        options.filter = random_below(state, 4) == 0 ? keep_some : NULL;
        options.filter_user = &refused;
        if (asks == 0 || (asks == 1 && frame % 2 == 0)) {
            assert_contacts(front, a, &of_a.pose, b, &of_b.pose, &options);
        } else {
            assert_hit(front, a, &of_a.pose, b, &of_b.pose, &options);
        }
        advance_path(&of_a, frame, state);
        advance_path(&of_b, frame, state);
    }
}

static kiln_front_options any_options(uint64_t *state)
{
    static const kiln_front_method methods[] = {
        KILN_FRONT_RECURSIVE, KILN_FRONT_SEPARATION, KILN_FRONT_SEPARATION_DEFERRED,
        KILN_FRONT_SEPARATION, KILN_FRONT_SEPARATION_DEFERRED};
    static const uint32_t capacities[] = {0, 1, 2, 40, 200};
    kiln_front_options options = kiln_front_options_default();
    options.method = methods[random_below(state, 5)];
    options.balls = random_below(state, 2) == 0;
    options.capacity = random_below(state, 2) == 0 ? 0 : capacities[random_below(state, 5)];
    return options;
}

static void check_info(const kiln_front *front, const kiln_front_options *options)
{
    const kiln_front_info info = kiln_front_get_info(front);
    assert_int_equal(info.queries, FRAMES);
    assert_int_equal(info.fresh + info.coherent, FRAMES);
    assert_true(info.skipped == 0 && info.last_pair == 0 && info.margin_tests == 0);
    assert_true(info.entries <= info.capacity || options->method == KILN_FRONT_RECURSIVE);
    assert_true(options->capacity == 0 || info.entries <= options->capacity);
    assert_true(info.volume_tests >= FRAMES && info.leaf_tests <= info.volume_tests);
    if (options->method == KILN_FRONT_RECURSIVE) {
        assert_true(info.coherent == 0 && info.entries == 0 && info.prunes == 0);
    }
}

static void answers_are_those_of_fresh_queries(void **unused)
{
    (void)unused;
    uint64_t state = 77;
    uint64_t lists = 0;
    for (uint32_t run = 0; run < amount(RUNS); run++) {
        const kiln_front_options options = any_options(&state);
        const unsigned mesh_a = random_below(&state, MESHES), kind = random_below(&state, 2);
        const unsigned mesh_b =
            random_below(&state, 4) == 0 ? mesh_a : random_below(&state, MESHES);
        const kiln_tree *a = tree_of(mesh_a, kind);
        const kiln_tree *b = tree_of(mesh_b, options.balls ? random_below(&state, 2) : kind);
        const size_t size = kiln_front_size(a, b, &options);
        assert_true(size > 0);
        void *memory = malloc(size);
        kiln_front *front = NULL;
        assert_non_null(memory);
        assert_int_equal(kiln_front_place(memory, size, a, b, &options, &front), KILN_OK);
        for (int again = 0; again < 2; again++) {
            follow(front, a, b, &state);
            check_info(front, &options);
            lists += kiln_front_get_info(front).coherent;
            kiln_front_reset(front);
        }
        free(memory);
    }
    assert_true(lists > amount(RUNS));
}

/* A tree is refitted to a mesh that is twice as long and elsewhere, and the front is reset: volumes
 * and balls are then those of the new mesh. */
static void fronts_follow_refitted_trees(void **unused)
{
    (void)unused;
    uint64_t state = 5;
    const kiln_tree *still = tree_of(1, 1), *rest = tree_of(0, 1);
    const size_t refit_size = kiln_refit_size(rest);
    void *refit_memory = malloc(refit_size);
    kiln_refit *refit = NULL;
    assert_non_null(refit_memory);
    assert_int_equal(kiln_refit_place(refit_memory, refit_size, rest, &refit), KILN_OK);
    const uint32_t count = kiln_refit_vertex_count(refit);
    float *vertices = malloc(3 * sizeof(float) * (size_t)count);
    assert_non_null(vertices);
    for (uint32_t run = 0; run < 8; run++) {
        kiln_front_options options = kiln_front_options_default();
        options.method = run % 4 < 2 ? KILN_FRONT_SEPARATION_DEFERRED : KILN_FRONT_AUTO;
        options.balls = run % 4 == 0;
        const size_t size = kiln_front_size(still, kiln_refit_tree(refit), &options);
        kiln_front *front = NULL;
        void *memory = malloc(size);
        assert_non_null(memory);
        assert_int_equal(
            kiln_front_place(memory, size, still, kiln_refit_tree(refit), &options, &front),
            KILN_OK);
        for (int shape = 0; shape < 3; shape++) {
            memcpy(vertices, kiln_refit_vertices(refit), 3 * sizeof(float) * (size_t)count);
            for (uint32_t i = 0; i < count; i++) {
                vertices[3 * i] *= shape == 1 ? 0.3f : 2.0f;
                vertices[3 * i + 1] += shape == 1 ? -1.5f : 1.0f;
            }
            assert_int_equal(kiln_refit_update(refit, vertices, count), KILN_OK);
            kiln_front_reset(front);
            assert_true(kiln_front_get_info(front).capacity > 0);
            for (uint32_t frame = 0; frame < FRAMES; frame++) {
                kiln_pose pose = pose_random(&state, 2);
                if (frame % 3 != 0) {
                    pose = kiln_pose_identity();
                    pose.translation[0] = 0.02 * frame;
                }
                assert_hit(front, still, NULL, kiln_refit_tree(refit), &pose, NULL);
                assert_contacts(front, still, NULL, kiln_refit_tree(refit), &pose, NULL);
            }
        }
        free(memory);
    }
    free(vertices);
    free(refit_memory);
}

/* Files of other writers may leave lane 0 of a node empty, or both. */
static void lanes_may_be_empty(void **unused)
{
    (void)unused;
    const kiln_tree *whole = tree_of(3, 1); /* one triangle, in lane 0 of the root */
    kiln_format_node_aabb2 nodes[2];
    kiln_format_tree entry = *whole->view.entry;
    kiln_tree tree = *whole;
    assert_int_equal(entry.node_count, 1);
    for (int depth = 1; depth <= 2; depth++) {
        /* the leaf in lane 1, of the root or of its only child, in lane 1, too */
        memcpy(&nodes[0], kiln_tree_node(whole, 0), sizeof nodes[0]);
        for (int k = 0; k < 3; k++) {
            nodes[0].centre[k][1] = nodes[0].centre[k][0];
            nodes[0].half[k][1] = nodes[0].half[k][0];
            nodes[0].centre[k][0] = nodes[0].half[k][0] = 0;
        }
        nodes[0].head.count[0] = 0x10;
        nodes[1] = nodes[0];
        if (depth == 2) {
            nodes[0].head.count[0] = 0;
            nodes[0].head.inner = 2;
            nodes[0].head.child = 1;
        }
        entry.node_count = (uint32_t)depth;
        entry.depth = (uint32_t)depth;
        tree.view.entry = &entry;
        tree.view.nodes = nodes;
        for (int m = 0; m <= KILN_FRONT_RECURSIVE; m++) {
            for (int balls = 0; balls < (m >= KILN_FRONT_SEPARATION ? 2 : 1); balls++) {
                kiln_front_options options = kiln_front_options_default();
                options.method = (kiln_front_method)m;
                options.balls = balls == 1;
                const size_t size = kiln_front_size(&tree, &tree, &options);
                void *memory = malloc(size);
                kiln_front *front = NULL;
                kiln_hit hit;
                assert_true(size > 0 && memory != NULL);
                assert_int_equal(kiln_front_place(memory, size, &tree, &tree, &options, &front),
                                 KILN_OK);
                for (int frame = 0; frame < 4; frame++) {
                    kiln_pose pose = kiln_pose_identity();
                    pose.translation[2] = frame % 2 == 0 ? 0 : 100;
                    assert_int_equal(kiln_front_collide(front, NULL, &pose, NULL, &hit, NULL),
                                     KILN_OK);
                    assert_true(hit.found == (frame % 2 == 0));
                }
                free(memory);
            }
        }
    }
}

/* So far away that floats find no boxes apart, no triangle is looked at, and the list stays. */
static void far_beyond_floats(void **unused)
{
    (void)unused;
    for (unsigned run = 0; run < 6; run++) {
        kiln_front_options options = kiln_front_options_default();
        options.method = (kiln_front_method)(KILN_FRONT_SEPARATION + run % 3);
        const kiln_tree *a = tree_of(0, run / 3), *b = tree_of(4, run / 3);
        const size_t size = kiln_front_size(a, b, &options);
        void *memory = malloc(size);
        kiln_front *front = NULL;
        assert_non_null(memory);
        assert_int_equal(kiln_front_place(memory, size, a, b, &options, &front), KILN_OK);
        for (int frame = 0; frame < 9; frame++) {
            const uint64_t before = kiln_front_get_info(front).leaf_tests;
            kiln_pose pose = kiln_pose_identity();
            pose.translation[frame % 3] = frame % 2 == 0 ? 0.1 : frame % 4 == 1 ? 1e40 : 1e60;
            assert_contacts(front, a, NULL, b, &pose, NULL);
            assert_true(frame % 2 == 0 || kiln_front_get_info(front).leaf_tests == before);
        }
        free(memory);
    }
}

/* What the methods take: binary trees, of boxes those of one kind. */
static void other_trees_are_refused(void **unused)
{
    (void)unused;
    quick_model other = quick_model_of(mesh_box(0, 0, 0, 1, 1, 1), "obb", 1);
    const kiln_tree *wide = kiln_file_tree(other.file, 0);
    for (int m = KILN_FRONT_SEPARATION; m <= KILN_FRONT_RECURSIVE; m++) {
        for (int balls = 0; balls < 2; balls++) {
            kiln_front_options options = kiln_front_options_default();
            options.method = (kiln_front_method)m;
            options.balls = balls == 1;
            assert_true(kiln_front_size(tree_of(0, 0), tree_of(1, 0), &options) > 0);
            assert_true((kiln_front_size(tree_of(0, 0), tree_of(1, 1), &options) > 0) ==
                        (balls == 1));
            assert_true(kiln_front_size(wide, tree_of(1, 0), &options) == 0);
            assert_true(kiln_front_size(tree_of(1, 0), wide, &options) == 0);
        }
    }
    quick_model_free(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_fresh_queries),
        cmocka_unit_test(fronts_follow_refitted_trees),
        cmocka_unit_test(lanes_may_be_empty),
        cmocka_unit_test(far_beyond_floats),
        cmocka_unit_test(other_trees_are_refused),
    };
    return cmocka_run_group_tests(tests, make_models, free_models);
}
