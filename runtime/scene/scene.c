/* Scenes: their memory, and what changes them.
 *
 * All is in one block of the caller's: the scene, the nodes of its tree of bounds, the objects by
 * their places, their groups, and scratch. Each change leaves the tree up to date, so that queries
 * are made of a scene that they need not change. */
#include "scene.h"

#include "../base/caller_memory.h"
#include "../base/options.h"

#include <math.h>
#include <string.h>

enum { SCENE_ALIGNMENT = 64 };

/* ---------------------------------------------------------------------------------- memory -- */

/* Where the arrays are, in bytes from the scene on. */
typedef struct {
    size_t nodes, boxes, links, entries, groups, parents, order, end;
} scene_layout;

static scene_layout lay_out(uint32_t capacity)
{
    const size_t room = capacity;
    scene_layout at;
    at.nodes = (sizeof(kiln_scene) + SCENE_ALIGNMENT - 1) / SCENE_ALIGNMENT * SCENE_ALIGNMENT;
    at.boxes = at.nodes + room * sizeof(kiln_scene_node);
    at.links = at.boxes + room * sizeof(kiln_scene_box);
    at.entries = at.links + room * sizeof(kiln_scene_link);
    at.groups = at.entries + room * sizeof(kiln_scene_entry);
    at.parents = at.groups + room * sizeof(kiln_scene_groups);
    at.order = at.parents + room * sizeof(uint32_t);
    at.end = at.order + room * sizeof(uint32_t);
    return at;
}

KILN_STATIC_ASSERT(sizeof(kiln_scene_node) == 64, "a node is a line of the cache");
KILN_STATIC_ASSERT(sizeof(kiln_scene_entry) % 8 == 0 && sizeof(kiln_scene_groups) == 8,
                   "arrays that follow each other stay aligned");

size_t kiln_scene_size(uint32_t capacity)
{
    return capacity > KILN_SCENE_CAPACITY_MOST ? 0 : lay_out(capacity).end + SCENE_ALIGNMENT - 1;
}

