/* kiln verify: is a file whole, does every box contain its triangles, and is the model the
 * source's?
 *
 * Three checks follow one another. The audit (tools/encode/audit.h) opens the file in full and
 * computes in double what the format only promises: containment of every triangle in every box
 * above it, and counts of collision cells. A table of filled bins is sampled with exact arithmetic.
 * With --source the model is imported once more, by the options in the file's own meta document,
 * and compared exactly: sizes and parts first, because ids mean the same triangles only where these
 * agree, then triangle by triangle through the permutation that the bake stored. The first
 * difference is named, and the rest are counted. */
#include "contents.h"
#include "../kit/files.h"
#include "../kit/options.h"
#include "../kit/report.h"
#include "axis_set.h"
#include "table.h"
#include "verbs.h"

#include "../../../formats/assert.h"
#include "../../common/soup.h"
#include "../../bake/height_grid.h"
#include "../../encode/audit.h"
#include "../../import/grid.h"
#include "../../import/import.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Values of a table that are computed anew, with exact arithmetic; kiln lut check computes all. */
enum { TABLE_SAMPLE = 20000 };

typedef struct {
    const char *source, *importer, *side_files;
    int import_memory, reader; /* kiln_reader_choice */
    double import_seconds;
    bool full, quiet, json;
} verify_settings;

static const option verify_options[] = {
    {"source", 0, OPTION_TEXT, "MODEL", NULL, 0, 0, offsetof(verify_settings, source),
     "import MODEL with the options that a file was baked with, and compare every triangle"},
    {"reader", 0, OPTION_CHOICE, NULL, "usual|own|assimp", 0, 0, offsetof(verify_settings, reader),
     "import MODEL by kiln's own reader or by Assimp, for a second opinion (default usual)"},
    {"import-memory", 0, OPTION_INTEGER, "MIB", NULL, 0, 1048576,
     offsetof(verify_settings, import_memory), "as for kiln bake (default 1792)"},
    {"import-seconds", 0, OPTION_REAL, "S", NULL, 0, 1e6, offsetof(verify_settings, import_seconds),
     "as for kiln bake (default 50)"},
    {"side-files", 0, OPTION_TEXT, "LIST", NULL, 0, 0, offsetof(verify_settings, side_files),
     "folders of files that MODEL refers to, as for kiln bake"},
    {"importer", 0, OPTION_TEXT, "DIR", NULL, 0, 0, offsetof(verify_settings, importer),
     "as for kiln bake"},
    {"full", 0, OPTION_FLAG, NULL, NULL, 0, 0, offsetof(verify_settings, full),
     "count the possible collision cells of every box again, not only of a sample"},
    {"quiet", 'q', OPTION_FLAG, NULL, NULL, 0, 0, offsetof(verify_settings, quiet),
     "print only errors"},
    OPTION_JSON(verify_settings),
};

/* How a file compares with a fresh import of its source. */
typedef struct {
    uint64_t triangles; /* of the import */
    uint64_t
        differing;   /* triangles, of as many as both have, with other corners, face or material */
    bool same_bytes; /* the source and its side files hash as the file says */
    char first[512]; /* what is wrong first: "" nothing */
} source_verdict;

/* ----------------------------------------------------------------------------------- options -- */

/* The text of a member, or "" where there is none. */
static const char *text_member(json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text != NULL ? text : "";
}

/* The format under which the source was read, unless the extension of its name says the same
 * (NULL). */
static const char *format_of(json_t *meta, const char *source)
{
    const char *format = text_member(json_object_get(meta, "source"), "format");
    const char *slash = strrchr(source, '/');
    const char *dot = strrchr(slash != NULL ? slash : source, '.');
    size_t i = 0;
    while (dot != NULL && format[i] != '\0' && (dot[1 + i] | 0x20) == format[i]) {
        i++;
    }
    const bool same = dot != NULL && format[i] == '\0' && dot[1 + i] == '\0';
    return format[0] == '\0' || same ? NULL : format;
}

