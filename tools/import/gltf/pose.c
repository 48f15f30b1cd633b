/* Transforms of nodes and skins of glTF (glTF 2.0, 3.5 and 3.7.3).
 *
 * All is computed in double. A quaternion that is nearly a unit one is made one, since floats in
 * decimal hardly ever are; one that is not means no rotation at all. A matrix has 0 0 0 1 as its
 * last row, or it is no transform that a node can have.
 *
 * A joint takes a vertex by its inverse bind matrix to its own frame, and by its global transform
 * to the scene. The node that shows a skinned mesh has no part in this. */
#include "pose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/assert.h"
#include "accessor.h"

#define QUATERNION_TOLERANCE 1e-3

/* -- trees -- */

void kiln_gltf_find_parents(const gltf *g, gltf_nodes *nodes)
{
    const gltf_place *list = &g->lists[GLTF_NODES];
    const size_t count = kiln_gltf_count(list);
    uint32_t *seen_by = kiln_gltf_alloc(g, count, sizeof *seen_by);

    nodes->parents = kiln_gltf_alloc(g, count, sizeof *nodes->parents);
    nodes->globals = NULL;
    nodes->known = NULL;
    nodes->way = NULL;
    for (size_t i = 0; i < count; i++)
        nodes->parents[i] = GLTF_NO_PARENT;
    for (size_t i = 0; i < count; i++) {
        const gltf_place node = kiln_gltf_item(list, i);
        const gltf_place children = kiln_gltf_array(g, &node, "children");

        for (size_t j = 0; j < kiln_gltf_count(&children); j++) {
            const gltf_place child = kiln_gltf_item(&children, j);
            const size_t number = kiln_gltf_reference_at(g, &child, GLTF_NODES);

            if (nodes->parents[number] != GLTF_NO_PARENT)
                kiln_gltf_fail(g, &child, "node %zu has two parents: node %lu has it already",
                               number, (unsigned long)nodes->parents[number]);
            nodes->parents[number] = (uint32_t)i;
        }
    }
    /* With one parent each, a way up from a node that meets itself is a cycle. A way that meets an
     * earlier one ends as that did. */
    for (size_t i = 0; i < count; i++) {
        uint32_t at = (uint32_t)i;

        while (at != GLTF_NO_PARENT && seen_by[at] == 0) {
            seen_by[at] = (uint32_t)i + 1;
            at = nodes->parents[at];
        }
        if (at != GLTF_NO_PARENT && seen_by[at] == i + 1) {
            const gltf_place node = kiln_gltf_item(list, at);

            kiln_gltf_fail(g, &node, "the node is below itself: its children lead in a cycle");
        }
    }
    free(seen_by);
}

void kiln_gltf_free_nodes(gltf_nodes *nodes)
{
    free(nodes->parents);
    free(nodes->globals);
    free(nodes->known);
    free(nodes->way);
    memset(nodes, 0, sizeof *nodes);
}

/* -- transforms -- */

kiln_affine kiln_gltf_compose(const gltf *g, const gltf_place *at, const double translation[3],
                              const double rotation[4], const double scale[3], double tolerance)
{
    const double length = sqrt(rotation[0] * rotation[0] + rotation[1] * rotation[1] +
                               rotation[2] * rotation[2] + rotation[3] * rotation[3]);
    double x, y, z, w;
    kiln_affine to;

    if (!(fabs(length - 1) <= tolerance))
        kiln_gltf_fail(g, at, "the quaternion %.9g %.9g %.9g %.9g has the length %.9g instead of 1",
                       rotation[0], rotation[1], rotation[2], rotation[3], length);
    x = rotation[0] / length;
    y = rotation[1] / length;
    z = rotation[2] / length;
    w = rotation[3] / length;
    to = (kiln_affine){{{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), 0},
                        {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), 0},
                        {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), 0}}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            to.m[i][j] *= scale[j];
        to.m[i][3] = translation[i];
    }
    return to;
}

/* From 16 numbers by columns. */
static kiln_affine of_matrix(const gltf *g, const gltf_place *at, const double columns[16])
{
    double rows[16];
    kiln_affine to;

    for (int i = 0; i < 16; i++)
        rows[i] = columns[i % 4 * 4 + i / 4];
    if (!kiln_affine_of_rows(rows, &to))
        kiln_gltf_fail(g, at, "the last row of the matrix is %.9g %.9g %.9g %.9g, not 0 0 0 1",
                       columns[3], columns[7], columns[11], columns[15]);
    return to;
}

