/* Winding numbers: known values, what the surface means, what is refused, copies whose vertices
 * move, many points. Numbers against an exact oracle are in property/test_winding.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/kiln_winding.h"
#include "../support/counted.h"
#include "../support/rounding.h"

typedef struct {
    counted mesh;
    void *memory;
    kiln_winding *winding;
} wound;

static wound wind(mesh m, const char *kind)
{
    wound w = {.mesh = counted_of(m, kind, 4)};
    const size_t size = kiln_winding_size(w.mesh.tree);
    w.memory = malloc(size);
    assert_non_null(w.memory);
    assert_int_equal(kiln_winding_place(w.memory, size, w.mesh.tree, &w.winding), KILN_OK);
    return w;
}

static void unwind(wound *w)
{
    free(w->memory);
    counted_free(&w->mesh);
}

/* By sums, with accuracy 0. */
static kiln_winding_answer sum_at(const wound *w, double x, double y, double z)
{
    const double p[3] = {x, y, z};
    kiln_winding_answer answer;
    kiln_winding_options options = kiln_winding_options_default();
    options.count_closed = false;
    options.accuracy = 0;
    assert_int_equal(kiln_winding_number(w->winding, NULL, p, &options, &answer), KILN_OK);
    return answer;
}

static void is_about(kiln_winding_answer answer, double number, bool surface)
{
    assert_true(fabs(answer.number - number) <= answer.error + 0x1p-52);
    assert_true(answer.error < 0x1p-20);
    assert_int_equal(answer.surface, surface);
    assert_false(answer.exact);
}

static void a_box_has_the_parts_of_a_ball(void **unused)
{
    (void)unused;
    wound w = wind(mesh_box(-1, -1, -1, 1, 1, 1), "obb");
    is_about(sum_at(&w, 0, 0, 0), 1, false);
    is_about(sum_at(&w, 0.25, 0.5, -0.9375), 1, false);
    is_about(sum_at(&w, 0, 0, 3), 0, false);
    is_about(sum_at(&w, 0, 3, 1), 0, false);       /* in the plane of a face */
    is_about(sum_at(&w, 3, 1, 1), 0, false);       /* on the extension of an edge */
    is_about(sum_at(&w, 0.5, 0.25, 1), 0.5, true); /* on a face */
    is_about(sum_at(&w, 0, 0, 1), 0.5, true);      /* on a diagonal of one */
    is_about(sum_at(&w, 1, 0.5, -1), 0.25, true);  /* on an edge */
    is_about(sum_at(&w, 1, 1, -1), 0.125, true);   /* on a corner */
    unwind(&w);
}

/* An open box: seen from the middle each face is a sixth. Mirrored, all signs change. */
static void an_open_box_counts_what_is_there(void **unused)
{
    (void)unused;
    mesh m = mesh_box(-1, -1, -1, 1, 1, 1);
    m.triangle_count -= 2;
    wound w = wind(m, "octree");
    is_about(sum_at(&w, 0, 0, 0), 5.0 / 6, false);
    unwind(&w);
    m = mesh_box(-1, -1, -1, 1, 1, 1);
    m.triangle_count -= 2;
    for (uint32_t i = 0; i < 3 * m.triangle_count; i += 3) {
        const uint32_t first = m.indices[i];
        m.indices[i] = m.indices[i + 1];
        m.indices[i + 1] = first;
    }
    w = wind(m, "aabb2");
    is_about(sum_at(&w, 0, 0, 0), -5.0 / 6, false);
    unwind(&w);
}

/* The last bit of a coordinate beside a face, an edge, a corner. */
static void a_jump_is_where_the_surface_is(void **unused)
{
    (void)unused;
    wound w = wind(mesh_box(-1, -1, -1, 1, 1, 1), "sphere");
    for (int bits = 1; bits <= 52; bits++) {
        const double in = 1 - ldexp(1, -bits), out = 1 + ldexp(1, -bits);
        is_about(sum_at(&w, 0.5, 0.25, in), 1, false);
        is_about(sum_at(&w, 0.5, 0.25, out), 0, false);
        is_about(sum_at(&w, in, 0.25, in), 1, false);
        is_about(sum_at(&w, in, 0.25, out), 0, false);
        is_about(sum_at(&w, in, in, in), 1, false);
        is_about(sum_at(&w, out, out, out), 0, false);
        is_about(sum_at(&w, out, 1, 1), 0, false);
        is_about(sum_at(&w, in, 1, 1), 0.25, true);
    }
    unwind(&w);
}

