/* The bake, from options to the bytes of a file, in one pass that bake() reads top to bottom:
 *
 *   options and weights       checked before anything is read
 *   request                   an output that is up to date, or a file in the cache, ends the bake;
 *                             kiln_bake_foresee ends here
 *   import                    a soup of triangles, by a child process (import/import.c)
 *   groups                    the triangles of each tree (groups.c)
 *   memory                    what the rest needs is known now, and refused or fitted (budget.c)
 *   trees, then their counts  group by group, kind by kind (tree/build.h, count/count.c)
 *   meta document, file       the sections and their bytes (bake_meta.c, encode/assemble.c);
 *                             with bv "auto" both steps for each candidate (choice.c)
 *   report, cache             what came of it, kept for the next bake
 *
 * One struct holds all that the pass has made so far, and everything in it is freed in one place,
 * after the last step. Only two things change hands: the trees' arrays go to the encoder, which
 * frees each as soon as it is copied, and the file goes to the caller. */
#define _POSIX_C_SOURCE 200809L
#include "../kiln_bake.h"

#include "../../formats/assert.h"
#include "../common/clock.h"
#include "../common/memory.h"
#include "../common/text.h"
#include "../common/parallel.h"
#include "../common/paths.h"
#include "../count/count.h"
#include "../encode/heights_file.h"
#include "../encode/weights_file.h"
#include "../import/grid.h"
#include "../import/import.h"
#include "../import/mesh.h"
#include "../tree/builders.h"
#include "bake.h"
#include "bake_meta.h"
#include "budget.h"
#include "cache.h"
#include "choice.h"
#include "height_grid.h"

#include <fenv.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS_MAX = 16, KIND_NAME_SIZE = 16 };

/* What the pass has so far. */
typedef struct {
    const kiln_bake_input *input;
    const char *output; /* NULL: none */
    kiln_bake_report *report;
    kiln_bake_options options; /* complete; `progress` is report_progress, below, or NULL */
    kiln_bake_options asked;   /* the same, before a candidate's kind, leaf and builder */
    kiln_choice choice;
    bool (*progress)(void *user, const char *stage, double part); /* the caller's; NULL: none */
    void *progress_user;
    bool cancelled; /* by the caller */
    kiln_budget budget;
    const kiln_build_kind *kinds[KINDS_MAX];
    uint32_t kind_count;
    kiln_weights_rows weights;
    kiln_request *request; /* NULL: neither --if-changed nor a cache, or no source */
    kiln_soup soup;
    kiln_groups groups;
    kiln_build_tree *trees; /* group-major */
    kiln_format_adb counts; /* the parameters of counting; grid 0: nothing is counted */
    char *meta;
    void *file;
    size_t file_size;
} job;

/* ------------------------------------------------------------------------------- options -- */

kiln_bake_options kiln_bake_options_default(void)
{
    kiln_bake_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.bv = "obb";
    options.builder = "sah";
    options.leaf = 4;
    options.scale = 1.0;
    options.up = -1;
    options.import_memory = (uint64_t)1792 << 20;
    options.import_seconds = 50;
    options.adb_area = KILN_ADB_AREA_BY_MEAN;
    options.adb_polygons = KILN_ADB_SUBTREE;
    options.adb_regions = KILN_ADB_OCTANTS;
    options.quality = KILN_QUALITY_DEFAULT;
    options.hole = -1;
    return options;
}

/* Sets the error and returns the status, for return statements. */
static kiln_bake_status fail(const job *b, kiln_bake_status status, const char *text)
{
    KILN_ASSERT(status != KILN_BAKE_OK);
    kiln_bake_report_error(b->report, b->input->path, "%s", text);
    return status;
}

/* Fills kinds from the list `bv`. A name that is too long for any kind becomes empty, which none
 * has, so that it is reported like every other that is unknown. The order of the list is that of
 * the trees in the file. */
static kiln_bake_status read_kinds(job *b)
{
    const char *list = b->options.bv;
    if (strcmp(list, KILN_CHOICE_NAME) == 0) { /* all of them are candidates */
        for (size_t k = 0; k < kiln_build_kind_count; k++) {
            KILN_ASSERT(b->kind_count < KINDS_MAX);
            b->kinds[b->kind_count++] = &kiln_build_kinds[k];
        }
        return KILN_BAKE_OK;
    }
    for (;;) {
        const size_t length = strcspn(list, ",");
        char name[KIND_NAME_SIZE];
        (void)snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : 0), list);
        const kiln_build_kind *kind = kiln_build_kind_find(name);
        if (kind == NULL) {
            char names[128];
            kiln_build_kind_names(names, sizeof names);
            kiln_bake_report_error(b->report, b->input->path,
                                   "unknown kind of bounding volume '%.*s'; use %s, or auto alone",
                                   (int)(length < 40 ? length : 40), list, names);
            return KILN_BAKE_USAGE;
        }
        for (uint32_t k = 0; k < b->kind_count; k++) {
            if (b->kinds[k] == kind) {
                kiln_bake_report_error(b->report, b->input->path,
                                       "the kind of bounding volume %s is listed twice; a file has "
                                       "one tree of a kind",
                                       kind->name);
                return KILN_BAKE_USAGE;
            }
        }
        if (b->counts.grid != 0 && b->counts.polygons == KILN_ADB_POLYGONS_BOX &&
            kiln_node_kind_find(kind->format_bv)->shared) {
            kiln_bake_report_error(b->report, b->input->path,
                                   "octrees count the polygons below a box, not all that meet it; "
                                   "leave octree or the rule out");
            return KILN_BAKE_USAGE;
        }
        KILN_ASSERT(b->kind_count < KINDS_MAX);
        b->kinds[b->kind_count++] = kind;
        if (list[length] == '\0') {
            return KILN_BAKE_OK;
        }
        list += length + 1;
    }
}

