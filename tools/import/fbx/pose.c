/* Transforms and deformers of FBX, as the documentation of Autodesk's FBX SDK defines them
 * ("Computing transformation matrices"; examples "Transformations" and "ViewScene").
 *
 * A node's own transform is, from the last step to the first: translation, rotation offset,
 * rotation pivot, pre-rotation, rotation, inverse post-rotation, inverse rotation pivot, scaling
 * offset, scaling pivot, scaling, inverse scaling pivot. Rotations are angles about x, y and z:
 * those of the rotation in the node's order, all others about x first. The order and both further
 * rotations do not count where RotationActive is 0.
 *
 * How a node takes on the scale of its parent depends on InheritType: 1, a product of matrices; 0,
 * the parent's scale is applied after the node's rotation and before its scale; 2, the same without
 * the parent's own scale. For that, each place has the product of rotations beside the matrix: what
 * the matrix has beyond that is scale. Where this scale is the same along all axes, 0 is the same
 * as 1, and the product of matrices is taken, which rounds less.
 *
 * A skin is read in the pose of its nodes: each cluster has the matrix "Transform" from the mesh to
 * the joint at the time of binding, whatever the joint's place was then. */
#include "pose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/assert.h"

static const kiln_affine identity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

/* What scales may differ by, relative to the largest, and count as the same. */
static const double scale_tolerance = 1e-12;

/* -- transforms -- */

/* Does a step before what is done already. */
static void before(kiln_affine *all, const kiln_affine *step)
{
    *all = kiln_affine_join(all, step);
}

static void move(kiln_affine *all, const double by[3], double sign)
{
    kiln_affine step = identity;

    for (int i = 0; i < 3; i++)
        step.m[i][3] = sign * by[i];
    before(all, &step);
}

static void scale(kiln_affine *all, const double by[3])
{
    kiln_affine step = identity;

    for (int i = 0; i < 3; i++)
        step.m[i][i] = by[i];
    before(all, &step);
}

/* A rotation about an axis; one by quarters of a turn is exact. */
static kiln_affine about(int axis, double degrees)
{
    const int second = (axis + 1) % 3, third = (axis + 2) % 3;
    kiln_affine turn = identity;
    double sine, cosine;

    KILN_ASSERT(axis >= 0 && axis < 3);
    kiln_sine_cosine(degrees, &sine, &cosine);
    turn.m[second][second] = turn.m[third][third] = cosine;
    turn.m[third][second] = sine;
    turn.m[second][third] = -sine;
    return turn;
}

/* Three angles, about the axes in one of the orders that RotationOrder numbers. The axes of the
 * table are turned about one after the other, so that the first is the innermost. */
static kiln_affine rotation_of(const double degrees[3], int order)
{
    static const int axes[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}, {1, 0, 2}, {2, 0, 1}, {2, 1, 0}};
    kiln_affine all = identity;

    KILN_ASSERT(order >= 0 && order < 6);
    for (int i = 3; i-- > 0;) {
        const kiln_affine turn = about(axes[order][i], degrees[axes[order][i]]);

        before(&all, &turn);
    }
    return all;
}

/* The inverse of a rotation. */
static kiln_affine turned_back(const kiln_affine *rotation)
{
    kiln_affine back = identity;

    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            back.m[i][j] = rotation->m[j][i];
    return back;
}

