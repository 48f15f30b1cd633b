/* What is sampled: small soups and lattices of every kind of tree and leaf size at random and exact
 * poses, with scales, as two meshes, as copies of one, and as one mesh at one place; each order,
 * rooms from none to more than enough, runs in pieces of random levels and lengths.
 *
 * Oracle: kiln_collide and kiln_contacts. No tolerance for verdicts, for the set of pairs, for
 * swapped arguments and for instruction sets. Points of contact are compared with 10^-9 of the size
 * of the scene, for they are rounded. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/kernel/kernel.h"
#include "../support/amount.h"
#include "../support/quick_bake.h"

enum { MESHES = 220, CONTACTS_MAX = 4000, VOLUMES_MAX = 6000, LOOKED_AT = 30, MANY = 24 };

#define NEAR 1e-9

/* Two placed trees and what is true of them. */
typedef struct {
    const kiln_tree *a, *b;
    const kiln_pose *pose_a, *pose_b;
    kiln_contact contacts[CONTACTS_MAX]; /* in ascending order of their pairs */
    size_t count;
} scene;

static void find_truth(scene *s)
{
    assert_int_equal(kiln_contacts_geometry(s->a, s->pose_a, s->b, s->pose_b, NULL, s->contacts,
                                            CONTACTS_MAX, &s->count),
                     KILN_OK);
}

/* Pairs as they are found. */
typedef struct {
    kiln_pair pairs[CONTACTS_MAX];
    size_t count, most;
} collected;

static bool collect(void *user, kiln_pair pair)
{
    collected *all = (collected *)user;
    assert_true(all->count < CONTACTS_MAX);
    all->pairs[all->count++] = pair;
    return all->count < all->most;
}

static int compare_pairs(const void *p, const void *q)
{
    const kiln_pair *a = (const kiln_pair *)p, *b = (const kiln_pair *)q;
    return a->a != b->a ? (a->a < b->a ? -1 : 1) : a->b != b->b ? (a->b < b->b ? -1 : 1) : 0;
}

static bool holds(const collected *all, kiln_pair pair)
{
    for (size_t i = 0; i < all->count; i++) {
        if (compare_pairs(&all->pairs[i], &pair) == 0) {
            return true;
        }
    }
    return false;
}

/* A query in memory of exactly the size that is asked for, at an odd address. */
static kiln_interruptible *make_query(const scene *s, uint32_t waiting, void **memory)
{
    const size_t size = kiln_interruptible_size(s->a, s->b, waiting);
    kiln_interruptible *query;
    *memory = malloc(size + 1);
    assert_non_null(*memory);
    assert_int_equal(kiln_interruptible_place((char *)*memory + 1, size, &query), KILN_OK);
    return query;
}

static void begin(kiln_interruptible *query, const scene *s,
                  const kiln_interruptible_options *options)
{
    assert_int_equal(kiln_interruptible_begin(query, s->a, s->pose_a, s->b, s->pose_b, options),
                     KILN_OK);
}

static kiln_interruptible_answer answer_of(const kiln_interruptible *query)
{
    kiln_interruptible_answer answer;
    memset(&answer, 0xAA, sizeof answer);
    assert_int_equal(kiln_interruptible_get_answer(query, &answer), KILN_OK);
    return answer;
}

static size_t volumes_of(const kiln_interruptible *query, kiln_volume_contact *volumes)
{
    size_t count;
    assert_int_equal(kiln_interruptible_get_contacts(query, volumes, VOLUMES_MAX, &count), KILN_OK);
    return count;
}

/* A query that has no more to do with `scene` than what waits in it and what it has found: is every
 * contact that it has not found in a volume that waits? */
