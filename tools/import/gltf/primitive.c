/* Geometry of a primitive of glTF (glTF 2.0, 3.7.2; KHR_mesh_quantization;
 * KHR_draco_mesh_compression): positions, moved by morph targets and then by a skin, and the faces
 * of the seven modes.
 *
 * Floats that nothing moves are sent as they are. Everything else is computed in double and sent
 * with what rounding leaves over.
 *
 * A corner that refers to no vertex is sent all the same: flatten.c refuses or drops its face by
 * number. Points and lines are counted. */
#include "primitive.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/assert.h"
#include "accessor.h"
#include "buffer.h"
#include "draco.h"

enum { POINTS, LINES, LINE_LOOP, LINE_STRIP, TRIANGLES, TRIANGLE_STRIP, TRIANGLE_FAN };

#define WEIGHT_TOLERANCE 1e-3
#define INDEX_TYPES (GLTF_IS_UNSIGNED_BYTE | GLTF_IS_UNSIGNED_SHORT | GLTF_IS_UNSIGNED_INT)
#define SMALL_TYPES (GLTF_IS_BYTE | GLTF_IS_UNSIGNED_BYTE | GLTF_IS_SHORT | GLTF_IS_UNSIGNED_SHORT)

enum { ATTRIBUTES_MOST = 16, NAME_SIZE = 32 };

/* A primitive while it is read. */
typedef struct {
    gltf *g;
    gltf_place place, attributes;
    /* Where it is compressed by Draco: */
    bool packed;
    kiln_draco_mesh mesh;
    kiln_draco_attribute unpacked[ATTRIBUTES_MOST];
    char names[ATTRIBUTES_MOST][NAME_SIZE];
    size_t unpacked_count;
} primitive;

typedef struct {
    gltf_shape shape;
    uint8_t *bytes; /* NULL: there is no such attribute */
} column;

/* -- Draco -- */

/* Types that an attribute of that name may have. */
static unsigned types_of(const gltf *g, const char *name)
{
    if (strncmp(name, "JOINTS_", 7) == 0)
        return GLTF_IS_UNSIGNED_BYTE | GLTF_IS_UNSIGNED_SHORT;
    if (strncmp(name, "WEIGHTS_", 8) == 0)
        return GLTF_IS_FLOAT | GLTF_IS_UNSIGNED_BYTE | GLTF_IS_UNSIGNED_SHORT;
    return GLTF_IS_FLOAT | (g->quantized ? (unsigned)SMALL_TYPES : 0);
}

static unsigned elements_of(const char *name)
{
    return strcmp(name, "POSITION") == 0 ? 3 : 4;
}

#ifdef KILN_DRACO

/* Decodes the stream, with those attributes that may be wanted. */
static void unpack(primitive *p, const gltf_place *extension)
{
    gltf *g = p->g;
    const gltf_place list = kiln_gltf_object(g, extension, "attributes");
    const gltf_place view_place = kiln_gltf_member(extension, "bufferView");
    const gltf_view view = kiln_gltf_view(g, kiln_gltf_reference_at(g, &view_place, GLTF_VIEWS));
    uint8_t *bytes = kiln_gltf_alloc(g, view.length, 1);
    const json_t *value;
    const char *key, *wrong;

    json_object_foreach((json_t *)(uintptr_t)list.json, key, value)
    {
        const gltf_place id = kiln_gltf_member(&list, key);
        const size_t accessor = kiln_gltf_reference(g, &p->attributes, key, GLTF_ACCESSORS);
        kiln_draco_attribute *to = &p->unpacked[p->unpacked_count];
        gltf_shape shape;

        if ((strcmp(key, "POSITION") != 0 && strncmp(key, "JOINTS_", 7) != 0 &&
             strncmp(key, "WEIGHTS_", 8) != 0) ||
            strlen(key) >= NAME_SIZE || p->unpacked_count == ATTRIBUTES_MOST)
            continue;
        if (accessor == SIZE_MAX)
            kiln_gltf_fail(g, &id, "the primitive has no attribute of that name");
        shape = kiln_gltf_shape(g, accessor, types_of(g, key), elements_of(key));
        *to = (kiln_draco_attribute){.id = (uint32_t)kiln_gltf_whole_at(g, &id, 0, UINT32_MAX),
                                     .type = shape.type,
                                     .width = shape.width,
                                     .elements = shape.elements};
        strcpy(p->names[p->unpacked_count++], key);
    }
    kiln_gltf_view_read(g, &view, 0, bytes, view.length);
    wrong = kiln_draco_decode(bytes, (size_t)view.length, &p->mesh, p->unpacked, p->unpacked_count);
    if (wrong != NULL && wrong[0] == '\0')
        kiln_read_no_memory(g->reading);
    if (wrong != NULL)
        kiln_gltf_fail(g, extension, "Draco data: %s", wrong);
    free(bytes);
}

