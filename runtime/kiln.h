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
 * Meshes. A mesh is a set of closed triangles: edges and corners belong to them. Touching is a hit.
 * A mesh that lies wholly inside another and touches it nowhere is not a hit, because surfaces are
 * compared and not solids; kiln_locate_mesh answers for solids.
 *
 * Answers. An answer is that of exact arithmetic on the stored float32 vertices of one tree and on
 * the vertices of the other tree after they were transformed into its frame in double precision,
 * where coordinates below 2^-250 in magnitude count as 0; so do those of points and rays that are
 * transformed into a tree's frame. Of poses that are no rotations kiln_pose says more.
 * The contents of the trees alone decide which of the two is transformed, so swapping A and B
 * changes nothing, and equal poses cancel exactly. An answer does not depend on the kind of tree,
 * the order of traversal, the number of threads, the instruction set, or the caller's rounding
 * mode, flush-to-zero flags and floating-point exception masks.
 *
 * Arguments. Every query takes trees with their poses, which may scale; then what is searched for;
 * then options, where NULL means the defaults and where a filter of triangles can be set; and last
 * the address of the result. A result that names a triangle gives its id and its user value
 * (material). Queries of two meshes take kiln_pair_options, queries of one mesh kiln_query_options.
 *
 * Callbacks must return: they must not throw exceptions or jump through the library.
 *
 * Threads: a file and its trees never change between open and close, so any number of threads may
 * query them at once. The caller must not close a file while a query uses it. No query allocates
 * memory. A query needs at most 96 KiB of stack, and at most 48 KiB where the depths of its trees
 * add up to no more than 40 (see kiln_tree_info), which holds for the 8-wide trees of all meshes
 * except those that are made to break the bound. Opening a packed file, or advancing in one, takes
 * at most 224 KiB of stack on each thread that decompresses.
 *
 * Damaged and hostile files. By default a file is verified in full when it is opened: it is
 * accepted only if every checksum and every rule of the format holds. After that no query reads or
 * writes outside the file and the query's own memory, loops forever or overruns its stack, whatever
 * the bytes are. Opening does not prove that checksums were not forged together with the data, nor
 * that boxes contain their triangles: a file that was made to deceive may give wrong answers, which
 * `kiln verify` detects. KILN_OPEN_TRUSTED gives up all of these guarantees.
 *
 * Mapped files. kiln_open maps a file. Of a packed file, and with KILN_OPEN_COPY of any file,
 * everything is copied and the map is gone when the call returns: whatever another process writes
 * into the file meanwhile, the call returns an error or a file to which all of the above applies,
 * although its bytes need not be those of one moment. A raw file is used in place as long as it is
 * open, and a private map does not keep it as it was: if another process then overwrites it, the
 * guarantees above are void, and calls may crash, hang, read outside the file or give other
 * answers. In both cases a file that is truncated while it is mapped can raise SIGBUS. Replace
 * files by renaming, as the kiln command does; open with KILN_OPEN_COPY raw files that are in
 * folders to which others can write. The same holds for memory that is shared with others.
 */
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

/* Every status with its value, its text and its remedy. Values never change. */
#define KILN_STATUS_LIST(X)                                                                        \
    X(KILN_OK, 0, "done")                                                                          \
    /* the system: look at the path, its rights, the disk */                                       \
    X(KILN_ERROR_NOT_FOUND, 10, "no such file")                                                    \
    X(KILN_ERROR_IO, 11, "the file can't be read")                                                 \
    X(KILN_ERROR_NOT_A_FILE, 12, "not a regular file")                                             \
    X(KILN_ERROR_MEMORY, 13, "out of memory")                                                      \
    X(KILN_ERROR_LIMIT, 14, "needs more memory than kiln_open_options.memory_limit")               \
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
    /* the call: correct the caller */                                                             \
    X(KILN_ERROR_ARGUMENT, 30, "an argument is null or out of range")                              \
    X(KILN_ERROR_POSE, 31,                                                                         \
      "the pose has no inverse, a number out of range, or no rotation where one is needed")        \
    X(KILN_ERROR_OPEN_MESH, 32, "the mesh is not closed, so it has no inside")                     \
    X(KILN_ERROR_STOPPED, 33, "the caller stopped the query")                                      \
    X(KILN_ERROR_FULL, 34, "no room for another object, or for an event")                          \
    X(KILN_ERROR_NO_OBJECT, 35, "no object has this id")                                           \
    X(KILN_ERROR_KIND, 36, "trees of this kind can't be refitted")

typedef enum {
#define KILN_STATUS_ENUM(name, value, text) name = value,
    KILN_STATUS_LIST(KILN_STATUS_ENUM)
#undef KILN_STATUS_ENUM
} kiln_status;

/* Returns the English text of a status, never NULL. Static; any thread. */
KILN_API const char *kiln_status_text(kiln_status status);

/* Returns the version of the running library, such as "0.1.0". Static; any thread. */
KILN_API const char *kiln_version(void);

/* Why a file was refused. `message` always ends in a zero byte. */
typedef struct {
    kiln_status status;
    uint32_t rule; /* with KILN_ERROR_RULE: its number in formats/hierarchy.md; else 0 */
    /* Byte in the file where the error was found. For rules about the contents of a compressed
     * section it is the byte in the decoded section. */
    uint64_t offset;
    char message[192];
} kiln_error;

/* ------------------------------------------------------------------------------------- files -- */

typedef struct kiln_file kiln_file; /* owns the map or the decoded arrays */
typedef struct kiln_tree kiln_tree; /* lives as long as its file */

/* The caller's allocator. `allocate` returns NULL when there is no memory; `alignment` is a power
 * of two. `release` receives the size that was allocated. Both are called by kiln_open*,
 * kiln_file_advance, kiln_bins_open*, kiln_axes_open* and the matching close functions only, on the
 * calling thread. */
typedef struct {
    void *(*allocate)(void *user, size_t size, size_t alignment);
    void (*release)(void *user, void *memory, size_t size);
    void *user;
} kiln_allocator;

/* The caller's thread pool: runs task(context, 0) ... task(context, count - 1) in any order on any
 * threads, and returns when all of them are finished. kiln_open uses it to decode packed blocks in
 * parallel. A task needs 256 KiB of stack. */
typedef void (*kiln_parallel)(void *user, void (*task)(void *context, uint32_t index),
                              void *context, uint32_t count);

enum {
    /* Check only the header, the section table and sizes; no checksum and no rule about contents.
     * With this flag the caller promises that the same bytes were opened without it before, for
     * example at install time, and have not changed since. With any other bytes calls may crash,
     * hang, read outside the file or give wrong answers without an error, whether the file was
     * opened whole or in part. Never use it for files that users or a network can change. */
    KILN_OPEN_TRUSTED = 1u,
    /* Do not load the map from triangles to their source (parts, faces, user values). This saves
     * memory and, with packed files, time. kiln_tree_source then returns KILN_ERROR_NOT_LOADED. */
    KILN_OPEN_NO_SOURCE = 2u,
    /* Do not load the counts of counted queries (kiln_adb.h), which then return
     * KILN_ERROR_NOT_LOADED. This saves memory and, with packed files, time. */
    KILN_OPEN_NO_COUNTS = 4u,
    /* Copy every section, so that nothing is used in place: `data` may be freed after the call,
     * and a file on disk is not mapped any longer. For raw files that others may write to while
     * they are open; see "Mapped files" at the head of this file. */
    KILN_OPEN_COPY = 8u
};

/* Kinds of bounding volume, as bits for kiln_open_options.bv_mask. */
typedef enum {
    KILN_BV_OBB = 1,   /* oriented boxes, eight children a node, quantised */
    KILN_BV_AABB = 2,  /* axis-aligned boxes, eight children a node, quantised */
    KILN_BV_OBB2 = 3,  /* oriented boxes in floats, two children a node */
    KILN_BV_AABB2 = 4, /* axis-aligned boxes in floats, two children a node */
    /* Boxes cut off by slabs along diagonals, eight children a node, quantised. DOP6 is the box,
     * DOP14 has no corners, DOP18 no edges, DOP24 no edges and six of the eight corners, DOP26
     * neither. */
    KILN_BV_DOP14 = 5,
    KILN_BV_DOP6 = 6,
    KILN_BV_DOP18 = 7,
    KILN_BV_DOP24 = 8,
    KILN_BV_DOP26 = 9,
    KILN_BV_SPHERE = 10, /* balls, eight children a node, quantised */
    /* Cells of an octree, eight children a node, quantised: a triangle may be in several leaves,
     * and is still one triangle, one pair and one hit in every answer. */
    KILN_BV_OCTREE = 11
} kiln_bv;

/* Initialise it with kiln_open_options_default, then change members. */
typedef struct {
    size_t struct_size;       /* sizeof(kiln_open_options) of the caller */
    uint32_t flags;           /* KILN_OPEN_... */
    uint32_t bv_mask;         /* load only trees of these kinds, 1 << kiln_bv; 0: all */
    kiln_allocator allocator; /* all zero: malloc and free */
    kiln_parallel parallel;   /* NULL: decode on the calling thread */
    void *parallel_user;
    kiln_error *error; /* NULL, or receives the details when opening fails */
    /* Most bytes of memory that the file may take, unpacked sections and scratch included; what is
     * mapped does not count. 0: no limit. A packed file can be thousands of times smaller than its
     * contents: set it for files from untrusted sources. KILN_ERROR_LIMIT is returned before more
     * is allocated, and the message says how much is needed. */
    uint64_t memory_limit;
} kiln_open_options;

/* Returns the defaults: no flags, trees of all kinds, malloc and free, one thread, no error
 * details, no limit of memory. */
KILN_API kiln_open_options kiln_open_options_default(void);

/* Opens a baked file that is in memory. `data` [size bytes, any alignment] must not change until
 * kiln_close, or only until the call returns if the file is packed or KILN_OPEN_COPY is set; NULL
 * is an argument error. A raw file at a multiple of 64 bytes is used in place; otherwise its
 * sections are copied once. `options` may be NULL for the defaults: everything is
 * verified, with the guarantees at the head of this file. On success *out owns the file. On error
 * *out is NULL and no memory is held; errors are KILN_ERROR_... from MEMORY to ARGUMENT, and
 * NOT_LOADED for a valid file that holds a filled-bins table and no model. Cost: about one pass
 * over the bytes when verified; microseconds for a trusted raw file. */
