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

/* Children of a volume that is no leaf: *first and, of two, the one behind it. A node need not use
 * its lanes, nor lane 0 before lane 1 (rule 20). */
static inline unsigned kiln_binary_children(const kiln_binary_tree *of, kiln_contents contents,
                                            kiln_binary_place *first)
{
    KILN_ASSERT(contents.count == 0);
    const unsigned used = kiln_node8_used(kiln_tree_node(of->tree, contents.first));
    *first = 2 * contents.first + ((used & 1) != 0 ? 0 : 1);
    return kiln_popcount8(used);
}

/* A box in the node space of its tree, in floats; of aligned trees without axes. The fourth number
 * of each is 0. */
typedef struct {
    kiln_quad column[3]; /* column[j][k] is coordinate j of axis k */
    kiln_quad half, centre;
} kiln_binary_box;

/* A number of each of three rows of two. */
static inline kiln_quad kiln_binary_gather(const float (*rows)[2], unsigned step, unsigned lane)
{
    return (kiln_quad){rows[0][lane], rows[step][lane], rows[2 * step][lane], 0.0f};
}

static inline void kiln_binary_box_get(const kiln_binary_tree *of, kiln_binary_place place,
                                       kiln_binary_box *box)
{
    const kiln_format_node8 *head = kiln_binary_node(of, place);
    const unsigned lane = kiln_binary_lane(place);
    const kiln_quad org = {head->org[0], head->org[1], head->org[2], 0.0f};
    if (of->aligned) {
        const kiln_format_node_aabb2 *node = (const kiln_format_node_aabb2 *)(const void *)head;
        box->half = kiln_binary_gather(node->half, 1, lane);
        box->centre = org + kiln_binary_gather(node->centre, 1, lane);
        return;
    }
    const kiln_format_node_obb2 *node = (const kiln_format_node_obb2 *)(const void *)head;
    box->half = kiln_binary_gather(node->half, 1, lane);
    box->centre = org + kiln_binary_gather(node->centre, 1, lane);
    for (int j = 0; j < 3; j++) {
        box->column[j] = kiln_binary_gather(node->axis + j, 3, lane);
    }
}

/* Longest edge, in units of the node space. */
static inline float kiln_binary_edge(const kiln_binary_box *box)
{
    const kiln_quad h = box->half;
    const float most = h[0] > h[1] ? h[0] : h[1];
    return 2 * (most > h[2] ? most : h[2]);
}

static inline float kiln_binary_area(const kiln_binary_box *box)
{
    const kiln_quad h = box->half;
    return h[0] * h[1] + h[1] * h[2] + h[2] * h[0];
}

/* A map of a node space to the other's, in floats: p = point[0] q0 + point[1] q1 + point[2] q2 +
 * offset. */
typedef struct {
    kiln_quad point[3], offset;
    kiln_quad turn[3];  /* the same without the scale: of directions */
    kiln_quad lever[3]; /* |point|, raised: what half-extents reach; of aligned trees only */
    float scale, error; /* of gaps, in units of the target */
} kiln_binary_map;

/* Where two trees are in one query: A and B are the caller's, whichever of them is X. */
typedef struct {
    const kiln_binary_tree *a, *b;
    kiln_binary_map to_a, to_b; /* the second of aligned trees only */
    kiln_quad back[3];          /* directions of A in B */
    double unit_a, unit_b;      /* of node spaces in the world, less what poses depart by */
    float area_b;               /* a square unit of B's in those of A's */
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
           (in_a.count == 0 && kiln_binary_area(a) >= kiln_binary_area(b) * frame->area_b);
}

/* The plane that parts two boxes. */
typedef struct {
    /* Of oriented boxes: a vector of B's node space, not longer than 1, that leads from A to B, and
     * what all of the box of B is above along it, r_B and T_B . L in one (Tropp et al. 2006,
     * section 4.3). Both stay what they are when B moves. Of aligned ones axis[0] is the number of
     * the face axis: 0 to 2 of A, 3 to 5 of B. */
    float axis[3];
    float support;
} kiln_binary_plane;

/* A box of B with what it is in A's node space, for several of A. Of aligned ones it is the box
 * itself. */
typedef struct {
    kiln_binary_box own;
    kiln_quad row[3]; /* row[i][j] is coordinate i of axis j in A's node space */
    kiln_quad half, centre;
} kiln_binary_carried;

void kiln_binary_carry(const kiln_binary_frame *frame, kiln_binary_place b,
                       kiln_binary_carried *out);

/* Are the boxes surely apart (section 4.1)? Then a plane between them, and `margin`, Equation 7,
 * in units of the world, above 0: a lower bound of the distance of what is in the boxes. False
 * proves nothing; outputs are then rubbish. */
bool kiln_binary_part(const kiln_binary_frame *frame, const kiln_binary_box *a,
                      const kiln_binary_carried *b, kiln_binary_plane *plane, double *margin);

