/* Axis sets, and which axes a velocity uses (Coming and Staadt 2004, Equation 7 and section V-D.1).
 *
 * Theorem. For phi >= R, the covering radius, and any velocities v and w, an axis is in both masks.
 * Proof. Let u be perpendicular to both; an axis a, or its opposite, makes an angle of at most R
 * with u. So its angle with v is from 90 degrees - R to 90 degrees + R, and |a . v| <= sin R |a|
 * |v|: it is in the zone of v, and likewise in that of w. A mask has every axis of its zone, as
 * follows.
 *
 * Without a table an axis is taken if |a . v| <= (sine + 2^-47) |v| as computed. Let u = 2^-53, and
 * v be scaled so that nothing overflows or is denormal. The product is within 3.1 u |a| |v| of
 * itself, |a| <= 1 + 2^-49, |v| is within 3 u of itself, sum and product on the right within 2 u;
 * so the right side is at least (sine + 2^-47)(1 - 5.1 u) |v|. Where |a . v| <= sine |a| |v| holds
 * exactly, the left side is at most (sine (1 + 2^-49) + 3.2 u) |v| <= (sine + 20 u) |v|, the right
 * one at least (sine + 64 u - 5.2 u) |v|. That the slack is three times what it needs to be hardly
 * takes an axis.
 *
 * With a table the mask of the cell that v is in is read. Cells are made to hold the zones of all
 * directions in them, and of those that the roundings of this look-up put there
 * (lut/axes_zones.c has that proof). */
#include "axes.h"

#include "../../formats/assert.h"
#include "../../lut/axes_default.h"
#include "../../formats/axes_check.h"
#include "../base/fpu.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double zone_slack = 0x1p-47;

static const kiln_axes built_in = {.set = &kiln_axes_built_in};

static const kiln_axes *axes_or_built_in(const kiln_axes *axes)
{
    return axes != NULL ? axes : &built_in;
}

const kiln_axes *kiln_axes_default(void)
{
    return &built_in;
}

kiln_axes_info kiln_axes_get_info(const kiln_axes *axes)
{
    axes = axes_or_built_in(axes);
    const kiln_axis_set *set = axes->set;
    const bool has_table = axes->zone_cells > 0;
    const kiln_axes_info info = {.count = set->count,
                                 .words = kiln_axes_mask_words(set->count),
                                 .axes = set->axes,
                                 .radius = set->radius,
                                 .sine = set->sine,
                                 .zone_sine = has_table ? axes->zone_sine : set->sine,
                                 .zone_cells = axes->zone_cells,
                                 .bytes = has_table ? axes->bytes : set->count * sizeof *set->axes};
    return info;
}

kiln_status kiln_axes_get(const kiln_axes *axes, uint32_t index, double axis[3])
{
    const kiln_axis_set *set = axes_or_built_in(axes)->set;
    if (axis == NULL || index >= set->count) {
        return KILN_ERROR_ARGUMENT;
    }
    memcpy(axis, set->axes[index], sizeof set->axes[index]);
    return KILN_OK;
}

/* ----------------------------------------------------------------------------------- zones -- */

/* Sums of neighbouring bits, then of pairs, then of all bytes. */
static uint32_t ones_of(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (uint32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/* Scales a velocity whose length could overflow or be denormal, so that its longest coordinate is
 * from 1/2 to 1: exactly, but for coordinates that are 2^-1000 of it. False: it is not finite. At
 * rest it stays 0. */
static bool scale_velocity(const double velocity[3], double scaled[3])
{
    const double x = fabs(velocity[0]), y = fabs(velocity[1]), z = fabs(velocity[2]);
    const double longest = x > y ? (x > z ? x : z) : y > z ? y : z;
    memcpy(scaled, velocity, 3 * sizeof *scaled);
    if (longest > 0x1p-300 && x + y + z < 0x1p300) { /* so none is a NaN */
        return true;
    }
    if (!(x <= DBL_MAX && y <= DBL_MAX && z <= DBL_MAX)) { /* isfinite warns in mingw-w64 */
        return false;
    }
    int exponent;
    frexp(longest, &exponent);
    for (unsigned i = 0; i < 3; i++) {
        scaled[i] = ldexp(velocity[i], -exponent);
    }
    return true;
}

/* Every axis of a set, as for an object at rest. */
static uint32_t take_all(const kiln_axis_set *set, uint64_t mask[])
{
    for (uint32_t word = 0; word < kiln_axes_mask_words(set->count); word++) {
        const uint32_t left = set->count - 64 * word;
        mask[word] = left < 64 ? (UINT64_C(1) << left) - 1 : ~UINT64_C(0);
    }
    return set->count;
}

/* The axes that are nearly perpendicular to v, by their products with it. */
static uint32_t take_by_products(const kiln_axis_set *set, const double v[3], double sine,
                                 uint64_t mask[])
{
    const double limit = (sine + zone_slack) * sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    uint32_t count = 0;
    for (uint32_t first = 0; first < set->count; first += 64) {
        const uint32_t some = set->count - first < 64 ? set->count - first : 64;
        uint64_t bits = 0;
        for (uint32_t i = 0; i < some; i++) {
            const double *axis = set->axes[first + i];
            const double along = axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2];
            bits |= (uint64_t)(fabs(along) <= limit) << i;
        }
        mask[first / 64] = bits;
        count += ones_of(bits);
    }
    return count;
}

/* What a caller asks, in the environment that the proof is for. */
static kiln_status find_zone(const kiln_axes *axes, const double velocity[3], double sine,
                             uint64_t mask[], uint32_t *count)
{
    const kiln_axis_set *set = axes->set;
    double v[3];
    if (!scale_velocity(velocity, v) || !(sine == 0.0 || (sine >= set->sine && sine <= 1.0))) {
        return KILN_ERROR_ARGUMENT;
    }
    uint32_t found = 0;
    if (v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0) {
        found = take_all(set, mask);
    } else if (sine == 0.0 && axes->zone_cells > 0) {
        const uint32_t words = kiln_axes_mask_words(set->count);
        const uint64_t *zone = axes->zones + kiln_axes_cell(v, axes->zone_cells) * words;
        for (uint32_t word = 0; word < words; word++) {
            mask[word] = zone[word];
            found += ones_of(zone[word]);
        }
    } else {
        found = take_by_products(set, v, sine == 0.0 ? set->sine : sine, mask);
    }
    if (count != NULL) {
        *count = found;
    }
    return KILN_OK;
}

kiln_status kiln_axes_zone(const kiln_axes *axes, const double velocity[3], double sine,
                           uint64_t mask[], uint32_t *count)
{
    if (velocity == NULL || mask == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, find_zone);
    const kiln_status status = run(axes_or_built_in(axes), velocity, sine, mask, count);
    kiln_fpu_leave(caller);
    return status;
}
