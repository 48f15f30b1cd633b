/* Kernels of winding numbers, compiled once for each instruction set (simd.h).
 *
 * Lanes. winding/moments.c proves what is computed here: with y from the point to the centre, R its
 * length, q = radius / R, the value is
 *
 *     (N y + S(y, y) / R^2 + T(y, y, y) / R^4) / R^3
 *
 * and is off by (third / R^3 (4 - 3 q) / (1 - q)^2 + round) / R^2. The rows are so much larger than
 * what they bound that roundings here don't matter.
 *
 * Triangles. Half the solid angle of a triangle is the argument of x + i y with
 *
 *     x = |a| |b| |c| + (a b) |c| + (b c) |a| + (c a) |b|,    y = det(a, b, c),
 *
 * where a, b, c lead from the point to the corners (A. Van Oosterom and J. Strackee, "The solid
 * angle of a plane triangle", IEEE Transactions on Biomedical Engineering 30(2), 1983, Equation 8).
 * y is taken as a (e x f) with e = b - a and f = c - a between the corners themselves, since that
 * is right to the last bits for small triangles far away.
 *
 * Rounding, with u = 2^-53. Differences are off by u of each coordinate, lengths by less than 4 u,
 * products a b by 5.1 u |a| |b|. So the first term of x is off by 14.1 u P with P = |a| |b| |c|,
 * each of the three others by 10.2 u P, and their sums, of numbers up to 2 P, 3 P and 4 P, by 9 u
 * P: together less than 56 u P, for which 64 u P is taken. A coordinate of e x f is off by 4.1 u
 * of the magnitudes of its two products, y by 8.3 u of the sum Y of those of all six; 16 u Y are
 * taken. What is lost to numbers below the least normal one is less than 2^-800.
 *
 * Where both together, d, are less than |x + i y| / 16, and the number cannot have crossed the
 * negative real axis, its argument is off by asin of at most (|x| dy + |y| dx) / (|x + i y|^2 15 /
 * 16), which is less than 9/8 of the same without the 15 / 16. Where they are not, the triangle is
 * unsure; and so it is from 2^-24 on, nearer to an edge than that part of its length, so that none
 * is off by much more.
 *
 * The argument itself is that of a point turned by 0, 22.5 or 45 degrees, then within 11.25 of the
 * axis, by the series of Taylor, which ends with an error below 2^-58 of it. Turning and series
 * round by less than 6 u of an angle below 11.25 degrees, and by less than 2^-51 in others, which
 * are larger than 0.19: less than 2^-49 of either. 16 additions to a sum and 3 of sums are off by
 * 19 u of the magnitudes. Both are below 2^-48. */

#define winding_lanes KILN_SIMD_NAME(winding_lanes)
#define winding_triangles KILN_SIMD_NAME(winding_triangles)
#define winding_argument KILN_SIMD_NAME(winding_argument)
#define winding_kernels KILN_SIMD_NAME(winding_kernels)

