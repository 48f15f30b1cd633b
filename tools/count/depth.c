#include "count.h"

enum { FRACTION_BITS = 24 };

/* log2(n) in units of 2^-24, digit by digit by squaring: integers, so that it is the same number
 * everywhere. Never above the true value, and below it by less than 2^-22. */
static uint64_t binary_logarithm(uint32_t n)
{
    unsigned whole = 31;
    while ((n >> whole) == 0) {
        whole--;
    }
    uint64_t result = whole, x = (uint64_t)n << (31 - whole); /* x / 2^31 in [1, 2) */
    for (int i = 0; i < FRACTION_BITS; i++) {
        x = x * x >> 31;
        result <<= 1;
        if (x >> 32 != 0) {
            result |= 1;
            x >>= 1;
        }
    }
    return result;
}

uint8_t kiln_count_depth(uint32_t n, uint32_t whole)
{
    const uint64_t all = binary_logarithm(whole);
    if (all == 0) {
        return 255;
    }
    return (uint8_t)((2 * 255 * (all - binary_logarithm(n)) + all) / (2 * all));
}
