/* What the trees of a file take, and what they cost a query. */
#ifndef KILN_CMD_TREE_SIZES_H
#define KILN_CMD_TREE_SIZES_H

#include "../../../formats/check.h"

typedef struct {
    uint64_t bytes_raw; /* of its nodes */
    uint64_t
        bytes_packed; /* its share, by nodes, of what the nodes of the kind take, or would take packed */
    double
        cost; /* expected tests of a query by the surface-area heuristic, from the stored boxes */
} tree_sizes;

/* By tree of the view, which was opened in full; released by free(). NULL: no memory. */
tree_sizes *tree_sizes_of(const kiln_view *view);

/* Is any section packed? */
bool reader_is_packed(const kiln_reader *reader);

/* "vertices"; "unknown". */
const char *section_name(const kiln_format_section *entry);

#endif
