/* kiln info: what is in a file.
 *
 * A file is opened as any of the three kinds that there are (contents.h): a model, a table of
 * filled bins or weights of counted queries. Each kind has one function that reports it,
 * as a document for programs or as lines for people; the pieces that kinds share (head, weights,
 * sections) are functions. Sizes and costs of trees, and the extent of the model, are computed
 * from the decoded file and not taken from its meta document, which a file may lack.
 *
 * Numbers for people have commas and few digits, those for programs are exact; a table for
 * people fits the terminal, and names are cut rather than lines broken. */
#include "../kit/columns.h"
#include "../kit/files.h"
#include "../kit/options.h"
#include "../kit/report.h"
#include "axis_set.h"
#include "table.h"
#include "contents.h"
#include "costs.h"
#include "info_table.h"
#include "verbs.h"

#include "../../../formats/assert.h"
#include "../../common/soup.h"
#include "../../encode/container.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A model split by parts has thousands of trees, and a screen has some fifty lines. */
enum { TREES_FOR_PEOPLE = 20 };

typedef struct {
    bool all, costs, levels, json;
    int format; /* table_format */
} info_settings;

static const option info_options[] = {
    {"all", 'a', OPTION_FLAG, NULL, NULL, 0, 0, offsetof(info_settings, all),
     "list all trees, not only the 20 largest"},
    {"costs", 0, OPTION_FLAG, NULL, NULL, 0, 0, offsetof(info_settings, costs),
     "measure what boolean queries of each tree against a copy of itself cost, by counts and unit "
     "costs, and its memory"},
    {"levels", 0, OPTION_FLAG, NULL, NULL, 0, 0, offsetof(info_settings, levels),
     "with --costs: also how large the volumes of each level are, and how much they overlap (in "
     "the JSON document always)"},
    {"format", 0, OPTION_CHOICE, NULL, "text|csv|md", 0, 0, offsetof(info_settings, format),
     "text: a page about one file, and a table of several; csv, md: a table as CSV or Markdown, of "
     "one file too (default text)"},
    OPTION_JSON(info_settings),
};

typedef struct {
    /* It is open while the file is reported; run_info opens and closes it. */
    contents file;
    bool all_trees;          /* list all of them for people */
    kiln_mesh_extent extent; /* of a model with polygons */
    tree_sizes *trees;       /* of a model: one for each tree */
    tree_costs *costs;       /* the same; NULL: they were not asked for */
    bool levels;             /* print what costs say of levels */
} info;

/* A count that the bake left in its meta document, or 0. */
static uint64_t meta_count(const info *of, const char *name)
{
    const json_t *counts = json_object_get(of->file.meta, "counts");
    return (uint64_t)json_integer_value(json_object_get(counts, name));
}

/* How a section was made smaller: "raw", or the transform before the compressor. */
static const char *transform_name(const kiln_format_section *entry)
{
    KILN_ASSERT(entry->codec == KILN_CODEC_RAW || entry->transform < KILN_TRANSFORM_COUNT);
    static const char *const names[KILN_TRANSFORM_COUNT] = {
        "none", "planes", "delta planes", "curve planes 16", "curve planes 32", "lanes", "edges"};
    return entry->codec == KILN_CODEC_RAW ? "raw" : names[entry->transform];
}

/* ------------------------------------------------------------------------------ for programs -- */

/* Lower case, two digits a byte. */
static json_t *hex_json(const uint8_t *bytes, size_t size)
{
    char text[65];
    KILN_ASSERT(size <= 32);
    for (size_t i = 0; i < size; i++) {
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    }
    return json_cstring(text);
}

/* Names of the ways to count, by the values of kiln_format_adb; 0 is none. */
static const char *const area_names[] = {"", "mean", "max"};
static const char *const polygon_names[] = {"", "subtree", "box"};
static const char *const region_names[] = {"", "none", "octants", "sectors"};

static const char *const closed_names[] = {"no", "even", "oriented"}; /* by KILN_CLOSED_... */

