/* The pairs of an octree by the pairs of lanes that the file marks (formats/cells.h).
 *
 * Each is named once, at a place that is a function of the two triangles. Marks only say where to
 * look: whatever they are, nothing that does not meet is named. */
#include "../../formats/cells.h"
#include "../walk/leaf_pair.h"
#include "self_walk.h"

typedef struct {
    const kiln_tree *tree;
    const kiln_self_visitor *visitor;
    const kiln_kernel *kernel;
    kiln_leaf_triangles leaf[2];
} cell_walk;

/* Is the pair to be named where it was met, in two slots of a node, or of any where that is
 * KILN_NO_INDEX? Where both are the first of their triangles, in the order of lanes, no place in a
 * node is before it. The search for the first gets there: the bounds of both triangles meet the
 * boxes of all lanes that lead to the node, since they have parts there (audit_cells.c), so that
 * of each axis three intervals meet in pairs, and then together; that the box of the first leaf
 * meets what the bounds share is looked at. */
static bool is_named_here(const cell_walk *w, const double a[9], const double b[9],
                          const uint32_t stored[2], const uint32_t slot[2], uint32_t node)
{
    const kiln_view_tree *tree = &w->tree->view;
    const uint32_t marks =
        kiln_view_tree_others(tree, slot[0]) | kiln_view_tree_others(tree, slot[1]);
    const unsigned low = stored[0] > stored[1];
    if (marks == 0) {
        return true;
    }
    kiln_cell_pair pair = {.stored = {stored[low], stored[1 - low]},
                           .slot = {slot[low], slot[1 - low]},
                           .stops = w->visitor->stops,
                           .user = w->visitor->user};
    kiln_cell_pair_bound(tree->entry, a, b, &pair.common);
    if (node != KILN_NO_INDEX && (marks & KILN_REFERENCE_LATER) == 0 &&
        kiln_cell_pair_meets(tree, &pair, node)) {
        return true;
    }
    /* If there is no place, boxes do not hold what is below them, and the pair is named rather than
     * lost, unless the search was stopped. */
    if (!kiln_cell_pair_find(tree, &pair) && w->visitor->stops(w->visitor->user)) {
        return false;
    }
    return pair.slot[0] == slot[low] && pair.slot[1] == slot[1 - low];
}

static const kiln_leaf_triangles *fetch_cell(cell_walk *w, unsigned place, kiln_contents leaf)
{
    kiln_leaf_triangles *kept = &w->leaf[place];
    if (kept->first != leaf.first || kept->count != leaf.count) {
        kiln_leaf_triangles_carry(kept, w->tree, w->kernel, NULL, leaf);
    }
    return kept;
}

/* The triangles of leaves in a row, or of two leaves. False: the visitor has had enough. */
static bool judge_cells(cell_walk *w, const kiln_leaf_triangles *x, const kiln_leaf_triangles *y,
                        uint32_t node)
{
    const kiln_tree *tree = w->tree;
    uint32_t pairs[KILN_LEAF_LANES];
    if (w->visitor->stops(w->visitor->user)) {
        return false;
    }
    (w->visitor->all ? w->kernel->triangle_pairs : w->kernel->triangle_pairs_beyond)(x, y, pairs);
    for (uint32_t j = 0; j < y->count; j++) {
        for (uint32_t left = x == y ? pairs[j] & ((1u << j) - 1u) : pairs[j]; left != 0;
             left &= left - 1) {
            const uint32_t i = (uint32_t)__builtin_ctz(left);
            const uint32_t slot[2] = {x->first + i, y->first + j};
            const uint32_t stored[2] = {kiln_tree_triangle(tree, slot[0]),
                                        kiln_tree_triangle(tree, slot[1])};
            kiln_relation how;
            double a[9], b[9];
            if (stored[0] == stored[1]) {
                continue;
            }
            kiln_self_corners(x, i, a);
            kiln_self_corners(y, j, b);
            if (kiln_self_judge(w->visitor, tree, stored[0], a, stored[1], b, &how) &&
                is_named_here(w, a, b, stored, slot, node) &&
                !kiln_self_take(w->visitor, tree, stored[0], stored[1], &how)) {
                return false;
            }
        }
    }
    return true;
}

static bool judge_leaf(void *user, uint32_t node, kiln_contents leaf)
{
    cell_walk *w = (cell_walk *)user;
    const kiln_leaf_triangles *of = fetch_cell(w, 0, leaf);
    return judge_cells(w, of, of, node);
}

static bool judge_two_leaves(void *user, uint32_t node, kiln_contents x, kiln_contents y)
{
    cell_walk *w = (cell_walk *)user;
    return judge_cells(w, fetch_cell(w, 0, x), fetch_cell(w, 1, y), node);
}

void kiln_self_walk_cells(const kiln_tree *tree, const kiln_self_visitor *visitor)
{
    cell_walk w;
    const kiln_cell_visitor cells = {
        .leaf = judge_leaf, .leaves = judge_two_leaves, .stops = NULL, .user = &w, .within = NULL};
    w.tree = tree;
    w.visitor = visitor;
    w.kernel = kiln_kernel_active();
    w.leaf[0].count = w.leaf[1].count = 0;
    kiln_cells_walk(&tree->view, &cells);
}
