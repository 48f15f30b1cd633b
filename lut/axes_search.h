/* The search for spherical coverings, from random starts. */
#ifndef KILN_LUT_AXES_SEARCH_H
#define KILN_LUT_AXES_SEARCH_H

#include "axes_recipes.h"
#include "parallel.h"

typedef struct {
    uint32_t points; /* 4 or more */
    bool antipodal;  /* with each point its opposite is one: `points` is even */
    uint32_t starts; /* about how many, over all groups */
    uint64_t seed;
    uint32_t group; /* KILN_LUT_GROUP_COUNT: all */
} kiln_lut_search;

typedef struct {
    kiln_lut_recipe recipe; /* recipe.first is released by free() */
    double cosine;          /* of the covering radius, in double; nothing is certified here */
    uint32_t tried;         /* starts */
} kiln_lut_found;

/* The best covering that was found: the same for any threads and on any machine. False: out of
 * memory, cancelled, or no group has a set of so many points. */
bool kiln_lut_axes_search(const kiln_lut_search *search, const kiln_lut_parallel *parallel,
                          kiln_lut_found *found);

#endif
