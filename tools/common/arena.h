/* Memory that is taken in a few big blocks and given back whole, big ones to the system at once: the
 * next stage is to have the room. A stage of the bake owns one; what outlives the stage is allocated
 * on its own. */
#ifndef KILN_ARENA_H
#define KILN_ARENA_H

#include <stddef.h>

struct kiln_arena_block;

typedef struct {
    struct kiln_arena_block *newest;
} kiln_arena;

/* `count` elements of `size` bytes, not cleared, aligned to 64; NULL when memory is short or the
 * product overflows. An arena set to {NULL} is empty. Not for several threads at once. */
void *kiln_arena_take(kiln_arena *arena, size_t count, size_t size);

void kiln_arena_free(kiln_arena *arena);

#endif