/* The rotation of a node: pre-rotation, rotation and inverse post-rotation. */
static kiln_affine rotation_of_node(const fbx *f, uint32_t model, const fbx_properties *p)
{
    double degrees[3] = {0, 0, 0}, pre[3] = {0, 0, 0}, post[3] = {0, 0, 0};
    const bool active = kiln_fbx_property(f, p, FBX_ROTATION_ACTIVE, 1) != 0;
    const double order = active ? kiln_fbx_property(f, p, FBX_ROTATION_ORDER, 0) : 0;
    kiln_affine all, step;

    (void)kiln_fbx_vector(f, p, FBX_ROTATION, degrees);
    KILN_ASSERT(f->objects[model].kind == FBX_MODEL);
    if (!active)
        return rotation_of(degrees, 0);
    (void)kiln_fbx_vector(f, p, FBX_PRE_ROTATION, pre);
    (void)kiln_fbx_vector(f, p, FBX_POST_ROTATION, post);
    /* About one axis, every order is the same. */
    if (order == 6 && (degrees[0] != 0) + (degrees[1] != 0) + (degrees[2] != 0) > 1)
        kiln_fbx_fail_unsupported(
            f, f->objects[model].record,
            "the node's rotation is in the order \"SphericXYZ\", which is not "
            "read; export it with another order");
    if (!(order >= 0 && order <= 6) || order != floor(order))
        kiln_fbx_fail(f, f->objects[model].record,
                      "the node has the rotation order %g, which there is not; repair the file",
                      order);
    all = rotation_of(pre, 0);
    step = rotation_of(degrees, order == 6 ? 0 : (int)order);
    before(&all, &step);
    step = rotation_of(post, 0);
    step = turned_back(&step);
    before(&all, &step);
    return all;
}

/* The node's own transform. */
static kiln_affine transform_of(const fbx *f, const fbx_properties *p, const kiln_affine *rotation,
                                const double scaling[3])
{
    double at[3] = {0, 0, 0}, rotation_offset[3] = {0, 0, 0}, rotation_pivot[3] = {0, 0, 0};
    double scaling_offset[3] = {0, 0, 0}, scaling_pivot[3] = {0, 0, 0};
    kiln_affine all = identity;

    (void)kiln_fbx_vector(f, p, FBX_TRANSLATION, at);
    (void)kiln_fbx_vector(f, p, FBX_ROTATION_OFFSET, rotation_offset);
    (void)kiln_fbx_vector(f, p, FBX_ROTATION_PIVOT, rotation_pivot);
    (void)kiln_fbx_vector(f, p, FBX_SCALING_OFFSET, scaling_offset);
    (void)kiln_fbx_vector(f, p, FBX_SCALING_PIVOT, scaling_pivot);
    move(&all, at, 1);
    move(&all, rotation_offset, 1);
    move(&all, rotation_pivot, 1);
    before(&all, rotation);
    move(&all, rotation_pivot, -1);
    move(&all, scaling_offset, 1);
    move(&all, scaling_pivot, 1);
    scale(&all, scaling);
    move(&all, scaling_pivot, -1);
    return all;
}

/* -- inheritance -- */

/* What the matrix of a place has beyond its rotation. */
static kiln_affine scale_within(const fbx_place *place)
{
    const kiln_affine back = turned_back(&place->turn);
    kiln_affine linear = place->global;

    for (int i = 0; i < 3; i++)
        linear.m[i][3] = 0;
    return kiln_affine_join(&back, &linear);
}

/* How far a matrix is from one that scales the same along all axes, or, not `even`, each axis by
 * itself; relative to its largest number. */
static double unevenness(const kiln_affine *matrix, bool even)
{
    double most = 0, off = 0;

    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double is = matrix->m[i][j];
            const double should = i != j ? 0 : even ? matrix->m[0][0] : is;

            most = fmax(most, fabs(is));
            off = fmax(off, fabs(is - should));
        }
    return most > 0 ? off / most : 0;
}

/* The matrix of a node to the scene, by the way in which it inherits scale. */
static kiln_affine inherit(const fbx *f, uint32_t model, int type, const fbx_place *above,
                           const kiln_affine *own, const kiln_affine *rotation,
                           const double scaling[3])
{
    kiln_affine global = kiln_affine_join(&above->global, own);
    kiln_affine within = scale_within(above), linear = above->turn;

    KILN_ASSERT(type >= 0 && type <= 2);
    for (int j = 0; type == 2 && j < 3; j++) {
        if (above->scale[j] == 0)
            kiln_fbx_fail_unsupported(f, f->objects[model].record,
                                      "the node leaves out the scale of its parent (InheritType "
                                      "2), which is 0; apply scales when exporting");
        for (int i = 0; i < 3; i++)
            within.m[i][j] /= above->scale[j];
    }
    if (type == 1 || (type == 0 && unevenness(&within, true) <= scale_tolerance))
        return global;
    if (unevenness(&within, false) > 1e-6)
        kiln_fbx_warn(f, f->objects[model].record,
                      "the node takes on the scale of its parent in another way (InheritType %d), "
                      "and that is skewed: programs differ in this; apply scales when exporting",
                      type);
    before(&linear, rotation);
    before(&linear, &within);
    scale(&linear, scaling);
    /* Only the translation takes the parent's matrix as it is. */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            global.m[i][j] = linear.m[i][j];
    return global;
}

