/* Kernels of boxes, compiled once for each instruction set (simd.h): separating-axis test of eight
 * boxes against one, after Gottschalk, Lin and Manocha, "OBBTree", SIGGRAPH 1996, section 5.
 *
 * Why a clear bit is a proof. Let u = 2^-24. Decoded axes come from a dozen rounded operations on
 * numbers of at most 2, so each entry is within 8 u of a rotation's, and products of two axes are
 * within 32 u of their true values; a probe's axes went through one more rotation (12 u) and the
 * pose departs from orthonormal by delta. epsilon >= 128 u + 4 delta (kiln_pair_frame) covers all
 * of these with the at most 20 u of the sums below. It is spent three times: on |C|, which scales
 * the extents of the other box; on the box's own extent; and on the distance T, whose own
 * coordinates carry 2 u |T| + slack. A lane's centre is exact, the rounding of the probe's is in its
 * slack: T may be far smaller than either. The edge axes are not normalised; near parallel edges
 * both sides tend to zero, and the terms in epsilon keep the right side the larger. An infinity or
 * NaN makes every comparison false, which keeps the lane. */

#define lane_terms KILN_SIMD_NAME(lane_terms)
#define load_terms KILN_SIMD_NAME(load_terms)
#define test_faces KILN_SIMD_NAME(test_faces)
#define test_edges KILN_SIMD_NAME(test_edges)
#define overlap_some KILN_SIMD_NAME(overlap_some)
#define overlap KILN_SIMD_NAME(overlap)
#define shared_terms KILN_SIMD_NAME(shared_terms)
#define share_terms KILN_SIMD_NAME(share_terms)
#define overlap_some_aligned KILN_SIMD_NAME(overlap_some_aligned)
#define overlap_aligned KILN_SIMD_NAME(overlap_aligned)

/* All lanes of one vector, as bits. */
#define KILN_LANES_ALL ((1u << KILN_SIMD_LANES) - 1u)

typedef struct {
    vec c[9];     /* c[3 k + j]: axis k of the lane . axis j of the probe */
    vec abs_c[9]; /* |c| + epsilon */
    vec t[3];     /* centre of the probe in the lane's frame */
    vec half[3];  /* the lane's extents, widened */
    vec allowance;
    vec_mask apart; /* proved */
} lane_terms;

static inline void load_terms(const kiln_lanes *lanes, unsigned first, const kiln_probe *probe,
                              lane_terms *terms)
{
    const float e = probe->epsilon;
    const vec x = probe->centre[0] - vec_load(lanes->centre[0] + first);
    const vec y = probe->centre[1] - vec_load(lanes->centre[1] + first);
    const vec z = probe->centre[2] - vec_load(lanes->centre[2] + first);
    terms->allowance = (vec_abs(x) + vec_abs(y) + vec_abs(z)) * e + probe->slack;
    for (int k = 0; k < 3; k++) {
        const vec axis_x = vec_load(lanes->axis[3 * k] + first);
        const vec axis_y = vec_load(lanes->axis[3 * k + 1] + first);
        const vec axis_z = vec_load(lanes->axis[3 * k + 2] + first);
        terms->t[k] = axis_x * x + axis_y * y + axis_z * z;
        terms->half[k] = vec_load(lanes->half[k] + first) * (1.0f + e);
        for (int j = 0; j < 3; j++) {
            const vec c = axis_x * probe->axis[j][0] + axis_y * probe->axis[j][1] +
                          axis_z * probe->axis[j][2];
            terms->c[3 * k + j] = c;
            terms->abs_c[3 * k + j] = vec_abs(c) + e;
        }
    }
}

/* The six face axes. */
static inline void test_faces(const kiln_probe *probe, lane_terms *terms)
{
    terms->apart = vec_int_of(0);
    for (int k = 0; k < 3; k++) {
        const vec reach = terms->half[k] + probe->half[0] * terms->abs_c[3 * k] +
                          probe->half[1] * terms->abs_c[3 * k + 1] +
                          probe->half[2] * terms->abs_c[3 * k + 2] + terms->allowance;
        terms->apart |= vec_greater(vec_abs(terms->t[k]), reach);
    }
    for (int j = 0; j < 3; j++) {
        const vec distance = terms->t[0] * terms->c[j] + terms->t[1] * terms->c[3 + j] +
                             terms->t[2] * terms->c[6 + j];
        const vec reach = probe->half[j] * (1.0f + probe->epsilon) +
                          terms->half[0] * terms->abs_c[j] + terms->half[1] * terms->abs_c[3 + j] +
                          terms->half[2] * terms->abs_c[6 + j] + 2.0f * terms->allowance;
        terms->apart |= vec_greater(vec_abs(distance), reach);
    }
}

