/* A good file to spoil, and how a spoilt one must be refused. */
#ifndef KILN_TEST_REFUSE_H
#define KILN_TEST_REFUSE_H

#include "../../formats/format_error.h"
#include "../../runtime/kiln.h"
#include "../support/edit.h"

#include <stdbool.h>

/* A torus of 96 triangles with a tree of each 8-wide kind, taken apart. Released by edit_free. */
edit_file *good_file(void);

/* The same with trees of the kinds in `bv`. */
edit_file *good_file_of(const char *bv);

/* The same with trees that have counts; without its polygons. */
edit_file *good_file_with_counts(const char *bv, bool no_geometry);

/* The same with an obb and an aabb2 tree. */
edit_file *good_file_counted(bool no_geometry);

/* Opens the bytes, at an address that lets them be used in place and at one that does not, each in
 * a buffer of exactly that size; expects this status and rule, a null file, a message, and that all
 * memory was given back. Returns the error. */
kiln_error refuse(const uint8_t *bytes, size_t size, kiln_status status, uint32_t rule);

/* The same for bytes that must open. Each tree is asked for all contacts with itself; the result is
 * their number over all trees. */
size_t accept(const uint8_t *bytes, size_t size);

#endif
