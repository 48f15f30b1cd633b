/* What queries of one mesh have in common: their options, and the filter of triangles. */
#ifndef KILN_QUERY_H
#define KILN_QUERY_H

#include "../base/fpu.h"
#include "../base/tree.h"

/* The caller's options, as far as its version of the struct goes; NULL: defaults. */
kiln_query_options kiln_query_options_of(const kiln_query_options *options);

/* A filter, and the floating-point environment that it is called in. */
typedef struct {
    kiln_triangle_filter call; /* NULL: keeps all */
    void *user;
    kiln_fpu_state caller;
} kiln_mesh_filter;

/* Out of line, so that no arithmetic moves across the change of environment. */
bool kiln_mesh_filter_call(kiln_mesh_filter *filter, const kiln_tree *tree, uint32_t triangle);

static inline bool kiln_mesh_filter_keeps(kiln_mesh_filter *filter, const kiln_tree *tree,
                                          uint32_t triangle)
{
    return filter->call == NULL || kiln_mesh_filter_call(filter, tree, triangle);
}

/* Corners of a stored triangle, one after the other. */
static inline void kiln_tree_stored_corners(const kiln_tree *tree, uint32_t stored,
                                            double corners[9])
{
    const uint32_t *corner = tree->triangles + 3 * (size_t)stored;
    for (int i = 0; i < 3; i++) {
        const float *vertex = tree->vertices + 3 * (size_t)corner[i];
        for (int k = 0; k < 3; k++) {
            corners[3 * i + k] = (double)vertex[k];
        }
    }
}

#endif
