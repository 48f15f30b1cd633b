/* What is sampled: lattices, soups, tori, flat grids with seams and meshes with duplicates, baked
 * to every kind of tree with small and large leaves; and copies that are deformed and refitted:
 * folded, crumpled, flattened, scaled by 2^-30 and 2^30.
 *
 * Oracle: every pair of triangles by oracle_meeting.c. Pairs, kinds, corners shared and counts must
 * be the same with each of the three ways to treat neighbours, and with a choice of kinds and a
 * filter, of octrees with each of the two ways to descend them. Tolerance: none.
 *
 * support/amount.h tells how many. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/base/tree.h"
#include "../../runtime/kiln_self.h"
#include "../../runtime/self/self_walk.h"
#include "../support/amount.h"
#include "../support/brute.h"
#include "../support/quick_bake.h"
#include "oracle_meeting.h"

enum { MESHES = 4, COPIES = 4, PAIRS = 20000 };

static uint64_t state;

typedef struct {
    kiln_self_pair pairs[PAIRS]; /* of all that meet; `beyond` apart */
    bool beyond[PAIRS];
    size_t count;
} truth;

static truth right;

static void find_truth(const mesh *m)
{
    right.count = 0;
    for (uint32_t i = 0; i < m->triangle_count; i++) {
        double a[9];
        brute_corners(m, i, NULL, a);
        for (uint32_t j = i + 1; j < m->triangle_count; j++) {
            double b[9];
            brute_corners(m, j, NULL, b);
            if (brute_boxes_apart(a, b)) {
                continue;
            }
            const kiln_relation relation = oracle_relate(a, b);
            if (relation.how == KILN_MEETING_NONE) {
                continue;
            }
            assert_true(right.count < PAIRS);
            kiln_self_pair *pair = &right.pairs[right.count];
            memset(pair, 0, sizeof *pair);
            pair->pair.a = i;
            pair->pair.b = j;
            pair->kind = (kiln_self_kind)(relation.how - 1);
            pair->shared = relation.shared;
            right.beyond[right.count++] = relation.beyond || relation.how == KILN_MEETING_SAME;
        }
    }
}

static bool keeps_odd(void *user, const kiln_self_pair *pair)
{
    (void)user;
    assert_true(pair->pair.a < pair->pair.b);
    return (pair->pair.a + pair->pair.b) % 2 == 1;
}

static bool is_wanted(size_t i, const kiln_self_options *options)
{
    const kiln_self_pair *pair = &right.pairs[i];
    return (options->kinds >> pair->kind & 1) != 0 &&
           (options->neighbours == KILN_NEIGHBOURS_ALL || pair->shared == 0 ||
            (options->neighbours == KILN_NEIGHBOURS_BEYOND && right.beyond[i])) &&
           (options->filter == NULL || keeps_odd(NULL, pair));
}

typedef struct {
    uint8_t *seen; /* by number in `right` */
    const kiln_self_options *options;
} each;

static bool see_pair(void *user, const kiln_self_pair *pair)
{
    each *e = (each *)user;
    for (size_t i = 0; i < right.count; i++) {
        if (memcmp(&right.pairs[i], pair, sizeof *pair) == 0) {
            assert_true(is_wanted(i, e->options));
            assert_int_equal(e->seen[i]++, 0);
            return true;
        }
    }
    fail();
    return false;
}

static void check_tree(const kiln_tree *tree)
{
    static kiln_self_pair found[PAIRS];
    for (int way = 0; way < 6; way++) {
        kiln_self_options options = kiln_self_options_default();
        options.neighbours = (kiln_neighbours)(way % 3);
        options.kinds = way < 3 ? KILN_SELF_ALL_KINDS : 1 + random_below(&state, 15);
        options.filter = way < 3 ? NULL : keeps_odd;
        const size_t room = way % 2 == 0 ? PAIRS : random_below(&state, 40);
        size_t count = 0, wanted = 0, called = 0;
        assert_int_equal(kiln_self_contacts(tree, &options, found, room, &count), KILN_OK);
        each e = {calloc(right.count + 1, 1), &options};
        for (size_t i = 0; i < right.count; i++) {
            if (is_wanted(i, &options)) {
                if (wanted < room) {
                    assert_memory_equal(&found[wanted], &right.pairs[i], sizeof *found);
                }
                wanted++;
            }
        }
        assert_int_equal(count, wanted);
        assert_int_equal(kiln_self_contacts_each(tree, &options, see_pair, &e, &called), KILN_OK);
        assert_int_equal(called, wanted);
        bool any = wanted == 0;
        kiln_self_pair one;
        assert_int_equal(kiln_self_contacts_any(tree, &options, &any, &one), KILN_OK);
        assert_int_equal(any, wanted != 0);
        if (any) {
            memset(e.seen, 0, right.count);
            (void)see_pair(&e, &one);
        }
        free(e.seen);
    }
}

