/* A binary hierarchy of groups of triangles, as constructions make it that do not cut ranges: from
 * the leaves up, by insertion, by moving parts of a finished tree.
 *
 * Groups 0 to leaf_count - 1 are leaves, each a run of records; the others are inner, each of two
 * groups. There are 2 * leaf_count - 1 of them. The hierarchy may have any shape and any depth. */
#ifndef KILN_TREE_HIERARCHY_H
#define KILN_TREE_HIERARCHY_H

#include "binary.h"

typedef struct {
    float lower[3], upper[3]; /* the box along the object axes, in the model's coordinates */
    uint32_t child[2];        /* of a leaf: its first record, and nothing */
    uint32_t parent;          /* of the root itself */
    uint32_t count;           /* triangles */
} kiln_group;

typedef struct {
    kiln_group *groups;
    uint32_t leaf_count, root;
    uint32_t leaf; /* most triangles in a leaf of the tree that will be written */
} kiln_hierarchy;

/* Makes the hierarchy of `count` records, which it may order anew. False: out of memory
 * (*cancelled false) or cancelled; then too the caller frees the hierarchy. */
typedef bool (*kiln_gather)(kiln_record *records, uint32_t count, const kiln_watch *watch,
                            kiln_hierarchy *h, bool *cancelled);

bool kiln_gather_ploc(kiln_record *records, uint32_t count, const kiln_watch *watch,
                      kiln_hierarchy *h, bool *cancelled);

bool kiln_gather_insert(kiln_record *records, uint32_t count, const kiln_watch *watch,
                        kiln_hierarchy *h, bool *cancelled);
bool kiln_gather_reinsert(kiln_record *records, uint32_t count, const kiln_watch *watch,
                          kiln_hierarchy *h, bool *cancelled);

/* Room for the groups of `leaf_count` leaves. False: out of memory. */
bool kiln_hierarchy_room(kiln_hierarchy *h, uint32_t leaf_count);

/* Makes group `leaf` a leaf of the records first to first + count - 1. */
void kiln_hierarchy_set_leaf(kiln_hierarchy *h, uint32_t leaf, const kiln_record *records,
                             uint32_t first, uint32_t count);

/* Makes an inner group of two others, whose parent it becomes: its box and its count. */
void kiln_hierarchy_join(kiln_hierarchy *h, uint32_t group, uint32_t left, uint32_t right);

/* Orders the records as the hierarchy has them and writes it as a binary tree, within the bound of
 * its depth: see hierarchy.c. Groups of at most `leaf` triangles become leaves. False: out of
 * memory. */
bool kiln_hierarchy_write(const kiln_hierarchy *h, kiln_record *records, uint32_t count,
                          kiln_binary *tree, kiln_arena *arena);

void kiln_hierarchy_free(kiln_hierarchy *h);

static inline bool kiln_group_is_leaf(const kiln_hierarchy *h, uint32_t group)
{
    return group < h->leaf_count;
}

/* Half the surface of the box that holds both, and a millionth of the squared edges' sum, so that
 * boxes of points along a line have an order too. In double: floats reach 2^128, products of their
 * differences 2^258. */
static inline double kiln_joint_area(const kiln_group *a, const kiln_group *b)
{
    double edge[3];
    for (unsigned k = 0; k < 3; k++) {
        const float low = a->lower[k] < b->lower[k] ? a->lower[k] : b->lower[k];
        const float high = a->upper[k] > b->upper[k] ? a->upper[k] : b->upper[k];
        edge[k] = (double)high - (double)low;
    }
    const double length = (edge[0] + edge[1]) + edge[2];
    return ((edge[0] * edge[1] + edge[1] * edge[2]) + edge[2] * edge[0]) +
           0x1p-20 * (length * length);
}

static inline double kiln_group_area(const kiln_group *group)
{
    return kiln_joint_area(group, group);
}

#endif
