/* The program that imports: its readers, and what its main does. */
#ifndef KILN_IMPORT_SERVE_H
#define KILN_IMPORT_SERVE_H

#include "../common/memory.h"
#include "reader.h"

typedef struct {
    const char *format; /* NULL: every format that no row before it has */
    kiln_reader *read;
} kiln_reader_row;

typedef struct {
    const char *name;             /* of the program */
    const kiln_reader_row *rows;  /* the last has a read of NULL */
    const char *(*library)(void); /* the version of the library that reads; NULL: there is none */
    const char *library_name;     /* such as "assimp" */
} kiln_importer;

/* The formats with a reader of our own (readers.c), glTF, which needs libraries (readers_gltf.c),
 * and those that Assimp reads (assimp.c). */
extern const kiln_importer kiln_importer_own, kiln_importer_gltf, kiln_importer_assimp;

/* What every byte of memory is that a program gives out unset (main_memory.c). */
enum { KILN_FILL_BYTE = 0xFF };

/* What main does: serves the process that has started this one, or, by hand, reads one model and
 * prints what is in it. Returns the exit status. */
int kiln_serve(const kiln_importer *importer, int argc, char **argv);

/* The middle of it, for those that run a reader in their own process: reads a model as the
 * arguments say from an open file, and sends the scene to `pipe`. May end the process. */
void kiln_serve_scene(const kiln_importer *importer, char *const *arguments, int pipe, int file);

#endif
