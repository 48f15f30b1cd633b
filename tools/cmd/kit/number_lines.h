/* Lines of numbers from a text: parted by blanks or commas. Empty lines and what follows '#' are
 * skipped. */
#ifndef KILN_CMD_NUMBER_LINES_H
#define KILN_CMD_NUMBER_LINES_H

enum { NUMBER_LINE_MAX = 26 };

/* Takes the numbers of a line, counted from 1. There may be more than NUMBER_LINE_MAX: the rest is not
 * kept. Returns an exit status. */
typedef int (*number_line)(void *user, unsigned long line, const double *numbers, int count);

/* Reads `path`, "-" for standard input, up to the first line that `take` does not return EXIT_DONE for.
 * Reports what can't be read or is no number by name and line. Returns an exit status. */
int number_lines_read(const char *path, number_line take, void *user);

#endif
