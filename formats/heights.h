/* Height fields: vertices, triangles and nodes that follow from a grid of samples by rule, so that
 * a file has none of them.
 *
 * Sample (c, r), column c of row r, is number r * columns + c. Between four samples is a quad,
 * number q = r * (columns - 1) + c, of the corners P = (c, r), Q = (c + 1, r), R = (c + 1, r + 1)
 * and S = (c, r + 1). It is cut from P to R (rising) into the triangles PQR, 2 q, and PRS, 2 q + 1,
 * or from Q to S (falling) into PQS and QRS. The last two corners change places where that is
 * needed for the normal to point along the positive axis of heights. A quad with a hole at a corner
 * has no triangles.
 *
 * The tree has leaves of 2 x 2 quads. A tile is a node of 4 x 2 of these, 8 x 4 quads; above it a
 * node holds 2 x 4 nodes, above that 4 x 2, and so on in turn, until there is one. Lanes go along
 * the columns first. Nodes stand level by level from the root, children in the order of lanes;
 * lanes without triangles are empty. */
#ifndef KILN_HEIGHTS_H
#define KILN_HEIGHTS_H

#include "assert.h"
#include "format.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    KILN_HEIGHTS_LEVELS_MAX = 24, /* two of them hold 8 x 8 times as much: 2^31 quads */
    KILN_HEIGHTS_LEAF = 8,        /* most triangles in a leaf */
    KILN_HEIGHTS_SLOTS = 64       /* that a tile has */
};

typedef struct {
    const kiln_format_heights *grid;
    const uint16_t *samples;
    uint32_t across, down; /* quads */
    unsigned tile_bits;    /* tile (x, y) is number y << tile_bits | x */
    uint32_t slots;        /* 64 a tile, those of columns that are not there included */
    bool turned;           /* the last two corners of triangles change places */
    const uint32_t *quads; /* by tile: which of its quads are there, by leaf, then by row */
    const kiln_format_node_aabb8 *nodes;
    kiln_format_tree entry; /* all that follows from the samples; name and hash are 0 */
} kiln_heights;

/* Bytes of the memory that kiln_heights_form needs, in two pieces of which the second is not needed
 * afterwards; both aligned to 64. False: the grid is out of range, or does not have `count`
 * samples, or memory has no such pieces. */
bool kiln_heights_size(const kiln_format_heights *grid, uint64_t count, size_t *size,
                       size_t *scratch);

/* Makes all of it. `grid` and `samples` must stay. The environment is that of queries. NULL: no
 * quad is there, or a coordinate is not finite in float. */
kiln_heights *kiln_heights_form(const kiln_format_heights *grid, const uint16_t *samples,
                                void *memory, void *scratch);

/* Writes the place of each sample, row by row, to vertices [3 * columns * rows]. */
void kiln_heights_place(const kiln_heights *h, float *vertices);

/* The coordinate of number i along the columns (role 0) or rows (1), or of sample i (2). */
static inline float kiln_heights_coordinate(const kiln_format_heights *grid, unsigned role,
                                            uint32_t i)
{
    return (float)(grid->origin[role] + (double)i * grid->step[role]) + 0.0f; /* never -0 */
}

/* Triangles, as many as ids: those of quads that are not there count. */
static inline uint32_t kiln_heights_triangles(const kiln_heights *h)
{
    return 2 * h->across * h->down;
}

/* The bit of a quad in its tile. */
static inline unsigned kiln_heights_bit(uint32_t column, uint32_t row)
{
    return (row & 2) << 3 | (column & 6) << 1 | (row & 1) << 1 | (column & 1);
}

/* Does the field have this triangle? It has none at holes. */
static inline bool kiln_heights_has(const kiln_heights *h, uint32_t id)
{
    const uint32_t quad = id / 2, row = quad / h->across, column = quad - row * h->across;
    KILN_ASSERT(row < h->down);
    const uint32_t tile = row / 4 << h->tile_bits | column / 8;
    return (h->quads[tile] >> kiln_heights_bit(column, row) & 1) != 0;
}

/* Has the slot a triangle? */
static inline bool kiln_heights_has_slot(const kiln_heights *h, uint32_t slot)
{
    return slot < h->slots && slot / 2 % (KILN_HEIGHTS_SLOTS / 2) <
                                  (uint32_t)__builtin_popcount(h->quads[slot / KILN_HEIGHTS_SLOTS]);
}

/* The triangle in a slot that has one. This and those below are functions, so that what
 * walks of meshes have of fields is a branch that is not taken. */
uint32_t kiln_heights_of_slot(const kiln_heights *h, uint32_t slot);

/* The three samples of a triangle, by columns and rows. */
static inline void kiln_heights_corners(const kiln_heights *h, uint32_t id, uint32_t column[3],
                                        uint32_t row[3])
{
    /* Corners P, Q, R, S as bits of column and row, by what the diagonal is and which half. */
    static const uint8_t corners[2][2][3] = {{{0, 1, 3}, {0, 3, 2}}, {{0, 1, 2}, {1, 3, 2}}};
    const uint32_t quad = id / 2, r = quad / h->across, c = quad - r * h->across;
    const unsigned diagonal =
        h->grid->diagonal == KILN_DIAGONAL_ALTERNATE ? (c ^ r) & 1 : h->grid->diagonal;
    for (unsigned i = 0; i < 3; i++) {
        const unsigned which = corners[diagonal][id & 1][h->turned && i > 0 ? 3 - i : i];
        column[i] = c + (which & 1);
        row[i] = r + (which >> 1);
    }
}

/* Corner `corner` of a triangle. */
void kiln_heights_vertex(const kiln_heights *h, uint32_t id, unsigned corner, float vertex[3]);

/* All three, one after the other. */
void kiln_heights_triangle(const kiln_heights *h, uint32_t id, float vertices[9]);

#endif
