/* The inside of a file and its trees. */
#ifndef KILN_TREE_H
#define KILN_TREE_H

#include "../../formats/assert.h"
#include "../../formats/part.h"
#include "../kiln.h"
#include "ray_accel.h"

struct kiln_tree {
    kiln_view_tree view; /* its nodes are loaded */
    const kiln_file *file;
    const float *vertices;
    const uint32_t *triangles;
    const uint32_t *ids;
    const kiln_part *part; /* NULL: all of it is there */
    const void *ray_nodes; /* NULL: none are there; the first kiln_ray_node */
    uint8_t ray_hash[16];  /* geometry_hash of the vertices that they are of */
};

struct kiln_arriving; /* partial.c */

struct kiln_file {
    kiln_reader reader;
    kiln_view view;
    kiln_reader_allocator allocator;
    size_t size; /* of this struct with its trees */
    void *map;   /* NULL: the caller's memory */
    size_t map_size;
    struct kiln_arriving *arriving; /* NULL: all of it is there */
    size_t arriving_size;           /* of its allocation */
    uint32_t tree_count;
    kiln_tree trees[];
};

/* Its nodes for faster rays, or NULL: it has none, or its vertices have moved since. */
static inline const void *kiln_tree_ray_nodes(const kiln_tree *tree)
{
    const uint8_t *now = tree->view.entry->geometry_hash;
    if (tree->ray_nodes == NULL) {
        return NULL;
    }
    return memcmp(tree->ray_hash, now, sizeof tree->ray_hash) == 0 ? tree->ray_nodes : NULL;
}

static inline const kiln_format_node8 *kiln_tree_node(const kiln_tree *tree, uint32_t index)
{
    return kiln_view_tree_node(&tree->view, index);
}

/* False: baked without, or not there yet. Exact queries then return kiln_tree_lack. */
static inline bool kiln_tree_has_polygons(const kiln_tree *tree)
{
    return tree->triangles != NULL || tree->view.heights != NULL;
}

/* KILN_ERROR_PARTIAL: the file is not there wholly; KILN_ERROR_NOT_LOADED: it was baked without. */
kiln_status kiln_tree_lack(const kiln_tree *tree);

/* For two trees, of which one at least has no polygons. */
static inline kiln_status kiln_trees_lack(const kiln_tree *a, const kiln_tree *b)
{
    return kiln_tree_lack(kiln_tree_has_polygons(a) ? b : a);
}

/* Is no node there, and the tree but a box? */
static inline bool kiln_tree_is_box(const kiln_tree *tree)
{
    return tree->part != NULL && tree->part->nodes == 0;
}

/* Counts of the whole tree's box, and of a lane's, where the tree has any. */
static inline const kiln_format_adb_box *kiln_tree_root_counts(const kiln_tree *tree)
{
    return tree->view.boxes;
}

static inline const kiln_format_adb_box *kiln_tree_lane_counts(const kiln_tree *tree, uint32_t node,
                                                               unsigned lane)
{
    KILN_ASSERT(tree->view.boxes != NULL);
    KILN_ASSERT(node < tree->view.entry->node_count);
    KILN_ASSERT(lane < tree->view.kind->lanes);
    return tree->view.boxes + 1 + (size_t)node * tree->view.kind->lanes + lane;
}

/* Stored triangle in a slot. */
static inline uint32_t kiln_tree_triangle(const kiln_tree *tree, uint32_t slot)
{
    return kiln_view_tree_triangle(&tree->view, slot);
}

/* Is there a triangle in the slot? */
static inline bool kiln_tree_has_slot(const kiln_tree *tree, uint32_t slot)
{
    return slot < tree->view.slots &&
           (tree->view.heights == NULL || kiln_heights_has_slot(tree->view.heights, slot));
}

/* Is it the number of a triangle that the tree stores? */
static inline bool kiln_tree_stores(const kiln_tree *tree, uint32_t stored)
{
    const kiln_heights *heights = tree->view.heights;
    return heights != NULL
               ? stored < kiln_heights_triangles(heights) && kiln_heights_has(heights, stored)
               : stored - tree->view.entry->triangle_first < tree->view.entry->triangle_count;
}

/* Numbers from the tree's first stored triangle on; of a height field some have none. */
static inline uint32_t kiln_tree_stored_range(const kiln_tree *tree)
{
    return tree->view.heights != NULL ? kiln_heights_triangles(tree->view.heights)
                                      : tree->view.entry->triangle_count;
}

