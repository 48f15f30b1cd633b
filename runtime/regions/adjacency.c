/* Adjacency over edges, by the coordinates of their ends.
 *
 * Half-edges go into lists by a hash of their two ends in either order; each list is then sorted by
 * the ends, in place, and cut into rings. Sorting makes the cost n log n whatever the hash makes of
 * a mesh. The heads of the lists lie behind the rings and are of no use afterwards. */
#include "adjacency.h"

#include "../../formats/vector.h"
#include "../base/fpu.h"
#include "../base/caller_memory.h"

#include <string.h>

#define NO_EDGE UINT32_MAX

enum {
    TRIANGLES_MOST = 1 << 28,
    RUNS = 32 /* sorted runs of 1, 2, 4 ... half-edges */
};

static size_t heads_for(uint32_t triangles)
{
    size_t heads = 1;
    while (heads < triangles) {
        heads *= 2;
    }
    return heads;
}

static uint32_t triangles_of(const kiln_tree *tree)
{
    return tree->view.heights != NULL ? kiln_heights_triangles(tree->view.heights)
                                      : tree->view.entry->triangle_count;
}

/* Numbers that the corners and vertices of a height field take, which its tree has nowhere. */
static uint64_t field_numbers(const kiln_tree *tree)
{
    const kiln_heights *field = tree->view.heights;
    return field != NULL
               ? 3 * (triangles_of(tree) + (uint64_t)field->grid->columns * field->grid->rows)
               : 0;
}

size_t kiln_adjacency_size(const kiln_tree *tree)
{
    if (tree == NULL || !kiln_tree_has_polygons(tree) || triangles_of(tree) > TRIANGLES_MOST) {
        return 0;
    }
    const uint64_t numbers =
        3 * (uint64_t)triangles_of(tree) + heads_for(triangles_of(tree)) + field_numbers(tree);
    const uint64_t size = sizeof(kiln_adjacency) + numbers * sizeof(uint32_t) + sizeof(void *) - 1;
    return size <= SIZE_MAX / 2 ? (size_t)size : 0;
}

/* -1, 0, 1; -0 is 0. */
static int compare_vertex_places(const float *u, const float *v)
{
    for (int k = 0; k < 3; k++) {
        if (u[k] != v[k]) {
            return u[k] < v[k] ? -1 : 1;
        }
    }
    return 0;
}

/* The ends of an edge, the lesser one first. */
typedef struct {
    const float *low, *high;
} edge_ends;

static edge_ends ends_of(const kiln_adjacency *of, uint32_t half_edge)
{
    const float *from = kiln_adjacency_vertex(of, half_edge / 3, half_edge % 3);
    const float *to = kiln_adjacency_vertex(of, half_edge / 3, (half_edge + 1) % 3);
    return compare_vertex_places(from, to) < 0 ? (edge_ends){from, to} : (edge_ends){to, from};
}

static int compare_edges(const kiln_adjacency *of, uint32_t h, uint32_t i)
{
    const edge_ends one = ends_of(of, h), other = ends_of(of, i);
    const int low = compare_vertex_places(one.low, other.low);
    return low != 0 ? low : compare_vertex_places(one.high, other.high);
}

