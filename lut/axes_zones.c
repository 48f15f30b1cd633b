/* Makes look-up tables of zones (axes_zones.h).
 *
 * A direction is looked up by the signs and the order of its coordinates: turned so that its
 * longest coordinate is 1, the other two are a place in a square that is cut into cells; opposite
 * directions have the same place (formats/axes.md). An edge of a cell is 2 / cells long, and seen
 * from the origin no wider than 2 / cells radians.
 *
 * Theorem. The mask of the cell that a look-up reads for a velocity v has every axis a with |a . v|
 * <= sine |a| |v|: so no table loses an axis of a zone, and two velocities share an axis whenever
 * their zones do.
 *
 * Proof. The directions with a . d > sine |d|, sine >= 0, are a convex cone (a cap around a). The
 * directions of a cell are the convex cone of its four corners. If all four corners are in the cap
 * of a, or all in that of -a, the whole cell is, and no direction in it has a in its zone; in all
 * other cases the axis is taken. So only roundings can lose an axis. They are covered twice: cells
 * are widened by 2^-40 at each side, since a look-up that divides two coordinates, adds 1, and
 * multiplies by cells / 2 <= 2^9 is off by at most 2^-53 (1 + 2 + 2) 2 of the square's edge; and a
 * corner c counts as in the cap only if a . c > (sine + 2^-40) |c| as computed, where the product
 * is off by less than 2^-51 |c|, and |a| by 2^-49. */
#include "axes_zones.h"

#include "axes_math.h"

#include <math.h>

static const double zone_margin = 0x1p-40;

/* Increments are five percent of phi. */
enum { CELLS_A_PHI = 20, CELLS_LEAST = 8, CELLS_MOST = 1024 };

uint32_t kiln_lut_zone_cells(double sine)
{
    const double cells = ceil(2.0 * CELLS_A_PHI / kiln_lut_angle_above(sine));
    return cells < CELLS_LEAST ? CELLS_LEAST : cells > CELLS_MOST ? CELLS_MOST : (uint32_t)cells;
}

/* Are all corners of a cell in the cap of the axis, or all in that of its opposite? */
static bool is_off(const double axis[3], double corners[4][3], const double limits[4])
{
    unsigned above = 0, below = 0;
    for (unsigned i = 0; i < 4; i++) {
        const double along =
            axis[0] * corners[i][0] + axis[1] * corners[i][1] + axis[2] * corners[i][2];
        above += along > limits[i];
        below += along < -limits[i];
    }
    return above == 4 || below == 4;
}

static void fill_cell(const double (*axes)[3], uint32_t count, double sine, double corners[4][3],
                      uint64_t *mask)
{
    double limits[4];
    for (unsigned i = 0; i < 4; i++) {
        const double *c = corners[i];
        limits[i] = (sine + zone_margin) * sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
    }
    for (uint32_t word = 0; word < (count + 63) / 64; word++) {
        mask[word] = 0;
        for (uint32_t i = 64 * word; i < count && i < 64 * word + 64; i++) {
            mask[word] |= (uint64_t)!is_off(axes[i], corners, limits) << i % 64;
        }
    }
}

void kiln_lut_zones_fill(const double (*axes)[3], uint32_t count, double sine, uint32_t cells,
                         uint64_t *zones)
{
    const uint32_t words = (count + 63) / 64;
    for (unsigned longest = 0; longest < 3; longest++) {
        const unsigned s = (longest + 1) % 3, t = (longest + 2) % 3;
        for (uint32_t row = 0; row < cells; row++) {
            for (uint32_t column = 0; column < cells; column++) {
                double corners[4][3];
                for (unsigned i = 0; i < 4; i++) {
                    const double right = (double)(i % 2), up = (double)(i / 2);
                    corners[i][longest] = 1.0;
                    corners[i][s] =
                        2.0 * (column + right) / cells - 1.0 + (2.0 * right - 1.0) * zone_margin;
                    corners[i][t] = 2.0 * (row + up) / cells - 1.0 + (2.0 * up - 1.0) * zone_margin;
                }
                fill_cell(axes, count, sine, corners, zones);
                zones += words;
            }
        }
    }
}