/* Checks the options in the order in which their errors are reported, and reads from them the kinds
 * of trees and the parameters of counting. */
static kiln_bake_status check_options(job *b)
{
    kiln_bake_options *o = &b->options;
    if (o->leaf < 1 || o->leaf > (int)KILN_LEAF_TRIANGLES_MAX) {
        return fail(b, KILN_BAKE_USAGE, "leaf must be 1 to 15");
    }
    if (!(o->scale > 0 && o->scale <= 1e300)) {
        return fail(b, KILN_BAKE_USAGE, "scale must be a finite number above 0");
    }
    if (o->up < -1 || o->up > 2 || o->threads < 0 || o->threads > 256) {
        return fail(b, KILN_BAKE_USAGE, "up must be -1 to 2, threads 0 to 256");
    }
    if (kiln_builder_find(o->builder) == NULL) {
        char names[128];
        kiln_builder_names(names, sizeof names);
        kiln_bake_report_error(b->report, b->input->path, "unknown builder '%.40s'; use %s",
                               o->builder, names);
        return KILN_BAKE_USAGE;
    }
    if (o->lossy_grid != 0 &&
        (o->lossy_grid < KILN_LOSSY_BITS_MIN || o->lossy_grid > KILN_LOSSY_BITS_MAX)) {
        return fail(b, KILN_BAKE_USAGE, "a lossy grid has 4 to 24 bits");
    }
    if ((int)o->quality < KILN_QUALITY_FAST || (int)o->quality > KILN_QUALITY_BEST) {
        return fail(b, KILN_BAKE_USAGE, "unknown quality; use fast, default or best");
    }
    if ((unsigned)o->spheres > KILN_SPHERES_MEDIAL) {
        return fail(b, KILN_BAKE_USAGE, "unknown spheres; use least, cover, octree or medial");
    }
    if ((unsigned)o->fit_to > KILN_FIT_TO_CHILDREN || (unsigned)o->box_fit > KILN_BOX_FIT_VOLUME) {
        return fail(b, KILN_BAKE_USAGE,
                    "unknown fit; fit_to and box_fit take the values of kiln_bake.h");
    }
    if (!(o->import_seconds >= 0)) {
        return fail(b, KILN_BAKE_USAGE, "import seconds must be 0 or more");
    }
    if (kiln_height_grid_refusal(o) != NULL) {
        return fail(b, KILN_BAKE_USAGE, kiln_height_grid_refusal(o));
    }
    o->adb_factor = kiln_count_factor(o);
    /* The parameters are made even without counts: their grid of 0 says so to all later steps. */
    b->counts = kiln_count_parameters(o);
    if (o->adb != 0 && !kiln_adb_is_sound(&b->counts)) {
        return fail(
            b, KILN_BAKE_USAGE,
            "counts take a grid of 4, 8 or 16, known rules, a factor above 0, at most 1000");
    }
    if (o->adb == 0 && o->no_geometry) {
        return fail(b, KILN_BAKE_USAGE, "a file without polygons needs counts");
    }
    if (o->adb == 0 && o->adb_weights != NULL) {
        return fail(b, KILN_BAKE_USAGE, "weights are of no use without counts");
    }
    return read_kinds(b);
}

/* Reads the weights for the kinds that are baked, if weights are wanted at all. */
static kiln_bake_status read_weights(job *b)
{
    const char *path = b->options.adb_weights;
    kiln_weights_rows all;
    char message[KILN_WEIGHTS_MESSAGE_SIZE];
    if (path == NULL) {
        return KILN_BAKE_OK;
    }
    const kiln_bake_status status = kiln_weights_load(path, &all, message);
    if (status != KILN_BAKE_OK) {
        kiln_bake_report_error(b->report, path, "%s", message);
        return status;
    }
    /* Rows for kinds that are not baked would only make the file, and its key, depend on them. */
    for (uint32_t i = 0; i < all.count; i++) {
        bool baked = false;
        for (uint32_t k = 0; k < b->kind_count; k++) {
            baked = baked || b->kinds[k]->format_bv == all.rows[i].bv;
        }
        if (baked && kiln_weights_are_known(&all.rows[i])) {
            b->weights.rows[b->weights.count++] = all.rows[i];
        }
    }
    if (b->weights.count == 0) {
        kiln_bake_report_error(b->report, path,
                               "has no weights for trees of %s; fit some (kiln calibrate)",
                               b->options.bv);
        return KILN_BAKE_INVALID;
    }
    return KILN_BAKE_OK;
}

