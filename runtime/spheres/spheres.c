/* Robots as spheres, at many poses in one call.
 *
 * The sphere around eight of a link goes down from the root as long as one box alone may hold
 * what they meet, which is mostly nowhere or far down. There the eight are tested abreast
 * against the few boxes that are left, and from there each goes its own way, one against the
 * eight boxes of a node. Triangles that the kernel leaves open are decided as kiln_overlap_any
 * does. */
#include "../kiln_spheres.h"

#include "../../formats/assert.h"
#include "../base/fpu.h"
#include "../base/options.h"
#include "../exact/exact.h"
#include "../kernel/kernel.h"
#include "../query/query.h"
#include "../walk/shape_walk.h"
#include "ball.h"

#include <math.h>
#include <string.h>

enum { ABREAST = 8, BUNDLES = 128, CHUNK_SPHERES = 2048, CHUNKS_MOST_SPHERES = 1 << 20 };

#define SPHERE_NUMBER_MAX 1e60

typedef struct {
    const kiln_tree *tree;
    const kiln_pose *pose;
    const kiln_spheres *spheres;
    const kiln_pose *poses;
    size_t count;
    kiln_spheres_options options;
    kiln_spheres_hit *hits; /* or */
    uint8_t *meets;
    size_t chunk;   /* configurations in a task */
    bool refused;   /* a pose */
    uint64_t found; /* of `meets` */
} spheres_run;

/* Spheres of one link that follow each other, and a sphere of the link's frame around them. */
typedef struct {
    size_t first;
    uint32_t count, link;
    double middle[3], radius;
} bundle;

/* One sphere against the tree. */
typedef struct {
    const kiln_tree *tree;
    const kiln_placement *placement;
    const kiln_spheres *of;
    size_t sphere;
    kiln_mesh_filter *filter;
    kiln_triangle_hit hit;
} sphere_query;

bool kiln_tree_is_points(const kiln_tree *tree)
{
    return tree != NULL && tree->file != NULL && tree->file->view.points;
}

kiln_spheres_options kiln_spheres_options_default(void)
{
    kiln_spheres_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    return options;
}

/* ---------------------------------------------------------------------------- one sphere -- */

static kiln_shape shape_of_sphere(const kiln_spheres *of, size_t i)
{
    const kiln_shape shape = {
        KILN_SHAPE_SPHERE, {of->x[i], of->y[i], of->z[i]}, {0, 0, 0}, of->radius[i]};
    return shape;
}

/* The filter is called last, for triangles that would count. */
static bool take_ball_triangle(void *user, uint32_t stored, bool sure)
{
    sphere_query *query = (sphere_query *)user;
    const kiln_tree *tree = query->tree;
    if (!sure) {
        const kiln_shape given = shape_of_sphere(query->of, query->sphere);
        kiln_shape shape;
        const bool taken = kiln_shape_take(&given, &shape);
        KILN_ASSERT(taken);
        (void)taken;
        double corners[9];
        for (unsigned c = 0; c < 3; c++) {
            float room[3];
            kiln_transform_vertex(&query->placement->carry, kiln_tree_vertex(tree, stored, c, room),
                                  corners + 3 * c);
        }
        if (!kiln_shape_meets_triangle(&shape, corners)) {
            return true;
        }
    }
    const uint32_t id = kiln_tree_id(tree, stored);
    if (!kiln_mesh_filter_keeps(query->filter, tree, id)) {
        return true;
    }
    query->hit.found = true;
    query->hit.triangle = id;
    return false;
}

/* The node from which some balls go on, and those of its lanes below which is all that they
 * meet; 0: they meet nothing. */
static uint32_t find_start(const kiln_tree *tree, const kiln_ball_kernels *kernels,
                           const kiln_placed_ball *around, uint32_t *at)
{
    *at = 0;
    for (;;) {
        const kiln_format_node8 *node = kiln_tree_node(tree, *at);
        const uint32_t mask = kernels->lanes(tree, around, node);
        if (mask == 0) {
            return 0;
        }
        const unsigned lane = (unsigned)__builtin_ctz(mask);
        if ((mask & (mask - 1)) != 0 || (node->inner >> lane & 1) == 0) {
            return mask;
        }
        *at = kiln_node8_child(node, lane);
    }
}

