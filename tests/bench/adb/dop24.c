/* An exact binary tree of 24-DOPs: the rival that the published query was measured against.
 *
 * Planes are perpendicular to the 3 axes, the 6 diagonals of faces and 3 of the 4 diagonals of the
 * cube: the 24-DOP of Klosowski et al., "Efficient collision detection using bounding volume
 * hierarchies of k-DOPs", IEEE TVCG 4 (1998). A volume is stored by its reach along +n and -n for
 * each of the twelve normals n.
 *
 * The volumes of B are brought into A's frame as in Zachmann, "Rapid collision detection by
 * dynamically aligned DOP-trees", VRAIS 1998. The reach of B along a normal d of A's is at most w0
 * h(n0) + w1 h(n1) + w2 h(n2) where d = w0 n0 + w1 n1 + w2 n2 with w >= 0, and that is least where
 * n0, n1, n2 span the facet of the convex hull of all unit normals that d goes through. Facets and
 * weights depend on the rotation alone: they are found once a query.
 *
 * What makes it fast: +n and -n share facet and weights, so two normals of A are one vector of
 * four; hull facets are searched by vector arithmetic over twelve directions at once; a volume of B
 * is realigned once and then met with every volume of A below, as one side is opened at a time, the
 * larger; of two children the nearer comes first. Compiled for AVX2, which the library's own
 * kernels use where it is there, it takes as long: vectors of four are what its numbers come in. */
#include "dop24.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { NORMALS = 12, REACHES = 2 * NORMALS, VECTORS = REACHES / 4, PART = 3, FACETS = 22 };
#define SIGNS 0x8000000080000000u

static const float normals[NORMALS][3] = {
    {1, 0, 0},  {0, 1, 0},  {0, 0, 1},  {1, 1, 0},  {1, 0, 1},  {0, 1, 1},
    {1, -1, 0}, {1, 0, -1}, {0, 1, -1}, {1, 1, -1}, {1, -1, 1}, {-1, 1, 1},
};

typedef float four __attribute__((vector_size(16)));
typedef int32_t four_bits __attribute__((vector_size(16)));
typedef double two __attribute__((vector_size(16))); /* two pairs of floats, to be moved only */
typedef uint64_t two_words __attribute__((vector_size(16)));

/* Two children lie side by side, 112 bytes each. reach[i / 2][2 (i % 2)] is the most of n_i . p
 * over the points p, followed by that of -n_i . p. */
typedef struct {
    four reach[VECTORS];
    float area;     /* half the surface of the box: which side to open */
    uint32_t leaf;  /* not 0: `child` is a triangle */
    uint32_t child; /* first of two nodes */
} node;

/* One of each pair of opposite facets. */
typedef struct {
    float gauge[3];      /* g . d is largest for the facet that d goes through, and 1 on it */
    float inverse[3][3]; /* w_k = inverse[k] . d */
    int normal[3];       /* index, or ~index for the opposite normal */
} facet;

struct dop24 {
    const float *vertices; /* of the shape, as are: */
    const uint32_t *triangles;
    node *nodes; /* 0: root; 1: not used; then pairs */
    uint32_t count;
    float size; /* no coordinate is larger */
    facet facets[FACETS];
};

/* ---------------------------------------------------------------------------------- building -- */

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    }
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Normal `signed_index` and its length. */
static double signed_normal(int signed_index, double out[3])
{
    const int index = signed_index < 0 ? ~signed_index : signed_index;
    for (int k = 0; k < 3; k++) {
        out[k] = (double)normals[index][k] * (signed_index < 0 ? -1 : 1);
    }
    return sqrt(dot(out, out));
}

