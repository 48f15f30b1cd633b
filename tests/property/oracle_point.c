/* The least of all candidates: three corners; on each edge the foot of the perpendicular, where it
 * is strictly between the ends; in the triangle that of the plane, where it is strictly inside. No
 * candidate is excluded by where the point is to others, as the library does it. */
#include "oracle_point.h"

#include <limits.h>
#include <math.h>

typedef struct {
    mpz_t x[3];
} whole_vector;

static struct {
    whole_vector point, corner[3], off, e, f, normal, across;
    mpz_t a, b, c, over, under;
    mpq_t q, r;
    bool ready;
} w;

static void prepare_point(void)
{
    whole_vector *const all[] = {&w.point, &w.corner[0], &w.corner[1], &w.corner[2], &w.off,
                                 &w.e,     &w.f,         &w.normal,    &w.across};
    if (w.ready) {
        return;
    }
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
        for (int k = 0; k < 3; k++) {
            mpz_init(all[i]->x[k]);
        }
    }
    mpz_inits(w.a, w.b, w.c, w.over, w.under, (mpz_ptr)0);
    mpq_inits(w.q, w.r, (mpq_ptr)0);
    w.ready = true;
}

void oracle_point_init(oracle_point *o)
{
    mpz_inits(o->over, o->under, (mpz_ptr)0);
}

void oracle_point_clear(oracle_point *o)
{
    mpz_clears(o->over, o->under, (mpz_ptr)0);
}

int oracle_grid(const double *from, int count, int grid)
{
    for (int i = 0; i < count; i++) {
        int exponent;
        if (from[i] != 0 && isfinite(from[i])) {
            (void)frexp(from[i], &exponent);
            grid = exponent - 53 < grid ? exponent - 53 : grid;
        }
    }
    return grid;
}

static void load_whole(mpz_t out, double from, int grid)
{
    int exponent;
    const double mantissa = frexp(from, &exponent);
    mpz_set_d(out, ldexp(mantissa, 53));
    if (mantissa != 0) {
        mpz_mul_2exp(out, out, (mp_bitcnt_t)(exponent - 53 - grid));
    }
}

static void between(whole_vector *out, const whole_vector *to, const whole_vector *from)
{
    for (int k = 0; k < 3; k++) {
        mpz_sub(out->x[k], to->x[k], from->x[k]);
    }
}

static void whole_dot(mpz_t out, const whole_vector *p, const whole_vector *q)
{
    mpz_mul(out, p->x[0], q->x[0]);
    mpz_addmul(out, p->x[1], q->x[1]);
    mpz_addmul(out, p->x[2], q->x[2]);
}

static void whole_cross(whole_vector *out, const whole_vector *p, const whole_vector *q)
{
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        mpz_mul(out->x[k], p->x[i], q->x[j]);
        mpz_submul(out->x[k], p->x[j], q->x[i]);
    }
}

static double quotient(const mpz_t a, const mpz_t b)
{
    mpz_set(mpq_numref(w.q), a);
    mpz_set(mpq_denref(w.q), b);
    mpq_canonicalize(w.q);
    return mpq_get_d(w.q);
}

/* Takes the candidate w.over / w.under if it is less than what there is. */
static bool take_less(oracle_point *out, int kind, int part)
{
    if (out->kind >= 0) {
        mpz_mul(w.a, w.over, out->under);
        mpz_mul(w.b, out->over, w.under);
        if (mpz_cmp(w.a, w.b) >= 0) {
            return false;
        }
    }
    mpz_set(out->over, w.over);
    mpz_set(out->under, w.under);
    out->kind = kind;
    out->part = part;
    return true;
}

