/* The formats of glTF. Their reader stands apart from the others, since what is linked with it
 * takes long to load (main_gltf.c). */
#include "serve.h"

static const kiln_reader_row rows[] = {
    {"gltf", kiln_read_gltf}, {"glb", kiln_read_gltf}, {"vrm", kiln_read_gltf}, {NULL, NULL}};

const kiln_importer kiln_importer_gltf = {.name = "kiln-import-gltf", .rows = rows};
