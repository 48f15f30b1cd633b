/* See quick_bake.h. */
#include "quick_bake.h"

#include "../../tools/count/count_build.h"
#include "../../tools/encode/assemble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS_MAX = 8 };

static void give_up(const char *what)
{
    (void)fprintf(stderr, "quick_bake: %s\n", what);
    abort();
}

/* The soup of a mesh: one part, one material, face = triangle. */
static kiln_soup soup_of(const mesh *m, kiln_soup_part *part, uint32_t *numbers, uint32_t *zeros,
                         uint32_t *material, char *strings)
{
    kiln_soup soup;
    memset(&soup, 0, sizeof soup);
    memset(zeros, 0, m->triangle_count * sizeof *zeros);
    for (uint32_t i = 0; i < m->triangle_count; i++) {
        numbers[i] = i;
    }
    memset(part, 0, sizeof *part);
    part->triangle_count = m->triangle_count;
    strings[0] = '\0';
    *material = 0;
    soup.vertex_count = m->vertex_count;
    soup.triangle_count = m->triangle_count;
    soup.positions = m->positions;
    soup.indices = m->indices;
    soup.face = numbers;
    soup.user = zeros;
    soup.part_count = 1;
    soup.parts = part;
    soup.material_count = 1;
    soup.materials = material;
    soup.strings = strings;
    soup.strings_size = 1;
    soup.names_size = 1;
    return soup;
}

static uint32_t find_kinds(const char *list, const kiln_build_kind **kinds)
{
    char name[64];
    uint32_t count = 0;
    (void)snprintf(name, sizeof name, "%s", list);
    for (char *at = strtok(name, ","); at != NULL; at = strtok(NULL, ",")) {
        kinds[count] = kiln_build_kind_find(at);
        if (kinds[count++] == NULL) {
            give_up("unknown kind");
        }
    }
    return count;
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
    uint32_t *numbers = malloc(m->triangle_count * sizeof *numbers);
    uint32_t *zeros = malloc(m->triangle_count * sizeof *zeros);
    kiln_soup_part part;
    uint32_t material;
    char strings[1];
    const kiln_build_kind *kinds[KINDS_MAX];
    kiln_build_tree trees[KINDS_MAX];
    uint64_t packed[KINDS_MAX];
    const uint8_t key[16] = {0};
    void *file = NULL;
    if (numbers == NULL || zeros == NULL) {
        give_up("no memory");
    }
    const kiln_soup soup = soup_of(m, &part, numbers, zeros, &material, strings);
    const kiln_format_adb counts = kiln_count_parameters(options);
    const uint32_t kind_count = find_kinds(options->bv, kinds);
    const kiln_build_input input = {m->positions, m->indices, NULL, m->triangle_count};
    for (uint32_t k = 0; k < kind_count; k++) {
        if (kiln_build(kinds[k], &input, options, &trees[k]) != KILN_BAKE_OK) {
            give_up("build failed");
        }
        if (options->adb != 0 && kiln_count_build(kinds[k], &soup, &counts, options, &trees[k]) !=
                                     KILN_BAKE_OK) {
            give_up("counting failed");
        }
    }
    const kiln_model_group group = {"model", NULL, m->triangle_count};
    const kiln_model model = {&soup, &group, 1, kinds, kind_count, trees,
                              options->leaf, "{}", 2, &counts, options->no_geometry};
    const kiln_watch watch = {kiln_thread_count(options->threads), NULL, NULL, "write", 0, 1};
    if (kiln_model_encode(&model, options->layout, key, &watch, &file, size, packed) != KILN_BAKE_OK) {
        give_up("encode failed");
    }
    for (uint32_t k = 0; k < kind_count; k++) {
        kiln_build_tree_free(&trees[k]);
    }
    free(numbers);
    free(zeros);
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
