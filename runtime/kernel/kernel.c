/* Chooses the set of kernels that runs.
 *
 * Answers are the same with all sets, so the choice is one of speed only: the last that the
 * processor runs. Tests force another one, to compare them. */
#include "kernel.h"

#include "../pose/affine.h"

/* Ordered from the one that always runs to the best. */
static const kiln_kernel *const built[] = {
    &kiln_kernel_scalar,
#if defined(__x86_64__)
    &kiln_kernel_sse42,
    &kiln_kernel_avx2,
#elif defined(__aarch64__)
    &kiln_kernel_neon,
#elif defined(__wasm_simd128__)
    &kiln_kernel_simd128,
#endif
};
enum { BUILT = sizeof built / sizeof built[0] };

static const kiln_kernel *forced;

/* How many of them this processor and operating system run. The compiler's own table of the
 * processor's features is filled before main, so this is two loads and needs no state. */
static inline unsigned runnable(void)
{
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("popcnt")) {
        return 1;
    }
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 3 : 2;
#else
    return BUILT;
#endif
}

/* The load is atomic since a test may force a set while other threads run queries. */
const kiln_kernel *kiln_kernel_active(void)
{
    const kiln_kernel *kernel = __atomic_load_n(&forced, __ATOMIC_RELAXED);
    return kernel != NULL ? kernel : built[runnable() - 1];
}

const kiln_kernel *kiln_kernel_runnable(unsigned index)
{
    return index < runnable() ? built[index] : NULL;
}

void kiln_kernel_force(const kiln_kernel *kernel)
{
    __atomic_store_n(&forced, kernel, __ATOMIC_RELAXED);
}

/* ---------------------------------------------------------------------------- affine maps -- */

/* With larger half-extents than this the slack is infinite (KILN_SCALE_MOST), so that what they are
 * does not matter. */
#define PROBE_HALF_MOST 0x1p+120

void kiln_probe_enclose(double arm[3][3], double growth, kiln_probe *probe)
{
    double axis[3][3], half[3];
    kiln_arms_enclose(arm, axis, half);
    for (int k = 0; k < 3; k++) {
        probe->half[k] = (float)fmin(half[k] + growth, PROBE_HALF_MOST);
        for (int i = 0; i < 3; i++) {
            probe->axis[k][i] = (float)axis[k][i];
        }
    }
}

/* Why the box holds all that the lane holds. As kernel_boxes.h says, what is in the lane is c + sum
 * of t_k e_k with ideal axes e_k, which differ by 14 u from those decoded, u = 2^-24, and |t_k| up
 * to the half-extent and 15 u H, H being the sum of the three: so it is within 40 u H of a point of
 * the box as decoded, and its image within 40 u H `scale` of the image of that, for which
 * KILN_ARMS_OFF is 64 u. Boxes that lie along the axes have ideal ones. What the matrix's own
 * entries are off by is in the slack, as half-extents are below 1 in trees that were baked, and
 * all of it is that of a map in doubles. What is left are the roundings of the probe to floats,
 * 2 u of vectors and half-extents, where kernels have room for 36 u and more. */
void kiln_carry_affine(const kiln_box_transform *by, const kiln_decoded_node *of,
                       const float org[3], kiln_probe *probe)
{
    const kiln_lanes *lanes = &of->lanes;
    const uint32_t lane = of->lane;
    double centre[3], arm[3][3], extents = 0, size = 0;
    for (int k = 0; k < 3; k++) {
        centre[k] = (double)of->org[k] + (double)lanes->centre[k][lane];
    }
    for (int i = 0; i < 3; i++) {
        const double row[3] = {i < 2 ? by->column_xy[0][i] : by->column_z[0],
                               i < 2 ? by->column_xy[1][i] : by->column_z[1],
                               i < 2 ? by->column_xy[2][i] : by->column_z[2]};
        const double place = kiln_dot(row, centre) + (i < 2 ? by->offset_xy[i] : by->offset_z);
        probe->centre[i] = (float)(place - (double)org[i]);
        size += fabs((double)probe->centre[i]);
        for (int k = 0; k < 3; k++) {
            const float(*axis)[8] = lanes->axis + 3 * k;
            const double along =
                by->aligned ? row[k]
                            : (row[0] * (double)axis[0][lane] + row[1] * (double)axis[1][lane]) +
                                  row[2] * (double)axis[2][lane];
            arm[k][i] = along * (double)lanes->half[k][lane];
        }
        extents += (double)lanes->half[i][lane];
    }
    const double growth = by->aligned ? 0 : KILN_ARMS_OFF * extents * (double)by->scale;
    kiln_probe_enclose(arm, growth, probe);
    probe->epsilon = by->epsilon;
    probe->slack = by->slack + 0x1p-23f * (float)size;
}
