/* libkilnbake: bakes a model into a kiln file, in process. The kiln command is a thin layer over it.
 *
 * Import runs in a child process (fork), which on Linux can't write files, start programs or use the
 * network; everything else on the calling thread and on the threads that
 * `threads` allows, all of which have ended when a call returns. Calls do not share state: any number
 * may run at once. No call changes the locale, the working folder, signal handlers or umask. */
#ifndef KILN_BAKE_H
#define KILN_BAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------------------------------- baking -- */

/* Values are the command's exit statuses. */
typedef enum {
    KILN_BAKE_OK = 0,
    KILN_BAKE_USAGE = 1,      /* an option is out of range */
    KILN_BAKE_IO = 2,         /* a file can't be read or written */
    KILN_BAKE_INVALID = 3,    /* the input is broken, or a warning under `strict` */
    KILN_BAKE_FAILED = 4,     /* out of memory, a limit reached, the importer crashed, cancelled */
    KILN_BAKE_UNSUPPORTED = 5 /* a format or feature that this build can't read */
} kiln_bake_status;

/* What to read. */
typedef struct {
    const char *path; /* bytes as the system takes them; also names the input in messages */
    const void *data; /* NULL: read `path`; else the model itself, `size` bytes */
    size_t size;
    const char *format; /* extension such as "obj"; NULL: that of `path` */
} kiln_bake_input;

typedef enum { KILN_ON_BAD_ERROR = 0, KILN_ON_BAD_DROP = 1 } kiln_on_bad;
typedef enum { KILN_LAYOUT_PACKED = 0, KILN_LAYOUT_RAW = 1 } kiln_layout;
/* How much time goes into the trees: FAST seeks no better turn of oriented boxes than the first fit, BEST
 * also cuts triangles by them, with the builder "sah". Queries gain by it, answers never change. */
typedef enum {
    KILN_QUALITY_FAST = -1,
    KILN_QUALITY_DEFAULT = 0,
    KILN_QUALITY_BEST = 1
} kiln_quality;
typedef enum { KILN_SPLIT_NONE = 0, KILN_SPLIT_MESH = 1, KILN_SPLIT_NODE = 2 } kiln_split;
/* Values as a file records them: formats/hierarchy.md, section 12. */
typedef enum { KILN_ADB_AREA_BY_MEAN = 1, KILN_ADB_AREA_BY_MAX = 2 } kiln_adb_area;
typedef enum { KILN_ADB_SUBTREE = 1, KILN_ADB_MEETING_BOX = 2 } kiln_adb_polygons;
typedef enum { KILN_ADB_ONE = 1, KILN_ADB_OCTANTS = 2, KILN_ADB_SECTORS = 3 } kiln_adb_regions;
enum { KILN_LOSSY_BITS_MIN = 4, KILN_LOSSY_BITS_MAX = 24 };
enum { KILN_DROP_DEGENERATE = 1u, KILN_DROP_DUPLICATE = 2u };

/* Set everything by kiln_bake_options_default, then change what you need. */
typedef struct {
    size_t struct_size;
    const char *bv;      /* comma-separated kinds, default "obb" */
    const char *builder; /* default "sah" */
    int leaf;            /* most triangles in a leaf, [1, 15], default 4 */
    kiln_layout layout;
    kiln_split split;
    double scale; /* [> 0, finite], default 1; applied after the source's own unit */
    int up;       /* -1 as the importer gives it; 0 x, 1 y, 2 z: turn the model so that
                                  its up axis becomes this one */
    kiln_on_bad on_bad;
    unsigned drop;          /* KILN_DROP_... */
    bool strict;            /* warnings end in KILN_BAKE_INVALID, nothing written */
    int threads;            /* 0: one a processor; else [1, 256] */
    uint64_t import_memory; /* bytes the importing child may use, default 1792 MiB; 0: no limit */
    double import_seconds;  /* default 50; 0: no limit */
    int lossy_grid; /* 4 to 24: move vertices to a grid of up to 2^lossy_grid steps along the
                                  longest side of the model's box; answers are then exact for the
                                  vertices as moved. Default 0: vertices stay as they are */
    /* Called now and then from the calling thread with the part done [0, 1] of a stage ("import",
     * "build obb", "count obb", "write"); return false to cancel (KILN_BAKE_FAILED). NULL: none. */
    bool (*progress)(void *user, const char *stage, double part);
    void *progress_user;
    /* Counts of possible collision cells for time-critical queries (J. Klein and G. Zachmann,
     * 2003), for every tree. */
    int adb;                /* cells along an edge of each box, 4, 8 or 16; default 0: none */
    kiln_adb_area adb_area; /* a cell is possible from this section of it on, default mean */
    double adb_factor;      /* times this, (0, 1000]; default 0: 0.75 of mean, 0.5 of max */
    kiln_adb_polygons adb_polygons; /* of what: default the polygons below the box */
    kiln_adb_regions adb_regions;   /* default octants */
    bool no_geometry;               /* leave the polygons out: needs adb; exact queries then return
                                  KILN_ERROR_NOT_LOADED */
    const char *adb_weights; /* NULL, or a file that kiln calibrate wrote, or a model with weights:
                                  those for the kinds in `bv` go into the file, whose trees then use
                                  them; needs adb */
    kiln_quality quality;    /* default KILN_QUALITY_DEFAULT; the others are for oriented boxes */
    bool if_changed;     /* leave an output alone that this bake would write again: made from the
                                  same bytes (side files included, absent ones too) by the same
                                  options and versions, and whole. Clocks are not asked */
    const char *cache;   /* NULL, or a folder, made if need be, where files are looked for and
                                  kept by what they were made from; any number of bakers may share it */
    uint64_t max_memory; /* resident bytes, those of files (code) left out, that the bake may take,
                                  the importing child included, beyond what the process has at the call;
                                  default 0: no limit. It is the process that is looked at: bakes at once in
                                  one process count each other's, those in processes of their own do not,
                                  and their limits add up. What is known to need more fails before it begins, what takes more is
                                  stopped (KILN_BAKE_FAILED, nothing written); threads are started
                                  only as they fit. No limit of the process's own is set. Where the
                                  system does not tell (/proc), only what is known counts */
} kiln_bake_options;

