/* Rounds estimates to what a table stores (A. Ziv, "Fast Evaluation of Elementary Mathematical
 * Functions with Correctly Rounded Last Bit", 1991): where both ends of the interval that holds
 * P round alike, that is the value; else exact arithmetic decides, which happens for a few
 * values in a million. */
#include "bins_round.h"

#include <math.h>

/* Ends of the interval that P lies in. Their own rounding, at most 2^-53 of them, is less than the
 * hundredth by which errors are too large, or than 1 - P itself where that is what was computed. */
static double lower_end(const kiln_lut_estimate *estimate)
{
    return estimate->error == 0.0 ? estimate->p : fmax(estimate->p - 2.0 * estimate->error, 0.0);
}

static double upper_end(const kiln_lut_estimate *estimate)
{
    return estimate->error == 0.0 ? estimate->p : fmin(estimate->p + 2.0 * estimate->error, 1.0);
}

static void set_exact(kiln_lut_rounder *rounder, const kiln_lut_terms *terms)
{
    kiln_lut_exact_set(&rounder->exact, terms->u, terms->v, terms->w);
}

static float float_of(double p, bool down)
{
    const float nearest = (float)p;
    return down && (double)nearest > p ? nextafterf(nearest, 0.0f) : nearest;
}

float kiln_lut_round_float(kiln_lut_rounder *rounder, const kiln_lut_terms *terms, uint32_t x,
                           const kiln_lut_estimate *estimate)
{
    const float lower = float_of(lower_end(estimate), rounder->down);
    if (lower == float_of(upper_end(estimate), rounder->down)) {
        return lower;
    }
    rounder->exact_values++;
    set_exact(rounder, terms);
    return kiln_lut_exact_float(&rounder->exact, x, rounder->down);
}

/* Half-way cases: rint takes the even one; any doubt about them ends in exact arithmetic. */
static double count_of(double p, bool down)
{
    return down ? fmin(floor(p * 65536.0), 65535.0) : rint(p * 65535.0);
}

uint16_t kiln_lut_round_count(kiln_lut_rounder *rounder, const kiln_lut_terms *terms, uint32_t x,
                              const kiln_lut_estimate *estimate)
{
    const double slack = estimate->error == 0.0 && (estimate->p == 0.0 || estimate->p == 1.0)
                             ? 0.0
                             : 0x1p-50; /* the product rounds too */
    const double lower = count_of(lower_end(estimate) - slack, rounder->down);
    if (lower == count_of(upper_end(estimate) + slack, rounder->down)) {
        return (uint16_t)lower;
    }
    rounder->exact_values++;
    set_exact(rounder, terms);
    return kiln_lut_exact_count(&rounder->exact, x, rounder->down);
}

bool kiln_lut_round_is_cut(kiln_lut_rounder *rounder, const kiln_lut_terms *terms, uint32_t x,
                           const kiln_lut_estimate *estimate)
{
    const double cut = (double)rounder->cut_millionths / 1e6;
    const double doubt = 2.0 * estimate->complement_error + 0x1p-52 * cut;
    if (fabs(estimate->complement - cut) > doubt) {
        return estimate->complement < cut;
    }
    rounder->exact_cuts++;
    set_exact(rounder, terms);
    return kiln_lut_exact_is_cut(&rounder->exact, x, rounder->cut_millionths);
}
