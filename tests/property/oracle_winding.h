/* Winding numbers with numbers of hundreds of bits, by a method of its own but for the formula of
 * the solid angle: see oracle_winding.c. For tests only; not thread-safe. */
#ifndef KILN_TEST_ORACLE_WINDING_H
#define KILN_TEST_ORACLE_WINDING_H

#include <stdint.h>

/* Computes the number of `count` triangles, nine coordinates each, about a point. */
void oracle_winding_set(const double *corners, uint32_t count, const double point[3]);

/* How far a number is off that. */
double oracle_winding_off(double number);

/* The nearest double. */
double oracle_winding_number(void);

#endif
