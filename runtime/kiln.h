/* kiln: exact collision queries on hierarchies baked in advance.
 *
 *     kiln_file *ship = NULL, *rock = NULL;
 *     if (kiln_open("ship.kiln", NULL, &ship) == KILN_OK &&
 *         kiln_open("rock.kiln", NULL, &rock) == KILN_OK) {
 *         kiln_pose pose;
 *         kiln_hit hit;
 *         kiln_pose_from_quaternion(quaternion_xyzw, translation, &pose);
 *         if (kiln_collide(kiln_file_tree(ship, 0), NULL, kiln_file_tree(rock, 0), &pose, NULL,
 *                          &hit) == KILN_OK && hit.found)
 *             printf("triangle %u meets triangle %u\n", hit.pair.a, hit.pair.b);
 *     }
 *     kiln_close(rock);
 *     kiln_close(ship);
 *
 * What a mesh is: a set of closed triangles, edges and corners included. Touching is a hit. A mesh
 * wholly inside another that touches it nowhere is not a hit: surfaces are compared, not solids; for these see
 * kiln_locate_mesh.
 *
 * What an answer is: that of exact arithmetic on the stored float32 vertices of one tree and the
 * vertices of the other carried into its frame in double precision. Which of the two is carried is
 * decided by the contents of the trees alone, so swapping A and B changes nothing; equal poses cancel
 * out exactly. The answer does not depend on the kind of tree, the order of traversal, the number of
 * threads, the instruction set, the caller's rounding mode, flush-to-zero flags or floating-point
 * exception masks.
 *
 * How a query is put together: trees at poses, which may scale them; what is asked; options, NULL for the
 * default, with a filter of triangles in them; where the answer goes. Whatever names a triangle has its
 * id and its user value (material). Queries of two meshes take kiln_pair_options, those of one
 * kiln_query_options.
 *
 * Callbacks must return: nothing may be thrown, or jump, through the library.
 *
 * Threads: a file and its trees never change between open and close; any number of threads may query
 * them at once. Closing a file while a query runs on it is the caller's error. No query allocates;
 * a query needs at most 96 KiB of stack, and at most 48 KiB on trees whose depths add up to no more
 * than 40 (see kiln_tree_info), which holds for the 8-wide trees of every mesh that was not made to
 * break the rule. Opening a packed file, or advancing in one, takes at most 224 KiB of stack on
 * each thread that unpacks.
 *
 * Damaged and hostile files: opened in full, as is the default, a file is taken only if every checksum and
 * every rule of the format holds, and then no query reads or writes outside it and the query's own memory,
 * loops for ever or overruns its stack, whatever the bytes are. That a checksum was not forged together with the
 * bytes, and that boxes contain their triangles, no opening proves: a file that was made to lie may
 * answer wrongly, and kiln verify tells. KILN_OPEN_TRUSTED gives all of this up.
 *
 * Mapped files: a file that is truncated or written to by another process while it is mapped can
 * raise SIGBUS or give other answers; replace files by rename, as the kiln command does. */
#ifndef KILN_H
#define KILN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KILN_VERSION_MAJOR 0
#define KILN_VERSION_MINOR 1
#define KILN_VERSION_PATCH 0
#define KILN_VERSION_STRING "0.1.0"

#if defined(KILN_SHARED) && defined(__GNUC__)
#define KILN_API __attribute__((visibility("default")))
#else
#define KILN_API
#endif

/* ------------------------------------------------------------------------------------ status -- */

/* Every status with its value, its text and, beside it, the cure. Values are fixed for good. */
#define KILN_STATUS_LIST(X)                                                                        \
    X(KILN_OK, 0, "done")                                                                          \
    /* the system: look at the path, its rights, the disk */                                       \
    X(KILN_ERROR_NOT_FOUND, 10, "no such file")                                                    \
    X(KILN_ERROR_IO, 11, "the file can't be read")                                                 \
    X(KILN_ERROR_NOT_A_FILE, 12, "not a regular file")                                             \
    X(KILN_ERROR_MEMORY, 13, "out of memory")                                                      \
    /* the file: bake it again, or fetch it again where it came from */                            \
    X(KILN_ERROR_NOT_KILN, 20, "not a kiln file")                                                  \
    X(KILN_ERROR_VERSION, 21, "baked by another version of the format")                            \
    X(KILN_ERROR_TRUNCATED, 22, "not a complete file")                                             \
    X(KILN_ERROR_CHECKSUM, 23, "a checksum does not match: the file is damaged")                   \
    X(KILN_ERROR_RULE, 24, "a rule of the format is broken")                                       \
    X(KILN_ERROR_FEATURE, 25, "needs a feature that this version does not know")                   \
    X(KILN_ERROR_INFLATE, 26, "a compressed block can't be decoded")                               \
    X(KILN_ERROR_NOT_LOADED, 27, "not in this file, or left out when it was opened")               \
    X(KILN_ERROR_PARTIAL, 28, "not enough of the file is there yet")                               \
    /* the call: mend the caller */                                                                \
    X(KILN_ERROR_ARGUMENT, 30, "an argument is null or out of range")                              \
    X(KILN_ERROR_POSE, 31, "the pose is not a rotation, a finite translation and a scale")         \
    X(KILN_ERROR_OPEN_MESH, 32, "the mesh is not closed, so it has no inside")

