/* Kernels of time-critical queries, compiled once for each instruction set (simd.h): which of eight
 * nodes may meet one of the other tree, how much they have in common, and how probable that makes a
 * collision. Nothing here is fused or reordered, so every set gives the same bits.
 *
 * The overlap test is that of kernel_boxes.h, and so is the proof. The estimate is after Klein and
 * Zachmann 2003, sections 3.4 to 3.6, with these departures, each of which was measured to be worth
 * it:
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
 *   LB, the depth of the overlap, r and how flat the boxes are is fitted to what is observed. Flat
 *   boxes hold flat pieces, which meet surely where they cross. */
#include "../base/vec_log.h"

#define adb_terms KILN_SIMD_NAME(adb_terms)
#define adb_octants KILN_SIMD_NAME(adb_octants)
#define adb_octant_sums KILN_SIMD_NAME(adb_octant_sums)
#define adb_load KILN_SIMD_NAME(adb_load)
#define adb_faces_apart KILN_SIMD_NAME(adb_faces_apart)
#define adb_edges_apart KILN_SIMD_NAME(adb_edges_apart)
#define adb_lanes_left KILN_SIMD_NAME(adb_lanes_left)
#define adb_overlap KILN_SIMD_NAME(adb_overlap)
#define adb_shape KILN_SIMD_NAME(adb_shape)
#define adb_shape_of KILN_SIMD_NAME(adb_shape_of)
#define adb_fraction KILN_SIMD_NAME(adb_fraction)
#define adb_lesser_margin KILN_SIMD_NAME(adb_lesser_margin)
#define adb_arms KILN_SIMD_NAME(adb_arms)
#define adb_make_arms KILN_SIMD_NAME(adb_make_arms)
#define adb_common KILN_SIMD_NAME(adb_common)
#define adb_margin KILN_SIMD_NAME(adb_margin)
#define adb_least KILN_SIMD_NAME(adb_least)
#define adb_middle KILN_SIMD_NAME(adb_middle)
#define adb_log_thin KILN_SIMD_NAME(adb_log_thin)
#define adb_find_common KILN_SIMD_NAME(adb_find_common)
#define adb_judge KILN_SIMD_NAME(adb_judge)
#define adb_estimate KILN_SIMD_NAME(adb_estimate)
#define adb_weigh KILN_SIMD_NAME(adb_weigh)
#define adb_decode_obb8 KILN_SIMD_NAME(adb_decode_obb8)
#define adb_scale_bytes KILN_SIMD_NAME(adb_scale_bytes)

#ifndef KILN_ADB_THICKNESS_MIN
/* Flat boxes are taken to be this thick, as a part of their largest extent: volumes and cells are
 * then positive, and what is seen of a plane is its place within the thickness. */
#define KILN_ADB_THICKNESS_MIN 0.02f
#define KILN_ADB_THICKNESS_OF_POINTS 0x1p-40f

/* log2 of expected common cells below this says "nothing in common" and no more: triangles that are
 * long and narrow cross cells in which they have too little area to be counted, so that a low
 * number proves little. Of -8 to -2 the loss of pairs is least here; it is flat from -5 to -3. */
#define KILN_ADB_LOG_CELLS_MIN (-4.0f)
#define KILN_ADB_CELLS_LEAST 0x1p-60f /* has a logarithm */

/* How thin one box is for another is not measured beyond this, in powers of 2. */
#define KILN_ADB_THIN_MOST 10.0f

#define KILN_ADB_RATIO_MAX 0x1p+120f /* of volumes */
#endif

/* Some lanes and the other box. */
typedef struct {
    vec c[9];    /* c[3 k + j]: axis k of the lane . axis j of the other */
    vec t[3];    /* the other's centre in the lane's frame */
    vec d[3];    /* the same along the other's axes */
    vec half[3]; /* the lane's */
} adb_terms;

/* --------------------------------------------------------------------------------- overlap -- */

