/* One hit of a line, the first or any, in the vocabulary of simd.h: the walks of kernel_rays.h
 * without a visitor, for what most callers ask. See line_walk.h.
 *
 * The first. Boxes wait as one word: where the line enters, as the bits of a float that is not
 * negative, so that words compare as these do, then node and lane. What is in a lane is looked up
 * when it is taken. Two and three boxes of a node, which is what most nodes have, are ordered
 * without a branch.
 *
 * Any. Leaves of a node are tested at once, and its inner boxes wait as a group, in the order of
 * their lanes: where the line enters them doesn't matter. A walk in a fixed order over leaves that
 * each hold a hit in full or not at all finds the same one whichever boxes more it enters. */

#define ray_take KILN_SIMD_NAME(ray_take)
/* The hit of one triangle of four whose hit is known. Number by number, as what was written by
 * parts is slow to read as a whole. */
static inline void ray_take(const kiln_slab_ray *ray, const ray_four *four, uint32_t i,
                            uint32_t stored, kiln_found_hit *hit)
{
    const double sum = four->sum[i], scale = ray->scale;
    hit->stored = stored;
    hit->at.t = four->t[i] * scale;
    hit->at.side = sum > 0 ? KILN_SIDE_FRONT : KILN_SIDE_BACK;
    hit->at.weights[0] = four->w[i] / sum;
    hit->at.weights[1] = four->u[i] / sum;
    hit->at.weights[2] = four->v[i] / sum;
    hit->has_normal = ray->normals;
    if (ray->normals) {
        for (unsigned k = 0; k < 3; k++) {
            hit->normal[k] = four->normal[k][i];
        }
    }
}

#define ray_settle KILN_SIMD_NAME(ray_settle)
/* The same of one that may be met. False: it is not. */
KILN_RARE static bool ray_settle(const kiln_tree *tree, const kiln_line *line, uint32_t stored,
                                 double scale, kiln_found_hit *hit)
{
    double corners[9];
    kiln_tree_stored_corners(tree, stored, corners);
    hit->stored = stored;
    hit->has_normal = false;
    const bool met = kiln_line_meets_triangle(line, corners, &hit->at);
    hit->at.t *= scale;
    return met;
}

#define ray_consider KILN_SIMD_NAME(ray_consider)
/* Takes a triangle that may be met as *best if it is, and comes before *best, whose t is infinite
 * where there is none, and cuts the ray there; or if any is wanted, and then returns true: *best is
 * it, where that is not NULL. It is number i of four, of which *four may know nothing where it is
 * only asked whether there is one. */
KILN_IN_LINE bool ray_consider(const kiln_tree *tree, kiln_slab_ray *ray, const ray_four *four,
                               uint32_t i, bool sure, uint32_t stored, kiln_found_hit *best)
{
    const double scale = ray->scale;
    kiln_found_hit hit;
    if (ray->only_asked) {
        return sure || ray_settle(tree, ray->line, stored, scale, &hit);
    }
    double t = four->t[i] * scale;
    kiln_side side = four->sum[i] > 0 ? KILN_SIDE_FRONT : KILN_SIDE_BACK;
    if (!sure) {
        if (!ray_settle(tree, ray->line, stored, scale, &hit)) {
            return false;
        }
        t = hit.at.t;
        side = hit.at.side;
    }
    if (!ray->any && (t > best->at.t ||
                      (t == best->at.t &&
                       !kiln_hit_comes_first(t, side, kiln_tree_id(tree, stored), best->at.t,
                                             best->at.side, kiln_tree_id(tree, best->stored))))) {
        return false;
    }
    if (sure) {
        ray_take(ray, four, i, stored, best);
    } else {
        *best = hit;
    }
    if (ray->any) {
        return true;
    }
    kiln_slab_ray_cut(ray, sure ? four->t[i] : t / scale);
    return false;
}