fbx_place kiln_fbx_origin(void)
{
    return (fbx_place){
        .global = identity, .turn = identity, .geometric = identity, .scale = {1, 1, 1}};
}

fbx_place kiln_fbx_place(const fbx *f, uint32_t model, const fbx_properties *defaults,
                         const fbx_place *above)
{
    const uint32_t record = f->objects[model].record;
    const fbx_properties p = kiln_fbx_properties(f, record, defaults);
    const kiln_affine rotation = rotation_of_node(f, model, &p);
    const double type = kiln_fbx_property(f, &p, FBX_INHERIT_TYPE, 1);
    double at[3] = {0, 0, 0}, degrees[3] = {0, 0, 0}, by[3] = {1, 1, 1};
    fbx_place place = kiln_fbx_origin();
    kiln_affine own, turn;

    if (type != 0 && type != 1 && type != 2)
        kiln_fbx_fail(f, record,
                      "the node has the InheritType %g, which there is not; repair the "
                      "file",
                      type);
    (void)kiln_fbx_vector(f, &p, FBX_SCALING, place.scale);
    own = transform_of(f, &p, &rotation, place.scale);
    place.global = inherit(f, model, (int)type, above, &own, &rotation, place.scale);
    place.turn = kiln_affine_join(&above->turn, &rotation);

    /* This is no part of what nodes below inherit. */
    (void)kiln_fbx_vector(f, &p, FBX_GEOMETRIC_TRANSLATION, at);
    (void)kiln_fbx_vector(f, &p, FBX_GEOMETRIC_ROTATION, degrees);
    (void)kiln_fbx_vector(f, &p, FBX_GEOMETRIC_SCALING, by);
    move(&place.geometric, at, 1);
    turn = rotation_of(degrees, 0);
    before(&place.geometric, &turn);
    scale(&place.geometric, by);
    place.has_geometric = memcmp(&place.geometric, &identity, sizeof identity) != 0;
    return place;
}

/* -- blend shapes -- */

/* A shape of a channel, and the percentage at which it is the whole shape. */
typedef struct {
    double percent;
    uint32_t geometry; /* FBX_NONE: the mesh itself, at 0 */
} target;

/* The shapes of a channel. Blender writes other FullWeights than all others: not the percentage of
 * each shape, but one for each vertex of the only shape, by which its offset is scaled. */
typedef struct {
    target *targets;
    size_t count;
    double *factors; /* NULL: the FullWeights are percentages of shapes */
    size_t factor_count;
} target_list;

static int compare_targets(const void *a, const void *b)
{
    const target *p = a, *q = b;

    return p->percent != q->percent    ? (p->percent < q->percent ? -1 : 1)
           : p->geometry < q->geometry ? -1
                                       : p->geometry > q->geometry;
}

/* Adds a target to a shape, as much of it as `part`. */
static void add_target(const fbx *f, const target_list *list_of, uint32_t geometry, double part,
                       fbx_shape *shape)
{
    const uint32_t record = f->objects[geometry].record;
    const uint32_t list = kiln_fbx_only(f, record, "Indexes");
    size_t count = 0;
    int32_t *indices;
    fbx_shape offsets;

    KILN_ASSERT(isfinite(part));
    if (list == FBX_NONE)
        kiln_fbx_fail(f, record, "a blend shape has no Indexes; repair the file");
    indices = kiln_fbx_wholes(f, list, &count);
    offsets = kiln_fbx_shape(f, geometry);
    if (count != offsets.count)
        kiln_fbx_fail(f, record, "a blend shape has %zu indices and %zu vertices; repair the file",
                      count, offsets.count);
    if (list_of->factors != NULL && list_of->factor_count != count)
        kiln_fbx_fail(f, record,
                      "a blend shape has %zu FullWeights for one shape of %zu vertices; repair the "
                      "file",
                      list_of->factor_count, count);
    for (size_t i = 0; i < count; i++) {
        const double own = list_of->factors != NULL ? part * (list_of->factors[i] / 100) : part;

        if (indices[i] < 0 || (size_t)indices[i] >= shape->count)
            kiln_fbx_fail(f, list,
                          "a blend shape moves vertex %ld, where there are %zu; repair the "
                          "file",
                          (long)indices[i], shape->count);
        for (int k = 0; k < 3; k++)
            shape->positions[indices[i]][k] += own * offsets.positions[i][k];
    }
    free(indices);
    free(offsets.positions);
}

