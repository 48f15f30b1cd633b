/* The least of many pairs, in the caller's own buffer: a binary max-heap lets the largest go when a
 * smaller comes, and is sorted in place at the end (heapsort's two halves; Williams, CACM 7(6),
 * 1964). So what is kept does not depend on the order in which pairs are found. */
#ifndef KILN_PAIR_HEAP_H
#define KILN_PAIR_HEAP_H

#include "../../formats/assert.h"
#include "../kiln.h"

#include <string.h>

/* What is kept of a pair begins with a kiln_pair without user values, and takes `stride` bytes. */
typedef struct {
    uint8_t *kept;
    size_t capacity;
    size_t count; /* found; the heap holds the lesser of count and capacity */
} kiln_pair_heap;

/* Ascending by the triangle of A, then by that of B. Copies avoid assumptions about alignment. */
static inline bool kiln_pair_is_less(const void *p, const void *q)
{
    kiln_pair one, other;
    memcpy(&one, p, sizeof one);
    memcpy(&other, q, sizeof other);
    return one.a != other.a ? one.a < other.a : one.b < other.b;
}

/* A pair that is put at `place` rises as far as it belongs. */
static inline void kiln_pair_sift_up(uint8_t *heap, size_t stride, size_t place, const void *pair)
{
    while (place > 0) {
        const size_t parent = (place - 1) / 2;
        if (!kiln_pair_is_less(heap + parent * stride, pair)) {
            break;
        }
        memcpy(heap + place * stride, heap + parent * stride, stride);
        place = parent;
    }
    memcpy(heap + place * stride, pair, stride);
}

/* A pair that is put at the root sinks as far as it belongs. */
static inline void kiln_pair_sift_down(uint8_t *heap, size_t stride, size_t size, const void *pair)
{
    size_t place = 0;
    KILN_ASSERT(size > 0);
    for (;;) {
        size_t child = 2 * place + 1;
        if (child >= size) {
            break;
        }
        if (child + 1 < size &&
            kiln_pair_is_less(heap + child * stride, heap + (child + 1) * stride)) {
            child++;
        }
        if (!kiln_pair_is_less(pair, heap + child * stride)) {
            break;
        }
        memcpy(heap + place * stride, heap + child * stride, stride);
        place = child;
    }
    memcpy(heap + place * stride, pair, stride);
}

/* The root of the heap is the largest pair that is kept: only a lesser one replaces it. */
static inline void kiln_pair_heap_keep(kiln_pair_heap *heap, size_t stride, const void *pair)
{
    KILN_ASSERT(heap->capacity == 0 || heap->kept != NULL);
    if (heap->count < heap->capacity) {
        kiln_pair_sift_up(heap->kept, stride, heap->count, pair);
    } else if (heap->capacity > 0 && kiln_pair_is_less(pair, heap->kept)) {
        kiln_pair_sift_down(heap->kept, stride, heap->capacity, pair);
    }
    heap->count++;
}

/* `spare` has room for one. */
static inline void kiln_pair_heap_sort(kiln_pair_heap *heap, size_t stride, void *spare)
{
    size_t size = heap->count < heap->capacity ? heap->count : heap->capacity;
    KILN_ASSERT(stride <= sizeof(kiln_contact));
    KILN_ASSERT(size <= heap->capacity);
    while (size > 1) {
        /* The first `size` pairs are the heap, with the largest pair at the root. The pairs after
         * the heap are sorted already. The two copies exchange the root and the last pair. */
        uint8_t last[sizeof(kiln_contact)];
        memcpy(spare, heap->kept, stride);
        size--;
        memcpy(last, heap->kept + size * stride, stride);
        kiln_pair_sift_down(heap->kept, stride, size, last);
        memcpy(heap->kept + size * stride, spare, stride);
    }
}

#endif
