/* A kiln file of any kind in memory, verified as when it is opened. */
#ifndef KILN_CMD_CONTENTS_H
#define KILN_CMD_CONTENTS_H

#include "../../../formats/axes_check.h"
#include "../../../formats/bins_check.h"
#include "../../../formats/check.h"
#include "../../common/heights_mesh.h"

#include <jansson.h>

typedef enum { CONTENTS_MODEL, CONTENTS_TABLE, CONTENTS_WEIGHTS, CONTENTS_AXES } contents_kind;

typedef struct {
    const char *path;
    void *data;
    size_t size;
    bool is_open; /* the members below are valid */
    kiln_reader reader;
    contents_kind kind;
    kiln_view view;         /* of a model */
    kiln_heights_mesh mesh; /* to which the view of a height field refers */
    kiln_bins_view table;   /* of a table */
    kiln_weights_view weights;
    kiln_axes_view axes;
    json_t *meta; /* the document that the bake wrote about itself; NULL: there is none */
} contents;

/* Loads and opens; reports what is wrong and returns its exit status. After EXIT_DONE close it. */
int contents_open(contents *of, const char *path);
void contents_close(contents *of);

/* Releases all that was decoded, and keeps the bytes of the file until it is closed. */
void contents_release(contents *of);

/* The two halves of it: load reads the bytes and reports what is wrong; open_loaded decodes them,
 * and leaves what is wrong in *error. Close it after the first has ended in EXIT_DONE. */
int contents_load(contents *of, const char *path);
bool contents_open_loaded(contents *of, kiln_format_error *error);

/* "model", "table", "weights", "axes". */
const char *contents_kind_name(contents_kind kind);

/* The bytes of a tree's nodes, and the cost of a query in it. Trees of one kind are packed
 * together: `bytes_packed` is a share by nodes of what these take in the file, or would take if
 * packed. The cost is the expected number of tests by the surface-area heuristic, from the stored
 * boxes. */
typedef struct {
    uint64_t bytes_raw, bytes_packed;
    double cost;
} tree_sizes;

/* One for each tree of the view, which was opened in full; released by free(). NULL: no memory. */
tree_sizes *tree_sizes_of(const kiln_view *view);

/* Is any section packed? */
bool reader_is_packed(const kiln_reader *reader);

/* "vertices", "materials" and so on; "unknown" for a kind that this version has not. */
const char *section_name(const kiln_format_section *entry);

#endif
