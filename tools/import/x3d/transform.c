/* Transforms of X3D (ISO/IEC 19775-1, 10.4.4): translation, centre, rotation and scale along axes
 * of their own, in the order that the format gives. The decimals of a quarter circle that files
 * have differ from it in the seventh digit or so; the angle stays what they say. */
#define _GNU_SOURCE
#include "transform.h"

#include <math.h>

kiln_affine kiln_x3d_rotation(const double rotation[4])
{
    return kiln_affine_rotation(rotation, sin(rotation[3]), cos(rotation[3]));
}

kiln_affine kiln_x3d_rotation_of(const x3d_document *document, const x3d_node *node,
                                 const char *name, const double rotation[4])
{
    double unit[4] = {0, 0, 1, rotation[3]}, most = 0, length = 0;
    bool finite = isfinite(rotation[3]);

    for (int i = 0; i < 3; i++) {
        most = fmax(most, fabs(rotation[i]));
        finite = finite && isfinite(rotation[i]);
    }
    if (most == 0 && rotation[3] == 0)
        return kiln_x3d_rotation(unit);
    if (most == 0 || !finite)
        kiln_x3d_fail(document, node, KILN_BAKE_INVALID,
                      "%s is by %g about the axis %g %g %g, which has no direction", name,
                      rotation[3], rotation[0], rotation[1], rotation[2]);
    for (int i = 0; i < 3; i++) {
        unit[i] = rotation[i] / most;
        length += unit[i] * unit[i];
    }
    for (int i = 0; i < 3; i++)
        unit[i] /= sqrt(length);
    return kiln_x3d_rotation(unit);
}

static kiln_affine moved(const double by[3], double sign)
{
    kiln_affine move = {
        {{1, 0, 0, sign * by[0]}, {0, 1, 0, sign * by[1]}, {0, 0, 1, sign * by[2]}}};

    return move;
}

/* translation * center * rotation * scaleOrientation * scale * -scaleOrientation * -center */
kiln_affine kiln_x3d_transform(const x3d_document *document, const x3d_node *node)
{
    double center[3] = {0, 0, 0}, rotation[4] = {0, 0, 1, 0}, scale[3] = {1, 1, 1};
    double along[4] = {0, 0, 1, 0}, translation[3] = {0, 0, 0}, earth[3] = {0, 0, 0};
    kiln_affine all, next;

    kiln_x3d_values(document, node, "center", center, 3);
    kiln_x3d_values(document, node, "rotation", rotation, 4);
    kiln_x3d_values(document, node, "scale", scale, 3);
    kiln_x3d_values(document, node, "scaleOrientation", along, 4);
    kiln_x3d_values(document, node, "translation", translation, 3);
    /* A field of EspduTransform alone. */
    kiln_x3d_values(document, node, "geoCoords", earth, 3);
    if (earth[0] != 0 || earth[1] != 0 || earth[2] != 0)
        kiln_x3d_fail(document, node, KILN_BAKE_UNSUPPORTED,
                      "it stands at geographic coordinates (geoCoords), which are not read; give "
                      "its place by a translation");
    rotation[3] *= document->angle;
    along[3] *= document->angle;
    for (int i = 0; i < 3; i++)
        translation[i] += center[i];
    all = moved(translation, 1);
    next = kiln_x3d_rotation_of(document, node, "rotation", rotation);
    all = kiln_affine_join(&all, &next);
    next = kiln_x3d_rotation_of(document, node, "scaleOrientation", along);
    all = kiln_affine_join(&all, &next);
    next = (kiln_affine){{{scale[0], 0, 0, 0}, {0, scale[1], 0, 0}, {0, 0, scale[2], 0}}};
    all = kiln_affine_join(&all, &next);
    along[3] = -along[3];
    next = kiln_x3d_rotation_of(document, node, "scaleOrientation", along);
    all = kiln_affine_join(&all, &next);
    next = moved(center, -1);
    return kiln_affine_join(&all, &next);
}
