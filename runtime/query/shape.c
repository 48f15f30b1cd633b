/* Boxes, spheres, capsules and convex hulls against a surface.
 *
 * The tree is carried into the shape's frame, where the shape's numbers are as the caller gave
 * them; the walk visits the leaves whose boxes the shape may meet, or what surrounds a hull, and
 * kiln_shape_meets_triangle or kiln_convex_meets_triangle decides each triangle. All triangles into
 * a buffer: those of the smallest ids are kept in a heap in the caller's own buffer, as contacts.c
 * does with pairs. */
#include "../walk/shape_walk.h"

#include "../../formats/assert.h"
#include "../exact/convex_triangle.h"
#include "../exact/exact.h"
#include "query.h"

#include <math.h>
#include <string.h>

/* The exact predicates accept a limited range of numbers. Results computed from larger coordinates
 * or radii than this could lie outside of it. */
#define NUMBER_MAX 1e60

typedef struct shape_query shape_query;

struct shape_query {
    const kiln_tree *tree;
    kiln_shape shape;          /* of a hull: one around it */
    const kiln_convex *convex; /* NULL: the shape itself */
    kiln_convex_core core;
    kiln_placement placement;
    kiln_shape_box box;
    kiln_mesh_filter filter;
    bool once; /* `take` names all triangles, so that none may come twice */
    bool (*take)(shape_query *query, uint32_t triangle); /* false: enough */
    void *user;
};

/* Numbers that do not matter become 0. */
bool kiln_shape_take(const kiln_shape *given, kiln_shape *shape)
{
    *shape = *given;
    if (given->kind == KILN_SHAPE_SPHERE) {
        memcpy(shape->b, shape->a, sizeof shape->b);
    } else if (given->kind == KILN_SHAPE_BOX) {
        shape->radius = 0;
    } else if (given->kind != KILN_SHAPE_CAPSULE) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        if (!(fabs(shape->a[k]) <= NUMBER_MAX) || !(fabs(shape->b[k]) <= NUMBER_MAX) ||
            (given->kind == KILN_SHAPE_BOX && !(shape->a[k] <= shape->b[k]))) {
            return false;
        }
        /* Smaller numbers would leave the range of exact.c; they count as 0, as carried vertices
         * do. */
        shape->a[k] = fabs(shape->a[k]) < KILN_EXACT_MIN ? 0 : shape->a[k];
        shape->b[k] = fabs(shape->b[k]) < KILN_EXACT_MIN ? 0 : shape->b[k];
    }
    return shape->radius >= 0 && shape->radius <= NUMBER_MAX;
}

/* A sphere, a capsule or a box around a hull: its sums are rounded by what the walk allows for. */
static void surround_hull(const kiln_convex_core *core, kiln_shape *shape)
{
    memset(shape, 0, sizeof *shape);
    shape->kind = core->count == 1   ? KILN_SHAPE_SPHERE
                  : core->count == 2 ? KILN_SHAPE_CAPSULE
                                     : KILN_SHAPE_BOX;
    if (core->count <= 2) {
        kiln_convex_vertex(core, 0, shape->a);
        kiln_convex_vertex(core, core->count - 1, shape->b);
        shape->radius = core->radius;
        return;
    }
    for (int k = 0; k < 3; k++) {
        shape->a[k] = core->lower[k] - core->radius;
        shape->b[k] = core->upper[k] + core->radius;
    }
}

static bool take_question(shape_query *query, const kiln_shape *shape)
{
    if (query->convex == NULL) {
        return kiln_shape_take(shape, &query->shape);
    }
    if (!kiln_convex_take(query->convex, NULL, &kiln_kernel_active()->convex, &query->core)) {
        return false;
    }
    surround_hull(&query->core, &query->shape);
    return true;
}

static bool meets_shape(const shape_query *query, const double corners[9])
{
    return query->convex == NULL ? kiln_shape_meets_triangle(&query->shape, corners)
                                 : kiln_convex_meets_triangle(&query->core, corners);
}

