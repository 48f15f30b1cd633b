/* Error-free sums and products of doubles, and expansions made of them.
 *
 * After J. R. Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric
 * predicates", Discrete & Computational Geometry 18, 1997, whose theorems are cited below. An
 * expansion is a sum of doubles that do not overlap, in ascending order of magnitude and without
 * zeros, so that its sign is that of its last component, and 0 has no components at all. */
#include "expansion.h"

#include "../../formats/assert.h"
#include "../base/compiler.h"

#include <math.h>

/* A rounded result and what rounding took away: head + tail is exact. */
typedef struct {
    double head, tail;
} pair;

/* Knuth's sum: exact for any order of magnitudes (Shewchuk 1997, theorem 7). */
static inline pair two_sum(double a, double b)
{
    const double head = a + b;
    const double b_seen = head - a;
    const double a_seen = head - b_seen;
    return (pair){head, (a - a_seen) + (b - b_seen)};
}

/* Dekker's sum: exact where a is 0 or |a| >= |b| (theorem 6). */
static inline pair two_sum_ordered(double a, double b)
{
    const double head = a + b;
    return (pair){head, b - (head - a)};
}

/* The upper 26 and the lower 26 bits of a (theorem 17); the sign of the lower half is the bit that
 * seems to be lost. Overflows only beyond 2^996. */
static inline pair split(double a)
{
    const double shifted = 0x1.0000002p+27 * a;
    const double upper = shifted - (shifted - a);
    return (pair){upper, a - upper};
}

/* Dekker and Veltkamp's product (theorem 18). A fused multiply-add would do it in two operations,
 * but where the processor has none the C library emulates it at a hundred times the cost. */
static inline pair two_product(double a, double b)
{
    const double head = a * b;
    const pair x = split(a), y = split(b);
    const double upper = head - x.head * y.head;
    const double middle = (upper - x.tail * y.head) - x.head * y.tail;
    return (pair){head, x.tail * y.tail - middle};
}

int kiln_expansion_difference(double a, double b, double out[2])
{
    const pair d = two_sum(a, -b);
    int count = 0;
    if (d.tail != 0.0)
        out[count++] = d.tail;
    if (d.head != 0.0)
        out[count++] = d.head;
    return count;
}

/* Merges by magnitude and sweeps the carry upwards (FAST-EXPANSION-SUM, theorem 13). It needs
 * strongly non-overlapping inputs: single components and two_sum pairs are, and sums and products
 * of such stay so under round-to-even. */
int kiln_expansion_sum(int m, const double *e, int n, const double *f, double *out)
{
    int count = 0, i = 0, j = 0;
    KILN_ASSERT(m >= 0);
    KILN_ASSERT(n >= 0);
    double carry = 0.0;
    while (i < m || j < n) {
        const int from_e = j == n || (i < m && fabs(e[i]) < fabs(f[j]));
        const pair s = two_sum(carry, from_e ? e[i++] : f[j++]);
        if (s.tail != 0.0)
            out[count++] = s.tail;
        carry = s.head;
    }
    if (carry != 0.0)
        out[count++] = carry;
    return count;
}

/* out = e times one double (SCALE-EXPANSION, theorem 19). At most 2 m components. */
static int scale(int m, const double *e, double factor, double *out)
{
    int count = 0;
    double carry = 0.0;
    for (int i = 0; i < m; ++i) {
        const pair product = two_product(e[i], factor);
        const pair low = two_sum(carry, product.tail);
        const pair high = two_sum_ordered(product.head, low.head);
        if (low.tail != 0.0)
            out[count++] = low.tail;
        if (high.tail != 0.0)
            out[count++] = high.tail;
        carry = high.head;
    }
    if (carry != 0.0)
        out[count++] = carry;
    return count;
}

int kiln_expansion_product(int m, const double *e, int n, const double *f, double *out)
{
    KILN_ASSERT(n >= 0 && n <= 2);
    KILN_ASSERT(n < 2 || m <= KILN_EXPANSION_FACTOR);
    double part[2][2 * KILN_EXPANSION_FACTOR];
    if (n == 0)
        return 0;
    if (n == 1)
        return scale(m, e, f[0], out);
    const int first = scale(m, e, f[0], part[0]);
    const int second = scale(m, e, f[1], part[1]);
    return kiln_expansion_sum(first, part[0], second, part[1], out);
}

int kiln_expansion_cross(const kiln_difference *x0, const kiln_difference *y1,
                         const kiln_difference *x1, const kiln_difference *y0, double out[16])
{
    double plus[8], less[8];
    const int m = kiln_expansion_product(x0->count, x0->part, y1->count, y1->part, plus);
    const int n = kiln_expansion_product(x1->count, x1->part, y0->count, y0->part, less);
    kiln_expansion_negate(n, less);
    return kiln_expansion_sum(m, plus, n, less, out);
}

/* Differences of nearby float coordinates have no tail, and zeros have no components: the usual
 * touching pair costs a few dozen operations, not the 192 components of the worst case. */
int kiln_expansion_triple(const kiln_difference u[3], const kiln_difference v[3],
                          const kiln_difference w[3], double out[192])
{
    double term[3][64], two[128];
    int count[3];
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        double minor[16];
        count[k] = 0;
        if (u[k].count == 0)
            continue;
        const int m = kiln_expansion_cross(&v[i], &w[j], &v[j], &w[i], minor);
        count[k] = kiln_expansion_product(m, minor, u[k].count, u[k].part, term[k]);
    }
    const int n = kiln_expansion_sum(count[0], term[0], count[1], term[1], two);
    return kiln_expansion_sum(n, two, count[2], term[2], out);
}

void kiln_expansion_negate(int m, double *e)
{
    for (int i = 0; i < m; ++i)
        e[i] = -e[i];
}

/* The last component outweighs all others together. */
int kiln_expansion_sign(int m, const double *e)
{
    if (m == 0)
        return 0;
    KILN_ASSERT(e[m - 1] != 0.0);
    return e[m - 1] > 0.0 ? 1 : -1;
}
