/* The descent of a tree along a line, in the vocabulary of simd.h: a line against the eight boxes
 * of a node, by slabs (Kay and Kajiya, "Ray tracing complex scenes", SIGGRAPH 1986). See
 * line_walk.h.
 *
 * Why a clear bit is a proof. u = 2^-24. Let p(s) be the line where the slab ray says, and every
 * wanted point within `slack` of it on each axis of node space, so within 1.8 slack along any axis
 * of a box.
 *
 * The ray is in floats, rounded once: its origin is off by u times its size, which `spread` and
 * `wide` have room for, and what is seen from it by u of that.
 *
 * Quantised boxes. A face at the whole number b of steps is crossed at s = b A + B, with A = step /
 * direction, B = (org - origin) / direction. A is off by u |A|, B by 3 u |B| and the origin, so the
 * computed b A + B by at most 3 u |b A| + 4 u |B| more. `near` and `far` are B less and more 16 u
 * (|B| + 255 |A|) + spread (slabs_of): faces are moved apart by more than all of that.
 *
 * Lanes in floats. c is the lane's centre as the ray's origin sees it, rounded from the sum of two
 * floats, of which the second, q = origin - org, was rounded to float: it is off by u (|c| + |q|).
 * A projection on an axis is off by 3 u of the sum of magnitudes more; a slope along it by 4 u
 * |d|_1, which is at most 24 u, and by 2^-20 where that is its least; both times s, at most
 * s_max at first. All of that is below `reach`, which widens the box. The two divisions and their
 * differences are off by 3 u of themselves, which the factor on the nearer one covers: they count
 * only where they are positive.
 *
 * Triangles. Four are tested by the volumes of line_triangle.c in floats, and sorted out where two
 * differ in sign for sure. The line is taken from a point p, which is off a point of it by `off` at
 * most, along d, whose coordinates are off by u of themselves. As the line is the same from any of
 * its points, a volume of p - a, d and an edge of ab, ac is then off by
 *     8 u reach |d|_1 edges + 3 off |d|_1 edges
 * where `reach` and `edges` are the sums of magnitudes of p - a, and of ab and ac, whose own
 * rounding is in the 8 u; and that of d, ab and ac by 8 u edges |d|_1 edges. 16 u are taken, and of
 * the point 2^22 margin and 2^22 u of its coordinates in place of 3 off / 16 u. Products that
 * underflow are off by less than what KILN_RAY_TINY adds, and NaN sorts nothing out. Sums of
 * products that overflow may be infinities of the wrong sign: vertices are within 1 of 0 in node
 * space, so a volume and all that it is made of are below 2^8 squares of the tree's unit, and of
 * trees whose unit is over 2^KILN_RAY_LARGE nothing is sorted out. */

#define KILN_RAY_TINY 0x1p-100f
#define KILN_RAY_LARGE 59

#define quad_bits KILN_SIMD_NAME(quad_bits)
typedef int32_t quad_bits __attribute__((vector_size(16)));
#define quad_bytes KILN_SIMD_NAME(quad_bytes)
typedef uint8_t quad_bytes __attribute__((vector_size(4)));

/* ------------------------------------------------------------------------------------ entering --
 */

/* A direction nearly along a face of the boxes is turned so much from it that no quotient is
 * infinite. From s = 0 to LENGTH_MAX that moves a point by at most TURN_SLACK. */
#define KILN_TURN 0x1p-30
#define KILN_LENGTH_MAX 8.0
#define KILN_TURN_SLACK (KILN_LENGTH_MAX * KILN_TURN)

#define quad KILN_SIMD_NAME(quad)
#define quad_mask KILN_SIMD_NAME(quad_mask)
/* Four doubles, which compilers split where registers hold two. */
typedef double quad __attribute__((vector_size(32)));
typedef int64_t quad_mask __attribute__((vector_size(32)));

/* Macros, for not all sets can hand such vectors to functions. */
#define KILN_QUAD_OF(v) ((quad){(v), (v), (v), (v)})
#define KILN_QUAD_ABS(v) ((quad)((quad_mask)(v)&INT64_MAX))
#define KILN_QUAD_SELECT(mask, yes, no)                                                            \
    ((quad)(((quad_mask)(yes) & (mask)) | ((quad_mask)(no) & ~(mask))))
#define KILN_QUAD_NARROW(v) __builtin_convertvector(v, kiln_quad)

