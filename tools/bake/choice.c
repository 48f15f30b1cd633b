/* Which kind of tree suits a model: candidates are baked, recorded poses are replayed on each, and
 * the one whose queries cost least is kept.
 *
 * A bake gives the same bytes on every machine and under every load, so no clock is read. What
 * queries do is counted (kiln_collide_work, whose counts no instruction set changes), and each
 * count is multiplied by what it took on one machine once: the constants of unit_costs.c. They are
 * a part of the version; the build key has them, the poses and the other file, so that an output
 * is made anew when one of these changes.
 *
 * The poses are those of a text (--trace), as `kiln collide --poses` reads it, or a set by
 * Zachmann's procedure, which is the same for all candidates, as it depends on the bounds of the
 * two models alone. The model is queried against the other file's tree of the same kind, or its
 * first tree where it has none, and without another file against itself. */
#define _POSIX_C_SOURCE 200809L
#include "choice.h"

#include "../../formats/assert.h"
#include "../common/text.h"
#include "../tree/build.h"
#include "up_to_date.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 10, POSES_A_STEP = 64 };

/* The candidates: every kind with leaves of at most 2, 4 and 8 triangles, by the builder that the
 * options name; then the best kind so far with the same leaves by "reinsert", where that is not the
 * builder anyway, which is better or worse than "sah" by a tenth and takes several times as long.
 */
static const int leaves[] = {2, 4, 8};
static const char second_builder[] = "reinsert";

enum { LEAVES = sizeof leaves / sizeof leaves[0] };

bool kiln_choice_candidate(unsigned index, const kiln_bake_candidate *best,
                           kiln_bake_options *options, unsigned *kind)
{
    const unsigned once = (unsigned)kiln_build_kind_count * LEAVES;
    options->leaf = leaves[index % LEAVES];
    if (index < once) {
        *kind = index / LEAVES;
        return true;
    }
    if (best == NULL || index >= once + LEAVES || strcmp(options->builder, second_builder) == 0) {
        return false;
    }
    *kind = (unsigned)(kiln_build_kind_find(best->bv) - kiln_build_kinds);
    options->builder = second_builder;
    return true;
}

/* ------------------------------------------------------------------------------------- files -- */

typedef struct {
    kiln_choice *choice;
    size_t capacity;
    bool no_memory;
    char message[KILN_NUMBERS_MESSAGE_SIZE];
} trace_reading;

static bool take_pose(void *user, unsigned long line, const double *numbers, int count)
{
    trace_reading *of = user;
    kiln_choice *choice = of->choice;
    if (choice->pair_count == of->capacity) {
        const size_t capacity = 2 * of->capacity + 64;
        kiln_pose_pair *more = realloc(choice->pairs, capacity * sizeof *more);
        of->no_memory = more == NULL;
        if (more == NULL) {
            return false;
        }
        choice->pairs = more;
        of->capacity = capacity;
    }
    return kiln_pose_pair_of(line, numbers, count, &choice->pairs[choice->pair_count++],
                             of->message);
}

/* The bytes are hashed and read as a text from memory, so that both are of the same file. */
static kiln_bake_status read_trace(const char *path, kiln_choice *choice, kiln_sha256 *sha,
                                   kiln_bake_report *report)
{
    trace_reading of = {.choice = choice};
    char message[KILN_NUMBERS_MESSAGE_SIZE];
    size_t size = 0;
    errno = 0;
    void *bytes = kiln_load_regular(path, &size);
    if (bytes == NULL) {
        kiln_bake_report_error(report, path,
                               "can't be read; %s; check the path and its permissions",
                               errno != 0 ? strerror(errno) : "it is empty, or no regular file");
        return KILN_BAKE_IO;
    }
    kiln_sha256_update(sha, bytes, size);
    FILE *in = size > 0 ? fmemopen(bytes, size, "r") : NULL;
    const bool good = size == 0 || (in != NULL && kiln_number_lines(in, take_pose, &of, message));
    if (in != NULL) {
        (void)fclose(in);
    }
    free(bytes);
    if (!good && (in == NULL || of.no_memory)) {
        kiln_bake_report_error(report, path, "out of memory; too many poses");
        return KILN_BAKE_FAILED;
    }
    if (!good) {
        kiln_bake_report_error(report, path, "%s", of.message[0] != '\0' ? of.message : message);
        return KILN_BAKE_INVALID;
    }
    if (choice->pair_count == 0) {
        kiln_bake_report_error(report, path,
                               "has no pose, by which trees could be compared; record some, or "
                               "leave --trace out");
        return KILN_BAKE_INVALID;
    }
    return KILN_BAKE_OK;
}

