/* expected.json: what each model of models/hard must measure, and which pairs must meet at which
 * poses. Every answer is asked of trees of all kinds and mixed kinds, of packed and raw files,
 * before saving and after loading, with A and B in both orders. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "../../runtime/kiln_sweep.h"
#include "../../tools/encode/audit.h"
#include "../../tools/common/write_file.h"
#include "../support/amount.h"
#include "case_model.h"

/* Packed and raw, each from memory and from a file. */
enum { FORMS = 4, MODELS_MAX = 64 };

typedef struct {
    char name[64];
    case_model forms[FORMS];
} entry_model;

static entry_model cache[MODELS_MAX];
static unsigned cached;

static kiln_file *save_and_open(const case_model *model)
{
    char path[CASE_PATH_SIZE], message[KILN_WRITE_MESSAGE_SIZE];
    kiln_file *file = NULL;
    (void)case_temporary("expected.kiln", path);
    if (!kiln_write_file(path, model->bytes, model->size, message)) {
        fail_msg("%s", message);
    }
    assert_int_equal(kiln_open(path, NULL, &file), KILN_OK);
    assert_int_equal(remove(path), 0);
    return file;
}

static case_model make_form(const char *name, int form)
{
    kiln_bake_options options = case_options();
    options.layout = form % 2 == 0 ? KILN_LAYOUT_PACKED : KILN_LAYOUT_RAW;
    case_model model = case_bake(name, &options);
    kiln_format_error error = {.code = KILN_FORMAT_ERROR_NONE};
    if (!kiln_audit(model.bytes, model.size, NULL, &error)) {
        fail_msg("%s: %s", name, error.text);
    }
    if (form >= 2) {
        kiln_file *loaded = save_and_open(&model);
        kiln_close(model.file);
        model.file = loaded;
        case_find_trees(&model);
    }
    return model;
}

/* The four forms of a model, each baked once for all entries. */
static const entry_model *get_model(const char *name)
{
    for (unsigned i = 0; i < cached; i++) {
        if (strcmp(cache[i].name, name) == 0) {
            return &cache[i];
        }
    }
    assert_true(cached < MODELS_MAX);
    entry_model *model = &cache[cached];
    (void)snprintf(model->name, sizeof model->name, "%s", name);
    for (int form = 0; form < FORMS; form++) {
        model->forms[form] = make_form(name, form);
    }
    cached++;
    return model;
}

static const char *text_of(const json_t *entry, const char *key)
{
    const char *text = json_string_value(json_object_get(entry, key));
    return text != NULL ? text : "";
}

static kiln_pose pose_of(const json_t *entry, const char *key)
{
    const json_t *t = json_object_get(entry, key);
    return t == NULL ? kiln_pose_identity()
                     : case_at(json_number_value(json_array_get(t, 0)),
                               json_number_value(json_array_get(t, 1)),
                               json_number_value(json_array_get(t, 2)));
}

/* ------------------------------------------------------------------------------------ meshes -- */

typedef struct {
    double bounds[6], area, volume;
    uint32_t triangles;
} measures;

