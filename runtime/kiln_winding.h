/* kiln: winding numbers. How often does a surface, closed or not, go around a point?
 *
 *     size_t size = kiln_winding_size(tree);
 *     kiln_winding *winding = NULL;
 *     kiln_winding_answer answer;
 *     if (kiln_winding_place(malloc(size), size, tree, &winding) == KILN_OK &&
 *         kiln_winding_number(winding, &pose, point, NULL, &answer) == KILN_OK)
 *         puts(answer.number - answer.error > 0.5 ? "inside" : "outside, or near the border");
 *
 * The number is the sum of the signed solid angles of all triangles, seen from the point, over 4
 * pi: positive where a triangle shows its back, so that it is 1 inside of a closed mesh whose
 * triangles are counterclockwise seen from outside, and 0 outside. Of a mesh with holes it changes
 * smoothly across them, and 0.5 is a good border of what is inside (Jacobson, Kavan and
 * Sorkine-Hornung, "Robust inside-outside segmentation using generalized winding numbers", 2013).
 * Triangles without area count nothing.
 *
 * On the surface, across which the number jumps, it is the limit of its mean over small balls about
 * the point: what triangles in whose plane the point lies add is 0, and on a face of a closed mesh
 * the number is a half. kiln_winding_answer.surface says so, exactly.
 *
 * Errors. |number - what exact arithmetic gives| <= error, always: for the stored vertices, and the
 * point as it is carried into the tree's frame; at an affine pose for the vertices as carried into
 * the world less the translation of the pose, which is taken off the point. What is the front of a
 * triangle as it is stored stays its front where a pose mirrors it. What is far away is seen as a
 * few numbers for each box of the tree, as Barill, Dickson, Schmidt, Levin and Jacobson do ("Fast
 * winding numbers for soups and clouds", 2018); but how far is far follows from a bound of what
 * that leaves out, which is proved (runtime/winding/moments.c), and of all rounding, not from a
 * ratio that is believed to do.
 *
 * Numbers have the same bits whatever the instruction set, the number of threads and the caller's
 * floating-point environment. They depend, within their errors, on the kind of tree and the
 * accuracy. */
#ifndef KILN_WINDING_H
#define KILN_WINDING_H

#include "kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------- winding numbers -- */

/* A tree's triangles as seen from afar, in the caller's memory. */
typedef struct kiln_winding kiln_winding;

/* Returns the bytes of memory that kiln_winding_place needs for a tree: 1,408 a node with eight
 * children, 704 one with two, about 80 a triangle. 0: NULL, or it would return an error. */
KILN_API size_t kiln_winding_size(const kiln_tree *tree);

/* Sums up the triangles of a tree of any kind, also of a copy that follows moving vertices
 * (kiln_refit_tree), in the `size` bytes at `memory`, at any alignment. *out points into the
 * memory, which the caller releases when it needs it no more; before that neither memory nor tree
 * may move or go away. KILN_ERROR_ARGUMENT (NULL, too small a size), KILN_ERROR_NOT_LOADED (a file
 * without polygons), KILN_ERROR_PARTIAL (not all has arrived): *out is NULL. Any number of threads,
 * each with memory of its own. No allocation. Cost: a visit of each triangle for each node above
 * it: 25 ms for 100,000 triangles. */
KILN_API kiln_status kiln_winding_place(void *memory, size_t size, const kiln_tree *tree,
                                        kiln_winding **out);

/* Does it again after the vertices of a copy have moved (kiln_refit_update); until then queries
 * return KILN_ERROR_ARGUMENT. KILN_ERROR_ARGUMENT: NULL. No query may run at the same time. Cost:
 * as kiln_winding_place. */
KILN_API kiln_status kiln_winding_update(kiln_winding *winding);

/* Initialise them with kiln_winding_options_default, then change members. */
typedef struct {
    size_t struct_size; /* sizeof(kiln_winding_options) of the caller */
    /* Boxes are opened until the error is no larger; 0: down to every triangle. Where the rounding
     * of doubles exceeds it (near edges; below some 1e-10), the error is that, and larger: up to a
     * quarter where the point is beside an edge by its last bits, and some 1e-5 and more where a
     * pose flattens a mesh to 2^-20 of its size, so that it is near the edges of many triangles. */
    double accuracy;
    /* For closed meshes (KILN_MESH_CLOSED), where the number is an integer off the surface: count
     * what a ray crosses instead, exactly (see kiln_locate_point), which is faster, too. */
    bool count_closed;
    /* Is the number above `threshold`? It is refined until its error decides that, whatever the
     * accuracy, or until doubles can't. */
    bool decide;
    double threshold;
    kiln_parallel parallel; /* kiln_winding_numbers; NULL: the calling thread */
    void *parallel_user;
} kiln_winding_options;

/* Returns the defaults: accuracy 0.01, count_closed, no decision, threshold 0.5, one thread. */
KILN_API kiln_winding_options kiln_winding_options_default(void);

/* Of a number and a threshold. */
typedef enum {
    KILN_WINDING_UNDECIDED = 0, /* the error is larger than what they differ by, or none is asked */
    KILN_WINDING_ABOVE = 1,     /* surely above */
    KILN_WINDING_NOT_ABOVE = 2  /* surely below, or equal, which is known of exact numbers only */
} kiln_winding_side;

typedef struct {
    double number;
    double error; /* the exact one is from number - error to number + error; finite, 0 if exact */
    bool exact;   /* an integer that was counted */
    bool surface; /* the point is on a triangle, corners and edges included; exactly so */
    kiln_winding_side side;
} kiln_winding_answer;

/* Computes the winding number of a tree at a pose (NULL: identity) about a point [3] with
 * coordinates up to 1e60. Options NULL: defaults.
 * KILN_ERROR_ARGUMENT: NULL, a coordinate beyond that, an accuracy that is negative or not a
 * number, a threshold that is not finite, vertices that have moved; KILN_ERROR_POSE: *answer is
 * then untouched. Any number of threads. No allocation. Cost: with the default accuracy
 * 10 to 40 us for 10,000 triangles and 20 to 120 for 100,000, up to three times as much near the
 * surface, and about a quarter with accuracy 0.1; with accuracy 0 O(n), and always so at affine
 * poses, since what boxes look like from afar says nothing of how they look stretched: 15 to 20 ns
 * a triangle. Closed meshes that are counted take no longer at these. */
KILN_API kiln_status kiln_winding_number(const kiln_winding *winding, const kiln_pose *pose,
                                         const double point[3], const kiln_winding_options *options,
                                         kiln_winding_answer *answer);

/* The same about points[3 i] to points[3 i + 2] for all i < `count`, to answers[i], on the pool of
 * the options, which changes no bit of them. Where a point is refused, no answer is touched. Both
 * arrays may be NULL when count is 0. */
KILN_API kiln_status kiln_winding_numbers(const kiln_winding *winding, const kiln_pose *pose,
                                          const double *points, size_t count,
                                          const kiln_winding_options *options,
                                          kiln_winding_answer *answers);

#ifdef __cplusplus
}
#endif

#endif
