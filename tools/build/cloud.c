#include "cloud.h"

#include <math.h>
#include <stddef.h>

enum { BLOCK = KILN_POINTS_MAX / 3, STRIDE = KILN_POINTS_STRIDE };

void kiln_points_load(const kiln_cloud *cloud, uint32_t first, uint32_t last, kiln_points *points)
{
    const unsigned corners = 3 * (last - first);
    points->count = (corners + STRIDE - 1) / STRIDE * STRIDE;
    for (unsigned k = 0; k < 3; k++) {
        const float *source = cloud->corner[k] + 3 * (size_t)first;
        double *at = points->at[k];
        for (unsigned i = 0; i < corners; i++) {
            at[i] = kiln_frame_apply(&cloud->frame, k, source[i]);
        }
        for (unsigned i = corners; i < points->count; i++) {
            at[i] = at[corners - 1];
        }
    }
}

/* Least and greatest of a . p. STRIDE minima at once; minima don't depend on the order. */
static void extent(const kiln_points *points, const float a[3], double *lower, double *upper)
{
    const double ax = a[0], ay = a[1], az = a[2];
    double low[STRIDE], high[STRIDE];
    for (unsigned j = 0; j < STRIDE; j++) {
        low[j] = INFINITY;
        high[j] = -INFINITY;
    }
    for (unsigned i = 0; i < points->count; i += STRIDE) {
        for (unsigned j = 0; j < STRIDE; j++) {
            const double d = (ax * points->at[0][i + j] + ay * points->at[1][i + j]) +
                             az * points->at[2][i + j];
            low[j] = d < low[j] ? d : low[j];
            high[j] = d > high[j] ? d : high[j];
        }
    }
    *lower = fmin(fmin(low[0], low[1]), fmin(low[2], low[3]));
    *upper = fmax(fmax(high[0], high[1]), fmax(high[2], high[3]));
}

void kiln_points_extents(const kiln_points *points, float axis[3][3], kiln_extents *out)
{
    for (unsigned k = 0; k < 3; k++) {
        extent(points, axis[k], &out->lower[k], &out->upper[k]);
    }
}

void kiln_cloud_extents(const kiln_cloud *cloud, uint32_t first, uint32_t last,
                        float axis[3][3], kiln_extents *out)
{
    kiln_points points;
    kiln_extents_clear(out);
    for (uint32_t at = first; at < last;) {
        const uint32_t end = last - at > BLOCK ? at + BLOCK : last;
        kiln_extents part;
        kiln_points_load(cloud, at, end, &points);
        kiln_points_extents(&points, axis, &part);
        kiln_extents_join(out, &part);
        at = end;
    }
}

void kiln_cloud_bounds(const kiln_cloud *cloud, uint32_t first, uint32_t last, kiln_extents *out)
{
    for (unsigned k = 0; k < 3; k++) {
        const float *source = cloud->corner[k];
        float lower = INFINITY, upper = -INFINITY;
        for (size_t i = 3 * (size_t)first; i < 3 * (size_t)last; i++) {
            lower = source[i] < lower ? source[i] : lower;
            upper = source[i] > upper ? source[i] : upper;
        }
        /* The map to node space is monotone. */
        out->lower[k] = kiln_frame_apply(&cloud->frame, k, lower);
        out->upper[k] = kiln_frame_apply(&cloud->frame, k, upper);
    }
}

void kiln_extents_clear(kiln_extents *extents)
{
    for (unsigned k = 0; k < 3; k++) {
        extents->lower[k] = INFINITY;
        extents->upper[k] = -INFINITY;
    }
}

void kiln_extents_join(kiln_extents *extents, const kiln_extents *other)
{
    for (unsigned k = 0; k < 3; k++) {
        extents->lower[k] = fmin(extents->lower[k], other->lower[k]);
        extents->upper[k] = fmax(extents->upper[k], other->upper[k]);
    }
}

double kiln_extents_half_area(const kiln_extents *extents)
{
    const double a = 0.5 * (extents->upper[0] - extents->lower[0]);
    const double b = 0.5 * (extents->upper[1] - extents->lower[1]);
    const double c = 0.5 * (extents->upper[2] - extents->lower[2]);
    const double length = (a + b) + c;
    return ((a * b + b * c) + c * a) + 0x1p-20 * (length * length);
}
