/* Pairs that a caller's filter refuses don't count. It is asked about pairs that meet only. */
#include "pair_filter.h"

#include "fpu.h"

#include <string.h>

kiln_pair_options kiln_pair_options_default(void)
{
    kiln_pair_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    return options;
}

static kiln_pair_options options_of(const kiln_pair_options *options)
{
    kiln_pair_options full = kiln_pair_options_default();
    if (options != NULL) {
        const size_t size = options->struct_size < sizeof full ? options->struct_size : sizeof full;
        memcpy(&full, options, size);
    }
    return full;
}

typedef struct {
    const kiln_tree *a, *b;
    kiln_pair_options options;
    const kiln_pair_visitor *visitor;
    kiln_fpu_state caller;
} filtered;

static bool visit_kept(void *user, kiln_pair pair)
{
    filtered *f = (filtered *)user;
    kiln_fpu_leave(f->caller);
    const bool keeps = f->options.filter(f->options.filter_user, pair, kiln_tree_user(f->a, pair.a),
                                         kiln_tree_user(f->b, pair.b));
    f->caller = kiln_fpu_enter();
    return !keeps || f->visitor->visit(f->visitor->user, pair);
}

kiln_status kiln_pair_walk_filtered(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                                    const kiln_pose *pose_b, const kiln_pair_options *options,
                                    const kiln_pair_visitor *visitor)
{
    filtered f = {a, b, options_of(options), visitor, kiln_fpu_enter()};
    kiln_fpu_leave(f.caller);
    if (f.options.filter == NULL) {
        return kiln_pair_walk(a, pose_a, b, pose_b, visitor);
    }
    kiln_pair_visitor kept = *visitor;
    kept.visit = visit_kept;
    kept.user = &f;
    return kiln_pair_walk(a, pose_a, b, pose_b, &kept);
}

static bool take_first(void *user, kiln_pair pair)
{
    kiln_hit *hit = (kiln_hit *)user;
    hit->found = true;
    hit->pair = pair;
    return false;
}

kiln_status kiln_collide_filtered(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                                  const kiln_pose *pose_b, const kiln_pair_options *options,
                                  kiln_hit *hit)
{
    kiln_hit found = {false, {0, 0}};
    const kiln_pair_visitor visitor = {take_first, &found, true, false, NULL};
    if (hit == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_status status = kiln_pair_walk_filtered(a, pose_a, b, pose_b, options, &visitor);
    if (status == KILN_OK) {
        *hit = found;
    }
    return status;
}