static void measure_triangle(const float p[3][3], measures *out)
{
    double u[3], v[3], n[3];
    for (int k = 0; k < 3; k++) {
        u[k] = (double)p[1][k] - (double)p[0][k];
        v[k] = (double)p[2][k] - (double)p[0][k];
        for (int corner = 0; corner < 3; corner++) {
            out->bounds[k] = fmin(out->bounds[k], (double)p[corner][k]);
            out->bounds[3 + k] = fmax(out->bounds[3 + k], (double)p[corner][k]);
        }
    }
    for (int k = 0; k < 3; k++) {
        n[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
        out->volume += n[k] * (double)p[0][k] / 6;
    }
    out->area += sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
}

/* From the corners that a user of the runtime gets. */
static measures measure(const kiln_tree *tree)
{
    measures out = {{INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY}, 0, 0, 0};
    out.triangles = kiln_tree_get_info(tree).triangle_count;
    for (uint32_t i = 0; i < out.triangles; i++) {
        float corners[3][3];
        assert_int_equal(kiln_tree_corners(tree, i, corners), KILN_OK);
        measure_triangle((const float(*)[3])corners, &out);
    }
    return out;
}

static void expect_near(const json_t *entry, const char *key, double got)
{
    const json_t *want = json_object_get(entry, key);
    if (want != NULL && !(fabs(got - json_number_value(want)) <= 1e-6)) {
        fail_msg("%s of %s is %.9g, not %.9g", key, text_of(entry, "a"), got,
                 json_number_value(want));
    }
}

static void expect_bounds(const json_t *entry, const measures *got, const kiln_tree_info *info)
{
    const json_t *want = json_object_get(entry, "bounds");
    for (size_t k = 0; k < json_array_size(want); k++) {
        const double bound = json_number_value(json_array_get(want, k));
        const float told = k < 3 ? info->bounds_lower[k] : info->bounds_upper[k - 3];
        assert_true(fabs(got->bounds[k] - bound) <= 1e-6);
        assert_true((double)told == got->bounds[k]);
    }
}

/* The last line of a log that ends in a failure tells which entry it was. */
static void name_entry(const json_t *entry)
{
    print_message("%s: %s %s: %s\n", text_of(entry, "case"), text_of(entry, "a"),
                  text_of(entry, "b"), text_of(entry, "note"));
}

static void check_mesh(const json_t *entry)
{
    name_entry(entry);
    const entry_model *model = get_model(text_of(entry, "a"));
    for (int form = 0; form < FORMS; form++) {
        for (int kind = 0; kind < CASE_KINDS; kind++) {
            const kiln_tree *tree = model->forms[form].trees[kind];
            const kiln_tree_info info = kiln_tree_get_info(tree);
            const measures got = measure(tree);
            expect_near(entry, "tris", got.triangles);
            expect_near(entry, "area", got.area);
            expect_near(entry, "volume", got.volume);
            expect_bounds(entry, &got, &info);
        }
    }
}

/* ------------------------------------------------------------------------------------- pairs -- */

/* Distances, where they are told, of trees of every kind. */
static void check_distance(const json_t *entry, const case_model *a, const kiln_pose *pose_a,
                           const case_model *b, const kiln_pose *pose_b)
{
    const json_t *want = json_object_get(entry, "dist");
    const double room = json_number_value(json_object_get(entry, "tol"));
    for (int i = 0; i < CASE_KINDS && want != NULL; i++) {
        for (int j = 0; j < CASE_KINDS; j++) {
            kiln_nearest near, swapped;
            assert_int_equal(kiln_distance(a->trees[i], pose_a, b->trees[j], pose_b, NULL, &near),
                             KILN_OK);
            assert_int_equal(
                kiln_distance(b->trees[j], pose_b, a->trees[i], pose_a, NULL, &swapped), KILN_OK);
            assert_true(fabs(near.distance - json_number_value(want)) <= room);
            assert_true(near.distance == swapped.distance);
        }
    }
}

static void check_pairs(const json_t *entry, const char *name_a, const char *name_b)
{
    const json_t *pairs = json_object_get(entry, "pairs");
    const kiln_pose pose_a = pose_of(entry, "ta"), pose_b = pose_of(entry, "tb");
    const entry_model *a = get_model(name_a), *b = get_model(name_b);
    for (int i = 0; i < FORMS; i++) {
        for (int j = 0; j < FORMS; j++) {
            if (is_shortened() && i != j) {
                continue; /* what is open does not tell how it was packed */
            }
            case_expect(&a->forms[i], &pose_a, &b->forms[j], &pose_b,
                        json_is_true(json_object_get(entry, "hit")),
                        pairs != NULL ? (long)json_integer_value(pairs) : -1);
        }
        check_distance(entry, &a->forms[i], &pose_a, &b->forms[i], &pose_b);
    }
}

/* Floats can't hold these coordinates, so no answer can be right: the bake has to say so. */
static void check_loss_is_told(const char *name)
{
    kiln_bake_options options = case_options();
    kiln_bake_report report;
    assert_int_equal(case_try(name, &options, &report), KILN_BAKE_OK);
    assert_true(report.precision_step > 0);
    assert_true(report.warning_count > 0);
    kiln_bake_report_free(&report);
    options.strict = true;
    assert_int_equal(case_try(name, &options, &report), KILN_BAKE_INVALID);
    assert_true(report.error[0] != '\0');
    kiln_bake_report_free(&report);
}

static void check_static(const json_t *entry)
{
    name_entry(entry);
    if (strstr(text_of(entry, "note"), "as authored") != NULL) {
        check_loss_is_told(text_of(entry, "a"));
        check_loss_is_told(text_of(entry, "b"));
    } else {
        check_pairs(entry, text_of(entry, "a"), text_of(entry, "b"));
    }
}

/* ------------------------------------------------------------------------------------ sweeps -- */

static void take_vector(const json_t *values, double out[3])
{
    for (size_t k = 0; k < json_array_size(values) && k < 3; k++) {
        out[k] = json_number_value(json_array_get(values, k));
    }
}

/* At `t`, along `v`, turning by `w`: an axis of length 1, then an angle. */
static kiln_motion motion_of(const json_t *entry, const char *t, const char *v, const char *w)
{
    kiln_motion motion;
    const kiln_pose pose = pose_of(entry, t);
    const json_t *turn = json_object_get(entry, w);
    assert_int_equal(kiln_motion_at_rest(&pose, &motion), KILN_OK);
    take_vector(json_object_get(entry, v), motion.linear);
    take_vector(turn, motion.angular);
    for (int k = 0; k < 3 && turn != NULL; k++) {
        motion.angular[k] *= json_number_value(json_array_get(turn, 3));
    }
    return motion;
}

static void expect_time(const json_t *entry, const kiln_tree *a, const kiln_motion *motion_a,
                        const kiln_tree *b, const kiln_motion *motion_b, double *same)
{
    const json_t *want = json_object_get(entry, "toi");
    kiln_sweep_hit hit;
    assert_int_equal(kiln_sweep(a, motion_a, b, motion_b, NULL, &hit), KILN_OK);
    assert_true(hit.complete && hit.clear == hit.time);
    assert_int_equal(hit.found, json_is_number(want));
    if (hit.found) {
        /* Never late, and early by no more than the tolerance, which the slowest of these entries
         * takes a hundred thousandth of a step to pass. */
        const double time = json_number_value(want);
        if (!(hit.time <= time && hit.time >= time - 1e-5)) {
            fail_msg("first contact at %.17g, not %.17g", hit.time, time);
        }
        assert_true(hit.time > 0 && hit.distance <= hit.tolerance && !hit.touching);
        assert_true(*same < 0 || *same == hit.time);
        *same = hit.time;
    }
}

static void check_sweep(const json_t *entry)
{
    name_entry(entry);
    const entry_model *a = get_model(text_of(entry, "a")), *b = get_model(text_of(entry, "b"));
    const kiln_motion motion_a = motion_of(entry, "ta", "va", "wa");
    const kiln_motion motion_b = motion_of(entry, "tb", "vb", "wb");
    double same = -1;
    for (int i = 0; i < CASE_KINDS * CASE_KINDS; i++) {
        const kiln_tree *x = a->forms[i % FORMS].trees[i / CASE_KINDS];
        const kiln_tree *y = b->forms[i / FORMS % FORMS].trees[i % CASE_KINDS];
        expect_time(entry, x, &motion_a, y, &motion_b, &same);
        expect_time(entry, y, &motion_b, x, &motion_a, &same);
    }
    const bool repeated = json_object_get(entry, "toi_exact") != NULL;
    const int repeats = repeated ? (int)amount(1000) : 1;
    for (int i = 0; i < repeats; i++) {
        expect_time(entry, a->forms[0].trees[0], &motion_a, b->forms[0].trees[0], &motion_b, &same);
    }
}

/* ------------------------------------------------------------------------------------- tests -- */

static json_t *entries;

static int load(void **state)
{
    (void)state;
    json_error_t error;
    entries = json_load_file("tests/cases/expected.json", 0, &error);
    if (entries == NULL) {
        print_error("tests/cases/expected.json: %s\n", error.text);
    }
    return entries == NULL;
}

static int unload(void **state)
{
    (void)state;
    for (unsigned i = 0; i < cached; i++) {
        for (int form = 0; form < FORMS; form++) {
            case_free(&cache[i].forms[form]);
        }
    }
    json_decref(entries);
    return 0;
}

static void run_kind(const char *kind, void (*check)(const json_t *entry))
{
    size_t i;
    json_t *entry;
    unsigned count = 0;
    json_array_foreach(entries, i, entry)
    {
        if (strcmp(text_of(entry, "kind"), kind) == 0) {
            check(entry);
            count++;
        }
    }
    assert_true(count > 0);
    print_message("%u entries of kind %s\n", count, kind);
}

static void test_measures_of_meshes(void **state)
{
    (void)state;
    run_kind("mesh", check_mesh);
}

static void test_answers_for_pairs(void **state)
{
    (void)state;
    run_kind("static", check_static);
}

static void test_times_of_first_contact(void **state)
{
    (void)state;
    run_kind("sweep", check_sweep);
}

static void check_uncut(const json_t *entry)
{
    char name[64];
    (void)snprintf(name, sizeof name, "%s", text_of(entry, "a"));
    char *suffix = strstr(name, "_ref.obj");
    if (suffix == NULL) {
        return;
    }
    name_entry(entry);
    (void)strcpy(suffix, ".obj");
    check_pairs(entry, name, text_of(entry, "b"));
}

/* What holds for the references that were cut by hand holds for the polygons themselves. */
static void test_polygons_answer_like_their_references(void **state)
{
    (void)state;
    run_kind("static", check_uncut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measures_of_meshes),
        cmocka_unit_test(test_answers_for_pairs),
        cmocka_unit_test(test_times_of_first_contact),
        cmocka_unit_test(test_polygons_answer_like_their_references),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
