/* kiln info: what is in a file. */
#include "../kit/columns.h"
#include "../kit/files.h"
#include "../kit/options.h"
#include "../kit/report.h"
#include "table.h"
#include "contents.h"
#include "verbs.h"

#include "../../../formats/check.h"
#include "../../common/soup.h"
#include "../../encode/container.h"

#include <stdlib.h>
#include <string.h>

enum { TREES_FOR_PEOPLE = 20 };

typedef struct {
    bool all, json;
} info_settings;

static const option info_options[] = {
    {"all", 'a', OPTION_FLAG, NULL, NULL, 0, 0, offsetof(info_settings, all),
     "list all trees, not the 20 largest alone"},
    OPTION_JSON(info_settings),
};

typedef struct {
    const char *path;
    uint64_t size;
    kiln_reader reader;
    kiln_view view;
    kiln_mesh_extent extent;
    json_t *meta;      /* NULL: not a document */
    bool all_trees;    /* are listed */
    tree_sizes *trees; /* tree_count */
} info;

/* ------------------------------------------------------------------------------- gathering -- */

/* A count that the bake left in its meta document, or 0. */
static uint64_t meta_count(const info *of, const char *name)
{
    const json_t *counts = json_object_get(of->meta, "counts");
    return (uint64_t)json_integer_value(json_object_get(counts, name));
}

static const char *transform_name(const kiln_format_section *entry)
{
    static const char *const names[KILN_TRANSFORM_COUNT] = {
        "none", "planes", "delta planes", "curve planes 16", "curve planes 32", "lanes", "edges"};
    return entry->codec == KILN_CODEC_RAW ? "raw" : names[entry->transform];
}

/* --------------------------------------------------------------------------------- for programs -- */

/* Lower corner, then upper corner: six numbers in a row. */
static json_t *bounds_json(const kiln_mesh_extent *extent)
{
    json_t *array = json_array();
    for (int i = 0; i < 3; i++) {
        json_array_append_new(array, json_number(extent->lower[i]));
    }
    for (int i = 0; i < 3; i++) {
        json_array_append_new(array, json_number(extent->upper[i]));
    }
    return array;
}

static json_t *hex_json(const uint8_t *bytes, size_t size)
{
    char text[65];
    for (size_t i = 0; i < size && i < 32; i++) {
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    }
    return json_cstring(text);
}

static const char *const area_names[] = {"", "mean", "max"};
static const char *const polygon_names[] = {"", "subtree", "box"};
static const char *const region_names[] = {"", "none", "octants", "sectors"};

static void add_counts_json(const info *of, uint32_t tree, json_t *object)
{
    const kiln_format_adb *adb = kiln_view_get_tree(&of->view, tree).adb;
    if (adb == NULL) {
        return;
    }
    json_t *how = json_object();
    json_object_set_new(how, "grid", json_integer(adb->grid));
    json_object_set_new(how, "area", json_cstring(area_names[adb->area]));
    json_object_set_new(how, "factor", json_number(adb->factor));
    json_object_set_new(how, "polygons", json_cstring(polygon_names[adb->polygons]));
    json_object_set_new(how, "regions", json_cstring(region_names[adb->regions]));
    json_object_set_new(object, "adb", how);
    json_object_set_new(object, "boxes", json_count(adb->box_count));
    json_object_set_new(object, "bytes_counts",
                        json_count((uint64_t)adb->box_count * sizeof(kiln_format_adb_box)));
}

static const char *const closed_names[] = {"no", "even", "oriented"}; /* by KILN_CLOSED_... */

