/* Balls around what is below each volume of a binary tree: a sphere tree over the hierarchy that
 * the surfaces of its boxes chose (S. Quinlan, "Efficient distance computation between non-convex
 * objects", 1994, whose sphere trees Li and Chen 1998 used, halves along the longest axis).
 *
 * A centre is that of the box of the corners below, then moved towards the corner that is farthest,
 * by less and less (M. Badoiu and K. Clarkson, "Smaller core-sets for balls", 2003); the best of
 * these is kept. A radius is the distance of the farthest corner, so that a ball is as tight as its
 * centre allows, and need not hold the balls below it. */
#include "balls.h"

#include "../../formats/assert.h"

enum { BALL_STEPS = 8, BALL_STACK = 2 * 64 + 2 };

/* One pass over the corners below a volume. */
typedef struct {
    const kiln_tree *tree;
    double unit; /* of node space in 1 */
    double centre[3];
    double lower[3], upper[3];
    double farthest[3], square; /* that corner, and its distance from the centre, squared */
} ball_pass;

static void pass_over_triangle(ball_pass *pass, uint32_t stored)
{
    const double *origin = pass->tree->view.entry->origin;
    for (int c = 0; c < 3; c++) {
        float room[3];
        const float *vertex = kiln_tree_vertex(pass->tree, stored, (unsigned)c, room);
        double p[3], square = 0;
        for (int k = 0; k < 3; k++) {
            p[k] = ((double)vertex[k] - origin[k]) * pass->unit;
            pass->lower[k] = fmin(pass->lower[k], p[k]);
            pass->upper[k] = fmax(pass->upper[k], p[k]);
            square += (p[k] - pass->centre[k]) * (p[k] - pass->centre[k]);
        }
        if (square > pass->square) {
            pass->square = square;
            memcpy(pass->farthest, p, sizeof p);
        }
    }
}

/* All that is below. False: there are no triangles. */
static bool pass_over(ball_pass *pass, kiln_contents below, const float centre[3])
{
    kiln_contents waiting[BALL_STACK];
    unsigned depth = 1;
    bool any = false;
    waiting[0] = below;
    pass->square = -1;
    for (int k = 0; k < 3; k++) {
        pass->centre[k] = (double)centre[k];
        pass->lower[k] = HUGE_VAL;
        pass->upper[k] = -HUGE_VAL;
    }
    while (depth > 0) {
        const kiln_contents of = waiting[--depth];
        for (uint32_t i = 0; i < of.count; i++) {
            pass_over_triangle(pass, kiln_tree_triangle(pass->tree, of.first + i));
            any = true;
        }
        if (of.count == 0) {
            const kiln_format_node8 *node = kiln_tree_node(pass->tree, of.first);
            for (unsigned left = kiln_node8_used(node); left != 0; left &= left - 1) {
                KILN_ASSERT(depth < BALL_STACK);
                waiting[depth++] = kiln_node8_contents(node, (unsigned)__builtin_ctz(left));
            }
        }
    }
    return any;
}

/* Node coordinates are off by 2^-53, as they are within [-1, 1], and their differences from the
 * centre by as much again and 2^-52; squares, sums and the root by some 2^-52 of themselves. All of
 * that is below 2^-48, and the rounding to float below 2^-24 of the radius. */
static float round_radius(double square)
{
    return (float)((sqrt(square) + 0x1p-46) * (1 + 0x1p-22));
}

/* False: there is nothing below, and the ball is of no use. */
static bool make_ball(const kiln_tree *tree, kiln_contents below, kiln_ball *ball)
{
    static const float nowhere[3] = {0, 0, 0};
    ball_pass pass;
    float centre[3];
    double best = HUGE_VAL;
    pass.tree = tree;
    pass.unit = kiln_power_of_two(-tree->view.entry->scale_exponent);
    memset(ball, 0, sizeof *ball);
    if (!pass_over(&pass, below, nowhere)) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        centre[k] = (float)((pass.lower[k] + pass.upper[k]) / 2);
    }
    for (int step = 0; step < BALL_STEPS; step++) {
        (void)pass_over(&pass, below, centre);
        if (pass.square < best) {
            best = pass.square;
            memcpy(ball->centre, centre, sizeof centre);
        }
        for (int k = 0; k < 3; k++) {
            const double from = (double)centre[k];
            centre[k] = (float)(from + (pass.farthest[k] - from) / (step + 2));
        }
    }
    ball->radius = round_radius(best);
    ball->first = below.first;
    ball->below = below.count;
    return true;
}

/* The lanes of a node have the numbers after its own, so those of an inner volume are known before
 * they are made; which of them are in use, only then. */
void kiln_balls_make(const kiln_tree *tree, kiln_ball *balls)
{
    KILN_ASSERT(kiln_tree_has_polygons(tree));
    const kiln_contents all = {0, 0};
    for (uint32_t n = tree->view.entry->node_count; n-- > 0;) {
        const kiln_format_node8 *node = kiln_tree_node(tree, n);
        for (unsigned lane = 0; lane < 2; lane++) {
            kiln_ball *ball = &balls[1 + 2 * n + lane];
            const bool used = (kiln_node8_used(node) >> lane & 1) != 0;
            const kiln_contents below = used ? kiln_node8_contents(node, lane) : all;
            if (!used || !make_ball(tree, below, ball)) {
                memset(ball, 0, sizeof *ball);
            }
        }
    }
    (void)make_ball(tree, all, &balls[0]);
    for (uint32_t i = 0; i < kiln_balls_count(tree); i++) {
        kiln_ball *ball = &balls[i];
        const bool is_inner =
            i == 0 || (kiln_tree_node(tree, (i - 1) / 2)->inner >> (i - 1) % 2 & 1);
        if (is_inner) {
            ball->first = 1 + 2 * ball->first;
            ball->below = KILN_BALL_INNER;
        }
    }
    for (uint32_t i = 0; i < kiln_balls_count(tree); i++) {
        kiln_ball *ball = &balls[i];
        if (!kiln_ball_is_leaf(ball)) {
            for (uint32_t lane = 0; lane < 2; lane++) {
                const kiln_ball *child = &balls[ball->first + lane];
                ball->below |= child->radius > 0 ? 1u << lane : 0u;
            }
        }
    }
}

void kiln_balls_relate(const kiln_pair_frame *frame, kiln_balls_frame *out)
{
    const kiln_format_tree *x = frame->x->view.entry, *y = frame->y->view.entry;
    out->to_x = frame->to_x.points;
    out->scale =
        kiln_power_of_two(y->scale_exponent) * frame->scale * kiln_power_of_two(-x->scale_exponent);
    out->growth = 1 + (double)frame->epsilon;
    const double settled = 0x1p-240 * kiln_power_of_two(-x->scale_exponent);
    out->margin = 2 * (frame->to_x.slack + settled); /* coordinates below 2^-250 count as 0 */
    KILN_ASSERT(out->margin > 0);
}
