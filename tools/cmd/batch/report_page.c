/* The report of a batch as a page. Its document has an object for each asset, in the order of the
 * plan, and in that the object that the page before had of the same output, without its pictures
 * and notes: the page computes what has changed.
 *
 * Figures are read from the outputs, so that a row says the same of a file that was baked, came
 * from the cache or was up to date. A file whose hash of contents is the one that the earlier page
 * names is not decoded again: its figures, its picture, and the notes and seconds of its last bake
 * are taken over. A report of a thousand assets of which few have changed so takes about a
 * thousand reads of a header.
 *
 * A page that was there and can't be read, or is of another version, is replaced, and that is said;
 * a file that is no report of kiln is refused before the first bake (output_check). */
#define _XOPEN_SOURCE 700

#include "report_page.h"

#include "../kit/files.h"
#include "../kit/report.h"
#include "../kit/signals.h"

#include "../../../formats/assert.h"
#include "../../../formats/check.h"
#include "../../common/heights_mesh.h"
#include "../../common/tree_cost.h"
#include "../../view/page.h"
#include "../../view/picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PAGE_HEAD "<!doctype html>\n<!-- kiln bake report "
#define SCHEMA "kiln-bake-report-1"

enum { NOTES_MOST = 100 }; /* of an asset; a broken model may have one for each face */

static bool is_report_page(const char *bytes, size_t size, bool whole)
{
    (void)whole;
    return size >= sizeof PAGE_HEAD - 1 && memcmp(bytes, PAGE_HEAD, sizeof PAGE_HEAD - 1) == 0;
}

const output_kind output_kind_report_page = {"report of kiln bake", is_report_page};

/* ------------------------------------------------------------------------------ the page before */

/* The document of the page at the path; NULL: there is none to compare with, or it is broken. */
static json_t *load_before(const char *path)
{
    struct stat facts;
    void *text = NULL;
    size_t size = 0;
    if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size == 0 ||
        load_file(path, &text, &size) != EXIT_DONE) {
        return NULL;
    }
    json_t *document = page_read_json(text, size);
    const char *schema = json_string_value(json_object_get(document, "schema"));
    free(text);
    if (schema == NULL || strcmp(schema, SCHEMA) != 0 ||
        !json_is_array(json_object_get(document, "assets"))) {
        report_note("not compared", path,
                    "the page there is broken or of another version, and is replaced");
        json_decref(document);
        return NULL;
    }
    return document;
}

/* The assets of a document by their outputs. */
static json_t *index_of(const json_t *document)
{
    json_t *index = json_object();
    const json_t *assets = json_object_get(document, "assets");
    for (size_t i = 0; i < json_array_size(assets); i++) {
        json_t *asset = json_array_get(assets, i);
        const char *output = json_string_value(json_object_get(asset, "output"));
        if (output != NULL) {
            json_object_set(index, output, asset);
        }
    }
    return index;
}

/* ------------------------------------------------------------------------------- of the output */

/* Numbers of the document that the bake left in the file. */
static void add_counts(json_t *to, const kiln_view *view)
{
    static const char *const names[] = {"faces_dropped", "points_left_out", "lines_left_out",
                                        "degenerate",    "duplicate",       "warnings"};
    json_t *meta =
        view->meta != NULL ? json_loadb(view->meta, (size_t)view->meta_size, 0, NULL) : NULL;
    const json_t *counts = json_object_get(meta, "counts");
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const json_int_t value = json_integer_value(json_object_get(counts, names[i]));
        json_object_set_new(to, names[i], json_integer(value < 0 ? 0 : value));
    }
    json_decref(meta);
}

/* The kinds of tree and the expected tests of a query of each, over all trees of the kind. */
static void add_trees(json_t *to, const kiln_view *view)
{
    json_t *costs = json_object();
    for (uint32_t i = 0; i < view->tree_count; i++) {
        const kiln_view_tree tree = kiln_view_get_tree(view, i);
        const kiln_cost_tree stored = {.nodes = tree.nodes,
                                       .count = tree.entry->node_count,
                                       .node_size = tree.kind->node_size,
                                       .decode = tree.kind->decode_lane,
                                       .lower = tree.entry->bounds_lower,
                                       .upper = tree.entry->bounds_upper,
                                       .scale_exponent = tree.entry->scale_exponent};
        const double before = json_real_value(json_object_get(costs, tree.kind->name));
        json_object_set_new(costs, tree.kind->name, json_real(before + kiln_tree_cost(&stored)));
    }
    json_object_set_new(to, "costs", costs);
}

