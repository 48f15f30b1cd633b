/* Two simplices are nearest inside a face of each (a corner, an edge, all of it), and those faces can
 * be chosen such that the nearest points of the flats that they span are unique. So it is enough to
 * look at every pair of faces: where the normal equations of |a - b|^2 over the two flats have one
 * solution, and it lies inside both faces, its distance is that of two points of the triangles; the
 * least of these is the distance of the triangles. No case is made of degenerate triangles or of those
 * that meet. */
#include "near_oracle.h"

#include <stddef.h>

enum { UNKNOWNS = 3 }; /* more directions than that are dependent in space */

static struct {
    mpq_t a[3][3], b[3][3];
    mpq_t from[3], direction[4][3];
    mpq_t matrix[UNKNOWNS][UNKNOWNS + 1];
    mpq_t place[3], part, sum;
    bool ready;
} work;

static void prepare(void)
{
    if (work.ready) {
        return;
    }
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < 3; j++) {
            mpq_init(work.a[k][j]);
            mpq_init(work.b[k][j]);
        }
        mpq_init(work.from[k]);
        mpq_init(work.place[k]);
        for (int j = 0; j < 4; j++) {
            mpq_init(work.direction[j][k]);
            mpq_init(work.matrix[k][j]);
        }
    }
    mpq_init(work.part);
    mpq_init(work.sum);
    work.ready = true;
}

static void dot(mpq_t out, mpq_t *const p, mpq_t *const q)
{
    mpq_set_ui(work.sum, 0, 1);
    for (int k = 0; k < 3; k++) {
        mpq_mul(work.part, p[k], q[k]);
        mpq_add(work.sum, work.sum, work.part);
    }
    mpq_set(out, work.sum);
}

/* Gauss and Jordan. False: no unique solution. */
static bool solve(int n)
{
    for (int i = 0; i < n; i++) {
        int pivot = i;
        while (pivot < n && mpq_sgn(work.matrix[pivot][i]) == 0) {
            pivot++;
        }
        if (pivot == n) {
            return false;
        }
        for (int j = 0; j <= n; j++) {
            mpq_swap(work.matrix[i][j], work.matrix[pivot][j]);
        }
        for (int row = 0; row < n; row++) {
            if (row == i || mpq_sgn(work.matrix[row][i]) == 0) {
                continue;
            }
            mpq_t factor;
            mpq_init(factor);
            mpq_div(factor, work.matrix[row][i], work.matrix[i][i]);
            for (int j = 0; j <= n; j++) {
                mpq_mul(work.part, factor, work.matrix[i][j]);
                mpq_sub(work.matrix[row][j], work.matrix[row][j], work.part);
            }
            mpq_clear(factor);
        }
    }
    for (int i = 0; i < n; i++) {
        mpq_div(work.matrix[i][n], work.matrix[i][n], work.matrix[i][i]);
    }
    return true;
}

/* Weights `first` .. `last` - 1 of the solution are not negative and add up to no more than 1. */
static bool inside(int first, int last, int n)
{
    mpq_set_ui(work.sum, 0, 1);
    for (int i = first; i < last; i++) {
        if (mpq_sgn(work.matrix[i][n]) < 0) {
            return false;
        }
        mpq_add(work.sum, work.sum, work.matrix[i][n]);
    }
    return mpq_cmp_ui(work.sum, 1, 1) <= 0;
}

/* Directions from the first corner of the face `bits` to its others, from number `count` on. */
static int add_directions(mpq_t (*corner)[3], unsigned bits, int count, bool negative)
{
    const int first = __builtin_ctz(bits);
    for (int i = first + 1; i < 3; i++) {
        if ((bits >> i & 1) != 0) {
            for (int k = 0; k < 3; k++) {
                if (negative) {
                    mpq_sub(work.direction[count][k], corner[first][k], corner[i][k]);
                } else {
                    mpq_sub(work.direction[count][k], corner[i][k], corner[first][k]);
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
    const int of_a = add_directions(work.a, bits_a, 0, false);
    const int n = add_directions(work.b, bits_b, of_a, true);
    if (n > UNKNOWNS) {
        return;
    }
    for (int k = 0; k < 3; k++) {
        mpq_sub(work.from[k], work.a[__builtin_ctz(bits_a)][k], work.b[__builtin_ctz(bits_b)][k]);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            dot(work.matrix[i][j], work.direction[i], work.direction[j]);
        }
        dot(work.matrix[i][n], work.direction[i], work.from);
        mpq_neg(work.matrix[i][n], work.matrix[i][n]);
    }
    if (!solve(n) || !inside(0, of_a, n) || !inside(of_a, n, n)) {
        return;
    }
    for (int k = 0; k < 3; k++) {
        mpq_set(work.place[k], work.from[k]);
        for (int i = 0; i < n; i++) {
            mpq_mul(work.part, work.matrix[i][n], work.direction[i][k]);
            mpq_add(work.place[k], work.place[k], work.part);
        }
    }
    mpq_t distance;
    mpq_init(distance);
    dot(distance, work.place, work.place);
    if (!*any || mpq_cmp(distance, squared) < 0) {
        mpq_set(squared, distance);
        *any = true;
    }
    mpq_clear(distance);
}

void near_oracle_squared(const double a[9], const double b[9], mpq_t squared)
{
    prepare();
    for (int i = 0; i < 9; i++) {
        mpq_set_d(work.a[i / 3][i % 3], a[i]);
        mpq_set_d(work.b[i / 3][i % 3], b[i]);
    }
    bool any = false;
    for (unsigned bits_a = 1; bits_a < 8; bits_a++) {
        for (unsigned bits_b = 1; bits_b < 8; bits_b++) {
            try_faces(bits_a, bits_b, squared, &any);
        }
    }
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
