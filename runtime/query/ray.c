/* Rays: the closest hit, any, all.
 *
 * The ray is brought into the tree's own frame (pose/line.h), where the stored vertices are
 * exact; the walk visits the triangles whose boxes it may pass, front to back, and
 * kiln_line_meets_triangle decides each. What becomes of a hit is the `take` of the query: the
 * closest lowers the limit of the walk, any ends it, all go into a buffer. There the first
 * `capacity` in canonical order are kept in a heap in the caller's own buffer, as contacts.c
 * does with pairs, so that no query allocates. */
#include "../pose/line.h"
#include "../walk/line_walk.h"
#include "../../formats/assert.h"
#include "../../formats/vector.h"
#include "query.h"

#include <math.h>
#include <string.h>

/* A segment: t runs from 0 at the first point to 1 at the second. */
static kiln_ray ray_between(const double from[3], const double to[3])
{
    kiln_ray ray;
    for (int k = 0; k < 3; k++) {
        ray.origin[k] = from[k];
        ray.direction[k] = to[k] - from[k];
    }
    ray.t_min = 0;
    ray.t_max = 1;
    return ray;
}

kiln_ray kiln_ray_between(const double from[3], const double to[3])
{
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, ray_between);
    const kiln_ray ray = run(from, to);
    kiln_fpu_leave(caller);
    return ray;
}

typedef struct ray_query ray_query;

typedef struct one_hit {
    bool found;
    kiln_found_hit best;
    kiln_ray_hit *out;
} one_hit;

struct ray_query {
    const kiln_tree *tree;
    const kiln_placement *placement;
    kiln_placement posed; /* it, where there is a pose */
    kiln_line line;
    kiln_cull cull;
    kiln_mesh_filter filter;
    bool (*take)(ray_query *query, const kiln_found_hit *hit); /* false: enough */
    bool once;    /* `take` names every hit, so that none may come twice; it lowers no limit */
    double limit; /* no hit of a larger t is wanted; `take` may lower it */
    void *user;   /* what `take` fills */
    /* Where it is not NULL, one hit is wanted, which `take` keeps here: any, or the first. */
    struct one_hit *one;
    bool any;
};

/* --------------------------------------------------------------------------------- the walk -- */

/* One triangle whose box the ray may pass. The filter is called last, for hits that would count. */
static bool visit_ray_triangle(void *user, kiln_slab_ray *ray, uint32_t slot, uint32_t stored)
{
    ray_query *query = (ray_query *)user;
    const kiln_tree *tree = query->tree;
    const double limit = query->limit;
    KILN_ASSERT(query->placement->scale > 0);
    kiln_found_hit hit;
    double corners[9];
    kiln_tree_stored_corners(tree, stored, corners);
    if (!kiln_line_meets_triangle(&query->line, corners, &hit.at)) {
        return true;
    }
    if (query->placement->mirrors && hit.at.side != KILN_SIDE_EDGE) {
        hit.at.side = hit.at.side == KILN_SIDE_FRONT ? KILN_SIDE_BACK : KILN_SIDE_FRONT;
    }
    if ((query->cull == KILN_CULL_BACK && hit.at.side == KILN_SIDE_BACK) ||
        (query->cull == KILN_CULL_FRONT && hit.at.side == KILN_SIDE_FRONT)) {
        return true;
    }
    if (query->once && !kiln_line_walk_is_first(tree, ray, slot)) {
        return true;
    }
    /* The line runs in the tree's own space, whose unit is `scale` units of the caller: t is the
     * caller's from here on, and the limit is divided by the scale for the walk. */
    hit.at.t *= query->placement->scale;
    hit.stored = stored;
    hit.has_normal = false;
    if (kiln_mesh_filter_keeps(&query->filter, tree, kiln_tree_id(tree, stored)) &&
        !query->take(query, &hit)) {
        return false;
    }
    if (query->limit < limit) {
        kiln_slab_ray_cut(ray, query->limit / query->placement->scale);
    }
    return true;
}