/* ---------------------------------------------------------------------- progress, memory -- */

/* Stands between the stages and the caller: looks at the memory whenever a stage reports, and notes
 * a cancellation. With many trees, the stages "build obb" and "count obb" of each would flicker by;
 * the stage of all trees then is one. */
static bool report_progress(void *user, const char *stage, double part)
{
    job *b = user;
    KILN_ASSERT(part <= 1);
    if (!kiln_budget_holds(&b->budget)) {
        return false;
    }
    if (b->progress == NULL) {
        return true;
    }
    if (b->groups.count > 1 && strncmp(stage, "build ", 6) == 0) {
        stage = "build";
        part = -1.0;
    } else if (b->groups.count > 1 && strncmp(stage, "count ", 6) == 0) {
        stage = "count";
        part = -1.0;
    }
    const bool on = b->progress(b->progress_user, stage, part);
    b->cancelled = b->cancelled || !on;
    return on;
}

/* Refuses a bake that would not keep to its limit of memory, before the trees are begun, and else
 * lets it have no more threads than the limit has room for. With the groups, all counts that the
 * need follows from are known. */
static kiln_bake_status check_memory(job *b)
{
    KILN_ASSERT(b->groups.count > 0);
    kiln_budget_load load = {.soup = &b->soup,
                             .kinds = b->kinds,
                             .kind_count = b->kind_count,
                             .counted = b->counts.grid != 0,
                             .lists = b->options.split != KILN_SPLIT_NONE};
    if (b->budget.limit == 0) {
        return KILN_BAKE_OK;
    }
    for (uint32_t g = 0; g < b->groups.count; g++) {
        load.largest =
            b->groups.list[g].count > load.largest ? b->groups.list[g].count : load.largest;
    }
    KILN_ASSERT(load.largest > 0 && load.largest <= b->soup.triangle_count);
    const uint64_t need = kiln_budget_need(&load, &b->options);
    if (need > b->budget.limit) {
        char limit[KILN_MESSAGE_BYTES_SIZE];
        kiln_bake_report_error(
            b->report, b->input->path,
            "needs about %" PRIu64 " MiB of memory for %" PRIu32 " triangles, and the "
            "limit is %s; nothing was written; raise it (--max-memory) "
            "or split the model",
            (need >> 20) + 1, b->soup.triangle_count, kiln_message_bytes(b->budget.limit, limit));
        return KILN_BAKE_FAILED;
    }
    /* Each thread needs memory of its own; fewer of them take longer, but give the same bytes. */
    b->options.threads =
        (int)kiln_budget_threads(&b->budget, need, kiln_thread_count(b->options.threads));
    return KILN_BAKE_OK;
}

/* Gives the failure of a stage that set no error of its own its reason: the limit of memory, the
 * caller, or no memory. Returns the status, which the limit decides in any case. */
static kiln_bake_status explain_failure(const job *b, kiln_bake_status status)
{
    KILN_ASSERT(status != KILN_BAKE_OK);
    /* The limit comes first: a stage that it ended has failed for want of memory or as if the
     * caller had cancelled, and neither would lead the user to the cure. */
    if (b->budget.over) {
        char limit[KILN_MESSAGE_BYTES_SIZE];
        kiln_bake_report_error(b->report, b->input->path,
                               "takes more memory than the limit of %s; nothing was "
                               "written; raise it (--max-memory)%s or split the model",
                               kiln_message_bytes(b->budget.limit, limit),
                               b->options.trace != NULL ? ", shorten the trace" : "");
        return KILN_BAKE_FAILED;
    }
    if (b->report->error[0] == '\0') {
        return fail(b, status,
                    b->cancelled ? "cancelled; nothing was written"
                                 : "out of memory; nothing was written; free some");
    }
    return status;
}

/* ------------------------------------------------------------------- what a bake replaces -- */

/* A bake does not replace the files that the model refers to. They are known once the report lists
 * them: from the import, or from the meta document of a file that the cache had. */
