/* Bounding volumes and surface moments of all nodes of the binary tree. */
#ifndef KILN_TREE_MEASURE_H
#define KILN_TREE_MEASURE_H

#include "binary.h"
#include "cloud.h"

/* Weight, mean and covariance of surfaces, and the axes of the covariance. */

typedef struct {
    double weight, mean[3];
    double spread[6]; /* xx yy zz yz xz xy, about the mean, times the weight */
} kiln_moments;

extern const kiln_moments kiln_moments_none;

/* Of one triangle with corners p[corner][coordinate]. */
void kiln_moments_of_triangle(double p[3][3], kiln_moments *moments);

void kiln_moments_join(kiln_moments *moments, const kiln_moments *other);

/* Right-handed orthonormal eigenvectors of the covariance; the object axes where it is zero. */
void kiln_moments_axes(const kiln_moments *moments, double axis[3][3]);

/* Bounding volumes of a binary tree, from the leaves up. */

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
