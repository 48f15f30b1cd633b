/* Files of which not all is there: whatever arrived, no box query denies what meets, nothing
 * that needs triangles answers, and in the end the file is as one that was opened at once.
 *
 * KILN_TEST_QUICK takes fewer prefixes and models. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../formats/format_error.h"
#include "../support/amount.h"
#include "../support/ask.h"
#include "../support/ask_adb.h"
#include "../support/brute.h"
#include "../support/counting.h"
#include "../support/edit.h"
#include "../support/quick_bake.h"

enum { POSES = 12, ADB_ROOM = 4096 };

typedef struct {
    mesh mesh;
    uint8_t *bytes;
    size_t size;
    kiln_file *whole;
    bool meet[POSES]; /* the mesh and itself */
} baked;

static kiln_pose poses[POSES];

static int make_poses(void **state)
{
    uint64_t random = 4;
    (void)state;
    for (int i = 0; i < POSES; i++) {
        poses[i] = pose_random(&random, 1.6);
    }
    return 0;
}

static baked bake(mesh m, const char *bv, int leaf, kiln_layout layout, int adb)
{
    kiln_bake_options options = kiln_bake_options_default();
    options.bv = bv;
    options.leaf = leaf;
    options.layout = layout;
    options.adb = adb;
    options.adb_factor = 0.75;
    baked b = {.mesh = m};
    b.bytes = quick_bake_with(&b.mesh, &options, &b.size);
    assert_int_equal(kiln_open_memory(b.bytes, b.size, NULL, &b.whole), KILN_OK);
    return b;
}

static void let_go(baked *b)
{
    kiln_close(b->whole);
    free(b->bytes);
    mesh_free(&b->mesh);
}

/* By exact arithmetic over all pairs of triangles. */
static void meet_by_brute_force(baked *b)
{
    const kiln_tree *tree = kiln_file_tree(b->whole, 0);
    const kiln_pose identity = kiln_pose_identity();
    for (int i = 0; i < POSES; i++) {
        size_t count;
        free(brute_pairs(&b->mesh, tree, &identity, &b->mesh, tree, &poses[i], true, &count));
        b->meet[i] = count > 0;
    }
}

static void meet_by_query(baked *b)
{
    const kiln_tree *tree = kiln_file_tree(b->whole, 0);
    for (int i = 0; i < POSES; i++) {
        kiln_hit hit;
        assert_int_equal(kiln_collide(tree, NULL, tree, &poses[i], NULL, &hit), KILN_OK);
        b->meet[i] = hit.found;
    }
}

/* In a buffer of its own that ends where the prefix does, for sanitizers to see what is read
 * behind it. */
static uint8_t *prefix_of(const baked *b, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, b->bytes, size);
    return copy;
}

static kiln_status open_prefix(const baked *b, size_t size, kiln_file **file, uint64_t *needed)
{
    kiln_error error = {0};
    kiln_open_options options = kiln_open_options_default();
    uint8_t *copy = prefix_of(b, size);
    options.error = &error;
    const kiln_status status = kiln_open_partial(copy, size, &options, file);
    free(copy);
    *needed = error.offset;
    return status;
}

static void advance_to(kiln_file *file, const baked *b, size_t size)
{
    uint8_t *copy = prefix_of(b, size);
    assert_int_equal(kiln_file_advance(file, copy, size, NULL), KILN_OK);
    free(copy);
}

/* How many of the poses are denied; none of those that meet may be. */
static int denied_by_boxes(const baked *b, const kiln_tree *tree)
{
    int denied = 0;
    for (int i = 0; i < POSES; i++) {
        bool found, swapped;
        const kiln_tree *other = kiln_file_tree(b->whole, 0);
        assert_int_equal(kiln_collide_boxes(tree, NULL, other, &poses[i], &found), KILN_OK);
        assert_true(found || !b->meet[i]);
        assert_int_equal(kiln_collide_boxes(tree, NULL, tree, &poses[i], &swapped), KILN_OK);
        assert_true(swapped || !b->meet[i]);
        denied += !found;
    }
    return denied;
}

