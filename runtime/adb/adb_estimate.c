/* How probable a collision is in pairs of boxes.
 *
 * The counts of a node's lanes are brought to octants and floats, as the kernels of
 * kernel_adb.h weigh them (counts of octants by a transposition of bytes, since they are the
 * common case); the kernels give features and, by the fitted weights, losses. Evaluators that
 * have no weights replace these: the bound of Klein and Zachmann 2003, Equation 8, over filled
 * bins, and the expected number of cells. */
#include "adb_estimate.h"

#include "../../formats/assert.h"
#include "../base/compiler.h"

#include <math.h>
#include <string.h>

/* -------------------------------------------------------------------------------------- counts --
 */

/* kiln_adb_unit without its walk over the cells: regions are as equal as can be. */
KILN_RARE kiln_adb_grid kiln_adb_grid_of(const kiln_format_adb *adb)
{
    KILN_ASSERT(adb != NULL);
    const uint32_t cells = (uint32_t)adb->grid * adb->grid * adb->grid;
    const uint32_t count = kiln_adb_region_count(adb);
    const uint32_t most = (cells + count - 1) / count;
    return (kiln_adb_grid){.cells = (float)cells,
                           .unit = (float)((most + 255) / 256),
                           .layer = (float)(adb->grid * adb->grid),
                           .regions = adb->regions};
}

/* A single region spreads over all octants, a pyramid over the four that it reaches into. */
KILN_RARE void kiln_adb_octants(const kiln_adb_grid *grid, const kiln_format_adb_box *box,
                                float octants[8])
{
    const uint8_t *count = box->count;
    if (grid->regions == KILN_ADB_REGIONS_OCTANTS) {
        for (unsigned i = 0; i < 8; i++) {
            octants[i] = grid->unit * (float)count[i];
        }
        return;
    }
    const bool one = grid->regions == KILN_ADB_REGIONS_ONE;
    const float share = grid->unit * (one ? 0.125f : 0.25f);
    for (unsigned i = 0; i < 8; i++) {
        const unsigned sum =
            one ? count[0] : (unsigned)count[i & 1] + count[2 + (i >> 1 & 1)] + count[4 + (i >> 2)];
        octants[i] = share * (float)sum;
    }
}

/* One of the three steps that transpose eight rows of eight bytes: pairs of bytes, `shift` bits and
 * rows apart, change places. */
static inline void swap_bytes(uint64_t *low, uint64_t *high, unsigned shift, uint64_t mask)
{
    const uint64_t change = (*low >> shift ^ *high) & mask;
    *high ^= change;
    *low ^= change << shift;
}

/* rows[i] byte k = counts[k].count[i]. */
static inline void transpose_counts(const kiln_format_adb_box counts[], unsigned count,
                                    uint8_t rows[8][8])
{
    uint64_t of[8] = {0};
    for (unsigned i = 0; i < count; i++) {
        memcpy(&of[i], counts[i].count, sizeof of[i]);
    }
    for (unsigned i = 0; i < 4; i++) {
        swap_bytes(&of[i], &of[i + 4], 32, UINT64_C(0x00000000FFFFFFFF));
    }
    for (unsigned i = 0; i < 8; i += i % 4 == 1 ? 3 : 1) {
        swap_bytes(&of[i], &of[i + 2], 16, UINT64_C(0x0000FFFF0000FFFF));
    }
    for (unsigned i = 0; i < 8; i += 2) {
        swap_bytes(&of[i], &of[i + 1], 8, UINT64_C(0x00FF00FF00FF00FF));
    }
    memcpy(rows, of, sizeof of);
}

void kiln_adb_take_counts(const kiln_adb_grid *grid, const kiln_adb_kernels *kernels,
                          const kiln_format_adb_box counts[], unsigned count, kiln_adb_lanes *boxes)
{
    uint8_t rows[8][8], level[1][8] = {{0}};
    KILN_ASSERT(count <= 8);
    for (unsigned lane = 0; lane < count; lane++) {
        level[0][lane] = counts[lane].lb;
    }
    kernels->scale_bytes(level, 1, 1.0f / 255.0f, &boxes->level);
    boxes->cells = grid->cells;
    if (grid->regions == KILN_ADB_REGIONS_OCTANTS) {
        transpose_counts(counts, count, rows);
        kernels->scale_bytes(rows, 8, grid->unit, boxes->region);
        return;
    }
    memset(boxes->region, 0, sizeof boxes->region);
    for (unsigned lane = 0; lane < count; lane++) {
        float octants[8];
        kiln_adb_octants(grid, &counts[lane], octants);
        for (unsigned i = 0; i < 8; i++) {
            boxes->region[i][lane] = octants[i];
        }
    }
}

/* ---------------------------------------------------------------------------------- evaluators --
 */

__attribute__((cold)) static uint32_t
weigh_without_weights(const kiln_adb_kernels *kernels, const kiln_adb_options *options,
                      const kiln_adb_weights *weights, const kiln_adb_lanes *boxes,
                      const kiln_adb_box *other, uint32_t used, kiln_adb_weighed *out)
{
    kiln_adb_common common;
    const uint32_t mask = kernels->weigh(boxes, other, weights, used, out, &common);
    KILN_ASSERT((mask & ~used) == 0);
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        if (options->evaluator != KILN_ADB_BINS) {
            /* The expected number itself; features[0] has a floor that belongs to the weights. */
            const float expected =
                common.cells[lane] * (common.density[0][lane] * common.density[1][lane]);
            out->loss[lane] =
                expected * kiln_exp2(-out->features[3][lane]) * out->features[2][lane];
            continue;
        }
        /* Equation 8 over filled bins; both numbers of possible cells shrink by the ratio of sizes.
         */
        const double s = (double)common.cells[lane];
        const double shrunk = s * exp2(-0.5 * (double)out->features[3][lane]);
        const double sa = fmin(shrunk * (double)common.density[0][lane], s);
        const double sb = fmin(shrunk * (double)common.density[1][lane], s);
        double p = 0.0;
        (void)kiln_bins_collision_bound(options->bins, s, sa, sb, (double)out->features[2][lane],
                                        KILN_BINS_INTERPOLATED, NULL, &p);
        out->loss[lane] = p < 1.0 ? (float)-log1p(-p) : 60.0f;
    }
    return mask;
}

/* The fitted evaluator is the common case, which runs in the kernels alone. */
uint32_t kiln_adb_weigh(const kiln_adb_kernels *kernels, const kiln_adb_options *options,
                        const kiln_adb_weights *weights, const kiln_adb_lanes *boxes,
                        const kiln_adb_box *other, uint32_t used, kiln_adb_weighed *out)
{
    return options->evaluator == KILN_ADB_CALIBRATED
               ? kernels->weigh(boxes, other, weights, used, out, NULL)
               : weigh_without_weights(kernels, options, weights, boxes, other, used, out);
}
