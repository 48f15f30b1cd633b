/* The descent of a tree to what is near a point, in the vocabulary of simd.h: the point against
 * the eight boxes of a node in floats, and against as many triangles as a register holds doubles.
 * See walk/point_walk.h.
 *
 * Boxes: lower bounds of squares. u = 2^-24. The point as the node's org sees it, q, is off by
 * `slack` and, rounded once to float, by u |q|.
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
 * KILN_GAP_KEPT is below all of these factors; what underflows is less than the cut has room for.
 *
 * Triangles: bounds of squares in doubles, u = 2^-53 from here on. a, b, c are corners, e edges, p
 * the point less a corner, S the sum of magnitudes of p - a, ab and ac, L the largest sum of
 * magnitudes of an edge; ab and ac may be rounded, too.
 *
 * From an edge. A parameter from 0 to 1 gives a point of it, whatever it is; it is off the best
 * one by 8 u |p| / |e|, which lengthens the square by 2^-100 S^2 at most. The way there is off by
 * 4 u S, so its square r by r 2^-33 + 2^-68 S^2. Taken are r 2^-32 + 2^-66 S^2.
 *
 * From the plane. n . p is off by 16 u L^2 S, |n| by 8 u L^2, so the distance by 32 u S L^2 / |n|
 * and its square by itself times 2^-33 and 2^-63 S^2 L^4 / n^2. Taken are 2^-32 and 2^-60. This
 * needs |n| > 2^-40 L^2. A triangle that is flatter has no point farther than 2^-39 L from its
 * edges, so the square is at least r (1 - 2^-20) - 2^-58 L^2.
 *
 * Which counts. n . (e x p) is off by 44 u L^3 S, for which 2^-46 is taken. If it is negative for
 * sure, an edge is nearest; if all three are positive for sure, the plane. Else the lesser bound
 * below and the edges' above hold, as no point of the triangle is nearer than the plane.
 *
 * Underflow. The plane is used only where n^2 > 2^-700; then what underflows is below 2^-370 in
 * all. Where it is not for that reason, L < 2^-155, so that 2^20 L^2, which takes the place of
 * 2^-58 L^2, is below 2^-290. `tiny` is more; of points so far away that squares could overflow it
 * is infinite (point_walk.c), so that nothing is known. */

/* ------------------------------------------------------------------------------------- boxes
 * -- */

#define point_bytes KILN_SIMD_NAME(point_bytes)
/* Boxes in steps. */
static inline void point_bytes(const kiln_near_point *near, const kiln_format_node8 *node,
                               float squared[8])
{
    const kiln_format_node_aabb8 *faces = (const kiln_format_node_aabb8 *)(const void *)node;
    float step[3], below[3], above[3];
    for (unsigned k = 0; k < 3; k++) {
        const float q = (float)(near->at[k] - (double)node->org[k]);
        const float pad = near->slack + 0x1p-22f * fabsf(q);
        step[k] = kiln_node8_step(node->exp[k]);
        below[k] = q + pad;
        above[k] = q - pad;
    }
    for (unsigned i = 0; i < 8; i += KILN_SIMD_LANES) {
        vec sum = vec_of(0.0f);
        for (unsigned k = 0; k < 3; k++) {
            const vec lower = vec_from_int(vec_int_load_u8(faces->lower[k] + i)) * step[k];
            const vec upper = vec_from_int(vec_int_load_u8(faces->upper[k] + i)) * step[k];
            const vec gap = vec_max(vec_max(lower - below[k], above[k] - upper), vec_of(0.0f));
            sum = sum + gap * gap;
        }
        vec_store(squared + i, sum * KILN_GAP_KEPT); /* of faces */
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
        vec_store(squared + i, sum * KILN_GAP_KEPT); /* of lanes */
    }
}

