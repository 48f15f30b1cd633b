/* Where a node puts its meshes. */
#ifndef KILN_IMPORT_PLACE_H
#define KILN_IMPORT_PLACE_H

#include <stdbool.h>

#include "scene.h"

typedef struct {
    double m[3][4]; /* row-major, affine */
} kiln_place;

/* To the parent's frame: outer after inner. */
kiln_place kiln_place_join(const kiln_place *outer, const kiln_place *inner);
kiln_place kiln_place_of_node(const kiln_scene_node *node);
/* Scales and turns so that axis `from` becomes axis `to`, without mirroring. */
kiln_place kiln_place_of_options(double scale, int from, int to);
bool kiln_place_is_finite(const kiln_place *place);
bool kiln_place_mirrors(const kiln_place *place);
/* Most that a length can grow. */
double kiln_place_growth(const kiln_place *place);

#endif
