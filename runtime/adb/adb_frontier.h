/* The frontier of a time-critical query: pairs of boxes that wait to be opened, a binary max-heap
 * on l = -ln(1 - p) in an array of fixed size, and the remainder: pairs that never will be.
 *
 * An any-time answer takes all of them together (kiln_adb_weights.others): the likeliest fully, the
 * others by a part, since what neighbouring pairs hold is far from independent. */
#ifndef KILN_ADB_FRONTIER_H
#define KILN_ADB_FRONTIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A box of a tree by the node that it is a lane of; the root is nobody's lane. */
enum { KILN_ADB_ROOT = 255 };

enum { KILN_ADB_LEAF_X = 1, KILN_ADB_LEAF_Y = 2 };

typedef struct {
    float loss; /* l */
    uint32_t node_x, node_y;
    uint8_t lane_x, lane_y;
    uint8_t leaves; /* KILN_ADB_LEAF_... */
    bool unlike;    /* one box is so much larger that weights know nothing of the pair */
} kiln_adb_entry;

typedef struct {
    kiln_adb_entry *heap;
    uint32_t capacity, count;
    bool full;           /* an entry was merged for want of room */
    uint32_t rest_count; /* saturates */
    float rest_most;     /* of the losses in the remainder */
    double rest_sum;
} kiln_adb_frontier;

void kiln_adb_frontier_clear(kiln_adb_frontier *frontier);

/* Into the remainder. */
void kiln_adb_frontier_set_aside(kiln_adb_frontier *frontier, float loss);

/* Into the heap. When it is full, the less likely of the new entry and the least likely one in the
 * heap goes to the remainder. */
void kiln_adb_frontier_push(kiln_adb_frontier *frontier, kiln_adb_entry entry);

/* The likeliest; count > 0. */
kiln_adb_entry kiln_adb_frontier_pop(kiln_adb_frontier *frontier);

/* l of all together. */
double kiln_adb_frontier_loss(const kiln_adb_frontier *frontier, double others);

#endif
