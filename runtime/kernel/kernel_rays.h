/* The descent of a tree along a line, in the vocabulary of simd.h: a line against the eight boxes
 * of a node, by slabs (Kay and Kajiya, "Ray tracing complex scenes", SIGGRAPH 1986). See
 * line_walk.h.
 *
 * Why a clear bit is a proof. u = 2^-24. Let p(s) = o + s d be the line where the slab ray says,
 * and every wanted point within `slack` of it on each axis of node space, so within 1.8 slack along
 * any axis of a box.
 *
 * Boxes in steps. A face at the whole number b of steps is crossed at s = (org + b step - o) / d.
 * What is computed is b A + B with A = step i and B = org i - m, where i is 1 / d and m is o / d
 * more or less e = (slack + KILN_SLAB_ERROR) |i|, both rounded from double. Take |org| <=
 * KILN_SLAB_ORG, |o| <= KILN_SLAB_ORIGIN and, first, |b step| <= 4. In units of |i|: i is off by
 * u, which moves b A + org i by 7 u; m by (2 + e) u; the product in B by 3 u and B by (5 + e) u;
 * b A by 4 u and the sum by (9 + e) u. That is 30 u and 3 u e in all, where products are rounded by
 * themselves; e has 2^-19 = 32 u and a thousandth of the slack for it. Where b step is longer by x,
 * this is 3 u x more, but the face is farther by x from all that is in node space, which is from -1
 * to 1. Products that underflow are off by less than 2^-140. So a nearer face is told from below
 * and a farther one from above. Of a node with another org, which none has that `kiln bake`
 * writes, all lanes are entered.
 *
 * Lanes in floats. The ray is in floats, rounded once: its origin is off by u times its size, which
 * `wide` has room for, its direction by u. c is the lane's centre as the ray's origin sees it,
 * rounded from the sum of two floats, of which the second, p = org - origin, was rounded to float:
 * it is off by u (|c| + |p|). An axis R is off by 8 u in nodes.h of what its whole numbers say; q R
 * by 3 u and q by 2 u of that in ray_axes, so that their quotient is within 13 u of what nodes.h
 * decodes. A projection, fused or not, is off by 3 u of the sum of magnitudes more: in all by 18 u
 * |c|_1 + 2 u |p|_1, for which there are KILN_RAY_CENTRE_ERROR = 24 u and 8 u; a slope by 17 u
 * |d|_1, which is at most 102 u, and by 2^-20 = 16 u where that is its least; both times s, at most
 * s_max at first. All of that is below `reach`, which widens the box. The width is rounded three
 * times, for which KILN_RAY_WIDER has 8 u. The two differences and their quotients by the slope are
 * off by 3 u of themselves: where such a quotient says that the line is not in a slab before or
 * behind s, by 3 u s, as far as the line goes along the slab in that: less than 11 u s_max, the
 * direction being shorter than 3.5. So `wide` has 144 u s_max, for 102 u, 16 u and 11 u.
 *
 * Triangles are tested by the filter of line_triangle.c, in doubles, several at once: the same
 * operations in the same order on each, so with its bounds and its bits. */

#define KILN_RAY_CENTRE_ERROR 0x1.8p-20f
#define KILN_RAY_WIDER (1.0f + 0x1p-21f)
#define KILN_SLAB_ERROR 0x1p-19
#define KILN_SLAB_ORG 3.0f
#define KILN_SLAB_STEP_LEAST 16
#define KILN_SLAB_ORIGIN 2.0

#define quad_bits KILN_SIMD_NAME(quad_bits)
typedef int32_t quad_bits __attribute__((vector_size(16)));

/* ------------------------------------------------------------------------------------ entering --
 */

/* A direction nearly along a face of the boxes is turned so much from it that no quotient is
 * infinite. From s = 0 to LENGTH_MAX that moves a point by at most TURN_SLACK. */
#define KILN_TURN 0x1p-30
#define KILN_LENGTH_MAX 8.0
#define KILN_TURN_SLACK (KILN_LENGTH_MAX * KILN_TURN)

#define KILN_DOUBLE_EXPONENT 0x7FF0000000000000
#define KILN_DOUBLE_TWO_EXPONENTS 0x7FE0000000000000 /* of 1, twice */

#define quad KILN_SIMD_NAME(quad)
#define quad_mask KILN_SIMD_NAME(quad_mask)
#define two_mask KILN_SIMD_NAME(two_mask)
/* Four doubles, which compilers split where registers hold two. */
typedef double quad __attribute__((vector_size(32)));
typedef int64_t quad_mask __attribute__((vector_size(32)));
typedef int64_t two_mask __attribute__((vector_size(16)));

/* Macros, for not all sets can hand such vectors to functions. */
#define KILN_QUAD_OF(v) ((quad){(v), (v), (v), (v)})
#define KILN_QUAD_ABS(v) ((quad)((quad_mask)(v)&INT64_MAX))
#define KILN_QUAD_SELECT(mask, yes, no)                                                            \
    ((quad)(((quad_mask)(yes) & (mask)) | ((quad_mask)(no) & ~(mask))))
#define KILN_QUAD_NARROW(v) __builtin_convertvector(v, kiln_quad)

#if KILN_SIMD_LANES == 8
#define quad_signs(mask) ((uint32_t)_mm256_movemask_pd((__m256d)(mask)))
#else
#define quad_signs(mask)                                                                           \
    ((uint32_t)((mask)[0] < 0) | (uint32_t)((mask)[1] < 0) << 1 | (uint32_t)((mask)[2] < 0) << 2 | \
     (uint32_t)((mask)[3] < 0) << 3)
#endif

#define ray_blind KILN_SIMD_NAME(ray_blind)
/* Slack so large that no box excludes anything: let all boxes pass, with numbers that stay in
 * range. */
static inline void ray_blind(kiln_slab_ray *ray)
{
    memset(ray->origin, 0, sizeof ray->origin);
    for (int k = 0; k < 4; k++) {
        ray->far[k] = 0x1p+20f * fabsf(ray->inverse[k]);
        ray->near[k] = -ray->far[k];
    }
    ray->wide = ray->s_max = 0x1p+20f;
    ray->s_of_t = 0;
    ray->s_first = 0;
}