kiln_status kiln_scene_place(void *memory, size_t size, uint32_t capacity, kiln_scene **out)
{
    if (out == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    *out = NULL;
    const size_t skip = kiln_memory_skip(memory, SCENE_ALIGNMENT);
    if (memory == NULL || capacity > KILN_SCENE_CAPACITY_MOST ||
        size < skip + lay_out(capacity).end) {
        return KILN_ERROR_ARGUMENT;
    }
    uint8_t *start = (uint8_t *)memory + skip;
    const scene_layout at = lay_out(capacity);
    kiln_scene *scene = (kiln_scene *)(void *)start;
    memset(scene, 0, sizeof *scene);
    scene->nodes = (kiln_scene_node *)(void *)(start + at.nodes);
    scene->boxes = (kiln_scene_box *)(void *)(start + at.boxes);
    scene->links = (kiln_scene_link *)(void *)(start + at.links);
    scene->entries = (kiln_scene_entry *)(void *)(start + at.entries);
    scene->groups = (kiln_scene_groups *)(void *)(start + at.groups);
    scene->parents = (uint32_t *)(void *)(start + at.parents);
    scene->order = (uint32_t *)(void *)(start + at.order);
    scene->capacity = capacity;
    scene->first_free = KILN_SCENE_NOWHERE;
    scene->node_free = KILN_SCENE_NOWHERE;
    scene->root = KILN_SCENE_NOWHERE;
    *out = scene;
    return KILN_OK;
}

/* ----------------------------------------------------------------------------------- objects -- */

/* The place of an object; NOWHERE: it is none, or none any longer. Places up to `used` are
 * initialised, and a free one has no tree. */
static uint32_t place_with_id(const kiln_scene *scene, kiln_scene_id id)
{
    const uint32_t place = (uint32_t)(id >> 32), generation = (uint32_t)id;
    const bool is_there = place < scene->used && scene->entries[place].tree != NULL &&
                          scene->entries[place].generation == generation;
    return is_there ? place : KILN_SCENE_NOWHERE;
}

kiln_scene_object kiln_scene_object_default(void)
{
    kiln_scene_object object;
    memset(&object, 0, sizeof object);
    object.struct_size = sizeof object;
    object.pose = kiln_pose_identity();
    object.category = 1;
    object.mask = UINT32_MAX;
    return object;
}

/* In the environment of fpu.h. */
static kiln_status add_object(kiln_scene *scene, const kiln_scene_object *object, kiln_scene_id *id)
{
    if (!kiln_pose_is_served(&object->pose)) {
        return KILN_ERROR_POSE;
    }
    uint32_t place = scene->first_free;
    if (place == KILN_SCENE_NOWHERE) {
        if (scene->used == scene->capacity) {
            return KILN_ERROR_FULL;
        }
        place = scene->used++;
        scene->entries[place].generation = 0;
    } else {
        scene->first_free = scene->entries[place].next_free;
    }
    kiln_scene_entry *entry = &scene->entries[place];
    KILN_ASSERT(entry->generation < UINT32_MAX);
    entry->tree = object->tree;
    entry->pose = object->pose;
    entry->user = object->user;
    entry->generation++;
    scene->groups[place] = (kiln_scene_groups){object->category, object->mask};
    scene->count++;
    kiln_scene_bounds_of_tree(entry->tree, &entry->pose, &scene->boxes[place]);
    kiln_scene_tree_insert(scene, place);
    *id = kiln_scene_id_at(scene, place);
    return KILN_OK;
}

kiln_status kiln_scene_add(kiln_scene *scene, const kiln_scene_object *object, kiln_scene_id *id)
{
    kiln_scene_object full = kiln_scene_object_default();
    kiln_options_take(&full, sizeof full, object);
    if (scene == NULL || full.tree == NULL || id == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, add_object);
    const kiln_status status = run(scene, &full, id);
    kiln_fpu_leave(caller);
    return status;
}

/* A place whose generations are used up is not given again: its ids would begin anew. */
kiln_status kiln_scene_remove(kiln_scene *scene, kiln_scene_id id)
{
    if (scene == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const uint32_t place = place_with_id(scene, id);
    if (place == KILN_SCENE_NOWHERE) {
        return KILN_ERROR_NO_OBJECT;
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, kiln_scene_tree_remove);
    run(scene, place);
    kiln_fpu_leave(caller);
    scene->entries[place].tree = NULL;
    scene->count--;
    if (scene->entries[place].generation < UINT32_MAX) {
        scene->entries[place].next_free = scene->first_free;
        scene->first_free = place;
    }
    return KILN_OK;
}

/* ------------------------------------------------------------------------------------ moving -- */

/* In the environment of fpu.h, as what follows. */
static kiln_status move_object(kiln_scene *scene, uint32_t place, const kiln_pose *pose)
{
    kiln_scene_box box;
    if (!kiln_pose_is_served(pose)) {
        return KILN_ERROR_POSE;
    }
    scene->entries[place].pose = *pose;
    kiln_scene_bounds_of_tree(scene->entries[place].tree, pose, &box);
    kiln_scene_tree_move(scene, place, &box);
    return KILN_OK;
}

kiln_status kiln_scene_move(kiln_scene *scene, kiln_scene_id id, const kiln_pose *pose)
{
    if (scene == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const uint32_t place = place_with_id(scene, id);
    if (place == KILN_SCENE_NOWHERE) {
        return KILN_ERROR_NO_OBJECT;
    }
    const kiln_pose identity = kiln_pose_identity();
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, move_object);
    const kiln_status status = run(scene, place, pose != NULL ? pose : &identity);
    kiln_fpu_leave(caller);
    return status;
}

/* All are looked at before the first is moved. */
static kiln_status move_objects(kiln_scene *scene, const kiln_scene_id ids[],
                                const kiln_pose poses[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (place_with_id(scene, ids[i]) == KILN_SCENE_NOWHERE) {
            return KILN_ERROR_NO_OBJECT;
        }
        if (!kiln_pose_is_served(&poses[i])) {
            return KILN_ERROR_POSE;
        }
    }
    const bool few = count < scene->count / 4;
    for (size_t i = 0; i < count; i++) {
        const uint32_t place = place_with_id(scene, ids[i]);
        kiln_scene_box box;
        scene->entries[place].pose = poses[i];
        kiln_scene_bounds_of_tree(scene->entries[place].tree, &poses[i], &box);
        if (few) {
            kiln_scene_tree_move(scene, place, &box);
        } else {
            scene->boxes[place] = box;
        }
    }
    if (!few) {
        kiln_scene_tree_refit(scene);
    }
    return KILN_OK;
}

kiln_status kiln_scene_move_many(kiln_scene *scene, const kiln_scene_id ids[],
                                 const kiln_pose poses[], size_t count)
{
    if (scene == NULL || ((ids == NULL || poses == NULL) && count > 0)) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, move_objects);
    const kiln_status status = run(scene, ids, poses, count);
    kiln_fpu_leave(caller);
    return status;
}

kiln_status kiln_scene_rebuild(kiln_scene *scene)
{
    if (scene == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, kiln_scene_tree_build);
    run(scene);
    kiln_fpu_leave(caller);
    return KILN_OK;
}

kiln_status kiln_scene_set_groups(kiln_scene *scene, kiln_scene_id id, uint32_t category,
                                  uint32_t mask)
{
    if (scene == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const uint32_t place = place_with_id(scene, id);
    if (place == KILN_SCENE_NOWHERE) {
        return KILN_ERROR_NO_OBJECT;
    }
    scene->groups[place] = (kiln_scene_groups){category, mask};
    return KILN_OK;
}

/* ------------------------------------------------------------------------------------- facts -- */

kiln_status kiln_scene_get(const kiln_scene *scene, kiln_scene_id id, kiln_scene_object *object)
{
    if (scene == NULL || object == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const uint32_t place = place_with_id(scene, id);
    if (place == KILN_SCENE_NOWHERE) {
        return KILN_ERROR_NO_OBJECT;
    }
    const kiln_scene_entry *entry = &scene->entries[place];
    kiln_scene_object full = kiln_scene_object_default();
    full.struct_size = object->struct_size;
    full.tree = entry->tree;
    full.pose = entry->pose;
    full.user = entry->user;
    full.category = scene->groups[place].category;
    full.mask = scene->groups[place].mask;
    memcpy(object, &full, full.struct_size < sizeof full ? full.struct_size : sizeof full);
    return KILN_OK;
}

kiln_scene_id kiln_scene_next(const kiln_scene *scene, kiln_scene_id id)
{
    if (scene == NULL) {
        return 0;
    }
    for (uint32_t place = (uint32_t)(id >> 32); place < scene->used; place++) {
        if (scene->entries[place].tree != NULL && kiln_scene_id_at(scene, place) > id) {
            return kiln_scene_id_at(scene, place);
        }
    }
    return 0;
}

kiln_status kiln_scene_get_bounds(const kiln_scene *scene, kiln_scene_id id, double lower[3],
                                  double upper[3])
{
    if (scene == NULL || lower == NULL || upper == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const uint32_t place = place_with_id(scene, id);
    if (place == KILN_SCENE_NOWHERE) {
        return KILN_ERROR_NO_OBJECT;
    }
    const kiln_scene_box *box = &scene->boxes[place];
    memcpy(lower, box->lower, sizeof box->lower);
    memcpy(upper, box->upper, sizeof box->upper);
    return KILN_OK;
}

kiln_scene_info kiln_scene_get_info(const kiln_scene *scene)
{
    kiln_scene_info info;
    memset(&info, 0, sizeof info);
    if (scene == NULL) {
        return info;
    }
    info.capacity = scene->capacity;
    info.count = scene->count;
    kiln_scene_box all = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (uint32_t place = 0; place < scene->used; place++) { /* free ones have empty boxes */
        const kiln_scene_box *box = &scene->boxes[place];
        for (int k = 0; k < 3; k++) {
            all.lower[k] = box->lower[k] < all.lower[k] ? box->lower[k] : all.lower[k];
            all.upper[k] = box->upper[k] > all.upper[k] ? box->upper[k] : all.upper[k];
        }
    }
    if (info.count > 0) {
        memcpy(info.lower, all.lower, sizeof info.lower);
        memcpy(info.upper, all.upper, sizeof info.upper);
    }
    return info;
}
