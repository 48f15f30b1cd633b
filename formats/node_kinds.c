/* The rows of node kinds, made from the list in node_kinds.h, and what the verifier requires of
 * the fields of each kind.
 *
 * The checks are written for what a walk relies on: once they have passed, every decoded number
 * is finite and in the range for which the kernels' error bounds are proved. Whether a box holds
 * its triangles is not checked here but by the audit (tools/encode/audit.c), since no memory
 * access depends on it. */
#include "node_kinds.h"

#include "assert.h"

#include <math.h>

enum { HALF_INFINITY = 0x7C00 }; /* and above: infinities, NaN, negative numbers */

/* ------------------------------------------------------------------------- quantised nodes -- */

static bool obb8_reserved_is_zero(const kiln_format_node8 *node)
{
    (void)node; /* half_exp is in use */
    return true;
}

/* A byte of -128 has no counterpart, so it is no value of a rotation. The exponent is within the
 * range in which half-extents and their products stay normal floats. */
static bool obb8_lane_is_sound(const kiln_format_node8 *node, unsigned lane)
{
    const kiln_format_node_obb8 *n = (const kiln_format_node_obb8 *)(const void *)node;
    return n->head.half_exp >= KILN_HALF_EXP_MIN && n->head.half_exp <= KILN_HALF_EXP_MAX &&
           n->rotation[0][lane] != -128 && n->rotation[1][lane] != -128 &&
           n->rotation[2][lane] != -128 && n->half[0][lane] < HALF_INFINITY &&
           n->half[1][lane] < HALF_INFINITY && n->half[2][lane] < HALF_INFINITY;
}

static bool aabb8_reserved_is_zero(const kiln_format_node8 *node)
{
    return node->half_exp == 0;
}

/* Any bytes in order are a box: its half-extents are then 0 or more, and finite. */
static bool aabb8_lane_is_sound(const kiln_format_node8 *node, unsigned lane)
{
    const kiln_format_node_aabb8 *n = (const kiln_format_node_aabb8 *)(const void *)node;
    return n->lower[0][lane] <= n->upper[0][lane] && n->lower[1][lane] <= n->upper[1][lane] &&
           n->lower[2][lane] <= n->upper[2][lane];
}

/* ----------------------------------------------------------------------------------- k-DOPs -- */

/* The axes; diagonals of corners, of which DOP24 has no first; diagonals of edges. */
#define AXES_X 1, 0, 0
#define AXES_Y 0, 1, 0
#define AXES_Z 0, 0, 1
#define CORNERS_X 1, 1, 1
#define CORNERS_Y -1, 1, -1
#define CORNERS_Z 1, -1, -1
#define EDGES_X 1, 1, 1, 1, 0, 0
#define EDGES_Y 1, -1, 0, 0, 1, 1
#define EDGES_Z 0, 0, 1, -1, 1, -1

const kiln_dop_set kiln_dop6_set = {0, 0, {{AXES_X}, {AXES_Y}, {AXES_Z}}};
const kiln_dop_set kiln_dop14_set = {
    0, 4, {{AXES_X, 1, CORNERS_X}, {AXES_Y, 1, CORNERS_Y}, {AXES_Z, 1, CORNERS_Z}}};
const kiln_dop_set kiln_dop18_set = {
    4, 6, {{AXES_X, EDGES_X}, {AXES_Y, EDGES_Y}, {AXES_Z, EDGES_Z}}};
const kiln_dop_set kiln_dop24_set = {
    1,
    9,
    {{AXES_X, CORNERS_X, EDGES_X}, {AXES_Y, CORNERS_Y, EDGES_Y}, {AXES_Z, CORNERS_Z, EDGES_Z}}};
const kiln_dop_set kiln_dop26_set = {0,
                                     10,
                                     {{AXES_X, 1, CORNERS_X, EDGES_X},
                                      {AXES_Y, 1, CORNERS_Y, EDGES_Y},
                                      {AXES_Z, 1, CORNERS_Z, EDGES_Z}}};

/* The box and the slabs are checked alike; they need not touch each other. As the steps of every
 * node are bounded (check.c), a slab is finite. */
static bool dop_lane_is_sound(const kiln_dop_set *set, const kiln_format_node8 *node, unsigned lane)
{
    bool sound = aabb8_lane_is_sound(node, lane);
    for (unsigned j = 0; j < set->slabs; j++) {
        sound = sound && kiln_dop_lower(node, j)[lane] <= kiln_dop_upper(set, node, j)[lane];
    }
    return sound;
}

/* Along the diagonals; the box is looked at apart. In double p - org is off by one rounding, the
 * sum of its coordinates by two more, and less the centre by one: u = 2^-53 times the sum of
 * magnitudes each. 8 u are taken. */
