/* Records of triangles, and node space, the frame in which a tree's nodes are stored. */
#ifndef KILN_TREE_RECORD_H
#define KILN_TREE_RECORD_H

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

/* Node space: the frame in which a tree's nodes are stored, p_node = (p - origin) * 2^-exponent,
 * computed in double in this order. */

typedef struct {
    double origin[3];
    double scale; /* 2^-exponent */
    int32_t exponent;
} kiln_frame;

/* Where most of a mesh is: the middle half of its coordinates on each axis. */
typedef struct {
    float quarter[3], median[3], three_quarters[3];
} kiln_crowd;

/* The frame in which all of the box is within [-1, 1]. Its origin is the centre of the box, unless
 * the crowd is a speck in it (a far stray triangle stretches the box): then the median, since the
 * floats of nodes are finest about the origin. `crowd` NULL: too few triangles to speak of one. */
void kiln_frame_choose(const float lower[3], const float upper[3], const kiln_crowd *crowd,
                       kiln_frame *frame);

static inline double kiln_frame_apply(const kiln_frame *frame, unsigned axis, float coordinate)
{
    return ((double)coordinate - frame->origin[axis]) * frame->scale;
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
