/* Outputs of a verb: what may be replaced by them, and their writing. Each function that returns an
 * exit status has reported what is wrong, unless that is EXIT_DONE. */
#ifndef KILN_CMD_OUTPUT_H
#define KILN_CMD_OUTPUT_H

#include "../../common/paths.h"
#include "../../common/write_file.h"

#include <stdbool.h>
#include <stddef.h>

/* A kind of output, by which one that is there already is recognised. */
typedef struct {
    const char *what; /* "kiln file" */
    /* Could the program have written a file that begins with these bytes, followed by a zero?
     * `whole`: that is all of it. */
    bool (*is_own)(const char *bytes, size_t size, bool whole);
} output_kind;

/* Hierarchies, tables of bins and weights: all have the same signature. */
extern const output_kind output_kind_kiln;

/* The files that a run reads, which none of its outputs may replace. Starts zeroed. */
typedef struct {
    struct read_file {
        char *path;
        const char *what; /* "the manifest"; not owned */
        kiln_file_id id;
    } * list;
    size_t count, capacity;
} read_files;

/* Adds a file; one that is not there, or no regular file, can't be replaced and is left out.
 * Reports want of memory. */
int read_files_add(read_files *files, const char *path, const char *what);

/* The file of the list that `path` leads to, links followed; NULL: none. */
const struct read_file *read_files_find(const read_files *files, const char *path);

void read_files_free(read_files *files);

/* Every output of every verb passes this check before the work begins. Refused is a path that leads
 * to a file which the run reads (`files`; NULL: none), or to one that is not empty and that the
 * program could not have written, whatever its name is: a slip, as of "-o *.obj". Links are
 * followed. "-" is standard output. */
int output_check(const char *path, const output_kind *kind, const read_files *files);

/* The same of a verb that reads these inputs, before minutes are spent: also, can the file be
 * written? NULL is no file. */
int output_check_inputs(const char *path, const output_kind *kind, char *const *inputs,
                        int input_count);

/* Would output_check still let the file be replaced? Reports nothing. */
bool output_may_be_replaced(const char *path, const output_kind *kind, const read_files *files);

/* The same just before the rename; false with a message for a kiln_write_mover. */
bool output_may_be_moved(const char *path, const output_kind *kind, const read_files *files,
                         char message[KILN_WRITE_MESSAGE_SIZE]);

/* Writes the file `path`, whole or not at all, or standard output for "-". A file that appeared
 * there since output_check and is not of the kind stays, and is reported. */
int output_write(const char *path, const output_kind *kind, const void *data, size_t size);

/* Does the name end in ".kiln"? */
bool is_kiln_name(const char *path);

#endif
