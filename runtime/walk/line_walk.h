/* Descent of one tree along a line, nearest boxes first. */
#ifndef KILN_LINE_WALK_H
#define KILN_LINE_WALK_H

#include "../pose/line.h"

/* Called for each stored triangle that the ray may meet, with its slot; of an octree for each slot
 * of it that the walk reaches. It may cut the ray. False stops the walk. */
typedef bool (*kiln_line_visit)(void *user, kiln_slab_ray *ray, uint32_t slot, uint32_t stored);

/* False: the line is clear of the tree's box. What is wanted may be off the line by up to `off`,
 * in the units of the tree. */
bool kiln_slab_ray_form(kiln_slab_ray *ray, const kiln_tree *tree, const kiln_line *line,
                        double off);

/* `only_met`: triangles that the ray surely passes by are left out; else all in the leaves are
 * visited. */
void kiln_line_walk(const kiln_tree *tree, kiln_slab_ray *ray, bool only_met, kiln_line_visit visit,
                    void *user);

/* Does kiln_line_find take the tree, for the first hit or any? */
static inline bool kiln_line_finds(const kiln_tree *tree, bool any)
{
    const uint32_t nodes_most = 1u << 29; /* a number and a lane are a word */
    return !(any && tree->view.kind->shared) && tree->view.entry->node_count <= nodes_most;
}

/* Returns whether the ray meets the tree, and how: first, in the canonical order of hits, whose t
 * is `scale` times the line's; with `any` somewhere, the same place in every instruction set. Any
 * of a tree whose triangles have several slots is for kiln_line_walk. */
bool kiln_line_find(const kiln_tree *tree, kiln_slab_ray *ray, double scale, bool any,
                    kiln_found_hit *hit);

/* The same for a caller's ray and a tree that is where it is, with all that comes before it: 1 it
 * meets the tree, 0 it does not, -1 kiln_line_form refuses it. `hit` may be NULL where any is
 * wanted. `normals`: the hit may have its normal, which saves the caller time. */
int kiln_line_ask(const kiln_tree *tree, const kiln_ray *ray, bool any, bool normals,
                  kiln_found_hit *hit);

/* Of the slots of one triangle that the walk of a ray that is not cut reaches: is this the one that
 * names it? True for one of them; always, where triangles have one slot only. */
bool kiln_line_walk_is_first(const kiln_tree *tree, const kiln_slab_ray *ray, uint32_t slot);

#endif
