/* The choice of a tree by counts: which candidates there are, what is preferred, what the library
 * refuses, and that a bake that chooses can be cancelled and leaves nothing. */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../formats/node_kinds.h"
#include "../../tools/bake/choice.h"

enum { KINDS = KILN_NODE_KIND_COUNT };

static const char model[] =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n";

static kiln_bake_input input_of_model(void)
{
    return (kiln_bake_input){"model.obj", model, sizeof model - 1, "obj"};
}

static void every_candidate_has_unit_costs(void **state)
{
    (void)state;
    static const int leaves[] = {2, 4, 8};
    for (unsigned i = 0; i < 3 * KINDS; i++) {
        const kiln_unit_costs *unit =
            kiln_unit_costs_of(kiln_node_kinds[i / 3].name, leaves[i % 3]);
        assert_true(unit->update > 0 && unit->test > 0 && unit->triangle > 0 && unit->query > 0);
        assert_ptr_equal(kiln_unit_costs_of("a later kind", leaves[i % 3]),
                         kiln_unit_costs_of(kiln_node_kinds[0].name, leaves[i % 3]));
    }
}

static void candidates_are_all_kinds_and_then_the_best(void **state)
{
    (void)state;
    static const int leaves[] = {2, 4, 8};
    const kiln_bake_candidate best = {.bv = "dop14"};
    for (unsigned i = 0; i < 3 * KINDS + 5; i++) {
        kiln_bake_options options = kiln_bake_options_default();
        unsigned kind = KINDS;
        const bool any = kiln_choice_candidate(i, &best, &options, &kind);
        assert_int_equal(any, i < 3 * KINDS + 3);
        if (any) {
            assert_int_equal(options.leaf, leaves[i % 3]);
            assert_string_equal(kiln_node_kinds[kind].name,
                                i < 3 * KINDS ? kiln_node_kinds[i / 3].name : "dop14");
            assert_string_equal(options.builder, i < 3 * KINDS ? "sah" : "reinsert");
        }
    }
    kiln_bake_options options = kiln_bake_options_default();
    unsigned kind;
    assert_false(kiln_choice_candidate(3 * KINDS, NULL, &options, &kind));
    options.builder = "reinsert";
    assert_true(kiln_choice_candidate(3 * KINDS - 1, &best, &options, &kind));
    assert_false(kiln_choice_candidate(3 * KINDS, &best, &options, &kind));
}

static void cost_comes_before_size_and_both_before_order(void **state)
{
    (void)state;
    const kiln_bake_candidate slow = {.cost = 2, .bytes = 1}, fast = {.cost = 1, .bytes = 9},
                              small = {.cost = 1, .bytes = 8};
    assert_true(kiln_choice_prefers(&fast, &slow) && !kiln_choice_prefers(&slow, &fast));
    assert_true(kiln_choice_prefers(&small, &fast) && !kiln_choice_prefers(&fast, &small));
    assert_false(kiln_choice_prefers(&fast, &fast)); /* the one that was tried first stays */
}

/* The report has all candidates, one of which is chosen and is the tree of the file. */
static void the_library_reports_what_it_compared(void **state)
{
    (void)state;
    const kiln_bake_input input = input_of_model();
    kiln_bake_options options = kiln_bake_options_default();
    kiln_bake_report report;
    void *data = NULL;
    size_t size = 0;
    options.bv = "auto";
    options.threads = 2;
    assert_int_equal(kiln_bake_to_memory(&input, &options, &data, &size, &report), KILN_BAKE_OK);
    assert_int_equal(report.candidate_count, 3 * KINDS + 3);
    assert_int_equal(report.tree_count, 1);
    unsigned chosen = 0;
    for (uint32_t i = 0; i < report.candidate_count; i++) {
        const kiln_bake_candidate *of = &report.candidates[i];
        assert_int_equal(of->poses, report.candidates[0].poses);
        assert_int_equal(of->hits, report.candidates[0].hits);
        if (of->chosen) {
            chosen++;
            assert_string_equal(of->bv, report.trees[0].bv);
            assert_int_equal(of->bytes, size);
        }
    }
    assert_int_equal(chosen, 1);
    assert_int_equal(report.bytes_file, size);
    kiln_bake_report_free(&report);
    free(data);
}

static void refused(const kiln_bake_options *options, kiln_bake_status status, const char *text)
{
    const kiln_bake_input input = input_of_model();
    kiln_bake_report report;
    void *data = NULL;
    size_t size = 0;
    assert_int_equal(kiln_bake_to_memory(&input, options, &data, &size, &report), status);
    assert_null(data);
    assert_non_null(strstr(report.error, text));
    kiln_bake_report_free(&report);
}

static void options_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    kiln_bake_options options = kiln_bake_options_default();
    options.max_bytes = 1;
    refused(&options, KILN_BAKE_USAGE, "are for --bv auto alone");
    options.bv = "auto";
    refused(&options, KILN_BAKE_FAILED, "fits --max-bytes 1;");
    options.split = KILN_SPLIT_MESH;
    refused(&options, KILN_BAKE_USAGE, "which --split divides");
    options.split = KILN_SPLIT_NONE;
    options.adb = 4;
    refused(&options, KILN_BAKE_USAGE, "for the counts of --adb");
    options.adb = 0;
    options.bv = "obb,auto";
    refused(&options, KILN_BAKE_USAGE, "unknown kind");
    /* Callers from before there were choices: what they don't know of is not looked at. */
    options.bv = "obb";
    options.struct_size = offsetof(kiln_bake_options, trace);
    const kiln_bake_input input = input_of_model();
    void *data = NULL;
    size_t size = 0;
    assert_int_equal(kiln_bake_to_memory(&input, &options, &data, &size, NULL), KILN_BAKE_OK);
    free(data);
}

/* Ends the bake at the n-th report of a stage that begins so. */
typedef struct {
    const char *stage;
    int left;
} canceller;

static bool cancel(void *user, const char *stage, double part)
{
    canceller *of = user;
    (void)part;
    return strncmp(stage, of->stage, strlen(of->stage)) != 0 || --of->left > 0;
}

static void a_choice_can_be_cancelled_at_any_candidate(void **state)
{
    (void)state;
    static const char *const stages[] = {"choose", "build", "write"};
    for (int i = 0; i < 12; i++) {
        canceller at = {stages[i % 3], 1 + 2 * i};
        kiln_bake_options options = kiln_bake_options_default();
        options.bv = "auto";
        options.progress = cancel;
        options.progress_user = &at;
        refused(&options, KILN_BAKE_FAILED, "cancelled; nothing was written");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_candidate_has_unit_costs),
        cmocka_unit_test(candidates_are_all_kinds_and_then_the_best),
        cmocka_unit_test(cost_comes_before_size_and_both_before_order),
        cmocka_unit_test(the_library_reports_what_it_compared),
        cmocka_unit_test(options_that_do_not_fit_are_refused),
        cmocka_unit_test(a_choice_can_be_cancelled_at_any_candidate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
