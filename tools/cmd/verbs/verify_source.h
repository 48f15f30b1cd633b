/* Is a file's geometry what a fresh import of its source gives? */
#ifndef KILN_CMD_VERIFY_SOURCE_H
#define KILN_CMD_VERIFY_SOURCE_H

#include "contents.h"

typedef struct {
    uint64_t triangles; /* of the import */
    uint64_t
        differing;   /* triangles, of as many as both have, with other corners, face or material */
    bool same_bytes; /* the source and its side files hash as the file says */
    char first[512]; /* what is wrong first: "" nothing */
} source_verdict;

/* Imports the model at `source` with the options that the file was baked with, and compares it triangle
 * by triangle. Reports what can't be read; EXIT_DONE where *verdict tells all, equal or not. */
int verify_source(const contents *of, const char *source, int import_memory, double import_seconds,
                  source_verdict *verdict);

#endif
