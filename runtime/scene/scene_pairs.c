/* Candidates: which pairs of objects of a scene have bounds that meet, and are allowed.
 *
 * Each object in turn is looked up in the tree of bounds, among the places after its own, so that a
 * pair comes up once and pairs come in the order of ids, whatever the tree looks like. What one
 * object has for neighbours is collected in chunks of KILN_SCENE_CHUNK places on the stack, the
 * lowest ones first, so that neither memory nor an order of the tree is needed. Groups are compared
 * in the tree; ids that are ignored or excluded and the caller's filter decide about what is left,
 * in the caller's floating-point environment, as all that is the caller's. */
#include "scene.h"

#include "../base/options.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------------------------- options -- */

kiln_scene_options kiln_scene_options_default(void)
{
    kiln_scene_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.category = 1;
    options.mask = UINT32_MAX;
    return options;
}

static bool scene_pair_before(const kiln_scene_pair *p, const kiln_scene_pair *q)
{
    return p->a != q->a ? p->a < q->a : p->b < q->b;
}

bool kiln_scene_options_take(const kiln_scene_options *options, kiln_scene_options *full)
{
    *full = kiln_scene_options_default();
    kiln_options_take(full, sizeof *full, options);
    if (!(full->within >= 0 && full->within < HUGE_VAL) ||
        (full->excluded == NULL && full->excluded_count > 0)) {
        return false;
    }
    for (size_t i = 0; i < full->excluded_count; i++) {
        const kiln_scene_pair *pair = &full->excluded[i];
        if (pair->a >= pair->b || (i > 0 && !scene_pair_before(pair - 1, pair))) {
            return false;
        }
    }
    return true;
}

/* By halving. Pairs before `lower` come before this one, those from `upper` on do not. */
static bool is_excluded(const kiln_scene_options *options, const kiln_scene_pair *pair)
{
    size_t lower = 0, upper = options->excluded_count;
    while (lower < upper) {
        const size_t middle = lower + (upper - lower) / 2;
        if (scene_pair_before(&options->excluded[middle], pair)) {
            lower = middle + 1;
        } else {
            upper = middle;
        }
    }
    return lower < options->excluded_count && !scene_pair_before(pair, &options->excluded[lower]);
}

bool kiln_scene_pair_counts(const kiln_scene_options *options, const kiln_scene_pair *pair)
{
    if (options->ignore != 0 && (pair->a == options->ignore || pair->b == options->ignore)) {
        return false;
    }
    if (options->excluded_count > 0 && is_excluded(options, pair)) {
        return false;
    }
    return options->filter == NULL || options->filter(options->filter_user, pair);
}

kiln_scene_pair kiln_scene_pair_at(const kiln_scene *scene, uint32_t a, uint32_t b)
{
    kiln_scene_pair pair = {0, 0, 0, 0};
    if (a != KILN_SCENE_NOWHERE) {
        pair.a = kiln_scene_id_at(scene, a);
        pair.user_a = scene->entries[a].user;
    }
    pair.b = kiln_scene_id_at(scene, b);
    pair.user_b = scene->entries[b].user;
    return pair;
}

/* ----------------------------------------------------------------------------------- visits -- */

/* Room for the rounding of the sums here, and of a distance that is found to be `within`. */
#define WITHIN_ROOM 0x1p-42

/* In the environment of fpu.h, as all arithmetic. */
static uint32_t collect_near(const kiln_scene *scene, kiln_scene_seek *seek, double within,
                             uint32_t places[KILN_SCENE_CHUNK])
{
    kiln_scene_seek wide = *seek;
    for (int k = 0; k < 3 && within > 0; k++) {
        const double lower = seek->box.lower[k], upper = seek->box.upper[k];
        wide.box.lower[k] = lower - (within + WITHIN_ROOM * (fabs(lower) + within));
        wide.box.upper[k] = upper + (within + WITHIN_ROOM * (fabs(upper) + within));
    }
    return kiln_scene_tree_collect(scene, &wide, places);
}

/* The neighbours of what is sought, chunk by chunk. False: the visitor has had enough. */
static bool visit_near(const kiln_scene *scene, uint32_t a, kiln_scene_seek *seek,
                       const kiln_scene_options *options, kiln_scene_visitor visit, void *user)
{
    uint32_t places[KILN_SCENE_CHUNK], count;
    KILN_FPU_CALL(collect, collect_near);
    do {
        const kiln_fpu_state caller = kiln_fpu_enter();
        count = collect(scene, seek, options->within, places);
        kiln_fpu_leave(caller);
        for (uint32_t i = 0; i < count; i++) {
            const kiln_scene_pair pair = kiln_scene_pair_at(scene, a, places[i]);
            if (kiln_scene_pair_counts(options, &pair) && !visit(user, &pair, a, places[i])) {
                return false;
            }
        }
        seek->first = count > 0 ? places[count - 1] + 1 : 0;
    } while (count == KILN_SCENE_CHUNK);
    return true;
}

