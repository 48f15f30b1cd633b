/* All pairs of triangles that meet.
 *
 * With a buffer, what is kept are the first `capacity` pairs in ascending order, whatever the
 * order in which the traversal finds them (pair_heap.h). So the result is the same for all tree
 * kinds, and needs no memory of ours. */
#include "query.h"

#include "../../formats/assert.h"
#include "../base/fpu.h"
#include "../walk/leaf_pair.h"
#include "../walk/pair_walk.h"
#include "../pose/world.h"
#include "pair_heap.h"

#include <string.h>

static bool keep_pair(void *user, const kiln_pair_frame *frame, uint32_t x, uint32_t y)
{
    const kiln_pair pair = kiln_pair_ids(frame, x, y);
    kiln_pair_heap_keep((kiln_pair_heap *)user, sizeof pair, &pair);
    return true;
}

kiln_status kiln_contacts_from(kiln_pair_source source, void *from, const kiln_tree *a,
                               const kiln_tree *b, const kiln_pair_options *options,
                               kiln_pair *pairs, size_t capacity, size_t *count)
{
    if (count == NULL || (pairs == NULL && capacity > 0)) {
        return KILN_ERROR_ARGUMENT;
    }
    kiln_pair_heap heap = {(uint8_t *)pairs, capacity, 0};
    kiln_pair spare;
    kiln_pair_filter_bound filter;
    const kiln_pair_visitor visitor = {
        keep_pair, &heap, false, false, kiln_pair_filter_bind(options, &filter), NULL};
    /* The visitor never ends the walk, because the caller wants the number of all pairs even if the
     * buffer is full. After a walk that failed, *count is unchanged and `pairs` has no meaning. */
    const kiln_status status = source(from, &visitor);
    if (status != KILN_OK) {
        return status;
    }
    kiln_pair_heap_sort(&heap, sizeof spare, &spare);
    for (size_t i = 0; i < heap.count && i < capacity; i++) {
        kiln_pair_add_values(a, b, &pairs[i]);
    }
    *count = heap.count;
    return KILN_OK;
}

/* Two trees at two poses, whose pairs a walk finds. */
typedef struct {
    const kiln_tree *a, *b;
    const kiln_pose *pose_a, *pose_b;
} pair_at_poses;

static kiln_status walk_placed(void *user, const kiln_pair_visitor *visitor)
{
    const pair_at_poses *placed = (const pair_at_poses *)user;
    return kiln_pair_walk(placed->a, placed->pose_a, placed->b, placed->pose_b, visitor);
}

kiln_status kiln_contacts(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                          const kiln_pose *pose_b, const kiln_pair_options *options,
                          kiln_pair *pairs, size_t capacity, size_t *count)
{
    pair_at_poses placed = {a, b, pose_a, pose_b};
    return kiln_contacts_from(walk_placed, &placed, a, b, options, pairs, capacity, count);
}

/* The state of a walk with a callback. `caller` is the floating-point environment of the caller, in
 * which the callback runs. It is saved again after each call, because the callback may change it.
 */
typedef struct {
    kiln_pair_callback callback;
    void *user;
    size_t count;
    kiln_fpu_state caller;
} callback_visit;

/* The callback is the caller's code, so it runs in the caller's floating-point environment. Its
 * false ends the walk; the pair that it saw last is counted. */
static bool call_with_contact(void *user, const kiln_pair_frame *frame, uint32_t x, uint32_t y)
{
    callback_visit *visit = (callback_visit *)user;
    KILN_ASSERT(visit->callback != NULL);
    const kiln_pair pair = kiln_pair_named(frame, x, y);
    visit->count++;
    kiln_fpu_leave(visit->caller);
    const bool more = visit->callback(visit->user, pair);
    visit->caller = kiln_fpu_enter();
    return more;
}

