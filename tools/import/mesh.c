/* Meshes in memory to the scene that a reader of our own sends of a file with the same triangles.
 *
 * No bytes are taken apart here that anybody else has made, so that no program is started; what can
 * be wrong with arrays (indices, coordinates, triangles without area) is what can be wrong with a
 * file, and is found by the same code, flatten.c. The arrays are copied once, as those of a file
 * are. */
#include "mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../formats/assert.h"

/* As scene.c bounds them. */
#define MOST_ELEMENTS 0x7FFFFFFFu

const char kiln_mesh_format[] = "memory";

/* Part `i`, or as much of it as both sides know. */
static kiln_mesh part_at(const kiln_mesh_list *list, size_t i)
{
    const size_t size = list->parts->struct_size;
    kiln_mesh part;

    memset(&part, 0, sizeof part);
    memcpy(&part, (const char *)list->parts + i * size, size < sizeof part ? size : sizeof part);
    if (part.name == NULL)
        part.name = "mesh";
    return part;
}

/* The first part with the longest list of materials, which the others' lists are beginnings of. */
static kiln_mesh longest_of(const kiln_mesh_list *list)
{
    kiln_mesh longest = part_at(list, 0);

    for (size_t i = 1; i < list->count; i++) {
        const kiln_mesh part = part_at(list, i);

        if (part.material_count > longest.material_count)
            longest = part;
    }
    return longest;
}

/* The name of a material, by the part with the longest list. */
static const char *material_name(const kiln_mesh *longest, size_t value)
{
    /* Files whose faces name none have one material, of this name. */
    return value < longest->material_count ? longest->materials[value] : "DefaultMaterial";
}

const char *kiln_mesh_refusal(const kiln_mesh_list *list)
{
    uint64_t vertices = 0, triangles = 0;
    kiln_mesh longest;

    if (list->parts == NULL || list->count == 0)
        return "no part; give a mesh";
    if (list->parts->struct_size < sizeof(size_t) || list->count > MOST_ELEMENTS)
        return "struct_size of a part is not that of kiln_mesh; set it to sizeof(kiln_mesh)";
    for (size_t i = 0; i < list->count; i++) {
        const kiln_mesh part = part_at(list, i);

        if (part.struct_size != list->parts->struct_size)
            return "struct_size of parts differ; set each to sizeof(kiln_mesh)";
        if (part.vertices != NULL && part.vertices_double != NULL)
            return "a part has vertices in floats and in doubles; give one of both";
        if ((part.vertex_count > 0 && part.vertices == NULL && part.vertices_double == NULL) ||
            (part.triangle_count > 0 && part.triangles == NULL) ||
            (part.material_count > 0 && part.materials == NULL))
            return "an array of a part is NULL, and its count is not 0";
        if (part.vertex_count > MOST_ELEMENTS || part.triangle_count > MOST_ELEMENTS / 3 ||
            part.material_count > MOST_ELEMENTS)
            return "a part has more than 2147483647 vertices or corners; split it";
        vertices += part.vertex_count;
        triangles += part.triangle_count;
        if (vertices > MOST_ELEMENTS || triangles > MOST_ELEMENTS / 3)
            return "more than 2147483647 vertices or corners; split the model";
    }
    longest = longest_of(list);
    for (size_t i = 0; i < list->count; i++) {
        const kiln_mesh part = part_at(list, i);

        for (size_t k = 0; k < part.material_count; k++)
            if (part.materials[k] == NULL || longest.materials[k] == NULL ||
                strcmp(part.materials[k], longest.materials[k]) != 0)
                return "a material has two names, or none; parts have one list of materials";
    }
    return NULL;
}

uint64_t kiln_mesh_bytes(const kiln_mesh_list *list)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < list->count; i++) {
        const kiln_mesh part = part_at(list, i);

        bytes += (uint64_t)part.vertex_count * 3 *
                     (part.vertices != NULL ? sizeof(float) : sizeof(double)) +
                 (uint64_t)part.triangle_count * sizeof(uint32_t) * (part.values != NULL ? 4 : 3);
    }
    return bytes;
}

