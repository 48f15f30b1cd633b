/* Lines of numbers from a text, separated by blanks or commas, and poses that are written as such
 * lines. Empty lines, what follows '#' and a byte order mark of UTF-8 are skipped. */
#ifndef KILN_COMMON_NUMBER_LINES_H
#define KILN_COMMON_NUMBER_LINES_H

#include "../../runtime/kiln.h"

#include <stdbool.h>
#include <stdio.h>

enum { KILN_NUMBERS_MAX = 769, KILN_NUMBERS_MESSAGE_SIZE = 160 };

/* Takes the numbers of a line, counted from 1. There may be more than KILN_NUMBERS_MAX: the rest is
 * not kept. False ends the reading. */
typedef bool (*kiln_take_numbers)(void *user, unsigned long line, const double *numbers, int count);

/* Reads up to the first line that is wrong or not taken, and what is wrong into `message`, "" where
 * a line was not taken. False: not all was read; where the stream failed the message is "" and
 * ferror says so. */
bool kiln_number_lines(FILE *in, kiln_take_numbers take, void *user,
                       char message[KILN_NUMBERS_MESSAGE_SIZE]);

/* Poses of two objects. */
typedef struct {
    kiln_pose a, b;
    unsigned long line; /* 1-based, for messages; 0: not from a file */
    bool both;          /* the line has two poses */
} kiln_pose_pair;

/* A line is a pose: 12 numbers (row-major 3 x 4, B in A's frame) or 24 (the pose of A, then of B);
 * 13 or 26 where the scale follows each pose's 12. False: another count, which `message` says. */
bool kiln_pose_pair_of(unsigned long line, const double *numbers, int count, kiln_pose_pair *pair,
                       char message[KILN_NUMBERS_MESSAGE_SIZE]);

#endif
