/* What refitting costs and how the trees decay: for each kind of volumes nanoseconds a triangle for
 * an update, beside building the same tree by the fastest builder on one processor in the same run;
 * and how much longer collisions of two copies take on a refitted tree than on one that is baked
 * anew, as a mesh is twisted more and more. Times are the least of several rounds in which both
 * alternate. */
#define _POSIX_C_SOURCE 200809L

#include "../support/quick_bake.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MESHES = 3, KINDS = 5, TWISTS = 5, ROUNDS = 9, POSES = 200 };

static const char *const names[MESHES] = {"torus", "knot", "car"};
static const char *const kinds[KINDS] = {"aabb", "aabb2", "dop14", "dop26", "sphere"};
static const double twists[TWISTS] = {0, 0.5, 1, 2, 4}; /* radians a unit of z */

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static kiln_file *bake(const mesh *m, const char *kind, const char *builder, void **bytes)
{
    kiln_bake_options options = kiln_bake_options_default();
    kiln_file *file = NULL;
    size_t size = 0;
    options.bv = kind;
    options.builder = builder;
    options.layout = KILN_LAYOUT_RAW;
    options.threads = 1;
    *bytes = quick_bake_with(m, &options, &size);
    if (kiln_open_memory(*bytes, size, NULL, &file) != KILN_OK) {
        abort();
    }
    return file;
}

static void twist(float *vertices, uint32_t count, double by)
{
    for (uint32_t i = 0; i < count; i++) {
        float *p = vertices + 3 * (size_t)i;
        const double c = cos(by * (double)p[2]), s = sin(by * (double)p[2]), x = (double)p[0];
        p[0] = (float)(c * x - s * (double)p[1]);
        p[1] = (float)(s * x + c * (double)p[1]);
    }
}

/* Means over the poses of one round, ns. */
static double query(const kiln_tree *tree)
{
    uint64_t state = 5;
    const kiln_tree_info info = kiln_tree_get_info(tree);
    const double reach = 0.7 * (double)(info.bounds_upper[0] - info.bounds_lower[0]);
    const double start = now();
    for (int i = 0; i < POSES; i++) {
        kiln_hit hit;
        const kiln_pose pose = pose_random(&state, reach);
        (void)kiln_collide(tree, NULL, tree, &pose, NULL, &hit);
    }
    return (now() - start) / POSES;
}

static void measure(const mesh *rest, const char *name, const char *kind)
{
    void *bytes, *fresh_bytes;
    kiln_file *file = bake(rest, kind, "sah", &bytes);
    const kiln_tree *tree = kiln_file_tree(file, 0);
    const size_t size = kiln_refit_size(tree);
    void *memory = malloc(size);
    kiln_refit *refit = NULL;
    if (memory == NULL || kiln_refit_place(memory, size, tree, &refit) != KILN_OK) {
        abort();
    }
    const uint32_t count = kiln_refit_vertex_count(refit);
    float *vertices = malloc(12 * (size_t)count), *placed = malloc(12 * (size_t)count);
    if (vertices == NULL || placed == NULL) {
        abort();
    }
    memcpy(placed, kiln_refit_vertices(refit), 12 * (size_t)count);
    (void)printf("%-6s %-7s", name, kind);
    for (int t = 0; t < TWISTS; t++) {
        mesh m = *rest;
        m.positions = malloc(12 * (size_t)m.vertex_count);
        if (m.positions == NULL) {
            abort();
        }
        memcpy(m.positions, rest->positions, 12 * (size_t)m.vertex_count);
        memcpy(vertices, placed, 12 * (size_t)count);
        twist(m.positions, m.vertex_count, twists[t]);
        twist(vertices, count, twists[t]);
        double update = HUGE_VAL, build = HUGE_VAL, old = HUGE_VAL, anew = HUGE_VAL;
        kiln_file *fresh = bake(&m, kind, "sah", &fresh_bytes);
        for (int round = 0; round < ROUNDS; round++) {
            double start = now();
            (void)kiln_refit_update(refit, vertices, count);
            update = fmin(update, now() - start);
            old = fmin(old, query(kiln_refit_tree(refit)));
            anew = fmin(anew, query(kiln_file_tree(fresh, 0)));
            if (t == 0 && round < 3) {
                void *other;
                start = now();
                kiln_close(bake(&m, kind, "median", &other));
                build = fmin(build, now() - start);
                free(other);
            }
        }
        if (t == 0) {
            const double triangles = rest->triangle_count;
            (void)printf(" %7.1f ns a triangle, bake %7.1f; ratio at twists", update / triangles,
                         build / triangles);
        }
        (void)printf(" %.1f: %.2f", twists[t], old / anew);
        kiln_close(fresh);
        free(fresh_bytes);
        free(m.positions);
    }
    (void)printf("\n");
    (void)fflush(stdout);
    kiln_close(file);
    free(bytes);
    free(memory);
    free(vertices);
    free(placed);
}

int main(void)
{
    for (int m = 0; m < MESHES; m++) {
        mesh model = m == 0 ? mesh_torus(160, 80, 0.1) : mesh_of_shape(names[m], 25000);
        for (int k = 0; k < KINDS; k++) {
            measure(&model, names[m], kinds[k]);
        }
        mesh_free(&model);
    }
    return 0;
}
