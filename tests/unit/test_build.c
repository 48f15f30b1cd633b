/* The builder, held against a walker that knows only the file's node structures: every triangle
 * once, in slots that follow each other, nodes in the promised order, and every corner of every
 * triangle inside every box above it. */
#include "../../formats/node_kinds.h"
#include "../../tools/tree/build.h"
#include "../../tools/tree/builders.h"
#include "../../tools/tree/judge.h"
#include "../../tools/tree/cloud.h"
#include "../../tools/tree/split.h"
#include "../support/amount.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DEPTH_PROMISED_WIDE = 20, DEPTH_PROMISED_BINARY = 60 };

typedef struct {
    char name[32];
    float *positions; /* 9 a triangle: no corner is shared */
    uint32_t *indices;
    uint32_t count;
} mesh;

/* ---- meshes ---- */

static uint32_t random_state;

static float random_between(float low, float high)
{
    random_state = random_state * 1664525u + 1013904223u;
    return low + (high - low) * (float)(random_state >> 8) * 0x1p-24f;
}

static mesh new_mesh(const char *name, uint32_t count)
{
    mesh m = {.count = count};
    snprintf(m.name, sizeof m.name, "%s", name);
    m.positions = calloc((size_t)count * 9, sizeof *m.positions);
    m.indices = malloc((size_t)count * 3 * sizeof *m.indices);
    assert_non_null(m.positions);
    assert_non_null(m.indices);
    for (uint32_t i = 0; i < 3 * count; i++) {
        m.indices[i] = i;
    }
    random_state = 1;
    return m;
}

static void free_mesh(mesh *m)
{
    free(m->positions);
    free(m->indices);
}

static void set(mesh *m, uint32_t triangle, const float corners[9])
{
    memcpy(m->positions + 9 * (size_t)triangle, corners, 9 * sizeof(float));
}

static mesh one_triangle(void)
{
    mesh m = new_mesh("triangle", 1);
    set(&m, 0, (const float[9]){1, 2, 3, 4, 2, 3.5f, 1, 7, 2});
    return m;
}

static mesh point(void)
{
    mesh m = new_mesh("point", 1);
    set(&m, 0, (const float[9]){5, -3, 0.1f, 5, -3, 0.1f, 5, -3, 0.1f});
    return m;
}

static mesh point_at_zero(void)
{
    return new_mesh("point at zero", 3);
}

static mesh segments(void)
{
    mesh m = new_mesh("segments", 200);
    for (uint32_t i = 0; i < m.count; i++) {
        const float a = (float)i, b = (float)i + 1.5f;
        set(&m, i, (const float[9]){a, 2 * a, -a, b, 2 * b, -b, a, 2 * a, -a});
    }
    return m;
}

/* A tilted square of two triangles. */
static mesh planar(void)
{
    mesh m = new_mesh("planar", 2);
    set(&m, 0, (const float[9]){0, 0, 0, 1, 1, 0, 1, 1, 1});
    set(&m, 1, (const float[9]){0, 0, 0, 1, 1, 1, 0, 0, 1});
    return m;
}

static mesh copies(uint32_t count)
{
    mesh m = new_mesh("copies", count);
    for (uint32_t i = 0; i < count; i++) {
        set(&m, i, (const float[9]){0, 0, 0, 1, 0.25f, 0, 0, 1, 1});
    }
    return m;
}

/* Corners a, b and -(a + b), of coordinates whose sums are exact; boxes symmetric about 0 too for
 * half of them, so that the centres of boxes coincide in runs. */
static mesh same_centroid(uint32_t count)
{
    mesh m = new_mesh("same centroid", count);
    for (uint32_t i = 0; i < count; i++) {
        float c[9];
        for (unsigned k = 0; k < 3; k++) {
            c[k] = floorf(random_between(-1000, 1000)) / 64;
            c[3 + k] = (i & 1u) != 0 ? -c[k] : floorf(random_between(-1000, 1000)) / 64;
            c[6 + k] = -(c[k] + c[3 + k]);
        }
        set(&m, i, c);
    }
    return m;
}

static mesh ladder(void)
{
    mesh m = new_mesh("ladder", 400);
    for (uint32_t i = 0; i < m.count; i++) {
        const float s = ldexpf(1, (int)(i / 2) - 100) * ((i & 1u) != 0 ? 1.5f : 1.0f);
        set(&m, i, (const float[9]){s, 0, 0, 0, s, 0, 0, s / 2, s});
    }
    return m;
}

static mesh soup(uint32_t count)
{
    mesh m = new_mesh("soup", count);
    for (uint32_t i = 0; i < count; i++) {
        float c[9], middle[3];
        for (unsigned k = 0; k < 9; k++) {
            middle[k % 3] = k < 3 ? random_between(-50, 50) : middle[k % 3];
            c[k] = middle[k % 3] + random_between(-2, 2);
        }
        set(&m, i, c);
    }
    return m;
}

static void sphere_point(unsigned row, unsigned column, unsigned rows, unsigned columns, float *out)
{
    const double pi = 3.14159265358979323846;
    const double up = pi * row / rows, around = 2 * pi * (column % columns) / columns;
    out[0] = (float)(sin(up) * cos(around));
    out[1] = (float)(sin(up) * sin(around));
    out[2] = (float)cos(up);
}

static mesh sphere(unsigned rows)
{
    mesh m = new_mesh("sphere", 2 * rows * rows);
    for (unsigned i = 0; i < rows * rows; i++) {
        float *t = m.positions + 18 * (size_t)i;
        const unsigned r = i / rows, c = i % rows;
        sphere_point(r, c, rows, rows, t);
        sphere_point(r + 1, c, rows, rows, t + 3);
        sphere_point(r + 1, c + 1, rows, rows, t + 6);
        sphere_point(r, c, rows, rows, t + 9);
        sphere_point(r + 1, c + 1, rows, rows, t + 12);
        sphere_point(r, c + 1, rows, rows, t + 15);
    }
    return m;
}

static void torus_point(unsigned row, unsigned column, float out[3])
{
    const double u = 6.283185307179586 * row / 64, v = 6.283185307179586 * column / 32;
    out[0] = (float)(cos(u) * (1 + 0.35 * cos(v)));
    out[1] = (float)(sin(u) * (1 + 0.35 * cos(v)));
    out[2] = (float)(0.35 * sin(v));
}

static mesh torus(void)
{
    mesh m = new_mesh("torus", 64 * 32 * 2);
    for (unsigned i = 0; i < 64 * 32; i++) {
        float *t = m.positions + 18 * (size_t)i;
        const unsigned r = i / 32, c = i % 32;
        torus_point(r, c, t);
        torus_point(r + 1, c, t + 3);
        torus_point(r + 1, c + 1, t + 6);
        torus_point(r, c, t + 9);
        torus_point(r + 1, c + 1, t + 12);
        torus_point(r, c + 1, t + 15);
    }
    return m;
}