/* Whether all trees are closed: KILN_CLOSED_..., the least of any. */
static uint32_t closed_of_file(const info *of)
{
    uint32_t closed = KILN_CLOSED_ORIENTED;
    for (uint32_t i = 0; i < of->file.view.tree_count; i++) {
        const uint32_t of_tree = of->file.view.trees[i].closed;
        closed = of_tree < closed ? of_tree : closed;
    }
    return of->file.view.tree_count > 0 ? closed : KILN_CLOSED_NOT;
}

/* An element for each tree, in the order of the file. */
static json_t *trees_json(const info *of)
{
    json_t *array = json_array();
    KILN_ASSERT(of->trees != NULL);
    for (uint32_t i = 0; i < of->file.view.tree_count; i++) {
        const kiln_format_tree *entry = &of->file.view.trees[i];
        json_t *object = json_object();
        json_object_set_new(object, "name", json_cstring(of->file.view.strings + entry->name));
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
        const kiln_format_adb *adb = kiln_view_get_tree(&of->file.view, i).adb;
        if (adb != NULL) { /* the tree has counts of possible collision cells */
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
        if (of->costs != NULL) {
            json_object_set_new(object, "costs", tree_costs_json(&of->costs[i]));
        }
        json_array_append_new(array, object);
    }
    return array;
}

/* An element for each section, as the container's table has them. */
static json_t *sections_json(const info *of)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < of->file.reader.section_count; i++) {
        const kiln_format_section *entry = &of->file.reader.sections[i].entry;
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

/* Rows of a newer version are listed without numbers, whose meaning is not known here. */
static json_t *weights_json(const kiln_weights_view *view)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < view->count; i++) {
        const kiln_format_adb_weights *row = &view->rows[i];
        json_t *object = json_object(), *numbers = json_null();
        if (kiln_weights_are_known(row)) {
            numbers = json_array();
            for (unsigned k = 0; k < kiln_weights_numbers(row); k++) {
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

/* The members that a document has about every file. */
static json_t *file_json(const info *of)
{
    const kiln_format_header *header = &of->file.reader.header;
    char version[16];
    snprintf(version, sizeof version, "%u.%u", header->version_major, header->version_minor);
    json_t *object = json_object();
    json_object_set_new(object, "file", json_cstring(of->file.path));
    json_object_set_new(object, "status", json_integer(EXIT_DONE));
    json_object_set_new(object, "format", json_cstring(version));
    json_object_set_new(object, "layout",
                        json_cstring(reader_is_packed(&of->file.reader) ? "packed" : "raw"));
    json_object_set_new(object, "bytes", json_count(of->file.size));
    json_object_set_new(object, "content_hash", hex_json(header->content_hash, 16));
    json_object_set_new(object, "build_key", hex_json(header->build_key, 16));
    return object;
}

static json_t *heights_json(const kiln_format_heights *grid)
{
    static const char *const diagonals[] = {"rising", "falling", "alternate"};
    char axes[4] = "";
    json_t *object = json_object();
    for (unsigned k = 0; k < 3; k++) {
        axes[k] = "xyz"[grid->axis[k]];
    }
    json_object_set_new(object, "columns", json_count(grid->columns));
    json_object_set_new(object, "rows", json_count(grid->rows));
    json_object_set_new(object, "origin", json_numbers(grid->origin, 3));
    json_object_set_new(object, "step", json_numbers(grid->step, 3));
    json_object_set_new(object, "axes", json_string(axes));
    json_object_set_new(object, "hole",
                        grid->hole == KILN_HEIGHTS_NO_HOLE ? json_null() : json_count(grid->hole));
    json_object_set_new(object, "diagonal", json_string(diagonals[grid->diagonal]));
    return object;
}

/* Members of all kinds of file come first, then those of a model. */
static json_t *info_json(const info *of)
{
    const kiln_view *view = &of->file.view;
    uint64_t shares[KILN_SHARE_COUNT];
    json_t *object = file_json(of), *of_each = json_object();
    json_t *bounds = json_numbers(of->extent.lower, 3), *upper = json_numbers(of->extent.upper, 3);
    json_t *materials = json_array();
    kiln_shares(&of->file.reader, shares);
    for (kiln_share i = 0; i < KILN_SHARE_COUNT; i++) {
        json_object_set_new(of_each, kiln_share_name(i),
                            json_number((double)shares[i] / (double)kiln_view_faces(view)));
    }
    json_array_extend(bounds, upper); /* six numbers in a row */
    json_decref(upper);
    for (uint32_t i = 0; i < view->material_count; i++) {
        json_array_append_new(materials, json_cstring(view->strings + view->materials[i]));
    }
    json_object_set_new(
        object, "bytes_per_triangle",
        json_number((double)of->file.size / (double)kiln_view_faces(&of->file.view)));
    json_object_set_new(object, "bytes_per_triangle_of", of_each);
    json_object_set_new(
        object, "faces",
        json_count(view->triangles != NULL ? kiln_view_faces(view) : of->extent.triangles));
    json_object_set_new(object, "vertices", json_count(of->file.view.vertex_count));
    json_object_set_new(object, "bounds", bounds);
    json_object_set_new(object, "area", json_number(of->extent.area));
    json_object_set_new(object, "signed_volume", json_number(of->extent.signed_volume));
    json_object_set_new(object, "closed", json_string(closed_names[closed_of_file(of)]));
    if (view->points) {
        json_object_set_new(object, "points", json_true());
    }
    json_object_set_new(object, "points_left_out", json_count(meta_count(of, "points_left_out")));
    json_object_set_new(object, "lines_left_out", json_count(meta_count(of, "lines_left_out")));
    json_object_set_new(object, "parts", json_count(of->file.view.part_count));
    json_object_set_new(object, "materials", materials);
    json_object_set_new(object, "trees", trees_json(of));
    json_object_set_new(object, "sections", sections_json(of));
    if (view->heights != NULL) {
        json_object_set_new(object, "height_field", heights_json(view->heights->grid));
    }
    if (of->file.view.weights.count > 0) {
        json_object_set_new(object, "weights", weights_json(&of->file.view.weights));
    }
    json_object_set(object, "meta", of->file.meta != NULL ? of->file.meta : json_null());
    return object;
}

/* -------------------------------------------------------------------------------- for people -- */

/* A volume is that of what a closed mesh encloses. The sum over the faces of an open one depends on
 * where its origin is. */
static void print_closed(const info *of)
{
    static const char *const texts[] = {
        "no: some edges have no second face",
        "even: each edge has an even number of faces, and some wind against each other",
        "yes: each edge is used as often one way as the other"};
    const uint32_t closed = closed_of_file(of);
    char text[80];

    if (of->file.view.points) {
        columns_item(stdout, "points",
                     "yes: each triangle is a point, whose corners are one vertex");
        return;
    }
    columns_item(stdout, "closed", texts[closed]);
    snprintf(text, sizeof text, closed == KILN_CLOSED_ORIENTED ? "%.9g" : "none (a sum of %.9g)",
             of->extent.signed_volume);
    columns_item(stdout, "signed volume", text);
}

/* "3 to 7, 9": the first runs of numbers of an element of the list of dropped faces. */
static void faces_text(const json_t *faces, char *text, size_t size)
{
    const size_t count = json_array_size(faces) / 2;
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < count && used + 60 < size; i++) {
        const json_int_t first = json_integer_value(json_array_get(faces, 2 * i));
        const json_int_t last = json_integer_value(json_array_get(faces, 2 * i + 1));

        used += (size_t)snprintf(text + used, size - used, "%s%lld", used > 0 ? ", " : "",
                                 (long long)first);
        if (last != first) {
            used += (size_t)snprintf(text + used, size - used, " to %lld", (long long)last);
        }
        if (i + 1 < count && used + 60 >= size) {
            (void)snprintf(text + used, size - used, " and more");
        }
    }
}

/* What the importer left out, and what is in the file though it has no area or is there twice. The
 * document for programs has all of the list. */
static void print_left_out(const info *of)
{
    enum { LINES_MOST = 10 };
    const json_t *dropped = json_object_get(of->file.meta, "dropped");
    const unsigned long long points = meta_count(of, "points_left_out"),
                             lines = meta_count(of, "lines_left_out"),
                             faces = meta_count(of, "faces_dropped"),
                             flat = meta_count(of, "degenerate"),
                             twice = meta_count(of, "duplicate");
    char text[200], line[640];

    snprintf(text, sizeof text, "%llu face%s, %llu point%s, %llu line%s", faces,
             faces == 1 ? "" : "s", points, points == 1 ? "" : "s", lines, lines == 1 ? "" : "s");
    columns_item(stdout, "left out", text);
    for (size_t i = 0; i < json_array_size(dropped); i++) {
        const json_t *of_node = json_array_get(dropped, i);
        const char *node = json_string_value(json_object_get(of_node, "node"));
        const char *reason = json_string_value(json_object_get(of_node, "reason"));

        if (i == LINES_MOST) {
            columns_item(stdout, "", "and more (kiln info --json lists all)");
            break;
        }
        faces_text(json_object_get(of_node, "faces"), text, sizeof text);
        snprintf(line, sizeof line, "node \"%.300s\", face %s: %s", node != NULL ? node : "?", text,
                 reason != NULL ? reason : "?");
        columns_item(stdout, "", line);
    }
    if (flat > 0 || twice > 0) {
        snprintf(text, sizeof text, "%llu face%s without area, %llu that another covers", flat,
                 flat == 1 ? "" : "s", twice);
        columns_item(stdout, "kept", text);
    }
}

static const char *tree_name(const info *of, uint32_t tree)
{
    return of->file.view.strings + of->file.view.trees[tree].name;
}

typedef struct {
    int name, triangles, nodes, depth, raw, packed; /* columns */
} tree_columns;

/* One line of the table; numbers are aligned by the columns that print_trees() chose. */
static void print_tree(const info *of, uint32_t tree, const tree_columns *c)
{
    const kiln_format_tree *entry = &of->file.view.trees[tree];
    char digits[4][32];
    printf("  ");
    columns_print_path(tree_name(of, tree), c->name);
    printf("  %-5s%*s  %*s  %*u  %*s  %*s\n", kiln_node_kind_find(entry->bv)->name, c->triangles,
           columns_count(entry->triangle_count, digits[0]), c->nodes,
           columns_count(entry->node_count, digits[1]), c->depth, entry->depth, c->raw,
           columns_count(of->trees[tree].bytes_raw, digits[2]), c->packed,
           columns_count(of->trees[tree].bytes_packed, digits[3]));
}

/* A tree with its rank by triangles, so that sorting moves 8 bytes and not a whole entry. */
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

/* Prints a table of all trees, or, where these are many, of the largest. */
static void print_trees(const info *of)
{
    /* Columns are as wide as their widest number; names get what is left of the line, if they need
     * it. */
    const uint32_t count = of->file.view.tree_count;
    uint64_t triangles = 0, nodes = 0, raw = 0, packed = 0;
    int name = 0;
    for (uint32_t i = 0; i < count; i++) {
        const kiln_format_tree *entry = &of->file.view.trees[i];
        triangles = entry->triangle_count > triangles ? entry->triangle_count : triangles;
        nodes = entry->node_count > nodes ? entry->node_count : nodes;
        raw = of->trees[i].bytes_raw > raw ? of->trees[i].bytes_raw : raw;
        packed = of->trees[i].bytes_packed > packed ? of->trees[i].bytes_packed : packed;
        const int length = (int)strlen(tree_name(of, i));
        name = length > name ? length : name;
    }
    /* Counts are printed with commas, which columns_for() includes. */
    tree_columns c = {.triangles = columns_for("triangles", triangles),
                      .nodes = columns_for("nodes", nodes),
                      .depth = columns_for("depth", 0),
                      .raw = columns_for("bytes raw", raw),
                      .packed = columns_for("packed", packed)};
    /* Two blanks at the start, "bv" in five columns with two after it, and two between numbers. */
    const int left =
        columns_of_output() - 2 - 7 - c.triangles - c.nodes - c.depth - c.raw - c.packed - 8;
    c.name = name < left ? name : left;
    c.name = c.name < 12 ? 12 : c.name;
    KILN_ASSERT(c.name >= 12);
    printf("  %-*s  %-5s%*s  %*s  %*s  %*s  %*s\n", c.name, "tree", "bv", c.triangles, "triangles",
           c.nodes, "nodes", c.depth, "depth", c.raw, "bytes raw", c.packed, "packed");
    if (count <= TREES_FOR_PEOPLE || of->all_trees) {
        for (uint32_t i = 0; i < count; i++) {
            print_tree(of, i, &c);
        }
        return;
    }
    ranked_tree *ranked = malloc(count * sizeof *ranked);
    if (ranked == NULL) { /* the rest of the report is worth more than an error */
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        ranked[i] = (ranked_tree){of->file.view.trees[i].triangle_count, i};
    }
    qsort(ranked, count, sizeof *ranked, compare_ranked);
    for (uint32_t i = 0; i < TREES_FOR_PEOPLE; i++) {
        print_tree(of, ranked[i].tree, &c);
    }
    free(ranked);
    printf("  and %u smaller trees; --all lists them\n", count - TREES_FOR_PEOPLE);
}

/* Prints rows of weights, six numbers a line, in the order of `kiln calibrate` and hierarchy.md. */
static void print_weights(const kiln_weights_view *view)
{
    for (uint32_t i = 0; i < view->count; i++) {
        const kiln_format_adb_weights *row = &view->rows[i];
        printf("  weights        for %s, leaves of at most %u:", kiln_node_kind_find(row->bv)->name,
               row->leaf_max);
        if (!kiln_weights_are_known(row)) {
            printf(" of another version, not used");
        }
        for (unsigned k = 0; k < kiln_weights_numbers(row); k++) {
            printf("%s%8.4f", k % 6 == 0 ? "\n                " : " ", (double)row->weight[k]);
        }
        putchar('\n');
    }
}

/* Stored and raw bytes of each section; both are the same in a raw file. */
static void print_sections(const info *of)
{
    char digits[2][32];
    printf("  %-20s  %-15s  %12s  %12s\n", "section", "packed by", "bytes stored", "bytes raw");
    for (uint32_t i = 0; i < of->file.reader.section_count; i++) {
        const kiln_format_section *entry = &of->file.reader.sections[i].entry;
        printf("  %-20s  %-15s  %12s  %12s\n", section_name(entry), transform_name(entry),
               columns_count(entry->stored_size, digits[0]),
               columns_count(entry->raw_size, digits[1]));
    }
}

/* Prints the first line about a file of any kind. */
static void print_head(const info *of, const char *what)
{
    char digits[32];
    printf("%s: kiln format %u.%u, %s, %s bytes, %s\n", of->file.path,
           of->file.reader.header.version_major, of->file.reader.header.version_minor,
           reader_is_packed(&of->file.reader) ? "packed" : "raw",
           columns_count(of->file.size, digits), what);
}

/* From what most readers want to what few do: sizes, geometry, trees, counts, weights, sections. */
static void print_info(const info *of)
{
    const kiln_mesh_extent *extent = &of->extent;
    const json_t *counts = json_object_get(of->file.meta, "counts");
    const double step = json_real_value(json_object_get(counts, "lossy_step"));
    const double unit =
        json_number_value(json_object_get(json_object_get(of->file.meta, "source"), "unit_metres"));
    uint64_t shares[KILN_SHARE_COUNT];
    char digits[2][32], each[48], text[512] = "";
    size_t used = 0;
    snprintf(each, sizeof each, "%.2f a triangle",
             (double)of->file.size / (double)kiln_view_faces(&of->file.view));
    print_head(of, each);
    printf("  faces          %s, of %s vertices, in %u part%s\n",
           columns_count(kiln_view_faces(&of->file.view), digits[0]),
           columns_count(of->file.view.vertex_count, digits[1]), of->file.view.part_count,
           of->file.view.part_count == 1 ? "" : "s");
    /* "NAME 11.90, NAME 7.02": only those that the file has. */
    kiln_shares(&of->file.reader, shares);
    for (kiln_share i = 0; i < KILN_SHARE_COUNT; i++) {
        if (shares[i] > 0) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %.2f",
                                     used > 0 ? ", " : "", kiln_share_name(i),
                                     (double)shares[i] / (double)kiln_view_faces(&of->file.view));
        }
    }
    KILN_ASSERT(used < sizeof text);
    columns_item(stdout, "a triangle", text);
    if (of->file.view.heights != NULL) {
        const kiln_format_heights *grid = of->file.view.heights->grid;
        const uint64_t quads = (uint64_t)of->file.view.triangle_count / 2;
        snprintf(text, sizeof text,
                 "%" PRIu32 " x %" PRIu32 " samples, %.9g x %.9g apart, steps of %.9g; %llu of "
                 "%llu quads at holes",
                 grid->columns, grid->rows, fabs(grid->step[0]), fabs(grid->step[1]),
                 fabs(grid->step[2]),
                 (unsigned long long)(quads - kiln_view_faces(&of->file.view) / 2),
                 (unsigned long long)quads);
        columns_item(stdout, "height field", text);
    }
    /* All of it is computed from the polygons, but for the counts that the bake has left. */
    if (of->file.view.triangles == NULL) {
        printf("  baked without polygons: bounds, area and volume are not known\n");
    } else {
        snprintf(text, sizeof text, "%.9g %.9g %.9g .. %.9g %.9g %.9g", extent->lower[0],
                 extent->lower[1], extent->lower[2], extent->upper[0], extent->upper[1],
                 extent->upper[2]);
        columns_item(stdout, "bounds", text);
        if (unit > 0)
            printf("  unit           %g m in the source\n", unit);
        printf("  area           %.9g\n", extent->area);
        print_closed(of);
        print_left_out(of);
    }
    if (of->file.view.triangles != NULL && step > 0) { /* the bake moved vertices to a grid */
        snprintf(text, sizeof text,
                 "vertices moved to a grid of step %g, by at most %g; %llu faces lost their area",
                 step, json_real_value(json_object_get(counts, "lossy_moved")),
                 (unsigned long long)meta_count(of, "lossy_degenerate"));
        columns_item(stdout, "lossy", text);
    }
    print_trees(of);

    /* How cells were counted, and what a box takes with its node. Boxes are the nodes of Klein and
     * Zachmann ("ADB-Trees", 2003), whose Table 1 has 36 bytes for each. A bake counts alike for
     * all trees of a file, so the first header says it. */
    const kiln_format_adb *how = of->file.view.adb;
    double bytes = 0.0, boxes = 0.0;
    for (uint32_t i = 0; i < of->file.view.tree_count; i++) {
        const kiln_view_tree tree = kiln_view_get_tree(&of->file.view, i);
        if (tree.adb != NULL) {
            bytes += (double)tree.entry->node_count * tree.kind->node_size +
                     (double)tree.adb->box_count * sizeof(kiln_format_adb_box);
            boxes += tree.adb->box_count;
        }
    }
    if (how != NULL && boxes > 0.0) {
        snprintf(
            text, sizeof text,
            "cells %u^3, %s, %s section x %g, polygons of the %s, %.1f bytes a box with its node",
            how->grid, region_names[how->regions], area_names[how->area], how->factor,
            polygon_names[how->polygons], bytes / boxes);
        columns_item(stdout, "counts", text);
    }
    print_weights(&of->file.view.weights);
    print_sections(of);
    if (of->costs != NULL) {
        snprintf(text, sizeof text, "of a tree against its copy at %zu poses; at %zu they meet",
                 of->costs[0].poses, of->costs[0].hits);
        columns_item(stdout, "costs", text);
        tree_costs_print(of->costs, of->file.view.tree_count, of->levels);
    }
}

