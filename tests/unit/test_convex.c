/* Convex shapes: arguments, options and exact edges. Random shapes are
 * in property/test_shape_distance.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/kiln_shapes.h"
#include "../support/amount.h"
#include "../support/quick_bake.h"

/* A box from 0 to 1. */
static quick_model unit_box(void)
{
    return quick_model_of(mesh_box(0, 0, 0, 1, 1, 1), "obb,aabb", 2);
}

static kiln_shape_nearest distance_of(const kiln_tree *tree, const kiln_convex *shape,
                                      const kiln_shape_options *options)
{
    kiln_shape_nearest nearest;
    assert_int_equal(kiln_shape_distance(tree, NULL, shape, NULL, options, &nearest), KILN_OK);
    return nearest;
}

static size_t met_by(const kiln_tree *tree, const kiln_convex *shape)
{
    size_t count;
    assert_int_equal(kiln_convex_overlap_all(tree, NULL, shape, NULL, NULL, NULL, 0, &count),
                     KILN_OK);
    return count;
}

/* ------------------------------------------------------------------------------- arguments -- */

static void expect_refused(const kiln_tree *tree, const kiln_convex *shape, const kiln_pose *pose,
                           const kiln_shape_options *options, kiln_status status)
{
    kiln_shape_nearest nearest, before;
    kiln_triangle_hit hit = {true, 7, 9};
    size_t count = 5;
    memset(&nearest, 0xA5, sizeof nearest);
    before = nearest;
    assert_int_equal(kiln_shape_distance(tree, pose, shape, NULL, options, &nearest), status);
    assert_int_equal(kiln_shape_distance(tree, NULL, shape, pose, options, &nearest), status);
    assert_memory_equal(&nearest, &before, sizeof nearest);
    if (options == NULL) {
        assert_int_equal(kiln_shape_within(tree, pose, shape, NULL, 1, NULL, &hit), status);
        assert_int_equal(kiln_convex_overlap_any(tree, pose, shape, NULL, NULL, &hit), status);
        assert_int_equal(kiln_convex_overlap_all(tree, NULL, shape, pose, NULL, NULL, 0, &count),
                         status);
        assert_true(hit.found && hit.triangle == 7 && hit.value == 9 && count == 5);
    }
}