KILN_API kiln_status kiln_open_memory(const void *data, size_t size,
                                      const kiln_open_options *options, kiln_file **out);

/* Opens a file on disk, mapped read-only where the system supports it; otherwise as
 * kiln_open_memory. Errors also KILN_ERROR_NOT_FOUND, IO, NOT_A_FILE (a folder, a fifo, a device).
 * `path` is a string of bytes, passed to the system unchanged. */
KILN_API kiln_status kiln_open(const char *path, const kiln_open_options *options, kiln_file **out);

/* Closes the file and frees its trees. NULL is allowed. */
KILN_API void kiln_close(kiln_file *file);

/* -------------------------------------------------- files of which not all is there yet --
 *
 * A file begins with the data that is needed first. While the rest still arrives:
 *   - kiln_collide_boxes uses the boxes that have arrived: "no" is proved; "perhaps" is more
 *     frequent than later;
 *   - counted queries (kiln_adb_...), except hybrid ones, answer if the file has counts: a
 *     pair of boxes whose nodes have not arrived is decided as a pair of leaves, and its
 *     uncertainty enters the probability;
 *   - kiln_tree_get_info is complete;
 *   - all other queries of triangles return KILN_ERROR_PARTIAL and leave their outputs untouched
 *     until the whole file has arrived. From then on the file is as if opened at once, with its
 *     trees at the same addresses.
 *
 * Before its nodes arrive, a tree is the box of its vertices.
 *
 *     size_t have = receive(buffer, 0);
 *     kiln_file *file = NULL;
 *     while (kiln_open_partial(buffer, have, NULL, &file) == KILN_ERROR_PARTIAL)
 *         have = receive(buffer, have);
 *     ... each frame:
 *         have = receive(buffer, have);
 *         kiln_file_advance(file, buffer, have, NULL);
 *         ... queries ...
 *
 * Whatever the bytes are, no query reads data that has not arrived. Arriving data is verified block
 * by block before it is used, and the rules about whole files are checked when everything has
 * arrived. With KILN_OPEN_TRUSTED there are no checksums and no such final check: damaged bytes may
 * make a query crash or answer wrongly, before the file is complete and after. A raw section is one
 * block, so packed files answer sooner. Threads: kiln_file_advance changes the trees of its file,
 * so no query may run on them during the call; between two calls any number may. A query that
 * kiln_adb_begin started before the call may continue after it, but boxes that it has met as leaves
 * remain leaves: it is better to start it again. */

/* Opens a file of which the first `available` bytes are at `data` [any alignment]. They are copied,
 * so `data` may be freed or reused afterwards. Options are those of kiln_open_memory, except that
 * `parallel` is not used. KILN_ERROR_PARTIAL: the trees are not known yet; options->error->offset
 * is the least number of bytes that is needed. Other errors as kiln_open_memory. On error *out is
 * NULL and no memory is held. Memory: the unpacked size of the whole file, allocated at once, as
 * its header states: for files from untrusted sources, set options->memory_limit. */
KILN_API kiln_status kiln_open_partial(const void *data, size_t available,
                                       const kiln_open_options *options, kiln_file **out);

/* Takes the data that has arrived since the last call: the first `available` bytes of the same file
 * are now at `data`, which may be another address. KILN_OK is also returned if nothing new could be
 * used, and for a complete file. On an error (KILN_ERROR_ARGUMENT, MEMORY, LIMIT, CHECKSUM,
 * INFLATE, RULE), described in *error if that is not NULL, the data that was in use stays in use.
 * After CHECKSUM and INFLATE the correct bytes may be given again. A file that breaks a RULE, or
 * for whose last check there is no memory, remains a box for each tree, and each further call
 * returns the same error. Cost: decoding and checking the new data, a pass over the headers of
 * nodes, and at completion one verification of all nodes. */
KILN_API kiln_status kiln_file_advance(kiln_file *file, const void *data, size_t available,
                                       kiln_error *error);

typedef struct {
    bool complete; /* the whole file has arrived */
    uint64_t size; /* bytes of the whole file */
    uint64_t next; /* bytes from the start that the next progress needs; size when complete */
} kiln_file_loaded;

/* Returns how much of a file has arrived. All zero for NULL. */
KILN_API kiln_file_loaded kiln_file_get_loaded(const kiln_file *file);

typedef struct {
    bool complete;  /* exact queries are possible */
    uint32_t nodes; /* nodes that have arrived, of kiln_tree_info.node_count */
    /* levels that have arrived completely, of kiln_tree_info.depth; 0: only a box */
    uint32_t levels;
    double triangles; /* the part of all triangles whose leaf boxes have arrived, 0 to 1 */
} kiln_tree_loaded;

/* Returns how deep a tree is loaded. All zero for NULL. */
KILN_API kiln_tree_loaded kiln_tree_get_loaded(const kiln_tree *tree);

/* ----------------------------------------------------------------------- trees and triangles -- */

/* Returns the number of trees that were loaded from the file. 0 for NULL. */
KILN_API uint32_t kiln_file_tree_count(const kiln_file *file);

/* Returns tree number `index` in the file's order, or NULL if there is none. */
KILN_API const kiln_tree *kiln_file_tree(const kiln_file *file, uint32_t index);

/* Returns the first tree with this name (NULL: any) and this kind, a kiln_bv (0: any), or NULL. */
KILN_API const kiln_tree *kiln_file_find(const kiln_file *file, const char *name, unsigned bv);

/* Returns the document that the bake wrote about itself: UTF-8 JSON without a final zero byte, with
 * its length in *size. NULL, with *size untouched, for NULL, with KILN_OPEN_NO_SOURCE, and until
 * the whole file has arrived. */
KILN_API const char *kiln_file_meta(const kiln_file *file, size_t *size);

/* Whether a mesh has an inside, by how often the outlines of its triangles run along each edge.
 * Edges are identified by the coordinates of their ends; two equal corners make no edge. */
typedef enum {
    KILN_MESH_OPEN = 0,  /* neither of the following */
    KILN_MESH_EVEN = 1,  /* an even number of times: parity defines an inside */
    KILN_MESH_CLOSED = 2 /* equally often in both directions: winding numbers define an inside */
} kiln_mesh_closed;

typedef struct {
    const char *name;    /* of the tree, UTF-8; lives as long as the file */
    const char *bv_name; /* "obb", "aabb", ... "dop26", "sphere", "octree" */
    kiln_bv bv;
    uint32_t triangle_count;
    uint32_t node_count;
    uint32_t node_size;    /* bytes */
    uint32_t depth;        /* nodes on the longest path */
    uint32_t leaf_max;     /* triangles */
    float bounds_lower[3]; /* exact box of the vertices, the mesh's own frame */
    float bounds_upper[3];
    uint8_t geometry_hash[16];
    /* Cells along an edge of the grid on which possible collision cells were counted in each box:
     * 4, 8 or 16; 0: they were not counted. */
    uint32_t adb_grid;
    kiln_mesh_closed closed;
    bool polygons; /* false: baked without; exact queries return KILN_ERROR_NOT_LOADED */
} kiln_tree_info;

/* Returns the properties of a tree. All zero for NULL. */
KILN_API kiln_tree_info kiln_tree_get_info(const kiln_tree *tree);

/* The origin of a triangle in the source model. */
typedef struct {
    uint32_t triangle; /* id: index among the imported triangles */
    /* 0-based. OBJ, PLY, STL, OFF: the face record in the file; other formats: the face in its mesh
     * and primitive. */
    uint32_t face;
    uint32_t user;         /* material index */
    uint32_t mesh;         /* index of the mesh in the scene */
    uint32_t primitive;    /* index within the mesh */
    const char *node_path; /* UTF-8, "/root/arm/hand"; lives as long as the file */
    const char *mesh_name;
    const char *material; /* name, "" where there is none */
} kiln_source;

/* Finds the origin of the triangle with this id. KILN_ERROR_ARGUMENT for a null pointer or an id
 * that is not in the file; KILN_ERROR_NOT_LOADED with KILN_OPEN_NO_SOURCE; *out is then untouched.
 * Cost: O(log parts). */
KILN_API kiln_status kiln_tree_source(const kiln_tree *tree, uint32_t triangle, kiln_source *out);

/* Copies the corners of the triangle with this id: [corner][coordinate], in the mesh's own frame.
 * Errors as kiln_tree_source; KILN_ERROR_NOT_LOADED for a file without polygons. Cost: a search
 * over the file's triangles, O(n): meant for reports, not for inner loops. */
KILN_API kiln_status kiln_tree_corners(const kiln_tree *tree, uint32_t triangle,
                                       float corners[3][3]);

/* Returns the user value (material index) of a triangle id; 0 where there is none. Cost: one load,
 * or O(log parts) where all triangles of a part have the same value. */
KILN_API uint32_t kiln_tree_user(const kiln_tree *tree, uint32_t triangle);

/* Copies the corners of all triangles of the tree: those of the triangle with id t < `count` to
 * corners[9 t] to corners[9 t + 8], corner by corner, in the mesh's own frame and in the winding of
 * the source; of a copy that follows moving vertices, where they are now. Ids are those of
 * kiln_source.triangle; ids of other trees of the file, and such as are not in it, get NaN. With
 * `count` that of kiln_tree_triangle_limit all are stored. KILN_ERROR_ARGUMENT (NULL; `corners`
 * may be NULL when count is 0), KILN_ERROR_NOT_LOADED (a file without polygons),
 * KILN_ERROR_PARTIAL (not all has arrived): the output is then untouched. Any number of threads.
 * No allocation. Cost: a pass over the tree's triangles and `corners`. */
KILN_API kiln_status kiln_tree_triangles(const kiln_tree *tree, float *corners, uint32_t count);

/* Returns one more than the largest id of the tree's triangles. 0 for NULL, for a file without
 * polygons, and until all has arrived. Cost: a pass over the tree's ids. */
