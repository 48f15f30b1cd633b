/* For each instruction set that runs here, a line: its name, and a digest of all answers,
 * witnesses, contacts, hits of rays and of balls, distances of hulls, places and decoded boxes of
 * the trees in the files named. Needs nothing but the runtime, so that it can be built for another
 * machine and run by an emulator. Poses come out of arithmetic that every machine rounds alike;
 * queries of pairs are asked under all four rounding modes by turns. */
#include <fenv.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../runtime/base/tree.h"
#include "../../../runtime/kernel/kernel.h"
#include "../../../runtime/kiln.h"
#include "../../../runtime/kiln_shapes.h"

enum {
    FILES_MAX = 8,
    TREES_MAX = 16,
    POSES = 24,
    PAIRS_MAX = 4096,
    RAYS = 200,
    HITS_MAX = 64,
    HULLS = 40,
    CORNERS_MAX = 900
};

static void digest(uint64_t *hash, const void *data, size_t size) /* FNV-1a */
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) {
        *hash = (*hash ^ bytes[i]) * 0x100000001b3u;
    }
}

static uint64_t next(uint64_t *state) /* SplitMix64 */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double between(uint64_t *state, double lower, double upper)
{
    return lower + (upper - lower) * ((double)(next(state) >> 11) * 0x1p-53);
}

/* A turn about one axis by a Pythagorean angle, and a translation. */
static kiln_pose any_pose(uint64_t *state)
{
    static const double halves[][2] = {{0.6, 0.8}, {0.28, 0.96}, {5 / 13., 12 / 13.}, {1, 0}};
    const double *half = halves[next(state) % 4];
    double quaternion[4] = {0, 0, 0, half[0]}, translation[3];
    quaternion[next(state) % 3] = half[1];
    for (int k = 0; k < 3; k++) {
        translation[k] = between(state, -1.5, 1.5);
    }
    kiln_pose pose;
    if (kiln_pose_from_quaternion(quaternion, translation, &pose) != KILN_OK) {
        exit(2);
    }
    return pose;
}

/* Where the mesh of `a` is closed. */
static void digest_place(uint64_t *hash, const kiln_tree *a, const kiln_pose *pose_a,
                         const kiln_tree *b, const kiln_pose *pose_b)
{
    kiln_place place = KILN_PLACE_OUTSIDE;
    const kiln_status status = kiln_locate_mesh(a, pose_a, b, pose_b, &place);
    if (status != KILN_OK && status != KILN_ERROR_OPEN_MESH) {
        exit(2);
    }
    const int told = (int)place;
    digest(hash, &told, sizeof told);
}

static uint64_t ask_pair(const kiln_tree *a, const kiln_tree *b, uint64_t *hash)
{
    static kiln_pair pairs[PAIRS_MAX];
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    uint64_t state = 7, hits = 0;
    for (int i = 0; i < POSES; i++) {
        const kiln_pose pose_a = any_pose(&state), pose_b = any_pose(&state);
        kiln_hit hit;
        size_t count;
        memset(&hit, 0, sizeof hit);
        (void)fesetround(modes[i % 4]);
        const kiln_status met = kiln_collide(a, &pose_a, b, &pose_b, NULL, &hit);
        const kiln_status all =
            kiln_contacts(a, &pose_a, b, &pose_b, NULL, pairs, PAIRS_MAX, &count);
        digest_place(hash, a, &pose_a, b, &pose_b);
        (void)fesetround(FE_TONEAREST);
        if (met != KILN_OK || all != KILN_OK || hit.found != (count > 0)) {
            exit(2);
        }
        digest(hash, &hit.found, sizeof hit.found);
        digest(hash, &hit.pair.a, sizeof hit.pair.a);
        digest(hash, &hit.pair.b, sizeof hit.pair.b);
        for (size_t k = 0; k < count && k < PAIRS_MAX; k++) {
            digest(hash, &pairs[k].a, sizeof pairs[k].a);
            digest(hash, &pairs[k].b, sizeof pairs[k].b);
        }
        hits += hit.found;
    }
    return hits;
}