static inline void adb_load(const kiln_lanes *lanes, bool aligned, unsigned first,
                            const kiln_probe *probe, adb_terms *terms)
{
    vec away[3];
    for (int k = 0; k < 3; k++) {
        away[k] = probe->centre[k] - vec_load(lanes->centre[k] + first);
        terms->half[k] = vec_load(lanes->half[k] + first);
    }
    for (int k = 0; k < 3; k++) {
        if (aligned) {
            terms->t[k] = away[k];
            for (int j = 0; j < 3; j++) {
                terms->c[3 * k + j] = vec_of(probe->axis[j][k]);
            }
            continue;
        }
        const vec x = vec_load(lanes->axis[3 * k] + first);
        const vec y = vec_load(lanes->axis[3 * k + 1] + first);
        const vec z = vec_load(lanes->axis[3 * k + 2] + first);
        terms->t[k] = x * away[0] + y * away[1] + z * away[2];
        for (int j = 0; j < 3; j++) {
            const float *axis = probe->axis[j];
            terms->c[3 * k + j] = x * axis[0] + y * axis[1] + z * axis[2];
        }
    }
    for (int j = 0; j < 3; j++) {
        const vec *c = terms->c + j;
        terms->d[j] = terms->t[0] * c[0] + terms->t[1] * c[3] + terms->t[2] * c[6];
    }
}

/* The six face axes. */
static inline vec_mask adb_faces_apart(const adb_terms *terms, const vec half[3],
                                       const kiln_probe *probe)
{
    vec_mask apart = vec_int_of(0);
    for (int k = 0; k < 3; k++) {
        const vec *c = terms->c + 3 * k;
        const vec reach = half[k] + probe->half[0] * vec_abs(c[0]) +
                          probe->half[1] * vec_abs(c[1]) + probe->half[2] * vec_abs(c[2]);
        apart |= vec_greater(vec_abs(terms->t[k]), reach);
    }
    for (int j = 0; j < 3; j++) {
        const vec *c = terms->c + j;
        const vec reach = probe->half[j] + half[0] * vec_abs(c[0]) + half[1] * vec_abs(c[3]) +
                          half[2] * vec_abs(c[6]);
        apart |= vec_greater(vec_abs(terms->d[j]), reach);
    }
    return apart;
}

/* The nine edge axes: axis k of the lane x axis j of the other. */
static inline vec_mask adb_edges_apart(const adb_terms *terms, const vec half[3],
                                       const kiln_probe *probe, vec growth)
{
    const vec *c = terms->c;
    vec_mask apart = vec_int_of(0);
    for (int k = 0; k < 3; k++) {
        const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        for (int j = 0; j < 3; j++) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const vec distance = terms->t[k2] * c[3 * k1 + j] - terms->t[k1] * c[3 * k2 + j];
            const vec reach = half[k1] * vec_abs(c[3 * k2 + j]) +
                              half[k2] * vec_abs(c[3 * k1 + j]) +
                              probe->half[j1] * vec_abs(c[3 * k + j2]) +
                              probe->half[j2] * vec_abs(c[3 * k + j1]) + growth;
            apart |= vec_greater(vec_abs(distance), reach);
        }
    }
    return apart;
}

static inline uint32_t adb_lanes_left(const adb_terms *terms, const kiln_probe *probe,
                                      uint32_t used)
{
    const float e = 2.0f * probe->epsilon;
    const float of_probe =
        e * (probe->half[0] + probe->half[1] + probe->half[2]) + 2.0f * probe->slack;
    const vec growth = e * (terms->half[0] + terms->half[1] + terms->half[2]) + of_probe;
    const vec half[3] = {terms->half[0] + growth, terms->half[1] + growth, terms->half[2] + growth};
    const uint32_t left = ~vec_lanes(adb_faces_apart(terms, half, probe)) & used;
    return left != 0 ? ~vec_lanes(adb_edges_apart(terms, half, probe, growth)) & left : 0;
}

static uint32_t adb_overlap(const kiln_lanes *lanes, bool aligned, const kiln_probe *probe,
                            uint32_t used)
{
    uint32_t mask = 0;
    for (unsigned first = 0; first < 8; first += KILN_SIMD_LANES) {
        const uint32_t some = used >> first & KILN_LANES_ALL;
        if (some != 0) {
            adb_terms terms;
            adb_load(lanes, aligned, first, probe, &terms);
            mask |= adb_lanes_left(&terms, probe, some) << first;
        }
    }
    return mask;
}

