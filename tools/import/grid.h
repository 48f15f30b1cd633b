/* Vertices on a grid: smaller files at the price of exactness, on request. */
#ifndef KILN_IMPORT_GRID_H
#define KILN_IMPORT_GRID_H

#include "../common/soup.h"

#include <stdbool.h>

/* Moves every vertex to the nearest multiple of a step on each axis. The step is a power of two:
 * the longest side of the box of the vertices has at least half as many steps as 2^bits and at most
 * as many. A vertex moves by at most half a step on each axis, and not at all where floats are
 * coarser than the step. Vertices that then coincide become one; triangles that lose their area
 * stay. Fills soup->lossy_step and its fellows. False: no memory, the soup is then good for freeing
 * only. */
bool kiln_snap_to_grid(kiln_soup *soup, int bits);

#endif
