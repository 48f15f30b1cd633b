/* Nodes of a height field, in two passes: extents of tiles and of the nodes above them, upwards,
 * in numbers of columns, rows and samples, which are exact; then the nodes from the root downwards,
 * so that children follow each other. Coordinates are computed from numbers by one monotonic
 * formula, so that the extent of a node is that of its least and greatest numbers, and what a node
 * stores is rounded outward by grid.h. */
#include "heights.h"

#include "frame.h"
#include "grid.h"

#include <math.h>
#include <string.h>

/* Least and greatest numbers of the samples of a tile or node; none where low[0] > high[0]. */
typedef struct {
    uint32_t low[3], high[3]; /* columns, rows, samples */
} extent;

/* Tiles or nodes of one level. */
typedef struct {
    uint32_t across, down;
    uint64_t first; /* its extents in the scratch */
} level;

typedef struct {
    level at[KILN_HEIGHTS_LEVELS_MAX];
    unsigned count;
    uint64_t all;
    unsigned tile_bits;
} level_plan;

/* A node holds 2 x 4 nodes of an even level, 4 x 2 of an odd one. */
static uint32_t lanes_across(unsigned below)
{
    return below % 2 == 0 ? 2 : 4;
}

static uint32_t divided(uint32_t n, uint32_t by)
{
    return n / by + (n % by != 0);
}

static level_plan plan_levels(uint32_t across, uint32_t down)
{
    level_plan plan;
    memset(&plan, 0, sizeof plan);
    level l = {divided(across, 8), divided(down, 4), 0};
    while (l.across > 1u << plan.tile_bits) {
        plan.tile_bits++;
    }
    for (;;) {
        KILN_ASSERT(plan.count < KILN_HEIGHTS_LEVELS_MAX);
        l.first = plan.all;
        plan.at[plan.count] = l;
        plan.all += (uint64_t)l.across * l.down;
        if (l.across == 1 && l.down == 1) {
            plan.count++;
            return plan;
        }
        const uint32_t wide = lanes_across(plan.count++);
        l.across = divided(l.across, wide);
        l.down = divided(l.down, 8 / wide);
    }
}

static bool numbers_fit(const kiln_format_heights *g)
{
    bool fit = g->columns >= 2 && g->rows >= 2 && g->hole <= KILN_HEIGHTS_NO_HOLE &&
               g->diagonal <= KILN_DIAGONAL_ALTERNATE;
    unsigned axes = 0;
    for (unsigned k = 0; k < 3; k++) {
        /* Finite, and then so is every sum below, or it is an infinity, which is seen there. */
        fit = fit && g->origin[k] - g->origin[k] == 0.0 && g->step[k] - g->step[k] == 0.0 &&
              g->step[k] != 0.0 && g->axis[k] < 3;
        axes |= 1u << (g->axis[k] & 3u);
    }
    return fit && axes == 7;
}

/* Slots are numbered for whole rows of tiles, so that there may be more slots than triangles. Both
 * numbers have to fit into 32 bits. */
static bool slots_fit(uint32_t columns, uint32_t rows)
{
    const uint64_t across = divided(columns - 1, 8), down = divided(rows - 1, 4);
    return 2 * (uint64_t)(columns - 1) * (rows - 1) < KILN_NO_INDEX &&
           2 * across * down * KILN_HEIGHTS_SLOTS < KILN_NO_INDEX;
}

enum { LINE = 64 };

static uint64_t heights_lines(uint64_t size)
{
    return (size + LINE - 1) / LINE * LINE;
}

static uint64_t heights_quads_size(const level_plan *plan)
{
    return heights_lines(((uint64_t)plan->at[0].down << plan->tile_bits) * sizeof(uint32_t));
}

bool kiln_heights_size(const kiln_format_heights *grid, uint64_t count, size_t *size,
                       size_t *scratch)
{
    if (!numbers_fit(grid) || !slots_fit(grid->columns, grid->rows) ||
        count != (uint64_t)grid->columns * grid->rows) {
        return false;
    }
    const level_plan plan = plan_levels(grid->columns - 1, grid->rows - 1);
    /* A line behind the last node, since kernels load whole vectors. */
    const uint64_t all = heights_lines(sizeof(kiln_heights)) + heights_quads_size(&plan) +
                         heights_lines(plan.all * sizeof(kiln_format_node_aabb8)) + LINE;
    const uint64_t extents = heights_lines(plan.all * sizeof(extent));
    *size = (size_t)all;
    *scratch = (size_t)extents;
    return all <= SIZE_MAX / 2 && extents <= SIZE_MAX / 2;
}

