/* What the public header promises of opening, of facts and of poses, and what a query may cost:
 * data at any address, options left out, no memory, poses that are none, short buffers, little
 * stack. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../formats/format_error.h"
#include "../../formats/nodes.h"
#include "../support/ask.h"
#include "../support/counting.h"
#include "../support/edit.h"
#include "../support/quick_bake.h"

typedef struct {
    mesh mesh;
    uint8_t *bytes;
    size_t size;
} baked;

static baked bake(mesh m, const char *bv, kiln_layout layout)
{
    baked b = {m, NULL, 0};
    b.bytes = quick_bake(&m, bv, 4, layout, &b.size);
    return b;
}

static void let_go(baked *b)
{
    free(b->bytes);
    mesh_free(&b->mesh);
}

static kiln_file *open_with(const baked *b, const kiln_open_options *options)
{
    kiln_file *file;
    assert_int_equal(kiln_open_memory(b->bytes, b->size, options, &file), KILN_OK);
    assert_non_null(file);
    return file;
}

static uint64_t digest_of(const kiln_file *file)
{
    return ask_files(file, file, UINT64_MAX, UINT64_MAX).digest;
}

/* -------------------------------------------------------------------------------- opening -- */

static void data_at_any_address(void **state)
{
    (void)state;
    static const size_t offsets[] = {0, 1, 2, 3, 4, 8, 12, 16, 32, 63, 64};
    for (int packed = 0; packed < 2; packed++) {
        baked b = bake(mesh_torus(10, 7, 0.1), "obb,aabb",
                       packed != 0 ? KILN_LAYOUT_PACKED : KILN_LAYOUT_RAW);
        kiln_file *file = open_with(&b, NULL);
        const uint64_t digest = digest_of(file);
        kiln_close(file);
        for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
            void *page;
            assert_int_equal(posix_memalign(&page, 4096, offsets[i] + b.size), 0);
            memcpy((uint8_t *)page + offsets[i], b.bytes, b.size);
            assert_int_equal(kiln_open_memory((uint8_t *)page + offsets[i], b.size, NULL, &file),
                             KILN_OK);
            assert_int_equal(digest_of(file), digest);
            kiln_close(file);
            free(page);
        }
        let_go(&b);
    }
}

/* Raw, at an address that allows it: one allocation for the section array and one for the file. */
static void raw_files_are_used_in_place(void **state)
{
    (void)state;
    baked b = bake(mesh_torus(40, 30, 0.1), "obb", KILN_LAYOUT_RAW);
    void *page;
    counting count = {0};
    kiln_open_options options = kiln_open_options_default();
    options.allocator = counting_allocator(&count);
    assert_int_equal(posix_memalign(&page, 64, b.size), 0);
    memcpy(page, b.bytes, b.size);
    kiln_file *file;
    assert_int_equal(kiln_open_memory(page, b.size, &options, &file), KILN_OK);
    assert_int_equal(count.calls, 2);
    assert_true(count.bytes < 4096);
    kiln_close(file);
    free(page);
    let_go(&b);
}

static void trusted_files_answer_the_same(void **state)
{
    (void)state;
    for (int packed = 0; packed < 2; packed++) {
        baked b = bake(mesh_torus(10, 7, 0.1), "aabb,obb",
                       packed != 0 ? KILN_LAYOUT_PACKED : KILN_LAYOUT_RAW);
        kiln_open_options options = kiln_open_options_default();
        kiln_file *verified = open_with(&b, &options);
        options.flags = KILN_OPEN_TRUSTED;
        kiln_file *trusted = open_with(&b, &options);
        assert_int_equal(digest_of(verified), digest_of(trusted));
        kiln_close(verified);
        kiln_close(trusted);
        let_go(&b);
    }
}

static void the_source_may_be_left_out(void **state)
{
    (void)state;
    baked b = bake(mesh_torus(10, 7, 0.1), "obb", KILN_LAYOUT_PACKED);
    size_t with, without;
    counting count = {0};
    kiln_open_options options = kiln_open_options_default();
    options.allocator = counting_allocator(&count);
    kiln_file *file = open_with(&b, &options);
    const uint64_t digest = digest_of(file);
    with = count.bytes;
    kiln_close(file);
    options.flags = KILN_OPEN_NO_SOURCE;
    file = open_with(&b, &options);
    without = count.bytes;
    assert_true(without < with);
    assert_int_equal(digest_of(file), digest);
    kiln_source source, before;
    memset(&source, 0xA5, sizeof source);
    before = source;
    const kiln_tree *tree = kiln_file_tree(file, 0);
    assert_int_equal(kiln_tree_source(tree, 0, &source), KILN_ERROR_NOT_LOADED);
    assert_memory_equal(&source, &before, sizeof source);
    assert_int_equal(kiln_tree_user(tree, 0), 0);
    size_t size = 77;
    assert_null(kiln_file_meta(file, &size));
    kiln_close(file);
    let_go(&b);
}

static void counts_may_be_left_out(void **state)
{
    (void)state;
    baked b = {mesh_torus(20, 10, 0.1), NULL, 0};
    kiln_bake_options baking = kiln_bake_options_default();
    kiln_open_options options = kiln_open_options_default();
    kiln_adb_answer answer;
    baking.bv = "obb,aabb2";
    baking.adb = 4;
    baking.adb_factor = 0.75;
    b.bytes = quick_bake_with(&b.mesh, &baking, &b.size);
    kiln_file *file = open_with(&b, &options);
    options.flags = KILN_OPEN_NO_COUNTS;
    kiln_file *without = open_with(&b, &options);
    for (uint32_t i = 0; i < 2; i++) {
        const kiln_tree *tree = kiln_file_tree(without, i);
        assert_int_equal(kiln_tree_get_info(kiln_file_tree(file, i)).adb_grid, 4);
        assert_int_equal(kiln_tree_get_info(tree).adb_grid, 0);
        assert_int_equal(kiln_adb_collide(tree, NULL, tree, NULL, NULL, 1, UINT64_MAX, &answer),
                         KILN_ERROR_NOT_LOADED);
    }
    assert_int_equal(digest_of(without), digest_of(file));
    kiln_close(without);
    kiln_close(file);
    let_go(&b);
}

