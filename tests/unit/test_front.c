/* Fronts at their edges: sizes and memory, refused arguments, untouched outputs, motion 0, room for
 * one entry, what counts say, free motion of objects that are far apart, stops, refitted trees, and
 * what hints do for time-critical queries. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/exact/exact.h"
#include "../../runtime/front/front.h"
#include "../../runtime/kiln_adb.h"
#include "../support/body.h"

static body cube, ring;

static int set_up(void **state)
{
    (void)state;
    cube = body_of(mesh_box(-1, -1, -1, 1, 1, 1), 2, KILN_LAYOUT_RAW);
    ring = body_of(mesh_torus(40, 24, 0.05), 4, KILN_LAYOUT_RAW);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    body_free(&cube);
    body_free(&ring);
    return 0;
}

static kiln_pose at(double x, double y, double z)
{
    kiln_pose pose = kiln_pose_identity();
    pose.translation[0] = x;
    pose.translation[1] = y;
    pose.translation[2] = z;
    return pose;
}

static kiln_front *front_of(const kiln_tree *a, const kiln_tree *b,
                            const kiln_front_options *options, void **memory)
{
    const size_t size = kiln_front_size(a, b, options);
    assert_true(size > 0);
    *memory = malloc(size + 1);
    assert_non_null(*memory);
    kiln_front *front = NULL;
    /* any alignment */
    assert_int_equal(kiln_front_place((uint8_t *)*memory + 1, size, a, b, options, &front),
                     KILN_OK);
    return front;
}