typedef enum {
#define KILN_STATUS_ENUM(name, value, text) name = value,
    KILN_STATUS_LIST(KILN_STATUS_ENUM)
#undef KILN_STATUS_ENUM
} kiln_status;

/* The text of a status, in English, never NULL. Static; any thread. */
KILN_API const char *kiln_status_text(kiln_status status);

/* "0.1.0", of the library that is running. Static; any thread. */
KILN_API const char *kiln_version(void);

/* What was wrong with a file, in full. `message` is always terminated. */
typedef struct {
    kiln_status status;
    uint32_t rule;   /* KILN_ERROR_RULE: number of the rule in formats/hierarchy.md; else 0 */
    uint64_t offset; /* byte in the file where it was seen (decoded byte within the section for
                           rules about the contents of compressed sections) */
    char message[192];
} kiln_error;

/* ------------------------------------------------------------------------------------- files -- */

typedef struct kiln_file kiln_file; /* owns the map or the decoded arrays */
typedef struct kiln_tree kiln_tree; /* lives as long as its file */

/* Where memory comes from. `allocate` returns NULL when there is none; `alignment` is a power of
 * two. `release` gets the size that was asked for. Both may be called from kiln_open* and
 * kiln_close only, on the calling thread. */
typedef struct {
    void *(*allocate)(void *user, size_t size, size_t alignment);
    void (*release)(void *user, void *memory, size_t size);
    void *user;
} kiln_allocator;

/* Runs task(context, 0) ... task(context, count - 1), in any order, on any threads, and returns when
 * all are done. Given to kiln_open, it decodes packed blocks in parallel; a task needs 256 KiB of
 * stack. */
typedef void (*kiln_parallel)(void *user, void (*task)(void *context, uint32_t index),
                              void *context, uint32_t count);

enum {
    /* Check header, section table and sizes only; no checksum, no rule about contents. It is the caller's
     * promise that these very bytes were opened without it once, say at install time, and have not changed
     * since. On any others calls may crash, hang, read outside the file or answer wrongly without a word,
     * whether they were opened whole or in part. Never for files that users or a net can change. */
    KILN_OPEN_TRUSTED = 1u,
    /* Do not load the map from triangle to source (parts, faces, user values). Saves memory and, on
     * packed files, time. kiln_tree_source then returns KILN_ERROR_NOT_LOADED. */
    KILN_OPEN_NO_SOURCE = 2u,
    /* Do not load the counts of time-critical queries, which then return KILN_ERROR_NOT_LOADED. Saves memory
     * and, on packed files, time. */
    KILN_OPEN_NO_COUNTS = 4u
};

/* Kinds of bounding volume, as bits for kiln_open_options.bv_mask. */
typedef enum {
    KILN_BV_OBB = 1,  /* oriented boxes, eight children a node, quantised */
    KILN_BV_AABB = 2, /* axis-aligned boxes, eight children a node, quantised */
    KILN_BV_OBB2 = 3, /* oriented boxes in floats, two children a node */
    KILN_BV_AABB2 = 4 /* axis-aligned boxes in floats, two children a node */
} kiln_bv;

/* Set everything by kiln_open_options_default, then change what you need. */
typedef struct {
    size_t struct_size;       /* sizeof(kiln_open_options) of the caller */
    uint32_t flags;           /* KILN_OPEN_... */
    uint32_t bv_mask;         /* load only trees of these kinds, 1 << kiln_bv; 0: all */
    kiln_allocator allocator; /* all zero: malloc and free */
    kiln_parallel parallel;   /* NULL: decode on the calling thread */
    void *parallel_user;
    kiln_error *error; /* NULL, or filled when opening fails */
} kiln_open_options;

/* No flags, trees of all kinds, malloc and free, one thread, no error told. */
KILN_API kiln_open_options kiln_open_options_default(void);

/* Opens a baked file held in memory.
 * `data` [size bytes, any alignment] must stay as it is until kiln_close; NULL is an argument error.
 * On a multiple of 64 bytes a raw file is used in place; otherwise its sections are copied once.
 * `options` may be NULL for defaults: everything is verified, with what that is worth at the head of this
 * file; with KILN_OPEN_TRUSTED next to nothing is.
 * On success *out owns the file. On error *out is NULL and nothing is kept; errors are KILN_ERROR_...
 * from MEMORY to ARGUMENT, NOT_LOADED for a sound file that is no model but a filled-bins table. Cost: verified, about a pass over the bytes; trusted raw, microseconds. */
KILN_API kiln_status kiln_open_memory(const void *data, size_t size,
                                      const kiln_open_options *options, kiln_file **out);

/* The same for a file on disk, mapped read-only where the system can. Errors also NOT_FOUND, IO,
 * NOT_A_FILE (a folder, a fifo, a device). `path` is bytes, as the system takes them. */
KILN_API kiln_status kiln_open(const char *path, const kiln_open_options *options, kiln_file **out);

/* Releases the file and its trees. NULL is allowed. */
KILN_API void kiln_close(kiln_file *file);

