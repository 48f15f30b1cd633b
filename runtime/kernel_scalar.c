/* The reference kernel: separating-axis test of eight boxes against one, after Gottschalk, Lin and
 * Manocha, "OBBTree", SIGGRAPH 1996, section 5, written lane by lane.
 *
 * Why a clear bit is a proof. Let u = 2^-24. Decoded axes come from a dozen rounded operations on
 * numbers of at most 2, so each entry is within 8 u of a rotation's, and products of two axes within
 * 32 u of their true values; a probe's axes went through one more rotation (12 u) and the pose departs
 * from orthonormal by delta. epsilon >= 128 u + 4 delta (kiln_pair_frame) covers all of these with
 * the at most 20 u of the sums below. It is spent three times: on |C|, which scales the extents of
 * the other box; on the box's own extent; and on the distance T, whose own coordinates carry
 * 2 u |T| + slack. The edge axes are not normalised; near parallel edges both sides tend to zero, and
 * the terms in epsilon keep the right side the larger. An infinity or NaN makes every comparison false,
 * which keeps the lane. */
#include "kernel.h"

#include <math.h>

typedef struct {
    float c[9][8];     /* c[3 k + j]: axis k of the lane . axis j of the probe */
    float abs_c[9][8]; /* |c| + epsilon */
    float t[3][8];     /* centre of the probe in the lane's frame */
    float half[3][8];  /* the lane's extents, widened */
    float allowance[8];
    int32_t apart[8];
} lane_terms;

static void load_terms(const kiln_lanes *lanes, const kiln_probe *probe, lane_terms *terms)
{
    const float e = probe->epsilon;
    for (int i = 0; i < 8; i++) {
        const float x = probe->centre[0] - lanes->centre[0][i];
        const float y = probe->centre[1] - lanes->centre[1][i];
        const float z = probe->centre[2] - lanes->centre[2][i];
        terms->allowance[i] = (fabsf(x) + fabsf(y) + fabsf(z)) * e + probe->slack;
        for (int k = 0; k < 3; k++) {
            terms->t[k][i] = lanes->axis[3 * k][i] * x + lanes->axis[3 * k + 1][i] * y +
                             lanes->axis[3 * k + 2][i] * z;
        }
    }
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 8; i++) {
            terms->half[k][i] = lanes->half[k][i] * (1.0f + e);
        }
        for (int j = 0; j < 3; j++) {
            for (int i = 0; i < 8; i++) {
                const float c = lanes->axis[3 * k][i] * probe->axis[j][0] +
                                lanes->axis[3 * k + 1][i] * probe->axis[j][1] +
                                lanes->axis[3 * k + 2][i] * probe->axis[j][2];
                terms->c[3 * k + j][i] = c;
                terms->abs_c[3 * k + j][i] = fabsf(c) + e;
            }
        }
    }
}

/* The six face axes. */
static void test_faces(const kiln_probe *probe, lane_terms *terms)
{
    for (int i = 0; i < 8; i++) {
        terms->apart[i] = 0;
    }
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 8; i++) {
            const float reach = terms->half[k][i] + probe->half[0] * terms->abs_c[3 * k][i] +
                                probe->half[1] * terms->abs_c[3 * k + 1][i] +
                                probe->half[2] * terms->abs_c[3 * k + 2][i] + terms->allowance[i];
            terms->apart[i] |= fabsf(terms->t[k][i]) > reach;
        }
    }
    for (int j = 0; j < 3; j++) {
        const float own = probe->half[j] * (1.0f + probe->epsilon);
        for (int i = 0; i < 8; i++) {
            const float distance = terms->t[0][i] * terms->c[j][i] +
                                   terms->t[1][i] * terms->c[3 + j][i] +
                                   terms->t[2][i] * terms->c[6 + j][i];
            const float reach = own + terms->half[0][i] * terms->abs_c[j][i] +
                                terms->half[1][i] * terms->abs_c[3 + j][i] +
                                terms->half[2][i] * terms->abs_c[6 + j][i] +
                                2.0f * terms->allowance[i];
            terms->apart[i] |= fabsf(distance) > reach;
        }
    }
}

/* The nine edge axes: axis k of the lane x axis j of the probe. */
static void test_edges(const kiln_probe *probe, lane_terms *terms)
{
    for (int k = 0; k < 3; k++) {
        const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        for (int j = 0; j < 3; j++) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            for (int i = 0; i < 8; i++) {
                const float distance = terms->t[k2][i] * terms->c[3 * k1 + j][i] -
                                       terms->t[k1][i] * terms->c[3 * k2 + j][i];
                const float reach = terms->half[k1][i] * terms->abs_c[3 * k2 + j][i] +
                                    terms->half[k2][i] * terms->abs_c[3 * k1 + j][i] +
                                    probe->half[j1] * terms->abs_c[3 * k + j2][i] +
                                    probe->half[j2] * terms->abs_c[3 * k + j1][i] +
                                    2.0f * terms->allowance[i];
                terms->apart[i] |= fabsf(distance) > reach;
            }
        }
    }
}

static uint32_t lanes_left(const lane_terms *terms, uint32_t used)
{
    uint32_t mask = 0;
    for (unsigned i = 0; i < 8; i++) {
        mask |= (uint32_t)(terms->apart[i] == 0) << i;
    }
    return mask & used;
}

static uint32_t overlap(const kiln_lanes *lanes, const kiln_probe *probe, uint32_t used)
{
    lane_terms terms;
    load_terms(lanes, probe, &terms);
    test_faces(probe, &terms);
    const uint32_t mask = lanes_left(&terms, used);
    if (mask == 0) {
        return 0;
    }
    test_edges(probe, &terms);
    return lanes_left(&terms, mask);
}

static const kiln_kernel scalar = {"scalar", overlap};

const kiln_kernel *kiln_kernel_active(void)
{
    return &scalar;
}
