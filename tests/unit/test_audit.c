/* The audit sees what opening does not: each case damages a sound file in one place, seals it
 * again so that every checksum fits, and expects the audit, and only the audit, to refuse it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../formats/check.h"
#include "../../tools/encode/audit.h"
#include "../../tools/encode/container.h"
#include "../support/edit.h"
#include "../support/quick_bake.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static edit_file *open_torus(const char *bv)
{
    mesh m = mesh_torus(12, 8, 0.1);
    size_t size = 0;
    void *bytes = quick_bake(&m, bv, 4, KILN_LAYOUT_RAW, &size);
    edit_file *file = edit_open(bytes, size);
    free(bytes);
    mesh_free(&m);
    return file;
}

static bool opens(const void *bytes, size_t size)
{
    kiln_reader reader;
    kiln_view view;
    kiln_format_error error;
    if (!kiln_reader_open(&reader, bytes, size, NULL, &error)) {
        return false;
    }
    const bool opened = kiln_view_open(&view, &reader, false, &error);
    kiln_reader_close(&reader);
    return opened;
}

static void set_content_hash(edit_file *file)
{
    kiln_section_input *sections = calloc(file->count, sizeof *sections);
    for (uint32_t i = 0; i < file->count; i++) {
        sections[i].kind = file->sections[i].entry.kind;
        sections[i].data = file->sections[i].data;
        sections[i].size = file->sections[i].size;
    }
    kiln_container_content_hash(sections, file->count, file->header.content_hash);
    free(sections);
}

/* Seals `file`; it opens, and the audit's error contains `text` (NULL: there is none). */
static void expect_audit(edit_file *file, const char *text)
{
    set_content_hash(file);
    for (int packed = 0; packed < 2; packed++) {
        size_t size = 0;
        uint8_t *bytes = edit_seal(file, packed != 0, &size);
        kiln_format_error error;
        memset(&error, 0, sizeof error);
        assert_true(opens(bytes, size));
        assert_int_equal(kiln_audit(bytes, size, NULL, &error), text == NULL);
        if (text != NULL && strstr(error.text, text) == NULL) {
            fail_msg("says '%s', not '%s'", error.text, text);
        }
        free(bytes);
    }
}

/* Every byte of a box's counts, one off. */
static void test_wrong_counts(void **state)
{
    (void)state;
    mesh m = mesh_torus(8, 6, 0.1);
    size_t size;
    kiln_bake_options options = kiln_bake_options_default();
    options.bv = "obb,aabb2";
    options.layout = KILN_LAYOUT_RAW;
    options.adb = 4;
    options.adb_factor = 0.75;
    void *bytes = quick_bake_with(&m, &options, &size);
    edit_file *file = edit_open(bytes, size);
    expect_audit(file, NULL);
    uint8_t *box = edit_find(file, KILN_SECTION_ADB_BOXES)->data + 2 * sizeof(kiln_format_adb_box);
    for (size_t i = 0; i < offsetof(kiln_format_adb_box, reserved); i++) {
        const uint8_t was = box[i];
        box[i] = (uint8_t)(was > 0 ? was - 1 : 1);
        expect_audit(file, "counts of box 2");
        box[i] = was;
    }
    edit_free(file);
    free(bytes);
    mesh_free(&m);
}

static void test_sound_files_pass(void **state)
{
    (void)state;
    edit_file *file = open_torus("obb,aabb");
    expect_audit(file, NULL);
    edit_free(file);
}

static void test_a_box_that_shrank(void **state)
{
    (void)state;
    edit_file *file = open_torus("obb");
    kiln_format_node_obb8 *root = (void *)edit_find(file, KILN_SECTION_NODES_OBB8)->data;
    root->half[0][0] = 0;
    root->half[1][0] = 0;
    root->half[2][0] = 0;
    expect_audit(file, "outside lane 0 of node 0");
    edit_free(file);

    file = open_torus("aabb");
    kiln_format_node_aabb8 *boxes = (void *)edit_find(file, KILN_SECTION_NODES_AABB8)->data;
    boxes->upper[1][0] = boxes->lower[1][0];
    expect_audit(file, "outside lane 0 of node 0");
    edit_free(file);
}

