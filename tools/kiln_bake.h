/* libkilnbake: bakes a model into a kiln file inside the calling program. The kiln command is a
 * thin layer over this library.
 *
 * The model is read by a program of its own (`importer`), which on Linux runs in a sandbox: it
 * can't write files, start programs or use the network. It is started by posix_spawn, so that the
 * calling program may have threads, and locks that they hold. All other work runs on the calling
 * thread and on the threads that `threads` allows, which have ended when a call returns. Calls do
 * not share state: any number may run at once. No call changes the locale, the working folder,
 * signal handlers or the umask. */
#ifndef KILN_BAKE_H
#define KILN_BAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------ baking -- */

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
    const char *path; /* bytes, passed to the system unchanged; names the input in messages */
    const void *data; /* NULL: read `path`; else the model itself, `size` bytes */
    size_t size;
    const char *format; /* extension such as "obj"; NULL: that of `path` */
} kiln_bake_input;

typedef enum { KILN_ON_BAD_ERROR = 0, KILN_ON_BAD_DROP = 1 } kiln_on_bad;
typedef enum { KILN_LAYOUT_PACKED = 0, KILN_LAYOUT_RAW = 1 } kiln_layout;
/* How much time is spent on the trees. FAST keeps the orientation of the first fit of each oriented
 * box; DEFAULT searches a better one; BEST also splits triangles by oriented boxes, with the
 * builder "sah". Better trees make queries faster and never change answers. */
typedef enum {
    KILN_QUALITY_FAST = -1,
    KILN_QUALITY_DEFAULT = 0,
    KILN_QUALITY_BEST = 1
} kiln_quality;
/* What the oriented box of an inner node is fitted to: all triangles below it, or the boxes of its
 * two sides in the binary tree, which is looser. Other kinds are fitted to triangles by both. */
typedef enum { KILN_FIT_TO_GEOMETRY = 0, KILN_FIT_TO_CHILDREN = 1 } kiln_fit_to;
/* The orientation of an oriented box. SEARCH takes the best of several and improves it, as the
 * quality says; the others follow one rule: the covariance of the corners (VERTICES), of the
 * surface (AREAS), of the corners or the surface of the convex hull; the least volume of boxes with
 * a side on a facet of the hull. */
typedef enum {
    KILN_BOX_FIT_SEARCH = 0,
    KILN_BOX_FIT_VERTICES = 1,
    KILN_BOX_FIT_AREAS = 2,
    KILN_BOX_FIT_HULL_VERTICES = 3,
    KILN_BOX_FIT_HULL_FACETS = 4,
    KILN_BOX_FIT_VOLUME = 5
} kiln_box_fit;
typedef enum { KILN_SPLIT_NONE = 0, KILN_SPLIT_MESH = 1, KILN_SPLIT_NODE = 2 } kiln_split;
/* How the balls of `sphere` are chosen. LEAST: the smallest around the triangles of each part of
 * the builder's tree. COVER: from the leaves up, in that tree (Quinlan 1994). OCTREE, MEDIAL: by
 * trees of their own, of cells and of balls about the medial axis (Hubbard 1996), without the
 * builder. */
typedef enum {
    KILN_SPHERES_LEAST = 0,
    KILN_SPHERES_COVER = 1,
    KILN_SPHERES_OCTREE = 2,
    KILN_SPHERES_MEDIAL = 3
} kiln_spheres_by;
/* Values as a file records them: formats/hierarchy.md, section 12. */
typedef enum { KILN_ADB_AREA_BY_MEAN = 1, KILN_ADB_AREA_BY_MAX = 2 } kiln_adb_area;
typedef enum { KILN_ADB_SUBTREE = 1, KILN_ADB_MEETING_BOX = 2 } kiln_adb_polygons;
typedef enum { KILN_ADB_ONE = 1, KILN_ADB_OCTANTS = 2, KILN_ADB_SECTORS = 3 } kiln_adb_regions;
/* How the quads of a height field are cut: from the first corner to the opposite one, from the
 * other two, or both in turn. */
typedef enum {
    KILN_HEIGHTS_RISING = 0,
    KILN_HEIGHTS_FALLING = 1,
    KILN_HEIGHTS_ALTERNATE = 2
} kiln_heights_diagonal;
enum { KILN_LOSSY_BITS_MIN = 4, KILN_LOSSY_BITS_MAX = 24 };
enum { KILN_DROP_DEGENERATE = 1u, KILN_DROP_DUPLICATE = 2u };

