#include "place.h"

#include <math.h>

kiln_place kiln_place_join(const kiln_place *outer, const kiln_place *inner)
{
    kiln_place joined;

    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 4; j++) {
            joined.m[i][j] = outer->m[i][0] * inner->m[0][j] + outer->m[i][1] * inner->m[1][j] +
                             outer->m[i][2] * inner->m[2][j];
        }
        joined.m[i][3] += outer->m[i][3];
    }
    return joined;
}

kiln_place kiln_place_of_node(const kiln_scene_node *node)
{
    kiln_place place;

    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            place.m[i][j] = (double)node->matrix[4 * i + j];
    return place;
}

/* A quarter turn about the third axis; its determinant is scale^3. */
kiln_place kiln_place_of_options(double scale, int from, int to)
{
    kiln_place place = {{{0}}};
    int third = 3 - from - to;

    if (from == to) {
        for (int i = 0; i < 3; i++)
            place.m[i][i] = scale;
        return place;
    }
    place.m[third][third] = scale;
    place.m[to][from] = scale;
    place.m[from][to] = -scale;
    return place;
}

bool kiln_place_is_finite(const kiln_place *place)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            if (!isfinite(place->m[i][j]))
                return false;
    return true;
}

bool kiln_place_mirrors(const kiln_place *place)
{
    const double(*m)[4] = place->m;

    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
               m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
               m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]) <
           0;
}

double kiln_place_growth(const kiln_place *place)
{
    double most = 0;

    for (int i = 0; i < 3; i++) {
        double sum = fabs(place->m[i][0]) + fabs(place->m[i][1]) + fabs(place->m[i][2]);

        most = sum > most ? sum : most;
    }
    return most;
}
