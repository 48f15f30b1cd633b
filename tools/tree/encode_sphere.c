/* Balls: kiln_format_node_sphere, after P. Hubbard, "Approximating polyhedra with spheres for
 * time-critical collision detection", 1996.
 *
 * The ball of a lane is the smallest around the corners of its triangles (ball.c), in a tree that
 * is cut as that of boxes along the axes; or it is that of a construction of spheres.h. Its centre
 * is rounded to the nearest point of the node's grid and the radius measured about that point, then
 * rounded up: as with oriented boxes only the size pays for rounding, and every ball holds its
 * corners. */
#include "../../formats/assert.h"
#include "../../formats/grid.h"
#include "ball.h"
#include "spheres.h"
#include "wide8.h"

#include <math.h>

/* The ball that is wanted for a lane. Other than the smallest it may hold more than its corners,
 * and may not hold them all. */
static void choose_ball(const kiln_cloud *cloud, const kiln_wide *wide, unsigned lane,
                        kiln_ball *ball)
{
    const kiln_range *range = &wide->lane[lane];
    const kiln_spheres *spheres = cloud->spheres;
    if (spheres == NULL) {
        kiln_ball_of(cloud, range->first, range->last, ball);
        ball->radius = 0; /* measured about the centre that is stored */
    } else if (spheres->nodes != NULL) {
        *ball = spheres->nodes[wide->planned].ball[lane];
    } else if (range->last - range->first <= spheres->leaf) {
        kiln_spheres_cover_leaf(cloud, range->first, range->last, ball);
    } else {
        *ball = spheres->covers[range->split];
    }
}

/* Half the surface of the ball through the corners of the bounds, but for a factor that all nodes
 * share. */
static void fit_sphere(const kiln_cloud *cloud, const kiln_range *range,
                       const kiln_measure *measure, kiln_binary_node *node)
{
    double squared = 0;
    (void)cloud;
    (void)range;
    for (unsigned k = 0; k < 3; k++) {
        const double half = 0.5 * (measure->bounds.upper[k] - measure->bounds.lower[k]);
        squared += half * half;
    }
    node->half_area = (float)squared;
}

static void encode(const kiln_cloud *cloud, const kiln_binary *tree, const kiln_wide *wide,
                   kiln_format_node8 *head)
{
    kiln_format_node_sphere *node = (kiln_format_node_sphere *)head;
    kiln_ball ball[8];
    kiln_grid grid[3];
    double greatest = 0;
    (void)tree;
    KILN_ASSERT(wide->lane_count >= 1 && wide->lane_count <= KILN_NODE_WIDTH);
    for (unsigned i = 0; i < wide->lane_count; i++) {
        choose_ball(cloud, wide, i, &ball[i]);
    }
    for (unsigned k = 0; k < 3; k++) {
        double lower = INFINITY, upper = -INFINITY;
        for (unsigned i = 0; i < wide->lane_count; i++) {
            lower = fmin(lower, ball[i].centre[k]);
            upper = fmax(upper, ball[i].centre[k]);
        }
        kiln_grid_choose(lower, upper, &grid[k]);
        head->org[k] = grid[k].org;
        head->exp[k] = grid[k].exp;
    }
    for (unsigned i = 0; i < wide->lane_count; i++) {
        for (unsigned k = 0; k < 3; k++) {
            node->centre[k][i] = kiln_grid_nearest(&grid[k], ball[i].centre[k]);
            ball[i].centre[k] = kiln_grid_point(&grid[k], node->centre[k][i]);
        }
        const double reach =
            kiln_ball_reach(cloud, wide->lane[i].first, wide->lane[i].last, ball[i].centre, NULL);
        ball[i].radius = fmax(ball[i].radius, reach);
        greatest = fmax(greatest, ball[i].radius);
    }
    head->half_exp = kiln_half_exp_of(greatest);
    for (unsigned i = 0; i < wide->lane_count; i++) {
        const uint16_t half = kiln_half_above(ldexp(ball[i].radius, 127 - (int)head->half_exp));
        node->radius[0][i] = (uint8_t)half;
        node->radius[1][i] = (uint8_t)(half >> 8);
    }
}

const kiln_node_encoder kiln_encode_sphere = {false, fit_sphere, encode};
