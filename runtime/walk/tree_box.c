/* The roots of two trees as boxes, and whether they may meet.
 *
 * The bounds of a tree are exact, in doubles, so most pairs of objects that are far apart are
 * decided here before any node is read. The test is that of separating axes (Gottschalk, Lin and
 * Manocha, "OBBTree", SIGGRAPH 1996) with all fifteen axes. */
#include "tree_box.h"

#include "../../formats/vector.h"

#include <string.h>

/* The box of a whole tree in its own node space. The half-extents are rounded to floats and then
 * raised by more than that rounding; a tree that is only a box so far counts as a leaf. */
void kiln_tree_box_root(const kiln_pair_frame *frame, bool is_x, kiln_tree_box *box)
{
    const kiln_format_tree *entry = (is_x ? frame->x : frame->y)->view.entry;
    const double unit = kiln_power_of_two(-entry->scale_exponent);
    for (int k = 0; k < 3; k++) {
        const double lower = ((double)entry->bounds_lower[k] - entry->origin[k]) * unit;
        const double upper = ((double)entry->bounds_upper[k] - entry->origin[k]) * unit;
        box->centre[k] = (lower + upper) / 2;
        box->half[k] = (float)((upper - lower) / 2) * 1.000001f + 0x1p-40f;
        for (int j = 0; j < 3; j++) {
            box->axis[k][j] = j == k ? 1.0f : 0.0f;
        }
    }
    box->area = kiln_half_area(box->half) * kiln_area_scale(frame, is_x);
    box->contents.first = 0;
    box->contents.count = kiln_tree_is_box(is_x ? frame->x : frame->y);
}

void kiln_tree_box_lane(const kiln_pair_frame *frame, bool is_x, const kiln_format_node8 *node,
                        unsigned lane, kiln_tree_box *box)
{
    kiln_lane_box decoded;
    KILN_ASSERT(lane < KILN_NODE_WIDTH);
    (is_x ? frame->x : frame->y)->view.kind->decode_lane(node, lane, &decoded);
    kiln_tree_box_place(&decoded, node->org, box);
    box->area = kiln_half_area(box->half) * kiln_area_scale(frame, is_x);
    box->contents = kiln_node8_contents(node, lane);
}

double kiln_tree_box_arms(const double matrix[9], const kiln_tree_box *box, double arm[3][3])
{
    double extents = 0;
    for (int k = 0; k < 3; k++) {
        const double half = (double)box->half[k];
        const double axis[3] = {(double)box->axis[k][0] * half, (double)box->axis[k][1] * half,
                                (double)box->axis[k][2] * half};
        kiln_matrix_apply(matrix, axis, arm[k]);
        extents += half;
    }
    return KILN_ARMS_OFF * extents * kiln_matrix_norm(matrix);
}

void kiln_tree_box_enclose(const kiln_pair_frame *frame, bool is_x, const kiln_tree_box *box,
                           kiln_box *out)
{
    kiln_transform node;
    double arm[3][3];
    kiln_pair_frame_node(frame, is_x, &node);
    const double growth = kiln_tree_box_arms(node.rotation, box, arm);
    kiln_transform_point(&node, box->centre, out->centre);
    kiln_arms_enclose(arm, out->axis, out->half);
    for (int k = 0; k < 3; k++) {
        out->half[k] = out->half[k] * (1 + 0x1p-30) + growth;
    }
}

void kiln_make_affine_probe(const kiln_node_map *map, const kiln_tree_box *box, const float org[3],
                            float epsilon, kiln_probe *probe)
{
    double centre[3], arm[3][3], size = 0;
    KILN_ASSERT(map->affine && map->slack >= 0);
    const double growth = kiln_tree_box_arms(map->points.rotation, box, arm);
    kiln_transform_point(&map->points, box->centre, centre);
    kiln_probe_enclose(arm, growth, probe);
    for (int i = 0; i < 3; i++) {
        probe->centre[i] = (float)(centre[i] - (double)org[i]);
        size += fabs((double)probe->centre[i]);
    }
    probe->epsilon = epsilon;
    probe->slack =
        (map->scale < KILN_SCALE_MOST ? (float)map->slack : HUGE_VALF) + 0x1p-23f * (float)size;
}

/* The two roots, X's along its object's axes, grown by what is uncertain; Y's in the same frame. Of
 * affine frames, two boxes around them, along the axes of X's. */
typedef struct {
    double way[3]; /* from the centre of X's to that of Y's */
    double half_x[3], half_y[3];
    double axes[9]; /* of Y's by columns, along those of X's */
    double margin;
} roots;

/* Both boxes are orthonormal within 2^-30, which is more than all roundings here. */
static void measure_affine_roots(const kiln_pair_frame *frame, roots *r)
{
    kiln_tree_box root;
    kiln_box x, y;
    double way[3], extents = 0;
    kiln_tree_box_root(frame, true, &root);
    kiln_tree_box_enclose(frame, true, &root, &x);
    kiln_tree_box_root(frame, false, &root);
    kiln_tree_box_enclose(frame, false, &root, &y);
    kiln_subtract(y.centre, x.centre, way);
    for (int k = 0; k < 3; k++) {
        r->way[k] = kiln_dot(x.axis[k], way);
        for (int j = 0; j < 3; j++) {
            r->axes[3 * k + j] = kiln_dot(x.axis[k], y.axis[j]);
        }
        r->half_x[k] = x.half[k];
        r->half_y[k] = y.half[k];
        extents += x.half[k] + y.half[k];
    }
    r->margin = 2 * (0x1p-24 * extents + 4 * frame->by.room);
    for (int k = 0; k < 3; k++) {
        r->half_x[k] += r->margin;
    }
}

