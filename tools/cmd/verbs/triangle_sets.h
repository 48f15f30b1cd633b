/* The triangles of two models, compared exactly, as sets and one by one. */
#ifndef KILN_CMD_TRIANGLE_SETS_H
#define KILN_CMD_TRIANGLE_SETS_H

#include "../../../formats/check.h"

typedef struct {
    uint64_t only_a, only_b; /* triangles that only one has, each as often as it is there more */
    uint64_t renumbered;     /* of as many ids as both have: triangles that are not the same ones */
} triangle_sets;

/* A triangle is three corners in their order, wherever that starts; corners are equal where their
 * coordinates are. Both have polygons. False: no memory. */
bool triangle_sets_compare(const kiln_view *a, const kiln_view *b, triangle_sets *out);

#endif
