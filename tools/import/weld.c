/* Two hash tables with linear probing: of vertices by the bits of their position, and of triangles
 * by the numbers of their vertices. Positions are equal when their bits are: callers make 0 of -0,
 * and no NaN comes this far. A slot holds number + 1, so that zeroed memory is an empty table. */
#include "weld.h"

#include <stdlib.h>
#include <string.h>

#include "../../formats/assert.h"
#include "../common/memory.h"

/* Multiplications by the constants of splitmix64 (Steele, Lea and Flood, "Fast splittable
 * pseudorandom number generators", 2014), with the upper bits mixed into the lower. */
static size_t hash_of(const uint32_t words[3])
{
    uint64_t h = words[0] * UINT64_C(0x9E3779B97F4A7C15);

    h = (h ^ (h >> 29) ^ words[1]) * UINT64_C(0xBF58476D1CE4E5B9);
    h = (h ^ (h >> 31) ^ words[2]) * UINT64_C(0x94D049BB133111EB);
    return (size_t)(h ^ (h >> 32));
}

/* The slot of the vertex at `position`, or the free one where it belongs. */
static size_t slot_of(const kiln_weld *weld, const float position[3])
{
    const float(*positions)[3] = weld->positions;
    uint32_t words[3];
    size_t slot;

    /* There is always a free slot, or the search would not end. */
    KILN_ASSERT(2 * weld->count <= weld->slot_count);
    memcpy(words, position, sizeof words);
    slot = hash_of(words) & (weld->slot_count - 1);
    while (weld->slots[slot] != 0 &&
           memcmp(positions[weld->slots[slot] - 1], position, sizeof words) != 0)
        slot = (slot + 1) & (weld->slot_count - 1);
    return slot;
}

bool kiln_weld_vertex(kiln_weld *weld, const float position[3], uint32_t *vertex)
{
    size_t slot;

    /* At least half of the slots stay free. */
    if (2 * weld->count >= weld->slot_count) {
        const float(*positions)[3] = weld->positions;
        size_t slot_count = weld->slot_count != 0 ? 2 * weld->slot_count : 1024;
        uint32_t *slots = calloc(slot_count, sizeof *slots);

        if (slots == NULL)
            return false;
        free(weld->slots);
        weld->slots = slots;
        weld->slot_count = slot_count;
        for (size_t i = 0; i < weld->count; i++)
            weld->slots[slot_of(weld, positions[i])] = (uint32_t)(i + 1);
    }
    slot = slot_of(weld, position);
    if (weld->slots[slot] == 0) {
        if (!kiln_grow(&weld->positions, &weld->capacity, weld->count + 1, sizeof(float[3])))
            return false;
        memcpy((float(*)[3])weld->positions + weld->count, position, sizeof(float[3]));
        weld->slots[slot] = (uint32_t)++weld->count;
    }
    *vertex = weld->slots[slot] - 1;
    KILN_ASSERT(*vertex < weld->count);
    return true;
}

/* Old and new slots are there at the same time for a moment; the old ones count already. */
size_t kiln_weld_growth(const kiln_weld *weld, size_t vertices)
{
    return 2 * (weld->count + vertices) < weld->slot_count
               ? 0
               : 2 * weld->slot_count * sizeof *weld->slots;
}

void kiln_weld_free(kiln_weld *weld)
{
    free(weld->slots);
    free(weld->positions);
    memset(weld, 0, sizeof *weld);
}

/* At least twice as many as triangles, so that half of them stay free. */
static size_t set_slots(size_t triangles)
{
    size_t count = 1024;

    while (count < 2 * triangles)
        count *= 2;
    return count;
}

/* Known before the set is made, so that it can be compared with the limit of memory. */
size_t kiln_triangle_set_bytes(size_t triangles)
{
    return set_slots(triangles) * sizeof(uint32_t);
}

bool kiln_triangle_set_start(kiln_triangle_set *set, const uint32_t *indices, size_t triangles)
{
    set->indices = indices;
    set->slot_count = set_slots(triangles);
    set->slots = calloc(set->slot_count, sizeof *set->slots);
    return set->slots != NULL;
}

/* The three vertices in ascending order: the same triangle, whichever corner it begins with and
 * whichever way it winds. */
static void sorted(const uint32_t from[3], uint32_t to[3])
{
    uint32_t low = from[0] < from[1] ? from[0] : from[1];
    uint32_t high = from[0] < from[1] ? from[1] : from[0];

    to[0] = low < from[2] ? low : from[2];
    to[2] = high > from[2] ? high : from[2];
    to[1] = from[2] < low ? low : from[2] > high ? high : from[2];
}

bool kiln_triangle_set_has(kiln_triangle_set *set, uint32_t triangle)
{
    uint32_t wanted[3], found[3];
    size_t slot;

    KILN_ASSERT(set->slots != NULL && (set->slot_count & (set->slot_count - 1)) == 0);
    sorted(set->indices + 3 * (size_t)triangle, wanted);
    slot = hash_of(wanted) & (set->slot_count - 1);
    while (set->slots[slot] != 0) {
        sorted(set->indices + 3 * (size_t)(set->slots[slot] - 1), found);
        if (memcmp(wanted, found, sizeof wanted) == 0)
            return true;
        slot = (slot + 1) & (set->slot_count - 1);
    }
    set->slots[slot] = triangle + 1;
    return false;
}

void kiln_triangle_set_free(kiln_triangle_set *set)
{
    free(set->slots);
    memset(set, 0, sizeof *set);
}
