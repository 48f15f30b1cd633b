/* kiln query --points --mode nearest and --mode signed: what is asked, and the answer of a line. */
#ifndef KILN_CMD_QUERY_NEAREST_H
#define KILN_CMD_QUERY_NEAREST_H

#include "../../../runtime/kiln_nearest.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
    const kiln_tree *tree;
    const kiln_pose *pose;
    bool is_signed, witness;
    int most;                  /* triangles; 0: one, in words of its own */
    double within;             /* less than 0: however far */
    kiln_surface_point *found; /* room, which grows */
    size_t capacity, count;
    double distance; /* signed */
} nearest_lines;

/* Finds what is wanted of the point, into `lines`. KILN_ERROR_MEMORY too. */
kiln_status nearest_lines_ask(nearest_lines *lines, const double point[3]);

/* Prints the answer, or appends it to `answers`. */
void nearest_lines_report(const nearest_lines *lines, json_t *answers);

void nearest_lines_free(nearest_lines *lines);

#endif