#define ray_store KILN_SIMD_NAME(ray_store)
static inline void ray_store(float to[4], kiln_quad v)
{
    memcpy(to, &v, sizeof v);
}

#define ray_place KILN_SIMD_NAME(ray_place)
/* Moves the origin to where the line enters the tree's box, so that floats suffice from there on.
 * `own` is NULL, or the caller's ray, of which *line is formed as kiln_line_form does for a tree
 * that is where it is. Returns 0 where the line is clear of the tree's box, -1 where the caller's
 * ray is none, else 1.
 *
 * In units of node space, what is wanted is at an s of at most `sizes` + 2 in magnitude, as the
 * largest coordinate of the direction is 1 or more, and so is where the line enters. Positions go
 * wrong by the rounding of the origin in node space, of the move and of an s, which a few
 * operations give, each under 2^-50 of the numbers that take part; by the turn; and by `off`,
 * which the caller gives. `margin` is more than all of that, and the box is grown by it: an s that
 * is computed is then on the safe side of the one that is meant. For lanes in floats the origin is
 * rounded to 2^-24 of itself; for those in steps origin / direction is formed from quotients that
 * are off by a few 2^-53 of theirs, which moves a point by as little as they do.
 *
 * The errors of line_triangle.c are bounded for the longest edge that the tree's box has room for
 * and the corner that is farthest from the origin: both from the box as it was grown, which is more
 * than any of them are by more than these roundings. */