static void check_volumes(const kiln_interruptible *query, const scene *s, const collected *found)
{
    static kiln_volume_contact volumes[VOLUMES_MAX];
    const size_t count = volumes_of(query, volumes);
    for (size_t i = 0; i < count && i < VOLUMES_MAX; i++) {
        const kiln_volume_contact *v = &volumes[i];
        const double squared =
            v->normal[0] * v->normal[0] + v->normal[1] * v->normal[1] + v->normal[2] * v->normal[2];
        assert_true(fabs(squared - 1) < 1e-5 && v->depth >= 0 && v->extent >= 0);
        assert_true(isfinite(v->depth) && isfinite(v->extent) && isfinite(v->position[0]) &&
                    isfinite(v->position[1]) && isfinite(v->position[2]));
        assert_true(i == 0 || volumes[i - 1].depth >= v->depth);
    }
    if (count > VOLUMES_MAX) {
        return;
    }
    const size_t step = s->count / LOOKED_AT + 1;
    for (size_t i = 0; i < s->count; i += step) {
        const kiln_contact *contact = &s->contacts[i];
        bool covered = holds(found, contact->pair);
        for (size_t j = 0; j < count && !covered; j++) {
            double squared = 0, size = 1;
            for (int k = 0; k < 3; k++) {
                const double middle = (contact->from[k] + contact->to[k]) / 2;
                const double off = middle - volumes[j].position[k];
                squared += off * off;
                size += fabs(middle);
            }
            covered = sqrt(squared) <= volumes[j].extent + NEAR * size;
        }
        assert_true(covered);
    }
}

/* Moving A by what the only volumes, the whole trees, say parts the meshes. */
static void check_parting(kiln_interruptible *query, const scene *s)
{
    kiln_volume_contact whole;
    size_t count;
    begin(query, s, NULL);
    assert_int_equal(kiln_interruptible_get_contacts(query, &whole, 1, &count), KILN_OK);
    if (count == 0) {
        assert_int_equal(s->count, 0);
        return;
    }
    assert_int_equal(whole.level, 0);
    kiln_pose moved = *s->pose_a;
    for (int k = 0; k < 3; k++) {
        moved.translation[k] += whole.normal[k] * (whole.depth * (1 + 1e-5) + 1e-5);
    }
    kiln_hit hit;
    assert_int_equal(kiln_collide(s->a, &moved, s->b, s->pose_b, NULL, &hit), KILN_OK);
    assert_false(hit.found);
}

/* Levels and lengths at random, until all is looked into. */
static void run_in_pieces(uint64_t *state, kiln_interruptible *query, const scene *s,
                          kiln_order order, uint32_t waiting)
{
    static collected found;
    kiln_interruptible_options options = kiln_interruptible_options_default();
    kiln_interruptible_answer answer;
    options.order = order;
    options.visit = collect;
    options.visit_user = &found;
    found.count = 0;
    found.most = SIZE_MAX;
    begin(query, s, &options);
    uint64_t runs = 0, before = 0;
    do {
        const bool limited = random_below(state, 2) == 0, whole = random_below(state, 3) == 0;
        const uint32_t level = limited ? random_below(state, 12) : UINT32_MAX;
        const uint64_t steps = whole ? UINT64_MAX : 1 + random_below(state, 60);
        assert_int_equal(kiln_interruptible_run(query, level, steps, UINT64_MAX), KILN_OK);
        answer = answer_of(query);
        assert_true(answer.steps - before <= steps);
        assert_int_equal(answer.found, found.count);
        assert_int_equal(answer.verdict, found.count > 0      ? KILN_INTERRUPTIBLE_MEET
                                         : answer.waiting > 0 ? KILN_INTERRUPTIBLE_UNRESOLVED
                                                              : KILN_INTERRUPTIBLE_APART);
        assert_true(answer.verdict != KILN_INTERRUPTIBLE_APART || s->count == 0);
        assert_int_equal(answer.complete, answer.waiting == 0);
        assert_true((answer.level == UINT32_MAX) == (answer.waiting == 0));
        /* As far as it was to go, unless it was interrupted or had no room. */
        if (answer.steps - before < steps) {
            assert_true(answer.full || answer.level >= level);
            assert_false(answer.full && level == UINT32_MAX);
        }
        if (runs % 4 == 0) {
            check_volumes(query, s, &found);
        }
        before = answer.steps;
    } while (!answer.complete && ++runs < 3000);
    assert_true(answer.complete);
    assert_true(waiting < VOLUMES_MAX);
    assert_int_equal(found.count, s->count);
    qsort(found.pairs, found.count, sizeof found.pairs[0], compare_pairs);
    for (size_t i = 0; i < found.count; i++) {
        assert_memory_equal(&found.pairs[i], &s->contacts[i].pair, sizeof found.pairs[i]);
    }
}

