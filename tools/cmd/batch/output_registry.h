/* The files that a batch has written, by what they are rather than by their names: where a disk, or
 * a mount, takes two outputs for one file, the second does not replace the first. */
#ifndef KILN_CMD_OUTPUT_REGISTRY_H
#define KILN_CMD_OUTPUT_REGISTRY_H

#include "plan.h"

#include "../../common/write_file.h"

typedef struct written written;

/* Room for every output of the plan, which must stay; NULL without memory. */
written *output_registry_new(const plan *of);
void output_registry_free(written *w);

/* What the mover of a job is given as its user. */
typedef struct {
    written *of;
    size_t job;
} output_registry_place;

/* A kiln_write_mover's function: renames, unless another job's file is there. Any thread. */
bool output_registry_move(void *place, const char *from, const char *to,
                          char message[KILN_WRITE_MESSAGE_SIZE]);

/* Notes an output that was left as it is. False as above. */
bool output_registry_note(const output_registry_place *place, const char *path,
                          char message[KILN_WRITE_MESSAGE_SIZE]);

#endif
