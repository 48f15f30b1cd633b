/* Joints of skins of Collada (1.4.1, chapter 5, <skin>, <skeleton>, and chapter 3, addresses).
 *
 * A joint is looked for below the skeletons of the instance, in their order, and then in all of the
 * scene: by its sid, the highest first, or by its id. The schema lets an sid occur again wherever
 * the parent is another. Below a skeleton the first of the highest is taken, since a search by
 * breadth finds it first; in all of the scene nothing tells two characters apart, and the file is
 * refused.
 *
 * A node that is instanced has several places. Of these the one counts that is nearest to the node
 * which shows the skin: that shares with it the deepest node above both. So a character that is
 * instanced twice stands where each of its instances is.
 *
 * All is sorted once for the document, and trees of minima answer which place between two others is
 * the highest. In the order of a walk depth-first, the places that share most with a given one are
 * its neighbours, and the lowest depth on the way to another is that of the branch where both part.
 * So every question takes time in proportion to a logarithm, whatever the file repeats. */
#include "joints.h"

#include <stdlib.h>
#include <string.h>

#include "../../../formats/assert.h"

/* Of one instance: each joint may be looked for below each. */
enum { SKELETONS_MOST = 4096 };

/* The least of any numbers that follow each other in a list: a binary tree of which the leaves are
 * the list. */
typedef struct {
    uint64_t *tree;
    size_t count;
} minima;

/* Names of places, sorted; minima of their depths, each with where it is in this list. */
typedef struct {
    const char *name;
    size_t place;
} named;

typedef struct {
    named *items;
    size_t count;
    minima depths;
} name_list;

struct dae_joints {
    const dae *d;
    const dae_places *places;
    minima depths;
    name_list sids, ids;
    size_t *first; /* of an element, where its places begin in the next list */
    size_t *own;
};

/* -- minima -- */

static void init_minima(const dae *d, minima *m, size_t count)
{
    m->count = count;
    m->tree = kiln_dae_alloc(d, 2 * (uint64_t)count + 2, sizeof *m->tree);
}

static uint64_t of_depth(uint32_t depth, size_t at)
{
    KILN_ASSERT(at <= UINT32_MAX);
    return (uint64_t)depth << 32 | at;
}

static void build_minima(minima *m)
{
    for (size_t i = m->count; i-- > 1;) {
        const uint64_t left = m->tree[2 * i], right = m->tree[2 * i + 1];

        m->tree[i] = left < right ? left : right;
    }
}

/* The least of those from one to before another; UINT64_MAX: there are none. */
static uint64_t minimum(const minima *m, size_t from, size_t end)
{
    uint64_t least = UINT64_MAX;

    KILN_ASSERT(end <= m->count);
    for (from += m->count, end += m->count; from < end; from /= 2, end /= 2) {
        if (from % 2 == 1 && m->tree[from++] < least)
            least = m->tree[from - 1];
        if (end % 2 == 1 && m->tree[--end] < least)
            least = m->tree[end];
    }
    return least;
}

/* -- places -- */

/* By name, and in the order of places. */
static int compare_names(const void *a, const void *b)
{
    const named *p = a, *q = b;
    const int by_name = strcmp(p->name, q->name);

    return by_name != 0 ? by_name : p->place < q->place ? -1 : p->place > q->place;
}

/* All places whose nodes have the attribute, sorted by it. */
static void list_names(const dae *d, const dae_places *places, const char *attribute,
                       name_list *list)
{
    list->items = kiln_dae_alloc(d, places->count, sizeof *list->items);
    for (size_t i = 0; i < places->count; i++) {
        const char *name = kiln_dae_attribute(d, places->items[i].element, attribute);

        if (name != NULL)
            list->items[list->count++] = (named){name, i};
    }
    qsort(list->items, list->count, sizeof *list->items, compare_names);
    init_minima(d, &list->depths, list->count);
    for (size_t i = 0; i < list->count; i++)
        list->depths.tree[list->count + i] = of_depth(places->items[list->items[i].place].depth, i);
    build_minima(&list->depths);
}

