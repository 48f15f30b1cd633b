/* Many queries of two meshes in one call: single calls, in chunks of configurations that are the
 * tasks of the caller's thread pool.
 *
 * Chunks do not depend on the pool. Within one, a query begins with the triangles that were the
 * answer for its pair in the configuration before, which the caller's own array still holds: so
 * nothing is to be allocated, and the answers are the same on any number of threads.
 *
 * What a hint may change and what it may not: a least distance above 0, and the two triangles, are
 * defined without regard to the order in which pairs are looked at (distance.c), so a hint or a
 * lower limit changes no bit of them. Where surfaces meet, the pair that is found first is the
 * answer, which a hint would change: such a distance is measured again without. It is the exception
 * on a path, because one that meets is no hint for the next. */
#include "../kiln.h"

#include "../../formats/assert.h"
#include "../base/fpu.h"
#include "../base/options.h"
#include "../base/tree.h"
#include "../pose/pose.h"
#include "../walk/pair_filter.h"

#include <math.h>
#include <string.h>

enum {
    CHUNK_QUERIES = 256, /* at least, where there are so many: what a task costs beside is small */
    CHUNKS_MOST = 1 << 20
};

#define ALIKE 0x1p-5 /* distances whose difference is no more, for the size of the meshes */

typedef struct batch_run batch_run;

/* Answers for one configuration. `earlier`: how many configurations before it are of its chunk. */
typedef kiln_status (*configuration_answer)(batch_run *run, size_t configuration, size_t earlier);

/* The answer number `at` of all, for one pair. */
typedef kiln_status (*pair_answer)(const batch_run *run, size_t at, size_t configuration,
                                   kiln_placed_pair pair, size_t earlier);

struct batch_run {
    const kiln_batch *batch;
    size_t pairs;                   /* in a configuration */
    const kiln_pair_options *given; /* the caller's for single queries */
    kiln_pair_options options;      /* the same, complete, without a hint */
    double distance;                /* of queries with a tolerance */
    configuration_answer answer;
    pair_answer of_pair; /* NULL: no answer for each pair, but for each configuration */
    void *out;
    size_t size;  /* of an answer; 0: there is one in all */
    size_t chunk; /* configurations */
    /* Shared by threads: configurations from `limit` on need no answer; the first of those with a
     * pose that is refused; is the batch stopped? */
    size_t limit, refused;
    bool stopped;
};

kiln_batch_options kiln_batch_options_default(void)
{
    kiln_batch_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    return options;
}

static size_t all_pairs_of(uint32_t placed_count)
{
    const uint64_t n = placed_count;
    const uint64_t pairs = n == 0 ? 0 : n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n;
    return pairs <= SIZE_MAX ? (size_t)pairs : SIZE_MAX;
}

size_t kiln_batch_pair_count(const kiln_batch *batch)
{
    return batch == NULL                               ? 0
           : batch->pair_count != KILN_BATCH_ALL_PAIRS ? batch->pair_count
                                                       : all_pairs_of(batch->placed_count);
}

/* The pair number k; `last` is the one before it. */
static kiln_placed_pair next_pair(const kiln_batch *batch, size_t k, kiln_placed_pair last)
{
    const kiln_placed_pair next = {last.a, last.b + 1}, row = {last.a + 1, last.a + 2};
    const kiln_placed_pair first = {0, 1};
    KILN_ASSERT(k < kiln_batch_pair_count(batch));
    return batch->pairs != NULL               ? batch->pairs[k]
           : k == 0                           ? first
           : last.b + 1 < batch->placed_count ? next
                                              : row;
}

static bool is_pair_of(kiln_placed_pair pair, uint32_t placed_count)
{
    return pair.a < placed_count && pair.b < placed_count && pair.a != pair.b;
}

/* In the list of all pairs, each that is allowed is marked at its place: pairs (0, ...) come first,
 * placed_count - 1 of them, and so on. */
