/* Orientations of boxes: as nodes store them, and better ones.
 *
 * The stored form is a Rodrigues vector in three bytes. A box has 24 rotations onto itself, of
 * which the one that brings the vector nearest to zero is divided out first, so that the bytes
 * resolve as finely as they can. The second half of this file searches that lattice for boxes of
 * less surface. */
#include "rotation.h"

#include "../../formats/assert.h"
#include "../../formats/nodes.h"

#include <math.h>
#include <string.h>

/* -------------------------------------------------------------------------------- as stored -- */

/* Unit quaternion w x y z of the rotation whose columns are the axes (S. W. Shepperd, 1978: divide
 * by the largest component). */
static void to_quaternion(double axis[3][3], double q[4])
{
    const double xx = axis[0][0], yy = axis[1][1], zz = axis[2][2];
    const double four[4] = {1 + ((xx + yy) + zz), 1 + ((xx - yy) - zz), 1 + ((yy - xx) - zz),
                            1 + ((zz - xx) - yy)};
    unsigned largest = 0;
    for (unsigned i = 1; i < 4; i++) {
        largest = four[i] > four[largest] ? i : largest;
    }
    /* R_21 - R_12 = 4 w x and so on; R_10 + R_01 = 4 x y and so on. R_ij = axis[j][i]. */
    const double wx = axis[1][2] - axis[2][1], wy = axis[2][0] - axis[0][2];
    const double wz = axis[0][1] - axis[1][0], xy = axis[0][1] + axis[1][0];
    const double xz = axis[0][2] + axis[2][0], yz = axis[1][2] + axis[2][1];
    const double products[4][4] = {
        {four[0], wx, wy, wz}, {wx, four[1], xy, xz}, {wy, xy, four[2], yz}, {wz, xz, yz, four[3]}};
    const double scale = 0.5 / sqrt(four[largest]);
    for (unsigned i = 0; i < 4; i++) {
        q[i] = products[largest][i] * scale;
    }
}

static double sign_of(double x)
{
    return x < 0 ? -1.0 : 1.0;
}

/* The element g of the box's rotation group whose dot product with q is greatest. The 24 rotations
 * are, up to sign, the quaternions with one component 1, two of sqrt(1/2), or four of 1/2; with
 * |components| of q sorted a >= b >= c >= d these reach at best a, (a + b) sqrt(1/2) and
 * (a + b + c + d) / 2. */
static void nearest_symmetry(const double q[4], double g[4])
{
    const double root_half = 0.70710678118654752;
    unsigned first = 0;
    for (unsigned i = 1; i < 4; i++) {
        first = fabs(q[i]) > fabs(q[first]) ? i : first;
    }
    unsigned second = first == 0 ? 1 : 0;
    for (unsigned i = 0; i < 4; i++) {
        second = i != first && fabs(q[i]) > fabs(q[second]) ? i : second;
    }
    const double one = fabs(q[first]);
    const double two = (fabs(q[first]) + fabs(q[second])) * root_half;
    const double four = 0.5 * ((fabs(q[0]) + fabs(q[1])) + (fabs(q[2]) + fabs(q[3])));
    for (unsigned i = 0; i < 4; i++) {
        const int in_two = i == first || i == second;
        g[i] = one >= two && one >= four ? (i == first ? 1.0 : 0.0)
               : two >= four             ? (in_two ? root_half : 0.0)
                                         : 0.5;
        g[i] *= sign_of(q[i]);
    }
}

/* The nearest multiple of `finest` steps of the lattice, at most 127 of them. */
static float to_steps(double r, double finest)
{
    KILN_ASSERT(r >= -1e3 && r <= 1e3);
    const double steps = r / (double)KILN_RODRIGUES_STEP / finest;
    const double nearest = (double)(int)(steps + 0.5 * sign_of(steps)) * finest;
    return (float)(nearest > 127 ? 127 : nearest < -127 ? -127 : nearest);
}

