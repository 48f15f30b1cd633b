/* The walk of the instruction set in use. */
#include "line_walk.h"

#include "../kernel/kernel.h"

bool kiln_slab_ray_form(kiln_slab_ray *ray, const kiln_tree *tree, const kiln_line *line,
                        double off)
{
    return kiln_kernel_active()->ray_form(tree, line, off, ray);
}

void kiln_line_walk(const kiln_tree *tree, kiln_slab_ray *ray, bool only_met, kiln_line_visit visit,
                    void *user)
{
    kiln_kernel_active()->ray_walk(tree, ray, only_met, visit, user);
}
