/* Verbs that measure in parts, each of which is a table: which of them --parts asks for. */
#ifndef KILN_BENCH_PARTS_H
#define KILN_BENCH_PARTS_H

#include <stdbool.h>
#include <stddef.h>

/* Is the name one of the list, which commas part? NULL lists all. */
bool part_is_listed(const char *list, const char *name);

/* Is every name of the list one that there is, and there once? `found` of those that there are are
 * listed. Returns EXIT_DONE, or reports what is wrong and returns EXIT_USAGE. */
int parts_check(const char *list, size_t found);

#endif