/* ------------------------------------------------------------------------------ of each kind -- */

/* Opens the bytes a second time, as a program does, and measures all trees. */
static int measure_costs(info *of)
{
    enum { ROUNDS = 5 };
    kiln_open_options options = kiln_open_options_default();
    kiln_file *file = NULL;
    kiln_error error = {0};
    options.error = &error;
    kiln_status status = kiln_open_memory(of->file.data, of->file.size, &options, &file);
    of->costs = calloc((size_t)of->file.view.tree_count + 1, sizeof *of->costs);
    if (status == KILN_OK && of->costs == NULL) {
        status = KILN_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i < of->file.view.tree_count && status == KILN_OK; i++) {
        status = tree_costs_measure(&of->file.view, i, kiln_file_tree(file, i), COSTS_DRAWS, ROUNDS,
                                    &of->costs[i]);
    }
    kiln_close(file);
    if (status == KILN_ERROR_NOT_LOADED) {
        return report_error(EXIT_INVALID, of->file.path,
                            "--costs has nothing to measure; it was baked without polygons; bake "
                            "it again without --no-geometry");
    }
    return status == KILN_OK ? EXIT_DONE
                             : report_format_error(of->file.path, (int)status, error.message);
}

/* What a document or a page needs besides the decoded file is computed here: sizes, costs,
 * extent. */