KILN_OUT_OF_LINE static int ray_place(const kiln_tree *tree, const kiln_ray *own, kiln_line *line,
                                      double off, kiln_slab_ray *ray)
{
    enum { UP = offsetof(kiln_format_node_aabb8, upper) - offsetof(kiln_format_node_aabb8, lower) };
    /* By the signs of the direction. */
    static const kiln_ray_faces faces[8] = {
        {{0, 8, 16, 0}, {UP, UP + 8, UP + 16, 0}}, {{UP, 8, 16, 0}, {0, UP + 8, UP + 16, 0}},
        {{0, UP + 8, 16, 0}, {UP, 8, UP + 16, 0}}, {{UP, UP + 8, 16, 0}, {0, 8, UP + 16, 0}},
        {{0, 8, UP + 16, 0}, {UP, UP + 8, 16, 0}}, {{UP, 8, UP + 16, 0}, {0, UP + 8, 16, 0}},
        {{0, UP + 8, UP + 16, 0}, {UP, 8, 16, 0}}, {{UP, UP + 8, UP + 16, 0}, {0, 8, 16, 0}}};
    KILN_STATIC_ASSERT(UP * sizeof(float) == sizeof((kiln_ray_node *)NULL)->face[0],
                       "faces of kiln_ray_node have the same places, in floats");
    const kiln_format_tree *entry = tree->view.entry;
    const double *start = own != NULL ? own->origin : line->origin;
    const double *course = own != NULL ? own->direction : line->direction;
    const double *ends = own != NULL ? &own->t_min : &line->t_min;
    /* One by one, as the caller has often written them a moment ago. */
    double x = start[0], y = start[1], z = start[2], u = course[0], v = course[1], w = course[2];
    double t_min = ends[0], t_max = ends[1];
    KILN_LOAD_BY_ITSELF(x);
    KILN_LOAD_BY_ITSELF(y);
    KILN_LOAD_BY_ITSELF(z);
    KILN_LOAD_BY_ITSELF(u);
    KILN_LOAD_BY_ITSELF(v);
    KILN_LOAD_BY_ITSELF(w);
    KILN_LOAD_BY_ITSELF(t_min);
    KILN_LOAD_BY_ITSELF(t_max);
    quad from = {x, y, z, z}, direction = {u, v, w, w};
    kiln_two end = {t_min, t_max};
    const quad lengths = KILN_QUAD_ABS(direction);
    const double largest = kiln_larger(kiln_larger(lengths[0], lengths[1]), lengths[2]);
    if (own != NULL) {
        const kiln_two size = (kiln_two)((two_mask)end & INT64_MAX);
        const two_mask endless = size > KILN_LINE_T_MAX;
        const quad_mask sound =
            (KILN_QUAD_ABS(from) <= KILN_LINE_ORIGIN_MAX) & (lengths <= KILN_LINE_DIRECTION_MAX);
        if (quad_signs(sound) != 0xF || !(largest >= KILN_LINE_DIRECTION_MIN) ||
            !(end[0] <= end[1])) {
            return -1;
        }
        from = (quad)((quad_mask)from & (KILN_QUAD_ABS(from) >= KILN_EXACT_MIN));
        direction = (quad)((quad_mask)direction & (lengths >= KILN_LINE_COMPONENT_MIN));
        end = (kiln_two)((two_mask)end & (size >= KILN_LINE_T_MIN) & (~endless | INT64_MIN));
        end = (kiln_two)((two_mask)end | (endless & KILN_DOUBLE_EXPONENT));
        /* The fourth of each is where the next begins. */
        KILN_STATIC_ASSERT(offsetof(kiln_line, direction) == 24 && offsetof(kiln_line, t_min) == 48,
                           "vectors in a row");
        memcpy((uint8_t *)line, &from, sizeof from);
        memcpy((uint8_t *)line + offsetof(kiln_line, direction), &direction, sizeof direction);
        memcpy((uint8_t *)line + offsetof(kiln_line, t_min), &end, sizeof end);
    }
    quad centre;
    kiln_quad least, most;
    KILN_STATIC_ASSERT(offsetof(kiln_format_tree, bounds_upper) + sizeof most <= sizeof *entry &&
                           offsetof(kiln_format_tree, origin) + sizeof centre <= sizeof *entry,
                       "loads of four");
    memcpy(&centre, entry->origin, sizeof centre);
    memcpy(&least, entry->bounds_lower, sizeof least);
    memcpy(&most, entry->bounds_upper, sizeof most);
    const quad middle_of_tree = {centre[0], centre[1], centre[2], centre[2]};
    const quad lowest = {(double)least[0], (double)least[1], (double)least[2], (double)least[2]};
    const quad highest = {(double)most[0], (double)most[1], (double)most[2], (double)most[2]};
    const double unit = kiln_power_of_two(-entry->scale_exponent);
    const quad raw_inverse = 1.0 / (direction + 0x1p-300); /* which changes zeros only */
    /* 2^exponent of the largest, and its inverse: subtracting bits subtracts exponents. */
    const quad_mask exponent = (quad_mask)KILN_QUAD_OF(largest) & (int64_t)KILN_DOUBLE_EXPONENT;
    const quad up = (quad)exponent, down = (quad)((int64_t)KILN_DOUBLE_TWO_EXPONENTS - exponent);
    const quad way = direction * down;
    const quad_mask clips = (quad_mask)(KILN_QUAD_ABS(way) >= KILN_TURN);
    const quad_mask sign = (quad_mask)way & INT64_MIN;
    const quad turned =
        KILN_QUAD_SELECT(clips, way, (quad)((quad_mask)KILN_QUAD_OF(KILN_TURN) | sign));
    const quad inverse = KILN_QUAD_SELECT(clips, raw_inverse * up,
                                          (quad)((quad_mask)KILN_QUAD_OF(1.0 / KILN_TURN) | sign));
    const quad origin = (from - middle_of_tree) * unit;
    const quad sizes = KILN_QUAD_ABS(origin) + KILN_QUAD_ABS(middle_of_tree) * unit;
    const double margin =
        off * unit + (KILN_TURN_SLACK + 0x1p-40) + 0x1p-45 * ((sizes[0] + sizes[1]) + sizes[2]);
    const quad lower = (lowest - middle_of_tree) * unit - margin;
    const quad upper = (highest - middle_of_tree) * unit + margin;
    const quad below = lower - origin, above = upper - origin;
    const quad low = below * inverse, high = above * inverse;
    const quad_mask swapped = sign >> 63;
    const quad endless = KILN_QUAD_OF(HUGE_VAL);
    const quad enter = KILN_QUAD_SELECT(clips, KILN_QUAD_SELECT(swapped, high, low), -endless);
    const quad leave = KILN_QUAD_SELECT(clips, KILN_QUAD_SELECT(swapped, low, high), endless);
    ray->line = line;
    ray->any = ray->normals = ray->only_asked = false;
    ray->s_of_t = up[0] * unit;
    const double first =
        kiln_larger(kiln_larger(enter[0], enter[1]), kiln_larger(enter[2], end[0] * ray->s_of_t));
    const double last = kiln_smaller(kiln_smaller(leave[0], leave[1]),
                                     kiln_smaller(leave[2], end[1] * ray->s_of_t));
    if (!(first <= last)) {
        return 0;
    }
    ray->faces = faces[quad_signs(sign) & 7];
    const quad width = above - below, far = KILN_QUAD_ABS(below), near = KILN_QUAD_ABS(above);
    const quad away = KILN_QUAD_SELECT(far > near, far, near);
    const double size_of_unit = kiln_power_of_two(entry->scale_exponent);
    const double widest = kiln_larger(kiln_larger(width[0], width[1]), width[2]) * size_of_unit;
    const double farthest = kiln_larger(kiln_larger(away[0], away[1]), away[2]) * size_of_unit;
    ray->coarse = KILN_LINE_COARSE * largest;
    const double reach = 1.0001 * ray->coarse * widest;
    ray->off_edges = reach * farthest;
    ray->off_rest = 2 * (2 * ray->off_edges + reach * widest);
    ray->off_height = 1.0001 * KILN_LINE_COARSE * widest * (widest * farthest);
    ray_store(ray->direction, KILN_QUAD_NARROW(turned));
    ray_store(ray->inverse, KILN_QUAD_NARROW(inverse));
    const quad entered = origin + way * first, size = KILN_QUAD_ABS(entered);
    const double beside = margin + KILN_TURN_SLACK;
    const quad_mask misses =
        (quad_mask)(entered < lower - beside) | (quad_mask)(entered > upper + beside);
    if (quad_signs(misses) != 0) {
        return 0; /* along an axis that was not clipped */
    }
    if (margin > 1.0 || last - first > KILN_LENGTH_MAX / 1.01 ||
        quad_signs(size > KILN_SLAB_ORIGIN) != 0) {
        ray_blind(ray); /* the last: of a tree that is outside its node space */
        return 1;
    }
    const quad middle = origin * inverse + way * inverse * first;
    const quad error = KILN_QUAD_ABS(inverse) * (1.001 * margin + KILN_SLAB_ERROR);
    ray_store(ray->near, KILN_QUAD_NARROW(-middle - error));
    ray_store(ray->far, KILN_QUAD_NARROW(error - middle));
    ray_store(ray->origin, KILN_QUAD_NARROW(entered));
    ray->s_first = first;
    ray->s_max = (float)(1.001 * (last - first) + 0x1p-30);
    const double slack = 1.001 * margin + 0x1p-23 * (size[0] + size[1] + size[2]);
    ray->wide = (float)(2 * slack) + 0x1.2p-17f * ray->s_max;
    return 1;
}

#define rays_form KILN_SIMD_NAME(rays_form)
static bool rays_form(const kiln_tree *tree, const kiln_line *line, double off, kiln_slab_ray *ray)
{
    kiln_line own = *line;
    const bool some = ray_place(tree, NULL, &own, off, ray) > 0;
    ray->line = line;
    return some;
}

/* --------------------------------------------------------------------------------------- boxes --
 */

/* Keeps [*near, *far] to what a pair of faces leaves of it. */
#define narrow_slab KILN_SIMD_NAME(narrow_slab)
static inline void narrow_slab(vec enter, vec leave, vec *first, vec *last)
{
    *first = vec_max(enter, *first);
    *last = vec_min(leave, *last);
}

#define node_org KILN_SIMD_NAME(node_org)
static inline kiln_quad node_org(const kiln_format_node8 *node)
{
    const quad_bits three = {-1, -1, -1, 0}; /* what follows them is no number */
    quad_bits org;
    KILN_STATIC_ASSERT(sizeof org <= sizeof *node, "one load");
    memcpy(&org, node, sizeof org);
    return (kiln_quad)(org & three);
}

