/* kiln query --points --mode winding: what is asked, and the answer of a line. */
#ifndef KILN_CMD_QUERY_WINDING_H
#define KILN_CMD_QUERY_WINDING_H

#include "../../../runtime/kiln_winding.h"

#include <jansson.h>

typedef struct {
    const kiln_pose *pose;
    kiln_winding_options options;
    kiln_winding *winding; /* NULL: nothing was asked yet */
    void *memory;
    kiln_winding_answer answer;
} winding_lines;

/* Finds the number about the point, into `lines`; sums up the tree before the first. Also
 * KILN_ERROR_MEMORY. */
kiln_status winding_lines_ask(winding_lines *lines, const kiln_tree *tree, const double point[3]);

/* Prints the answer, or appends it to `answers`. */
void winding_lines_report(const winding_lines *lines, json_t *answers);

void winding_lines_free(winding_lines *lines);

#endif
