/* Height fields as files. What a reader makes of the samples is made here once, for the entry of
 * the tree, which a reader compares with its own. */
#include "heights_file.h"

#include "../../formats/assert.h"
#include "../../formats/heights.h"
#include "../common/parallel.h"
#include "geometry.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 8192 }; /* triangles of a task */

typedef struct {
    const kiln_heights *heights;
    uint64_t (*sums)[2]; /* by chunk */
    bool *failed;
} hashing;

/* The two sums of the hash over the triangles of a chunk that are there. */
static void hash_chunk(void *context, uint32_t index)
{
    const hashing *of = context;
    const uint32_t all = kiln_heights_triangles(of->heights), first = index * CHUNK;
    const uint32_t end = all - first < CHUNK ? all : first + CHUNK;
    float *corners = malloc(9 * (size_t)CHUNK * sizeof *corners);
    uint32_t *numbers = malloc(3 * (size_t)CHUNK * sizeof *numbers), count = 0;
    of->failed[index] = corners == NULL || numbers == NULL;
    for (uint32_t id = first; id < end && !of->failed[index]; id++) {
        for (unsigned c = 0; c < 3 && kiln_heights_has(of->heights, id); c++) {
            kiln_heights_vertex(of->heights, id, c, corners + 3 * (size_t)count);
            numbers[count] = count;
            count++;
        }
    }
    if (!of->failed[index]) {
        kiln_geometry_hash_part(corners, numbers, NULL, 0, count / 3, of->sums[index]);
    }
    free(corners);
    free(numbers);
}

static kiln_bake_status hash_triangles(const kiln_heights *heights, const kiln_watch *watch,
                                       uint8_t hash[16])
{
    const uint32_t chunks = kiln_heights_triangles(heights) / CHUNK + 1;
    hashing of = {heights, calloc(chunks, sizeof *of.sums), calloc(chunks, sizeof *of.failed)};
    uint64_t sum[2] = {0, 0};
    bool good =
        of.sums != NULL && of.failed != NULL && kiln_parallel_for(watch, chunks, hash_chunk, &of);
    for (uint32_t i = 0; good && i < chunks; i++) {
        sum[0] += of.sums[i][0];
        sum[1] += of.sums[i][1];
        good = !of.failed[i];
    }
    memcpy(hash, sum, sizeof sum);
    free(of.sums);
    free(of.failed);
    return good ? KILN_BAKE_OK : KILN_BAKE_FAILED;
}

kiln_bake_status kiln_heights_tree(const kiln_format_heights *grid, const uint16_t *samples,
                                   const kiln_watch *watch, kiln_format_tree *entry)
{
    size_t size, scratch_size;
    if (!kiln_heights_size(grid, (uint64_t)grid->columns * grid->rows, &size, &scratch_size)) {
        return KILN_BAKE_INVALID;
    }
    void *memory = aligned_alloc(64, size), *scratch = aligned_alloc(64, scratch_size);
    kiln_bake_status status = KILN_BAKE_FAILED;
    if (memory != NULL && scratch != NULL) {
        const kiln_heights *heights = kiln_heights_form(grid, samples, memory, scratch);
        status = KILN_BAKE_INVALID;
        if (heights != NULL) {
            *entry = heights->entry;
            status = hash_triangles(heights, watch, entry->geometry_hash);
        }
    }
    free(memory);
    free(scratch);
    return status;
}

kiln_bake_status kiln_heights_encode(const kiln_heights_model *model, const kiln_format_tree *entry,
                                     kiln_layout layout, const uint8_t build_key[16],
                                     const kiln_watch *watch, void **file, size_t *size)
{
    const kiln_format_heights *grid = model->grid;
    const kiln_format_part part = {.triangle_count = 2 * (grid->columns - 1) * (grid->rows - 1)};
    KILN_ASSERT(entry->triangle_count > 0);
    const kiln_section_input sections[] = {
        {KILN_SECTION_TREES, entry, sizeof *entry, 0},
        {KILN_SECTION_STRINGS, "", 1, 0},
        {KILN_SECTION_HEIGHTS, grid, sizeof *grid, 0},
        {KILN_SECTION_SAMPLES, model->samples,
         (uint64_t)grid->columns * grid->rows * sizeof *model->samples, 0},
        {KILN_SECTION_PARTS, &part, sizeof part, 0},
        {KILN_SECTION_MATERIALS, NULL, 0, 0},
        {KILN_SECTION_META, model->meta, model->meta_size, 0},
    };
    return kiln_container_write(sections, sizeof sections / sizeof sections[0], layout, 0,
                                build_key, watch, file, size, NULL);
}