kiln_status kiln_contacts_each_from(kiln_pair_source source, void *from,
                                    const kiln_pair_options *options, kiln_pair_callback callback,
                                    void *user, size_t *count)
{
    if (callback == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    /* Entering the environment returns that of the caller, which the callback needs. It is left
     * again at once, because the walk enters it by itself. */
    callback_visit visit = {callback, user, 0, kiln_fpu_enter()};
    kiln_fpu_leave(visit.caller);
    kiln_pair_filter_bound filter;
    const kiln_pair_visitor visitor = {
        call_with_contact, &visit, false, false, kiln_pair_filter_bind(options, &filter), NULL};
    const kiln_status status = source(from, &visitor);
    if (status == KILN_OK && count != NULL) {
        *count = visit.count;
    }
    return status;
}

kiln_status kiln_contacts_each(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                               const kiln_pose *pose_b, const kiln_pair_options *options,
                               kiln_pair_callback callback, void *user, size_t *count)
{
    pair_at_poses placed = {a, b, pose_a, pose_b};
    return kiln_contacts_each_from(walk_placed, &placed, options, callback, user, count);
}

/* --------------------------------------------------------------------------------- geometry -- */

/* The frame is that of the walk, for what is done after it. */
typedef struct {
    kiln_pair_heap heap;
    kiln_pair_frame frame;
    const kiln_tree *a, *b;
    const kiln_pose *pose_a, *pose_b;
    kiln_contacts_summary *summary;
} contact_visit;

/* The pair, and where it is: what geometry is computed from. */
static kiln_contact contact_of(const kiln_pair_frame *frame, uint32_t x, uint32_t y)
{
    kiln_contact contact;
    memset(&contact, 0, sizeof contact);
    contact.pair = kiln_pair_ids(frame, x, y);
    contact.hint = kiln_pair_hint(frame, x, y);
    return contact;
}

/* Where and how deep, in the frame of the poses. Hints hold the stored triangles, counted from 1.
 */
static void add_geometry(const contact_visit *visit, const kiln_pair_frame *frame,
                         kiln_contact *contact)
{
    const bool swapped = frame->swapped;
    const kiln_pose *pose = kiln_pair_frame_world(frame, visit->pose_a, visit->pose_b);
    double x[9], y[9];
    kiln_tri_contact geometry;
    KILN_ASSERT(contact->hint.a != 0);
    KILN_ASSERT(contact->hint.b != 0);
    kiln_stored_corners(frame, true, (swapped ? contact->hint.b : contact->hint.a) - 1, x);
    kiln_stored_corners(frame, false, (swapped ? contact->hint.a : contact->hint.b) - 1, y);
    kiln_pair_contact(frame, x, y, &geometry);
    kiln_world_point(pose, geometry.from, contact->from);
    kiln_world_point(pose, geometry.to, contact->to);
    kiln_world_normal(pose, geometry.normal, swapped ? -1 : 1, contact->normal);
    contact->depth = kiln_pose_scale(pose) * geometry.depth;
    kiln_pair_add_values(visit->a, visit->b, &contact->pair);
}

/* Keeps the pair without its geometry. The frame is the same for all pairs of one walk, so one
 * copy of it serves add_all_geometry after the walk has ended. */
static bool keep_contact(void *user, const kiln_pair_frame *frame, uint32_t x, uint32_t y)
{
    contact_visit *visit = (contact_visit *)user;
    const kiln_contact contact = contact_of(frame, x, y);
    if (visit->heap.count == 0) {
        visit->frame = *frame;
    }
    kiln_pair_heap_keep(&visit->heap, sizeof contact, &contact);
    return true;
}

/* Adds one contact to a summary, which needs no room for the contacts themselves. */
static bool sum_contact(void *user, const kiln_pair_frame *frame, uint32_t x, uint32_t y)
{
    const contact_visit *visit = (const contact_visit *)user;
    kiln_contact contact = contact_of(frame, x, y);
    add_geometry(visit, frame, &contact);
    kiln_contacts_summary *summary = visit->summary;
    const bool first = summary->count++ == 0;
    /* Among contacts that are equally deep, the first by the ids of its triangles counts. */
    if (first || contact.depth > summary->deepest.depth ||
        (contact.depth == summary->deepest.depth &&
         kiln_pair_is_less(&contact, &summary->deepest))) {
        summary->deepest = contact;
    }
    for (int k = 0; k < 3; k++) {
        /* Both ends of a contact count for the box, since either may lie further out. */
        const double low = fmin(contact.from[k], contact.to[k]);
        const double high = fmax(contact.from[k], contact.to[k]);
        summary->lower[k] = first ? low : fmin(low, summary->lower[k]);
        summary->upper[k] = first ? high : fmax(high, summary->upper[k]);
    }
    return true;
}

/* Geometry is computed at the end, for the pairs that were kept, as it costs more than the test. */
static void add_all_geometry(const contact_visit *visit, kiln_contact *contacts)
{
    const size_t count = visit->heap.count;
    for (size_t i = 0; i < count && i < visit->heap.capacity; i++) {
        add_geometry(visit, &visit->frame, &contacts[i]);
    }
}

kiln_status kiln_contacts_geometry(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                                   const kiln_pose *pose_b, const kiln_pair_options *options,
                                   kiln_contact *contacts, size_t capacity, size_t *count)
{
    if (count == NULL || (contacts == NULL && capacity > 0)) {
        return KILN_ERROR_ARGUMENT;
    }
    contact_visit visit;
    kiln_contact spare;
    visit.heap = (kiln_pair_heap){(uint8_t *)contacts, capacity, 0};
    visit.a = a;
    visit.b = b;
    visit.pose_a = pose_a;
    visit.pose_b = pose_b;
    kiln_pair_filter_bound filter;
    const kiln_pair_visitor visitor = {
        keep_contact, &visit, false, false, kiln_pair_filter_bind(options, &filter), NULL};
    const kiln_status status = kiln_pair_walk(a, pose_a, b, pose_b, &visitor);
    if (status != KILN_OK) {
        return status;
    }
    /* The order is settled by ids alone, so it can be made before there is any geometry. */
    kiln_pair_heap_sort(&visit.heap, sizeof spare, &spare);
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, add_all_geometry);
    run(&visit, contacts);
    kiln_fpu_leave(caller);
    *count = visit.heap.count;
    return KILN_OK;
}

kiln_status kiln_contacts_summarise(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                                    const kiln_pose *pose_b, const kiln_pair_options *options,
                                    kiln_contacts_summary *summary)
{
    if (summary == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    /* The summary is gathered apart from the caller's, which stays as it is if the walk fails. */
    kiln_contacts_summary found;
    memset(&found, 0, sizeof found);
    contact_visit visit;
    visit.a = a;
    visit.b = b;
    visit.pose_a = pose_a;
    visit.pose_b = pose_b;
    visit.summary = &found;
    kiln_pair_filter_bound filter;
    const kiln_pair_visitor visitor = {
        sum_contact, &visit, false, false, kiln_pair_filter_bind(options, &filter), NULL};
    const kiln_status status = kiln_pair_walk(a, pose_a, b, pose_b, &visitor);
    if (status == KILN_OK) {
        *summary = found;
    }
    return status;
}
