/* Octrees that no baker writes, of two triangles and a few boxes: as far off as an audit lets them
 * be, far larger than the mesh, in places where a triangle has no part. What passes an audit is
 * answered rightly, with marked pairs of lanes and without; all else it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../runtime/kiln_self.h"
#include "../../tools/encode/audit.h"
#include "../support/edit.h"
#include "../support/quick_bake.h"

#include <stdlib.h>
#include <string.h>

/* Of how many nodes and references there is room for. */
enum { NODES = 3, SLOTS = 6 };

typedef struct {
    float corner[2][3][3];
    kiln_format_node_octree node[NODES];
    uint32_t node_count, depth, pairs[NODES];
    uint32_t reference[SLOTS]; /* ids, and marks */
    uint32_t slots;
} by_hand;

/* Steps of 2^exponent[k]. */
static kiln_format_node_aabb8 *add_node(by_hand *h, const float org[3], const int exponent[3],
                                        uint32_t slot)
{
    kiln_format_node_aabb8 *box = &h->node[h->node_count++].box;
    memset(box, 0, sizeof *box);
    for (unsigned k = 0; k < 3; k++) {
        box->head.org[k] = org[k];
        box->head.exp[k] = (uint8_t)(127 + exponent[k]);
    }
    box->head.tri = slot;
    return box;
}

/* A leaf of so many triangles, or, of 0, an inner lane. */
static void set_lane(kiln_format_node_aabb8 *box, unsigned lane, const uint8_t lower[3],
                     const uint8_t upper[3], uint32_t count)
{
    for (unsigned k = 0; k < 3; k++) {
        box->lower[k][lane] = lower[k];
        box->upper[k][lane] = upper[k];
    }
    box->head.inner = (uint8_t)(box->head.inner | (count == 0) << lane);
    box->head.count[lane / 2] = (uint8_t)(box->head.count[lane / 2] | count << lane % 2 * 4);
}

/* A file of what is made by hand, without OCTP where `marked` is false; released by free(). */
static uint8_t *file_of(const by_hand *h, bool marked, size_t *size)
{
    static uint32_t corners[6] = {0, 1, 2, 3, 4, 5};
    float positions[18];
    memcpy(positions, h->corner, sizeof positions);
    const mesh m = {positions, corners, 6, 2};
    void *bytes = quick_bake(&m, "octree", 4, KILN_LAYOUT_RAW, size);
    edit_file *file = edit_open(bytes, *size);
    free(bytes);
    edit_section *nodes = edit_find(file, KILN_SECTION_NODES_OCTREE);
    edit_section *references = edit_find(file, KILN_SECTION_REFERENCES);
    edit_resize(nodes, h->node_count * sizeof h->node[0]);
    memcpy(nodes->data, h->node, nodes->size);
    edit_resize(references, h->slots * sizeof h->reference[0]);
    const uint32_t *ids =
        (const uint32_t *)(void *)edit_find(file, KILN_SECTION_TRIANGLE_IDS)->data;
    for (uint32_t i = 0; i < h->slots; i++) { /* by where the triangle is stored */
        ((uint32_t *)(void *)references->data)[i] =
            ids[0] == 0 ? h->reference[i] : h->reference[i] ^ 1u << KILN_REFERENCE_TRIANGLE;
    }
    edit_section *pairs = edit_find(file, KILN_SECTION_LANE_PAIRS);
    edit_resize(pairs, h->node_count * sizeof h->pairs[0]);
    memcpy(pairs->data, h->pairs, pairs->size);
    if (!marked) {
        edit_remove(file, KILN_SECTION_LANE_PAIRS);
    }
    kiln_format_tree *tree = (kiln_format_tree *)(void *)edit_find(file, KILN_SECTION_TREES)->data;
    memset(tree->origin, 0, sizeof tree->origin);
    tree->scale_exponent = 0;
    tree->node_count = h->node_count;
    tree->depth = h->depth;
    tree->reference_count = h->slots;
    edit_hash(file);
    bytes = edit_seal(file, false, size);
    edit_free(file);
    return bytes;
}

