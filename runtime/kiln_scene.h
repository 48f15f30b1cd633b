/* kiln: scenes, a broad phase for many placed trees. A scene says which pairs of objects are near
 * enough to meet, and makes the exact queries of kiln.h for them.
 *
 *     void *memory = malloc(kiln_scene_size(1000));
 *     kiln_scene *scene = NULL;
 *     kiln_scene_place(memory, kiln_scene_size(1000), 1000, &scene);
 *     kiln_scene_object object = kiln_scene_object_default();
 *     object.tree = kiln_file_tree(ship, 0);
 *     kiln_scene_id id;
 *     kiln_scene_add(scene, &object, &id);
 *     ... each frame:
 *         kiln_scene_move(scene, id, &pose);
 *         kiln_scene_collide_each(scene, NULL, on_hit, NULL, NULL);
 *
 * What kiln.h says of trees, poses, answers, options, callbacks and errors holds here too.
 *
 * Bounds. The world bounds of an object are an axis-aligned box in the frame that poses lead to: of
 * the box of all its vertices and of the boxes of its tree's root node, each carried by the pose,
 * what both have in common. They are rounded outward, by 2^-42 of the sizes of the numbers that
 * take part, so that no pair that an exact query finds is missed, whatever the caller's rounding
 * mode is. Bounds that touch meet.
 *
 * Order. Every call that passes many pairs or objects passes each once, in ascending order of ids
 * (a, then b, with a < b). Which ones these are depends on the objects, their poses and the
 * options alone: not on threads, machines or how the scene came to be. Ids depend on the calls of
 * kiln_scene_add and kiln_scene_remove alone.
 *
 * Threads: functions that take a const scene may be called by any number of threads at once; those
 * that take one that is not const by one thread, while no other uses the scene. A scene is always
 * up to date: whoever changes it does all the work, so that no query has to. Callbacks and filters
 * must not change the scene. They run in the floating-point environment that the query was called
 * in. No call allocates memory. A query needs at most 8 KiB of stack besides what the exact query
 * needs that it makes, a call that changes the scene at most 32 KiB.
 *
 * Inside, a binary tree of bounds is kept by insertion with rotations. Moving an object changes its
 * bounds and those of the few nodes above it; nodes of the object's own tree are carried by the
 * pose only where a query opens what is above them. After Goldsmith and Salmon, "Automatic creation
 * of object hierarchies for ray tracing", 1987, and Kopta et al., "Fast, effective BVH updates for
 * animated scenes", 2012. */
#ifndef KILN_SCENE_H
#define KILN_SCENE_H

#include "kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------------------------------- scenes -- */

/* A scene. It lives in the caller's memory, which must not be moved. */
typedef struct kiln_scene kiln_scene;

/* An object of a scene; 0 is none. The upper 32 bits are its place in the scene, from 0 to the
 * capacity - 1; the lower ones count how often the place was used. An object that is removed gives
 * its place to the object that is added next, but never its id: a place that was used 2^32 - 1
 * times is not used again. */
typedef uint64_t kiln_scene_id;

/* Initialise it with kiln_scene_object_default, then change members. */
typedef struct {
    size_t struct_size; /* sizeof(kiln_scene_object) of the caller */
    /* It must live as long as the object. Of a file that arrives in parts (kiln_open_partial) it
     * may be given at once: until its first node is there its bounds are those of the box of its
     * vertices, which hold for all times. */
    const kiln_tree *tree;
    kiln_pose pose;
    uint64_t user; /* anything; pairs and hits have it */
    /* Two objects are a pair if (a.category & b.mask) != 0 and (b.category & a.mask) != 0. By
     * default the category is 1 and the mask has all bits. */
    uint32_t category;
    uint32_t mask;
} kiln_scene_object;

/* Returns the defaults: no tree, the identity, user 0, category 1 and a mask of all bits. */
KILN_API kiln_scene_object kiln_scene_object_default(void);

/* Bytes that a scene with room for `capacity` objects takes, of any alignment: 272 an object and
 * about 200. 0 for a capacity over 2^24. A scene of capacity 0 is allowed, and stays empty. */
KILN_API size_t kiln_scene_size(uint32_t capacity);

/* Makes an empty scene of `memory` [size bytes]. The memory stays the caller's; there is nothing to
 * release. KILN_ERROR_ARGUMENT: NULL, a capacity over 2^24, or too small for it; *out is then NULL.
 */
KILN_API kiln_status kiln_scene_place(void *memory, size_t size, uint32_t capacity,
                                      kiln_scene **out);