/* The shapes of a channel in the order of their percentages, and the mesh itself among them. */
static target_list list_targets(const fbx *f, uint32_t channel)
{
    const fbx_object *object = &f->objects[channel];
    const uint32_t record = kiln_fbx_only(f, object->record, "FullWeights");
    double *percents = NULL;
    size_t percent_count = 0;
    target_list all = {.targets =
                           kiln_fbx_alloc(f, object->child_count + (size_t)1, sizeof(target))};
    target *targets = all.targets;

    if (record != FBX_NONE)
        percents = kiln_fbx_reals(f, record, &percent_count);
    for (size_t i = 0; i < percent_count; i++)
        if (!isfinite(percents[i]))
            kiln_fbx_fail(f, record,
                          "a blend shape has FullWeights that are not finite; repair "
                          "the file");
    for (uint32_t i = 0; i < object->child_count; i++) {
        const uint32_t child = f->children[object->child + i];

        if (f->objects[child].kind != FBX_GEOMETRY)
            continue;
        targets[all.count] = (target){all.count < percent_count ? percents[all.count] : 100, child};
        all.count++;
    }
    KILN_ASSERT(all.count <= object->child_count); /* room for one more was taken */
    if (all.count == 1 && percent_count > 1) {
        all.factors = percents;
        all.factor_count = percent_count;
        targets[0].percent = 100;
    } else if (all.count != percent_count && (record != FBX_NONE || all.count > 1)) {
        kiln_fbx_fail(f, object->record,
                      "a blend shape has %zu shapes and %zu FullWeights; repair the file",
                      all.count, percent_count);
    } else {
        free(percents);
    }
    targets[all.count++] = (target){0, FBX_NONE};
    qsort(targets, all.count, sizeof *targets, compare_targets);
    for (size_t i = 1; i < all.count; i++)
        if (targets[i].percent == targets[i - 1].percent)
            kiln_fbx_fail(f, object->record,
                          "a blend shape has FullWeights that are 0, or equal; repair the file");
    return all;
}

/* Applies a channel: between the two shapes whose percentages are around its own, and beyond the
 * last as between the last two. */
static void apply_channel(const fbx *f, uint32_t channel, fbx_shape *shape)
{
    const uint32_t record = f->objects[channel].record;
    const uint32_t own = kiln_fbx_only(f, record, "DeformPercent");
    const fbx_properties p = kiln_fbx_properties(f, record, NULL);
    double percent = 0, part;
    target_list all;
    size_t last = 1;

    if (p.of[FBX_DEFORM_PERCENT] != FBX_NONE)
        percent = kiln_fbx_property(f, &p, FBX_DEFORM_PERCENT, 0);
    else if (own != FBX_NONE && (!kiln_fbx_number(f, own, 0, &percent) || !isfinite(percent)))
        kiln_fbx_fail(f, own, "it is no finite number; repair the file");
    /* Shapes that have no part are not looked at. */
    if (percent == 0)
        return;
    all = list_targets(f, channel);
    while (last + 1 < all.count && all.targets[last].percent < percent)
        last++;
    if (all.count > 1) {
        const target *from = &all.targets[last - 1], *to = &all.targets[last];

        KILN_ASSERT(to->percent > from->percent);
        part = (percent - from->percent) / (to->percent - from->percent);
        if (!isfinite(part))
            kiln_fbx_fail(f, record, "a blend shape has the percentage %g of %g; repair the file",
                          percent, to->percent);
        if (from->geometry != FBX_NONE && part != 1)
            add_target(f, &all, from->geometry, 1 - part, shape);
        if (to->geometry != FBX_NONE && part != 0)
            add_target(f, &all, to->geometry, part, shape);
    }
    free(all.targets);
    free(all.factors);
}

