/* The audit of octrees. A triangle may be in several leaves, each of which bounds a part of it;
 * what has to hold is that every point of it lies in the box of a leaf that holds it, and in all
 * boxes on the way there.
 *
 * A triangle is a list of one convex polygon at the root. The box of each lane cuts the polygons of
 * the list: what is outside stays in it, what is inside is handed down to the lane's node, from
 * which comes back what is not covered below it; a leaf that holds the triangle covers all that is
 * inside, any other none. What is left at the end is covered nowhere.
 *
 * Only nodes on the way to a leaf that holds the triangle are entered, which are marked first, from
 * these leaves upward. Where boxes overlap, as those do that share the triangles of one cell, a
 * triangle would otherwise be cut by all of them, and an audit take the square of their number.
 *
 * In binary64 a corner that was cut is off by a few 2^-51, and the side of a box by one rounding.
 * Boxes are taken as larger by KILN_CELL_SLACK on every side: then a sound tree leaves nothing, not
 * even a sliver, since whatever is left would lie farther than that outside each box that covers
 * it. Queries have room for so much.
 *
 * Nor may a leaf have a triangle of which no part is there. Queries rely on that where they name
 * what they meet several times once: the bounds of a triangle and its plane meet the boxes of each
 * leaf that has it and of all lanes on the way there. */
#include "audit_cells.h"

#include "../../formats/assert.h"
#include "../../formats/cells.h"
#include "../common/clip.h"
#include "../common/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    unsigned count;
    double points[KILN_CLIP_CORNERS][3];
} polygon;

/* Which nodes lead to a triangle. */
typedef struct {
    uint32_t *first;  /* by triangle of the tree, and the end: where its nodes begin */
    uint32_t *holder; /* for each slot a node that has it in a leaf, sorted by triangle */
    uint32_t *parent; /* by node; the root is its own */
    uint32_t *mark;   /* by node: 1 + the last triangle that it leads to, 0: none so far */
    uint32_t *last;   /* by triangle of the tree: 1 + its slot that was met last, or 0 */
} ways;

typedef struct {
    const kiln_view_tree *tree;
    ways ways;
    uint32_t triangle; /* stored */
    polygon *list;     /* those of the nodes on the path */
    size_t count, room;
    uint64_t boxes;
    bool failed; /* out of memory, or a polygon of more corners than there is room for */
} cover;

static void free_ways(ways *w)
{
    free(w->first);
    free(w->holder);
    free(w->parent);
    free(w->mark);
    free(w->last);
}

/* Counts a leaf's slots by triangle, or, once these counts are added up, puts the leaf's node among
 * those of each of its triangles. Counts stand two places on from where a triangle's nodes begin;
 * putting them in their places takes away one of these. */
static void add_leaf(ways *w, const kiln_view_tree *tree, uint32_t index, kiln_contents leaf,
                     bool count)
{
    for (uint32_t i = 0; i < leaf.count; i++) {
        const uint32_t triangle =
            kiln_view_tree_triangle(tree, leaf.first + i) - tree->entry->triangle_first;
        if (count) {
            w->first[triangle + 2]++;
        } else {
            w->holder[w->first[triangle + 1]++] = index;
        }
    }
}

/* Each node has one parent, and leaves have as many slots as the tree, as was proven when the file
 * was opened; whether each slot is in one leaf alone is of no importance here. */
static bool find_ways(ways *w, const kiln_view_tree *tree)
{
    const kiln_format_tree *entry = tree->entry;
    w->first = calloc((size_t)entry->triangle_count + 2, sizeof *w->first);
    w->holder = calloc((size_t)tree->slots + 1, sizeof *w->holder);
    w->parent = calloc(entry->node_count, sizeof *w->parent);
    w->mark = calloc(entry->node_count, sizeof *w->mark);
    w->last = calloc((size_t)entry->triangle_count + 1, sizeof *w->last);
    if (w->last == NULL || w->first == NULL || w->holder == NULL || w->parent == NULL ||
        w->mark == NULL) {
        return false;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t index = 0; index < entry->node_count; index++) {
            const kiln_format_node8 *node = kiln_view_tree_node(tree, index);
            for (unsigned used = kiln_node8_used(node); used != 0; used &= used - 1) {
                const kiln_contents lane = kiln_node8_contents(node, (unsigned)__builtin_ctz(used));
                if (lane.count == 0) {
                    w->parent[lane.first] = index;
                } else {
                    add_leaf(w, tree, index, lane, pass == 0);
                }
            }
        }
        for (uint32_t t = 0; t < entry->triangle_count && pass == 0; t++) {
            w->first[t + 2] += w->first[t + 1];
        }
    }
    return true;
}

