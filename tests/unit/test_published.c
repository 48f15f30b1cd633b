/* The published front (Tropp et al. 2006) step by step: what each stage of Algorithm 1 does, by its
 * counts, and its edges. That answers are those of fresh queries is for
 * property/test_published_front.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/kiln_front.h"
#include "../support/edit.h"
#include "../support/quick_bake.h"

static quick_model torus, ring; /* alike; the second is finer */

static int open_rings(void **unused)
{
    (void)unused;
    torus = quick_model_of(mesh_torus(24, 12, 0), "obb2,aabb2,obb", 1);
    ring = quick_model_of(mesh_torus(30, 14, 0.1), "obb2,aabb2,obb", 2);
    return 0;
}

static int close_rings(void **unused)
{
    (void)unused;
    quick_model_free(&torus);
    quick_model_free(&ring);
    return 0;
}

/* A front of two trees of kind 0 (obb2) or 1 (aabb2). */
typedef struct {
    const kiln_tree *a, *b;
    void *memory;
    kiln_front *front;
    kiln_front_info last;
} session;

static kiln_front_options published(void)
{
    kiln_front_options options = kiln_front_options_default();
    options.method = KILN_FRONT_PUBLISHED;
    return options;
}

static session begin(const kiln_tree *a, const kiln_tree *b, const kiln_front_options *options)
{
    session s;
    memset(&s, 0, sizeof s);
    s.a = a;
    s.b = b;
    const size_t size = kiln_front_size(a, b, options);
    assert_true(size > 0);
    s.memory = malloc(size);
    assert_non_null(s.memory);
    assert_int_equal(kiln_front_place(s.memory, size, a, b, options, &s.front), KILN_OK);
    return s;
}

static session begin_rings(unsigned kind, const kiln_front_options *options)
{
    return begin(kiln_file_tree(torus.file, kind), kiln_file_tree(ring.file, kind), options);
}

static void end(session *s)
{
    free(s->memory);
}

/* A ring that stands on the other's hole: from 1.5 on they are apart, and from 1.8 on the boxes of
 * the trees, too. */
static kiln_pose at(double x, double y, double z)
{
    const double upright[9] = {1, 0, 0, 0, 0, -1, 0, 1, 0};
    kiln_pose pose = kiln_pose_identity();
    memcpy(pose.rotation, upright, sizeof upright);
    pose.translation[0] = x;
    pose.translation[1] = y;
    pose.translation[2] = z;
    return pose;
}

static void turn_about_y(kiln_pose *pose, double angle)
{
    const double c = cos(angle), s = sin(angle);
    const double r[9] = {c, s, 0, 0, 0, -1, -s, c, 0};
    memcpy(pose->rotation, r, sizeof r);
}

/* The answer, which is the fresh query's, and what the query did. */
static bool ask(session *s, const kiln_pose *pose_a, const kiln_pose *pose_b, kiln_front_info *did)
{
    kiln_hit hit, expected;
    const kiln_front_info was = kiln_front_get_info(s->front);
    assert_int_equal(kiln_front_collide(s->front, pose_a, pose_b, NULL, &hit, NULL), KILN_OK);
    assert_int_equal(kiln_collide(s->a, pose_a, s->b, pose_b, NULL, &expected), KILN_OK);
    assert_true(hit.found == expected.found);
    s->last = kiln_front_get_info(s->front);
    if (did != NULL) {
        *did = s->last;
        did->fresh -= was.fresh;
        did->coherent -= was.coherent;
        did->prunes -= was.prunes;
        did->volume_tests -= was.volume_tests;
        did->margin_tests -= was.margin_tests;
        did->axis_tests -= was.axis_tests;
        did->leaf_tests -= was.leaf_tests;
    }
    return hit.found;
}

static bool ask_at(session *s, kiln_pose pose_b, kiln_front_info *did)
{
    return ask(s, NULL, &pose_b, did);
}

/* ------------------------------------------------------------------------------------ tests -- */

