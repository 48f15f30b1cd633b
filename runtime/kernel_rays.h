/* The descent of a tree along a line, in the vocabulary of simd.h: a line against the eight boxes
 * of a node, by slabs (Kay and Kajiya, "Ray tracing complex scenes", SIGGRAPH 1986), and four
 * triangles at once. See line_walk.h.
 *
 * Why a clear bit is a proof. u = 2^-24. Let p(s) be the line where the slab ray says, and every
 * wanted point within `slack` of it on each axis of node space, so within 1.8 slack along any axis
 * of a box.
 *
 * Quantised boxes. A face at the whole number b of steps is crossed at s = b A + B, with A = step
 * / direction, B = (org - origin) / direction. Both come in double and are rounded once to float,
 * so the computed b A + B is off by at most 3 u |b A| + 2 u |B|. `near` and `far` are B less and
 * more 8 u (|B| + 255 |A|) + slack / |direction| (slabs_of): faces are moved apart by more than
 * all of that.
 *
 * Lanes in floats. c is the lane's centre as the ray's origin sees it, rounded from the sum of two
 * floats, of which the second, q = origin - org, was rounded to float: it is off by u (|c| + |q|).
 * A projection on an axis is off by 3 u of the sum of magnitudes more; a slope along it by 4 u
 * |d|_1, which is at most 24 u, and by 2^-20 where that is its least; both times s, at most
 * `length`. All of that is below `reach`, which widens the box. The two divisions and their
 * differences are off by 3 u of themselves, which the factor on the nearer one covers: they count
 * only where they are positive. */

/* Keeps [*near, *far] to what a pair of faces leaves of it. */
#define narrow_slab KILN_SIMD_NAME(narrow_slab)
static inline void narrow_slab(vec enter, vec leave, vec *first, vec *last)
{
    *first = vec_max(enter, *first);
    *last = vec_min(leave, *last);
}

#define quad KILN_SIMD_NAME(quad)
#define quad_bits KILN_SIMD_NAME(quad_bits)
#define quad_narrow KILN_SIMD_NAME(quad_narrow)
/* Four doubles, which compilers split where registers hold two. */
typedef double quad __attribute__((vector_size(32)));
typedef int64_t quad_bits __attribute__((vector_size(32)));
typedef float quad_narrow __attribute__((vector_size(16)));

#define node_slabs KILN_SIMD_NAME(node_slabs)
/* The grid of a node along the line: A, and B less and more what faces are moved by. */
typedef struct {
    float step[4], near[4], far[4];
} node_slabs;

#define slabs_of KILN_SIMD_NAME(slabs_of)
static inline void slabs_of(const kiln_format_node8 *node, const kiln_slab_ray *ray,
                            node_slabs *out)
{
    const quad_bits magnitude = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    const quad_bits exponent = {node->exp[0], node->exp[1], node->exp[2], 127};
    const quad org = {(double)node->org[0], (double)node->org[1], (double)node->org[2], 0};
    quad origin, inverse, spread;
    memcpy(&origin, ray->origin, sizeof origin);
    memcpy(&inverse, ray->inverse, sizeof inverse);
    memcpy(&spread, ray->spread, sizeof spread);
    const quad step = (quad)((exponent + (1023 - 127)) << 52) * inverse;
    const quad start = (org - origin) * inverse;
    const quad error =
        ((quad)((quad_bits)start & magnitude) + (quad)((quad_bits)step & magnitude) * 255.0) *
            0x1p-21 +
        spread;
    const quad_narrow narrow[3] = {__builtin_convertvector(step, quad_narrow),
                                   __builtin_convertvector(start - error, quad_narrow),
                                   __builtin_convertvector(start + error, quad_narrow)};
    memcpy(out, narrow, sizeof *out);
}

