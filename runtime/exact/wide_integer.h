/* Integers of some five thousand bits, signed, on the stack: for decisions whose factors are so
 * many that expansions of doubles (expansion.h) could leave the range of doubles. A coordinate is
 * a whole number of grid steps, the step being a power of two that all coordinates of a decision
 * share. */
#ifndef KILN_WIDE_INTEGER_H
#define KILN_WIDE_INTEGER_H

#include <stdbool.h>
#include <stdint.h>

/* The largest number of point_triangle.c has 4,532 bits. */
enum { KILN_WIDE_LIMBS = 160 };

typedef struct {
    int sign;       /* -1, 0, 1 */
    uint32_t count; /* limbs in use; the last is not 0 */
    uint32_t limb[KILN_WIDE_LIMBS];
} kiln_wide;

/* The exponent of the lowest bit that is set; `value` is finite and not 0. */
int kiln_wide_lowest_bit(double value);

/* value / 2^step, which must be whole. */
void kiln_wide_set(kiln_wide *out, double value, int step);

/* out = a + sign b; `out` may be either of them. */
void kiln_wide_add(kiln_wide *out, const kiln_wide *a, const kiln_wide *b, int sign);

/* out = a b; `out` is neither of them. */
void kiln_wide_multiply(kiln_wide *out, const kiln_wide *a, const kiln_wide *b);

/* Sign of a - b. */
int kiln_wide_compare(const kiln_wide *a, const kiln_wide *b);

/* fraction 2^exponent within 2^-52 of itself, |fraction| from 1/2 to 1; 0 and 0 for 0. */
double kiln_wide_fraction(const kiln_wide *a, int *exponent);

#endif
