/* kiln calibrate: fits the weights of counted queries, or of time-critical ones, to meshes, and
 * reports how well they fit.
 *
 * A weight set belongs to a kind of tree and a leaf size, so trees are grouped by both. A group is
 * fitted in four steps (fit_group): pairs of boxes that queries look at give the logistic
 * regression of "what is inside meets" on their features, twice, because the weights of the first
 * round decide which pairs the second one sees; then the part that other pairs add is searched over
 * a few values, then what a decided answer means is fitted; at last the answers at some budgets are
 * compared with the exact ones. Training data come from training.h, the regression and the measures
 * of reliability from tools/count/. */
#include "../kit/files.h"
#include "../kit/output.h"
#include "../kit/options.h"
#include "../kit/report.h"
#include "likely_fit.h"
#include "training.h"
#include "verbs.h"

#include "../../../formats/assert.h"
#include "../../../formats/node_kinds.h"
#include "../../common/write_file.h"
#include "../../encode/weights_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rounds of the regression; budgets at which answers are judged; values tried for `others`; and the
 * default of --draws. */
enum { ROUNDS = 2, BUDGETS = 4, OTHERS = 9, DRAWS = 60 };

#define SURE_LEAST (-0.99) /* above -1, so that an answer stays monotone in the probability */

/* Pairs of boxes that a query may open: from one that stops at once to one that mostly ends. */
static const uint64_t budgets[BUDGETS] = {1, 4, 16, 64};

typedef struct {
    const char *output;
    int draws;
    bool likely; /* the weights of kiln_collide_likely */
    bool json;
} calibrate_settings;

#define FIELD(name) offsetof(calibrate_settings, name)

static const option calibrate_options[] = {
    {"output", 'o', OPTION_TEXT, "FILE", NULL, 0, 0, FIELD(output),
     "write the weights: to a file whose name ends in .kiln, for kiln bake --adb-weights and "
     "kiln_adb_read_weights; to any other as a C table; '-' for standard output (default: report "
     "only)"},
    {"draws", 0, OPTION_INTEGER, "N", NULL, 1, 10000, FIELD(draws),
     "random poses at each of 18 distances (default 60)"},
    {"likely", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(likely),
     "fit the weights of kiln_collide_likely, from all pairs of the trees; they need no counts, "
     "and "
     "are written as a C table only"},
    OPTION_JSON(calibrate_settings),
};

/* A tree to learn from, and the poses of its copy. */
typedef struct {
    const kiln_tree *tree;
    training_poses poses;
} lesson;

/* Trees of one kind and leaf size, and the weights that fit them. */
typedef struct {
    kiln_bv bv;
    const char *name;
    uint32_t leaf_max;
    lesson *lessons;
    uint32_t count;
    kiln_adb_weights weights;
    size_t pairs; /* observed */
    kiln_reliability of_pairs;
    kiln_reliability answers[BUDGETS];
    likely_fit likely; /* with --likely, instead of the five above */
} lesson_group;

/* All files of the run, which trees point into, and the groups that their trees make. */
typedef struct {
    kiln_file **files;
    int file_count;
    lesson_group *groups;
    uint32_t group_count;
} calibration;

/* Weights for the first round, found on other trees. The second round looks at the pairs that
 * queries with the weights of the first one see; more rounds change little. */
static const kiln_adb_weights start_weights = {
    .bias = -2.0f, .lambda = 1.0f, .margin = 1.6f, .level = 2.2f, .others = 0.1f};

/* All memory here grows with the number of poses. */
static int out_of_memory(void)
{
    return report_error(EXIT_RUN, NULL, "out of memory; ask for fewer --draws");
}

/* ------------------------------------------------------------------------------------ groups -- */