#else

static void unpack(primitive *p, const gltf_place *extension)
{
    kiln_gltf_fail_unsupported(p->g, extension,
                               "this kiln was built without the Draco library, which decompresses "
                               "KHR_draco_mesh_compression; export the model without it");
}

#endif

/* Whether what a member refers to has data outside of Draco's; a member that is not there lacks
 * nothing. */
static bool is_stored(const gltf *g, const gltf_place *of, const char *name)
{
    const size_t accessor = kiln_gltf_reference(g, of, name, GLTF_ACCESSORS);
    const json_t *json = json_array_get(g->lists[GLTF_ACCESSORS].json, accessor);

    return accessor == SIZE_MAX || json_object_get(json, "bufferView") != NULL ||
           json_object_get(json, "sparse") != NULL;
}

/* Data that are there without compression as well are read so where the file allows it: they are
 * what was compressed, which Draco need not give back exactly. All that shapes the primitive has
 * to be there: an accessor without data is one of zeros. */
static bool has_plain(const gltf *g, const gltf_place *place, const gltf_place *attributes)
{
    bool plain = !g->draco_needed && json_object_get(attributes->json, "POSITION") != NULL &&
                 is_stored(g, place, "indices");
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)attributes->json, name, value)
    {
        if (strcmp(name, "POSITION") == 0 || strncmp(name, "JOINTS_", 7) == 0 ||
            strncmp(name, "WEIGHTS_", 8) == 0)
            plain = plain && is_stored(g, attributes, name);
    }
    return plain;
}

/* -- attributes -- */

/* Loads an attribute, from Draco's where it is there. */
static column load(primitive *p, const gltf_place *attributes, const char *name, unsigned types)
{
    const gltf_place at = kiln_gltf_member(attributes, name);
    const size_t accessor = kiln_gltf_reference(p->g, attributes, name, GLTF_ACCESSORS);
    column c = {.bytes = NULL};

    if (accessor == SIZE_MAX)
        return c;
    c.shape = kiln_gltf_shape(p->g, accessor, types, elements_of(name));
    for (size_t i = 0; attributes == &p->attributes && i < p->unpacked_count; i++) {
        if (strcmp(p->names[i], name) != 0)
            continue;
        if (c.shape.count != p->mesh.vertices)
            kiln_gltf_fail(p->g, &at, "its accessor has %llu elements, and the Draco data %lu",
                           (unsigned long long)c.shape.count, (unsigned long)p->mesh.vertices);
        c.bytes = p->unpacked[i].bytes;
        p->unpacked[i].bytes = NULL;
        return c;
    }
    c.bytes = kiln_gltf_load(p->g, &c.shape, GLTF_OF_VERTICES);
    return c;
}

/* One that has to be as many as there are positions. */
static column load_beside(primitive *p, const gltf_place *attributes, const char *name,
                          unsigned types, uint64_t count)
{
    const gltf_place at = kiln_gltf_member(attributes, name);
    const column c = load(p, attributes, name, types);

    if (c.bytes != NULL && c.shape.count != count)
        kiln_gltf_fail(p->g, &at, "%llu elements, where there are %llu positions",
                       (unsigned long long)c.shape.count, (unsigned long long)count);
    return c;
}

/* -- poses -- */

size_t kiln_gltf_target_count(const gltf *g, const gltf_place *place)
{
    const gltf_place targets = kiln_gltf_array(g, place, "targets");

    return kiln_gltf_count(&targets);
}

