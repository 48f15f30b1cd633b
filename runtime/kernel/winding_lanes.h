/* What kernels do for winding numbers (kernel_winding.h): boxes that are seen from afar, and
 * triangles. Every set gives the same bits. */
#ifndef KILN_WINDING_LANES_H
#define KILN_WINDING_LANES_H

#include <stdint.h>

/* What is below the lanes of a node, row by row, each of `width` numbers, 8 or 4 (of binary nodes;
 * lanes that are not used are 0): runtime/winding/moments.c. */
enum {
    KILN_WINDING_CENTRE,                           /* 3 */
    KILN_WINDING_RADIUS = 3,                       /* no vertex is farther from it */
    KILN_WINDING_THIRD,                            /* of the integral of distance^3, by 4 pi */
    KILN_WINDING_ROUND,                            /* rounding, by 4 pi and distance^2 */
    KILN_WINDING_DIPOLE,                           /* 3 */
    KILN_WINDING_DOUBLE = KILN_WINDING_DIPOLE + 3, /* 5: xx yy xy xz yz */
    KILN_WINDING_TRIPLE = KILN_WINDING_DOUBLE + 5, /* 7: xxx xyy yyy xxy xxz yyz xyz */
    KILN_WINDING_WEIGHT = KILN_WINDING_TRIPLE + 7, /* the area, by 4 pi */
    KILN_WINDING_ROWS
};

enum { KILN_WINDING_TRIANGLES = 64 };

/* Their corners, [3 c + k][i]: coordinate k of corner c of triangle i. */
typedef struct {
    double corner[9][KILN_WINDING_TRIANGLES];
} kiln_winding_triangles;

typedef struct {
    double angle;     /* sum of halves of solid angles; of unsure triangles 0 */
    double magnitude; /* of their magnitudes */
    double error;     /* that `angle` may be off, by all but 2^-48 of the magnitude */
    uint64_t unsure;  /* bit i: triangle i is to be computed otherwise */
} kiln_winding_angles;

/* What each lane adds to the winding number about a point; a bound of what that is off by, infinite
 * where it is too near; and its area by 4 pi distance^2. */
typedef struct {
    double value[8], bound[8], weight[8];
} kiln_winding_seen;

typedef struct kiln_winding_kernels {
    /* The first `width`. */
    void (*lanes)(const double *rows, unsigned width, const double point[3],
                  kiln_winding_seen *seen);
    /* The first `count`, a multiple of 4; coordinates are 0 or of magnitudes from 2^-400 to 2^101,
     * those of triangles at most 1. */
    void (*triangles)(const kiln_winding_triangles *triangles, unsigned count,
                      const double point[3], kiln_winding_angles *out);
} kiln_winding_kernels;

/* Below this distance, and above this one, what powers of it give may not be representable. */
#define KILN_WINDING_NEAREST 0x1p-100
#define KILN_WINDING_FARTHEST 0x1p100

#endif
