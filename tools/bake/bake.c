/* The road of a bake: options, import, groups, trees, meta data, file. */
#define _POSIX_C_SOURCE 200809L
#include "../kiln_bake.h"

#include "bake_meta.h"
#include "budget.h"
#include "cache.h"
#include "../tree/split.h"
#include "../common/message.h"
#include "bake_moving.h"
#include "../common/parallel.h"
#include "../common/path_beside.h"
#include "../common/same_file.h"
#include "../common/write_file.h"
#include "../count/count_build.h"
#include "../encode/assemble.h"
#include "../encode/weights_file.h"
#include "../import/grid.h"
#include "../import/import.h"

#include <fenv.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KINDS_MAX = 16 };

typedef struct {
    const kiln_bake_input *input;
    const char *output; /* NULL: none */
    kiln_bake_options options;
    kiln_bake_report *report;
    kiln_budget budget;
    kiln_soup soup;
    const kiln_build_kind *kinds[KINDS_MAX];
    uint32_t kind_count;
    kiln_model_group *groups;
    uint32_t group_count;
    uint32_t *group_triangles;
    char *group_names;
    kiln_build_tree *trees; /* group-major */
    kiln_format_adb counts; /* what is counted; grid 0: nothing */
    kiln_weights_rows weights;
    char *meta;
    void *file;
    size_t file_size;
    bool (*progress)(void *user, const char *stage, double part); /* the caller's; NULL: none */
    void *progress_user;
    bool cancelled; /* by it */
} bake;

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
    return options;
}

static double now_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static kiln_bake_status fail(bake *b, kiln_bake_status status, const char *text)
{
    kiln_bake_report_error(b->report, b->input->path, "%s", text);
    return status;
}

static bool note_cancel(void *user, const char *stage, double part)
{
    bake *b = user;
    const bool on = b->progress(b->progress_user, stage, part);
    b->cancelled = b->cancelled || !on;
    return on;
}

static void watch_for_cancel(bake *b)
{
    b->progress = b->options.progress;
    b->progress_user = b->options.progress_user;
    if (b->progress != NULL) {
        b->options.progress = note_cancel;
        b->options.progress_user = b;
    }
}

/* A stage that failed without a reason of its own was cancelled, or ran out of memory. */
static kiln_bake_status stage_failed(bake *b, kiln_bake_status status)
{
    if (b->budget.over) {
        char limit[KILN_MESSAGE_BYTES_SIZE];
        kiln_bake_report_error(b->report, b->input->path,
                               "takes more memory than the limit of %s; nothing was "
                               "written; raise it (--max-memory) or split the model",
                               kiln_message_bytes(b->budget.limit, limit));
        return KILN_BAKE_FAILED;
    }
    if (b->report->error[0] == '\0') {
        return fail(b, status,
                    b->cancelled ? "cancelled; nothing was written"
                                 : "out of memory; nothing was written; free some");
    }
    return status;
}

/* ----------------------------------------------------------------------------- options -- */

/* NULL: there is none of this name. */
static const kiln_build_kind *find_kind(const char *name, size_t length)
{
    for (size_t i = 0; i < kiln_build_kind_count; i++) {
        const kiln_build_kind *kind = &kiln_build_kinds[i];
        if (strlen(kind->name) == length && strncmp(kind->name, name, length) == 0) {
            return kind;
        }
    }
    return NULL;
}

static bool has_kind(const bake *b, const kiln_build_kind *kind)
{
    for (uint32_t k = 0; k < b->kind_count; k++) {
        if (b->kinds[k] == kind) {
            return true;
        }
    }
    return false;
}

