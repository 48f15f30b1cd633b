/* See paper_volume.h. */
#include "paper_volume.h"

#include "paper_cut.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

const char *kiln_paper_volume_name(kiln_paper_volume volume)
{
    static const char *const names[KILN_PAPER_VOLUMES] = {"figure10", "lens",    "spheres",
                                                          "slabs",    "aligned", "exact"};
    return (unsigned)volume < KILN_PAPER_VOLUMES ? names[volume] : "";
}

static void put_in_order(double *more, double *less)
{
    if (*more < *less) {
        const double moved = *more;
        *more = *less;
        *less = moved;
    }
}

static void sort_down(double v[3])
{
    put_in_order(&v[0], &v[1]);
    put_in_order(&v[1], &v[2]);
    put_in_order(&v[0], &v[1]);
}

/* What is left of a side when the box moves by `distance` along a diagonal so long, as a part. */
static double part_left(double distance, double diagonal)
{
    return distance < diagonal ? 1 - distance / diagonal : 0;
}

void kiln_paper_aligned_cases(const double sides[3], double distance, double v[3])
{
    double s[3] = {sides[0], sides[1], sides[2]};
    sort_down(s);
    const double volume = s[0] * s[1] * s[2];
    const double square = s[0] * s[0] + s[1] * s[1];
    const double one = part_left(distance, s[0]);
    const double two = part_left(distance, sqrt(square));
    const double three = part_left(distance, sqrt(square + s[2] * s[2]));
    v[0] = volume * one;
    v[1] = volume * two * two;
    v[2] = volume * three * three * three;
}

/* Two caps on the circle where the balls' surfaces cross. */
double kiln_paper_lens_volume(double radius_a, double radius_b, double distance)
{
    const double sum = radius_a + radius_b;
    if (distance >= sum) {
        return 0;
    }
    if (distance <= fabs(radius_a - radius_b)) {
        const double r = kiln_paper_less(radius_a, radius_b);
        return 4 * pi / 3 * r * r * r;
    }
    const double depth = sum - distance, apart = radius_a - radius_b;
    return pi * depth * depth * (distance * distance + 2 * distance * sum - 3 * apart * apart) /
           (12 * distance);
}

static double radius_of(const double half[3])
{
    return sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
}

static double lens_of(const kiln_paper_pair *pair)
{
    return kiln_paper_lens_volume(radius_of(pair->half_a), radius_of(pair->half_b),
                                  kiln_paper_distance(pair));
}

/* As a part of the smaller ball; times the smaller box's volume. */
static double lens_part(const kiln_paper_pair *pair, double smaller)
{
    const double r = kiln_paper_less(radius_of(pair->half_a), radius_of(pair->half_b));
    return smaller * lens_of(pair) / (4 * pi / 3 * r * r * r);
}

static double figure_10(const kiln_paper_pair *pair)
{
    double a[3], b[3], sides[3], v[3];
    for (int k = 0; k < 3; k++) {
        a[k] = pair->half_a[k];
        b[k] = pair->half_b[k];
    }
    sort_down(a);
    sort_down(b);
    for (int k = 0; k < 3; k++) {
        sides[k] = a[k] + b[k];
    }
    kiln_paper_aligned_cases(sides, kiln_paper_distance(pair), v);
    return kiln_paper_more(v[0], kiln_paper_more(v[1], v[2]));
}

/* A slab by its unit normal, along A's axes, and its width. */
typedef struct {
    double normal[3], width;
} slab;

static double triple_product(const double a[3], const double b[3], const double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

static void list_slabs(const kiln_paper_pair *pair, slab slabs[6])
{
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            slabs[k].normal[i] = i == k ? 1 : 0;
            slabs[3 + k].normal[i] = pair->turn[i][k];
        }
        slabs[k].width = 2 * pair->half_a[k];
        slabs[3 + k].width = 2 * pair->half_b[k];
    }
}

/* A parallelepiped between planes has the volume w1 w2 w3 / |det(n1, n2, n3)|. */
static double three_slabs(const kiln_paper_pair *pair)
{
    slab slabs[6];
    double least = HUGE_VAL;
    list_slabs(pair, slabs);
    for (int i = 0; i < 6; i++) {
        for (int j = i + 1; j < 6; j++) {
            for (int k = j + 1; k < 6; k++) {
                const double det =
                    fabs(triple_product(slabs[i].normal, slabs[j].normal, slabs[k].normal));
                const double widths = slabs[i].width * slabs[j].width * slabs[k].width;
                /* Written so that normals in one plane, whose slabs have no end, drop out. */
                if (widths < least * det) {
                    least = widths / det;
                }
            }
        }
    }
    return least;
}

/* Of two boxes along the same axes. */
static double aligned_common(const double half[3], const double reach[3], const double away[3])
{
    double volume = 1;
    for (int k = 0; k < 3; k++) {
        const double within = half[k] + reach[k] - fabs(away[k]);
        volume *=
            kiln_paper_more(0, kiln_paper_less(within, 2 * kiln_paper_less(half[k], reach[k])));
    }
    return volume;
}

static double aligned_enclosures(const kiln_paper_pair *pair)
{
    double reach[3], away[3];
    kiln_paper_reach_of_b(pair, reach);
    const double in_a = aligned_common(pair->half_a, reach, pair->away);
    kiln_paper_reach_of_a(pair, reach);
    kiln_paper_away_in_b(pair, away);
    return kiln_paper_less(in_a, aligned_common(pair->half_b, reach, away));
}

double kiln_paper_common_volume(const kiln_paper_pair *pair, kiln_paper_volume volume,
                                double size_ratio)
{
    const double a = kiln_paper_box_volume(pair->half_a), b = kiln_paper_box_volume(pair->half_b);
    const double smaller = kiln_paper_less(a, b);
    double estimate = smaller;
    switch (volume) {
    case KILN_PAPER_FIGURE_10:
        estimate = a + b - smaller > size_ratio * smaller ? lens_of(pair) : figure_10(pair);
        break;
    case KILN_PAPER_LENS:
        estimate = lens_of(pair);
        break;
    case KILN_PAPER_SPHERES:
        estimate = lens_part(pair, smaller);
        break;
    case KILN_PAPER_SLABS:
        estimate = three_slabs(pair);
        break;
    case KILN_PAPER_ALIGNED:
        estimate = aligned_enclosures(pair);
        break;
    case KILN_PAPER_EXACT:
        estimate = kiln_paper_cut_volume(pair);
        break;
    }
    return kiln_paper_less(estimate, smaller);
}
