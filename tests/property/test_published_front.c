/* The published front along random, smooth, jumping, still, oscillating and moving paths, and paths
 * without rotation: each answer is that of the fresh query, whatever was asked before, and whatever
 * the capacity and the parameters of the paper are. What a front says of free motion is held to the
 * exact distance. support/amount.h tells how many; with KILN_PROPERTY_SCALE=100 it is a campaign of
 * 4 10^5 frames. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/kiln_front.h"
#include "../support/amount.h"
#include "../support/quick_bake.h"

enum { MESHES = 6, FRAMES = 40, RUNS = 100, PAIRS_MOST = 1 << 16 };

/* obb2 and aabb2 of one mesh. */
static quick_model models[MESHES];

static int make_models(void **unused)
{
    (void)unused;
    uint64_t state = 1;
    const mesh meshes[MESHES] = {mesh_torus(24, 12, 0.2),     mesh_soup(&state, 80, 0.4),
                                 mesh_lattice(&state, 50, 3), mesh_soup(&state, 1, 1),
                                 mesh_torus(10, 6, 0),        mesh_box(-1, -0.5f, -1, 1, 0.5f, 1)};
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

typedef enum { STILL, SMOOTH, MOVING, JUMPING, RANDOM, OSCILLATING, PATHS } path_kind;

typedef struct {
    path_kind kind;
    bool exact; /* rotations of a cube, whole translations: many triangles touch */
    double step;
    kiln_pose pose, ends[2];
    double velocity[3], axis[3];
} path;

static kiln_pose any_pose(uint64_t *state, bool exact)
{
    kiln_pose pose = exact ? pose_exact(state, 2) : pose_random(state, 1.3);
    if (random_below(state, 5) == 0) {
        pose.scale = scale_random(state, exact);
    }
    return pose;
}

static path any_path(uint64_t *state, bool exact)
{
    static const double steps[] = {0.002, 0.01, 0.03, 0.1};
    path p;
    p.kind = (path_kind)random_below(state, PATHS);
    p.exact = exact;
    p.step = steps[random_below(state, 4)];
    p.pose = any_pose(state, exact);
    p.ends[0] = p.ends[1] = p.pose;
    p.ends[1].translation[random_below(state, 3)] += exact ? 1 : p.step;
    random_direction(state, p.velocity);
    random_direction(state, p.axis);
    return p;
}

/* Smooth paths turn back where they would leave the other object; moving ones rotate now and
 * then. */
static void advance_path(path *p, uint32_t frame, uint64_t *state)
{
    if (p->kind == RANDOM || (p->kind == JUMPING && random_below(state, 8) == 0)) {
        p->pose = any_pose(state, p->exact);
    } else if (p->kind == OSCILLATING) {
        p->pose = p->ends[frame % 2];
    } else if (p->kind != STILL && p->exact) {
        p->pose.translation[random_below(state, 3)] += random_below(state, 2) == 0 ? 1 : -1;
    } else if (p->kind != STILL) {
        for (int k = 0; k < 3; k++) {
            double *at = &p->pose.translation[k];
            p->velocity[k] *= fabs(*at) > 1.5 && *at * p->velocity[k] > 0 ? -1 : 1;
            *at += p->step * p->velocity[k];
        }
        if (p->kind != MOVING || random_below(state, 5) == 0) {
            pose_turn(&p->pose, p->axis, p->kind == MOVING ? 0.06 : p->step / 4);
        }
    }
}

/* ---------------------------------------------------------------------------------- answers -- */

static bool keep_some(void *user, kiln_pair pair)
{
    return (pair.a + 3 * pair.b) % 4 != *(const uint32_t *)user;
}

/* Trees, poses and options of one query. */
typedef struct {
    kiln_front *front;
    const kiln_tree *a, *b;
    kiln_pose pose_a, pose_b;
    kiln_pair_options options;
} asked;

static kiln_pair fresh[PAIRS_MOST], coherent[PAIRS_MOST];

static size_t fresh_pairs(const asked *q)
{
    size_t count = 0;
    assert_int_equal(
        kiln_contacts(q->a, &q->pose_a, q->b, &q->pose_b, &q->options, fresh, PAIRS_MOST, &count),
        KILN_OK);
    assert_true(count <= PAIRS_MOST);
    return count;
}

static void assert_contacts(const asked *q)
{
    size_t count = 0;
    const size_t expected = fresh_pairs(q);
    assert_int_equal(kiln_front_contacts(q->front, &q->pose_a, &q->pose_b, &q->options, coherent,
                                         PAIRS_MOST, &count, NULL),
                     KILN_OK);
    assert_int_equal(count, expected);
    assert_memory_equal(coherent, fresh, count * sizeof *fresh);
}

/* No two triangles are nearer than the front says, less the tolerance of distances. */
static void assert_free(const asked *q, double free_motion)
{
    kiln_nearest nearest;
    assert_int_equal(kiln_distance(q->a, &q->pose_a, q->b, &q->pose_b, NULL, &nearest), KILN_OK);
    assert_true(nearest.distance >= free_motion * (1 - 1e-9));
}

static void assert_hit(const asked *q, uint64_t *state)
{
    kiln_hit expected, hit;
    double free_motion = -1;
    bool listed = false;
    assert_int_equal(kiln_collide(q->a, &q->pose_a, q->b, &q->pose_b, &q->options, &expected),
                     KILN_OK);
    assert_int_equal(
        kiln_front_collide(q->front, &q->pose_a, &q->pose_b, &q->options, &hit, &free_motion),
        KILN_OK);
    assert_true(hit.found == expected.found);
    assert_true(free_motion >= 0 && (!hit.found || free_motion == 0));
    if (hit.found) {
        const size_t count = fresh_pairs(q);
        for (size_t i = 0; i < count; i++) {
            listed |= memcmp(&fresh[i], &hit.pair, sizeof hit.pair) == 0;
        }
        assert_true(listed);
    } else if (free_motion > 0 && random_below(state, 4) == 0) {
        assert_free(q, free_motion);
    }
}

/* First hits, all pairs, or both by turns; with a filter or without. */
static void follow(asked *q, uint64_t *state)
{
    const bool exact = random_below(state, 4) == 0;
    path of_a = any_path(state, exact), of_b = any_path(state, exact);
    const uint32_t asks = random_below(state, 3);
    if (exact || random_below(state, 2) == 0) {
        of_a.kind = STILL;
    }
    if (exact) {
        of_a.pose = kiln_pose_identity();
    }
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        uint32_t refused = random_below(state, 4);
        q->options = kiln_pair_options_default();
        q->options.filter = random_below(state, 4) == 0 ? keep_some : NULL;
        q->options.filter_user = &refused;
        q->pose_a = of_a.pose;
        q->pose_b = of_b.pose;
        if (asks == 0 || (asks == 1 && frame % 2 == 0)) {
            assert_contacts(q);
        } else {
            assert_hit(q, state);
        }
        advance_path(&of_a, frame, state);
        advance_path(&of_b, frame, state);
    }
}