kiln_affine kiln_gltf_transform(const gltf *g, const gltf_place *node)
{
    const gltf_place place = kiln_gltf_member(node, "matrix");
    const gltf_place turn = kiln_gltf_member(node, "rotation");
    double translation[3] = {0, 0, 0}, rotation[4] = {0, 0, 0, 1}, scale[3] = {1, 1, 1};
    double matrix[16];
    bool parts = kiln_gltf_numbers(g, node, "translation", translation, 3);

    parts |= kiln_gltf_numbers(g, node, "rotation", rotation, 4);
    parts |= kiln_gltf_numbers(g, node, "scale", scale, 3);
    if (!kiln_gltf_numbers(g, node, "matrix", matrix, 16))
        return kiln_gltf_compose(g, &turn, translation, rotation, scale, QUATERNION_TOLERANCE);
    if (parts)
        kiln_gltf_fail(g, &place, "a node has a matrix, or translation, rotation and scale");
    return of_matrix(g, &place, matrix);
}

/* From a node's frame to the scene's. The way up to a node whose transform is known, or to a root,
 * is noted, and gone back: each node is computed once, however deep a chain is and in whatever
 * order its nodes are asked for. */
static const kiln_affine *global_of(const gltf *g, gltf_nodes *nodes, size_t index)
{
    const gltf_place *list = &g->lists[GLTF_NODES];
    const size_t count = kiln_gltf_count(list);
    size_t length = 0;

    if (nodes->known == NULL) {
        nodes->known = kiln_gltf_alloc(g, count, sizeof *nodes->known);
        nodes->globals = kiln_gltf_alloc(g, count, sizeof *nodes->globals);
        nodes->way = kiln_gltf_alloc(g, count, sizeof *nodes->way);
    }
    for (uint32_t at = (uint32_t)index; at != GLTF_NO_PARENT && !nodes->known[at];
         at = nodes->parents[at]) {
        KILN_ASSERT(length < count); /* find_parents has refused cycles */
        nodes->way[length++] = at;
    }
    while (length-- > 0) {
        const uint32_t at = nodes->way[length], parent = nodes->parents[at];
        const gltf_place node = kiln_gltf_item(list, at);
        const kiln_affine own = kiln_gltf_transform(g, &node);

        nodes->globals[at] =
            parent != GLTF_NO_PARENT ? kiln_affine_join(&nodes->globals[parent], &own) : own;
        nodes->known[at] = true;
    }
    return &nodes->globals[index];
}

/* -- skins -- */

gltf_skin kiln_gltf_skin(gltf *g, gltf_nodes *nodes, size_t index)
{
    const gltf_place at = kiln_gltf_item(&g->lists[GLTF_SKINS], index);
    const gltf_place joints = kiln_gltf_array(g, &at, "joints");
    const gltf_place bind = kiln_gltf_member(&at, "inverseBindMatrices");
    const size_t accessor = kiln_gltf_reference(g, &at, "inverseBindMatrices", GLTF_ACCESSORS);
    gltf_skin skin = {.count = kiln_gltf_count(&joints)};
    gltf_shape shape = {0};
    uint8_t *bytes = NULL;

    if (skin.count == 0)
        kiln_gltf_fail(g, &at, "the skin has no joints");
    skin.joints = kiln_gltf_alloc(g, skin.count, sizeof *skin.joints);
    if (accessor != SIZE_MAX) {
        shape = kiln_gltf_shape(g, accessor, GLTF_IS_FLOAT, 16);
        if (shape.count < skin.count)
            kiln_gltf_fail(g, &bind, "%llu matrices for %zu joints",
                           (unsigned long long)shape.count, skin.count);
        bytes = kiln_gltf_load(g, &shape, GLTF_OF_OTHERS);
    }
    for (size_t i = 0; i < skin.count; i++) {
        const gltf_place joint = kiln_gltf_item(&joints, i);
        const size_t node = kiln_gltf_reference_at(g, &joint, GLTF_NODES);
        const kiln_affine *global = global_of(g, nodes, node);
        double columns[16];
        kiln_affine own;

        skin.joints[i] = *global;
        if (bytes == NULL)
            continue;
        for (size_t k = 0; k < 16; k++)
            columns[k] = kiln_gltf_value(&shape, bytes, 16 * i + k);
        own = of_matrix(g, &bind, columns);
        if (!kiln_affine_is_finite(&own))
            kiln_gltf_fail(g, &bind, "matrix %zu is not finite", i);
        skin.joints[i] = kiln_affine_join(global, &own);
    }
    free(bytes);
    return skin;
}