/* A file that opens in full. Of one with several trees of a kind, which are parts of a model, none
 * could stand for all. */
static kiln_bake_status read_against(const char *path, kiln_choice *choice, kiln_sha256 *sha,
                                     kiln_bake_report *report)
{
    size_t size = 0;
    kiln_error error = {0};
    kiln_open_options options = kiln_open_options_default();
    options.error = &error;
    errno = 0;
    choice->against_data = kiln_load_regular(path, &size);
    if (choice->against_data == NULL) {
        kiln_bake_report_error(report, path,
                               "can't be read; %s; check the path and its permissions",
                               errno != 0 ? strerror(errno) : "it is empty, or no regular file");
        return KILN_BAKE_IO;
    }
    const kiln_status status =
        kiln_open_memory(choice->against_data, size, &options, &choice->against);
    if (status != KILN_OK) {
        kiln_bake_report_error(report, path, "%s", error.message);
        return status == KILN_ERROR_MEMORY    ? KILN_BAKE_FAILED
               : status == KILN_ERROR_VERSION ? KILN_BAKE_UNSUPPORTED
                                              : KILN_BAKE_INVALID;
    }
    const kiln_tree_info first = kiln_tree_get_info(kiln_file_tree(choice->against, 0));
    for (uint32_t i = 1; i < kiln_file_tree_count(choice->against); i++) {
        const kiln_tree_info info = kiln_tree_get_info(kiln_file_tree(choice->against, i));
        if (strcmp(info.name, first.name) != 0) {
            kiln_bake_report_error(report, path,
                                   "has several trees, '%.100s' and '%.100s'; a choice is made "
                                   "against one; bake it without --split",
                                   first.name, info.name);
            return KILN_BAKE_INVALID;
        }
    }
    if (!first.polygons) {
        kiln_bake_report_error(report, path,
                               "has no polygons to be queried; bake it without --no-geometry");
        return KILN_BAKE_INVALID;
    }
    kiln_sha256_update(sha, choice->against_data, size);
    return KILN_BAKE_OK;
}

/* What a choice has no meaning for. */
static const char *refusal_of(const kiln_bake_options *o)
{
    if (strcmp(o->bv, KILN_CHOICE_NAME) != 0) {
        return o->trace != NULL || o->against != NULL || o->max_bytes != 0
                   ? "--trace, --against and --max-bytes are for --bv auto alone"
                   : NULL;
    }
    if (o->split != KILN_SPLIT_NONE) {
        return "--bv auto chooses one tree for a whole model, which --split divides; name the "
               "kinds of trees";
    }
    if (o->adb != 0) {
        return "--bv auto compares exact queries; for the counts of --adb name the kinds of trees";
    }
    return NULL;
}

kiln_bake_status kiln_choice_open(const kiln_bake_input *input, const kiln_bake_options *options,
                                  kiln_choice *choice, kiln_bake_report *report)
{
    const char *refusal = refusal_of(options);
    kiln_bake_status status = KILN_BAKE_OK;
    kiln_sha256 sha;
    if (refusal != NULL) {
        kiln_bake_report_error(report, input->path, "%s", refusal);
        return KILN_BAKE_USAGE;
    }
    choice->on = strcmp(options->bv, KILN_CHOICE_NAME) == 0;
    if (!choice->on) {
        return KILN_BAKE_OK;
    }
    kiln_sha256_init(&sha);
    for (size_t i = 0; i < kiln_build_kind_count * LEAVES; i++) {
        const kiln_unit_costs *unit =
            kiln_unit_costs_of(kiln_build_kinds[i / LEAVES].name, leaves[i % LEAVES]);
        kiln_sha256_update(&sha, unit, sizeof *unit);
    }
    kiln_sha256_update(&sha, options->trace != NULL ? "trace" : "drawn", 5);
    if (options->trace != NULL) {
        status = read_trace(options->trace, choice, &sha, report);
    }
    kiln_sha256_update(&sha, options->against != NULL ? "other" : "itself", 5);
    if (options->against != NULL && status == KILN_BAKE_OK) {
        status = read_against(options->against, choice, &sha, report);
    }
    kiln_sha256_update(&sha, &options->max_bytes, sizeof options->max_bytes);
    kiln_sha256_final(&sha, choice->hash);
    return status;
}