static void refuses_triangles(const kiln_tree *tree)
{
    static const kiln_ray ray = {{0, 0, 0}, {1, 0, 0}, 0, 1};
    static const double point[3] = {0, 0, 0};
    kiln_shape ball = {KILN_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 1};
    kiln_hit hit;
    kiln_ray_hit ray_hit;
    kiln_triangle_hit triangle_hit;
    kiln_place place;
    kiln_source source;
    kiln_adb_answer answer;
    float corners[3][3];
    size_t count;
    const kiln_adb_options careful = kiln_adb_options_of(KILN_ADB_CAREFUL);
    assert_int_equal(kiln_collide(tree, NULL, tree, NULL, NULL, &hit), KILN_ERROR_PARTIAL);
    assert_int_equal(kiln_contacts(tree, NULL, tree, NULL, NULL, NULL, 0, &count),
                     KILN_ERROR_PARTIAL);
    assert_int_equal(kiln_ray_closest(tree, NULL, &ray, NULL, &ray_hit), KILN_ERROR_PARTIAL);
    assert_int_equal(kiln_overlap_any(tree, NULL, &ball, NULL, NULL, &triangle_hit),
                     KILN_ERROR_PARTIAL);
    assert_int_equal(kiln_locate_point(tree, NULL, point, &place), KILN_ERROR_PARTIAL);
    assert_int_equal(kiln_tree_source(tree, 0, &source), KILN_ERROR_PARTIAL);
    assert_int_equal(kiln_tree_corners(tree, 0, corners), KILN_ERROR_PARTIAL);
    assert_int_equal(kiln_tree_user(tree, 0), 0);
    if (kiln_tree_get_info(tree).adb_grid != 0) {
        assert_int_equal(
            kiln_adb_collide(tree, NULL, tree, NULL, &careful, 100, UINT64_MAX, &answer),
            KILN_ERROR_PARTIAL);
    }
}

static void are_as_deep(const kiln_tree_loaded *a, const kiln_tree_loaded *b)
{
    assert_int_equal(a->complete, b->complete);
    assert_int_equal(a->nodes, b->nodes);
    assert_int_equal(a->levels, b->levels);
    assert_true(a->triangles == b->triangles);
}

/* As the tree that was opened at once, in what it tells and what it answers. */
static void is_whole(const baked *b, const kiln_file *file)
{
    const kiln_file_loaded loaded = kiln_file_get_loaded(file);
    assert_true(loaded.complete);
    assert_int_equal(loaded.size, b->size);
    assert_int_equal(loaded.next, b->size);
    assert_int_equal(ask_files(file, file, UINT64_MAX, UINT64_MAX).digest,
                     ask_files(b->whole, b->whole, UINT64_MAX, UINT64_MAX).digest);
    for (uint32_t i = 0; i < kiln_file_tree_count(b->whole); i++) {
        const kiln_tree *tree = kiln_file_tree(file, i), *same = kiln_file_tree(b->whole, i);
        const kiln_tree_info info = kiln_tree_get_info(tree), wanted = kiln_tree_get_info(same);
        const kiln_tree_loaded all = kiln_tree_get_loaded(tree);
        assert_true(all.complete && all.triangles == 1);
        assert_int_equal(all.nodes, wanted.node_count);
        assert_int_equal(all.levels, wanted.depth);
        assert_int_equal(info.polygons, wanted.polygons);
        for (int pose = 0; pose < POSES; pose++) {
            kiln_hit hit, other;
            assert_int_equal(kiln_collide(tree, NULL, same, &poses[pose], NULL, &hit), KILN_OK);
            assert_int_equal(kiln_collide(same, NULL, same, &poses[pose], NULL, &other), KILN_OK);
            assert_int_equal(hit.found, other.found);
            assert_memory_equal(&hit.pair, &other.pair, sizeof hit.pair);
        }
    }
}

