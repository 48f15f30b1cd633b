/* Import of a model: from a file in any format that a reader knows to a soup of triangles, read in
 * a child process with limits of time and memory. */
#ifndef KILN_IMPORT_H
#define KILN_IMPORT_H

#include "../kiln_bake.h"
#include "../common/soup.h"

/* Reads `path` (or `data`, when not NULL, with the extension `format`) into *soup as the options
 * say: scale, up axis, on_bad, drop, limits. On error nothing is kept and *report->error is set. */
kiln_bake_status kiln_import(const kiln_bake_input *input, const kiln_bake_options *options,
                             kiln_soup *soup, kiln_bake_report *report);

/* Which reader. */
typedef enum {
    KILN_READER_USUAL, /* that of the format */
    KILN_READER_OWN,   /* ours, or none */
    KILN_READER_ASSIMP /* Assimp, also where a reader of ours is the usual one */
} kiln_reader_choice;

/* The same by another reader, for a second opinion. */
kiln_bake_status kiln_import_by(kiln_reader_choice reader, const kiln_bake_input *input,
                                const kiln_bake_options *options, kiln_soup *soup,
                                kiln_bake_report *report);

#endif
