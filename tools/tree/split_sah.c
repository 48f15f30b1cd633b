/* Surface-area heuristic over bins (I. Wald, "On fast construction of SAH-based bounding volume
 * hierarchies", 2007): of the planes between 16 equal bins of centroids on each axis, the one with
 * the least sum of half-area times leaves. Counting leaves instead of triangles keeps leaves
 * full.
 *
 * A set may be cut by several threads: each fills bins of its own from a part of the records, and
 * minima and counts are joined, whose order doesn't matter. To move the records, the i-th that
 * stands on the wrong side from the left end changes places with the i-th from the right end, as
 * one thread's two pointers that meet would have it. So the order is the same however many threads
 * there are.
 *
 * The same bins serve the rule of the restricted boxtree (G. Zachmann, "Minimal hierarchical
 * collision detection", 2002), to which J. Klein and G. Zachmann ("Time-critical collision
 * detection using an average-case approach", 2003) point for their trees of boxes without saying
 * it. It is read here as the plane with the least sum of the volumes of both sides, whatever number
 * of triangles is in each: the probability that two boxes meet grows with their volumes. */
#include "split.h"

#include "../../formats/assert.h"

#include <math.h>
#include <stdlib.h>

enum { BINS = 16 };

/* The upper corner is stored negated, so that joining boxes is one minimum over six numbers. */
typedef struct {
    float bound[6];
    uint32_t count;
} bin;

/* What a side of a plane costs. */
typedef double (*side_cost)(const bin *side, uint32_t leaf);

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
    KILN_ASSERT(axis < 3);
    return (unsigned)((kiln_record_centre(record, axis) - by->lower[axis]) * by->scale[axis]);
}