/* --------------------------------------------------------------------------------- comparing -- */

/* A file and the fresh import of its source, side by side. */
typedef struct {
    const kiln_view *view;
    const kiln_soup *soup;
    const char *source;
    source_verdict *verdict;
} comparison;

/* Keeps the text of the first difference. */
static void differs(const comparison *c, const char *format, ...) PRINTF_LIKE(2, 3);
static void differs(const comparison *c, const char *format, ...)
{
    if (c->verdict->first[0] == '\0') {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(c->verdict->first, sizeof c->verdict->first, format, arguments);
        va_end(arguments);
    }
}

/* Strings of the import, by their offsets. */
static const char *soup_string(const comparison *c, uint32_t offset)
{
    return c->soup->strings + offset;
}

/* Compares one triangle, stored in the file at `stored`, by corners, face and material. */
static void compare_triangle(const comparison *c, const kiln_format_part *part, uint32_t stored,
                             uint32_t id)
{
    const uint32_t face = kiln_view_face(c->view, part, id);
    const uint32_t user = kiln_view_user(c->view, part, id);
    const float *a = NULL, *b = NULL;
    char where[320];
    KILN_ASSERT(id < c->soup->triangle_count);
    KILN_ASSERT(c->view->ids[stored] == id);

    /* The first corner that differs, or 3. Coordinates are finite and have no -0, so bytes
     * decide. */
    unsigned corner = 0;
    for (; corner < 3; corner++) {
        a = c->view->vertices + 3 * (size_t)c->view->triangles[3 * (size_t)stored + corner];
        b = c->soup->positions + 3 * (size_t)c->soup->indices[3 * (size_t)id + corner];
        if (memcmp(a, b, 3 * sizeof(float)) != 0) {
            break;
        }
    }
    if (corner == 3 && face == c->soup->face[id] && user == c->soup->user[id]) {
        return;
    }
    c->verdict->differing++;
    snprintf(where, sizeof where, "triangle %u, node '%.100s', mesh '%.80s', face %u", id,
             c->view->strings + part->node_path, c->view->strings + part->mesh_name, face);
    if (corner < 3) {
        differs(c, "%s: corner %u is %.9g %.9g %.9g, in the source it is %.9g %.9g %.9g", where,
                corner, (double)a[0], (double)a[1], (double)a[2], (double)b[0], (double)b[1],
                (double)b[2]);
    } else if (face != c->soup->face[id]) {
        differs(c, "%s: in the source it is face %u", where, c->soup->face[id]);
    } else {
        differs(c, "%s: has material %u, in the source %u", where, user, c->soup->user[id]);
    }
}

/* Of a height field, whose triangles follow from its samples. */
static void compare_samples(const comparison *c, const kiln_bake_options *options)
{
    const kiln_heights *heights = c->view->heights;
    kiln_format_heights grid;
    if (heights == NULL || c->soup->samples == NULL || heights->grid->columns != c->soup->columns ||
        heights->grid->rows != c->soup->rows) {
        differs(c, "one of both is no height field, or has other rows or columns");
        return;
    }
    kiln_height_grid_make(c->soup, options, &grid);
    if (memcmp(&grid, heights->grid, sizeof grid) != 0) {
        differs(c, "the samples lie at other places than a bake of the source would put them");
    }
    const size_t count = (size_t)c->soup->columns * c->soup->rows;
    for (size_t i = 0; i < count; i++) {
        if (heights->samples[i] != c->soup->samples[i]) {
            c->verdict->differing++;
            differs(c, "the sample in column %zu of row %zu is %u, in the source it is %u",
                    i % c->soup->columns, i / c->soup->columns, heights->samples[i],
                    c->soup->samples[i]);
        }
    }
}

/* Compares counts and parts, then, where these agree and so do the meanings of ids, all triangles.
 * False: no memory. */
