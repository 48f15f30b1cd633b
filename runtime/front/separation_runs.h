/* A recursion over pairs of volumes, and the list of pairs where it ended: the separation list of
 * T.-Y. Li and J.-S. Chen, "Incremental 3D collision detection with hierarchical data structures",
 * 1998. Nothing here knows what a volume is: what is done with a pair is a function's business, so
 * that the paper's accounting can be checked on recursion trees that are made up (test_separation).
 *
 * The list. A search from the roots ends in pairs of volumes that are apart and in pairs of leaves,
 * the leaves of its recursion tree. The next run starts from them: with n of them the recursion
 * tree has 2 n - 1 nodes, so that n tests are saved as long as no pair is opened. A pair that is
 * not apart any more is opened, and what is found below takes its place. Pairs of leaves stay in
 * the list whether they are apart or not: there is nothing to put in their place.
 *
 * Shrinking. To find out that a pair could be replaced by the one above it costs a test for each
 * such pair, in all half as many as there are pairs even where nothing moves. So the list is never
 * shrunk, and is built again from the roots when the objects are predicted to move apart. The
 * prediction: they come closer if the list grew in the last run, else they move apart. Deferred,
 * they move apart if the list did not grow in either of the last two runs.
 *
 * What the paper leaves open is decided so:
 * - A search that ends at the first hit leaves pairs untested. They stay in the list, those that
 *   wait below an opened pair included, so that the list is always a cut of the recursion tree:
 *   each pair of leaves is below one of its pairs, or is one. It grew if it is longer than before,
 *   as after any other run.
 * - Pairs keep the order of the recursion, so that a hit is found after as many pairs as the
 *   recursion has leaves before it.
 * - A list for which there is no room is dropped. The run goes on, the next one starts from the
 *   roots. A run from the roots makes a list of any length, which does not count as growth; the
 *   next run always uses it.
 *
 * Nothing is said about poses: whatever they are, and whichever volume of a pair is opened first, a
 * cut remains a cut. */
#ifndef KILN_SEPARATION_RUNS_H
#define KILN_SEPARATION_RUNS_H

#include "../../formats/assert.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Volumes of the trees A and B, by numbers of their owner's. */
typedef struct {
    uint32_t a, b;
} kiln_volume_pair;

typedef enum {
    KILN_PAIR_STAYS,  /* apart, or a pair of leaves, which was looked into */
    KILN_PAIR_OPENED, /* *count pairs below it are to be tested in its place */
    KILN_PAIR_ENOUGH  /* a pair of leaves after which the search ends */
} kiln_pair_answer;

/* Tests a pair. `below` has room for two; *count may be 0. */
typedef kiln_pair_answer (*kiln_pair_test)(void *recursion, kiln_volume_pair pair,
                                           kiln_volume_pair below[2], unsigned *count);

/* Pairs that wait on the way down: of each opened pair at most one, and pairs are opened one below
 * the other at most twice as often as a tree is deep. */
enum { KILN_PAIRS_WAITING_MOST = 2 * 64 + 4 };

typedef struct {
    kiln_volume_pair *pairs, *spare; /* [capacity] each */
    uint32_t capacity;               /* 0: the plain recursion, which keeps none */
    uint32_t count;
    unsigned patience; /* after so many runs without growth it is built again: 1; deferred, 2 */
    unsigned idle;     /* runs without growth since it grew or was built */
    bool kept;         /* pairs[0 .. count) are a cut */
} kiln_separation;

static inline void kiln_separation_forget(kiln_separation *list)
{
    list->count = 0;
    list->idle = 0;
    list->kept = false;
}

/* A list that is being written. */
typedef struct {
    kiln_volume_pair *out;
    uint32_t capacity, count;
    bool full; /* a pair did not find room */
} kiln_separation_writer;

static inline void kiln_separation_put(kiln_separation_writer *to, kiln_volume_pair pair)
{
    if (to->count < to->capacity) {
        to->out[to->count++] = pair;
    } else {
        to->full = true;
    }
}

