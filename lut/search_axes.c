/* Searches for spherical coverings and writes the recipes of those that are kept, axes_recipes.c.
 * Each line of the input is a search:
 *
 *     POINTS spherical|antipodal STARTS SEED GROUP
 *
 * GROUP is a name (T, O, I, C1 ..., D2 ...) or "all". `make axes-recipes` runs it over
 * axes_searches.txt, which takes some minutes of a processor. */
#include "axes_math.h"
#include "axes_radius.h"
#include "axes_search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool run_here(void *user, uint32_t count, void (*task)(void *context, uint32_t index),
                     void *context)
{
    (void)user;
    for (uint32_t i = 0; i < count; i++) {
        task(context, i);
    }
    return true;
}

enum { SEARCHES_MOST = 100 };

/* The number of a group's name; KILN_LUT_GROUP_COUNT: all. */
static uint32_t group_number(const char *name, kiln_lut_group *group)
{
    uint32_t number = 0;
    for (; number < KILN_LUT_GROUP_COUNT; number++) {
        kiln_lut_group_make(group, number, false);
        if (strcmp(group->name, name) == 0) {
            break;
        }
    }
    return number;
}

/* Writes the points of a recipe, and keeps its row. */
static bool write_recipe(const kiln_lut_search *search, const char *line, kiln_lut_group *group,
                         char *row, size_t row_size)
{
    const kiln_lut_parallel here = {run_here, NULL};
    kiln_lut_found found;
    kiln_lut_radius radius;
    double(*points)[3] = malloc(search->points * sizeof *points);
    if (points == NULL || !kiln_lut_axes_search(search, &here, &found)) {
        free(points);
        return false;
    }
    const kiln_lut_recipe *recipe = &found.recipe;
    const bool done = kiln_lut_recipe_expand(recipe, points) &&
                      kiln_lut_covering_radius((const double(*)[3])points, search->points, &radius);
    if (done) {
        const char *kind = search->antipodal ? "antipodal" : "spherical";
        kiln_lut_group_make(group, recipe->group, recipe->antipodal);
        printf("\n/* %.7f degrees, by %s: %s */\n", radius.radius * 180 / KILN_LUT_PI, group->name,
               line);
        printf("static const double %s_%u[][3] = {\n", kind, recipe->points);
        for (uint32_t i = 0; i < recipe->moving; i++) {
            printf("    {%a, %a, %a},\n", recipe->first[i][0], recipe->first[i][1],
                   recipe->first[i][2]);
        }
        puts(recipe->moving > 0 ? "};" : "    {0, 0, 0},\n};");
        snprintf(row, row_size, "    {%u, %s, %u, %u, %u, %s_%u},\n", recipe->points,
                 search->antipodal ? "true" : "false", recipe->group, recipe->orbits,
                 recipe->moving, kind, recipe->points);
        fprintf(stderr, "%.7f degrees, by %s: %s\n", radius.radius * 180 / KILN_LUT_PI, group->name,
                line);
    }
    free((void *)recipe->first);
    free(points);
    return done;
}

int main(void)
{
    static char rows[SEARCHES_MOST][128];
    static kiln_lut_group group;
    char line[128];
    unsigned count = 0;
    puts("/* Written by search_axes.c; see axes_recipes.h. */\n#include \"axes_recipes.h\"");
    while (count < SEARCHES_MOST && fgets(line, sizeof line, stdin) != NULL) {
        char kind[16], name[16];
        unsigned points, starts, seed;
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "%u %15s %u %u %15s", &points, kind, &starts, &seed, name) != 5) {
            continue; /* a comment */
        }
        const kiln_lut_search search = {points, strcmp(kind, "antipodal") == 0, starts, seed,
                                        group_number(name, &group)};
        if (!write_recipe(&search, line, &group, rows[count++], sizeof rows[0])) {
            fprintf(stderr, "search_axes: nothing found: %s\n", line);
            return 1;
        }
        fflush(stdout);
    }
    puts("\nconst kiln_lut_recipe kiln_lut_recipes[] = {");
    for (unsigned i = 0; i < count; i++) {
        fputs(rows[i], stdout);
    }
    puts("};\nconst unsigned kiln_lut_recipe_count = sizeof kiln_lut_recipes / sizeof "
         "kiln_lut_recipes[0];");
    return fflush(stdout) == 0 ? 0 : 1;
}
