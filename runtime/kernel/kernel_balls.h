/* Kernels of balls in a tree, compiled once for each instruction set (simd.h): one ball against
 * the eight boxes of a node, in floats, and against the triangles or points of a leaf, as many
 * at once as a vector has doubles.
 *
 * Why a lane that is left out is not met. u = 2^-24. The ball holds no point that counts further
 * than `reach` (1 - 2^-16) from its middle (spheres/ball.c), and 2^-16 of it pay for what
 * rounding makes of squares and their sums, of which each is off by 4 u of itself, and of axes
 * that are not quite orthonormal, 60 u.
 *
 * Boxes in steps: o = org - middle is off by u |o|, and a face o + byte step by u more of each
 * of its parts, so by less than 4 u (|o| + 255 step), by which faces are moved outward. Eight
 * balls abreast: a face org + byte step is off by u of itself, which 4 u (|org| + 255 step)
 * cover, and its way to the middle by u more of both, for which ball.c adds 4 u of the middle to
 * the reach. Other boxes: the way t between the centres is off by u (|o| + |t|) along each axis,
 * axes that were decoded are within 14 u, as vectors, of a rotation's and boxes as stored lie in
 * ideal ones whose half-extents are larger by 15 u of the sum H of the three (kernel_boxes.h);
 * so a coordinate of t in the box's frame is off by less than 30 u (|t| + |o|), sums of
 * magnitudes, which 2^-18 of them covers, and 2^-19 H covers the other. Balls (kernel_sphere.h)
 * have no axes: 2^-18 of them covers their sum of squares.
 *
 * Overflow: lanes are below 2^19 and the middle is below 2^22 or far further from all lanes than
 * the ball reaches (spheres/ball.c), so that squares are below 2^48. What is not a number keeps
 * its lane.
 *
 * Triangles. A point of the triangle near the centre, or beside it, by the weights of its
 * corners (Ericson, Real-Time Collision Detection, 2005, section 5.1.5, without a branch): if it
 * is within the low radius the two meet, whatever the weights were computed from, as long as
 * they are weights. If along the way to it all corners are beyond the high radius, they do not.
 * Roundings are those of doubles, below 2^-48 of the numbers that take part, where both radii
 * allow for 2^-37 of them. NaN decides nothing, as every comparison with it is false. */

#define ball_kernels KILN_SIMD_NAME(ball_kernels)
#define ball_steps KILN_SIMD_NAME(ball_steps)
#define ball_boxes KILN_SIMD_NAME(ball_boxes)
#define ball_lanes KILN_SIMD_NAME(ball_lanes)
#define ball_triangles KILN_SIMD_NAME(ball_triangles)
#define ball_points KILN_SIMD_NAME(ball_points)
#define ball_leaf KILN_SIMD_NAME(ball_leaf)
#define ball_walk KILN_SIMD_NAME(ball_walk)
#define ball_abreast KILN_SIMD_NAME(ball_abreast)
#define ball_squared KILN_SIMD_NAME(ball_squared)

/* The square of the way to a box from outside along one axis: what is left beyond its faces. */
static inline vec ball_squared(vec beyond, vec sum)
{
    const vec left = vec_max(beyond, vec_of(0.0f));
    return sum + left * left;
}

#define ball_bits KILN_SIMD_NAME(ball_bits)
#define ball_bytes KILN_SIMD_NAME(ball_bytes)
typedef int32_t ball_bits __attribute__((vector_size(16)));
typedef uint8_t ball_bytes __attribute__((vector_size(4)));

