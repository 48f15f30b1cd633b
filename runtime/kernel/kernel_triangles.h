/* Kernels of triangles, compiled once for each instruction set (simd.h): which pairs of two
 * leaves' triangles may meet. What is left goes to exact.c.
 *
 * Two triangles are apart where their boxes are, or where one lies strictly on one side of the
 * other's plane. Comparisons of coordinates are exact. The heights over a plane are the
 * determinants of exact.c with its range and its bound: a computed one is off by at most g P, g
 * = 8 u / (1 - 8 u), u = 2^-53, where P, a sum of magnitudes, grows with the coordinates'
 * differences. Where the boxes meet, no such difference exceeds the sum of both triangles'
 * extents; taken for all of them, it makes P larger, with one rounding more than a difference
 * has. So c = 10 u would do, as in exact.c, and 16 u is taken.
 *
 * Where triangles of one mesh are asked for more than the corners that they share, those corners
 * are left out of the heights: they are on the plane. If the others, of which there is one at
 * least, lie strictly on one side of it, the triangle has the hull of the shared ones on the plane,
 * and nothing else, so that no other point is in both. */

#define load_corners KILN_SIMD_NAME(load_corners)
#define measure_some KILN_SIMD_NAME(measure_some)
#define triangles_load KILN_SIMD_NAME(triangles_load)
#define triangles_pairs KILN_SIMD_NAME(triangles_pairs)
#define one_side KILN_SIMD_NAME(one_side)
#define triangles_pairs_beyond KILN_SIMD_NAME(triangles_pairs_beyond)
#define pairs_of_one KILN_SIMD_NAME(pairs_of_one)
#define share_corners KILN_SIMD_NAME(share_corners)
#define others_on_one_side KILN_SIMD_NAME(others_on_one_side)
#define boxes_apart KILN_SIMD_NAME(boxes_apart)
#define planes_apart KILN_SIMD_NAME(planes_apart)
#define leaf_reaches KILN_SIMD_NAME(leaf_reaches)

/* The corners that `from` points at, carried where the leaf is Y's: each coordinate is ((r0 x +
 * r1 y) + r2 z) + t, every operation rounded, which kiln_pair_frame_transform says, too. */
static inline void load_corners(const float *const *from, const kiln_transform *carry,
                                vec_double corner[3])
{
    const vec_double x = vec_double_gather(from, 0), y = vec_double_gather(from, 1);
    const vec_double z = vec_double_gather(from, 2);
    if (carry == NULL) {
        corner[0] = x;
        corner[1] = y;
        corner[2] = z;
        return;
    }
    for (int k = 0; k < 3; k++) {
        const double *row = carry->rotation + 3 * k;
        const vec_double sum = ((row[0] * x + row[1] * y) + row[2] * z) + carry->translation[k];
        const vec_double_mask tiny =
            vec_double_less(vec_double_abs(sum), vec_double_of(KILN_EXACT_MIN));
        corner[k] = vec_double_select(tiny, vec_double_of(0.0), sum);
    }
}

/* Triangles i.. of a leaf, whose corners are there. */
static inline void measure_some(const vec_double corner[9], unsigned i, kiln_leaf_triangles *leaf)
{
    vec_double v[3], w[3];
    for (int k = 0; k < 3; k++) {
        const vec_double a = corner[k], b = corner[3 + k], c = corner[6 + k];
        const vec_double lower = vec_double_min(vec_double_min(a, b), c);
        const vec_double upper = vec_double_max(vec_double_max(a, b), c);
        vec_double_store(leaf->lower[k] + i, lower);
        vec_double_store(leaf->upper[k] + i, upper);
        vec_double_store(leaf->extent[k] + i, upper - lower);
        v[k] = b - a;
        w[k] = c - a;
    }
    for (int k = 0; k < 3; k++) {
        const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        const vec_double plus = v[k1] * w[k2], less = v[k2] * w[k1];
        vec_double_store(leaf->normal[k] + i, plus - less);
        vec_double_store(leaf->weight[k] + i, vec_double_abs(plus) + vec_double_abs(less));
    }
}

static void triangles_load(const float *vertices, const uint32_t *const *triangles,
                           const kiln_transform *carry, kiln_leaf_triangles *leaf)
{
    for (unsigned i = 0; i < leaf->count; i += KILN_SIMD_DOUBLES) {
        vec_double corner[9];
        for (int c = 0; c < 3; c++) {
            const float *from[KILN_SIMD_DOUBLES];
            for (unsigned lane = 0; lane < KILN_SIMD_DOUBLES; lane++) {
                from[lane] = vertices + 3 * (size_t)triangles[i + lane][c];
            }
            load_corners(from, carry, corner + 3 * c);
        }
        for (int k = 0; k < 9; k++) {
            vec_double_store(leaf->corner[k] + i, corner[k]);
        }
        measure_some(corner, i, leaf);
    }
}

