/* Filters of pairs: what they are told, what they leave, and the environment they run in. */
#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../support/body.h"
#include "../support/rounding.h"

typedef struct {
    body_rule rule;
    int rounding;
} checked_rule;

static bool keeps(void *user, kiln_pair pair)
{
    checked_rule *r = user;
    assert_int_equal(fegetround(), r->rounding);
    return body_pair_filter(&r->rule, pair);
}

static kiln_pair_options options_of(checked_rule *r)
{
    kiln_pair_options options = kiln_pair_options_default();
    options.filter = keeps;
    options.filter_user = r;
    return options;
}

/* Contacts are those of the whole set that are kept; the answer is whether there are any. */
static void test_kept_pairs(void **state)
{
    (void)state;
    enum { CAPACITY = 4096 };
    static kiln_pair all[CAPACITY], kept[CAPACITY];
    const kiln_pose pose = {{1, 0, 0, 0, 0, -1, 0, 1, 0}, {0.7, 0.1, 0}, 1};
    body a = body_of(mesh_torus(20, 10, 0.1), 4, KILN_LAYOUT_RAW);
    for (int k = 0; k < BODY_KINDS; k++) {
        const kiln_tree *tree = a.trees[k];
        size_t count, found;
        assert_int_equal(kiln_contacts(tree, NULL, tree, &pose, NULL, all, CAPACITY, &count),
                         KILN_OK);
        assert_in_range(count, 20, CAPACITY);
        for (uint32_t modulus = 1; modulus < 40; modulus += 3) {
            checked_rule r = {{modulus, modulus / 2, 0}, FE_UPWARD};
            const kiln_pair_options options = options_of(&r);
            kiln_hit hit;
            size_t want = 0;
            rounding_enter(1);
            assert_int_equal(
                kiln_contacts(tree, NULL, tree, &pose, &options, kept, CAPACITY, &found), KILN_OK);
            assert_int_equal(r.rule.calls, count);
            assert_int_equal(kiln_collide(tree, NULL, tree, &pose, &options, &hit), KILN_OK);
            rounding_leave();
            for (size_t i = 0; i < count; i++) {
                if (body_keeps_pair(&r.rule, all[i].a, all[i].b)) {
                    assert_true(kept[want].a == all[i].a && kept[want].b == all[i].b);
                    want++;
                }
            }
            assert_int_equal(found, want);
            assert_int_equal(hit.found, want > 0);
            assert_true(!hit.found || body_keeps_pair(&r.rule, hit.pair.a, hit.pair.b));
        }
    }
    body_free(&a);
}

static void test_no_filter(void **state)
{
    (void)state;
    body a = body_of(mesh_box(0, 0, 0, 1, 1, 1), 4, KILN_LAYOUT_RAW);
    const kiln_pair_options none = kiln_pair_options_default();
    kiln_hit hit;
    size_t count = 0, plain = 0;
    assert_int_equal(kiln_collide(a.trees[0], NULL, a.trees[0], NULL, &none, &hit), KILN_OK);
    assert_true(hit.found);
    assert_int_equal(kiln_contacts(a.trees[0], NULL, a.trees[0], NULL, NULL, NULL, 0, &count),
                     KILN_OK);
    assert_int_equal(kiln_contacts(a.trees[0], NULL, a.trees[0], NULL, NULL, NULL, 0, &plain),
                     KILN_OK);
    assert_int_equal(count, plain);
    checked_rule nothing = {{1, 1, 0}, FE_TONEAREST};
    const kiln_pair_options refuse = options_of(&nothing);
    assert_int_equal(kiln_collide(a.trees[0], NULL, a.trees[0], NULL, &refuse, &hit), KILN_OK);
    assert_false(hit.found);
    assert_int_equal(kiln_collide(NULL, NULL, a.trees[0], NULL, &refuse, &hit),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_collide(a.trees[0], NULL, a.trees[0], NULL, &refuse, NULL),
                     KILN_ERROR_ARGUMENT);
    body_free(&a);
}

/* ------------------------------------------------------------------------------ stopping -- */

