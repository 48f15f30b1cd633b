/* Spatial median and mean: a set is cut by a plane across one direction, and each triangle goes to
 * the side of its centroid, that of its box.
 *
 * The spatial median lies in the middle of the longest axis of the centroids' box, however many
 * triangles are on either side. The mean lies across the principal axis of the centroids'
 * covariance (S. Gottschalk, M. Lin and D. Manocha, "OBBTree", 1996, who cut the longest axis of
 * the box at the mean of its points). Where all centroids fall on one side, as of equal ones, the
 * object median cuts instead. Sums run in the order of the records, so threads do not show. */
#include "measure.h"

#include "../../formats/assert.h"
#include "../../formats/vector.h"
#include "split.h"

/* A plane: what is below it goes left. */
typedef struct {
    double origin[3]; /* subtracted first, so that no product loses what is small far away */
    double direction[3], at;
} plane;

static double place_of(const plane *p, const kiln_record *record)
{
    double from[3];
    for (unsigned k = 0; k < 3; k++) {
        from[k] = kiln_record_centre(record, k) - p->origin[k];
    }
    return kiln_dot(p->direction, from);
}

/* Two pointers that meet, as in split_sah.c. Returns how many went left. */
static uint32_t divide(kiln_record *records, uint32_t count, const plane *p)
{
    KILN_ASSERT(count > 1);
    uint32_t left = 0, right = count;
    for (;;) {
        while (left < right && place_of(p, &records[left]) < p->at) {
            left++;
        }
        while (left < right && !(place_of(p, &records[right - 1]) < p->at)) {
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

/* The cut by a plane, or the object median's where the plane leaves a side empty. */
static uint32_t divide_or_halve(kiln_record *records, uint32_t *marks, uint32_t count,
                                uint32_t leaf, const plane *p)
{
    KILN_ASSERT(count > leaf && leaf > 0);
    const uint32_t left = divide(records, count, p);
    return left > 0 && left < count ? left : kiln_split_median(records, marks, count, leaf);
}

uint32_t kiln_split_middle(kiln_record *records, uint32_t *marks, uint32_t count, uint32_t leaf)
{
    KILN_ASSERT(count > leaf && leaf > 0);
    kiln_centres centres;
    unsigned axis = 0;
    kiln_centres_measure(records, count, &centres);
    for (unsigned k = 1; k < 3; k++) {
        if (centres.upper[k] - centres.lower[k] > centres.upper[axis] - centres.lower[axis]) {
            axis = k;
        }
    }
    plane p = {{0, 0, 0}, {0, 0, 0}, 0.5 * centres.lower[axis] + 0.5 * centres.upper[axis]};
    p.direction[axis] = 1;
    return divide_or_halve(records, marks, count, leaf, &p);
}

uint32_t kiln_split_mean(kiln_record *records, uint32_t *marks, uint32_t count, uint32_t leaf)
{
    KILN_ASSERT(count > leaf && leaf > 0);
    kiln_centres centres;
    plane p = {{0, 0, 0}, {0, 0, 0}, 0};
    double sum[3] = {0, 0, 0}, mean[3], width = 0;
    kiln_centres_measure(records, count, &centres);
    for (unsigned k = 0; k < 3; k++) {
        p.origin[k] = centres.lower[k];
        width = kiln_larger(centres.upper[k] - centres.lower[k], width);
    }
    if (!(width > 0)) {
        return kiln_split_median(records, marks, count, leaf);
    }
    for (uint32_t i = 0; i < count; i++) {
        for (unsigned k = 0; k < 3; k++) {
            sum[k] += kiln_record_centre(&records[i], k) - p.origin[k];
        }
    }
    for (unsigned k = 0; k < 3; k++) {
        mean[k] = sum[k] / count;
    }

    /* The covariance in units of the width, whose squares neither overflow nor vanish. */
    kiln_moments moments = kiln_moments_none;
    double axis[3][3], spread[3];
    const double scale = 1 / width;
    for (uint32_t i = 0; i < count; i++) {
        double d[3];
        for (unsigned k = 0; k < 3; k++) {
            d[k] = ((kiln_record_centre(&records[i], k) - p.origin[k]) - mean[k]) * scale;
        }
        moments.spread[0] += d[0] * d[0];
        moments.spread[1] += d[1] * d[1];
        moments.spread[2] += d[2] * d[2];
        moments.spread[3] += d[1] * d[2];
        moments.spread[4] += d[0] * d[2];
        moments.spread[5] += d[0] * d[1];
    }
    kiln_moments_axes(&moments, axis);

    /* The principal axis is that of the greatest spread; of equals the first. */
    unsigned longest = 0;
    for (unsigned k = 0; k < 3; k++) {
        const double *a = axis[k], *s = moments.spread;
        spread[k] = (((a[0] * a[0]) * s[0] + (a[1] * a[1]) * s[1]) + (a[2] * a[2]) * s[2]) +
                    2 * (((a[1] * a[2]) * s[3] + (a[0] * a[2]) * s[4]) + (a[0] * a[1]) * s[5]);
        longest = spread[k] > spread[longest] ? k : longest;
    }
    for (unsigned k = 0; k < 3; k++) {
        p.direction[k] = axis[longest][k];
    }
    p.at = kiln_dot(p.direction, mean);
    return divide_or_halve(records, marks, count, leaf, &p);
}
