/* How well the balls of a level of a sphere tree fit the object that they bound. */
#ifndef KILN_TEST_SPHERE_FIT_H
#define KILN_TEST_SPHERE_FIT_H

#include "../../runtime/kiln.h"
#include "meshes.h"

#include <stdint.h>

typedef struct {
    uint32_t balls;
    double outside; /* volume of what the balls hold together outside the object, in its volumes */
    double covered; /* share of the surface that they hold */
} sphere_fit;

/* The letter T of four cubes, whose faces are squares of `steps` times as many: closed. */
mesh mesh_letter(unsigned steps);

/* Of the lanes of level `level`, from 1, and of leaves above it. The mesh has to be closed; the
 * volume is that of a fixed sequence of `points` points. Stops the test on failure. */
sphere_fit sphere_fit_of(const kiln_tree *tree, unsigned level, uint32_t points);

/* What is outside at a number of balls, between the two levels about it, along a line of
 * logarithms; NaN: the tree has fewer or more on every level. */
double sphere_fit_outside(const kiln_tree *tree, double balls, uint32_t points);

#endif
