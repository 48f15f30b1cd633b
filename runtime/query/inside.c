/* A point and a closed surface: crossings of a ray along an axis, counted exactly.
 *
 * The point p is moved by an infinitely small amount, e along one of the other two axes and e^2
 * along the other (simulation of simplicity; Edelsbrunner and Mücke, ACM TOG 9(1), 1990): the ray
 * then meets no edge, no corner, and no triangle that is parallel to it, and every triangle
 * decides alike about an edge that it shares. Off the surface the move changes nothing; on it, p
 * is in one of the triangles, which is checked first. Crossings out less those in are the
 * winding number.
 *
 * Signs are those of exact.c: of areas in the plane across the ray for what it passes, of volumes
 * for what is ahead. */
#include "query.h"

#include "../../formats/assert.h"

#include "../exact/exact.h"
#include "../walk/line_walk.h"

#include <math.h>
#include <string.h>

/* The largest entries of a rotation with a scale and of its inverse have no larger product. */
#define SKEW_RIGID 1.01

typedef struct {
    const kiln_tree *tree;
    const kiln_transform *carry;
    double point[3];
    int along, sign; /* the ray: axis, and which way */
    int winding;
    unsigned crossings;
    bool on;
} point_query;

/* Orientation of u, v and the point that was moved, across the ray; u and v differ there. */
static int moved_side(const point_query *q, const double u[3], const double v[3], int i, int j)
{
    KILN_ASSERT(i != j);
    KILN_ASSERT(u[i] != v[i] || u[j] != v[j]);
    const int side = kiln_exact_orient2d(u, v, q->point, i, j);
    if (side != 0) {
        return side;
    }
    if (u[j] != v[j]) {
        return u[j] > v[j] ? 1 : -1;
    }
    return v[i] > u[i] ? 1 : -1;
}

/* Counts the crossing of one triangle, if there is one. False: the point is on it, and nothing else
 * matters. */
static bool visit_crossed_triangle(void *user, kiln_slab_ray *ray, uint32_t slot, uint32_t stored)
{
    point_query *q = (point_query *)user;
    double t[9], here[9];
    if (q->carry == NULL) {
        kiln_tree_stored_corners(q->tree, stored, t);
    } else {
        for (int c = 0; c < 3; c++) {
            float room[3];
            kiln_transform_vertex(q->carry, kiln_tree_vertex(q->tree, stored, (unsigned)c, room),
                                  t + 3 * c);
        }
    }

    /* Beside the ray or before its start? Else, is the point in the triangle's box? */
    bool around = true;
    for (int k = 0; k < 3; k++) {
        const double p = q->point[k];
        const bool above = t[k] > p && t[3 + k] > p && t[6 + k] > p;
        const bool below = t[k] < p && t[3 + k] < p && t[6 + k] < p;
        if (k != q->along ? above || below : q->sign > 0 ? below : above) {
            return true;
        }
        around = around && !above && !below;
    }
    for (int k = 0; around && k < 9; k++) {
        here[k] = q->point[k % 3];
    }
    if (around && kiln_exact_triangles_meet(t, here)) {
        q->on = true;
        return false;
    }

    /* The moved ray passes it where it is on the inner side of all edges; it meets the plane at
     * det(a - p, b - p, c - p) / (n . axis), and n . axis has the sign of the area. */
    const int i = (q->along + 1) % 3, j = (q->along + 2) % 3;
    const int area = kiln_exact_orient2d(t, t + 3, t + 6, i, j);
    if (area != 0 && moved_side(q, t, t + 3, i, j) == area &&
        moved_side(q, t + 3, t + 6, i, j) == area && moved_side(q, t + 6, t, i, j) == area &&
        kiln_exact_orient3d(t, t + 3, t + 6, q->point) * area * q->sign > 0 &&
        kiln_line_walk_is_first(q->tree, ray, slot)) {
        q->winding += area * q->sign;
        q->crossings++;
    }
    return true;
}

/* The ray in the tree's own frame, for its boxes. Carried corners are off by a few roundings of the
 * numbers that take part; the result is a bound of that. */
