/* Arithmetic whose bits are the same on every machine: +, -, *, / and sqrt alone, which IEEE 754
 * rounds correctly. What libm computes may differ in the last place, and a search that starts there
 * would end elsewhere. */
#ifndef KILN_LUT_AXES_MATH_H
#define KILN_LUT_AXES_MATH_H

#include <stdint.h>

#define KILN_LUT_PI 0x1.921fb54442d18p+1

/* The sine and cosine of an angle, within 2^-50. |angle| <= 2 pi. */
double kiln_lut_sine(double angle);
double kiln_lut_cosine(double angle);

/* exp(-x) within 2^-40 of itself, 0 <= x <= 700. */
double kiln_lut_decay(double x);

/* An upper bound of the angle from 0 to pi / 2 whose sine is given, at most 2^-44 above it. */
double kiln_lut_angle_above(double sine);

/* The next number of a sequence (SplitMix64), from 0 to just below 1. */
double kiln_lut_random(uint64_t *state);

/* A point of the unit sphere, evenly distributed. */
void kiln_lut_random_point(uint64_t *state, double point[3]);

/* Scales to length 1, then rounds each coordinate to the grid of axes_hull.h: the length is 1
 * within 2^-51. False: too short to have a direction. */
int kiln_lut_to_sphere(double point[3]);

#endif
