/* A tree unpacked in memory for faster rays: its boxes in floats, with references to what is in
 * their lanes, and the corners of its triangles in groups of four. open/ray_accel.c makes it,
 * kernel/kernel_ray_accel.h walks it. */
#ifndef KILN_RAY_ACCEL_H
#define KILN_RAY_ACCEL_H

#include <stddef.h>
#include <stdint.h>

/* Nodes are those of the tree, with their numbers. In each the leaves come first, then the inner
 * lanes, both in the tree's order. A lane that is empty has a box that no line meets. */
typedef struct {
    float face[2][3][8]; /* lower, then upper, of each axis; node space, within 2^-23 of itself */
    uint32_t references[8];
} kiln_ray_node;

/* No face is farther from the middle of node space, but for empty lanes. */
#define KILN_RAY_FACE_MOST 4.0

/* A group of four triangles, corner by corner, axis by axis. Where there are fewer the last one is
 * repeated. */
typedef struct {
    float corner[3][3][4];
    uint32_t stored[4]; /* their numbers */
} kiln_ray_group;

/* Nodes and groups begin at multiples of this, which the kernels' vectors need not have, but which
 * keeps them from lying across two lines of the cache. */
enum { KILN_RAY_ACCEL_STEP = 32 };

/* A reference to what is in a lane: eight times the number of such steps from the first node to it.
 * The reference to a leaf also has its lowest bit set, and the next two bits say how many groups
 * follow the first one. */
enum { KILN_RAY_LEAF = 1, KILN_RAY_MORE_SHIFT = 1, KILN_RAY_MORE_MOST = 3, KILN_RAY_PLACE = 8 };

/* Where a reference without these bits leads. */
static inline const void *kiln_ray_place(const void *nodes, uint32_t reference)
{
    return (const uint8_t *)nodes + (size_t)reference * (KILN_RAY_ACCEL_STEP / KILN_RAY_PLACE);
}

#endif
