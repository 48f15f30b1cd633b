/* The seam for instruction sets: what a query does to eight boxes at once. Kernels are written
 * once, in files kernel_*.h, in the vocabulary of simd.h, and compiled for each set by
 * kernel_scalar.c, the reference, which is always built, kernel_sse42.c, kernel_avx2.c and
 * kernel_neon.c. What needs a new kernel gives kiln_kernel a member and each of these an
 * include. Every set gives the same bits, but for masks of kiln_open_node. */
#ifndef KILN_KERNEL_H
#define KILN_KERNEL_H

#include "../../formats/assert.h"
#include "../../formats/node_kinds.h"
#include "../../formats/transform.h"
#include "../exact/convex_triangle.h"
#include "../kiln.h"
#include "near_point.h"

#include <math.h>
#include <stdbool.h>

/* One box in the frame of the lanes it is tested against. */
typedef struct {
    float axis[3][3]; /* axis[k] = axis k; orthonormal within `epsilon` */
    float centre[3];  /* relative to the node's org, like the lanes' centres */
    float half[3];
    float epsilon; /* relative error of directions, the pose's departure included */
    float slack;   /* absolute error of positions */
} kiln_probe;

/* A tree, a line in it, and what is done with a triangle that it may meet: see line_walk.h. */
struct kiln_tree;
struct kiln_slab_ray;
struct kiln_line;
struct kiln_found_hit;
typedef bool (*kiln_ray_visit)(void *user, struct kiln_slab_ray *ray, uint32_t slot,
                               uint32_t stored);

/* A few numbers at once, element by element, in vector registers where the machine has them. */
typedef double kiln_two __attribute__((vector_size(16)));
typedef float kiln_quad __attribute__((vector_size(16)));

/* Directions of k-DOPs of one tree as sums of those of another's, each of three at most: what
 * bounds those bounds the sum (walk/dop_map.c). */
typedef struct {
    const kiln_dop_set *own, *other;
    bool edges; /* both have diagonals of edges */
    /* Own direction j is the sum over i of by_other[i][j] times the other's direction i. */
    float by_other[KILN_DOP_DIRECTIONS_MAX][KILN_DOP_ROOM];
    /* The other's direction i is the sum over k of weight[i][k] times own direction index[i][k]. */
    float weight[KILN_DOP_DIRECTIONS_MAX][3];
    uint8_t index[KILN_DOP_DIRECTIONS_MAX][3];
} kiln_dop_map;

/* How boxes of one tree become probes of the other's nodes: p = matrix q + offset by columns, in
 * node spaces, and the same rotation without the scale. */
typedef struct {
    kiln_two column_xy[3], offset_xy;
    double column_z[3], offset_z;
    kiln_quad rotation[3];
    float scale, epsilon, slack;
    bool aligned;             /* the boxes lie along the axes of their node space */
    bool parallel;            /* and along those of the other, whose boxes do, too */
    bool alike;               /* masks are those of `overlap`, which are the same in every set */
    bool margins;             /* so are they then, too, and margins of lanes are formed */
    const kiln_dop_map *dops; /* NULL unless both trees are of k-DOPs */
    bool balls;               /* lanes of the other tree are balls, and stay balls */
    /* The matrix makes no boxes of boxes: `rotation` is 0, and no vector gets longer by more than
     * `scale`. */
    bool affine;
} kiln_box_transform;

/* How the axes of boxes are tested: kernel_boxes.h. */
typedef enum {
    KILN_TEST_PLAIN, /* nothing is fused */
    KILN_TEST_FUSED, /* products are, where the set has that */
    KILN_TEST_SURE,  /* products are, and how far the answer is from the other one is kept */
    KILN_TEST_GAP    /* nothing is fused, and the widest gap is kept */
} kiln_box_test;

static inline bool kiln_test_is_fused(kiln_box_test how)
{
    return how == KILN_TEST_FUSED || how == KILN_TEST_SURE;
}

/* The lanes of a node that was opened against a probe. */
typedef struct {
    kiln_lanes lanes;              /* of axis-aligned nodes without their axes */
    float area[8];                 /* half the surface */
    const float *org;              /* of the node */
    const kiln_format_node8 *node; /* NULL: the lane in hand is a box that is in no node */
    /* Where it is formed: how far all lanes that are used and do not meet the probe are apart from
     * it, from below, in units of node space, up to KILN_MARGIN_MOST; 0: nothing is known. For
     * probes whose scale and slack are below KILN_GAP_RANGE. The same bits in every set. */
    float margin;
    uint32_t order; /* lanes that may meet by distance: octal digits, the nearest lowest */
    uint32_t lane;  /* the one in hand, when this is opened against another */
    bool balls;     /* its volumes are balls; set where the kind's are, by their kernel */
} kiln_decoded_node;

/* Opens a node against the lane in hand of `other`, a box of the other tree: makes it a probe,
 * decodes the node, bit for bit as formats/nodes.h, and tests the lanes; bits as for `overlap`,
 * but unless by->alike a set may find proofs that others miss. What is below such lanes does not
 * meet, so that no answer about triangles depends on it. The order is left alone unless it is
 * wanted and there are two. *probe is the box of `other` in the frame of the lanes. */