/* A square of n x n cells, of which one half has vertices of its own, and some are bent. */
static mesh seamed_grid(uint32_t n)
{
    mesh m = {calloc((size_t)6 * (n + 1) * (n + 1), sizeof(float)),
              calloc((size_t)6 * n * n, sizeof(uint32_t)), 2 * (n + 1) * (n + 1), 2 * n * n};
    const double bend = random_below(&state, 3) == 0 ? 0 : 0.3;
    for (uint32_t i = 0; i < m.vertex_count / 2; i++) {
        float *p = m.positions + 3 * (size_t)i;
        p[0] = (float)(i % (n + 1));
        p[1] = (float)(i / (n + 1));
        p[2] = (float)(bend * random_between(&state, -1, 1));
        memcpy(p + 3 * (size_t)(m.vertex_count / 2), p, 3 * sizeof *p);
    }
    for (uint32_t i = 0; i < n * n; i++) {
        const uint32_t x = i % n, at = x + i / n * (n + 1) + (x < n / 2 ? m.vertex_count / 2 : 0);
        const uint32_t corner[6] = {at, at + 1, at + n + 1, at + n + 2, at + n + 1, at + 1};
        memcpy(m.indices + 6 * (size_t)i, corner, sizeof corner);
    }
    return m;
}

/* Some triangles become others' duplicates, turned, or lose their area. */
static void spoil(mesh *m)
{
    for (uint32_t n = random_below(&state, 4); n > 0; n--) {
        uint32_t *to = m->indices + 3 * (size_t)random_below(&state, m->triangle_count);
        const uint32_t *from = m->indices + 3 * (size_t)random_below(&state, m->triangle_count);
        const uint32_t corner[3] = {from[1], from[random_below(&state, 3)], from[2]};
        memcpy(to, corner, sizeof corner);
    }
}

static mesh any_mesh(void)
{
    mesh m;
    switch (random_below(&state, 5)) {
    case 0:
        m = mesh_lattice(&state, 20 + random_below(&state, 60), 2 + (int)random_below(&state, 4));
        break;
    case 1:
        m = mesh_soup(&state, 30 + random_below(&state, 90), 0.4);
        break;
    case 2:
        m = mesh_torus(6 + random_below(&state, 4), 5 + random_below(&state, 4),
                       random_between(&state, 0, 0.8));
        break;
    case 3:
        m = mesh_box(0, 0, 0, 1, 1, 1);
        break;
    default:
        m = seamed_grid(4 + random_below(&state, 5));
        break;
    }
    spoil(&m);
    const double size = pow(2, (double)random_below(&state, 61) - 30);
    for (uint32_t i = 0; i < 3 * m.vertex_count; i++) {
        m.positions[i] = (float)(size * (double)m.positions[i]);
    }
    return m;
}

typedef struct {
    const kiln_tree *tree;
    uint8_t *seen; /* by number in `right` */
    size_t count;
} walked;

static bool judge_all(void *user, uint32_t stored_a, const double a[9], uint32_t stored_b,
                      const double b[9], kiln_relation *relation)
{
    (void)user;
    (void)stored_a;
    (void)stored_b;
    *relation = kiln_triangles_relate(a, b);
    return relation->how != KILN_MEETING_NONE;
}

static bool take_once(void *user, uint32_t stored_a, uint32_t stored_b,
                      const kiln_relation *relation)
{
    walked *w = (walked *)user;
    (void)relation;
    const uint32_t a = kiln_tree_id(w->tree, stored_a), b = kiln_tree_id(w->tree, stored_b);
    for (size_t i = 0; i < right.count; i++) {
        if (right.pairs[i].pair.a == a && right.pairs[i].pair.b == b) {
            assert_int_equal(w->seen[i]++, 0);
            w->count++;
        }
    }
    return true;
}

static bool never_stops(void *user)
{
    (void)user;
    return false;
}

