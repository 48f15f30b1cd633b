/* kiln: sets of points, and robots as spheres at many poses.
 *
 *     kiln_spheres robot = {x, y, z, radius, 60, link, 7};
 *     kiln_spheres_any(tree, NULL, &robot, poses, 1000, NULL, hits);
 *
 * answers for 1000 configurations of a robot with 60 spheres on 7 links.
 *
 * What kiln.h says of trees, poses, options, callbacks, threads and errors holds here too. */
#ifndef KILN_SPHERES_H
#define KILN_SPHERES_H

#include "kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------- point sets -- */

/* A set of points, as `kiln bake` makes one of a file of points (PLY without faces, XYZ, PTS, ASC)
 * or of the vertices of any model, is a tree like any other: a point is a triangle whose three
 * corners are one vertex, and every query serves it, exactly. Its id is its place among the points,
 * and kiln_source.face its number in the file. Points have no area and no normal. They
 * count as a closed mesh without an inside: kiln_locate_point says outside or surface.
 *
 * Returns whether the file of the tree says that it is one. False for a NULL tree, and for a mesh
 * that has triangles without area beside others. */
KILN_API bool kiln_tree_is_points(const kiln_tree *tree);

/* Finds all pairs of triangles, or points, of two trees that are within `distance` of each
 * other, each once: those whose distance, as kiln_distance computes it for the two alone, is at
 * most that. With a distance of 0 they are those of kiln_contacts. *count is their exact number,
 * also when it exceeds `capacity`; `pairs` holds the first `capacity` in ascending order (the
 * triangle of A, then that of B), and may be NULL when capacity is 0. Poses NULL: identity.
 * Options NULL: defaults; of them filter and stop are used. A and B may be the same tree, of
 * which each triangle is then within 0 of itself. KILN_ERROR_ARGUMENT (null tree or count, null
 * pairs with a capacity, a distance that is negative or NaN), KILN_ERROR_POSE,
 * KILN_ERROR_NOT_LOADED, KILN_ERROR_PARTIAL, KILN_ERROR_STOPPED: *count is untouched, and
 * `pairs` has no meaning. Any number of threads. No allocation; 64 KiB of stack. Cost: that of
 * the boxes of both trees which are as near; of an octree, a descent of the other tree for each
 * of its triangles. */
KILN_API kiln_status kiln_near_pairs(const kiln_tree *a, const kiln_pose *pose_a,
                                     const kiln_tree *b, const kiln_pose *pose_b, double distance,
                                     const kiln_pair_options *options, kiln_pair *pairs,
                                     size_t capacity, size_t *count);

/* Passes them to a callback, each once, in no specified order; false ends the query. *count (may be
 * NULL) is the number of calls. Errors as kiln_near_pairs. */
KILN_API kiln_status kiln_near_pairs_each(const kiln_tree *a, const kiln_pose *pose_a,
                                          const kiln_tree *b, const kiln_pose *pose_b,
                                          double distance, const kiln_pair_options *options,
                                          kiln_pair_callback callback, void *user, size_t *count);

/* ------------------------------------------------------------------------ spheres in batches -- */

/* Spheres that move with the links of a robot, in structure of arrays. Each is given in the frame
 * of its link, which a configuration places. Arrays are only read, and only during a call. */
typedef struct {
    const double *x, *y, *z; /* centres [count]: magnitudes up to 1e60 */
    const double *radius;    /* [count]: 0 to 1e60 */
    size_t count;            /* up to 2^32 - 1 */
    /* The link of each sphere [count], below link_count; NULL: all are of link 0. Spheres of one
     * link that follow each other are the cheaper for it. */
    const uint32_t *link;
    uint32_t link_count; /* poses of a configuration; 1 or more */
} kiln_spheres;

/* Options of batches of spheres. Initialise them with kiln_spheres_options_default, then change
 * members. */
typedef struct {
    size_t struct_size;          /* sizeof(kiln_spheres_options) of the caller */
    kiln_triangle_filter filter; /* NULL: all triangles take part; called on the pool's threads */
    void *filter_user;
    kiln_parallel parallel; /* NULL: the calling thread */
    void *parallel_user;
} kiln_spheres_options;

/* Returns the defaults: no filter, on the calling thread. */
KILN_API kiln_spheres_options kiln_spheres_options_default(void);

/* Of one configuration. */
typedef struct {
    bool found;      /* if false, the other members are 0 */
    uint32_t sphere; /* the first that meets the tree, by its index */
    /* A triangle that it meets: id and user value. Kinds of tree and versions of the library may
     * report different ones. */
    uint32_t triangle, value;
} kiln_spheres_hit;

/* Tests in each of `count` configurations whether any sphere meets the surface of the tree, or one
 * of its points, touching included. The answer for each sphere is that of kiln_overlap_any of a
 * KILN_SHAPE_SPHERE at the pose of its link, with the tree at `pose`; so it is the same for all
 * kinds of tree, instruction sets and threads. poses [count * link_count]: those of the links in
 * the first configuration, then in the second ...; NULL: identity. `hits` [count].
 * Pose NULL: identity. Options NULL: defaults. KILN_OK: all hits are answers. KILN_ERROR_ARGUMENT
 * (null tree, spheres or hits; an array that is NULL while count is not 0; a number that is NaN or
 * out of range; a link that is not below link_count; link_count 0): hits are untouched.
 * KILN_ERROR_POSE (a pose that calls do not accept), KILN_ERROR_NOT_LOADED, KILN_ERROR_PARTIAL:
 * hits have no meaning. Any number of threads. No allocation; 32 KiB of stack. Cost: of a
 * sphere, descents of the nodes whose volumes it meets, which eight spheres that follow each other
 * begin together; of a pose, some 100 ns. Configurations are shared out over the pool in tasks of
 * 2048 spheres and more. After Thomason, Kingston and Kavraki, "Motions in microseconds via
 * vectorized sampling-based planning", 2024 (robots as spheres, many at once), and Ramsey,
 * Kingston, Thomason and Kavraki, "Collision-affording point trees", 2024 (against points). */
KILN_API kiln_status kiln_spheres_any(const kiln_tree *tree, const kiln_pose *pose,
                                      const kiln_spheres *spheres, const kiln_pose *poses,
                                      size_t count, const kiln_spheres_options *options,
                                      kiln_spheres_hit *hits);

/* The same for each sphere: meets[c * spheres->count + i] becomes 1 where sphere i meets the
 * tree in configuration c, else 0. *found (may be NULL) is the number of ones. Errors as
 * kiln_spheres_any, with *found untouched. */
KILN_API kiln_status kiln_spheres_each(const kiln_tree *tree, const kiln_pose *pose,
                                       const kiln_spheres *spheres, const kiln_pose *poses,
                                       size_t count, const kiln_spheres_options *options,
                                       uint8_t *meets, uint64_t *found);

#ifdef __cplusplus
}
#endif

#endif