#define ray_consider_four KILN_SIMD_NAME(ray_consider_four)
/* The same of those of four that ray_some has found, whose numbers are in `stored`, or where that
 * is NULL, in four slots from one on. */
KILN_IN_LINE bool ray_consider_four(const kiln_tree *tree, kiln_slab_ray *ray, const ray_four *four,
                                    uint32_t found, const uint32_t *stored, uint32_t slot,
                                    kiln_found_hit *best)
{
    for (uint32_t may = found & 15 & ~(found >> KILN_RAY_NOT); may != 0; may &= may - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(may);
        const uint32_t number = stored != NULL ? stored[i] : kiln_tree_triangle(tree, slot + i);
        if (ray_consider(tree, ray, four, i, (found >> KILN_RAY_SURE >> i & 1) != 0, number,
                         best)) {
            return true;
        }
    }
    return false;
}

#define ray_leaf_hit KILN_SIMD_NAME(ray_leaf_hit)
/* The same of the triangles of a leaf. */
KILN_OUT_OF_LINE static bool ray_leaf_hit(const kiln_tree *tree, kiln_slab_ray *ray,
                                          const kiln_format_node8 *node, unsigned lane,
                                          kiln_found_hit *best)
{
    uint32_t first = kiln_node8_slot(node, lane), count = kiln_node8_count(node, lane);
    for (; count != 0; first += 4, count = count > 4 ? count - 4 : 0) {
        ray_four four;
        const uint32_t found = ray_test_four(tree, ray, first, count < 4 ? count : 4, &four);
        if (ray_consider_four(tree, ray, &four, found, NULL, first, best)) {
            return true;
        }
    }
    return false;
}

#define ray_enter_other KILN_SIMD_NAME(ray_enter_other)
/* The lanes of a node, empty ones, too: as leaves they have no triangles. */
KILN_OUT_OF_LINE static uint32_t ray_enter_other(const kiln_tree *tree,
                                                 const kiln_format_node8 *node,
                                                 const kiln_slab_ray *ray, float entry[8])
{
#if KILN_SIMD_LANES == 8
    return ray_lanes_of(true, tree, node, ray, entry);
#else
    return ray_lanes_alike(tree, node, ray, entry);
#endif
}

#define ray_enter_lanes KILN_SIMD_NAME(ray_enter_lanes)
/* The same; `steps`: its boxes are in steps. Then this is ray_steps, with products fused where the
 * set has that, and what is one number for all lanes computed for three axes at once. A node whose
 * org is 2 or more in magnitude, of which `kiln bake` writes none, is left to the other.
 *
 * Floats are compared by their bits, which are ordered as they are where they are not negative.
 * Where the line enters is 0 at least, so that the largest of several is found whichever of the
 * negative ones counts as larger. A line that leaves a slab before 0 misses the lane, and then the
 * least is a negative number, whichever, and less than where it enters. -0 counts as negative,
 * rightly: where a line leaves is told from above by more than 0. */