/* Boxes whose faces are bytes (kiln_box_layout). */
static inline uint32_t ball_steps(const kiln_placed_ball *ball, const kiln_format_node8 *node)
{
    const kiln_format_node_aabb8 *box = (const kiln_format_node_aabb8 *)(const void *)node;
    const ball_bits three = {-1, -1, -1, 0}; /* what follows them is no number */
    const vec limit = vec_of(ball->reach * ball->reach);
    ball_bytes bytes;
    ball_bits org;
    kiln_quad middle;
    float step[4], back[4], below[4], above[4];
    uint32_t mask = 0;
    KILN_STATIC_ASSERT(sizeof org <= sizeof *node, "one load");
    memcpy(&org, node->org, sizeof org);
    memcpy(&bytes, node->exp, sizeof bytes); /* the fourth is not looked at */
    memcpy(&middle, ball->middle, sizeof middle);
    const kiln_quad from = (kiln_quad)(org & three) - middle;
    const kiln_quad steps = (kiln_quad)(__builtin_convertvector(bytes, ball_bits) << 23);
    const kiln_quad error = ((kiln_quad)((ball_bits)from & 0x7FFFFFFF) + steps * 255.0f) * 0x1p-22f;
    const kiln_quad nearer = from - error, farther = -(from + error), backward = -steps;
    memcpy(step, &steps, sizeof step);
    memcpy(back, &backward, sizeof back);
    memcpy(below, &nearer, sizeof below);
    memcpy(above, &farther, sizeof above);
    for (unsigned i = 0; i < 8; i += KILN_SIMD_LANES) {
        vec sum = vec_of(0.0f);
        for (int k = 0; k < 3; k++) {
            const vec lower = vec_from_int(vec_int_load_u8(box->lower[k] + i));
            const vec upper = vec_from_int(vec_int_load_u8(box->upper[k] + i));
            /* The products are exact, so that these have the same bits in every set. */
            sum = ball_squared(vec_max(vec_fused(lower, vec_of(step[k]), vec_of(below[k])),
                                       vec_fused(upper, vec_of(back[k]), vec_of(above[k]))),
                               sum);
        }
        mask |= (~vec_lanes(vec_greater(sum, limit)) & KILN_LANES_ALL) << i;
    }
    return mask;
}

/* Boxes in floats, with or without axes, and balls. */
static inline uint32_t ball_boxes(const kiln_tree *tree, const kiln_placed_ball *ball,
                                  const kiln_format_node8 *node)
{
    const kiln_node_kind *kind = tree->view.kind;
    const bool oriented = kind->bv == KILN_FORMAT_BV_OBB8;
    kiln_lanes decoded;
    float from[3], far = 0;
    uint32_t mask = 0;
    if (!oriented && !kind->balls) {
        kind->decode(node, &decoded);
    }
    for (int k = 0; k < 3; k++) {
        from[k] = node->org[k] - ball->middle[k];
        far += fabsf(from[k]);
    }
    for (unsigned i = 0; i < 8; i += KILN_SIMD_LANES) {
        lane_vectors lanes;
        vec way[3], size = vec_of(far), sum = vec_of(0.0f), limit = vec_of(ball->reach);
        if (oriented) {
            decode_obb8((const kiln_format_node_obb8 *)(const void *)node, i, &lanes);
        } else if (kind->balls) {
            decode_sphere((const kiln_format_node_sphere *)(const void *)node, i, &lanes);
        } else {
            load_lanes(&decoded, i, !kind->aligned, &lanes);
        }
        for (int k = 0; k < 3; k++) {
            way[k] = lanes.centre[k] + from[k];
            size = size + vec_abs(way[k]);
        }
        const vec extents = lanes.half[0] + lanes.half[1] + lanes.half[2];
        const vec wide = size * 0x1p-18f + extents * 0x1p-19f;
        if (kind->balls) {
            limit = limit + lanes.half[0] + wide;
            sum = way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
        }
        for (int k = 0; k < 3 && !kind->balls; k++) {
            const vec *axis = lanes.axis + 3 * k;
            const vec along =
                kind->aligned ? way[k] : axis[0] * way[0] + axis[1] * way[1] + axis[2] * way[2];
            sum = ball_squared(vec_abs(along) - (lanes.half[k] + wide), sum);
        }
        mask |= (~vec_lanes(vec_greater(sum, limit * limit)) & KILN_LANES_ALL) << i;
    }
    return mask;
}

static uint32_t ball_lanes(const kiln_tree *tree, const kiln_placed_ball *ball,
                           const kiln_format_node8 *node)
{
    const uint32_t mask =
        tree->view.kind->in_steps ? ball_steps(ball, node) : ball_boxes(tree, ball, node);
    return mask == 0 ? 0 : mask & kiln_node8_used(node);
}

