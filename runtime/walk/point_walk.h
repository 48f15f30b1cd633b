/* Descent of one tree to what is near a point, nearest boxes first. */
#ifndef KILN_POINT_WALK_H
#define KILN_POINT_WALK_H

#include "../kernel/near_point.h"

/* The point `own` of the tree's own frame, with no limit. */
void kiln_near_point_form(kiln_near_point *near, const kiln_tree *tree, const double own[3]);

/* From now on only what is within the square, in node units, is wanted. A limit is never raised. */
void kiln_near_point_cut(kiln_near_point *near, double square);

/* An upper bound of the square of a distance, which is >= 0 and in the tree's units. */
double kiln_near_point_square(const kiln_near_point *near, double distance);

/* `enters` may be NULL. Of an octree a triangle is visited for each slot of it that is reached. */
void kiln_point_walk(const kiln_tree *tree, kiln_near_point *near, kiln_point_leaf enters,
                     kiln_point_visit visit, void *user);

/* Visits the triangle in one slot, wherever it is. */
void kiln_point_visit_slot(const kiln_tree *tree, kiln_near_point *near, uint32_t slot,
                           kiln_point_visit visit, void *user);

/* Of the slots of one triangle that a walk reaches which is not cut: is this the one that names it?
 * True for one of them; always, where triangles have one slot only. */
bool kiln_point_walk_is_first(const kiln_tree *tree, const kiln_near_point *near, uint32_t slot);

#endif
