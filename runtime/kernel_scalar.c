/* The reference kernel: separating-axis test of eight boxes against one, after Gottschalk, Lin and
 * Manocha, "OBBTree", SIGGRAPH 1996, section 5, written lane by lane.
 *
 * Why a clear bit is a proof. Let u = 2^-24. Decoded axes come from a dozen rounded operations on
 * numbers of at most 2, so each entry is within 8 u of a rotation's, and products of two axes are
 * within 32 u of their true values; a probe's axes went through one more rotation (12 u) and the
 * pose departs from orthonormal by delta. epsilon >= 128 u + 4 delta (kiln_pair_frame) covers all
 * of these with the at most 20 u of the sums below. It is spent three times: on |C|, which scales
 * the extents of the other box; on the box's own extent; and on the distance T, whose own
 * coordinates carry 2 u |T| + slack. The edge axes are not normalised; near parallel edges both
 * sides tend to zero, and the terms in epsilon keep the right side the larger. An infinity or NaN
 * makes every comparison false, which keeps the lane. */
#include "kernel.h"

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

static const kiln_kernel scalar = {"scalar", overlap};

const kiln_kernel *kiln_kernel_active(void)
{
    return &scalar;
}
