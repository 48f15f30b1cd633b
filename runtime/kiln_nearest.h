/* kiln: the nearest point of a mesh, all triangles within a radius, signed distances.
 *
 *     kiln_surface_point nearest;
 *     if (kiln_nearest_point(tree, &pose, point, NULL, &nearest) == KILN_OK && nearest.found)
 *         printf("triangle %u is %g away\n", nearest.triangle, nearest.distance);
 *
 * What kiln.h says of trees, poses, options, callbacks, threads and errors holds here too.
 *
 * Answers. The point is brought into the tree's own frame, as the origin of a ray is: the
 * translation is taken off, the inverse of the rotation applied, then the scale divided out, in
 * double precision; coordinates below 2^-250 in magnitude count as 0, and without a pose nothing
 * else is changed. There distances from the stored float32 triangles are compared exactly, as the
 * fractions that their squares are; of equally near triangles the one of the smallest id comes
 * first. So the triangle, the order of several and their number are the same for all kinds of
 * tree, hints, numbers of threads, instruction sets and rounding modes, to the last bit of all
 * members. Triangles without area are segments or points.
 *
 * Affine poses. Here it is the triangles that are transformed, into the world moved so that the
 * translation of the pose is 0: each coordinate is (m0 x + m1 y) + m2 z, every operation rounded
 * to double, then to a multiple of 2^-149, the least step of stored coordinates. The translation
 * is taken off the point. All of the above holds for these triangles, and lengths are compared as
 * they are given; pseudonormals are those of these triangles, too. A mirror turns them about, as
 * kiln.h says of all normals, so that those of a closed mesh point inward; signed distances stay
 * negative inside.
 *
 * A radius, and options.beyond, are lengths of the world: they are divided by the scale of a
 * rotation's pose, rounded to double, below 2^-250 count as 0, and are then compared with distances
 * exactly. Equal is within.
 *
 * What is measured is near to exact: a distance within 2^-40 of itself, and 0 if and only if the
 * point is on the surface; weights within 2^-30. Numbers out of the range of their types do not
 * occur.
 *
 * Cost, with trees of AABB: of 80,000 to 140,000 triangles in the mean .7 us from points near the
 * surface (2.7 where slivers abound), 1 to 4 us from within the mesh's box, 1 to 7 us from five
 * sizes away; a tenth to twice as much more with normals; with OBB .5 to 1.1 times that. It grows
 * with the logarithm of the number of triangles where the nearest are few. Where many are equally
 * near, as from the centre of a sphere, all are looked at; and so they are where the point is 10^5
 * times the size of the mesh away and more, since boxes are tested in floats. Affine poses take
 * several times as long. */
#ifndef KILN_NEAREST_H
#define KILN_NEAREST_H

#include "kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------------------------- nearest points -- */

/* The least part of a triangle that has the nearest point, decided exactly. */
typedef enum {
    KILN_FEATURE_FACE = 0,  /* its inside */
    KILN_FEATURE_EDGE = 1,  /* an edge without its ends */
    KILN_FEATURE_CORNER = 2 /* a corner */
} kiln_feature;

typedef struct {
    bool found;        /* if false, `distance` is options.beyond, `hint` none, and the rest 0 */
    uint32_t triangle; /* id */
    uint32_t value;    /* its user value, as kiln_tree_user returns it */
    kiln_feature feature;
    /* Of an edge the corner opposite it, of a corner itself, in the order of kiln_tree_corners; of
     * triangles without area the smallest that has the point. 0 for a face. */
    uint32_t part;
    /* In units of the world: within 2^-40 of the exact one, times the scale of a rotation. */
    double distance;
    /* The sum of the corners times the weights, in the world: within 2^-29 of the triangle's
     * longest edge, and what the pose rounds. */
    double point[3];
    /* Barycentric. Each is 0 to 1, within 2^-30, and exactly 0 where the point is on the edge
     * opposite that corner; exactly 1 at a corner. */
    double weights[3];
    /* The pseudonormal of the feature, of length 1, in the world: of a face its normal, of an edge
     * the mean of those of all triangles that have the edge, of a corner their mean weighted by
     * their angles there. On a closed mesh whose triangles wind outward the point is outside where
     * its difference from `point` has a positive product with it, and inside where it is negative
     * (Baerentzen and Aanaes, "Signed distance computation using the angle weighted pseudonormal",
     * 2005). At a pose that mirrors it is the other way about. Edges and corners are shared where
     * their stored coordinates are the same; filters play no part. Within 2^-20, if the mean before
     * it was made of length 1 was over 2^-20; 0 where that is 0, and with options.no_normal. */
    double normal[3];
    uint32_t hint; /* for the next query; no meaning otherwise */
} kiln_surface_point;

/* Initialise them with kiln_point_options_default, then change members. */
typedef struct {
    size_t struct_size;          /* sizeof(kiln_point_options) of the caller */
    kiln_triangle_filter filter; /* NULL: all triangles take part */
    void *filter_user;
    double beyond; /* >= 0: farther triangles are not found; default: infinity */
    /* kiln_surface_point.hint of a point nearby, of this tree: the answer comes sooner. Any other
     * number costs time and never changes an answer. Default: none, UINT32_MAX. */
    uint32_t hint;
    bool no_normal; /* leave normals 0: saves half the time where points are nearest at corners */
    /* NULL, or called before each leaf is looked into. If it returns true, the query returns
     * KILN_ERROR_STOPPED; outputs then hold anything. */
    kiln_stop stop;
    void *stop_user;
    kiln_parallel parallel; /* of queries of many points; NULL: the calling thread */
    void *parallel_user;
} kiln_point_options;

