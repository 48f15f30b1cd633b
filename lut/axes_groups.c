/* Groups of rotations (axes_groups.h), as the closure of two generators. */
#include "axes_groups.h"

#include "axes_math.h"

#include "../formats/assert.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static kiln_lut_turn product_of(const kiln_lut_turn *a, const kiln_lut_turn *b)
{
    kiln_lut_turn product;
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned j = 0; j < 3; j++) {
            product.m[i][j] =
                a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
        }
    }
    return product;
}

void kiln_lut_turn_point(double image[3], const kiln_lut_turn *turn, const double point[3])
{
    for (unsigned i = 0; i < 3; i++) {
        image[i] = turn->m[i][0] * point[0] + turn->m[i][1] * point[1] + turn->m[i][2] * point[2];
    }
}

void kiln_lut_turn_back(double image[3], const kiln_lut_turn *turn, const double point[3])
{
    for (unsigned i = 0; i < 3; i++) {
        image[i] = turn->m[0][i] * point[0] + turn->m[1][i] * point[1] + turn->m[2][i] * point[2];
    }
}

static bool is_near(const double *a, const double *b, unsigned count)
{
    double most = 0.0;
    for (unsigned i = 0; i < count; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
    }
    return most < 1e-9;
}

static void add_element(kiln_lut_group *group, const kiln_lut_turn *element)
{
    for (uint32_t i = 0; i < group->order; i++) {
        if (is_near(&group->elements[i].m[0][0], &element->m[0][0], 9)) {
            return;
        }
    }
    KILN_ASSERT(group->order < KILN_LUT_GROUP_ORDER);
    group->elements[group->order++] = *element;
}

/* Every product of generators is one of an element found earlier and a generator. */
static void close_group(kiln_lut_group *group, const kiln_lut_turn generators[], unsigned count)
{
    static const kiln_lut_turn one = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    group->order = 0;
    add_element(group, &one);
    for (uint32_t i = 0; i < group->order; i++) {
        for (unsigned g = 0; g < count; g++) {
            const kiln_lut_turn product = product_of(&group->elements[i], &generators[g]);
            add_element(group, &product);
        }
    }
}

/* The axis of a rotation that is not 1. Of a half turn R it is in R + 1, of others in R - R^T. */
static void axis_of(double axis[3], const kiln_lut_turn *turn)
{
    const double(*r)[3] = turn->m;
    axis[0] = r[2][1] - r[1][2];
    axis[1] = r[0][2] - r[2][0];
    axis[2] = r[1][0] - r[0][1];
    if (axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2] < 1e-6) {
        unsigned longest = 0;
        for (unsigned j = 1; j < 3; j++) {
            longest = r[j][j] > r[longest][longest] ? j : longest;
        }
        for (unsigned i = 0; i < 3; i++) {
            axis[i] = r[i][longest] + (i == longest ? 1.0 : 0.0);
        }
    }
    kiln_lut_to_sphere(axis);
}

/* Where -1 is in the group the opposite of each point follows it, to the bit. */
static void add_orbit(kiln_lut_group *group, const double point[3], bool antipodal)
{
    for (uint32_t k = 0; k < group->orbit_count; k++) {
        for (uint32_t i = 0; i < group->orbit_size[k]; i++) {
            if (is_near(group->orbit[k][i], point, 3)) {
                return;
            }
        }
    }
    KILN_ASSERT(group->orbit_count < KILN_LUT_GROUP_ORBITS);
    const uint32_t k = group->orbit_count++;
    group->orbit_size[k] = 0;
    for (uint32_t e = 0; e < group->order; e++) {
        double image[3];
        kiln_lut_turn_point(image, &group->elements[e], point);
        bool known = false;
        for (uint32_t i = 0; i < group->orbit_size[k] && !known; i++) {
            known = is_near(group->orbit[k][i], image, 3);
        }
        for (unsigned i = 0; i < 3; i++) {
            image[i] = fabs(image[i]) < 1e-12 ? 0.0 : image[i];
        }
        kiln_lut_to_sphere(image);
        for (unsigned copy = 0; copy < (antipodal ? 2u : 1u) && !known; copy++) {
            memcpy(group->orbit[k][group->orbit_size[k]++], image, sizeof image);
            for (unsigned i = 0; i < 3; i++) {
                image[i] = -image[i];
            }
        }
    }
}

/* Orbits of the ends of all axes. Rotations alone have axes here: what -1 joins has the same ones.
 */
static void find_orbits(kiln_lut_group *group, uint32_t rotations)
{
    const bool antipodal = group->order > rotations;
    group->orbit_count = 0;
    for (uint32_t e = 1; e < rotations; e++) {
        double axis[3];
        axis_of(axis, &group->elements[e]);
        add_orbit(group, axis, antipodal);
        for (unsigned i = 0; i < 3; i++) {
            axis[i] = -axis[i];
        }
        add_orbit(group, axis, antipodal);
    }
}

void kiln_lut_group_make(kiln_lut_group *group, uint32_t number, bool antipodal)
{
    static const kiln_lut_turn third = {{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}};
    static const kiln_lut_turn half_x = {{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}};
    static const kiln_lut_turn half_z = {{{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}};
    static const kiln_lut_turn quarter_z = {{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}};
    const double golden = 0.5 * (1.0 + sqrt(5.0)), g = 0.5 * golden, h = 0.5 / golden;
    const kiln_lut_turn fifth = {{{0.5, -g, h}, {g, h, -0.5}, {h, 0.5, g}}};
    kiln_lut_turn generators[2];
    unsigned count = 2;
    memset(group, 0, sizeof *group);
    KILN_ASSERT(number < KILN_LUT_GROUP_COUNT);
    generators[0] = third;
    if (number < 1 + 2 * (KILN_LUT_GROUP_TURNS - 1)) {
        const bool is_dihedral = number >= KILN_LUT_GROUP_TURNS;
        const uint32_t turns = is_dihedral ? number - KILN_LUT_GROUP_TURNS + 2 : number + 1;
        const double angle = 2.0 * KILN_LUT_PI / turns;
        const double c = kiln_lut_cosine(angle), s = kiln_lut_sine(angle);
        const kiln_lut_turn turn = {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
        generators[0] = turn;
        generators[1] = half_x;
        count = is_dihedral ? 2 : 1;
        snprintf(group->name, sizeof group->name, "%c%u", is_dihedral ? 'D' : 'C', turns);
    } else if (number == KILN_LUT_GROUP_COUNT - 3) {
        generators[1] = half_z;
        strcpy(group->name, "T");
    } else if (number == KILN_LUT_GROUP_COUNT - 2) {
        generators[1] = quarter_z;
        strcpy(group->name, "O");
    } else {
        generators[1] = fifth;
        strcpy(group->name, "I");
    }
    close_group(group, generators, count);
    const uint32_t rotations = group->order;
    for (uint32_t e = 0; e < rotations && antipodal; e++) {
        for (unsigned i = 0; i < 9; i++) {
            (&group->elements[rotations + e].m[0][0])[i] = -(&group->elements[e].m[0][0])[i];
        }
        group->order++;
    }
    find_orbits(group, rotations);
}