KILN_IN_LINE uint32_t ray_enter_lanes(bool steps, const kiln_tree *tree,
                                      const kiln_format_node8 *node, const kiln_slab_ray *ray,
                                      float entry[8])
{
    enum { TWO_OR_MORE = 1 << 30 };
    const vec_four_int origin = vec_four_three(vec_four_load(node->org));
    if (!steps || __builtin_expect(vec_four_any(origin, TWO_OR_MORE), 0)) {
        return ray_enter_other(tree, node, ray, entry);
    }
    const uint8_t *faces = (const uint8_t *)node + offsetof(kiln_format_node_aabb8, lower);
    const vec_four org = (vec_four)origin, inverse = vec_four_load(ray->inverse);
    const vec_four step = vec_four_powers(node->exp) * inverse;
    const vec_four near = vec_four_fused(org, inverse, vec_four_load(ray->near));
    const vec_four far = vec_four_fused(org, inverse, vec_four_load(ray->far));
    uint32_t mask = 0;
    for (unsigned i = 0; i < 8; i += KILN_SIMD_LANES) {
        vec_int first = vec_int_of(0), last = vec_bits(vec_of(ray->s_max));
        for (unsigned k = 0; k < 3; k++) {
            const vec nearer = vec_from_int(vec_int_load_u8(faces + ray->faces.nearer[k] + i));
            const vec farther = vec_from_int(vec_int_load_u8(faces + ray->faces.farther[k] + i));
            const vec by = vec_four_spread(step, k);
            const vec_int enter = vec_bits(vec_fused(nearer, by, vec_four_spread(near, k)));
            const vec_int leave = vec_bits(vec_fused(farther, by, vec_four_spread(far, k)));
            first = vec_int_max(enter, first);
            last = vec_int_min(leave, last);
        }
        vec_store(entry + i, vec_of_bits(first));
        mask |= (vec_lanes(first > last) ^ KILN_LANES_ALL) << i;
    }
    return mask;
}

#define ray_count8 KILN_SIMD_NAME(ray_count8)
static inline uint32_t ray_count8(uint32_t lanes)
{
#if KILN_SIMD_LANES == 1
    return kiln_popcount8(lanes);
#else
    return (uint32_t)__builtin_popcount(lanes);
#endif
}

#define ray_bits KILN_SIMD_NAME(ray_bits)
static inline uint32_t ray_bits(const float *entry)
{
    uint32_t bits;
    memcpy(&bits, entry, sizeof bits);
    return bits;
}

#define ray_reference KILN_SIMD_NAME(ray_reference)
/* The reference to a lane: where there is no array of them, node and lane. */
static inline uint32_t ray_reference(const uint32_t *references, uint32_t index, uint32_t lane)
{
    return references != NULL ? references[lane] : (index << 3 | lane);
}

#define ray_word KILN_SIMD_NAME(ray_word)
static inline uint64_t ray_word(uint32_t entry, uint32_t reference)
{
    return (uint64_t)entry << 32 | reference;
}

#define ray_in_order KILN_SIMD_NAME(ray_in_order)
static inline void ray_in_order(uint64_t *a, uint64_t *b)
{
    const uint64_t less = *a < *b ? *a : *b, more = *a < *b ? *b : *a;
    *a = less;
    *b = more;
}

#define ray_nearest KILN_SIMD_NAME(ray_nearest)
/* The reference to the nearest lane of a node's boxes that were met; the others wait on the stack,
 * the nearer on top. */
KILN_IN_LINE uint32_t ray_nearest(const uint32_t *references, uint32_t index, uint32_t mask,
                                  const float entry[8], uint64_t **stack)
{
    uint64_t *const base = *stack;
    const uint32_t one = (uint32_t)__builtin_ctz(mask);
    const uint32_t to_one = ray_reference(references, index, one);
    mask &= mask - 1;
    if (mask == 0) {
        return to_one;
    }
    const uint32_t other = (uint32_t)__builtin_ctz(mask);
    const uint32_t to_other = ray_reference(references, index, other);
    mask &= mask - 1;
    const uint32_t at_one = ray_bits(entry + one), at_other = ray_bits(entry + other);
    const bool ordered = at_one <= at_other;
    const uint32_t nearer = ordered ? to_one : to_other;
    uint64_t b = ray_word(ordered ? at_other : at_one, ordered ? to_other : to_one);
    if (mask == 0) {
        base[0] = b;
        *stack = base + 1;
        return nearer;
    }
    uint64_t a = ray_word(ordered ? at_one : at_other, nearer), *top = base + 2;
    uint32_t lane = (uint32_t)__builtin_ctz(mask);
    uint64_t c = ray_word(ray_bits(entry + lane), ray_reference(references, index, lane));
    ray_in_order(&b, &c);
    ray_in_order(&a, &b);
    base[0] = c;
    base[1] = b;
    for (mask &= mask - 1; mask != 0; mask &= mask - 1) {
        lane = (uint32_t)__builtin_ctz(mask);
        uint64_t far = ray_word(ray_bits(entry + lane), ray_reference(references, index, lane));
        uint64_t *place = top++;
        ray_in_order(&a, &far);
        for (; place > base && place[-1] < far; place--) {
            place[0] = place[-1];
        }
        place[0] = far;
    }
    *stack = top;
    return (uint32_t)a;
}

