/* A model as a page has it: its triangles, and the volumes of its trees by level. */
#ifndef KILN_VIEW_MODEL_H
#define KILN_VIEW_MODEL_H

#include "page.h"

#include "../../formats/check.h"

/* Adds the arrays of the model to the data of a page and returns the members about them: parts,
 * materials, trees with their levels. `view` was opened in full. NULL without memory. */
json_t *view_model_add(page_data *to, const kiln_view *view);

#endif
