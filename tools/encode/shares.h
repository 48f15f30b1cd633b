/* What a file's bytes go to: a model's, by the triangle. */
#ifndef KILN_SHARES_H
#define KILN_SHARES_H

#include "../../formats/reader.h"

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