static kiln_bake_status read_kinds(bake *b)
{
    const char *list = b->options.bv;
    for (;;) {
        const size_t length = strcspn(list, ",");
        const kiln_build_kind *kind = find_kind(list, length);
        if (kind == NULL) {
            kiln_bake_report_error(
                b->report, b->input->path,
                "unknown kind of bounding volume '%.*s'; use obb, aabb, obb2 or aabb2",
                (int)(length < 40 ? length : 40), list);
            return KILN_BAKE_USAGE;
        }
        if (has_kind(b, kind)) {
            kiln_bake_report_error(b->report, b->input->path,
                                   "the kind of bounding volume %s is listed twice; a file has one "
                                   "tree of a kind",
                                   kind->name);
            return KILN_BAKE_USAGE;
        }
        b->kinds[b->kind_count++] = kind;
        if (list[length] == '\0') {
            return KILN_BAKE_OK;
        }
        list += length + 1;
    }
}

static kiln_bake_status check_count_options(bake *b)
{
    kiln_bake_options *o = &b->options;
    o->adb_factor = kiln_count_factor(o);
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
    return KILN_BAKE_OK;
}

static kiln_bake_status check_options(bake *b)
{
    kiln_bake_options *o = &b->options;
    o->bv = o->bv != NULL ? o->bv : "obb";
    o->builder = o->builder != NULL ? o->builder : "sah";
    if (o->leaf < 1 || o->leaf > (int)KILN_LEAF_TRIANGLES_MAX) {
        return fail(b, KILN_BAKE_USAGE, "leaf must be 1 to 15");
    }
    if (!(o->scale > 0 && o->scale <= 1e300)) {
        return fail(b, KILN_BAKE_USAGE, "scale must be a finite number above 0");
    }
    if (o->up < -1 || o->up > 2 || o->threads < 0 || o->threads > 256) {
        return fail(b, KILN_BAKE_USAGE, "up must be -1 to 2, threads 0 to 256");
    }
    if (o->builder != NULL && kiln_builder_find(o->builder) == NULL) {
        return fail(b, KILN_BAKE_USAGE, "unknown builder; use sah or median");
    }
    if (o->lossy_grid != 0 &&
        (o->lossy_grid < KILN_LOSSY_BITS_MIN || o->lossy_grid > KILN_LOSSY_BITS_MAX)) {
        return fail(b, KILN_BAKE_USAGE, "a lossy grid has 4 to 24 bits");
    }
    if ((int)o->quality < KILN_QUALITY_FAST || (int)o->quality > KILN_QUALITY_BEST) {
        return fail(b, KILN_BAKE_USAGE, "unknown quality; use fast, default or best");
    }
    if (!(o->import_seconds >= 0)) {
        return fail(b, KILN_BAKE_USAGE, "import seconds must be 0 or more");
    }
    const kiln_bake_status status = check_count_options(b);
    return status == KILN_BAKE_OK ? read_kinds(b) : status;
}

static bool bakes_kind(const bake *b, uint16_t bv)
{
    for (uint32_t k = 0; k < b->kind_count; k++) {
        if (b->kinds[k]->format_bv == bv) {
            return true;
        }
    }
    return false;
}