KILN_API uint32_t kiln_tree_triangle_limit(const kiln_tree *tree);

/* A bounding volume of a tree, as a box in the mesh's own frame that holds it: the points
 *
 *     centre + x axes[0 .. 2] + y axes[3 .. 5] + z axes[6 .. 8]
 *
 * where |x| <= half[0], |y| <= half[1] and |z| <= half[2].
 *
 * The whole tree has the box of its vertices, exact but for the rounding of `half` outward. Of
 * boxes it is the volume itself; of a k-DOP the box that its slabs along the axes make; of a ball
 * the cube around it. A cell of an octree holds those parts of its triangles that lie in it, and
 * all other volumes hold their triangles wholly, in exact arithmetic: half-extents and radii are
 * wider than what is stored by what the move from the tree's own frame may round, at most 2^-45 of
 * the coordinates, and oriented boxes by 2^-16 of their diagonals at most, since their axes are
 * made orthonormal in doubles here. */
typedef struct {
    uint32_t depth; /* 0: the whole tree; at most kiln_tree_info.depth */
    /* At or below it; of octrees names of triangles, with repetitions. While a tree arrives: those
     * of leaves that have arrived; the whole tree has all. */
    uint32_t triangles;
    bool leaf;
    double centre[3];
    double axes[9]; /* rows: unit axes; those of the mesh's frame but for oriented boxes */
    double half[3];
    double radius; /* of the ball about the centre that is the volume; 0: it is no ball */
} kiln_tree_volume;

/* What a visit of a tree does after a volume. */
typedef enum {
    KILN_VISIT_CHILDREN = 0, /* the volumes below this one, if there are any */
    KILN_VISIT_SKIP = 1,     /* none of them */
    KILN_VISIT_STOP = 2      /* nothing: the visit ends */
} kiln_visit;

/* It runs in the floating-point environment that kiln_tree_visit was called in, and must not close
 * the file or advance in it. */
typedef kiln_visit (*kiln_volume_callback)(void *user, const kiln_tree_volume *volume);

/* Calls `callback` for the volumes of a tree, first the whole tree and each before those below it,
 * depth first, in the order of the file, which is the same everywhere. *volume is valid during the
 * call. Of a tree that arrives the volumes that have arrived are visited: one whose children have
 * not is neither a leaf nor followed by any. It needs no polygons, and works for copies that
 * follow moving vertices. A visit that the callback stops is KILN_OK. KILN_ERROR_ARGUMENT: NULL, or
 * the callback returned another number, which ends the visit. Any number of threads. No allocation;
 * 3 KiB of stack. Cost: 0.2 to 0.3 us a volume of a tree of a million triangles, since the
 * triangles below each are counted: a visit of all volumes costs O(n depth), and one of the first
 * level alone O(n). */
KILN_API kiln_status kiln_tree_visit(const kiln_tree *tree, kiln_volume_callback callback,
                                     void *user);

/* ------------------------------------------------------------------------ deforming meshes -- */

/* A mesh whose vertices move while its triangles stay: a copy of a tree, in the caller's memory,
 * whose volumes are fitted to new vertices, node by node from the leaves up. Which triangles share
 * a node stays as it was baked, so the farther a mesh moves from the baked shape, the more nodes a
 * query opens; tests/bench/README.md shows how fast that grows, and baking again mends it.
 *
 *     kiln_refit *body = NULL;
 *     void *memory = malloc(kiln_refit_size(tree));
 *     kiln_refit_place(memory, kiln_refit_size(tree), tree, &body);
 *     each frame:
 *         ... write new positions into `vertices`, in the file's order ...
 *         kiln_refit_update(body, vertices, kiln_refit_vertex_count(body));
 *         kiln_collide(kiln_refit_tree(body), NULL, other, &pose, NULL, &hit);
 *
 * Kinds: axis-aligned boxes (KILN_BV_AABB, AABB2), k-DOPs and balls. Oriented boxes have axes that
 * were sought for the baked shape, and the cells of octrees lie in space: both are refused, and so
 * are height fields, whose triangles are not stored.
 *
 * Queries. kiln_refit_tree is a tree like any other: collisions, contacts, distances, rays, shapes,
 * containment, time-critical and interruptible queries, scenes. The answers are those of a fresh
 * bake of the same vertices: triangles are compared exactly as stored, and volumes are rounded
 * outward. Counted queries (kiln_adb.h) return KILN_ERROR_NOT_LOADED, since the counts were those
 * of the baked shape. Where two placed meshes are compared one is carried into the other's frame,
 * with rounding; which one that is depends on kiln_tree_info.geometry_hash, which for a copy is a
 * hash of all of its vertices and not that of a bake.
 *
 * Vertices are those of the file, in its order; kiln_refit_vertices and kiln_refit_corners relate
 * them to a program's own. Vertices that the source has apart are apart in the file. A mesh is
 * closed (kiln_tree_info.closed) if its triangles are by their vertices' numbers, which no movement
 * changes. One whose seams are pairs of vertices at the same place counts as open from the start.
 *
 * Threads: any number may query the copy, but none during kiln_refit_update. A scene that holds the
 * copy needs kiln_scene_move for it after an update, and a query that was begun before one
 * (kiln_likely_begin, kiln_interruptible_begin) must be begun again. The file must stay open: the
 * copy shares its triangles and sources. Nothing is allocated; stack: 8 KiB. The bytes of the copy
 * are the same in every instruction set and after any history of updates. */
typedef struct kiln_refit kiln_refit;

/* Returns the bytes that a copy of the tree takes: its nodes and vertices, and 16 bytes for each
 * direction of each node, of any alignment. 0 for NULL and for trees that kiln_refit_place refuses.
 */
KILN_API size_t kiln_refit_size(const kiln_tree *tree);

/* Makes a copy in `memory` [size bytes], fitted to the vertices of the file. The memory stays
 * the caller's; there is nothing to release. KILN_ERROR_ARGUMENT (NULL, or too small),
 * KILN_ERROR_KIND (oriented boxes, octrees, height fields), KILN_ERROR_NOT_LOADED (no polygons),
 * KILN_ERROR_PARTIAL (the file has not arrived wholly): *out is then NULL. A copy may be made of
 * a copy's tree, too. Cost: that of an update, and a pass over the triangles. */
KILN_API kiln_status kiln_refit_place(void *memory, size_t size, const kiln_tree *tree,
                                      kiln_refit **out);

/* Moves the vertices: `vertices` [3 * count floats] in the file's order, `count` that of
 * kiln_refit_vertex_count. KILN_ERROR_ARGUMENT for NULL, another count, and a coordinate that is
 * infinite or NaN; the copy is then as it was. Any finite coordinates are allowed, however far they
 * are from the old ones. `vertices` may be kiln_refit_vertices. Cost: linear, 65 to 260 ns
 * a triangle, a tenth or less of a bake. */
KILN_API kiln_status kiln_refit_update(kiln_refit *refit, const float *vertices, uint32_t count);

/* Returns the copy as a tree, at the same address for the life of the copy. NULL for NULL. */
KILN_API const kiln_tree *kiln_refit_tree(const kiln_refit *refit);

/* Returns the number of vertices of the file. 0 for NULL. */
KILN_API uint32_t kiln_refit_vertex_count(const kiln_refit *refit);

/* Returns the current vertices, three floats each, valid as long as the copy; they change with each
 * update. NULL for NULL. */
KILN_API const float *kiln_refit_vertices(const kiln_refit *refit);

/* Gives for the triangle with id t < `count` the numbers of its vertices in corners[3 t] to
 * corners[3 t + 2], in the winding of the source: with the program's own indices of the same
 * triangles that says which of its vertices each of the file's is, once for all frames. Ids are
 * those of kiln_source.triangle; triangles of other trees of the file, and ids that are not in it,
 * get 0xFFFFFFFF. KILN_ERROR_ARGUMENT: NULL. Cost: a pass over the tree's triangles and `corners`.
 */
KILN_API kiln_status kiln_refit_corners(const kiln_refit *refit, uint32_t *corners, uint32_t count);

/* ------------------------------------------------------------------------------------- poses -- */

/* p_world = rotation * (scale * p) + translation, where `rotation` may be any matrix that has an
 * inverse: another scale along each axis, a mirror, a shear.
 *
 * Rotations. A matrix that departs from orthonormal by at most 1e-6 (largest entry of R^T R - I)
 * and mirrors nothing counts as a rotation, and is used unchanged. Of two meshes at rotations one
 * is transformed into the frame of the other by the rotation times the ratio of the scales, and by
 * the translation divided by the scale of the other. If the scales are powers of two, no rounding
 * is added; otherwise the ratio, its products and that quotient are rounded once each. Distances
 * and depths are obtained from those in the frame of comparison by one multiplication.
 *
 * Affine poses are those with any other matrix. Let M be scale * rotation, each entry rounded once:
 * no entry of M and none of its inverse may be above 2^30 in magnitude, nor the product of their
 * largest ones above 2^40. Where one of two poses is affine, both meshes are transformed into the
 * world, moved so that the translation of one of them, which the contents of the trees decide, is
 * 0: each coordinate is ((m0 x + m1 y) + m2 z) + t, every operation rounded to double. Contacts,
 * distances, depths and points are those of exact arithmetic on these vertices. Rays and points are
 * transformed into a tree's own frame by the inverse of M, by cofactors in twice the precision of
 * doubles, rounded once. Meshes are transformed into the frame of a shape by the product of the
 * inverse of the shape's M and theirs: a sphere becomes an ellipsoid in the world. A mirror turns
 * the normals of triangles about, (b - a) x (c - a) of the corners where they are in the world, and
 * so the sides that rays meet; inside stays inside.
 *
 * Cost of affine poses: about a microsecond a query, and more nodes, since volumes are enclosed by
 * boxes in the other tree's frame, which are loose where a matrix shears them. A mesh that is
 * always stretched alike is better baked so. Every query takes them but those of kiln_adb.h and
 * distances and sweeps of what is round: a stretched ball is none. There they are KILN_ERROR_POSE.
 * Other headers say where more is to be known: what they cost, and which way a mirror faces.
 *
 * All else (a matrix without inverse, NaN, a translation component above 1e60, a scale out of
 * range) is KILN_ERROR_POSE in every call, never a "no". Every call that takes a pose takes its
 * scale. Distances, depths, tolerances and points are in the frame that poses lead to ("world").
 * Two copies of one mesh at equal poses meet in all of it, whatever the poses. */