/* What kiln bake does without options. */
kiln_bake_options kiln_bake_options_default(void);

typedef struct {
    char name[64]; /* "name" of the tree */
    char bv[8];
    uint32_t triangles, nodes, depth;
    uint64_t bytes_raw, bytes_packed; /* of the nodes */
    double sah_cost;
    uint32_t boxes;        /* with counts, the tree's own among them; 0: not counted */
    uint64_t bytes_counts; /* raw */
} kiln_bake_tree_report;

/* How a call that returned KILN_BAKE_OK came by its file. */
typedef enum {
    KILN_OUTCOME_BAKED = 0,
    KILN_OUTCOME_UP_TO_DATE = 1, /* the output was left as it is */
    KILN_OUTCOME_CACHED = 2      /* it was in the cache */
} kiln_bake_outcome;

/* What happened. Where nothing was baked, the report has what the file tells of its bake: no trees,
 * warnings, dropped faces or seconds. Filled on success and on failure as far as it got; release by
 * kiln_bake_report_free. */
typedef struct {
    char error[1024]; /* "" or "FILE: what; why; what to do" */
    uint64_t faces;   /* triangles in the file */
    uint64_t faces_dropped, points_left_out, lines_left_out;
    uint64_t degenerate, duplicate, polygons_cut;
    uint32_t empty_meshes;
    double unit; /* metres, 0: none declared */
    int up_axis; /* -1: none declared */
    double precision_step;
    double lossy_step;  /* with lossy_grid: a power of two; no coordinate moved more than half */
    double lossy_moved; /* furthest that a vertex moved */
    uint64_t lossy_degenerate; /* triangles that lost their area by it, kept; among degenerate */
    char **warnings;           /* warning_count sentences */
    uint32_t warning_count;
    char **dropped; /* dropped_count lines naming node, mesh and face, each dropped face */
    uint32_t dropped_count;
    char **side_files; /* read besides the model */
    uint32_t side_file_count;
    char **
        absent_files; /* that the model refers to and that are not there, as it names them; it can do
                                  without, as a mesh without its library of materials */
    uint32_t absent_file_count;
    kiln_bake_tree_report *trees;
    uint32_t tree_count;
    uint64_t bytes_source, bytes_file;
    double seconds_import, seconds_build, seconds_write;
    double seconds_count;
    kiln_bake_outcome outcome;
    char cache_error[256]; /* "" or why the cache could not be used or keep the file: no failure */
} kiln_bake_report;

/* Releases what a report holds, and clears it. NULL is allowed. */
void kiln_bake_report_free(kiln_bake_report *report);

/* Bakes `input` into the file `output`, which is replaced whole or left as it was. An `output` that leads
 * to the model, or to a file that it refers to, by whatever name or link, is KILN_BAKE_USAGE. `report` is
 * cleared first; may be NULL. Needs 1 MiB of stack, a copy of which the importing child uses too. */
kiln_bake_status kiln_bake(const kiln_bake_input *input, const char *output,
                           const kiln_bake_options *options, kiln_bake_report *report);

/* The same into memory: *data [*size bytes] is released by free(). */
kiln_bake_status kiln_bake_to_memory(const kiln_bake_input *input, const kiln_bake_options *options,
                                     void **data, size_t *size, kiln_bake_report *report);

/* ----------------------------------------------------------------------------------- the cache -- */

typedef struct {
    uint64_t files, bytes; /* that are left */
    uint64_t files_removed, bytes_removed;
    char error[1024]; /* "" or "FOLDER: what; why; what to do" */
} kiln_cache_report;

/* Makes the cache `folder` no larger than max_bytes by removing what has not been used for longest, and
 * what killed bakers left unfinished, those of other machines a day ago. Bakers may go on using it. Only a cache's own files are
 * touched, and only in a folder that a bake made a cache. KILN_BAKE_USAGE: it is none; KILN_BAKE_IO: it
 * can't be read, or a file not removed. `report` may be NULL. */
kiln_bake_status kiln_cache_gc(const char *folder, uint64_t max_bytes, kiln_cache_report *report);

#ifdef __cplusplus
}
#endif

#endif