/* Opens a file and adds all its trees to their groups; counted queries get poses for each. */
static int add_file(calibration *c, const char *path, const calibrate_settings *settings)
{
    kiln_file *file;
    const int status = open_file(path, &file);
    if (status != EXIT_DONE) {
        return status;
    }
    /* Files stay open to the end, since every step queries their trees. */
    c->files[c->file_count++] = file;
    for (uint32_t i = 0; i < kiln_file_tree_count(file); i++) {
        const kiln_tree *tree = kiln_file_tree(file, i);
        const kiln_tree_info info = kiln_tree_get_info(tree);
        const bool uncounted = info.adb_grid == 0 && !settings->likely;
        if (uncounted || !info.polygons) {
            return report_error(EXIT_INVALID, path,
                                "nothing to learn from; it has no %s; bake it again %s",
                                uncounted ? "counts" : "polygons",
                                uncounted ? "with --adb" : "without --no-geometry");
        }

        /* The group of its kind and leaf size, a new one where there is none yet. */
        uint32_t g = 0;
        while (g < c->group_count &&
               (c->groups[g].bv != info.bv || c->groups[g].leaf_max != info.leaf_max)) {
            g++;
        }
        if (g == c->group_count) {
            lesson_group *groups = realloc(c->groups, (g + 1) * sizeof *groups);
            if (groups == NULL) {
                return out_of_memory();
            }
            c->groups = groups;
            c->group_count++;
            groups[g] =
                (lesson_group){.bv = info.bv, .name = info.bv_name, .leaf_max = info.leaf_max};
        }
        KILN_ASSERT(g < c->group_count);
        lesson_group *group = &c->groups[g];
        lesson *more = realloc(group->lessons, (group->count + 1) * sizeof *more);
        if (more == NULL) {
            return out_of_memory();
        }
        group->lessons = more;
        lesson *added = &more[group->count];
        *added = (lesson){.tree = tree};
        if (!settings->likely &&
            !training_poses_draw(tree, (unsigned)settings->draws, &added->poses)) {
            return out_of_memory();
        }
        group->count++; /* only now: a lesson without poses is not freed */
    }
    return EXIT_DONE;
}

/* --------------------------------------------------------------------------------------- fit -- */

/* One round of the regression on pairs of boxes, and its reliability on the same pairs. */
static int fit_round(lesson_group *group)
{
    training_set set;
    double w[KILN_FIT_TERMS];
    memset(&set, 0, sizeof set);
    for (uint32_t i = 0; i < group->count; i++) {
        training_observe(&set, group->lessons[i].tree, &group->lessons[i].poses, &group->weights);
    }
    const size_t count = set.pairs.count;
    /* One more than needed, so that a round without any pair has memory too and is no failure. */
    kiln_prediction *predicted = malloc((count + 1) * sizeof *predicted);
    const bool good = !set.failed && predicted != NULL;
    if (good) {
        kiln_fit_logistic(set.pairs.cases, count, w);
        /* The terms of the regression by their names; fit_others() fits `others` later. Pairs of
         * roots are few and unlike all others, so that they get an offset of their own. */
        const double offset = kiln_fit_offset(set.roots.cases, set.roots.count, w);
        group->weights = (kiln_adb_weights){.bias = (float)w[0],
                                            .lambda = (float)w[1],
                                            .margin = (float)w[2],
                                            .level = (float)w[3],
                                            .ratio = (float)w[4],
                                            .flat = (float)w[5],
                                            .lambda_level = (float)w[6],
                                            .thin = (float)w[7],
                                            .others = 0.1f,
                                            .root = (float)offset};
        for (size_t i = 0; i < count; i++) {
            const kiln_fit_case *of = &set.pairs.cases[i];
            predicted[i] = (kiln_prediction){(float)kiln_fit_probability(w, of->feature), of->yes};
        }
        /* Reliability on the training pairs is optimistic; answers at budgets are judged further
         * below. */
        group->pairs = count;
        group->of_pairs = kiln_reliability_of(predicted, count);
    }
    free(predicted);
    training_free(&set);
    return good ? EXIT_DONE : out_of_memory();
}

