/* A ray in a tree's own frame: as exact predicates see it, and as boxes do. */
#ifndef KILN_LINE_H
#define KILN_LINE_H

#include "pose.h"

#include <math.h>

/* The points origin + t direction with t_min <= t <= t_max, exactly these numbers. Coordinates of
 * the origin are 0 or of a magnitude from 2^-250 to 2^232; of the direction 0 or from 2^-160 to
 * 2^101, the largest from 2^-101; the ends of t are 0, infinite or of a magnitude from 2^-290 to
 * 2^400. */
typedef struct kiln_line {
    double origin[3], direction[3];
    double t_min, t_max;
} kiln_line;

/* What rays are taken, and what of them is too small, or too far, to matter. No hit has a t over
 * 2^334: its point is within 2^128, and the origin within 2^232. */
#define KILN_LINE_ORIGIN_MAX 1e60
#define KILN_LINE_DIRECTION_MIN 1e-30
#define KILN_LINE_DIRECTION_MAX 1e30
#define KILN_LINE_COMPONENT_MIN 0x1p-160
#define KILN_LINE_T_MIN 0x1p-290
#define KILN_LINE_T_MAX 0x1p+400

/* KILN_OK or KILN_ERROR_ARGUMENT: a number that is not finite or out of range (but for ends of t),
 * no direction, t_min > t_max. */
kiln_status kiln_line_form(kiln_line *line, const kiln_placement *placement, const kiln_ray *ray);

/* Where boxes in steps have the faces that are met first, and last: bytes of lane 0. */
typedef struct kiln_ray_faces {
    uint8_t nearer[4], farther[4];
} kiln_ray_faces;

/* The part of a line inside the box of a tree, for filtering, all rounded to float: the points
 * origin + s direction of node space with 0 <= s <= s_max, the largest coordinate of the direction
 * from 1 to 2 in magnitude. Every point of the line that is in the box is within some slack, on
 * each axis, of the one with s = t s_of_t - s_first. Fourth numbers repeat the third. */
typedef struct kiln_slab_ray {
    double s_of_t, s_first;
    /* Set by the walk for one hit: what t is multiplied by for the caller; is any hit wanted, not
     * the first; is its normal wanted; is it only asked whether there is one. */
    double scale;
    bool any, normals, only_asked;
    double coarse;     /* KILN_LINE_COARSE times the largest coordinate of the line's direction */
    double off_edges;  /* at most what volumes of the line and an edge of the tree are off by, */
    double off_rest;   /* and what the third of a triangle is that is computed from these */
    double off_height; /* the same of the volume that t is a quotient of */
    /* Ends of the line's t, but at most KILN_LINE_T_MAX in magnitude, and at least what the
     * difference of that volume and an end times the triangle's is off by. Set by the walk where it
     * is only asked. */
    double end[2], off_end[2];
    float origin[4], direction[4]; /* coordinates of the direction: 2^-30 or more */
    float inverse[4];              /* of the direction */
    float near[4], far[4];         /* -origin / direction, less and more what kernel_rays.h says */
    float wide;                    /* what rotated boxes are widened by */
    float s_max;                   /* may be lowered during a walk */
    kiln_ray_faces faces;
    const kiln_line *line; /* that it is of */
} kiln_slab_ray;

/* From now on only what t <= `t` reaches is wanted, `t` being off by 2^-40 of itself. The cut is
 * rounded upwards, by more than its own roundings, so that no hit is lost. */
static inline void kiln_slab_ray_cut(kiln_slab_ray *ray, double t)
{
    if (ray->s_of_t == 0) {
        return;
    }
    const double s = t * ray->s_of_t;
    const double left = (s - ray->s_first) + 0x1p-38 * (fabs(s) + fabs(ray->s_first));
    const float cut = (float)left * 1.000001f + 0x1p-40f;
    ray->s_max = cut < ray->s_max ? cut : ray->s_max;
}

/* ----------------------------------------------------- against one triangle: line_triangle.c -- */

typedef struct {
    double t;          /* within 2^-40 of itself; exactly an end of the line's t where it is that */
    double weights[3]; /* of the corners, within 2^-30; 0 exactly on the edge opposite */
    kiln_side side;
} kiln_line_hit;

/* The canonical order of hits: by t, then by side, then by id. It is total, as no triangle has two
 * hits. */
static inline bool kiln_hit_comes_first(double t, kiln_side side, uint32_t id, double other_t,
                                        kiln_side other_side, uint32_t other_id)
{
    return t != other_t ? t < other_t : side != other_side ? side < other_side : id < other_id;
}

/* Does the line, from its t_min to its t_max, meet the closed triangle? Exact. Corner k is
 * corners[3 k .. 3 k + 2], floats as doubles. If so, *hit is where it first does. Needs the
 * environment of fpu.h. */
bool kiln_line_meets_triangle(const kiln_line *line, const double corners[9], kiln_line_hit *hit);

/* One hit of a tree, before its normal and values are worked out. */
typedef struct kiln_found_hit {
    uint32_t stored; /* the triangle */
    bool has_normal;
    kiln_line_hit at;
    double normal[3]; /* where it has one: of length 1, in the tree's frame */
} kiln_found_hit;

/* The constants of its filter, which kernel_rays.h shares. As in exact.c: each of the six monomials
 * of a volume goes through at most 8 rounded operations, so the volume is off by at most 9 2^-53 of
 * the sum of their magnitudes; KILN_LINE_COARSE is for six times the product of the largest
 * coordinates in place of that sum, rounded up. */
#define KILN_LINE_SPACE_BOUND 0x1.2p-50
#define KILN_LINE_COARSE 0x1p-47

/* The precision that quotients from the filter must have, and twice that, with room, of t. */
#define KILN_LINE_T_PRECISION 0x1p-42
#define KILN_LINE_WEIGHT_PRECISION 0x1p-33
#define KILN_LINE_T_MARGIN 0x1p-40

#endif