#define quad_magnitudes KILN_SIMD_NAME(quad_magnitudes)
static inline kiln_quad quad_magnitudes(kiln_quad v)
{
    return (kiln_quad)((quad_bits)v & 0x7FFFFFFF);
}

#define quad_any KILN_SIMD_NAME(quad_any)
static inline bool quad_any(quad_bits mask)
{
#if KILN_SIMD_LANES > 1 && defined(__x86_64__)
    return _mm_movemask_ps((__m128)mask) != 0;
#else
    return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
#endif
}

#define ray_steps KILN_SIMD_NAME(ray_steps)
/* Bit i: the line may meet lane i of a node whose boxes are in steps (kiln_box_layout), and then
 * not before s = entry[i]. All eight lanes are looked at, empty ones too.
 *
 * A step times the inverse is a sum of exponents. One that is so short that the product may be no
 * normal number counts as 2^(KILN_SLAB_STEP_LEAST - 127): a face is then off by 2^-100 at most. */
static inline uint32_t ray_steps(bool fused, const kiln_format_node8 *node,
                                 const kiln_slab_ray *ray, float entry[8])
{
    enum { EXPONENT = 23, BYTE = 0xFF };
    const uint8_t *faces = (const uint8_t *)node + offsetof(kiln_format_node_aabb8, lower);
    int32_t steps;
    uint32_t mask = 0;
    memcpy(&steps, node->exp, sizeof steps);
    if (quad_any(quad_magnitudes(node_org(node)) > KILN_SLAB_ORG)) {
        memset(entry, 0, 8 * sizeof entry[0]);
        return 0xFF;
    }
    for (unsigned i = 0; i < 8; i += KILN_SIMD_LANES) {
        vec enter[3], leave[3];
        for (unsigned k = 0; k < 3; k++) {
            const vec nearer = vec_from_int(vec_int_load_u8(faces + ray->faces.nearer[k] + i));
            const vec farther = vec_from_int(vec_int_load_u8(faces + ray->faces.farther[k] + i));
            const vec_int field = (vec_int_of(steps) & (BYTE << 8 * k)) << (EXPONENT - 8 * (int)k);
            const vec step = vec_of_bits(vec_int_wrap(
                vec_int_max(field, vec_int_of(KILN_SLAB_STEP_LEAST << EXPONENT)),
                vec_int_wrap(vec_bits(vec_of(ray->inverse[k])), vec_int_of(-(127 << EXPONENT)))));
            const vec org = vec_of(node->org[k]), inverse = vec_of(ray->inverse[k]);
            enter[k] = plus_product(fused, plus_product(fused, vec_of(ray->near[k]), org, inverse),
                                    nearer, step);
            leave[k] = plus_product(fused, plus_product(fused, vec_of(ray->far[k]), org, inverse),
                                    farther, step);
        }
        const vec first = vec_max(vec_max(enter[0], enter[1]), vec_max(enter[2], vec_of(0.0f)));
        const vec last =
            vec_min(vec_min(leave[0], leave[1]), vec_min(leave[2], vec_of(ray->s_max)));
        vec_store(entry + i, first);
        mask |= (vec_lanes(vec_greater(first, last)) ^ KILN_LANES_ALL) << i;
    }
    return mask;
}

#define ray_axis KILN_SIMD_NAME(ray_axis)
/* The slab of one axis of the lanes, centre and slope along it and its width, all times `q`. Only
 * products are left to do once the quotient is there. */
static inline void ray_axis(vec centre, vec slope, vec q, vec wide, vec *first, vec *last)
{
    const vec_int sign = vec_bits(slope) & INT32_MIN;
    const vec along = vec_of_bits(vec_bits(centre) ^ sign);
    const vec per_s = vec_of(1.0f) / vec_max(vec_abs(slope), q * 0x1p-20f);
    narrow_slab((along - wide) * per_s, (along + wide) * per_s, first, last);
}

#define ray_reach KILN_SIMD_NAME(ray_reach)
/* What lanes are widened by whose centres are there, and all of a node are. */
static inline vec ray_reach(const vec centre[3], float widen)
{
    const vec far = vec_abs(centre[0]) + vec_abs(centre[1]) + vec_abs(centre[2]);
    return far * KILN_RAY_CENTRE_ERROR + widen;
}

#define ray_widen KILN_SIMD_NAME(ray_widen)
static inline float ray_widen(const kiln_slab_ray *ray, kiln_quad org)
{
    const kiln_quad far = quad_magnitudes(org);
    return ray->wide + 0x1p-21f * (far[0] + far[1] + far[2]);
}

#define ray_turned KILN_SIMD_NAME(ray_turned)
/* q R v of lanes whose axes are the columns of R, and are in `of` by columns. */
static inline vec ray_turned(bool fused, const vec of[3], vec x, vec y, vec z)
{
    return plus_product(fused, plus_product(fused, of[0] * x, of[1], y), of[2], z);
}

#define ray_axes KILN_SIMD_NAME(ray_axes)
/* The columns of q R, and q, of kiln_rodrigues_axes with r = c (x, y, z), where q is (1 + r . r) /
 * (2 c^2): R needs a division. Squares and products of the whole numbers, and sums of these, are
 * exact; what is left are two constants and two or three more roundings, of nothing that is larger
 * than q. */
KILN_IN_LINE vec ray_axes(bool fused, const int8_t rotation[3][8], unsigned first, vec of[3][3])
{
    const double step = (double)KILN_RODRIGUES_STEP;
    const vec half = vec_of(0.5f), own = vec_of((float)(0.5 / (step * step)));
    vec r[3], rr[3];
    for (unsigned k = 0; k < 3; k++) {
        r[k] = vec_from_int(vec_int_load_i8(rotation[k] + first));
        rr[k] = r[k] * r[k];
    }
    const vec square = rr[0] + rr[1] + rr[2];
    const vec rest = plus_product(fused, own, -half, square);
    for (unsigned k = 0; k < 3; k++) {
        const unsigned i = (k + 1) % 3, j = (k + 2) % 3;
        const vec product = r[i] * r[j], alone = r[k] * (float)(1 / step);
        of[j][i] = product - alone;
        of[i][j] = product + alone;
        of[k][k] = rest + rr[k];
    }
    return plus_product(fused, own, half, square);
}

