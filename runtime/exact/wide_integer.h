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
/* Integers of fixed room, for what is decided by rational arithmetic: coordinates in a common unit,
 * and polynomials of them. Limbs of 32 bits, so that no type beyond C11's is needed; products are
 * those of the school. A number takes as long as it has limbs, not as long as its room.
 *
 * Room. A coordinate in the range of exact.h is a multiple of 2^-302 below 2^251, a difference of
 * two such one of 554 bits. What convex_exact.c makes of them is of degree six at most, with sums
 * of less than 64 summands: 3,330 bits. */
#ifndef KILN_WIDE_INTEGER_H
#define KILN_WIDE_INTEGER_H

#include <stdint.h>

enum { KILN_WIDE_LIMBS = 112 };

typedef struct {
    int sign;                       /* -1, 0, 1 */
    unsigned count;                 /* limbs, the last of which is not 0; 0 for 0 */
    uint32_t limb[KILN_WIDE_LIMBS]; /* the lowest first */
} kiln_wide;

/* value / 2^unit: it has to be an integer. */
void kiln_wide_take(kiln_wide *out, double value, int unit);

/* out = a; only as many limbs are copied as there are. */
void kiln_wide_copy(kiln_wide *out, const kiln_wide *a);

/* out = a + b, a - b; out may be one of them. */
void kiln_wide_add(kiln_wide *out, const kiln_wide *a, const kiln_wide *b);
void kiln_wide_subtract(kiln_wide *out, const kiln_wide *a, const kiln_wide *b);

/* out = a b; out is neither. */
void kiln_wide_multiply(kiln_wide *out, const kiln_wide *a, const kiln_wide *b);

/* The sign of a - b. */
int kiln_wide_compare(const kiln_wide *a, const kiln_wide *b);

/* a = m 2^*exponent with |m| from 1/2 to 1, within 2^-52 of itself; 0 for 0. */
double kiln_wide_mantissa(const kiln_wide *a, int *exponent);

#endif
