/* How likely it is that what lies in the lanes of an opened node meets what lies in the probe: the
 * estimate that time-critical queries sum up over a descent. Compiled once for each instruction
 * set.
 *
 * For each lane, ln(1 + e^z) of the log-odds z, which are linear in features that cost little once
 * the box test has been made. All logarithms are to base 2 and read off the bits of floats,
 * exponent and mantissa in a row, so that none is off by more than .09 and none divides.
 * Differences of them stay integers, in steps of 2^-23, for as long as they can.
 *
 * The parts of a lane and the probe that lie within each other: along an axis of the lane, whose
 * half-extent is h, the probe reaches R to both sides of its centre, which is t away; the length
 * that they have in common is at most h + R - |t|, and its part of the shorter one is at most 1.
 * The three parts of the lane's axes multiply to a volume, those of the probe's axes to another.
 *
 *     margin      least part over the six axes
 *     low, high   mean part over the axes of the box that has the lesser, the greater volume
 *     ratio       how much larger one box is than the other, in half-areas
 *     flat_small, flat_large   least half-extent / greatest of the smaller and the larger box
 *     offset      how far the centre of one is from that of the larger box, in half-extents of it
 *     size        half-area of the smaller box / that of the smaller of the two trees
 *
 * A box without thickness would have parts of 0 / 0, so half-extents are at least 1/50 of the
 * greatest. Nothing is fused and sums have a fixed order: every set gives the same bits. A probe
 * that is so large or so far away that numbers might overflow gives even odds. */

#define likely_order KILN_SIMD_NAME(likely_order)
#define common_parts KILN_SIMD_NAME(common_parts)
#define likely_features KILN_SIMD_NAME(likely_features)
#define likely_weigh KILN_SIMD_NAME(likely_weigh)
#define likely_odds KILN_SIMD_NAME(likely_odds)
#define likely_ordinary KILN_SIMD_NAME(likely_ordinary)
#define bits_of KILN_SIMD_NAME(bits_of)
#define in_units KILN_SIMD_NAME(in_units)
#define larger_of KILN_SIMD_NAME(larger_of)
#define lesser_of KILN_SIMD_NAME(lesser_of)
#define common_along KILN_SIMD_NAME(common_along)

#define KILN_LIKELY_FLAT 0.02f
#define KILN_LIKELY_TINY 0x1p-100f
#define KILN_LIKELY_ORDINARY 0x1p40f
#define KILN_LIKELY_ODDS 60.0f /* log-odds are taken for no more than this */

/* Logarithms in steps: 1, and what parts below are not told apart, as three of them would do. */
#define KILN_LIKELY_ONE (1 << 23)
#define KILN_LIKELY_LEAST (-25 * KILN_LIKELY_ONE)

static inline float larger_of(float a, float b)
{
    return a > b ? a : b;
}

static inline float lesser_of(float a, float b)
{
    return a < b ? a : b;
}

