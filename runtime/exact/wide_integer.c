/* Integers of some five thousand bits: school arithmetic on limbs of 32 bits, of which those in
 * use are few in practice. */
#include "wide_integer.h"

#include "../../formats/assert.h"

#include <math.h>
#include <string.h>

int kiln_wide_lowest_bit(double value)
{
    int exponent;
    const double fraction = frexp(fabs(value), &exponent);
    const uint64_t bits = (uint64_t)ldexp(fraction, 53);
    KILN_ASSERT(bits != 0);
    return exponent - 53 + __builtin_ctzll(bits);
}

static void trim_wide(kiln_wide *a)
{
    while (a->count > 0 && a->limb[a->count - 1] == 0) {
        a->count--;
    }
    a->sign = a->count == 0 ? 0 : a->sign;
}

void kiln_wide_set(kiln_wide *out, double value, int step)
{
    int exponent;
    uint64_t bits = (uint64_t)ldexp(frexp(fabs(value), &exponent), 53);
    int shift = exponent - 53 - step;
    out->sign = value < 0 ? -1 : 1;
    out->count = 0;
    if (bits == 0) {
        out->sign = 0;
        return;
    }
    if (shift < 0) {
        KILN_ASSERT(-shift < 53 && (bits & ((UINT64_C(1) << -shift) - 1)) == 0);
        bits >>= -shift & 63;
        shift = 0;
    }
    const uint32_t below = (uint32_t)shift / 32, by = (uint32_t)shift % 32;
    KILN_ASSERT(below + 3 <= KILN_WIDE_LIMBS);
    if (below + 3 > KILN_WIDE_LIMBS) { /* of files that were opened unverified */
        out->sign = 0;
        return;
    }
    memset(out->limb, 0, below * sizeof out->limb[0]);
    const uint64_t low = (bits & UINT32_MAX) << by, high = (bits >> 32) << by;
    const uint64_t middle = (low >> 32) + (high & UINT32_MAX);
    out->limb[below] = (uint32_t)low;
    out->limb[below + 1] = (uint32_t)middle;
    out->limb[below + 2] = (uint32_t)((high >> 32) + (middle >> 32));
    out->count = below + 3;
    trim_wide(out);
}

/* Of the magnitudes. */
static int compare_limbs(const kiln_wide *a, const kiln_wide *b)
{
    if (a->count != b->count) {
        return a->count < b->count ? -1 : 1;
    }
    for (uint32_t i = a->count; i-- > 0;) {
        if (a->limb[i] != b->limb[i]) {
            return a->limb[i] < b->limb[i] ? -1 : 1;
        }
    }
    return 0;
}

int kiln_wide_compare(const kiln_wide *a, const kiln_wide *b)
{
    if (a->sign != b->sign) {
        return a->sign < b->sign ? -1 : 1;
    }
    return a->sign * compare_limbs(a, b);
}

void kiln_wide_add(kiln_wide *out, const kiln_wide *a, const kiln_wide *b, int sign)
{
    const int sign_b = sign * b->sign;
    if (b->sign == 0 || a->sign == 0) {
        const kiln_wide *kept = b->sign == 0 ? a : b;
        const int sign_kept = b->sign == 0 ? a->sign : sign_b;
        if (out != kept) {
            memcpy(out->limb, kept->limb, kept->count * sizeof kept->limb[0]);
        }
        out->count = kept->count;
        out->sign = sign_kept;
        return;
    }
    const bool alike = a->sign == sign_b, a_larger = compare_limbs(a, b) >= 0;
    const kiln_wide *large = a_larger ? a : b, *small = a_larger ? b : a;
    const int sign_out = a_larger ? a->sign : sign_b;
    const uint32_t count = large->count, count_small = small->count;
    uint64_t carry = 0; /* or what was borrowed */
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t more = (i < count_small ? small->limb[i] : 0) + carry;
        const uint64_t sum = alike ? large->limb[i] + more : large->limb[i] - more;
        out->limb[i] = (uint32_t)sum;
        carry = sum >> 32 & (alike ? UINT32_MAX : 1);
    }
    out->count = count;
    if (carry != 0 && count < KILN_WIDE_LIMBS) {
        out->limb[out->count++] = (uint32_t)carry;
    }
    out->sign = sign_out;
    trim_wide(out);
}

void kiln_wide_multiply(kiln_wide *out, const kiln_wide *a, const kiln_wide *b)
{
    KILN_ASSERT(out != a && out != b);
    KILN_ASSERT(a->count + b->count <= KILN_WIDE_LIMBS);
    uint32_t count = a->count + b->count;
    count = count <= KILN_WIDE_LIMBS ? count : KILN_WIDE_LIMBS;
    out->sign = a->sign * b->sign;
    out->count = out->sign == 0 ? 0 : count;
    memset(out->limb, 0, out->count * sizeof out->limb[0]);
    for (uint32_t i = 0; out->sign != 0 && i < a->count; i++) {
        uint64_t carry = 0;
        for (uint32_t j = 0; j < b->count && i + j < count; j++) {
            carry += (uint64_t)a->limb[i] * b->limb[j] + out->limb[i + j];
            out->limb[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        if (i + b->count < count) {
            out->limb[i + b->count] = (uint32_t)carry;
        }
    }
    trim_wide(out);
}

/* The three highest limbs, of which the first may have few bits, are 65 bits at least. */
double kiln_wide_fraction(const kiln_wide *a, int *exponent)
{
    double sum = 0;
    *exponent = 0;
    if (a->sign == 0) {
        return 0;
    }
    const uint32_t top = a->count, from = top > 3 ? top - 3 : 0;
    for (uint32_t i = top; i-- > from;) {
        sum += ldexp((double)a->limb[i], 32 * (int)(i - from));
    }
    const double fraction = frexp(sum, exponent);
    *exponent += 32 * (int)from;
    return a->sign * fraction;
}