/* The other way round: a box at a time, for lanes that few boxes are left of. */
static void ball_abreast(const kiln_balls_abreast *balls, const kiln_format_node8 *node,
                         uint32_t mask, uint32_t met[8])
{
    const kiln_format_node_aabb8 *box = (const kiln_format_node_aabb8 *)(const void *)node;
    KILN_ALIGNAS(32) float lower[3][8], upper[3][8];
    for (int k = 0; k < 3; k++) {
        const float step = kiln_node8_step(node->exp[k]);
        const float error = (fabsf(node->org[k]) + 255.0f * step) * 0x1p-22f;
        const float below = node->org[k] - error, above = node->org[k] + error;
        for (unsigned i = 0; i < 8; i += KILN_SIMD_LANES) {
            vec_store(lower[k] + i, vec_fused(vec_from_int(vec_int_load_u8(box->lower[k] + i)),
                                              vec_of(step), vec_of(below)));
            vec_store(upper[k] + i, vec_fused(vec_from_int(vec_int_load_u8(box->upper[k] + i)),
                                              vec_of(step), vec_of(above)));
        }
    }
    for (; mask != 0; mask &= mask - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(mask);
        met[lane] = 0;
        for (unsigned i = 0; i < 8; i += KILN_SIMD_LANES) {
            vec sum = vec_of(0.0f);
            for (int k = 0; k < 3; k++) {
                const vec middle = vec_load(balls->middle[k] + i);
                sum = ball_squared(vec_max(lower[k][lane] - middle, middle - upper[k][lane]), sum);
            }
            const vec_mask apart = vec_greater(sum, vec_load(balls->squared + i));
            met[lane] |= (~vec_lanes(apart) & KILN_LANES_ALL) << i;
        }
    }
}

/* Of triangles with these corners: bit i of the result, triangle i may meet the ball; of *sure, it
 * does. */
static inline uint32_t ball_triangles(const kiln_placed_ball *ball,
                                      const float *const *const corners[3], uint32_t *sure)
{
    const vec_double zero = vec_double_of(0), one = vec_double_of(1);
    vec_double a[3], b[3], c[3];
    vec_double a1 = zero, a2 = zero, b1 = zero, b2 = zero, c1 = zero, c2 = zero;
    vec_double aa = zero, ab = zero, ac = zero;
    vec_double_gather_three(corners[0], a);
    vec_double_gather_three(corners[1], b);
    vec_double_gather_three(corners[2], c);
    for (unsigned k = 0; k < 3; k++) {
        a[k] = a[k] - ball->centre[k];
        b[k] = b[k] - ball->centre[k];
        c[k] = c[k] - ball->centre[k];
        aa = aa + a[k] * a[k];
        ab = ab + a[k] * b[k];
        ac = ac + a[k] * c[k];
    }
    /* The last test with the way to the first corner: those of most leaves are found apart. */
    const vec_double first = vec_double_max(vec_double_min(vec_double_min(aa, ab), ac), zero);
    if (vec_double_lanes(vec_double_greater(first * first, aa * ball->high_squared)) ==
        (1u << KILN_SIMD_DOUBLES) - 1u) {
        *sure = 0;
        return 0;
    }
    for (unsigned k = 0; k < 3; k++) {
        const vec_double e = b[k] - a[k], f = c[k] - a[k];
        a1 = a1 - e * a[k];
        a2 = a2 - f * a[k];
        b1 = b1 - e * b[k];
        b2 = b2 - f * b[k];
        c1 = c1 - e * c[k];
        c2 = c2 - f * c[k];
    }
    const vec_double u = b1 * c2 - c1 * b2, v = c1 * a2 - a1 * c2, w = a1 * b2 - b1 * a2;
    /* From the last case to the first; each is the weights of the second and the third corner, and
     * what divides them. */
    const vec_double_mask not_bc = vec_double_greater(u, zero);
    vec_double under = vec_double_select(not_bc, u + v + w, (b2 - b1) + (c1 - c2));
    vec_double second = vec_double_select(not_bc, v, c1 - c2);
    vec_double third = vec_double_select(not_bc, w, b2 - b1);
    const vec_double_mask not_ac =
        vec_double_greater(v, zero) | vec_double_less(a2, zero) | vec_double_greater(c2, zero);
    under = vec_double_select(not_ac, under, a2 - c2);
    second = vec_double_select(not_ac, second, zero);
    third = vec_double_select(not_ac, third, a2);
    const vec_double_mask not_ab =
        vec_double_greater(w, zero) | vec_double_less(a1, zero) | vec_double_greater(b1, zero);
    under = vec_double_select(not_ab, under, a1 - b1);
    second = vec_double_select(not_ab, second, a1);
    third = vec_double_select(not_ab, third, zero);
    const vec_double_mask not_c = vec_double_less(c2, zero) | vec_double_greater(c1, c2);
    const vec_double_mask not_b = vec_double_less(b1, zero) | vec_double_greater(b2, b1);
    const vec_double_mask not_a = vec_double_greater(a1, zero) | vec_double_greater(a2, zero);
    const vec_double_mask edges = not_a & not_b & not_c;
    const vec_double_mask b_only = not_a & ~not_b, c_only = not_a & not_b & ~not_c;
    under = vec_double_select(edges, under, one);
    second = vec_double_select(edges, second, vec_double_select(b_only, one, zero)) / under;
    third = vec_double_select(edges, third, vec_double_select(c_only, one, zero)) / under;
    const vec_double_mask are_weights =
        ~(vec_double_less(second, zero) | vec_double_less(third, zero) |
          vec_double_greater(second + third, vec_double_of(1 + 0x1p-50)));
    vec_double squared = zero, at_a = zero, at_b = zero, at_c = zero;
    for (int k = 0; k < 3; k++) {
        const vec_double way = a[k] + second * (b[k] - a[k]) + third * (c[k] - a[k]);
        squared = squared + way * way;
        at_a = at_a + way * a[k];
        at_b = at_b + way * b[k];
        at_c = at_c + way * c[k];
    }
    const vec_double least = vec_double_min(vec_double_min(at_a, at_b), at_c);
    const vec_double_mask apart = vec_double_greater(least, zero) &
                                  vec_double_greater(least * least, squared * ball->high_squared);
    *sure =
        vec_double_lanes(are_weights & vec_double_less(squared, vec_double_of(ball->low_squared)));
    return ~vec_double_lanes(apart);
}

