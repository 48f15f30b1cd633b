/* The volumes of a tree as callers see them: that each holds its triangles, in exact arithmetic, by
 * the definition of kiln.h, for every kind, in copies that follow moved vertices and in trees that
 * arrive; their order; and all triangles by their ids. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gmp.h>

#include "../../runtime/base/tree.h"
#include "../support/amount.h"
#include "../support/quick_bake.h"
#include "../support/rounding.h"

enum { KINDS = KILN_NODE_KIND_COUNT, ROOM = 1 << 16 };

typedef struct {
    kiln_tree_volume *volumes;
    uint32_t count;
} visited;

static kiln_visit keep(void *user, const kiln_tree_volume *volume)
{
    visited *all = user;
    assert_true(all->count < ROOM);
    all->volumes[all->count++] = *volume;
    return KILN_VISIT_CHILDREN;
}

static visited visit_all(const kiln_tree *tree)
{
    visited all = {malloc(ROOM * sizeof *all.volumes), 0};
    assert_non_null(all.volumes);
    assert_int_equal(kiln_tree_visit(tree, keep, &all), KILN_OK);
    return all;
}

/* ----------------------------------------------------------------------------- exact oracle -- */

typedef struct {
    mpq_t row[3][3], from[3], half[3], det[4], radius, term, sum;
} exact_volume;

static void exact_init(exact_volume *x)
{
    for (int k = 0; k < 3; k++) {
        mpq_inits(x->row[k][0], x->row[k][1], x->row[k][2], x->from[k], x->half[k], NULL);
    }
    mpq_inits(x->det[0], x->det[1], x->det[2], x->det[3], x->radius, x->term, x->sum, NULL);
}

static void exact_clear(exact_volume *x)
{
    for (int k = 0; k < 3; k++) {
        mpq_clears(x->row[k][0], x->row[k][1], x->row[k][2], x->from[k], x->half[k], NULL);
    }
    mpq_clears(x->det[0], x->det[1], x->det[2], x->det[3], x->radius, x->term, x->sum, NULL);
}

/* The determinant of the three rows, `with` in the place of row `place` (3: of none). */
static void determinant(exact_volume *x, int place, mpq_t out)
{
    mpq_t term;
    mpq_init(term);
    mpq_set_si(out, 0, 1);
    for (int k = 0; k < 3; k++) {
        for (int sign = 1; sign <= 2; sign++) {
            const int column[3] = {k, (k + sign) % 3, (k + 3 - sign) % 3};
            mpq_set_si(term, sign == 1 ? 1 : -1, 1);
            for (int r = 0; r < 3; r++) {
                mpq_mul(term, term, r == place ? x->from[column[r]] : x->row[r][column[r]]);
            }
            mpq_add(out, out, term);
        }
    }
    mpq_clear(term);
}

/* Is the point centre + sum t_k axis_k with |t_k| <= half_k (by Cramer's rule), within half_k along
 * each axis, and in the ball, if it is one? */
static void assert_in_volume(exact_volume *x, const kiln_tree_volume *v, const float p[3])
{
    for (int k = 0; k < 3; k++) {
        mpq_set_d(x->from[k], (double)p[k]);
        mpq_set_d(x->term, v->centre[k]);
        mpq_sub(x->from[k], x->from[k], x->term);
        mpq_set_d(x->half[k], v->half[k]);
        for (int i = 0; i < 3; i++) {
            mpq_set_d(x->row[k][i], v->axes[3 * k + i]);
        }
    }
    determinant(x, 3, x->det[3]);
    assert_true(mpq_sgn(x->det[3]) != 0);
    for (int k = 0; k < 3; k++) {
        determinant(x, k, x->det[k]);
        mpq_div(x->det[k], x->det[k], x->det[3]);
        mpq_abs(x->det[k], x->det[k]);
        assert_true(mpq_cmp(x->det[k], x->half[k]) <= 0);
        mpq_set_si(x->sum, 0, 1);
        for (int i = 0; i < 3; i++) {
            mpq_mul(x->term, x->row[k][i], x->from[i]);
            mpq_add(x->sum, x->sum, x->term);
        }
        mpq_abs(x->sum, x->sum);
        assert_true(mpq_cmp(x->sum, x->half[k]) <= 0);
    }
    if (v->radius > 0) {
        mpq_set_d(x->radius, v->radius);
        mpq_mul(x->radius, x->radius, x->radius);
        mpq_set_si(x->sum, 0, 1);
        for (int i = 0; i < 3; i++) {
            mpq_mul(x->term, x->from[i], x->from[i]);
            mpq_add(x->sum, x->sum, x->term);
        }
        assert_true(mpq_cmp(x->sum, x->radius) <= 0);
    }
}