kiln_status kiln_batch_pairs(uint32_t placed_count, const kiln_placed_pair *allowed,
                             size_t allowed_count, kiln_placed_pair *pairs, size_t *count)
{
    const kiln_batch all = {NULL, placed_count, NULL, KILN_BATCH_ALL_PAIRS, 0};
    const size_t of_all = kiln_batch_pair_count(&all);
    if (pairs == NULL || count == NULL || (allowed == NULL && allowed_count != 0)) {
        return KILN_ERROR_ARGUMENT;
    }
    for (size_t i = 0; i < allowed_count; i++) {
        if (!is_pair_of(allowed[i], placed_count)) {
            return KILN_ERROR_ARGUMENT;
        }
    }
    kiln_placed_pair pair = {0, 0};
    for (size_t k = 0; k < of_all; k++) {
        pair = pairs[k] = next_pair(&all, k, pair);
    }
    for (size_t i = 0; i < allowed_count; i++) {
        const bool ascends = allowed[i].a < allowed[i].b;
        const size_t a = ascends ? allowed[i].a : allowed[i].b;
        const size_t b = ascends ? allowed[i].b : allowed[i].a;
        /* of_all - pairs of the trees from a on + b's place among those of a */
        const size_t row = of_all - all_pairs_of(placed_count - (uint32_t)a);
        pairs[row + (b - a - 1)].b = (uint32_t)a; /* a pair with itself: none of the others is */
    }
    size_t left = 0;
    for (size_t k = 0; k < of_all; k++) {
        if (pairs[k].a != pairs[k].b) {
            pairs[left++] = pairs[k];
        }
    }
    *count = left;
    return KILN_OK;
}

static const kiln_pose *pose_in(const kiln_placed *placed, size_t configuration)
{
    return placed->poses == NULL ? NULL : placed->poses + configuration * placed->stride;
}

/* The longest side of a tree's box at its pose. */
static double size_of(const kiln_placed *placed, size_t configuration)
{
    const kiln_format_tree *entry = placed->tree->view.entry;
    double longest = 0;
    for (int k = 0; k < 3; k++) {
        const double side = (double)entry->bounds_upper[k] - (double)entry->bounds_lower[k];
        longest = side > longest ? side : longest;
    }
    return longest * kiln_pose_scale(pose_in(placed, configuration));
}

/* ------------------------------------------------------------------------- single queries -- */

static kiln_status collide_pair(const batch_run *run, size_t configuration, kiln_placed_pair pair,
                                kiln_hit *hit)
{
    const kiln_placed *a = run->batch->placed + pair.a, *b = run->batch->placed + pair.b;
    return kiln_collide(a->tree, pose_in(a, configuration), b->tree, pose_in(b, configuration),
                        run->given, hit);
}

/* `before`: the answer for the same pair in the configuration before, or NULL. */
static kiln_status within_pair(const batch_run *run, size_t configuration, kiln_placed_pair pair,
                               const kiln_hit *before, kiln_hit *hit)
{
    const kiln_placed *a = run->batch->placed + pair.a, *b = run->batch->placed + pair.b;
    kiln_pair_options options = run->options;
    if (before != NULL) {
        options.hint = before->hint;
    }
    return kiln_within(a->tree, pose_in(a, configuration), b->tree, pose_in(b, configuration),
                       run->distance, &options, hit);
}

/* Are the last two distances alike, for the size of the meshes? */
static bool are_alike(const batch_run *run, size_t configuration, kiln_placed_pair pair,
                      double distance, double earlier)
{
    const kiln_placed *a = run->batch->placed + pair.a, *b = run->batch->placed + pair.b;
    const double size_a = size_of(a, configuration), size_b = size_of(b, configuration);
    return fabs(distance - earlier) <= ALIKE * (size_a < size_b ? size_a : size_b);
}

/* Is the answer of the configuration before one to begin with? Where poses are not those of a
 * motion, one that is far from the new answer misleads the walk, which then takes a tenth longer.
 * So the last two distances have to be alike. With a tolerance, answers depend on it, so it must
 * not depend on the caller's rounding. */
