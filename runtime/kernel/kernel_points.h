/* The descent of a tree to what is near a point, in the vocabulary of simd.h: the point against
 * the eight boxes of a node in floats, and against as many triangles as a register holds doubles.
 * See walk/point_walk.h.
 *
 * Boxes: lower bounds of squares. u = 2^-24. The point as the node's org sees it, q, is off by
 * `slack` and by u |q| for each rounding: one from double, or two from the two floats that the
 * point is the sum of, as point_walk.c splits it.
 *
 * Quantised boxes. A face at b whole steps is exact; q plus and less a pad of slack + 2^-22 |q|
 * are off by u |q| more, the gap to a face by u of itself. So each gap is at most 1 + u of a true
 * one, and the sum of three squares at most 1 + 8 u of the true square.
 *
 * Lanes in floats. c is the point as the lane's centre sees it, off by u |c|; a projection on an
 * axis is off by 3 u of the sum of magnitudes more. `reach` is above both. The matrix of axes has
 * a norm of at most 1 + 16 u (kernel_gaps.h), so gaps along them, as a vector, are at most so much
 * longer than the way to the box. Of balls the distance from the centre less the radius is as
 * good.
 *
 * KILN_GAP_KEPT, by which the cut is larger than what is wanted (point_walk.c), is below all of
 * these factors; what underflows is less than the cut has room for.
 *
 * Triangles: bounds of squares in doubles, in the tree's own units, u = 2^-53 from here on. Corners
 * are a, b, c; v is the point less a, e and f are b and c less a; Q is the sum of the three squares
 * and S that of the three lengths, so that S^2 <= 3 Q. The nearest point of the triangle, or one
 * about as near, is a + b e + c f by weights b and c (Ericson, Real-Time Collision Detection, 2005,
 * section 5.1.5, without a branch), and w = v - b e - c f is the way from it. All that is wanted
 * follows from products of v, e and f alone, by these weights or by any others:
 *
 * From above: d^2 <= w^2, where they are weights, which is looked at.
 * From below: along w all of the triangle is at m at least, the least of the products of w with v,
 * v - e and v - f, so that d |w| >= m and d^2 >= m^2 / w^2 >= 2 m - w^2, which are about equal
 * where the point was the nearest. With w = v the first test asks whether all are beyond the limit,
 * by d^2 v^2 >= m^2, as those of most leaves are.
 *
 * What this is off by. A coordinate of v, e or f is off by u of itself, a product of two by 5 u of
 * their lengths'; what is added up of such products and weights by 8 u S times a length, w^2 by
 * 11 u S^2, m by 9 u S^2. A sum of weights of up to 1 + 2^-50 moves the point by 8 u S. So w^2 is
 * too low by 27 u S^2 at most and 2 m - w^2 too high by 32 u S^2, or 96 u Q. 256 u Q are taken. In
 * the first test the 10 u of both sides that their roundings are off by are less than that as long
 * as the limit is below 24 Q, and of a larger one nothing is beyond.
 *
 * What is near a sliver may be told badly by that, and then the two bounds are far apart: whoever
 * visits it has to draw them together. Underflow: what is lost is below 2^-1000 in the tree's
 * units, and 2^-700 in those of nodes. `tiny` is more; of points so far away that squares could
 * overflow it is infinite (point_walk.c), so that nothing is known. */

/* ------------------------------------------------------------------------------------- boxes
 * -- */