static void mark_ways(ways *w, uint32_t triangle)
{
    for (uint32_t i = w->first[triangle]; i < w->first[triangle + 1]; i++) {
        uint32_t node = w->holder[i];
        while (w->mark[node] != triangle + 1) {
            w->mark[node] = triangle + 1;
            node = w->parent[node];
        }
    }
}

static bool add(cover *c, const polygon *p)
{
    if (!kiln_grow((void **)&c->list, &c->room, c->count + 1, sizeof *c->list)) {
        c->failed = true;
        return false;
    }
    c->list[c->count++] = *p;
    return true;
}

/* Does a corner lie beyond? A polygon that only touches the plane has no part there. */
static bool reaches_beyond(const polygon *p, unsigned axis, double sign, double limit)
{
    bool beyond = false;
    for (unsigned i = 0; i < p->count; i++) {
        beyond = beyond || sign * (p->points[i][axis] - limit) > 0;
    }
    return beyond;
}

/* Cuts *p by the six sides of a box: what is outside is added to the list, what is inside stays. */
static void cut(cover *c, const double lower[3], const double upper[3], polygon *p)
{
    for (unsigned side = 0; side < 6 && p->count > 0; side++) {
        const unsigned axis = side / 2;
        const double sign = side % 2 == 0 ? 1 : -1, limit = sign > 0 ? upper[axis] : lower[axis];
        polygon part;
        if (p->count > KILN_CLIP_CORNERS * 2 / 3) {
            c->failed = true;
            return;
        }
        if (reaches_beyond(p, axis, sign, limit)) {
            part.count = kiln_clip(p->points, p->count, axis, -sign, limit, part.points);
            if (part.count > 0 && !add(c, &part)) {
                return;
            }
            part.count = kiln_clip(p->points, p->count, axis, sign, limit, part.points);
            *p = part;
        }
    }
}

/* Does a lane lead to the triangle, as a leaf that holds it or a node above such a leaf? */
static bool leads_there(const cover *c, kiln_contents lane)
{
    bool leads = false;
    if (lane.count == 0) {
        return c->ways.mark[lane.first] == c->triangle - c->tree->entry->triangle_first + 1;
    }
    for (uint32_t i = 0; i < lane.count; i++) {
        leads = leads || kiln_view_tree_triangle(c->tree, lane.first + i) == c->triangle;
    }
    return leads;
}

static void box_with_slack(const kiln_format_node8 *node, unsigned lane, kiln_cell_box *out)
{
    kiln_cells_box(node, lane, out);
    for (unsigned k = 0; k < 3; k++) {
        out->lower[k] -= KILN_CELL_SLACK * (1 + fabs(out->lower[k]));
        out->upper[k] += KILN_CELL_SLACK * (1 + fabs(out->upper[k]));
    }
}

static void cover_node(cover *c, uint32_t index, size_t start);

/* What of list[start ..] is not covered by one lane takes its place. */
static void cover_lane(cover *c, const kiln_format_node8 *node, unsigned lane, size_t start)
{
    const kiln_contents contents = kiln_node8_contents(node, lane);
    kiln_cell_box box;
    if (!leads_there(c, contents)) {
        return;
    }
    box_with_slack(node, lane, &box);
    c->boxes++;
    /* Parts outside are added behind all that there are; they then move to the front. Parts inside
     * go behind them, and are cut by what is below. */
    const size_t end = c->count;
    polygon *inside = malloc((end - start) * sizeof *inside);
    size_t inside_count = 0;
    if (inside == NULL) {
        c->failed = true;
        return;
    }
    for (size_t i = start; i < end && !c->failed; i++) {
        polygon p = c->list[i];
        cut(c, box.lower, box.upper, &p);
        if (p.count > 0) {
            inside[inside_count++] = p;
        }
    }
    memmove(c->list + start, c->list + end, (c->count - end) * sizeof *c->list);
    c->count -= end - start;
    const size_t below = c->count;
    for (size_t i = 0; i < inside_count && contents.count == 0 && !c->failed; i++) {
        (void)add(c, &inside[i]);
    }
    free(inside);
    if (contents.count == 0 && c->count > below && !c->failed) {
        cover_node(c, contents.first, below);
    }
}

