/* The settings of kiln bake: the options of its table, and what they mean for one asset. A manifest
 * has options by the same names, from the same table. */
#ifndef KILN_CMD_BAKE_SETTINGS_H
#define KILN_CMD_BAKE_SETTINGS_H

#include "../kit/verb.h"

#include "../../kiln_bake.h"

#include <stdint.h>

typedef struct {
    const char *output, *format, *bv, *builder, *drop, *depfile, *adb_weights, *cache, *manifest;
    const char *max_memory, *need_version, *outputs, *side_files, *importer, *junit, *report,
        *trace, *against, *max_bytes;
    int leaf, spheres, quality, fit, box_fit, layout, split, up, on_bad, threads, progress;
    int import_memory;
    const char *spacing, *heights;
    int columns, hole, diagonal;
    int lossy_grid, folders, annotations;
    int adb, adb_area, adb_polygons, adb_regions;
    double scale, import_seconds, adb_factor;
    bool no_geometry, points, strict, quiet, verbose, json, if_changed, cache_shared, keep_going,
        fail_fast, dump_config, formats, dry_run, prune, depfile_programs;
    bool allow_empty, no_seconds;
} bake_settings;

/* In the order of the choices of --annotations. */
enum { ANNOTATIONS_NONE, ANNOTATIONS_GITHUB };

/* The table of options of kiln bake. */
enum { BAKE_OPTION_COUNT = 63 };
extern const option bake_options[BAKE_OPTION_COUNT];

bake_settings bake_settings_default(void);

/* Is the option about one asset, so that a manifest may have it, rather than about the run? */
bool bake_option_is_of_asset(const option *entry);

/* The option about an asset that has this name; NULL: there is none. */
const option *bake_option_find(const char *name, size_t length);

/* Prints the value that the settings have of an option, of any kind but text, to standard output.
 */
void bake_option_print(const option *entry, const bake_settings *settings);

/* Bit i of `given` stands for option i: takes those about assets over from another's settings. */
void bake_settings_overlay(bake_settings *to, const bake_settings *from, uint64_t given);

/* The files that the settings name for an asset to be baked by, beside the model: weights, poses,
 * another file. `what` is how messages call them. Returns how many there are. */
enum { BAKE_FILES_MAX = 3 };
typedef struct {
    const char *path, *what;
} bake_file;
size_t bake_settings_files(const bake_settings *settings, bake_file files[BAKE_FILES_MAX]);

/* Reports an option that was given, though a model at `asset`, a height field or not, has no use
 * for it. The library refuses values that are not the defaults; this refuses those, too. */
int bake_settings_check_given(const bake_settings *settings, uint64_t given, const char *asset);

/* The library's options. `asset` is named where something does not fit together, which is reported;
 * NULL: it is the command line that is wrong. */
int bake_settings_convert(const bake_settings *settings, const char *asset,
                          kiln_bake_options *options);

#endif
