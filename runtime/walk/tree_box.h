/* A box of one tree that stands on its own, with what it contains, and the same box as the other
 * tree's nodes see it. */
#ifndef KILN_TREE_BOX_H
#define KILN_TREE_BOX_H

#include "../kernel/kernel.h"
#include "../pose/pose.h"

#include <math.h>
#include <string.h>

/* From here on a probe's extents might come near the largest float, and sums with them past it. */
#define KILN_SCALE_MOST 0x1p100f

/* Only the centre is double. Axes and half-extents are the floats of the lane, and kernels want
 * them as floats again: a kiln_box would be converted there and back for each pair of boxes, to
 * the same numbers, and be half as large again on stacks of more than a hundred levels. */
typedef struct {
    double centre[3]; /* node space of its tree */
    float axis[3][3];
    float half[3];
    float area; /* half the surface, in square units of X's node space */
    kiln_contents contents;
} kiln_tree_box;

static inline float kiln_half_area(const float half[3])
{
    return half[0] * half[1] + half[1] * half[2] + half[2] * half[0];
}

/* Square units of the node space of X or Y in those of X's; on an average of directions where the
 * map is affine. */
static inline float kiln_area_scale(const kiln_pair_frame *frame, bool is_x)
{
    const float squared = frame->to_x.scale * frame->to_x.scale;
    return is_x ? 1.0f : frame->affine ? squared / 3.0f : squared;
}

/* The place and the size of a lane's box; `org` is that of its node. */
static inline void kiln_tree_box_place(const kiln_lane_box *lane, const float org[3],
                                       kiln_tree_box *box)
{
    kiln_lane_box_centre(lane, org, box->centre);
    memcpy(box->axis, lane->axis, sizeof box->axis);
    memcpy(box->half, lane->half, sizeof box->half);
}

/* Lane `lane` of a node of X or Y as a box. */
void kiln_tree_box_lane(const kiln_pair_frame *frame, bool is_x, const kiln_format_node8 *node,
                        unsigned lane, kiln_tree_box *box);

/* The whole tree as a box: the exact bounds of its vertices. A leaf where no node is there yet. */
void kiln_tree_box_root(const kiln_pair_frame *frame, bool is_x, kiln_tree_box *box);

/* Half-axes of a box where a matrix takes them; returned is what they are off by, as a vector,
 * since decoded axes are (kiln_carry_affine). */
double kiln_tree_box_arms(const double matrix[9], const kiln_tree_box *box, double arm[3][3]);

/* The box of a tree in the frame of comparison of an affine frame: one around what the map makes of
 * it, in doubles. It holds what is in the tree's but for what positions are off by, `by.room`. */
void kiln_tree_box_enclose(const kiln_pair_frame *frame, bool is_x, const kiln_tree_box *box,
                           kiln_box *out);

/* kiln_make_probe by a map that is affine. */
void kiln_make_affine_probe(const kiln_node_map *map, const kiln_tree_box *box, const float org[3],
                            float epsilon, kiln_probe *probe);

/* `box` of one tree in the node space of the other, relative to `org` there. The centre is carried
 * in double and rounded once, which moves it by at most 2^-24 of its own size. That is no part of
 * its distance from a lane, which may be far smaller: it goes into the slack, doubled for the
 * roundings of the slack itself. */
static inline void kiln_make_probe(const kiln_node_map *map, const kiln_tree_box *box,
                                   const float org[3], float epsilon, kiln_probe *probe)
{
    double centre[3];
    if (map->affine) {
        kiln_make_affine_probe(map, box, org, epsilon, probe);
        return;
    }
    kiln_transform_point(&map->points, box->centre, centre);
    for (int i = 0; i < 3; i++) {
        probe->centre[i] = (float)(centre[i] - (double)org[i]);
        probe->half[i] = box->half[i] * map->scale;
    }
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            const float *row = map->rotation + 3 * i;
            probe->axis[k][i] =
                row[0] * box->axis[k][0] + row[1] * box->axis[k][1] + row[2] * box->axis[k][2];
        }
    }
    probe->epsilon = epsilon;
    KILN_ASSERT(map->slack >= 0);
    KILN_ASSERT(epsilon >= 0);
    const float size = fabsf(probe->centre[0]) + fabsf(probe->centre[1]) + fabsf(probe->centre[2]);
    const float slack = map->scale < KILN_SCALE_MOST ? (float)map->slack : HUGE_VALF;
    probe->slack = slack + 0x1p-23f * size;
}

/* May the boxes of the whole trees meet? False is a proof that they don't, by separating axes in
 * double with the reasons of kernel_boxes.h, in which 2^-17 is room for the roundings of floats.
 * Needs no maps between node spaces. */
bool kiln_roots_may_meet(const kiln_pair_frame *frame);

/* How far apart the two trees' boxes are, from below, in X's frame; 0: apart, which is all that is
 * known; negative: they may meet. */
double kiln_roots_gap(const kiln_pair_frame *frame);

#endif