#define point_open KILN_SIMD_NAME(point_open)
/* The lanes of a node that are to be entered, and lower bounds of their squares. */
static inline uint32_t point_open(const kiln_tree *tree, const kiln_near_point *near,
                                  const kiln_format_node8 *node, float squared[8])
{
    const kiln_node_kind *kind = tree->view.kind;
    uint32_t mask = 0;
    if (kind->in_steps) {
        point_bytes(near, node, squared);
    } else {
        point_floats(near, kind, node, squared);
    }
    for (unsigned i = 0; i < 8; i += KILN_SIMD_LANES) {
        const vec_mask beyond = vec_greater(vec_load(squared + i), vec_of(near->cut));
        mask |= (~vec_lanes(beyond) & KILN_LANES_ALL) << i;
    }
    return mask & kiln_node8_used(node);
}

#define points_lanes KILN_SIMD_NAME(points_lanes)
static uint32_t points_lanes(const kiln_tree *tree, const kiln_near_point *near,
                             const kiln_format_node8 *node)
{
    float squared[8];
    return point_open(tree, near, node, squared);
}

/* --------------------------------------------------------------------------------- triangles
 * -- */

#define double_vector KILN_SIMD_NAME(double_vector)
typedef struct {
    vec_double x, y, z;
} double_vector;

