/* kiln: where does a mesh meet itself? Pairs of triangles of one tree that have more in common than
 * they should, with how they meet. For cloth and other surfaces that fold, and for people who
 * repair meshes.
 *
 *     size_t count = 0;
 *     kiln_self_pair first[16];
 *     if (kiln_self_contacts(tree, NULL, first, 16, &count) == KILN_OK && count > 0)
 *         printf("%zu pairs; triangle %u meets triangle %u\n", count, first[0].pair.a,
 *                first[0].pair.b);
 *
 * What kiln.h says of trees, answers, options, callbacks and threads holds here too.
 *
 * Answers are those of exact arithmetic on the stored vertices. They depend neither on a pose,
 * which moves all of a mesh, nor on the kind of tree. Trees whose vertices move are asked by their
 * copies (kiln_refit_update). A pair is of two triangles of one tree: those of two parts of a file
 * are found by kiln_contacts.
 *
 * Neighbours. Two triangles share a corner where a corner of one has the coordinates of a corner of
 * the other, whatever the numbers of their vertices are: a seam, where vertices are there twice, is
 * no gap. What two triangles share is the convex hull of the corners that they share: a point, an
 * edge, or all. By default such neighbours are reported where they have more in common than that,
 * which is decided exactly: where one is folded onto the other, pierces it through a corner of
 * both, or lies along a part of its edge (a T-junction); and where both have the same corners.
 *
 * Triangles without area count as what they are, segments and points.
 *
 * Inside, the tree is descended against itself, each pair of nodes once; pairs of triangles are
 * classified by signs of determinants. After Guigue and Devillers, "Fast and robust triangle-
 * triangle overlap test using orientation predicates", 2003, and Gottschalk, Lin and Manocha,
 * "OBBTree", 1996. */
#ifndef KILN_SELF_H
#define KILN_SELF_H

#include "kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------- self-contacts -- */

/* How two triangles meet. By the inside of a triangle its points are meant that are not on its
 * edges; that of a triangle without area, of which only the ends of a segment are left out. */
typedef enum {
    /* In a point or along a segment, and none of the following. */
    KILN_SELF_TOUCHING = 0,
    /* They do not lie in one plane, and a point is inside both: one passes through the other. */
    KILN_SELF_CROSSING = 1,
    /* Both lie in one plane and have an area in common. */
    KILN_SELF_OVERLAPPING = 2,
    /* They have the same corners, in any order. */
    KILN_SELF_DUPLICATE = 3
} kiln_self_kind;

/* What is done with triangles that share a corner or more. */
typedef enum {
    /* They are reported where they have more in common than what they share, or all corners. */
    KILN_NEIGHBOURS_BEYOND = 0,
    /* They are not reported, however they meet. */
    KILN_NEIGHBOURS_NEVER = 1,
    /* They are reported: those that have no more in common than what they share are touching. */
    KILN_NEIGHBOURS_ALL = 2
} kiln_neighbours;

typedef struct {
    kiln_pair pair;      /* a < b: ids, and user values, of two triangles of the tree */
    kiln_self_kind kind; /* how they meet */
    uint32_t shared;     /* corners that they share: different points, 0 to 3 */
} kiln_self_pair;

/* Returns whether a pair counts. It runs in the floating-point environment that the query was
 * called in, and must not close the file. Its result for a pair must not change during a query;
 * how often and in which order it is called is not specified. */
typedef bool (*kiln_self_filter)(void *user, const kiln_self_pair *pair);

/* All kinds, of kiln_self_options.kinds. */
#define KILN_SELF_ALL_KINDS 15u

/* Initialise it with kiln_self_options_default, then change members. */
typedef struct {
    size_t struct_size; /* sizeof(kiln_self_options) of the caller */
    kiln_neighbours neighbours;
    /* Only these count: bit k stands for the kind of value k. */
    uint32_t kinds;
    kiln_self_filter filter; /* NULL: all pairs count */
    void *filter_user;
    /* NULL, or called before each pair of leaves is looked into. If it returns true, the query
     * returns KILN_ERROR_STOPPED, with its outputs untouched, except the buffer of pairs, which
     * then holds anything. */
    kiln_stop stop;
    void *stop_user;
} kiln_self_options;

/* Returns the defaults: KILN_NEIGHBOURS_BEYOND, all kinds, no filter, no stop. */
KILN_API kiln_self_options kiln_self_options_default(void);

/* Finds all pairs of triangles of a tree that meet, each once, in ascending order of (a, b). *count
 * is the exact number of pairs, also when it exceeds `capacity`; then `pairs` holds the first
 * `capacity` of that order. `pairs` may be NULL when capacity is 0. Options NULL: defaults.
 * KILN_ERROR_ARGUMENT (NULL; neighbours that are none of the three), KILN_ERROR_NOT_LOADED (baked
 * without polygons), KILN_ERROR_PARTIAL, KILN_ERROR_STOPPED: *count is untouched. Any number of
 * threads. No allocation. Cost: about half a microsecond a triangle of a smooth surface that meets
 * itself nowhere, three to five times as much where the tree is an octree of a file that marks no
 * pairs of lanes, as those of formats before 1.7; and what is found. */
KILN_API kiln_status kiln_self_contacts(const kiln_tree *tree, const kiln_self_options *options,
                                        kiln_self_pair *pairs, size_t capacity, size_t *count);

/* Called for each pair when it is found; return false to stop. It must not close the file. It runs
 * in the floating-point environment that the query was called in. */
typedef bool (*kiln_self_callback)(void *user, const kiln_self_pair *pair);

/* Passes all pairs that meet to a callback, each once, in no specified order. *count (may be NULL)
 * is the number of calls. Errors as kiln_self_contacts, and KILN_ERROR_ARGUMENT for a null
 * callback. */
KILN_API kiln_status kiln_self_contacts_each(const kiln_tree *tree,
                                             const kiln_self_options *options,
                                             kiln_self_callback callback, void *user,
                                             size_t *count);

/* Tests whether there is any such pair: *found; if so, and if `pair` is not NULL, *pair is one of
 * them, and kinds of tree and versions of the library may find different ones. Errors as
 * kiln_self_contacts, with *found untouched; *pair is untouched unless one is found. Cost: it ends
 * with the first pair. */
KILN_API kiln_status kiln_self_contacts_any(const kiln_tree *tree, const kiln_self_options *options,
                                            bool *found, kiln_self_pair *pair);

#ifdef __cplusplus
}
#endif

#endif