/* Adds a copy of an object. *id is its own until it is removed. KILN_ERROR_ARGUMENT (NULL, a null
 * tree), KILN_ERROR_POSE, KILN_ERROR_FULL: the scene and *id are as before. Cost: some
 * microseconds, growing with the logarithm of the number of objects. */
KILN_API kiln_status kiln_scene_add(kiln_scene *scene, const kiln_scene_object *object,
                                    kiln_scene_id *id);

/* Removes an object. KILN_ERROR_ARGUMENT (null scene), KILN_ERROR_NO_OBJECT (no object has this id,
 * or has it any longer): the scene is as before. */
KILN_API kiln_status kiln_scene_remove(kiln_scene *scene, kiln_scene_id id);

/* Gives an object another pose; NULL: identity. Errors as kiln_scene_remove, and KILN_ERROR_POSE:
 * the scene is as before. Cost: about half a microsecond. Also to be called, with the same pose,
 * where bounds should become tighter after more of a tree's file has arrived. */
KILN_API kiln_status kiln_scene_move(kiln_scene *scene, kiln_scene_id id, const kiln_pose *pose);

/* Gives many objects other poses: ids[i] gets poses[i]; of an id that is given twice the last
 * counts. Where these are a quarter of all objects or more it is faster than one by one, and the
 * inner tree is built again when it has become bad. KILN_ERROR_ARGUMENT (null scene; NULL with a
 * count), KILN_ERROR_NO_OBJECT, KILN_ERROR_POSE: no object is moved. */
KILN_API kiln_status kiln_scene_move_many(kiln_scene *scene, const kiln_scene_id ids[],
                                          const kiln_pose poses[], size_t count);

/* Gives an object another category and mask. Errors as kiln_scene_remove. */
KILN_API kiln_status kiln_scene_set_groups(kiln_scene *scene, kiln_scene_id id, uint32_t category,
                                           uint32_t mask);

/* Builds the inner tree anew, which makes queries faster after many objects were added, or moved
 * one by one. No answer changes. KILN_ERROR_ARGUMENT: NULL. Cost: 10,000 objects take some
 * milliseconds. */
KILN_API kiln_status kiln_scene_rebuild(kiln_scene *scene);

/* Copies an object: the members that lie within object->struct_size, which the caller sets, for
 * example by kiln_scene_object_default. KILN_ERROR_ARGUMENT (NULL), KILN_ERROR_NO_OBJECT: *object
 * is untouched. */
KILN_API kiln_status kiln_scene_get(const kiln_scene *scene, kiln_scene_id id,
                                    kiln_scene_object *object);

/* Returns the object with the next higher id, where 0 gives the first one and `id` need not be one
 * of an object; 0: there is none, or the scene is NULL. */
KILN_API kiln_scene_id kiln_scene_next(const kiln_scene *scene, kiln_scene_id id);

/* World bounds of an object. Errors as kiln_scene_get, with lower and upper [3] untouched. */
KILN_API kiln_status kiln_scene_get_bounds(const kiln_scene *scene, kiln_scene_id id,
                                           double lower[3], double upper[3]);

typedef struct {
    uint32_t capacity;
    uint32_t count;  /* objects */
    double lower[3]; /* world bounds of all objects; 0 where there is none */
    double upper[3];
} kiln_scene_info;

/* Returns what a scene holds. All zero for NULL. Cost: a pass over the bounds of all objects. */
KILN_API kiln_scene_info kiln_scene_get_info(const kiln_scene *scene);

/* World bounds that a tree at a pose (NULL: identity) would have as an object. KILN_ERROR_ARGUMENT
 * (NULL), KILN_ERROR_POSE: lower and upper [3] are untouched. Any number of threads. */
KILN_API kiln_status kiln_scene_bounds_of(const kiln_tree *tree, const kiln_pose *pose,
                                          double lower[3], double upper[3]);

/* ------------------------------------------------------------------- candidates in scenes -- */

/* Two objects. Where a query is made for a tree, a shape or a ray that is not in the scene, that is
 * `a`, with an id and a user value of 0. */
typedef struct {
    kiln_scene_id a, b; /* a < b */
    uint64_t user_a, user_b;
} kiln_scene_pair;

/* Returns whether a pair counts. It is called at most once for each pair whose bounds meet and
 * whose groups allow it, in the order of the pairs, except where a ray is followed. */
typedef bool (*kiln_scene_filter)(void *user, const kiln_scene_pair *pair);

