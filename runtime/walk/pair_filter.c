/* How pairs are named to the caller, and the caller's filter of pairs.
 *
 * Walks know pairs by where the triangles are stored, X first. Callers see the triangles' ids, in
 * the order of their own arguments, with user values. A pair that the filter refuses does not
 * count; the filter is called only for pairs that would count otherwise, and in the floating-point
 * environment of the caller. */
#include "pair_filter.h"

#include "../base/options.h"

#include <math.h>
#include <string.h>

kiln_pair_options kiln_pair_options_default(void)
{
    kiln_pair_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.beyond = HUGE_VAL;
    return options;
}

/* The caller's options over the defaults, as far as the size that the caller states goes: one that
 * was compiled against an older library has fewer members, and NULL has none. */
kiln_pair_options kiln_pair_options_of(const kiln_pair_options *options)
{
    kiln_pair_options full = kiln_pair_options_default();
    kiln_options_take(&full, sizeof full, options);
    return full;
}

/* User values are added after the ids are settled, since only pairs that reach the caller need
 * them. The pair is in the caller's order, A first. */
void kiln_pair_add_values(const kiln_tree *a, const kiln_tree *b, kiln_pair *pair)
{
    pair->value_a = kiln_tree_user(a, pair->a);
    pair->value_b = kiln_tree_user(b, pair->b);
}

kiln_pair kiln_pair_named(const kiln_pair_frame *frame, uint32_t stored_x, uint32_t stored_y)
{
    kiln_pair pair = kiln_pair_ids(frame, stored_x, stored_y);
    kiln_pair_add_values(frame->swapped ? frame->y : frame->x, frame->swapped ? frame->x : frame->y,
                         &pair);
    return pair;
}

/* Hints count stored triangles from 1, so that a hint of zeros names none. */
kiln_hint kiln_pair_hint(const kiln_pair_frame *frame, uint32_t stored_x, uint32_t stored_y)
{
    kiln_hint hint = {stored_x + 1, stored_y + 1};
    if (frame->swapped) {
        hint.a = stored_y + 1;
        hint.b = stored_x + 1;
    }
    return hint;
}

/* Binds the caller's functions to a query. NULL stands for a query without any, which then costs
 * one comparison for each pair. It has to be called in the caller's floating-point environment,
 * which it notes. */
kiln_pair_filter_bound *kiln_pair_filter_bind(const kiln_pair_options *options,
                                              kiln_pair_filter_bound *filter)
{
    const kiln_pair_options full = kiln_pair_options_of(options);
    if (full.filter == NULL && full.stop == NULL) {
        return NULL;
    }
    filter->call = full.filter;
    filter->user = full.filter_user;
    filter->stop = full.stop;
    filter->stop_user = full.stop_user;
    filter->stopped = false;
    filter->caller = kiln_fpu_enter();
    kiln_fpu_leave(filter->caller);
    return filter;
}

/* Should the query end? The function is not called again once it has stopped the query, so that
 * all levels of a walk see the same answer. */
bool kiln_pair_filter_stops(kiln_pair_filter_bound *filter)
{
    if (filter != NULL && filter->stop != NULL && !filter->stopped) {
        kiln_fpu_leave(filter->caller);
        filter->stopped = filter->stop(filter->stop_user);
        filter->caller = kiln_fpu_enter();
    }
    return filter != NULL && filter->stopped;
}

/* Does the pair count? The environment is noted anew after the call, as the caller's function may
 * have changed it on purpose. */
bool kiln_pair_filter_keeps(kiln_pair_filter_bound *filter, const kiln_pair_frame *frame,
                            uint32_t stored_x, uint32_t stored_y)
{
    if (filter->call == NULL) {
        return true;
    }
    const kiln_pair pair = kiln_pair_named(frame, stored_x, stored_y);
    kiln_fpu_leave(filter->caller);
    const bool keeps = filter->call(filter->user, pair);
    filter->caller = kiln_fpu_enter();
    return keeps;
}