/* An audit refuses it with such a text, or, of NULL, it is sound, and the two triangles are named
 * once. */
static void expect(const by_hand *h, bool marked, const char *text)
{
    size_t size, count = 0;
    uint8_t *bytes = file_of(h, marked, &size);
    kiln_format_error error = {.code = 0};
    if (kiln_audit(bytes, size, NULL, &error) != (text == NULL) ||
        (text != NULL && strstr(error.text, text) == NULL)) {
        fail_msg("says '%s', not '%s'", error.text, text != NULL ? text : "");
    }
    kiln_file *file = NULL;
    assert_int_equal(kiln_open_memory(bytes, size, NULL, &file), KILN_OK);
    kiln_self_options options = kiln_self_options_default();
    options.neighbours = KILN_NEIGHBOURS_ALL;
    assert_int_equal(kiln_self_contacts(kiln_file_tree(file, 0), &options, NULL, 0, &count),
                     KILN_OK);
    assert_true(text != NULL || count == 1);
    kiln_close(file);
    free(bytes);
}

/* Triangle 1 passes through 0. The first leaf is of a part of 0, and far from 1, of which it has a
 * reference all the same, or, without that, its box is large enough, or its way is. */
static void a_triangle_has_parts_where_it_has_references(void **state)
{
    (void)state;
    static const char *const text = "is in a leaf but not in the boxes of all lanes on the way";
    for (int way = 0; way < 5; way++) {
        by_hand h = {.corner = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                                {{0.125f, 0.125f, -1}, {0.25f, 0.25f, 1}, {0.25f, 0.25f, 0.5f}}},
                     .pairs = {1},
                     .reference = {0 << KILN_REFERENCE_TRIANGLE | KILN_REFERENCE_EARLIER,
                                   1 << KILN_REFERENCE_TRIANGLE | KILN_REFERENCE_EARLIER,
                                   0 << KILN_REFERENCE_TRIANGLE | KILN_REFERENCE_LATER,
                                   1 << KILN_REFERENCE_TRIANGLE | KILN_REFERENCE_LATER},
                     .slots = 4};
        static const float org[3] = {-1, -1, -1};
        static const int exponent[3] = {-6, -6, -6};
        static const uint8_t all[2][3] = {{0, 0, 0}, {128, 128, 128}};
        static const uint8_t far[2][3] = {{112, 64, 64}, {128, 80, 64}};
        /* Bounds of 1 meet it, but not its plane. */
        static const uint8_t beside[2][3] = {{72, 79, 64}, {73, 80, 64}};
        const uint8_t(*small)[3] = way == 1 ? all : way == 4 ? beside : far;
        const bool deep = way == 2 || way == 3;
        kiln_format_node_aabb8 *root = add_node(&h, org, exponent, 2);
        if (deep) { /* 2: the leaf is large, but below a small lane; 3: both are large */
            h.depth = 2;
            root->head.child = 1;
            set_lane(root, 0, way == 2 ? far[0] : all[0], way == 2 ? far[1] : all[1], 0);
            set_lane(add_node(&h, org, exponent, 0), 0, all[0], all[1], 2);
        } else {
            h.depth = 1;
            root->head.tri = 0;
            set_lane(root, 0, small[0], small[1], 2);
        }
        set_lane(root, 1, all[0], all[1], 2);
        for (int marked = 0; marked < 2; marked++) {
            expect(&h, marked != 0, way == 1 || way == 3 ? NULL : text);
        }
    }
}

/* A corner of triangle 1 is on triangle 0, which lies in the plane x = 0. Boxes are off on both
 * sides of that, by so many quarters of the slack that an audit grants, and below two lanes. */
