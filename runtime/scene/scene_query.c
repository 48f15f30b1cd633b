/* Exact queries of a scene: each candidate goes to the query of one pair or one tree.
 *
 * These queries enter the floating-point environment of fpu.h themselves and call the caller's
 * filters in the caller's, so they are made between two looks into the tree of bounds, never within
 * one. The first that fails ends all. */
#include "scene.h"

#include "../query/query.h"

#include <string.h>

/* --------------------------------------------------------------------------- do they meet -- */

typedef struct {
    const kiln_scene *scene;
    const kiln_scene_options *options;
    const kiln_tree *tree; /* of `a` where that is not in the scene, and its pose */
    const kiln_pose *pose;
    kiln_status status;
    kiln_scene_hit_callback callback; /* NULL: hits go to the array */
    void *user;
    kiln_scene_hit *hits;
    size_t capacity, count;
    bool one; /* the first is enough */
} scene_collider;

static bool collide_candidate(void *user, const kiln_scene_pair *pair, uint32_t a, uint32_t b)
{
    scene_collider *query = (scene_collider *)user;
    const kiln_scene_entry *entries = query->scene->entries;
    const bool outside = a == KILN_SCENE_NOWHERE;
    kiln_scene_hit hit;
    KILN_ASSERT(query->status == KILN_OK);
    hit.objects = *pair;
    query->status = kiln_collide(outside ? query->tree : entries[a].tree,
                                 outside ? query->pose : &entries[a].pose, entries[b].tree,
                                 &entries[b].pose, query->options->pair, &hit.hit);
    if (query->status != KILN_OK || !hit.hit.found) {
        return query->status == KILN_OK;
    }
    query->count++;
    if (query->callback != NULL) {
        return query->callback(query->user, &hit);
    }
    if (query->count <= query->capacity) {
        query->hits[query->count - 1] = hit;
    }
    return !query->one;
}

/* The query whose outputs are set: of all pairs, or of `tree` with each object. */
static kiln_status run_collider(scene_collider *query, const kiln_scene *scene,
                                const kiln_scene_options *options, bool outside, size_t *count)
{
    kiln_scene_options full;
    if (scene == NULL || !kiln_scene_options_take(options, &full)) {
        return KILN_ERROR_ARGUMENT;
    }
    full.within = 0;
    query->scene = scene;
    query->options = &full;
    query->status = KILN_OK;
    query->count = 0;
    if (outside) {
        kiln_scene_box box;
        query->status = kiln_scene_bound_tree(query->tree, query->pose, &box);
        if (query->status == KILN_OK) {
            kiln_scene_visit_box(scene, &box, &full, collide_candidate, query);
        }
    } else {
        kiln_scene_visit_pairs(scene, &full, collide_candidate, query);
    }
    if (query->status == KILN_OK && count != NULL) {
        *count = query->count;
    }
    return query->status;
}