/* The same of points. */
static inline uint32_t ball_points(const kiln_placed_ball *ball, const float *const *points,
                                   uint32_t *sure)
{
    vec_double squared = vec_double_of(0), at[3];
    vec_double_gather_three(points, at);
    for (unsigned k = 0; k < 3; k++) {
        const vec_double way = at[k] - ball->centre[k];
        squared = squared + way * way;
    }
    *sure = vec_double_lanes(vec_double_less(squared, vec_double_of(ball->low_squared)));
    return ~vec_double_lanes(vec_double_greater(squared, vec_double_of(ball->high_squared)));
}

/* Triangles in their order. The last ones of a leaf are repeated to fill a vector. False: the
 * visitor has had enough. */
static inline bool ball_leaf(const kiln_tree *tree, const kiln_placed_ball *ball, uint32_t first,
                             uint32_t count, kiln_ball_visit visit, void *user)
{
    for (uint32_t i = 0; i < count; i += KILN_SIMD_DOUBLES) {
        const uint32_t here = count - i < KILN_SIMD_DOUBLES ? count - i : KILN_SIMD_DOUBLES;
        const float *corner[3][KILN_SIMD_DOUBLES];
        float room[KILN_SIMD_DOUBLES][10];
        const float *const *const corners[3] = {corner[0], corner[1], corner[2]};
        uint32_t stored[KILN_SIMD_DOUBLES], sure, mask = (1u << here) - 1u;
        bool points = true;
        for (uint32_t j = 0; j < KILN_SIMD_DOUBLES; j++) {
            stored[j] = kiln_tree_triangle(tree, first + i + (j < here ? j : 0));
            const float *vertex[3];
            kiln_tree_corner_places(tree, stored[j], vertex, room[j]);
            points = points && vertex[0] == vertex[1] && vertex[0] == vertex[2];
            for (int c = 0; c < 3; c++) {
                corner[c][j] = vertex[c];
            }
        }
        mask &= points ? ball_points(ball, corner[0], &sure) : ball_triangles(ball, corners, &sure);
        for (; mask != 0; mask &= mask - 1) {
            const uint32_t j = (uint32_t)__builtin_ctz(mask);
            if (!visit(user, stored[j], (sure >> j & 1) != 0)) {
                return false;
            }
        }
    }
    return true;
}

/* A node adds at most seven more to the stack than it takes. */
static bool ball_walk(const kiln_tree *tree, const kiln_placed_ball *ball, uint32_t node_first,
                      uint32_t mask, kiln_ball_visit visit, void *user)
{
    uint32_t stack[(KILN_NODE_WIDTH - 1) * KILN_TREE_DEPTH_MAX + KILN_NODE_WIDTH];
    unsigned height = 0;
    const kiln_format_node8 *node = kiln_tree_node(tree, node_first);
    for (;;) {
        for (; mask != 0; mask &= mask - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(mask);
            if ((node->inner >> lane & 1) != 0) {
                stack[height++] = kiln_node8_child(node, lane);
            } else if (!ball_leaf(tree, ball, kiln_node8_slot(node, lane),
                                  kiln_node8_count(node, lane), visit, user)) {
                return false;
            }
        }
        if (height == 0) {
            return true;
        }
        node = kiln_tree_node(tree, stack[--height]);
        mask = ball_lanes(tree, ball, node);
    }
}

static const kiln_ball_kernels ball_kernels = {
    .lanes = ball_lanes,
    .abreast = ball_abreast,
    .walk = ball_walk,
};