/* The recursion from one pair on: pairs where it ends are put into the list. False: it ended early;
 * pairs that waited are in the list, too. */
static inline __attribute__((always_inline)) bool
kiln_separation_descend(kiln_separation_writer *to, kiln_volume_pair *waiting, unsigned depth,
                        kiln_pair_test test, void *recursion)
{
    while (depth > 0) {
        kiln_volume_pair below[2];
        unsigned count = 0;
        const kiln_volume_pair pair = waiting[--depth];
        const kiln_pair_answer answer = test(recursion, pair, below, &count);
        if (answer == KILN_PAIR_OPENED) {
            KILN_ASSERT(count <= 2 && depth + count <= KILN_PAIRS_WAITING_MOST);
            while (count > 0) {
                waiting[depth++] = below[--count];
            }
            continue;
        }
        kiln_separation_put(to, pair);
        if (answer == KILN_PAIR_ENOUGH) {
            while (depth > 0) {
                kiln_separation_put(to, waiting[--depth]);
            }
            return false;
        }
    }
    return true;
}

static inline __attribute__((always_inline)) void kiln_separation_from_roots(kiln_separation *list,
                                                                             kiln_volume_pair root,
                                                                             kiln_pair_test test,
                                                                             void *recursion)
{
    kiln_volume_pair waiting[KILN_PAIRS_WAITING_MOST];
    kiln_separation_writer to = {list->pairs, list->capacity, 0, false};
    waiting[0] = root;
    (void)kiln_separation_descend(&to, waiting, 1, test, recursion);
    list->kept = !to.full;
    list->count = to.full ? 0 : to.count;
    list->idle = 0;
}

/* Nothing is written as long as no pair is opened; from then on, what stays is copied. */
static inline __attribute__((always_inline)) void
kiln_separation_from_list(kiln_separation *list, kiln_pair_test test, void *recursion)
{
    kiln_volume_pair waiting[KILN_PAIRS_WAITING_MOST];
    kiln_separation_writer to = {list->spare, list->capacity, 0, false};
    const uint32_t before = list->count;
    bool copied = false, goes_on = true;
    uint32_t i = 0;
    for (; i < before && goes_on; i++) {
        unsigned count = 0;
        const kiln_volume_pair pair = list->pairs[i];
        const kiln_pair_answer answer = test(recursion, pair, waiting, &count);
        if (answer == KILN_PAIR_OPENED) {
            if (!copied) {
                memcpy(to.out, list->pairs, i * sizeof pair);
                to.count = i;
                copied = true;
            }
            KILN_ASSERT(count <= 2);
            if (count == 2) {
                const kiln_volume_pair first = waiting[0];
                waiting[0] = waiting[1];
                waiting[1] = first;
            }
            goes_on = kiln_separation_descend(&to, waiting, count, test, recursion);
        } else {
            goes_on = answer == KILN_PAIR_STAYS;
            if (copied) {
                kiln_separation_put(&to, pair);
            }
        }
    }
    if (copied) {
        for (; i < before; i++) {
            kiln_separation_put(&to, list->pairs[i]);
        }
        list->spare = list->pairs;
        list->pairs = to.out;
        list->count = to.full ? 0 : to.count;
        list->kept = !to.full;
    }
    list->idle = list->count > before ? 0 : list->idle + 1;
}

/* Does the next run start from the roots? */
static inline bool kiln_separation_is_to_be_built(const kiln_separation *list)
{
    return !list->kept || list->idle >= list->patience;
}

/* One run: every pair of leaves that is not below a pair that is apart is tested, once, unless the
 * search ends early. */
static inline __attribute__((always_inline)) void kiln_separation_run(kiln_separation *list,
                                                                      kiln_volume_pair root,
                                                                      kiln_pair_test test,
                                                                      void *recursion)
{
    if (kiln_separation_is_to_be_built(list)) {
        kiln_separation_from_roots(list, root, test, recursion);
    } else {
        kiln_separation_from_list(list, test, recursion);
    }
}

#endif
