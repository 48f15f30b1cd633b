/* Centres of triangles, by which builders cut: twice the centroid of each one's box, and their own
 * box. Parts of a list are measured by several threads and joined. */
#include "record.h"

#include "../../formats/assert.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

void kiln_centres_measure(const kiln_record *records, uint32_t count, kiln_centres *centres)
{
    KILN_ASSERT(count > 0);
    for (unsigned k = 0; k < 3; k++) {
        centres->lower[k] = centres->upper[k] = kiln_record_centre(&records[0], k);
    }
    for (uint32_t i = 1; i < count; i++) {
        for (unsigned k = 0; k < 3; k++) {
            const double c = kiln_record_centre(&records[i], k);
            centres->lower[k] = c < centres->lower[k] ? c : centres->lower[k];
            centres->upper[k] = c > centres->upper[k] ? c : centres->upper[k];
        }
    }
}

void kiln_centres_join(kiln_centres *centres, const kiln_centres *other)
{
    KILN_ASSERT(other->lower[0] <= other->upper[0]);
    for (unsigned k = 0; k < 3; k++) {
        centres->lower[k] =
            other->lower[k] < centres->lower[k] ? other->lower[k] : centres->lower[k];
        centres->upper[k] =
            other->upper[k] > centres->upper[k] ? other->upper[k] : centres->upper[k];
    }
}
