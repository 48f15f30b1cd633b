/* Interruptible queries: memory, options, what an answer says, and volumes as contacts. The walk is
 * frontier_walk.c.
 *
 * The time-critical contacts are those of P. Hubbard (IEEE TVCG 1(3), 1995) and of J. Dingliana and
 * C. O'Sullivan, "Graceful Degradation of Collision Handling in Physically Based Animation",
 * Computer Graphics Forum 19(3), 2000: a contact of two volumes where these overlap. They have
 * spheres, whose contact is on the line of centres; here the volumes are boxes of any kind, and the
 * normal is the separating axis of least overlap (Gottschalk, Lin and Manocha, "OBBTree", SIGGRAPH
 * 1996). */
#include "../../formats/assert.h"
#include "../../formats/vector.h"
#include "../base/deadline.h"
#include "../base/caller_memory.h"
#include "../base/options.h"
#include "../pose/world.h"
#include "../walk/frontier_walk.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { INTERRUPTIBLE_ALIGNMENT = 64, WAITING_MAX = 1 << 24 };

/* Lengths of contacts are raised by this: poses may depart by 1e-6 from orthonormal, and roundings
 * of these sums of doubles are far below it. */
#define OUTWARD (1 + 0x1p-18)

struct kiln_interruptible {
    kiln_frontier_walk walk;
    kiln_pair_callback visit;
    void *visit_user;
    kiln_pair_filter_bound filter;
    uint64_t (*clock)(void *user);
    void *clock_user;
    kiln_pose pose_x; /* the frame of comparison to that of the caller */
    bool has_pose_x;
    uint64_t found;
    kiln_pair pair;
    kiln_fpu_state caller;
    uint32_t room; /* pairs, those of the stack included */
    bool begun;
};

/* ------------------------------------------------------------------------------------ memory -- */

static size_t own_bytes(void)
{
    return (sizeof(kiln_interruptible) + INTERRUPTIBLE_ALIGNMENT - 1) / INTERRUPTIBLE_ALIGNMENT *
           INTERRUPTIBLE_ALIGNMENT;
}

static uint32_t stack_room(const kiln_tree *a, const kiln_tree *b)
{
    return kiln_frontier_stack_room(a->view.entry->depth + b->view.entry->depth);
}

size_t kiln_interruptible_size(const kiln_tree *a, const kiln_tree *b, uint32_t waiting)
{
    if (a == NULL || b == NULL || waiting > WAITING_MAX) {
        return 0;
    }
    return own_bytes() + ((size_t)stack_room(a, b) + waiting) * sizeof(kiln_frontier_pair) +
           INTERRUPTIBLE_ALIGNMENT - 1;
}