static void boxes_are_off_by_no_more_than_the_slack(void **state)
{
    (void)state;
    static const char *const cells = "has points in no leaf that holds it";
    static const char *const lanes = "that are not marked as a pair are triangles that may meet";
    static const float org[3] = {-0x1p-35f, 0, 0};
    static const int exponent[3] = {-42, -7, -7};
    for (int way = 0; way < 8; way++) {
        const bool flat_is_first = way % 2 != 0, is_marked = way / 2 % 2 != 0;
        const unsigned off = way < 4 ? 3 : 6;
        static const float corner[2][3][3] = {
            {{0, 0, 0}, {0, 1, 0}, {0, 0, 1}},
            {{-0x1p-35f, 0, 0}, {-0x1p-35f, 0.5f, 0}, {0, 0.25f, 0.25f}}};
        by_hand h = {.depth = 2,
                     .pairs = {is_marked ? 1 : 0},
                     .reference = {flat_is_first ? 1 << KILN_REFERENCE_TRIANGLE : 0,
                                   flat_is_first ? 0 : 1 << KILN_REFERENCE_TRIANGLE},
                     .slots = 2};
        memcpy(h.corner[0], corner[flat_is_first ? 0 : 1], sizeof corner[0]);
        memcpy(h.corner[1], corner[flat_is_first ? 1 : 0], sizeof corner[0]);
        const uint8_t steep[2][3] = {{0, 0, 0}, {(uint8_t)(128 - off), 128, 128}};
        const uint8_t flat[2][3] = {{(uint8_t)(128 + off), 0, 0}, {(uint8_t)(128 + off), 128, 128}};
        kiln_format_node_aabb8 *root = add_node(&h, org, exponent, 1);
        root->head.child = 1;
        set_lane(root, 0, steep[0], steep[1], 0);
        set_lane(root, 1, flat[0], flat[1], 1);
        set_lane(add_node(&h, org, exponent, 0), 0, steep[0], steep[1], 1);
        expect(&h, false, off > 4 ? cells : NULL);
        expect(&h, true, off > 4 ? cells : is_marked ? NULL : lanes);
    }
}

/* Triangle 1 is in a box that is far larger than the mesh. Triangle 0 has but that box's lowest
 * corner in common with it, and that with 1, and is in it and in one more leaf. */
static void boxes_are_far_larger_than_the_mesh(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (int i = 0; i < 48; i++) {
        const unsigned flat = (unsigned)i % 2, steep = 1 - flat;
        static const float org[3] = {-1024, -1024, -1024}, small_org[3] = {-2, -2, -2};
        static const int large[3] = {10, 10, 10}, small[3] = {-6, -6, -6};
        static const uint8_t all[2][3] = {{0, 0, 0}, {255, 255, 255}};
        by_hand h = {.depth = 2,
                     .pairs = {1},
                     .reference = {flat << KILN_REFERENCE_TRIANGLE | KILN_REFERENCE_EARLIER,
                                   steep << KILN_REFERENCE_TRIANGLE,
                                   flat << KILN_REFERENCE_TRIANGLE | KILN_REFERENCE_LATER},
                     .slots = 3};
        float at[3];
        for (unsigned k = 0; k < 3; k++) {
            at[k] = (float)random_between(&random, -0.5, -0.2);
            const float far = (float)random_between(&random, 0.2, 0.4);
            for (unsigned c = 0; c < 3; c++) {
                h.corner[steep][c][k] = c == 0 ? at[k] : at[k] + (c == 1 ? far : 0.125f);
                /* Its normal has positive coordinates alone. */
                h.corner[flat][c][k] = c == 0 ? at[k] : at[k] + (k == c - 1 ? far : -0.3f * far);
            }
        }
        kiln_format_node_aabb8 *root = add_node(&h, org, large, 0);
        root->head.child = 1;
        set_lane(root, 0, all[0], all[1], 0);
        set_lane(root, 1, all[0], all[1], 0);
        set_lane(add_node(&h, at, large, 0), 0, all[0], all[1], 2);
        set_lane(add_node(&h, small_org, small, 2), 0, all[0], all[1], 1);
        expect(&h, false, NULL);
        expect(&h, true, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_triangle_has_parts_where_it_has_references),
        cmocka_unit_test(boxes_are_off_by_no_more_than_the_slack),
        cmocka_unit_test(boxes_are_far_larger_than_the_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
