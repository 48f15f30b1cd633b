/* Counts of possible collision cells for every box of a tree: see formats/adb.h. */
#ifndef KILN_COUNT_COUNT_H
#define KILN_COUNT_COUNT_H

#include "../../formats/adb.h"
#include "../../formats/node_kinds.h"
#include "../common/parallel.h"
#include "../common/soup.h"
#include "../kiln_bake.h"
#include "../tree/build.h"

/* A tree of any kind, encoded. Its boxes: the box of all vertices, then every lane of every
 * node. */
typedef struct {
    const kiln_node_kind *kind;
    const void *nodes;
    uint32_t node_count, triangle_count, slot_count;
    double origin[3];
    int32_t scale_exponent;
    float bounds_lower[3], bounds_upper[3];
    /* Of an octree with polygons: the triangle of each slot, below `names`; else NULL. */
    const uint32_t *triangles;
    uint32_t names;
    const float *corners; /* 9 a slot, in the model's coordinates; NULL: there are no polygons */
} kiln_count_input;

/* 1 + node count * lanes. */
uint64_t kiln_count_boxes(const kiln_count_input *input);

/* Fills boxes [kiln_count_boxes]. KILN_BAKE_OK; _FAILED: out of memory, or cancelled; _INVALID:
 * the slots below some node don't follow each other, which no tree of kiln's builder has. Bytes
 * depend on the input and on `how` (its tree and box numbers are not looked at) alone. */
kiln_bake_status kiln_count(const kiln_count_input *input, const kiln_format_adb *how,
                            const kiln_watch *watch, kiln_format_adb_box *boxes);

/* Counts every box whose number is a multiple of `step` again, on this thread. _OK: all are as in
 * `boxes`; _INVALID: *differs is not. Without polygons only what rests on the tree alone is
 * compared. *counted is the number of boxes looked at. */
kiln_bake_status kiln_count_again(const kiln_count_input *input, const kiln_format_adb *how,
                                  const kiln_format_adb_box *boxes, uint32_t step,
                                  uint32_t *differs, uint64_t *counted);

/* 255 (1 - log2 n / log2 N) to the nearest whole number, halves up, 1 <= n <= N; 255 for N = 1.
 * The count-equivalent depth: 0 at the root, 255 where one triangle is left, whatever the tree's
 * shape. */
uint8_t kiln_count_depth(uint32_t n, uint32_t whole);

/* Counting for a tree that was just built. */

/* The factor that the options ask for, or, where that is 0, the one that goes with their area. */
double kiln_count_factor(const kiln_bake_options *options);

/* What the options ask for, as a file records it; grid 0: nothing. Values that a file can't hold
 * become such that kiln_adb_is_sound refuses. */
kiln_format_adb kiln_count_parameters(const kiln_bake_options *options);

/* Fills tree->boxes and box_count. Errors as kiln_count. */
kiln_bake_status kiln_count_build(const kiln_build_kind *kind, const kiln_soup *soup,
                                  const kiln_format_adb *how, const kiln_bake_options *options,
                                  kiln_build_tree *tree);

#endif
