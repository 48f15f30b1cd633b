/* The parts of descents that are rare or done once: see pair_level.h. */
#include "pair_level.h"

#include "dop_map.h"

/* Do both trees' boxes lie along the same axes? */
static bool are_parallel(const kiln_pair_frame *frame, const kiln_node_map *map)
{
    bool parallel = frame->x->view.kind->aligned && frame->y->view.kind->aligned && !frame->affine;
    for (int i = 0; i < 9; i++) {
        parallel = parallel && map->rotation[i] == (i % 4 == 0 ? 1.0f : 0.0f);
    }
    return parallel;
}

static void make_box_transform(const kiln_pair_frame *frame, bool to_x, bool alike,
                               kiln_box_transform *out)
{
    const kiln_node_map *map = to_x ? &frame->to_x : &frame->to_y;
    for (int j = 0; j < 3; j++) {
        const double *m = map->points.rotation + j;
        const float *r = map->rotation + j;
        out->column_xy[j] = (kiln_two){m[0], m[3]};
        out->column_z[j] = m[6];
        out->rotation[j] = (kiln_quad){r[0], r[3], r[6], 0.0f};
    }
    const double *offset = map->points.translation;
    out->offset_xy = (kiln_two){offset[0], offset[1]};
    out->offset_z = offset[2];
    out->scale = map->scale;
    out->slack = map->scale < KILN_SCALE_MOST ? (float)map->slack : HUGE_VALF;
    out->epsilon = frame->epsilon;
    out->aligned = (to_x ? frame->y : frame->x)->view.kind->aligned;
    out->parallel = are_parallel(frame, map);
    out->alike = alike;
    out->margins = false;
    out->balls = (to_x ? frame->y : frame->x)->view.kind->balls && !frame->affine;
    out->affine = frame->affine;
}

void kiln_descent_make(const kiln_pair_frame *frame, const kiln_pair_visitor *visitor, bool alike,
                       kiln_descent *out)
{
    const kiln_kernel *kernel = kiln_kernel_active();
    KILN_ASSERT(kernel != NULL);
    KILN_ASSERT(visitor->visit != NULL);
    KILN_ASSERT(visitor->boxes || kiln_tree_has_polygons(frame->x));
    KILN_ASSERT(visitor->boxes || kiln_tree_has_polygons(frame->y));
    out->frame = frame;
    out->visitor = visitor;
    out->kernel = kernel;
    out->open[1] = kiln_kernel_of(kernel, frame->x->view.kind)->open;
    out->open[0] = kiln_kernel_of(kernel, frame->y->view.kind)->open;
    make_box_transform(frame, true, alike, &out->to[1]);
    make_box_transform(frame, false, alike, &out->to[0]);
    out->to[1].dops = out->to[0].dops = NULL;
    if (!frame->affine && kiln_dops_are_realigned(frame->x->view.kind, frame->y->view.kind)) {
        kiln_dop_maps_form(frame, out->dops);
        out->to[1].dops = &out->dops[1];
        out->to[0].dops = &out->dops[0];
    }
    out->area_scale[1] = kiln_area_scale(frame, true);
    out->area_scale[0] = kiln_area_scale(frame, false);
}

/* The box's centre in double is a float and a rest, which a float holds to 2^-48 of the centre. */
void kiln_level_begin(const kiln_tree_box *box, bool is_x, float org[3], kiln_level *out)
{
    for (int k = 0; k < 3; k++) {
        org[k] = (float)box->centre[k];
        out->opened.lanes.centre[k][0] = (float)(box->centre[k] - (double)org[k]);
        out->opened.lanes.half[k][0] = box->half[k];
        for (int j = 0; j < 3; j++) {
            out->opened.lanes.axis[3 * k + j][0] = box->axis[k][j];
        }
    }
    out->opened.org = org;
    out->opened.node = NULL;
    out->opened.lane = 0;
    out->opened.balls = false;
    out->area = box->area;
    out->contents = box->contents;
    out->is_x = is_x;
}

bool kiln_level_reaches(const kiln_descent *d, kiln_leaf_pair *leaves, const kiln_level *at,
                        const kiln_level *leaf, double by)
{
    kiln_lane_box lane;
    kiln_tree_box own;
    kiln_leaf_box box;
    KILN_ASSERT(leaf->contents.count != 0);
    kiln_lanes_get(&at->opened.lanes, kiln_level_is_aligned(d, at), at->opened.lane, &lane);
    kiln_tree_box_place(&lane, at->opened.org, &own);
    kiln_leaf_box_form(&box, d->frame, at->is_x, &own);
    box.error += by;
    return kiln_leaf_pair_reach(leaves, d->frame, leaf->is_x, leaf->contents, &box);
}