/* --------------------------------------------------------------------------------- prefixes -- */

static void every_prefix_of(const char *bv, kiln_layout layout, int adb)
{
    baked b = bake(mesh_torus(8, 6, 0.1), bv, 2, layout, adb);
    kiln_file *growing = NULL;
    const size_t step = (layout == KILN_LAYOUT_RAW ? 2039u : 23u) * (is_shortened() ? 3u : 1u);
    meet_by_brute_force(&b);
    for (size_t size = 0; size < b.size; size += step) {
        kiln_file *file;
        uint64_t needed;
        const kiln_status status = open_prefix(&b, size, &file, &needed);
        if (status != KILN_OK) {
            assert_int_equal(status, KILN_ERROR_PARTIAL);
            assert_null(file);
            assert_true(needed > size && needed <= b.size);
            continue;
        }
        if (growing == NULL) {
            growing = file;
        } else {
            advance_to(growing, &b, size);
        }
        for (uint32_t i = 0; i < kiln_file_tree_count(file); i++) {
            const kiln_tree *tree = kiln_file_tree(file, i), *grown = kiln_file_tree(growing, i);
            const kiln_tree_loaded loaded = kiln_tree_get_loaded(tree);
            const kiln_tree_loaded same = kiln_tree_get_loaded(grown);
            assert_false(loaded.complete);
            are_as_deep(&loaded, &same);
            assert_int_equal(denied_by_boxes(&b, tree), denied_by_boxes(&b, grown));
            refuses_triangles(tree);
        }
        if (file != growing) {
            kiln_close(file);
        }
    }
    assert_non_null(growing);
    advance_to(growing, &b, b.size);
    is_whole(&b, growing);
    kiln_close(growing);
    let_go(&b);
}

static void every_prefix_is_conservative(void **state)
{
    static const char *const kinds[] = {QUICK_KIND_NAMES "aabb2,obb"};
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        every_prefix_of(kinds[i], KILN_LAYOUT_PACKED, 0);
        every_prefix_of(kinds[i], KILN_LAYOUT_RAW, 4);
    }
}

/* Block by block, by what the file asks for; less than that changes nothing. */
static int steps_of(const baked *b, kiln_file *file)
{
    const kiln_tree *tree = kiln_file_tree(file, 0);
    int steps = 0, denied = denied_by_boxes(b, tree);
    kiln_tree_loaded before = kiln_tree_get_loaded(tree);
    for (kiln_file_loaded at = kiln_file_get_loaded(file); !at.complete; steps++) {
        assert_int_equal(at.size, b->size);
        advance_to(file, b, (size_t)at.next - 1);
        assert_int_equal(kiln_file_get_loaded(file).next, at.next);
        advance_to(file, b, (size_t)at.next);
        const kiln_file_loaded after = kiln_file_get_loaded(file);
        assert_true(after.complete || after.next > at.next);
        assert_ptr_equal(kiln_file_tree(file, 0), tree);
        const kiln_tree_loaded now = kiln_tree_get_loaded(tree);
        assert_true(now.nodes >= before.nodes && now.levels >= before.levels &&
                    now.triangles >= before.triangles);
        if (now.nodes > before.nodes && !now.complete) {
            const int now_denied = denied_by_boxes(b, tree);
            assert_true(now_denied + 1 >= denied); /* a box may be larger than the one around it */
            denied = now_denied;
        }
        before = now;
        at = after;
    }
    return steps;
}

