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
    /* A query at front->frame, which has no maps yet, in the environment of fpu.h: passes every
     * pair that meets to the visitor, each once, until that returns false. Returns a length in X's
     * frame that the surfaces are surely apart, or 0: they meet, or nothing is known. */
    double (*run)(kiln_front *front, const kiln_pair_visitor *visitor);
    /* Free motion and the pair that met last are made use of (else every query is run, as
     * published). */
    bool shortcuts;
} kiln_front_way;

struct kiln_front {
    const kiln_tree *a, *b;
    kiln_front_options options;
    const kiln_front_way *way;
    void *index; /* the method's */
    /* Of the query in hand. */
    kiln_pair_frame frame;
    double motion;    /* since the last query, in the world; HUGE_VAL: there was none */
    double travelled; /* the sum of all motions since something was first remembered */
    double size;      /* e_o: longest edge of the smaller of both root boxes, in the world */
    /* From the last query. */
    bool has_last;
    bool last_swapped;
    kiln_transform last_carry; /* Y to X */
    double last_scale;         /* of the frame, and of X in the world */
    double last_world;
    double free_until; /* as long as `travelled` is below, nothing meets */
    kiln_hint hint;    /* triangles that met or were nearest */
    bool hint_met;
    kiln_front_info counts;
};

extern const kiln_front_way kiln_front_auto;

#endif
