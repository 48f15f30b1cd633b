/* The parts of a 3MF archive. */
#ifndef KILN_IMPORT_THREEMF_DOCUMENT_H
#define KILN_IMPORT_THREEMF_DOCUMENT_H

#include "model.h"

/* Reads the root and all parts that are referred to: objects, components and items are in their
 * lists then, and all meshes are sent. */
void kiln_3mf_read_parts(threemf *t);

/* Sends the name of an object, or its id where it has none, once; returns its offset. */
uint32_t kiln_3mf_send_name(const threemf *t, threemf_object *of);

#endif
