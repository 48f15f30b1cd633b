/* Writing of a container: sections in, the bytes of a file out. */
#ifndef KILN_ENCODE_CONTAINER_H
#define KILN_ENCODE_CONTAINER_H

#include "../../formats/reader.h"
#include "../common/parallel.h"
#include "../kiln_bake.h"

#include <stddef.h>
#include <stdint.h>

/* A section as it will be decoded. Transform, alignment and flags come from its kind's row. */
typedef struct {
    uint32_t kind;
    const void *data;
    uint64_t size;         /* bytes */
    uint32_t element_size; /* where the kind leaves it open; else 0 */
} kiln_section_input;

/* Lays out `count` sections; `features` are the optional ones of the header. *file [*size bytes] is
 * released by free(); stored_sizes [count] gets the bytes that each takes in the file (or NULL).
 * KILN_BAKE_OK or KILN_BAKE_FAILED (memory, or cancelled by the watch). Bytes depend on the
 * sections, the layout, the features, the build key and zlib only.
 */
kiln_bake_status kiln_container_write(const kiln_section_input *sections, uint32_t count,
                                      kiln_layout layout, uint64_t features,
                                      const uint8_t build_key[16], const kiln_watch *watch,
                                      void **file, size_t *size, uint64_t *stored_sizes);

/* First half of the SHA-256 over each section's kind (uint32), raw size (uint64) and decoded bytes,
 * in order. */
void kiln_container_content_hash(const kiln_section_input *sections, uint32_t count,
                                 uint8_t hash[16]);

/* A file in another layout: same sections, same build key, same content hash. On failure `message`
 * says why; status KILN_BAKE_INVALID for a file that does not open. */
kiln_bake_status kiln_container_relayout(const void *data, size_t data_size, kiln_layout layout,
                                         const kiln_watch *watch, void **file, size_t *size,
                                         char message[192]);

/* ----------------------------------------------------------------------------------- shares -- */

/* What a file's bytes go to: a model's, by the triangle. */

typedef enum {
    KILN_SHARE_NODES, /* and orders of further trees */
    KILN_SHARE_VERTICES,
    KILN_SHARE_INDICES,
    KILN_SHARE_SOURCE, /* ids, faces, parts */
    KILN_SHARE_USER,   /* user values, materials */
    KILN_SHARE_COUNTS, /* of possible collision cells */
    KILN_SHARE_REST,   /* header, tables, padding, directory, strings, meta data */
    KILN_SHARE_COUNT
} kiln_share;

/* "nodes", "vertices" ... */
const char *kiln_share_name(kiln_share share);

/* Stored bytes by share; together the file's. */
void kiln_shares(const kiln_reader *reader, uint64_t shares[KILN_SHARE_COUNT]);

#endif
