/* Octrees: what their construction promises, and that what is in several leaves is reported once.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/base/tree.h"
#include "../../tools/encode/audit.h"
#include "../../tools/tree/octree.h"
#include "../support/quick_bake.h"

/* The mesh with two triangles of a square of half the side `reach` through it, at height z. */
static mesh with_wall(mesh m, float reach, float z)
{
    const float corners[12] = {-reach, -reach, z, reach,  -reach, z,
                               reach,  reach,  z, -reach, reach,  z};
    const uint32_t first = m.vertex_count;
    const uint32_t indices[6] = {first, first + 1, first + 2, first, first + 2, first + 3};
    m.positions = realloc(m.positions, (3 * (size_t)first + 12) * sizeof *m.positions);
    m.indices = realloc(m.indices, (3 * (size_t)m.triangle_count + 6) * sizeof *m.indices);
    assert_non_null(m.positions);
    assert_non_null(m.indices);
    memcpy(m.positions + 3 * (size_t)first, corners, sizeof corners);
    memcpy(m.indices + 3 * (size_t)m.triangle_count, indices, sizeof indices);
    m.vertex_count += 4;
    m.triangle_count += 2;
    return m;
}

typedef struct {
    quick_model both;
    const kiln_tree *octree, *aabb;
} model;

static model model_of(mesh m, int leaf)
{
    model b = {.both = quick_model_of(m, "octree,aabb", leaf)};
    b.octree = kiln_file_find(b.both.file, NULL, KILN_BV_OCTREE);
    b.aabb = kiln_file_find(b.both.file, NULL, KILN_BV_AABB);
    assert_non_null(b.octree);
    assert_non_null(b.aabb);
    return b;
}

static void model_free(model *b)
{
    quick_model_free(&b->both);
}

/* --------------------------------------------------------------------------- construction -- */

static uint32_t slots_of(const mesh *m, int leaf, uint32_t *depth)
{
    size_t size;
    kiln_file *file;
    kiln_format_error error;
    memset(&error, 0, sizeof error);
    void *bytes = quick_bake(m, "octree", leaf, KILN_LAYOUT_RAW, &size);
    if (!kiln_audit(bytes, size, NULL, &error)) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(kiln_open_memory(bytes, size, NULL, &file), KILN_OK);
    const kiln_tree *tree = kiln_file_find(file, NULL, KILN_BV_OCTREE);
    const uint32_t slots = tree->view.slots;
    *depth = tree->view.entry->depth;
    kiln_close(file);
    free(bytes);
    return slots;
}

/* References are bounded, whatever the mesh: a torus, a wall through it, a soup of large triangles,
 * and hundreds of triangles at one place, which no cell can part. */
static void references_are_bounded(void **state)
{
    (void)state;
    uint64_t random = 5;
    static const int leaves[] = {1, 2, 4, 15};
    for (int kind = 0; kind < 4; kind++) {
        mesh m = kind == 0   ? mesh_torus(20, 16, 0.2)
                 : kind == 1 ? with_wall(mesh_torus(20, 16, 0.2), 3, 0.05f)
                 : kind == 2 ? mesh_soup(&random, 300, 1.5)
                             : mesh_soup(&random, 700, 0.5);
        for (uint32_t i = 0; kind == 3 && i < 3 * m.triangle_count; i++) {
            m.indices[i] = i % 3; /* all are the first */
        }
        for (size_t i = 0; i < sizeof leaves / sizeof leaves[0]; i++) {
            uint32_t depth;
            const uint32_t slots = slots_of(&m, leaves[i], &depth);
            assert_in_range(slots, m.triangle_count,
                            (uint32_t)(KILN_OCTREE_REFERENCES_MAX * m.triangle_count));
            assert_in_range(depth, 1, KILN_WIDE_DEPTH_MAX);
            assert_true(kind != 3 || slots == m.triangle_count);
        }
        mesh_free(&m);
    }
}

/* A grid of squares in the planes where cells are halved: a triangle that only touches a plane is
 * on one side of it. */
