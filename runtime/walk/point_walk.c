/* Points in node space, and the walk of the instruction set in use. */
#include "point_walk.h"

#include "../kernel/kernel.h"
#include "once.h"

#include <math.h>
#include <string.h>

/* Beyond the first no float holds the square of a distance, beyond the second no double that of an
 * area's. */
#define FLOATS_TO 0x1p+55
#define DOUBLES_TO 0x1p+200

/* The first 24 binary digits. Converted to float and back, gcc 12 vectorises this to x itself. */
static double leading_digits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= ~(((uint64_t)1 << 29) - 1);
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* A coordinate in node space is off by a few roundings of the numbers that take part, as are those
 * of the vertices, which boxes hold: each under 2^-51 of their sum. As a sum of two floats it is
 * off by 2^-47 of itself, and by as much more where the first is less than what a node starts
 * from. */
void kiln_near_point_form(kiln_near_point *near, const kiln_tree *tree, const double own[3])
{
    const kiln_format_tree *entry = tree->view.entry;
    double size = 3, farthest = 0;
    near->unit = kiln_power_of_two(-entry->scale_exponent);
    for (int k = 0; k < 3; k++) {
        near->own[k] = own[k];
        near->at[k] = (own[k] - entry->origin[k]) * near->unit;
        const double off = fabs(near->at[k]);
        size += off + fabs(entry->origin[k]) * near->unit;
        farthest = off > farthest ? off : farthest;
    }
    const double slack = 0x1p-45 * size;
    near->blind = !(farthest < FLOATS_TO) || !(slack < FLOATS_TO);
    near->slack = near->blind ? 0 : (float)slack;
    near->tiny = farthest < DOUBLES_TO ? 0x1p-280 : HUGE_VAL;
    near->own_tiny = near->tiny / (near->unit * near->unit);
    near->limit = near->own_limit = HUGE_VAL;
    near->cut = HUGE_VALF;
    memset(near->high, 0, sizeof near->high);
    memset(near->low, 0, sizeof near->low);
    for (int k = 0; k < 3; k++) {
        const double at = near->blind ? 0 : near->at[k], high = leading_digits(at);
        near->at[k] = at;
        near->high[k] = (float)high;
        near->low[k] = (float)(at - high);
    }
}

/* Rounded upwards, by more than conversion to float can take away and than bounds of boxes can be
 * too high by, and with room for squares that underflow. */
void kiln_near_point_cut(kiln_near_point *near, double square)
{
    if (square < near->limit) {
        near->limit = square;
        near->own_limit = square / (near->unit * near->unit);
        near->cut = near->blind || !(square < 0x1p+120)
                        ? HUGE_VALF
                        : (float)square * (1.000001f / KILN_GAP_KEPT) + 0x1p-120f;
    }
}

double kiln_near_point_square(const kiln_near_point *near, double distance)
{
    const double placed = distance * near->unit;
    return placed < 0x1p+500 ? placed * placed * (1 + 0x1p-50) + 0x1p-280 : HUGE_VAL;
}

void kiln_point_walk(const kiln_tree *tree, kiln_near_point *near, kiln_point_leaf enters,
                     kiln_point_visit visit, void *user)
{
    kiln_kernel_active()->point_walk(tree, near, enters, visit, user);
}

void kiln_point_visit_slot(const kiln_tree *tree, kiln_near_point *near, uint32_t slot,
                           kiln_point_visit visit, void *user)
{
    kiln_kernel_active()->point_slot(tree, near, slot, visit, user);
}

typedef struct {
    const kiln_tree *tree;
    const kiln_near_point *near;
} point_walk;

static uint32_t entered_by_point(const void *walk, const kiln_format_node8 *node)
{
    const point_walk *w = (const point_walk *)walk;
    return kiln_kernel_active()->point_lanes(w->tree, w->near, node);
}

bool kiln_point_walk_is_first(const kiln_tree *tree, const kiln_near_point *near, uint32_t slot)
{
    const point_walk walk = {tree, near};
    return !tree->view.kind->shared || kiln_once_in_tree(tree, entered_by_point, &walk, slot);
}
