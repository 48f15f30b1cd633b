/* What is sampled: small meshes of every kind of tree and leaf size at random and exact poses, with
 * scales; tori, boxes and a car for what is promised on average.
 *
 * Oracle: kiln_collide. No tolerance for what is proved, for runs in pieces against runs in one,
 * for instruction sets and for swapped arguments; on average the bounds are generous: bench_likely
 * measures. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/kernel/kernel.h"
#include "../../runtime/query/likely_weights.h"
#include "../support/amount.h"
#include "../support/quick_bake.h"

enum { PAIRS = 1200, POSES = 1500, MANY = 60, ROOM = 1 << 17 };

static bool found(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                  const kiln_pose *pose_b)
{
    kiln_hit hit;
    assert_int_equal(kiln_collide(a, pose_a, b, pose_b, NULL, &hit), KILN_OK);
    return hit.found;
}

static kiln_likely_answer ask(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                              const kiln_pose *pose_b, const kiln_likely_options *options)
{
    kiln_likely_answer answer;
    memset(&answer, 0xAA, sizeof answer);
    assert_int_equal(kiln_collide_likely(a, pose_a, b, pose_b, options, &answer), KILN_OK);
    assert_true(answer.probability >= 0 && answer.probability <= 1);
    return answer;
}

static void assert_same(const kiln_likely_answer *p, const kiln_likely_answer *q)
{
    assert_int_equal(p->verdict, q->verdict);
    assert_int_equal(p->proved, q->proved);
    assert_int_equal(p->steps, q->steps);
    assert_true(p->probability == q->probability && p->score == q->score);
    assert_true(p->most == q->most && p->rest == q->rest && p->waiting == q->waiting);
    assert_memory_equal(&p->pair, &q->pair, sizeof p->pair);
}

/* What is proved is true; what is early has passed the threshold. */
static void check_answer(const kiln_likely_answer *answer, bool truth, double threshold)
{
    switch (answer->verdict) {
    case KILN_LIKELY_NO:
        assert_true(answer->proved && !truth && answer->probability == 0);
        break;
    case KILN_LIKELY_YES:
        assert_true(!answer->proved || (truth && answer->probability == 1));
        assert_true(answer->proved || answer->score > threshold);
        break;
    case KILN_LIKELY_UNDECIDED:
        assert_false(answer->proved);
        assert_true(answer->waiting > 0 && answer->most > 0 && answer->rest >= 0);
        break;
    }
}

/* A score is of what waits, and of nothing that was looked into: it changes when a node is weighed,
 * and is then at most what counts the likeliest lane of all wholly, the others by .7, and takes off
 * half for each doubling of the steps. */
static void check_scores(kiln_likely *query, const kiln_tree *a, const kiln_pose *pose_a,
                         const kiln_tree *b, const kiln_pose *pose_b)
{
    kiln_likely_options options = kiln_likely_options_of(KILN_LIKELY_DEFAULT);
    kiln_likely_answer answer;
    double before = 0;
    options.threshold = INFINITY;
    assert_int_equal(kiln_likely_begin(query, a, pose_a, b, pose_b, &options), KILN_OK);
    for (int step = 0; step < 60; step++) {
        assert_int_equal(kiln_likely_get_answer(query, &answer), KILN_OK);
        if (answer.verdict != KILN_LIKELY_UNDECIDED) {
            return;
        }
        if (answer.score != before) {
            const double later = 0.5 * floor(log2((double)answer.steps));
            assert_true(answer.score + later <= 1.0001 * (answer.most + 0.7 * answer.rest) + 1e-4);
        }
        before = answer.score;
        assert_int_equal(kiln_likely_run(query, 1, UINT64_MAX), KILN_OK);
    }
}

/* In steps of a few, and in one: the same, whichever set of instructions runs. */
static void check_pieces(uint64_t *state, kiln_likely *query, const kiln_tree *a,
                         const kiln_pose *pose_a, const kiln_tree *b, const kiln_pose *pose_b,
                         kiln_likely_options options, bool truth)
{
    kiln_likely_answer pieces, whole;
    options.steps = 1 + random_below(state, 40);
    assert_int_equal(kiln_likely_begin(query, a, pose_a, b, pose_b, &options), KILN_OK);
    for (uint64_t left = options.steps - 1; left > 0;) {
        const uint64_t some = 1 + random_below(state, (uint32_t)left);
        assert_int_equal(kiln_likely_run(query, some, UINT64_MAX), KILN_OK);
        left -= some;
    }
    assert_int_equal(kiln_likely_get_answer(query, &pieces), KILN_OK);
    assert_true(pieces.steps <= options.steps);
    check_answer(&pieces, truth, options.threshold);
    const kiln_kernel *kernel;
    for (unsigned set = 0; (kernel = kiln_kernel_runnable(set)) != NULL; set++) {
        kiln_kernel_force(kernel);
        whole = ask(a, pose_a, b, pose_b, &options);
        assert_same(&whole, &pieces);
    }
    kiln_kernel_force(NULL);
}