#define KILN_SCALE_MIN 9.313225746154785e-10 /* 2^-30 */
#define KILN_SCALE_MAX 1073741824.0          /* 2^30 */

typedef struct {
    double rotation[9];    /* row-major; a rotation, or any matrix: see above */
    double translation[3]; /* in units of the world */
    double scale;          /* along all axes, KILN_SCALE_MIN to KILN_SCALE_MAX; 1: as baked */
} kiln_pose;

/* Returns the pose without rotation and translation, of scale 1. */
KILN_API kiln_pose kiln_pose_identity(void);

/* Makes a pose of scale 1 from a quaternion {x, y, z, w} and a translation (NULL: none). The
 * quaternion's length must be within 1e-3 of 1; it is normalised. q and -q give the same pose.
 * KILN_ERROR_POSE for another length, NaN or an infinity; KILN_ERROR_ARGUMENT for NULL; *out is
 * then untouched. */
KILN_API kiln_status kiln_pose_from_quaternion(const double quaternion[4],
                                               const double translation[3], kiln_pose *out);

/* ------------------------------------------------------------------- queries of two meshes -- */

typedef struct {
    uint32_t a;       /* triangle id in the tree given as A */
    uint32_t b;       /* triangle id in the tree given as B */
    uint32_t value_a; /* their user values, as kiln_tree_user returns them */
    uint32_t value_b;
} kiln_pair;

/* The places of two triangles in their files, from which the next query can start. All 0: none. A
 * hint from other trees, or any other numbers, may cost time and never changes an answer. */
typedef struct {
    uint32_t a, b;
} kiln_hint;

/* Returns whether a pair of triangles counts. It runs in the floating-point environment that the
 * query was called in, and must not close the files. Its result for a pair must not change during a
 * query; how often and in which order it is called is not specified. Pairs that it rejects are
 * treated as if they neither met nor were near. */
typedef bool (*kiln_pair_filter)(void *user, kiln_pair pair);

/* Returns whether the query is to end now. It runs in the floating-point environment that the query
 * was called in, and must not close the files. */
typedef bool (*kiln_stop)(void *user);

/* Options of queries of two meshes. Initialise them with kiln_pair_options_default, then change
 * members. */
typedef struct {
    size_t struct_size; /* sizeof(kiln_pair_options) of the caller */
    /* NULL: all pairs count. Cost: if the pairs found first are rejected, the search continues. */
    kiln_pair_filter filter;
    void *filter_user;
    /* kiln_distance only: */
    double beyond; /* >= 0: a greater distance need not be measured; default: infinity */
    /* Tolerances, >= 0 and finite: the distance may exceed the minimum by this fraction of it and
     * by this length. Both are 0 by default: the minimum itself. */
    double relative;
    double absolute;
    /* kiln_distance and kiln_within: */
    kiln_hint hint; /* from an earlier query at similar poses: the answer comes sooner */
    /* NULL, or called before each pair of leaves is looked into, that is, once for at most 225
     * pairs of triangles. If it returns true, the query returns KILN_ERROR_STOPPED, with its
     * outputs untouched, except buffers of pairs and contacts, which then hold anything. A distance
     * whose filter rejects every pair looks into all pairs of leaves, and one of surfaces that are
     * equally near everywhere into most; all queries that take these options can be stopped so. */
    kiln_stop stop;
    void *stop_user;
} kiln_pair_options;

/* Returns the defaults: no filter, no hint, no stop, the minimum distance however large. */
KILN_API kiln_pair_options kiln_pair_options_default(void);

typedef struct {
    bool found; /* if false, the other members are 0 */
    /* Two triangles that meet, or are near. Kinds of tree and versions of the library may find
     * different pairs. */
    kiln_pair pair;
    kiln_hint hint; /* for these two triangles */
} kiln_hit;

/* Tests whether two surfaces meet. Poses NULL: identity. Options NULL: defaults. A and B may be the
 * same tree. KILN_OK: *hit is the answer. KILN_ERROR_ARGUMENT (null tree or hit), KILN_ERROR_POSE,
 * or KILN_ERROR_NOT_LOADED (a tree was baked without polygons): *hit is untouched. Any number of
 * threads. No allocation. */
KILN_API kiln_status kiln_collide(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                                  const kiln_pose *pose_b, const kiln_pair_options *options,
                                  kiln_hit *hit);

/* What a query of two trees did. A node is opened against one volume of the other tree, which is
 * carried into the node's space and tested against all volumes in the node. */
typedef struct {
    uint64_t nodes;          /* opened, each time it was */
    uint64_t volume_pairs;   /* of volumes that were tested, that of the whole trees included */
    uint64_t leaf_pairs;     /* whose volumes may meet, so that their triangles were tested */
    uint64_t triangle_pairs; /* in these leaves */
} kiln_work;

/* As kiln_collide, and counts what the query did. Counts are the same on every machine and in every
 * instruction set; a version of the library may open other nodes than an earlier one. The answer
 * is that of kiln_collide, though another pair may be named. KILN_ERROR_ARGUMENT also for work
 * NULL; on error *work is untouched, as is *hit. Cost: a few per cent more than kiln_collide. */
KILN_API kiln_status kiln_collide_work(const kiln_tree *a, const kiln_pose *pose_a,
                                       const kiln_tree *b, const kiln_pose *pose_b,
                                       const kiln_pair_options *options, kiln_hit *hit,
                                       kiln_work *work);

/* Tests whether bounding volumes overlap all the way down to leaves. If *found is false, it is
 * proved that the surfaces do not meet. If it is true, they may meet, with a probability that grows
 * as leaves get smaller. Arguments and errors as kiln_collide, but triangles are not tested: trees
 * need no polygons, so KILN_ERROR_NOT_LOADED is not returned. The answer depends on the kind of
 * tree and on its leaves. */
KILN_API kiln_status kiln_collide_boxes(const kiln_tree *a, const kiln_pose *pose_a,
                                        const kiln_tree *b, const kiln_pose *pose_b, bool *found);

/* Tests exactly whether two closed triangles meet, which may be degenerate to segments or points.
 * Corner k is at [3 k]; both are in one frame. KILN_ERROR_ARGUMENT (NULL, or a coordinate that is
 * neither 0 nor of a magnitude from 2^-250 to 2^250): *meet is untouched. Any number of threads. */
KILN_API kiln_status kiln_triangles_meet(const double a[9], const double b[9], bool *meet);

/* Finds all pairs of triangles that meet, each once, in ascending order of (a, b). *count is the
 * exact number of pairs, also when it exceeds `capacity`; then `pairs` holds the first `capacity`
 * of that order. `pairs` may be NULL when capacity is 0. Errors as kiln_collide, with pairs and
 * *count untouched. Cost: the whole overlap of the trees, and n log n for sorting. */
KILN_API kiln_status kiln_contacts(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                                   const kiln_pose *pose_b, const kiln_pair_options *options,
                                   kiln_pair *pairs, size_t capacity, size_t *count);

/* Called for each pair when it is found; return false to stop. It must not close the files. It runs
 * in the floating-point environment that the query was called in. */
typedef bool (*kiln_pair_callback)(void *user, kiln_pair pair);

/* Passes all pairs of triangles that meet to a callback, each once, in no specified order. *count
 * (may be NULL) is the number of calls. Errors as kiln_collide. */
KILN_API kiln_status kiln_contacts_each(const kiln_tree *a, const kiln_pose *pose_a,
                                        const kiln_tree *b, const kiln_pose *pose_b,
                                        const kiln_pair_options *options,
                                        kiln_pair_callback callback, void *user, size_t *count);

/* Where and how two triangles meet. Points and the normal are in the frame that the poses lead to
 * ("world"). All numbers are finite, whatever the triangles are. */
typedef struct {
    kiln_pair pair;
    kiln_hint hint; /* for these two triangles */
    /* Ends of the segment in which the triangles meet, as exact as doubles allow; equal where they
     * touch in a point. For triangles in one plane: the two points of their intersection that are
     * farthest apart. */
    double from[3];
    double to[3];
    /* Unit vector from B to A: moving A's triangle along it by `depth` separates the two, and no
     * other separating translation is shorter (an edge direction is preferred only if it is shorter
     * by more than 2^-20 of it). Where one triangle lies on the other's face, it is that face's
     * normal: B's, or A's reversed. For two segments on a line, or points, it is any unit vector
     * across. */
    double normal[3];
    /* >= 0, in units of the world. It is the depth of these two triangles alone: moving the whole
     * meshes by it need not part them. For solids it is no bound, neither above nor below: meshes
     * of small triangles that have sunk far into each other have contacts no deeper than the
     * triangles, a spike through a large plate has one as deep as the spike, and a mesh that is
     * wholly inside another has none (kiln_locate_mesh). It is 0 for triangles in one plane and
     * where a corner, an edge or a face of one lies on the other's face from one side; for two
     * edges that touch it is 0 within rounding. */
    double depth;
} kiln_contact;

/* Finds all pairs of triangles that meet, as kiln_contacts does, with their geometry. Points are
 * computed from the triangles as they are compared (see the head of this file) and lie in the boxes
 * of both; they do not depend on the kinds of tree, and swapping A and B only reverses normals.
 * Where a mesh meets itself at one place, (i, j) and (j, i) have the same points and reversed
 * normals, and a triangle with itself has one normal, however A and B are given. *count is the
 * exact number of pairs, also when it exceeds `capacity`; `contacts` holds the first in ascending
 * order of (a, b), and may be NULL when capacity is 0. Errors as kiln_collide, with contacts and
 * *count untouched. Cost: that of kiln_contacts, and about a microsecond for each contact that is
 * stored. */
KILN_API kiln_status kiln_contacts_geometry(const kiln_tree *a, const kiln_pose *pose_a,
                                            const kiln_tree *b, const kiln_pose *pose_b,
                                            const kiln_pair_options *options,
                                            kiln_contact *contacts, size_t capacity, size_t *count);

