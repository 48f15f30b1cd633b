/* kiln: axis sets, unit vectors near every direction, of which each moving object uses those that
 * are nearly perpendicular to its velocity (Coming and Staadt, "Velocity-Aligned Discrete Oriented
 * Polytopes for Dynamic Collision Detection", 2004).
 *
 *     uint64_t a[KILN_AXES_DEFAULT_WORDS], b[KILN_AXES_DEFAULT_WORDS];
 *     kiln_axes_zone(NULL, velocity_a, 0, a, NULL);
 *     kiln_axes_zone(NULL, velocity_b, 0, b, NULL);
 *     ... a[0] & b[0], a[1] & b[1]: axes that both use, at least one
 *
 * A set is the point set of a spherical covering, without regard to signs: every line through the
 * origin is within the set's covering radius R of an axis. The zone of a velocity v at an angle phi
 * holds the axes whose angle with v is at least 90 degrees - phi (Equation 7). If phi >= R, two
 * objects share an axis whatever their velocities are: the axis nearest to a common perpendicular
 * of both is in both zones. So phi < R is refused. Along such an axis projections of moving objects
 * grow with at most sin phi times their speed.
 *
 * What kiln.h says of errors and threads holds here too. No call but those that open a set
 * allocates memory. */
#ifndef KILN_AXES_H
#define KILN_AXES_H

#include "kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------- axis sets -- */

/* A set of axes. Where a call takes one, NULL means the set that is built in. */
typedef struct kiln_axes kiln_axes;

enum {
    KILN_AXES_DEFAULT_COUNT = 70, /* axes of the set that is built in */
    KILN_AXES_DEFAULT_WORDS = 2   /* of its masks */
};

/* What a set is. */
typedef struct {
    uint32_t count; /* of axes */
    uint32_t words; /* of a mask: (count + 63) / 64 */
    /* [count] axes, of length 1 within 2^-49; they live as long as the set. */
    const double (*axes)[3];
    double radius; /* the covering radius R in radians: certified, rounded up */
    double sine;   /* its sine, rounded up, at most 1 */
    /* The look-up table of zones: the sine of the phi that it was made for, at least `sine`, and
     * the number of cells along an edge of its three squares. Without one: `sine`, and 0. */
    double zone_sine;
    uint32_t zone_cells;
    uint64_t bytes; /* of the set in memory, with the table */
} kiln_axes_info;

/* Returns the set that is built in: KILN_AXES_DEFAULT_COUNT axes, an antipodal covering with
 * R = 10.997 degrees. It needs no file, has no table, and is not closed. Static; any thread. */
KILN_API const kiln_axes *kiln_axes_default(void);

/* Opens the axis set of a file that `kiln lut axes` wrote, in memory or on disk. Arguments,
 * options, errors, ownership and verification are those of kiln_open_memory and kiln_open; bv_mask
 * is ignored; KILN_ERROR_NOT_LOADED for a sound file that holds no axis set. That the covering
 * radius is that of the axes and that the table has all axes of its zones is not checked: `kiln lut
 * check` does. */
KILN_API kiln_status kiln_axes_open_memory(const void *data, size_t size,
                                           const kiln_open_options *options, kiln_axes **out);
KILN_API kiln_status kiln_axes_open(const char *path, const kiln_open_options *options,
                                    kiln_axes **out);

/* Closes a set. NULL and the set that is built in are allowed. */
KILN_API void kiln_axes_close(kiln_axes *axes);

/* Returns what a set is. */
KILN_API kiln_axes_info kiln_axes_get_info(const kiln_axes *axes);

/* Copies the axis of a number. KILN_ERROR_ARGUMENT: NULL, or not below the count; axis [3] is then
 * untouched. */
KILN_API kiln_status kiln_axes_get(const kiln_axes *axes, uint32_t index, double axis[3]);

/* Finds the axes that an object of this velocity [3] uses. Bit i % 64 of mask[i / 64] [words] is
 * set for axis i; all other bits are 0. *count (may be NULL) gets their number. An object at rest
 * (velocity 0) uses all axes. The length of a velocity does not matter.
 *
 * `sine` is the sine of phi, from `sine` of the set to 1: every axis of the zone is in the mask,
 * exactly, and none whose cosine with the velocity exceeds it by more than 2^-46. 0: by the table,
 * if the set has one, at its phi; else at that of the set. By the table the mask also has axes in
 * whose zone other directions of the velocity's cell are: they are beyond it by less than the
 * diameter of a cell, 7.1 % of phi.
 *
 * The mask depends on the set and the numbers alone: it is the same on every machine. Masks of the
 * same set share a bit, be they by the table or not. KILN_ERROR_ARGUMENT: NULL, a velocity that is
 * not finite, a sine that is neither 0 nor in range; mask and *count are then untouched. Any number
 * of threads. Cost: without the table about a nanosecond an axis; by the table one read of memory
 * for each 64 axes. */
KILN_API kiln_status kiln_axes_zone(const kiln_axes *axes, const double velocity[3], double sine,
                                    uint64_t mask[], uint32_t *count);

#ifdef __cplusplus
}
#endif

#endif