static int report_model(info *of, const info_settings *settings, int count)
{
    const kiln_view *view = &of->file.view;
    int status = settings->costs ? measure_costs(of) : EXIT_DONE;
    if (status != EXIT_DONE) {
        goto done;
    }
    of->trees = tree_sizes_of(view);
    if (of->trees == NULL) {
        status = report_format_error(of->file.path, KILN_FORMAT_ERROR_MEMORY, "");
        goto done;
    }
    if (view->triangles != NULL) {
        kiln_extent_of(view->vertices, view->triangles, view->triangle_count, &of->extent);
    }
    if (report_is_json()) {
        report_file(info_json(of), count);
    } else {
        print_info(of);
    }
done:
    free(of->trees);
    free(of->costs);
    return status;
}

/* The header of a table says all: its values are not read. */
static void report_table(const info *of, int count)
{
    const kiln_bins_view *view = &of->file.table;
    const kiln_format_bins *header = view->header;
    if (report_is_json()) {
        json_t *object = file_json(of);
        table_describe(header, object);
        if (view->weights.count > 0) {
            json_object_set_new(object, "weights", weights_json(&view->weights));
        }
        json_object_set_new(object, "sections", sections_json(of));
        report_file(object, count);
        return;
    }
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

/* An axis set: what it covers, and how finely its zones are known. */
static void report_axes(const info *of, int count)
{
    const kiln_format_axes *header = of->file.axes.header;
    if (report_is_json()) {
        json_t *object = file_json(of);
        axis_set_describe(header, object);
        json_object_set_new(object, "sections", sections_json(of));
        report_file(object, count);
        return;
    }
    print_head(of, "a set of axes");
    printf("  axes           %u, of %u points, %s\n", header->count, header->points,
           axis_set_kind_name(header));
    printf("  radius         %.7f degrees\n", axis_set_degrees(header->radius));
    if (header->zone_cells > 0) {
        printf("  zones          at %.7f degrees, 3 x %u x %u cells\n",
               axis_set_zone_degrees(header), header->zone_cells, header->zone_cells);
    }
    print_sections(of);
}

/* A file of weights holds nothing else. */
static void report_weights(const info *of, int count)
{
    if (report_is_json()) {
        json_t *object = file_json(of);
        json_object_set_new(object, "weights", weights_json(&of->file.weights));
        json_object_set_new(object, "sections", sections_json(of));
        report_file(object, count);
        return;
    }
    print_head(of, "weights of counted queries");
    print_weights(&of->file.weights);
    print_sections(of);
}

/* Adds a file to the table, with what is wrong where it can't be opened, without its name, which
 * the row has. Returns the status of the file. */
static int add_to_table(info_table *table, const char *path)
{
    contents of;
    int status = contents_open(&of, path);
    bool room;
    if (status == EXIT_DONE) {
        room = info_table_add(table, &of);
        contents_close(&of);
    } else {
        const char *error = report_last_error();
        const size_t length = strlen(path);
        if (strncmp(error, path, length) == 0 && strncmp(error + length, ": ", 2) == 0) {
            error += length + 2;
        }
        room = info_table_add_failed(table, path, status, error);
    }
    return room ? status : report_error(EXIT_RUN, path, "out of memory; name fewer files");
}

static int run_table(int count, char **argv, table_format format)
{
    info_table table = {NULL, 0, 0};
    int worst = EXIT_DONE;
    for (int i = 0; i < count; i++) {
        const int status = add_to_table(&table, argv[i]);
        worst = status > worst ? status : worst;
    }
    info_table_print(&table, format);
    info_table_free(&table);
    return worst;
}

/* Each file is reported, also after one that failed; the worst status counts. */
static int run_info(int argc, char **argv)
{
    info_settings settings = {.all = false};
    int count;
    int worst = options_parse(&verb_info, argc, argv, &settings, &count);
    if (worst != EXIT_DONE) {
        return worst;
    }
    if (settings.levels && !settings.costs) {
        return report_usage("--levels is a part of --costs");
    }
    const bool pages = settings.all || settings.costs;
    if (settings.format != TABLE_TEXT && (pages || settings.json)) {
        return report_usage("--format csv and md are tables; --json, --all and --costs say more of "
                            "each file; leave one of them out");
    }
    if (settings.format != TABLE_TEXT || (count > 1 && !pages && !settings.json)) {
        return run_table(count, argv, (table_format)settings.format);
    }
    for (int i = 0; i < count; i++) {
        info of = {.all_trees = settings.all, .levels = settings.levels};
        /* The file is verified as when a program opens it: what is printed is safe to read. */
        int status = contents_open(&of.file, argv[i]);
        const bool is_open = status == EXIT_DONE;
        if (is_open && of.file.kind == CONTENTS_MODEL) {
            status = report_model(&of, &settings, count);
        } else if (is_open && settings.costs) {
            status = report_error(EXIT_INVALID, argv[i],
                                  "--costs has nothing to measure; there is no tree in it; leave "
                                  "--costs out");
        } else if (is_open && of.file.kind == CONTENTS_TABLE) {
            report_table(&of, count);
        } else if (is_open && of.file.kind == CONTENTS_AXES) {
            report_axes(&of, count);
        } else if (is_open) {
            KILN_ASSERT(of.file.kind == CONTENTS_WEIGHTS);
            report_weights(&of, count);
        }
        if (is_open) {
            contents_close(&of.file);
        }
        /* A file that can't be reported has an element in the document as well. */
        if (status != EXIT_DONE && report_is_json()) {
            json_t *object = json_object();
            json_object_set_new(object, "file", json_cstring(argv[i]));
            json_object_set_new(object, "status", json_integer(status));
            report_file(object, count);
        }
        worst = status > worst ? status : worst;
    }
    return worst;
}

const verb verb_info = {
    "info",
    "FILE...",
    "print what kiln files contain",
    "Prints faces, bounds, the unit that the source declares, area, signed volume (sums in "
    "double), what the bake left out, trees with their nodes and bytes, and sections, within the "
    "columns of the terminal (or of COLUMNS; 80 into a pipe); names that are too long are cut. "
    "With --json also hashes, materials and the document that the bake wrote about itself. For a "
    "table of filled bins: its profile, limits, values and errors; for an axis set: its size, "
    "covering "
    "radius and zones. The file is verified as when "
    "it is opened; kiln verify checks more.\n\n"
    "Of several files it prints one table, unless --all or --costs ask for pages: triangles, kinds "
    "of trees, bytes of the file a triangle, whether it is closed, faces that the bake dropped, "
    "faces without area (flat) and such that another covers (twice), which are kept, parts, and "
    "the version and layout of the file. A file that can't be opened is a row with its exit "
    "status and its error, which is also on standard error. CSV and Markdown have more columns, "
    "among them bytes and the format of the source; cells that a file has nothing for are empty. "
    "With --json the document has an array files, with an object for each.\n\n"

    "--costs takes two copies of each tree at about 250 poses, by Zachmann's procedure (distances "
    "of 0.4 to 2.1 of half the longest side, less those at which the boxes are apart), and prints "
    "the means of a boolean query: nodes opened (Nu), pairs of volumes tested (Nv), pairs of "
    "triangles (Np), which are the same in every run and on every machine, and nanoseconds of each "
    "on this machine: Cu by decoding nodes alone; Cv, Cp and what every query takes (C) by a fit "
    "without negative numbers to the times of all queries. 'off' is how far F is from the clock "
    "in the mean; where it is large, the sum does not explain the times. M is the memory of a raw "
    "file's nodes (Ni of Si bytes) and of the orders of leaves (Nl of Sl bytes).",
    info_options,
    COUNT_OF(info_options),
    1,
    -1,
    run_info,
};
