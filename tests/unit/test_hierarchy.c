/* Hierarchies of groups as binary trees: each record once, below the groups that it was in, and no
 * path longer than the bound, whatever the shape of the hierarchy. Then the operations of
 * insertion: what is put in and taken out again leaves everything as it was. */
#include "../../tools/tree/hierarchy.h"
#include "../../tools/tree/insertion.h"
#include "../support/meshes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 5000 };

static kiln_record records[MOST];

/* Small triangles in a row. */
static void make_records(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (unsigned k = 0; k < 9; k++) {
            records[i].corner[k / 3][k % 3] = (float)(k % 3 == 0 ? 2 * i + k / 3 : k / 3 * k);
        }
        records[i].triangle = i;
    }
}

static void set_leaves(kiln_hierarchy *h, uint32_t leaves, uint32_t a_leaf)
{
    assert_true(kiln_hierarchy_room(h, leaves));
    for (uint32_t i = 0; i < leaves; i++) {
        kiln_hierarchy_set_leaf(h, i, records, i * a_leaf, a_leaf);
    }
}

static void set_root(kiln_hierarchy *h, uint32_t root)
{
    h->root = root;
    h->groups[root].parent = root;
}

/* The longest path, in inner nodes. */
static unsigned height_of(const kiln_binary *tree, const kiln_range *range, unsigned depth)
{
    assert_true(depth <= KILN_BINARY_DEPTH_MAX);
    if (kiln_is_leaf(tree, range)) {
        return 0;
    }
    kiln_range side[2];
    assert_true(range->split > range->first && range->split < range->last);
    kiln_sides(tree, range, side);
    const unsigned left = height_of(tree, &side[0], depth + 1);
    const unsigned right = height_of(tree, &side[1], depth + 1);
    return 1 + (left > right ? left : right);
}

/* Writes the hierarchy and returns the tree's height. */
static unsigned write_and_check(kiln_hierarchy *h, uint32_t count)
{
    static bool seen[MOST];
    kiln_arena arena = {NULL};
    kiln_binary tree;
    assert_true(kiln_hierarchy_write(h, records, count, &tree, &arena));
    const kiln_range root = {0, count, tree.root};
    const unsigned height = height_of(&tree, &root, 0);
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < count; i++) {
        assert_false(seen[records[i].triangle]);
        seen[records[i].triangle] = true;
    }
    kiln_arena_free(&arena);
    kiln_hierarchy_free(h);
    return height;
}

static void shapes_are_kept(void **state)
{
    (void)state;
    make_records(12);
    kiln_hierarchy h = {.leaf = 1};
    set_leaves(&h, 4, 3);
    kiln_hierarchy_join(&h, 4, 3, 1);
    kiln_hierarchy_join(&h, 5, 2, 0);
    kiln_hierarchy_join(&h, 6, 4, 5);
    set_root(&h, 6);
    assert_true(h.groups[6].lower[0] == 0 && h.groups[6].upper[0] == 24);
    (void)write_and_check(&h, 12);
    static const uint32_t order[4] = {3, 1, 2, 0};
    for (unsigned i = 0; i < 12; i++) {
        /* A run of three is more than a leaf holds: it is cut, in any order, where it stands. */
        assert_int_equal(records[i].triangle / 3, order[i / 3]);
    }
}

/* A chain of every length, to either side: short ones are written as they are, long ones not. */
static void chains_are_cut_short(void **state)
{
    (void)state;
    static const uint32_t lengths[] = {1, 2, 3, 59, 60, 61, 62, 64, 100, 1000, MOST};
    for (unsigned i = 0; i < 4 * sizeof lengths / sizeof lengths[0]; i++) {
        const uint32_t count = lengths[i / 4], side = i & 1;
        kiln_hierarchy h = {.leaf = (i & 2) != 0 ? 4 : 1};
        make_records(count);
        set_leaves(&h, count, 1);
        uint32_t top = 0;
        for (uint32_t k = 1; k < count; k++) {
            const uint32_t pair[2] = {top, k};
            kiln_hierarchy_join(&h, count + k - 1, pair[side], pair[1 - side]);
            top = count + k - 1;
        }
        set_root(&h, top);
        const uint32_t leaf = h.leaf;
        const unsigned height = write_and_check(&h, count);
        if (leaf == 1 && count <= 61) {
            assert_int_equal(height, count - 1);
        }
    }
}

/* Groups joined at random. */
static void any_shape_is_written(void **state)
{
    (void)state;
    uint64_t random = 7;
    static uint32_t open[MOST];
    for (unsigned round = 0; round < 40; round++) {
        const uint32_t count = 1 + random_below(&random, MOST - 1);
        kiln_hierarchy h = {.leaf = 1 + round % 15};
        make_records(count);
        set_leaves(&h, count, 1);
        uint32_t left = count;
        for (uint32_t i = 0; i < count; i++) {
            open[i] = i;
        }
        for (uint32_t next = count; left > 1; next++) {
            const uint32_t a = random_below(&random, left), first = open[a];
            open[a] = open[--left];
            const uint32_t b = random_below(&random, left);
            kiln_hierarchy_join(&h, next, first, open[b]);
            open[b] = next;
        }
        set_root(&h, open[0]);
        (void)write_and_check(&h, count);
    }
}

/* The sum of surfaces that is added is what the search promises, and taking out undoes it. */
static void insertion_adds_what_it_says(void **state)
{
    (void)state;
    enum { LEAVES = 300 };
    uint64_t random = 3;
    kiln_hierarchy h = {.leaf = 1};
    kiln_insertion *in = malloc(sizeof *in);
    assert_non_null(in);
    for (uint32_t i = 0; i < LEAVES; i++) {
        for (unsigned k = 0; k < 9; k++) {
            records[i].corner[k / 3][k % 3] = (float)random_below(&random, 1000);
        }
        records[i].triangle = i;
    }
    set_leaves(&h, LEAVES, 1);
    set_root(&h, 0);
    in->h = &h;
    double sum = 0;
    for (uint32_t i = 1; i < LEAVES; i++) {
        for (unsigned again = 0; again < 2; again++) {
            double added, now = 0;
            const uint32_t at = kiln_insertion_find(in, i, &added);
            kiln_insertion_attach(&h, i, at, LEAVES + i - 1);
            for (uint32_t g = LEAVES; g < LEAVES + i; g++) {
                now += kiln_group_area(&h.groups[g]);
            }
            assert_true(now - sum > added * (1 - 1e-9) - 1e-6 * now);
            assert_true(now - sum < added * (1 + 1e-9) + 1e-6 * now);
            sum = again == 0 ? sum : now;
            if (again == 0) {
                assert_int_equal(kiln_insertion_detach(&h, i), LEAVES + i - 1);
                assert_int_equal(h.groups[h.root].count, i);
            }
        }
    }
    free(in);
    (void)write_and_check(&h, LEAVES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_kept),
        cmocka_unit_test(chains_are_cut_short),
        cmocka_unit_test(any_shape_is_written),
        cmocka_unit_test(insertion_adds_what_it_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
