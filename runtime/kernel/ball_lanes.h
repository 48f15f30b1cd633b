/* What kernels do to balls in a tree (kernel_balls.h), for spheres/. Every set gives the same
 * answers. */
#ifndef KILN_BALL_LANES_H
#define KILN_BALL_LANES_H

#include "../../formats/nodes.h"

#include <stdbool.h>
#include <stdint.h>

struct kiln_tree;

/* A ball in the frame of a tree, formed by spheres/ball.c, which proves its numbers. */
typedef struct kiln_placed_ball {
    float middle[4];     /* of node space; then 0 */
    double centre[3];    /* of the tree's own frame */
    double low_squared;  /* a point of that frame that is nearer to the centre is in the ball; 0:
                            none is known to be */
    double high_squared; /* one that is further is not */
    float reach; /* in node space; a box that is further from the middle holds no such point;
                            infinite: each may */
} kiln_placed_ball;

/* Eight of them, as the test of one box sees them. */
typedef struct kiln_balls_abreast {
    float middle[3][8], squared[8]; /* squares of the reaches */
} kiln_balls_abreast;

/* A triangle that meets the ball, if `sure`, or may. False stops the walk. */
typedef bool (*kiln_ball_visit)(void *user, uint32_t stored, bool sure);

typedef struct kiln_ball_kernels {
    /* The used lanes of a node whose volumes the ball may meet. */
    uint32_t (*lanes)(const struct kiln_tree *tree, const kiln_placed_ball *ball,
                      const kiln_format_node8 *node);
    /* For a node whose boxes are in steps: bit i of met[lane] for the lanes in `mask`, ball i may
     * meet it. */
    void (*abreast)(const kiln_balls_abreast *balls, const kiln_format_node8 *node, uint32_t mask,
                    uint32_t met[8]);
    /* Visits all triangles below these lanes of a node that the ball may meet, in an order that is
     * the same for all balls and sets. False: it was stopped. */
    bool (*walk)(const struct kiln_tree *tree, const kiln_placed_ball *ball, uint32_t node,
                 uint32_t mask, kiln_ball_visit visit, void *user);
} kiln_ball_kernels;

#endif
