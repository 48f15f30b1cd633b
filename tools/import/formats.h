/* The formats of models: who reads each, and how far what comes out can be relied upon. */
#ifndef KILN_IMPORT_FORMATS_H
#define KILN_IMPORT_FORMATS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    KILN_TRUST_OWN,      /* a reader of our own: every record of the file is accounted for */
    KILN_TRUST_UNCHECKED /* Assimp reads it, and the bake warns of that */
} kiln_trust;

typedef struct {
    const char *extension; /* lower case, without a dot */
    const char *name;
    kiln_trust trust;
    const char *program; /* that reads it (program.h) */
} kiln_format;

/* The program that reads what no other does. */
#define KILN_IMPORTER_LAST "kiln-import-assimp"

/* By trust, and then by extension. Assimp may know more, which count as unchecked. */
extern const kiln_format kiln_formats[];
extern const size_t kiln_format_count;

/* The extension that a model's `format` names, or, where that is NULL, its path: in lower case,
 * without a dot. "" where there is none, or one that is longer than any of the table. */
enum { KILN_EXTENSION_SIZE = 16 };
void kiln_extension_of(const char *path, const char *format, char out[KILN_EXTENSION_SIZE]);

/* NULL: the extension is none of the table. */
const kiln_format *kiln_format_of(const char *extension);

/* Is it one of heights? Most pictures are textures, so that a folder's are no models. */
bool kiln_format_is_heights(const char *extension);

/* How far a format can be relied upon, whether it is in the table or not. */
kiln_trust kiln_format_trust(const char *extension);

/* The name of the program that reads a format, whether it is in the table or not. */
const char *kiln_importer_name(const char *extension);

/* "own", "unchecked". */
const char *kiln_trust_name(kiln_trust trust);

#endif