static void only_trees_of_the_kinds_in_the_mask_are_loaded(void **state)
{
    (void)state;
    for (int packed = 0; packed < 2; packed++) {
        baked b = bake(mesh_torus(10, 7, 0.1), "obb,aabb",
                       packed != 0 ? KILN_LAYOUT_PACKED : KILN_LAYOUT_RAW);
        for (uint32_t mask = 0; mask < 8; mask++) {
            kiln_open_options options = kiln_open_options_default();
            options.bv_mask = mask;
            kiln_file *file = open_with(&b, &options);
            const bool obb = mask == 0 || (mask >> KILN_BV_OBB & 1) != 0;
            const bool aabb = mask == 0 || (mask >> KILN_BV_AABB & 1) != 0;
            assert_int_equal(kiln_file_tree_count(file), obb + aabb);
            assert_int_equal(kiln_file_find(file, NULL, KILN_BV_OBB) != NULL, obb);
            assert_int_equal(kiln_file_find(file, NULL, KILN_BV_AABB) != NULL, aabb);
            (void)digest_of(file);
            kiln_close(file);
        }
        let_go(&b);
    }
}

/* Each allocation fails once; then nothing is kept, and the error says so. */
static void no_memory_is_told_and_nothing_kept(void **state)
{
    (void)state;
    for (int packed = 0; packed < 2; packed++) {
        baked b = bake(mesh_torus(10, 7, 0.1), "obb,aabb",
                       packed != 0 ? KILN_LAYOUT_PACKED : KILN_LAYOUT_RAW);
        counting count = {0};
        kiln_error error;
        kiln_open_options options = kiln_open_options_default();
        options.allocator = counting_allocator(&count);
        options.error = &error;
        kiln_close(open_with(&b, &options));
        const size_t calls = count.calls;
        assert_true(calls > 0);
        for (size_t fail_at = 1; fail_at <= calls; fail_at++) {
            kiln_file *file = (kiln_file *)(uintptr_t)1;
            memset(&count, 0, sizeof count);
            count.fail_at = fail_at;
            assert_int_equal(kiln_open_memory(b.bytes, b.size, &options, &file), KILN_ERROR_MEMORY);
            assert_null(file);
            assert_int_equal(error.status, KILN_ERROR_MEMORY);
            assert_int_equal(count.calls, fail_at);
            assert_int_equal(count.live, 0);
            assert_int_equal(count.bytes, 0);
        }
        let_go(&b);
    }
}

/* The limit is what the file takes, to the byte: with it the file opens, with less it does not, and
 * no allocation is over it. */
static void a_limit_of_memory_is_kept(void **state)
{
    (void)state;
    for (int packed = 0; packed < 2; packed++) {
        baked b = bake(mesh_torus(10, 7, 0.1), "obb,aabb",
                       packed != 0 ? KILN_LAYOUT_PACKED : KILN_LAYOUT_RAW);
        for (int part = 0; part < 2; part++) {
            counting count = {0};
            kiln_error error;
            kiln_file *file = NULL;
            kiln_open_options options = kiln_open_options_default();
            options.allocator = counting_allocator(&count);
            options.error = &error;
            kiln_status (*const open)(const void *, size_t, const kiln_open_options *,
                                      kiln_file **) =
                part != 0 ? kiln_open_partial : kiln_open_memory;
            assert_int_equal(open(b.bytes, part != 0 ? b.size - 1 : b.size, &options, &file),
                             KILN_OK);
            const size_t needed = count.bytes;
            kiln_close(file);
            options.memory_limit = needed;
            assert_int_equal(open(b.bytes, part != 0 ? b.size - 1 : b.size, &options, &file),
                             KILN_OK);
            kiln_close(file);
            for (size_t less = 1; less < needed; less += 1 + needed / 50) {
                options.memory_limit = needed - less;
                assert_int_equal(open(b.bytes, b.size, &options, &file), KILN_ERROR_LIMIT);
                assert_null(file);
                assert_int_equal(error.status, KILN_ERROR_LIMIT);
                assert_non_null(strstr(error.message, "more than the limit of"));
                assert_int_equal(count.live, 0);
            }
            options.struct_size = offsetof(kiln_open_options, memory_limit); /* an older caller */
            assert_int_equal(open(b.bytes, b.size, &options, &file), KILN_OK);
            kiln_close(file);
        }
        let_go(&b);
    }
}

/* ------------------------------------------------------------------------------- many nodes -- */

enum { MANY_NODES = 300001 };

