/* Two boxes as they lie to each other, and whether they meet: all that the published query (J.
 * Klein and G. Zachmann, "Time-Critical Collision Detection Using an Average-Case Approach", VRST
 * 2003) needs to know of geometry. */
#ifndef KILN_PAPER_PAIR_H
#define KILN_PAPER_PAIR_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* fmin and fmax are calls, as NaN is special to them. */
static inline double kiln_paper_less(double a, double b)
{
    return a < b ? a : b;
}

static inline double kiln_paper_more(double a, double b)
{
    return a > b ? a : b;
}

typedef struct {
    double rotation[3][3]; /* [i][j]: axis i of A times axis j of B */
    double away[3];        /* B's centre from A's, along A's axes */
    double half_a[3], half_b[3];
} kiln_paper_pair;

/* Figure 3 contains no overlap test at all; with none most pairs that count are apart. */
typedef enum {
    KILN_PAPER_NO_GATE = 0, /* the text to the letter */
    KILN_PAPER_SAT6 = 1,    /* the axes of both boxes */
    KILN_PAPER_SAT15 = 2    /* and the nine of their edges: exact but for rounding */
} kiln_paper_gate;

/* May the boxes meet? Never false for boxes that do: rounding is allowed for. */
bool kiln_paper_may_meet(const kiln_paper_pair *pair, kiln_paper_gate gate);

/* Half-extents of at least a fiftieth of the largest, as the counts were made with, and of `point`:
 * Equations 2, 3 and 5 divide by volumes, which are 0 for the boxes of plane faces. The paper does
 * not speak of them. */
void kiln_paper_thicken(double half[3], double point);

/* What is so small in node space is as good as a point: vertices there are floats of up to 1. */
#define KILN_PAPER_POINT 0x1p-20

double kiln_paper_box_volume(const double half[3]);

/* From middle to middle. */
double kiln_paper_distance(const kiln_paper_pair *pair);

/* Half of what a box takes up along each axis of the other. */
void kiln_paper_reach_of_b(const kiln_paper_pair *pair, double along_a[3]);
void kiln_paper_reach_of_a(const kiln_paper_pair *pair, double along_b[3]);

/* `away` along B's axes. */
void kiln_paper_away_in_b(const kiln_paper_pair *pair, double away[3]);

#ifdef __cplusplus
}
#endif

#endif