static kiln_bake_status check_output_is_no_side_file(const job *b)
{
    const kiln_bake_report *report = b->report;
    if (b->output == NULL || b->input->path == NULL) {
        return KILN_BAKE_OK;
    }
    for (uint32_t i = 0; i < report->side_file_count; i++) {
        char *path = report->side_files[i] != NULL
                         ? kiln_path_beside(b->input->path, report->side_files[i])
                         : NULL;
        const bool same = path != NULL && kiln_same_file(b->output, path);
        free(path);
        if (same) {
            kiln_bake_report_error(b->report, b->output,
                                   "is a file that the model refers to; nothing was written; name "
                                   "another output");
            return KILN_BAKE_USAGE;
        }
    }
    return KILN_BAKE_OK;
}

/* A model of which a part is missing is not baked under `strict`, nor delivered from elsewhere. */
static kiln_bake_status check_absent(const job *b)
{
    const kiln_bake_report *report = b->report;
    for (uint32_t i = 0; i < report->absent_file_count && b->options.strict; i++) {
        if (kiln_report_misses(report, i)) {
            kiln_bake_report_error(b->report, b->input->path,
                                   "refers to '%.300s', which is not there; under --strict nothing "
                                   "is written without it; bring it, or take the reference out",
                                   report->absent_files[i]);
            return KILN_BAKE_INVALID;
        }
    }
    return KILN_BAKE_OK;
}

/* --------------------------------------------------------------------------------- trees -- */

/* Builds all trees, group by group, kind by kind. */
static kiln_bake_status build_trees(job *b)
{
    KILN_ASSERT(b->trees != NULL);
    KILN_ASSERT(b->kind_count > 0);
    kiln_build_tree *tree = b->trees;
    for (uint32_t g = 0; g < b->groups.count; g++) {
        const kiln_build_input input = {.positions = b->soup.positions,
                                        .indices = b->soup.indices,
                                        .triangles = b->groups.list[g].triangles,
                                        .count = b->groups.list[g].count};
        KILN_ASSERT(input.count > 0);
        for (uint32_t k = 0; k < b->kind_count; k++) {
            const kiln_bake_status status = kiln_build(b->kinds[k], &input, &b->options, tree++);
            if (status != KILN_BAKE_OK) {
                return status;
            }
        }
        if (b->options.progress != NULL && b->groups.count > 1 &&
            !b->options.progress(b->options.progress_user, "build",
                                 (double)(g + 1) / b->groups.count)) {
            return KILN_BAKE_FAILED;
        }
    }
    return KILN_BAKE_OK;
}

/* The key of the file, and its meta document. */
static kiln_bake_status describe(job *b, uint8_t build_key[16])
{
    KILN_ASSERT(b->file == NULL && b->meta == NULL);
    kiln_bake_meta_key(b->input, &b->asked, b->soup.format, b->soup.source_hash, &b->weights,
                       b->choice.on ? b->choice.hash : NULL, build_key);
    b->meta = kiln_bake_meta_document(b->input, &b->options, &b->soup, b->trees, b->groups.count,
                                      b->kinds, b->kind_count, b->choice.on);
    return b->meta != NULL ? KILN_BAKE_OK : KILN_BAKE_FAILED;
}

static kiln_watch watch_of(const job *b, const char *stage)
{
    return (kiln_watch){.threads = kiln_thread_count(b->options.threads),
                        .progress = b->options.progress,
                        .user = b->options.progress_user,
                        .stage = stage,
                        .from = 0.0,
                        .to = 1.0};
}

/* Makes the file, of which the trees' arrays are no more afterwards, and reports the trees. */
static kiln_bake_status encode(job *b)
{
    uint8_t build_key[16];
    uint64_t packed_sizes[KINDS_MAX] = {0};
    if (describe(b, build_key) != KILN_BAKE_OK) {
        return KILN_BAKE_FAILED;
    }
    const kiln_watch watch = watch_of(b, "write");
    const kiln_model model = {.soup = &b->soup,
                              .groups = b->groups.list,
                              .group_count = b->groups.count,
                              .kinds = b->kinds,
                              .kind_count = b->kind_count,
                              .trees = b->trees,
                              .leaf_max = b->options.leaf,
                              .meta = b->meta,
                              .meta_size = strlen(b->meta),
                              .counts = &b->counts,
                              .no_geometry = b->options.no_geometry,
                              .weights = b->weights.rows,
                              .weight_count = b->weights.count};
    const kiln_bake_status status = kiln_model_encode(&model, b->options.layout, build_key, &watch,
                                                      &b->file, &b->file_size, packed_sizes);
    if (status != KILN_BAKE_OK) {
        return status;
    }
    kiln_report_trees(&model, packed_sizes, b->report);
    b->report->bytes_file = b->file_size;
    /* The last of the loop may have been another thread's, which reports nothing. */
    const bool on = watch.progress == NULL || watch.progress(watch.user, watch.stage, watch.to);
    return on && kiln_budget_holds(&b->budget) ? KILN_BAKE_OK : KILN_BAKE_FAILED;
}

