/* Files that a verb reads. Each function that returns an exit status has reported what
 * is wrong, unless that is EXIT_DONE. */
#ifndef KILN_CMD_FILES_H
#define KILN_CMD_FILES_H

#include "../../../runtime/kiln.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Reads a regular file. *data, 64-byte aligned, is released by free(). Reports what is wrong and
 * returns its exit status. */
int load_file(const char *path, void **data, size_t *size);

/* Reads standard input to its end, likewise, as long as that takes at most `most` bytes of memory
 * (0: no limit). */
int load_stdin(uint64_t most, void **data, size_t *size);

/* The exit status that a status of the runtime ends in. */
int exit_status_of(kiln_status status);

/* Reports that the file at `path` is not sound, by a status or error code and its text; returns the
 * exit status. */
int report_format_error(const char *path, int code, const char *text);

/* Opens and verifies `path`; reports what is wrong and returns its exit status. */
int open_file(const char *path, kiln_file **file);

/* Finds the tree called `name` (NULL: any) with the kind of volume called `bv` (NULL: any). Where
 * several with different names would do, the error says that a name is needed. */
int choose_tree(const char *path, const kiln_file *file, const char *name, const char *bv,
                const kiln_tree **tree);

/* The number by which a triangle is printed: its face in the source with `witness`, as far as the
 * file knows it, else its id. */
unsigned triangle_number(const kiln_tree *tree, uint32_t triangle, bool witness);

/* Adds the members face, node, mesh and material of a triangle, as far as the file knows them. */
void triangle_add_source(json_t *object, const kiln_tree *tree, uint32_t triangle);

/* Returns an array of the two triangles: their ids, or with `witness` objects that say where they
 * come from. */
json_t *pair_json(const kiln_tree *tree_a, const kiln_tree *tree_b, kiln_pair pair, bool witness);

#endif
