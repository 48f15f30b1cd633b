/* Counts of possible collision cells for every box of a tree (J. Klein and G. Zachmann, "ADB-
 * trees: controlling the error of time-critical collision detection", 2003).
 *
 * A box's polygons are those of the slots below it, which follow each other, or all that meet it:
 * Definition 1 of the paper reads either way. Of an octree a polygon may be in several slots below
 * a box, of which the first counts, with the part of it that is in the box. A first pass over the
 * nodes, children before parents, finds the slots below each node. Then each box is counted for
 * itself, from its polygons and its own grid (cells.c), so that boxes are tasks in any order, and
 * an audit can count any of them again. */
#include "count.h"

#include "../../formats/assert.h"
#include "../common/memory.h"
#include "cells.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BOXES_A_TASK = 64, CELLS_MAX = KILN_ADB_GRID_MAX * KILN_ADB_GRID_MAX * KILN_ADB_GRID_MAX };

typedef struct {
    const kiln_count_input *input;
    const kiln_format_adb *how;
    kiln_arena arena;
    uint32_t *first, *count; /* of each node: the slots below it */
    uint8_t *depth;          /* of each node: boxes above its lanes */
    double *corners;         /* of each slot: 9 coordinates in node space */
    double *areas;
    uint32_t *before; /* of each slot of an octree: 1 + the last slot before it of its triangle */
    uint32_t unit;
    uint8_t region[CELLS_MAX];
} counter;

/* The root's box, then one for each lane of each node, used or not, so that a box is found by its
 * number alone. */
uint64_t kiln_count_boxes(const kiln_count_input *input)
{
    return 1 + (uint64_t)input->node_count * input->kind->lanes;
}

static const kiln_format_node8 *node_at(const kiln_count_input *input, uint32_t index)
{
    KILN_ASSERT(index < input->node_count);
    return kiln_node_at(input->nodes, input->kind->node_size, index);
}

/* ------------------------------------------------------------------------------ the tree -- */

static bool is_inner(const kiln_format_node8 *node, unsigned lane)
{
    KILN_ASSERT(lane < KILN_NODE_WIDTH);
    return (node->inner >> lane & 1) != 0;
}

/* The slots below a lane; those of its node's children are known. */
static void lane_slots(const counter *c, const kiln_format_node8 *node, unsigned lane,
                       uint32_t *first, uint32_t *count)
{
    if (is_inner(node, lane)) {
        const uint32_t child = kiln_node8_child(node, lane);
        *first = c->first[child];
        *count = c->count[child];
    } else {
        *first = kiln_node8_slot(node, lane);
        *count = kiln_node8_count(node, lane);
    }
}

/* False: the lanes' slots leave a gap between them, or overlap. */
static bool gather_slots(const counter *c, uint32_t index)
{
    KILN_ASSERT(index < c->input->node_count);
    const kiln_format_node8 *node = node_at(c->input, index);
    uint64_t lowest = UINT64_MAX, end = 0, sum = 0;
    for (unsigned lane = 0; lane < c->input->kind->lanes; lane++) {
        uint32_t first, count;
        lane_slots(c, node, lane, &first, &count);
        if (count > 0) {
            lowest = first < lowest ? first : lowest;
            end = (uint64_t)first + count > end ? (uint64_t)first + count : end;
            sum += count;
        }
    }
    /* Slots that follow each other without gap or overlap span exactly as many as they are. The
     * baker makes no others; a file may say anything, and a polygon would be counted twice or
     * never. */
    if (sum == 0 || end - lowest != sum || end > c->input->slot_count) {
        return false;
    }
    c->first[index] = (uint32_t)lowest;
    c->count[index] = (uint32_t)sum;
    return true;
}

/* Children come after their parents: slots are gathered from the last node back, depths handed down
 * from the first. */