#define double_dot KILN_SIMD_NAME(double_dot)
static inline vec_double double_dot(double_vector a, double_vector b)
{
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

#define double_cross KILN_SIMD_NAME(double_cross)
static inline double_vector double_cross(double_vector a, double_vector b)
{
    const double_vector out = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return out;
}

#define double_way KILN_SIMD_NAME(double_way)
/* (b - a) unit */
static inline double_vector double_way(double_vector b, double_vector a, vec_double unit)
{
    const double_vector out = {(b.x - a.x) * unit, (b.y - a.y) * unit, (b.z - a.z) * unit};
    return out;
}

#define double_size KILN_SIMD_NAME(double_size)
static inline vec_double double_size(double_vector a)
{
    return (vec_double_abs(a.x) + vec_double_abs(a.y)) + vec_double_abs(a.z);
}

#define edge_square KILN_SIMD_NAME(edge_square)
/* The square of the distance from an edge to the point that is at p from its start. */
static inline vec_double edge_square(double_vector p, double_vector e)
{
    const vec_double square = vec_double_max(double_dot(e, e), vec_double_of(0x1p-1000));
    vec_double t = double_dot(p, e) / square;
    t = vec_double_min(vec_double_max(t, vec_double_of(0.0)), vec_double_of(1.0));
    const double_vector rest = {p.x - t * e.x, p.y - t * e.y, p.z - t * e.z};
    return double_dot(rest, rest);
}

#define points_measure KILN_SIMD_NAME(points_measure)
/* Bounds of the squares of the distances of triangles, whose corners are at corner[i][0 .. 2]. */
static inline void points_measure(const kiln_near_point *near,
                                  const float *corner[KILN_SIMD_DOUBLES][3],
                                  double lower[KILN_SIMD_DOUBLES], double upper[KILN_SIMD_DOUBLES])
{
    double_vector at[3];
    for (int c = 0; c < 3; c++) {
        const float *from[KILN_SIMD_DOUBLES];
        for (int i = 0; i < KILN_SIMD_DOUBLES; i++) {
            from[i] = corner[i][c];
        }
        at[c].x = vec_double_gather(from, 0);
        at[c].y = vec_double_gather(from, 1);
        at[c].z = vec_double_gather(from, 2);
    }
    const vec_double unit = vec_double_of(near->unit), tiny = vec_double_of(near->tiny);
    const double_vector point = {vec_double_of(near->own[0]), vec_double_of(near->own[1]),
                                 vec_double_of(near->own[2])};
    const double_vector from_a = double_way(point, at[0], unit);
    const double_vector from_b = double_way(point, at[1], unit);
    const double_vector from_c = double_way(point, at[2], unit);
    const double_vector ab = double_way(at[1], at[0], unit), bc = double_way(at[2], at[1], unit);
    const double_vector ca = double_way(at[0], at[2], unit);
    const vec_double edges = vec_double_min(
        edge_square(from_a, ab), vec_double_min(edge_square(from_b, bc), edge_square(from_c, ca)));
    const vec_double size_ab = double_size(ab), size_ca = double_size(ca);
    const vec_double longest = vec_double_max(double_size(bc), vec_double_max(size_ab, size_ca));
    const vec_double size = double_size(from_a) + (size_ab + size_ca), sizes = size * size;
    const double_vector normal = double_cross(ca, ab); /* ab x ac */
    const vec_double square = double_dot(normal, normal), up = double_dot(normal, from_a);
    const vec_double long2 = longest * longest;
    const vec_double side_ab = double_dot(normal, double_cross(ab, from_a));
    const vec_double side_bc = double_dot(normal, double_cross(bc, from_b));
    const vec_double side_ca = double_dot(normal, double_cross(ca, from_c));
    const vec_double least = vec_double_min(side_ab, vec_double_min(side_bc, side_ca));
    const vec_double side_off = (long2 * longest) * (size * 0x1p-46);
    const vec_double_mask outside = vec_double_less(least, 0.0 - side_off);
    const vec_double_mask inside = vec_double_greater(least, side_off);
    const vec_double_mask plain = vec_double_greater(square, (long2 * long2) * 0x1p-80 + 0x1p-700);
    const vec_double inverse = 1.0 / square;
    const vec_double plane = (up * up) * inverse;
    const vec_double off = sizes * 0x1p-66 + tiny;
    const vec_double plane_off = sizes * ((long2 * long2) * inverse) * 0x1p-60 + tiny;
    const vec_double above = edges * (1.0 + 0x1p-32) + off, below = edges * (1.0 - 0x1p-32) - off;
    const vec_double plane_above = plane * (1.0 + 0x1p-32) + plane_off;
    const vec_double plane_below = plane * (1.0 - 0x1p-32) - plane_off;
    const vec_double flat_below = edges * (1.0 - 0x1p-19) - (sizes * 0x1p-56 + tiny);
    const vec_double both_below = vec_double_min(plane_below, below);
    vec_double_store(
        lower, vec_double_select(outside, below, vec_double_select(plain, both_below, flat_below)));
    vec_double_store(upper,
                     vec_double_select(inside & plain, vec_double_min(plane_above, above), above));
}

#define point_leaf KILN_SIMD_NAME(point_leaf)
/* Visits the triangles of a leaf that may be near enough. False: the visitor has had enough. */
static inline bool point_leaf(const kiln_tree *tree, kiln_near_point *near, uint32_t first,
                              uint32_t count, kiln_point_visit visit, void *user)
{
    for (uint32_t i = 0; i < count; i += KILN_SIMD_DOUBLES) {
        const uint32_t here = count - i < KILN_SIMD_DOUBLES ? count - i : KILN_SIMD_DOUBLES;
        const float *corner[KILN_SIMD_DOUBLES][3];
        float room[KILN_SIMD_DOUBLES][10];
        uint32_t stored[KILN_SIMD_DOUBLES];
        double lower[KILN_SIMD_DOUBLES], upper[KILN_SIMD_DOUBLES];
        for (uint32_t k = 0; k < KILN_SIMD_DOUBLES; k++) {
            stored[k] = kiln_tree_triangle(tree, first + i + (k < here ? k : 0));
            kiln_tree_corner_places(tree, stored[k], corner[k], room[k]);
        }
        points_measure(near, corner, lower, upper);
        for (uint32_t k = 0; k < here; k++) {
            if (!(lower[k] > near->limit) &&
                !visit(user, near, first + i + k, stored[k], lower[k], upper[k])) {
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

#define point_waiting KILN_SIMD_NAME(point_waiting)
/* A lane of a node: its number is the three lowest bits of `key`, which is else a lower bound of
 * its square, in the order of numbers. */
typedef struct {
    uint32_t node, key;
} point_waiting;

#define point_keys KILN_SIMD_NAME(point_keys)
/* Lower bounds with lanes for their lowest bits; lanes that are not entered come last. Positive
 * floats have the order of their bits, and a bound whose bits are taken away is lower. */
static inline void point_keys(const float squared[8], uint32_t mask, float keys[8])
{
    static const int32_t lane[8] = {0, 1, 2, 3, 4, 5, 6, 7}, bit[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    for (unsigned i = 0; i < 8; i += KILN_SIMD_LANES) {
        const vec_int in = vec_int_load(bit + i) & vec_int_of((int32_t)mask);
        const vec_mask out = vec_less(vec_from_int(in), vec_of(1.0f));
        const vec bound = vec_select(out, vec_of(0x1p+126f), vec_load(squared + i));
        const vec_int key = (vec_bits(bound) & vec_int_of(~7)) | vec_int_load(lane + i);
        vec_store(keys + i, vec_of_bits(key));
    }
}

#define point_push KILN_SIMD_NAME(point_push)
/* Puts the lanes of the mask, of which there is one at least, onto the stack, the nearest on top,
 * and the others above it, where they are of no account: each lane's place is the number of lanes
 * before it, without branches. Returns the nearest, which need not be read again. */
static inline unsigned point_push(uint32_t node, const float squared[8], uint32_t mask,
                                  point_waiting *stack, unsigned *height)
{
    float keys[8];
    int32_t before[8];
    uint32_t first = 0;
    const unsigned count = kiln_popcount8(mask);
    point_waiting *base = stack + *height;
    point_keys(squared, mask, keys);
    for (unsigned i = 0; i < 8; i += KILN_SIMD_LANES) {
        const vec own = vec_load(keys + i);
        vec_int sum = vec_int_of(0);
        for (unsigned j = 0; j < 8; j++) {
            sum = sum - vec_less(vec_of(keys[j]), own);
        }
        vec_int_store(before + i, sum);
        first |= vec_lanes(vec_less(vec_from_int(sum), vec_of(1.0f))) << i;
    }
    for (unsigned i = 0; i < 8; i++) {
        const unsigned rank = (unsigned)before[i];
        point_waiting *place = base + (rank < count ? count - 1 - rank : rank);
        place->node = node;
        memcpy(&place->key, &keys[i], sizeof place->key);
    }
    *height += count;
    return (unsigned)__builtin_ctz(first);
}

#define points_walk KILN_SIMD_NAME(points_walk)
/* The nearest lane of a node is taken first. Never more than seven others wait on a level; those
 * that are beyond the cut when they are taken are dropped. */
static void points_walk(const kiln_tree *tree, kiln_near_point *near, kiln_point_leaf enters,
                        kiln_point_visit visit, void *user)
{
    point_waiting stack[(KILN_NODE_WIDTH - 1) * KILN_TREE_DEPTH_MAX + 2 * KILN_NODE_WIDTH];
    uint32_t index = 0;
    unsigned height = 0;
    for (;;) {
        const kiln_format_node8 *node = kiln_tree_node(tree, index);
        float squared[8];
        const uint32_t mask = point_open(tree, near, node, squared);
        unsigned lane = 0;
        bool taken = mask != 0;
        if (taken) {
            lane = point_push(index, squared, mask, stack, &height);
            height--;
        }
        for (;;) {
            if (taken && (node->inner >> lane & 1) != 0) {
                index = kiln_node8_child(node, lane);
                break;
            }
            if (taken && ((enters != NULL && !enters(user)) ||
                          !point_leaf(tree, near, kiln_node8_slot(node, lane),
                                      kiln_node8_count(node, lane), visit, user))) {
                return;
            }
            if (height == 0) {
                return;
            }
            const point_waiting top = stack[--height];
            const uint32_t bits = top.key & ~7u;
            float bound;
            memcpy(&bound, &bits, sizeof bound);
            taken = !(bound > near->cut);
            node = kiln_tree_node(tree, top.node);
            lane = top.key & 7u;
        }
    }
}
