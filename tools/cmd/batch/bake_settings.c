/* The options of kiln bake: their table, from which the command line, the help, the man page, shell
 * completion and manifests are all made, and what they mean for the library.
 *
 * A field of bake_settings has the value of one option. The table gives its kind and its offset, so
 * that settings can be compared, printed and laid over each other without naming any of them. What
 * the table can't say, such as that one option needs another, is checked where settings become the
 * options of the library, in bake_settings_convert. */
#define _XOPEN_SOURCE 700

#include "bake_settings.h"

#include "../../../formats/assert.h"
#include "../../import/formats.h"
#include "../kit/options.h"
#include "../kit/report.h"

#include "../../../formats/node_kinds.h"

#include <float.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(name) offsetof(bake_settings, name)

/* The rows stand in the order of the help. An index into this table is also a bit of `given` in
 * bake_settings_overlay, so there can't be more than 64 rows. Defaults in the texts are those of
 * bake_settings_default and of the library, which this table doesn't set. */
const option bake_options[] = {
    {"output", 'o', OPTION_TEXT, "OUT", NULL, 0, 0, FIELD(output),
     "the file to write, '-' for standard output; a folder for several IN, or one that is a "
     "folder; "
     "what is missing of its path is made"},
    {"format", 0, OPTION_TEXT, "EXT", NULL, 0, 0, FIELD(format),
     "read IN as a file with this extension, such as obj; needed for '-'"},
    {"bv", 0, OPTION_TEXT, "LIST", NULL, 0, 0, FIELD(bv),
     "kinds of bounding volume, one tree for each, separated by commas: " KILN_NODE_KIND_NAMES
     "; or auto: the one of them whose queries cost least at the poses of --trace (default obb)"},
    {"trace", 0, OPTION_TEXT, "FILE", NULL, 0, 0, FIELD(trace),
     "for --bv auto: the poses that trees are compared at, a line each as for kiln collide "
     "--poses; IN is A (default: IN and the other at random rotations and distances)"},
    {"against", 0, OPTION_TEXT, "B.kiln", NULL, 0, 0, FIELD(against),
     "for --bv auto: the kiln file that IN is queried against, by its tree of the same kind or "
     "else its first (default: IN itself)"},
    {"max-bytes", 0, OPTION_TEXT, "SIZE", NULL, 0, 0, FIELD(max_bytes),
     "for --bv auto: choose no tree whose OUT is larger, in bytes or with K, M or G of 1024; where "
     "none fits nothing is written (default: no limit)"},
    {"leaf", 0, OPTION_INTEGER, "N", NULL, 1, 15, FIELD(leaf),
     "most triangles in a leaf, 1 to 15 (default 4)"},
    {"builder", 0, OPTION_TEXT, "NAME", NULL, 0, 0, FIELD(builder),
     "how trees are made: by cuts from the top, sah by surfaces, median in halves, middle of the "
     "box, mean along the principal axis, volume by volumes; ploc from the leaves up; insert one "
     "triangle after another; reinsert moves parts of sah's tree; octree has its own way to make "
     "trees; answers stay the same (default sah)"},
    {"spheres", 0, OPTION_CHOICE, NULL, "least|cover|octree|medial", 0, 0, FIELD(spheres),
     "how the balls of sphere are chosen: least, the smallest in the builder's tree; cover, from "
     "the leaves up in that tree; octree, of cells; medial, about the medial axis; the last two "
     "make trees of their own (default least)"},
    {"quality", 0, OPTION_CHOICE, NULL, "fast|default|best", 0, 0, FIELD(quality),
     "how much time is spent on trees of obb and obb2: fast keeps the orientation of the first "
     "fit of each box; best also splits by the surfaces of boxes and, for obb, keeps the best of "
     "four trees by sampled queries; queries get faster, answers stay the same (default default)"},
    {"fit", 0, OPTION_CHOICE, NULL, "geometry|children", 0, 0, FIELD(fit),
     "what a box of obb or obb2 is fitted to: the triangles below it, or the boxes of its two "
     "sides, "
     "which are looser; other kinds are fitted to triangles by both (default geometry)"},
    {"box-fit", 0, OPTION_CHOICE, NULL, "search|vertices|areas|hull-vertices|hull-facets|volume", 0,
     0, FIELD(box_fit),
     "the orientation of boxes of obb and obb2: the best of several, improved as --quality says; "
     "or "
     "by one rule, the covariance of the corners, of the surface, of the corners or the surface of "
     "the convex hull, or near the least volume (default search)"},
    {"layout", 0, OPTION_CHOICE, NULL, "packed|raw", 0, 0, FIELD(layout),
     "packed is small, for shipping; raw is used in place from the map (default packed)"},
    {"split", 0, OPTION_CHOICE, NULL, "none|mesh|node", 0, 0, FIELD(split),
     "one tree of everything, or a named tree for each mesh or node (default none)"},
    {"scale", 0, OPTION_REAL, "F", NULL, DBL_MIN, DBL_MAX, FIELD(scale),
     "multiply all coordinates, after the source's own unit (default 1)"},
    {"lossy-grid", 0, OPTION_INTEGER, "BITS", NULL, KILN_LOSSY_BITS_MIN, KILN_LOSSY_BITS_MAX,
     FIELD(lossy_grid),
     "move vertices to a grid of up to 2^BITS steps along the longest side, 4 to 24, for a "
     "smaller file; answers are exact for the moved vertices (default: vertices are not moved)"},
    {"up", 0, OPTION_CHOICE, NULL, "x|y|z", 0, 0, FIELD(up),
     "rotate the model so that its up axis becomes this one (default: no rotation)"},
    {"spacing", 0, OPTION_TEXT, "X[,Y]", NULL, 0, 0, FIELD(spacing),
     "of a height field (pgm, png, r16): the distance of its columns, and of its rows, which come "
     "from "
     "the greatest y down to 0, or with --up y go along z (default 1, and of rows as of columns)"},
    {"heights", 0, OPTION_TEXT, "LOW,HIGH", NULL, 0, 0, FIELD(heights),
     "of a height field: the heights of sample 0 and of the greatest that there may be, 65535 or "
     "what the picture says (default: a sample is its own height)"},
    {"columns", 0, OPTION_INTEGER, "N", NULL, 2, 16777216, FIELD(columns),
     "of a height field in r16, whose file does not say it (default: as many as rows)"},
    {"hole", 0, OPTION_INTEGER, "SAMPLE", NULL, 0, 65535, FIELD(hole),
     "of a height field: samples of this value are no heights, and quads at them are left out "
     "(default: all are heights)"},
    {"diagonal", 0, OPTION_CHOICE, NULL, "rising|falling|alternate", 0, 0, FIELD(diagonal),
     "of a height field: cut quads from the first corner in column and row to the opposite one, "
     "from the other two, or both in turn (default rising)"},
    /* A choice without a default of its own is kept as -1 until it is given, so that the library
     * can tell options that need --adb from those that were left alone. */
    {"adb", 0, OPTION_DEFAULTED, NULL, "4|8|16", 0, 0, FIELD(adb),
     "count the possible collision cells of each box, for counted queries (--mode adb; --mode "
     "likely "
     "needs none), on a grid with this many cells along an edge (default: no counts; 4 if no "
     "number is given)"},
    {"adb-area", 0, OPTION_CHOICE, NULL, "mean|max", 0, 0, FIELD(adb_area),
     "a cell counts if the surface in it is at least its mean plane section, or its largest "
     "(default mean)"},
    {"adb-area-factor", 0, OPTION_REAL, "F", NULL, DBL_MIN, 1000, FIELD(adb_factor),
     "multiply that area by F (default 0.75 for mean, 0.5 for max)"},
    {"adb-polygons", 0, OPTION_CHOICE, NULL, "subtree|box", 0, 0, FIELD(adb_polygons),
     "count the polygons below a box, or all that meet it (default subtree)"},
    {"adb-regions", 0, OPTION_CHOICE, NULL, "octants|sectors|none", 0, 0, FIELD(adb_regions),
     "count for each octant of a box, for each pyramid over its faces, or for the whole box "
     "(default octants)"},
    {"adb-weights", 0, OPTION_TEXT, "FILE", NULL, 0, 0, FIELD(adb_weights),
     "store the weights of counted queries in FILE, which kiln calibrate wrote, for the "
     "trees to use (default: the library's)"},
    {"no-geometry", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(no_geometry),
     "leave the polygons out; needs --adb; only counted queries can then be answered"},
    {"points", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(points),
     "bake the vertices as a set of points, and not the faces, of which PLY without faces, XYZ, "
     "PTS "
     "and ASC have none"},
    {"on-bad", 0, OPTION_CHOICE, NULL, "error|drop", 0, 0, FIELD(on_bad),
     "faces with NaN, infinite or missing corners: write nothing, or drop and list them "
     "(default error)"},
    {"drop", 0, OPTION_TEXT, "LIST", NULL, 0, 0, FIELD(drop),
     "drop and list faces that are degenerate, duplicate, or both, separated by a comma"},
    {"strict", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(strict),
     "a warning, or a file that IN refers to and that is not there, ends in exit status 3 and "
     "nothing is written"},
    {"jobs", 'j', OPTION_INTEGER, "N", NULL, 1, 256, FIELD(threads),
     "threads, over assets and within large ones; the bytes do not depend on it; under make, at "
     "most what its jobserver allows (default: one for each processor)"},
    /* The size is kept as text: its suffix is read only where the settings are converted, and a
     * manifest that is dumped repeats what was written. */
    {"max-memory", 0, OPTION_TEXT, "SIZE", NULL, 0, 0, FIELD(max_memory),
     "memory that all bakes may use together, reading included, in bytes or with K, M or G of "
     "1024, beyond what the command itself uses (see above); an IN that needs more by itself "
     "ends in exit status 4 and writes nothing; with several IN, as many are baked at once as "
     "fit (default 0: no limit)"},
    {"import-memory", 0, OPTION_INTEGER, "MIB", NULL, 0, 1048576, FIELD(import_memory),
     "memory that reading a model may use, in MiB; 0: no limit (default 1792)"},
    {"import-seconds", 0, OPTION_REAL, "S", NULL, 0, 1e6, FIELD(import_seconds),
     "time that reading a model may take; 0: no limit (default 50)"},
    {"manifest", 'm', OPTION_TEXT, "FILE", NULL, 0, 0, FIELD(manifest),
     "bake the assets that this file lists, in YAML or JSON; without IN and without this option, "
     "kiln.yaml here or in the nearest folder above"},
    {"folders", 0, OPTION_CHOICE, NULL, "flat|tree", 0, 0, FIELD(folders),
     "where the outputs of several IN go: all into the folder OUT, or into the folders of their "
     "own paths below it (default flat; in a manifest tree; of an IN that is a folder, the folders "
     "within it)"},
    {"side-files", 0, OPTION_TEXT, "LIST", NULL, 0, 0, FIELD(side_files),
     "folders, separated by colons, in which files that IN refers to may lie besides those of IN, "
     "of the manifest and of the run, and those below them; any: everywhere, for models that are "
     "trusted (default: none)"},
    {"importer", 0, OPTION_TEXT, "DIR", NULL, 0, 0, FIELD(importer),
     "the folder of the programs that read models, kiln-import and others, of this "
     "version of kiln (default: libexec/kiln beside the folder of this command)"},
    {"outputs", 0, OPTION_TEXT, "LIST", NULL, 0, 0, FIELD(outputs),
     "folders, separated by colons, that a manifest may write to besides its own, that of the run "
     "and OUT, and those below them; any: all (default: none)"},
    {"dump-config", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(dump_config),
     "bake nothing and print the complete manifest: every asset with its output and options; "
     "without any input, an example with comments"},
    {"dry-run", 'n', OPTION_FLAG, NULL, NULL, 0, 0, FIELD(dry_run),
     "write nothing, and say of each OUT whether it would be baked, is up to date (with "
     "--if-changed), would come from the cache or be refused; models are not read, only hashed if "
     "need be; the exit status is that of the bake as far as it is known by then: 0 if nothing is "
     "refused"},
    {"prune", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(prune),
     "after a run in which nothing failed, remove the outputs below the folder OUT that an earlier "
     "run with --prune of the same manifest, or of arguments in the same working folder, has "
     "recorded in .kiln-outputs there, and whose sources are gone from where they were; only whole "
     "kiln files made from a source of that name, never through a link; each is reported, unless "
     "-q is given"},
    {"formats", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(formats),
     "bake nothing and print which formats are read, by what, and which of them are checked"},
    {"allow-empty", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(allow_empty),
     "succeed with exit status 0 if a list or a manifest contains no asset, and ignore patterns "
     "that match no file"},
    {"keep-going", 'k', OPTION_FLAG, NULL, NULL, 0, 0, FIELD(keep_going),
     "bake the rest when one fails, and name each failure at the end (the default)"},
    {"fail-fast", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(fail_fast),
     "start no further bake when one has failed"},
    {"if-changed", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(if_changed),
     "do not replace an OUT that was made from the same bytes by the same options and versions"},
    {"cache", 0, OPTION_TEXT, "DIR", NULL, 0, 0, FIELD(cache),
     "look for OUT in this folder first, by a key of what it is made from, and store it there; "
     "the folder is created if necessary; any number of bakes may share it (see kiln cache gc)"},
    {"cache-shared", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(cache_shared),
     "use --cache also where other users may write to its folder; they are trusted then, as any "
     "of them could deliver a file for a model; what is stored has the permissions of that folder, "
     "whatever the umask"},
    {"depfile", 0, OPTION_TEXT, "F", NULL, 0, 0, FIELD(depfile),
     "write rules for make and ninja, to standard output as -: each OUT depends on its IN, all "
     "files that IN refers to, and, for one that is not there, the folder that it would be in"},
    {"annotations", 0, OPTION_CHOICE, NULL, "none|github", 0, 0, FIELD(annotations),
     "how a service that runs the bake is to show errors and warnings; github: as commands of its "
     "workflows, which show them beside the file, at most ten warnings of a step: of equal ones "
     "the first file has one, and one at the end names up to 20 of the others (default none)"},
    {"junit", 0, OPTION_TEXT, "F", NULL, 0, 0, FIELD(junit),
     "write a report for continuous integration as JUnit XML: a test case for each OUT, with its "
     "seconds, what failed and why, and the warnings; where the run ends before the first bake, as "
     "for a wrong option or two IN of one OUT, a single case, \"the plan\", that failed, so that "
     "no "
     "earlier report stands for it (not with --dry-run)"},
    {"report", 0, OPTION_TEXT, "PAGE", NULL, 0, 0, FIELD(report),
     "write a page for a browser: a table of all assets, each with a picture, its triangles, "
     "bytes, "
     "seconds, warnings, what was left out and the cost of its trees, and what has changed since "
     "the page that was there"},
    {"no-seconds", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(no_seconds),
     "leave times out of --report, so that nothing in it depends on the clock"},
    {"depfile-programs", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(depfile_programs),
     "the rules of --depfile also name kiln itself, the program that reads IN and its folder, so "
     "that an upgrade runs them; with --if-changed an OUT that it does not change is left as it "
     "is"},
    {"need-version", 0, OPTION_TEXT, "LIST", NULL, 0, 0, FIELD(need_version),
     "bake nothing, and end in exit status 5, unless the versions that the bytes depend on are "
     "these, as kiln plan writes them: kiln-N,assimp-N,zlib-N"},
    {"progress", 0, OPTION_CHOICE, NULL, "auto|bar|json|none", 0, 0, FIELD(progress),
     "on standard error; auto is a bar on a terminal after a second, and in a log a line for each "
     "tenth of several IN, at most one a second and at least one in ten (default auto)"},
    {"quiet", 'q', OPTION_FLAG, NULL, NULL, 0, 0, FIELD(quiet), "print only errors"},
    {"verbose", 'v', OPTION_FLAG, NULL, NULL, 0, 0, FIELD(verbose),
     "print the full report of each bake, as a terminal gets it for a single IN, even if standard "
     "output is no terminal; on standard error if the file goes to standard output; print equal "
     "warnings every time, and long names whole"},
    OPTION_JSON(bake_settings),
};

