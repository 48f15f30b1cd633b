/* A max-heap that never grows (J. W. J. Williams, "Algorithm 232: Heapsort", CACM 7(6), 1964)
 * and the sum of what it could not keep. Entries of equal loss come in an order that depends on
 * nothing but the order of pushes, so that a query repeats to the bit. A full heap drops its
 * least likely entry, which a scan of its second half finds: a double-ended heap would make
 * every other push dearer for a rare case. */
#include "adb_frontier.h"

#include "../../formats/assert.h"

void kiln_adb_frontier_clear(kiln_adb_frontier *frontier)
{
    frontier->count = 0;
    frontier->full = false;
    frontier->rest_count = 0;
    frontier->rest_most = 0.0f;
    frontier->rest_sum = 0.0;
}

/* The remainder keeps a count, the largest loss and the sum: what the answer needs of it. */
void kiln_adb_frontier_set_aside(kiln_adb_frontier *frontier, float loss)
{
    frontier->rest_count += frontier->rest_count != UINT32_MAX;
    frontier->rest_most = loss > frontier->rest_most ? loss : frontier->rest_most;
    frontier->rest_sum += (double)loss;
}

/* An entry that is put at `place` rises as far as it belongs. */
static void sift_entry_up(kiln_adb_entry *heap, uint32_t place, kiln_adb_entry entry)
{
    while (place > 0) {
        const uint32_t parent = (place - 1) / 2;
        if (!(heap[parent].loss < entry.loss)) {
            break;
        }
        heap[place] = heap[parent];
        place = parent;
    }
    heap[place] = entry;
}

/* A heap's inner nodes are no less likely than their children, so that the least likely entry of a
 * full heap is among the leaves, its second half. */
void kiln_adb_frontier_push(kiln_adb_frontier *frontier, kiln_adb_entry entry)
{
    KILN_ASSERT(frontier->heap != NULL);
    KILN_ASSERT(frontier->capacity > 0);
    KILN_ASSERT(frontier->count <= frontier->capacity);
    if (frontier->count < frontier->capacity) {
        sift_entry_up(frontier->heap, frontier->count++, entry);
        return;
    }
    frontier->full = true;
    uint32_t least = frontier->count / 2; /* the least stands in the second half */
    for (uint32_t i = least + 1; i < frontier->count; i++) {
        if (frontier->heap[i].loss < frontier->heap[least].loss) {
            least = i;
        }
    }
    if (entry.loss > frontier->heap[least].loss) {
        kiln_adb_frontier_set_aside(frontier, frontier->heap[least].loss);
        sift_entry_up(frontier->heap, least, entry);
    } else {
        kiln_adb_frontier_set_aside(frontier, entry.loss);
    }
}

/* The last entry takes the place of the root, and sinks as far as it belongs. */
kiln_adb_entry kiln_adb_frontier_pop(kiln_adb_frontier *frontier)
{
    kiln_adb_entry *heap = frontier->heap;
    KILN_ASSERT(frontier->count > 0);
    const kiln_adb_entry top = heap[0];
    const kiln_adb_entry entry = heap[--frontier->count];
    uint32_t place = 0;
    for (;;) {
        uint32_t child = 2 * place + 1;
        if (child >= frontier->count) {
            break;
        }
        if (child + 1 < frontier->count && heap[child].loss < heap[child + 1].loss) {
            child++;
        }
        if (!(entry.loss < heap[child].loss)) {
            break;
        }
        heap[place] = heap[child];
        place = child;
    }
    heap[place] = entry;
    return top;
}

/* The likeliest pair counts fully and the others by a part, as pairs near each other depend on the
 * same geometry. Sums are in double, whose roundings are far below the errors of the weights. */
double kiln_adb_frontier_loss(const kiln_adb_frontier *frontier, double others)
{
    double most = (double)frontier->rest_most, sum = frontier->rest_sum;
    for (uint32_t i = 0; i < frontier->count; i++) {
        const double loss = (double)frontier->heap[i].loss;
        most = loss > most ? loss : most;
        sum += loss;
    }
    return most + others * (sum - most);
}
