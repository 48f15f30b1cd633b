/* Between which lanes of an octree's nodes triangles may meet that no leaf has both of.
 *
 * Let p be a point that two triangles, A and B, have in common. It is in the box of a leaf that has
 * A and of one that has B, and in those of all lanes on the way to each (hierarchy.md). Where the
 * two leaves are one, or one of them has both triangles, looking into single leaves finds the pair.
 * Otherwise the ways to the two part at a node between two lanes, and these are what is sought:
 * below two lanes all pairs of leaves are visited whose boxes meet, and of their triangles those
 * that the other leaf does not have are held against what the boxes have in common, then against
 * each other; and the two lanes are marked unless a walk by the marks that there are so far meets
 * the two elsewhere. Leaves of one node come first, then nodes from the last on, so that those
 * below are before those above. Cells share nothing but their faces, and a triangle that crosses a
 * face is in the leaves on both sides; so what is found lies in the plane of a face, or in two
 * leaves among which the triangles of one cell were divided.
 *
 * Nothing that meets is passed over: boxes are taken as larger by what they may be off by, and two
 * triangles are apart where a direction separates their corners by more than rounding, whatever
 * that direction is: the normals, products of edges and, for triangles of one plane, what is
 * perpendicular to an edge and a normal (S. Gottschalk, M. Lin and D. Manocha, "OBBTree", 1996, for
 * boxes). A pair of lanes is also taken where it would take long to find out. */
#include "lane_pairs.h"

#include "../../formats/assert.h"
#include "../../formats/cells.h"
#include "../../formats/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Room about each of two boxes, times 1 and the distance of a side from 0: more than what a point
 * of both may lie outside of them (KILN_CELL_SLACK), and its coordinates be off by rounding. */
#define ROOM 0x1p-39

/* Of a height along a direction: far more than sums of doubles are off by. */
#define ROUNDING 0x1p-46

/* Pairs of lanes and of triangles looked at, and nodes of searches for a place, in the mean, before
 * the rest is taken: scans need about ten. An audit, which searches by all marks, is given more. */
enum { STEPS_A_SLOT = 512, AUDIT_MORE = 8 };

typedef struct {
    kiln_contents contents;
    kiln_cell_box box; /* with room */
} placed;

typedef struct {
    const kiln_view_tree *tree;
    const uint32_t *triangles;
    const float *vertices;
    double scale;
    uint64_t steps; /* that are left */
} search;

static void place_lane_of(const search *s, uint32_t index, unsigned lane, placed *out)
{
    const kiln_format_node8 *node = kiln_view_tree_node(s->tree, index);
    out->contents = kiln_node8_contents(node, lane);
    kiln_cells_box(node, lane, &out->box);
    for (unsigned k = 0; k < 3; k++) {
        out->box.lower[k] -= ROOM * (1 + fabs(out->box.lower[k]));
        out->box.upper[k] += ROOM * (1 + fabs(out->box.upper[k]));
    }
}

static bool leaf_has(const search *s, kiln_contents leaf, uint32_t stored)
{
    uint32_t slot;
    return kiln_cells_leaf_holds(s->tree, leaf, stored, &slot);
}

static void load_triangle(const search *s, uint32_t stored, double p[3][3])
{
    for (unsigned i = 0; i < 9; i++) {
        const uint32_t vertex = s->triangles[3 * (size_t)stored + i / 3];
        p[i / 3][i % 3] = (double)s->vertices[3 * (size_t)vertex + i % 3];
    }
}

/* Do the bounds of a triangle meet what two boxes have in common? */
static bool bounds_reach(const search *s, double p[3][3], const placed *x, const placed *y)
{
    bool reach = true;
    for (unsigned k = 0; k < 3; k++) {
        double at[3];
        for (unsigned c = 0; c < 3; c++) {
            at[c] = (p[c][k] - s->tree->entry->origin[k]) * s->scale;
        }
        const double low = fmin(at[0], fmin(at[1], at[2]));
        const double high = fmax(at[0], fmax(at[1], at[2]));
        reach = reach && low <= fmin(x->box.upper[k], y->box.upper[k]) &&
                high >= fmax(x->box.lower[k], y->box.lower[k]);
    }
    return reach;
}