/* ------------------------------------------------------------------------- a walk of our own -- */

typedef struct {
    const kiln_tree *tree;
    const visited *all;
    uint32_t at; /* the volume that is next */
    exact_volume exact;
    const kiln_tree_volume *above[KILN_TREE_DEPTH_MAX + 1];
    uint32_t names; /* of triangles in leaves */
} walked;

static void assert_unit_axes(const kiln_tree_volume *v, bool aligned)
{
    for (int k = 0; k < 3; k++) {
        assert_true(v->half[k] >= 0 && v->half[k] < HUGE_VAL && fabs(v->centre[k]) < HUGE_VAL);
        for (int j = 0; j < 3; j++) {
            const double *a = v->axes + 3 * k, *b = v->axes + 3 * j;
            const double dot = (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
            assert_true(fabs(dot - (k == j)) <= 0x1p-48);
            assert_true(!aligned || a[j] == (k == j));
        }
    }
}

/* By the tree's kind a leaf of an octree holds a part of its triangle: then a corner is looked for
 * in any of the leaves. */
static uint32_t walk_below(walked *w, uint32_t index, uint32_t depth)
{
    const kiln_format_node8 *node = kiln_tree_node(w->tree, index);
    const kiln_node_kind *kind = w->tree->view.kind;
    uint32_t names = 0;
    for (unsigned lane = 0; lane < KILN_NODE_WIDTH; lane++) {
        if ((kiln_node8_used(node) >> lane & 1) == 0) {
            continue;
        }
        const kiln_contents of = kiln_node8_contents(node, lane);
        assert_true(w->at < w->all->count);
        const kiln_tree_volume *v = &w->all->volumes[w->at++];
        w->above[depth] = v;
        assert_int_equal(v->depth, depth);
        assert_int_equal(v->leaf, of.count != 0);
        assert_true(v->radius == (kind->balls ? v->half[0] : 0));
        assert_unit_axes(v, kind->aligned);
        const uint32_t below = of.count != 0 ? of.count : walk_below(w, of.first, depth + 1);
        assert_int_equal(v->triangles, below);
        names += below;
        for (uint32_t i = 0; i < 3 * of.count && !kind->shared; i++) {
            const uint32_t stored = kiln_tree_triangle(w->tree, of.first + i / 3);
            const float *p = w->tree->vertices + 3 * w->tree->triangles[3 * stored + i % 3];
            for (uint32_t d = 0; d <= depth; d++) {
                assert_in_volume(&w->exact, w->above[d], p);
            }
        }
    }
    return names;
}

/* Each corner of each triangle is in one of the octree's leaves. */
static void corners_are_in_leaves(const kiln_tree *tree, const visited *all)
{
    const kiln_format_tree *entry = tree->view.entry;
    for (uint32_t i = 0; i < 3 * entry->triangle_count; i++) {
        const float *p =
            tree->vertices + 3 * tree->triangles[3 * (size_t)entry->triangle_first + i];
        bool found = false;
        for (uint32_t j = 0; j < all->count && !found; j++) {
            const kiln_tree_volume *v = &all->volumes[j];
            found = v->leaf && fabs((double)p[0] - v->centre[0]) <= v->half[0] &&
                    fabs((double)p[1] - v->centre[1]) <= v->half[1] &&
                    fabs((double)p[2] - v->centre[2]) <= v->half[2];
        }
        assert_true(found);
    }
}

static void check_tree(const kiln_tree *tree)
{
    const kiln_tree_info info = kiln_tree_get_info(tree);
    visited all = visit_all(tree);
    walked w = {.tree = tree, .all = &all, .at = 1};
    exact_init(&w.exact);
    const kiln_tree_volume *whole = &all.volumes[0];
    w.above[0] = whole;
    assert_true(whole->depth == 0 && !whole->leaf && whole->radius == 0);
    assert_unit_axes(whole, true);
    for (int k = 0; k < 3; k++) {
        const double lower = (double)info.bounds_lower[k], upper = (double)info.bounds_upper[k];
        assert_true(whole->centre[k] - whole->half[k] <= lower);
        assert_true(whole->centre[k] + whole->half[k] >= upper);
        assert_true(whole->half[k] <= (upper - lower) * (0.5 + 0x1p-50));
    }
    const uint32_t names = walk_below(&w, 0, 1);
    assert_int_equal(w.at, all.count);
    assert_int_equal(whole->triangles, names);
    if (tree->view.kind->shared) {
        corners_are_in_leaves(tree, &all);
    } else {
        assert_int_equal(names, info.triangle_count);
    }
    exact_clear(&w.exact);
    free(all.volumes);
}

/* --------------------------------------------------------------------------------- the tests -- */

static const char *const kinds[] = {KILN_NODE_KINDS(QUICK_KIND_NAME, QUICK_KIND_NAME)};

/* Moves and scales by powers of two, so that node space is anywhere. */
static mesh moved(mesh m, double scale, double x, double y, double z)
{
    const double by[3] = {x, y, z};
    for (uint32_t i = 0; i < 3 * m.vertex_count; i++) {
        m.positions[i] = (float)((double)m.positions[i] * scale + by[i % 3]);
    }
    return m;
}

static mesh sample(int shape, uint64_t *state)
{
    switch (shape) {
    case 0:
        return mesh_torus(16, 9, 0.2);
    case 1:
        return moved(mesh_torus(14, 7, 0.1), 0x1p-20, 1000.3, -77.7, 3e-5);
    case 2:
        return moved(mesh_soup(state, 90, 0.4), 0x1p70, 0, 0x1p69, 0);
    case 3:
        return moved(mesh_lattice(state, 120, 5), 0x1p-120, 0, 0, 0);
    case 4:
        return mesh_box(-1, -2, 3, 4, 5, 3); /* flat */
    default:
        return moved(mesh_soup(state, 60, 0.01), 1, random_between(state, -1e6, 1e6), 3, 0);
    }
}

static void volumes_hold_their_triangles(void **unused)
{
    (void)unused;
    uint64_t state = 19;
    for (int shape = 0; shape < (int)amount_of_few(6); shape++) {
        for (int kind = 0; kind < KINDS; kind++) {
            const int leaf = (int[]){1, 4, 8}[(shape + kind) % 3];
            quick_model model = quick_model_of(sample(shape, &state), kinds[kind], leaf);
            check_tree(kiln_file_tree(model.file, 0));
            quick_model_free(&model);
        }
    }
}

static void volumes_of_copies_follow_the_vertices(void **unused)
{
    (void)unused;
    uint64_t state = 4;
    for (int kind = 0; kind < KINDS; kind++) {
        quick_model model = quick_model_of(mesh_torus(12, 8, 0.1), kinds[kind], 4);
        const kiln_tree *tree = kiln_file_tree(model.file, 0);
        const size_t size = kiln_refit_size(tree);
        void *memory = malloc(size + 1);
        kiln_refit *refit = NULL;
        assert_non_null(memory);
        if (size != 0) {
            assert_int_equal(kiln_refit_place(memory, size, tree, &refit), KILN_OK);
            const uint32_t count = kiln_refit_vertex_count(refit);
            float *vertices = malloc(3 * sizeof(float) * count);
            assert_non_null(vertices);
            for (uint32_t i = 0; i < 3 * count; i++) {
                vertices[i] = kiln_refit_vertices(refit)[i] * 3 + 100 +
                              (float)random_between(&state, -0.3, 0.3);
            }
            assert_int_equal(kiln_refit_update(refit, vertices, count), KILN_OK);
            check_tree(kiln_refit_tree(refit));
            const kiln_tree *copy = kiln_refit_tree(refit);
            const uint32_t limit = kiln_tree_triangle_limit(copy);
            float *corners = malloc(9 * sizeof(float) * limit);
            assert_non_null(corners);
            assert_int_equal(kiln_tree_triangles(copy, corners, limit), KILN_OK);
            for (uint32_t i = 0; i < 9 * limit; i++) {
                assert_true(corners[i] > 90);
            }
            free(corners);
            free(vertices);
        }
        free(memory);
        quick_model_free(&model);
    }
}

/* ------------------------------------------------------------------------------- the visitor -- */

typedef struct {
    uint32_t calls, skip_at, stop_at; /* depth; call */
    float tiny;                       /* of the caller's environment */
    bool flushed[2];                  /* in the caller's environment; in a callback */
    kiln_visit odd;
} visitor;

static bool flushes(float tiny)
{
    volatile float half = tiny;
    half = half * 0.5f;
    return !(half > 0);
}

static kiln_visit look(void *user, const kiln_tree_volume *volume)
{
    visitor *v = user;
    v->flushed[1] = flushes(v->tiny);
    if (++v->calls == v->stop_at) {
        return v->odd != 0 ? v->odd : KILN_VISIT_STOP;
    }
    assert_true(volume->depth <= v->skip_at);
    return volume->depth == v->skip_at ? KILN_VISIT_SKIP : KILN_VISIT_CHILDREN;
}

static void visitors_skip_and_stop(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < KINDS; kind++) {
        quick_model model = quick_model_of(mesh_torus(12, 8, 0.1), kinds[kind], 2);
        const kiln_tree *tree = kiln_file_tree(model.file, 0);
        visited all = visit_all(tree);
        for (uint32_t level = 0; level < 4; level++) {
            visitor v = {.skip_at = level, .tiny = 0x1p-126f};
            uint32_t wanted = 0;
            for (uint32_t i = 0; i < all.count; i++) {
                wanted += all.volumes[i].depth <= level;
            }
            assert_int_equal(kiln_tree_visit(tree, look, &v), KILN_OK);
            assert_int_equal(v.calls, wanted);
        }
        for (uint32_t stop = 1; stop <= 20; stop++) {
            visitor v = {.skip_at = UINT32_MAX, .stop_at = stop, .tiny = 0x1p-126f};
            assert_int_equal(kiln_tree_visit(tree, look, &v), KILN_OK);
            assert_int_equal(v.calls, stop);
            visitor odd = {.skip_at = UINT32_MAX, .stop_at = stop, .tiny = 1};
            odd.odd = (kiln_visit)3;
            assert_int_equal(kiln_tree_visit(tree, look, &odd), KILN_ERROR_ARGUMENT);
            assert_int_equal(odd.calls, stop);
        }
        free(all.volumes);
        quick_model_free(&model);
    }
}

