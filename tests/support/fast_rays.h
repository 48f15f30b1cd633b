/* Trees with faster rays, in memory of exactly the size that they say, at an odd address. */
#ifndef KILN_TEST_FAST_RAYS_H
#define KILN_TEST_FAST_RAYS_H

#include "../../runtime/kiln_rays.h"

typedef struct {
    void *memory;
    kiln_ray_accel *accel;
    const kiln_tree *tree;
} fast_rays;

/* Stops the test on failure. */
fast_rays fast_rays_of(const kiln_tree *tree);
void fast_rays_free(fast_rays *fast);

#endif