/* Adds the morph targets, each as much as its weight. */
static void morph(primitive *p, const gltf_shape_of_mesh *pose, double (*positions)[3],
                  uint64_t count)
{
    const unsigned types =
        GLTF_IS_FLOAT | (p->g->quantized ? (unsigned)(GLTF_IS_BYTE | GLTF_IS_SHORT) : 0);
    const gltf_place targets = kiln_gltf_array(p->g, &p->place, "targets");

    KILN_ASSERT(pose->weights == NULL || kiln_gltf_count(&targets) == pose->weight_count);
    for (size_t i = 0; pose->weights != NULL && i < pose->weight_count; i++) {
        const gltf_place target = kiln_gltf_item(&targets, i);
        column c;

        if (pose->weights[i] == 0)
            continue;
        c = load_beside(p, &target, "POSITION", types, count);
        for (size_t j = 0; c.bytes != NULL && j < count; j++)
            for (size_t k = 0; k < 3; k++)
                positions[j][k] += pose->weights[i] * kiln_gltf_value(&c.shape, c.bytes, 3 * j + k);
        free(c.bytes);
    }
}

/* Adds to `to` and `sum` what one set of four joints does to each vertex. False: there is no such
 * set. */
static bool add_joints(primitive *p, const gltf_skin *skin, unsigned set, double (*from)[3],
                       double (*to)[4], uint64_t count)
{
    char joints_name[NAME_SIZE], weights_name[NAME_SIZE];
    gltf_place joints_place, weights_place;
    column joints, weights;

    snprintf(joints_name, sizeof joints_name, "JOINTS_%u", set);
    snprintf(weights_name, sizeof weights_name, "WEIGHTS_%u", set);
    joints_place = kiln_gltf_member(&p->attributes, joints_name);
    weights_place = kiln_gltf_member(&p->attributes, weights_name);
    joints = load_beside(p, &p->attributes, joints_name, types_of(p->g, joints_name), count);
    weights = load_beside(p, &p->attributes, weights_name, types_of(p->g, weights_name), count);
    if (joints.bytes == NULL && weights.bytes == NULL)
        return false;
    if (joints.bytes == NULL || weights.bytes == NULL)
        kiln_gltf_fail(p->g, &p->attributes, "%s and %s come together", joints_name, weights_name);
    if (weights.shape.type != GLTF_FLOAT)
        weights.shape.normalized = true;
    for (size_t i = 0; i < 4 * count; i++) {
        const uint32_t joint = kiln_gltf_unsigned(joints.shape.width, joints.bytes, i);
        const double weight = kiln_gltf_value(&weights.shape, weights.bytes, i);
        const double *v = from[i / 4];
        double *sum = to[i / 4];

        if (weight == 0)
            continue;
        if (weight < 0)
            kiln_gltf_fail(p->g, &weights_place, "vertex %zu has a weight below 0: %.9g", i / 4,
                           weight);
        if (joint >= skin->count)
            kiln_gltf_fail(p->g, &joints_place, "vertex %zu has joint %lu, where the skin has %zu",
                           i / 4, (unsigned long)joint, skin->count);
        kiln_affine_add(&skin->joints[joint], weight, v, sum);
        sum[3] += weight;
    }
    free(joints.bytes);
    free(weights.bytes);
    return true;
}

/* Moves the vertices to where the joints take them. Weights that sum up to 1 but for rounding are
 * made to. */
