/* Signed distances: the nearest triangle says how far, the winding number which side.
 *
 * The side is that of kiln_locate_point, of the same point in the tree's own frame, so that both
 * agree on what is on the surface: there the distance is exactly 0. */
#include "point_query.h"

#include <math.h>
#include <string.h>

/* Of an affine pose both are of the triangles where it takes them. */
static kiln_place side_in_place(const kiln_point_query *q)
{
    kiln_transform carry;
    double inverse[9];
    if (!q->placement.affine) {
        return kiln_inside_point(q->tree, NULL, NULL, q->near.own);
    }
    kiln_placement_centre(&q->placement, &carry, inverse);
    return kiln_inside_point(q->tree, &carry, inverse, q->near.own);
}

static kiln_status distance_in_place(kiln_point_query *q, double *distance)
{
    const kiln_status status = kiln_point_query_nearest(q);
    if (status != KILN_OK) {
        return status;
    }
    const bool inside = side_in_place(q) == KILN_PLACE_INSIDE;
    *distance = inside ? -HUGE_VAL : HUGE_VAL;
    return KILN_OK;
}

/* A mesh that has an inside, or the error. */
static kiln_status begin_signed(kiln_point_query *q, const kiln_tree *tree, const kiln_pose *pose)
{
    const kiln_status status = kiln_point_query_begin(q, tree, pose, q->options.beyond);
    if (status != KILN_OK) {
        return status;
    }
    return tree->view.entry->closed == KILN_CLOSED_NOT ? KILN_ERROR_OPEN_MESH : KILN_OK;
}

static kiln_status signed_one(kiln_point_query *q, const double point[3], double *distance,
                              kiln_surface_point *nearest)
{
    kiln_status status = kiln_point_query_place(q, point);
    if (status == KILN_OK) {
        status = distance_in_place(q, distance);
    }
    if (status == KILN_OK) {
        kiln_point_query_fill(q, nearest);
        if (nearest->found) {
            *distance = *distance < 0 ? -nearest->distance : nearest->distance;
        }
    }
    return status;
}

static kiln_status run_signed(kiln_point_query *q, const kiln_tree *tree, const kiln_pose *pose,
                              const double point[3], double *distance, kiln_surface_point *nearest)
{
    const kiln_status status = begin_signed(q, tree, pose);
    return status == KILN_OK ? signed_one(q, point, distance, nearest) : status;
}

static void begin_signed_options(kiln_point_query *q, const kiln_point_options *options)
{
    q->options = kiln_point_options_of(options);
    q->filter = (kiln_mesh_filter){q->options.filter, q->options.filter_user, kiln_fpu_enter()};
}

kiln_status kiln_signed_distance(const kiln_tree *tree, const kiln_pose *pose,
                                 const double point[3], const kiln_point_options *options,
                                 double *distance, kiln_surface_point *nearest)
{
    kiln_point_query query;
    kiln_surface_point found;
    double value = 0;
    if (tree == NULL || point == NULL || distance == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    begin_signed_options(&query, options);
    query.options.no_normal = query.options.no_normal || nearest == NULL;
    KILN_FPU_CALL(run, run_signed);
    const kiln_status status = run(&query, tree, pose, point, &value, &found);
    kiln_fpu_leave(query.filter.caller);
    if (status == KILN_OK) {
        *distance = value;
        if (nearest != NULL) {
            *nearest = found;
        }
    }
    return status;
}

static kiln_status signed_of_chunk(kiln_point_query *q, const kiln_point_batch *batch, size_t from,
                                   size_t to)
{
    kiln_surface_point nearest;
    kiln_status status = begin_signed(q, batch->tree, batch->pose);
    for (size_t i = from; i < to && status == KILN_OK; i++) {
        status = signed_one(q, batch->points + 3 * i, batch->distances + i, &nearest);
        q->options.hint = status == KILN_OK && q->found ? q->best.slot : q->options.hint;
    }
    return status;
}

static kiln_status signed_chunk(const kiln_point_batch *batch, size_t from, size_t to)
{
    kiln_point_query query;
    begin_signed_options(&query, batch->options);
    query.options.no_normal = true;
    KILN_FPU_CALL(run, signed_of_chunk);
    const kiln_status status = run(&query, batch, from, to);
    kiln_fpu_leave(query.filter.caller);
    return status;
}

kiln_status kiln_signed_distances(const kiln_tree *tree, const kiln_pose *pose,
                                  const double *points, size_t count,
                                  const kiln_point_options *options, double *distances)
{
    kiln_point_batch batch = {.tree = tree,
                              .pose = pose,
                              .points = points,
                              .count = count,
                              .options = options,
                              .chunk = signed_chunk,
                              .distances = distances};
    if (count != 0 && (points == NULL || distances == NULL)) {
        return KILN_ERROR_ARGUMENT;
    }
    return kiln_point_batch_run(&batch);
}