/* The lanes of that node that each ball may meet. */
static void lanes_of_each(const kiln_tree *tree, const kiln_ball_kernels *kernels,
                          const kiln_placed_ball *balls, uint32_t count, uint32_t node,
                          uint32_t mask, uint32_t lanes[ABREAST])
{
    kiln_balls_abreast abreast;
    uint32_t met[8];
    memset(&abreast, 0, sizeof abreast);
    memset(lanes, 0, ABREAST * sizeof *lanes);
    for (uint32_t i = 0; i < count; i++) {
        if (!tree->view.kind->in_steps) {
            lanes[i] = kernels->lanes(tree, &balls[i], kiln_tree_node(tree, node));
        }
        for (int k = 0; k < 3; k++) {
            abreast.middle[k][i] = balls[i].middle[k];
        }
        abreast.squared[i] = balls[i].reach * balls[i].reach;
    }
    if (tree->view.kind->in_steps) {
        kernels->abreast(&abreast, kiln_tree_node(tree, node), mask, met);
        for (; mask != 0; mask &= mask - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(mask);
            for (uint32_t i = 0; i < count; i++) {
                lanes[i] |= (met[lane] >> i & 1) << lane;
            }
        }
    }
}

/* ------------------------------------------------------------------------------- bundles -- */

/* The next spheres from `first` on: up to eight of one link. What any of them meets, with the
 * margin of ball.c, the sphere around them meets with its own: the numbers of one are at most
 * twice those of the sphere around it and of the tree, and 2^-30 of the radius is more than
 * 2^-36 of it. */
static void tie_bundle(const kiln_spheres *of, size_t first, bundle *b)
{
    const double *const numbers[3] = {of->x, of->y, of->z};
    double radius = 0;
    b->first = first;
    b->count = 1;
    b->link = of->link != NULL ? of->link[first] : 0;
    while (b->count < ABREAST && first + b->count < of->count &&
           (of->link == NULL || of->link[first + b->count] == b->link)) {
        b->count++;
    }
    for (int k = 0; k < 3; k++) {
        double lower = numbers[k][first], upper = lower;
        for (uint32_t i = 1; i < b->count; i++) {
            const double at = numbers[k][first + i];
            lower = at < lower ? at : lower;
            upper = at > upper ? at : upper;
        }
        b->middle[k] = lower / 2 + upper / 2;
    }
    for (uint32_t i = 0; i < b->count; i++) {
        double squared = 0;
        for (int k = 0; k < 3; k++) {
            const double way = numbers[k][first + i] - b->middle[k];
            squared += way * way;
        }
        const double needed = sqrt(squared) + of->radius[first + i];
        radius = needed > radius ? needed : radius;
    }
    b->radius = radius * (1 + 0x1p-30);
}

/* The balls of a bundle, and the lanes of the node `start` that each may meet. */
static void form_abreast(const spheres_run *run, const kiln_ball_kernels *kernels,
                         const kiln_placed_ball_frame *frame, const bundle *b, uint32_t start,
                         uint32_t mask, kiln_placed_ball balls[ABREAST], uint32_t lanes[ABREAST])
{
    const kiln_spheres *of = run->spheres;
    for (uint32_t i = 0; i < b->count; i++) {
        const size_t sphere = b->first + i;
        const double centre[3] = {of->x[sphere], of->y[sphere], of->z[sphere]};
        kiln_placed_ball_form(&balls[i], frame, centre, of->radius[sphere]);
    }
    lanes_of_each(run->tree, kernels, balls, b->count, start, mask, lanes);
}

static bool take_shape_leaf(void *user, uint32_t first, uint32_t count)
{
    sphere_query *query = (sphere_query *)user;
    for (uint32_t i = 0; i < count; i++) {
        if (!take_ball_triangle(query, kiln_tree_triangle(query->tree, first + i), false)) {
            return false;
        }
    }
    return true;
}

/* One sphere as kiln_overlap_any asks it: where poses are no rotations with a scale, it is no
 * ball in the tree's frame. */
static void walk_as_shape(sphere_query *query)
{
    const kiln_shape given = shape_of_sphere(query->of, query->sphere);
    kiln_shape shape;
    kiln_shape_box box;
    if (kiln_shape_take(&given, &shape)) {
        kiln_shape_box_form(&box, query->tree, query->placement, &shape);
        kiln_shape_walk(query->tree, &box, take_shape_leaf, query);
    }
}

/* The bits of those spheres of a bundle that meet the tree; with `any` of the first of them alone,
 * whose triangle is then in *hit. */