static json_t *trees_json(const info *of)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < of->view.tree_count; i++) {
        const kiln_format_tree *entry = &of->view.trees[i];
        json_t *object = json_object();
        json_object_set_new(object, "name", json_cstring(of->view.strings + entry->name));
        json_object_set_new(object, "bv", json_cstring(kiln_node_kind_find(entry->bv)->name));
        json_object_set_new(object, "triangles", json_count(entry->triangle_count));
        json_object_set_new(object, "nodes", json_count(entry->node_count));
        json_object_set_new(object, "depth", json_count(entry->depth));
        json_object_set_new(object, "leaf", json_count(entry->leaf_max));
        json_object_set_new(object, "bytes_raw", json_count(of->trees[i].bytes_raw));
        json_object_set_new(object, "bytes_packed", json_count(of->trees[i].bytes_packed));
        json_object_set_new(object, "sah_cost", json_number(of->trees[i].cost));
        json_object_set_new(object, "closed", json_string(closed_names[entry->closed]));
        json_object_set_new(object, "geometry_hash", hex_json(entry->geometry_hash, 16));
        add_counts_json(of, i, object);
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *sections_json(const info *of)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < of->reader.section_count; i++) {
        const kiln_format_section *entry = &of->reader.sections[i].entry;
        json_t *object = json_object();
        json_object_set_new(object, "name", json_cstring(section_name(entry)));
        json_object_set_new(object, "offset", json_count(entry->offset));
        json_object_set_new(object, "bytes_stored", json_count(entry->stored_size));
        json_object_set_new(object, "bytes_raw", json_count(entry->raw_size));
        json_object_set_new(object, "transform", json_cstring(transform_name(entry)));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *weights_json(const kiln_weights_view *view)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < view->count; i++) {
        const kiln_format_adb_weights *row = &view->rows[i];
        json_t *object = json_object(), *numbers = json_null();
        if (kiln_weights_are_known(row)) {
            numbers = json_array();
            for (unsigned k = 0; k < KILN_ADB_WEIGHTS_COUNT; k++) {
                json_array_append_new(numbers, json_number((double)row->weight[k]));
            }
        }
        json_object_set_new(object, "bv", json_cstring(kiln_node_kind_find(row->bv)->name));
        json_object_set_new(object, "leaf", json_count(row->leaf_max));
        json_object_set_new(object, "weights", numbers);
        json_array_append_new(array, object);
    }
    return array;
}

/* Bytes a triangle, by what they are for. */
static json_t *shares_json(const info *of)
{
    uint64_t shares[KILN_SHARE_COUNT];
    json_t *object = json_object();
    kiln_shares(&of->reader, shares);
    for (kiln_share i = 0; i < KILN_SHARE_COUNT; i++) {
        json_object_set_new(object, kiln_share_name(i),
                            json_number((double)shares[i] / (double)of->view.triangle_count));
    }
    return object;
}

static json_t *materials_json(const info *of)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < of->view.material_count; i++) {
        json_array_append_new(array, json_cstring(of->view.strings + of->view.materials[i]));
    }
    return array;
}

/* What is told of every file. */
static json_t *file_json(const info *of)
{
    const kiln_format_header *header = &of->reader.header;
    char version[16];
    snprintf(version, sizeof version, "%u.%u", header->version_major, header->version_minor);
    json_t *object = json_object();
    json_object_set_new(object, "file", json_cstring(of->path));
    json_object_set_new(object, "status", json_integer(EXIT_DONE));
    json_object_set_new(object, "format", json_cstring(version));
    json_object_set_new(object, "layout",
                        json_cstring(reader_is_packed(&of->reader) ? "packed" : "raw"));
    json_object_set_new(object, "bytes", json_count(of->size));
    json_object_set_new(object, "content_hash", hex_json(header->content_hash, 16));
    json_object_set_new(object, "build_key", hex_json(header->build_key, 16));
    return object;
}

