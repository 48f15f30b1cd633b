/* Procedural meshes, poses and random numbers for tests: the same on every machine. */
#ifndef KILN_TEST_MESHES_H
#define KILN_TEST_MESHES_H

#include "../../runtime/kiln.h"

#include <stdint.h>

typedef struct {
    float *positions;
    uint32_t *indices;
    uint32_t vertex_count, triangle_count;
} mesh;

void mesh_free(mesh *m);

/* SplitMix64 (Steele, Lea and Flood 2014); every test owns its state. */
uint64_t random_next(uint64_t *state);
uint32_t random_below(uint64_t *state, uint32_t limit);
double random_between(uint64_t *state, double lower, double upper);

/* A unit vector, every direction as likely as any other. */
void random_direction(uint64_t *state, double out[3]);

/* Closed box of 12 triangles. */
mesh mesh_box(float x0, float y0, float z0, float x1, float y1, float z1);

/* Torus around z with 2 * rings * sides triangles, radii 1 and 0.4, its surface dented by
 * `bump`. */
mesh mesh_torus(uint32_t rings, uint32_t sides, double bump);

/* A model of models/shape, one of its names; its whole numbers are millionths. */
mesh mesh_of_shape(const char *name, uint32_t triangles);

/* Triangles of size `size` anywhere in [-1, 1]^3, no shared vertices. */
mesh mesh_soup(uint64_t *state, uint32_t triangles, double size);

/* Tetrahedra that may pass through each other, whose corners are integers of at most `extent`: the
 * surface is closed, and winds around points several times, either way. */
mesh mesh_tetrahedra(uint64_t *state, uint32_t count, int extent);

/* `triangles` triangles whose corners are integers of at most `extent`: many touch, some have no
 * area. */
mesh mesh_lattice(uint64_t *state, uint32_t triangles, int extent);

/* A random rotation (uniform) and a translation of at most `reach` on each axis. */
kiln_pose pose_random(uint64_t *state, double reach);

/* One of the 24 rotations of a cube, and integer translations of at most `reach`: exact in
 * doubles. */
kiln_pose pose_exact(uint64_t *state, int reach);

/* Rotates the pose about an axis, a unit vector, by twice the angle of which the sine is given. */
void pose_turn(kiln_pose *pose, const double axis[3], double half_sine);

/* Of a pose: now and then 1, else a power of two from 1/8 to 8 where `exact`, or anything from
 * 0.1 to 10. */
double scale_random(uint64_t *state, bool exact);

#endif