/* A ray along an axis or between two points near the tree, from a vertex by every fourth. */
static kiln_ray any_ray(const kiln_tree *tree, uint64_t *state)
{
    const uint32_t vertex = tree->triangles[next(state) % tree->view.entry->triangle_count * 3];
    const bool from_vertex = next(state) % 4 == 0, along_axis = next(state) % 4 == 0;
    const uint32_t axis = (uint32_t)(next(state) % 3);
    double from[3], to[3];
    for (uint32_t k = 0; k < 3; k++) {
        from[k] = from_vertex ? (double)tree->vertices[3 * vertex + k] : between(state, -2, 2);
        to[k] = along_axis ? from[k] + (k == axis ? 1 : 0) : between(state, -1, 1);
    }
    kiln_ray ray = kiln_ray_between(from, to);
    ray.t_max = 1e30;
    return ray;
}

static void digest_ball(uint64_t *hash, const kiln_tree *tree, const kiln_pose *pose,
                        const kiln_ray *ray)
{
    kiln_triangle_hit hits[HITS_MAX];
    kiln_shape shape = {KILN_SHAPE_CAPSULE, {0, 0, 0}, {0, 0, 0}, 0.25};
    size_t count;
    for (int k = 0; k < 3; k++) {
        shape.a[k] = ray->origin[k];
        shape.b[k] = ray->origin[k] + 0.5 * ray->direction[k];
    }
    if (kiln_overlap_all(tree, NULL, &shape, pose, NULL, hits, HITS_MAX, &count) != KILN_OK) {
        exit(2);
    }
    for (size_t i = 0; i < count && i < HITS_MAX; i++) {
        digest(hash, &hits[i].triangle, sizeof hits[i].triangle);
    }
}

static uint64_t ask_rays(const kiln_tree *tree, uint64_t *hash)
{
    uint64_t state = 8, met = 0;
    for (int i = 0; i < RAYS; i++) {
        const kiln_ray ray = any_ray(tree, &state);
        const kiln_pose pose = any_pose(&state), *at = i % 2 == 0 ? NULL : &pose;
        kiln_ray_hit hits[HITS_MAX];
        size_t count;
        if (kiln_ray_all(tree, at, &ray, NULL, hits, HITS_MAX, &count) != KILN_OK) {
            exit(2);
        }
        for (size_t k = 0; k < count && k < HITS_MAX; k++) {
            digest(hash, &hits[k].triangle, sizeof hits[k].triangle);
            digest(hash, &hits[k].t, sizeof hits[k].t);
            digest(hash, hits[k].weights, sizeof hits[k].weights);
            digest(hash, hits[k].normal, sizeof hits[k].normal);
        }
        digest_ball(hash, tree, at, &ray);
        met += count > 0;
    }
    return met;
}

/* Of few vertices, of as many as are kept in vectors, and of more, in blocks. */
static uint64_t ask_hulls(const kiln_tree *tree, uint64_t *hash)
{
    static const uint32_t counts[] = {1, 4, 7, 40, 131, CORNERS_MAX};
    static double corners[3 * CORNERS_MAX];
    uint64_t state = 9, apart = 0;
    for (uint32_t i = 0; i < HULLS; i++) {
        const kiln_pose pose = any_pose(&state), *at = i % 2 == 0 ? NULL : &pose;
        const kiln_convex hull = {corners, counts[i % 6], i % 3 == 0 ? 0.1 : 0};
        double middle[3];
        kiln_shape_nearest nearest;
        for (int k = 0; k < 3; k++) {
            middle[k] = between(&state, -2, 2);
        }
        for (uint32_t k = 0; k < 3 * hull.count; k++) {
            corners[k] = middle[k % 3] + between(&state, -0.3, 0.3);
        }
        memset(&nearest, 0, sizeof nearest);
        if (kiln_shape_distance(tree, NULL, &hull, at, NULL, &nearest) != KILN_OK) {
            exit(2);
        }
        digest(hash, &nearest.distance, sizeof nearest.distance);
        digest(hash, &nearest.triangle, sizeof nearest.triangle);
        digest(hash, nearest.point_mesh, sizeof nearest.point_mesh);
        digest(hash, nearest.point_shape, sizeof nearest.point_shape);
        digest(hash, nearest.normal, sizeof nearest.normal);
        apart += nearest.distance > 0;
    }
    return apart;
}