/* Does a direction separate two triangles for certain? */
static bool separates(const double direction[3], double a[3][3], double b[3][3])
{
    double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY}, off = 0;
    for (unsigned i = 0; i < 6; i++) {
        double height = 0, weight = 0;
        for (unsigned k = 0; k < 3; k++) {
            const double way = (i < 3 ? a[i][k] : b[i - 3][k]) - a[0][k];
            height += direction[k] * way;
            weight += fabs(direction[k] * way);
        }
        least[i / 3] = fmin(least[i / 3], height);
        most[i / 3] = fmax(most[i / 3], height);
        off = fmax(off, weight);
    }
    return fmax(least[0] - most[1], least[1] - most[0]) > ROUNDING * off;
}

static bool are_apart(double a[3][3], double b[3][3])
{
    double edge[2][3][3], normal[2][3], direction[3];
    for (unsigned k = 0; k < 3; k++) {
        if (fmin(a[0][k], fmin(a[1][k], a[2][k])) > fmax(b[0][k], fmax(b[1][k], b[2][k])) ||
            fmin(b[0][k], fmin(b[1][k], b[2][k])) > fmax(a[0][k], fmax(a[1][k], a[2][k]))) {
            return true;
        }
    }
    for (unsigned i = 0; i < 3; i++) {
        kiln_subtract(a[(i + 1) % 3], a[i], edge[0][i]);
        kiln_subtract(b[(i + 1) % 3], b[i], edge[1][i]);
    }
    bool apart = false;
    for (unsigned t = 0; t < 2; t++) {
        kiln_cross(edge[t][0], edge[t][1], normal[t]);
        apart = apart || separates(normal[t], a, b);
    }
    for (unsigned i = 0; i < 15 && !apart; i++) {
        const bool of_plane = i >= 9;
        const unsigned t = of_plane ? i / 3 - 3 : 0;
        kiln_cross(of_plane ? normal[t] : edge[0][i / 3], edge[of_plane ? t : 1][i % 3], direction);
        apart = separates(direction, a, b);
    }
    return apart;
}

/* Counts a step. True: there is none left. */
static bool takes_a_step(void *user)
{
    search *s = (search *)user;
    s->steps -= s->steps > 0;
    return s->steps == 0;
}

/* Is there a place where a walk meets both triangles? */
static bool is_found(search *s, uint32_t a, double of_a[3][3], uint32_t b, double of_b[3][3])
{
    const bool first = a < b;
    kiln_cell_pair pair = {
        .stored = {first ? a : b, first ? b : a}, .stops = takes_a_step, .user = s};
    kiln_cell_pair_bound(s->tree->entry, of_a[0], of_b[0], &pair.common);
    return kiln_cell_pair_find(s->tree, &pair);
}

static bool leaves_meet(search *s, const placed *x, const placed *y)
{
    for (uint32_t i = 0; i < x->contents.count; i++) {
        const uint32_t a = kiln_view_tree_triangle(s->tree, x->contents.first + i);
        double of_a[3][3], of_b[3][3];
        if (leaf_has(s, y->contents, a)) {
            continue;
        }
        load_triangle(s, a, of_a);
        for (uint32_t j = 0; j < y->contents.count && bounds_reach(s, of_a, x, y); j++) {
            const uint32_t b = kiln_view_tree_triangle(s->tree, y->contents.first + j);
            if (!leaf_has(s, x->contents, b)) {
                load_triangle(s, b, of_b);
                if (bounds_reach(s, of_b, x, y) &&
                    (takes_a_step(s) ||
                     (!are_apart(of_a, of_b) && !is_found(s, a, of_a, b, of_b)))) {
                    return true;
                }
            }
        }
    }
    return false;
}

static bool boxes_meet(const placed *x, const placed *y)
{
    bool meet = true;
    for (unsigned k = 0; k < 3; k++) {
        meet = meet && x->box.lower[k] <= y->box.upper[k] && y->box.lower[k] <= x->box.upper[k];
    }
    return meet;
}