#define ray_next KILN_SIMD_NAME(ray_next)
/* Takes from the stack what the ray is not cut before. False: nothing is left. */
static inline bool ray_next(const kiln_slab_ray *ray, const uint64_t *stack, uint64_t **top,
                            uint32_t *reference)
{
    const uint32_t s_max = ray_bits(&ray->s_max);
    while (*top != stack) {
        const uint64_t word = *--*top;
        if (word >> 32 <= s_max) {
            *reference = (uint32_t)word;
            return true;
        }
    }
    return false;
}

#define ray_none KILN_SIMD_NAME(ray_none)
/* No hit so far, behind which every hit comes. */
static inline void ray_none(kiln_found_hit *best)
{
    best->stored = 0;
    best->at.t = HUGE_VAL;
    best->at.side = KILN_SIDE_FRONT;
}

#define ray_find_first KILN_SIMD_NAME(ray_find_first)
KILN_IN_LINE bool ray_find_first(bool steps, const kiln_tree *tree, kiln_slab_ray *ray,
                                 kiln_found_hit *best)
{
    const void *const nodes = tree->view.nodes;
    const size_t node_size = tree->view.kind->node_size;
    uint64_t stack[(KILN_NODE_WIDTH - 1) * KILN_TREE_DEPTH_MAX + KILN_NODE_WIDTH], *top = stack;
    uint32_t index = 0;
    ray_none(best);
    for (;;) {
        const kiln_format_node8 *node = kiln_node_at(nodes, node_size, index);
        float entry[8];
        const uint32_t mask = ray_enter_lanes(steps, tree, node, ray, entry);
        bool taken = mask != 0;
        unsigned lane = taken ? ray_nearest(NULL, index, mask, entry, &top) & 7u : 0;
        while (!taken || (node->inner >> lane & 1) == 0) {
            uint32_t reference;
            if (taken) {
                ray_leaf_hit(tree, ray, node, lane, best);
            }
            if (!ray_next(ray, stack, &top, &reference)) {
                return best->at.t < HUGE_VAL;
            }
            taken = true;
            node = kiln_node_at(nodes, node_size, reference >> 3);
            lane = reference & 7u;
        }
        index = node->child + ray_count8(node->inner & ((1u << lane) - 1u));
    }
}

#define ray_find_any KILN_SIMD_NAME(ray_find_any)
KILN_IN_LINE bool ray_find_any(bool steps, const kiln_tree *tree, kiln_slab_ray *ray,
                               kiln_found_hit *hit)
{
    /* A group of inner boxes of a node as one word: its first child, which lanes are inner boxes,
     * and which of them wait. */
    enum { CHILD = 16, INNER = 8, LANES = 0xFF };
    const void *const nodes = tree->view.nodes;
    const size_t node_size = tree->view.kind->node_size;
    uint64_t stack[KILN_TREE_DEPTH_MAX + 1], *top = stack;
    uint32_t index = 0;
    for (;;) {
        const kiln_format_node8 *node = kiln_node_at(nodes, node_size, index);
        float entry[8];
        const uint32_t mask = ray_enter_lanes(steps, tree, node, ray, entry), inner = node->inner;
        for (uint32_t leaves = mask & ~inner; leaves != 0; leaves &= leaves - 1) {
            if (ray_leaf_hit(tree, ray, node, (unsigned)__builtin_ctz(leaves), hit)) {
                return true;
            }
        }
        /* Not by way of the word, for which the child in hand would have to wait. */
        uint32_t child = node->child, of = inner, left = mask & inner;
        if (left == 0) {
            if (top == stack) {
                return false;
            }
            const uint64_t group = *--top;
            child = (uint32_t)(group >> CHILD);
            of = (uint32_t)group >> INNER & LANES;
            left = (uint32_t)group & LANES;
        }
        index = child - 1 + ray_count8(of & (left ^ (left - 1))); /* up to the first that is left */
        left &= left - 1;
        *top = (uint64_t)child << CHILD | of << INNER | left;
        top += left != 0;
    }
}