/* The offsets of all channels add up, whatever order they are in. Skins are applied later, but what
 * of a deformer is not known is reported here for both. */
void kiln_fbx_morph(const fbx *f, uint32_t geometry, fbx_shape *shape)
{
    const fbx_object *object = &f->objects[geometry];

    for (uint32_t i = 0; i < object->child_count; i++) {
        const uint32_t deformer = f->children[object->child + i];
        const fbx_object *d = &f->objects[deformer];
        const bool is_skin = kiln_fbx_is_a(f, deformer, FBX_DEFORMER, "Skin");
        const char *part = is_skin ? "Cluster" : "BlendShapeChannel";

        if (d->kind != FBX_DEFORMER)
            continue;
        if (!is_skin && !kiln_fbx_is_a(f, deformer, FBX_DEFORMER, "BlendShape")) {
            kiln_fbx_warn(f, d->record,
                          "a deformer other than a blend shape or a skin, such as a cache of "
                          "vertices, is left out; export the mesh with it applied");
            continue;
        }
        for (uint32_t j = 0; j < d->child_count; j++) {
            const uint32_t child = f->children[d->child + j];

            if (f->objects[child].kind != FBX_DEFORMER)
                continue;
            if (!kiln_fbx_is_a(f, child, FBX_DEFORMER, part))
                kiln_fbx_warn(f, f->objects[child].record,
                              "a part of a deformer is no %s, and is left out; export the mesh "
                              "with its deformers applied",
                              part);
            else if (!is_skin)
                apply_channel(f, child, shape);
        }
    }
}

/* -- skins -- */

bool kiln_fbx_is_skinned(const fbx *f, uint32_t geometry)
{
    const fbx_object *object = &f->objects[geometry];

    for (uint32_t i = 0; i < object->child_count; i++) {
        const uint32_t skin = f->children[object->child + i];

        for (uint32_t j = 0;
             kiln_fbx_is_a(f, skin, FBX_DEFORMER, "Skin") && j < f->objects[skin].child_count; j++)
            if (kiln_fbx_is_a(f, f->children[f->objects[skin].child + j], FBX_DEFORMER, "Cluster"))
                return true;
    }
    return false;
}

typedef enum {
    NORMALIZE, /* weights are scaled to 1 */
    TOTAL_ONE, /* what lacks to 1 stays at its place */
    ADDITIVE   /* clusters move vertices one after the other */
} mode;

/* A geometry while its skins are applied. */
typedef struct {
    const fbx *f;
    fbx_shape *shape; /* as bound, in the frame of the node and without geometric transform */
    kiln_affine rest; /* from there to the scene, where no joint has a part */
    kiln_affine geometric, from_scene; /* the latter for ADDITIVE */
    double (*to)[3];                   /* to the scene */
    double *weights;                   /* their sum, for each vertex */
    mode mode;
    bool has_mode, bent;
    kiln_affine first; /* what the first cluster does */
} skinning;

static mode mode_of(const fbx *f, uint32_t cluster)
{
    const uint32_t record = kiln_fbx_only(f, f->objects[cluster].record, "Mode");

    if (record == FBX_NONE || kiln_fbx_says(f, record, 0, "Normalize"))
        return NORMALIZE;
    if (kiln_fbx_says(f, record, 0, "Total1") || kiln_fbx_says(f, record, 0, "TotalOne"))
        return TOTAL_ONE;
    if (!kiln_fbx_says(f, record, 0, "Additive"))
        kiln_fbx_fail_unsupported(f, record,
                                  "the mode of a skin is not known; export the mesh with "
                                  "its skin applied");
    if (kiln_fbx_child(f, f->objects[cluster].record, "TransformAssociateModel") != FBX_NONE)
        kiln_fbx_fail_unsupported(f, f->objects[cluster].record,
                                  "a skin is relative to another node, which is not read; export "
                                  "the mesh with its skin applied");
    return ADDITIVE;
}

