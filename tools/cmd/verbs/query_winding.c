/* Winding numbers of points, as lines and as JSON. */
#include "query_winding.h"

#include "../kit/report.h"

#include <stdio.h>
#include <stdlib.h>

kiln_status winding_lines_ask(winding_lines *lines, const kiln_tree *tree, const double point[3])
{
    if (lines->winding == NULL) {
        const size_t size = kiln_winding_size(tree);
        lines->memory = malloc(size > 0 ? size : 1);
        if (lines->memory == NULL) {
            return KILN_ERROR_MEMORY;
        }
        const kiln_status status = kiln_winding_place(lines->memory, size, tree, &lines->winding);
        if (status != KILN_OK) {
            return status;
        }
    }
    return kiln_winding_number(lines->winding, lines->pose, point, &lines->options, &lines->answer);
}

void winding_lines_report(const winding_lines *lines, json_t *answers)
{
    const kiln_winding_answer *answer = &lines->answer;
    if (answers != NULL) {
        json_t *object = json_object();
        json_object_set_new(object, "number", json_number(answer->number));
        json_object_set_new(object, "error", json_number(answer->error));
        json_object_set_new(object, "exact", json_boolean(answer->exact));
        json_object_set_new(object, "surface", json_boolean(answer->surface));
        json_array_append_new(answers, object);
        return;
    }
    printf("%.17g %.3g%s\n", answer->number, answer->error,
           answer->exact     ? " exact"
           : answer->surface ? " surface"
                             : "");
}

void winding_lines_free(winding_lines *lines)
{
    free(lines->memory);
}