static void files_grow_block_by_block(void **state)
{
    static const struct {
        const char *bv;
        int leaf;
        int adb;
    } models[] = {
        {"obb", 1, 0}, {"obb", 1, 4}, {"aabb", 1, 4}, {"obb2,aabb2", 2, 4}, {"aabb2", 1, 0}};
    (void)state;
    const size_t count = sizeof models / sizeof models[0];
    for (size_t i = is_shortened() ? count - 2 : 0; i < count; i++) {
        baked b = bake(mesh_torus(90, 50, 0.1), models[i].bv, models[i].leaf, KILN_LAYOUT_PACKED,
                       models[i].adb);
        kiln_file *file;
        uint64_t needed = 0;
        meet_by_query(&b);
        assert_int_equal(open_prefix(&b, 128, &file, &needed), KILN_ERROR_PARTIAL);
        assert_true(needed > 128);
        while (open_prefix(&b, (size_t)needed, &file, &needed) == KILN_ERROR_PARTIAL) {
        }
        assert_true(steps_of(&b, file) > 10);
        is_whole(&b, file);
        assert_int_equal(kiln_file_advance(file, b.bytes, b.size, NULL), KILN_OK);
        kiln_close(file);
        let_go(&b);
    }
}

/* What the first blocks of nodes and counts are good for. */
static void the_top_of_a_tree_comes_first(void **state)
{
    (void)state;
    baked b = bake(mesh_torus(150, 100, 0.1), "obb", 2, KILN_LAYOUT_PACKED, 4);
    uint64_t needed = 4096;
    kiln_file *file = NULL;
    while (open_prefix(&b, (size_t)needed, &file, &needed) == KILN_ERROR_PARTIAL) {
    }
    const kiln_tree *tree = kiln_file_tree(file, 0);
    while (kiln_tree_get_loaded(tree).nodes == 0) {
        needed = kiln_file_get_loaded(file).next;
        advance_to(file, &b, (size_t)needed);
    }
    const kiln_tree_loaded loaded = kiln_tree_get_loaded(tree);
    const uint32_t block = 131072 / kiln_tree_get_info(tree).node_size;
    assert_true(needed < b.size / 2);
    assert_int_equal(loaded.nodes, block);
    assert_in_range(loaded.levels, 3, kiln_tree_get_info(tree).depth - 1);
    meet_by_query(&b);
    int met = 0;
    for (int i = 0; i < POSES; i++) {
        met += b.meet[i];
    }
    const int denied = denied_by_boxes(&b, tree);
    assert_true(denied >= (POSES - met) / 2);
    kiln_close(file);
    let_go(&b);
}

/* --------------------------------------------------------------------- time-critical queries -- */

static void probabilities_from_the_top(void **state)
{
    static uint64_t memory[ADB_ROOM];
    (void)state;
    baked b = bake(mesh_torus(100, 60, 0.1), "obb", 2, KILN_LAYOUT_PACKED, 4);
    kiln_adb *query;
    kiln_file *file = NULL;
    uint64_t needed = 4096;
    int answers = 0, right = 0;
    meet_by_query(&b);
    assert_int_equal(kiln_adb_place(memory, sizeof memory, &query), KILN_OK);
    while (open_prefix(&b, (size_t)needed, &file, &needed) == KILN_ERROR_PARTIAL) {
    }
    const kiln_tree *tree = kiln_file_tree(file, 0);
    assert_int_equal(kiln_tree_get_loaded(tree).nodes, 0);
    assert_int_equal(kiln_adb_begin(query, tree, NULL, tree, NULL, NULL), KILN_ERROR_PARTIAL);
    for (kiln_file_loaded at = kiln_file_get_loaded(file); !at.complete;
         at = kiln_file_get_loaded(file)) {
        advance_to(file, &b, (size_t)at.next);
        if (kiln_tree_get_loaded(tree).nodes == 0) {
            continue;
        }
        for (int i = 0; i < POSES; i++) {
            const kiln_adb_answer answer =
                ask_adb(query, tree, NULL, tree, &poses[i], NULL, UINT64_MAX);
            if (answer.verdict == KILN_ADB_NO && (answer.flags & KILN_ADB_EXACT) != 0) {
                assert_false(b.meet[i]);
            }
            answers++;
            right += (answer.probability > 0.5) == b.meet[i];
        }
    }
    assert_true(answers > 5 * POSES);
    assert_true(right > answers * 3 / 4);
    kiln_close(file);
    let_go(&b);
}

