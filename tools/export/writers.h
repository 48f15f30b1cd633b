/* The formats of exports: each makes the bytes of a file of a picture. */
#ifndef KILN_EXPORT_WRITERS_H
#define KILN_EXPORT_WRITERS_H

#include "bytes.h"
#include "picture.h"

/* NULL, or why the format can't hold the picture: "what; what to do". The bytes may lack memory
 * (kiln_bytes.failed). */
typedef const char *kiln_picture_writer(const kiln_picture *picture, kiln_bytes *out);

/* glTF 2.0 in one binary file (Khronos, "glTF 2.0 Specification", 2.0.1, 2021). */
kiln_picture_writer kiln_write_glb;
/* Wavefront OBJ, with colours behind the coordinates. */
kiln_picture_writer kiln_write_obj;
/* Stanford PLY, binary. */
kiln_picture_writer kiln_write_ply;

typedef struct {
    const char *suffix; /* "glb" */
    kiln_picture_writer *write;
    /* What every file of the writer has from byte `start_at` on. */
    const char *start;
    size_t start_size, start_at;
} kiln_export_format;

enum { KILN_EXPORT_FORMATS = 3 };
extern const kiln_export_format kiln_export_formats[KILN_EXPORT_FORMATS];

/* By the end of a name, in letters of either case; NULL: none. */
const kiln_export_format *kiln_export_format_of(const char *path);

/* Is a file that begins with these bytes an export? */
bool kiln_export_is_own(const char *bytes, size_t size);

#endif
