/* Reinsertion: a tree that the surface-area heuristic has cut is made better by moving parts of it
 * (J. Bittner, M. Hapala and V. Havran, "Fast insertion-based optimization of bounding volume
 * hierarchies", 2013).
 *
 * A move takes a group out of the tree with its parent, and puts its two children back, the larger
 * first, each where it adds least to the sum of surfaces (insertion.c). Groups are taken in the
 * order of how much surface they waste, by the measure of that paper: the product of their surface,
 * its ratio to the smaller child's and its ratio to the children's mean. A round moves a share of
 * all groups and measures anew.
 *
 * A move that does not make the sum less is undone, and its group is not tried again: so the sum
 * only falls, and what is equal everywhere stays as it was cut. Rounds end when one has gained less
 * than GAIN_LEAST of the sum, at the latest after ROUNDS. Leaves are those of the cut tree and stay
 * full. Moves follow one another on one thread; the first tree is cut by all. */
#include "../../formats/assert.h"
#include "insertion.h"

#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 32, ROUND_SHARE = 32 /* so many parts of all inner groups are one round's */ };

#define GAIN_LEAST 0x1p-13

/* A move must gain more than the roundings of the sums that it is judged by. */
#define MOVE_LEAST 0x1p-20

typedef struct {
    double waste;
    uint32_t group;
} candidate;

typedef struct {
    const kiln_record *records;
    const kiln_binary *tree;
    kiln_hierarchy *h;
    uint32_t leaves, inner; /* groups that are made */
} loading;

/* Most waste first; of equals the lower number. */
static int compare(const void *p, const void *q)
{
    const candidate *a = p, *b = q;
    return a->waste != b->waste ? (a->waste < b->waste ? 1 : -1)
                                : (a->group > b->group) - (a->group < b->group);
}

/* Recursion as deep as the binary tree, here and in load. */
static uint32_t count_leaves(const kiln_binary *tree, const kiln_range *range)
{
    if (kiln_is_leaf(tree, range)) {
        return 1;
    }
    kiln_range side[2];
    kiln_sides(tree, range, side);
    return count_leaves(tree, &side[0]) + count_leaves(tree, &side[1]);
}

/* Returns the group of the range. */
static uint32_t load(loading *l, const kiln_range *range)
{
    if (kiln_is_leaf(l->tree, range)) {
        kiln_hierarchy_set_leaf(l->h, l->leaves, l->records, range->first,
                                range->last - range->first);
        return l->leaves++;
    }
    kiln_range side[2];
    kiln_sides(l->tree, range, side);
    const uint32_t left = load(l, &side[0]), right = load(l, &side[1]);
    kiln_hierarchy_join(l->h, l->inner, left, right);
    return l->inner++;
}

/* The sum of the surfaces of a group and all above it. */
static double area_upwards(const kiln_hierarchy *h, uint32_t group)
{
    double sum = kiln_group_area(&h->groups[group]);
    while (h->groups[group].parent != group) {
        group = h->groups[group].parent;
        sum += kiln_group_area(&h->groups[group]);
    }
    return sum;
}

/* Tries to move a group that is neither a leaf nor the root. Returns by how much the sum of
 * surfaces fell; 0: everything is as before. */
static double move(kiln_insertion *in, uint32_t group)
{
    kiln_hierarchy *h = in->h;
    const kiln_group *g = &h->groups[group];
    const uint32_t parent = g->parent;
    KILN_ASSERT(!kiln_group_is_leaf(h, group) && parent != group);
    const uint32_t sibling = h->groups[parent].child[h->groups[parent].child[0] == group];
    const uint32_t above = h->groups[parent].parent;
    const bool second_larger =
        kiln_group_area(&h->groups[g->child[1]]) > kiln_group_area(&h->groups[g->child[0]]);
    const uint32_t larger = g->child[second_larger], smaller = g->child[!second_larger];
    double removed = kiln_group_area(g) + area_upwards(h, parent), added[2];
    const uint32_t joint = kiln_insertion_detach(h, group);
    KILN_ASSERT(joint == parent);
    removed -= above != parent ? area_upwards(h, above) : 0;

    const uint32_t first = kiln_insertion_find(in, larger, &added[0]);
    kiln_insertion_attach(h, larger, first, joint);
    const uint32_t second = kiln_insertion_find(in, smaller, &added[1]);
    kiln_insertion_attach(h, smaller, second, group);
    const double gain = removed - (added[0] + added[1]);
    if (gain > removed * MOVE_LEAST) {
        return gain;
    }
    /* Back, in the reverse order. */
    (void)kiln_insertion_detach(h, smaller);
    (void)kiln_insertion_detach(h, larger);
    kiln_hierarchy_join(h, group, larger, smaller);
    kiln_insertion_attach(h, group, sibling, parent);
    return 0;
}