static void try_edge(int part, oracle_point *out)
{
    const int i = (part + 1) % 3, j = (part + 2) % 3;
    between(&w.off, &w.point, &w.corner[i]);
    between(&w.e, &w.corner[j], &w.corner[i]);
    whole_dot(w.c, &w.off, &w.e);
    whole_dot(w.under, &w.e, &w.e);
    if (mpz_sgn(w.c) <= 0 || mpz_cmp(w.c, w.under) >= 0) {
        return;
    }
    whole_cross(&w.across, &w.off, &w.e);
    whole_dot(w.over, &w.across, &w.across);
    if (take_less(out, 1, part)) {
        out->weights[part] = 0;
        out->weights[j] = quotient(w.c, w.under);
        mpz_sub(w.c, w.under, w.c);
        out->weights[i] = quotient(w.c, w.under);
    }
}

static void try_face(oracle_point *out)
{
    double weights[3];
    between(&w.e, &w.corner[1], &w.corner[0]);
    between(&w.f, &w.corner[2], &w.corner[0]);
    whole_cross(&w.normal, &w.e, &w.f);
    whole_dot(w.under, &w.normal, &w.normal);
    if (mpz_sgn(w.under) == 0) {
        return;
    }
    for (int k = 0; k < 3; k++) {
        between(&w.e, &w.corner[(k + 2) % 3], &w.corner[(k + 1) % 3]);
        between(&w.off, &w.point, &w.corner[(k + 1) % 3]);
        whole_cross(&w.across, &w.e, &w.off);
        whole_dot(w.c, &w.across, &w.normal);
        if (mpz_sgn(w.c) <= 0) {
            return;
        }
        weights[k] = quotient(w.c, w.under);
    }
    whole_dot(w.c, &w.normal, &w.off);
    mpz_mul(w.over, w.c, w.c);
    if (take_less(out, 0, 0)) {
        for (int k = 0; k < 3; k++) {
            out->weights[k] = weights[k];
        }
    }
}

void oracle_point_measure(const double p[3], const double t[9], int grid, oracle_point *out)
{
    prepare_point();
    out->kind = -1;
    for (int k = 0; k < 3; k++) {
        load_whole(w.point.x[k], p[k], grid);
        for (int i = 0; i < 3; i++) {
            load_whole(w.corner[i].x[k], t[3 * i + k], grid);
        }
    }
    for (int i = 0; i < 3; i++) {
        between(&w.off, &w.point, &w.corner[i]);
        whole_dot(w.over, &w.off, &w.off);
        mpz_set_ui(w.under, 1);
        if (take_less(out, 2, i)) {
            for (int k = 0; k < 3; k++) {
                out->weights[k] = k == i;
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        try_edge(i, out);
    }
    try_face(out);
}

int oracle_point_compare(const oracle_point *a, const oracle_point *b)
{
    mpz_mul(w.a, a->over, b->under);
    mpz_mul(w.b, b->over, a->under);
    return mpz_cmp(w.a, w.b);
}

int oracle_point_compare_radius(const oracle_point *a, double radius, int grid)
{
    load_whole(w.a, radius, grid);
    mpz_mul(w.a, w.a, w.a);
    mpz_mul(w.a, w.a, a->under);
    return mpz_cmp(a->over, w.a);
}

/* (1 - within) d <= distance <= (1 + within) d, by squares. */
bool oracle_point_is(const oracle_point *a, double distance, int grid, double within)
{
    if (mpz_sgn(a->over) == 0 || distance == 0) {
        return mpz_sgn(a->over) == 0 && distance == 0;
    }
    mpz_set(mpq_numref(w.q), a->over);
    mpz_set(mpq_denref(w.q), a->under);
    mpq_canonicalize(w.q);
    mpq_set_d(w.r, distance);
    if (grid < 0) {
        mpq_mul_2exp(w.r, w.r, (mp_bitcnt_t)-grid);
    } else {
        mpq_div_2exp(w.r, w.r, (mp_bitcnt_t)grid);
    }
    mpq_mul(w.r, w.r, w.r);
    mpq_div(w.q, w.r, w.q); /* the square of the quotient */
    mpq_set_d(w.r, (1 - within) * (1 - within));
    const bool over = mpq_cmp(w.q, w.r) >= 0;
    mpq_set_d(w.r, (1 + within) * (1 + within));
    return over && mpq_cmp(w.q, w.r) <= 0;
}
