/* Baking and opening in memory. A mesh becomes the soup that an import would leave, of one part,
 * and takes the library's own builders and encoder, without the importing process and without a
 * file on disk. So all methods get the triangles in one order, and a benchmark needs no folder to
 * write to. */
#include "baked.h"

#include "../../../tools/common/parallel.h"
#include "../../../tools/count/count.h"
#include "../../../tools/encode/assemble.h"
#include "../../../formats/assert.h"

#include <stdlib.h>
#include <string.h>

enum { KINDS_MAX = KILN_NODE_KIND_COUNT };

void bench_mesh_free(bench_mesh *mesh)
{
    free(mesh->positions);
    free(mesh->indices);
    memset(mesh, 0, sizeof *mesh);
}

/* ------------------------------------------------------------------------------------ baking -- */

/* A mesh as an import would leave it: one part, one material, face = triangle. */
typedef struct {
    kiln_soup soup;
    kiln_soup_part part;
    uint32_t *numbers, *values;
    uint32_t material;
    char strings[1];
} plain_soup;

/* The arrays of the mesh are used where they lie; only numbers and values are made. */
static bool make_soup(plain_soup *plain, const bench_mesh *mesh)
{
    memset(plain, 0, sizeof *plain);
    plain->numbers = malloc(mesh->triangle_count * sizeof *plain->numbers);
    plain->values = calloc(mesh->triangle_count, sizeof *plain->values);
    if (plain->numbers == NULL || plain->values == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        plain->numbers[i] = i;
        plain->values[i] = mesh->user != NULL ? mesh->user[i] : 0;
    }
    plain->part.triangle_count = mesh->triangle_count;
    kiln_soup *soup = &plain->soup;
    soup->vertex_count = mesh->vertex_count;
    soup->triangle_count = mesh->triangle_count;
    soup->positions = mesh->positions;
    soup->indices = mesh->indices;
    soup->face = plain->numbers;
    soup->user = plain->values;
    soup->part_count = 1;
    soup->parts = &plain->part;
    soup->material_count = 1;
    soup->materials = &plain->material;
    soup->strings = plain->strings;
    soup->strings_size = 1;
    soup->names_size = 1;
    return true;
}

static void free_soup(plain_soup *plain)
{
    free(plain->numbers);
    free(plain->values);
}

/* "obb,aabb" as the kinds themselves; 0 where one is unknown. */
static uint32_t find_kinds(const char *list, const kiln_build_kind *kinds[KINDS_MAX])
{
    uint32_t count = 0;
    for (const char *at = list; count < KINDS_MAX; at++) {
        char name[16] = "";
        const size_t length = strcspn(at, ",");
        memcpy(name, at, length < sizeof name - 1 ? length : sizeof name - 1);
        kinds[count] = kiln_build_kind_find(name);
        if (kinds[count++] == NULL) {
            return 0;
        }
        at += length;
        if (*at == '\0') {
            break;
        }
    }
    return count;
}

/* The key stays 0, since no cache ever looks at such a file. */
static kiln_bake_status encode(const plain_soup *plain, const kiln_bake_options *options,
                               const kiln_build_kind *const *kinds, uint32_t kind_count,
                               kiln_build_tree *trees, void **data, size_t *size)
{
    KILN_ASSERT(kind_count >= 1 && kind_count <= KINDS_MAX);
    const uint8_t key[16] = {0};
    uint64_t packed[KINDS_MAX];
    const kiln_format_adb counts = kiln_count_parameters(options);
    const kiln_model_group group = {"model", NULL, plain->soup.triangle_count};
    const kiln_model model = {.soup = &plain->soup,
                              .groups = &group,
                              .group_count = 1,
                              .kinds = kinds,
                              .kind_count = kind_count,
                              .trees = trees,
                              .leaf_max = options->leaf,
                              .meta = "{}",
                              .meta_size = 2,
                              .counts = &counts,
                              .no_geometry = options->no_geometry};
    const kiln_watch watch = {kiln_thread_count(options->threads), NULL, NULL, "write", 0, 1};
    return kiln_model_encode(&model, options->layout, key, &watch, data, size, packed);
}

