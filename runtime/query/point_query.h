/* Queries of what is near a point: what nearest_point.c and signed_distance.c share. */
#ifndef KILN_POINT_QUERY_H
#define KILN_POINT_QUERY_H

#include "../exact/point_triangle.h"
#include "../walk/affine_point_walk.h"
#include "../walk/point_walk.h"
#include "query.h"

/* A triangle whose distance is known to lie between bounds: squares, in the units of
 * kiln_near_point. */
typedef struct {
    uint32_t id, slot, stored;
    bool decided; /* its feature is known */
    kiln_nearest_feature feature;
    double lower, upper;
} kiln_near_triangle;

typedef struct kiln_point_query kiln_point_query;

struct kiln_point_query {
    const kiln_tree *tree;
    kiln_placement placement;
    kiln_near_point near; /* of an affine placement in its frame, less its translation */
    kiln_affine_point affine;
    kiln_point_options options;
    kiln_mesh_filter filter;
    double scale;            /* the world's units in those in which distances are measured */
    double beyond;           /* in these */
    double beyond_least;     /* what is below this square is within for sure */
    kiln_near_triangle best; /* of kiln_nearest_point */
    bool found, stopped;
};

/* The caller's options, as far as its version of the struct goes; NULL: defaults. */
kiln_point_options kiln_point_options_of(const kiln_point_options *options);

/* Checks all that a query of one point may refuse, but for the point. In the environment of fpu.h
 * from here on, whose caller's is in q->filter. */
kiln_status kiln_point_query_begin(kiln_point_query *q, const kiln_tree *tree,
                                   const kiln_pose *pose, double beyond);

/* KILN_ERROR_ARGUMENT: a coordinate that is no number or too large. */
kiln_status kiln_point_query_place(kiln_point_query *q, const double point[3]);

/* The nearest triangle of the point in place into q->best, if q->found. KILN_ERROR_STOPPED. */
kiln_status kiln_point_query_nearest(kiln_point_query *q);

/* What the caller gets of that. */
void kiln_point_query_fill(kiln_point_query *q, kiln_surface_point *out);

/* Runs chunks of many points: `chunk` is called with the caller's floating-point environment, for
 * points from `from` on; the first status that is not KILN_OK is that of all. */
typedef struct kiln_point_batch {
    const kiln_tree *tree;
    const kiln_pose *pose;
    const double *points;
    size_t count, size; /* of a chunk */
    const kiln_point_options *options;
    kiln_status (*chunk)(const struct kiln_point_batch *batch, size_t from, size_t to);
    kiln_surface_point *nearest;
    double *distances;
    int status; /* shared by threads */
} kiln_point_batch;

kiln_status kiln_point_batch_run(kiln_point_batch *batch);

#endif
