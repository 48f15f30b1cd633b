/* How far two moving convex things can advance in time before they may touch. */
#ifndef KILN_ADVANCE_H
#define KILN_ADVANCE_H

#include "motion.h"

/* Two motions together, and what is known of them at one time. */
typedef struct {
    kiln_mover a, b;
    double turn_a, turn_b; /* angular speeds */
    double turn_apart;     /* length of the difference of the angular velocities */
    double speed;          /* of the one moving point seen from the other */
    double reach;          /* the most that the two points are apart */
    double margin;         /* what is further apart than this does not touch */
    double time;           /* of all that follows */
    kiln_pose pose_a, pose_b;
    double point_a[3], point_b[3];
} kiln_pair_motion;

/* `margin` is left to the caller, `time` is 0. */
kiln_status kiln_pair_motion_form(kiln_pair_motion *pair, const kiln_motion *a,
                                  const kiln_motion *b);
void kiln_pair_motion_set(kiln_pair_motion *pair, double time);

/* A box in the world at the time of the pair. */
typedef struct {
    double centre[3], axis[3][3], half[3];
    double spread;      /* by which the axes may be wrong, as a length */
    double radius;      /* of the ball about the centre */
    double lever;       /* the most that a point of it is away from its body's moving point */
    double velocity[3]; /* of the centre */
} kiln_solid;

/* A box of A or B, given in its body's own frame. */
typedef struct {
    double centre[3], axis[3][3], half[3];
} kiln_body_box;

void kiln_solid_form(kiln_solid *solid, const kiln_pair_motion *pair, bool is_a,
                     const kiln_body_box *box);

/* For how long from the time of the pair on the two are surely further apart than the margin: 0 if
 * that is not proved, HUGE_VAL if to the end and beyond. No plane is sought beyond `enough`. */
double kiln_advance_solids(const kiln_pair_motion *pair, const kiln_solid *a, const kiln_solid *b,
                           double enough);

/* How a plane turns, and the bound of the second derivative of gaps across it. */
typedef struct {
    const double *with; /* angular velocity; NULL: it does not */
    double bend;
    bool turns_a, turns_b; /* do A and B turn to the plane? */
    double turn_a[3], turn_b[3];
} kiln_turning_plane;

/* The plane for what is at most so far away from the moving points. */
void kiln_choose_plane(const kiln_pair_motion *pair, double lever_a, double lever_b,
                       kiln_turning_plane *plane);

/* The most that three corners are away from a point. */
double kiln_farthest_corner(const double corners[9], const double from[3]);

/* The advance of two triangles, given by their corners in the world, by planes across one
 * direction, of any length, which points from A to B. `closely`: as far as that is proved, else
 * somewhat less, in less time. */
double kiln_advance_triangles(const kiln_pair_motion *pair, const kiln_turning_plane *plane,
                              const double a[9], const double b[9], const double toward[3],
                              bool closely);

#endif
