/* A time-critical query from the inside: its state, and what the files of this folder do for it. */
#ifndef KILN_ADB_QUERY_H
#define KILN_ADB_QUERY_H

#include "adb_estimate.h"
#include "adb_frontier.h"
#include "../base/fpu.h"
#include "../walk/pair_walk.h"

/* The loss of a pair that was seen to meet: its p is 1 in double. */
#define KILN_ADB_CERTAIN 64.0f

struct kiln_adb {
    bool begun; /* kiln_adb_begin succeeded */
    bool decided;
    kiln_adb_verdict verdict; /* if decided */
    bool exact;               /* "yes" with `found` */
    kiln_pair found;
    uint32_t counted; /* pairs as probable as p_min */
    uint64_t pairs;
    uint64_t unfounded; /* pairs of leaves that are unlike, weighed and not tested */
    kiln_pair_frame frame;
    kiln_tree_box root_x, root_y;
    kiln_adb_grid grid_x, grid_y;
    bool has_polygons;    /* both trees: triangles can be tested */
    uint8_t few_x, few_y; /* LB from which on a box holds few triangles */
    const kiln_adb_kernels *kernels;
    kiln_refine_lanes refine[2]; /* of lanes of Y, of X; NULL: volumes are boxes */
    kiln_adb_options options;
    kiln_adb_weights weights;
    float count_from, open_from; /* p_min and epsilon as losses */
    float root_from;             /* what an answer by p_min says, as a loss */
    kiln_adb_frontier frontier;
    kiln_fpu_state caller; /* while the query runs */
};

/* The box of an entry in tree X or Y. */
void kiln_adb_entry_box(const kiln_adb *query, const kiln_adb_entry *entry, bool is_x,
                        kiln_tree_box *box);

/* Puts the roots into the frontier, or decides the query: they are apart, or alike and so
 * probable that an answer is as sure as one by p_min. Roots that are not alike are weighed only
 * when an answer is wanted. */
void kiln_adb_meet_roots(kiln_adb *query);

/* l of an entry. */
float kiln_adb_entry_loss(const kiln_adb *query, const kiln_adb_entry *entry);

/* Weighs what is directly below a pair that is not two leaves, and puts it into the frontier.
 * Returns when all is done or k_min pairs counted; then the query is decided. */
void kiln_adb_open_pair(kiln_adb *query, const kiln_adb_entry *entry, const kiln_tree_box *x,
                        const kiln_tree_box *y);

/* The weights fitted for two trees. */
kiln_adb_weights kiln_adb_weights_of(const kiln_tree *a, const kiln_tree *b);

#endif