/* Initialise it with kiln_bake_options_default, then change members. */
typedef struct {
    size_t struct_size;
    const char *bv;      /* comma-separated kinds, default "obb"; "auto": see max_bytes */
    const char *builder; /* "sah" (default), "median", ...: see kiln bake --help */
    int leaf;            /* most triangles in a leaf, [1, 15], default 4 */
    kiln_layout layout;
    kiln_split split;
    double scale; /* [> 0, finite], default 1; applied after the source's own unit */
    /* -1: as the importer gives it; 0 x, 1 y, 2 z: rotate the model so that its up axis becomes
     * this one. */
    int up;
    kiln_on_bad on_bad; /* faces and points; KILN_BAKE_USAGE: dropped samples of a height field */
    /* KILN_DROP_...; KILN_BAKE_USAGE: any of a height field, KILN_DROP_DEGENERATE of points. */
    unsigned drop;
    bool strict; /* a warning or an absent file ends in KILN_BAKE_INVALID, and nothing is written */
    int threads; /* 0: one for each processor; else [1, 256] */
    uint64_t import_memory; /* bytes the importing child may use, default 1792 MiB; 0: no limit */
    double import_seconds;  /* default 50; 0: no limit */
    /* 4 to 24: move vertices to a grid of up to 2^lossy_grid steps along the longest side of the
     * model's bounding box; answers are then exact for the moved vertices. Default 0: vertices are
     * not moved. */
    int lossy_grid;
    /* Called from time to time on the calling thread with the completed fraction [0, 1] of a stage
     * ("import", "build obb", "count obb", "write"); return false to cancel (KILN_BAKE_FAILED).
     * NULL: none. */
    bool (*progress)(void *user, const char *stage, double part);
    void *progress_user;
    /* Counts of possible collision cells for counted queries (J. Klein and G. Zachmann,
     * 2003), for every tree. */
    int adb; /* cells along an edge of each box, 4, 8 or 16; default 0: no counts */
    /* A cell is a possible collision cell if the surface in it is at least this section of the cell
     * (default: the mean) times adb_factor, (0, 1000]; default 0: 0.75 of the mean, 0.5 of the
     * maximum. */
    kiln_adb_area adb_area;
    double adb_factor;
    kiln_adb_polygons adb_polygons; /* which polygons: default those below the box */
    kiln_adb_regions adb_regions;   /* default octants */
    /* Leave the polygons out; needs adb. Exact queries then return KILN_ERROR_NOT_LOADED. */
    bool no_geometry;
    /* NULL, or a file that `kiln calibrate` wrote, or a model with weights: the weights for the
     * kinds in `bv` are stored in the file, whose trees then use them. Needs adb. */
    const char *adb_weights;
    kiln_quality quality; /* default KILN_QUALITY_DEFAULT; the others are for oriented boxes */
    /* Do not replace an output that this bake would write again: one that is complete and was made
     * from the same bytes (side files included, and absent ones still absent) by the same options
     * and versions. Time stamps are not used. */
    bool if_changed;
    /* NULL, or a folder, created if necessary, in which files are stored and found by a key of what
     * they were made from. Any number of bakes may share it. */
    const char *cache;
    /* Resident bytes, not counting those of mapped files (code), that the bake may use in addition
     * to what the process uses at the call, the importing child included; default 0: no limit. The
     * whole process is measured: bakes at the same time in one process count each other's memory,
     * bakes in processes of their own do not, and their limits add up. A bake that is known to need
     * more fails before it begins; one that uses more is stopped (KILN_BAKE_FAILED, nothing
     * written); threads are started only as they fit. No limit of the calling process is changed.
     * Where the system does not report its memory (/proc), only the known need is compared. */
    uint64_t max_memory;
    /* Use a cache whose folder other users may write to, and store files in it with the permissions
     * of that folder, whatever the umask. Default false: such a cache is not used, since whoever
     * writes there could deliver any file for a model. */
    bool cache_shared;
    /* Files that a model refers to are read in the folders of the model and of the process, and
     * below them. NULL, or more folders, separated by colons; "any": everywhere. A file elsewhere
     * is refused (KILN_BAKE_INVALID); links are followed before this is decided. */
    const char *side_files;
    /* NULL, or the folder of the programs that read models (kiln-import and others).
     * NULL: libexec/kiln in the folder of the running program or in one of three above it, and
     * PREFIX/libexec/kiln of the installed library. They must be of the library's own version. */
    const char *importer;
    kiln_spheres_by spheres; /* default KILN_SPHERES_LEAST; of no effect on other kinds */
    kiln_fit_to fit_to;      /* default KILN_FIT_TO_GEOMETRY; for oriented boxes */
    kiln_box_fit box_fit;    /* default KILN_BOX_FIT_SEARCH; for oriented boxes */
    /* With bv "auto": every kind of tree is built with leaves of 2, 4 and 8 triangles by `builder`,
     * the best kind by "reinsert" as well, and the one is kept whose boolean queries cost least at
     * recorded poses, by counts of kiln_collide_work times unit costs that are constants of the
     * version; `leaf` does not count. trace: a text with a line for each pose, of 12, 13, 24 or 26
     * numbers as for `kiln collide --poses`; NULL: poses at random distances (Zachmann 2002).
     * against: the kiln file that the model is queried against; NULL: itself. max_bytes: files that
     * are larger are not chosen; 0: no limit. Not with `split` and `adb`. */
    const char *trace, *against;
    uint64_t max_bytes;
    /* Bake the vertices of the model as a set of points, and not its faces: each vertex is a
     * triangle whose three corners it is, and the index of the vertex in its mesh is its face. A
     * model that is a set of points (PLY without faces; XYZ, PTS, ASC) is baked so by default. */
    bool points;
    /* Height fields, that is, models of the formats pgm, png and r16. Columns go along x; rows come
     * from the greatest y down to 0, so that the field looks as its picture does, and heights go
     * along z. With `up` 1 rows go along z and heights along y. `scale` counts for all of it;
     * `bv`, `leaf`, `builder` and what belongs to them don't count, since the tree follows from the
     * grid. For other models that one of these is given is KILN_BAKE_USAGE. */
    double spacing[2]; /* of columns and of rows, [> 0]; default 0: 1, and of rows as of columns */
    /* Heights of the samples 0 and 65535, or the greatest that the file says; default both 0:
     * sample s is at s. */
    double heights[2];
    int columns; /* of r16, whose file does not say it; default 0: as many as rows */
    int hole;    /* samples of this value are no heights; default -1: all are */
    kiln_heights_diagonal diagonal; /* default KILN_HEIGHTS_RISING */
} kiln_bake_options;