static bool compare(const comparison *c, const kiln_bake_options *options)
{
    KILN_ASSERT(c->verdict->first[0] == '\0' && c->verdict->differing == 0);
    const uint32_t count = c->view->triangle_count;
    if (count != c->soup->triangle_count) {
        differs(c, "it has %u triangle%s, %.100s has %u", c->view->triangle_count,
                c->view->triangle_count == 1 ? "" : "s", c->source, c->soup->triangle_count);
    }

    /* The parts: nodes and meshes by name, with the triangles that each has. */
    const uint32_t parts =
        c->view->part_count < c->soup->part_count ? c->view->part_count : c->soup->part_count;
    for (uint32_t i = 0; i < parts; i++) {
        const kiln_format_part *a = &c->view->parts[i];
        const kiln_soup_part *b = &c->soup->parts[i];
        const char *node_a = c->view->strings + a->node_path,
                   *node_b = soup_string(c, b->node_path);
        const char *mesh_a = c->view->strings + a->mesh_name,
                   *mesh_b = soup_string(c, b->mesh_name);
        if (a->triangle_first != b->triangle_first || a->triangle_count != b->triangle_count ||
            a->primitive != b->primitive || strcmp(node_a, node_b) != 0 ||
            strcmp(mesh_a, mesh_b) != 0) {
            differs(c,
                    "part %u is node '%.80s', mesh '%.60s', %u triangles; in %.100s it is node "
                    "'%.80s', mesh '%.60s', %u triangles",
                    i, node_a, mesh_a, a->triangle_count, c->source, node_b, mesh_b,
                    b->triangle_count);
        }
    }
    if (c->view->part_count != c->soup->part_count) {
        differs(c, "it has %u parts, %.100s has %u", c->view->part_count, c->source,
                c->soup->part_count);
    }

    if (c->view->heights != NULL || c->soup->samples != NULL) {
        compare_samples(c, options);
        return true;
    }
    if (c->verdict->first[0] == '\0' && c->view->triangles != NULL) {
        /* The bake sorts triangles along the tree; ids keep the order of the import. */
        uint32_t *stored_of = malloc((size_t)count * sizeof *stored_of); /* by id */
        if (stored_of == NULL) {
            return false;
        }
        for (uint32_t i = 0; i < count; i++) {
            KILN_ASSERT(c->view->ids[i] < count);
            stored_of[c->view->ids[i]] = i;
        }
        /* Parts tile the ids, so that every triangle is visited once, in the order of the import.
         */
        for (uint32_t p = 0; p < c->view->part_count; p++) {
            const kiln_format_part *part = &c->view->parts[p];
            const uint32_t end = part->triangle_first + part->triangle_count;
            for (uint32_t id = part->triangle_first; id < end; id++) {
                compare_triangle(c, part, stored_of[id], id);
            }
        }
        free(stored_of);
    }

    /* Names of materials by their numbers; the number of each triangle is compared with it. */
    const uint32_t materials = c->soup->material_count;
    const bool as_many = c->view->material_count == materials;
    if (!as_many) {
        differs(c, "it has %u materials, %.100s has %u", c->view->material_count, c->source,
                materials);
    }
    for (uint32_t i = 0; i < materials && as_many; i++) {
        const char *name = c->view->strings + c->view->materials[i];
        const char *source = soup_string(c, c->soup->materials[i]);
        if (strcmp(name, source) != 0) {
            differs(c, "material %u is '%.100s', in %.100s it is '%.100s'", i, name, c->source,
                    source);
        }
    }
    return true;
}