/* Stage 2: without motion every margin is enough. */
static void still_objects_take_margins_only(void **unused)
{
    (void)unused;
    for (unsigned kind = 0; kind < 2; kind++) {
        const kiln_front_options options = published();
        session s = begin_rings(kind, &options);
        kiln_front_info did;
        assert_false(ask_at(&s, at(0, 0, 1.65), &did));
        assert_true(did.fresh == 1 && did.coherent == 0 && did.volume_tests > 10);
        assert_true(did.entries > 10);
        /* Pairs of leaves that meet have no margins. */
        const uint64_t meet = did.leaf_tests;
        for (int i = 0; i < 3; i++) {
            const uint32_t entries = s.last.entries;
            assert_false(ask_at(&s, at(0, 0, 1.65), &did));
            assert_true(did.fresh == 0 && did.coherent == 1 && did.entries == entries);
            assert_true(did.volume_tests == meet && did.leaf_tests == meet);
            assert_true(did.axis_tests == 0 && did.margin_tests == entries - meet);
        }
        end(&s);
    }
}

/* A small motion uses up some margins, and most of those planes still part their boxes. */
static void small_motion_takes_few_tests(void **unused)
{
    (void)unused;
    for (unsigned kind = 0; kind < 2; kind++) {
        const kiln_front_options options = published();
        session s = begin_rings(kind, &options);
        kiln_front_info first, did;
        ask_at(&s, at(0, 0, 1.5), &first);
        assert_false(ask_at(&s, at(0.002, 0, 1.5), &did));
        assert_int_equal(did.coherent, 1);
        assert_true(did.volume_tests + did.axis_tests < first.volume_tests / 2);
        end(&s);
    }
}

/* Stage 1, Equation 2: the size of the smaller object is its longest edge, here 2.8 times a scale
 * of a half. */
static void large_motion_reverts(void **unused)
{
    (void)unused;
    for (unsigned kind = 0; kind < 2; kind++) {
        const double limit = (kind == 0 ? 0.14 : 0.2) * 1.4;
        const kiln_front_options options = published();
        session s = begin_rings(kind, &options);
        kiln_front_info did;
        kiln_pose pose = at(0, 0, 0.8);
        pose.scale = 0.5;
        ask_at(&s, pose, &did);
        assert_true(did.entries > 0);
        pose.translation[2] += limit * 0.999;
        ask_at(&s, pose, &did);
        assert_true(did.coherent == 1 && did.entries > 0);
        pose.translation[2] -= limit * 1.1;
        ask_at(&s, pose, &did);
        assert_true(did.fresh == 1 && did.entries == 0 && did.volume_tests == 0);
        pose.translation[2] += 0.001;
        ask_at(&s, pose, &did);
        assert_true(did.fresh == 1);
        end(&s);
    }
}

/* Stage 5 makes the front longer where objects come near, stage 6 shorter where they go: in the end
 * the roots are apart. */
static void fronts_grow_and_shrink(void **unused)
{
    (void)unused;
    for (unsigned kind = 0; kind < 2; kind++) {
        kiln_front_options options = published();
        options.coherence = HUGE_VAL;
        options.prune = 0;
        session s = begin_rings(kind, &options);
        uint32_t near = 0, prunes = 0;
        kiln_front_info did;
        for (int i = 0; i <= 9; i++) {
            assert_false(ask_at(&s, at(0, 0, 2 - 0.05 * i), &did));
            near = did.entries;
        }
        assert_true(near > 100);
        for (int i = 9; i >= 0; i--) {
            assert_false(ask_at(&s, at(0, 0, 2 - 0.05 * i), &did));
            prunes += (uint32_t)did.prunes;
        }
        assert_false(ask_at(&s, at(0, 0, 6), &did));
        assert_int_equal(did.entries, 1);
        assert_true(prunes > 5);
        end(&s);
    }
}

/* P_prune infinite: the front never shrinks. */
static void no_pruning_where_none_is_wanted(void **unused)
{
    (void)unused;
    kiln_front_options options = published();
    options.coherence = options.prune = HUGE_VAL;
    session s = begin_rings(0, &options);
    uint32_t entries = 0;
    for (int i = 0; i <= 18; i++) {
        assert_false(ask_at(&s, at(0, 0, i <= 9 ? 2 - 0.05 * i : 1.1 + 0.05 * i), NULL));
        assert_true(s.last.entries >= entries);
        entries = s.last.entries;
    }
    assert_int_equal(s.last.prunes, 0);
    end(&s);
}