/* Along a diagonal, with the box as it was. */
static void test_a_slab_that_shrank(void **state)
{
    (void)state;
    for (unsigned i = 0; i < KILN_NODE_KIND_COUNT; i++) {
        const kiln_node_kind *kind = &kiln_node_kinds[i];
        const unsigned slabs = kind->dop != NULL ? kind->dop->slabs : 0;
        for (unsigned row = 0; row < 2 * slabs; row++) {
            edit_file *file = open_torus(kind->name);
            uint8_t *root = edit_find(file, kind->section)->data;
            uint8_t *lane = root + sizeof(kiln_format_node_aabb8) + (size_t)8 * row;
            *lane = (uint8_t)(row < slabs ? *lane + 2 : *lane - 2);
            expect_audit(file, "outside lane 0 of node 0");
            edit_free(file);
        }
    }
}

/* Balls whose radius is half as long, or whose centre has moved. */
static void test_a_ball_that_shrank_or_moved(void **state)
{
    (void)state;
    for (unsigned moved = 0; moved < 2; moved++) {
        edit_file *file = open_torus("sphere");
        kiln_format_node_sphere *root = (void *)edit_find(file, KILN_SECTION_NODES_SPHERE)->data;
        for (unsigned axis = 0; axis < 3 && moved != 0; axis++) {
            root->centre[axis][0] = root->centre[axis][0] < 128 ? 255 : 0;
        }
        if (moved == 0) {
            root->radius[1][0] -= 4; /* a binary16's exponent is one less */
        }
        expect_audit(file, "outside lane 0 of node 0");
        edit_free(file);
    }
}

/* One step of a radius is enough: the least that holds the triangles was taken. */
static void test_a_ball_that_shrank_by_one_step(void **state)
{
    (void)state;
    edit_file *file = open_torus("sphere");
    kiln_format_node_sphere *root = (void *)edit_find(file, KILN_SECTION_NODES_SPHERE)->data;
    const uint16_t radius = kiln_sphere_radius(root, 0);
    root->radius[0][0] = (uint8_t)(radius - 1);
    root->radius[1][0] = (uint8_t)((radius - 1) >> 8);
    expect_audit(file, "outside lane 0 of node 0");
    edit_free(file);
}

/* A leaf of an octree that bounds too little, and one of which a triangle was taken away; a
 * reference to a triangle that is elsewhere is only needless. */
static void test_a_cell_that_lost_a_part(void **state)
{
    (void)state;
    for (unsigned axis = 0; axis < 3; axis++) {
        edit_file *file = open_torus("octree");
        expect_audit(file, NULL);
        kiln_format_node_octree *root = (void *)edit_find(file, KILN_SECTION_NODES_OCTREE)->data;
        root->box.upper[axis][0] =
            (uint8_t)((root->box.lower[axis][0] + root->box.upper[axis][0]) / 2);
        expect_audit(file, "has points in no leaf that holds it");
        edit_free(file);
    }
    edit_file *file = open_torus("octree");
    edit_section *references = edit_find(file, KILN_SECTION_REFERENCES);
    uint32_t *triangle = (uint32_t *)(void *)references->data;
    bool taken = false;
    for (size_t i = 0; i < references->size / 4 && !taken; i++) {
        for (size_t k = i + 1; k < references->size / 4 && !taken; k++) {
            /* The first of two references becomes one to a triangle far from it. */
            taken = triangle[i] / 4 == triangle[k] / 4;
            triangle[i] = taken ? triangle[references->size / 8] : triangle[i];
        }
    }
    assert_true(taken);
    expect_audit(file, "has points in no leaf that holds it");
    edit_free(file);
}