/* Those that place a height field; what is out of range counts as absent. */
static void take_height_options(json_t *kept, kiln_bake_options *options)
{
    const json_t *spacing = json_object_get(kept, "spacing");
    const json_t *heights = json_object_get(kept, "heights");
    const json_t *hole = json_object_get(kept, "hole");
    const char *diagonal = text_member(kept, "diagonal");
    const kiln_bake_options absent = *options;
    options->columns = (int)json_integer_value(json_object_get(kept, "columns"));
    options->hole = json_is_integer(hole) ? (int)json_integer_value(hole) : -1;
    options->diagonal = strcmp(diagonal, "falling") == 0     ? KILN_HEIGHTS_FALLING
                        : strcmp(diagonal, "alternate") == 0 ? KILN_HEIGHTS_ALTERNATE
                                                             : KILN_HEIGHTS_RISING;
    for (size_t k = 0; k < 2; k++) {
        options->spacing[k] = json_number_value(json_array_get(spacing, k));
        options->heights[k] = json_number_value(json_array_get(heights, k));
    }
    if (kiln_height_grid_refusal(options) != NULL) {
        *options = absent;
    }
}

/* Imports the model settings->source with the options that the file was baked with, and compares it
 * triangle by triangle. Reports what can't be read; after EXIT_DONE *verdict says whether both are
 * equal. */
static int import_and_compare(const contents *of, const verify_settings *settings,
                              source_verdict *verdict)
{
    const char *source = settings->source;
    KILN_ASSERT(of->kind == CONTENTS_MODEL);

    /* The options that an import depends on, from the meta document. It may hold anything, so a
     * value that is out of range counts as absent. Limits of the import are those of this run: they
     * have no influence on the triangles. */
    json_t *kept = json_object_get(of->meta, "options");
    kiln_bake_options options = kiln_bake_options_default();
    const char *up = text_member(kept, "up");
    const double scale = json_number_value(json_object_get(kept, "scale"));
    const json_int_t grid = json_integer_value(json_object_get(kept, "lossy_grid"));
    options.scale = scale > 0.0 ? scale : 1.0;
    options.up = up[0] >= 'x' && up[0] <= 'z' ? up[0] - 'x' : -1;
    options.on_bad =
        strcmp(text_member(kept, "on_bad"), "drop") == 0 ? KILN_ON_BAD_DROP : KILN_ON_BAD_ERROR;
    options.drop =
        (json_is_true(json_object_get(kept, "drop_degenerate")) ? KILN_DROP_DEGENERATE : 0u) |
        (json_is_true(json_object_get(kept, "drop_duplicate")) ? KILN_DROP_DUPLICATE : 0u);
    options.points = json_is_true(json_object_get(kept, "points"));
    take_height_options(kept, &options);
    options.lossy_grid = grid >= KILN_LOSSY_BITS_MIN && grid <= KILN_LOSSY_BITS_MAX ? (int)grid : 0;
    const kiln_bake_input input = {.path = source, .format = format_of(of->meta, source)};
    kiln_bake_report report;
    kiln_soup soup;
    memset(&report, 0, sizeof report);
    memset(verdict, 0, sizeof *verdict);
    options.import_memory = (uint64_t)settings->import_memory << 20;
    options.side_files = settings->side_files;
    options.import_seconds = settings->import_seconds;
    options.importer = settings->importer;
    int status =
        (int)kiln_import_by((kiln_reader_choice)settings->reader, &input, &options, &soup, &report);
    if (status != EXIT_DONE) {
        report_error(status, NULL, "%s", report.error);
        kiln_bake_report_free(&report);
        return status;
    }
    kiln_bake_report_free(&report);
    const comparison c = {&of->view, &soup, source, verdict};
    /* A lossy bake moved vertices to a grid, and the same step makes the import comparable. */
    if ((options.lossy_grid != 0 && !kiln_snap_to_grid(&soup, options.lossy_grid)) ||
        !compare(&c, &options)) {
        status = report_error(EXIT_RUN, of->path, "out of memory; close other programs");
    }
    /* Equal geometry from changed bytes is worth a remark, such as after a comment was edited. */
    char hash[2 * sizeof soup.source_hash + 1];
    for (size_t i = 0; i < sizeof soup.source_hash; i++) {
        snprintf(hash + 2 * i, 3, "%02x", soup.source_hash[i]);
    }
    verdict->triangles =
        soup.samples != NULL ? (uint64_t)soup.columns * soup.rows : soup.triangle_count;
    verdict->same_bytes =
        strcmp(hash, text_member(json_object_get(of->meta, "source"), "sha256")) == 0;
    KILN_ASSERT(verdict->differing <= verdict->triangles);
    kiln_soup_free(&soup);
    return status;
}