/* A matrix of 16 numbers, by columns: the translation is the last four but one. */
static kiln_affine matrix_of(const fbx *f, uint32_t cluster, const char *name)
{
    const uint32_t record = kiln_fbx_only(f, f->objects[cluster].record, name);
    double rows[16], *columns;
    kiln_affine matrix;
    size_t count;

    if (record == FBX_NONE)
        kiln_fbx_fail(f, f->objects[cluster].record, "a joint of a skin has no %s; repair the file",
                      name);
    columns = kiln_fbx_reals(f, record, &count);
    for (size_t i = 0; i < 16 && count == 16; i++)
        rows[i] = columns[4 * (i % 4) + i / 4];
    free(columns);
    if (count != 16 || !kiln_affine_of_rows(rows, &matrix) || !kiln_affine_is_finite(&matrix))
        kiln_fbx_fail(f, record,
                      "it is no matrix of 16 numbers whose last row is 0 0 0 1; repair "
                      "the file");
    return matrix;
}

/* The inverse of a matrix, which has one. */
static kiln_affine inverse_of(const fbx *f, uint32_t record, const kiln_affine *matrix)
{
    const double(*m)[4] = matrix->m;
    kiln_affine inverse;
    double determinant = 0;

    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;

            inverse.m[i][j] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
        }
    for (int j = 0; j < 3; j++)
        determinant += m[0][j] * inverse.m[j][0];
    if (determinant == 0 || !isfinite(determinant))
        kiln_fbx_fail(f, record,
                      "the node of a skin has a transform without an inverse; repair the "
                      "file");
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            inverse.m[i][j] /= determinant;
        inverse.m[i][3] = 0;
        for (int j = 0; j < 3; j++)
            inverse.m[i][3] -= inverse.m[i][j] * m[j][3];
    }
    return inverse;
}

/* The joint of a cluster; NULL: it has none. */
static const fbx_place *joint_of(const fbx *f, uint32_t cluster, fbx_place_of *place_of,
                                 const void *scene)
{
    const fbx_object *object = &f->objects[cluster];
    uint32_t joint = FBX_NONE;

    for (uint32_t i = 0; i < object->child_count; i++) {
        if (f->objects[f->children[object->child + i]].kind != FBX_MODEL)
            continue;
        if (joint != FBX_NONE)
            kiln_fbx_fail(f, object->record,
                          "a joint of a skin is connected to two nodes; repair the file");
        joint = f->children[object->child + i];
    }
    return joint != FBX_NONE ? place_of(scene, joint) : NULL;
}

/* Applies what one joint does to the vertices that it has a part in. */
static void apply_cluster(skinning *s, uint32_t cluster, const fbx_place *joint)
{
    const fbx *f = s->f;
    const uint32_t record = f->objects[cluster].record;
    const uint32_t index_list = kiln_fbx_only(f, record, "Indexes");
    const uint32_t weight_list = kiln_fbx_only(f, record, "Weights");
    size_t count = 0, weight_count = 0;
    int32_t *indices = index_list != FBX_NONE ? kiln_fbx_wholes(f, index_list, &count) : NULL;
    double *weights =
        weight_list != FBX_NONE ? kiln_fbx_reals(f, weight_list, &weight_count) : NULL;
    kiln_affine to_scene, to_joint;

    if (count != weight_count)
        kiln_fbx_fail(f, record,
                      "a joint of a skin has %zu indices and %zu weights; repair the "
                      "file",
                      count, weight_count);
    if (count == 0)
        goto done;
    if (joint == NULL) {
        kiln_fbx_warn(f, record,
                      "a skin has a joint that is no node of the scene; it moves nothing; export "
                      "the skeleton with the mesh");
        goto done;
    }
    to_joint = matrix_of(f, cluster, "Transform");
    to_scene = kiln_affine_join(&joint->global, &to_joint);
    /* Additive joints move what is in the scene already; the others, what was bound. */
    before(&to_scene, s->mode == ADDITIVE ? &s->from_scene : &s->geometric);
    if (!s->has_mode)
        s->first = to_scene;
    s->has_mode = true;
    s->bent |= memcmp(&s->first, &to_scene, sizeof to_scene) != 0;
    for (size_t i = 0; i < count; i++) {
        double moved[3] = {0, 0, 0}, *to;

        if (indices[i] < 0 || (size_t)indices[i] >= s->shape->count)
            kiln_fbx_fail(f, index_list,
                          "a joint moves vertex %ld, where there are %zu; repair the "
                          "file",
                          (long)indices[i], s->shape->count);
        to = s->to[indices[i]];
        s->weights[indices[i]] += weights[i];
        if (s->mode != ADDITIVE) {
            kiln_affine_add(&to_scene, weights[i], s->shape->positions[indices[i]], to);
            continue;
        }
        kiln_affine_add(&to_scene, weights[i], to, moved);
        for (int k = 0; k < 3; k++)
            to[k] = moved[k] + (1 - weights[i]) * to[k];
    }
done:
    free(indices);
    free(weights);
}

