/* Which region is which of the query before.
 *
 * A region moves with one of the meshes or the other, or slides over both: the way that its
 * centroid has gone is the lesser of those on A and on B. Two regions are one if each is the
 * other's nearest, so that the result does not depend on the order of either array but for equal
 * ways. */
#include "../base/fpu.h"
#include "../kiln_regions.h"

#include <math.h>

/* The squared way on the mesh on which it is the lesser. */
static double squared_drift(const kiln_region *before, const kiln_region *now)
{
    double on_a = 0, on_b = 0;
    for (int k = 0; k < 3; k++) {
        const double a = now->place_a[k] - before->place_a[k];
        const double b = now->place_b[k] - before->place_b[k];
        on_a += a * a;
        on_b += b * b;
    }
    return on_a < on_b ? on_a : on_b;
}

/* The index of the nearest; `count`: there is none. */
static size_t nearest_region(const kiln_region *of, const kiln_region *among, size_t count)
{
    size_t nearest = count;
    double least = HUGE_VAL;
    for (size_t i = 0; i < count; i++) {
        const double way = squared_drift(of, &among[i]);
        if (way < least) {
            least = way;
            nearest = i;
        }
    }
    return nearest;
}

static void match_regions(const kiln_region *before, size_t before_count, kiln_region *regions,
                          size_t count, uint64_t *next)
{
    for (size_t i = 0; i < count; i++) {
        const size_t j = nearest_region(&regions[i], before, before_count);
        regions[i].id = 0;
        if (j < before_count && nearest_region(&before[j], regions, count) == i) {
            const double reach = fmax(before[j].radius, regions[i].radius);
            if (squared_drift(&before[j], &regions[i]) <= reach * reach) {
                regions[i].id = before[j].id;
            }
        }
        if (regions[i].id == 0) {
            regions[i].id = (*next)++;
        }
    }
}

kiln_status kiln_regions_match(const kiln_region *before, size_t before_count, kiln_region *regions,
                               size_t count, uint64_t *next)
{
    if ((before == NULL && before_count > 0) || (regions == NULL && count > 0) || next == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, match_regions);
    run(before, before_count, regions, count, next);
    kiln_fpu_leave(caller);
    return KILN_OK;
}
