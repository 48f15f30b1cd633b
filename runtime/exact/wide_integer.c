/* Integers of some five thousand bits: school arithmetic on limbs of 32 bits, of which those in
 * use are few in practice. */
/* See wide_integer.h. Magnitudes and signs are apart: sums of different signs are differences of
 * magnitudes, the smaller from the larger. */
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
void kiln_wide_take(kiln_wide *out, double value, int unit)
{
    int exponent;
    const double mantissa = frexp(value, &exponent);
    out->sign = (mantissa > 0) - (mantissa < 0);
    out->count = 0;
    if (mantissa == 0) {
        return;
    }
    uint64_t bits = (uint64_t)(fabs(mantissa) * 0x1p53);
    int shift = exponent - 53 - unit;
    if (shift < 0) { /* what is cut off are zeros */
        KILN_ASSERT(shift > -53 && (bits & ((UINT64_C(1) << -shift) - 1)) == 0);
        bits >>= -shift;
        shift = 0;
    }
    const unsigned skipped = (unsigned)shift / 32, within = (unsigned)shift % 32;
    KILN_ASSERT(skipped + 3 <= KILN_WIDE_LIMBS);
    memset(out->limb, 0, skipped * sizeof out->limb[0]);
    const uint64_t low = (bits & 0xFFFFFFFFu) << within,
                   high = (bits >> 32 << within) + (low >> 32);
    out->limb[skipped] = (uint32_t)low;
    out->limb[skipped + 1] = (uint32_t)high;
    out->limb[skipped + 2] = (uint32_t)(high >> 32);
    out->count = skipped + 3;
    while (out->limb[out->count - 1] == 0) {
        out->count--;
    }
}

void kiln_wide_copy(kiln_wide *out, const kiln_wide *a)
{
    if (out != a) {
        out->sign = a->sign;
        out->count = a->count;
        memcpy(out->limb, a->limb, a->count * sizeof a->limb[0]);
    }
}

static int compare_magnitudes(const kiln_wide *a, const kiln_wide *b)
{
    if (a->count != b->count) {
        return a->count < b->count ? -1 : 1;
    }
    for (uint32_t (unsigned i = a->count; i-- > 0;) {
        if (a->limb[i] != b->limb[i]) {
            return a->limb[i] < b->limb[i] ? -1 : 1;
        }
    }
    return 0;
}

/* The sum of the magnitudes, with a's sign. Limb by limb, so that out may be a or b. */
static void add_magnitudes(kiln_wide *out, const kiln_wide *a, const kiln_wide *b)
{
    const unsigned count_a = a->count, count_b = b->count;
    const unsigned most = count_a > count_b ? count_a : count_b;
    uint64_t carry = 0;
    for (unsigned i = 0; i < most; i++) {
        carry += (uint64_t)(i < count_a ? a->limb[i] : 0) + (i < count_b ? b->limb[i] : 0);
        out->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    out->sign = a->sign;
    out->count = most;
    if (carry != 0) {
        KILN_ASSERT(most < KILN_WIDE_LIMBS);
        out->limb[out->count++] = (uint32_t)carry;
    }
}

/* The larger magnitude less the smaller one, of the sign given. */
static void subtract_magnitudes(kiln_wide *out, const kiln_wide *large, const kiln_wide *small,
                                int sign)
{
    const unsigned count = large->count, count_small = small->count;
    uint32_t borrow = 0;
    for (unsigned i = 0; i < count; i++) {
        const uint64_t less = (uint64_t)(i < count_small ? small->limb[i] : 0) + borrow;
        const uint32_t limb = large->limb[i];
        borrow = limb < less;
        out->limb[i] = (uint32_t)(limb - less);
    }
    out->sign = sign;
    out->count = count;
    while (out->limb[out->count - 1] == 0) {
        out->count--;
    }
}

/* a + b with b's sign times `sign_b`. */
static void add_signed(kiln_wide *out, const kiln_wide *a, const kiln_wide *b, int sign_b)
{
    const int sign = b->sign * sign_b;
    if (sign == 0) {
        kiln_wide_copy(out, a);
    } else if (a->sign == 0) {
        kiln_wide_copy(out, b);
        out->sign = sign;
    } else if (a->sign == sign) {
        add_magnitudes(out, a, b);
    } else {
        const int order = compare_magnitudes(a, b);
        if (order == 0) {
            out->sign = 0;
            out->count = 0;
        } else {
            subtract_magnitudes(out, order > 0 ? a : b, order > 0 ? b : a,
                                order > 0 ? a->sign : sign);
        }
    }
}

void kiln_wide_add(kiln_wide *out, const kiln_wide *a, const kiln_wide *b)
{
    add_signed(out, a, b, 1);
}

void kiln_wide_subtract(kiln_wide *out, const kiln_wide *a, const kiln_wide *b)
{
    add_signed(out, a, b, -1);
}

void kiln_wide_multiply(kiln_wide *out, const kiln_wide *a, const kiln_wide *b)
{
    out->sign = a->sign * b->sign;
    out->count = 0;
    if (out->sign == 0) {
        return;
    }
    KILN_ASSERT(a->count + b->count <= KILN_WIDE_LIMBS);
    memset(out->limb, 0, (a->count + b->count) * sizeof out->limb[0]);
    for (unsigned i = 0; i < a->count; i++) {
        const uint64_t factor = a->limb[i];
        uint64_t carry = 0;
        for (unsigned j = 0; j < b->count; j++) {
            carry += out->limb[i + j] + factor * b->limb[j];
            out->limb[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        out->limb[i + b->count] = (uint32_t)carry;
    }
    out->count = a->count + b->count;
    while (out->limb[out->count - 1] == 0) {
        out->count--;
    }
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
    return a->sign * compare_magnitudes(a, b);
}

double kiln_wide_mantissa(const kiln_wide *a, int *exponent)
{
    /* Three limbs hold 65 bits and more; what is below them is less than 2^-64 of the number. */
    double value = 0;
    *exponent = 0;
    const unsigned low = a->count > 3 ? a->count - 3 : 0;
    for (unsigned i = a->count; i-- > low;) {
        value = value * 0x1p32 + (double)a->limb[i];
    }
    const double mantissa = frexp(value, exponent);
    *exponent += 32 * (int)low;
    return a->sign < 0 ? -mantissa : mantissa;
}
