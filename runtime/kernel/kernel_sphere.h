/* Kernels of balls, compiled once for each instruction set (simd.h): eight balls against a box
 * or, where the other tree's lanes are balls as well, against one of them, after P. Hubbard,
 * "Approximating polyhedra with spheres for time-critical collision detection", 1996.
 *
 * A ball and a box are apart if the ball's centre is farther from the box than its radius: its
 * way from the box's centre, in the box's frame, less the half-extents, where something is left.
 * Two balls need no frame.
 *
 * Why a lane that is taken away is apart. u and P are those of kernel_boxes.h, r is the lane's
 * radius. Suppose that the volumes meet. As said there, a common point is in an ideal box whose
 * centre is within `slack` of the probe's, whose axes are within 36 u + 2 delta, as vectors, of
 * the probe's, and whose half-extents are larger by (38 u + 2 delta) P. So the way v between the
 * centres is no longer than r + P + slack, but for terms of second order, and each coordinate of
 * v along the probe's axes is off by (40 u + 2 delta) (r + P) + slack with its roundings. What is
 * left of the three beyond the half-extents, as a vector, is then at most
 *     r + sqrt 3 ((80 u + 4 delta) (r + P) + slack)
 * long. The squares, their sums and the comparison add 4 u (r + P) to that. As epsilon >= 128 u + 4
 * delta, r + 2 (epsilon (r + P) + slack) covers it. Of two balls, the probe's goes through the
 * pose into one whose radius is larger by less than (38 u + 2 delta) P, about a centre within
 * `slack`, and no axes enter.
 *
 * Overflow. As in kernel_boxes.h a reach is finite unless the slack is 2^127 or more; then it is
 * infinite or NaN. A square of the reach that is infinite makes the comparison false, and NaN, too,
 * which keeps the lane; vec_max takes 0 for NaN. If the square is finite, the reach is below 2^64,
 * and a sum of squares that overflows is of volumes that are apart. Squares that underflow are
 * below 2^-120, where the reach's is 2^-86 or more, as the slack is at least 2^-44. Nothing is
 * fused, so every set gives the same bits. */

#define decode_sphere KILN_SIMD_NAME(decode_sphere)
#define sphere_apart KILN_SIMD_NAME(sphere_apart)
#define sphere_refine KILN_SIMD_NAME(sphere_refine)
#define sphere_open KILN_SIMD_NAME(sphere_open)

/* The same bits as kiln_sphere_decode gives. */
static inline void decode_sphere(const kiln_format_node_sphere *node, unsigned first,
                                 lane_vectors *lanes)
{
    const vec_int half =
        vec_int_load_u8(node->radius[0] + first) | vec_int_load_u8(node->radius[1] + first) << 8;
    const vec radius = vec_of_bits(half << 13) * kiln_half_scale(node->head.half_exp);
    for (unsigned k = 0; k < 3; k++) {
        lanes->centre[k] = vec_from_int(vec_int_load_u8(node->centre[k] + first)) *
                           kiln_node8_step(node->head.exp[k]);
        lanes->half[k] = radius;
    }
}

/* Lanes that are proved to be apart from the probe: a box or, with `ball`, the ball in it. */
static inline vec_mask sphere_apart(const lane_vectors *lanes, const kiln_probe *probe, bool ball)
{
    const float extents = (probe->half[0] + probe->half[1]) + probe->half[2];
    const float growth = 2.0f * (probe->epsilon * extents + probe->slack);
    const float own = ball ? probe->half[0] + growth : growth;
    const vec reach = lanes->half[0] * (1.0f + 2.0f * probe->epsilon) + own;
    const vec x = probe->centre[0] - lanes->centre[0];
    const vec y = probe->centre[1] - lanes->centre[1];
    const vec z = probe->centre[2] - lanes->centre[2];
    vec squared = x * x + y * y + z * z;
    if (!ball) {
        squared = vec_of(0.0f);
        for (int k = 0; k < 3; k++) {
            const float *axis = probe->axis[k];
            const vec along = vec_abs(x * axis[0] + y * axis[1] + z * axis[2]);
            const vec left = vec_max(along - probe->half[k], vec_of(0.0f));
            squared = squared + left * left;
        }
    }
    return vec_greater(squared, reach * reach);
}

static uint32_t sphere_refine(const kiln_format_node8 *node, const kiln_probe *probe, uint32_t mask)
{
    uint32_t left = 0;
    for (unsigned first = 0; first < 8; first += KILN_SIMD_LANES) {
        lane_vectors lanes;
        decode_sphere((const kiln_format_node_sphere *)(const void *)node, first, &lanes);
        const uint32_t apart = vec_lanes(sphere_apart(&lanes, probe, false));
        left |= (~apart & (mask >> first & KILN_LANES_ALL)) << first;
    }
    return left;
}

/* The cubes around the balls are not tested: they say nothing more. */
static uint32_t sphere_open(const kiln_format_node8 *node, const kiln_box_transform *by,
                            const kiln_decoded_node *other, bool in_order, kiln_decoded_node *out,
                            kiln_probe *probe)
{
    const bool ball = by->balls && other->balls;
    uint32_t apart = 0, used = kiln_node8_used(node);
    carry_probe(by, other, node->org, probe);
    for (unsigned first = 0; first < 8; first += KILN_SIMD_LANES) {
        lane_vectors lanes;
        decode_sphere((const kiln_format_node_sphere *)(const void *)node, first, &lanes);
        keep_lanes(&lanes, first, false, out);
        apart |= vec_lanes(sphere_apart(&lanes, probe, true)) << first;
    }
    used = ball ? used & ~apart : sphere_refine(node, probe, used);
    out->balls = true;
    return finish(node, true, by, probe, used, in_order, out);
}