/* Fields that are not named are 0, false or NULL. -1 stands for "not given" where 0 is a choice. */
bake_settings bake_settings_default(void)
{
    return (bake_settings){.bv = "obb",
                           .builder = "sah",
                           .leaf = 4,
                           .quality = KILN_QUALITY_DEFAULT - KILN_QUALITY_FAST,
                           .up = -1,
                           .scale = 1.0,
                           .import_memory = 1792,
                           .import_seconds = 50.0,
                           .hole = -1,
                           .adb = -1,
                           .adb_area = -1,
                           .adb_polygons = -1,
                           .adb_regions = -1,
                           .folders = -1};
}

/* The options of the run are named here rather than marked in the table, whose rows are those of
 * every verb. What is not named is about an asset, so a new option reaches manifests by itself. */
bool bake_option_is_of_asset(const option *entry)
{
    static const char *const of_run[] = {"output",       "jobs",        "depfile",
                                         "progress",     "quiet",       "verbose",
                                         "json",         "if-changed",  "cache",
                                         "manifest",     "keep-going",  "dump-config",
                                         "fail-fast",    "folders",     "max-memory",
                                         "need-version", "allow-empty", "outputs",
                                         "cache-shared", "side-files",  "importer",
                                         "formats",      "dry-run",     "prune",
                                         "annotations",  "junit",       "depfile-programs",
                                         "report",       "no-seconds"};
    for (size_t i = 0; i < COUNT_OF(of_run); i++) {
        if (strcmp(of_run[i], entry->name) == 0) {
            return false;
        }
    }
    return true;
}

