/* Transforms of nodes and controllers of Collada (1.4.1, chapter 5, <node>, <skin>, <morph>; skew
 * as RenderMan has it, Pixar, "The RenderMan Interface", RiSkew).
 *
 * The transforms of a node follow each other as they are written: the last is done first. All is
 * computed in double.
 *
 * A skin takes a vertex by its bind shape matrix to where it was bound, by the inverse bind matrix
 * of a joint to the joint's own frame, and by the joint's transform to the scene. The node that
 * shows it has no part in this. Weights that do not add up to 1 are made to. joints.c finds the
 * joints.
 *
 * Morph targets are added to the mesh, or mixed with it, before any skin. Vertices of a mesh, its
 * targets and its weights have to be equally many. */
#include "pose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/assert.h"
#include "../../../formats/vector.h"
#include "accessor.h"

#define RADIANS (3.14159265358979323846 / 180)
#define WEIGHT_TOLERANCE 1e-3

static const kiln_affine identity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

/* -- transforms -- */

/* False: it has no direction. */
static bool normalize(const double from[3], double to[3])
{
    const double length = sqrt(kiln_dot(from, from));

    for (int i = 0; i < 3; i++)
        to[i] = from[i] / length;
    return length > 0 && isfinite(length);
}

/* About an axis, of any length, by an angle in degrees. */
static kiln_affine rotation(const dae *d, uint32_t element, const double v[4])
{
    double axis[3], sine, cosine;

    /* Exporters write "0 0 0 0" for no rotation. */
    if (v[3] == 0)
        return identity;
    if (!normalize(v, axis))
        kiln_dae_fail(d, element, "rotates about %.9g %.9g %.9g, which is no axis; repair the file",
                      v[0], v[1], v[2]);
    kiln_sine_cosine(v[3], &sine, &cosine);
    return kiln_affine_rotation(axis, sine, cosine);
}

/* Moves each point along the second axis, by as much as takes the first axis to the angle from
 * itself. With `side` at a right angle to the second axis in the plane of both, the first is at the
 * angle `lean` from it. */
static kiln_affine skew(const dae *d, uint32_t element, const double v[7])
{
    double first[3], second[3], side[3], lean, factor;
    kiln_affine to = identity;

    if (!normalize(v + 1, first) || !normalize(v + 4, second))
        kiln_dae_fail(d, element, "has an axis of no length; repair the file");
    for (int i = 0; i < 3; i++)
        side[i] = first[i] - kiln_dot(first, second) * second[i];
    if (!normalize(side, side) || fabs(kiln_dot(first, second)) > 1 - 1e-12)
        kiln_dae_fail(d, element, "has two axes of one direction; repair the file");
    KILN_ASSERT(fabs(kiln_dot(side, second)) < 1e-6);
    lean = asin(kiln_dot(first, second));
    if (!(fabs(lean + v[0] * RADIANS) < 90 * RADIANS * (1 - 1e-12)))
        kiln_dae_fail(d, element,
                      "is of %.9g degrees, which its axes do not allow; repair the file", v[0]);
    factor = tan(lean + v[0] * RADIANS) - tan(lean);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            to.m[i][j] += factor * second[i] * side[j];
    return to;
}

/* The frame of who stands at the first point and looks at the second: along its -z. */
static kiln_affine look_at(const dae *d, uint32_t element, const double v[9])
{
    const double forward[3] = {v[0] - v[3], v[1] - v[4], v[2] - v[5]};
    double x[3], y[3], z[3];
    kiln_affine to;

    if (!normalize(forward, z))
        kiln_dae_fail(d, element, "looks at the place where it stands; repair the file");
    kiln_cross(v + 6, z, x);
    if (!normalize(x, x))
        kiln_dae_fail(d, element, "has an up axis along which it looks; repair the file");
    kiln_cross(z, x, y);
    for (int i = 0; i < 3; i++) {
        to.m[i][0] = x[i];
        to.m[i][1] = y[i];
        to.m[i][2] = z[i];
        to.m[i][3] = v[i];
    }
    return to;
}

