/* Numbers as nodes store them: a grid of bytes, and IEEE halves. */
#ifndef KILN_BUILD_GRID_H
#define KILN_BUILD_GRID_H

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

#endif