/* One triangle below so many nodes: node i has nodes 8 i + 1 to 8 i + 8, the last one the leaf. */
static edit_file *file_of_many_nodes(void)
{
    size_t size;
    mesh m = mesh_box(0, 0, 0, 1, 1, 1);
    m.triangle_count = 1;
    uint8_t *bytes = quick_bake(&m, "aabb", 4, KILN_LAYOUT_RAW, &size);
    edit_file *file = edit_open(bytes, size);
    edit_section *section = edit_find(file, KILN_SECTION_NODES_AABB8);
    kiln_format_node_aabb8 model;
    memcpy(&model, section->data, sizeof model);
    edit_resize(section, MANY_NODES * sizeof model);
    kiln_format_node_aabb8 *nodes = (kiln_format_node_aabb8 *)(void *)section->data;
    for (uint32_t i = 0; i < MANY_NODES; i++) {
        const uint32_t first = 8 * i + 1;
        nodes[i] = model;
        memset(nodes[i].head.count, 0, sizeof nodes[i].head.count);
        for (uint32_t lane = 0; lane < 8 && first + lane < MANY_NODES; lane++) {
            nodes[i].head.inner |= (uint8_t)(1u << lane);
            nodes[i].head.child = first;
        }
    }
    nodes[MANY_NODES - 1].head.count[0] = 1;
    kiln_format_tree *tree = (kiln_format_tree *)(void *)edit_find(file, KILN_SECTION_TREES)->data;
    tree->node_count = MANY_NODES;
    for (uint32_t level = 0, first = 0; first < MANY_NODES; first = 8 * first + 1, level++) {
        tree->depth = level + 1;
    }
    free(bytes);
    mesh_free(&m);
    return file;
}

/* One pass over the nodes shows those with two parents, however many nodes there are: it takes one
 * block, a bit for each node, which is given back, and which counts for the limit. */
static void many_nodes_are_checked_in_one_pass(void **state)
{
    (void)state;
    size_t size;
    edit_file *file = file_of_many_nodes();
    uint8_t *bytes = edit_seal(file, false, &size);
    void *data;
    assert_int_equal(posix_memalign(&data, 64, size), 0);
    memcpy(data, bytes, size);
    counting count = {0};
    kiln_error error;
    kiln_file *opened;
    kiln_open_options options = kiln_open_options_default();
    options.allocator = counting_allocator(&count);
    options.error = &error;
    assert_int_equal(kiln_open_memory(data, size, &options, &opened), KILN_OK);
    assert_int_equal(count.calls, 3); /* the sections, the bits, the file */
    assert_int_equal(count.live, 2);
    assert_true(count.bytes < MANY_NODES / 8);
    options.memory_limit = MANY_NODES / 8;
    kiln_close(opened);
    assert_int_equal(kiln_open_memory(data, size, &options, &opened), KILN_ERROR_LIMIT);
    options.memory_limit = 0;
    count = (counting){.fail_at = 2};
    assert_int_equal(kiln_open_memory(data, size, &options, &opened), KILN_ERROR_MEMORY);
    assert_int_equal(count.live, 0);
    free(data);
    free(bytes);

    /* Two parents for some, and none for others, beyond the nodes that fit on the stack. */
    kiln_format_node_aabb8 *nodes =
        (kiln_format_node_aabb8 *)(void *)edit_find(file, KILN_SECTION_NODES_AABB8)->data;
    nodes[35000].head.child = nodes[36000].head.child;
    bytes = edit_seal(file, true, &size);
    count = (counting){0};
    assert_int_equal(kiln_open_memory(bytes, size, &options, &opened), KILN_ERROR_RULE);
    assert_int_equal(error.rule, KILN_RULE_NODE_ONCE);
    assert_int_equal(count.live, 0);
    free(bytes);
    edit_free(file);
}

/* A caller compiled against an older header has a smaller struct: what it lacks is the default. */
static void options_of_an_older_caller(void **state)
{
    (void)state;
    baked b = bake(mesh_box(0, 0, 0, 1, 1, 1), "obb,aabb", KILN_LAYOUT_PACKED);
    kiln_open_options options = kiln_open_options_default();
    counting count = {0};
    options.bv_mask = 1u << KILN_BV_AABB;
    options.allocator = counting_allocator(&count);
    options.struct_size = offsetof(kiln_open_options, allocator);
    kiln_file *file = open_with(&b, &options);
    assert_int_equal(kiln_file_tree_count(file), 1);
    assert_int_equal(count.calls, 0);
    kiln_close(file);
    options.struct_size = 0;
    file = open_with(&b, &options);
    assert_int_equal(kiln_file_tree_count(file), 2);
    kiln_close(file);
    options.struct_size = sizeof options + 64; /* a newer one: what is known is used */
    struct {
        kiln_open_options options;
        uint8_t more[64];
    } newer = {options, {1, 2, 3}};
    file = open_with(&b, &newer.options);
    assert_int_equal(kiln_file_tree_count(file), 1);
    assert_int_equal(count.calls, 2);
    kiln_close(file);
    let_go(&b);
}

static void options_that_are_none(void **state)
{
    (void)state;
    baked b = bake(mesh_box(0, 0, 0, 1, 1, 1), "obb", KILN_LAYOUT_PACKED);
    counting count = {0};
    kiln_error error;
    for (int i = 0; i < 3; i++) {
        kiln_open_options options = kiln_open_options_default();
        options.error = &error;
        options.flags = i == 0 ? 0x80000000u : 0;
        options.allocator = counting_allocator(&count);
        if (i == 1) {
            options.allocator.release = NULL;
        } else if (i == 2) {
            options.allocator.allocate = NULL;
        }
        kiln_file *file = (kiln_file *)(uintptr_t)1;
        assert_int_equal(kiln_open_memory(b.bytes, b.size, &options, &file), KILN_ERROR_ARGUMENT);
        assert_null(file);
        assert_int_equal(error.status, KILN_ERROR_ARGUMENT);
    }
    let_go(&b);
}

/* ---------------------------------------------------------------------------------- facts -- */