void kiln_rotation_steps(double axis[3][3], float finest, float rotation[3])
{
    double q[4], g[4];
    to_quaternion(axis, q);
    nearest_symmetry(q, g);
    /* q conj(g): the box's own axes rotated first. Its w = q . g is the greatest of the 24, never
     * below cos(62.8 degrees / 2), so the division is safe. */
    const double w = (q[0] * g[0] + q[1] * g[1]) + (q[2] * g[2] + q[3] * g[3]);
    const double x = (q[1] * g[0] - q[0] * g[1]) + (q[3] * g[2] - q[2] * g[3]);
    const double y = (q[2] * g[0] - q[0] * g[2]) + (q[1] * g[3] - q[3] * g[1]);
    const double z = (q[3] * g[0] - q[0] * g[3]) + (q[2] * g[1] - q[1] * g[2]);
    rotation[0] = to_steps(x / w, (double)finest);
    rotation[1] = to_steps(y / w, (double)finest);
    rotation[2] = to_steps(z / w, (double)finest);
}

void kiln_rotation_quantise(double axis[3][3], int8_t rotation[3])
{
    float steps[3];
    kiln_rotation_steps(axis, 1, steps);
    for (unsigned k = 0; k < 3; k++) {
        rotation[k] = (int8_t)steps[k];
    }
}

/* ------------------------------------------------------------------------------ better ones -- */

/* Quantised orientations are a lattice of three bytes, so refinement is a descent on that lattice:
 * coordinate by coordinate, in steps of 8, 4, 2, 1 (2.8 to 0.35 degrees), as long as the surface
 * shrinks. Nothing is quantised afterwards that could undo it. Where axes are stored as floats it
 * goes on in fractions of a step.
 *
 * Many corners are stood for by the few that matter: those extreme along the box's axes and along
 * directions tilted a little from them. What is found on these is measured on all, and taken only
 * if it holds.
 *
 * A descent ends in the next valley. kiln_search_obb looks for the deepest one: it judges a coarse
 * lattice of all orientations by the corners that are extreme along fixed directions, and descends
 * from the best few. */

enum {
    FIRST_STEP = 8,
    ROUNDS = 4,            /* at most so many rounds of all coordinates at one step */
    DIRECT_TRIANGLES = 16, /* no more than these are searched with all their corners */
    DIRECTIONS = 15,
    SEARCH_DIRECTIONS = 25,
    SEARCH_STEP = 48, /* of the coarse lattice, whose coordinates are -2 to 2 of these */
    SEARCH_STARTS = 4
};