/* The same by all lanes of a node; recursion is as deep as the tree, which was proven when the file
 * was opened. */
static void cover_node(cover *c, uint32_t index, size_t start)
{
    const kiln_format_node8 *node = kiln_view_tree_node(c->tree, index);
    for (unsigned used = kiln_node8_used(node); used != 0; used &= used - 1) {
        if (c->count > start && !c->failed) {
            cover_lane(c, node, (unsigned)__builtin_ctz(used), start);
        }
    }
}

/* In the order of lanes, do the marks of slots say whether their triangles have others before and
 * behind them? That there is none behind the last is left. */
static bool marks_are_right(ways *w, const kiln_view_tree *tree, uint32_t index)
{
    const kiln_format_node8 *node = kiln_view_tree_node(tree, index);
    bool right = true;
    for (unsigned used = kiln_node8_used(node); used != 0 && right; used &= used - 1) {
        const kiln_contents lane = kiln_node8_contents(node, (unsigned)__builtin_ctz(used));
        right = lane.count != 0 || marks_are_right(w, tree, lane.first);
        for (uint32_t slot = lane.first; slot < lane.first + lane.count && right; slot++) {
            uint32_t *last =
                &w->last[kiln_view_tree_triangle(tree, slot) - tree->entry->triangle_first];
            const bool later = (kiln_view_tree_others(tree, slot) & KILN_REFERENCE_LATER) != 0;
            right = later == (*last != 0) &&
                    (*last == 0 ||
                     (kiln_view_tree_others(tree, *last - 1) & KILN_REFERENCE_EARLIER) != 0);
            *last = slot + 1;
        }
    }
    return right;
}

static bool all_marks_are_right(ways *w, const kiln_view_tree *tree)
{
    bool right = marks_are_right(w, tree, 0);
    for (uint32_t t = 0; t < tree->entry->triangle_count && right; t++) {
        right = w->last[t] != 0 &&
                (kiln_view_tree_others(tree, w->last[t] - 1) & KILN_REFERENCE_EARLIER) == 0;
    }
    return right;
}

/* A triangle in node space: its bounds, and the slab of its plane, n . p, with room. */
typedef struct {
    double lower[3], upper[3], normal[3], low, high;
} extent;

static void load_corners(const kiln_view *view, const kiln_view_tree *tree, uint32_t stored,
                         double p[3][3])
{
    const double scale = ldexp(1.0, -tree->entry->scale_exponent);
    for (unsigned i = 0; i < 9; i++) {
        const uint32_t vertex = view->triangles[3 * (size_t)stored + i / 3];
        const float coordinate = view->vertices[3 * (size_t)vertex + i % 3];
        p[i / 3][i % 3] = ((double)coordinate - tree->entry->origin[i % 3]) * scale;
    }
}

/* Each coordinate of n is off by 14 roundings of products of two extents at most, and n . q of a
 * point q of the triangle by that times its size, which is 6 times the greatest coordinate at
 * most, and by a few roundings of n . p[0]: by less than 2^-48 times that coordinate and the square
 * of the size. */
static void find_extent(double p[3][3], extent *out)
{
    double size = 0, most = 0, along = 0;
    for (unsigned k = 0; k < 3; k++) {
        const unsigned i = (k + 1) % 3, j = (k + 2) % 3;
        out->lower[k] = fmin(p[0][k], fmin(p[1][k], p[2][k]));
        out->upper[k] = fmax(p[0][k], fmax(p[1][k], p[2][k]));
        out->normal[k] =
            (p[1][i] - p[0][i]) * (p[2][j] - p[0][j]) - (p[1][j] - p[0][j]) * (p[2][i] - p[0][i]);
        along += out->normal[k] * p[0][k];
        size += out->upper[k] - out->lower[k];
        most = fmax(most, fmax(fabs(out->lower[k]), fabs(out->upper[k])));
    }
    out->low = along - 0x1p-46 * most * size * size;
    out->high = along + 0x1p-46 * most * size * size;
}