static void facts_of_trees(void **state)
{
    (void)state;
    baked b = bake(mesh_box(-1, 0, 2, 3, 5, 7.5f), "obb,aabb", KILN_LAYOUT_RAW);
    kiln_file *file = open_with(&b, NULL);
    assert_int_equal(kiln_file_tree_count(file), 2);
    assert_null(kiln_file_tree(file, 2));
    assert_null(kiln_file_tree(file, 0xFFFFFFFF));
    const kiln_tree *obb = kiln_file_find(file, "model", KILN_BV_OBB);
    const kiln_tree *aabb = kiln_file_find(file, "model", KILN_BV_AABB);
    assert_ptr_equal(obb, kiln_file_tree(file, 0));
    assert_ptr_equal(aabb, kiln_file_tree(file, 1));
    assert_ptr_equal(kiln_file_find(file, NULL, 0), obb);
    assert_ptr_equal(kiln_file_find(file, "model", 0), obb);
    assert_null(kiln_file_find(file, "models", 0));
    assert_null(kiln_file_find(file, "", 0));
    assert_null(kiln_file_find(file, NULL, 9));
    const kiln_tree_info info = kiln_tree_get_info(aabb);
    static const float lower[3] = {-1, 0, 2}, upper[3] = {3, 5, 7.5f};
    assert_string_equal(info.name, "model");
    assert_string_equal(info.bv_name, "aabb");
    assert_int_equal(info.bv, KILN_BV_AABB);
    assert_int_equal(info.triangle_count, 12);
    assert_int_equal(info.node_size, sizeof(kiln_format_node_aabb8));
    assert_int_equal(info.leaf_max, 4);
    assert_in_range(info.node_count, 1, 12);
    assert_in_range(info.depth, 1, 3);
    assert_memory_equal(info.bounds_lower, lower, sizeof lower);
    assert_memory_equal(info.bounds_upper, upper, sizeof upper);
    assert_memory_equal(info.geometry_hash, kiln_tree_get_info(obb).geometry_hash, 16);
    kiln_close(file);
    let_go(&b);
}

static void facts_of_nothing(void **state)
{
    (void)state;
    static const kiln_tree_info nothing;
    const kiln_tree_info info = kiln_tree_get_info(NULL);
    kiln_source source;
    kiln_hit hit;
    size_t count;
    assert_memory_equal(&info, &nothing, sizeof info);
    assert_int_equal(kiln_file_tree_count(NULL), 0);
    assert_null(kiln_file_tree(NULL, 0));
    assert_null(kiln_file_find(NULL, NULL, 0));
    assert_null(kiln_file_meta(NULL, &count));
    assert_int_equal(kiln_tree_user(NULL, 0), 0);
    assert_int_equal(kiln_tree_source(NULL, 0, &source), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_collide(NULL, NULL, NULL, NULL, NULL, &hit), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_contacts(NULL, NULL, NULL, NULL, NULL, NULL, 0, &count),
                     KILN_ERROR_ARGUMENT);
}

static void every_triangle_is_found_in_the_source(void **state)
{
    (void)state;
    for (int packed = 0; packed < 2; packed++) {
        baked b = bake(mesh_torus(10, 7, 0.1), "obb,aabb",
                       packed != 0 ? KILN_LAYOUT_PACKED : KILN_LAYOUT_RAW);
        kiln_file *file = open_with(&b, NULL);
        for (uint32_t i = 0; i < b.mesh.triangle_count; i++) {
            kiln_source source;
            assert_int_equal(kiln_tree_source(kiln_file_tree(file, i % 2), i, &source), KILN_OK);
            assert_int_equal(source.triangle, i);
            assert_int_equal(source.face, i);
            assert_int_equal(source.user, 0);
            assert_string_equal(source.node_path, "");
            assert_string_equal(source.mesh_name, "");
            assert_string_equal(source.material, "");
            float corners[3][3];
            assert_int_equal(kiln_tree_corners(kiln_file_tree(file, i % 2), i, corners), KILN_OK);
            for (int k = 0; k < 3; k++) {
                const uint32_t vertex = b.mesh.indices[3 * i + (uint32_t)k];
                assert_memory_equal(corners[k], b.mesh.positions + 3 * vertex, 12);
            }
        }
        kiln_source source, before;
        memset(&source, 0xA5, sizeof source);
        before = source;
        const kiln_tree *tree = kiln_file_tree(file, 0);
        assert_int_equal(kiln_tree_source(tree, b.mesh.triangle_count, &source),
                         KILN_ERROR_ARGUMENT);
        assert_int_equal(kiln_tree_source(tree, 0, NULL), KILN_ERROR_ARGUMENT);
        assert_int_equal(kiln_tree_corners(tree, b.mesh.triangle_count, (float(*)[3]) & source),
                         KILN_ERROR_ARGUMENT);
        assert_int_equal(kiln_tree_corners(NULL, 0, (float(*)[3]) & source), KILN_ERROR_ARGUMENT);
        assert_int_equal(kiln_tree_corners(tree, 0, NULL), KILN_ERROR_ARGUMENT);
        assert_memory_equal(&source, &before, sizeof source);
        size_t size = 0;
        const char *meta = kiln_file_meta(file, &size);
        assert_int_equal(size, 2);
        assert_memory_equal(meta, "{}", 2);
        kiln_close(file);
        let_go(&b);
    }
}

static void every_status_has_a_text(void **state)
{
    (void)state;
#define CHECK_TEXT(name, value, text) assert_string_equal(kiln_status_text(name), text);
    KILN_STATUS_LIST(CHECK_TEXT)
#undef CHECK_TEXT
    assert_non_null(kiln_status_text((kiln_status)9999));
    assert_string_equal(kiln_version(), KILN_VERSION_STRING);
}

/* ---------------------------------------------------------------------------------- poses -- */

