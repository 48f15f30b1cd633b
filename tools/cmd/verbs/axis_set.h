/* Axis sets, as the verbs about them use them. */
#ifndef KILN_CMD_AXIS_SET_H
#define KILN_CMD_AXIS_SET_H

#include "../kit/report.h"

#include "../../../lut/axes.h"

/* "spherical", "antipodal". */
const char *axis_set_kind_name(const kiln_format_axes *header);

double axis_set_degrees(double radians);

/* The angle of the look-up table, whose sine the header has, in degrees. */
double axis_set_zone_degrees(const kiln_format_axes *header);

/* Members of a report about a set's header. */
void axis_set_describe(const kiln_format_axes *header, json_t *object);

/* Makes the radius and all masks of a verified set anew. Reports what is wrong: EXIT_INVALID,
 * EXIT_RUN, or EXIT_DONE where that is nothing. */
int axis_set_check(const char *path, const kiln_axes_view *view, kiln_lut_axes_audit *audit);

/* The same for the bytes of a sound file. */
int axis_set_check_bytes(const char *path, const void *data, size_t size);

#endif