/* Is one hit wanted, of whatever triangle and side, and can the walk for that find it? It knows no
 * mirrors. */
static bool is_plain(const ray_query *query)
{
    return query->one != NULL && query->filter.call == NULL && query->cull == KILN_CULL_NONE &&
           !query->placement->mirrors && kiln_line_finds(query->tree, query->any);
}

/* Forms the placement, the line and the slabs in this order, since each needs the one before. A
 * ray that misses the box of the whole tree has no slabs, which is no error: it has no hit. */
static kiln_status walk_ray(ray_query *query, const kiln_pose *pose, const kiln_ray *ray)
{
    kiln_slab_ray slabs;
    kiln_status status = KILN_OK;
    query->placement = &kiln_placement_identity;
    if (pose != NULL) {
        query->placement = &query->posed;
        status = kiln_placement_form_any(&query->posed, pose);
    }
    if (status == KILN_OK) {
        status = kiln_line_form(&query->line, query->placement, ray);
    }
    if (status == KILN_OK && !kiln_tree_has_polygons(query->tree)) {
        status = kiln_tree_lack(query->tree);
    }
    if (status == KILN_OK && kiln_slab_ray_form(&slabs, query->tree, &query->line, 0)) {
        if (is_plain(query)) {
            query->one->found = kiln_line_find(query->tree, &slabs, query->placement->scale,
                                               query->any, &query->one->best);
        } else {
            kiln_line_walk(query->tree, &slabs, true, visit_ray_triangle, query);
        }
    }
    return status;
}

/* The query whose `take` and `user` are set. `finish`, where there is one, runs at the end of a
 * walk, still in the environment of queries. */
static kiln_status run_ray_query(ray_query *query, const kiln_tree *tree, const kiln_pose *pose,
                                 const kiln_ray *ray, const kiln_query_options *options,
                                 void (*finish)(ray_query *query))
{
    kiln_query_options full = {.struct_size = sizeof full};
    if (options != NULL) {
        full = kiln_query_options_of(options);
    }
    if (tree == NULL || ray == NULL || (unsigned)full.cull > KILN_CULL_FRONT) {
        return KILN_ERROR_ARGUMENT;
    }
    KILN_ASSERT(query->take != NULL);
    query->tree = tree;
    query->cull = full.cull;
    query->limit = HUGE_VAL;
    query->filter = (kiln_mesh_filter){full.filter, full.filter_user, kiln_fpu_enter()};
    KILN_FPU_CALL(walk, walk_ray);
    const kiln_status status = walk(query, pose, ray);
    if (status == KILN_OK && finish != NULL) {
        finish(query);
    }
    kiln_fpu_leave(query->filter.caller);
    return status;
}

/* --------------------------------------------------------------------------------- the hit -- */

static inline kiln_vector hit_corner(const float *v)
{
    return (kiln_vector){{(double)v[0], (double)v[1], (double)v[2]}};
}

static inline kiln_vector edge_between(kiln_vector a, kiln_vector b)
{
    return kiln_vector_between(b.x, a.x);
}

/* Its largest coordinate in magnitude. */
static inline double largest_of(kiln_vector v)
{
    return kiln_larger(kiln_larger(fabs(v.x[0]), fabs(v.x[1])), fabs(v.x[2]));
}

/* What the walk knows of a hit, read number by number, as it is written by parts. */
static void fill_brief(const kiln_tree *tree, const kiln_found_hit *hit, kiln_ray_hit *out)
{
    out->found = true;
    out->triangle = kiln_tree_id(tree, hit->stored);
    out->side = hit->at.side;
    out->t = hit->at.t;
    for (int k = 0; k < 3; k++) {
        double weight = hit->at.weights[k];
        KILN_LOAD_BY_ITSELF(weight);
        out->weights[k] = weight;
    }
}

/* The normal has length 1 and is carried with the rotation; edges are scaled first, so that no
 * square of theirs over- or underflows. */
