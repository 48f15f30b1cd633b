/* kiln: queries of two meshes again and again, at poses that change little from one query to the
 * next. A front remembers, for one pair of trees, what the last query found out.
 *
 *     kiln_front_options options = kiln_front_options_default();
 *     const size_t size = kiln_front_size(arm, car, &options);
 *     kiln_front *front = NULL;
 *     kiln_front_place(malloc(size), size, arm, car, &options, &front);
 *     ... each frame:
 *         kiln_hit hit;
 *         double free_motion;
 *         kiln_front_collide(front, &pose_of_arm, &pose_of_car, NULL, &hit, &free_motion);
 *
 * What kiln.h says of trees, poses, answers, options, callbacks, threads and errors holds here too.
 *
 * Answers are those of the fresh query (kiln_collide, kiln_contacts_each, kiln_distance) at the
 * same poses, whatever was asked before, in whatever order and at whatever poses: any sequence is
 * allowed, both objects may move, and what is remembered only decides how soon the answer is there.
 * Where one of several pairs of triangles may be named, another one may be named than by the fresh
 * query.
 *
 * Motion. Between two queries what counts is the motion of the two objects relative to each other:
 * the most that a point of the box of the one is displaced, as seen from the other, of both ways to
 * look at it the lesser. It is computed from the eight corners of the box, which is exact for the
 * box, and not above |dt| + angle b (Tropp et al. 2006, Equation 9). It is summed up over queries,
 * and a proof that two volumes are m apart is good until m has been used up.
 *
 * Free motion. A query that finds nothing also says how far the objects may move before anything
 * can: while the sum of kiln_motion_bound of both objects since then is below that, there is no
 * contact, and no query need be made. With KILN_FRONT_AUTO kiln_front_collide and
 * kiln_front_contacts_each look at it themselves, too, and then answer in some tens of nanoseconds;
 * the methods that are as published run every query, and those of Li and Chen know of none.
 *
 * Affine poses. Where one of the two poses is affine, motion is the sum of both objects' motions in
 * the world. Free motion and the pair that met last are remembered as above; but no front is kept:
 * what these do not answer is asked from the roots, whatever the method.
 *
 * Methods. KILN_FRONT_AUTO is for programs. The others are the algorithms of two papers, as they
 * were published, for comparison and for teaching; they take binary trees.
 *
 * Threads: a front is used by one thread at a time. No call allocates memory. */
#ifndef KILN_FRONT_H
#define KILN_FRONT_H

#include "kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------ fronts -- */

/* A front. It lives in the caller's memory, which must not be moved. */
typedef struct kiln_front kiln_front;

typedef enum {
    /* For all kinds of tree. The pair of triangles that met last is tried first; a front of the
     * bounding volume test tree is kept while objects are apart and while that is less work than
     * queries from the roots. */
    KILN_FRONT_AUTO = 0,
    /* Tropp, Tal, Shimshoni and Dobkin, "Temporal coherence in bounding volume hierarchies for
     * collision detection", 2006, for two trees of kind obb2 or two of kind aabb2. */
    KILN_FRONT_PUBLISHED = 1,
    /* Li and Chen, "Incremental 3D collision detection with hierarchical data structures", 1998:
     * the separation list, and the one that is built again one query later, for two trees of kind
     * obb2 or aabb2; see `balls`. */
    KILN_FRONT_SEPARATION = 2,
    KILN_FRONT_SEPARATION_DEFERRED = 3,
    /* The recursive search that the list is compared with: nothing is remembered. */
    KILN_FRONT_RECURSIVE = 4
} kiln_front_method;

/* Initialise them with kiln_front_options_default, then change members. */
typedef struct {
    size_t struct_size; /* sizeof(kiln_front_options) of the caller */
    kiln_front_method method;
    /* Most entries that are kept, from 1 to 2^24; default 0: as many as pay. Where they are too few
     * for the front of a query, none is kept, and the answer is the same. */
    uint32_t capacity;
    /* Of KILN_FRONT_PUBLISHED: P_coherence, P_sprout and P_prune (Equations 2 to 4), >= 0 or
     * infinite. Defaults are the paper's for the kind of tree, which NaN stands for; with NaN for
     * P_coherence, a front is also given up while it costs more than it saves. One that has grown
     * much by hits, or found no room, is given up in any case. */
    double coherence;
    double sprout;
    double prune;
    /* Of the methods of Li and Chen: volumes are balls around the nodes' triangles, which are
     * computed by kiln_front_place, and not their boxes. Default false. */
    bool balls;
} kiln_front_options;

/* Returns the defaults. */
KILN_API kiln_front_options kiln_front_options_default(void);

/* Bytes that a front of these trees takes, of any alignment. Options NULL: defaults. 0: a null
 * tree, trees that the method does not take, or options that are not allowed. */
KILN_API size_t kiln_front_size(const kiln_tree *a, const kiln_tree *b,
                                const kiln_front_options *options);

