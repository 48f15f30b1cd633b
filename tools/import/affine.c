/* Affine transforms of nodes. They are multiplied in double, so that a long chain of nodes costs no
 * more precision than the one rounding to float at its end. */
#define _XOPEN_SOURCE 700
#include "affine.h"

#include <math.h>

#include "../../formats/assert.h"

kiln_affine kiln_affine_join(const kiln_affine *outer, const kiln_affine *inner)
{
    kiln_affine joined;

    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 4; j++) {
            joined.m[i][j] = outer->m[i][0] * inner->m[0][j] + outer->m[i][1] * inner->m[1][j] +
                             outer->m[i][2] * inner->m[2][j];
        }
        joined.m[i][3] += outer->m[i][3];
    }
    return joined;
}

/* The last row of the node's matrix is dropped: transforms of scenes are affine. */
kiln_affine kiln_affine_of_node(const kiln_scene_node *node)
{
    kiln_affine affine;

    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            affine.m[i][j] = node->matrix[4 * i + j];
    return affine;
}

bool kiln_affine_of_rows(const double rows[16], kiln_affine *affine)
{
    static const double last[4] = {0, 0, 0, 1};
    const double tolerance = 1e-6;
    bool sound = true;

    for (int j = 0; j < 4; j++) {
        for (int i = 0; i < 3; i++)
            affine->m[i][j] = rows[4 * i + j];
        sound = sound && fabs(rows[12 + j] - last[j]) <= tolerance;
    }
    return sound;
}

void kiln_affine_add(const kiln_affine *affine, double weight, const double from[3], double to[3])
{
    for (int i = 0; i < 3; i++) {
        const double *m = affine->m[i];

        to[i] += weight * (m[0] * from[0] + m[1] * from[1] + m[2] * from[2] + m[3]);
    }
}

void kiln_sine_cosine(double degrees, double *sine, double *cosine)
{
    int quarter;
    /* The rest of a quarter is 0. */
    const double rest = remquo(degrees, 90, &quarter) * (M_PI / 180);
    const double sines[4] = {sin(rest), cos(rest), -sin(rest), -cos(rest)};

    KILN_ASSERT(!(fabs(rest) > M_PI / 4 + 1e-9));
    *sine = sines[(unsigned)quarter % 4];
    *cosine = sines[((unsigned)quarter + 1) % 4];
}

/* Rodrigues' formula. */
kiln_affine kiln_affine_rotation(const double axis[3], double sine, double cosine)
{
    kiln_affine turn = {{{0}}};

    KILN_ASSERT(fabs(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2] - 1) < 1e-6);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;

        turn.m[i][i] = cosine + (1 - cosine) * axis[i] * axis[i];
        turn.m[i][j] = (1 - cosine) * axis[i] * axis[j] - sine * axis[k];
        turn.m[i][k] = (1 - cosine) * axis[i] * axis[k] + sine * axis[j];
    }
    return turn;
}

/* A rotation by 90 degrees about the third axis; its determinant is scale^3, so it mirrors nothing.
 */
kiln_affine kiln_affine_of_options(double scale, int from, int to)
{
    kiln_affine affine = {{{0}}};
    int third = 3 - from - to;

    KILN_ASSERT(from >= 0 && from < 3 && to >= 0 && to < 3);

    if (from == to) {
        for (int i = 0; i < 3; i++)
            affine.m[i][i] = scale;
        return affine;
    }
    affine.m[third][third] = scale;
    affine.m[to][from] = scale;
    affine.m[from][to] = -scale;
    return affine;
}

/* Products of large scales overflow. */
bool kiln_affine_is_finite(const kiln_affine *affine)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            if (!isfinite(affine->m[i][j]))
                return false;
    return true;
}

bool kiln_affine_mirrors(const kiln_affine *affine)
{
    const double(*m)[4] = affine->m;

    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
               m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
               m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]) <
           0;
}

/* The largest sum of a row (the norm that belongs to the largest coordinate). */
double kiln_affine_growth(const kiln_affine *affine)
{
    double most = 0;

    for (int i = 0; i < 3; i++) {
        double sum = fabs(affine->m[i][0]) + fabs(affine->m[i][1]) + fabs(affine->m[i][2]);

        most = sum > most ? sum : most;
    }
    return most;
}
