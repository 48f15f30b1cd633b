/* Kernels of boxes, compiled once for each instruction set (simd.h): separating-axis test of
 * eight boxes against one, after Gottschalk, Lin and Manocha, "OBBTree", SIGGRAPH 1996, section
 * 5.
 *
 * Why a clear bit is a proof. Let u = 2^-24, H and P the sums of a lane's and the probe's three
 * half-extents, S = H + P. Suppose the boxes meet; then the centres are at most S apart. Every
 * error is held against the extents, not against the distance, which may be far smaller or
 * larger.
 *
 * Decoded axes come from a dozen rounded operations on numbers of at most 2, so each entry is
 * within 8 u of a rotation's, and a vector within 14 u. A probe's went through one more rotation
 * (36 u, as vectors) and the pose departs from orthonormal by delta, so a product c of two axes
 * is within z = 55 u + 2 delta of that of two ideal frames. In those frames the boxes, as
 * stored, lie in ideal ones with half-extents larger by 15 u H and (38 u + 2 delta) P. The
 * lane's centre is exact, the probe's is within `slack`, and each t within 18 u S + slack, all
 * three within 30 u S + slack.
 *
 * What a computed distance exceeds the computed sum of radii by is then at most
 *     lane axes    40 u H + (151 u + 6 delta) P + slack
 *     probe axes  188 u H + 4 delta H + (148 u + 4 delta) P + slack
 *     edge axes   (33 u S + slack) (|c'| + |c"|) + (144 u + 5 delta) H + (198 u + 8 delta) P
 * with the roundings of all sums, c' and c" the products that scale the lane's extents. epsilon
 * >= 128 u + 4 delta (kiln_pair_frame), so a lane's half-extents grown by g = 2 (epsilon S +
 * slack) cover the first; the second, since the |c| that they are scaled by add up to nearly 1
 * or more; the third with g added once more, for edge axes are not normalised and |c'| and |c"|
 * vanish where edges are parallel. Operations that are fused round less, and change no bound.
 *
 * Overflow. Centres and half-extents of the lanes that the verifier admits are below 2^18
 * (KILN_NODE_EXP_MAX, KILN_HALF_EXP_MAX, 1024 for binary kinds), and a probe is such a box times a
 * scale, which is below 2^100 or makes the slack infinite (KILN_SCALE_MOST). So S is below 2^122,
 * and reaches are finite unless the slack is 2^127 or more; they are then infinite, or NaN, and
 * every comparison is false, which keeps the lane. With a smaller slack, boxes that meet have
 * centres at most sqrt 3 slack + S apart, which is below 2^127.9; distances and all their partial
 * sums, being projections on vectors no longer than 1, are at most that, so none overflows. An
 * infinite distance is thus one of boxes that are apart, and NaN keeps the lane. Numbers that
 * underflow are off by less than 2^-140, where the slack is at least 2^-44. */

#define box_terms KILN_SIMD_NAME(box_terms)
#define plus_product KILN_SIMD_NAME(plus_product)
#define lane_vectors KILN_SIMD_NAME(lane_vectors)
#define load_lanes KILN_SIMD_NAME(load_lanes)
#define lane_centres KILN_SIMD_NAME(lane_centres)
#define rotate_lanes KILN_SIMD_NAME(rotate_lanes)
#define sum_reach KILN_SIMD_NAME(sum_reach)
#define test_axis KILN_SIMD_NAME(test_axis)
#define meet_lanes_alike KILN_SIMD_NAME(meet_lanes_alike)
#define test_faces KILN_SIMD_NAME(test_faces)
#define test_edges KILN_SIMD_NAME(test_edges)
#define test_terms KILN_SIMD_NAME(test_terms)
#define overlap_any KILN_SIMD_NAME(overlap_any)
#define overlap_lanes KILN_SIMD_NAME(overlap_lanes)
#define aligned_terms KILN_SIMD_NAME(aligned_terms)
#define overlap_lanes_aligned KILN_SIMD_NAME(overlap_lanes_aligned)
#define overlap_parallel KILN_SIMD_NAME(overlap_parallel)
#define decode_axes KILN_SIMD_NAME(decode_axes)
#define decode_obb8 KILN_SIMD_NAME(decode_obb8)
#define decode_aabb8 KILN_SIMD_NAME(decode_aabb8)
#define decode_obb2 KILN_SIMD_NAME(decode_obb2)
#define decode_aabb2 KILN_SIMD_NAME(decode_aabb2)
#define meet_lanes KILN_SIMD_NAME(meet_lanes)
#define obb2_open KILN_SIMD_NAME(obb2_open)
#define aabb2_open KILN_SIMD_NAME(aabb2_open)
#define binary_open KILN_SIMD_NAME(binary_open)
#define overlap_kept KILN_SIMD_NAME(overlap_kept)
#define carry_probe KILN_SIMD_NAME(carry_probe)
#define lanes_of KILN_SIMD_NAME(lanes_of)
#define lane_keys KILN_SIMD_NAME(lane_keys)
#define distances KILN_SIMD_NAME(distances)
#define put_in_order KILN_SIMD_NAME(put_in_order)
#define finish KILN_SIMD_NAME(finish)
#define margin_of_lanes KILN_SIMD_NAME(margin_of_lanes)
#define least_of_lanes KILN_SIMD_NAME(least_of_lanes)
#define gaps_of_terms KILN_SIMD_NAME(gaps_of_terms)
#define meet_lanes_apart KILN_SIMD_NAME(meet_lanes_apart)
#define keep_lanes KILN_SIMD_NAME(keep_lanes)
#define obb8_open KILN_SIMD_NAME(obb8_open)
#define aabb8_open KILN_SIMD_NAME(aabb8_open)
#define octree_open KILN_SIMD_NAME(octree_open)
#define order_by KILN_SIMD_NAME(order_by)
#define order_lanes KILN_SIMD_NAME(order_lanes)