/* Sizes, and `margin`: twice epsilon of all extents, and what positions may be off by, of which
 * pose.c speaks; the last summand is for coordinates that count as 0. */
static void measure_roots(const kiln_pair_frame *frame, roots *r)
{
    const kiln_format_tree *x = frame->x->view.entry, *y = frame->y->view.entry;
    double extents = 0, places = 0, centre_y[3];
    if (frame->affine) {
        measure_affine_roots(frame, r);
        return;
    }
    memcpy(r->axes, frame->rotation, sizeof r->axes);
    for (int k = 0; k < 3; k++) {
        const double lower = (double)y->bounds_lower[k], upper = (double)y->bounds_upper[k];
        centre_y[k] = (lower + upper) / 2;
        r->half_y[k] = (upper - lower) / 2 * frame->scale;
        places += fabs(centre_y[k]) * frame->scale + fabs(frame->carry.translation[k]);
    }
    for (int k = 0; k < 3; k++) {
        const double lower = (double)x->bounds_lower[k], upper = (double)x->bounds_upper[k];
        const double *row = frame->carry.rotation + 3 * k;
        r->half_x[k] = (upper - lower) / 2;
        r->way[k] = ((row[0] * centre_y[0] + row[1] * centre_y[1]) + row[2] * centre_y[2]) +
                    (frame->carry.translation[k] - (lower + upper) / 2);
        places += fabs(lower + upper);
        extents += r->half_x[k] + r->half_y[k];
    }
    r->margin = 2 * ((double)frame->epsilon * extents + 0x1p-45 * (places + extents) + 0x1p-240);
    for (int k = 0; k < 3; k++) {
        r->half_x[k] += r->margin;
    }
}

/* By how much boxes are apart along the axis that parts them best, or a number that is not
 * positive. Axes of the faces: X's, then Y's. All axes are computed without a branch on each, as
 * which of them parts two boxes can't be predicted. */
static double gap_of_faces(const roots *r, const double c[9])
{
    double gap = -HUGE_VAL;
    for (int k = 0; k < 3; k++) {
        const double *row = c + 3 * k;
        const double reach = (r->half_x[k] + fabs(row[0]) * r->half_y[0]) +
                             (fabs(row[1]) * r->half_y[1] + fabs(row[2]) * r->half_y[2]);
        const double along = fabs(r->way[k]) - reach;
        gap = along > gap ? along : gap;
    }
    for (int j = 0; j < 3; j++) {
        const double distance = (r->way[0] * c[j] + r->way[1] * c[3 + j]) + r->way[2] * c[6 + j];
        const double reach = (r->half_y[j] + fabs(c[j]) * r->half_x[0]) +
                             (fabs(c[3 + j]) * r->half_x[1] + fabs(c[6 + j]) * r->half_x[2]);
        const double along = fabs(distance) - reach;
        gap = along > gap ? along : gap;
    }
    return gap;
}

/* Axis k of X x axis j of Y. They are not longer than 1, so that a gap is not above the true
 * one. */
static double gap_of_edges(const roots *r, const double c[9])
{
    double gap = -HUGE_VAL;
    for (int k = 0; k < 3; k++) {
        const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        for (int j = 0; j < 3; j++) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const double distance = r->way[k2] * c[3 * k1 + j] - r->way[k1] * c[3 * k2 + j];
            const double reach =
                (r->half_x[k1] * fabs(c[3 * k2 + j]) + r->half_x[k2] * fabs(c[3 * k1 + j])) +
                (r->half_y[j1] * fabs(c[3 * k + j2]) + r->half_y[j2] * fabs(c[3 * k + j1])) +
                r->margin;
            const double along = fabs(distance) - reach;
            gap = along > gap ? along : gap;
        }
    }
    return gap;
}

/* False is certain: the margin covers all that rounding and the pose's departure can amount to.
 * True only means that the walk has to look. */
bool kiln_roots_may_meet(const kiln_pair_frame *frame)
{
    roots r;
    measure_roots(frame, &r);
    return !(gap_of_faces(&r, r.axes) > 0) && !(gap_of_edges(&r, r.axes) > 0);
}

/* The margin holds the errors of boxes that meet, whose centres are no further apart than their
 * extents; those of others are held by epsilon of the way between the centres: a distance along an
 * axis errs by less than a quarter of it. */
double kiln_roots_gap(const kiln_pair_frame *frame)
{
    roots r;
    measure_roots(frame, &r);
    const double faces = gap_of_faces(&r, r.axes);
    const double edges = faces > 0 ? faces : gap_of_edges(&r, r.axes);
    const double off =
        (double)frame->epsilon * ((fabs(r.way[0]) + fabs(r.way[1])) + fabs(r.way[2]));
    const double gap = edges - off;
    return edges > 0 ? (gap > 0 && gap < HUGE_VAL ? gap : 0) : -1;
}
