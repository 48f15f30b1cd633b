/* What the builder knows of a triangle. Records stand in tree order once the tree is made, so that
 * all passes over a node's triangles go straight through memory. */
#ifndef KILN_BUILD_RECORD_H
#define KILN_BUILD_RECORD_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    float corner[3][3]; /* in the model's own coordinates */
    uint32_t triangle;  /* position in the input; breaks ties */
} kiln_record;

static inline float kiln_record_lower(const kiln_record *record, unsigned axis)
{
    const float a = record->corner[0][axis], b = record->corner[1][axis];
    const float c = record->corner[2][axis], low = a < b ? a : b;
    return low < c ? low : c;
}

static inline float kiln_record_upper(const kiln_record *record, unsigned axis)
{
    const float a = record->corner[0][axis], b = record->corner[1][axis];
    const float c = record->corner[2][axis], high = a > b ? a : b;
    return high > c ? high : c;
}

#endif