/* All lanes of one vector, as bits. */
#define KILN_LANES_ALL ((1u << KILN_SIMD_LANES) - 1u)

/* Some lanes of a node. */
typedef struct {
    vec axis[9], centre[3], half[3];
} lane_vectors;

typedef struct {
    vec c[9];    /* c[3 k + j]: axis k of the lane . axis j of the probe */
    vec t[3];    /* centre of the probe in the lane's frame */
    vec half[3]; /* the lane's extents, grown */
    vec growth;
    vec_mask apart; /* proved */
    /* The least bits, as integers, of what is left of the reach along an axis: below 0, apart, and
     * then those of the negative number nearest to 0. */
    vec_int left;
    vec most; /* KILN_TEST_GAP: by how much they are apart along the axis that parts them best */
} box_terms;

/* ------------------------------------------------------------------------ separating axes -- */

/* c + a b; `fused` is known when this is compiled. */
static inline vec plus_product(bool fused, vec c, vec a, vec b)
{
    return fused ? vec_fused(a, b, c) : c + a * b;
}

/* The way from the lanes' centres to the probe's, into terms->t, in node space; half-extents and
 * their growth. */
static inline void lane_centres(const lane_vectors *lanes, const kiln_probe *probe,
                                box_terms *terms)
{
    const float probe_growth =
        2.0f * (probe->epsilon * (probe->half[0] + probe->half[1] + probe->half[2]) + probe->slack);
    const vec extents = lanes->half[0] + lanes->half[1] + lanes->half[2];
    terms->growth = extents * (2.0f * probe->epsilon) + probe_growth;
    for (int k = 0; k < 3; k++) {
        terms->t[k] = probe->centre[k] - lanes->centre[k];
        terms->half[k] = lanes->half[k] + terms->growth;
    }
    terms->apart = vec_int_of(0);
    terms->left = vec_int_of(INT32_MAX);
    terms->most = vec_of(-FLT_MAX);
}

/* Into the lanes' frames. */
static inline void rotate_lanes(bool fused, const lane_vectors *lanes, const kiln_probe *probe,
                                box_terms *terms)
{
    const vec x = terms->t[0], y = terms->t[1], z = terms->t[2];
    for (int k = 0; k < 3; k++) {
        const vec *axis = lanes->axis + 3 * k;
        const vec two = plus_product(fused, axis[0] * x, axis[1], y);
        terms->t[k] = plus_product(fused, two, axis[2], z);
        for (int j = 0; j < 3; j++) {
            const float *of = probe->axis[j];
            const vec sum = plus_product(fused, axis[0] * of[0], axis[1], vec_of(of[1]));
            terms->c[3 * k + j] = plus_product(fused, sum, axis[2], vec_of(of[2]));
        }
    }
}

/* r + a |x| + b |y| + c |z|. */
static inline vec sum_reach(bool fused, vec r, const vec half[3], vec x, vec y, vec z)
{
    r = plus_product(fused, r, half[0], vec_abs(x));
    r = plus_product(fused, r, half[1], vec_abs(y));
    return plus_product(fused, r, half[2], vec_abs(z));
}

/* One axis; `how` is known when this is compiled. */
static inline void test_axis(kiln_box_test how, vec distance, vec reach, box_terms *terms)
{
    if (how == KILN_TEST_SURE) {
        terms->left = vec_int_min(vec_bits(reach - vec_abs(distance)), terms->left);
    } else if (how == KILN_TEST_GAP) {
        terms->most = vec_max(vec_abs(distance) - reach, terms->most);
    } else {
        terms->apart |= vec_greater(vec_abs(distance), reach);
    }
}