typedef uint32_t (*kiln_open_node)(const kiln_format_node8 *node, const kiln_box_transform *by,
                                   const kiln_decoded_node *other, bool in_order,
                                   kiln_decoded_node *out, kiln_probe *probe);

/* Keeps of the lanes in `mask`, whose boxes may meet the probe, those whose volumes may, too.
 * The same bits in every set. */
typedef uint32_t (*kiln_refine_lanes)(const kiln_format_node8 *node, const kiln_probe *probe,
                                      uint32_t mask);

/* What a kind of nodes needs kernels of its own for. */
typedef struct {
    kiln_open_node open;
    kiln_refine_lanes refine; /* NULL: its volumes are boxes */
} kiln_kernel_kind;

/* Lanes that were weighed: kernel_likely.h. Losses are ln(1 + e^z) of log-odds z; those of lanes
 * that are not in the mask are 0. */
enum {
    KILN_LIKELY_MARGIN,
    KILN_LIKELY_LOW,
    KILN_LIKELY_HIGH,
    KILN_LIKELY_RATIO,
    KILN_LIKELY_FLAT_SMALL,
    KILN_LIKELY_FLAT_LARGE,
    KILN_LIKELY_OFFSET,
    KILN_LIKELY_SIZE
};
KILN_STATIC_ASSERT(KILN_LIKELY_SIZE + 1 == KILN_LIKELY_FEATURES, "as many as callers see");

typedef struct {
    float loss[8];
    float sum, most;      /* of the losses */
    float (*features)[8]; /* NULL, or where they are left, KILN_LIKELY_FEATURES rows */
} kiln_weighed_lanes;

/* Weighs lanes of a node, such as the verifier admits, that was opened against `probe`. log_root:
 * log2 of the half-area of the smaller tree, in square units of the node's space. The same bits in
 * every set. */
typedef void (*kiln_weigh_lanes)(const kiln_decoded_node *opened, bool aligned,
                                 const kiln_probe *probe, uint32_t mask,
                                 const kiln_likely_weights *weights, float log_root,
                                 kiln_weighed_lanes *out);

/* A leaf's triangles in one frame, structure of arrays. */
enum { KILN_LEAF_LANES = 16 };
KILN_STATIC_ASSERT(KILN_LEAF_LANES >= KILN_LEAF_TRIANGLES_MAX, "room for a leaf");

typedef struct {
    uint32_t first, count;             /* slots; count 0: none yet */
    double corner[9][KILN_LEAF_LANES]; /* corner[3 c + k]: coordinate k of corner c */
    double lower[3][KILN_LEAF_LANES], upper[3][KILN_LEAF_LANES], extent[3][KILN_LEAF_LANES];
    double normal[3][KILN_LEAF_LANES]; /* of two edges, not normalised */
    double weight[3][KILN_LEAF_LANES]; /* what its parts were computed from, in magnitude */
} kiln_leaf_triangles;

/* A box in the frame of a leaf: every point of it is centre + sum of t_j arm[j] with t_j from -1
 * to 1, each coordinate within `error`. */
typedef struct {
    double centre[3], arm[3][3], error;
} kiln_leaf_box;