/* Slots say whether their triangles have others before and behind them. */
static void test_marks_of_slots(void **state)
{
    (void)state;
    edit_file *file = open_torus("octree");
    edit_section *references = edit_find(file, KILN_SECTION_REFERENCES);
    uint32_t *reference = (uint32_t *)(void *)references->data;
    const size_t count = references->size / 4;
    size_t later = 0;
    for (size_t i = 0; i < count; i++) {
        later += reference[i] & KILN_REFERENCE_LATER;
    }
    assert_in_range(later, 1, count - 2);
    for (size_t i = 0; i < count; i += 1 + count / 16) {
        for (uint32_t bit = KILN_REFERENCE_LATER; bit <= KILN_REFERENCE_EARLIER; bit *= 2) {
            reference[i] ^= bit;
            expect_audit(file, "do not say rightly which triangles are in several slots");
            reference[i] ^= bit;
        }
    }
    expect_audit(file, NULL);
    edit_free(file);
}

/* Pairs of lanes of which none is marked, all but those of one node, all, and no such section. */
static void test_pairs_of_lanes(void **state)
{
    (void)state;
    static const char *const text = "that are not marked as a pair are triangles that may meet";
    edit_file *file = open_torus("octree");
    edit_section *section = edit_find(file, KILN_SECTION_LANE_PAIRS);
    uint32_t *pairs = (uint32_t *)(void *)section->data;
    const size_t count = section->size / 4;
    uint32_t *kept = malloc(section->size);
    memcpy(kept, pairs, section->size);
    memset(pairs, 0, section->size);
    expect_audit(file, text);
    memcpy(pairs, kept, section->size);
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        most = __builtin_popcount(kept[i]) > __builtin_popcount(kept[most]) ? i : most;
    }
    assert_int_not_equal(kept[most], 0);
    pairs[most] = 0;
    expect_audit(file, text);
    memset(pairs, 0xFF, section->size);
    for (size_t i = 0; i < count; i++) {
        pairs[i] &= KILN_LANE_PAIRS_ALL;
    }
    expect_audit(file, NULL);
    free(kept);
    edit_remove(file, KILN_SECTION_LANE_PAIRS);
    expect_audit(file, NULL);
    edit_free(file);
}

/* Needles about one point, of which the search for pairs of lanes runs out of steps: what it marks
 * is enough for the audit, too. */
static void test_pairs_of_lanes_without_end(void **state)
{
    (void)state;
    static const struct {
        uint32_t triangles;
        int leaf;
    } cases[] = {{216, 9}, {286, 4}, {300, 6}, {264, 3}};
    static const uint64_t seeds[] = {68, 78, 200, 272};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t random = seeds[i], size_of = 0;
        mesh m = mesh_soup(&size_of, cases[i].triangles, 1);
        memset(m.positions, 0, 3 * m.vertex_count * sizeof *m.positions);
        for (uint32_t k = 0; k < m.vertex_count; k++) {
            if (k % 3 != 0) {
                const double angle = k / 3 * 6.283 / m.triangle_count + k % 3 * 0.01;
                m.positions[3 * (size_t)k] = (float)cos(angle);
                m.positions[3 * (size_t)k + 1] = (float)sin(angle);
                m.positions[3 * (size_t)k + 2] = (float)(0.001 * random_between(&random, -1, 1));
            }
        }
        size_t size;
        void *bytes = quick_bake(&m, "octree", cases[i].leaf, KILN_LAYOUT_RAW, &size);
        kiln_format_error error = {.code = 0};
        (void)kiln_audit(bytes, size, NULL, &error);
        assert_string_equal(error.text, "");
        free(bytes);
        mesh_free(&m);
    }
}

/* One step of quantisation is enough. */
static void test_a_box_that_shrank_by_one_step(void **state)
{
    (void)state;
    edit_file *file = open_torus("aabb");
    kiln_format_node_aabb8 *boxes = (void *)edit_find(file, KILN_SECTION_NODES_AABB8)->data;
    for (unsigned axis = 0; axis < 3; axis++) {
        boxes->upper[axis][0]--;
        boxes->lower[axis][0]++;
    }
    expect_audit(file, "outside lane 0 of node 0");
    edit_free(file);
}

