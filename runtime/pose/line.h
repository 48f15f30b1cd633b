/* A ray in a tree's own frame: as exact predicates see it, and as boxes do. */
#ifndef KILN_LINE_H
#define KILN_LINE_H

#include "pose.h"

/* The points origin + t direction with t_min <= t <= t_max, exactly these numbers. Coordinates of
 * the origin are 0 or of a magnitude from 2^-250 to 2^232; of the direction 0 or from 2^-160 to
 * 2^101, the largest from 2^-101; the ends of t are 0, infinite or of a magnitude from 2^-290 to
 * 2^400. */
typedef struct kiln_line {
    double origin[3], direction[3];
    double t_min, t_max;
} kiln_line;

/* KILN_OK or KILN_ERROR_ARGUMENT: a number that is not finite or out of range (but for ends of t),
 * no direction, t_min > t_max. */
kiln_status kiln_line_form(kiln_line *line, const kiln_placement *placement, const kiln_ray *ray);

/* The part of a line inside the box of a tree, for filtering, all rounded to float: the points
 * origin + s direction of node space with 0 <= s <= s_max, the largest coordinate of the direction
 * from 1 to 2 in magnitude. Every point of the line that is in the box is within some slack, on
 * each axis, of the one with s = t s_of_t - s_first. Fourth numbers repeat the third. */
typedef struct kiln_slab_ray {
    double s_of_t, s_first;
    float origin[4], direction[4]; /* coordinates of the direction: 2^-30 or more */
    float inverse[4];              /* of the direction */
    float spread[4];               /* slack / |direction| */
    float wide;                    /* what rotated boxes are widened by */
    float s_max;                   /* may be lowered during a walk */
    float point[4], way[4];        /* the same line in the tree's own frame, of another length */
    float point_reach; /* for what the point is off the line by, as kernel_rays.h wants it */
    uint8_t nearer[3], farther[3]; /* in AABB8: the byte of lane 0 that is met first, and last */
} kiln_slab_ray;

/* From now on only what t <= `t` reaches is wanted, `t` being off by 2^-40 of itself. */
void kiln_slab_ray_cut(kiln_slab_ray *ray, double t);

/* ----------------------------------------------------- against one triangle: line_triangle.c -- */

typedef struct {
    double t;          /* within 2^-40 of itself; exactly an end of the line's t where it is that */
    double weights[3]; /* of the corners, within 2^-30; 0 exactly on the edge opposite */
    kiln_side side;
} kiln_line_hit;

/* Does the line, from its t_min to its t_max, meet the closed triangle? Exact. Corner k is
 * corners[3 k .. 3 k + 2], floats as doubles. If so, *hit is where it first does. Needs the
 * environment of fpu.h. */
bool kiln_line_meets_triangle(const kiln_line *line, const double corners[9], kiln_line_hit *hit);

#endif