/* -------------------------------------------------------------------------------- estimate -- */

/* One box's octants in another. */
typedef struct {
    vec weight; /* sum over octants of the part within the other, times `scale` */
    vec filled; /* sum of these times the octants' possible cells */
    vec scale;  /* of an octant's box along the other's axes: its volume */
} adb_octants;

/* `arms[3 k + i]` holds the first's axis i, halved extent multiplied in, along axis k of the
 * second; `t` the first's centre there; `reach` its octants' extents; `half` the second's extents.
 */
static inline adb_octants adb_octant_sums(const vec arms[9], const vec t[3], const vec reach[3],
                                          const vec half[3], const vec region[8])
{
    const vec none = vec_of(0.0f);
    vec part[8];
    for (int k = 0; k < 3; k++) {
        const vec *axis = arms + 3 * k;
        const vec sum = half[k] + reach[k], top = 2.0f * vec_min(reach[k], half[k]);
        for (int i = 0; i < 8; i++) {
            vec place = (i & 1) != 0 ? t[k] + axis[0] : t[k] - axis[0];
            place = (i & 2) != 0 ? place + axis[1] : place - axis[1];
            place = (i & 4) != 0 ? place + axis[2] : place - axis[2];
            const vec within = vec_min(vec_max(sum - vec_abs(place), none), top);
            part[i] = k == 0 ? within : part[i] * within;
        }
    }
    adb_octants sums = {part[0], part[0] * region[0], 8.0f * (reach[0] * reach[1] * reach[2])};
    for (int i = 1; i < 8; i++) {
        sums.weight = sums.weight + part[i];
        sums.filled = sums.filled + part[i] * region[i];
    }
    return sums;
}

/* Extents with a least thickness. */
typedef struct {
    vec half[3], volume, thickness; /* thickness: least extent / largest */
} adb_shape;

static inline adb_shape adb_shape_of(const vec half[3])
{
    const vec most = vec_max(vec_max(half[0], half[1]), half[2]);
    const vec least = vec_max(KILN_ADB_THICKNESS_MIN * most, vec_of(KILN_ADB_THICKNESS_OF_POINTS));
    adb_shape shape;
    for (int k = 0; k < 3; k++) {
        shape.half[k] = vec_max(half[k], least);
    }
    const vec thin = vec_min(vec_min(shape.half[0], shape.half[1]), shape.half[2]);
    shape.thickness = thin / vec_max(most, vec_of(KILN_ADB_THICKNESS_OF_POINTS));
    shape.volume = shape.half[0] * shape.half[1] * shape.half[2];
    return shape;
}

typedef struct {
    vec above, below;
} adb_fraction;

/* The lesser of a fraction and the overlap on an axis as a part of the smaller box there; `own` and
 * `reach` are the extents of both. Of fractions, as a division takes longer than all the rest. */
static inline void adb_lesser_margin(adb_fraction *margin, vec own, vec reach, vec distance)
{
    const vec above = own + reach - vec_abs(distance), below = 2.0f * vec_min(own, reach);
    const vec_mask less = vec_less(above * margin->below, margin->above * below);
    margin->above = vec_select(less, above, margin->above);
    margin->below = vec_select(less, below, margin->below);
}

/* The other's axes along a lane's and the other way round, with halved extents multiplied in, and
 * the octants' extents along these. */
typedef struct {
    vec arms_1[9], arms_2[9], reach_1[3], reach_2[3]; /* of the lane, of the other */
} adb_arms;

static inline void adb_make_arms(const adb_terms *terms, const vec half_1[3], const vec half_2[3],
                                 adb_arms *arms)
{
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < 3; j++) {
            arms->arms_2[3 * k + j] = 0.5f * half_2[j] * terms->c[3 * k + j];
            arms->arms_1[3 * j + k] = 0.5f * half_1[k] * terms->c[3 * k + j];
        }
    }
    for (int k = 0; k < 3; k++) {
        const vec *of = arms->arms_1 + 3 * k, *by = arms->arms_2 + 3 * k;
        arms->reach_1[k] = vec_abs(of[0]) + vec_abs(of[1]) + vec_abs(of[2]);
        arms->reach_2[k] = vec_abs(by[0]) + vec_abs(by[1]) + vec_abs(by[2]);
    }
}