#define point_bytes KILN_SIMD_NAME(point_bytes)
/* Boxes in steps. */
static inline void point_bytes(const kiln_near_point *near, const kiln_format_node8 *node,
                               float squared[8])
{
    const kiln_format_node_aabb8 *faces = (const kiln_format_node_aabb8 *)(const void *)node;
    kiln_quad high, low;
    float below[4], above[4];
    memcpy(&high, near->high, sizeof high);
    memcpy(&low, near->low, sizeof low);
    const kiln_quad q = (high - node_org(node)) + low;
    const kiln_quad pad = quad_magnitudes(q) * 0x1p-22f + near->slack;
    const kiln_quad from = -(q + pad), to = q - pad;
    memcpy(below, &from, sizeof from);
    memcpy(above, &to, sizeof to);
    for (unsigned i = 0; i < 8; i += KILN_SIMD_LANES) {
        vec sum = vec_of(0.0f);
        for (unsigned k = 0; k < 3; k++) {
            const float step = kiln_node8_step(node->exp[k]);
            const vec lower = vec_from_int(vec_int_load_u8(faces->lower[k] + i));
            const vec upper = vec_from_int(vec_int_load_u8(faces->upper[k] + i));
            /* The products are exact, so that these have the same bits in every set. */
            const vec gap = vec_max(vec_max(vec_fused(lower, vec_of(step), vec_of(below[k])),
                                            vec_fused(upper, vec_of(-step), vec_of(above[k]))),
                                    vec_of(0.0f));
            sum = sum + gap * gap;
        }
        vec_store(squared + i, sum);
    }
}

#define point_load KILN_SIMD_NAME(point_load)
/* Lanes from `first` on; of kinds other than OBB8 they were decoded before. */
static inline void point_load(const kiln_node_kind *kind, const kiln_format_node8 *node,
                              const kiln_lanes *decoded, unsigned first, lane_vectors *lanes)
{
    if (kind->bv == KILN_FORMAT_BV_OBB8) {
        decode_obb8((const kiln_format_node_obb8 *)(const void *)node, first, lanes);
        return;
    }
    for (int k = 0; k < 3; k++) {
        lanes->centre[k] = vec_load(decoded->centre[k] + first);
        lanes->half[k] = vec_load(decoded->half[k] + first);
    }
    for (int k = 0; k < 9; k++) { /* compilers see that none is left alone */
        lanes->axis[k] = kind->aligned ? vec_of(0.0f) : vec_load(decoded->axis[k] + first);
    }
}

#define point_floats KILN_SIMD_NAME(point_floats)
/* Boxes and balls in floats. */
static inline void point_floats(const kiln_near_point *near, const kiln_node_kind *kind,
                                const kiln_format_node8 *node, float squared[8])
{
    kiln_lanes decoded;
    float q[3], size = 0;
    if (kind->bv != KILN_FORMAT_BV_OBB8) {
        kind->decode(node, &decoded);
    }
    for (unsigned k = 0; k < 3; k++) {
        q[k] = (float)(near->at[k] - (double)node->org[k]);
        size += fabsf(q[k]);
    }
    const float wide = 2.0f * near->slack + 0x1p-21f * size;
    for (unsigned i = 0; i < 8; i += KILN_SIMD_LANES) {
        lane_vectors lanes;
        point_load(kind, node, &decoded, i, &lanes);
        const vec x = q[0] - lanes.centre[0];
        const vec y = q[1] - lanes.centre[1];
        const vec z = q[2] - lanes.centre[2];
        const vec reach = (vec_abs(x) + vec_abs(y) + vec_abs(z)) * 0x1p-21f + wide;
        vec sum = vec_of(0.0f);
        if (kind->balls) {
            const vec length = vec_sqrt(x * x + y * y + z * z);
            sum = gap_of(length, lanes.half[0] + reach);
        } else if (kind->aligned) {
            sum = gap_of(x, lanes.half[0] + reach) + gap_of(y, lanes.half[1] + reach) +
                  gap_of(z, lanes.half[2] + reach);
        } else {
            for (int k = 0; k < 3; k++) {
                const vec *axis = lanes.axis + 3 * k;
                sum = sum + gap_of(axis[0] * x + axis[1] * y + axis[2] * z, lanes.half[k] + reach);
            }
        }
        vec_store(squared + i, sum);
    }
}

#define point_vectors (8 / KILN_SIMD_LANES)
#define POINT_GONE INT32_MAX

#define point_open KILN_SIMD_NAME(point_open)
/* The lanes of a node by keys: the bits of a lower bound of its square, which have the order of
 * such numbers, with the number of the lane for their three lowest bits. Of lanes that hold
 * nothing, POINT_GONE. */
