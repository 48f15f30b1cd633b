/* Lines of numbers and lists of poses from a file, whose errors are reported. */
#ifndef KILN_CMD_NUMBER_LINES_H
#define KILN_CMD_NUMBER_LINES_H

#include "../../common/number_lines.h"

#include <stddef.h>

/* Takes the numbers of a line, counted from 1. There may be more than KILN_NUMBERS_MAX: the rest is
 * not kept. Returns an exit status. */
typedef int (*number_line)(void *user, unsigned long line, const double *numbers, int count);

/* Reads `path`, "-" for standard input, up to the first line that `take` does not return EXIT_DONE
 * for. Reports what can't be read or is no number by name and line. Returns an exit status. */
int number_lines_read(const char *path, number_line take, void *user);

typedef struct {
    kiln_pose_pair *pairs;
    size_t count, capacity;
} pose_list;

/* Reads `path`, "-" for standard input. Reports a bad line by name and number and returns an exit
 * status; then *list is empty. */
int pose_list_read(pose_list *list, const char *path);

/* A list of one pair, both at the identity. Reports want of memory. */
int pose_list_identity(pose_list *list);

void pose_list_free(pose_list *list);

/* What to do about a pose that a query refuses, after the library's words for it. */
#define POSE_CURE                                                                                  \
    "its numbers are the rows of a 3 x 4 matrix that has an inverse, the translation last in each"

#endif