/* The triangles of a leaf, carried into the shape's frame. */
static bool visit_leaf(void *user, uint32_t first, uint32_t count)
{
    shape_query *query = (shape_query *)user;
    const kiln_tree *tree = query->tree;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t stored = kiln_tree_triangle(tree, first + i),
                       id = kiln_tree_id(tree, stored);
        double corners[9];
        for (int c = 0; c < 3; c++) {
            float room[3];
            kiln_transform_vertex(&query->placement.carry,
                                  kiln_tree_vertex(tree, stored, (unsigned)c, room),
                                  corners + 3 * c);
        }
        /* The filter is called last, for triangles that would count, and `take` only for those it
         * keeps. */
        if (meets_shape(query, corners) &&
            (!query->once || kiln_shape_walk_is_first(tree, &query->box, first + i)) &&
            kiln_mesh_filter_keeps(&query->filter, tree, id) && !query->take(query, id)) {
            return false;
        }
    }
    return true;
}

/* Arguments are checked in the environment of queries, since that takes comparisons of doubles. */
static kiln_status walk_shape(shape_query *query, const kiln_pose *pose, const kiln_shape *shape,
                              const kiln_pose *pose_shape)
{
    if (!take_question(query, shape)) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_status status = kiln_placement_between_any(&query->placement, pose_shape, pose);
    if (status != KILN_OK) {
        return status;
    }
    if (!kiln_tree_has_polygons(query->tree)) {
        return kiln_tree_lack(query->tree);
    }
    KILN_ASSERT(query->placement.scale > 0);
    kiln_shape_box_form(&query->box, query->tree, &query->placement, &query->shape);
    kiln_shape_walk(query->tree, &query->box, visit_leaf, query);
    return KILN_OK;
}

/* One of both. */
typedef struct {
    const kiln_shape *plain;
    const kiln_convex *convex;
} asked_shape;

/* The query whose `take` and `user` are set. */
static kiln_status run_shape_query(shape_query *query, const kiln_tree *tree, const kiln_pose *pose,
                                   asked_shape shape, const kiln_pose *pose_shape,
                                   const kiln_query_options *options)
{
    const kiln_query_options full = kiln_query_options_of(options);
    if (tree == NULL || (shape.plain == NULL && shape.convex == NULL)) {
        return KILN_ERROR_ARGUMENT;
    }
    KILN_ASSERT(query->take != NULL);
    query->tree = tree;
    query->convex = shape.convex;
    /* The filter keeps the caller's environment, to which its calls return, and which is restored
     * at the end whatever the status. */
    query->filter = (kiln_mesh_filter){full.filter, full.filter_user, kiln_fpu_enter()};
    KILN_FPU_CALL(walk, walk_shape);
    const kiln_status status = walk(query, pose, shape.plain, pose_shape);
    kiln_fpu_leave(query->filter.caller);
    return status;
}

/* What the caller gets of a triangle that was found. */
static kiln_triangle_hit name(const kiln_tree *tree, uint32_t triangle)
{
    const kiln_triangle_hit hit = {true, triangle, kiln_tree_user(tree, triangle)};
    return hit;
}

/* --------------------------------------------------------------------------------------- any -- */

/* The first triangle that the walk finds is enough. */
static bool take_any_id(shape_query *query, uint32_t triangle)
{
    *(kiln_triangle_hit *)query->user = name(query->tree, triangle);
    return false;
}

