/* Options that a caller passes by pointer and whose structs may grow from one version of the
 * library to the next: each begins with struct_size, the size that the caller was compiled
 * with. */
#ifndef KILN_OPTIONS_H
#define KILN_OPTIONS_H

#include <stddef.h>
#include <string.h>

/* Copies the caller's options over the defaults in *full, as far as the caller's struct goes.
 * Fields that it does not have keep their defaults; those that this version does not know are
 * ignored. `given` may be NULL, which means the defaults. */
static inline void kiln_options_take(void *full, size_t size, const void *given)
{
    if (given != NULL) {
        size_t given_size; /* the first member of every such struct */
        memcpy(&given_size, given, sizeof given_size);
        memcpy(full, given, given_size < size ? given_size : size);
    }
}

#endif
