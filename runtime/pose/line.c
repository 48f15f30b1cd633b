/* Rays carried into a tree's own frame, where exact predicates and boxes see them.
 *
 * The numbers of a ray are checked once, on entry. What is too small to matter is settled to 0,
 * so that every later product of a ray with a tree's coordinates stays in the range for which
 * exact.c and line_triangle.c are proved. */
#include "line.h"

#include "../../formats/assert.h"
#include "../base/compiler.h"
#include "../../formats/vector.h"
#include "../exact/exact.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------ tree's own frame -- */

static double settled_end(double t)
{
    if (fabs(t) < KILN_LINE_T_MIN) {
        return 0;
    }
    return t > KILN_LINE_T_MAX ? HUGE_VAL : t < -KILN_LINE_T_MAX ? -HUGE_VAL : t;
}

/* What is too small to matter is 0. */
static double settled_number(double v, double least)
{
    return fabs(v) < least ? 0 : v;
}

/* Are all three at most `most` in magnitude? Not where one is NaN. */
static bool within(double x, double y, double z, double most)
{
    return fabs(x) <= most && fabs(y) <= most && fabs(z) <= most;
}

/* The caller has often written the ray a moment ago, hence the care with loads; and for a tree that
 * is where it is nothing goes through memory on its way. */
kiln_status kiln_line_form(kiln_line *line, const kiln_placement *placement, const kiln_ray *ray)
{
    double x = ray->origin[0], y = ray->origin[1], z = ray->origin[2];
    double u = ray->direction[0], v = ray->direction[1], w = ray->direction[2];
    KILN_LOAD_BY_ITSELF(x);
    KILN_LOAD_BY_ITSELF(y);
    KILN_LOAD_BY_ITSELF(z);
    KILN_LOAD_BY_ITSELF(u);
    KILN_LOAD_BY_ITSELF(v);
    KILN_LOAD_BY_ITSELF(w);
    const double largest = kiln_larger(kiln_larger(fabs(u), fabs(v)), fabs(w));
    if (!within(x, y, z, KILN_LINE_ORIGIN_MAX) || !within(u, v, w, KILN_LINE_DIRECTION_MAX) ||
        !(largest >= KILN_LINE_DIRECTION_MIN) || !(ray->t_min <= ray->t_max)) {
        return KILN_ERROR_ARGUMENT;
    }
    KILN_ASSERT(placement->scale > 0);
    if (placement->plain) {
        line->origin[0] = settled_number(x, KILN_EXACT_MIN);
        line->origin[1] = settled_number(y, KILN_EXACT_MIN);
        line->origin[2] = settled_number(z, KILN_EXACT_MIN);
        line->direction[0] = settled_number(u, KILN_LINE_COMPONENT_MIN);
        line->direction[1] = settled_number(v, KILN_LINE_COMPONENT_MIN);
        line->direction[2] = settled_number(w, KILN_LINE_COMPONENT_MIN);
        line->t_min = settled_end(ray->t_min);
        line->t_max = settled_end(ray->t_max);
    } else {
        kiln_placement_point(placement, ray->origin, line->origin);
        kiln_placement_direction(placement, ray->direction, line->direction);
        for (int k = 0; k < 3; k++) {
            line->direction[k] = settled_number(line->direction[k], KILN_LINE_COMPONENT_MIN);
        }
        line->t_min = settled_end(ray->t_min / placement->scale);
        line->t_max = settled_end(ray->t_max / placement->scale);
    }
    KILN_ASSERT(line->t_min <= line->t_max);
    return KILN_OK;
}
