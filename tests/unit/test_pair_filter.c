/* Filters of pairs: what they are told, what they leave, and the environment they run in. */
#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../support/quick_bake.h"
#include "../support/rounding.h"

typedef struct {
    mesh mesh;
    void *bytes;
    kiln_file *file;
    const kiln_tree *tree;
} body;

static body body_of(mesh m, const char *bv)
{
    body b = {m, NULL, NULL, NULL};
    b.file = quick_open(&b.mesh, bv, 4, KILN_LAYOUT_RAW, &b.bytes);
    b.tree = kiln_file_tree(b.file, 0);
    return b;
}

static void body_free(body *b)
{
    kiln_close(b->file);
    free(b->bytes);
    mesh_free(&b->mesh);
}

typedef struct {
    uint32_t modulus, rest;
    int rounding;
    size_t calls;
} rule;

static bool keeps(void *user, kiln_pair pair, uint32_t value_a, uint32_t value_b)
{
    rule *r = user;
    r->calls++;
    assert_int_equal(fegetround(), r->rounding);
    assert_true(value_a == 0 && value_b == 0);
    return (pair.a + pair.b) % r->modulus == r->rest;
}

static kiln_pair_options options_of(rule *r)
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
    const char *kinds[] = {"obb", "aabb", "obb2", "aabb2"};
    const kiln_pose pose = {{1, 0, 0, 0, 0, -1, 0, 1, 0}, {0.7, 0.1, 0}};
    for (int k = 0; k < 4; k++) {
        body a = body_of(mesh_torus(20, 10, 0.1), kinds[k]);
        size_t count, found;
        assert_int_equal(kiln_contacts(a.tree, NULL, a.tree, &pose, all, CAPACITY, &count),
                         KILN_OK);
        assert_in_range(count, 20, CAPACITY);
        for (uint32_t modulus = 1; modulus < 40; modulus += 3) {
            rule r = {modulus, modulus / 2, FE_UPWARD, 0};
            const kiln_pair_options options = options_of(&r);
            kiln_hit hit;
            size_t want = 0;
            rounding_enter(1);
            assert_int_equal(kiln_contacts_filtered(a.tree, NULL, a.tree, &pose, &options, kept,
                                                    CAPACITY, &found),
                             KILN_OK);
            assert_int_equal(r.calls, count);
            assert_int_equal(kiln_collide_filtered(a.tree, NULL, a.tree, &pose, &options, &hit),
                             KILN_OK);
            rounding_leave();
            for (size_t i = 0; i < count; i++) {
                if ((all[i].a + all[i].b) % modulus == r.rest) {
                    assert_true(kept[want].a == all[i].a && kept[want].b == all[i].b);
                    want++;
                }
            }
            assert_int_equal(found, want);
            assert_int_equal(hit.found, want > 0);
            assert_true(!hit.found || (hit.pair.a + hit.pair.b) % modulus == r.rest);
        }
        body_free(&a);
    }
}

static void test_no_filter(void **state)
{
    (void)state;
    body a = body_of(mesh_box(0, 0, 0, 1, 1, 1), "obb");
    const kiln_pair_options none = kiln_pair_options_default();
    kiln_hit hit;
    size_t count = 0, plain = 0;
    assert_int_equal(kiln_collide_filtered(a.tree, NULL, a.tree, NULL, &none, &hit), KILN_OK);
    assert_true(hit.found);
    assert_int_equal(kiln_contacts_filtered(a.tree, NULL, a.tree, NULL, NULL, NULL, 0, &count),
                     KILN_OK);
    assert_int_equal(kiln_contacts(a.tree, NULL, a.tree, NULL, NULL, 0, &plain), KILN_OK);
    assert_int_equal(count, plain);
    rule nothing = {1, 1, FE_TONEAREST, 0};
    const kiln_pair_options refuse = options_of(&nothing);
    assert_int_equal(kiln_collide_filtered(a.tree, NULL, a.tree, NULL, &refuse, &hit), KILN_OK);
    assert_false(hit.found);
    assert_int_equal(kiln_collide_filtered(NULL, NULL, a.tree, NULL, &refuse, &hit),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_collide_filtered(a.tree, NULL, a.tree, NULL, &refuse, NULL),
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
