#define _DEFAULT_SOURCE
#include "arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Requests below this share a block; larger ones get a block of their own, so that nothing is lost
 * at the end of a block that does not hold them. */
#define SHARED_BLOCK ((size_t)1 << 18)
#define ALIGNMENT ((size_t)64)

/* Blocks from this on are the system's own mappings; the C library may keep what it is given back. */
#define MAPPED_MIN ((size_t)1 << 20)

struct kiln_arena_block {
    struct kiln_arena_block *older;
    size_t used, size; /* of the bytes behind the header */
};

#define HEADER ((sizeof(struct kiln_arena_block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)

static bool is_mapped(size_t size)
{
    return size >= MAPPED_MIN;
}

static void *take_memory(size_t size)
{
    if (!is_mapped(size)) {
        return aligned_alloc(ALIGNMENT, HEADER + size);
    }
    void *memory =
        mmap(NULL, HEADER + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

static void give_back(struct kiln_arena_block *block)
{
    if (is_mapped(block->size)) {
        (void)munmap(block, HEADER + block->size);
    } else {
        free(block);
    }
}

static struct kiln_arena_block *new_block(kiln_arena *arena, size_t size)
{
    struct kiln_arena_block *block = take_memory(size);
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
        give_back(block);
    }
}
