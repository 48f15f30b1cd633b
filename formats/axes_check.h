/* What the sections of an axis set mean, and its verifier: axes.md.
 *
 * Theorem. When kiln_axes_view_open returned true without `trusted`, then whatever the bytes of the
 * file are - each axis is of length 1 within 2^-49 (rule 32); - for every direction the cell that
 * kiln_axes_cell names is one of the table's, if there is one
 *     (9, 31), and its mask lies inside the section and has at least one bit, each of an axis (33).
 * That the covering radius is that of the axes, and that masks have all axes of their zones, rests
 * on checksums, and on `kiln lut check`, which makes both anew. */
#ifndef KILN_AXES_CHECK_H
#define KILN_AXES_CHECK_H

#include "format_error.h"
#include "format.h"
#include "reader.h"

#include <math.h>
#include <stdbool.h>

typedef struct {
    const kiln_format_axes *header;
    const double (*axes)[3];
    const uint64_t *zones; /* NULL: no table */
    const char *meta;
    uint64_t meta_size;
    const kiln_reader *reader;
} kiln_axes_view;

/* Does an open reader hold an axis set? */
bool kiln_axes_is_set(const kiln_reader *reader);

/* Names the sections of an open reader and checks them: with `trusted` only that they are there and
 * that their sizes fit together. The view refers to the reader. */
bool kiln_axes_view_open(kiln_axes_view *view, const kiln_reader *reader, bool trusted,
                         kiln_format_error *error);

/* The place of a column or row, from -1 to 1, among cells. Below 2^-50 is lost to roundings. */
static inline uint32_t kiln_axes_cell_of(double place, uint32_t cells)
{
    const double at = (place + 1.0) * (0.5 * cells);
    return at < cells ? (uint32_t)at : cells - 1;
}

/* The cell of the look-up table that a direction is in: that of its opposite too. v is not 0 and
 * not so long or short that quotients of its coordinates are not finite. */
static inline uint64_t kiln_axes_cell(const double v[3], uint32_t cells)
{
    unsigned longest = 0;
    for (unsigned i = 1; i < 3; i++) {
        longest = fabs(v[i]) > fabs(v[longest]) ? i : longest;
    }
    const double s = v[(longest + 1) % 3] / v[longest], t = v[(longest + 2) % 3] / v[longest];
    return ((uint64_t)longest * cells + kiln_axes_cell_of(t, cells)) * cells +
           kiln_axes_cell_of(s, cells);
}

#endif