#define ray_blind KILN_SIMD_NAME(ray_blind)
/* Slack so large that no box excludes anything: let all boxes pass, with numbers that stay in
 * range. */
static inline void ray_blind(kiln_slab_ray *ray)
{
    memset(ray->origin, 0, sizeof ray->origin);
    memset(ray->point, 0, sizeof ray->point);
    for (int k = 0; k < 4; k++) {
        ray->spread[k] = 0x1p+20f * fabsf(ray->inverse[k]);
    }
    ray->wide = ray->s_max = 0x1p+20f;
    ray->point_reach = HUGE_VALF;
    ray->s_of_t = 0;
    ray->s_first = 0;
}

#define ray_store KILN_SIMD_NAME(ray_store)
static inline void ray_store(float to[4], kiln_quad v)
{
    memcpy(to, &v, sizeof v);
}

#define rays_form KILN_SIMD_NAME(rays_form)
/* Moves the origin to where the line enters the tree's box, so that floats suffice from there on.
 *
 * Positions go wrong by the rounding of the origin in node space and of the move, each under 2^-50
 * of the numbers that take part, by the rotation, and by `off`, which the caller gives; an s, got
 * by a few operations on numbers of its size, by 2^-48 of itself; all in double. Then floats move
 * the origin by 2^-24 of itself. The point in the tree's own frame is not moved by rotations. */