/* Equation 3: with a small P_sprout the front stays high in the test tree. */
static void sprouting_follows_the_motion(void **unused)
{
    (void)unused;
    kiln_front_options options = published();
    options.coherence = HUGE_VAL;
    session leaves = begin_rings(0, &options);
    options.sprout = 0.01;
    session high = begin_rings(0, &options);
    for (int i = 0; i < 10; i++) {
        ask_at(&leaves, at(0.01 * i, 0, 1.5), NULL);
        ask_at(&high, at(0.01 * i, 0, 1.5), NULL);
    }
    assert_true(high.last.entries < leaves.last.entries / 2);
    end(&leaves);
    end(&high);
}

/* After a hit the next query begins where it was. */
static void hits_are_found_again_at_once(void **unused)
{
    (void)unused;
    for (unsigned kind = 0; kind < 2; kind++) {
        const kiln_front_options options = published();
        session s = begin_rings(kind, &options);
        kiln_front_info first, did;
        assert_true(ask_at(&s, at(0.3, 0, 1.2), &first));
        for (int i = 0; i < 3; i++) {
            assert_true(ask_at(&s, at(0.3, 0, 1.2), &did));
            assert_true(did.volume_tests == 1 && did.leaf_tests == 1 && did.axis_tests == 0);
        }
        assert_true(first.volume_tests > 10);
        end(&s);
    }
}

/* Entries for all capacities: where there are too few, no front is kept. */
static void capacity_is_kept(void **unused)
{
    (void)unused;
    for (uint32_t capacity = 1; capacity < 200; capacity = capacity * 2 + 1) {
        kiln_front_options options = published();
        options.capacity = capacity;
        options.coherence = HUGE_VAL;
        session s = begin_rings(0, &options);
        for (int i = 0; i < 60; i++) {
            const double z = 1.45 + 0.02 * (i < 30 ? i : 60 - i);
            ask_at(&s, at(0, 0, z), NULL);
            assert_true(s.last.entries <= capacity);
            assert_int_equal(s.last.capacity, capacity);
            assert_true(z > 1.6 || capacity > 7 || s.last.entries == 0);
        }
        assert_true(capacity > 7 || s.last.coherent < 30);
        end(&s);
    }
}

/* Equation 13 holds only from one translation to the next: planes that turned with B part other
 * boxes than before. A small ring comes down on the inside of the large one in many ways, and turns
 * now and then. */
static void rotations_between_translations(void **unused)
{
    (void)unused;
    uint64_t state = 5;
    uint32_t hits = 0;
    for (int run = 0; run < 150; run++) {
        kiln_front_options options = published();
        options.coherence = HUGE_VAL;
        session s = begin_rings(0, &options);
        const double around = random_between(&state, 0, 6.28), c = cos(around), d = sin(around);
        const double step = random_between(&state, 0.002, 0.006);
        kiln_pose pose = at(0.38 * c, 0.38 * d, 0.62);
        bool met = false;
        pose.scale = 0.2;
        for (int i = 0; i < 90 && !met; i++) {
            if (i % 9 == 8) {
                turn_about_y(&pose, random_between(&state, -0.12, 0.12));
            }
            pose.translation[0] += step * c;
            pose.translation[1] += step * d;
            pose.translation[2] -= step;
            met = ask_at(&s, pose, NULL);
        }
        hits += met;
        end(&s);
    }
    assert_true(hits > 100);
}

/* Which tree is X changes with the poses where both are of one mesh, and may change with them. */
static void one_mesh_twice(void **unused)
{
    (void)unused;
    for (unsigned kind = 0; kind < 2; kind++) {
        kiln_front_options options = published();
        options.coherence = HUGE_VAL;
        const kiln_tree *tree = kiln_file_tree(torus.file, kind);
        session s = begin(tree, tree, &options);
        const kiln_pose still = at(0, 0, 0);
        assert_true(ask(&s, &still, &still, NULL));
        for (int i = 0; i < 30; i++) {
            const kiln_pose low = at(0.01 * i, 0, 0), high = at(0.3 - 0.01 * i, 0, 1.6);
            ask(&s, i % 2 == 0 ? &low : &high, i % 2 == 0 ? &high : &low, NULL);
            ask(&s, &low, &high, NULL);
        }
        assert_true(s.last.coherent > 30);
        end(&s);
    }
}