/* The six face axes. */
static inline void test_faces(kiln_box_test how, const kiln_probe *probe, box_terms *terms)
{
    const bool fused = kiln_test_is_fused(how);
    const vec *half = terms->half, *t = terms->t;
    const vec other[3] = {vec_of(probe->half[0]), vec_of(probe->half[1]), vec_of(probe->half[2])};
    for (int k = 0; k < 3; k++) {
        const vec *c = terms->c + 3 * k;
        test_axis(how, t[k], sum_reach(fused, half[k], other, c[0], c[1], c[2]), terms);
    }
    for (int j = 0; j < 3; j++) {
        const vec *c = terms->c + j;
        const vec two = plus_product(fused, t[0] * c[0], t[1], c[3]);
        const vec distance = plus_product(fused, two, t[2], c[6]);
        test_axis(how, distance, sum_reach(fused, other[j], half, c[0], c[3], c[6]), terms);
    }
}

/* The nine edge axes: axis k of the lane x axis j of the probe. */
static inline void test_edges(kiln_box_test how, const kiln_probe *probe, box_terms *terms)
{
    const bool fused = kiln_test_is_fused(how);
    const vec *half = terms->half, *t = terms->t, *c = terms->c;
    for (int k = 0; k < 3; k++) {
        const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        for (int j = 0; j < 3; j++) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const vec distance = plus_product(fused, t[k2] * c[3 * k1 + j], -t[k1], c[3 * k2 + j]);
            const vec own = plus_product(fused, half[k1] * vec_abs(c[3 * k2 + j]), half[k2],
                                         vec_abs(c[3 * k1 + j]));
            const vec grown =
                plus_product(fused, terms->growth, vec_of(probe->half[j2]), vec_abs(c[3 * k + j1]));
            const vec reach =
                own + plus_product(fused, grown, vec_of(probe->half[j1]), vec_abs(c[3 * k + j2]));
            test_axis(how, distance, reach, terms);
        }
    }
}

static inline uint32_t test_terms(kiln_box_test how, const kiln_probe *probe, box_terms *terms,
                                  uint32_t used)
{
    test_faces(how, probe, terms);
    const uint32_t left = ~vec_lanes(terms->apart) & used;
    if (left == 0) {
        return 0;
    }
    test_edges(how, probe, terms);
    return ~vec_lanes(terms->apart) & left;
}

/* Axes of the lanes are those of node space: C is the probe's axes, transposed, for all lanes. */
static inline void aligned_terms(const kiln_probe *probe, box_terms *terms)
{
    for (int i = 0; i < 9; i++) {
        terms->c[i] = vec_of(probe->axis[i % 3][i / 3]);
    }
}

/* ---------------------------------------------------------------------- lanes in memory -- */

static inline void load_lanes(const kiln_lanes *from, unsigned first, bool axes,
                              lane_vectors *lanes)
{
    for (int k = 0; k < 3; k++) {
        lanes->centre[k] = vec_load(from->centre[k] + first);
        lanes->half[k] = vec_load(from->half[k] + first);
    }
    for (int k = 0; axes && k < 9; k++) {
        lanes->axis[k] = vec_load(from->axis[k] + first);
    }
}

/* One body for both kinds of lanes: what differs is little code. */
static uint32_t overlap_any(const kiln_lanes *lanes, bool aligned, const kiln_probe *probe,
                            uint32_t used)
{
    uint32_t mask = 0;
    for (unsigned first = 0; first < 8; first += KILN_SIMD_LANES) {
        const uint32_t some = used >> first & KILN_LANES_ALL;
        if (some != 0) {
            lane_vectors vectors;
            box_terms terms;
            load_lanes(lanes, first, !aligned, &vectors);
            lane_centres(&vectors, probe, &terms);
            if (aligned) {
                aligned_terms(probe, &terms);
            } else {
                rotate_lanes(false, &vectors, probe, &terms);
            }
            mask |= test_terms(KILN_TEST_PLAIN, probe, &terms, some) << first;
        }
    }
    return mask;
}

static uint32_t overlap_lanes(const kiln_lanes *lanes, const kiln_probe *probe, uint32_t used)
{
    return overlap_any(lanes, false, probe, used);
}

static uint32_t overlap_lanes_aligned(const kiln_lanes *lanes, const kiln_probe *probe,
                                      uint32_t used)
{
    return overlap_any(lanes, true, probe, used);
}

/* Axis-aligned lanes and a probe whose axes are those of node space: of the fifteen axes only three
 * differ, and none of the others need be looked at. */
