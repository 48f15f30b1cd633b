/* World bounds of a tree and of a shape at a pose.
 *
 * A box that a pose carries is an oriented box, and its bounds along an axis of the world are the
 * middle plus or minus the sum of its half-axes' lengths along it. Two such bounds hold for a tree:
 * those of the exact box of its vertices, and those of the boxes in the lanes of its root node
 * together. The lanes' are tighter where the mesh is rotated, the vertices' where it is not; what
 * both have in common is taken.
 *
 * Rounding. An exact query compares in the frame of one of two trees. Its answer is that of the
 * placed surfaces except for what it rounds, which pose.c bounds by 2^-44 of the sum of all numbers
 * that take part: translations, and coordinates times scales. Distances of triangles are certified
 * to 2^-43 of their extents. Both objects' bounds are widened by 2^-42 of that sum of their own, so
 * that their bounds together have room for these and for the roundings here; and by what
 * coordinates below 2^-250, which count as 0, can amount to. A rotation that is not orthonormal is
 * an affine map to both sides, which is why its departure needs no room. Where one of the poses is
 * no rotation, both meshes are carried into the world, by sums of coordinates times entries of the
 * matrix, of which the largest takes the place of 1. */
#include "scene.h"

#include "../../formats/nodes.h"

#include <math.h>

#define ROOM 0x1p-42        /* of the sizes of all numbers that take part */
#define ROOM_LEAST 0x1p-240 /* in units of the mesh */
#define AXES_ROOM 0x1p-17   /* by which axes of lanes may depart from orthonormal, of kernels */
#define ENTRY_ROTATED 1.001 /* no entry of a rotation is larger */

static const kiln_pose in_place = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}, 1};

/* The box `centre` +- `half` of the tree's own frame, in the world. */
static void carry_box(const kiln_pose *pose, const double centre[3], const double half[3],
                      double room, kiln_scene_box *box)
{
    KILN_ASSERT(room > 0);
    const double scale = pose->scale;
    for (int i = 0; i < 3; i++) {
        const double *row = pose->rotation + 3 * i;
        const double middle =
            ((row[0] * centre[0] + row[1] * centre[1]) + row[2] * centre[2]) * scale +
            pose->translation[i];
        const double reach =
            ((fabs(row[0]) * half[0] + fabs(row[1]) * half[1]) + fabs(row[2]) * half[2]) * scale +
            room;
        box->lower[i] = middle - reach;
        box->upper[i] = middle + reach;
    }
}

/* The largest entry of the matrix, or 1, where it is no larger than a rotation's may be. */
static double entry_of(const kiln_pose *pose)
{
    double most = ENTRY_ROTATED;
    for (int i = 0; i < 9; i++) {
        most = fmax(most, fabs(pose->rotation[i]));
    }
    return most > ENTRY_ROTATED ? most : 1;
}

/* What a box may be off by: `size` is the sum of the largest coordinates of a mesh's own frame. */
static double room_for(const kiln_pose *pose, double size)
{
    const double *t = pose->translation;
    const double placed = (fabs(t[0]) + fabs(t[1])) + fabs(t[2]);
    return ROOM * (placed + size * pose->scale * entry_of(pose)) + ROOM_LEAST * pose->scale;
}

/* Bounds of all lanes of the root. A lane is the set of points within half_k of its centre along
 * axis_k: where the axes are not quite orthonormal it reaches further than they say. */
static void carry_lanes(const kiln_tree *tree, const kiln_pose *pose, double room,
                        kiln_scene_box *box)
{
    const kiln_node_kind *kind = tree->view.kind;
    const kiln_format_node8 *node = kiln_tree_node(tree, 0);
    const unsigned used = kiln_node8_used(node);
    const double unit = kiln_power_of_two(tree->view.entry->scale_exponent);
    const double scale = unit * pose->scale, entry = 2 * entry_of(pose) - 1;
    const double *origin = tree->view.entry->origin;
    kiln_lanes lanes;
    kind->decode(node, &lanes);
    for (int i = 0; i < 3; i++) {
        box->lower[i] = HUGE_VAL;
        box->upper[i] = -HUGE_VAL;
    }
    for (unsigned lane = 0; lane < kind->lanes; lane++) {
        if ((used >> lane & 1) == 0) {
            continue;
        }
        double centre[3], half[3], sides[3][3], spread = 0;
        for (unsigned k = 0; k < 3; k++) {
            half[k] = (double)lanes.half[k][lane];
            spread += half[k] * AXES_ROOM;
            centre[k] = origin[k] + unit * ((double)node->org[k] + (double)lanes.centre[k][lane]);
            for (unsigned j = 0; j < 3; j++) {
                sides[k][j] =
                    kind->aligned ? (j == k ? 1.0 : 0.0) : (double)lanes.axis[3 * k + j][lane];
            }
        }
        for (int i = 0; i < 3; i++) {
            const double *row = pose->rotation + 3 * i;
            const double middle =
                ((row[0] * centre[0] + row[1] * centre[1]) + row[2] * centre[2]) * pose->scale +
                pose->translation[i];
            double reach = spread * entry;
            for (int k = 0; k < 3; k++) {
                const double along =
                    (row[0] * sides[k][0] + row[1] * sides[k][1]) + row[2] * sides[k][2];
                reach += fabs(along) * half[k];
            }
            reach = reach * scale + room;
            box->lower[i] = fmin(box->lower[i], middle - reach);
            box->upper[i] = fmax(box->upper[i], middle + reach);
        }
    }
}