/* Makes a front of `memory` [size bytes] that remembers nothing yet. The memory stays the caller's;
 * there is nothing to release. The trees must live as long as the front is used. If a tree is
 * refitted, kiln_front_reset must be called before the next query. KILN_ERROR_ARGUMENT (NULL, what
 * kiln_front_size returns 0 for, or a size below it), KILN_ERROR_NOT_LOADED, KILN_ERROR_PARTIAL (a
 * tree has no polygons): *out is NULL. Cost: little; with balls, nine passes over all triangles for
 * each level of the trees. */
KILN_API kiln_status kiln_front_place(void *memory, size_t size, const kiln_tree *a,
                                      const kiln_tree *b, const kiln_front_options *options,
                                      kiln_front **out);

/* Forgets everything, and takes the trees as they are now, which may have been refitted. NULL is
 * allowed. Cost: as kiln_front_place. */
KILN_API void kiln_front_reset(kiln_front *front);

/* -------------------------------------------------------------------------- coherent queries -- */

/* Tests whether the surfaces meet, as kiln_collide. *free_motion (may be NULL) is then 0, or, if
 * nothing was found, a length in units of the world: while kiln_motion_bound(a, its pose then, its
 * pose) + kiln_motion_bound(b, ...), or their sum over any number of steps, is below it, the
 * surfaces do not meet. It may be 0 also where nothing was found; it is never too large. A filter
 * in the options may be another one at each call: what is remembered of pairs does not depend on
 * it. It may be called several times with a pair that it refuses. Errors as kiln_collide, with
 * outputs untouched: KILN_ERROR_ARGUMENT (null front or hit); after KILN_ERROR_POSE and
 * KILN_ERROR_STOPPED the front remembers nothing. */
KILN_API kiln_status kiln_front_collide(kiln_front *front, const kiln_pose *pose_a,
                                        const kiln_pose *pose_b, const kiln_pair_options *options,
                                        kiln_hit *hit, double *free_motion);

/* Passes all pairs of triangles that meet to a callback, each once, as kiln_contacts_each; the
 * callback must not use the front. *free_motion (may be NULL) is as above. Errors as there, and
 * as above. */
KILN_API kiln_status kiln_front_contacts_each(kiln_front *front, const kiln_pose *pose_a,
                                              const kiln_pose *pose_b,
                                              const kiln_pair_options *options,
                                              kiln_pair_callback callback, void *user,
                                              size_t *count, double *free_motion);

/* All pairs in ascending order into the caller's array, as kiln_contacts. */
KILN_API kiln_status kiln_front_contacts(kiln_front *front, const kiln_pose *pose_a,
                                         const kiln_pose *pose_b, const kiln_pair_options *options,
                                         kiln_pair *pairs, size_t capacity, size_t *count,
                                         double *free_motion);

/* The distance of the surfaces, as kiln_distance; the nearest pair, or the pair that met, of the
 * last query is the hint where the options have none. What the distance says of free motion is
 * remembered. Errors as kiln_distance, and as above. */
KILN_API kiln_status kiln_front_distance(kiln_front *front, const kiln_pose *pose_a,
                                         const kiln_pose *pose_b, const kiln_pair_options *options,
                                         kiln_nearest *nearest);

/* ------------------------------------------------------------------------ what is remembered -- */

/* Returns the pair of triangles that met or was nearest last, for the options of other queries; 0
 * and 0: none, or the front is NULL. */
KILN_API kiln_hint kiln_front_get_hint(const kiln_front *front);

/* An upper bound of how far a point of a tree is displaced between two poses (NULL: identity), in
 * units of the world: the most that a corner of the box around it is, rounded up. 0 for poses that
 * are equal. KILN_ERROR_ARGUMENT (NULL), KILN_ERROR_POSE: *bound is untouched. Any number of
 * threads. Cost: some tens of nanoseconds. */
KILN_API kiln_status kiln_motion_bound(const kiln_tree *tree, const kiln_pose *from,
                                       const kiln_pose *to, double *bound);

/* What a front did since it was placed or reset, and holds. Counts of the methods of the two papers
 * are the same on every machine; those of KILN_FRONT_AUTO may differ between instruction sets,
 * which prove more or fewer volumes apart. */
typedef struct {
    uint64_t queries;
    uint64_t skipped;   /* answered by the free motion alone */
    uint64_t last_pair; /* answered by the pair that met last */
    uint64_t fresh;     /* made from the roots */
    uint64_t coherent;  /* made from what was remembered */
    uint64_t prunes;    /* times that the front was pruned or built again */
    /* Over all queries: */
    uint64_t volume_tests; /* of a pair of volumes or, of trees of eight, of a node against one */
    uint64_t
        margin_tests;    /* of a remembered margin that was enough, so that no volume was tested */
    uint64_t axis_tests; /* by a remembered axis */
    uint64_t leaf_tests; /* of the triangles of two leaves */
    uint32_t entries;    /* remembered now */
    uint32_t capacity;
} kiln_front_info;

/* Returns what a front did. All zero for NULL. */
KILN_API kiln_front_info kiln_front_get_info(const kiln_front *front);

#ifdef __cplusplus
}
#endif

#endif