/* The same volumes whatever the caller's environment is, and the callback runs in that. */
static void environments_of_callers(void **unused)
{
    (void)unused;
    static const char *const some[] = {"obb", "sphere", "aabb2", "dop14"};
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        quick_model model = quick_model_of(mesh_torus(12, 8, 0.1), some[i], 2);
        const kiln_tree *tree = kiln_file_tree(model.file, 0);
        visited all = visit_all(tree);
        for (int mode = 1; mode <= ROUNDING_MODES; mode++) {
            visitor v = {.skip_at = UINT32_MAX, .tiny = 0x1p-126f};
            rounding_enter(mode);
            v.flushed[0] = flushes(v.tiny);
            visited same = visit_all(tree);
            const kiln_status status = kiln_tree_visit(tree, look, &v);
            rounding_leave();
            assert_int_equal(status, KILN_OK);
            assert_int_equal(v.flushed[0], v.flushed[1]);
            assert_int_equal(same.count, all.count);
            assert_memory_equal(same.volumes, all.volumes, all.count * sizeof *all.volumes);
            free(same.volumes);
        }
        free(all.volumes);
        quick_model_free(&model);
    }
}

static void what_is_refused(void **unused)
{
    (void)unused;
    quick_model model = quick_model_of(mesh_box(0, 0, 0, 1, 1, 1), "obb", 4);
    const kiln_tree *tree = kiln_file_tree(model.file, 0);
    visitor v = {.skip_at = UINT32_MAX};
    float corners[9] = {7};
    assert_int_equal(kiln_tree_visit(NULL, look, &v), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_tree_visit(tree, NULL, &v), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_tree_triangles(NULL, corners, 1), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_tree_triangles(tree, NULL, 1), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_tree_triangles(tree, NULL, 0), KILN_OK);
    assert_true(v.calls == 0 && corners[0] == 7);
    assert_int_equal(kiln_tree_triangle_limit(NULL), 0);
    quick_model_free(&model);
}

