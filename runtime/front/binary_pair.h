/* Volumes of two binary trees as nodes of their bounding volume test tree: what is opened, whether
 * two boxes are apart, along which axis and by how much. */
#ifndef KILN_BINARY_PAIR_H
#define KILN_BINARY_PAIR_H

#include "../walk/tree_box.h"

/* A volume: lane L of node N is 2 N + L. The root stands for the whole tree. */
typedef uint32_t kiln_binary_place;
#define KILN_BINARY_ROOT UINT32_MAX
#define KILN_BINARY_NODES_MOST 0x7FFFFFFFu

/* A tree of kind obb2 or aabb2, with a node in whose lane 0 the root is, so that it is read as all
 * others are. */
typedef struct {
    const kiln_tree *tree;
    bool aligned;
    union {
        kiln_format_node8 head;
        kiln_format_node_obb2 oriented;
        kiln_format_node_aabb2 aligned;
    } root;
} kiln_binary_tree;

/* Both trees are of the same of these two kinds. */
bool kiln_binary_takes(const kiln_tree *a, const kiln_tree *b);
void kiln_binary_tree_form(kiln_binary_tree *out, const kiln_tree *tree);

static inline const kiln_format_node8 *kiln_binary_node(const kiln_binary_tree *of,
                                                        kiln_binary_place place)
{
    return place == KILN_BINARY_ROOT ? &of->root.head : kiln_tree_node(of->tree, place >> 1);
}

static inline unsigned kiln_binary_lane(kiln_binary_place place)
{
    return place == KILN_BINARY_ROOT ? 0 : place & 1;
}

static inline kiln_contents kiln_binary_contents(const kiln_binary_tree *of,
                                                 kiln_binary_place place)
{
    return kiln_node8_contents(kiln_binary_node(of, place), kiln_binary_lane(place));
}

/* Children of a volume that is no leaf: *first and, of two, the one behind it. */
static inline unsigned kiln_binary_children(const kiln_binary_tree *of, kiln_contents contents,
                                            kiln_binary_place *first)
{
    KILN_ASSERT(contents.count == 0);
    *first = 2 * contents.first;
    return kiln_popcount8(kiln_node8_used(kiln_tree_node(of->tree, contents.first)));
}

/* A box in the node space of its tree; of aligned trees without axes. */
typedef struct {
    double centre[3];
    float axis[3][3]; /* axis[k] = axis k */
    float half[3];
} kiln_binary_box;

void kiln_binary_box_get(const kiln_binary_tree *of, kiln_binary_place place, kiln_binary_box *box);

/* Longest edge, in units of the node space. */
static inline float kiln_binary_edge(const kiln_binary_box *box)
{
    const float *h = box->half;
    const float most = h[0] > h[1] ? h[0] : h[1];
    return 2 * (most > h[2] ? most : h[2]);
}

/* A map of a node space to the other's: p = points q + offset, with points = scale rotation. */
typedef struct {
    double points[9], offset[3], rotation[9], scale;
    float turn[9];   /* the rotation in floats */
    double lever[9]; /* |points|, raised: what a half-extent reaches */
    double error;    /* of positions, in units of the target */
} kiln_binary_map;

/* Where two trees are in one query: A and B are the caller's, whichever of them is X. */
typedef struct {
    const kiln_binary_tree *a, *b;
    kiln_binary_map to_a, to_b;
    double unit_a, unit_b; /* of node spaces in the world, rounded down by what poses depart by */
    float area_b;          /* a square unit of B's in those of A's */
    bool aligned;
} kiln_binary_frame;

/* The frame has its maps. `world`: scale of X in the world. */
void kiln_binary_frame_form(kiln_binary_frame *out, const kiln_pair_frame *frame, double world,
                            const kiln_binary_tree *a, const kiln_binary_tree *b);

/* Is A's of two boxes that may meet opened, as kiln_pair_walk does? The larger is; a leaf never. */
static inline bool kiln_binary_opens_a(const kiln_binary_frame *frame, const kiln_binary_box *a,
                                       kiln_contents in_a, const kiln_binary_box *b,
                                       kiln_contents in_b)
{
    KILN_ASSERT(in_a.count == 0 || in_b.count == 0);
    return in_b.count != 0 ||
           (in_a.count == 0 && kiln_half_area(a->half) >= kiln_half_area(b->half) * frame->area_b);
}

/* The plane that parts two boxes. */
typedef struct {
    /* Of oriented boxes: a vector of B's node space, not longer than 1, that leads from A to B, and
     * what all of the box of B is above along it, r_B and T_B . L in one (Tropp et al. 2006,
     * section 4.3). Both stay what they are when B moves. Of aligned ones axis[0] is the number of
     * the face axis: 0 to 2 of A, 3 to 5 of B. */
    double support;
    float axis[3];
} kiln_binary_plane;

/* Are the boxes surely apart (section 4.1)? Then a plane between them, and `margin`, Equation 7,
 * in units of the world, above 0: a lower bound of the distance of what is in the boxes. False
 * proves nothing; outputs are then rubbish. */
bool kiln_binary_part(const kiln_binary_frame *frame, const kiln_binary_box *a,
                      const kiln_binary_box *b, kiln_binary_plane *plane, double *margin);

/* The axis-coherence test (section 4.3): Equation 7 along the plane's axis, as above, where the
 * trees are now; 0 or less: nothing is known. */
double kiln_binary_margin(const kiln_binary_frame *frame, kiln_binary_place a, kiln_binary_place b,
                          const kiln_binary_plane *plane);

/* The same of oriented boxes in two parts, for Equation 13: while the rotation of `to_a` stays what
 * it is, the margin is unit_a (rest + along . offset of `to_a`). */
double kiln_binary_rest(const kiln_binary_frame *frame, kiln_binary_place a,
                        const kiln_binary_plane *plane, double along[3]);
void kiln_binary_along(const kiln_binary_frame *frame, const kiln_binary_plane *plane,
                       double along[3]);

#endif