static mesh scaled_soup(const char *name, float scale)
{
    mesh m = soup(300);
    snprintf(m.name, sizeof m.name, "%s", name);
    for (uint32_t i = 0; i < 9 * m.count; i++) {
        m.positions[i] *= scale;
    }
    return m;
}

/* One huge face, and faces of 1/16 where floats step by 1/128. */
static mesh far_faces(void)
{
    mesh m = new_mesh("far", 500);
    set(&m, 0, (const float[9]){-127847, -127847, -127847, 77056, 77056, 77056, -127847, 77056, 0});
    for (uint32_t i = 1; i < m.count; i++) {
        float c[9];
        for (unsigned k = 0; k < 3; k++) {
            const float side = (i >> k & 1u) != 0 ? -127847.0f : 77056.0f;
            const float at = side + floorf(random_between(-100, 100)) / 16;
            c[k] = c[3 + k] = c[6 + k] = at;
            c[3 * k + k] += 1.0f / 16;
        }
        set(&m, i, c);
    }
    return m;
}

/* A square grid: many equal coordinates. */
static mesh flat_grid(uint32_t side)
{
    mesh m = new_mesh("flat grid", 2 * side * side);
    for (uint32_t i = 0; i < side * side; i++) {
        const float x = (float)(i % side), y = (float)(i / side);
        set(&m, 2 * i, (const float[9]){x, y, 7, x + 1, y, 7, x + 1, y + 1, 7});
        set(&m, 2 * i + 1, (const float[9]){x, y, 7, x + 1, y + 1, 7, x, y + 1, 7});
    }
    return m;
}

typedef mesh (*maker)(void);

static mesh copies_1000(void)
{
    return copies(1000);
}
static mesh centroid_1000(void)
{
    return same_centroid(1000);
}
static mesh soup_5000(void)
{
    return soup(5000);
}
static mesh tiny(void)
{
    return scaled_soup("tiny", 0x1p-136f);
}
static mesh small(void)
{
    return scaled_soup("small", 1e-20f);
}
static mesh huge(void)
{
    return scaled_soup("huge", 0x1p121f);
}

static mesh sphere_1800(void)
{
    return sphere(30);
}
static mesh grid_800(void)
{
    return flat_grid(20);
}
static mesh grid_3200(void)
{
    return flat_grid(40);
}

/* One of them, the soup, has more nodes than the first block holds: the rest are as small as shows
 * what they are, since every construction builds every kind of tree of each. */
static const maker makers[] = {one_triangle, point,         point_at_zero, segments,  planar,
                               copies_1000,  centroid_1000, ladder,        soup_5000, sphere_1800,
                               tiny,         small,         huge,          far_faces, grid_800};
enum { MAKERS = sizeof makers / sizeof makers[0] };

/* ---- the walker ---- */

typedef struct {
    double centre[3]; /* node space */
    kiln_lane_box box;
} bound;

typedef struct {
    const mesh *m;
    const kiln_build_kind *kind;
    const kiln_build_tree *tree;
    const uint32_t *names; /* NULL: names are 0 .. count - 1 */
    unsigned leaf;
    bound above[KILN_TREE_DEPTH_MAX];
    unsigned depth, deepest;
    uint32_t top, top_opened, next_node, next_slot;
    unsigned char *seen;
    uint32_t distinct; /* triangles that were seen */
} walk;

static const kiln_format_node8 *node_at(const walk *w, uint32_t index)
{
    assert_true(index < w->tree->node_count);
    return (const kiln_format_node8 *)((const char *)w->tree->nodes +
                                       (size_t)index * w->tree->node_size);
}

static bool inside(const bound *b, const double p[3])
{
    for (unsigned k = 0; k < 3; k++) {
        double dot = 0;
        for (unsigned j = 0; j < 3; j++) {
            dot += (double)b->box.axis[k][j] * (p[j] - b->centre[j]);
        }
        if (!(fabs(dot) <= (double)b->box.half[k])) {
            return false;
        }
    }
    return true;
}

static void check_corner(const walk *w, const float corner[3])
{
    double p[3];
    for (unsigned k = 0; k < 3; k++) {
        p[k] = ((double)corner[k] - w->tree->origin[k]) * ldexp(1, -w->tree->scale_exponent);
        assert_true(fabs(p[k]) <= 1);
        assert_true(corner[k] >= w->tree->bounds_lower[k]);
        assert_true(corner[k] <= w->tree->bounds_upper[k]);
    }
    for (unsigned i = 0; i < w->depth; i++) {
        if (!inside(&w->above[i], p)) {
            fail_msg("%s %s leaf %u: outside box %u of %u", w->m->name, w->kind->name, w->leaf, i,
                     w->depth);
        }
    }
}

static bool is_octree(const kiln_build_kind *kind)
{
    return kiln_node_kind_find(kind->format_bv)->shared;
}

static void check_leaf(walk *w, uint32_t slot, unsigned count)
{
    assert_int_equal(slot, w->next_slot);
    assert_in_range(count, 1, w->leaf);
    for (unsigned i = 0; i < count; i++) {
        const uint32_t triangle = w->tree->order[slot + i];
        assert_true(triangle < w->m->count);
        assert_true(w->seen[triangle] == 0 || is_octree(w->kind));
        w->distinct += w->seen[triangle] == 0;
        w->seen[triangle] = 1;
        /* Of an octree a leaf bounds but a part: test_octree.c. */
        for (unsigned corner = 0; corner < 3 && !is_octree(w->kind); corner++) {
            check_corner(w, w->m->positions + 3 * (size_t)w->m->indices[3 * triangle + corner]);
        }
    }
    w->next_slot += count;
}

static bool is_binary(const kiln_build_kind *kind)
{
    return kind->lanes == 2;
}

static void decode_lane(const kiln_build_kind *kind, const void *node, unsigned lane,
                        kiln_lane_box *box)
{
    kiln_node_kind_find(kind->format_bv)->decode_lane(node, lane, box);
}

static void decode(const walk *w, const kiln_format_node8 *node, unsigned lane, bound *b)
{
    decode_lane(w->kind, node, lane, &b->box);
    for (unsigned k = 0; k < 3; k++) {
        b->centre[k] = (double)node->org[k] + (double)b->box.centre[k];
        assert_true(isfinite(b->box.half[k]));
        assert_true(b->box.half[k] >= 0);
        assert_true(fabs(b->centre[k]) <= 8);
        assert_true(b->box.half[k] <= 8);
    }
}