static void test_a_slot_in_two_leaves(void **state)
{
    (void)state;
    edit_file *file = open_torus("aabb");
    edit_section *section = edit_find(file, KILN_SECTION_NODES_AABB8);
    kiln_format_node_aabb8 *nodes = (void *)section->data;
    const size_t last = section->size / sizeof *nodes - 1;
    assert_true(last > 1);
    nodes[last].head.tri = nodes[last - 1].head.tri;
    for (unsigned axis = 0; axis < 3; axis++) { /* boxes wide enough for anything */
        for (size_t i = 0; i <= last; i++) {
            nodes[i].head.exp[axis] = 127 - 4;
            nodes[i].head.org[axis] = -4.0f;
            memset(nodes[i].lower[axis], 0, 8);
            memset(nodes[i].upper[axis], 255, 8);
        }
    }
    expect_audit(file, "is in two leaves");
    edit_free(file);
}

static void test_a_triangle_in_two_slots(void **state)
{
    (void)state;
    edit_file *file = open_torus("obb,aabb");
    edit_section *order = edit_find(file, KILN_SECTION_ORDER);
    uint32_t *slots = (void *)order->data;
    const kiln_format_tree *trees = (void *)edit_find(file, KILN_SECTION_TREES)->data;
    const uint32_t index = trees[0].order_first != KILN_NO_INDEX ? 0 : 1;
    uint32_t *own = slots + trees[index].order_first;
    /* Neighbours in a leaf, so that the boxes still contain what is there. */
    own[1] = own[0];
    expect_audit(file, "is in two slots");
    edit_free(file);
}

static void test_an_id_that_is_there_twice(void **state)
{
    (void)state;
    edit_file *file = open_torus("obb");
    uint32_t *ids = (void *)edit_find(file, KILN_SECTION_TRIANGLE_IDS)->data;
    ids[3] = ids[7];
    expect_audit(file, "is there twice");
    edit_free(file);
}

static void test_bounds_hash_and_closed(void **state)
{
    (void)state;
    edit_file *file = open_torus("obb");
    kiln_format_tree *tree = (void *)edit_find(file, KILN_SECTION_TREES)->data;
    const float upper = tree->bounds_upper[2];
    tree->bounds_upper[2] = upper + 1.0f;
    expect_audit(file, "its bounds");
    tree->bounds_upper[2] = upper;
    tree->geometry_hash[5] ^= 1;
    expect_audit(file, "its geometry hash");
    tree->geometry_hash[5] ^= 1;
    tree->closed = KILN_CLOSED_EVEN;
    expect_audit(file, "whether it is closed");
    edit_free(file);
}

static void test_content_hash(void **state)
{
    (void)state;
    mesh m = mesh_torus(12, 8, 0.1);
    size_t size = 0;
    uint8_t *bytes = quick_bake(&m, "obb", 4, KILN_LAYOUT_PACKED, &size);
    kiln_format_error error;
    assert_true(kiln_audit(bytes, size, NULL, &error));
    bytes[offsetof(kiln_format_header, content_hash)] ^= 1;
    edit_reseal(bytes, size);
    assert_true(opens(bytes, size));
    assert_false(kiln_audit(bytes, size, NULL, &error));
    assert_non_null(strstr(error.text, "content hash"));
    free(bytes);
    mesh_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sound_files_pass),
        cmocka_unit_test(test_wrong_counts),
        cmocka_unit_test(test_a_box_that_shrank),
        cmocka_unit_test(test_a_slab_that_shrank),
        cmocka_unit_test(test_a_ball_that_shrank_or_moved),
        cmocka_unit_test(test_a_cell_that_lost_a_part),
        cmocka_unit_test(test_a_ball_that_shrank_by_one_step),
        cmocka_unit_test(test_marks_of_slots),
        cmocka_unit_test(test_pairs_of_lanes),
        cmocka_unit_test(test_pairs_of_lanes_without_end),
        cmocka_unit_test(test_a_box_that_shrank_by_one_step),
        cmocka_unit_test(test_a_slot_in_two_leaves),
        cmocka_unit_test(test_a_triangle_in_two_slots),
        cmocka_unit_test(test_an_id_that_is_there_twice),
        cmocka_unit_test(test_bounds_hash_and_closed),
        cmocka_unit_test(test_content_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
