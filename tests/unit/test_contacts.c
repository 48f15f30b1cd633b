/* Contacts with their geometry: boxes that touch and overlap, triangles without area, wrong
 * arguments. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/query/query.h"
#include "../support/body.h"
#include "../support/counted.h"

enum { CONTACTS_MAX = 200 };

static kiln_pose at(double x, double y, double z)
{
    kiln_pose pose = kiln_pose_identity();
    pose.translation[0] = x;
    pose.translation[1] = y;
    pose.translation[2] = z;
    return pose;
}

static size_t ask(const body *a, const body *b, const kiln_pose *pose, kiln_contact *contacts)
{
    size_t count;
    assert_int_equal(kiln_contacts_geometry(a->trees[0], NULL, b->trees[0], pose, NULL, contacts,
                                            CONTACTS_MAX, &count),
                     KILN_OK);
    assert_true(count > 0 && count <= CONTACTS_MAX);
    for (size_t i = 0; i < count; i++) {
        double length = 0;
        for (int k = 0; k < 3; k++) {
            length += contacts[i].normal[k] * contacts[i].normal[k];
            assert_true(isfinite(contacts[i].from[k]) && isfinite(contacts[i].to[k]));
        }
        assert_true(fabs(length - 1) < 1e-14);
    }
    return count;
}

/* A small face on a large one: points stay within it, and nothing is deep. */
static void test_faces_that_touch(void **state)
{
    (void)state;
    body large = body_of(mesh_box(0, 0, 0, 1, 1, 1), 4, KILN_LAYOUT_RAW),
         small = body_of(mesh_box(0, 0, 0, 0.5f, 0.5f, 0.5f), 4, KILN_LAYOUT_RAW);
    kiln_contact contacts[CONTACTS_MAX];
    const kiln_pose pose = at(1, 0.25, 0.25);
    const size_t count = ask(&large, &small, &pose, contacts);
    for (size_t i = 0; i < count; i++) {
        assert_true(contacts[i].depth == 0);
        for (int end = 0; end < 2; end++) {
            const double *p = end == 0 ? contacts[i].from : contacts[i].to;
            assert_true(p[0] == 1);
            assert_true(p[1] >= 0.25 && p[1] <= 0.75 && p[2] >= 0.25 && p[2] <= 0.75);
        }
    }
    body_free(&large);
    body_free(&small);
}

static void test_all_that_touches(void **state)
{
    (void)state;
    body cube = body_of(mesh_box(0, 0, 0, 1, 1, 1), 4, KILN_LAYOUT_RAW);
    const double shifts[][3] = {{1, 0, 0}, {1, 0.25, 0.25}, {1, 1, 0}, {1, 1, 1}};
    for (int i = 0; i < 4; i++) {
        kiln_contact contacts[CONTACTS_MAX];
        const kiln_pose pose = at(shifts[i][0], shifts[i][1], shifts[i][2]);
        const size_t count = ask(&cube, &cube, &pose, contacts);
        for (size_t k = 0; k < count; k++) {
            assert_true(contacts[k].depth == 0);
            for (int axis = 0; axis < 3; axis++) {
                assert_true(contacts[k].from[axis] >= shifts[i][axis] && contacts[k].to[axis] <= 1);
            }
        }
    }
    body_free(&cube);
}

/* 0.125 into each other: no pair of triangles is deeper, and one is as deep. */
static void test_overlap(void **state)
{
    (void)state;
    body cube = body_of(mesh_box(0, 0, 0, 1, 1, 1), 4, KILN_LAYOUT_RAW);
    const kiln_pose pose = at(0.875, 0.25, 0.375);
    kiln_contacts_summary summary;
    kiln_contact contacts[CONTACTS_MAX];
    const size_t count = ask(&cube, &cube, &pose, contacts);
    assert_int_equal(
        kiln_contacts_summarise(cube.trees[0], NULL, cube.trees[0], &pose, NULL, &summary),
        KILN_OK);
    assert_int_equal(summary.count, count);
    assert_true(fabs(summary.deepest.depth - 0.125) < 1e-15);
    assert_true(fabs(summary.deepest.normal[0] + 1) < 1e-15); /* A moves away from B */
    assert_true(summary.lower[0] == 0.875 && summary.upper[0] == 1);
    body_free(&cube);
}

