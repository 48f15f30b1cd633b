/* A kiln file of any kind in memory, verified as when it is opened. */
#ifndef KILN_CMD_CONTENTS_H
#define KILN_CMD_CONTENTS_H

#include "../../../formats/bins_check.h"
#include "../../../formats/check.h"

#include <jansson.h>

typedef enum { CONTENTS_MODEL, CONTENTS_TABLE, CONTENTS_WEIGHTS } contents_kind;

typedef struct {
    const char *path;
    void *data;
    size_t size;
    bool is_open; /* what follows is there */
    kiln_reader reader;
    contents_kind kind;
    kiln_view view;       /* of a model */
    kiln_bins_view table; /* of a table */
    json_t *meta;         /* what the bake left about itself; NULL: not a document */
} contents;

/* Loads and opens; reports what is wrong and returns its exit status. After EXIT_DONE close it. */
int contents_open(contents *of, const char *path);
void contents_close(contents *of);

/* Gives back what was decoded, and keeps the bytes of the file until it is closed. */
void contents_release(contents *of);

/* The two halves: the bytes in memory, with what is wrong reported; and their opening, with what is
 * wrong in *error. Close it after the first has ended in EXIT_DONE. */
int contents_load(contents *of, const char *path);
bool contents_open_loaded(contents *of, kiln_format_error *error);

/* "model", "table", "weights". */
const char *contents_kind_name(contents_kind kind);

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