/* Finds an option of an asset by the name that a manifest uses. NULL stands both for an unknown
 * name and for an option of the run, which a manifest must not set. The name need not end in a 0.
 */
const option *bake_option_find(const char *name, size_t length)
{
    for (size_t i = 0; i < BAKE_OPTION_COUNT; i++) {
        if (strlen(bake_options[i].name) == length &&
            memcmp(bake_options[i].name, name, length) == 0 &&
            bake_option_is_of_asset(&bake_options[i])) {
            return &bake_options[i];
        }
    }
    return NULL;
}

/* Prints a value as YAML takes it. 17 digits make a double survive being read again. Texts are
 * printed by the caller, which quotes them. */
void bake_option_print(const option *entry, const bake_settings *settings)
{
    const void *field = (const char *)settings + entry->field;
    KILN_ASSERT(entry->kind != OPTION_TEXT);
    KILN_ASSERT(entry->field < sizeof *settings);
    switch (entry->kind) {
    case OPTION_FLAG:
        fputs(*(const bool *)field ? "true" : "false", stdout);
        break;
    case OPTION_INTEGER:
        printf("%d", *(const int *)field);
        break;
    case OPTION_REAL:
        printf("%.17g", *(const double *)field);
        break;
    default: { /* a choice, kept as its index */
        const char *choices = entry->choices;
        for (int i = *(const int *)field; i > 0; i--) {
            choices += strcspn(choices, "|") + 1;
        }
        printf("%.*s", (int)strcspn(choices, "|"), choices);
    }
    }
}