static bool learn_tree(const counter *c)
{
    const kiln_count_input *input = c->input;
    for (uint32_t i = input->node_count; i-- > 0;) {
        if (!gather_slots(c, i)) {
            return false;
        }
    }
    c->depth[0] = 1;
    for (uint32_t i = 0; i < input->node_count; i++) {
        const kiln_format_node8 *node = node_at(input, i);
        const uint32_t children = kiln_popcount8(node->inner);
        for (uint32_t k = 0; k < children; k++) {
            c->depth[node->child + k] = (uint8_t)(c->depth[i] + 1);
        }
    }
    /* The root's slots are all there are, so every polygon is in exactly one leaf. */
    return c->count[0] == input->slot_count;
}

/* ------------------------------------------------------------------------- the polygons -- */

/* The area of the triangle with corners p. */
static double area_of(const double p[9])
{
    const double ux = p[3] - p[0], uy = p[4] - p[1], uz = p[5] - p[2];
    const double vx = p[6] - p[0], vy = p[7] - p[1], vz = p[8] - p[2];
    const double x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    return 0.5 * sqrt((x * x + y * y) + z * z);
}

/* Corners in node space, and areas, once for all boxes that a triangle is in. */
static void place_polygons(const counter *c)
{
    const kiln_count_input *input = c->input;
    const double scale = ldexp(1.0, -input->scale_exponent);
    for (size_t slot = 0; slot < input->slot_count; slot++) {
        double *p = c->corners + 9 * slot;
        for (size_t i = 0; i < 9; i++) {
            p[i] = ((double)input->corners[9 * slot + i] - input->origin[i % 3]) * scale;
        }
        const double area = area_of(p);
        c->areas[slot] = area < INFINITY ? area : 0; /* NaN: no baker writes such numbers */
    }
}

/* For each slot the one before it that has its triangle. */
static bool link_slots(counter *c)
{
    const kiln_count_input *input = c->input;
    c->before = kiln_arena_take(&c->arena, input->slot_count, sizeof *c->before);
    uint32_t *last = calloc(input->names, sizeof *last);
    const bool good = c->before != NULL && last != NULL;
    for (uint32_t slot = 0; slot < input->slot_count && good; slot++) {
        KILN_ASSERT(input->triangles[slot] < input->names);
        uint32_t *of = &last[input->triangles[slot]];
        c->before[slot] = *of;
        *of = slot + 1;
    }
    free(last);
    return good;
}

/* Is the slot the first of its triangle in a run that begins with slot `first`? */
static bool is_first(const counter *c, uint32_t first, uint32_t slot)
{
    KILN_ASSERT(first <= slot);
    return c->before == NULL || c->before[slot] <= first;
}

/* What all boxes need: the slots below each node, the depths, and the polygons in node space. */
static kiln_bake_status begin(counter *c)
{
    KILN_ASSERT(c->first == NULL && c->corners == NULL);
    const kiln_count_input *input = c->input;
    const size_t nodes = input->node_count, slots = input->slot_count;
    c->first = kiln_arena_take(&c->arena, nodes, sizeof *c->first);
    c->count = kiln_arena_take(&c->arena, nodes, sizeof *c->count);
    c->depth = kiln_arena_take(&c->arena, nodes, sizeof *c->depth);
    if (c->first == NULL || c->count == NULL || c->depth == NULL) {
        return KILN_BAKE_FAILED;
    }
    if (!learn_tree(c)) {
        return KILN_BAKE_INVALID;
    }

    if (input->triangles != NULL && !link_slots(c)) {
        return KILN_BAKE_FAILED;
    }

    /* The region of every cell of a grid, which is the same in all boxes. */
    const unsigned grid = c->how->grid;
    unsigned at[3];
    uint8_t *region = c->region;
    for (at[2] = 0; at[2] < grid; at[2]++) {
        for (at[1] = 0; at[1] < grid; at[1]++) {
            for (at[0] = 0; at[0] < grid; at[0]++) {
                *region++ = (uint8_t)kiln_adb_region_of(c->how, at);
            }
        }
    }
    c->unit = kiln_adb_unit(c->how);
    /* A file without polygons can still have its depths checked. */
    if (input->corners == NULL) {
        return KILN_BAKE_OK;
    }
    c->corners = kiln_arena_take(&c->arena, slots, 9 * sizeof *c->corners);
    c->areas = kiln_arena_take(&c->arena, slots, sizeof *c->areas);
    if (c->corners == NULL || c->areas == NULL) {
        return KILN_BAKE_FAILED;
    }
    place_polygons(c);
    return KILN_BAKE_OK;
}

