/* The files that pages are made of, as the build has put them into the program: embed.sh writes the
 * table. Each is compressed by gzip. */
#ifndef KILN_VIEW_EMBEDDED_H
#define KILN_VIEW_EMBEDDED_H

#include <stddef.h>

typedef struct {
    const char *name; /* "view.js" */
    const unsigned char *data;
    size_t stored_size; /* bytes at data */
    size_t size;        /* of the file */
} embedded_file;

/* Ends with a row whose name is NULL. */
extern const embedded_file embedded_files[];

#endif