static inline void point_open(const kiln_tree *tree, const kiln_near_point *near,
                              const kiln_format_node8 *node, vec_int keys[point_vectors])
{
    static const int32_t lane[8] = {0, 1, 2, 3, 4, 5, 6, 7}, bit[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    const kiln_node_kind *kind = tree->view.kind;
    const vec_int used = vec_int_of((int32_t)kiln_node8_used(node));
    float squared[8];
    if (kind->in_steps) {
        point_bytes(near, node, squared);
    } else {
        point_floats(near, kind, node, squared);
    }
    for (unsigned i = 0; i < point_vectors; i++) {
        const vec_int key = (vec_bits(vec_load(squared + i * KILN_SIMD_LANES)) & ~7) |
                            vec_int_load(lane + i * KILN_SIMD_LANES);
        const vec_int none =
            vec_int_equal(vec_int_load(bit + i * KILN_SIMD_LANES) & used, vec_int_of(0));
        keys[i] = key | (none & POINT_GONE);
    }
}

#define point_cut_bits KILN_SIMD_NAME(point_cut_bits)
/* Keys above it are of lanes that are farther than what is wanted. */
static inline int32_t point_cut_bits(const kiln_near_point *near)
{
    int32_t bits;
    memcpy(&bits, &near->cut, sizeof bits);
    return bits | 7;
}

#define points_lanes KILN_SIMD_NAME(points_lanes)
/* The lanes of a node that are to be entered. */
static uint32_t points_lanes(const kiln_tree *tree, const kiln_near_point *near,
                             const kiln_format_node8 *node)
{
    vec_int keys[point_vectors];
    int32_t key[8];
    uint32_t mask = 0;
    point_open(tree, near, node, keys);
    memcpy(key, keys, sizeof key);
    for (unsigned i = 0; i < 8; i++) {
        mask |= (uint32_t)(key[i] <= point_cut_bits(near)) << i;
    }
    return mask;
}

/* --------------------------------------------------------------------------------- triangles
 * -- */

#define double_dot KILN_SIMD_NAME(double_dot)
static inline vec_double double_dot(const vec_double a[3], const vec_double b[3])
{
    return vec_double_fused(a[2], b[2], vec_double_fused(a[1], b[1], a[0] * b[0]));
}

#define points_weigh KILN_SIMD_NAME(points_weigh)
/* The weights of b and c, from the products of e and f with the ways from a, from b and from c. */
static inline void points_weigh(const vec_double of_a[2], const vec_double of_b[2],
                                const vec_double of_c[2], vec_double *second, vec_double *third)
{
    const vec_double zero = vec_double_of(0.0), one = vec_double_of(1.0);
    const vec_double u = vec_double_fused_less(of_c[0], of_b[1], of_b[0] * of_c[1]);
    const vec_double v = vec_double_fused_less(of_a[0], of_c[1], of_c[0] * of_a[1]);
    const vec_double w = vec_double_fused_less(of_b[0], of_a[1], of_a[0] * of_b[1]);
    const vec_double b_side = of_b[1] - of_b[0], c_side = of_c[0] - of_c[1];
    /* From the last case to the first; each is two weights and what divides them. */
    const vec_double_mask not_bc =
        vec_double_greater(u, zero) | vec_double_less(b_side, zero) | vec_double_less(c_side, zero);
    const vec_double_mask not_ac = vec_double_greater(v, zero) | vec_double_less(of_a[1], zero) |
                                   vec_double_greater(of_c[1], zero);
    const vec_double_mask not_ab = vec_double_greater(w, zero) | vec_double_less(of_a[0], zero) |
                                   vec_double_greater(of_b[0], zero);
    vec_double under = vec_double_select(not_bc, u + v + w, b_side + c_side);
    vec_double b = vec_double_select(not_bc, v, c_side);
    vec_double c = vec_double_select(not_bc, w, b_side);
    under = vec_double_select(not_ac, under, of_a[1] - of_c[1]);
    b = vec_double_select(not_ac, b, zero);
    c = vec_double_select(not_ac, c, of_a[1]);
    under = vec_double_select(not_ab, under, of_a[0] - of_b[0]);
    b = vec_double_select(not_ab, b, of_a[0]);
    c = vec_double_select(not_ab, c, zero);
    const vec_double_mask not_c =
        vec_double_less(of_c[1], zero) | vec_double_greater(of_c[0], of_c[1]);
    const vec_double_mask not_b =
        vec_double_less(of_b[0], zero) | vec_double_greater(of_b[1], of_b[0]);
    const vec_double_mask not_a =
        vec_double_greater(of_a[0], zero) | vec_double_greater(of_a[1], zero);
    const vec_double inverse = one / under;
    b = vec_double_select(not_c, b * inverse, zero);
    c = vec_double_select(not_c, c * inverse, one);
    b = vec_double_max(vec_double_select(not_b, b, one), zero);
    c = vec_double_max(vec_double_select(not_b, c, zero), zero);
    /* A number of a, where it is nearest or where the others are no weights. */
    const vec_double_mask are_weights =
        not_a & vec_double_less(b + c, vec_double_of(1.0 + 0x1p-50));
    *second = vec_double_select(are_weights, b, zero);
    *third = vec_double_select(are_weights, c, zero);
}

#define points_measure KILN_SIMD_NAME(points_measure)
/* Bounds of the squares of the distances of triangles, whose corners are at corner[0 .. 2]. Returns
 * those that are not beyond the limit; where there are none, bounds are not set. */
static inline uint32_t points_measure(const kiln_near_point *near,
                                      const float *const corner[3][KILN_SIMD_DOUBLES],
                                      double lower[KILN_SIMD_DOUBLES],
                                      double upper[KILN_SIMD_DOUBLES])
{
    const uint32_t all = (1u << KILN_SIMD_DOUBLES) - 1u;
    vec_double at[3][3], v[3], e[3], f[3], b, c;
    for (int i = 0; i < 3; i++) {
        vec_double_gather_three(corner[i], at[i]);
    }
    for (int k = 0; k < 3; k++) {
        v[k] = near->own[k] - at[0][k];
        e[k] = at[1][k] - at[0][k];
        f[k] = at[2][k] - at[0][k];
    }
    const vec_double zero = vec_double_of(0.0), limit = vec_double_of(near->own_limit);
    const vec_double ev = double_dot(e, v), fv = double_dot(f, v), vv = double_dot(v, v);
    const vec_double ee = double_dot(e, e), ff = double_dot(f, f);
    const vec_double off = ((vv + ee) + ff) * 0x1p-45 + near->own_tiny;
    /* as below, of corner a */
    const vec_double about =
        vec_double_max(vv - vec_double_max(vec_double_max(ev, fv), zero) - off, zero);
    const uint32_t far = vec_double_lanes(vec_double_greater(about * about, (limit + off) * vv));
    if (far == all) {
        return 0;
    }
    const vec_double ef = double_dot(e, f);
    const vec_double of_a[2] = {ev, fv};
    const vec_double of_b[2] = {ev - ee, fv - ef};
    const vec_double of_c[2] = {ev - ef, fv - ff};
    points_weigh(of_a, of_b, of_c, &b, &c);
    const vec_double along_e = vec_double_fused_less(c, ef, vec_double_fused_less(b, ee, ev));
    const vec_double along_f = vec_double_fused_less(c, ff, vec_double_fused_less(b, ef, fv));
    const vec_double along_v = vec_double_fused_less(c, fv, vec_double_fused_less(b, ev, vv));
    const vec_double square =
        vec_double_fused_less(c, along_f, vec_double_fused_less(b, along_e, along_v));
    const vec_double least = along_v - vec_double_max(vec_double_max(along_e, along_f), zero);
    const vec_double below = (least * 2.0 - square) - off;
    vec_double_store(lower, below);
    vec_double_store(upper, square + off);
    return ~vec_double_lanes(vec_double_greater(below, limit)) & all;
}

#define point_leaf KILN_SIMD_NAME(point_leaf)
/* Visits the triangles of a leaf that may be near enough. False: the visitor has had enough. */
static inline bool point_leaf(const kiln_tree *tree, kiln_near_point *near, uint32_t first,
                              uint32_t count, kiln_point_visit visit, void *user)
{
    const double unit = near->unit * near->unit;
    for (uint32_t i = 0; i < count; i += KILN_SIMD_DOUBLES) {
        const uint32_t here = count - i < KILN_SIMD_DOUBLES ? count - i : KILN_SIMD_DOUBLES;
        const float *corner[3][KILN_SIMD_DOUBLES];
        float room[KILN_SIMD_DOUBLES][10];
        uint32_t stored[KILN_SIMD_DOUBLES];
        double lower[KILN_SIMD_DOUBLES], upper[KILN_SIMD_DOUBLES];
        for (uint32_t k = 0; k < KILN_SIMD_DOUBLES; k++) {
            const float *vertex[3];
            stored[k] = kiln_tree_triangle(tree, first + i + (k < here ? k : 0));
            kiln_tree_corner_places(tree, stored[k], vertex, room[k]);
            for (int c = 0; c < 3; c++) {
                corner[c][k] = vertex[c];
            }
        }
        uint32_t left =
            points_measure(near, (const float *const(*)[KILN_SIMD_DOUBLES])corner, lower, upper) &
            ((1u << here) - 1u);
        while (left != 0) {
            unsigned nearest = (unsigned)__builtin_ctz(left);
            for (uint32_t others = left & (left - 1); others != 0; others &= others - 1) {
                const unsigned other = (unsigned)__builtin_ctz(others);
                nearest = upper[other] < upper[nearest] ? other : nearest;
            }
            left &= ~(1u << nearest);
            if (!(lower[nearest] > near->own_limit) &&
                !visit(user, near, first + i + nearest, stored[nearest], lower[nearest] * unit,
                       upper[nearest] * unit)) {
                return false;
            }
        }
    }
    return true;
}

#define points_slot KILN_SIMD_NAME(points_slot)
static void points_slot(const kiln_tree *tree, kiln_near_point *near, uint32_t slot,
                        kiln_point_visit visit, void *user)
{
    (void)point_leaf(tree, near, slot, 1, visit, user);
}

/* -------------------------------------------------------------------------------------- walk
 * -- */

#define point_level KILN_SIMD_NAME(point_level)
/* A node on the way down, and the lanes that wait. */
typedef struct {
    const kiln_format_node8 *node;
    vec_int keys[point_vectors];
} point_level;

#define points_walk KILN_SIMD_NAME(points_walk)
/* The nearest lane of a node is taken first. The others wait with it, and are dropped together when
 * the nearest of them is beyond the cut. */
static void points_walk(const kiln_tree *tree, kiln_near_point *near, kiln_point_leaf enters,
                        kiln_point_visit visit, void *user)
{
    point_level levels[KILN_TREE_DEPTH_MAX];
    point_level *at = levels;
    vec_int keys[point_vectors];
    const kiln_format_node8 *node = kiln_tree_node(tree, 0);
    point_open(tree, near, node, keys);
    for (;;) {
        vec_int least = keys[0];
        for (unsigned i = 1; i < point_vectors; i++) {
            least = vec_int_min(least, keys[i]);
        }
        least = vec_int_least(least);
        const int32_t key = vec_int_first(least);
        if (key > point_cut_bits(near)) {
            if (at == levels) {
                return;
            }
            at--;
            node = at->node;
            memcpy(keys, at->keys, sizeof keys);
            continue;
        }
        const unsigned lane = (unsigned)key & 7u;
        for (unsigned i = 0; i < point_vectors; i++) {
            keys[i] = keys[i] | (vec_int_equal(keys[i], least) & POINT_GONE);
        }
        if ((node->inner >> lane & 1) != 0) {
            KILN_ASSERT(at - levels < (ptrdiff_t)KILN_TREE_DEPTH_MAX - 1);
            at->node = node;
            memcpy(at->keys, keys, sizeof keys);
            at++;
            node = kiln_tree_node(tree, kiln_node8_child(node, lane));
            point_open(tree, near, node, keys);
        } else if ((enters != NULL && !enters(user)) ||
                   !point_leaf(tree, near, kiln_node8_slot(node, lane),
                               kiln_node8_count(node, lane), visit, user)) {
            return;
        }
    }
}

#undef point_vectors
#undef POINT_GONE