/* ----------------------------------------------------------------------------- the boxes -- */

/* One box of the tree, the slots below it, and the boxes above. */
typedef struct {
    kiln_box box;
    uint32_t first, count;
    uint8_t depth;
} counted_box;

/* A lane's box as queries see it, in node space. */
static void place_lane(const kiln_count_input *input, const kiln_format_node8 *node, unsigned lane,
                       kiln_box *box)
{
    KILN_ASSERT(lane < input->kind->lanes);
    kiln_lane_box decoded;
    input->kind->decode_lane(node, lane, &decoded);
    kiln_lane_box_place(&decoded, node->org, box);
}

/* False: an empty lane. */
static bool find_box(const counter *c, uint32_t index, counted_box *box)
{
    KILN_ASSERT(index < kiln_count_boxes(c->input));
    if (index == 0) {
        /* The box of all vertices, as queries begin with it. */
        const double scale = ldexp(1.0, -c->input->scale_exponent);
        memset(&box->box, 0, sizeof box->box);
        for (unsigned k = 0; k < 3; k++) {
            const double lower = ((double)c->input->bounds_lower[k] - c->input->origin[k]) * scale;
            const double upper = ((double)c->input->bounds_upper[k] - c->input->origin[k]) * scale;
            box->box.centre[k] = 0.5 * (lower + upper);
            box->box.half[k] = 0.5 * (upper - lower);
            box->box.axis[k][k] = 1;
        }
        box->first = 0;
        box->count = c->input->slot_count;
        box->depth = 0;
        return true;
    }
    const unsigned lanes = c->input->kind->lanes, lane = (index - 1) % lanes;
    const uint32_t number = (index - 1) / lanes;
    const kiln_format_node8 *node = node_at(c->input, number);
    if ((kiln_node8_used(node) >> lane & 1) == 0) {
        return false;
    }
    place_lane(c->input, node, lane, &box->box);
    lane_slots(c, node, lane, &box->first, &box->count);
    box->depth = c->depth[number];
    return true;
}

/* Adds the polygons of a run of slots to the cells. */
static void add_slots(const counter *c, uint32_t first, uint32_t count, bool inside,
                      kiln_cells *cells)
{
    KILN_ASSERT((uint64_t)first + count <= c->input->slot_count);
    for (uint32_t slot = first; slot < first + count; slot++) {
        if (c->areas[slot] > 0 && is_first(c, first, slot)) {
            kiln_cells_add(cells, c->corners + 9 * (size_t)slot, c->areas[slot], inside);
        }
    }
}

/* Can't the boxes meet? By the axes of the first, as floored for its cells; with room for
 * rounding. */
static bool boxes_apart(const kiln_box *box, const kiln_box *other)
{
    for (unsigned k = 0; k < 3; k++) {
        double distance = 0, reach = box->half[k];
        for (unsigned i = 0; i < 3; i++) {
            double along = 0;
            for (unsigned j = 0; j < 3; j++) {
                along += box->axis[k][j] * other->axis[i][j];
            }
            distance += box->axis[k][i] * (other->centre[i] - box->centre[i]);
            reach += fabs(along) * other->half[i];
        }
        if (fabs(distance) > reach + 1e-5 * (1 + reach)) {
            return true;
        }
    }
    return false;
}

/* All polygons that meet the box, by a descent of the tree from node `index`: no polygon that is
 * left out has area in the box, so neither the order nor the bounds show. At most as deep as the
 * tree. */
