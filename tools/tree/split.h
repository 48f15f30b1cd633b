/* How a set of triangles is cut in two: dividers, of which builders.c makes builders. */
#ifndef KILN_SPLIT_H
#define KILN_SPLIT_H

#include "../common/parallel.h"
#include "record.h"

#include <stddef.h>
#include <stdint.h>

/* Orders records so that the first k of them, which it returns, go left and the others right;
 * 0 < k < count. `leaf` triangles make a full leaf, count > leaf. `marks` are for the divide's own
 * use, one a record. */
typedef uint32_t (*kiln_divide)(kiln_record *records, uint32_t *marks, uint32_t count,
                                uint32_t leaf);

/* The same to the last bit, by the threads of `watch`, whose part done stays as it is and which may
 * cancel: then 0. */
typedef uint32_t (*kiln_divide_wide)(kiln_record *records, uint32_t *marks, uint32_t count,
                                     uint32_t leaf, const kiln_watch *watch);

typedef struct {
    kiln_divide one;
    kiln_divide_wide wide; /* NULL: there is none */
} kiln_divider;

uint32_t kiln_split_sah(kiln_record *records, uint32_t *marks, uint32_t count, uint32_t leaf);
uint32_t kiln_split_sah_wide(kiln_record *records, uint32_t *marks, uint32_t count, uint32_t leaf,
                             const kiln_watch *watch);

/* The same by volumes instead of surfaces: see split_sah.c. */
uint32_t kiln_split_volume(kiln_record *records, uint32_t *marks, uint32_t count, uint32_t leaf);
uint32_t kiln_split_volume_wide(kiln_record *records, uint32_t *marks, uint32_t count,
                                uint32_t leaf, const kiln_watch *watch);

uint32_t kiln_split_oriented(kiln_record *records, uint32_t *marks, uint32_t count, uint32_t leaf);

/* Halves the set, in whole leaves, where the middle of centroids lies along their longest axis. The
 * left side gets ceil(u / 2) of the u = kiln_leaf_units(count, leaf) leaves. Time O(count). */
uint32_t kiln_split_median(kiln_record *records, uint32_t *marks, uint32_t count, uint32_t leaf);

/* In the middle of the longest axis of the centroids' box, the spatial median. */
uint32_t kiln_split_middle(kiln_record *records, uint32_t *marks, uint32_t count, uint32_t leaf);

/* At the mean along the principal axis of the centroids. */
uint32_t kiln_split_mean(kiln_record *records, uint32_t *marks, uint32_t count, uint32_t leaf);

/* Leaves that `count` triangles fill. */
static inline uint32_t kiln_leaf_units(uint32_t count, uint32_t leaf)
{
    return count / leaf + (count % leaf != 0);
}

#endif