/* The whole bake of a height field, whose file has samples and no tree. */
static kiln_bake_status bake_heights(job *b)
{
    kiln_format_heights grid;
    kiln_format_tree entry;
    uint8_t build_key[16];
    double start = kiln_seconds();
    if (kiln_height_grid_stray(&b->asked) != NULL) {
        kiln_bake_report_error(b->report, b->input->path,
                               "is a height field, for which %s is of no use, since its tree "
                               "follows from the grid; leave it out",
                               kiln_height_grid_stray(&b->asked));
        return KILN_BAKE_USAGE;
    }
    kiln_height_grid_make(&b->soup, &b->options, &grid);
    const kiln_watch building = watch_of(b, "build");
    kiln_bake_status status = kiln_heights_tree(&grid, b->soup.samples, &building, &entry);
    if (status == KILN_BAKE_INVALID) {
        return fail(b, status,
                    "has no quad without a hole, or coordinates beyond the range of floats; look "
                    "at --hole, --spacing and --heights");
    }
    if (status != KILN_BAKE_OK) {
        return status;
    }
    b->report->seconds_build = kiln_seconds() - start;
    start = kiln_seconds();
    b->soup.triangle_count = entry.triangle_count;
    b->report->faces = entry.triangle_count;
    status = describe(b, build_key);
    if (status != KILN_BAKE_OK) {
        return status;
    }
    const kiln_heights_model model = {&grid, b->soup.samples, b->meta, strlen(b->meta)};
    const kiln_watch writing = watch_of(b, "write");
    status = kiln_heights_encode(&model, &entry, b->options.layout, build_key, &writing, &b->file,
                                 &b->file_size);
    if (status == KILN_BAKE_OK) {
        kiln_report_height_field(&entry, b->report);
        b->report->bytes_file = b->file_size;
        b->report->seconds_write = kiln_seconds() - start;
    }
    return status;
}

/* One candidate as a file of its own, of the kind b->kinds[0]. */
static kiln_bake_status bake_candidate(job *b)
{
    kiln_bake_status status = KILN_BAKE_FAILED;
    KILN_ASSERT(b->groups.count == 1 && b->kind_count == 1);
    b->trees = calloc(1, sizeof *b->trees);
    if (b->trees != NULL) {
        status = build_trees(b);
        status = status == KILN_BAKE_OK ? encode(b) : status;
        kiln_build_tree_free(&b->trees[0]);
    }
    free(b->trees);
    free(b->meta);
    b->trees = NULL;
    b->meta = NULL;
    return status;
}

/* The candidate that is preferred so far. */
typedef struct {
    void *file;         /* NULL: none fits */
    size_t size, least; /* `least`: of any candidate's file */
    kiln_bake_tree_report tree;
    uint32_t candidate;
} kept_candidate;

/* Takes the file in b->file over where it is to be preferred to the one kept; else it is freed. */
static void keep_preferred(job *b, kept_candidate *kept)
{
    kiln_bake_report *report = b->report;
    const uint32_t last = report->candidate_count - 1;
    kept->least = b->file_size < kept->least ? b->file_size : kept->least;
    if ((b->asked.max_bytes == 0 || b->file_size <= b->asked.max_bytes) &&
        (kept->file == NULL ||
         kiln_choice_prefers(&report->candidates[last], &report->candidates[kept->candidate]))) {
        free(kept->file);
        kept->file = b->file;
        kept->size = b->file_size;
        kept->tree = report->trees[0];
        kept->candidate = last;
        b->file = NULL;
    }
    free(b->file);
    b->file = NULL;
}

/* Bakes all candidates, compares them, and leaves the file of the chosen one in b->file. */
static kiln_bake_status bake_chosen(job *b)
{
    kept_candidate kept = {.least = SIZE_MAX};
    kiln_bake_report *report = b->report;
    kiln_bake_status status = KILN_BAKE_OK;
    size_t room = 0;
    unsigned kind;
    b->kind_count = 1;
    for (unsigned i = 0; status == KILN_BAKE_OK; i++) {
        const int threads = b->options.threads; /* as the memory has room for */
        b->options = b->asked;
        b->options.threads = threads;
        const kiln_bake_candidate *best =
            kept.file != NULL ? &report->candidates[kept.candidate] : NULL;
        if (!kiln_choice_candidate(i, best, &b->options, &kind)) {
            break;
        }
        b->kinds[0] = &kiln_build_kinds[kind];
        b->options.bv = b->kinds[0]->name;
        if (!kiln_grow((void **)&report->candidates, &room, i + 1, sizeof *report->candidates)) {
            status = KILN_BAKE_FAILED;
            break;
        }
        kiln_bake_candidate *of = &report->candidates[i];
        memset(of, 0, sizeof *of);
        report->candidate_count = i + 1;
        (void)snprintf(of->bv, sizeof of->bv, "%s", b->options.bv);
        (void)snprintf(of->builder, sizeof of->builder, "%s", b->options.builder);
        of->leaf = b->options.leaf;
        free(report->trees);
        report->trees = NULL;
        report->tree_count = 0;
        status = bake_candidate(b);
        if (status == KILN_BAKE_OK) {
            status =
                kiln_choice_measure(&b->choice, &b->options, b->file, b->file_size, of, report);
        }
        if (status == KILN_BAKE_OK) {
            keep_preferred(b, &kept);
        }
    }
    if (status == KILN_BAKE_OK && kept.file == NULL) {
        kiln_bake_report_error(report, b->input->path,
                               "none of %" PRIu32 " candidates fits --max-bytes %" PRIu64
                               "; the smallest file takes %zu bytes; raise the limit to that",
                               report->candidate_count, b->asked.max_bytes, kept.least);
        status = KILN_BAKE_FAILED;
    }
    if (status != KILN_BAKE_OK) {
        free(kept.file);
        return status;
    }
    report->trees[0] = kept.tree;
    report->candidates[kept.candidate].chosen = true;
    report->bytes_file = kept.size;
    b->file = kept.file;
    b->file_size = kept.size;
    return KILN_BAKE_OK;
}

