/* A triangle is cut into slabs along x, each piece along y, each of these along z. All in the
 * grid's own coordinates, in which cells are unit cubes: what part of a triangle a piece is does
 * not change under affine maps, so the part is measured there, projected along the axis nearest
 * to the normal.
 *
 * Only +, -, *, /, sqrt and floor of doubles, in one order: the same sums on every machine. */
#include "cells.h"

#include "../../formats/assert.h"

#include <math.h>
#include <string.h>

/* A triangle cut by six planes has at most nine corners. Rounding can make a piece a little less
 * than convex, and add some; none is added beyond this number, which costs a sliver of
 * rounding's size. */
enum { CORNERS_MAX = 16 };

typedef struct {
    double at[CORNERS_MAX][3];
    unsigned count;
} piece;

/* One triangle on its way into the cells. */
typedef struct {
    kiln_cells *cells;
    unsigned across, up; /* the coordinates that the pieces' areas are measured in */
    double weight;       /* true area over projected, with the sign of the projected one */
} cut;

/* A flat box gets a least thickness, so that its cells have a section at all. */
bool kiln_cells_begin(kiln_cells *cells, const kiln_box *box, unsigned grid)
{
    KILN_ASSERT(grid >= 4 && grid <= KILN_ADB_GRID_MAX);
    const size_t count = (size_t)grid * grid * grid;
    double largest = 0, reach = 0;
    cells->box = *box;
    cells->grid = grid;
    cells->stride[0] = 1;
    cells->stride[1] = grid;
    cells->stride[2] = (size_t)grid * grid;
    memset(cells->area, 0, count * sizeof cells->area[0]);
    for (unsigned k = 0; k < 3; k++) {
        largest = box->half[k] > largest ? box->half[k] : largest;
        reach += fabs(box->centre[k]) + box->half[k];
    }
    if (!(largest > 0 && reach < INFINITY)) {
        return false;
    }
    for (unsigned k = 0; k < 3; k++) {
        const double least = 0.02 * largest;
        cells->box.half[k] = box->half[k] > least ? box->half[k] : least;
        cells->scale[k] = grid / (2 * cells->box.half[k]);
    }
    return true;
}

/* Twice the projected area, signed. */
static double doubled_area(const cut *of, const piece *p)
{
    KILN_ASSERT(p->count >= 3);
    const double x = p->at[0][of->across], y = p->at[0][of->up];
    double sum = 0;
    for (unsigned i = 2; i < p->count; i++) {
        const double *a = p->at[i - 1], *b = p->at[i];
        sum += (a[of->across] - x) * (b[of->up] - y) - (a[of->up] - y) * (b[of->across] - x);
    }
    return sum;
}

/* Adds a corner where there is room; see CORNERS_MAX. */
static void append(piece *p, const double at[3])
{
    KILN_ASSERT(p->count <= CORNERS_MAX);
    if (p->count < CORNERS_MAX) {
        memcpy(p->at[p->count++], at, 3 * sizeof(double));
    }
}

/* Where the edge meets the plane: the same point for both pieces. */
static void cross_plane(const double *below, const double *above, unsigned axis, double plane,
                        double out[3])
{
    KILN_ASSERT(below[axis] < plane && above[axis] > plane);
    const double part = (plane - below[axis]) / (above[axis] - below[axis]);
    for (unsigned k = 0; k < 3; k++) {
        out[k] = below[k] + part * (above[k] - below[k]);
    }
    out[axis] = plane;
}

/* Corners on the plane belong to both. */
static void split(const piece *whole, unsigned axis, double plane, piece *below, piece *above)
{
    KILN_ASSERT(whole->count > 0 && axis < 3);
    below->count = above->count = 0;
    const double *last = whole->at[whole->count - 1];
    for (unsigned i = 0; i < whole->count; i++) {
        const double *next = whole->at[i];
        double on[3];
        if (last[axis] < plane && next[axis] > plane) {
            cross_plane(last, next, axis, plane, on);
            append(below, on);
            append(above, on);
        } else if (last[axis] > plane && next[axis] < plane) {
            cross_plane(next, last, axis, plane, on);
            append(below, on);
            append(above, on);
        }
        if (next[axis] <= plane) {
            append(below, next);
        }
        if (next[axis] >= plane) {
            append(above, next);
        }
        last = next;
    }
}

/* The slabs that a piece reaches into: -1 where it begins below the grid, grid where it ends
 * above. What lies in a plane between two slabs belongs to the upper one, in the last plane to
 * the last. */