/* Do the bounds and the plane meet a box? */
static bool extent_meets(const extent *of, const kiln_cell_box *box)
{
    bool meets = true;
    double least = 0, most = 0;
    for (unsigned k = 0; k < 3; k++) {
        const double from = of->normal[k] * box->lower[k], to = of->normal[k] * box->upper[k];
        meets = meets && of->lower[k] <= box->upper[k] && of->upper[k] >= box->lower[k];
        least += fmin(from, to);
        most += fmax(from, to);
    }
    return meets && least <= of->high && most >= of->low;
}

/* Does every triangle below a node meet the boxes of its leaf and of all lanes on the way there, of
 * which `path` has `depth`? If not, *stored is one that does not. */
static bool parts_are_there(const kiln_view *view, const kiln_view_tree *tree, uint32_t index,
                            kiln_cell_box path[KILN_TREE_DEPTH_MAX], uint32_t depth,
                            uint32_t *stored)
{
    const kiln_format_node8 *node = kiln_view_tree_node(tree, index);
    bool there = true;
    KILN_ASSERT(depth < KILN_TREE_DEPTH_MAX);
    for (unsigned used = kiln_node8_used(node); used != 0 && there; used &= used - 1) {
        const unsigned number = (unsigned)__builtin_ctz(used);
        const kiln_contents lane = kiln_node8_contents(node, number);
        box_with_slack(node, number, &path[depth]);
        there = lane.count != 0 || parts_are_there(view, tree, lane.first, path, depth + 1, stored);
        for (uint32_t slot = lane.first; slot < lane.first + lane.count && there; slot++) {
            double p[3][3];
            extent of;
            *stored = kiln_view_tree_triangle(tree, slot);
            load_corners(view, tree, *stored, p);
            find_extent(p, &of);
            for (uint32_t i = 0; i <= depth; i++) {
                there = there && extent_meets(&of, &path[i]);
            }
        }
    }
    return there;
}

bool kiln_audit_cells(const kiln_view *view, const kiln_view_tree *tree, const char *name,
                      uint64_t *containments, kiln_format_error *error)
{
    cover c = {.tree = tree};
    const kiln_format_tree *entry = tree->entry;
    kiln_cell_box path[KILN_TREE_DEPTH_MAX];
    uint32_t stored = 0;
    bool sound = true;
    KILN_ASSERT(tree->kind->shared && view->triangles != NULL);
    c.failed = !find_ways(&c.ways, tree);
    for (uint32_t t = 0; t < entry->triangle_count && sound; t++) {
        polygon whole = {.count = 3};
        c.triangle = entry->triangle_first + t;
        load_corners(view, tree, c.triangle, whole.points);
        c.count = 0;
        if (!c.failed && add(&c, &whole)) {
            mark_ways(&c.ways, t);
            cover_node(&c, 0, 0);
        }
        if (c.failed) {
            sound = kiln_format_error_set(error, KILN_FORMAT_ERROR_MEMORY, 0, "out of memory");
        } else if (c.count > 0) {
            const double *p = c.list[0].points[0];
            sound = kiln_format_error_set(error, KILN_FORMAT_ERROR_RULE, 0,
                                          "tree '%.40s': triangle %u has points in no leaf that "
                                          "holds it, the first near (%g, "
                                          "%g, %g) of node space",
                                          name, view->ids[c.triangle], p[0], p[1], p[2]);
        }
    }
    if (sound && !parts_are_there(view, tree, 0, path, 0, &stored)) {
        sound = kiln_format_error_set(error, KILN_FORMAT_ERROR_RULE, 0,
                                      "tree '%.40s': triangle %u is in a leaf but not in the boxes "
                                      "of all lanes on the way there",
                                      name, view->ids[stored]);
    }
    if (sound && !all_marks_are_right(&c.ways, tree)) {
        sound = kiln_format_error_set(error, KILN_FORMAT_ERROR_RULE, 0,
                                      "tree '%.40s': the references do not say rightly which "
                                      "triangles are in several slots",
                                      name);
    }
    *containments += c.boxes;
    free(c.list);
    free_ways(&c.ways);
    return sound;
}
