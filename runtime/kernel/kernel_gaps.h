/* Kernels of boxes, compiled once for each instruction set (simd.h): how far eight boxes are
 * from one, from below.
 *
 * Each box is put into the frame of the other. There it spans a box along the axes, and the gaps
 * to the other on three axes, taken as a vector, are no longer than the distance. So is the gap
 * on any one line: on that between the centres, which is the better one far apart, and for which
 * all dot products are there already; and on one that the caller knows to part the trees well.
 * The longest of the four counts.
 *
 * Why it is a lower bound, with the errors of kernel_boxes.h and u = 2^-24. A lane is the set of
 * points p with |a_k . (p - c)| <= h_k exactly, so for q outside the gaps |a_k . (q - c)| - h_k
 * are what the matrix of the a_k, whose norm is at most 1 + 16 u, makes of a vector no longer
 * than the distance; a_k . T errs by 4 u |T|. The probe's axes have gone through one rotation
 * (12 u) and a pose that departs from orthonormal, so b_j . T errs by 16 u |T| and what epsilon
 * holds for the departure; b_j . T is taken in node space, so that no error of the lane's axes
 * enters. `directions` is therefore epsilon less 96 of its 128 u. The products of axes, which
 * scale only extents, err by epsilon as there. The factor KILN_GAP_KEPT is for the norms, the
 * squares and their sums.
 *
 * Overflow. A square that no float holds becomes KILN_GAP_MOST, that of 2^63; what is NaN, and
 * what an infinite reach is subtracted from, becomes 0. The caller takes these kernels only where
 * the probe's scale and the slack of its map are below KILN_GAP_RANGE = 2^40: with the lanes that
 * the verifier admits, as in kernel_boxes.h, all extents add up to less than 2^61. Then a square
 * or a distance overflows only where the centres are 2^63.9 or more apart, of which at most 2^62
 * are extents and 2^-22 of it, so that the boxes are indeed 2^63 apart. Without the bound, a
 * length that overflows would hide the extents along it, as their sum divided by it is 0. */

#define gap_of KILN_SIMD_NAME(gap_of)
#define kept_gap KILN_SIMD_NAME(kept_gap)
#define reach_of KILN_SIMD_NAME(reach_of)
#define gaps_some KILN_SIMD_NAME(gaps_some)
#define lane_gaps KILN_SIMD_NAME(lane_gaps)
#define gaps_some_aligned KILN_SIMD_NAME(gaps_some_aligned)
#define lane_gaps_aligned KILN_SIMD_NAME(lane_gaps_aligned)

/* What of |distance| is beyond `reach`, squared. */
static inline vec gap_of(vec distance, vec reach)
{
    const vec gap = vec_max(vec_abs(distance) - reach, vec_of(0.0f));
    return gap * gap;
}

/* The bound of a square of gaps, from below. */
static inline vec kept_gap(vec squared, float e)
{
    return vec_min(squared * (KILN_GAP_KEPT - 8.0f * e), vec_of(KILN_GAP_MOST));
}

static inline void gaps_some(const kiln_lanes *lanes, unsigned first, const kiln_probe *probe,
                             const float line[3], float probe_reach, float *squared)
{
    const float e = probe->epsilon;
    const vec x = probe->centre[0] - vec_load(lanes->centre[0] + first);
    const vec y = probe->centre[1] - vec_load(lanes->centre[1] + first);
    const vec z = probe->centre[2] - vec_load(lanes->centre[2] + first);
    const vec allowance =
        (vec_abs(x) + vec_abs(y) + vec_abs(z)) * (e - KILN_GAP_SPARED) + probe->slack;
    vec in_lane = vec_of(0.0f), in_probe = vec_of(0.0f), reach[3];
    vec extent = vec_of(probe->half[0] + probe->half[1] + probe->half[2]), along = vec_of(0.0f);
    vec line_reach = allowance + probe_reach;
    for (int j = 0; j < 3; j++) {
        reach[j] = allowance + probe->half[j] * (1.0f + e);
    }
    for (int k = 0; k < 3; k++) {
        const vec axis_x = vec_load(lanes->axis[3 * k] + first);
        const vec axis_y = vec_load(lanes->axis[3 * k + 1] + first);
        const vec axis_z = vec_load(lanes->axis[3 * k + 2] + first);
        const vec half = vec_load(lanes->half[k] + first);
        vec lane_reach = half * (1.0f + e) + allowance;
        for (int j = 0; j < 3; j++) {
            const vec c = vec_abs(axis_x * probe->axis[j][0] + axis_y * probe->axis[j][1] +
                                  axis_z * probe->axis[j][2]) +
                          e;
            lane_reach = lane_reach + probe->half[j] * c;
            reach[j] = reach[j] + half * c;
        }
        const vec distance = axis_x * x + axis_y * y + axis_z * z;
        in_lane = in_lane + gap_of(distance, lane_reach);
        along = along + half * vec_abs(distance);
        extent = extent + half;
        line_reach =
            line_reach + half * vec_abs(axis_x * line[0] + axis_y * line[1] + axis_z * line[2]);
    }
    for (int j = 0; j < 3; j++) {
        const float *axis = probe->axis[j];
        const vec distance = x * axis[0] + y * axis[1] + z * axis[2];
        in_probe = in_probe + gap_of(distance, reach[j]);
        along = along + probe->half[j] * vec_abs(distance);
    }
    const vec length = vec_sqrt(x * x + y * y + z * z);
    const vec between = gap_of(length, along / length + extent * e + allowance);
    const vec in_line = gap_of(x * line[0] + y * line[1] + z * line[2], line_reach + extent * e);
    vec_store(squared + first,
              kept_gap(vec_max(vec_max(in_lane, in_probe), vec_max(between, in_line)), e));
}

