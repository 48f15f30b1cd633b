/* Writes embedded_axes.c: the axes of the antipodal covering that the runtime has built in, from
 * its recipe, with the certified covering radius.
 *
 *     generate_axes >embedded_axes.c */
#include "axes_radius.h"
#include "axes_recipes.h"

#include <stdio.h>
#include <stdlib.h>

enum { BUILT_IN_POINTS = 140 };

/* Of two opposite points the one with the last coordinate that is not 0 above 0. */
static bool is_kept(const double point[3])
{
    for (unsigned j = 3; j-- > 0;) {
        if (point[j] != 0.0) {
            return point[j] > 0.0;
        }
    }
    return false;
}

int main(void)
{
    static double points[BUILT_IN_POINTS][3];
    kiln_lut_radius radius;
    const kiln_lut_recipe *recipe = kiln_lut_recipe_find(BUILT_IN_POINTS, true);
    if (recipe == NULL || !kiln_lut_recipe_expand(recipe, points) ||
        !kiln_lut_points_are_sound((const double(*)[3])points, BUILT_IN_POINTS) ||
        !kiln_lut_covering_radius((const double(*)[3])points, BUILT_IN_POINTS, &radius)) {
        fputs("generate_axes: no recipe, or no covering\n", stderr);
        return 1;
    }
    puts("/* Written by generate_axes.c; see axes_default.h. */\n#include \"axes_default.h\"\n");
    puts("static const double built_in_axes[][3] = {");
    unsigned count = 0;
    for (unsigned i = 0; i < BUILT_IN_POINTS; i++) {
        if (is_kept(points[i])) {
            printf("    {%a, %a, %a},\n", points[i][0], points[i][1], points[i][2]);
            count++;
        }
    }
    printf("};\n\nconst kiln_axis_set kiln_axes_built_in = {%u, built_in_axes, %a, %a};\n", count,
           radius.radius, radius.sine);
    return count == BUILT_IN_POINTS / 2 && fflush(stdout) == 0 ? 0 : 1;
}