/* Computes the reliability of all answers of the group at each budget, in `room` for one budget. */
static void judge_with(const lesson_group *group, const kiln_adb_weights *weights,
                       kiln_prediction *room, kiln_reliability answers[BUDGETS])
{
    for (int b = 0; b < BUDGETS; b++) {
        size_t count = 0;
        for (uint32_t i = 0; i < group->count; i++) {
            const lesson *from = &group->lessons[i];
            training_answer(from->tree, &from->poses, weights, budgets[b], room + count);
            count += from->poses.count;
        }
        answers[b] = kiln_reliability_of(room, count);
    }
}

/* Fits the part that other pairs than the likeliest add: of a few values that with the least Brier
 * score, the mean square of predicted minus observed, over all budgets. A grid is enough, because
 * the score is flat around its minimum. */
static void fit_others(lesson_group *group, kiln_prediction *room)
{
    kiln_adb_weights weights = group->weights;
    double best = 1e9;
    /* Of equal scores the smallest value stays, since they are tried from 0 on. */
    for (int i = 0; i < OTHERS; i++) {
        kiln_reliability answers[BUDGETS];
        double brier = 0;
        weights.others = 0.05f * (float)i; /* 0 to 0.4 */
        judge_with(group, &weights, room, answers);
        for (int b = 0; b < BUDGETS; b++) {
            brier += answers[b].brier;
        }
        if (brier < best) {
            best = brier;
            group->weights = weights;
        }
    }
}

/* The order matters: each step sees queries with the weights of the steps before it. */
static int fit_group(lesson_group *group)
{
    size_t poses = 0;
    for (uint32_t i = 0; i < group->count; i++) {
        poses += group->lessons[i].poses.count;
    }
    kiln_prediction *room = malloc((poses + 1) * sizeof *room); /* an answer for every pose */
    int status = room != NULL ? EXIT_DONE : out_of_memory();
    KILN_ASSERT(group->count > 0);
    group->weights = start_weights;
    for (int round = 0; round < ROUNDS && status == EXIT_DONE; round++) {
        status = fit_round(group);
    }
    if (status == EXIT_DONE) {
        fit_others(group, room);
    }

    /* How probable a hit is after a query has decided by itself, for "yes" and for "no". */
    training_set set;
    memset(&set, 0, sizeof set);
    for (uint32_t i = 0; i < group->count && status == EXIT_DONE; i++) {
        training_decide(&set, group->lessons[i].tree, &group->lessons[i].poses, &group->weights);
    }
    if (set.failed) {
        status = out_of_memory();
    }
    if (status == EXIT_DONE) {
        /* Features are the log-odds and 1 for a "no": an intercept, a slope, and a shift. */
        double w[KILN_FIT_TERMS];
        kiln_fit_logistic(set.decided.cases, set.decided.count, w);
        group->weights.yes = (float)w[0];
        group->weights.sure = (float)fmax(w[1] - 1.0, SURE_LEAST);
        group->weights.no = (float)(w[0] + w[2]);
    }
    training_free(&set);
    if (status == EXIT_DONE) {
        judge_with(group, &group->weights, room, group->answers);
    }
    free(room);
    return status;
}

/* The group's trees against each other. */
static int fit_likely(lesson_group *group, int draws)
{
    const kiln_tree **trees = calloc(group->count, sizeof *trees);
    KILN_ASSERT(group->count > 0);
    if (trees == NULL) {
        return out_of_memory();
    }
    for (uint32_t i = 0; i < group->count; i++) {
        trees[i] = group->lessons[i].tree;
    }
    const likely_fit_end end =
        likely_fit_weights(trees, group->count, (unsigned)draws, &group->likely);
    free(trees);
    if (end == LIKELY_FIT_TOO_LITTLE) {
        return report_error(EXIT_INVALID, NULL,
                            "%s with leaves of at most %u: there is too little to learn from; give "
                            "more files, larger meshes, or more --draws",
                            group->name, group->leaf_max);
    }
    return end == LIKELY_FIT_DONE ? EXIT_DONE : out_of_memory();
}

