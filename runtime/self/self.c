/* Self-contacts as a caller asks for them: options, the filter, and where pairs go. */
#include "../kiln_self.h"

#include "../../formats/assert.h"
#include "../base/fpu.h"
#include "../base/options.h"
#include "../query/pair_heap.h"
#include "self_walk.h"

#include <string.h>

kiln_self_options kiln_self_options_default(void)
{
    kiln_self_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.neighbours = KILN_NEIGHBOURS_BEYOND;
    options.kinds = KILN_SELF_ALL_KINDS;
    return options;
}

typedef struct {
    const kiln_tree *tree;
    kiln_self_options options;
    kiln_fpu_state caller; /* the environment in which the caller's functions run */
    bool stopped;          /* by the caller */
    size_t count;
    /* One of the three. */
    kiln_pair_heap heap;
    kiln_self_callback callback; /* NULL: into the heap, or into `found` */
    void *user;
    kiln_self_pair *found;
} self_query;

static kiln_self_kind kind_of_meeting(kiln_meeting how)
{
    return how == KILN_MEETING_CROSS     ? KILN_SELF_CROSSING
           : how == KILN_MEETING_OVERLAP ? KILN_SELF_OVERLAPPING
           : how == KILN_MEETING_SAME    ? KILN_SELF_DUPLICATE
                                         : KILN_SELF_TOUCHING;
}

static kiln_self_pair name_self_pair(const self_query *query, uint32_t a, uint32_t b,
                                     const kiln_relation *relation)
{
    kiln_self_pair pair;
    memset(&pair, 0, sizeof pair);
    pair.pair.a = kiln_tree_id(query->tree, a);
    pair.pair.b = kiln_tree_id(query->tree, b);
    pair.pair.value_a = kiln_tree_user(query->tree, pair.pair.a);
    pair.pair.value_b = kiln_tree_user(query->tree, pair.pair.b);
    pair.kind = kind_of_meeting(relation->how);
    pair.shared = relation->shared;
    return pair;
}

static bool judge_self_pair(void *user, uint32_t stored_a, const double a[9], uint32_t stored_b,
                            const double b[9], kiln_relation *relation)
{
    self_query *query = (self_query *)user;
    if (query->options.neighbours == KILN_NEIGHBOURS_NEVER && kiln_triangles_shared(a, b) != 0) {
        return false;
    }
    *relation = kiln_triangles_relate(a, b);
    if (relation->how == KILN_MEETING_NONE ||
        (query->options.neighbours == KILN_NEIGHBOURS_BEYOND && !relation->beyond &&
         relation->how != KILN_MEETING_SAME) ||
        (query->options.kinds >> kind_of_meeting(relation->how) & 1) == 0) {
        return false;
    }
    if (query->options.filter == NULL) {
        return true;
    }
    const kiln_self_pair pair = name_self_pair(query, stored_a, stored_b, relation);
    kiln_fpu_leave(query->caller);
    const bool keeps = query->options.filter(query->options.filter_user, &pair);
    query->caller = kiln_fpu_enter();
    return keeps;
}

static bool take_self_pair(void *user, uint32_t stored_a, uint32_t stored_b,
                           const kiln_relation *relation)
{
    self_query *query = (self_query *)user;
    const kiln_self_pair pair = name_self_pair(query, stored_a, stored_b, relation);
    query->count++;
    if (query->found != NULL) {
        *query->found = pair;
        return false;
    }
    if (query->callback == NULL) {
        kiln_pair_heap_keep(&query->heap, sizeof pair, &pair);
        return true;
    }
    kiln_fpu_leave(query->caller);
    const bool more = query->callback(query->user, &pair);
    query->caller = kiln_fpu_enter();
    return more;
}

static bool self_query_stops(void *user)
{
    self_query *query = (self_query *)user;
    if (query->options.stop != NULL && !query->stopped) {
        kiln_fpu_leave(query->caller);
        query->stopped = query->options.stop(query->options.stop_user);
        query->caller = kiln_fpu_enter();
    }
    return query->stopped;
}

static kiln_status run_self_query(self_query *query, const kiln_tree *tree,
                                  const kiln_self_options *options)
{
    kiln_self_visitor visitor = {judge_self_pair, take_self_pair, self_query_stops, query, false};
    query->options = kiln_self_options_default();
    kiln_options_take(&query->options, sizeof query->options, options);
    if (tree == NULL || (unsigned)query->options.neighbours > KILN_NEIGHBOURS_ALL) {
        return KILN_ERROR_ARGUMENT;
    }
    visitor.all = query->options.neighbours == KILN_NEIGHBOURS_ALL;
    query->tree = tree;
    query->stopped = false;
    query->count = 0;
    query->caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, kiln_self_walk);
    const kiln_status status = run(tree, &visitor);
    kiln_fpu_leave(query->caller);
    return status == KILN_OK && query->stopped ? KILN_ERROR_STOPPED : status;
}

kiln_status kiln_self_contacts(const kiln_tree *tree, const kiln_self_options *options,
                               kiln_self_pair *pairs, size_t capacity, size_t *count)
{
    self_query query;
    kiln_self_pair spare;
    if (count == NULL || (pairs == NULL && capacity > 0)) {
        return KILN_ERROR_ARGUMENT;
    }
    query.heap = (kiln_pair_heap){(uint8_t *)pairs, capacity, 0};
    query.callback = NULL;
    query.user = NULL;
    query.found = NULL;
    const kiln_status status = run_self_query(&query, tree, options);
    if (status == KILN_OK) {
        kiln_pair_heap_sort(&query.heap, sizeof spare, &spare);
        *count = query.count;
    }
    return status;
}

kiln_status kiln_self_contacts_each(const kiln_tree *tree, const kiln_self_options *options,
                                    kiln_self_callback callback, void *user, size_t *count)
{
    self_query query;
    if (callback == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    query.callback = callback;
    query.user = user;
    query.found = NULL;
    const kiln_status status = run_self_query(&query, tree, options);
    if (status == KILN_OK && count != NULL) {
        *count = query.count;
    }
    return status;
}

kiln_status kiln_self_contacts_any(const kiln_tree *tree, const kiln_self_options *options,
                                   bool *found, kiln_self_pair *pair)
{
    self_query query;
    kiln_self_pair first;
    if (found == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    query.callback = NULL;
    query.user = NULL;
    query.found = &first;
    const kiln_status status = run_self_query(&query, tree, options);
    if (status == KILN_OK) {
        *found = query.count != 0;
        if (*found && pair != NULL) {
            *pair = first;
        }
    }
    return status;
}
