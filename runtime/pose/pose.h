/* Two trees at two poses as one relative placement, formed once in a canonical order. */
#ifndef KILN_POSE_H
#define KILN_POSE_H

#include "../../formats/transform.h"
#include "../base/tree.h"
#include "affine.h"

/* Map from one tree's node space to the other's. */
typedef struct {
    kiln_transform points; /* with the scale */
    float rotation[9];     /* without the scale: of directions */
    float scale;           /* node unit of the source in node units of the target */
    double slack;          /* absolute error of positions, in units of the target */
    bool affine;           /* it makes no boxes of boxes: `rotation` is 0, and by `scale` and no
                            * more vectors get longer */
} kiln_node_map;

/* Of poses of which one is no rotation. Both trees are carried into the frame of comparison: the
 * world, moved so that X's translation is 0. */
typedef struct {
    kiln_transform carry_x; /* X's own frame to that; `carry` of the pair is Y's */
    double inverse[2][9];   /* of the matrices of Y's and X's poses */
    double most_inverse[2]; /* the largest entry of these */
    double room;            /* what positions may be off by, by coordinates */
} kiln_affine_pair;

/* X is carried as stored, Y is transformed into X's frame, which is that of comparison; but see
 * `affine`. */
typedef struct {
    const kiln_tree *x, *y;
    bool swapped;         /* X is the caller's B */
    bool same;            /* one mesh at one place: X is the caller's A, and nothing is moved */
    bool affine;          /* `by` is formed, and distances are those of the world */
    kiln_transform carry; /* p_x = rotation p_y + translation, object frames */
    double scale;         /* of Y by X: what `carry` has beside a rotation */
    union {
        double rotation[9]; /* that */
        kiln_pose world;    /* of an affine pair, to the world: a translation */
    };
    double off;    /* what both poses depart by from orthonormal, at most */
    float epsilon; /* of relative directions, with the roundings of floats */
    kiln_node_map to_x, to_y;
    kiln_affine_pair by;
} kiln_pair_frame;

/* All but the maps between node spaces, then those: a query that the roots decide needs none.
 * KILN_OK, KILN_ERROR_ARGUMENT (null tree) or KILN_ERROR_POSE, which is for all poses but rotations
 * with one scale. Poses NULL: identity. */
kiln_status kiln_pair_frame_relate(kiln_pair_frame *frame, const kiln_tree *a,
                                   const kiln_pose *pose_a, const kiln_tree *b,
                                   const kiln_pose *pose_b);
void kiln_pair_frame_form_maps(kiln_pair_frame *frame);

/* The first, for queries of polygons: what kiln_tree_lack returns where a tree has none. */
kiln_status kiln_pair_frame_relate_polygons(kiln_pair_frame *frame, const kiln_tree *a,
                                            const kiln_pose *pose_a, const kiln_tree *b,
                                            const kiln_pose *pose_b);

/* Both. */
kiln_status kiln_pair_frame_form(kiln_pair_frame *frame, const kiln_tree *a,
                                 const kiln_pose *pose_a, const kiln_tree *b,
                                 const kiln_pose *pose_b);

/* The first two for queries that know affine frames: any sound pose is taken. */
kiln_status kiln_pair_frame_relate_any(kiln_pair_frame *frame, const kiln_tree *a,
                                       const kiln_pose *pose_a, const kiln_tree *b,
                                       const kiln_pose *pose_b);
kiln_status kiln_pair_frame_relate_any_polygons(kiln_pair_frame *frame, const kiln_tree *a,
                                                const kiln_pose *pose_a, const kiln_tree *b,
                                                const kiln_pose *pose_b);

/* Two trees of one mesh at one place: X is the caller's A, unless this is done, before the maps are
 * formed. Which of them it is must not depend on the caller's order where steps are counted. */
void kiln_pair_frame_order_same(kiln_pair_frame *frame);