static double own_line(const point_query *q, const double inverse[9], kiln_line *line)
{
    KILN_ASSERT(q->along >= 0 && q->along < 3);
    KILN_ASSERT(q->sign == 1 || q->sign == -1);
    double size = 0, most = 0, from[3];
    memset(line->direction, 0, sizeof line->direction);
    line->t_min = 0;
    line->t_max = HUGE_VAL;
    if (q->carry == NULL) {
        memcpy(line->origin, q->point, sizeof line->origin);
        line->direction[q->along] = q->sign;
        return 0;
    }
    for (int k = 0; k < 3; k++) {
        from[k] = q->point[k] - q->carry->translation[k];
        size = fmax(size, fabs(q->point[k]) + fabs(q->carry->translation[k]));
    }
    for (int k = 0; k < 3; k++) {
        const double *row = inverse + 3 * k;
        line->origin[k] = row[0] * from[0] + row[1] * from[1] + row[2] * from[2];
        line->direction[k] = row[q->along] * q->sign;
        most = fmax(most, fmax(fabs(row[0]), fmax(fabs(row[1]), fabs(row[2]))));
    }
    size *= 2 * most; /* in units of the tree */
    /* A carried corner is a sum of products with the matrix, whose roundings the inverse enlarges.
     */
    const double skew = most * kiln_matrix_most(q->carry->rotation);
    const double wide = skew > SKEW_RIGID ? 4 * skew : 1;
    for (int k = 0; k < 3; k++) {
        size = fmax(size, wide * fmax(fabs((double)q->tree->view.entry->bounds_lower[k]),
                                      fabs((double)q->tree->view.entry->bounds_upper[k])));
    }
    return 0x1p-44 * size;
}

/* The place, and the winding number of a mesh that is oriented, off its surface. */
static kiln_place count_crossings(const kiln_tree *tree, const kiln_transform *carry,
                                  const double inverse[9], const double point[3], int *winding)
{
    point_query q = {tree, carry, {point[0], point[1], point[2]}, 0, 1, 0, 0, false};
    kiln_line line;
    kiln_slab_ray ray;
    KILN_ASSERT(kiln_tree_has_polygons(tree));
    KILN_ASSERT(tree->view.entry->closed != KILN_CLOSED_NOT);
    KILN_ASSERT(carry == NULL || inverse != NULL);
    /* In the tree's own frame: along the axis, and the way, with the least of the tree's box ahead.
     */
    double least = HUGE_VAL;
    for (int k = 0; carry == NULL && k < 3; k++) {
        const double below = point[k] - (double)tree->view.entry->bounds_lower[k];
        const double above = (double)tree->view.entry->bounds_upper[k] - point[k];
        if (below < 0 || above < 0) {
            return KILN_PLACE_OUTSIDE;
        }
        if (below < least || above < least) {
            least = below < above ? below : above;
            q.along = k;
            q.sign = below < above ? -1 : 1;
        }
    }
    const double off = own_line(&q, inverse, &line);
    if (!kiln_slab_ray_form(&ray, tree, &line, off)) {
        return KILN_PLACE_OUTSIDE;
    }
    kiln_line_walk(tree, &ray, carry == NULL, visit_crossed_triangle, &q);
    if (q.on) {
        return KILN_PLACE_SURFACE;
    }
    const bool inside =
        tree->view.entry->closed == KILN_CLOSED_ORIENTED ? q.winding != 0 : (q.crossings & 1) != 0;
    *winding = q.winding;
    return inside ? KILN_PLACE_INSIDE : KILN_PLACE_OUTSIDE;
}

kiln_place kiln_inside_point(const kiln_tree *tree, const kiln_transform *carry,
                             const double inverse[9], const double point[3])
{
    int winding = 0;
    return count_crossings(tree, carry, inverse, point, &winding);
}

kiln_place kiln_inside_count(const kiln_tree *tree, const kiln_transform *carry,
                             const double inverse[9], const double point[3], int *winding)
{
    *winding = 0;
    return count_crossings(tree, carry, inverse, point, winding);
}
