/* A moving object: where it is at a time, and what bounds how it moves. */
#ifndef KILN_MOTION_H
#define KILN_MOTION_H

#include "../kiln_sweep.h"

/* A motion that was checked. */
typedef struct {
    kiln_motion motion;
    double axis[3]; /* unit; 0 without rotation */
    double angle;   /* from time 0 to 1, radians, >= 0 */
    double arm[3];  /* from the point that moves along a line to the translation at time 0 */
    bool affine;    /* the start is no rotation: the motion is one of what it makes of the object */
    double stretch; /* no vector gets longer by more; of rotations the scale */
} kiln_mover;

/* KILN_OK, or KILN_ERROR_POSE for a motion that is not one. NULL: at rest at the identity. In the
 * environment of fpu.h, as all that follows. */
kiln_status kiln_mover_form(kiln_mover *mover, const kiln_motion *motion);

/* The pose at a time, and the point that moves along a line. */
void kiln_mover_pose(const kiln_mover *mover, double time, kiln_pose *pose);
void kiln_mover_point(const kiln_mover *mover, double time, double point[3]);

#endif
