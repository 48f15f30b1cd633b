#include "grow.h"

#include <stdint.h>
#include <stdlib.h>

bool kiln_grow(void **items, size_t *capacity, size_t needed, size_t size)
{
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