/* ----------------------------------------------------------------------------------- reports -- */

/* What was checked, in numbers, and where it failed the rule of the specification and the byte. */
static json_t *verify_json(const char *path, int status, const kiln_audit_counts *counts,
                           const kiln_format_error *error)
{
    json_t *object = json_object();
    json_object_set_new(object, "file", json_cstring(path));
    json_object_set_new(object, "status", json_integer(status));
    json_object_set_new(object, "sound", json_boolean(status == EXIT_DONE));
    json_object_set_new(object, "trees", json_count(counts->trees));
    json_object_set_new(object, "triangles", json_count(counts->triangles));
    json_object_set_new(object, "nodes", json_count(counts->nodes));
    json_object_set_new(object, "containments", json_count(counts->containments));
    json_object_set_new(object, "counted", json_count(counts->counted));
    json_object_set_new(object, "values", json_count(counts->values));
    json_object_set_new(object, "axes", json_count(counts->axes));
    json_object_set_new(object, "weights", json_count(counts->weights));
    if (error->code != KILN_FORMAT_ERROR_NONE) {
        json_object_set_new(object, "message", json_cstring(error->text));
        json_object_set_new(object, "rule", json_count(error->rule));
        json_object_set_new(object, "offset", json_count(error->offset));
    }
    return object;
}

/* Prints the line about a sound file, by what it holds: a table, axes, weights or a model. */
static void print_sound(const char *path, const kiln_audit_counts *counts)
{
    if (counts->values > 0) {
        printf("%s: sound; a table of %llu values, %d of its values computed anew\n", path,
               (unsigned long long)counts->values, TABLE_SAMPLE);
        return;
    }
    if (counts->axes > 0) {
        printf("%s: sound; a set of %u axes, their covering radius and zones made anew\n", path,
               counts->axes);
        return;
    }
    if (counts->trees == 0) {
        printf("%s: sound; weights for %u kind%s of trees\n", path, counts->weights,
               counts->weights == 1 ? "" : "s");
        return;
    }
    printf("%s: sound; %u tree%s, %llu triangle%s, %llu node%s", path, counts->trees,
           counts->trees == 1 ? "" : "s", (unsigned long long)counts->triangles,
           counts->triangles == 1 ? "" : "s", (unsigned long long)counts->nodes,
           counts->nodes == 1 ? "" : "s");
    if (counts->counted > 0) {
        printf(", %llu box%s counted again", (unsigned long long)counts->counted,
               counts->counted == 1 ? "" : "es");
    }
    putchar('\n');
}

/* Compares a sound file with its source. `object` gets a member, unless it is NULL: no document. */
static int verify_source(const contents *of, const verify_settings *settings, json_t *object)
{
    source_verdict verdict;
    if (of->kind != CONTENTS_MODEL) {
        return report_error(EXIT_USAGE, of->path, "holds no model; --source is for models");
    }
    const int status = import_and_compare(of, settings, &verdict);
    if (status != EXIT_DONE) {
        return status;
    }
    const bool equal = verdict.first[0] == '\0';
    if (object != NULL) {
        json_t *compared = json_object();
        json_object_set_new(compared, "model", json_cstring(settings->source));
        json_object_set_new(compared, "equal", json_boolean(equal));
        json_object_set_new(compared, "same_bytes", json_boolean(verdict.same_bytes));
        json_object_set_new(compared, "triangles", json_count(verdict.triangles));
        json_object_set_new(compared, "differing", json_count(verdict.differing));
        if (!equal) {
            json_object_set_new(compared, "message", json_cstring(verdict.first));
        }
        json_object_set_new(object, "source", compared);
    }
    const char *changed =
        verdict.same_bytes ? "its bytes are those that were baked" : "its bytes have changed";
    if (!equal && verdict.differing > 0) {
        return report_error(EXIT_DIFFERS, of->path,
                            "%s; %llu of %llu triangles differ from %s, and %s; bake it again",
                            verdict.first, (unsigned long long)verdict.differing,
                            (unsigned long long)verdict.triangles, settings->source, changed);
    }
    if (!equal) {
        return report_error(EXIT_DIFFERS, of->path, "%s; it differs from %s, and %s; bake it again",
                            verdict.first, settings->source, changed);
    }
    if (!settings->quiet && object == NULL) {
        printf("%s: %s of %s%s\n", of->path,
               of->view.triangles != NULL
                   ? "geometry equals a fresh import"
                   : "has no polygons; its parts equal those of a fresh import",
               settings->source,
               verdict.same_bytes ? "" : ", whose bytes have changed since the bake");
    }
    return EXIT_DONE;
}

