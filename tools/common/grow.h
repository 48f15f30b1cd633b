/* Arrays that grow by half. */
#ifndef KILN_GROW_H
#define KILN_GROW_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for `needed` elements of `size` bytes in *items, which has room for *capacity of them.
 * False, and nothing changed, when there is no memory or the bytes don't fit a size_t. */
bool kiln_grow(void **items, size_t *capacity, size_t needed, size_t size);

#endif
