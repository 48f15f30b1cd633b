/* Measures of the volumes that a tree has on each level, as the figures of the k-DOP trees of
 * Klosowski et al. (1998) show them: how much room they take and how much they lie in each other.
 *
 * Three numbers say so in different ways. The sum of sizes counts what several volumes hold several
 * times. Siblings are tested in pairs, since a query that opens a node gets into as many of them as
 * it meets. And a point of the surface should lie in one volume of a level; it is counted in how
 * many it does. All follow from the stored nodes by +, -, *, /, square roots and, of polytopes, the
 * order of corners, so that they are the same for the same file. */
#include "levels.h"

#include "polytope.h"

#include <math.h>

enum { POINTS_MOST = 1024 };

/* A point within rounding of a face is inside: node space is [-1, 1]. */
#define NEARLY 0x1p-40

typedef struct {
    const kiln_view_tree *tree;
    kiln_level_measure *levels;
    uint32_t depth;
    double point[3];
    uint64_t inside[KILN_TREE_DEPTH_MAX]; /* of the points, by the level of the volume */
    uint64_t in_leaf[KILN_TREE_DEPTH_MAX];
    double leaf_size[KILN_TREE_DEPTH_MAX];
    uint64_t leaves[KILN_TREE_DEPTH_MAX];
} measuring;

/* All lanes of one node against each other. */
static void measure_node(measuring *m, uint32_t node, uint32_t level)
{
    kiln_volume lane[KILN_NODE_WIDTH];
    kiln_level_measure *out = &m->levels[level - 1];
    unsigned count = 0;
    const unsigned used = kiln_node8_used(kiln_view_tree_node(m->tree, node));
    for (unsigned i = 0; i < KILN_NODE_WIDTH; i++) {
        if ((used >> i & 1u) != 0) {
            kiln_volume_of(m->tree, node, i, level, &lane[count++]);
        }
    }
    for (unsigned i = 0; i < count; i++) {
        for (unsigned j = 0; j < i; j++) {
            out->siblings++;
            out->siblings_apart += !kiln_volumes_overlap(&lane[i], &lane[j]);
        }
    }
}

static bool take_volume(void *user, const kiln_volume *volume)
{
    measuring *m = user;
    const uint32_t at = volume->level - 1;
    const double size = kiln_volume_size(volume);
    m->levels[at].volumes++;
    m->levels[at].size += size;
    if (volume->contents.count == 0) {
        KILN_ASSERT(volume->level < m->depth);
        measure_node(m, volume->contents.first, volume->level + 1);
    } else {
        m->leaves[at]++;
        m->leaf_size[at] += size;
    }
    return true;
}

static bool take_point(void *user, const kiln_volume *volume)
{
    measuring *m = user;
    if (kiln_volume_beyond(volume, m->point) > NEARLY) {
        return false;
    }
    m->inside[volume->level - 1]++;
    m->in_leaf[volume->level - 1] += volume->contents.count != 0;
    return true;
}

/* The middle of a triangle in node space. */
static void middle_of(const kiln_view *view, const kiln_format_tree *entry, uint32_t triangle,
                      double out[3])
{
    const double scale = ldexp(1, -entry->scale_exponent);
    for (unsigned k = 0; k < 3; k++) {
        double sum = 0;
        for (unsigned c = 0; c < 3; c++) {
            float vertex[3];
            kiln_view_vertex(view, triangle, c, vertex);
            sum += ((double)vertex[k] - entry->origin[k]) * scale;
        }
        out[k] = sum / 3;
    }
}

void kiln_levels_measure(const kiln_view *view, const kiln_view_tree *tree,
                         kiln_level_measure out[KILN_TREE_DEPTH_MAX], uint32_t *count)
{
    const kiln_format_tree *entry = tree->entry;
    measuring m = {.tree = tree, .levels = out, .depth = entry->depth};
    double whole = 1;
    uint64_t points = 0;
    KILN_ASSERT(entry->depth >= 1 && entry->depth <= KILN_TREE_DEPTH_MAX);
    for (unsigned k = 0; k < 3; k++) {
        const double side = (double)entry->bounds_upper[k] - (double)entry->bounds_lower[k];
        whole *= side * ldexp(1, -entry->scale_exponent);
    }
    memset(out, 0, entry->depth * sizeof *out);
    measure_node(&m, 0, 1);
    kiln_tree_visit_volumes(tree, take_volume, &m);
    const uint32_t step = entry->triangle_count / POINTS_MOST + 1;
    const uint32_t stored = view->heights != NULL ? view->triangle_count : entry->triangle_count;
    for (uint32_t i = 0; view->triangles != NULL && i < stored; i += step) {
        if (!kiln_view_stores(view, i)) {
            continue;
        }
        middle_of(view, entry, view->heights != NULL ? i : kiln_view_tree_triangle(tree, i),
                  m.point);
        kiln_tree_visit_volumes(tree, take_point, &m);
        points++;
    }
    /* Leaves stay on the levels below their own. */
    uint64_t leaves = 0, in_leaf = 0;
    double leaf_size = 0;
    for (uint32_t i = 0; i < entry->depth; i++) {
        out[i].volumes += leaves;
        out[i].size = whole > 0 ? (out[i].size + leaf_size) / whole : NAN;
        out[i].cover = points > 0 ? (double)(m.inside[i] + in_leaf) / (double)points : NAN;
        leaves += m.leaves[i];
        leaf_size += m.leaf_size[i];
        in_leaf += m.in_leaf[i];
    }
    *count = entry->depth;
}