/* Counts and texts before what they count, so that no two lists are the same bytes. */
static void hash_number(kiln_sha256 *hash, uint64_t number)
{
    kiln_sha256_update(hash, &number, sizeof number);
}

static void hash_text(kiln_sha256 *hash, const char *text)
{
    kiln_sha256_update(hash, text, strlen(text) + 1);
}

void kiln_mesh_hash(const kiln_mesh_list *list, uint8_t digest[KILN_SHA256_SIZE])
{
    kiln_sha256 hash;

    kiln_sha256_init(&hash);
    hash_text(&hash, "kiln mesh 1");
    hash_number(&hash, list->count);
    for (size_t i = 0; i < list->count; i++) {
        const kiln_mesh part = part_at(list, i);
        const size_t vertices = part.vertex_count * 3, triangles = part.triangle_count;

        hash_text(&hash, part.name);
        hash_number(&hash, part.vertices_double != NULL);
        hash_number(&hash, part.vertex_count);
        hash_number(&hash, triangles);
        hash_number(&hash, part.values != NULL);
        hash_number(&hash, part.material_count);
        if (vertices > 0 && part.vertices != NULL)
            kiln_sha256_update(&hash, part.vertices, vertices * sizeof(float));
        if (vertices > 0 && part.vertices_double != NULL)
            kiln_sha256_update(&hash, part.vertices_double, vertices * sizeof(double));
        if (triangles > 0)
            kiln_sha256_update(&hash, part.triangles, triangles * 3 * sizeof(uint32_t));
        if (triangles > 0 && part.values != NULL)
            kiln_sha256_update(&hash, part.values, triangles * sizeof(uint32_t));
        for (size_t k = 0; k < part.material_count; k++)
            hash_text(&hash, part.materials[k]);
    }
    kiln_sha256_final(&hash, digest);
}

/* -- the scene -- */

typedef struct {
    size_t vertices, triangles, materials, text;
    bool residuals; /* some are doubles */
} totals;

static totals totals_of(const kiln_mesh_list *list)
{
    const kiln_mesh longest = longest_of(list);
    totals of = {.text = 1};

    for (size_t i = 0; i < list->count; i++) {
        const kiln_mesh part = part_at(list, i);

        of.vertices += part.vertex_count;
        of.triangles += part.triangle_count;
        of.residuals = of.residuals || part.vertices_double != NULL;
        of.text += strlen(part.name) + 1;
    }
    of.materials = longest.material_count > 0 ? longest.material_count : 1;
    for (size_t k = 0; k < of.materials; k++)
        of.text += strlen(material_name(&longest, k)) + 1;
    return of;
}

static uint64_t bytes_of(const totals *of, size_t parts)
{
    const uint64_t a_part = sizeof(kiln_scene_mesh) + sizeof(kiln_scene_node) + sizeof(uint32_t);

    return (uint64_t)of->vertices * 3 * sizeof(float) * (of->residuals ? 2 : 1) +
           (uint64_t)of->triangles * 6 * sizeof(uint32_t) + parts * a_part +
           of->materials * sizeof(uint32_t) + of->text;
}

uint64_t kiln_mesh_scene_bytes(const kiln_mesh_list *list)
{
    const totals of = totals_of(list);

    return bytes_of(&of, list->count);
}

static bool make_room(kiln_scene *scene, kiln_array array, size_t count)
{
    kiln_scene_array *of = &scene->arrays[array];

    of->items = malloc((count > 0 ? count : 1) * kiln_array_element(array));
    of->capacity = count;
    return of->items != NULL;
}

/* For room that was made. */
static void put_items(kiln_scene *scene, kiln_array array, const void *items, size_t count)
{
    kiln_scene_array *of = &scene->arrays[array];
    const size_t element = kiln_array_element(array);

    KILN_ASSERT(count <= of->capacity - of->count);
    if (count > 0)
        memcpy((char *)of->items + of->count * element, items, count * element);
    of->count += count;
}

static uint32_t put_text(kiln_scene *scene, const char *text)
{
    const uint32_t offset = (uint32_t)scene->arrays[KILN_ARRAY_STRINGS].count;

    put_items(scene, KILN_ARRAY_STRINGS, text, strlen(text) + 1);
    return offset;
}

