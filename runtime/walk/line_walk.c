/* The walks of the instruction set in use. */
#include "line_walk.h"

#include "../kernel/kernel.h"
#include "once.h"

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

bool kiln_line_find(const kiln_tree *tree, kiln_slab_ray *ray, double scale, bool any,
                    kiln_found_hit *hit)
{
    KILN_ASSERT(kiln_line_finds(tree, any));
    return kiln_kernel_active()->ray_find(tree, ray, scale, any, hit);
}

int kiln_line_ask(const kiln_tree *tree, const kiln_ray *ray, bool any, bool normals,
                  kiln_found_hit *hit)
{
    KILN_ASSERT(kiln_line_finds(tree, any));
    return kiln_kernel_active()->ray_ask(tree, ray, any, normals, hit);
}

typedef struct {
    const kiln_tree *tree;
    const kiln_slab_ray *ray;
} line_walk;

static uint32_t entered_by_line(const void *walk, const kiln_format_node8 *node)
{
    const line_walk *w = (const line_walk *)walk;
    return kiln_kernel_active()->line_lanes(w->tree, w->ray, node);
}

bool kiln_line_walk_is_first(const kiln_tree *tree, const kiln_slab_ray *ray, uint32_t slot)
{
    const line_walk walk = {tree, ray};
    return !tree->view.kind->shared || kiln_once_in_tree(tree, entered_by_line, &walk, slot);
}
