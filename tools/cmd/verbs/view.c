/* kiln view: what is in model files, as one page for a browser.
 *
 * The page has two halves. Here, arrays of the model and of its trees, and what kiln info says, go
 * into the data of the page (tools/view); the rest are scripts that the build has embedded in the
 * program, and three.js, without which this build can draw nothing. Answers in the page are those
 * of libkiln as WebAssembly, which has no zlib, over the bytes of the files, laid out raw for that.
 *
 * Nothing in a page depends on clocks, paths or threads: the same files, named alike, and the same
 * build give the same bytes. */
#include "contents.h"

#include "../kit/files.h"
#include "../kit/options.h"
#include "../kit/output.h"
#include "../kit/progress.h"
#include "../kit/report.h"
#include "verbs.h"

#include "../../../formats/assert.h"
#include "../../encode/container.h"
#include "../../view/model.h"
#include "../../view/page.h"

#include <stdlib.h>
#include <string.h>

/* Files of a page: two can be moved against each other, more are looked at. */
enum { FILES_MOST = 16, LIVE_FILES = 2 };

typedef struct {
    const char *output;
    bool no_live, json;
} view_settings;

static const option view_options[] = {
    {"output", 'o', OPTION_TEXT, "PAGE", NULL, 0, 0, offsetof(view_settings, output),
     "the page to write, '-' for standard output"},
    {"no-live", 0, OPTION_FLAG, NULL, NULL, 0, 0, offsetof(view_settings, no_live),
     "leave libkiln and the bytes of the files out: a smaller page, which answers no queries"},
    OPTION_JSON(view_settings),
};

#define PAGE_HEAD "<!doctype html>\n<!-- kiln view "

static bool is_page(const char *bytes, size_t size, bool whole)
{
    (void)whole;
    return size >= sizeof PAGE_HEAD - 1 && memcmp(bytes, PAGE_HEAD, sizeof PAGE_HEAD - 1) == 0;
}

static const output_kind output_kind_page = {"page of kiln view", is_page};

/* A page on its way. */
typedef struct {
    page_data data;
    json_t *files;
    bool live;
    progress bar;
    int count;
} viewing;

/* Sections that are arrays of the page as well are in it once: they become zeros here, and the page
 * puts them back, by the list of their places. They are most of a raw file. */
static json_t *take_out(uint8_t *raw, size_t size, const json_t *arrays)
{
    static const struct {
        const char *name;
        uint32_t section;
    } both[] = {{"vertices", KILN_SECTION_VERTICES},
                {"triangles", KILN_SECTION_TRIANGLES},
                {"ids", KILN_SECTION_TRIANGLE_IDS}};
    json_t *list = json_array();
    kiln_reader reader;
    kiln_format_error error;
    if (!kiln_reader_open(&reader, raw, size, NULL, &error)) {
        return list;
    }
    for (size_t i = 0; i < COUNT_OF(both); i++) {
        const uint32_t index = kiln_reader_find(&reader, both[i].section, 0);
        const json_t *array = json_object_get(arrays, both[i].name);
        if (index == KILN_NO_INDEX || array == NULL) {
            continue;
        }
        const kiln_reader_section *section = &reader.sections[index];
        const uint64_t bytes = 4 * (uint64_t)json_integer_value(json_object_get(array, "count"));
        const uint64_t offset = section->entry.offset;
        /* A buffer that is not aligned is copied by the reader, section by section. */
        if (section->entry.raw_size == bytes && offset <= size && bytes <= size - offset &&
            (section->data == raw + offset ||
             memcmp(section->data, raw + offset, (size_t)bytes) == 0)) {
            memset(raw + offset, 0, (size_t)bytes);
            json_t *place = json_object();
            json_object_set_new(place, "array", json_string(both[i].name));
            json_object_set_new(place, "offset", json_count(offset));
            json_array_append_new(list, place);
        }
    }
    kiln_reader_close(&reader);
    return list;
}

