/* What opening a model and opening a table have in common. */
#ifndef KILN_OPENING_H
#define KILN_OPENING_H

#include "../../formats/os.h"
#include "../../formats/reader.h"
#include "../kiln.h"

/* Reads `size` bytes into what a caller wants of them. The options are complete and sound. */
typedef kiln_status (*kiln_opening_read)(const void *data, size_t size,
                                         const kiln_open_options *options, void *into);

/* Runs `read` in the environment of queries, since checks compare doubles of the file. `options`
 * are the caller's, NULL for the defaults. KILN_ERROR_ARGUMENT: `data` or `into` is NULL, or the
 * options are not sound. */
kiln_status kiln_opening_memory(kiln_opening_read read, const void *data, size_t size,
                                const kiln_open_options *options, void *into);

/* The same for a file on disk. If it succeeds, *map of *map_size bytes is the caller's to unmap. */
kiln_status kiln_opening_disk(kiln_opening_read read, const char *path,
                              const kiln_open_options *options, void *into, void **map,
                              size_t *map_size);

/* Reads and verifies a whole file; the file, a kiln_file * at `into`, owns the reader then. */
kiln_status kiln_opening_read_whole(const void *data, size_t size, const kiln_open_options *options,
                                    void *into);

/* Is a section of a model wanted? `user` are the options. */
bool kiln_opening_wants(void *user, const kiln_reader *reader, uint32_t index);

/* A file of a reader, which it owns from then on, and its trees: those whose nodes are loaded. */
kiln_status kiln_opening_make_file(kiln_reader *reader, bool trusted, kiln_file **out,
                                   kiln_format_error *error);

/* The trees of file->view, in file->trees. */
void kiln_opening_fill_trees(kiln_file *file);

/* Releases what a file holds only while it arrives. */
void kiln_opening_release_arriving(kiln_file *file);

/* Options of the reader, but for which sections are wanted: all. */
kiln_reader_options kiln_opening_reader_options(const kiln_open_options *options);

/* Fill options->error, if there is one, and return its status. */
kiln_status kiln_opening_report(const kiln_open_options *options, const kiln_format_error *error);
kiln_status kiln_opening_report_status(const kiln_open_options *options, kiln_status status);

#endif