/* Are all three heights beyond the bound on one side? */
static inline vec_double_mask one_side(vec_double h0, vec_double h1, vec_double h2,
                                       vec_double bound)
{
    const vec_double least = vec_double_min(vec_double_min(h0, h1), h2);
    const vec_double most = vec_double_max(vec_double_max(h0, h1), h2);
    return vec_double_greater(least, bound) | vec_double_less(most, -bound);
}

/* Of triangles i.. of X and triangle j of Y: which corners of each are corners of the other. */
static inline void share_corners(const kiln_leaf_triangles *x, unsigned i,
                                 const kiln_leaf_triangles *y, unsigned j, vec_double_mask of_x[3],
                                 vec_double_mask of_y[3])
{
    const vec_double zero = vec_double_of(0.0);
    for (int c = 0; c < 3; c++) {
        of_x[c] = of_y[c] = vec_double_less(zero, zero);
    }
    for (int c = 0; c < 3; c++) {
        for (int d = 0; d < 3; d++) {
            vec_double_mask same = vec_double_equal(zero, zero);
            for (int k = 0; k < 3; k++) {
                same &= vec_double_equal(vec_double_load(x->corner[3 * c + k] + i),
                                         vec_double_of(y->corner[3 * d + k][j]));
            }
            of_x[c] |= same;
            of_y[d] |= same;
        }
    }
}

/* Are all heights but those of `left_out` beyond the bound on one side, and is there one? */
static inline vec_double_mask
others_on_one_side(const vec_double height[3], const vec_double_mask left_out[3], vec_double bound)
{
    vec_double_mask above = vec_double_greater(height[0], bound) | left_out[0];
    vec_double_mask below = vec_double_less(height[0], -bound) | left_out[0];
    for (int c = 1; c < 3; c++) {
        above &= vec_double_greater(height[c], bound) | left_out[c];
        below &= vec_double_less(height[c], -bound) | left_out[c];
    }
    return (above | below) & ~(left_out[0] & left_out[1] & left_out[2]);
}

/* Triangles i.. of X against triangle j of Y. `beyond` is a constant wherever this is inlined. */
static inline __attribute__((always_inline)) uint32_t pairs_of_one(const kiln_leaf_triangles *x,
                                                                   unsigned i,
                                                                   const kiln_leaf_triangles *y,
                                                                   unsigned j, bool beyond)
{
    vec_double_mask apart =
        vec_double_less(vec_double_load(x->upper[0] + i), vec_double_of(y->lower[0][j]));
    for (int k = 0; k < 3; k++) {
        apart |=
            vec_double_less(vec_double_load(x->upper[k] + i), vec_double_of(y->lower[k][j])) |
            vec_double_greater(vec_double_load(x->lower[k] + i), vec_double_of(y->upper[k][j]));
    }
    const uint32_t all = (1u << KILN_SIMD_DOUBLES) - 1u;
    const uint32_t meet = ~vec_double_lanes(apart) & all;
    if (meet == 0) {
        return 0;
    }
    vec_double over_x[3], over_y[3], normal[3], reach[3];
    for (int k = 0; k < 3; k++) {
        normal[k] = vec_double_load(x->normal[k] + i);
        reach[k] = vec_double_load(x->extent[k] + i) + y->extent[k][j];
    }
    for (int c = 0; c < 3; c++) { /* corner c of each over the other's plane */
        vec_double to_x[3], to_y[3];
        for (int k = 0; k < 3; k++) {
            to_x[k] = y->corner[3 * c + k][j] - vec_double_load(x->corner[k] + i);
            to_y[k] = vec_double_load(x->corner[3 * c + k] + i) - y->corner[k][j];
        }
        over_x[c] = to_x[0] * normal[0] + to_x[1] * normal[1] + to_x[2] * normal[2];
        over_y[c] =
            to_y[0] * y->normal[0][j] + to_y[1] * y->normal[1][j] + to_y[2] * y->normal[2][j];
    }
    const vec_double bound_x = reach[0] * vec_double_load(x->weight[0] + i) +
                               reach[1] * vec_double_load(x->weight[1] + i) +
                               reach[2] * vec_double_load(x->weight[2] + i);
    const vec_double bound_y =
        reach[0] * y->weight[0][j] + reach[1] * y->weight[1][j] + reach[2] * y->weight[2][j];
    if (beyond) {
        vec_double_mask of_x[3], of_y[3];
        share_corners(x, i, y, j, of_x, of_y);
        apart = others_on_one_side(over_x, of_y, 0x1p-49 * bound_x) |
                others_on_one_side(over_y, of_x, 0x1p-49 * bound_y);
    } else {
        apart = one_side(over_x[0], over_x[1], over_x[2], 0x1p-49 * bound_x) |
                one_side(over_y[0], over_y[1], over_y[2], 0x1p-49 * bound_y);
    }
    return ~vec_double_lanes(apart) & meet;
}