static void trees_without_polygons(void **state)
{
    (void)state;
    mesh m = mesh_torus(60, 40, 0.1);
    kiln_bake_options options = kiln_bake_options_default();
    options.bv = "obb2";
    options.adb = 4;
    options.adb_factor = 0.75;
    options.no_geometry = true;
    size_t size;
    uint8_t *bytes = quick_bake_with(&m, &options, &size);
    kiln_file *file;
    kiln_hit hit;
    assert_int_equal(kiln_open_partial(bytes, size / 2, NULL, &file), KILN_OK);
    const kiln_tree *tree = kiln_file_tree(file, 0);
    assert_false(kiln_tree_get_info(tree).polygons);
    assert_int_equal(kiln_collide(tree, NULL, tree, NULL, NULL, &hit), KILN_ERROR_NOT_LOADED);
    assert_int_equal(kiln_file_advance(file, bytes, size, NULL), KILN_OK);
    assert_true(kiln_tree_get_loaded(tree).complete);
    assert_int_equal(kiln_collide(tree, NULL, tree, NULL, NULL, &hit), KILN_ERROR_NOT_LOADED);
    kiln_close(file);
    free(bytes);
    mesh_free(&m);
}

/* ----------------------------------------------------------------------------------- damage -- */

static void what_was_damaged_may_come_again(void **state)
{
    (void)state;
    baked b = bake(mesh_torus(60, 40, 0.1), "aabb", 1, KILN_LAYOUT_PACKED, 0);
    kiln_error error;
    kiln_file *file = NULL;
    uint64_t needed = 1024;
    meet_by_query(&b);
    while (open_prefix(&b, (size_t)needed, &file, &needed) == KILN_ERROR_PARTIAL) {
    }
    for (kiln_file_loaded at = kiln_file_get_loaded(file); !at.complete;
         at = kiln_file_get_loaded(file)) {
        const kiln_tree_loaded before = kiln_tree_get_loaded(kiln_file_tree(file, 0));
        b.bytes[at.next - 1] ^= 0x10;
        const kiln_status status = kiln_file_advance(file, b.bytes, (size_t)at.next, &error);
        b.bytes[at.next - 1] ^= 0x10;
        if (status != KILN_OK) { /* it was the last byte before a section */
            assert_true(status == KILN_ERROR_CHECKSUM || status == KILN_ERROR_RULE);
            assert_int_equal(status, error.status);
            const kiln_tree_loaded after = kiln_tree_get_loaded(kiln_file_tree(file, 0));
            are_as_deep(&before, &after);
        }
        (void)denied_by_boxes(&b, kiln_file_tree(file, 0));
        advance_to(file, &b, (size_t)at.next);
    }
    is_whole(&b, file);
    kiln_close(file);
    let_go(&b);
}

/* A node of which the rules don't hold, in a file whose checksums do. */
/* More triangles in the leaves than there are is told when the nodes are there, not when all is. */
static void leaves_hold_what_there_is(void **state)
{
    (void)state;
    baked b = bake(mesh_torus(30, 20, 0.1), "aabb", 4, KILN_LAYOUT_RAW, 0);
    edit_file *edit = edit_open(b.bytes, b.size);
    kiln_format_node_aabb8 *node =
        (kiln_format_node_aabb8 *)(void *)edit_find(edit, KILN_SECTION_NODES_AABB8)->data;
    while ((node->head.count[0] & 15) == 0 || (node->head.count[0] & 15) == 4) {
        node++;
    }
    node->head.count[0]++;
    size_t size;
    uint8_t *bytes = edit_seal(edit, false, &size);
    const kiln_format_section entry =
        edit_get_entry(bytes, edit_index(bytes, KILN_SECTION_NODES_AABB8));
    kiln_file *file;
    kiln_error error;
    assert_int_equal(kiln_open_partial(bytes, (size_t)entry.offset, NULL, &file), KILN_OK);
    assert_int_equal(kiln_file_advance(file, bytes, size - 1, &error), KILN_ERROR_RULE);
    assert_int_equal(error.rule, KILN_RULE_LEAF_ONCE);
    assert_true(kiln_tree_get_loaded(kiln_file_tree(file, 0)).triangles == 0);
    kiln_close(file);
    free(bytes);
    edit_free(edit);
    let_go(&b);
}