/* Does the plane through the three unit normals have all others on its inner side? */
static bool make_facet(const int index[3], facet *out)
{
    double n[3][3], unit[3][3], edge[2][3], across[3];
    for (int c = 0; c < 3; c++) {
        const double length = signed_normal(index[c], n[c]);
        for (int k = 0; k < 3; k++) {
            unit[c][k] = n[c][k] / length;
        }
        out->normal[c] = index[c];
    }
    for (int k = 0; k < 3; k++) {
        edge[0][k] = unit[1][k] - unit[0][k];
        edge[1][k] = unit[2][k] - unit[0][k];
    }
    cross(edge[0], edge[1], across);
    const double height = dot(across, unit[0]);
    if (fabs(height) < 1e-9) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        out->gauge[k] = (float)(across[k] / height);
    }
    for (int other = -NORMALS; other < NORMALS; other++) {
        double p[3];
        const double length = signed_normal(other, p);
        if (dot(across, p) / (height * length) > 1 + 1e-9) {
            return false;
        }
    }
    for (int c = 0; c < 3; c++) {
        double row[3];
        cross(n[(c + 1) % 3], n[(c + 2) % 3], row);
        const double volume = dot(row, n[c]);
        for (int k = 0; k < 3; k++) {
            out->inverse[c][k] = (float)(row[k] / volume);
        }
    }
    return true;
}

/* All triples are tried: there are 2,024, once a tree. The hull has 44 facets in opposite pairs, of
 * which the one that comes first is kept. */
static void find_facets(facet facets[FACETS])
{
    int found = 0;
    for (int i = -NORMALS; i < NORMALS; i++) {
        for (int j = i + 1; j < NORMALS; j++) {
            for (int k = j + 1; k < NORMALS; k++) {
                const int index[3] = {i, j, k};
                facet next;
                if (!make_facet(index, &next)) {
                    continue;
                }
                bool opposite = false;
                for (int f = 0; f < found; f++) {
                    double sum = 0;
                    for (int c = 0; c < 3; c++) {
                        sum += fabs((double)(facets[f].gauge[c] + next.gauge[c]));
                    }
                    opposite = opposite || sum < 1e-5;
                }
                if (!opposite && found < FACETS) {
                    facets[found++] = next;
                }
            }
        }
    }
}

static void bound_triangle(const dop24 *tree, uint32_t triangle, node *out)
{
    float reach[REACHES];
    for (int i = 0; i < NORMALS; i++) {
        double most[2] = {-HUGE_VAL, -HUGE_VAL};
        for (int c = 0; c < 3; c++) {
            const uint32_t vertex = tree->triangles[3 * (size_t)triangle + (size_t)c];
            double value = 0;
            for (int k = 0; k < 3; k++) {
                value +=
                    (double)normals[i][k] * (double)tree->vertices[3 * (size_t)vertex + (size_t)k];
            }
            most[0] = fmax(most[0], value);
            most[1] = fmax(most[1], -value);
        }
        for (int side = 0; side < 2; side++) {
            reach[2 * i + side] = (float)most[side]; /* rounding: see start() */
        }
    }
    memcpy(out->reach, reach, sizeof reach);
}

static void join(const node *a, const node *b, node *out)
{
    for (int v = 0; v < VECTORS; v++) {
        for (int k = 0; k < 4; k++) {
            out->reach[v][k] = a->reach[v][k] > b->reach[v][k] ? a->reach[v][k] : b->reach[v][k];
        }
    }
}

static float half_area(const node *n)
{
    float side[3];
    for (int k = 0; k < 3; k++) {
        side[k] = n->reach[k / 2][2 * (k % 2)] + n->reach[k / 2][2 * (k % 2) + 1];
    }
    return side[0] * side[1] + side[1] * side[2] + side[2] * side[0];
}

/* Fills node `index` and what is below it from node `from` of the shape. False: a leaf has several
 * triangles. */
