/* Rays carried into a tree's frame, and clipped to its box. */
#include "line.h"

#include "exact.h"

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
    kiln_placement_point(placement, ray->origin, line->origin);
    kiln_placement_direction(placement, ray->direction, line->direction);
    for (int k = 0; k < 3; k++) {
        if (fabs(line->direction[k]) < COMPONENT_MIN) {
            line->direction[k] = 0;
        }
    }
    line->t_min = settled_end(ray->t_min / placement->scale);
    line->t_max = settled_end(ray->t_max / placement->scale);
    return KILN_OK;
}

/* ------------------------------------------------------------------------------ node space -- */

/* From the lower faces of an AABB8 node to its upper ones. */
enum {
    BYTES_TO_UPPER =
        offsetof(kiln_format_node_aabb8, upper) - offsetof(kiln_format_node_aabb8, lower)
};

/* Of a normal number: e where 2^e <= |x| < 2^(e + 1). */
static int exponent_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 52 & 0x7FF) - 1023;
}

/* A direction nearly along a face of the boxes is turned so much from it that no quotient is
 * infinite. From s = 0 to LENGTH_MAX that moves a point by at most TURN_SLACK. */
#define TURN 0x1p-30
#define LENGTH_MAX 8.0
#define TURN_SLACK (LENGTH_MAX * TURN)

/* What s is at most off by: it is got by a few operations on numbers of the size of `s`. */
static double s_margin(double s)
{
    return 0x1p-48 * fabs(s);
}

/* The s at which the line is between the two faces of axis k, as far as [*first, *last] goes. */
static void clip(const kiln_slab_ray *ray, int k, double lower, double upper, double *first,
                 double *last)
{
    double enter = (lower - ray->origin[k]) * ray->inverse[k];
    double leave = (upper - ray->origin[k]) * ray->inverse[k];
    if (ray->direction[k] < 0) {
        const double swap = enter;
        enter = leave;
        leave = swap;
    }
    enter -= s_margin(enter);
    leave += s_margin(leave);
    *first = enter > *first ? enter : *first;
    *last = leave < *last ? leave : *last;
}

/* Slack so large that no box tells anything: let all boxes pass, with numbers that stay in range.
 */
static void see_everything(kiln_slab_ray *ray)
{
    memset(ray->origin, 0, sizeof ray->origin);
    ray->slack = 0x1p+20f;
    ray->s_max = ray->length = 0x1p+20f;
    ray->s_of_t = 0;
    ray->s_first = 0;
}

/* Moves the origin to where the line enters the box, so that floats suffice from there on.
 * `true_way` is the direction without turns.
 *
 * Positions go wrong by the rounding of the origin in node space and of the move, each under 2^-50
 * of the numbers that take part, by the turn, and by `off` that the caller tells. */
static bool enter_box(kiln_slab_ray *ray, const kiln_format_tree *entry, double unit,
                      const double true_way[3], double off, double first, double last)
{
    double margin =
        off + TURN_SLACK + 0x1p-48 * (largest_of(ray->origin) + largest_of(entry->origin) * unit);
    double lower[3], upper[3];
    for (int k = 0; k < 3; k++) {
        lower[k] = ((double)entry->bounds_lower[k] - entry->origin[k]) * unit - margin;
        upper[k] = ((double)entry->bounds_upper[k] - entry->origin[k]) * unit + margin;
        if (fabs(true_way[k]) >= TURN) {
            clip(ray, k, lower[k], upper[k], &first, &last);
        }
    }
    if (!(first <= last)) {
        return false;
    }
    margin += 0x1p-48 * fabs(first);
    const double length = last - first;
    if (margin > 1.0 || length > LENGTH_MAX / 1.01) {
        see_everything(ray);
        return true;
    }
    for (int k = 0; k < 3; k++) {
        ray->origin[k] += first * true_way[k];
        if (ray->origin[k] < lower[k] - margin - TURN_SLACK ||
            ray->origin[k] > upper[k] + margin + TURN_SLACK) {
            return false; /* along an axis that was not clipped */
        }
    }
    ray->s_first = first;
    ray->slack = (float)(1.001 * margin);
    ray->length = (float)(1.001 * length + 0x1p-30);
    ray->s_max = ray->length;
    return true;
}

bool kiln_slab_ray_form(kiln_slab_ray *ray, const kiln_tree *tree, const kiln_line *line,
                        double off)
{
    const kiln_format_tree *entry = tree->entry;
    const int along = exponent_of(largest_of(line->direction));
    const double unit = kiln_power_of_two(-entry->scale_exponent);
    const double shorten = kiln_power_of_two(-along);
    double true_way[3];
    memset(ray, 0, sizeof *ray);
    ray->s_of_t = kiln_power_of_two(along - entry->scale_exponent);
    for (int k = 0; k < 3; k++) {
        const double d = line->direction[k] * shorten;
        true_way[k] = d;
        ray->origin[k] = (line->origin[k] - entry->origin[k]) * unit;
        ray->direction[k] = fabs(d) >= TURN ? d : d < 0 ? -TURN : TURN;
        ray->inverse[k] = 1.0 / ray->direction[k];
        ray->narrow[k] = (float)ray->direction[k];
        ray->nearer[k] = (uint8_t)(8 * k + (d < 0 ? BYTES_TO_UPPER : 0));
        ray->farther[k] = (uint8_t)(8 * k + (d < 0 ? 0 : BYTES_TO_UPPER));
    }
    if (!enter_box(ray, entry, unit, true_way, off * unit, line->t_min * ray->s_of_t,
                   line->t_max * ray->s_of_t)) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        ray->spread[k] = (double)ray->slack * fabs(ray->inverse[k]);
    }
    return true;
}

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