static void triangles_pairs(const kiln_leaf_triangles *x, const kiln_leaf_triangles *y,
                            uint32_t *pairs)
{
    for (unsigned j = 0; j < y->count; j++) {
        const unsigned end = x == y ? j : x->count;
        uint32_t mask = 0;
        for (unsigned i = 0; i < end; i += KILN_SIMD_DOUBLES) {
            mask |= pairs_of_one(x, i, y, j, false) << i;
        }
        pairs[j] = mask & ((1u << x->count) - 1u);
    }
}

static void triangles_pairs_beyond(const kiln_leaf_triangles *x, const kiln_leaf_triangles *y,
                                   uint32_t *pairs)
{
    for (unsigned j = 0; j < y->count; j++) {
        const unsigned end = x == y ? j : x->count;
        uint32_t mask = 0;
        for (unsigned i = 0; i < end; i += KILN_SIMD_DOUBLES) {
            mask |= pairs_of_one(x, i, y, j, true) << i;
        }
        pairs[j] = mask & ((1u << x->count) - 1u);
    }
}

/* ------------------------------------------------------------------- a box and a leaf -- */

/* Boxes of triangles i.. and of the box. The reach is rounded a few times, for which the box's
 * error has room. */
static inline vec_double_mask boxes_apart(const kiln_leaf_triangles *leaf, unsigned i,
                                          const kiln_leaf_box *box)
{
    vec_double_mask apart = vec_double_less(vec_double_of(0.0), vec_double_of(0.0));
    for (int k = 0; k < 3; k++) {
        const double reach =
            fabs(box->arm[0][k]) + fabs(box->arm[1][k]) + fabs(box->arm[2][k]) + box->error;
        apart |= vec_double_greater(vec_double_load(leaf->lower[k] + i),
                                    vec_double_of(box->centre[k] + reach)) |
                 vec_double_less(vec_double_load(leaf->upper[k] + i),
                                 vec_double_of(box->centre[k] - reach));
    }
    return apart;
}

/* The computed normal as an axis, which separates whether or not it is the plane's. Corners of
 * the triangle are off the plane through the first, and the centre's height is off, by less than
 * the bound of the head of this file with what each coordinate differs by in place of the
 * extents. */
static inline vec_double_mask planes_apart(const kiln_leaf_triangles *leaf, unsigned i,
                                           const kiln_leaf_box *box)
{
    vec_double height = vec_double_of(0.0), bound = height, reach = height;
    vec_double arm[3] = {height, height, height};
    for (int k = 0; k < 3; k++) {
        const vec_double normal = vec_double_load(leaf->normal[k] + i);
        const vec_double way = box->centre[k] - vec_double_load(leaf->corner[k] + i);
        const vec_double span = vec_double_abs(way) + vec_double_load(leaf->extent[k] + i);
        height += way * normal;
        bound += span * vec_double_load(leaf->weight[k] + i);
        reach += vec_double_abs(normal) * box->error;
        for (int j = 0; j < 3; j++) {
            arm[j] += normal * box->arm[j][k];
        }
    }
    for (int j = 0; j < 3; j++) {
        reach += vec_double_abs(arm[j]);
    }
    return vec_double_greater(vec_double_abs(height), reach + 0x1p-49 * bound);
}

static bool leaf_reaches(const kiln_leaf_triangles *leaf, const kiln_leaf_box *box)
{
    const uint32_t all = (1u << KILN_SIMD_DOUBLES) - 1u;
    for (unsigned i = 0; i < leaf->count; i += KILN_SIMD_DOUBLES) {
        const vec_double_mask apart = boxes_apart(leaf, i, box) | planes_apart(leaf, i, box);
        if ((vec_double_lanes(apart) & all) != all) {
            return true;
        }
    }
    return false;
}