#define ray_oriented KILN_SIMD_NAME(ray_oriented)
/* The same as ray_steps for a node of oriented boxes. Both sides of a slab are q times what they
 * are, which their quotient is without. */
KILN_IN_LINE uint32_t ray_oriented(bool fused, const kiln_format_node_obb8 *node,
                                   const kiln_slab_ray *ray, float entry[8])
{
    const vec scale = vec_of(kiln_half_scale(node->head.half_exp) * KILN_RAY_WIDER);
    const vec_four org =
        (vec_four)vec_four_three(vec_four_load(node->head.org)) - vec_four_load(ray->origin);
    const vec_four away = (vec_four)((vec_four_int)org & 0x7FFFFFFF);
    const vec_four step = vec_four_powers((const uint8_t *)node + offsetof(kiln_format_node8, exp));
    const vec_four way = vec_four_load(ray->direction);
    const vec widen =
        plus_product(fused, vec_of(ray->wide),
                     vec_four_spread(away, 0) + vec_four_spread(away, 1) + vec_four_spread(away, 2),
                     vec_of(0x1p-21f));
    uint32_t mask = 0;
    for (unsigned i = 0; i < 8; i += KILN_SIMD_LANES) {
        vec centre[3], of[3][3], first = vec_of(0.0f), last = vec_of(ray->s_max);
        for (unsigned k = 0; k < 3; k++) {
            const vec byte = vec_from_int(vec_int_load_u8(node->centre[k] + i));
            centre[k] =
                plus_product(fused, vec_four_spread(org, k), byte, vec_four_spread(step, k));
        }
        const vec q = ray_axes(fused, node->rotation, i, of), least = q * 0x1p-20f;
        const vec reach =
            plus_product(fused, widen, vec_abs(centre[0]) + vec_abs(centre[1]) + vec_abs(centre[2]),
                         vec_of(KILN_RAY_CENTRE_ERROR));
        for (unsigned k = 0; k < 3; k++) {
            /* The diagonal last: it takes longest. */
            const unsigned m = (k + 1) % 3, n = (k + 2) % 3;
            const vec order[3] = {of[k][m], of[k][n], of[k][k]};
            const vec slope = ray_turned(fused, order, vec_four_spread(way, m),
                                         vec_four_spread(way, n), vec_four_spread(way, k));
            const vec at = ray_turned(fused, order, centre[m], centre[n], centre[k]);
            const vec half = vec_of_bits(vec_int_load_u16(node->half[k] + i) << 13);
            const vec wide = plus_product(fused, reach, half, scale);
            const vec along = vec_of_bits(vec_bits(at) ^ (vec_bits(slope) & INT32_MIN));
            const vec per_s = vec_of(1.0f) / vec_max(vec_abs(slope), least);
            first = vec_max(plus_product(fused, along, -wide, q) * per_s, first);
            last = vec_min(plus_product(fused, along, wide, q) * per_s, last);
        }
        vec_store(entry + i, first);
        mask |= (vec_lanes(vec_greater(first, last)) ^ KILN_LANES_ALL) << i;
    }
    return mask;
}

#define ray_lanes KILN_SIMD_NAME(ray_lanes)
/* The same for a node of any kind, by its lanes in floats. */
static uint32_t ray_lanes(const kiln_tree *tree, const kiln_format_node8 *node,
                          const kiln_slab_ray *ray, float entry[8])
{
    const float *way = ray->direction;
    const bool aligned = tree->view.kind->aligned;
    kiln_quad origin;
    kiln_lanes decoded;
    uint32_t mask = 0;
    memcpy(&origin, ray->origin, sizeof origin);
    const kiln_quad org = node_org(node) - origin;
    const float widen = ray_widen(ray, org);
    tree->view.kind->decode(node, &decoded);
    for (unsigned i = 0; i < 8; i += KILN_SIMD_LANES) {
        vec centre[3], first = vec_of(0.0f), last = vec_of(ray->s_max);
        for (unsigned k = 0; k < 3; k++) {
            centre[k] = vec_load(decoded.centre[k] + i) + org[k];
        }
        const vec reach = ray_reach(centre, widen);
        for (unsigned k = 0; k < 3; k++) {
            vec at = centre[k], slope = vec_of(way[k]);
            if (!aligned) {
                vec axis[3];
                for (unsigned j = 0; j < 3; j++) {
                    axis[j] = vec_load(decoded.axis[3 * k + j] + i);
                }
                at = ray_turned(false, axis, centre[0], centre[1], centre[2]);
                slope = ray_turned(false, axis, vec_of(way[0]), vec_of(way[1]), vec_of(way[2]));
            }
            const vec half = vec_load(decoded.half[k] + i);
            ray_axis(at, slope, vec_of(1.0f), half * KILN_RAY_WIDER + reach, &first, &last);
        }
        vec_store(entry + i, first);
        mask |= (vec_lanes(vec_greater(first, last)) ^ KILN_LANES_ALL) << i;
    }
    return mask;
}

#define ray_lanes_of KILN_SIMD_NAME(ray_lanes_of)
/* Whichever of them is for the node. */
KILN_IN_LINE uint32_t ray_lanes_of(bool fused, const kiln_tree *tree, const kiln_format_node8 *node,
                                   const kiln_slab_ray *ray, float entry[8])
{
    if (tree->view.kind->in_steps) {
        return ray_steps(fused, node, ray, entry);
    }
    return tree->view.kind->bv == KILN_FORMAT_BV_OBB8
               ? ray_oriented(fused, (const kiln_format_node_obb8 *)(const void *)node, ray, entry)
               : ray_lanes(tree, node, ray, entry);
}

