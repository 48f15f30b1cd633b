/* Spheres of a frame as balls of a tree's frame.
 *
 * What is decided of a sphere is what kiln_shape_meets_triangle says of the triangle carried
 * into the sphere's frame. The kernels look at the tree's own frame, in which nothing is
 * carried, and answer only where both say the same.
 *
 * The margin. Let s be the scale, c the centre, r the radius and t the translation in the
 * sphere's frame, b the largest coordinate of the tree, and G = r + |c| + |t| + s b, magnitudes
 * summed over the axes. A vertex as carried is within 2^-49 G of where the pose takes it, and
 * the centre as brought back within 2^-46 G / s of what the pose takes to c. A pose departs from
 * a rotation by delta at most, an entry of R^T R - I, so that lengths change by a factor from 1
 * - 2 delta to 1 + 2 delta, and with two poses by twice that, with the terms of second order by
 * less than 16 delta. kiln_shape_meets_triangle finds what is within r, and nothing beyond r +
 * 2^-39 G (kiln.h says 2 e, e being 2^-40 of the largest number). So with m = 2^-37 G / s and w
 * = 16 delta + 2^-40 a point nearer than (r / s) (1 - w) - m is found, and one further than ((r
 * / s) + m) (1 + w) is not, with all roundings here and in kernel_balls.h, which are below 2^-46
 * of G / s.
 *
 * In node space the middle is within 2^-45 G / s, times its unit, of where it belongs, and so
 * are the tree's own vertices; the reach has 2^-37 G for it, and at least 2^-38, as node space
 * is [-1, 1]^3 and b unit is 1/2 or more. Floats move it by 2^-24 of each coordinate. What is
 * 2^20 and more covers all boxes, which are below 2^19; a middle is moved to 2^22 along each
 * axis where it is further off, from where smaller balls reach none.
 *
 * Numbers that overflow make a margin infinite or NaN, and then nothing is decided: the reach is
 * infinite, the low square 0, the high one infinite. Nor is anything where the margin is so
 * small that squares of squares could underflow, or that coordinates below 2^-250, which count
 * as 0, could matter. */
#include "ball.h"

#include "../../formats/assert.h"

#include <math.h>

#define MARGIN 0x1p-37
#define MARGIN_LEAST 0x1p-140
#define REACH_MOST 0x1p+20
#define MIDDLE_MOST 0x1p+22

void kiln_placed_ball_frame_form(kiln_placed_ball_frame *frame, const kiln_tree *tree,
                                 const kiln_placement *placement)
{
    const kiln_format_tree *entry = tree->view.entry;
    double largest = 0, moved = 0;
    for (int k = 0; k < 3; k++) {
        largest = fmax(largest, fmax(fabs((double)entry->bounds_lower[k]),
                                     fabs((double)entry->bounds_upper[k])));
        largest = fmax(largest, fabs(entry->origin[k]));
        moved += fabs(placement->carry.translation[k]);
    }
    KILN_ASSERT(placement->scale > 0);
    frame->placement = placement;
    frame->per_scale = 1 / placement->scale;
    frame->unit = ldexp(1.0, -entry->scale_exponent);
    frame->wide = 16 * placement->departure + 0x1p-40;
    frame->size = moved + 3 * placement->scale * (largest + ldexp(1.0, entry->scale_exponent));
    frame->origin = entry->origin;
}

void kiln_placed_ball_form(kiln_placed_ball *ball, const kiln_placed_ball_frame *frame,
                           const double centre[3], double radius)
{
    const double *inverse = frame->placement->inverse, *moved = frame->placement->carry.translation;
    const double x = centre[0] - moved[0], y = centre[1] - moved[1], z = centre[2] - moved[2];
    const double all = radius + ((fabs(centre[0]) + fabs(centre[1])) + fabs(centre[2]));
    const double margin = MARGIN * (all + frame->size) * frame->per_scale;
    const double own = radius * frame->per_scale;
    const double low = own * (1 - frame->wide) - margin;
    const double high = (own + margin) * (1 + frame->wide);
    const double reach = high * frame->unit;
    double off = 0;
    const bool sound = margin > MARGIN_LEAST, known = sound && reach < REACH_MOST;
    for (int k = 0; k < 3; k++) {
        const double *row = inverse + 3 * k;
        const double at = ((row[0] * x + row[1] * y) + row[2] * z) * frame->per_scale;
        const double middle = (at - frame->origin[k]) * frame->unit;
        ball->centre[k] = at;
        const double place = !known                  ? 0
                             : middle > MIDDLE_MOST  ? MIDDLE_MOST
                             : middle < -MIDDLE_MOST ? -MIDDLE_MOST
                                                     : middle;
        ball->middle[k] = (float)place;
        off += fabs(place);
    }
    ball->middle[3] = 0;
    ball->reach = known ? (float)((reach + off * 0x1p-22) * (1 + 0x1p-16)) : HUGE_VALF;
    ball->low_squared = sound && low > 0 ? low * low : 0;
    ball->high_squared = sound && high < HUGE_VAL ? high * high : HUGE_VAL;
}
