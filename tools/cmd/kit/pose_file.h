/* Poses from a text: a line a pose, 12 numbers (row-major 3 x 4, B in A's frame) or 24 (the pose of A,
 * then of B), parted by blanks or commas; 13 or 26 where the scale follows each pose's 12. Empty lines and what follows '#' are skipped. */
#ifndef KILN_CMD_POSE_FILE_H
#define KILN_CMD_POSE_FILE_H

#include "../../../runtime/kiln.h"

#include <stddef.h>

typedef struct {
    kiln_pose a, b;
    unsigned long line; /* 1-based, for messages; 0: not from a file */
} pose_pair;

typedef struct {
    pose_pair *pairs;
    size_t count, capacity;
} pose_list;

/* Reads `path`, "-" for standard input. Reports a bad line by name and number and returns an exit
 * status; then *list is empty. */
int pose_list_read(pose_list *list, const char *path);

/* One pair, both at the identity. */
int pose_list_identity(pose_list *list);

void pose_list_free(pose_list *list);

#endif
