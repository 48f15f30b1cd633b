/* The certified covering radius (axes_radius.h).
 *
 * Theorem. If all facets of the convex hull of points v lie in front of the origin, at distances of
 * at least h > 0, then for every unit vector p there is a v with p . v >= h.
 *
 * Proof. The origin is inside the hull, so p is in the cone of a facet: p = sum of a_i v_i over its
 * corners, a_i >= 0. With the facet's unit normal n, n . v_i >= h for all three corners (equal, in
 * exact arithmetic), so h sum a_i <= n . p <= 1. If p . v_i < h held for all, 1 = p . p = sum of
 * a_i p . v_i < h sum a_i <= 1 would follow. So no circumcentre has to lie in its facet.
 *
 * A v is no longer than 1 + 2^-49, so the cosine of the angle is at least h / (1 + 2^-49), which is
 * more than h - 2^-49. The hull is exact (axes_hull.c): its facets are facets whatever is rounded
 * here. What is rounded is h.
 *
 * Roundings, u = 2^-53. Edges e, f of a facet are differences, each coordinate within u of itself;
 * a component of e x f is within 4.1 u (|e_y f_z| + |e_z f_y|), so the vector is within 4.1 sqrt(2)
 * u |e| |f| < 6 u |e| |f|. Divided by its length this turns the normal by less than 1.1 times the
 * quotient, if that is below 0.05, and n . a changes by no more. The product, the length and the
 * quotient add less than 3.1 u + 3 u + u. So h is within 7 u |e| |f| / |e x f| + 8 u of what is
 * computed; 8 and 16 are used, which covers the roundings of this sum too. */
#include "axes_radius.h"

#include "axes_hull.h"
#include "axes_math.h"

#include <math.h>

bool kiln_lut_points_are_sound(const double (*points)[3], uint32_t count)
{
    bool sound = true;
    for (uint32_t i = 0; i < count; i++) {
        double square = 0.0;
        for (unsigned j = 0; j < 3; j++) {
            const double steps = points[i][j] * 0x1p53;
            square += points[i][j] * points[i][j];
            sound = sound && fabs(points[i][j]) <= 1.0 && steps == floor(steps);
        }
        sound = sound && fabs(square - 1.0) <= 0x1p-49; /* the length: within 2^-50 + 2^-52 */
    }
    return sound;
}

/* A lower bound of a facet's distance from the origin. */
static double distance_below(const double a[3], const double b[3], const double c[3])
{
    const double e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const double f[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    const double n[3] = {e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2],
                         e[0] * f[1] - e[1] * f[0]};
    const double ee = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
    const double ff = f[0] * f[0] + f[1] * f[1] + f[2] * f[2];
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    const double slant = sqrt(ee * ff) / length; /* one over the sine between the edges */
    if (!(slant < 0x1p40)) {
        return -1.0;
    }
    return (n[0] * a[0] + n[1] * a[1] + n[2] * a[2]) / length - (8.0 * slant + 16.0) * 0x1p-53;
}

bool kiln_lut_covering_radius(const double (*points)[3], uint32_t count, kiln_lut_radius *radius)
{
    kiln_lut_hull hull;
    if (!kiln_lut_hull_make(&hull, points, count)) {
        return false;
    }
    double least = 1.0;
    bool sound = kiln_lut_hull_is_convex(&hull);
    for (uint32_t f = 0; f < hull.facet_count && sound; f++) {
        const uint32_t *corners = hull.corners[f];
        least =
            fmin(least, distance_below(points[corners[0]], points[corners[1]], points[corners[2]]));
    }
    least -= 0x1p-49 + 0x1p-52; /* lengths; and this difference's own rounding */
    radius->facets = hull.facet_count;
    radius->exact_decisions = hull.exact_decisions;
    kiln_lut_hull_free(&hull);
    if (!sound || !(least > 0.0)) {
        return false;
    }
    radius->cosine = least;
    /* Four roundings of 2^-53. */
    radius->sine = fmin(1.0, sqrt((1.0 - least) * (1.0 + least)) * (1.0 + 0x1p-50));
    radius->radius = kiln_lut_angle_above(radius->sine);
    return true;
}