/* 16 numbers by rows. */
static kiln_affine matrix(const dae *d, uint32_t element, const double rows[16])
{
    kiln_affine to;

    if (!kiln_affine_of_rows(rows, &to))
        kiln_dae_fail(d, element,
                      "has %.9g %.9g %.9g %.9g as its last row, not 0 0 0 1; repair the file",
                      rows[12], rows[13], rows[14], rows[15]);
    return to;
}

/* The numbers of an element that has so many. */
static const double *numbers_of(const dae *d, uint32_t element, size_t count)
{
    const dae_element *e = &d->elements[element];

    KILN_ASSERT(e->from + e->count <= d->number_count);
    if (e->count != count)
        kiln_dae_fail(d, element, "has %zu numbers instead of %zu; repair the file", e->count,
                      count);
    return d->numbers + e->from;
}

/* Other children of the node are in between and have no part in it. */
kiln_affine kiln_dae_transform(const dae *d, uint32_t node)
{
    kiln_affine all = identity;

    KILN_ASSERT(d->elements[node].tag == DAE_NODE);
    for (uint32_t at = d->elements[node].first; at != DAE_NONE; at = d->elements[at].next) {
        kiln_affine own = identity;
        const double *v;

        switch (d->elements[at].tag) {
        case DAE_MATRIX:
            own = matrix(d, at, numbers_of(d, at, 16));
            break;
        case DAE_TRANSLATE:
        case DAE_SCALE:
            v = numbers_of(d, at, 3);
            for (int i = 0; i < 3; i++)
                own.m[i][d->elements[at].tag == DAE_SCALE ? i : 3] = v[i];
            break;
        case DAE_ROTATE:
            own = rotation(d, at, numbers_of(d, at, 4));
            break;
        case DAE_SKEW:
            own = skew(d, at, numbers_of(d, at, 7));
            break;
        case DAE_LOOKAT:
            own = look_at(d, at, numbers_of(d, at, 9));
            break;
        default:
            continue;
        }
        all = kiln_affine_join(&all, &own);
    }
    return all;
}

/* -- controllers -- */

/* Finds what a controller is applied to: a geometry, or for a skin also a morph. */
static uint32_t source_of(const dae *d, uint32_t controller, uint32_t *skin, uint32_t *morph)
{
    uint32_t source;

    *skin = kiln_dae_child(d, controller, DAE_SKIN);
    *morph = kiln_dae_child(d, controller, DAE_MORPH);
    if ((*skin == DAE_NONE) == (*morph == DAE_NONE))
        kiln_dae_fail(d, controller, "has %s <skin> and <morph>; repair the file",
                      *skin == DAE_NONE ? "neither" : "both");
    source = *skin != DAE_NONE ? *skin : *morph;
    source = kiln_dae_reference(d, source, "source", DAE_IS(DAE_GEOMETRY) | DAE_IS(DAE_CONTROLLER));
    if (d->elements[source].tag == DAE_GEOMETRY)
        return source;
    *morph = *skin != DAE_NONE ? kiln_dae_child(d, source, DAE_MORPH) : DAE_NONE;
    if (*morph == DAE_NONE)
        kiln_dae_fail_unsupported(d, controller,
                                  "is applied to another controller; only a skin of a morph is "
                                  "read; export the mesh as it is shown");
    source = kiln_dae_reference(d, *morph, "source", DAE_IS(DAE_GEOMETRY) | DAE_IS(DAE_CONTROLLER));
    if (d->elements[source].tag != DAE_GEOMETRY)
        kiln_dae_fail_unsupported(d, controller,
                                  "is a chain of more than a skin and a morph; export the mesh as "
                                  "it is shown");
    return source;
}

uint32_t kiln_dae_controlled(const dae *d, uint32_t controller, bool *skinned)
{
    uint32_t skin, morph;
    const uint32_t geometry = source_of(d, controller, &skin, &morph);

    *skinned = skin != DAE_NONE;
    return geometry;
}

/* The mesh of a geometry that a controller is applied to. */
static uint32_t mesh_of(const dae *d, uint32_t geometry)
{
    const uint32_t mesh = kiln_dae_mesh(d, geometry);

    if (mesh == DAE_NONE)
        kiln_dae_fail_unsupported(d, geometry,
                                  "has no <mesh>, and a controller is applied to it; "
                                  "export meshes");
    return mesh;
}

