/* Memory that a caller gives, at any address. */
#ifndef KILN_CALLER_MEMORY_H
#define KILN_CALLER_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* How many bytes from `memory` on its first multiple of `alignment` is. */
static inline size_t kiln_memory_skip(const void *memory, size_t alignment)
{
    return (alignment - (uintptr_t)memory % alignment) % alignment;
}

#endif
