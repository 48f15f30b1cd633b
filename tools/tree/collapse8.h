/* From a binary tree to nodes of eight lanes. */
#ifndef KILN_BUILD_COLLAPSE8_H
#define KILN_BUILD_COLLAPSE8_H

#include "binary.h"

/* No path has more wide nodes than this: see collapse8.c. */
enum { KILN_WIDE_DEPTH_MAX = 20 };

/* The lanes of one node, left to right. */
typedef struct {
    kiln_range lane[8];
    unsigned lane_count;
    uint32_t planned; /* its number in a plan of spheres.h, if there is one */
} kiln_wide;

/* Decides how all nodes are to be made: replaces every binary node's half_area by its shares.
 * False: out of memory (*cancelled false) or cancelled. */
bool kiln_collapse8_plan(kiln_binary *tree, const kiln_watch *watch, kiln_arena *arena,
                         bool *cancelled);

/* The lanes of the node that stands for `range`, with `levels` more levels of nodes allowed, its
 * own among them. */
void kiln_collapse8(const kiln_binary *tree, const kiln_range *range, unsigned levels,
                    kiln_wide *wide);

#endif