/* Adds morph targets, each as much as its weight. */
static void apply_morph(const dae *d, uint32_t morph, kiln_points *shape)
{
    const uint32_t targets = kiln_dae_needed(d, morph, DAE_TARGETS);
    const uint32_t target_input = kiln_dae_needed_input(d, targets, "MORPH_TARGET");
    const uint32_t weight_input = kiln_dae_needed_input(d, targets, "MORPH_WEIGHT");
    const dae_names names = kiln_dae_names(d, target_input);
    const dae_accessor weights = kiln_dae_accessor(d, weight_input, 1);
    const char *method = kiln_dae_attribute(d, morph, "method");
    const bool relative = method != NULL && strcmp(method, "RELATIVE") == 0;
    double(*positions)[3] = shape->at.items;
    double base = 1;

    if (!relative && method != NULL && strcmp(method, "NORMALIZED") != 0)
        kiln_dae_fail(d, morph,
                      "has the method \"%.40s\", which is neither NORMALIZED nor RELATIVE; "
                      "repair the file",
                      method);
    if (names.count != weights.count)
        kiln_dae_fail(d, targets, "has %zu targets and %zu weights; repair the file", names.count,
                      weights.count);
    /* NORMALIZED: what the targets do not have of a vertex is left of the mesh's own. */
    for (size_t i = 0; i < weights.count; i++) {
        const double weight = kiln_dae_value(&weights, i, 0);

        if (!isfinite(weight))
            kiln_dae_fail(d, weights.element,
                          "has weight %zu, which is not finite; repair the file", i);
        base -= relative ? 0 : weight;
    }
    for (size_t i = 0; i < shape->at.count; i++)
        for (int k = 0; k < 3; k++)
            positions[i][k] *= base;
    for (size_t i = 0; i < names.count; i++) {
        const double weight = kiln_dae_value(&weights, i, 0);
        char *reference = kiln_dae_alloc(d, strlen(names.items[i]) + 1, 1);
        uint32_t geometry;
        kiln_points target;

        /* A list of ids has no "#". */
        reference[0] = '#';
        strcpy(reference + 1, names.items[i]);
        geometry = kiln_dae_find(d, names.element, reference, DAE_IS(DAE_GEOMETRY));
        if (geometry == DAE_NONE)
            kiln_dae_fail(d, names.element,
                          "names the target \"%.200s\", which is no <geometry>; "
                          "repair the file",
                          names.items[i]);
        free(reference);
        /* Its geometry is not looked at. */
        if (weight == 0)
            continue;
        target = kiln_dae_shape(d, mesh_of(d, geometry));
        if (target.at.count != shape->at.count)
            kiln_dae_fail(d, geometry,
                          "is a morph target of %zu vertices for a mesh of %zu; repair the "
                          "file",
                          target.at.count, shape->at.count);
        for (size_t j = 0; j < shape->at.count; j++)
            for (int k = 0; k < 3; k++)
                positions[j][k] += weight * ((const double(*)[3])target.at.items)[j][k];
        kiln_points_free(&target);
    }
    free(names.items);
}

/* -- skins -- */

