/* A baked model: the soup and its trees as the sections of a file. */
#ifndef KILN_ASSEMBLE_H
#define KILN_ASSEMBLE_H

#include "../tree/build.h"
#include "../common/soup.h"
#include "container.h"

#include <stdbool.h>

/* Triangles that get trees of their own. */
typedef struct {
    const char *name;          /* UTF-8, unique among the groups */
    const uint32_t *triangles; /* ids; NULL: 0 .. count - 1 */
    uint32_t count;
} kiln_model_group;

/* Group-major: trees[group * kind_count + kind]. The first kind's order is that of the stored
 * triangles, so it needs no order section. */
typedef struct {
    const kiln_soup *soup;
    const kiln_model_group *groups;
    uint32_t group_count;
    const kiln_build_kind *const *kinds;
    uint32_t kind_count;
    kiln_build_tree *trees; /* handed over: see kiln_model_encode */
    int leaf_max;
    const char *meta; /* JSON */
    size_t meta_size;
    const kiln_format_adb *counts;          /* of all trees; grid 0: there are none */
    bool no_geometry;                       /* leave the polygons out; there must be counts then */
    const kiln_format_adb_weights *weights; /* of counted queries, as a file has them */
    uint32_t weight_count;
} kiln_model;

/* The file's bytes; `packed_sizes` [kind_count] gets the stored bytes of each kind's nodes. As
 * kiln_container_write.
 *
 * The arrays of the trees (nodes, order, boxes) are handed over: each is released as soon as the
 * sections hold a copy of it, since what follows needs the room. The trees' numbers stay, and
 * kiln_build_tree_free is still to be called, on success and on failure. */
kiln_bake_status kiln_model_encode(const kiln_model *model, kiln_layout layout,
                                   const uint8_t build_key[16], const kiln_watch *watch,
                                   void **file, size_t *size, uint64_t *packed_sizes);

#endif