/* Its id. */
static inline uint32_t kiln_tree_id(const kiln_tree *tree, uint32_t stored)
{
    return __builtin_expect(tree->view.heights != NULL, 0) ? stored : tree->ids[stored];
}

/* One of its corners, where it lies or in `room`, and the number of that vertex, by which triangles
 * that share it are told. The tree has polygons. */
static inline const float *kiln_tree_vertex(const kiln_tree *tree, uint32_t stored, unsigned corner,
                                            float room[3])
{
    if (__builtin_expect(tree->view.heights != NULL, 0)) {
        kiln_heights_vertex(tree->view.heights, stored, corner, room);
        return room;
    }
    return tree->vertices + 3 * (size_t)tree->triangles[3 * (size_t)stored + corner];
}

/* All three. No kernel reads behind a vertex: the last one may end a file. */
static inline void kiln_tree_corner_places(const kiln_tree *tree, uint32_t stored,
                                           const float *vertex[3], float room[10])
{
    if (__builtin_expect(tree->view.heights != NULL, 0)) {
        kiln_heights_triangle(tree->view.heights, stored, room);
        room[9] = 0;
        for (unsigned c = 0; c < 3; c++) {
            vertex[c] = room + 3 * c;
        }
        return;
    }
    const uint32_t *corner = tree->triangles + 3 * (size_t)stored;
    for (unsigned c = 0; c < 3; c++) {
        vertex[c] = tree->vertices + 3 * (size_t)corner[c];
    }
}

/* The numbers of the corners of the triangles in four slots from one on, where they stand in a row:
 * number n is at 3 n of *vertices. NULL: they don't, or the tree has no four slots there. */
static inline const uint32_t *kiln_tree_four_in_a_row(const kiln_tree *tree, uint32_t slot,
                                                      const float **vertices)
{
    *vertices = tree->vertices;
    return __builtin_expect(tree->view.order == NULL && tree->view.heights == NULL &&
                                tree->view.slots - slot >= 4,
                            1)
               ? tree->triangles + 3 * ((size_t)tree->view.entry->triangle_first + slot)
               : NULL;
}

#define KILN_TREE_FOUR_ROOM (4 * 9 + 1)

/* The same anywhere, into `corner`, the last of `count` triangles repeated. Returns where vertices
 * are: those of a height field are placed in `room`. */
static inline const float *kiln_tree_four_corners(const kiln_tree *tree, uint32_t slot,
                                                  uint32_t count, uint32_t corner[12],
                                                  float room[KILN_TREE_FOUR_ROOM])
{
    const kiln_heights *heights = tree->view.heights;
    room[KILN_TREE_FOUR_ROOM - 1] = 0;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t stored = kiln_tree_triangle(tree, slot + (i < count ? i : count - 1));
        for (uint32_t c = 0; c < 3; c++) {
            corner[3 * i + c] =
                heights != NULL ? 3 * i + c : tree->triangles[3 * (size_t)stored + c];
        }
        if (heights != NULL) {
            kiln_heights_triangle(heights, stored, room + 9 * (size_t)i);
        }
    }
    return heights != NULL ? room : tree->vertices;
}

static inline uint32_t kiln_tree_vertex_number(const kiln_tree *tree, uint32_t stored,
                                               unsigned corner)
{
    uint32_t column[3], row[3];
    if (tree->view.heights == NULL) {
        return tree->triangles[3 * (size_t)stored + corner];
    }
    kiln_heights_corners(tree->view.heights, stored, column, row);
    return row[corner] * tree->view.heights->grid->columns + column[corner];
}

/* Corners of a stored triangle, one after the other. */
static inline void kiln_tree_stored_corners(const kiln_tree *tree, uint32_t stored,
                                            double corners[9])
{
    KILN_ASSERT(kiln_tree_has_polygons(tree));
    KILN_ASSERT(stored < tree->file->view.triangle_count);
    for (unsigned i = 0; i < 3; i++) {
        float room[3];
        const float *vertex = kiln_tree_vertex(tree, stored, i, room);
        for (unsigned k = 0; k < 3; k++) {
            corners[3 * i + k] = (double)vertex[k];
        }
    }
}

#endif
