/* All queries of trees whose boxes may be anything, against what is right: brute force over the
 * triangles, and trees of the same triangles that a bake made. */
#ifndef KILN_TEST_AGREE_H
#define KILN_TEST_AGREE_H

#include "meshes.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    const mesh *mesh;      /* triangles by id */
    const kiln_tree *sure; /* a tree of them that is known to be right */
    kiln_pose at;
} agree_body;

/* What is right of two placed bodies. */
typedef struct {
    agree_body a, b;
    kiln_pair *pairs; /* that meet, ascending */
    size_t count;
    double distance;
    bool far; /* so far apart that distances are exact to 2^-38 only */
} agree_truth;

/* Poses at which a corner of one mesh is at one of the other, or near it, for the size of the
 * smaller or of the larger, or far off; of any rotation, and of the least and the largest scale. */
void agree_draw_poses(agree_body *a, agree_body *b, uint64_t *state);

agree_truth agree_truth_of(const agree_body *a, const agree_body *b);
void agree_free(agree_truth *truth);

/* All queries of two meshes, of trees of these; both orders. NULL: all answers are right, else
 * what is wrong. Pairs of two triangles that are the same in one tree are compared too, where the
 * kinds of tree don't matter. */
const char *agree_on_pair(const agree_truth *truth, const kiln_tree *a, const kiln_tree *b);

/* Rays, shapes and points, some at random near the body and some far off. */
const char *agree_alone(const agree_body *body, const kiln_tree *tree, uint64_t *state);

#endif