static void check_pair(uint64_t *state, kiln_likely *query, const kiln_tree *a,
                       const kiln_pose *pose_a, const kiln_tree *b, const kiln_pose *pose_b)
{
    const bool truth = found(a, pose_a, b, pose_b);
    kiln_likely_options options = kiln_likely_options_of((kiln_likely_mode)random_below(state, 3));
    kiln_likely_answer answer = ask(a, pose_a, b, pose_b, &options), other;
    check_answer(&answer, truth, options.threshold);
    assert_int_not_equal(answer.verdict, KILN_LIKELY_UNDECIDED);
    const kiln_kernel *kernel;
    for (unsigned set = 0; (kernel = kiln_kernel_runnable(set)) != NULL; set++) {
        kiln_kernel_force(kernel);
        other = ask(a, pose_a, b, pose_b, &options);
        assert_same(&other, &answer);
    }
    kiln_kernel_force(NULL);
    other = ask(b, pose_b, a, pose_a, &options);
    if (a != b) { /* copies of one tree at other poses name other pairs */
        const kiln_pair turned = {other.pair.b, other.pair.a, other.pair.value_b,
                                  other.pair.value_a};
        other.pair = turned;
        assert_same(&other, &answer);
    }
    check_pieces(state, query, a, pose_a, b, pose_b, options, truth);
    check_scores(query, a, pose_a, b, pose_b);
    options.threshold = INFINITY;
    answer = ask(a, pose_a, b, pose_b, &options);
    assert_true(answer.proved && (answer.verdict == KILN_LIKELY_YES) == truth);
}

static void run_class(bool lattice)
{
    static uint64_t memory[ROOM / sizeof(uint64_t)];
    uint64_t state = lattice ? 41 : 42;
    kiln_likely *query;
    uint32_t hits = 0;
    assert_int_equal(kiln_likely_place(memory, sizeof memory, &query), KILN_OK);
    const uint32_t pairs = amount(PAIRS) / 2;
    for (uint32_t i = 0; i < pairs; i++) {
        const int leaf = 1 + (int)random_below(&state, 15),
                  extent = 1 + (int)random_below(&state, 6);
        const uint32_t n = 1 + random_below(&state, 200), m = 1 + random_below(&state, 200);
        const double size = random_between(&state, 0.02, 0.6);
        quick_model a =
            quick_model_of(lattice ? mesh_lattice(&state, n, extent) : mesh_soup(&state, n, size),
                           QUICK_ALL_KINDS, leaf);
        quick_model b =
            quick_model_of(lattice ? mesh_lattice(&state, m, extent) : mesh_soup(&state, m, size),
                           QUICK_ALL_KINDS, leaf);
        kiln_pose pose_a = lattice ? pose_exact(&state, 5) : pose_random(&state, 1.5);
        kiln_pose pose_b = lattice ? pose_exact(&state, 5) : pose_random(&state, 1.5);
        pose_a.scale = scale_random(&state, lattice);
        pose_b.scale = scale_random(&state, lattice);
        const uint32_t kinds = kiln_file_tree_count(a.file);
        for (uint32_t k = 0; k < kinds; k++) {
            check_pair(&state, query, kiln_file_tree(a.file, k), &pose_a,
                       kiln_file_tree(b.file, (k + i) % kinds), &pose_b);
            if (i % 8 == 0) { /* one mesh at one place, as two kinds of tree */
                check_pair(&state, query, kiln_file_tree(a.file, k), &pose_a,
                           kiln_file_tree(a.file, (k + 1) % kinds), &pose_a);
            }
        }
        hits += found(kiln_file_tree(a.file, 0), &pose_a, kiln_file_tree(b.file, 0), &pose_b);
        quick_model_free(&a);
        quick_model_free(&b);
    }
    assert_true(hits > pairs / 20 && hits < pairs);
}

static void answers_hold_on_soups(void **state)
{
    (void)state;
    run_class(false);
}

static void answers_hold_on_lattices(void **state)
{
    (void)state;
    run_class(true);
}

/* -------------------------------------------------------------------------------- on average -- */

typedef struct {
    uint32_t poses, early, wrong;
    double said, came; /* of early ones: sums of probabilities, how many are true */
    uint64_t steps, exact_steps;
} tally;

static void count_answers(const kiln_tree *tree, uint64_t seed, tally *sum)
{
    kiln_likely_options options = kiln_likely_options_of(KILN_LIKELY_DEFAULT), never = options;
    uint64_t state = seed;
    never.threshold = INFINITY;
    const uint32_t poses = amount(POSES);
    for (uint32_t i = 0; i < poses; i++) {
        const kiln_pose pose = pose_random(&state, 1.2);
        const kiln_likely_answer answer = ask(tree, NULL, tree, &pose, &options);
        const kiln_likely_answer exact = ask(tree, NULL, tree, &pose, &never);
        const bool truth = exact.verdict == KILN_LIKELY_YES;
        if (exact.steps == 0) {
            continue;
        }
        sum->poses++;
        sum->steps += answer.steps;
        sum->exact_steps += exact.steps;
        sum->wrong += (answer.verdict == KILN_LIKELY_YES) != truth;
        if (!answer.proved) {
            sum->early++;
            sum->said += answer.probability;
            sum->came += truth;
        }
    }
}