static json_t *info_json(const info *of)
{
    json_t *object = file_json(of);
    json_object_set_new(object, "bytes_per_triangle",
                        json_number((double)of->size / (double)of->view.triangle_count));
    json_object_set_new(object, "bytes_per_triangle_of", shares_json(of));
    json_object_set_new(object, "faces", json_count(of->extent.triangles));
    json_object_set_new(object, "vertices", json_count(of->view.vertex_count));
    json_object_set_new(object, "bounds", bounds_json(&of->extent));
    json_object_set_new(object, "area", json_number(of->extent.area));
    json_object_set_new(object, "signed_volume", json_number(of->extent.signed_volume));
    json_object_set_new(object, "points_left_out", json_count(meta_count(of, "points_left_out")));
    json_object_set_new(object, "lines_left_out", json_count(meta_count(of, "lines_left_out")));
    json_object_set_new(object, "parts", json_count(of->view.part_count));
    json_object_set_new(object, "materials", materials_json(of));
    json_object_set_new(object, "trees", trees_json(of));
    json_object_set_new(object, "sections", sections_json(of));
    if (of->view.weights.count > 0) {
        json_object_set_new(object, "weights", weights_json(&of->view.weights));
    }
    json_object_set(object, "meta", of->meta != NULL ? of->meta : json_null());
    return object;
}

/* ----------------------------------------------------------------------------------- for people -- */

static const char *tree_name(const info *of, uint32_t tree)
{
    return of->view.strings + of->view.trees[tree].name;
}

typedef struct {
    int name, triangles, nodes, depth, raw, packed; /* columns */
} tree_columns;

/* Names have what the numbers leave, if they need it. */
static tree_columns plan_columns(const info *of)
{
    uint64_t triangles = 0, nodes = 0, raw = 0, packed = 0;
    int name = 0;
    for (uint32_t i = 0; i < of->view.tree_count; i++) {
        const kiln_format_tree *entry = &of->view.trees[i];
        triangles = entry->triangle_count > triangles ? entry->triangle_count : triangles;
        nodes = entry->node_count > nodes ? entry->node_count : nodes;
        raw = of->trees[i].bytes_raw > raw ? of->trees[i].bytes_raw : raw;
        packed = of->trees[i].bytes_packed > packed ? of->trees[i].bytes_packed : packed;
        const int length = (int)strlen(tree_name(of, i));
        name = length > name ? length : name;
    }
    tree_columns c = {.triangles = columns_for("triangles", triangles),
                      .nodes = columns_for("nodes", nodes),
                      .depth = columns_for("depth", 0),
                      .raw = columns_for("bytes raw", raw),
                      .packed = columns_for("packed", packed)};
    const int left =
        columns_of_output() - 2 - 7 - c.triangles - c.nodes - c.depth - c.raw - c.packed - 8;
    c.name = name < left ? name : left;
    c.name = c.name < 12 ? 12 : c.name;
    return c;
}

static void print_tree(const info *of, uint32_t tree, const tree_columns *c)
{
    const kiln_format_tree *entry = &of->view.trees[tree];
    char digits[4][32];
    printf("  ");
    columns_print_path(tree_name(of, tree), c->name);
    printf("  %-5s%*s  %*s  %*u  %*s  %*s\n", kiln_node_kind_find(entry->bv)->name, c->triangles,
           columns_count(entry->triangle_count, digits[0]), c->nodes,
           columns_count(entry->node_count, digits[1]), c->depth, entry->depth, c->raw,
           columns_count(of->trees[tree].bytes_raw, digits[2]), c->packed,
           columns_count(of->trees[tree].bytes_packed, digits[3]));
}

typedef struct {
    uint32_t triangles, tree;
} ranked_tree;

/* Most triangles first, then the order of the file. */
static int compare_ranked(const void *a, const void *b)
{
    const ranked_tree *x = a, *y = b;
    if (x->triangles != y->triangles) {
        return x->triangles < y->triangles ? 1 : -1;
    }
    return x->tree < y->tree ? -1 : x->tree > y->tree;
}

/* The largest trees, and how many more there are. */
static void print_largest(const info *of, const tree_columns *c)
{
    const uint32_t count = of->view.tree_count;
    ranked_tree *ranked = malloc(count * sizeof *ranked);
    if (ranked == NULL) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        ranked[i] = (ranked_tree){of->view.trees[i].triangle_count, i};
    }
    qsort(ranked, count, sizeof *ranked, compare_ranked);
    for (uint32_t i = 0; i < TREES_FOR_PEOPLE; i++) {
        print_tree(of, ranked[i].tree, c);
    }
    free(ranked);
    printf("  and %u smaller trees; --all lists them\n", count - TREES_FOR_PEOPLE);
}