/* ---------------------------------------------------------------------------- all triangles -- */

static void triangles_by_ids(void **unused)
{
    (void)unused;
    uint64_t state = 7;
    void *bytes = NULL;
    mesh m = mesh_lattice(&state, 300, 6);
    kiln_file *file = quick_open(&m, QUICK_ALL_KINDS, 4, KILN_LAYOUT_RAW, &bytes);
    const uint32_t room = m.triangle_count + 3;
    float *corners = malloc(9 * sizeof(float) * room);
    assert_non_null(corners);
    for (uint32_t t = 0; t < kiln_file_tree_count(file); t++) {
        const kiln_tree *tree = kiln_file_tree(file, t);
        const uint32_t limit = kiln_tree_triangle_limit(tree);
        assert_true(limit <= m.triangle_count && limit > 0);
        for (int round = 0; round < 2; round++) {
            const uint32_t count = round == 0 ? room : limit / 2;
            memset(corners, 0x55, 9 * sizeof(float) * room);
            assert_int_equal(kiln_tree_triangles(tree, corners, count), KILN_OK);
            for (uint32_t i = 0; i < room; i++) {
                float wanted[3][3];
                if (i >= count) {
                    assert_true(corners[9 * i + 8] > 1e10f); /* untouched */
                } else if (kiln_tree_corners(tree, i, wanted) == KILN_OK) {
                    assert_memory_equal(corners + 9 * (size_t)i, wanted, sizeof wanted);
                    assert_true(i < limit);
                } else {
                    assert_true(isnan(corners[9 * i]) && isnan(corners[9 * i + 8]));
                }
            }
        }
    }
    free(corners);
    kiln_close(file);
    free(bytes);
    mesh_free(&m);
}