static bool fill(dop24 *tree, const kiln_view_tree *shape, uint32_t index, uint32_t from)
{
    const kiln_format_node8 *given = kiln_view_tree_node(shape, from);
    node *out = &tree->nodes[index];
    out->child = tree->count;
    out->leaf = 0;
    tree->count += 2;
    for (unsigned lane = 0; lane < 2; lane++) {
        node *child = &tree->nodes[out->child + lane];
        if ((given->inner >> lane & 1) != 0) {
            if (!fill(tree, shape, out->child + lane, kiln_node8_child(given, lane))) {
                return false;
            }
        } else if (kiln_node8_count(given, lane) == 1) {
            child->leaf = 1;
            child->child = kiln_view_tree_triangle(shape, kiln_node8_slot(given, lane));
            bound_triangle(tree, child->child, child);
            child->area = half_area(child);
        } else {
            return false;
        }
    }
    join(&tree->nodes[out->child], &tree->nodes[out->child + 1], out);
    out->area = half_area(out);
    return true;
}

dop24 *dop24_build(const bench_file *shape)
{
    const kiln_view_tree from = kiln_view_get_tree(&shape->view, 0);
    if (from.entry->bv != KILN_FORMAT_BV_OBB2) {
        return NULL;
    }
    dop24 *tree = malloc(sizeof *tree);
    if (tree == NULL) {
        return NULL;
    }
    tree->vertices = shape->view.vertices;
    tree->triangles = shape->view.triangles;
    tree->count = 2;
    const size_t size = ((size_t)from.entry->triangle_count + 1) * 2 * sizeof(node);
    tree->nodes = aligned_alloc(64, (size + 63) / 64 * 64);
    tree->size = 0;
    for (int k = 0; k < 3; k++) {
        tree->size =
            fmaxf(tree->size, fmaxf(-from.entry->bounds_lower[k], from.entry->bounds_upper[k]));
    }
    find_facets(tree->facets);
    if (tree->nodes == NULL || !fill(tree, &from, 0, 0)) {
        dop24_free(tree);
        return NULL;
    }
    return tree;
}

void dop24_free(dop24 *tree)
{
    free(tree->nodes);
    free(tree);
}

size_t dop24_bytes(const dop24 *tree)
{
    return (tree->count - 1) * sizeof(node);
}

/* ----------------------------------------------------------------------------------- queries -- */

/* A volume of B's in A's frame. Its numbers stand in the order -n, +n: added to those of a
 * volume of A's, a negative sum says that the two are apart. */
typedef struct {
    four reach[VECTORS];
} aligned;

typedef struct {
    const dop24 *tree;
    const kiln_pose *pose;
    four offset[VECTORS]; /* of the translation, and slack for all roundings */
    four weight[VECTORS][3];
    uint8_t source[NORMALS][3]; /* pair of numbers in the table of align() */
    unsigned volumes;
    uint32_t carried; /* triangle of B whose corners are in `corners` */
    double corners[9];
} query;

/* The facet and the weights of each normal of A's, seen from B. */
static void find_weights(query *q)
{
    const double *r = q->pose->rotation;
    float d[3][NORMALS], best[NORMALS];
    int32_t which[NORMALS]; /* ~facet: the opposite one */
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < NORMALS; i++) {
            d[k][i] = normals[i][0] * (float)r[k] + normals[i][1] * (float)r[3 + k] +
                      normals[i][2] * (float)r[6 + k];
        }
    }
    memset(best, 0, sizeof best);
    memset(which, 0, sizeof which);
    for (int f = 0; f < FACETS; f++) {
        const float *gauge = q->tree->facets[f].gauge;
        for (int i = 0; i < NORMALS; i += 4) {
            four most, x, y, z;
            four_bits index;
            memcpy(&most, best + i, sizeof most);
            memcpy(&index, which + i, sizeof index);
            memcpy(&x, d[0] + i, sizeof x);
            memcpy(&y, d[1] + i, sizeof y);
            memcpy(&z, d[2] + i, sizeof z);
            const four value = gauge[0] * x + gauge[1] * y + gauge[2] * z;
            const four_bits back = value < 0;
            const four size = (four)((four_bits)value & 0x7FFFFFFF);
            const four_bits better = size > most;
            index = (better & (f ^ back)) | (~better & index);
            most = (four)((better & (four_bits)size) | (~better & (four_bits)most));
            memcpy(best + i, &most, sizeof most);
            memcpy(which + i, &index, sizeof index);
        }
    }
    for (int i = 0; i < NORMALS; i++) {
        const bool back = which[i] < 0;
        const facet *hit = &q->tree->facets[back ? ~which[i] : which[i]];
        for (int c = 0; c < 3; c++) {
            const float *row = hit->inverse[c];
            const float w = row[0] * d[0][i] + row[1] * d[1][i] + row[2] * d[2][i];
            const float weight = fmaxf(back ? -w : w, 0.0f);
            const bool opposite = back != (hit->normal[c] < 0);
            const int index = hit->normal[c] < 0 ? ~hit->normal[c] : hit->normal[c];
            q->weight[i / 2][c][2 * (i % 2)] = weight;
            q->weight[i / 2][c][2 * (i % 2) + 1] = weight;
            q->source[i][c] = (uint8_t)(opposite ? index : NORMALS + index);
        }
    }
}