static void print_trees(const info *of)
{
    const tree_columns c = plan_columns(of);
    printf("  %-*s  %-5s%*s  %*s  %*s  %*s  %*s\n", c.name, "tree", "bv", c.triangles, "triangles",
           c.nodes, "nodes", c.depth, "depth", c.raw, "bytes raw", c.packed, "packed");
    if (of->view.tree_count > TREES_FOR_PEOPLE && !of->all_trees) {
        print_largest(of, &c);
        return;
    }
    for (uint32_t i = 0; i < of->view.tree_count; i++) {
        print_tree(of, i, &c);
    }
}

/* Boxes are the nodes of the paper, whose Table 1 has 36 bytes for each. A bake counts alike for all of a
 * file's trees. */
static void print_counts(const info *of)
{
    const kiln_format_adb *how = of->view.adb;
    double bytes = 0.0, boxes = 0.0;
    for (uint32_t i = 0; i < of->view.tree_count; i++) {
        const kiln_view_tree tree = kiln_view_get_tree(&of->view, i);
        if (tree.adb != NULL) {
            bytes += (double)tree.entry->node_count * tree.kind->node_size +
                     (double)tree.adb->box_count * sizeof(kiln_format_adb_box);
            boxes += tree.adb->box_count;
        }
    }
    if (how != NULL && boxes > 0.0) {
        char text[192];
        snprintf(
            text, sizeof text,
            "cells %u^3, %s, %s section x %g, polygons of the %s, %.1f bytes a box with its node",
            how->grid, region_names[how->regions], area_names[how->area], how->factor,
            polygon_names[how->polygons], bytes / boxes);
        columns_item(stdout, "counts", text);
    }
}

/* Six a line, as `kiln calibrate` and hierarchy.md order them. */
static void print_weights(const kiln_weights_view *view)
{
    for (uint32_t i = 0; i < view->count; i++) {
        const kiln_format_adb_weights *row = &view->rows[i];
        printf("  weights        for %s, leaves of at most %u:", kiln_node_kind_find(row->bv)->name,
               row->leaf_max);
        if (!kiln_weights_are_known(row)) {
            printf(" of another version, not used");
        }
        for (unsigned k = 0; k < KILN_ADB_WEIGHTS_COUNT && kiln_weights_are_known(row); k++) {
            printf("%s%8.4f", k % 6 == 0 ? "\n                " : " ", (double)row->weight[k]);
        }
        putchar('\n');
    }
}

static void print_sections(const info *of)
{
    char digits[2][32];
    printf("  %-20s  %-15s  %12s  %12s\n", "section", "packed by", "bytes stored", "bytes raw");
    for (uint32_t i = 0; i < of->reader.section_count; i++) {
        const kiln_format_section *entry = &of->reader.sections[i].entry;
        printf("  %-20s  %-15s  %12s  %12s\n", section_name(entry), transform_name(entry),
               columns_count(entry->stored_size, digits[0]),
               columns_count(entry->raw_size, digits[1]));
    }
}

/* Of what the bytes a triangle are. */
static void print_shares(const info *of)
{
    uint64_t shares[KILN_SHARE_COUNT];
    char text[512] = "";
    size_t used = 0;
    kiln_shares(&of->reader, shares);
    for (kiln_share i = 0; i < KILN_SHARE_COUNT; i++) {
        if (shares[i] > 0) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %.2f",
                                     used > 0 ? ", " : "", kiln_share_name(i),
                                     (double)shares[i] / (double)of->view.triangle_count);
        }
    }
    columns_item(stdout, "a triangle", text);
}

