/* All pairs of triangles that meet.
 *
 * With a buffer, what is kept are the first `capacity` pairs in ascending order, whatever the order in
 * which the traversal finds them: a binary max-heap in the caller's own buffer lets the largest go when
 * a smaller comes (heapsort's two halves; Williams, CACM 7(6), 1964). So the result is the same for
 * all tree kinds, and needs no memory of ours. */
#include "fpu.h"
#include "pair_walk.h"


typedef struct {
    kiln_pair *pairs;
    size_t capacity;
    size_t count; /* found; the heap holds the lesser of count and capacity */
} pair_heap;

static bool is_less(kiln_pair p, kiln_pair q)
{
    return p.a != q.a ? p.a < q.a : p.b < q.b;
}

static void sift_up(kiln_pair *heap, size_t place, kiln_pair pair)
{
    while (place > 0) {
        const size_t parent = (place - 1) / 2;
        if (!is_less(heap[parent], pair)) {
            break;
        }
        heap[place] = heap[parent];
        place = parent;
    }
    heap[place] = pair;
}

static void sift_down(kiln_pair *heap, size_t size, kiln_pair pair)
{
    size_t place = 0;
    for (;;) {
        size_t child = 2 * place + 1;
        if (child >= size) {
            break;
        }
        if (child + 1 < size && is_less(heap[child], heap[child + 1])) {
            child++;
        }
        if (!is_less(pair, heap[child])) {
            break;
        }
        heap[place] = heap[child];
        place = child;
    }
    heap[place] = pair;
}

static bool keep_pair(void *user, kiln_pair pair)
{
    pair_heap *heap = user;
    if (heap->count < heap->capacity) {
        sift_up(heap->pairs, heap->count, pair);
    } else if (heap->capacity > 0 && is_less(pair, heap->pairs[0])) {
        sift_down(heap->pairs, heap->capacity, pair);
    }
    heap->count++;
    return true;
}

static void sort_heap(kiln_pair *heap, size_t size)
{
    while (size > 1) {
        const kiln_pair largest = heap[0];
        size--;
        sift_down(heap, size, heap[size]);
        heap[size] = largest;
    }
}

kiln_status kiln_contacts(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                          const kiln_pose *pose_b, kiln_pair *pairs, size_t capacity,
                          size_t *count)
{
    if (count == NULL || (pairs == NULL && capacity > 0)) {
        return KILN_ERROR_ARGUMENT;
    }
    pair_heap heap = {pairs, capacity, 0};
    const kiln_pair_visitor visitor = {keep_pair, &heap, false, false};
    const kiln_status status = kiln_pair_walk(a, pose_a, b, pose_b, &visitor);
    if (status == KILN_OK) {
        sort_heap(pairs, heap.count < capacity ? heap.count : capacity);
        *count = heap.count;
    }
    return status;
}

typedef struct {
    kiln_pair_callback callback;
    void *user;
    size_t count;
    kiln_fpu_state caller;
} callback_visit;

static bool call_back(void *user, kiln_pair pair)
{
    callback_visit *visit = user;
    visit->count++;
    kiln_fpu_leave(visit->caller);
    const bool more = visit->callback(visit->user, pair);
    visit->caller = kiln_fpu_enter();
    return more;
}

kiln_status kiln_contacts_each(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                               const kiln_pose *pose_b, kiln_pair_callback callback, void *user,
                               size_t *count)
{
    if (callback == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    callback_visit visit = {callback, user, 0, kiln_fpu_enter()};
    kiln_fpu_leave(visit.caller);
    const kiln_pair_visitor visitor = {call_back, &visit, false, false};
    const kiln_status status = kiln_pair_walk(a, pose_a, b, pose_b, &visitor);
    if (status == KILN_OK && count != NULL) {
        *count = visit.count;
    }
    return status;
}
