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

/* A coordinate in node space is off by a few roundings of the numbers that take part, as are those
 * of the vertices, which boxes hold: each under 2^-51 of their sum. */
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
    const double slack = 0x1p-48 * size;
    near->blind = !(farthest < FLOATS_TO) || !(slack < FLOATS_TO);
    near->slack = near->blind ? 0 : (float)slack;
    near->tiny = farthest < DOUBLES_TO ? 0x1p-280 : HUGE_VAL;
    near->limit = HUGE_VAL;
    near->cut = HUGE_VALF;
    for (int k = 0; k < 3 && near->blind; k++) {
        near->at[k] = 0;
    }
}

/* Rounded upwards, by more than conversion to float can take away, and with room for squares that
 * underflow. */
void kiln_near_point_cut(kiln_near_point *near, double square)
{
    if (square < near->limit) {
        near->limit = square;
        near->cut =
            near->blind || !(square < 0x1p+120) ? HUGE_VALF : (float)square * 1.000001f + 0x1p-120f;
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