static uint32_t overlap_parallel(const kiln_lanes *lanes, const kiln_probe *probe, uint32_t used)
{
    uint32_t mask = 0;
    for (unsigned first = 0; first < 8; first += KILN_SIMD_LANES) {
        const uint32_t some = used >> first & KILN_LANES_ALL;
        if (some != 0) {
            lane_vectors vectors;
            box_terms terms;
            load_lanes(lanes, first, false, &vectors);
            lane_centres(&vectors, probe, &terms);
            for (int k = 0; k < 3; k++) {
                test_axis(KILN_TEST_PLAIN, terms.t[k], terms.half[k] + probe->half[k], &terms);
            }
            mask |= (~vec_lanes(terms.apart) & some) << first;
        }
    }
    return mask;
}

/* -------------------------------------------------------------------------------- margins -- */

/* By how much lanes are apart from the probe along the axis that parts them best: Equation 7 of
 * Tropp et al., "Temporal coherence in bounding volume hierarchies for collision detection", 2006,
 * for all lanes at once.
 *
 * Why it is a lower bound of the distance. Along an axis no longer than 1 the gap between the
 * projections is no more than the distance; edge axes are shorter, which only lessens it. Errors of
 * extents are covered by the growth, as the head of this file says. Its bounds of a distance along
 * an axis are for centres that are at most S apart; for any other T they are, by the same sums, 18
 * u |T|_1 for a lane's axes, (18 sqrt 3 + 62) u |T|_1 for the probe's, and twice that for edges, u
 * = 2^-24: all below 256 u |T|_1. KILN_MARGIN_OFF is 512 u, which holds the roundings of the
 * subtractions, too. What poses depart by from orthonormal is in epsilon: another epsilon |T|_1.
 * What is not a number, or not above 0, becomes 0. */
static inline vec gaps_of_terms(const kiln_probe *probe, vec way, box_terms *terms)
{
    test_faces(KILN_TEST_GAP, probe, terms);
    test_edges(KILN_TEST_GAP, probe, terms);
    const vec gap =
        vec_min(vec_of(KILN_MARGIN_MOST), terms->most - way * (KILN_MARGIN_OFF + probe->epsilon));
    return vec_of_bits(vec_bits(gap) & (vec_int)vec_greater(gap, vec_of(0.0f)));
}

/* The least of lanes `mask` of some. */
static inline float least_of_lanes(const float of_lanes[KILN_SIMD_LANES], uint32_t mask)
{
    float least = KILN_MARGIN_MOST;
    for (; mask != 0; mask &= mask - 1) {
        const float of_lane = of_lanes[__builtin_ctz(mask)];
        least = of_lane < least ? of_lane : least;
    }
    return least;
}

static float margin_of_lanes(const kiln_lanes *lanes, bool aligned, const kiln_probe *probe,
                             uint32_t mask)
{
    float least = KILN_MARGIN_MOST;
    for (unsigned first = 0; first < 8; first += KILN_SIMD_LANES) {
        const uint32_t some = mask >> first & KILN_LANES_ALL;
        if (some != 0) {
            KILN_ALIGNAS(32) float gaps[KILN_SIMD_LANES];
            lane_vectors vectors;
            box_terms terms;
            load_lanes(lanes, first, !aligned, &vectors);
            lane_centres(&vectors, probe, &terms);
            const vec way = (vec_abs(terms.t[0]) + vec_abs(terms.t[1])) + vec_abs(terms.t[2]);
            if (aligned) {
                aligned_terms(probe, &terms);
            } else {
                rotate_lanes(false, &vectors, probe, &terms);
            }
            vec_store(gaps, gaps_of_terms(probe, way, &terms));
            const float of_some = least_of_lanes(gaps, some);
            least = of_some < least ? of_some : least;
        }
    }
    return least;
}

/* ------------------------------------------------------------------------------- decoding -- */

/* The same bits as kiln_rodrigues_steps gives. */
static inline void decode_axes(const int8_t rotation[3][8], unsigned first, vec axis[9])
{
    const vec x = vec_from_int(vec_int_load_i8(rotation[0] + first)) * KILN_RODRIGUES_STEP;
    const vec y = vec_from_int(vec_int_load_i8(rotation[1] + first)) * KILN_RODRIGUES_STEP;
    const vec z = vec_from_int(vec_int_load_i8(rotation[2] + first)) * KILN_RODRIGUES_STEP;
    const vec xx = x * x, yy = y * y, zz = z * z;
    const vec xy = x * y, xz = x * z, yz = y * z;
    const vec s = 2.0f / (1.0f + ((xx + yy) + zz));
    const vec rest = s - 1.0f;
    axis[0] = s * xx + rest;
    axis[3] = s * (xy - z);
    axis[6] = s * (xz + y);
    axis[1] = s * (xy + z);
    axis[4] = s * yy + rest;
    axis[7] = s * (yz - x);
    axis[2] = s * (xz - y);
    axis[5] = s * (yz + x);
    axis[8] = s * zz + rest;
}

