/* Quantised orientations are a lattice of three bytes, so refinement is a descent on that lattice:
 * coordinate by coordinate, in steps of 8, 4, 2, 1 (2.8 to 0.35 degrees), as long as the surface
 * shrinks. Nothing is quantised afterwards that could undo it. Where axes are stored as floats it
 * goes on in fractions of a step.
 *
 * Many corners are stood for by the few that matter: those extreme along the box's axes and along
 * directions tilted a little from them. What is found on these is measured on all, and taken only
 * if it holds. */
#include "refine_obb.h"

#include "../../formats/nodes.h"

#include <string.h>

enum {
    FIRST_STEP = 8,
    ROUNDS = 4,            /* at most so many rounds of all coordinates at one step */
    DIRECT_TRIANGLES = 16, /* no more than these are searched with all their corners */
    DIRECTIONS = 15
};

static double area_in(const kiln_points *points, const float rotation[3])
{
    float axis[3][3];
    kiln_extents extents;
    kiln_rodrigues_steps(rotation[0], rotation[1], rotation[2], axis);
    kiln_points_extents(points, axis, &extents);
    return kiln_extents_half_area(&extents);
}

/* Moves one coordinate if that shrinks the surface. */
static bool try_step(const kiln_points *points, unsigned coordinate, float step, float rotation[3],
                     double *area)
{
    const float moved = rotation[coordinate] + step;
    if (moved < -127 || moved > 127) {
        return false;
    }
    float candidate[3] = {rotation[0], rotation[1], rotation[2]};
    candidate[coordinate] = moved;
    const double candidate_area = area_in(points, candidate);
    if (!kiln_area_beats(candidate_area, *area)) {
        return false;
    }
    *area = candidate_area;
    rotation[coordinate] = moved;
    return true;
}

static bool round_of_steps(const kiln_points *points, float step, float rotation[3], double *area)
{
    bool moved = false;
    for (unsigned k = 0; k < 3; k++) {
        moved |=
            try_step(points, k, step, rotation, area) || try_step(points, k, -step, rotation, area);
    }
    return moved;
}

static void descend(const kiln_points *points, float finest, float rotation[3])
{
    double area = area_in(points, rotation);
    for (float step = FIRST_STEP; step >= finest; step *= 0.5f) {
        for (unsigned i = 0; i < ROUNDS && round_of_steps(points, step, rotation, &area); i++) {
        }
    }
}

/* Each axis, and it tilted towards and from either other one. */
static void make_directions(float axis[3][3], float direction[DIRECTIONS][3])
{
    const float tilt = 0.25f;
    for (unsigned k = 0; k < 3; k++) {
        const float *a = axis[k], *b = axis[(k + 1) % 3], *c = axis[(k + 2) % 3];
        for (unsigned j = 0; j < 3; j++) {
            direction[5 * k][j] = a[j];
            direction[5 * k + 1][j] = a[j] + tilt * b[j];
            direction[5 * k + 2][j] = a[j] - tilt * b[j];
            direction[5 * k + 3][j] = a[j] + tilt * c[j];
            direction[5 * k + 4][j] = a[j] - tilt * c[j];
        }
    }
}

static void measure(const kiln_cloud *cloud, uint32_t first, uint32_t last,
                    const float rotation[3], kiln_extents *extents)
{
    float axis[3][3];
    kiln_rodrigues_steps(rotation[0], rotation[1], rotation[2], axis);
    kiln_cloud_extents(cloud, first, last, axis, extents);
}

void kiln_refine_obb(const kiln_cloud *cloud, uint32_t first, uint32_t last, float finest,
                     float rotation[3], kiln_extents *extents)
{
    kiln_points points;
    float refined[3] = {rotation[0], rotation[1], rotation[2]};
    measure(cloud, first, last, rotation, extents);
    if (last - first <= DIRECT_TRIANGLES) {
        kiln_points_load(cloud, first, last, &points);
    } else {
        float axis[3][3], direction[DIRECTIONS][3];
        kiln_rodrigues_steps(rotation[0], rotation[1], rotation[2], axis);
        make_directions(axis, direction);
        kiln_cloud_support(cloud, first, last, direction, DIRECTIONS, &points);
    }
    kiln_points_deduplicate(&points);
    descend(&points, finest, refined);
    if (refined[0] != rotation[0] || refined[1] != rotation[1] || refined[2] != rotation[2]) {
        kiln_extents candidate;
        measure(cloud, first, last, refined, &candidate);
        if (kiln_area_beats(kiln_extents_half_area(&candidate), kiln_extents_half_area(extents))) {
            *extents = candidate;
            memcpy(rotation, refined, sizeof refined);
        }
    }
}