static void planes_of_halving_give_no_references(void **state)
{
    (void)state;
    enum { SIDE = 16 };
    mesh m = mesh_box(0, 0, 0, SIDE, SIDE, SIDE);
    m.positions = realloc(m.positions, (SIDE + 1) * (SIDE + 1) * 3 * sizeof *m.positions);
    m.indices = realloc(m.indices, SIDE * SIDE * 6 * sizeof *m.indices);
    assert_non_null(m.positions);
    assert_non_null(m.indices);
    m.vertex_count = (SIDE + 1) * (SIDE + 1);
    m.triangle_count = 0;
    for (uint32_t i = 0; i < m.vertex_count; i++) {
        m.positions[3 * i] = (float)(i % (SIDE + 1));
        m.positions[3 * i + 1] = (float)(i / (SIDE + 1));
        m.positions[3 * i + 2] = 0;
    }
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        const uint32_t at = i / SIDE * (SIDE + 1) + i % SIDE;
        const uint32_t corners[6] = {at, at + 1, at + SIDE + 2, at, at + SIDE + 2, at + SIDE + 1};
        memcpy(m.indices + 6 * i, corners, sizeof corners);
        m.triangle_count += 2;
    }
    uint32_t depth;
    assert_int_equal(slots_of(&m, 2, &depth), m.triangle_count);
    mesh_free(&m);
}

static void threads_do_not_show(void **state)
{
    (void)state;
    mesh m = with_wall(mesh_torus(40, 30, 0.2), 3, 0.05f);
    size_t size[2];
    void *one = quick_bake_threads(&m, "octree", 4, KILN_LAYOUT_PACKED, 1, &size[0]);
    void *four = quick_bake_threads(&m, "octree", 4, KILN_LAYOUT_PACKED, 4, &size[1]);
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(one, four, size[0]);
    free(one);
    free(four);
    mesh_free(&m);
}

/* ---------------------------------------------------------------------------------- once -- */

enum { PAIRS_MAX = 20000 };

static void compare_contacts(const kiln_tree *a, const kiln_tree *b, const kiln_tree *want_a,
                             const kiln_tree *want_b, const kiln_pose *pose)
{
    static kiln_pair pairs[PAIRS_MAX], want[PAIRS_MAX];
    size_t count, wanted;
    assert_int_equal(kiln_contacts(want_a, NULL, want_b, pose, NULL, want, PAIRS_MAX, &wanted),
                     KILN_OK);
    assert_int_equal(kiln_contacts(a, NULL, b, pose, NULL, pairs, PAIRS_MAX, &count), KILN_OK);
    assert_int_equal(count, wanted);
    assert_true(count < PAIRS_MAX);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(pairs[i].a, want[i].a);
        assert_int_equal(pairs[i].b, want[i].b);
    }
}

/* Walls that are in many leaves against each other and against fine surfaces. */
static void pairs_are_named_once(void **state)
{
    (void)state;
    uint64_t random = 77;
    for (int leaf = 1; leaf <= 15; leaf += 7) {
        model a = model_of(with_wall(mesh_torus(24, 18, 0.2), 3, 0.05f), leaf);
        model b = model_of(with_wall(mesh_torus(17, 11, 0.1), 2, -0.1f), leaf);
        for (int i = 0; i < 12; i++) {
            const kiln_pose pose = pose_random(&random, 0.7);
            compare_contacts(a.octree, b.octree, a.aabb, b.aabb, &pose);
            compare_contacts(a.octree, b.aabb, a.aabb, b.aabb, &pose);
            compare_contacts(a.aabb, b.octree, a.aabb, b.aabb, &pose);
        }
        compare_contacts(a.octree, a.octree, a.aabb, a.aabb, NULL);
        model_free(&a);
        model_free(&b);
    }
}

/* A cone whose triangles all have the tip, and triangles at one place: many leaves lie about one
 * point, where a descent of two trees meets all pairs of them. That is to be done for few pairs of
 * triangles, or this takes minutes. */
static void leaves_about_one_point(void **state)
{
    (void)state;
    enum { SIDES = 128 };
    uint64_t random = 81;
    for (int kind = 0; kind < 2; kind++) {
        mesh m = mesh_soup(&random, SIDES, 0.5);
        for (uint32_t i = 0; i < SIDES; i++) {
            const double pi = 3.14159265358979, from = 2 * pi * i / SIDES,
                         to = 2 * pi * (i + 1) / SIDES;
            const float corners[9] = {
                0,   0, 0, (float)cos(from), (float)sin(from), 0.5f, (float)cos(to), (float)sin(to),
                0.5f};
            memcpy(m.positions + 9 * (size_t)(kind == 0 ? i : 0), corners, sizeof corners);
            for (uint32_t c = 0; c < 3; c++) {
                m.indices[3 * i + c] = kind == 0 ? 3 * i + c : c;
            }
        }
        model a = model_of(m, kind == 0 ? 4 : 1);
        compare_contacts(a.octree, a.octree, a.aabb, a.aabb, NULL);
        compare_contacts(a.octree, a.aabb, a.aabb, a.aabb, NULL);
        model_free(&a);
    }
}

typedef struct {
    uint64_t calls, most;
} stopper;

