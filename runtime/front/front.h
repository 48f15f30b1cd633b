/* The inside of a front, and what its methods are. */
#ifndef KILN_FRONT_INSIDE_H
#define KILN_FRONT_INSIDE_H

#include "../kiln_front.h"
#include "../walk/leaf_pair.h"

enum { KILN_FRONT_CAPACITY_MOST = 1 << 24, KILN_FRONT_ALIGNMENT = 64 };

/* What a method does. front.c relates the poses, sums up the motion and answers what the free
 * motion or, for methods that want it, the last pair decide; the method does the rest. */
typedef struct {
    /* May these trees and options be taken? */
    bool (*takes)(const kiln_tree *a, const kiln_tree *b, const kiln_front_options *options);
    /* Bytes that it needs, and what it makes of them, aligned to KILN_FRONT_ALIGNMENT:
     * front->index, with nothing remembered. */
    size_t (*size)(const kiln_tree *a, const kiln_tree *b, const kiln_front_options *options);
    void (*place)(kiln_front *front, uint8_t *memory);
    void (*reset)(kiln_front *front);
    /* Is the motion since the last query of use? Else it is not summed up, and front->motion is
     * HUGE_VAL. NULL: always. */
    bool (*wants_motion)(const kiln_front *front);
    /* A query at front->frame, which has no maps yet, in the environment of fpu.h: passes every
     * pair that meets to the visitor, each once, until that returns false. Returns a length of the
     * world that the surfaces are surely apart, or 0: they meet, or nothing is known. */
    double (*run)(kiln_front *front, const kiln_pair_visitor *visitor);
    /* Free motion and the pair that met last are made use of (else every query is run, as
     * published). */
    bool shortcuts;
} kiln_front_way;

/* Tree 1 as tree 0 sees it, and what a length of tree 0's frame is in the world. Tree 0 is A, or
 * the one that is X for all poses. */
typedef struct {
    kiln_transform carry;
    double scale, unscaled, world; /* of tree 1 by tree 0, 1 by that; a length of tree 0's frame */
    double back[3];                /* the translation as tree 1 sees it, in units of tree 0 */
    double off;                    /* what the poses depart by from orthonormal */
    bool inverted;                 /* tree 1 is X: tree 0 is the one that is carried */
} kiln_front_place_of;

struct kiln_front {
    const kiln_tree *a, *b;
    kiln_front_options options;
    const kiln_front_way *way;
    void *index;  /* the method's */
    bool b_first; /* tree 0 is B */
    /* Boxes of trees 0 and 1 in their own frames. */
    double centre[2][3], half[2][3];
    /* Of the query in hand. */
    kiln_pair_frame frame;
    double world;  /* what a length of X's frame is in the world, by tree 0's frame and at least */
    double motion; /* since the method ran last, in the world; HUGE_VAL: nothing is known of it */
    double travelled; /* the sum of all motions; it grows with each that is not 0 */
    /* e_o: longest edge of the smaller of both root boxes, in the world. At affine poses no method
     * runs, and this is the sum of all magnitudes, by which rounding errors are bounded. */
    double size;
    /* From the last query. */
    bool has_last, last_affine; /* the latter: `poses` in place of `last` */
    kiln_front_place_of last;
    kiln_pose poses[2]; /* of A and of B */
    double free_until;  /* nothing meets as long as `travelled` is below */
    kiln_hint hint;     /* triangles that met or were nearest */
    bool hint_met;
    int pair_credit; /* of trying these first */
    kiln_front_info counts;
    /* For tests: the method runs at every query, and keeps what it can whatever that costs. */
    bool always;
};

/* What is tried before a query, since it may make that superfluous, is tried while it pays: a
 * success earns as many failures as it costs less than the query, and where they are used up it is
 * tried now and then. */
enum { KILN_FRONT_CREDIT_MOST = 12, KILN_FRONT_SELDOM = 32 };

static inline bool kiln_front_pays(const kiln_front *front, int credit)
{
    return credit > 0 || front->counts.queries % KILN_FRONT_SELDOM == 0;
}

static inline void kiln_front_credit(int *credit, bool succeeded, int earned)
{
    *credit += succeeded ? earned : -1;
    *credit = *credit < KILN_FRONT_CREDIT_MOST ? *credit : KILN_FRONT_CREDIT_MOST;
    *credit = *credit > 0 ? *credit : 0;
}

extern const kiln_front_way kiln_front_auto;
extern const kiln_front_way kiln_front_published;
extern const kiln_front_way kiln_front_separation; /* and the deferred and recursive ones */

#endif