static kiln_status collide_to_callback(const kiln_scene *scene, const kiln_tree *tree,
                                       const kiln_pose *pose, bool outside,
                                       const kiln_scene_options *options,
                                       kiln_scene_hit_callback callback, void *user, size_t *count)
{
    scene_collider query;
    if (callback == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    memset(&query, 0, sizeof query);
    query.tree = tree;
    query.pose = pose;
    query.callback = callback;
    query.user = user;
    return run_collider(&query, scene, options, outside, count);
}

static kiln_status collide_to_array(const kiln_scene *scene, const kiln_tree *tree,
                                    const kiln_pose *pose, bool outside,
                                    const kiln_scene_options *options, kiln_scene_hit *hits,
                                    size_t capacity, size_t *count)
{
    scene_collider query;
    if (count == NULL || (hits == NULL && capacity > 0)) {
        return KILN_ERROR_ARGUMENT;
    }
    memset(&query, 0, sizeof query);
    query.tree = tree;
    query.pose = pose;
    query.hits = hits;
    query.capacity = capacity;
    return run_collider(&query, scene, options, outside, count);
}

static kiln_status collide_once(const kiln_scene *scene, const kiln_tree *tree,
                                const kiln_pose *pose, bool outside,
                                const kiln_scene_options *options, kiln_scene_hit *hit)
{
    kiln_scene_hit found;
    scene_collider query;
    if (hit == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    memset(&found, 0, sizeof found);
    memset(&query, 0, sizeof query);
    query.tree = tree;
    query.pose = pose;
    query.hits = &found;
    query.capacity = 1;
    query.one = true;
    const kiln_status status = run_collider(&query, scene, options, outside, NULL);
    if (status == KILN_OK) {
        *hit = found;
    }
    return status;
}

kiln_status kiln_scene_collide_each(const kiln_scene *scene, const kiln_scene_options *options,
                                    kiln_scene_hit_callback callback, void *user, size_t *count)
{
    return collide_to_callback(scene, NULL, NULL, false, options, callback, user, count);
}

kiln_status kiln_scene_collide(const kiln_scene *scene, const kiln_scene_options *options,
                               kiln_scene_hit *hits, size_t capacity, size_t *count)
{
    return collide_to_array(scene, NULL, NULL, false, options, hits, capacity, count);
}

kiln_status kiln_scene_collide_any(const kiln_scene *scene, const kiln_scene_options *options,
                                   kiln_scene_hit *hit)
{
    return collide_once(scene, NULL, NULL, false, options, hit);
}

kiln_status kiln_scene_collide_object_each(const kiln_scene *scene, const kiln_tree *tree,
                                           const kiln_pose *pose, const kiln_scene_options *options,
                                           kiln_scene_hit_callback callback, void *user,
                                           size_t *count)
{
    return collide_to_callback(scene, tree, pose, true, options, callback, user, count);
}

kiln_status kiln_scene_collide_object(const kiln_scene *scene, const kiln_tree *tree,
                                      const kiln_pose *pose, const kiln_scene_options *options,
                                      kiln_scene_hit *hits, size_t capacity, size_t *count)
{
    return collide_to_array(scene, tree, pose, true, options, hits, capacity, count);
}

kiln_status kiln_scene_collide_object_any(const kiln_scene *scene, const kiln_tree *tree,
                                          const kiln_pose *pose, const kiln_scene_options *options,
                                          kiln_scene_hit *hit)
{
    return collide_once(scene, tree, pose, true, options, hit);
}

/* --------------------------------------------------------------------------------- shapes -- */

typedef struct {
    const kiln_scene *scene;
    const kiln_scene_options *options;
    const kiln_shape *shape;
    const kiln_pose *pose;
    kiln_status status;
    kiln_scene_overlap_callback callback;
    void *user;
    size_t count;
} scene_overlapper;

static bool overlap_candidate(void *user, const kiln_scene_pair *pair, uint32_t a, uint32_t b)
{
    scene_overlapper *query = (scene_overlapper *)user;
    const kiln_scene_entry *entry = &query->scene->entries[b];
    kiln_scene_overlap found = {pair->b, pair->user_b, {false, 0, 0}};
    KILN_ASSERT(a == KILN_SCENE_NOWHERE);
    (void)a;
    query->status = kiln_overlap_any(entry->tree, &entry->pose, query->shape, query->pose,
                                     query->options->query, &found.hit);
    if (query->status != KILN_OK || !found.hit.found) {
        return query->status == KILN_OK;
    }
    query->count++;
    return query->callback(query->user, &found);
}

/* In the environment of fpu.h. */
static kiln_status bound_shape_at(const kiln_shape *shape, const kiln_pose *pose,
                                  kiln_scene_box *box)
{
    kiln_shape taken;
    const kiln_pose identity = kiln_pose_identity();
    pose = pose != NULL ? pose : &identity;
    if (!kiln_shape_take(shape, &taken)) {
        return KILN_ERROR_ARGUMENT;
    }
    if (!kiln_pose_is_served(pose)) {
        return KILN_ERROR_POSE;
    }
    kiln_scene_bounds_of_shape(&taken, pose, box);
    return KILN_OK;
}

kiln_status kiln_scene_overlap_each(const kiln_scene *scene, const kiln_shape *shape,
                                    const kiln_pose *pose, const kiln_scene_options *options,
                                    kiln_scene_overlap_callback callback, void *user, size_t *count)
{
    kiln_scene_options full;
    kiln_scene_box box;
    if (scene == NULL || shape == NULL || callback == NULL ||
        !kiln_scene_options_take(options, &full)) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(bound, bound_shape_at);
    const kiln_status status = bound(shape, pose, &box);
    kiln_fpu_leave(caller);
    if (status != KILN_OK) {
        return status;
    }
    full.within = 0;
    scene_overlapper query = {scene, &full, shape, pose, KILN_OK, callback, user, 0};
    kiln_scene_visit_box(scene, &box, &full, overlap_candidate, &query);
    if (query.status == KILN_OK && count != NULL) {
        *count = query.count;
    }
    return query.status;
}