/* Those for the kinds that are baked, if weights are wanted at all. */
static kiln_bake_status read_weights(bake *b)
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
    for (uint32_t i = 0; i < all.count; i++) {
        if (bakes_kind(b, all.rows[i].bv) && kiln_weights_are_known(&all.rows[i])) {
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

/* ------------------------------------------------------------------------------ groups -- */

static uint32_t group_key(const bake *b, uint32_t part)
{
    return b->options.split == KILN_SPLIT_MESH ? b->soup.parts[part].mesh : part;
}

static const char *group_base_name(const bake *b, uint32_t part)
{
    const kiln_soup_part *p = &b->soup.parts[part];
    return b->soup.strings + (b->options.split == KILN_SPLIT_MESH ? p->mesh_name : p->node_path);
}

typedef struct {
    uint32_t key, part;
} keyed_part;

static int compare_keyed(const void *p, const void *q)
{
    const keyed_part *a = p, *b = q;
    if (a->key != b->key) {
        return a->key < b->key ? -1 : 1;
    }
    return a->part < b->part ? -1 : a->part > b->part;
}

static bool same_path(const bake *b, uint32_t part, uint32_t other)
{
    return strcmp(b->soup.strings + b->soup.parts[part].node_path,
                  b->soup.strings + b->soup.parts[other].node_path) == 0;
}

/* Parts with equal keys, in order of key, become one group. For nodes, neighbouring parts under the
 * same path (the meshes of one node) share a key: that of the first. */
static keyed_part *key_parts(const bake *b)
{
    keyed_part *keyed = malloc(b->soup.part_count * sizeof *keyed);
    for (uint32_t i = 0; keyed != NULL && i < b->soup.part_count; i++) {
        keyed[i] = (keyed_part){group_key(b, i), i};
        if (b->options.split == KILN_SPLIT_NODE && i > 0 && same_path(b, i, i - 1)) {
            keyed[i].key = keyed[i - 1].key;
        }
    }
    if (keyed != NULL) {
        qsort(keyed, b->soup.part_count, sizeof *keyed, compare_keyed);
    }
    return keyed;
}

typedef struct {
    const char *name;
    uint32_t group;
} named_group;

static int compare_named(const void *p, const void *q)
{
    const named_group *a = p, *b = q;
    const int by_name = strcmp(a->name, b->name);
    if (by_name != 0) {
        return by_name;
    }
    return a->group < b->group ? -1 : a->group > b->group;
}

/* Names that occur more than once get "#2", "#3" ... in order; "" becomes "unnamed". */
static bool name_groups(bake *b, const char *const *bases)
{
    named_group *named = malloc(b->group_count * sizeof *named);
    size_t size = 0;
    for (uint32_t g = 0; g < b->group_count; g++) {
        size += strlen(bases[g]) + 24;
    }
    b->group_names = malloc(size);
    if (named == NULL || b->group_names == NULL) {
        free(named);
        return false;
    }
    for (uint32_t g = 0; g < b->group_count; g++) {
        named[g] = (named_group){bases[g], g};
    }
    qsort(named, b->group_count, sizeof *named, compare_named);
    char *at = b->group_names;
    uint32_t copies = 0;
    for (uint32_t i = 0; i < b->group_count; i++) {
        copies = i > 0 && strcmp(named[i].name, named[i - 1].name) == 0 ? copies + 1 : 1;
        const char *base = named[i].name[0] != '\0' ? named[i].name : "unnamed";
        b->groups[named[i].group].name = at;
        at += 1 + (copies > 1 ? sprintf(at, "%s#%u", base, copies) : sprintf(at, "%s", base));
    }
    free(named);
    return true;
}

static bool fill_groups(bake *b, const keyed_part *keyed, const char **bases)
{
    uint32_t used = 0, key = 0;
    for (uint32_t i = 0; i < b->soup.part_count; i++) {
        const kiln_soup_part *part = &b->soup.parts[keyed[i].part];
        if (part->triangle_count == 0) {
            continue;
        }
        if (b->group_count == 0 || keyed[i].key != key) {
            key = keyed[i].key;
            bases[b->group_count] = group_base_name(b, keyed[i].part);
            b->groups[b->group_count].triangles = b->group_triangles + used;
            b->group_count++;
        }
        for (uint32_t t = 0; t < part->triangle_count; t++) {
            b->group_triangles[used++] = part->triangle_first + t;
        }
        b->groups[b->group_count - 1].count += part->triangle_count;
    }
    return name_groups(b, bases);
}

static kiln_bake_status make_groups(bake *b)
{
    const bool whole = b->options.split == KILN_SPLIT_NONE;
    const uint32_t most = whole ? 1 : b->soup.part_count;
    b->groups = calloc(most, sizeof *b->groups);
    if (b->groups == NULL) {
        return KILN_BAKE_FAILED;
    }
    if (whole) {
        b->groups[0] = (kiln_model_group){"model", NULL, b->soup.triangle_count};
        b->group_count = 1;
        return KILN_BAKE_OK;
    }
    b->group_triangles = malloc(b->soup.triangle_count * sizeof *b->group_triangles);
    const char **bases = calloc(most, sizeof *bases);
    keyed_part *keyed = key_parts(b);
    const bool done = b->group_triangles != NULL && bases != NULL && keyed != NULL &&
                      fill_groups(b, keyed, bases);
    free(bases);
    free(keyed);
    if (!done || b->group_count > KILN_TREE_COUNT_MAX / b->kind_count) {
        return KILN_BAKE_FAILED;
    }
    return KILN_BAKE_OK;
}

/* ------------------------------------------------------------------------------- trees -- */

/* Files of many small trees would flicker: then the stage of all trees is one. */
static bool group_progress(void *user, const char *stage, double part)
{
    const bake *b = user;
    (void)part;
    return b->options.progress(b->options.progress_user,
                               strncmp(stage, "count", 5) == 0 ? "count" : "build", -1.0);
}

static kiln_bake_status build_trees(bake *b)
{
    kiln_bake_options options = b->options;
    b->trees = calloc((size_t)b->group_count * b->kind_count, sizeof *b->trees);
    if (b->trees == NULL) {
        return KILN_BAKE_FAILED;
    }
    if (b->group_count > 1 && options.progress != NULL) {
        options.progress = group_progress;
        options.progress_user = b;
    }
    for (uint32_t g = 0; g < b->group_count; g++) {
        const kiln_build_input input = {b->soup.positions, b->soup.indices, b->groups[g].triangles,
                                        b->groups[g].count};
        for (uint32_t k = 0; k < b->kind_count; k++) {
            const kiln_bake_status status =
                kiln_build(b->kinds[k], &input, &options, &b->trees[(size_t)g * b->kind_count + k]);
            if (status != KILN_BAKE_OK) {
                return status;
            }
        }
        if (b->options.progress != NULL && b->group_count > 1 &&
            !b->options.progress(b->options.progress_user, "build",
                                 (double)(g + 1) / b->group_count)) {
            return KILN_BAKE_FAILED;
        }
    }
    return KILN_BAKE_OK;
}

static kiln_bake_status count_trees(bake *b)
{
    kiln_bake_options options = b->options;
    const uint32_t count = b->group_count * b->kind_count;
    if (b->group_count > 1 && options.progress != NULL) {
        options.progress = group_progress;
        options.progress_user = b;
    }
    for (uint32_t i = 0; i < count && b->counts.grid != 0; i++) {
        const kiln_bake_status status = kiln_count_build(b->kinds[i % b->kind_count], &b->soup,
                                                         &b->counts, &options, &b->trees[i]);
        if (status != KILN_BAKE_OK) {
            return status;
        }
    }
    return KILN_BAKE_OK;
}

/* ------------------------------------------------------------------------------ report -- */

static const char *reason_text(uint32_t reason)
{
    switch (reason) {
    case KILN_FACE_INDEX_RANGE:
        return "an index is past the end of the vertices";
    case KILN_FACE_NOT_FINITE:
        return "a corner is not finite";
    case KILN_FACE_DEGENERATE:
        return "no area";
    case KILN_FACE_DUPLICATE:
        return "a face with the same corners stands before it";
    default:
        return "left out";
    }
}

static char *dropped_line(const kiln_soup *soup, const kiln_soup_note *note)
{
    const bool known = note->part < soup->part_count;
    const char *path = known ? soup->strings + soup->parts[note->part].node_path : "?";
    const char *mesh = known ? soup->strings + soup->parts[note->part].mesh_name : "?";
    const char *format = "node \"%s\", mesh \"%s\", face %u: %s";
    const int size = snprintf(NULL, 0, format, path, mesh, note->face, reason_text(note->reason));
    char *line = malloc((size_t)size + 1);
    if (line != NULL) {
        (void)snprintf(line, (size_t)size + 1, format, path, mesh, note->face,
                       reason_text(note->reason));
    }
    return line;
}

static char **copy_strings(const kiln_soup *soup, const uint32_t *offsets, uint32_t count)
{
    char **copies = calloc(count > 0 ? count : 1, sizeof *copies);
    for (uint32_t i = 0; copies != NULL && i < count; i++) {
        copies[i] = strdup(soup->strings + offsets[i]);
    }
    return copies;
}

/* What import learned, also when it failed afterwards. */
static void report_soup(bake *b)
{
    kiln_bake_report *r = b->report;
    const kiln_soup *soup = &b->soup;
    r->faces = soup->triangle_count;
    r->faces_dropped = soup->note_count;
    r->points_left_out = soup->points_left_out;
    r->lines_left_out = soup->lines_left_out;
    r->degenerate = soup->degenerate_count;
    r->duplicate = soup->duplicate_count;
    r->polygons_cut = soup->polygons_cut;
    r->empty_meshes = soup->empty_mesh_count;
    r->unit = soup->unit;
    r->up_axis = soup->triangle_count > 0 ? soup->up_axis : -1; /* 0 where nothing was read */
    r->precision_step = soup->precision_step;
    r->lossy_step = soup->lossy_step;
    r->lossy_moved = soup->lossy_moved;
    r->lossy_degenerate = soup->lossy_degenerate;
    if (soup->strings == NULL) {
        return;
    }
    r->warnings = copy_strings(soup, soup->warnings, soup->warning_count);
    r->warning_count = r->warnings != NULL ? soup->warning_count : 0;
    r->side_files = copy_strings(soup, soup->side_files, soup->side_file_count);
    r->side_file_count = r->side_files != NULL ? soup->side_file_count : 0;
    r->absent_files =
        copy_strings(soup, soup->side_files + soup->side_file_count, soup->absent_file_count);
    r->absent_file_count = r->absent_files != NULL ? soup->absent_file_count : 0;
    r->dropped = calloc(soup->note_count > 0 ? soup->note_count : 1, sizeof *r->dropped);
    r->dropped_count = r->dropped != NULL ? soup->note_count : 0;
    for (uint32_t i = 0; i < r->dropped_count; i++) {
        r->dropped[i] = dropped_line(soup, &soup->notes[i]);
    }
}

static void report_trees(bake *b, const uint64_t *packed_sizes)
{
    kiln_bake_report *r = b->report;
    const uint32_t count = b->group_count * b->kind_count;
    r->trees = calloc(count, sizeof *r->trees);
    r->tree_count = r->trees != NULL ? count : 0;
    for (uint32_t i = 0; i < r->tree_count; i++) {
        const uint32_t kind = i % b->kind_count;
        uint64_t nodes_of_kind = 0;
        for (uint32_t g = 0; g < b->group_count; g++) {
            nodes_of_kind += b->trees[(size_t)g * b->kind_count + kind].node_count;
        }
        const kiln_build_tree *tree = &b->trees[i];
        kiln_bake_tree_report *out = &r->trees[i];
        (void)snprintf(out->name, sizeof out->name, "%s", b->groups[i / b->kind_count].name);
        (void)snprintf(out->bv, sizeof out->bv, "%s", b->kinds[kind]->name);
        out->triangles = b->groups[i / b->kind_count].count;
        out->nodes = tree->node_count;
        out->depth = tree->depth;
        out->bytes_raw = (uint64_t)tree->node_count * tree->node_size;
        /* The trees of a kind are packed together: each has its share. */
        out->bytes_packed =
            (uint64_t)((double)packed_sizes[kind] * tree->node_count / (double)nodes_of_kind);
        out->sah_cost = tree->sah_cost;
        out->boxes = tree->box_count;
        out->bytes_counts = (uint64_t)tree->box_count * sizeof *tree->boxes;
    }
    r->bytes_file = b->file_size;
}

static void free_strings(char **strings, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        free(strings[i]);
    }
    free(strings);
}

void kiln_bake_report_free(kiln_bake_report *report)
{
    if (report == NULL) {
        return;
    }
    free_strings(report->warnings, report->warning_count);
    free_strings(report->dropped, report->dropped_count);
    free_strings(report->side_files, report->side_file_count);
    free_strings(report->absent_files, report->absent_file_count);
    free(report->trees);
    memset(report, 0, sizeof *report);
}

/* -------------------------------------------------------------------------------- road -- */

static kiln_bake_status encode_file(bake *b)
{
    uint8_t build_key[16];
    uint64_t packed_sizes[KINDS_MAX] = {0};
    kiln_bake_meta_key(b->input, &b->options, b->soup.format, b->soup.source_hash, &b->weights,
                       build_key);
    b->meta = kiln_bake_meta_document(b->input, &b->options, &b->soup, b->trees, b->group_count,
                                      b->kinds, b->kind_count);
    if (b->meta == NULL) {
        return KILN_BAKE_FAILED;
    }
    const kiln_watch watch = {kiln_thread_count(b->options.threads),
                              b->options.progress,
                              b->options.progress_user,
                              "write",
                              0.0,
                              1.0};
    const kiln_model model = {&b->soup,         b->groups,  b->group_count,         b->kinds,
                              b->kind_count,    b->trees,   b->options.leaf,        b->meta,
                              strlen(b->meta),  &b->counts, b->options.no_geometry, b->weights.rows,
                              b->weights.count, b->trees};
    const kiln_bake_status status = kiln_model_encode(&model, b->options.layout, build_key, &watch,
                                                      &b->file, &b->file_size, packed_sizes);
    if (status == KILN_BAKE_OK) {
        report_trees(b, packed_sizes);
    }
    /* The last turn may have been another thread's, which reports nothing. */
    if (status == KILN_BAKE_OK && b->options.progress != NULL &&
        !b->options.progress(b->options.progress_user, "write", 1.0)) {
        return KILN_BAKE_FAILED;
    }
    return status;
}

/* Before the trees are begun: with the groups all counts are known. */
static kiln_bake_status check_memory(bake *b)
{
    kiln_budget_load load = {.soup = &b->soup,
                             .kinds = b->kinds,
                             .kind_count = b->kind_count,
                             .counted = b->counts.grid != 0,
                             .lists = b->options.split != KILN_SPLIT_NONE};
    for (uint32_t g = 0; g < b->group_count; g++) {
        load.largest = b->groups[g].count > load.largest ? b->groups[g].count : load.largest;
    }
    const uint64_t need = kiln_budget_need(&load, &b->options);
    if (b->budget.limit == 0) {
        return KILN_BAKE_OK;
    }
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
    b->options.threads =
        (int)kiln_budget_threads(&b->budget, need, kiln_thread_count(b->options.threads));
    return KILN_BAKE_OK;
}

/* Is `output` the file that `name`, as the model refers to it, leads to? */
static bool is_side_file(const char *output, const char *model, const char *name)
{
    char *path = kiln_path_beside(model, name);
    const bool same = path != NULL && kiln_same_file(output, path);
    free(path);
    return same;
}

/* A bake does not replace what it reads, by whatever name. Side files are known from the import on. */
static kiln_bake_status check_not_read(const kiln_bake_input *input, const char *output,
                                       kiln_bake_report *report)
{
    const char *model = input->path;
    if (output == NULL || model == NULL) {
        return KILN_BAKE_OK;
    }
    if (input->data == NULL && kiln_same_file(output, model)) {
        kiln_bake_report_error(report, output,
                               "is the model itself; nothing was written; name another output");
        return KILN_BAKE_USAGE;
    }
    for (uint32_t i = 0; i < report->side_file_count; i++) {
        if (report->side_files[i] != NULL && is_side_file(output, model, report->side_files[i])) {
            kiln_bake_report_error(report, output,
                                   "is a file that the model refers to; nothing was written; name "
                                   "another output");
            return KILN_BAKE_USAGE;
        }
    }
    return KILN_BAKE_OK;
}

/* Before anything is read. */
static kiln_bake_status check_limit(bake *b)
{
    char limit[KILN_MESSAGE_BYTES_SIZE], least[KILN_MESSAGE_BYTES_SIZE];
    if (kiln_budget_possible(&b->budget)) {
        return KILN_BAKE_OK;
    }
    kiln_bake_report_error(
        b->report, b->input->path,
        "any bake takes more than %s of memory, and the limit is %s; nothing was "
        "written; raise it (--max-memory; K, M or G behind a number make it more)",
        kiln_message_bytes(KILN_BUDGET_LEAST, least), kiln_message_bytes(b->budget.limit, limit));
    return KILN_BAKE_FAILED;
}

static kiln_bake_status make_file(bake *b)
{
    if (check_limit(b) != KILN_BAKE_OK) {
        return KILN_BAKE_FAILED;
    }
    double start = now_seconds();
    kiln_bake_status status = kiln_import(b->input, &b->options, &b->soup, b->report);
    if (status == KILN_BAKE_OK && b->options.lossy_grid != 0 &&
        !kiln_snap_to_grid(&b->soup, b->options.lossy_grid)) {
        status = KILN_BAKE_FAILED;
    }
    report_soup(b);
    b->report->seconds_import = now_seconds() - start;
    status = status == KILN_BAKE_OK ? check_not_read(b->input, b->output, b->report) : status;
    if (status != KILN_BAKE_OK) {
        return status;
    }
    start = now_seconds();
    status = make_groups(b);
    if (status == KILN_BAKE_OK) {
        status = check_memory(b);
    }
    if (status == KILN_BAKE_OK) {
        status = build_trees(b);
    }
    b->report->seconds_build = now_seconds() - start;
    start = now_seconds();
    if (status == KILN_BAKE_OK) {
        status = count_trees(b);
    }
    b->report->seconds_count = now_seconds() - start;
    start = now_seconds();
    if (status == KILN_BAKE_OK) {
        status = encode_file(b);
    }
    if (status == KILN_BAKE_OK && !kiln_budget_holds(&b->budget)) {
        free(b->file);
        b->file = NULL;
        status = KILN_BAKE_FAILED;
    }
    b->report->seconds_write = now_seconds() - start;
    return status;
}

static void free_bake(bake *b)
{
    const size_t trees = (size_t)b->group_count * b->kind_count;
    for (size_t i = 0; b->trees != NULL && i < trees; i++) {
        kiln_build_tree_free(&b->trees[i]);
    }
    free(b->trees);
    free(b->groups);
    free(b->group_triangles);
    free(b->group_names);
    free(b->meta);
    kiln_soup_free(&b->soup);
}

/* Is there a file of this request already? `output` NULL: only the cache is asked. */
static bool find_made(bake *b, kiln_request *request, const char *output)
{
    const kiln_bake_options *o = &b->options;
    if (o->if_changed && output != NULL && kiln_request_up_to_date(request, output, b->report)) {
        b->report->outcome = KILN_OUTCOME_UP_TO_DATE;
        return true;
    }
    if (o->cache != NULL) {
        b->file = kiln_cache_find(o->cache, request, &b->file_size, b->report);
        b->report->outcome = b->file != NULL ? KILN_OUTCOME_CACHED : KILN_OUTCOME_BAKED;
    }
    return b->file != NULL;
}

static kiln_bake_status make_and_keep(bake *b, kiln_request *request, const char *output)
{
    char message[KILN_WRITE_MESSAGE_SIZE];
    if (output != NULL && !kiln_write_file_possible(output, message)) {
        kiln_bake_report_error(b->report, output, "%s", message);
        return KILN_BAKE_IO;
    }
    const kiln_bake_status status = make_file(b);
    if (status == KILN_BAKE_OK && request != NULL && b->options.cache != NULL &&
        !kiln_cache_store(b->options.cache, request, &b->soup, b->file, b->file_size, message)) {
        (void)snprintf(b->report->cache_error, sizeof b->report->cache_error, "%s", message);
    }
    return status;
}

/* Finds the file, or makes it. */
static kiln_bake_status find_or_make(bake *b, const char *output)
{
    kiln_request *request = NULL;
    if (b->options.if_changed || b->options.cache != NULL) {
        request = kiln_request_open(b->input, &b->options, &b->weights);
    }
    const kiln_bake_status status = request != NULL && find_made(b, request, output)
                                        ? KILN_BAKE_OK
                                        : make_and_keep(b, request, output);
    kiln_request_close(request);
    return status;
}

static kiln_bake_status run_bake(bake *b, const char *output)
{
    char message[KILN_WRITE_MESSAGE_SIZE];
    kiln_bake_status status = check_options(b);
    if (status == KILN_BAKE_OK) {
        status = read_weights(b);
    }
    if (status != KILN_BAKE_OK) {
        return status;
    }
    status = check_not_read(b->input, output, b->report);
    if (status != KILN_BAKE_OK) {
        return status;
    }
    if (b->options.cache != NULL && !kiln_cache_prepare(b->options.cache, message)) {
        (void)snprintf(b->report->cache_error, sizeof b->report->cache_error, "%s", message);
        b->options.cache = NULL;
    }
    return find_or_make(b, output);
}

/* Bytes must not depend on the caller's rounding mode or flush-to-zero flags. Threads and the importing
 * child inherit what is set here. */
static kiln_bake_status run_with_default_rounding(bake *b, const char *output)
{
    fenv_t caller;
    (void)fegetenv(&caller);
    (void)fesetenv(FE_DFL_ENV);
    const kiln_bake_status status = run_bake(b, output);
    (void)fesetenv(&caller);
    return status;
}

/* *data stays NULL where the file `output` (NULL: there is none) was left as it is. */
static kiln_bake_status bake_for(const kiln_bake_input *input, const char *output,
                                 const kiln_bake_options *options, void **data, size_t *size,
                                 kiln_bake_report *report)
{
    bake b;
    memset(&b, 0, sizeof b);
    b.report = report;
    memset(report, 0, sizeof *report);
    report->up_axis = -1;
    b.input = input;
    b.output = output;
    b.options = kiln_bake_options_default();
    if (options != NULL) {
        const size_t known =
            options->struct_size < sizeof b.options ? options->struct_size : sizeof b.options;
        memcpy(&b.options, options, known);
    }
    watch_for_cancel(&b);
    kiln_budget_start(&b.budget, &b.options);
    kiln_bake_status status = run_with_default_rounding(&b, output);
    if (status == KILN_BAKE_OK) {
        *data = b.file;
        *size = b.file_size;
    } else {
        status = stage_failed(&b, status);
    }
    free_bake(&b);
    return status;
}

kiln_bake_status kiln_bake_to_memory(const kiln_bake_input *input, const kiln_bake_options *options,
                                     void **data, size_t *size, kiln_bake_report *report)
{
    kiln_bake_report unseen;
    const kiln_bake_status status =
        bake_for(input, NULL, options, data, size, report != NULL ? report : &unseen);
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
    kiln_bake_status status = bake_for(input, output, options, &data, &size, report);
    if (status != KILN_BAKE_OK || data == NULL) {
        return status;
    }
    status = check_not_read(input, output, report); /* a cached one has imported nothing */
    const bool written =
        status != KILN_BAKE_OK || kiln_write_file_by(mover, output, data, size, message);
    free(data);
    if (!written) {
        kiln_bake_report_error(report, output, "%s", message);
        return KILN_BAKE_IO;
    }
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
