/* kiln: convex shapes against a mesh. How far is a point, a segment, a triangle, a box or any
 * convex hull from the surface of a mesh, with or without a radius around it, is it within a
 * distance, and which triangles does it meet?
 *
 *     double corners[24];
 *     kiln_convex foot;
 *     kiln_convex_from(&box, corners, &foot);              or {vertices, count, radius}
 *     kiln_shape_nearest nearest;
 *     if (kiln_shape_distance(tree, &pose, &foot, &pose_of_foot, NULL, &nearest) == KILN_OK &&
 *         nearest.found)
 *         printf("%g from triangle %u\n", nearest.distance, nearest.triangle);
 *
 * What kiln.h says of trees, poses, options, callbacks, threads and errors holds here too.
 *
 * Shapes are solid, and the mesh is a surface: a mesh that lies wholly inside a shape meets it, one
 * that wholly encloses the shape does not. A shape stands in a frame of its own with a pose of its
 * own, whose scale it takes; the mesh's vertices are transformed into that frame in double
 * precision, as for kiln_overlap_any, and then compared. Poses of meshes and of shapes may be any
 * that kiln_pose describes. But distances in a stretched frame are not those of the world: for
 * distances a shape at an affine pose is itself transformed into the world moved so that the
 * translation of its pose is 0, each coordinate ((m0 x + m1 y) + m2 z), every operation rounded to
 * double, and the mesh into that frame. What is round is no shape then: with a radius above 0 such
 * a pose is KILN_ERROR_POSE for distances. Scale its vertices and radius instead where all axes are
 * scaled alike.
 *
 * Answers. Whether a triangle meets a shape, touching included, is decided by exact arithmetic on
 * the numbers of the shape and on the corners so transformed: without a radius, whether hull and
 * triangle have a point in common; with one, whether the square of their distance is at most that
 * of the radius. Coordinates and radii below 2^-250 in magnitude count as 0. (kiln_overlap_any and
 * its neighbours are as exact for boxes, and allow for a rounding of spheres and capsules.) The
 * distance of a triangle is 0 exactly where it meets the shape, above 0 where it does not, and
 * within 2^-43 of the extent of both of the true one, the extent being the largest difference of a
 * coordinate between two of their points. It is a function of the shape and the triangle alone, so
 * that answers are the same for all kinds of tree, instruction sets, numbers of threads and
 * callers' floating-point environments, to the last bit.
 *
 * Cost. A hull's vertices are passed over twice, and for each of the few triangles that might be
 * the nearest one some of them several times, so a query of a hull of n vertices takes about as
 * long as one of a box and a microsecond or two for each hundred of n, where vertices that follow
 * each other are near each other. Vertices inside the hull, repeated ones, and hulls that are
 * flat, a segment or a point are allowed.
 *
 * Inside, the nearest points of a hull and a triangle are found after Gilbert, Johnson and Keerthi,
 * "A fast procedure for computing the distance between complex objects in three-dimensional space",
 * 1988, in doubles; a plane between them proves the distance, and where rounding leaves a doubt the
 * same is done in integers. */
#ifndef KILN_SHAPES_H
#define KILN_SHAPES_H

#include "kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------------------------- convex shapes -- */

/* All points that are within `radius` of the convex hull of the vertices. One vertex: a point, or a
 * sphere; two: a segment, or a capsule; three: a triangle; the corners of a box: a box, or a
 * rounded one; and so on. The vertices stay the caller's and must be there during a query. */
typedef struct {
    const double *vertices; /* 3 * count numbers, magnitudes up to 1e60, in any order */
    uint32_t count;         /* at least 1 */
    double radius;          /* [0, 1e60] */
} kiln_convex;

/* Makes a convex shape of a box, sphere or capsule: its vertices are written to `vertices` [24
 * numbers, of which a sphere takes 3 and a capsule 6], and out->vertices points there.
 * KILN_ERROR_ARGUMENT (NULL, an unknown kind; numbers are looked at by queries): *out is untouched.
 * Any number of threads. */
KILN_API kiln_status kiln_convex_from(const kiln_shape *shape, double vertices[24],
                                      kiln_convex *out);

/* Tests whether the shape meets the surface. Kinds of tree and versions of the library may report
 * different triangles. Poses NULL: identity. Options NULL: defaults; `cull` is ignored. KILN_OK:
 * *hit is the answer. KILN_ERROR_ARGUMENT (null tree, shape, vertices or hit; no vertices; a number
 * that is NaN or out of range), KILN_ERROR_POSE, KILN_ERROR_NOT_LOADED, KILN_ERROR_PARTIAL: *hit is
 * untouched. Any number of threads. No allocation; 48 KiB of stack. */
KILN_API kiln_status kiln_convex_overlap_any(const kiln_tree *tree, const kiln_pose *pose,
                                             const kiln_convex *shape, const kiln_pose *pose_shape,
                                             const kiln_query_options *options,
                                             kiln_triangle_hit *hit);

/* Finds all triangles that the shape meets, each once. *count is their number, also when it exceeds
 * `capacity`; `hits` holds the first `capacity` in ascending order of ids, and may be NULL when
 * that is 0. Errors as kiln_convex_overlap_any, with hits and *count untouched. */
