/* What is measured for Figures 14, 16 and 17 of Klein and Zachmann (2003), in small: every
 * method asked at the same poses, exact ones without errors, and the reports whole. Times are
 * not judged. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../bench/adb/paper_report.h"
#include "../support/meshes.h"

enum { DRAWS = 4 };

static const bench_paper_effort effort = {DRAWS, 1};
static bench_paper_figure computed;
static bench_paper_models models;

static bench_mesh torus(mesh *m)
{
    *m = mesh_torus(30, 16, 0.1);
    const bench_mesh same = {m->positions, m->indices, m->vertex_count, m->triangle_count, NULL};
    return same;
}

static void check_figure(const bench_paper_figure *of, unsigned count)
{
    size_t poses = 0;
    assert_int_equal(of->count, count);
    assert_int_equal(of->triangles, 960);
    assert_string_equal(of->name, "torus");
    for (int d = 0; d < ZACHMANN_DISTANCES; d++) {
        assert_true(of->poses[d] <= DRAWS);
        poses += of->poses[d];
        for (unsigned i = 0; i < count; i++) {
            const bench_paper_series *series = &of->series[i];
            const double wrong = series->positives[d] + series->negatives[d];
            assert_true(of->poses[d] == 0 ? isnan(wrong) && isnan(series->us[d])
                                          : wrong >= 0 && wrong <= 1 && series->us[d] > 0);
        }
    }
    assert_true(of->hits > 0 && of->hits < poses);
}

static void no_errors(const bench_paper_series *series)
{
    assert_true(bench_paper_error(series, 0.4, 2.1) == 0);
}

static void complexities_have_their_methods(void **state)
{
    (void)state;
    mesh m;
    const bench_mesh same = torus(&m);
    assert_int_equal(bench_paper_complexity("torus", &same, &effort, &computed), KILN_OK);
    check_figure(&computed, BENCH_PAPER_METHODS);
    no_errors(&computed.series[BENCH_PAPER_DOP24]);
    no_errors(&computed.series[BENCH_PAPER_BOXES]);
    assert_string_equal(computed.series[BENCH_PAPER_AS_PRINTED].name, "paper");
    mesh_free(&m);
}

static void settings_are_those_of_figure_17(void **state)
{
    (void)state;
    mesh m;
    const bench_mesh same = torus(&m);
    assert_int_equal(bench_paper_settings("torus", &same, &effort, &computed), KILN_OK);
    check_figure(&computed, BENCH_PAPER_P_MIN + BENCH_PAPER_K_MIN + 2);
    assert_string_equal(computed.series[0].name, "p_min 0.50");
    assert_string_equal(computed.series[BENCH_PAPER_P_MIN].name, "k_min 1");
    no_errors(&computed.series[computed.count - 1]);
    for (unsigned i = 1; i < BENCH_PAPER_P_MIN; i++) { /* a higher p_min finds no more */
        assert_true(bench_paper_mean(computed.series[i].positives, 0.4, 2.1) <=
                    bench_paper_mean(computed.series[i - 1].positives, 0.4, 2.1));
    }
    /* p_min 0.99 at k_min 10 is there twice. */
    assert_true(bench_paper_error(&computed.series[BENCH_PAPER_P_MIN - 1], 0.4, 2.1) ==
                bench_paper_error(&computed.series[computed.count - 3], 0.4, 2.1));
    mesh_free(&m);
}

static void choices_change_one_thing_each(void **state)
{
    (void)state;
    const bench_paper_effort least = {1, 1};
    mesh m;
    const bench_mesh same = torus(&m);
    assert_int_equal(bench_paper_choices("torus", &same, &least, &computed), KILN_OK);
    assert_true(computed.count > 15 && computed.count <= BENCH_PAPER_SERIES_MAX);
    for (unsigned i = 0; i < computed.count; i++) {
        for (unsigned j = 0; j < i; j++) {
            assert_string_not_equal(computed.series[i].name, computed.series[j].name);
        }
    }
    no_errors(&computed.series[computed.count - 1]);
    mesh_free(&m);
}

static void a_single_triangle_is_refused(void **state)
{
    (void)state;
    mesh m;
    bench_mesh same = torus(&m);
    same.triangle_count = 1;
    assert_int_equal(bench_paper_complexity("torus", &same, &effort, &computed),
                     KILN_ERROR_ARGUMENT);
    mesh_free(&m);
}

static void means_leave_out_what_is_not_there(void **state)
{
    (void)state;
    double values[ZACHMANN_DISTANCES];
    for (int d = 0; d < ZACHMANN_DISTANCES; d++) {
        values[d] = d; /* at 0.4, 0.5 ... 2.1 */
    }
    assert_true(bench_paper_mean(values, 0.4, 2.1) == 8.5);
    assert_true(bench_paper_mean(values, 1, 2) == 11); /* 6 to 16 */
    values[16] = NAN;
    assert_true(bench_paper_mean(values, 1, 2) == 10.5);
    assert_true(isnan(bench_paper_mean(values, 2, 2)));
}

/* Occurrences of `word` in what `draw` writes, which must be a whole document. */
static int count_words(FILE *file, const char *word)
{
    static char text[1 << 18];
    int count = 0;
    rewind(file);
    const size_t size = fread(text, 1, sizeof text - 1, file);
    assert_true(size < sizeof text - 1);
    text[size] = '\0';
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
        count++;
    }
    return count;
}

/* How many curves of the panel have a name that begins so. */
static int named(const figure_panel *panel, const char *name)
{
    int count = 0;
    for (size_t i = 0; i < panel->count; i++) {
        count += panel->curves[i].name != NULL &&
                 strncmp(panel->curves[i].name, name, strlen(name)) == 0;
    }
    return count;
}

static void reports_are_whole(void **state)
{
    (void)state;
    mesh m;
    const bench_mesh same = torus(&m);
    assert_int_equal(bench_paper_complexity("torus", &same, &effort, &computed), KILN_OK);
    for (int i = 0; i < BENCH_PAPER_MODELS * BENCH_PAPER_SIZES; i++) {
        models.at[i / BENCH_PAPER_SIZES][i % BENCH_PAPER_SIZES] = computed;
    }
    FILE *csv = tmpfile();
    assert_non_null(csv);
    int distances = 0;
    for (int d = 0; d < ZACHMANN_DISTANCES; d++) {
        distances += computed.poses[d] > 0;
    }
    bench_paper_print_csv_head(csv);
    bench_paper_print_csv("14", &computed, csv);
    assert_int_equal(count_words(csv, "\n"), 1 + distances * BENCH_PAPER_METHODS);
    figure drawn[2];
    memset(drawn, 0, sizeof drawn);
    bench_paper_draw_14(&models, &drawn[0]);
    bench_paper_draw_16(&models, &drawn[1]);
    for (int i = 0; i < 2; i++) {
        assert_false(drawn[i].failed);
        assert_int_equal(drawn[i].count, BENCH_PAPER_MODELS);
        /* Of an exact method there are no errors to draw. */
        assert_int_equal(named(&drawn[i].panels[0], "24-DOP, exact"), i == 0);
        figure_free(&drawn[i]);
    }
    (void)fclose(csv);
    mesh_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complexities_have_their_methods),
        cmocka_unit_test(settings_are_those_of_figure_17),
        cmocka_unit_test(choices_change_one_thing_each),
        cmocka_unit_test(a_single_triangle_is_refused),
        cmocka_unit_test(means_leave_out_what_is_not_there),
        cmocka_unit_test(reports_are_whole),
    };
    return cmocka_run_group_tests_name("paper figures", tests, NULL, NULL);
}