/* Returns the options that `kiln bake` uses without arguments. */
kiln_bake_options kiln_bake_options_default(void);

typedef struct {
    char name[64]; /* "name" of the tree */
    char bv[8];
    uint32_t triangles, nodes, depth;
    uint64_t bytes_raw, bytes_packed; /* size of the nodes */
    double sah_cost;
    uint32_t boxes;        /* boxes with counts, the tree's own included; 0: not counted */
    uint64_t bytes_counts; /* raw */
} kiln_bake_tree_report;

/* What bv "auto" compared. */
typedef struct {
    char bv[8], builder[16];
    int leaf;
    bool chosen;
    uint64_t bytes;       /* of the file */
    uint64_t poses, hits; /* poses that were replayed, and at which they met */
    uint64_t nodes, volume_pairs, triangle_pairs; /* kiln_work, over all poses */
    double cost;                                  /* nanoseconds a query by unit costs */
} kiln_bake_candidate;

/* How a call that returned KILN_BAKE_OK obtained its file. */
typedef enum {
    KILN_OUTCOME_BAKED = 0,
    KILN_OUTCOME_UP_TO_DATE = 1, /* the output was not changed */
    KILN_OUTCOME_CACHED = 2      /* it was in the cache */
} kiln_bake_outcome;

/* The results of a bake. If nothing was baked because the file existed, the report has what the
 * file records about its bake: no trees, warnings, dropped faces or seconds. On failure it is
 * filled as far as the bake went. Release it with kiln_bake_report_free. */
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
    double lossy_moved; /* greatest distance that a vertex moved */
    uint64_t lossy_degenerate; /* triangles that lost their area, kept; included in degenerate */
    char **warnings;           /* warning_count sentences */
    uint32_t warning_count;
    char **dropped; /* dropped_count lines, one a dropped face, with node, mesh and face */
    uint32_t dropped_count;
    char **side_files; /* files that were read in addition to the model */
    uint32_t side_file_count;
    /* Files that the model refers to and that do not exist, by the names in the model. It can be
     * baked without them, for example a mesh without its material library. */
    char **absent_files;
    uint32_t absent_file_count;
    kiln_bake_tree_report *trees;
    uint32_t tree_count;
    uint64_t bytes_source, bytes_file;
    double seconds_import, seconds_build, seconds_write;
    double seconds_count;
    kiln_bake_outcome outcome;
    /* "", or why the cache could not be used; the bake does not fail by it */
    char cache_error[256];
    kiln_bake_candidate *candidates; /* of bv "auto", in the order in which they were tried */
    uint32_t candidate_count;
    bool points; /* the file is a set of points, which `faces` counts */
} kiln_bake_report;

/* Frees the contents of a report and clears it. NULL is allowed. */
void kiln_bake_report_free(kiln_bake_report *report);

