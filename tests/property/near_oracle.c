/* Two simplices are nearest inside a face of each (a corner, an edge, all of it), and those
 * faces can be chosen such that the nearest points of the flats that they span are unique. So it
 * is enough to look at every pair of faces: where the normal equations of |a - b|^2 over the two
 * flats have one solution, and it lies inside both faces, its distance is that of two points of
 * the triangles; the least of these is the distance of the triangles. No case is made of
 * degenerate triangles or of those that meet. A point of a convex hull lies in a simplex of its
 * vertices, so that its simplices stand for its faces; where hull and triangle meet, an extreme
 * point of what they share is that of two faces whose dimensions add up to three at most.
 *
 * The doubles are scaled to integers by one power of two and elimination divides by none but its
 * pivots, which leaves integers: see Bareiss, "Sylvester's Identity and Multistep
 * Integer-Preserving Gaussian Elimination", 1968. A fraction is only made of the distance. */
#include "near_oracle.h"

#include <math.h>
#include <stddef.h>

enum { UNKNOWNS = 3 }; /* more directions than that are dependent in space */

static struct {
    mpz_t a[NEAR_ORACLE_VERTICES][3], b[3][3];
    mpz_t from[3], direction[4][3];
    mpz_t matrix[UNKNOWNS][UNKNOWNS + 1], determinant;
    mpz_t place[3], part, sum;
    int lowest; /* at most 0; coordinates are times 2^-lowest */
    bool ready;
} work;

static void prepare(void)
{
    if (work.ready) {
        return;
    }
    for (int i = 0; i < NEAR_ORACLE_VERTICES; i++) {
        mpz_inits(work.a[i][0], work.a[i][1], work.a[i][2], NULL);
    }
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < 3; j++) {
            mpz_init(work.b[k][j]);
        }
        mpz_inits(work.from[k], work.place[k], NULL);
        for (int j = 0; j < 4; j++) {
            mpz_inits(work.direction[j][k], work.matrix[k][j], NULL);
        }
    }
    mpz_inits(work.determinant, work.part, work.sum, NULL);
    work.ready = true;
}

static void dot(mpz_t out, mpz_t *const p, mpz_t *const q)
{
    mpz_mul(out, p[0], q[0]);
    mpz_addmul(out, p[1], q[1]);
    mpz_addmul(out, p[2], q[2]);
}

/* row = (row * pivot - row[i] * of) / previous, which leaves no rest. */
static void eliminate(mpz_t *row, mpz_t *of, int i, int n, const mpz_t previous)
{
    mpz_set(work.sum, row[i]);
    for (int j = 0; j <= n; j++) {
        mpz_mul(row[j], row[j], of[i]);
        mpz_submul(row[j], work.sum, of[j]);
        mpz_divexact(row[j], row[j], previous);
    }
}

/* Gauss and Jordan. False: no unique solution. Else unknown i is matrix[i][n] over the
 * determinant, which is above 0: the matrix is one of scalar products. */
static bool solve(int n)
{
    mpz_set_ui(work.determinant, 1);
    for (int i = 0; i < n; i++) {
        /* For scalar products, a pivot of 0 means a direction that depends on those before it. */
        if (mpz_sgn(work.matrix[i][i]) == 0) {
            return false;
        }
        for (int row = 0; row < n; row++) {
            if (row != i) {
                eliminate(work.matrix[row], work.matrix[i], i, n, work.determinant);
            }
        }
        mpz_set(work.determinant, work.matrix[i][i]);
    }
    return true;
}

/* Weights `first` .. `last` - 1 of the solution are not negative and add up to no more than 1. */
static bool inside(int first, int last, int n)
{
    mpz_set_ui(work.sum, 0);
    for (int i = first; i < last; i++) {
        if (mpz_sgn(work.matrix[i][n]) < 0) {
            return false;
        }
        mpz_add(work.sum, work.sum, work.matrix[i][n]);
    }
    return mpz_cmp(work.sum, work.determinant) <= 0;
}

/* Directions from the first corner of the face `bits` to its others, from number `count` on. */
static int add_directions(mpz_t (*corner)[3], unsigned bits, int count, bool negative)
{
    const int first = __builtin_ctz(bits);
    for (int i = first + 1; bits >> i != 0; i++) {
        if ((bits >> i & 1) != 0) {
            for (int k = 0; k < 3; k++) {
                if (negative) {
                    mpz_sub(work.direction[count][k], corner[first][k], corner[i][k]);
                } else {
                    mpz_sub(work.direction[count][k], corner[i][k], corner[first][k]);
                }
            }
            count++;
        }
    }
    return count;
}