/* The first pair ends it, and it is one that meets. */
static void check_first(kiln_interruptible *query, const scene *s, kiln_order order)
{
    kiln_interruptible_options options = kiln_interruptible_options_default();
    options.order = order;
    begin(query, s, &options);
    assert_int_equal(kiln_interruptible_run(query, UINT32_MAX, UINT64_MAX, UINT64_MAX), KILN_OK);
    const kiln_interruptible_answer answer = answer_of(query);
    assert_true(answer.complete);
    assert_int_equal(answer.verdict,
                     s->count > 0 ? KILN_INTERRUPTIBLE_MEET : KILN_INTERRUPTIBLE_APART);
    bool is_true = s->count == 0;
    for (size_t i = 0; i < s->count && !is_true; i++) {
        is_true = memcmp(&answer.pair, &s->contacts[i].pair, sizeof answer.pair) == 0;
    }
    assert_true(is_true);
    assert_int_equal(answer.found, s->count > 0);
}

/* After so many steps: the same in one run and in pieces, swapped, and in each instruction set. */
static void check_alike(uint64_t *state, kiln_interruptible *query, const scene *s,
                        kiln_order order)
{
    static kiln_volume_contact volumes[VOLUMES_MAX], others[VOLUMES_MAX];
    kiln_interruptible_options options = kiln_interruptible_options_default();
    const uint32_t level = random_below(state, 3) == 0 ? 1 + random_below(state, 8) : UINT32_MAX;
    const uint64_t steps = random_below(state, 80);
    const scene swapped = {.a = s->b, .b = s->a, .pose_a = s->pose_b, .pose_b = s->pose_a};
    const kiln_kernel *kernel;
    options.order = order;
    begin(query, s, &options);
    for (uint64_t i = 0; i < steps; i++) {
        assert_int_equal(kiln_interruptible_run(query, level, 1, UINT64_MAX), KILN_OK);
    }
    kiln_interruptible_answer answer = answer_of(query);
    const size_t count = volumes_of(query, volumes);
    assert_true(count <= VOLUMES_MAX);
    for (unsigned set = 0; (kernel = kiln_kernel_runnable(set)) != NULL; set++) {
        kiln_kernel_force(kernel);
        begin(query, s, &options);
        assert_int_equal(kiln_interruptible_run(query, level, steps, UINT64_MAX), KILN_OK);
        kiln_interruptible_answer other = answer_of(query);
        answer.full = other.full = false; /* of the last run */
        assert_memory_equal(&other, &answer, sizeof other);
        assert_int_equal(volumes_of(query, others), count);
        assert_memory_equal(others, volumes, count * sizeof *volumes);
    }
    kiln_kernel_force(NULL);
    begin(query, &swapped, &options);
    assert_int_equal(kiln_interruptible_run(query, level, steps, UINT64_MAX), KILN_OK);
    const kiln_interruptible_answer other = answer_of(query);
    assert_int_equal(other.verdict, answer.verdict);
    assert_int_equal(other.steps, answer.steps);
    assert_int_equal(other.waiting, answer.waiting);
    assert_int_equal(volumes_of(query, others), count);
    for (size_t i = 0; i < count && s->a != s->b; i++) {
        for (int k = 0; k < 3; k++) {
            assert_true(others[i].position[k] == volumes[i].position[k]);
            assert_true(others[i].normal[k] == -volumes[i].normal[k]);
        }
        assert_true(others[i].depth == volumes[i].depth && others[i].extent == volumes[i].extent);
    }
}