static void check_empty_binary(const walk *w, const kiln_format_node8 *node, unsigned lane)
{
    kiln_lane_box box;
    assert_true(lane > 0);
    if (lane > 1) {
        return; /* the node has no room for it */
    }
    decode_lane(w->kind, node, lane, &box);
    for (unsigned k = 0; k < 3; k++) {
        assert_true(box.centre[k] == 0 && box.half[k] == 0);
        for (unsigned j = 0; j < 3 && w->kind->format_bv == KILN_FORMAT_BV_OBB2; j++) {
            assert_true(box.axis[k][j] == 0);
        }
    }
}

/* Bytes of lane data are zero. */
static void check_empty(const walk *w, const kiln_format_node8 *node, unsigned lane)
{
    if (is_binary(w->kind)) {
        check_empty_binary(w, node, lane);
        return;
    }
    for (unsigned k = 0; k < 3; k++) {
        if (w->kind->format_bv == KILN_FORMAT_BV_OBB8) {
            const kiln_format_node_obb8 *n = (const kiln_format_node_obb8 *)node;
            assert_true(n->rotation[k][lane] == 0 && n->centre[k][lane] == 0);
            assert_int_equal(n->half[k][lane], 0);
        } else if (w->kind->format_bv == KILN_FORMAT_BV_SPHERE) {
            const kiln_format_node_sphere *n = (const kiln_format_node_sphere *)node;
            assert_true(n->centre[k][lane] == 0 && kiln_sphere_radius(n, lane) == 0);
        } else {
            const kiln_format_node_aabb8 *n = (const kiln_format_node_aabb8 *)node;
            assert_true(n->lower[k][lane] == 0 && n->upper[k][lane] == 0);
        }
    }
}

/* Numbers are given breadth-first while there is room in the first block of nodes, then
 * depth-first. */
static void check_children(walk *w, const kiln_format_node8 *node, uint32_t index)
{
    const uint32_t children = kiln_popcount8(node->inner);
    assert_true(node->child > index);
    if (index < w->top_opened) {
        assert_true(node->child + children <= w->top);
    } else {
        assert_int_equal(node->child, w->next_node);
        w->next_node += children;
    }
}

/* How many nodes the top opens, in order, and has. */
static void measure_top(walk *w)
{
    const uint32_t room = 131072u / (uint32_t)w->tree->node_size;
    w->top = 1;
    for (w->top_opened = 0; w->top_opened < w->top; w->top_opened++) {
        const kiln_format_node8 *node = node_at(w, w->top_opened);
        const uint32_t children = kiln_popcount8(node->inner);
        if (w->top + children > room) {
            break;
        }
        if (children > 0) {
            assert_int_equal(node->child, w->top);
        }
        w->top += children;
    }
    w->next_node = w->top;
}

static void walk_node(walk *w, uint32_t index)
{
    const kiln_format_node8 *node = node_at(w, index);
    assert_true(w->depth < (is_binary(w->kind) ? DEPTH_PROMISED_BINARY : DEPTH_PROMISED_WIDE));
    w->deepest = w->depth + 1 > w->deepest ? w->depth + 1 : w->deepest;
    assert_int_equal(node->tri, w->next_slot);
    if (node->inner != 0) {
        check_children(w, node, index);
    } else {
        assert_int_equal(node->child, 0);
    }
    for (unsigned k = 0; k < 3; k++) {
        assert_in_range(node->exp[k], 1, 254);
        assert_true(isfinite(node->org[k]));
    }
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(node->flags[i], 0);
    }
    const unsigned used = kiln_node8_used(node);
    assert_true(used != 0);
    assert_true(!is_binary(w->kind) || used == 3 || (used == 1 && w->tree->node_count == 1));
    for (unsigned lane = 0; lane < 8; lane++) {
        const unsigned count = kiln_node8_count(node, lane);
        if ((used >> lane & 1u) == 0) {
            check_empty(w, node, lane);
            continue;
        }
        decode(w, node, lane, &w->above[w->depth++]);
        if (count != 0) {
            assert_int_equal(node->inner >> lane & 1u, 0);
            check_leaf(w, kiln_node8_slot(node, lane), count);
        }
        w->depth--;
    }
    for (unsigned lane = 0; lane < 8; lane++) {
        if ((node->inner >> lane & 1u) != 0) {
            decode(w, node, lane, &w->above[w->depth++]);
            walk_node(w, kiln_node8_child(node, lane));
            w->depth--;
        }
    }
}

static void check_tree(const mesh *m, const kiln_build_kind *kind, unsigned leaf,
                       uint32_t triangles, const kiln_build_tree *tree)
{
    walk w = {.m = m, .kind = kind, .tree = tree, .leaf = leaf, .next_node = 1};
    w.seen = calloc(m->count, 1);
    assert_non_null(w.seen);
    assert_int_equal(tree->node_size, kind->node_size);
    assert_true(tree->scale_exponent >= -400 && tree->scale_exponent <= 200);
    measure_top(&w);
    walk_node(&w, 0);
    assert_int_equal(w.distinct, triangles);
    assert_int_equal(w.next_slot, tree->slot_count);
    assert_true(tree->slot_count == triangles || is_octree(kind));
    assert_int_equal(w.next_node, tree->node_count);
    assert_int_equal(w.deepest, tree->depth);
    assert_true(isfinite(tree->sah_cost));
    assert_true(tree->sah_cost > 0);
    free(w.seen);
}

static kiln_quality quality = KILN_QUALITY_DEFAULT; /* of what options_of returns */

static kiln_bake_options options_of(unsigned leaf, int threads, const char *builder)
{
    kiln_bake_options options = {.struct_size = sizeof options, .builder = builder};
    options.leaf = (int)leaf;
    options.threads = threads;
    options.quality = quality;
    return options;
}

static kiln_build_tree build_with(const mesh *m, const kiln_build_kind *kind,
                                  const kiln_bake_options *options)
{
    const kiln_build_input input = {m->positions, m->indices, NULL, m->count};
    kiln_build_tree tree;
    assert_int_equal(kiln_build(kind, &input, options, &tree), KILN_BAKE_OK);
    return tree;
}

static kiln_build_tree build(const mesh *m, const kiln_build_kind *kind, unsigned leaf)
{
    const kiln_bake_options options = options_of(leaf, 2, "sah");
    return build_with(m, kind, &options);
}