static void add_picture(json_t *to, const kiln_view *view)
{
    size_t size = 0;
    uint8_t *file = view->vertices != NULL && signals_noted() == 0
                        ? picture_of(view->vertices, view->triangles, view->triangle_count, &size)
                        : NULL;
    char *text = file != NULL ? page_base64(file, size) : NULL;
    json_object_set_new(to, "picture", text != NULL ? json_string(text) : json_null());
    free(text);
    free(file);
}

/* Decodes the file and adds what it says. One that another program has replaced meanwhile, or
 * removed, has no figures. */
static void add_contents(json_t *to, const void *data, size_t size)
{
    kiln_reader reader;
    kiln_view view;
    kiln_heights_mesh mesh = {NULL, NULL, NULL};
    kiln_format_error error;
    if (!kiln_reader_open(&reader, data, size, NULL, &error)) {
        return;
    }
    if (kiln_view_open(&view, &reader, false, &error) && kiln_heights_mesh_make(&view, &mesh)) {
        json_object_set_new(to, "triangles", json_count(kiln_view_faces(&view)));
        add_counts(to, &view);
        add_trees(to, &view);
        add_picture(to, &view);
        kiln_heights_mesh_free(&mesh);
    }
    kiln_reader_close(&reader);
}

/* Lower case, two digits a byte. */
static void hash_text(const uint8_t hash[16], char text[33])
{
    for (int i = 0; i < 16; i++) {
        (void)snprintf(text + 2 * i, 3, "%02x", hash[i]);
    }
}

/* The first bytes of the file, for its hash: false where it is not there. */
static bool load_header(const char *path, kiln_format_header *header, uint64_t *size)
{
    struct stat facts;
    FILE *file = fopen(path, "rb");
    const bool good = file != NULL && fstat(fileno(file), &facts) == 0 && S_ISREG(facts.st_mode) &&
                      fread(header, sizeof *header, 1, file) == 1;
    *size = good ? (uint64_t)facts.st_size : 0;
    if (file != NULL) {
        (void)fclose(file);
    }
    return good;
}

/* Members that a file of the same contents has in every page. */
static const char *const lasting[] = {"triangles",      "faces_dropped", "points_left_out",
                                      "lines_left_out", "degenerate",    "duplicate",
                                      "warnings",       "costs",         "picture"};

static void add_output(json_t *to, const char *output, const json_t *before)
{
    kiln_format_header header;
    uint64_t size = 0;
    char hash[33];
    void *data = NULL;
    size_t loaded = 0;
    if (!load_header(output, &header, &size)) {
        return;
    }
    hash_text(header.content_hash, hash);
    json_object_set_new(to, "bytes", json_count(size));
    json_object_set_new(to, "hash", json_string(hash));
    const char *old = json_string_value(json_object_get(before, "hash"));
    if (old != NULL && strcmp(old, hash) == 0 &&
        json_is_string(json_object_get(before, "picture"))) {
        for (size_t i = 0; i < COUNT_OF(lasting); i++) {
            json_object_set(to, lasting[i], json_object_get(before, lasting[i]));
        }
    } else if (load_file(output, &data, &loaded) == EXIT_DONE) {
        add_contents(to, data, loaded);
        free(data);
    }
}

/* ---------------------------------------------------------------------------------- the assets */

/* "kind: message" lines as pairs. */
static json_t *notes_json(const char *notes)
{
    json_t *list = json_array();
    size_t left_out = 0;
    for (const char *at = notes; at != NULL && *at != '\0';) {
        const size_t length = strcspn(at, "\n");
        char *line = strndup(at, length);
        if (line != NULL && json_array_size(list) < NOTES_MOST) {
            json_array_append_new(list, json_cstring(line));
        } else {
            left_out++;
        }
        free(line);
        at += length + (at[length] == '\n');
    }
    if (left_out > 0) {
        char text[64];
        (void)snprintf(text, sizeof text, "and %zu more", left_out);
        json_array_append_new(list, json_cstring(text));
    }
    return list;
}