/* Has the library weights that were fitted for this kind? */
static bool is_fitted(const kiln_node_kind *kind)
{
    bool found = false;
    for (size_t i = 0; i < kiln_likely_fitted_count; i++) {
        found = found || kiln_likely_fitted_rows[i].bv == (kiln_bv)kind->bv;
    }
    return found;
}

/* Every kind: few answers are wrong, of kinds that take the weights of another twice as many at
 * most, most are early, and they take much less. */
static void answers_are_mostly_right_and_early(void **unused)
{
    (void)unused;
    for (uint32_t kind = 0; kind < KILN_NODE_KIND_COUNT; kind++) {
        tally sum;
        memset(&sum, 0, sizeof sum);
        for (int i = 0; i < 2; i++) {
            quick_model b = quick_model_of(
                i == 0 ? mesh_torus(60, 30, 0.1) : mesh_of_shape("car", 6000), QUICK_ALL_KINDS, 4);
            count_answers(kiln_file_tree(b.file, kind), 100 + (uint64_t)i, &sum);
            quick_model_free(&b);
        }
        assert_true(sum.poses > amount(POSES));
        const uint32_t share = is_fitted(&kiln_node_kinds[kind]) ? 30 : 15;
        assert_true(sum.wrong * share < sum.poses);
        assert_true(sum.early * 4 > sum.poses);
        assert_true(2 * sum.steps < sum.exact_steps);
        assert_true(fabs(sum.said - sum.came) < 0.05 * sum.early);
    }
}

/* ----------------------------------------------------------------------------- many together -- */

/* Queries that share a budget give what each gives alone after the steps that it had; they take no
 * more than the budget; and fewer of them are wrong than of equal shares. */
static void a_shared_budget_is_kept_and_pays(void **unused)
{
    (void)unused;
    quick_model b = quick_model_of(mesh_of_shape("car", 6000), "obb", 4);
    const kiln_tree *tree = kiln_file_tree(b.file, 0);
    const size_t size = kiln_likely_size(tree, tree);
    void *memory[MANY];
    kiln_likely *queries[MANY];
    kiln_pose poses[MANY];
    uint32_t wrong_shared = 0, wrong_equal = 0;
    uint64_t state = 51;
    for (int i = 0; i < MANY; i++) {
        memory[i] = malloc(size);
        assert_non_null(memory[i]);
        assert_int_equal(kiln_likely_place(memory[i], size, &queries[i]), KILN_OK);
    }
    for (int frame = 0; frame < 40; frame++) {
        const uint64_t share = 2;
        uint64_t steps = 0;
        for (int i = 0; i < MANY; i++) {
            poses[i] = pose_random(&state, 1.2);
            assert_int_equal(kiln_likely_begin(queries[i], tree, NULL, tree, &poses[i], NULL),
                             KILN_OK);
        }
        assert_int_equal(kiln_likely_run_all(queries, MANY, share * MANY, UINT64_MAX), KILN_OK);
        for (int i = 0; i < MANY; i++) {
            const bool truth = found(tree, NULL, tree, &poses[i]);
            kiln_likely_answer answer;
            kiln_likely_options options = kiln_likely_options_of(KILN_LIKELY_DEFAULT);
            assert_int_equal(kiln_likely_get_answer(queries[i], &answer), KILN_OK);
            wrong_shared += (answer.probability > 0.5) != truth;
            steps += answer.steps > 0 ? answer.steps - 1 : 0;
            options.steps = answer.steps > 0 ? answer.steps : 1;
            const kiln_likely_answer alone = ask(tree, NULL, tree, &poses[i], &options);
            assert_same(&alone, &answer);
            options.steps = share + 1;
            wrong_equal += (ask(tree, NULL, tree, &poses[i], &options).probability > 0.5) != truth;
        }
        assert_true(steps <= share * MANY);
        assert_int_equal(kiln_likely_run_all(queries, MANY, UINT64_MAX, UINT64_MAX), KILN_OK);
        for (int i = 0; i < MANY; i++) {
            kiln_likely_answer answer;
            assert_int_equal(kiln_likely_get_answer(queries[i], &answer), KILN_OK);
            assert_int_not_equal(answer.verdict, KILN_LIKELY_UNDECIDED);
        }
    }
    assert_true(wrong_equal > 0);
    assert_true(3 * wrong_shared < 2 * wrong_equal);

    for (int i = 0; i < MANY; i++) {
        free(memory[i]);
    }
    quick_model_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_hold_on_soups),
        cmocka_unit_test(answers_hold_on_lattices),
        cmocka_unit_test(answers_are_mostly_right_and_early),
        cmocka_unit_test(a_shared_budget_is_kept_and_pays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
