/* Tables of bins as a file: the sections that the runtime opens (runtime/bins), in a container of
 * their own.
 *
 * The key in the header is a hash of the parameters, the weights and the versions, so that a table
 * is known by what it was computed from, as a model is. */
#include "bins_file.h"

#include "../../formats/assert.h"
#include "../../runtime/kiln.h"
#include "../common/sha256.h"

#include <string.h>
#include <zlib.h>

#define META "{\"schema\": \"kiln-bins-meta-1\", \"kiln\": \"" KILN_VERSION_STRING "\"}"

enum { SECTIONS_MAX = 4 + KILN_BINS_TABLE_X_MAX };

/* A text with its zero. */
static void feed_text(kiln_sha256 *sha, const char *text)
{
    kiln_sha256_update(sha, text, strlen(text) + 1);
}

kiln_bake_status kiln_bins_encode(const kiln_lut_bins *table, const kiln_weights_rows *weights,
                                  kiln_layout layout, const kiln_watch *watch, void **file,
                                  size_t *size)
{
    kiln_section_input sections[SECTIONS_MAX];
    uint8_t key[16];

    const uint32_t numbers[] = {KILN_FORMAT_MAJOR,      KILN_FORMAT_MINOR,   table->header.profile,
                                table->header.rounding, table->header.max_u, table->header.max_x};
    kiln_sha256 sha;
    uint8_t digest[KILN_SHA256_SIZE];
    kiln_sha256_init(&sha);
    feed_text(&sha, "kiln bins key 1");
    feed_text(&sha, KILN_VERSION_STRING);
    feed_text(&sha, zlibVersion());
    kiln_sha256_update(&sha, numbers, sizeof numbers);
    if (weights != NULL) {
        kiln_sha256_update(&sha, weights->rows, weights->count * sizeof weights->rows[0]);
    }
    kiln_sha256_final(&sha, digest);
    memcpy(key, digest, 16);

    /* The header comes first, and a section of values for each x; which kind they are follows from
     * the profile. */
    static const char meta[] = META;
    const kiln_format_bins *header = &table->header;
    KILN_ASSERT(header->max_x <= KILN_BINS_TABLE_X_MAX);
    const uint32_t values =
        header->profile == KILN_BINS_EXACT ? KILN_SECTION_BINS_FLOATS : KILN_SECTION_BINS_COUNTS;
    uint32_t count = 0;
    sections[count++] = (kiln_section_input){KILN_SECTION_BINS, header, sizeof *header, 0};
    sections[count++] = (kiln_section_input){KILN_SECTION_META, meta, sizeof meta - 1, 0};
    sections[count++] = (kiln_section_input){KILN_SECTION_BINS_ROWS, table->rows, table->rows_size,
                                             header->row_size};
    for (uint32_t k = 0; k < header->max_x; k++) {
        const uint32_t record = kiln_lut_bins_record_size(header, k);
        sections[count++] = (kiln_section_input){values, table->records[k],
                                                 table->record_counts[k] * record, record};
    }
    if (weights != NULL) {
        sections[count++] = (kiln_section_input){KILN_SECTION_ADB_WEIGHTS, weights->rows,
                                                 weights->count * sizeof weights->rows[0], 0};
    }
    return kiln_container_write(sections, count, layout, 0, key, watch, file, size, NULL);
}
