/* Archives of ZIP whose files are stored, as 3MF packs its parts. */
#ifndef KILN_TEST_STORED_ARCHIVE_H
#define KILN_TEST_STORED_ARCHIVE_H

#include <stddef.h>

typedef struct {
    const char *name, *data;
    size_t size;
} stored_file;

/* The relationships of a package whose model is the part "/m": those of the file "_rels/.rels". */
extern const char stored_relations[];

/* An archive of up to four files; *size: its bytes. For free(). */
char *stored_archive(const stored_file *files, size_t count, size_t *size);

#endif