/* -------------------------------------------------------------------- files without polygons -- */

static void trees_without_polygons_have_volumes(void **unused)
{
    (void)unused;
    mesh m = mesh_torus(12, 8, 0.1);
    kiln_bake_options options = kiln_bake_options_default();
    options.layout = KILN_LAYOUT_RAW;
    options.adb = 4;
    options.adb_factor = 0.75;
    options.no_geometry = true;
    size_t size;
    void *bytes = quick_bake_with(&m, &options, &size);
    kiln_file *file = NULL;
    assert_int_equal(kiln_open_memory(bytes, size, NULL, &file), KILN_OK);
    const kiln_tree *tree = kiln_file_tree(file, 0);
    float corners[9];
    visited all = visit_all(tree);
    assert_true(all.count > 10);
    assert_int_equal(all.volumes[0].triangles, m.triangle_count);
    assert_int_equal(kiln_tree_triangles(tree, corners, 1), KILN_ERROR_NOT_LOADED);
    assert_int_equal(kiln_tree_triangle_limit(tree), 0);
    free(all.volumes);
    kiln_close(file);
    free(bytes);
    mesh_free(&m);
}

/* ------------------------------------------------------------------------ files that arrive -- */

/* What has arrived is what the whole tree has there, less what is below; nothing is called a leaf
 * that is none. */