static void arguments_are_checked(void **state)
{
    (void)state;
    const kiln_tree *a = cube.trees[0], *b = ring.trees[0];
    kiln_front_options options = kiln_front_options_default();
    kiln_front *front = (kiln_front *)(void *)&options;
    void *memory;
    assert_int_equal(kiln_front_size(NULL, b, NULL), 0);
    assert_int_equal(kiln_front_size(a, NULL, NULL), 0);
    options.capacity = (1u << 24) + 1;
    assert_int_equal(kiln_front_size(a, b, &options), 0);
    options = kiln_front_options_default();
    options.method = (kiln_front_method)77;
    assert_int_equal(kiln_front_size(a, b, &options), 0);
    options = kiln_front_options_default();
    options.prune = -1;
    assert_int_equal(kiln_front_size(a, b, &options), 0);
    options = kiln_front_options_default();
    options.balls = true; /* of lists alone */
    assert_int_equal(kiln_front_size(a, b, &options), 0);
    const size_t size = kiln_front_size(a, b, NULL);
    memory = malloc(size);
    assert_non_null(memory);
    assert_int_equal(kiln_front_place(memory, size - 1, a, b, NULL, &front), KILN_ERROR_ARGUMENT);
    assert_null(front);
    assert_int_equal(kiln_front_place(NULL, size, a, b, NULL, &front), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_front_place(memory, size, a, b, NULL, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_front_place(memory, size, a, b, NULL, &front), KILN_OK);
    kiln_hit hit;
    kiln_nearest nearest;
    size_t count = 9;
    assert_int_equal(kiln_front_collide(NULL, NULL, NULL, NULL, &hit, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_front_collide(front, NULL, NULL, NULL, NULL, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_front_contacts(front, NULL, NULL, NULL, NULL, 1, &count, NULL),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_front_contacts(front, NULL, NULL, NULL, NULL, 0, NULL, NULL),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_front_contacts_each(front, NULL, NULL, NULL, NULL, NULL, &count, NULL),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_front_distance(front, NULL, NULL, NULL, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_front_distance(NULL, NULL, NULL, NULL, &nearest), KILN_ERROR_ARGUMENT);
    assert_int_equal(count, 9);
    kiln_front_reset(NULL);
    assert_int_equal(kiln_front_get_hint(NULL).a, 0);
    assert_int_equal(kiln_front_get_info(NULL).capacity, 0);
    free(memory);
}

static void motions_are_bounded(void **state)
{
    (void)state;
    const kiln_pose still = kiln_pose_identity(), moved = at(3, 4, 0);
    kiln_pose turned, bad = still;
    const double quarter[4] = {0, 0, sqrt(0.5), sqrt(0.5)};
    double bound = -1;
    assert_int_equal(kiln_motion_bound(cube.trees[0], NULL, &still, &bound), KILN_OK);
    assert_true(bound == 0);
    assert_int_equal(kiln_motion_bound(cube.trees[0], NULL, &moved, &bound), KILN_OK);
    assert_true(bound >= 5 && bound < 5 + 1e-9);
    /* A quarter turn about z takes a corner to its neighbour, at a distance of 2. */
    assert_int_equal(kiln_pose_from_quaternion(quarter, NULL, &turned), KILN_OK);
    assert_int_equal(kiln_motion_bound(cube.trees[0], NULL, &turned, &bound), KILN_OK);
    assert_true(bound >= 2 && bound < 2 + 1e-9);
    turned.rotation[0] = -3; /* a corner goes from 1, 1 to -3, -1 */
    turned.rotation[1] = turned.rotation[3] = 0;
    turned.rotation[4] = -1;
    assert_int_equal(kiln_motion_bound(cube.trees[0], NULL, &turned, &bound), KILN_OK);
    assert_true(bound >= sqrt(20) && bound < sqrt(20) + 1e-9);
    bad.translation[1] = (double)NAN;
    bound = 7;
    assert_int_equal(kiln_motion_bound(cube.trees[0], &bad, NULL, &bound), KILN_ERROR_POSE);
    assert_int_equal(kiln_motion_bound(NULL, NULL, NULL, &bound), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_motion_bound(cube.trees[0], NULL, NULL, NULL), KILN_ERROR_ARGUMENT);
    assert_true(bound == 7);
}

/* Far from the origin places are rounded, and a turn by less than that may take a point as far. */
static void roundings_are_motions(void **state)
{
    (void)state;
    uint64_t random = 23;
    for (int i = 0; i < 200; i++) {
        kiln_pose from = pose_random(&random, ldexp(1, (int)random_below(&random, 50))), to = from;
        double axis[3], bound, most = 0;
        random_direction(&random, axis);
        pose_turn(&to, axis, ldexp(1, -30 - (int)random_below(&random, 20)));
        for (int k = 0; k < 9; k++) {
            const double turned = to.rotation[k];
            to.rotation[k] = from.rotation[k] + (turned - from.rotation[k]) * 0x1p-20;
        }
        assert_int_equal(kiln_motion_bound(cube.trees[0], &from, &to, &bound), KILN_OK);
        for (int corner = 0; corner < 8; corner++) {
            double squared = 0;
            for (int k = 0; k < 3; k++) {
                double place[2];
                for (int n = 0; n < 2; n++) {
                    const kiln_pose *pose = n == 0 ? &from : &to;
                    place[n] = pose->translation[k];
                    for (int j = 0; j < 3; j++) {
                        const double way = pose->rotation[3 * k + j];
                        place[n] += (corner >> j & 1) != 0 ? way : -way;
                    }
                }
                squared += (place[1] - place[0]) * (place[1] - place[0]);
            }
            most = fmax(most, sqrt(squared));
        }
        assert_true(most <= bound);
    }
}

/* Three corners each, anywhere near a point. */
static void random_triangle(uint64_t *random, double far, float corners[9])
{
    double toward[3];
    random_direction(random, toward);
    for (int i = 0; i < 9; i++) {
        corners[i] = (float)(far * toward[i % 3] + random_between(random, -1, 1));
    }
}

/* What planes and boxes say of two triangles is never more than their distance, and mostly more
 * than nothing. */
static void margins_of_triangles_are_lower_bounds(void **state)
{
    (void)state;
    static const uint32_t corners_of[3] = {0, 1, 2};
    const uint32_t *const triangles[4] = {corners_of, corners_of, corners_of, corners_of};
    const kiln_kernel *kernel = kiln_kernel_active();
    uint64_t random = 11;
    uint32_t known = 0;
    for (int i = 0; i < 20000; i++) {
        float of_x[9], of_y[9];
        kiln_leaf_triangles x, y;
        kiln_tri_nearest near;
        double a[9], b[9];
        random_triangle(&random, 0, of_x);
        random_triangle(&random, random_between(&random, 0, i % 7 == 0 ? 1e4 : 3), of_y);
        x.first = y.first = 0;
        x.count = y.count = 1;
        kernel->load_triangles(of_x, triangles, NULL, &x);
        kernel->load_triangles(of_y, triangles, NULL, &y);
        for (int k = 0; k < 9; k++) {
            a[k] = (double)of_x[k];
            b[k] = (double)of_y[k];
        }
        assert_true(kiln_triangles_nearest(a, b, HUGE_VAL, &near));
        const double margin = kiln_leaf_pair_margin(&x, 0, &y, 0, HUGE_VAL);
        assert_true(margin <= near.value * (1 + 0x1p-40));
        known += near.value > 0.1 && margin > 0;
    }
    assert_true(known > 10000);
}

static void displace(const kiln_pose *pose, const double p[3], long double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = pose->translation[i];
        for (int k = 0; k < 3; k++) {
            out[i] += (long double)pose->rotation[3 * i + k] * pose->scale * p[k];
        }
    }
}

/* The bound is the displacement of the corner that is displaced most. */
static void bounds_are_those_of_corners(void **state)
{
    (void)state;
    uint64_t random = 5;
    const kiln_tree *tree = ring.trees[0];
    const kiln_tree_info info = kiln_tree_get_info(tree);
    for (int i = 0; i < 1000; i++) {
        kiln_pose from = pose_random(&random, 2), to = pose_random(&random, 2);
        from.scale = scale_random(&random, false);
        to.scale = i % 2 == 0 ? from.scale : scale_random(&random, false);
        long double most = 0;
        double bound;
        for (int corner = 0; corner < 8; corner++) {
            long double p[3], q[3], squared = 0;
            double of[3];
            for (int k = 0; k < 3; k++) {
                of[k] =
                    (double)((corner >> k & 1) != 0 ? info.bounds_upper[k] : info.bounds_lower[k]);
            }
            displace(&from, of, p);
            displace(&to, of, q);
            for (int k = 0; k < 3; k++) {
                squared += (p[k] - q[k]) * (p[k] - q[k]);
            }
            most = sqrtl(squared) > most ? sqrtl(squared) : most;
        }
        assert_int_equal(kiln_motion_bound(tree, &from, &to, &bound), KILN_OK);
        assert_true(bound >= most && bound <= most * (1 + 1e-9L) + 1e-9L);
    }
}

/* Cubes whose faces are .5 apart: what is free is that, and no more. */
static void free_motion_is_the_gap(void **state)
{
    (void)state;
    for (int kind = 0; kind < BODY_KINDS; kind++) {
        void *memory;
        kiln_front *front = front_of(cube.trees[kind], cube.trees[kind], NULL, &memory);
        double free_motion = 0;
        kiln_hit hit;
        for (int i = 0; i < 4; i++) {
            const kiln_pose pose = at(2.5 + 1e-3 * i, 0.125, 0.25);
            assert_int_equal(kiln_front_collide(front, NULL, &pose, NULL, &hit, &free_motion),
                             KILN_OK);
            assert_false(hit.found);
            assert_true(free_motion <= 0.5 + 1e-3 * i);
        }
        assert_true(free_motion > 0.49);
        assert_true(kiln_front_get_info(front).skipped >= 2);
        /* Straight ahead nothing is given away: skipped as long as it can be, and no longer. */
        for (int i = 0; i < 60; i++) {
            const kiln_pose ahead = at(2.505 - 0.01 * i, 0.125, 0.25);
            assert_int_equal(kiln_front_collide(front, NULL, &ahead, NULL, &hit, NULL), KILN_OK);
            assert_int_equal(hit.found, i >= 51);
        }
        const kiln_pose touching = at(2, 0.125, 0.25);
        assert_int_equal(kiln_front_collide(front, NULL, &touching, NULL, &hit, &free_motion),
                         KILN_OK);
        assert_true(hit.found && free_motion == 0);
        free(memory);
    }
}

/* The same poses again are answered by what is known, and a pair that meets by itself. */
/* A cube of 2 x 6 x 2, mirrored, beside one that is not stretched: free motion is known of roots
 * and distances, and no method loses an answer. */
static void stretched_meshes_are_asked_from_the_roots(void **state)
{
    (void)state;
    static const kiln_front_method methods[] = {
        KILN_FRONT_AUTO, KILN_FRONT_PUBLISHED, KILN_FRONT_SEPARATION,
        KILN_FRONT_SEPARATION_DEFERRED, KILN_FRONT_RECURSIVE};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        kiln_front_options options = kiln_front_options_default();
        options.method = methods[i];
        const kiln_tree *tree = cube.trees[0];
        for (int kind = 0; kind < BODY_KINDS; kind++) {
            const bool binary = kiln_tree_get_info(cube.trees[kind]).bv == KILN_BV_OBB2;
            tree = binary ? cube.trees[kind] : tree;
        }
        void *memory;
        kiln_front *front = front_of(tree, tree, &options, &memory);
        kiln_pose wide = at(0, 0, 0), beside = at(0, 4.5, 0);
        kiln_hit hit;
        kiln_nearest nearest;
        double free_motion;
        wide.rotation[4] = -3;
        assert_int_equal(kiln_front_collide(front, &wide, &beside, NULL, &hit, &free_motion),
                         KILN_OK);
        assert_true(!hit.found && free_motion > 0.499 && free_motion <= 0.5);
        beside.translation[1] = 4.25;
        assert_int_equal(kiln_front_distance(front, &wide, &beside, NULL, &nearest), KILN_OK);
        assert_true(nearest.distance == 0.25);
        beside.translation[1] = 4.125;
        assert_int_equal(kiln_front_collide(front, &wide, &beside, NULL, &hit, &free_motion),
                         KILN_OK);
        assert_true(!hit.found && free_motion > 0.124 && free_motion <= 0.125);
        assert_int_equal(kiln_front_get_info(front).skipped, methods[i] == KILN_FRONT_AUTO);
        beside.translation[1] = 4;
        assert_int_equal(kiln_front_collide(front, &wide, &beside, NULL, &hit, &free_motion),
                         KILN_OK);
        assert_true(hit.found && free_motion == 0);
        /* To rotations, to a flat cube, and back: what is free there is not free here. */
        static const struct {
            double height, y;
            bool meets;
        } turns[] = {{1, 2.5, false},
                     {1, 2.5, false},
                     {0.125, 2.5, false},
                     {1, 1.875, true},
                     {0.125, 1, true}};
        for (size_t turn = 0; turn < sizeof turns / sizeof turns[0]; turn++) {
            wide.rotation[4] = turns[turn].height;
            beside.translation[1] = turns[turn].y;
            assert_int_equal(kiln_front_collide(front, &wide, &beside, NULL, &hit, &free_motion),
                             KILN_OK);
            assert_true(hit.found == turns[turn].meets);
        }
        free(memory);
    }
}

static void motion_0_costs_nothing(void **state)
{
    (void)state;
    void *memory;
    kiln_front *front = front_of(ring.trees[0], cube.trees[0], NULL, &memory);
    const kiln_pose hits = at(1, 0, 0);
    kiln_hit hit;
    for (int i = 0; i < 10; i++) {
        assert_int_equal(kiln_front_collide(front, NULL, &hits, NULL, &hit, NULL), KILN_OK);
        assert_true(hit.found);
    }
    const kiln_front_info info = kiln_front_get_info(front);
    assert_int_equal(info.queries, 10);
    assert_int_equal(info.last_pair, 9);
    assert_int_equal(kiln_front_get_hint(front).a, hit.hint.a);
    kiln_front_reset(front);
    assert_int_equal(kiln_front_get_info(front).queries, 0);
    assert_int_equal(kiln_front_get_hint(front).a, 0);
    free(memory);
}

/* With room for one entry no front is kept; answers are the same. */
static void room_for_one_entry_is_enough(void **state)
{
    (void)state;
    kiln_front_options options = kiln_front_options_default();
    options.capacity = 1;
    void *memory;
    kiln_front *front = front_of(ring.trees[0], ring.trees[0], &options, &memory);
    front->always = true;
    for (int i = 0; i < 50; i++) {
        const kiln_pose pose = at(0.5 * sin(0.05 * i), 0.1, 0.85 - 0.01 * i);
        kiln_hit hit, fresh;
        assert_int_equal(kiln_front_collide(front, NULL, &pose, NULL, &hit, NULL), KILN_OK);
        assert_int_equal(kiln_collide(ring.trees[0], NULL, ring.trees[0], &pose, NULL, &fresh),
                         KILN_OK);
        assert_int_equal(hit.found, fresh.found);
        assert_int_equal(kiln_front_get_info(front).entries, 0);
    }
    free(memory);
}

static bool stop_always(void *user)
{
    ++*(int *)user;
    return true;
}

static void stopped_queries_are_forgotten(void **state)
{
    (void)state;
    void *memory;
    int calls = 0;
    kiln_front *front = front_of(ring.trees[0], cube.trees[0], NULL, &memory);
    kiln_pair_options options = kiln_pair_options_default();
    options.stop = stop_always;
    options.stop_user = &calls;
    const kiln_pose hits = at(1, 0, 0);
    kiln_hit hit;
    double free_motion = 3;
    memset(&hit, 5, sizeof hit);
    const kiln_hit before = hit;
    assert_int_equal(kiln_front_collide(front, NULL, &hits, &options, &hit, &free_motion),
                     KILN_ERROR_STOPPED);
    assert_memory_equal(&hit, &before, sizeof hit);
    assert_true(calls == 1 && free_motion == 3);
    assert_int_equal(kiln_front_collide(front, NULL, &hits, NULL, &hit, NULL), KILN_OK);
    assert_true(hit.found);
    free(memory);
}

/* A pair that a filter refuses is a hit for the next query without one, at the same poses. */
static void filters_change_nothing_that_is_remembered(void **state)
{
    (void)state;
    body_rule none = {1, 1, 0};
    kiln_pair_options options = kiln_pair_options_default();
    options.filter = body_pair_filter;
    options.filter_user = &none; /* keeps nothing */
    for (int always = 0; always < 2; always++) {
        void *memory;
        kiln_front *front = front_of(ring.trees[0], cube.trees[0], NULL, &memory);
        front->always = always;
        const kiln_pose hits = at(1, 0, 0);
        kiln_hit hit;
        double free_motion = 3;
        for (int i = 0; i < 3; i++) {
            assert_int_equal(kiln_front_collide(front, NULL, &hits, &options, &hit, &free_motion),
                             KILN_OK);
            assert_true(!hit.found && free_motion == 0);
        }
        assert_int_equal(kiln_front_collide(front, NULL, &hits, NULL, &hit, NULL), KILN_OK);
        assert_true(hit.found);
        free(memory);
    }
}

/* After a way that is long beside a gap, sums of motions are too coarse to tell the gap: then no
 * more of it is free. */
static void free_motion_is_not_of_coarse_sums(void **state)
{
    (void)state;
    for (int kind = 0; kind < BODY_KINDS; kind++) {
        void *memory;
        kiln_front *front = front_of(cube.trees[kind], cube.trees[kind], NULL, &memory);
        front->always = true; /* so that the front is there whatever the long way was */
        const kiln_pose far = at(1e9, 0.125, 0.25);
        double free_motion = 0;
        kiln_hit hit;
        for (int i = 0; i < 40; i++) {
            const double gap = 0x1p-30 + 0x1p-40 * i;
            const kiln_pose near = at(2 + gap, 0.125, 0.25);
            assert_int_equal(
                kiln_front_collide(front, NULL, i < 4 ? &far : &near, NULL, &hit, &free_motion),
                KILN_OK);
            assert_false(hit.found);
            assert_true(i < 4 || free_motion <= gap);
        }
        assert_true(kiln_front_get_info(front).coherent > 0);
        free(memory);
    }
}

/* What a distance says is made use of by the next query, also where the one before it hit. */
static void distances_are_remembered(void **state)
{
    (void)state;
    void *memory;
    kiln_front *front = front_of(ring.trees[0], cube.trees[0], NULL, &memory);
    const kiln_pose hits = at(1, 0, 0), apart = at(4, 0, 0), nearer = at(3.5, 0, 0);
    kiln_hit hit;
    kiln_nearest nearest;
    double free_motion;
    assert_int_equal(kiln_front_collide(front, NULL, &hits, NULL, &hit, NULL), KILN_OK);
    assert_true(hit.found);
    assert_int_equal(kiln_front_distance(front, NULL, &apart, NULL, &nearest), KILN_OK);
    assert_int_equal(kiln_front_collide(front, NULL, &nearer, NULL, &hit, &free_motion), KILN_OK);
    assert_true(!hit.found && free_motion > nearest.distance - 0.5 - 1e-9);
    assert_int_equal(kiln_front_get_info(front).skipped, 1);
    assert_int_equal(kiln_front_collide(front, NULL, &hits, NULL, &hit, NULL), KILN_OK);
    assert_true(hit.found);
    free(memory);
}

/* Of one mesh twice, the first by the bytes of the poses is the one that is not carried. Where the
 * other is, here, its nearest corners come to lie on the first one's face by rounding: the motion
 * is 0, and yet one place is apart and the other is not. */
static void places_differ_by_who_is_carried(void **state)
{
    (void)state;
    body b = body_of(mesh_box(0x1p-30, 0, 0, 1, 1, 1), 2, KILN_LAYOUT_RAW);
    const double by = 0x1p-8 + 0x1p-53;
    for (int always = 0; always < 2; always++) {
        const kiln_tree *tree = b.trees[0];
        void *memory;
        kiln_front *front = front_of(tree, tree, NULL, &memory);
        front->always = always;
        size_t found = 0;
        for (int i = 0; i < 8; i++) {
            const double x = i % 4 == 3 ? 0 : by;
            const kiln_pose first = at(x, 0, 0), second = at(1 - 0x1p-30 + 0x1p-53 + x, 0.25, 0.25);
            kiln_hit hit, fresh;
            assert_int_equal(kiln_collide(tree, &first, tree, &second, NULL, &fresh), KILN_OK);
            assert_int_equal(kiln_front_collide(front, &first, &second, NULL, &hit, NULL), KILN_OK);
            assert_int_equal(hit.found, fresh.found);
            found += fresh.found;
        }
        assert_int_equal(found, 2);
        free(memory);
    }
    body_free(&b);
}

/* Lengths of two frames differ where poses depart from orthonormal: of one mesh twice, what is
 * measured in that of the second is not more in that of the first. */
static void frames_that_depart_differ(void **state)
{
    (void)state;
    const kiln_tree *tree = cube.trees[0];
    void *memory;
    kiln_front *front = front_of(tree, tree, NULL, &memory);
    size_t swapped = 0;
    for (int i = 0; i < 16; i++) {
        const double wide = 1 + 0x1p-21 - (i % 4) * 0x1p-52, slim = 1 - 0x1p-21 + i * 0x1p-53;
        kiln_pose first = at(0, 0, 0), second = at(3, 0.125, 0.25);
        for (int k = 0; k < 9; k += 4) {
            first.rotation[k] = wide;
            second.rotation[k] = slim;
        }
        kiln_nearest nearest;
        kiln_hit hit;
        swapped += memcmp(&second, &first, sizeof first) < 0;
        kiln_front_reset(front);
        for (int before = 0; before < 2; before++) {
            assert_int_equal(kiln_front_collide(front, &first, &second, NULL, &hit, NULL), KILN_OK);
            assert_false(hit.found);
        }
        assert_int_equal(kiln_front_distance(front, &first, &second, NULL, &nearest), KILN_OK);
        assert_true(nearest.found && nearest.distance > 0.99);
        second.translation[0] = wide + slim - 0x1p-30;
        assert_int_equal(kiln_front_collide(front, &first, &second, NULL, &hit, NULL), KILN_OK);
        assert_true(hit.found);
    }
    assert_true(swapped > 0 && swapped < 16);
    free(memory);
}

/* Points, where what counts as 0 is more than any size. */
static void what_counts_as_0_is_a_motion(void **state)
{
    (void)state;
    body b = body_of(mesh_box(0, 0, 0, 0, 0, 0), 2, KILN_LAYOUT_RAW);
    const kiln_tree *tree = b.trees[0];
    void *memory;
    kiln_front *front = front_of(tree, tree, NULL, &memory);
    for (int always = 0; always < 2; always++) {
        kiln_front_reset(front);
        front->always = always;
        for (int i = 0; i < 20; i++) {
            const kiln_pose pose = at(0x1p-250 * (1.0625 - i * 0x1p-7), 0, 0);
            kiln_hit hit, fresh;
            assert_int_equal(kiln_collide(tree, NULL, tree, &pose, NULL, &fresh), KILN_OK);
            assert_int_equal(kiln_front_collide(front, NULL, &pose, NULL, &hit, NULL), KILN_OK);
            assert_int_equal(hit.found, fresh.found);
            assert_int_equal(fresh.found, i > 8);
        }
    }
    double bound;
    const kiln_pose moved = at(0x1p-600, 0, 0);
    assert_int_equal(kiln_motion_bound(tree, NULL, &moved, &bound), KILN_OK);
    assert_true(bound >= 0x1p-600);
    free(memory);
    body_free(&b);
}

/* What met last makes a time-critical query certain before its first step; nonsense does no harm.
 */
static void hints_decide_time_critical_queries(void **state)
{
    (void)state;
    const kiln_tree *a = ring.trees[0], *b = cube.trees[0];
    const kiln_pose hits = at(1, 0, 0), apart = at(9, 0, 0);
    kiln_hit hit;
    assert_int_equal(kiln_collide(a, NULL, b, &hits, NULL, &hit), KILN_OK);
    assert_true(hit.found);
    kiln_likely_options options = kiln_likely_options_of(KILN_LIKELY_DEFAULT);
    kiln_likely_answer answer;
    options.steps = 1;
    options.hint = hit.hint;
    assert_int_equal(kiln_collide_likely(a, NULL, b, &hits, &options, &answer), KILN_OK);
    assert_true(answer.verdict == KILN_LIKELY_YES && answer.proved && answer.steps == 0);
    assert_true(answer.pair.a == hit.pair.a && answer.pair.b == hit.pair.b);
    assert_int_equal(kiln_collide_likely(a, NULL, b, &apart, &options, &answer), KILN_OK);
    assert_true(answer.verdict == KILN_LIKELY_NO && answer.proved);
    options.hint.a = UINT32_MAX;
    assert_int_equal(kiln_collide_likely(a, NULL, b, &hits, &options, &answer), KILN_OK);
    assert_int_equal(answer.steps, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(motions_are_bounded),
        cmocka_unit_test(roundings_are_motions),
        cmocka_unit_test(margins_of_triangles_are_lower_bounds),
        cmocka_unit_test(bounds_are_those_of_corners),
        cmocka_unit_test(free_motion_is_the_gap),
        cmocka_unit_test(stretched_meshes_are_asked_from_the_roots),
        cmocka_unit_test(motion_0_costs_nothing),
        cmocka_unit_test(room_for_one_entry_is_enough),
        cmocka_unit_test(stopped_queries_are_forgotten),
        cmocka_unit_test(filters_change_nothing_that_is_remembered),
        cmocka_unit_test(free_motion_is_not_of_coarse_sums),
        cmocka_unit_test(distances_are_remembered),
        cmocka_unit_test(places_differ_by_who_is_carried),
        cmocka_unit_test(frames_that_depart_differ),
        cmocka_unit_test(what_counts_as_0_is_a_motion),
        cmocka_unit_test(hints_decide_time_critical_queries),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
