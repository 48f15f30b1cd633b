/* The best place of a group in a hierarchy, by branch and bound (J. Bittner, M. Hapala and V.
 * Havran, "Fast insertion-based optimization of bounding volume hierarchies", 2013), with the cost
 * of J. Goldsmith and J. Salmon ("Automatic creation of object hierarchies for ray tracing", 1987):
 * what a group adds to the sum of surfaces.
 *
 * As the sibling of x, a group g adds the surface of their common box, and what the boxes above x
 * grow by. The latter never shrinks on the way down, and the former is at least the surface of g:
 * so places are looked at in the order of the latter, and none is left once both together reach
 * the best that was found.
 *
 * A search looks at SEARCH_MOST places and none below KILN_INSERTION_DEPTH_MAX groups, and then
 * takes the best of them: on ordinary meshes it ends long before, and without these bounds groups
 * of equal boxes or chains of boxes in each other would be gone through whole each time. Of equal
 * places it goes on down into the side with fewer triangles, so that copies of one triangle make a
 * balanced tree instead of a chain. */
#include "insertion.h"

#include "../../formats/assert.h"

#include <math.h>

enum { SEARCH_MOST = 512 };

/* Each place that is looked at leaves the heap and puts in two. */
_Static_assert((int)KILN_INSERTION_PLACES >= SEARCH_MOST + 2, "room for all places of a search");

/* Is a before b in the heap? Of equals the one with the lower number, which is an order of all. */
static bool is_before(const kiln_insertion_place *a, const kiln_insertion_place *b)
{
    return a->above != b->above ? a->above < b->above : a->group < b->group;
}

static void push(kiln_insertion *in, kiln_insertion_place place)
{
    KILN_ASSERT(in->count < KILN_INSERTION_PLACES);
    unsigned at = in->count++;
    while (at > 0 && is_before(&place, &in->places[(at - 1) / 2])) {
        in->places[at] = in->places[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    in->places[at] = place;
}

static kiln_insertion_place pop(kiln_insertion *in)
{
    KILN_ASSERT(in->count > 0);
    const kiln_insertion_place least = in->places[0], last = in->places[--in->count];
    unsigned at = 0;
    for (;;) {
        unsigned child = 2 * at + 1;
        if (child + 1 < in->count && is_before(&in->places[child + 1], &in->places[child])) {
            child++;
        }
        if (child >= in->count || !is_before(&in->places[child], &last)) {
            break;
        }
        in->places[at] = in->places[child];
        at = child;
    }
    in->places[at] = last;
    return least;
}

uint32_t kiln_insertion_find(kiln_insertion *in, uint32_t group, double *added)
{
    const kiln_hierarchy *h = in->h;
    const kiln_group *g = &h->groups[group];
    const double own = kiln_group_area(g);
    kiln_insertion_place best = {0, h->root, 0};
    double least = INFINITY;
    in->count = 0;
    push(in, best);
    for (unsigned looked = 0; in->count > 0 && looked < SEARCH_MOST; looked++) {
        const kiln_insertion_place place = pop(in);
        if (place.above + own >= least) {
            break; /* and so are all that are left */
        }
        const kiln_group *at = &h->groups[place.group];
        const double joint = kiln_joint_area(at, g);
        if (place.above + joint < least) {
            least = place.above + joint;
            best = place;
        }
        const double above = place.above + (joint - kiln_group_area(at));
        if (!kiln_group_is_leaf(h, place.group) && place.depth < KILN_INSERTION_DEPTH_MAX &&
            above + own < least) {
            for (unsigned s = 0; s < 2; s++) {
                push(in, (kiln_insertion_place){above, at->child[s], place.depth + 1});
            }
        }
    }

    /* Down while that costs no more, into the side with fewer triangles. */
    while (!kiln_group_is_leaf(h, best.group) && best.depth < KILN_INSERTION_DEPTH_MAX) {
        const kiln_group *at = &h->groups[best.group];
        const uint32_t *child = at->child;
        const uint32_t down =
            h->groups[child[1]].count < h->groups[child[0]].count ? child[1] : child[0];
        const double above = best.above + (kiln_joint_area(at, g) - kiln_group_area(at));
        if (!(above + kiln_joint_area(&h->groups[down], g) <= least)) {
            break;
        }
        best = (kiln_insertion_place){above, down, best.depth + 1};
    }
    *added = least;
    return best.group;
}

/* Boxes and counts of a group and all above it, from those of their sides. */
static void update_above(kiln_hierarchy *h, uint32_t group)
{
    for (;;) {
        const kiln_group *g = &h->groups[group];
        const uint32_t parent = g->parent;
        kiln_hierarchy_join(h, group, g->child[0], g->child[1]);
        if (parent == group) {
            return;
        }
        group = parent;
    }
}

/* `group` takes the place of `old` below `parent`, or as the root where that is `old` itself. */
static void replace(kiln_hierarchy *h, uint32_t parent, uint32_t old, uint32_t group)
{
    if (parent == old) {
        h->root = group;
        h->groups[group].parent = group;
        return;
    }
    kiln_group *above = &h->groups[parent];
    KILN_ASSERT(above->child[0] == old || above->child[1] == old);
    above->child[above->child[1] == old] = group;
    h->groups[group].parent = parent;
}

void kiln_insertion_attach(kiln_hierarchy *h, uint32_t group, uint32_t at, uint32_t joint)
{
    KILN_ASSERT(group != at && !kiln_group_is_leaf(h, joint));
    replace(h, h->groups[at].parent, at, joint);
    h->groups[joint].child[0] = at;
    h->groups[joint].child[1] = group;
    update_above(h, joint);
}

uint32_t kiln_insertion_detach(kiln_hierarchy *h, uint32_t group)
{
    const uint32_t parent = h->groups[group].parent;
    KILN_ASSERT(parent != group);
    const kiln_group *p = &h->groups[parent];
    const uint32_t sibling = p->child[p->child[0] == group];
    const uint32_t above = p->parent;
    replace(h, above, parent, sibling);
    if (above != parent) {
        update_above(h, above);
    }
    return parent;
}
