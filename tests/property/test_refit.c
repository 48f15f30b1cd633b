/* What is sampled: tori, soups and lattices of every kind that is refitted and of several sizes of
 * leaves, deformed again and again: by waves, by twists, by noise, into a plane and into a point,
 * by 2^-30 and by 2^30, and far from the origin.
 *
 * Oracle: every volume holds the corners below it, in double with the allowances of the audit;
 * pairs of triangles by brute force; rays, shapes, distances and scenes by a fresh bake of the
 * deformed mesh. Tolerance: 2^-40 of the largest coordinate for distances, else none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/base/tree.h"
#include "../../runtime/kiln_scene.h"
#include "../support/amount.h"
#include "../support/brute.h"
#include "../support/quick_bake.h"

enum { KINDS = KILN_NODE_KIND_COUNT, FRAMES = 9, POSES = 4, RAYS = 20, SHAPES = 3, HITS = 400 };

typedef struct {
    mesh now;          /* as it is deformed */
    float *rest;       /* as it was baked */
    uint32_t *file_of; /* by vertex of the mesh: that of the file */
    float *vertices;   /* in the file's order */
    void *bytes, *memory;
    kiln_file *file;
    kiln_refit *refit;
} body;

static body body_of(mesh m, const char *kind, int leaf)
{
    body b = {.now = m};
    b.file = quick_open(&m, kind, leaf, KILN_LAYOUT_RAW, &b.bytes);
    const kiln_tree *tree = kiln_file_tree(b.file, 0);
    const size_t size = kiln_refit_size(tree);
    b.memory = malloc(size);
    b.rest = malloc(3 * sizeof(float) * m.vertex_count);
    b.file_of = calloc(m.vertex_count, sizeof(uint32_t));
    b.vertices = malloc(3 * sizeof(float) * m.vertex_count);
    uint32_t *corners = malloc(3 * sizeof(uint32_t) * m.triangle_count);
    assert_true(size > 0 && b.memory && b.rest && b.file_of && b.vertices && corners);
    assert_int_equal(kiln_refit_place(b.memory, size, tree, &b.refit), KILN_OK);
    memcpy(b.rest, m.positions, 3 * sizeof(float) * m.vertex_count);
    memcpy(b.vertices, kiln_refit_vertices(b.refit),
           3 * sizeof(float) * kiln_refit_vertex_count(b.refit));
    assert_int_equal(kiln_refit_corners(b.refit, corners, m.triangle_count), KILN_OK);
    for (uint32_t i = 0; i < 3 * m.triangle_count; i++) {
        b.file_of[m.indices[i]] = corners[i];
        assert_memory_equal(b.vertices + 3 * (size_t)corners[i],
                            m.positions + 3 * (size_t)m.indices[i], 3 * sizeof(float));
    }
    free(corners);
    return b;
}

static void body_free(body *b)
{
    kiln_close(b->file);
    mesh_free(&b->now);
    free(b->bytes);
    free(b->memory);
    free(b->rest);
    free(b->file_of);
    free(b->vertices);
}

static void deform(body *b, int frame, uint64_t *state)
{
    static const double scales[FRAMES] = {1, 1, 1, 0x1p-30, 0x1p30, 1, 1, 0, 1};
    for (uint32_t i = 0; i < b->now.vertex_count; i++) {
        const float *p = b->rest + 3 * (size_t)i;
        double q[3] = {(double)p[0], (double)p[1], (double)p[2]};
        if (frame == 1) { /* a twist */
            const double c = cos(2 * q[2]), s = sin(2 * q[2]), x = q[0];
            q[0] = c * x - s * q[1];
            q[1] = s * x + c * q[1];
        }
        for (int k = 0; k < 3; k++) {
            q[k] = frame == 2 && k == 2 ? 0.5 : q[k];
            q[k] += frame == 5 ? random_between(state, -0.3, 0.3) : 0;
            q[k] += frame == 6 ? 1e6 : 0;
            q[k] += frame == 0 ? 0.2 * sin(3 * q[(k + 1) % 3]) : 0;
            q[k] = scales[frame] * q[k] + (frame == 7 ? 3 : 0);
            b->now.positions[3 * (size_t)i + (size_t)k] = (float)q[k];
        }
    }
    for (uint32_t i = 0; i < 3 * b->now.triangle_count; i++) {
        const uint32_t vertex = b->now.indices[i];
        memcpy(b->vertices + 3 * (size_t)b->file_of[vertex], b->now.positions + 3 * (size_t)vertex,
               3 * sizeof(float));
    }
    assert_int_equal(kiln_refit_update(b->refit, b->vertices, kiln_refit_vertex_count(b->refit)),
                     KILN_OK);
}