/* Copies those fields whose bit is set in `given`, by the size that the kind of an option has.
 * Texts are copied as pointers: what owned them before must outlive `to` as well. */
void bake_settings_overlay(bake_settings *to, const bake_settings *from, uint64_t given)
{
    for (size_t i = 0; i < BAKE_OPTION_COUNT; i++) {
        const option *entry = &bake_options[i];
        if ((given >> i & 1) != 0 && bake_option_is_of_asset(entry)) {
            const size_t size = entry->kind == OPTION_FLAG   ? sizeof(bool)
                                : entry->kind == OPTION_TEXT ? sizeof(const char *)
                                : entry->kind == OPTION_REAL ? sizeof(double)
                                                             : sizeof(int);
            KILN_ASSERT(entry->field + size <= sizeof *to);
            memcpy((char *)to + entry->field, (const char *)from + entry->field, size);
        }
    }
}

size_t bake_settings_files(const bake_settings *settings, bake_file files[BAKE_FILES_MAX])
{
    const bake_file all[BAKE_FILES_MAX] = {{settings->adb_weights, "the weights"},
                                           {settings->trace, "the trace"},
                                           {settings->against, "the other file"}};
    size_t count = 0;
    for (size_t i = 0; i < BAKE_FILES_MAX; i++) {
        if (all[i].path != NULL) {
            files[count++] = all[i];
        }
    }
    return count;
}

