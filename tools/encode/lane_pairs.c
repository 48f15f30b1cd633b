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

#include <math.h>
#include <string.h>

/* Room about each of two boxes, times 1 and the distance of a side from 0: more than what a point
 * of both may lie outside of them (KILN_CELL_SLACK), and its coordinates be off by rounding. */
#define ROOM 0x1p-39

/* Of a height along a direction: far more than sums of doubles are off by. */
#define ROUNDING 0x1p-46

/* Pairs of lanes and of triangles looked at, and nodes and pairs of lanes of searches for a place,
 * in the mean, before the rest is taken: scans need about ten. An audit, which may search by all
 * marks, too, is given more. */
enum { STEPS_A_SLOT = 256, AUDIT_MORE = 8 };

enum { NODES_A_REPORT = 256 };

typedef struct {
    kiln_contents contents;
    kiln_cell_box box; /* with room */
} placed;

/* `marks` are of an audit: those of the file. The others are those there are so far. */
typedef struct {
    const kiln_view_tree *tree;
    const uint32_t *triangles;
    const float *vertices;
    const uint32_t *marks; /* NULL: they are to be found */
    uint32_t *pairs;
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

/* Do two triangles have a vertex of one number in common? They meet then. */
static bool share_a_vertex(const search *s, uint32_t a, uint32_t b)
{
    const uint32_t *of_a = s->triangles + 3 * (size_t)a, *of_b = s->triangles + 3 * (size_t)b;
    bool share = false;
    for (unsigned i = 0; i < 9; i++) {
        share = share || of_a[i / 3] == of_b[i % 3];
    }
    return share;
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
        const double low = kiln_smaller(at[0], kiln_smaller(at[1], at[2]));
        const double high = kiln_larger(at[0], kiln_larger(at[1], at[2]));
        reach = reach && low <= kiln_smaller(x->box.upper[k], y->box.upper[k]) &&
                high >= kiln_larger(x->box.lower[k], y->box.lower[k]);
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
        least[i / 3] = kiln_smaller(least[i / 3], height);
        most[i / 3] = kiln_larger(most[i / 3], height);
        off = kiln_larger(off, weight);
    }
    return kiln_larger(least[0] - most[1], least[1] - most[0]) > ROUNDING * off;
}

static bool are_apart(double a[3][3], double b[3][3])
{
    double edge[2][3][3], normal[2][3], direction[3];
    for (unsigned k = 0; k < 3; k++) {
        if (kiln_smaller(a[0][k], kiln_smaller(a[1][k], a[2][k])) >
                kiln_larger(b[0][k], kiln_larger(b[1][k], b[2][k])) ||
            kiln_smaller(b[0][k], kiln_smaller(b[1][k], b[2][k])) >
                kiln_larger(a[0][k], kiln_larger(a[1][k], a[2][k]))) {
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

/* Is there a place where a walk meets both triangles, by the marks that there are so far, or else
 * by all of the file? */
static bool is_found(search *s, uint32_t a, double of_a[3][3], uint32_t b, double of_b[3][3])
{
    kiln_view_tree tree = *s->tree;
    const bool first = a < b;
    kiln_cell_pair pair = {
        .stored = {first ? a : b, first ? b : a}, .stops = takes_a_step, .user = s};
    kiln_cell_pair_bound(tree.entry, of_a[0], of_b[0], &pair.common);
    tree.lane_pairs = s->pairs;
    if (kiln_cell_pair_find(&tree, &pair)) {
        return true;
    }
    tree.lane_pairs = s->marks;
    return s->marks != NULL && s->steps > 0 && kiln_cell_pair_find(&tree, &pair);
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
                    (takes_a_step(s) || ((share_a_vertex(s, a, b) || !are_apart(of_a, of_b)) &&
                                         !is_found(s, a, of_a, b, of_b)))) {
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

static search begin_search(const kiln_view_tree *tree, const uint32_t *triangles,
                           const float *vertices, uint32_t *pairs)
{
    return (search){.tree = tree,
                    .triangles = triangles,
                    .vertices = vertices,
                    .pairs = pairs,
                    .scale = ldexp(1.0, -tree->entry->scale_exponent),
                    .steps = (uint64_t)STEPS_A_SLOT * tree->slots + 4096};
}

/* Marks the pairs of lanes of a node below which triangles may meet so; of an audit those that the
 * file marks are taken for such. `leaves`: of lanes that are leaves, else of the others. False: the
 * file does not mark one. */
static bool look_into_node(search *s, uint32_t index, bool leaves)
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
            const bool is_marked = s->marks != NULL && (s->marks[index] & bit) != 0;
            if (are_leaves == leaves && (is_marked || lanes_meet(s, &lane[i], &lane[j]))) {
                if (s->marks != NULL && !is_marked) {
                    return false;
                }
                s->pairs[index] |= bit;
            }
        }
    }
    return true;
}

/* *node is one that look_into_node says false of, or else cancelled is set. True: there is none. */
static bool look_into_all(search *s, const kiln_watch *watch, uint32_t *node, bool *cancelled)
{
    const uint32_t count = s->tree->entry->node_count;
    kiln_watch at = *watch;
    KILN_ASSERT(s->tree->kind->shared && s->tree->order != NULL);
    memset(s->pairs, 0, count * sizeof *s->pairs);
    for (uint32_t turn = 0; turn < 2; turn++) {
        for (*node = count; (*node)-- > 0;) {
            const double done = turn + (double)(count - *node) / count;
            if (!look_into_node(s, *node, turn == 0)) {
                return false;
            }
            if (*node % NODES_A_REPORT == 0) {
                at.from = watch->from + (watch->to - watch->from) * (0.5 * done);
                if (!kiln_watch_report(&at)) {
                    *cancelled = true;
                    return false;
                }
            }
        }
    }
    return true;
}

bool kiln_lane_pairs_find(const kiln_view_tree *tree, const uint32_t *triangles,
                          const float *vertices, const kiln_watch *watch, uint32_t *pairs)
{
    search s = begin_search(tree, triangles, vertices, pairs);
    uint32_t node;
    bool cancelled = false;
    return look_into_all(&s, watch, &node, &cancelled);
}

/* Marks of the same search are found to be right in no more steps than it took: what it marked is
 * not looked into, and of the rest each answer is the same, by the same marks. */
bool kiln_lane_pairs_hold(const kiln_view_tree *tree, const uint32_t *triangles,
                          const float *vertices, uint32_t *work, uint32_t *node)
{
    const kiln_watch silent = {.threads = 1};
    search s = begin_search(tree, triangles, vertices, work);
    bool cancelled = false;
    KILN_ASSERT(tree->lane_pairs != NULL);
    s.marks = tree->lane_pairs;
    s.steps *= AUDIT_MORE;
    return look_into_all(&s, &silent, node, &cancelled);
}
