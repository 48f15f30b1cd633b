/* Makes axis sets (axes.h): the points of a covering, the axes among them, the certified covering
 * radius of these and their opposites, and the look-up table. */
#include "axes.h"

#include "axes_geodesic.h"
#include "axes_math.h"
#include "axes_reduce.h"
#include "axes_search.h"
#include "axes_zones.h"

#include "../formats/assert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GEODESIC_STEPS = 200, POLES = 20000, POLES_WORK = 4000000 };

/* Up to this number of points a search finds better sets than those on an icosahedron. */
enum { SEARCHED_FIRST = 130 };

/* Starts of a search that takes some seconds: a start takes the longer the more points there are.
 */
enum { SHORT_SEARCH = 60, LEAST_SEARCH = 6, SEARCH_WORK = 8000 };

static uint32_t short_search(uint32_t points)
{
    const uint32_t starts = SEARCH_WORK / points;
    return starts > SHORT_SEARCH ? SHORT_SEARCH : starts > LEAST_SEARCH ? starts : LEAST_SEARCH;
}

/* The points of a covering: *points is released by free(). */
static kiln_lut_axes_status make_points(const kiln_lut_axes_options *options,
                                        const kiln_lut_parallel *parallel, double (**points)[3],
                                        kiln_lut_axes_source *source)
{
    const kiln_lut_recipe *kept =
        options->starts == 0 ? kiln_lut_recipe_find(options->points, options->antipodal) : NULL;
    kiln_lut_recipe made = {.first = NULL};
    uint32_t b, c;
    bool done = true;
    if (kept != NULL) {
        *source = KILN_LUT_AXES_KEPT;
    } else if (!options->antipodal && options->starts == 0 &&
               kiln_lut_geodesic_is(options->points, &b, &c) && options->points > SEARCHED_FIRST) {
        *source = KILN_LUT_AXES_GEODESIC;
        done = kiln_lut_geodesic_make(b, c, GEODESIC_STEPS, &made);
    } else if (options->points >= 6 && options->points <= KILN_LUT_AXES_SEARCHED &&
               !(options->antipodal && options->points % 2 != 0)) {
        *source = KILN_LUT_AXES_FOUND;
        const kiln_lut_search search = {options->points, options->antipodal,
                                        options->starts > 0 ? options->starts
                                                            : short_search(options->points),
                                        options->seed, KILN_LUT_GROUP_COUNT};
        kiln_lut_found found;
        done = kiln_lut_axes_search(&search, parallel, &found);
        made = found.recipe;
    } else {
        return KILN_LUT_AXES_NO_SET;
    }
    *points = malloc(options->points * sizeof **points);
    done = done && *points != NULL && kiln_lut_recipe_expand(kept != NULL ? kept : &made, *points);
    free((void *)made.first);
    return done ? KILN_LUT_AXES_DONE : KILN_LUT_AXES_FAILED;
}

/* The certified radius of axes and their opposites. */
static bool measure_axes(const double (*axes)[3], uint32_t count, kiln_lut_radius *radius)
{
    double(*both)[3] = malloc(2 * (size_t)count * sizeof *both);
    if (both == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        for (unsigned j = 0; j < 3; j++) {
            both[i][j] = axes[i][j];
            both[count + i][j] = -axes[i][j];
        }
    }
    const bool done = kiln_lut_covering_radius((const double(*)[3])both, 2 * count, radius);
    free(both);
    return done;
}