/* The faces as sets of corners. */
static void try_faces(unsigned bits_a, unsigned bits_b, mpq_t squared, bool *any)
{
    if (__builtin_popcount(bits_a) + __builtin_popcount(bits_b) - 2 > UNKNOWNS) {
        return;
    }
    const int of_a = add_directions(work.a, bits_a, 0, false);
    const int n = add_directions(work.b, bits_b, of_a, true);
    for (int k = 0; k < 3; k++) {
        mpz_sub(work.from[k], work.a[__builtin_ctz(bits_a)][k], work.b[__builtin_ctz(bits_b)][k]);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            dot(work.matrix[i][j], work.direction[i], work.direction[j]);
        }
        dot(work.matrix[i][n], work.direction[i], work.from);
        mpz_neg(work.matrix[i][n], work.matrix[i][n]);
    }
    if (!solve(n) || !inside(0, of_a, n) || !inside(of_a, n, n)) {
        return;
    }
    for (int k = 0; k < 3; k++) {
        mpz_mul(work.place[k], work.from[k], work.determinant);
        for (int i = 0; i < n; i++) {
            mpz_addmul(work.place[k], work.matrix[i][n], work.direction[i][k]);
        }
    }
    mpq_t distance;
    mpq_init(distance);
    dot(mpq_numref(distance), work.place, work.place);
    mpz_mul(mpq_denref(distance), work.determinant, work.determinant);
    if (!*any || mpq_cmp(distance, squared) < 0) {
        mpq_set(squared, distance);
        *any = true;
    }
    mpq_clear(distance);
}

/* The smallest exponent of a last significant bit, also of what came before. */
static int lowest_of(const double *t, unsigned count, int lowest)
{
    for (unsigned i = 0; i < 3 * count; i++) {
        int exponent;
        if (t[i] != 0) {
            (void)frexp(t[i], &exponent);
            lowest = exponent - 53 < lowest ? exponent - 53 : lowest;
        }
    }
    return lowest;
}

static void load(mpz_t (*out)[3], const double *t, unsigned count)
{
    for (unsigned i = 0; i < 3 * count; i++) {
        int exponent;
        const double mantissa = frexp(t[i], &exponent);
        mpz_set_d(out[i / 3][i % 3], ldexp(mantissa, 53));
        if (mantissa != 0) {
            mpz_mul_2exp(out[i / 3][i % 3], out[i / 3][i % 3],
                         (mp_bitcnt_t)(exponent - 53 - work.lowest));
        }
    }
}

/* squared times 4^lowest */
static void scale_back(mpq_t squared)
{
    mpq_canonicalize(squared);
    mpq_div_2exp(squared, squared, (mp_bitcnt_t)(-2 * work.lowest));
}

void near_oracle_hull_squared(const double *vertices, unsigned count, const double t[9],
                              mpq_t squared)
{
    prepare();
    work.lowest = lowest_of(vertices, count, lowest_of(t, 3, 0));
    load(work.a, vertices, count);
    load(work.b, t, 3);
    bool any = false;
    for (unsigned bits_a = 1; bits_a < 1u << count; bits_a++) {
        for (unsigned bits_b = 1; bits_b < 8; bits_b++) {
            try_faces(bits_a, bits_b, squared, &any);
        }
    }
    scale_back(squared);
}

void near_oracle_squared(const double a[9], const double b[9], mpq_t squared)
{
    near_oracle_hull_squared(a, 3, b, squared);
}

bool near_oracle_agrees(const mpq_t squared, double value, double room)
{
    mpq_t low, high, exact;
    mpq_inits(low, high, exact, NULL);
    mpq_set_d(exact, value);
    mpq_set_d(high, room);
    mpq_sub(low, exact, high);
    mpq_add(high, exact, high);
    const int low_sign = mpq_sgn(low);
    mpq_mul(low, low, low);
    mpq_mul(high, high, high);
    const bool agrees =
        (low_sign <= 0 || mpq_cmp(low, squared) <= 0) && mpq_cmp(squared, high) <= 0;
    mpq_clears(low, high, exact, NULL);
    return agrees;
}
