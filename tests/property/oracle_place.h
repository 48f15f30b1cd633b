/* Where is a point to a closed mesh, exactly? */
#ifndef KILN_TEST_ORACLE_PLACE_H
#define KILN_TEST_ORACLE_PLACE_H

#include "../support/brute.h"

/* By all triangles along a line in a random direction, in integers (oracle.c, oracle_line.c).
 * `carry` NULL: of the mesh as it is stored. `oriented`: by the winding number, else by how many
 * triangles are crossed. */
kiln_place oracle_place(uint64_t *state, const mesh *m, const brute_affine *carry, bool oriented,
                        const double p[3]);

#endif
