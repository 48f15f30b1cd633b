/* Memory: arenas, growing arrays, and what the system says a process takes.
 *
 * A stage of the bake takes what it needs from an arena and gives it back whole, so that a peak is
 * that of one stage. Blocks of a mebibyte and more are mappings of their own: the C library may
 * keep what is freed, and what it keeps counts against a limit of memory (bake/budget.c). */
#define _GNU_SOURCE
#include "memory.h"

#include "../../formats/assert.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* ----------------------------------------------------------------------------------- arenas -- */

/* Requests below this share a block; larger ones get a block of their own, so that nothing is lost
 * at the end of a block that does not hold them. */
#define SHARED_BLOCK ((size_t)1 << 18)
#define ALIGNMENT ((size_t)64)

/* Blocks from this on are the system's own mappings; the C library may keep what it is given back.
 */
#define MAPPED_MIN ((size_t)1 << 20)

struct kiln_arena_block {
    struct kiln_arena_block *older;
    size_t used, size; /* of the bytes after the header */
};

#define HEADER ((sizeof(struct kiln_arena_block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)

/* Has a block of this size a mapping of its own? */
static bool is_mapped(size_t size)
{
    KILN_ASSERT(size > 0);
    return size >= MAPPED_MIN;
}

static void *take_memory(size_t size)
{
    KILN_ASSERT(size % ALIGNMENT == 0);
    if (!is_mapped(size)) {
        return aligned_alloc(ALIGNMENT, HEADER + size);
    }
    void *memory =
        mmap(NULL, HEADER + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

/* Adds a block of `size` bytes to the arena; NULL without memory. */
static struct kiln_arena_block *new_block(kiln_arena *arena, size_t size)
{
    KILN_ASSERT(size > 0);
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
    KILN_ASSERT(arena->newest == NULL || arena->newest->used <= arena->newest->size);
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

        /* A mapping goes back to the system at once; what the C library keeps it may keep. */
        if (is_mapped(block->size)) {
            (void)munmap(block, HEADER + block->size);
        } else {
            free(block);
        }
    }
}

/* --------------------------------------------------------------------------- growing arrays -- */

/* By half, so that n elements cost O(n) moves and at most half of the array is unused. */
bool kiln_grow(void **items, size_t *capacity, size_t needed, size_t size)
{
    KILN_ASSERT(size > 0);
    KILN_ASSERT(*items != NULL || *capacity == 0);
    size_t wanted = *capacity + *capacity / 2;
    void *grown;

    if (needed <= *capacity)
        return true;
    if (wanted < 16)
        wanted = 16;
    if (wanted < needed)
        wanted = needed;
    if (wanted > SIZE_MAX / 2 / size)
        return false;
    grown = realloc(*items, wanted * size);
    if (grown == NULL)
        return false;
    *items = grown;
    *capacity = wanted;
    return true;
}

/* -------------------------------------------------------------------------- resident memory -- */

/* /proc/PID/statm counts pages: all, resident, and resident of files. What is of files is shared
 * by all processes that map them, and left out. */
bool kiln_resident_of(pid_t process, uint64_t *address_space, uint64_t *resident)
{
    KILN_ASSERT(process > 0);
    char name[64], text[128];
    unsigned long long pages[3]; /* address space, resident, resident of files */
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

    (void)snprintf(name, sizeof name, "/proc/%ld/statm", (long)process);
    const int file = open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    const ssize_t got = read(file, text, sizeof text - 1);
    (void)close(file);
    if (got <= 0) {
        return false;
    }
    text[got] = '\0';
    if (sscanf(text, "%llu %llu %llu", &pages[0], &pages[1], &pages[2]) != 3) {
        return false;
    }
    *address_space = pages[0] * page;
    *resident = pages[1] > pages[2] ? (pages[1] - pages[2]) * page : 0;
    return true;
}

uint64_t kiln_resident(void)
{
    uint64_t address_space, resident;
    return kiln_resident_of(getpid(), &address_space, &resident) ? resident : 0;
}

void kiln_limit_lower(pid_t process, int resource, uint64_t most)
{
    struct rlimit limit;
#ifdef __linux__
    if (prlimit(process, (__rlimit_resource_t)resource, NULL, &limit) != 0) {
        return;
    }
#else
    if (process != getpid() || getrlimit(resource, &limit) != 0) {
        return;
    }
#endif
    if (limit.rlim_max == RLIM_INFINITY || most < limit.rlim_max) {
        limit.rlim_max = (rlim_t)most;
    }
    limit.rlim_cur = limit.rlim_max;
#ifdef __linux__
    (void)prlimit(process, (__rlimit_resource_t)resource, &limit, NULL);
#else
    (void)setrlimit(resource, &limit);
#endif
}
