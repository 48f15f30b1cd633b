/* Numbers as the unevaluated sum of two doubles, for what doubles can't distinguish: about 106
 * bits.
 *
 * Sums are Knuth's and products Dekker's (Shewchuk 1997, theorems 7 and 18); the operations on
 * pairs are those of Dekker, Numerische Mathematik 18, 1971. One operation errs by at most
 * 2^-100 of its result, a sum by at most 2^-100 of the magnitudes that it adds. Needs
 * round-to-nearest, no contraction, and nothing that over- or underflows. */
#ifndef KILN_DOUBLE_DOUBLE_H
#define KILN_DOUBLE_DOUBLE_H

#include <math.h>

typedef struct {
    double head, tail; /* |tail| <= ulp(head) / 2 */
} kiln_dd;

static inline kiln_dd kiln_dd_of(double v)
{
    return (kiln_dd){v, 0};
}

/* For |a| >= |b| or a = 0. */
static inline kiln_dd kiln_dd_ordered(double a, double b)
{
    const double head = a + b;
    return (kiln_dd){head, b - (head - a)};
}

/* a + b, exact. */
static inline kiln_dd kiln_dd_two_sum(double a, double b)
{
    const double head = a + b;
    const double b_seen = head - a, a_seen = head - b_seen;
    return (kiln_dd){head, (a - a_seen) + (b - b_seen)};
}

/* a b, exact. */
static inline kiln_dd kiln_dd_two_product(double a, double b)
{
    const double head = a * b;
    const double wide_a = 0x1.0000002p+27 * a, wide_b = 0x1.0000002p+27 * b;
    const double a1 = wide_a - (wide_a - a), b1 = wide_b - (wide_b - b);
    const double a2 = a - a1, b2 = b - b1;
    return (kiln_dd){head, a2 * b2 - (((head - a1 * b1) - a2 * b1) - a1 * b2)};
}

static inline kiln_dd kiln_dd_negative(kiln_dd a)
{
    return (kiln_dd){-a.head, -a.tail};
}

static inline kiln_dd kiln_dd_add(kiln_dd a, kiln_dd b)
{
    kiln_dd high = kiln_dd_two_sum(a.head, b.head);
    const kiln_dd low = kiln_dd_two_sum(a.tail, b.tail);
    high = kiln_dd_ordered(high.head, high.tail + low.head);
    return kiln_dd_ordered(high.head, high.tail + low.tail);
}

static inline kiln_dd kiln_dd_subtract(kiln_dd a, kiln_dd b)
{
    return kiln_dd_add(a, kiln_dd_negative(b));
}

static inline kiln_dd kiln_dd_multiply(kiln_dd a, kiln_dd b)
{
    const kiln_dd p = kiln_dd_two_product(a.head, b.head);
    return kiln_dd_ordered(p.head, p.tail + (a.head * b.tail + a.tail * b.head));
}

/* b is not 0. */
static inline kiln_dd kiln_dd_divide(kiln_dd a, kiln_dd b)
{
    const double first = a.head / b.head;
    const kiln_dd rest = kiln_dd_subtract(a, kiln_dd_multiply(b, kiln_dd_of(first)));
    const double second = rest.head / b.head;
    const kiln_dd rest2 = kiln_dd_subtract(rest, kiln_dd_multiply(b, kiln_dd_of(second)));
    return kiln_dd_add(kiln_dd_ordered(first, second), kiln_dd_of(rest2.head / b.head));
}

static inline kiln_dd kiln_dd_dot(const kiln_dd a[3], const kiln_dd b[3])
{
    return kiln_dd_add(kiln_dd_add(kiln_dd_multiply(a[0], b[0]), kiln_dd_multiply(a[1], b[1])),
                       kiln_dd_multiply(a[2], b[2]));
}

static inline void kiln_dd_cross(const kiln_dd a[3], const kiln_dd b[3], kiln_dd out[3])
{
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = kiln_dd_subtract(kiln_dd_multiply(a[i], b[j]), kiln_dd_multiply(a[j], b[i]));
    }
}

static inline kiln_dd kiln_dd_clamp(kiln_dd v)
{
    if (!(v.head > 0)) {
        return kiln_dd_of(0);
    }
    return v.head > 1 || (v.head == 1 && v.tail > 0) ? kiln_dd_of(1) : v;
}

#endif
