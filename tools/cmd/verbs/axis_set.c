/* Axis sets, as the verbs about them use them: describing and judging. */
#include "axis_set.h"

#include "../kit/files.h"

#include "../../../lut/axes_math.h"

const char *axis_set_kind_name(const kiln_format_axes *header)
{
    return header->kind == KILN_AXES_ANTIPODAL ? "antipodal" : "spherical";
}

double axis_set_degrees(double radians)
{
    return radians * (180.0 / KILN_LUT_PI);
}

double axis_set_zone_degrees(const kiln_format_axes *header)
{
    return axis_set_degrees(kiln_lut_angle_above(header->zone_sine));
}

/* Members about the header, in documents of info, diff and lut axes alike. */
void axis_set_describe(const kiln_format_axes *header, json_t *object)
{
    json_object_set_new(object, "kind", json_cstring(axis_set_kind_name(header)));
    json_object_set_new(object, "points", json_count(header->points));
    json_object_set_new(object, "axes", json_count(header->count));
    json_object_set_new(object, "radius", json_number(axis_set_degrees(header->radius)));
    json_object_set_new(object, "phi", json_number(axis_set_zone_degrees(header)));
    json_object_set_new(object, "zone_cells", json_count(header->zone_cells));
}

int axis_set_check(const char *path, const kiln_axes_view *view, kiln_lut_axes_audit *audit)
{
    if (!kiln_lut_axes_audit_all(view, audit)) {
        return report_error(EXIT_RUN, path, "out of memory; free some and run again");
    }
    if (!audit->radius_holds) {
        return report_error(EXIT_INVALID, path,
                            "the covering radius is wrong; it is up to %.7f degrees, and the file "
                            "says %.7f; generate it again",
                            axis_set_degrees(audit->radius.radius),
                            axis_set_degrees(view->header->radius));
    }
    if (audit->wrong_masks > 0) {
        return report_error(EXIT_INVALID, path,
                            "zones are wrong; %llu of %llu masks, such as that of cell %llu; "
                            "generate it again",
                            (unsigned long long)audit->wrong_masks,
                            (unsigned long long)audit->masks,
                            (unsigned long long)audit->first_wrong);
    }
    return EXIT_DONE;
}

/* The bytes are opened once more as trusted, because the caller has verified them. */
int axis_set_check_bytes(const char *path, const void *data, size_t size)
{
    kiln_reader reader;
    kiln_axes_view view;
    kiln_format_error error;
    kiln_lut_axes_audit audit;
    if (!kiln_reader_open(&reader, data, size, NULL, &error)) {
        return report_format_error(path, error.code, error.text);
    }
    const int status = kiln_axes_view_open(&view, &reader, true, &error)
                           ? axis_set_check(path, &view, &audit)
                           : report_format_error(path, error.code, error.text);
    kiln_reader_close(&reader);
    return status;
}
