/* Insertion: triangles are put one by one into a tree, each where it adds least to the sum of
 * surfaces (J. Goldsmith and J. Salmon, "Automatic creation of object hierarchies for ray tracing",
 * 1987), found by branch and bound instead of their descent along the better child: insertion.c.
 *
 * After each of them the groups above it are rotated (A. Kensler, "Tree rotations for improving
 * bounding volume hierarchies", 2008): a group's child changes places with a child of its other
 * child, of the four such changes the one that makes the box of the other child smallest, if any
 * does. So what was put in early, when little was known, does not stay wrong.
 *
 * The order of insertion decides the tree, and neighbours one after another make chains. Triangles
 * come in the order of their places in the input with the bits reversed: from the whole input
 * first, evenly, then from between those. One thread does all, since each insertion depends on the
 * one before. */
#include "../../formats/assert.h"
#include "insertion.h"

#include <stdlib.h>

enum { REPORT_EVERY = 4096 };

/* A share of the surface below which a rotation is not worth the roundings of surfaces. */
static const double gain_least = 1 - 0x1p-20;

/* The best rotation at a group, if one makes the box of a child smaller. */
static void rotate(kiln_hierarchy *h, uint32_t group)
{
    KILN_ASSERT(!kiln_group_is_leaf(h, group));
    const uint32_t child[2] = {h->groups[group].child[0], h->groups[group].child[1]};
    double best = 0;
    unsigned side = 0, stays = 0;
    for (unsigned s = 0; s < 2; s++) {
        /* Child 1 - s changes places with one of the children of child s, whose other stays. */
        if (kiln_group_is_leaf(h, child[s])) {
            continue;
        }
        const kiln_group *lower = &h->groups[child[s]], *other = &h->groups[child[1 - s]];
        const double area = kiln_group_area(lower);
        for (unsigned k = 0; k < 2; k++) {
            const double changed = kiln_joint_area(&h->groups[lower->child[k]], other);
            if (changed < area * gain_least && area - changed > best) {
                best = area - changed;
                side = s;
                stays = k;
            }
        }
    }
    if (best > 0) {
        const uint32_t lower = child[side], raised = h->groups[lower].child[1 - stays];
        kiln_hierarchy_join(h, lower, h->groups[lower].child[stays], child[1 - side]);
        kiln_hierarchy_join(h, group, lower, raised);
    }
}

/* The lowest bits of i in the reverse order. */
static uint32_t reversed(uint32_t i, unsigned bits)
{
    uint32_t out = 0;
    for (unsigned b = 0; b < bits; b++) {
        out |= (i >> b & 1) << (bits - 1 - b);
    }
    return out;
}

bool kiln_gather_insert(kiln_record *records, uint32_t count, const kiln_watch *watch,
                        kiln_hierarchy *h, bool *cancelled)
{
    KILN_ASSERT(count > 0);
    kiln_insertion *in = malloc(sizeof *in);
    kiln_watch part = *watch;
    bool good = in != NULL && kiln_hierarchy_room(h, count);
    if (!good) {
        goto done;
    }
    in->h = h;
    for (uint32_t i = 0; i < count; i++) {
        kiln_hierarchy_set_leaf(h, i, records, i, 1);
    }
    h->root = 0;
    unsigned bits = 0;
    while (bits < 32 && (uint64_t)1 << bits < count) {
        bits++;
    }
    /* The first in the order is 0, which is the root already. */
    uint32_t next = count;
    for (uint64_t i = 1; i < (uint64_t)1 << bits && good; i++) {
        const uint32_t group = reversed((uint32_t)i, bits);
        double added;
        if (group >= count) {
            continue;
        }
        const uint32_t at = kiln_insertion_find(in, group, &added);
        kiln_insertion_attach(h, group, at, next);
        for (uint32_t above = h->groups[next].parent, below = next; above != below;
             below = above, above = h->groups[above].parent) {
            rotate(h, above);
        }
        next++;
        if (next % REPORT_EVERY == 0) {
            part.from = watch->from + (watch->to - watch->from) * (next - count) / count;
            *cancelled = !kiln_watch_report(&part);
            good = !*cancelled;
        }
    }
    KILN_ASSERT(!good || next == 2 * count - 1);
done:
    free(in);
    return good;
}