/* Returns the defaults: no filter, however far, no hint, with normals, no stop, one thread. */
KILN_API kiln_point_options kiln_point_options_default(void);

/* Finds the triangle nearest to `point` [3], which is in the frame that the pose leads to (NULL:
 * identity). `options` may be NULL for the defaults. KILN_ERROR_ARGUMENT (NULL, a coordinate that
 * is not finite or beyond 1e60, options.beyond that is negative or NaN), KILN_ERROR_POSE,
 * KILN_ERROR_NOT_LOADED (a file without polygons), KILN_ERROR_PARTIAL (not all has arrived): *out
 * is untouched. KILN_ERROR_STOPPED. Any number of threads. No allocation; 26 KiB of stack. Cost:
 * see above. */
KILN_API kiln_status kiln_nearest_point(const kiln_tree *tree, const kiln_pose *pose,
                                        const double point[3], const kiln_point_options *options,
                                        kiln_surface_point *out);

/* Finds the `most` nearest triangles, nearest first, equally near ones by their ids, into `out`
 * [most], and their number, which is smaller where there are no more within options.beyond, into
 * *count. Errors as kiln_nearest_point, and KILN_ERROR_ARGUMENT where `out` is NULL although
 * `most` is not 0. Cost: O(log most) for each triangle that is nearer than the last one kept, and
 * O(most) with octrees. */
KILN_API kiln_status kiln_nearest_several(const kiln_tree *tree, const kiln_pose *pose,
                                          const double point[3], size_t most,
                                          const kiln_point_options *options,
                                          kiln_surface_point *out, size_t *count);

/* Finds all triangles within `radius` (>= 0; infinity: all) of the point; options.beyond is not
 * used. The first `capacity` in the order of kiln_nearest_several go into `out` [capacity; may be
 * NULL if that is 0], and *count is the number of all. Errors as kiln_nearest_point, and
 * KILN_ERROR_ARGUMENT for a radius that is negative or NaN. */
KILN_API kiln_status kiln_nearest_within(const kiln_tree *tree, const kiln_pose *pose,
                                         const double point[3], double radius,
                                         const kiln_point_options *options, kiln_surface_point *out,
                                         size_t capacity, size_t *count);

/* Returns whether the query goes on. *found is valid during the call, which runs in the
 * floating-point environment that the query was called in, and must not close the file. */
typedef bool (*kiln_surface_callback)(void *user, const kiln_surface_point *found);

/* The same, by calling `callback` for each triangle, in an order that depends on the tree. *count,
 * if not NULL, is the number of calls. A query that the callback ends is KILN_OK. Errors as
 * kiln_nearest_within, and KILN_ERROR_ARGUMENT without a callback. */
KILN_API kiln_status kiln_nearest_within_each(const kiln_tree *tree, const kiln_pose *pose,
                                              const double point[3], double radius,
                                              const kiln_point_options *options,
                                              kiln_surface_callback callback, void *user,
                                              size_t *count);

/* kiln_nearest_point of many points, `points` [3 count], into `out` [count], on the threads of
 * options.parallel, where filter and stop are called too. Points that follow each other should be
 * near each other: each answer is the hint of the next. Answers but their hints do not depend on
 * order or threads. Errors as kiln_nearest_point, those of the pose and of options also if count is
 * 0; `points` and `out` may then be NULL. An error of any point is that of the call, and outputs
 * then hold anything. Cost: that of the single calls. */
KILN_API kiln_status kiln_nearest_points(const kiln_tree *tree, const kiln_pose *pose,
                                         const double *points, size_t count,
                                         const kiln_point_options *options,
                                         kiln_surface_point *out);

/* ------------------------------------------------------------------------- signed distances -- */

/* Computes the distance of the point from a closed mesh: negative inside, which is that of
 * kiln_locate_point and decided exactly, 0 if and only if the point is on the surface. With an
 * affine pose it is decided for the transformed triangles, before coordinates below 2^-97 are
 * rounded to multiples of 2^-149; kiln_locate_point takes the point into the tree's own frame, so
 * that roundings may put a point that is next to the surface elsewhere. *distance is
 * infinite outside, or minus infinity inside, where nothing is found within options.beyond. A
 * filter chooses the triangles whose distance counts, not what is inside. *nearest, if not NULL,
 * is the answer of kiln_nearest_point; its distance has no sign. Errors as kiln_nearest_point, and
 * KILN_ERROR_OPEN_MESH for an open mesh. Cost: that of kiln_nearest_point and
 * kiln_locate_point. */
KILN_API kiln_status kiln_signed_distance(const kiln_tree *tree, const kiln_pose *pose,
                                          const double point[3], const kiln_point_options *options,
                                          double *distance, kiln_surface_point *nearest);

/* The same of many points, `points` [3 count], into `distances` [count], as kiln_nearest_points;
 * normals are left out. */
KILN_API kiln_status kiln_signed_distances(const kiln_tree *tree, const kiln_pose *pose,
                                           const double *points, size_t count,
                                           const kiln_point_options *options, double *distances);

#ifdef __cplusplus
}
#endif
#endif