/* ----------------------------------------------------------------------------------- extents -- */

static const extent nothing = {{UINT32_MAX, UINT32_MAX, UINT32_MAX}, {0, 0, 0}};

static bool is_empty(const extent *e)
{
    return e->low[0] > e->high[0];
}

static void join(extent *to, const extent *from)
{
    for (unsigned k = 0; k < 3; k++) {
        to->low[k] = from->low[k] < to->low[k] ? from->low[k] : to->low[k];
        to->high[k] = from->high[k] > to->high[k] ? from->high[k] : to->high[k];
    }
}

/* Adds the quad to the extent, unless a corner is a hole; returns whether it is there. */
static bool add_quad(const kiln_heights *h, uint32_t column, uint32_t row, extent *to)
{
    const uint32_t grid_hole = h->grid->hole;
    extent quad = {{column, row, UINT32_MAX}, {column + 1, row + 1, 0}};
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t s = h->samples[(size_t)(row + i / 2) * h->grid->columns + (column + i % 2)];
        if (s == grid_hole) {
            return false;
        }
        quad.low[2] = s < quad.low[2] ? s : quad.low[2];
        quad.high[2] = s > quad.high[2] ? s : quad.high[2];
    }
    join(to, &quad);
    return true;
}

/* The leaf of 2 x 2 quads at lane `lane` of a tile; returns which of the four are there. */
static uint32_t measure_leaf(const kiln_heights *h, uint32_t x, uint32_t y, unsigned lane,
                             extent *leaf)
{
    uint32_t there = 0;
    *leaf = nothing;
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t column = 8 * x + 2 * (lane % 4) + i % 2,
                       row = 4 * y + 2 * (lane / 4) + i / 2;
        if (column < h->across && row < h->down && add_quad(h, column, row, leaf)) {
            there |= 1u << i;
        }
    }
    return there;
}

/* Extents of all levels, and which quads of each tile are there; returns how many. */
static uint64_t measure_levels(const kiln_heights *h, const level_plan *plan, uint32_t *quads,
                               extent *extents)
{
    uint64_t there = 0;
    const level *tiles = &plan->at[0];
    for (uint32_t y = 0; y < tiles->down; y++) {
        for (uint32_t x = 0; x < tiles->across; x++) {
            extent *tile = &extents[(size_t)y * tiles->across + x];
            uint32_t bits = 0;
            *tile = nothing;
            for (unsigned lane = 0; lane < 8; lane++) {
                extent leaf;
                bits |= measure_leaf(h, x, y, lane, &leaf) << 4 * lane;
                join(tile, &leaf);
            }
            quads[(size_t)y << plan->tile_bits | x] = bits;
            there += (uint64_t)__builtin_popcount(bits);
        }
    }
    for (unsigned i = 1; i < plan->count; i++) {
        const level *above = &plan->at[i], *below = &plan->at[i - 1];
        const uint32_t wide = lanes_across(i - 1), high = 8 / wide;
        for (uint64_t k = 0; k < (uint64_t)above->across * above->down; k++) {
            extents[above->first + k] = nothing;
        }
        for (uint32_t y = 0; y < below->down; y++) {
            for (uint32_t x = 0; x < below->across; x++) {
                join(&extents[above->first + (size_t)(y / high) * above->across + x / wide],
                     &extents[below->first + (size_t)y * below->across + x]);
            }
        }
    }
    return there;
}

/* Least and greatest coordinates, by axis of the model's frame. */
static void place_extent(const kiln_format_heights *grid, const extent *e, float lower[3],
                         float upper[3])
{
    for (unsigned k = 0; k < 3; k++) {
        const float a = kiln_heights_coordinate(grid, k, e->low[k]);
        const float b = kiln_heights_coordinate(grid, k, e->high[k]);
        lower[grid->axis[k]] = a < b ? a : b;
        upper[grid->axis[k]] = a < b ? b : a;
    }
}

/* ------------------------------------------------------------------------------------- nodes -- */

typedef struct {
    kiln_heights *h;
    const level_plan *plan;
    const extent *extents;
    kiln_frame frame;
} forming;