/* Reports what is wrong with the options of an asset, or, where it is NULL, of the command line. */
#define REFUSE(asset, ...)                                                                         \
    ((asset) == NULL ? report_usage(__VA_ARGS__) : report_error(EXIT_USAGE, asset, __VA_ARGS__))

int bake_settings_check_given(const bake_settings *settings, uint64_t given, const char *asset)
{
    static const char *const of_heights[] = {"spacing", "heights", "columns", "hole", "diagonal"};
    static const char *const of_meshes[] = {"bv",  "leaf",    "builder", "spheres", "quality",
                                            "fit", "box-fit", "split",   "on-bad"};
    char extension[KILN_EXTENSION_SIZE];
    kiln_extension_of(asset, settings->format, extension);
    const bool heights = kiln_format_is_heights(extension);
    const char *const *names = heights ? of_meshes : of_heights;
    const size_t count = heights ? COUNT_OF(of_meshes) : COUNT_OF(of_heights);
    for (size_t i = 0; i < BAKE_OPTION_COUNT; i++) {
        const char *name = bake_options[i].name;
        const bool served = heights && strcmp(name, "bv") == 0 && strcmp(settings->bv, "aabb") == 0;
        for (size_t k = 0; k < count && (given >> i & 1) != 0 && !served; k++) {
            if (strcmp(names[k], name) == 0) {
                return report_error(EXIT_USAGE, asset,
                                    heights ? "is a height field, for which --%s is of no use, "
                                              "since its tree follows from the grid; leave it out"
                                            : "is no height field, and --%s is of use for nothing "
                                              "else; leave it out",
                                    name);
            }
        }
    }
    return EXIT_DONE;
}