#define rays_find_first_steps KILN_SIMD_NAME(rays_find_first_steps)
KILN_OUT_OF_LINE static bool rays_find_first_steps(const kiln_tree *tree, kiln_slab_ray *ray,
                                                   kiln_found_hit *hit)
{
    return ray_find_first(true, tree, ray, hit);
}

#define rays_find_first_other KILN_SIMD_NAME(rays_find_first_other)
KILN_OUT_OF_LINE static bool rays_find_first_other(const kiln_tree *tree, kiln_slab_ray *ray,
                                                   kiln_found_hit *hit)
{
    return ray_find_first(false, tree, ray, hit);
}

#define rays_find_any_steps KILN_SIMD_NAME(rays_find_any_steps)
KILN_OUT_OF_LINE static bool rays_find_any_steps(const kiln_tree *tree, kiln_slab_ray *ray,
                                                 kiln_found_hit *hit)
{
    return ray_find_any(true, tree, ray, hit);
}

#define rays_find_any_other KILN_SIMD_NAME(rays_find_any_other)
KILN_OUT_OF_LINE static bool rays_find_any_other(const kiln_tree *tree, kiln_slab_ray *ray,
                                                 kiln_found_hit *hit)
{
    return ray_find_any(false, tree, ray, hit);
}

#include "kernel_ray_accel.h"

#define rays_find KILN_SIMD_NAME(rays_find)
static inline bool rays_find(const kiln_tree *tree, kiln_slab_ray *ray, double scale, bool any,
                             bool normals, kiln_found_hit *hit)
{
    ray->scale = scale;
    ray->any = any;
    ray->normals = normals;
    ray->only_asked = any && hit == NULL;
    if (ray->only_asked) {
        const double ends[2] = {ray->line->t_min, ray->line->t_max};
        for (unsigned i = 0; i < 2; i++) {
            ray->end[i] = kiln_larger(kiln_smaller(ends[i], KILN_LINE_T_MAX), -KILN_LINE_T_MAX);
            ray->off_end[i] = ray->off_height + fabs(ray->end[i]) * ray->off_rest;
        }
    }
    if (kiln_tree_ray_nodes(tree) != NULL) {
        return any ? accel_find_any(tree, ray, hit) : accel_find_first(tree, ray, hit);
    }
    if (tree->view.kind->in_steps) {
        return any ? rays_find_any_steps(tree, ray, hit) : rays_find_first_steps(tree, ray, hit);
    }
    return any ? rays_find_any_other(tree, ray, hit) : rays_find_first_other(tree, ray, hit);
}

#define rays_find_posed KILN_SIMD_NAME(rays_find_posed)
static bool rays_find_posed(const kiln_tree *tree, kiln_slab_ray *ray, double scale, bool any,
                            kiln_found_hit *hit)
{
    return rays_find(tree, ray, scale, any, false, hit);
}

#define rays_ask KILN_SIMD_NAME(rays_ask)
static int rays_ask(const kiln_tree *tree, const kiln_ray *own, bool any, bool normals,
                    kiln_found_hit *hit)
{
    kiln_line line;
    kiln_slab_ray ray;
    const int some = ray_place(tree, own, &line, 0, &ray);
    return some <= 0 ? some : rays_find(tree, &ray, 1, any, normals, hit);
}