/* How much surface a group wastes. Children without any count as a millionth of it, so that the
 * ratios stay numbers. */
static double waste_of(const kiln_hierarchy *h, uint32_t group)
{
    const kiln_group *g = &h->groups[group];
    const double area = kiln_group_area(g);
    const double a = kiln_group_area(&h->groups[g->child[0]]);
    const double b = kiln_group_area(&h->groups[g->child[1]]);
    const double least = fmax(fmin(a, b), 0x1p-20 * area),
                 mean = fmax(0.5 * (a + b), 0x1p-20 * area);
    return area > 0 ? area * (area / least) * (area / mean) : 0;
}

/* One round: the groups that waste the most, of those that were not tried in vain. Returns what
 * was gained. */
static double move_some(kiln_insertion *in, candidate *list, bool *in_vain)
{
    kiln_hierarchy *h = in->h;
    const uint32_t inner = h->leaf_count - 1, most = inner / ROUND_SHARE + 1;
    double gained = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < inner; i++) {
        const uint32_t group = h->leaf_count + i;
        if (!in_vain[i] && group != h->root) {
            list[count++] = (candidate){waste_of(h, group), group};
        }
    }
    qsort(list, count, sizeof *list, compare);
    for (uint32_t i = 0; i < count && i < most; i++) {
        /* A move before it may have made it the root. */
        const uint32_t group = list[i].group;
        const double gain = group != h->root ? move(in, group) : 0;
        in_vain[group - h->leaf_count] = gain == 0;
        gained += gain;
    }
    return gained;
}

bool kiln_gather_reinsert(kiln_record *records, uint32_t count, const kiln_watch *watch,
                          kiln_hierarchy *h, bool *cancelled)
{
    KILN_ASSERT(count > 0 && h->leaf > 0);
    static const kiln_divider cuts = {kiln_split_sah, kiln_split_sah_wide};
    kiln_arena arena = {NULL};
    kiln_binary tree;
    kiln_watch part = *watch;
    kiln_insertion *in = malloc(sizeof *in);
    candidate *list = NULL;
    bool *in_vain = NULL;
    part.to = watch->from + 0.25 * (watch->to - watch->from);
    bool good = in != NULL &&
                kiln_binary_build(&tree, records, count, h->leaf, &cuts, &part, &arena, cancelled);
    if (!good) {
        goto done;
    }
    const kiln_range root = {0, count, tree.root};
    good = kiln_hierarchy_room(h, count_leaves(&tree, &root));
    if (!good) {
        goto done;
    }
    loading l = {.records = records, .tree = &tree, .h = h, .inner = h->leaf_count};
    h->root = load(&l, &root);
    h->groups[h->root].parent = h->root;
    kiln_arena_free(&arena);
    list = malloc(h->leaf_count * sizeof *list);
    in_vain = calloc(h->leaf_count, sizeof *in_vain);
    good = list != NULL && in_vain != NULL;
    double sum = 0;
    for (uint32_t i = h->leaf_count; i < 2 * h->leaf_count - 1; i++) {
        sum += kiln_group_area(&h->groups[i]);
    }
    in->h = h;
    for (unsigned round = 0; good && round < ROUNDS && h->leaf_count > 2; round++) {
        const double gained = move_some(in, list, in_vain);
        sum -= gained;
        part.from = watch->from + (watch->to - watch->from) * (0.25 + 0.75 * round / ROUNDS);
        *cancelled = !kiln_watch_report(&part);
        good = !*cancelled;
        if (!(gained > sum * GAIN_LEAST)) {
            break;
        }
    }
done:
    free(in_vain);
    free(list);
    free(in);
    kiln_arena_free(&arena);
    return good;
}