static double dop_beyond(const kiln_dop_set *set, const kiln_format_node8 *node, unsigned lane,
                         const double point[3])
{
    double from[3], sizes = 0.0, worst = -HUGE_VAL;
    for (unsigned k = 0; k < 3; k++) {
        from[k] = point[k] - (double)node->org[k];
        sizes += fabs(point[k]) + fabs((double)node->org[k]);
    }
    for (unsigned j = 0; j < set->slabs; j++) {
        float centre, half;
        kiln_dop_decode_slab(set, node, lane, j, &centre, &half);
        const double along = ((double)set->direction[0][3 + j] * from[0] +
                              (double)set->direction[1][3 + j] * from[1]) +
                             (double)set->direction[2][3 + j] * from[2];
        const double over =
            fabs(along - (double)centre) - (double)half - 0x1p-50 * (sizes + fabs((double)centre));
        if (!(over <= worst)) {
            worst = over > worst ? over : HUGE_VAL; /* NaN proves nothing */
        }
    }
    return worst;
}

#define DOP_CHECKS(kind)                                                                           \
    static bool kind##_lane_is_sound(const kiln_format_node8 *node, unsigned lane)                 \
    {                                                                                              \
        return dop_lane_is_sound(&kiln_##kind##_set, node, lane);                                  \
    }                                                                                              \
    static double kind##_beyond(const kiln_format_node8 *node, unsigned lane,                      \
                                const double point[3])                                             \
    {                                                                                              \
        return dop_beyond(&kiln_##kind##_set, node, lane, point);                                  \
    }
DOP_CHECKS(dop6)
DOP_CHECKS(dop14)
DOP_CHECKS(dop18)
DOP_CHECKS(dop24)
DOP_CHECKS(dop26)

/* ---------------------------------------------------------------------------------- balls -- */

static bool sphere_reserved_is_zero(const kiln_format_node8 *node)
{
    (void)node; /* half_exp is in use */
    return true;
}

static bool sphere_lane_is_sound(const kiln_format_node8 *node, unsigned lane)
{
    const kiln_format_node_sphere *n = (const kiln_format_node_sphere *)(const void *)node;
    return n->head.half_exp >= KILN_HALF_EXP_MIN && n->head.half_exp <= KILN_HALF_EXP_MAX &&
           kiln_sphere_radius(n, lane) < HALF_INFINITY;
}

/* In double p - org is off by one rounding, less the centre by one more, and the distance by
 * less than 4 of its own: u = 2^-53 times the sum of magnitudes each. 8 u are taken. */
static double sphere_beyond(const kiln_format_node8 *node, unsigned lane, const double point[3])
{
    kiln_lane_box box;
    kiln_sphere_decode_lane((const kiln_format_node_sphere *)(const void *)node, lane, &box);
    double squared = 0.0, sizes = 0.0;
    for (unsigned k = 0; k < 3; k++) {
        const double from = (point[k] - (double)node->org[k]) - (double)box.centre[k];
        squared += from * from;
        sizes += fabs(point[k]) + fabs((double)node->org[k]) + fabs((double)box.centre[k]);
    }
    const double over = sqrt(squared) - (double)box.half[0] - 0x1p-50 * sizes;
    return over == over ? over : HUGE_VAL; /* NaN proves nothing */
}

/* ----------------------------------------------------------------------------- binary nodes -- */

static bool row_is_within(const float row[3], float most)
{
    return row[0] >= -most && row[0] <= most && row[1] >= -most && row[1] <= most &&
           row[2] >= -most && row[2] <= most;
}

/* Centre and half-extents. Node space is [-1, 1]; what is larger comes from no baker. */
static bool box2_is_sound(const float centre[3][2], const float half[3][2], unsigned lane)
{
    KILN_ASSERT(lane < 2);
    const float most = 1024.0f;
    const float c[3] = {centre[0][lane], centre[1][lane], centre[2][lane]};
    const float h[3] = {half[0][lane], half[1][lane], half[2][lane]};
    return row_is_within(c, most) && row_is_within(h, most) && h[0] >= 0.0f && h[1] >= 0.0f &&
           h[2] >= 0.0f;
}

/* The axes as a matrix R: no entry of R R^T - I is larger than 2^-19 = 32 u, u = 2^-24. The
 * kernels' proofs need entries within 8 u of a rotation's, which make of it at most 28 u. */
static bool axes2_are_sound(const float axis[9][2], unsigned lane)
{
    KILN_ASSERT(lane < 2);
    float a[3][3];
    for (unsigned k = 0; k < 9; k++) {
        a[k / 3][k % 3] = axis[k][lane];
    }
    for (unsigned k = 0; k < 3; k++) {
        if (!row_is_within(a[k], 2.0f)) {
            return false;
        }
        for (unsigned j = 0; j <= k; j++) {
            const float dot = (a[k][0] * a[j][0] + a[k][1] * a[j][1]) + a[k][2] * a[j][2];
            const float departure = dot - (j == k ? 1.0f : 0.0f);
            if (!(departure >= -0x1p-19f && departure <= 0x1p-19f)) {
                return false;
            }
        }
    }
    return true;
}

static bool obb2_reserved_is_zero(const kiln_format_node8 *node)
{
    const kiln_format_node_obb2 *n = (const kiln_format_node_obb2 *)(const void *)node;
    return node->half_exp == 0 && n->reserved[0] == 0 && n->reserved[1] == 0;
}

static bool obb2_lane_is_sound(const kiln_format_node8 *node, unsigned lane)
{
    const kiln_format_node_obb2 *n = (const kiln_format_node_obb2 *)(const void *)node;
    return axes2_are_sound(n->axis, lane) && box2_is_sound(n->centre, n->half, lane);
}

static bool aabb2_reserved_is_zero(const kiln_format_node8 *node)
{
    return node->half_exp == 0;
}

static bool aabb2_lane_is_sound(const kiln_format_node8 *node, unsigned lane)
{
    const kiln_format_node_aabb2 *n = (const kiln_format_node_aabb2 *)(const void *)node;
    return box2_is_sound(n->centre, n->half, lane);
}

/* ------------------------------------------------------------------------------------ table -- */

/* The inline functions of nodes.h, called through the type that all kinds share. The box around a
 * k-DOP and the cell of an octree are decoded as that of AABB8. */
#define DECODERS(KIND, kind, name, constant, minor, lanes, layout, packing, volume)                \
    DECODERS_##volume(kind)
#define DECODERS_DOP(kind)
#define DECODERS_CELL(kind)
#define DECODERS_BALL(kind) DECODERS_BOX(kind)
#define DECODERS_BOX(kind)                                                                         \
    static void kind##_decode(const kiln_format_node8 *node, kiln_lanes *lanes)                    \
    {                                                                                              \
        kiln_##kind##_decode((const kiln_format_node_##kind *)(const void *)node, lanes);          \
    }                                                                                              \
    static void kind##_decode_lane(const kiln_format_node8 *node, unsigned lane,                   \
                                   kiln_lane_box *box)                                             \
    {                                                                                              \
        KILN_ASSERT(lane < KILN_NODE_WIDTH);                                                       \
        kiln_##kind##_decode_lane((const kiln_format_node_##kind *)(const void *)node, lane, box); \
    }