/* ------------------------------------------------------------------------------------ report -- */

/* A reliability diagram in two lines: what was predicted in each bin, and how often it came
 * true. */
static void print_group(const lesson_group *group)
{
    const kiln_adb_weights *w = &group->weights;
    printf("%s, leaves of at most %u, %u trees, %zu pairs of boxes\n", group->name, group->leaf_max,
           group->count, group->pairs);
    printf("  bias %.3f, lambda %.3f, margin %.3f, level %.3f, ratio %.3f, flat %.3f, "
           "lambda x level %.3f, thin %.3f, root %.3f\n",
           (double)w->bias, (double)w->lambda, (double)w->margin, (double)w->level,
           (double)w->ratio, (double)w->flat, (double)w->lambda_level, (double)w->thin,
           (double)w->root);
    printf("  others %.2f, yes %.3f, no %.3f, sure %.3f\n", (double)w->others, (double)w->yes,
           (double)w->no, (double)w->sure);
    printf("  pairs: calibration error %.4f, mean square %.4f\n", group->of_pairs.ece,
           group->of_pairs.brier);
    printf("  said ");
    for (int b = 0; b < KILN_RELIABILITY_BINS; b++) {
        printf(" %.2f", group->of_pairs.bins[b].said);
    }
    printf("\n  came ");
    for (int b = 0; b < KILN_RELIABILITY_BINS; b++) {
        printf(" %.2f", group->of_pairs.bins[b].came);
    }
    printf("\n");
    for (int b = 0; b < BUDGETS; b++) {
        printf("  after %2llu pairs: wrong %.2f %%, calibration error %.4f\n",
               (unsigned long long)budgets[b], 100 * group->answers[b].error,
               group->answers[b].ece);
    }
}

/* Bins hold mean predictions and frequencies; a perfect fit has both alike. */
static json_t *reliability_json(const kiln_reliability *r)
{
    json_t *object = json_object(), *said = json_array(), *came = json_array();
    for (int b = 0; b < KILN_RELIABILITY_BINS; b++) {
        json_array_append_new(said, json_number(r->bins[b].said));
        json_array_append_new(came, json_number(r->bins[b].came));
    }
    json_object_set_new(object, "ece", json_number(r->ece));
    json_object_set_new(object, "brier", json_number(r->brier));
    json_object_set_new(object, "error", json_number(r->error));
    json_object_set_new(object, "said", said);
    json_object_set_new(object, "came", came);
    return object;
}

/* Members have the names of kiln_adb_weights. */
static json_t *group_json(const lesson_group *group)
{
    const kiln_adb_weights *w = &group->weights;
    json_t *object = json_object(), *weights = json_object(), *answers = json_array();
    json_object_set_new(weights, "bias", json_number((double)w->bias));
    json_object_set_new(weights, "lambda", json_number((double)w->lambda));
    json_object_set_new(weights, "margin", json_number((double)w->margin));
    json_object_set_new(weights, "level", json_number((double)w->level));
    json_object_set_new(weights, "ratio", json_number((double)w->ratio));
    json_object_set_new(weights, "others", json_number((double)w->others));
    json_object_set_new(weights, "root", json_number((double)w->root));
    json_object_set_new(weights, "flat", json_number((double)w->flat));
    json_object_set_new(weights, "lambda_level", json_number((double)w->lambda_level));
    json_object_set_new(weights, "yes", json_number((double)w->yes));
    json_object_set_new(weights, "no", json_number((double)w->no));
    json_object_set_new(weights, "sure", json_number((double)w->sure));
    json_object_set_new(weights, "thin", json_number((double)w->thin));
    for (int b = 0; b < BUDGETS; b++) {
        json_t *answer = reliability_json(&group->answers[b]);
        json_object_set_new(answer, "budget", json_count(budgets[b]));
        json_array_append_new(answers, answer);
    }
    json_object_set_new(object, "bv", json_cstring(group->name));
    json_object_set_new(object, "leaf", json_count(group->leaf_max));
    json_object_set_new(object, "trees", json_count(group->count));
    json_object_set_new(object, "observed", json_count(group->pairs));
    json_object_set_new(object, "weights", weights);
    json_object_set_new(object, "pairs", reliability_json(&group->of_pairs));
    json_object_set_new(object, "answers", answers);
    return object;
}

