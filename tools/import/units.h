/* The unit and the up axis that a source declares, and what Assimp has done about them. */
#ifndef KILN_IMPORT_UNITS_H
#define KILN_IMPORT_UNITS_H

#include <assimp/scene.h>

#include "reader.h"

/* Fills the unit and axis of reading->facts. */
void kiln_find_units(kiln_reading *reading, const struct aiScene *scene);

#endif