dae_joints *kiln_dae_joints_open(const dae *d, const dae_places *places)
{
    dae_joints *j = kiln_dae_alloc(d, 1, sizeof *j);

    j->d = d;
    j->places = places;
    list_names(d, places, "sid", &j->sids);
    list_names(d, places, "id", &j->ids);
    init_minima(d, &j->depths, places->count);
    j->first = kiln_dae_alloc(d, d->count + 1, sizeof *j->first);
    j->own = kiln_dae_alloc(d, places->count, sizeof *j->own);
    /* Sorted by counting. */
    for (size_t i = 0; i < places->count; i++) {
        j->depths.tree[places->count + i] = of_depth(places->items[i].depth, i);
        j->first[places->items[i].element + 1]++;
    }
    build_minima(&j->depths);
    for (size_t i = 0; i < d->count; i++)
        j->first[i + 1] += j->first[i];
    for (size_t i = places->count; i-- > 0;)
        j->own[--j->first[places->items[i].element + 1]] = i;
    /* Each has moved to the start of its own: that of the element before ends there. */
    memmove(j->first, j->first + 1, d->count * sizeof *j->first);
    j->first[d->count] = places->count;
    return j;
}

void kiln_dae_joints_close(dae_joints *j)
{
    if (j == NULL)
        return;
    free(j->depths.tree);
    free(j->sids.items);
    free(j->sids.depths.tree);
    free(j->ids.items);
    free(j->ids.depths.tree);
    free(j->first);
    free(j->own);
    free(j);
}

/* The depth of the deepest node that two places are both below, or are. */
static uint32_t shared_depth(const dae_joints *j, size_t a, size_t b)
{
    const size_t low = a < b ? a : b, high = a < b ? b : a;

    if (low == high)
        return j->places->items[low].depth;
    return (uint32_t)(minimum(&j->depths, low + 1, high + 1) >> 32) - 1;
}

/* The place of a node that is nearest to another place; the first of several before `most`, with
 * *unsure. SIZE_MAX: the scene does not have the node. */
static size_t nearest(const dae_joints *j, uint32_t element, size_t to, size_t most, bool *unsure)
{
    const size_t first = j->first[element], end = j->first[element + 1];
    size_t low = first, high = end;
    uint32_t best = 0;

    if (first == end)
        return SIZE_MAX;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (j->own[middle] <= to)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < end)
        best = shared_depth(j, j->own[low], to);
    if (low > first && shared_depth(j, j->own[low - 1], to) > best)
        best = shared_depth(j, j->own[low - 1], to);
    /* Those that share as much follow each other. */
    for (high = low, low = first; low < high;) {
        const size_t middle = low + (high - low) / 2;

        if (shared_depth(j, j->own[middle], to) < best)
            low = middle + 1;
        else
            high = middle;
    }
    KILN_ASSERT(low < end && shared_depth(j, j->own[low], to) == best);
    if (low + 1 < end && j->own[low + 1] < most && shared_depth(j, j->own[low + 1], to) == best)
        *unsure = true;
    return j->own[low];
}

/* -- skeletons -- */