static void fill_hit_normal(const kiln_tree *tree, const kiln_placement *placement,
                            const kiln_found_hit *hit, double out[3])
{
    const float *place[3];
    float room[10];
    kiln_tree_corner_places(tree, hit->stored, place, room);
    const kiln_vector a = hit_corner(place[0]);
    kiln_vector ab = edge_between(a, hit_corner(place[1]));
    kiln_vector ac = edge_between(a, hit_corner(place[2]));
    const double largest = kiln_larger(largest_of(ab), largest_of(ac));
    const double scale = largest > 0 ? 1 / largest : 0;
    double square = 0, normal[3];
    for (int k = 0; k < 3; k++) {
        ab.x[k] *= scale;
        ac.x[k] *= scale;
    }
    const kiln_vector own = kiln_vector_cross(ab, ac);
    for (int k = 0; k < 3; k++) {
        square += own.x[k] * own.x[k];
    }
    const double shorten = square > 0 ? 1 / sqrt(square) : 0;
    if (placement->affine) {
        kiln_placement_normal(placement, own.x, out);
        return;
    }
    kiln_matrix_apply(placement->carry.rotation, own.x, normal);
    for (int k = 0; k < 3; k++) {
        out[k] = normal[k] * shorten;
    }
}

/* All of a hit. */
static void fill_hit(const kiln_tree *tree, const kiln_placement *placement,
                     const kiln_found_hit *hit, kiln_ray_hit *out)
{
    memset(out, 0, sizeof *out);
    fill_brief(tree, hit, out);
    out->value = kiln_tree_user(tree, out->triangle);
    if (hit->has_normal) {
        memcpy(out->normal, hit->normal, sizeof out->normal);
    } else {
        fill_hit_normal(tree, placement, hit, out->normal);
    }
}

/* --------------------------------------------------------------------------- closest and any -- */

/* Hits at the same t are decided by their sides, then by ids, so that the answer does not depend on
 * the order of the walk. Where t rounds to the same on both faces of something thin, a ray from
 * outside meets the front first. The limit is lowered to t itself, which keeps hits at the same t
 * in reach. */
static bool take_closest(ray_query *query, const kiln_found_hit *hit)
{
    one_hit *one = (one_hit *)query->user;
    const kiln_tree *tree = query->tree;
    if (!one->found || kiln_hit_comes_first(
                           hit->at.t, hit->at.side, kiln_tree_id(tree, hit->stored), one->best.at.t,
                           one->best.at.side, kiln_tree_id(tree, one->best.stored))) {
        one->found = true;
        one->best = *hit;
        query->limit = hit->at.t;
    }
    return true;
}

/* The first hit that the walk finds, which need not be the closest. */
static bool take_any_hit(ray_query *query, const kiln_found_hit *hit)
{
    one_hit *one = (one_hit *)query->user;
    one->found = true;
    one->best = *hit;
    return false;
}

/* Without a hit *out is all zeros, whose `found` is false; this happens only if the walk
 * succeeded. */
static void fill_one(ray_query *query)
{
    one_hit *one = (one_hit *)query->user;
    if (one->found) {
        fill_hit(query->tree, query->placement, &one->best, one->out);
    } else {
        memset(one->out, 0, sizeof *one->out);
    }
}

/* What is told of a hit: all, all but its value and normal, or nothing. */
typedef enum { TELL_ALL, TELL_BRIEF, TELL_NONE } tell_of_hit;

/* One hit of a tree that is where it is, in the environment of queries. */
static kiln_status ask_one(const kiln_tree *tree, const kiln_ray *ray, bool any, tell_of_hit tell,
                           kiln_ray_hit *out)
{
    kiln_found_hit hit;
    const int met =
        kiln_line_ask(tree, ray, any, tell == TELL_ALL, tell != TELL_NONE ? &hit : NULL);
    if (met > 0 && tell == TELL_ALL) {
        fill_hit(tree, &kiln_placement_identity, &hit, out);
    } else if (met >= 0) {
        memset(out, 0, sizeof *out);
        out->found = met > 0;
    }
    if (met > 0 && tell == TELL_BRIEF) {
        fill_brief(tree, &hit, out);
    }
    return met >= 0 ? KILN_OK : KILN_ERROR_ARGUMENT;
}