static uint32_t meet_bundle(const spheres_run *run, const kiln_placed_ball_frame *frame,
                            const bundle *b, bool any, kiln_mesh_filter *filter,
                            kiln_triangle_hit *hit)
{
    const kiln_spheres *of = run->spheres;
    const kiln_ball_kernels *kernels = kiln_kernel_active()->balls;
    kiln_placed_ball balls[ABREAST];
    sphere_query query;
    uint32_t found = 0, start = 0, lanes[ABREAST];
    const bool affine = frame->placement->affine;
    if (!affine) {
        kiln_placed_ball_form(&balls[0], frame, b->middle, b->radius);
        const uint32_t mask = find_start(run->tree, kernels, &balls[0], &start);
        if (mask == 0) {
            return 0;
        }
        form_abreast(run, kernels, frame, b, start, mask, balls, lanes);
    }
    query.tree = run->tree;
    query.placement = frame->placement;
    query.of = of;
    query.filter = filter;
    for (uint32_t i = 0; i < b->count && !(any && found != 0); i++) {
        query.sphere = b->first + i;
        query.hit.found = false;
        if (affine) {
            walk_as_shape(&query);
        } else if (lanes[i] != 0) {
            (void)kernels->walk(run->tree, &balls[i], start, lanes[i], take_ball_triangle, &query);
        }
        found |= (uint32_t)query.hit.found << i;
    }
    *hit = query.hit;
    return found;
}

/* ------------------------------------------------------------------------ configurations -- */

/* What a task keeps: the first bundles, which serve all its configurations; those behind them are
 * tied in each. */
typedef struct {
    bundle bundles[BUNDLES];
    uint32_t count;
    uint64_t found;
} spheres_task;

/* All spheres in one configuration. False: a pose is refused. */
static bool meet_configuration(spheres_run *run, spheres_task *task, size_t configuration,
                               kiln_mesh_filter *filter)
{
    const kiln_spheres *of = run->spheres;
    const bool any = run->hits != NULL;
    kiln_spheres_hit answer = {false, 0, 0, 0};
    uint32_t placed = KILN_NO_INDEX, next = 0;
    kiln_placement placement;
    kiln_placed_ball_frame frame;
    for (size_t i = 0; i < of->count && !answer.found;) {
        bundle own;
        const bundle *b = &own;
        if (next < task->count) {
            b = &task->bundles[next++];
        } else {
            tie_bundle(of, i, &own);
        }
        KILN_ASSERT(b->first == i);
        if (b->link != placed) {
            const kiln_pose *pose =
                run->poses != NULL ? run->poses + configuration * of->link_count + b->link : NULL;
            if (kiln_placement_between_any(&placement, pose, run->pose) != KILN_OK) {
                return false;
            }
            frame.placement = &placement;
            if (!placement.affine) {
                kiln_placed_ball_frame_form(&frame, run->tree, &placement);
            }
            placed = b->link;
        }
        kiln_triangle_hit hit = {false, 0, 0}; /* compilers can't see that it is set where needed */
        const uint32_t met = meet_bundle(run, &frame, b, any, filter, &hit);
        for (uint32_t k = 0; !any && k < b->count; k++) {
            run->meets[configuration * of->count + i + k] = (uint8_t)(met >> k & 1);
        }
        task->found += (uint64_t)__builtin_popcount(met);
        if (any && met != 0) {
            answer.found = true;
            answer.sphere = (uint32_t)i + (uint32_t)__builtin_ctz(met);
            answer.triangle = hit.triangle;
            answer.value = kiln_tree_user(run->tree, hit.triangle);
        }
        i += b->count;
    }
    if (any) {
        run->hits[configuration] = answer;
    }
    return true;
}

/* ------------------------------------------------------------------------------- running -- */

static void run_configurations(spheres_run *run, size_t from, size_t to, kiln_mesh_filter *filter)
{
    spheres_task task;
    task.count = 0;
    task.found = 0;
    for (size_t i = 0; i < run->spheres->count && task.count < BUNDLES;) {
        bundle *b = &task.bundles[task.count++];
        tie_bundle(run->spheres, i, b);
        i += b->count;
    }
    for (size_t i = from; i < to && !__atomic_load_n(&run->refused, __ATOMIC_RELAXED); i++) {
        if (!meet_configuration(run, &task, i, filter)) {
            __atomic_store_n(&run->refused, true, __ATOMIC_RELAXED);
        }
    }
    __atomic_fetch_add(&run->found, task.found, __ATOMIC_RELAXED);
}