dae_skeletons kiln_dae_skeletons(const dae_joints *j, const dae_shown *shown)
{
    const dae *d = j->d;
    dae_skeletons s = {NULL, 0};
    uint32_t lost = DAE_NONE, twofold = DAE_NONE;
    size_t lost_count = 0;

    s.roots = kiln_dae_alloc(d, SKELETONS_MOST, sizeof *s.roots);
    for (uint32_t at = kiln_dae_child(d, shown->instance, DAE_SKELETON); at != DAE_NONE;
         at = kiln_dae_next(d, at)) {
        char *text = kiln_dae_text(d, at);
        const uint32_t element = kiln_dae_find(d, at, text, DAE_IS(DAE_NODE));
        bool unsure = false;
        const size_t root = element != DAE_NONE
                                ? nearest(j, element, shown->place, j->places->count, &unsure)
                                : SIZE_MAX;

        free(text);
        twofold = unsure && twofold == DAE_NONE ? at : twofold;
        if (root == SIZE_MAX) {
            lost = lost_count++ == 0 ? at : lost;
        } else if (s.count == 0 || s.roots[s.count - 1] != root) {
            if (s.count == SKELETONS_MOST)
                kiln_dae_fail_unsupported(d, at,
                                          "is more than number %d of one instance; remove "
                                          "those that have no joint",
                                          SKELETONS_MOST);
            s.roots[s.count++] = root;
        }
    }
    if (twofold != DAE_NONE && !shown->again)
        kiln_dae_warn(d, twofold,
                      "is of a node that is instanced several times, none of which is nearer to "
                      "the skin; the first is taken");
    if (lost != DAE_NONE && !shown->again)
        kiln_dae_warn(d, lost,
                      "refers to no node of the scene (%zu skeletons of this instance do so); "
                      "joints are looked for in all of the scene",
                      lost_count);
    return s;
}

/* -- joints -- */

/* The first of a name whose place is not before `place`. */
static size_t find_name(const name_list *list, const char *name, size_t place)
{
    const named key = {name, place};
    size_t low = 0, high = list->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (compare_names(&list->items[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The highest place of a name within places; NULL: none has it. *other is the next that is as high,
 * or NULL. */
static const dae_place *highest(const dae_joints *j, const name_list *list, const char *name,
                                size_t from, size_t end, const dae_place **other)
{
    const size_t low = find_name(list, name, from), high = find_name(list, name, end);
    const uint64_t found = minimum(&list->depths, low, high);
    uint64_t next;

    *other = NULL;
    if (found == UINT64_MAX)
        return NULL;
    next = minimum(&list->depths, (uint32_t)found + 1, high);
    if (next != UINT64_MAX && next >> 32 == found >> 32)
        *other = &j->places->items[list->items[(uint32_t)next].place];
    return &j->places->items[list->items[(uint32_t)found].place];
}

/* The same below the skeletons, then in the scene; NULL: none has the name. Of the places of one
 * node, at whatever depth, that counts which is nearest to the skin. */
static const dae_place *find(const dae_joints *j, const name_list *list,
                             const dae_skeletons *skeletons, const dae_shown *shown, uint32_t from,
                             const char *name, bool *unsure)
{
    for (size_t i = 0; i <= skeletons->count; i++) {
        const bool all = i == skeletons->count;
        const size_t root = all ? 0 : skeletons->roots[i];
        const size_t end = all ? j->places->count : j->places->items[root].end;
        const dae_place *other, *found = highest(j, list, name, root, end, &other);
        bool as_near = false;
        size_t place;

        if (found == NULL)
            continue;
        if (all && other != NULL && other->element != found->element)
            kiln_dae_fail(j->d, from,
                          "names the joint \"%.200s\", which is the node of line %llu and of line "
                          "%llu; give the skin its <skeleton>, or rename one",
                          name, (unsigned long long)j->d->elements[found->element].line,
                          (unsigned long long)j->d->elements[other->element].line);
        place = nearest(j, found->element, shown->place, end, &as_near);
        KILN_ASSERT(place < j->places->count);
        if (place >= root && place < end) {
            *unsure |= as_near || (other != NULL && other->element != found->element);
            return &j->places->items[place];
        }
        *unsure |= other != NULL;
        return found;
    }
    return NULL;
}

const dae_place *kiln_dae_joint(const dae_joints *j, const dae_skeletons *skeletons,
                                const dae_shown *shown, uint32_t from, const char *name, bool ids,
                                bool *unsure)
{
    const dae_place *place = ids ? NULL : find(j, &j->sids, skeletons, shown, from, name, unsure);

    /* Some exporters name joints by their ids. */
    if (place == NULL)
        place = find(j, &j->ids, skeletons, shown, from, name, unsure);
    if (place == NULL)
        kiln_dae_fail(j->d, from,
                      "names the joint \"%.200s\", which is no node of the scene; repair the file",
                      name);
    return place;
}