void kiln_scene_bounds_of_tree(const kiln_tree *tree, const kiln_pose *pose, kiln_scene_box *box)
{
    const kiln_format_tree *entry = tree->view.entry;
    double centre[3], half[3], size = 0;
    for (int k = 0; k < 3; k++) {
        const double lower = (double)entry->bounds_lower[k], upper = (double)entry->bounds_upper[k];
        centre[k] = lower / 2 + upper / 2;
        half[k] = upper / 2 - lower / 2;
        size += (fabs(lower) + fabs(upper)) + fabs(entry->origin[k]);
    }
    const double room = room_for(pose, size);
    carry_box(pose, centre, half, room, box);
    if (kiln_tree_is_box(tree)) {
        return;
    }
    kiln_scene_box lanes;
    carry_lanes(tree, pose, room, &lanes);
    /* In a file that lies about its boxes these may be apart: then the vertices' alone count. */
    if (kiln_scene_boxes_meet(box, &lanes)) {
        for (int i = 0; i < 3; i++) {
            box->lower[i] = lanes.lower[i] > box->lower[i] ? lanes.lower[i] : box->lower[i];
            box->upper[i] = lanes.upper[i] < box->upper[i] ? lanes.upper[i] : box->upper[i];
        }
    }
}

/* A ball that a rotation within 1e-6 of orthonormal carries is one within 1e-6 of its radius. Other
 * matrices make an ellipsoid of it, which reaches as far along an axis as their row is long. */
void kiln_scene_bounds_of_shape(const kiln_shape *shape, const kiln_pose *pose, kiln_scene_box *box)
{
    const bool is_box = shape->kind == KILN_SHAPE_BOX;
    const bool is_ball = shape->kind == KILN_SHAPE_SPHERE;
    double centre[3], half[3], size = is_box ? 0 : 3 * shape->radius;
    for (int k = 0; k < 3; k++) {
        const double from = shape->a[k], to = is_ball ? shape->a[k] : shape->b[k];
        centre[k] = from / 2 + to / 2;
        half[k] = is_box ? to / 2 - from / 2 : 0;
        size += fabs(from) + fabs(to);
    }
    carry_box(pose, centre, half, room_for(pose, size), box);
    if (is_box) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        const double *row = pose->rotation + 3 * i;
        double along = 0;
        for (int k = 0; k < 3 && !is_ball; k++) {
            along += row[k] * (shape->b[k] / 2 - shape->a[k] / 2);
        }
        const double row_long = sqrt((row[0] * row[0] + row[1] * row[1]) + row[2] * row[2]);
        const double stretch = fabs(row_long - 1) <= 2e-6 ? 1 : row_long;
        const double reach = (fabs(along) + shape->radius * 1.00001 * stretch) * pose->scale;
        box->lower[i] -= reach;
        box->upper[i] += reach;
    }
}

static kiln_status bound_tree(const kiln_tree *tree, const kiln_pose *pose, kiln_scene_box *box)
{
    if (!kiln_pose_is_served(pose)) {
        return KILN_ERROR_POSE;
    }
    kiln_scene_bounds_of_tree(tree, pose, box);
    return KILN_OK;
}

kiln_status kiln_scene_bound_tree(const kiln_tree *tree, const kiln_pose *pose, kiln_scene_box *box)
{
    if (tree == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, bound_tree);
    const kiln_status status = run(tree, pose != NULL ? pose : &in_place, box);
    kiln_fpu_leave(caller);
    return status;
}

kiln_status kiln_scene_bounds_of(const kiln_tree *tree, const kiln_pose *pose, double lower[3],
                                 double upper[3])
{
    kiln_scene_box box;
    if (lower == NULL || upper == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_status status = kiln_scene_bound_tree(tree, pose, &box);
    if (status == KILN_OK) {
        memcpy(lower, box.lower, sizeof box.lower);
        memcpy(upper, box.upper, sizeof box.upper);
    }
    return status;
}
