/* See quick_bake.h. */
#include "quick_bake.h"

#include "../bench/adb/baked.h"

#include <stdio.h>
#include <stdlib.h>

static void give_up(const char *what)
{
    (void)fprintf(stderr, "quick_bake: %s\n", what);
    abort();
}

void *quick_bake(const mesh *m, const char *bv, int leaf, kiln_layout layout, size_t *size)
{
    return quick_bake_threads(m, bv, leaf, layout, 1, size);
}

void *quick_bake_threads(const mesh *m, const char *bv, int leaf, kiln_layout layout, int threads,
                         size_t *size)
{
    kiln_bake_options options = kiln_bake_options_default();
    options.bv = bv;
    options.leaf = leaf;
    options.layout = layout;
    options.threads = threads;
    return quick_bake_with(m, &options, size);
}

void *quick_bake_with(const mesh *m, const kiln_bake_options *options, size_t *size)
{
    return quick_bake_valued(m, NULL, options, size);
}

void *quick_bake_valued(const mesh *m, const uint32_t *values, const kiln_bake_options *options,
                        size_t *size)
{
    const bench_mesh same = {m->positions, m->indices, m->vertex_count, m->triangle_count, values};
    void *file = NULL;
    if (bench_bake(&same, options, &file, size) != KILN_BAKE_OK) {
        give_up("bake failed");
    }
    return file;
}

kiln_file *quick_open(const mesh *m, const char *bv, int leaf, kiln_layout layout, void **bytes)
{
    size_t size;
    kiln_error error;
    kiln_file *file;
    kiln_open_options options = kiln_open_options_default();
    options.error = &error;
    *bytes = quick_bake(m, bv, leaf, layout, &size);
    if (kiln_open_memory(*bytes, size, &options, &file) != KILN_OK) {
        give_up(error.message);
    }
    return file;
}

quick_model quick_model_of(mesh m, const char *bv, int leaf)
{
    quick_model model = {m, NULL, NULL};
    model.file = quick_open(&m, bv, leaf, KILN_LAYOUT_RAW, &model.bytes);
    return model;
}

void quick_model_free(quick_model *model)
{
    kiln_close(model->file);
    free(model->bytes);
    mesh_free(&model->geometry);
}