#define ray_lanes_alike KILN_SIMD_NAME(ray_lanes_alike)
/* The same, and the same bits in every set. */
KILN_OUT_OF_LINE static uint32_t ray_lanes_alike(const kiln_tree *tree,
                                                 const kiln_format_node8 *node,
                                                 const kiln_slab_ray *ray, float entry[8])
{
    return ray_lanes_of(false, tree, node, ray, entry);
}

/* ---------------------------------------------------------------------------------- triangles --
 */

#define ray_four KILN_SIMD_NAME(ray_four)
/* What is known of four triangles, as line_triangle.c calls it. */
typedef struct {
    double t[4], u[4], v[4], w[4], sum[4];
    double normal[3][4]; /* where the ray asks for them */
} ray_four;

#define KILN_RAY_NOT 4
#define KILN_RAY_SURE 8

#define ray_largest KILN_SIMD_NAME(ray_largest)
static inline vec_double ray_largest(const vec_double v[3])
{
    return vec_double_max(vec_double_max(vec_double_abs(v[0]), vec_double_abs(v[1])),
                          vec_double_abs(v[2]));
}

#define ray_dot KILN_SIMD_NAME(ray_dot)
static inline vec_double ray_dot(const vec_double a[3], const vec_double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

#define ray_cross KILN_SIMD_NAME(ray_cross)
/* a x b, and the sums of magnitudes that its coordinates are differences of. */
static inline void ray_cross(const vec_double a[3], const vec_double b[3], vec_double out[3],
                             vec_double magnitudes[3])
{
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const vec_double plus = a[i] * b[j], minus = a[j] * b[i];
        out[k] = plus - minus;
        magnitudes[k] = vec_double_abs(plus) + vec_double_abs(minus);
    }
}

#define ray_blurred KILN_SIMD_NAME(ray_blurred)
/* Is what was computed off by too much of itself, from the magnitudes of what it is a sum of? */
static inline vec_double_mask ray_blurred(const vec_double a[3], const vec_double magnitudes[3],
                                          vec_double computed)
{
    const vec_double sizes[3] = {vec_double_abs(a[0]), vec_double_abs(a[1]), vec_double_abs(a[2])};
    return vec_double_greater(ray_dot(sizes, magnitudes) * KILN_LINE_SPACE_BOUND,
                              vec_double_abs(computed) * KILN_LINE_T_PRECISION);
}

#define ray_surely_meets KILN_SIMD_NAME(ray_surely_meets)
/* Bits of those of the triangles that the line surely meets: all three volumes have one sign, by
 * more than they are off, and t, which is height / sum, is between its ends: height and an end
 * times the sum differ by more than they are off. Let w be the widest edge, f the farthest corner
 * and d the direction, each by its largest coordinate, and v = 2^-53. The height is at most 6 w w f
 * in magnitude, off by 54 v w w f, and rounding the difference adds 6 v w w f at most, where
 * off_height has 64 v w w f. The sum is at most 6 w w d, off by 54 v w w d; the product with the
 * end and the difference add 12 v w w d, where off_rest has 128 v w w d or more. */
KILN_IN_LINE uint32_t ray_surely_meets(const kiln_slab_ray *ray, vec_double sum, vec_double height,
                                       vec_double_mask one_sign)
{
    const vec_double size = vec_double_abs(sum);
    const vec_double along =
        vec_double_select(vec_double_less(sum, vec_double_of(0.0)), -height, height);
    for (unsigned i = 0; i < 2; i++) {
        const vec_double end = size * vec_double_of(ray->end[i]);
        const vec_double room = i == 0 ? along - end : end - along;
        one_sign &= vec_double_greater(room, vec_double_of(ray->off_end[i]));
    }
    return vec_double_lanes(one_sign);
}

#define ray_may_pass KILN_SIMD_NAME(ray_may_pass)
/* Bits of those of KILN_SIMD_DOUBLES triangles that the line may pass through, by volumes that may
 * be off by what is most for any triangle of the tree, and with products fused where the set has
 * that, which rounds less: what is passed by here is so in exact arithmetic. Most triangles are.
 * Where it is only asked whether there is a hit, also which of them surely are one, as ray_some has
 * them. */
KILN_IN_LINE uint32_t ray_may_pass(const kiln_slab_ray *ray, const vec_double way[3],
                                   const vec_double from[3], const vec_double ab[3],
                                   const vec_double ac[3], uint32_t lanes)
{
    vec_double p[3], q[3];
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        p[k] = vec_double_fused(way[i], ac[j], -(way[j] * ac[i]));
        q[k] = vec_double_fused(from[i], ab[j], -(from[j] * ab[i]));
    }
    vec_double sum = ab[0] * p[0], u = from[0] * p[0], v = way[0] * q[0];
    for (int k = 1; k < 3; k++) {
        sum = vec_double_fused(ab[k], p[k], sum);
        u = vec_double_fused(from[k], p[k], u);
        v = vec_double_fused(way[k], q[k], v);
    }
    const vec_double w = (sum - u) - v, least = vec_double_min(u, v), most = vec_double_max(u, v);
    const vec_double off = vec_double_of(ray->off_edges), off_w = vec_double_of(ray->off_rest);
    const vec_double_mask under = vec_double_less(w, -off_w), over = vec_double_greater(w, off_w);
    const vec_double_mask less = vec_double_less(least, -off) | under;
    const vec_double_mask more = vec_double_greater(most, off) | over;
    const uint32_t may = ~vec_double_lanes(less & more) & lanes;
    if (may == 0 || !ray->only_asked) {
        return may;
    }
    const vec_double_mask one_sign =
        (vec_double_less(most, -off) & under) | (vec_double_greater(least, off) & over);
    const vec_double height =
        vec_double_fused(ac[2], q[2], vec_double_fused(ac[1], q[1], ac[0] * q[0]));
    return may | (ray_surely_meets(ray, sum, height, one_sign) & lanes) << KILN_RAY_SURE;
}

#define ray_normals KILN_SIMD_NAME(ray_normals)
/* The normals of those triangles that are surely met, bit by bit as fill_hit_normal in query/ray.c
 * computes them for a tree that is where it is. The products with 0 are those of its rotation, and
 * decide the signs of zeros. `edge` is the largest coordinate of the two edges. As the sum of
 * volumes exceeds its error, the largest coordinate of the cross product of the edges, each divided
 * by `edge`, is not below 2^-49, so that the sum of squares is not zero. */
