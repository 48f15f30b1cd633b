/* Kernels of rays: a line against the eight boxes of a node, by slabs (Kay and Kajiya, "Ray tracing
 * complex scenes", SIGGRAPH 1986), in the vocabulary of simd.h. See kernel.h.
 *
 * Why a clear bit is a proof. u = 2^-24. Let p(s) be the line where the slab ray says, and every wanted
 * point within `slack` of it on each axis of node space, so within 1.8 slack along any axis of a box.
 *
 * Quantised boxes. A face at the whole number b of steps is crossed at s = b A + B, with A = step /
 * direction, B = (org - origin) / direction. Both come in double and are rounded once to float, so the
 * computed b A + B is off by at most 3 u |b A| + 2 u |B|. `near` and `far` are B less and more
 * 8 u (|B| + 255 |A|) + slack / |direction| (kiln_slabs_of): faces are moved apart by more than all of
 * that.
 *
 * Lanes in floats. c is the lane's centre as the ray's origin sees it, rounded from the sum of two
 * floats, of which the second, q = origin - org, was rounded to float: it is off by u (|c| + |q|).
 * A projection on an axis is off by 3 u of the sum of magnitudes more; a slope along it by 4 u |d|_1,
 * which is at most 24 u, and by 2^-20 where that is its least; both times s, at most `length`. All of
 * that is below `reach`, which widens the box. The two divisions and their differences are off by 3 u
 * of themselves, which the factor on the nearer one covers: they count only where they are positive. */

/* Keeps [*near, *far] to what a pair of faces leaves of it. */
#define narrow_slab KILN_SIMD_NAME(narrow_slab)
static inline void narrow_slab(vec enter, vec leave, vec *first, vec *last)
{
    *first = vec_max(enter, *first);
    *last = vec_min(leave, *last);
}

#define rays_bytes KILN_SIMD_NAME(rays_bytes)
static uint32_t rays_bytes(const kiln_format_node_aabb8 *node, const kiln_slabs *slabs,
                          float entry[8])
{
    const uint8_t *faces = (const uint8_t *)node + offsetof(kiln_format_node_aabb8, lower);
    uint32_t mask = 0;
    for (unsigned i = 0; i < 8; i += KILN_SIMD_LANES) {
        vec first = vec_of(0.0f), last = vec_of(slabs->s_max);
        for (unsigned k = 0; k < 3; k++) {
            const vec nearer = vec_from_int(vec_int_load_u8(faces + slabs->nearer[k] + i));
            const vec farther = vec_from_int(vec_int_load_u8(faces + slabs->farther[k] + i));
            narrow_slab(nearer * slabs->step[k] + slabs->near[k],
                        farther * slabs->step[k] + slabs->far[k], &first, &last);
        }
        vec_store(entry + i, first);
        mask |= (~vec_lanes(vec_greater(first, last)) & ((1u << KILN_SIMD_LANES) - 1u)) << i;
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

#define ray_lanes KILN_SIMD_NAME(ray_lanes)
static inline uint32_t ray_lanes(const kiln_lanes *lanes, const kiln_ray_probe *probe, bool aligned,
                                 float entry[8])
{
    uint32_t mask = 0;
    for (unsigned i = 0; i < 8; i += KILN_SIMD_LANES) {
        const vec x = vec_load(lanes->centre[0] + i) - probe->origin[0];
        const vec y = vec_load(lanes->centre[1] + i) - probe->origin[1];
        const vec z = vec_load(lanes->centre[2] + i) - probe->origin[2];
        const vec reach =
            (vec_abs(x) + vec_abs(y) + vec_abs(z)) * 0x1p-21f + probe->reach;
        vec first = vec_of(0.0f), last = vec_of(probe->s_max);
        for (unsigned k = 0; k < 3; k++) {
            vec centre = k == 0 ? x : k == 1 ? y : z, slope = vec_of(probe->direction[k]);
            if (!aligned) {
                const vec axis_x = vec_load(lanes->axis[3 * k] + i);
                const vec axis_y = vec_load(lanes->axis[3 * k + 1] + i);
                const vec axis_z = vec_load(lanes->axis[3 * k + 2] + i);
                centre = axis_x * x + axis_y * y + axis_z * z;
                slope = axis_x * probe->direction[0] + axis_y * probe->direction[1] +
                        axis_z * probe->direction[2];
            }
            ray_axis(centre, slope, vec_load(lanes->half[k] + i), reach, &first, &last);
        }
        first = first * (1.0f - 0x1p-20f);
        vec_store(entry + i, first);
        mask |= (~vec_lanes(vec_greater(first, last)) & ((1u << KILN_SIMD_LANES) - 1u)) << i;
    }
    return mask;
}

#define rays_oriented KILN_SIMD_NAME(rays_oriented)
static uint32_t rays_oriented(const kiln_lanes *lanes, const kiln_ray_probe *probe, float entry[8])
{
    return ray_lanes(lanes, probe, false, entry);
}

#define rays_aligned KILN_SIMD_NAME(rays_aligned)
static uint32_t rays_aligned(const kiln_lanes *lanes, const kiln_ray_probe *probe, float entry[8])
{
    return ray_lanes(lanes, probe, true, entry);
}
