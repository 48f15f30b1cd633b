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
static inline void ray_take(const ray_four *four, uint32_t i, double scale, kiln_found_hit *hit)
{
    const double sum = four->sum[i];
    hit->stored = four->stored[i];
    hit->at.t = four->t[i] * scale;
    hit->at.side = sum > 0 ? KILN_SIDE_FRONT : KILN_SIDE_BACK;
    hit->at.weights[0] = four->w[i] / sum;
    hit->at.weights[1] = four->u[i] / sum;
    hit->at.weights[2] = four->v[i] / sum;
}

#define ray_settle KILN_SIMD_NAME(ray_settle)
/* The same of one that may be met. False: it is not. */
KILN_RARE static bool ray_settle(const kiln_tree *tree, const kiln_line *line, uint32_t stored,
                                 double scale, kiln_found_hit *hit)
{
    double corners[9];
    kiln_tree_stored_corners(tree, stored, corners);
    hit->stored = stored;
    const bool met = kiln_line_meets_triangle(line, corners, &hit->at);
    hit->at.t *= scale;
    return met;
}

#define ray_leaf_first KILN_SIMD_NAME(ray_leaf_first)
/* Takes the first hit of a leaf if it comes before *best, whose t is infinite where there is none.
 */
static inline void ray_leaf_first(const kiln_tree *tree, kiln_slab_ray *ray, double scale,
                                  uint32_t first, uint32_t count, kiln_found_hit *best)
{
    for (; count != 0; first += 4, count = count > 4 ? count - 4 : 0) {
        ray_four four;
        const uint32_t found = ray_test_four(tree, ray->line, first, count < 4 ? count : 4, &four);
        for (uint32_t may = found & 15; may != 0; may &= may - 1) {
            const uint32_t i = (uint32_t)__builtin_ctz(may);
            if ((found >> KILN_RAY_NOT >> i & 1) != 0) {
                continue;
            }
            const bool sure = (found >> KILN_RAY_SURE >> i & 1) != 0;
            kiln_found_hit hit;
            double t = four.t[i] * scale;
            kiln_side side = four.sum[i] > 0 ? KILN_SIDE_FRONT : KILN_SIDE_BACK;
            if (!sure) {
                if (!ray_settle(tree, ray->line, four.stored[i], scale, &hit)) {
                    continue;
                }
                t = hit.at.t;
                side = hit.at.side;
            }
            if (t > best->at.t ||
                (t == best->at.t &&
                 !kiln_hit_comes_first(t, side, kiln_tree_id(tree, four.stored[i]), best->at.t,
                                       best->at.side, kiln_tree_id(tree, best->stored)))) {
                continue;
            }
            if (sure) {
                ray_take(&four, i, scale, best);
            } else {
                *best = hit;
            }
            kiln_slab_ray_cut(ray, t / scale);
        }
    }
}

#define ray_leaf_any KILN_SIMD_NAME(ray_leaf_any)
static inline bool ray_leaf_any(const kiln_tree *tree, const kiln_slab_ray *ray, double scale,
                                uint32_t first, uint32_t count, kiln_found_hit *hit)
{
    for (; count != 0; first += 4, count = count > 4 ? count - 4 : 0) {
        ray_four four;
        const uint32_t found = ray_test_four(tree, ray->line, first, count < 4 ? count : 4, &four);
        for (uint32_t may = found & 15; may != 0; may &= may - 1) {
            const uint32_t i = (uint32_t)__builtin_ctz(may);
            if ((found >> KILN_RAY_NOT >> i & 1) != 0) {
                continue;
            }
            if ((found >> KILN_RAY_SURE >> i & 1) != 0) {
                ray_take(&four, i, scale, hit);
                return true;
            }
            if (ray_settle(tree, ray->line, four.stored[i], scale, hit)) {
                return true;
            }
        }
    }
    return false;
}

#define ray_enter_fast KILN_SIMD_NAME(ray_enter_fast)
/* The lanes of a node, empty ones, too: as leaves they have no triangles. */
KILN_OUT_OF_LINE static uint32_t ray_enter_fast(const kiln_tree *tree,
                                                const kiln_format_node8 *node,
                                                const kiln_slab_ray *ray, float entry[8])
{
#if KILN_SIMD_LANES == 8
    return ray_lanes_of(true, tree, node, ray, entry);
#else
    return ray_lanes_alike(tree, node, ray, entry);
#endif
}

#define ray_child KILN_SIMD_NAME(ray_child)
static inline uint32_t ray_child(uint32_t child, uint32_t inner, unsigned lane)
{
    const uint32_t before = inner & ((1u << lane) - 1u);
#if KILN_SIMD_LANES == 1
    return child + kiln_popcount8(before);
#else
    return child + (uint32_t)__builtin_popcount(before);
#endif
}

#define ray_word KILN_SIMD_NAME(ray_word)
static inline uint64_t ray_word(const float entry[8], uint32_t index, unsigned lane)
{
    uint32_t bits;
    memcpy(&bits, &entry[lane], sizeof bits);
    return (uint64_t)bits << 32 | (index << 3 | lane);
}