static bool rays_form(const kiln_tree *tree, const kiln_line *line, double off, kiln_slab_ray *ray)
{
    enum {
        TO_UPPER = offsetof(kiln_format_node_aabb8, upper) - offsetof(kiln_format_node_aabb8, lower)
    };
    const kiln_format_tree *tree_entry = tree->view.entry;
    const double *own = tree_entry->origin, *from = line->origin, *along = line->direction;
    const float *least = tree_entry->bounds_lower, *most = tree_entry->bounds_upper;
    const double unit = kiln_power_of_two(-tree_entry->scale_exponent);
    const double size = kiln_power_of_two(tree_entry->scale_exponent);
    const double x = fabs(along[0]), y = fabs(along[1]), z = fabs(along[2]);
    const double largest = x > y ? (x > z ? x : z) : (y > z ? y : z);
    uint64_t bits;
    memcpy(&bits, &largest, sizeof bits);
    const int exponent = (int)(bits >> 52) - 1023;
    const quad own_origin = {own[0], own[1], own[2], own[2]};
    const quad way = (quad){along[0], along[1], along[2], along[2]} * kiln_power_of_two(-exponent);
    const quad_mask clips = (quad_mask)(KILN_QUAD_ABS(way) >= KILN_TURN);
    const quad_mask sign = (quad_mask)way & INT64_MIN;
    const quad turned =
        KILN_QUAD_SELECT(clips, way, (quad)((quad_mask)KILN_QUAD_OF(KILN_TURN) | sign));
    const quad inverse = 1.0 / turned;
    quad origin = ((quad){from[0], from[1], from[2], from[2]} - own_origin) * unit;
    const quad sizes = KILN_QUAD_ABS(origin) + KILN_QUAD_ABS(own_origin) * unit;
    double margin = off * unit + KILN_TURN_SLACK + 0x1p-48 * ((sizes[0] + sizes[1]) + sizes[2]);
    const quad lower =
        ((quad){(double)least[0], (double)least[1], (double)least[2], (double)least[2]} -
         own_origin) *
            unit -
        margin;
    const quad upper =
        ((quad){(double)most[0], (double)most[1], (double)most[2], (double)most[2]} - own_origin) *
            unit +
        margin;
    const quad low = (lower - origin) * inverse, high = (upper - origin) * inverse;
    const quad_mask swapped = (quad_mask)(high < low);
    quad enter = KILN_QUAD_SELECT(swapped, high, low), leave = KILN_QUAD_SELECT(swapped, low, high);
    enter =
        KILN_QUAD_SELECT(clips, enter - KILN_QUAD_ABS(enter) * 0x1p-48, KILN_QUAD_OF(-HUGE_VAL));
    leave = KILN_QUAD_SELECT(clips, leave + KILN_QUAD_ABS(leave) * 0x1p-48, KILN_QUAD_OF(HUGE_VAL));
    ray->s_of_t = kiln_power_of_two(exponent - tree_entry->scale_exponent);
    double first = line->t_min * ray->s_of_t, last = line->t_max * ray->s_of_t;
    for (int k = 0; k < 3; k++) {
        first = enter[k] > first ? enter[k] : first;
        last = leave[k] < last ? leave[k] : last;
        ray->nearer[k] = (uint8_t)(8 * k + (sign[k] != 0 ? TO_UPPER : 0));
        ray->farther[k] = (uint8_t)(8 * k + (sign[k] != 0 ? 0 : TO_UPPER));
    }
    if (!(first <= last)) {
        return false;
    }
    ray_store(ray->way, KILN_QUAD_NARROW(way));
    ray_store(ray->direction, KILN_QUAD_NARROW(turned));
    ray_store(ray->inverse, KILN_QUAD_NARROW(inverse));
    margin += 0x1p-48 * fabs(first);
    if (margin > 1.0 || last - first > KILN_LENGTH_MAX / 1.01) {
        ray_blind(ray);
        return true;
    }
    origin += way * first;
    const double beside = margin + KILN_TURN_SLACK;
    const quad_mask misses =
        (quad_mask)(origin < lower - beside) | (quad_mask)(origin > upper + beside);
    if ((misses[0] | misses[1] | misses[2]) != 0) {
        return false; /* along an axis that was not clipped */
    }
    const quad place = own_origin + origin * size;
    const quad places = KILN_QUAD_ABS(place), origins = KILN_QUAD_ABS(origin);
    const double slack = 1.001 * margin + 0x1p-23 * (origins[0] + origins[1] + origins[2]);
    ray_store(ray->origin, KILN_QUAD_NARROW(origin));
    ray_store(ray->point, KILN_QUAD_NARROW(place));
    ray_store(ray->spread, KILN_QUAD_NARROW(KILN_QUAD_ABS(inverse) * (1.001 * slack)));
    ray->s_first = first;
    ray->s_max = (float)(1.001 * (last - first) + 0x1p-30);
    ray->wide = (float)(2 * slack) + 0x1p-18f * ray->s_max;
    ray->point_reach = HUGE_VALF;
    if (tree_entry->scale_exponent <= KILN_RAY_LARGE) {
        ray->point_reach =
            (float)(0x1p+22 * (margin * size) + 0.25 * (places[0] + places[1] + places[2]));
    }
    return true;
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

#define node_slabs KILN_SIMD_NAME(node_slabs)
/* The grid of a node along the line: A, and B less and more what faces are moved by. */
typedef struct {
    float step[4], near[4], far[4];
} node_slabs;

#define ray_origin KILN_SIMD_NAME(ray_origin)
/* The node's org less the ray's origin. */
static inline kiln_quad ray_origin(const kiln_format_node8 *node, const kiln_slab_ray *ray)
{
    const quad_bits three = {-1, -1, -1, 0}; /* what follows them is no number */
    quad_bits org;
    kiln_quad origin;
    KILN_STATIC_ASSERT(sizeof org <= sizeof *node, "one load");
    memcpy(&org, node, sizeof org);
    memcpy(&origin, ray->origin, sizeof origin);
    return (kiln_quad)(org & three) - origin;
}

#define quad_magnitudes KILN_SIMD_NAME(quad_magnitudes)
static inline kiln_quad quad_magnitudes(kiln_quad v)
{
    return (kiln_quad)((quad_bits)v & 0x7FFFFFFF);
}

#define slabs_of KILN_SIMD_NAME(slabs_of)
static inline void slabs_of(const kiln_format_node8 *node, const kiln_slab_ray *ray,
                            node_slabs *out)
{
    quad_bytes bytes;
    kiln_quad inverse, spread;
    memcpy(&bytes, node->exp, sizeof bytes); /* the fourth is not looked at */
    const quad_bits exponent = __builtin_convertvector(bytes, quad_bits);
    memcpy(&inverse, ray->inverse, sizeof inverse);
    memcpy(&spread, ray->spread, sizeof spread);
    const kiln_quad step = (kiln_quad)(exponent << 23) * inverse;
    const kiln_quad start = ray_origin(node, ray) * inverse;
    const kiln_quad error =
        (quad_magnitudes(start) + quad_magnitudes(step) * 255.0f) * 0x1p-20f + spread;
    const kiln_quad slabs[3] = {step, start - error, start + error};
    memcpy(out, slabs, sizeof *out);
}

#define ray_bytes KILN_SIMD_NAME(ray_bytes)
/* Bit i: the line may meet lane i of a node whose boxes are in steps (kiln_box_layout), and then
 * not before s = entry[i]. All eight lanes are looked at, empty ones too. */
static inline uint32_t ray_bytes(const kiln_format_node8 *node, const kiln_slab_ray *ray,
                                 float entry[8])
{
    const uint8_t *faces = (const uint8_t *)node + offsetof(kiln_format_node_aabb8, lower);
    node_slabs slabs;
    uint32_t mask = 0;
    slabs_of(node, ray, &slabs);
    for (unsigned i = 0; i < 8; i += KILN_SIMD_LANES) {
        vec first = vec_of(0.0f), last = vec_of(ray->s_max);
        for (unsigned k = 0; k < 3; k++) {
            const vec nearer = vec_from_int(vec_int_load_u8(faces + ray->nearer[k] + i));
            const vec farther = vec_from_int(vec_int_load_u8(faces + ray->farther[k] + i));
            narrow_slab(nearer * slabs.step[k] + slabs.near[k],
                        farther * slabs.step[k] + slabs.far[k], &first, &last);
        }
        vec_store(entry + i, first);
        mask |= (~vec_lanes(vec_greater(first, last)) & KILN_LANES_ALL) << i;
    }
    return mask;
}

#define ray_axis KILN_SIMD_NAME(ray_axis)
/* The slab of one axis of the lanes: centre and slope along it. */
static inline void ray_axis(vec centre, vec slope, vec half, vec reach, vec *first, vec *last)
{
    const vec_int sign = vec_bits(slope) & INT32_MIN;
    const vec along = vec_of_bits(vec_bits(centre) ^ sign);
    const vec per_s = vec_of(1.0f) / vec_max(vec_abs(slope), vec_of(0x1p-20f));
    const vec wide = half * (1.0f + 0x1p-22f) + reach;
    narrow_slab((along - wide) * per_s, (along + wide) * per_s, first, last);
}

#define ray_load KILN_SIMD_NAME(ray_load)
/* Lanes from `first` on; of kinds other than OBB8 they were decoded before. */
static inline void ray_load(const kiln_tree *tree, const kiln_format_node8 *node,
                            const kiln_lanes *decoded, unsigned first, lane_vectors *lanes)
{
    if (tree->view.kind->bv == KILN_FORMAT_BV_OBB8) {
        decode_obb8((const kiln_format_node_obb8 *)(const void *)node, first, lanes);
        return;
    }
    for (int k = 0; k < 3; k++) {
        lanes->centre[k] = vec_load(decoded->centre[k] + first);
        lanes->half[k] = vec_load(decoded->half[k] + first);
    }
    for (int k = 0; k < 9 && !tree->view.kind->aligned; k++) {
        lanes->axis[k] = vec_load(decoded->axis[k] + first);
    }
}

#define ray_lanes KILN_SIMD_NAME(ray_lanes)
/* The same as ray_bytes for a node of another kind, by its lanes in floats. */
static inline uint32_t ray_lanes(const kiln_tree *tree, const kiln_format_node8 *node,
                                 const kiln_slab_ray *ray, float entry[8])
{
    const float *way = ray->direction;
    const kiln_quad org = ray_origin(node, ray), far = quad_magnitudes(org);
    const float widen = ray->wide + 0x1p-21f * (far[0] + far[1] + far[2]);
    kiln_lanes decoded;
    uint32_t mask = 0;
    if (tree->view.kind->bv != KILN_FORMAT_BV_OBB8) {
        tree->view.kind->decode(node, &decoded);
    }
    for (unsigned i = 0; i < 8; i += KILN_SIMD_LANES) {
        lane_vectors lanes;
        ray_load(tree, node, &decoded, i, &lanes);
        const vec x = lanes.centre[0] + org[0];
        const vec y = lanes.centre[1] + org[1];
        const vec z = lanes.centre[2] + org[2];
        const vec reach = (vec_abs(x) + vec_abs(y) + vec_abs(z)) * 0x1p-21f + widen;
        vec first = vec_of(0.0f), last = vec_of(ray->s_max);
        for (unsigned k = 0; k < 3; k++) {
            vec centre = k == 0 ? x : k == 1 ? y : z, slope = vec_of(way[k]);
            if (!tree->view.kind->aligned) {
                const vec *axis = lanes.axis + 3 * k;
                centre = axis[0] * x + axis[1] * y + axis[2] * z;
                slope = axis[0] * way[0] + axis[1] * way[1] + axis[2] * way[2];
            }
            ray_axis(centre, slope, lanes.half[k], reach, &first, &last);
        }
        first = first * (1.0f - 0x1p-20f);
        vec_store(entry + i, first);
        mask |= (~vec_lanes(vec_greater(first, last)) & KILN_LANES_ALL) << i;
    }
    return mask;
}

/* ---------------------------------------------------------------------------------- triangles --
 */

#define ray_triangles KILN_SIMD_NAME(ray_triangles)
/* Bit i: the line may meet the triangle of the vertices corner[i]. A clear bit is a proof. */
static inline uint32_t ray_triangles(const kiln_slab_ray *ray, const float *vertices,
                                     const uint32_t *const corner[4])
{
    const float *way = ray->way;
    const float *from_vertex[3][4];
    kiln_quad from[3], ab[3], ac[3], p[3], q[3];
    kiln_quad edges = {KILN_RAY_TINY, KILN_RAY_TINY, KILN_RAY_TINY, KILN_RAY_TINY},
              reach = {0, 0, 0, 0};
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < 4; i++) {
            from_vertex[c][i] = vertices + 3 * (size_t)corner[i][c];
        }
    }
    for (int k = 0; k < 3; k++) {
        kiln_quad at[3];
        for (int c = 0; c < 3; c++) {
            const float *const *v = from_vertex[c];
            at[c] = (kiln_quad){v[0][k], v[1][k], v[2][k], v[3][k]};
        }
        from[k] = ray->point[k] - at[0];
        ab[k] = at[1] - at[0];
        ac[k] = at[2] - at[0];
        reach += quad_magnitudes(from[k]);
        edges += quad_magnitudes(ab[k]) + quad_magnitudes(ac[k]);
    }
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        p[k] = way[i] * ac[j] - way[j] * ac[i];
        q[k] = from[i] * ab[j] - from[j] * ab[i];
    }
    const kiln_quad sum = ab[0] * p[0] + ab[1] * p[1] + ab[2] * p[2];
    const kiln_quad u = from[0] * p[0] + from[1] * p[1] + from[2] * p[2];
    const kiln_quad v = way[0] * q[0] + way[1] * q[1] + way[2] * q[2];
    const kiln_quad w = (sum - u) - v;
    const kiln_quad unit = edges * (0x1p-20f * (fabsf(way[0]) + fabsf(way[1]) + fabsf(way[2])));
    const kiln_quad error = unit * (reach + ray->point_reach) + KILN_RAY_TINY;
    const kiln_quad error_w = 2.0f * (2.0f * error + unit * edges);
    const quad_bits bit = {1, 2, 4, 8};
    const quad_bits missed = ((u < -error) | (v < -error) | (w < -error_w)) &
                             ((u > error) | (v > error) | (w > error_w)) & bit;
    return ~(uint32_t)(missed[0] | missed[1] | missed[2] | missed[3]);
}

#define ray_leaf KILN_SIMD_NAME(ray_leaf)
/* Visits those triangles of a leaf, or all of them. False: the visitor has had enough. */
static inline bool ray_leaf(const kiln_tree *tree, kiln_slab_ray *ray, bool only_met,
                            uint32_t first, uint32_t count, kiln_ray_visit visit, void *user)
{
    for (uint32_t i = 0; i < count; i += 4) {
        const uint32_t here = count - i < 4 ? count - i : 4;
        const uint32_t *corner[4];
        uint32_t stored[4], mask = (1u << here) - 1u;
        for (uint32_t k = 0; k < 4; k++) {
            stored[k] = kiln_tree_triangle(tree, first + i + (k < here ? k : 0));
            corner[k] = tree->triangles + 3 * (size_t)stored[k];
        }
        if (only_met) {
            mask &= ray_triangles(ray, tree->vertices, corner);
        }
        for (; mask != 0; mask &= mask - 1) {
            const uint32_t k = (uint32_t)__builtin_ctz(mask);
            if (!visit(user, ray, first + i + k, stored[k])) {
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
    const uint32_t mask =
        tree->view.kind->in_steps ? ray_bytes(node, ray, entry) : ray_lanes(tree, node, ray, entry);
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
