/* kiln: when do two moving things first touch? Continuous collision queries of baked trees, and of
 * spheres and capsules.
 *
 *     kiln_motion blade, post;
 *     kiln_motion_at_rest(&pose_of_post, &post);
 *     kiln_motion_between(&before, &after, NULL, 0, &blade);
 *     kiln_sweep_hit hit;
 *     if (kiln_sweep(tree_of_blade, &blade, tree_of_post, &post, NULL, &hit) == KILN_OK &&
 *         hit.found) {
 *         kiln_motion_pose(&blade, hit.time, &after);     the blade stops before the post
 *     }
 *
 * What kiln.h says of trees, poses, options, callbacks, threads and errors holds here too. The
 * start of a tree's motion may be affine: the motion is one of what that makes of the mesh, which
 * turns and moves and keeps its shape. What is stretched is no sphere and no capsule: of a shape
 * such a start is KILN_ERROR_POSE.
 *
 * Motions. Time runs from 0 to 1. A motion is a screw: a point moves along a line at constant speed
 * and the object turns about it at constant speed, by any angle. A program that moves its objects
 * otherwise between two of its frames gives the pieces one after the other.
 *
 * Answers. With t a tolerance in lengths of the world, `time` is the first of the times 0, s, 2 s,
 * 3 s ... 1 at which the distance of the two surfaces is at most t, as kiln_distance computes it at
 * the poses of kiln_motion_pose. The stride s is a power of two so small that the two come nearer
 * to each other by at most t / 4 within it. Therefore:
 *
 *     nothing is missed      before `time`, and before the end if nothing is found, the surfaces
 *                            are more than t / 2 apart: this is proved, all rounding included,
 *                            however fast they move or turn and however thin they are
 *     it is never late       `time` is not after the moment at which they would touch
 *     it is near enough      at `time` they are no further apart than t
 *     grazes                 a pair that passes at more than t is none, whatever comes after it;
 *                            one that passes within t is one
 *
 * `time` does not depend on the kinds of tree, the order of A and B, the number of threads, the
 * instruction set or the caller's floating-point environment, to the last bit. The pair, the points
 * and the normal are those of kiln_distance at that time, and depend on these things as little as
 * they do there.
 *
 * Tolerances. By default t is 2^-20 of the size of the smaller of the two, that is, of the diagonal
 * of the box of its vertices (of a shape: of its length with both radii) times its scale, with each
 * edge as long as an affine start makes it; of the larger one where the smaller is a point. Doubles
 * do not resolve every tolerance: t is raised to 2^-40 (1 + angle in radians) of the sum of all
 * lengths that take part (places, sizes, ways), and so far that s is not below 2^-50.
 * kiln_sweep_hit.tolerance is what it was. So a translation by 10^6 sizes is still resolved to
 * 10^-5 of a size, and one of 10^30 sizes is not: then `time` is that at which they are near each
 * other compared to such a way.
 *
 * What is within the tolerance at time 0 is found at time 0, whichever way it moves.
 *
 * Inside, pairs of bounding volumes advance in time, each on its own, as far as a separating plane
 * proves them apart; those that are left are opened at the time that they have reached. A plane is
 * fixed to the world or turns with one of the two, whichever has the smaller accelerations. After
 * Mirtich, "Impulse-based dynamic simulation of rigid body systems", 1996 (conservative
 * advancement), Tang, Kim and Manocha, "C2A: controlled conservative advancement", 2009, and Zhang,
 * Redon, Lee and Kim, "Continuous collision detection for articulated models", 2007. */
#ifndef KILN_SWEEP_H
#define KILN_SWEEP_H

#include "kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------- motions -- */

#define KILN_ANGULAR_MAX 65536.0 /* 10,430 turns */

/* Where an object is at time t: turned about `point` by t * length(angular) radians, about the
 * direction of `angular`, and then moved by t * linear. With `angular` 0 `point` is of no account.
 */
typedef struct {
    kiln_pose start;   /* at time 0; neither its scale nor what it stretches changes */
    double point[3];   /* at time 0, in the world; it moves along a line */
    double linear[3];  /* its way from time 0 to 1 */
    double angular[3]; /* right-handed; each component up to KILN_ANGULAR_MAX */
} kiln_motion;

/* Makes the motion of what stays at a pose (NULL: identity). KILN_ERROR_ARGUMENT (NULL),
 * KILN_ERROR_POSE: *out is untouched. */
KILN_API kiln_status kiln_motion_at_rest(const kiln_pose *pose, kiln_motion *out);

/* Makes the motion from one pose to another (NULL: identity), which have one scale, with the least
 * rotation, and `turns` full turns besides about its axis, in its direction or, if negative,
 * against it. `centre` [3], in the object's own frame, is the point that moves along a line: the
 * centre of gravity of what moves freely, a bearing of what turns in it; NULL: the origin of its
 * frame. At time 1 the pose is the end's but for rounding, and for what both depart from rotations;
 * of affine poses each entry is met within 1e-6 of the largest one. A rotation by 180 degrees is
 * about the one of its two directions whose first component that is not 0 is positive. An angle
 * beyond 180 degrees is to be given by `angular`, or by turns: 350 degrees are a least rotation by
 * -10 and one turn against it, -1. KILN_ERROR_ARGUMENT (null out, a centre that is not finite or
 * beyond 1e57, turns without an axis or too many for KILN_ANGULAR_MAX), KILN_ERROR_POSE (also for
 * different scales; for affine poses of which one is not the other one turned, within 1e-6 of its
 * largest entry, since no motion changes a shape; and as kiln_motion_pose): *out is untouched. */