/* The volumes of a node, whose lanes have these extents; empty ones are left 0. */
static void write_boxes(const forming *f, const extent lanes[8], kiln_format_node_aabb8 *node)
{
    double lower[8][3], upper[8][3], least[3], most[3];
    for (unsigned k = 0; k < 3; k++) {
        least[k] = HUGE_VAL;
        most[k] = -HUGE_VAL;
    }
    for (unsigned i = 0; i < 8; i++) {
        float from[3], to[3];
        if (is_empty(&lanes[i])) {
            continue;
        }
        place_extent(f->h->grid, &lanes[i], from, to);
        for (unsigned k = 0; k < 3; k++) {
            lower[i][k] = kiln_frame_apply(&f->frame, k, from[k]);
            upper[i][k] = kiln_frame_apply(&f->frame, k, to[k]);
            least[k] = fmin(least[k], lower[i][k]);
            most[k] = fmax(most[k], upper[i][k]);
        }
    }
    for (unsigned k = 0; k < 3; k++) {
        kiln_grid grid;
        kiln_grid_choose(least[k], most[k], &grid);
        node->head.org[k] = grid.org;
        node->head.exp[k] = grid.exp;
        for (unsigned i = 0; i < 8; i++) {
            if (!is_empty(&lanes[i])) {
                node->lower[k][i] = kiln_grid_below(&grid, lower[i][k]);
                node->upper[k][i] = kiln_grid_above(&grid, upper[i][k]);
            }
        }
    }
}

/* Node (x, y) of level `i`. Children get the numbers from *next on. */
static void write_node(const forming *f, unsigned i, uint32_t x, uint32_t y, uint32_t *next,
                       kiln_format_node_aabb8 *node)
{
    extent lanes[8];
    memset(node, 0, sizeof *node);
    if (i == 0) {
        const uint32_t tile = y << f->plan->tile_bits | x;
        node->head.tri = tile * KILN_HEIGHTS_SLOTS;
        for (unsigned lane = 0; lane < 8; lane++) {
            const uint32_t there = measure_leaf(f->h, x, y, lane, &lanes[lane]);
            const uint32_t count = 2 * (uint32_t)__builtin_popcount(there);
            node->head.count[lane / 2] |= (uint8_t)(count << 4 * (lane % 2));
        }
    } else {
        const level *below = &f->plan->at[i - 1];
        const uint32_t wide = lanes_across(i - 1);
        node->head.child = *next;
        for (unsigned lane = 0; lane < 8; lane++) {
            const uint32_t cx = x * wide + lane % wide, cy = y * (8 / wide) + lane / wide;
            lanes[lane] = cx < below->across && cy < below->down
                              ? f->extents[below->first + (size_t)cy * below->across + cx]
                              : nothing;
            if (!is_empty(&lanes[lane])) {
                node->head.inner |= (uint8_t)(1u << lane);
                (*next)++;
            }
        }
    }
    write_boxes(f, lanes, node);
}

/* All nodes, each level in the order of its parents. Where a node is on its level is kept in the
 * node until it is written: two numbers of 32 bits. */
static uint32_t write_nodes(const forming *f, kiln_format_node_aabb8 *nodes)
{
    uint32_t first = 0, end = 1, next = 1;
    memset(nodes, 0, sizeof *nodes);
    for (unsigned i = f->plan->count; i-- > 0;) {
        for (uint32_t n = first; n < end; n++) {
            const uint32_t x = nodes[n].head.child, y = nodes[n].head.tri;
            const uint32_t child = next;
            write_node(f, i, x, y, &next, &nodes[n]);
            const uint32_t wide = i > 0 ? lanes_across(i - 1) : 1;
            uint32_t number = child;
            for (unsigned left = nodes[n].head.inner; left != 0; left &= left - 1) {
                const unsigned lane = (unsigned)__builtin_ctz(left);
                nodes[number].head.child = x * wide + lane % wide;
                nodes[number].head.tri = y * (8 / wide) + lane / wide;
                number++;
            }
        }
        first = end;
        end = next;
    }
    return end;
}

/* -------------------------------------------------------------------------------- together -- */

void kiln_heights_place(const kiln_heights *h, float *vertices)
{
    const kiln_format_heights *grid = h->grid;
    for (size_t i = 0; i < (size_t)grid->columns * grid->rows; i++) {
        const uint32_t at[3] = {(uint32_t)(i % grid->columns), (uint32_t)(i / grid->columns),
                                h->samples[i]};
        for (unsigned k = 0; k < 3; k++) {
            vertices[3 * i + grid->axis[k]] = kiln_heights_coordinate(grid, k, at[k]);
        }
    }
}