/* The axes, with as many poles tried as take some seconds at most. */
static bool make_axes(const kiln_lut_axes_options *options, const double (*points)[3],
                      kiln_lut_axes *set)
{
    set->axes = malloc(options->points * sizeof *set->axes);
    if (set->axes == NULL || !kiln_lut_covering_radius(points, options->points, &set->covering)) {
        return false;
    }
    if (options->antipodal) {
        set->header.count = kiln_lut_axes_of_pairs(points, options->points, set->axes);
        set->header.kind = KILN_AXES_ANTIPODAL;
    } else {
        const uint32_t tries = POLES_WORK / options->points;
        set->header.count = kiln_lut_axes_of_points(points, options->points, set->covering.sine,
                                                    tries < POLES ? tries : POLES, set->axes);
        set->header.kind = KILN_AXES_SPHERICAL;
    }
    kiln_lut_radius radius;
    if (!measure_axes((const double(*)[3])set->axes, set->header.count, &radius)) {
        return false;
    }
    set->header.points = options->points;
    set->header.radius = radius.radius;
    set->header.sine = radius.sine;
    set->header.zone_sine = radius.sine;
    return true;
}

/* The table, if it is not too large. */
static kiln_lut_axes_status make_zones(const kiln_lut_axes_options *options, kiln_lut_axes *set)
{
    kiln_format_axes *header = &set->header;
    double sine = header->sine;
    if (options->phi != 0.0) {
        if (!(options->phi > 0.0 && options->phi <= 0.5 * KILN_LUT_PI)) {
            return KILN_LUT_AXES_NARROW;
        }
        sine = kiln_lut_sine(options->phi);
        sine = sine < 1.0 ? sine : 1.0;
        if (sine < header->sine) {
            return KILN_LUT_AXES_NARROW;
        }
    }
    const uint32_t cells = kiln_lut_zone_cells(sine);
    const uint64_t words = (uint64_t)3 * cells * cells * kiln_axes_mask_words(header->count);
    header->zone_sine = sine;
    if (words * sizeof *set->zones > options->zone_most) {
        return KILN_LUT_AXES_DONE;
    }
    set->zones = malloc((size_t)words * sizeof *set->zones);
    if (set->zones == NULL) {
        return KILN_LUT_AXES_FAILED;
    }
    header->zone_cells = cells;
    set->zone_count = words;
    kiln_lut_zones_fill((const double(*)[3])set->axes, header->count, sine, cells, set->zones);
    return KILN_LUT_AXES_DONE;
}

kiln_lut_axes_status kiln_lut_axes_generate(const kiln_lut_axes_options *options,
                                            const kiln_lut_parallel *parallel, kiln_lut_axes *set)
{
    double(*points)[3] = NULL;
    memset(set, 0, sizeof *set);
    kiln_lut_axes_status status = make_points(options, parallel, &points, &set->source);
    if (status == KILN_LUT_AXES_DONE && !make_axes(options, (const double(*)[3])points, set)) {
        status = KILN_LUT_AXES_FAILED;
    }
    free(points);
    return status == KILN_LUT_AXES_DONE ? make_zones(options, set) : status;
}

void kiln_lut_axes_free(kiln_lut_axes *set)
{
    free(set->axes);
    free(set->zones);
    set->axes = NULL;
    set->zones = NULL;
}

bool kiln_lut_axes_audit_all(const kiln_axes_view *view, kiln_lut_axes_audit *audit)
{
    const kiln_format_axes *header = view->header;
    const uint32_t words = kiln_axes_mask_words(header->count);
    memset(audit, 0, sizeof *audit);
    const bool covers = measure_axes(view->axes, header->count, &audit->radius);
    audit->radius_holds =
        covers && header->radius >= audit->radius.radius && header->sine >= audit->radius.sine;
    if (header->zone_cells == 0) {
        return true;
    }
    const uint64_t cells = (uint64_t)3 * header->zone_cells * header->zone_cells;
    uint64_t *zones = malloc((size_t)cells * words * sizeof *zones);
    if (zones == NULL) {
        return false;
    }
    kiln_lut_zones_fill(view->axes, header->count, header->zone_sine, header->zone_cells, zones);
    audit->masks = cells;
    for (uint64_t cell = cells; cell-- > 0;) {
        if (memcmp(zones + cell * words, view->zones + cell * words, words * sizeof *zones) != 0) {
            audit->wrong_masks++;
            audit->first_wrong = cell;
        }
    }
    free(zones);
    return true;
}