static void a_broken_rule_leaves_boxes(void **state)
{
    (void)state;
    for (int i = 0; i < 7; i++) {
        baked b = bake(mesh_torus(30, 20, 0.1), "aabb", 1, KILN_LAYOUT_RAW, 0);
        edit_file *edit = edit_open(b.bytes, b.size);
        kiln_format_node_aabb8 *node =
            (kiln_format_node_aabb8 *)(void *)edit_find(edit, KILN_SECTION_NODES_AABB8)->data;
        static const uint32_t rules[] = {
            KILN_RULE_NODE_CHILD, KILN_RULE_NODE_ONCE,  KILN_RULE_RESERVED, KILN_RULE_NODE_FIELD,
            KILN_RULE_NODE_LANE,  KILN_RULE_NODE_DEPTH, KILN_RULE_VERTEX};
        uint32_t vertex = 0x7FC00000;
        switch (i) {
        case 0:
            node[1].head.child = 1;
            break;
        case 1:
            node[1].head.child = node[2].head.child;
            break;
        case 2:
            node[2].head.flags[1] = 1;
            break;
        case 3:
            node[3].head.exp[0] = 0;
            break;
        case 4:
            node[0].head.count[0] |= 1;
            break;
        case 5:
            ((kiln_format_tree *)(void *)edit_find(edit, KILN_SECTION_TREES)->data)->depth = 2;
            break;
        default:
            memcpy(edit_find(edit, KILN_SECTION_VERTICES)->data, &vertex, sizeof vertex);
            break;
        }
        size_t size;
        uint8_t *bytes = edit_seal(edit, true, &size);
        const kiln_format_section entry =
            edit_get_entry(bytes, edit_index(bytes, KILN_SECTION_NODES_AABB8));
        kiln_file *file;
        kiln_error error;
        kiln_hit hit;
        meet_by_query(&b);
        assert_int_equal(kiln_open_partial(bytes, (size_t)entry.offset, NULL, &file), KILN_OK);
        for (int again = 0; again < 2; again++) {
            assert_int_equal(kiln_file_advance(file, bytes, size, &error), KILN_ERROR_RULE);
            assert_int_equal(error.rule, rules[i]);
            assert_int_equal(kiln_tree_get_loaded(kiln_file_tree(file, 0)).nodes, 0);
            (void)denied_by_boxes(&b, kiln_file_tree(file, 0));
            assert_int_equal(kiln_collide(kiln_file_tree(file, 0), NULL, kiln_file_tree(file, 0),
                                          NULL, NULL, &hit),
                             KILN_ERROR_PARTIAL);
        }
        kiln_close(file);
        free(bytes);
        edit_free(edit);
        let_go(&b);
    }
}

/* ------------------------------------------------------------------------------------ calls -- */

