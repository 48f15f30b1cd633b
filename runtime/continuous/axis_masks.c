/* Axes of lists, zones of velocities, and ends of what objects sweep along them. */
#include "axis_masks.h"

#include <math.h>
#include <string.h>

#define THIRD 0.57735026918962576451 /* sqrt(1/3) */

static const double sweep_axes[7][3] = {
    {1, 0, 0},
    {0, 1, 0},
    {0, 0, 1},
    {THIRD, THIRD, THIRD},
    {THIRD, THIRD, -THIRD},
    {THIRD, -THIRD, THIRD},
    {-THIRD, THIRD, THIRD},
};

bool kiln_axis_pool_of(const kiln_dynamic_options *options, kiln_axis_pool *pool)
{
    memset(pool, 0, sizeof *pool);
    if (options->engine == KILN_DYNAMIC_SWEEP || options->engine == KILN_DYNAMIC_SWEEP_14DOP) {
        pool->axes = sweep_axes;
        pool->count = options->engine == KILN_DYNAMIC_SWEEP ? 3 : 7;
        return true;
    }
    const kiln_axes_info info = kiln_axes_get_info(options->axes);
    pool->axes = info.axes;
    pool->count = info.count;
    pool->set = options->axes;
    pool->has_zones = true;
    pool->sine = options->axes_sine > 0 ? options->axes_sine : info.sine;
    return info.count <= KILN_AXIS_MOST && pool->sine >= info.sine && pool->sine <= 1;
}

/* Equation 11 for axes without signs. */
uint32_t kiln_axis_pool_mean(const kiln_axis_pool *pool)
{
    const double mean = pool->has_zones ? ceil(1.25 * pool->count * pool->sine) : pool->count;
    return mean < pool->count ? (uint32_t)mean : pool->count;
}

kiln_axis_mask kiln_axis_mask_of(const kiln_axis_pool *pool, const double velocity[3])
{
    static const double upwards[3] = {0, 0, 1};
    kiln_axis_mask mask = {{0, 0, 0, 0}};
    if (!pool->has_zones) {
        mask.words[0] = (UINT64_C(1) << pool->count) - 1;
        return mask;
    }
    const bool rests = velocity[0] == 0 && velocity[1] == 0 && velocity[2] == 0;
    const kiln_status status =
        kiln_axes_zone(pool->set, rests ? upwards : velocity, pool->sine, mask.words, NULL);
    KILN_ASSERT(status == KILN_OK);
    (void)status;
    return mask;
}

static double along_axis(const double x[3], const double axis[3])
{
    return x[0] * axis[0] + x[1] * axis[1] + x[2] * axis[2];
}

void kiln_axis_ends_of(const kiln_dynamic *world, const double axis[3], uint32_t place, double time,
                       kiln_axis_end ends[2])
{
    const kiln_dynamic_body *body = &world->bodies[place];
    double x[3], extent = body->radius + (double)world->pad;
    kiln_dynamic_at(body, time, x);
    for (int k = 0; k < 3; k++) {
        x[k] -= world->frame.centre[k];
    }
    if (world->limbs != NULL) {
        extent += fabs(along_axis(world->limbs[place].arm, axis));
    }
    const double middle = along_axis(x, axis);
    for (int i = 0; i < 2; i++) {
        ends[i].base = (float)(i == 0 ? middle - extent : middle + extent);
        ends[i].velocity = (float)along_axis(body->velocity, axis);
        ends[i].value = 0;
        ends[i].tag = kiln_axis_tag(place, world->keys[place], i == 1);
    }
}

/* Floats of the image, whose dot products are off by less than the further pad. */
bool kiln_axis_overlap(const kiln_dynamic *world, const kiln_axis_pool *pool,
                       const kiln_axis_mask *shared, uint32_t i, uint32_t j, float horizon)
{
    const kiln_dynamic_image *image = &world->image;
    float d[3], v[3], w[3];
    for (int k = 0; k < 3; k++) {
        d[k] = image->position[k][j] - image->position[k][i];
        v[k] = image->velocity[k][i] * horizon;
        w[k] = image->velocity[k][j] * horizon;
    }
    /* Reaches have their pad. */
    const float reach = image->reach[i] + image->reach[j] + 2 * world->pad;
    for (uint32_t axis = kiln_axis_next(shared, 0); axis < KILN_AXIS_MOST;
         axis = kiln_axis_next(shared, axis + 1)) {
        const double *at = pool->axes[axis];
        const float x = (float)at[0], y = (float)at[1], z = (float)at[2];
        const float off = d[0] * x + d[1] * y + d[2] * z;
        const float own = v[0] * x + v[1] * y + v[2] * z;
        const float other = w[0] * x + w[1] * y + w[2] * z;
        float extent = reach;
        if (world->limbs != NULL) {
            const kiln_dynamic_limb *p = &world->limbs[i], *q = &world->limbs[j];
            extent += (float)(fabs(along_axis(p->arm, at)) - p->half_length) +
                      (float)(fabs(along_axis(q->arm, at)) - q->half_length);
        }
        /* i is in [min(own, 0), max(own, 0)], j in off + [min(other, 0), max(other, 0)]. */
        const float low = off + (other < 0 ? other : 0) - (own > 0 ? own : 0);
        const float high = off + (other > 0 ? other : 0) - (own < 0 ? own : 0);
        if (low > extent || high < -extent) {
            return false;
        }
    }
    return true;
}

/* By a heap: in place, and for any order. */
static void sink_end(kiln_axis_end *ends, uint32_t hole, uint32_t count, kiln_axis_end end)
{
    for (;;) {
        uint32_t child = 2 * hole + 1;
        if (child >= count) {
            break;
        }
        child += child + 1 < count && kiln_axis_is_before(&ends[child], &ends[child + 1]);
        if (!kiln_axis_is_before(&end, &ends[child])) {
            break;
        }
        ends[hole] = ends[child];
        hole = child;
    }
    ends[hole] = end;
}

void kiln_axis_sort(kiln_axis_end *ends, uint32_t count)
{
    for (uint32_t i = count / 2; i-- > 0;) {
        sink_end(ends, i, count, ends[i]);
    }
    for (uint32_t last = count; last-- > 1;) {
        const kiln_axis_end end = ends[last];
        ends[last] = ends[0];
        sink_end(ends, 0, last, end);
    }
}