/* Three triangles: two near each other, and one far away along x. */
static mesh three_places(void)
{
    static const float corner[3][2] = {{0, 0}, {0.2f, 0}, {0, 0.2f}};
    mesh m = {malloc(27 * sizeof(float)), malloc(9 * sizeof(uint32_t)), 9, 3};
    assert_non_null(m.positions);
    assert_non_null(m.indices);
    for (uint32_t i = 0; i < 9; i++) {
        m.positions[3 * i] = (i < 6 ? (float)(i / 3) * 0.5f : 10.0f) + corner[i % 3][0];
        m.positions[3 * i + 1] = corner[i % 3][1];
        m.positions[3 * i + 2] = 0;
        m.indices[i] = i;
    }
    return m;
}

/* The same in a tree whose node 1 has no lane in use, as files may have it: all triangles are in
 * the leaf beside it, whose box holds the whole tree. */
static kiln_file *open_with_empty_node(void **bytes)
{
    mesh m = three_places();
    size_t size = 0;
    void *made = quick_bake(&m, "obb2", 1, KILN_LAYOUT_RAW, &size);
    edit_file *edit = edit_open(made, size);
    kiln_format_tree *tree = (void *)edit_find(edit, KILN_SECTION_TREES)->data;
    kiln_format_node_obb2 *nodes = (void *)edit_find(edit, KILN_SECTION_NODES_OBB2)->data;
    assert_int_equal(tree->node_count, 2);
    const unsigned leaf = nodes[0].head.inner == 1 ? 1 : 0;
    tree->leaf_max = 3;
    nodes[0].head.tri = nodes[1].head.tri = 0;
    nodes[0].head.count[0] = (uint8_t)(3 << 4 * leaf);
    nodes[1].head.count[0] = 0;
    for (int k = 0; k < 3; k++) {
        nodes[0].half[k][leaf] = 4;
    }
    free(made);
    *bytes = edit_seal(edit, false, &size);
    edit_free(edit);
    mesh_free(&m);
    kiln_file *file = NULL;
    assert_int_equal(kiln_open_memory(*bytes, size, NULL, &file), KILN_OK);
    return file;
}

/* A pair below which there is nothing is apart for ever: it is not taken for one whose children
 * were pruned, and takes no more room from query to query. */
static void nodes_without_children(void **unused)
{
    (void)unused;
    void *bytes = NULL;
    kiln_file *file = open_with_empty_node(&bytes);
    quick_model one = quick_model_of(mesh_box(0, 0, -0.1f, 0.05f, 0.05f, 0.1f), "obb2", 12);
    kiln_front_options options = published();
    options.coherence = HUGE_VAL;
    options.prune = 0;
    options.capacity = 40;
    session s = begin(kiln_file_tree(file, 0), kiln_file_tree(one.file, 0), &options);
    for (int i = 0; i < 200; i++) {
        kiln_pose pose = kiln_pose_identity();
        size_t count = 0, expected = 0;
        pose.translation[0] = (i % 100 < 50 ? 0.25 : 10.05) + 0.0001 * i;
        pose.translation[1] = 0.05;
        assert_int_equal(kiln_front_contacts(s.front, NULL, &pose, NULL, NULL, 0, &count, NULL),
                         KILN_OK);
        assert_int_equal(kiln_contacts(s.a, NULL, s.b, &pose, NULL, NULL, 0, &expected), KILN_OK);
        assert_int_equal(count, expected);
        assert_true(i % 100 < 50 || count > 0);
    }
    assert_int_equal(kiln_front_get_info(s.front).coherent, 199);
    end(&s);
    quick_model_free(&one);
    kiln_close(file);
    free(bytes);
}

/* Pairs that were opened say nothing of how far the surfaces are apart, those below them do. */
static void opened_pairs_leave_free_motion(void **unused)
{
    (void)unused;
    for (unsigned kind = 0; kind < 2; kind++) {
        const kiln_front_options options = published();
        session s = begin_rings(kind, &options);
        const kiln_pose pose = at(0, 0, 1.75);
        kiln_hit hit;
        kiln_nearest nearest;
        double free_motion = -1;
        assert_int_equal(kiln_front_collide(s.front, NULL, &pose, NULL, &hit, &free_motion),
                         KILN_OK);
        assert_int_equal(kiln_distance(s.a, NULL, s.b, &pose, NULL, &nearest), KILN_OK);
        s.last = kiln_front_get_info(s.front);
        assert_true(!hit.found && s.last.volume_tests > 1 && s.last.leaf_tests == 0);
        assert_true(free_motion > 0 && free_motion <= nearest.distance);
        end(&s);
    }
}

