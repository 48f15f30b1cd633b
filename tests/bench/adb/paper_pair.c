/* Two boxes as they lie to each other: their reach along axes, and the separating axis test with
 * the axes of S. Gottschalk, M. Lin and D. Manocha, "OBBTree", SIGGRAPH 1996, section 5, in doubles
 * and with room for the rounding of what the boxes were computed from. */
#include "paper_pair.h"

#include <math.h>

/* Axes are floats and orthonormal within 2^-19, positions floats of node space, where coordinates
 * are 1 at most, or little more: what that comes to is below this part of the sum of extents and
 * distance. */
static const double slack = 1e-5;

void kiln_paper_thicken(double half[3], double point)
{
    const double least =
        kiln_paper_more(0.02 * kiln_paper_more(half[0], kiln_paper_more(half[1], half[2])), point);
    for (int k = 0; k < 3; k++) {
        half[k] = kiln_paper_more(half[k], least);
    }
}

double kiln_paper_box_volume(const double half[3])
{
    return 8 * half[0] * half[1] * half[2];
}

double kiln_paper_distance(const kiln_paper_pair *pair)
{
    const double *t = pair->away;
    return sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
}

void kiln_paper_reach_of_b(const kiln_paper_pair *pair, double along_a[3])
{
    for (int i = 0; i < 3; i++) {
        const double *column = pair->rotation[i];
        along_a[i] = fabs(column[0]) * pair->half_b[0] + fabs(column[1]) * pair->half_b[1] +
                     fabs(column[2]) * pair->half_b[2];
    }
}

void kiln_paper_reach_of_a(const kiln_paper_pair *pair, double along_b[3])
{
    for (int j = 0; j < 3; j++) {
        along_b[j] = fabs(pair->rotation[0][j]) * pair->half_a[0] +
                     fabs(pair->rotation[1][j]) * pair->half_a[1] +
                     fabs(pair->rotation[2][j]) * pair->half_a[2];
    }
}

void kiln_paper_away_in_b(const kiln_paper_pair *pair, double away[3])
{
    for (int j = 0; j < 3; j++) {
        away[j] = pair->rotation[0][j] * pair->away[0] + pair->rotation[1][j] * pair->away[1] +
                  pair->rotation[2][j] * pair->away[2];
    }
}

static bool apart_along_faces(const kiln_paper_pair *pair, double extra)
{
    double reach[3], away[3];
    kiln_paper_reach_of_b(pair, reach);
    for (int i = 0; i < 3; i++) {
        if (fabs(pair->away[i]) > pair->half_a[i] + reach[i] + extra) {
            return true;
        }
    }
    kiln_paper_reach_of_a(pair, reach);
    kiln_paper_away_in_b(pair, away);
    for (int j = 0; j < 3; j++) {
        if (fabs(away[j]) > pair->half_b[j] + reach[j] + extra) {
            return true;
        }
    }
    return false;
}

/* The product of axis i of A and axis j of B is no longer than 1, so that `extra` is enough for it,
 * too; where they are nearly parallel it is all that is left, and nothing is apart. */
static bool apart_along_edges(const kiln_paper_pair *pair, double extra)
{
    for (int i = 0; i < 3; i++) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < 3; j++) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const double distance = fabs(pair->away[i2] * pair->rotation[i1][j] -
                                         pair->away[i1] * pair->rotation[i2][j]);
            const double reach_a = pair->half_a[i1] * fabs(pair->rotation[i2][j]) +
                                   pair->half_a[i2] * fabs(pair->rotation[i1][j]);
            const double reach_b = pair->half_b[j1] * fabs(pair->rotation[i][j2]) +
                                   pair->half_b[j2] * fabs(pair->rotation[i][j1]);
            if (distance > reach_a + reach_b + extra) {
                return true;
            }
        }
    }
    return false;
}

bool kiln_paper_may_meet(const kiln_paper_pair *pair, kiln_paper_gate gate)
{
    double size = 0;
    for (int k = 0; k < 3; k++) {
        size += pair->half_a[k] + pair->half_b[k] + fabs(pair->away[k]);
    }
    const double extra = slack * size;
    return gate == KILN_PAPER_NO_GATE ||
           (!apart_along_faces(pair, extra) &&
            (gate == KILN_PAPER_SAT6 || !apart_along_edges(pair, extra)));
}
