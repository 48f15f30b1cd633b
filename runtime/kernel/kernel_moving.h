/* Kernels of moving objects, compiled once for each instruction set (simd.h): a ball against many
 * that move, and a box of space and time against many.
 *
 * Two balls come near each other where their way, at the time of closest approach, is no longer
 * than both reaches. That time is off by the rounding of b / a; the way there is longer than the
 * shortest by a square of that alone, so that the pad in the reaches (continuous/world_interval.c)
 * covers it: off by 2^-22 |d| |w| in b, it is off by 2^-22 |d| in length across the shortest way.
 * Where the balls hardly move relative to each other, any time from 0 to the horizon gives a way
 * that differs by no more than the velocities are off, which the pad is for as well. */

#define moving_near KILN_SIMD_NAME(moving_near)
#define moving_meeting KILN_SIMD_NAME(moving_meeting)
#define moving_kernels KILN_SIMD_NAME(moving_kernels)

static uint32_t moving_near(const kiln_moving_balls *balls, uint32_t first, uint32_t end,
                            uint32_t one, float horizon, uint32_t hits[KILN_MOVING_HITS])
{
    uint32_t count = 0;
    float own[3], speed[3];
    for (int k = 0; k < 3; k++) {
        own[k] = balls->position[k][one];
        speed[k] = balls->velocity[k][one];
    }
    for (uint32_t at = first; at < end; at += KILN_SIMD_LANES) {
        const vec x = vec_load(balls->position[0] + at) - own[0];
        const vec y = vec_load(balls->position[1] + at) - own[1];
        const vec z = vec_load(balls->position[2] + at) - own[2];
        const vec u = vec_load(balls->velocity[0] + at) - speed[0];
        const vec v = vec_load(balls->velocity[1] + at) - speed[1];
        const vec w = vec_load(balls->velocity[2] + at) - speed[2];
        const vec reach = vec_load(balls->reach + at) + balls->reach[one];
        const vec along = x * u + y * v + z * w, square = u * u + v * v + w * w;
        const vec time =
            vec_min(vec_max((0.0f - along) / (square + 0x1p-100f), vec_of(0.0f)), vec_of(horizon));
        const vec e = x + u * time, f = y + v * time, g = z + w * time;
        const uint32_t apart = vec_lanes(vec_greater(e * e + f * f + g * g, reach * reach));
        uint32_t near = ~apart & KILN_LANES_ALL;
        while (near != 0) {
            const uint32_t lane = (uint32_t)__builtin_ctz(near);
            if (at + lane < end) {
                hits[count++] = at + lane;
            }
            near &= near - 1;
        }
    }
    return count;
}

static uint32_t moving_meeting(const kiln_moving_box *boxes, const uint32_t ranges[][2],
                               unsigned range_count, const kiln_moving_box *reverse,
                               uint32_t hits[KILN_MOVING_HITS])
{
    uint32_t count = 0;
    vec other[8 / KILN_SIMD_LANES];
    for (unsigned i = 0; i < 8 / KILN_SIMD_LANES; i++) {
        other[i] = vec_load(reverse->bound + i * KILN_SIMD_LANES);
    }
    for (unsigned range = 0; range < range_count; range++) {
        for (uint32_t at = ranges[range][0]; at < ranges[range][1]; at++) {
            vec_mask beyond = vec_greater(vec_load(boxes[at].bound), other[0]);
            for (unsigned i = 1; i < 8 / KILN_SIMD_LANES; i++) {
                beyond =
                    beyond | vec_greater(vec_load(boxes[at].bound + i * KILN_SIMD_LANES), other[i]);
            }
            hits[count] = at;
            count += vec_lanes(beyond) == 0;
        }
    }
    return count;
}

static const kiln_moving_kernels moving_kernels = {
    .near_balls = moving_near,
    .meeting_boxes = moving_meeting,
};