static double size_of_box(const placed *x)
{
    double size = 0;
    for (unsigned k = 0; k < 3; k++) {
        size += x->box.upper[k] - x->box.lower[k];
    }
    return size;
}

/* May triangles below two lanes meet, or was it not found out? Recursion is as deep as twice the
 * tree. */
static bool lanes_meet(search *s, const placed *x, const placed *y)
{
    if (takes_a_step(s)) {
        return true;
    }
    if (!boxes_meet(x, y)) {
        return false;
    }
    const bool x_is_leaf = x->contents.count != 0, y_is_leaf = y->contents.count != 0;
    if (x_is_leaf && y_is_leaf) {
        return leaves_meet(s, x, y);
    }
    const bool opens_x = y_is_leaf || (!x_is_leaf && size_of_box(x) >= size_of_box(y));
    const placed *of = opens_x ? x : y, *other = opens_x ? y : x;
    const kiln_format_node8 *node = kiln_view_tree_node(s->tree, of->contents.first);
    for (uint32_t used = kiln_node8_used(node); used != 0; used &= used - 1) {
        placed lane;
        place_lane_of(s, of->contents.first, (unsigned)__builtin_ctz(used), &lane);
        if (lanes_meet(s, &lane, other)) {
            return true;
        }
    }
    return false;
}

/* The pairs of lanes of a node, of those in `of`, below which triangles may meet so. `leaves`: of
 * lanes that are leaves, else of the others. */
static void look_into_node(search *s, uint32_t index, uint32_t of, bool leaves, uint32_t *found)
{
    const kiln_format_node8 *node = kiln_view_tree_node(s->tree, index);
    const uint32_t used = kiln_node8_used(node);
    placed lane[KILN_NODE_WIDTH];
    for (unsigned j = 0; j < KILN_NODE_WIDTH; j++) {
        if ((used >> j & 1) == 0) {
            continue;
        }
        place_lane_of(s, index, j, &lane[j]);
        for (uint32_t left = used & ((1u << j) - 1u); left != 0; left &= left - 1) {
            const unsigned i = (unsigned)__builtin_ctz(left);
            const uint32_t bit = kiln_lane_pair_bit(i, j);
            const bool are_leaves = lane[i].contents.count != 0 && lane[j].contents.count != 0;
            if (are_leaves == leaves && (of & bit) != 0 && lanes_meet(s, &lane[i], &lane[j])) {
                *found |= bit;
            }
        }
    }
}

static search begin_search(const kiln_view_tree *tree, const uint32_t *triangles,
                           const float *vertices)
{
    KILN_ASSERT(tree->kind->shared && tree->order != NULL && tree->lane_pairs != NULL);
    return (search){tree, triangles, vertices, ldexp(1.0, -tree->entry->scale_exponent),
                    (uint64_t)STEPS_A_SLOT * tree->slots + 4096};
}

void kiln_lane_pairs_find(const kiln_view_tree *tree, const uint32_t *triangles,
                          const float *vertices, uint32_t *pairs)
{
    search s = begin_search(tree, triangles, vertices);
    KILN_ASSERT(tree->lane_pairs == pairs);
    memset(pairs, 0, tree->entry->node_count * sizeof *pairs);
    for (int turn = 0; turn < 2; turn++) {
        for (uint32_t index = tree->entry->node_count; index-- > 0;) {
            look_into_node(&s, index, KILN_LANE_PAIRS_ALL, turn == 0, &pairs[index]);
        }
    }
}

bool kiln_lane_pairs_hold(const kiln_view_tree *tree, const uint32_t *triangles,
                          const float *vertices, uint32_t *node)
{
    search s = begin_search(tree, triangles, vertices);
    uint32_t found = 0;
    s.steps *= AUDIT_MORE;
    *node = tree->entry->node_count;
    while (*node > 0 && found == 0) {
        const uint32_t of = KILN_LANE_PAIRS_ALL & ~tree->lane_pairs[--*node];
        look_into_node(&s, *node, of, true, &found);
        look_into_node(&s, *node, of, false, &found);
    }
    return found == 0;
}