/* The bytes of the file as a block, in the layout that needs no zlib. */
static int add_bytes(viewing *v, const contents *of, json_t *object)
{
    char message[192];
    void *raw = NULL;
    size_t size = 0;
    const kiln_watch watch = {.threads = kiln_thread_count(0)};
    const int status = (int)kiln_container_relayout(of->data, of->size, KILN_LAYOUT_RAW, &watch,
                                                    &raw, &size, message);
    if (status != EXIT_DONE) {
        return report_error(status, of->path, "%s", message);
    }
    json_object_set_new(object, "shared", take_out(raw, size, json_object_get(object, "arrays")));
    json_object_set_new(object, "raw", page_add_array(&v->data, PAGE_U8, raw, size, 0));
    free(raw);
    return EXIT_DONE;
}

/* What kiln info computes of each tree. */
static int add_sizes(const contents *of, json_t *object)
{
    tree_sizes *sizes = tree_sizes_of(&of->view);
    if (sizes == NULL) {
        return report_error(EXIT_RUN, of->path, "out of memory");
    }
    json_t *trees = json_object_get(object, "trees");
    for (uint32_t i = 0; i < of->view.tree_count; i++) {
        json_t *tree = json_array_get(trees, i);
        json_object_set_new(tree, "bytes_raw", json_count(sizes[i].bytes_raw));
        json_object_set_new(tree, "bytes_packed", json_count(sizes[i].bytes_packed));
        json_object_set_new(tree, "sah_cost", json_number(sizes[i].cost));
    }
    free(sizes);
    return EXIT_DONE;
}

/* A name without its folders, so that a page does not depend on where files are. */
static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

static int add_model(viewing *v, const contents *of)
{
    json_t *object = view_model_add(&v->data, &of->view);
    int status = object != NULL ? add_sizes(of, object) : EXIT_DONE;
    json_object_set_new(object, "name", json_cstring(name_of(of->path)));
    json_object_set_new(object, "bytes", json_count(of->size));
    json_object_set_new(object, "layout",
                        json_string(reader_is_packed(&of->reader) ? "packed" : "raw"));
    json_object_set(object, "counts", json_object_get(of->meta, "counts"));
    json_object_set(object, "dropped", json_object_get(of->meta, "dropped"));
    json_object_set(object, "options", json_object_get(of->meta, "options"));
    if (status == EXIT_DONE && v->live && json_array_size(v->files) < LIVE_FILES &&
        of->view.vertices != NULL) {
        status = add_bytes(v, of, object);
    }
    json_array_append_new(v->files, object);
    return status;
}

static int add_file(viewing *v, const char *path, int index)
{
    contents of;
    int status = contents_open(&of, path);
    if (status != EXIT_DONE) {
        return status;
    }
    if (of.kind != CONTENTS_MODEL) {
        status = report_error(EXIT_UNSUPPORTED, path, "holds %s and no model; kiln info prints it",
                              of.kind == CONTENTS_TABLE     ? "a table of filled bins"
                              : of.kind == CONTENTS_WEIGHTS ? "weights"
                                                            : "an axis set");
    } else {
        (void)progress_step(&v->bar, "page", (double)index / v->count);
        status = add_model(v, &of);
    }
    contents_close(&of);
    return status;
}

static json_t *document_of(viewing *v)
{
    json_t *document = json_object();
    json_object_set_new(document, "schema", json_string("kiln-view-1"));
    json_object_set_new(document, "kiln", json_string(kiln_version()));
    json_object_set(document, "files", v->files);
    if (v->live) {
        json_object_set_new(document, "wasm", page_add_embedded(&v->data, "kiln.wasm"));
    }
    return document;
}

