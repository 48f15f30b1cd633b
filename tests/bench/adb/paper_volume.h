/* How much volume two boxes have in common: the estimates of section 3.6 of Klein and Zachmann
 * (2003), and the true value to hold them against. */
#ifndef KILN_PAPER_VOLUME_H
#define KILN_PAPER_VOLUME_H

#include "paper_pair.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    /* max{V1, V2, V3} (Figure 10), and the lens where one box is much larger. The text has boxes of
     * (nearly) equal size with sides a >= b >= c; here these are the means of both boxes' sides,
     * each in order of length, which is the text's for equal boxes. Factors 1 - d / diagonal are
     * taken for 0 where they are negative, before they are squared. */
    KILN_PAPER_FIGURE_10 = 0,
    /* That of the spheres around the boxes ("enclose the BVs by spheres"): the lens that they have
     * in common. */
    KILN_PAPER_LENS = 1,
    /* The same as a part: the smaller box has of its volume in common what the smaller sphere has.
     * The text does not say which it means. */
    KILN_PAPER_SPHERES = 2,
    /* Of the six slabs between parallel faces the three whose parallelepiped is least (Figure 9).
     * It does not depend on where the boxes are, only on their orientations. */
    KILN_PAPER_SLABS = 3,
    /* One box enclosed by a box along the other's axes ("by an aligned DOP"); the less of both
     * ways. */
    KILN_PAPER_ALIGNED = 4,
    /* The true volume, by cutting tetrahedra: no estimate of the paper's, and slow. */
    KILN_PAPER_EXACT = 5
} kiln_paper_volume;

enum { KILN_PAPER_VOLUMES = 6 };

/* "figure10", "lens", "spheres", "slabs", "aligned", "exact". */
const char *kiln_paper_volume_name(kiln_paper_volume volume);

/* Not over the volume of the smaller box, which the text does not require but no estimate may
 * exceed. `size_ratio` >= 1: KILN_PAPER_FIGURE_10 takes the lens when the larger box has more than
 * so many times the volume of the smaller one ("above a certain threshold"). All half-extents > 0.
 */
double kiln_paper_common_volume(const kiln_paper_pair *pair, kiln_paper_volume volume,
                                double size_ratio);

/* V1, V2, V3 for boxes with the sides `sides`, in any order, at a distance. */
void kiln_paper_aligned_cases(const double sides[3], double distance, double v[3]);

/* Of two balls whose middles are `distance` apart. */
double kiln_paper_lens_volume(double radius_a, double radius_b, double distance);

#ifdef __cplusplus
}
#endif

#endif