/* Cubes of edge 1 whose centres are 1.5 apart: no hit, unless a pose makes one of them larger. */
static kiln_status collide_cubes(const kiln_pose *pose, bool *found)
{
    baked b = bake(mesh_box(-0.5f, -0.5f, -0.5f, 0.5f, 0.5f, 0.5f), "obb", KILN_LAYOUT_RAW);
    kiln_file *file = open_with(&b, NULL);
    const kiln_tree *tree = kiln_file_tree(file, 0);
    kiln_hit hit = {false, {0, 0, 0, 0}, {0, 0}};
    const kiln_status status = kiln_collide(tree, NULL, tree, pose, NULL, &hit);
    *found = hit.found;
    kiln_close(file);
    let_go(&b);
    return status;
}

static void quaternions_of_any_length(void **state)
{
    (void)state;
    static const double away[3] = {1.5, 0, 0};
    static const double good[] = {1, 1 - 1e-4, 1 + 1e-4, 1 + 9.9e-4, 1 + 5e-6, -1};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        const double quaternion[4] = {0, 0, 0.6 * good[i], 0.8 * good[i]};
        kiln_pose pose, opposite;
        bool found = true;
        const double negated[4] = {0, 0, -quaternion[2], -quaternion[3]};
        assert_int_equal(kiln_pose_from_quaternion(quaternion, away, &pose), KILN_OK);
        assert_int_equal(kiln_pose_from_quaternion(negated, away, &opposite), KILN_OK);
        assert_memory_equal(&pose, &opposite, sizeof pose);
        assert_float_equal((float)pose.rotation[0], 0.28f, 1e-6);
        assert_int_equal(collide_cubes(&pose, &found), KILN_OK);
        assert_false(found);
    }
    const double bad[][4] = {{0, 0, 0, 0},        {0, 0, 0, 2},         {0, 0, 0, 1.002},
                             {0, 0, 0, 0.998},    {0, 0, 0, NAN},       {NAN, 0, 0, 1},
                             {INFINITY, 0, 0, 1}, {0, -INFINITY, 0, 0}, {1e200, 1e200, 0, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        kiln_pose pose, before;
        memset(&pose, 0xA5, sizeof pose);
        before = pose;
        assert_int_equal(kiln_pose_from_quaternion(bad[i], away, &pose), KILN_ERROR_POSE);
        assert_memory_equal(&pose, &before, sizeof pose);
    }
}

static void quaternions_with_translations_that_are_none(void **state)
{
    (void)state;
    static const double turn[4] = {0, 0, 0, 1};
    const double bad[] = {NAN, INFINITY, -INFINITY, 1.1e60, -1e300};
    kiln_pose pose, before;
    memset(&pose, 0xA5, sizeof pose);
    before = pose;
    for (size_t i = 0; i < 15; i++) {
        double translation[3] = {0, 0, 0};
        translation[i % 3] = bad[i / 3];
        assert_int_equal(kiln_pose_from_quaternion(turn, translation, &pose), KILN_ERROR_POSE);
    }
    assert_int_equal(kiln_pose_from_quaternion(NULL, NULL, &pose), KILN_ERROR_ARGUMENT);
    assert_memory_equal(&pose, &before, sizeof pose);
    assert_int_equal(kiln_pose_from_quaternion(turn, NULL, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_pose_from_quaternion(turn, NULL, &pose), KILN_OK);
    before = kiln_pose_identity();
    assert_memory_equal(&pose, &before, sizeof pose);
}

static bool no_pair(void *user, kiln_pair pair)
{
    (void)user;
    (void)pair;
    return true;
}

/* In either place, for every query, with outputs untouched. */
static void refuse_pose(const kiln_tree *tree, const kiln_pose *pose)
{
    kiln_hit hit, hit_before;
    kiln_pair pairs[4], pairs_before[4];
    size_t count = 4711;
    memset(&hit, 0xA5, sizeof hit);
    memset(pairs, 0xA5, sizeof pairs);
    memcpy(&hit_before, &hit, sizeof hit);
    memcpy(pairs_before, pairs, sizeof pairs);
    for (int i = 0; i < 3; i++) {
        const kiln_pose *a = i == 1 ? NULL : pose, *b = i == 0 ? NULL : pose;
        assert_int_equal(kiln_collide(tree, a, tree, b, NULL, &hit), KILN_ERROR_POSE);
        assert_int_equal(kiln_contacts(tree, a, tree, b, NULL, pairs, 4, &count), KILN_ERROR_POSE);
        assert_int_equal(kiln_contacts_each(tree, a, tree, b, NULL, no_pair, NULL, &count),
                         KILN_ERROR_POSE);
    }
    assert_memory_equal(&hit, &hit_before, sizeof hit);
    assert_memory_equal(pairs, pairs_before, sizeof pairs);
    assert_int_equal(count, 4711);
}

static void poses_that_are_none(void **state)
{
    (void)state;
    baked b = bake(mesh_box(0, 0, 0, 1, 1, 1), "obb", KILN_LAYOUT_RAW);
    kiln_file *file = open_with(&b, NULL);
    const kiln_tree *tree = kiln_file_tree(file, 0);
    const double scales[] = {0,        0x1p-31,   -0x1p-41, 0x1.8p+30, NAN,
                             INFINITY, -INFINITY, -1e200,   1e-200};
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        for (int k = 0; k < 3; k++) { /* one axis */
            kiln_pose pose = kiln_pose_identity();
            pose.rotation[4 * k] = scales[i];
            refuse_pose(tree, &pose);
        }
        kiln_pose pose = kiln_pose_identity();
        for (int k = 0; k < 9; k += 4) {
            pose.rotation[k] = scales[i];
        }
        refuse_pose(tree, &pose);
    }
    const double translations[] = {NAN, INFINITY, -INFINITY, 1.1e60, -1e308};
    for (size_t i = 0; i < 15; i++) {
        kiln_pose pose = kiln_pose_identity();
        pose.translation[i % 3] = translations[i / 3];
        refuse_pose(tree, &pose);
    }
    kiln_pose flat = kiln_pose_identity(), skewed = flat;
    memcpy(flat.rotation + 3, flat.rotation, 3 * sizeof flat.rotation[0]);
    refuse_pose(tree, &flat);
    skewed.rotation[0] = 0x1p+20; /* 2^41 times the least of the others */
    skewed.rotation[8] = 0x1p-21;
    refuse_pose(tree, &skewed);
    static const kiln_pose zero;
    refuse_pose(tree, &zero);
    kiln_close(file);
    let_go(&b);
}