/* Options of queries of scenes. Initialise them with kiln_scene_options_default, then change
 * members. */
typedef struct {
    size_t struct_size;       /* sizeof(kiln_scene_options) of the caller */
    kiln_scene_filter filter; /* NULL: all pairs count */
    void *filter_user;
    /* Pairs that do not count, by their ids, in ascending order of (a, b) with a < b, none twice;
     * user values are not looked at. Ids of objects that are no more do no harm. */
    const kiln_scene_pair *excluded;
    size_t excluded_count;
    /* An object that takes no part: as where one object of the scene is tried at another pose. 0:
     * none. */
    kiln_scene_id ignore;
    /* Groups of the tree, the shape or the ray that a query is made for; as in kiln_scene_object.
     */
    uint32_t category;
    uint32_t mask;
    /* >= 0 and finite; default 0. Of candidates: bounds that are at most this far apart along each
     * axis count as well, so that nothing is missed that kiln_within finds within this distance,
     * or kiln_distance with it as `beyond`. Exact queries of scenes ignore it. */
    double within;
    const kiln_pair_options *pair;   /* of exact queries of two meshes; NULL: defaults */
    const kiln_query_options *query; /* of rays and shapes; NULL: defaults */
} kiln_scene_options;

/* Returns the defaults: every pair counts, category 1, a mask of all bits. */
KILN_API kiln_scene_options kiln_scene_options_default(void);

/* Called for a pair; return false to stop. */
typedef bool (*kiln_scene_pair_callback)(void *user, const kiln_scene_pair *pair);

/* Passes all pairs of objects whose bounds meet and that are allowed to a callback, in order.
 * *count (may be NULL) is the number of calls. Options NULL: defaults. KILN_ERROR_ARGUMENT (null
 * scene or callback; `within` negative, infinite or NaN; excluded pairs NULL with a count or not in
 * order): *count is untouched. Cost: 10,000 objects with a few neighbours each take some
 * milliseconds. */
KILN_API kiln_status kiln_scene_pairs_each(const kiln_scene *scene,
                                           const kiln_scene_options *options,
                                           kiln_scene_pair_callback callback, void *user,
                                           size_t *count);

/* Finds all pairs of objects whose bounds meet and that are allowed. *count is their exact number,
 * also when it exceeds `capacity`; `pairs` holds the first `capacity` in order, and may be NULL
 * when that is 0. Errors as kiln_scene_pairs_each, with pairs and *count untouched. */
KILN_API kiln_status kiln_scene_pairs(const kiln_scene *scene, const kiln_scene_options *options,
                                      kiln_scene_pair *pairs, size_t capacity, size_t *count);

/* Passes all objects whose bounds meet those of a tree at a pose (NULL: identity), which is not in
 * the scene, to a callback, each as `b` of a pair. Errors as kiln_scene_pairs_each, and
 * KILN_ERROR_ARGUMENT for a null tree and KILN_ERROR_POSE. */
KILN_API kiln_status kiln_scene_pairs_of_each(const kiln_scene *scene, const kiln_tree *tree,
                                              const kiln_pose *pose,
                                              const kiln_scene_options *options,
                                              kiln_scene_pair_callback callback, void *user,
                                              size_t *count);

/* Passes all objects whose bounds meet an axis-aligned box of the world to a callback, each as `b`
 * of a pair; lower <= upper, infinities are allowed. Errors as kiln_scene_pairs_each, and
 * KILN_ERROR_ARGUMENT for a box that is NULL, NaN or inverted. */
KILN_API kiln_status kiln_scene_pairs_in_box_each(const kiln_scene *scene, const double lower[3],
                                                  const double upper[3],
                                                  const kiln_scene_options *options,
                                                  kiln_scene_pair_callback callback, void *user,
                                                  size_t *count);

/* --------------------------------------------------------------- exact queries of scenes -- */

/* Each candidate goes to the query of kiln.h of the same name. KILN_ERROR_NOT_LOADED and
 * KILN_ERROR_PARTIAL are returned when a candidate comes up one of whose trees has no polygons, or
 * not yet; KILN_ERROR_STOPPED where options.pair->stop says so. Callbacks may have been called
 * before, for what comes earlier in the order; of arrays any member may have been written. *count,
 * *hit and *found are untouched after every error. */

typedef struct {
    kiln_scene_pair objects;
    kiln_hit hit; /* two triangles that meet: of the tree of objects.a, and of objects.b */
} kiln_scene_hit;

