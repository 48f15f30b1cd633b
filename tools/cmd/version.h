/* What --version tells. */
#ifndef KILN_CMD_VERSION_H
#define KILN_CMD_VERSION_H

/* On standard output, or in the report where that is JSON: then with the versions of the format, of the
 * libraries in use, as they are now, and of the compiler. */
void version_print(void);

#endif