/* An octree of a file that does not say which pairs of lanes are needed, of one that says that all
 * are, which is asked by these marks, too. */
static void check_pairs_of_lanes(const kiln_tree *tree)
{
    kiln_tree other = *tree;
    assert_non_null(tree->view.lane_pairs);
    uint32_t *all = malloc(tree->view.entry->node_count * sizeof *all);
    for (uint32_t i = 0; i < tree->view.entry->node_count; i++) {
        all[i] = KILN_LANE_PAIRS_ALL;
    }
    other.view.lane_pairs = NULL;
    check_tree(&other);
    other.view.lane_pairs = all;
    check_tree(&other);
    uint8_t *seen = calloc(right.count + 1, 1);
    walked w = {&other, seen, 0};
    const kiln_self_visitor visitor = {judge_all, take_once, never_stops, &w, true};
    kiln_self_walk_cells(&other, &visitor);
    assert_int_equal(w.count, right.count);
    free(seen);
    free(all);
}

static void test_trees(void **context)
{
    (void)context;
    state = 20;
    for (uint32_t i = amount(MESHES); i > 0; i--) {
        mesh m = any_mesh();
        void *bytes;
        const int leaf = 1 + (int)random_below(&state, 15);
        kiln_file *file = quick_open(&m, QUICK_ALL_KINDS, leaf, KILN_LAYOUT_RAW, &bytes);
        find_truth(&m);
        for (uint32_t t = 0; t < kiln_file_tree_count(file); t++) {
            const kiln_tree *tree = kiln_file_tree(file, t);
            check_tree(tree);
            if (tree->view.kind->shared) {
                check_pairs_of_lanes(tree);
            }
        }
        kiln_close(file);
        free(bytes);
        mesh_free(&m);
    }
}

/* -------------------------------------------------------------------------------- refitted -- */

static void deform(mesh *m, uint32_t frame)
{
    const double size = frame == 3 ? 0x1p-30 : frame == 4 ? 0x1p30 : 1;
    for (uint32_t i = 0; i < m->vertex_count; i++) {
        float *p = m->positions + 3 * (size_t)i;
        for (int k = 0; k < 3; k++) {
            const double at = (double)p[k];
            p[k] = (float)(size * (frame == 1 && k == 2   ? 0
                                   : frame == 2 && k == 0 ? fabs(at - rint(at / 4))
                                   : frame == 5           ? rint(2 * at)
                                                : at + 0.2 * random_between(&state, -1, 1)));
        }
    }
}

static void check_copies(const char *kind)
{
    mesh m = any_mesh();
    void *bytes;
    kiln_file *file =
        quick_open(&m, kind, 1 + (int)random_below(&state, 8), KILN_LAYOUT_RAW, &bytes);
    const kiln_tree *tree = kiln_file_tree(file, 0);
    const size_t size = kiln_refit_size(tree);
    if (size > 0) { /* else no kind that is refitted */
        kiln_refit *refit = NULL;
        void *memory = malloc(size);
        uint32_t *corners = malloc(3 * sizeof *corners * m.triangle_count);
        assert_int_equal(kiln_refit_place(memory, size, tree, &refit), KILN_OK);
        assert_int_equal(kiln_refit_corners(refit, corners, m.triangle_count), KILN_OK);
        const uint32_t vertices = kiln_refit_vertex_count(refit);
        /* The mesh over the file's own vertices. */
        mesh own = {malloc(3 * sizeof(float) * vertices), corners, vertices, m.triangle_count};
        for (uint32_t frame = 0; frame < 6; frame++) {
            memcpy(own.positions, kiln_refit_vertices(refit), 3 * sizeof(float) * vertices);
            deform(&own, frame);
            assert_int_equal(kiln_refit_update(refit, own.positions, vertices), KILN_OK);
            find_truth(&own);
            check_tree(kiln_refit_tree(refit));
            deform(&own, 0);
        }
        mesh_free(&own);
        free(memory);
    }
    kiln_close(file);
    free(bytes);
    mesh_free(&m);
}

static void test_copies(void **context)
{
    static const char *const kinds[] = {QUICK_KIND_NAMES};
    (void)context;
    state = 21;
    for (uint32_t i = 0; i < amount(COPIES); i++) {
        check_copies(kinds[(state + i) % (sizeof kinds / sizeof kinds[0])]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_trees), cmocka_unit_test(test_copies)};
    return cmocka_run_group_tests_name("self-contacts", tests, NULL, NULL);
}
