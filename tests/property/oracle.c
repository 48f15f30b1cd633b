/* The oracle searches for a plane between the triangles.
 *
 * Two convex polytopes are disjoint exactly when some plane keeps them strictly apart, and for a
 * finite set of directions it is enough to look at the normals of the facets of their Minkowski
 * difference D, and at the directions that tell the origin from the flat that D spans. Where D is
 *   a solid: its facets are parallel to a triangle or to one edge of each;
 *   flat: the normal N of that plane, and within it N x edge;
 *   on a line: the edge e itself, and across it e x (e x w), w from one triangle to the other;
 *   a point: w itself.
 * Strict separation along any direction proves disjointness, so a direction too many never harms,
 * and no case is made of degenerate triangles: they only have edges that are zero or parallel.
 *
 * The doubles are scaled to integers by one power of two, so nothing is rounded. */
#include "oracle.h"

#include <gmp.h>
#include <math.h>
#include <stddef.h>

typedef struct {
    mpz_t x[3];
} vector;

/* All the numbers live for as long as the program does: an mpz that keeps its limbs is much cheaper
 * than one that is made for each call. */
static struct {
    vector corner[2][3], edge[2][3];
    vector normal[11];
    vector axis, across, apart;
    mpz_t low[2], high[2], dot;
    bool ready;
} work;

static void vector_init(vector *v)
{
    for (int k = 0; k < 3; ++k)
        mpz_init(v->x[k]);
}

static void prepare(void)
{
    if (work.ready)
        return;
    for (int t = 0; t < 2; ++t) {
        for (int k = 0; k < 3; ++k) {
            vector_init(&work.corner[t][k]);
            vector_init(&work.edge[t][k]);
        }
        mpz_init(work.low[t]);
        mpz_init(work.high[t]);
    }
    for (int k = 0; k < 11; ++k)
        vector_init(&work.normal[k]);
    vector_init(&work.axis);
    vector_init(&work.across);
    vector_init(&work.apart);
    mpz_init(work.dot);
    work.ready = true;
}

static void subtract(vector *out, const vector *a, const vector *b)
{
    for (int k = 0; k < 3; ++k)
        mpz_sub(out->x[k], a->x[k], b->x[k]);
}

/* out must not be a or b. */
static void cross(vector *out, const vector *a, const vector *b)
{
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        mpz_mul(out->x[k], a->x[i], b->x[j]);
        mpz_submul(out->x[k], a->x[j], b->x[i]);
    }
}

static void dot(mpz_t out, const vector *a, const vector *b)
{
    mpz_mul(out, a->x[0], b->x[0]);
    mpz_addmul(out, a->x[1], b->x[1]);
    mpz_addmul(out, a->x[2], b->x[2]);
}

static bool is_zero(const vector *v)
{
    return mpz_sgn(v->x[0]) == 0 && mpz_sgn(v->x[1]) == 0 && mpz_sgn(v->x[2]) == 0;
}

/* The projections of the triangles on the axis don't touch. */
static bool separates(const vector *axis)
{
    if (is_zero(axis))
        return false;
    for (int t = 0; t < 2; ++t) {
        for (int k = 0; k < 3; ++k) {
            dot(work.dot, axis, &work.corner[t][k]);
            if (k == 0 || mpz_cmp(work.dot, work.low[t]) < 0)
                mpz_set(work.low[t], work.dot);
            if (k == 0 || mpz_cmp(work.dot, work.high[t]) > 0)
                mpz_set(work.high[t], work.dot);
        }
    }
    return mpz_cmp(work.high[0], work.low[1]) < 0 || mpz_cmp(work.high[1], work.low[0]) < 0;
}

static bool boxes_apart(const double a[9], const double b[9])
{
    for (int k = 0; k < 3; ++k) {
        if (fmax(fmax(a[k], a[3 + k]), a[6 + k]) < fmin(fmin(b[k], b[3 + k]), b[6 + k]) ||
            fmax(fmax(b[k], b[3 + k]), b[6 + k]) < fmin(fmin(a[k], a[3 + k]), a[6 + k]))
            return true;
    }
    return false;
}

/* corner = coordinates times 2^-lowest, lowest the smallest exponent of a last significant bit. */
static void load(const double *const t[2])
{
    int lowest = 0, exponent;
    bool any = false;
    for (int i = 0; i < 18; ++i) {
        const double value = t[i / 9][i % 9];
        if (value == 0.0)
            continue;
        frexp(value, &exponent);
        if (!any || exponent - 53 < lowest)
            lowest = exponent - 53;
        any = true;
    }
    for (int i = 0; i < 18; ++i) {
        mpz_ptr out = work.corner[i / 9][i % 9 / 3].x[i % 3];
        const double mantissa = frexp(t[i / 9][i % 9], &exponent);
        mpz_set_d(out, ldexp(mantissa, 53));
        if (mantissa != 0.0)
            mpz_mul_2exp(out, out, (mp_bitcnt_t)(exponent - 53 - lowest));
    }
    for (int i = 0; i < 6; ++i)
        subtract(&work.edge[i / 3][i % 3], &work.corner[i / 3][(i + 1) % 3],
                 &work.corner[i / 3][i % 3]);
    subtract(&work.apart, &work.corner[1][0], &work.corner[0][0]);
}

/* The normals of both triangles and the cross products of their edges. Those found to separate end
 * the search; otherwise all are left in work.normal. */
static bool normals_separate(void)
{
    for (int i = 0; i < 11; ++i) {
        vector *out = &work.normal[i];
        if (i < 2)
            cross(out, &work.edge[i][0], &work.edge[i][1]);
        else
            cross(out, &work.edge[0][(i - 2) / 3], &work.edge[1][(i - 2) % 3]);
        if (separates(out))
            return true;
    }
    return false;
}

static const vector *nonzero(const vector *list, int count)
{
    for (int i = 0; i < count; ++i) {
        if (!is_zero(&list[i]))
            return &list[i];
    }
    return NULL;
}

static bool flat_to(const vector *normal)
{
    for (int i = 0; i < 6; ++i) {
        dot(work.dot, normal, &work.edge[i / 3][i % 3]);
        if (mpz_sgn(work.dot) != 0)
            return false;
    }
    return true;
}

static bool separates_in_plane(const vector *normal)
{
    for (int i = 0; i < 6; ++i) {
        cross(&work.axis, normal, &work.edge[i / 3][i % 3]);
        if (separates(&work.axis))
            return true;
    }
    return false;
}

static bool separates_on_line(const vector *edge)
{
    cross(&work.across, edge, &work.apart);
    cross(&work.axis, edge, &work.across);
    return separates(edge) || separates(&work.axis);
}

bool oracle_triangles_meet(const double a[9], const double b[9])
{
    if (boxes_apart(a, b))
        return false;
    prepare();
    load((const double *const[2]){a, b});
    if (normals_separate())
        return false;
    const vector *normal = nonzero(work.normal, 11);
    if (normal != NULL)
        return !(flat_to(normal) && separates_in_plane(normal));
    const vector *edge = nonzero(&work.edge[0][0], 6);
    if (edge != NULL)
        return !separates_on_line(edge);
    return !separates(&work.apart);
}
