/* From the frame of a pair of trees to the one that poses lead to. */
#ifndef KILN_WORLD_H
#define KILN_WORLD_H

#include "pose.h"

#include <math.h>
#include <stddef.h>

/* A point of the mesh that is at a pose; NULL: identity. */
static inline void kiln_world_point(const kiln_pose *pose, const double p[3], double out[3])
{
    const double scale = kiln_pose_scale(pose);
    const double q[3] = {scale * p[0], scale * p[1], scale * p[2]};
    for (int i = 0; i < 3; i++) {
        out[i] = pose == NULL ? q[i]
                              : ((pose->rotation[3 * i] * q[0] + pose->rotation[3 * i + 1] * q[1]) +
                                 pose->rotation[3 * i + 2] * q[2]) +
                                    pose->translation[i];
    }
}

/* A direction, not 0, made a unit vector times `sign`. */
static inline void kiln_world_normal(const kiln_pose *pose, const double v[3], double sign,
                                     double out[3])
{
    const double most = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    const double unit[3] = {v[0] / most, v[1] / most, v[2] / most};
    double rotated[3], squared = 0;
    for (int i = 0; i < 3; i++) {
        rotated[i] = pose == NULL
                         ? unit[i]
                         : (pose->rotation[3 * i] * unit[0] + pose->rotation[3 * i + 1] * unit[1]) +
                               pose->rotation[3 * i + 2] * unit[2];
        squared += rotated[i] * rotated[i];
    }
    for (int i = 0; i < 3; i++) {
        out[i] = sign * (rotated[i] / sqrt(squared));
    }
}

#endif