/* Called for two objects that meet; return false to stop. */
typedef bool (*kiln_scene_hit_callback)(void *user, const kiln_scene_hit *hit);

/* Passes all pairs of objects that meet, as kiln_collide says, to a callback. *count (may be NULL)
 * is the number of calls. Errors as kiln_scene_pairs_each, and those above. */
KILN_API kiln_status kiln_scene_collide_each(const kiln_scene *scene,
                                             const kiln_scene_options *options,
                                             kiln_scene_hit_callback callback, void *user,
                                             size_t *count);

/* Finds all pairs of objects that meet. *count is their exact number, also when it exceeds
 * `capacity`; `hits` holds the first `capacity` in order, and may be NULL when that is 0. Errors as
 * kiln_scene_collide_each. */
KILN_API kiln_status kiln_scene_collide(const kiln_scene *scene, const kiln_scene_options *options,
                                        kiln_scene_hit *hits, size_t capacity, size_t *count);

/* Finds the first pair of objects, in order, that meet: hit->hit.found says whether there is one;
 * if not, all of *hit is 0. Errors as kiln_scene_collide_each, and KILN_ERROR_ARGUMENT for a null
 * hit. */
KILN_API kiln_status kiln_scene_collide_any(const kiln_scene *scene,
                                            const kiln_scene_options *options, kiln_scene_hit *hit);

/* One against many: passes all objects that meet a tree at a pose (NULL: identity), which is not in
 * the scene, to a callback. The tree is A of each query, the object B. Errors as
 * kiln_scene_collide_each, and KILN_ERROR_ARGUMENT for a null tree and KILN_ERROR_POSE. */
KILN_API kiln_status kiln_scene_collide_object_each(const kiln_scene *scene, const kiln_tree *tree,
                                                    const kiln_pose *pose,
                                                    const kiln_scene_options *options,
                                                    kiln_scene_hit_callback callback, void *user,
                                                    size_t *count);

/* The same into an array, as kiln_scene_collide. */
KILN_API kiln_status kiln_scene_collide_object(const kiln_scene *scene, const kiln_tree *tree,
                                               const kiln_pose *pose,
                                               const kiln_scene_options *options,
                                               kiln_scene_hit *hits, size_t capacity,
                                               size_t *count);

/* The same, only the first object that meets the tree, as kiln_scene_collide_any. */
KILN_API kiln_status kiln_scene_collide_object_any(const kiln_scene *scene, const kiln_tree *tree,
                                                   const kiln_pose *pose,
                                                   const kiln_scene_options *options,
                                                   kiln_scene_hit *hit);

typedef struct {
    kiln_scene_id id; /* the object */
    uint64_t user;
    kiln_triangle_hit hit; /* a triangle of it */
} kiln_scene_overlap;

/* Called for an object that a shape meets; return false to stop. */
typedef bool (*kiln_scene_overlap_callback)(void *user, const kiln_scene_overlap *overlap);

/* Passes all objects that a shape at a pose (NULL: identity) meets, as kiln_overlap_any says, to a
 * callback. Errors as kiln_scene_collide_each and kiln_overlap_any. */
KILN_API kiln_status kiln_scene_overlap_each(const kiln_scene *scene, const kiln_shape *shape,
                                             const kiln_pose *pose,
                                             const kiln_scene_options *options,
                                             kiln_scene_overlap_callback callback, void *user,
                                             size_t *count);

typedef struct {
    kiln_scene_id id; /* the object; 0 where hit.found is false */
    uint64_t user;
    kiln_ray_hit hit;
} kiln_scene_ray_hit;

/* Finds the object that a ray meets first: the one with the smallest t, of equal ones that with the
 * lowest id; and of its triangles the one that kiln_ray_closest finds. Errors as
 * kiln_scene_collide_each and kiln_ray_closest. With an excluded object or a filter the pairs are
 * those of an id of 0 with each object. */
KILN_API kiln_status kiln_scene_ray_closest(const kiln_scene *scene, const kiln_ray *ray,
                                            const kiln_scene_options *options,
                                            kiln_scene_ray_hit *hit);

/* Tests whether the ray meets any object, and stops at the first one found; which one that is may
 * depend on how the scene came to be. Otherwise as kiln_scene_ray_closest. */
KILN_API kiln_status kiln_scene_ray_any(const kiln_scene *scene, const kiln_ray *ray,
                                        const kiln_scene_options *options, kiln_scene_ray_hit *hit);

#ifdef __cplusplus
}
#endif

#endif
