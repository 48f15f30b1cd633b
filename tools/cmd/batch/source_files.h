/* The files that each asset of a plan is read from, which have to be brought along where it is
 * baked on another host. */
#ifndef KILN_CMD_SOURCE_FILES_H
#define KILN_CMD_SOURCE_FILES_H

#include "plan.h"

/* The files of one asset. */
typedef struct {
    bool up_to_date; /* its output is what a bake would write; then nothing is listed */
    char **paths;    /* the input first, then what it refers to and the weights of its options */
    size_t count;
} source_files;

/* Fills lists[of->count], to be freed by source_files_free whatever the status. Imports each asset,
 * in parallel, which takes hundredths of what its bake does. What can't be imported is listed with
 * its input alone: its bake reports what is wrong. Paths start where the input's does, without "."
 * and as few ".." as there can be. Reports want of memory, and options that exclude each other. */
int source_files_find(const plan *of, source_files *lists);

void source_files_free(source_files *lists, size_t count);

#endif
