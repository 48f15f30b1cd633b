/* The shape of what was imported, in three figures. */
#ifndef KILN_TEST_SOUP_MEASURE_H
#define KILN_TEST_SOUP_MEASURE_H

#include "../../tools/common/soup.h"

typedef struct {
    double area, volume; /* signed */
    double bounds[6];    /* the least of x, y and z, and the greatest */
} soup_measure;

/* Of all triangles, in double. */
soup_measure soup_measure_of(const kiln_soup *soup);

#endif