typedef struct {
    size_t count;         /* number of pairs that meet; if 0, the other members are 0 */
    kiln_contact deepest; /* by kiln_contact.depth; of equal ones the first by (a, b) */
    double lower[3];      /* bounding box of the ends of all contacts, world */
    double upper[3];
} kiln_contacts_summary;

/* Summarises all contacts: their number, the deepest one and their bounding box. No buffer is
 * needed. Errors as kiln_collide, with *summary untouched. Cost: that of kiln_contacts, and about a
 * microsecond a pair. */
KILN_API kiln_status kiln_contacts_summarise(const kiln_tree *a, const kiln_pose *pose_a,
                                             const kiln_tree *b, const kiln_pose *pose_b,
                                             const kiln_pair_options *options,
                                             kiln_contacts_summary *summary);

/* -------------------------------------------------------------------------------- distances -- */

/* The distance of two surfaces is the minimum over pairs of their triangles, in the frame in which
 * they are compared (see the head of this file). The distance of two triangles is computed in
 * double precision and certified: its error is at most 2^-43 of the extent of the two triangles
 * together (the largest difference of a coordinate between two of their six corners), and mostly a
 * few units in the last place. It is exactly 0 where kiln_collide finds that they meet, and above 0
 * where it does not.
 *
 * The minimum does not depend on the kind of tree, the order of A and B or anything else that
 * kiln_collide does not depend on, to the last bit. Of pairs that are equally near, the result is
 * the one whose triangle has the lower id in the mesh with the lower geometry hash, then in the
 * other mesh, so that the pair and the points are the same everywhere, too. There are two
 * exceptions: which pair is found where surfaces meet, as for kiln_collide; and meshes that are
 * more than 2^20 times their sizes apart, where the distance is within 2^-38 of itself of the
 * minimum and of the distance of the pair. */

typedef struct {
    bool found;      /* false: the surfaces are farther apart than options.beyond */
    double distance; /* in units of the world; options.beyond if not found */
    kiln_pair pair;  /* the two triangles; this and all that follows is 0 if not found */
    /* The nearest points on A's and B's triangle, rounded, in the frame that the poses lead to
     * ("world"). Where the triangles meet, both are the middle of their intersection. */
    double point_a[3];
    double point_b[3];
    /* unit vector from B to A, same frame; where they meet, that of the contact */
    double normal[3];
    kiln_hint hint; /* for the next query */
} kiln_nearest;

/* Computes the distance of two surfaces. Poses NULL: identity. Options NULL: defaults. A and B may
 * be the same tree. With a tolerance, kinds of tree may find different pairs; with an absolute one,
 * a distance above 0 does not tell whether the surfaces meet. KILN_OK: *nearest is the answer.
 * KILN_ERROR_ARGUMENT (null tree or nearest, an option out of range or NaN), KILN_ERROR_POSE,
 * KILN_ERROR_NOT_LOADED (a tree was baked without polygons): *nearest is untouched. Any number of
 * threads. No allocation. Cost: some microseconds to tens of them; more where many pairs are
 * equally near, as between parallel planes of many triangles, which are all examined unless there
 * is a tolerance (relative = 1e-9 is enough). */
KILN_API kiln_status kiln_distance(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                                   const kiln_pose *pose_b, const kiln_pair_options *options,
                                   kiln_nearest *nearest);

/* Tests whether two surfaces are within `distance` of each other, that is, whether the result of
 * kiln_distance is <= `distance`. For a distance of 0 the answer is that of kiln_collide. If the
 * true distance differs from `distance` by no more than the error stated above, either answer may
 * result, the same one everywhere; to be sure not to miss any pair, add that margin. *hit: the
 * answer, and a pair that is that near. KILN_ERROR_ARGUMENT (null tree or hit, distance negative or
 * NaN), KILN_ERROR_POSE, KILN_ERROR_NOT_LOADED: *hit is untouched. Any number of threads. No
 * allocation. */
KILN_API kiln_status kiln_within(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                                 const kiln_pose *pose_b, double distance,
                                 const kiln_pair_options *options, kiln_hit *hit);

/* ---------------------------------------------------------------------------------- batches -- */

/* Many queries of two meshes in one call: one pair of trees at many poses, or all pairs of many
 * placed trees, as the links of a robot and what stands around it, in many configurations.
 *
 *     kiln_placed placed[2] = {{gripper, poses, 1}, {shelf, NULL, 0}};
 *     kiln_batch batch = {placed, 2, NULL, KILN_BATCH_ALL_PAIRS, 10000};
 *     kiln_batch_collide(&batch, NULL, hits);
 *
 * Answers are those of single calls, kiln_collide, kiln_within and kiln_distance, whatever the
 * thread pool. Where more than one pair of triangles is an answer, kiln_within, and kiln_distance
 * with a tolerance, may name another than the single call does, the same one in every run. As long
 * as distances change little from one configuration to the next, one begins with the two triangles
 * that were nearest before, so successive configurations should be near each other.
 *
 * Errors of all calls, found before the first query, with outputs untouched: KILN_ERROR_ARGUMENT
 * (NULL; a pair of an index that is out of range or of one placed tree with itself; an option that
 * single queries refuse; more answers than there can be), KILN_ERROR_NOT_LOADED and
 * KILN_ERROR_PARTIAL as single queries. KILN_ERROR_POSE (see kiln_batch_options.bad_configuration)
 * and KILN_ERROR_STOPPED: outputs hold anything. Any number of threads. No allocation. The stack of
 * a query, on each thread of the pool, and less than 2 KiB. Cost: that of the single calls. */

/* A placed tree. In configuration i it has the pose poses[i * stride]. */
typedef struct {
    const kiln_tree *tree;
    const kiln_pose *poses; /* NULL: identity */
    size_t stride;          /* 0: one pose for all configurations; 1: an array of them; more: poses
                             * of several trees are interleaved */
} kiln_placed;

/* Two of the placed trees, by index; a != b. */
typedef struct {
    uint32_t a, b;
} kiln_placed_pair;

/* In place of a number of pairs. It is no 0, so that an empty list, whose address may be NULL, is
 * not taken for all pairs. */
#define KILN_BATCH_ALL_PAIRS SIZE_MAX

/* What is asked about. The number of pairs and that of configurations may be 0. */
typedef struct {
    const kiln_placed *placed; /* [placed_count] */
    uint32_t placed_count;
    /* [pair_count], in any order. With KILN_BATCH_ALL_PAIRS `pairs` is NULL and means all with
     * a < b, ascending: (0, 1), (0, 2), ... (1, 2) ... */
    const kiln_placed_pair *pairs;
    size_t pair_count;
    size_t count; /* configurations */
} kiln_batch;

/* Initialise them with kiln_batch_options_default, then change members. */
typedef struct {
    size_t struct_size; /* sizeof(kiln_batch_options) of the caller */
    /* NULL: defaults. Its hint is not used. Its filter and stop are called on the threads of the
     * pool, several at once; stop also before each configuration. */
    const kiln_pair_options *pair;
    kiln_parallel parallel; /* NULL: the calling thread */
    void *parallel_user;
    /* NULL, or, with KILN_ERROR_POSE, receive the first configuration in which a query refused a
     * pose, and the first placed tree that has such a pose there. */
    size_t *bad_configuration;
    uint32_t *bad_placed;
} kiln_batch_options;

/* Returns the defaults: those of single queries, on the calling thread. */
KILN_API kiln_batch_options kiln_batch_options_default(void);

/* Lists all pairs a < b of `placed_count` trees, ascending, but those that are allowed to meet,
 * such as neighbours of an arm: `allowed` [allowed_count], in any order, each either way round,
 * also more than once; NULL with 0. `pairs` has room for placed_count (placed_count - 1) / 2.
 * *count: how many are left. KILN_ERROR_ARGUMENT: NULL, an index out of range, a == b; the outputs
 * are then untouched. Cost: linear in both lists. */
KILN_API kiln_status kiln_batch_pairs(uint32_t placed_count, const kiln_placed_pair *allowed,
                                      size_t allowed_count, kiln_placed_pair *pairs, size_t *count);

/* Returns the number of pairs in each configuration: pair_count, or that of all. 0 for NULL. */
KILN_API size_t kiln_batch_pair_count(const kiln_batch *batch);

/* All pairs in all configurations: the answer for pair k in configuration i is hits[i * pairs + k],
 * nearest[i * pairs + k], with `pairs` of kiln_batch_pair_count. Options NULL: defaults. */
KILN_API kiln_status kiln_batch_collide(const kiln_batch *batch, const kiln_batch_options *options,
                                        kiln_hit *hits);
KILN_API kiln_status kiln_batch_within(const kiln_batch *batch, double distance,
                                       const kiln_batch_options *options, kiln_hit *hits);
KILN_API kiln_status kiln_batch_distance(const kiln_batch *batch, const kiln_batch_options *options,
                                         kiln_nearest *nearest);

typedef struct {
    /* If false, the other members are 0. */
    bool found;
    kiln_placed_pair placed;
    size_t pair; /* its place in the list of pairs */
    kiln_hit hit;
} kiln_batch_hit;

/* One answer for each configuration, first[i]: the first pair of the list that meets, or is within
 * `distance`. The pairs after it are not looked at. */
KILN_API kiln_status kiln_batch_collide_first(const kiln_batch *batch,
                                              const kiln_batch_options *options,
                                              kiln_batch_hit *first);
KILN_API kiln_status kiln_batch_within_first(const kiln_batch *batch, double distance,
                                             const kiln_batch_options *options,
                                             kiln_batch_hit *first);

/* One answer in all, as for the motion of a robot: the first configuration in which a pair meets,
 * and of it the first pair. *configuration: its number, or `count` where none meets; *hit: as of
 * kiln_batch_collide_first. Configurations after it are not looked at but by threads that are
 * ahead. */
KILN_API kiln_status kiln_batch_collide_any(const kiln_batch *batch,
                                            const kiln_batch_options *options,
                                            size_t *configuration, kiln_batch_hit *hit);