/* All queries for a single hit differ only in `take`, which says when the walk may end, and in what
 * is told. */
static kiln_status find_one(const kiln_tree *tree, const kiln_pose *pose, const kiln_ray *ray,
                            const kiln_query_options *options, tell_of_hit tell, kiln_ray_hit *hit,
                            bool (*take)(ray_query *, const kiln_found_hit *))
{
    one_hit one;
    ray_query query;
    const bool any = take == take_any_hit;
    if (hit == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    if (options == NULL && pose == NULL && tree != NULL && ray != NULL &&
        kiln_tree_has_polygons(tree) && kiln_line_finds(tree, any)) {
        const kiln_fpu_state caller = kiln_fpu_enter();
        KILN_FPU_CALL(ask, ask_one);
        const kiln_status status = ask(tree, ray, any, tell, hit);
        kiln_fpu_leave(caller);
        return status;
    }
    one.found = false;
    one.out = hit;
    query.take = take;
    query.once = false; /* a hit that is found again changes nothing */
    query.user = query.one = &one;
    query.any = any;
    const kiln_status status = run_ray_query(&query, tree, pose, ray, options, fill_one);
    if (status == KILN_OK && tell == TELL_BRIEF) {
        memset(hit->normal, 0, sizeof hit->normal);
        hit->value = 0;
    }
    return status;
}

kiln_status kiln_ray_closest(const kiln_tree *tree, const kiln_pose *pose, const kiln_ray *ray,
                             const kiln_query_options *options, kiln_ray_hit *hit)
{
    return find_one(tree, pose, ray, options, TELL_ALL, hit, take_closest);
}

kiln_status kiln_ray_any(const kiln_tree *tree, const kiln_pose *pose, const kiln_ray *ray,
                         const kiln_query_options *options, kiln_ray_hit *hit)
{
    return find_one(tree, pose, ray, options, TELL_ALL, hit, take_any_hit);
}

kiln_status kiln_ray_meets(const kiln_tree *tree, const kiln_pose *pose, const kiln_ray *ray,
                           const kiln_query_options *options, bool *meets)
{
    kiln_ray_hit hit;
    if (meets == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_status status = find_one(tree, pose, ray, options, TELL_NONE, &hit, take_any_hit);
    if (status == KILN_OK) {
        *meets = hit.found;
    }
    return status;
}

kiln_status kiln_ray_closest_brief(const kiln_tree *tree, const kiln_pose *pose,
                                   const kiln_ray *ray, const kiln_query_options *options,
                                   kiln_ray_hit *hit)
{
    return find_one(tree, pose, ray, options, TELL_BRIEF, hit, take_closest);
}

/* ------------------------------------------------------------------------------------- all -- */

typedef struct {
    kiln_ray_hit *hits;
    size_t capacity;
    size_t count; /* found; the heap holds the lesser of count and capacity */
} hit_heap;

static bool hit_is_less(const kiln_ray_hit *p, const kiln_ray_hit *q)
{
    return kiln_hit_comes_first(p->t, p->side, p->triangle, q->t, q->side, q->triangle);
}

/* The heap's two halves: a hit at `place` rises as far as it belongs, or one at the root sinks. */
static void sift_hit_up(kiln_ray_hit *heap, size_t place, const kiln_ray_hit *hit)
{
    while (place > 0) {
        const size_t parent = (place - 1) / 2;
        if (!hit_is_less(&heap[parent], hit)) {
            break;
        }
        heap[place] = heap[parent];
        place = parent;
    }
    heap[place] = *hit;
}

/* A hit that is put at the root sinks as far as it belongs. */
static void sift_hit_down(kiln_ray_hit *heap, size_t size, const kiln_ray_hit *hit)
{
    size_t place = 0;
    KILN_ASSERT(size > 0);
    for (size_t child; (child = 2 * place + 1) < size; place = child) {
        if (child + 1 < size && hit_is_less(&heap[child], &heap[child + 1])) {
            child++;
        }
        if (!hit_is_less(hit, &heap[child])) {
            break;
        }
        heap[place] = heap[child];
    }
    heap[place] = *hit;
}

/* Keeps the first `capacity` hits in canonical order; all are counted. */
static bool take_all_hits(ray_query *query, const kiln_found_hit *hit)
{
    hit_heap *heap = (hit_heap *)query->user;
    kiln_ray_hit full;
    KILN_ASSERT(heap->capacity == 0 || heap->hits != NULL);
    if (heap->count < heap->capacity) {
        fill_hit(query->tree, query->placement, hit, &full);
        sift_hit_up(heap->hits, heap->count, &full);
    } else if (heap->capacity > 0) {
        /* The heap is full: only what the order needs is filled in, as most hits are dropped here
         * and their normals would be computed for nothing. */
        full.t = hit->at.t;
        full.side = hit->at.side;
        full.triangle = kiln_tree_id(query->tree, hit->stored);
        if (hit_is_less(&full, &heap->hits[0])) {
            fill_hit(query->tree, query->placement, hit, &full);
            sift_hit_down(heap->hits, heap->capacity, &full);
        }
    }
    heap->count++;
    return true;
}

/* The second half of heapsort: the largest hit goes to the end, again and again. */
static void sort_hits(ray_query *query)
{
    hit_heap *heap = (hit_heap *)query->user;
    size_t size = heap->count < heap->capacity ? heap->count : heap->capacity;
    KILN_ASSERT(size == 0 || heap->hits != NULL);
    while (size > 1) {
        const kiln_ray_hit largest = heap->hits[0], last = heap->hits[--size];
        sift_hit_down(heap->hits, size, &last);
        heap->hits[size] = largest;
    }
}

kiln_status kiln_ray_all(const kiln_tree *tree, const kiln_pose *pose, const kiln_ray *ray,
                         const kiln_query_options *options, kiln_ray_hit *hits, size_t capacity,
                         size_t *count)
{
    ray_query query;
    hit_heap heap = {hits, capacity, 0};
    if (count == NULL || (hits == NULL && capacity > 0)) {
        return KILN_ERROR_ARGUMENT;
    }
    query.take = take_all_hits;
    query.once = true;
    query.user = &heap;
    query.one = NULL;
    const kiln_status status = run_ray_query(&query, tree, pose, ray, options, sort_hits);
    if (status == KILN_OK) {
        *count = heap.count;
    }
    return status;
}

typedef struct {
    kiln_ray_callback callback;
    void *user;
    size_t count;
} hit_caller;

/* The callback is the caller's code, so it runs in the caller's floating-point environment. */
static bool call_with_hit(ray_query *query, const kiln_found_hit *hit)
{
    hit_caller *caller = (hit_caller *)query->user;
    KILN_ASSERT(caller->callback != NULL);
    kiln_ray_hit full;
    fill_hit(query->tree, query->placement, hit, &full);
    caller->count++;
    kiln_fpu_leave(query->filter.caller);
    const bool more = caller->callback(caller->user, &full);
    query->filter.caller = kiln_fpu_enter();
    return more;
}

kiln_status kiln_ray_each(const kiln_tree *tree, const kiln_pose *pose, const kiln_ray *ray,
                          const kiln_query_options *options, kiln_ray_callback callback, void *user,
                          size_t *count)
{
    ray_query query;
    hit_caller caller = {callback, user, 0};
    if (callback == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    query.take = call_with_hit;
    query.once = true;
    query.user = &caller;
    query.one = NULL;
    const kiln_status status = run_ray_query(&query, tree, pose, ray, options, NULL);
    if (status == KILN_OK && count != NULL) {
        *count = caller.count;
    }
    return status;
}
