/* What is told does not depend on the caller's floating-point environment, and nothing traps in
 * it: calls that do their arithmetic outside a descent, and options that are NaN. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <cmocka.h>

#include "../../runtime/kiln_adb.h"
#include "../support/counted.h"
#include "../support/rounding.h"

enum { TRAPS = ROUNDING_MODES + 1, ENVIRONMENTS };

/* Behind the modes of rounding.h one in which all exceptions trap, where the machine can. */
static void enter(int mode)
{
    rounding_enter(mode < TRAPS ? mode : 0);
#if defined(__SSE2__)
    if (mode == TRAPS) {
        _mm_setcsr(_mm_getcsr() & ~0x1FBFu); /* masks, and what is pending */
    }
#endif
}

/* ---------------------------------------------------------------------------------- answers -- */

static void test_ray_between(void **state)
{
    (void)state;
    static const double from[3] = {0.1, 0.2, 1e-320}, to[3] = {0.7, 1e20, 3};
    const kiln_ray want = {{0.1, 0.2, 1e-320}, {0.7 - 0.1, 1e20 - 0.2, 3 - 1e-320}, 0, 1};
    for (int mode = 0; mode < ENVIRONMENTS; mode++) {
        enter(mode);
        const kiln_ray ray = kiln_ray_between(from, to);
        rounding_leave();
        assert_memory_equal(&ray, &want, sizeof ray);
    }
}

static void test_weights(void **state)
{
    (void)state;
    counted box = counted_of(mesh_box(0, 0, 0, 1, 1, 1), "obb,aabb", 4);
    const kiln_tree *obb = kiln_file_tree(box.file, 0), *aabb = kiln_file_tree(box.file, 1);
    const kiln_adb_weights p = kiln_adb_get_weights(obb, obb), q = kiln_adb_get_weights(aabb, aabb);
    const float *first = (const float *)&p, *second = (const float *)&q;
    for (int mode = 0; mode < ENVIRONMENTS; mode++) {
        enter(mode);
        const kiln_adb_weights mean = kiln_adb_get_weights(obb, aabb);
        const kiln_adb_weights picked = kiln_adb_pick_weights(NULL, 0, aabb, obb);
        rounding_leave();
        const float *both = (const float *)&mean;
        for (size_t i = 0; i < sizeof mean / sizeof *both; i++) {
            assert_true(both[i] == 0.5f * (first[i] + second[i]));
        }
        assert_memory_equal(&mean, &picked, sizeof mean);
    }
    counted_free(&box);
}

/* ------------------------------------------------------------------------------ NaN options -- */

static void test_pair_options(void **state)
{
    (void)state;
    counted box = counted_of(mesh_box(0, 0, 0, 1, 1, 1), "obb", 4);
    for (int mode = 0; mode < ENVIRONMENTS; mode++) {
        for (int i = 0; i < 4; i++) {
            kiln_pair_options options = kiln_pair_options_default();
            double *const fields[] = {&options.beyond, &options.relative, &options.absolute};
            kiln_nearest nearest;
            kiln_hit hit;
            if (i < 3) {
                *fields[i] = (double)NAN;
            }
            enter(mode);
            const kiln_status status =
                i < 3 ? kiln_distance(box.tree, NULL, box.tree, NULL, &options, &nearest)
                      : kiln_within(box.tree, NULL, box.tree, NULL, (double)NAN, NULL, &hit);
            rounding_leave();
            assert_int_equal(status, KILN_ERROR_ARGUMENT);
        }
    }
    counted_free(&box);
}

static void test_adb_options(void **state)
{
    (void)state;
    counted box = counted_of(mesh_box(0, 0, 0, 1, 1, 1), "obb", 4);
    for (int mode = 0; mode < ENVIRONMENTS; mode++) {
        for (int i = 0; i < 3; i++) {
            kiln_adb_options options = kiln_adb_options_of(KILN_ADB_DEFAULT);
            kiln_adb_weights weights = kiln_adb_get_weights(box.tree, box.tree);
            kiln_adb_answer answer;
            options.weights = &weights;
            if (i < 2) {
                *(i == 0 ? &options.p_min : &options.epsilon) = (double)NAN;
            } else {
                weights.bias = NAN;
            }
            enter(mode);
            const kiln_status status =
                kiln_adb_collide(box.tree, NULL, box.tree, NULL, &options, 10, UINT64_MAX, &answer);
            rounding_leave();
            assert_int_equal(status, KILN_ERROR_ARGUMENT);
        }
    }
    counted_free(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ray_between), cmocka_unit_test(test_weights),
        cmocka_unit_test(test_pair_options), cmocka_unit_test(test_adb_options)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