static double one_of(uint64_t *state, double a, double b, double c)
{
    const double numbers[] = {(double)NAN, a, b, c};
    return numbers[random_below(state, 4)];
}

static kiln_front_options any_options(uint64_t *state)
{
    static const uint32_t capacities[] = {1, 2, 3, 40, 300};
    kiln_front_options options = kiln_front_options_default();
    options.method = KILN_FRONT_PUBLISHED;
    options.capacity = random_below(state, 3) == 0 ? capacities[random_below(state, 5)] : 4096;
    options.coherence = one_of(state, 0.14, HUGE_VAL, HUGE_VAL);
    options.sprout = one_of(state, 0.1, 0.01, HUGE_VAL);
    options.prune = one_of(state, 0, 0.05, HUGE_VAL);
    return options;
}

static void answers_are_those_of_fresh_queries(void **unused)
{
    (void)unused;
    uint64_t state = 77;
    kiln_front_info sum;
    memset(&sum, 0, sizeof sum);
    for (uint32_t run = 0; run < amount(RUNS); run++) {
        const kiln_front_options options = any_options(&state);
        const uint32_t kind = random_below(&state, 2);
        const unsigned mesh_a = random_below(&state, MESHES);
        const unsigned mesh_b =
            random_below(&state, 4) == 0 ? mesh_a : random_below(&state, MESHES);
        asked q;
        q.a = kiln_file_tree(models[mesh_a].file, kind);
        q.b = kiln_file_tree(models[mesh_b].file, kind);
        const size_t size = kiln_front_size(q.a, q.b, &options);
        assert_true(size > 0);
        void *memory = malloc(size);
        assert_non_null(memory);
        assert_int_equal(kiln_front_place(memory, size, q.a, q.b, &options, &q.front), KILN_OK);
        follow(&q, &state);
        const kiln_front_info info = kiln_front_get_info(q.front);
        assert_int_equal(info.queries, FRAMES);
        assert_int_equal(info.fresh + info.coherent, FRAMES);
        assert_true(info.skipped == 0 && info.last_pair == 0);
        assert_true(info.entries <= options.capacity && info.capacity == options.capacity);
        sum.coherent += info.coherent;
        sum.prunes += info.prunes;
        sum.margin_tests += info.margin_tests;
        sum.axis_tests += info.axis_tests;
        free(memory);
    }
    /* All parts of the algorithm took part. */
    assert_true(sum.coherent > amount(RUNS) && sum.prunes > amount(RUNS) / 2);
    assert_true(sum.margin_tests > amount(RUNS) && sum.axis_tests > amount(RUNS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(answers_are_those_of_fresh_queries, make_models,
                                        free_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
