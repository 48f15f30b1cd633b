/* Honest boxes with extreme numbers: trees that no baker writes, and that the format admits. */
#ifndef KILN_TEST_EXTREME_H
#define KILN_TEST_EXTREME_H

#include "edit.h"

/* Writes every box of every tree of a raw file anew, at random, so that it still contains its
 * triangles: with the longest and the shortest grid steps that the format admits, origins and
 * centres far off, extents from tight to the largest, any rotation, and, for some trees, a node
 * space whose unit or origin is far larger than the mesh. Geometry stays. */
void extreme_boxes(edit_file *file, uint64_t *state);

#endif