#define ray_in_order KILN_SIMD_NAME(ray_in_order)
static inline void ray_in_order(uint64_t *a, uint64_t *b)
{
    const uint64_t less = *a < *b ? *a : *b, more = *a < *b ? *b : *a;
    *a = less;
    *b = more;
}

#define ray_nearest KILN_SIMD_NAME(ray_nearest)
/* The nearest lane of a node's boxes that were met, at least two; the others wait on the stack, the
 * nearer on top. */
static inline unsigned ray_nearest(uint32_t index, uint32_t mask, const float entry[8],
                                   uint64_t *stack, unsigned *height)
{
    const unsigned base = *height;
    uint64_t a = ray_word(entry, index, (unsigned)__builtin_ctz(mask));
    mask &= mask - 1;
    uint64_t b = ray_word(entry, index, (unsigned)__builtin_ctz(mask));
    mask &= mask - 1;
    ray_in_order(&a, &b);
    if (mask == 0) {
        stack[base] = b;
        *height = base + 1;
        return a & 7u;
    }
    uint64_t c = ray_word(entry, index, (unsigned)__builtin_ctz(mask));
    ray_in_order(&b, &c);
    ray_in_order(&a, &b);
    stack[base] = c;
    stack[base + 1] = b;
    unsigned top = base + 2;
    for (mask &= mask - 1; mask != 0; mask &= mask - 1) {
        uint64_t far = ray_word(entry, index, (unsigned)__builtin_ctz(mask));
        ray_in_order(&a, &far);
        unsigned place = top++;
        for (; place > base && stack[place - 1] < far; place--) {
            stack[place] = stack[place - 1];
        }
        stack[place] = far;
    }
    *height = top;
    return a & 7u;
}

#define rays_find_first KILN_SIMD_NAME(rays_find_first)
static bool rays_find_first(const kiln_tree *tree, kiln_slab_ray *ray, double scale,
                            kiln_found_hit *best)
{
    uint64_t stack[(KILN_NODE_WIDTH - 1) * KILN_TREE_DEPTH_MAX + KILN_NODE_WIDTH];
    unsigned height = 0;
    uint32_t index = 0;
    best->stored = 0;
    best->at.t = HUGE_VAL;
    best->at.side = KILN_SIDE_FRONT;
    for (;;) {
        const kiln_format_node8 *node = kiln_tree_node(tree, index);
        float entry[8];
        const uint32_t mask = ray_enter_fast(tree, node, ray, entry);
        bool taken = mask != 0;
        unsigned lane = 0;
        if (taken) {
            lane = (mask & (mask - 1)) != 0 ? ray_nearest(index, mask, entry, stack, &height)
                                            : (unsigned)__builtin_ctz(mask);
        }
        while (!taken || (node->inner >> lane & 1) == 0) {
            uint64_t word;
            uint32_t s_max;
            if (taken) {
                ray_leaf_first(tree, ray, scale, kiln_node8_slot(node, lane),
                               kiln_node8_count(node, lane), best);
            }
            memcpy(&s_max, &ray->s_max, sizeof s_max);
            do {
                if (height == 0) {
                    return best->at.t < HUGE_VAL;
                }
                word = stack[--height];
            } while (word >> 32 > s_max);
            taken = true;
            node = kiln_tree_node(tree, (uint32_t)word >> 3);
            lane = (unsigned)word & 7u;
        }
        index = ray_child(node->child, node->inner, lane);
    }
}

#define rays_find_any KILN_SIMD_NAME(rays_find_any)
static bool rays_find_any(const kiln_tree *tree, const kiln_slab_ray *ray, double scale,
                          kiln_found_hit *hit)
{
    /* A group of inner boxes of a node as one word: its first child, which lanes are inner boxes,
     * and which of them wait. */
    enum { CHILD = 16, INNER = 8, LANES = 0xFF };
    uint64_t stack[KILN_TREE_DEPTH_MAX + 1];
    unsigned height = 0;
    uint32_t index = 0;
    for (;;) {
        const kiln_format_node8 *node = kiln_tree_node(tree, index);
        float entry[8];
        const uint32_t mask = ray_enter_fast(tree, node, ray, entry), inner = node->inner;
        for (uint32_t leaves = mask & ~inner; leaves != 0; leaves &= leaves - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(leaves);
            if (ray_leaf_any(tree, ray, scale, kiln_node8_slot(node, lane),
                             kiln_node8_count(node, lane), hit)) {
                return true;
            }
        }
        uint64_t group = (uint64_t)node->child << CHILD | inner << INNER | (mask & inner);
        if ((group & LANES) == 0) {
            if (height == 0) {
                return false;
            }
            group = stack[--height];
        }
        index = ray_child((uint32_t)(group >> CHILD), group >> INNER & LANES,
                          (unsigned)__builtin_ctz((uint32_t)group));
        group &= group - 1;
        stack[height] = group;
        height += (group & LANES) != 0;
    }
}

#define rays_find KILN_SIMD_NAME(rays_find)
static bool rays_find(const kiln_tree *tree, kiln_slab_ray *ray, double scale, bool any,
                      kiln_found_hit *hit)
{
    return any ? rays_find_any(tree, ray, scale, hit) : rays_find_first(tree, ray, scale, hit);
}