/* What a skin needs of each joint: from the bind shape to the scene. */
static kiln_affine *load_joints(const dae *d, uint32_t skin, const dae_shown *shown,
                                const dae_joints *all, size_t *count)
{
    const uint32_t joints = kiln_dae_needed(d, skin, DAE_JOINTS);
    const uint32_t matrices_input = kiln_dae_needed_input(d, joints, "INV_BIND_MATRIX");
    const dae_names names = kiln_dae_names(d, kiln_dae_needed_input(d, joints, "JOINT"));
    const dae_accessor matrices = kiln_dae_accessor(d, matrices_input, 16);
    kiln_affine *to = kiln_dae_alloc(d, names.count, sizeof *to);
    const dae_skeletons skeletons = kiln_dae_skeletons(all, shown);
    size_t unsure_count = 0, example = 0;

    if (matrices.count != names.count)
        kiln_dae_fail(d, joints, "has %zu joints and %zu matrices; repair the file", names.count,
                      matrices.count);
    for (size_t i = 0; i < names.count; i++) {
        bool unsure = false;
        const dae_place *place = kiln_dae_joint(all, &skeletons, shown, names.element,
                                                names.items[i], names.ids, &unsure);
        double rows[16];
        kiln_affine inverse;

        example = unsure && unsure_count++ == 0 ? i : example;
        for (unsigned k = 0; k < 16; k++)
            rows[k] = kiln_dae_value(&matrices, i, k);
        inverse = matrix(d, matrices.element, rows);
        if (!kiln_affine_is_finite(&inverse))
            kiln_dae_fail(d, matrices.element,
                          "has matrix %zu, which is not finite; repair the file", i);
        to[i] = kiln_affine_join(&place->global, &inverse);
    }
    if (unsure_count > 0 && !shown->again)
        kiln_dae_warn(d, names.element,
                      "names the joint \"%.200s\", of which there are several as high and as near "
                      "(so are %zu joints); the first is taken",
                      names.items[example], unsure_count);
    *count = names.count;
    free(skeletons.roots);
    free(names.items);
    return to;
}

/* The pairs of joints and weights of a skin. */
typedef struct {
    uint32_t element;
    const int32_t *sizes, *pairs; /* of each vertex; and all of them */
    size_t stride, joint, weight; /* how a pair lies */
    dae_accessor weights;
} influences;

/* All counts are compared here, so that nothing reaches beyond a list later: vertices with counts,
 * the sum of these with the indices that are there. */
static influences load_influences(const dae *d, uint32_t skin, size_t vertices)
{
    const uint32_t element = kiln_dae_needed(d, skin, DAE_VERTEX_WEIGHTS);
    const uint32_t joint = kiln_dae_needed_input(d, element, "JOINT");
    const uint32_t weight = kiln_dae_needed_input(d, element, "WEIGHT");
    const uint32_t joints = kiln_dae_needed(d, skin, DAE_JOINTS);
    const uint32_t sizes = kiln_dae_child(d, element, DAE_VCOUNT);
    const uint32_t pairs = kiln_dae_child(d, element, DAE_V);
    const uint64_t count = kiln_dae_whole(d, element, "count", 0);
    influences in = {.element = element,
                     .joint = (size_t)kiln_dae_whole(d, joint, "offset", 0),
                     .weight = (size_t)kiln_dae_whole(d, weight, "offset", 0),
                     .weights = kiln_dae_accessor(d, weight, 1)};
    uint64_t sum = 0;

    for (uint32_t at = kiln_dae_child(d, element, DAE_INPUT); at != DAE_NONE;
         at = kiln_dae_next(d, at)) {
        const size_t offset = (size_t)kiln_dae_whole(d, at, "offset", 0);

        in.stride = offset + 1 > in.stride ? offset + 1 : in.stride;
    }
    /* Indices of both count in the same list, or matrices would be others' joints'. */
    if (kiln_dae_reference(d, joint, "source", DAE_IS(DAE_SOURCE)) !=
        kiln_dae_reference(d, kiln_dae_needed_input(d, joints, "JOINT"), "source",
                           DAE_IS(DAE_SOURCE)))
        kiln_dae_fail_unsupported(d, joint,
                                  "refers to other joints than <joints> does; export "
                                  "the skin with one list of joints");
    if (count != vertices || (sizes != DAE_NONE ? d->elements[sizes].count : 0) != count)
        kiln_dae_fail(d, element,
                      "declares a count of %llu and has %zu numbers in <vcount>, for %zu vertices; "
                      "repair the counts",
                      (unsigned long long)count,
                      sizes != DAE_NONE ? d->elements[sizes].count : (size_t)0, vertices);
    if (count == 0)
        return in;
    KILN_ASSERT(in.stride > in.joint && in.stride > in.weight);
    in.sizes = d->wholes + d->elements[sizes].from;
    for (size_t i = 0; i < count; i++) {
        if (in.sizes[i] < 0)
            kiln_dae_fail(d, sizes,
                          "gives vertex %zu a number of joints that is none; repair the "
                          "file",
                          i);
        sum += (uint64_t)in.sizes[i];
    }
    if ((double)sum * (double)in.stride !=
        (double)(pairs != DAE_NONE ? d->elements[pairs].count : 0))
        kiln_dae_fail(d, sizes,
                      "adds up to %llu joints of %zu indices, and <v> has %zu indices; "
                      "repair the file",
                      (unsigned long long)sum, in.stride,
                      pairs != DAE_NONE ? d->elements[pairs].count : (size_t)0);
    in.pairs = pairs != DAE_NONE ? d->wholes + d->elements[pairs].from : NULL;
    return in;
}

