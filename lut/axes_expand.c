/* Recipes of spherical coverings (axes_recipes.h), found and carried out. */
#include "axes_optimise.h"
#include "axes_recipes.h"

#include "../formats/assert.h"

#include <stdlib.h>
#include <string.h>

const kiln_lut_recipe *kiln_lut_recipe_find(uint32_t points, bool antipodal)
{
    for (unsigned i = 0; i < kiln_lut_recipe_count; i++) {
        if (kiln_lut_recipes[i].points == points && kiln_lut_recipes[i].antipodal == antipodal) {
            return &kiln_lut_recipes[i];
        }
    }
    return NULL;
}

bool kiln_lut_recipe_expand(const kiln_lut_recipe *recipe, double (*points)[3])
{
    kiln_lut_group *group = malloc(sizeof *group);
    if (group == NULL) {
        return false;
    }
    kiln_lut_group_make(group, recipe->group, recipe->antipodal);
    const kiln_lut_orbits orbits = {group, recipe->moving, 0, recipe->first, NULL};
    kiln_lut_orbits_expand(&orbits, points);
    points += kiln_lut_orbits_count(&orbits);
    for (uint32_t k = 0; k < group->orbit_count; k++) {
        if ((recipe->orbits >> k & 1) != 0) {
            memcpy(points, group->orbit[k], group->orbit_size[k] * sizeof *points);
            points += group->orbit_size[k];
        }
    }
    free(group);
    return true;
}