/* The same bits as kiln_obb8_decode gives. */
static inline void decode_obb8(const kiln_format_node_obb8 *node, unsigned first,
                               lane_vectors *lanes)
{
    const float scale = kiln_half_scale(node->head.half_exp);
    decode_axes(node->rotation, first, lanes->axis);
    for (unsigned k = 0; k < 3; k++) {
        lanes->centre[k] = vec_from_int(vec_int_load_u8(node->centre[k] + first)) *
                           kiln_node8_step(node->head.exp[k]);
        lanes->half[k] = vec_of_bits(vec_int_load_u16(node->half[k] + first) << 13) * scale;
    }
}

/* The same bits as kiln_aabb8_decode gives. */
static inline void decode_aabb8(const kiln_format_node_aabb8 *node, unsigned first,
                                lane_vectors *lanes)
{
    for (unsigned k = 0; k < 3; k++) {
        const float half_step = 0.5f * kiln_node8_step(node->head.exp[k]);
        const vec_int lower = vec_int_load_u8(node->lower[k] + first);
        const vec_int upper = vec_int_load_u8(node->upper[k] + first);
        lanes->centre[k] = vec_from_int(upper + lower) * half_step;
        lanes->half[k] = vec_from_int(upper - lower) * half_step;
    }
}

/* The lanes of a binary node; the others are zeros, with which arithmetic is not slow. */
static inline void decode_obb2(const kiln_format_node_obb2 *node, unsigned first,
                               lane_vectors *lanes)
{
    for (int k = 0; k < 9; k++) {
        lanes->axis[k] = vec_load_two(node->axis[k] + first);
    }
    for (int k = 0; k < 3; k++) {
        lanes->centre[k] = vec_load_two(node->centre[k] + first);
        lanes->half[k] = vec_load_two(node->half[k] + first);
    }
}

static inline void decode_aabb2(const kiln_format_node_aabb2 *node, unsigned first,
                                lane_vectors *lanes)
{
    for (int k = 0; k < 3; k++) {
        lanes->centre[k] = vec_load_two(node->centre[k] + first);
        lanes->half[k] = vec_load_two(node->half[k] + first);
    }
}

/* --------------------------------------------------------------------------------- probes -- */

/* kiln_make_probe of a lane in hand. */
static inline void carry_probe(const kiln_box_transform *by, const kiln_decoded_node *of,
                               const float org[3], kiln_probe *probe)
{
    const kiln_lanes *lanes = &of->lanes;
    const uint32_t lane = of->lane;
    if (__builtin_expect(by->affine, 0)) {
        kiln_carry_affine(by, of, org, probe);
        return;
    }
    const double x = (double)of->org[0] + (double)lanes->centre[0][lane];
    const double y = (double)of->org[1] + (double)lanes->centre[1][lane];
    const double z = (double)of->org[2] + (double)lanes->centre[2][lane];
    const kiln_two place_xy =
        by->column_xy[0] * x + by->column_xy[1] * y + by->column_xy[2] * z + by->offset_xy;
    const double place_z =
        by->column_z[0] * x + by->column_z[1] * y + by->column_z[2] * z + by->offset_z;
    probe->centre[0] = (float)(place_xy[0] - (double)org[0]);
    probe->centre[1] = (float)(place_xy[1] - (double)org[1]);
    probe->centre[2] = (float)(place_z - (double)org[2]);
    for (int k = 0; k < 3; k++) {
        kiln_quad turned = by->rotation[k];
        if (!by->aligned) {
            const float(*axis)[8] = lanes->axis + 3 * k;
            turned = by->rotation[0] * axis[0][lane] + by->rotation[1] * axis[1][lane] +
                     by->rotation[2] * axis[2][lane];
        }
        memcpy(probe->axis[k], &turned, sizeof probe->axis[k]);
        probe->half[k] = lanes->half[k][lane] * by->scale;
    }
    probe->epsilon = by->epsilon;
    probe->slack = by->slack + 0x1p-23f * ((fabsf(probe->centre[0]) + fabsf(probe->centre[1])) +
                                           fabsf(probe->centre[2]));
}

/* ------------------------------------------------------------------------- opening a node -- */

