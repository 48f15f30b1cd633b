/* The octree of a mesh: cells, and which triangles are in them. */
#ifndef KILN_TREE_OCTREE_H
#define KILN_TREE_OCTREE_H

#include "cloud.h"
#include "collapse8.h"

/* How many references a triangle may have in the mean, and a halving may make of one. */
#define KILN_OCTREE_REFERENCES_MAX 4.0
#define KILN_OCTREE_HALVING_MAX 1.5

/* A wide node. `split` of a lane that is no leaf is the number of its node here; lanes are ranges
 * of references. The box of a lane holds the parts of its triangles that are in its cell. */
typedef struct {
    kiln_wide wide;
    kiln_extents box[8];
} kiln_octree_node;

typedef struct kiln_octree {
    kiln_octree_node *nodes; /* node 0 is the root; NULL: the tree is no octree */
    size_t count, room;
    kiln_record *references; /* one for each, with its triangle */
    size_t reference_count, reference_room;
} kiln_octree;

/* Makes the octree of `count` records, which the cloud has, with at most `leaf` triangles in a
 * leaf. *out is empty before, and released by the caller. False: out of memory or *cancelled. */
bool kiln_octree_build(const kiln_cloud *cloud, uint32_t count, uint32_t leaf,
                       const kiln_watch *watch, kiln_octree *out, bool *cancelled);

/* Bytes a triangle that an octree needs beside what every tree does, with so many in a leaf. */
unsigned kiln_octree_spare(int leaf);

void kiln_octree_free(kiln_octree *octree);

#endif
