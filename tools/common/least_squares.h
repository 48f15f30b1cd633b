/* Least squares without negative unknowns, of a few unknowns. */
#ifndef KILN_LEAST_SQUARES_H
#define KILN_LEAST_SQUARES_H

#include <stdbool.h>
#include <stddef.h>

enum { KILN_UNKNOWNS_MAX = 4 };

/* One equation: the sum of factor[i] times unknown i is to be `value`; it counts `weight` times. */
typedef struct {
    double factor[KILN_UNKNOWNS_MAX], value, weight;
} kiln_equation;

/* The `unknowns` numbers, none of them negative, by which the weighted sum of squared differences
 * is least. Unknowns that the equations do not determine are 0 as far as possible, those that
 * stand first being kept. False: there is no equation, or a number is not finite. */
bool kiln_least_squares(const kiln_equation equations[], size_t count, unsigned unknowns,
                        double out[KILN_UNKNOWNS_MAX]);

#endif