/* The error that the bake allowed itself. */
static void print_lossy(const info *of)
{
    const json_t *counts = json_object_get(of->meta, "counts");
    const double step = json_real_value(json_object_get(counts, "lossy_step"));
    char text[192];
    if (step > 0) {
        snprintf(text, sizeof text,
                 "vertices moved to a grid of step %g, by at most %g; %llu faces lost their area",
                 step, json_real_value(json_object_get(counts, "lossy_moved")),
                 (unsigned long long)meta_count(of, "lossy_degenerate"));
        columns_item(stdout, "lossy", text);
    }
}

/* The line that starts what is told of any file. */
static void print_head(const info *of, const char *what)
{
    char digits[32];
    printf("%s: kiln format %u.%u, %s, %s bytes, %s\n", of->path, of->reader.header.version_major,
           of->reader.header.version_minor, reader_is_packed(&of->reader) ? "packed" : "raw",
           columns_count(of->size, digits), what);
}

static void print_bounds(const kiln_mesh_extent *extent)
{
    char text[256];
    snprintf(text, sizeof text, "%.9g %.9g %.9g .. %.9g %.9g %.9g", extent->lower[0],
             extent->lower[1], extent->lower[2], extent->upper[0], extent->upper[1],
             extent->upper[2]);
    columns_item(stdout, "bounds", text);
}

static void print_geometry(const info *of)
{
    if (of->view.triangles == NULL) {
        printf("  baked without polygons: bounds, area and volume are not known\n");
        return;
    }
    print_bounds(&of->extent);
    printf("  area           %.9g\n", of->extent.area);
    printf("  signed volume  %.9g\n", of->extent.signed_volume);
    printf("  left out       %llu points, %llu lines\n",
           (unsigned long long)meta_count(of, "points_left_out"),
           (unsigned long long)meta_count(of, "lines_left_out"));
    print_lossy(of);
}

static void print_info(const info *of)
{
    char digits[2][32], each[48];
    snprintf(each, sizeof each, "%.2f a triangle",
             (double)of->size / (double)of->view.triangle_count);
    print_head(of, each);
    printf("  faces          %s, of %s vertices, in %u part%s\n",
           columns_count(of->view.triangle_count, digits[0]),
           columns_count(of->view.vertex_count, digits[1]), of->view.part_count,
           of->view.part_count == 1 ? "" : "s");
    print_shares(of);
    print_geometry(of);
    print_trees(of);
    print_counts(of);
    print_weights(&of->view.weights);
    print_sections(of);
}

/* ---------------------------------------------------------------------------------- of a model -- */

static int tell(info *of, int count)
{
    of->trees = tree_sizes_of(&of->view);
    if (of->trees == NULL) {
        return report_format_error(of->path, KILN_FORMAT_ERROR_MEMORY, "");
    }
    if (of->view.triangles != NULL) {
        kiln_extent_of(of->view.vertices, of->view.triangles, of->view.triangle_count, &of->extent);
    }
    of->meta = json_loadb(of->view.meta, (size_t)of->view.meta_size, 0, NULL);
    if (report_is_json()) {
        report_file(info_json(of), count);
    } else {
        print_info(of);
    }
    json_decref(of->meta);
    free(of->trees);
    return EXIT_DONE;
}

/* --------------------------------------------------------------------------------- of a table -- */

static json_t *table_json(const info *of, const kiln_bins_view *view)
{
    json_t *object = file_json(of);
    table_describe(view->header, object);
    if (view->weights.count > 0) {
        json_object_set_new(object, "weights", weights_json(&view->weights));
    }
    json_object_set_new(object, "sections", sections_json(of));
    return object;
}

