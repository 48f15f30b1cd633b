/* The walk of the instruction set in use. */
#include "line_walk.h"

void kiln_line_walk(const kiln_tree *tree, kiln_slab_ray *ray, const kiln_line *line,
                    kiln_line_visit visit, void *user)
{
    kiln_kernel_active()->ray_walk(tree, ray, line, visit, user);
}