#define ray_bytes KILN_SIMD_NAME(ray_bytes)
/* Bit i: the line may meet lane i of an AABB8 node, and then not before s = entry[i]. All eight
 * lanes are looked at, empty ones too. */
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
    if (tree->kind->bv == KILN_FORMAT_BV_OBB8) {
        decode_obb8((const kiln_format_node_obb8 *)(const void *)node, first, lanes);
        return;
    }
    for (int k = 0; k < 3; k++) {
        lanes->centre[k] = vec_load(decoded->centre[k] + first);
        lanes->half[k] = vec_load(decoded->half[k] + first);
    }
    for (int k = 0; k < 9 && !tree->kind->aligned; k++) {
        lanes->axis[k] = vec_load(decoded->axis[k] + first);
    }
}

#define ray_lanes KILN_SIMD_NAME(ray_lanes)
/* The same as ray_bytes for a node of another kind, by its lanes in floats. */
static inline uint32_t ray_lanes(const kiln_tree *tree, const kiln_format_node8 *node,
                                 const kiln_slab_ray *ray, float entry[8])
{
    const float *way = ray->narrow;
    kiln_lanes decoded;
    float origin[3], distance = 0;
    uint32_t mask = 0;
    for (int k = 0; k < 3; k++) {
        origin[k] = (float)(ray->origin[k] - (double)node->org[k]);
        distance += fabsf(origin[k]);
    }
    const float widen = 2 * ray->slack + 0x1p-18f * ray->length + 0x1p-21f * distance;
    if (tree->kind->bv != KILN_FORMAT_BV_OBB8) {
        tree->kind->decode(node, &decoded);
    }
    for (unsigned i = 0; i < 8; i += KILN_SIMD_LANES) {
        lane_vectors lanes;
        ray_load(tree, node, &decoded, i, &lanes);
        const vec x = lanes.centre[0] - origin[0];
        const vec y = lanes.centre[1] - origin[1];
        const vec z = lanes.centre[2] - origin[2];
        const vec reach = (vec_abs(x) + vec_abs(y) + vec_abs(z)) * 0x1p-21f + widen;
        vec first = vec_of(0.0f), last = vec_of(ray->s_max);
        for (unsigned k = 0; k < 3; k++) {
            vec centre = k == 0 ? x : k == 1 ? y : z, slope = vec_of(way[k]);
            if (!tree->kind->aligned) {
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
/* Bit i: the line may meet the triangle of the three vertices corner[i]. A clear bit is a proof:
 * the filter of line_triangle.c for four at once, its bound by sums of magnitudes in place of the
 * largest, whose product is above that of all six monomials. Only what is passed by for sure is
 * sorted out. */
static inline uint32_t ray_triangles(const kiln_line *line, const float *vertices,
                                     const uint32_t *const corner[4])
{
    const quad_bits magnitude = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    const double *way = line->direction;
    quad from[3], ab[3], ac[3], p[3], q[3];
    quad edges = {0, 0, 0, 0}, reach = {0, 0, 0, 0};
    for (int k = 0; k < 3; k++) {
        quad at[3];
        for (int c = 0; c < 3; c++) {
            at[c] = (quad){(double)vertices[3 * (size_t)corner[0][c] + (size_t)k],
                           (double)vertices[3 * (size_t)corner[1][c] + (size_t)k],
                           (double)vertices[3 * (size_t)corner[2][c] + (size_t)k],
                           (double)vertices[3 * (size_t)corner[3][c] + (size_t)k]};
        }
        from[k] = line->origin[k] - at[0];
        ab[k] = at[1] - at[0];
        ac[k] = at[2] - at[0];
        reach += (quad)((quad_bits)from[k] & magnitude);
        edges += (quad)((quad_bits)ab[k] & magnitude) + (quad)((quad_bits)ac[k] & magnitude);
    }
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        p[k] = way[i] * ac[j] - way[j] * ac[i];
        q[k] = from[i] * ab[j] - from[j] * ab[i];
    }
    const quad sum = ab[0] * p[0] + ab[1] * p[1] + ab[2] * p[2];
    const quad u = from[0] * p[0] + from[1] * p[1] + from[2] * p[2];
    const quad v = way[0] * q[0] + way[1] * q[1] + way[2] * q[2];
    const quad w = (sum - u) - v;
    const quad unit = edges * (0x1p-49 * (fabs(way[0]) + fabs(way[1]) + fabs(way[2])));
    const quad error = unit * reach, error_w = 2.0 * (2.0 * error + unit * edges);
    const quad_bits missed = ((u < -error) | (v < -error) | (w < -error_w)) &
                             ((u > error) | (v > error) | (w > error_w));
    return ~((uint32_t)(missed[0] & 1) | (uint32_t)(missed[1] & 2) | (uint32_t)(missed[2] & 4) |
             (uint32_t)(missed[3] & 8));
}

#define ray_leaf KILN_SIMD_NAME(ray_leaf)
/* False: the visitor has had enough. */
static inline bool ray_leaf(const kiln_tree *tree, kiln_slab_ray *ray, const kiln_line *line,
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
        if (line != NULL) {
            mask &= ray_triangles(line, tree->vertices, corner);
        }
        for (; mask != 0; mask &= mask - 1) {
            if (!visit(user, ray, stored[__builtin_ctz(mask)])) {
                return false;
            }
        }
    }
    return true;
}

/* --------------------------------------------------------------------------------------- walk --
 */

#define ray_waiting KILN_SIMD_NAME(ray_waiting)
#define ray_stack KILN_SIMD_NAME(ray_stack)
typedef struct {
    uint32_t first; /* inner: node; leaf: first slot */
    uint32_t count; /* inner: 0; leaf: triangles */
    float entry;    /* the line is not in the box before this s */
} ray_waiting;

/* Never more than seven boxes wait on a level. */
typedef struct {
    ray_waiting boxes[(KILN_NODE_WIDTH - 1) * KILN_TREE_DEPTH_MAX + KILN_NODE_WIDTH];
    unsigned height;
} ray_stack;

#define ray_open KILN_SIMD_NAME(ray_open)
/* Tests all lanes of a node at once, and places those that the line may meet on the stack, the
 * nearest on top. */
static inline void ray_open(const kiln_tree *tree, const kiln_slab_ray *ray, uint32_t index,
                            ray_stack *stack)
{
    const kiln_format_node8 *node = kiln_tree_node(tree, index);
    const unsigned base = stack->height;
    float entry[8];
    uint32_t mask = tree->kind->bv == KILN_FORMAT_BV_AABB8 ? ray_bytes(node, ray, entry)
                                                           : ray_lanes(tree, node, ray, entry);
    for (mask &= kiln_node8_used(node); mask != 0; mask &= mask - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(mask);
        const bool inner = (node->inner >> lane & 1) != 0;
        const ray_waiting box = {inner ? kiln_node8_child(node, lane) : kiln_node8_slot(node, lane),
                                 inner ? 0 : kiln_node8_count(node, lane), entry[lane]};
        unsigned place = stack->height++;
        for (; place > base && stack->boxes[place - 1].entry < box.entry; place--) {
            stack->boxes[place] = stack->boxes[place - 1];
        }
        stack->boxes[place] = box;
    }
}

#define rays_walk KILN_SIMD_NAME(rays_walk)
/* A box that starts behind what a hit has cut the line to is dropped when it is taken. */
static void rays_walk(const kiln_tree *tree, kiln_slab_ray *ray, const kiln_line *line,
                      kiln_ray_visit visit, void *user)
{
    ray_stack stack;
    stack.height = 0;
    ray_open(tree, ray, 0, &stack);
    while (stack.height > 0) {
        const ray_waiting box = stack.boxes[--stack.height];
        if (box.entry > ray->s_max) {
            continue;
        }
        if (box.count == 0) {
            ray_open(tree, ray, box.first, &stack);
        } else if (!ray_leaf(tree, ray, line, box.first, box.count, visit, user)) {
            return;
        }
    }
}
