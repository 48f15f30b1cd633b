/* What the public header promises of containment: places with a name, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../formats/nodes.h"
#include "../support/body.h"
#include "../support/counted.h"
#include "../support/edit.h"
#include "../support/quick_bake.h"

static body body_raw(mesh m)
{
    return body_of(m, 4, KILN_LAYOUT_RAW);
}

static kiln_place place_of(const body *b, double x, double y, double z)
{
    const double point[3] = {x, y, z};
    kiln_place place;
    assert_int_equal(kiln_locate_point(b->trees[0], NULL, point, &place), KILN_OK);
    return place;
}

static kiln_place place_of_mesh(const body *a, const body *b, double x)
{
    kiln_pose pose = kiln_pose_identity();
    kiln_place place;
    pose.translation[0] = x;
    assert_int_equal(kiln_locate_mesh(a->trees[0], NULL, b->trees[0], &pose, &place), KILN_OK);
    return place;
}

/* Two meshes as one; with `turn`, the second inside out. */
static mesh joined(mesh a, mesh b, bool turn)
{
    mesh m = {malloc(3 * (a.vertex_count + b.vertex_count) * sizeof(float)),
              malloc(3 * (a.triangle_count + b.triangle_count) * sizeof(uint32_t)),
              a.vertex_count + b.vertex_count, a.triangle_count + b.triangle_count};
    assert_true(m.positions != NULL && m.indices != NULL);
    memcpy(m.positions, a.positions, 3 * a.vertex_count * sizeof(float));
    memcpy(m.positions + 3 * a.vertex_count, b.positions, 3 * b.vertex_count * sizeof(float));
    memcpy(m.indices, a.indices, 3 * a.triangle_count * sizeof(uint32_t));
    for (uint32_t i = 0; i < 3 * b.triangle_count; i++) {
        const uint32_t from = turn ? 3 * (i / 3) + 2 - i % 3 : i;
        m.indices[3 * a.triangle_count + i] = b.indices[from] + a.vertex_count;
    }
    mesh_free(&a);
    mesh_free(&b);
    return m;
}

static void test_points_of_a_box(void **state)
{
    (void)state;
    body b = body_raw(mesh_box(-1, -1, -1, 1, 1, 1));
    assert_int_equal(place_of(&b, 0, 0, 0), KILN_PLACE_INSIDE);
    assert_int_equal(place_of(&b, 0.5, 0.5, 0.5), KILN_PLACE_INSIDE); /* in line with a corner */
    assert_int_equal(place_of(&b, 1, 0, 0), KILN_PLACE_SURFACE);
    assert_int_equal(place_of(&b, 1, 1, 0.25), KILN_PLACE_SURFACE);
    assert_int_equal(place_of(&b, -1, 1, -1), KILN_PLACE_SURFACE);
    assert_int_equal(place_of(&b, nextafter(1, 0), 0, 0), KILN_PLACE_INSIDE);
    assert_int_equal(place_of(&b, nextafter(1, 2), 0, 0), KILN_PLACE_OUTSIDE);
    assert_int_equal(place_of(&b, 3, 0, 0), KILN_PLACE_OUTSIDE);
    assert_int_equal(place_of(&b, 1, 1, 3), KILN_PLACE_OUTSIDE); /* in line with an edge */
    assert_int_equal(place_of(&b, 1e60, -1e60, 1e60), KILN_PLACE_OUTSIDE);
    body_free(&b);
}

static void test_shells(void **state)
{
    (void)state;
    body overlap = body_raw(joined(mesh_box(0, 0, 0, 2, 2, 2), mesh_box(1, 1, 1, 3, 3, 3), false));
    assert_int_equal(place_of(&overlap, 0.5, 0.5, 0.5), KILN_PLACE_INSIDE);
    assert_int_equal(place_of(&overlap, 1.5, 1.5, 1.5), KILN_PLACE_INSIDE); /* in both */
    assert_int_equal(place_of(&overlap, 2.5, 2.5, 2.5), KILN_PLACE_INSIDE);
    assert_int_equal(place_of(&overlap, 2.5, 0.5, 0.5), KILN_PLACE_OUTSIDE);
    body hollow = body_raw(joined(mesh_box(0, 0, 0, 4, 4, 4), mesh_box(1, 1, 1, 3, 3, 3), true));
    assert_int_equal(place_of(&hollow, 0.5, 2, 2), KILN_PLACE_INSIDE);
    assert_int_equal(place_of(&hollow, 2, 2, 2), KILN_PLACE_OUTSIDE);
    body_free(&hollow);
    body_free(&overlap);
}

