/* The probability that the surfaces in two boxes meet.
 *
 * After Klein and Zachmann 2003, sections 3.4 to 3.6, with these departures, each of which was
 * measured to be worth it:
 *
 * - The common volume is not that of Figure 10 or of two spheres, which are positive for boxes that
 *   are far apart. Each octant of a box counts with the part of it that lies within the other box,
 *   as if it lay along that box's axes; the lesser of the two sums is taken.
 * - Figure 7's regions are these octants, so possible cells are summed by the same weights.
 * - Equation 3 needs nodes of equal size, and the paper descends the larger one's tree to find
 *   them. Instead Equation 5's law for leaves is used for every ratio: seen in cells that are r
 *   times smaller, a surface occupies 1 / r of them. So the expected number of common cells is
 *   lambda = s (sA / s) (sB / s) / r.
 * - Equation 8 takes the lower bound LB for a probability; here a logistic function of log2 lambda,
 *   LB, the depth of the overlap and r is fitted to what is observed. */
#include "adb_estimate.h"

#include <math.h>

/* Flat boxes are taken to be this thick, as a part of their largest extent: volumes and cells are
 * then positive, and what is seen of a plane is its place within the thickness. */
#define THICKNESS_MIN 0.02f
#define THICKNESS_OF_POINTS 0x1p-40f

/* Below this, features say "nothing in common" and no more. */
#define EXPECTED_MIN 0x1p-12f

#define RATIO_MAX 0x1p+120f /* of volumes */

/* v cut to [0, top]. */
static inline kiln_four clip(kiln_four v, kiln_four top)
{
    return kiln_four_least(kiln_four_most(v, kiln_four_of(0.0f)), top);
}

/* One box's octants in another. */
typedef struct {
    kiln_four weight; /* sum over octants of the part within the other */
    kiln_four filled; /* sum of the parts times the octants' possible cells */
} octant_sums;

/* `turn[k]` holds the first's axes, halved extents multiplied in, along axis k of the second; `t`
 * the first's centre there; `half` are the second's extents. */
__attribute__((noinline)) static octant_sums sum_octants(kiln_four turn[3][3], const kiln_four t[3],
                                                         const kiln_four half[3],
                                                         const kiln_four region[8])
{
    kiln_four part[8], scale = kiln_four_of(1.0f);
    for (int k = 0; k < 3; k++) {
        const kiln_four *axis = turn[k];
        const kiln_four reach = (kiln_four_magnitude(axis[0]) + kiln_four_magnitude(axis[1])) +
                                kiln_four_magnitude(axis[2]);
        const kiln_four sum = half[k] + reach, top = 2.0f * kiln_four_least(reach, half[k]);
        for (int i = 0; i < 8; i++) {
            kiln_four place = (i & 1) != 0 ? t[k] + axis[0] : t[k] - axis[0];
            place = (i & 2) != 0 ? place + axis[1] : place - axis[1];
            place = (i & 4) != 0 ? place + axis[2] : place - axis[2];
            const kiln_four within = clip(sum - kiln_four_magnitude(place), top);
            part[i] = k == 0 ? within : part[i] * within;
        }
        scale *= 2.0f * reach;
    }
    octant_sums sums = {part[0], part[0] * region[0]};
    for (int i = 1; i < 8; i++) {
        sums.weight += part[i];
        sums.filled += part[i] * region[i];
    }
    sums.weight /= scale;
    sums.filled /= scale;
    return sums;
}

/* Extents with a least thickness; returns the thickness. */
static inline kiln_four thicken(const kiln_four half[3], kiln_four out[3])
{
    const kiln_four most = kiln_four_most(kiln_four_most(half[0], half[1]), half[2]);
    const kiln_four least = kiln_four_most(THICKNESS_MIN * most, kiln_four_of(THICKNESS_OF_POINTS));
    for (int k = 0; k < 3; k++) {
        out[k] = kiln_four_most(half[k], least);
    }
    const kiln_four thin = kiln_four_least(kiln_four_least(out[0], out[1]), out[2]);
    return thin / kiln_four_most(most, kiln_four_of(THICKNESS_OF_POINTS));
}

/* Overlap on an axis: `own` and `reach` are the extents of both there. */
static inline kiln_four margin_of(kiln_four own, kiln_four reach, kiln_four distance)
{
    return (own + reach - kiln_four_magnitude(distance)) / (2.0f * kiln_four_least(own, reach));
}

/* Possible cells among the cells in the common volume. */
static inline kiln_four density_of(octant_sums sums, float cells)
{
    return 8.0f * sums.filled / (kiln_four_most(sums.weight, kiln_four_of(0x1p-100f)) * cells);
}

