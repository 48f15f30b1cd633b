/* Records of triangles, and their centres. */
#ifndef KILN_TREE_RECORD_H
#define KILN_TREE_RECORD_H

#include "../../formats/frame.h"

#include <stdbool.h>
#include <stdint.h>

/* What the builder knows of a triangle. Records stand in tree order once the tree is made, so that
 * all passes over a node's triangles go straight through memory. */

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

/* Twice the centroid of the box, exact for floats within 2^29 of each other. */
static inline double kiln_record_centre(const kiln_record *record, unsigned axis)
{
    return (double)kiln_record_lower(record, axis) + (double)kiln_record_upper(record, axis);
}

typedef struct {
    double lower[3], upper[3];
} kiln_centres;

/* The box of kiln_record_centre over all records. */
void kiln_centres_measure(const kiln_record *records, uint32_t count, kiln_centres *centres);
void kiln_centres_join(kiln_centres *centres, const kiln_centres *other);

#endif