/* -------------------------------------------------- files of which not all is there yet --
 *
 * Files begin with what is needed first. Of one that still comes from a disk or a net
 *   - kiln_collide_boxes answers from the boxes that are there: "no" is proved, "perhaps" more often than later;
 *   - time-critical queries (kiln_adb_...), not hybrid, answer where the file has counts: pairs of boxes whose nodes
 *     are not there are decided as leaves are, and what is left undecided is part of the probability;
 *   - kiln_tree_get_info tells all;
 *   - all other queries of triangles return KILN_ERROR_PARTIAL, outputs untouched, until all is there. Then the
 *     file is as one opened at once, and its trees are at the same addresses.
 * Before its nodes come, a tree is the box of its vertices.
 *
 *     size_t have = receive(buffer, 0);
 *     kiln_file *file = NULL;
 *     while (kiln_open_partial(buffer, have, NULL, &file) == KILN_ERROR_PARTIAL)
 *         have = receive(buffer, have);
 *     ... each frame: have = receive(buffer, have), kiln_file_advance(file, buffer, have, NULL), queries ...
 *
 * Whatever the bytes are, no query reads what is not there: all that arrives is verified before it is used, block by
 * block, and all rules about whole files when all is there. With KILN_OPEN_TRUSTED there are no checksums, and
 * what is there is not looked at once more when all is: damaged bytes may then crash a query or have it answer
 * wrongly, before all is there and after. Raw sections are one block, so packed
 * files answer sooner. Threads: kiln_file_advance changes the trees of its file, so that no query may run on them
 * meanwhile; between two of these, any number. What kiln_adb_begin asked before may go on after it, but boxes that
 * it has seen as leaves stay so: better ask anew. */

/* Opens a file of which the first `available` bytes are at `data` [any alignment]. They are copied, so `data` need not
 * stay. Options as for kiln_open_memory, but that `parallel` is not used.
 * KILN_ERROR_PARTIAL: too little to know the trees; options->error->offset is how many bytes are needed at least.
 * Other errors as kiln_open_memory. On error *out is NULL and nothing is kept. Memory: what the whole file
 * takes unpacked, at once, by what its header says: for files that nobody vouches for, set an allocator with a limit. */
KILN_API kiln_status kiln_open_partial(const void *data, size_t available,
                                       const kiln_open_options *options, kiln_file **out);

/* Takes what has arrived since: now the first `available` bytes of the same file are at `data`, which may be elsewhere.
 * KILN_OK also where nothing new could be used, and for a file that is there wholly. On an error
 * (KILN_ERROR_ARGUMENT, CHECKSUM, INFLATE, RULE), told in *error where that is not NULL, what was there stays in use; after
 * CHECKSUM and INFLATE the right bytes may be given again. A file that breaks a RULE stays as a box for each
 * tree, and says so again. Cost: decoding and checking what is new, a pass over the headers of nodes, and when all is there
 * that of verifying them once more. */
KILN_API kiln_status kiln_file_advance(kiln_file *file, const void *data, size_t available,
                                       kiln_error *error);

typedef struct {
    bool complete; /* all is there */
    uint64_t size; /* of the whole file */
    uint64_t
        next; /* bytes from its start with which kiln_file_advance finds more; size when complete */
} kiln_file_loaded;

/* How much of a file is there. All zero for NULL. */
KILN_API kiln_file_loaded kiln_file_get_loaded(const kiln_file *file);

typedef struct {
    bool complete;    /* exact queries are answered */
    uint32_t nodes;   /* that are there, of kiln_tree_info.node_count */
    uint32_t levels;  /* of nodes that are there wholly, of kiln_tree_info.depth; 0: a box only */
    double triangles; /* part of them whose leaf's box is there, 0 to 1 */
} kiln_tree_loaded;

/* How deep a tree is loaded. All zero for NULL. */
KILN_API kiln_tree_loaded kiln_tree_get_loaded(const kiln_tree *tree);

/* ------------------------------------------------------------------------- trees and triangles -- */

/* Trees of the file that were loaded, in the file's order. 0 for NULL. */
KILN_API uint32_t kiln_file_tree_count(const kiln_file *file);

/* Tree number `index`, or NULL when there is none. */
KILN_API const kiln_tree *kiln_file_tree(const kiln_file *file, uint32_t index);

/* First tree with this name (NULL: any) and kind (0: any), or NULL. */
KILN_API const kiln_tree *kiln_file_find(const kiln_file *file, const char *name, unsigned bv);

/* The document that the bake left about itself, UTF-8 JSON, not terminated; its length in *size.
 * NULL, and *size untouched, for NULL, with KILN_OPEN_NO_SOURCE, and until all of a file is there. */
KILN_API const char *kiln_file_meta(const kiln_file *file, size_t *size);

/* How often each edge of a mesh is passed by the outlines of its triangles. Edges are told apart by the
 * coordinates of their ends, and corners that are equal make none. */
typedef enum {
    KILN_MESH_OPEN = 0, /* neither of these */
    KILN_MESH_EVEN = 1, /* an even number of times: an inside is defined by parity */
    KILN_MESH_CLOSED =
        2 /* as often one way as the other: an inside is defined by winding numbers */
} kiln_mesh_closed;

