/* The inside of a file and its trees. */
#ifndef KILN_TREE_H
#define KILN_TREE_H

#include "../formats/check.h"
#include "kernel.h"
#include "kiln.h"

struct kiln_tree {
    const kiln_file *file;
    const kiln_format_tree *entry;
    const uint8_t *nodes;
    const uint32_t *order;       /* NULL: slot = first triangle + slot */
    const kiln_node_kind *kind;
    const float *vertices;
    const uint32_t *triangles;
    const uint32_t *ids;
    const kiln_format_adb *adb;       /* NULL: no counts */
    const kiln_format_adb_box *boxes; /* of the whole tree, then by node and lane */
};

struct kiln_file {
    kiln_reader reader;
    kiln_view view;
    kiln_reader_allocator allocator;
    size_t size;          /* of this struct with its trees */
    void *map;            /* NULL: the caller's memory */
    size_t map_size;
    uint32_t tree_count;
    kiln_tree trees[];
};

/* 2^exponent, for -1022 .. 1023. */
static inline double kiln_power_of_two(int exponent)
{
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

static inline const kiln_format_node8 *kiln_tree_node(const kiln_tree *tree, uint32_t index)
{
    return (const kiln_format_node8 *)(const void *)(tree->nodes +
                                                     (size_t)index * tree->kind->node_size);
}

/* False: baked without. Exact queries then return KILN_ERROR_NOT_LOADED. */
static inline bool kiln_tree_has_polygons(const kiln_tree *tree)
{
    return tree->triangles != NULL;
}

/* Counts of the whole tree's box, and of a lane's, where the tree has any. */
static inline const kiln_format_adb_box *kiln_tree_root_counts(const kiln_tree *tree)
{
    return tree->boxes;
}

static inline const kiln_format_adb_box *kiln_tree_lane_counts(const kiln_tree *tree, uint32_t node,
                                                               unsigned lane)
{
    return tree->boxes + 1 + (size_t)node * tree->kind->lanes + lane;
}

/* Stored triangle in a slot. */
static inline uint32_t kiln_tree_triangle(const kiln_tree *tree, uint32_t slot)
{
    return tree->order != NULL ? tree->order[slot] : tree->entry->triangle_first + slot;
}

#endif
