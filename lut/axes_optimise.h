/* Spherical coverings: points of the unit sphere from the nearest of which no direction is further
 * than their covering radius, which is to be small. */
#ifndef KILN_LUT_AXES_OPTIMISE_H
#define KILN_LUT_AXES_OPTIMISE_H

#include "axes_groups.h"

/* Points that move, each with its images under a group, and points that don't. */
typedef struct {
    const kiln_lut_group *group;
    uint32_t moving;            /* points that move: the first of each orbit */
    uint32_t fixed;             /* points that stay */
    const double (*first)[3];   /* [moving], on the grid */
    const double (*staying)[3]; /* [fixed] */
} kiln_lut_orbits;

/* How a set is improved. */
typedef struct {
    uint32_t steps;
    double first_step,
        last_step; /* radians, for four points: falls with the root of their number */
    double first_sharp, last_sharp; /* of the soft minimum, for each point */
    bool
        follow; /* from where facets are no longer a hull, give up: sets too large to start again */
} kiln_lut_ascent;

extern const kiln_lut_ascent kiln_lut_ascent_search, kiln_lut_ascent_polish;

/* Number of points. */
uint32_t kiln_lut_orbits_count(const kiln_lut_orbits *orbits);

/* Writes all points: the images of the first, group after group, then those that stay. */
void kiln_lut_orbits_expand(const kiln_lut_orbits *orbits, double (*points)[3]);

/* Moves first [moving], which orbits->first is, so that the covering radius shrinks; what is
 * written is the best that was met. *cosine gets its cosine, in double. False: out of memory, or
 * points met. / */
bool kiln_lut_orbits_improve(const kiln_lut_orbits *orbits, double (*first)[3],
                             const kiln_lut_ascent *ascent, double *cosine);

#endif