/* "degenerate,duplicate" as bits. */
static int parse_drop(const char *list, const char *asset, unsigned *bits)
{
    static const struct {
        const char *name;
        unsigned bit;
    } names[] = {{"degenerate", KILN_DROP_DEGENERATE}, {"duplicate", KILN_DROP_DUPLICATE}};
    while (*list != '\0') {
        const size_t length = strcspn(list, ",");
        unsigned bit = 0;
        for (size_t i = 0; i < COUNT_OF(names); i++) {
            if (strlen(names[i].name) == length && memcmp(names[i].name, list, length) == 0) {
                bit = names[i].bit;
            }
        }
        if (bit == 0) {
            return REFUSE(asset, "--drop takes degenerate, duplicate, or both, not '%.*s'",
                          (int)length, list);
        }
        *bits |= bit;
        list += length + (list[length] == ',');
    }
    return EXIT_DONE;
}

/* One number or two, separated by a comma. */
static bool parse_numbers(const char *text, int least, double numbers[2])
{
    char *end;
    int count = 0;
    for (const char *at = text; count < 2; at = end + 1) {
        numbers[count] = strtod(at, &end);
        if (end == at) {
            return false;
        }
        count++;
        if (*end != ',') {
            break;
        }
    }
    return *end == '\0' && count >= least;
}

/* Fills the library's options and checks what spans several options. Nothing is written to
 * *options if an option lacks --adb; after the other errors its contents mean nothing. Texts stay
 * those of `settings`, which must outlive the options. */