typedef struct {
    const char *name;    /* of the tree, UTF-8; lives as long as the file */
    const char *bv_name; /* "obb", "aabb", "obb2", "aabb2" */
    kiln_bv bv;
    uint32_t triangle_count;
    uint32_t node_count;
    uint32_t node_size;    /* bytes */
    uint32_t depth;        /* nodes on the longest path */
    uint32_t leaf_max;     /* triangles */
    float bounds_lower[3]; /* exact box of the vertices, the mesh's own frame */
    float bounds_upper[3];
    uint8_t geometry_hash[16];
    uint32_t adb_grid; /* possible collision cells are counted on a grid of so many cells along
                                 an edge of each box: 4, 8 or 16; 0: not counted */
    kiln_mesh_closed closed;
    bool polygons; /* false: baked without; exact queries return KILN_ERROR_NOT_LOADED */
} kiln_tree_info;

/* Facts of a tree. All zero for NULL. */
KILN_API kiln_tree_info kiln_tree_get_info(const kiln_tree *tree);

/* Where a triangle came from. */
typedef struct {
    uint32_t triangle;     /* id: position among the triangles of the import */
    uint32_t face;         /* 0-based. OBJ, PLY, STL, OFF: face record in the file; other formats:
                                 face within its mesh and primitive */
    uint32_t user;         /* material index */
    uint32_t mesh;         /* index of the mesh in the scene */
    uint32_t primitive;    /* index within the mesh */
    const char *node_path; /* UTF-8, "/root/arm/hand"; lives as long as the file */
    const char *mesh_name;
    const char *material; /* name, "" where there is none */
} kiln_source;

/* Fills *out for the triangle with this id. KILN_ERROR_ARGUMENT for a null pointer or an id that is
 * not in the file; KILN_ERROR_NOT_LOADED with KILN_OPEN_NO_SOURCE; *out is then untouched.
 * Cost: O(log parts). */
KILN_API kiln_status kiln_tree_source(const kiln_tree *tree, uint32_t triangle, kiln_source *out);

/* Corners of the triangle with this id: corner, coordinate; the mesh's own frame. Errors as
 * kiln_tree_source; KILN_ERROR_NOT_LOADED for a file without polygons. Cost: a search over the file's
 * triangles, O(n): for reports, not for inner loops. */
KILN_API kiln_status kiln_tree_corners(const kiln_tree *tree, uint32_t triangle,
                                       float corners[3][3]);

/* User value (material index) of a triangle id; 0 where there is none. Cost: one load, or O(log parts)
 * where all triangles of a part have the same. */
KILN_API uint32_t kiln_tree_user(const kiln_tree *tree, uint32_t triangle);

/* ------------------------------------------------------------------------------------- poses -- */

/* p_world = rotation * (scale * p) + translation. A rotation that departs from orthonormal by at most 1e-6
 * (largest entry of R^T R - I) is used as given, as an affine map. Anything else (a mirror, another
 * length, NaN, a translation component over 1e60, a scale out of range) is KILN_ERROR_POSE in every call,
 * never a "no". All calls that take a pose take its scale.
 *
 * What scales do to answers: of two meshes, the ratio of the scales times the rotation carries the one into
 * the frame of the other, and the translation over the other's scale. Where the scales are powers of two
 * nothing more is rounded than without them; else the ratio, its products and that quotient are, each
 * once. Distances, depths, tolerances and points are in the frame that poses lead to ("world"); distances
 * and depths come from those in the frame of comparison by one multiplication. Equal poses of one mesh
 * meet in all of it, whatever the scales. */
#define KILN_SCALE_MIN 9.313225746154785e-10 /* 2^-30 */
#define KILN_SCALE_MAX 1073741824.0          /* 2^30 */

typedef struct {
    double rotation[9];    /* row-major */
    double translation[3]; /* unit: that of the world */
    double
        scale; /* KILN_SCALE_MIN to KILN_SCALE_MAX, along all axes; 1: as it was baked. 0 is an error */
} kiln_pose;

/* No rotation, no translation, scale 1. */
KILN_API kiln_pose kiln_pose_identity(void);

/* Scale 1, and a rotation from a quaternion {x, y, z, w} whose length is within 1e-3 of 1; it is normalised. q and
 * -q give the same pose. `translation` NULL: none. KILN_ERROR_POSE for another length, NaN or an
 * infinity; KILN_ERROR_ARGUMENT for NULL; *out is then untouched. */
KILN_API kiln_status kiln_pose_from_quaternion(const double quaternion[4],
                                               const double translation[3], kiln_pose *out);

/* ------------------------------------------------------------------- queries of two meshes -- */

typedef struct {
    uint32_t a;       /* triangle id in the tree given as A */
    uint32_t b;       /* triangle id in the tree given as B */
    uint32_t value_a; /* their user values, as by kiln_tree_user */
    uint32_t value_b;
} kiln_pair;

/* Where in a file two triangles are, to start the next query there. All 0: nowhere. A hint of other
 * trees, or any other numbers, may cost time and never changes an answer. */
typedef struct {
    uint32_t a, b;
} kiln_hint;