static void start(query *q, const dop24 *tree, const kiln_pose *pose)
{
    q->tree = tree;
    q->pose = pose;
    q->volumes = 0;
    q->carried = UINT32_MAX;
    find_weights(q);
    /* A number is a sum of at most nine terms of the size of coordinates, as weights add up to
     * at most 3, each rounded a few times by 2^-24; reaches are rounded, too. Rounding them up
     * instead would make denormals of zeros, which symmetric objects have many of: 150 cycles
     * each. */
    double size = (double)tree->size;
    for (int k = 0; k < 3; k++) {
        size = fmax(size, fabs(pose->translation[k]));
    }
    const float slack = (float)size * 4e-6f;
    for (int i = 0; i < NORMALS; i++) {
        const float along = (float)((double)normals[i][0] * pose->translation[0] +
                                    (double)normals[i][1] * pose->translation[1] +
                                    (double)normals[i][2] * pose->translation[2]);
        q->offset[i / 2][2 * (i % 2)] = slack - along;
        q->offset[i / 2][2 * (i % 2) + 1] = slack + along;
    }
}

/* A negative sum says that two volumes are apart along a normal. */
static inline bool any_sign(four_bits sums)
{
    const two_words word = (two_words)sums;
    return ((word[0] | word[1]) & SIGNS) != 0;
}

/* One name for it in each compiler; element by element it takes 6 % longer as a whole. */
static inline four turned_round(four pairs)
{
#if defined(__clang__)
    return __builtin_shufflevector(pairs, pairs, 1, 0, 3, 2);
#else
    return __builtin_shuffle(pairs, (four_bits){1, 0, 3, 2});
#endif
}

/* `n` of B's in A's frame, and whether it may meet `a`: after each part, if not, the rest is left
 * out, since no query needs it. */
static inline bool align(query *q, const node *n, const node *a, aligned *out)
{
    four table[2 * VECTORS]; /* pairs +n, -n, then the same exchanged */
    for (int v = 0; v < VECTORS; v++) {
        table[v] = n->reach[v];
        table[VECTORS + v] = turned_round(n->reach[v]);
    }
    double pairs[2 * NORMALS];
    memcpy(pairs, table, sizeof pairs);
    q->volumes++;
    for (int v = 0; v < VECTORS; v += PART) {
        four_bits signs = {0, 0, 0, 0};
        for (int i = v; i < v + PART; i++) {
            const uint8_t *first = q->source[2 * i], *second = q->source[2 * i + 1];
            four sum = q->offset[i];
            for (int c = 0; c < 3; c++) {
                const two moved = {pairs[first[c]], pairs[second[c]]};
                sum += q->weight[i][c] * (four)moved;
            }
            out->reach[i] = sum;
            signs |= (four_bits)(a->reach[i] + sum);
        }
        if (any_sign(signs)) {
            return false;
        }
    }
    return true;
}