int bake_settings_convert(const bake_settings *settings, const char *asset,
                          kiln_bake_options *options)
{
    static const int grids[] = {4, 8, 16};
    static const kiln_adb_regions regions[] = {KILN_ADB_OCTANTS, KILN_ADB_SECTORS, KILN_ADB_ONE};
    const bool counting = settings->adb_area >= 0 || settings->adb_factor > 0 ||
                          settings->adb_polygons >= 0 || settings->adb_regions >= 0 ||
                          settings->adb_weights != NULL;
    if (settings->adb < 0 && (counting || settings->no_geometry)) {
        return REFUSE(asset, "%s needs --adb",
                      settings->no_geometry ? "--no-geometry" : "an --adb- option");
    }
    KILN_ASSERT(settings->adb < (int)COUNT_OF(grids));
    KILN_ASSERT(settings->adb_regions < (int)COUNT_OF(regions));
    *options = kiln_bake_options_default();
    options->bv = settings->bv;
    options->builder = settings->builder;
    options->trace = settings->trace;
    options->against = settings->against;
    options->leaf = settings->leaf;
    options->spheres = (kiln_spheres_by)settings->spheres;
    options->points = settings->points;
    options->quality = (kiln_quality)(settings->quality + KILN_QUALITY_FAST); /* choices go up */
    options->fit_to = (kiln_fit_to)settings->fit;
    options->box_fit = (kiln_box_fit)settings->box_fit;
    options->layout = (kiln_layout)settings->layout;
    options->split = (kiln_split)settings->split;
    options->scale = settings->scale;
    options->lossy_grid = settings->lossy_grid;
    options->up = settings->up;
    options->on_bad = (kiln_on_bad)settings->on_bad;
    options->strict = settings->strict;
    options->threads = settings->threads;
    /* The option counts MiB, the library bytes. 1048576 MiB, the most that the table admits, are
     * 2^40 bytes, so the shift stays within 64 bits. */
    options->import_memory = (uint64_t)settings->import_memory << 20;
    options->import_seconds = settings->import_seconds;
    options->columns = settings->columns;
    options->hole = settings->hole;
    options->diagonal = (kiln_heights_diagonal)settings->diagonal;
    if (settings->spacing != NULL && (!parse_numbers(settings->spacing, 1, options->spacing) ||
                                      options->spacing[0] <= 0 || options->spacing[1] < 0)) {
        return REFUSE(asset, "--spacing takes one length above 0, or two as X,Y, not '%s'",
                      settings->spacing);
    }
    if (settings->heights != NULL && !parse_numbers(settings->heights, 2, options->heights)) {
        return REFUSE(asset, "--heights takes two numbers as LOW,HIGH, not '%s'",
                      settings->heights);
    }
    if (settings->heights != NULL && options->heights[0] == options->heights[1]) {
        return REFUSE(asset, "the two numbers of --heights must differ, unlike '%s'",
                      settings->heights);
    }
    options->if_changed = settings->if_changed;
    options->cache = settings->cache;
    options->cache_shared = settings->cache_shared;
    options->side_files = settings->side_files;
    options->importer = settings->importer;
    /* An option of counts that was not given is -1, the factor 0; then the library's default holds.
     */
    options->adb = settings->adb < 0 ? 0 : grids[settings->adb];
    options->adb_area = settings->adb_area == 1 ? KILN_ADB_AREA_BY_MAX : KILN_ADB_AREA_BY_MEAN;
    options->adb_factor = settings->adb_factor;
    options->adb_polygons = settings->adb_polygons == 1 ? KILN_ADB_MEETING_BOX : KILN_ADB_SUBTREE;
    options->adb_regions = regions[settings->adb_regions < 0 ? 0 : settings->adb_regions];
    options->no_geometry = settings->no_geometry;
    options->adb_weights = settings->adb_weights;
    if (settings->max_memory != NULL &&
        !option_size(settings->max_memory, "KMG", &options->max_memory)) {
        return REFUSE(asset,
                      "--max-memory takes a number of bytes, or one with K, M or G, not '%s'",
                      settings->max_memory);
    }
    if (settings->max_bytes != NULL &&
        (!option_size(settings->max_bytes, "KMG", &options->max_bytes) ||
         options->max_bytes == 0)) {
        return REFUSE(asset,
                      "--max-bytes takes a number of bytes above 0, or one with K, M or G, not "
                      "'%s'",
                      settings->max_bytes);
    }
    return settings->drop == NULL ? EXIT_DONE : parse_drop(settings->drop, asset, &options->drop);
}
