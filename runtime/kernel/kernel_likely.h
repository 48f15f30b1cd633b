/* How likely it is that what lies in the lanes of an opened node meets what lies in the probe: the
 * estimate that time-critical queries sum up over a descent. Compiled once for each instruction
 * set.
 *
 * For each lane, ln(1 + e^z) of the log-odds z, which are linear in features that cost little once
 * the box test has been made. All logarithms are to base 2 and read off the bits of floats,
 * exponent and mantissa in a row, so that none is off by more than .09 and none divides.
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
 * greatest. Nothing is fused and sums have a fixed order: every set gives the same bits. An
 * estimate that is no number, as of positions that overflow, counts as even odds. */

#define log_bits KILN_SIMD_NAME(log_bits)
#define log_bits_of KILN_SIMD_NAME(log_bits_of)
#define common_parts KILN_SIMD_NAME(common_parts)
#define likely_features KILN_SIMD_NAME(likely_features)
#define likely_weigh KILN_SIMD_NAME(likely_weigh)
#define larger_of KILN_SIMD_NAME(larger_of)
#define lesser_of KILN_SIMD_NAME(lesser_of)
#define common_along KILN_SIMD_NAME(common_along)

#define KILN_LIKELY_FLAT 0.02f
#define KILN_LIKELY_TINY 0x1p-120f
#define KILN_LIKELY_ODDS 60.0f /* log-odds are taken for no more than this */

static inline float larger_of(float a, float b)
{
    return a > b ? a : b;
}

static inline float lesser_of(float a, float b)
{
    return a < b ? a : b;
}

/* log2 x, nearly, of x > 0. */
static inline vec log_bits(vec x)
{
    return vec_from_int(vec_bits(x)) * 0x1p-23f - 127.0f;
}

/* The same of one number. */
static inline float log_bits_of(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (float)bits * 0x1p-23f - 127.0f;
}

/* Parts along three axes, as logarithms. */
typedef struct {
    vec sum, least; /* of the parts */
    vec off;        /* greatest distance of the centres, in half-extents of the axes' box */
} common_parts;

/* Adds one axis, along which the box that it belongs to has the half-extent `own`, the other one
 * the reach `reach`, and the centres are `way` apart. */