static void slabs_of(const piece *p, unsigned axis, unsigned grid, int *first, int *last)
{
    KILN_ASSERT(p->count > 0 && axis < 3);
    const double most = grid;
    double low = p->at[0][axis], high = low;
    for (unsigned i = 1; i < p->count; i++) {
        const double at = p->at[i][axis];
        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    /* Written so that NaN, which only files of no baker can lead to, is in range too. */
    *first = low >= 0 ? (low < most ? (int)low : (int)grid - 1) : -1;
    *last = high <= most ? (high >= 0 ? (int)high : -1) : (int)grid;
    if (*last > *first && high <= most && (double)*last == high) {
        --*last; /* it ends in the plane below that slab */
    }
}

static void add_slabs(const cut *of, const piece *p, unsigned axis, size_t cell);

/* A piece that lies in slab `slab` of an axis goes on to the next axis, or into its cell. */
static void add_piece(const cut *of, const piece *p, unsigned axis, int slab, size_t cell)
{
    KILN_ASSERT(axis < 3);
    if (slab < 0 || slab >= (int)of->cells->grid || p->count < 3) {
        return;
    }
    cell += (size_t)slab * of->cells->stride[axis];
    if (axis < 2) {
        add_slabs(of, p, axis + 1, cell);
    } else {
        of->cells->area[cell] += doubled_area(of, p) * of->weight;
    }
}

/* Cuts a piece into the slabs of one axis, from the lowest on, and passes each on. */
static void add_slabs(const cut *of, const piece *p, unsigned axis, size_t cell)
{
    KILN_ASSERT(axis < 3);
    piece below, rest[2];
    int first, last;
    slabs_of(p, axis, of->cells->grid, &first, &last);
    for (int slab = first; slab < last; slab++) {
        piece *above = &rest[slab & 1];
        split(p, axis, slab + 1, &below, above);
        add_piece(of, &below, axis, slab, cell);
        if (above->count < 3) {
            return;
        }
        p = above;
    }
    add_piece(of, p, axis, last, cell);
}

/* The corners in the grid's coordinates, 0 to grid on each axis. */
static void to_grid(const kiln_cells *cells, const double corner[9], bool inside, piece *p)
{
    KILN_ASSERT(cells->grid > 0);
    const kiln_box *box = &cells->box;
    const double most = cells->grid, middle = 0.5 * most;
    p->count = 3;
    for (unsigned i = 0; i < 3; i++) {
        const double x = corner[3 * i] - box->centre[0];
        const double y = corner[3 * i + 1] - box->centre[1];
        const double z = corner[3 * i + 2] - box->centre[2];
        for (unsigned k = 0; k < 3; k++) {
            const double *axis = box->axis[k];
            double at = ((axis[0] * x + axis[1] * y) + axis[2] * z) * cells->scale[k] + middle;
            if (inside) {
                at = at < 0 ? 0 : at > most ? most : at;
            }
            p->at[i][k] = at;
        }
    }
}

/* The cell that holds the whole triangle, if one does. */
static bool common_cell(const piece *p, const kiln_cells *cells, size_t *which)
{
    const unsigned grid = cells->grid;
    size_t cell = 0;
    for (unsigned k = 0; k < 3; k++) {
        const double a = p->at[0][k], b = p->at[1][k], c = p->at[2][k];
        if (!(a >= 0 && a < grid && b >= 0 && b < grid && c >= 0 && c < grid)) {
            return false;
        }
        const unsigned i = (unsigned)a;
        if ((unsigned)b != i || (unsigned)c != i) {
            return false;
        }
        cell += i * cells->stride[k];
    }
    *which = cell;
    return true;
}

/* Projects along the largest component of the normal. False: no area is left there. */
static bool choose_projection(const piece *p, double area, cut *of)
{
    double normal[3], largest = 0;
    unsigned along = 0;
    for (unsigned k = 0; k < 3; k++) {
        const unsigned i = (k + 1) % 3, j = (k + 2) % 3;
        normal[k] = (p->at[1][i] - p->at[0][i]) * (p->at[2][j] - p->at[0][j]) -
                    (p->at[1][j] - p->at[0][j]) * (p->at[2][i] - p->at[0][i]);
        const double size = fabs(normal[k]);
        if (size > largest) {
            largest = size;
            along = k;
        }
    }
    if (!(largest > 0)) {
        return false;
    }
    of->across = (along + 1) % 3;
    of->up = (along + 2) % 3;
    of->weight = area / normal[along];
    return true;
}

/* Most triangles lie in one cell, and need no cutting. */
void kiln_cells_add(kiln_cells *cells, const double corner[9], double area, bool inside)
{
    KILN_ASSERT(cells->grid >= 4 && cells->grid <= KILN_ADB_GRID_MAX);
    piece p;
    cut of = {cells, 0, 0, 0};
    to_grid(cells, corner, inside, &p);
    size_t cell;
    if (common_cell(&p, cells, &cell)) {
        cells->area[cell] += area;
    } else if (choose_projection(&p, area, &of)) {
        add_slabs(&of, &p, 0, 0);
    }
}

/* Puts the greater of two first. */
static void swap_if_less(double *a, double *b)
{
    if (*a < *b) {
        const double moved = *a;
        *a = *b;
        *b = moved;
    }
}

/* Of a box with edges a >= b >= c: the mean of its plane sections over all planes that meet it
 * is volume over mean width, 2 a b c / (a + b + c) (Cauchy, Crofton); the largest is that
 * through two opposite edges, a sqrt(b^2 + c^2), which for cubes is the paper's a^2 sqrt(2).
 * With the latter and a factor of 1 (Definition 2 to the letter) no plane along a face makes a
 * cell possible. */
double kiln_cells_threshold(const kiln_cells *cells, unsigned rule, double factor)
{
    double a = 2 * cells->box.half[0] / cells->grid;
    double b = 2 * cells->box.half[1] / cells->grid;
    double c = 2 * cells->box.half[2] / cells->grid;
    swap_if_less(&a, &b);
    swap_if_less(&b, &c);
    swap_if_less(&a, &b);
    const double section =
        rule == KILN_ADB_AREA_MEAN ? 2 * ((a * b) * c) / ((a + b) + c) : a * sqrt(b * b + c * c);
    return factor * section;
}
