/* Sizes of a set of triangles, for reports. */
#ifndef KILN_EXTENT_H
#define KILN_EXTENT_H

#include <stdint.h>

typedef struct {
    uint64_t triangles;
    double lower[3], upper[3]; /* of the corners */
    double area;
    double signed_volume; /* positive where faces wind outward; the volume of a closed mesh */
} kiln_extent;

/* `triangles` [3 count] are indices into `vertices` [3 each]; count > 0. Sums are in double. */
void kiln_extent_of(const float *vertices, const uint32_t *triangles, uint64_t count,
                    kiln_extent *out);

#endif