static void print_table(const info *of, const kiln_bins_view *view)
{
    const kiln_format_bins *header = view->header;
    print_head(of, "a table of filled bins");
    printf("  profile        %s, rounded %s\n", table_profile_name(header),
           header->rounding == KILN_BINS_DOWN ? "down" : "to nearest");
    printf("  limits         u to %u, x to %u\n", header->max_u, header->max_x);
    printf("  values kept    %llu, %.1f times fewer than full tables\n",
           (unsigned long long)table_kept(header),
           table_full(header) * header->max_x / (double)table_kept(header));
    printf("  errors         at most %.3g, beyond the ends of rows %.3g\n",
           header->certificate_kept, header->certificate_beyond);
    print_weights(&view->weights);
    print_sections(of);
}

static int tell_table(const info *of, int count)
{
    kiln_bins_view view;
    kiln_format_error error;
    if (!kiln_bins_view_open(&view, &of->reader, false, &error)) {
        return report_format_error(of->path, error.code, error.text);
    }
    if (report_is_json()) {
        report_file(table_json(of, &view), count);
    } else {
        print_table(of, &view);
    }
    return EXIT_DONE;
}

/* ---------------------------------------------------------------------------------- of weights -- */

static int tell_weights(const info *of, int count)
{
    kiln_weights_view view;
    kiln_format_error error;
    if (!kiln_weights_file_open(&view, &of->reader, &error)) {
        return report_format_error(of->path, error.code, error.text);
    }
    if (report_is_json()) {
        json_t *object = file_json(of);
        json_object_set_new(object, "weights", weights_json(&view));
        json_object_set_new(object, "sections", sections_json(of));
        report_file(object, count);
    } else {
        print_head(of, "weights of time-critical queries");
        print_weights(&view);
        print_sections(of);
    }
    return EXIT_DONE;
}

/* ---------------------------------------------------------------------------------------- run -- */

static json_t *failure_json(const char *path, int status)
{
    json_t *object = json_object();
    json_object_set_new(object, "file", json_cstring(path));
    json_object_set_new(object, "status", json_integer(status));
    return object;
}

static int open_and_tell(const char *path, int count, bool all_trees, const void *data, size_t size)
{
    info of = {.path = path, .size = size, .all_trees = all_trees};
    kiln_format_error error;
    if (!kiln_reader_open(&of.reader, data, size, NULL, &error)) {
        return report_format_error(path, error.code, error.text);
    }
    int status;
    if (kiln_bins_is_table(&of.reader)) {
        status = tell_table(&of, count);
    } else if (kiln_weights_is_file(&of.reader)) {
        status = tell_weights(&of, count);
    } else {
        status = kiln_view_open(&of.view, &of.reader, false, &error)
                     ? tell(&of, count)
                     : report_format_error(path, error.code, error.text);
    }
    kiln_reader_close(&of.reader);
    return status;
}

static int info_one(const char *path, int count, bool all_trees)
{
    void *data = NULL;
    size_t size = 0;
    int status = load_file(path, &data, &size);
    if (status == EXIT_DONE) {
        status = open_and_tell(path, count, all_trees, data, size);
    }
    if (status != EXIT_DONE && report_is_json()) {
        report_file(failure_json(path, status), count);
    }
    free(data);
    return status;
}

static int run_info(int argc, char **argv)
{
    info_settings settings = {false, false};
    int count;
    int worst = options_parse(&verb_info, argc, argv, &settings, &count);
    if (worst != EXIT_DONE) {
        return worst;
    }
    for (int i = 0; i < count; i++) {
        const int status = info_one(argv[i], count, settings.all);
        worst = status > worst ? status : worst;
    }
    return worst;
}

const verb verb_info = {
    "info",
    "FILE...",
    "tell what is in kiln files",
    "Faces, bounds, area, signed volume (sums in double), what was left out at the bake, trees "
    "with their nodes and bytes, sections, within the columns of the terminal (or of COLUMNS; 80 "
    "into "
    "a pipe); names that are too long are cut. With --json also hashes, materials and the document "
    "that the "
    "bake left about itself. Of a table of filled bins: its profile, limits, values and errors. "
    "The "
    "file is verified as when it is opened; kiln verify checks more.",
    info_options,
    COUNT_OF(info_options),
    1,
    -1,
    run_info,
};
