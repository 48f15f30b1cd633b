/* The order in which a descent takes the lanes of a node. */
#ifndef KILN_LANE_ORDER_H
#define KILN_LANE_ORDER_H

#include "../../formats/assert.h"
#include "../../formats/format.h"

/* The lanes of the mask by their keys, the least first, as octal digits, the first one lowest:
 * eight lanes take three bits each. */
static inline uint32_t kiln_lane_order(uint32_t mask, const double key_of[8])
{
    double key[8];
    uint32_t lane[8], count = 0, order = 0;
    for (; mask != 0; mask &= mask - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(mask);
        const double d = key_of[i];
        uint32_t place = count++;
        while (place > 0 && d < key[place - 1]) {
            key[place] = key[place - 1];
            lane[place] = lane[place - 1];
            place--;
        }
        key[place] = d;
        lane[place] = i;
    }
    KILN_ASSERT(count <= KILN_NODE_WIDTH);
    while (count > 0) {
        order = order << 3 | lane[--count];
    }
    return order;
}

#endif