static void assert_same(const kiln_build_tree *a, const kiln_build_tree *b, uint32_t count)
{
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->depth, b->depth);
    assert_int_equal(a->scale_exponent, b->scale_exponent);
    assert_memory_equal(a->origin, b->origin, sizeof a->origin);
    assert_memory_equal(a->bounds_lower, b->bounds_lower, sizeof a->bounds_lower);
    assert_memory_equal(a->bounds_upper, b->bounds_upper, sizeof a->bounds_upper);
    assert_memory_equal(a->nodes, b->nodes, (size_t)a->node_count * a->node_size);
    assert_memory_equal(a->order, b->order, count * sizeof *a->order);
    assert_memory_equal(&a->sah_cost, &b->sah_cost, sizeof a->sah_cost);
}

static int set_best(void **state)
{
    (void)state;
    quality = KILN_QUALITY_BEST;
    return 0;
}

static int set_fast(void **state)
{
    (void)state;
    quality = KILN_QUALITY_FAST;
    return 0;
}

static int set_default(void **state)
{
    (void)state;
    quality = KILN_QUALITY_DEFAULT;
    return 0;
}

/* ---- tests ---- */

/* A short run, as under sanitizers, where building takes ten times as long, takes one of two sizes
 * of leaves in turn. */
static void every_mesh_is_contained(void **state)
{
    (void)state;
    static const unsigned leaves[] = {1, 15, 4, 8};
    const unsigned leaf_count = is_shortened() ? 2 : 4;
    for (unsigned i = 0; i < MAKERS; i++) {
        mesh m = makers[i]();
        for (size_t kind = 0; kind < kiln_build_kind_count; kind++) {
            for (unsigned l = 0; l < leaf_count; l++) {
                if (is_shortened() && (i + kind + l) % 2 != 0) {
                    continue;
                }
                kiln_build_tree tree = build(&m, &kiln_build_kinds[kind], leaves[l]);
                check_tree(&m, &kiln_build_kinds[kind], leaves[l], m.count, &tree);
                kiln_build_tree_free(&tree);
            }
        }
        free_mesh(&m);
    }
}

/* Judging many trees takes its time: of kinds that best trees differ in, what is neither too
 * small to be judged nor large. */
static void best_boxes_contain(void **state)
{
    (void)state;
    static const maker some[] = {copies_1000, ladder, torus, grid_3200};
    static const char *const kinds[] = {"obb", "obb2"};
    for (unsigned i = 0; i < 2 * sizeof some / sizeof some[0]; i++) {
        mesh m = some[i / 2]();
        const kiln_build_kind *kind = kiln_build_kind_find(kinds[i % 2]);
        kiln_build_tree tree = build(&m, kind, 4);
        check_tree(&m, kind, 4, m.count, &tree);
        kiln_build_tree_free(&tree);
        free_mesh(&m);
    }
}

static void fast_boxes_contain(void **state)
{
    (void)state;
    static const char *const kinds[] = {"obb", "obb2"};
    for (unsigned i = 0; i < 2 * MAKERS; i++) {
        mesh m = makers[i / 2]();
        const kiln_build_kind *kind = kiln_build_kind_find(kinds[i % 2]);
        kiln_build_tree tree = build(&m, kind, 4);
        check_tree(&m, kind, 4, m.count, &tree);
        kiln_build_tree_free(&tree);
        free_mesh(&m);
    }
}

/* Each kind of tree by each construction, of every mesh. Leaf sizes take turns, so that each meets
 * each construction of each mesh, each kind of each mesh, and each kind of each construction: where
 * a tree is cut depends hardly on its kind, and how boxes are encoded not on who cut it. A short
 * run takes some. The fits of boxes are those of --quality fast: the search is the same for all
 * builders. */
static void every_builder_contains(void **state)
{
    (void)state;
    static const unsigned leaves[] = {4, 1, 15};
    for (unsigned i = 0; i < MAKERS * kiln_builder_count; i++) {
        mesh m = makers[i % MAKERS]();
        const char *name = kiln_builders[i / MAKERS].name;
        for (size_t j = 0; j < kiln_build_kind_count; j++) {
            const kiln_build_kind *kind = &kiln_build_kinds[j];
            const unsigned turn = (unsigned)(i % MAKERS + i / MAKERS + j);
            const unsigned leaf = is_shortened() ? 4 : leaves[turn % 3];
            if (is_shortened() && (i + j) % 3 != 0) {
                continue;
            }
            const kiln_bake_options options = options_of(leaf, 2, name);
            kiln_build_tree tree = build_with(&m, kind, &options);
            check_tree(&m, kind, leaf, m.count, &tree);
            kiln_build_tree_free(&tree);
        }
        free_mesh(&m);
    }
}

/* Each fit of boxes, to triangles and to children, where boxes are oriented. */
static void every_fit_contains(void **state)
{
    (void)state;
    static const char *const kinds[] = {"obb", "obb2"};
    for (unsigned i = 0; i < MAKERS; i++) {
        mesh m = makers[i]();
        for (unsigned j = 0; j < 2 * 2 * (KILN_BOX_FIT_VOLUME + 1); j++) {
            const kiln_build_kind *kind = kiln_build_kind_find(kinds[j % 2]);
            kiln_bake_options options = options_of(4, 2, "sah");
            if (is_shortened() && (i + j) % 5 != 0) {
                continue;
            }
            options.fit_to = (kiln_fit_to)(j / 2 % 2);
            options.box_fit = (kiln_box_fit)(j / 4);
            kiln_build_tree tree = build_with(&m, kind, &options);
            check_tree(&m, kind, 4, m.count, &tree);
            kiln_build_tree_free(&tree);
        }
        free_mesh(&m);
    }
}

/* The bounds of two boxes along the axes are those of what is in them. */
static void children_make_the_same_boxes_along_axes(void **state)
{
    (void)state;
    static const char *const kinds[] = {"aabb", "aabb2", "dop14"};
    mesh m = soup(3000);
    for (unsigned k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        kiln_bake_options options = options_of(4, 2, "sah");
        kiln_build_tree one = build_with(&m, kiln_build_kind_find(kinds[k]), &options);
        options.fit_to = KILN_FIT_TO_CHILDREN;
        options.box_fit = KILN_BOX_FIT_VOLUME;
        kiln_build_tree other = build_with(&m, kiln_build_kind_find(kinds[k]), &options);
        assert_same(&one, &other, m.count);
        kiln_build_tree_free(&one);
        kiln_build_tree_free(&other);
    }
    free_mesh(&m);
}