/* Opens every node against the first lane of node 0: what the set's own decoder makes of it. */
static void open_nodes(const kiln_kernel *kernel, const kiln_tree *tree, uint64_t *hash)
{
    static const float nowhere[3] = {0, 0, 0};
    kiln_box_transform by;
    kiln_decoded_node box, opened;
    kiln_probe probe;
    memset(&by, 0, sizeof by);
    memset(&box, 0, sizeof box);
    for (int k = 0; k < 3; k++) {
        by.rotation[k][k] = 1.0f;
        box.lanes.half[k][0] = 0.25f;
        box.lanes.axis[4 * k][0] = 1.0f;
    }
    by.column_xy[0][0] = by.column_xy[1][1] = by.column_z[2] = 1.0;
    by.scale = 1.0f;
    by.epsilon = 0x1p-17f;
    box.org = nowhere;
    for (uint32_t i = 0; i < tree->view.entry->node_count; i++) {
        memset(&opened, 0, sizeof opened);
        const uint32_t mask = kiln_kernel_of(kernel, tree->view.kind)
                                  ->open(kiln_tree_node(tree, i), &by, &box, true, &opened, &probe);
        digest(hash, &mask, sizeof mask);
        digest(hash, &opened.order, sizeof opened.order);
        for (unsigned lane = 0; lane < tree->view.kind->lanes; lane++) {
            for (int k = 0; k < 3; k++) {
                digest(hash, &opened.lanes.centre[k][lane], sizeof(float));
                digest(hash, &opened.lanes.half[k][lane], sizeof(float));
            }
            for (int k = 0; k < 9; k++) {
                digest(hash, &opened.lanes.axis[k][lane], sizeof(float));
            }
            digest(hash, &opened.area[lane], sizeof(float));
        }
    }
}

int main(int count, char **names)
{
    const kiln_tree *trees[TREES_MAX];
    unsigned tree_count = 0;
    for (int i = 1; i < count && i <= FILES_MAX; i++) {
        kiln_open_options options = kiln_open_options_default();
        kiln_file *file;
        options.flags = KILN_OPEN_TRUSTED;
        if (kiln_open(names[i], &options, &file) != KILN_OK) {
            (void)fprintf(stderr, "%s does not open\n", names[i]);
            return 2;
        }
        for (uint32_t k = 0; k < file->tree_count && tree_count < TREES_MAX; k++) {
            trees[tree_count++] = &file->trees[k];
        }
    }
    const kiln_kernel *kernel;
    for (unsigned set = 0; (kernel = kiln_kernel_runnable(set)) != NULL; set++) {
        uint64_t hash = 0xcbf29ce484222325u, hits = 0;
        kiln_kernel_force(kernel);
        for (unsigned i = 0; i < tree_count; i++) {
            open_nodes(kernel, trees[i], &hash);
            hits += ask_rays(trees[i], &hash);
            hits += ask_hulls(trees[i], &hash);
            for (unsigned k = 0; k < tree_count; k++) {
                hits += ask_pair(trees[i], trees[k], &hash);
            }
        }
        (void)printf("%s %016" PRIx64 " %" PRIu64 "\n", kernel->name, hash, hits);
    }
    return 0;
}