static void arguments_are_checked(void **state)
{
    (void)state;
    quick_model box = unit_box();
    const kiln_tree *tree = kiln_file_tree(box.file, 0);
    double p[6] = {2, 2, 2, 3, 3, 3};
    const kiln_convex good = {p, 2, 1};
    kiln_convex bad = good;
    kiln_triangle_hit hit;
    size_t count;
    expect_refused(NULL, &good, NULL, NULL, KILN_ERROR_ARGUMENT);
    expect_refused(tree, NULL, NULL, NULL, KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_shape_distance(tree, NULL, &good, NULL, NULL, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_shape_within(tree, NULL, &good, NULL, 1, NULL, NULL),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_shape_within(tree, NULL, &good, NULL, -1, NULL, &hit),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_shape_within(tree, NULL, &good, NULL, NAN, NULL, &hit),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_convex_overlap_any(tree, NULL, &good, NULL, NULL, NULL),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_convex_overlap_all(tree, NULL, &good, NULL, NULL, NULL, 3, &count),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_convex_overlap_each(tree, NULL, &good, NULL, NULL, NULL, NULL, &count),
                     KILN_ERROR_ARGUMENT);
    bad.vertices = NULL;
    expect_refused(tree, &bad, NULL, NULL, KILN_ERROR_ARGUMENT);
    bad = good;
    bad.count = 0;
    expect_refused(tree, &bad, NULL, NULL, KILN_ERROR_ARGUMENT);
    const double radii[] = {-1, -0x1p-1070, NAN, HUGE_VAL, 1.1e60};
    for (size_t i = 0; i < sizeof radii / sizeof *radii; i++) {
        bad = good;
        bad.radius = radii[i];
        expect_refused(tree, &bad, NULL, NULL, KILN_ERROR_ARGUMENT);
    }
    const double numbers[] = {NAN, HUGE_VAL, -HUGE_VAL, 1.1e60, -1.1e60};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        for (int k = 0; k < 6; k++) {
            const double kept = p[k];
            p[k] = numbers[i];
            expect_refused(tree, &good, NULL, NULL, KILN_ERROR_ARGUMENT);
            p[k] = kept;
        }
    }
    /* Nor in any place of a hull that is searched by blocks. */
    double q[3 * 131];
    for (int k = 0; k < 3 * 131; k++) {
        q[k] = k % 7;
    }
    const kiln_convex large = {q, 131, 1};
    for (size_t k = 0; k < 3 * 131; k++) {
        const double kept = q[k];
        q[k] = numbers[k % (sizeof numbers / sizeof *numbers)];
        expect_refused(tree, &large, NULL, NULL, KILN_ERROR_ARGUMENT);
        q[k] = kept;
    }
    kiln_pose pose = kiln_pose_identity();
    pose.scale = 0;
    expect_refused(tree, &good, &pose, NULL, KILN_ERROR_POSE);
    /* A stretched mesh has a distance, and a stretched shape, unless it is round. */
    kiln_pose wide = kiln_pose_identity();
    kiln_shape_nearest nearest;
    wide.rotation[0] = 0.5;
    assert_int_equal(kiln_shape_distance(tree, &wide, &good, NULL, NULL, &nearest), KILN_OK);
    assert_true(nearest.distance > 0 && nearest.distance < 1.5);
    assert_true(good.radius > 0);
    assert_int_equal(kiln_shape_distance(tree, NULL, &good, &wide, NULL, &nearest),
                     KILN_ERROR_POSE);
    kiln_convex sharp = good;
    sharp.radius = 0;
    assert_int_equal(kiln_shape_distance(tree, NULL, &sharp, &wide, NULL, &nearest), KILN_OK);
    const double across = nearest.distance;
    sharp.vertices = p;
    for (int k = 0; k < 6; k += 3) {
        p[k] *= 0.5;
    }
    assert_int_equal(kiln_shape_distance(tree, NULL, &sharp, NULL, NULL, &nearest), KILN_OK);
    assert_true(nearest.distance == across);
    for (int k = 0; k < 6; k += 3) {
        p[k] *= 2;
    }
    assert_int_equal(kiln_convex_overlap_any(tree, NULL, &good, &wide, NULL, &hit), KILN_OK);
    kiln_shape_options options = kiln_shape_options_default();
    double *const members[] = {&options.beyond, &options.relative, &options.absolute};
    for (int i = 0; i < 3; i++) {
        const double kept = *members[i];
        *members[i] = -1;
        expect_refused(tree, &good, NULL, &options, KILN_ERROR_ARGUMENT);
        *members[i] = NAN;
        expect_refused(tree, &good, NULL, &options, KILN_ERROR_ARGUMENT);
        *members[i] = HUGE_VAL;
        if (i > 0) {
            expect_refused(tree, &good, NULL, &options, KILN_ERROR_ARGUMENT);
        }
        *members[i] = kept;
    }
    quick_model_free(&box);
}

static void trees_without_polygons_are_refused(void **state)
{
    (void)state;
    const double p[3] = {2, 2, 2};
    const kiln_convex shape = {p, 1, 0};
    kiln_bake_options options = kiln_bake_options_default();
    mesh m = mesh_box(0, 0, 0, 1, 1, 1);
    size_t size;
    kiln_file *file;
    options.bv = "obb";
    options.adb = 4;
    options.adb_factor = 0.75;
    options.no_geometry = true;
    options.threads = 1;
    void *bytes = quick_bake_with(&m, &options, &size);
    assert_int_equal(kiln_open_memory(bytes, size, NULL, &file), KILN_OK);
    expect_refused(kiln_file_tree(file, 0), &shape, NULL, NULL, KILN_ERROR_NOT_LOADED);
    kiln_close(file);
    free(bytes);
    mesh_free(&m);
}

/* --------------------------------------------------------------------------------- answers -- */