/* Half the surface of the box of the points in this orientation. */
static double area_in(const kiln_points *points, const float rotation[3])
{
    KILN_ASSERT(points->count > 0);
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
    KILN_ASSERT(coordinate < 3 && *area >= 0);
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

/* Returns the surface. */
static double descend(const kiln_points *points, float first_step, float finest, float rotation[3])
{
    KILN_ASSERT(finest > 0 && finest <= first_step);
    double area = area_in(points, rotation);
    for (float step = first_step; step >= finest; step *= 0.5f) {
        /* Rounds of all coordinates, each in both directions, until one moves nothing. */
        bool moved = true;
        for (unsigned i = 0; i < ROUNDS && moved; i++) {
            moved = false;
            for (unsigned k = 0; k < 3; k++) {
                moved |= try_step(points, k, step, rotation, &area) ||
                         try_step(points, k, -step, rotation, &area);
            }
        }
    }
    return area;
}

void kiln_descend_obb(const kiln_points *points, float finest, float rotation[3])
{
    (void)descend(points, FIRST_STEP, finest, rotation);
}

/* Extents of all corners, for the last word on what was found on a few. */
static void measure(const kiln_cloud *cloud, uint32_t first, uint32_t last, const float rotation[3],
                    kiln_extents *extents)
{
    KILN_ASSERT(first < last);
    float axis[3][3];
    kiln_rodrigues_steps(rotation[0], rotation[1], rotation[2], axis);
    kiln_cloud_extents(cloud, first, last, axis, extents);
}

/* The corners extreme along tilted axes decide the box of nearby orientations, so the descent
 * looks at these alone; all corners have the last word. */
void kiln_refine_obb(const kiln_cloud *cloud, uint32_t first, uint32_t last, float finest,
                     float rotation[3], kiln_extents *extents)
{
    KILN_ASSERT(first < last && finest > 0 && finest <= FIRST_STEP);
    kiln_points points;
    float refined[3] = {rotation[0], rotation[1], rotation[2]};
    measure(cloud, first, last, rotation, extents);
    if (last - first <= DIRECT_TRIANGLES) {
        kiln_points_load(cloud, first, last, &points);
    } else {
        float axis[3][3], direction[DIRECTIONS][3];
        kiln_rodrigues_steps(rotation[0], rotation[1], rotation[2], axis);

        /* Each axis, and it tilted towards and from either other one. */
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
        kiln_cloud_support(cloud, first, last, direction, DIRECTIONS, &points);
    }
    kiln_points_deduplicate(&points);
    descend(&points, FIRST_STEP, finest, refined);
    if (refined[0] != rotation[0] || refined[1] != rotation[1] || refined[2] != rotation[2]) {
        kiln_extents candidate;
        measure(cloud, first, last, refined, &candidate);
        if (kiln_area_beats(kiln_extents_half_area(&candidate), kiln_extents_half_area(extents))) {
            *extents = candidate;
            memcpy(rotation, refined, sizeof refined);
        }
    }
}

typedef struct {
    float rotation[3];
    double area;
} start;

/* Keeps the SEARCH_STARTS best, in order; of equals the earlier. */
static void keep_best(start best[SEARCH_STARTS], const start *one)
{
    unsigned at = SEARCH_STARTS;
    while (at > 0 && one->area < best[at - 1].area) {
        if (at < SEARCH_STARTS) {
            best[at] = best[at - 1];
        }
        at--;
    }
    if (at < SEARCH_STARTS) {
        best[at] = *one;
    }
}

/* The start given, and the best of 125 orientations over the whole lattice; each descends to its
 * valley, and the least is measured on all corners. */
void kiln_search_obb(const kiln_cloud *cloud, uint32_t first, uint32_t last, float rotation[3])
{
    KILN_ASSERT(first < last);
    kiln_points points;
    start best[SEARCH_STARTS], least = {{rotation[0], rotation[1], rotation[2]}, 0};
    if (last - first <= DIRECT_TRIANGLES) {
        kiln_points_load(cloud, first, last, &points);
    } else {
        float direction[SEARCH_DIRECTIONS][3];

        /* The coordinate axes, the diagonals of the cube and of its faces, and the directions
         * between axes and face diagonals: one of each opposite pair. */
        unsigned count = 0;
        for (int i = 5 * 5 * 5 / 2 + 1; i < 5 * 5 * 5; i++) {
            const int x = i / 25 - 2, y = i / 5 % 5 - 2, z = i % 5 - 2;
            const int squared = x * x + y * y + z * z;
            if (squared <= 3 || squared == 5) {
                direction[count][0] = (float)x;
                direction[count][1] = (float)y;
                direction[count++][2] = (float)z;
            }
        }
        kiln_cloud_support(cloud, first, last, direction, SEARCH_DIRECTIONS, &points);
    }
    kiln_points_deduplicate(&points);
    least.area = descend(&points, FIRST_STEP, 1, least.rotation);

    for (unsigned i = 0; i < SEARCH_STARTS; i++) {
        best[i] = (start){{0, 0, 0}, INFINITY};
    }
    for (int i = 0; i < 5 * 5 * 5; i++) {
        start one = {{(float)(SEARCH_STEP * (i / 25 - 2)), (float)(SEARCH_STEP * (i / 5 % 5 - 2)),
                      (float)(SEARCH_STEP * (i % 5 - 2))},
                     0};
        one.area = area_in(&points, one.rotation);
        keep_best(best, &one);
    }
    for (unsigned i = 0; i < SEARCH_STARTS; i++) {
        best[i].area = descend(&points, SEARCH_STEP / 3, 1, best[i].rotation);
        if (kiln_area_beats(best[i].area, least.area)) {
            least = best[i];
        }
    }
    kiln_extents given, found;
    measure(cloud, first, last, rotation, &given);
    measure(cloud, first, last, least.rotation, &found);
    if (kiln_area_beats(kiln_extents_half_area(&found), kiln_extents_half_area(&given))) {
        memcpy(rotation, least.rotation, sizeof least.rotation);
    }
}