static bool stop_late(void *user)
{
    stopper *s = (stopper *)user;
    return ++s->calls > s->most;
}

static bool refuse_pair(void *user, kiln_pair pair)
{
    (void)user;
    (void)pair;
    return false;
}

/* About x. Two walls through 0 then meet in their edges, and in nothing else: no point that their
 * triangles have in common is certain, so that the descent is repeated. */
static kiln_pose right_angle(void)
{
    kiln_pose pose = kiln_pose_identity();
    pose.rotation[4] = pose.rotation[8] = 0;
    pose.rotation[5] = -1;
    pose.rotation[7] = 1;
    return pose;
}

/* A repeated descent is long where many leaves overlap, so that it looks at `stop` as well: more
 * often than a walk through the same leaves without repetitions, which is one for a first pair
 * whose filter refuses all. */
static void repetitions_can_be_stopped(void **state)
{
    (void)state;
    model a = model_of(with_wall(mesh_torus(24, 18, 0.2), 3, 0), 1);
    const kiln_pose pose = right_angle();
    kiln_pair_options options = kiln_pair_options_default();
    stopper plain = {0, UINT64_MAX}, repeated = plain;
    kiln_hit hit;
    size_t count = 7;
    options.stop = stop_late;
    options.stop_user = &plain;
    options.filter = refuse_pair;
    assert_int_equal(kiln_collide(a.octree, NULL, a.octree, &pose, &options, &hit), KILN_OK);
    assert_false(hit.found);
    options.filter = NULL;
    options.stop_user = &repeated;
    assert_int_equal(kiln_contacts(a.octree, NULL, a.octree, &pose, &options, NULL, 0, &count),
                     KILN_OK);
    assert_true(count > 30 && plain.calls > 0 && repeated.calls > plain.calls);
    for (uint64_t most = 0; most < repeated.calls; most += 1 + repeated.calls / 20) {
        stopper early = {0, most};
        options.stop_user = &early;
        count = 7;
        assert_int_equal(kiln_contacts(a.octree, NULL, a.octree, &pose, &options, NULL, 0, &count),
                         KILN_ERROR_STOPPED);
        assert_int_equal(count, 7);
        assert_int_equal(early.calls, most + 1);
    }
    model_free(&a);
}

static uint64_t tick(void *user)
{
    uint64_t *now = user;
    return ++*now;
}

static bool count_pair(void *user, kiln_pair pair)
{
    (void)pair;
    ++*(uint64_t *)user;
    return true;
}

/* A deadline ends a repeated descent: what it was for waits as before, and its pairs are named in a
 * later run, with more time, each once. */
static void deadlines_end_repetitions(void **state)
{
    (void)state;
    model a = model_of(with_wall(mesh_torus(24, 18, 0.2), 3, 0), 1);
    kiln_interruptible_options options = kiln_interruptible_options_default();
    kiln_interruptible_answer answer;
    kiln_interruptible *query;
    uint64_t now = 0, named = 0;
    size_t wanted;
    const size_t size = kiln_interruptible_size(a.octree, a.octree, 64);
    void *memory = malloc(size);
    const kiln_pose pose = right_angle();
    assert_int_equal(kiln_interruptible_place(memory, size, &query), KILN_OK);
    assert_int_equal(kiln_contacts(a.aabb, NULL, a.aabb, &pose, NULL, NULL, 0, &wanted), KILN_OK);
    options.clock = tick;
    options.clock_user = &now;
    options.visit = count_pair;
    options.visit_user = &named;
    for (int order = KILN_ORDER_BREADTH_FIRST; order <= KILN_ORDER_BEST_FIRST; order++) {
        uint64_t runs = 0, idle = 0, steps = 0;
        options.order = (kiln_order)order;
        named = 0;
        assert_int_equal(kiln_interruptible_begin(query, a.octree, NULL, a.octree, &pose, &options),
                         KILN_OK);
        for (uint64_t time = 2; runs == 0 || !answer.complete; runs++) {
            assert_int_equal(kiln_interruptible_run(query, UINT32_MAX, UINT64_MAX, time), KILN_OK);
            assert_int_equal(kiln_interruptible_get_answer(query, &answer), KILN_OK);
            assert_true(answer.complete || answer.verdict != KILN_INTERRUPTIBLE_APART);
            const bool stuck = answer.steps == steps;
            idle += stuck;
            time = stuck ? 2 * time : 2;
            steps = answer.steps;
        }
        assert_true(idle > 0);
        assert_int_equal(named, wanted);
        assert_int_equal(answer.found, wanted);
    }
    free(memory);
    model_free(&a);
}

