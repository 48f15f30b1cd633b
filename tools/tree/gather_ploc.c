/* Bottom-up: parallel locally-ordered clustering (D. Meister and J. Bittner, "Parallel
 * locally-ordered clustering for bounding volume hierarchy construction", 2018).
 *
 * Groups stand in the order of a Z-curve through their triangles' centroids. In each round every
 * group finds, among RADIUS places on either side, the one with which it makes the box of least
 * surface; two that find each other become one group, at the place of the first. It ends with one.
 *
 * Of equal surfaces the pair counts whose places differ in the lowest bits, then the first: an
 * order of all pairs, so the least pair always finds each other, and many of equal ones at once:
 * copies of one triangle are halved in each round. What neither holds in check, surfaces that grow
 * along the curve so that one pair is made a round, ends by a rule: after a round that made fewer
 * pairs than a sixteenth of the groups, all neighbours are paired, as the curve has them. So there
 * are O(log n) rounds, and time is O(n log n) for the sort, whose digits are fixed, and the rounds
 * on any input; rounds of ordinary meshes halve their groups, or nearly so.
 *
 * Search and sort depend on the records alone, whatever the number of threads. */
#include "hierarchy.h"

#include "../../formats/assert.h"
#include "../common/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    RADIUS = 16,
    CODE_BITS = 21,  /* of each axis */
    DIGITS = 8,      /* of a code, a byte each */
    CHUNK = 4096,    /* places a task */
    PAIRS_LEAST = 16 /* of so many groups one pair must be made in a round */
};

/* A triangle and its place on the curve. */
typedef struct {
    uint64_t code;
    uint32_t record;
} place;

typedef struct {
    kiln_hierarchy *h;
    uint32_t *active; /* groups in the order of the curve */
    uint32_t *found;  /* of each place, that of its best partner */
    uint32_t count;
} clustering;

/* The lowest 21 bits, each followed by two zeros. */
static uint64_t spread_bits(uint64_t x)
{
    x &= 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffff;
    x = (x | x << 16) & 0x1f0000ff0000ff;
    x = (x | x << 8) & 0x100f00f00f00f00f;
    x = (x | x << 4) & 0x10c30c30c30c30c3;
    return (x | x << 2) & 0x1249249249249249;
}

/* A cube of 2^21 cells along the longest axis, as the curve of a thin set would otherwise be
 * fine where nothing is. */
static void make_places(const kiln_record *records, uint32_t count, place *places)
{
    KILN_ASSERT(count > 0);
    kiln_centres centres;
    double width = 0;
    kiln_centres_measure(records, count, &centres);
    for (unsigned k = 0; k < 3; k++) {
        width = fmax(width, centres.upper[k] - centres.lower[k]);
    }
    /* A hair below 2^21, so that the upper end falls in the last cell, as in split_sah.c. */
    const double scale = width > 0 ? (double)(1 << CODE_BITS) * (1 - 0x1p-40) / width : 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t cell[3];
        for (unsigned k = 0; k < 3; k++) {
            cell[k] = (uint64_t)((kiln_record_centre(&records[i], k) - centres.lower[k]) * scale);
        }
        places[i].code =
            spread_bits(cell[0]) << 2 | spread_bits(cell[1]) << 1 | spread_bits(cell[2]);
        places[i].record = i;
    }
}

/* Least significant digit first, each pass stable: equal codes stay in the order of the records.
 * An even number of passes leaves the result where it began. */
static void sort_places(place *places, place *spare, uint32_t count)
{
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        uint32_t start[257] = {0};
        for (uint32_t i = 0; i < count; i++) {
            start[(places[i].code >> (8 * digit) & 255) + 1]++;
        }
        for (unsigned i = 0; i < 256; i++) {
            start[i + 1] += start[i];
        }
        for (uint32_t i = 0; i < count; i++) {
            spare[start[places[i].code >> (8 * digit) & 255]++] = places[i];
        }
        place *const moved = places;
        places = spare;
        spare = moved;
    }
}