static void winding_lanes(const double *rows, unsigned width, const double point[3],
                          kiln_winding_seen *seen)
{
    for (unsigned i = 0; i < width; i += KILN_SIMD_DOUBLES) {
#define WINDING_ROW(number) vec_double_load(rows + (size_t)(number)*width + i)
        const vec_double x = WINDING_ROW(KILN_WINDING_CENTRE) - point[0];
        const vec_double y = WINDING_ROW(KILN_WINDING_CENTRE + 1) - point[1];
        const vec_double z = WINDING_ROW(KILN_WINDING_CENTRE + 2) - point[2];
        const vec_double xx = x * x, yy = y * y, zz = z * z;
        const vec_double r2 = xx + yy + zz;
        const vec_double inverse = 1.0 / vec_double_sqrt(r2), inverse2 = inverse * inverse;

        const vec_double q = WINDING_ROW(KILN_WINDING_RADIUS) * inverse, p = 1.0 - q;
        const vec_double left =
            WINDING_ROW(KILN_WINDING_THIRD) * (inverse * inverse2) * (4.0 - 3.0 * q) / (p * p);
        const vec_double off = (left + WINDING_ROW(KILN_WINDING_ROUND)) * inverse2;
        const vec_double_mask is_far =
            vec_double_less(q, vec_double_of(0.75)) &
            vec_double_greater(r2, vec_double_of(KILN_WINDING_NEAREST * KILN_WINDING_NEAREST));
        vec_double_store(seen->weight + i, WINDING_ROW(KILN_WINDING_WEIGHT) * inverse2);
        vec_double_store(seen->bound + i, vec_double_select(is_far, off, vec_double_of(HUGE_VAL)));

        const vec_double first = WINDING_ROW(KILN_WINDING_DIPOLE) * x +
                                 WINDING_ROW(KILN_WINDING_DIPOLE + 1) * y +
                                 WINDING_ROW(KILN_WINDING_DIPOLE + 2) * z;
        const vec_double second = WINDING_ROW(KILN_WINDING_DOUBLE) * (xx - zz) +
                                  WINDING_ROW(KILN_WINDING_DOUBLE + 1) * (yy - zz) +
                                  WINDING_ROW(KILN_WINDING_DOUBLE + 2) * (x * y) +
                                  WINDING_ROW(KILN_WINDING_DOUBLE + 3) * (x * z) +
                                  WINDING_ROW(KILN_WINDING_DOUBLE + 4) * (y * z);
        const vec_double of_x = WINDING_ROW(KILN_WINDING_TRIPLE) * (xx - 3.0 * zz) +
                                WINDING_ROW(KILN_WINDING_TRIPLE + 1) * (yy - zz) +
                                WINDING_ROW(KILN_WINDING_TRIPLE + 6) * (y * z);
        const vec_double of_y = WINDING_ROW(KILN_WINDING_TRIPLE + 2) * (yy - 3.0 * zz) +
                                WINDING_ROW(KILN_WINDING_TRIPLE + 3) * (xx - zz);
        const vec_double of_z = WINDING_ROW(KILN_WINDING_TRIPLE + 4) * (3.0 * xx - zz) +
                                WINDING_ROW(KILN_WINDING_TRIPLE + 5) * (3.0 * yy - zz);
        const vec_double third = of_x * x + of_y * y + of_z * z;
        const vec_double sum = first + inverse2 * (second + inverse2 * third);
        vec_double_store(seen->value + i, inverse * inverse2 * sum);
#undef WINDING_ROW
    }
}

/* Of x + i y, not 0, y >= 0: from 0 to pi. */
static inline vec_double winding_argument(vec_double x, vec_double y)
{
    const vec_double wide = vec_double_abs(x);
    const vec_double_mask steep = vec_double_greater(y, wide);
    const vec_double high = vec_double_max(y, wide), low = vec_double_min(y, wide);
    /* Turned by what has this tangent: those of 11.25 and 33.75 degrees are between. */
    const vec_double_mask some = vec_double_greater(low, 0x1.975f5e0553158p-3 * high);
    const vec_double_mask more = vec_double_greater(low, 0x1.561b82ab7f99p-1 * high);
    const vec_double turn = vec_double_select(
        more, vec_double_of(1.0),
        vec_double_select(some, vec_double_of(0x1.a827999fcef32p-2), vec_double_of(0.0)));
    const vec_double turned = vec_double_select(
        more, vec_double_of(0x1.921fb54442d18p-1),
        vec_double_select(some, vec_double_of(0x1.921fb54442d18p-2), vec_double_of(0.0)));
    const vec_double t = (low - turn * high) / (high + turn * low), s = t * t;
    vec_double series = vec_double_of(1.0 / 23.0);
    for (int k = 21; k >= 3; k -= 2) {
        series = 1.0 / (double)k - s * series;
    }
    vec_double angle = turned + (t - t * s * series);
    angle = vec_double_select(steep, 0x1.921fb54442d18p+0 - angle, angle);
    return vec_double_select(vec_double_less(x, vec_double_of(0.0)), 0x1.921fb54442d18p+1 - angle,
                             angle);
}