/* Rays along the wall and through it, and shapes that hold much of it. */
static void hits_are_named_once(void **state)
{
    (void)state;
    enum { HITS = 64 };
    uint64_t random = 78;
    model a = model_of(with_wall(mesh_torus(24, 18, 0.2), 3, 0.05f), 2);
    for (int i = 0; i < 400; i++) {
        kiln_ray_hit hits[2][HITS];
        size_t count[2];
        double from[3], to[3];
        for (int k = 0; k < 3; k++) {
            from[k] = random_between(&random, -3, 3);
            to[k] = random_between(&random, -3, 3);
        }
        if (i % 4 == 0) {
            from[2] = to[2] = (double)0.05f; /* within the wall's plane */
        }
        const kiln_ray ray = kiln_ray_between(from, to);
        assert_int_equal(kiln_ray_all(a.octree, NULL, &ray, NULL, hits[0], HITS, &count[0]),
                         KILN_OK);
        assert_int_equal(kiln_ray_all(a.aabb, NULL, &ray, NULL, hits[1], HITS, &count[1]), KILN_OK);
        assert_int_equal(count[0], count[1]);
        assert_true(count[0] < HITS);
        for (size_t h = 0; h < count[0]; h++) {
            assert_int_equal(hits[0][h].triangle, hits[1][h].triangle);
        }
    }
    for (int i = 0; i < 200; i++) {
        static kiln_triangle_hit hits[2][PAIRS_MAX];
        size_t count[2];
        kiln_shape shape = {.kind = (kiln_shape_kind)(i % 3), .radius = 0.4};
        for (int k = 0; k < 3; k++) {
            shape.a[k] = random_between(&random, -1, 0);
            shape.b[k] = shape.a[k] + random_between(&random, 0, 2);
        }
        shape.kind = i % 3 == 0   ? KILN_SHAPE_SPHERE
                     : i % 3 == 1 ? KILN_SHAPE_BOX
                                  : KILN_SHAPE_CAPSULE;
        assert_int_equal(
            kiln_overlap_all(a.octree, NULL, &shape, NULL, NULL, hits[0], PAIRS_MAX, &count[0]),
            KILN_OK);
        assert_int_equal(
            kiln_overlap_all(a.aabb, NULL, &shape, NULL, NULL, hits[1], PAIRS_MAX, &count[1]),
            KILN_OK);
        assert_int_equal(count[0], count[1]);
        for (size_t h = 0; h < count[0]; h++) {
            assert_int_equal(hits[0][h].triangle, hits[1][h].triangle);
        }
    }
    model_free(&a);
}

/* Crossings are counted once: points in a box whose sides are in many leaves, since a fine torus is
 * inside it. */
static void crossings_are_counted_once(void **state)
{
    (void)state;
    uint64_t random = 79;
    mesh box = mesh_box(-2, -2, -2, 2, 2, 2), m = mesh_torus(24, 18, 0.2);
    const uint32_t first = m.vertex_count;
    m.positions = realloc(m.positions, 3 * (size_t)(first + box.vertex_count) * sizeof(float));
    m.indices = realloc(m.indices, 3 * (size_t)(m.triangle_count + 12) * sizeof(uint32_t));
    assert_non_null(m.positions);
    assert_non_null(m.indices);
    memcpy(m.positions + 3 * (size_t)first, box.positions,
           3 * (size_t)box.vertex_count * sizeof(float));
    for (uint32_t i = 0; i < 36; i++) {
        m.indices[3 * (size_t)m.triangle_count + i] = first + box.indices[i];
    }
    m.vertex_count += box.vertex_count;
    m.triangle_count += 12;
    mesh_free(&box);
    model a = model_of(m, 1);
    assert_true(a.octree->view.slots > 2 * a.both.geometry.triangle_count);
    for (int i = 0; i < 2000; i++) {
        kiln_place place[2];
        double point[3];
        for (int k = 0; k < 3; k++) {
            point[k] = random_between(&random, -2.2, 2.2);
        }
        assert_int_equal(kiln_locate_point(a.octree, NULL, point, &place[0]), KILN_OK);
        assert_int_equal(kiln_locate_point(a.aabb, NULL, point, &place[1]), KILN_OK);
        assert_int_equal(place[0], place[1]);
    }
    model_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_are_bounded),
        cmocka_unit_test(planes_of_halving_give_no_references),
        cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(pairs_are_named_once),
        cmocka_unit_test(leaves_about_one_point),
        cmocka_unit_test(repetitions_can_be_stopped),
        cmocka_unit_test(deadlines_end_repetitions),
        cmocka_unit_test(hits_are_named_once),
        cmocka_unit_test(crossings_are_counted_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
