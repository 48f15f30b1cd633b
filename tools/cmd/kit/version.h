/* What --version prints. */
#ifndef KILN_CMD_VERSION_H
#define KILN_CMD_VERSION_H

/* Prints the version on standard output, or puts it into the report where that is JSON: then with
 * the versions of the format, of the libraries in use, as they are now, and of the compiler. */
void version_print(void);

enum { VERSION_OF_BYTES_SIZE = 160 };

/* "kiln-0.1.0,assimp-5.2.5,zlib-1.2.13": what the bytes of a bake depend on besides source and
 * options. */
void version_of_bytes(const char *importer, char text[VERSION_OF_BYTES_SIZE]);

#endif
