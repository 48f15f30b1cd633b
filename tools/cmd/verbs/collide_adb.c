#include "collide_adb.h"

#include "../kit/files.h"

enum { ROWS_MAX = 64 }; /* of a file */

static const char *const verdicts[] = {"no", "yes", "undecided"};

bool adb_is_given(const adb_settings *settings)
{
    return settings->p_min >= 0 || settings->epsilon >= 0 || settings->budget_us >= 0 ||
           settings->k_min >= 0 || settings->budget_pairs >= 0 || settings->hybrid ||
           settings->weights != NULL;
}

static bool has_kind(const kiln_adb_fitted rows[], uint32_t count, const kiln_tree *tree)
{
    const kiln_bv bv = kiln_tree_get_info(tree).bv;
    uint32_t i = 0;
    while (i < count && rows[i].bv != bv) {
        i++;
    }
    return i < count;
}

int adb_read_weights(adb_settings *settings, const kiln_tree *a, const kiln_tree *b)
{
    kiln_adb_fitted rows[ROWS_MAX];
    uint32_t count = 0;
    kiln_error error = {0};
    kiln_open_options options = kiln_open_options_default();
    if (settings->weights == NULL) {
        return EXIT_DONE;
    }
    options.error = &error;
    const kiln_status status =
        kiln_adb_read_weights(settings->weights, &options, rows, ROWS_MAX, &count);
    if (status != KILN_OK) {
        return report_format_error(settings->weights, (int)status, error.message);
    }
    if (!has_kind(rows, count, a) && !has_kind(rows, count, b)) {
        return report_error(EXIT_INVALID, settings->weights,
                            "has no weights for trees of %s; fit some (kiln calibrate)",
                            kiln_tree_get_info(a).bv_name);
    }
    settings->between = kiln_adb_pick_weights(rows, count, a, b);
    return EXIT_DONE;
}

kiln_status adb_query(const adb_settings *settings, const kiln_tree *a, const kiln_tree *b,
                      const pose_pair *pose, kiln_adb_answer *answer)
{
    kiln_adb_options options = kiln_adb_options_of(KILN_ADB_DEFAULT);
    options.p_min = settings->p_min >= 0 ? settings->p_min : options.p_min;
    options.k_min = settings->k_min >= 0 ? (uint32_t)settings->k_min : options.k_min;
    options.epsilon = settings->epsilon >= 0 ? settings->epsilon : options.epsilon;
    options.hybrid = settings->hybrid;
    options.weights = settings->weights != NULL ? &settings->between : NULL;
    const uint64_t pairs =
        settings->budget_pairs >= 0 ? (uint64_t)settings->budget_pairs : UINT64_MAX;
    const uint64_t nanoseconds =
        settings->budget_us >= 0 ? (uint64_t)(1e3 * settings->budget_us) : UINT64_MAX;
    return kiln_adb_collide(a, &pose->a, b, &pose->b, &options, pairs, nanoseconds, answer);
}

bool adb_found(const kiln_adb_answer *answer)
{
    return answer->verdict == KILN_ADB_YES ||
           (answer->verdict == KILN_ADB_UNDECIDED && answer->probability > 0.5);
}

void adb_print(const kiln_adb_answer *answer)
{
    printf("%c %.4f %llu", "01?"[answer->verdict], answer -> probability,
           (unsigned long long)answer -> pairs);
}

json_t *adb_json(const kiln_adb_answer *answer)
{
    json_t *object = json_object();
    json_object_set_new(object, "verdict", json_cstring(verdicts[answer->verdict]));
    json_object_set_new(object, "probability", json_number(answer->probability));
    json_object_set_new(object, "visited", json_count(answer->pairs));
    json_object_set_new(object, "full", json_boolean((answer->flags & KILN_ADB_FULL) != 0));
    json_object_set_new(object, "exact", json_boolean((answer->flags & KILN_ADB_EXACT) != 0));
    return object;
}
