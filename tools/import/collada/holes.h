/* Polygons with holes as polygons without. */
#ifndef KILN_IMPORT_COLLADA_HOLES_H
#define KILN_IMPORT_COLLADA_HOLES_H

#include "document.h"

/* Joins the holes of element `holed` to their outline. `corners` has the outline and then the
 * holes, lists of three and more, `sizes` how many each; there is room for two more a hole. Returns
 * how many the polygon has then. A hole that is not inside of the outline ends the work. Where a
 * corner refers to none of the `count` positions, or to one beyond a float, all stay as they are.
 */
size_t kiln_dae_join_holes(const dae *d, uint32_t holed, const double (*positions)[3], size_t count,
                           uint32_t *corners, const size_t *sizes, size_t lists);

#endif