/* So near that pairs of doubles do not tell the lengths from each other: the error says so. */
static void beside_an_edge_the_error_is_honest(void **unused)
{
    (void)unused;
    wound w = wind(mesh_box(0, 0, 0, 1, 1, 1), "dop6");
    for (int i = 1; i < 240; i++) {
        for (int j = 1; j < 240; j += 17) {
            const double y = ldexp(1, -i), z = ldexp(1, -j);
            const kiln_winding_answer in = sum_at(&w, 0.5, y, z), out = sum_at(&w, 0.5, -y, z);
            assert_true(fabs(in.number - 1) <= in.error && in.error <= 1.5);
            assert_true(fabs(out.number) <= out.error && out.error <= 1.5);
            assert_true(!in.surface && !out.surface);
        }
    }
    unwind(&w);
}

static void errors_keep_to_the_accuracy(void **unused)
{
    (void)unused;
    wound w = wind(mesh_of_shape("lock", 9000), "obb");
    const kiln_tree_info info = kiln_tree_get_info(w.mesh.tree);
    kiln_winding_options options = kiln_winding_options_default();
    uint64_t state = 4;
    double most = 0;
    options.count_closed = false;
    options.accuracy = 0.1;
    for (int i = 0; i < 300; i++) {
        double p[3];
        kiln_winding_answer answer;
        for (int k = 0; k < 3; k++) {
            p[k] =
                random_between(&state, (double)info.bounds_lower[k], (double)info.bounds_upper[k]);
        }
        assert_int_equal(kiln_winding_number(w.winding, NULL, p, &options, &answer), KILN_OK);
        assert_true(answer.error <= options.accuracy + 1e-9);
        most = fmax(most, answer.error);
    }
    assert_true(most > 0.09);
    unwind(&w);
}

static void closed_meshes_are_counted(void **unused)
{
    (void)unused;
    wound w = wind(mesh_torus(12, 8, 0), "dop14");
    const double inside[3] = {1, 0, 0}, outside[3] = {0, 0, 0}, corner[3] = {1.4f, 0, 0};
    kiln_winding_answer answer;
    assert_int_equal(kiln_winding_number(w.winding, NULL, inside, NULL, &answer), KILN_OK);
    assert_true(answer.exact && answer.number == 1 && answer.error == 0 && !answer.surface);
    assert_int_equal(answer.side, KILN_WINDING_UNDECIDED);
    assert_int_equal(kiln_winding_number(w.winding, NULL, outside, NULL, &answer), KILN_OK);
    assert_true(answer.exact && answer.number == 0 && answer.error == 0 && !answer.surface);
    assert_int_equal(kiln_winding_number(w.winding, NULL, corner, NULL, &answer), KILN_OK);
    assert_true(!answer.exact && answer.surface && answer.number > 0.2 && answer.number < 0.8);
    kiln_winding_options options = kiln_winding_options_default();
    options.decide = true;
    options.threshold = 1;
    assert_int_equal(kiln_winding_number(w.winding, NULL, inside, &options, &answer), KILN_OK);
    assert_int_equal(answer.side, KILN_WINDING_NOT_ABOVE);
    options.threshold = 0.999;
    assert_int_equal(kiln_winding_number(w.winding, NULL, inside, &options, &answer), KILN_OK);
    assert_int_equal(answer.side, KILN_WINDING_ABOVE);
    options.count_closed = false;
    options.threshold = 1;
    assert_int_equal(kiln_winding_number(w.winding, NULL, inside, &options, &answer), KILN_OK);
    assert_int_equal(answer.side, KILN_WINDING_UNDECIDED);
    assert_true(answer.error < 1e-13);
    unwind(&w);
}

static void what_is_far_away_is_small(void **unused)
{
    (void)unused;
    mesh m = mesh_box(-1, -1, -1, 1, 1, 1);
    m.triangle_count -= 2;
    wound w = wind(m, "aabb");
    for (int i = 0; i < 198; i++) {
        const kiln_winding_answer answer = sum_at(&w, ldexp(1.25, i), ldexp(1, i), -ldexp(1, i));
        assert_true(fabs(answer.number) + answer.error <= 8 / ldexp(1, 2 * i));
        assert_true(answer.error < fabs(answer.number) * 1e-10 || i >= 100);
    }
    unwind(&w);
}

