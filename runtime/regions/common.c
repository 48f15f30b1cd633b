/* What triangles in one plane have in common.
 *
 * Surfaces that only touch have curves around the area that they share, unless that ends at the
 * border of an open mesh, where no curve runs. There the pairs of triangles tell: each has in
 * common what is left of one triangle when it is clipped by the sides of the other (Sutherland and
 * Hodgman, Communications of the ACM 17(1), 1974). */
#include "regions.h"

#include "../../formats/vector.h"
#include "../exact/exact.h"
#include "../pose/world.h"
#include "../walk/leaf_pair.h"

#include <math.h>
#include <string.h>

/* What of a convex polygon is on the inner side of a line. Returns how many corners it has. */
static int clip_polygon(double polygon[][3], int count, const double inward[3], const double at[3])
{
    double height[KILN_REGIONS_CORNERS + 1], kept[KILN_REGIONS_CORNERS + 1][3];
    int left = 0;
    for (int i = 0; i < count; i++) {
        double from[3];
        kiln_subtract(polygon[i], at, from);
        height[i] = kiln_dot(inward, from);
    }
    for (int i = 0; i < count; i++) {
        const int next = (i + 1) % count;
        const double *p = polygon[i], *q = polygon[next];
        if (height[i] >= 0 && left < KILN_REGIONS_CORNERS) {
            memcpy(kept[left++], p, sizeof kept[0]);
        }
        if ((height[i] < 0) != (height[next] < 0) && left < KILN_REGIONS_CORNERS) {
            const double part = height[i] / (height[i] - height[next]);
            for (int k = 0; k < 3; k++) {
                kept[left][k] = p[k] + part * (q[k] - p[k]);
            }
            left++;
        }
    }
    memcpy(polygon, kept, (size_t)left * sizeof kept[0]);
    return left;
}

int kiln_regions_common_of(const kiln_regions *r, uint32_t pair,
                           double polygon[KILN_REGIONS_CORNERS][3])
{
    double x[9], y[9], u[3], v[3], normal[3];
    int side[3], count = 3;
    kiln_stored_corners(&r->frame, true, r->x.of->first + r->pairs[pair].x, x);
    kiln_stored_corners(&r->frame, false, r->y.of->first + r->pairs[pair].y, y);
    kiln_exact_plane_sides(x, y, side);
    kiln_subtract(y + 3, y, u);
    kiln_subtract(y + 6, y, v);
    kiln_cross(u, v, normal);
    if (side[0] != 0 || side[1] != 0 || side[2] != 0 || !(kiln_dot(normal, normal) > 0)) {
        return 0;
    }
    memcpy(polygon, x, sizeof x);
    for (int k = 0; k < 3 && count > 0; k++) {
        double inward[3];
        kiln_subtract(y + 3 * ((k + 1) % 3), y + 3 * k, u);
        kiln_cross(normal, u, inward);
        count = clip_polygon(polygon, count, inward, y + 3 * k);
    }
    for (int i = 0; i < count; i++) {
        double at[3];
        memcpy(at, polygon[i], sizeof at);
        kiln_world_point(r->world, at, polygon[i]);
    }
    return count > 2 ? count : 0;
}

/* Twice the area vector of a polygon, and that times three times its centroid from the origin. */
static void sum_polygon(double polygon[][3], int count, const double origin[3], double area[3],
                        double moment[3])
{
    double first[3];
    memset(area, 0, 3 * sizeof *area);
    memset(moment, 0, 3 * sizeof *moment);
    kiln_subtract(polygon[0], origin, first);
    for (int i = 1; i + 1 < count; i++) {
        double p[3], q[3], product[3];
        kiln_subtract(polygon[i], polygon[0], p);
        kiln_subtract(polygon[i + 1], polygon[0], q);
        kiln_cross(p, q, product);
        const double part = kiln_regions_vector_length(product);
        for (int k = 0; k < 3; k++) {
            area[k] += product[k];
            moment[k] += part * (3 * first[k] + p[k] + q[k]);
        }
    }
}

bool kiln_regions_ends_at_border(const kiln_regions *r, const kiln_regions_measure *m)
{
    return m->region.touching &&
           !(kiln_regions_is_closed(r->x.of) && kiln_regions_is_closed(r->y.of));
}

void kiln_regions_measure_common(const kiln_regions *r, uint32_t root, kiln_regions_measure *m)
{
    const bool by_x = kiln_regions_is_closed(r->x.of);
    double sum[3] = {0, 0, 0}, centre[3] = {0, 0, 0}, all = 0;
    for (uint32_t c = root; c != KILN_REGIONS_NONE; c = r->next_curve[c]) {
        for (uint32_t i = c; i != KILN_REGIONS_NONE; i = r->next_pair[i]) {
            double polygon[KILN_REGIONS_CORNERS][3], area[3], moment[3], u[3], v[3], way[3];
            const int count = kiln_regions_common_of(r, i, polygon);
            if (count == 0) {
                continue;
            }
            sum_polygon(polygon, count, m->origin, area, moment);
            const kiln_regions_mesh *mesh = by_x ? &r->x : &r->y;
            const uint32_t triangle = by_x ? r->pairs[i].x : r->pairs[i].y;
            kiln_regions_world_edge(mesh, triangle, 1, u);
            kiln_regions_world_edge(mesh, triangle, 2, v);
            kiln_cross(u, v, way);
            /* Away from the front of X, or to that of Y. */
            const double sign = (kiln_dot(way, area) < 0) != (by_x != mesh->turned) ? -0.5 : 0.5;
            all += kiln_regions_vector_length(area);
            for (int k = 0; k < 3; k++) {
                sum[k] += sign * area[k];
                centre[k] += moment[k];
            }
        }
    }
    const double net = kiln_regions_vector_length(sum);
    if (net > 0) {
        for (int k = 0; k < 3; k++) {
            m->region.area_vector[k] = sum[k];
            m->along[2][k] = sum[k] / net;
            m->common[k] = centre[k] / (3 * all);
        }
        m->region.area = net;
    }
}
