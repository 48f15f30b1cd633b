/* A grid of boxes of space and time.
 *
 * For an interval each object has a box around what it sweeps, or, where it is fast, several for
 * parts of the time, each no larger than a cell; Cameron, "Collision detection by four-dimensional
 * intersection testing", 1990. A box is in the cell of its centre, so that boxes that meet are in
 * the same cell or in cells next to each other: no side is longer than FIT of a cell, and FIT
 * leaves room for the rounding of cells' numbers. Boxes are sorted by their cells, so that those of
 * three cells in a row are one range. Centres outside the grid are taken into its outermost cells,
 * which brings no two farther apart.
 *
 * An object whose state changes gets new boxes, which are chained to their cells; the old ones are
 * known by the key of their object. What no cell can hold goes through all others in vectors. */
#include "continuous.h"
#include "../kernel/moving_lanes.h"

#include <math.h>
#include <string.h>

#define FIT (1.0 - 0x1p-8)
enum { GRID_MOST_ROWS = 1024, GRID_SAMPLES = 128, GRID_SIZES = 12, GRID_BOXES_OF_ONE = 64 };

/* What work costs, relative to comparing two boxes. */
#define COST_BOX (KILN_DYNAMIC_COST_BOX / KILN_DYNAMIC_COST_COMPARE)
#define COST_WIDE (KILN_DYNAMIC_COST_PAIR / KILN_DYNAMIC_COST_COMPARE)

/* Where objects are small, the best horizon is that in which they move this part of the mean way
 * between neighbours, at their mean speed: a few fast ones have more boxes. */
#define SPACINGS_A_HORIZON 0.55
/* Horizons of 2^-4 to 2 of that are compared. */
enum { HORIZONS_BELOW = 4, HORIZONS = 6 };
/* A cell must hold the boxes of objects that are larger and faster than the mean. */
#define PACES_A_CELL 2.0
/* Boxes with which one is compared are those of half of 27 cells. */
#define CELLS_COMPARED 13.5

typedef struct {
    kiln_moving_box *boxes; /* sorted, then those that were added */
    uint32_t *owners, *keys;
    uint32_t *cells;  /* of boxes while they are sorted; of added ones the next in their chain */
    uint32_t *firsts; /* of cells, and one more */
    uint32_t *chains; /* of cells, heads; NOWHERE: none */
    uint32_t *wide;   /* places whose objects no cell holds */
    uint32_t room, cell_room;
    uint32_t sorted, count, wide_count;
    uint32_t rows[3];
    double origin[3], cell;
} grid_index;

/* ---------------------------------------------------------------------------------- memory -- */

static uint32_t box_room(uint32_t capacity)
{
    return capacity + capacity / 4 + GRID_BOXES_OF_ONE;
}

static uint32_t cells_room(uint32_t capacity)
{
    return capacity + 64;
}