static void kinds_that_are_not_wanted_and_the_source(void **state)
{
    (void)state;
    baked b = bake(mesh_torus(20, 10, 0.1), "obb,aabb", 4, KILN_LAYOUT_PACKED, 0);
    kiln_open_options options = kiln_open_options_default();
    kiln_file *file;
    kiln_source source;
    size_t size;
    options.bv_mask = 1u << KILN_BV_AABB;
    options.flags = KILN_OPEN_NO_SOURCE;
    assert_int_equal(kiln_open_partial(b.bytes, b.size / 2, &options, &file), KILN_OK);
    assert_int_equal(kiln_file_tree_count(file), 1);
    const kiln_tree *tree = kiln_file_tree(file, 0);
    assert_int_equal(kiln_tree_get_info(tree).bv, KILN_BV_AABB);
    assert_null(kiln_file_meta(file, &size));
    assert_int_equal(kiln_file_advance(file, b.bytes, b.size, NULL), KILN_OK);
    assert_int_equal(kiln_tree_source(tree, 0, &source), KILN_ERROR_NOT_LOADED);
    assert_null(kiln_file_meta(file, &size));
    kiln_close(file);
    options.flags = KILN_OPEN_TRUSTED;
    options.bv_mask = 0;
    assert_int_equal(kiln_open_partial(b.bytes, b.size / 2, &options, &file), KILN_OK);
    assert_int_equal(kiln_file_advance(file, b.bytes, b.size, NULL), KILN_OK);
    is_whole(&b, file);
    assert_non_null(kiln_file_meta(file, &size));
    kiln_close(file);
    let_go(&b);
}

static void calls_that_are_none(void **state)
{
    (void)state;
    baked b = bake(mesh_torus(8, 6, 0.1), "obb", 4, KILN_LAYOUT_PACKED, 0);
    kiln_file *file = b.whole;
    kiln_error error;
    uint64_t needed;
    assert_int_equal(kiln_open_partial(NULL, 0, NULL, &file), KILN_ERROR_ARGUMENT);
    assert_null(file);
    assert_int_equal(kiln_open_partial(b.bytes, b.size, NULL, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_file_advance(NULL, b.bytes, b.size, &error), KILN_ERROR_ARGUMENT);
    assert_int_equal(error.status, KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_file_advance(b.whole, NULL, 0, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_file_get_loaded(NULL).size, 0);
    assert_int_equal(kiln_tree_get_loaded(NULL).nodes, 0);
    assert_int_equal(open_prefix(&b, 0, &file, &needed), KILN_ERROR_PARTIAL);
    assert_int_equal(needed, sizeof(kiln_format_header));
    b.bytes[0] ^= 1;
    assert_int_equal(open_prefix(&b, b.size, &file, &needed), KILN_ERROR_NOT_KILN);
    b.bytes[0] ^= 1;
    is_whole(&b, b.whole);
    let_go(&b);
}

static void memory_is_given_back(void **state)
{
    (void)state;
    baked b = bake(mesh_torus(20, 10, 0.1), "obb,aabb", 4, KILN_LAYOUT_PACKED, 4);
    kiln_status status = KILN_ERROR_MEMORY;
    size_t fail_at = 1;
    for (; status != KILN_OK; fail_at++) {
        counting count = {.fail_at = fail_at};
        kiln_open_options options = kiln_open_options_default();
        kiln_file *file;
        options.allocator = counting_allocator(&count);
        status = kiln_open_partial(b.bytes, b.size / 2, &options, &file);
        assert_true(status == KILN_OK || status == KILN_ERROR_MEMORY);
        if (status == KILN_OK && fail_at % 2 == 0) {
            assert_int_equal(kiln_file_advance(file, b.bytes, b.size, NULL), KILN_OK);
        }
        kiln_close(file);
        assert_int_equal(count.live, 0);
        assert_int_equal(count.bytes, 0);
    }
    assert_true(fail_at > 3);
    let_go(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_prefix_is_conservative),
        cmocka_unit_test(files_grow_block_by_block),
        cmocka_unit_test(the_top_of_a_tree_comes_first),
        cmocka_unit_test(probabilities_from_the_top),
        cmocka_unit_test(trees_without_polygons),
        cmocka_unit_test(what_was_damaged_may_come_again),
        cmocka_unit_test(leaves_hold_what_there_is),
        cmocka_unit_test(a_broken_rule_leaves_boxes),
        cmocka_unit_test(kinds_that_are_not_wanted_and_the_source),
        cmocka_unit_test(calls_that_are_none),
        cmocka_unit_test(memory_is_given_back),
    };
    return cmocka_run_group_tests(tests, make_poses, NULL);
}
