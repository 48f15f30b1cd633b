/* Dynamic realignment of k-DOPs, after G. Zachmann, "Rapid collision detection by dynamically
 * aligned DOP-trees", VRAIS 1998: what bounds a k-DOP along a direction that is none of its own.
 *
 * If d = w0 e0 + w1 e1 + w2 e2, slabs along the e bound a slab along d: its middle is the same sum
 * of their middles, its half-width the sum with |w|, as a slab is symmetric. That holds for any
 * such sum. The bound is least, for a k-DOP whose faces all are as far from the middle as each
 * other, where the e span the face of the convex hull of all unit normals that d goes through.
 * Those hulls are known once for all, and they have the symmetry of the cube, but for DOP24: with
 * the coordinates' magnitudes a >= b >= c, at the axes i, j, k, the face is
 *
 *     axes, corners, edges   (a - b) axis i + (b - c) edge ij + c corner
 *     axes, edges            (a - b - c) axis i + b edge ij + c edge ik, or, where a < b + c,
 *                            ((a + b - c) edge ij + (a + c - b) edge ik + (b + c - a) edge jk) / 2
 *     axes, corners          (a - b) axis i + (b + c) / 2 corner + (b - c) / 2 the corner across k
 *     axes                   a axis i + b axis j + c axis k
 *
 * with the signs of the coordinates. DOP24 has six corners; towards the others it is as DOP18. No
 * face is searched, so that a query's table takes less time than the test of a node, and nothing
 * of a tree is copied or rotated. */
#include "dop_map.h"

#include <math.h>
#include <string.h>

/* The numbers of diagonals, as in kiln_dop_set.first: corners, then edges. */
enum { CORNERS = KILN_DOP_CORNERS };

typedef struct {
    float weight[3];
    uint8_t index[3];
} face;

static bool has_edges(const kiln_dop_set *set)
{
    return set->first + set->slabs > CORNERS;
}

static void put(const kiln_dop_set *set, face *out, unsigned k, float weight, unsigned diagonal)
{
    KILN_ASSERT(diagonal >= set->first && diagonal < (unsigned)set->first + set->slabs);
    out->weight[k] = weight;
    out->index[k] = (uint8_t)(3 + diagonal - set->first);
}

/* The edge in the plane of the axes i and j, which has a positive coordinate along the lesser. */
static void put_edge(const kiln_dop_set *set, face *out, unsigned at, float weight,
                     const float sign[3], unsigned i, unsigned j)
{
    const unsigned low = i < j ? i : j;
    put(set, out, at, weight * sign[low], CORNERS + 2 * (i + j - 1) + (sign[i] != sign[j] ? 1 : 0));
}

static unsigned corner_of(const float sign[3])
{
    return (sign[1] != sign[0] ? 1u : 0u) + (sign[2] != sign[0] ? 2u : 0u);
}

static void find_face(const kiln_dop_set *set, const float d[3], face *out)
{
    unsigned i = 0, j = 1, k = 2, swap;
    float sign[3], size[3];
    for (unsigned axis = 0; axis < 3; axis++) {
        size[axis] = fabsf(d[axis]);
        sign[axis] = d[axis] < 0.0f ? -1.0f : 1.0f;
    }
    swap = i, i = size[i] < size[j] ? j : i, j = swap + j - i;
    swap = j, j = size[j] < size[k] ? k : j, k = swap + k - j;
    swap = i, i = size[i] < size[j] ? j : i, j = swap + j - i;
    const float a = size[i], b = size[j], c = size[k];
    const bool edges = has_edges(set);
    const unsigned corner = corner_of(sign);
    const bool has_corner = corner >= set->first && set->first < CORNERS && set->slabs > 0;
    KILN_ASSERT(a >= b && b >= c);
    out->index[0] = (uint8_t)i;
    if (edges && has_corner) {
        out->weight[0] = (a - b) * sign[i];
        put_edge(set, out, 1, b - c, sign, i, j);
        put(set, out, 2, c * sign[0], corner);
    } else if (edges && a < b + c) {
        put_edge(set, out, 0, 0.5f * (a + b - c), sign, i, j);
        put_edge(set, out, 1, 0.5f * (a + c - b), sign, i, k);
        put_edge(set, out, 2, 0.5f * (b + c - a), sign, j, k);
    } else if (edges) {
        out->weight[0] = (a - b - c) * sign[i];
        put_edge(set, out, 1, b, sign, i, j);
        put_edge(set, out, 2, c, sign, i, k);
    } else if (has_corner) {
        out->weight[0] = (a - b) * sign[i];
        put(set, out, 1, 0.5f * (b + c) * sign[0], corner);
        sign[k] = -sign[k];
        put(set, out, 2, 0.5f * (b - c) * sign[0], corner_of(sign));
    } else {
        out->index[1] = (uint8_t)j;
        out->index[2] = (uint8_t)k;
        out->weight[0] = d[i];
        out->weight[1] = d[j];
        out->weight[2] = d[k];
    }
}

/* The directions of `set`, which a rotation takes into the other tree's frame, as sums of those of
 * `other`. `column[k]` is what the rotation makes of axis k. */
static void find_faces(const kiln_dop_set *set, const kiln_dop_set *other, float column[3][3],
                       face out[KILN_DOP_DIRECTIONS_MAX])
{
    for (unsigned i = 0; i < kiln_dop_directions(set); i++) {
        float d[3];
        for (unsigned k = 0; k < 3; k++) {
            d[k] = (set->direction[0][i] * column[0][k] + set->direction[1][i] * column[1][k]) +
                   set->direction[2][i] * column[2][k];
        }
        find_face(other, d, &out[i]);
    }
}

static void fill_sums(kiln_dop_map *map, const kiln_dop_set *own, const kiln_dop_set *other,
                      const face by_other[KILN_DOP_DIRECTIONS_MAX],
                      const face by_own[KILN_DOP_DIRECTIONS_MAX])
{
    map->own = own;
    map->other = other;
    map->edges = has_edges(own) && has_edges(other);
    memset(map->by_other, 0, sizeof map->by_other);
    for (unsigned j = 0; j < kiln_dop_directions(own); j++) {
        for (unsigned k = 0; k < 3; k++) {
            map->by_other[by_other[j].index[k]][j] = by_other[j].weight[k];
        }
    }
    for (unsigned i = 0; i < kiln_dop_directions(other); i++) {
        memcpy(map->weight[i], by_own[i].weight, sizeof map->weight[i]);
        memcpy(map->index[i], by_own[i].index, sizeof map->index[i]);
    }
}

void kiln_dop_maps_form(const kiln_pair_frame *frame, kiln_dop_map map[2])
{
    const kiln_dop_set *x = frame->x->view.kind->dop, *y = frame->y->view.kind->dop;
    KILN_ASSERT(x != NULL && y != NULL);
    face of_x[KILN_DOP_DIRECTIONS_MAX], of_y[KILN_DOP_DIRECTIONS_MAX];
    float column[3][3], row[3][3];
    for (unsigned i = 0; i < 9; i++) {
        row[i / 3][i % 3] = column[i % 3][i / 3] = frame->to_x.rotation[i];
    }
    find_faces(x, y, row, of_x);
    find_faces(y, x, column, of_y);
    fill_sums(&map[1], x, y, of_x, of_y);
    fill_sums(&map[0], y, x, of_y, of_x);
}
