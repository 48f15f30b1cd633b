/* The reference kernel: separating-axis test of eight boxes against one, after Gottschalk, Lin and
 * Manocha, "OBBTree", SIGGRAPH 1996, section 5, written lane by lane.
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
#include "kernel.h"

#include <math.h>
#include <string.h>

/* Four lanes. Arithmetic on these types is element by element, the same operations as for a float;
 * the compiler takes vector registers where the machine has them. Left to find the lanes in loops
 * over eight floats it made scalar code of the nine edge axes. */
typedef float four __attribute__((vector_size(16)));
typedef int32_t four_bits __attribute__((vector_size(16)));

typedef struct {
    four c[9];     /* c[3 k + j]: axis k of the lane . axis j of the probe */
    four abs_c[9]; /* |c| + epsilon */
    four t[3];     /* centre of the probe in the lane's frame */
    four half[3];  /* the lane's extents, widened */
    four allowance;
    four_bits apart; /* -1: proved */
} lane_terms;

static inline four load(const float *from)
{
    four v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline four magnitude(four v)
{
    return (four)((four_bits)v & 0x7FFFFFFF);
}

static inline void load_terms(const kiln_lanes *lanes, unsigned first, const kiln_probe *probe,
                              lane_terms *terms)
{
    const float e = probe->epsilon;
    const four x = probe->centre[0] - load(lanes->centre[0] + first);
    const four y = probe->centre[1] - load(lanes->centre[1] + first);
    const four z = probe->centre[2] - load(lanes->centre[2] + first);
    terms->allowance = (magnitude(x) + magnitude(y) + magnitude(z)) * e + probe->slack;
    for (int k = 0; k < 3; k++) {
        const four axis_x = load(lanes->axis[3 * k] + first);
        const four axis_y = load(lanes->axis[3 * k + 1] + first);
        const four axis_z = load(lanes->axis[3 * k + 2] + first);
        terms->t[k] = axis_x * x + axis_y * y + axis_z * z;
        terms->half[k] = load(lanes->half[k] + first) * (1.0f + e);
        for (int j = 0; j < 3; j++) {
            const four c = axis_x * probe->axis[j][0] + axis_y * probe->axis[j][1] +
                           axis_z * probe->axis[j][2];
            terms->c[3 * k + j] = c;
            terms->abs_c[3 * k + j] = magnitude(c) + e;
        }
    }
}

/* The six face axes. */
static inline void test_faces(const kiln_probe *probe, lane_terms *terms)
{
    terms->apart = (four_bits){0, 0, 0, 0};
    for (int k = 0; k < 3; k++) {
        const four reach = terms->half[k] + probe->half[0] * terms->abs_c[3 * k] +
                           probe->half[1] * terms->abs_c[3 * k + 1] +
                           probe->half[2] * terms->abs_c[3 * k + 2] + terms->allowance;
        terms->apart |= magnitude(terms->t[k]) > reach;
    }
    for (int j = 0; j < 3; j++) {
        const four distance = terms->t[0] * terms->c[j] + terms->t[1] * terms->c[3 + j] +
                              terms->t[2] * terms->c[6 + j];
        const four reach = probe->half[j] * (1.0f + probe->epsilon) +
                           terms->half[0] * terms->abs_c[j] + terms->half[1] * terms->abs_c[3 + j] +
                           terms->half[2] * terms->abs_c[6 + j] + 2.0f * terms->allowance;
        terms->apart |= magnitude(distance) > reach;
    }
}

/* The nine edge axes: axis k of the lane x axis j of the probe. */
static inline void test_edges(const kiln_probe *probe, lane_terms *terms)
{
    for (int k = 0; k < 3; k++) {
        const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        for (int j = 0; j < 3; j++) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const four distance = terms->t[k2] * terms->c[3 * k1 + j] -
                                  terms->t[k1] * terms->c[3 * k2 + j];
            const four reach = terms->half[k1] * terms->abs_c[3 * k2 + j] +
                               terms->half[k2] * terms->abs_c[3 * k1 + j] +
                               probe->half[j1] * terms->abs_c[3 * k + j2] +
                               probe->half[j2] * terms->abs_c[3 * k + j1] +
                               2.0f * terms->allowance;
            terms->apart |= magnitude(distance) > reach;
        }
    }
}

