/* Batches against single calls: every bit of the answers, on the calling thread, on threads that
 * take tasks as they come, and in the reverse order of tasks. Placed trees are of all kinds, at
 * poses along paths (so that triangles of the configuration before are good ones to begin with), at
 * random, and exactly touching. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/amount.h"
#include "../support/body.h"

enum { PLACED = 5, CONFIGURATIONS = 60, PAIRS = PLACED * (PLACED - 1) / 2, THREADS = 4 };

/* ---------------------------------------------------------------------------- thread pools -- */

typedef struct {
    void (*task)(void *context, uint32_t index);
    void *context;
    uint32_t count, next;
} pool_work;

static void *take_tasks(void *user)
{
    pool_work *work = user;
    for (;;) {
        const uint32_t index = __atomic_fetch_add(&work->next, 1, __ATOMIC_RELAXED);
        if (index >= work->count) {
            return NULL;
        }
        work->task(work->context, index);
    }
}

static void on_threads(void *user, void (*task)(void *context, uint32_t index), void *context,
                       uint32_t count)
{
    pool_work work = {task, context, count, 0};
    pthread_t threads[THREADS];
    (void)user;
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, take_tasks, &work), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
}

static void backwards(void *user, void (*task)(void *context, uint32_t index), void *context,
                      uint32_t count)
{
    ++*(unsigned *)user;
    while (count-- > 0) {
        task(context, count);
    }
}

/* ------------------------------------------------------------------------------- scenarios -- */

typedef struct {
    body bodies[PLACED];
    kiln_placed placed[PLACED];
    kiln_pose poses[CONFIGURATIONS][PLACED];
    kiln_placed_pair pairs[PAIRS];
    size_t pair_count;
    kiln_batch batch;
    kiln_pair_options pair;
    body_rule rule;
    double distance;
} scenario;

static mesh random_mesh(uint64_t *random)
{
    switch (random_below(random, 4)) {
    case 0:
        return mesh_box(-1, -1, -1, 1, 1, 1);
    case 1:
        return mesh_soup(random, 20 + random_below(random, 60), 0.5);
    case 2:
        return mesh_lattice(random, 30, 3);
    default:
        return mesh_torus(6 + random_below(random, 10), 5 + random_below(random, 8), 0.1);
    }
}

/* Paths are smooth with a jump now and then; exact poses make corners meet corners. */
static void place_all(scenario *s, uint64_t *random, bool exact)
{
    const double spread = random_between(random, 0.5, 8);
    for (int k = 0; k < PLACED; k++) {
        const double reach = random_between(random, 0.5, 1) * spread;
        kiln_pose pose = pose_random(random, reach);
        for (int i = 0; i < CONFIGURATIONS; i++) {
            if (exact) {
                pose = pose_exact(random, 3);
            } else if (random_below(random, 40) == 0) {
                pose = pose_random(random, reach);
            } else {
                double axis[3];
                random_direction(random, axis);
                pose_turn(&pose, axis, random_between(random, 0, 0.02));
                for (int c = 0; c < 3; c++) {
                    pose.translation[c] += random_between(random, -0.05, 0.05);
                }
            }
            pose.scale = random_below(random, 3) == 0 ? scale_random(random, exact) : 1;
            s->poses[i][k] = pose;
        }
    }
}

static void make_scenario(scenario *s, uint64_t *random)
{
    const bool exact = random_below(random, 4) == 0;
    memset(s, 0, sizeof *s);
    place_all(s, random, exact);
    for (uint32_t k = 0; k < PLACED; k++) {
        s->bodies[k] = body_of(random_mesh(random), 4, KILN_LAYOUT_RAW);
        s->placed[k].tree = s->bodies[k].trees[random_below(random, BODY_KINDS)];
        s->placed[k].poses = random_below(random, 8) == 0 ? NULL : &s->poses[0][k];
        s->placed[k].stride = random_below(random, 5) == 0 ? 0 : PLACED;
    }
    const kiln_batch batch = {s->placed, PLACED, NULL, KILN_BATCH_ALL_PAIRS, CONFIGURATIONS};
    s->batch = batch;
    if (random_below(random, 2) == 0) { /* a list, in any order and either way round */
        for (s->pair_count = 0; s->pair_count < 1 + random_below(random, PAIRS); s->pair_count++) {
            kiln_placed_pair *pair = s->pairs + s->pair_count;
            pair->a = random_below(random, PLACED);
            pair->b = (pair->a + 1 + random_below(random, PLACED - 1)) % PLACED;
        }
        s->batch.pairs = s->pairs;
        s->batch.pair_count = s->pair_count;
    } else {
        assert_int_equal(kiln_batch_pairs(PLACED, NULL, 0, s->pairs, &s->pair_count), KILN_OK);
        assert_int_equal(s->pair_count, PAIRS);
    }
    s->pair = kiln_pair_options_default();
    if (random_below(random, 3) == 0) {
        s->rule.modulus = 2 + random_below(random, 3);
        s->pair.filter = body_pair_filter;
        s->pair.filter_user = &s->rule;
    }
    if (random_below(random, 3) == 0) {
        s->pair.beyond = random_between(random, 0, 2);
    }
    s->distance = random_below(random, 4) == 0 ? 0 : random_between(random, 0, 1);
}