KILN_IN_LINE void ray_normals(const vec_double ab[3], const vec_double ac[3], vec_double edge,
                              unsigned first, ray_four *out)
{
    const vec_double scale = vec_double_of(1.0) / edge;
    vec_double a[3], b[3], own[3], nothing[3];
    for (int k = 0; k < 3; k++) {
        a[k] = ab[k] * scale;
        b[k] = ac[k] * scale;
    }
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        own[k] = a[i] * b[j] - a[j] * b[i];
        nothing[k] = own[k] * 0.0;
    }
    const vec_double shorten = vec_double_of(1.0) / vec_double_sqrt(ray_dot(own, own));
    vec_double_store(out->normal[0] + first, (own[0] + nothing[1] + nothing[2]) * shorten);
    vec_double_store(out->normal[1] + first, (nothing[0] + own[1] + nothing[2]) * shorten);
    vec_double_store(out->normal[2] + first, (nothing[0] + nothing[1] + own[2]) * shorten);
}

#define ray_some KILN_SIMD_NAME(ray_some)
/* KILN_SIMD_DOUBLES of the four, from number `first` on, by their corners, at[corner][axis]: the
 * bits of those in `lanes` whose sides the line may pass; in the next four those that are not met
 * for all that; in the next those that are, of which all is in *out, but where it is only asked
 * whether there is one. They are apart, so that what follows need not wait for quotients. */
KILN_IN_LINE uint32_t ray_some(const kiln_slab_ray *ray, const vec_double at[3][3], uint32_t lanes,
                               unsigned first, ray_four *out)
{
    const kiln_line *line = ray->line;
    vec_double from[3], ab[3], ac[3], p[3], q[3], unused[3], q_size[3], n_size[3];
    vec_double way[3];
    for (int k = 0; k < 3; k++) {
        way[k] = vec_double_of(line->direction[k]);
        from[k] = line->origin[k] - at[0][k];
        ab[k] = at[1][k] - at[0][k];
        ac[k] = at[2][k] - at[0][k];
    }
    const uint32_t may_pass = ray_may_pass(ray, way, from, ab, ac, lanes);
    if (may_pass == 0 || may_pass >> KILN_RAY_SURE != 0) {
        return may_pass << first;
    }
    for (int k = 0; k < 3; k++) { /* nothing is kept of the above, which would need registers */
        KILN_LOAD_BY_ITSELF(from[k]);
        KILN_LOAD_BY_ITSELF(ab[k]);
        KILN_LOAD_BY_ITSELF(ac[k]);
    }
    ray_cross(way, ac, p, unused);
    ray_cross(from, ab, q, q_size);
    const vec_double sum = ray_dot(ab, p), u = ray_dot(from, p), v = ray_dot(way, q);
    const vec_double w = (sum - u) - v;
    const vec_double height = ray_dot(ac, q);
    const vec_double t = height / sum + 0.0, margin = vec_double_abs(t) * KILN_LINE_T_MARGIN;
    const vec_double edge = vec_double_max(ray_largest(ab), ray_largest(ac));
    const vec_double reach = edge * ray->coarse;
    const vec_double error = reach * ray_largest(from);
    const vec_double error_w = (error * 2.0 + reach * edge) * 2.0;
    const vec_double least = vec_double_min(u, v), most = vec_double_max(u, v);
    const vec_double_mask less = vec_double_less(w, -error_w),
                          more = vec_double_greater(w, error_w);
    const vec_double_mask passed =
        (vec_double_less(least, -error) | less) & (vec_double_greater(most, error) | more);
    const vec_double_mask one_sign =
        (vec_double_less(most, -error) & less) | (vec_double_greater(least, error) & more);
    const vec_double t_min = vec_double_of(line->t_min), t_max = vec_double_of(line->t_max);
    ray_cross(ab, ac, unused, n_size);
    const vec_double_mask known =
        one_sign & ~(ray_blurred(ac, q_size, height) | ray_blurred(way, n_size, sum));
    const vec_double_mask outside =
        vec_double_greater(t - margin, t_max) | vec_double_less(t + margin, t_min);
    const vec_double_mask unsure =
        vec_double_greater(t + margin, t_max) | vec_double_less(t - margin, t_min) |
        vec_double_greater(error, vec_double_abs(sum) * KILN_LINE_WEIGHT_PRECISION);
    const uint32_t may = ~vec_double_lanes(passed) & lanes;
    const uint32_t none = vec_double_lanes(known & outside) & lanes;
    const uint32_t sure = vec_double_lanes(known & ~(outside | unsure)) & lanes;
    vec_double_store(out->t + first, t);
    vec_double_store(out->u + first, u);
    vec_double_store(out->v + first, v);
    vec_double_store(out->w + first, w);
    vec_double_store(out->sum + first, sum);
    if (ray->normals && sure != 0) {
        ray_normals(ab, ac, edge, first, out);
    }
    return (may | none << KILN_RAY_NOT | sure << KILN_RAY_SURE) << first;
}

#define ray_corners KILN_SIMD_NAME(ray_corners)
KILN_OUT_OF_LINE static const float *ray_corners(const kiln_tree *tree, uint32_t slot,
                                                 uint32_t count, uint32_t corner[12],
                                                 float room[KILN_TREE_FOUR_ROOM])
{
    return kiln_tree_four_corners(tree, slot, count, corner, room);
}

#define ray_test_four KILN_SIMD_NAME(ray_test_four)
/* The same of `count` triangles, four at most, from a slot on. Where the tree has slots behind them
 * theirs are looked at, too, which costs less than to leave them out. */
