/* What poses that are no rotations cost: queries of a mesh at a rotation times a matrix, beside
 * those of the mesh that was baked with its vertices where the matrix takes them, at the rotation.
 * For each kind of tree and matrix the means over all poses, and how many times those of the baked
 * mesh they are, each the least of several rounds in which both alternate: collisions, all
 * contacts, distances, closest hits of rays. */
#define _POSIX_C_SOURCE 200809L

#include "../support/quick_bake.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MESHES = 3, KINDS = 5, MATRICES = 5, QUERIES = 4, ROUNDS = 7, POSES = 120 };

static const char *const names[MESHES] = {"torus", "knot", "car"};
static const char *const kinds[KINDS] = {"obb", "aabb", "dop14", "sphere", "octree"};
static const struct {
    const char *name;
    double of[9];
} matrices[MATRICES] = {{"mirror", {-1, 0, 0, 0, 1, 0, 0, 0, 1}},
                        {"1 1 2", {1, 0, 0, 0, 1, 0, 0, 0, 2}},
                        {"1 1 10", {1, 0, 0, 0, 1, 0, 0, 0, 10}},
                        {"1 3 9", {1, 0, 0, 0, 3, 0, 0, 0, 9}},
                        {"shear", {1, 0.7, 0.3, 0, 1, 0.5, 0, 0, 1}}};

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static kiln_file *bake(const mesh *m, const char *kind, void **bytes)
{
    kiln_bake_options options = kiln_bake_options_default();
    kiln_file *file = NULL;
    size_t size = 0;
    options.bv = kind;
    options.builder = "sah";
    options.layout = KILN_LAYOUT_RAW;
    *bytes = quick_bake_with(m, &options, &size);
    if (kiln_open_memory(*bytes, size, NULL, &file) != KILN_OK) {
        abort();
    }
    return file;
}

static void apply(const double by[9], mesh *m)
{
    for (uint32_t i = 0; i < m->vertex_count; i++) {
        float *p = m->positions + 3 * (size_t)i;
        const double v[3] = {(double)p[0], (double)p[1], (double)p[2]};
        for (int k = 0; k < 3; k++) {
            p[k] = (float)(by[3 * k] * v[0] + by[3 * k + 1] * v[1] + by[3 * k + 2] * v[2]);
        }
    }
}

/* The two placed by `a` and `b`, each times `by`; NULL: as it is. */
static kiln_pose times(const kiln_pose *pose, const double *by)
{
    kiln_pose out = *pose;
    for (int i = 0; i < 9 && by != NULL; i++) {
        const double *row = pose->rotation + 3 * (i / 3), *column = by + i % 3;
        out.rotation[i] = row[0] * column[0] + row[1] * column[3] + row[2] * column[6];
    }
    return out;
}

static void query(const kiln_tree *tree, const double *by, double reach, double ns[QUERIES])
{
    uint64_t state = 5;
    for (int i = 0; i < POSES; i++) {
        const kiln_pose one = pose_random(&state, 0), other = pose_random(&state, reach);
        const kiln_pose a = times(&one, by), b = times(&other, by);
        const double from[3] = {other.translation[0], other.translation[1], -reach};
        const double to[3] = {-other.translation[1], other.translation[2], reach};
        const kiln_ray ray = kiln_ray_between(from, to);
        kiln_hit hit;
        kiln_nearest nearest;
        kiln_ray_hit ray_hit;
        size_t count;
        const double t0 = now();
        (void)kiln_collide(tree, &a, tree, &b, NULL, &hit);
        const double t1 = now();
        (void)kiln_contacts(tree, &a, tree, &b, NULL, NULL, 0, &count);
        const double t2 = now();
        (void)kiln_distance(tree, &a, tree, &b, NULL, &nearest);
        const double t3 = now();
        (void)kiln_ray_closest(tree, &a, &ray, NULL, &ray_hit);
        const double t4 = now();
        ns[0] += t1 - t0;
        ns[1] += t2 - t1;
        ns[2] += t3 - t2;
        ns[3] += t4 - t3;
    }
}

static void measure(const mesh *rest, const char *name, const char *kind)
{
    void *bytes, *baked_bytes;
    kiln_file *file = bake(rest, kind, &bytes);
    for (int k = 0; k < MATRICES; k++) {
        mesh m = *rest;
        double affine[QUERIES], baked[QUERIES];
        m.positions = malloc(12 * (size_t)m.vertex_count);
        if (m.positions == NULL) {
            abort();
        }
        memcpy(m.positions, rest->positions, 12 * (size_t)m.vertex_count);
        apply(matrices[k].of, &m);
        kiln_file *other = bake(&m, kind, &baked_bytes);
        const kiln_tree_info info = kiln_tree_get_info(kiln_file_tree(other, 0));
        double reach = 0;
        for (int i = 0; i < 3; i++) {
            reach = fmax(reach, 0.4 * (double)(info.bounds_upper[i] - info.bounds_lower[i]));
        }
        for (int q = 0; q < QUERIES; q++) {
            affine[q] = baked[q] = HUGE_VAL;
        }
        for (int round = 0; round < ROUNDS; round++) {
            double one[QUERIES] = {0}, two[QUERIES] = {0};
            query(kiln_file_tree(file, 0), matrices[k].of, reach, one);
            query(kiln_file_tree(other, 0), NULL, reach, two);
            for (int q = 0; q < QUERIES; q++) {
                affine[q] = fmin(affine[q], one[q]);
                baked[q] = fmin(baked[q], two[q]);
            }
        }
        (void)printf("%-6s %-7s %-7s", name, kind, matrices[k].name);
        for (int q = 0; q < QUERIES; q++) {
            (void)printf(" %8.2f us %5.2f", affine[q] / POSES / 1e3, affine[q] / baked[q]);
        }
        (void)printf("\n");
        (void)fflush(stdout);
        kiln_close(other);
        free(baked_bytes);
        free(m.positions);
    }
    kiln_close(file);
    free(bytes);
}

int main(void)
{
    (void)printf("mesh kind matrix: collide, contacts, distance, ray: us, and times the baked\n");
    for (int m = 0; m < MESHES; m++) {
        mesh model = m == 0 ? mesh_torus(160, 80, 0.1) : mesh_of_shape(names[m], 25000);
        for (int k = 0; k < KINDS; k++) {
            measure(&model, names[m], kinds[k]);
        }
        mesh_free(&model);
    }
    return 0;
}