static uint64_t hash_place(uint64_t hash, const float *place)
{
    for (int k = 0; k < 3; k++) {
        const float number = place[k] + 0.0f; /* -0 is 0 */
        uint32_t bits;
        memcpy(&bits, &number, sizeof bits);
        hash = (hash ^ bits) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    return hash;
}

/* Two sorted lists as one. */
static uint32_t merge_edges(const kiln_adjacency *of, uint32_t *next, uint32_t one, uint32_t other)
{
    uint32_t first = NO_EDGE, *end = &first;
    while (one != NO_EDGE && other != NO_EDGE) {
        uint32_t *least = compare_edges(of, other, one) < 0 ? &other : &one;
        *end = *least;
        end = &next[*least];
        *least = *end;
    }
    *end = one != NO_EDGE ? one : other;
    return first;
}

static uint32_t sort_edges(const kiln_adjacency *of, uint32_t *next, uint32_t list)
{
    uint32_t runs[RUNS];
    for (int i = 0; i < RUNS; i++) {
        runs[i] = NO_EDGE;
    }
    while (list != NO_EDGE) {
        uint32_t run = list;
        list = next[run];
        next[run] = NO_EDGE;
        int i = 0;
        for (; i < RUNS - 1 && runs[i] != NO_EDGE; i++) {
            run = merge_edges(of, next, runs[i], run);
            runs[i] = NO_EDGE;
        }
        runs[i] = merge_edges(of, next, runs[i], run);
    }
    for (int i = 0; i < RUNS; i++) {
        list = merge_edges(of, next, runs[i], list);
    }
    return list;
}

/* Equal edges of a sorted list become rings. */
static void close_rings(const kiln_adjacency *of, uint32_t *next, uint32_t list)
{
    while (list != NO_EDGE) {
        uint32_t last = list;
        while (next[last] != NO_EDGE && compare_edges(of, list, next[last]) == 0) {
            last = next[last];
        }
        const uint32_t rest = next[last];
        next[last] = list;
        list = rest;
    }
}

/* Is the volume that the triangles enclose negative? */
static bool is_turned(const kiln_adjacency *of)
{
    double volume = 0;
    for (uint32_t t = 0; t < of->count; t++) {
        double at[3][3], product[3];
        for (unsigned c = 0; c < 3; c++) {
            for (int k = 0; k < 3; k++) {
                at[c][k] = (double)kiln_adjacency_vertex(of, t, c)[k] -
                           (double)kiln_adjacency_vertex(of, 0, 0)[k];
            }
        }
        kiln_cross(at[1], at[2], product);
        volume += kiln_dot(at[0], product);
    }
    return volume < 0;
}

static void form_field(const kiln_tree *tree, uint32_t *corners, float *vertices)
{
    const kiln_heights *field = tree->view.heights;
    const uint32_t count = triangles_of(tree);
    kiln_heights_place(field, vertices);
    for (uint32_t t = 0; t < count; t++) {
        for (unsigned c = 0; c < 3; c++) {
            corners[3 * (size_t)t + c] = kiln_heights_has(field, t)
                                             ? kiln_tree_vertex_number(tree, t, c)
                                             : kiln_tree_vertex_number(tree, t, 0);
        }
    }
}

/* An edge whose ends are at one place is none. */
static void make_rings(kiln_adjacency *of, uint32_t *ring, uint32_t *heads, size_t head_count)
{
    if (of->tree->view.heights != NULL) {
        form_field(of->tree, heads + head_count,
                   (float *)(void *)(heads + head_count + 3 * (size_t)of->count));
    }
    for (size_t i = 0; i < head_count; i++) {
        heads[i] = NO_EDGE;
    }
    for (uint32_t h = 0; h < 3 * of->count; h++) {
        const edge_ends ends = ends_of(of, h);
        if (kiln_vertices_equal(ends.low, ends.high)) {
            ring[h] = h;
            continue;
        }
        const uint64_t hash = hash_place(hash_place(0, ends.low), ends.high);
        uint32_t *head = &heads[(hash >> 32) & (head_count - 1)];
        ring[h] = *head;
        *head = h;
    }
    for (size_t i = 0; i < head_count; i++) {
        close_rings(of, ring, sort_edges(of, ring, heads[i]));
    }
    of->turned = of->tree->view.entry->closed == KILN_CLOSED_ORIENTED && is_turned(of);
}

kiln_status kiln_adjacency_place(void *memory, size_t size, const kiln_tree *tree,
                                 kiln_adjacency **out)
{
    if (out == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    *out = NULL;
    if (memory == NULL || tree == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    if (!kiln_tree_has_polygons(tree)) {
        return kiln_tree_lack(tree);
    }
    const size_t needed = kiln_adjacency_size(tree);
    if (needed == 0 || size < needed) {
        return KILN_ERROR_ARGUMENT;
    }
    uint8_t *start = (uint8_t *)memory + kiln_memory_skip(memory, sizeof(void *));
    kiln_adjacency *of = (kiln_adjacency *)(void *)start;
    uint32_t *ring = (uint32_t *)(void *)(start + sizeof *of);
    memset(of, 0, sizeof *of);
    of->tree = tree;
    of->first = tree->view.entry->triangle_first;
    of->count = triangles_of(tree);
    of->ring = ring;
    if (tree->view.heights != NULL) {
        uint32_t *own = ring + 3 * (size_t)of->count + heads_for(of->count);
        of->corners = own;
        of->vertices = (const float *)(const void *)(own + 3 * (size_t)of->count);
    } else {
        of->corners = tree->triangles + 3 * (size_t)of->first;
        of->vertices = tree->vertices;
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(make, make_rings);
    make(of, ring, ring + 3 * (size_t)of->count, heads_for(of->count));
    kiln_fpu_leave(caller);
    *out = of;
    return KILN_OK;
}

const kiln_tree *kiln_adjacency_tree(const kiln_adjacency *adjacency)
{
    return adjacency != NULL ? adjacency->tree : NULL;
}
