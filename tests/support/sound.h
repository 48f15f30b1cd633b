/* What any file that was baked has to be, for the fuzz targets of baking. */
#ifndef KILN_TEST_SOUND_H
#define KILN_TEST_SOUND_H

#include <stddef.h>

/* Ends the process. */
_Noreturn void sound_fail(const char *what, const char *why);

/* All that kiln verify checks holds, it opens, and its queries end; else sound_fail. */
void sound_or_fail(const void *data, size_t size);

#endif
