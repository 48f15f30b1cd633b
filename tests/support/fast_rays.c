#include "fast_rays.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

fast_rays fast_rays_of(const kiln_tree *tree)
{
    fast_rays fast;
    const size_t size = kiln_ray_accel_size(tree);
    fast.memory = malloc(size + 3);
    assert_true(size > 0 && fast.memory != NULL);
    assert_int_equal(kiln_ray_accel_place((uint8_t *)fast.memory + 3, size, tree, &fast.accel),
                     KILN_OK);
    fast.tree = kiln_ray_accel_tree(fast.accel);
    return fast;
}

void fast_rays_free(fast_rays *fast)
{
    free(fast->memory);
}
