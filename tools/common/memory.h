/* Memory: arenas, growing arrays, and what the system says a process takes. */
#ifndef KILN_COMMON_MEMORY_H
#define KILN_COMMON_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ----------------------------------------------------------------------------------- arenas -- */

/* Memory that is taken in a few big blocks and given back whole, big ones to the system at once:
 * the next stage is to have the room. A stage of the bake owns one; what outlives the stage is
 * allocated on its own. */

struct kiln_arena_block;

typedef struct {
    struct kiln_arena_block *newest;
} kiln_arena;

/* `count` elements of `size` bytes, not cleared, aligned to 64; NULL when memory is short or the
 * product overflows. An arena set to {NULL} is empty. Not for several threads at once. */
void *kiln_arena_take(kiln_arena *arena, size_t count, size_t size);

void kiln_arena_free(kiln_arena *arena);

/* --------------------------------------------------------------------------- growing arrays -- */

/* Arrays that grow by half. */

/* Makes room for `needed` elements of `size` bytes in *items, which has room for *capacity of them.
 * False, and nothing changed, when there is no memory or the bytes don't fit a size_t. */
bool kiln_grow(void **items, size_t *capacity, size_t needed, size_t size);

/* -------------------------------------------------------------------------- resident memory -- */

/* The memory that processes use, as the system reports it. */

/* Sanitizers shadow memory: the system then reports many times what the program uses. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KILN_HAVE_SHADOW_MEMORY 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define KILN_HAVE_SHADOW_MEMORY 1
#endif
#endif
#ifndef KILN_HAVE_SHADOW_MEMORY
#define KILN_HAVE_SHADOW_MEMORY 0
#endif

/* Bytes of address space of a process, and those of them that are resident and not of a file, such
 * as code, which all processes share. False where the system does not report it. */
bool kiln_resident_of(pid_t process, uint64_t *address_space, uint64_t *resident);

/* Resident bytes of this process, likewise; 0 where the system does not report it. */
uint64_t kiln_resident(void);

/* Lowers both limits of a resource (RLIMIT_AS, ...) of a process, this one or, where the system
 * can, another, to `most`; a hard limit below it stays, and then the soft one is set to that. */
void kiln_limit_lower(pid_t process, int resource, uint64_t most);

#endif
