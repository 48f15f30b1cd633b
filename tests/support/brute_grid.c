/* See brute_grid.h. A coordinate's cell is a monotone function of the coordinate, so boxes that
 * overlap have a cell in common, whatever rounding does. */
#include "brute_grid.h"

#include "../property/oracle.h"

#include <math.h>
#include <stdlib.h>

enum { CELLS_MAX = 96 };

typedef struct {
    double lower[3], upper[3];
} box;

static void *get(size_t count, size_t size)
{
    void *memory = calloc(count + (count == 0), size);
    if (memory == NULL) {
        abort();
    }
    return memory;
}

static box box_of(const double corners[9])
{
    box out;
    for (int k = 0; k < 3; k++) {
        out.lower[k] = fmin(corners[k], fmin(corners[3 + k], corners[6 + k]));
        out.upper[k] = fmax(corners[k], fmax(corners[3 + k], corners[6 + k]));
    }
    return out;
}

static uint32_t cell_of(const brute_grid *grid, int axis, double x)
{
    const double cell = floor((x - grid->lower[axis]) * grid->cells_per_unit[axis]);
    return (uint32_t)fmin(fmax(cell, 0), grid->cells[axis] - 1);
}

typedef struct {
    uint32_t from[3], to[3];
} cell_range;

static cell_range cells_of(const brute_grid *grid, const box *of)
{
    cell_range out;
    for (int k = 0; k < 3; k++) {
        out.from[k] = cell_of(grid, k, of->lower[k]);
        out.to[k] = cell_of(grid, k, of->upper[k]);
    }
    return out;
}

static size_t cell_index(const brute_grid *grid, uint32_t x, uint32_t y, uint32_t z)
{
    return ((size_t)z * grid->cells[1] + y) * grid->cells[0] + x;
}

/* Cubic cells, about two a triangle. */
static void choose_cells(brute_grid *grid)
{
    double widest = 0;
    for (int k = 0; k < 3; k++) {
        widest = fmax(widest, grid->upper[k] - grid->lower[k]);
    }
    const double across = fmin(ceil(2 * cbrt(grid->of->triangle_count)), CELLS_MAX);
    for (int k = 0; k < 3; k++) {
        const double width = grid->upper[k] - grid->lower[k];
        grid->cells_per_unit[k] = widest > 0 ? across / widest : 0;
        grid->cells[k] = (uint32_t)fmin(ceil(width * grid->cells_per_unit[k]) + 1, CELLS_MAX);
    }
}

static void measure(brute_grid *grid)
{
    for (int k = 0; k < 3; k++) {
        grid->lower[k] = INFINITY;
        grid->upper[k] = -INFINITY;
    }
    for (uint32_t i = 0; i < grid->of->triangle_count; i++) {
        double *corners = grid->corners + 9 * (size_t)i;
        brute_corners(grid->of, i, NULL, corners);
        const box around = box_of(corners);
        for (int k = 0; k < 3; k++) {
            grid->lower[k] = fmin(grid->lower[k], around.lower[k]);
            grid->upper[k] = fmax(grid->upper[k], around.upper[k]);
        }
    }
}

/* Counts into first[cell + 1], or, with members, files each triangle behind first[cell]. */
static void visit_all(brute_grid *grid, uint32_t *places)
{
    for (uint32_t i = 0; i < grid->of->triangle_count; i++) {
        const box around = box_of(grid->corners + 9 * (size_t)i);
        const cell_range range = cells_of(grid, &around);
        for (uint32_t z = range.from[2]; z <= range.to[2]; z++) {
            for (uint32_t y = range.from[1]; y <= range.to[1]; y++) {
                for (uint32_t x = range.from[0]; x <= range.to[0]; x++) {
                    const size_t cell = cell_index(grid, x, y, z);
                    if (grid->members == NULL) {
                        places[cell + 1]++;
                    } else {
                        grid->members[places[cell]++] = i;
                    }
                }
            }
        }
    }
}

brute_grid brute_grid_of(const mesh *m)
{
    brute_grid grid = {.of = m};
    grid.corners = get(9 * (size_t)m->triangle_count, sizeof *grid.corners);
    measure(&grid);
    choose_cells(&grid);
    const size_t cells = (size_t)grid.cells[0] * grid.cells[1] * grid.cells[2];
    grid.first = get(cells + 1, sizeof *grid.first);
    visit_all(&grid, grid.first);
    for (size_t i = 0; i < cells; i++) {
        grid.first[i + 1] += grid.first[i];
    }
    grid.members = get(grid.first[cells], sizeof *grid.members);
    uint32_t *places = get(cells, sizeof *places);
    for (size_t i = 0; i < cells; i++) {
        places[i] = grid.first[i];
    }
    visit_all(&grid, places);
    free(places);
    return grid;
}

void brute_grid_free(brute_grid *grid)
{
    free(grid->first);
    free(grid->members);
    free(grid->corners);
}

/* A pair is looked at in one cell only of those that it shares: that of the lower corner of what
 * the two boxes have in common. */
static bool is_its_cell(const brute_grid *grid, const box *p, const box *q, const uint32_t cell[3])
{
    for (int k = 0; k < 3; k++) {
        if (cell_of(grid, k, fmax(p->lower[k], q->lower[k])) != cell[k]) {
            return false;
        }
    }
    return true;
}

static bool meets_in_cell(const brute_grid *grid, const uint32_t cell[3], const double *carried,
                          const box *around)
{
    const size_t at = cell_index(grid, cell[0], cell[1], cell[2]);
    for (uint32_t i = grid->first[at]; i < grid->first[at + 1]; i++) {
        const double *corners = grid->corners + 9 * (size_t)grid->members[i];
        if (brute_boxes_apart(corners, carried)) {
            continue;
        }
        const box own = box_of(corners);
        if (is_its_cell(grid, &own, around, cell) && oracle_triangles_meet(corners, carried)) {
            return true;
        }
    }
    return false;
}

static bool meets_any(const brute_grid *grid, const double *carried)
{
    const box around = box_of(carried);
    for (int k = 0; k < 3; k++) {
        if (around.upper[k] < grid->lower[k] || around.lower[k] > grid->upper[k]) {
            return false;
        }
    }
    const cell_range range = cells_of(grid, &around);
    uint32_t cell[3];
    for (cell[2] = range.from[2]; cell[2] <= range.to[2]; cell[2]++) {
        for (cell[1] = range.from[1]; cell[1] <= range.to[1]; cell[1]++) {
            for (cell[0] = range.from[0]; cell[0] <= range.to[0]; cell[0]++) {
                if (meets_in_cell(grid, cell, carried, &around)) {
                    return true;
                }
            }
        }
    }
    return false;
}

bool brute_grid_meet(const brute_grid *a, const kiln_tree *tree_a, const kiln_pose *pose_a,
                     const brute_grid *b, const kiln_tree *tree_b, const kiln_pose *pose_b)
{
    brute_affine carry;
    const bool b_stays = brute_place(tree_a, pose_a, tree_b, pose_b, &carry);
    const brute_grid *stays = b_stays ? b : a;
    const mesh *moves = b_stays ? a->of : b->of;
    for (uint32_t i = 0; i < moves->triangle_count; i++) {
        double carried[9];
        brute_corners(moves, i, &carry, carried);
        if (meets_any(stays, carried)) {
            return true;
        }
    }
    return false;
}