static void test_nothing_meets(void **state)
{
    (void)state;
    body cube = body_of(mesh_box(0, 0, 0, 1, 1, 1), 4, KILN_LAYOUT_RAW);
    const kiln_pose pose = at(3, 0, 0);
    kiln_contacts_summary summary, none;
    kiln_contact contact;
    size_t count = 7;
    memset(&none, 0, sizeof none);
    assert_int_equal(
        kiln_contacts_summarise(cube.trees[0], NULL, cube.trees[0], &pose, NULL, &summary),
        KILN_OK);
    assert_memory_equal(&summary, &none, sizeof none);
    assert_int_equal(kiln_contacts_geometry(cube.trees[0], NULL, cube.trees[0], &pose, NULL,
                                            &contact, 1, &count),
                     KILN_OK);
    assert_int_equal(count, 0);
    body_free(&cube);
}

/* A contact starts a distance query. */
static void test_hint(void **state)
{
    (void)state;
    body cube = body_of(mesh_box(0, 0, 0, 1, 1, 1), 4, KILN_LAYOUT_RAW);
    const kiln_pose pose = at(0.5, 0.5, 0.5);
    kiln_contact contacts[CONTACTS_MAX];
    (void)ask(&cube, &cube, &pose, contacts);
    kiln_pair_options options = kiln_pair_options_default();
    kiln_nearest nearest;
    options.hint = contacts[0].hint;
    assert_int_equal(kiln_distance(cube.trees[0], NULL, cube.trees[0], &pose, &options, &nearest),
                     KILN_OK);
    assert_true(nearest.distance == 0);
    assert_true(nearest.pair.a == contacts[0].pair.a && nearest.pair.b == contacts[0].pair.b);
    assert_memory_equal(nearest.normal, contacts[0].normal, sizeof nearest.normal);
    body_free(&cube);
}

static void expect_contact(const double a[9], const double b[9], const double from[3],
                           const double to[3], double depth)
{
    kiln_tri_contact found;
    kiln_triangles_contact(a, b, &found);
    const bool forward =
        found.from[0] == from[0] && found.from[1] == from[1] && found.from[2] == from[2];
    for (int k = 0; k < 3; k++) {
        assert_true((forward ? found.from : found.to)[k] == from[k]);
        assert_true((forward ? found.to : found.from)[k] == to[k]);
        assert_true(isfinite(found.normal[k]));
    }
    assert_true(found.depth == depth);
}

static void test_triangles_without_area(void **state)
{
    (void)state;
    const double face[9] = {0, 0, 0, 4, 0, 0, 0, 4, 0};
    const double point[9] = {1, 1, 0, 1, 1, 0, 1, 1, 0};
    const double needle[9] = {1, 1, -1, 1, 1, 2, 1, 1, 0.5};
    const double line[9] = {1, 1, 0, 9, 1, 0, 5, 1, 0};
    const double across[9] = {2, 0, 0, 2, 2, 0, 2, 0, 0};
    const double at_point[3] = {1, 1, 0}, at_edge[3] = {3, 1, 0}, at_cross[3] = {2, 1, 0};
    const double line_end[3] = {9, 1, 0};
    expect_contact(face, point, at_point, at_point, 0);
    expect_contact(point, point, at_point, at_point, 0);
    expect_contact(face, needle, at_point, at_point, 1);
    expect_contact(needle, point, at_point, at_point, 0);
    expect_contact(face, line, at_point, at_edge, 0);
    expect_contact(line, across, at_cross, at_cross, 0);
    expect_contact(line, line, at_point, line_end, 0);
}

/* A mesh with itself at one place: all kinds of tree give the same contacts, in either order of
 * the arguments, and two triangles have one contact, of which only the normal depends on which of
 * them comes first. A tent of two triangles has an edge in common, which several ways out are as
 * good for; the lattice has many. */