/* Bakes `input` into the file `output`, which is either replaced as a whole or not changed. An
 * `output` that is the model or a file that the model refers to, by any name or link, is
 * KILN_BAKE_USAGE. `report` is cleared first; it may be NULL. Needs 1 MiB of stack, in the
 * importing child as well. */
kiln_bake_status kiln_bake(const kiln_bake_input *input, const char *output,
                           const kiln_bake_options *options, kiln_bake_report *report);

/* Bakes `input` into memory: the caller frees *data [*size bytes] with free(). Otherwise as
 * kiln_bake. */
kiln_bake_status kiln_bake_to_memory(const kiln_bake_input *input, const kiln_bake_options *options,
                                     void **data, size_t *size, kiln_bake_report *report);

/* ------------------------------------------------------------------------ meshes from memory -- */

/* A part of a model in memory: what a mesh and the node that shows it are in a file. Arrays are
 * only read, and only during the call. Initialise it with zeros and struct_size. */
typedef struct {
    size_t struct_size; /* sizeof(kiln_mesh) of the caller, the same in all parts */
    const char *name;   /* of mesh and node; NULL: "mesh" */
    /* Vertices [vertex_count][3], in floats or in doubles; the other is NULL. Doubles are taken as
     * those of files are: as a float and another that holds what its rounding leaves over, 48 bits
     * in all, so that they have to lie within the range of floats before `scale`. After `scale` and
     * `up` they are rounded to floats, with a warning where that matters. Equal positions become
     * one vertex. */
    const float *vertices;
    const double *vertices_double;
    size_t vertex_count;
    const uint32_t *triangles; /* [triangle_count][3], indices of the part's vertices */
    size_t triangle_count;
    const uint32_t *values; /* [triangle_count], of the user (material); NULL: all 0 */
    /* Names of values 0 .. material_count - 1. A value has one name in all parts: the longest list
     * counts for all, and those of other parts are beginnings of it, or NULL. Where no part has
     * any, 0 is "DefaultMaterial", as of files that name none. Other values have no name. */
    const char *const *materials;
    size_t material_count;
} kiln_mesh;

/* Bakes the meshes `parts` [count] into the file `output`, as kiln_bake does a model with these
 * triangles: the same checks (KILN_BAKE_INVALID, with node, mesh and face of what is wrong), the
 * same options, report, cache, progress and limits, and the same bytes but for what the file
 * records of its source. That is, in the meta document, no name, the format "memory" and the hash
 * of the arrays; and the build key, which has them. The face of a triangle (kiln_source.face) is
 * its index in its part, its mesh that of the part. No program is started: `import_seconds` and
 * `import_memory` bound what is left, and `importer` and `side_files` are of no use.
 * KILN_BAKE_USAGE: `parts` is NULL or count 0, an array is NULL and its count is not 0, both kinds
 * of vertices, other sizes of parts, a value with two names, more than 2^31 vertices or corners.
 * `report` is cleared first; it may be NULL. Any number of threads. */
kiln_bake_status kiln_bake_mesh(const kiln_mesh *parts, size_t count, const char *output,
                                const kiln_bake_options *options, kiln_bake_report *report);

/* Bakes the meshes into memory: the caller frees *data [*size bytes] with free(); it is untouched
 * on failure. Otherwise as kiln_bake_mesh. */
kiln_bake_status kiln_bake_mesh_to_memory(const kiln_mesh *parts, size_t count,
                                          const kiln_bake_options *options, void **data,
                                          size_t *size, kiln_bake_report *report);

/* --------------------------------------------------------------------------------- the cache -- */

typedef struct {
    uint64_t files, bytes; /* that remain */
    uint64_t files_removed, bytes_removed;
    char error[1024]; /* "" or "FOLDER: what; why; what to do" */
} kiln_cache_report;

/* Reduces the cache `folder` to at most max_bytes by removing the files that have not been used for
 * the longest time, and the unfinished files of bakes that were killed (on other machines: after a
 * day). Bakes may use the cache at the same time. Only a cache's own files are removed, and only in
 * a folder that a bake has made a cache. KILN_BAKE_USAGE: it is no cache; KILN_BAKE_IO: it can't be
 * read, or a file can't be removed. `report` may be NULL. */
kiln_bake_status kiln_cache_gc(const char *folder, uint64_t max_bytes, kiln_cache_report *report);

/* What kiln_cache_gc would do now: fills the report in the same way and changes nothing. Whether a
 * file can be removed shows only when that is tried. */
kiln_bake_status kiln_cache_gc_look(const char *folder, uint64_t max_bytes,
                                    kiln_cache_report *report);

#ifdef __cplusplus
}
#endif

#endif