/* Ends the sums: the vertices are where the mode leaves them. A vertex without a weight stays where
 * its node has it. */
static void finish(const skinning *s)
{
    KILN_ASSERT(s->to != NULL && s->weights != NULL);
    for (size_t i = 0; i < s->shape->count; i++) {
        const double weight = s->weights[i];
        double *at = s->shape->positions[i], rest[3] = {0, 0, 0};

        kiln_affine_add(&s->rest, 1, at, rest);
        for (int k = 0; k < 3; k++)
            at[k] = s->mode == ADDITIVE    ? s->to[i][k]
                    : weight == 0          ? rest[k]
                    : s->mode == NORMALIZE ? s->to[i][k] / weight
                                           : s->to[i][k] + (1 - weight) * rest[k];
    }
}

/* The mode of the first cluster is that of all, as in the SDK's example. */
void kiln_fbx_skin(const fbx *f, uint32_t geometry, const fbx_place *place, fbx_place_of *place_of,
                   const void *scene, fbx_shape *shape)
{
    const fbx_object *object = &f->objects[geometry];
    skinning s = {.f = f, .shape = shape, .geometric = place->geometric, .from_scene = identity};
    uint32_t dual = FBX_NONE;
    bool first = true;

    s.rest = kiln_affine_join(&place->global, &place->geometric);
    s.to = kiln_fbx_alloc(f, shape->count, sizeof *s.to);
    s.weights = kiln_fbx_alloc(f, shape->count, sizeof *s.weights);
    for (uint32_t i = 0; i < object->child_count; i++) {
        const uint32_t skin = f->children[object->child + i];
        uint32_t type;

        if (!kiln_fbx_is_a(f, skin, FBX_DEFORMER, "Skin"))
            continue;
        type = kiln_fbx_only(f, f->objects[skin].record, "SkinningType");
        if (type != FBX_NONE &&
            (kiln_fbx_says(f, type, 0, "DualQuaternion") || kiln_fbx_says(f, type, 0, "Blend")))
            dual = type;
        for (uint32_t j = 0; j < f->objects[skin].child_count; j++) {
            const uint32_t cluster = f->children[f->objects[skin].child + j];

            if (!kiln_fbx_is_a(f, cluster, FBX_DEFORMER, "Cluster"))
                continue;
            if (first)
                s.mode = mode_of(f, cluster);
            if (first && s.mode == ADDITIVE) {
                s.from_scene = inverse_of(f, f->objects[cluster].record, &place->global);
                for (size_t k = 0; k < shape->count; k++)
                    kiln_affine_add(&s.rest, 1, shape->positions[k], s.to[k]);
            }
            if (mode_of(f, cluster) != s.mode)
                kiln_fbx_fail_unsupported(f, f->objects[cluster].record,
                                          "the joints of a skin have several modes; export the "
                                          "mesh with its skin applied");
            first = false;
            apply_cluster(&s, cluster, joint_of(f, cluster, place_of, scene));
        }
    }
    finish(&s);
    if (dual != FBX_NONE && s.bent)
        kiln_fbx_warn(f, dual,
                      "a skin of dual quaternions is read with linear weights, which bends it "
                      "otherwise; export the mesh with its skin applied");
    free(s.to);
    free(s.weights);
}