/* Is the pair of places a and b before that of a and c, where their surfaces are equal? */
static bool pair_before(uint32_t a, uint32_t b, uint32_t c)
{
    KILN_ASSERT(a != b && a != c && b != c);
    /* For one a different partners differ in a ^ partner, so nothing remains to be decided. */
    return (a ^ b) < (a ^ c);
}

/* One task: the best partners of a chunk of places. */
static void find_partners(void *context, uint32_t index)
{
    const clustering *c = context;
    const uint32_t first = index * CHUNK;
    const uint32_t end = c->count - first < CHUNK ? c->count : first + CHUNK;
    KILN_ASSERT(first < c->count && c->count > 1);
    for (uint32_t i = first; i < end; i++) {
        const kiln_group *group = &c->h->groups[c->active[i]];
        const uint32_t from = i > RADIUS ? i - RADIUS : 0;
        const uint32_t to = c->count - 1 - i > RADIUS ? i + RADIUS : c->count - 1;
        uint32_t best = i;
        double least = INFINITY;
        for (uint32_t j = from; j <= to; j++) {
            if (j == i) {
                continue;
            }
            const double area = kiln_joint_area(group, &c->h->groups[c->active[j]]);
            if (area < least || (area == least && best != i && pair_before(i, j, best))) {
                least = area;
                best = j;
            }
        }
        c->found[i] = best;
    }
}

/* Puts those together that have found each other, or all neighbours where too few have. `next` is
 * the first inner group that is free. Returns the first that is free afterwards. */
static uint32_t merge(clustering *c, uint32_t next)
{
    uint32_t pairs = 0, kept = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        pairs += c->found[i] > i && c->found[c->found[i]] == i;
    }
    if (pairs <= c->count / PAIRS_LEAST) {
        for (uint32_t i = 0; i < c->count; i++) {
            c->found[i] = (i ^ 1) < c->count ? i ^ 1 : i;
        }
    }
    for (uint32_t i = 0; i < c->count; i++) {
        const uint32_t partner = c->found[i];
        if (partner == i || c->found[partner] != i) {
            c->active[kept++] = c->active[i];
        } else if (i < partner) {
            kiln_hierarchy_join(c->h, next, c->active[i], c->active[partner]);
            c->active[kept++] = next++;
        }
    }
    KILN_ASSERT(kept < c->count);
    c->count = kept;
    return next;
}

bool kiln_gather_ploc(kiln_record *records, uint32_t count, const kiln_watch *watch,
                      kiln_hierarchy *h, bool *cancelled)
{
    KILN_ASSERT(count > 0);
    clustering c = {.h = h, .count = count};
    place *places = malloc(2 * (size_t)count * sizeof *places);
    c.active = malloc(count * sizeof *c.active);
    c.found = malloc(count * sizeof *c.found);
    kiln_watch part = *watch;
    bool good =
        places != NULL && c.active != NULL && c.found != NULL && kiln_hierarchy_room(h, count);
    if (!good) {
        goto done;
    }
    make_places(records, count, places);
    sort_places(places, places + count, count);

    /* Leaves are numbered along the curve, so that neighbours are neighbours in memory too. */
    for (uint32_t i = 0; i < count; i++) {
        kiln_hierarchy_set_leaf(h, i, records, places[i].record, 1);
        c.active[i] = i;
    }
    uint32_t next = count;
    while (good && c.count > 1) {
        part.from = part.to;
        part.to = watch->to - (watch->to - watch->from) * c.count / count;
        part.from = part.from < part.to ? part.from : part.to;
        *cancelled = !kiln_parallel_for(&part, (c.count - 1) / CHUNK + 1, find_partners, &c);
        good = !*cancelled;
        next = good ? merge(&c, next) : next;
    }
    h->root = c.active[0];
    h->groups[h->root].parent = h->root;
done:
    free(c.found);
    free(c.active);
    free(places);
    return good;
}