/* The nine edge axes: axis k of the lane x axis j of the probe. */
static inline void test_edges(const kiln_probe *probe, lane_terms *terms)
{
    for (int k = 0; k < 3; k++) {
        const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        for (int j = 0; j < 3; j++) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const vec distance = terms->t[k2] * terms->c[3 * k1 + j] -
                                 terms->t[k1] * terms->c[3 * k2 + j];
            const vec reach = terms->half[k1] * terms->abs_c[3 * k2 + j] +
                              terms->half[k2] * terms->abs_c[3 * k1 + j] +
                              probe->half[j1] * terms->abs_c[3 * k + j2] +
                              probe->half[j2] * terms->abs_c[3 * k + j1] +
                              2.0f * terms->allowance;
            terms->apart |= vec_greater(vec_abs(distance), reach);
        }
    }
}

static inline uint32_t overlap_some(const kiln_lanes *lanes, unsigned first,
                                    const kiln_probe *probe, uint32_t used)
{
    lane_terms terms;
    load_terms(lanes, first, probe, &terms);
    test_faces(probe, &terms);
    const uint32_t left = ~vec_lanes(terms.apart) & used;
    if (left == 0) {
        return 0;
    }
    test_edges(probe, &terms);
    return ~vec_lanes(terms.apart) & left;
}

static uint32_t overlap(const kiln_lanes *lanes, const kiln_probe *probe, uint32_t used)
{
    uint32_t mask = 0;
    for (unsigned first = 0; first < 8; first += KILN_SIMD_LANES) {
        const uint32_t some = used >> first & KILN_LANES_ALL;
        if (some != 0) {
            mask |= overlap_some(lanes, first, probe, some) << first;
        }
    }
    return mask;
}

/* ------------------------------------------------------------------------ axis-aligned lanes -- */

/* What all lanes share when their axes are those of node space: C is the probe's axes, transposed.
 * The sums below are those above with the probe's share added up first, so the bounds hold. */
typedef struct {
    float c[9], abs_c[9];
    float face[3], edge[9], own[3]; /* the probe's reach: lanes' axes, edge axes, its own axes */
    float widen;                    /* 1 + epsilon */
} shared_terms;

static inline void share_terms(const kiln_probe *probe, shared_terms *shared)
{
    const float e = probe->epsilon, *half = probe->half;
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < 3; j++) {
            shared->c[3 * k + j] = probe->axis[j][k];
            shared->abs_c[3 * k + j] = fabsf(probe->axis[j][k]) + e;
        }
    }
    shared->widen = 1.0f + e;
    for (int k = 0; k < 3; k++) {
        const float *abs_c = shared->abs_c + 3 * k;
        shared->face[k] = half[0] * abs_c[0] + half[1] * abs_c[1] + half[2] * abs_c[2];
        shared->own[k] = half[k] * shared->widen;
        for (int j = 0; j < 3; j++) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            shared->edge[3 * k + j] = half[j1] * abs_c[j2] + half[j2] * abs_c[j1];
        }
    }
}

static inline uint32_t overlap_some_aligned(const kiln_lanes *lanes, unsigned first,
                                            const kiln_probe *probe, const shared_terms *shared,
                                            uint32_t used)
{
    vec t[3], half[3];
    for (int k = 0; k < 3; k++) {
        t[k] = probe->centre[k] - vec_load(lanes->centre[k] + first);
        half[k] = vec_load(lanes->half[k] + first) * shared->widen;
    }
    const vec allowance =
        (vec_abs(t[0]) + vec_abs(t[1]) + vec_abs(t[2])) * probe->epsilon + probe->slack;
    vec_mask apart = vec_int_of(0);
    for (int k = 0; k < 3; k++) {
        apart |= vec_greater(vec_abs(t[k]), half[k] + shared->face[k] + allowance);
    }
    const vec twice = 2.0f * allowance;
    for (int j = 0; j < 3; j++) {
        const float *c = shared->c + j, *abs_c = shared->abs_c + j;
        const vec distance = t[0] * c[0] + t[1] * c[3] + t[2] * c[6];
        const vec reach = shared->own[j] + half[0] * abs_c[0] + half[1] * abs_c[3] +
                          half[2] * abs_c[6] + twice;
        apart |= vec_greater(vec_abs(distance), reach);
    }
    const uint32_t left = ~vec_lanes(apart) & used;
    if (left == 0) {
        return 0;
    }
    for (int k = 0; k < 3; k++) {
        const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        for (int j = 0; j < 3; j++) {
            const vec distance = t[k2] * shared->c[3 * k1 + j] - t[k1] * shared->c[3 * k2 + j];
            const vec reach = half[k1] * shared->abs_c[3 * k2 + j] +
                              half[k2] * shared->abs_c[3 * k1 + j] + shared->edge[3 * k + j] +
                              twice;
            apart |= vec_greater(vec_abs(distance), reach);
        }
    }
    return ~vec_lanes(apart) & left;
}

static uint32_t overlap_aligned(const kiln_lanes *lanes, const kiln_probe *probe, uint32_t used)
{
    shared_terms shared;
    share_terms(probe, &shared);
    uint32_t mask = 0;
    for (unsigned first = 0; first < 8; first += KILN_SIMD_LANES) {
        const uint32_t some = used >> first & KILN_LANES_ALL;
        if (some != 0) {
            mask |= overlap_some_aligned(lanes, first, probe, &shared, some) << first;
        }
    }
    return mask;
}