void kiln_adb_boxes_in_common(const kiln_adb_boxes *boxes, const kiln_adb_box *other,
                              kiln_adb_common *common)
{
    kiln_four half_1[3], half_2[3], region_2[8];
    kiln_four turn_1[3][3], turn_2[3][3]; /* of the boxes' octants, of the other's */
    kiln_four t_1[3] = {{0}, {0}, {0}}, t_2[3], reach_1[3] = {{0}, {0}, {0}};
    kiln_four margin = kiln_four_of(1.0f);
    for (int k = 0; k < 3; k++) {
        half_2[k] = kiln_four_of(other->half[k]);
    }
    const kiln_four flat_2 = thicken(half_2, half_2);
    const kiln_four flat_1 = thicken(boxes->half, half_1);
    for (int k = 0; k < 3; k++) {
        const kiln_four *axis = boxes->axis + 3 * k;
        t_2[k] = axis[0] * boxes->away[0] + axis[1] * boxes->away[1] + axis[2] * boxes->away[2];
        kiln_four reach = kiln_four_of(0.0f);
        for (int j = 0; j < 3; j++) {
            const kiln_four c = axis[0] * other->axis[j][0] + axis[1] * other->axis[j][1] +
                                axis[2] * other->axis[j][2];
            turn_2[k][j] = 0.5f * half_2[j] * c;
            turn_1[j][k] = 0.5f * half_1[k] * c;
            reach += kiln_four_magnitude(turn_2[k][j]);
            reach_1[j] += kiln_four_magnitude(turn_1[j][k]);
            t_1[j] -= t_2[k] * c;
        }
        margin = kiln_four_least(margin_of(half_1[k], 2.0f * reach, t_2[k]), margin);
    }
    for (int j = 0; j < 3; j++) {
        margin = kiln_four_least(margin_of(half_2[j], 2.0f * reach_1[j], t_1[j]), margin);
    }
    for (int i = 0; i < 8; i++) {
        region_2[i] = kiln_four_of(other->region[i]);
    }
    const octant_sums of_1 = sum_octants(turn_1, t_1, half_2, boxes->region);
    const octant_sums of_2 = sum_octants(turn_2, t_2, half_1, region_2);
    const kiln_four volume_1 = half_1[0] * half_1[1] * half_1[2];
    const kiln_four volume_2 = half_2[0] * half_2[1] * half_2[2];
    const kiln_four smaller = kiln_four_least(volume_1, volume_2);
    const kiln_four both = kiln_four_least(of_1.weight * volume_1, of_2.weight * volume_2);
    const kiln_four part = kiln_four_least(0.125f * both / smaller, kiln_four_of(1.0f));
    common->cells = part * kiln_four_choose(volume_1 < volume_2, kiln_four_of(boxes->cells),
                                            kiln_four_of(other->cells));
    common->density[0] = density_of(of_1, boxes->cells);
    common->density[1] = density_of(of_2, other->cells);
    common->margin = kiln_four_most(margin, kiln_four_of(0.0f));
    common->level = 0.5f * (boxes->level + other->level);
    const kiln_four ratio = kiln_four_most(volume_1, volume_2) / smaller;
    common->log_ratio =
        0.33333333f * kiln_four_log2(kiln_four_least(ratio, kiln_four_of(RATIO_MAX)));
    common->log_flat = kiln_four_log2(flat_1 * flat_2);
}

/* -------------------------------------------------------------------------------- evaluators -- */

/* Equation 8 over filled bins; the size-ratio law shared by both numbers of possible cells. */
static float bound_of_bins(const kiln_bins *table, const kiln_adb_common *common, int i)
{
    const double s = (double)common->cells[i];
    const double shrunk = s * exp2(-0.5 * (double)common->log_ratio[i]);
    const double sa = fmin(shrunk * (double)common->density[0][i], s);
    const double sb = fmin(shrunk * (double)common->density[1][i], s);
    double p = 0.0;
    (void)kiln_bins_collision_bound(table, s, sa, sb, (double)common->level[i],
                                    KILN_BINS_INTERPOLATED, NULL, &p);
    return p < 1.0 ? (float)-log1p(-p) : 60.0f;
}

kiln_four kiln_adb_loss(const kiln_adb_options *options, const kiln_adb_weights *weights,
                        const kiln_adb_common *common, kiln_four features[KILN_ADB_FEATURES])
{
    const kiln_four expected = common->cells * (common->density[0] * common->density[1]);
    features[0] =
        kiln_four_log2(kiln_four_most(expected, kiln_four_of(EXPECTED_MIN))) - common->log_ratio;
    features[1] = common->margin;
    features[2] = common->level;
    features[3] = common->log_ratio;
    features[4] = common->log_flat;
    features[5] = features[0] * common->level;
    if (options->evaluator == KILN_ADB_EXPECTED) {
        return kiln_four_exp2(features[0]) * common->level;
    }
    if (options->evaluator == KILN_ADB_BINS) {
        kiln_four loss;
        for (int i = 0; i < 4; i++) {
            loss[i] = bound_of_bins(options->bins, common, i);
        }
        return loss;
    }
    return kiln_four_loss_of_odds(weights->bias + weights->lambda * features[0] +
                                  weights->margin * features[1] + weights->level * features[2] +
                                  weights->ratio * features[3] + weights->flat * features[4] +
                                  weights->lambda_level * features[5]);
}