static void test_parity(void **state)
{
    (void)state;
    mesh m = mesh_box(0, 0, 0, 2, 2, 2);
    const uint32_t first = m.indices[0];
    m.indices[0] = m.indices[1];
    m.indices[1] = first;
    body b = body_raw(m);
    assert_int_equal(kiln_tree_get_info(b.trees[0]).closed, KILN_MESH_EVEN);
    assert_int_equal(place_of(&b, 1, 1, 1), KILN_PLACE_INSIDE);
    assert_int_equal(place_of(&b, 1, 1, 2), KILN_PLACE_SURFACE);
    assert_int_equal(place_of(&b, 1, 1, 3), KILN_PLACE_OUTSIDE);
    body_free(&b);
}

/* The case C035: a mesh of edge 1 in one of edge 10. */
static void test_mesh_in_mesh(void **state)
{
    (void)state;
    body outer = body_raw(mesh_box(-5, -5, -5, 5, 5, 5));
    body inner = body_raw(mesh_box(-0.5f, -0.5f, -0.5f, 0.5f, 0.5f, 0.5f));
    assert_int_equal(place_of_mesh(&outer, &inner, 0), KILN_PLACE_INSIDE);
    assert_int_equal(place_of_mesh(&outer, &inner, 4.5), KILN_PLACE_SURFACE); /* from within */
    assert_int_equal(place_of_mesh(&outer, &inner, 5), KILN_PLACE_SURFACE);
    assert_int_equal(place_of_mesh(&outer, &inner, 6), KILN_PLACE_OUTSIDE);
    assert_int_equal(place_of_mesh(&inner, &outer, 0), KILN_PLACE_OUTSIDE);
    assert_int_equal(place_of_mesh(&inner, &inner, 0), KILN_PLACE_SURFACE);
    body_free(&inner);
    body_free(&outer);
}

/* One part inside, another outside, neither in contact. */
static void test_parted(void **state)
{
    (void)state;
    body outer = body_raw(mesh_box(-5, -5, -5, 5, 5, 5));
    body two = body_raw(joined(mesh_box(0, 0, 0, 1, 1, 1), mesh_box(8, 0, 0, 9, 1, 1), false));
    assert_int_equal(place_of_mesh(&outer, &two, 0), KILN_PLACE_PARTED);
    assert_int_equal(place_of_mesh(&outer, &two, -4.5), KILN_PLACE_INSIDE);
    assert_int_equal(place_of_mesh(&outer, &two, 20), KILN_PLACE_OUTSIDE);
    body_free(&two);
    body_free(&outer);
}

/* A file may hold a node without a lane, below which there is no triangle: the verifier counts
 * triangles, and none is missing. Its `child` means nothing. Before, the search for any triangle
 * below a node followed it, out of the file. */
static void test_node_without_lanes(void **state)
{
    (void)state;
    /* Between the two parts, so that the boxes of the other mesh are opened. */
    body outer = body_raw(mesh_box(2, 0.3f, 0.3f, 2.4f, 0.7f, 0.7f));
    mesh two = joined(mesh_box(0, 0, 0, 1, 1, 1), mesh_box(8, 0, 0, 9, 1, 1), false);
    size_t size;
    void *good = quick_bake(&two, "obb", 15, KILN_LAYOUT_RAW, &size);
    edit_file *file = edit_open(good, size);
    edit_section *nodes = edit_find(file, KILN_SECTION_NODES_OBB8);
    edit_section *trees = edit_find(file, KILN_SECTION_TREES);
    kiln_format_tree *entry = (kiln_format_tree *)(void *)trees->data;
    assert_int_equal(entry->node_count, 1);
    edit_resize(nodes, 2 * sizeof(kiln_format_node_obb8));
    kiln_format_node_obb8 *root = (kiln_format_node_obb8 *)(void *)nodes->data;
    assert_int_equal(kiln_node8_count(&root->head, 7), 0);
    root->head.inner = 1u << 7;
    root->head.child = 1;
    memcpy(root[1].head.org, root->head.org, sizeof root->head.org);
    memcpy(root[1].head.exp, root->head.exp, sizeof root->head.exp);
    root[1].head.half_exp = root->head.half_exp;
    root[1].head.child = 0x7FFFFFF0u;
    entry->node_count = 2;
    entry->depth = 2;
    void *bytes = edit_seal(file, false, &size);
    kiln_file *opened = NULL;
    assert_int_equal(kiln_open_memory(bytes, size, NULL, &opened), KILN_OK);
    kiln_pose pose = kiln_pose_identity();
    kiln_place place;
    assert_int_equal(
        kiln_locate_mesh(outer.trees[0], NULL, kiln_file_tree(opened, 0), &pose, &place), KILN_OK);
    assert_int_equal(place, KILN_PLACE_OUTSIDE);
    kiln_close(opened);
    free(bytes);
    edit_free(file);
    free(good);
    mesh_free(&two);
    body_free(&outer);
}

