/* What opening a model and opening a table have in common. */
#ifndef KILN_OPENING_H
#define KILN_OPENING_H

#include "../../formats/os.h"
#include "../../formats/reader.h"
#include "../kiln.h"

/* The caller's options, as far as its version of the struct goes; NULL: defaults. */
kiln_open_options kiln_opening_options(const kiln_open_options *options);

bool kiln_opening_options_are_sound(const kiln_open_options *options);

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

/* kiln_os_map. */
kiln_status kiln_opening_map(const char *path, void **map, size_t *size);

#endif
