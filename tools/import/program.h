/* The programs that import: where they are, and the version of the library that reads. */
#ifndef KILN_IMPORT_PROGRAM_H
#define KILN_IMPORT_PROGRAM_H

#include "../kiln_bake.h"
#include "formats.h"

enum { KILN_LIBRARY_VERSION_SIZE = 48 };

/* The error where a program is in no folder: of its name, and of what kiln_importer_path has looked
 * in or KILN_NOWHERE_LOOKED. */
#define KILN_NO_IMPORTER                                                                           \
    "the program that reads it, %s, is not in %s; install kiln whole, or give the folder of its "  \
    "importers (--importer)"
#define KILN_NOWHERE_LOOKED "any folder that is known"

/* The path of the program of that name, in new memory: in the folder options->importer, or where it
 * is installed. NULL without memory, or when it is in none of the folders that *looked, in new
 * memory or NULL, names. */
char *kiln_importer_path(const char *importer, const char *name, char **looked);

enum { KILN_PROGRAMS_MAX = 3 };

/* The files whose change must have a model of this format (NULL: that of the name `path`) baked
 * again: the running program, the one that reads the format, and the folder of that, whose time an
 * installation changes also where it keeps the times of files. Their paths, as far as they are
 * found, in new memory; returns their number. */
size_t kiln_programs_of(const char *importer, const char *path, const char *format,
                        char *programs[KILN_PROGRAMS_MAX]);

/* The version of the library on which the soup of a model of this format depends, "5.2.5"; "": it
 * depends on none, or its program can't be started, as every import will then report. Starts the
 * program once in this process, and again when its file is another. */
void kiln_importer_library(const char *importer, const char *format,
                           char version[KILN_LIBRARY_VERSION_SIZE]);

/* Notes the version that a program has just said of its library. */
void kiln_importer_note(const char *path, const char version[KILN_LIBRARY_VERSION_SIZE]);

#endif
