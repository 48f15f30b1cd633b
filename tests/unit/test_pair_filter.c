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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept_pairs),
        cmocka_unit_test(test_no_filter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
