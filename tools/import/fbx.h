/* A look at FBX before Assimp reads it. */
#ifndef KILN_IMPORT_FBX_H
#define KILN_IMPORT_FBX_H

#include "reader.h"

/* Checks every size of a binary file, and puts a file that differs in form from what Assimp takes
 * in place of the model, in memory, in a form that it takes. Ends the work where it is broken. */
void kiln_look_at_fbx(kiln_reading *reading);

#endif