/* What two boxes have in common. */
typedef struct {
    vec cells, density_1, density_2, margin, log_ratio, log_flat, log_thin;
} adb_common;

static inline vec adb_margin(const adb_terms *terms, const adb_shape *of_1, const adb_shape *of_2,
                             const adb_arms *arms)
{
    adb_fraction margin = {vec_of(1.0f), vec_of(1.0f)};
    for (int k = 0; k < 3; k++) {
        adb_lesser_margin(&margin, of_1->half[k], 2.0f * arms->reach_2[k], terms->t[k]);
        adb_lesser_margin(&margin, of_2->half[k], 2.0f * arms->reach_1[k], terms->d[k]);
    }
    return vec_max(margin.above / margin.below, vec_of(0.0f));
}

static inline vec adb_least(const vec half[3])
{
    return vec_min(vec_min(half[0], half[1]), half[2]);
}

static inline vec adb_middle(const vec half[3])
{
    return vec_max(vec_min(vec_max(half[0], half[1]), half[2]), vec_min(half[0], half[1]));
}

/* Boxes of large flat polygons are much thinner than they are wide. What is small beside such a
 * box, but as wide as it is thick, crosses the polygon where the boxes meet; the cells of both,
 * whose sizes are compared by volume, do not show it. Extents without the floor of adb_shape: that
 * floor is thick for small boxes. */
static inline vec adb_log_thin(vec least_of_larger, vec middle_of_smaller)
{
    const vec least = vec_of(0x1p-60f), most = vec_of(KILN_ADB_THIN_MOST);
    const vec log =
        vec_log2(vec_max(least_of_larger, least)) - vec_log2(vec_max(middle_of_smaller, least));
    return vec_max(vec_min(log, most), 0.0f - most);
}

static inline void adb_find_common(const adb_terms *terms, const kiln_adb_lanes *lanes,
                                   unsigned first, const kiln_adb_box *other, adb_common *common)
{
    const vec half_2[3] = {vec_of(other->probe.half[0]), vec_of(other->probe.half[1]),
                           vec_of(other->probe.half[2])};
    const adb_shape of_1 = adb_shape_of(terms->half), of_2 = adb_shape_of(half_2);
    adb_arms arms;
    adb_make_arms(terms, of_1.half, of_2.half, &arms);
    common->margin = adb_margin(terms, &of_1, &of_2, &arms);
    common->log_flat = vec_log2(of_1.thickness * of_2.thickness);
    vec back[3], region_1[8], region_2[8];
    for (int k = 0; k < 3; k++) {
        back[k] = 0.0f - terms->d[k];
    }
    for (int i = 0; i < 8; i++) {
        region_1[i] = vec_load(lanes->region[i] + first);
        region_2[i] = vec_of(other->region[i]);
    }
    const adb_octants in_2 = adb_octant_sums(arms.arms_1, back, arms.reach_1, of_2.half, region_1);
    const adb_octants in_1 =
        adb_octant_sums(arms.arms_2, terms->t, arms.reach_2, of_1.half, region_2);

    const vec one = vec_of(1.0f), least = vec_of(0x1p-100f);
    const vec_mask first_smaller = vec_less(of_1.volume, of_2.volume);
    const vec ratio = vec_max(of_1.volume, of_2.volume) / vec_min(of_1.volume, of_2.volume);
    const vec part_1 = in_2.weight / in_2.scale * vec_select(first_smaller, one, ratio);
    const vec part_2 = in_1.weight / in_1.scale * vec_select(first_smaller, ratio, one);
    const vec part = vec_min(0.125f * vec_min(part_1, part_2), one);
    common->cells = part * vec_select(first_smaller, vec_of(lanes->cells), vec_of(other->cells));
    common->density_1 = 8.0f * in_2.filled / (vec_max(in_2.weight, least) * lanes->cells);
    common->density_2 = 8.0f * in_1.filled / (vec_max(in_1.weight, least) * other->cells);
    common->log_ratio = 0.33333333f * vec_log2(vec_min(ratio, vec_of(KILN_ADB_RATIO_MAX)));
    common->log_thin =
        adb_log_thin(vec_select(first_smaller, adb_least(half_2), adb_least(terms->half)),
                     vec_select(first_smaller, adb_middle(terms->half), adb_middle(half_2)));
}

