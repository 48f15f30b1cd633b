/* Kernels of k-DOPs, compiled once for each instruction set (simd.h): boxes along the axes, cut off
 * by slabs along diagonals, after J. Klosowski, M. Held, J. Mitchell, H. Sowizral and K. Zikan,
 * "Efficient collision detection using bounding volume hierarchies of k-DOPs", 1998. One body
 * serves all kinds: the directions are data.
 *
 * A lane of another tree of k-DOPs is not turned into this one's frame but realigned (G. Zachmann,
 * "Rapid collision detection by dynamically aligned DOP-trees", VRAIS 1998): each direction of
 * either tree is a sum of at most three of the other's, which depends on the poses alone
 * (walk/dop_map.c), and the same sum of slabs is a slab. So the probe is bounded along every
 * direction of the node, and each lane along every direction of the probe; where such slabs are
 * apart, so are the volumes. A lane of a tree of boxes, the box of a shape, and one where a descent
 * begins have no slabs: they are tested as boxes, by the code of AABB8, and then projected on the
 * diagonals.
 *
 * Why a lane that is taken away is apart. u, P and delta are those of kernel_boxes.h. The slabs of
 * lanes are floats that are their definition: if a point p of the node's space, relative to its
 * org, is in a lane, |d_j . p - m_j| <= r_j for each own direction d_j. Suppose it is in the probe
 * too: p is the image under the map A, with its scale s, of a point whose distance from the middle
 * of the probe's box is z, and |e_i . z - M_i| <= R_i for each direction e_i of the other tree,
 * with M_i the middle of its slab less that of the box. The image of the box's middle is within
 * `slack`, by coordinates, of the probe's centre.
 *
 * Along own directions. The table's weights are of a vector that is, by coordinates, within 16 u +
 * 6 delta of A^T d_j: rounding of the rotation, of its sums and of the weights, and the transpose
 * in place of an inverse. As |z|, by coordinates, adds up to P / s at most, that is (16 u + 6
 * delta) P. M_i is off by 4 u G, where G is 255 times the sum of the other node's steps: of numbers
 * that the grid spans. All weights add up to 3 at most; where the volumes are not empty |M_i| is at
 * most R_i and the sum of the box's extents, so that sums and scaling go wrong by 8 u (reach + 3 P)
 * and 12 u s G. d_j . centre, computed, is off by 2 u of the sum of its coordinates, at most
 * `slack`, its distance from m_j by u of itself, and the middle's place adds sqrt 3 slack. All of
 * that is within 2^-20 (r_j + reach) + 8 (epsilon P + slack) + 16 u s G, since epsilon >= 128 u + 4
 * delta, of which the last is 2^-12 times the sum of steps.
 *
 * Along the other's directions. m_j - d_j . centre is off by `slack` and u of itself; weighed, by 3
 * slack and u (reach + 9 P), and the middle's place adds 3 slack more. The weights are of a vector
 * within 16 u + 6 delta of the one that e_i is the image of, and p is within P of the probe's
 * centre: again (28 u + 11 delta) P. The rest is as before, and so is the bound, with room.
 *
 * The probe as a box. With the reasons of kernel_boxes.h, the point is in an ideal box whose centre
 * is within `slack` of the probe's, whose axes are within 36 u + 2 delta, as vectors, of the
 * probe's, and whose half-extents are larger by (38 u + 2 delta) P. A diagonal is no longer than
 * sqrt 3, and the projections of orthonormal axes on it add up to 3 at most, so that the point's is
 * off d . centre by no more than sum of h_k |d . a_k| + 3 (38 u + 2 delta) P + sqrt 3 (36 u + 2
 * delta) P + sqrt 3 slack. Computed, d . centre is off by 2 u of the sum of the centre's
 * coordinates, which is within `slack`; each d . a_k by 4 u, together 7 u P with the products'
 * roundings; the sum by 4 u of itself, at most 7 u P; the difference and the comparison by 3 u of
 * what it is compared with. All of it is below (206 u + 9.5 delta) P + 2.8 slack + 8 u r, for which
 * 4 (epsilon P + slack) + 14 u r is taken.
 *
 * A slab is finite, since the verifier bounds the steps of its grid, and weights are below 2. As in
 * kernel_boxes.h, a growth that is finite has a slack below 2^125, so that of volumes that meet no
 * sum of the centre's three coordinates overflows; a growth that is not finite, and NaN, make the
 * comparison false, which keeps the lane. Nothing is fused, so every set gives the same bits. */

