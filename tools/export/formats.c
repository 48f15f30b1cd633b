/* The table of formats of exports. */
#include "writers.h"

#include <string.h>

/* What follows the lengths in a binary glTF is its document, in which jansson keeps the order. */
#define GLB_START "{\"asset\":{\"generator\":\"kiln export "
#define OBJ_START "# kiln export "
#define PLY_START "ply\nformat binary_little_endian 1.0\ncomment kiln export "

const kiln_export_format kiln_export_formats[KILN_EXPORT_FORMATS] = {
    {"glb", kiln_write_glb, GLB_START, sizeof GLB_START - 1, 20},
    {"obj", kiln_write_obj, OBJ_START, sizeof OBJ_START - 1, 0},
    {"ply", kiln_write_ply, PLY_START, sizeof PLY_START - 1, 0},
};

const kiln_export_format *kiln_export_format_of(const char *path)
{
    const size_t length = strlen(path);
    for (int i = 0; i < KILN_EXPORT_FORMATS; i++) {
        const char *suffix = kiln_export_formats[i].suffix;
        bool same = length > 4 && path[length - 4] == '.';
        for (size_t k = 0; same && k < 3; k++) {
            const char c = path[length - 3 + k];
            same = (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) == suffix[k];
        }
        if (same) {
            return &kiln_export_formats[i];
        }
    }
    return NULL;
}

bool kiln_export_is_own(const char *bytes, size_t size)
{
    for (int i = 0; i < KILN_EXPORT_FORMATS; i++) {
        const kiln_export_format *of = &kiln_export_formats[i];
        if (size >= of->start_at + of->start_size &&
            memcmp(bytes + of->start_at, of->start, of->start_size) == 0) {
            return true;
        }
    }
    return false;
}
