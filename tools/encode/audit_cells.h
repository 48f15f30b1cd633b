/* The audit of octrees: is all of each triangle in leaves that hold it? */
#ifndef KILN_ENCODE_AUDIT_CELLS_H
#define KILN_ENCODE_AUDIT_CELLS_H

#include "../../formats/check.h"

/* For an octree with polygons, of a view that is open; counts the boxes that parts were held
 * against. False: *error says what is not covered, or that memory is short. */
bool kiln_audit_cells(const kiln_view *view, const kiln_view_tree *tree, const char *name,
                      uint64_t *containments, kiln_format_error *error);

#endif