static void test_a_mesh_with_itself(void **state)
{
    (void)state;
    static const float corners[12] = {0, 0, 0, 1, 0, 0, 0.5f, 1, 0.25f, 0.5f, -1, 0.5f};
    static const uint32_t triangles[6] = {0, 1, 2, 1, 0, 3};
    static kiln_contact first[2000], other[2000];
    uint64_t random = 3;
    for (int i = 0; i < 12; i++) {
        mesh m = mesh_lattice(&random, 12, 2);
        if (i == 0) {
            memcpy(m.positions, corners, sizeof corners);
            memcpy(m.indices, triangles, sizeof triangles);
            m.vertex_count = 4;
            m.triangle_count = 2;
        }
        body b = body_of(m, 1, KILN_LAYOUT_RAW);
        kiln_pose pose = i % 2 == 0 ? kiln_pose_identity() : pose_random(&random, 3);
        size_t count = 0, again;
        for (int k = 0; k < BODY_KINDS * BODY_KINDS; k++) {
            const kiln_tree *p = b.trees[k % BODY_KINDS], *q = b.trees[k / BODY_KINDS];
            assert_int_equal(kiln_contacts_geometry(p, &pose, q, &pose, NULL, other, 2000, &again),
                             KILN_OK);
            for (size_t c = 0; c < again; c++) {
                other[c].hint = (kiln_hint){0, 0};
            }
            if (k == 0) {
                count = again;
                assert_in_range(count, 4, 2000);
                memcpy(first, other, sizeof first);
            }
            assert_int_equal(again, count);
            assert_memory_equal(other, first, count * sizeof first[0]);
        }
        for (size_t c = 0; c < count; c++) {
            const kiln_contact *one = &first[c], *back = first;
            while (back->pair.a != one->pair.b || back->pair.b != one->pair.a) {
                back++;
            }
            assert_true(back->depth == one->depth);
            for (int k = 0; k < 3; k++) {
                assert_true(back->from[k] == one->from[k] && back->to[k] == one->to[k]);
                assert_true(back == one || back->normal[k] == -one->normal[k]);
            }
        }
        body_free(&b);
    }
}

static void test_wrong_arguments(void **state)
{
    (void)state;
    body cube = body_of(mesh_box(0, 0, 0, 1, 1, 1), 4, KILN_LAYOUT_RAW);
    kiln_pose bent = kiln_pose_identity();
    bent.rotation[4] = 0;
    size_t count = 5;
    kiln_contacts_summary summary, before;
    memset(&before, 0x5a, sizeof before);
    summary = before;
    kiln_contact contact;
    assert_int_equal(
        kiln_contacts_geometry(cube.trees[0], NULL, cube.trees[0], NULL, NULL, NULL, 1, &count),
        KILN_ERROR_ARGUMENT);
    assert_int_equal(
        kiln_contacts_geometry(cube.trees[0], NULL, cube.trees[0], NULL, NULL, &contact, 1, NULL),
        KILN_ERROR_ARGUMENT);
    assert_int_equal(
        kiln_contacts_geometry(NULL, NULL, cube.trees[0], NULL, NULL, &contact, 1, &count),
        KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_contacts_geometry(cube.trees[0], &bent, cube.trees[0], NULL, NULL,
                                            &contact, 1, &count),
                     KILN_ERROR_POSE);
    assert_int_equal(
        kiln_contacts_summarise(cube.trees[0], &bent, cube.trees[0], NULL, NULL, &summary),
        KILN_ERROR_POSE);
    assert_int_equal(kiln_contacts_summarise(cube.trees[0], NULL, NULL, NULL, NULL, &summary),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_contacts_summarise(cube.trees[0], NULL, cube.trees[0], NULL, NULL, NULL),
                     KILN_ERROR_ARGUMENT);
    assert_memory_equal(&summary, &before, sizeof before);
    assert_int_equal(count, 5);
    assert_int_equal(
        kiln_contacts_geometry(cube.trees[0], NULL, cube.trees[0], NULL, NULL, NULL, 0, &count),
        KILN_OK);
    assert_true(count >= 12);
    counted bare = counted_bake(mesh_box(0, 0, 0, 1, 1, 1), "obb", 4, 4, KILN_ADB_OCTANTS, false);
    assert_int_equal(
        kiln_contacts_geometry(bare.tree, NULL, bare.tree, NULL, NULL, &contact, 1, &count),
        KILN_ERROR_NOT_LOADED);
    assert_int_equal(kiln_contacts_summarise(bare.tree, NULL, bare.tree, NULL, NULL, &summary),
                     KILN_ERROR_NOT_LOADED);
    counted_free(&bare);
    body_free(&cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faces_that_touch),
        cmocka_unit_test(test_all_that_touches),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_nothing_meets),
        cmocka_unit_test(test_hint),
        cmocka_unit_test(test_triangles_without_area),
        cmocka_unit_test(test_a_mesh_with_itself),
        cmocka_unit_test(test_wrong_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
