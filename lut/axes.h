/* Generating and auditing of axis sets: formats/axes.md says what a set is. */
#ifndef KILN_LUT_AXES_H
#define KILN_LUT_AXES_H

#include "../formats/axes_check.h"
#include "axes_radius.h"
#include "parallel.h"

enum { KILN_LUT_AXES_SEARCHED = 2000 }; /* most points of a set that is not geodesic */

typedef struct {
    uint32_t points; /* of the covering, 6 .. KILN_LUT_GEODESIC_POINTS */
    bool antipodal;  /* a covering of lines: as many axes as half the points, at a larger radius */
    uint32_t
        starts; /* of a search; 0: the recipe that is kept, if there is one, else a short search */
    uint64_t seed;      /* of a search */
    double phi;         /* of the look-up table in radians; 0: the covering radius */
    uint64_t zone_most; /* most bytes of the look-up table: where it takes more there is none */
} kiln_lut_axes_options;

typedef enum {
    KILN_LUT_AXES_KEPT,    /* from a recipe */
    KILN_LUT_AXES_FOUND,   /* by a search */
    KILN_LUT_AXES_GEODESIC /* from the faces of an icosahedron */
} kiln_lut_axes_source;

typedef struct {
    kiln_format_axes header;
    double (*axes)[3];
    uint64_t *zones;     /* NULL: no table */
    uint64_t zone_count; /* words */
    kiln_lut_axes_source source;
    kiln_lut_radius covering; /* of the points that the axes were chosen from */
} kiln_lut_axes;

typedef enum {
    KILN_LUT_AXES_DONE,
    KILN_LUT_AXES_FAILED, /* out of memory or cancelled */
    KILN_LUT_AXES_NO_SET, /* nothing is known for this number of points */
    KILN_LUT_AXES_NARROW  /* phi is below the covering radius, or above 90 degrees */
} kiln_lut_axes_status;

/* Fills *set, released by kiln_lut_axes_free also after failure. The same bits for any threads and
 * on any machine. */
kiln_lut_axes_status kiln_lut_axes_generate(const kiln_lut_axes_options *options,
                                            const kiln_lut_parallel *parallel, kiln_lut_axes *set);
void kiln_lut_axes_free(kiln_lut_axes *set);

/* What an audit saw of a set that was verified. */
typedef struct {
    kiln_lut_radius radius; /* computed anew, of the axes and their opposites */
    bool radius_holds;      /* those of the file are not below it */
    uint64_t masks;         /* compared with masks that were made anew */
    uint64_t wrong_masks;
    uint64_t first_wrong; /* the cell */
} kiln_lut_axes_audit;

/* False: out of memory. */
bool kiln_lut_axes_audit_all(const kiln_axes_view *view, kiln_lut_axes_audit *audit);

#endif