/* As kiln_read_vertex sends them: a float, and as another what its rounding leaves over. */
static void put_vertices(kiln_scene *scene, const kiln_mesh *part, bool residuals)
{
    if (part->vertices != NULL)
        put_items(scene, KILN_ARRAY_POSITIONS, part->vertices, part->vertex_count);
    for (size_t i = 0; i < part->vertex_count && residuals; i++) {
        float rounded[3], residual[3] = {0, 0, 0};

        for (size_t k = 0; k < 3 && part->vertices_double != NULL; k++) {
            const double from = part->vertices_double[3 * i + k];

            rounded[k] = (float)from;
            residual[k] = isfinite(rounded[k]) ? (float)(from - (double)rounded[k]) : 0;
        }
        if (part->vertices_double != NULL)
            put_items(scene, KILN_ARRAY_POSITIONS, rounded, 1);
        put_items(scene, KILN_ARRAY_RESIDUALS, residual, 1);
    }
}

static void put_part(kiln_scene *scene, const kiln_mesh *part, uint32_t number, bool residuals)
{
    static const uint32_t three = 3, none = 0;
    kiln_scene_mesh mesh = {.face_count = part->triangle_count, .vertex_count = part->vertex_count};
    kiln_scene_node node = {.parent = KILN_SCENE_NONE, .place_count = 1};

    for (int i = 0; i < 16; i += 5)
        node.matrix[i] = 1;
    mesh.name = node.name = put_text(scene, part->name);
    put_items(scene, KILN_ARRAY_MESHES, &mesh, 1);
    put_items(scene, KILN_ARRAY_NODES, &node, 1);
    put_items(scene, KILN_ARRAY_PLACES, &number, 1);
    put_vertices(scene, part, residuals);
    put_items(scene, KILN_ARRAY_CORNERS, part->triangles, 3 * part->triangle_count);
    for (uint32_t i = 0; i < part->triangle_count; i++) {
        put_items(scene, KILN_ARRAY_SIZES, &three, 1);
        put_items(scene, KILN_ARRAY_RECORDS, &i, 1);
        put_items(scene, KILN_ARRAY_USERS, part->values != NULL ? &part->values[i] : &none, 1);
    }
}

bool kiln_mesh_scene(const kiln_mesh_list *list, kiln_scene *scene)
{
    const totals of = totals_of(list);
    const kiln_mesh longest = longest_of(list);
    kiln_scene_facts facts = {.unit_factor = 1, .up_declared = -1, .up_now = 1, .exact = 1};

    KILN_ASSERT(kiln_mesh_refusal(list) == NULL);
    if (of.text > UINT32_MAX || !make_room(scene, KILN_ARRAY_STRINGS, of.text) ||
        !make_room(scene, KILN_ARRAY_MATERIALS, of.materials) ||
        !make_room(scene, KILN_ARRAY_POSITIONS, of.vertices) ||
        (of.residuals && !make_room(scene, KILN_ARRAY_RESIDUALS, of.vertices)) ||
        !make_room(scene, KILN_ARRAY_SIZES, of.triangles) ||
        !make_room(scene, KILN_ARRAY_RECORDS, of.triangles) ||
        !make_room(scene, KILN_ARRAY_USERS, of.triangles) ||
        !make_room(scene, KILN_ARRAY_CORNERS, 3 * of.triangles) ||
        !make_room(scene, KILN_ARRAY_MESHES, list->count) ||
        !make_room(scene, KILN_ARRAY_NODES, list->count) ||
        !make_room(scene, KILN_ARRAY_PLACES, list->count) || !make_room(scene, KILN_ARRAY_FACTS, 1))
        return false;
    (void)put_text(scene, "");
    for (size_t k = 0; k < of.materials; k++) {
        const uint32_t name = put_text(scene, material_name(&longest, k));

        put_items(scene, KILN_ARRAY_MATERIALS, &name, 1);
    }
    for (size_t i = 0; i < list->count; i++) {
        const kiln_mesh part = part_at(list, i);

        facts.empty_meshes += part.triangle_count == 0;
        put_part(scene, &part, (uint32_t)i, of.residuals);
    }
    put_items(scene, KILN_ARRAY_FACTS, &facts, 1);
    return true;
}