/* The bits of x >= 0, which are 2^23 (127 + log2 x), nearly. */
static inline int32_t bits_of(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* A difference of such bits as a logarithm. */
static inline vec in_units(vec_int steps)
{
    return vec_from_int(steps) * 0x1p-23f;
}

/* Parts along three axes: logarithms in steps, each larger by 1 than it is. */
typedef struct {
    vec_int sum, least; /* of the parts */
    vec_int off;        /* greatest distance of the centres, in half-extents of the axes' box */
} common_parts;

/* Adds one axis, along which the box that it belongs to has the half-extent `own`, the other one
 * the reach `reach`, and the centres are `way` apart. All are below 2^43, so that bits are below
 * 171 * 2^23, differences of two are above -2^31, and three parts add up to less than 2^31. */
static inline void common_along(vec own, vec reach, vec way, common_parts *parts)
{
    const vec distance = vec_abs(way);
    const vec_int common = vec_bits(vec_max(own + reach - distance, vec_of(KILN_LIKELY_TINY)));
    const vec_int shorter = vec_int_min(vec_bits(own), vec_bits(reach));
    const vec_int part = vec_int_max(vec_int_min(common - shorter, vec_int_of(KILN_LIKELY_ONE)),
                                     vec_int_of(KILN_LIKELY_LEAST));
    parts->sum = parts->sum + part;
    parts->least = vec_int_min(parts->least, part);
    parts->off = vec_int_max(parts->off, vec_bits(distance) - vec_bits(own));
}

/* May nothing overflow? */
static inline bool likely_ordinary(const kiln_probe *probe)
{
    const float *half = probe->half, *centre = probe->centre;
    return (half[0] + half[1]) + half[2] <
           KILN_LIKELY_ORDINARY - ((fabsf(centre[0]) + fabsf(centre[1])) + fabsf(centre[2]));
}

/* Fills features[KILN_LIKELY_...] of KILN_SIMD_LANES lanes; `t` and `c` are those of the box test.
 */
static inline void likely_features(const lane_vectors *lanes, const box_terms *terms,
                                   const kiln_probe *probe, vec area, float log_root,
                                   vec features[KILN_LIKELY_FEATURES])
{
    const vec *c = terms->c, *t = terms->t;
    const float *half = probe->half;
    const float widest = larger_of(larger_of(half[0], half[1]), half[2]);
    const float floor = larger_of(KILN_LIKELY_FLAT * widest, KILN_LIKELY_TINY);
    const float thinnest = larger_of(lesser_of(lesser_of(half[0], half[1]), half[2]), floor);
    const vec lane_widest = vec_max(vec_max(lanes->half[0], lanes->half[1]), lanes->half[2]);
    const vec lane_floor = vec_max(lane_widest * KILN_LIKELY_FLAT, vec_of(KILN_LIKELY_TINY));
    vec h[3], size[9];
    float p[3];
    common_parts of_lane, of_probe;
    of_lane.sum = vec_int_of(-3 * KILN_LIKELY_ONE);
    of_lane.least = vec_int_of(KILN_LIKELY_ONE);
    of_lane.off = vec_int_of(KILN_LIKELY_LEAST);
    of_probe = of_lane;
    for (int k = 0; k < 3; k++) {
        h[k] = vec_max(lanes->half[k], lane_floor);
        p[k] = larger_of(half[k], floor);
    }
    for (int i = 0; i < 9; i++) {
        size[i] = vec_abs(c[i]);
    }
    for (int k = 0; k < 3; k++) {
        const vec *of = size + 3 * k;
        common_along(h[k], of[0] * p[0] + of[1] * p[1] + of[2] * p[2], t[k], &of_lane);
        common_along(vec_of(p[k]), size[k] * h[0] + size[3 + k] * h[1] + size[6 + k] * h[2],
                     c[k] * t[0] + c[3 + k] * t[1] + c[6 + k] * t[2], &of_probe);
    }
    const vec least = vec_of(-8.0f), third = vec_of(1.0f / 3.0f);
    const vec lane_thinnest = vec_min(vec_min(h[0], h[1]), h[2]);
    const vec_int log_probe = vec_int_of(bits_of(
        larger_of(half[0] * half[1] + half[1] * half[2] + half[2] * half[0], KILN_LIKELY_TINY)));
    const vec_int log_lane = vec_bits(vec_max(area, vec_of(KILN_LIKELY_TINY)));
    const vec_int ratio = log_lane - log_probe;
    const vec_mask lane_is_larger = -ratio >> 31;
    const vec flat_lane = in_units(vec_bits(lane_thinnest) -
                                   vec_bits(vec_max(lane_widest, vec_of(KILN_LIKELY_TINY))));
    const vec flat_probe =
        in_units(vec_int_of(bits_of(thinnest) - bits_of(larger_of(widest, KILN_LIKELY_TINY))));
    const vec off = in_units((of_lane.off & lane_is_larger) | (of_probe.off & ~lane_is_larger));
    const vec low = in_units(vec_int_min(of_lane.sum, of_probe.sum));
    const vec high = in_units(vec_int_max(of_lane.sum, of_probe.sum));
    const vec margin = in_units(vec_int_min(of_lane.least, of_probe.least)) - 1.0f;
    const vec smaller = in_units(vec_int_min(log_lane, log_probe)) - (127.0f + log_root);
    features[KILN_LIKELY_MARGIN] = vec_max(margin, least);
    features[KILN_LIKELY_LOW] = vec_max(low * third, least);
    features[KILN_LIKELY_HIGH] = vec_max(high * third, least);
    features[KILN_LIKELY_RATIO] = vec_min(vec_abs(in_units(ratio)) * 0.5f, vec_of(6.0f));
    features[KILN_LIKELY_FLAT_SMALL] = vec_select(lane_is_larger, flat_probe, flat_lane);
    features[KILN_LIKELY_FLAT_LARGE] = vec_select(lane_is_larger, flat_lane, flat_probe);
    features[KILN_LIKELY_OFFSET] = vec_max(vec_min(off, vec_of(3.0f)), vec_of(-4.0f));
    features[KILN_LIKELY_SIZE] = vec_max(vec_min(smaller * 0.25f, vec_of(1.0f)), vec_of(-4.0f));
}

/* Log-odds of KILN_SIMD_LANES lanes. */
static inline vec likely_odds(const kiln_decoded_node *opened, unsigned first, bool aligned,
                              const kiln_probe *probe, const kiln_likely_weights *weights,
                              float log_root, float (*kept)[8])
{
    lane_vectors lanes;
    box_terms terms;
    vec features[KILN_LIKELY_FEATURES];
    load_lanes(&opened->lanes, first, !aligned, &lanes);
    lane_centres(&lanes, probe, &terms);
    if (aligned) {
        aligned_terms(probe, &terms);
    } else {
        rotate_lanes(false, &lanes, probe, &terms);
    }
    likely_features(&lanes, &terms, probe, vec_load(opened->area + first), log_root, features);
    vec z = vec_of(weights->bias);
    for (int i = 0; i < KILN_LIKELY_FEATURES; i++) {
        z = z + features[i] * weights->feature[i];
        if (kept != NULL) {
            vec_store(kept[i] + first, features[i]);
        }
    }
    return vec_min(vec_max(z, vec_of(-KILN_LIKELY_ODDS)), vec_of(KILN_LIKELY_ODDS));
}

/* Weighs the lanes of `mask`, of which there is one at least, as kiln_weigh_lanes has it. */
static void likely_weigh(const kiln_decoded_node *opened, bool aligned, const kiln_probe *probe,
                         uint32_t mask, const kiln_likely_weights *weights, float log_root,
                         kiln_weighed_lanes *out)
{
    KILN_ASSERT(mask != 0);
    const bool ordinary = likely_ordinary(probe); /* else features and log-odds are 0 */
    for (unsigned first = 0; first < 8; first += KILN_SIMD_LANES) {
        vec z = vec_of(0.0f);
        if (ordinary && (mask >> first & KILN_LANES_ALL) != 0) { /* binary nodes have but two */
            z = likely_odds(opened, first, aligned, probe, weights, log_root, out->features);
        }
        for (int i = 0; !ordinary && out->features != NULL && i < KILN_LIKELY_FEATURES; i++) {
            vec_store(out->features[i] + first, z);
        }
        /* ln(1 + e^z) within .06: the branch of a hyperbola with the same asymptotes */
        const vec loss = (z + vec_sqrt(z * z + 1.92f)) * 0.5f;
        vec_store(out->loss + first, vec_of_bits(vec_bits(loss) & lanes_of(first, mask)));
    }
    const float *l = out->loss;
    out->sum = ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]));
    out->most = larger_of(larger_of(larger_of(l[0], l[1]), larger_of(l[2], l[3])),
                          larger_of(larger_of(l[4], l[5]), larger_of(l[6], l[7])));
}

/* The lanes of `mask`, at least two, that with the greatest loss first. */
static uint32_t likely_order(const float loss[8], uint32_t mask)
{
    vec_int keys[8 / KILN_SIMD_LANES];
    for (unsigned first = 0; first < 8; first += KILN_SIMD_LANES) {
        const vec_int below = INT32_MAX - vec_bits(vec_load(loss + first));
        keys[first / KILN_SIMD_LANES] = lane_keys(vec_of_bits(below), first, mask);
    }
    return order_by(keys, mask);
}
