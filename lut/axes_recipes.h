/* Spherical coverings in few numbers: a group and the first point of each orbit. The best sets that
 * searches found are kept as such. */
#ifndef KILN_LUT_AXES_RECIPES_H
#define KILN_LUT_AXES_RECIPES_H

#include "axes_groups.h"

typedef struct {
    uint32_t points;
    bool antipodal;
    uint32_t group; /* its number (axes_groups.h) */
    uint32_t
        orbits; /* a bit for each orbit of points on axes of rotation that is part of the set */
    uint32_t moving; /* points off these axes, each with its images */
    const double (*first)[3];
} kiln_lut_recipe;

extern const kiln_lut_recipe kiln_lut_recipes[];
extern const unsigned kiln_lut_recipe_count;

/* NULL: there is none for this number of points. */
const kiln_lut_recipe *kiln_lut_recipe_find(uint32_t points, bool antipodal);

/* Writes the points [recipe->points], on the grid of axes_hull.h: images of the first ones, then
 * those on axes. The same bits on every machine. False: out of memory. */
bool kiln_lut_recipe_expand(const kiln_lut_recipe *recipe, double (*points)[3]);

#endif