static void add_meeting(const counter *c, uint32_t index, kiln_cells *cells)
{
    KILN_ASSERT(index < c->input->node_count);
    const kiln_format_node8 *node = node_at(c->input, index);
    const unsigned used = kiln_node8_used(node);
    for (unsigned lane = 0; lane < c->input->kind->lanes; lane++) {
        kiln_box box;
        if ((used >> lane & 1) == 0) {
            continue;
        }
        place_lane(c->input, node, lane, &box);
        if (boxes_apart(&cells->box, &box)) {
            continue;
        }
        if (is_inner(node, lane)) {
            add_meeting(c, kiln_node8_child(node, lane), cells);
        } else {
            add_slots(c, kiln_node8_slot(node, lane), kiln_node8_count(node, lane), false, cells);
        }
    }
}

/* Triangles below a box; of an octree in a file without polygons, one that nothing is above. */
static uint32_t count_triangles(const counter *c, const counted_box *box)
{
    uint32_t count = 0;
    for (uint32_t slot = box->first; slot < box->first + box->count; slot++) {
        count += is_first(c, box->first, slot);
    }
    return count < c->input->triangle_count ? count : c->input->triangle_count;
}

/* Counts the cells of one box from its polygons alone, so that any box can be counted again. */
static void count_box(const counter *c, uint32_t index, kiln_format_adb_box *out)
{
    KILN_ASSERT(index < kiln_count_boxes(c->input));
    counted_box box;
    kiln_cells cells;
    memset(out, 0, sizeof *out);
    if (!find_box(c, index, &box)) {
        return;
    }
    out->depth = box.depth;
    out->lb = kiln_count_depth(count_triangles(c, &box), c->input->triangle_count);
    if (c->corners == NULL || !kiln_cells_begin(&cells, &box.box, c->how->grid)) {
        return;
    }
    /* The two readings of Definition 1: all polygons that meet the box, or those of its subtree,
     * which lie inside it by construction, so that none of their area is cut off at its faces. */
    if (c->how->polygons == KILN_ADB_POLYGONS_BOX) {
        add_meeting(c, 0, &cells);
    } else {
        add_slots(c, box.first, box.count, !c->input->kind->shared, &cells);
    }

    /* Definition 2 of the paper: a cell is possible if its polygons have the area of a plane that
     * fills it. Each region stores its number of them in units, rounded up, so that a region with a
     * possible cell never counts as empty. */
    const double threshold = kiln_cells_threshold(&cells, c->how->area, c->how->factor);
    const unsigned count = cells.grid * cells.grid * cells.grid;
    uint32_t possible[KILN_ADB_REGIONS_MOST] = {0};
    for (unsigned i = 0; i < count; i++) {
        possible[c->region[i]] += cells.area[i] >= threshold;
    }
    for (unsigned i = 0; i < KILN_ADB_REGIONS_MOST; i++) {
        const uint32_t units = (possible[i] + c->unit - 1) / c->unit;
        out->count[i] = (uint8_t)(units < 255 ? units : 255);
    }
}

/* ------------------------------------------------------------------------------- all, some -- */

typedef struct {
    const counter *counter;
    kiln_format_adb_box *boxes;
    uint32_t count;
} pass;

/* Boxes of a task are successive, and each is written by one task only. */
static void count_task(void *context, uint32_t task)
{
    const pass *p = context;
    const uint32_t first = task * BOXES_A_TASK;
    for (uint32_t i = first; i < p->count && i < first + BOXES_A_TASK; i++) {
        count_box(p->counter, i, &p->boxes[i]);
    }
}

/* Counts all boxes into `boxes`, which has room for kiln_count_boxes of them. INVALID: the tree's
 * slots are not sound; FAILED: there was no memory, or the caller cancelled. */
