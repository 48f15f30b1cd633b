/* computeProb (Figure 5): the probability that the surfaces in two boxes meet, by the numbers s, sA
 * and sB of cells in their common volume (section 3.4) and Equations 1 to 8. */
#ifndef KILN_PAPER_ESTIMATE_H
#define KILN_PAPER_ESTIMATE_H

#include "paper_options.h"
#include "paper_tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Two trees at a pose, in A's node space. */
typedef struct {
    const kiln_paper_tree *a, *b;
    double rotation[3][3]; /* of B's directions */
    double translation[3]; /* of B's origin of node space */
    double scale;          /* of B's lengths */
} kiln_paper_frame;

/* Poses NULL: identity. KILN_ERROR_POSE: an entry that is not finite, a rotation that departs from
 * orthonormal by more than 1e-6 or mirrors; KILN_ERROR_ARGUMENT: trees whose sizes differ by more
 * than 2^40. */
kiln_status kiln_paper_frame_form(kiln_paper_frame *frame, const kiln_paper_tree *a,
                                  const kiln_pose *pose_a, const kiln_paper_tree *b,
                                  const kiln_pose *pose_b);

/* Box number `a` of A and `b` of B. */
void kiln_paper_frame_pair(const kiln_paper_frame *frame, uint32_t a, uint32_t b,
                           kiln_paper_pair *pair);

typedef struct {
    bool gated;       /* the gate says that the boxes are apart: all else is 0 */
    double volume;    /* Vol(A n B), of thickened boxes, in A's node space */
    double s, sa, sb; /* sA, sB: of A's and of B's box; neither over s */
    double lb, p;
    uint32_t visited; /* boxes looked at on the way down to find the larger one's number */
} kiln_paper_estimate;

/* Options must have been checked. Where A and B are named the other way round, p is the same within
 * rounding. */
void kiln_paper_estimate_pair(const kiln_paper_frame *frame, uint32_t a, uint32_t b,
                              const kiln_paper_options *options, kiln_paper_estimate *out);

/* Equation 5. tau > 0: how many times as large the box's cells are as the other's. */
double kiln_paper_equation_5(double s, double tau);

/* Section 3.5.3. */
double kiln_paper_lower_bound(const kiln_paper_tree *a, uint32_t box_a, const kiln_paper_tree *b,
                              uint32_t box_b, kiln_paper_level level);

/* Equation 8, which with x_max = 1 is Equation 1. 0 <= sa, sb <= s; 0 <= lb <= 1. Errors and
 * outputs as kiln_bins_probabilities_real. */
kiln_status kiln_paper_equation_8(const kiln_paper_options *options, double s, double sa, double sb,
                                  double lb, double *p);

#ifdef __cplusplus
}
#endif

#endif