static void threads_do_not_show_in_any_fit(void **state)
{
    (void)state;
    mesh m = soup(9000);
    const kiln_build_kind *kind = kiln_build_kind_find("obb");
    for (unsigned j = 1; j < 2 * (KILN_BOX_FIT_VOLUME + 1); j++) {
        kiln_bake_options options = options_of(4, 1, "sah");
        options.fit_to = (kiln_fit_to)(j % 2);
        options.box_fit = (kiln_box_fit)(j / 2);
        if (is_shortened() && j % 3 != 0) {
            continue;
        }
        kiln_build_tree one = build_with(&m, kind, &options);
        options.threads = 3;
        kiln_build_tree more = build_with(&m, kind, &options);
        assert_same(&one, &more, m.count);
        kiln_build_tree_free(&more);
        kiln_build_tree_free(&one);
    }
    free_mesh(&m);
}

/* Triangles in each other, whose sizes double, and far more of them than a path may have nodes. */
static mesh nested(void)
{
    mesh m = new_mesh("chain", 1400);
    for (uint32_t i = 0; i < m.count; i++) {
        const float s = ldexpf(1, (int)(i / 6) - 120) * (1 + (float)(i % 6) / 6);
        set(&m, i, (const float[9]){-s, -s, -s, s, s, -s, s, -s, s});
    }
    return m;
}

/* What constructions make of them is a chain, which the bound of depth cuts short. */
static void chains_stay_within_the_bound(void **state)
{
    (void)state;
    mesh m = nested();
    for (size_t b = 0; b < kiln_builder_count * kiln_build_kind_count; b++) {
        const kiln_build_kind *kind = &kiln_build_kinds[b % kiln_build_kind_count];
        const kiln_bake_options options =
            options_of(1, 2, kiln_builders[b / kiln_build_kind_count].name);
        kiln_build_tree tree = build_with(&m, kind, &options);
        check_tree(&m, kind, 1, m.count, &tree);
        kiln_build_tree_free(&tree);
    }
    free_mesh(&m);
}

/* Whoever chooses the balls, they hold their triangles, on every mesh: closed, open, flat, without
 * area, of equal triangles, of boxes in each other. Threads do not show. */
static void every_choice_of_spheres_contains(void **state)
{
    (void)state;
    const kiln_build_kind *kind = kiln_build_kind_find("sphere");
    for (unsigned i = 0; i < MAKERS + 1; i++) {
        mesh m = i < MAKERS ? makers[i]() : nested();
        for (unsigned by = KILN_SPHERES_COVER; by <= KILN_SPHERES_MEDIAL; by++) {
            const unsigned leaf = i % 3 == 0 ? 1 : 4;
            kiln_bake_options options = options_of(leaf, 1, "sah");
            if (is_shortened() && (i + by) % 3 != 0) {
                continue;
            }
            options.spheres = (kiln_spheres_by)by;
            kiln_build_tree tree = build_with(&m, kind, &options);
            check_tree(&m, kind, leaf, m.count, &tree);
            if (i % 2 == 0) {
                options.threads = 3;
                kiln_build_tree more = build_with(&m, kind, &options);
                assert_same(&tree, &more, m.count);
                kiln_build_tree_free(&more);
            }
            kiln_build_tree_free(&tree);
        }
        free_mesh(&m);
    }
}

/* Of many triangles, several threads, and what has tempted others to depend on them. */
static void threads_do_not_show_in_any_builder(void **state)
{
    (void)state;
    const uint32_t some = is_shortened() ? 3000 : 9000;
    mesh meshes[] = {soup(3 * some), same_centroid(some), copies(some), torus()};
    const kiln_build_kind *kind = kiln_build_kind_find("aabb");
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; i++) {
        for (size_t b = 0; b < kiln_builder_count; b++) {
            kiln_bake_options options = options_of(4, 1, kiln_builders[b].name);
            kiln_build_tree one = build_with(&meshes[i], kind, &options);
            for (options.threads = is_shortened() ? 5 : 2; options.threads < 6;
                 options.threads += 3) {
                kiln_build_tree more = build_with(&meshes[i], kind, &options);
                assert_same(&one, &more, meshes[i].count);
                kiln_build_tree_free(&more);
            }
            kiln_build_tree_free(&one);
        }
        free_mesh(&meshes[i]);
    }
}

/* What equal triangles tempt constructions to: a chain, one pair a round, or searches through all
 * there is. Work is counted by what comes of it: a tree as flat as the median's. */
static void copies_make_balanced_trees(void **state)
{
    (void)state;
    mesh m = copies(4096);
    const kiln_build_kind *kind = kiln_build_kind_find("aabb2");
    for (size_t b = 0; b < kiln_builder_count; b++) {
        const kiln_bake_options options = options_of(1, 2, kiln_builders[b].name);
        kiln_build_tree tree = build_with(&m, kind, &options);
        assert_in_range(tree.depth, 12, 14);
        kiln_build_tree_free(&tree);
    }
    free_mesh(&m);
}

static void threads_do_not_show(void **state)
{
    (void)state;
    static const int threads[] = {3, 0, 2, 8};
    const unsigned thread_counts = is_shortened() ? 1 : 4;
    const uint32_t some = is_shortened() ? 2500 : 6000;
    mesh meshes[] = {soup(some), torus(), copies(some), same_centroid(some), flat_grid(40)};
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; i++) {
        for (size_t kind = 0; kind < kiln_build_kind_count; kind++) {
            kiln_bake_options options = options_of(4, 1, "sah");
            kiln_build_tree one = build_with(&meshes[i], &kiln_build_kinds[kind], &options);
            for (unsigned t = 0; t < thread_counts; t++) {
                options.threads = threads[t];
                kiln_build_tree more = build_with(&meshes[i], &kiln_build_kinds[kind], &options);
                assert_same(&one, &more, meshes[i].count);
                kiln_build_tree_free(&more);
            }
            kiln_build_tree_free(&one);
        }
        free_mesh(&meshes[i]);
    }
}

static void threads_do_not_show_in_the_best(void **state)
{
    (void)state;
    mesh meshes[] = {torus(), flat_grid(40)};
    const kiln_build_kind *kind = kiln_build_kind_find("obb");
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; i++) {
        if (is_shortened() && i > 0) {
            free_mesh(&meshes[i]);
            continue;
        }
        kiln_bake_options options = options_of(4, 1, "sah");
        kiln_build_tree one = build_with(&meshes[i], kind, &options);
        options.threads = 3;
        kiln_build_tree more = build_with(&meshes[i], kind, &options);
        assert_same(&one, &more, meshes[i].count);
        kiln_build_tree_free(&more);
        kiln_build_tree_free(&one);
        free_mesh(&meshes[i]);
    }
}