static void expect_refused(const kiln_tree *tree, const kiln_pose *pose, const double *point,
                           kiln_status want)
{
    kiln_place place = (kiln_place)77;
    assert_int_equal(kiln_locate_point(tree, pose, point, &place), want);
    assert_int_equal(place, 77);
}

static void test_refusals(void **state)
{
    (void)state;
    body b = body_raw(mesh_box(-1, -1, -1, 1, 1, 1));
    const double good[3] = {0, 0, 0};
    const double bad[] = {NAN, HUGE_VAL, -HUGE_VAL, 1.1e60};
    kiln_pose pose = kiln_pose_identity();
    kiln_place place = (kiln_place)77;
    expect_refused(NULL, NULL, good, KILN_ERROR_ARGUMENT);
    expect_refused(b.trees[0], NULL, NULL, KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_locate_point(b.trees[0], NULL, good, NULL), KILN_ERROR_ARGUMENT);
    for (int i = 0; i < 4; i++) {
        double point[3] = {0, 0, 0};
        point[i % 3] = bad[i];
        expect_refused(b.trees[0], NULL, point, KILN_ERROR_ARGUMENT);
    }
    pose.translation[1] = NAN;
    expect_refused(b.trees[0], &pose, good, KILN_ERROR_POSE);
    assert_int_equal(kiln_locate_mesh(b.trees[0], NULL, b.trees[0], &pose, &place),
                     KILN_ERROR_POSE);
    assert_int_equal(kiln_locate_mesh(NULL, NULL, b.trees[0], NULL, &place), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_locate_mesh(b.trees[0], NULL, NULL, NULL, &place), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_locate_mesh(b.trees[0], NULL, b.trees[0], NULL, NULL),
                     KILN_ERROR_ARGUMENT);
    mesh m = mesh_box(-3, -3, -3, 3, 3, 3);
    m.triangle_count--;
    body open = body_raw(m);
    assert_int_equal(kiln_tree_get_info(open.trees[0]).closed, KILN_MESH_OPEN);
    expect_refused(open.trees[0], NULL, good, KILN_ERROR_OPEN_MESH);
    assert_int_equal(kiln_locate_mesh(open.trees[0], NULL, b.trees[0], NULL, &place),
                     KILN_ERROR_OPEN_MESH);
    assert_int_equal(place, 77);
    body around = body_raw(mesh_box(-9, -9, -9, 9, 9, 9));
    assert_int_equal(kiln_locate_mesh(around.trees[0], NULL, open.trees[0], NULL, &place), KILN_OK);
    assert_int_equal(place, KILN_PLACE_INSIDE); /* B may be open */
    counted c = counted_bake(mesh_box(0, 0, 0, 1, 1, 1), "obb", 4, 4, KILN_ADB_OCTANTS, false);
    expect_refused(c.tree, NULL, good, KILN_ERROR_NOT_LOADED);
    counted_free(&c);
    body_free(&around);
    body_free(&open);
    body_free(&b);
}

/* Far from the origin, and meshes of very different sizes. */
static void test_scales(void **state)
{
    (void)state;
    body b = body_raw(mesh_box(-1, -1, -1, 1, 1, 1));
    const double far[3] = {3e15, -3e15, 3e15 + 0.5};
    kiln_pose pose = kiln_pose_identity();
    kiln_place place;
    for (int k = 0; k < 3; k++) {
        pose.translation[k] = k == 1 ? -3e15 : 3e15;
    }
    assert_int_equal(kiln_locate_point(b.trees[0], &pose, far, &place), KILN_OK);
    assert_int_equal(place, KILN_PLACE_INSIDE);
    body speck = body_raw(mesh_box(-1e-9f, -1e-9f, -1e-9f, 1e-9f, 1e-9f, 1e-9f));
    body world = body_raw(mesh_box(-1e9f, -1e9f, -1e9f, 1e9f, 1e9f, 1e9f));
    assert_int_equal(place_of_mesh(&world, &speck, 0.3), KILN_PLACE_INSIDE);
    assert_int_equal(place_of_mesh(&world, &speck, 1e9), KILN_PLACE_SURFACE);
    assert_int_equal(place_of_mesh(&world, &speck, 1e9 + 1), KILN_PLACE_OUTSIDE);
    body_free(&world);
    body_free(&speck);
    body_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points_of_a_box), cmocka_unit_test(test_shells),
        cmocka_unit_test(test_parity),          cmocka_unit_test(test_mesh_in_mesh),
        cmocka_unit_test(test_parted),          cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_scales),          cmocka_unit_test(test_node_without_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
