/* Factorials as mantissa and exponent: constant data, 9.4 KiB. Products and quotients of them
 * need no exp and no log, and err by a few roundings whatever their size: the log-factorials up to
 * 512 that they replace have 4.5e-13 in their last place alone.
 *
 * Entry i holds i! up to 512!, then (512 + 8 (i - 512))! up to 4096!; those between are reached by
 * at most seven factors. */
#ifndef KILN_FACTORIALS_H
#define KILN_FACTORIALS_H

#include <stdint.h>

enum {
    KILN_FACTORIAL_DENSE = 512, /* every factorial up to here */
    KILN_FACTORIAL_STEP = 8,    /* then each eighth */
    KILN_FACTORIAL_MAX = 4096,
    KILN_FACTORIAL_ENTRIES =
        KILN_FACTORIAL_DENSE + 1 + (KILN_FACTORIAL_MAX - KILN_FACTORIAL_DENSE) / KILN_FACTORIAL_STEP
};

/* In [1, 2], within 2^-53 of itself: n! = mantissa 2^exponent. */
extern const double kiln_factorial_mantissa[KILN_FACTORIAL_ENTRIES];
extern const uint16_t kiln_factorial_exponent[KILN_FACTORIAL_ENTRIES];

/* n of the factorial in an entry. */
static inline uint32_t kiln_factorial_of_entry(uint32_t entry)
{
    return entry <= KILN_FACTORIAL_DENSE
               ? entry
               : KILN_FACTORIAL_DENSE + KILN_FACTORIAL_STEP * (entry - KILN_FACTORIAL_DENSE);
}

#endif