/* Each task enters the environment of queries on its own thread. */
static void run_spheres_chunk(void *context, uint32_t index)
{
    spheres_run *run = (spheres_run *)context;
    const size_t from = (size_t)index * run->chunk, left = run->count - from;
    kiln_mesh_filter filter = {run->options.filter, run->options.filter_user, kiln_fpu_enter()};
    KILN_FPU_CALL(call, run_configurations);
    call(run, from, from + (left < run->chunk ? left : run->chunk), &filter);
    kiln_fpu_leave(filter.caller);
}

/* Comparisons of doubles take the environment of queries, too. */
static kiln_status check_spheres(const kiln_spheres *of)
{
    for (size_t i = 0; i < of->count; i++) {
        const bool sound = fabs(of->x[i]) <= SPHERE_NUMBER_MAX &&
                           fabs(of->y[i]) <= SPHERE_NUMBER_MAX &&
                           fabs(of->z[i]) <= SPHERE_NUMBER_MAX && of->radius[i] >= 0 &&
                           of->radius[i] <= SPHERE_NUMBER_MAX;
        if (!sound || (of->link != NULL && of->link[i] >= of->link_count)) {
            return KILN_ERROR_ARGUMENT;
        }
    }
    return KILN_OK;
}

static bool poses_are_served(const spheres_run *run)
{
    const size_t poses = run->poses != NULL ? run->count * run->spheres->link_count : 0;
    bool served = run->pose == NULL || kiln_pose_is_served(run->pose);
    for (size_t i = 0; i < poses && served; i++) {
        served = kiln_pose_is_served(&run->poses[i]);
    }
    return served;
}

static kiln_status run_spheres(spheres_run *run, const kiln_spheres_options *options)
{
    const kiln_spheres *of = run->spheres;
    run->options = kiln_spheres_options_default();
    kiln_options_take(&run->options, sizeof run->options, options);
    if (run->tree == NULL || of == NULL || of->link_count == 0 || of->count > UINT32_MAX ||
        (of->count != 0 &&
         (of->x == NULL || of->y == NULL || of->z == NULL || of->radius == NULL)) ||
        (of->count != 0 && run->count > SIZE_MAX / of->count) ||
        run->count > SIZE_MAX / sizeof(kiln_pose) / of->link_count) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(check, check_spheres);
    const kiln_status status = check(of);
    kiln_fpu_leave(caller);
    if (status != KILN_OK) {
        return status;
    }
    if (!kiln_tree_has_polygons(run->tree)) {
        return kiln_tree_lack(run->tree);
    }
    const kiln_fpu_state again = kiln_fpu_enter();
    KILN_FPU_CALL(look, poses_are_served);
    const bool served = look(run);
    kiln_fpu_leave(again);
    if (!served) {
        return KILN_ERROR_POSE;
    }
    const size_t wanted = CHUNK_SPHERES / (of->count != 0 ? of->count : 1) + 1;
    const size_t least = run->count / CHUNKS_MOST_SPHERES + 1;
    run->chunk = wanted > least ? wanted : least;
    const uint32_t chunks = (uint32_t)((run->count + run->chunk - 1) / run->chunk);
    if (run->options.parallel != NULL && chunks > 1) {
        run->options.parallel(run->options.parallel_user, run_spheres_chunk, run, chunks);
    } else {
        for (uint32_t i = 0; i < chunks; i++) {
            run_spheres_chunk(run, i);
        }
    }
    return run->refused ? KILN_ERROR_POSE : KILN_OK;
}

kiln_status kiln_spheres_any(const kiln_tree *tree, const kiln_pose *pose,
                             const kiln_spheres *spheres, const kiln_pose *poses, size_t count,
                             const kiln_spheres_options *options, kiln_spheres_hit *hits)
{
    spheres_run run;
    if (hits == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    memset(&run, 0, sizeof run);
    run.tree = tree;
    run.pose = pose;
    run.spheres = spheres;
    run.poses = poses;
    run.count = count;
    run.hits = hits;
    return run_spheres(&run, options);
}

kiln_status kiln_spheres_each(const kiln_tree *tree, const kiln_pose *pose,
                              const kiln_spheres *spheres, const kiln_pose *poses, size_t count,
                              const kiln_spheres_options *options, uint8_t *meets, uint64_t *found)
{
    spheres_run run;
    if (meets == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    memset(&run, 0, sizeof run);
    run.tree = tree;
    run.pose = pose;
    run.spheres = spheres;
    run.poses = poses;
    run.count = count;
    run.meets = meets;
    const kiln_status status = run_spheres(&run, options);
    if (status == KILN_OK && found != NULL) {
        *found = run.found;
    }
    return status;
}