static void put_on_skin(primitive *p, const gltf_skin *skin, double (*positions)[3], uint64_t count)
{
    double(*sums)[4] = kiln_gltf_alloc(p->g, count, sizeof *sums);
    unsigned sets = 0;
    const char *name;
    json_t *value;

    while (add_joints(p, skin, sets, positions, sums, count))
        sets++;
    if (sets == 0)
        kiln_gltf_fail(p->g, &p->attributes, "its node has a skin, and it has no JOINTS_0");
    json_object_foreach((json_t *)(uintptr_t)p->attributes.json, name, value)
    {
        if ((strncmp(name, "JOINTS_", 7) == 0 && strtoul(name + 7, NULL, 10) >= sets) ||
            (strncmp(name, "WEIGHTS_", 8) == 0 && strtoul(name + 8, NULL, 10) >= sets)) {
            const gltf_place beyond = kiln_gltf_member(&p->attributes, name);

            kiln_gltf_fail(p->g, &beyond, "there is no set %u before it", sets);
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (!(fabs(sums[i][3] - 1) <= WEIGHT_TOLERANCE))
            kiln_gltf_fail(p->g, &p->attributes,
                           "the weights of vertex %zu sum up to %.9g instead of 1", i, sums[i][3]);
        for (int k = 0; k < 3; k++)
            positions[i][k] = sums[i][k] / sums[i][3];
    }
    free(sums);
}

/* Sends the vertices; returns how many. */
static uint64_t send_vertices(primitive *p, const gltf_shape_of_mesh *pose)
{
    kiln_reading *reading = p->g->reading;
    const column c = load(p, &p->attributes, "POSITION", types_of(p->g, "POSITION"));
    const uint64_t count = c.shape.count;
    double(*positions)[3];

    if (c.bytes == NULL)
        return 0;
    if (!pose->residuals) {
        KILN_ASSERT(c.shape.type == GLTF_FLOAT && pose->skin == NULL);
        kiln_send(reading->sender, KILN_ARRAY_POSITIONS, c.bytes, (size_t)count);
        free(c.bytes);
        return count;
    }
    positions = kiln_gltf_alloc(p->g, count, sizeof *positions);
    for (size_t i = 0; i < 3 * count; i++)
        positions[i / 3][i % 3] = kiln_gltf_value(&c.shape, c.bytes, i);
    free(c.bytes);
    morph(p, pose, positions, count);
    if (pose->skin != NULL)
        put_on_skin(p, pose->skin, positions, count);
    for (size_t i = 0; i < count; i++)
        kiln_read_vertex(reading, positions[i]);
    free(positions);
    return count;
}

/* -- faces -- */

static uint64_t faces_of(uint64_t mode, uint64_t corners)
{
    return mode == TRIANGLES ? corners / 3 : mode > TRIANGLES && corners > 2 ? corners - 2 : 0;
}

static uint64_t mode_of(const gltf *g, const gltf_place *place)
{
    return kiln_gltf_whole(g, place, "mode", POINTS, TRIANGLE_FAN, TRIANGLES);
}

uint64_t kiln_gltf_count_faces(const gltf *g, const gltf_place *place)
{
    const gltf_place attributes = kiln_gltf_object(g, place, "attributes");
    const char *key = json_object_get(place->json, "indices") != NULL ? "indices" : "POSITION";
    const gltf_place *in = key[0] == 'i' ? place : &attributes;
    const size_t accessor = kiln_gltf_reference(g, in, key, GLTF_ACCESSORS);
    const json_t *json = json_array_get(g->lists[GLTF_ACCESSORS].json, accessor);
    const double count = json_number_value(json_object_get(json, "count"));

    return accessor != SIZE_MAX && count > 0 && count < 0x1p53
               ? faces_of(mode_of(g, place), (uint64_t)count)
               : 0;
}

/* The indices, or NULL where vertices are taken in their order; *count is how many. */
static uint32_t *load_indices(primitive *p, uint64_t vertices, uint64_t *count)
{
    const gltf_place at = kiln_gltf_member(&p->place, "indices");
    const size_t accessor = kiln_gltf_reference(p->g, &p->place, "indices", GLTF_ACCESSORS);
    uint32_t *indices;
    gltf_shape shape;
    uint8_t *bytes;
    uint32_t restart;

    *count = vertices;
    if (p->packed) {
        const json_t *json = json_array_get(p->g->lists[GLTF_ACCESSORS].json, accessor);

        *count = p->mesh.corners;
        if (accessor != SIZE_MAX && mode_of(p->g, &p->place) == TRIANGLES &&
            json_number_value(json_object_get(json, "count")) != (double)*count)
            kiln_gltf_fail(p->g, &at, "its accessor has %.15g elements, and the Draco data %lu",
                           json_number_value(json_object_get(json, "count")),
                           (unsigned long)*count);
        indices = p->mesh.indices;
        p->mesh.indices = NULL;
        return indices;
    }
    if (accessor == SIZE_MAX)
        return NULL;
    shape = kiln_gltf_shape(p->g, accessor, INDEX_TYPES, 1);
    if (shape.normalized)
        kiln_gltf_fail(p->g, &at, "indices can't be normalized");
    bytes = kiln_gltf_load(p->g, &shape, GLTF_OF_OTHERS);
    indices = kiln_gltf_alloc(p->g, shape.count, sizeof *indices);
    /* The largest number of a type would begin a new strip, and glTF has no such thing: it refers
     * to no vertex, however many there are. */
    restart = shape.width == 4 ? UINT32_MAX : (UINT32_C(1) << 8 * shape.width) - 1;
    for (size_t i = 0; i < shape.count; i++) {
        indices[i] = kiln_gltf_unsigned(shape.width, bytes, i);
        if (indices[i] == restart && restart < vertices)
            indices[i] = KILN_SCENE_NONE;
    }
    free(bytes);
    *count = shape.count;
    return indices;
}

static void count_left_out(kiln_reading *reading, uint64_t mode, uint64_t corners)
{
    if (mode == POINTS)
        reading->facts.points += corners;
    else if (mode == LINES)
        reading->facts.lines += corners / 2;
    else if (corners > 1)
        reading->facts.lines += corners - (mode == LINE_STRIP);
}

/* Sends the faces of a mode, in their order. Every second triangle of a strip has its corners
 * turned, so that all look the same way. */
static uint64_t send_faces(primitive *p, uint64_t mode, const uint32_t *indices, uint64_t corners,
                           uint32_t material)
{
    const uint64_t faces = faces_of(mode, corners);

    for (uint64_t i = 0; i < faces; i++) {
        const bool odd = mode == TRIANGLE_STRIP && i % 2 == 1;
        const uint64_t first = mode == TRIANGLES ? 3 * i : i;
        const uint64_t at[3] = {mode == TRIANGLE_FAN ? 0 : first + odd, first + 1 - odd, first + 2};
        uint32_t face[3];

        for (int k = 0; k < 3; k++) {
            KILN_ASSERT(at[k] < corners);
            face[k] = indices != NULL ? indices[at[k]] : (uint32_t)at[k];
        }
        kiln_read_face(p->g->reading, face, 3, i, material);
    }
    return faces;
}

uint64_t kiln_gltf_send_primitive(gltf *g, const gltf_place *place, const gltf_shape_of_mesh *pose,
                                  uint32_t material, uint64_t *vertices)
{
    primitive p = {.g = g, .place = *place};
    const gltf_place extensions = kiln_gltf_member(&p.place, "extensions");
    const gltf_place draco = kiln_gltf_extension(g, &extensions, "KHR_draco_mesh_compression");
    uint64_t mode = mode_of(g, place), corners, faces = 0;
    uint32_t *indices;

    p.attributes = kiln_gltf_object(g, &p.place, "attributes");
    p.packed = draco.json != NULL && !has_plain(g, &p.place, &p.attributes);
    if (draco.json != NULL && mode != TRIANGLES && mode != TRIANGLE_STRIP)
        kiln_gltf_fail(g, &draco, "Draco data are triangles, and mode %llu is of others",
                       (unsigned long long)mode);
    if (p.packed)
        unpack(&p, &draco);
    *vertices = send_vertices(&p, pose);
    indices = load_indices(&p, *vertices, &corners);
    /* A stream of Draco has triangles, whatever they were before. */
    if (p.packed)
        mode = TRIANGLES;
    if (mode < TRIANGLES)
        count_left_out(g->reading, mode, corners);
    else
        faces = send_faces(&p, mode, indices, corners, material);
    if (mode == TRIANGLES && corners % 3 != 0)
        kiln_send_warning(g->reading->sender,
                          "a primitive of triangles has %llu corners: the last %llu are left out",
                          (unsigned long long)corners, (unsigned long long)(corners % 3));
    for (size_t i = 0; i < p.unpacked_count; i++)
        free(p.unpacked[i].bytes);
    free(indices);
    return faces;
}