/* ------------------------------------------------------------------------------ containment -- */

typedef struct {
    const kiln_tree *tree;
    const kiln_format_node8 *node[KILN_TREE_DEPTH_MAX];
    unsigned lane[KILN_TREE_DEPTH_MAX];
} path;

static void check_corner(const path *above, unsigned depth, const double p[3])
{
    const kiln_node_kind *kind = above->tree->view.kind;
    for (unsigned d = 0; d < depth; d++) {
        kiln_lane_box box;
        double centre[3];
        kind->decode_lane(above->node[d], above->lane[d], &box);
        kiln_lane_box_centre(&box, above->node[d]->org, centre);
        for (int k = 0; k < 3; k++) {
            const double slack = kind->balls ? 0x1p-50 * (fabs(p[k]) + fabs(centre[k])) : 0;
            assert_true(fabs(p[k] - centre[k]) <= (double)box.half[k] + slack);
        }
        assert_true(kind->beyond == NULL || kind->beyond(above->node[d], above->lane[d], p) <= 0);
    }
}

static void check_below(path *above, unsigned depth, uint32_t index)
{
    const kiln_tree *tree = above->tree;
    const kiln_format_node8 *node = kiln_tree_node(tree, index);
    for (unsigned lane = 0; lane < KILN_NODE_WIDTH; lane++) {
        if ((kiln_node8_used(node) >> lane & 1) == 0) {
            continue;
        }
        assert_true(tree->view.kind->lane_is_sound(node, lane));
        const kiln_contents of = kiln_node8_contents(node, lane);
        above->node[depth] = node;
        above->lane[depth] = lane;
        if (of.count == 0) {
            check_below(above, depth + 1, of.first);
        }
        for (uint32_t i = 0; i < 3 * of.count; i++) {
            const uint32_t stored = kiln_tree_triangle(tree, of.first + i / 3);
            const float *v = tree->vertices + 3 * tree->triangles[3 * stored + i % 3];
            double p[3];
            for (int k = 0; k < 3; k++) {
                p[k] = ((double)v[k] - tree->view.entry->origin[k]) *
                       ldexp(1, -tree->view.entry->scale_exponent);
                assert_true(p[k] >= -1 && p[k] <= 1);
            }
            check_corner(above, depth + 1, p);
        }
    }
}

/* ---------------------------------------------------------------------------------- answers -- */

static void check_pairs(const body *a, const body *b, const kiln_pose *pose)
{
    const kiln_pose here = kiln_pose_identity();
    size_t wanted = 0, found = 0;
    const kiln_tree *of_a = kiln_refit_tree(a->refit), *of_b = kiln_refit_tree(b->refit);
    kiln_pair *truth = brute_pairs(&a->now, of_a, &here, &b->now, of_b, pose, false, &wanted);
    kiln_pair *pairs = calloc(wanted + 1, sizeof *pairs);
    kiln_hit hit;
    assert_non_null(pairs);
    assert_int_equal(kiln_contacts(of_a, NULL, of_b, pose, NULL, pairs, wanted + 1, &found),
                     KILN_OK);
    assert_true(found == wanted);
    uint64_t sum[2] = {0, 0};
    for (size_t i = 0; i < wanted; i++) {
        sum[0] += (uint64_t)truth[i].a << 32 ^ truth[i].b * UINT64_C(0x9E3779B97F4A7C15);
        sum[1] += (uint64_t)pairs[i].a << 32 ^ pairs[i].b * UINT64_C(0x9E3779B97F4A7C15);
    }
    assert_true(sum[0] == sum[1]);
    assert_int_equal(kiln_collide(of_a, NULL, of_b, pose, NULL, &hit), KILN_OK);
    assert_true(hit.found == (wanted > 0));
    free(truth);
    free(pairs);
}