/* What the walk needs of lanes. */
static inline void keep_lanes(const lane_vectors *lanes, unsigned first, bool axes,
                              kiln_decoded_node *out)
{
    const vec *half = lanes->half;
    for (int k = 0; k < 3; k++) {
        vec_store(out->lanes.centre[k] + first, lanes->centre[k]);
        vec_store(out->lanes.half[k] + first, half[k]);
    }
    for (int k = 0; axes && k < 9; k++) {
        vec_store(out->lanes.axis[k] + first, lanes->axis[k]);
    }
    vec_store(out->area + first, half[0] * half[1] + half[1] * half[2] + half[2] * half[0]);
}

/* -1 for the lanes of `mask`, 0 for others. */
static inline vec_int lanes_of(unsigned first, uint32_t mask)
{
    static const int32_t bits[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    return -(vec_int_load(bits + first) & vec_int_of((int32_t)mask)) >> 31;
}

/* Numbers that are not negative, as integers that compare like them; in the lowest bits stand the
 * lanes' numbers, so that all differ, and lanes not in `mask` are above all. */
static inline vec_int lane_keys(vec value, unsigned first, uint32_t mask)
{
    static const int32_t numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    const vec_int outside = ~lanes_of(first, mask) & INT32_MAX;
    return ((vec_bits(value) | outside) & ~7) | vec_int_load(numbers + first);
}

/* Squared distances from the probe, as keys. */
static inline vec_int distances(const kiln_decoded_node *opened, const kiln_probe *probe,
                                unsigned first, uint32_t mask)
{
    const vec x = probe->centre[0] - vec_load(opened->lanes.centre[0] + first);
    const vec y = probe->centre[1] - vec_load(opened->lanes.centre[1] + first);
    const vec z = probe->centre[2] - vec_load(opened->lanes.centre[2] + first);
    return lane_keys(vec_min(x * x + y * y + z * z, vec_of(FLT_MAX)), first, mask);
}

/* Lanes as octal digits by keys, the least lowest. Keys differ, have the lane's number in their
 * lowest bits, and are above all others where the lane is not in `mask`, of which there are at
 * least two. */
static inline uint32_t order_by(const vec_int keys[8 / KILN_SIMD_LANES], uint32_t mask)
{
#if KILN_SIMD_LANES == 8 /* each is put where the number of lesser keys says */
    const vec_int key = keys[0];
    const vec_int number = key & 7 & (key < 0x7FFFFFF8); /* 0 where not in the mask */
    vec_int nearer = vec_int_of(0);
    (void)mask;
    for (int i = 0; i < 8; i++) {
        nearer -= vec_int_of(key[i]) < key;
    }
    const __m256i digits = (__m256i)(number << (nearer + nearer + nearer));
    const __m128i four =
        _mm_or_si128(_mm256_castsi256_si128(digits), _mm256_extracti128_si256(digits, 1));
    const __m128i two = _mm_or_si128(four, _mm_unpackhi_epi64(four, four));
    return (uint32_t)_mm_cvtsi128_si32(two) | (uint32_t)_mm_extract_epi32(two, 1);
#else
    int32_t of_lanes[8], key[8];
    uint32_t count = 0, order = 0;
    memcpy(of_lanes, keys, sizeof of_lanes);
    for (; mask != 0; mask &= mask - 1) {
        const int32_t of_lane = of_lanes[__builtin_ctz(mask)];
        uint32_t place = count++;
        for (; place > 0 && of_lane < key[place - 1]; place--) {
            key[place] = key[place - 1];
        }
        key[place] = of_lane;
    }
    while (count > 0) {
        order = order << 3 | ((uint32_t)key[--count] & 7u);
    }
    return order;
#endif
}

/* The lanes of `mask`, at least two, the nearest first. Often there is but one, so that a call is
 * no loss. */
__attribute__((noinline)) static uint32_t order_lanes(const kiln_decoded_node *opened,
                                                      const kiln_probe *probe, uint32_t mask)
{
    vec_int keys[8 / KILN_SIMD_LANES];
    for (unsigned first = 0; first < 8; first += KILN_SIMD_LANES) {
        keys[first / KILN_SIMD_LANES] = distances(opened, probe, first, mask);
    }
    return order_by(keys, mask);
}

static inline uint32_t put_in_order(const kiln_format_node8 *node, const kiln_probe *probe,
                                    uint32_t mask, bool in_order, kiln_decoded_node *out)
{
    out->org = node->org;
    out->node = node;
    if (in_order && (mask & (mask - 1)) != 0) {
        out->order = order_lanes(out, probe, mask);
    }
    return mask;
}

static inline uint32_t finish(const kiln_format_node8 *node, bool aligned,
                              const kiln_box_transform *by, const kiln_probe *probe, uint32_t mask,
                              bool in_order, kiln_decoded_node *out)
{
    if (by->margins) {
        out->margin = margin_of_lanes(&out->lanes, aligned, probe, kiln_node8_used(node) & ~mask);
    }
    return put_in_order(node, probe, mask, in_order, out);
}

/* Tests lanes that were kept. */
static inline uint32_t overlap_kept(const kiln_format_node8 *node, bool aligned,
                                    const kiln_box_transform *by, const kiln_probe *probe,
                                    const kiln_decoded_node *out)
{
    const uint32_t used = kiln_node8_used(node);
    return by->parallel ? overlap_parallel(&out->lanes, probe, used)
                        : overlap_any(&out->lanes, aligned, probe, used);
}

#if KILN_SIMD_LANES == 8

/* With smaller numbers than this, nothing in the test overflows. */
#define KILN_PROBE_ORDINARY 0x1p40f

/* The mask of overlap_any, bit for bit, though products are fused, which takes three quarters of
 * the time. Both ways compute the same expressions of the same floats, so that along an axis they
 * differ by roundings alone. Let the centres be D apart. If D <= 2 S, each t is off by 6.2 u S,
 * each c by 3.1 u, a sum of radii by 3.1 u S for its c and 4 u S of its own, in either way, so that
 * the two ways differ by at most
 *     lane axes    12.4 u S + 14.2 u S
 *     probe axes   sqrt 3 (12.4 u S + 12.4 u S) + 12.4 u S + 14.2 u S
 *     edge axes    2 (12.4 u S + 12.4 u S) + 8 u S + 20 u S
 * all below 80 u S. The growth is computed in one way only, and is 2 epsilon S or more, that is 256
 * u S: what is left of the reach along an axis has the same sign in both ways, unless it is nearer
 * to 0 than half of the growth. If D > 2 S, errors are below 80 u (D + growth). Where the growth is
 * below D / 26, a lane axis, along which the distance is D / sqrt 3 or more and the reach D / 2 and
 * the growth or less, is apart by D / 26 in both ways; else half of the growth is D / 52 or more,
 * which is far above the errors.
 *
 * Of what is left, the least bits are kept, as integers: their minimum is there after one cycle,
 * that of floats after four. A lane all of whose axes are positive leaves the least of
 * them; any other a negative number, that nearest to 0, so that it is apart, and surely so if that
 * number is not near 0. A NaN has bits beyond those of all numbers of its sign: it is left alone,
 * or taken for near 0. What is near 0, of fewer than one node in a hundred, is computed the
 * other way. */
__attribute__((always_inline)) static inline uint32_t
meet_lanes_alike(bool aligned, const kiln_probe *probe, uint32_t used, box_terms *terms,
                 const kiln_decoded_node *out)
{
    const vec unsure = terms->growth * 0.5f;
    if (probe->slack < KILN_PROBE_ORDINARY &&
        probe->half[0] + probe->half[1] + probe->half[2] < KILN_PROBE_ORDINARY) {
        test_faces(KILN_TEST_SURE, probe, terms);
        test_edges(KILN_TEST_SURE, probe, terms);
        const vec_mask sure = vec_greater(vec_abs(vec_of_bits(terms->left)), unsure);
        if ((used & ~vec_lanes(sure)) == 0) {
            return used & ~vec_lanes(terms->left < 0);
        }
    }
    return overlap_any(&out->lanes, aligned, probe, used);
}

/* The mask of overlap_any and the margin of the lanes that are not in it, by one pass. */
__attribute__((always_inline)) static inline uint32_t
meet_lanes_apart(const lane_vectors *lanes, bool aligned, const kiln_probe *probe, uint32_t used,
                 kiln_decoded_node *out)
{
    KILN_ALIGNAS(32) float gaps[KILN_SIMD_LANES];
    box_terms terms;
    lane_centres(lanes, probe, &terms);
    keep_lanes(lanes, 0, !aligned, out);
    const vec way = (vec_abs(terms.t[0]) + vec_abs(terms.t[1])) + vec_abs(terms.t[2]);
    if (aligned) {
        aligned_terms(probe, &terms);
    } else {
        rotate_lanes(false, lanes, probe, &terms);
    }
    vec_store(gaps, gaps_of_terms(probe, way, &terms));
    const uint32_t apart = vec_lanes(vec_greater(terms.most, vec_of(0.0f)));
    out->margin = least_of_lanes(gaps, used & apart);
    return used & ~apart;
}

/* Tests lanes that are in registers and, like keep_lanes, leaves in *out what is needed of them.
 * Where a vector does not hold all eight, less code is as fast: the test loads what was kept. */
__attribute__((always_inline)) static inline uint32_t
meet_lanes(bool alike, const lane_vectors *lanes, bool aligned, const kiln_probe *probe,
           uint32_t used, kiln_decoded_node *out)
{
    box_terms terms;
    lane_centres(lanes, probe, &terms);
    keep_lanes(lanes, 0, !aligned, out);
    if (aligned) {
        aligned_terms(probe, &terms);
    } else {
        rotate_lanes(true, lanes, probe, &terms);
    }
    return alike ? meet_lanes_alike(aligned, probe, used, &terms, out)
                 : test_terms(KILN_TEST_FUSED, probe, &terms, used);
}
#endif

static uint32_t obb8_open(const kiln_format_node8 *node, const kiln_box_transform *by,
                          const kiln_decoded_node *other, bool in_order, kiln_decoded_node *out,
                          kiln_probe *probe)
{
    const kiln_format_node_obb8 *obb = (const kiln_format_node_obb8 *)(const void *)node;
    carry_probe(by, other, node->org, probe);
    const uint32_t used = kiln_node8_used(node);
#if KILN_SIMD_LANES == 8
    lane_vectors lanes;
    decode_obb8(obb, 0, &lanes);
    const uint32_t mask = by->margins ? meet_lanes_apart(&lanes, false, probe, used, out)
                          : by->alike ? meet_lanes(true, &lanes, false, probe, used, out)
                                      : meet_lanes(false, &lanes, false, probe, used, out);
    return put_in_order(node, probe, mask, in_order, out);
#else
    for (unsigned first = 0; first < 8; first += KILN_SIMD_LANES) {
        lane_vectors lanes;
        decode_obb8(obb, first, &lanes);
        keep_lanes(&lanes, first, true, out);
    }
    const uint32_t mask = overlap_any(&out->lanes, false, probe, used);
    return finish(node, false, by, probe, mask, in_order, out);
#endif
}

static uint32_t aabb8_open(const kiln_format_node8 *node, const kiln_box_transform *by,
                           const kiln_decoded_node *other, bool in_order, kiln_decoded_node *out,
                           kiln_probe *probe)
{
    const kiln_format_node_aabb8 *aabb = (const kiln_format_node_aabb8 *)(const void *)node;
    carry_probe(by, other, node->org, probe);
#if KILN_SIMD_LANES == 8
    if (!by->parallel) {
        lane_vectors lanes;
        decode_aabb8(aabb, 0, &lanes);
        const uint32_t used = kiln_node8_used(node);
        const uint32_t mask = by->margins ? meet_lanes_apart(&lanes, true, probe, used, out)
                              : by->alike ? meet_lanes(true, &lanes, true, probe, used, out)
                                          : meet_lanes(false, &lanes, true, probe, used, out);
        return put_in_order(node, probe, mask, in_order, out);
    }
#endif
    for (unsigned first = 0; first < 8; first += KILN_SIMD_LANES) {
        lane_vectors lanes;
        decode_aabb8(aabb, first, &lanes);
        keep_lanes(&lanes, first, false, out);
    }
    const uint32_t mask = overlap_kept(node, true, by, probe, out);
    return finish(node, true, by, probe, mask, in_order, out);
}

/* Cells are tested as the boxes that they are. */
static uint32_t octree_open(const kiln_format_node8 *node, const kiln_box_transform *by,
                            const kiln_decoded_node *other, bool in_order, kiln_decoded_node *out,
                            kiln_probe *probe)
{
    return aabb8_open(node, by, other, in_order, out, probe);
}

/* One body for both kinds of binary nodes. */
static uint32_t binary_open(const kiln_format_node8 *node, bool aligned,
                            const kiln_box_transform *by, const kiln_decoded_node *other,
                            bool in_order, kiln_decoded_node *out, kiln_probe *probe)
{
    carry_probe(by, other, node->org, probe);
    for (unsigned first = 0; first < 2; first += KILN_SIMD_LANES) {
        lane_vectors lanes;
        if (aligned) {
            decode_aabb2((const kiln_format_node_aabb2 *)(const void *)node, first, &lanes);
        } else {
            decode_obb2((const kiln_format_node_obb2 *)(const void *)node, first, &lanes);
        }
        keep_lanes(&lanes, first, !aligned, out);
    }
    const uint32_t mask = overlap_kept(node, aligned, by, probe, out);
    return finish(node, aligned, by, probe, mask, in_order, out);
}

static uint32_t obb2_open(const kiln_format_node8 *node, const kiln_box_transform *by,
                          const kiln_decoded_node *other, bool in_order, kiln_decoded_node *out,
                          kiln_probe *probe)
{
    return binary_open(node, false, by, other, in_order, out, probe);
}

static uint32_t aabb2_open(const kiln_format_node8 *node, const kiln_box_transform *by,
                           const kiln_decoded_node *other, bool in_order, kiln_decoded_node *out,
                           kiln_probe *probe)
{
    return binary_open(node, true, by, other, in_order, out, probe);
}