/* The joint of index -1 is the bind shape itself. */
static void apply_skin(const dae *d, uint32_t skin, const dae_shown *shown, const dae_joints *all,
                       kiln_points *shape)
{
    const uint32_t bind = kiln_dae_child(d, skin, DAE_BIND_SHAPE_MATRIX);
    const kiln_affine bound =
        bind != DAE_NONE ? matrix(d, bind, numbers_of(d, bind, 16)) : identity;
    const influences in = load_influences(d, skin, shape->at.count);
    size_t joint_count, next = 0, free_vertices = 0, uneven = 0, example = 0;
    kiln_affine *joints = load_joints(d, skin, shown, all, &joint_count);
    double(*positions)[3] = shape->at.items;
    double example_sum = 1;

    for (size_t i = 0; i < shape->at.count; i++) {
        double from[3] = {0, 0, 0}, to[3] = {0, 0, 0}, sum = 0;

        KILN_ASSERT(next == 0 || in.pairs != NULL);
        kiln_affine_add(&bound, 1, positions[i], from);
        for (int32_t j = 0; j < in.sizes[i]; j++, next++) {
            const int32_t joint = in.pairs[next * in.stride + in.joint];
            const int32_t number = in.pairs[next * in.stride + in.weight];
            double weight;

            if (joint < -1 || (joint >= 0 && (size_t)joint >= joint_count))
                kiln_dae_fail(d, in.element,
                              "gives vertex %zu joint %ld, where there are %zu; "
                              "repair the file",
                              i, (long)joint, joint_count);
            if (number < 0 || (size_t)number >= in.weights.count)
                kiln_dae_fail(d, in.element,
                              "gives vertex %zu weight %ld, where there are %zu; "
                              "repair the file",
                              i, (long)number, in.weights.count);
            weight = kiln_dae_value(&in.weights, (size_t)number, 0);
            kiln_affine_add(joint < 0 ? &identity : &joints[joint], weight, from, to);
            sum += weight;
        }
        if (in.sizes[i] > 0 && !(sum > 0 && isfinite(sum)))
            kiln_dae_fail(d, in.element,
                          "has weights of vertex %zu that add up to %.9g; repair the "
                          "file",
                          i, sum);
        if (fabs(sum - 1) > WEIGHT_TOLERANCE && in.sizes[i] > 0 && uneven++ == 0) {
            example = i;
            example_sum = sum;
        }
        free_vertices += in.sizes[i] == 0;
        for (int k = 0; k < 3; k++)
            positions[i][k] = in.sizes[i] > 0 ? to[k] / sum : from[k];
    }
    if (uneven > 0 && !shown->again)
        kiln_dae_warn(d, in.element,
                      "has weights that do not add up to 1 (%zu vertices; vertex %zu: %.9g); they "
                      "are scaled to 1",
                      uneven, example, example_sum);
    if (free_vertices > 0 && !shown->again)
        kiln_dae_warn(d, in.element,
                      "has %zu vertices without a joint; they are left where they were bound",
                      free_vertices);
    free(joints);
}

/* The chain was looked at by kiln_dae_controlled, when the node was visited. */
kiln_points kiln_dae_pose(const dae *d, const dae_shown *shown, const dae_joints *joints)
{
    uint32_t skin, morph;
    const uint32_t geometry = source_of(d, shown->controller, &skin, &morph);
    /* Morph targets first: a skin takes the mesh as it is shown without. */
    kiln_points shape = kiln_dae_shape(d, mesh_of(d, geometry));

    if (morph != DAE_NONE)
        apply_morph(d, morph, &shape);
    if (skin != DAE_NONE)
        apply_skin(d, skin, shown, joints, &shape);
    return shape;
}
