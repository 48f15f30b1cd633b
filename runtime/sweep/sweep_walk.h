/* The first time at which two moving bodies are within a tolerance of each other. */
#ifndef KILN_SWEEP_WALK_H
#define KILN_SWEEP_WALK_H

#include "advance.h"

#include "../query/query.h"
#include "../walk/pair_filter.h"

/* A tree, or the core of a sphere or a capsule: a point or a segment, as a triangle. */
typedef struct {
    const kiln_tree *tree; /* NULL: a core */
    double core[9];        /* in the shape's own frame */
} kiln_sweep_body;

/* Where no contact was found, `best` is NONE. */
#define KILN_SWEEP_NONE 2.0

typedef struct {
    kiln_pair_motion motion;
    kiln_sweep_body a, b;
    bool b_first;                  /* two cores: B's is the first of the two that are compared */
    double radius;                 /* of both shapes together, in the world */
    double tolerance, stride;      /* as kiln_sweep.h says */
    kiln_pair_filter_bound *pairs; /* of two trees; NULL: all count */
    kiln_mesh_filter *triangles;   /* of A's tree and a core; NULL: all count */
    uint64_t steps, budget;
    bool spent, stopped;
    double best; /* the first contact that is known */
    double rest; /* where the budget was spent: nothing is before it but what is in `best` */
    uint32_t stored_a, stored_b; /* triangles of `best` */
    kiln_hint hint;              /* for two trees */
    double frame_time;           /* of `frame`; below 0: none */
    kiln_pair_frame frame;
} kiln_sweep_walk;

/* Corners where a pose takes them, as kiln_exact wants them: rotation (scale * p) + translation. */
void kiln_sweep_corners(const kiln_pose *pose, const double own[9], double placed[9]);

/* Runs the walk; all members up to `budget` are set. In the environment of fpu.h. */
void kiln_sweep_walk_run(kiln_sweep_walk *walk);

#endif
