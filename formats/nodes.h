/* Decoding of nodes. The one formula for each field: the encoder measures its bounds against
 * what these functions return, and the runtime and the verifier read through them, so a decoded box
 * contains what it was built for whatever quantisation did.
 *
 * Only +, -, *, / and conversions that IEEE 754 fixes are used, and every file of kiln is compiled
 * with -ffp-contract=off, so the results are the same bits everywhere. */
#ifndef KILN_NODES_H
#define KILN_NODES_H

#include "assert.h"
#include "format.h"

#include <stdbool.h>
#include <string.h>

/* Eight oriented boxes relative to the node's org, structure of arrays. Axis k of lane i is
 * (axis[3 k + 0][i], axis[3 k + 1][i], axis[3 k + 2][i]). A box is the set of points p with
 * |axis_k . (p - org - centre)| <= half_k for k = 0, 1, 2, taken in exact arithmetic. */
typedef struct {
    float axis[9][8];
    float centre[3][8];
    float half[3][8];
} kiln_lanes;

/* One such box, relative to the same org. */
typedef struct {
    float axis[3][3]; /* axis[k] = axis k */
    float centre[3];
    float half[3];
} kiln_lane_box;

/* Lane `lane` of eight as one; without their axes where the kind's are those of node space. */
static inline void kiln_lanes_get(const kiln_lanes *lanes, bool aligned, unsigned lane,
                                  kiln_lane_box *box)
{
    KILN_ASSERT(lane < KILN_NODE_WIDTH);
    for (unsigned k = 0; k < 3; k++) {
        box->centre[k] = lanes->centre[k][lane];
        box->half[k] = lanes->half[k][lane];
        for (unsigned j = 0; j < 3; j++) {
            box->axis[k][j] = aligned ? (j == k ? 1.0f : 0.0f) : lanes->axis[3 * k + j][lane];
        }
    }
}

/* An oriented box that stands on its own, in whatever frame its owner says. */
typedef struct {
    double centre[3], axis[3][3], half[3];
} kiln_box;

/* The centre of a lane's box in node space. The sum of two floats is rounded once, to double. */
static inline void kiln_lane_box_centre(const kiln_lane_box *lane, const float org[3],
                                        double centre[3])
{
    for (unsigned k = 0; k < 3; k++) {
        centre[k] = (double)org[k] + (double)lane->centre[k];
    }
}

/* A lane's box in node space; `org` is that of its node. */
static inline void kiln_lane_box_place(const kiln_lane_box *lane, const float org[3], kiln_box *box)
{
    kiln_lane_box_centre(lane, org, box->centre);
    for (unsigned k = 0; k < 3; k++) {
        box->half[k] = (double)lane->half[k];
        for (unsigned i = 0; i < 3; i++) {
            box->axis[k][i] = (double)lane->axis[k][i];
        }
    }
}

/* Node `index` of an array: nodes of all kinds begin with the same header and differ in size. */
static inline const kiln_format_node8 *kiln_node_at(const void *nodes, size_t node_size,
                                                    uint32_t index)
{
    KILN_ASSERT(nodes != NULL);
    return (const kiln_format_node8 *)(const void *)((const uint8_t *)nodes + index * node_size);
}

/* All eight counts, lane i in bits 4 i .. 4 i + 3. */
static inline uint32_t kiln_node8_counts(const kiln_format_node8 *node)
{
    uint32_t counts;
    memcpy(&counts, node->count, sizeof counts);
    return counts;
}

static inline unsigned kiln_node8_count(const kiln_format_node8 *node, unsigned lane)
{
    return kiln_node8_counts(node) >> (4u * lane) & 15u;
}

/* Bit i: lane i holds an inner node or a leaf. */
static inline unsigned kiln_node8_used(const kiln_format_node8 *node)
{
    uint32_t bits = kiln_node8_counts(node);
    bits |= bits >> 2;
    bits = (bits | bits >> 1) & 0x11111111u; /* one bit for each count, then drawn together */
    bits = (bits | bits >> 3) & 0x03030303u;
    bits = (bits | bits >> 6) & 0x000F000Fu;
    return node->inner | ((bits | bits >> 12) & 0xFFu);
}