#define dop_grids KILN_SIMD_NAME(dop_grids)
#define dop_probe KILN_SIMD_NAME(dop_probe)
#define dop_lanes KILN_SIMD_NAME(dop_lanes)
#define carry_dop KILN_SIMD_NAME(carry_dop)
#define test_own KILN_SIMD_NAME(test_own)
#define meet_dops KILN_SIMD_NAME(meet_dops)
#define refine_dop KILN_SIMD_NAME(refine_dop)
#define open_dop KILN_SIMD_NAME(open_dop)
#define dop6_open KILN_SIMD_NAME(dop6_open)
#define dop6_refine KILN_SIMD_NAME(dop6_refine)
#define dop14_open KILN_SIMD_NAME(dop14_open)
#define dop14_refine KILN_SIMD_NAME(dop14_refine)
#define dop18_open KILN_SIMD_NAME(dop18_open)
#define dop18_refine KILN_SIMD_NAME(dop18_refine)
#define dop24_open KILN_SIMD_NAME(dop24_open)
#define dop24_refine KILN_SIMD_NAME(dop24_refine)
#define dop26_open KILN_SIMD_NAME(dop26_open)
#define dop26_refine KILN_SIMD_NAME(dop26_refine)

/* What half-widths are multiplied by: 16 u more. */
#define KILN_DOP_WIDER (1.0f + 0x1p-20f)

/* ------------------------------------------------------------------------------ the numbers -- */

/* Half of the step along each direction of a node, and the start: kiln_dop_grid_of, bit for bit. */
__attribute__((noinline)) static void dop_grids(const kiln_dop_set *set,
                                                const kiln_format_node8 *node,
                                                float half_step[KILN_DOP_ROOM],
                                                float start[KILN_DOP_ROOM])
{
    const vec none = vec_of(0.0f);
    const float size[3] = {kiln_node8_step(node->exp[0]), kiln_node8_step(node->exp[1]),
                           kiln_node8_step(node->exp[2])};
    KILN_SMALL_LOOP
    for (unsigned first = 0; first < kiln_dop_directions(set); first += KILN_SIMD_LANES) {
        const vec x = vec_load(set->direction[0] + first), y = vec_load(set->direction[1] + first);
        const vec z = vec_load(set->direction[2] + first);
        const vec sum = (vec_abs(x) * size[0] + vec_abs(y) * size[1]) + vec_abs(z) * size[2];
        const vec below = (vec_max(-x, none) * size[0] + vec_max(-y, none) * size[1]) +
                          vec_max(-z, none) * size[2];
        const vec step = sum * (1.0f + 0x1p-7f);
        vec_store(half_step + first, step * 0.5f);
        vec_store(start + first, below * -255.0f - step);
    }
}

/* The lane in hand of the other tree. Widths are grown by what rounding needs. */
typedef struct {
    float middle[KILN_DOP_ROOM], half[KILN_DOP_ROOM]; /* of its slabs, from its box's middle on */
    float point[KILN_DOP_ROOM];                       /* that, along directions of the node */
    float along[KILN_DOP_ROOM], reach[KILN_DOP_ROOM]; /* slabs along those, from it on */
} dop_probe;