typedef struct {
    /* False: none is as near as pair.beyond. Then nearest.distance is that, and the other members
     * are 0. */
    bool found;
    kiln_placed_pair placed;
    size_t pair; /* its place in the list of pairs */
    kiln_nearest nearest;
} kiln_batch_nearest;

/* One answer for each configuration, nearest[i]: the pair with the least distance, of equal ones
 * the first of the list. The others are measured only as far as they may be nearer. */
KILN_API kiln_status kiln_batch_minimum(const kiln_batch *batch, const kiln_batch_options *options,
                                        kiln_batch_nearest *nearest);

/* -------------------------------------------------------------------------------------- rays -- */

/* A ray: the points origin + t direction with t_min <= t <= t_max, in the frame that the tree's
 * pose leads to (world). Answers are those of exact arithmetic on the stored vertices and on the
 * ray after it was transformed into the tree's own frame in double precision: R^-1 (origin -
 * translation) / scale, R^-1 direction, and the ends of t divided by scale, with R^-1 by cofactors;
 * of affine poses with the inverse of M (kiln_pose) in place of R^-1 / scale, and t as it is. They
 * are therefore the same for all kinds of tree. */
typedef struct {
    double origin[3]; /* magnitudes up to 1e60 */
    /* Of any length: t is measured in it. Its largest coordinate is from 1e-30 to 1e30 in
     * magnitude; coordinates below 2^-160 count as 0. */
    double direction[3];
    /* Infinities are allowed. Magnitudes below 2^-290 count as 0, and those above 2^400, which no
     * hit exceeds, as infinite. */
    double t_min, t_max;
} kiln_ray;

/* Returns the segment between two points, neither of them NULL, with t from 0 to 1. Queries refuse
 * the ray between two equal points. */
KILN_API kiln_ray kiln_ray_between(const double from[3], const double to[3]);

/* The side from which a ray meets a triangle: the front, to which the normal (b - a) x (c - a) of
 * its corners points, where the pose takes them; the back; or in its plane, which holds for every
 * triangle without area. */
typedef enum { KILN_SIDE_FRONT = 1, KILN_SIDE_BACK = 2, KILN_SIDE_EDGE = 3 } kiln_side;

/* The side that is ignored. KILN_SIDE_EDGE never is. */
typedef enum { KILN_CULL_NONE = 0, KILN_CULL_BACK = 1, KILN_CULL_FRONT = 2 } kiln_cull;

/* Returns whether a triangle takes part in a query. `value` is its user value. It runs in the
 * floating-point environment that the query was called in, and must not close the file. Its result
 * for a triangle must not change during a query; how often and in which order it is called is not
 * specified. The answer is that for the mesh without the triangles that it rejects. */
typedef bool (*kiln_triangle_filter)(void *user, uint32_t triangle, uint32_t value);

/* Options of queries of one mesh: rays and shapes. Initialise them with kiln_query_options_default,
 * then change members. */
typedef struct {
    size_t struct_size;          /* sizeof(kiln_query_options) of the caller */
    kiln_triangle_filter filter; /* NULL: all triangles take part */
    void *filter_user;
    kiln_cull cull; /* rays only */
} kiln_query_options;

/* Returns the defaults: no filter, no culling. */
KILN_API kiln_query_options kiln_query_options_default(void);

typedef struct {
    bool found;        /* if false, the other members are 0 */
    uint32_t triangle; /* id */
    uint32_t value;    /* its user value, as kiln_tree_user returns it */
    kiln_side side;
    /* Relative error at most 2^-40; within the ray's ends except for that error. In the triangle's
     * plane: where the ray first meets it, or t_min if it starts there. */
    double t;
    /* Barycentric: the point is the sum of the corners times these, in the order of
     * kiln_tree_corners. Each is 0 to 1 and within 2^-30, and exactly 0 where the ray meets the
     * edge opposite that corner. */
    double weights[3];
    /* (b - a) x (c - a) of the corners where the pose takes them, of length 1, in the ray's frame;
     * 0 for a triangle without area. What a rotation departs from orthonormal is not corrected. */
    double normal[3];
} kiln_ray_hit;

/* Finds the first triangle that the ray meets: the one with the smallest t as returned; among equal
 * ones, which both faces of something thin can be, one that is met from the front before one from
 * the back, and that before one in whose plane the ray lies; then the smallest id. Triangles are
 * closed, so a ray through an edge or a corner is never lost between two of them. Pose NULL:
 * identity. Options NULL: defaults. KILN_OK: *hit is the answer. KILN_ERROR_ARGUMENT (null tree,
 * ray or hit; a number of the ray that is NaN or out of range; t_min > t_max; an unknown cull),
 * KILN_ERROR_POSE, KILN_ERROR_NOT_LOADED (a tree without polygons): *hit is untouched. Any number
 * of threads. No allocation; 32 KiB of stack. kiln_rays.h unpacks a tree once, for faster rays. */
KILN_API kiln_status kiln_ray_closest(const kiln_tree *tree, const kiln_pose *pose,
                                      const kiln_ray *ray, const kiln_query_options *options,
                                      kiln_ray_hit *hit);

/* Tests whether the ray meets any triangle. It stops at the first one found, which may differ
 * between kinds of tree and versions of the library. Otherwise as kiln_ray_closest. */
KILN_API kiln_status kiln_ray_any(const kiln_tree *tree, const kiln_pose *pose, const kiln_ray *ray,
                                  const kiln_query_options *options, kiln_ray_hit *hit);

/* Says whether the ray meets any triangle, and no more: *meets is what `found` of kiln_ray_any is,
 * in less time. Errors as there, with *meets untouched. */
KILN_API kiln_status kiln_ray_meets(const kiln_tree *tree, const kiln_pose *pose,
                                    const kiln_ray *ray, const kiln_query_options *options,
                                    bool *meets);

/* kiln_ray_closest without `value` and `normal`, which are 0: what is looked up and computed for
 * them takes a few per cent of the time of a ray. */
KILN_API kiln_status kiln_ray_closest_brief(const kiln_tree *tree, const kiln_pose *pose,
                                            const kiln_ray *ray, const kiln_query_options *options,
                                            kiln_ray_hit *hit);

/* Finds all triangles that the ray meets, each once. *count is their exact number, also when it
 * exceeds `capacity`; `hits` holds the first `capacity` in the order of kiln_ray_closest, and may
 * be NULL when capacity is 0. Triangles are counted, not crossings of the surface: a ray through an
 * edge meets the triangles on both sides of it, through a corner all that meet there, whether it
 * passes through the surface or only touches it. So whether the count is odd does not say where the
 * origin is; kiln_locate_point does. Errors as kiln_ray_closest, with hits and *count untouched. */
KILN_API kiln_status kiln_ray_all(const kiln_tree *tree, const kiln_pose *pose, const kiln_ray *ray,
                                  const kiln_query_options *options, kiln_ray_hit *hits,
                                  size_t capacity, size_t *count);

/* Called for each hit when it is found; return false to stop. Otherwise as kiln_pair_callback. */
typedef bool (*kiln_ray_callback)(void *user, const kiln_ray_hit *hit);

/* Passes all triangles that the ray meets to a callback, each once, in no specified order. *count
 * (may be NULL) is the number of calls. Errors as kiln_ray_closest. */
KILN_API kiln_status kiln_ray_each(const kiln_tree *tree, const kiln_pose *pose,
                                   const kiln_ray *ray, const kiln_query_options *options,
                                   kiln_ray_callback callback, void *user, size_t *count);

/* ------------------------------------------------------------------------------------ shapes -- */

/* Queries of boxes, spheres and capsules against the surface of a mesh, touching included. A mesh
 * that lies wholly inside a shape meets it; a mesh that wholly encloses the shape does not.
 *
 * Shapes are solid and stand in a frame of their own with a pose of their own: an axis-aligned box
 * with a pose is an oriented box, and a pose that scales scales the shape. The mesh's vertices are
 * transformed into that frame in double precision, as the vertices of one mesh are into the frame
 * of another, and then compared. Boxes are compared exactly. For spheres and capsules let e be
 * 2^-40 of the largest number involved (the radius, or the distance of a corner from the middle of
 * the shape along an axis): a triangle at a distance of at most the radius is found, one at more
 * than the radius + 2 e is not, and between these the library's fixed arithmetic decides, equally
 * for all kinds of tree. */
typedef enum { KILN_SHAPE_BOX = 1, KILN_SHAPE_SPHERE = 2, KILN_SHAPE_CAPSULE = 3 } kiln_shape_kind;

typedef struct {
    kiln_shape_kind kind;
    /* Box: lower and upper corner, a <= b. Sphere: a is the centre. Capsule: the ends of its
     * segment. Magnitudes up to 1e60. */
    double a[3], b[3];
    double radius; /* sphere, capsule: [0, 1e60] */
} kiln_shape;

typedef struct {
    bool found;        /* if false, the other members are 0 */
    uint32_t triangle; /* id */
    uint32_t value;    /* its user value, as kiln_tree_user returns it */
} kiln_triangle_hit;

/* Tests whether the shape meets the surface. Kinds of tree and versions of the library may report
 * different triangles. Poses NULL: identity. Options NULL: defaults; `cull` is ignored. KILN_OK:
 * *hit is the answer. KILN_ERROR_ARGUMENT (null tree, shape or hit; an unknown kind; a number that
 * is NaN or out of range; a > b), KILN_ERROR_POSE, KILN_ERROR_NOT_LOADED: *hit is untouched. Any
 * number of threads. No allocation; 32 KiB of stack. */
KILN_API kiln_status kiln_overlap_any(const kiln_tree *tree, const kiln_pose *pose,
                                      const kiln_shape *shape, const kiln_pose *pose_shape,
                                      const kiln_query_options *options, kiln_triangle_hit *hit);

/* Finds all triangles that the shape meets, each once. *count is their number, also when it exceeds
 * `capacity`; `hits` holds the first `capacity` in ascending order of ids, and may be NULL when
 * that is 0. Errors as kiln_overlap_any, with hits and *count untouched. */
KILN_API kiln_status kiln_overlap_all(const kiln_tree *tree, const kiln_pose *pose,
                                      const kiln_shape *shape, const kiln_pose *pose_shape,
                                      const kiln_query_options *options, kiln_triangle_hit *hits,
                                      size_t capacity, size_t *count);