static void shapes_of_kiln_h_become_convex(void **state)
{
    (void)state;
    double v[24];
    kiln_convex out = {NULL, 0, 0};
    kiln_shape shape = {KILN_SHAPE_BOX, {1, 2, 3}, {4, 5, 6}, 9};
    assert_int_equal(kiln_convex_from(&shape, v, &out), KILN_OK);
    assert_true(out.vertices == v && out.count == 8 && out.radius == 0);
    for (unsigned i = 0; i < 8; i++) {
        for (unsigned k = 0; k < 3; k++) {
            assert_true(v[3 * i + k] == ((i >> k & 1) != 0 ? shape.b[k] : shape.a[k]));
        }
    }
    shape.kind = KILN_SHAPE_SPHERE;
    assert_int_equal(kiln_convex_from(&shape, v, &out), KILN_OK);
    assert_true(out.count == 1 && out.radius == 9 && v[0] == 1 && v[2] == 3);
    shape.kind = KILN_SHAPE_CAPSULE;
    assert_int_equal(kiln_convex_from(&shape, v, &out), KILN_OK);
    assert_true(out.count == 2 && out.radius == 9 && v[0] == 1 && v[3] == 4 && v[5] == 6);
    shape.kind = (kiln_shape_kind)4;
    assert_int_equal(kiln_convex_from(&shape, v, &out), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_convex_from(NULL, v, &out), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_convex_from(&shape, NULL, &out), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_convex_from(&shape, v, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(out.count, 2);
}

static void distances_of_plain_shapes_are_right(void **state)
{
    (void)state;
    quick_model box = unit_box();
    const kiln_tree *tree = kiln_file_tree(box.file, 0);
    const double centre[3] = {3, 0.5, 0.25}, middle[3] = {0.5, 0.5, 0.5};
    kiln_convex shape = {centre, 1, 0.5};
    kiln_shape_nearest found = distance_of(tree, &shape, NULL);
    assert_true(found.found && found.distance == 1.5 && found.point_mesh[0] == 1);
    assert_true(found.point_shape[0] == 2.5 && found.point_shape[1] == 0.5);
    assert_true(found.normal[0] == -1 && found.normal[1] == 0 && found.hint != 0);
    shape.radius = 2;
    assert_true(distance_of(tree, &shape, NULL).distance == 0);
    assert_true(met_by(tree, &shape) == 1);
    shape.radius = nextafter(2, 0);
    assert_true(distance_of(tree, &shape, NULL).distance > 0);
    assert_true(met_by(tree, &shape) == 0);
    /* Inside the mesh nothing is met; a hull around it meets all of it. */
    shape = (kiln_convex){middle, 1, 0.25};
    assert_true(distance_of(tree, &shape, NULL).distance == 0.25);
    const double around[12] = {-9, -9, -9, 30, -9, -9, -9, 30, -9, -9, -9, 30};
    shape = (kiln_convex){around, 4, 0};
    assert_true(distance_of(tree, &shape, NULL).distance == 0);
    assert_int_equal(met_by(tree, &shape), 12);
    /* The shape's pose scales it, and distances are the world's. */
    kiln_pose at = kiln_pose_identity();
    kiln_shape_nearest nearest;
    at.scale = 4;
    at.translation[0] = 3;
    const double origin[3] = {0, 0.125, 0.125};
    shape = (kiln_convex){origin, 1, 0.25};
    assert_int_equal(kiln_shape_distance(tree, NULL, &shape, &at, NULL, &nearest), KILN_OK);
    assert_true(nearest.distance == 1 && nearest.point_shape[0] == 2 && nearest.normal[0] == -1);
    quick_model_free(&box);
}

/* Corner, edge and face of a hull at a corner, an edge and a face of the mesh: touching counts, and
 * a rounding off does not. */
static void touching_is_exact(void **state)
{
    (void)state;
    quick_model box = unit_box();
    const kiln_tree *tree = kiln_file_tree(box.file, 0);
    static const double hulls[][12] = {
        {1, 1, 1, 2, 2, 1, 2, 1, 2, 2, 2, 2},                 /* corner at corner */
        {1, 0.3, 0.7, 2, 0, 1, 2, 1, 0, 2, 1, 1},             /* corner at face */
        {1, 1, 0.25, 1, 1, 0.75, 2, 2, 0.5, 2, 1.5, 0.5},     /* edge along edge */
        {1, 0.1, 0.9, 1, 0.9, 0.1, 1, 0.9, 0.9, 2, 0.5, 0.5}, /* face on face */
    };
    for (size_t i = 0; i < sizeof hulls / sizeof hulls[0]; i++) {
        double v[12];
        memcpy(v, hulls[i], sizeof v);
        const kiln_convex shape = {v, 4, 0};
        assert_true(distance_of(tree, &shape, NULL).distance == 0);
        assert_true(met_by(tree, &shape) > 0);
        for (int k = 0; k < 4; k++) {
            v[3 * k] = nextafter(v[3 * k], 9);
        }
        const kiln_shape_nearest off = distance_of(tree, &shape, NULL);
        assert_true(off.distance > 0 && off.distance < 0x1p-50);
        assert_int_equal(met_by(tree, &shape), 0);
    }
    quick_model_free(&box);
}

/* A box as a hull meets what it meets as a box. */
/* A shape whose radius is all that there is to see of it, and a tree of one point. */
static void small_trees_are_within_their_distance(void **state)
{
    (void)state;
    mesh m = {NULL, NULL, 1, 1};
    void *bytes;
    m.positions = malloc(3 * sizeof *m.positions);
    m.indices = calloc(3, sizeof *m.indices);
    assert_true(m.positions != NULL && m.indices != NULL);
    m.positions[0] = 1;
    m.positions[1] = m.positions[2] = 0;
    kiln_file *file = quick_open(&m, "obb,aabb", 4, KILN_LAYOUT_RAW, &bytes);
    for (uint32_t t = 0; t < 2; t++) {
        const kiln_tree *tree = kiln_file_tree(file, t);
        for (int i = 0; i < 4; i++) {
            static const double radii[4] = {1, 0.5, 0, 1e-3};
            const double at[3] = {0, 0, 0};
            const kiln_convex ball = {at, 1, radii[i]};
            kiln_shape_options options = kiln_shape_options_default();
            kiln_shape_nearest nearest;
            kiln_triangle_hit hit;
            assert_int_equal(kiln_shape_distance(tree, NULL, &ball, NULL, NULL, &nearest), KILN_OK);
            assert_true(nearest.distance == 1 - radii[i]);
            options.beyond = nearest.distance;
            assert_int_equal(kiln_shape_distance(tree, NULL, &ball, NULL, &options, &nearest),
                             KILN_OK);
            assert_true(nearest.found);
            assert_int_equal(kiln_shape_within(tree, NULL, &ball, NULL, 1 - radii[i], NULL, &hit),
                             KILN_OK);
            assert_true(hit.found);
            assert_int_equal(
                kiln_shape_within(tree, NULL, &ball, NULL, nextafter(1 - radii[i], -1), NULL, &hit),
                radii[i] < 1 ? KILN_OK : KILN_ERROR_ARGUMENT);
            assert_true(radii[i] == 1 || !hit.found);
        }
    }
    kiln_close(file);
    free(bytes);
    mesh_free(&m);
}

static void boxes_are_as_exact_both_ways(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (uint32_t i = 0; i < amount_of_few(60); i++) {
        quick_model m = quick_model_of(mesh_lattice(&random, 30, 4), "aabb", 3);
        const kiln_tree *tree = kiln_file_tree(m.file, 0);
        kiln_shape box = {KILN_SHAPE_BOX, {0, 0, 0}, {0, 0, 0}, 0};
        double v[24];
        kiln_convex hull;
        kiln_triangle_hit one[30], other[30];
        size_t of_one, of_other;
        const kiln_pose pose = i % 2 == 0 ? pose_exact(&random, 2) : pose_random(&random, 1);
        for (int k = 0; k < 3; k++) {
            box.a[k] = random_below(&random, 4);
            box.b[k] = box.a[k] + random_below(&random, 3);
        }
        assert_int_equal(kiln_convex_from(&box, v, &hull), KILN_OK);
        assert_int_equal(kiln_overlap_all(tree, NULL, &box, &pose, NULL, one, 30, &of_one),
                         KILN_OK);
        assert_int_equal(
            kiln_convex_overlap_all(tree, NULL, &hull, &pose, NULL, other, 30, &of_other), KILN_OK);
        assert_int_equal(of_one, of_other);
        for (size_t k = 0; k < of_one; k++) {
            assert_int_equal(one[k].triangle, other[k].triangle);
        }
        quick_model_free(&m);
    }
}

/* --------------------------------------------------------------------------------- options -- */

static bool refuse_all(void *user, uint32_t triangle, uint32_t value)
{
    (void)user, (void)triangle, (void)value;
    return false;
}

static bool stop_at_second(void *user)
{
    return ++*(int *)user == 2;
}

static void options_are_kept(void **state)
{
    (void)state;
    quick_model box = unit_box();
    const kiln_tree *tree = kiln_file_tree(box.file, 0);
    const double p[3] = {3, 0.5, 0.25};
    const kiln_convex shape = {p, 1, 0};
    kiln_shape_options options = kiln_shape_options_default();
    kiln_shape_nearest nearest;
    kiln_triangle_hit hit;
    int calls = 0;
    options.filter = refuse_all;
    nearest = distance_of(tree, &shape, &options);
    assert_true(!nearest.found && nearest.distance == HUGE_VAL && nearest.hint == 0);
    assert_int_equal(kiln_shape_within(tree, NULL, &shape, NULL, 5, &options, &hit), KILN_OK);
    assert_false(hit.found);
    options.stop = stop_at_second;
    options.stop_user = &calls;
    memset(&nearest, 0x5A, sizeof nearest);
    const kiln_shape_nearest before = nearest;
    assert_int_equal(kiln_shape_distance(tree, NULL, &shape, NULL, &options, &nearest),
                     KILN_ERROR_STOPPED);
    assert_memory_equal(&nearest, &before, sizeof nearest);
    assert_int_equal(calls, 2);
    /* A caller of an older version, whose options ended before `beyond`. */
    options = kiln_shape_options_default();
    options.struct_size = offsetof(kiln_shape_options, beyond);
    options.beyond = 0;
    assert_true(distance_of(tree, &shape, &options).distance == 2);
    options.struct_size = sizeof options;
    assert_false(distance_of(tree, &shape, &options).found);
    quick_model_free(&box);
}

/* Of a shape that lies on a line of symmetry the lowest id is named. */
static void equal_distances_go_by_ids(void **state)
{
    (void)state;
    quick_model box = unit_box();
    const double p[3] = {0.5, 0.5, 0.5}, corner[3] = {2, 2, 2};
    kiln_convex shape = {p, 1, 0};
    for (uint32_t i = 0; i < 2; i++) {
        const kiln_tree *tree = kiln_file_tree(box.file, i);
        shape.vertices = p;
        assert_int_equal(distance_of(tree, &shape, NULL).triangle, 0);
        shape.vertices = corner;
        const kiln_shape_nearest found = distance_of(tree, &shape, NULL);
        for (uint32_t t = 0; t < found.triangle; t++) {
            float corners[3][3];
            assert_int_equal(kiln_tree_corners(tree, t, corners), KILN_OK);
            for (int c = 0; c < 3; c++) {
                assert_true(corners[c][0] != 1 || corners[c][1] != 1 || corners[c][2] != 1);
            }
        }
    }
    quick_model_free(&box);
}

/* Of many vertices, which are passed by in blocks: shears by integers, which carry them exactly. */
static void sheared_hulls_are_those_carried_before(void **state)
{
    (void)state;
    enum { VERTICES = 300 };
    static double vertices[3 * VERTICES], carried[3 * VERTICES];
    uint64_t random = 5;
    quick_model m = unit_box();
    for (int turn = 0; turn < 60; turn++) {
        kiln_pose pose = kiln_pose_identity();
        for (int k = 0; k < 3; k++) {
            pose.translation[k] = (double)random_below(&random, 1200) - 600;
            pose.rotation[(int[]){1, 2, 5}[k]] = (double)random_below(&random, 7) - 3;
        }
        for (uint32_t i = 0; i < VERTICES; i++) {
            double *v = vertices + (size_t)3 * i;
            for (int k = 0; k < 3; k++) {
                v[k] = (double)random_below(&random, 65) - 32;
            }
            for (int k = 0; k < 3; k++) {
                const double *row = pose.rotation + 3 * k;
                carried[3 * i + (uint32_t)k] =
                    row[0] * v[0] + row[1] * v[1] + row[2] * v[2] + pose.translation[k];
            }
        }
        const kiln_convex hull = {vertices, VERTICES, 0}, before = {carried, VERTICES, 0};
        kiln_shape_nearest nearest;
        assert_int_equal(
            kiln_shape_distance(kiln_file_tree(m.file, 0), NULL, &hull, &pose, NULL, &nearest),
            KILN_OK);
        const kiln_shape_nearest want = distance_of(kiln_file_tree(m.file, 0), &before, NULL);
        assert_true(nearest.distance == want.distance && nearest.found == want.found);
    }
    quick_model_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(trees_without_polygons_are_refused),
        cmocka_unit_test(shapes_of_kiln_h_become_convex),
        cmocka_unit_test(distances_of_plain_shapes_are_right),
        cmocka_unit_test(touching_is_exact),
        cmocka_unit_test(small_trees_are_within_their_distance),
        cmocka_unit_test(boxes_are_as_exact_both_ways),
        cmocka_unit_test(options_are_kept),
        cmocka_unit_test(equal_distances_go_by_ids),
        cmocka_unit_test(sheared_hulls_are_those_carried_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