static void print_likely(const lesson_group *group)
{
    const likely_fit *fit = &group->likely;
    const kiln_likely_weights *w = &fit->weights;
    printf("%s, leaves of at most %u, %u trees, %zu lanes\n  bias %.3f, features", group->name,
           group->leaf_max, group->count, fit->lanes, (double)w->bias);
    for (int i = 0; i < KILN_LIKELY_FEATURES; i++) {
        printf(" %.3f", (double)w->feature[i]);
    }
    printf("\n  early %.3f %.3f, of budgets %.3f %.3f, undecided %.3f %.3f %.3f %.3f\n",
           (double)w->early, (double)w->early_score, (double)w->all, (double)w->all_score,
           (double)w->open, (double)w->most, (double)w->rest, (double)w->waiting);
    printf("  lanes: calibration error %.4f; answers: wrong %.2f %%, calibration error %.4f\n",
           fit->of_lanes.ece, 100 * fit->of_answers.error, fit->of_answers.ece);
}

/* Members have the names of kiln_likely_weights. */
static json_t *likely_json(const lesson_group *group)
{
    const kiln_likely_weights *w = &group->likely.weights;
    json_t *object = json_object(), *weights = json_object(), *features = json_array();
    json_object_set_new(weights, "bias", json_number((double)w->bias));
    for (int i = 0; i < KILN_LIKELY_FEATURES; i++) {
        json_array_append_new(features, json_number((double)w->feature[i]));
    }
    json_object_set_new(weights, "feature", features);
    json_object_set_new(weights, "early", json_number((double)w->early));
    json_object_set_new(weights, "early_score", json_number((double)w->early_score));
    json_object_set_new(weights, "all", json_number((double)w->all));
    json_object_set_new(weights, "all_score", json_number((double)w->all_score));
    json_object_set_new(weights, "open", json_number((double)w->open));
    json_object_set_new(weights, "most", json_number((double)w->most));
    json_object_set_new(weights, "rest", json_number((double)w->rest));
    json_object_set_new(weights, "waiting", json_number((double)w->waiting));
    json_object_set_new(object, "bv", json_cstring(group->name));
    json_object_set_new(object, "leaf", json_count(group->leaf_max));
    json_object_set_new(object, "trees", json_count(group->count));
    json_object_set_new(object, "observed", json_count(group->likely.lanes));
    json_object_set_new(object, "likely", weights);
    json_object_set_new(object, "lanes", reliability_json(&group->likely.of_lanes));
    json_object_set_new(object, "default", reliability_json(&group->likely.of_answers));
    return object;
}

/* Writes a file of weights, which the library reads by kiln_adb_read_weights(). */
static int write_file(const calibration *c, const char *path)
{
    void *file = NULL;
    size_t size = 0;
    kiln_format_adb_weights *rows = calloc(c->group_count + 1, sizeof *rows);
    if (rows == NULL) {
        return out_of_memory();
    }
    for (uint32_t i = 0; i < c->group_count; i++) {
        const kiln_adb_fitted fitted = {c->groups[i].bv, c->groups[i].leaf_max,
                                        c->groups[i].weights};
        rows[i] = kiln_weights_row(&fitted);
    }
    const kiln_bake_status encoded = kiln_weights_encode(rows, c->group_count, &file, &size);
    int status = EXIT_DONE;
    /* Too few poses may separate hits from misses completely, and weights grow without bound. */
    if (encoded == KILN_BAKE_USAGE) {
        status =
            report_error(EXIT_INVALID, path,
                         "can't be written; a weight is beyond what a file holds; there is too "
                         "little to learn from: give more files, or more --draws");
    } else {
        status = encoded == KILN_BAKE_OK ? output_write(path, &output_kind_kiln, file, size)
                                         : out_of_memory();
    }
    free(file);
    free(rows);
    return status;
}