static void winding_triangles(const kiln_winding_triangles *triangles, unsigned count,
                              const double point[3], kiln_winding_angles *out)
{
    enum { PARTS = 4 / KILN_SIMD_DOUBLES };
    vec_double angle[PARTS], magnitude[PARTS], error[PARTS];
    double sums[3][4];
    const vec_double zero = vec_double_of(0.0);
    out->unsure = 0;
    for (unsigned part = 0; part < PARTS; part++) {
        angle[part] = magnitude[part] = error[part] = zero;
    }
    for (unsigned i = 0; i < count; i += KILN_SIMD_DOUBLES) {
        vec_double at[9], e[3], f[3], n[3], size[3];
        for (unsigned k = 0; k < 9; k++) {
            at[k] = vec_double_load(triangles->corner[k] + i);
        }
        for (unsigned k = 0; k < 3; k++) {
            e[k] = at[3 + k] - at[k];
            f[k] = at[6 + k] - at[k];
        }
        for (unsigned k = 0; k < 9; k++) {
            at[k] = at[k] - point[k % 3];
        }
        for (unsigned k = 0; k < 3; k++) {
            const unsigned j = (k + 1) % 3, l = (k + 2) % 3;
            const vec_double one = e[j] * f[l], other = e[l] * f[j];
            n[k] = one - other;
            size[k] = vec_double_abs(one) + vec_double_abs(other);
        }
        const vec_double a = vec_double_sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
        const vec_double b = vec_double_sqrt(at[3] * at[3] + at[4] * at[4] + at[5] * at[5]);
        const vec_double c = vec_double_sqrt(at[6] * at[6] + at[7] * at[7] + at[8] * at[8]);
        const vec_double ab = at[0] * at[3] + at[1] * at[4] + at[2] * at[5];
        const vec_double bc = at[3] * at[6] + at[4] * at[7] + at[5] * at[8];
        const vec_double ca = at[6] * at[0] + at[7] * at[1] + at[8] * at[2];
        const vec_double product = a * b * c;
        const vec_double x = product + ab * c + bc * a + ca * b;
        const vec_double y = at[0] * n[0] + at[1] * n[1] + at[2] * n[2];
        const vec_double off_x = 0x1p-47 * product + 0x1p-300;
        const vec_double off_y =
            0x1p-49 * (vec_double_abs(at[0]) * size[0] + vec_double_abs(at[1]) * size[1] +
                       vec_double_abs(at[2]) * size[2]) +
            0x1p-300;

        const vec_double high = vec_double_abs(y), off = 0x1p24 * (off_x + off_y);
        const vec_double squared = x * x + y * y;
        const vec_double_mask unsure =
            vec_double_greater(off * off, squared) |
            (vec_double_less(x, zero) & ~vec_double_greater(high, off_y));
        out->unsure |= (uint64_t)vec_double_lanes(unsure) << i;
        const vec_double is_off = 1.125 * (vec_double_abs(x) * off_y + high * off_x) / squared;
        const vec_double half = vec_double_select(unsure, zero, winding_argument(x, high));
        const vec_double kept = vec_double_select(unsure, zero, is_off);
        const unsigned part = i / KILN_SIMD_DOUBLES % PARTS;
        angle[part] = angle[part] + vec_double_select(vec_double_less(y, zero), zero - half, half);
        magnitude[part] = magnitude[part] + half;
        error[part] = error[part] + kept;
    }
    for (unsigned part = 0; part < PARTS; part++) {
        vec_double_store(sums[0] + part * KILN_SIMD_DOUBLES, angle[part]);
        vec_double_store(sums[1] + part * KILN_SIMD_DOUBLES, magnitude[part]);
        vec_double_store(sums[2] + part * KILN_SIMD_DOUBLES, error[part]);
    }
    out->angle = (sums[0][0] + sums[0][1]) + (sums[0][2] + sums[0][3]);
    out->magnitude = (sums[1][0] + sums[1][1]) + (sums[1][2] + sums[1][3]);
    out->error = (sums[2][0] + sums[2][1]) + (sums[2][2] + sums[2][3]);
}

static const kiln_winding_kernels winding_kernels = {
    .lanes = winding_lanes,
    .triangles = winding_triangles,
};
