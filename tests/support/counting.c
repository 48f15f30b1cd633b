/* See counting.h. */
#include "counting.h"

#include <stdlib.h>

static void *allocate(void *user, size_t size, size_t alignment)
{
    counting *count = user;
    if (++count->calls == count->fail_at || (count->most != 0 && size > count->most)) {
        return NULL;
    }
    void *memory = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (memory != NULL) {
        count->live++;
        count->bytes += size;
    }
    return memory;
}

static void release(void *user, void *memory, size_t size)
{
    counting *count = user;
    count->live--;
    count->bytes -= size;
    free(memory);
}

kiln_allocator counting_allocator(counting *count)
{
    return (kiln_allocator){allocate, release, count};
}