static inline void carry_dop(const kiln_box_transform *by, const kiln_decoded_node *other,
                             const kiln_probe *probe, dop_probe *out)
{
    const kiln_dop_set *set = by->dops->other;
    const kiln_format_node8 *node = other->node;
    const unsigned lane = other->lane;
    float half_step[KILN_DOP_ROOM], start[KILN_DOP_ROOM];
    const float extents = (probe->half[0] + probe->half[1]) + probe->half[2];
    const float steps = (kiln_node8_step(node->exp[0]) + kiln_node8_step(node->exp[1])) +
                        kiln_node8_step(node->exp[2]);
    const float growth =
        8.0f * (probe->epsilon * extents + probe->slack) + 0x1p-12f * (steps * by->scale);
    dop_grids(set, node, half_step, start);
    KILN_SMALL_LOOP
    for (unsigned first = 0; first < kiln_dop_directions(set); first += KILN_SIMD_LANES) {
        const vec from = (vec_load(set->direction[0] + first) * other->lanes.centre[0][lane] +
                          vec_load(set->direction[1] + first) * other->lanes.centre[1][lane]) +
                         vec_load(set->direction[2] + first) * other->lanes.centre[2][lane];
        vec_store(half_step + first, vec_load(half_step + first) * by->scale);
        vec_store(start + first, (vec_load(start + first) - from) * by->scale);
    }
    for (unsigned k = 0; k < 3; k++) {
        out->middle[k] = 0.0f;
        out->half[k] = probe->half[k];
    }
    const uint8_t *low = kiln_dop_lower(node, 0) + lane, *high = low + 8 * set->slabs;
    KILN_SMALL_LOOP
    for (unsigned j = 3; j < kiln_dop_directions(set); j++, low += 8, high += 8) {
        int lower = *low, upper = *high;
        KILN_BY_ITSELF(lower);
        out->middle[j] = (float)(upper + lower) * half_step[j] + start[j];
        out->half[j] = (float)(upper - lower) * half_step[j];
    }
    KILN_SMALL_LOOP
    for (unsigned first = 0; first < kiln_dop_directions(by->dops->own); first += KILN_SIMD_LANES) {
        const float *const own[3] = {by->dops->own->direction[0], by->dops->own->direction[1],
                                     by->dops->own->direction[2]};
        vec along = vec_of(0.0f), reach = vec_of(0.0f);
        KILN_SMALL_LOOP
        for (unsigned i = 0; i < kiln_dop_directions(set); i++) {
            const vec weight = vec_load(by->dops->by_other[i] + first);
            along = along + weight * out->middle[i];
            reach = reach + vec_abs(weight) * out->half[i];
        }
        vec_store(out->along + first, along);
        vec_store(out->reach + first, reach * KILN_DOP_WIDER + growth);
        vec_store(out->point + first, (vec_load(own[0] + first) * probe->centre[0] +
                                       vec_load(own[1] + first) * probe->centre[1]) +
                                          vec_load(own[2] + first) * probe->centre[2]);
    }
    KILN_SMALL_LOOP
    for (unsigned first = 0; first < kiln_dop_directions(set); first += KILN_SIMD_LANES) {
        vec_store(out->half + first, vec_load(out->half + first) * KILN_DOP_WIDER + growth);
    }
}

/* ---------------------------------------------------------------------------------- testing -- */

/* Slabs of some lanes along own directions: middles from the probe's centre on, and half-widths. */
typedef struct {
    vec off[KILN_DOP_DIRECTIONS_MAX], half[KILN_DOP_DIRECTIONS_MAX];
} dop_lanes;

static inline vec_mask test_own(const dop_probe *probe, dop_lanes *lanes, unsigned j, vec middle,
                                vec half)
{
    lanes->off[j] = middle - probe->point[j];
    lanes->half[j] = half;
    return vec_greater(vec_abs(lanes->off[j] - probe->along[j]), half + probe->reach[j]);
}

static uint32_t meet_dops(const kiln_format_node8 *node, const kiln_box_transform *by,
                          const dop_probe *probe, const kiln_decoded_node *opened, uint32_t mask)
{
    const kiln_dop_map *map = by->dops;
    float half_step[KILN_DOP_ROOM], start[KILN_DOP_ROOM];
    uint32_t left = 0;
    dop_grids(map->own, node, half_step, start);
    for (unsigned first = 0; first < 8; first += KILN_SIMD_LANES) {
        const uint32_t some = mask >> first & KILN_LANES_ALL;
        dop_lanes lanes;
        vec_mask apart = vec_int_of(0);
        if (some == 0) {
            continue;
        }
        KILN_SMALL_LOOP
        for (unsigned k = 0; k < 3; k++) {
            apart |= test_own(probe, &lanes, k, vec_load(opened->lanes.centre[k] + first),
                              vec_load(opened->lanes.half[k] + first) * KILN_DOP_WIDER);
        }
        KILN_SMALL_LOOP
        for (unsigned j = 0; j < map->own->slabs; j++) {
            const vec_int lower = vec_int_load_u8(kiln_dop_lower(node, j) + first);
            const vec_int upper = vec_int_load_u8(kiln_dop_upper(map->own, node, j) + first);
            apart |= test_own(probe, &lanes, 3 + j,
                              vec_from_int(upper + lower) * half_step[3 + j] + start[3 + j],
                              vec_from_int(upper - lower) * (half_step[3 + j] * KILN_DOP_WIDER));
        }
        if ((~vec_lanes(apart) & some) == 0) {
            continue;
        }
        KILN_SMALL_LOOP
        for (unsigned i = 0; i < kiln_dop_directions(map->other); i++) {
            const float *w = map->weight[i];
            const uint8_t *at = map->index[i];
            const vec along =
                (lanes.off[at[0]] * w[0] + lanes.off[at[1]] * w[1]) + lanes.off[at[2]] * w[2];
            const vec reach = (lanes.half[at[0]] * fabsf(w[0]) + lanes.half[at[1]] * fabsf(w[1])) +
                              lanes.half[at[2]] * fabsf(w[2]);
            apart |= vec_greater(vec_abs(along - probe->middle[i]), reach + probe->half[i]);
        }
        left |= (~vec_lanes(apart) & some) << first;
    }
    return left;
}

