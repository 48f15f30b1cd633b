/* kiln verify: is a file whole, and does every box contain what it should? */
#include "load.h"
#include "opening.h"
#include "options.h"
#include "report.h"
#include "table.h"
#include "verb.h"

#include "../common/audit.h"

#include <stdlib.h>
#include <string.h>

enum { TABLE_SAMPLE = 20000 };

typedef struct {
    bool full, quiet, json;
} verify_settings;

static const option verify_options[] = {
    {"full", 0, OPTION_FLAG, NULL, NULL, 0, 0, offsetof(verify_settings, full),
     "count the possible collision cells of every box again, not of a sample"},
    {"quiet", 'q', OPTION_FLAG, NULL, NULL, 0, 0, offsetof(verify_settings, quiet),
     "say nothing but errors"},
    OPTION_JSON(verify_settings),
};

static json_t *verify_json(const char *path, int status, const kiln_audit_counts *counts,
                           const kiln_fault *fault)
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
    if (fault->code != KILN_FAULT_NONE) {
        json_object_set_new(object, "message", json_cstring(fault->text));
        json_object_set_new(object, "rule", json_count(fault->rule));
        json_object_set_new(object, "offset", json_count(fault->offset));
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
    printf("%s: sound; %u tree%s, %llu triangles, %llu nodes", path, counts->trees,
           counts->trees == 1 ? "" : "s", (unsigned long long)counts->triangles,
           (unsigned long long)counts->nodes);
    if (counts->counted > 0) {
        printf(", %llu boxes counted again", (unsigned long long)counts->counted);
    }
    putchar('\n');
}

static int verify_one(const char *path, int count, const verify_settings *settings)
{
    kiln_audit_counts counts = {0};
    kiln_fault fault = {.code = KILN_FAULT_NONE};
    void *data = NULL;
    size_t size = 0;
    int status = load_file(path, &data, &size);
    if (status == EXIT_DONE && !kiln_audit_in_full(data, size, settings->full, &counts, &fault)) {
        status = report_fault(path, fault.code, fault.text);
    }
    if (status == EXIT_DONE && counts.values > 0) {
        status = table_sample(path, data, size, TABLE_SAMPLE);
    }
    free(data);
    if (report_is_json()) {
        report_file(verify_json(path, status, &counts, &fault), count);
    } else if (status == EXIT_DONE && !settings->quiet) {
        print_sound(path, &counts);
    }
    return status;
}

static int run_verify(int argc, char **argv)
{
    verify_settings settings = {false, false, false};
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
    "filled bins, that 20000 of its values are right (kiln lut check computes all). A fault ends in "
    "exit status 3 with the rule that is broken and the byte where it was seen; a file of another "
    "version in exit status 5.",
    verify_options,
    COUNT_OF(verify_options),
    1,
    -1,
    run_verify,
};