static void check_shapes(const kiln_tree *fresh, const kiln_tree *tree, uint64_t *state)
{
    static kiln_triangle_hit want[HITS], got[HITS];
    const kiln_tree_info info = kiln_tree_get_info(fresh);
    for (int i = 0; i < SHAPES; i++) {
        size_t wanted = 0, count = 0;
        double at[3], to[3], size = 0;
        for (int k = 0; k < 3; k++) {
            const double l = (double)info.bounds_lower[k], u = (double)info.bounds_upper[k];
            at[k] = random_between(state, l, u);
            to[k] = random_between(state, l, u);
            size = fmax(size, u - l);
        }
        size = random_between(state, 0, 0.3) * size;
        kiln_shape shape;
        memset(&shape, 0, sizeof shape);
        shape.kind = i % 3 == 0   ? KILN_SHAPE_SPHERE
                     : i % 3 == 1 ? KILN_SHAPE_BOX
                                  : KILN_SHAPE_CAPSULE;
        shape.radius = i % 3 == 1 ? 0 : size;
        for (int k = 0; k < 3; k++) {
            shape.a[k] = i % 3 == 1 ? fmin(at[k], to[k]) : at[k];
            shape.b[k] = i % 3 == 1 ? fmax(at[k], to[k]) : to[k];
        }
        assert_int_equal(kiln_overlap_all(fresh, NULL, &shape, NULL, NULL, want, HITS, &wanted),
                         KILN_OK);
        assert_int_equal(kiln_overlap_all(tree, NULL, &shape, NULL, NULL, got, HITS, &count),
                         KILN_OK);
        assert_int_equal(count, wanted);
        for (size_t j = 0; j < wanted && j < HITS; j++) {
            assert_int_equal(got[j].triangle, want[j].triangle);
        }
    }
}

/* The value, since which of equally near pairs is found depends on the tree. Which of two meshes is
 * carried to the other depends on hashes that a copy and a bake do not share, so that the last
 * places differ. */
static void check_distance(const kiln_tree *fresh, const kiln_tree *tree, const kiln_tree *other,
                           const kiln_pose *pose)
{
    kiln_nearest want, got;
    assert_int_equal(kiln_distance(fresh, NULL, other, pose, NULL, &want), KILN_OK);
    assert_int_equal(kiln_distance(tree, NULL, other, pose, NULL, &got), KILN_OK);
    double largest = 0;
    for (int k = 0; k < 3; k++) {
        const kiln_tree_info info = kiln_tree_get_info(fresh), of_other = kiln_tree_get_info(other);
        largest = fmax(largest, fabs((double)info.bounds_lower[k]));
        largest = fmax(largest, fabs((double)info.bounds_upper[k]));
        largest = fmax(largest, fabs((double)of_other.bounds_lower[k]));
        largest = fmax(largest, fabs((double)of_other.bounds_upper[k]));
        largest = fmax(largest, fabs(pose->translation[k]));
    }
    assert_true(fabs(got.distance - want.distance) <= 0x1p-40 * largest);
}

/* An object whose tree was refitted is given its pose again, and is then where its mesh is. */
static void check_scene(kiln_scene *scene, const kiln_scene_id ids[2], const kiln_tree *fresh,
                        const kiln_tree *tree, const kiln_tree *other, const kiln_pose *pose)
{
    double lower[3], upper[3], want[2][3];
    kiln_hit direct;
    kiln_scene_hit hit;
    size_t count = 0;
    assert_int_equal(kiln_scene_move(scene, ids[0], NULL), KILN_OK);
    assert_int_equal(kiln_scene_move(scene, ids[1], pose), KILN_OK);
    assert_int_equal(kiln_scene_get_bounds(scene, ids[0], lower, upper), KILN_OK);
    assert_int_equal(kiln_scene_bounds_of(fresh, NULL, want[0], want[1]), KILN_OK);
    assert_memory_equal(lower, want[0], sizeof lower);
    assert_memory_equal(upper, want[1], sizeof upper);
    assert_int_equal(kiln_collide(tree, NULL, other, pose, NULL, &direct), KILN_OK);
    assert_int_equal(kiln_scene_collide(scene, NULL, &hit, 1, &count), KILN_OK);
    assert_int_equal(count, direct.found);
}