static void poses_that_are_nearly_rotations(void **state)
{
    (void)state;
    bool found = true;
    kiln_pose pose = kiln_pose_identity();
    pose.translation[0] = 1.5;
    pose.rotation[0] = 1 + 4e-7;
    pose.rotation[3] = 5e-7;
    assert_int_equal(collide_cubes(&pose, &found), KILN_OK);
    assert_false(found);
    pose.translation[0] = 1.0; /* touching, as the affine map that it is */
    pose.rotation[3] = 0;
    assert_int_equal(collide_cubes(&pose, &found), KILN_OK);
    assert_true(found);
    pose.translation[0] = 1e60; /* as far as it goes */
    assert_int_equal(collide_cubes(&pose, &found), KILN_OK);
    assert_false(found);
}

/* -------------------------------------------------------------------------------- contacts -- */

typedef struct {
    kiln_pair pairs[32];
    size_t count, stop_after;
} collected;

static bool collect(void *user, kiln_pair pair)
{
    collected *c = user;
    assert_true(c->count < 32);
    c->pairs[c->count++] = pair;
    return c->count < c->stop_after;
}

/* A box of edge 2 with its upper face at z = 1, and a box of edge 1 half sunk into it there. */
static void contacts_with_short_buffers(void **state)
{
    (void)state;
    baked large = bake(mesh_box(-1, -1, -1, 1, 1, 1), "obb,aabb", KILN_LAYOUT_RAW);
    baked small =
        bake(mesh_box(-0.5f, -0.5f, -0.5f, 0.5f, 0.5f, 0.5f), "obb,aabb", KILN_LAYOUT_PACKED);
    kiln_file *file_a = open_with(&large, NULL), *file_b = open_with(&small, NULL);
    kiln_pose pose = kiln_pose_identity();
    pose.translation[2] = 1;
    for (uint32_t i = 0; i < 4; i++) {
        const kiln_tree *a = kiln_file_tree(file_a, i / 2), *b = kiln_file_tree(file_b, i % 2);
        kiln_pair all[20], some[6];
        size_t count = 0;
        assert_int_equal(kiln_contacts(a, NULL, b, &pose, NULL, NULL, 0, &count), KILN_OK);
        assert_int_equal(count, 12);
        assert_int_equal(kiln_contacts(a, NULL, b, &pose, NULL, all, 20, &count), KILN_OK);
        assert_int_equal(count, 12);
        for (size_t k = 1; k < count; k++) {
            assert_true(all[k - 1].a < all[k].a ||
                        (all[k - 1].a == all[k].a && all[k - 1].b < all[k].b));
        }
        memset(some, 0xA5, sizeof some);
        const kiln_pair untouched = some[5];
        assert_int_equal(kiln_contacts(a, NULL, b, &pose, NULL, some, 5, &count), KILN_OK);
        assert_int_equal(count, 12);
        assert_memory_equal(some, all, 5 * sizeof some[0]);
        assert_memory_equal(&some[5], &untouched, sizeof untouched);
        assert_int_equal(kiln_contacts(a, NULL, b, &pose, NULL, NULL, 5, &count),
                         KILN_ERROR_ARGUMENT);
        assert_int_equal(kiln_contacts(a, NULL, b, &pose, NULL, all, 5, NULL), KILN_ERROR_ARGUMENT);
    }
    kiln_close(file_a);
    kiln_close(file_b);
    let_go(&large);
    let_go(&small);
}

static void a_callback_may_stop(void **state)
{
    (void)state;
    baked b = bake(mesh_box(0, 0, 0, 1, 1, 1), "obb", KILN_LAYOUT_RAW);
    kiln_file *file = open_with(&b, NULL);
    const kiln_tree *tree = kiln_file_tree(file, 0);
    size_t all, count;
    assert_int_equal(kiln_contacts(tree, NULL, tree, NULL, NULL, NULL, 0, &all), KILN_OK);
    assert_true(all > 12);
    for (size_t stop_after = 1; stop_after < 12; stop_after++) {
        collected c = {.stop_after = stop_after};
        assert_int_equal(kiln_contacts_each(tree, NULL, tree, NULL, NULL, collect, &c, &count),
                         KILN_OK);
        assert_int_equal(count, stop_after);
        assert_int_equal(c.count, stop_after);
        assert_int_equal(kiln_contacts_each(tree, NULL, tree, NULL, NULL, no_pair, NULL, NULL),
                         KILN_OK);
    }
    assert_int_equal(kiln_contacts_each(tree, NULL, tree, NULL, NULL, NULL, NULL, &count),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_collide(tree, NULL, tree, NULL, NULL, NULL), KILN_ERROR_ARGUMENT);
    kiln_close(file);
    let_go(&b);
}