static kiln_status overlap_any(const kiln_tree *tree, const kiln_pose *pose, asked_shape shape,
                               const kiln_pose *pose_shape, const kiln_query_options *options,
                               kiln_triangle_hit *hit)
{
    kiln_triangle_hit found = {false, 0, 0};
    shape_query query;
    if (hit == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    query.take = take_any_id;
    query.once = false;
    query.user = &found;
    const kiln_status status = run_shape_query(&query, tree, pose, shape, pose_shape, options);
    if (status == KILN_OK) {
        *hit = found;
    }
    return status;
}

kiln_status kiln_overlap_any(const kiln_tree *tree, const kiln_pose *pose, const kiln_shape *shape,
                             const kiln_pose *pose_shape, const kiln_query_options *options,
                             kiln_triangle_hit *hit)
{
    return overlap_any(tree, pose, (asked_shape){shape, NULL}, pose_shape, options, hit);
}

kiln_status kiln_convex_overlap_any(const kiln_tree *tree, const kiln_pose *pose,
                                    const kiln_convex *shape, const kiln_pose *pose_shape,
                                    const kiln_query_options *options, kiln_triangle_hit *hit)
{
    return overlap_any(tree, pose, (asked_shape){NULL, shape}, pose_shape, options, hit);
}

/* --------------------------------------------------------------------------------------- all -- */

typedef struct {
    kiln_triangle_hit *hits; /* named when all are found */
    size_t capacity;
    size_t count; /* found; the heap holds the lesser of count and capacity */
} id_heap;

/* The heap holds ids only; user values are added once it is sorted. */
static void sift_id_up(kiln_triangle_hit *heap, size_t place, uint32_t id)
{
    for (size_t parent; place > 0 && heap[parent = (place - 1) / 2].triangle < id; place = parent) {
        heap[place].triangle = heap[parent].triangle;
    }
    heap[place].triangle = id;
}

/* An id that is put at the root sinks as far as it belongs. With a size of 0 it is written to the
 * root, where the sort of overlap_all then puts the last hit. */
static void sift_id_down(kiln_triangle_hit *heap, size_t size, uint32_t id)
{
    size_t place = 0;
    for (size_t child; (child = 2 * place + 1) < size; place = child) {
        child += child + 1 < size && heap[child].triangle < heap[child + 1].triangle;
        if (id >= heap[child].triangle) {
            break;
        }
        heap[place].triangle = heap[child].triangle;
    }
    heap[place].triangle = id;
}

/* Keeps the smallest `capacity` ids; all are counted. */
static bool take_all_ids(shape_query *query, uint32_t triangle)
{
    id_heap *heap = (id_heap *)query->user;
    KILN_ASSERT(heap->capacity == 0 || heap->hits != NULL);
    if (heap->count < heap->capacity) {
        sift_id_up(heap->hits, heap->count, triangle);
    } else if (heap->capacity > 0 && triangle < heap->hits[0].triangle) {
        sift_id_down(heap->hits, heap->capacity, triangle);
    }
    heap->count++;
    return true;
}

static kiln_status overlap_all(const kiln_tree *tree, const kiln_pose *pose, asked_shape shape,
                               const kiln_pose *pose_shape, const kiln_query_options *options,
                               kiln_triangle_hit *hits, size_t capacity, size_t *count)
{
    id_heap heap = {hits, capacity, 0};
    shape_query query;
    if (count == NULL || (hits == NULL && capacity > 0)) {
        return KILN_ERROR_ARGUMENT;
    }
    query.take = take_all_ids;
    query.once = true;
    query.user = &heap;
    const kiln_status status = run_shape_query(&query, tree, pose, shape, pose_shape, options);
    if (status != KILN_OK) {
        return status;
    }
    /* The second half of heapsort: the largest id goes to the end of what is left. Values are
     * added here, once for each hit that stays, rather than on each move within the heap. */
    for (size_t size = heap.count < capacity ? heap.count : capacity; size > 0;) {
        const uint32_t largest = hits[0].triangle;
        size--;
        sift_id_down(hits, size, hits[size].triangle);
        hits[size] = name(tree, largest);
    }
    *count = heap.count;
    return KILN_OK;
}

kiln_status kiln_overlap_all(const kiln_tree *tree, const kiln_pose *pose, const kiln_shape *shape,
                             const kiln_pose *pose_shape, const kiln_query_options *options,
                             kiln_triangle_hit *hits, size_t capacity, size_t *count)
{
    return overlap_all(tree, pose, (asked_shape){shape, NULL}, pose_shape, options, hits, capacity,
                       count);
}

kiln_status kiln_convex_overlap_all(const kiln_tree *tree, const kiln_pose *pose,
                                    const kiln_convex *shape, const kiln_pose *pose_shape,
                                    const kiln_query_options *options, kiln_triangle_hit *hits,
                                    size_t capacity, size_t *count)
{
    return overlap_all(tree, pose, (asked_shape){NULL, shape}, pose_shape, options, hits, capacity,
                       count);
}

/* -------------------------------------------------------------------------------------- each -- */

typedef struct {
    kiln_triangle_callback callback;
    void *user;
    size_t count;
} triangle_caller;

/* The callback is the caller's code, so it runs in the caller's floating-point environment. */
static bool call_with_triangle(shape_query *query, uint32_t triangle)
{
    triangle_caller *caller = (triangle_caller *)query->user;
    KILN_ASSERT(caller->callback != NULL);
    const kiln_triangle_hit hit = name(query->tree, triangle);
    caller->count++;
    kiln_fpu_leave(query->filter.caller);
    const bool more = caller->callback(caller->user, &hit);
    query->filter.caller = kiln_fpu_enter();
    return more;
}

static kiln_status overlap_each(const kiln_tree *tree, const kiln_pose *pose, asked_shape shape,
                                const kiln_pose *pose_shape, const kiln_query_options *options,
                                kiln_triangle_callback callback, void *user, size_t *count)
{
    triangle_caller caller = {callback, user, 0};
    shape_query query;
    if (callback == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    query.take = call_with_triangle;
    query.once = true;
    query.user = &caller;
    const kiln_status status = run_shape_query(&query, tree, pose, shape, pose_shape, options);
    if (status == KILN_OK && count != NULL) {
        *count = caller.count;
    }
    return status;
}

kiln_status kiln_overlap_each(const kiln_tree *tree, const kiln_pose *pose, const kiln_shape *shape,
                              const kiln_pose *pose_shape, const kiln_query_options *options,
                              kiln_triangle_callback callback, void *user, size_t *count)
{
    return overlap_each(tree, pose, (asked_shape){shape, NULL}, pose_shape, options, callback, user,
                        count);
}

kiln_status kiln_convex_overlap_each(const kiln_tree *tree, const kiln_pose *pose,
                                     const kiln_convex *shape, const kiln_pose *pose_shape,
                                     const kiln_query_options *options,
                                     kiln_triangle_callback callback, void *user, size_t *count)
{
    return overlap_each(tree, pose, (asked_shape){NULL, shape}, pose_shape, options, callback, user,
                        count);
}

/* ------------------------------------------------------------------------------------ shapes -- */

kiln_status kiln_convex_from(const kiln_shape *shape, double vertices[24], kiln_convex *out)
{
    if (shape == NULL || vertices == NULL || out == NULL || shape->kind < KILN_SHAPE_BOX ||
        shape->kind > KILN_SHAPE_CAPSULE) {
        return KILN_ERROR_ARGUMENT;
    }
    const bool is_box = shape->kind == KILN_SHAPE_BOX;
    const uint32_t count = is_box ? 8 : shape->kind == KILN_SHAPE_CAPSULE ? 2 : 1;
    const double a[3] = {shape->a[0], shape->a[1], shape->a[2]};
    const double b[3] = {shape->b[0], shape->b[1], shape->b[2]};
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            const bool upper = (is_box ? i >> k & 1 : i) != 0;
            vertices[3 * i + k] = upper ? b[k] : a[k];
        }
    }
    *out = (kiln_convex){vertices, count, is_box ? 0 : shape->radius};
    return KILN_OK;
}