/* Called for each triangle when it is found; return false to stop. Otherwise as kiln_pair_callback.
 */
typedef bool (*kiln_triangle_callback)(void *user, const kiln_triangle_hit *hit);

/* Passes all triangles that the shape meets to a callback, each once, in no specified order. *count
 * (may be NULL) is the number of calls. Errors as kiln_overlap_any. */
KILN_API kiln_status kiln_overlap_each(const kiln_tree *tree, const kiln_pose *pose,
                                       const kiln_shape *shape, const kiln_pose *pose_shape,
                                       const kiln_query_options *options,
                                       kiln_triangle_callback callback, void *user, size_t *count);

/* --------------------------------------------------------------------------- inside, outside -- */

/* Containment, which queries of surfaces do not answer. The inside of a mesh depends on
 * kiln_tree_info.closed: with KILN_MESH_CLOSED it is the set of points with a winding number other
 * than 0, so that shells may overlap and a reversed shell inside another makes a hollow; with
 * KILN_MESH_EVEN it is the set of points from which a path to infinity crosses an odd number of
 * triangles. Whether a mesh is closed is determined when it is baked. Answers are exact in the
 * sense of the head of this file, and the same for all kinds of tree. */
typedef enum {
    KILN_PLACE_OUTSIDE = 0,
    KILN_PLACE_INSIDE = 1,
    KILN_PLACE_SURFACE = 2, /* a point on the surface; surfaces that touch or cross */
    KILN_PLACE_PARTED = 3   /* a mesh without contact, partly inside and partly outside */
} kiln_place;

/* Determines whether a point [3] is inside a mesh. The point is given in the frame that the pose
 * leads to, and is transformed into the tree's frame as the origin of a ray is. Pose NULL:
 * identity. KILN_OK: *place is the answer. KILN_ERROR_ARGUMENT (null tree, point or place, a
 * coordinate that is NaN or above 1e60), KILN_ERROR_POSE, KILN_ERROR_NOT_LOADED,
 * KILN_ERROR_OPEN_MESH: *place is untouched. Any number of threads. No allocation; 32 KiB of stack.
 * Cost: that of a ray that finds all triangles on its way. */
KILN_API kiln_status kiln_locate_point(const kiln_tree *tree, const kiln_pose *pose,
                                       const double point[3], kiln_place *place);

/* Determines whether the whole mesh B is inside the mesh A. B need not be closed. Errors as
 * kiln_collide, and KILN_ERROR_OPEN_MESH for A; *place is then untouched. Cost: that of
 * kiln_collide; without contact also that of one point in each part of B, the parts being as large
 * as their distance from A allows. */
KILN_API kiln_status kiln_locate_mesh(const kiln_tree *a, const kiln_pose *pose_a,
                                      const kiln_tree *b, const kiln_pose *pose_b,
                                      kiln_place *place);

/* ----------------------------------------------------------------- time-critical queries -- */

/* Do two surfaces meet, probably? The walk of kiln_collide, which stops as soon as a "yes" is
 * likely enough, or a budget is spent:
 *
 *     yes, proved    two triangles that meet were found: probability 1, and `pair` names them
 *     yes, early     what waits to be looked into is together very likely to hold such a pair
 *     no, proved     as by kiln_collide: probability 0; a "no" is never an estimate
 *     undecided      the budget was spent first; `probability` is above or below 1/2
 *
 *     kiln_likely_answer answer;
 *     if (kiln_collide_likely(a, &pose_a, b, &pose_b, NULL, &answer) == KILN_OK &&
 *         answer.probability > 0.5)
 *         brake();
 *
 * When to use it: where many pairs are asked about and a wrong "yes" in a hundred or fewer does no
 * harm, as for a broad phase, sounds, crowds, sampling planners; or where an answer must come in
 * time. When not: where a single wrong answer matters, where surfaces are mostly very close to each
 * other without touching (resting contact, tight assemblies), or where most pairs are apart, for a
 * proved "no" takes up to a fifth longer than by kiln_collide.
 *
 * Meaning of `probability`: over many poses at random at which the boxes of the meshes overlap,
 * this fraction of the answers with that value are collisions (kiln calibrate fits it on pairs of
 * meshes; tests/bench/README.md says how well it holds for others). It is no statement about a
 * single pose. In particular, of poses that are within half a percent of an object's size of
 * touching, more early answers are wrong than the number says; the threshold makes them rarer.
 *
 * Boxes are weighed as they are opened, by how deep they lie in each other, how thin and how large
 * they are; nothing is stored in the file for it, so that it works for every tree with polygons. No
 * public algorithm is followed; the counted query of kiln_adb.h is that of Klein and Zachmann,
 * 2003. Answers depend on the arguments alone, not on instruction sets, threads or machines, except
 * where a budget of time ends a run. Swapping A and B changes nothing. No filter of pairs is taken.
 */
typedef enum {
    KILN_LIKELY_DEFAULT = 0,
    KILN_LIKELY_FAST = 1,   /* earlier, with about twice the errors */
    KILN_LIKELY_CAREFUL = 2 /* later, with about half of them */
} kiln_likely_mode;

enum { KILN_LIKELY_FEATURES = 8 };

/* z of a pair of boxes = bias + the sum of weight x feature (kernel_likely.h says which), its loss
 * l = ln(1 + e^z), with z limited to [-60, 60]. The score of a walk is the largest loss of the node
 * weighed last + 0.7 x that of all else that waits - 0.5 log2(steps taken); above the threshold it
 * ends the walk with log-odds early + early_score x score, or of walks with a budget, which weigh
 * every node, all + all_score x score. The log-odds of undecided walks are open + most log2(largest
 * loss of a node that waits) + rest log2(1/64 + sum of all other losses) + waiting log2(lanes that
 * wait). */
typedef struct {
    float bias, feature[KILN_LIKELY_FEATURES];
    float early, early_score;
    float all, all_score;
    float open, most, rest, waiting;
} kiln_likely_weights;

/* A lane that was weighed, for fitting. `meet` is exact: the observer makes a query slow. */
typedef struct {
    float feature[KILN_LIKELY_FEATURES];
    bool meet; /* what is below the two boxes */
} kiln_likely_seen;

/* It runs in the floating-point environment that the query was called in. */
typedef void (*kiln_likely_observer)(void *user, const kiln_likely_seen *seen);

/* Initialise them with kiln_likely_options_of, then change members. */
typedef struct {
    size_t struct_size; /* sizeof(kiln_likely_options) of the caller */
    /* > 0: the score from which a "yes" is given; infinity: never early, so the answer is exact
     * where no budget ends it. FAST 3, DEFAULT 4, CAREFUL 5 */
    double threshold;
    /* Budgets of kiln_collide_likely. Steps: nodes that are opened and pairs of leaves whose
     * triangles are tested. The roots are the first; 0 counts as 1. Nanoseconds: from the call.
     * UINT64_MAX, the default: no budget. */
    uint64_t steps, nanoseconds;
    /* Nanoseconds since any moment, read at the start of a budget of time and before each step.
     * NULL: the system's monotonic clock. */
    uint64_t (*clock)(void *user);
    void *clock_user;
    const kiln_likely_weights *weights; /* NULL: those of kiln_likely_get_weights */
    kiln_likely_observer observer;      /* NULL, or called for each lane that is weighed */
    void *observer_user;
    /* From an earlier query at similar poses: its two triangles are tested first, without a step,
     * and if they meet, the answer is that, proved. */
    kiln_hint hint;
} kiln_likely_options;

/* Returns the options of a mode; those of DEFAULT for an unknown one. */
KILN_API kiln_likely_options kiln_likely_options_of(kiln_likely_mode mode);

typedef enum {
    KILN_LIKELY_NO = 0, /* proved */
    KILN_LIKELY_YES = 1,
    KILN_LIKELY_UNDECIDED = 2
} kiln_likely_verdict;

typedef struct {
    kiln_likely_verdict verdict;
    bool proved;        /* "yes" with `pair`, or "no" */
    double probability; /* [0, 1] that the surfaces meet; 1 or 0 where it is proved */
    double score;       /* of the last node that was weighed, which the threshold is for */
    uint64_t steps;
    kiln_pair pair; /* a proved "yes": two triangles that meet; else 0 */
    /* Undecided: of the lanes that wait, the largest loss, the sum of the others, how many. Else 0
     */
    double most, rest;
    uint32_t waiting;
} kiln_likely_answer;

/* A whole query in one call. Poses NULL: identity; options NULL: those of DEFAULT. Without a budget
 * only the first few nodes are weighed, of which several lanes may meet, which is quicker.
 * KILN_ERROR_ARGUMENT (null tree or answer, an option out of range or NaN, a weight that is not
 * finite or over 1e6), KILN_ERROR_POSE, KILN_ERROR_NOT_LOADED (a tree without polygons),
 * KILN_ERROR_PARTIAL: *answer is untouched. Any number of threads. No allocation; up to 48 KiB of
 * stack, or 96 for trees whose depths add up to more than 40; with an observer, which is for
 * fitting, 80 and 192. */
KILN_API kiln_status kiln_collide_likely(const kiln_tree *a, const kiln_pose *pose_a,
                                         const kiln_tree *b, const kiln_pose *pose_b,
                                         const kiln_likely_options *options,
                                         kiln_likely_answer *answer);

/* A query that may be interrupted and continued. It lives in the caller's memory, which must not
 * be moved, and is used by one thread at a time. */
typedef struct kiln_likely kiln_likely;

/* Bytes that a query of these two trees takes, of any alignment: 640 for each level of both trees
 * and about 4 KiB; 0 for NULL. A query has room for any trees whose depths add up to no more. */
KILN_API size_t kiln_likely_size(const kiln_tree *a, const kiln_tree *b);

/* Makes a query of `memory` [size bytes]. The memory stays the caller's; there is nothing to
 * release. KILN_ERROR_ARGUMENT: NULL, or too small for any trees; *out is then NULL. */
KILN_API kiln_status kiln_likely_place(void *memory, size_t size, kiln_likely **out);