static void check_scene(uint64_t *state, scene *s)
{
    static const uint32_t rooms[] = {0, 3, 8, 40, 4000};
    find_truth(s);
    if (s->count > CONTACTS_MAX) {
        return;
    }
    for (int order = KILN_ORDER_BREADTH_FIRST; order <= KILN_ORDER_BEST_FIRST; order++) {
        const uint32_t waiting = rooms[random_below(state, sizeof rooms / sizeof rooms[0])];
        void *memory;
        kiln_interruptible *query = make_query(s, waiting, &memory);
        run_in_pieces(state, query, s, (kiln_order)order, waiting);
        check_first(query, s, (kiln_order)order);
        check_alike(state, query, s, (kiln_order)order);
        check_parting(query, s);
        free(memory);
    }
}

static void run_class(bool lattice)
{
    static scene s;
    uint64_t state = lattice ? 91 : 94;
    uint32_t hits = 0, scenes = 0;
    const uint32_t meshes = amount(MESHES) / 2;
    for (uint32_t i = 0; i < meshes; i++) {
        const int leaf = 1 + (int)random_below(&state, 15),
                  extent = 1 + (int)random_below(&state, 6);
        const uint32_t n = 1 + random_below(&state, 120), m = 1 + random_below(&state, 120);
        const double size = random_between(&state, 0.02, 0.4);
        quick_model a =
            quick_model_of(lattice ? mesh_lattice(&state, n, extent) : mesh_soup(&state, n, size),
                           QUICK_ALL_KINDS, leaf);
        quick_model b =
            quick_model_of(lattice ? mesh_lattice(&state, m, extent) : mesh_soup(&state, m, size),
                           QUICK_ALL_KINDS, leaf);
        kiln_pose pose_a = lattice ? pose_exact(&state, 5) : pose_random(&state, 1.2);
        kiln_pose pose_b = lattice ? pose_exact(&state, 5) : pose_random(&state, 1.2);
        pose_a.scale = scale_random(&state, lattice);
        pose_b.scale = scale_random(&state, lattice);
        const uint32_t kinds = kiln_file_tree_count(a.file);
        s.pose_a = &pose_a;
        s.pose_b = &pose_b;
        for (uint32_t k = 0; k < kinds; k++) {
            s.a = kiln_file_tree(a.file, k);
            s.b = kiln_file_tree(b.file, (k + i) % kinds);
            check_scene(&state, &s);
            hits += s.count > 0;
            scenes++;
        }
        if (i % 8 == 0) { /* one mesh at one place, as two kinds of tree, and as one */
            s.a = kiln_file_tree(a.file, i % kinds);
            s.b = kiln_file_tree(a.file, (i / 8) % kinds);
            s.pose_b = &pose_a;
            check_scene(&state, &s);
        }
        quick_model_free(&a);
        quick_model_free(&b);
    }
    /* A shortened run has too few meshes for that. */
    assert_true(is_shortened() || (hits > scenes / 20 && hits < scenes));
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

/* ----------------------------------------------------------------------------- many together -- */

/* No query is ahead of another by more than a level, the budget is kept, and each answers as it
 * does alone. */
static void a_shared_budget_goes_level_by_level(void **unused)
{
    (void)unused;
    quick_model b = quick_model_of(mesh_of_shape("car", 3000), QUICK_ALL_KINDS, 4);
    uint64_t state = 93;
    kiln_interruptible *queries[MANY];
    void *memory[MANY];
    kiln_pose poses[MANY];
    scene *s = calloc(1, sizeof *s);
    assert_non_null(s);
    for (uint32_t kind = 0; kind < kiln_file_tree_count(b.file); kind++) {
        const kiln_tree *tree = kiln_file_tree(b.file, kind);
        const uint64_t budget = 20 * MANY;
        uint64_t steps = 0;
        uint32_t least = UINT32_MAX, deepest = 0;
        s->a = s->b = tree;
        for (int i = 0; i < MANY; i++) {
            poses[i] = pose_random(&state, 1.0);
            s->pose_a = NULL;
            s->pose_b = &poses[i];
            queries[i] = make_query(s, 4000, &memory[i]);
            begin(queries[i], s, NULL);
        }
        assert_int_equal(kiln_interruptible_run_all(queries, MANY, UINT32_MAX, budget, UINT64_MAX),
                         KILN_OK);
        for (int i = 0; i < MANY; i++) {
            const kiln_interruptible_answer answer = answer_of(queries[i]);
            steps += answer.steps;
            if (!answer.complete) {
                least = answer.level < least ? answer.level : least;
            }
            deepest = answer.deepest > deepest ? answer.deepest : deepest;
        }
        assert_int_equal(steps, budget);
        assert_true(least == UINT32_MAX || deepest <= least);
        assert_int_equal(kiln_interruptible_run_all(queries, MANY, 5, UINT64_MAX, UINT64_MAX),
                         KILN_OK);
        for (int i = 0; i < MANY; i++) {
            const kiln_interruptible_answer answer = answer_of(queries[i]);
            assert_true(answer.complete || answer.level >= 5);
        }
        assert_int_equal(
            kiln_interruptible_run_all(queries, MANY, UINT32_MAX, UINT64_MAX, UINT64_MAX), KILN_OK);
        for (int i = 0; i < MANY; i++) {
            kiln_hit hit;
            const kiln_interruptible_answer answer = answer_of(queries[i]);
            assert_int_equal(kiln_collide(tree, NULL, tree, &poses[i], NULL, &hit), KILN_OK);
            assert_int_equal(answer.verdict,
                             hit.found ? KILN_INTERRUPTIBLE_MEET : KILN_INTERRUPTIBLE_APART);
            free(memory[i]);
        }
    }
    free(s);
    quick_model_free(&b);
}

/* The deeper a breadth-first query goes, the fewer are unresolved of those that are apart. */
static void levels_resolve_more_and_more(void **unused)
{
    (void)unused;
    quick_model b = quick_model_of(mesh_of_shape("car", 3000), "obb", 4);
    const kiln_tree *tree = kiln_file_tree(b.file, 0);
    scene s = {.a = tree, .b = tree, .pose_a = NULL};
    uint64_t state = 94;
    uint32_t unresolved[13] = {0}, apart = 0;
    void *memory;
    kiln_interruptible *query = make_query(&s, 4000, &memory);
    const uint32_t poses = 200;
    for (uint32_t i = 0; i < poses; i++) {
        const kiln_pose pose = pose_random(&state, 1.0);
        kiln_hit hit;
        s.pose_b = &pose;
        assert_int_equal(kiln_collide(tree, NULL, tree, &pose, NULL, &hit), KILN_OK);
        apart += !hit.found;
        begin(query, &s, NULL);
        for (uint32_t level = 0; level <= 12 && !hit.found; level++) {
            assert_int_equal(kiln_interruptible_run(query, level, UINT64_MAX, UINT64_MAX), KILN_OK);
            unresolved[level] += answer_of(query).verdict == KILN_INTERRUPTIBLE_UNRESOLVED;
        }
    }
    free(memory);
    for (int level = 1; level <= 12; level++) {
        assert_true(unresolved[level] <= unresolved[level - 1]);
    }
    assert_true(apart > poses / 10);
    assert_true(unresolved[3] < unresolved[0] && unresolved[12] * 4 < unresolved[0]);
    quick_model_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_hold_on_soups),
        cmocka_unit_test(answers_hold_on_lattices),
        cmocka_unit_test(a_shared_budget_goes_level_by_level),
        cmocka_unit_test(levels_resolve_more_and_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