/* The trees that are named, their counts, and the file. */
static kiln_bake_status bake_named(job *b)
{
    kiln_bake_report *report = b->report;
    double start = kiln_seconds();
    b->trees = calloc((size_t)b->groups.count * b->kind_count, sizeof *b->trees);
    kiln_bake_status status = b->trees != NULL ? build_trees(b) : KILN_BAKE_FAILED;
    report->seconds_build += kiln_seconds() - start;
    if (status != KILN_BAKE_OK) {
        return status;
    }
    start = kiln_seconds();
    const uint32_t tree_count = b->counts.grid != 0 ? b->groups.count * b->kind_count : 0;
    for (uint32_t i = 0; i < tree_count && status == KILN_BAKE_OK; i++) {
        status = kiln_count_build(b->kinds[i % b->kind_count], &b->soup, &b->counts, &b->options,
                                  &b->trees[i]);
    }
    report->seconds_count = kiln_seconds() - start;
    if (status != KILN_BAKE_OK) {
        return status;
    }
    start = kiln_seconds();
    status = encode(b);
    report->seconds_write = kiln_seconds() - start;
    return status;
}

/* ------------------------------------------------------------------------------ the pass -- */

/* The caller's options, or as much of them as both sides know, over the defaults. Strings that are
 * NULL stand for their defaults. */
static void take_options(job *b, const kiln_bake_options *options)
{
    b->options = kiln_bake_options_default();
    if (options != NULL) {
        const size_t known =
            options->struct_size < sizeof b->options ? options->struct_size : sizeof b->options;
        memcpy(&b->options, options, known);
    }
    b->options.bv = b->options.bv != NULL ? b->options.bv : "obb";
    b->options.builder = b->options.builder != NULL ? b->options.builder : "sah";
    b->progress = b->options.progress;
    b->progress_user = b->options.progress_user;
    kiln_budget_start(&b->budget, b->options.max_memory);
    b->options.progress = b->progress != NULL || b->budget.limit != 0 ? report_progress : NULL;
    b->options.progress_user = b;
}

/* What is wrong with the options and the names, before the model is looked at. */
static kiln_bake_status check_request(job *b)
{
    const kiln_bake_input *input = b->input;
    kiln_bake_status status = check_options(b);
    status = status == KILN_BAKE_OK ? read_weights(b) : status;
    status = status == KILN_BAKE_OK ? kiln_choice_open(input, &b->options, &b->choice, b->report)
                                    : status;
    b->asked = b->options;
    /* A bake does not replace the model it reads, by whatever name the output leads to it. */
    if (status == KILN_BAKE_OK && b->output != NULL && input->path != NULL && input->data == NULL &&
        kiln_same_file(b->output, input->path)) {
        kiln_bake_report_error(b->report, b->output,
                               "is the model itself; nothing was written; name another output");
        status = KILN_BAKE_USAGE;
    }
    const char *const read[] = {b->options.trace, b->options.against};
    for (int i = 0; i < 2 && status == KILN_BAKE_OK; i++) {
        if (b->output != NULL && read[i] != NULL && kiln_same_file(b->output, read[i])) {
            kiln_bake_report_error(b->report, b->output,
                                   "is a file that the tree is chosen by; nothing was written; "
                                   "name another output");
            status = KILN_BAKE_USAGE;
        }
    }
    return status;
}

/* Is there a file of this request already? Then the report says where from, and the file of a cache
 * is in b->file. With `look_only` the cache stays as it is, the times of its files included. */
