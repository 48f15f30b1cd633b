/* The readers of our own, by format: another one is a row here. */
#include "serve.h"

static const kiln_reader_row rows[] = {
    {"obj", kiln_read_obj},     {"ply", kiln_read_ply},
    {"stl", kiln_read_stl},     {"off", kiln_read_off},
    {"amf", kiln_read_amf},     {"x3d", kiln_read_x3d},
    {"dae", kiln_read_collada}, {"3mf", kiln_read_3mf},
    {"fbx", kiln_read_fbx},     {"xyz", kiln_read_xyz},
    {"pts", kiln_read_xyz},     {"asc", kiln_read_xyz},
    {"pgm", kiln_read_pgm},     {"png", kiln_read_png},
    {"r16", kiln_read_r16},     {NULL, NULL},
};

const kiln_importer kiln_importer_own = {.name = "kiln-import", .rows = rows};