kiln_status kiln_interruptible_place(void *memory, size_t size, kiln_interruptible **out)
{
    if (out == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    *out = NULL;
    const size_t skip = kiln_memory_skip(memory, INTERRUPTIBLE_ALIGNMENT);
    const size_t least = kiln_frontier_stack_room(2) * sizeof(kiln_frontier_pair);
    if (memory == NULL || size < skip + own_bytes() + least) {
        return KILN_ERROR_ARGUMENT;
    }
    uint8_t *start = (uint8_t *)memory + skip;
    const size_t room = (size - skip - own_bytes()) / sizeof(kiln_frontier_pair);
    const size_t most = WAITING_MAX + kiln_frontier_stack_room(2 * KILN_TREE_DEPTH_MAX);
    kiln_interruptible *query = (kiln_interruptible *)(void *)start;
    query->begun = false;
    query->walk.pairs = (kiln_frontier_pair *)(void *)(start + own_bytes());
    query->room = (uint32_t)(room < most ? room : most);
    *out = query;
    return KILN_OK;
}

/* --------------------------------------------------------------------------------- beginning -- */

kiln_interruptible_options kiln_interruptible_options_default(void)
{
    kiln_interruptible_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.order = KILN_ORDER_BREADTH_FIRST;
    return options;
}

/* A pair of triangles meets. The caller's function runs in the caller's environment. */
static bool take_meeting(void *user, const kiln_pair_frame *frame, uint32_t x, uint32_t y)
{
    kiln_interruptible *query = (kiln_interruptible *)user;
    const kiln_pair pair = kiln_pair_named(frame, x, y);
    if (query->found++ == 0) {
        query->pair = pair;
    }
    if (query->visit == NULL) {
        return false;
    }
    const kiln_fpu_state ours = kiln_fpu_enter();
    kiln_fpu_leave(query->caller);
    const bool goes_on = query->visit(query->visit_user, pair);
    kiln_fpu_leave(ours);
    return goes_on;
}

/* In the environment of fpu.h, which the caller has entered. */
static kiln_status begin_frontier(kiln_interruptible *query, const kiln_tree *a,
                                  const kiln_pose *pose_a, const kiln_tree *b,
                                  const kiln_pose *pose_b,
                                  const kiln_interruptible_options *options)
{
    kiln_frontier_walk *walk = &query->walk;
    if (a == NULL || b == NULL || (unsigned)options->order > KILN_ORDER_BEST_FIRST) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_status status =
        kiln_pair_frame_relate_any_polygons(&walk->frame, a, pose_a, b, pose_b);
    if (status != KILN_OK) {
        return status;
    }
    if (stack_room(a, b) > query->room) {
        return KILN_ERROR_ARGUMENT;
    }
    kiln_pair_frame_order_same(&walk->frame);
    const kiln_pose *pose_x = kiln_pair_frame_world(&walk->frame, pose_a, pose_b);
    query->has_pose_x = pose_x != NULL;
    if (pose_x != NULL) {
        query->pose_x = *pose_x;
    }
    query->visit = options->visit;
    query->visit_user = options->visit_user;
    query->clock = options->clock;
    query->clock_user = options->clock_user;
    query->found = 0;
    query->pair = (kiln_pair){0, 0, 0, 0};
    kiln_pair_options pairs = kiln_pair_options_default();
    pairs.filter = options->filter;
    pairs.filter_user = options->filter_user;
    walk->visitor = (kiln_pair_visitor){take_meeting,
                                        query,
                                        options->visit == NULL,
                                        false,
                                        kiln_pair_filter_bind(&pairs, &query->filter),
                                        NULL};
    walk->order = options->order;
    walk->shared = query->room - stack_room(a, b);
    query->begun = true;
    if (!kiln_roots_may_meet(&walk->frame)) {
        walk->heap = walk->aside = walk->stack = 0;
        walk->steps = walk->deepest = 0;
        walk->full = false;
        walk->state = KILN_FRONTIER_DONE;
        return KILN_OK;
    }
    kiln_pair_frame_form_maps(&walk->frame);
    kiln_frontier_begin(walk);
    return KILN_OK;
}

kiln_status kiln_interruptible_begin(kiln_interruptible *query, const kiln_tree *a,
                                     const kiln_pose *pose_a, const kiln_tree *b,
                                     const kiln_pose *pose_b,
                                     const kiln_interruptible_options *options)
{
    if (query == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    query->begun = false;
    kiln_interruptible_options full = kiln_interruptible_options_default();
    kiln_options_take(&full, sizeof full, options);
    query->caller = kiln_fpu_enter();
    KILN_FPU_CALL(go, begin_frontier);
    const kiln_status status = go(query, a, pose_a, b, pose_b, &full);
    kiln_fpu_leave(query->caller);
    return status;
}

/* ----------------------------------------------------------------------------------- running -- */

static kiln_deadline time_of(const kiln_interruptible *query, uint64_t nanoseconds)
{
    return kiln_deadline_after(nanoseconds, query->clock, query->clock_user, query->caller);
}

static void run_one(kiln_interruptible *query, uint32_t level, uint64_t steps, uint64_t nanoseconds)
{
    const kiln_deadline due = time_of(query, nanoseconds);
    kiln_frontier_run(&query->walk, level, steps, kiln_deadline_check(&due), &due);
}

kiln_status kiln_interruptible_run(kiln_interruptible *query, uint32_t level, uint64_t steps,
                                   uint64_t nanoseconds)
{
    if (query == NULL || !query->begun) {
        return KILN_ERROR_ARGUMENT;
    }
    query->caller = query->filter.caller = kiln_fpu_enter();
    KILN_FPU_CALL(go, run_one);
    go(query, level, steps, nanoseconds);
    kiln_fpu_leave(query->caller);
    return KILN_OK;
}

/* No pair is deeper than both trees together. The last round is of the caller's own level: where
 * that is none, it also takes what the rounds before had no room for. */
static void run_levels(kiln_interruptible *const queries[], size_t count, uint32_t level,
                       uint64_t steps, uint64_t nanoseconds)
{
    const kiln_deadline due = time_of(queries[0], nanoseconds);
    const uint32_t last = 2 * KILN_TREE_DEPTH_MAX + 1;
    bool goes_on = true;
    for (uint32_t i = 1; i <= last && goes_on; i++) {
        i = i < level ? i : last;
        const uint32_t to = i == last ? level : i;
        goes_on = false;
        for (size_t j = 0; j < count && steps > 0; j++) {
            kiln_frontier_walk *walk = &queries[j]->walk;
            const uint64_t before = walk->steps;
            if (kiln_frontier_is_idle(walk, to)) {
                goes_on = goes_on || walk->state == KILN_FRONTIER_GOES_ON;
                continue;
            }
            if (kiln_deadline_is_past(&due)) {
                return;
            }
            kiln_frontier_run(walk, to, steps, kiln_deadline_check(&due), &due);
            steps -= walk->steps - before;
            goes_on = goes_on || walk->state == KILN_FRONTIER_GOES_ON;
        }
    }
}

kiln_status kiln_interruptible_run_all(kiln_interruptible *const queries[], size_t count,
                                       uint32_t level, uint64_t steps, uint64_t nanoseconds)
{
    if (queries == NULL && count > 0) {
        return KILN_ERROR_ARGUMENT;
    }
    for (size_t i = 0; i < count; i++) {
        if (queries[i] == NULL || !queries[i]->begun) {
            return KILN_ERROR_ARGUMENT;
        }
    }
    if (count > 0) {
        const kiln_fpu_state caller = kiln_fpu_enter();
        KILN_FPU_CALL(go, run_levels);
        for (size_t i = 0; i < count; i++) {
            queries[i]->caller = queries[i]->filter.caller = caller;
        }
        go(queries, count, level, steps, nanoseconds);
        kiln_fpu_leave(caller);
    }
    return KILN_OK;
}

/* ----------------------------------------------------------------------------------- answers -- */

kiln_status kiln_interruptible_get_answer(const kiln_interruptible *query,
                                          kiln_interruptible_answer *answer)
{
    if (query == NULL || answer == NULL || !query->begun) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_frontier_walk *walk = &query->walk;
    const uint32_t waiting = kiln_frontier_count(walk);
    memset(answer, 0, sizeof *answer);
    answer->verdict = query->found > 0 ? KILN_INTERRUPTIBLE_MEET
                      : waiting > 0    ? KILN_INTERRUPTIBLE_UNRESOLVED
                                       : KILN_INTERRUPTIBLE_APART;
    answer->complete = walk->state != KILN_FRONTIER_GOES_ON;
    answer->full = walk->full;
    answer->level = UINT32_MAX;
    for (uint32_t i = 0; i < waiting; i++) {
        const uint32_t level = kiln_frontier_at(walk, i)->level;
        answer->level = level < answer->level ? level : answer->level;
    }
    answer->deepest = walk->deepest;
    answer->waiting = waiting;
    answer->steps = walk->steps;
    answer->found = query->found;
    answer->pair = query->pair;
    return KILN_OK;
}

/* ---------------------------------------------------------------------------------- contacts -- */

/* What a box reaches along a direction from its centre. */
static double reach(const kiln_leaf_box *box, const double way[3])
{
    return (fabs(kiln_dot(box->arm[0], way)) + fabs(kiln_dot(box->arm[1], way))) +
           fabs(kiln_dot(box->arm[2], way));
}

/* Keeps in *depth and normal the least overlap so far. A way of next to no length is no direction.
 */
static void try_direction(const kiln_leaf_box *x, const kiln_leaf_box *y, const double way[3],
                          const double between[3], double *depth, double normal[3])
{
    const double most = fmax(fabs(way[0]), fmax(fabs(way[1]), fabs(way[2])));
    if (!(most > DBL_MIN)) {
        return;
    }
    double unit[3] = {way[0] / most, way[1] / most, way[2] / most};
    const double length = sqrt(kiln_dot(unit, unit));
    for (int k = 0; k < 3; k++) {
        unit[k] /= length;
    }
    const double along = kiln_dot(between, unit);
    const double overlap =
        ((reach(x, unit) + reach(y, unit)) + (x->error + y->error)) - fabs(along);
    if (overlap < *depth) {
        *depth = overlap;
        for (int k = 0; k < 3; k++) {
            normal[k] = along > 0 ? unit[k] : -unit[k];
        }
    }
}

/* The point of a box that is nearest to `from`. */
static void clamp_into(const kiln_leaf_box *box, const double from[3], double out[3])
{
    const double way[3] = {from[0] - box->centre[0], from[1] - box->centre[1],
                           from[2] - box->centre[2]};
    memcpy(out, box->centre, 3 * sizeof *out);
    for (int j = 0; j < 3; j++) {
        const double squared = kiln_dot(box->arm[j], box->arm[j]);
        if (squared > 0) {
            const double part = kiln_dot(way, box->arm[j]) / squared;
            const double kept = part > 1 ? 1 : part < -1 ? -1 : part;
            for (int k = 0; k < 3; k++) {
                out[k] += kept * box->arm[j][k];
            }
        }
    }
}

/* How far a point is from any of a box, at most. */
static double farthest(const kiln_leaf_box *box, const double from[3])
{
    const double way[3] = {from[0] - box->centre[0], from[1] - box->centre[1],
                           from[2] - box->centre[2]};
    double squared = 0;
    for (int j = 0; j < 3; j++) {
        squared += kiln_dot(box->arm[j], box->arm[j]);
    }
    return (sqrt(kiln_dot(way, way)) + sqrt(squared)) + box->error;
}

/* Two boxes in X's frame as a contact there: the normal from Y to X. */
static void meet_boxes(const kiln_leaf_box *x, const kiln_leaf_box *y, kiln_volume_contact *out)
{
    static const double up[3] = {0, 0, 1};
    double between[3], in_x[3], in_y[3];
    double depth = HUGE_VAL;
    for (int k = 0; k < 3; k++) {
        between[k] = x->centre[k] - y->centre[k];
    }
    for (int i = 0; i < 3; i++) {
        try_direction(x, y, x->arm[i], between, &depth, out->normal);
        try_direction(x, y, y->arm[i], between, &depth, out->normal);
    }
    for (int i = 0; i < 9; i++) {
        const double *p = x->arm[i / 3], *q = y->arm[i % 3];
        const double cross[3] = {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2],
                                 p[0] * q[1] - p[1] * q[0]};
        try_direction(x, y, cross, between, &depth, out->normal);
    }
    /* Boxes that are points or segments have few axes of their own. */
    try_direction(x, y, between, between, &depth, out->normal);
    if (depth == HUGE_VAL) {
        try_direction(x, y, up, between, &depth, out->normal);
    }
    out->depth = depth > 0 ? depth : 0;
    clamp_into(x, y->centre, in_x);
    clamp_into(y, x->centre, in_y);
    for (int k = 0; k < 3; k++) {
        out->position[k] = in_x[k] + (in_y[k] - in_x[k]) / 2;
    }
    out->extent = fmin(farthest(x, out->position), farthest(y, out->position));
}

static void make_contact(const kiln_interruptible *query, const kiln_frontier_pair *pair,
                         kiln_volume_contact *out)
{
    const kiln_frontier_walk *walk = &query->walk;
    const kiln_pose *pose = query->has_pose_x ? &query->pose_x : NULL;
    const double scale = kiln_pose_scale(pose);
    kiln_leaf_box boxes[2];
    kiln_volume_contact here;
    for (int is_x = 0; is_x < 2; is_x++) {
        kiln_tree_box own;
        kiln_frontier_box(walk, pair, is_x, &own);
        kiln_leaf_box_form(&boxes[is_x], &walk->frame, is_x, &own);
    }
    meet_boxes(&boxes[1], &boxes[0], &here);
    memset(out, 0, sizeof *out);
    kiln_world_point(pose, here.position, out->position);
    kiln_world_normal(pose, here.normal, walk->frame.swapped ? -1 : 1, out->normal);
    out->depth = here.depth * scale * OUTWARD;
    out->extent = here.extent * scale * OUTWARD;
    out->level = pair->level;
    out->leaves = pair->leaves;
}

/* Does p come before q? */
static bool is_before(const kiln_volume_contact *p, const kiln_volume_contact *q)
{
    if (p->depth != q->depth) {
        return p->depth > q->depth;
    }
    for (int k = 0; k < 3; k++) {
        if (p->position[k] != q->position[k]) {
            return p->position[k] < q->position[k];
        }
    }
    return p->level < q->level;
}

/* The last of a heap's contacts is on top. */
static void sink(kiln_volume_contact *heap, size_t count, size_t place)
{
    const kiln_volume_contact own = heap[place];
    size_t child;
    while ((child = 2 * place + 1) < count) {
        child += child + 1 < count && is_before(&heap[child], &heap[child + 1]);
        if (!is_before(&own, &heap[child])) {
            break;
        }
        heap[place] = heap[child];
        place = child;
    }
    heap[place] = own;
}

/* The first `capacity` are kept in a heap, the last of them on top, then taken from it. */
static void collect(const kiln_interruptible *query, kiln_volume_contact *contacts, size_t capacity)
{
    const uint32_t waiting = kiln_frontier_count(&query->walk);
    const size_t kept = capacity < waiting ? capacity : waiting;
    for (uint32_t i = 0; i < waiting && kept > 0; i++) {
        kiln_volume_contact next;
        make_contact(query, kiln_frontier_at(&query->walk, i), &next);
        if (i < kept) {
            contacts[i] = next;
            for (size_t j = kept / 2; i + 1 == kept && j-- > 0;) {
                sink(contacts, kept, j);
            }
        } else if (is_before(&next, &contacts[0])) {
            contacts[0] = next;
            sink(contacts, kept, 0);
        }
    }
    for (size_t left = kept; left > 1; left--) {
        const kiln_volume_contact last = contacts[0];
        contacts[0] = contacts[left - 1];
        contacts[left - 1] = last;
        sink(contacts, left - 1, 0);
    }
}

kiln_status kiln_interruptible_get_contacts(const kiln_interruptible *query,
                                            kiln_volume_contact *contacts, size_t capacity,
                                            size_t *count)
{
    if (query == NULL || count == NULL || !query->begun || (contacts == NULL && capacity > 0)) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(go, collect);
    go(query, contacts, capacity);
    kiln_fpu_leave(caller);
    *count = kiln_frontier_count(&query->walk);
    return KILN_OK;
}