static void check_alone(const body *b, const char *kind, int leaf, int frame, uint64_t *state,
                        kiln_scene *scene, const kiln_scene_id ids[2], const kiln_tree *other,
                        const kiln_pose *pose)
{
    void *bytes = NULL;
    kiln_file *file = quick_open(&b->now, kind, leaf, KILN_LAYOUT_RAW, &bytes);
    const kiln_tree *fresh = kiln_file_tree(file, 0), *tree = kiln_refit_tree(b->refit);
    const kiln_tree_info info = kiln_tree_get_info(fresh), got = kiln_tree_get_info(tree);
    assert_memory_equal(info.bounds_lower, got.bounds_lower, sizeof info.bounds_lower);
    assert_memory_equal(info.bounds_upper, got.bounds_upper, sizeof info.bounds_upper);
    for (int i = 0; i < RAYS; i++) {
        double from[3], to[3];
        for (int k = 0; k < 3; k++) {
            const double l = (double)info.bounds_lower[k], u = (double)info.bounds_upper[k];
            from[k] = random_between(state, 2 * l - u, 2 * u - l) - (l < u ? 0 : 1);
            to[k] = random_between(state, l, u);
        }
        const kiln_ray ray = kiln_ray_between(from, to);
        kiln_ray_hit p, q;
        memset(&p, 0, sizeof p);
        memset(&q, 0, sizeof q);
        assert_int_equal(kiln_ray_closest(fresh, NULL, &ray, NULL, &p), KILN_OK);
        assert_int_equal(kiln_ray_closest(tree, NULL, &ray, NULL, &q), KILN_OK);
        assert_memory_equal(&p, &q, sizeof p);
    }
    check_shapes(fresh, tree, state);
    if (frame == 0 || frame == 3 || frame == 5) { /* not where all is equally near */
        check_distance(fresh, tree, other, pose);
    }
    check_scene(scene, ids, fresh, tree, other, pose);
    kiln_close(file);
    free(bytes);
}

static kiln_scene_id add_object(kiln_scene *scene, const kiln_refit *refit)
{
    kiln_scene_object object = kiln_scene_object_default();
    kiln_scene_id id = 0;
    object.tree = kiln_refit_tree(refit);
    assert_int_equal(kiln_scene_add(scene, &object, &id), KILN_OK);
    return id;
}

static mesh any_mesh(uint64_t *state, unsigned which)
{
    return which == 0   ? mesh_torus(16, 8, 0.1)
           : which == 1 ? mesh_soup(state, 1 + random_below(state, 120), 0.4)
                        : mesh_lattice(state, 1 + random_below(state, 80), 3);
}

static void refitted_trees_answer_as_fresh_ones(void **unused)
{
    (void)unused;
    static const int leaves[] = {1, 4, 15};
    static uint64_t memory[128];
    uint64_t state = 61;
    unsigned kinds = 0;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        const char *name = kiln_node_kinds[kind].name;
        if (strncmp(name, "obb", 3) == 0 || strncmp(name, "oct", 3) == 0) {
            continue;
        }
        kinds++;
        for (unsigned which = 0; which < 9; which += is_shortened() ? 4 : is_third() ? 2 : 1) {
            const int leaf = leaves[which / 3];
            body a = body_of(any_mesh(&state, which % 3), name, leaf);
            body b = body_of(any_mesh(&state, (which + 1) % 3), name, leaf);
            kiln_scene *scene;
            assert_int_equal(kiln_scene_place(memory, sizeof memory, 2, &scene), KILN_OK);
            const kiln_scene_id ids[2] = {add_object(scene, a.refit), add_object(scene, b.refit)};
            for (int frame = 0; frame < FRAMES; frame++) {
                deform(&a, frame, &state);
                deform(&b, frame, &state);
                path above = {.tree = kiln_refit_tree(a.refit)};
                check_below(&above, 0, 0);
                const double far = frame == 4 ? 0x1p30 : frame == 3 ? 0x1p-30 : 1;
                kiln_pose pose;
                for (int i = 0; i < (is_shortened() ? 1 : is_third() ? POSES / 2 : POSES); i++) {
                    pose = i == 0 && frame > 5 ? kiln_pose_identity() : pose_random(&state, far);
                    check_pairs(&a, &b, &pose);
                }
                check_alone(&a, name, leaf, frame, &state, scene, ids, kiln_refit_tree(b.refit),
                            &pose);
            }
            body_free(&a);
            body_free(&b);
        }
    }
    assert_true(kinds >= 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refitted_trees_answer_as_fresh_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