KILN_NODE_KINDS(DECODERS, DECODERS)

#define RESERVED_BOX(kind) kind##_reserved_is_zero
#define RESERVED_DOP(kind) aabb8_reserved_is_zero
#define RESERVED_CELL(kind) aabb8_reserved_is_zero
#define RESERVED_BALL(kind) kind##_reserved_is_zero
#define DECODE_BOX(kind) kind##_decode
#define DECODE_DOP(kind) aabb8_decode
#define DECODE_CELL(kind) aabb8_decode
#define DECODE_BALL(kind) kind##_decode
#define DECODE_LANE_BOX(kind) kind##_decode_lane
#define DECODE_LANE_DOP(kind) aabb8_decode_lane
#define DECODE_LANE_CELL(kind) aabb8_decode_lane
#define DECODE_LANE_BALL(kind) kind##_decode_lane
#define BEYOND_BOX(kind) NULL
#define BEYOND_DOP(kind) kind##_beyond
#define BEYOND_CELL(kind) NULL
#define BEYOND_BALL(kind) kind##_beyond
#define BALLS_BOX false
#define BALLS_DOP false
#define BALLS_CELL false
#define BALLS_BALL true
#define SHARED_BOX false
#define SHARED_DOP false
#define SHARED_CELL true
#define SHARED_BALL false
#define SOUND_BOX(kind) kind##_lane_is_sound
#define SOUND_DOP(kind) kind##_lane_is_sound
#define SOUND_CELL(kind) aabb8_lane_is_sound
#define SOUND_BALL(kind) kind##_lane_is_sound
#define DIRECTIONS_BOX(kind) NULL
#define DIRECTIONS_DOP(kind) &kiln_##kind##_set
#define DIRECTIONS_CELL(kind) NULL
#define DIRECTIONS_BALL(kind) NULL

#define ROW(KIND, kind, name, constant, minor, lanes, layout, packing, volume)                     \
    {KILN_FORMAT_BV_##KIND,                                                                        \
     name,                                                                                         \
     KILN_SECTION_NODES_##KIND,                                                                    \
     sizeof(kiln_format_node_##kind),                                                              \
     minor,                                                                                        \
     lanes,                                                                                        \
     (layout) != KILN_BOXES_ORIENTED,                                                              \
     (layout) == KILN_BOXES_IN_STEPS,                                                              \
     BALLS_##volume,                                                                               \
     SHARED_##volume,                                                                              \
     RESERVED_##volume(kind),                                                                      \
     SOUND_##volume(kind),                                                                         \
     DECODE_##volume(kind),                                                                        \
     DECODE_LANE_##volume(kind),                                                                   \
     BEYOND_##volume(kind),                                                                        \
     DIRECTIONS_##volume(kind)},

const kiln_node_kind kiln_node_kinds[KILN_NODE_KIND_COUNT] = {KILN_NODE_KINDS(ROW, ROW)};

const kiln_node_kind *kiln_node_kind_find(uint16_t bv)
{
    for (unsigned i = 0; i < KILN_NODE_KIND_COUNT; i++) {
        if (kiln_node_kinds[i].bv == bv) {
            return &kiln_node_kinds[i];
        }
    }
    return NULL;
}