static bool find_made(job *b, bool look_only)
{
    char message[KILN_WRITE_MESSAGE_SIZE];
    kiln_bake_options *o = &b->options;
    KILN_ASSERT(b->request == NULL && b->file == NULL);
    /* A cache that can't be used is no reason to fail: the bake goes on without it, and the report
     * says why. */
    if (o->cache != NULL && !(look_only ? kiln_cache_trusted(o->cache, o->cache_shared, message)
                                        : kiln_cache_prepare(o->cache, o->cache_shared, message))) {
        (void)snprintf(b->report->cache_error, sizeof b->report->cache_error, "%s", message);
        o->cache = NULL;
    }
    if (o->if_changed || o->cache != NULL) {
        b->request = kiln_request_open(b->input, &b->asked, &b->weights,
                                       b->choice.on ? b->choice.hash : NULL);
    }
    if (b->request == NULL) {
        return false;
    }
    if (o->if_changed && b->output != NULL &&
        kiln_request_up_to_date(b->request, b->output, b->report)) {
        b->report->outcome = KILN_OUTCOME_UP_TO_DATE;
        return true;
    }
    if (o->cache != NULL) {
        b->file = kiln_cache_find(o->cache, b->request, look_only, &b->file_size, b->report);
    }
    if (b->file != NULL) {
        b->report->outcome = KILN_OUTCOME_CACHED;
    }
    return b->file != NULL;
}

/* What is wrong with taking that file. */
static kiln_bake_status check_made(job *b)
{
    const kiln_bake_status status =
        b->file != NULL ? check_output_is_no_side_file(b) : KILN_BAKE_OK;
    return status == KILN_BAKE_OK ? check_absent(b) : status;
}

/* Bakes `input` for `output` (NULL: for memory). *file [*size bytes] becomes the caller's, by
 * free(); it stays NULL where `output` is up to date, and on failure. */
static kiln_bake_status bake(const kiln_bake_input *input, const char *output,
                             const kiln_bake_options *options, void **file, size_t *size,
                             kiln_bake_report *report)
{
    job b = {.input = input, .output = output, .report = report};
    char message[KILN_WRITE_MESSAGE_SIZE];
    kiln_bake_status status;
    fenv_t environment;
    double start;
    memset(report, 0, sizeof *report);
    report->up_axis = -1;
    take_options(&b, options);

    /* Bytes must not depend on the caller's rounding mode or flush-to-zero flags. Threads inherit
     * what is set here; the importing program starts with its own. */
    (void)fegetenv(&environment);
    (void)fesetenv(FE_DFL_ENV);
    status = check_request(&b);
    if (status != KILN_BAKE_OK) {
        goto done;
    }
    if (find_made(&b, false)) {
        status = check_made(&b);
        goto done;
    }

    /* What can be known to fail is not begun. */
    if (output != NULL && !kiln_write_file_possible(output, message)) {
        kiln_bake_report_error(report, output, "%s", message);
        status = KILN_BAKE_IO;
        goto done;
    }
    if (!kiln_budget_possible(&b.budget)) {
        char limit[KILN_MESSAGE_BYTES_SIZE], least[KILN_MESSAGE_BYTES_SIZE];
        kiln_bake_report_error(
            report, input->path,
            "any bake takes more than %s of memory, and the limit is %s; nothing was "
            "written; raise it (--max-memory; K, M or G behind a number make it more)",
            kiln_message_bytes(KILN_BUDGET_LEAST, least),
            kiln_message_bytes(b.budget.limit, limit));
        status = KILN_BAKE_FAILED;
        goto done;
    }

    /* Import. */
    start = kiln_seconds();
    status = kiln_import(input, &b.options, &b.soup, report);
    if (status == KILN_BAKE_OK && b.options.lossy_grid != 0 && b.soup.samples == NULL &&
        !kiln_snap_to_grid(&b.soup, b.options.lossy_grid)) {
        status = KILN_BAKE_FAILED;
    }
    kiln_report_soup(&b.soup, report);
    report->seconds_import = kiln_seconds() - start;
    if (status != KILN_BAKE_OK) {
        goto done;
    }
    status = check_output_is_no_side_file(&b);
    status = status == KILN_BAKE_OK ? check_absent(&b) : status;
    if (status != KILN_BAKE_OK) {
        goto done;
    }

    /* Groups, and the memory that all that follows will take. */
    start = kiln_seconds();
    if (b.soup.samples != NULL) {
        status = bake_heights(&b);
        goto made;
    }
    if (kiln_height_grid_option(&b.asked) != NULL) {
        kiln_bake_report_error(report, b.input->path,
                               "is no height field, and %s is of use for nothing else; leave it "
                               "out",
                               kiln_height_grid_option(&b.asked));
        status = KILN_BAKE_USAGE;
        goto done;
    }
    if (b.soup.points && (b.asked.drop & KILN_DROP_DEGENERATE) != 0) {
        kiln_bake_report_error(report, b.input->path,
                               "is baked as a set of points, none of which has an area, so that "
                               "--drop degenerate is of no use; leave it out");
        status = KILN_BAKE_USAGE;
        goto done;
    }
    if (!kiln_groups_make(&b.soup, b.options.split, &b.groups) ||
        b.groups.count > KILN_TREE_COUNT_MAX / b.kind_count) {
        status = KILN_BAKE_FAILED;
        goto done;
    }
    status = check_memory(&b);
    if (status != KILN_BAKE_OK) {
        goto done;
    }

    report->seconds_build = kiln_seconds() - start;
    start = kiln_seconds();
    status = b.choice.on ? bake_chosen(&b) : bake_named(&b);
    report->seconds_build += b.choice.on ? kiln_seconds() - start : 0;

made:
    /* The cache gets the file last, when nothing can fail any more. A failure to store it leaves
     * the bake as it is. */
    if (status == KILN_BAKE_OK && b.request != NULL && b.options.cache != NULL &&
        !kiln_cache_store(b.options.cache, b.request, &b.soup, b.file, b.file_size, message)) {
        (void)snprintf(report->cache_error, sizeof report->cache_error, "%s", message);
    }

done:
    (void)fesetenv(&environment);
    if (status == KILN_BAKE_OK) {
        *file = b.file;
        *size = b.file_size;
    } else {
        status = explain_failure(&b, status);
        free(b.file);
    }
    kiln_request_close(b.request);
    kiln_choice_close(&b.choice);
    for (size_t i = 0; b.trees != NULL && i < (size_t)b.groups.count * b.kind_count; i++) {
        kiln_build_tree_free(&b.trees[i]);
    }
    free(b.trees);
    kiln_groups_free(&b.groups);
    free(b.meta);
    kiln_soup_free(&b.soup);
    return status;
}