static void free_scenario(scenario *s)
{
    for (int k = 0; k < PLACED; k++) {
        body_free(&s->bodies[k]);
    }
}

static const kiln_pose *pose_of(const scenario *s, size_t i, uint32_t k)
{
    const kiln_placed *placed = &s->placed[k];
    return placed->poses == NULL ? NULL : placed->poses + i * placed->stride;
}

/* ----------------------------------------------------------------------------- single calls -- */

typedef struct {
    kiln_hit meets[CONFIGURATIONS * PAIRS];
    kiln_hit within[CONFIGURATIONS * PAIRS];
    kiln_nearest nearest[CONFIGURATIONS * PAIRS];
} answers;

static void ask_singly(const scenario *s, answers *out)
{
    for (size_t i = 0; i < CONFIGURATIONS; i++) {
        for (size_t k = 0; k < s->pair_count; k++) {
            const size_t at = i * s->pair_count + k;
            const uint32_t a = s->pairs[k].a, b = s->pairs[k].b;
            const kiln_pose *pose_a = pose_of(s, i, a), *pose_b = pose_of(s, i, b);
            const kiln_tree *tree_a = s->placed[a].tree, *tree_b = s->placed[b].tree;
            assert_int_equal(
                kiln_collide(tree_a, pose_a, tree_b, pose_b, &s->pair, &out->meets[at]), KILN_OK);
            assert_int_equal(kiln_within(tree_a, pose_a, tree_b, pose_b, s->distance, &s->pair,
                                         &out->within[at]),
                             KILN_OK);
            assert_int_equal(
                kiln_distance(tree_a, pose_a, tree_b, pose_b, &s->pair, &out->nearest[at]),
                KILN_OK);
        }
    }
}

/* Every member, since bytes between members are nobody's. */
static void same_hit(const kiln_hit *a, const kiln_hit *b)
{
    assert_int_equal(a->found, b->found);
    assert_memory_equal(&a->pair, &b->pair, sizeof a->pair);
    assert_memory_equal(&a->hint, &b->hint, sizeof a->hint);
}

static void same_nearest(const kiln_nearest *a, const kiln_nearest *b)
{
    assert_int_equal(a->found, b->found);
    assert_memory_equal(&a->distance, &b->distance, sizeof a->distance);
    assert_memory_equal(&a->pair, &b->pair, sizeof a->pair);
    assert_memory_equal(a->point_a, b->point_a, sizeof a->point_a);
    assert_memory_equal(a->point_b, b->point_b, sizeof a->point_b);
    assert_memory_equal(a->normal, b->normal, sizeof a->normal);
    assert_memory_equal(&a->hint, &b->hint, sizeof a->hint);
}

/* --------------------------------------------------------------------------------- compared -- */

typedef struct {
    size_t meet, near_only, least_meets, later;
} tally;

static void compare_all(const scenario *s, const kiln_batch_options *options, const answers *wanted,
                        tally *seen)
{
    static answers got;
    const size_t count = CONFIGURATIONS * s->pair_count;
    memset(&got, 0x5a, sizeof got);
    assert_int_equal(kiln_batch_collide(&s->batch, options, got.meets), KILN_OK);
    assert_int_equal(kiln_batch_within(&s->batch, s->distance, options, got.within), KILN_OK);
    assert_int_equal(kiln_batch_distance(&s->batch, options, got.nearest), KILN_OK);
    for (size_t at = 0; at < count; at++) {
        same_hit(&got.meets[at], &wanted->meets[at]);
        assert_int_equal(got.within[at].found, wanted->within[at].found);
        same_nearest(&got.nearest[at], &wanted->nearest[at]);
        seen->meet += got.meets[at].found;
        seen->near_only += got.within[at].found && !got.meets[at].found;
    }
}