/* One bit for each of the four that is not apart. */
static inline uint32_t lanes_left(four_bits apart)
{
    const four_bits bits = ~apart & (four_bits){1, 2, 4, 8};
    uint64_t two[2];
    memcpy(two, &bits, sizeof two);
    const uint64_t both = two[0] | two[1];
    return (uint32_t)(both | both >> 32);
}

static inline uint32_t overlap_four(const kiln_lanes *lanes, unsigned first,
                                    const kiln_probe *probe, uint32_t used)
{
    lane_terms terms;
    load_terms(lanes, first, probe, &terms);
    test_faces(probe, &terms);
    const uint32_t left = lanes_left(terms.apart) & used;
    if (left == 0) {
        return 0;
    }
    test_edges(probe, &terms);
    return lanes_left(terms.apart) & left;
}

static uint32_t overlap(const kiln_lanes *lanes, const kiln_probe *probe, uint32_t used)
{
    uint32_t mask = 0;
    if ((used & 0x0Fu) != 0) {
        mask = overlap_four(lanes, 0, probe, used & 0x0Fu);
    }
    if ((used & 0xF0u) != 0) {
        mask |= overlap_four(lanes, 4, probe, used >> 4) << 4;
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

static inline uint32_t overlap_four_aligned(const kiln_lanes *lanes, unsigned first,
                                            const kiln_probe *probe, const shared_terms *shared,
                                            uint32_t used)
{
    four t[3], half[3];
    for (int k = 0; k < 3; k++) {
        t[k] = probe->centre[k] - load(lanes->centre[k] + first);
        half[k] = load(lanes->half[k] + first) * shared->widen;
    }
    const four allowance =
        (magnitude(t[0]) + magnitude(t[1]) + magnitude(t[2])) * probe->epsilon + probe->slack;
    four_bits apart = {0, 0, 0, 0};
    for (int k = 0; k < 3; k++) {
        apart |= magnitude(t[k]) > half[k] + shared->face[k] + allowance;
    }
    const four twice = 2.0f * allowance;
    for (int j = 0; j < 3; j++) {
        const float *c = shared->c + j, *abs_c = shared->abs_c + j;
        const four distance = t[0] * c[0] + t[1] * c[3] + t[2] * c[6];
        const four reach = shared->own[j] + half[0] * abs_c[0] + half[1] * abs_c[3] +
                           half[2] * abs_c[6] + twice;
        apart |= magnitude(distance) > reach;
    }
    const uint32_t left = lanes_left(apart) & used;
    if (left == 0) {
        return 0;
    }
    for (int k = 0; k < 3; k++) {
        const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        for (int j = 0; j < 3; j++) {
            const four distance = t[k2] * shared->c[3 * k1 + j] - t[k1] * shared->c[3 * k2 + j];
            const four reach = half[k1] * shared->abs_c[3 * k2 + j] +
                               half[k2] * shared->abs_c[3 * k1 + j] + shared->edge[3 * k + j] +
                               twice;
            apart |= magnitude(distance) > reach;
        }
    }
    return lanes_left(apart) & left;
}

static uint32_t overlap_aligned(const kiln_lanes *lanes, const kiln_probe *probe, uint32_t used)
{
    shared_terms shared;
    share_terms(probe, &shared);
    uint32_t mask = 0;
    if ((used & 0x0Fu) != 0) {
        mask = overlap_four_aligned(lanes, 0, probe, &shared, used & 0x0Fu);
    }
    if ((used & 0xF0u) != 0) {
        mask |= overlap_four_aligned(lanes, 4, probe, &shared, used >> 4) << 4;
    }
    return mask;
}

static const kiln_kernel scalar = {"scalar", overlap, overlap_aligned};

const kiln_kernel *kiln_kernel_active(void)
{
    return &scalar;
}