/* Where floats do not reach, no pair of boxes is apart, but the roots are. */
static void far_beyond_floats(void **unused)
{
    (void)unused;
    for (unsigned kind = 0; kind < 2; kind++) {
        kiln_front_options options = published();
        options.coherence = HUGE_VAL;
        session s = begin_rings(kind, &options);
        kiln_front_info did;
        assert_false(ask_at(&s, at(1e40, 0, 0), &did));
        assert_int_equal(did.leaf_tests, 0);
        assert_false(ask_at(&s, at(0, 0, 1.65), &did));
        assert_true(did.entries > 10);
        assert_false(ask_at(&s, at(0, 1e60, 0), &did));
        assert_int_equal(did.leaf_tests, 0);
        end(&s);
    }
}

/* An error leaves outputs alone, and the front remembers nothing. */
static void poses_that_are_none_are_refused(void **unused)
{
    (void)unused;
    const kiln_front_options options = published();
    session s = begin_rings(0, &options);
    kiln_hit hit;
    double free_motion = 7;
    kiln_pose bad = at(0, 0, 1.5);
    ask_at(&s, bad, NULL);
    bad.translation[1] = (double)NAN;
    memset(&hit, 5, sizeof hit);
    const kiln_hit was = hit;
    assert_int_equal(kiln_front_collide(s.front, NULL, &bad, NULL, &hit, &free_motion),
                     KILN_ERROR_POSE);
    assert_memory_equal(&hit, &was, sizeof hit);
    assert_true(free_motion == 7);
    kiln_front_info did;
    ask_at(&s, at(0, 0, 1.5), &did);
    assert_int_equal(did.fresh, 1);
    end(&s);
}

/* Fronts are made less and less often where they do not pay, unless P_coherence is given. */
static void fronts_that_do_not_pay_are_given_up(void **unused)
{
    (void)unused;
    kiln_front_options options = published();
    session judged = begin_rings(0, &options);
    options.coherence = 0.14;
    session always = begin_rings(0, &options);
    for (int i = 0; i < 400; i++) {
        /* To and fro by nearly as much as is allowed: each time all is another. */
        const kiln_pose pose = at(i % 2 == 0 ? 0.1 : -0.1, i % 3 * 0.1, 1.6);
        ask_at(&judged, pose, NULL);
        ask_at(&always, pose, NULL);
    }
    assert_true(always.last.coherent == 399 && judged.last.coherent < 60);
    end(&judged);
    end(&always);
}

static void what_is_not_taken(void **unused)
{
    (void)unused;
    kiln_front_options options = published();
    const kiln_tree *obb2 = kiln_file_tree(torus.file, 0), *aabb2 = kiln_file_tree(torus.file, 1);
    assert_int_equal(kiln_front_size(obb2, aabb2, &options), 0);
    assert_int_equal(
        kiln_front_size(kiln_file_tree(torus.file, 2), kiln_file_tree(ring.file, 2), &options), 0);
    assert_true(kiln_front_size(obb2, obb2, &options) > 0);
    double *const numbers[] = {&options.coherence, &options.sprout, &options.prune};
    for (int i = 0; i < 3; i++) {
        *numbers[i] = -0.01;
        assert_int_equal(kiln_front_size(obb2, obb2, &options), 0);
        *numbers[i] = 0;
        assert_true(kiln_front_size(obb2, obb2, &options) > 0);
        *numbers[i] = HUGE_VAL;
        assert_true(kiln_front_size(obb2, obb2, &options) > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(still_objects_take_margins_only),
        cmocka_unit_test(small_motion_takes_few_tests),
        cmocka_unit_test(large_motion_reverts),
        cmocka_unit_test(fronts_grow_and_shrink),
        cmocka_unit_test(no_pruning_where_none_is_wanted),
        cmocka_unit_test(sprouting_follows_the_motion),
        cmocka_unit_test(hits_are_found_again_at_once),
        cmocka_unit_test(capacity_is_kept),
        cmocka_unit_test(rotations_between_translations),
        cmocka_unit_test(one_mesh_twice),
        cmocka_unit_test(nodes_without_children),
        cmocka_unit_test(opened_pairs_leave_free_motion),
        cmocka_unit_test(far_beyond_floats),
        cmocka_unit_test(poses_that_are_none_are_refused),
        cmocka_unit_test(fronts_that_do_not_pay_are_given_up),
        cmocka_unit_test(what_is_not_taken),
    };
    return cmocka_run_group_tests(tests, open_rings, close_rings);
}