static void what_is_wrong_is_refused(void **unused)
{
    (void)unused;
    wound w = wind(mesh_torus(8, 6, 0), "obb");
    kiln_winding *other = w.winding;
    kiln_winding_answer answer, kept;
    kiln_pose pose = kiln_pose_identity();
    double p[3] = {0, 0, 0};
    const size_t size = kiln_winding_size(w.mesh.tree);
    memset(&kept, 0x55, sizeof kept);
    answer = kept;
    assert_true(kiln_winding_size(NULL) == 0);
    assert_int_equal(kiln_winding_place(w.memory, size - 1, w.mesh.tree, &other),
                     KILN_ERROR_ARGUMENT);
    assert_null(other);
    assert_int_equal(kiln_winding_place(NULL, size, w.mesh.tree, &other), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_winding_place(w.memory, size, NULL, &other), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_winding_place(w.memory, size, w.mesh.tree, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_winding_update(NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_winding_number(NULL, NULL, p, NULL, &answer), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_winding_number(w.winding, NULL, NULL, NULL, &answer),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_winding_number(w.winding, NULL, p, NULL, NULL), KILN_ERROR_ARGUMENT);
    static const double bad[] = {NAN, INFINITY, -1e61};
    for (int i = 0; i < 3; i++) {
        p[i] = bad[i];
        assert_int_equal(kiln_winding_number(w.winding, NULL, p, NULL, &answer),
                         KILN_ERROR_ARGUMENT);
        p[i] = 0;
    }
    kiln_winding_options options = kiln_winding_options_default();
    options.accuracy = -1;
    assert_int_equal(kiln_winding_number(w.winding, NULL, p, &options, &answer),
                     KILN_ERROR_ARGUMENT);
    options.accuracy = NAN;
    assert_int_equal(kiln_winding_number(w.winding, NULL, p, &options, &answer),
                     KILN_ERROR_ARGUMENT);
    options.accuracy = INFINITY;
    options.threshold = NAN; /* is not asked for */
    assert_int_equal(kiln_winding_number(w.winding, NULL, p, &options, &answer), KILN_OK);
    answer = kept;
    options.decide = true;
    assert_int_equal(kiln_winding_number(w.winding, NULL, p, &options, &answer),
                     KILN_ERROR_ARGUMENT);
    pose.rotation[0] = 0;
    assert_int_equal(kiln_winding_number(w.winding, &pose, p, NULL, &answer), KILN_ERROR_POSE);
    assert_memory_equal(&answer, &kept, sizeof kept);
    assert_int_equal(kiln_winding_numbers(w.winding, NULL, NULL, 0, NULL, NULL), KILN_OK);
    assert_int_equal(kiln_winding_numbers(w.winding, &pose, NULL, 0, NULL, NULL), KILN_ERROR_POSE);
    assert_int_equal(kiln_winding_numbers(w.winding, NULL, p, 1, NULL, NULL), KILN_ERROR_ARGUMENT);
    unwind(&w);

    static uint64_t memory[8192];
    counted bare = counted_bake(mesh_torus(8, 6, 0), "aabb", 4, 4, KILN_ADB_OCTANTS, false);
    assert_true(kiln_winding_size(bare.tree) == 0);
    assert_int_equal(kiln_winding_place(memory, sizeof memory, bare.tree, &other),
                     KILN_ERROR_NOT_LOADED);
    counted_free(&bare);
}

static void a_copy_that_moves_is_summed_up_anew(void **unused)
{
    (void)unused;
    static const char *const kinds[] = {"aabb", "aabb2", "dop18", "sphere"};
    for (size_t kind = 0; kind < 4; kind++) {
        mesh m = mesh_box(-1, -1, -1, 1, 1, 1);
        m.triangle_count -= 2;
        counted c = counted_of(m, kinds[kind], 2);
        const size_t size = kiln_refit_size(c.tree), room = kiln_winding_size(c.tree);
        void *memory = malloc(size), *far = malloc(room + 1);
        assert_true(memory != NULL && far != NULL);
        kiln_refit *refit = NULL;
        wound w = {.winding = NULL};
        float vertices[24];
        assert_int_equal(kiln_refit_place(memory, size, c.tree, &refit), KILN_OK);
        assert_true(kiln_winding_size(kiln_refit_tree(refit)) == room);
        assert_int_equal(
            kiln_winding_place((uint8_t *)far + 1, room, kiln_refit_tree(refit), &w.winding),
            KILN_OK); /* at any address */
        is_about(sum_at(&w, 0, 0, 0), 5.0 / 6, false);
        for (int i = 0; i < 24; i++) {
            vertices[i] = 2 * kiln_refit_vertices(refit)[i] + (i % 3 == 0 ? 10 : 0);
        }
        assert_int_equal(kiln_refit_update(refit, vertices, 8), KILN_OK);
        const double p[3] = {10, 0, 0};
        kiln_winding_answer answer;
        assert_int_equal(kiln_winding_number(w.winding, NULL, p, NULL, &answer),
                         KILN_ERROR_ARGUMENT);
        assert_int_equal(kiln_winding_update(w.winding), KILN_OK);
        is_about(sum_at(&w, 10, 0, 0), 5.0 / 6, false);
        assert_int_equal(kiln_winding_number(w.winding, NULL, p, NULL, &answer), KILN_OK);
        assert_true(fabs(answer.number - 5.0 / 6) <= answer.error + 0x1p-52 &&
                    answer.error <= 0.01 + 1e-12);
        free(far);
        free(memory);
        counted_free(&c);
    }
}

static void backwards(void *user, void (*task)(void *context, uint32_t index), void *context,
                      uint32_t count)
{
    *(uint32_t *)user += count;
    while (count > 0) {
        task(context, --count);
    }
}

static void many_points_are_as_one(void **unused)
{
    (void)unused;
    enum { MANY = 300 };
    mesh m = mesh_torus(20, 12, 0.2);
    m.triangle_count -= 100;
    wound w = wind(m, "obb");
    static double points[3 * MANY];
    static kiln_winding_answer one[MANY], many[MANY];
    uint64_t state = 3;
    uint32_t tasks = 0;
    kiln_pose pose = pose_random(&state, 1);
    kiln_winding_options options = kiln_winding_options_default();
    for (int i = 0; i < 3 * MANY; i++) {
        points[i] = pose.translation[i % 3] + random_between(&state, -1.5, 1.5);
    }
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(kiln_winding_number(w.winding, &pose, points + 3 * i, &options, &one[i]),
                         KILN_OK);
        assert_true(one[i].error <= 0.01 + 1e-12);
    }
    options.parallel = backwards;
    options.parallel_user = &tasks;
    memset(many, 0, sizeof many);
    rounding_enter(1);
    assert_int_equal(kiln_winding_numbers(w.winding, &pose, points, MANY, &options, many), KILN_OK);
    rounding_leave();
    assert_true(tasks > 1);
    for (int i = 0; i < MANY; i++) {
        assert_memory_equal(&one[i].number, &many[i].number, sizeof one[i].number);
        assert_memory_equal(&one[i].error, &many[i].error, sizeof one[i].error);
    }
    memset(many, 0x33, sizeof many);
    const kiln_winding_answer kept = many[7];
    points[3 * MANY - 1] = NAN;
    assert_int_equal(kiln_winding_numbers(w.winding, &pose, points, MANY, &options, many),
                     KILN_ERROR_ARGUMENT);
    assert_memory_equal(&many[7], &kept, sizeof kept);
    unwind(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_has_the_parts_of_a_ball),
        cmocka_unit_test(an_open_box_counts_what_is_there),
        cmocka_unit_test(a_jump_is_where_the_surface_is),
        cmocka_unit_test(beside_an_edge_the_error_is_honest),
        cmocka_unit_test(errors_keep_to_the_accuracy),
        cmocka_unit_test(closed_meshes_are_counted),
        cmocka_unit_test(what_is_far_away_is_small),
        cmocka_unit_test(what_is_wrong_is_refused),
        cmocka_unit_test(a_copy_that_moves_is_summed_up_anew),
        cmocka_unit_test(many_points_are_as_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
