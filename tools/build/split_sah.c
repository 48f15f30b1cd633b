/* Surface-area heuristic over bins (I. Wald, "On fast construction of SAH-based bounding volume
 * hierarchies", 2007): of the planes between 16 equal bins of centroids on each axis, the one with
 * the least sum of half-area times leaves. Counting leaves instead of triangles keeps leaves
 * full. */
#include "split.h"

#include <math.h>

enum { BINS = 16 };

/* The upper corner is stored negated, so that joining boxes is one minimum over six numbers. */
typedef struct {
    float bound[6];
    uint32_t count;
} bin;

typedef struct {
    double cost;
    unsigned axis;
    unsigned bin; /* the last that goes left */
} plane;

/* Which bin a centre falls in; the same expression fills bins and divides records, so both
 * agree. */
typedef struct {
    double lower[3], scale[3];
} binning;

static unsigned bin_of(const binning *by, const kiln_record *record, unsigned axis)
{
    return (unsigned)((kiln_record_centre(record, axis) - by->lower[axis]) * by->scale[axis]);
}

static void binning_choose(const kiln_centres *centres, binning *by)
{
    /* A hair below 16, so that the upper end falls in the last bin whatever the roundings: they are
     * below 2^-51 of 16 together. Floats are multiples of 2^-149, so the quotient is finite. */
    const double span = BINS * (1.0 - 0x1p-40);
    for (unsigned k = 0; k < 3; k++) {
        const double width = centres->upper[k] - centres->lower[k];
        by->lower[k] = centres->lower[k];
        by->scale[k] = width > 0 ? span / width : 0;
    }
}

static void join(float bound[6], const float other[6])
{
    for (unsigned k = 0; k < 6; k++) {
        bound[k] = other[k] < bound[k] ? other[k] : bound[k];
    }
}

static void clear(bin *b)
{
    for (unsigned k = 0; k < 6; k++) {
        b->bound[k] = INFINITY;
    }
    b->count = 0;
}

static void fill_bins(const kiln_record *records, uint32_t count, const binning *by,
                      bin bins[3][BINS])
{
    for (unsigned axis = 0; axis < 3; axis++) {
        for (unsigned i = 0; i < BINS; i++) {
            clear(&bins[axis][i]);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        float bound[6];
        for (unsigned k = 0; k < 3; k++) {
            bound[k] = kiln_record_lower(&records[i], k);
            bound[3 + k] = -kiln_record_upper(&records[i], k);
        }
        for (unsigned axis = 0; axis < 3; axis++) {
            bin *b = &bins[axis][bin_of(by, &records[i], axis)];
            join(b->bound, bound);
            b->count++;
        }
    }
}

/* Half the surface, and a millionth of the squared edges' sum, so that triangles along a line are
 * cut well too. In double: floats reach 2^128, products of their differences 2^258. */
static double half_area(const float bound[6])
{
    const double x = -(double)bound[3] - (double)bound[0];
    const double y = -(double)bound[4] - (double)bound[1];
    const double z = -(double)bound[5] - (double)bound[2];
    const double length = (x + y) + z;
    return ((x * y + y * z) + z * x) + 0x1p-20 * (length * length);
}

static double side_cost(const bin *side, uint32_t leaf)
{
    return half_area(side->bound) * (double)kiln_leaf_units(side->count, leaf);
}

/* Cheapest plane of one axis into `best`, if it beats it. */
static void sweep(const bin bins[BINS], unsigned axis, uint32_t leaf, plane *best)
{
    double right_cost[BINS];
    bin side;
    clear(&side);
    for (unsigned i = BINS - 1; i > 0; i--) {
        if (bins[i].count != 0) {
            join(side.bound, bins[i].bound);
            side.count += bins[i].count;
            right_cost[i] = side_cost(&side, leaf);
        } else {
            right_cost[i] = i + 1 < BINS ? right_cost[i + 1] : INFINITY;
        }
    }
    clear(&side);
    for (unsigned i = 0; i + 1 < BINS; i++) {
        if (bins[i].count == 0) {
            continue; /* the same two sides as one bin before */
        }
        join(side.bound, bins[i].bound);
        side.count += bins[i].count;
        const double cost = side_cost(&side, leaf) + right_cost[i + 1];
        if (cost < best->cost) {
            *best = (plane){cost, axis, i};
        }
    }
}

static uint32_t divide(kiln_record *records, uint32_t count, const binning *by, const plane *at)
{
    uint32_t left = 0, right = count;
    for (;;) {
        while (left < right && bin_of(by, &records[left], at->axis) <= at->bin) {
            left++;
        }
        while (left < right && bin_of(by, &records[right - 1], at->axis) > at->bin) {
            right--;
        }
        if (left == right) {
            return left;
        }
        const kiln_record moved = records[left];
        records[left++] = records[--right];
        records[right] = moved;
    }
}

uint32_t kiln_split_sah(kiln_record *records, uint32_t *marks, uint32_t count, uint32_t leaf)
{
    kiln_centres centres;
    binning by;
    bin bins[3][BINS];
    plane best = {INFINITY, 0, 0};
    kiln_centres_measure(records, count, &centres);
    binning_choose(&centres, &by);
    fill_bins(records, count, &by, bins);
    for (unsigned axis = 0; axis < 3; axis++) {
        if (by.scale[axis] > 0) { /* then its first and last bins are not empty */
            sweep(bins[axis], axis, leaf, &best);
        }
    }
    if (!(best.cost < INFINITY)) {
        return kiln_split_median(records, marks, count, leaf); /* all centroids are one point */
    }
    return divide(records, count, &by, &best);
}
