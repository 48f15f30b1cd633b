/* kiln verify: is a file whole, and does every box contain what it should? */
#include "contents.h"
#include "../kit/files.h"
#include "../kit/options.h"
#include "../kit/report.h"
#include "table.h"
#include "verbs.h"
#include "verify_source.h"

#include "../../encode/audit.h"

enum { TABLE_SAMPLE = 20000 };

typedef struct {
    const char *source;
    int import_memory;
    double import_seconds;
    bool full, quiet, json;
} verify_settings;

static const option verify_options[] = {
    {"source", 0, OPTION_TEXT, "MODEL", NULL, 0, 0, offsetof(verify_settings, source),
     "import MODEL with the options that a file was baked with, and compare every triangle"},
    {"import-memory", 0, OPTION_INTEGER, "MIB", NULL, 0, 1048576,
     offsetof(verify_settings, import_memory), "as for kiln bake (default 1792)"},
    {"import-seconds", 0, OPTION_REAL, "S", NULL, 0, 1e6, offsetof(verify_settings, import_seconds),
     "as for kiln bake (default 50)"},
    {"full", 0, OPTION_FLAG, NULL, NULL, 0, 0, offsetof(verify_settings, full),
     "count the possible collision cells of every box again, not of a sample"},
    {"quiet", 'q', OPTION_FLAG, NULL, NULL, 0, 0, offsetof(verify_settings, quiet),
     "say nothing but errors"},
    OPTION_JSON(verify_settings),
};

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
    json_object_set_new(object, "weights", json_count(counts->weights));
    if (error->code != KILN_FORMAT_ERROR_NONE) {
        json_object_set_new(object, "message", json_cstring(error->text));
        json_object_set_new(object, "rule", json_count(error->rule));
        json_object_set_new(object, "offset", json_count(error->offset));
    }
    return object;
}

static void print_sound(const char *path, const kiln_audit_counts *counts)
{
    if (counts->values > 0) {
        printf("%s: sound; a table of %llu values, %d of its values computed anew\n", path,
               (unsigned long long)counts->values, TABLE_SAMPLE);
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

static json_t *source_json(const char *source, const source_verdict *verdict)
{
    json_t *object = json_object();
    json_object_set_new(object, "model", json_cstring(source));
    json_object_set_new(object, "equal", json_boolean(verdict->first[0] == '\0'));
    json_object_set_new(object, "same_bytes", json_boolean(verdict->same_bytes));
    json_object_set_new(object, "triangles", json_count(verdict->triangles));
    json_object_set_new(object, "differing", json_count(verdict->differing));
    if (verdict->first[0] != '\0') {
        json_object_set_new(object, "message", json_cstring(verdict->first));
    }
    return object;
}

static int judge_source(const contents *of, const char *source, const source_verdict *verdict)
{
    const char *changed =
        verdict->same_bytes ? "its bytes are those that were baked" : "its bytes have changed";
    if (verdict->first[0] == '\0') {
        return EXIT_DONE;
    }
    if (verdict->differing > 0) {
        return report_error(EXIT_DIFFERS, of->path,
                            "%s; %llu of %llu triangles differ from %s, and %s; bake it again",
                            verdict->first, (unsigned long long)verdict->differing,
                            (unsigned long long)verdict->triangles, source, changed);
    }
    return report_error(EXIT_DIFFERS, of->path, "%s; it differs from %s, and %s; bake it again",
                        verdict->first, source, changed);
}

/* Holds a sound file against its source. *object gets a member, if there is a document. */
static int verify_against_source(const contents *of, const verify_settings *settings,
                                 json_t *object)
{
    source_verdict verdict;
    if (of->kind != CONTENTS_MODEL) {
        return report_error(EXIT_USAGE, of->path, "holds no model; --source is for models");
    }
    int status = verify_source(of, settings->source, settings->import_memory,
                               settings->import_seconds, &verdict);
    if (status == EXIT_DONE) {
        status = judge_source(of, settings->source, &verdict);
        json_object_set_new(object, "source", source_json(settings->source, &verdict));
    }
    if (status == EXIT_DONE && !settings->quiet && !report_is_json()) {
        printf("%s: %s of %s%s\n", of->path,
               of->view.triangles != NULL
                   ? "geometry equals a fresh import"
                   : "has no polygons; its parts equal those of a fresh import",
               settings->source,
               verdict.same_bytes ? "" : ", whose bytes have changed since the bake");
    }
    return status;
}

static int verify_bytes(const contents *of, const verify_settings *settings,
                        kiln_audit_counts *counts, kiln_format_error *error)
{
    if (!kiln_audit_in_full(of->data, of->size, settings->full, counts, error)) {
        return report_format_error(of->path, error->code, error->text);
    }
    return counts->values > 0 ? table_sample(of->path, of->data, of->size, TABLE_SAMPLE)
                              : EXIT_DONE;
}

static int verify_loaded(contents *of, int count, const verify_settings *settings)
{
    kiln_audit_counts counts = {0};
    kiln_format_error error = {.code = KILN_FORMAT_ERROR_NONE};
    int status = verify_bytes(of, settings, &counts, &error);
    json_t *object = report_is_json() ? verify_json(of->path, status, &counts, &error) : NULL;
    if (object == NULL && status == EXIT_DONE && !settings->quiet) {
        print_sound(of->path, &counts);
    }
    if (status == EXIT_DONE && settings->source != NULL) {
        status = contents_open_loaded(of, &error)
                     ? verify_against_source(of, settings, object)
                     : report_format_error(of->path, error.code, error.text);
        json_object_set_new(object, "status", json_integer(status));
    }
    report_file(object, count);
    return status;
}

static int verify_one(const char *path, int count, const verify_settings *settings)
{
    contents of;
    int status = contents_load(&of, path);
    if (status == EXIT_DONE) {
        status = verify_loaded(&of, count, settings);
        contents_close(&of);
    } else if (report_is_json()) {
        const kiln_audit_counts counts = {0};
        const kiln_format_error error = {.code = KILN_FORMAT_ERROR_NONE};
        report_file(verify_json(path, status, &counts, &error), count);
    }
    return status;
}

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
    "Checks checksums, structure and the content hash, that every triangle is in one leaf of each "
    "tree, and, computed in double, that every box contains every triangle below it; that the "
    "counts of possible collision cells are right, of a sample or, with --full, all; of a table of "
    "filled bins, that 20000 of its values are right (kiln lut check computes all). A error ends "
    "in "
    "exit status 3 with the rule that is broken and the byte where it was seen; a file of another "
    "version in exit status 5.\n\nWith --source the geometry of sound files is also held against a "
    "fresh "
    "import: corners, nodes, meshes, faces and materials, triangle by triangle, all exactly. Where "
    "one "
    "differs the first is named, exit status 7.",
    verify_options,
    COUNT_OF(verify_options),
    1,
    -1,
    run_verify,
};
