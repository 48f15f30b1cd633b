/* Everything that can be checked about a kiln file: what opening it in full proves, and beyond that
 * what answers rest on. For `kiln verify` and for tests; opening does not need it. */
#ifndef KILN_AUDIT_H
#define KILN_AUDIT_H

#include "../../formats/reader.h"
#include "../../formats/format_error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What was looked at, for reports. */
typedef struct {
    uint32_t trees;
    uint64_t triangles; /* over all trees */
    uint64_t nodes;
    uint64_t containments; /* corners held against a box */
    uint64_t counted;      /* boxes whose cells were counted again */
    uint64_t values;       /* of a filled-bins table; 0: it is a model, or weights */
    uint32_t axes;         /* of an axis set */
    uint32_t weights;      /* rows of weights of counted queries */
} kiln_audit_counts;

/* Checks, in this order: header, section table, checksums, structure; the content hash; that
 * triangle ids are a permutation; and for each tree that its triangles are each in one leaf, that
 * its bounds and its geometry hash are those of its triangles, and that every corner of every
 * triangle is inside every box on the way from the root to it, computed in double, and that the
 * counts of possible collision cells are what counting gives for a sample of some hundred boxes of
 * each tree. In a file without polygons what rests on them is left out. Of a filled-bins table and
 * of an axis set: all that opening proves, and the content hash; not whether values are right.
 * False: *error tells the first that is broken and where. `counts` may be NULL. */
bool kiln_audit(const void *data, size_t size, kiln_audit_counts *counts, kiln_format_error *error);

/* The same; with `full` every box is counted again. */
bool kiln_audit_in_full(const void *data, size_t size, bool full, kiln_audit_counts *counts,
                        kiln_format_error *error);

/* Is the content hash of the header that of the sections, all of which the reader has decoded? */
bool kiln_audit_content_hash(const kiln_reader *reader, kiln_format_error *error);

#endif