/* The features in the order of kiln_adb_observation, and l by the weights. */
static inline void adb_judge(const adb_common *common, vec level, const kiln_adb_weights *w,
                             unsigned first, kiln_adb_weighed *out)
{
    const vec expected = common->cells * (common->density_1 * common->density_2);
    const vec log_cells =
        vec_max(vec_log2(vec_max(expected, vec_of(KILN_ADB_CELLS_LEAST))) - common->log_ratio,
                vec_of(KILN_ADB_LOG_CELLS_MIN));
    const vec odds = w->bias + w->lambda * log_cells + w->margin * common->margin +
                     w->level * level + w->ratio * common->log_ratio + w->flat * common->log_flat +
                     w->lambda_level * (log_cells * level) + w->thin * common->log_thin;
    vec_store(out->features[0] + first, log_cells);
    vec_store(out->features[1] + first, common->margin);
    vec_store(out->features[2] + first, level);
    vec_store(out->features[3] + first, common->log_ratio);
    vec_store(out->features[4] + first, common->log_flat);
    vec_store(out->features[5] + first, log_cells * level);
    vec_store(out->features[6] + first, common->log_thin);
    vec_store(out->loss + first, vec_loss_of_odds(odds));
}

static inline void adb_estimate(const adb_terms *terms, const kiln_adb_lanes *lanes, unsigned first,
                                const kiln_adb_box *other, const kiln_adb_weights *weights,
                                kiln_adb_weighed *out, kiln_adb_common *kept)
{
    adb_common common;
    adb_find_common(terms, lanes, first, other, &common);
    adb_judge(&common, 0.5f * (vec_load(lanes->level + first) + other->level), weights, first, out);
    if (kept != NULL) {
        vec_store(kept->cells + first, common.cells);
        vec_store(kept->density[0] + first, common.density_1);
        vec_store(kept->density[1] + first, common.density_2);
    }
}

static uint32_t adb_weigh(const kiln_adb_lanes *lanes, const kiln_adb_box *other,
                          const kiln_adb_weights *weights, uint32_t used, kiln_adb_weighed *out,
                          kiln_adb_common *common)
{
    uint32_t mask = 0;
    for (unsigned first = 0; first < 8; first += KILN_SIMD_LANES) {
        const uint32_t some = used >> first & KILN_LANES_ALL;
        if (some != 0) {
            adb_terms terms;
            adb_load(&lanes->lanes, lanes->aligned, first, &other->probe, &terms);
            const uint32_t left = adb_lanes_left(&terms, &other->probe, some);
            if (left != 0) {
                adb_estimate(&terms, lanes, first, other, weights, out, common);
                mask |= left << first;
            }
        }
    }
    return mask;
}

static void adb_scale_bytes(uint8_t (*bytes)[8], unsigned count, float unit, float (*rows)[8])
{
    for (unsigned i = 0; i < count; i++) {
        for (unsigned first = 0; first < 8; first += KILN_SIMD_LANES) {
            vec_store(rows[i] + first, unit * vec_from_int(vec_int_load_u8(bytes[i] + first)));
        }
    }
}

static void adb_decode_obb8(const kiln_format_node8 *node, kiln_lanes *lanes)
{
    for (unsigned first = 0; first < 8; first += KILN_SIMD_LANES) {
        lane_vectors vectors;
        decode_obb8((const kiln_format_node_obb8 *)(const void *)node, first, &vectors);
        for (unsigned k = 0; k < 9; k++) {
            vec_store(lanes->axis[k] + first, vectors.axis[k]);
        }
        for (unsigned k = 0; k < 3; k++) {
            vec_store(lanes->centre[k] + first, vectors.centre[k]);
            vec_store(lanes->half[k] + first, vectors.half[k]);
        }
    }
}

static const kiln_adb_kernels KILN_SIMD_NAME(adb_kernels) = {
    .overlap = adb_overlap,
    .weigh = adb_weigh,
    .decode_lanes = adb_decode_obb8,
    .scale_bytes = adb_scale_bytes,
};