/* Starts a new query, discarding the last one, and opens the roots, which is its first step.
 * Budgets in the options are not looked at. Trees must live as long as the query runs; options need
 * not. Errors as kiln_collide_likely, and KILN_ERROR_ARGUMENT for a null query or one with too
 * little room for these trees: no query is then begun. */
KILN_API kiln_status kiln_likely_begin(kiln_likely *query, const kiln_tree *a,
                                       const kiln_pose *pose_a, const kiln_tree *b,
                                       const kiln_pose *pose_b, const kiln_likely_options *options);

/* Takes up to `steps` further steps, until there is an answer or `nanoseconds` have passed since
 * this call (UINT64_MAX: the clock is not read); time may run over by one step. Several runs give
 * the same answer as one run with the sum of their steps. KILN_ERROR_ARGUMENT: NULL, or no query
 * begun. */
KILN_API kiln_status kiln_likely_run(kiln_likely *query, uint64_t steps, uint64_t nanoseconds);

/* Shares one budget among many queries that were begun, those whose answers are least certain
 * first, a few steps at a time, until all have answers or it is spent. For a frame of many pairs:
 * begin each, run all, get each answer. The clock is that of the first query.
 * KILN_ERROR_ARGUMENT: NULL with a count, a query that is not begun, or one that is given twice;
 * nothing is then run. Cost beyond that of the steps: about 30 ns for every four of them. */
KILN_API kiln_status kiln_likely_run_all(kiln_likely *const queries[], size_t count, uint64_t steps,
                                         uint64_t nanoseconds);

/* Returns the answer so far, at any time. KILN_ERROR_ARGUMENT: NULL, or no query begun; *answer is
 * then untouched. */
KILN_API kiln_status kiln_likely_get_answer(const kiln_likely *query, kiln_likely_answer *answer);

/* Returns the weights between two trees: for each the library's own of its kind and the nearest
 * size of leaves, and of the two the mean, so that swapping A and B changes nothing. All 0 for
 * NULL. */
KILN_API kiln_likely_weights kiln_likely_get_weights(const kiln_tree *a, const kiln_tree *b);

/* ------------------------------------------------------------------- interruptible queries -- */

/* Do two surfaces meet, as far as there is time to find out? The walk of kiln_collide, which may be
 * stopped at any level of the trees and at any moment, and then gives the answer that is safe: what
 * has not been looked into counts as meeting.
 *
 *     apart          proved
 *     meet           proved, by a pair of triangles
 *     unresolved     pairs of bounding volumes wait that may hold such a pair
 *
 * The volumes that wait are also contacts, of the size of the volumes: where the meshes may touch,
 * in which direction they may be parted, and how far at most. After P. Hubbard, "Collision
 * Detection for Interactive Graphics Applications", IEEE TVCG 1(3), 1995; kiln_collide_likely
 * guesses instead, and is quicker where a wrong "yes" in a hundred does no harm.
 *
 *     kiln_interruptible_run(query, UINT32_MAX, UINT64_MAX, 200000);
 *     kiln_interruptible_get_answer(query, &answer);
 *     if (answer.verdict != KILN_INTERRUPTIBLE_APART)
 *         kiln_interruptible_get_contacts(query, contacts, 16, &count);
 *
 * A pair of volumes is on level 0 if it is the two whole trees, and each opening of one of the two
 * leads to the next level. Answers depend on the arguments alone, except where time ends a run.
 * Swapping A and B changes nothing but the direction of normals. */
typedef enum {
    KILN_ORDER_BREADTH_FIRST = 0, /* level by level, as Hubbard has it: all places alike */
    KILN_ORDER_DEPTH_FIRST = 1,   /* the newest pair first; takes the least room */
    KILN_ORDER_BEST_FIRST = 2     /* those first whose centres are nearest for their sizes */
} kiln_order;

/* Initialise them with kiln_interruptible_options_default, then change members. */
typedef struct {
    size_t struct_size; /* sizeof(kiln_interruptible_options) of the caller */
    kiln_order order;
    /* NULL: the first pair of triangles that meet ends the query. Else it is called for each such
     * pair, once, in an order that is not specified, and the query goes on until it returns false.
     * It must not use this query or close the files. */
    kiln_pair_callback visit;
    void *visit_user;
    kiln_pair_filter filter; /* NULL: all pairs count */
    void *filter_user;
    /* Nanoseconds since any moment, read at the start of a run with a budget of time and before
     * each step. NULL: the system's monotonic clock. */
    uint64_t (*clock)(void *user);
    void *clock_user;
} kiln_interruptible_options;

/* Returns the defaults: breadth-first, until the first pair, no filter, the system's clock. */
KILN_API kiln_interruptible_options kiln_interruptible_options_default(void);

typedef enum {
    KILN_INTERRUPTIBLE_APART = 0,
    KILN_INTERRUPTIBLE_MEET = 1,
    KILN_INTERRUPTIBLE_UNRESOLVED = 2 /* to be taken for "meet" */
} kiln_interruptible_verdict;

typedef struct {
    kiln_interruptible_verdict verdict;
    bool complete; /* nothing waits, or a pair ended the query */
    bool full;     /* the last run left pairs above its level unopened for want of room */
    /* Pairs of volumes of all levels above this one are looked into; UINT32_MAX: all are. */
    uint32_t level;
    uint32_t deepest; /* the deepest level of a pair that was looked into */
    uint32_t waiting; /* pairs of volumes that may meet and are not looked into */
    uint64_t steps;   /* pairs that were looked into: a node opened, or two leaves' triangles */
    uint64_t found;   /* pairs of triangles that meet, so far */
    kiln_pair pair;   /* the first of them; 0 if there is none */
} kiln_interruptible_answer;

/* Two volumes that may meet, in the frame that the poses lead to. All numbers are finite. */
typedef struct {
    double position[3]; /* in both or between both */
    /* Unit vector from B to A: moving A along it by `depth` parts the boxes of the two volumes. Of
     * all separating axes of the boxes it is the one with the least depth. */
    double normal[3];
    double depth;
    /* Every point that the two surfaces have in common in these volumes is this near to `position`
     * or nearer. */
    double extent;
    uint32_t level;
    bool leaves; /* both are leaves: a step will decide them */
} kiln_volume_contact;

/* A query that may be interrupted and continued. It lives in the caller's memory, which must not be
 * moved, and is used by one thread at a time. */
typedef struct kiln_interruptible kiln_interruptible;

/* Bytes that a query of these two trees takes, of any alignment, with room for `waiting` pairs that
 * wait; 0 for NULL, and for more than 2^24 pairs. 24 for each pair, 168 for each level of both
 * trees, and less than 6 KiB. `waiting` may be 0: the room for the levels is enough for every query
 * to end. With little room a breadth-first or best-first query goes into depth earlier, and one
 * that is stopped at a level leaves more above it. */
KILN_API size_t kiln_interruptible_size(const kiln_tree *a, const kiln_tree *b, uint32_t waiting);

/* Makes a query of `memory` [size bytes]. The memory stays the caller's; there is nothing to
 * release. KILN_ERROR_ARGUMENT: NULL, or too small for any trees; *out is then NULL. */
KILN_API kiln_status kiln_interruptible_place(void *memory, size_t size, kiln_interruptible **out);

/* Starts a new query, discarding the last one. Poses NULL: identity; options NULL: defaults. Trees
 * must live as long as the query runs; options need not. KILN_ERROR_ARGUMENT (NULL, an unknown
 * order, too little room for these trees), KILN_ERROR_POSE, KILN_ERROR_NOT_LOADED (a tree without
 * polygons), KILN_ERROR_PARTIAL: no query is then begun. */
KILN_API kiln_status kiln_interruptible_begin(kiln_interruptible *query, const kiln_tree *a,
                                              const kiln_pose *pose_a, const kiln_tree *b,
                                              const kiln_pose *pose_b,
                                              const kiln_interruptible_options *options);

/* Looks into pairs of volumes above `level` (UINT32_MAX: all), up to `steps` of them, until the
 * query is complete or `nanoseconds` have passed since this call (UINT64_MAX: the clock is not
 * read); time may run over by one step. For octrees a step includes finding out which leaves name
 * a pair that meets; where that takes until the time is up, the step is left to the next run, which
 * needs more time for it. May be called again with any level and budget. Runs to one
 * level give the same answer as one run with the sum of their steps. KILN_ERROR_ARGUMENT: NULL, or
 * no query begun. Allocates nothing; up to 20 KiB of stack. */
KILN_API kiln_status kiln_interruptible_run(kiln_interruptible *query, uint32_t level,
                                            uint64_t steps, uint64_t nanoseconds);

/* Shares one budget among many queries that were begun: all of them are looked into down to level
 * 1, then to level 2, and so on to `level`, until all are complete or it is spent, so that no pair
 * of objects is known less exactly than another by more than a level. The clock is that of the
 * first query. KILN_ERROR_ARGUMENT: NULL with a count, or a query that is not begun; nothing is
 * then run. */
KILN_API kiln_status kiln_interruptible_run_all(kiln_interruptible *const queries[], size_t count,
                                                uint32_t level, uint64_t steps,
                                                uint64_t nanoseconds);

/* Returns the answer so far, at any time. KILN_ERROR_ARGUMENT: NULL, or no query begun; *answer is
 * then untouched. Cost: a look at all pairs that wait. */
KILN_API kiln_status kiln_interruptible_get_answer(const kiln_interruptible *query,
                                                   kiln_interruptible_answer *answer);

/* Returns the volumes that wait as contacts, those of greatest depth first; equal ones in an order
 * that is the same everywhere. *count is how many wait, also when that exceeds `capacity`; then the
 * first `capacity` are stored. `contacts` may be NULL when capacity is 0. Triangles that meet are
 * none of them: options.visit has these. KILN_ERROR_ARGUMENT: NULL, or no query begun; the outputs
 * are then untouched. Cost: about half a microsecond for each that waits. */
KILN_API kiln_status kiln_interruptible_get_contacts(const kiln_interruptible *query,
                                                     kiln_volume_contact *contacts, size_t capacity,
                                                     size_t *count);

#ifdef __cplusplus
}
#endif

#endif
