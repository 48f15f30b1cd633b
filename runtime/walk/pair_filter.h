/* Pairs of triangles as callers name them, their options of pairs, and the filter in these. */
#ifndef KILN_PAIR_FILTER_H
#define KILN_PAIR_FILTER_H

#include "../base/fpu.h"
#include "../pose/pose.h"

/* The caller's options, as far as its version of the struct goes; NULL: defaults. */
kiln_pair_options kiln_pair_options_of(const kiln_pair_options *options);

/* Ids of two stored triangles in the order of A and B; user values are left 0. */
static inline kiln_pair kiln_pair_ids(const kiln_pair_frame *frame, uint32_t stored_x,
                                      uint32_t stored_y)
{
    KILN_ASSERT(kiln_tree_has_polygons(frame->x));
    KILN_ASSERT(kiln_tree_has_polygons(frame->y));
    const uint32_t x = kiln_tree_id(frame->x, stored_x), y = kiln_tree_id(frame->y, stored_y);
    kiln_pair pair = {x, y, 0, 0};
    if (frame->swapped) {
        pair.a = y;
        pair.b = x;
    }
    return pair;
}

/* Adds the user values. */
void kiln_pair_add_values(const kiln_tree *a, const kiln_tree *b, kiln_pair *pair);

/* All of a pair, and where it is, for the next query. */
kiln_pair kiln_pair_named(const kiln_pair_frame *frame, uint32_t stored_x, uint32_t stored_y);
kiln_hint kiln_pair_hint(const kiln_pair_frame *frame, uint32_t stored_x, uint32_t stored_y);

/* A filter, what stops the query, and the floating-point environment that both are called in. */
typedef struct {
    kiln_pair_filter call; /* NULL: keeps all */
    void *user;
    kiln_stop stop; /* NULL: nothing does */
    void *stop_user;
    bool stopped;
    kiln_fpu_state caller;
} kiln_pair_filter_bound;

/* Made before a query enters its own environment. Returns `filter`, or NULL where all pairs are
 * kept and nothing stops the query. */
kiln_pair_filter_bound *kiln_pair_filter_bind(const kiln_pair_options *options,
                                              kiln_pair_filter_bound *filter);

/* Is the query to end? To be used in the environment of fpu.h; `filter` may be NULL. */
bool kiln_pair_filter_stops(kiln_pair_filter_bound *filter);

/* KILN_ERROR_STOPPED for a query that was ended so, else the status. */
static inline kiln_status kiln_pair_filter_status(const kiln_pair_filter_bound *filter,
                                                  kiln_status status)
{
    return status == KILN_OK && filter != NULL && filter->stopped ? KILN_ERROR_STOPPED : status;
}

/* Calls the filter, in the caller's environment. To be used in that of fpu.h. */
bool kiln_pair_filter_keeps(kiln_pair_filter_bound *filter, const kiln_pair_frame *frame,
                            uint32_t stored_x, uint32_t stored_y);

/* Called for each pair of triangles that meet, by where they are stored in the files of X and Y,
 * or, for boxes, of leaves that overlap, as 0, 0. False stops. */
typedef bool (*kiln_pair_visit)(void *user, const kiln_pair_frame *frame, uint32_t stored_x,
                                uint32_t stored_y);

typedef struct kiln_pair_visitor {
    kiln_pair_visit visit;
    void *user;
    bool nearest_first;             /* for queries that stop at the first hit */
    bool boxes;                     /* leaves are not looked into: trees need no polygons */
    kiln_pair_filter_bound *filter; /* NULL, or pairs that it refuses are passed over */
    /* NULL, or what the walk does is added here; lanes are then tested alike in every instruction
     * set, so that the counts are the same on every machine. */
    kiln_work *work;
} kiln_pair_visitor;

#endif