KILN_API kiln_status kiln_motion_between(const kiln_pose *start, const kiln_pose *end,
                                         const double centre[3], int turns, kiln_motion *out);

/* Computes the pose at a time in [0, 1]; at 0 it is `start`, to the bit. The same bits on every
 * machine. KILN_ERROR_ARGUMENT (NULL, a time out of range or NaN), KILN_ERROR_POSE (a motion whose
 * start departs from a rotation by more than 0.99e-6 but not by more than 1e-6; an affine one with
 * limits as in kiln.h, but for the roots of the sums of squares of entries in place of the largest;
 * a number that is not finite, an angular speed beyond KILN_ANGULAR_MAX, places or ways beyond
 * 1e57): *out is untouched. */
KILN_API kiln_status kiln_motion_pose(const kiln_motion *motion, double time, kiln_pose *out);

/* ----------------------------------------------------------------------------------- sweeps -- */

#define KILN_SWEEP_STEPS 1048576u

/* Initialise it with kiln_sweep_options_default, then change members. */
typedef struct {
    size_t struct_size; /* sizeof(kiln_sweep_options) of the caller */
    /* > 0 and finite: the largest distance at which two things count as touching. 0: the default,
     * see above. It may be raised, never lowered. */
    double tolerance;
    /* The most that a query does: nodes opened, and distances of two triangles. It ends in any
     * case; which queries end early depends on the kinds of trees. About a microsecond each. */
    uint64_t steps;
    /* Of sweeps of two trees: the filter of pairs and the stop are taken; pairs that the filter
     * rejects may pass through each other. NULL: neither. */
    const kiln_pair_options *pair;
    /* Of sweeps of a shape and a tree: the filter of triangles is taken. NULL: none. */
    const kiln_query_options *query;
} kiln_sweep_options;

/* Returns the defaults: tolerance by size, KILN_SWEEP_STEPS steps, no filters. */
KILN_API kiln_sweep_options kiln_sweep_options_default(void);

typedef struct {
    bool found; /* false: the members from `distance` on are 0 */
    /* False: the budget of steps was spent. `clear` is then still proved, and `time`, if found, is
     * one at which the surfaces are near, though they may be so earlier. */
    bool complete;
    /* The surfaces meet at time 0, as kiln_collide says; of shapes: the distance is not above 0. */
    bool touching;
    double time;      /* of the first contact; 1 if not found */
    double clear;     /* proved: there is no contact before it. `time` if complete */
    double tolerance; /* of this query, in lengths of the world */
    /* `time` is a multiple of it. Where `time` is above 0 and `complete` set, the surfaces are
     * further apart than the tolerance at time - stride: a place to which a program may step back.
     * 0 for two spheres whose time is that of their equation. */
    double stride;
    uint64_t steps;  /* that it took */
    double distance; /* at `time`; 0 to tolerance, and below 0 to -radius within shapes */
    kiln_pair pair;  /* the triangles that are nearest at `time`; of a shape 0 */
    double point_a[3], point_b[3]; /* the points that are nearest, in the world, at `time` */
    double normal[3];              /* unit vector from B to A; of kiln_nearest */
} kiln_sweep_hit;

/* Finds the first contact of the surfaces of two moving trees. Motions NULL: at rest at the
 * identity. Options NULL: defaults. A and B may be the same tree. KILN_OK: *hit is the answer.
 * KILN_ERROR_ARGUMENT (null tree or hit, a tolerance negative, infinite or NaN), KILN_ERROR_POSE
 * (as kiln_motion_pose), KILN_ERROR_NOT_LOADED, KILN_ERROR_PARTIAL, KILN_ERROR_STOPPED: *hit is
 * untouched. Any number of threads. No allocation; stack as kiln_distance. Cost: some tenths of a
 * millisecond of meshes of thousands of triangles; more where surfaces slide or roll along each
 * other at small distances, or turn several times near each other: then the steps may not suffice.
 */
KILN_API kiln_status kiln_sweep(const kiln_tree *a, const kiln_motion *motion_a, const kiln_tree *b,
                                const kiln_motion *motion_b, const kiln_sweep_options *options,
                                kiln_sweep_hit *hit);

/* Finds the first contact of a moving tree, A, and a moving sphere or capsule, B, which stands in a
 * frame of its own: kiln_shape. A sphere of radius 0 is a moving point. Triangles are compared as
 * placed in the world in double precision; of triangles that are equally near at `time` that with
 * the lower id is named. A shape that holds the whole surface touches it from time 0 on; one that
 * the surface encloses does not touch it. Errors as kiln_sweep, and KILN_ERROR_ARGUMENT for a shape
 * that is NULL, a box or out of range (magnitudes up to 1e57). */
KILN_API kiln_status kiln_sweep_shape(const kiln_tree *tree, const kiln_motion *motion,
                                      const kiln_shape *shape, const kiln_motion *motion_shape,
                                      const kiln_sweep_options *options, kiln_sweep_hit *hit);

/* Finds the first contact of two moving spheres or capsules, A and B. For two spheres that do not
 * turn, where the options leave the tolerance to the library, it is 2^-45 of the sum of all lengths
 * that take part: `time` is the root of the equation of motion, in pairs of doubles, and the gap is
 * then within `tolerance` of 0; what passes by without coming so near is not found, and what comes
 * so near without touching may be found or not. Cost: below a microsecond for these, some
 * microseconds for others. Errors as kiln_sweep_shape. */
KILN_API kiln_status kiln_sweep_shapes(const kiln_shape *a, const kiln_motion *motion_a,
                                       const kiln_shape *b, const kiln_motion *motion_b,
                                       const kiln_sweep_options *options, kiln_sweep_hit *hit);

#ifdef __cplusplus
}
#endif

#endif
