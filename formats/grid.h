/* Numbers as nodes store them: a grid of bytes and IEEE halves, or floats about an origin. */
#ifndef KILN_GRID_H
#define KILN_GRID_H

#include "nodes.h"

#include <stdint.h>

/* One axis of a node's grid: org + 0 .. 255 steps of 2^(exp - 127). */
typedef struct {
    float org;
    uint8_t exp;
    double step;
} kiln_grid;

/* The finest grid from below `lower` to above `upper`; both within [-8, 8]. Its points are exact in
 * double. */
void kiln_grid_choose(double lower, double upper, kiln_grid *grid);

double kiln_grid_point(const kiln_grid *grid, unsigned index);

/* The greatest point not above x, the least not below, and the nearest; x between the ends. */
uint8_t kiln_grid_below(const kiln_grid *grid, double x);
uint8_t kiln_grid_above(const kiln_grid *grid, double x);
uint8_t kiln_grid_nearest(const kiln_grid *grid, double x);

/* The least IEEE half not below x; 0 <= x <= 65504. */
uint16_t kiln_half_above(double x);

/* The power of two, half_exp of a node, that brings its greatest half-extent or radius just below
 * 2^15, so that halves resolve the smallest as finely as they can. 0 <= greatest <= 8. */
uint8_t kiln_half_exp_of(double greatest);

/* The tightest slab `slab` of a lane that holds [lower, upper], of d . (p - org), both off by at
 * most `error`; the node has its org and exp. */
void kiln_dop_write_slab(const kiln_dop_set *set, kiln_format_node8 *node, unsigned lane,
                         unsigned slab, double lower, double upper, double error);

/* Numbers as binary nodes store them: floats about an origin. */

/* org in the middle of the boxes' centres, a multiple of 2^-24 within [-1, 1]; exp that of 1. */
void kiln_box2_head(double middle[2][3], unsigned lane_count, kiln_format_node8 *head);

/* The centre relative to org: a float and a multiple of 2^-50, so that org + centre is exact in
 * double. */
float kiln_box2_centre(float org, double middle);

/* The least float not below x; what is positive and below 2^-100 counts as that. 0 <= x. */
float kiln_float_above(double x);

/* Not less than what is between `centre` and the farther of two ends, and that itself where a
 * double holds it. */
double kiln_reach_above(double centre, double lower, double upper);

#endif
