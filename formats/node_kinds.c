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

static bool dop14_reserved_is_zero(const kiln_format_node8 *node)
{
    return node->half_exp == 0;
}

/* The box and the four diagonal slabs are checked alike; they need not touch each other. As the
 * steps of every node are bounded (check.c), a slab is finite. */
static bool dop14_lane_is_sound(const kiln_format_node8 *node, unsigned lane)
{
    const kiln_format_node_dop14 *n = (const kiln_format_node_dop14 *)(const void *)node;
    bool sound = aabb8_lane_is_sound(node, lane);
    for (unsigned j = 0; j < KILN_DOP14_DIAGONALS; j++) {
        sound = sound && n->lower[j][lane] <= n->upper[j][lane];
    }
    return sound;
}

/* Along the diagonals; the box is looked at apart. In double p - org is off by one rounding, x
 * +- y +- z by two more, and less the centre by one: u = 2^-53 times the sum of magnitudes each.
 * 8 u are taken. */
static double dop14_beyond(const kiln_format_node8 *node, unsigned lane, const double point[3])
{
    const kiln_format_node_dop14 *n = (const kiln_format_node_dop14 *)(const void *)node;
    double from[3], sizes = 0.0, worst = -HUGE_VAL;
    for (unsigned k = 0; k < 3; k++) {
        from[k] = point[k] - (double)node->org[k];
        sizes += fabs(point[k]) + fabs((double)node->org[k]);
    }
    for (unsigned j = 0; j < KILN_DOP14_DIAGONALS; j++) {
        float centre, half;
        kiln_dop14_decode_slab(n, lane, j, &centre, &half);
        const double along =
            (from[0] + (double)kiln_dop14_y(j) * from[1]) + (double)kiln_dop14_z(j) * from[2];
        const double over =
            fabs(along - (double)centre) - (double)half - 0x1p-50 * (sizes + fabs((double)centre));
        if (!(over <= worst)) {
            worst = over > worst ? over : HUGE_VAL; /* NaN proves nothing */
        }
    }
    return worst;
}

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

/* The inline functions of nodes.h, called through the type that all kinds share. */
#define DECODERS(KIND, kind, ...)                                                                  \
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

#define BEYOND_BOX(kind) NULL
#define BEYOND_OWN(kind) kind##_beyond
#define BEYOND_BALL(kind) kind##_beyond
#define BALLS_BOX false
#define BALLS_OWN false
#define BALLS_BALL true

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
     kind##_reserved_is_zero,                                                                      \
     kind##_lane_is_sound,                                                                         \
     kind##_decode,                                                                                \
     kind##_decode_lane,                                                                           \
     BEYOND_##volume(kind)},

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