/* Does a pair of triangles count? Runs with the floating-point environment that the query was called with;
 * must not close the files. What it says of a pair must not change during a query: how often and in which
 * order it is asked is not promised. The answer is then that for the pairs that it keeps: those that it
 * refuses neither meet nor are near. */
typedef bool (*kiln_pair_filter)(void *user, kiln_pair pair);

/* Of queries of two meshes. Set everything by kiln_pair_options_default, then change what you need. */
typedef struct {
    size_t struct_size; /* sizeof(kiln_pair_options) of the caller */
    kiln_pair_filter
        filter; /* NULL: all count. Cost: where pairs first found are refused, the search goes on */
    void *filter_user;
    /* kiln_distance only: */
    double beyond; /* >= 0: farther surfaces need not be measured. Infinity, the default: all are */
    double
        relative; /* >= 0, finite. The distance may exceed the least one by this part of it and */
    double absolute; /* >= 0, finite. by this much; 0 and 0, the default: the least itself */
    /* kiln_distance and kiln_within: */
    kiln_hint hint; /* of a query before, at nearly the same poses: answers sooner */
} kiln_pair_options;

/* No filter, no hint; of distances the least itself, however far. */
KILN_API kiln_pair_options kiln_pair_options_default(void);

typedef struct {
    bool found; /* the rest is 0 where not */
    kiln_pair
        pair; /* two triangles that meet, or are near; which pair it is may differ between tree kinds
                       and library versions */
    kiln_hint hint; /* of these two */
} kiln_hit;

/* Do the surfaces meet? Poses NULL: identity. Options NULL: defaults. A and B may be one tree.
 * KILN_OK: *hit is the answer. KILN_ERROR_ARGUMENT (null tree or hit), KILN_ERROR_POSE, or
 * KILN_ERROR_NOT_LOADED (a tree was baked without polygons): *hit is untouched. Any number of threads. No allocation. */
KILN_API kiln_status kiln_collide(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                                  const kiln_pose *pose_b, const kiln_pair_options *options,
                                  kiln_hit *hit);

/* Do boxes overlap all the way down to leaves? *found false: the surfaces do not meet, which is
 * proved. True: they may; the smaller the leaves, the likelier. As kiln_collide, but leaves are not
 * looked into, so that trees need no polygons and there is no KILN_ERROR_NOT_LOADED. The answer
 * depends on the kind of tree and its leaves. */
KILN_API kiln_status kiln_collide_boxes(const kiln_tree *a, const kiln_pose *pose_a,
                                        const kiln_tree *b, const kiln_pose *pose_b, bool *found);

/* Do two closed triangles, or segments or points, meet? Corner k is at [3 k]; both in one frame.
 * Exact, as above. KILN_ERROR_ARGUMENT (NULL, or a coordinate that is neither 0 nor of a magnitude
 * from 2^-250 to 2^250): *meet is untouched. Any number of threads. */
KILN_API kiln_status kiln_triangles_meet(const double a[9], const double b[9], bool *meet);

/* All pairs of triangles that meet, each once.
 * *count is the exact number of pairs, also when it exceeds `capacity`; then `pairs` holds the first
 * `capacity` in ascending order of (a, b). What is stored is always sorted so. `pairs` may be NULL
 * when capacity is 0. Errors as kiln_collide, with pairs and *count untouched. Cost: the whole
 * overlap of the trees, and n log n for sorting. */
KILN_API kiln_status kiln_contacts(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                                   const kiln_pose *pose_b, const kiln_pair_options *options,
                                   kiln_pair *pairs, size_t capacity, size_t *count);

/* Called for each pair as it is found; return false to stop. Must not close the files. Runs with the
 * floating-point environment that the query was called with. */
typedef bool (*kiln_pair_callback)(void *user, kiln_pair pair);

/* All pairs through a callback, each once, in no promised order. *count (may be NULL) counts the
 * calls. Errors as kiln_collide. */
KILN_API kiln_status kiln_contacts_each(const kiln_tree *a, const kiln_pose *pose_a,
                                        const kiln_tree *b, const kiln_pose *pose_b,
                                        const kiln_pair_options *options,
                                        kiln_pair_callback callback, void *user, size_t *count);

/* Where and how two triangles meet. Points and the normal are in the frame that the poses lead to
 * ("world"). All numbers are finite, whatever the triangles are. */
typedef struct {
    kiln_pair pair;
    kiln_hint hint; /* of these two */
    double from
        [3]; /* ends of the segment in which they meet, as near as doubles come to it; one point */
    double
        to[3]; /* twice where they touch in one. Of triangles in one plane: the two points of what
                          they have in common that are farthest from each other */
    double normal
        [3]; /* unit, from B to A: moving A's triangle along it by `depth` parts the two, and no
                          other movement that parts them is shorter (edges count as shorter only by over
                          2^-20 of it). Where one triangle lies on the other's face, that face's normal: B's,
                          or A's reversed. For two segments on a line, or points, any unit vector across */
    double depth; /* >= 0, in units of the world; of two triangles, and so an estimate for solids. 0
                          for triangles in one plane and where a corner, an edge or a face of one lies on
                          the other's face from one side; within rounding of it for two edges that touch */
} kiln_contact;

