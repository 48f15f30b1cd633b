/* Trees in memory, made of triangles in memory by the library's own build and encode. */
#ifndef KILN_BENCH_BAKED_H
#define KILN_BENCH_BAKED_H

#include "../../../formats/check.h"
#include "../../../runtime/kiln_adb.h"
#include "../../../tools/tree/build.h"
#include "../../../tools/kiln_bake.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    float *positions;
    uint32_t *indices;
    uint32_t vertex_count, triangle_count;
    const uint32_t *user; /* the caller's: user value of each triangle; NULL: 0 */
} bench_mesh;

void bench_mesh_free(bench_mesh *mesh);

/* A whole file's bytes, from options of which bv, leaf, builder, layout, threads and what is said
 * of counts and polygons are looked at; *data is released by free(). Errors as kiln_bake's. */
kiln_bake_status bench_bake(const bench_mesh *mesh, const kiln_bake_options *options, void **data,
                            size_t *size);

/* The same from a tree that was built already, over the triangles that its slots name. */
kiln_bake_status bench_bake_tree(const bench_mesh *mesh, const kiln_build_kind *kind,
                                 kiln_build_tree *tree, void **data, size_t *size);

/* A file in memory, as queries see it and as its sections are. Not to be copied: the view refers to
 * the reader. */
typedef struct {
    void *data;
    kiln_file *file;
    kiln_reader reader;
    kiln_view view;
} bench_file;

/* Takes `data` over, of which free() will release it, also on error. KILN_ERROR_... as
 * kiln_open_memory, and *error (may be NULL) holds the details; *file then holds nothing. */
kiln_status bench_file_open(void *data, size_t size, kiln_error *error, bench_file *file);
void bench_file_close(bench_file *file);

/* Bakes and opens a tree of kind `bv` without counts. KILN_ERROR_MEMORY: no memory; else no error
 * can happen where the mesh has triangles. */
kiln_status bench_file_bake(const bench_mesh *mesh, const char *bv, int leaf, bench_file *file);

/* A copy of the triangles of tree `index`. False: no memory. */
bool bench_mesh_of(const kiln_view *view, uint32_t index, bench_mesh *mesh);

#ifdef __cplusplus
}
#endif

#endif
