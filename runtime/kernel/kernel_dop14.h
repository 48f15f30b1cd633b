/* Kernels of 14-DOPs, compiled once for each instruction set (simd.h): boxes along the axes
 * whose corners are cut off by slabs along the four diagonals, after J. Klosowski, M. Held, J.
 * Mitchell, H. Sowizral and K. Zikan, "Efficient collision detection using bounding volume
 * hierarchies of k-DOPs", 1998. The boxes are tested as those of AABB8 nodes; of what is left
 * the slabs take away lanes against which the probe, projected on a diagonal, lies apart. The
 * other tree's lane is a box there, whatever it is in its own tree, so no volume has to be
 * realigned.
 *
 * Why a lane that is taken away is apart. u and P are those of kernel_boxes.h; d is a diagonal,
 * of length sqrt 3, r the half-width of the lane's slab and m its middle, floats that are the
 * volume's definition. Suppose a point is in both. With the reasons there, it is in an ideal box
 * whose centre is within `slack` of the probe's, whose axes are within 36 u + 2 delta, as
 * vectors, of the probe's, and whose half-extents are larger by (38 u + 2 delta) P. The
 * projections of orthonormal axes on d add up to 3 at most, so that the point's is off d .
 * centre by no more than
 *     sum of h_k |d . a_k| + 3 (38 u + 2 delta) P + sqrt 3 (36 u + 2 delta) P + sqrt 3 slack.
 * Computed, d . centre is off by 2 u of the sum of the centre's coordinates, which is within
 * `slack`; each d . a_k by 4 u, together 7 u P with the products' roundings; the sum by 4 u of
 * itself, at most 7 u P; the difference and the comparison by 3 u of what it is compared with.
 * All of it is below
 *     (206 u + 9.5 delta) P + 2.8 slack + 8 u r,
 * for which 4 (epsilon P + slack) + 14 u r is taken, as epsilon >= 128 u + 4 delta. The slab is
 * finite, since the verifier bounds the steps of its grid. As in kernel_boxes.h, a growth that is
 * finite has a slack below 2^126, so that of volumes that meet no sum of the centre's three
 * coordinates overflows; a growth that is not finite, and NaN, make the comparison false, which
 * keeps the lane. Nothing is fused, so every set gives the same bits. */

#define dop14_refine KILN_SIMD_NAME(dop14_refine)
#define dop14_open KILN_SIMD_NAME(dop14_open)

static uint32_t dop14_refine(const kiln_format_node8 *node, const kiln_probe *probe, uint32_t mask)
{
    const kiln_format_node_dop14 *dop = (const kiln_format_node_dop14 *)(const void *)node;
    const kiln_dop14_diagonals grid = kiln_dop14_diagonals_of(node);
    const float half_step = 0.5f * grid.step;
    const float extents = (probe->half[0] + probe->half[1]) + probe->half[2];
    const float growth = 4.0f * (probe->epsilon * extents + probe->slack);
    float along[KILN_DOP14_DIAGONALS], reach[KILN_DOP14_DIAGONALS];
    for (unsigned j = 0; j < KILN_DOP14_DIAGONALS; j++) {
        const float y = kiln_dop14_y(j), z = kiln_dop14_z(j);
        const float *c = probe->centre;
        along[j] = (c[0] + y * c[1]) + z * c[2];
        reach[j] = growth;
        for (unsigned k = 0; k < 3; k++) {
            const float *a = probe->axis[k];
            reach[j] += probe->half[k] * fabsf((a[0] + y * a[1]) + z * a[2]);
        }
    }
    uint32_t left = 0;
    for (unsigned first = 0; first < 8; first += KILN_SIMD_LANES) {
        const uint32_t some = mask >> first & KILN_LANES_ALL;
        if (some == 0) {
            continue;
        }
        vec_mask apart = vec_int_of(0);
        for (unsigned j = 0; j < KILN_DOP14_DIAGONALS; j++) {
            const vec_int lower = vec_int_load_u8(dop->lower[j] + first);
            const vec_int upper = vec_int_load_u8(dop->upper[j] + first);
            const vec centre = vec_from_int(upper + lower) * half_step + grid.start[j];
            const vec half = vec_from_int(upper - lower) * (half_step * (1.0f + 0x1p-20f));
            apart |= vec_greater(vec_abs(along[j] - centre), half + reach[j]);
        }
        left |= (~vec_lanes(apart) & some) << first;
    }
    return left;
}

/* The boxes first, whose order would be of lanes that the slabs may yet take away. */
static uint32_t dop14_open(const kiln_format_node8 *node, const kiln_box_transform *by,
                           const kiln_decoded_node *other, bool in_order, kiln_decoded_node *out,
                           kiln_probe *probe)
{
    uint32_t mask = aabb8_open(node, by, other, false, out, probe);
    if (mask == 0) {
        return 0;
    }
    mask = dop14_refine(node, probe, mask);
    return finish(node, probe, mask, in_order, out);
}
