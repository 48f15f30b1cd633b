/* Models written in the way that Assimp reads, before it does. */
#ifndef KILN_IMPORT_REWRITE_H
#define KILN_IMPORT_REWRITE_H

#include "reader.h"

/* Put another text in the place of the model, where one is needed. */
void kiln_rewrite_x(kiln_reading *reading);
void kiln_rewrite_dxf(kiln_reading *reading);

#endif
