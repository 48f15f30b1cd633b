/* The poses at which two copies of an object are queried, by the procedure of G. Zachmann, "Minimal
 * Hierarchical Collision Detection", VRST 2002, which Klein and Zachmann (2003) use, too: at each
 * of 18 distances of the middles the second copy is rotated and placed at random. Poses at which
 * the copies' boxes are apart are left out, since the roots decide a query there. */
#include "zachmann.h"

#include "numbers.h"

#include <math.h>

zachmann_box zachmann_box_of(const float lower[3], const float upper[3])
{
    zachmann_box box = {.side = 0};
    for (int k = 0; k < 3; k++) {
        box.middle[k] = ((double)lower[k] + (double)upper[k]) / 2;
        box.half[k] = ((double)upper[k] - (double)lower[k]) / 2;
        box.side = fmax(box.side, box.half[k]);
    }
    return box;
}

double zachmann_distance(int which)
{
    return (4 + which) / 10.0;
}

/* In [-1, 1). */
static double random_signed(uint64_t *state)
{
    return (double)(bench_random(state) >> 11) * 0x1p-52 - 1.0;
}

/* From a quaternion that is uniform on the unit sphere, by rejection. */
void zachmann_rotation(uint64_t *state, double rotation[9])
{
    double q[4], length = 0;
    do {
        length = 0;
        for (int i = 0; i < 4; i++) {
            q[i] = random_signed(state);
            length += q[i] * q[i];
        }
    } while (length > 1 || length < 0.01);
    for (int i = 0; i < 4; i++) {
        q[i] /= sqrt(length);
    }
    for (int i = 0; i < 3; i++) { /* left over: earlier figures were taken with these poses */
        (void)bench_random(state);
    }
    kiln_pose pose;
    (void)kiln_pose_from_quaternion(q, NULL, &pose);
    for (int i = 0; i < 9; i++) {
        rotation[i] = pose.rotation[i];
    }
}

kiln_pose zachmann_place(const zachmann_box *box, const double rotation[9], const double way[3],
                         double distance)
{
    kiln_pose pose = kiln_pose_identity();
    for (int i = 0; i < 3; i++) {
        const double *row = rotation + 3 * i;
        for (int k = 0; k < 3; k++) {
            pose.rotation[3 * i + k] = row[k];
        }
        pose.translation[i] =
            box->middle[i] + distance * way[i] -
            (row[0] * box->middle[0] + row[1] * box->middle[1] + row[2] * box->middle[2]);
    }
    return pose;
}

/* How a copy stands to the box: the way from middle to middle, and the rotation. */
typedef struct {
    double way[3];
    const double *rotation;
} standing;

/* Are the boxes apart along `axis`? */
static bool apart_along(const double half[3], const standing *copy, const double axis[3])
{
    double distance = 0, reach = 0;
    for (int i = 0; i < 3; i++) {
        double rotated = 0;
        for (int k = 0; k < 3; k++) {
            rotated += axis[k] * copy->rotation[3 * k + i];
        }
        distance += axis[i] * copy->way[i];
        reach += half[i] * (fabs(axis[i]) + fabs(rotated));
    }
    return fabs(distance) > reach;
}

static bool boxes_meet(const double half[3], const standing *copy)
{
    for (int i = 0; i < 3; i++) {
        double own[3] = {0, 0, 0};
        own[i] = 1;
        const double *r = copy->rotation;
        const double other[3] = {r[i], r[3 + i], r[6 + i]};
        if (apart_along(half, copy, own) || apart_along(half, copy, other)) {
            return false;
        }
        for (int j = 0; j < 3; j++) {
            const double column[3] = {r[j], r[3 + j], r[6 + j]};
            double edge[3] = {0, 0, 0};
            edge[(i + 1) % 3] = -column[(i + 2) % 3];
            edge[(i + 2) % 3] = column[(i + 1) % 3];
            if (apart_along(half, copy, edge)) {
                return false;
            }
        }
    }
    return true;
}

size_t zachmann_poses(const zachmann_box *box, uint64_t seed, unsigned draws, zachmann_pose out[])
{
    size_t count = 0;
    uint64_t state = seed;
    for (int which = 0; which < ZACHMANN_DISTANCES; which++) {
        const double distance = box->side * zachmann_distance(which);
        for (unsigned i = 0; i < draws; i++) {
            /* A column of a uniform rotation is a uniform direction. */
            double aim[9], rotation[9];
            zachmann_rotation(&state, aim);
            zachmann_rotation(&state, rotation);
            const double way[3] = {aim[0], aim[3], aim[6]};
            const standing copy = {{distance * way[0], distance * way[1], distance * way[2]},
                                   rotation};
            if (boxes_meet(box->half, &copy)) {
                out[count++] = (zachmann_pose){zachmann_place(box, rotation, way, distance), which};
            }
        }
    }
    return count;
}