static size_t lined(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

size_t kiln_dynamic_grid_size(const kiln_dynamic_options *options)
{
    const size_t boxes = box_room(options->capacity), cells = cells_room(options->capacity);
    return lined(sizeof(grid_index)) + lined(boxes * sizeof(kiln_moving_box)) +
           3 * lined(boxes * sizeof(uint32_t)) + 2 * lined((cells + 1) * sizeof(uint32_t)) +
           lined(options->capacity * sizeof(uint32_t));
}

static void *take_memory(uint8_t **memory, size_t bytes)
{
    void *taken = *memory;
    *memory += lined(bytes);
    return taken;
}

void kiln_dynamic_grid_place(kiln_dynamic *world, uint8_t *memory)
{
    grid_index *grid = (grid_index *)take_memory(&memory, sizeof *grid);
    memset(grid, 0, sizeof *grid);
    grid->room = box_room(world->options.capacity);
    grid->cell_room = cells_room(world->options.capacity);
    grid->boxes = (kiln_moving_box *)take_memory(&memory, grid->room * sizeof *grid->boxes);
    grid->owners = (uint32_t *)take_memory(&memory, grid->room * sizeof *grid->owners);
    grid->keys = (uint32_t *)take_memory(&memory, grid->room * sizeof *grid->keys);
    grid->cells = (uint32_t *)take_memory(&memory, grid->room * sizeof *grid->cells);
    grid->firsts =
        (uint32_t *)take_memory(&memory, ((size_t)grid->cell_room + 1) * sizeof *grid->firsts);
    grid->chains =
        (uint32_t *)take_memory(&memory, ((size_t)grid->cell_room + 1) * sizeof *grid->chains);
    grid->wide = (uint32_t *)take_memory(&memory, world->options.capacity * sizeof *grid->wide);
    world->index = grid;
}

double kiln_dynamic_grid_box_cost(const kiln_dynamic *world, double horizon)
{
    const double cell = 2 * world->girth + PACES_A_CELL * world->pace * horizon;
    const double part = cell / world->spacing;
    return KILN_DYNAMIC_COST_BOX + KILN_DYNAMIC_COST_COMPARE * CELLS_COMPARED * part * part * part;
}

/* Boxes of all objects are made once in a horizon, and those of an object whose state changes are
 * compared with twice as many. */
double kiln_dynamic_grid_horizon(kiln_dynamic *world)
{
    const double way = SPACINGS_A_HORIZON * world->spacing;
    double best = HUGE_VAL, horizon = KILN_DYNAMIC_LONGEST;
    if (!(world->pace * KILN_DYNAMIC_LONGEST > way)) {
        return horizon;
    }
    for (int i = 0; i < HORIZONS; i++) {
        const double some = ldexp(way / world->pace, i - HORIZONS_BELOW);
        const double box = kiln_dynamic_grid_box_cost(world, some);
        const double cost = box * world->count / some +
                            (2 * box - KILN_DYNAMIC_COST_BOX) * world->rates.change_rate;
        if (cost < best) {
            best = cost;
            horizon = some;
        }
    }
    return horizon;
}

/* ----------------------------------------------------------------------------------- boxes -- */

/* An object in the interval, and the boxes that it needs. */
typedef struct {
    double position[3], velocity[3], extent[3];
    double from, to; /* from the begin of the interval on */
    uint32_t parts;  /* 0: no cell holds it */
} grid_sweep;

static double most_of(double x, double y)
{
    return x > y ? x : y;
}

/* In how many parts of time does it fit a cell? */
static uint32_t times_of(const grid_sweep *sweep, double cell)
{
    double parts = 1;
    for (int k = 0; k < 3; k++) {
        const double left = FIT * cell - 2 * sweep->extent[k];
        const double way = fabs(sweep->velocity[k]) * (sweep->to - sweep->from);
        if (left < 0 || (way > 0 && left < cell / 16)) {
            return 0;
        }
        parts = most_of(parts, way > 0 ? ceil(way / left) : 1);
    }
    return parts <= GRID_BOXES_OF_ONE ? (uint32_t)parts : 0;
}

static void sweep_of(const kiln_dynamic *world, uint32_t place, double from, double cell,
                     grid_sweep *sweep)
{
    const double pad = (double)world->pad, radius = world->bodies[place].radius;
    for (int k = 0; k < 3; k++) {
        sweep->position[k] = (double)world->image.position[k][place];
        sweep->velocity[k] = (double)world->image.velocity[k][place];
        sweep->extent[k] = radius + pad;
    }
    if (world->limbs != NULL) {
        const kiln_dynamic_frame *frame = &world->frame;
        const double *arm = world->limbs[place].arm;
        for (int k = 0; k < 3; k++) {
            const double *row = frame->rotation[k];
            sweep->extent[k] += fabs(
                frame->is_turned ? row[0] * arm[0] + row[1] * arm[1] + row[2] * arm[2] : arm[k]);
        }
    }
    sweep->from = from;
    sweep->to = most_of(world->end - world->begin, from);
    sweep->parts = times_of(sweep, cell);
}

/* Part `part` of a sweep as a box. Times are rounded by less than the room that they get, and
 * coordinates by less than the pad. */
static kiln_moving_box box_of_part(const grid_sweep *sweep, uint32_t part)
{
    const double step = (sweep->to - sweep->from) / sweep->parts;
    const double from = sweep->from + step * part;
    const double to = part + 1 == sweep->parts ? sweep->to : from + step;
    kiln_moving_box box;
    for (int k = 0; k < 3; k++) {
        const double x = sweep->position[k] + sweep->velocity[k] * from;
        const double y = sweep->position[k] + sweep->velocity[k] * to;
        box.bound[k] = (float)((x < y ? x : y) - sweep->extent[k]);
        box.bound[4 + k] = (float)-((x < y ? y : x) + sweep->extent[k]);
    }
    box.bound[3] = (float)(from * (1 - 0x1p-22));
    box.bound[7] = (float)(-to * (1 + 0x1p-22));
    return box;
}

static kiln_moving_box mirrored(const kiln_moving_box *box)
{
    kiln_moving_box mirror;
    for (int k = 0; k < 4; k++) {
        mirror.bound[k] = -box->bound[4 + k];
        mirror.bound[4 + k] = -box->bound[k];
    }
    return mirror;
}

static uint32_t cell_of(const grid_index *grid, const kiln_moving_box *box)
{
    uint32_t at[3];
    for (int k = 0; k < 3; k++) {
        const double centre = ((double)box->bound[k] - (double)box->bound[4 + k]) / 2;
        const double cell = (centre - grid->origin[k]) / grid->cell;
        const double last = grid->rows[k] - 1;
        at[k] = (uint32_t)(cell > 0 ? cell < last ? cell : last : 0);
    }
    return (at[2] * grid->rows[1] + at[1]) * grid->rows[0] + at[0];
}

/* ------------------------------------------------------------------------------- dimensions -- */

/* Where most centres are: within three standard deviations, and within their bounds. */
static void find_domain(const kiln_dynamic *world, double lower[3], double upper[3])
{
    for (int k = 0; k < 3; k++) {
        const float *x = world->image.position[k];
        double sum = 0, squares = 0, low = HUGE_VAL, high = -HUGE_VAL;
        for (uint32_t place = 0; place < world->used; place++) {
            if (kiln_dynamic_is_there(world, place)) {
                const double at = (double)x[place];
                sum += at;
                squares += at * at;
                low = at < low ? at : low;
                high = at > high ? at : high;
            }
        }
        const double mean = sum / world->count;
        const double spread = 3 * sqrt(most_of(squares / world->count - mean * mean, 0));
        lower[k] = most_of(low, mean - spread);
        upper[k] = high < mean + spread ? high : mean + spread;
    }
}

/* Rows of cells of a size; their number. */
static double rows_of(const double lower[3], const double upper[3], double cell, uint32_t rows[3])
{
    double cells = 1;
    for (int k = 0; k < 3; k++) {
        const double count = ceil((upper[k] - lower[k]) / cell);
        rows[k] = (uint32_t)(count < 1 ? 1 : count > GRID_MOST_ROWS ? GRID_MOST_ROWS : count);
        cells *= rows[k];
    }
    return cells;
}

/* What an interval costs with cells of a size, by a sample of objects: boxes, comparisons with
 * those in the half of 27 cells, and objects that no cell holds. */
static double cost_of_cells(const kiln_dynamic *world, double cell, double volume)
{
    const uint32_t stride = world->used / GRID_SAMPLES + 1;
    double parts = 0, wide = 0, samples = 0;
    for (uint32_t place = 0; place < world->used; place += stride) {
        if (kiln_dynamic_is_there(world, place)) {
            grid_sweep sweep;
            sweep_of(world, place, 0, cell, &sweep);
            parts += sweep.parts;
            wide += sweep.parts == 0;
            samples++;
        }
    }
    if (!(samples > 0)) {
        return 0;
    }
    const double boxes = parts * world->count / samples;
    const double in_cells = boxes * 13.5 * (boxes * cell * cell * cell / volume);
    return COST_BOX * boxes + in_cells + COST_WIDE * wide * world->count / samples * world->count;
}

static void choose_cells(const kiln_dynamic *world, grid_index *grid)
{
    double lower[3], upper[3], volume = 1, best = HUGE_VAL;
    find_domain(world, lower, upper);
    for (int k = 0; k < 3; k++) {
        volume *= most_of(upper[k] - lower[k], world->spacing);
        grid->origin[k] = lower[k];
    }
    double cell = world->spacing / 2;
    grid->cell = 0;
    for (int i = 0; i < GRID_SIZES || grid->cell == 0; i++, cell *= 1.25) {
        uint32_t rows[3];
        if (rows_of(lower, upper, cell, rows) > grid->cell_room) {
            continue;
        }
        const double cost = cost_of_cells(world, cell, volume);
        if (cost < best || grid->cell == 0) {
            best = cost;
            grid->cell = cell;
        }
    }
    (void)rows_of(lower, upper, grid->cell, grid->rows);
}

/* --------------------------------------------------------------------------------- sorting -- */

/* Finds the cells of all boxes, in the order of places, and counts them in `firsts`, one ahead.
 * False: there are too many; part of the room is for those of changes. */
static bool count_boxes(const kiln_dynamic *world, grid_index *grid)
{
    const uint32_t cells = grid->rows[0] * grid->rows[1] * grid->rows[2];
    const uint32_t most = grid->room - world->options.capacity / 8 - GRID_BOXES_OF_ONE / 2;
    memset(grid->firsts, 0, (cells + 1) * sizeof *grid->firsts);
    grid->sorted = grid->wide_count = 0;
    for (uint32_t place = 0; place < world->used; place++) {
        grid_sweep sweep;
        if (!kiln_dynamic_is_there(world, place)) {
            continue;
        }
        sweep_of(world, place, 0, grid->cell, &sweep);
        if (sweep.parts == 0) {
            grid->wide[grid->wide_count++] = place;
        } else if (sweep.parts > most - grid->sorted) {
            return false;
        }
        for (uint32_t part = 0; part < sweep.parts; part++) {
            const kiln_moving_box box = box_of_part(&sweep, part);
            const uint32_t cell = cell_of(grid, &box);
            grid->cells[grid->sorted++] = cell;
            grid->firsts[cell + 1]++;
        }
    }
    return true;
}

/* Each box to its cell. `chains` are where the next of a cell goes, until they are emptied. */
static void sort_boxes(kiln_dynamic *world, grid_index *grid)
{
    const uint32_t cells = grid->rows[0] * grid->rows[1] * grid->rows[2];
    for (uint32_t cell = 0; cell < cells; cell++) {
        grid->firsts[cell + 1] += grid->firsts[cell];
        grid->chains[cell] = grid->firsts[cell];
    }
    uint32_t at = 0;
    for (uint32_t place = 0; place < world->used; place++) {
        grid_sweep sweep;
        if (!kiln_dynamic_is_there(world, place)) {
            continue;
        }
        sweep_of(world, place, 0, grid->cell, &sweep);
        for (uint32_t part = 0; part < sweep.parts; part++) {
            const uint32_t to = grid->chains[grid->cells[at++]]++;
            grid->boxes[to] = box_of_part(&sweep, part);
            grid->owners[to] = place;
            grid->keys[to] = world->keys[place];
        }
    }
    grid->count = grid->sorted;
    world->counts.boxes += grid->sorted;
    for (uint32_t cell = 0; cell < cells; cell++) {
        grid->chains[cell] = KILN_DYNAMIC_NOWHERE;
    }
}

/* ----------------------------------------------------------------------------------- search -- */

static void pass_owner(kiln_dynamic *world, const grid_index *grid, uint32_t place, uint32_t box)
{
    const uint32_t other = grid->owners[box];
    if (other != place && grid->keys[box] == world->keys[other]) {
        kiln_dynamic_candidate(world, place, other);
    }
}

/* Passes what meets a box in ranges of sorted ones. */
static void search_ranges(kiln_dynamic *world, const grid_index *grid, uint32_t ranges[][2],
                          unsigned count, const kiln_moving_box *reverse, uint32_t place)
{
    const kiln_moving_kernels *kernels = kiln_kernel_active()->moving;
    uint32_t hits[KILN_MOVING_HITS], total = 0;
    for (unsigned i = 0; i < count; i++) {
        total += ranges[i][1] - ranges[i][0];
    }
    world->counts.looked_at += total;
    if (total <= KILN_MOVING_HITS) {
        const uint32_t found =
            kernels->meeting_boxes(grid->boxes, (const uint32_t(*)[2])ranges, count, reverse, hits);
        for (uint32_t i = 0; i < found; i++) {
            pass_owner(world, grid, place, hits[i]);
        }
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        while (ranges[i][0] < ranges[i][1]) {
            const uint32_t left = ranges[i][1] - ranges[i][0];
            const uint32_t some = left < KILN_MOVING_HITS ? left : KILN_MOVING_HITS;
            const uint32_t part[1][2] = {{ranges[i][0], ranges[i][0] + some}};
            const uint32_t found = kernels->meeting_boxes(grid->boxes, part, 1, reverse, hits);
            for (uint32_t j = 0; j < found; j++) {
                pass_owner(world, grid, place, hits[j]);
            }
            ranges[i][0] += some;
        }
    }
}

/* Cells x - 1 to x + 1 of a row, as far as there are any. */
static bool cells_of_row(const grid_index *grid, uint32_t x, int64_t y, int64_t z, uint32_t *first,
                         uint32_t *last)
{
    if (y < 0 || z < 0 || y >= grid->rows[1] || z >= grid->rows[2]) {
        return false;
    }
    const uint32_t row = ((uint32_t)z * grid->rows[1] + (uint32_t)y) * grid->rows[0];
    *first = row + (x > 0 ? x - 1 : 0);
    *last = row + (x + 1 < grid->rows[0] ? x + 1 : x);
    return true;
}

/* Each box with those that follow it: in its cell, in the next one of the row, and in the four rows
 * that come after it of the eight around. */
static void search_all(kiln_dynamic *world, grid_index *grid)
{
    static const int after[4][2] = {{1, 0}, {-1, 1}, {0, 1}, {1, 1}}; /* of y and z */
    uint32_t cell = 0;
    for (uint32_t z = 0; z < grid->rows[2]; z++) {
        for (uint32_t y = 0; y < grid->rows[1]; y++) {
            for (uint32_t x = 0; x < grid->rows[0]; x++, cell++) {
                const uint32_t end = grid->firsts[cell + 1];
                uint32_t ranges[5][2], used[5][2], first, last;
                unsigned count = 1;
                if (grid->firsts[cell] == end) {
                    continue;
                }
                ranges[0][1] = x + 1 < grid->rows[0] ? grid->firsts[cell + 2] : end;
                for (int i = 0; i < 4; i++) {
                    if (cells_of_row(grid, x, (int64_t)y + after[i][0], (int64_t)z + after[i][1],
                                     &first, &last)) {
                        ranges[count][0] = grid->firsts[first];
                        ranges[count][1] = grid->firsts[last + 1];
                        count += ranges[count][0] < ranges[count][1];
                    }
                }
                for (uint32_t box = grid->firsts[cell]; box < end && !world->is_full; box++) {
                    const kiln_moving_box reverse = mirrored(&grid->boxes[box]);
                    ranges[0][0] = box + 1;
                    memcpy(used, ranges, sizeof used);
                    search_ranges(world, grid, used, count, &reverse, grid->owners[box]);
                }
            }
        }
    }
}

static void make_wide(grid_index *grid, uint32_t place)
{
    for (uint32_t i = 0; i < grid->wide_count; i++) {
        if (grid->wide[i] == place) {
            return;
        }
    }
    grid->wide[grid->wide_count++] = place;
}

/* A box against all in the cells around its own, the added ones included. */
static void search_around(kiln_dynamic *world, grid_index *grid, const kiln_moving_box *box,
                          uint32_t cell, uint32_t place)
{
    const kiln_moving_box reverse = mirrored(box);
    const uint32_t x = cell % grid->rows[0], row = cell / grid->rows[0];
    const int64_t y = row % grid->rows[1], z = row / grid->rows[1];
    uint32_t ranges[9][2], first, last;
    unsigned count = 0;
    for (int64_t i = 0; i < 9; i++) {
        if (!cells_of_row(grid, x, y + i % 3 - 1, z + i / 3 - 1, &first, &last)) {
            continue;
        }
        ranges[count][0] = grid->firsts[first];
        ranges[count][1] = grid->firsts[last + 1];
        count += ranges[count][0] < ranges[count][1];
        for (uint32_t at = first; at <= last; at++) {
            for (uint32_t added = grid->chains[at]; added != KILN_DYNAMIC_NOWHERE;
                 added = grid->cells[added]) {
                bool meets = true;
                for (int k = 0; k < 8; k++) {
                    meets = meets && grid->boxes[added].bound[k] <= reverse.bound[k];
                }
                if (meets) {
                    pass_owner(world, grid, place, added);
                }
            }
        }
    }
    search_ranges(world, grid, ranges, count, &reverse, place);
}

/* --------------------------------------------------------------------------------- intervals -- */

void kiln_dynamic_grid_begin(kiln_dynamic *world, bool whole)
{
    grid_index *grid = (grid_index *)world->index;
    (void)whole;
    choose_cells(world, grid);
    for (int i = 0; !count_boxes(world, grid); i++) { /* a shorter interval has fewer boxes */
        const double half = world->begin + (world->end - world->begin) / 2;
        if (half <= world->begin || i == 60) {
            KILN_ASSERT(false); /* as many boxes as objects always have room */
            break;
        }
        world->end = half;
        choose_cells(world, grid);
    }
    world->counts.interval = world->end - world->begin;
    sort_boxes(world, grid);
    search_all(world, grid);
    for (uint32_t i = 0; i < grid->wide_count && !world->is_full; i++) {
        kiln_dynamic_simd_change(world, grid->wide[i]);
    }
}

void kiln_dynamic_grid_change(kiln_dynamic *world, uint32_t place)
{
    grid_index *grid = (grid_index *)world->index;
    grid_sweep sweep;
    const double from = world->now - world->begin;
    sweep_of(world, place, from > 0 ? from : 0, grid->cell, &sweep);
    if (sweep.parts == 0) {
        make_wide(grid, place);
        kiln_dynamic_simd_change(world, place);
        return;
    }
    if (sweep.parts > grid->room - grid->count) {
        world->is_beyond = true; /* the next interval begins after this instant */
        kiln_dynamic_simd_change(world, place);
        return;
    }
    for (uint32_t part = 0; part < sweep.parts; part++) {
        const kiln_moving_box box = box_of_part(&sweep, part);
        const uint32_t cell = cell_of(grid, &box), added = grid->count++;
        search_around(world, grid, &box, cell, place);
        grid->boxes[added] = box;
        grid->owners[added] = place;
        grid->keys[added] = world->keys[place];
        grid->cells[added] = grid->chains[cell];
        grid->chains[cell] = added;
    }
    world->counts.boxes += sweep.parts;
    for (uint32_t i = 0; i < grid->wide_count; i++) {
        kiln_dynamic_simd_pair(world, place, grid->wide[i]);
    }
}

const kiln_dynamic_method kiln_dynamic_grid = {
    .size = kiln_dynamic_grid_size,
    .place = kiln_dynamic_grid_place,
    .horizon = kiln_dynamic_grid_horizon,
    .begin = kiln_dynamic_grid_begin,
    .change = kiln_dynamic_grid_change,
    .lasting = false,
    .has_image = true,
    .may_turn = true,
};