/* Verifies one of `count` files and reports it, also one that can't be read. */
static int verify_one(const char *path, int count, const verify_settings *settings)
{
    contents of;
    kiln_audit_counts counts = {0};
    kiln_format_error error = {.code = KILN_FORMAT_ERROR_NONE};
    /* The audit works on the bytes, because its errors need the offsets of what was not
         * decoded. */
    int status = contents_load(&of, path);
    const bool loaded = status == EXIT_DONE;
    if (loaded && !kiln_audit_in_full(of.data, of.size, settings->full, &counts, &error)) {
        status = report_format_error(path, error.code, error.text);
    }
    if (status == EXIT_DONE && counts.values > 0) {
        status = table_sample(path, of.data, of.size, TABLE_SAMPLE);
    }
    if (status == EXIT_DONE && counts.axes > 0) {
        status = axis_set_check_bytes(path, of.data, of.size);
    }
    /* The document has an element for every file, whatever its status, so that a program can match
     * them with its arguments. */
    json_t *object = report_is_json() ? verify_json(path, status, &counts, &error) : NULL;
    if (object == NULL && status == EXIT_DONE && !settings->quiet) {
        print_sound(path, &counts);
    }
    if (status == EXIT_DONE && settings->source != NULL) {
        status = contents_open_loaded(&of, &error)
                     ? verify_source(&of, settings, object)
                     : report_format_error(path, error.code, error.text);
        json_object_set_new(object, "status", json_integer(status));
    }
    if (object != NULL) {
        report_file(object, count);
    }
    if (loaded) {
        contents_close(&of);
    }
    return status;
}

/* Each file is verified, also after one that failed; the worst status counts. */
static int run_verify(int argc, char **argv)
{
    verify_settings settings = {.import_memory = 1792, .import_seconds = 50.0};
    int count;
    int worst = options_parse(&verb_verify, argc, argv, &settings, &count);
    if (worst != EXIT_DONE) {
        return worst;
    }
    for (int i = 0; i < count; i++) {
        const int status = verify_one(argv[i], count, &settings);
        worst = status > worst ? status : worst;
    }
    return worst;
}

const verb verb_verify = {
    "verify",
    "FILE...",
    "check files down to the last box",
    "Checks checksums, structure and the content hash; that every triangle is in one leaf of "
    "each tree, and, computed in double, that every bounding volume contains every triangle "
    "below it; that the counts of possible collision cells are right, for a sample or, with "
    "--full, all; and for a table of filled bins, that 20000 of its values are right (kiln lut "
    "check computes all). An error ends in exit status 3 with the rule that is broken and the "
    "byte where it was found; a file of another version in exit status 5.\n\nWith --source the "
    "geometry of valid files is also compared with a fresh import: corners, nodes, meshes, faces "
    "and materials, triangle by triangle, all exactly. If any differ the first is named, exit "
    "status 7.",
    verify_options,
    COUNT_OF(verify_options),
    1,
    -1,
    run_verify,
};