KILN_IN_LINE uint32_t ray_test_four(const kiln_tree *tree, const kiln_slab_ray *ray, uint32_t slot,
                                    uint32_t count, ray_four *out)
{
    const uint32_t lanes = (1u << count) - 1u, all = (1u << KILN_SIMD_DOUBLES) - 1u;
    const float *vertices;
    const uint32_t *corner = kiln_tree_four_in_a_row(tree, slot, &vertices);
    float room[KILN_TREE_FOUR_ROOM];
    uint32_t numbers[12], found = 0;
    KILN_ASSERT(count > 0 && count <= 4);
    if (__builtin_expect(corner == NULL, 0)) {
        vertices = ray_corners(tree, slot, count, numbers, room);
        corner = numbers;
    }
    for (uint32_t first = 0; first < 4 && lanes >> first != 0; first += KILN_SIMD_DOUBLES) {
        vec_double at[3][3];
        for (uint32_t c = 0; c < 3; c++) {
            const float *place[KILN_SIMD_DOUBLES];
            for (uint32_t i = 0; i < KILN_SIMD_DOUBLES; i++) {
                place[i] = vertices + 3 * (size_t)corner[3 * (first + i) + c];
            }
            vec_double_gather_three(place, at[c]);
        }
        found |= ray_some(ray, (const vec_double(*)[3])at, lanes >> first & all, first, out);
    }
    return found;
}

#define ray_leaf KILN_SIMD_NAME(ray_leaf)
/* Visits those triangles of a leaf that the line may meet, or all of them. False: the visitor has
 * had enough. */
static bool ray_leaf(const kiln_tree *tree, kiln_slab_ray *ray, bool only_met, uint32_t first,
                     uint32_t count, kiln_ray_visit visit, void *user)
{
    for (uint32_t i = 0; i < count; i += 4) {
        const uint32_t here = count - i < 4 ? count - i : 4;
        ray_four four;
        uint32_t may = (1u << here) - 1u;
        if (only_met) {
            const uint32_t found = ray_test_four(tree, ray, first + i, here, &four);
            may &= found & ~(found >> KILN_RAY_NOT);
        }
        for (; may != 0; may &= may - 1) {
            const uint32_t slot = first + i + (uint32_t)__builtin_ctz(may);
            if (!visit(user, ray, slot, kiln_tree_triangle(tree, slot))) {
                return false;
            }
        }
    }
    return true;
}

/* --------------------------------------------------------------------------------------- walk --
 */

#define ray_waiting KILN_SIMD_NAME(ray_waiting)
typedef struct {
    uint32_t first; /* inner: node; leaf: first slot */
    uint32_t count; /* inner: 0; leaf: triangles */
    float entry;    /* the line is not in the box before this s */
} ray_waiting;

#define ray_box KILN_SIMD_NAME(ray_box)
static inline ray_waiting ray_box(const kiln_format_node8 *node, unsigned lane, float entry)
{
    if ((node->inner >> lane & 1) != 0) {
        const unsigned before = node->inner & ((1u << lane) - 1u);
#if KILN_SIMD_LANES == 1
        return (ray_waiting){node->child + kiln_popcount8(before), 0, entry};
#else
        return (ray_waiting){node->child + (unsigned)__builtin_popcount(before), 0, entry};
#endif
    }
    return (ray_waiting){kiln_node8_slot(node, lane), kiln_node8_count(node, lane), entry};
}

#define ray_open KILN_SIMD_NAME(ray_open)
/* Tests all lanes of a node at once. */
static inline uint32_t ray_open(const kiln_tree *tree, const kiln_slab_ray *ray,
                                const kiln_format_node8 *node, float entry[8])
{
    const uint32_t mask = ray_lanes_alike(tree, node, ray, entry);
    return mask == 0 ? 0 : mask & kiln_node8_used(node);
}

#define rays_lanes KILN_SIMD_NAME(rays_lanes)
static uint32_t rays_lanes(const kiln_tree *tree, const kiln_slab_ray *ray,
                           const kiln_format_node8 *node)
{
    float entry[8];
    return ray_open(tree, ray, node, entry);
}

#define ray_enter KILN_SIMD_NAME(ray_enter)
/* The nearest of a node's boxes that were met; the others wait on the stack, the nearer on top. */
static inline ray_waiting ray_enter(const kiln_format_node8 *node, uint32_t mask,
                                    const float entry[8], ray_waiting *stack, unsigned *height)
{
    const unsigned base = *height;
    unsigned lane = (unsigned)__builtin_ctz(mask);
    ray_waiting nearest = ray_box(node, lane, entry[lane]);
    for (uint32_t left = mask & (mask - 1); left != 0; left &= left - 1) {
        lane = (unsigned)__builtin_ctz(left);
        ray_waiting box = ray_box(node, lane, entry[lane]);
        if (box.entry <= nearest.entry) {
            const ray_waiting nearer = box;
            box = nearest;
            nearest = nearer;
        }
        unsigned place = (*height)++;
        for (; place > base && stack[place - 1].entry < box.entry; place--) {
            stack[place] = stack[place - 1];
        }
        stack[place] = box;
    }
    return nearest;
}

#define rays_walk KILN_SIMD_NAME(rays_walk)
/* The nearest box of a node is taken in hand, never more than seven wait on a level. A box that
 * starts behind what a hit has cut the line to is dropped when it is taken. */
static void rays_walk(const kiln_tree *tree, kiln_slab_ray *ray, bool only_met,
                      kiln_ray_visit visit, void *user)
{
    ray_waiting stack[(KILN_NODE_WIDTH - 1) * KILN_TREE_DEPTH_MAX + KILN_NODE_WIDTH];
    ray_waiting in_hand = {0, 0, 0.0f};
    unsigned height = 0;
    for (;;) {
        bool taken = false;
        if (in_hand.count != 0) {
            if (!ray_leaf(tree, ray, only_met, in_hand.first, in_hand.count, visit, user)) {
                return;
            }
        } else {
            const kiln_format_node8 *node = kiln_tree_node(tree, in_hand.first);
            float entry[8];
            const uint32_t mask = ray_open(tree, ray, node, entry);
            taken = mask != 0;
            if (taken) {
                in_hand = ray_enter(node, mask, entry, stack, &height);
            }
        }
        while (!taken) {
            if (height == 0) {
                return;
            }
            in_hand = stack[--height];
            taken = in_hand.entry <= ray->s_max;
        }
    }
}