/* Large enough that all threads together make the first cuts. */
static void threads_do_not_show_in_first_cuts(void **state)
{
    (void)state;
    mesh meshes[] = {soup(100000), same_centroid(70000)};
    const kiln_build_kind *kind = kiln_build_kind_find("aabb2");
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; i++) {
        kiln_bake_options options = options_of(4, 1, "sah");
        kiln_build_tree one = build_with(&meshes[i], kind, &options);
        for (options.threads = is_shortened() ? 5 : 2; options.threads <= 5; options.threads += 3) {
            kiln_build_tree more = build_with(&meshes[i], kind, &options);
            assert_same(&one, &more, meshes[i].count);
            kiln_build_tree_free(&more);
        }
        kiln_build_tree_free(&one);
        free_mesh(&meshes[i]);
    }
}

/* Records of a mesh. */
static kiln_record *records_of(const mesh *m)
{
    kiln_record *records = malloc(m->count * sizeof *records);
    assert_non_null(records);
    for (uint32_t t = 0; t < m->count; t++) {
        records[t].triangle = t;
        for (unsigned i = 0; i < 3; i++) {
            const uint32_t vertex = m->indices[3 * (size_t)t + i];
            memcpy(records[t].corner[i], m->positions + 3 * (size_t)vertex, 3 * sizeof(float));
        }
    }
    return records;
}

/* The order within each side too, whatever the number of records and of threads. */
static void wide_cut_is_the_plain_one(void **state)
{
    (void)state;
    static const uint32_t counts[] = {2, 3, 100, 8191, 8192, 8193, 16385, 100000};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        mesh m = soup(counts[i]);
        uint32_t *marks = malloc(m.count * sizeof *marks);
        kiln_record *plain = records_of(&m);
        assert_non_null(marks);
        const uint32_t left = kiln_split_sah(plain, marks, m.count, 1);
        for (unsigned threads = 1; threads <= 4; threads++) {
            const kiln_watch watch = {threads, NULL, NULL, "test", 0, 0};
            kiln_record *wide = records_of(&m);
            assert_int_equal(kiln_split_sah_wide(wide, marks, m.count, 1, &watch), left);
            assert_memory_equal(plain, wide, m.count * sizeof *wide);
            free(wide);
        }
        free(plain);
        free(marks);
        free_mesh(&m);
    }
}

/* Bit for bit, where products are -0 and 0 too. */
static void wider_instructions_do_not_show(void **state)
{
    (void)state;
    kiln_points points;
    srand(1);
    for (unsigned turn = 0; turn < 2000; turn++) {
        float axis[3][3];
        points.count = KILN_POINTS_STRIDE * (1 + turn % (KILN_POINTS_MAX / KILN_POINTS_STRIDE));
        for (unsigned k = 0; k < 3; k++) {
            for (unsigned j = 0; j < 3; j++) {
                axis[k][j] =
                    turn % 3 == 0 ? (float)(rand() % 3 - 1) : (float)(rand() % 2001 - 1000);
            }
            for (unsigned i = 0; i < points.count; i++) {
                points.at[k][i] =
                    turn % 2 == 0 ? rand() % 3 - 1 : (rand() - RAND_MAX / 2) * 0x1p-20;
                points.at[k][i] = turn % 5 == 0 ? -0.0 * points.at[k][i] : points.at[k][i];
            }
        }
        kiln_extents plain, wide;
        kiln_points_extents_plain(&points, axis, &plain);
        kiln_points_extents(&points, axis, &wide);
        assert_memory_equal(&plain, &wide, sizeof plain);
    }
}

/* Copies are halved, so their depth is near that of a full tree: 8^5 > 100000 / 4. Nested
 * triangles are peeled off one another, which takes more. */
static void hopeless_meshes_stay_shallow(void **state)
{
    (void)state;
    const uint32_t full = quality == KILN_QUALITY_BEST ? 3000 : 12000;
    const uint32_t count = is_shortened() ? full / 6 : full;
    mesh meshes[] = {copies(count), same_centroid(count)};
    for (unsigned i = 0; i < 2; i++) {
        for (size_t kind = 0; kind < kiln_build_kind_count; kind++) {
            const unsigned levels = is_binary(&kiln_build_kinds[kind]) ? 3 : 1;
            kiln_build_tree tree = build(&meshes[i], &kiln_build_kinds[kind], 4);
            check_tree(&meshes[i], &kiln_build_kinds[kind], 4, meshes[i].count, &tree);
            assert_true(tree.depth <= levels * (i == 0 ? 8 : 16));
            kiln_build_tree_free(&tree);
        }
        free_mesh(&meshes[i]);
    }
}

static void nodes_are_full(void **state)
{
    (void)state;
    mesh meshes[] = {soup(5000), sphere(60), flat_grid(40)};
    for (unsigned i = 0; i < 3; i++) {
        for (size_t kind = 0; kind < kiln_build_kind_count; kind++) {
            kiln_build_tree tree = build(&meshes[i], &kiln_build_kinds[kind], 4);
            /* Cells cannot be chosen so that leaves are full, as cuts of a list can. */
            const double most = is_binary(&kiln_build_kinds[kind])   ? 0.45
                                : is_octree(&kiln_build_kinds[kind]) ? 0.12
                                                                     : 0.075;
            assert_true(tree.node_count < most * tree.slot_count);
            kiln_build_tree_free(&tree);
        }
        free_mesh(&meshes[i]);
    }
}

static void decode_obb8(const kiln_format_node8 *node, unsigned lane, kiln_lane_box *box)
{
    kiln_obb8_decode_lane((const kiln_format_node_obb8 *)node, lane, box);
}

/* The torus is one of the meshes where oriented cuts gain most. */
static void best_opens_less(void **state)
{
    (void)state;
    const kiln_build_kind *kind = kiln_build_kind_find("obb");
    const kiln_watch watch = {.threads = 2};
    static kiln_judge_pose poses[KILN_JUDGE_POSES];
    kiln_judgement judged[2];
    bool hopeless;
    mesh m = torus();
    const kiln_build_input input = {m.positions, m.indices, NULL, m.count};
    for (unsigned i = 0; i < 2; i++) {
        kiln_bake_options options = options_of(4, 2, "sah");
        options.quality = i == 0 ? KILN_QUALITY_DEFAULT : KILN_QUALITY_BEST;
        kiln_build_tree tree = build_with(&m, kind, &options);
        if (i == 0) {
            assert_true(kiln_judge_choose(decode_obb8, &input, &tree, &watch, poses, &hopeless));
            assert_false(hopeless);
        }
        assert_true(kiln_judge(decode_obb8, &input, &tree, &watch, poses, &judged[i]));
        kiln_build_tree_free(&tree);
    }
    double before = 0, after = 0;
    for (unsigned c = 0; c < KILN_JUDGE_CLASSES; c++) {
        assert_true(judged[0].opened[c] > 0);
        assert_true(judged[1].opened[c] <= judged[0].opened[c]);
        before += judged[0].opened[c];
        after += judged[1].opened[c];
    }
    assert_true(after < 0.97 * before);
    free_mesh(&m);
}