/* The probe's extent along `line`. */
static inline float reach_of(const kiln_probe *probe, const float line[3])
{
    float reach = 0;
    for (int j = 0; j < 3; j++) {
        const float *axis = probe->axis[j];
        reach += probe->half[j] * fabsf(axis[0] * line[0] + axis[1] * line[1] + axis[2] * line[2]);
    }
    return reach;
}

static void lane_gaps(const kiln_lanes *lanes, const kiln_probe *probe, const float line[3],
                      float squared[8])
{
    const float reach = reach_of(probe, line);
    for (unsigned first = 0; first < 8; first += KILN_SIMD_LANES) {
        gaps_some(lanes, first, probe, line, reach, squared);
    }
}

/* ------------------------------------------------------------------------ axis-aligned lanes -- */

/* shared_reach: the probe's extents along the axes. */
static inline void gaps_some_aligned(const kiln_lanes *lanes, unsigned first,
                                     const kiln_probe *probe, const float shared_reach[3],
                                     const float line[3], float probe_reach, float *squared)
{
    const float e = probe->epsilon;
    vec t[3], half[3];
    for (int k = 0; k < 3; k++) {
        t[k] = probe->centre[k] - vec_load(lanes->centre[k] + first);
        half[k] = vec_load(lanes->half[k] + first);
    }
    const vec allowance =
        (vec_abs(t[0]) + vec_abs(t[1]) + vec_abs(t[2])) * (e - KILN_GAP_SPARED) + probe->slack;
    vec in_lane = vec_of(0.0f), in_probe = vec_of(0.0f), along = vec_of(0.0f);
    for (int k = 0; k < 3; k++) {
        in_lane = in_lane + gap_of(t[k], half[k] * (1.0f + e) + shared_reach[k] + allowance);
        along = along + half[k] * vec_abs(t[k]);
    }
    for (int j = 0; j < 3; j++) {
        const float *axis = probe->axis[j];
        const vec reach = probe->half[j] * (1.0f + e) + half[0] * (fabsf(axis[0]) + e) +
                          half[1] * (fabsf(axis[1]) + e) + half[2] * (fabsf(axis[2]) + e) +
                          allowance;
        const vec distance = t[0] * axis[0] + t[1] * axis[1] + t[2] * axis[2];
        in_probe = in_probe + gap_of(distance, reach);
        along = along + probe->half[j] * vec_abs(distance);
    }
    const vec extent =
        half[0] + half[1] + half[2] + (probe->half[0] + probe->half[1] + probe->half[2]);
    const vec length = vec_sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    const vec between = gap_of(length, along / length + extent * e + allowance);
    const vec line_reach = half[0] * fabsf(line[0]) + half[1] * fabsf(line[1]) +
                           half[2] * fabsf(line[2]) + probe_reach;
    const vec in_line = gap_of(t[0] * line[0] + t[1] * line[1] + t[2] * line[2],
                               line_reach + extent * e + allowance);
    vec_store(squared + first,
              kept_gap(vec_max(vec_max(in_lane, in_probe), vec_max(between, in_line)), e));
}

static void lane_gaps_aligned(const kiln_lanes *lanes, const kiln_probe *probe, const float line[3],
                              float squared[8])
{
    const float reach = reach_of(probe, line);
    float shared_reach[3];
    for (int k = 0; k < 3; k++) {
        shared_reach[k] = 0;
        for (int j = 0; j < 3; j++) {
            shared_reach[k] += probe->half[j] * (fabsf(probe->axis[j][k]) + probe->epsilon);
        }
    }
    for (unsigned first = 0; first < 8; first += KILN_SIMD_LANES) {
        gaps_some_aligned(lanes, first, probe, shared_reach, line, reach, squared);
    }
}