static void compare_first(const scenario *s, const kiln_batch_options *options,
                          const answers *wanted, tally *seen)
{
    static kiln_batch_hit meets[CONFIGURATIONS], within[CONFIGURATIONS];
    size_t any = CONFIGURATIONS, configuration;
    kiln_batch_hit hit;
    memset(meets, 0x5a, sizeof meets);
    assert_int_equal(kiln_batch_collide_first(&s->batch, options, meets), KILN_OK);
    assert_int_equal(kiln_batch_within_first(&s->batch, s->distance, options, within), KILN_OK);
    assert_int_equal(kiln_batch_collide_any(&s->batch, options, &configuration, &hit), KILN_OK);
    for (size_t i = 0; i < CONFIGURATIONS; i++) {
        size_t k = 0, w = 0;
        const size_t at = i * s->pair_count;
        while (k < s->pair_count && !wanted->meets[at + k].found) {
            k++;
        }
        while (w < s->pair_count && !wanted->within[at + w].found) {
            w++;
        }
        assert_int_equal(meets[i].found, k < s->pair_count);
        assert_int_equal(meets[i].pair, k < s->pair_count ? k : 0);
        assert_int_equal(within[i].found, w < s->pair_count);
        assert_int_equal(within[i].pair, w < s->pair_count ? w : 0);
        if (k < s->pair_count) {
            same_hit(&meets[i].hit, &wanted->meets[at + k]);
            assert_memory_equal(&meets[i].placed, &s->pairs[k], sizeof s->pairs[k]);
            if (any == CONFIGURATIONS) {
                any = i;
                same_hit(&hit.hit, &wanted->meets[at + k]);
                assert_int_equal(hit.pair, k);
                seen->later += i > 0;
            }
        }
    }
    assert_int_equal(configuration, any);
    assert_int_equal(hit.found, any < CONFIGURATIONS);
}

static void compare_minimum(const scenario *s, const kiln_batch_options *options,
                            const answers *wanted, tally *seen)
{
    static kiln_batch_nearest least[CONFIGURATIONS];
    memset(least, 0x5a, sizeof least);
    assert_int_equal(kiln_batch_minimum(&s->batch, options, least), KILN_OK);
    for (size_t i = 0; i < CONFIGURATIONS; i++) {
        const kiln_nearest *of = wanted->nearest + i * s->pair_count;
        size_t best = 0;
        for (size_t k = 1; k < s->pair_count; k++) {
            const bool nearer =
                of[k].found && (!of[best].found || of[k].distance < of[best].distance);
            best = nearer ? k : best;
        }
        same_nearest(&least[i].nearest, &of[best]);
        assert_int_equal(least[i].found, of[best].found);
        assert_int_equal(least[i].pair, of[best].found ? best : 0);
        seen->least_meets += of[best].found && of[best].distance == 0;
    }
}

static void answers_are_those_of_single_calls(void **state)
{
    static scenario s;
    static answers wanted;
    uint64_t random = 19;
    tally seen = {0, 0, 0, 0};
    const uint32_t scenarios = amount_of_few(50);
    (void)state;
    for (uint32_t round = 0; round < scenarios; round++) {
        make_scenario(&s, &random);
        ask_singly(&s, &wanted);
        unsigned runs = 0;
        kiln_batch_options plain = kiln_batch_options_default(), threads = plain, reverse = plain;
        plain.pair = threads.pair = reverse.pair = &s.pair;
        threads.parallel = on_threads;
        reverse.parallel = backwards;
        reverse.parallel_user = &runs;
        if (s.pair.filter != NULL) {
            threads.parallel = NULL; /* the filter counts its calls, as one thread may */
        }
        const kiln_batch_options *const ways[3] = {&plain, &threads, &reverse};
        for (int way = 0; way < 3; way++) {
            compare_all(&s, ways[way], &wanted, &seen);
            compare_first(&s, ways[way], &wanted, &seen);
            compare_minimum(&s, ways[way], &wanted, &seen);
        }
        assert_int_equal(runs, 7);
        free_scenario(&s);
    }
    assert_true(seen.meet > 0 && seen.near_only > 0 && seen.least_meets > 0);
    assert_true(seen.later > 0);
}

/* With tolerances a batch may stop at another pair than a single call, as near as was asked for. */
static void tolerances_hold(void **state)
{
    static scenario s;
    static kiln_nearest least[CONFIGURATIONS * PAIRS], got[CONFIGURATIONS * PAIRS];
    uint64_t random = 20;
    (void)state;
    make_scenario(&s, &random);
    s.pair = kiln_pair_options_default();
    kiln_batch_options options = kiln_batch_options_default();
    options.pair = &s.pair;
    assert_int_equal(kiln_batch_distance(&s.batch, &options, least), KILN_OK);
    s.pair.relative = 0.1;
    s.pair.absolute = 0.01;
    assert_int_equal(kiln_batch_distance(&s.batch, &options, got), KILN_OK);
    size_t differ = 0;
    for (size_t at = 0; at < CONFIGURATIONS * s.pair_count; at++) {
        const double most = least[at].distance * 1.1 + 0.01;
        assert_true(got[at].distance >= least[at].distance && got[at].distance <= most * 1.000001);
        differ += got[at].distance > least[at].distance;
    }
    assert_true(differ > 0);
    free_scenario(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_single_calls),
        cmocka_unit_test(tolerances_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
