/* What the sections of a file mean, and the one verifier.
 *
 * Theorem. When kiln_view_open returned true without `trusted`, then whatever the bytes of the
 * file are, a traversal that starts at node 0 of a tree of the view and follows
 * kiln_node8_child of inner lanes and kiln_node8_slot of leaf lanes
 *   - reads only inside the sections of the view: child + popcount(inner) <= node_count (rule 17),
 *     slots stay below the tree's number of them (21), order entries and references stay within the
 *     tree's triangles (16, 30),
 *     vertex indices below vertex_count (11), triangle ids below triangle_count (12);
 *   - ends: children come after their parents (17), so there is no cycle, and every node is reached
 *     exactly once (18), so that a walk visits node_count nodes and a walk over the pairs of two
 *     trees at most the product of their node counts;
 *   - holds at most depth <= KILN_TREE_DEPTH_MAX nodes on its path (19), so a stack of fixed size
 *     suffices;
 * and every string offset that the view gives points at a string that ends inside its section
 * (14). Nothing here is a promise about answers: those rest on checksums, and on `kiln verify`,
 * which also checks that bounds contain what they bound. */
#ifndef KILN_CHECK_H
#define KILN_CHECK_H

#include "assert.h"
#include "format_error.h"
#include "format.h"
#include "heights.h"
#include "node_kinds.h"
#include "reader.h"
#include "weights.h"

#include <stdbool.h>

/* One tree of a view. */
typedef struct {
    const kiln_format_tree *entry;
    const kiln_node_kind *kind;
    const void *nodes;                /* NULL: not loaded */
    const kiln_heights *heights;      /* NULL: a mesh */
    const uint32_t *order;            /* ORDR or REFS; NULL: slot = triangle_first + slot */
    uint32_t slots;                   /* triangles, or references to them */
    const uint32_t *lane_pairs;       /* by node of an octree: kiln_lane_pair_bit; NULL: none */
    const kiln_format_adb *adb;       /* NULL: it has no counts, or they were not loaded */
    const kiln_format_adb_box *boxes; /* of the whole tree, then by node and lane */
} kiln_view_tree;

/* The sections by name. Pointers of sections that were not loaded are NULL, their counts 0. In
 * a file without polygons so are vertices, triangles, ids, faces and user; triangle_count is
 * then that of the model that it was made from. In a height field they are NULL as well, since they
 * follow from the samples: the number of a stored triangle is its id, and triangle_count counts all
 * ids. */
typedef struct {
    const kiln_heights *heights; /* NULL: a mesh */
    const float *vertices;       /* 3 a vertex */
    const uint32_t *triangles;   /* 3 a triangle */
    const uint32_t *ids;
    const uint32_t *faces, *user; /* NULL also where parts state them: kiln_view_face, _user */
    const kiln_format_part *parts;
    const uint32_t *materials;
    const char *strings, *meta;
    const kiln_format_tree *trees;
    uint32_t vertex_count, triangle_count, part_count, material_count, tree_count;
    uint64_t strings_size, meta_size;
    const kiln_format_adb *adb; /* adb_count of them; NULL: none */
    uint32_t adb_count;
    const kiln_format_adb_box *adb_boxes;
    kiln_weights_view weights; /* of time-critical queries */
    bool points;               /* triangles are points: the corners of each are one vertex */
    const kiln_reader *reader;
} kiln_view;

/* Names the sections of an open reader and checks them: with `trusted` only that they are there and
 * that their sizes fit together. The view refers to the reader. */
bool kiln_view_open(kiln_view *view, const kiln_reader *reader, bool trusted,
                    kiln_format_error *error);

/* Tree number `index` < tree_count of a view that is open. */
kiln_view_tree kiln_view_get_tree(const kiln_view *view, uint32_t index);

/* Rule `rule` is broken by node `node`. False. */
bool kiln_view_node_error(const kiln_view *view, const kiln_view_tree *tree, uint32_t rule,
                          uint32_t node, kiln_format_error *error);

/* Does node `index` by itself follow the rules? *triangles is the number of triangles in its
 * leaves. */
bool kiln_view_check_node(const kiln_view *view, const kiln_view_tree *tree, uint32_t index,
                          uint32_t *triangles, kiln_format_error *error);

/* Do counts number first .. last - 1 of a tree that has them, whose nodes are checked? */
bool kiln_view_check_boxes(const kiln_view *view, const kiln_view_tree *tree, uint32_t first,
                           uint32_t last, kiln_format_error *error);

/* Face and user value of a triangle id in its part; the part must be loaded. */
static inline uint32_t kiln_view_face(const kiln_view *view, const kiln_format_part *part,
                                      uint32_t triangle)
{
    return view->faces != NULL ? view->faces[triangle]
                               : part->face + (triangle - part->triangle_first);
}

static inline uint32_t kiln_view_user(const kiln_view *view, const kiln_format_part *part,
                                      uint32_t triangle)
{
    return view->user != NULL ? view->user[triangle] : part->user;
}

static inline const kiln_format_node8 *kiln_view_tree_node(const kiln_view_tree *tree,
                                                           uint32_t index)
{
    KILN_ASSERT(index < tree->entry->node_count);
    return kiln_node_at(tree->nodes, tree->kind->node_size, index);
}

/* Stored triangle in slot `slot` of a tree. */
static inline uint32_t kiln_view_tree_triangle(const kiln_view_tree *tree, uint32_t slot)
{
    KILN_ASSERT(slot < tree->slots);
    return tree->order != NULL
               ? tree->order[slot] >> (tree->kind->shared ? KILN_REFERENCE_TRIANGLE : 0)
           : __builtin_expect(tree->heights != NULL, 0) ? kiln_heights_of_slot(tree->heights, slot)
                                                        : tree->entry->triangle_first + slot;
}

/* Does the view have a triangle of this number? A quad of a height field that has a hole at a
 * corner has no triangles. */
static inline bool kiln_view_stores(const kiln_view *view, uint32_t stored)
{
    return view->heights == NULL || kiln_heights_has(view->heights, stored);
}

/* How many there are: of a height field fewer than ids where there are holes. */
static inline uint32_t kiln_view_faces(const kiln_view *view)
{
    return view->heights != NULL ? view->trees[0].triangle_count : view->triangle_count;
}

/* Copies corner `corner` of a stored triangle. The view has polygons, or is a height field. */
static inline void kiln_view_vertex(const kiln_view *view, uint32_t stored, unsigned corner,
                                    float vertex[3])
{
    KILN_ASSERT(stored < view->triangle_count);
    if (__builtin_expect(view->heights != NULL, 0)) {
        kiln_heights_vertex(view->heights, stored, corner, vertex);
        return;
    }
    const float *from = view->vertices + 3 * (size_t)view->triangles[3 * (size_t)stored + corner];
    for (unsigned k = 0; k < 3; k++) {
        vertex[k] = from[k];
    }
}

/* Returns the marks of a slot of an octree: whether its triangle has other slots before it
 * (KILN_REFERENCE_LATER) or behind it (KILN_REFERENCE_EARLIER). */
static inline uint32_t kiln_view_tree_others(const kiln_view_tree *tree, uint32_t slot)
{
    KILN_ASSERT(slot < tree->slots && tree->kind->shared && tree->order != NULL);
    return tree->order[slot] & (KILN_REFERENCE_LATER | KILN_REFERENCE_EARLIER);
}

#endif