/* The first line of a C table, by which an earlier one is recognised. */
#define TABLE_MARK "/* Fitted by `kiln calibrate`: do not edit. */"

/* A table is recognised by its first line alone, so a table that was cut off may be replaced too.
 */
static bool is_table(const char *bytes, size_t size, bool whole)
{
    (void)whole;
    return size >= sizeof TABLE_MARK && memcmp(bytes, TABLE_MARK "\n", sizeof TABLE_MARK) == 0;
}

static const output_kind output_kind_table = {"table of kiln calibrate", is_table};

/* A row of the table of counted queries, or of the others. */
static int print_row(char *text, size_t room, const lesson_group *group, bool likely)
{
    /* The constants as kiln.h names them. */
#define CONSTANT(KIND, kind, name, constant, ...) [KILN_FORMAT_BV_##KIND] = #constant,
    static const char *const constants[] = {KILN_NODE_KINDS(CONSTANT, CONSTANT)};
#undef CONSTANT
    KILN_ASSERT((size_t)group->bv < COUNT_OF(constants));
    if (likely) {
        const kiln_likely_weights *w = &group->likely.weights;
        const float *f = w->feature;
        return snprintf(text, room,
                        "    {%s,\n     %u,\n     {%ff,\n"
                        "      {%ff, %ff, %ff, %ff, %ff, %ff, %ff, %ff},\n"
                        "      %ff, %ff, %ff, %ff,\n      %ff, %ff, %ff, %ff}},\n",
                        constants[group->bv], group->leaf_max, (double)w->bias, (double)f[0],
                        (double)f[1], (double)f[2], (double)f[3], (double)f[4], (double)f[5],
                        (double)f[6], (double)f[7], (double)w->early, (double)w->early_score,
                        (double)w->all, (double)w->all_score, (double)w->open, (double)w->most,
                        (double)w->rest, (double)w->waiting);
    }
    const kiln_adb_weights *w = &group->weights;
    return snprintf(text, room,
                    "    {%s,\n     %u,\n"
                    "     {%ff, %ff, %ff, %ff, %ff, %ff, %ff,\n"
                    "      %ff, %ff, %ff, %ff, %ff, %ff}},\n",
                    constants[group->bv], group->leaf_max, (double)w->bias, (double)w->lambda,
                    (double)w->margin, (double)w->level, (double)w->ratio, (double)w->others,
                    (double)w->root, (double)w->flat, (double)w->lambda_level, (double)w->yes,
                    (double)w->no, (double)w->sure, (double)w->thin);
}

/* Writes a C table, which the library can be built with. */
static int write_table(const calibration *c, const char *path, bool likely)
{
    const char *name = likely ? "likely" : "adb";
    enum { HEAD = 1024, ROW = 1024 }; /* seventeen floats take 48 characters each at most */
    const size_t room = HEAD + c->group_count * (size_t)ROW;
    char *text = malloc(room);
    if (text == NULL) {
        return out_of_memory();
    }
    size_t size = (size_t)snprintf(text, room,
                                   TABLE_MARK "\n#include \"%s_weights.h\"\n\n"
                                              "const kiln_%s_fitted kiln_%s_fitted_rows[] = {\n",
                                   name, name, name);
    for (uint32_t i = 0; i < c->group_count; i++) {
        size += (size_t)print_row(text + size, room - size, &c->groups[i], likely);
    }
    size += (size_t)snprintf(text + size, room - size,
                             "};\nconst unsigned kiln_%s_fitted_count = sizeof "
                             "kiln_%s_fitted_rows / sizeof kiln_%s_fitted_rows[0];\n",
                             name, name, name);
    KILN_ASSERT(size < room);
    const int status = output_write(path, &output_kind_table, text, size);
    free(text);
    return status;
}