static void binning_choose(const kiln_centres *centres, binning *by)
{
    KILN_ASSERT(centres->lower[0] <= centres->upper[0]);
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

/* Sorts the records into the bins of all three axes in one pass over memory. */
static void fill_bins(const kiln_record *records, uint32_t count, const binning *by,
                      bin bins[3][BINS])
{
    KILN_ASSERT(count > 0);
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
    KILN_ASSERT(-bound[3] >= bound[0]);
    const double x = -(double)bound[3] - (double)bound[0];
    const double y = -(double)bound[4] - (double)bound[1];
    const double z = -(double)bound[5] - (double)bound[2];
    const double length = (x + y) + z;
    return ((x * y + y * z) + z * x) + 0x1p-20 * (length * length);
}

static double surface_cost(const bin *side, uint32_t leaf)
{
    return half_area(side->bound) * (double)kiln_leaf_units(side->count, leaf);
}

/* The volume, and a millionth of edge times surface, so that flat sets are cut by their surface. */
static double volume_cost(const bin *side, uint32_t leaf)
{
    (void)leaf;
    const float *bound = side->bound;
    const double x = -(double)bound[3] - (double)bound[0];
    const double y = -(double)bound[4] - (double)bound[1];
    const double z = -(double)bound[5] - (double)bound[2];
    return (x * y) * z + 0x1p-20 * (((x + y) + z) * half_area(bound));
}

static bool goes_left(const binning *by, const plane *at, const kiln_record *record)
{
    KILN_ASSERT(at->axis < 3 && at->bin < BINS - 1);
    return bin_of(by, record, at->axis) <= at->bin;
}

static void swap(kiln_record *a, kiln_record *b)
{
    const kiln_record moved = *a;
    *a = *b;
    *b = moved;
}

/* Two pointers that meet: each record that is on the wrong side changes places with one from the
 * other end. */
static uint32_t divide(kiln_record *records, uint32_t count, const binning *by, const plane *at)
{
    KILN_ASSERT(count > 1);
    uint32_t left = 0, right = count;
    for (;;) {
        while (left < right && goes_left(by, at, &records[left])) {
            left++;
        }
        while (left < right && !goes_left(by, at, &records[right - 1])) {
            right--;
        }
        if (left == right) {
            return left;
        }
        swap(&records[left++], &records[--right]);
    }
}

/* False: all centroids are one point. */
static bool choose_plane(bin bins[3][BINS], const binning *by, uint32_t leaf, side_cost cost_of,
                         plane *best)
{
    KILN_ASSERT(leaf > 0);
    *best = (plane){INFINITY, 0, 0};
    for (unsigned axis = 0; axis < 3; axis++) {
        if (by->scale[axis] > 0) { /* then its first and last bins are not empty */

            /* Cheapest plane of one axis into `best`, if it beats it. */
            /* The cost of all that lies right of each plane, from the right end; then the left
             * sides are joined from the left end, and each plane has both. */
            double right_cost[BINS];
            bin side;
            clear(&side);
            for (unsigned i = BINS - 1; i > 0; i--) {
                if (bins[axis][i].count != 0) {
                    join(side.bound, bins[axis][i].bound);
                    side.count += bins[axis][i].count;
                    right_cost[i] = cost_of(&side, leaf);
                } else {
                    right_cost[i] = i + 1 < BINS ? right_cost[i + 1] : INFINITY;
                }
            }
            clear(&side);
            for (unsigned i = 0; i + 1 < BINS; i++) {
                if (bins[axis][i].count == 0) {
                    continue; /* the same two sides as one bin before */
                }
                join(side.bound, bins[axis][i].bound);
                side.count += bins[axis][i].count;
                const double cost = cost_of(&side, leaf) + right_cost[i + 1];
                if (cost < best->cost) {
                    *best = (plane){cost, axis, i};
                }
            }
        }
    }
    return best->cost < INFINITY;
}

/* Centres, bins, the cheapest plane, and the records moved: four passes over memory. */
static uint32_t split(kiln_record *records, uint32_t *marks, uint32_t count, uint32_t leaf,
                      side_cost cost_of)
{
    KILN_ASSERT(count > leaf && leaf > 0);
    kiln_centres centres;
    binning by;
    bin bins[3][BINS];
    plane best;
    kiln_centres_measure(records, count, &centres);
    binning_choose(&centres, &by);
    fill_bins(records, count, &by, bins);
    if (!choose_plane(bins, &by, leaf, cost_of, &best)) {
        return kiln_split_median(records, marks, count, leaf);
    }
    return divide(records, count, &by, &best);
}

uint32_t kiln_split_sah(kiln_record *records, uint32_t *marks, uint32_t count, uint32_t leaf)
{
    return split(records, marks, count, leaf, surface_cost);
}

uint32_t kiln_split_volume(kiln_record *records, uint32_t *marks, uint32_t count, uint32_t leaf)
{
    return split(records, marks, count, leaf, volume_cost);
}

/* ---------------------------------------------------------------------- by several threads -- */

enum { PARTS_MAX = 64, PART_MIN = 8192 /* records, for less of which a task is not worth it */ };

/* Parts of one side of the plane, or of the whole set. */
typedef struct {
    uint32_t first, last, step;
} parts;

typedef struct {
    kiln_record *records;
    uint32_t *marks;
    parts all, side[2];
    binning by;
    plane best;
    kiln_centres centres[PARTS_MAX];
    bin bins[PARTS_MAX][3][BINS];
    uint32_t misplaced[2][PARTS_MAX]; /* records of each part of a side that belong to the other */
} wide;

/* Parts by the number of records alone, so that threads do not show. */
static parts parts_of(uint32_t first, uint32_t last)
{
    KILN_ASSERT(first <= last);
    const uint32_t step = (last - first) / PARTS_MAX + 1;
    return (parts){first, last, step > PART_MIN ? step : PART_MIN};
}

static uint32_t part_count(const parts *p)
{
    return (p->last - p->first) / p->step + ((p->last - p->first) % p->step != 0);
}

static uint32_t part_first(const parts *p, uint32_t index)
{
    KILN_ASSERT(index < part_count(p));
    return p->first + index * p->step;
}

static uint32_t part_last(const parts *p, uint32_t index)
{
    KILN_ASSERT(index < part_count(p));
    const uint32_t first = part_first(p, index);
    return p->last - first < p->step ? p->last : first + p->step;
}

/* One task of the first pass: the box of the centroids. */
static void measure_part(void *context, uint32_t index)
{
    wide *w = context;
    const uint32_t first = part_first(&w->all, index);
    kiln_centres_measure(w->records + first, part_last(&w->all, index) - first, &w->centres[index]);
}

/* One task of the second pass: bins of its own. */
static void fill_part(void *context, uint32_t index)
{
    wide *w = context;
    const uint32_t first = part_first(&w->all, index);
    fill_bins(w->records + first, part_last(&w->all, index) - first, &w->by, w->bins[index]);
}

/* Lists the part's misplaced records, from the outer end on, in its part of the marks. */
static void list_misplaced(void *context, uint32_t index)
{
    wide *w = context;
    KILN_ASSERT(index < part_count(&w->side[0]) + part_count(&w->side[1]));
    const uint32_t lefts = part_count(&w->side[0]);
    const bool right = index >= lefts;
    const uint32_t part = right ? index - lefts : index;
    const uint32_t first = part_first(&w->side[right], part);
    const uint32_t last = part_last(&w->side[right], part);
    uint32_t *list = w->marks + first, found = 0;
    for (uint32_t i = 0; i < last - first; i++) {
        const uint32_t at = right ? last - 1 - i : first + i;
        if (goes_left(&w->by, &w->best, &w->records[at]) == right) {
            list[found++] = at;
        }
    }
    w->misplaced[right][part] = found;
}

/* The misplaced of one part of the left side change places with theirs of the right. */
static void swap_misplaced(void *context, uint32_t index)
{
    wide *w = context;
    KILN_ASSERT(index < part_count(&w->side[0]));
    const uint32_t count = w->misplaced[0][index];
    const uint32_t *list = w->marks + part_first(&w->side[0], index);
    uint32_t place = 0;
    for (uint32_t part = 0; part < index; part++) {
        place += w->misplaced[0][part];
    }

    /* The part of the right side, counted from its end, that lists the partner of the first; from
     * here on `place` is the place in the list of that part. */
    uint32_t part = part_count(&w->side[1]) - 1;
    while (count > 0 && place >= w->misplaced[1][part]) {
        KILN_ASSERT(part > 0);
        place -= w->misplaced[1][part--];
    }
    for (uint32_t i = 0; i < count; i++, place++) {
        while (place == w->misplaced[1][part]) {
            part--;
            place = 0;
        }
        swap(&w->records[list[i]], &w->records[w->marks[part_first(&w->side[1], part) + place]]);
    }
}

/* Centres, then bins, each in parts that are joined. False: cancelled. */
static bool fill_wide(wide *w, const kiln_watch *watch)
{
    KILN_ASSERT(part_count(&w->all) <= PARTS_MAX);
    const uint32_t count = part_count(&w->all);
    if (!kiln_parallel_for(watch, count, measure_part, w)) {
        return false;
    }
    for (uint32_t i = 1; i < count; i++) {
        kiln_centres_join(&w->centres[0], &w->centres[i]);
    }
    binning_choose(&w->centres[0], &w->by);
    if (!kiln_parallel_for(watch, count, fill_part, w)) {
        return false;
    }
    /* Minima and counts, whose order does not matter. */
    for (uint32_t i = 1; i < count; i++) {
        for (unsigned k = 0; k < 3 * BINS; k++) {
            bin *to = &w->bins[0][k / BINS][k % BINS];
            const bin *from = &w->bins[i][k / BINS][k % BINS];
            join(to->bound, from->bound);
            to->count += from->count;
        }
    }
    return true;
}

/* How many go left; 0: cancelled. */
static uint32_t divide_wide(wide *w, const kiln_watch *watch)
{
    uint32_t left = w->all.first;
    for (unsigned i = 0; i <= w->best.bin; i++) {
        left += w->bins[0][w->best.axis][i].count;
    }
    w->side[0] = parts_of(w->all.first, left);
    w->side[1] = parts_of(left, w->all.last);
    const uint32_t lefts = part_count(&w->side[0]);
    const bool done =
        kiln_parallel_for(watch, lefts + part_count(&w->side[1]), list_misplaced, w) &&
        kiln_parallel_for(watch, lefts, swap_misplaced, w);
    return done ? left : 0;
}

/* Without memory for the bins of all parts, one thread does it alone, with the same result. */
static uint32_t split_wide(kiln_record *records, uint32_t *marks, uint32_t count, uint32_t leaf,
                           side_cost cost_of, const kiln_watch *watch)
{
    KILN_ASSERT(count > leaf && leaf > 0);
    wide *w = malloc(sizeof *w);
    if (w == NULL) {
        return split(records, marks, count, leaf, cost_of);
    }
    w->records = records;
    w->marks = marks;
    w->all = parts_of(0, count);
    uint32_t left = 0;
    if (fill_wide(w, watch)) {
        left = choose_plane(w->bins[0], &w->by, leaf, cost_of, &w->best)
                   ? divide_wide(w, watch)
                   : kiln_split_median(records, marks, count, leaf);
    }
    free(w);
    return left;
}

uint32_t kiln_split_sah_wide(kiln_record *records, uint32_t *marks, uint32_t count, uint32_t leaf,
                             const kiln_watch *watch)
{
    return split_wide(records, marks, count, leaf, surface_cost, watch);
}

uint32_t kiln_split_volume_wide(kiln_record *records, uint32_t *marks, uint32_t count,
                                uint32_t leaf, const kiln_watch *watch)
{
    return split_wide(records, marks, count, leaf, volume_cost, watch);
}