kiln_bake_status kiln_count(const kiln_count_input *input, const kiln_format_adb *how,
                            const kiln_watch *watch, kiln_format_adb_box *boxes)
{
    const uint64_t count = kiln_count_boxes(input);
    counter c = {.input = input, .how = how};
    kiln_bake_status status = count < KILN_NO_INDEX ? begin(&c) : KILN_BAKE_FAILED;
    if (status == KILN_BAKE_OK) {
        pass p = {.counter = &c, .boxes = boxes, .count = (uint32_t)count};
        const uint32_t tasks = (p.count + BOXES_A_TASK - 1) / BOXES_A_TASK;
        status = kiln_parallel_for(watch, tasks, count_task, &p) ? KILN_BAKE_OK : KILN_BAKE_FAILED;
    }
    kiln_arena_free(&c.arena);
    return status;
}

/* Counts each `step`th box again and compares it to the byte. INVALID at the first that differs,
 * with its number in *differs; *counted grows by the boxes that were looked at. */
kiln_bake_status kiln_count_again(const kiln_count_input *input, const kiln_format_adb *how,
                                  const kiln_format_adb_box *boxes, uint32_t step,
                                  uint32_t *differs, uint64_t *counted)
{
    const uint64_t count = kiln_count_boxes(input);
    counter c = {.input = input, .how = how};
    KILN_ASSERT(step > 0);
    *differs = 0;
    kiln_bake_status status = begin(&c);
    for (uint64_t i = 0; i < count && status == KILN_BAKE_OK; i += step) {
        kiln_format_adb_box box;
        count_box(&c, (uint32_t)i, &box);
        if (c.corners == NULL) {
            memcpy(box.count, boxes[i].count, sizeof box.count);
            box.lb = input->kind->shared ? boxes[i].lb : box.lb; /* it needs the references */
        }
        ++*counted;
        if (memcmp(&box, &boxes[i], sizeof box) != 0) {
            *differs = (uint32_t)i;
            status = KILN_BAKE_INVALID;
        }
    }
    kiln_arena_free(&c.arena);
    return status;
}

/* ------------------------------------------------------------------------------------ depth -- */

enum { FRACTION_BITS = 24 };

/* log2(n) in units of 2^-24, digit by digit by squaring: integers, so that it is the same number
 * everywhere. Never above the true value, and below it by less than 2^-22. */
static uint64_t binary_logarithm(uint32_t n)
{
    KILN_ASSERT(n > 0);
    unsigned whole = 31;
    while ((n >> whole) == 0) {
        whole--;
    }
    uint64_t result = whole, x = (uint64_t)n << (31 - whole); /* x / 2^31 in [1, 2) */
    for (int i = 0; i < FRACTION_BITS; i++) {
        x = x * x >> 31;
        result <<= 1;
        if (x >> 32 != 0) {
            result |= 1;
            x >>= 1;
        }
    }
    return result;
}

/* How deep a box with n of `whole` polygons lies in a balanced binary tree, as a share of that
 * tree's depth in units of 1/255: (log whole - log n) / log whole, rounded to nearest. */
uint8_t kiln_count_depth(uint32_t n, uint32_t whole)
{
    KILN_ASSERT(n > 0 && n <= whole);
    const uint64_t all = binary_logarithm(whole);
    if (all == 0) {
        return 255;
    }
    return (uint8_t)((2 * 255 * (all - binary_logarithm(n)) + all) / (2 * all));
}

/* ------------------------------------------------------------------------- trees just built -- */