typedef struct {
    size_t calls, stop_at, filtered; /* stop_at 0: never */
} stopper;

static bool stops(void *user)
{
    stopper *s = user;
    assert_int_equal(fegetround(), FE_UPWARD);
    return ++s->calls == s->stop_at;
}

static bool refuses(void *user, kiln_pair pair)
{
    stopper *s = user;
    (void)pair;
    s->filtered++;
    return false;
}

static bool takes(void *user, kiln_pair pair)
{
    (void)user;
    (void)pair;
    return true;
}

/* All queries that take the options, of which none may touch its outputs when it is stopped. */
static void ask_stopped(const kiln_tree *tree, const kiln_pose *pose, bool filters, stopper *s,
                        kiln_status want, size_t most_calls)
{
    kiln_pair_options options = kiln_pair_options_default();
    options.filter = filters ? refuses : NULL;
    options.stop = stops;
    options.filter_user = options.stop_user = s;
    for (int query = 0; query < 7; query++) {
        kiln_hit hit = {.hint = {7, 7}};
        kiln_nearest nearest = {.distance = 7};
        kiln_contacts_summary summary = {.count = 7};
        kiln_pair pairs[4];
        kiln_contact contacts[4];
        size_t count = 7;
        s->calls = s->filtered = 0;
        rounding_enter(1);
        const kiln_status status =
            query == 0   ? kiln_distance(tree, NULL, tree, pose, &options, &nearest)
            : query == 1 ? kiln_within(tree, NULL, tree, pose, 10, &options, &hit)
            : query == 2 ? kiln_collide(tree, NULL, tree, pose, &options, &hit)
            : query == 3 ? kiln_contacts(tree, NULL, tree, pose, &options, pairs, 4, &count)
            : query == 4 ? kiln_contacts_each(tree, NULL, tree, pose, &options, takes, NULL, &count)
            : query == 5
                ? kiln_contacts_geometry(tree, NULL, tree, pose, &options, contacts, 4, &count)
                : kiln_contacts_summarise(tree, NULL, tree, pose, &options, &summary);
        rounding_leave();
        assert_int_equal(status, want);
        assert_in_range(s->calls, 1, most_calls);
        assert_in_range(s->filtered, 0, 225 * s->calls);
        if (want != KILN_OK) {
            assert_true(hit.hint.a == 7 && nearest.distance == 7 && summary.count == 7 &&
                        count == 7);
        }
    }
}

/* A distance whose filter refuses every pair would look into all pairs of leaves. */
static void test_a_query_is_stopped(void **state)
{
    (void)state;
    const kiln_pose pose = {{1, 0, 0, 0, 0, -1, 0, 1, 0}, {0.7, 0.1, 0}, 1};
    body a = body_of(mesh_torus(20, 10, 0.1), 4, KILN_LAYOUT_RAW);
    for (int k = 0; k < BODY_KINDS; k++) {
        for (size_t stop_at = 1; stop_at < 20; stop_at += 6) {
            stopper s = {0, stop_at, 0};
            ask_stopped(a.trees[k], &pose, true, &s, KILN_ERROR_STOPPED, stop_at);
        }
        stopper first = {0, 1, 0}, never = {0, 0, 0};
        ask_stopped(a.trees[k], &pose, false, &first, KILN_ERROR_STOPPED, 1);
        ask_stopped(a.trees[k], &pose, false, &never, KILN_OK, SIZE_MAX);
    }
    kiln_pair_options options = kiln_pair_options_default();
    stopper first = {0, 1, 0};
    kiln_hit hit;
    options.stop = stops;
    options.stop_user = &first;
    options.struct_size = offsetof(kiln_pair_options, stop); /* of an older caller */
    assert_int_equal(kiln_collide(a.trees[0], NULL, a.trees[0], &pose, &options, &hit), KILN_OK);
    assert_int_equal(first.calls, 0);
    body_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept_pairs),
        cmocka_unit_test(test_no_filter),
        cmocka_unit_test(test_a_query_is_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