static void is_part_of(const visited *some, const visited *all, const kiln_tree_loaded *loaded)
{
    uint32_t at = 0, lanes = 0;
    for (uint32_t i = 0; i < some->count; i++) {
        const kiln_tree_volume *v = &some->volumes[i];
        while (at < all->count &&
               (all->volumes[at].depth > v->depth ||
                memcmp(all->volumes[at].centre, v->centre, sizeof v->centre) != 0 ||
                memcmp(all->volumes[at].half, v->half, sizeof v->half) != 0)) {
            at++;
        }
        assert_true(at < all->count);
        assert_int_equal(all->volumes[at].depth, v->depth);
        assert_int_equal(all->volumes[at].leaf, v->leaf);
        assert_true(v->triangles <= all->volumes[at].triangles);
        assert_true(!v->leaf || v->triangles == all->volumes[at].triangles);
        lanes += v->leaf ? v->triangles : 0;
        at++;
    }
    assert_true(lanes <= all->volumes[0].triangles);
    assert_true(loaded->nodes != 0 || some->count == 1);
}

/* Inner volumes whose children have not arrived. */
static uint32_t ends_of(const visited *some)
{
    uint32_t ends = 0;
    for (uint32_t i = 0; i < some->count; i++) {
        const bool parent =
            i + 1 < some->count && some->volumes[i + 1].depth > some->volumes[i].depth;
        ends += !some->volumes[i].leaf && !parent;
        assert_true(!some->volumes[i].leaf || !parent);
    }
    return ends;
}

static void trees_that_arrive(void **unused)
{
    (void)unused;
    static const char *const some[] = {"aabb", "aabb2", "octree"};
    mesh m = mesh_torus(110, 80, 0.1); /* nodes of several blocks */
    for (size_t k = 0; k < sizeof some / sizeof some[0]; k++) {
        size_t size = 0;
        void *bytes = quick_bake(&m, some[k], 2, KILN_LAYOUT_PACKED, &size);
        kiln_file *whole = NULL, *file = NULL;
        assert_int_equal(kiln_open_memory(bytes, size, NULL, &whole), KILN_OK);
        visited all = visit_all(kiln_file_tree(whole, 0));
        uint32_t before = 0, steps = 0;
        bool ended = false;
        for (size_t there = 128; before < all.count || there < size;) {
            const kiln_status status = file == NULL ? kiln_open_partial(bytes, there, NULL, &file)
                                                    : kiln_file_advance(file, bytes, there, NULL);
            if (status == KILN_ERROR_PARTIAL) {
                there += 64;
                continue;
            }
            assert_int_equal(status, KILN_OK);
            const kiln_tree *tree = kiln_file_tree(file, 0);
            const kiln_tree_loaded loaded = kiln_tree_get_loaded(tree);
            visited now = visit_all(tree);
            is_part_of(&now, &all, &loaded);
            assert_true(now.count >= before);
            steps += now.count > before;
            before = now.count;
            ended = ended || (now.count > 1 && ends_of(&now) > 0);
            float corners[9];
            assert_int_equal(kiln_tree_triangles(tree, corners, 1),
                             loaded.complete ? KILN_OK : KILN_ERROR_PARTIAL);
            free(now.volumes);
            there = loaded.complete ? size : (size_t)kiln_file_get_loaded(file).next;
        }
        assert_true(steps >= 3 && ended);
        free(all.volumes);
        kiln_close(file);
        kiln_close(whole);
        free(bytes);
    }
    mesh_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volumes_hold_their_triangles),
        cmocka_unit_test(volumes_of_copies_follow_the_vertices),
        cmocka_unit_test(visitors_skip_and_stop),
        cmocka_unit_test(environments_of_callers),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(triangles_by_ids),
        cmocka_unit_test(trees_without_polygons_have_volumes),
        cmocka_unit_test(trees_that_arrive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
