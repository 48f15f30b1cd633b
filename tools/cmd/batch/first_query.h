/* How soon a file answers: what a program that loads it waits for, against building the trees itself. */
#ifndef KILN_CMD_FIRST_QUERY_H
#define KILN_CMD_FIRST_QUERY_H

#include <stdbool.h>

typedef struct {
    double verified,
        trusted; /* seconds to open the file and ask one query, in the system's cache */
} first_query;

/* Opens the file in full, then trusted, and asks whether its first tree meets itself, turned and moved by half
 * its size; the least of three turns. False: it does not open, or has no polygons. */
bool first_query_measure(const char *path, first_query *out);

#endif