/* What the page before says of an asset, for the comparison: numbers, no texts. */
static json_t *before_json(const json_t *before)
{
    static const char *const names[] = {"outcome",    "status",       "bytes",    "seconds",
                                        "hash",       "triangles",    "warnings", "costs",
                                        "degenerate", "faces_dropped"};
    if (before == NULL) {
        return json_null();
    }
    json_t *object = json_object();
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        json_object_set(object, names[i], json_object_get(before, names[i]));
    }
    return object;
}

static json_t *row_json(const report_page_row *row, const json_t *before, bool with_seconds)
{
    json_t *object = json_object();
    json_object_set_new(object, "input", json_cstring(row->input));
    json_object_set_new(object, "output", json_cstring(row->output));
    json_object_set_new(object, "outcome", json_string(row->outcome));
    json_object_set_new(object, "status", json_integer(row->status));
    if (row->error != NULL) {
        json_object_set_new(object, "error", json_cstring(row->error));
    }
    if (strcmp(row->output, "-") != 0 && row->status == EXIT_DONE) {
        add_output(object, row->output, before);
    }
    /* What an unchanged file was baked with stays known. */
    const char *hash = json_string_value(json_object_get(object, "hash"));
    const char *old = json_string_value(json_object_get(before, "hash"));
    const bool same = !row->baked && hash != NULL && old != NULL && strcmp(hash, old) == 0;
    if (same && json_is_array(json_object_get(before, "notes"))) {
        json_object_set(object, "notes", json_object_get(before, "notes"));
    } else {
        json_object_set_new(object, "notes", notes_json(row->notes));
    }
    json_t *seconds = !with_seconds ? NULL
                      : row->baked  ? json_real(row->seconds)
                      : same        ? json_incref(json_object_get(before, "seconds"))
                                    : NULL;
    json_object_set_new(object, "seconds", seconds != NULL ? seconds : json_null());
    json_object_set_new(object, "before", before_json(before));
    return object;
}

static json_t *document_of(const report_page_row *rows, size_t count, const json_t *old,
                           double seconds, bool with_seconds)
{
    json_t *document = json_object(), *assets = json_array(), *gone = json_array();
    json_t *index = index_of(old);
    const char *key;
    json_t *asset;
    json_object_set_new(document, "schema", json_string(SCHEMA));
    json_object_set_new(document, "kiln", json_string(kiln_version()));
    json_object_set_new(document, "seconds", with_seconds ? json_real(seconds) : json_null());
    json_object_set_new(document, "compared", json_boolean(old != NULL));
    for (size_t i = 0; i < count; i++) {
        json_t *name = json_cstring(rows[i].output);
        const char *output = json_string_value(name);
        const json_t *before = output != NULL ? json_object_get(index, output) : NULL;
        json_array_append_new(assets, row_json(&rows[i], before, with_seconds));
        if (output != NULL) {
            json_object_del(index, output);
        }
        json_decref(name);
    }
    json_object_foreach(index, key, asset)
    {
        json_array_append_new(gone, json_cstring(key));
    }
    json_object_set_new(document, "assets", assets);
    json_object_set_new(document, "gone", gone);
    json_decref(index);
    return document;
}

int report_page_write(const char *path, const report_page_row *rows, size_t count, double seconds,
                      bool with_seconds)
{
    page_data data = {.size = 0};
    size_t size = 0;
    KILN_ASSERT(count == 0 || rows != NULL);
    json_t *old = load_before(path);
    json_t *document = document_of(rows, count, old, seconds, with_seconds);
    page_add_json(&data, document);
    json_decref(document);
    json_decref(old);
    char *text = page_make("report.html", &data, &size);
    page_free(&data);
    if (text == NULL) {
        return report_error(EXIT_RUN, NULL, "out of memory");
    }
    const int status = output_write(path, &output_kind_report_page, text, size);
    free(text);
    return status;
}
