/* Rays carried into a tree's own frame, where exact predicates and boxes see them.
 *
 * The numbers of a ray are checked once, on entry. What is too small to matter is settled to 0,
 * so that every later product of a ray with a tree's coordinates stays in the range for which
 * exact.c and line_triangle.c are proved. */
#include "line.h"

#include "../../formats/assert.h"
#include "../exact/exact.h"

#include <math.h>
#include <string.h>

#define ORIGIN_MAX 1e60
#define DIRECTION_MIN 1e-30
#define DIRECTION_MAX 1e30
#define COMPONENT_MIN 0x1p-160
#define T_MIN 0x1p-290
#define T_MAX 0x1p+400

/* ------------------------------------------------------------------------ tree's own frame -- */

/* No hit has a t over 2^334: its point is within 2^128, and the origin within 2^232. */
static double settled_end(double t)
{
    if (fabs(t) < T_MIN) {
        return 0;
    }
    return t > T_MAX ? HUGE_VAL : t < -T_MAX ? -HUGE_VAL : t;
}

/* The largest magnitude of the three. */
static double largest_of(const double v[3])
{
    const double x = fabs(v[0]), y = fabs(v[1]), z = fabs(v[2]);
    return x > y ? (x > z ? x : z) : (y > z ? y : z);
}

/* Are all three at most `most` in magnitude? Not where one is NaN. */
static bool within(const double v[3], double most)
{
    return fabs(v[0]) <= most && fabs(v[1]) <= most && fabs(v[2]) <= most;
}

kiln_status kiln_line_form(kiln_line *line, const kiln_placement *placement, const kiln_ray *ray)
{
    if (!within(ray->origin, ORIGIN_MAX) || !within(ray->direction, DIRECTION_MAX) ||
        !(largest_of(ray->direction) >= DIRECTION_MIN) || !(ray->t_min <= ray->t_max)) {
        return KILN_ERROR_ARGUMENT;
    }
    KILN_ASSERT(placement->scale > 0);
    kiln_placement_point(placement, ray->origin, line->origin);
    kiln_placement_direction(placement, ray->direction, line->direction);
    for (int k = 0; k < 3; k++) {
        if (fabs(line->direction[k]) < COMPONENT_MIN) {
            line->direction[k] = 0;
        }
    }
    line->t_min = settled_end(ray->t_min / placement->scale);
    line->t_max = settled_end(ray->t_max / placement->scale);
    KILN_ASSERT(line->t_min <= line->t_max);
    return KILN_OK;
}

/* ------------------------------------------------------------------------------ node space -- */

/* The cut is rounded upwards, by more than its own roundings, so that no hit is lost. */
void kiln_slab_ray_cut(kiln_slab_ray *ray, double t)
{
    if (ray->s_of_t == 0) {
        return;
    }
    const double s = t * ray->s_of_t;
    const double left = (s - ray->s_first) + 0x1p-38 * (fabs(s) + fabs(ray->s_first));
    const float cut = (float)left * 1.000001f + 0x1p-40f;
    ray->s_max = cut < ray->s_max ? cut : ray->s_max;
}
