/* kiln cache gc: makes a cache of baked files smaller.
 *
 * The library removes what was not used for longest until the rest fits; this file parses the
 * size and prints what was removed. A size is required, as a default would delete files by
 * surprise.
 *
 * Sizes are those of files and not of the blocks that they occupy, because a user who gives a
 * limit in bytes can check that with ls. 0 empties the cache, and needs no option of its own. */
#include "../kit/options.h"
#include "../kit/report.h"
#include "verbs.h"

#include "../../kiln_bake.h"

#include <stdint.h>

typedef struct {
    const char *max_size;
    bool dry_run, json;
} gc_settings;

static const option gc_options[] = {
    {"max-size", 0, OPTION_TEXT, "SIZE", NULL, 0, 0, offsetof(gc_settings, max_size),
     "size that the cache may keep, in bytes, or followed by K, M, G or T for 1024 to that "
     "power; 0 empties it"},
    {"dry-run", 'n', OPTION_FLAG, NULL, NULL, 0, 0, offsetof(gc_settings, dry_run),
     "remove nothing, and say how much would be removed; the exit status is that of the removal, "
     "except that files which can't be removed are not foreseen"},
    OPTION_JSON(gc_settings),
};

/* The size is parsed here and not by the table, because it has a unit. */
static int run_gc(int argc, char **argv)
{
    gc_settings settings = {.max_size = NULL};
    kiln_cache_report report;
    uint64_t size = 0;
    int count;
    const int parsed = options_parse(&verb_cache_gc, argc, argv, &settings, &count);
    if (parsed != EXIT_DONE) {
        return parsed;
    }
    if (settings.max_size == NULL) {
        return report_usage("--max-size SIZE is missing");
    }
    if (!option_size(settings.max_size, "KMGT", &size)) {
        return report_usage("--max-size takes a size such as 500M, not '%s'", settings.max_size);
    }
    const char *folder = argv[0];
    const kiln_bake_status status = settings.dry_run ? kiln_cache_gc_look(folder, size, &report)
                                                     : kiln_cache_gc(folder, size, &report);
    if (status != KILN_BAKE_OK) {
        return report_error_text((int)status, folder, report.error);
    }
    if (report_is_json()) {
        json_t *root = report_root();
        json_object_set_new(root, "cache", json_cstring(folder));
        if (settings.dry_run) {
            json_object_set_new(root, "dry_run", json_true());
        }
        json_object_set_new(root, "entries", json_count(report.files));
        json_object_set_new(root, "bytes", json_count(report.bytes));
        json_object_set_new(root, "entries_removed", json_count(report.files_removed));
        json_object_set_new(root, "bytes_removed", json_count(report.bytes_removed));
    } else {
        printf("%s: %s%llu file%s, %llu bytes; %s %llu file%s, %llu bytes%s\n", folder,
               settings.dry_run ? "would keep " : "", (unsigned long long)report.files,
               report.files == 1 ? "" : "s", (unsigned long long)report.bytes,
               settings.dry_run ? "would remove" : "removed",
               (unsigned long long)report.files_removed, report.files_removed == 1 ? "" : "s",
               (unsigned long long)report.bytes_removed,
               settings.dry_run ? "; a dry run: nothing was removed" : "");
    }
    return EXIT_DONE;
}

const verb verb_cache_gc = {
    "cache gc",
    "DIR --max-size SIZE",
    "make a cache of baked files smaller",
    "Removes the files of DIR, which kiln bake --cache has filled, that have not been used for "
    "the longest time, until the rest uses no more than SIZE. Bakes may use the cache at the "
    "same time. Only a cache's own files are removed.",
    gc_options,
    COUNT_OF(gc_options),
    1,
    1,
    run_gc,
};
