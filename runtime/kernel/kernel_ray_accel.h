/* The walks of kernel_ray_hit.h over what base/ray_accel.h has of a tree: every box holds the same
 * triangles, and is entered in the same order, so that the hits are the same.
 *
 * A box in floats. Where the line crosses a face F is F i - m, as in kernel_rays.h with F in the
 * place of org + b step: F is off by 2 u of itself and i by u, which move F i by 3 u |F|; m by
 * (2 + e) u, and the sum by (|F| + 2 + e) u, in units of |i|; where the product is rounded by
 * itself, by |F| u more. With |F| <= KILN_RAY_FACE_MOST that is 24 u and 2 e u in all, and e has
 * 32 u for it. The faces of an empty lane are infinite: a line enters it after everything, and
 * leaves it before. */

#define accel_enter KILN_SIMD_NAME(accel_enter)
/* As ray_enter_lanes, whose comment says why bits are compared. */
KILN_IN_LINE uint32_t accel_enter(const kiln_ray_node *node, const kiln_slab_ray *ray,
                                  float entry[8])
{
    const float *faces = &node->face[0][0][0]; /* a face has its place as in nodes of bytes */
    uint32_t mask = 0;
    for (unsigned i = 0; i < 8; i += KILN_SIMD_LANES) {
        vec_int first = vec_int_of(0), last = vec_bits(vec_of(ray->s_max));
        for (unsigned k = 0; k < 3; k++) {
            const vec inverse = vec_of(ray->inverse[k]);
            const vec nearer = vec_load(faces + ray->faces.nearer[k] + i);
            const vec farther = vec_load(faces + ray->faces.farther[k] + i);
            first = vec_int_max(vec_bits(vec_fused(nearer, inverse, vec_of(ray->near[k]))), first);
            last = vec_int_min(vec_bits(vec_fused(farther, inverse, vec_of(ray->far[k]))), last);
        }
        vec_store(entry + i, vec_of_bits(first));
        mask |= (vec_lanes(first > last) ^ KILN_LANES_ALL) << i;
    }
    return mask;
}

#define accel_leaf_hit KILN_SIMD_NAME(accel_leaf_hit)
/* As ray_leaf_hit. */
KILN_OUT_OF_LINE static bool accel_leaf_hit(const kiln_tree *tree, kiln_slab_ray *ray,
                                            uint32_t reference, kiln_found_hit *best)
{
    const kiln_ray_group *group =
        (const kiln_ray_group *)kiln_ray_place(tree->ray_nodes, reference & ~(KILN_RAY_PLACE - 1u));
    const kiln_ray_group *last = group + (reference >> KILN_RAY_MORE_SHIFT & KILN_RAY_MORE_MOST);
    for (; group <= last; group++) {
        const uint32_t all = (1u << KILN_SIMD_DOUBLES) - 1u;
        uint32_t found = 0;
        ray_four four;
        for (uint32_t first = 0; first < 4; first += KILN_SIMD_DOUBLES) {
            vec_double at[3][3];
            for (unsigned c = 0; c < 3; c++) {
                for (unsigned k = 0; k < 3; k++) {
                    at[c][k] = vec_double_load_floats(group->corner[c][k] + first);
                }
            }
            found |= ray_some(ray, (const vec_double(*)[3])at, all, first, &four);
        }
        if (ray_consider_four(tree, ray, &four, found, group->stored, 0, best)) {
            return true;
        }
    }
    return false;
}

#define accel_find_first KILN_SIMD_NAME(accel_find_first)
KILN_OUT_OF_LINE static bool accel_find_first(const kiln_tree *tree, kiln_slab_ray *ray,
                                              kiln_found_hit *best)
{
    uint64_t stack[(KILN_NODE_WIDTH - 1) * KILN_TREE_DEPTH_MAX + KILN_NODE_WIDTH], *top = stack;
    const uint8_t *const nodes = (const uint8_t *)tree->ray_nodes;
    const kiln_ray_node *node = (const kiln_ray_node *)tree->ray_nodes;
    ray_none(best);
    for (;;) {
        float entry[8];
        const uint32_t mask = accel_enter(node, ray, entry);
        bool taken = mask != 0;
        uint32_t reference = 0;
        if (taken) {
            reference = ray_nearest(node->references, 0, mask, entry, &top);
        }
        while (!taken || (reference & KILN_RAY_LEAF) != 0) {
            if (taken) {
                accel_leaf_hit(tree, ray, reference, best);
            }
            if (!ray_next(ray, stack, &top, &reference)) {
                return best->at.t < HUGE_VAL;
            }
            taken = true;
        }
        node = (const kiln_ray_node *)kiln_ray_place(nodes, reference);
    }
}

#define accel_find_any KILN_SIMD_NAME(accel_find_any)
KILN_OUT_OF_LINE static bool accel_find_any(const kiln_tree *tree, kiln_slab_ray *ray,
                                            kiln_found_hit *hit)
{
    /* A node that waits is one word: its distance from the first node, and the lanes left. */
    enum { AWAY = 8, LANES = 0xFF };
    uint64_t stack[KILN_TREE_DEPTH_MAX + 1], *top = stack;
    const uint8_t *const nodes = (const uint8_t *)tree->ray_nodes;
    const kiln_ray_node *node = (const kiln_ray_node *)tree->ray_nodes;
    for (;;) {
        float entry[8];
        uint32_t mask = accel_enter(node, ray, entry);
        for (;;) {
            if (mask == 0) {
                if (top == stack) {
                    return false;
                }
                const uint64_t waiting = *--top;
                node = (const kiln_ray_node *)(const void *)(nodes + (waiting >> AWAY));
                mask = (uint32_t)waiting & LANES;
            }
            const uint32_t to = node->references[(uint32_t)__builtin_ctz(mask)];
            mask &= mask - 1;
            if ((to & KILN_RAY_LEAF) == 0) {
                *top = (uint64_t)((const uint8_t *)node - nodes) << AWAY | mask;
                top += mask != 0;
                node = (const kiln_ray_node *)kiln_ray_place(nodes, to);
                break;
            }
            if (accel_leaf_hit(tree, ray, to, hit)) {
                return true;
            }
        }
    }
}