static void parts_of_an_input_keep_their_names(void **state)
{
    (void)state;
    mesh m = soup(600);
    uint32_t names[200];
    for (uint32_t i = 0; i < 200; i++) {
        names[i] = 599 - 2 * i;
    }
    const kiln_build_input input = {m.positions, m.indices, names, 200};
    const kiln_bake_options options = options_of(4, 2, "sah");
    for (size_t kind = 0; kind < kiln_build_kind_count; kind++) {
        kiln_build_tree tree;
        assert_int_equal(kiln_build(&kiln_build_kinds[kind], &input, &options, &tree),
                         KILN_BAKE_OK);
        check_tree(&m, &kiln_build_kinds[kind], 4, 200, &tree);
        for (uint32_t i = 0; i < 200; i++) {
            assert_int_equal(tree.order[i] % 2, 1);
        }
        kiln_build_tree_free(&tree);
    }
    free_mesh(&m);
}

/* The square has sides 1 and sqrt(2). */
static void planar_mesh_gets_a_flat_box(void **state)
{
    (void)state;
    mesh m = planar();
    kiln_build_tree tree = build(&m, kiln_build_kind_find("obb"), 4);
    kiln_lane_box box;
    kiln_obb8_decode_lane(tree.nodes, 0, &box);
    float *h = box.half;
    const float scale = ldexpf(1, tree.scale_exponent);
    const float least = fminf(h[0], fminf(h[1], h[2])) * scale;
    const float most = fmaxf(h[0], fmaxf(h[1], h[2])) * scale;
    const float middle = (h[0] + h[1] + h[2]) * scale - least - most;
    assert_true(least <= 1e-6f);
    assert_true(middle <= 0.5f * 1.01f);
    assert_true(most <= 0.70711f * 1.01f);
    kiln_build_tree_free(&tree);
    free_mesh(&m);
}

static void flat_along_an_axis_is_exactly_flat(void **state)
{
    (void)state;
    mesh m = flat_grid(40);
    for (size_t kind = 0; kind < kiln_build_kind_count; kind++) {
        kiln_build_tree tree = build(&m, &kiln_build_kinds[kind], 4);
        walk w = {.m = &m, .kind = &kiln_build_kinds[kind], .tree = &tree};
        bound b;
        decode(&w, node_at(&w, 0), 0, &b);
        /* A ball is as high as it is wide; its centre is in the plane. */
        const bool is_ball = kiln_build_kinds[kind].format_bv == KILN_FORMAT_BV_SPHERE;
        assert_true(b.box.half[2] == (is_ball ? b.box.half[0] : 0));
        kiln_build_tree_free(&tree);
    }
    free_mesh(&m);
}

/* A needle along x: no turn about it may be taken for a gain. */
static void needle_is_exactly_thin(void **state)
{
    (void)state;
    mesh m = new_mesh("needle", 1);
    set(&m, 0, (const float[9]){0, 0, 0, 1, 0, 0, 2, 0, 0});
    kiln_build_tree tree = build(&m, kiln_build_kind_find("obb"), 4);
    kiln_lane_box box;
    kiln_obb8_decode_lane(tree.nodes, 0, &box);
    assert_true(box.half[0] == 1 && box.half[1] == 0 && box.half[2] == 0);
    kiln_build_tree_free(&tree);
    free_mesh(&m);
}

/* The tilted square again. */
static void floats_are_tighter_than_bytes(void **state)
{
    (void)state;
    mesh m = planar();
    kiln_build_tree tree = build(&m, kiln_build_kind_find("obb2"), 4);
    kiln_lane_box box;
    kiln_obb2_decode_lane(tree.nodes, 0, &box);
    const float scale = ldexpf(1, tree.scale_exponent);
    const float least = fminf(box.half[0], fminf(box.half[1], box.half[2])) * scale;
    assert_true(least <= 1e-6f);
    kiln_build_tree_free(&tree);
    free_mesh(&m);
}

/* On a curved surface oriented boxes save a good part of the tests. */
static void oriented_boxes_are_tighter(void **state)
{
    (void)state;
    mesh m = sphere(60);
    kiln_build_tree obb = build(&m, kiln_build_kind_find("obb"), 4);
    kiln_build_tree aabb = build(&m, kiln_build_kind_find("aabb"), 4);
    assert_true(obb.sah_cost < 0.8 * aabb.sah_cost);
    kiln_build_tree_free(&obb);
    kiln_build_tree_free(&aabb);
    free_mesh(&m);
}

/* Box of the triangles below a lane, in node space, straight from the corners. */
static void box_below(const walk *w, const kiln_format_node8 *node, unsigned lane, double lower[3],
                      double upper[3])
{
    if ((node->inner >> lane & 1u) != 0) {
        const kiln_format_node8 *child = node_at(w, kiln_node8_child(node, lane));
        for (unsigned i = 0; i < 8; i++) {
            if ((kiln_node8_used(child) >> i & 1u) != 0) {
                box_below(w, child, i, lower, upper);
            }
        }
        return;
    }
    const uint32_t slot = kiln_node8_slot(node, lane);
    for (uint32_t i = 0; i < 3 * kiln_node8_count(node, lane); i++) {
        const float *corner =
            w->m->positions + 9 * (size_t)w->tree->order[slot + i / 3] + 3 * (i % 3);
        for (unsigned k = 0; k < 3; k++) {
            const double p =
                ((double)corner[k] - w->tree->origin[k]) * ldexp(1, -w->tree->scale_exponent);
            lower[k] = fmin(lower[k], p);
            upper[k] = fmax(upper[k], p);
        }
    }
}