/* A vertex where a map takes it, as kiln_exact wants it: each coordinate is ((r0 x + r1 y) + r2
 * z) + t, every operation rounded to double; below 2^-250 it counts as 0. Of Y in X's frame: */
void kiln_transform_vertex(const kiln_transform *carry, const float vertex[3], double out[3]);
void kiln_pair_frame_transform(const kiln_pair_frame *frame, const float vertex[3], double out[3]);

/* From the node space of X or Y of an affine pair into the frame of comparison. */
void kiln_pair_frame_node(const kiln_pair_frame *frame, bool is_x, kiln_transform *out);

/* How vertices of X or Y get into the frame of comparison; NULL: as they are stored. */
static inline const kiln_transform *kiln_pair_frame_carry(const kiln_pair_frame *frame, bool is_x)
{
    return !is_x ? &frame->carry : frame->affine ? &frame->by.carry_x : NULL;
}

/* From the frame of comparison to the world; NULL: as they are. The caller's poses. */
static inline const kiln_pose *kiln_pair_frame_world(const kiln_pair_frame *frame,
                                                     const kiln_pose *pose_a,
                                                     const kiln_pose *pose_b)
{
    return frame->affine ? &frame->world : frame->swapped ? pose_b : pose_a;
}

/* Is it a rotation, a translation and one scale? Is it one that any call accepts? In the
 * environment of fpu.h. */
bool kiln_pose_is_sound(const kiln_pose *pose);
bool kiln_pose_is_served(const kiln_pose *pose);

/* Inverse by cofactors: exact for matrices of 0, 1 and -1. */
void kiln_matrix_invert(const double r[9], double out[9]);

static inline double kiln_pose_scale(const kiln_pose *pose)
{
    return pose != NULL ? pose->scale : 1;
}

/* One tree at a pose, for queries in the frame that the pose leads to. */
typedef struct {
    kiln_transform carry; /* from the tree's own frame to that one, without the scale */
    double inverse[9];
    double scale;     /* of the tree, before it is carried */
    double departure; /* the larger of those of the poses from orthonormal */
    bool plain;       /* the tree is where it is: nothing is to be carried */
    /* A pose is no rotation: `carry` has all of it, and its inverse is `inverse` / scale. */
    bool affine;
    bool mirrors; /* it turns the sides of triangles about */
} kiln_placement;

/* What it is without a pose. */
extern const kiln_placement kiln_placement_identity;

/* KILN_OK or KILN_ERROR_POSE, which is for all poses but rotations with one scale. `pose` NULL:
 * identity. */
kiln_status kiln_placement_form(kiln_placement *placement, const kiln_pose *pose);

/* The tree at `pose` in a frame that is at a pose itself. Here `carry` has the scale. */
kiln_status kiln_placement_between(kiln_placement *placement, const kiln_pose *frame,
                                   const kiln_pose *pose);

/* Both for queries that know affine placements: any sound pose is taken. */
kiln_status kiln_placement_form_any(kiln_placement *placement, const kiln_pose *pose);
kiln_status kiln_placement_between_any(kiln_placement *placement, const kiln_pose *frame,
                                       const kiln_pose *pose);

/* Of an affine placement: the map without its translation, and the inverse of that, to measure in
 * the frame that the translation moves to the origin. */
void kiln_placement_centre(const kiln_placement *placement, kiln_transform *carry,
                           double inverse[9]);

/* A point of that frame in the tree's own: inverse (p - translation) / scale, settled as above,
 * each sum from left to right, every operation rounded to double. A direction likewise, without
 * translation and scale. */
void kiln_placement_point(const kiln_placement *placement, const double point[3], double out[3]);
void kiln_placement_direction(const kiln_placement *placement, const double direction[3],
                              double out[3]);

/* The normal of a triangle, a vector across its edges in the tree's own frame, of length 1 or 0, in
 * the frame that the pose leads to: that of the carried triangle in its winding. */
void kiln_placement_normal(const kiln_placement *placement, const double normal[3], double out[3]);

#endif