static inline void common_along(vec own, vec reach, vec way, common_parts *parts)
{
    const vec least = vec_of(KILN_LIKELY_TINY);
    const vec log_own = log_bits(own), distance = vec_abs(way);
    const vec common = log_bits(vec_max(own + reach - distance, least)) - 1.0f;
    const vec log_reach = log_bits(vec_max(reach, least)); /* a NaN counts as least */
    const vec part = vec_min(common - vec_min(log_own, log_reach), vec_of(0.0f));
    parts->sum = parts->sum + part;
    parts->least = vec_min(parts->least, part);
    parts->off = vec_max(parts->off, log_bits(distance + least) - log_own);
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
    const float thinnest = larger_of(lesser_of(lesser_of(half[0], half[1]), half[2]),
                                     larger_of(KILN_LIKELY_FLAT * widest, KILN_LIKELY_TINY));
    const vec lane_widest = vec_max(vec_max(lanes->half[0], lanes->half[1]), lanes->half[2]);
    const vec lane_floor = vec_max(lane_widest * KILN_LIKELY_FLAT, vec_of(KILN_LIKELY_TINY));
    const vec lane_thinnest =
        vec_max(vec_min(vec_min(lanes->half[0], lanes->half[1]), lanes->half[2]), lane_floor);
    vec h[3];
    float p[3];
    common_parts of_lane = {vec_of(0.0f), vec_of(0.0f), vec_of(-8.0f)}, of_probe = of_lane;
    for (int k = 0; k < 3; k++) {
        h[k] = vec_max(lanes->half[k], lane_floor);
        p[k] = larger_of(half[k], larger_of(KILN_LIKELY_FLAT * widest, KILN_LIKELY_TINY));
    }
    for (int k = 0; k < 3; k++) {
        const vec *of = c + 3 * k;
        common_along(h[k], vec_abs(of[0]) * p[0] + vec_abs(of[1]) * p[1] + vec_abs(of[2]) * p[2],
                     t[k], &of_lane);
        common_along(vec_of(p[k]),
                     vec_abs(c[k]) * h[0] + vec_abs(c[3 + k]) * h[1] + vec_abs(c[6 + k]) * h[2],
                     c[k] * t[0] + c[3 + k] * t[1] + c[6 + k] * t[2], &of_probe);
    }
    const vec least = vec_of(-8.0f), third = vec_of(1.0f / 3.0f);
    const float log_probe = log_bits_of(
        larger_of(half[0] * half[1] + half[1] * half[2] + half[2] * half[0], KILN_LIKELY_TINY));
    const vec log_lane = log_bits(vec_max(area, vec_of(KILN_LIKELY_TINY)));
    const vec ratio = log_lane - log_probe; /* above 0: the lane is the larger */
    const vec_mask larger = vec_greater(ratio, vec_of(0.0f));
    const vec flat_lane = log_bits(lane_thinnest) - log_bits(vec_max(lane_widest, lane_floor));
    const vec flat_probe =
        vec_of(log_bits_of(thinnest) - log_bits_of(larger_of(widest, KILN_LIKELY_TINY)));
    const vec smaller_log = vec_select(larger, vec_of(log_probe), log_lane);
    const vec off = vec_select(larger, of_lane.off, of_probe.off);
    features[KILN_LIKELY_MARGIN] = vec_max(vec_min(of_lane.least, of_probe.least), least);
    features[KILN_LIKELY_LOW] = vec_max(vec_min(of_lane.sum, of_probe.sum) * third, least);
    features[KILN_LIKELY_HIGH] = vec_max(vec_max(of_lane.sum, of_probe.sum) * third, least);
    features[KILN_LIKELY_RATIO] = vec_min(vec_abs(ratio) * 0.5f, vec_of(6.0f));
    features[KILN_LIKELY_FLAT_SMALL] = vec_select(larger, flat_probe, flat_lane);
    features[KILN_LIKELY_FLAT_LARGE] = vec_select(larger, flat_lane, flat_probe);
    features[KILN_LIKELY_OFFSET] = vec_max(vec_min(off, vec_of(3.0f)), vec_of(-4.0f));
    features[KILN_LIKELY_SIZE] =
        vec_max(vec_min((smaller_log - log_root) * 0.25f, vec_of(1.0f)), vec_of(-4.0f));
}

/* Weighs the lanes of `mask`, of which there is one at least, as kiln_weigh_lanes has it. */
static void likely_weigh(const kiln_decoded_node *opened, bool aligned, const kiln_probe *probe,
                         uint32_t mask, const kiln_likely_weights *weights, float log_root,
                         kiln_weighed_lanes *out)
{
    KILN_ASSERT(mask != 0);
#if KILN_SIMD_LANES != 8
    int32_t keys[8];
#endif
    for (unsigned first = 0; first < 8; first += KILN_SIMD_LANES) {
        lane_vectors lanes;
        box_terms terms;
        vec features[KILN_LIKELY_FEATURES];
        if ((mask >> first & KILN_LANES_ALL) == 0) { /* a binary node has no lanes here */
            vec_store(out->loss + first, vec_of(0.0f));
            continue;
        }
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
            if (out->features != NULL) {
                vec_store(out->features[i] + first, features[i]);
            }
        }
        z = vec_select(vec_less(vec_abs(z), vec_of(FLT_MAX)), z, vec_of(0.0f));
        z = vec_min(vec_max(z, vec_of(-KILN_LIKELY_ODDS)), vec_of(KILN_LIKELY_ODDS));
        /* ln(1 + e^z) within .06: the branch of a hyperbola with the same asymptotes */
        const vec loss = (z + vec_sqrt(z * z + 1.92f)) * 0.5f;
        vec_store(out->loss + first, vec_of_bits(vec_bits(loss) & lanes_of(first, mask)));
#if KILN_SIMD_LANES == 8
        out->order = order_by(lane_keys(64.0f - z, 0, mask));
    }
#else
        vec_int_store(keys + first, lane_keys(64.0f - z, first, mask));
    }
    out->order = order_by(keys, mask);
#endif
    const float *l = out->loss;
    out->sum = ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]));
    out->most = larger_of(larger_of(larger_of(l[0], l[1]), larger_of(l[2], l[3])),
                          larger_of(larger_of(l[4], l[5]), larger_of(l[6], l[7])));
}