static inline unsigned kiln_popcount8(unsigned bits)
{
    bits = bits - ((bits >> 1) & 0x55u);
    bits = (bits & 0x33u) + ((bits >> 2) & 0x33u);
    return (bits + (bits >> 4)) & 0x0Fu;
}

/* Node index of inner lane `lane`. */
static inline uint32_t kiln_node8_child(const kiln_format_node8 *node, unsigned lane)
{
    return node->child + kiln_popcount8(node->inner & ((1u << lane) - 1u));
}

/* First triangle slot of leaf lane `lane`: it follows the slots of the lanes before it, of which
 * there are at most 7 * 15. */
static inline uint32_t kiln_node8_slot(const kiln_format_node8 *node, unsigned lane)
{
    const uint32_t before = kiln_node8_counts(node) & ((1u << 4u * lane) - 1u);
    const uint32_t pairs = (before & 0x0F0F0F0Fu) + (before >> 4 & 0x0F0F0F0Fu);
    return node->tri + (pairs * 0x01010101u >> 24);
}

/* What a lane contains. */
typedef struct {
    uint32_t first; /* inner: node; leaf: first slot */
    uint32_t count; /* inner: 0; leaf: triangles */
} kiln_contents;

static inline kiln_contents kiln_node8_contents(const kiln_format_node8 *node, unsigned lane)
{
    KILN_ASSERT(lane < KILN_NODE_WIDTH);
    if ((node->inner >> lane & 1) != 0) {
        return (kiln_contents){kiln_node8_child(node, lane), 0};
    }
    return (kiln_contents){kiln_node8_slot(node, lane), kiln_node8_count(node, lane)};
}