/* ------------------------------------------- margins; binary_pair.c has why they are any */

#define KILN_BINARY_AXES_ROOM 0x1p-17f        /* of the sum of half-extents */
#define KILN_BINARY_LEVER_ROOM (1 + 0x1p-20f) /* times half-extents of aligned boxes */

/* |v|, number by number. */
static inline kiln_quad kiln_quad_absolute(kiln_quad v)
{
    typedef int32_t bits __attribute__((vector_size(16)));
    return (kiln_quad)((bits)v & 0x7FFFFFFF);
}

static inline float kiln_quad_sum(kiln_quad v)
{
    return (v[0] + v[1]) + v[2];
}

/* m v, with the columns of m. */
static inline kiln_quad kiln_quad_times(const kiln_quad m[3], float x, float y, float z)
{
    return (m[0] * x + m[1] * y) + m[2] * z;
}

/* How far a box reaches from its centre along l. */
static inline float kiln_binary_reach(const kiln_binary_box *box, kiln_quad l)
{
    const kiln_quad dots = kiln_quad_times(box->column, l[0], l[1], l[2]);
    return kiln_quad_sum(box->half * (kiln_quad_absolute(dots) + KILN_BINARY_AXES_ROOM));
}

static inline kiln_quad kiln_binary_direction(const kiln_binary_frame *frame,
                                              const kiln_binary_plane *plane)
{
    return kiln_quad_times(frame->to_a.turn, plane->axis[0], plane->axis[1], plane->axis[2]);
}

/* s support - l c_A - r_A */
static inline float kiln_binary_rest_along(const kiln_binary_frame *frame, const kiln_binary_box *a,
                                           float support, kiln_quad l)
{
    return (frame->to_a.scale * support - kiln_quad_sum(l * a->centre)) - kiln_binary_reach(a, l);
}

static inline double kiln_binary_margin_from(const kiln_binary_frame *frame, float rest,
                                             kiln_quad l)
{
    const float gap = (rest + kiln_quad_sum(l * frame->to_a.offset)) - frame->to_a.error;
    return frame->unit_a * (double)gap;
}

static inline double kiln_binary_margin_oriented(const kiln_binary_frame *frame,
                                                 const kiln_binary_box *a,
                                                 const kiln_binary_plane *plane)
{
    const kiln_quad l = kiln_binary_direction(frame, plane);
    return kiln_binary_margin_from(frame, kiln_binary_rest_along(frame, a, plane->support, l), l);
}

/* Two parts of the margin of oriented boxes, for Equation 13: as long as the rotation of `to_a`
 * stays what it is, so does the first, and no box is looked at. */
static inline float kiln_binary_rest(const kiln_binary_frame *frame, const kiln_binary_box *a,
                                     const kiln_binary_plane *plane)
{
    return kiln_binary_rest_along(frame, a, plane->support, kiln_binary_direction(frame, plane));
}

static inline double kiln_binary_margin_of(const kiln_binary_frame *frame, float rest,
                                           const kiln_binary_plane *plane)
{
    return kiln_binary_margin_from(frame, rest, kiln_binary_direction(frame, plane));
}

/* Along one of them: only T_i is computed (section 4.3). */
static inline float kiln_binary_gap_aligned(const kiln_binary_map *map, int i,
                                            const kiln_binary_box *at, const kiln_binary_box *other)
{
    const kiln_quad c = other->centre, h = other->half;
    const kiln_quad *point = map->point, *lever = map->lever;
    const float way =
        (((point[0][i] * c[0] + point[1][i] * c[1]) + point[2][i] * c[2]) + map->offset[i]) -
        at->centre[i];
    const float reach = at->half[i] * KILN_BINARY_LEVER_ROOM +
                        ((lever[0][i] * h[0] + lever[1][i] * h[1]) + lever[2][i] * h[2]);
    return fabsf(way) - reach - map->error;
}

static inline double kiln_binary_margin_aligned(const kiln_binary_frame *frame,
                                                const kiln_binary_box *a, const kiln_binary_box *b,
                                                int face)
{
    return face < 3 ? frame->unit_a * (double)kiln_binary_gap_aligned(&frame->to_a, face, a, b)
                    : frame->unit_b * (double)kiln_binary_gap_aligned(&frame->to_b, face - 3, b, a);
}

/* The axis-coherence test (section 4.3): Equation 7 along the plane's axis, as above, where the
 * trees are now; not above 0: nothing is known. */
static inline double kiln_binary_margin(const kiln_binary_frame *frame, const kiln_binary_box *a,
                                        kiln_binary_place b, const kiln_binary_plane *plane)
{
    if (!frame->aligned) {
        return kiln_binary_margin_oriented(frame, a, plane);
    }
    kiln_binary_box box;
    kiln_binary_box_get(frame->b, b, &box);
    return kiln_binary_margin_aligned(frame, a, &box, (int)plane->axis[0]);
}

#endif
