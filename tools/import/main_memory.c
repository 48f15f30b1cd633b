/* The allocator of the importing programs, which fills all memory that it gives with one pattern.
 *
 * A library that reads less than a file declares leaves memory as it was, and what was there would
 * go into the baked file: other bytes at every run. Filled, it is the same everywhere, and the
 * pattern is chosen so that it is noticed: as a number, of any size, it is a NaN that arithmetic
 * hands on (a coordinate that was computed from it is one too), as an index it is greater than
 * any, as a pointer it leads nowhere. The reader refuses a model that has it (assimp.c).
 *
 * Reading beyond the end of a block gives the pattern as well, for as far as the block is long, up
 * to GUARD_MOST bytes; small blocks, of which there are many, have no such guard.
 *
 * The functions stand before those of the C library, which does the work. Its own M_PERTURB leaves
 * out the small blocks that a thread keeps for itself. AddressSanitizer fills by its options. */
#define _GNU_SOURCE
#include "serve.h"

#if KILN_HAVE_SHADOW_MEMORY

const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "malloc_fill_byte=255:max_malloc_fill_size=1073741824";
}

#elif defined(__GLIBC__)

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))

enum { GUARDED_LEAST = 64, GUARD_MOST = 4096 };

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

/* What is requested of the C library for a block of that size. */
static size_t with_guard(size_t size)
{
    if (size < GUARDED_LEAST || size > SIZE_MAX - GUARD_MOST)
        return size;
    return size + (size < GUARD_MOST ? size : GUARD_MOST);
}

/* All of the block from byte `from` on, and not only what was requested: a later realloc may give
 * the rest. */
static void *filled(void *block, size_t from)
{
    const size_t size = block != NULL ? malloc_usable_size(block) : 0;

    if (from < size)
        memset((char *)block + from, KILN_FILL_BYTE, size - from);
    return block;
}

PUBLIC void *malloc(size_t size)
{
    return filled(__libc_malloc(with_guard(size)), 0);
}

/* What is requested is zero, and only the guard is filled. */
PUBLIC void *calloc(size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size) {
        errno = ENOMEM;
        return NULL;
    }
    return filled(__libc_calloc(1, with_guard(count * size)), count * size);
}

PUBLIC void *realloc(void *block, size_t size)
{
    const size_t before = block != NULL ? malloc_usable_size(block) : 0;

    return filled(__libc_realloc(block, size != 0 ? with_guard(size) : 0), before);
}

PUBLIC void *memalign(size_t alignment, size_t size)
{
    return filled(__libc_memalign(alignment, with_guard(size)), 0);
}

PUBLIC void *aligned_alloc(size_t alignment, size_t size)
{
    return filled(__libc_memalign(alignment, with_guard(size)), 0);
}

PUBLIC int posix_memalign(void **block, size_t alignment, size_t size)
{
    void *got;

    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0)
        return EINVAL;
    got = filled(__libc_memalign(alignment, with_guard(size)), 0);
    if (got == NULL)
        return ENOMEM;
    *block = got;
    return 0;
}

#endif