static void axis_aligned_lanes_are_tight(void **state)
{
    (void)state;
    for (unsigned i = 0; i < MAKERS; i++) {
        mesh m = makers[i]();
        kiln_build_tree tree = build(&m, kiln_build_kind_find("aabb"), 4);
        const walk w = {.m = &m, .kind = kiln_build_kind_find("aabb"), .tree = &tree};
        for (uint32_t n = 0; n < tree.node_count; n++) {
            const kiln_format_node_aabb8 *node = (const kiln_format_node_aabb8 *)node_at(&w, n);
            for (unsigned lane = 0; lane < 8; lane++) {
                double lower[3] = {2, 2, 2}, upper[3] = {-2, -2, -2};
                if ((kiln_node8_used(&node->head) >> lane & 1u) == 0) {
                    continue;
                }
                box_below(&w, &node->head, lane, lower, upper);
                for (unsigned k = 0; k < 3; k++) {
                    const double step = (double)kiln_node8_step(node->head.exp[k]);
                    const double org = (double)node->head.org[k];
                    assert_true(org + node->lower[k][lane] * step <= lower[k]);
                    assert_true(org + (node->lower[k][lane] + 1) * step > lower[k]);
                    assert_true(org + node->upper[k][lane] * step >= upper[k]);
                    assert_true(org + (node->upper[k][lane] - 1) * step < upper[k]);
                }
            }
        }
        kiln_build_tree_free(&tree);
        free_mesh(&m);
    }
}

static int compare_doubles(const void *p, const void *q)
{
    const double a = *(const double *)p, b = *(const double *)q;
    return (a > b) - (a < b);
}

/* The longest half-extent of the median leaf, in the model's unit. */
static double median_leaf(const mesh *m, const kiln_build_kind *kind)
{
    kiln_build_tree tree = build(m, kind, 4);
    const kiln_node_kind *node_kind = kiln_node_kind_find(kind->format_bv);
    double *length = malloc(m->count * sizeof *length);
    uint32_t count = 0;
    assert_non_null(length);
    for (uint32_t i = 0; i < tree.node_count; i++) {
        const kiln_format_node8 *node =
            (const void *)((const char *)tree.nodes + (size_t)i * tree.node_size);
        for (unsigned lane = 0; lane < node_kind->lanes; lane++) {
            if (kiln_node8_count(node, lane) != 0) {
                kiln_lane_box box;
                node_kind->decode_lane(node, lane, &box);
                const float longest = fmaxf(box.half[0], fmaxf(box.half[1], box.half[2]));
                length[count++] = ldexp((double)longest, tree.scale_exponent);
            }
        }
    }
    qsort(length, count, sizeof *length, compare_doubles);
    const double median = length[count / 2];
    free(length);
    kiln_build_tree_free(&tree);
    return median;
}

/* Before node-wise scales of half-extents and an origin amid the crowd, no box was smaller than
 * 2^-24 of the whole, and one triangle far away turned the tree into a list. */
static void far_stray_leaves_boxes_small(void **state)
{
    (void)state;
    mesh m = soup(2000);
    for (size_t i = 0; i < kiln_build_kind_count; i++) {
        const double before = median_leaf(&m, &kiln_build_kinds[i]);
        float saved[9];
        memcpy(saved, m.positions, sizeof saved);
        for (unsigned k = 0; k < 9; k++) {
            m.positions[k] += 3e9f;
        }
        const double after = median_leaf(&m, &kiln_build_kinds[i]);
        memcpy(m.positions, saved, sizeof saved);
        assert_true(after < 1.25 * before && after > 0.75 * before);
    }
    free_mesh(&m);
}

typedef struct {
    int calls, cancel_at;
    double last;
} audience;

static bool listen(void *user, const char *stage, double part)
{
    audience *a = user;
    assert_string_equal(stage, "build obb");
    assert_true(part >= a->last && part <= 1);
    a->last = part;
    return ++a->calls != a->cancel_at;
}

static void progress_grows_and_cancels(void **state)
{
    (void)state;
    mesh m = soup(30000);
    const kiln_build_input input = {m.positions, m.indices, NULL, m.count};
    kiln_bake_options options = options_of(4, 2, "sah");
    audience all = {0, 0, 0};
    options.progress = listen;
    options.progress_user = &all;
    kiln_build_tree tree = build_with(&m, &kiln_build_kinds[0], &options);
    kiln_build_tree_free(&tree);
    assert_true(all.last == 1);
    for (int at = 1; at <= 5; at++) {
        audience a = {0, at, 0};
        options.progress_user = &a;
        assert_int_equal(kiln_build(&kiln_build_kinds[0], &input, &options, &tree),
                         KILN_BAKE_FAILED);
        assert_null(tree.nodes);
        assert_null(tree.order);
    }
    free_mesh(&m);
}

static void wrong_options_are_refused(void **state)
{
    (void)state;
    mesh m = planar();
    const kiln_build_input input = {m.positions, m.indices, NULL, m.count};
    const kiln_bake_options wrong[] = {options_of(0, 1, "sah"), options_of(16, 1, "sah"),
                                       options_of(4, 1, "random")};
    kiln_build_tree tree;
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(kiln_build(&kiln_build_kinds[0], &input, &wrong[i], &tree),
                         KILN_BAKE_USAGE);
    }
    assert_null(kiln_build_kind_find("cone"));
    free_mesh(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mesh_is_contained),
        cmocka_unit_test_setup_teardown(best_boxes_contain, set_best, set_default),
        cmocka_unit_test_setup_teardown(fast_boxes_contain, set_fast, set_default),
        cmocka_unit_test_setup_teardown(every_builder_contains, set_fast, set_default),
        cmocka_unit_test(every_fit_contains),
        cmocka_unit_test(children_make_the_same_boxes_along_axes),
        cmocka_unit_test_setup_teardown(chains_stay_within_the_bound, set_fast, set_default),
        cmocka_unit_test(every_choice_of_spheres_contains),
        cmocka_unit_test(copies_make_balanced_trees),
        cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test_setup_teardown(threads_do_not_show_in_the_best, set_best, set_default),
        cmocka_unit_test(threads_do_not_show_in_first_cuts),
        cmocka_unit_test(threads_do_not_show_in_any_builder),
        cmocka_unit_test(threads_do_not_show_in_any_fit),
        cmocka_unit_test(wide_cut_is_the_plain_one),
        cmocka_unit_test(wider_instructions_do_not_show),
        cmocka_unit_test(hopeless_meshes_stay_shallow),
        cmocka_unit_test_setup_teardown(hopeless_meshes_stay_shallow, set_best, set_default),
        cmocka_unit_test(nodes_are_full),
        cmocka_unit_test(best_opens_less),
        cmocka_unit_test(parts_of_an_input_keep_their_names),
        cmocka_unit_test(planar_mesh_gets_a_flat_box),
        cmocka_unit_test(flat_along_an_axis_is_exactly_flat),
        cmocka_unit_test(needle_is_exactly_thin),
        cmocka_unit_test(floats_are_tighter_than_bytes),
        cmocka_unit_test(oriented_boxes_are_tighter),
        cmocka_unit_test(axis_aligned_lanes_are_tight),
        cmocka_unit_test(far_stray_leaves_boxes_small),
        cmocka_unit_test(progress_grows_and_cancels),
        cmocka_unit_test(wrong_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