/* 2^exponent, for -1022 .. 1023. */
static inline double kiln_power_of_two(int exponent)
{
    KILN_ASSERT(exponent >= -1022 && exponent <= 1023);
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* 2^(exp - 127) as float; exp 1 .. 254 (the verifier refuses 0 and 255). */
static inline float kiln_node8_step(uint8_t exp)
{
    uint32_t bits = (uint32_t)exp << 23;
    float step;
    memcpy(&step, &bits, sizeof step);
    return step;
}

/* 2^(half_exp - 127 + 112): what kiln_half_scaled multiplies by. */
static inline float kiln_half_scale(uint8_t half_exp)
{
    return kiln_node8_step((uint8_t)(half_exp + 112));
}

/* A finite, non-negative IEEE half times 2^(half_exp - 127): the bits moved into place are the
 * half times 2^-112. The product is exact for half_exp from KILN_HALF_EXP_MIN to
 * KILN_HALF_EXP_MAX. Needs denormals not flushed to zero (see runtime/base/fpu.h). */
static inline float kiln_half_scaled(uint16_t half, float scale)
{
    uint32_t bits = (uint32_t)half << 13;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value * scale;
}

/* Rotation from the quantised Rodrigues vector r = tan(angle / 2) * unit axis, whose components are
 * within +-(sqrt(2) - 1) for the smallest of a box's 24 equivalent rotations:
 * s = 2 / (1 + r.r);  R_ii = s r_i^2 + s - 1;  R_ij = s (r_i r_j -+ r_k). Columns are the axes. */
#define KILN_RODRIGUES_STEP 0.00326152428f /* (sqrt(2) - 1) / 127 */

/* In steps that need not be whole: binary nodes store the axes themselves. */
static inline void kiln_rodrigues_steps(float qx, float qy, float qz, float axis[3][3])
{
    const float x = qx * KILN_RODRIGUES_STEP;
    const float y = qy * KILN_RODRIGUES_STEP;
    const float z = qz * KILN_RODRIGUES_STEP;
    const float xx = x * x, yy = y * y, zz = z * z;
    const float xy = x * y, xz = x * z, yz = y * z;
    const float s = 2.0f / (1.0f + ((xx + yy) + zz));
    axis[0][0] = s * xx + (s - 1.0f);
    axis[1][0] = s * (xy - z);
    axis[2][0] = s * (xz + y);
    axis[0][1] = s * (xy + z);
    axis[1][1] = s * yy + (s - 1.0f);
    axis[2][1] = s * (yz - x);
    axis[0][2] = s * (xz - y);
    axis[1][2] = s * (yz + x);
    axis[2][2] = s * zz + (s - 1.0f);
}

static inline void kiln_rodrigues_axes(int8_t qx, int8_t qy, int8_t qz, float axis[3][3])
{
    kiln_rodrigues_steps((float)qx, (float)qy, (float)qz, axis);
}

static inline void kiln_obb8_decode_lane(const kiln_format_node_obb8 *node, unsigned lane,
                                         kiln_lane_box *box)
{
    kiln_rodrigues_axes(node->rotation[0][lane], node->rotation[1][lane], node->rotation[2][lane],
                        box->axis);
    for (unsigned k = 0; k < 3; k++) {
        box->centre[k] = (float)node->centre[k][lane] * kiln_node8_step(node->head.exp[k]);
        box->half[k] = kiln_half_scaled(node->half[k][lane], kiln_half_scale(node->head.half_exp));
    }
}

/* All eight lanes at once; empty lanes hold finite rubbish and are masked by kiln_node8_used.
 *
 * The 24 bytes of rotation and the 24 of centre follow each other, and each is converted together
 * with 8 of the other's that are not used: 32 bytes are whole vectors, and compilers then need no
 * scalar rest, which took longer than everything else here. */
static inline void kiln_obb8_decode(const kiln_format_node_obb8 *node, kiln_lanes *out)
{
    enum { BYTES = offsetof(kiln_format_node_obb8, rotation), EXTRA = 8, WIDTH = 24 + EXTRA };
    KILN_STATIC_ASSERT(offsetof(kiln_format_node_obb8, centre) == BYTES + 24, "bytes in a row");
    const uint8_t *bytes = (const uint8_t *)node + BYTES;
    float rotation[WIDTH], place[WIDTH];
    for (unsigned i = 0; i < WIDTH; i++) {
        rotation[i] = (float)(int8_t)bytes[i] * KILN_RODRIGUES_STEP;
    }
    for (unsigned i = 0; i < WIDTH; i++) {
        place[i] = (float)bytes[24 - EXTRA + i];
    }
    for (unsigned i = 0; i < 8; i++) {
        const float x = rotation[i], y = rotation[8 + i], z = rotation[16 + i];
        const float xx = x * x, yy = y * y, zz = z * z;
        const float xy = x * y, xz = x * z, yz = y * z;
        const float s = 2.0f / (1.0f + ((xx + yy) + zz));
        out->axis[0][i] = s * xx + (s - 1.0f);
        out->axis[3][i] = s * (xy - z);
        out->axis[6][i] = s * (xz + y);
        out->axis[1][i] = s * (xy + z);
        out->axis[4][i] = s * yy + (s - 1.0f);
        out->axis[7][i] = s * (yz - x);
        out->axis[2][i] = s * (xz - y);
        out->axis[5][i] = s * (yz + x);
        out->axis[8][i] = s * zz + (s - 1.0f);
    }
    for (unsigned k = 0; k < 3; k++) {
        const float step = kiln_node8_step(node->head.exp[k]);
        for (unsigned i = 0; i < 8; i++) {
            out->centre[k][i] = place[EXTRA + 8 * k + i] * step;
        }
    }
    const float scale = kiln_half_scale(node->head.half_exp);
    for (unsigned k = 0; k < 3; k++) {
        for (unsigned i = 0; i < 8; i++) {
            out->half[k][i] = kiln_half_scaled(node->half[k][i], scale);
        }
    }
}

/* Axis-aligned: centre and half-extent follow exactly from the two bytes (half steps are exact). */
static inline void kiln_aabb8_decode_lane(const kiln_format_node_aabb8 *node, unsigned lane,
                                          kiln_lane_box *box)
{
    for (unsigned k = 0; k < 3; k++) {
        const float half_step = 0.5f * kiln_node8_step(node->head.exp[k]);
        const int lower = node->lower[k][lane], upper = node->upper[k][lane];
        box->centre[k] = (float)(upper + lower) * half_step;
        box->half[k] = (float)(upper - lower) * half_step;
        for (unsigned j = 0; j < 3; j++) {
            box->axis[k][j] = j == k ? 1.0f : 0.0f;
        }
    }
}

/* All eight lanes without their axes, which are those of node space. Converts whole vectors like
 * kiln_obb8_decode. */
static inline void kiln_aabb8_decode(const kiln_format_node_aabb8 *node, kiln_lanes *out)
{
    enum { BYTES = offsetof(kiln_format_node_aabb8, lower), EXTRA = 8, WIDTH = 24 + EXTRA };
    KILN_STATIC_ASSERT(offsetof(kiln_format_node_aabb8, upper) == BYTES + 24, "bytes in a row");
    const uint8_t *bytes = (const uint8_t *)node + BYTES;
    float lower[WIDTH], upper[WIDTH];
    for (unsigned i = 0; i < WIDTH; i++) {
        lower[i] = (float)bytes[i];
    }
    for (unsigned i = 0; i < WIDTH; i++) {
        upper[i] = (float)bytes[24 - EXTRA + i];
    }
    for (unsigned k = 0; k < 3; k++) {
        const float half_step = 0.5f * kiln_node8_step(node->head.exp[k]);
        for (unsigned i = 0; i < 8; i++) {
            const float low = lower[8 * k + i], high = upper[EXTRA + 8 * k + i];
            out->centre[k][i] = (high + low) * half_step;
            out->half[k][i] = (high - low) * half_step;
        }
    }
}

/* Along which directions a kind of k-DOPs has slabs: the three axes, which every kind has, then
 * diagonals of the unit cube's corners, those of its edges, and zeros. The directions are not
 * normalised: every component is 0, 1 or -1, so that a product by one is exact. The defining
 * list is in node_kinds.c. */
enum {
    KILN_DOP_DIRECTIONS_MAX = 3 + KILN_DOP_SLABS_MAX,
    KILN_DOP_ROOM = 16, /* so that they are whole vectors */
    KILN_DOP_CORNERS = 4
};

typedef struct {
    uint8_t first; /* of the ten diagonals, corners before edges: the first that the kind has */
    uint8_t slabs; /* how many from there on */
    float direction[3][KILN_DOP_ROOM];
} kiln_dop_set;

/* Those of the axes included. */
static inline unsigned kiln_dop_directions(const kiln_dop_set *set)
{
    return 3u + set->slabs;
}

extern const kiln_dop_set kiln_dop6_set, kiln_dop14_set, kiln_dop18_set, kiln_dop24_set,
    kiln_dop26_set;

/* Where the values of a slab are: byte q stands for q * step + start, relative to org.
 *
 * A node's boxes lie within 255 steps of the grid on each axis. Along a diagonal that is 255
 * times the sum of the steps of its axes, from 255 times less those that count negatively. The
 * step is 1/128 more than that sum, and the start one step lower, so that either end is about a
 * step away from what can occur: where sums of steps are rounded, values rounded outward still
 * are from 0 to 255. */
typedef struct {
    float step, start;
} kiln_dop_grid;

static inline kiln_dop_grid kiln_dop_grid_of(const kiln_dop_set *set, const kiln_format_node8 *node,
                                             unsigned slab)
{
    KILN_ASSERT(slab < set->slabs);
    float size[3], below[3];
    for (unsigned k = 0; k < 3; k++) {
        const float along = set->direction[k][3 + slab], step = kiln_node8_step(node->exp[k]);
        size[k] = along != 0.0f ? step : 0.0f;
        below[k] = along < 0.0f ? step : 0.0f;
    }
    const float step = ((size[0] + size[1]) + size[2]) * (1.0f + 0x1p-7f);
    const kiln_dop_grid grid = {step, -255.0f * ((below[0] + below[1]) + below[2]) - step};
    return grid;
}

/* The bytes of a slab: those of all lanes in a row. */
static inline const uint8_t *kiln_dop_lower(const kiln_format_node8 *node, unsigned slab)
{
    return (const uint8_t *)node + sizeof(kiln_format_node_aabb8) + 8 * slab;
}

static inline const uint8_t *kiln_dop_upper(const kiln_dop_set *set, const kiln_format_node8 *node,
                                            unsigned slab)
{
    return kiln_dop_lower(node, set->slabs + slab);
}

/* The slab of a lane is |d . (p - org) - centre| <= half with its direction d, taken in exact
 * arithmetic. */
static inline void kiln_dop_decode_slab(const kiln_dop_set *set, const kiln_format_node8 *node,
                                        unsigned lane, unsigned slab, float *centre, float *half)
{
    const kiln_dop_grid grid = kiln_dop_grid_of(set, node, slab);
    const int lower = kiln_dop_lower(node, slab)[lane];
    const int upper = kiln_dop_upper(set, node, slab)[lane];
    *centre = (float)(upper + lower) * (0.5f * grid.step) + grid.start;
    *half = (float)(upper - lower) * (0.5f * grid.step);
}

/* The radius of a lane as an IEEE half. */
static inline uint16_t kiln_sphere_radius(const kiln_format_node_sphere *node, unsigned lane)
{
    return (uint16_t)(node->radius[0][lane] | node->radius[1][lane] << 8);
}

/* The box of a ball is the cube around it: the volume is the ball about its centre whose radius
 * is the half-extent. */
static inline void kiln_sphere_decode_lane(const kiln_format_node_sphere *node, unsigned lane,
                                           kiln_lane_box *box)
{
    const float radius =
        kiln_half_scaled(kiln_sphere_radius(node, lane), kiln_half_scale(node->head.half_exp));
    for (unsigned k = 0; k < 3; k++) {
        box->centre[k] = (float)node->centre[k][lane] * kiln_node8_step(node->head.exp[k]);
        box->half[k] = radius;
        for (unsigned j = 0; j < 3; j++) {
            box->axis[k][j] = j == k ? 1.0f : 0.0f;
        }
    }
}

/* Without the axes, like kiln_aabb8_decode. */
static inline void kiln_sphere_decode(const kiln_format_node_sphere *node, kiln_lanes *out)
{
    const float scale = kiln_half_scale(node->head.half_exp);
    for (unsigned i = 0; i < 8; i++) {
        const float radius = kiln_half_scaled(kiln_sphere_radius(node, i), scale);
        for (unsigned k = 0; k < 3; k++) {
            out->half[k][i] = radius;
        }
    }
    for (unsigned k = 0; k < 3; k++) {
        const float step = kiln_node8_step(node->head.exp[k]);
        for (unsigned i = 0; i < 8; i++) {
            out->centre[k][i] = (float)node->centre[k][i] * step;
        }
    }
}

/* Binary nodes are decoded by copying. */
static inline void kiln_obb2_decode_lane(const kiln_format_node_obb2 *node, unsigned lane,
                                         kiln_lane_box *box)
{
    for (unsigned k = 0; k < 3; k++) {
        for (unsigned j = 0; j < 3; j++) {
            box->axis[k][j] = node->axis[3 * k + j][lane];
        }
        box->centre[k] = node->centre[k][lane];
        box->half[k] = node->half[k][lane];
    }
}

static inline void kiln_aabb2_decode_lane(const kiln_format_node_aabb2 *node, unsigned lane,
                                          kiln_lane_box *box)
{
    for (unsigned k = 0; k < 3; k++) {
        box->centre[k] = node->centre[k][lane];
        box->half[k] = node->half[k][lane];
        for (unsigned j = 0; j < 3; j++) {
            box->axis[k][j] = j == k ? 1.0f : 0.0f;
        }
    }
}

/* Rows of two numbers as the first four lanes. Kernels take lanes by four: the two that are not
 * used get zeros, with which arithmetic is not slow; the last four are left alone. */
static inline void kiln_rows2_decode(const float (*rows)[2], unsigned count, float (*lanes)[8])
{
    for (unsigned i = 0; i < count; i++) {
        const float four[4] = {rows[i][0], rows[i][1], 0.0f, 0.0f};
        memcpy(lanes[i], four, sizeof four);
    }
}

static inline void kiln_obb2_decode(const kiln_format_node_obb2 *node, kiln_lanes *out)
{
    kiln_rows2_decode(node->axis, 9, out->axis);
    kiln_rows2_decode(node->centre, 3, out->centre);
    kiln_rows2_decode(node->half, 3, out->half);
}

/* Without the axes, like kiln_aabb8_decode. */
static inline void kiln_aabb2_decode(const kiln_format_node_aabb2 *node, kiln_lanes *out)
{
    kiln_rows2_decode(node->centre, 3, out->centre);
    kiln_rows2_decode(node->half, 3, out->half);
}

#endif
