/* Finite groups of rotations of the sphere, with which coverings are symmetric. */
#ifndef KILN_LUT_AXES_GROUPS_H
#define KILN_LUT_AXES_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    KILN_LUT_GROUP_ORDER = 120, /* at most: of the icosahedron, with -1 */
    KILN_LUT_GROUP_ORBITS = 4,  /* orbits of points on axes of rotation, at most */
    KILN_LUT_GROUP_TURNS = 10,  /* the most that C and D have here */
    KILN_LUT_GROUP_COUNT = 1 + 2 * (KILN_LUT_GROUP_TURNS - 1) + 3
};

/* A rotation, or one joined by -1: rows by columns. */
typedef struct {
    double m[3][3];
} kiln_lut_turn;

/* An orbit of points on axes of rotation has fewer points than the group has elements. */
typedef struct {
    char name[8]; /* C1 ... C10, D2 ... D10, T, O, I */
    uint32_t order;
    kiln_lut_turn elements[KILN_LUT_GROUP_ORDER];
    uint32_t orbit_count;
    uint32_t orbit_size[KILN_LUT_GROUP_ORBITS];
    double orbit[KILN_LUT_GROUP_ORBITS][62][3];
} kiln_lut_group;

/* The group of a number below KILN_LUT_GROUP_COUNT; `antipodal`: joined by -1, so that with each
 * point its opposite is in the orbit. */
void kiln_lut_group_make(kiln_lut_group *group, uint32_t number, bool antipodal);

/* Where an element takes a point, and back: transposed. */
void kiln_lut_turn_point(double image[3], const kiln_lut_turn *turn, const double point[3]);
void kiln_lut_turn_back(double image[3], const kiln_lut_turn *turn, const double point[3]);

#endif