/* All pairs of triangles that meet, as kiln_contacts, with their geometry. Points are computed from the
 * triangles as they are compared (see the top), and are in the boxes of both there; they do not depend on the
 * kinds of tree, and swapping A and B reverses normals alone. *count is the exact number of pairs, also when it
 * exceeds `capacity`; `contacts` holds the first in ascending order of (a, b), and may be NULL when
 * capacity is 0. Errors as kiln_collide, with contacts and *count untouched. Cost: that of kiln_contacts, and
 * about a microsecond for each that is stored. */
KILN_API kiln_status kiln_contacts_geometry(const kiln_tree *a, const kiln_pose *pose_a,
                                            const kiln_tree *b, const kiln_pose *pose_b,
                                            const kiln_pair_options *options,
                                            kiln_contact *contacts, size_t capacity, size_t *count);

typedef struct {
    size_t count;         /* of pairs that meet; the rest is 0 where there is none */
    kiln_contact deepest; /* of equal ones the first in order of (a, b) */
    double lower[3];      /* box of the ends of all contacts, world */
    double upper[3];
} kiln_contacts_summary;

/* All contacts in one: how many, the deepest, and where they are. No buffer is needed. Errors as
 * kiln_collide, with *summary untouched. Cost: about a microsecond for each pair more than kiln_contacts. */
KILN_API kiln_status kiln_contacts_summarise(const kiln_tree *a, const kiln_pose *pose_a,
                                             const kiln_tree *b, const kiln_pose *pose_b,
                                             const kiln_pair_options *options,
                                             kiln_contacts_summary *summary);

/* -------------------------------------------------------------------------------- distances -- */

/* How far apart two surfaces are is the least distance of two of their triangles, in the frame in which
 * they are compared (see the top). Each of these is computed in double and certified: it is within 2^-43
 * of the extent of the two triangles together (the largest difference of a coordinate between two of their
 * six corners) of the true one, and mostly within its last digits. It is 0 exactly where
 * kiln_collide says that they meet, and above 0 where it does not.
 *
 * The least of them does not depend on the kind of tree, the order of A and B or anything else that
 * kiln_collide does not depend on, to the last bit. Of pairs that are equally near, the
 * one counts whose triangle has the lower id in the mesh with the lower geometry hash, then in the other;
 * so the pair and the points are the same everywhere, too. There are two exceptions: which pair it is
 * where surfaces meet, as for kiln_collide; and meshes over 2^20 times their sizes apart, where the
 * distance is within 2^-38 of itself of the least and that of the pair named. */

typedef struct {
    bool found;      /* false: they are farther apart than options.beyond */
    double distance; /* in units of the world; beyond where not found */
    kiln_pair pair;  /* the two triangles, and all below: 0 where not found */
    double point_a
        [3]; /* on A's triangle, in the frame that the poses lead to ("world"), rounded there */
    double point_b[3]; /* on B's. Where they meet both are the middle of what they have in common */
    double normal[3];  /* unit, from B to A, same frame: that of the contact where they meet */
    kiln_hint hint;    /* for the next query */
} kiln_nearest;

/* The distance of the surfaces. Poses NULL: identity. Options NULL: defaults. A and B may be one
 * tree. With a tolerance which pair is found may differ between kinds of tree; with an absolute one a
 * distance above 0 says nothing of whether they meet.
 * KILN_OK: *nearest is the answer. KILN_ERROR_ARGUMENT (null tree or nearest, an option out of range or NaN),
 * KILN_ERROR_POSE, KILN_ERROR_NOT_LOADED (a tree was baked without polygons): *nearest is untouched. Any
 * number of threads. No allocation. Cost: some microseconds to tens of them; more where many pairs are
 * equally near, as between parallel planes of many triangles, all of which are looked at unless there is a
 * tolerance (relative = 1e-9 will do). */
KILN_API kiln_status kiln_distance(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                                   const kiln_pose *pose_b, const kiln_pair_options *options,
                                   kiln_nearest *nearest);

/* Are the surfaces within `distance` of each other, that is, is what kiln_distance gives <= `distance`?
 * 0 asks whether they meet, and is answered as kiln_collide does. Where the true distance differs from
 * `distance` by no more than the rounding stated above, either answer may come, the same everywhere; to be
 * sure not to miss any, add that margin. *hit: the answer, and a pair that is that near.
 * KILN_ERROR_ARGUMENT (null tree or hit, distance negative or NaN), KILN_ERROR_POSE,
 * KILN_ERROR_NOT_LOADED: *hit is untouched. Any number of threads. No allocation. */
KILN_API kiln_status kiln_within(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                                 const kiln_pose *pose_b, double distance,
                                 const kiln_pair_options *options, kiln_hit *hit);

/* -------------------------------------------------------------------------------------- rays -- */

/* The points origin + t direction with t_min <= t <= t_max, in the frame that the tree's pose leads
 * to (world). Answers are those of exact arithmetic on the stored vertices and the ray carried into the
 * tree's own frame: R^-1 (origin - translation) / scale, R^-1 direction and the ends of t / scale, in
 * double precision, R^-1 by cofactors. So they are the same for all kinds of tree. */
