/* Events that wait, the earliest on top: a heap in room that does not grow. */
#include "continuous.h"

/* In the order of (time, a, b). */
bool kiln_dynamic_before(const kiln_dynamic_waiting *x, const kiln_dynamic_waiting *y)
{
    return x->time != y->time ? x->time < y->time : x->a != y->a ? x->a < y->a : x->b < y->b;
}

static void sift_up(kiln_dynamic_waiting *heap, uint32_t hole, const kiln_dynamic_waiting *event)
{
    while (hole > 0 && kiln_dynamic_before(event, &heap[(hole - 1) / 2])) {
        heap[hole] = heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    heap[hole] = *event;
}

static void sift_down(kiln_dynamic_waiting *heap, uint32_t count, uint32_t hole,
                      const kiln_dynamic_waiting *event)
{
    for (;;) {
        uint32_t child = 2 * hole + 1;
        if (child >= count) {
            break;
        }
        child += child + 1 < count && kiln_dynamic_before(&heap[child + 1], &heap[child]);
        if (!kiln_dynamic_before(&heap[child], event)) {
            break;
        }
        heap[hole] = heap[child];
        hole = child;
    }
    heap[hole] = *event;
}

/* Leaves out events that are stale or not before `end`, and makes a heap of the rest. */
static void keep_events(kiln_dynamic *world, double end)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < world->heap_count; i++) {
        if (world->heap[i].time < end && !kiln_dynamic_is_stale(world, &world->heap[i])) {
            world->heap[kept++] = world->heap[i];
        }
    }
    world->heap_count = kept;
    for (uint32_t i = kept / 2; i-- > 0;) {
        const kiln_dynamic_waiting event = world->heap[i];
        sift_down(world->heap, kept, i, &event);
    }
}

/* Makes room for one more: of what is stale; else of the later half, by their mean time, at which
 * the interval then ends. The next one is begun from nothing, and finds them again. */
static void free_events(kiln_dynamic *world, const kiln_dynamic_waiting *event)
{
    keep_events(world, HUGE_VAL);
    if (world->heap_count < world->heap_room &&
        world->heap_count <= world->heap_room - world->heap_room / 4) {
        return;
    }
    const double first = world->heap[0].time, count = (double)world->heap_count + 1;
    const double least = event->time < first ? event->time : first;
    double sum = (event->time - least) / count, most = event->time;
    for (uint32_t i = 0; i < world->heap_count; i++) {
        sum += (world->heap[i].time - least) / count;
        most = world->heap[i].time > most ? world->heap[i].time : most;
    }
    /* The mean may be rounded to the least one, where it ends nothing, or past the greatest. */
    const double mean = least + sum < most ? least + sum : most;
    if (mean > least && mean > world->now) {
        keep_events(world, mean);
        world->end = mean < world->end ? mean : world->end;
        world->is_whole = true;
        world->counts.cuts++;
    }
}

void kiln_dynamic_wait(kiln_dynamic *world, const kiln_dynamic_waiting *event)
{
    if (world->heap_count == world->heap_room) {
        if (world->is_full) { /* found out before; looking again would take as long each time */
            return;
        }
        free_events(world, event);
        if (world->is_whole && event->time >= world->end) {
            return;
        }
        if (world->heap_count == world->heap_room) {
            world->is_full = true;
            return;
        }
    }
    sift_up(world->heap, world->heap_count++, event);
    if (world->heap_count > world->counts.waiting_most) {
        world->counts.waiting_most = world->heap_count;
    }
}

kiln_dynamic_waiting kiln_dynamic_take(kiln_dynamic *world)
{
    KILN_ASSERT(world->heap_count > 0);
    const kiln_dynamic_waiting top = world->heap[0], last = world->heap[--world->heap_count];
    if (world->heap_count > 0) {
        sift_down(world->heap, world->heap_count, 0, &last);
    }
    return top;
}
