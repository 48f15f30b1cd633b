/* The files that Assimp asks for: the model, wherever it is, and those beside it. */
#ifndef KILN_IMPORT_ASSIMP_FILES_H
#define KILN_IMPORT_ASSIMP_FILES_H

#include <assimp/cfileio.h>

#include "reader.h"

/* An interface for Assimp that serves `reading`'s model under its name and records other files that
 * are read. */
struct aiFileIO kiln_assimp_files(kiln_reading *reading);

#endif