/* With '-' the weights are on standard output, so that the summary would spoil them. */
static int report_all(const calibration *c, const calibrate_settings *settings)
{
    json_t *groups = report_is_json() ? json_array() : NULL;
    const bool to_stdout = settings->output != NULL && strcmp(settings->output, "-") == 0;
    for (uint32_t i = 0; i < c->group_count; i++) {
        if (groups != NULL) {
            json_array_append_new(groups, settings->likely ? likely_json(&c->groups[i])
                                                           : group_json(&c->groups[i]));
        } else if (!to_stdout && settings->likely) {
            print_likely(&c->groups[i]);
        } else if (!to_stdout) {
            print_group(&c->groups[i]);
        }
    }
    if (groups != NULL) {
        json_object_set_new(report_root(), "groups", groups);
    }
    /* Nothing is written before all groups were fitted: half a table would be taken for a whole
     * one. */
    if (settings->output == NULL) {
        return EXIT_DONE;
    }
    return is_kiln_name(settings->output) ? write_file(c, settings->output)
                                          : write_table(c, settings->output, settings->likely);
}

/* All files are opened before anything is fitted, so that a wrong name is reported at once. */
static int run_calibrate(int argc, char **argv)
{
    calibrate_settings settings = {.draws = DRAWS};
    int count;
    int status = options_parse(&verb_calibrate, argc, argv, &settings, &count);
    if (status != EXIT_DONE) {
        return status;
    }
    if (settings.likely && settings.output != NULL && is_kiln_name(settings.output)) {
        return report_error(EXIT_USAGE, settings.output,
                            "weights of kiln_collide_likely are written as a C table only; give a "
                            "name that does not end in .kiln");
    }
    if (settings.output != NULL && strcmp(settings.output, "-") == 0) {
        /* The weights go to standard output, where a report would spoil them. */
        report_to_stderr();
    }
    /* None of the files that are learnt from may be replaced. */
    const bool writes_file = settings.output != NULL && is_kiln_name(settings.output);
    status = output_check_inputs(settings.output,
                                 writes_file ? &output_kind_kiln : &output_kind_table, argv, count);
    if (status != EXIT_DONE) {
        return status;
    }
    calibration c = {.files = calloc((size_t)count, sizeof *c.files)};
    status = c.files != NULL ? EXIT_DONE : out_of_memory();
    for (int i = 0; i < count && status == EXIT_DONE; i++) {
        status = add_file(&c, argv[i], &settings);
    }
    for (uint32_t i = 0; i < c.group_count && status == EXIT_DONE; i++) {
        status =
            settings.likely ? fit_likely(&c.groups[i], settings.draws) : fit_group(&c.groups[i]);
    }
    if (status == EXIT_DONE) {
        status = report_all(&c, &settings);
    }
    for (uint32_t g = 0; g < c.group_count; g++) {
        for (uint32_t i = 0; i < c.groups[g].count; i++) {
            training_poses_free(&c.groups[g].lessons[i].poses);
        }
        free(c.groups[g].lessons);
    }
    free(c.groups);
    for (int i = 0; i < c.file_count; i++) { /* last, because trees belong to files */
        kiln_close(c.files[i]);
    }
    free(c.files);
    return status;
}

const verb verb_calibrate = {
    "calibrate",
    "FILE.kiln...",
    "fit the weights of counted or time-critical queries to meshes",
    "Places two copies of each tree at random poses, selects pairs of boxes that queries weigh, "
    "tests exactly whether the contents of the boxes meet, and fits the weights that map the "
    "features of a pair to a probability: one set for each kind of tree and size of leaves among "
    "the files. Prints the weights and how well the probabilities are calibrated.\n\nThe files "
    "must have been baked with --adb, unless --likely is given. The result depends only on the "
    "files, --draws and --likely.",
    calibrate_options,
    COUNT_OF(calibrate_options),
    1,
    -1,
    run_calibrate,
};
