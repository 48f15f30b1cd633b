/* What the two directions of the transforms share that know what they pack: nodes by lanes,
 * triangles by shared edges. The document is hierarchy.md, section 5. The forward direction is in
 * tools/encode. */
#ifndef KILN_PACK_H
#define KILN_PACK_H

#include "format.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Differences of 32 bits, modulo 2^32, are coded in the order 0, -1, 1, -2, 2 ... */
static inline uint32_t kiln_unzigzag(uint32_t code)
{
    return (code >> 1) ^ (0u - (code & 1u));
}

/* ---------------------------------------------------------------------------- nodes by lanes -- */

/* Planes of a node that do not depend on its lanes: inner, count[4], exp[3], half_exp, org[12],
 * tri[4]. */
enum { KILN_LANES_HEAD = 25, KILN_LANES_CHILD = 4, KILN_LANES_SIZE_MAX = 256 };

/* Can elements of this size be nodes? A shared header, then rows of eight bytes. */
static inline bool kiln_lanes_size_is_known(uint32_t element_size)
{
    return element_size > sizeof(kiln_format_node8) && element_size <= KILN_LANES_SIZE_MAX &&
           element_size % KILN_NODE_WIDTH == 0;
}

/* Byte of a node in which plane `plane` of lane `lane` stands. Rows of OBB8's half-extents have two
 * bytes a lane: planes of the low ones, then of the high ones. */
static inline uint32_t kiln_lanes_byte(uint32_t element_size, uint32_t plane, unsigned lane)
{
    const uint32_t half = offsetof(kiln_format_node_obb8, half);
    const uint32_t before = (half - (uint32_t)sizeof(kiln_format_node8)) / KILN_NODE_WIDTH;
    if (element_size == sizeof(kiln_format_node_obb8) && plane >= before) {
        const uint32_t row = (plane - before) % 3, high = (plane - before) / 3;
        return half + 2 * KILN_NODE_WIDTH * row + 2 * lane + high;
    }
    return (uint32_t)sizeof(kiln_format_node8) + KILN_NODE_WIDTH * plane + lane;
}

static inline uint32_t kiln_lanes_planes(uint32_t element_size)
{
    return (element_size - (uint32_t)sizeof(kiln_format_node8)) / KILN_NODE_WIDTH;
}

bool kiln_lanes_undo(uint32_t element_size, const uint8_t *in, size_t in_size, uint8_t *out,
                     size_t size);

/* ------------------------------------------------------------------ triangles by shared edges --
 */

/* What a block starts with. */
typedef struct {
    uint32_t next;    /* the vertex that is new next */
    uint32_t corners; /* corner codes */
    uint32_t far;     /* corners given by their distance from `next` */
} kiln_triangles_head;
KILN_STATIC_ASSERT(sizeof(kiln_triangles_head) == 12, "head of packed triangles");

enum {
    KILN_TRIANGLES_EDGE_NONE = 255, /* edge code: all three corners have codes */
    KILN_TRIANGLES_BACK = 28,       /* triangles before this one whose edges have codes */
    KILN_TRIANGLES_NEW = 0,         /* corner code: `next`, which then is one more */
    KILN_TRIANGLES_RECENT = 16,     /* codes 1 .. 16: corners that were new or far of late */
    KILN_TRIANGLES_FAR = 255        /* by its distance */
};

/* The last corners that were new or far, all 0 at first. */
typedef struct {
    uint32_t vertex[KILN_TRIANGLES_RECENT];
    uint32_t count;
} kiln_triangles_recent;

static inline void kiln_triangles_remember(kiln_triangles_recent *recent, uint32_t vertex)
{
    recent->vertex[recent->count++ % KILN_TRIANGLES_RECENT] = vertex;
}

/* Code 1 is the last one. */
static inline uint32_t kiln_triangles_recall(const kiln_triangles_recent *recent, uint32_t code)
{
    return recent->vertex[(recent->count - code) % KILN_TRIANGLES_RECENT];
}

bool kiln_triangles_undo(const uint8_t *in, size_t in_size, uint8_t *out, size_t size);

#endif
