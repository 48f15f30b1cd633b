/* See carried.h. */
#include "carried.h"

#include <stddef.h>
#include <string.h>

/* The mesh in the shape's frame: inverse of the shape's pose after the mesh's; nothing where
 * equal. */
static carried unscaled(const kiln_pose *shape, const kiln_pose *of)
{
    carried out = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    double p[3][3], q[3][3], c[3][3];
    if (memcmp(shape, of, offsetof(kiln_pose, scale)) == 0) {
        return out;
    }
    memcpy(p, shape->rotation, sizeof p);
    memcpy(q, of->rotation, sizeof q);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            c[i][j] = p[i1][j1] * p[i2][j2] - p[i1][j2] * p[i2][j1];
        }
    }
    const double det = p[0][0] * c[0][0] + p[0][1] * c[0][1] + p[0][2] * c[0][2];
    for (int i = 0; i < 3; i++) {
        const double row[3] = {c[0][i] / det, c[1][i] / det, c[2][i] / det};
        double between[3];
        for (int j = 0; j < 3; j++) {
            out.r[i][j] = row[0] * q[0][j] + row[1] * q[1][j] + row[2] * q[2][j];
            between[j] = of->translation[j] - shape->translation[j];
        }
        out.t[i] = row[0] * between[0] + row[1] * between[1] + row[2] * between[2];
    }
    return out;
}

/* Its vertices at the ratio of both scales, moved by what the shape's scale makes of the way. */
carried carried_into(const kiln_pose *shape, const kiln_pose *of)
{
    carried out = unscaled(shape, of);
    const double ratio = of->scale / shape->scale;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out.r[i][j] *= ratio;
        }
        out.t[i] /= shape->scale;
    }
    return out;
}

void carried_corners(const mesh *m, uint32_t triangle, const carried *carry, double out[9])
{
    for (uint32_t i = 0; i < 3; i++) {
        const float *p = m->positions + 3 * m->indices[3 * triangle + i];
        for (int k = 0; k < 3; k++) {
            out[3 * i + (uint32_t)k] = carry->r[k][0] * (double)p[0] +
                                       carry->r[k][1] * (double)p[1] +
                                       carry->r[k][2] * (double)p[2] + carry->t[k];
        }
    }
}