static bool is_good_hint(const batch_run *run, size_t configuration, kiln_placed_pair pair,
                         const kiln_nearest *before, const kiln_nearest *earlier)
{
    if (before == NULL || !before->found || !(before->distance > 0)) {
        return false;
    }
    if (earlier == NULL) {
        return true;
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(compare, are_alike);
    const bool alike = compare(run, configuration, pair, before->distance, earlier->distance);
    kiln_fpu_leave(caller);
    return alike;
}

/* The distance if it is at most `beyond`, which is at most that of the options. `before` and
 * `earlier`: the answers in the last configuration and in the one before that, or NULL. */
static kiln_status nearest_pair(const batch_run *run, size_t configuration, kiln_placed_pair pair,
                                const kiln_nearest *before, const kiln_nearest *earlier,
                                double beyond, kiln_nearest *nearest)
{
    const kiln_placed *a = run->batch->placed + pair.a, *b = run->batch->placed + pair.b;
    const kiln_pose *pose_a = pose_in(a, configuration), *pose_b = pose_in(b, configuration);
    kiln_pair_options options = run->options;
    kiln_nearest found;
    const bool hinted = is_good_hint(run, configuration, pair, before, earlier);
    if (hinted) {
        options.hint = before->hint;
    }
    options.beyond = beyond;
    kiln_status status = kiln_distance(a->tree, pose_a, b->tree, pose_b, &options, &found);
    if (status == KILN_OK && found.found && !(found.distance > 0) &&
        (hinted || beyond < run->options.beyond)) {
        status = kiln_distance(a->tree, pose_a, b->tree, pose_b, &run->options, &found);
    }
    if (status == KILN_OK) {
        *nearest = found;
    }
    return status;
}

/* -------------------------------------------------------- the answers for a configuration -- */

static kiln_status collide_one(const batch_run *run, size_t at, size_t configuration,
                               kiln_placed_pair pair, size_t earlier)
{
    (void)earlier;
    return collide_pair(run, configuration, pair, (kiln_hit *)run->out + at);
}

static kiln_status within_one(const batch_run *run, size_t at, size_t configuration,
                              kiln_placed_pair pair, size_t earlier)
{
    kiln_hit *hit = (kiln_hit *)run->out + at;
    return within_pair(run, configuration, pair, earlier > 0 ? hit - run->pairs : NULL, hit);
}

static kiln_status measure_one(const batch_run *run, size_t at, size_t configuration,
                               kiln_placed_pair pair, size_t earlier)
{
    kiln_nearest *nearest = (kiln_nearest *)run->out + at;
    const kiln_nearest *before = earlier > 0 ? nearest - run->pairs : NULL;
    return nearest_pair(run, configuration, pair, before, earlier > 1 ? before - run->pairs : NULL,
                        run->options.beyond, nearest);
}

static kiln_status answer_each_pair(batch_run *run, size_t configuration, size_t earlier)
{
    kiln_placed_pair pair = {0, 0};
    kiln_status status = KILN_OK;
    for (size_t k = 0; k < run->pairs && status == KILN_OK; k++) {
        pair = next_pair(run->batch, k, pair);
        status = run->of_pair(run, configuration * run->pairs + k, configuration, pair, earlier);
    }
    return status;
}

/* `within`: else the surfaces have to meet. `before`: the answer in the configuration before. */
static kiln_status first_pair(const batch_run *run, size_t configuration, bool within,
                              const kiln_batch_hit *before, kiln_batch_hit *first)
{
    kiln_placed_pair pair = {0, 0};
    kiln_batch_hit found;
    memset(&found, 0, sizeof found);
    for (size_t k = 0; k < run->pairs && !found.found; k++) {
        pair = next_pair(run->batch, k, pair);
        const kiln_hit *hint = before != NULL && before->pair == k ? &before->hit : NULL;
        const kiln_status status = within ? within_pair(run, configuration, pair, hint, &found.hit)
                                          : collide_pair(run, configuration, pair, &found.hit);
        if (status != KILN_OK) {
            return status;
        }
        if (found.hit.found) {
            found.found = true;
            found.placed = pair;
            found.pair = k;
        }
    }
    *first = found;
    return KILN_OK;
}

static kiln_status collide_first_pair(batch_run *run, size_t configuration, size_t earlier)
{
    (void)earlier;
    return first_pair(run, configuration, false, NULL, (kiln_batch_hit *)run->out + configuration);
}

static kiln_status within_first_pair(batch_run *run, size_t configuration, size_t earlier)
{
    kiln_batch_hit *first = (kiln_batch_hit *)run->out + configuration;
    return first_pair(run, configuration, true, earlier > 0 ? first - 1 : NULL, first);
}

/* Of several threads' values the least stays. */
static void lower_to(size_t *least, size_t value)
{
    size_t seen = __atomic_load_n(least, __ATOMIC_RELAXED);
    while (value < seen && !__atomic_compare_exchange_n(least, &seen, value, true, __ATOMIC_RELAXED,
                                                        __ATOMIC_RELAXED)) {
    }
}

/* Lowers the limit to a configuration with a hit. Its answer is found once more at the end, since
 * there is no place to keep those of several threads. */
static kiln_status collide_until_first(batch_run *run, size_t configuration, size_t earlier)
{
    kiln_batch_hit hit;
    (void)earlier;
    const kiln_status status = first_pair(run, configuration, false, NULL, &hit);
    if (status == KILN_OK && hit.found) {
        lower_to(&run->limit, configuration);
    }
    return status;
}

/* Takes pair k if it is nearer than the best, or as near and earlier in the list. */
static kiln_status try_pair_of_batch(const batch_run *run, size_t configuration, size_t k,
                                     kiln_placed_pair pair, const kiln_nearest *before,
                                     const kiln_nearest *earlier, kiln_batch_nearest *best)
{
    kiln_nearest nearest;
    const double beyond = best->nearest.distance;
    const kiln_status status =
        nearest_pair(run, configuration, pair, before, earlier, beyond, &nearest);
    if (status == KILN_OK && nearest.found &&
        (!best->found || nearest.distance < beyond ||
         (!(nearest.distance > beyond) && k < best->pair))) {
        best->found = true;
        best->placed = pair;
        best->pair = k;
        best->nearest = nearest;
    }
    return status;
}

/* The pair that was nearest in the configuration before comes first: mostly it is again, and the
 * others are seen to be farther at their topmost volumes. */
static kiln_status least_distance(batch_run *run, size_t configuration, size_t earlier)
{
    kiln_batch_nearest *out = (kiln_batch_nearest *)run->out + configuration;
    const kiln_batch_nearest *before = earlier > 0 && out[-1].found ? out - 1 : NULL;
    kiln_batch_nearest best;
    kiln_placed_pair pair = {0, 0};
    kiln_status status = KILN_OK;
    memset(&best, 0, sizeof best);
    best.nearest.distance = run->options.beyond;
    if (before != NULL) {
        status = try_pair_of_batch(run, configuration, before->pair, before->placed,
                                   &before->nearest, earlier > 1 ? &out[-2].nearest : NULL, &best);
    }
    for (size_t k = 0; k < run->pairs && status == KILN_OK; k++) {
        pair = next_pair(run->batch, k, pair);
        /* Nothing is nearer than 0, and what comes later is no earlier. */
        if (best.found && !(best.nearest.distance > 0) && k > best.pair) {
            break;
        }
        if (before == NULL || k != before->pair) {
            status = try_pair_of_batch(run, configuration, k, pair, NULL, NULL, &best);
        }
    }
    if (status == KILN_OK) {
        *out = best;
    }
    return status;
}

/* -------------------------------------------------------------------------------- running -- */

/* Single queries ask only where leaves may meet, which may be in none of them. */
static bool is_to_stop(const batch_run *run)
{
    return run->options.stop != NULL && run->options.stop(run->options.stop_user);
}

static void run_chunk(void *context, uint32_t index)
{
    batch_run *run = (batch_run *)context;
    const size_t from = (size_t)index * run->chunk, left = run->batch->count - from;
    const size_t to = from + (left < run->chunk ? left : run->chunk);
    KILN_ASSERT(from < run->batch->count);
    for (size_t i = from; i < to; i++) {
        if (i >= __atomic_load_n(&run->limit, __ATOMIC_RELAXED) ||
            i >= __atomic_load_n(&run->refused, __ATOMIC_RELAXED) ||
            __atomic_load_n(&run->stopped, __ATOMIC_RELAXED)) {
            break;
        }
        if (is_to_stop(run)) {
            __atomic_store_n(&run->stopped, true, __ATOMIC_RELAXED);
            break;
        }
        const kiln_status status = run->answer(run, i, i - from);
        if (status == KILN_ERROR_POSE) {
            lower_to(&run->refused, i);
        } else if (status != KILN_OK) { /* all else was looked at before */
            KILN_ASSERT(status == KILN_ERROR_STOPPED);
            __atomic_store_n(&run->stopped, true, __ATOMIC_RELAXED);
        }
    }
}

/* Are all trees ones that queries take? */
static kiln_status check_trees(const kiln_batch *batch)
{
    for (uint32_t i = 0; i < batch->placed_count; i++) {
        if (batch->placed[i].tree == NULL) {
            return KILN_ERROR_ARGUMENT;
        }
    }
    for (uint32_t i = 0; i < batch->placed_count; i++) {
        if (!kiln_tree_has_polygons(batch->placed[i].tree)) {
            return kiln_tree_lack(batch->placed[i].tree);
        }
    }
    return KILN_OK;
}

/* The first placed tree whose pose is refused, in a configuration with one. */
static uint32_t refused_placed(const kiln_batch *batch, size_t configuration)
{
    uint32_t k = 0;
    for (; k + 1 < batch->placed_count; k++) {
        const kiln_pose *pose = pose_in(batch->placed + k, configuration);
        if (pose != NULL && !kiln_pose_is_served(pose)) {
            break;
        }
    }
    return k;
}

/* Options that queries of distance have, and others do not look at. */
static bool are_options_sound(const batch_run *run)
{
    const kiln_pair_options *pair = &run->options;
    const bool measures = run->of_pair == measure_one || run->answer == least_distance;
    return !measures || (pair->beyond >= 0 && pair->relative >= 0 && pair->relative < HUGE_VAL &&
                         pair->absolute >= 0 && pair->absolute < HUGE_VAL);
}

/* Whatever a query could refuse but its poses. */
static kiln_status check_batch(const batch_run *run)
{
    const kiln_batch *batch = run->batch;
    const size_t answers = SIZE_MAX / (run->size == 0 ? 1 : run->size);
    const size_t pairs = run->of_pair != NULL && run->pairs != 0 ? run->pairs : 1;
    if ((batch->placed == NULL && batch->placed_count != 0) || !are_options_sound(run) ||
        !(run->distance >= 0) || batch->count > answers / pairs) {
        return KILN_ERROR_ARGUMENT;
    }
    const bool listed = batch->pair_count != KILN_BATCH_ALL_PAIRS;
    if (listed ? batch->pairs == NULL && batch->pair_count != 0 : batch->pairs != NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    for (size_t k = 0; listed && k < batch->pair_count; k++) {
        if (!is_pair_of(batch->pairs[k], batch->placed_count)) {
            return KILN_ERROR_ARGUMENT;
        }
    }
    return check_trees(batch);
}

/* Chunks of so many configurations that each has queries enough, and that they can be counted. */
static size_t chunk_of(size_t count, size_t pairs)
{
    const size_t for_queries = CHUNK_QUERIES / (pairs == 0 ? 1 : pairs);
    const size_t for_number = count / CHUNKS_MOST + 1;
    const size_t chunk = for_queries > for_number ? for_queries : for_number;
    return chunk < 16 ? 16 : chunk;
}

static void tell_refused(const batch_run *run, const kiln_batch_options *options)
{
    if (options->bad_configuration != NULL) {
        *options->bad_configuration = run->refused;
    }
    if (options->bad_placed != NULL) {
        const kiln_fpu_state caller = kiln_fpu_enter();
        KILN_FPU_CALL(find, refused_placed);
        *options->bad_placed = find(run->batch, run->refused);
        kiln_fpu_leave(caller);
    }
}

/* Poses are looked at by the queries alone, as that costs a twentieth of the shortest. Which
 * configurations are looked at in spite of one that is refused depends on threads; that those
 * before it are, does not. */
static kiln_status run_batch(batch_run *run, const kiln_batch_options *given)
{
    kiln_batch_options options = kiln_batch_options_default();
    kiln_options_take(&options, sizeof options, given);
    if (run->batch == NULL || run->out == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_hint none = {0, 0};
    run->pairs = kiln_batch_pair_count(run->batch);
    run->given = options.pair;
    run->options = kiln_pair_options_of(options.pair);
    run->options.hint = none;
    run->limit = run->refused = run->batch->count;
    run->stopped = false;
    const kiln_status status = check_batch(run);
    if (status != KILN_OK || run->batch->count == 0) {
        return status;
    }
    run->chunk = chunk_of(run->batch->count, run->pairs);
    const uint32_t chunks = (uint32_t)((run->batch->count - 1) / run->chunk + 1);
    if (options.parallel != NULL) {
        options.parallel(options.parallel_user, run_chunk, run, chunks);
    } else {
        for (uint32_t i = 0; i < chunks; i++) {
            run_chunk(run, i);
        }
    }
    if (run->stopped) {
        return KILN_ERROR_STOPPED;
    }
    if (run->refused < run->limit) {
        tell_refused(run, &options);
        return KILN_ERROR_POSE;
    }
    return KILN_OK;
}

kiln_status kiln_batch_collide(const kiln_batch *batch, const kiln_batch_options *options,
                               kiln_hit *hits)
{
    batch_run run = {.batch = batch,
                     .answer = answer_each_pair,
                     .of_pair = collide_one,
                     .out = hits,
                     .size = sizeof *hits};
    return run_batch(&run, options);
}

kiln_status kiln_batch_within(const kiln_batch *batch, double distance,
                              const kiln_batch_options *options, kiln_hit *hits)
{
    batch_run run = {.batch = batch,
                     .distance = distance,
                     .answer = answer_each_pair,
                     .of_pair = within_one,
                     .out = hits,
                     .size = sizeof *hits};
    return run_batch(&run, options);
}

kiln_status kiln_batch_distance(const kiln_batch *batch, const kiln_batch_options *options,
                                kiln_nearest *nearest)
{
    batch_run run = {.batch = batch,
                     .answer = answer_each_pair,
                     .of_pair = measure_one,
                     .out = nearest,
                     .size = sizeof *nearest};
    return run_batch(&run, options);
}

kiln_status kiln_batch_collide_first(const kiln_batch *batch, const kiln_batch_options *options,
                                     kiln_batch_hit *first)
{
    batch_run run = {
        .batch = batch, .answer = collide_first_pair, .out = first, .size = sizeof *first};
    return run_batch(&run, options);
}

kiln_status kiln_batch_within_first(const kiln_batch *batch, double distance,
                                    const kiln_batch_options *options, kiln_batch_hit *first)
{
    batch_run run = {.batch = batch,
                     .distance = distance,
                     .answer = within_first_pair,
                     .out = first,
                     .size = sizeof *first};
    return run_batch(&run, options);
}

kiln_status kiln_batch_collide_any(const kiln_batch *batch, const kiln_batch_options *options,
                                   size_t *configuration, kiln_batch_hit *hit)
{
    batch_run run = {.batch = batch, .answer = collide_until_first, .out = hit};
    kiln_batch_hit found;
    memset(&found, 0, sizeof found);
    if (configuration == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    kiln_status status = run_batch(&run, options);
    if (status == KILN_OK && run.limit < batch->count) {
        status = first_pair(&run, run.limit, false, NULL, &found);
    }
    if (status == KILN_OK) {
        *configuration = run.limit;
        *hit = found;
    }
    return status;
}

kiln_status kiln_batch_minimum(const kiln_batch *batch, const kiln_batch_options *options,
                               kiln_batch_nearest *nearest)
{
    batch_run run = {
        .batch = batch, .answer = least_distance, .out = nearest, .size = sizeof *nearest};
    return run_batch(&run, options);
}