kiln_heights *kiln_heights_form(const kiln_format_heights *grid, const uint16_t *samples,
                                void *memory, void *scratch)
{
    kiln_heights *h = (kiln_heights *)memory;
    const level_plan plan = plan_levels(grid->columns - 1, grid->rows - 1);
    uint8_t *at = (uint8_t *)memory + heights_lines(sizeof *h);
    uint32_t *quads = (uint32_t *)(void *)at;
    kiln_format_node_aabb8 *nodes =
        (kiln_format_node_aabb8 *)(void *)(at + heights_quads_size(&plan));
    extent *extents = (extent *)scratch;
    memset(h, 0, sizeof *h);
    memset(quads, 0, (size_t)heights_quads_size(&plan));
    h->grid = grid;
    h->samples = samples;
    h->across = grid->columns - 1;
    h->down = grid->rows - 1;
    h->tile_bits = plan.tile_bits;
    h->slots = (plan.at[0].down << plan.tile_bits) * KILN_HEIGHTS_SLOTS;
    /* PQ x PS is along +heights where the axes of columns, rows and heights are right-handed. */
    const bool odd = (grid->axis[0] + 1) % 3 != grid->axis[1];
    h->turned = (odd != (grid->step[0] < 0)) != (grid->step[1] < 0);
    h->quads = quads;
    h->nodes = nodes;
    const uint64_t there = measure_levels(h, &plan, quads, extents);
    kiln_format_tree *entry = &h->entry;
    if (there == 0) {
        return NULL;
    }
    const extent *root = &extents[plan.at[plan.count - 1].first];
    place_extent(grid, root, entry->bounds_lower, entry->bounds_upper);
    for (unsigned k = 0; k < 3; k++) {
        if (!(entry->bounds_lower[k] > -INFINITY && entry->bounds_upper[k] < INFINITY)) {
            return NULL;
        }
    }
    forming f = {h, &plan, extents, {{0, 0, 0}, 0, 0}};
    kiln_frame_choose(entry->bounds_lower, entry->bounds_upper, NULL, &f.frame);
    entry->bv = KILN_FORMAT_BV_AABB8;
    entry->leaf_max = KILN_HEIGHTS_LEAF;
    entry->order_first = KILN_NO_INDEX;
    entry->triangle_count = (uint32_t)(2 * there);
    entry->node_count = write_nodes(&f, nodes);
    entry->depth = plan.count;
    memcpy(entry->origin, f.frame.origin, sizeof entry->origin);
    entry->scale_exponent = f.frame.exponent;
    return h;
}

uint32_t kiln_heights_of_slot(const kiln_heights *h, uint32_t slot)
{
    KILN_ASSERT(kiln_heights_has_slot(h, slot));
    const uint32_t tile = slot / KILN_HEIGHTS_SLOTS;
    uint32_t rank = slot / 2 % (KILN_HEIGHTS_SLOTS / 2), there = h->quads[tile];
    unsigned bit = rank;
    if (there != 0xFFFFFFFFu) { /* the bit of this rank */
        for (; rank > 0; rank--) {
            there &= there - 1;
        }
        KILN_ASSERT(there != 0);
        bit = (unsigned)__builtin_ctz(there);
    }
    const uint32_t column = (tile & ((1u << h->tile_bits) - 1)) * 8 + (bit >> 1 & 6) + (bit & 1);
    const uint32_t row = (tile >> h->tile_bits) * 4 + (bit >> 3 & 2) + (bit >> 1 & 1);
    return 2 * (row * h->across + column) + (slot & 1);
}

static void place_corner(const kiln_heights *h, uint32_t column, uint32_t row, float vertex[3])
{
    const size_t sample = (size_t)row * h->grid->columns + column;
    vertex[h->grid->axis[0]] = kiln_heights_coordinate(h->grid, 0, column);
    vertex[h->grid->axis[1]] = kiln_heights_coordinate(h->grid, 1, row);
    vertex[h->grid->axis[2]] = kiln_heights_coordinate(h->grid, 2, h->samples[sample]);
}

void kiln_heights_vertex(const kiln_heights *h, uint32_t id, unsigned corner, float vertex[3])
{
    uint32_t column[3], row[3];
    kiln_heights_corners(h, id, column, row);
    place_corner(h, column[corner], row[corner], vertex);
}

void kiln_heights_triangle(const kiln_heights *h, uint32_t id, float vertices[9])
{
    uint32_t column[3], row[3];
    kiln_heights_corners(h, id, column, row);
    for (unsigned i = 0; i < 3; i++) {
        place_corner(h, column[i], row[i], vertices + 3 * i);
    }
}
