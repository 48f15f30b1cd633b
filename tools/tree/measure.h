/* Bounding volumes of a binary tree, from the leaves up. */
#ifndef KILN_BUILD_MEASURE_H
#define KILN_BUILD_MEASURE_H

#include "binary.h"
#include "cloud.h"
#include "moments.h"

/* What is known of a range before its bounding volume is chosen. */
typedef struct {
    kiln_extents bounds;
    kiln_moments moments; /* kiln_moments_none where the kind has no use for them */
} kiln_measure;

/* Chooses the bounding volume of an inner node: writes its half_area and rotation. */
typedef void (*kiln_fit_node)(const kiln_cloud *cloud, const kiln_range *range,
                              const kiln_measure *measure, kiln_binary_node *node);

void kiln_measure_triangles(const kiln_cloud *cloud, uint32_t first, uint32_t last,
                            bool with_moments, kiln_measure *measure);

/* Fits every inner node and fills in its height. False: out of memory or cancelled. */
bool kiln_measure_tree(const kiln_cloud *cloud, kiln_binary *tree, kiln_fit_node fit,
                       bool with_moments, const kiln_watch *watch, kiln_arena *arena,
                       bool *cancelled);

#endif