typedef struct {
    const char *name;
    /* Bit i of the result: lane i may meet the probe. A clear bit is a proof that it does
     * not. Only the bits of `used` are looked at. */
    uint32_t (*overlap)(const kiln_lanes *lanes, const kiln_probe *probe, uint32_t used);
    /* The same for axis-aligned lanes; lanes->axis is not looked at. */
    uint32_t (*overlap_aligned)(const kiln_lanes *lanes, const kiln_probe *probe, uint32_t used);
    kiln_kernel_kind kinds[KILN_NODE_KIND_COUNT]; /* in the order of kiln_node_kinds */
    /* Fills a leaf with as many triangles as its count says, each three numbers of vertices,
     * carried where `carry` is not NULL. Up to the next multiple of four there must be some to
     * read. */
    void (*load_triangles)(const float *vertices, const uint32_t *const *triangles,
                           const kiln_transform *carry, kiln_leaf_triangles *leaf);
    /* Bit i of pairs[j]: triangle i of x may meet triangle j of y. A clear bit is a proof; of a
     * leaf with itself only for i < j. */
    void (*triangle_pairs)(const kiln_leaf_triangles *x, const kiln_leaf_triangles *y,
                           uint32_t *pairs);
    /* The same for triangles that have more in common than the corners that both have. */
    void (*triangle_pairs_beyond)(const kiln_leaf_triangles *x, const kiln_leaf_triangles *y,
                                  uint32_t *pairs);
    /* May any triangle of the leaf meet what is in the box? False is a proof that none does. */
    bool (*triangles_reach)(const kiln_leaf_triangles *leaf, const kiln_leaf_box *box);
    kiln_weigh_lanes weigh;
    /* Weighed lanes of `mask`, at least two, as octal digits, the likeliest lowest. */
    uint32_t (*order_weighed)(const float loss[8], uint32_t mask);
    /* The order that kiln_open_node leaves, of lanes of `mask`, at least two. */
    uint32_t (*order)(const kiln_decoded_node *opened, const kiln_probe *probe, uint32_t mask);
    /* A lower bound of the distance of each lane from the probe, squared; rubbish for lanes
     * that are not used. `line` is a direction worth to try in the lanes' space, a unit vector
     * or 0. And for axis-aligned lanes. */
    void (*gaps)(const kiln_lanes *lanes, const kiln_probe *probe, const float line[3],
                 float squared[8]);
    void (*gaps_aligned)(const kiln_lanes *lanes, const kiln_probe *probe, const float line[3],
                         float squared[8]);
    kiln_convex_kernels convex;
    /* kiln_slab_ray_form, kiln_line_walk. */
    bool (*ray_form)(const struct kiln_tree *tree, const struct kiln_line *line, double off,
                     struct kiln_slab_ray *ray);
    void (*ray_walk)(const struct kiln_tree *tree, struct kiln_slab_ray *ray, bool only_met,
                     kiln_ray_visit visit, void *user);
    /* kiln_line_find. */
    bool (*ray_find)(const struct kiln_tree *tree, struct kiln_slab_ray *ray, double scale,
                     bool any, struct kiln_found_hit *hit);
    /* kiln_line_ask. */
    int (*ray_ask)(const struct kiln_tree *tree, const kiln_ray *ray, bool any, bool normals,
                   struct kiln_found_hit *hit);
    /* The lanes of a node that this walk enters. */
    uint32_t (*line_lanes)(const struct kiln_tree *tree, const struct kiln_slab_ray *ray,
                           const kiln_format_node8 *node);
    /* kiln_point_walk, kiln_point_visit_slot, and the lanes of a node that such a walk enters. */
    void (*point_walk)(const struct kiln_tree *tree, struct kiln_near_point *near,
                       kiln_point_leaf enters, kiln_point_visit visit, void *user);
    void (*point_slot)(const struct kiln_tree *tree, struct kiln_near_point *near, uint32_t slot,
                       kiln_point_visit visit, void *user);
    uint32_t (*point_lanes)(const struct kiln_tree *tree, const struct kiln_near_point *near,
                            const kiln_format_node8 *node);
    const struct kiln_adb_kernels *adb;         /* adb_lanes.h */
    const struct kiln_moving_kernels *moving;   /* moving_lanes.h */
    const struct kiln_ball_kernels *balls;      /* ball_lanes.h */
    const struct kiln_winding_kernels *winding; /* winding_lanes.h */
} kiln_kernel;

/* The kernels of a kind of nodes. Every row of the table of kinds has its own, so none is
 * another's. */
static inline const kiln_kernel_kind *kiln_kernel_of(const kiln_kernel *kernel,
                                                     const kiln_node_kind *kind)
{
    KILN_ASSERT(kiln_node_kind_index(kind) < KILN_NODE_KIND_COUNT);
    return &kernel->kinds[kiln_node_kind_index(kind)];
}

/* Of the gaps: what of `epsilon` they can do without, and what is left of a square;
 * kernel_gaps.h. */
#define KILN_GAP_SPARED 0x1.8p-18f
#define KILN_GAP_KEPT 0.9999f
#define KILN_GAP_MOST 0x1p126f
/* They are sound for probes whose scale and slack are below this. */
#define KILN_GAP_RANGE 0x1p40f

/* Of the margins: what a distance along an axis may be off by, by its ways; and the largest. */
#define KILN_MARGIN_OFF 0x1p-15f
#define KILN_MARGIN_MOST 0x1p60f

/* Of arms, which a matrix made of a box's half-axes, the box around them, within the room that
 * kernels have for roundings, and `growth`: all of *probe but its centre, epsilon and slack. */
void kiln_probe_enclose(double arm[3][3], double growth, kiln_probe *probe);

/* What decoded axes depart by from those of ideal boxes, of the sum of half-extents. */
#define KILN_ARMS_OFF 0x1p-18

/* The lane in hand of `of` as a probe, by a transform that is affine. */
void kiln_carry_affine(const kiln_box_transform *by, const kiln_decoded_node *of,
                       const float org[3], kiln_probe *probe);

/* The set in use: the best that the processor has. Any thread may call this at any time. */
const kiln_kernel *kiln_kernel_active(void);

/* For tests and benchmarks, which go through all sets on one machine. Set number `index`, scalar
 * being 0, or NULL after the last one that runs here. And: from now on `kernel` is in use, in all
 * threads; NULL: the best again. */
const kiln_kernel *kiln_kernel_runnable(unsigned index);
void kiln_kernel_force(const kiln_kernel *kernel);

/* Those that are built; kernel.c knows which of them run. */
extern const kiln_kernel kiln_kernel_scalar;
#if defined(__x86_64__)
extern const kiln_kernel kiln_kernel_sse42, kiln_kernel_avx2;
#elif defined(__aarch64__)
extern const kiln_kernel kiln_kernel_neon;
#elif defined(__wasm_simd128__)
extern const kiln_kernel kiln_kernel_simd128;
#endif

#endif