/* One tree given twice is two surfaces at one place: each triangle meets itself and others. */
static void one_tree_given_twice(void **state)
{
    (void)state;
    baked b = bake(mesh_torus(8, 6, 0), "obb,aabb", KILN_LAYOUT_RAW);
    kiln_file *one = open_with(&b, NULL), *two = open_with(&b, NULL);
    const size_t capacity = 96 * 96;
    kiln_pair *pairs = malloc(capacity * sizeof *pairs);
    assert_non_null(pairs);
    size_t first_count = 0;
    for (uint32_t i = 0; i < 4; i++) {
        const kiln_tree *a = kiln_file_tree(one, i % 2);
        const kiln_tree *other = kiln_file_tree(i < 2 ? one : two, i % 2);
        kiln_hit hit;
        size_t count;
        assert_int_equal(kiln_collide(a, NULL, other, NULL, NULL, &hit), KILN_OK);
        assert_true(hit.found);
        assert_int_equal(kiln_contacts(a, NULL, other, NULL, NULL, pairs, capacity, &count),
                         KILN_OK);
        uint32_t with_itself = 0;
        for (size_t k = 0; k < count; k++) {
            with_itself += pairs[k].a == pairs[k].b;
        }
        assert_int_equal(with_itself, 96);
        first_count = i == 0 ? count : first_count;
        assert_int_equal(count, first_count);
        kiln_pose away = kiln_pose_identity();
        away.translation[1] = 3;
        assert_int_equal(kiln_collide(a, NULL, other, &away, NULL, &hit), KILN_OK);
        assert_false(hit.found);
    }
    free(pairs);
    kiln_close(one);
    kiln_close(two);
    let_go(&b);
}

/* ----------------------------------------------------------------------------------- stack -- */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { STACK = 1 << 20, SANITIZED = 1 };
#else
enum { STACK = 1 << 16, SANITIZED = 0 };
#endif

typedef struct {
    const kiln_tree *a, *b;
    size_t pairs;
    bool found;
    kiln_status status;
} question;

static void *ask(void *context)
{
    question *q = context;
    kiln_hit hit;
    q->status = kiln_collide(q->a, NULL, q->b, NULL, NULL, &hit);
    q->found = hit.found;
    if (q->status == KILN_OK) {
        q->status = kiln_contacts(q->a, NULL, q->b, NULL, NULL, NULL, 0, &q->pairs);
    }
    if (q->status == KILN_OK) {
        kiln_nearest nearest;
        kiln_pose apart = kiln_pose_identity();
        apart.translation[0] = 9;
        q->status = kiln_distance(q->a, NULL, q->b, &apart, NULL, &nearest);
    }
    return NULL;
}

/* Works on a stack of `size` bytes that was filled with a pattern; the result is how far into it
 * was written. */
static size_t on_stack(void *(*work)(void *), void *context, size_t size)
{
    void *stack;
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(posix_memalign(&stack, 4096, size), 0);
    memset(stack, 0x5A, size);
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstack(&attributes, stack, size), 0);
    assert_int_equal(pthread_create(&thread, &attributes, work, context), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(pthread_attr_destroy(&attributes), 0);
    size_t untouched = 0;
    while (untouched < size && ((uint8_t *)stack)[untouched] == 0x5A) {
        untouched++;
    }
    free(stack);
    return size - untouched;
}

static size_t ask_on_stack(question *q, size_t size)
{
    const size_t used = on_stack(ask, q, size);
    assert_int_equal(q->status, KILN_OK);
    return used;
}

typedef struct {
    const uint8_t *bytes;
    size_t size;
    kiln_status status;
} packed_file;

static void *open_it(void *context)
{
    packed_file *of = context;
    kiln_file *file = NULL;
    of->status = kiln_open_memory(of->bytes, of->size, NULL, &file);
    kiln_close(file);
    return NULL;
}

/* What unpacks works on the stack, so that no allocator is asked from several threads. */
static void a_packed_file_on_little_stack(void **state)
{
    (void)state;
    uint64_t random = 2;
    mesh m = mesh_lattice(&random, 20000, 40);
    packed_file packed;
    kiln_bake_options baking = kiln_bake_options_default();
    uint8_t *bytes = quick_bake_with(&m, &baking, &packed.size);
    packed.bytes = bytes;
    const size_t used = on_stack(open_it, &packed, 16 * STACK);
    assert_int_equal(packed.status, KILN_OK);
    print_message("opening a packed file: %zu bytes of stack\n", used);
    assert_true(SANITIZED || used <= 224 * 1024);
    free(bytes);
    mesh_free(&m);
}

/* 1,000 triangles at one place: no split separates them. */
static void a_query_on_little_stack(void **state)
{
    (void)state;
    uint64_t random = 1;
    mesh m = mesh_lattice(&random, 1000, 1);
    for (uint32_t i = 1; i < m.triangle_count; i++) {
        memcpy(m.positions + 9 * (size_t)i, m.positions, 9 * sizeof(float));
    }
    baked b = bake(m, "obb,aabb", KILN_LAYOUT_PACKED);
    kiln_file *file = open_with(&b, NULL);
    for (uint32_t i = 0; i < 2; i++) {
        question q = {kiln_file_tree(file, i), kiln_file_tree(file, 0), 0, false, KILN_OK};
        const size_t used = ask_on_stack(&q, STACK);
        const uint32_t depths = kiln_tree_get_info(q.a).depth + kiln_tree_get_info(q.b).depth;
        assert_true(q.found);
        assert_int_equal(q.pairs, 1000 * 1000);
        assert_true(depths <= 40);
        print_message("depths add up to %u: %zu bytes of stack\n", depths, used);
        assert_true(SANITIZED || used <= 48 * 1024);
    }
    kiln_close(file);
    let_go(&b);
}

