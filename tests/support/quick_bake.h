/* Files in memory from meshes in memory, by the library's own build and encode, without import. */
#ifndef KILN_TEST_QUICK_BAKE_H
#define KILN_TEST_QUICK_BAKE_H

#include "../../formats/node_kinds.h"
#include "../../tools/kiln_bake.h"
#include "meshes.h"

#include <stddef.h>

/* All kinds of bounding volume, as kiln_bake_options.bv lists them, and as the strings of an
 * array, by number. */
#define QUICK_FIRST_KIND(KIND, kind, name, ...) name
#define QUICK_NEXT_KIND(KIND, kind, name, ...) "," name
#define QUICK_ALL_KINDS KILN_NODE_KINDS(QUICK_FIRST_KIND, QUICK_NEXT_KIND)
#define QUICK_KIND_NAME(KIND, kind, name, ...) name,
#define QUICK_KIND_NAMES KILN_NODE_KINDS(QUICK_KIND_NAME, QUICK_KIND_NAME)

/* The bytes of a file, released by free(). `bv` as in kiln_bake_options. Stops the test on
 * failure. */
void *quick_bake(const mesh *m, const char *bv, int leaf, kiln_layout layout, size_t *size);

/* The same on so many threads. */
void *quick_bake_threads(const mesh *m, const char *bv, int leaf, kiln_layout layout, int threads,
                         size_t *size);

/* The same by the bake's options: bv, leaf, layout, threads, counts, polygons. */
void *quick_bake_with(const mesh *m, const kiln_bake_options *options, size_t *size);

/* The same of triangles with these user values; NULL: 0. */
void *quick_bake_valued(const mesh *m, const uint32_t *values, const kiln_bake_options *options,
                        size_t *size);

/* Bakes and opens; the bytes must outlive the file. */
kiln_file *quick_open(const mesh *m, const char *bv, int leaf, kiln_layout layout, void **bytes);

/* A mesh with its open file, which is raw. */
typedef struct {
    mesh geometry;
    void *bytes;
    kiln_file *file;
} quick_model;

/* Takes over the mesh; all is released by quick_model_free. */
quick_model quick_model_of(mesh m, const char *bv, int leaf);
void quick_model_free(quick_model *model);

#endif