kiln_bake_status bench_bake(const bench_mesh *mesh, const kiln_bake_options *options, void **data,
                            size_t *size)
{
    const kiln_build_kind *kinds[KINDS_MAX];
    kiln_build_tree trees[KINDS_MAX];
    plain_soup plain;
    const uint32_t kind_count = find_kinds(options->bv, kinds);
    const kiln_format_adb counts = kiln_count_parameters(options);
    const kiln_build_input input = {mesh->positions, mesh->indices, NULL, mesh->triangle_count};
    kiln_bake_status status = kind_count == 0 ? KILN_BAKE_USAGE : KILN_BAKE_OK;
    uint32_t built = 0;
    if (!make_soup(&plain, mesh)) {
        status = KILN_BAKE_FAILED;
    }
    for (uint32_t k = 0; k < kind_count && status == KILN_BAKE_OK; k++) {
        status = kiln_build(kinds[k], &input, options, &trees[k]);
        built += status == KILN_BAKE_OK;
        if (status == KILN_BAKE_OK && options->adb != 0) {
            status = kiln_count_build(kinds[k], &plain.soup, &counts, options, &trees[k]);
        }
    }
    if (status == KILN_BAKE_OK) {
        status = encode(&plain, options, kinds, kind_count, trees, data, size);
    }
    for (uint32_t k = 0; k < built; k++) {
        kiln_build_tree_free(&trees[k]);
    }
    free_soup(&plain);
    return status;
}

kiln_bake_status bench_bake_tree(const bench_mesh *mesh, const kiln_build_kind *kind,
                                 kiln_build_tree *tree, void **data, size_t *size)
{
    plain_soup plain;
    kiln_bake_options options = kiln_bake_options_default();
    options.layout = KILN_LAYOUT_RAW;
    kiln_bake_status status = KILN_BAKE_FAILED;
    if (make_soup(&plain, mesh)) {
        status = encode(&plain, &options, &kind, 1, tree, data, size);
    }
    free_soup(&plain);
    return status;
}

/* ----------------------------------------------------------------------------------- opening -- */

kiln_status bench_file_open(void *data, size_t size, kiln_error *error, bench_file *file)
{
    kiln_open_options options = kiln_open_options_default();
    kiln_format_error format_error;
    memset(file, 0, sizeof *file);
    file->data = data;
    options.error = error;
    kiln_status status = kiln_open_memory(data, size, &options, &file->file);
    if (status == KILN_OK && (!kiln_reader_open(&file->reader, data, size, NULL, &format_error) ||
                              !kiln_view_open(&file->view, &file->reader, true, &format_error))) {
        status = KILN_ERROR_MEMORY; /* as the bytes are sound */
    }
    if (status != KILN_OK) {
        bench_file_close(file);
    }
    return status;
}

void bench_file_close(bench_file *file)
{
    kiln_close(file->file);
    kiln_reader_close(&file->reader);
    free(file->data);
    memset(file, 0, sizeof *file);
}

kiln_status bench_file_bake(const bench_mesh *mesh, const char *bv, int leaf, bench_file *file)
{
    kiln_bake_options options = kiln_bake_options_default();
    void *data;
    size_t size;
    options.bv = bv;
    options.leaf = leaf;
    options.layout = KILN_LAYOUT_RAW;
    memset(file, 0, sizeof *file);
    if (bench_bake(mesh, &options, &data, &size) != KILN_BAKE_OK) {
        return KILN_ERROR_MEMORY;
    }
    return bench_file_open(data, size, NULL, file);
}

bool bench_mesh_of(const kiln_view *view, uint32_t index, bench_mesh *mesh)
{
    const kiln_view_tree tree = kiln_view_get_tree(view, index);
    const uint32_t count = tree.entry->triangle_count;
    mesh->vertex_count = view->vertex_count;
    mesh->triangle_count = count;
    mesh->positions = malloc(3 * sizeof(float) * ((size_t)view->vertex_count + 1));
    mesh->indices = malloc(3 * sizeof(uint32_t) * ((size_t)count + 1));
    if (mesh->positions == NULL || mesh->indices == NULL) {
        bench_mesh_free(mesh);
        return false;
    }
    memcpy(mesh->positions, view->vertices, 3 * sizeof(float) * view->vertex_count);
    /* Slots of an octree are references, of which a triangle may have several. */
    const bool once = tree.slots == count;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t stored =
            once ? kiln_view_tree_triangle(&tree, i) : tree.entry->triangle_first + i;
        memcpy(mesh->indices + 3 * (size_t)i, view->triangles + 3 * (size_t)stored,
               3 * sizeof(uint32_t));
    }
    return true;
}