KILN_API kiln_status kiln_convex_overlap_all(const kiln_tree *tree, const kiln_pose *pose,
                                             const kiln_convex *shape, const kiln_pose *pose_shape,
                                             const kiln_query_options *options,
                                             kiln_triangle_hit *hits, size_t capacity,
                                             size_t *count);

/* Passes all triangles that the shape meets to a callback, each once, in no specified order. *count
 * (may be NULL) is the number of calls. Errors as kiln_convex_overlap_any. */
KILN_API kiln_status kiln_convex_overlap_each(const kiln_tree *tree, const kiln_pose *pose,
                                              const kiln_convex *shape, const kiln_pose *pose_shape,
                                              const kiln_query_options *options,
                                              kiln_triangle_callback callback, void *user,
                                              size_t *count);

/* ---------------------------------------------------------------------- distances of shapes -- */

/* Options of distances of shapes. Initialise them with kiln_shape_options_default, then change
 * members. */
typedef struct {
    size_t struct_size;          /* sizeof(kiln_shape_options) of the caller */
    kiln_triangle_filter filter; /* NULL: all triangles take part */
    void *filter_user;
    /* kiln_shape_distance only: */
    double beyond; /* >= 0: a greater distance need not be measured; default: infinity */
    /* Tolerances, >= 0 and finite: the distance may exceed the minimum by this fraction of it and
     * by this length. Both are 0 by default: the minimum itself. */
    double relative;
    double absolute;
    /* Both: the `hint` of an earlier answer at similar poses, and the answer comes sooner; 0: none.
     * One of another tree, or any other number, may cost time and never changes an answer. */
    uint32_t hint;
    /* NULL, or called before each leaf is looked into. If it returns true, the query returns
     * KILN_ERROR_STOPPED, with its output untouched. */
    kiln_stop stop;
    void *stop_user;
} kiln_shape_options;

/* Returns the defaults: no filter, no hint, no stop, the minimum distance however large. */
KILN_API kiln_shape_options kiln_shape_options_default(void);

typedef struct {
    bool found;        /* false: the shape is farther from all triangles than options.beyond */
    double distance;   /* in units of the world; options.beyond if not found */
    uint32_t triangle; /* id; this and all that follows is 0 if not found */
    uint32_t value;    /* its user value, as kiln_tree_user returns it */
    uint32_t hint;     /* for the next query */
    /* The nearest points of the triangle and of the shape, rounded, in the frame that the poses
     * lead to ("world"). Where they meet, both are the point of the triangle that is nearest to
     * the hull without its radius, or one of those. */
    double point_mesh[3], point_shape[3];
    /* Unit vector from the shape to the mesh. Where the hull itself meets the triangle, it is the
     * triangle's normal (b - a) x (c - a), or 0 for a triangle without area. */
    double normal[3];
} kiln_shape_nearest;

/* Computes the distance of a shape from the surface of a mesh: the least of those of its triangles.
 * Of triangles that are equally near, the one with the least id is named, with two exceptions:
 * where the shape meets the surface it is any that it meets, which may differ between kinds of
 * tree; and where the two are more than 2^20 times their sizes apart the distance is within 2^-38
 * of itself of the minimum. Poses NULL: identity. Options NULL: defaults. With a tolerance, kinds
 * of tree may find different triangles. KILN_OK: *nearest is the answer. KILN_ERROR_ARGUMENT (null
 * tree, shape, vertices or nearest; no vertices; a number that is NaN or out of range, of the
 * shape, also where an affine pose takes it, or of the options), KILN_ERROR_POSE (of a shape with a
 * radius also for one that is no rotation), KILN_ERROR_NOT_LOADED, KILN_ERROR_PARTIAL,
 * KILN_ERROR_STOPPED: *nearest is untouched. Any number of threads. No allocation; 48 KiB of stack.
 * Cost: some microseconds; more where many triangles are equally near, which are all examined
 * unless there is a tolerance (relative = 1e-9 is enough). */
KILN_API kiln_status kiln_shape_distance(const kiln_tree *tree, const kiln_pose *pose,
                                         const kiln_convex *shape, const kiln_pose *pose_shape,
                                         const kiln_shape_options *options,
                                         kiln_shape_nearest *nearest);

/* Tests whether a shape is within `distance` of the surface of a mesh, that is, whether the result
 * of kiln_shape_distance is <= `distance`. For a distance of 0 the answer is that of
 * kiln_convex_overlap_any, except at an affine pose of the shape, which here takes the shape's
 * vertices into the world, and there the mesh into the frame of the shape: roundings may then tell
 * touching apart otherwise. *hit: the answer, and a triangle that is that near. Errors as
 * kiln_shape_distance, and KILN_ERROR_ARGUMENT for a distance that is negative or NaN: *hit is
 * untouched. Any number of threads. No allocation; 48 KiB of stack. */
KILN_API kiln_status kiln_shape_within(const kiln_tree *tree, const kiln_pose *pose,
                                       const kiln_convex *shape, const kiln_pose *pose_shape,
                                       double distance, const kiln_shape_options *options,
                                       kiln_triangle_hit *hit);

#ifdef __cplusplus
}
#endif

#endif
