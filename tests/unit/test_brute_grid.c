/* The culled brute force of tests/support answers as the one that looks at every pair. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../support/brute_grid.h"
#include "../support/quick_bake.h"

static void compare(mesh m, mesh n, uint64_t *random, int poses, bool exact)
{
    void *bytes_m, *bytes_n;
    int hits = 0;
    kiln_file *file_m = quick_open(&m, "aabb", 4, KILN_LAYOUT_RAW, &bytes_m);
    kiln_file *file_n = quick_open(&n, "aabb", 4, KILN_LAYOUT_RAW, &bytes_n);
    const kiln_tree *tree_m = kiln_file_tree(file_m, 0), *tree_n = kiln_file_tree(file_n, 0);
    brute_grid grid_m = brute_grid_of(&m), grid_n = brute_grid_of(&n);
    for (int i = 0; i < poses; i++) {
        size_t count;
        const kiln_pose a = exact ? pose_exact(random, 4) : pose_random(random, 1.5);
        const kiln_pose b = exact ? pose_exact(random, 4) : pose_random(random, 1.5);
        free(brute_pairs(&m, tree_m, &a, &n, tree_n, &b, true, &count));
        assert_int_equal(brute_grid_meet(&grid_m, tree_m, &a, &grid_n, tree_n, &b), count > 0);
        hits += count > 0;
    }
    assert_in_range(hits, poses / 10, poses - poses / 20);
    brute_grid_free(&grid_m);
    brute_grid_free(&grid_n);
    kiln_close(file_m);
    kiln_close(file_n);
    free(bytes_m);
    free(bytes_n);
    mesh_free(&m);
    mesh_free(&n);
}

static void test_tori(void **state)
{
    (void)state;
    uint64_t random = 21;
    compare(mesh_torus(16, 9, 0.2), mesh_torus(12, 8, 0.1), &random, 300, false);
}

static void test_lattices(void **state)
{
    (void)state;
    uint64_t random = 22;
    for (int i = 0; i < 40; i++) {
        compare(mesh_lattice(&random, 6, 3), mesh_lattice(&random, 5, 3), &random, 40, true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tori),
        cmocka_unit_test(test_lattices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