static inline bool meet(query *q, const node *a, const aligned *b)
{
    q->volumes++;
    four_bits signs = (four_bits)(a->reach[0] + b->reach[0]);
    for (int v = 1; v < VECTORS; v++) {
        signs |= (four_bits)(a->reach[v] + b->reach[v]);
    }
    return !any_sign(signs);
}

/* Square of twice the distance of the middles of the boxes. */
static inline float distance(const node *a, const aligned *b)
{
    float sum = 0;
    for (int k = 0; k < 3; k++) {
        const int v = k / 2, i = 2 * (k % 2);
        const float d =
            (a->reach[v][i] - a->reach[v][i + 1]) + (b->reach[v][i] - b->reach[v][i + 1]);
        sum += d * d;
    }
    return sum;
}

static void load_corner(const dop24 *tree, uint32_t triangle, int c, double out[3])
{
    const uint32_t vertex = tree->triangles[3 * (size_t)triangle + (size_t)c];
    for (int k = 0; k < 3; k++) {
        out[k] = (double)tree->vertices[3 * (size_t)vertex + (size_t)k];
    }
}

/* What is too small for exact arithmetic is 0, as in the library. */
static double settled(double coordinate)
{
    return fabs(coordinate) < 0x1p-250 ? 0.0 : coordinate;
}

static bool triangles_meet(query *q, uint32_t a, uint32_t b)
{
    double corners[9];
    if (q->carried != b) {
        const double *r = q->pose->rotation, *t = q->pose->translation;
        for (int c = 0; c < 3; c++) {
            double p[3];
            load_corner(q->tree, b, c, p);
            for (int i = 0; i < 3; i++) {
                q->corners[3 * c + i] =
                    settled(((r[3 * i] * p[0] + r[3 * i + 1] * p[1]) + r[3 * i + 2] * p[2]) + t[i]);
            }
        }
        q->carried = b;
    }
    for (int c = 0; c < 3; c++) {
        load_corner(q->tree, a, c, corners + 3 * c);
    }
    bool meet = false;
    (void)kiln_triangles_meet(corners, q->corners, &meet);
    return meet;
}

/* Node `a` of A and `b` of B, which is `at` in A's frame, meet: do triangles below them? */
static bool descend(query *q, const node *a, const node *b, const aligned *at)
{
    if (a->leaf && b->leaf) {
        return triangles_meet(q, a->child, b->child);
    }
    if (b->leaf || (!a->leaf && a->area >= b->area)) {
        const node *child = q->tree->nodes + a->child;
        const bool first = meet(q, child, at), second = meet(q, child + 1, at);
        if (first && second) {
            const int near = distance(child + 1, at) < distance(child, at);
            return descend(q, child + near, b, at) || descend(q, child + !near, b, at);
        }
        return (first && descend(q, child, b, at)) || (second && descend(q, child + 1, b, at));
    }
    const node *child = q->tree->nodes + b->child;
    aligned below[2];
    const bool first = align(q, child, a, &below[0]), second = align(q, child + 1, a, &below[1]);
    if (first && second) {
        const int near = distance(a, &below[1]) < distance(a, &below[0]);
        return descend(q, a, child + near, &below[near]) ||
               descend(q, a, child + !near, &below[!near]);
    }
    return (first && descend(q, a, child, &below[0])) ||
           (second && descend(q, a, child + 1, &below[1]));
}

bool dop24_collide(const dop24 *tree, const kiln_pose *pose, unsigned *volumes)
{
    query q;
    aligned root;
    start(&q, tree, pose);
    const bool found =
        align(&q, tree->nodes, tree->nodes, &root) && descend(&q, tree->nodes, tree->nodes, &root);
    if (volumes != NULL) {
        *volumes += q.volumes;
    }
    return found;
}