void kiln_scene_visit_pairs(const kiln_scene *scene, const kiln_scene_options *options,
                            kiln_scene_visitor visit, void *user)
{
    for (uint32_t a = 0; a < scene->used; a++) {
        if (scene->entries[a].tree == NULL) {
            continue;
        }
        kiln_scene_seek seek = {scene->boxes[a], scene->groups[a].category, scene->groups[a].mask,
                                a + 1};
        if (!visit_near(scene, a, &seek, options, visit, user)) {
            return;
        }
    }
}

void kiln_scene_visit_box(const kiln_scene *scene, const kiln_scene_box *box,
                          const kiln_scene_options *options, kiln_scene_visitor visit, void *user)
{
    kiln_scene_seek seek = {*box, options->category, options->mask, 0};
    (void)visit_near(scene, KILN_SCENE_NOWHERE, &seek, options, visit, user);
}

/* ------------------------------------------------------------------------------------ calls -- */

typedef struct {
    kiln_scene_pair_callback callback;
    void *user;
    size_t count;
} pair_caller;

static bool call_with_candidate(void *user, const kiln_scene_pair *pair, uint32_t a, uint32_t b)
{
    pair_caller *caller = (pair_caller *)user;
    (void)a;
    (void)b;
    caller->count++;
    return caller->callback(caller->user, pair);
}

kiln_status kiln_scene_pairs_each(const kiln_scene *scene, const kiln_scene_options *options,
                                  kiln_scene_pair_callback callback, void *user, size_t *count)
{
    kiln_scene_options full;
    pair_caller caller = {callback, user, 0};
    if (scene == NULL || callback == NULL || !kiln_scene_options_take(options, &full)) {
        return KILN_ERROR_ARGUMENT;
    }
    kiln_scene_visit_pairs(scene, &full, call_with_candidate, &caller);
    if (count != NULL) {
        *count = caller.count;
    }
    return KILN_OK;
}

typedef struct {
    kiln_scene_pair *pairs;
    size_t capacity, count;
} pair_list;

static bool store_candidate(void *user, const kiln_scene_pair *pair, uint32_t a, uint32_t b)
{
    pair_list *list = (pair_list *)user;
    (void)a;
    (void)b;
    if (list->count < list->capacity) {
        list->pairs[list->count] = *pair;
    }
    list->count++;
    return true;
}

kiln_status kiln_scene_pairs(const kiln_scene *scene, const kiln_scene_options *options,
                             kiln_scene_pair *pairs, size_t capacity, size_t *count)
{
    kiln_scene_options full;
    pair_list list = {pairs, capacity, 0};
    if (scene == NULL || count == NULL || (pairs == NULL && capacity > 0) ||
        !kiln_scene_options_take(options, &full)) {
        return KILN_ERROR_ARGUMENT;
    }
    kiln_scene_visit_pairs(scene, &full, store_candidate, &list);
    *count = list.count;
    return KILN_OK;
}

/* The neighbours of a box, to a callback. */
static void call_with_box(const kiln_scene *scene, const kiln_scene_box *box,
                          const kiln_scene_options *options, pair_caller *caller, size_t *count)
{
    kiln_scene_visit_box(scene, box, options, call_with_candidate, caller);
    if (count != NULL) {
        *count = caller->count;
    }
}

kiln_status kiln_scene_pairs_of_each(const kiln_scene *scene, const kiln_tree *tree,
                                     const kiln_pose *pose, const kiln_scene_options *options,
                                     kiln_scene_pair_callback callback, void *user, size_t *count)
{
    kiln_scene_options full;
    kiln_scene_box box;
    pair_caller caller = {callback, user, 0};
    if (scene == NULL || callback == NULL || !kiln_scene_options_take(options, &full)) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_status status = kiln_scene_bound_tree(tree, pose, &box);
    if (status == KILN_OK) {
        call_with_box(scene, &box, &full, &caller, count);
    }
    return status;
}

kiln_status kiln_scene_pairs_in_box_each(const kiln_scene *scene, const double lower[3],
                                         const double upper[3], const kiln_scene_options *options,
                                         kiln_scene_pair_callback callback, void *user,
                                         size_t *count)
{
    kiln_scene_options full;
    kiln_scene_box box;
    pair_caller caller = {callback, user, 0};
    if (scene == NULL || lower == NULL || upper == NULL || callback == NULL ||
        !kiln_scene_options_take(options, &full)) {
        return KILN_ERROR_ARGUMENT;
    }
    for (int k = 0; k < 3; k++) {
        if (!(lower[k] <= upper[k])) {
            return KILN_ERROR_ARGUMENT;
        }
        box.lower[k] = lower[k];
        box.upper[k] = upper[k];
    }
    call_with_box(scene, &box, &full, &caller, count);
    return KILN_OK;
}