void kiln_choice_close(kiln_choice *choice)
{
    kiln_close(choice->against);
    free(choice->against_data);
    free(choice->pairs);
    memset(choice, 0, sizeof *choice);
}

/* ----------------------------------------------------------------------------------- measure -- */

/* The tree of the other file that a tree of this kind is queried against. */
static const kiln_tree *tree_against(const kiln_choice *choice, const kiln_tree *own)
{
    if (choice->against == NULL) {
        return own;
    }
    const kiln_bv bv = kiln_tree_get_info(own).bv;
    for (uint32_t i = 0; i < kiln_file_tree_count(choice->against); i++) {
        const kiln_tree *tree = kiln_file_tree(choice->against, i);
        if (kiln_tree_get_info(tree).bv == bv) {
            return tree;
        }
    }
    return kiln_file_tree(choice->against, 0);
}

static void add_work(kiln_work *sum, const kiln_work *part)
{
    sum->nodes += part->nodes;
    sum->volume_pairs += part->volume_pairs;
    sum->leaf_pairs += part->leaf_pairs;
    sum->triangle_pairs += part->triangle_pairs;
}

/* All poses, in steps between which the caller may cancel. */
static kiln_bake_status replay(const kiln_choice *choice, const kiln_tree *own,
                               const kiln_bake_options *options, kiln_work *sum, size_t *met,
                               kiln_bake_report *report)
{
    const kiln_tree *other = tree_against(choice, own);
    for (size_t i = 0; i < choice->pair_count; i++) {
        const kiln_pose_pair *pair = &choice->pairs[i];
        kiln_work work;
        kiln_hit hit;
        const kiln_status status =
            kiln_collide_work(own, &pair->a, other, &pair->b, NULL, &hit, &work);
        if (status == KILN_ERROR_POSE) {
            kiln_bake_report_error(report, options->trace,
                                   "line %lu: %s; its numbers are the rows of a 3 x 4 matrix, the "
                                   "translation last in each",
                                   pair->line, kiln_status_text(status));
            return KILN_BAKE_INVALID;
        }
        if (status != KILN_OK) {
            return KILN_BAKE_FAILED;
        }
        add_work(sum, &work);
        *met += hit.found;
        if (i % POSES_A_STEP == 0 && options->progress != NULL &&
            !options->progress(options->progress_user, "choose",
                               (double)i / (double)choice->pair_count)) {
            return KILN_BAKE_FAILED;
        }
    }
    return KILN_BAKE_OK;
}

kiln_bake_status kiln_choice_measure(kiln_choice *choice, const kiln_bake_options *options,
                                     const void *file, size_t size, kiln_bake_candidate *out,
                                     kiln_bake_report *report)
{
    kiln_work sum = {0, 0, 0, 0};
    kiln_file *own = NULL;
    size_t met = 0;
    KILN_ASSERT(choice->on);
    kiln_bake_status status = KILN_BAKE_FAILED;
    if (kiln_open_memory(file, size, NULL, &own) != KILN_OK) {
        return status; /* for want of memory, as the bytes are sound */
    }
    const kiln_tree *tree = kiln_file_tree(own, 0);
    if (choice->pairs == NULL && !kiln_zachmann_pairs(tree, tree_against(choice, tree), DRAWS,
                                                      &choice->pairs, &choice->pair_count)) {
        goto done;
    }
    status = replay(choice, tree, options, &sum, &met, report);
    out->bytes = size;
    out->poses = choice->pair_count;
    out->hits = met;
    out->nodes = sum.nodes;
    out->volume_pairs = sum.volume_pairs;
    out->triangle_pairs = sum.triangle_pairs;
    out->cost = choice->pair_count > 0 ? kiln_query_cost(kiln_unit_costs_of(out->bv, out->leaf),
                                                         &sum, choice->pair_count) /
                                             (double)choice->pair_count
                                       : 0;
done:
    kiln_close(own);
    return status;
}

bool kiln_choice_prefers(const kiln_bake_candidate *a, const kiln_bake_candidate *b)
{
    return a->cost < b->cost || (a->cost <= b->cost && a->bytes < b->bytes);
}