KILN_STATIC_ASSERT((int)KILN_ADB_AREA_BY_MEAN == (int)KILN_ADB_AREA_MEAN, "mean");
KILN_STATIC_ASSERT((int)KILN_ADB_AREA_BY_MAX == (int)KILN_ADB_AREA_MAX, "max");
KILN_STATIC_ASSERT((int)KILN_ADB_SUBTREE == (int)KILN_ADB_POLYGONS_SUBTREE, "subtree");
KILN_STATIC_ASSERT((int)KILN_ADB_MEETING_BOX == (int)KILN_ADB_POLYGONS_BOX, "box");
KILN_STATIC_ASSERT((int)KILN_ADB_ONE == (int)KILN_ADB_REGIONS_ONE, "one");
KILN_STATIC_ASSERT((int)KILN_ADB_OCTANTS == (int)KILN_ADB_REGIONS_OCTANTS, "octants");
KILN_STATIC_ASSERT((int)KILN_ADB_SECTORS == (int)KILN_ADB_REGIONS_SECTORS, "sectors");

/* What is out of range becomes 255, which no rule is. */
static uint8_t byte_of(int value)
{
    return value < 0 || value > 255 ? 255 : (uint8_t)value;
}

double kiln_count_factor(const kiln_bake_options *options)
{
    const double usual = options->adb_area == KILN_ADB_AREA_BY_MEAN ? 0.75 : 0.5;
    return options->adb_factor == 0 ? usual : options->adb_factor;
}

kiln_format_adb kiln_count_parameters(const kiln_bake_options *options)
{
    KILN_ASSERT(options != NULL);
    kiln_format_adb how;
    memset(&how, 0, sizeof how);
    how.grid = byte_of(options->adb);
    how.regions = byte_of((int)options->adb_regions);
    how.area = byte_of((int)options->adb_area);
    how.polygons = byte_of((int)options->adb_polygons);
    how.factor = options->adb_factor;
    return how;
}

/* Corners in the order of slots. */
static float *gather_corners(const kiln_soup *soup, const kiln_build_tree *tree, uint32_t count)
{
    KILN_ASSERT(tree->order != NULL);
    float *corners = malloc((size_t)count * 9 * sizeof *corners);
    for (size_t slot = 0; slot < count && corners != NULL; slot++) {
        const uint32_t *corner = soup->indices + 3 * (size_t)tree->order[slot];
        for (size_t i = 0; i < 3; i++) {
            memcpy(corners + 9 * slot + 3 * i, soup->positions + 3 * (size_t)corner[i],
                   3 * sizeof *corners);
        }
    }
    return corners;
}

/* Counts a tree that was just built. The boxes become the tree's, to be freed with it, after a
 * failure too. */
kiln_bake_status kiln_count_build(const kiln_build_kind *kind, const kiln_soup *soup,
                                  const kiln_format_adb *how, const kiln_bake_options *options,
                                  kiln_build_tree *tree)
{
    KILN_ASSERT(tree->boxes == NULL && tree->node_count > 0);
    char stage[32];
    snprintf(stage, sizeof stage, "count %s", kind->name);
    const kiln_watch watch = {kiln_thread_count(options->threads),
                              options->progress,
                              options->progress_user,
                              stage,
                              0,
                              1};
    kiln_count_input input = {.kind = kiln_node_kind_find(kind->format_bv),
                              .nodes = tree->nodes,
                              .node_count = tree->node_count,
                              .triangle_count = tree->triangle_count,
                              .slot_count = tree->slot_count,
                              .names = soup->triangle_count,
                              .scale_exponent = tree->scale_exponent};
    memcpy(input.origin, tree->origin, sizeof input.origin);
    memcpy(input.bounds_lower, tree->bounds_lower, sizeof input.bounds_lower);
    memcpy(input.bounds_upper, tree->bounds_upper, sizeof input.bounds_upper);
    const uint64_t count = kiln_count_boxes(&input);
    float *corners = gather_corners(soup, tree, tree->slot_count);
    input.triangles = input.kind->shared ? tree->order : NULL;
    tree->boxes = malloc((size_t)count * sizeof *tree->boxes);
    tree->box_count = (uint32_t)count;
    input.corners = corners;
    kiln_bake_status status = KILN_BAKE_FAILED;
    if (corners != NULL && tree->boxes != NULL) {
        status = kiln_count(&input, how, &watch, tree->boxes);
    }
    free(corners);
    return status;
}