typedef struct {
    double origin[3];    /* within 1e60 */
    double direction[3]; /* of any length: t counts in it. Its largest coordinate is from 1e-30 to
                            1e30 in magnitude; coordinates below 2^-160 count as 0 */
    double t_min, t_max; /* infinities are allowed; below 2^-290 in magnitude they count as 0, above
                            2^400, which no hit exceeds, as infinite */
} kiln_ray;

/* The segment between two points, neither of them NULL: t from 0 to 1. Points that are equal make a ray that
 * queries refuse. */
KILN_API kiln_ray kiln_ray_between(const double from[3], const double to[3]);

/* Where a ray meets a triangle: before its front, to which the normal (b - a) x (c - a) of its corners
 * points; from behind; or in its plane, as it does all triangles without area. */
typedef enum { KILN_SIDE_FRONT = 1, KILN_SIDE_BACK = 2, KILN_SIDE_EDGE = 3 } kiln_side;

/* Which sides are passed over. KILN_SIDE_EDGE never is. */
typedef enum { KILN_CULL_NONE = 0, KILN_CULL_BACK = 1, KILN_CULL_FRONT = 2 } kiln_cull;

/* Does a triangle take part? `value` is its user value. Runs with the floating-point environment that
 * the query was called with; must not close the file. What it says of a triangle must not change
 * during a query: how often and in which order it is asked is not promised. The answer is then
 * that for the mesh without the triangles that it refuses. */
typedef bool (*kiln_triangle_filter)(void *user, uint32_t triangle, uint32_t value);

/* Of queries of one mesh: rays and shapes. Set everything by kiln_query_options_default, then change what you need. */
typedef struct {
    size_t struct_size;          /* sizeof(kiln_query_options) of the caller */
    kiln_triangle_filter filter; /* NULL: all take part */
    void *filter_user;
    kiln_cull cull; /* rays only */
} kiln_query_options;

/* No filter, nothing culled. */
KILN_API kiln_query_options kiln_query_options_default(void);

typedef struct {
    bool found;        /* the rest is 0 where not */
    uint32_t triangle; /* id */
    uint32_t value;    /* its user value, as by kiln_tree_user */
    kiln_side side;
    double t; /* within 2^-40 of itself, and within the ray's ends but for that error. In the
                          triangle's plane: where the ray first meets it, t_min if it starts there */
    double weights[3]; /* barycentric: the point is their sum with the corners, in the order of
                          kiln_tree_corners; within 2^-30, of 0 to 1; exactly 0 where the ray meets the
                          edge opposite the corner */
    double
        normal[3]; /* (b - a) x (c - a), of length 1, in the ray's frame; 0 for a triangle without
                          area. The pose's departure from a rotation is not made up for */
} kiln_ray_hit;

/* The first triangle that the ray meets: that of the smallest t as it is told, of equal ones that of
 * the smallest id. Triangles are closed, so a ray that meets an edge or a corner is never lost between
 * two of them. Pose NULL: identity. Options NULL: defaults.
 * KILN_OK: *hit is the answer. KILN_ERROR_ARGUMENT (null tree, ray or hit; a number of the ray that is NaN or
 * out of range; t_min > t_max; an unknown cull), KILN_ERROR_POSE, KILN_ERROR_NOT_LOADED (a tree without polygons):
 * *hit is untouched. Any number of threads. No allocation; 32 KiB of stack. */
KILN_API kiln_status kiln_ray_closest(const kiln_tree *tree, const kiln_pose *pose,
                                      const kiln_ray *ray, const kiln_query_options *options,
                                      kiln_ray_hit *hit);

/* Does the ray meet any triangle? Stops at one, which may differ between kinds of tree and versions of
 * the library. Otherwise as kiln_ray_closest. */
KILN_API kiln_status kiln_ray_any(const kiln_tree *tree, const kiln_pose *pose, const kiln_ray *ray,
                                  const kiln_query_options *options, kiln_ray_hit *hit);

/* All triangles that the ray meets, each once. *count is their exact number, also when it exceeds
 * `capacity`; `hits` holds the first `capacity` in ascending order of (t, triangle). `hits` may be NULL when
 * capacity is 0. Errors as kiln_ray_closest, with hits and *count untouched. */
KILN_API kiln_status kiln_ray_all(const kiln_tree *tree, const kiln_pose *pose, const kiln_ray *ray,
                                  const kiln_query_options *options, kiln_ray_hit *hits,
                                  size_t capacity, size_t *count);

/* Called for each hit as it is found; return false to stop. As kiln_pair_callback otherwise. */
typedef bool (*kiln_ray_callback)(void *user, const kiln_ray_hit *hit);

/* All hits through a callback, each once, in no promised order. *count (may be NULL) counts the
 * calls. Errors as kiln_ray_closest. */
KILN_API kiln_status kiln_ray_each(const kiln_tree *tree, const kiln_pose *pose,
                                   const kiln_ray *ray, const kiln_query_options *options,
                                   kiln_ray_callback callback, void *user, size_t *count);

/* ------------------------------------------------------------------------------------ shapes -- */

