#include "arena.h"

#include <stdint.h>
#include <stdlib.h>

/* Requests below this share a block; larger ones get a block of their own, so that nothing is lost
 * at the end of a block that does not hold them. */
#define SHARED_BLOCK ((size_t)1 << 18)
#define ALIGNMENT ((size_t)64)

struct kiln_arena_block {
    struct kiln_arena_block *older;
    size_t used, size; /* of the bytes behind the header */
};

#define HEADER ((sizeof(struct kiln_arena_block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)

static struct kiln_arena_block *new_block(kiln_arena *arena, size_t size)
{
    struct kiln_arena_block *block = aligned_alloc(ALIGNMENT, HEADER + size);
    if (block != NULL) {
        block->older = arena->newest;
        block->used = 0;
        block->size = size;
        arena->newest = block;
    }
    return block;
}

void *kiln_arena_take(kiln_arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX - HEADER - ALIGNMENT) / size) {
        return NULL;
    }
    const size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct kiln_arena_block *block = arena->newest;
    if (block == NULL || block->size - block->used < bytes) {
        block = new_block(arena, bytes < SHARED_BLOCK ? SHARED_BLOCK : bytes);
        if (block == NULL) {
            return NULL;
        }
    }
    void *memory = (unsigned char *)block + HEADER + block->used;
    block->used += bytes;
    return memory;
}

void kiln_arena_free(kiln_arena *arena)
{
    while (arena->newest != NULL) {
        struct kiln_arena_block *block = arena->newest;
        arena->newest = block->older;
        free(block);
    }
}