/* The steps of bake() up to the import, without a write. */
kiln_bake_status kiln_bake_foresee(const kiln_bake_input *input, const char *output,
                                   const kiln_bake_options *options, kiln_bake_report *report)
{
    job b = {.input = input, .output = output, .report = report};
    memset(report, 0, sizeof *report);
    report->up_axis = -1;
    take_options(&b, options);
    kiln_bake_status status = check_request(&b);
    if (status == KILN_BAKE_OK && find_made(&b, true)) {
        status = check_made(&b);
    } else if (status == KILN_BAKE_OK) {
        status = kiln_request_readable(input, &b.options, report);
    }
    free(b.file);
    kiln_request_close(b.request);
    kiln_choice_close(&b.choice);
    return status;
}

/* Meshes as the input of a bake; the list is what it refers to. */
static kiln_bake_input input_of_mesh(const kiln_mesh_list *list)
{
    return (kiln_bake_input){.data = list, .size = sizeof *list, .format = kiln_mesh_format};
}

kiln_bake_status kiln_bake_mesh_to_memory(const kiln_mesh *parts, size_t count,
                                          const kiln_bake_options *options, void **data,
                                          size_t *size, kiln_bake_report *report)
{
    const kiln_mesh_list list = {parts, count};
    const kiln_bake_input input = input_of_mesh(&list);
    return kiln_bake_to_memory(&input, options, data, size, report);
}

kiln_bake_status kiln_bake_mesh(const kiln_mesh *parts, size_t count, const char *output,
                                const kiln_bake_options *options, kiln_bake_report *report)
{
    const kiln_mesh_list list = {parts, count};
    const kiln_bake_input input = input_of_mesh(&list);
    return kiln_bake(&input, output, options, report);
}

kiln_bake_status kiln_bake_to_memory(const kiln_bake_input *input, const kiln_bake_options *options,
                                     void **data, size_t *size, kiln_bake_report *report)
{
    kiln_bake_report unseen;
    const kiln_bake_status status =
        bake(input, NULL, options, data, size, report != NULL ? report : &unseen);
    if (report == NULL) {
        kiln_bake_report_free(&unseen);
    }
    return status;
}

kiln_bake_status kiln_bake_moving(const kiln_bake_input *input, const char *output,
                                  const kiln_bake_options *options, kiln_bake_report *report,
                                  const kiln_write_mover *mover)
{
    char message[KILN_WRITE_MESSAGE_SIZE];
    void *data = NULL;
    size_t size = 0;
    KILN_ASSERT(output != NULL && report != NULL);
    kiln_bake_status status = bake(input, output, options, &data, &size, report);
    if (data != NULL && !kiln_write_file_by(mover, output, data, size, message)) {
        kiln_bake_report_error(report, output, "%s", message);
        status = KILN_BAKE_IO;
    }
    free(data);
    return status;
}

kiln_bake_status kiln_bake(const kiln_bake_input *input, const char *output,
                           const kiln_bake_options *options, kiln_bake_report *report)
{
    kiln_bake_report unseen;
    const kiln_bake_status status =
        kiln_bake_moving(input, output, options, report != NULL ? report : &unseen, NULL);
    if (report == NULL) {
        kiln_bake_report_free(&unseen);
    }
    return status;
}