typedef struct {
    const kiln_tree *tree;
    kiln_interruptible *query;
    kiln_interruptible_answer answer;
    kiln_volume_contact contacts[4];
    kiln_status status;
} interruption;

static bool go_on(void *user, kiln_pair pair)
{
    (void)user;
    (void)pair;
    return true;
}

static void *interrupt(void *context)
{
    interruption *i = context;
    kiln_interruptible_options options = kiln_interruptible_options_default();
    size_t count;
    options.visit = go_on;
    i->status = kiln_interruptible_begin(i->query, i->tree, NULL, i->tree, NULL, &options);
    for (int run = 0; run < 2 && i->status == KILN_OK; run++) {
        i->status = kiln_interruptible_get_contacts(i->query, i->contacts, 4, &count);
        if (i->status == KILN_OK) {
            i->status =
                kiln_interruptible_run(i->query, run == 0 ? 3 : UINT32_MAX, UINT64_MAX, UINT64_MAX);
        }
    }
    return NULL;
}

/* The 12 triangles of a box below a chain of 64 nodes, each of one lane that holds the box. */
static uint8_t *chain_file(size_t *size)
{
    mesh m = mesh_box(0, 0, 0, 1, 1, 1);
    size_t good_size;
    void *good = quick_bake(&m, "aabb", 4, KILN_LAYOUT_RAW, &good_size);
    edit_file *file = edit_open(good, good_size);
    edit_section *section = edit_find(file, KILN_SECTION_NODES_AABB8);
    kiln_format_tree *tree = (kiln_format_tree *)(void *)edit_find(file, KILN_SECTION_TREES)->data;
    edit_resize(section, 0);
    edit_resize(section, KILN_TREE_DEPTH_MAX * sizeof(kiln_format_node_aabb8));
    tree->node_count = tree->depth = KILN_TREE_DEPTH_MAX;
    tree->leaf_max = 12;
    for (uint32_t i = 0; i < KILN_TREE_DEPTH_MAX; i++) {
        kiln_format_node_aabb8 *node = (kiln_format_node_aabb8 *)(void *)section->data + i;
        for (int k = 0; k < 3; k++) {
            node->head.org[k] = -1.5f;
            node->head.exp[k] = 127 - 6; /* 255 / 64 reaches beyond 1 */
            node->upper[k][0] = 255;
        }
        const bool last = i + 1 == KILN_TREE_DEPTH_MAX;
        node->head.inner = last ? 0 : 1;
        node->head.child = last ? 0 : i + 1;
        node->head.count[0] = last ? 12 : 0;
    }
    uint8_t *bytes = edit_seal(file, false, size);
    edit_free(file);
    free(good);
    mesh_free(&m);
    return bytes;
}

static void a_query_on_the_deepest_trees(void **state)
{
    (void)state;
    size_t size;
    uint8_t *bytes = chain_file(&size);
    kiln_file *file;
    assert_int_equal(kiln_open_memory(bytes, size, NULL, &file), KILN_OK);
    question q = {kiln_file_tree(file, 0), kiln_file_tree(file, 0), 0, false, KILN_OK};
    const size_t used = ask_on_stack(&q, 2 * STACK);
    assert_int_equal(kiln_tree_get_info(q.a).depth, 64);
    assert_true(q.found);
    print_message("depths add up to 128: %zu bytes of stack\n", used);
    assert_true(SANITIZED || used <= 96 * 1024);

    /* No level of the trees is on the stack of a query in memory of its own. */
    const size_t room = kiln_interruptible_size(q.a, q.b, 0);
    interruption i = {.tree = q.a};
    void *memory = malloc(room);
    assert_non_null(memory);
    assert_int_equal(kiln_interruptible_place(memory, room, &i.query), KILN_OK);
    const size_t interrupted = on_stack(interrupt, &i, STACK);
    assert_int_equal(i.status, KILN_OK);
    assert_int_equal(kiln_interruptible_get_answer(i.query, &i.answer), KILN_OK);
    assert_true(i.answer.complete && i.answer.found == q.pairs && i.answer.deepest == 128);
    print_message("interruptible: %zu bytes of stack\n", interrupted);
    assert_true(SANITIZED || interrupted <= 20 * 1024);
    free(memory);
    kiln_close(file);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_at_any_address),
        cmocka_unit_test(raw_files_are_used_in_place),
        cmocka_unit_test(trusted_files_answer_the_same),
        cmocka_unit_test(the_source_may_be_left_out),
        cmocka_unit_test(counts_may_be_left_out),
        cmocka_unit_test(only_trees_of_the_kinds_in_the_mask_are_loaded),
        cmocka_unit_test(no_memory_is_told_and_nothing_kept),
        cmocka_unit_test(a_limit_of_memory_is_kept),
        cmocka_unit_test(many_nodes_are_checked_in_one_pass),
        cmocka_unit_test(options_of_an_older_caller),
        cmocka_unit_test(options_that_are_none),
        cmocka_unit_test(facts_of_trees),
        cmocka_unit_test(facts_of_nothing),
        cmocka_unit_test(every_triangle_is_found_in_the_source),
        cmocka_unit_test(every_status_has_a_text),
        cmocka_unit_test(quaternions_of_any_length),
        cmocka_unit_test(quaternions_with_translations_that_are_none),
        cmocka_unit_test(poses_that_are_none),
        cmocka_unit_test(poses_that_are_nearly_rotations),
        cmocka_unit_test(contacts_with_short_buffers),
        cmocka_unit_test(a_callback_may_stop),
        cmocka_unit_test(one_tree_given_twice),
        cmocka_unit_test(a_packed_file_on_little_stack),
        cmocka_unit_test(a_query_on_little_stack),
        cmocka_unit_test(a_query_on_the_deepest_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