/* The slabs against a box. */
static uint32_t refine_dop(const kiln_dop_set *set, const kiln_format_node8 *node,
                           const kiln_probe *probe, uint32_t mask)
{
    const float extents = (probe->half[0] + probe->half[1]) + probe->half[2];
    const float growth = 4.0f * (probe->epsilon * extents + probe->slack);
    float along[KILN_DOP_ROOM], reach[KILN_DOP_ROOM];
    float half_step[KILN_DOP_ROOM], start[KILN_DOP_ROOM];
    uint32_t left = 0;
    dop_grids(set, node, half_step, start);
    KILN_SMALL_LOOP
    for (unsigned first = 0; first < kiln_dop_directions(set); first += KILN_SIMD_LANES) {
        const vec x = vec_load(set->direction[0] + first), y = vec_load(set->direction[1] + first);
        const vec z = vec_load(set->direction[2] + first);
        const float *c = probe->centre;
        vec sum = vec_of(growth);
        for (unsigned k = 0; k < 3; k++) {
            const float *a = probe->axis[k];
            sum = sum + vec_abs((x * a[0] + y * a[1]) + z * a[2]) * probe->half[k];
        }
        vec_store(along + first, (x * c[0] + y * c[1]) + z * c[2]);
        vec_store(reach + first, sum);
    }
    for (unsigned first = 0; first < 8; first += KILN_SIMD_LANES) {
        const uint32_t some = mask >> first & KILN_LANES_ALL;
        vec_mask apart = vec_int_of(0);
        if (some == 0) {
            continue;
        }
        KILN_SMALL_LOOP
        for (unsigned j = 0; j < set->slabs; j++) {
            const vec_int lower = vec_int_load_u8(kiln_dop_lower(node, j) + first);
            const vec_int upper = vec_int_load_u8(kiln_dop_upper(set, node, j) + first);
            const vec centre = vec_from_int(upper + lower) * half_step[3 + j] + start[3 + j];
            const vec half = vec_from_int(upper - lower) * (half_step[3 + j] * KILN_DOP_WIDER);
            apart |= vec_greater(vec_abs(along[3 + j] - centre), half + reach[3 + j]);
        }
        left |= (~vec_lanes(apart) & some) << first;
    }
    return left;
}

/* ------------------------------------------------------------------------- opening a node -- */

/* The fifteen axes of boxes come first where that is nearly all, and where one of the two has no
 * diagonals of edges: without them, volumes that are apart across an edge are seldom found to be.
 * In either case the order would be of lanes that the slabs may yet take away. */
static uint32_t open_dop(const kiln_dop_set *set, const kiln_format_node8 *node,
                         const kiln_box_transform *by, const kiln_decoded_node *other,
                         bool in_order, kiln_decoded_node *out, kiln_probe *probe)
{
    const bool as_box = by->dops == NULL || other->node == NULL;
    uint32_t mask = kiln_node8_used(node);
    if (as_box || !by->dops->edges) {
        mask = aabb8_open(node, by, other, false, out, probe);
    } else {
        carry_probe(by, other, node->org, probe);
        for (unsigned first = 0; first < 8; first += KILN_SIMD_LANES) {
            lane_vectors lanes;
            decode_aabb8((const kiln_format_node_aabb8 *)(const void *)node, first, &lanes);
            keep_lanes(&lanes, first, false, out);
        }
    }
    if (mask != 0 && as_box) {
        mask = refine_dop(set, node, probe, mask);
    } else if (mask != 0) {
        dop_probe dop;
        carry_dop(by, other, probe, &dop);
        mask = meet_dops(node, by, &dop, out, mask);
    }
    return finish(node, true, by, probe, mask, in_order, out);
}

#define KILN_DOP_KERNELS(kind)                                                                     \
    static uint32_t kind##_refine(const kiln_format_node8 *node, const kiln_probe *probe,          \
                                  uint32_t mask)                                                   \
    {                                                                                              \
        return refine_dop(&kiln_##kind##_set, node, probe, mask);                                  \
    }                                                                                              \
    static uint32_t kind##_open(const kiln_format_node8 *node, const kiln_box_transform *by,       \
                                const kiln_decoded_node *other, bool in_order,                     \
                                kiln_decoded_node *out, kiln_probe *probe)                         \
    {                                                                                              \
        return open_dop(&kiln_##kind##_set, node, by, other, in_order, out, probe);                \
    }
KILN_DOP_KERNELS(dop6)
KILN_DOP_KERNELS(dop14)
KILN_DOP_KERNELS(dop18)
KILN_DOP_KERNELS(dop24)
KILN_DOP_KERNELS(dop26)
