/* See zachmann.h. */
#include "zachmann.h"

#include <math.h>

static void bounds_of(const mesh *m, double lower[3], double upper[3])
{
    for (int k = 0; k < 3; k++) {
        lower[k] = HUGE_VAL;
        upper[k] = -HUGE_VAL;
    }
    for (size_t i = 0; i < 3 * (size_t)m->triangle_count; i++) {
        const float *p = m->positions + 3 * (size_t)m->indices[i];
        for (int k = 0; k < 3; k++) {
            lower[k] = fmin(lower[k], (double)p[k]);
            upper[k] = fmax(upper[k], (double)p[k]);
        }
    }
}

void zachmann_scale(mesh *m)
{
    double lower[3], upper[3], longest = 0;
    bounds_of(m, lower, upper);
    for (int k = 0; k < 3; k++) {
        longest = fmax(longest, upper[k] - lower[k]);
    }
    for (uint32_t i = 0; i < m->vertex_count; i++) {
        for (int k = 0; k < 3; k++) {
            float *p = m->positions + 3 * (size_t)i + k;
            *p = (float)(((double)*p - (lower[k] + upper[k]) / 2) * (2 / longest));
        }
    }
}

double zachmann_distance(int which)
{
    return (4 + which) / 10.0;
}

/* Are the boxes apart along `axis`? Both have the half-sides `half` and middles at 0 and t. */
static bool apart_along(const double half[3], const kiln_pose *pose, const double axis[3])
{
    double distance = 0, reach = 0;
    for (int i = 0; i < 3; i++) {
        double turned = 0;
        for (int k = 0; k < 3; k++) {
            turned += axis[k] * pose->rotation[3 * k + i];
        }
        distance += axis[i] * pose->translation[i];
        reach += half[i] * (fabs(axis[i]) + fabs(turned));
    }
    return fabs(distance) > reach;
}

static bool boxes_meet(const double half[3], const kiln_pose *pose)
{
    for (int i = 0; i < 3; i++) {
        double own[3] = {0, 0, 0};
        own[i] = 1;
        const double other[3] = {pose->rotation[i], pose->rotation[3 + i], pose->rotation[6 + i]};
        if (apart_along(half, pose, own) || apart_along(half, pose, other)) {
            return false;
        }
        for (int j = 0; j < 3; j++) {
            const double column[3] = {pose->rotation[j], pose->rotation[3 + j],
                                      pose->rotation[6 + j]};
            double edge[3] = {0, 0, 0};
            edge[(i + 1) % 3] = -column[(i + 2) % 3];
            edge[(i + 2) % 3] = column[(i + 1) % 3];
            if (apart_along(half, pose, edge)) {
                return false;
            }
        }
    }
    return true;
}

size_t zachmann_poses(const mesh *m, uint64_t seed, unsigned draws, zachmann_pose out[])
{
    double lower[3], upper[3], half[3];
    bounds_of(m, lower, upper);
    for (int k = 0; k < 3; k++) {
        half[k] = (upper[k] - lower[k]) / 2;
    }
    size_t count = 0;
    uint64_t state = seed;
    for (int which = 0; which < ZACHMANN_DISTANCES; which++) {
        for (unsigned i = 0; i < draws; i++) {
            /* A column of a uniform rotation is a uniform direction. */
            const kiln_pose aim = pose_random(&state, 0);
            kiln_pose pose = pose_random(&state, 0);
            for (int k = 0; k < 3; k++) {
                pose.translation[k] = zachmann_distance(which) * aim.rotation[3 * k];
            }
            if (boxes_meet(half, &pose)) {
                out[count++] = (zachmann_pose){pose, which};
            }
        }
    }
    return count;
}