static void add_report(const viewing *v, const view_settings *settings, size_t size)
{
    json_t *root = report_root();
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(v->files); i++) {
        const json_t *of = json_array_get(v->files, i);
        json_t *object = json_object();
        json_object_set(object, "name", json_object_get(of, "name"));
        json_object_set(object, "faces", json_object_get(of, "triangles"));
        json_object_set_new(object, "trees",
                            json_count(json_array_size(json_object_get(of, "trees"))));
        json_array_append_new(list, object);
    }
    json_object_set_new(root, "output", json_cstring(settings->output));
    json_object_set_new(root, "bytes", json_count(size));
    json_object_set_new(root, "live", json_boolean(v->live));
    json_object_set_new(root, "models", list);
}

/* Reads all files, then makes and writes the page. */
static int make_page(viewing *v, const view_settings *settings, char *const *paths)
{
    int status = EXIT_DONE;
    size_t size = 0;
    for (int i = 0; i < v->count && status == EXIT_DONE; i++) {
        status = add_file(v, paths[i], i);
    }
    if (status != EXIT_DONE) {
        return status;
    }
    json_t *document = document_of(v);
    page_add_json(&v->data, document);
    json_decref(document);
    char *text = page_make("view.html", &v->data, &size);
    page_free(&v->data);
    if (text == NULL) {
        return report_error(EXIT_RUN, NULL, "out of memory");
    }
    (void)progress_step(&v->bar, "write", 1);
    progress_end(&v->bar);
    status = output_write(settings->output, &output_kind_page, text, size);
    free(text);
    if (status == EXIT_DONE && report_is_json()) {
        add_report(v, settings, size);
    }
    return status;
}

static int run_view(int argc, char **argv)
{
    view_settings settings = {.output = NULL};
    viewing v = {.live = false};
    int status = options_parse(&verb_view, argc, argv, &settings, &v.count);
    if (status != EXIT_DONE) {
        return status;
    }
    if (settings.output == NULL) {
        return report_usage("-o PAGE is missing");
    }
    if (strcmp(settings.output, "-") == 0) {
        report_to_stderr();
    }
    if (v.count > FILES_MOST) {
        return report_usage("a page has at most %d files", FILES_MOST);
    }
    if (!page_has_three()) {
        return report_error(EXIT_UNSUPPORTED, NULL,
                            "this build draws no pages: three.js was not there when it was built; "
                            "install libjs-three, or set THREE, and build again");
    }
    status = output_check_inputs(settings.output, &output_kind_page, argv, v.count);
    if (status != EXIT_DONE) {
        return status;
    }
    v.live = v.count > 1 && !settings.no_live && page_has_wasm();
    if (v.count > 1 && !settings.no_live && !v.live) {
        report_note("not live", settings.output,
                    "this build has no libkiln for pages, which needs emscripten; meshes can be "
                    "moved, and no queries are answered");
    }
    v.files = json_array();
    progress_begin(&v.bar, PROGRESS_AUTO, settings.output);
    status = make_page(&v, &settings, argv);
    progress_end(&v.bar);
    page_free(&v.data);
    json_decref(v.files);
    return status;
}

const verb verb_view = {
    "view",
    "FILE... -o PAGE",
    "make a page that shows meshes and trees in a browser",
    "Writes one HTML page with everything in it, which a browser opens from a folder or from "
    "anywhere, and which loads nothing from elsewhere. It shows each mesh, its triangles by part, "
    "material or leaf; the volumes of a tree, level by level; sizes, bytes and costs of each "
    "level; and what the bake left out. Triangles without area are marked. Of k-DOPs the boxes "
    "around them are drawn.\n\nWith several files the meshes can be dragged against each other, by "
    "pointer or keys, and of two of them the page says whether they meet, their contacts and "
    "their distance at every moment. It asks libkiln itself, compiled to WebAssembly. For that "
    "the page has the bytes of the files too, unless --no-live is given. A kiln that was built "
    "without emscripten makes pages that answer nothing, and says so; one that was built without "
    "three.js makes none (status 5).\n\nThe page depends on the files, their names without "
    "folders, and this build of kiln alone. An existing PAGE that is no page of kiln view has to "
    "be removed first.",
    view_options,
    COUNT_OF(view_options),
    1,
    -1,
    run_view,
};