/* Boxes, spheres and capsules against the surface of a mesh, touching included. A mesh wholly inside
 * a box or ball is met, one that wholly encloses it is not.
 *
 * Shapes are solid and stand in a frame of their own at a pose of their own: an axis-aligned box at a pose is
 * an oriented one, and a pose that scales scales the shape. The mesh's vertices are carried into that frame
 * in double precision, as those of one mesh into the other's, then compared:
 * boxes exactly. For spheres and capsules let e be 2^-40 of the largest number that takes part (radius, or
 * distance of a corner from the shape's middle on an axis): a triangle at a distance of at most the radius
 * is told, one at more than the radius and 2 e is not, between them the library's fixed arithmetic
 * decides, equally for all kinds of tree. */
typedef enum { KILN_SHAPE_BOX = 1, KILN_SHAPE_SPHERE = 2, KILN_SHAPE_CAPSULE = 3 } kiln_shape_kind;

typedef struct {
    kiln_shape_kind kind;
    double a[3],
        b[3]; /* box: lower and upper corner, a <= b; sphere: a is the centre; capsule: the ends of
                          its segment. Within 1e60 */
    double radius; /* sphere, capsule: [0, 1e60] */
} kiln_shape;

typedef struct {
    bool found;        /* the rest is 0 where not */
    uint32_t triangle; /* id */
    uint32_t value;    /* its user value, as by kiln_tree_user */
} kiln_triangle_hit;

/* Does the shape meet the surface? Which triangle is told may differ between kinds of tree and
 * versions of the library. Poses NULL: identity. Options NULL: defaults; `cull` is not looked at.
 * KILN_OK: *hit is the answer. KILN_ERROR_ARGUMENT (null tree, shape or hit; an unknown kind; a number that is
 * NaN or out of range; a > b), KILN_ERROR_POSE, KILN_ERROR_NOT_LOADED: *hit is untouched. Any number of
 * threads. No allocation; 32 KiB of stack. */
KILN_API kiln_status kiln_overlap_any(const kiln_tree *tree, const kiln_pose *pose,
                                      const kiln_shape *shape, const kiln_pose *pose_shape,
                                      const kiln_query_options *options, kiln_triangle_hit *hit);

/* All triangles that the shape meets, each once. *count is their number, also when it exceeds
 * `capacity`; `hits` holds the first `capacity` in ascending order of ids, and may be NULL when that is 0.
 * Errors as kiln_overlap_any, with hits and *count untouched. */
KILN_API kiln_status kiln_overlap_all(const kiln_tree *tree, const kiln_pose *pose,
                                      const kiln_shape *shape, const kiln_pose *pose_shape,
                                      const kiln_query_options *options, kiln_triangle_hit *hits,
                                      size_t capacity, size_t *count);

/* Called for each triangle as it is found; return false to stop. As kiln_pair_callback otherwise. */
typedef bool (*kiln_triangle_callback)(void *user, const kiln_triangle_hit *hit);

/* All of them through a callback, each once, in no promised order. *count (may be NULL) counts the
 * calls. Errors as kiln_overlap_any. */
KILN_API kiln_status kiln_overlap_each(const kiln_tree *tree, const kiln_pose *pose,
                                       const kiln_shape *shape, const kiln_pose *pose_shape,
                                       const kiln_query_options *options,
                                       kiln_triangle_callback callback, void *user, size_t *count);

/* --------------------------------------------------------------------------- inside, outside -- */

/* Containment, of which surface queries say nothing. What is inside a mesh: with kiln_tree_info.closed
 * KILN_MESH_CLOSED, the points about which the surface winds, so that shells may overlap, and one turned the
 * other way inside another makes a hollow; with KILN_MESH_EVEN, those from which a way out crosses
 * an odd number of triangles. Whether a baked mesh is closed was found out at bake. Answers are exact, in
 * the terms of the head of this file, and the same for all kinds of tree. */
typedef enum {
    KILN_PLACE_OUTSIDE = 0,
    KILN_PLACE_INSIDE = 1,
    KILN_PLACE_SURFACE = 2, /* a point on the surface; surfaces that touch or cross */
    KILN_PLACE_PARTED = 3   /* of a mesh: no contact, some triangles inside and others outside */
} kiln_place;

/* Where is a point [3]? It is given in the frame that the pose leads to, and carried into the tree's
 * like a ray's origin. Pose NULL: identity.
 * KILN_OK: *place is the answer. KILN_ERROR_ARGUMENT (null tree, point or place, a coordinate that is NaN or over 1e60),
 * KILN_ERROR_POSE, KILN_ERROR_NOT_LOADED, KILN_ERROR_OPEN_MESH: *place is untouched. Any number of threads. No
 * allocation; 32 KiB of stack. Cost: that of a ray that meets all on its way. */
KILN_API kiln_status kiln_locate_point(const kiln_tree *tree, const kiln_pose *pose,
                                       const double point[3], kiln_place *place);

/* Where is the mesh B, all of it, to the mesh A? B need not be closed. Errors as kiln_collide, and
 * KILN_ERROR_OPEN_MESH for A; *place is then untouched. Cost: that of kiln_collide; where there is no contact,
 * of a point in each part of B that is as large as its distance from A allows. */
KILN_API kiln_status kiln_locate_mesh(const kiln_tree *a, const kiln_pose *pose_a,
                                      const kiln_tree *b, const kiln_pose *pose_b,
                                      kiln_place *place);

#ifdef __cplusplus
}
#endif

#endif
